//! Things to know about an answer.

use super::{Gap, Inferred, Place};
use crate::base::control::{Hit, Stop};

/// One thing to know.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// These constants are not as the text has them.
    Overridden(Vec<String>),
    /// There is no initial state.
    Vacuous,
    /// The members of this family may not be exchanged.
    Asymmetric(Asymmetry),
    /// The memory limit can't be kept on this system.
    MemoryUnlimited,
    /// This theorem was chosen, from what is known of each.
    Chosen(String, Vec<(String, Candidate)>),
    /// No step is invisible.
    AllVisible,
    /// No step is inside transactions only.
    AllScheduled,
    /// Which steps are called visible by a theorem about transactions.
    Transactions,
    /// BDDs have used up their budget in this phase, so the text was read instead.
    ByText(String),
    /// The hypotheses are those for every value of a constant.
    OfFamily {
        /// The smallest value.
        from: String,
        /// The value at which disciplines and visible steps were found: `N = 2`.
        like: String,
    },
    /// This engine of `coarsen reach` has explored the reduced system.
    Engine(String),
    /// This engine of `coarsen reach` has explored the program in full.
    InFull(String),
    /// The discipline does not hold with what was inferred.
    GuessesDropped,
    /// What was inferred for a variable.
    Inferred(Inferred),
    /// The trace of this property is perhaps not a shortest one.
    PerhapsLonger {
        /// The property.
        name: String,
        /// Whether that is so because the search used up its budget.
        exhausted: bool,
    },
    /// The execution for this property is too long to be told.
    TooLong(String),
    /// What the cross-check says.
    CrossCheck(CrossCheck),
    /// A certificate does not show everything.
    Missing(MissingEvidence),
    /// The reduced system of this theorem was evaluated; executions were looked for in that of a shipped one.
    Evaluated(String),
    /// What is not found is not known to be unreachable.
    Gap(Gap),
    /// Partial-order reduction goes on behind violations.
    DisciplineAside,
    /// The discipline is violated, and states behind a violation are not explored.
    Violated,
    /// An error ends a system in DVE; so many states behind one are not counted.
    ErrorsEnd(String),
    /// What is to be known of a comparison.
    Compare(CompareNote),
    /// Movers are established for executions that keep the discipline, which is not known to hold.
    Undisciplined,
    /// Transactions are proposed for programs in which no thread goes wrong, which is not known of this one.
    MayGoWrong,
}

/// What the exploration of the original program, state by state, says of the answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrossCheck {
    /// There are more states than it may meet.
    Cut(usize),
    /// It has met a state that settles a property whose answer was unknown.
    Met {
        /// The property.
        name: String,
        /// Whether such a state is wanted.
        wanted: bool,
    },
    /// It contradicts no answer.
    Agrees,
}

/// What is to be known of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CompareNote {
    /// Deadlocks are asked for of some rows only.
    Deadlocks,
    /// Claims are not judged.
    Claims,
    /// So many steps are taken by a row of partial-order reduction at most.
    Steps(u64),
    /// So many seconds of several rows are for finding the movers.
    Movers(f64),
}

/// What is known of a theorem that could be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Candidate {
    /// It promises that so many control states remain.
    Promises(String),
    /// A limit was hit.
    Hit(Hit),
    /// It does not apply.
    Gap(Gap),
    /// There is no reduced system.
    Unprepared,
    /// It has left some property open.
    Open,
}

/// What a certificate does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingEvidence {
    /// What no theorem's sets show; empty if there is no theorem.
    pub open: Vec<String>,
    /// The limit that was hit when all states were explored instead.
    pub stop: Stop,
}

/// Why the members of a family of threads may not be exchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asymmetry {
    /// The family.
    pub family: String,
    /// What an exchange would change.
    pub difference: Difference,
}

/// What an exchange of threads would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// This step.
    Step(Place),
    /// This question.
    Question(String),
    /// The initial value of this variable, or `init`.
    Initial(String),
    /// The discipline of this variable.
    Discipline(String),
    /// This owner is one of several, one for each member.
    Owner(String),
    /// This array has cells for members, and an index of it is computed.
    Index(String),
    /// The members have different variables, locations or visible steps, or use each other's cells.
    Members,
}
