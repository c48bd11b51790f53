//! Coarsen: may I treat this block as atomic?
#![warn(missing_docs)]

pub mod algebra;
pub mod base;
pub mod certificate;
pub mod command;
pub mod ctest;
pub mod engine;
pub mod model;
#[cfg(test)]
#[path = "../tests/support/random.rs"]
mod random;
pub mod report;
pub mod theorem;

pub use base::results;
pub use coarsen_kernel as kernel;
pub use command::reach::ReachOptions;
pub use command::session::{Session, candidates, check_source, theory};
pub use theorem::CheckOptions;
