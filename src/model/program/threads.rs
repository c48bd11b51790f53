//! Threads in expressions: their numbers, and `at(..)`.

use super::codes;
use super::expressions::{Typed, balanced, fold};
use super::parametric::SELF;
use super::scope::{Context, Elaborator, MAX_SIZE, Symbol};
use super::{Expr, LocId, ThreadId};
use crate::base::diagnostic::{Help, Span};
use crate::base::nearest;
use crate::model::text::ast::{self, BinaryOp, ExprKind, Name};

impl Elaborator {
    /// The number of a thread given by name and index.
    pub(super) fn thread_of(
        &mut self,
        name: &Name,
        index: &[&ast::Expr],
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
                "an array is indexed with `[..]`, and a call is a statement of its own",
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

    /// `at(self, L)` where the thread's number is left open.
    fn at_itself(&mut self, this: ThreadId, label: &Name) -> Option<Typed> {
        let locations = self.program.threads[this].label(&label.text);
        let locations = locations.unwrap_or_default();
        Some(Typed::boolean(match locations.is_empty() {
            true => Expr::FALSE,
            false => Expr::At(SELF, locations),
        }))
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
                "`at` describes locations in properties and exclusive access predicates; let the thread set a variable \
                 instead",
            );
            return None;
        }
        let t = self.number(thread, cx)?;
        if self.is_this(&t.expr, cx)
            && let Some(this) = cx.this
        {
            return self.at_itself(this, label);
        }
        let fixed = match t.expr {
            Expr::Const(c) => Some(usize::try_from(c).unwrap_or(usize::MAX)),
            _ => None,
        };
        if let Some(fixed) = fixed {
            self.assume_number(fixed, span, cx);
        }
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
        if self.size > MAX_SIZE {
            // The threads have not got that far, which has been reported.
            return None;
        }
        if holders.is_empty() || by_name && located.is_empty() {
            let names = threads
                .iter()
                .flat_map(|t| t.labels.iter().map(|(n, _)| n.as_str()));
            let help = match (holders.first(), nearest(&label.text, names)) {
                (Some(holder), _) => format!("`{}` is a label of {holder}", label.text).into(),
                (None, Some(other)) => Help::did_you_mean(other),
                (None, None) => {
                    format!("write `{}:` before a statement of the thread", label.text).into()
                }
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
        if fixed.is_none() {
            self.assume_size(&self.thread_count(), span, cx);
        }
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
