//! Statements that are one action: their guard and effect, `atomic` blocks included.

use super::cfg::Graph;
use super::codes;
use super::expressions::{Typed, fold};
use super::scope::{Context, Elaborator};
use super::{Command, Expr, Failure, NO_OWNER, Target, Type};
use crate::syntax::ast::{BinaryOp, Stmt, StmtKind};
use crate::syntax::diagnostic::{Diagnostic, Span};

/// A single action before it has a place in the graph.
pub(super) struct Action {
    pub guard: Option<Expr>,
    pub body: Vec<Command>,
}

impl Elaborator {
    /// A statement that is one action.
    pub(super) fn single(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        cx: &mut Context,
    ) -> Option<Action> {
        match &stmt.kind {
            StmtKind::Skip => Some(Action {
                guard: None,
                body: Vec::new(),
            }),
            StmtKind::Assume(e) => {
                let guard = Some(self.condition(e, cx)?);
                self.may_fail(g, &guard.iter().collect::<Vec<_>>());
                Some(Action {
                    guard,
                    body: Vec::new(),
                })
            }
            StmtKind::When(e, inner) => {
                let outer = self.condition(e, cx);
                if !is_single(&inner.kind) {
                    self.error(
                        codes::BAD_ATOMIC,
                        inner.span,
                        "`when` guards one action",
                        "an assignment, `skip`, `havoc`, `lock`, `unlock`, `assert` or `atomic { .. }`",
                        "wrap it: `when (g) atomic { .. }`",
                    );
                    return None;
                }
                self.no_labels(inner);
                let inner = self.single(g, inner, cx);
                let (outer, inner) = (outer?, inner?);
                self.may_fail(g, &[&outer]);
                let guard = match inner.guard {
                    Some(second) => fold(BinaryOp::And, outer, second),
                    None => outer,
                };
                Some(Action {
                    guard: Some(guard),
                    body: inner.body,
                })
            }
            StmtKind::Lock(m) => {
                let (owner, target) = self.owner(m, cx)?;
                let this = self.this(cx);
                self.may_fail(g, &[&owner]);
                let free = fold(BinaryOp::Eq, owner, Expr::Const(NO_OWNER));
                Some(Action {
                    guard: Some(free),
                    body: vec![Command::Assign(target, this)],
                })
            }
            StmtKind::Unlock(m) => {
                let (owner, target) = self.owner(m, cx)?;
                let mine = fold(BinaryOp::Eq, owner, self.this(cx));
                g.may_fail = true;
                let body = vec![
                    Command::Check(mine, Failure::NotOwner),
                    Command::Assign(target, Expr::Const(NO_OWNER)),
                ];
                Some(Action { guard: None, body })
            }
            StmtKind::Assert(e) => {
                let e = self.condition(e, cx)?;
                g.may_fail |= e != Expr::TRUE;
                Some(Action {
                    guard: None,
                    body: vec![Command::Check(e, Failure::Assertion)],
                })
            }
            StmtKind::Assign(place, right) => {
                let target = self.target(place, cx);
                let value = self.expression(right, cx);
                let ((target, array), value) = (target?, value?);
                let ty = self.program.cells[self.program.arrays[array].first].ty;
                self.assignable(g, &target, ty, &value, (stmt.span, right.span))?;
                Some(Action {
                    guard: None,
                    body: vec![Command::Assign(target, value.expr)],
                })
            }
            StmtKind::Havoc(place) => {
                let (target, _) = self.target(place, cx)?;
                g.may_fail |= matches!(target, Target::Element(..));
                Some(Action {
                    guard: None,
                    body: vec![Command::Havoc(target)],
                })
            }
            StmtKind::Atomic(block) => {
                let (first, rest) = match block.stmts.split_first() {
                    Some((first, rest)) if blocks(&first.kind) => (Some(first), rest),
                    _ => (None, block.stmts.as_slice()),
                };
                let leading = match first {
                    Some(first) => {
                        self.no_labels(first);
                        self.single(g, first, cx)
                    }
                    None => Some(Action {
                        guard: None,
                        body: Vec::new(),
                    }),
                };
                let rest = self.sequence(g, rest, cx);
                let (mut leading, rest) = (leading?, rest?);
                leading.body.extend(rest);
                Some(leading)
            }
            _ => None,
        }
    }

    /// The statements of an atomic block after its first.
    fn sequence(
        &mut self,
        g: &mut Graph,
        stmts: &[Stmt],
        cx: &mut Context,
    ) -> Option<Vec<Command>> {
        let mut commands = Vec::new();
        let mut complete = true;
        for stmt in stmts {
            self.no_labels(stmt);
            match self.inner(g, stmt, cx) {
                Some(more) => commands.extend(more),
                None => complete = false,
            }
        }
        complete.then_some(commands)
    }

