//! Persistent and stubborn sets, with the states visited kept: Valmari 1991; Godefroid 1996, chapters 4 and 5.
//!
//! In each state some threads are chosen such that whatever the others do, for as long as the chosen ones do nothing, is independent of the
//! chosen ones' pending steps; only the chosen ones' steps are taken. One thread is the seed; a thread joins as long as one
//! outside may ever do what a pending step inside depends on. The smallest such set is taken, of all seeds.
//!
//! Persistent sets know the others' futures only. Conditional stubborn sets look at the state too: a thread that waits for
//! a mutex is enabled by its owner only. Where the figures of the literature have transitions, there are threads here, since a
//! transition further down a thread is enabled by those before it in any case; and an observer (see [`super::steps`]) joins like any thread.
//!
//! Deadlocks are kept by the sets alone. So that no thread is put off for ever (the ignoring problem), a state all of whose
//! chosen steps lead back to the stack of the search is expanded in full.

use super::Searched;
use super::future::Futures;
use super::steps::{Pending, Steps};
use crate::control::Stop;
use crate::explore::core::{Accesses, Visited, meet};
use crate::program::ThreadId;

/// Which sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sets {
    Persistent,
    Stubborn,
}

/// The states of a search, with the ways to them.
struct Search<'s, 'c> {
    steps: &'s mut Steps<'c>,
    sets: Sets,
    futures: Futures,
    /// By observer what its condition may read.
    looks: Vec<Accesses>,
    visited: Visited,
    on_stack: Vec<bool>,
    parents: Vec<u32>,
    stack: Vec<Record>,
    deadlocks: u64,
    /// States met inside coarse steps, too.
    inside: Option<Visited>,
}

struct Record {
    number: u32,
    next: Vec<Vec<u64>>,
    at: usize,
}

const NOBODY: u32 = u32::MAX;

