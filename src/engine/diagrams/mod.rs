//! Sets of states as multi-valued decision diagrams, and reachability on them.
//!
//! Architecture invariant: nothing here recurses on the depth of a diagram, and every loop polls the control; results
//! do not depend on when rubbish is collected.

mod closure;
mod engine;
mod events;
mod explain;
mod facts;
mod formulas;
mod relations;
mod sets;
mod space;
mod store;
mod strategies;
mod table;

pub use engine::Engine;
pub use events::{Event, events, overlap};
pub use explain::{Execution, Taken};
pub use formulas::{Formula, Formulas, NO, YES};
pub use relations::{Rel, Relations};
pub use space::{Read, Space, range};
pub(super) use store::grow;
pub use store::{DONE, EMPTY, Node};
pub use strategies::{Added, Closed, Strategy, Way};
pub(crate) use table::mix;
