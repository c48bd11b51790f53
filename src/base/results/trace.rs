//! Executions as they are told: states, steps, what goes wrong in them, and what they end in.

use super::{Place, Step};
use crate::base::evidence::Execution;
use serde::Serialize;

/// A finite execution of the original program, re-executed by the interpreter.
#[derive(Clone, Debug, Serialize)]
pub struct Trace {
    /// The state variables, in the order of the values below.
    pub variables: Vec<TraceVariable>,
    /// The states, one more than there are steps.
    pub states: Vec<Vec<Value>>,
    /// The steps.
    pub steps: Vec<TraceStep>,
    /// Steps before the first state, which are not told.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped: usize,
    /// What is wrong (or reached) in the last state.
    pub outcome: Outcome,
    /// The variables and threads that this is about.
    pub about: Vec<String>,
    /// The same for `coarsen verify`; of no goal yet.
    #[serde(skip)]
    pub execution: Execution,
}

/// A variable of a trace.
#[derive(Clone, Debug, Serialize)]
pub struct TraceVariable {
    /// Its name: a variable, `m.owner`, a local `worker(0).t`, or a thread for its location.
    pub name: String,
    /// Array sizes; the value is then a nested list.
    pub dims: Vec<usize>,
}

/// A value in a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A boolean.
    Bool(bool),
    /// An enum value, a thread, a location.
    Text(String),
    /// An array.
    List(Vec<Value>),
}

/// One step of a trace.
#[derive(Clone, Debug, Serialize)]
pub struct TraceStep {
    /// Number of the coarse step it belongs to, from 1.
    pub coarse: usize,
    /// The step.
    pub step: Step,
    /// What changed: name, old value and new value as the user writes them.
    pub changes: Vec<Change>,
    /// What goes wrong in this step, if something does (assertion, range, discipline).
    pub violation: Option<Violation>,
    /// What else there is to say of a step of a C program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
}

/// What a step of a C program is besides its line of source text, which may make several steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Code {
    /// The source file.
    pub file: String,
    /// What it does, if that is not told by what it changes.
    pub does: String,
    /// Whether no step of another thread in this execution depends on it.
    pub own: bool,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// A changed variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The variable or cell.
    pub name: String,
    /// Value before.
    pub old: String,
    /// Value after.
    pub new: String,
}

/// What is wrong, or reached, at the end of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing has been said of it yet.
    Untold,
    /// This was the last thing that went wrong.
    Violation(Violation),
    /// The discipline is violated.
    Discipline,
    /// A thread has gone wrong.
    Wrong,
    /// No step is enabled; which threads wait, and where.
    Deadlock(Vec<Place>),
    /// A state that satisfies this property.
    Reached(String),
    /// A state that violates this property.
    Violates(String),
    /// The first state of a witness.
    Witness,
    /// A state in which the lemma is false.
    Lemma,
    /// It never comes to this if the claimed block is atomic.
    NotAtomic,
    /// A C program goes wrong, as its report says.
    Program(String),
}

/// What goes wrong in a step, or in an initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A thread does what has no meaning.
    Failure(String, Failure),
    /// A thread accesses a cell without exclusive access.
    Access {
        /// The thread.
        thread: String,
        /// The cell.
        cell: String,
        /// Other threads that have exclusive access to it.
        holders: Vec<String>,
    },
    /// Several threads have access to a cell at once.
    Overlap(Overlap),
}

/// Who has access to a cell besides the one who has it exclusively.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The cell.
    pub cell: String,
    /// The threads with exclusive access.
    pub owners: Vec<String>,
    /// If there is one of these: the others, who may read.
    pub readers: Vec<String>,
}

/// Why a thread goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Failure {
    /// An assertion is false.
    Assertion,
    /// A value outside the type of the variable assigned to.
    Range,
    /// An index outside its array.
    Index,
    /// A division by zero.
    Division,
    /// A shift by an amount that is negative or more than 62.
    Shift,
    /// An `unlock` by a thread that does not own the mutex.
    NotOwner,
    /// A `read_lock` by a thread that reads already.
    Held,
    /// A re-entrant mutex is locked more often than its bound.
    Depth,
    /// A `start` of a thread that has been started.
    Started,
    /// A field of, or `free` through, a null reference.
    Null,
    /// The same through a reference to an object that is not allocated.
    Freed,
}
