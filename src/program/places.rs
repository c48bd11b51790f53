//! Names in expressions and statements: variables, cells, mutexes, threads and `at(..)`.

use super::codes;
use super::expressions::{Typed, balanced, fold};
use super::scope::{Context, Elaborator, Symbol};
use super::{ArrayId, CellId, Class, Expr, Kind, LocId, Target, ThreadId};
use crate::syntax::ast::{self, BinaryOp, ExprKind, Name, Place};
use crate::syntax::diagnostic::Span;
use crate::syntax::nearest;

impl Elaborator {
    /// The value of a name, perhaps indexed.
    pub(super) fn place_value(&mut self, place: &Place, cx: &Context) -> Option<Typed> {
        let name = &place.name;
        if let Some((_, value)) = cx.bound.iter().rev().find(|(n, _)| *n == name.text) {
            let value = *value;
            return self
                .plain(place)
                .then_some(Typed::constant(Kind::Int, value));
        }
        if let Some(&array) = cx.locals.get(&name.text) {
            let index = self.indices(array, place, cx)?;
            return Some(self.read(array, index));
        }
        match self.symbol(&name.text) {
            None => {
                self.unknown(name, cx);
                None
            }
            Some(Symbol::Broken) => None,
            Some(Symbol::Value(kind, value)) => {
                self.plain(place).then_some(Typed::constant(kind, value))
            }
            Some(Symbol::Thread { .. }) => {
                let t = self.thread_of(name, &place.indices, place.span, cx)?;
                Some(Typed::constant(Kind::Int, t as i64))
            }
            Some(Symbol::Enum(_)) => {
                self.error(
                    codes::NOT_A_VARIABLE,
                    name.span,
                    format!("`{}` is a type", name.text),
                    "a value",
                    "write one of the enum's values",
                );
                None
            }
            Some(Symbol::Array(array)) => {
                if self.program.arrays[array].class == Class::Owner {
                    self.error(
                        codes::NOT_A_VARIABLE,
                        place.span,
                        format!("`{}` is a mutex", name.text),
                        "a value",
                        format!(
                            "write `{}.owner` for its owner",
                            self.program.text(place.span)
                        ),
                    );
                    return None;
                }
                let index = self.indices(array, place, cx)?;
                Some(self.read(array, index))
            }
        }
    }

    fn plain(&mut self, place: &Place) -> bool {
        if place.indices.is_empty() {
            return true;
        }
        self.error(
            codes::WRONG_INDEXING,
            place.span,
            format!("`{}` is not an array", place.name.text),
            "no index",
            "remove the index",
        );
        false
    }

    fn indices(&mut self, array: ArrayId, place: &Place, cx: &Context) -> Option<Vec<Expr>> {
        let wanted = self.program.arrays[array].dims.len();
        if place.indices.len() != wanted {
            let found = place.indices.len();
            self.error(
                codes::WRONG_INDEXING,
                place.span,
                format!(
                    "`{}` has {}, here it has {found}",
                    place.name.text,
                    counted(wanted, "index", "indices")
                ),
                counted(wanted, "index", "indices"),
                if wanted > found {
                    format!("write `{}{}`", place.name.text, "[0]".repeat(wanted))
                } else {
                    "remove the surplus `[..]`".to_string()
                },
            );
            return None;
        }
        let index: Vec<Option<Typed>> = place.indices.iter().map(|e| self.number(e, cx)).collect();
        index.into_iter().map(|t| t.map(|t| t.expr)).collect()
    }

    pub(super) fn read(&mut self, array: ArrayId, index: Vec<Expr>) -> Typed {
        let ty = self.program.cells[self.program.arrays[array].first].ty;
        let expr = match self.constant_cell(array, &index) {
            Some(cell) => Expr::Cell(cell),
            None => Expr::Element(array, index),
        };
        Typed {
            expr,
            kind: ty.kind,
            lo: ty.lo.into(),
            hi: ty.hi.into(),
        }
    }

