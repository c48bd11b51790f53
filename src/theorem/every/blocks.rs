//! Claims `transaction NAME { .. }` for every value of the constant, by Lipton 1975.
//!
//! Every way through the block is right movers, one step, and left movers. Which steps are movers is found for generic
//! threads, by exchanging a step with every step of another thread, on the states that what holds at locations allows.
//! What is reached with all threads outside is then reached by whole blocks. If nothing can go wrong that is all. Else
//! an execution up to what goes wrong is taken: threads before their commit points are taken back to where they began,
//! and those behind it go on to the end of the block. So behind the commit point no step may wait, and none is taken
//! twice; and in which way a thread goes wrong must not be decided by a step that is moved.

use super::Oracle;
use super::kinds::looks_at_locations;
use super::locks::Above;
use super::oracle::{Place, Wrong};
use super::run::{Said, Unsaid};
use crate::base::control::{Control, Hit, Stop};
use crate::base::diagnostic::Position;
use crate::base::results::{BlockObstacle, EveryClaim, Obstacle, Status, Unordered};
use crate::engine::compiled::Mover;
use crate::model::program::{ArrayId, Claim, ClaimedBlock, How, LocId, Program, each_use};
use crate::theorem::claims::{PATTERNS, finished};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The claims of a model under examination.
pub(super) struct Blocks<'o, 'p> {
    oracle: &'o Oracle<'p>,
    /// The model's name.
    name: &'o str,
    /// Whether one step may be exchanged with another that another thread takes behind it.
    swaps: RefCell<FxHashMap<(Place, Place), bool>>,
}

/// What is known of a claim: the theorem by which it holds, or what stands against it.
type Judged = Result<&'static str, BlockObstacle>;

/// Says of each claim of a model of this name whether it holds for every value. `instance` is a small one.
pub(super) fn claims(
    oracle: &Oracle,
    (name, instance): (&str, &Program),
    control: &Control,
) -> Vec<EveryClaim> {
    let blocks = Blocks {
        oracle,
        name,
        swaps: RefCell::default(),
    };
    let one = |claim: &Claim| -> Said<Judged> {
        Ok(match blocks.judged(claim)? {
            Ok(theorem) => seen(instance, claim, control)?.map_or(Ok(theorem), Err),
            against => against,
        })
    };
    let all = oracle.parametric.program.claims.iter();
    let told = all.map(|claim| {
        let judged = one(claim).unwrap_or_else(|unsaid| {
            Err(BlockObstacle::Unsaid(match unsaid {
                Unsaid::Because(why) => why,
                Unsaid::Stopped(stop) => Obstacle::Limit(Hit::Phase(stop, control.phase())),
            }))
        });
        EveryClaim {
            name: claim.name.clone(),
            status: match judged {
                Ok(_) => Status::Holds,
                Err(_) => Status::Unknown,
            },
            theorem: judged.as_ref().ok().map(ToString::to_string),
            obstacle: judged.err(),
        }
    });
    told.collect()
}

/// Why nothing is seen of a block in an instance, if nothing is.
fn seen(
    instance: &Program,
    claim: &Claim,
    control: &Control,
) -> Result<Option<BlockObstacle>, Stop> {
    let here = instance.claims.iter().find(|c| c.name == claim.name);
    Ok(match here {
        Some(here) if finished(instance, here, control)? => None,
        _ => Some(BlockObstacle::NeverFinished),
    })
}

impl Blocks<'_, '_> {
    fn program(&self) -> &Program {
        &self.oracle.parametric.program
    }

