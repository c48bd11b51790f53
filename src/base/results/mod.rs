//! What the commands found, as plain data.
//!
//! Counts are decimal strings of any size; `None` means
//! "not known", never zero.

mod compare;
mod contradiction;
mod coverage;
pub mod derivation;
mod discipline;
pub mod distributed;
mod every;
mod evidence;
mod movers;
mod note;
pub mod problems;
pub mod proofs;
mod property;
mod reach;
mod reason;
pub mod replayed;
mod rung;
mod simulate;
mod step;
mod trace;
mod witness;

pub use compare::{CompareReport, CompareRow, CompareTiming};
pub use contradiction::Contradiction;
pub use coverage::{Coverage, Covered, Onward, Stuck};
pub use discipline::{Discipline, Inferred, Locations, Refutation, Region, Revision, Writer};
pub use every::{
    BlockObstacle, Counted, EveryClaim, EveryHypothesis, EveryReport, Obstacle, OverThreads,
    Unordered,
};
pub use evidence::{
    Derivation, Evaluated, Evidence, Needed, Place, Places, SyntacticFact, Textual, Unavailable,
    Underived,
};
pub use movers::{
    Annotation, Clash, Condition, Conditional, Exchange, Impossible, Law, Missed, MoverClass,
    MoverStatement, MoversReason, MoversReport, Sharing, Spot, Transaction, Use, Way,
};
pub use note::{Asymmetry, Candidate, CompareNote, CrossCheck, Difference, MissingEvidence, Note};
pub use property::{
    ClaimReason, Conclusion, Distinction, Doubt, Gap, NoTheorem, Property, PropertyKind,
    PropertyReason, SeenAs, Silence, Unmet,
};
pub use reach::{Attempt, ReachLimits, ReachReport, ReachTiming, SoFar};
pub use reason::{CheckReason, CompareReason, ReachReason, RowReason, RowVerdict};
pub use rung::Rung;
pub use simulate::{Ended, SimulateReport};
pub use step::{Remark, Shared, Step, VisibilityReason};
pub use trace::{
    Change, Code, Failure, Outcome, Overlap, Trace, TraceStep, TraceVariable, Value, Violation,
};
pub use witness::{Common, Exclusion, Lock, LockFact, Mend, NoTrace, Part, Shape, Start, Witness};

use crate::base::control::Hit;
use crate::base::diagnostic::Position;
use crate::base::evidence::{Bundle, WeakPath};
use distributed::Distributed;
use serde::{Serialize, Serializer};

/// Version of the JSON form; raised when a field changes its meaning or goes away.
pub const SCHEMA_VERSION: u32 = 1;

/// Results that stand in JSON as the sentences that people read, which `report` makes.
macro_rules! as_sentences {
    ($($result:ty),*) => {$(
        impl Serialize for $result {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }
    )*};
}

as_sentences!(
    CheckReason,
    CompareReason,
    Condition,
    Demand,
    Discipline,
    Evidence,
    Found,
    Hit,
    LemmaReason,
    MoversReason,
    Note,
    Outcome,
    PropertyReason,
    ReachReason,
    Refutation,
    Remark,
    RowReason,
    Sharing,
    Violation
);

/// The answer for one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The discipline and every property hold in the original program.
    Holds,
    /// A violation was found and re-executed on the original program.
    Refuted,
    /// A hypothesis of the theorem fails in a reachable state: the theorem does not apply.
    HypothesisRefuted,
    /// A limit was hit, or a hypothesis fails in a state not known to be reachable.
    Unknown,
}

impl Verdict {
    /// The name in reports' data.
    pub fn id(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Refuted => "refuted",
            Verdict::HypothesisRefuted => "hypothesis_refuted",
            Verdict::Unknown => "unknown",
        }
    }
}

/// The answer for one hypothesis, well-formedness condition or property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It holds.
    Holds,
    /// It does not, and there is a witness.
    Refuted,
    /// Not decided; the reason says why.
    Unknown,
}

