//! Runs compiled code: the steps of one thread from one state.

use super::compile::{Code, Compiled, Element, Goal, Op, Place, Way};
use crate::model::program::{Expr, LocId, Program, ThreadId, apply};
use crate::model::text::ast::BinaryOp;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// A step: the state after it, and what it is.
#[derive(Clone, Copy, Debug)]
pub struct Step<'s> {
    /// The state after it.
    pub after: &'s [u64],
    /// Whether it keeps the discipline.
    pub good: bool,
    /// What it read or wrote of what is noted, the guards that let it through included, as bits.
    pub accessed: &'s [u64],
    /// What it wrote.
    pub written: &'s [u64],
    /// The edge taken, by its number at the location.
    pub edge: usize,
    /// If the thread goes wrong: at what. Equal for the same part of the same edge.
    pub failed: Option<Site>,
}

/// A part of an edge: the guard, or a command. Its address says which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site(usize);

impl Site {
    fn of<T>(part: &T) -> Self {
        Site(std::ptr::from_ref(part).addr())
    }
}

/// Reads states, and notes which cells are read.
trait Memory {
    fn words(&self) -> &[u64];
    fn note(&mut self, number: u32);
}

/// A state that is only read.
struct Plain<'a>(&'a [u64]);

impl Memory for Plain<'_> {
    #[inline]
    fn words(&self) -> &[u64] {
        self.0
    }
    #[inline]
    fn note(&mut self, _: u32) {}
}

/// A state on the way, then a bit for each noted cell accessed, then one for each written.
struct Noting<'a> {
    all: &'a mut [u64],
    words: usize,
}

impl Memory for Noting<'_> {
    #[inline]
    fn words(&self) -> &[u64] {
        &self.all[..self.words]
    }
    #[inline]
    fn note(&mut self, number: u32) {
        self.all[self.words + number as usize / 64] |= 1 << (number % 64);
    }
}

/// Runs a compiled program.
#[derive(Debug)]
pub struct Machine<'c> {
    compiled: &'c Compiled,
    /// Words of a state, and words of a set of what is noted.
    words: usize,
    notes: usize,
    /// What the guards read that were found closed by the last call of [`Machine::each_step`], where all accesses are
    /// noted.
    closed: Vec<u64>,
    /// Runs that wait.
    spare: Vec<Vec<u64>>,
}

/// What a run is part of.
struct From<'f> {
    state: &'f [u64],
    thread: ThreadId,
    changes: &'f [u32],
    edge: usize,
}

/// Receives steps as they are found.
type Visit<'v, B> = dyn FnMut(Step) -> ControlFlow<B> + 'v;

impl<'c> Machine<'c> {
    /// A machine for a program.
    pub fn new(compiled: &'c Compiled) -> Self {
        let noted = match &compiled.shared {
            None => compiled.guards.len(),
            Some(shared) => shared.len(),
        };
        Machine {
            compiled,
            words: compiled.layout.words,
            notes: noted.div_ceil(64),
            closed: vec![0; noted.div_ceil(64)],
            spare: Vec::new(),
        }
    }

    /// The truth of a state expression, compiled by [`Machine::compile`]; false if its evaluation fails.
    #[inline]
    pub fn holds(&self, e: &Condition, state: &[u64]) -> bool {
        truth(&e.0, state)
    }

    /// The value of a state expression; none if its evaluation fails.
    #[inline]
    pub fn value(&self, e: &Condition, state: &[u64]) -> Option<i64> {
        value(&e.0, &mut Plain(state))
    }

    /// What the evaluation of a state expression reads, added to a set; where all accesses are noted.
    pub fn reads(&self, e: &Condition, state: &[u64], into: &mut [u64]) {
        let mut all = state[..self.words].to_vec();
        all.resize(self.words + 2 * self.notes, 0);
        value(&e.0, &mut self.noting(&mut all));
        join(into, &all[self.words..self.words + self.notes]);
    }

    /// What the guards read that were found closed by the last call of [`Machine::each_step`], where all accesses are
    /// noted.
    pub fn closed(&self) -> &[u64] {
        &self.closed
    }

    /// Compiles a state expression.
    pub fn compile(&self, program: &Program, e: &Expr) -> Condition {
        Condition(self.compiled.expression(program, e))
    }

    /// Whether a thread has a step.
    pub fn is_enabled(&self, state: &[u64], thread: ThreadId) -> bool {
        let l = self.compiled.layout.location(state, thread);
        let here = &self.compiled.threads[thread][l];
        here.ways.iter().any(|w| is_open(w, state))
    }

