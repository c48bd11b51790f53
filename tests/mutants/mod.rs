//! Mutants of bundles, and what is true of the models in them.
//!
//! `sources` gathers honest evidence, `mutate` changes it, `worlds` enumerates models naively, `predicates` evaluates
//! the disciplines of a bundle, `truth` says what an accepted bundle claims wrongly, `fitted` makes sets fit whatever
//! was changed, and `replays` does it all for one mutant after the other.

#![allow(dead_code, reason = "every program uses its own part")]

pub mod fitted;
pub mod mutate;
pub mod predicates;
pub mod replays;
pub mod sources;
pub mod truth;
pub mod worlds;

use crate::random;

/// A generator of numbers, for one mutant.
pub struct Dice(u64);

impl Dice {
    /// The numbers of this mutant.
    pub fn of(mutant: u64) -> Self {
        Dice(random::seed(mutant.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 0x5EED) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n.max(1)
    }

    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these, if there is one.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}
