//! What the replay of a bundle found.

use crate::base::control::Stop;
use crate::base::evidence::Values;
use crate::base::results::proofs::Acceptance;

/// The answer for one bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundleVerdict {
    /// The model's name, as the bundle has it; that of the file it was compared with, if it was.
    pub model: String,
    /// Whether text and constants were compared with those of a file that the user named.
    pub compared: bool,
    /// SHA-256 of the model's text.
    pub hash: String,
    /// Constants that are not as the text has them.
    pub defines: Vec<(String, String)>,
    /// Disciplines that come from the bundle, not from the text.
    pub disciplines: Vec<String>,
    /// What is claimed, and by which theorem.
    pub parts: Vec<Shown>,
    /// Claims of transactions for which all states are compared.
    pub by_comparison: Vec<String>,
    /// Goals that are reached, each by an execution.
    pub reached: Vec<String>,
    /// What the model asks for and the bundle does not show.
    pub uncovered: Vec<String>,
    /// Whether the model has no initial state, so that everything holds of it.
    pub vacuous: bool,
    /// Why it is rejected, if it is.
    pub rejected: Option<String>,
    /// Why it is undecided, if the work was cut short.
    pub stopped: Option<Stop>,
    /// What was replayed and how, line by line.
    pub replayed: Vec<String>,
    /// What the answer rests on besides.
    pub trusted: Vec<String>,
}

/// What a part of a bundle shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The reduction theorem; `None` if X is an invariant of the original program.
    pub theorem: Option<String>,
    /// Where the theorem is from.
    pub source: String,
    /// Its hypotheses.
    pub hypotheses: Vec<Stated>,
    /// The properties that are claimed to hold.
    pub claims: Vec<String>,
    /// The lines whose steps are weakened for them, if they are shown so.
    pub weakened: Option<Vec<usize>>,
    /// The values of a constant for which they are, if not for one.
    pub every: Option<Values>,
}

/// A hypothesis of a theorem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// Such as `14`.
    pub id: String,
    /// What it says, in words.
    pub words: String,
    /// What it says.
    pub formula: String,
}

/// What is trusted wherever a block is shown by movers.
pub const LIPTON: &str =
    "that right movers, one step and left movers of a block can be put together (Lipton 1975)";
/// What is trusted wherever an encoding was needed.
pub const ENCODING: &str = "the encoding and the BDD package, where they were used as said above";
/// What is always trusted.
pub const FRONT: &str =
    "the front end, that reads the model's text, and the interpreter, that says what a step is";

impl BundleVerdict {
    /// Says once what the answer rests on besides.
    pub fn trust(&mut self, words: &str) {
        if !self.trusted.iter().any(|known| known == words) {
            self.trusted.push(words.to_string());
        }
    }

    /// Whether everything in it was found right.
    pub fn is_accepted(&self) -> bool {
        self.rejected.is_none() && self.stopped.is_none()
    }

    /// All properties that are claimed to hold.
    pub fn claims(&self) -> impl Iterator<Item = &String> {
        let of_parts = self.parts.iter().flat_map(|p| &p.claims);
        of_parts.chain(&self.by_comparison)
    }

    /// `accepted`, `rejected` or `unknown`.
    pub fn status(&self) -> Acceptance {
        match (&self.rejected, self.stopped) {
            (Some(_), _) => Acceptance::Rejected,
            (None, Some(_)) => Acceptance::Unknown,
            (None, None) => Acceptance::Accepted,
        }
    }
}