    /// The cell, if all indices are constant and inside.
    fn constant_cell(&self, array: ArrayId, index: &[Expr]) -> Option<CellId> {
        let values: Option<Vec<i64>> = index
            .iter()
            .map(|e| {
                if let Expr::Const(c) = e {
                    Some(*c)
                } else {
                    None
                }
            })
            .collect();
        self.program.element(array, &values?)
    }

    /// A mutex, perhaps one of an array.
    pub(super) fn mutex(&mut self, place: &Place, cx: &Context) -> Option<(ArrayId, Vec<Expr>)> {
        match self.symbol(&place.name.text) {
            Some(Symbol::Array(array)) if self.program.arrays[array].class == Class::Owner => {
                Some((array, self.indices(array, place, cx)?))
            }
            None if !cx.locals.contains_key(&place.name.text) => {
                self.unknown(&place.name, cx);
                None
            }
            Some(Symbol::Broken) => None,
            _ => {
                self.error(
                    codes::NOT_A_VARIABLE,
                    place.span,
                    format!("`{}` is not a mutex", place.name.text),
                    "a mutex",
                    format!("declare it as `mutex {};`", place.name.text),
                );
                None
            }
        }
    }

    /// The owner cell of a mutex, as an expression and as a target.
    pub(super) fn owner(&mut self, place: &Place, cx: &Context) -> Option<(Expr, Target)> {
        let (array, index) = self.mutex(place, cx)?;
        let read = self.read(array, index).expr;
        let target = match &read {
            Expr::Cell(c) => Target::Cell(*c),
            Expr::Element(a, index) => Target::Element(*a, index.clone()),
            _ => return None,
        };
        Some((read, target))
    }

    /// Whether a place names a mutex (for `protected x by m`).
    pub(super) fn is_mutex(&self, e: &ast::Expr) -> bool {
        match &e.kind {
            ExprKind::Place(place) => match self.symbol(&place.name.text) {
                Some(Symbol::Array(a)) => self.program.arrays[a].class == Class::Owner,
                _ => false,
            },
            _ => false,
        }
    }

    /// A place to assign to.
    pub(super) fn target(&mut self, place: &Place, cx: &Context) -> Option<(Target, ArrayId)> {
        let name = &place.name;
        let bound = cx.bound.iter().any(|(n, _)| *n == name.text);
        let array = match (cx.locals.get(&name.text), self.symbol(&name.text)) {
            (Some(&a), _) if !bound => a,
            (None, Some(Symbol::Array(a)))
                if !bound && self.program.arrays[a].class != Class::Owner =>
            {
                a
            }
            (None, Some(Symbol::Broken)) if !bound => return None,
            (None, None) if !bound => {
                self.unknown(name, cx);
                return None;
            }
            _ => {
                self.error(
                    codes::NOT_A_VARIABLE,
                    place.span,
                    format!("`{}` can't be assigned", name.text),
                    "a variable",
                    "constants, loop variables and threads never change; a mutex is changed by `lock` and `unlock`",
                );
                return None;
            }
        };
        let index = self.indices(array, place, cx)?;
        let target = match self.constant_cell(array, &index) {
            Some(cell) => Target::Cell(cell),
            None => Target::Element(array, index),
        };
        Some((target, array))
    }

