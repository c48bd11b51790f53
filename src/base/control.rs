//! Limits on work, requests to stop it, and how far it has come.
//!
//! The core runs in a worker thread and polls [`Control::check`] between BDD operations (the BDD package has no
//! cancel hook); the owner of the worker may ask it to stop. If it does not react, the owner reads the last snapshot.

use crate::base::results::Report;
use crate::base::{Side, Turns};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Why work was cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// A BDD grew beyond the node limit.
    Nodes,
    /// Too many explicit states.
    States,
    /// Out of time.
    Time,
    /// Out of memory.
    Memory,
    /// Ctrl-C.
    Interrupt,
    /// Too many steps on decision diagrams.
    Operations,
    /// Executions go on beyond the bound on their length.
    Depth,
    /// Work on BDDs has used up its budget, and there is another way.
    Effort,
    /// More Boolean variables than the BDD package can number.
    Variables,
    /// Somebody else has settled it.
    Settled,
    /// No more room on a disk, or none that may be used.
    Disk,
    /// Another process that takes part was lost.
    Peer,
}

impl std::error::Error for Stop {}

/// A limit that was hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hit {
    /// In this phase.
    Phase(Stop, String),
    /// In this phase, by a worker that did not stop when asked.
    Abandoned(Stop, String),
    /// In the search for an execution to a state that is reached.
    Search(Stop),
}

/// The limits that the core keeps itself; the caller of [`Control::stop`] keeps those of time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Nodes of any one BDD.
    pub nodes: usize,
    /// Explicit states held at once.
    pub states: usize,
    /// Pairs of nodes that operations on BDDs look at in all, before a check goes on without them.
    pub effort: u64,
}

impl Budget {
    /// The budget of BDDs where they can gain little over the syntactic analysis: for relations that are few or
    /// large, and for a reduced system that is no smaller than the one that the syntactic analysis gives.
    pub fn little(&self) -> u64 {
        self.effort / 40
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            nodes: 20_000_000,
            states: 20_000_000,
            effort: 1_000_000_000,
        }
    }
}

/// Bounds on what the parser accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseLimits {
    /// How deep the tree may be: statements, operators, parentheses, indices and labels inside each other.
    ///
    /// A level costs the parser up to about 6 KiB of stack (measured with `opt-level = 2`), so the default
    /// fits into the 2 MiB of a spawned thread. A caller that raises the limit gives the parser a thread
    /// with a stack to match.
    pub depth: usize,
}

impl Default for ParseLimits {
    fn default() -> Self {
        ParseLimits { depth: 256 }
    }
}

/// Shared between a worker and its owner.
#[derive(Debug, Default)]
pub struct Control {
    budget: Budget,
    common: Arc<Common>,
    /// Only this one was asked to stop.
    asked: Arc<AtomicU8>,
    /// The one that this is done beside was.
    beside: Option<Arc<AtomicU8>>,
    turns: Option<(Arc<Turns>, Side)>,
    /// What work may still be done, if that is bounded.
    worth: Option<AtomicU64>,
}

/// What is shared with those who work in turns.
#[derive(Debug, Default)]
struct Common {
    /// `usize::MAX` less the bytes that may still be taken, at the last look; zero is no limit.
    taken: AtomicUsize,
    asked: AtomicU8,
    phase: Mutex<String>,
    snapshot: Mutex<Option<Report>>,
}

fn first_reason(asked: &AtomicU8, why: Stop) {
    // The declared order, from one.
    let _ = asked.compare_exchange(0, why as u8 + 1, Ordering::SeqCst, Ordering::SeqCst);
}

fn reason(asked: &AtomicU8) -> Option<Stop> {
    const ALL: [Stop; 12] = [
        Stop::Nodes,
        Stop::States,
        Stop::Time,
        Stop::Memory,
        Stop::Interrupt,
        Stop::Operations,
        Stop::Depth,
        Stop::Effort,
        Stop::Variables,
        Stop::Settled,
        Stop::Disk,
        Stop::Peer,
    ];
    let code = asked.load(Ordering::Relaxed);
    let place = usize::from(code).checked_sub(1)?;
    ALL.get(place).copied()
}

impl Control {
    /// A control with this budget.
    pub fn new(budget: Budget) -> Self {
        Control {
            budget,
            ..Self::default()
        }
    }

    /// For one of two who work in turns: asked to stop, it stops alone. All else is shared with this one.
    pub fn in_turns(&self, turns: &Arc<Turns>, side: Side) -> Control {
        Control {
            budget: self.budget,
            common: Arc::clone(&self.common),
            asked: Arc::default(),
            beside: None,
            turns: Some((Arc::clone(turns), side)),
            worth: None,
        }
    }

