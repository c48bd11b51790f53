//! What `coarsen compare` found, as plain data.

use super::{CompareReason, Note, RowReason, SCHEMA_VERSION, Verdict};
use serde::Serialize;

/// One model under all techniques.
#[derive(Clone, Debug, Serialize)]
pub struct CompareReport {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The model's file name as given.
    pub model: String,
    /// What the sound rows agree on.
    pub verdict: Verdict,
    /// Why.
    pub reason: CompareReason,
    /// One technique on one engine each.
    pub rows: Vec<CompareRow>,
    /// Seconds for all of it.
    pub timing: CompareTiming,
    /// Things to know.
    pub notes: Vec<Note>,
}

impl CompareReport {
    /// Whether sound rows disagree (exit code 12).
    pub fn disagrees(&self) -> bool {
        matches!(self.reason, CompareReason::Disagree(_))
    }

    /// A report without rows: verdict `unknown`.
    pub fn undecided(model: &str) -> Self {
        CompareReport {
            schema_version: SCHEMA_VERSION,
            model: model.to_string(),
            verdict: Verdict::Unknown,
            reason: CompareReason::Undecided,
            rows: Vec::new(),
            timing: CompareTiming::default(),
            notes: Vec::new(),
        }
    }
}

/// One technique on one engine.
#[derive(Clone, Debug, Serialize)]
pub struct CompareRow {
    /// The technique.
    pub technique: String,
    /// The engine.
    pub engine: String,
    /// Program states at scheduling points, if the exploration finished.
    pub states: Option<String>,
    /// All states met, with what the technique adds to them.
    pub visited: Option<String>,
    /// Complete executions, where no states are kept.
    pub executions: Option<String>,
    /// Steps taken, where they are taken one by one.
    pub transitions: Option<String>,
    /// States in which a transaction could have gone on, but another thread that has a step was scheduled.
    pub forced: Option<String>,
    /// What this row found.
    pub verdict: Verdict,
    /// What it found, or why nothing.
    pub reason: RowReason,
    /// Whether that can be relied on.
    pub sound: bool,
    /// Bytes held by what was explored.
    pub memory: Option<String>,
    /// Seconds.
    pub timing: CompareTiming,
}

/// Seconds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct CompareTiming {
    /// All of it.
    pub total: f64,
}
