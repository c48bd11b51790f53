//! The plain interpreter: one step of one thread from one state, as `docs/language.md` says it.

use crate::model::program::{
    ArrayId, CellId, Command, Expr, Failure, LocId, Program, Protection, Target, ThreadId, apply,
};
use crate::model::text::ast::BinaryOp;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// A valuation of all cells and locations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    values: Box<[i32]>,
    cells: u32,
}

impl State {
    /// A state from the values of the cells and the locations of the threads.
    pub fn new(cells: &[i64], locations: &[LocId]) -> Self {
        let values = cells
            .iter()
            .map(|&v| v as i32)
            .chain(locations.iter().map(|&l| l as i32))
            .collect();
        State {
            values,
            cells: cells.len() as u32,
        }
    }

    /// The value of a cell.
    pub fn cell(&self, cell: CellId) -> i64 {
        i64::from(self.values[cell])
    }

    /// The location of a thread.
    pub fn location(&self, thread: ThreadId) -> LocId {
        self.values[self.cells as usize + thread] as LocId
    }

    /// The values of all cells.
    pub fn cells(&self) -> Vec<i64> {
        let cells = &self.values[..self.cells as usize];
        cells.iter().map(|&v| i64::from(v)).collect()
    }

    /// The locations of all threads.
    pub fn locations(&self) -> Vec<LocId> {
        let locations = &self.values[self.cells as usize..];
        locations.iter().map(|&l| l as LocId).collect()
    }

    fn set_cell(&mut self, cell: CellId, value: i64) {
        self.values[cell] = value as i32;
    }

    fn set_location(&mut self, thread: ThreadId, location: LocId) {
        let at = self.cells as usize + thread;
        self.values[at] = location as i32;
    }
}

/// The outcome of one step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Successor {
    /// The state after it.
    pub state: State,
    /// The cells it read or wrote, sorted.
    pub accesses: Vec<CellId>,
    /// Those that it wrote, sorted.
    pub writes: Vec<CellId>,
    /// Why the thread went wrong, if it did.
    pub failure: Option<Failure>,
    /// The edge taken, an index into the location's edges.
    pub edge: usize,
}

/// A run of an effect under way.
#[derive(Clone)]
struct Run<'a> {
    state: State,
    accesses: Vec<CellId>,
    writes: Vec<CellId>,
    failure: Option<Failure>,
    /// What has failed, if not the guard.
    failed: Option<&'a Command>,
}

struct Evaluation<'a> {
    program: &'a Program,
    state: &'a State,
    accesses: &'a mut Vec<CellId>,
}

