//! What is said where evidence speaks against its own answer.

use crate::base::results::Contradiction;
use std::fmt;

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReducedNotRepeated => f.write_str(
                "the execution found in the reduced system could not be re-executed: this is a bug in coarsen",
            ),
            Self::TransactionCompared => f.write_str(
                "a theorem shows it, and a comparison of all states refutes it: this is a bug in coarsen",
            ),
            Self::NotRepeated => {
                f.write_str("the execution found could not be repeated: this is a bug in coarsen")
            }
            Self::CrossCheck { goal, met } => {
                let met = if *met { "is met" } else { "is never met" };
                write!(
                    f,
                    "the cross-check disagrees: state by state {goal} {met}; this is a bug in coarsen"
                )
            }
            Self::Derived { evidence } => write!(
                f,
                "derived, but refuted on the relations; this is a bug in coarsen ({evidence})"
            ),
            Self::Recounted {
                engine,
                states,
                again,
            } => {
                let number = |n: &Option<String>| n.clone().unwrap_or_else(|| "unknown".into());
                let (states, again) = (number(states), number(again));
                write!(
                    f,
                    "{engine} counts {states} states, the interpreter {again}; this is a bug in coarsen"
                )
            }
            Self::Disagreement { engine, question } => write!(
                f,
                "{engine} and the interpreter disagree about {question}; this is a bug in coarsen"
            ),
        }
    }
}