    /// Whether a thread waits for nothing: it has ended, gone wrong, or not been started.
    #[inline]
    pub fn is_resting(&self, state: &[u64], thread: ThreadId) -> bool {
        let l = self.compiled.layout.location(state, thread);
        self.compiled.threads[thread][l].resting
    }

    /// Whether no step is enabled while some thread waits.
    pub fn is_deadlock(&self, state: &[u64]) -> bool {
        let all = 0..self.compiled.threads.len();
        all.clone().any(|t| !self.is_resting(state, t))
            && !all.clone().any(|t| self.is_enabled(state, t))
    }

    /// Whether exclusive access predicates overlap.
    pub fn overlaps(&self, state: &[u64]) -> bool {
        (0..self.compiled.guards.len()).any(|p| self.compiled.overlap(p, state))
    }

    /// Calls `visit` with the steps of a thread that are enabled in a state (some perhaps more than once) until it
    /// breaks; whether there was any.
    pub fn each_step<B>(
        &mut self,
        state: &[u64],
        thread: ThreadId,
        visit: &mut Visit<B>,
    ) -> ControlFlow<B, bool> {
        let compiled = self.compiled;
        let l = compiled.layout.location(state, thread);
        let here = &compiled.threads[thread][l];
        let mut any = false;
        // An empty one lies nowhere, and to write nothing there takes the processor longer than the step.
        if self.notes > 0 {
            self.closed.fill(0);
        }
        for way in &here.ways {
            if !way.passes(state) {
                continue;
            }
            let mut run = None;
            let guard = match &way.guard {
                None => Some(1),
                // Without protections nothing is noted, so the state will do.
                Some(guard) if self.notes == 0 => value(guard, &mut Plain(state)),
                Some(guard) => {
                    let run = run.insert(self.begin(state));
                    value(guard, &mut self.noting(run))
                }
            };
            let mut run = match (guard, run) {
                (Some(0), None) => continue,
                (Some(0), Some(run)) => {
                    join(&mut self.closed, &run[self.words..self.words + self.notes]);
                    self.spare.push(run);
                    continue;
                }
                (_, Some(run)) => run,
                (_, None) => self.begin(state),
            };
            any = true;
            let from = From {
                state,
                thread,
                changes: &here.changes,
                edge: way.edge,
            };
            let ran = match guard {
                None => self.arrive(&from, &mut run, Some(Site::of(way)), visit),
                Some(_) => self.block(&from, &way.body, Vec::new(), &mut run, visit),
            };
            self.spare.push(run);
            if let ControlFlow::Break(b) = ran {
                return ControlFlow::Break(b);
            }
        }
        ControlFlow::Continue(any)
    }

    fn begin(&mut self, state: &[u64]) -> Vec<u64> {
        let mut run = self.buffer();
        run.extend_from_slice(&state[..self.words]);
        run.resize(self.words + 2 * self.notes, 0);
        run
    }

