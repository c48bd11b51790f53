//! Executions with filters, algorithm 2 of Florian 2010 (chapter 4): each filter removes some of the steps that could
//! be explored next.
//!
//! An execution is represented by what happens before what in it: its events, each with its vector clock.
//! `not-seen-before` goes on only once from equal representations. It compares the representations themselves or, with
//! `-hashed`, sums of hashes of events, which do not depend on the order of the events but can collide. `super-step`
//! follows one thread for as long as no other thread is concerned: of the steps of two threads from one *super node*,
//! at most the last ones are dependent. `local-cycles` cuts executions in which a thread has come back to its own state
//! unnoticed.
//!
//! Where this differs from the source: the threads that are disabled in a super node are looked at too, and observers,
//! since guards and questions here can depend on several variables: a step that touches what they read ends its super
//! step, so that "enables" need not be asked. A thread that chooses ends its super step. Representations are compared
//! in super nodes only: inside a super step one thread is followed, and the same execution may come to be a super node
//! elsewhere. Executions are run depth first.

use super::Searched;
use super::execution::{Execution, Pendings, ended};
use super::happens::{End, Event, Next, endless, local_cycle};
use super::steps::{Outcome, Steps};
use crate::base::control::Stop;
use crate::engine::compiled::Accesses;
use crate::engine::diagrams::mix;
use crate::model::program::ThreadId;
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::rc::Rc;

/// Which filters are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filters {
    pub super_step: bool,
    pub local_cycles: bool,
    pub not_seen: Option<Compared>,
    pub depth: Option<usize>,
}

/// How an execution is represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    Exactly,
    ByHash,
}

/// The super steps from a super node: of each thread, what its steps before the last one access, and the last one.
#[derive(Default)]
struct SuperNode {
    steps: Vec<(Accesses, Accesses)>,
}

impl SuperNode {
    /// Whether a thread's super step may go on with a step: its last one becomes one of those inside.
    fn extends(&self, thread: ThreadId, next: &Accesses) -> bool {
        let (_, last) = &self.steps[thread];
        let others = self.steps.iter().enumerate();
        others
            .filter(|(t, _)| *t != thread)
            .all(|(_, (inside, end))| !last.conflicts(end) && !next.conflicts(inside))
    }
}

struct StackEntry {
    next: Pendings,
    /// The super node that its super step began in.
    begun: Rc<RefCell<SuperNode>>,
    /// Threads that are still to be run, the last one first.
    threads: Vec<ThreadId>,
    /// The thread that is being run, and what else its step leads to.
    thread: ThreadId,
    outcomes: std::vec::IntoIter<Rc<Outcome>>,
    /// The sum of the hashes of the events.
    hash: u128,
}

struct FilteredSearch<'s, 'c> {
    steps: &'s mut Steps<'c>,
    filters: Filters,
    execution: Execution,
    nodes: Vec<StackEntry>,
    /// The initial state, by number.
    first: u32,
    hashes: FxHashSet<u128>,
    exact: FxHashSet<Vec<i64>>,
    executions: u64,
    cut_short: u64,
    too_long: bool,
}

/// Runs the executions that the filters leave.
pub(super) fn explore(steps: &mut Steps, filters: Filters) -> Searched {
    let mut search = FilteredSearch {
        steps,
        filters,
        execution: Execution::default(),
        nodes: Vec::new(),
        first: 0,
        hashes: FxHashSet::default(),
        exact: FxHashSet::default(),
        executions: 0,
        cut_short: 0,
        too_long: false,
    };
    let how = search.run();
    let executions = (search.executions, search.cut_short);
    let mut searched = ended(how, search.too_long, executions);
    let keys = search.exact.iter().map(|k| 24 + 8 * k.len());
    searched.memory = Some(16 * search.hashes.len() + keys.sum::<usize>());
    if filters.not_seen == Some(Compared::ByHash) {
        searched.open = Some("executions were told apart by hashes, which can collide (not-seen-before compares them \
            exactly)".into());
    }
    searched
}

impl FilteredSearch<'_, '_> {
    fn run(&mut self) -> Result<(), End> {
        for state in self.steps.initial()? {
            let next = Execution::begin(self.steps, &state)?;
            self.first += 1;
            self.visit(state, next, None, u128::from(self.first))?;
            while let Some(top) = self.nodes.last_mut() {
                self.steps.control.check()?;
                if let Some(outcome) = top.outcomes.next() {
                    self.step(&outcome)?;
                } else if let Some(thread) = top.threads.pop() {
                    // In this state, that is.
                    let state = &self.execution.states[self.execution.events.len()];
                    top.next[thread] = Next::of(self.steps, state, thread)?;
                    top.thread = thread;
                    top.outcomes = top.next[thread].outcomes.clone().into_iter();
                } else {
                    self.nodes.pop();
                    self.execution.back();
                }
            }
        }
        Ok(())
    }

