//! The states that differ in certain parts, one after another.

use super::footprint::{key, part};
use super::space::{Marked, Part};
use crate::engine::State;
use crate::model::program::{LocId, Program, ThreadId};
use std::collections::BTreeSet;

/// Valuations of some parts of the state; the other parts have one value each.
pub struct Valuations<'p> {
    program: &'p Program,
    cells: Vec<i64>,
    locations: Vec<LocId>,
    /// The parts that vary, with how many values each has.
    free: Vec<(usize, u64)>,
    codes: Vec<u64>,
}

impl<'p> Valuations<'p> {
    /// Valuations of these parts, in which threads are where they are said to begin.
    pub fn new(
        program: &'p Program,
        parts: &BTreeSet<usize>,
        begins: &[(ThreadId, LocId)],
    ) -> Self {
        let cells = program.cells.iter().map(|c| c.ty.lo).collect();
        let mut locations = vec![0; program.threads.len()];
        let mut free = parts.clone();
        for &(t, l) in begins {
            let place = key(program, Part::Location(t));
            if free.remove(&place) {
                locations[t] = l;
            }
        }
        Self::around(program, &free, (cells, locations))
    }

    /// The states that differ from one in nothing but these parts.
    pub fn around(
        program: &'p Program,
        parts: &BTreeSet<usize>,
        (cells, locations): (Vec<i64>, Vec<LocId>),
    ) -> Self {
        let values = |k: usize| match part(program, k) {
            Part::Violated => None,
            Part::Cell(c) => Some((k, program.cells[c].ty.size())),
            Part::Location(t) => Some((k, program.threads[t].locations.len() as u64)),
        };
        let free: Vec<(usize, u64)> = parts.iter().filter_map(|k| values(*k)).collect();
        let codes = vec![0; free.len()];
        let mut first = Valuations {
            program,
            cells,
            locations,
            free,
            codes,
        };
        first.decode();
        first
    }

    /// How many there are, with q and without.
    pub fn count(&self) -> u64 {
        let values = self.free.iter().map(|(_, values)| *values);
        values.fold(2, u64::saturating_mul)
    }

    /// The present one.
    pub fn marked(&self, violated: bool) -> Marked {
        Marked {
            state: State::new(&self.cells, &self.locations),
            violated,
        }
    }

    /// Goes on to the next one, if there is one.
    pub fn advance(&mut self) -> bool {
        let values = self.free.iter().map(|(_, values)| *values);
        let more = count_up(&mut self.codes, values);
        self.decode();
        more
    }

    fn decode(&mut self) {
        for (&(k, _), &code) in self.free.iter().zip(&self.codes) {
            match part(self.program, k) {
                Part::Cell(c) => self.cells[c] = self.program.cells[c].ty.lo + code as i64,
                Part::Location(t) => self.locations[t] = code as LocId,
                Part::Violated => {}
            }
        }
    }
}

/// Counts up by one, each digit below its base, the first one fastest; whether it is not all zero again.
pub fn count_up(digits: &mut [u64], bases: impl Iterator<Item = u64>) -> bool {
    for (digit, base) in digits.iter_mut().zip(bases) {
        *digit += 1;
        if *digit < base {
            return true;
        }
        *digit = 0;
    }
    false
}
