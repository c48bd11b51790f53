//! Why an inclusion between relations fails, and what excludes that.

use super::{Binding, Rung, Step, Trace, Unavailable};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// Why an inclusion between relations fails.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The instance: a thread for each variable; empty if there is nothing to choose.
    pub instance: Vec<Binding>,
    /// The rung of the invariant on whose states it fails.
    pub invariant: Option<Rung>,
    /// The inequality that fails, instantiated.
    pub inequality: String,
    /// What it was about.
    pub shape: Shape,
    /// States s1, s2, .. along the left side; variables not shown do not matter.
    pub states: Vec<Vec<Binding>>,
    /// The steps between them (one less than there are states), or the single step concerned.
    pub steps: Vec<Step>,
    /// Whether s1 is reachable in the original program.
    pub start: Start,
    /// How to mend it.
    pub mend: Option<Mend>,
}

/// What a failed inclusion was about, as far as its form tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `x y <= .. y x ..`: the two should have commuted.
    Swap,
    /// `x^w <= 0`: there should have been no infinite run.
    Endless,
    /// Anything else.
    Other,
}

/// Whether the first state of a witness is reachable in the original program.
#[derive(Clone, Debug)]
pub enum Start {
    /// That is not known, for this reason if one is known.
    Unknown(Option<Unavailable>),
    /// It is not.
    Unreachable(Exclusion),
    /// It is; with a re-executed execution to it, each of whose actions is a coarse step of its own.
    Reachable(Result<Box<Trace>, NoTrace>),
}

impl Start {
    /// Whether it is reachable, if that is known.
    pub fn is_reachable(&self) -> Option<bool> {
        match self {
            Start::Unknown(_) => None,
            Start::Unreachable(_) => Some(false),
            Start::Reachable(_) => Some(true),
        }
    }

    /// An execution to it.
    pub fn trace(&self) -> Option<&Trace> {
        match self {
            Start::Reachable(Ok(trace)) => Some(trace),
            _ => None,
        }
    }
}

/// Why there is no trace to a state, although it is reachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTrace {
    /// The interpreter could not repeat the execution.
    NotRepeated,
    /// The search for one has built so many nodes.
    Budget(u64),
    /// There was none.
    NotFound,
}

/// What excludes a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exclusion {
    /// Its values are not those of a type-correct state.
    Types,
    /// What lock ownership says.
    LockOwnership(Vec<LockFact>),
    /// The thread-modular invariant: these parts never come together.
    ThreadModular(Vec<Part>),
    /// These lemmas together.
    Lemmas(Vec<String>),
    /// The reachable states: these parts never come together.
    Reachable(Vec<Part>),
}

/// What lock ownership says of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockFact {
    /// The thread never comes to this location.
    NeverAt(String, String),
    /// The thread does not come to all its locations.
    NotEverywhere(String),
    /// The thread never owns the lock.
    NeverOwns(String, Lock),
    /// Whether the thread owns the lock at this location.
    Owns {
        /// The thread.
        thread: String,
        /// Where it is.
        location: String,
        /// The lock.
        lock: Lock,
        /// The answer.
        owns: bool,
    },
    /// The thread owns the lock at these locations only.
    OwnsOnly(String, Lock, Vec<String>),
}

/// A lock, or the writing side of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// As the user writes it.
    pub name: String,
    /// Whether it is owned for writing.
    pub writing: bool,
}

/// What a state has in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Whether the discipline is violated.
    Violated(bool),
    /// Where a thread is.
    Location(Binding),
    /// What a cell holds.
    Value(Binding),
}

/// How to mend a failed hypothesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mend {
    /// The first step changes what the second thread's exclusive access to a cell rests on: let it do so only while no
    /// thread has that access, or give the access up.
    Guard {
        /// What both steps use.
        common: Vec<Common>,
        /// The cell.
        cell: String,
        /// Its variable.
        variable: String,
    },
    /// The two steps use this: leave it unprotected, or exclude one of them.
    Separate(Vec<Common>),
    /// The last step should be visible.
    Show,
}

/// What two steps use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Common {
    /// A cell.
    Cell(String),
    /// The location of a thread.
    Location(String),
}

impl Serialize for Witness {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Witness", 10)?;
        fields.serialize_field("instance", &self.instance_words())?;
        fields.serialize_field("invariant", self.invariant.map_or("none", Rung::id))?;
        fields.serialize_field("inequality", &self.inequality)?;
        fields.serialize_field("words", &self.words())?;
        fields.serialize_field("states", &self.states)?;
        fields.serialize_field("steps", &self.steps)?;
        fields.serialize_field("reachable", &self.start.is_reachable())?;
        fields.serialize_field("because", &self.start.to_string())?;
        fields.serialize_field("trace", &self.start.trace())?;
        fields.serialize_field("mend", &self.mend_words())?;
        fields.end()
    }
}
