//! Executions one after another, no states kept: sleep sets (Godefroid 1996, chapter 5), and source-set dynamic partial-order reduction with
//! sleep sets (Abdulla, Aronis, Jonsson and Sagonas 2014, algorithm 1).
//!
//! Two executions are equivalent if one becomes the other by exchanging neighbouring independent steps. Sleep sets alone run one complete
//! execution of each class, but begin many more. Source sets begin with one thread in each state and add others where a race shows that
//! they have to come first.
//!
//! Where this differs from the source: threads may be disabled. A race is looked for between a step and the *pending* step of every
//! thread, enabled or not (Flanagan and Godefroid 2005), and what leads to its reversal is run to see whether the thread is enabled there. If it
//! is not, all threads are added, unless nobody could ever enable it before the step that it races with (for a mutex only its owner
//! could). A complete execution is one in which no thread is enabled; superfluous is one whose enabled threads all sleep.
//!
//! With `local-cycles` a thread that has come back to its own state, without anybody having noticed, waits until something that it
//! read in between is written.

use super::Searched;
use super::future::Futures;
use super::happens::{Clock, End, Event, Next, endless, happened, local_cycle};
use super::steps::Steps;
use crate::control::Stop;
use crate::explore::core::meet;
use crate::program::ThreadId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How executions are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stateless {
    /// By source sets; else all enabled threads are run that do not sleep.
    pub source: bool,
    pub local_cycles: bool,
    pub depth: Option<usize>,
}

/// A state on the present execution.
struct Node {
    state: Rc<Vec<u64>>,
    /// By thread, observers behind the threads.
    next: Vec<Rc<Next>>,
    sleep: Vec<bool>,
    backtrack: Vec<bool>,
    /// The thread that is being run, and what else its step leads to.
    thread: ThreadId,
    outcomes: Vec<Vec<u64>>,
    taken: usize,
}

struct Search<'s, 'c> {
    steps: &'s mut Steps<'c>,
    how: Stateless,
    futures: Futures,
    events: Vec<Event>,
    nodes: Vec<Node>,
    /// How often each state lies on the present execution.
    present: FxHashMap<Rc<Vec<u64>>, u32>,
    executions: u64,
    redundant: u64,
    cut: bool,
}

