//! Statements that are one action: their guard and effect, `atomic` blocks included.

use super::cfg::Graph;
use super::codes;
use super::expressions::{Typed, fits, fold, is_total};
use super::operations::operation_blocks;
use super::scope::{Context, Elaborator};
use super::{Command, Expr, Failure, Target, Type};
use crate::base::diagnostic::{Diagnostic, Span};
use crate::model::text::ast::{self, BinaryOp, Block, Stmt, StmtKind};

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
        if let Some((all, back)) = self.exchanging(stmt, cx) {
            let mut action = self.compound(g, &all.iter().collect::<Vec<_>>(), cx)?;
            action.body.extend(back);
            return Some(action);
        }
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
                if !is_single(&inner.kind) || self.as_call(&inner.kind).is_some() {
                    self.error(
                        codes::BAD_ATOMIC,
                        inner.span,
                        "`when` guards one action",
                        "an assignment, an operation such as `lock`, `skip`, `havoc`, `assert` or `atomic { .. }`",
                        match inner.kind {
                            StmtKind::Goto(_) => "wait before it: `assume(g); goto L;`",
                            _ => "wrap it: `when (g) atomic { .. }`",
                        },
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
            StmtKind::Lock(m) => self.lock(g, m, cx),
            StmtKind::Unlock(m) => self.unlock(g, m, cx),
            StmtKind::Call(name, arguments) => self.operation(g, stmt, name, arguments, cx),
            StmtKind::New(place, pool) => self.new_object(g, place, pool, cx),
            StmtKind::Assert(e) => {
                if let Some(parts) = self.exchanged(e, None, cx) {
                    let (condition, before) = self.deciding(g, &parts, cx)?;
                    g.may_fail = true;
                    let fails = Command::Check(Expr::FALSE, Failure::Assertion);
                    let failing = [before.clone(), vec![fails]].concat();
                    return Some(Action {
                        guard: None,
                        body: vec![Command::If(condition, before, failing)],
                    });
                }
                let e = self.condition(e, cx)?;
                g.may_fail |= e != Expr::TRUE;
                Some(Action {
                    guard: None,
                    body: vec![Command::Check(e, Failure::Assertion)],
                })
            }
            StmtKind::Assign(place, right) => {
                let target = self.target_of(place, cx);
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
                let (target, _) = self.target_of(place, cx)?;
                g.may_fail |= matches!(target, Target::Element(..));
                Some(Action {
                    guard: None,
                    body: vec![Command::Havoc(target)],
                })
            }
            StmtKind::Atomic(block) | StmtKind::Transaction(_, block) => {
                self.compound(g, &block.stmts.iter().collect::<Vec<_>>(), cx)
            }
            _ => None,
        }
    }

    /// Statements as one action, the first of which may block.
    pub(super) fn compound(
        &mut self,
        g: &mut Graph,
        stmts: &[&Stmt],
        cx: &mut Context,
    ) -> Option<Action> {
        let (first, rest) = match stmts.split_first() {
            Some((first, rest)) if self.blocks(&first.kind) => (Some(first), rest),
            _ => (None, stmts),
        };
        let leading = match first {
            Some(first) => {
                self.no_labels(first);
                match self.as_call(&first.kind) {
                    Some(call) => self.call_inside(g, first, call, cx),
                    None => self.single(g, first, cx),
                }
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

    /// The statements of a block as one action, none of which may block.
    fn inside(&mut self, g: &mut Graph, block: &Block, cx: &mut Context) -> Option<Vec<Command>> {
        self.sequence(g, &block.stmts.iter().collect::<Vec<_>>(), cx)
    }

    /// The statements of an atomic block after its first.
    pub(super) fn sequence(
        &mut self,
        g: &mut Graph,
        stmts: &[&Stmt],
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
        let calls = self.calls_before(stmt, cx);
        if !calls.is_empty() {
            let before = self.sequence(g, &calls.iter().collect::<Vec<_>>(), cx);
            let own = self.inner_step(g, stmt, cx);
            return Some([before?, own?].concat());
        }
        self.inner_step(g, stmt, cx)
    }

    fn inner_step(&mut self, g: &mut Graph, stmt: &Stmt, cx: &mut Context) -> Option<Vec<Command>> {
        let call = self.as_call(&stmt.kind);
        match &stmt.kind {
            StmtKind::Empty => Some(Vec::new()),
            StmtKind::If(c, then, otherwise) => {
                self.branches_inside(g, c, (then, otherwise.as_ref()), cx)
            }
            StmtKind::For(var, lo, hi, body) => {
                let range = self.range((lo, hi), stmt.span, cx)?;
                let mut commands = Vec::new();
                for k in range {
                    cx.bound.push((var.text.clone(), k));
                    let copy = self.inside(g, body, cx);
                    cx.bound.pop();
                    commands.extend(copy?);
                }
                Some(commands)
            }
            StmtKind::Either(branches) => {
                let branches: Vec<_> = branches.iter().map(|b| self.inside(g, b, cx)).collect();
                let branches: Option<Vec<_>> = branches.into_iter().collect();
                Some(vec![Command::Choose(branches?)])
            }
            StmtKind::Atomic(block) | StmtKind::Transaction(_, block) => self.inside(g, block, cx),
            kind if self.blocks(kind) => self.unfit(stmt, cx),
            StmtKind::While(..)
            | StmtKind::Local(_)
            | StmtKind::Return(_)
            | StmtKind::Goto(_)
            | StmtKind::Choose(..) => self.unfit(stmt, cx),
            _ => match call {
                Some(call) => Some(self.call_inside(g, stmt, call, cx)?.body),
                None => Some(self.single(g, stmt, cx)?.body),
            },
        }
    }

    fn branches_inside(
        &mut self,
        g: &mut Graph,
        condition: &ast::Expr,
        (then, otherwise): (&Block, Option<&Block>),
        cx: &mut Context,
    ) -> Option<Vec<Command>> {
        let decided = match self.exchanged(condition, None, cx) {
            Some(parts) => self.deciding(g, &parts, cx),
            None => self.condition(condition, cx).map(|c| (c, Vec::new())),
        };
        let yes = self.inside(g, then, cx);
        let no = match otherwise {
            Some(block) => self.inside(g, block, cx),
            None => Some(Vec::new()),
        };
        let ((condition, before), yes, no) = (decided?, yes?, no?);
        let (yes, no) = ([before.clone(), yes].concat(), [before, no].concat());
        Some(match condition {
            Expr::Const(0) => no,
            Expr::Const(_) => yes,
            c => {
                self.may_fail(g, &[&c]);
                vec![Command::If(c, yes, no)]
            }
        })
    }

    /// Says why a statement can't stand inside one action.
    fn unfit<T>(&mut self, stmt: &Stmt, cx: &Context) -> Option<T> {
        let (code, what, expected, help) = match &stmt.kind {
            StmtKind::While(..) => (
                codes::BAD_ATOMIC,
                "a loop can't stand in an atomic block",
                "a statement that ends",
                "use `for` over constants",
            ),
            StmtKind::Choose(..) => (
                codes::BAD_ATOMIC,
                "`choose` can't stand inside one action",
                "a statement that is not a choice of its own",
                "choose in a step before, or write `havoc` in the block and what may be chosen behind it as `if`",
            ),
            StmtKind::Local(_) => (
                codes::MISPLACED,
                "a thread-local variable can't be declared here",
                "a statement",
                "declare it at the top level of the thread's body",
            ),
            StmtKind::Return(_) => (
                codes::BAD_ATOMIC,
                "`return` in the middle of one action",
                "a statement that goes on to the next",
                match cx.returning {
                    None => "only procedures return",
                    Some(_) => {
                        "in an atomic block a procedure returns with its last statement only; write `if .. else`"
                    }
                },
            ),
            StmtKind::Goto(_) => (
                codes::BAD_ATOMIC,
                "`goto` in the middle of one action",
                "a statement that goes on to the next",
                "there is no location here to leave from; put the `goto` behind the whole action, or write \
                 `if .. else`",
            ),
            _ => (
                codes::BAD_ATOMIC,
                "this could block in the middle of an atomic block",
                "a statement that can't block; only the first of an atomic block may",
                "move it to the front, or end the block before it",
            ),
        };
        self.error(code, stmt.span, what, expected, help);
        None
    }

    pub(super) fn no_labels(&mut self, stmt: &Stmt) {
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

    /// Notes whether an evaluation can fail: then the thread needs a location `wrong`.
    pub(super) fn may_fail(&mut self, g: &mut Graph, expressions: &[&Expr]) {
        for e in expressions {
            e.walk(&mut |e| match e {
                Expr::Element(..) | Expr::Via(..) | Expr::Slot(..) => g.may_fail = true,
                Expr::Binary(op, _, right) => g.may_fail |= !is_total(*op, right),
                _ => {}
            });
        }
    }

    /// Whether a value can be assigned; notes whether that can go wrong.
    pub(super) fn assignable(
        &mut self,
        g: &mut Graph,
        target: &Target,
        ty: Type,
        value: &Typed,
        (whole, right): (Span, Span),
    ) -> Option<()> {
        use super::Kind::{Bool, Enum, Ref};
        if !fits(ty.kind, value.kind) {
            let wanted = match ty.kind {
                Ref(_) => "a reference into the pool that the variable's type names",
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

/// Whether a statement is one action (as opposed to control). Operations that are more than one action are reported
/// where they are read.
fn is_single(kind: &StmtKind) -> bool {
    use StmtKind::*;
    matches!(
        kind,
        Assign(..)
            | Call(..)
            | New(..)
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

impl Elaborator {
    /// Whether a statement can block.
    pub(super) fn blocks(&self, kind: &StmtKind) -> bool {
        if let Some(call) = self.as_call(kind) {
            return self.call_blocks(call);
        }
        match kind {
            StmtKind::When(..) | StmtKind::Assume(_) | StmtKind::Lock(_) => true,
            StmtKind::Call(name, _) => operation_blocks(&name.text),
            StmtKind::Atomic(block) | StmtKind::Transaction(_, block) => {
                let first = block.stmts.first();
                first.is_some_and(|s| self.blocks(&s.kind))
            }
            _ => false,
        }
    }
}
