//! What one state leads to: steps, or coarse steps of the reduced system, written into boxes.

use super::layout::Layout;
use super::machine::{Machine, Step};
use super::search::{SHARDS, shard_of};
use super::task::{GOOD, IS_POINT, Task};
use crate::base::control::{Control, Stop};
use crate::engine::quotients::Symmetry;
use crate::engine::reach::Blocked;
use crate::model::program::{LocId, ThreadId};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// After this many steps of one state, equal successors are merged and the limits are checked.
pub(crate) const OFTEN: u64 = 1 << 16;

/// Takes what a state leads to.
pub(crate) trait Sink {
    /// A state, with [`GOOD`] and [`IS_POINT`].
    fn send(&mut self, after: &[u64], flags: u64) -> ControlFlow<Stop>;
}

/// Where the successors of one state are written, by shard.
pub(super) struct Sending<'s> {
    pub head: u64,
    pub wide: usize,
    /// How long the boxes were before.
    pub begins: [usize; SHARDS],
    pub boxes: &'s mut Vec<Vec<u64>>,
    pub transitions: u64,
    pub dear: u64,
    pub left: (u64, usize),
    pub control: &'s Control,
}

impl Sink for Sending<'_> {
    #[inline]
    fn send(&mut self, after: &[u64], flags: u64) -> ControlFlow<Stop> {
        let to = &mut self.boxes[shard_of(after)];
        to.push(self.head | flags);
        to.extend_from_slice(after);
        self.transitions += 1;
        if self.transitions.is_multiple_of(OFTEN) {
            return self.look();
        }
        ControlFlow::Continue(())
    }
}

impl Sending<'_> {
    /// A state with very many steps: keeps each successor once, and the limits.
    #[cold]
    fn look(&mut self) -> ControlFlow<Stop> {
        if let Err(stop) = self.control.check() {
            return ControlFlow::Break(stop);
        }
        if self.transitions * self.dear > self.left.0 {
            return ControlFlow::Break(Stop::Operations);
        }
        let mut different = 0;
        for (sent, &begin) in self.boxes.iter_mut().zip(&self.begins) {
            different += each_once(sent, begin, self.wide);
        }
        if different > self.left.1 {
            return ControlFlow::Break(Stop::States);
        }
        ControlFlow::Continue(())
    }
}

/// Keeps each record of a box once, from a place on; how many there are.
pub(crate) fn each_once(sent: &mut Vec<u64>, begin: usize, wide: usize) -> usize {
    let mut records: Vec<Vec<u64>> = sent[begin..]
        .chunks_exact(wide)
        .map(<[u64]>::to_vec)
        .collect();
    records.sort_unstable();
    records.dedup();
    sent.truncate(begin);
    sent.extend(records.iter().flatten());
    records.len()
}

/// Puts the one state of several in their place that stands for them, if one does.
struct Standing<'s, S> {
    sink: &'s mut S,
    symmetry: Option<(&'s Symmetry, &'s Layout, Vec<u64>)>,
}

impl<S: Sink> Standing<'_, S> {
    #[inline]
    fn send(&mut self, after: &[u64], flags: u64) -> ControlFlow<Stop> {
        match &mut self.symmetry {
            None => self.sink.send(after, flags),
            Some((symmetry, layout, room)) => {
                room.copy_from_slice(after);
                layout.sort(symmetry, room);
                self.sink.send(room, flags)
            }
        }
    }
}

/// Sends what a state leads to.
pub(crate) fn successors<S: Sink>(
    task: &Task,
    machine: &mut Machine,
    state: &[u64],
    sink: &mut S,
) -> ControlFlow<Stop> {
    let layout = &task.compiled.layout;
    let mut sending = Standing {
        sink,
        symmetry: task.symmetry.map(|s| (s, layout, vec![0; layout.words])),
    };
    for t in 0..task.program.threads.len() {
        let Some(reduction) = task.reduction else {
            machine.each_step(state, t, &mut |step| {
                let good = if step.good { GOOD | IS_POINT } else { 0 };
                sending.send(step.after, good)
            })?;
            continue;
        };
        if reduction.visible[t][machine.location(state, t)] {
            let mut coarse = Coarse {
                thread: t,
                visible: &reduction.visible[t],
                when_blocked: reduction.when_blocked,
                control: task.control,
                inside: FxHashSet::default(),
                waiting: Vec::new(),
            };
            let mut now = Some(state.to_vec());
            while let Some(from) = now {
                coarse.step(machine, &from, &mut sending)?;
                now = coarse.waiting.pop();
            }
        }
    }
    ControlFlow::Continue(())
}

/// A coarse step under way: a visible step of a thread, then its invisible ones.
struct Coarse<'r> {
    thread: ThreadId,
    visible: &'r [bool],
    when_blocked: Blocked,
    control: &'r Control,
    inside: FxHashSet<Vec<u64>>,
    waiting: Vec<Vec<u64>>,
}

impl Coarse<'_> {
    /// Sends what one step leads to, and remembers from where to go on.
    fn step<S: Sink>(
        &mut self,
        machine: &mut Machine,
        from: &[u64],
        sending: &mut Standing<S>,
    ) -> ControlFlow<Stop> {
        if let Err(stop) = self.control.check() {
            return ControlFlow::Break(stop);
        }
        let mut after: FxHashSet<(Vec<u64>, bool)> = FxHashSet::default();
        let mut all: Vec<(Vec<u64>, bool)> = Vec::new();
        machine.each_step(from, self.thread, &mut |step: Step| {
            let next = (step.after.to_vec(), step.good);
            if after.insert(next.clone()) {
                all.push(next);
            }
            ControlFlow::Continue(())
        })?;
        for (state, good) in all {
            let l: LocId = machine.location(&state, self.thread);
            let ends = self.visible[l]
                || self.when_blocked == Blocked::Ends && !machine.is_enabled(&state, self.thread);
            let flags = match (good, ends) {
                (false, _) => 0,
                (true, false) => GOOD,
                (true, true) => GOOD | IS_POINT,
            };
            sending.send(&state, flags)?;
            if good && !ends && self.inside.insert(state.clone()) {
                self.waiting.push(state);
            }
        }
        ControlFlow::Continue(())
    }
}