    /// For what is done beside and is worth so much work, in pairs of BDD nodes: beyond, that alone is stopped, by
    /// [`Stop::Effort`], and its reports are nobody's answer. All else is shared with this one.
    pub fn worth(&self, work: u64) -> Control {
        Control {
            budget: self.budget,
            common: Arc::clone(&self.common),
            asked: Arc::default(),
            beside: Some(Arc::clone(&self.asked)),
            turns: self.turns.clone(),
            worth: Some(AtomicU64::new(work)),
        }
    }

    /// Whether another explores the program in full meanwhile.
    pub fn is_beside_another(&self) -> bool {
        self.turns.as_ref().is_some_and(|(t, _)| t.alternate())
    }

    /// Says that so much work was done, and waits until more may be done. Ask [`Control::check`] afterwards.
    pub fn worked(&self, work: u64) {
        if let Some((turns, side)) = &self.turns {
            turns.worked(*side, work);
        }
        if let Some(worth) = &self.worth {
            let left = worth.load(Ordering::Relaxed).saturating_sub(work);
            worth.store(left, Ordering::Relaxed);
            if left == 0 {
                first_reason(&self.asked, Stop::Effort);
            }
        }
    }

    /// The budget.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// Says how many bytes may still be taken, before a memory limit is met.
    pub fn leave(&self, bytes: usize) {
        let taken = usize::MAX - bytes;
        self.common.taken.store(taken, Ordering::Relaxed);
    }

    /// How many bytes may still be taken, as far as is known. Ask before you take many at once. One of two has half.
    pub fn left(&self) -> usize {
        let left = usize::MAX - self.common.taken.load(Ordering::Relaxed);
        match self.turns {
            Some(_) => left / 2,
            None => left,
        }
    }

    /// Fails if so many bytes may not be taken.
    ///
    /// # Errors
    /// [`Stop::Memory`].
    pub fn room(&self, bytes: usize) -> Result<(), Stop> {
        if bytes > self.left() {
            return Err(Stop::Memory);
        }
        Ok(())
    }

    /// Asks the worker to stop; the first reason stays.
    pub fn stop(&self, why: Stop) {
        match self.turns {
            Some(_) => first_reason(&self.asked, why),
            None => first_reason(&self.common.asked, why),
        }
    }

    /// Fails if the worker was asked to stop.
    ///
    /// # Errors
    /// The reason given to [`Control::stop`].
    pub fn check(&self) -> Result<(), Stop> {
        let own = || reason(&self.asked);
        let beside = || self.beside.as_deref().and_then(reason);
        match reason(&self.common.asked).or_else(beside).or_else(own) {
            Some(why) => Err(why),
            None => Ok(()),
        }
    }

    /// Fails if a BDD of `nodes` nodes is over the budget, or if asked to stop.
    ///
    /// # Errors
    /// [`Stop::Nodes`], or as [`Control::check`].
    pub fn nodes(&self, nodes: usize) -> Result<(), Stop> {
        if nodes > self.budget.nodes {
            Err(Stop::Nodes)
        } else {
            self.check()
        }
    }

    /// Says what is being done now, for progress on stderr.
    pub fn enter(&self, phase: impl Into<String>) {
        if let Ok(mut p) = self.common.phase.lock() {
            *p = phase.into();
        }
    }

    /// What is being done now.
    pub fn phase(&self) -> String {
        self.common
            .phase
            .lock()
            .map(|p| p.clone())
            .unwrap_or_default()
    }

    /// Leaves a report of what is known so far; the parts not yet established are `unknown`.
    pub fn publish(&self, report: &Report) {
        if self.worth.is_some() {
            return;
        }
        if let Ok(mut s) = self.common.snapshot.lock() {
            *s = Some(report.clone());
        }
    }

    /// The last report left by [`Control::publish`].
    pub fn snapshot(&self) -> Option<Report> {
        self.common.snapshot.lock().ok().and_then(|s| s.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_beside_stops_alone_and_answers_nothing() {
        let control = Control::default();
        let beside = control.worth(10);
        control.publish(&Report::undecided("asked", "t"));
        beside.publish(&Report::undecided("beside", "t"));
        assert_eq!(control.snapshot().map(|r| r.model), Some("asked".into()));
        beside.worked(9);
        assert_eq!(beside.check(), Ok(()));
        beside.worked(1);
        assert_eq!(beside.check(), Err(Stop::Effort));
        assert_eq!(control.check(), Ok(()));
        let another = control.worth(u64::MAX);
        control.stop(Stop::Time);
        assert_eq!(another.check(), Err(Stop::Time));
    }

    #[test]
    fn what_is_done_beside_stops_with_the_one_in_turns() {
        let (control, turns) = (Control::default(), Arc::new(Turns::default()));
        let reduced = control.in_turns(&turns, Side::Reduced);
        let beside = reduced.worth(100);
        beside.worked(60);
        assert_eq!(turns.done(Side::Reduced), 60);
        reduced.stop(Stop::Settled);
        assert_eq!(beside.check(), Err(Stop::Settled));
        assert_eq!(control.check(), Ok(()));
    }
}
