//! Bundles: all that stands behind a positive answer of `coarsen check` or `coarsen reach`, as data.
//!
//! A bundle holds the model, the disciplines that were inferred for it, and parts: for each theorem that was used which
//! steps are visible, the sets of states that prove claims inductively, and the derivations of the hypotheses; what was
//! shown without a theorem has an invariant of the original program; a goal that is reached has an execution.
//! `certificate` writes it as text and replays it.
//!
//! Architecture invariant: this module is data. It judges nothing, and knows neither programs nor relations.

mod diagram;
mod discipline;

use std::collections::BTreeMap;

pub use diagram::{Diagrams, FALSE, Node, Root, TRUE};
pub use discipline::Discipline;

/// What is claimed of every value of a constant, besides `discipline`: that the theorem's hypotheses hold. No property
/// has a name with a blank.
pub const HYPOTHESES: &str = "every hypothesis";

/// What stands behind an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    /// The model's name.
    pub name: String,
    /// Constants given on the command line.
    pub defines: Vec<(String, String)>,
    /// The model's text.
    pub text: String,
    /// The disciplines of cells that declare none.
    pub disciplines: Vec<Discipline>,
    /// Sets of states, each with the properties that it shows.
    pub parts: Vec<Part>,
    /// Claims of transactions that hold by their definition, by name: all states are compared.
    pub compared: Vec<String>,
    /// Executions, each to a goal that is reached.
    pub executions: Vec<Execution>,
}

/// Constants as they count: of several values of one the last, sorted by name.
pub fn settled(defines: &[(String, String)]) -> Vec<(String, String)> {
    let last: BTreeMap<String, String> = defines.iter().cloned().collect();
    last.into_iter().collect()
}

impl Bundle {
    /// All that is claimed to hold.
    pub fn claims(&self) -> impl Iterator<Item = &String> {
        let of_parts = self.parts.iter().flat_map(|part| &part.claims);
        of_parts.chain(&self.compared)
    }

    /// Whether it settles a property: that it holds, that it is reached, or that it never is.
    pub fn shows(&self, name: &str) -> bool {
        let mut claims = self.claims();
        let never = |claim: &String| claim.strip_prefix("never ") == Some(name);
        claims.any(|claim| claim == name || never(claim))
            || self.executions.iter().any(|x| x.goal == name)
    }
}

/// Claims, and the inductive sets that show them: of the reduced system of a theorem, or of the original program. If
/// they are about every value of a constant, facts and derivations show them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The reduction theorem; `None` if X is an invariant of the original program, and nothing is reduced.
    pub theorem: Option<String>,
    /// If it is about every value of a constant from some value on; then it has no sets of states.
    pub every: Option<Values>,
    /// The SHA-256 of the theorem's file, in hexadecimal, if it does not come with the tool.
    pub digest: Option<String>,
    /// Thread and location of each visible action, by name; all others are invisible.
    pub visible: Vec<(String, String)>,
    /// For theorems about transactions, where these are; then no action is visible or invisible, and all sets are of
    /// the program with phases.
    pub transactions: Option<Transactions>,
    /// If the claim is one of a transaction that holds with weaker steps: the paths that are weakened. Then X is an
    /// invariant of the program with these.
    pub weaker: Option<Vec<WeakPath>>,
    /// The properties that are claimed to hold.
    pub claims: Vec<String>,
    /// What the state consists of, in the order in which the diagrams look at it.
    pub items: Vec<Item>,
    /// The nodes of all sets.
    pub diagrams: Diagrams,
    /// J, if the hypotheses do not hold on all type-correct states.
    pub invariant: Option<Root>,
    /// X: the states of the reduced system; without a theorem, an invariant of the original one.
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

/// The values of a constant that a part is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// The constant.
    pub constant: String,
    /// The smallest of the values.
    pub from: i64,
    /// The value for which threads, locations and cells are named.
    pub instance: i64,
}

/// A path through a step of a block that a weaker one stands for: which bytes of the text the statement has, and which
/// of the ways through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WeakPath {
    /// Where the statement begins.
    pub start: usize,
    /// Behind its end.
    pub end: usize,
    /// The way.
    pub way: usize,
}

/// An execution of the original program, to a state that satisfies a goal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    /// The goal: a `reach` property by name, or `find` and a condition.
    pub goal: String,
    /// Each cell's value in the first state, by name.
    pub start: Vec<(String, i64)>,
    /// The steps.
    pub steps: Vec<Taken>,
}

/// A step of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Who takes it.
    pub thread: String,
    /// Cells that have another value behind it.
    pub cells: Vec<(String, i64)>,
    /// Threads that are somewhere else behind it, with where that is.
    pub locations: Vec<(String, String)>,
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
    pub fn class(&self) -> Option<usize> {
        match *self {
            Letter::Steps { class, .. }
            | Letter::Enabled { class, .. }
            | Letter::Before { class }
            | Letter::Behind { class }
            | Letter::Wrong { class }
            | Letter::Access { class, .. } => Some(class),
            Letter::Violated | Letter::Initial | Letter::Schematic => None,
        }
    }
}

/// What a thread may do with a protected cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Right {
    /// Read it and write it: exclusive access.
    Exclusive,
    /// Read it, perhaps as one of several.
    Reading,
}

/// What a symbol of the derivations stands for at a process i; nothing if i is no thread of the class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Letter {
    /// The steps of i from some locations.
    Steps {
        /// The class, by position.
        class: usize,
        /// The locations, by number.
        locations: Vec<usize>,
    },
    /// Where such a step is enabled.
    Enabled {
        /// The class, by position.
        class: usize,
        /// The locations, by number.
        locations: Vec<usize>,
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
    /// Where i has access to a protected cell.
    Access {
        /// The class, by position.
        class: usize,
        /// The cell, by name.
        cell: String,
        /// Which access.
        right: Right,
    },
    /// The initial states, whatever i.
    Initial,
    /// Nothing: a letter of a lemma, or the hole of a context.
    Schematic,
}
