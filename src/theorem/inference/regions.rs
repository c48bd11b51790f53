//! Regions of a thread between two synchronisations, for variables that are handed over (Stoller & Cohen 2003, section
//! 6: semaphores, master and workers): the locations around an access that invisible steps connect.
//!
//! A predicate that holds in such a region changes with visible steps only, so guessing it makes no further step
//! visible.

use super::sites::Site;
use crate::model::program::{CellId, Class, Expr, How, LocId, Program, ThreadId, each_use};
use std::collections::BTreeSet;

/// Part of a predicate: the thread is at one of these locations, and the indices are those of the cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The locations, sorted.
    pub locations: Vec<LocId>,
    /// The indices that its accesses use; empty if they use the cell itself, or indices that others may change.
    pub index: Vec<Expr>,
}

/// How far regions go.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// On when the thread has ended.
    pub ends: bool,
    /// Cells are told apart by the indices that are used.
    pub by_index: bool,
    /// Back to where the accesses may be made, or no further than where they surely will.
    pub back: bool,
}

/// Which steps are visible whatever is guessed, and what a step writes.
pub struct Flow<'p> {
    program: &'p Program,
    /// By thread and location.
    visible: &'p dyn Fn(ThreadId, LocId) -> bool,
}

impl<'p> Flow<'p> {
    /// Prepares the flow of a program under a notion of visibility.
    pub fn new(program: &'p Program, visible: &'p dyn Fn(ThreadId, LocId) -> bool) -> Self {
        Flow { program, visible }
    }

    /// The regions of one thread around its accesses to one cell.
    pub fn regions(&self, thread: ThreadId, sites: &[&Site], extent: Extent) -> Vec<Region> {
        let mut regions: Vec<Region> = Vec::new();
        for site in sites {
            let index = match extent.by_index && site.index.iter().all(|e| self.is_own(thread, e)) {
                true => site.index.as_slice(),
                false => &[],
            };
            match regions.iter_mut().find(|r| r.index == index) {
                Some(region) => region.locations.push(site.location),
                None => regions.push(Region {
                    locations: vec![site.location],
                    index: index.to_vec(),
                }),
            }
        }
        for region in &mut regions {
            let around = self.around(thread, &region.locations, &region.index, extent);
            region.locations = around.into_iter().collect();
        }
        regions
    }

    /// Whether nobody else can change the value of an expression.
    fn is_own(&self, thread: ThreadId, e: &Expr) -> bool {
        let own = |c: CellId| self.program.cells[c].class == Class::Local(thread);
        let mut all = true;
        e.walk(&mut |e| match e {
            Expr::Cell(c) => all &= own(*c),
            Expr::Element(a, _) => all &= self.program.cells_of(*a).all(own),
            Expr::At(..) => all = false,
            _ => {}
        });
        all
    }

    /// The locations that invisible steps connect with one of these, none of which changes an index.
    fn around(
        &self,
        thread: ThreadId,
        at: &[LocId],
        index: &[Expr],
        extent: Extent,
    ) -> BTreeSet<LocId> {
        let t = &self.program.threads[thread];
        let mut found: BTreeSet<LocId> = at.iter().copied().collect();
        let mut pending = at.to_vec();
        let passing = |&l: &LocId| !(self.visible)(thread, l) && !self.writes(thread, l, index);
        let passing: BTreeSet<LocId> = t.steps().filter(passing).collect();
        let mut before: Vec<Vec<LocId>> = vec![Vec::new(); t.locations.len()];
        for &l in &passing {
            for next in t.locations[l].targets() {
                before[next].push(l);
            }
        }
        while let Some(l) = pending.pop() {
            let mut near = before[l].clone();
            if !extent.back {
                // Looked at again when the last of its targets is found.
                near.retain(|&l| t.locations[l].targets().iter().all(|n| found.contains(n)));
            }
            if passing.contains(&l) {
                near.extend(t.locations[l].targets());
                near.extend(t.wrong);
            }
            for next in near {
                if (extent.ends || Some(next) != t.end) && found.insert(next) {
                    pending.push(next);
                }
            }
        }
        found
    }

    fn writes(&self, thread: ThreadId, location: LocId, index: &[Expr]) -> bool {
        let mut read: BTreeSet<CellId> = BTreeSet::new();
        for e in index {
            e.walk(&mut |e| match e {
                Expr::Cell(c) => {
                    read.insert(*c);
                }
                Expr::Element(a, _) => read.extend(self.program.cells_of(*a)),
                _ => {}
            });
        }
        let mut writes = false;
        for edge in &self.program.threads[thread].locations[location].edges {
            each_use(self.program, edge, &mut |used| {
                writes |= used.how == How::Write && used.cells.clone().any(|c| read.contains(&c));
            });
        }
        writes
    }
}

/// The locations of a thread from which one of `sites` can be reached by control, sorted; these included.
pub fn leading_to(program: &Program, thread: ThreadId, sites: &BTreeSet<LocId>) -> Vec<LocId> {
    let t = &program.threads[thread];
    let mut found = sites.clone();
    loop {
        let more: Vec<LocId> = t
            .steps()
            .filter(|l| !found.contains(l))
            .filter(|&l| t.locations[l].targets().iter().any(|n| found.contains(n)))
            .collect();
        if more.is_empty() {
            return found.into_iter().collect();
        }
        found.extend(more);
    }
}