impl Status {
    /// The name in reports' data.
    pub fn id(self) -> &'static str {
        match self {
            Status::Holds => "holds",
            Status::Refuted => "refuted",
            Status::Unknown => "unknown",
        }
    }
}

/// Everything `coarsen check` says about one model.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The model's file name as given.
    pub model: String,
    /// The answer.
    pub verdict: Verdict,
    /// Why.
    pub reason: CheckReason,
    /// Name of the reduction theorem.
    pub theorem: String,
    /// Where the theorem comes from.
    pub theorem_source: String,
    /// The well-formedness conditions that the theorem's use needs (section 4 of the paper).
    pub well_formedness: Vec<Hypothesis>,
    /// The theorem's hypotheses in the order of the theory file.
    pub hypotheses: Vec<Hypothesis>,
    /// In which ways states of the reduced system were seen as one, as on the command line: its counts are then those
    /// of what is left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reductions: Vec<String>,
    /// Exact state counts.
    pub states: States,
    /// Whether the answers come from an exploration of the original program, which needs no theorem.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_full: bool,
    /// Discipline, assertions and the user's properties.
    pub properties: Vec<Property>,
    /// The blocks that are claimed to be transactions.
    pub claims: Vec<Claim>,
    /// The user's lemmas; they have no influence on the verdict but through the invariant.
    pub lemmas: Vec<Lemma>,
    /// What the model declares to protect what, as it says it.
    pub declared: Vec<String>,
    /// The disciplines of variables that declare none, as inferred.
    pub discipline: Vec<Inferred>,
    /// How those were arrived at, in order.
    pub revisions: Vec<Revision>,
    /// The model's text with the inferred disciplines as annotations, if that was asked for.
    pub annotated: Option<String>,
    /// Steps that are visible.
    pub visible: Vec<Step>,
    /// Steps that are invisible.
    pub invisible: Vec<Step>,
    /// The inductive invariant under which the hypotheses were evaluated, the highest rung that one of them needed:
    /// `true`, `lock_ownership`, `thread_modular`, `lemmas`, `reachable` or `none` (none will do).
    #[serde(serialize_with = "rung::by_id")]
    pub invariant: Option<Rung>,
    /// Limits in force, and the one that was hit.
    pub limits: Limits,
    /// Seconds per phase.
    pub timing: Timing,
    /// Things to know: no discipline word, nothing invisible, constants overridden, ...
    pub notes: Vec<Note>,
    /// What is executed, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// `expect` lines of the model and whether they were met (empty when `-D` switched them off).
    pub expectations: Vec<Expectation>,
    /// Sizes that explain the cost.
    pub statistics: Statistics,
    /// Whether no state satisfies the initial values, so that everything holds vacuously.
    #[serde(skip)]
    pub vacuous: bool,
    /// What shows that properties hold, for `coarsen verify`, if that was asked for and there is anything to show.
    #[serde(skip)]
    pub bundle: Option<Box<Bundle>>,
    /// Why there is none, though it was asked for, if not because nothing is established.
    #[serde(skip)]
    pub no_bundle: Option<MissingEvidence>,
    /// The properties that were asked for, if not all were.
    #[serde(skip)]
    pub only: Vec<String>,
    /// Whether the run is one that the model's `expect` lines speak of.
    #[serde(skip)]
    pub as_by_default: bool,
    /// What the theorem is not known to say.
    #[serde(skip)]
    pub silence: Silence,
    /// The file of a theorem whose conclusion is not proved: nothing is concluded then.
    #[serde(skip)]
    pub unproved: Option<String>,
    /// What is known for every value of constants that number threads, if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub every: Vec<EveryReport>,
    /// How the processes did, if several explored, or levels were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distributed: Option<Distributed>,
}

