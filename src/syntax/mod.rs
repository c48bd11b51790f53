//! Text to trees: spans, diagnostics, and the languages Coarsen reads.
//!
//! Architecture invariant: a parser here never fails and never panics. It returns a tree (with holes
//! left out) and every diagnostic it collected; whoever goes on must look at the diagnostics first.

pub mod ast;
pub mod codes;
pub mod diagnostic;
pub mod theory;
