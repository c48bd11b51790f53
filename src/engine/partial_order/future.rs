//! What a thread may still access, by where it is: the flow graph's closure of what its locations mention.
//!
//! This looks at text, not at a state, so a compare-and-swap writes, and an element of an array is any of them.

use crate::base::control::{Control, Stop};
use crate::engine::compiled::{Accesses, Shared};
use crate::model::program::{LocId, Program, ThreadId};

/// By thread and location what the thread may access from there on.
pub(super) struct Futures(Vec<Vec<Accesses>>);

impl Futures {
    /// Of a program.
    ///
    /// # Errors
    /// As [`Control::check`].
    pub fn new(program: &Program, shared: &Shared, control: &Control) -> Result<Self, Stop> {
        let mut all = Vec::new();
        for (t, thread) in program.threads.iter().enumerate() {
            let count = thread.locations.len();
            let mut futures = Vec::with_capacity(count);
            for (l, location) in thread.locations.iter().enumerate() {
                control.check()?;
                futures.push(shared.mentioned(program, (t, l), &location.edges));
            }
            let targets: Vec<Vec<LocId>> = thread.locations.iter().map(|l| l.targets()).collect();
            // Backwards, as most steps lead forwards.
            let mut changed = true;
            while changed {
                control.check()?;
                changed = false;
                for l in (0..count).rev() {
                    let mut own = futures[l].clone();
                    for &to in &targets[l] {
                        own.add(&futures[to].accessed, &futures[to].written);
                    }
                    changed |= own != futures[l];
                    futures[l] = own;
                }
            }
            all.push(futures);
        }
        Ok(Futures(all))
    }

    /// What a thread at a location may still access.
    pub fn from(&self, thread: ThreadId, location: LocId) -> &Accesses {
        &self.0[thread][location]
    }
}
