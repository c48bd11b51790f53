//! What became of a property, and why.

use super::{Contradiction, Outcome, Place, Status, Trace};
use crate::base::control::Stop;
use crate::base::diagnostic::Position;
use serde::Serialize;

/// What a property, or a question of `coarsen reach`, asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PropertyKind {
    /// Whether no step violates the synchronisation discipline.
    Discipline,
    /// Whether no assertion fails, and no value leaves its range.
    Assertions,
    /// Whether there is no deadlock, as `deadlock_free` asks.
    DeadlockFree,
    /// Whether there is a deadlock, as `coarsen reach` asks.
    Deadlock,
    /// Whether an expression holds in all reachable states.
    Invariant,
    /// Whether an expression holds in some reachable state.
    Reach,
    /// The same, as `coarsen reach --find` asks.
    Find,
    /// Whether a block may be treated as atomic.
    Transaction,
}

impl PropertyKind {
    /// The name in reports' data.
    pub fn id(self) -> &'static str {
        match self {
            PropertyKind::Discipline => "discipline",
            PropertyKind::Assertions => "assertions",
            PropertyKind::DeadlockFree => "deadlock_free",
            PropertyKind::Deadlock => "deadlock",
            PropertyKind::Invariant => "invariant",
            PropertyKind::Reach => "reach",
            PropertyKind::Find => "find",
            PropertyKind::Transaction => "transaction",
        }
    }
}

/// One property.
#[derive(Clone, Debug, Serialize)]
pub struct Property {
    /// `discipline`, `assertions`, `deadlock_free` or the user's name.
    pub name: String,
    /// What is asked.
    pub kind: PropertyKind,
    /// The answer.
    pub verdict: Status,
    /// Why.
    pub reason: PropertyReason,
    /// Number of single actions in the trace, if there is one.
    pub trace_length: Option<String>,
    /// Number of coarse steps in the trace (the last may be partial).
    pub coarse_length: Option<String>,
    /// The re-executed trace: a violation, or for `reach` the way there.
    pub trace: Option<Trace>,
}

impl Property {
    /// A property that nobody has looked at yet.
    pub fn undecided(name: &str, kind: PropertyKind) -> Self {
        Property {
            name: name.to_string(),
            kind,
            verdict: Status::Unknown,
            reason: PropertyReason::Undecided,
            trace_length: None,
            coarse_length: None,
            trace: None,
        }
    }

    /// What speaks against the answer.
    pub fn contradiction(&self) -> Option<&Contradiction> {
        match &self.reason {
            PropertyReason::Contradicted(why) => Some(why),
            _ => None,
        }
    }
}

/// Why a property has its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyReason {
    /// Nobody has looked at it yet.
    Undecided,
    /// An execution was re-executed, and ends like this.
    Found(Outcome),
    /// The reduced system reaches such a state. There is no execution yet, or none because a limit was hit.
    FoundReduced(Option<Stop>),
    /// Such a state is reached, and a limit was hit in the search for an execution.
    FoundState(Stop),
    /// Nothing was found by `coarsen check`, and that says nothing.
    Unsettled(Doubt),
    /// Nothing was found by `coarsen reach`, and that says nothing.
    NotFound(Doubt),
    /// The reduced system has none of the states that are asked for, so the program has none.
    NeverReached,
    /// The reduced system has no violation, so the program has none.
    Theorem(Conclusion),
    /// `coarsen reach` has explored all states, and found none that settles a question of this kind.
    Explored(PropertyKind),
    /// It is a claim that a block is a transaction.
    Claim(ClaimReason),
    /// What speaks against the answer.
    Contradicted(Contradiction),
}

/// Why it says nothing that nothing was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Not everything was explored.
    CutShort,
    /// The theorem can't be used.
    Gap(Gap),
    /// The technique says so, for this reason.
    Technique(String),
    /// The discipline is violated.
    Violated,
    /// An invisible step could hide it.
    Hidden,
}

/// Why a theorem can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The hypotheses were not evaluated.
    NotEvaluated,
    /// A condition of well-formedness does not hold, or is not known to.
    Condition(String, Status),
    /// A hypothesis does not hold, or is not known to.
    Hypothesis(String, Status),
    /// The conclusion that stands in this file is not proved.
    Unproved(String),
    /// The conclusion of this theorem does not speak of it, and its hypotheses don't imply those of one that does.
    Silent(String),
    /// The reduced system of this theorem, evaluated on relations, does not exclude it.
    Reached(String),
}

