//! The explicit core: states as vectors of bits, programs compiled to code over them, sets of states that take a few
//! bytes each.
//!
//! The interpreter says what a step is; this says the same faster (`tests/reach.rs` compares the two on random
//! programs). All fast exploration state by state uses it.

mod behaviours;
mod compile;
mod coverage;
mod layout;
mod machine;
mod search;
mod shared;
mod successors;
mod task;
mod transactions;
mod visited;

pub use behaviours::{Behaviours, Blocks, Execution, Met};
pub use compile::Compiled;
pub use coverage::{Steps, steps};
pub use layout::Layout;
pub use machine::{Condition, Machine, Site, Step};
pub use search::{ExplicitSearch, Found, Mode};
pub use shared::{Accesses, Shared, meet};
pub(crate) use successors::{OFTEN, Sink, Taken, each_once, successors};
pub use task::Orbits;
pub(crate) use task::{GOOD, IS_POINT, POINT, QUEUED, Tally, Task, gained};
pub use transactions::{Mover, Movers, Technique, Transactions, transactions};
pub(crate) use visited::BATCH;
pub use visited::{Keys, Visited};
