//! Exploration of programs state by state.
//!
//! Architecture invariant: the interpreter is the ground truth. Traces are re-executed by it and every other
//! engine is compared with it; it shares no code with the BDD encoding and is never made clever.

pub mod core;
pub mod diagrams;
mod explicit;
mod interpreter;
mod order;
pub mod reach;

pub use explicit::{Original, explore};
pub use interpreter::{
    State, Successor, each_successor, holds, initial_candidates, initially_violated, is_deadlock,
    is_initial, may_access, overlap, successors, violates,
};
pub use order::Heuristic;