    /// Takes a step of the present thread.
    fn step(&mut self, outcome: &Rc<Outcome>) -> Result<(), End> {
        let Some(top) = self.nodes.last() else {
            return Ok(());
        };
        let (thread, after) = (top.thread, &outcome.after);
        let (begun, hash) = (Rc::clone(&top.begun), top.hash);
        let step = (thread, outcome);
        let (next, _) = (self.execution).step(self.steps, &top.next, step, &[])?;
        let local =
            self.filters.local_cycles && local_cycle(self.steps, &self.execution, after).is_some();
        if local {
            // What comes next comes next without the cycle, too.
            let upto = self.execution.states.len();
            let behind = std::slice::from_ref(after);
            self.execution.look(self.steps, upto, behind);
            self.cut_short += 1;
            self.execution.events.pop();
            return Ok(());
        }
        if self.filters.depth.is_none() && self.execution.has_met(after) {
            return Err(End::Refused(endless(self.execution.events.len())));
        }
        let hash = match self.filters.not_seen {
            Some(Compared::ByHash) => hash.wrapping_add(self.hashed()),
            _ => hash,
        };
        self.visit(after.clone(), next, Some((thread, begun)), hash)
    }

    /// A state, come to by a step of a thread that is part of a super step.
    fn visit(
        &mut self,
        state: Vec<u64>,
        next: Pendings,
        by: Option<(ThreadId, Rc<RefCell<SuperNode>>)>,
        hash: u128,
    ) -> Result<(), End> {
        let upto = self.execution.states.len();
        (self.execution).look(self.steps, upto, std::slice::from_ref(&state));
        let enabled = |t: &ThreadId| next[*t].enabled;
        let mut threads: Vec<ThreadId> = (0..self.steps.threads()).rev().filter(enabled).collect();
        let depth = self.execution.events.len();
        if threads.is_empty() {
            self.executions += u64::from(self.is_new(hash));
        } else if self.filters.depth.is_some_and(|d| depth >= d) {
            self.too_long = true;
            threads.clear();
        }
        let begun = match by.filter(|(t, begun)| self.goes_on(*t, begun, &next[*t])) {
            Some((thread, begun)) if !threads.is_empty() => {
                if let Some((inside, last)) = begun.borrow_mut().steps.get_mut(thread) {
                    inside.add(&last.accessed, &last.written);
                    last.clone_from(&next[thread].accesses);
                }
                threads = vec![thread];
                begun
            }
            _ => {
                if self.hashes.len() + self.exact.len() > self.steps.control.budget().states {
                    return Err(Stop::States.into());
                }
                if !threads.is_empty() && !self.is_new(hash) {
                    self.cut_short += 1;
                    threads.clear();
                }
                let none = Accesses::none(self.steps.shared.len());
                let steps = next.iter().map(|n| (none.clone(), n.accesses.clone()));
                let steps = steps.collect();
                Rc::new(RefCell::new(SuperNode { steps }))
            }
        };
        self.execution.come_to(Rc::new(state));
        self.nodes.push(StackEntry {
            next,
            begun,
            threads,
            thread: 0,
            outcomes: Vec::new().into_iter(),
            hash,
        });
        Ok(())
    }

    /// Whether the super step that led here goes on.
    fn goes_on(&self, thread: ThreadId, begun: &RefCell<SuperNode>, next: &Next) -> bool {
        self.filters.super_step
            && next.outcomes.len() == 1
            && begun.borrow().extends(thread, &next.accesses)
    }

    /// Whether an execution that comes to a super node has not been there before.
    fn is_new(&mut self, hash: u128) -> bool {
        match self.filters.not_seen {
            None => true,
            Some(Compared::ByHash) => self.hashes.insert(hash),
            Some(Compared::Exactly) => {
                let mut events: Vec<&Event> = self.execution.events.iter().collect();
                events.sort_unstable_by_key(|e| (e.thread, e.number));
                let mut key = vec![i64::from(self.first)];
                for e in events {
                    self.told(e, &mut |v| key.push(v));
                }
                self.exact.insert(key)
            }
        }
    }

    /// All that tells an event from others in executions from the same state: what it did, and what happened before.
    fn told(&self, event: &Event, tell: &mut dyn FnMut(i64)) {
        let effect = self.steps.effect(event.thread, &event.outcome);
        tell(event.thread as i64);
        tell(effect.len() as i64);
        for (cell, value) in effect {
            tell(i64::from(cell));
            tell(value);
        }
        event.clock.iter().for_each(|&n| tell(i64::from(n)));
    }

    /// The hash of the last event.
    fn hashed(&self) -> u128 {
        let seeds = [0x9e37_79b9, 0x7f4a_7c15_u64];
        let mut halves = seeds;
        if let Some(event) = self.execution.events.last() {
            self.told(event, &mut |v| {
                for (half, seed) in halves.iter_mut().zip(seeds) {
                    *half = mix(*half ^ mix((v as u64).wrapping_add(seed)));
                }
            });
        }
        u128::from(halves[0]) << 64 | u128::from(halves[1])
    }
}
