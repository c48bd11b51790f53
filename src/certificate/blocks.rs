//! Claims of transactions for every value of a constant: each way through a block is right movers, one step, left
//! movers.
//!
//! A bundle says no more than that a claim holds. Ways are followed here, on the text with the constant left open, and
//! single questions about generic threads go to the case split (`theorem::EveryLeaf`): whether a step can be exchanged
//! with one of another thread, may wait, or may go wrong. The bundle also claims that the discipline is kept. What else
//! may be seen of a block that is never completed is a thread that goes wrong, an invariant, or a deadlock inside.

use super::invariant::Refused;
use crate::model::program::{
    ArrayId, Claim, ClaimedBlock, How, LocId, Program, Thread, ThreadId, each_use,
};
use crate::theorem::{EveryLeaf, EveryWrong};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The block of a kind of threads, with the number of the kind.
type Block<'c> = (usize, &'c ClaimedBlock);

/// Checks a claim; how many pairs of steps were exchanged for it.
///
/// # Errors
/// What is not shown.
pub fn check(leaf: &EveryLeaf, claim: &Claim) -> Result<usize, Refused> {
    let refused = |why: &str| Err(Refused::Wrong(format!("{} is {why}", claim.name)));
    // Where a loop leads back to the first statement it would not be known whether control is inside.
    let inside = |b: &ClaimedBlock, l: &LocId| b.inside.contains(l);
    if claim
        .blocks
        .iter()
        .any(|b| b.entries.iter().any(|l| inside(b, l)))
    {
        return refused("a block that begins with a loop");
    }
    let mut blocks: Vec<Block> = Vec::new();
    for (k, kind) in leaf.kinds().into_iter().enumerate() {
        let of = |t: &ThreadId| claim.blocks.iter().find(|b| b.thread == *t);
        let all: Vec<Option<&ClaimedBlock>> = kind.iter().map(of).collect();
        let parts = |b: &Option<&ClaimedBlock>| b.map(|b| (b.entries.clone(), b.inside.clone()));
        if all.windows(2).any(|two| parts(&two[0]) != parts(&two[1])) {
            return refused("not the same block in all threads of a kind");
        }
        blocks.extend(all.first().copied().flatten().map(|b| (k, b)));
    }
    if blocks.is_empty() {
        return refused("a block that no thread has");
    }
    let mut walk = Walk {
        leaf,
        program: leaf.program(),
        known: FxHashMap::default(),
        exchanged: 0,
    };
    let mut behind = Vec::new();
    for (k, block) in &blocks {
        match walk.behind(*k, block)? {
            Ok(places) => behind.push(places),
            Err(l) => {
                let at = &walk.thread(*k).locations[l].name;
                return refused(&format!(
                    "no transaction for every value: the step at {at} is no left mover behind what commits"
                ));
            }
        }
    }
    match walk.seen(&blocks, &behind)? {
        None => Ok(walk.exchanged),
        Some(why) => refused(&format!("not shown for every value: {why}")),
    }
}

struct Walk<'l, 'p> {
    leaf: &'l EveryLeaf<'p>,
    program: &'l Program,
    /// Of a kind and a place, whether the step moves right, or else left.
    known: FxHashMap<(usize, LocId, bool), bool>,
    exchanged: usize,
}

impl Walk<'_, '_> {
    fn thread(&self, kind: usize) -> &Thread {
        let like = self.leaf.kinds()[kind].first().copied();
        &self.program.threads[like.unwrap_or_default()]
    }

    /// Whether a step can be exchanged with each step of another thread that follows it, or else comes before it.
    fn moves(&mut self, kind: usize, l: LocId, right: bool) -> Result<bool, Refused> {
        if let Some(&known) = self.known.get(&(kind, l, right)) {
            return Ok(known);
        }
        let others = 0..self.leaf.kinds().len();
        let others: Vec<(usize, LocId)> = others
            .flat_map(|k| self.thread(k).steps().map(move |at| (k, at)))
            .collect();
        let mut all = true;
        for other in others {
            all = match right {
                true => self.leaf.swaps((kind, l), other)?,
                false => self.leaf.swaps(other, (kind, l))?,
            };
            if !all {
                break;
            }
            self.exchanged += 1;
        }
        self.known.insert((kind, l, right), all);
        Ok(all)
    }

    /// The places behind the commit point, as late as that can be; or that of a step there which is no left mover.
    fn behind(
        &mut self,
        kind: usize,
        block: &ClaimedBlock,
    ) -> Result<Result<BTreeSet<LocId>, LocId>, Refused> {
        let mut met: FxHashSet<(LocId, bool)> = FxHashSet::default();
        let mut behind = BTreeSet::new();
        let mut open: Vec<(LocId, bool)> = block.entries.iter().map(|l| (*l, false)).collect();
        while let Some((l, committed)) = open.pop() {
            let location = &self.program.threads[block.thread].locations[l];
            if location.edges.is_empty() || !met.insert((l, committed)) {
                continue;
            }
            if committed {
                if !self.moves(kind, l, false)? {
                    return Ok(Err(l));
                }
                behind.insert(l);
            }
            let committed = committed || !self.moves(kind, l, true)?;
            let inside = location.targets().into_iter();
            let inside = inside.filter(|to| block.inside.contains(to));
            open.extend(inside.map(|to| (to, committed)));
        }
        Ok(Ok(behind))
    }

