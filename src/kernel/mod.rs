//! The kernel: proofs in omega algebra, and the check that they are proofs.
//!
//! Architecture invariant: the kernel imports terms and nothing else of the rest, neither egg nor the BDD package, and searches nothing. A theorem
//! gets into a [`Development`] only through [`Development::admit`]. On garbage it answers with a rejection.

mod decide;
mod format;
mod proof;

pub use crate::terms::{DEEPEST, Id, Index, Node, ONE, Sym, Symbol, TOP, Terms, ZERO};
pub use decide::{Automaton, Move, Pairs};
pub use format::{WORK, read, write};
pub use proof::{Claim, Development, Rejected, Renaming, Rule, Statement, Theorem, distinct};
