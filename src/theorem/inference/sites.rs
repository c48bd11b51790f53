//! Where the text of a program mentions each cell, and which cells only one thread mentions.

use crate::model::program::{
    ArrayId, CellId, Class, Expr, How, LocId, Program, ThreadId, each_use,
};
use std::collections::BTreeSet;

/// A location whose action may access a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// The thread.
    pub thread: ThreadId,
    /// The location that the action leaves.
    pub location: LocId,
    /// The computed indices, empty if the cell is fixed.
    pub index: Vec<Expr>,
    /// Whether it may write the cell.
    pub writes: bool,
}

/// All sites of a program.
#[derive(Clone, Debug)]
pub struct Sites {
    fixed: Vec<Vec<Site>>,
    computed: Vec<Vec<Site>>,
    of: Vec<ArrayId>,
}

impl Sites {
    /// Collects them.
    pub fn new(program: &Program) -> Self {
        let mut sites = Sites {
            fixed: vec![Vec::new(); program.cells.len()],
            computed: vec![Vec::new(); program.arrays.len()],
            of: program.cells.iter().map(|c| c.array).collect(),
        };
        for (thread, t) in program.threads.iter().enumerate() {
            for location in t.steps() {
                for edge in &t.locations[location].edges {
                    each_use(program, edge, &mut |used| {
                        if used.how == How::Check {
                            return;
                        }
                        let list = match used.index {
                            [] => &mut sites.fixed[used.cells.start],
                            _ => &mut sites.computed[program.cells[used.cells.start].array],
                        };
                        let writes = used.how == How::Write;
                        let known = |s: &&mut Site| {
                            (s.thread, s.location) == (thread, location) && s.index == used.index
                        };
                        match list.iter_mut().find(known) {
                            Some(site) => site.writes |= writes,
                            None => list.push(Site {
                                thread,
                                location,
                                index: used.index.to_vec(),
                                writes,
                            }),
                        }
                    });
                }
            }
        }
        sites
    }

    /// The sites of a cell.
    pub fn of(&self, cell: CellId) -> impl Iterator<Item = &Site> {
        self.fixed[cell].iter().chain(&self.computed[self.of[cell]])
    }

    /// Whether some thread may write a cell.
    pub fn is_written(&self, cell: CellId) -> bool {
        self.of(cell).any(|s| s.writes)
    }

    /// The threads that mention a cell.
    pub fn users(&self, cell: CellId) -> BTreeSet<ThreadId> {
        self.of(cell).map(|s| s.thread).collect()
    }
}

/// Whether the discipline of a cell is to be inferred.
pub fn is_open(program: &Program, cell: CellId) -> bool {
    program.arrays[program.cells[cell].array].class == Class::Unprotected { declared: false }
}
