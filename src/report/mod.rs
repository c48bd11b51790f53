//! Results as text, JSON, HTML and ITF, and diagnostics as people read them.
//!
//! Architecture invariant: nothing here decides anything, and every rendering shows the same facts.

pub mod bundles;
pub mod ci;
pub mod classes;
mod contradictions;
pub mod coverage;
pub mod derivation;
pub mod diagnostics;
mod every;
mod evidence;
mod inference;
pub mod itf;
pub mod json;
mod layout;
pub use layout::set_columns;
mod limits;
pub mod mermaid;
mod movers;
mod notes;
pub mod page;
pub mod plain;
mod position;
pub mod problems;
pub mod proofs;
mod properties;
mod reasons;
#[cfg(test)]
mod samples;
pub mod text;
mod trace;
mod visibility;
mod witness;
