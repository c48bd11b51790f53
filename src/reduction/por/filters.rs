//! Executions with filters, algorithm 2 of Florian 2010 (chapter 4): from what is to be explored next, each filter takes away what it can.
//!
//! An execution is represented by what happens before what in it: its events, each with its vector clock. `not-seen-before` goes on
//! from equal representations once; a sum of hashes of events stands for them, which grows with each event and does not depend on their order,
//! or the representations themselves do, since hashes can collide. `super-step` follows one thread for as long as nobody else is concerned:
//! of the steps of two threads from one *super node*, at most the last ones are dependent. `local-cycles` cuts executions in which a
//! thread has come back to its own state unnoticed.
//!
//! Where this differs from the source: the threads that are disabled in a super node are looked at too, and observers, since guards and
//! questions here can depend on several variables: a step that touches what they read ends its super step, so that "enables" need not be asked.
//! A thread that chooses ends its super step. Representations are compared in super nodes only: inside a super step one thread
//! is followed, and the same execution may come to be a super node elsewhere. Executions are run depth first.

use super::Searched;
use super::happens::{End, Event, Next, endless, local_cycle};
use super::steps::Steps;
use crate::control::Stop;
use crate::explore::core::Accesses;
use crate::explore::diagrams::mix;
use crate::program::ThreadId;
use rustc_hash::{FxHashMap, FxHashSet};
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

/// What stands for an execution.
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

struct Node {
    state: Rc<Vec<u64>>,
    next: Vec<Rc<Next>>,
    /// The super node that its super step began in.
    begun: Rc<RefCell<SuperNode>>,
    /// Threads that are still to be run, the last one first.
    threads: Vec<ThreadId>,
    /// The thread that is being run, and what else its step leads to.
    thread: ThreadId,
    outcomes: Vec<Vec<u64>>,
    taken: usize,
    /// The sum of the hashes of the events.
    hash: u128,
}

struct Search<'s, 'c> {
    steps: &'s mut Steps<'c>,
    filters: Filters,
    events: Vec<Event>,
    nodes: Vec<Node>,
    present: FxHashMap<Rc<Vec<u64>>, u32>,
    /// The initial state, by number.
    first: u32,
    hashes: FxHashSet<u128>,
    exact: FxHashSet<Vec<u32>>,
    executions: u64,
    cut_short: u64,
    too_long: bool,
}

