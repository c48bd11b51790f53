//! What `coarsen movers` found, as plain data.

use super::{SCHEMA_VERSION, Step};
use serde::Serialize;

/// The movers of a model, and its transactions.
#[derive(Clone, Debug, Serialize)]
pub struct MoversReport {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The model's file name as given.
    pub model: String,
    /// Whether the discipline is known to hold: movers are established for executions that keep it.
    pub disciplined: bool,
    /// What was found, in a sentence.
    pub reason: String,
    /// Every action, thread by thread in the order of the text.
    pub actions: Vec<MoverAction>,
    /// The longest runs of statements that have a theorem's form, theorem by theorem, the least demanding first.
    pub transactions: Vec<Transaction>,
    /// Seconds for all of it.
    pub seconds: f64,
    /// Things to know.
    pub notes: Vec<String>,
    /// A limit was hit (exit code 20).
    #[serde(skip)]
    pub stopped: bool,
}

impl MoversReport {
    /// A report that knows nothing yet.
    pub fn undecided(model: &str, reason: impl Into<String>) -> Self {
        MoversReport {
            schema_version: SCHEMA_VERSION,
            model: model.to_string(),
            disciplined: false,
            reason: reason.into(),
            actions: Vec::new(),
            transactions: Vec::new(),
            seconds: 0.0,
            notes: Vec::new(),
            stopped: false,
        }
    }
}

/// An action as a mover.
#[derive(Clone, Debug, Serialize)]
pub struct MoverAction {
    /// The action.
    pub step: Step,
    /// `local`, `both`, `right`, `left` or `non`.
    pub class: String,
    /// Why, in a sentence.
    pub why: String,
    /// The strongest invariant that was needed for it, as for hypotheses.
    pub invariant: String,
    /// What keeps it from being a right mover.
    pub right: Vec<Blocked>,
    /// What keeps it from being a left mover.
    pub left: Vec<Blocked>,
    /// What it is under a condition, where that is more.
    pub under: Vec<Conditional>,
}

/// The class of an action where a condition holds.
#[derive(Clone, Debug, Serialize)]
pub struct Conditional {
    /// `both`, `right` or `left`.
    pub class: String,
    /// The condition, in words; `it` is the action's thread.
    pub condition: String,
}

/// An action of another thread that an action does not commute with.
#[derive(Clone, Debug, Serialize)]
pub struct Blocked {
    /// The other action, b.
    pub other: Step,
    /// The law that fails; a is the action itself.
    pub law: String,
    /// What it says, in words.
    pub words: String,
    /// Whether it is about violations of the discipline.
    pub violation: bool,
}

/// A run of statements that is a transaction.
#[derive(Clone, Debug, Serialize)]
pub struct Transaction {
    /// The theorem.
    pub theorem: String,
    /// The threads that have the run.
    pub threads: Vec<String>,
    /// Its first line, from 1.
    pub first_line: usize,
    /// Its last line.
    pub last_line: usize,
    /// How many actions it has.
    pub actions: String,
    /// The lines at which it may commit.
    pub commits: Vec<usize>,
    /// Its statements as they stand in the model.
    pub text: String,
}
