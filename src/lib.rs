//! Coarsen: may I treat this block as atomic?
#![warn(missing_docs)]

pub mod control;
pub mod explore;
pub mod program;
pub mod report;
pub mod syntax;
