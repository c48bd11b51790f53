//! An execution under way: which of its steps happens before which, by vector clocks (Mattern 1989), and whether a
//! thread has come back to its own state unnoticed (Florian 2010, section 4.2.3).

use super::execution::Execution;
use super::steps::{Outcome, Steps};
use crate::base::control::Stop;
use crate::engine::compiled::Accesses;
use crate::model::program::ThreadId;
use std::rc::Rc;

/// A thread's pending step, as far as the others are concerned.
pub(super) struct Next {
    pub accesses: Accesses,
    pub enabled: bool,
    /// What decides which outcomes there are, besides their own guards.
    pub closed: Vec<u64>,
    /// What it leads to, in the state in which it was last looked at.
    pub outcomes: Vec<Rc<Outcome>>,
}

impl Next {
    /// Of a thread, or an observer, in a state.
    ///
    /// # Errors
    /// As [`Steps::pending`].
    pub fn of(steps: &mut Steps, state: &[u64], thread: ThreadId) -> Result<Rc<Self>, Stop> {
        let pending = steps.pending(state, thread)?;
        Ok(Rc::new(Next {
            enabled: pending.is_enabled(),
            outcomes: pending.outcomes().map(Rc::new).collect(),
            accesses: pending.accesses,
            closed: pending.closed,
        }))
    }
}

/// Why a search ended before its end.
pub(super) enum End {
    Stopped(Stop),
    Refused(String),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        End::Stopped(stop)
    }
}

/// Why a model is refused whose executions need not end.
pub(super) fn endless(steps: usize) -> String {
    format!(
        "executions do not end (one comes back to a state it was in, after {steps} steps): give a bound with \
         `--depth`, or use a technique that keeps states"
    )
}

/// By thread, how many of its events there are.
pub(super) type Clock = Vec<u32>;

/// A step that was taken.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub thread: ThreadId,
    pub outcome: Rc<Outcome>,
    /// What decided which choices there were.
    closed: Accesses,
    /// The accesses of steps that sleep where this event is taken, and that are changed or gone behind it.
    forgone: Accesses,
    /// The events that happen before it, and itself.
    pub clock: Clock,
    /// Its number among those of its thread, from 1.
    pub number: u32,
}

impl Event {
    /// A thread's pending step, with this outcome, behind other events.
    pub fn new(
        before: &[Event],
        thread: ThreadId,
        (outcome, closed, forgone): (Rc<Outcome>, Accesses, Accesses),
        threads: usize,
    ) -> Self {
        let mut clock = happened(before, thread, threads);
        for e in before.iter().rev() {
            if clock[e.thread] < e.number && e.accesses().conflicts(&outcome.accesses) {
                clock
                    .iter_mut()
                    .zip(&e.clock)
                    .for_each(|(c, e)| *c = (*c).max(*e));
            }
        }
        clock[thread] += 1;
        Event {
            thread,
            outcome,
            closed,
            forgone,
            number: clock[thread],
            clock,
        }
    }

    pub fn accesses(&self) -> &Accesses {
        &self.outcome.accesses
    }

    /// Whether a pending step of another thread could make a difference if it were taken before this event: to the
    /// event, by giving its thread another choice; or to a step that sleeps, and that can follow both only if the
    /// pending one comes first.
    pub fn races(&self, next: &Accesses) -> bool {
        let mut all = [self.accesses(), &self.closed, &self.forgone].into_iter();
        all.any(|own| own.conflicts(next))
    }
}

/// What happened before the next step of a thread, whichever it is.
pub(super) fn happened(events: &[Event], thread: ThreadId, threads: usize) -> Clock {
    let last = events.iter().rev().find(|e| e.thread == thread);
    last.map_or_else(|| vec![0; threads], |e| e.clock.clone())
}

/// What the thread of the last event accessed since it was in its present state before, if no other thread can have
/// noticed that it was away: then its steps in between can be moved together, to where they change nothing.
///
/// The source asks for more: that no shared variable is changed on the way, even if it is changed back.
pub(super) fn local_cycle(steps: &Steps, execution: &Execution, after: &[u64]) -> Option<Accesses> {
    let events = &execution.events;
    let thread = events.last()?.thread;
    let mut own = Accesses::none(steps.shared.len());
    let mut others = own.clone();
    for (n, event) in events.iter().enumerate().rev() {
        let (with, against) = match event.thread == thread {
            true => (&mut own, &others),
            false => (&mut others, &own),
        };
        // Not even what might have been done otherwise may be disturbed.
        let mut all = event.accesses().clone();
        all.add(&event.closed.accessed, &[]);
        if all.conflicts(against) {
            return None;
        }
        with.add(&all.accessed, &all.written);
        if event.thread == thread && steps.agree(&execution.states[n], after, thread, &own) {
            return Some(own);
        }
    }
    None
}
