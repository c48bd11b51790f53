//! What `coarsen movers` found, as plain data.

use super::{Gap, Note, SCHEMA_VERSION, Step};
use crate::base::control::Stop;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

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
    /// Every action, thread by thread in the order of the text.
    pub actions: Vec<MoverAction>,
    /// The longest runs of statements that have a theorem's form, theorem by theorem, the least demanding first.
    pub transactions: Vec<Transaction>,
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

    /// A report that knows nothing yet.
    pub fn undecided(model: &str) -> Self {
        MoversReport {
            schema_version: SCHEMA_VERSION,
            model: model.to_string(),
            disciplined: false,
            reason: MoversReason::Undecided,
            actions: Vec::new(),
            transactions: Vec::new(),
            seconds: 0.0,
            notes: Vec::new(),
        }
    }
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
    /// So many actions of each class.
    Found {
        /// The classes, with how many actions are of each.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// An action as a mover.
#[derive(Clone, Debug, Serialize)]
pub struct MoverAction {
    /// The action.
    pub step: Step,
    /// What it is.
    pub class: MoverClass,
    /// Why.
    pub why: Sharing,
    /// The strongest invariant that was needed for it, as for hypotheses.
    pub invariant: String,
    /// What keeps it from being a right mover.
    pub right: Vec<Blocked>,
    /// What keeps it from being a left mover.
    pub left: Vec<Blocked>,
    /// What it is under a condition, where that is more.
    pub under: Vec<Conditional>,
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

/// The class of an action where a condition holds.
#[derive(Clone, Debug, Serialize)]
pub struct Conditional {
    /// `Both`, `Right` or `Left`.
    pub class: MoverClass,
    /// The condition.
    pub condition: Condition,
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

/// An action of another thread that an action does not commute with.
#[derive(Clone, Debug, Serialize)]
pub struct Blocked {
    /// The other action, b.
    pub other: Step,
    /// The law that fails; a is the action itself.
    #[serde(flatten)]
    pub law: Law,
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
