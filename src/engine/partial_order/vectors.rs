//! Cartesian vectors: Gueta, Flanagan, Yahav and Sagiv 2007, `CalcCV` (figure 6).
//!
//! From a state each thread runs by itself, for as long as what it does is independent of what the others do in their
//! own runs; only the last steps of two runs may depend on each other. Such a run, called a prefix, may be taken as one
//! step: an execution that goes through a prefix to its end leads to the same state if it begins with that prefix.
//!
//! Where it differs from the figure, as printed: a step that depends on one of another prefix, other than the last,
//! ends the prefix in front of it (the figure adds it, which Definition 2 forbids, and so does Example 2); all steps of
//! an infinite prefix count as such, since it has no last one; a step with several outcomes ends the prefix, behind
//! each of them. A thread that waits or has ended loops. Its prefix is extended only when no other can be; then it is
//! known to be infinite.

use super::steps::{Pending, Steps};
use crate::base::control::Stop;
use crate::engine::compiled::Accesses;
use crate::model::program::ThreadId;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// Which prefix is extended next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extend {
    /// Each by one step, in turn.
    #[default]
    RoundRobin,
    /// The same, the last thread first.
    Backwards,
    /// The first thread's as far as it goes, then the next one's.
    Greedy,
}

impl Extend {
    /// All of them.
    pub const ALL: [Extend; 3] = [Extend::RoundRobin, Extend::Backwards, Extend::Greedy];

    /// Its name on the command line, and what it is in a few words.
    pub fn told(self) -> (&'static str, &'static str) {
        match self {
            Extend::RoundRobin => ("round-robin", "Each by one step, in turn"),
            Extend::Backwards => ("backwards", "The same, the last thread first"),
            Extend::Greedy => (
                "greedy",
                "The first thread's as far as it goes, then the next one's",
            ),
        }
    }

    /// The next of `count` after `now`, in this order.
    fn next(self, now: usize, count: usize, may: impl Fn(usize) -> bool) -> Option<usize> {
        let mut turns = 0..count;
        match self {
            Extend::RoundRobin => turns.map(|n| (now + 1 + n) % count).find(|&n| may(n)),
            Extend::Backwards => turns
                .map(|n| (now + 2 * count - 1 - n) % count)
                .find(|&n| may(n)),
            Extend::Greedy => turns.find(|&n| may(n)),
        }
    }
}

/// A run of one thread.
pub(super) struct Prefix {
    pub thread: ThreadId,
    /// The state it begins in, then those behind its steps but the last.
    pub trail: Vec<Vec<u64>>,
    /// What the last step leads to.
    pub last: Vec<Vec<u64>>,
    /// Whether the thread can go round for ever, on the cycle that the last step closes.
    pub infinite: bool,
    /// Whether the last step is that of a thread which waits: none.
    pub waits: bool,
    /// Whether the prefix may become longer. If so, its last step is independent of all that the others do.
    extendable: bool,
    /// What the steps but the last access, then what the last does.
    before: Accesses,
    tail: Accesses,
    /// Hashes of the trail.
    seen: FxHashSet<u64>,
}

fn hash(state: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    state.hash(&mut hasher);
    hasher.finish()
}

impl Prefix {
    fn new(thread: ThreadId, state: &[u64], pending: Pending, nothing: Accesses) -> Self {
        let mut prefix = Prefix {
            thread,
            trail: Vec::new(),
            last: vec![state.to_vec()],
            infinite: false,
            waits: false,
            extendable: true,
            before: nothing.clone(),
            tail: nothing,
            seen: FxHashSet::default(),
        };
        prefix.extend(pending);
        prefix
    }

    /// Adds a step to a prefix that has one end.
    fn extend(&mut self, pending: Pending) {
        let end = self.last.pop().unwrap_or_default();
        self.waits = !pending.is_enabled();
        self.last = match self.waits {
            true => vec![end.clone()],
            false => pending.after,
        };
        self.seen.insert(hash(&end));
        self.trail.push(end);
        self.before.add(&self.tail.accessed, &self.tail.written);
        self.tail = pending.accesses;
        self.extendable &= self.last.len() == 1;
    }

    /// Whether the last step leads to a state met before.
    fn closes(&self) -> bool {
        let [end] = self.last.as_slice() else {
            return false;
        };
        self.seen.contains(&hash(end)) && self.trail.contains(end)
    }

    /// All states in it but the first.
    pub fn states(&self) -> impl Iterator<Item = &Vec<u64>> {
        self.trail[1..].iter().chain(&self.last)
    }
}

/// A Cartesian vector from a state: a prefix for each of these threads, and observers.
///
/// # Errors
/// As [`Steps::pending`].
pub(super) fn vector(
    steps: &mut Steps,
    state: &[u64],
    among: &[ThreadId],
    order: Extend,
) -> Result<Vec<Prefix>, Stop> {
    let nothing = Accesses::none(steps.shared.len());
    let mut all: Vec<Prefix> = Vec::with_capacity(among.len());
    for &thread in among {
        let pending = look(steps, state, thread)?;
        all.push(Prefix::new(thread, state, pending, nothing.clone()));
    }
    let count = all.len();
    if count == 0 {
        return Ok(all);
    }
    for i in 0..count {
        for j in 0..i {
            if all[i].tail.conflicts(&all[j].tail) {
                all[i].extendable = false;
                all[j].extendable = false;
            }
        }
    }
    let mut now = match order {
        Extend::Backwards => 0,
        Extend::RoundRobin | Extend::Greedy => count - 1,
    };
    while let Some(i) = order.next(now, count, |n| all[n].extendable && !all[n].waits) {
        now = i;
        let pending = look(steps, &all[i].last[0], all[i].thread)?;
        let others = || (0..count).filter(|&j| j != i);
        let disturbs = |j: usize| pending.accesses.conflicts(&all[j].before);
        if others().any(disturbs) {
            all[i].extendable = false;
            continue;
        }
        for j in others() {
            if pending.accesses.conflicts(&all[j].tail) {
                all[i].extendable = false;
                all[j].extendable = false;
            }
        }
        let prefix = &mut all[i];
        prefix.extend(pending);
        if prefix.extendable && !prefix.waits && prefix.closes() {
            prefix.infinite = true;
            prefix.extendable = false;
            let tail = std::mem::replace(&mut prefix.tail, nothing.clone());
            prefix.before.add(&tail.accessed, &tail.written);
        }
    }
    for prefix in &mut all {
        prefix.infinite |= prefix.waits && prefix.extendable;
    }
    Ok(all)
}

/// What a thread may do next, its steps counted as taken: as in the paper, also those that turn out to depend on too
/// much.
fn look(steps: &mut Steps, state: &[u64], thread: ThreadId) -> Result<Pending, Stop> {
    let pending = steps.pending(state, thread)?;
    steps.transitions += pending.after.len() as u64;
    Ok(pending)
}
