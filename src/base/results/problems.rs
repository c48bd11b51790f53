//! What became of a problem in TPTP's form.

use super::proofs::{Engine, Status};
use serde::Serialize;

/// The answer for a problem.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The problem's name.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// The status in the SZS ontology.
    pub szs: Szs,
    /// The status that the comments of the file give it.
    pub declared: Option<String>,
    /// Why nothing is known, if so; else empty.
    pub reason: String,
    /// The laws that are among the axioms, in words.
    pub laws: String,
    /// The statements it was taken apart to.
    pub parts: Vec<Stated>,
    /// Seconds.
    pub time: f64,
}

/// A statement of a problem.
#[derive(Clone, Debug, Serialize)]
pub struct Stated {
    /// Its name.
    pub name: String,
    /// What it says, as in `.thy` files.
    pub statement: String,
    /// The answer.
    pub status: Status,
    /// Which engine gave the answer.
    pub engine: Engine,
    /// Seconds.
    pub time: f64,
    /// Why, in lines.
    pub why: Vec<String>,
    /// The level of the axioms that the proof uses; of a statement that is not proved, that of its symbols.
    pub level: &'static str,
}

/// An answer in the SZS ontology (Sutcliffe 2008).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Szs {
    /// The conjecture follows from the axioms.
    Theorem,
    /// It does not.
    CounterSatisfiable,
    /// There is no conjecture, and the formulas have no model.
    Unsatisfiable,
    /// There is no conjecture, and the formulas have a model.
    Satisfiable,
    /// Nothing is known.
    GaveUp,
    /// Nothing is known, for want of time.
    Timeout,
    /// The problem has errors.
    InputError,
}

impl Szs {
    /// As in the line `% SZS status ..`.
    pub fn name(self) -> &'static str {
        match self {
            Szs::Theorem => "Theorem",
            Szs::CounterSatisfiable => "CounterSatisfiable",
            Szs::Unsatisfiable => "Unsatisfiable",
            Szs::Satisfiable => "Satisfiable",
            Szs::GaveUp => "GaveUp",
            Szs::Timeout => "Timeout",
            Szs::InputError => "InputError",
        }
    }
}
