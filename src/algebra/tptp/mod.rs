//! Problems of the TPTP in the vocabulary of its domain KLE (Hoefner & Struth 2007): the front door, from text to an
//! SZS status.
//!
//! `axioms` recognises the theory, `sequents` takes the conjecture apart, `claims` makes statements of the algebra,
//! `solve` has them proved or refuted and says what follows for the problem. Names of formulas mean nothing, and what
//! is not understood is never an answer.

mod answer;
mod axioms;
mod claims;
mod definitions;
mod instances;
mod load;
mod sequents;
mod solve;
pub mod text;

pub use crate::base::results::problems::Szs;
pub use load::{Problem, load};
pub use solve::{Part, Solution, solve};