/// Runs all executions that have to be run.
pub(super) fn explore(steps: &mut Steps, how: Stateless) -> Searched {
    let mut searched = Searched::default();
    let futures = match Futures::new(steps.program, steps.shared, steps.control) {
        Ok(futures) => futures,
        Err(stop) => {
            searched.stopped = Some(stop);
            return searched;
        }
    };
    let mut search = Search {
        steps,
        how,
        futures,
        events: Vec::new(),
        nodes: Vec::new(),
        present: FxHashMap::default(),
        executions: 0,
        redundant: 0,
        cut: false,
    };
    match search.run() {
        Ok(()) if search.cut => searched.stopped = Some(Stop::Depth),
        Ok(()) => {}
        Err(End::Stopped(stop)) => searched.stopped = Some(stop),
        Err(End::Refused(why)) => searched.refused = Some(why),
    }
    searched.executions = Some((search.executions, search.redundant));
    searched
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<(), End> {
        for state in self.steps.initial()? {
            self.begin(state)?;
            while !self.nodes.is_empty() {
                self.steps.control.check()?;
                self.go_on()?;
            }
            self.events.clear();
        }
        Ok(())
    }

    /// The next step of the search: an outcome, a thread, or back.
    fn go_on(&mut self) -> Result<(), End> {
        let Some(top) = self.nodes.last_mut() else {
            return Ok(());
        };
        if let Some(after) = top.outcomes.get(top.taken).cloned() {
            top.taken += 1;
            return self.step(after);
        }
        // What the present thread leads to is known now: it sleeps from here on.
        if !top.outcomes.is_empty() {
            top.sleep[top.thread] = true;
            top.outcomes.clear();
        }
        let waiting = |t: &ThreadId| top.backtrack[*t] && !top.sleep[*t] && top.next[*t].enabled;
        match (0..self.steps.threads()).find(waiting) {
            Some(thread) => {
                let state = Rc::clone(&top.state);
                let pending = self.steps.pending(&state, thread)?;
                if let Some(top) = self.nodes.last_mut() {
                    top.thread = thread;
                    top.outcomes = pending.after;
                    top.taken = 0;
                }
            }
            None => self.back(),
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

    fn begin(&mut self, state: Vec<u64>) -> Result<(), End> {
        let count = self.steps.threads() + self.steps.observers();
        let mut next = Vec::with_capacity(count);
        for t in 0..count {
            next.push(Next::of(self.steps, &state, t)?);
        }
        self.push(state, next, vec![false; count])
    }

    /// Takes a step of the present thread.
    fn step(&mut self, after: Vec<u64>) -> Result<(), End> {
        let top = self.nodes.len() - 1;
        let thread = self.nodes[top].thread;
        let done = Rc::clone(&self.nodes[top].next[thread]);
        let outcome = self.nodes[top].taken - 1;
        self.steps.count(1)?;
        let event = Event::new(
            &self.events,
            thread,
            outcome,
            &done.accesses,
            self.steps.threads(),
        );
        self.events.push(event);
        // What does not depend on the step is as it was.
        let mut next = self.nodes[top].next.clone();
        let mut sleep = self.nodes[top].sleep.clone();
        let mut changed = Vec::new();
        for t in 0..next.len() {
            let touched = t == thread || next[t].accesses.conflicts(&done.accesses);
            if touched {
                next[t] = Next::of(self.steps, &after, t)?;
                changed.push(t);
            }
            sleep[t] &= !touched;
        }
        let cycle = match self.how.local_cycles {
            true => {
                let before = |n: usize| self.nodes[n].state.as_slice();
                local_cycle(self.steps, &self.events, before, &after)
            }
            false => None,
        };
        let local = cycle.is_some();
        if let Some(mut accesses) = cycle {
            let own = &next[thread].accesses;
            accesses.add(&own.accessed, &own.written);
            next[thread] = Rc::new(Next {
                accesses,
                enabled: false,
            });
        }
        if !local && self.how.depth.is_none() && self.present.contains_key(&after) {
            return Err(End::Refused(endless(self.events.len())));
        }
        self.push(after, next, sleep)?;
        if self.how.source {
            // Where nobody goes on, threads that are disabled race with all that has happened since they were disabled, too.
            let over = self
                .nodes
                .last()
                .is_some_and(|n| !n.backtrack.contains(&true));
            let of = |t: &ThreadId| self.nodes.last().is_some_and(|n| !n.next[*t].enabled);
            let disabled = (0..self.steps.threads()).filter(|t| over && of(t));
            let late: Vec<ThreadId> = disabled.filter(|t| !changed.contains(t)).collect();
            for t in changed.into_iter().chain(late) {
                self.races(t)?;
            }
        }
        Ok(())
    }

    fn push(&mut self, state: Vec<u64>, next: Vec<Rc<Next>>, sleep: Vec<bool>) -> Result<(), End> {
        let state = Rc::new(state);
        let nodes = &self.nodes;
        self.steps.look(&state, || {
            let before = nodes.iter().map(|n| n.state.to_vec());
            before.chain([state.to_vec()]).collect()
        });
        let threads = self.steps.threads();
        let enabled = |t: &ThreadId| next[*t].enabled;
        let mut backtrack = vec![false; threads];
        let first = (0..threads).filter(enabled).find(|&t| !sleep[t]);
        let any = (0..threads).any(|t| enabled(&t));
        let too_long = self.how.depth.is_some_and(|d| self.events.len() >= d);
        match first {
            None if any => self.redundant += 1,
            None => self.executions += 1,
            Some(_) if too_long => self.cut = true,
            Some(first) if self.how.source => backtrack[first] = true,
            Some(_) => backtrack.fill(true),
        }
        *self.present.entry(Rc::clone(&state)).or_insert(0) += 1;
        self.nodes.push(Node {
            state,
            next,
            sleep,
            backtrack,
            thread: 0,
            outcomes: Vec::new(),
            taken: 0,
        });
        Ok(())
    }

    /// The races between what has happened and a thread's pending step.
    fn races(&mut self, thread: ThreadId) -> Result<(), End> {
        if thread >= self.steps.threads() && self.steps.is_answered(thread) {
            return Ok(());
        }
        let Some(node) = self.nodes.last() else {
            return Ok(());
        };
        let next = Rc::clone(&node.next[thread]);
        let mut past: Clock = happened(&self.events, thread, self.steps.threads());
        for n in (0..self.events.len()).rev() {
            let event = &self.events[n];
            let known = past[event.thread] >= event.number;
            if known || event.thread == thread || !event.accesses.conflicts(&next.accesses) {
                continue;
            }
            if self.reverse(n, thread, &next)? {
                // What happened before it races with it, and is found when it does.
                let event = &self.events[n];
                past.iter_mut()
                    .zip(&event.clock)
                    .for_each(|(p, e)| *p = (*p).max(*e));
            }
        }
        Ok(())
    }

    /// Sees to it that a thread's pending step is tried before an event; false if that can't be.
    fn reverse(&mut self, n: usize, thread: ThreadId, next: &Rc<Next>) -> Result<bool, End> {
        let event = &self.events[n];
        let without: Vec<usize> = (n + 1..self.events.len())
            .filter(|&k| self.events[k].clock[event.thread] < event.number)
            .collect();
        let racing = event.thread;
        // A thread that has not moved since is as it was; one that was disabled may do more where it is not.
        let mut accesses = next.accesses.clone();
        let same = Rc::ptr_eq(&self.nodes[n].next[thread], next);
        if !(same && next.enabled) {
            let mut way = Vec::new();
            let mut state = self.nodes[n].state.to_vec();
            for &k in &without {
                let Event {
                    thread, outcome, ..
                } = self.events[k];
                let pending = self.steps.pending(&state, thread)?;
                // An outcome that is no more would be a dependence that is not known of.
                let Some(after) = pending.after.into_iter().nth(outcome) else {
                    return Err(End::Refused("a step changed with one that it is independent of: this is a bug in coarsen".into()));
                };
                state = after;
                way.push(state.clone());
            }
            let nodes = &self.nodes;
            self.steps.look(&state, || {
                let before = nodes[..=n].iter().map(|n| n.state.to_vec());
                before.chain(way.clone()).collect()
            });
            let is_thread = thread < self.steps.threads();
            let pending = self.steps.pending(&state, thread)?;
            if !is_thread || !pending.is_enabled() {
                if is_thread || !self.steps.is_answered(thread) {
                    if !self.may_be_enabled(&state, thread, racing)? {
                        return Ok(false);
                    }
                    let node = &mut self.nodes[n];
                    node.backtrack.fill(true);
                }
                return Ok(true);
            }
            accesses = pending.accesses;
        }
        // Who can begin what leads to the reversal.
        let mut initials: Vec<ThreadId> = Vec::new();
        let mut seen: Vec<usize> = Vec::new();
        for &k in &without {
            let e = &self.events[k];
            let free =
                (seen.iter()).all(|&b| e.clock[self.events[b].thread] < self.events[b].number);
            if free {
                initials.push(e.thread);
            }
            seen.push(k);
        }
        let past = happened(&self.events, thread, self.steps.threads());
        let free = seen.iter().all(|&b| {
            let b = &self.events[b];
            past[b.thread] < b.number && !b.accesses.conflicts(&accesses)
        });
        if free {
            initials.insert(0, thread);
        }
        let node = &mut self.nodes[n];
        if initials
            .iter()
            .all(|&t| !node.backtrack[t] && !node.sleep[t])
            && let Some(&first) = initials.first()
        {
            node.backtrack[first] = true;
        }
        Ok(true)
    }

    /// Whether a thread that is disabled in a state could be enabled by the others while one of them does nothing.
    fn may_be_enabled(
        &mut self,
        state: &[u64],
        thread: ThreadId,
        except: ThreadId,
    ) -> Result<bool, Stop> {
        let threads = self.steps.threads();
        let mut asked = vec![false; threads];
        let mut waiting = vec![thread];
        while let Some(t) = waiting.pop() {
            let pending = self.steps.pending(state, t)?;
            let holder = self.steps.holder(state, &pending.accesses);
            let others = (0..threads).filter(|&u| u != t && u != except);
            for u in others.collect::<Vec<_>>() {
                if asked[u] || self.steps.is_stuck(state, u) {
                    continue;
                }
                let future = self.futures.from(u, self.steps.location(state, u));
                let helps = match holder {
                    Some(holder) => holder == u,
                    None => meet(&future.written, &pending.accesses.accessed),
                };
                if !helps {
                    continue;
                }
                asked[u] = true;
                if self.steps.pending(state, u)?.is_enabled() {
                    return Ok(true);
                }
                waiting.push(u);
            }
        }
        Ok(false)
    }
}
