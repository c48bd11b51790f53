//! Executions one after another, no states kept: sleep sets (Godefroid 1996, chapter 5), and source-set dynamic
//! partial-order reduction with sleep sets (Abdulla, Aronis, Jonsson and Sagonas 2014, algorithm 1).
//!
//! Two executions are equivalent if one becomes the other by exchanging neighbouring independent steps. Sleep sets
//! alone run one complete execution of each class, but begin many more. Source sets begin with one thread in each state
//! and add others where a race shows that they have to come first.
//!
//! Where this differs from the source: threads may be disabled. Races are looked for between a step and the *pending*
//! step of every thread, enabled or not (Flanagan and Godefroid 2005). The steps that lead to the reversal are run, to
//! see whether the thread is enabled there. If it is not, all threads are added, unless no thread could ever enable it
//! before the step that it races with (for a mutex only its owner could). In that case the pending step may still be
//! possible if the step that blocks it is not taken; so it races with earlier steps, on all that it might have read
//! before these. An execution is complete if no thread is enabled, and superfluous if all enabled threads sleep.
//!
//! With `local-cycles` a thread that has come back to its own state, while no other thread noticed, waits until
//! something that it read in between is written.

use super::Searched;
use super::execution::{Execution, Pendings, ended};
use super::future::Futures;
use super::happens::{Clock, End, Next, endless, happened, local_cycle};
use super::steps::{Outcome, Steps};
use crate::base::control::Stop;
use crate::engine::compiled::{Accesses, meet};
use crate::model::program::ThreadId;
use std::rc::Rc;

/// How executions are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stateless {
    /// By source sets; else all enabled threads are run that do not sleep.
    pub source: bool,
    pub local_cycles: bool,
    pub depth: Option<usize>,
}

/// What sleeps of a thread: the outcomes of its pending step with these accesses.
type Sleeping = Vec<Accesses>;

/// A state on the present execution.
struct StackEntry {
    /// By thread, observers behind the threads.
    next: Pendings,
    sleep: Vec<Sleeping>,
    backtrack: Vec<bool>,
    /// The thread that is being run, and what else its step leads to.
    thread: Option<ThreadId>,
    outcomes: std::vec::IntoIter<Rc<Outcome>>,
}

struct StatelessSearch<'s, 'c> {
    steps: &'s mut Steps<'c>,
    how: Stateless,
    futures: Futures,
    /// By observer what its condition may read.
    looks: Vec<Accesses>,
    execution: Execution,
    nodes: Vec<StackEntry>,
    executions: u64,
    redundant: u64,
    cut: bool,
}

/// Runs all executions that have to be run.
///
/// # Errors
/// As [`Futures::new`].
pub(super) fn explore(
    steps: &mut Steps,
    how: Stateless,
    looks: Vec<Accesses>,
) -> Result<Searched, Stop> {
    let mut search = StatelessSearch {
        futures: Futures::new(steps.program, steps.shared, steps.control)?,
        steps,
        how,
        looks,
        execution: Execution::default(),
        nodes: Vec::new(),
        executions: 0,
        redundant: 0,
        cut: false,
    };
    let how = search.run();
    Ok(ended(
        how,
        search.cut,
        (search.executions, search.redundant),
    ))
}

impl StatelessSearch<'_, '_> {
    fn run(&mut self) -> Result<(), End> {
        for state in self.steps.initial()? {
            let next = Execution::begin(self.steps, &state)?;
            let sleep = vec![Vec::new(); next.len()];
            self.push(state, next, sleep);
            while !self.nodes.is_empty() {
                self.steps.control.check()?;
                self.go_on()?;
            }
        }
        Ok(())
    }

    /// The next step of the search: an outcome, a thread, or back.
    fn go_on(&mut self) -> Result<(), End> {
        let Some(top) = self.nodes.last_mut() else {
            return Ok(());
        };
        if let Some(outcome) = top.outcomes.next() {
            return self.step(&outcome);
        }
        // What the present thread leads to is known now: it sleeps from here on.
        if let Some(thread) = top.thread.take() {
            let outcomes = top.next[thread].outcomes.iter();
            top.sleep[thread] = outcomes.map(|o| o.accesses.clone()).collect();
            top.sleep[thread].dedup();
        }
        let n = self.nodes.len() - 1;
        let waiting = |t: &ThreadId| self.nodes[n].backtrack[*t] && self.is_awake(n, *t);
        match (0..self.steps.threads()).find(waiting) {
            Some(thread) => {
                // In this state, that is.
                let state = Rc::clone(&self.execution.states[n]);
                self.nodes[n].next[thread] = Next::of(self.steps, &state, thread)?;
                let all = self.nodes[n].next[thread].outcomes.iter();
                let awake: Vec<Rc<Outcome>> = all
                    .filter(|o| !self.sleeps(n, thread, &o.accesses))
                    .cloned()
                    .collect();
                self.nodes[n].thread = Some(thread);
                self.nodes[n].outcomes = awake.into_iter();
            }
            None => {
                self.nodes.pop();
                self.execution.back();
            }
        }
        Ok(())
    }