impl Evaluation<'_> {
    fn value(&mut self, e: &Expr) -> Result<i64, Failure> {
        match e {
            Expr::Const(c) => Ok(*c),
            Expr::Cell(c) => {
                self.accesses.push(*c);
                Ok(self.state.cell(*c))
            }
            Expr::Element(array, index) => {
                let cell = self.element(*array, index)?;
                self.accesses.push(cell);
                Ok(self.state.cell(cell))
            }
            Expr::Via(reference, allocated) => {
                let slot = self.value(reference)?;
                if slot < 0 {
                    return Err(Failure::Null);
                }
                let live = |array: &ArrayId| {
                    let first = self.program.arrays[*array].first;
                    self.state.cell(first + slot as usize) != 0
                };
                if !allocated.as_ref().is_none_or(live) {
                    return Err(Failure::Freed);
                }
                Ok(slot)
            }
            Expr::Slot(number, pool) => {
                let slot = self.value(number)?;
                let len = self.program.pools[*pool].len as i64;
                if !(0..len).contains(&slot) {
                    return Err(Failure::Index);
                }
                Ok(slot)
            }
            Expr::At(thread, locations) => {
                Ok(i64::from(locations.contains(&self.state.location(*thread))))
            }
            Expr::Not(e) => Ok(1 - self.value(e)?),
            Expr::Neg(e) => Ok(-self.value(e)?),
            Expr::Binary(op, a, b) => {
                let a = self.value(a)?;
                match (op, a != 0) {
                    (BinaryOp::And, false) => return Ok(0),
                    (BinaryOp::Or, true) | (BinaryOp::Implies, false) => return Ok(1),
                    _ => {}
                }
                let b = self.value(b)?;
                apply(*op, a, b).ok_or(Failure::of(*op))
            }
            Expr::Cond(c, a, b) => {
                if self.value(c)? != 0 {
                    self.value(a)
                } else {
                    self.value(b)
                }
            }
        }
    }

    fn element(&mut self, array: ArrayId, index: &[Expr]) -> Result<CellId, Failure> {
        let index: Result<Vec<i64>, Failure> = index.iter().map(|e| self.value(e)).collect();
        self.program.element(array, &index?).ok_or(Failure::Index)
    }

    /// What an assignment writes: index, then value, then the range check.
    fn assigned(
        &mut self,
        target: &Target,
        value: &Expr,
    ) -> Result<Option<(CellId, i64)>, Failure> {
        let cell = self.target(target)?;
        let value = self.value(value)?;
        let ty = self.program.cells[cell].ty;
        let value = if ty.wraps {
            value.rem_euclid(ty.size() as i64)
        } else {
            value
        };
        if !ty.contains(value) {
            return Err(Failure::Range);
        }
        Ok(Some((cell, value)))
    }

    fn target(&mut self, target: &Target) -> Result<CellId, Failure> {
        match target {
            Target::Cell(c) => Ok(*c),
            Target::Element(array, index) => self.element(*array, index),
        }
    }
}

/// The truth of a state expression; false if its evaluation fails.
pub fn holds(program: &Program, e: &Expr, state: &State) -> bool {
    let mut accesses = Vec::new();
    Evaluation {
        program,
        state,
        accesses: &mut accesses,
    }
    .value(e)
    .is_ok_and(|v| v != 0)
}

/// All outcomes of the steps of `thread` that are enabled in `state`, each once.
///
/// There are as many as a `havoc` has values: use [`each_successor`] where not all are needed.
pub fn successors(program: &Program, state: &State, thread: ThreadId) -> Vec<Successor> {
    let (mut seen, mut all) = (FxHashSet::default(), Vec::new());
    let _: ControlFlow<()> = each_successor(program, state, thread, None, &mut |next| {
        if seen.insert(next.clone()) {
            all.push(next);
        }
        ControlFlow::Continue(())
    });
    all
}

/// Calls `visit` with the outcomes of the steps of `thread` that are enabled in `state`, one by one (some perhaps more
/// than once), until it breaks. A `havoc` tries the value that the cell has in `hint` first.
pub fn each_successor<B>(
    program: &Program,
    state: &State,
    thread: ThreadId,
    hint: Option<&State>,
    visit: &mut dyn FnMut(Successor) -> ControlFlow<B>,
) -> ControlFlow<B> {
    each_outcome(program, state, thread, hint, &mut |step, _| visit(step))
}

/// The same, with the command that a step goes wrong in; there is none if that is the guard.
pub fn each_outcome<'p, B>(
    program: &'p Program,
    state: &State,
    thread: ThreadId,
    hint: Option<&State>,
    visit: &mut dyn FnMut(Successor, Option<&'p Command>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    for (number, edge) in program.threads[thread].locations[state.location(thread)]
        .edges
        .iter()
        .enumerate()
    {
        let mut run = Run {
            state: state.clone(),
            accesses: Vec::new(),
            writes: Vec::new(),
            failure: None,
            failed: None,
        };
        if let Some(guard) = &edge.guard {
            match (Evaluation {
                program,
                state,
                accesses: &mut run.accesses,
            })
            .value(guard)
            {
                Ok(0) => continue,
                Ok(_) => {}
                Err(failure) => run.failure = Some(failure),
            }
        }
        let mut execution = Execution {
            program,
            thread,
            edge: number,
            hint,
            visit,
        };
        execution.run(run, vec![edge.body.as_slice()])?;
    }
    ControlFlow::Continue(())
}

