//! The term language of omega algebra and the theories written in it.
//!
//! Architecture invariant: nothing here knows programs or BDDs. The same terms are read by the relational
//! interpreter (`relation`), which evaluates them on one model. Of `syntax` it uses diagnostics and their places only.

pub mod egraph;
pub mod elaborate;
pub mod names;
pub mod prove;
pub mod refute;
pub mod show;
pub mod simplify;
pub mod suite;
mod term;
mod theory;
pub mod tree;

pub use term::{Atom, Index, Order, Over, Statement, Term};
pub use theory::{Definition, Hypothesis, Sort, Theory, library, shipped};
