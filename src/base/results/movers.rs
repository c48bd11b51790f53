//! What `coarsen movers` found, as plain data.

use super::{Binding, Expectation, Gap, Note, SCHEMA_VERSION, Status, Step};
use crate::base::control::Stop;
use crate::base::diagnostic::{Position, Span};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// The movers of a model, and its transactions.
#[derive(Clone, Debug, Serialize)]
pub struct MoversReport {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The model's file name as given.
    pub model: String,
    /// Whether the discipline is known to hold: movers are established for executions that keep it.
    pub disciplined: bool,
    /// What was found, or why nothing.
    pub reason: MoversReason,
    /// What the model says of blocks as movers, in the order of the text.
    pub annotations: Vec<Annotation>,
    /// Every statement, those of the same threads together, in the order of the text.
    pub statements: Vec<MoverStatement>,
    /// The longest runs of statements that have a theorem's form, theorem by theorem, the least demanding first.
    pub transactions: Vec<Transaction>,
    /// What the model expects of movers: what it says of blocks, and its `expect` lines.
    pub expectations: Vec<Expectation>,
    /// Seconds for all of it.
    pub seconds: f64,
    /// Things to know.
    pub notes: Vec<Note>,
}

impl MoversReport {
    /// Whether it is not known what the transactions are.
    pub fn is_open(&self) -> bool {
        matches!(
            self.reason,
            MoversReason::Stopped(..) | MoversReason::Open(_)
        )
    }

    /// Whether what the model says of blocks is so: refuted if something is, else unknown if something is.
    pub fn annotated(&self) -> Status {
        let any = |v: Status| self.annotations.iter().any(|a| a.verdict == v);
        match (any(Status::Refuted), any(Status::Unknown)) {
            (true, _) => Status::Refuted,
            (_, true) => Status::Unknown,
            _ => Status::Holds,
        }
    }

    /// A report that knows nothing yet.
    pub fn undecided(model: &str) -> Self {
        MoversReport {
            schema_version: SCHEMA_VERSION,
            model: model.to_string(),
            disciplined: false,
            reason: MoversReason::Undecided,
            annotations: Vec::new(),
            statements: Vec::new(),
            transactions: Vec::new(),
            expectations: Vec::new(),
            seconds: 0.0,
            notes: Vec::new(),
        }
    }
}

/// What a model says of a block as a mover, and whether that is so.
#[derive(Clone, Debug, Serialize)]
pub struct Annotation {
    /// The name of the block.
    pub name: String,
    /// `left`, `right`, `both` or `atomic`.
    pub said: &'static str,
    /// Its line, from 1.
    pub line: usize,
    /// Its column there, in characters from 1.
    pub column: usize,
    /// Whether a thread may enter the block. If none does, the annotation says nothing, and is unknown.
    pub entered: bool,
    /// Holds if all steps are what is said, in all threads that have the block. Refuted if one is not, from a reachable
    /// state.
    pub verdict: Status,
    /// An action of each statement that is not what is said. For `atomic`: one that is no right mover, and one behind
    /// it that is no left mover.
    pub against: Vec<Step>,
}

/// What `coarsen movers` found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoversReason {
    /// Nothing yet.
    Undecided,
    /// A limit was hit in this phase.
    Stopped(Stop, String),
    /// The theorem that was asked for says nothing of transactions, for this reason.
    Open(Gap),
    /// So many statements of each class.
    Found {
        /// The classes, with how many statements are of each.
        classes: [(MoverClass, usize); 5],
        /// Transactions of more than one action, by the most demanding theorem.
        long: usize,
    },
}

/// What an action is as a mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MoverClass {
    /// It shares nothing with other threads.
    Local,
    /// A right and a left mover.
    Both,
    /// A right mover.
    Right,
    /// A left mover.
    Left,
    /// No mover.
    Non,
}

impl MoverClass {
    /// All classes.
    pub const ALL: [MoverClass; 5] = [
        MoverClass::Local,
        MoverClass::Both,
        MoverClass::Right,
        MoverClass::Left,
        MoverClass::Non,
    ];

