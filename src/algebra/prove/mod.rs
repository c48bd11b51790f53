//! The prover: from a statement and its hints to a theorem that the kernel has admitted.

use super::suite::Suite;
use crate::kernel::{Development, Statement};

/// What came of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Proved, and the proof replayed by the kernel.
    Proved,
    /// A model of the hypotheses in which it fails.
    Refuted,
    /// Neither.
    Unknown,
}

/// How far the prover goes. All limits are counts, so that the same statement always has the same answer.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Nodes of the search for one inclusion.
    pub steps: usize,
    /// Pairs of one decision.
    pub pairs: usize,
    /// Nodes of the e-graph.
    pub nodes: usize,
    /// Models tried by the refuter.
    pub models: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: 2_000,
            pairs: 20_000,
            nodes: 10_000,
            models: 20_000,
        }
    }
}

/// The answer for a statement.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub status: Status,
    /// Which engine gave it: `decide`, `hypotheses`, `egraph`, `search` or `refuter`.
    pub engine: String,
    /// Why, in lines: rules used; the monomials that are not below the right side and the limit; or the model.
    pub why: Vec<String>,
    /// The theorem, by position in the development.
    pub theorem: Option<usize>,
}

/// Proves or refutes a statement of a suite; what its hints name is proved first if it has not been.
pub fn prove(suite: &mut Suite, item: usize, limits: &Limits) -> Outcome {
    let _ = (suite, item, limits);
    Outcome {
        status: Status::Unknown,
        engine: String::new(),
        why: Vec::new(),
        theorem: None,
    }
}

/// Hints of an item without which it is proved as well.
pub fn ablate(suite: &mut Suite, item: usize, limits: &Limits) -> Vec<String> {
    let _ = (suite, item, limits);
    Vec::new()
}

/// Proves `premises |- statement`, no hint given; the theorem's position, or the residual in lines.
///
/// # Errors
/// What is left: the monomials that are not below the right side, and the limit that was hit.
pub fn derive(
    development: &mut Development,
    name: &str,
    premises: &[Statement],
    statement: &Statement,
    limits: &Limits,
) -> Result<usize, Vec<String>> {
    let _ = (development, name, premises, statement, limits);
    Err(Vec::new())
}
