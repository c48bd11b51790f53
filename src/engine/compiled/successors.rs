//! What one state leads to: steps, or coarse steps of the reduced system, written into boxes.

use super::layout::Layout;
use super::machine::{Machine, Step};
use super::search::{SHARDS, shard_of};
use super::task::{GOOD, IS_POINT, Task};
use crate::base::control::Stop;
use crate::engine::quotients::Symmetry;
use crate::engine::reach::{Blocked, Reduction};
use crate::model::program::ThreadId;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// After this many steps of one state, equal successors are merged and the limits are checked.
pub(crate) const OFTEN: u64 = 1 << 16;

/// Takes what a state leads to.
pub(crate) trait Sink {
    /// A state, with [`GOOD`] and [`IS_POINT`].
    fn send(&mut self, after: &[u64], flags: u64) -> ControlFlow<Stop>;

    /// A step to a state inside a coarse step that nobody asks for.
    fn pass(&mut self) -> ControlFlow<Stop>;
}

/// How many steps a state has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Taken {
    /// Those to states that are kept.
    pub sent: u64,
    /// The others.
    pub passed: u64,
}

/// Where the successors of one state are written, by shard.
pub(super) struct Sending<'s> {
    pub head: u64,
    pub wide: usize,
    /// How long the boxes were before.
    pub begins: [usize; SHARDS],
    pub boxes: &'s mut Vec<Vec<u64>>,
    pub taken: Taken,
    pub task: &'s Task<'s>,
    pub left: (u64, usize),
}

impl Sink for Sending<'_> {
    #[inline]
    fn send(&mut self, after: &[u64], flags: u64) -> ControlFlow<Stop> {
        let to = &mut self.boxes[shard_of(after)];
        to.push(self.head | flags);
        to.extend_from_slice(after);
        self.taken.sent += 1;
        if self.taken.sent.is_multiple_of(OFTEN) {
            return self.look();
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn pass(&mut self) -> ControlFlow<Stop> {
        self.taken.passed += 1;
        if self.taken.passed.is_multiple_of(OFTEN) {
            return self.look();
        }
        ControlFlow::Continue(())
    }
}

impl Sending<'_> {
    /// A state with very many steps: keeps each successor once, and the limits.
    #[cold]
    fn look(&mut self) -> ControlFlow<Stop> {
        if let Err(stop) = self.task.control.check() {
            return ControlFlow::Break(stop);
        }
        if self.task.cost(self.taken) > self.left.0 {
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
    let Some(reduction) = task.reduction else {
        for t in 0..task.program.threads.len() {
            machine.each_step(state, t, &mut |step| {
                let good = if step.good { GOOD | IS_POINT } else { 0 };
                sending.send(step.after, good)
            })?;
        }
        return ControlFlow::Continue(());
    };
    let mut coarse = Coarse {
        task,
        reduction,
        from: Vec::new(),
        next: Vec::new(),
        inside: Inside::default(),
        waiting: Vec::new(),
    };
    for t in 0..task.program.threads.len() {
        if reduction.visible[t][machine.location(state, t)] {
            coarse.run(machine, (t, state), &mut sending)?;
        }
    }
    ControlFlow::Continue(())
}

/// Coarse steps: a visible step of a thread, then its invisible ones.
struct Coarse<'r> {
    task: &'r Task<'r>,
    reduction: &'r Reduction,
    /// The state that is expanded.
    from: Vec<u64>,
    /// What it leads to: whether the step keeps the discipline, then the state.
    next: Vec<u64>,
    inside: Inside,
    /// Those behind steps that had others beside them, still to be expanded.
    waiting: Vec<Vec<u64>>,
}

impl Coarse<'_> {
    /// Sends what a thread's coarse steps from one state lead to.
    fn run<S: Sink>(
        &mut self,
        machine: &mut Machine,
        (thread, state): (ThreadId, &[u64]),
        sending: &mut Standing<S>,
    ) -> ControlFlow<Stop> {
        self.inside.clear();
        self.from.clear();
        self.from.extend_from_slice(state);
        loop {
            if let Err(stop) = self.task.control.check() {
                return ControlFlow::Break(stop);
            }
            self.step(machine, thread)?;
            let wide = 1 + state.len();
            let alone = self.next.len() == wide;
            let mut goes_on = false;
            for record in self.next.chunks_exact(wide) {
                let (good, after) = (record[0] != 0, &record[1..]);
                let ends = self.ends(machine, thread, after);
                let flags = match (good, ends) {
                    (false, _) => 0,
                    (true, false) => GOOD,
                    (true, true) => GOOD | IS_POINT,
                };
                match !good || ends || self.is_kept(machine, after) {
                    true => sending.send(after, flags)?,
                    false => sending.sink.pass()?,
                }
                if !good || ends || !self.inside.insert(after) {
                    continue;
                }
                match alone {
                    true => goes_on = true,
                    false => self.waiting.push(after.to_vec()),
                }
            }
            if goes_on {
                self.from.copy_from_slice(&self.next[1..]);
            } else if let Some(next) = self.waiting.pop() {
                self.from = next;
            } else {
                return ControlFlow::Continue(());
            }
        }
    }

    /// Finds what one step leads to, each once.
    fn step(&mut self, machine: &mut Machine, thread: ThreadId) -> ControlFlow<Stop> {
        let next = &mut self.next;
        next.clear();
        let wide = 1 + self.from.len();
        let mut met: FxHashSet<Vec<u64>> = FxHashSet::default();
        machine.each_step(&self.from, thread, &mut |step: Step| {
            let begin = next.len();
            next.push(u64::from(step.good));
            next.extend_from_slice(step.after);
            // Most steps are the only ones.
            if begin == wide {
                met.insert(next[..wide].to_vec());
            }
            if begin > 0 && !met.insert(next[begin..].to_vec()) {
                next.truncate(begin);
            }
            ControlFlow::Continue(())
        })?;
        ControlFlow::Continue(())
    }

    /// Whether a coarse step ends in a state.
    fn ends(&self, machine: &Machine, thread: ThreadId, state: &[u64]) -> bool {
        self.reduction.visible[thread][machine.location(state, thread)]
            || self.reduction.when_blocked == Blocked::Ends && !machine.is_enabled(state, thread)
    }

    /// Whether a state in which no coarse step ends is kept.
    fn is_kept(&self, machine: &Machine, state: &[u64]) -> bool {
        // The thread has a step, if its coarse step would end without.
        let may_be_dead = self.reduction.when_blocked != Blocked::Ends;
        self.task.inside || self.task.asks_for(machine, state, may_be_dead)
    }
}

/// States met inside the coarse steps of one thread from one state. They are few mostly, and to compare with few is
/// faster than to find it in a table.
#[derive(Default)]
struct Inside {
    few: Vec<u64>,
    many: FxHashSet<Vec<u64>>,
}

/// States that are compared one by one.
const FEW: usize = 32;

impl Inside {
    fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    /// Takes a state; whether it is new.
    fn insert(&mut self, state: &[u64]) -> bool {
        if self.few.chunks_exact(state.len()).any(|s| s == state) {
            return false;
        }
        if self.few.len() < FEW * state.len() {
            self.few.extend_from_slice(state);
            return true;
        }
        self.many.insert(state.to_vec())
    }
}
