//! Which paths violate the discipline: the conditions of `interpreter::violates`, as expressions over the state before.

use super::{After, Run};
use crate::engine::diagrams::formulas::{Formula, Formulas, NO, YES};
use crate::engine::diagrams::space::{Read, Space};
use crate::model::program::{CellId, Expr, Protection, ThreadId};
use crate::model::text::ast::BinaryOp;
use rustc_hash::{FxHashMap, FxHashSet};

/// Which protected cells' predicates depend on what.
pub(super) struct Guarded {
    by_cell: FxHashMap<CellId, Vec<usize>>,
    by_thread: FxHashMap<ThreadId, Vec<usize>>,
    pub protected: FxHashMap<CellId, usize>,
}

impl Guarded {
    pub fn new(space: &Space) -> Self {
        let mut guarded = Guarded {
            by_cell: FxHashMap::default(),
            by_thread: FxHashMap::default(),
            protected: FxHashMap::default(),
        };
        for (n, x) in space.program.protections.iter().enumerate() {
            guarded.protected.insert(x.cell, n);
            let mut cells: FxHashSet<CellId> = FxHashSet::default();
            let mut threads: FxHashSet<ThreadId> = FxHashSet::default();
            for e in x.predicates.iter().chain(x.readers.iter().flatten()) {
                e.walk(&mut |e| match e {
                    Expr::Cell(c) => {
                        cells.insert(*c);
                    }
                    Expr::Element(a, _) | Expr::Via(_, Some(a)) => {
                        cells.extend(space.program.cells_of(*a));
                    }
                    Expr::At(t, _) => {
                        threads.insert(*t);
                    }
                    _ => {}
                });
            }
            for c in cells {
                guarded.by_cell.entry(c).or_default().push(n);
            }
            for t in threads {
                guarded.by_thread.entry(t).or_default().push(n);
            }
        }
        guarded
    }
}

impl Run<'_, '_> {
    /// Protections whose predicates the step may change, or whose cells it accesses.
    pub(super) fn touched(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self
            .accessed
            .iter()
            .filter_map(|c| self.guarded.protected.get(c).copied())
            .collect();
        for c in self.path.cells.keys() {
            all.extend(self.guarded.by_cell.get(c).into_iter().flatten());
        }
        all.extend(
            self.guarded
                .by_thread
                .get(&self.thread)
                .into_iter()
                .flatten(),
        );
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Where the step violates the discipline.
    pub(super) fn violated(&mut self) -> Formula {
        let mut violated = NO;
        for n in self.touched() {
            let x = &self.space.program.protections[n];
            let accessed = self.accessed.contains(&x.cell);
            if accessed {
                let may = self.may_access(x);
                let outside = self.f().not(may);
                violated = self.f().or(violated, outside);
            }
            let concerned = if accessed { YES } else { self.changed(x) };
            if concerned != NO {
                let overlap = self.overlap(x);
                let both = self.f().and(concerned, overlap);
                violated = self.f().or(violated, both);
            }
        }
        violated
    }

    fn may_access(&mut self, x: &Protection) -> Formula {
        let f = &mut self.relations.formulas;
        let exclusive = self.space.holds(f, &x.predicates[self.thread], self.space);
        match &x.readers {
            Some(readers) if !self.written.contains(&x.cell) => {
                let reading = self.space.holds(f, &readers[self.thread], self.space);
                f.or(exclusive, reading)
            }
            _ => exclusive,
        }
    }

    fn changed(&mut self, x: &Protection) -> Formula {
        let f = &mut self.relations.formulas;
        let after = After {
            space: self.space,
            path: &self.path,
        };
        let mut any = NO;
        for e in x.predicates.iter().chain(x.readers.iter().flatten()) {
            let then = self.space.holds(f, e, &after);
            let now = self.space.holds(f, e, self.space);
            let differs = f.binary(BinaryOp::Ne, then, now);
            any = f.or(any, differs);
        }
        any
    }

    fn overlap(&mut self, x: &Protection) -> Formula {
        let after = After {
            space: self.space,
            path: &self.path,
        };
        overlap(self.space, &mut self.relations.formulas, x, &after)
    }
}

/// Where a thread has exclusive access to a cell and another has some access to it.
pub fn overlap(space: &Space, f: &mut Formulas, x: &Protection, read: &dyn Read) -> Formula {
    let (mut seen, mut owned, mut overlap) = (NO, NO, NO);
    for (t, e) in x.predicates.iter().enumerate() {
        let exclusive = space.holds(f, e, read);
        let access = match &x.readers {
            Some(readers) => {
                let reading = space.holds(f, &readers[t], read);
                f.or(exclusive, reading)
            }
            None => exclusive,
        };
        let first = f.and(seen, exclusive);
        let second = f.and(owned, access);
        let both = f.or(first, second);
        overlap = f.or(overlap, both);
        seen = f.or(seen, access);
        owned = f.or(owned, exclusive);
    }
    overlap
}