    fn judged(&self, claim: &Claim) -> Said<Judged> {
        let loops = |b: &ClaimedBlock| b.entries.iter().any(|l| b.inside.contains(l));
        if claim.blocks.iter().any(loops) {
            return Ok(Err(BlockObstacle::BeginsWithLoop));
        }
        let mut of_kinds = Vec::new();
        for (k, kind) in self.oracle.kinds.iter().enumerate() {
            let of = |t: &usize| claim.blocks.iter().find(|b| b.thread == *t);
            let Some(block) = of(&kind.like()) else {
                if kind.threads.iter().any(|t| of(t).is_some()) {
                    return Err(Unsaid::Because(Obstacle::Form));
                }
                continue;
            };
            let alike =
                |b: &ClaimedBlock| (&b.entries, &b.inside) == (&block.entries, &block.inside);
            if !kind.threads.iter().all(|t| of(t).is_some_and(alike)) {
                return Err(Unsaid::Because(Obstacle::Form));
            }
            of_kinds.push((k, block));
        }
        if of_kinds.is_empty() {
            return Ok(Err(BlockObstacle::NeverFinished));
        }
        let (mut movers, mut beside) = (Vec::new(), FxHashMap::default());
        for (k, block) in &of_kinds {
            let mut found = FxHashMap::default();
            for &l in block.entries.iter().chain(&block.inside) {
                let (mover, other) = self.mover((*k, l))?;
                found.insert(l, mover);
                beside.insert((*k, l), other);
            }
            movers.push(found);
        }
        // Of what stands against the last pattern is told, which asks for least.
        let mut against = BlockObstacle::NeverFinished;
        for pattern in PATTERNS {
            let each = of_kinds.iter().zip(&movers).map(|((k, block), movers)| {
                let mover = |l: LocId| movers.get(&l).copied().unwrap_or_default();
                let behind = pattern.behind(self.program(), &mover, block);
                behind.map_err(|(step, committed)| BlockObstacle::NoMover {
                    step: self.told((*k, step)),
                    beside: self.told(beside[&(*k, step)].unwrap_or((*k, step))),
                    behind: self.told((*k, committed)),
                })
            });
            match each.collect::<Result<Vec<BTreeSet<LocId>>, BlockObstacle>>() {
                Ok(behind) => match self.open(&of_kinds, &behind)? {
                    None => return Ok(Ok(pattern.theorem)),
                    Some(why) => against = why,
                },
                Err(why) => against = why,
            }
        }
        Ok(Err(against))
    }

    /// What may be seen of an interrupted block, if anything may.
    fn open(
        &self,
        blocks: &[(usize, &ClaimedBlock)],
        behind: &[BTreeSet<LocId>],
    ) -> Said<Option<BlockObstacle>> {
        let program = self.program();
        let mut watched = false;
        let written = self.written(blocks);
        for (name, looked) in &self.oracle.parametric.open.invariants {
            watched = true;
            let apart = |all: &Vec<ArrayId>| all.iter().all(|a| !written.contains(a));
            if !looked.as_ref().is_some_and(apart) {
                return Ok(Some(BlockObstacle::Looked(name.clone())));
            }
        }
        for (k, kind) in self.oracle.kinds.iter().enumerate() {
            for l in program.threads[kind.like()].steps() {
                match self.oracle.goes_wrong((k, l))? {
                    Wrong::Never => {}
                    Wrong::OneWay => watched = true,
                    Wrong::ManyWays => {
                        watched = true;
                        if let Some(by) = self.disturbed((k, l), blocks)? {
                            return Ok(Some(BlockObstacle::GoesWrong {
                                step: self.told((k, l)),
                                by: self.told(by),
                            }));
                        }
                    }
                }
            }
        }
        let blocks_and_behind = blocks.iter().zip(behind).filter(|_| watched);
        for ((k, block), behind) in blocks_and_behind {
            if !program.threads[block.thread].is_straight(behind.clone()) {
                let first = behind.first().map(|&l| self.told((*k, l)));
                return Ok(first.map(BlockObstacle::Loops));
            }
            for &l in behind {
                if self.oracle.waits((*k, l))? {
                    return Ok(Some(BlockObstacle::Waits(self.told((*k, l)))));
                }
            }
        }
        match program.deadlock_free.is_some() {
            true => self.stuck(blocks),
            false => Ok(None),
        }
    }

