//! Sections of a claimed block that are steps of the weaker program (`weakened.rs`; Flanagan, Freund & Qadeer 2005).
//!
//! Which edges are in a section is told by the code that finds sections, and checked: all that leaves a location within
//! a section is in one, nothing else leads there, and all of it is in the block. All ways through a section are right
//! movers, one step, and left movers. And whatever a section does when it runs alone is one of the other steps from
//! where it begins, which stand for it.

use super::claims::Direction;
use super::compared::Subject;
use super::footprint::{Footprints, key};
use super::invariant::Refused;
use super::space::Part as Item;
use super::weakened::{Budget, Movers, each};
use crate::engine::{State, each_successor};
use crate::model::program::{Edge, LocId, ThreadId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Edges, by thread, location and number.
pub(super) type Inner = BTreeSet<(ThreadId, LocId, usize)>;

/// The edges of sections: each section is a transaction by itself, and another edge stands for each way through it.
pub(super) struct Sections<'a, 's> {
    pub weak: &'a Subject<'s>,
    pub inner: &'a Inner,
}

impl Sections<'_, '_> {
    /// The other edges from a location.
    fn others(&self, t: ThreadId, l: LocId) -> impl Iterator<Item = &Edge> {
        let edges = self.weak.program.threads[t].locations[l].edges.iter();
        let edges = edges.enumerate();
        edges
            .filter(move |(n, _)| !self.inner.contains(&(t, l, *n)))
            .map(|(_, e)| e)
    }

    /// Whether a location is within a section: all that leaves it belongs to one.
    fn is_within(&self, t: ThreadId, l: LocId) -> bool {
        let edges = &self.weak.program.threads[t].locations[l].edges;
        !edges.is_empty() && self.others(t, l).next().is_none()
    }

    /// Checks the sections of a thread.
    ///
    /// # Errors
    /// The first thing that is wrong, or the limit that was hit.
    pub fn check(
        &self,
        t: ThreadId,
        movers: &mut Movers,
        budget: &mut Budget,
    ) -> Result<(), Refused> {
        let weak = self.weak;
        let thread = &weak.program.threads[t];
        let refused = |l: LocId, why: &str| {
            let place = format!("{} at {}", thread.name, thread.locations[l].name);
            Err(weak.refused(&format!("{place}: {why}")))
        };
        if self.is_within(t, thread.initial) {
            return refused(thread.initial, "the thread begins within a section");
        }
        for l in 0..thread.locations.len() {
            let within = |to: &LocId| self.is_within(t, *to);
            if self.others(t, l).any(|e| e.targets().iter().any(within)) {
                return refused(l, "a step into the middle of a section");
            }
            let all = 0..thread.locations[l].edges.len();
            let mut own = all.filter(|n| self.inner.contains(&(t, l, *n)));
            let outside = |n: usize| !weak.has(t, (l, n));
            if own.clone().any(outside) || self.is_within(t, l) && !weak.is_inside(t, l) {
                return refused(l, "a section that is not in the block");
            }
            if own.next().is_some() && !self.is_within(t, l) {
                let places = self.has_form((t, l), movers)?;
                self.has_steps((t, l), &places, budget)?;
            }
        }
        Ok(())
    }

    /// Checks that all ways through a section are right movers, one step, and left movers; the locations in it.
    fn has_form(
        &self,
        (t, start): (ThreadId, LocId),
        movers: &mut Movers,
    ) -> Result<BTreeSet<LocId>, Refused> {
        let weak = self.weak;
        let locations = &weak.program.threads[t].locations;
        let mut met: BTreeSet<(LocId, bool)> = BTreeSet::from([(start, false)]);
        let mut open = vec![(start, false)];
        while let Some((l, committed)) = open.pop() {
            for (n, edge) in locations[l].edges.iter().enumerate() {
                if !self.inner.contains(&(t, l, n)) {
                    continue;
                }
                if committed && !movers.moves((t, l, n), Direction::Left)? {
                    let place =
                        format!("{} at {}", weak.program.threads[t].name, locations[l].name);
                    let why = format!("{place} is no left mover in a section that has committed");
                    return Err(weak.refused(&why));
                }
                let committed = committed || !movers.moves((t, l, n), Direction::Right)?;
                for to in edge.targets() {
                    if self.is_within(t, to) && met.insert((to, committed)) {
                        open.push((to, committed));
                    }
                }
            }
        }
        Ok(met.into_iter().map(|(l, _)| l).collect())
    }

    /// Checks that whatever a section does when it runs alone is one of the other steps from its beginning: all values
    /// of what it looks at are gone through.
    fn has_steps(
        &self,
        (t, start): (ThreadId, LocId),
        places: &BTreeSet<LocId>,
        budget: &mut Budget,
    ) -> Result<(), Refused> {
        let weak = self.weak;
        let p = weak.program;
        let footprints = Footprints::new(p);
        let parts = places.iter().flat_map(|&l| footprints.of(t, l).parts);
        let mut parts: BTreeSet<usize> = parts.collect();
        parts.remove(&key(p, Item::Location(t)));
        let cells = p.cells.iter().map(|c| c.ty.lo).collect();
        let mut at = vec![0; p.threads.len()];
        at[t] = start;
        each(p, &parts, (cells, at), budget, &mut |from| {
            let steps = |from: &State, inner: bool| {
                let mut found: Vec<State> = Vec::new();
                let l = from.location(t);
                let _: ControlFlow<()> = each_successor(p, from, t, None, &mut |step| {
                    let is_inner = self.inner.contains(&(t, l, step.edge));
                    if step.failure.is_none() && weak.has(t, (l, step.edge)) && is_inner == inner {
                        found.push(step.state);
                    }
                    ControlFlow::Continue(())
                });
                found
            };
            let joined: FxHashSet<State> = steps(from, false).into_iter().collect();
            let mut met: FxHashSet<State> = FxHashSet::default();
            let mut open = steps(from, true);
            while let Some(state) = open.pop() {
                if !self.is_within(t, state.location(t)) {
                    if !joined.contains(&state) {
                        let place = &p.threads[t].locations[start].name;
                        let why = format!("the section at {place} does more than the step for it");
                        return Err(weak.refused(&why));
                    }
                } else if met.insert(state.clone()) {
                    open.extend(steps(&state, true));
                }
            }
            Ok(())
        })
    }
}