impl Report {
    /// What speaks against the answer, and of what it was said: a property, or a hypothesis.
    pub fn contradiction(&self) -> Option<(&str, &Contradiction)> {
        let properties = self.properties.iter();
        let mut properties = properties.map(|p| (p.name.as_str(), p.contradiction()));
        let hypotheses = self.hypotheses.iter();
        let mut hypotheses = hypotheses.map(|h| (h.id.as_str(), h.contradiction.as_ref()));
        let contradicted = |(name, found)| Some((name, found?));
        let property = properties.find_map(contradicted);
        property.or_else(|| hypotheses.find_map(contradicted))
    }

    /// Whether something speaks against an answer (exit code 12).
    pub fn is_contradicted(&self) -> bool {
        self.contradiction().is_some()
    }

    /// How many states the original program has, if they were counted. Where nothing goes wrong, what was looked at for
    /// coverage is the original program.
    pub fn original_states(&self) -> Option<&String> {
        let holds = self.verdict == Verdict::Holds;
        let covered = self.coverage.as_ref();
        let covered = covered.filter(|c| holds && c.complete).map(|c| &c.states);
        self.states.original.as_ref().or(covered)
    }

    /// A report that knows nothing yet: verdict `unknown`, all else empty.
    pub fn undecided(model: &str, theorem: &str) -> Self {
        Report {
            schema_version: SCHEMA_VERSION,
            model: model.to_string(),
            verdict: Verdict::Unknown,
            reason: CheckReason::Undecided,
            theorem: theorem.to_string(),
            theorem_source: String::new(),
            well_formedness: Vec::new(),
            hypotheses: Vec::new(),
            reductions: Vec::new(),
            states: States::default(),
            in_full: false,
            properties: Vec::new(),
            claims: Vec::new(),
            lemmas: Vec::new(),
            declared: Vec::new(),
            discipline: Vec::new(),
            revisions: Vec::new(),
            annotated: None,
            visible: Vec::new(),
            invisible: Vec::new(),
            invariant: None,
            limits: Limits::default(),
            timing: Timing::default(),
            notes: Vec::new(),
            coverage: None,
            every: Vec::new(),
            distributed: None,
            expectations: Vec::new(),
            statistics: Statistics::default(),
            vacuous: false,
            bundle: None,
            no_bundle: None,
            only: Vec::new(),
            as_by_default: true,
            silence: Silence::default(),
            unproved: None,
        }
    }
}

/// What `coarsen eval` says about one inclusion or equation on one model.
#[derive(Clone, Debug, Serialize)]
pub struct EvalReport {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The model's file name as given.
    pub model: String,
    /// The statement as given.
    pub statement: String,
    /// The answer.
    pub status: Status,
    /// How it was settled, or why it was not.
    pub evidence: Evidence,
    /// How many instances it has on this model.
    pub instances: String,
    /// Why it fails, if it does.
    pub witness: Option<Witness>,
}

/// One hypothesis or well-formedness condition.
#[derive(Clone, Debug, Serialize)]
pub struct Hypothesis {
    /// `"11"` .. `"18"`, or the name of a well-formedness condition such as `WFinitVis`.
    pub id: String,
    /// The formula as it stands in the theory file.
    pub formula: String,
    /// What it says.
    pub words: Demand,
    /// The answer.
    pub status: Status,
    /// How many instances it has on this model.
    pub instances: String,
    /// How it was settled, in what detail is known; as a sentence in JSON, which begins with `derived` or `evaluated`
    /// if it was.
    pub evidence: Evidence,
    /// How it was settled.
    pub discharge: Discharge,
    /// What speaks against it.
    #[serde(skip)]
    pub contradiction: Option<Contradiction>,
    /// From how many facts about single steps it was derived.
    pub facts: String,
    /// True if some side is empty in every instance, so that it says nothing about this model.
    pub vacuous: bool,
    /// The highest rung of the invariant that an instance of it needs (see [`Report::invariant`]); `none` if it does
    /// not hold.
    #[serde(serialize_with = "rung::by_id")]
    pub invariant: Option<Rung>,
    /// Why it fails, if it does.
    pub witness: Option<Witness>,
    /// Why it fails on weaker invariants than the one it holds on: witnesses whose first states are unreachable. First
    /// one on all type-correct states, then, if there is a rung between, one on the highest rung below.
    pub excluded: Vec<Witness>,
}