    /// What may be seen of a block that is interrupted for ever, if anything may.
    fn seen(
        &self,
        blocks: &[Block],
        behind: &[BTreeSet<LocId>],
    ) -> Result<Option<String>, Refused> {
        let at = |k: usize, l: LocId| self.thread(k).locations[l].name.clone();
        let mut events = false;
        for (k, _) in self.leaf.kinds().iter().enumerate() {
            for l in self.thread(k).steps() {
                match self.leaf.goes_wrong((k, l))? {
                    EveryWrong::Never => {}
                    EveryWrong::OneWay => events = true,
                    EveryWrong::ManyWays => {
                        events = true;
                        if self.decides(blocks, (k, l))? {
                            let at = at(k, l);
                            return Ok(Some(format!("it may go wrong at {at} in several ways")));
                        }
                    }
                }
            }
        }
        for (name, looked) in self.leaf.invariants() {
            events = true;
            if looked
                .as_ref()
                .is_none_or(|looked| self.changes(looked, blocks))
            {
                return Ok(Some(format!("{name} looks inside")));
            }
        }
        for ((k, block), behind) in blocks.iter().zip(behind) {
            for &l in behind.iter().filter(|_| events) {
                if self.leaf.waits((*k, l))? {
                    return Ok(Some(format!("it may wait at {}", at(*k, l))));
                }
            }
            if events && !self.program.threads[block.thread].is_straight(behind.clone()) {
                return Ok(Some("it may never end".to_string()));
            }
        }
        match self.program.deadlock_free.is_some() {
            true => self.deadlocked(blocks),
            false => Ok(None),
        }
    }

    /// Why a deadlock may have a thread inside, if it may.
    ///
    /// Who waits, inside or with a lock, waits for a lock above all of its own. So in a deadlock the lock with the
    /// highest number that somebody waits for belongs to a thread that has ended or gone wrong.
    fn deadlocked(&self, blocks: &[Block]) -> Result<Option<String>, Refused> {
        let is_inside = |(k, l)| {
            blocks
                .iter()
                .any(|(of, block)| *of == k && block.inside.contains(&l))
        };
        let (mut waiting, mut over, mut above) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut inside = false;
        for (k, block) in blocks {
            for &l in &block.inside {
                inside = inside || self.leaf.waits((*k, l))?;
            }
        }
        if !inside {
            return Ok(None);
        }
        for k in 0..self.leaf.kinds().len() {
            let thread = self.thread(k);
            for (l, location) in thread.locations.iter().enumerate() {
                let (place, name) = ((k, l), &location.name);
                let owns = self.leaf.owns(place)?;
                if location.edges.is_empty() {
                    if owns && thread.wrong != Some(l) {
                        return Ok(Some(format!("a thread may end with a lock, at {name}")));
                    }
                    continue;
                }
                let wrong = self.leaf.goes_wrong(place)? != EveryWrong::Never;
                let keeps = match thread.wrong {
                    Some(wrong) => self.leaf.owns((k, wrong))?,
                    None => false,
                };
                if wrong && (owns || keeps && !self.leaf.fails_unseen(place)?) {
                    over.push(place);
                }
                if (owns || is_inside(place)) && self.leaf.waits(place)? {
                    waiting.push((place, self.leaf.ascends(place)?));
                }
            }
        }
        for ((k, l), more) in &waiting {
            match more {
                Some(more) => above.extend(more),
                None => {
                    let name = &self.thread(*k).locations[*l].name;
                    return Ok(Some(format!("it may wait at {name} for no higher lock")));
                }
            }
        }
        if has_circle(&above) {
            return Ok(Some("locks are taken in more than one order".to_string()));
        }
        for (k, l) in over {
            // A thread that has gone wrong might as well still be there.
            let mut apart = self.leaf.fails_unseen((k, l))?;
            for (at, _) in &waiting {
                apart = apart && !self.leaf.together(*at, (k, l))?;
            }
            if !apart {
                let name = &self.thread(k).locations[l].name;
                return Ok(Some(format!("it may go wrong at {name} with a lock")));
            }
        }
        Ok(None)
    }

    /// The variables that a step may use, or only those that it may write.
    fn used(&self, (k, l): (usize, LocId), only_written: bool) -> BTreeSet<ArrayId> {
        let mut all = BTreeSet::new();
        for edge in &self.thread(k).locations[l].edges {
            each_use(self.program, edge, &mut |used| {
                if used.how == How::Write || !only_written {
                    let cells = self.program.cells.get(used.cells.clone());
                    all.extend(cells.into_iter().flatten().map(|c| c.array));
                }
            });
        }
        all
    }

    /// Whether a step of a block may write what a step of another thread uses, with both threads there.
    fn decides(&self, blocks: &[Block], place: (usize, LocId)) -> Result<bool, Refused> {
        let used = self.used(place, false);
        for (k, block) in blocks {
            for &l in block.entries.iter().chain(&block.inside) {
                let at = (*k, l);
                if !self.used(at, true).is_disjoint(&used) && self.leaf.together(at, place)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether one of these variables may be written by a step of the blocks.
    fn changes(&self, looked: &[ArrayId], blocks: &[Block]) -> bool {
        blocks.iter().any(|(k, block)| {
            let mut places = block.entries.iter().chain(&block.inside);
            places.any(|&l| {
                let written = self.used((*k, l), true);
                looked.iter().any(|a| written.contains(a))
            })
        })
    }
}

/// Whether something is below itself, through some of these pairs.
fn has_circle(above: &BTreeSet<(ArrayId, ArrayId)>) -> bool {
    let mut below = above.clone();
    loop {
        let longer = below.iter().flat_map(|(a, b)| {
            let next = above.iter().filter(move |(c, _)| b == c);
            next.map(move |(_, d)| (*a, *d))
        });
        let longer: BTreeSet<(ArrayId, ArrayId)> = longer.collect();
        let before = below.len();
        below.extend(longer);
        if below.iter().any(|(a, b)| a == b) || below.len() == before {
            return below.iter().any(|(a, b)| a == b);
        }
    }
}
