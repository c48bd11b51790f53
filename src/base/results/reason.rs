//! Why a command gives its verdict.

use super::{Contradiction, Evidence, Gap, PropertyReason, Verdict};
use crate::base::control::{Hit, Stop};

/// Why `coarsen check` gives its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckReason {
    /// Nothing is known yet.
    Undecided,
    /// Ctrl-C was pressed before its turn came.
    Interrupted,
    /// Work on an earlier model did not stop when asked.
    Occupied,
    /// There is no theorem of this name.
    NoTheorem(String),
    /// The conclusion that stands in this file is not proved.
    Unproved(String),
    /// Work on it did not stop when asked.
    Abandoned(Hit),
    /// What speaks against the answer, and to which property or hypothesis.
    Rejected(String, Contradiction),
    /// A property that is refuted, or not settled.
    Property {
        /// Its name.
        name: String,
        /// Why it has its answer.
        reason: PropertyReason,
        /// How many more are refuted.
        others: usize,
    },
    /// This condition or hypothesis fails in a reachable state.
    Fails(String),
    /// A limit was hit.
    Hit(Hit),
    /// This condition or hypothesis is not established.
    Open(String, Evidence),
    /// There was nothing to be settled.
    Nothing,
    /// Everything holds.
    Holds {
        /// The properties that were asked for; none if all were.
        only: Vec<String>,
        /// Whether there is no initial state.
        vacuous: bool,
        /// How many states the program has, if it was explored in full.
        in_full: Option<String>,
    },
}

impl CheckReason {
    /// Whether it says that this limit was hit.
    pub fn names(&self, hit: &Hit) -> bool {
        matches!(self, Self::Hit(named) | Self::Abandoned(named) if named == hit)
    }
}

/// Why `coarsen reach` gives its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReachReason {
    /// Nothing was explored yet.
    Undecided,
    /// Work on it did not stop when asked.
    Abandoned(Hit),
    /// A limit was hit before the reduced system was known.
    NotReduced(Hit),
    /// The conclusion of the theorem, that stands in this file, is not proved.
    Unproved(String),
    /// What speaks against the answer to this question, or against all answers.
    Rejected(Option<String>, Contradiction),
    /// A question that is refuted, or not settled.
    Question(String, PropertyReason),
    /// A limit was hit.
    Stopped(Stop),
    /// The model is not for the techniques that were asked for, for this reason.
    Refused(String),
    /// Everything was explored.
    Explored {
        /// How many states.
        states: Option<String>,
        /// How many executions, by a technique without states.
        executions: Option<String>,
        /// Whether it was a reduced system.
        reduced: bool,
        /// The techniques of partial-order reduction.
        por: Option<String>,
        /// In which ways states were seen as one and counted as one.
        reductions: Vec<String>,
        /// How many were explored, each for those that differ from it by exchanges of threads.
        representatives: Option<String>,
        /// The questions with their answers.
        answers: Vec<(String, PropertyReason)>,
    },
}

/// Why `coarsen compare` gives its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareReason {
    /// Nothing was explored yet.
    Undecided,
    /// Work on it did not stop when asked.
    Abandoned(Hit),
    /// No sound technique has decided it.
    Open,
    /// Two sound techniques disagree.
    Disagree([RowVerdict; 2]),
    /// So many sound rows agree, for the reason that the first has.
    Agree(RowReason, usize),
}

/// What a row of `coarsen compare` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowVerdict {
    /// The technique.
    pub technique: String,
    /// The engine.
    pub engine: String,
    /// The verdict.
    pub verdict: Verdict,
}

/// Why a row of `coarsen compare` has its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowReason {
    /// As `coarsen check` says.
    Check(CheckReason),
    /// As `coarsen reach` says.
    Reach(ReachReason),
    /// The theorem can't be used.
    Gap(Gap),
    /// The discipline is violated.
    Discipline,
    /// A thread goes wrong.
    Wrong,
    /// This state is not reached.
    NotReached(String),
    /// This property is violated.
    Violates(String),
    /// Nothing goes wrong.
    Fine,
    /// A limit was hit in the exploration.
    Stopped(Stop),
    /// A limit was hit before the exploration.
    NotBegun(Stop),
}