/// What a theorem demands of a program: a hypothesis, or a well-formedness condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand {
    /// What the theory's file says.
    Theory(String),
    /// The first steps of all threads are visible.
    FirstSteps,
    /// No two exclusive access predicates overlap in the initial states.
    Predicates,
    /// The same, of the threads that have access by them.
    Access,
    /// No invisible step leads out of the states that this goal is about.
    NotHidden(String),
    /// No mover hides the states that this goal is about.
    NotMoved(String),
    /// All threads are outside transactions in the states that this goal is about.
    Outside(String),
}

/// How a hypothesis was settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Discharge {
    /// Proved from facts about single steps; the kernel has replayed the proof.
    Derived,
    /// Evaluated on relations, or by looking at the initial states.
    Evaluated,
    /// Read off the program's text, where BDDs would be too large.
    Text,
    /// Not at all.
    #[default]
    None,
}

/// A variable and its value, both as the user writes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Binding {
    /// The variable, cell, owner (`m[0].owner`) or location (`worker(0)`).
    pub name: String,
    /// The value.
    pub value: String,
}

/// Exact state counts: program states without q, at scheduling points.
#[derive(Clone, Debug, Default, Serialize)]
pub struct States {
    /// Reachable states of the original program (with `--cross-check`, or if it was explored in full).
    pub original: Option<String>,
    /// States of the reduced system.
    pub reduced: Option<String>,
    /// The reduced states and those inside its steps, if they were counted.
    pub visited: Option<String>,
}

/// A claim that a block may be treated as atomic, and what supports or refutes it. Its verdict stands among the
/// properties, too.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// Line of the name, from 1.
    pub line: usize,
    /// Its column there, in characters from 1.
    pub column: usize,
    /// The answer.
    pub verdict: Status,
    /// The reduction theorem by which it holds: the first of those tried whose pattern every copy of the block has.
    /// Without one, all states of this instance were compared.
    pub theorem: Option<String>,
    /// The lines whose steps are weakened for the theorem: none if it is enough to take the block path by path. Only
    /// there if the block as it stands does not have the pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weakened: Option<Vec<usize>>,
    /// The paths that are weakened there.
    #[serde(skip)]
    pub paths: Option<Vec<WeakPath>>,
    /// The block in each thread that has it.
    pub blocks: Vec<ClaimBlock>,
    /// What stands in the way, where it does not hold.
    pub conflict: Option<Conflict>,
    /// What came between the block's steps in the execution that refutes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interruption: Option<Interruption>,
    /// A thread that can get stuck inside, in a deadlock, and the line.
    pub can_block: Option<BlockedThread>,
    /// The variables that the block writes, and that are not observed once it is left.
    pub unseen: Vec<String>,
    /// The strongest invariant that its movers need.
    #[serde(skip)]
    pub invariant: Option<Rung>,
}

/// A thread that waits, and where.
#[derive(Clone, Debug, Serialize)]
pub struct BlockedThread {
    /// The thread.
    pub thread: String,
    /// Where.
    #[serde(flatten)]
    pub at: Position,
}

/// A claimed block in one thread.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimBlock {
    /// The thread.
    pub thread: String,
    /// Its actions, with what they are as movers.
    pub actions: Vec<MovingStep>,
    /// Those at which it may commit: the first that are no right movers.
    pub commits: Vec<Step>,
}

/// An action and what it is as a mover.
#[derive(Clone, Debug, Serialize)]
pub struct MovingStep {
    /// The action.
    pub step: Step,
    /// What it is.
    pub class: MoverClass,
}

/// A step of another thread between two of a block, in an execution that the block does not have if it is atomic.
#[derive(Clone, Debug, Serialize)]
pub struct Interruption {
    /// The block's last step before.
    pub before: Step,
    /// The step of the other thread.
    pub between: Step,
    /// The block's next step, which is taken later, or never.
    pub behind: Step,
    /// A variable that one of the two uses and the other writes.
    pub variable: String,
    /// Whether the other thread may write it.
    pub writes: bool,
}

