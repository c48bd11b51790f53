//! Which step of an execution happens before which: vector clocks, after Mattern 1989.

use crate::explore::core::Accesses;
use crate::program::ThreadId;

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
