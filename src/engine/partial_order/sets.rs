//! Persistent and stubborn sets of transitions: which threads are to be taken in a state. Valmari 1991; Godefroid 1996,
//! chapter 4; Laarman, Pater, van de Pol & Weber 2013.
//!
//! A set is closed in a state if three things hold. With an enabled step it has all transitions of other threads, now
//! or later, that depend on what the step accesses in this state. With a transition that is disabled it has a
//! *necessary enabling set*: transitions of which one must be taken before. Where the thread of a transition is
//! elsewhere, those are the transitions that lead to its location; where a conjunct of its guard is false, those that
//! may open it. With one transition of a thread that is enabled where the thread is, it has all of them. Then nothing
//! that is done outside disables or enables a step of the set, and each commutes with all that is done outside.
//!
//! Of necessary enabling sets the one is taken that concerns the fewest threads outside. The set grows from one thread,
//! the seed; all seeds are tried, and the set with the fewest enabled threads is taken. Persistent sets know neither
//! the state nor guards: where a thread is, and what its closed guards read.
//!
//! An observer (see [`super::steps`]) is a transition that is disabled until its condition holds.

use super::future::Futures;
use super::steps::{Pending, Steps};
use super::transitions::{Conjunct, Number, Transitions, members};
use crate::base::control::Stop;
use crate::engine::compiled::{Accesses, Machine, meet};
use crate::model::program::ThreadId;
use std::ops::ControlFlow;

/// Which sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sets {
    Persistent,
    Stubborn,
}

/// What a thread may do in the present state.
#[derive(Default)]
struct Local {
    is_enabled: bool,
    /// Whether what follows is of the present state.
    is_known: bool,
    /// What its pending step accesses.
    accesses: Accesses,
    /// Its pending step, where no machine takes steps without looking at their accesses.
    pending: Option<Pending>,
}

/// A set that grows.
struct Growing {
    /// The number of the set. What was put into a set has its number.
    present: u32,
    transitions: Vec<u32>,
    threads: Vec<u32>,
    observers: Vec<u32>,
    /// The enabled threads.
    taken: Vec<ThreadId>,
    /// The transitions that are disabled, and not looked at yet.
    open: Vec<Number>,
}

/// Chooses sets, in one state after another.
pub(super) struct Chooser<'c> {
    sets: Sets,
    /// Takes steps without looking at their accesses, where nothing but their states is asked for.
    plain: Option<Machine<'c>>,
    tables: Transitions,
    futures: Futures,
    /// By observer what its condition may read.
    looks: Vec<Accesses>,
    locals: Vec<Local>,
    growing: Growing,
    /// Threads that may disturb the step at hand.
    near: Vec<bool>,
    best: Vec<ThreadId>,
}

impl<'c> Chooser<'c> {
    /// Of a program, or its reduced system.
    ///
    /// # Errors
    /// As [`Transitions::new`].
    pub fn new(
        steps: &Steps<'c>,
        sets: Sets,
        looks: Vec<Accesses>,
        plain: Option<Machine<'c>>,
    ) -> Result<Self, Stop> {
        let tables = Transitions::new(steps, &looks)?;
        let threads = steps.threads();
        let local = |_| Local {
            accesses: Accesses::none(steps.shared.len()),
            ..Local::default()
        };
        Ok(Chooser {
            sets,
            plain,
            futures: Futures::new(steps.program, steps.shared, steps.control)?,
            locals: (0..threads).map(local).collect(),
            growing: Growing {
                present: 0,
                transitions: vec![0; tables.all.len()],
                threads: vec![0; threads],
                observers: vec![0; looks.len()],
                taken: Vec::new(),
                open: Vec::new(),
            },
            near: vec![false; threads],
            best: Vec::new(),
            tables,
            looks,
        })
    }

    /// Goes to a state.
    ///
    /// # Errors
    /// As [`Steps::pending`].
    pub fn begin(&mut self, steps: &mut Steps, state: &[u64]) -> Result<(), Stop> {
        for local in &mut self.locals {
            local.is_known = false;
        }
        // Violations of a discipline are looked for in all pending steps.
        if !steps.program.protections.is_empty() {
            for t in 0..self.locals.len() {
                self.know(steps, state, t)?;
            }
        }
        Ok(())
    }

    /// What a thread's step leads to, one state behind the other, and how many there are.
    ///
    /// # Errors
    /// As [`Steps::pending`].
    pub fn after(
        &mut self,
        steps: &mut Steps,
        state: &[u64],
        thread: ThreadId,
        into: &mut Vec<u64>,
    ) -> Result<usize, Stop> {
        let (begin, control) = (into.len(), steps.control);
        let Some(machine) = &mut self.plain else {
            self.know(steps, state, thread)?;
            let pending = self.locals[thread].pending.iter();
            let after = pending.flat_map(|p| &p.after);
            after.for_each(|state| into.extend_from_slice(state));
            return Ok((into.len() - begin) / state.len());
        };
        let mut count = 0;
        let ran = machine.each_step(state, thread, &mut |step| {
            if count > 0 && into.ends_with(step.after) {
                return ControlFlow::Continue(());
            }
            into.extend_from_slice(step.after);
            count += 1;
            match usize::is_multiple_of(count, OFTEN).then(|| control.check()) {
                Some(Err(stop)) => ControlFlow::Break(stop),
                _ => ControlFlow::Continue(()),
            }
        });
        match ran {
            ControlFlow::Break(stop) => Err(stop),
            ControlFlow::Continue(_) => Ok(count),
        }
    }

