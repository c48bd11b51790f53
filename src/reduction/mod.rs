//! Where algebra meets programs: which steps are invisible, whether a theorem's hypotheses hold of a program, and
//! what its reduced system reaches.

mod certificate;
mod check;
mod claims;
mod completion;
mod derive;
mod discharge;
mod eval;
mod excluded;
mod facts;
mod hypotheses;
mod inferred;
mod instantiate;
mod invariant;
mod lemmas;
mod movers;
mod ownership;
mod paths;
mod properties;
mod reachable;
mod replay;
mod search;
mod stoller_cohen;
mod telling;
mod thread_modular;
mod trace;
mod verdict;
mod visibility;
mod wellformed;

pub use check::{CheckOptions, Prepared, check, check_with_facts, prepare};
pub use completion::{Completed, complete};
pub use discharge::By;
pub use eval::eval;
pub use facts::{Class, Derived, Discharge, Fact, Letter};
pub use hypotheses::Needed;
pub use instantiate::{Instance, Model};
pub use invariant::{Budgets, Ladder, Rung, leaves};
pub use movers::{Judged, Law, Obstacle, Other, judged, movers};
pub(crate) use properties::{Goal, GoalKind, deadlocks};
pub use reachable::reachable;
pub use replay::{Evaluation, holds_under};
pub(crate) use search::{SHORTEST_BUDGET, execution};
pub use stoller_cohen::{Coarse, Explorer, Grain, Reduced, explore};
pub(crate) use trace::{Rerun, Walked, deadlock_words, rerun};
pub(crate) use verdict::gap;
pub use visibility::{Reason, Visibility};