    /// Whether an outcome of a thread's pending step sleeps in the state of a node. Outcomes with the same accesses do
    /// so together: a step that opens or closes one of them, or changes what it does, wakes all.
    fn sleeps(&self, n: usize, thread: ThreadId, accesses: &Accesses) -> bool {
        self.nodes[n].sleep[thread].contains(accesses)
    }

    /// Whether a thread has a step to take that does not sleep.
    fn is_awake(&self, n: usize, thread: ThreadId) -> bool {
        let next = &self.nodes[n].next[thread];
        next.enabled && !(next.outcomes.iter()).all(|o| self.sleeps(n, thread, &o.accesses))
    }

    /// Takes a step of the present thread.
    fn step(&mut self, outcome: &Rc<Outcome>) -> Result<(), End> {
        let Some(top) = self.nodes.last() else {
            return Ok(());
        };
        let Some(thread) = top.thread else {
            return Ok(());
        };
        let mut sleep = top.sleep.clone();
        let step = (thread, outcome);
        let (mut next, changed) = (self.execution).step(self.steps, &top.next, step, &sleep)?;
        sleep[thread].clear();
        for sleeping in &mut sleep {
            sleeping.retain(|s| !s.conflicts(&outcome.accesses));
        }
        let cycle = match self.how.local_cycles {
            true => local_cycle(self.steps, &self.execution, &outcome.after),
            false => None,
        };
        let local = cycle.is_some();
        if let Some(mut accesses) = cycle {
            let own = &next[thread].accesses;
            accesses.add(&own.accessed, &own.written);
            next[thread] = Rc::new(Next {
                accesses,
                enabled: false,
                closed: Vec::new(),
                outcomes: Vec::new(),
            });
        }
        if !local && self.how.depth.is_none() && self.execution.has_met(&outcome.after) {
            return Err(End::Refused(endless(self.execution.events.len())));
        }
        self.push(outcome.after.clone(), next, sleep);
        if self.how.source {
            // If no thread can go on, disabled threads also race with all that has happened since they were disabled.
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

    fn push(&mut self, state: Vec<u64>, next: Pendings, sleep: Vec<Sleeping>) {
        let upto = self.execution.states.len();
        (self.execution).look(self.steps, upto, std::slice::from_ref(&state));
        let threads = self.steps.threads();
        self.execution.come_to(Rc::new(state));
        self.nodes.push(StackEntry {
            next,
            sleep,
            backtrack: vec![false; threads],
            thread: None,
            outcomes: Vec::new().into_iter(),
        });
        let n = self.nodes.len() - 1;
        let first = (0..threads).find(|&t| self.is_awake(n, t));
        let node = &mut self.nodes[n];
        let any = node.next[..threads].iter().any(|next| next.enabled);
        let depth = self.execution.events.len();
        let too_long = self.how.depth.is_some_and(|d| depth >= d);
        match first {
            None if any => self.redundant += 1,
            None => self.executions += 1,
            Some(_) if too_long => self.cut = true,
            Some(first) if self.how.source => node.backtrack[first] = true,
            Some(_) => node.backtrack.fill(true),
        }
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
        let mut past: Clock = happened(&self.execution.events, thread, self.steps.threads());
        let (mut accesses, mut wide) = (next.accesses.clone(), false);
        for n in (0..self.execution.events.len()).rev() {
            let event = &self.execution.events[n];
            let known = past[event.thread] >= event.number;
            if known || event.thread == thread || !event.races(&accesses) {
                continue;
            }
            let reversed = match wide {
                true => self.try_all(n, thread)?,
                false => self.reverse(n, thread, &next)?,
            };
            if reversed {
                // What happened before it races with it, and is found when it does.
                let event = &self.execution.events[n];
                past.iter_mut()
                    .zip(&event.clock)
                    .for_each(|(p, e)| *p = (*p).max(*e));
            } else if !wide {
                // Where it is disabled, too, it may have read what it does not read here.
                accesses.add(&self.mentions(thread).accessed, &[]);
                wide = accesses != next.accesses;
            }
        }
        Ok(())
    }

    /// What a thread's pending step, or an observer, may access, no matter what the others have done.
    fn mentions(&self, thread: ThreadId) -> Accesses {
        let state = self.execution.states.last();
        match (thread.checked_sub(self.steps.threads()), state) {
            (Some(observer), _) => self.looks[observer].clone(),
            (None, Some(state)) => self.steps.mentions(state, thread),
            (None, None) => Accesses::none(self.steps.shared.len()),
        }
    }

    /// The events behind one that do not happen after it.
    fn without(&self, n: usize) -> Vec<usize> {
        let events = &self.execution.events;
        let (event, behind) = (&events[n], n + 1..events.len());
        behind
            .filter(|&k| events[k].clock[event.thread] < event.number)
            .collect()
    }

    /// The states in which these events follow each other, from where another one was taken.
    fn redo(&mut self, n: usize, events: &[usize]) -> Result<Vec<Vec<u64>>, End> {
        let mut way = vec![self.execution.states[n].to_vec()];
        for &k in events {
            let (event, from) = (&self.execution.events[k], &way[way.len() - 1]);
            let after = self.steps.redone(from, event.thread, &event.outcome);
            let pending = self.steps.pending(from, event.thread)?;
            // An outcome that is no more would be a dependence that is not known of.
            if !pending.after.contains(&after) {
                return Err(End::Refused(
                    "a step changed with one that it is independent of: this is a bug in coarsen"
                        .into(),
                ));
            }
            way.push(after);
        }
        Ok(way)
    }

    /// Has all threads tried before an event. If a thread's pending step, disabled there, could still never be enabled
    /// before the event, it does nothing and says false.
    ///
    /// Of what followed, only what led to the pending step is sure to be done first.
    fn try_all(&mut self, n: usize, thread: ThreadId) -> Result<bool, End> {
        let events = &self.execution.events;
        let past = happened(events, thread, self.steps.threads());
        let mut own = self.without(n);
        own.retain(|&k| past[events[k].thread] >= events[k].number);
        let racing = events[n].thread;
        let way = self.redo(n, &own)?;
        let state = &way[way.len() - 1];
        let may = self.steps.pending(state, thread)?.is_enabled()
            || self.may_be_enabled(state, thread, racing)?;
        if may {
            self.nodes[n].backtrack.fill(true);
        }
        Ok(may)
    }

    /// Has a thread's pending step tried before an event; false if that is impossible.
    fn reverse(&mut self, n: usize, thread: ThreadId, next: &Rc<Next>) -> Result<bool, End> {
        let without = self.without(n);
        // A thread that has not moved since is as it was. A disabled one may do more where it is enabled.
        let mut accesses = next.accesses.clone();
        let same = Rc::ptr_eq(&self.nodes[n].next[thread], next);
        if !(same && next.enabled) {
            let way = self.redo(n, &without)?;
            self.execution.look(self.steps, n, &way);
            let state = &way[way.len() - 1];
            let pending = self.steps.pending(state, thread)?;
            if thread >= self.steps.threads() {
                return Ok(self.steps.is_answered(thread) || self.try_all(n, thread)?);
            }
            if !pending.is_enabled() {
                return self.try_all(n, thread);
            }
            accesses = pending.accesses;
        }
        // Who can begin what leads to the reversal, and whether that sleeps.
        let events = &self.execution.events;
        let mut initials: Vec<(ThreadId, bool)> = Vec::new();
        for (before, &k) in without.iter().enumerate() {
            let e = &events[k];
            let earlier = without[..before].iter().map(|&b| &events[b]);
            if earlier.into_iter().all(|b| e.clock[b.thread] < b.number) {
                initials.push((e.thread, self.sleeps(n, e.thread, e.accesses())));
            }
        }
        let past = happened(events, thread, self.steps.threads());
        let free = without.iter().all(|&b| {
            let b = &events[b];
            past[b.thread] < b.number && !b.accesses().conflicts(&accesses)
        });
        if free {
            initials.insert(0, (thread, !self.is_awake(n, thread)));
        }
        let node = &mut self.nodes[n];
        // A thread that waits there since it has come back to its state begins nothing, though the event may have let
        // it go on.
        initials.retain(|&(t, _)| node.next[t].enabled);
        let covered = |&(t, sleeps): &(ThreadId, bool)| node.backtrack[t] || sleeps;
        match initials.first() {
            None => node.backtrack.fill(true),
            Some(_) if initials.iter().any(covered) => {}
            Some(&(first, _)) => node.backtrack[first] = true,
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