    fn inner(&mut self, g: &mut Graph, stmt: &Stmt, cx: &mut Context) -> Option<Vec<Command>> {
        if !self.grow(1, stmt.span) {
            return None;
        }
        match &stmt.kind {
            StmtKind::Empty => Some(Vec::new()),
            StmtKind::If(c, then, otherwise) => {
                let condition = self.condition(c, cx);
                let yes = self.sequence(g, &then.stmts, cx);
                let no = match otherwise {
                    Some(block) => self.sequence(g, &block.stmts, cx),
                    None => Some(Vec::new()),
                };
                let (condition, yes, no) = (condition?, yes?, no?);
                Some(match condition {
                    Expr::Const(0) => no,
                    Expr::Const(_) => yes,
                    c => {
                        self.may_fail(g, &[&c]);
                        vec![Command::If(c, yes, no)]
                    }
                })
            }
            StmtKind::For(var, lo, hi, body) => {
                let (lo, hi) = (self.integer(lo, cx), self.integer(hi, cx));
                let (lo, hi) = (lo?, hi?);
                let mut commands = Vec::new();
                if lo <= hi
                    && !self.grow(hi.abs_diff(lo).try_into().unwrap_or(usize::MAX), stmt.span)
                {
                    return None;
                }
                for k in lo..=hi {
                    cx.bound.push((var.text.clone(), k));
                    let copy = self.sequence(g, &body.stmts, cx);
                    cx.bound.pop();
                    commands.extend(copy?);
                }
                Some(commands)
            }
            StmtKind::Either(branches) => {
                let branches: Vec<_> = branches
                    .iter()
                    .map(|b| self.sequence(g, &b.stmts, cx))
                    .collect();
                let branches: Option<Vec<_>> = branches.into_iter().collect();
                Some(vec![Command::Choose(branches?)])
            }
            StmtKind::Atomic(block) => self.sequence(g, &block.stmts, cx),
            kind if blocks(kind) => {
                self.error(
                    codes::BAD_ATOMIC,
                    stmt.span,
                    "this could block in the middle of an atomic block",
                    "a statement that can't block; only the first of an atomic block may",
                    "move it to the front, or end the block before it",
                );
                None
            }
            StmtKind::While(..) => {
                self.error(
                    codes::BAD_ATOMIC,
                    stmt.span,
                    "a loop can't stand in an atomic block",
                    "a statement that ends",
                    "use `for` over constants",
                );
                None
            }
            StmtKind::Local(_) => {
                self.error(
                    codes::MISPLACED,
                    stmt.span,
                    "a thread-local variable can't be declared here",
                    "a statement",
                    "declare it at the top level of the thread's body",
                );
                None
            }
            _ => Some(self.single(g, stmt, cx)?.body),
        }
    }

    fn no_labels(&mut self, stmt: &Stmt) {
        if let Some(name) = stmt.labels.first() {
            self.error(
                codes::BAD_ATOMIC,
                name.span,
                "a label can't stand inside one action",
                "a statement",
                "there is no location here; put the label before the whole action",
            );
        }
    }

    fn this(&self, cx: &Context) -> Expr {
        Expr::Const(cx.this.map_or(NO_OWNER, |t| t as i64))
    }

    /// Notes whether an evaluation can fail: then the thread needs a location `wrong`.
    pub(super) fn may_fail(&mut self, g: &mut Graph, expressions: &[&Expr]) {
        for e in expressions {
            e.walk(&mut |e| match e {
                Expr::Element(..) | Expr::Via(..) => g.may_fail = true,
                Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, d) => {
                    g.may_fail |= !matches!(**d, Expr::Const(c) if c != 0);
                }
                _ => {}
            });
        }
    }

    fn assignable(
        &mut self,
        g: &mut Graph,
        target: &Target,
        ty: Type,
        value: &Typed,
        (whole, right): (Span, Span),
    ) -> Option<()> {
        use super::Kind::{Bool, Enum};
        let fits = match (ty.kind, value.kind) {
            (Bool | Enum(_), found) => found == ty.kind,
            (_, Bool | Enum(_)) => false,
            _ => true,
        };
        if !fits {
            let wanted = match ty.kind {
                Bool => "a boolean, the variable's type",
                Enum(_) => "a value of the variable's enum",
                _ => "an integer, the variable's type",
            };
            self.mismatch(
                right,
                value.kind,
                wanted,
                "correct the right side, or the variable's type",
            );
            return None;
        }
        self.may_fail(g, &[&value.expr]);
        g.may_fail |= matches!(target, Target::Element(..));
        let (lo, hi) = (i128::from(ty.lo), i128::from(ty.hi));
        if !ty.wraps && (value.lo < lo || value.hi > hi) {
            g.may_fail = true;
            if value.hi < lo || value.lo > hi {
                self.report(Diagnostic::warning(
                    codes::ALWAYS_WRONG,
                    whole,
                    "this step always goes wrong",
                    format!("a value in {lo}..{hi}"),
                    "correct the right side, or widen the variable's type",
                ));
            }
        }
        Some(())
    }
}

/// Whether a statement is one action (as opposed to control).
fn is_single(kind: &StmtKind) -> bool {
    use StmtKind::*;
    matches!(
        kind,
        Assign(..)
            | Havoc(_)
            | Lock(_)
            | Unlock(_)
            | Skip
            | Assert(_)
            | Assume(_)
            | When(..)
            | Atomic(_)
    )
}

/// Whether a statement can block.
fn blocks(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::When(..) | StmtKind::Assume(_) | StmtKind::Lock(_) => true,
        StmtKind::Atomic(block) => block.stmts.first().is_some_and(|s| blocks(&s.kind)),
        _ => false,
    }
}