/// Runs the executions that the filters leave.
pub(super) fn explore(steps: &mut Steps, filters: Filters) -> Searched {
    let mut searched = Searched::default();
    let mut search = Search {
        steps,
        filters,
        events: Vec::new(),
        nodes: Vec::new(),
        present: FxHashMap::default(),
        first: 0,
        hashes: FxHashSet::default(),
        exact: FxHashSet::default(),
        executions: 0,
        cut_short: 0,
        too_long: false,
    };
    match search.run() {
        Ok(()) if search.too_long => searched.stopped = Some(Stop::Depth),
        Ok(()) => {}
        Err(End::Stopped(stop)) => searched.stopped = Some(stop),
        Err(End::Refused(why)) => searched.refused = Some(why),
    }
    searched.executions = Some((search.executions, search.cut_short));
    let keys = search.exact.iter().map(|k| 24 + 4 * k.len());
    searched.memory = Some(16 * search.hashes.len() + keys.sum::<usize>());
    if filters.not_seen == Some(Compared::ByHash) {
        searched.open = Some("executions were told apart by hashes, which can collide (not-seen-before compares them exactly)".into());
    }
    searched
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<(), End> {
        for state in self.steps.initial()? {
            let mut next = Vec::new();
            for t in 0..self.steps.threads() + self.steps.observers() {
                next.push(Next::of(self.steps, &state, t)?);
            }
            self.events.clear();
            self.first += 1;
            self.visit(state, next, None, u128::from(self.first))?;
            while let Some(top) = self.nodes.last_mut() {
                self.steps.control.check()?;
                if let Some(after) = top.outcomes.get(top.taken).cloned() {
                    top.taken += 1;
                    self.step(after)?;
                } else if let Some(thread) = top.threads.pop() {
                    let state = Rc::clone(&top.state);
                    let pending = self.steps.pending(&state, thread)?;
                    if let Some(top) = self.nodes.last_mut() {
                        (top.thread, top.outcomes, top.taken) = (thread, pending.after, 0);
                    }
                } else {
                    self.back();
                }
            }
        }
        Ok(())
    }

    fn back(&mut self) {
        if let Some(node) = self.nodes.pop()
            && let Some(n) = self.present.get_mut(&node.state)
        {
            *n -= 1;
            if *n == 0 {
                self.present.remove(&node.state);
            }
        }
        self.events.pop();
    }

    /// Takes a step of the present thread.
    fn step(&mut self, after: Vec<u64>) -> Result<(), End> {
        let Some(top) = self.nodes.last() else {
            return Ok(());
        };
        let thread = top.thread;
        let done = Rc::clone(&top.next[thread]);
        let (begun, hash) = (Rc::clone(&top.begun), top.hash);
        let mut next = top.next.clone();
        let threads = self.steps.threads();
        let event = Event::new(&self.events, thread, top.taken - 1, &done.accesses, threads);
        self.steps.count(1)?;
        for (t, n) in next.iter_mut().enumerate() {
            if t == thread || n.accesses.conflicts(&done.accesses) {
                *n = Next::of(self.steps, &after, t)?;
            }
        }
        let hash = hash.wrapping_add(hashed(&event));
        self.events.push(event);
        let before = |n: usize| self.nodes[n].state.as_slice();
        let local = self.filters.local_cycles
            && local_cycle(self.steps, &self.events, before, &after).is_some();
        if local {
            // What comes next comes next without the cycle, too.
            let nodes = &self.nodes;
            self.steps.look(&after, || way(nodes, &after));
            self.cut_short += 1;
            self.events.pop();
            return Ok(());
        }
        if self.filters.depth.is_none() && self.present.contains_key(&after) {
            return Err(End::Refused(endless(self.events.len())));
        }
        self.visit(after, next, Some((thread, begun)), hash)
    }

    /// A state, come to by a step of a thread that is part of a super step.
    fn visit(
        &mut self,
        state: Vec<u64>,
        next: Vec<Rc<Next>>,
        by: Option<(ThreadId, Rc<RefCell<SuperNode>>)>,
        hash: u128,
    ) -> Result<(), End> {
        let nodes = &self.nodes;
        self.steps.look(&state, || way(nodes, &state));
        let enabled = |t: &ThreadId| next[*t].enabled;
        let mut threads: Vec<ThreadId> = (0..self.steps.threads()).rev().filter(enabled).collect();
        if threads.is_empty() {
            self.executions += u64::from(self.is_new(hash));
        } else if self.filters.depth.is_some_and(|d| self.events.len() >= d) {
            self.too_long = true;
            threads.clear();
        }
        let begun = match by.filter(|(t, begun)| self.goes_on(&state, *t, begun, &next[*t])) {
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
        let state = Rc::new(state);
        *self.present.entry(Rc::clone(&state)).or_insert(0) += 1;
        self.nodes.push(Node {
            state,
            next,
            begun,
            threads,
            thread: 0,
            outcomes: Vec::new(),
            taken: 0,
            hash,
        });
        Ok(())
    }

    /// Whether the super step that led here goes on.
    fn goes_on(
        &mut self,
        state: &[u64],
        thread: ThreadId,
        begun: &RefCell<SuperNode>,
        next: &Next,
    ) -> bool {
        self.filters.super_step
            && next.enabled
            && begun.borrow().extends(thread, &next.accesses)
            && (self.steps.pending(state, thread)).is_ok_and(|p| p.after.len() == 1)
    }

    /// Whether an execution that comes to a super node has not been there before.
    fn is_new(&mut self, hash: u128) -> bool {
        match self.filters.not_seen {
            None => true,
            Some(Compared::ByHash) => self.hashes.insert(hash),
            Some(Compared::Exactly) => {
                let mut events: Vec<&Event> = self.events.iter().collect();
                events.sort_unstable_by_key(|e| (e.thread, e.number));
                let mut key = vec![self.first];
                for e in events {
                    key.extend([e.thread as u32, e.outcome as u32]);
                    key.extend(&e.clock);
                }
                self.exact.insert(key)
            }
        }
    }
}

/// The states of an execution, and one more.
fn way(nodes: &[Node], last: &[u64]) -> Vec<Vec<u64>> {
    let before = nodes.iter().map(|n| n.state.to_vec());
    before.chain([last.to_vec()]).collect()
}

/// The hash of an event: all that tells it from others in executions from the same state.
fn hashed(event: &Event) -> u128 {
    let half = |seed: u64| {
        let head = [event.thread as u64, event.outcome as u64];
        let clock = event.clock.iter().map(|&n| u64::from(n));
        head.into_iter()
            .chain(clock)
            .fold(seed, |h, v| mix(h ^ mix(v.wrapping_add(seed))))
    };
    u128::from(half(0x9e37_79b9)) << 64 | u128::from(half(0x7f4a_7c15))
}
