//! Persistent and stubborn sets, with the states visited kept: Valmari 1991; Godefroid 1996, chapters 4 and 5.
//!
//! In each state some threads are chosen, and only their steps are taken. As long as the chosen threads do nothing, all
//! that the others do has to be independent of the pending steps of the chosen ones. The set grows from one thread, the
//! seed: a thread outside joins if it may ever do something that a pending step inside depends on. All seeds are tried,
//! and the smallest set is taken.
//!
//! Persistent sets know the others' futures only, from their text. Conditional stubborn sets look at the state too: a
//! thread that waits for a mutex is enabled by its owner only, and a thread outside whose future would disturb is run
//! from the state, to see whether it does so before a thread inside moves (two threads that meet at a barrier wait for
//! each other there). Where the figures of the literature have transitions, there are threads here, since a transition
//! further down a thread is enabled by those before it in any case; and an observer (see [`super::steps`]) joins like
//! any thread.
//!
//! Deadlocks are kept by the sets alone. So that no thread is put off for ever (the ignoring problem), a state all of
//! whose chosen steps lead back to the stack of the search is expanded in full.

use super::Searched;
use super::future::Futures;
use super::steps::{Pending, Steps};
use crate::base::control::Stop;
use crate::engine::compiled::{Accesses, Visited, meet};
use crate::model::program::ThreadId;

/// Which sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sets {
    Persistent,
    Stubborn,
}

/// The states of a search, with the ways to them.
struct StubbornSearch<'s, 'c> {
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
///
/// # Errors
/// As [`Futures::new`].
pub(super) fn explore(
    steps: &mut Steps,
    sets: Sets,
    looks: Vec<Accesses>,
) -> Result<Searched, Stop> {
    let words = steps.compiled.layout.words;
    let mut search = StubbornSearch {
        futures: Futures::new(steps.program, steps.shared, steps.control)?,
        inside: steps.is_reduced().then(|| Visited::new(words)),
        steps,
        sets,
        looks,
        visited: Visited::new(words),
        on_stack: Vec::new(),
        parents: Vec::new(),
        stack: Vec::new(),
        deadlocks: 0,
    };
    let stopped = search.run().err();
    let bytes = search.visited.bytes()
        + search.on_stack.capacity()
        + search.parents.capacity() * 4
        + search.inside.as_ref().map_or(0, Visited::bytes);
    Ok(Searched {
        states: Some(search.visited.len() as u64),
        visited: search.inside.as_ref().map(|all| all.len() as u64),
        deadlocks: Some(search.deadlocks),
        memory: Some(bytes),
        stopped,
        ..Searched::default()
    })
}

impl StubbornSearch<'_, '_> {
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
        let chosen = self.choose(state, &pending)?;
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
        self.steps.count(next.len() as u64)?;
        if let Some(all) = &mut self.inside {
            for state in pending.iter().flat_map(|(_, p)| &p.inside) {
                all.insert(state, self.steps.control)?;
            }
        }
        Ok(next)
    }

    /// Which of the pending threads are to be taken.
    fn choose(
        &mut self,
        state: &[u64],
        pending: &[(ThreadId, Pending)],
    ) -> Result<Vec<bool>, Stop> {
        let mut best: Option<(usize, Vec<bool>)> = None;
        let mut alone = vec![None; pending.len()];
        for (seed, (_, p)) in pending.iter().enumerate() {
            let known = |(count, set): &(usize, Vec<bool>)| *count == 1 || set[seed];
            if !p.is_enabled() || best.as_ref().is_some_and(known) {
                continue;
            }
            let set = self.close(state, pending, seed, &mut alone)?;
            let enabled = (set.iter().zip(pending)).filter(|(s, (_, p))| **s && p.is_enabled());
            let count = enabled.count();
            if best.as_ref().is_none_or(|(least, _)| count < *least) {
                best = Some((count, set));
            }
        }
        Ok(best.map_or(vec![false; pending.len()], |(_, set)| set))
    }