    /// The name in reports' data.
    pub fn id(self) -> &'static str {
        match self {
            MoverClass::Local => "local",
            MoverClass::Both => "both",
            MoverClass::Right => "right",
            MoverClass::Left => "left",
            MoverClass::Non => "non",
        }
    }
}

/// A law that an action has to obey as a mover: a is the action, b the other. It stands in JSON as a formula and in
/// words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Law {
    /// `a b <= b a`, for right movers
    Right,
    /// a does not lead to a state from which b violates the discipline, unless b did before.
    RightViolation,
    /// b does not keep a from violating the discipline.
    RightHidden,
    /// a does not lead into the set from outside.
    Enters,
    /// `b a <= a b`, for left movers
    Left,
    /// b takes no outcome from a, and does not disable it.
    Outcome,
    /// b does not lead to a state from which a violates the discipline, unless a did before.
    LeftViolation,
    /// a does not keep b from violating the discipline.
    LeftHidden,
    /// a does not lead out of the set.
    Leaves,
}

impl Law {
    /// The law as a formula, or what stands for it.
    pub fn formula(self) -> &'static str {
        match self {
            Law::Right => "a b <= b a",
            Law::RightViolation => "a b q <= b q T",
            Law::RightHidden => "q-step of a, b",
            Law::Enters => "a {V} <= {V} T",
            Law::Left => "b a <= a b",
            Law::Outcome => "e(a) b <= b e(a)",
            Law::LeftViolation => "b a q <= a q T",
            Law::LeftHidden => "q-step of b, a",
            Law::Leaves => "{V} a <= a {V}",
        }
    }

    /// Whether it is about violations of the discipline.
    pub fn is_about_violations(self) -> bool {
        use Law::{LeftHidden, LeftViolation, RightHidden, RightViolation};
        matches!(
            self,
            RightViolation | RightHidden | LeftViolation | LeftHidden
        )
    }
}

impl Serialize for Law {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut law = to.serialize_struct("Law", 2)?;
        law.serialize_field("law", self.formula())?;
        law.serialize_field("words", &self.to_string())?;
        law.end()
    }
}

/// A statement as a mover: all its actions that are of one class, in all threads that have it.
#[derive(Clone, Debug, Serialize)]
pub struct MoverStatement {
    /// Where it stands: a label, or `line 12`.
    pub location: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column there, in characters from 1.
    pub column: usize,
    /// The first line of its text.
    pub text: String,
    /// The threads that have it.
    pub threads: Vec<String>,
    /// How many actions it is in all of them.
    pub actions: String,
    /// What it is.
    pub class: MoverClass,
    /// Why; of the action that shares most.
    pub why: Sharing,
    /// The strongest invariant that was needed for it, as for hypotheses.
    pub invariant: String,
    /// Why it is no right mover.
    pub right: Option<Missed>,
    /// Why it is no left mover.
    pub left: Option<Missed>,
    /// What it is under a condition, where that is more.
    pub under: Vec<Conditional>,
    /// What its steps are that go one way of several, where that is more.
    pub branches: Vec<Way>,
}

/// The class of the steps of a statement that go one way. What all its ways have in common is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Way {
    /// `Both`, `Right` or `Left`.
    pub class: MoverClass,
    /// The statement that is taken, if there is a choice.
    pub taken: Option<Spot>,
    /// Where they go on, if some go elsewhere.
    pub then: Option<Spot>,
    /// The variables of others' that they write, if some write others.
    pub writes: Option<Vec<String>>,
}

/// A statement in the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spot {
    /// Its line, from 1; 0 if it has none.
    pub line: usize,
    /// Its column there, in characters from 1; 0 if it has none.
    pub column: usize,
    /// The first line of its text, or the name of the place where a thread rests.
    pub text: String,
}

