//! The execution under way, for techniques that keep no states: its events, and the states between them.

use super::Searched;
use super::happens::{End, Event, Next};
use super::steps::{Outcome, Steps};
use crate::base::control::Stop;
use crate::engine::compiled::Accesses;
use crate::model::program::ThreadId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The pending steps of all threads, observers behind the threads.
pub(super) type Pendings = Vec<Rc<Next>>;

/// An execution under way.
#[derive(Default)]
pub(super) struct Execution {
    pub events: Vec<Event>,
    /// One more than there are events, once it has begun.
    pub states: Vec<Rc<Vec<u64>>>,
    /// How often each state lies on it.
    present: FxHashMap<Rc<Vec<u64>>, u32>,
}

impl Execution {
    /// What is pending in its first state.
    ///
    /// # Errors
    /// As [`Steps::pending`].
    pub fn begin(steps: &mut Steps, state: &[u64]) -> Result<Pendings, Stop> {
        let all = 0..steps.threads() + steps.observers();
        all.map(|t| Next::of(steps, state, t)).collect()
    }

    /// Adds a step of a thread, where by thread these choices sleep. What is pending behind it, and of whom that is not
    /// what it was before, or new to what has happened.
    ///
    /// # Errors
    /// As [`Steps::pending`] and [`Steps::count`].
    pub fn step(
        &mut self,
        steps: &mut Steps,
        pending: &Pendings,
        (thread, outcome): (ThreadId, &Rc<Outcome>),
        sleep: &[Vec<Accesses>],
    ) -> Result<(Pendings, Vec<ThreadId>), Stop> {
        steps.count(1)?;
        let none = Accesses::none(steps.shared.len());
        let (mut closed, mut forgone) = (none.clone(), none);
        closed.add(&pending[thread].closed, &[]);
        // A sleeping step is taken elsewhere, but perhaps not with the steps that may come before it. These have to be
        // tried before this step, which blocks or changes it.
        for (t, sleeping) in sleep.iter().enumerate() {
            for s in sleeping {
                if t == thread || s.conflicts(&outcome.accesses) {
                    forgone.add(&s.accessed, &s.written);
                }
            }
        }
        let step = (Rc::clone(outcome), closed, forgone);
        let event = Event::new(&self.events, thread, step, steps.threads());
        let (mut next, mut changed) = (pending.clone(), Vec::new());
        for (t, n) in next.iter_mut().enumerate() {
            // What does not depend on the step is as it was.
            if t == thread || event.races(&n.accesses) {
                *n = Next::of(steps, &outcome.after, t)?;
                changed.push(t);
            }
        }
        self.events.push(event);
        Ok((next, changed))
    }

    /// Adds the state that the last step has led to.
    pub fn come_to(&mut self, state: Rc<Vec<u64>>) {
        *self.present.entry(Rc::clone(&state)).or_insert(0) += 1;
        self.states.push(state);
    }

    /// Whether it has been in a state.
    pub fn has_met(&self, state: &Vec<u64>) -> bool {
        self.present.contains_key(state)
    }

    /// Takes back the last step, if its state was added.
    pub fn back(&mut self) {
        if let Some(state) = self.states.pop()
            && let Some(n) = self.present.get_mut(&state)
        {
            *n -= 1;
            if *n == 0 {
                self.present.remove(&state);
            }
        }
        self.events.pop();
    }

    /// Looks for answers in a next state, on a way from the state of this number.
    pub fn look(&self, steps: &mut Steps, upto: usize, behind: &[Vec<u64>]) {
        let Some(last) = behind.last() else {
            return;
        };
        steps.look(last, || {
            let before = self.states[..upto].iter().map(|s| s.to_vec());
            before.chain(behind.iter().cloned()).collect()
        });
    }
}

/// The findings of a search that has ended; `cut` says that executions were too long.
pub(super) fn ended(how: Result<(), End>, cut: bool, executions: (u64, u64)) -> Searched {
    let mut searched = Searched {
        executions: Some(executions),
        ..Searched::default()
    };
    match how {
        Ok(()) if cut => searched.stopped = Some(Stop::Depth),
        Ok(()) => {}
        Err(End::Stopped(stop)) => searched.stopped = Some(stop),
        Err(End::Refused(why)) => searched.refused = Some(why),
    }
    searched
}
