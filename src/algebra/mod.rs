//! The term language of omega algebra and the theories written in it.
//!
//! Architecture invariant: nothing here knows programs or BDDs. The same terms are read by the relational
//! interpreter (`relation`), which evaluates them on one model.

pub mod egraph;
pub mod prove;
pub mod suite;
mod term;
mod theory;

pub use term::{Atom, Index, Order, Statement, Term};
pub use theory::{Definition, Hypothesis, Sort, Theory, shipped};
