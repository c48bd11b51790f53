//! What became of statements that were to be proved, of terms that were to be simplified, and of certificates.

use super::derivation::Derivation;
use serde::Serialize;

/// The answer for a statement of the algebra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Proved, and the proof replayed by the kernel.
    Proved,
    /// A model of the hypotheses in which it fails.
    Refuted,
    /// Neither.
    Unknown,
}

impl Status {
    /// The name in reports' data.
    pub fn name(self) -> &'static str {
        match self {
            Status::Proved => "proved",
            Status::Refuted => "refuted",
            Status::Unknown => "unknown",
        }
    }
}

/// What a file says of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Declared {
    /// `axiom` or `identity`: it is to be proved.
    Proved,
    /// `fails`: it is to be refuted.
    Refuted,
    /// `open`: it is not to be proved.
    Open,
}

impl Declared {
    /// The name in reports' data.
    pub fn name(self) -> &'static str {
        match self {
            Declared::Proved => "proved",
            Declared::Refuted => "refuted",
            Declared::Open => "open",
        }
    }
}

/// Which engine gave the answer for a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// None has tried.
    #[default]
    #[serde(rename = "")]
    None,
    /// The decision procedure for regular expressions.
    Decide,
    /// That, and the rules about omega.
    Omega,
    /// Elimination of the hypotheses `e <= 0`.
    Hypotheses,
    /// Rewriting words by the hypotheses.
    Egraph,
    /// The search for a proof.
    Search,
    /// The search for a model.
    Refuter,
    /// The model that the file gives.
    Model,
    /// None: the kernel did not accept the proof that one found.
    Rejected,
}

impl Engine {
    /// The name in reports' data.
    pub fn name(self) -> &'static str {
        match self {
            Engine::None => "",
            Engine::Decide => "decide",
            Engine::Omega => "omega",
            Engine::Hypotheses => "hypotheses",
            Engine::Egraph => "egraph",
            Engine::Search => "search",
            Engine::Refuter => "refuter",
            Engine::Model => "model",
            Engine::Rejected => "rejected",
        }
    }
}

/// Whether evidence is accepted by its checker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Acceptance {
    /// It is.
    Accepted,
    /// It is wrong.
    Rejected,
    /// A limit was hit.
    Unknown,
}

impl Acceptance {
    /// The name in reports' data.
    pub fn name(self) -> &'static str {
        match self {
            Acceptance::Accepted => "accepted",
            Acceptance::Rejected => "rejected",
            Acceptance::Unknown => "unknown",
        }
    }
}

/// What a certificate says of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// It proves it.
    Proved,
    /// Its theorem of that name says something else.
    Differs,
    /// It has no theorem of that name.
    Missing,
}

/// The answer for one statement.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The statement's name.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The status that the file declares.
    pub declared: Declared,
    /// The answer.
    pub status: Status,
    /// Which engine gave the answer.
    pub engine: Engine,
    /// Seconds.
    pub time: f64,
    /// Why, in lines.
    pub why: Vec<String>,
    /// The level of the axioms that the proof uses; of a statement that is not proved, the level declared, or that of
    /// its symbols.
    pub level: &'static str,
    /// Hints without which it is proved as well, with `--ablate`.
    pub unneeded_hints: Vec<String>,
    /// Where it is false, if it is refuted.
    pub model: Option<Counterexample>,
    /// The proof, if it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derivation: Option<Derivation>,
    /// What it may be missing, if that is asked for and it is neither proved nor meant to be false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestions: Option<Vec<Suggestion>>,
}

/// A statement with which another is proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// Whether a model of what is assumed refutes it, so that it can only be a premise. Else it may be a lemma.
    pub premise: bool,
    /// What it says.
    pub statement: String,
}

/// Relations in which a statement is false; states and processes count from 1.
#[derive(Clone, Debug, Serialize)]
pub struct Counterexample {
    /// How many states.
    pub states: usize,
    /// How many processes; 0 if the statement does not speak of them.
    pub processes: usize,
    /// The value of each atom.
    pub atoms: Vec<Relation>,
    /// The processes that the statement's index variables stand for.
    pub variables: Vec<Assigned>,
    /// Which of the inclusions of the statement fails, from 1; an equation is two.
    pub part: usize,
    /// A pair of states in its left side and not in its right one.
    pub pair: (usize, usize),
    /// Whether all relations on fewer states have been searched, and there is no model.
    pub smallest: bool,
}

/// The value of an atom.
#[derive(Clone, Debug, Serialize)]
pub struct Relation {
    /// Its name, with processes.
    pub name: String,
    /// The pairs of states that it relates; those of a test are on the diagonal.
    pub pairs: Vec<(usize, usize)>,
}

/// The process of an index variable.
#[derive(Clone, Debug, Serialize)]
pub struct Assigned {
    /// The variable.
    pub name: String,
    /// The process.
    pub process: usize,
}

/// How many statements came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Proved.
    pub proved: usize,
    /// Refuted.
    pub refuted: usize,
    /// Neither.
    pub unknown: usize,
    /// Those with the status that their file declares.
    pub as_declared: usize,
    /// Declared proved, but refuted.
    pub wrong: usize,
    /// Proofs that the kernel did not accept.
    pub rejected: usize,
}

/// A smaller term that equals a given one, or the news that none was found.
#[derive(Clone, Debug, Serialize)]
pub struct Simplification {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The term as written.
    pub term: String,
    /// Its symbols; products have none.
    pub symbols: usize,
    /// The smaller term.
    pub result: Option<String>,
    /// Its symbols.
    pub result_symbols: Option<usize>,
    /// Which engine proved that they are equal.
    pub engine: Engine,
    /// The rules that the proof uses; without a smaller term, the limit that was hit.
    pub why: Vec<String>,
    /// Seconds.
    pub time: f64,
}

/// Terms that an e-graph knows to be equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EqualTerms {
    /// The smallest.
    pub least: String,
    /// Others.
    pub others: Vec<String>,
    /// Where the classes of their parts stand, from 0.
    pub parts: Vec<usize>,
}

/// What is to be said of a certificate of the algebra.
#[derive(Clone, Debug, Serialize)]
pub struct Certificate {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The file.
    pub file: String,
    /// Whether the kernel accepts it.
    pub status: Acceptance,
    /// Where it is wrong and why; empty if it is accepted.
    pub reason: String,
    /// The letters that it speaks of.
    pub letters: Vec<Letter>,
    /// What is assumed throughout.
    pub hypotheses: Vec<Stated>,
    /// What is proved.
    pub theorems: Vec<Stated>,
    /// What it says of the statements asked for.
    pub asked: Vec<Asked>,
}

/// A letter of a certificate.
#[derive(Clone, Debug, Serialize)]
pub struct Letter {
    /// Its name.
    pub name: String,
    /// `action` or `test`.
    pub sort: &'static str,
    /// How many process indices it takes.
    pub arity: usize,
}

/// A statement of a certificate.
#[derive(Clone, Debug, Serialize)]
pub struct Stated {
    /// Its name.
    pub name: String,
    /// What it assumes besides the hypotheses.
    pub premises: Vec<String>,
    /// What it says.
    pub statement: String,
    /// Whether its proof uses a hypothesis.
    pub conditional: bool,
    /// The hypotheses that its proof uses.
    pub rests_on: Vec<String>,
}

/// A statement of a file that is to be proved, and whether a certificate does.
#[derive(Clone, Debug, Serialize)]
pub struct Asked {
    /// Its name.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The answer.
    pub status: Said,
    /// In what the theorem of its name differs.
    pub why: String,
}
