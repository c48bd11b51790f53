//! What became of a bundle: which model it is about, what it shows and by what, and what it leaves open.

use super::proofs::Acceptance;
use serde::Serialize;

/// What is to be said of a bundle: the evidence for a model's properties.
#[derive(Clone, Debug, Serialize)]
pub struct BundleAnswer {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The file.
    pub file: String,
    /// `accepted`, `rejected`, or `unknown` if the work was cut short.
    pub status: Acceptance,
    /// What holds, or what is wrong.
    pub reason: String,
    /// What it is about.
    pub model: About,
    /// The properties that are claimed to hold, by all parts together, and by comparison.
    pub claims: Vec<String>,
    /// Those of them that are claims of transactions for which all states were compared.
    pub by_comparison: Vec<String>,
    /// Goals that are reached, each by an execution.
    pub reached: Vec<String>,
    /// What the model asks for and the bundle does not show.
    pub uncovered: Vec<String>,
    /// Disciplines that come from the bundle, not from the model's text.
    pub disciplines: Vec<String>,
    /// What is claimed, by theorem.
    pub parts: Vec<PartAnswer>,
    /// What was replayed, and how.
    pub replayed: Vec<String>,
    /// What the answer rests on besides.
    pub trusted: Vec<String>,
}

/// The model that a bundle is about.
#[derive(Clone, Debug, Serialize)]
pub struct About {
    /// Its name: as the bundle says, or the file it was compared with.
    pub name: String,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Constants that are not as the text has them, `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Whether text and constants are those that the user gave (`--model`, `-D`).
    pub compared: bool,
}

/// A part of a bundle.
#[derive(Clone, Debug, Serialize)]
pub struct PartAnswer {
    /// The reduction theorem; null if an invariant of the original program shows the claims, or of the program with
    /// weaker steps.
    pub theorem: Option<String>,
    /// Where the theorem is from.
    pub source: String,
    /// Its hypotheses.
    pub hypotheses: Vec<HypothesisAnswer>,
    /// The properties that are claimed to hold.
    pub claims: Vec<String>,
    /// The lines whose steps are weakened for them; left out if they are not shown so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weakened: Option<Vec<usize>>,
    /// The values of a constant for which they are; left out if they are about the constants as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<EveryAnswer>,
}

/// Every value of a constant from one on.
#[derive(Clone, Debug, Serialize)]
pub struct EveryAnswer {
    /// The constant.
    pub constant: String,
    /// The smallest value.
    pub from: String,
}

/// A hypothesis that was replayed.
#[derive(Clone, Debug, Serialize)]
pub struct HypothesisAnswer {
    /// Such as `14`.
    pub id: String,
    /// What it says, in words.
    pub words: String,
    /// What it says.
    pub formula: String,
}