/// The execution of one edge, depth first over its choices, so that nothing is held but the present run.
struct Execution<'a, 'p, B> {
    program: &'p Program,
    thread: ThreadId,
    edge: usize,
    hint: Option<&'a State>,
    visit: &'a mut dyn FnMut(Successor, Option<&'p Command>) -> ControlFlow<B>,
}

impl<'p, B> Execution<'_, 'p, B> {
    /// Goes on with the commands on the stack, the innermost block last.
    fn run(&mut self, mut run: Run<'p>, mut stack: Vec<&'p [Command]>) -> ControlFlow<B> {
        while run.failure.is_none() {
            let Some(block) = stack.pop() else { break };
            let Some((command, rest)) = block.split_first() else {
                continue;
            };
            stack.push(rest);
            let before = run.state.clone();
            let mut eval = Evaluation {
                program: self.program,
                state: &before,
                accesses: &mut run.accesses,
            };
            let outcome = match command {
                Command::Assign(target, value) => eval.assigned(target, value),
                Command::Havoc(target) => match eval.target(target) {
                    Ok(cell) => {
                        run.writes.push(cell);
                        return self.havoc(&run, &stack, cell);
                    }
                    Err(failure) => Err(failure),
                },
                Command::Check(e, failure) => match eval.value(e) {
                    Ok(0) => Err(*failure),
                    other => other.map(|_| None),
                },
                Command::If(c, yes, no) => eval.value(c).map(|v| {
                    stack.push(if v != 0 { yes } else { no });
                    None
                }),
                Command::Choose(branches) => {
                    for branch in branches {
                        let mut stack = stack.clone();
                        stack.push(branch);
                        self.run(run.clone(), stack)?;
                    }
                    return ControlFlow::Continue(());
                }
                Command::Goto(location) => {
                    run.state.set_location(self.thread, *location);
                    Ok(None)
                }
            };
            match outcome {
                Ok(Some((cell, value))) => {
                    run.writes.push(cell);
                    run.state.set_cell(cell, value);
                }
                Ok(None) => {}
                Err(failure) => {
                    run.failure = Some(failure);
                    run.failed = Some(command);
                }
            }
        }
        if let (Some(_), Some(wrong)) = (run.failure, self.program.threads[self.thread].wrong) {
            run.state.set_location(self.thread, wrong);
        }
        run.accesses.extend(&run.writes);
        for cells in [&mut run.accesses, &mut run.writes] {
            cells.sort_unstable();
            cells.dedup();
        }
        let Run {
            state,
            accesses,
            writes,
            failure,
            failed,
        } = run;
        let step = Successor {
            state,
            accesses,
            writes,
            failure,
            edge: self.edge,
        };
        (self.visit)(step, failed)
    }

    fn havoc(&mut self, run: &Run<'p>, stack: &[&'p [Command]], cell: CellId) -> ControlFlow<B> {
        let ty = self.program.cells[cell].ty;
        let first = self.hint.map(|h| h.cell(cell));
        let others = (ty.lo..=ty.hi).filter(|v| Some(*v) != first);
        for value in first.into_iter().chain(others) {
            let mut run = run.clone();
            run.state.set_cell(cell, value);
            self.run(run, stack.to_vec())?;
        }
        ControlFlow::Continue(())
    }
}

/// Whether a step of `thread` from `before` to `after` violates the synchronisation discipline: the first two disjuncts
/// of (26) in Stoller & Cohen 2003, the second only for the cells whose predicates the step changed or that it
/// accessed. On executions that begin with disjoint predicates that is no restriction: others stay disjoint.
pub fn violates(program: &Program, thread: ThreadId, before: &State, step: &Successor) -> bool {
    let mut all = program.protections.iter();
    all.any(|x| breaks(program, x, thread, before, step))
}

