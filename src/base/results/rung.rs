//! The rungs of the ladder of inductive invariants, as answers name them.

use serde::Serializer;

/// An inductive invariant on whose states a hypothesis was evaluated; each is stronger than those before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rung {
    /// All type-correct states.
    True,
    /// What ownership of mutexes by location implies.
    LockOwnership,
    /// The thread-modular invariant.
    ThreadModular,
    /// That, and the user's lemmas as far as they are inductive with it.
    Lemmas,
    /// Exactly the reachable states.
    Reachable,
}

impl Rung {
    /// All rungs, the lowest first.
    pub const ALL: [Rung; 5] = [
        Rung::True,
        Rung::LockOwnership,
        Rung::ThreadModular,
        Rung::Lemmas,
        Rung::Reachable,
    ];

    /// The name in reports' data.
    pub fn id(self) -> &'static str {
        match self {
            Rung::True => "true",
            Rung::LockOwnership => "lock_ownership",
            Rung::ThreadModular => "thread_modular",
            Rung::Lemmas => "lemmas",
            Rung::Reachable => "reachable",
        }
    }
}

/// A rung by its name; `none` where no rung will do.
pub(super) fn by_id<S: Serializer>(rung: &Option<Rung>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(rung.map_or("none", Rung::id))
}