/// Why a statement is no right, or no left, mover: the first thing in the way.
#[derive(Clone, Debug)]
pub struct Missed {
    /// The thread whose action it is about, a.
    pub thread: String,
    /// The action of another thread, b.
    pub other: Step,
    /// The law that fails.
    pub law: Law,
    /// What both use, and one of them writes.
    pub clashes: Vec<Clash>,
    /// A state from which the law fails; none if it has too many outcomes to look at.
    pub exchange: Option<Exchange>,
    /// The other statements in the way, an action of each.
    pub more: Vec<Step>,
}

impl Serialize for Missed {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut missed = to.serialize_struct("Missed", 8)?;
        missed.serialize_field("thread", &self.thread)?;
        missed.serialize_field("other", &self.other)?;
        missed.serialize_field("law", self.law.formula())?;
        missed.serialize_field("words", &self.to_string())?;
        missed.serialize_field("violation", &self.law.is_about_violations())?;
        missed.serialize_field("clashes", &self.clashes)?;
        missed.serialize_field("exchange", &self.exchange)?;
        missed.serialize_field("more", &self.more)?;
        missed.end()
    }
}

/// A variable that both actions use, and at least one writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Clash {
    /// Its name; or that of a thread.
    pub variable: String,
    /// What the statement's action does.
    pub this: Use,
    /// What the other does.
    pub other: Use,
}

/// What an action does with a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// It reads it, and no more.
    Reads,
    /// It writes it.
    Writes,
    /// It does not use it, but has the right to what it accesses by its value.
    Needs,
    /// The variable stands for a thread: it depends on where that is.
    Looks,
    /// The variable stands for its thread, which it takes elsewhere.
    Goes,
}

/// Two actions in both orders, from a state from which a law fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exchange {
    /// The state, as far as the two look at it.
    pub state: Vec<Binding>,
    /// Whether it is known to be reachable; else that was not settled within the budget. (A law that fails from
    /// unreachable states only does not fail.)
    pub reachable: bool,
    /// What the order that the law starts with gives, where the other gives something else.
    pub taken: Vec<Binding>,
    /// What the other order gives there; none if it is impossible.
    pub swapped: Option<Vec<Binding>>,
    /// Why it is impossible, if it is.
    pub impossible: Option<Impossible>,
}

/// Why two actions have no second order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Impossible {
    /// That which would come first has no step then.
    First,
    /// That which would come second has none behind it.
    Second,
    /// That which would come first would violate the discipline.
    FirstViolates,
    /// That which would come second would violate the discipline behind it.
    SecondViolates,
}

/// How many actions of other threads share something with an action, and what becomes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// All of them.
    pub actions: usize,
    /// Those that can't come next to it.
    pub excluded: usize,
    /// Those that keep it from being a right mover.
    pub right: usize,
    /// Those that keep it from being a left mover.
    pub left: usize,
}

/// The class of a statement where a condition holds.
#[derive(Clone, Debug, Serialize)]
pub struct Conditional {
    /// `Both`, `Right` or `Left`.
    pub class: MoverClass,
    /// The condition, as each thread says it of itself.
    pub condition: Condition,
    /// The threads for whose actions this is so.
    pub threads: Vec<String>,
}

/// A condition under which an action is more than otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Its thread holds this lock.
    Holds(String),
    /// This lock is free.
    Free(String),
    /// Its thread has exclusive access to this cell.
    Access(String),
    /// An expression of the model's language.
    Expression(String),
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
    /// The column there, in characters from 1.
    pub column: usize,
    /// Its last line.
    pub last_line: usize,
    /// How many actions it has.
    pub actions: String,
    /// Where it may commit.
    #[serde(serialize_with = "lines")]
    pub commits: Vec<Position>,
    /// Its statements as they stand in the model.
    pub text: String,
    /// Where they stand.
    #[serde(skip)]
    pub span: Span,
}

/// The lines of places, each once.
fn lines<S: Serializer>(places: &[Position], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(places.iter().map(|p| p.line).collect::<BTreeSet<usize>>())
}
