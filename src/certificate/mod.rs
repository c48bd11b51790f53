//! The checker of evidence: replays a bundle, sharing as little as possible with what wrote it.
//!
//! It reads the model's text through the front end, gives the names in the bundle their meaning, and checks in turn:
//! the sets (J, X, the `Y_i`), the facts that the derivations assume, that the derivations conclude the theorem's
//! hypotheses, that no invisible step hides a property, and the executions. If there are few states, the plain
//! interpreter goes through all of them; if there are many, an encoding that is built anew is used.
//!
//! Architecture invariant: nothing of `theorem` that computes a bundle is used here, with five exceptions. The verdict
//! names three of them among what is trusted: the evaluation of a hypothesis without derivation, steps with access
//! checks in the encoding, and the case split over generic threads (`every.rs`). The others, the making of programs
//! with phases and of those with weaker steps, are checked.

mod answer;
mod blocks;
mod claims;
mod compared;
mod encoded;
mod every;
mod execution;
mod footprint;
mod format;
mod invariant;
mod judge;
mod letters;
mod observed;
mod part;
mod phases;
mod sections;
mod space;
mod valuations;
mod verdict;
mod verify;
mod weakened;

pub use format::{Malformed, is_one, read, write};
pub use verdict::{BundleVerdict, Shown, Stated};
pub use verify::{Wanted, hash, verify};
