//! Coarsen: may I treat this block as atomic?
//!
//! The [`tutorial`] is the way in. In short: [`Session`] reads a model and answers questions about it, [`builder`]
//! makes models in Rust, [`results`] has the answers as types, [`certificate`] writes and replays evidence, and
//! [`algebra`] proves the theorems on which it rests.
#![warn(missing_docs)]

pub mod algebra;
pub mod base;
pub mod builder;
pub mod certificate;
pub mod command;
pub mod ctest;
pub mod distributed;
pub mod engine;
pub mod model;
#[cfg(test)]
#[path = "../tests/support/random.rs"]
mod random;
pub mod report;
pub mod theorem;
pub mod tutorial;

pub use base::results;
pub use coarsen_kernel as kernel;
pub use command::reach::ReachOptions;
pub use command::session::{Session, candidates, check_source, theory};
pub use theorem::CheckOptions;
