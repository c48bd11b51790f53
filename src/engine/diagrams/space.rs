//! Which variable lies at which level, and state expressions over levels.

use super::formulas::{Formula, Formulas, NO, YES};
use crate::engine::{State, Variable};
use crate::model::program::{ArrayId, CellId, Expr, Program, ThreadId, is_total};
use crate::model::text::ast::BinaryOp;

/// The place of every variable.
#[derive(Clone, Debug)]
pub struct Space<'p> {
    /// The program.
    pub program: &'p Program,
    /// From the top.
    pub order: Vec<Variable>,
    /// The level of each cell.
    pub cells: Vec<u32>,
    /// The level of each thread's location.
    pub locations: Vec<u32>,
}

impl<'p> Space<'p> {
    /// The levels that an order of all variables gives.
    pub fn new(program: &'p Program, order: Vec<Variable>) -> Self {
        let mut cells = vec![0; program.cells.len()];
        let mut locations = vec![0; program.threads.len()];
        for (level, &v) in order.iter().enumerate() {
            match v {
                Variable::Location(t) => locations[t] = level as u32,
                Variable::Cell(c) => cells[c] = level as u32,
            }
        }
        Space {
            program,
            order,
            cells,
            locations,
        }
    }

    /// Least and greatest value of each level.
    pub fn ranges(&self) -> Vec<(i64, i64)> {
        self.order.iter().map(|&v| range(self.program, v)).collect()
    }

    /// A state as values from the top, counted from the least.
    pub fn values(&self, state: &State) -> Vec<u32> {
        let value = |v: &Variable| match *v {
            Variable::Location(t) => state.location(t) as u32,
            Variable::Cell(c) => (state.cell(c) - self.program.cells[c].ty.lo) as u32,
        };
        self.order.iter().map(value).collect()
    }

    /// The state of values from the top, counted from the least.
    pub fn state(&self, values: &[u32]) -> State {
        let cells: Vec<i64> = self
            .cells
            .iter()
            .zip(&self.program.cells)
            .map(|(&l, c)| c.ty.lo + i64::from(values[l as usize]))
            .collect();
        let locations: Vec<usize> = self
            .locations
            .iter()
            .map(|&l| values[l as usize] as usize)
            .collect();
        State::new(&cells, &locations)
    }

    /// Where a state expression holds; where its evaluation fails it does not. `read` gives the value of a cell.
    pub fn holds(&self, f: &mut Formulas, e: &Expr, read: &dyn Read) -> Formula {
        let (value, defined) = self.evaluate(f, e, read);
        f.and(defined, value)
    }

    /// The value of an expression, and where it is defined.
    pub fn evaluate(&self, f: &mut Formulas, e: &Expr, read: &dyn Read) -> (Formula, Formula) {
        match e {
            Expr::Const(c) => (f.constant(*c), YES),
            Expr::Cell(c) => (read.cell(f, *c), YES),
            Expr::Element(array, index) => self.element(f, *array, index, read),
            Expr::Via(reference, allocated) => {
                let (slot, defined) = self.evaluate(f, reference, read);
                let zero = f.constant(0);
                let valid = f.binary(BinaryOp::Ge, slot, zero);
                let mut defined = f.and(defined, valid);
                if let Some(array) = allocated {
                    let a = &self.program.arrays[*array];
                    let mut live = NO;
                    for k in 0..a.len {
                        let here = f.equals(slot, k as i64);
                        let flag = read.cell(f, a.first + k);
                        let both = f.and(here, flag);
                        live = f.or(live, both);
                    }
                    defined = f.and(defined, live);
                }
                (slot, defined)
            }
            Expr::Slot(number, pool) => {
                let (slot, defined) = self.evaluate(f, number, read);
                let inside = f.within(slot, 0, self.program.pools[*pool].len as i64 - 1);
                (slot, f.and(defined, inside))
            }
            Expr::At(thread, locations) => (self.at(f, *thread, locations, read), YES),
            Expr::Not(e) => {
                let (value, defined) = self.evaluate(f, e, read);
                (f.not(value), defined)
            }
            Expr::Neg(e) => {
                let (value, defined) = self.evaluate(f, e, read);
                (f.neg(value), defined)
            }
            Expr::Binary(op, a, b) => {
                let (va, da) = self.evaluate(f, a, read);
                let (vb, db) = self.evaluate(f, b, read);
                let value = f.binary(*op, va, vb);
                // The right side of these is evaluated only where the left one does not settle it.
                let settled = match op {
                    BinaryOp::And | BinaryOp::Implies => f.not(va),
                    BinaryOp::Or => va,
                    _ => NO,
                };
                let mut right = f.or(settled, db);
                if !is_total(*op, b) {
                    let total = f.defined(*op, vb);
                    right = f.and(right, total);
                }
                (value, f.and(da, right))
            }
            Expr::Cond(c, a, b) => {
                let (vc, dc) = self.evaluate(f, c, read);
                let (va, da) = self.evaluate(f, a, read);
                let (vb, db) = self.evaluate(f, b, read);
                let taken = f.cond(vc, da, db);
                (f.cond(vc, va, vb), f.and(dc, taken))
            }
        }
    }

