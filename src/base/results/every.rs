//! What `coarsen check --every N` says: of every value of a constant, from some value on.

use super::{Locations, Place, Rung, SCHEMA_VERSION, Status, Underived, Verdict, rung};
use crate::base::control::Hit;
use crate::base::diagnostic::Position;
use crate::base::evidence::Bundle;
use serde::{Serialize, Serializer};

/// The answer for a model and a constant.
#[derive(Clone, Debug, Serialize)]
pub struct EveryReport {
    /// Version of this format.
    pub schema_version: u32,
    /// The model's name.
    pub model: String,
    /// The theorem's name.
    pub theorem: String,
    /// The constant.
    pub constant: String,
    /// `holds`, or `unknown`.
    pub verdict: Verdict,
    /// The smallest value from which on the hypotheses hold, if they do.
    pub from: Option<String>,
    /// The value at which facts were looked for.
    pub instance: Option<String>,
    /// Each hypothesis.
    pub hypotheses: Vec<EveryHypothesis>,
    /// Whether the discipline is kept, for every value.
    pub discipline: Status,
    /// The sums over all threads that show it, or some hypothesis.
    #[serde(serialize_with = "all_told")]
    pub sums: Vec<OverThreads>,
    /// How many views of two threads show it, or some hypothesis, if what two threads see does.
    pub views: Option<String>,
    /// Why that is not known.
    #[serde(serialize_with = "told")]
    pub obstacle: Option<Obstacle>,
    /// The claims of transactions, if the discipline is kept.
    pub claims: Vec<EveryClaim>,
    /// The facts that were established, as they are shown.
    pub facts: Vec<String>,
    /// The limit that was hit.
    #[serde(serialize_with = "told")]
    pub limit: Option<Hit>,
    /// Wall-clock seconds.
    pub time: f64,
    /// What shows it, for `coarsen verify`, if that was asked for and there is anything to show.
    #[serde(skip)]
    pub bundle: Option<Box<Bundle>>,
}

/// A sum over all threads that is never above a bound. It may be about an index k, and then holds for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverThreads {
    /// How many threads are where.
    pub threads: Vec<Counted>,
    /// Variables, each with its factor.
    pub variables: Vec<(String, String)>,
    /// The bound, in terms of the constant.
    pub most: String,
}

/// How many threads are somewhere, with a factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The factor.
    pub factor: String,
    /// The family, or the thread of it that has index k.
    pub thread: String,
    /// Where.
    pub at: Locations,
    /// Whether only some of those count, by what their own variables hold.
    pub some: bool,
}

/// One hypothesis, for every value.
#[derive(Clone, Debug, Serialize)]
pub struct EveryHypothesis {
    /// Its name.
    pub id: String,
    /// `holds` for every value, or `unknown`.
    pub status: Status,
    /// From how many facts it was derived.
    pub facts: String,
    /// The lemmas that it uses.
    pub lemmas: Vec<String>,
    /// Whether it says nothing about this model, because some side is always empty.
    pub vacuous: bool,
    /// Of which states: `true` (all type-correct ones), or `thread_modular`; `none` if it is not known to hold.
    #[serde(serialize_with = "rung::by_id")]
    pub invariant: Option<Rung>,
    /// Why it is not known.
    #[serde(serialize_with = "told")]
    pub obstacle: Option<Obstacle>,
}

/// One claim of a transaction, for every value.
#[derive(Clone, Debug, Serialize)]
pub struct EveryClaim {
    /// Its name.
    pub name: String,
    /// `holds` for every value, or `unknown`.
    pub status: Status,
    /// The theorem by which it holds.
    pub theorem: Option<String>,
    /// Why it is not known.
    #[serde(serialize_with = "told")]
    pub obstacle: Option<BlockObstacle>,
}

/// Why a claim is not known to hold for every value. Steps are told by their texts, threads and places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockObstacle {
    /// A step behind the commit point is no left mover.
    NoMover {
        /// It.
        step: String,
        /// A step of another thread that it can't be moved before.
        beside: String,
        /// The step that commits.
        behind: String,
    },
    /// The block begins with a loop.
    BeginsWithLoop,
    /// No thread is seen to leave the block.
    NeverFinished,
    /// A property looks at what the block does.
    Looked(String),
    /// Deadlocks are asked for, and a step inside may have to wait. Nothing else stands against the claim that was
    /// looked at.
    Stuck {
        /// It.
        step: String,
        /// Why it may have to wait for ever.
        why: Unordered,
    },
    /// A step behind the commit point may have to wait.
    Waits(String),
    /// A step may go wrong in more than one way.
    GoesWrong {
        /// It.
        step: String,
        /// A step of the block that may decide in which.
        by: String,
    },
    /// A step behind the commit point may be taken twice.
    Loops(String),
    /// Nothing can be said of its threads.
    Unsaid(Obstacle),
}