    /// The least set of threads with this one that is persistent.
    fn close(
        &mut self,
        state: &[u64],
        pending: &[(ThreadId, Pending)],
        seed: usize,
        alone: &mut [Option<Alone>],
    ) -> Result<Vec<bool>, Stop> {
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
                if set[other] {
                    continue;
                }
                let joins = match holder {
                    Some(holder) => *t == holder,
                    None => {
                        self.may_disturb(state, *t, p)
                            && !self.keeps_away(state, pending, (other, p), &set, alone)?
                    }
                };
                if joins {
                    set[other] = true;
                    waiting.push(other);
                }
            }
        }
        Ok(set)
    }

    /// Whether a thread may ever do something that a pending step depends on, as far as the text goes.
    fn may_disturb(&self, state: &[u64], thread: ThreadId, pending: &Pending) -> bool {
        let Some(observer) = thread.checked_sub(self.steps.threads()) else {
            return self
                .future(state, thread)
                .is_some_and(|future| disturbs(future, pending));
        };
        pending.is_enabled() && pending.accesses.conflicts(&self.looks[observer])
    }

    /// What a thread may still access; nothing if it can never go on.
    fn future(&self, state: &[u64], thread: ThreadId) -> Option<&Accesses> {
        let at = self.steps.location(state, thread);
        let stuck = self.steps.is_stuck(state, thread);
        (!stuck).then(|| self.futures.from(thread, at))
    }

    /// Whether a thread, run from this state, does nothing that a pending step depends on before a thread of the set
    /// moves. It is run alone, and that is all it can do if no other thread outside the set can write what it accesses.
    fn keeps_away(
        &mut self,
        state: &[u64],
        pending: &[(ThreadId, Pending)],
        (other, p): (usize, &Pending),
        set: &[bool],
        alone: &mut [Option<Alone>],
    ) -> Result<bool, Stop> {
        let thread = pending[other].0;
        if self.sets == Sets::Persistent || thread >= self.steps.threads() {
            return Ok(false);
        }
        if alone[other].is_none() {
            alone[other] = Some(Alone(self.run_alone(state, thread)?));
        }
        let Some(Alone(Some(own))) = &alone[other] else {
            return Ok(false);
        };
        let mut outside = pending
            .iter()
            .enumerate()
            .filter(|(n, (t, _))| *n != other && !set[*n] && *t < self.steps.threads());
        let writes = |f: &Accesses| meet(&f.written, &own.accessed);
        Ok(!disturbs(own, p)
            && !outside.any(|(_, (t, _))| self.future(state, *t).is_some_and(writes)))
    }

    /// What a thread accesses if only it is run; none if it comes to too many states.
    fn run_alone(&mut self, state: &[u64], thread: ThreadId) -> Result<Option<Accesses>, Stop> {
        let mut own = Accesses::none(self.steps.shared.len());
        let mut all = vec![state.to_vec()];
        let mut n = 0;
        while let Some(from) = all.get(n).cloned() {
            n += 1;
            if all.len() > ALONE {
                return Ok(None);
            }
            let pending = self.steps.pending(&from, thread)?;
            own.add(&pending.accesses.accessed, &pending.accesses.written);
            for after in pending.after {
                if !all.contains(&after) {
                    all.push(after);
                }
            }
        }
        Ok(Some(own))
    }
}

/// What a thread accesses if only it is run, if that is known.
#[derive(Clone)]
struct Alone(Option<Accesses>);

/// States up to which a thread is run alone.
const ALONE: usize = 32;

/// Whether such accesses would disturb a pending step. A disabled step stays disabled until something that it read is
/// written.
fn disturbs(accesses: &Accesses, pending: &Pending) -> bool {
    match pending.is_enabled() {
        true => pending.accesses.conflicts(accesses),
        false => meet(&pending.accesses.accessed, &accesses.written),
    }
}