    /// A step inside a block at which a thread may get stuck in a deadlock, if there is one.
    ///
    /// Threads that wait for a lock above all that they own never wait in a circle: of a thread that waits inside, the
    /// owner of that lock waits for one above, and so on. A thread that has ended with a lock, or has gone wrong with
    /// one, would keep it.
    fn stuck(&self, blocks: &[(usize, &ClaimedBlock)]) -> Said<Option<BlockObstacle>> {
        let program = self.program();
        let (mut inside, mut waiting, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for (k, block) in blocks {
            for &l in &block.inside {
                if self.oracle.waits((*k, l))? {
                    inside.push((*k, l));
                }
            }
        }
        let Some(&first) = inside.first() else {
            return Ok(None);
        };
        let stuck = |why| {
            let step = self.told(first);
            Ok(Some(BlockObstacle::Stuck { step, why }))
        };
        let mut above = Above::new();
        for (k, kind) in self.oracle.kinds.iter().enumerate() {
            let thread = &program.threads[kind.like()];
            for place in thread.steps().map(|l| (k, l)) {
                let owns = self.oracle.owns(place)?;
                // Who goes wrong may take a lock in the same step.
                let keeps = match thread.wrong {
                    Some(wrong) => owns || self.oracle.owns((k, wrong))?,
                    None => owns,
                };
                if keeps && self.oracle.goes_wrong(place)? != Wrong::Never {
                    let alone = self.oracle.fails_alone(place)?;
                    if owns || !alone {
                        wrong.push((place, alone));
                    }
                }
                if inside.contains(&place) || owns && self.oracle.waits(place)? {
                    match self.oracle.ascends(place)? {
                        None => return stuck(Unordered::NotAbove(self.told(place))),
                        Some(more) => above.extend(more),
                    }
                    waiting.push(place);
                }
            }
        }
        for (k, kind) in self.oracle.kinds.iter().enumerate() {
            let thread = &program.threads[kind.like()];
            if let Some(end) = thread.end
                && self.oracle.owns((k, end))?
            {
                return stuck(Unordered::Ends(thread.family.clone()));
            }
        }
        if !ordered(above) {
            return stuck(Unordered::BothOrders);
        }
        for (place, alone) in wrong {
            let kept = !alone || looks_at_locations(program);
            for at in &waiting {
                if kept || self.oracle.together(*at, place)? {
                    return stuck(Unordered::GoesWrong(self.told(place)));
                }
            }
        }
        Ok(None)
    }

    /// The first step of a block that may write what a step of another thread looks at, right before it or behind it.
    fn disturbed(&self, place: Place, blocks: &[(usize, &ClaimedBlock)]) -> Said<Option<Place>> {
        let looked = self.used(place, &|_| true);
        for (k, block) in blocks {
            for &l in block.entries.iter().chain(&block.inside) {
                let written = self.used((*k, l), &|how| how == How::Write);
                if !written.is_disjoint(&looked) && self.oracle.together((*k, l), place)? {
                    return Ok(Some((*k, l)));
                }
            }
        }
        Ok(None)
    }

    /// The variables that steps of blocks may write.
    fn written(&self, blocks: &[(usize, &ClaimedBlock)]) -> BTreeSet<ArrayId> {
        let of = |(k, block): &(usize, &ClaimedBlock)| -> BTreeSet<ArrayId> {
            let places = block.entries.iter().chain(&block.inside);
            let written = places.flat_map(|l| self.used((*k, *l), &|how| how == How::Write));
            written.collect()
        };
        blocks.iter().flat_map(of).collect()
    }

    /// The variables that a step uses in some way.
    fn used(&self, (k, l): Place, how: &dyn Fn(How) -> bool) -> BTreeSet<ArrayId> {
        let program = self.program();
        let mut all = BTreeSet::new();
        for edge in &program.threads[self.oracle.kinds[k].like()].locations[l].edges {
            each_use(program, edge, &mut |used| {
                if how(used.how) {
                    let cells = program.cells.get(used.cells.clone());
                    all.extend(cells.into_iter().flatten().map(|c| c.array));
                }
            });
        }
        all
    }

    /// What a step is as a mover, among the steps of all other threads; and the first past which it does not move left.
    fn mover(&self, place: Place) -> Said<(Mover, Option<Place>)> {
        let (mut right, mut beside) = (true, None);
        for (k, kind) in self.oracle.kinds.iter().enumerate() {
            for l in self.program().threads[kind.like()].steps() {
                right = right && self.swap(place, (k, l))?;
                if beside.is_none() && !self.swap((k, l), place)? {
                    beside = Some((k, l));
                }
            }
        }
        let mover = Mover {
            local: false,
            right,
            left: beside.is_none(),
        };
        Ok((mover, beside))
    }

    /// Whether a step may be taken after a step of another thread that follows it.
    fn swap(&self, first: Place, second: Place) -> Said<bool> {
        if let Some(&known) = self.swaps.borrow().get(&(first, second)) {
            return Ok(known);
        }
        let swaps = match self.oracle.swaps(first, second) {
            Err(Unsaid::Because(_)) => false,
            answer => answer?,
        };
        self.swaps.borrow_mut().insert((first, second), swaps);
        Ok(swaps)
    }

    /// The text of a step, whose it is, and where it stands.
    fn told(&self, (k, l): Place) -> String {
        let (p, name) = (self.program(), self.name);
        let thread = &p.threads[self.oracle.kinds[k].like()];
        let span = thread.locations[l].span;
        let Position { line, column } = p.position(span);
        format!(
            "`{}` ({}, {name}:{line}:{column})",
            p.text(span),
            thread.family
        )
    }
}

/// Whether variables can be put in an order in which the second of each pair is above the first.
fn ordered(mut above: Above) -> bool {
    loop {
        let before = above.len();
        let higher: BTreeSet<ArrayId> = above.iter().map(|pair| pair.1).collect();
        above.retain(|(low, _)| higher.contains(low));
        if above.len() == before {
            return above.is_empty();
        }
    }
}