/// Whether a step of `thread` from `before` violates this protection.
pub fn breaks(
    program: &Program,
    x: &Protection,
    thread: ThreadId,
    before: &State,
    step: &Successor,
) -> bool {
    let accessed = step.accesses.binary_search(&x.cell).is_ok();
    if accessed && !may_access(program, x, thread, before, step) {
        return true;
    }
    let changed = || {
        x.predicates
            .iter()
            .chain(x.readers.iter().flatten())
            .any(|e| holds(program, e, before) != holds(program, e, &step.state))
    };
    overlap(program, x, &step.state) && (accessed || changed())
}

/// Whether the thread has the access to a protected cell that a step from `before` makes use of.
pub fn may_access(
    program: &Program,
    x: &Protection,
    thread: ThreadId,
    before: &State,
    step: &Successor,
) -> bool {
    let written = step.writes.binary_search(&x.cell).is_ok();
    has_right(program, x, thread, written, before)
}

/// Whether a thread may write a protected cell, or else read it, in a step from `before`.
pub fn has_right(
    program: &Program,
    x: &Protection,
    thread: ThreadId,
    written: bool,
    before: &State,
) -> bool {
    let reading = |e: &Vec<Expr>| !written && holds(program, &e[thread], before);
    holds(program, &x.predicates[thread], before) || x.readers.as_ref().is_some_and(reading)
}

/// Whether two threads' exclusive access predicates for one cell hold in an initial state (WFinitExcl fails).
pub fn initially_violated(program: &Program, state: &State) -> bool {
    program
        .protections
        .iter()
        .any(|x| overlap(program, x, state))
}

/// Whether a thread has exclusive access to a cell and another has some access to it.
pub fn overlap(program: &Program, x: &Protection, state: &State) -> bool {
    let holders = |of: &[Expr]| -> Vec<ThreadId> {
        (0..of.len())
            .filter(|&t| holds(program, &of[t], state))
            .collect()
    };
    match holders(&x.predicates).as_slice() {
        [] => false,
        [one] => {
            let others = x.readers.as_ref().map(|r| holders(r)).unwrap_or_default();
            others.iter().any(|t| t != one)
        }
        _ => true,
    }
}

/// Whether no step is enabled while some thread has been started and has neither ended nor gone wrong.
pub fn is_deadlock(program: &Program, state: &State) -> bool {
    let waiting = program.threads.iter().enumerate().any(|(i, t)| {
        let l = state.location(i);
        t.resting().all(|r| r != l)
    });
    let enabled =
        |t| each_successor(program, state, t, None, &mut |_| ControlFlow::Break(())).is_break();
    waiting && !(0..program.threads.len()).any(enabled)
}

/// Whether a state that fits the declared initial values satisfies the `init` expressions too.
pub fn is_initial(program: &Program, state: &State) -> bool {
    program.init.iter().all(|e| holds(program, e, state))
}

/// The states that fit the declared initial values, one by one, in lexicographic order; those that are also
/// [`is_initial`] are the initial states. Cells without an initial value run through their types, so this may be long.
pub fn initial_candidates(program: &Program) -> impl Iterator<Item = State> + '_ {
    let locations: Vec<LocId> = program.threads.iter().map(|t| t.initial).collect();
    let first: Vec<i64> = program
        .cells
        .iter()
        .map(|c| c.initial.unwrap_or(c.ty.lo))
        .collect();
    let mut next = Some(first);
    std::iter::from_fn(move || {
        let current = next.take()?;
        let mut following = current.clone();
        for (value, cell) in following.iter_mut().zip(&program.cells).rev() {
            if cell.initial.is_some() {
                continue;
            }
            if *value < cell.ty.hi {
                *value += 1;
                next = Some(following);
                break;
            }
            *value = cell.ty.lo;
        }
        Some(State::new(&current, &locations))
    })
}
