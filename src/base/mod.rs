//! What all other folders share: diagnostics, limits, and results as data.
//!
//! Architecture invariant: this folder imports nothing of the rest, decides nothing, and makes no sentences.

pub mod control;
pub mod diagnostic;
pub mod evidence;
mod nearest;
pub mod results;
mod turns;

pub use nearest::nearest;
pub use turns::{Side, Turns};
