//! Coarsen: may I treat this block as atomic?
#![warn(missing_docs)]

pub mod algebra;
pub mod bundle;
pub mod compare;
pub mod control;
pub mod ctest;
pub mod dve;
pub mod explore;
pub mod export;
pub mod inference;
pub mod leaf;
mod movers;
pub mod program;
pub mod questions;
#[cfg(test)]
#[path = "../tests/support/random.rs"]
mod random;
pub mod reach;
pub mod reduction;
pub mod relation;
pub mod report;
mod session;
pub mod stated;
pub mod suites;
pub mod syntax;
pub mod tptp;

pub use coarsen_kernel as kernel;
pub use reach::ReachOptions;
pub use reduction::CheckOptions;
pub use session::{Session, check_source, theory};
