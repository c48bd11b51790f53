//! The forms that theorems let a block have: right movers, one action, left movers (Lipton 1975), or a special case.

use crate::algebra::{Shape, Theory};
use crate::engine::compiled::Mover;
use crate::engine::relations::Encoding;
use crate::model::program::{ClaimedBlock, LocId, Program};
use crate::theorem::reduced::transactions::{LEFT_MOVERS, LIPTON, RIGHT_MOVERS, Uses};
use std::collections::BTreeSet;

/// What a theorem lets a transaction be.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// The theorem.
    pub theorem: &'static str,
    shape: Shape,
    uses: Uses,
}

/// The theorems about movers, the least demanding first.
pub const PATTERNS: [Pattern; 3] = [
    Pattern {
        theorem: "left-movers",
        shape: Shape::LeftMovers,
        uses: LEFT_MOVERS,
    },
    Pattern {
        theorem: "right-movers",
        shape: Shape::RightMovers,
        uses: RIGHT_MOVERS,
    },
    Pattern {
        theorem: "lipton",
        shape: Shape::Lipton,
        uses: LIPTON,
    },
];

/// The theorems that say which blocks are transactions.
pub fn blocks() -> Vec<&'static str> {
    PATTERNS.iter().map(|p| p.theorem).collect()
}

/// Whether a theorem, or the one that it is used as, says so.
pub fn has_blocks(theory: &Theory) -> bool {
    PATTERNS.iter().any(|p| theory.shape == Some(p.shape))
}

/// Where a block does not have the form that a theorem asks for: an action behind the commit that is no left mover, and
/// one that commits before it.
#[derive(Clone, Copy, Debug)]
pub struct Break {
    /// The one behind.
    pub action: usize,
    /// The one before.
    pub committed: usize,
}

impl Pattern {
    /// Whether this is what a theorem lets transactions be, for all that is known of it.
    pub fn is_of(self, theory: &Theory) -> bool {
        theory.shape == Some(self.shape)
            && theory.is_proved()
            && theory.implies_shape()
            && theory.reduces_as_shape()
    }

    /// Where a block does not have this form, if it does not.
    pub fn broken_by(
        self,
        e: &Encoding,
        mover: &dyn Fn(usize) -> Mover,
        block: &ClaimedBlock,
    ) -> Option<Break> {
        let at = |l: LocId| e.action_at(block.thread, l);
        let of = |l: LocId| at(l).map(mover).unwrap_or_default();
        let (there, before) = self.behind(e.program, &of, block).err()?;
        Some(Break {
            action: at(there)?,
            committed: at(before)?,
        })
    }

    /// The places behind the commit point of a block that has this form: all ways through it are followed.
    ///
    /// # Errors
    /// Where it has not: the place of a step behind the commit that is no left mover, and of one that commits before.
    pub fn behind(
        self,
        p: &Program,
        mover: &dyn Fn(LocId) -> Mover,
        block: &ClaimedBlock,
    ) -> Result<BTreeSet<LocId>, (LocId, LocId)> {
        let locations = &p.threads[block.thread].locations;
        // By location, and where it was that the block has committed, if it has.
        let mut met: BTreeSet<(LocId, Option<LocId>)> = BTreeSet::new();
        let mut open: Vec<(LocId, Option<LocId>)> =
            block.entries.iter().map(|&l| (l, None)).collect();
        while let Some((l, committed)) = open.pop() {
            if locations[l].edges.is_empty() || !met.insert((l, committed)) {
                continue;
            }
            let mover = mover(l);
            let after = match committed {
                None if self.uses.rights && mover.right => None,
                None => Some(l),
                Some(_) if self.uses.lefts && mover.left => committed,
                Some(committed) => return Err((l, committed)),
            };
            let inside = locations[l].targets().into_iter();
            let inside = inside.filter(|to| block.inside.binary_search(to).is_ok());
            open.extend(inside.map(|to| (to, after)));
        }
        let behind = met.into_iter().filter(|(_, committed)| committed.is_some());
        Ok(behind.map(|(l, _)| l).collect())
    }
}

/// The actions of a block that are no right movers and come first on some way through it.
pub fn commits(e: &Encoding, mover: &dyn Fn(usize) -> Mover, block: &ClaimedBlock) -> Vec<usize> {
    let mut met: BTreeSet<LocId> = BTreeSet::new();
    let mut found = Vec::new();
    let mut open = block.entries.clone();
    while let Some(l) = open.pop() {
        if !met.insert(l) {
            continue;
        }
        let Some(action) = e.action_at(block.thread, l) else {
            continue;
        };
        if !mover(action).right {
            found.push(action);
            continue;
        }
        let targets = e.program.threads[block.thread].locations[l].targets();
        open.extend(
            targets
                .into_iter()
                .filter(|to| block.inside.binary_search(to).is_ok()),
        );
    }
    found.sort_unstable();
    found
}
