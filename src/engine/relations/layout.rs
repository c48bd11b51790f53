//! Where each cell, location and the bit q lie in the variable order.
//!
//! A value of a type with n values is its offset from the lowest in ceil(log2 n) bits, the most significant first.
//! Bit b has three levels, `3b` before a step, `3b+1` after it and `3b+2` for the middle of a composition, so that
//! renaming between neighbouring copies keeps the order.
//!
//! The order: q first; then, unless another is asked for, thread by thread (`engine/order.rs`).

use super::bdds::Level;
use crate::engine::Heuristic;
use crate::engine::Variable;
use crate::model::program::{CellId, Program, ThreadId};

/// A Boolean component of the state.
pub type Bit = u32;

/// What a group of bits encodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// The history variable q.
    Violated,
    /// A component of the program's state.
    Of(Variable),
}

/// The place of everything.
#[derive(Clone, Debug)]
pub struct Layout {
    order: Vec<Item>,
    cells: Vec<Group>,
    locations: Vec<Group>,
    /// The item that a bit belongs to.
    owner: Vec<Item>,
    bits: usize,
    choices: usize,
}

/// Consecutive bits, and how many values they stand for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Group {
    /// The first, most significant bit.
    pub first: Bit,
    /// How many.
    pub width: u32,
    /// The codes `0..values` are in use.
    pub values: u64,
}

impl Group {
    /// Its bits, most significant first.
    pub fn bits(self) -> std::ops::Range<Bit> {
        self.first..self.first + self.width
    }
}

/// The bit q.
pub const Q: Bit = 0;

impl Layout {
    /// Lays out a program in the order of its threads; `choices` is the number of bits needed for nondeterminism inside
    /// actions.
    pub fn new(program: &Program, choices: usize) -> Self {
        Self::ordered(program, &Heuristic::Threads.order(program), choices)
    }

    /// Lays out a program, q first and then its variables in this order.
    pub fn ordered(program: &Program, order: &[Variable], choices: usize) -> Self {
        let variables = order.iter().map(|v| Item::Of(*v));
        let order: Vec<Item> = std::iter::once(Item::Violated).chain(variables).collect();
        let mut layout = Layout {
            order: order.clone(),
            cells: vec![Group::default(); program.cells.len()],
            locations: vec![Group::default(); program.threads.len()],
            owner: Vec::new(),
            bits: 0,
            choices,
        };
        for item in order {
            let values = match item {
                Item::Violated => 2,
                Item::Of(Variable::Location(t)) => program.threads[t].locations.len() as u64,
                Item::Of(Variable::Cell(c)) => program.cells[c].ty.size(),
            };
            let width = 64 - (values - 1).leading_zeros();
            let group = Group {
                first: layout.bits as Bit,
                width,
                values,
            };
            layout.bits += width as usize;
            layout
                .owner
                .extend(std::iter::repeat_n(item, width as usize));
            match item {
                Item::Violated => {}
                Item::Of(Variable::Location(t)) => layout.locations[t] = group,
                Item::Of(Variable::Cell(c)) => layout.cells[c] = group,
            }
        }
        layout
    }

    /// The order of the items.
    pub fn order(&self) -> &[Item] {
        &self.order
    }

    /// Bits of one copy of the state, q included.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Levels in all: three copies, the ghost bit and the choices.
    pub fn levels(&self) -> usize {
        3 * (self.bits + 1 + self.choices)
    }

    /// A bit that no program has: it stands for all that lies outside a joint support (see `docs/soundness.md`).
    pub fn ghost(&self) -> Bit {
        self.bits as Bit
    }

    /// The n-th choice bit.
    pub fn choice(&self, n: usize) -> Bit {
        (self.bits + 1 + n) as Bit
    }

    /// Whether a level belongs to a choice bit.
    pub fn is_choice(&self, level: Level) -> bool {
        level / 3 > self.bits
    }

    /// The bits of a cell.
    pub fn cell(&self, cell: CellId) -> Group {
        self.cells[cell]
    }

    /// The bits of a thread's location.
    pub fn location(&self, thread: ThreadId) -> Group {
        self.locations[thread]
    }

    /// The group of an item.
    pub fn group(&self, item: Item) -> Group {
        match item {
            Item::Violated => Group {
                first: Q,
                width: 1,
                values: 2,
            },
            Item::Of(Variable::Location(t)) => self.locations[t],
            Item::Of(Variable::Cell(c)) => self.cells[c],
        }
    }

    /// The item of a bit of the state (not of the ghost or a choice).
    pub fn item(&self, bit: Bit) -> Option<Item> {
        self.owner.get(bit as usize).copied()
    }
}

/// The level of a bit before a step.
pub fn before(bit: Bit) -> Level {
    3 * bit as Level
}

/// The level of a bit after a step.
pub fn after(bit: Bit) -> Level {
    3 * bit as Level + 1
}

/// The level of a bit in the middle of a composition.
pub fn middle(bit: Bit) -> Level {
    3 * bit as Level + 2
}