    fn buffer(&mut self) -> Vec<u64> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer
    }

    fn noting<'a>(&self, run: &'a mut [u64]) -> Noting<'a> {
        Noting {
            all: run,
            words: self.words,
        }
    }

    /// Runs a block, then the blocks that wait, the last one first.
    fn block<'b, B>(
        &mut self,
        from: &From,
        mut block: &'b [Op],
        mut waiting: Vec<&'b [Op]>,
        run: &mut [u64],
        visit: &mut Visit<B>,
    ) -> ControlFlow<B> {
        loop {
            let Some((op, others)) = block.split_first() else {
                let Some(next) = waiting.pop() else {
                    return self.arrive(from, run, None, visit);
                };
                block = next;
                continue;
            };
            block = others;
            let failed = match op {
                Op::Put { word, clear, bits } => {
                    let word = &mut run[*word as usize];
                    *word = *word & !clear | bits;
                    false
                }
                Op::Set(goal, code) => self.set(goal, code, run).is_none(),
                Op::Check(e) => value(e, &mut self.noting(run)).is_none_or(|v| v == 0),
                Op::If(c, yes, no) => match value(c, &mut self.noting(run)) {
                    Some(v) => {
                        waiting.push(block);
                        block = if v != 0 { yes } else { no };
                        false
                    }
                    None => true,
                },
                Op::Choose(branches) => {
                    waiting.push(block);
                    for branch in branches {
                        let mut copy = self.buffer();
                        copy.extend_from_slice(run);
                        let ran = self.block(from, branch, waiting.clone(), &mut copy, visit);
                        self.spare.push(copy);
                        ran?;
                    }
                    return ControlFlow::Continue(());
                }
                Op::Havoc(goal) => match place(goal, &mut self.noting(run)) {
                    Some(p) => {
                        self.written(p, run);
                        for v in p.ty.lo..=p.ty.hi {
                            let mut copy = self.buffer();
                            copy.extend_from_slice(run);
                            p.field.set(&mut copy, v);
                            let ran = self.block(from, block, waiting.clone(), &mut copy, visit);
                            self.spare.push(copy);
                            ran?;
                        }
                        return ControlFlow::Continue(());
                    }
                    None => true,
                },
            };
            if failed {
                return self.arrive(from, run, Some(Site::of(op)), visit);
            }
        }
    }

    fn set(&self, goal: &Goal, code: &Code, run: &mut [u64]) -> Option<()> {
        let mut memory = self.noting(run);
        let p = place(goal, &mut memory)?;
        let mut v = value(code, &mut memory)?;
        if p.ty.wraps {
            v = v.rem_euclid(p.ty.size() as i64);
        }
        if !p.ty.contains(v) {
            return None;
        }
        self.written(p, run);
        p.field.set(run, v);
        Some(())
    }

    fn written(&self, p: Place, run: &mut [u64]) {
        if let Some(n) = p.guarded {
            for at in [self.words, self.words + self.notes] {
                run[at + n as usize / 64] |= 1 << (n % 64);
            }
        }
    }

    fn arrive<B>(
        &mut self,
        from: &From,
        run: &mut [u64],
        failed: Option<Site>,
        visit: &mut Visit<B>,
    ) -> ControlFlow<B> {
        if failed.is_some()
            && let Some(wrong) = self.compiled.wrong[from.thread]
        {
            self.compiled.layout.locations[from.thread].set(run, wrong);
        }
        let good = self.notes == 0 || !self.violates(from, run);
        if let Some(shared) = &self.compiled.shared {
            let (after, notes) = run.split_at_mut(self.words);
            let (accessed, written) = notes.split_at_mut(self.notes);
            let at = |state: &[u64]| self.compiled.layout.location(state, from.thread);
            shared.moved(from.thread, (at(from.state), at(after)), accessed, written);
            // Whether it keeps the discipline depends on what the predicates read.
            shared.judged(from.changes, accessed);
        }
        let (after, notes) = run.split_at(self.words);
        let (accessed, written) = notes.split_at(self.notes);
        visit(Step {
            after,
            good,
            accessed,
            written,
            edge: from.edge,
            failed,
        })
    }

    fn violates(&self, from: &From, run: &[u64]) -> bool {
        let (after, notes) = run.split_at(self.words);
        let (accessed, written) = notes.split_at(self.notes);
        let notes = (accessed, written);
        let mut all = self.compiled.violations(from, after, notes);
        all.next().is_some()
    }

    /// The location of a thread.
    #[inline]
    pub fn location(&self, state: &[u64], thread: ThreadId) -> LocId {
        self.compiled.layout.location(state, thread)
    }

    /// The program.
    pub fn compiled(&self) -> &'c Compiled {
        self.compiled
    }
}

impl Compiled {
    /// The protections that a step from a state violates, by number.
    pub fn violated(&self, thread: ThreadId, before: &[u64], step: &Step) -> BTreeSet<usize> {
        let from = From {
            state: before,
            thread,
            changes: &self.threads[thread][self.layout.location(before, thread)].changes,
            edge: step.edge,
        };
        let notes = (step.accessed, step.written);
        self.violations(&from, step.after, notes).collect()
    }

    /// As the interpreter's `violates`; some perhaps twice.
    fn violations<'a>(
        &'a self,
        from: &'a From,
        after: &'a [u64],
        (accessed, written): (&'a [u64], &'a [u64]),
    ) -> impl Iterator<Item = usize> + 'a {
        let is = |set: &[u64], p: usize| set[p / 64] >> (p % 64) & 1 == 1;
        let wrongly = move |&p: &usize| {
            let guard = &self.guards[p];
            let reads = |r: &[Code]| !is(written, p) && truth(&r[from.thread], from.state);
            let may = truth(&guard.predicates[from.thread], from.state)
                || guard.readers.as_deref().is_some_and(reads);
            !may || self.overlap(p, after)
        };
        // Protections come first.
        let noted = members(accessed).take_while(|&p| p < self.guards.len());
        let changing = move |&p: &usize| {
            let guard = &self.guards[p];
            let changed = |c: &Code| truth(c, from.state) != truth(c, after);
            self.overlap(p, after)
                && (guard.predicates.iter())
                    .chain(guard.readers.iter().flatten())
                    .any(changed)
        };
        let changed = from.changes.iter().map(|&p| p as usize);
        noted.filter(wrongly).chain(changed.filter(changing))
    }

    fn overlap(&self, p: usize, state: &[u64]) -> bool {
        let guard = &self.guards[p];
        if guard.apart {
            return false;
        }
        let holders = |of: &[Code]| of.iter().filter(|c| truth(c, state)).count();
        match holders(&guard.predicates) {
            0 => false,
            1 => guard.readers.as_deref().is_some_and(|readers| {
                let pairs = readers.iter().zip(&guard.predicates);
                pairs
                    .into_iter()
                    .any(|(r, e)| truth(r, state) && !truth(e, state))
            }),
            _ => true,
        }
    }
}