    /// The states inside a thread's coarse step that was looked at.
    pub fn inside(&self, thread: ThreadId) -> &[Vec<u64>] {
        let pending = self.locals[thread].pending.as_ref();
        pending.map_or(&[], |p| &p.inside)
    }

    /// Whether a thread's step, if there is one, concerns nobody else, as far as its text goes.
    pub fn is_private(&self, steps: &Steps, state: &[u64], thread: ThreadId) -> bool {
        self.tables.private[thread][steps.location(state, thread)]
    }

    /// How many threads are to be taken: a set that grows from one that has not `moved`; none if no such thread is
    /// enabled. Of equal sets the one is taken that has the thread `by`, whose step led here: it goes on alone as long
    /// as it can, and comes back to where it was soon if it is in a loop.
    ///
    /// # Errors
    /// As [`Steps::pending`].
    pub fn choose(
        &mut self,
        steps: &mut Steps,
        state: &[u64],
        by: ThreadId,
        moved: impl Fn(ThreadId) -> bool,
    ) -> Result<usize, Stop> {
        for t in 0..self.locals.len() {
            self.locals[t].is_enabled = match &self.plain {
                Some(machine) => machine.is_enabled(state, t),
                None => {
                    self.know(steps, state, t)?;
                    self.locals[t]
                        .pending
                        .as_ref()
                        .is_some_and(Pending::is_enabled)
                }
            };
        }
        self.best.clear();
        for seed in (by..self.locals.len()).chain(0..by) {
            let known = self.best.len() == 1 || self.best.contains(&seed);
            let better = !moved(seed) && !known && self.locals[seed].is_enabled;
            if better && self.close(steps, state, seed)? {
                std::mem::swap(&mut self.best, &mut self.growing.taken);
            }
        }
        Ok(self.best.len())
    }

    /// One of the threads that were chosen.
    pub fn best(&self, n: usize) -> ThreadId {
        self.best[n]
    }

    /// What a thread's pending step accesses, and what else has to be known of it.
    fn know(&mut self, steps: &mut Steps, state: &[u64], thread: ThreadId) -> Result<(), Stop> {
        let local = &mut self.locals[thread];
        if std::mem::replace(&mut local.is_known, true) {
            return Ok(());
        }
        match self.plain {
            Some(_) => steps.accesses(state, thread, &mut local.accesses),
            None => {
                let pending = steps.pending(state, thread)?;
                local.accesses.clone_from(&pending.accesses);
                local.pending = Some(pending);
                Ok(())
            }
        }
    }

    /// Closes the set of a thread; whether its enabled threads are fewer than the best.
    fn close(&mut self, steps: &mut Steps, state: &[u64], seed: ThreadId) -> Result<bool, Stop> {
        self.growing.begin(seed);
        let (mut done, most) = (0, self.best.len());
        loop {
            if most > 0 && self.growing.taken.len() >= most {
                return Ok(false);
            }
            if let Some(&thread) = self.growing.taken.get(done) {
                done += 1;
                self.disturbing(steps, state, thread)?;
            } else if let Some(number) = self.growing.open.pop() {
                self.enabling(steps, state, number)?;
            } else {
                return Ok(true);
            }
        }
    }

    /// Puts in what may disturb the pending step of a thread.
    fn disturbing(
        &mut self,
        steps: &mut Steps,
        state: &[u64],
        thread: ThreadId,
    ) -> Result<(), Stop> {
        self.know(steps, state, thread)?;
        let (tables, growing) = (&self.tables, &mut self.growing);
        let own = &self.locals[thread].accesses;
        let mut any = false;
        for (t, near) in self.near.iter_mut().enumerate() {
            let future = self.futures.from(t, steps.location(state, t));
            *near = growing.threads[t] != growing.present && own.conflicts(future);
            any |= *near;
        }
        for x in members(&own.accessed).filter(|_| any) {
            let of = match own.written[x / 64] >> (x % 64) & 1 == 1 {
                true => &tables.accessing[x],
                false => &tables.writing[x],
            };
            for &number in of {
                if self.near[tables.all[number as usize].thread] {
                    growing.put(steps, state, tables, number);
                }
            }
        }
        for (o, looks) in self.looks.iter().enumerate() {
            let observer = steps.threads() + o;
            let sees =
                growing.observers[o] != growing.present && meet(&own.written, &looks.accessed);
            if sees && !steps.is_answered(observer) {
                growing.observers[o] = growing.present;
                let read = steps.pending(state, observer)?.accesses;
                growing.put_writers(steps, state, tables, &read);
            }
        }
        Ok(())
    }

