//! Bundles: all that stands behind a positive answer of `coarsen check`, as one text.
//!
//! A bundle holds the model, the disciplines that were inferred for it, which steps are visible, the sets of states that prove the
//! answer inductively, and the derivations of the theorem's hypotheses. `leaf` replays it.
//!
//! Architecture invariant: this module is data and its text form. It judges nothing, and knows neither BDDs nor relations.

mod diagram;
mod disciplines;
mod expression;
mod format;

pub use diagram::{Diagrams, FALSE, Node, Root, TRUE};
pub use disciplines::{Discipline, differences, put};
pub use format::{Malformed, is_one, read, write};

/// What stands behind an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    /// The model's name.
    pub name: String,
    /// The name of the reduction theorem.
    pub theorem: String,
    /// Constants given on the command line.
    pub defines: Vec<(String, String)>,
    /// The model's text.
    pub text: String,
    /// The disciplines of cells that declare none.
    pub disciplines: Vec<Discipline>,
    /// Thread and location of each visible action, by name; all others are invisible.
    pub visible: Vec<(String, String)>,
    /// For theorems about transactions, where these are; then no action is visible or invisible, and all sets are of the program with phases.
    pub transactions: Option<Transactions>,
    /// The properties that are claimed to hold.
    pub claims: Vec<String>,
    /// What the state consists of, in the order in which the diagrams look at it.
    pub items: Vec<Item>,
    /// The nodes of all sets.
    pub diagrams: Diagrams,
    /// J, if the hypotheses do not hold on all type-correct states.
    pub invariant: Option<Root>,
    /// X: the states of the reduced system.
    pub states: Root,
    /// `Y_i`, for each thread in order: the states inside its coarse steps, their ends included.
    pub inside: Vec<Root>,
    /// Threads that the derivations speak of together, by name.
    pub classes: Vec<Vec<String>>,
    /// What the symbols of the derivations stand for, in their order.
    pub letters: Vec<Letter>,
    /// The derivations of the hypotheses from facts, as the kernel writes them.
    pub derivations: Option<String>,
    /// The proof of the reduction theorem, as the kernel writes it.
    pub proof: Option<String>,
}

/// What the program with phases is made of: threads and locations of the program, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transactions {
    /// Actions that are taken for right movers.
    pub right: Vec<(String, String)>,
    /// Actions that are taken for left movers.
    pub left: Vec<(String, String)>,
    /// Where transactions are cut.
    pub cuts: Vec<(String, String)>,
}

/// A component of the state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// Whether the discipline has been violated.
    Violated,
    /// The location of a thread, by its name.
    Location(String),
    /// A cell, by its name.
    Cell(String),
}

impl Letter {
    /// The class that it speaks of, if it does.
    pub fn class(self) -> Option<usize> {
        match self {
            Letter::Steps { class, .. }
            | Letter::Enabled { class, .. }
            | Letter::Before { class }
            | Letter::Behind { class }
            | Letter::Wrong { class } => Some(class),
            Letter::Violated | Letter::Initial | Letter::Hole => None,
        }
    }
}

/// What a symbol of the derivations stands for at a process i; nothing if i is no thread of the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// The steps of i from a location.
    Steps {
        /// The class, by position.
        class: usize,
        /// The location, by number.
        location: usize,
    },
    /// Where such a step is enabled.
    Enabled {
        /// The class, by position.
        class: usize,
        /// The location, by number.
        location: usize,
    },
    /// q, whatever i.
    Violated,
    /// Where i is before the commit point of a transaction.
    Before {
        /// The class, by position.
        class: usize,
    },
    /// Where it is behind it.
    Behind {
        /// The class, by position.
        class: usize,
    },
    /// Where it has gone wrong.
    Wrong {
        /// The class, by position.
        class: usize,
    },
    /// The initial states, whatever i.
    Initial,
    /// Nothing.
    Hole,
}
