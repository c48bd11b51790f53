//! What explores a program: the interpreter, relations on BDDs, decision diagrams, the compiled explicit search,
//! partial orders.
//!
//! Architecture invariant: nothing here knows a theorem. The interpreter is the ground truth: it shares no code with
//! the encodings, and is never made clever.

pub mod compiled;
pub mod diagrams;
mod explicit;
mod interpreter;
mod order;
pub mod partial_order;
pub mod quotients;
pub mod reach;
pub mod relations;

pub use explicit::{Original, explore};
pub use interpreter::{
    State, Successor, breaks, each_outcome, each_successor, has_right, holds, initial_candidates,
    initially_violated, is_deadlock, is_initial, may_access, overlap, successors, violates,
};
pub use order::{Heuristic, Variable};