    /// Puts in a necessary enabling set of a transition, or takes its thread if it is enabled.
    fn enabling(&mut self, steps: &mut Steps, state: &[u64], number: Number) -> Result<(), Stop> {
        let (tables, growing) = (&self.tables, &mut self.growing);
        let transition = &tables.all[number as usize];
        let (thread, from) = (transition.thread, transition.from);
        if growing.threads[thread] == growing.present {
            return Ok(());
        }
        let cost = |conjunct: &Conjunct| {
            let all = opening(steps, state, tables, conjunct);
            growing.cost(steps, state, tables, &self.locals, all)
        };
        let is_here = steps.location(state, thread) == from;
        let coming = &tables.entering[thread][from];
        let all = coming.iter().copied();
        let mut best = growing.cost(steps, state, tables, &self.locals, all);
        let mut chosen = None;
        for conjunct in &transition.conjuncts {
            let cheap = best == 0 && (chosen.is_some() || !is_here);
            if cheap || steps.machine.value(&conjunct.condition, state) != Some(0) {
                continue;
            }
            let cost = cost(conjunct);
            if cost < best || is_here && chosen.is_none() {
                (best, chosen) = (cost, Some(conjunct));
            }
        }
        match chosen {
            Some(conjunct) if self.sets == Sets::Stubborn => {
                for number in opening(steps, state, tables, conjunct) {
                    growing.put(steps, state, tables, number);
                }
            }
            _ if !is_here => {
                for &number in coming {
                    growing.put(steps, state, tables, number);
                }
            }
            _ if self.locals[thread].is_enabled => growing.take(thread),
            _ => {
                self.know(steps, state, thread)?;
                let read = &self.locals[thread].accesses;
                self.growing.put_writers(steps, state, &self.tables, read);
            }
        }
        Ok(())
    }
}

/// The transitions of which one must be taken before a false conjunct is true. Nobody but its owner gives back a mutex.
fn opening<'t>(
    steps: &Steps,
    state: &[u64],
    tables: &'t Transitions,
    conjunct: &'t Conjunct,
) -> impl Iterator<Item = Number> + use<'t> {
    let owner = conjunct.mutex.as_ref().and_then(|m| {
        let owner = steps.machine.value(&m.owner, state)?;
        usize::try_from(owner).ok()
    });
    let of_owner = move |n: &Number| owner.is_none_or(|o| tables.all[*n as usize].thread == o);
    let choosing = conjunct.mutex.iter().flat_map(|m| &m.choosing);
    conjunct
        .opening
        .iter()
        .copied()
        .filter(of_owner)
        .chain(choosing.copied())
}

impl Growing {
    /// Begins a set with a thread.
    fn begin(&mut self, seed: ThreadId) {
        self.present += 1;
        self.taken.clear();
        self.open.clear();
        self.take(seed);
    }

    fn take(&mut self, thread: ThreadId) {
        if self.threads[thread] != self.present {
            self.threads[thread] = self.present;
            self.taken.push(thread);
        }
    }

    /// Whether a transition is to be put in. If its thread is there, that thread's step and those behind it are.
    fn is_new(&self, steps: &Steps, state: &[u64], tables: &Transitions, number: Number) -> bool {
        let transition = &tables.all[number as usize];
        let thread = transition.thread;
        self.threads[thread] != self.present
            && self.transitions[number as usize] != self.present
            && tables.is_ahead(transition, steps.location(state, thread))
    }

    fn put(&mut self, steps: &Steps, state: &[u64], tables: &Transitions, number: Number) {
        if self.is_new(steps, state, tables, number) {
            self.transitions[number as usize] = self.present;
            self.open.push(number);
        }
    }

    /// Puts in all that may write what was read.
    fn put_writers(&mut self, steps: &Steps, state: &[u64], tables: &Transitions, read: &Accesses) {
        for number in members(&read.accessed).flat_map(|x| &tables.writing[x]) {
            self.put(steps, state, tables, *number);
        }
    }

    /// What it costs to put these in: above all, the enabled threads that come with them.
    fn cost(
        &self,
        steps: &Steps,
        state: &[u64],
        tables: &Transitions,
        locals: &[Local],
        all: impl Iterator<Item = Number>,
    ) -> usize {
        let (mut cost, mut last) = (0, None);
        for number in all.filter(|&n| self.is_new(steps, state, tables, n)) {
            // Those of a thread follow each other.
            let thread = tables.all[number as usize].thread;
            if last.replace(thread) != Some(thread) {
                cost += if locals[thread].is_enabled {
                    1 + locals.len()
                } else {
                    1
                };
            }
        }
        cost
    }
}

/// After this many steps of one state the limits are checked.
const OFTEN: usize = 1 << 12;