    /// Whether a thread is at one of these locations.
    pub fn at(
        &self,
        f: &mut Formulas,
        thread: ThreadId,
        locations: &[usize],
        read: &dyn Read,
    ) -> Formula {
        let here = read.location(f, thread);
        // All but a few is said by those few.
        let all = self.program.threads[thread].locations.len();
        let most = 2 * locations.len() > all;
        let mut any = NO;
        for l in (0..all).filter(|l| locations.contains(l) != most) {
            let at = f.equals(here, l as i64);
            any = f.or(any, at);
        }
        if most { f.not(any) } else { any }
    }

    fn element(
        &self,
        f: &mut Formulas,
        array: ArrayId,
        index: &[Expr],
        read: &dyn Read,
    ) -> (Formula, Formula) {
        let a = &self.program.arrays[array];
        let mut offset = f.constant(0);
        let mut defined = YES;
        for (e, &d) in index.iter().zip(&a.dims) {
            let (value, here) = self.evaluate(f, e, read);
            let inside = f.within(value, 0, d as i64 - 1);
            let both = f.and(here, inside);
            defined = f.and(defined, both);
            let d = f.constant(d as i64);
            let scaled = f.binary(BinaryOp::Mul, offset, d);
            offset = f.binary(BinaryOp::Add, scaled, value);
        }
        let (lo, hi) = f.range(offset);
        let (lo, hi) = (lo.max(0), hi.min(a.len as i64 - 1));
        let mut result = NO;
        for k in lo..=hi {
            let value = read.cell(f, a.first + k as usize);
            if k == lo {
                result = value;
                continue;
            }
            let here = f.equals(offset, k);
            result = f.cond(here, value, result);
        }
        (result, defined)
    }
}

/// Where an expression finds the values of what it mentions.
pub trait Read {
    /// The value of a cell.
    fn cell(&self, f: &mut Formulas, cell: CellId) -> Formula;
    /// The location of a thread.
    fn location(&self, f: &mut Formulas, thread: ThreadId) -> Formula;
}

impl Read for Space<'_> {
    fn cell(&self, f: &mut Formulas, cell: CellId) -> Formula {
        f.var(self.cells[cell])
    }

    fn location(&self, f: &mut Formulas, thread: ThreadId) -> Formula {
        f.var(self.locations[thread])
    }
}

/// Least and greatest value of a variable.
pub fn range(program: &Program, v: Variable) -> (i64, i64) {
    match v {
        Variable::Location(t) => (0, program.threads[t].locations.len() as i64 - 1),
        Variable::Cell(c) => (program.cells[c].ty.lo, program.cells[c].ty.hi),
    }
}
