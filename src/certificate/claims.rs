//! Claims `transaction NAME { .. }`: that the program cannot be told from the one with the block atomic.
//!
//! Either all steps inside the block are invisible, and the bundle's theorem says it; or every way through the block is
//! right movers, one action, and left movers (Lipton 1975), in each thread that has it. A bundle with such a claim also
//! claims that no execution violates the discipline and no thread goes wrong, and that there is no deadlock if that is
//! asked for. So movers only have to allow that two steps are exchanged:
//! `a b ~q <= b a` if a moves right, `b a ~q <= a b` if it moves left, for the actions b of all other threads. Which
//! actions are movers is found here; a bundle does not say it.

use super::invariant::{Claim, Refused};
use super::judge::Judge;
use super::letters::Letters;
use super::verdict::BundleVerdict;
use crate::base::control::Stop;
use crate::kernel::{Id, Terms};
use crate::model::program::{ClaimedBlock, LocId, Program, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A direction in which an action may be moved past another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Behind what others do next.
    Right,
    /// Before what others have just done.
    Left,
}

/// Says how many claims of transactions were checked.
pub fn tell(claims: usize, laws: usize, verdict: &mut BundleVerdict) {
    if claims > 0 {
        verdict.replayed.push(format!(
            "{claims} claim{} of transactions: {laws} pairs of actions can be exchanged",
            if claims == 1 { "" } else { "s" }
        ));
    }
}

/// The claims of a bundle under examination.
pub struct Claims<'a, 'p, 'j> {
    program: &'p Program,
    letters: &'a Letters,
    terms: &'a mut Terms,
    judge: &'a mut Judge<'j, 'p>,
    known: FxHashMap<(ThreadId, LocId, Direction), bool>,
    /// Pairs of actions that were found to commute in one direction.
    pub laws: usize,
}

impl<'a, 'p, 'j> Claims<'a, 'p, 'j> {
    /// Nothing examined yet.
    pub fn new(
        program: &'p Program,
        letters: &'a Letters,
        terms: &'a mut Terms,
        judge: &'a mut Judge<'j, 'p>,
    ) -> Self {
        Claims {
            program,
            letters,
            terms,
            judge,
            known: FxHashMap::default(),
            laws: 0,
        }
    }

    /// Checks the claims of transactions among all claims; how many there are. By the theorem at hand no other thread
    /// is scheduled where `covered` says so.
    ///
    /// # Errors
    /// The first that is not shown.
    pub fn check(
        &mut self,
        all: &[Claim],
        covered: &dyn Fn(ThreadId, LocId) -> bool,
    ) -> Result<usize, Refused> {
        let mut checked = 0;
        for claim in all {
            let Claim::Transaction(n) = claim else {
                continue;
            };
            let claim = &self.program.claims[*n];
            if !claim.is_within(covered) {
                for block in &claim.blocks {
                    if let Some(l) = self.broken(block)? {
                        let thread = &self.program.threads[block.thread];
                        return Err(Refused::Wrong(format!(
                            "{} is no transaction: {} at {} is no left mover behind what commits",
                            claim.name, thread.name, thread.locations[l].name
                        )));
                    }
                }
            }
            checked += 1;
        }
        Ok(checked)
    }

    /// Where a way through a block does not have the form, if one has not.
    fn broken(&mut self, block: &ClaimedBlock) -> Result<Option<LocId>, Stop> {
        let thread = &self.program.threads[block.thread];
        let mut met: FxHashSet<(LocId, bool)> = FxHashSet::default();
        let mut open: Vec<(LocId, bool)> = block.entries.iter().map(|l| (*l, false)).collect();
        while let Some((l, committed)) = open.pop() {
            if !met.insert((l, committed)) || thread.locations[l].edges.is_empty() {
                continue;
            }
            if committed && !self.moves(block.thread, l, Direction::Left)? {
                return Ok(Some(l));
            }
            let committed = committed || !self.moves(block.thread, l, Direction::Right)?;
            let targets = thread.locations[l].targets().into_iter();
            open.extend(
                targets
                    .filter(|to| block.inside.contains(to))
                    .map(|to| (to, committed)),
            );
        }
        Ok(None)
    }

    /// Whether the action at a location can be exchanged with every action of another thread.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn moves(&mut self, t: ThreadId, l: LocId, direction: Direction) -> Result<bool, Stop> {
        if let Some(&known) = self.known.get(&(t, l, direction)) {
            return Ok(known);
        }
        let a = self.letters.steps(self.terms, (t, l));
        let threads = self.program.threads.iter().enumerate();
        let others: Vec<(ThreadId, LocId)> = threads
            .filter(|(u, _)| *u != t)
            .flat_map(|(u, thread)| thread.steps().map(move |l| (u, l)))
            .collect();
        let mut all = true;
        for other in others {
            let b = self.letters.steps(self.terms, other);
            all = match direction {
                Direction::Right => self.swaps(a, b)?,
                Direction::Left => self.swaps(b, a)?,
            };
            if !all {
                break;
            }
            self.laws += 1;
        }
        self.known.insert((t, l, direction), all);
        Ok(all)
    }

    /// `x y ~q <= y x`
    fn swaps(&mut self, x: Id, y: Id) -> Result<bool, Stop> {
        let calm = self.letters.violated(self.terms);
        let calm = self.terms.not(calm);
        let (left, right) = (self.terms.product([x, y]), self.terms.product([y, x]));
        if (self.judge).is_apart(self.terms, &self.letters.meaning, (left, right)) {
            return Ok(true);
        }
        let left = self.terms.product([x, y, calm]);
        let held = self
            .judge
            .holds(self.terms, &self.letters.meaning, (left, right))?;
        Ok(held.is_some())
    }
}
