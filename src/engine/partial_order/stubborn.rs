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
//! Deadlocks are kept by the sets alone. So that no thread is put off for ever (the ignoring problem), the search finds
//! the strongly connected components of what it explores (Tarjan 1972; Valmari 2017). If no step leads out of one, and
//! a thread that is enabled in it is never taken there, its first state is expanded once more, with that thread.

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
    /// By state, whether its component is complete.
    complete: Vec<bool>,
    /// The states whose components are not complete, as they were met.
    open: Vec<u32>,
    parents: Vec<u32>,
    stack: Vec<Record>,
    deadlocks: u64,
    /// States met inside coarse steps, too.
    inside: Option<Visited>,
}

struct Record {
    number: u32,
    next: Vec<(ThreadId, Vec<u64>)>,
    at: usize,
    /// The earliest state that is known to be in the same component.
    low: u32,
    /// The threads taken in the states of the component behind this one, and here.
    moved: Vec<bool>,
    /// Whether a step leads out of the component.
    leaves: bool,
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
        complete: Vec::new(),
        open: Vec::new(),
        parents: Vec::new(),
        stack: Vec::new(),
        deadlocks: 0,
    };
    let stopped = search.run().err();
    let bytes = search.visited.bytes()
        + search.complete.capacity()
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
            self.meet(&state, NOBODY, 0)?;
            while let Some(top) = self.stack.last_mut() {
                if let Some((thread, next)) = top.next.get_mut(top.at) {
                    top.at += 1;
                    let (thread, next, from) = (*thread, std::mem::take(next), top.number);
                    self.meet(&next, from, thread)?;
                } else if self.all_had_turns()? {
                    self.leave();
                }
            }
        }
        Ok(())
    }

    /// Takes the last state off the stack. Its component is complete if it is the first one of it.
    fn leave(&mut self) {
        let Some(last) = self.stack.pop() else {
            return;
        };
        let is_first = last.low == last.number;
        while is_first && self.open.last().is_some_and(|&n| n >= last.number) {
            let member = self.open.pop();
            member
                .into_iter()
                .for_each(|n| self.complete[n as usize] = true);
        }
        let Some(before) = self.stack.last_mut() else {
            return;
        };
        if is_first {
            before.leaves = true;
            return;
        }
        before.low = before.low.min(last.low);
        before.leaves |= last.leaves;
        let moved = before.moved.iter_mut().zip(last.moved);
        moved.for_each(|(all, some)| *all |= some);
    }

    /// Whether all threads that are enabled in the last state had their turn, or have it elsewhere. If not, one that
    /// had none is taken now.
    fn all_had_turns(&mut self) -> Result<bool, Stop> {
        let Some(last) = self.stack.last_mut() else {
            return Ok(true);
        };
        if last.leaves || last.low != last.number || last.next.is_empty() {
            return Ok(true);
        }
        let moved = std::mem::take(&mut last.moved);
        let mut state = vec![0; self.steps.compiled.layout.words];
        self.visited.state(last.number, &mut state);
        let mut next = self.expand(&state, 0, &moved)?;
        let all_moved = next.is_empty();
        if let Some(last) = self.stack.last_mut() {
            last.moved = moved;
            next.iter().for_each(|(t, _)| last.moved[*t] = true);
            last.next.append(&mut next);
        }
        Ok(all_moved)
    }

    /// A state that was come to; if it is new, its steps go onto the stack.
    fn meet(&mut self, state: &[u64], from: u32, by: ThreadId) -> Result<(), Stop> {
        let control = self.steps.control;
        if let Some(all) = &mut self.inside {
            all.insert(state, control)?;
        }
        let (number, fresh) = self.visited.insert(state, control)?;
        if !fresh {
            let complete = self.complete[number as usize];
            if let Some(before) = self.stack.last_mut() {
                before.leaves |= complete;
                before.low = before.low.min(if complete { before.low } else { number });
            }
            return Ok(());
        }
        if self.visited.len() > control.budget().states {
            return Err(Stop::States);
        }
        self.complete.push(false);
        self.open.push(number);
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
        let mut moved = vec![false; self.steps.threads()];
        let next = self.expand(state, by, &moved)?;
        next.iter().for_each(|(t, _)| moved[*t] = true);
        self.stack.push(Record {
            number,
            next,
            at: 0,
            low: number,
            moved,
            leaves: false,
        });
        Ok(())
    }

    /// The states behind the steps that are to be taken, with the threads. The set grows from a thread that has not
    /// `moved`; nothing if there is none that is enabled. Of equal sets the one is taken that has the thread `by`,
    /// whose step led here: it goes on alone as long as it can, and comes back to where it was soon if it is in a loop.
    fn expand(
        &mut self,
        state: &[u64],
        by: ThreadId,
        moved: &[bool],
    ) -> Result<Vec<(ThreadId, Vec<u64>)>, Stop> {
        let all: Vec<ThreadId> = self.steps.all().collect();
        let mut pending: Vec<Option<Pending>> = vec![None; all.len()];
        // Violations of a discipline are looked for in all pending steps.
        let in_turn = self.steps.program.protections.is_empty();
        for seed in (by..moved.len()).chain(0..by).filter(|_| in_turn) {
            if moved[seed] {
                continue;
            }
            let p = self.steps.pending(state, seed)?;
            let alone = |t: &ThreadId| *t == seed || !self.may_disturb(state, *t, &p);
            if p.is_enabled() && all.iter().all(alone) {
                return self.taken(vec![(seed, p)]);
            }
            pending[seed] = Some(p);
        }
        let mut known: Vec<(ThreadId, Pending)> = Vec::with_capacity(all.len());
        for (t, p) in all.into_iter().zip(pending) {
            let p = p.map_or_else(|| self.steps.pending(state, t), Ok)?;
            known.push((t, p));
        }
        let chosen = self.choose(state, &known, by, moved)?;
        let chosen = known.into_iter().zip(chosen).filter(|(_, c)| *c);
        self.taken(chosen.map(|(p, _)| p).collect())
    }

    /// The states behind these steps.
    fn taken(
        &mut self,
        steps: Vec<(ThreadId, Pending)>,
    ) -> Result<Vec<(ThreadId, Vec<u64>)>, Stop> {
        let mut next = Vec::new();
        for (t, p) in steps {
            if let Some(all) = &mut self.inside {
                for state in &p.inside {
                    all.insert(state, self.steps.control)?;
                }
            }
            next.extend(p.after.into_iter().map(|after| (t, after)));
        }
        self.steps.count(next.len() as u64)?;
        Ok(next)
    }

    /// Which of the pending threads are to be taken.
    fn choose(
        &mut self,
        state: &[u64],
        pending: &[(ThreadId, Pending)],
        by: ThreadId,
        moved: &[bool],
    ) -> Result<Vec<bool>, Stop> {
        let mut best: Option<(usize, Vec<bool>)> = None;
        let mut alone = vec![None; pending.len()];
        for seed in (by..moved.len()).chain(0..by) {
            let known = |(count, set): &(usize, Vec<bool>)| *count == 1 || set[seed];
            if moved[seed] || !pending[seed].1.is_enabled() || best.as_ref().is_some_and(known) {
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
