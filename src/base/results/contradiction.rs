//! Evidence that speaks against its own answer: always a mistake in the tool, and exit code 12.

use super::Evidence;

/// What was found to be contradictory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// The interpreter could not repeat an execution of the reduced system.
    ReducedNotRepeated,
    /// A theorem says that a claimed block is a transaction, and all states compared tell it from an atomic one.
    TransactionCompared,
    /// The interpreter could not repeat an execution.
    NotRepeated,
    /// Exploration state by state meets a goal that the answer excludes, or the other way round.
    CrossCheck {
        /// The goal.
        goal: String,
        /// Whether it is met state by state.
        met: bool,
    },
    /// A hypothesis was derived, and is refuted on the relations.
    Derived {
        /// How it was derived.
        evidence: Box<Evidence>,
    },
    /// Counted anew by the interpreter, the reachable states are others.
    Recounted {
        /// The engine.
        engine: String,
        /// Its count, if it has one.
        states: Option<String>,
        /// The interpreter's count, if it has one.
        again: Option<String>,
    },
    /// The interpreter's answer to a question is another than the engine's.
    Disagreement {
        /// The engine.
        engine: String,
        /// The question.
        question: String,
    },
}
