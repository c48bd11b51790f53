//! An execution under way: which of its steps happens before which, by vector clocks (Mattern 1989), and whether a thread has come back to
//! its own state unnoticed (Florian 2010, section 4.2.3).

use super::steps::Steps;
use crate::control::Stop;
use crate::explore::core::Accesses;
use crate::program::ThreadId;
use std::rc::Rc;

/// A thread's pending step, as far as the others are concerned.
pub(super) struct Next {
    pub accesses: Accesses,
    pub enabled: bool,
}

impl Next {
    /// Of a thread, or an observer, in a state.
    ///
    /// # Errors
    /// As [`Steps::pending`].
    pub fn of(steps: &mut Steps, state: &[u64], thread: ThreadId) -> Result<Rc<Self>, Stop> {
        let pending = steps.pending(state, thread)?;
        steps.violated |= pending.violates;
        Ok(Rc::new(Next {
            enabled: pending.is_enabled(),
            accesses: pending.accesses,
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
        "executions do not end (one comes back to a state it was in, after {steps} steps): give a bound with `--depth`, or use a technique that keeps states"
    )
}

/// By thread, how many of its events there are.
pub(super) type Clock = Vec<u32>;

/// A step that was taken.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub thread: ThreadId,
    /// Which of the outcomes.
    pub outcome: usize,
    pub accesses: Accesses,
    /// The events that happen before it, and itself.
    pub clock: Clock,
    /// Its number among those of its thread, from 1.
    pub number: u32,
}

impl Event {
    /// A step behind others, of one of so many threads.
    pub fn new(
        before: &[Event],
        thread: ThreadId,
        outcome: usize,
        accesses: &Accesses,
        threads: usize,
    ) -> Self {
        let mut clock = happened(before, thread, threads);
        for e in before.iter().rev() {
            if clock[e.thread] < e.number && e.accesses.conflicts(accesses) {
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
            accesses: accesses.clone(),
            number: clock[thread],
            clock,
        }
    }
}

/// What happened before whatever a thread does next.
pub(super) fn happened(events: &[Event], thread: ThreadId, threads: usize) -> Clock {
    let last = events.iter().rev().find(|e| e.thread == thread);
    last.map_or_else(|| vec![0; threads], |e| e.clock.clone())
}

/// What the thread of the last event accessed since it was in its present state before, if nobody can have noticed that it was away: then
/// its steps in between can be moved together, to where they change nothing. `before` gives the state before an event.
///
/// The source asks for more: that no shared variable is changed on the way, even if it is changed back.
pub(super) fn local_cycle<'s>(
    steps: &Steps,
    events: &[Event],
    before: impl Fn(usize) -> &'s [u64],
    after: &[u64],
) -> Option<Accesses> {
    let thread = events.last()?.thread;
    let mut own = Accesses::none(steps.shared.len());
    let mut others = own.clone();
    for (n, event) in events.iter().enumerate().rev() {
        let (with, against) = match event.thread == thread {
            true => (&mut own, &others),
            false => (&mut others, &own),
        };
        if event.accesses.conflicts(against) {
            return None;
        }
        with.add(&event.accesses.accessed, &event.accesses.written);
        if event.thread == thread && steps.agree(before(n), after, thread, &own) {
            return Some(own);
        }
    }
    None
}