/// The numbers in a set.
fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(n, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(64 * n + bit)
        })
    })
}

/// A compiled state expression.
#[derive(Clone, Debug)]
pub struct Condition(Code);

/// Adds to a set.
fn join(into: &mut [u64], other: &[u64]) {
    into.iter_mut().zip(other).for_each(|(i, o)| *i |= o);
}

fn is_open(way: &Way, state: &[u64]) -> bool {
    if !way.passes(state) {
        return false;
    }
    match &way.guard {
        None => true,
        // A guard whose evaluation fails does not block: the thread goes wrong.
        Some(guard) => value(guard, &mut Plain(state)) != Some(0),
    }
}

#[inline]
fn truth(e: &Code, state: &[u64]) -> bool {
    match e {
        Code::Is { word, mask, bits } => state[*word as usize] & mask == *bits,
        e => value(e, &mut Plain(state)).is_some_and(|v| v != 0),
    }
}

/// The value of an expression; none if its evaluation goes wrong.
fn value<M: Memory>(e: &Code, memory: &mut M) -> Option<i64> {
    match e {
        Code::Const(c) => Some(*c),
        Code::Field(f) => Some(f.get(memory.words())),
        Code::Guarded(f, p) => {
            memory.note(*p);
            Some(f.get(memory.words()))
        }
        Code::Is { word, mask, bits } => {
            Some(i64::from(memory.words()[*word as usize] & mask == *bits))
        }
        Code::Element(element) => {
            let p = chosen(element, memory)?;
            if let Some(n) = p.guarded {
                memory.note(n);
            }
            Some(p.field.get(memory.words()))
        }
        Code::Via(e, allocated) => {
            let slot = value(e, memory)?;
            if slot < 0 {
                return None;
            }
            let Some(flags) = allocated else {
                return Some(slot);
            };
            let flag = flags[slot as usize];
            if let Some(n) = flag.guarded {
                memory.note(n);
            }
            (flag.field.get(memory.words()) != 0).then_some(slot)
        }
        Code::Slot(e, len) => match value(e, memory)? {
            slot if (0..*len).contains(&slot) => Some(slot),
            _ => None,
        },
        Code::Among(f, set, noted) => {
            if let Some(n) = noted {
                memory.note(*n);
            }
            let l = f.get(memory.words()) as usize;
            Some(set.get(l / 64).map_or(0, |w| (w >> (l % 64) & 1) as i64))
        }
        Code::Not(e) => Some(1 - value(e, memory)?),
        Code::Neg(e) => Some(-value(e, memory)?),
        Code::Binary(op, operands) => {
            let [a, b] = &**operands;
            let a = value(a, memory)?;
            match (op, a != 0) {
                (BinaryOp::And, false) => return Some(0),
                (BinaryOp::Or, true) | (BinaryOp::Implies, false) => return Some(1),
                _ => {}
            }
            let b = value(b, memory)?;
            apply(*op, a, b)
        }
        Code::Cond(parts) => {
            let [c, a, b] = &**parts;
            let branch = if value(c, memory)? != 0 { a } else { b };
            value(branch, memory)
        }
    }
}

fn chosen<M: Memory>(element: &Element, memory: &mut M) -> Option<Place> {
    // All indices are evaluated before any is compared, as the interpreter does.
    let mut offset = Some(0);
    for (e, &d) in element.index.iter().zip(&element.dims) {
        let i = value(e, memory)?;
        let inside = 0 <= i && (i as u64) < d as u64;
        offset = offset.filter(|_| inside).map(|o| o * d + i as usize);
    }
    offset.map(|o| element.cells[o])
}

fn place<M: Memory>(goal: &Goal, memory: &mut M) -> Option<Place> {
    match goal {
        Goal::Place(p) => Some(*p),
        Goal::Element(element) => chosen(element, memory),
    }
}
