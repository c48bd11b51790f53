//! What a theorem asks of a program: which steps are invisible, whether its hypotheses hold, and what its reduced
//! system reaches.

mod by_family;
mod by_others;
mod check;
mod choice;
mod claims;
mod discharge;
mod eval;
mod every;
mod evidence;
mod exchanges;
mod executions;
mod explored;
mod in_full;
pub mod inference;
mod invariants;
mod movers;
mod own;
mod paths;
mod properties;
mod read;
mod reduced;
mod refuted_guesses;
mod relocated;
mod replay;
mod settled;
mod verdict;
mod visibility;
mod wellformed;

pub use crate::base::results::Needed;
pub use by_others::check_by;
pub use check::{
    CheckOptions, ForEvery, Prepared, Reduce, Until, check, check_with_facts, prepare,
};
pub use choice::Candidates;
pub(crate) use claims::{Divided, PATTERNS, Pattern, by_path, class, commits};
pub use claims::{alike, blocks, has_blocks};
pub use discharge::facts::{Class, Derived, Discharge, Fact, Letter};
pub use discharge::{By, Generic};
pub use eval::eval;
pub use every::{
    Asked as EveryAsked, Instance as EveryInstance, LARGEST, Leaf as EveryLeaf, Speech,
    Template as EveryTemplate, Unsaid, Wrong as EveryWrong, every, numbering,
};
pub(crate) use evidence::{empty, invariant};
pub(crate) use executions::about::{of_condition, of_deadlock};
pub(crate) use executions::search::{execution, shortest_budget};
pub(crate) use executions::trace::{
    changes, deadlock, gone_wrong, repeat, step_by, step_of, values, variables,
};
pub use invariants::reachable::reachable;
pub use invariants::{Budgets, Ladder, Rung, leaves};
pub use movers::{
    Branch, Detail, Judged, MoverSearch, Obstacle, Other, Shared, Under, branches, judged, movers,
};
pub(crate) use properties::{Asked, Goal, GoalKind, deadlocks};
pub use read::{Instance, Model};
pub use reduced::coarse::{Coarse, Explorer, Grain, Reduced, explore};
pub use reduced::completion::{Completed, complete};
pub(crate) use reduced::engines::without_phases;
pub use reduced::engines::{Explore, Wanted};
pub use reduced::transactions::{Cuts, Phase, Phased, Uses, checked, uses};
pub use replay::{Evaluation, holds_under};
pub(crate) use verdict::gap;
pub use visibility::Visibility;
