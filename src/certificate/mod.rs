//! The checker of evidence: replays a bundle, sharing as little as possible with what wrote it.
//!
//! It reads the model's text through the front end, gives the names in the bundle their meaning, and checks in turn: the sets (J, X, the `Y_i`), the
//! facts that the derivations assume, that the derivations conclude the theorem's hypotheses, that no invisible step hides a
//! property, and the executions. Where there are few states the plain interpreter goes through all of them; where there are many, a fresh encoding is asked.
//!
//! Architecture invariant: nothing of `theorem` that computes a bundle is used here, but for the evaluation of a hypothesis without
//! derivation, and steps with access checks in the encoding, which the verdict names among what is trusted; and for the making of programs with phases,
//! which is checked.

mod answer;
mod claims;
mod encoded;
mod execution;
mod footprint;
mod format;
mod invariant;
mod judge;
mod letters;
mod part;
mod phases;
mod space;
mod theorem;
mod valuations;
mod verdict;
mod verify;

pub use format::{Malformed, is_one, read, write};
pub use verdict::{BundleVerdict, Shown, Stated};
pub use verify::{Wanted, hash, verify};