/// Two actions that do not commute as they would have to.
#[derive(Clone, Debug, Serialize)]
pub struct Conflict {
    /// The action of the block.
    pub action: Step,
    /// The action of another thread.
    pub other: Step,
    /// The action of the block that may have committed before.
    pub committed: Step,
    /// The law that fails, with a for the action and b for the other.
    #[serde(flatten)]
    pub law: Law,
}

/// A lemma: a state expression that may strengthen the invariant.
#[derive(Clone, Debug, Serialize)]
pub struct Lemma {
    /// Its name.
    pub name: String,
    /// Line in the source, from 1.
    pub line: usize,
    /// `holds` if it is inductive (or true in all reachable states), `refuted` if it is false in a reachable state,
    /// else `unknown`.
    pub status: Status,
    /// Why.
    pub reason: LemmaReason,
    /// Whether the hypotheses were evaluated on the states that it allows.
    pub used: bool,
    /// The step that breaks it, if it is not inductive.
    pub step: Option<Step>,
    /// The state before that step, or the reachable state in which it is false.
    pub state: Vec<Binding>,
    /// A re-executed execution to a state in which it is false, if it is refuted and that was cheap.
    pub trace: Option<Trace>,
}

/// Why a lemma has its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LemmaReason {
    /// Nobody has looked at it.
    NotJudged,
    /// The invariant below it could not be had.
    Unavailable(Unavailable),
    /// It is inductive.
    Inductive {
        /// Whether the hypotheses were evaluated on the states that it allows.
        used: bool,
    },
    /// It is false in an initial state.
    Initially,
    /// It is false in a reachable state.
    Reachable,
    /// It is true, but this step breaks it from a state that is not reachable.
    True(Place),
    /// This step breaks it, from a state not known to be unreachable.
    Broken(Place),
}

/// The limits in force.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Limits {
    /// Nodes of one BDD.
    pub nodes: Option<String>,
    /// Explicit states of `--cross-check`.
    pub states: Option<String>,
    /// Seconds, if limited.
    pub time: Option<f64>,
    /// Bytes, if limited.
    pub memory: Option<String>,
    /// Which limit was hit.
    pub hit: Option<Hit>,
}

/// Seconds per phase.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Timing {
    /// Parsing, typing, control-flow graphs.
    pub front_end: f64,
    /// Building relations, visibility.
    pub encoding: f64,
    /// Guessing and revising disciplines, all rounds but the last.
    pub inference: f64,
    /// Checking the hypotheses.
    pub hypotheses: f64,
    /// The reduced fixpoint.
    pub exploration: f64,
    /// Traces, counting, cross-check.
    pub evidence: f64,
    /// All of it.
    pub total: f64,
}

/// An `expect` line.
#[derive(Clone, Debug, Serialize)]
pub struct Expectation {
    /// The line, such as `expect reduced 62`.
    pub text: String,
    /// Whether it was met; `None` if this run did not establish what it speaks of.
    pub met: Option<bool>,
    /// What was found.
    pub found: Found,
}

/// What was found where the model expects something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing in this run.
    Nothing,
    /// This verdict.
    Verdict(Verdict),
    /// This answer for a property.
    Status(Status),
    /// So many states.
    Count(String),
}

/// Sizes that explain the cost.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Statistics {
    /// Threads.
    pub threads: Option<String>,
    /// Actions (locations with a step) over all threads.
    pub actions: Option<String>,
    /// Boolean variables of the encoding (one copy).
    pub bits: Option<String>,
    /// Pairs of actions checked for the commutation hypotheses.
    pub pairs_checked: Option<String>,
    /// Pairs skipped because their footprints do not conflict.
    pub pairs_skipped: Option<String>,
    /// Rounds over the threads to the fixpoint.
    pub rounds: Option<String>,
    /// Nodes of the largest state set.
    pub peak_nodes: Option<String>,
}