/// Why locks are not known to be given back while a thread waits for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unordered {
    /// A step may wait, but not for a lock above all that its thread owns.
    NotAbove(String),
    /// Of two kinds of locks each is taken while the other is owned.
    BothOrders,
    /// Threads of this family may end with a lock.
    Ends(String),
    /// A step may go wrong while its thread owns a lock.
    GoesWrong(String),
}

/// Why something is not known to hold for every value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Where the text takes the constant's value, or a thread's index, for known.
    Text {
        /// Where.
        at: Position,
        /// What stands there.
        text: String,
    },
    /// The model has errors for all small values of the constant.
    NoInstance,
    /// It has none, but its text has one if the constant is left open.
    Open {
        /// Where.
        at: Position,
        /// What is wrong there.
        message: String,
    },
    /// For these values there are not two threads of each kind, or the model has errors.
    FewThreads(i64),
    /// No constant but this is left open, and it is none of the model's integers.
    NoConstant(String),
    /// Whether a step is visible differs from thread to thread.
    Visibility(Place),
    /// A thread's first step, which is invisible.
    FirstStep(Place),
    /// A variable's discipline is not the same for all its cells and threads.
    Discipline(String),
    /// A thread of a family is named in the text of others like it.
    Named(String),
    /// The same text has other steps when the constant is left open.
    OtherSteps(String),
    /// The hypothesis is not derived.
    Underived(Underived),
    /// What was derived in the instance is not derived again.
    Fact(String, Box<Obstacle>),
    /// This fact does not hold for every value.
    Fails,
    /// A term that is not linear.
    NotLinear,
    /// A step goes wrong for other values only.
    GoesWrong,
    /// A statement of a form that is not for generic threads.
    Form,
    /// Control may go through invisible steps twice.
    Loops,
    /// There are too many cases.
    Paths,
    /// A step accesses a protected variable, and nothing shows that its thread has access there.
    NoAccess {
        /// The variable.
        variable: String,
        /// The step.
        step: Place,
    },
    /// Nothing shows that two threads never have access to this variable.
    Overlap(String),
    /// The hypotheses are not known to hold.
    Hypotheses,
    /// The theorem's conclusion is not proved.
    Unproved,
    /// It takes more work than is done unasked.
    Unasked,
    /// A limit was hit.
    Limit(Hit),
}

impl EveryReport {
    /// The same if nobody asked: a limit that was hit is that of what is done unasked.
    pub fn unasked(self) -> Self {
        let by_limit = matches!(self.obstacle, Some(Obstacle::Limit(_) | Obstacle::Paths));
        let obstacle = match self.limit.is_some() || by_limit {
            true => Some(Obstacle::Unasked),
            false => self.obstacle,
        };
        EveryReport {
            limit: None,
            obstacle,
            ..self
        }
    }

    /// Nothing known yet.
    pub fn undecided(model: &str, theorem: &str, constant: &str) -> Self {
        EveryReport {
            schema_version: SCHEMA_VERSION,
            model: model.to_string(),
            theorem: theorem.to_string(),
            constant: constant.to_string(),
            verdict: Verdict::Unknown,
            from: None,
            instance: None,
            hypotheses: Vec::new(),
            discipline: Status::Unknown,
            sums: Vec::new(),
            views: None,
            obstacle: None,
            claims: Vec::new(),
            facts: Vec::new(),
            limit: None,
            time: 0.0,
            bundle: None,
        }
    }
}

/// Each as a sentence.
fn all_told<S: Serializer>(all: &[OverThreads], s: S) -> Result<S::Ok, S::Error> {
    s.collect_seq(all.iter().map(ToString::to_string))
}

/// As a sentence.
fn told<S: Serializer>(of: &Option<impl ToString>, s: S) -> Result<S::Ok, S::Error> {
    match of {
        Some(x) => s.serialize_some(&x.to_string()),
        None => s.serialize_none(),
    }
}