/// What a theorem is not known to say of a program, though its hypotheses hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Silence {
    /// About the discipline.
    pub violations: Option<Gap>,
    /// About threads that go wrong.
    pub wrong: Option<Gap>,
    /// About other states.
    pub states: Option<Gap>,
    /// Which theorem's reduced system was looked into for executions, if the theorem's own was evaluated.
    pub evaluated: bool,
}

/// Why the program has no violation if its reduced system has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// All steps are visible, so the two systems are one.
    AllVisible,
    /// Stoller & Cohen's theorem, of the discipline.
    Discipline,
    /// Its corollary about deadlocks.
    Deadlocks,
    /// Its corollary about other states.
    States,
    /// No step is inside a transaction, so the two systems are one.
    AllOutside,
    /// A theorem about transactions, of threads that go wrong.
    Threads,
    /// The same, of other states.
    Observer,
}

/// Why a claim that a block may be treated as atomic has its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimReason {
    /// No thread ever takes a step of the block.
    NeverEntered,
    /// No thread ever leaves it.
    NeverFinished,
    /// It holds by this theorem.
    Atomic {
        /// The theorem.
        theorem: String,
        /// Where it may commit.
        commits: Vec<Position>,
    },
    /// It holds by this theorem, with weaker steps in the block's place.
    Weakened {
        /// The theorem.
        theorem: String,
        /// Where each of these steps begins, and the line it ends on; none if it is enough to take the block path by
        /// path.
        steps: Vec<(Position, usize)>,
    },
    /// It holds: all states of this instance were compared.
    Compared {
        /// How many, unless they were compared up to scratch, or a block that begins with a loop has more told apart.
        states: Option<String>,
        /// Why it does not hold by a theorem.
        why: NoTheorem,
    },
    /// An execution tells the program from the one with the block atomic.
    Different {
        /// By what.
        by: Distinction,
        /// Why it does not hold by a theorem.
        why: NoTheorem,
    },
    /// There is a deadlock with a thread inside, and deadlock freedom was asked for.
    Blocks,
    /// A limit was hit.
    Stopped {
        /// The limit.
        stop: Stop,
        /// How many states were explored.
        states: String,
        /// What had not been found then.
        open: Unmet,
    },
}

/// What an exploration has not found of a claim before it was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// No theorem shows the claim, for this reason, and not all states were compared.
    Compared(NoTheorem),
    /// A theorem shows the claim, and no thread has taken a step of the block, or none has left it.
    Left,
    /// A theorem shows the claim, and a thread may be stuck inside, which is asked not to happen.
    Stuck,
}

/// What is observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenAs {
    /// A variable's value.
    Value(String),
    /// A thread is where a step begins.
    At(Place),
    /// A thread is where none does.
    Rests(String),
}

/// What tells a program from the one with a block atomic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distinction {
    /// A value, while everything else that is observed could be as it is.
    Value {
        /// The variable, or the thread whose location it is.
        name: String,
        /// The value.
        value: SeenAs,
        /// Its values with the block atomic.
        others: Vec<SeenAs>,
    },
    /// Values that are never there together; those that differ from the nearest state with the block atomic.
    Together(Vec<(String, SeenAs)>),
    /// A thread goes wrong.
    Wrong {
        /// The thread.
        thread: String,
        /// Where.
        at: Position,
    },
    /// A thread violates the discipline.
    Violation {
        /// The thread.
        thread: String,
        /// Where.
        at: Position,
        /// The variable whose protection is violated.
        variable: String,
    },
    /// This invariant is violated.
    Invariant(String),
}

/// Why no theorem says that a block is a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTheorem {
    /// Movers are judged on BDDs only, and these take too much work.
    TooLarge,
    /// One would if the discipline were known to hold.
    Undisciplined(String),
    /// One would if it were known that no thread goes wrong.
    GoesWrong(String),
    /// A step is no left mover, and another may have committed before.
    Broken {
        /// The step behind the commit.
        at: Position,
        /// The one that may have committed.
        committed: Position,
    },
    /// The one theorem that may be used does not apply.
    Inapplicable(String),
    /// The one theorem that may be used does not show it.
    NotShown {
        /// The theorem.
        theorem: String,
        /// The step before which other threads are scheduled, if one is known.
        scheduled: Option<Position>,
    },
}