/// Explores with such sets.
pub(super) fn explore(steps: &mut Steps, sets: Sets, looks: Vec<Accesses>) -> Searched {
    let mut searched = Searched::default();
    let futures = match Futures::new(steps.program, steps.shared, steps.control) {
        Ok(futures) => futures,
        Err(stop) => {
            searched.stopped = Some(stop);
            return searched;
        }
    };
    let words = steps.compiled.layout.words;
    let inside = steps.is_reduced().then(|| Visited::new(words));
    let mut search = Search {
        steps,
        sets,
        futures,
        looks,
        visited: Visited::new(words),
        on_stack: Vec::new(),
        parents: Vec::new(),
        stack: Vec::new(),
        deadlocks: 0,
        inside,
    };
    searched.stopped = search.run().err();
    searched.states = Some(search.visited.len() as u64);
    searched.visited = search.inside.as_ref().map(|all| all.len() as u64);
    searched.deadlocks = Some(search.deadlocks);
    searched.memory = search.visited.bytes()
        + search.on_stack.capacity()
        + search.parents.capacity() * 4
        + search.inside.as_ref().map_or(0, Visited::bytes);
    searched
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<(), Stop> {
        for state in self.steps.initial()? {
            self.meet(&state, NOBODY)?;
            while let Some(top) = self.stack.last_mut() {
                let Some(next) = top.next.get(top.at).cloned() else {
                    let number = top.number;
                    self.on_stack[number as usize] = false;
                    self.stack.pop();
                    continue;
                };
                top.at += 1;
                let from = top.number;
                self.meet(&next, from)?;
            }
        }
        Ok(())
    }

    /// A state that was come to; if it is new, its steps go onto the stack.
    fn meet(&mut self, state: &[u64], from: u32) -> Result<(), Stop> {
        let control = self.steps.control;
        if let Some(all) = &mut self.inside {
            all.insert(state, control)?;
        }
        let (number, fresh) = self.visited.insert(state, control)?;
        if !fresh {
            return Ok(());
        }
        if self.visited.len() > control.budget().states {
            return Err(Stop::States);
        }
        self.on_stack.push(true);
        self.parents.push(from);
        let (visited, parents) = (&self.visited, &self.parents);
        let dead = self.steps.look(state, || {
            let mut way = Vec::new();
            let mut present = number;
            while present != NOBODY {
                let mut state = vec![0; state.len()];
                visited.state(present, &mut state);
                way.push(state);
                present = parents[present as usize];
            }
            way.reverse();
            way
        });
        self.deadlocks += u64::from(dead);
        let next = self.expand(state)?;
        self.stack.push(Record {
            number,
            next,
            at: 0,
        });
        Ok(())
    }

    /// The states behind the steps that are to be taken.
    fn expand(&mut self, state: &[u64]) -> Result<Vec<Vec<u64>>, Stop> {
        let pending: Vec<(ThreadId, Pending)> = self
            .steps
            .all()
            .map(|t| Ok((t, self.steps.pending(state, t)?)))
            .collect::<Result<_, Stop>>()?;
        self.steps.violated |= pending.iter().any(|(_, p)| p.violates);
        let chosen = self.choose(state, &pending);
        let after = |only: &dyn Fn(usize) -> bool| -> Vec<&Vec<u64>> {
            let some = pending.iter().enumerate().filter(|(n, _)| only(*n));
            some.flat_map(|(_, (_, p))| &p.after).collect()
        };
        let mut next = after(&|n| chosen[n]);
        // Some step has to lead off the stack, or all are taken.
        let mut leads_on = false;
        for &s in &next {
            let known = self.visited.find(s);
            leads_on |= known.is_none_or(|n| !self.on_stack[n as usize]);
        }
        if !leads_on {
            next = after(&|_| true);
        }
        let next: Vec<Vec<u64>> = next.into_iter().cloned().collect();
        self.steps.count(next.len())?;
        if let Some(all) = &mut self.inside {
            for state in pending.iter().flat_map(|(_, p)| &p.inside) {
                all.insert(state, self.steps.control)?;
            }
        }
        Ok(next)
    }

    /// Which of the pending threads are to be taken.
    fn choose(&self, state: &[u64], pending: &[(ThreadId, Pending)]) -> Vec<bool> {
        let mut best: Option<(usize, Vec<bool>)> = None;
        for (seed, (_, p)) in pending.iter().enumerate() {
            if !p.is_enabled() || best.as_ref().is_some_and(|(_, b)| b[seed]) {
                continue;
            }
            let set = self.close(state, pending, seed);
            let enabled = (set.iter().zip(pending)).filter(|(s, (_, p))| **s && p.is_enabled());
            let count = enabled.count();
            if best.as_ref().is_none_or(|(least, _)| count < *least) {
                best = Some((count, set));
            }
        }
        best.map_or(vec![false; pending.len()], |(_, set)| set)
    }

    /// The least set of threads with this one that is persistent.
    fn close(&self, state: &[u64], pending: &[(ThreadId, Pending)], seed: usize) -> Vec<bool> {
        let mut set = vec![false; pending.len()];
        set[seed] = true;
        let mut waiting = vec![seed];
        while let Some(inside) = waiting.pop() {
            let (_, p) = &pending[inside];
            let holder = match self.sets {
                Sets::Stubborn if !p.is_enabled() => self.steps.holder(state, &p.accesses),
                _ => None,
            };
            for (other, (t, _)) in pending.iter().enumerate() {
                let joins = match holder {
                    Some(holder) => *t == holder,
                    None => self.may_disturb(state, *t, p),
                };
                if joins && !set[other] {
                    set[other] = true;
                    waiting.push(other);
                }
            }
        }
        set
    }

    /// Whether a thread may ever do something that a pending step depends on.
    fn may_disturb(&self, state: &[u64], thread: ThreadId, pending: &Pending) -> bool {
        let Some(observer) = thread.checked_sub(self.steps.threads()) else {
            if self.steps.is_stuck(state, thread) {
                return false;
            }
            let at = self.steps.location(state, thread);
            let future = self.futures.from(thread, at);
            return match pending.is_enabled() {
                true => pending.accesses.conflicts(future),
                // It stays disabled until something that it read is written.
                false => meet(&pending.accesses.accessed, &future.written),
            };
        };
        pending.is_enabled() && pending.accesses.conflicts(&self.looks[observer])
    }
}
