//! Indices that an operation evaluates once.
//!
//! An operation evaluates the indices of its objects first. Commands evaluate them anew wherever they name a cell, so
//! where an operation writes something that occurs in an index, it becomes a distinction of cases over the index's
//! values.

use super::cfg::Graph;
use super::expressions::fold;
use super::operations::evaluated;
use super::scope::{Context, Elaborator};
use super::{ArrayId, Command, Expr, Failure};
use crate::base::diagnostic::Span;
use crate::model::text::ast::BinaryOp;

impl Elaborator {
    /// Commands about the object at an index. If they write what the index reads, its value is settled before, by
    /// cases.
    pub(super) fn settled(
        &mut self,
        g: &mut Graph,
        index: &[Expr],
        object: usize,
        writes: &[ArrayId],
        span: Span,
        make: &dyn Fn(&mut Self, &[Expr]) -> Vec<Command>,
    ) -> Option<Vec<Command>> {
        let mut read = false;
        for e in index {
            e.walk(&mut |e| {
                read |= match e {
                    Expr::Cell(c) => writes.contains(&self.program.cells[*c].array),
                    Expr::Element(a, _) => writes.contains(a),
                    _ => false,
                };
            });
        }
        if !read {
            return Some(make(self, index));
        }
        let path = self.objects[object].path.clone();
        let sizes = path.iter().flat_map(|(_, d)| d);
        for size in sizes.clone() {
            self.assume_size(size, span, &Context::default());
        }
        let dims: Vec<usize> = sizes.map(|d| d.n).collect();
        let all: usize = dims.iter().product();
        if !self.grow(all.saturating_mul(writes.len()), span) {
            return None;
        }
        g.may_fail = true;
        // Fails where an index does.
        let whole = self.objects[object].sync.readable();
        let own = whole.first().map(|(_, array)| *array)?;
        let missing = self.program.arrays[own].dims.len() - index.len();
        let zeros = std::iter::repeat_n(Expr::Const(0), missing);
        let cell = self.read(own, index.iter().cloned().chain(zeros).collect());
        let mut commands = vec![Command::Check(
            evaluated(cell.expr, cell.kind),
            Failure::Index,
        )];
        commands.extend(self.cases(index, &dims, &mut Vec::new(), make));
        Some(commands)
    }

    fn cases(
        &mut self,
        index: &[Expr],
        dims: &[usize],
        known: &mut Vec<Expr>,
        make: &dyn Fn(&mut Self, &[Expr]) -> Vec<Command>,
    ) -> Vec<Command> {
        match dims.get(known.len()) {
            None => make(self, known),
            Some(&size) => self.case(index, dims, known, (0, size), make),
        }
    }

    fn case(
        &mut self,
        index: &[Expr],
        dims: &[usize],
        known: &mut Vec<Expr>,
        (low, high): (usize, usize),
        make: &dyn Fn(&mut Self, &[Expr]) -> Vec<Command>,
    ) -> Vec<Command> {
        if high - low <= 1 {
            known.push(Expr::Const(low as i64));
            let commands = self.cases(index, dims, known, make);
            known.pop();
            return commands;
        }
        let middle = low + (high - low) / 2;
        let below = fold(
            BinaryOp::Lt,
            index[known.len()].clone(),
            Expr::Const(middle as i64),
        );
        let first = self.case(index, dims, known, (low, middle), make);
        let second = self.case(index, dims, known, (middle, high), make);
        vec![Command::If(below, first, second)]
    }
}
