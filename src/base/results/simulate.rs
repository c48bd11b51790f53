//! What `coarsen simulate` did.

use super::{SCHEMA_VERSION, Trace};
use serde::Serialize;

/// A walk through a program.
#[derive(Clone, Debug, Serialize)]
pub struct SimulateReport {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The model's file name as given.
    pub model: String,
    /// How many steps were taken.
    pub steps: usize,
    /// How it ended.
    pub ended: Ended,
    /// The walk; left out if it is too long to be told.
    pub trace: Option<Trace>,
}

impl SimulateReport {
    /// A report on a walk.
    pub fn new(model: &str, steps: usize, ended: Ended, trace: Option<Trace>) -> Self {
        SimulateReport {
            schema_version: SCHEMA_VERSION,
            model: model.to_string(),
            steps,
            ended,
            trace,
        }
    }
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// After the steps asked for.
    Steps,
    /// In a state that satisfies what was asked for.
    Goal,
    /// There is no such state.
    NoGoal,
    /// Something went wrong.
    Wrong,
    /// No step is enabled, while a thread waits.
    Deadlock,
    /// All threads rest.
    Rest,
}
