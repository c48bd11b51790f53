//! What came between the steps of a block, in an execution that the block, taken at once, does not have.
//!
//! The best one to tell is a step that has something to do with what the block did before it and with what it does
//! behind it: it can be moved out of neither end.

use crate::base::results::Interruption;
use crate::engine::State;
use crate::engine::compiled::{Blocks, Execution};
use crate::model::program::{CellId, How, LocId, Program, ThreadId, each_use};
use crate::theorem::executions::trace::step_at;
use std::collections::BTreeSet;

/// What the steps of a location mention.
#[derive(Default)]
struct Uses {
    reads: BTreeSet<CellId>,
    writes: BTreeSet<CellId>,
}

impl Uses {
    fn add(&mut self, p: &Program, thread: ThreadId, location: LocId) {
        for edge in &p.threads[thread].locations[location].edges {
            each_use(p, edge, &mut |used| match used.how {
                How::Read | How::Guard => self.reads.extend(used.cells),
                How::Write => self.writes.extend(used.cells),
                How::Check => {}
            });
        }
    }

    /// The variables that one of the two writes and the other uses.
    fn meet(&self, other: &Uses) -> BTreeSet<CellId> {
        let all = self.writes.intersection(&other.writes);
        let all = all.chain(self.writes.intersection(&other.reads));
        let all = all.chain(self.reads.intersection(&other.writes));
        all.copied().collect()
    }
}

/// What came between, if something that matters did.
pub fn interruption(p: &Program, blocks: &Blocks, execution: &Execution) -> Option<Interruption> {
    let (first, steps) = execution;
    let states: Vec<&State> = std::iter::once(first)
        .chain(steps.iter().map(|(_, s)| s))
        .collect();
    let mut found = None;
    for (k, (other, _)) in steps.iter().enumerate() {
        let place = states[k].location(*other);
        let mut between = Uses::default();
        between.add(p, *other, place);
        let inside = |&t: &ThreadId| t != *other && blocks.is_inside(t, states[k].location(t));
        for t in (0..p.threads.len()).filter(inside) {
            let own = |j: &usize| steps[*j].0 == t;
            let (mut before, mut behind) = (Uses::default(), Uses::default());
            let mut last = None;
            for j in (0..k).rev().filter(own) {
                let from = states[j].location(t);
                before.add(p, t, from);
                last = last.or(Some(from));
                if !blocks.is_inside(t, from) {
                    break;
                }
            }
            let next = states[k].location(t);
            behind.add(p, t, next);
            let later = (k..steps.len()).filter(own).map(|j| states[j].location(t));
            later
                .take_while(|&from| blocks.is_inside(t, from))
                .for_each(|from| behind.add(p, t, from));
            let (early, late) = (between.meet(&before), between.meet(&behind));
            let (Some(last), Some(&cell)) = (last, early.union(&late).next()) else {
                continue;
            };
            let told = Interruption {
                before: step_at(p, t, last),
                between: step_at(p, *other, place),
                behind: step_at(p, t, next),
                variable: name(p, cell, &early, &late),
                writes: between.writes.contains(&cell),
            };
            if !early.is_empty() && !late.is_empty() {
                return Some(told);
            }
            found.get_or_insert(told);
        }
    }
    found
}

/// A variable, or its array if it may be several of it.
fn name(p: &Program, cell: CellId, early: &BTreeSet<CellId>, late: &BTreeSet<CellId>) -> String {
    let array = p.cells[cell].array;
    let same = |c: &&CellId| **c != cell && p.cells[**c].array == array;
    match early.union(late).find(same) {
        Some(_) => p.arrays[array].name.clone(),
        None => p.cells[cell].name.clone(),
    }
}
