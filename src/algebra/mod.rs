//! The term language of omega algebra and the theories written in it.
//!
//! Architecture invariant: nothing here knows programs or BDDs. The same terms are read by the relational
//! interpreter (`engine::relations`), which evaluates them on one model.

pub mod certified;
mod converse;
pub mod coq;
pub mod demonic;
mod derivation;
pub mod egraph;
pub mod elaborate;
pub mod files;
pub mod inline;
pub mod names;
mod own;
pub mod prove;
pub(crate) mod put;
pub mod refute;
pub mod show;
pub mod simplify;
pub mod suite;
mod term;
pub mod text;
mod theory;
pub mod tptp;
pub mod tree;

pub use own::{digest, load_theorem};
pub use term::{Atom, Form, Function, Index, Order, Over, Statement, Term};
pub use theory::{
    Definition, Hypothesis, Letter, Own, Shape, Shipped, Sort, Speaks, Steps, Theory, Word, lemmas,
    library, shipped,
};
