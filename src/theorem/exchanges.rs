//! Threads of a program that may be exchanged: what is asked of some of them on sets of states that are not changed by
//! an exchange has the same answer for others, so it is looked at once.

use crate::engine::quotients::Symmetry;
use crate::model::program::{CellId, Program, ThreadId};

/// The exchanges of threads that leave a program as it is, its steps, initial states and lemmas.
#[derive(Clone, Debug)]
pub struct Exchanges {
    symmetry: Option<Symmetry>,
}

impl Exchanges {
    /// Finds them. A lemma may tell threads apart that the program does not, and invariants then do.
    pub fn new(program: &Program) -> Self {
        let symmetry = || Symmetry::new(program, &[], None).0;
        Exchanges {
            symmetry: program.lemmas.is_empty().then(symmetry),
        }
    }

    /// The first thread that one may be exchanged with, or itself.
    pub fn first(&self, thread: ThreadId) -> ThreadId {
        let symmetry = self.symmetry.as_ref();
        symmetry.map_or(thread, |s| s.first_of(thread))
    }

    /// All threads that one may be exchanged with, itself among them.
    pub fn members(&self, thread: ThreadId) -> Vec<ThreadId> {
        let symmetry = self.symmetry.as_ref();
        symmetry.map_or(vec![thread], |s| s.members(thread))
    }

    /// Whether each exchange leaves a cell where it is. (It may have another thread's name as its value then.)
    pub fn fix(&self, cell: CellId) -> bool {
        self.symmetry.as_ref().is_none_or(|s| !s.moves(cell))
    }
}
