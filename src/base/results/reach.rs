//! What `coarsen reach` found, as plain data.

use super::distributed::Distributed;
use super::{
    Contradiction, Expectation, Gap, MissingEvidence, Note, Property, ReachReason, SCHEMA_VERSION,
    Verdict,
};
use crate::base::control::Hit;
use crate::base::evidence::Bundle;
use serde::Serialize;

/// Everything `coarsen reach` says about one model.
#[derive(Clone, Debug, Serialize)]
pub struct ReachReport {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The model's file name as given.
    pub model: String,
    /// The answer to all that was asked.
    pub verdict: Verdict,
    /// Why.
    pub reason: ReachReason,
    /// The engine that answered.
    pub engine: String,
    /// The variable order that it used; none if it has no use for one.
    pub order: Option<String>,
    /// The theorem whose reduced system was explored; none if it was the original one.
    pub theorem: Option<String>,
    /// The techniques of partial-order reduction, as on the command line.
    pub por: Option<String>,
    /// In which ways states were seen as one, as on the command line: then all counts are counts of what is left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reductions: Vec<String>,
    /// Reachable program states (of a reduced system: at scheduling points), if the exploration finished.
    pub states: Option<String>,
    /// How many of them were explored, with the reduction `symmetry`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub representatives: Option<String>,
    /// Those and the states inside steps of the reduced system, if they were counted.
    pub visited: Option<String>,
    /// Deadlocked states among them, if they were asked for and the exploration finished.
    pub deadlocks: Option<String>,
    /// States in which some thread has gone wrong, among those counted (of a model in DVE, beside them); none for a
    /// reduced system.
    pub wrong: Option<String>,
    /// Deadlocked states in which some thread has gone wrong.
    pub wrong_deadlocks: Option<String>,
    /// Steps taken, by the engines that take them one by one.
    pub transitions: Option<String>,
    /// Complete executions, where the technique keeps no states and none was cut short.
    pub executions: Option<String>,
    /// Executions begun that turned out to be superfluous.
    pub redundant: Option<String>,
    /// What was asked, and the answers.
    pub questions: Vec<Property>,
    /// The model's `expect` lines that this exploration speaks of, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<Expectation>,
    /// The most nodes of decision diagrams at once.
    pub peak_nodes: Option<String>,
    /// Bytes that sets, relations and caches held at most.
    pub memory: Option<String>,
    /// Steps on decision diagrams.
    pub operations: Option<String>,
    /// The engines that `auto` tried, the last one behind.
    pub attempts: Vec<Attempt>,
    /// How the processes did, if there were several, or levels were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distributed: Option<Distributed>,
    /// Limits in force, the one that was hit, and how far the work had come.
    pub limits: ReachLimits,
    /// Seconds.
    pub timing: ReachTiming,
    /// Things to know.
    pub notes: Vec<Note>,
    /// Why the theorem says nothing about what the reduced system does not have, if it does not.
    #[serde(skip)]
    pub gap: Option<Gap>,
    /// Whether a step violates the discipline.
    #[serde(skip)]
    pub violated: bool,
    /// Why the model is not for the techniques that were asked for (exit code 2).
    #[serde(skip)]
    pub refused: Option<String>,
    /// What speaks against all answers: the states were counted anew, and two engines disagree.
    #[serde(skip)]
    pub recounted: Option<Contradiction>,
    /// What shows the answers, for `coarsen verify`, if that was asked for and there is anything to show.
    #[serde(skip)]
    pub bundle: Option<Box<Bundle>>,
    /// Why something is missing in it.
    #[serde(skip)]
    pub no_bundle: Option<MissingEvidence>,
}

impl ReachReport {
    /// The reductions whose counts are not those of the original: sizes of orbits are known.
    pub fn not_counted(&self) -> Vec<String> {
        let all = self.reductions.iter().filter(|r| *r != "symmetry");
        all.cloned().collect()
    }

    /// The question whose answer something speaks against.
    pub fn contradicted(&self) -> Option<&Property> {
        self.questions.iter().find(|q| q.contradiction().is_some())
    }

    /// Whether something speaks against an answer (exit code 12).
    pub fn is_contradicted(&self) -> bool {
        self.recounted.is_some() || self.contradicted().is_some()
    }

    /// A report that knows nothing yet: verdict `unknown`, all else empty.
    pub fn undecided(model: &str, engine: &str) -> Self {
        ReachReport {
            schema_version: SCHEMA_VERSION,
            model: model.to_string(),
            verdict: Verdict::Unknown,
            reason: ReachReason::Undecided,
            engine: engine.to_string(),
            order: None,
            theorem: None,
            por: None,
            reductions: Vec::new(),
            states: None,
            representatives: None,
            visited: None,
            deadlocks: None,
            wrong: None,
            wrong_deadlocks: None,
            transitions: None,
            executions: None,
            redundant: None,
            questions: Vec::new(),
            expectations: Vec::new(),
            peak_nodes: None,
            memory: None,
            operations: None,
            attempts: Vec::new(),
            distributed: None,
            limits: ReachLimits::default(),
            timing: ReachTiming::default(),
            notes: Vec::new(),
            gap: None,
            violated: false,
            refused: None,
            recounted: None,
            bundle: None,
            no_bundle: None,
        }
    }
}

/// One attempt of the portfolio.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Attempt {
    /// The engine.
    pub engine: String,
    /// The order.
    pub order: String,
    /// Operations that it had used when it ended or was last interrupted, in all its turns.
    pub operations: String,
    /// Whether it finished.
    pub finished: bool,
}

/// The limits of `coarsen reach`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReachLimits {
    /// Nodes of decision diagrams at once, or of one BDD.
    pub nodes: Option<String>,
    /// Explicit states.
    pub states: Option<String>,
    /// Operations on decision diagrams, if limited.
    pub operations: Option<String>,
    /// Seconds, if limited.
    pub time: Option<f64>,
    /// Bytes, if limited.
    pub memory: Option<String>,
    /// Which limit was hit.
    pub hit: Option<Hit>,
    /// How far the work had come, if one was hit.
    pub so_far: Option<SoFar>,
}

/// Partial figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SoFar {
    /// States known to be reachable.
    pub states: Option<String>,
    /// The most nodes at once.
    pub nodes: Option<String>,
    /// Operations done.
    pub operations: Option<String>,
}

/// Seconds per phase of `coarsen reach`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReachTiming {
    /// Parsing, typing, control-flow graphs.
    pub front_end: f64,
    /// Inferring disciplines and settling hypotheses, for a reduced system.
    pub hypotheses: f64,
    /// Finding orders, building relations, exploring, counting.
    pub exploration: f64,
    /// Repeating executions.
    pub evidence: f64,
    /// All of it.
    pub total: f64,
}
