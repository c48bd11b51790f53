//! Relations on the states of a program, held as BDDs; evaluation of terms; fixpoints; witnesses.
//!
//! A relation is kept without its frame: the set of bits it may write, and a BDD over the bits it reads (before)
//! and writes (after). Everything else is unchanged. It is widened only to what one operation needs.
//!
//! Architecture invariant: every operation that can be long takes its budget from the [`crate::base::control::Control`]
//! of its [`Bdds`], and says so in its type.

mod bdds;
mod bits;
mod encoding;
mod evaluate;
mod inclusion;
mod layout;
mod predicates;
mod relation;
mod symbolic;
mod witness;

pub use bdds::Bdds;
pub use encoding::{Action, Encoding, building};
pub use evaluate::{Evaluator, Ground, GroundAtom, Meaning, Restriction, Scope, Value};
pub use inclusion::{Failure, Outcome, Taken};
pub use layout::{Bit, Item, Layout, Q, before};
pub use relation::Rel;
pub use witness::{Concrete, encode, image, pick, preimage, singleton, walk};
