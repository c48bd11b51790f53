//! Relations without frame: what a step may write, and a BDD over what it reads before and writes after.
//!
//! The meaning of `Rel { writes, bdd }` is: `bdd` holds of the state before (level `3b`) and the written bits after
//! (level `3b+1`), and every bit outside `writes` is unchanged. A test writes nothing.

use super::bdds::Bdds;
use super::layout::{Bit, after, before};
use crate::base::control::Stop;
use biodivine_lib_bdd::Bdd;

/// A relation on states, without its frame.
#[derive(Clone, Debug)]
pub struct Rel {
    /// The bits that may change, sorted.
    pub writes: Vec<Bit>,
    /// Over the bits before, and the written bits after.
    pub bdd: Bdd,
}

impl Rel {
    /// The partial identity on the states where `holds`.
    pub fn test(holds: Bdd) -> Rel {
        Rel {
            writes: Vec::new(),
            bdd: holds,
        }
    }

    /// Whether it relates nothing.
    pub fn is_empty(&self) -> bool {
        self.bdd.is_false()
    }

    /// The bits it depends on or may write, sorted.
    pub fn support(&self, m: &Bdds) -> Vec<Bit> {
        let mut bits: Vec<Bit> = m
            .support(&self.bdd)
            .into_iter()
            .map(|l| (l / 3) as Bit)
            .collect();
        bits.extend(&self.writes);
        bits.sort_unstable();
        bits.dedup();
        bits
    }

    /// The bits it depends on before the step, sorted.
    pub fn reads(&self, m: &Bdds) -> Vec<Bit> {
        m.support(&self.bdd)
            .into_iter()
            .filter(|l| l % 3 == 0)
            .map(|l| (l / 3) as Bit)
            .collect()
    }

    /// The same relation with more bits that may change (and don't).
    pub fn widen(&self, m: &Bdds, to: &[Bit]) -> Result<Rel, Stop> {
        let more = minus(to, &self.writes);
        if more.is_empty() {
            return Ok(self.clone());
        }
        let bdd = m.and(&self.bdd, &identity(m, &more))?;
        Ok(Rel {
            writes: union(&self.writes, &more),
            bdd,
        })
    }

    /// `self + other`
    pub fn plus(&self, m: &Bdds, other: &Rel) -> Result<Rel, Stop> {
        if self.is_empty() {
            return Ok(other.clone());
        }
        if other.is_empty() {
            return Ok(self.clone());
        }
        let (a, b) = (self.widen(m, &other.writes)?, other.widen(m, &self.writes)?);
        Ok(Rel {
            bdd: m.or(&a.bdd, &b.bdd)?,
            writes: a.writes,
        })
    }

    /// `self other`, one step after the other.
    ///
    /// A bit that both write has its value between the steps at level `3b+1` and its last at `3b+2`, so that
    /// all renamings keep the order of levels; a bit that only the first writes is read by the second at `3b+1`.
    pub fn then(&self, m: &Bdds, other: &Rel) -> Result<Rel, Stop> {
        let (first, second) = (&self.writes, &other.writes);
        let written = |bits: &[Bit], b: usize| bits.binary_search(&(b as Bit)).is_ok();
        let later = m.rename(&other.bdd, |l| match (l % 3, written(first, l / 3)) {
            (_, false) => l,
            (0, true) => l + 1,
            (1, true) => l + 1,
            _ => l,
        });
        let product = m.and_exists(&self.bdd, &later, |l| {
            l % 3 == 1 && written(first, l / 3) && written(second, l / 3)
        })?;
        let bdd = m.rename(&product, |l| if l % 3 == 2 { l - 1 } else { l });
        Ok(Rel {
            writes: union(first, second),
            bdd,
        })
    }

    /// The states from which it leads somewhere.
    pub fn domain(&self, m: &Bdds) -> Result<Bdd, Stop> {
        m.exists(&self.bdd, |l| l % 3 == 1)
    }

    /// The states it leads to from `set`.
    pub fn image(&self, m: &Bdds, set: &Bdd) -> Result<Bdd, Stop> {
        let written = |l: usize| self.writes.binary_search(&((l / 3) as Bit)).is_ok();
        let next = m.and_exists(set, &self.bdd, |l| l % 3 == 0 && written(l))?;
        Ok(m.rename(&next, |l| if l % 3 == 1 { l - 1 } else { l }))
    }

    /// The states from which it leads into `set`.
    pub fn preimage(&self, m: &Bdds, set: &Bdd) -> Result<Bdd, Stop> {
        m.and_exists(&self.bdd, &self.after(m, set), |l| l % 3 == 1)
    }

    /// A set of states, as a condition on the state after the step.
    pub fn after(&self, m: &Bdds, set: &Bdd) -> Bdd {
        m.rename(set, |l| {
            if l % 3 == 0 && self.writes.binary_search(&((l / 3) as Bit)).is_ok() {
                l + 1
            } else {
                l
            }
        })
    }

    /// Whether the two commute because neither writes what the other reads or writes; the bit `ignore` does not count.
    pub fn independent(&self, other: &Rel, m: &Bdds, ignore: Option<Bit>) -> bool {
        let clash = |writes: &[Bit], support: &[Bit]| {
            writes
                .iter()
                .any(|b| Some(*b) != ignore && support.binary_search(b).is_ok())
        };
        !clash(&self.writes, &other.support(m)) && !clash(&other.writes, &self.support(m))
    }
}

/// All these bits (sorted) unchanged.
pub fn identity(m: &Bdds, bits: &[Bit]) -> Bdd {
    m.equal_pairs(bits.iter().map(|&b| (before(b), after(b))))
}

/// The union of two sorted lists.
pub fn union(a: &[Bit], b: &[Bit]) -> Vec<Bit> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// What is in the first sorted list but not in the second.
pub fn minus(a: &[Bit], b: &[Bit]) -> Vec<Bit> {
    a.iter()
        .copied()
        .filter(|x| b.binary_search(x).is_err())
        .collect()
}