    /// The number of a thread given by name and index.
    pub(super) fn thread_of(
        &mut self,
        name: &Name,
        index: &[ast::Expr],
        span: Span,
        cx: &Context,
    ) -> Option<ThreadId> {
        let Some(symbol) = self.symbol(&name.text) else {
            self.unknown(name, cx);
            return None;
        };
        if let Symbol::Broken = symbol {
            return None;
        }
        let Symbol::Thread { first, count, low } = symbol else {
            self.error(
                codes::NOT_A_VARIABLE,
                name.span,
                format!("`{}` is not a thread", name.text),
                "a thread",
                "there are no functions in expressions; an array is indexed with `[..]`",
            );
            return None;
        };
        match (low, index) {
            (None, []) => Some(first),
            (Some(low), [i]) => {
                let i = self.integer(i, cx)?;
                let offset = i
                    .checked_sub(low)
                    .and_then(|o| usize::try_from(o).ok())
                    .filter(|&o| o < count);
                if offset.is_none() {
                    let high = low + count as i64 - 1;
                    self.error(
                        codes::OUT_OF_RANGE,
                        span,
                        format!("there is no thread `{}({i})`", name.text),
                        format!("an index in {low}..{high}"),
                        "correct the index",
                    );
                }
                offset.map(|o| first + o)
            }
            (None, _) => {
                self.error(
                    codes::WRONG_INDEXING,
                    span,
                    format!("`{}` is a single thread", name.text),
                    "no index",
                    "remove the index",
                );
                None
            }
            (Some(_), _) => {
                self.error(
                    codes::WRONG_INDEXING,
                    span,
                    format!("`{}` is a family of threads", name.text),
                    "one index",
                    format!("write `{}(0)`", name.text),
                );
                None
            }
        }
    }

    /// `at(t, L)`: for a computed thread number, a case distinction over the threads.
    pub(super) fn at(
        &mut self,
        thread: &ast::Expr,
        label: &Name,
        span: Span,
        cx: &Context,
    ) -> Option<Typed> {
        if !cx.allows_at {
            self.error(
                codes::MISPLACED,
                span,
                "`at(..)` can't stand here",
                "an expression over variables",
                "`at` describes locations in properties and exclusive access predicates; let the thread set a variable instead",
            );
            return None;
        }
        let t = self.number(thread, cx)?;
        let fixed = match t.expr {
            Expr::Const(c) => Some(usize::try_from(c).unwrap_or(usize::MAX)),
            _ => None,
        };
        let threads = &self.program.threads;
        let located: Vec<(ThreadId, Vec<LocId>)> = (0..threads.len())
            .filter(|&i| fixed.is_none_or(|f| f == i))
            .filter_map(|i| Some((i, threads[i].label(&label.text)?)))
            .collect();
        // A thread given by its name must have the label; `self` and computed threads range over threads that need not.
        let by_name = match &thread.kind {
            ExprKind::Call(..) | ExprKind::Int(_) => true,
            ExprKind::Place(p) if cx.bound.iter().any(|(n, _)| *n == p.name.text) => false,
            ExprKind::Place(p) => {
                matches!(
                    self.symbol(&p.name.text),
                    Some(Symbol::Thread { .. } | Symbol::Value(..))
                )
            }
            _ => false,
        };
        let holders: Vec<&str> = threads
            .iter()
            .filter(|t| t.label(&label.text).is_some())
            .map(|t| t.name.as_str())
            .collect();
        if holders.is_empty() || by_name && located.is_empty() {
            let names = threads
                .iter()
                .flat_map(|t| t.labels.iter().map(|(n, _)| n.as_str()));
            let help = match (holders.first(), nearest(&label.text, names)) {
                (Some(holder), _) => format!("`{}` is a label of {holder}", label.text),
                (None, Some(other)) => format!("did you mean `{other}`?"),
                (None, None) => format!("write `{}:` before a statement of the thread", label.text),
            };
            self.error(
                codes::UNKNOWN_LABEL,
                label.span,
                format!("no such label: `{}`", label.text),
                "a label of that thread, `end` or `wrong`",
                help,
            );
            return None;
        }
        let mut cases = Vec::new();
        for (i, locations) in located {
            let here = if locations.is_empty() {
                Expr::FALSE
            } else {
                Expr::At(i, locations)
            };
            let case = match fixed {
                Some(_) => here,
                None => {
                    let is_i = fold(BinaryOp::Eq, t.expr.clone(), Expr::Const(i as i64));
                    fold(BinaryOp::And, is_i, here)
                }
            };
            cases.push(case);
        }
        Some(Typed::boolean(balanced(BinaryOp::Or, cases, Expr::FALSE)))
    }
}

fn counted(n: usize, one: &str, many: &str) -> String {
    match n {
        0 => format!("no {one}"),
        1 => format!("one {one}"),
        n => format!("{n} {many}"),
    }
}
