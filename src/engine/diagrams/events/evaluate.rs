//! Expressions on a path, in the interpreter's order of evaluation; what an index selects and what fails is decided on
//! the way.

use super::{After, End, Run};
use crate::engine::diagrams::formulas::{Form, Formula, NO, YES};
use crate::engine::diagrams::space::Read;
use crate::model::program::{ArrayId, CellId, Expr, Target, is_total};
use crate::model::text::ast::BinaryOp;

impl Run<'_, '_> {
    /// The value of an expression on this path.
    pub(super) fn eval(&mut self, e: &Expr) -> Result<Formula, End> {
        if self.is_plain(e) {
            let after = After {
                space: self.space,
                path: &self.path,
            };
            let (value, _) = self.space.evaluate(&mut self.relations.formulas, e, &after);
            return Ok(self.settled(value));
        }
        match e {
            Expr::Const(_) | Expr::At(..) => {
                let after = After {
                    space: self.space,
                    path: &self.path,
                };
                let (value, _) = self.space.evaluate(&mut self.relations.formulas, e, &after);
                Ok(value)
            }
            Expr::Cell(c) => Ok(self.access(*c)),
            Expr::Element(array, index) => {
                let cell = self.element(*array, index)?;
                Ok(self.access(cell))
            }
            Expr::Via(reference, allocated) => {
                let slot = self.eval(reference)?;
                let zero = self.f().constant(0);
                let valid = self.f().binary(BinaryOp::Ge, slot, zero);
                self.defined(valid, YES)?;
                if let Some(array) = allocated {
                    let a = &self.space.program.arrays[*array];
                    let n = self.index(slot, a.len)?;
                    let flag = self.read(a.first + n);
                    self.defined(flag, YES)?;
                }
                Ok(self.settled(slot))
            }
            Expr::Slot(number, pool) => {
                let slot = self.eval(number)?;
                let len = self.space.program.pools[*pool].len as i64;
                let inside = self.f().within(slot, 0, len - 1);
                self.defined(inside, YES)?;
                Ok(slot)
            }
            Expr::Not(e) => {
                let value = self.eval(e)?;
                Ok(self.f().not(value))
            }
            Expr::Neg(e) => {
                let value = self.eval(e)?;
                Ok(self.f().neg(value))
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::Cond(c, a, b) => {
                let c = self.eval(c)?;
                let not = self.f().not(c);
                match self.decide(&[c, not])? {
                    0 => self.eval(a),
                    _ => self.eval(b),
                }
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Result<Formula, End> {
        use BinaryOp::*;
        let va = self.eval(a)?;
        if let And | Or | Implies = op {
            // A right side without consequences need not be decided about.
            if !self.is_plain(b) {
                let not = self.f().not(va);
                let (goes_on, settled) = match op {
                    Or => (not, va),
                    _ => (va, not),
                };
                return match self.decide(&[goes_on, settled])? {
                    0 => self.eval(b),
                    _ => Ok(if op == And { NO } else { YES }),
                };
            }
        }
        let vb = self.eval(b)?;
        if !is_total(op, b) {
            let defined = self.f().defined(op, vb);
            self.defined(defined, YES)?;
        }
        Ok(self.f().binary(op, va, vb))
    }

    /// What the path's conditions make of a value.
    fn settled(&mut self, value: Formula) -> Formula {
        if self.known.is_empty() {
            return value;
        }
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        match self.relations.formulas.form(value) {
            Form::Neg(x) => {
                let x = self.settled(x);
                self.f().neg(x)
            }
            Form::Binary(op, a, b) => {
                let (a, b) = (self.settled(a), self.settled(b));
                self.f().binary(op, a, b)
            }
            _ => value,
        }
    }

    /// A cell's value, without access.
    pub(super) fn read(&mut self, cell: CellId) -> Formula {
        let after = After {
            space: self.space,
            path: &self.path,
        };
        let value = after.cell(&mut self.relations.formulas, cell);
        self.settled(value)
    }

    fn access(&mut self, cell: CellId) -> Formula {
        self.accessed.push(cell);
        self.read(cell)
    }

    pub(super) fn target(&mut self, target: &Target) -> Result<CellId, End> {
        match target {
            Target::Cell(c) => Ok(*c),
            Target::Element(array, index) => self.element(*array, index),
        }
    }

    fn element(&mut self, array: ArrayId, index: &[Expr]) -> Result<CellId, End> {
        let mut values = Vec::new();
        for e in index {
            values.push(self.eval(e)?);
        }
        let a = &self.space.program.arrays[array];
        let mut offset = 0;
        for (value, &d) in values.into_iter().zip(&a.dims) {
            let value = self.settled(value);
            offset = offset * d + self.index(value, d)?;
        }
        Ok(a.first + offset)
    }

    /// Decides which of `len` values an index has; goes wrong where it has another.
    fn index(&mut self, value: Formula, len: usize) -> Result<usize, End> {
        let (lo, hi) = self.f().range(value);
        let (lo, hi) = (lo.max(0), hi.min(len as i64 - 1));
        let mut options = Vec::new();
        for k in lo..=hi {
            options.push(self.f().equals(value, k));
        }
        let inside = self.f().within(value, 0, len as i64 - 1);
        options.push(self.f().not(inside));
        let n = self.decide(&options)?;
        if n + 1 == options.len() {
            return Err(End::Wrong);
        }
        Ok((lo + n as i64) as usize)
    }
}
