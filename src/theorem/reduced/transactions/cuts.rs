//! Where transactions are cut.
//!
//! Behind its commit point a transaction may end anywhere. It has to end where it could not be finished from (A6 of
//! Flanagan & Qadeer 2003). It had better end where threads are scheduled anyway, at the head of a loop for instance:
//! otherwise the next round's local steps belong to it, up to the next lock, and threads are scheduled there as well,
//! with what these steps have computed. So among heads of loops and locations outside transactions those are cut that
//! leave the fewest locations at which threads are scheduled, and of equals those with the fewest live local variables
//! there. Nothing rests on the choice: hypotheses are settled for the program with phases that comes of it.

use super::phases::{Copies, Phase, Uses};
use crate::engine::compiled::Movers;
use crate::engine::quotients::DeadLocals;
use crate::model::program::{CellId, LocId, Program, Thread, ThreadId};
use std::collections::BTreeSet;

/// Where transactions are cut: by thread, locations of the program.
pub type Cuts = Vec<BTreeSet<LocId>>;

/// Copies of locations that are looked at for each thread.
const LOOKED_AT: usize = 1 << 20;

/// What is to be small: locations at which other threads are scheduled, and bits of live local variables there.
type Cost = (usize, u64);

/// Cuts that leave few states in which all threads are outside transactions. None lies inside a claimed block.
pub fn fewest(program: &Program, movers: &Movers, uses: Uses) -> Cuts {
    let dead = DeadLocals::new(program, &[]);
    let threads = program.threads.iter().enumerate();
    let of = |(t, thread): (ThreadId, &Thread)| {
        let blocks = program.claims.iter().flat_map(|c| &c.blocks);
        let claimed: BTreeSet<LocId> = blocks
            .filter(|b| b.thread == t)
            .flat_map(|b| b.inside.iter().copied())
            .collect();
        let bits = |c: &CellId| {
            let ty = program.cells[*c].ty;
            u64::from(64 - (ty.hi - ty.lo).leading_zeros())
        };
        let (_, live) = dead.liveness(t);
        let search = Search {
            thread,
            movers: &movers[t],
            uses,
            live: live.iter().map(|l| l.iter().map(bits).sum()).collect(),
        };
        search.run(&claimed)
    };
    threads.map(of).collect()
}

/// The search for the cuts of one thread.
struct Search<'a> {
    thread: &'a Thread,
    movers: &'a [crate::engine::compiled::Mover],
    uses: Uses,
    /// By location: the bits of the local variables that are alive there.
    live: Vec<u64>,
}

impl Search<'_> {
    /// Adds the best cut, as long as one is better than none.
    fn run(&self, claimed: &BTreeSet<LocId>) -> BTreeSet<LocId> {
        let heads = heads(self.thread);
        let mut cuts = BTreeSet::new();
        let (mut least, mut copies) = self.cost(&cuts);
        let mut looked_at = copies.len();
        while looked_at < LOOKED_AT {
            let is_outside = |l: LocId| copies.contains(&(l, Phase::Outside));
            let may_be = |&(l, phase): &(LocId, Phase)| {
                let candidate = phase == Phase::Behind && (heads.contains(&l) || is_outside(l));
                (candidate && !claimed.contains(&l)).then_some(l)
            };
            let mut best = None;
            for l in copies.iter().filter_map(may_be) {
                cuts.insert(l);
                let (cost, then) = self.cost(&cuts);
                cuts.remove(&l);
                looked_at += then.len();
                if cost < least {
                    least = cost;
                    best = Some((l, then));
                }
            }
            let Some((l, then)) = best else {
                break;
            };
            cuts.insert(l);
            copies = then;
        }
        cuts
    }

    fn cost(&self, cuts: &BTreeSet<LocId>) -> (Cost, BTreeSet<(LocId, Phase)>) {
        let copies = Copies {
            thread: self.thread,
            movers: self.movers,
            uses: self.uses,
            cuts,
        };
        let all: BTreeSet<(LocId, Phase)> =
            copies.all().into_keys().map(|(_, l, p)| (l, p)).collect();
        let scheduled = |&(l, phase): &(LocId, Phase)| {
            let here = phase == Phase::Outside && !self.thread.locations[l].edges.is_empty();
            here.then_some(self.live[l])
        };
        let cost = all.iter().filter_map(scheduled);
        let cost = cost.fold((0, 0), |(n, bits), live| (n + 1, bits + live));
        (cost, all)
    }
}

/// The locations that control comes back to: where an edge of a depth-first search leads to one on its stack.
fn heads(thread: &Thread) -> BTreeSet<LocId> {
    let mut found = BTreeSet::new();
    let mut on_stack = vec![false; thread.locations.len()];
    let mut seen = on_stack.clone();
    let mut stack: Vec<(LocId, Vec<LocId>)> = Vec::new();
    let mut next = Some(thread.initial);
    loop {
        if let Some(l) = next.take() {
            (seen[l], on_stack[l]) = (true, true);
            stack.push((l, thread.locations[l].targets()));
        }
        let Some((l, targets)) = stack.last_mut() else {
            return found;
        };
        match targets.pop() {
            Some(to) if on_stack[to] => {
                found.insert(to);
            }
            Some(to) if !seen[to] => next = Some(to),
            Some(_) => {}
            None => {
                on_stack[*l] = false;
                stack.pop();
            }
        }
    }
}
