//! What a worker sends: states go into boxes, one for each worker, and what was sent lately is not sent again.

use super::pulse::Pulse;
use crate::base::control::Stop;
use crate::engine::compiled::{OFTEN, Sink, Taken, Task, each_once};
use crate::engine::diagrams::mix;
use std::ops::ControlFlow;

/// Words of the memory for what was sent lately, if memory is not scarce.
const RECENT: usize = 1 << 17;

/// Which worker is responsible for a state. The sets of states use other bits of the hash.
#[inline]
pub(super) fn owner(state: &[u64], workers: usize) -> usize {
    let hash = state.iter().fold(0x9e37, |h, &word| mix(h ^ word));
    (((hash & 0xffff_ffff) * workers as u64) >> 32) as usize
}

/// What was sent lately, so that it is not sent again.
pub(super) struct Recent {
    words: Vec<u64>,
    wide: usize,
    mask: usize,
}

impl Recent {
    pub fn new(words: usize, most: usize) -> Self {
        let wide = 1 + words;
        let entries = (most.min(RECENT) / wide).max(2).next_power_of_two() / 2;
        Recent {
            // No record has these flags.
            words: vec![u64::MAX; entries * wide],
            wide,
            mask: entries - 1,
        }
    }

    /// Whether this was sent lately; it is now.
    #[inline]
    fn was_sent(&mut self, state: &[u64], flags: u64) -> bool {
        let hash = state.iter().fold(flags, |h, &word| mix(h ^ word));
        let at = ((hash >> 40) as usize & self.mask) * self.wide;
        let entry = &mut self.words[at..at + self.wide];
        if entry[0] == flags && entry[1..] == *state {
            return true;
        }
        entry[0] = flags;
        entry[1..].copy_from_slice(state);
        false
    }
}

/// What a state leads to goes into boxes, one for each worker.
pub(super) struct Spread<'s> {
    pub head: u64,
    pub boxes: &'s mut [Vec<u64>],
    pub recent: &'s mut Recent,
    pub taken: Taken,
    pub task: &'s Task<'s>,
    pub most: (u64, usize),
    pub pulse: (&'s Pulse, usize),
}

impl Sink for Spread<'_> {
    #[inline]
    fn send(&mut self, after: &[u64], flags: u64) -> ControlFlow<Stop> {
        self.taken.sent += 1;
        if !self.recent.was_sent(after, flags) {
            let to = &mut self.boxes[owner(after, self.boxes.len())];
            to.push(self.head | flags);
            to.extend_from_slice(after);
        }
        if self.taken.sent.is_multiple_of(OFTEN) {
            return self.look();
        }
        ControlFlow::Continue(())
    }

    fn pass(&mut self) -> ControlFlow<Stop> {
        self.taken.passed += 1;
        if self.taken.passed.is_multiple_of(OFTEN) {
            return self.look();
        }
        ControlFlow::Continue(())
    }
}

impl Spread<'_> {
    /// A state with very many steps: each successor is kept once, and the limits are.
    #[cold]
    fn look(&mut self) -> ControlFlow<Stop> {
        self.pulse.0.on(self.pulse.1);
        if let Err(stop) = self.task.control.check() {
            return ControlFlow::Break(stop);
        }
        if self.task.cost(self.taken) > self.most.0 {
            return ControlFlow::Break(Stop::Operations);
        }
        let wide = 1 + self.task.compiled.layout.words;
        let each = self.boxes.iter_mut().map(|sent| each_once(sent, 0, wide));
        if each.sum::<usize>() > self.most.1 {
            return ControlFlow::Break(Stop::States);
        }
        ControlFlow::Continue(())
    }
}
