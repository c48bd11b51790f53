//! Inferred disciplines, and how the guesses at them were revised.

use super::{Overlap, Step};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// The inferred discipline of a variable, or of some of its cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inferred {
    /// The variable, or the cells where they differ: `x`, `x[0], x[2]`.
    pub variable: String,
    /// The discipline.
    pub discipline: Discipline,
}

/// One change of a guess at a discipline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Revision {
    /// The variable, or its cells.
    pub variable: String,
    /// The guess before.
    pub from: Discipline,
    /// The guess after.
    pub to: Discipline,
    /// What refuted the one before.
    pub why: Refutation,
    /// The steps that lead there, the refuting one last; empty if they are not known.
    pub steps: Vec<Step>,
}

/// Who may access a variable when. Locks are named as the user writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// No thread mentions it.
    Unused,
    /// Only this thread mentions it, always under these locks.
    Private(String, Vec<String>),
    /// Whoever owns these mutexes.
    Mutexes(Vec<String>),
    /// The same with every mutex of the program.
    EveryMutex,
    /// The same with no mutex at all: a lockset that has become empty.
    NoMutex,
    /// Whoever owns these mutexes; one of them is enough to read.
    Several(Vec<String>),
    /// Whoever holds this read-write lock.
    ReadWrite(String),
    /// Whoever owns the mutex, after a thread alone has initialised it.
    Initialised {
        /// The mutex.
        lock: String,
        /// The thread.
        thread: String,
        /// Where it does so.
        at: Locations,
    },
    /// Whoever is in a region of code, or owns the mutex.
    HandedOver {
        /// The mutex, if there is one.
        lock: Option<String>,
        /// The regions.
        regions: Vec<Region>,
        /// Regions in which several threads read at once.
        readers: Vec<Region>,
    },
    /// One thread, or the owner of a mutex, until something holds; from then on everybody reads it.
    Published {
        /// Who has it first.
        by: Writer,
        /// Until when, as the user writes it.
        until: String,
    },
    /// Everybody reads it, and nobody writes it.
    Constant,
    /// Everybody: its accesses are visible.
    Unprotected,
}

impl Discipline {
    /// Its kind, as in reports' data.
    pub fn kind(&self) -> &'static str {
        match self {
            Discipline::Unused => "unused",
            Discipline::Private(..) => "private",
            Discipline::Unprotected => "unprotected",
            _ => "protected",
        }
    }
}

/// Who has a variable before it is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writer {
    /// This thread.
    Thread(String),
    /// The owner of this mutex.
    Lock(String),
    /// Whoever is in one of these regions.
    Regions(Vec<Region>),
}

/// Where threads have access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The threads.
    pub threads: Vec<String>,
    /// Where they are.
    pub at: Locations,
    /// Whether this depends on the indices that they use there.
    pub by_index: bool,
}

/// Some locations of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locations {
    /// Labels.
    Labels(Vec<String>),
    /// Those of these lines, each range with its last.
    Lines {
        /// The ranges.
        ranges: Vec<(usize, usize)>,
        /// Whether the thread's end is one of them.
        end: bool,
    },
}

/// What refutes a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// An access without mutexes that were owned at all others.
    Unlocked {
        /// By this thread.
        thread: String,
        /// From this location.
        location: String,
        /// The mutexes.
        missing: Vec<String>,
    },
    /// An access without the right to it.
    Access {
        /// By this thread.
        thread: String,
        /// From this location.
        location: String,
        /// Whether it writes.
        written: bool,
    },
    /// Several threads have access at once; these, if that is known.
    Overlap(Option<Overlap>),
}

impl Serialize for Inferred {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Inferred", 3)?;
        fields.serialize_field("variable", &self.variable)?;
        fields.serialize_field("kind", self.discipline.kind())?;
        fields.serialize_field("words", &self.discipline)?;
        fields.end()
    }
}
