//! The kernel: proofs in omega algebra, and the check that they are proofs.
//!
//! All that has to be trusted of a proof is in this crate: terms in normal form ([`Terms`]), one function for each rule
//! (`rules.rs`), the check of a decision (`decide.rs`), and certificates as text ([`read`], [`write`](fn@write)). It
//! searches nothing, reads no file and prints nothing. A theorem gets into a [`Development`] only through
//! [`Development::admit`]. On garbage it answers with a rejection, and it bounds its own work and memory.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod decide;
mod format;
mod names;
mod proof;
mod rules;
mod terms;

pub use decide::{Automaton, Move, Pairs};
pub use format::{WORK, read, read_within, room, write};
pub use names::{WORDS, is_name, is_title};
pub use proof::{
    Claim, Development, Proved, Rejected, Renaming, Rule, Statement, Theorem, distinct,
};
pub use terms::{DEEPEST, Id, Index, Node, ONE, Operator, Sym, Symbol, TOP, Terms, ZERO};
