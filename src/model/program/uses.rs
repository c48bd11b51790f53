//! What the text of an action mentions: cells read, written or waited for, whether or not a particular step gets there.

use super::{CellId, Command, Edge, Expr, Program, Target};
use std::ops::Range;

/// How a cell is mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// Read in an effect.
    Read,
    /// Read in a blocking guard.
    Guard,
    /// Written.
    Write,
    /// Looked at by the check of a reference, which is no access.
    Check,
}

/// One mention of a variable in an action.
#[derive(Clone, Debug)]
pub struct Use<'p> {
    /// The cell, or all cells of the array if the index is computed.
    pub cells: Range<CellId>,
    /// The computed indices; empty if the cell is fixed.
    pub index: &'p [Expr],
    /// How it is mentioned.
    pub how: How,
}

/// Calls `visit` with every mention in an edge, in the order of the text.
pub fn each_use<'p>(program: &Program, edge: &'p Edge, visit: &mut dyn FnMut(Use<'p>)) {
    let mut walk = Walk { program, visit };
    if let Some(guard) = &edge.guard {
        walk.expr(guard, How::Guard);
    }
    walk.commands(&edge.body);
}

/// Whether an edge waits until another thread is somewhere (`join`).
pub fn waits_for_thread(edge: &Edge) -> bool {
    let mut waits = false;
    if let Some(guard) = &edge.guard {
        guard.walk(&mut |e| waits |= matches!(e, Expr::At(..)));
    }
    waits
}

struct Walk<'w, 'p> {
    program: &'w Program,
    visit: &'w mut dyn FnMut(Use<'p>),
}

impl<'p> Walk<'_, 'p> {
    fn expr(&mut self, e: &'p Expr, how: How) {
        match e {
            Expr::Const(_) | Expr::At(..) => {}
            Expr::Cell(c) => self.cell(*c, how),
            Expr::Element(array, index) => self.element(*array, index, how, how),
            Expr::Via(reference, allocated) => {
                self.expr(reference, how);
                if let Some(array) = allocated {
                    let cells = self.program.cells_of(*array);
                    let how = How::Check;
                    (self.visit)(Use {
                        cells,
                        index: &[],
                        how,
                    });
                }
            }
            Expr::Not(e) | Expr::Neg(e) | Expr::Slot(e, _) => self.expr(e, how),
            Expr::Binary(_, a, b) => {
                self.expr(a, how);
                self.expr(b, how);
            }
            Expr::Cond(c, a, b) => [c, a, b].into_iter().for_each(|e| self.expr(e, how)),
        }
    }

    fn cell(&mut self, cell: CellId, how: How) {
        let cells = cell..cell + 1;
        (self.visit)(Use {
            cells,
            index: &[],
            how,
        });
    }

    /// A cell with computed indices, which are `read` themselves.
    fn element(&mut self, array: usize, index: &'p [Expr], how: How, read: How) {
        index.iter().for_each(|e| self.expr(e, read));
        let cells = self.program.cells_of(array);
        (self.visit)(Use { cells, index, how });
    }

    fn target(&mut self, target: &'p Target) {
        match target {
            Target::Cell(c) => self.cell(*c, How::Write),
            Target::Element(a, index) => self.element(*a, index, How::Write, How::Read),
        }
    }

    fn commands(&mut self, commands: &'p [Command]) {
        for command in commands {
            match command {
                Command::Assign(target, value) => {
                    self.target(target);
                    self.expr(value, How::Read);
                }
                Command::Havoc(target) => self.target(target),
                Command::Check(e, _) => self.expr(e, How::Read),
                Command::If(c, a, b) => {
                    self.expr(c, How::Read);
                    self.commands(a);
                    self.commands(b);
                }
                Command::Choose(branches) => branches.iter().for_each(|b| self.commands(b)),
                Command::Goto(_) => {}
            }
        }
    }
}
