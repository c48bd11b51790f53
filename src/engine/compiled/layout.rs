//! States as bits: each variable in as many as its values need, in one 64-bit word.
//!
//! The variables that are used together are next to each other (the order of the decision diagrams), so that a step
//! changes few words; the sets of states make use of that.

use crate::engine::Variable;
use crate::engine::interpreter::State;
use crate::engine::quotients::Symmetry;
use crate::model::program::{CellId, LocId, Program, ThreadId};

/// Where a variable lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// The word.
    pub word: u32,
    /// The lowest bit.
    pub shift: u32,
    /// As many ones as it has bits.
    pub mask: u64,
    /// The value whose bits are zero.
    pub lo: i64,
}

impl Field {
    /// The value in a state.
    #[inline]
    pub fn get(self, words: &[u64]) -> i64 {
        self.lo + (words[self.word as usize] >> self.shift & self.mask) as i64
    }

    /// Changes the value, which is one of the type.
    #[inline]
    pub fn set(self, words: &mut [u64], value: i64) {
        let word = &mut words[self.word as usize];
        *word = *word & !(self.mask << self.shift) | self.bits(value);
    }

    /// The bits of a value where they lie.
    #[inline]
    pub fn bits(self, value: i64) -> u64 {
        ((value - self.lo) as u64) << self.shift
    }
}

/// Where all variables of a program lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// By cell.
    pub cells: Vec<Field>,
    /// By thread: its location.
    pub locations: Vec<Field>,
    /// Words of a state.
    pub words: usize,
}

impl Layout {
    /// The variables in this order, which has each of them once.
    pub fn new(program: &Program, order: &[Variable]) -> Self {
        let mut layout = Layout {
            cells: vec![Field::default(); program.cells.len()],
            locations: vec![Field::default(); program.threads.len()],
            words: 1,
        };
        let mut used = 0;
        for &v in order {
            let (lo, hi) = match v {
                Variable::Cell(c) => (program.cells[c].ty.lo, program.cells[c].ty.hi),
                Variable::Location(t) => (0, program.threads[t].locations.len() as i64 - 1),
            };
            let bits = u64::BITS - ((hi - lo) as u64).leading_zeros();
            if used + bits > u64::BITS {
                layout.words += 1;
                used = 0;
            }
            let field = Field {
                word: layout.words as u32 - 1,
                // A variable of one value has no bits, and no place at the end of a full word.
                shift: used.min(u64::BITS - 1),
                mask: u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0),
                lo,
            };
            used += bits;
            match v {
                Variable::Cell(c) => layout.cells[c] = field,
                Variable::Location(t) => layout.locations[t] = field,
            }
        }
        layout
    }

    /// A state as words.
    pub fn pack(&self, state: &State, into: &mut [u64]) {
        into[..self.words].fill(0);
        for (c, field) in self.cells.iter().enumerate() {
            field.set(into, state.cell(c));
        }
        for (t, field) in self.locations.iter().enumerate() {
            field.set(into, state.location(t) as i64);
        }
    }

    /// Words as a state.
    pub fn unpack(&self, words: &[u64]) -> State {
        let cells: Vec<i64> = self.cells.iter().map(|f| f.get(words)).collect();
        let locations: Vec<LocId> = self
            .locations
            .iter()
            .map(|f| f.get(words) as LocId)
            .collect();
        State::new(&cells, &locations)
    }

    /// The value of a variable.
    #[inline]
    pub fn value(&self, words: &[u64], v: Variable) -> i64 {
        match v {
            Variable::Cell(c) => self.cells[c].get(words),
            Variable::Location(t) => self.locations[t].get(words),
        }
    }

    /// Makes a state the one that stands for those that differ from it by exchanges of threads.
    pub fn sort(&self, symmetry: &Symmetry, words: &mut [u64]) {
        for (v, value) in symmetry.sorted(&|v| self.value(words, v)) {
            match v {
                Variable::Cell(c) => self.cells[c].set(words, value),
                Variable::Location(t) => self.locations[t].set(words, value),
            }
        }
    }

    /// The value of a cell.
    pub fn cell(&self, words: &[u64], cell: CellId) -> i64 {
        self.cells[cell].get(words)
    }

    /// The location of a thread.
    #[inline]
    pub fn location(&self, words: &[u64], thread: ThreadId) -> LocId {
        self.locations[thread].get(words) as LocId
    }
}
