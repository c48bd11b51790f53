//! Calls of procedures in expressions.
//!
//! The calls of an expression run first, from left to right, each in its own steps. Each gives its result to a variable
//! of the thread that is named after the procedure, `f()`. The step with the expression reads these variables, and puts
//! them back to what they were, so that no states differ in results that nobody needs any more.

use super::codes;
use super::scope::{Context, Elaborator, Entity};
use super::{ArrayId, Class, Command, Expr as Value, Target, ThreadId};
use crate::base::diagnostic::Span;
use crate::model::text::ast::{BinaryOp, Expr, ExprKind, Name, Place, Stmt, StmtKind, TypeExpr};

impl Elaborator {
    /// The statements that call what a statement's expressions call, in this order. Behind them it may read the
    /// results.
    pub(super) fn calls_before(&mut self, stmt: &Stmt, cx: &mut Context) -> Vec<Stmt> {
        let call = self.as_call(&stmt.kind);
        let expressions: Vec<&Expr> = match &stmt.kind {
            _ if call.is_some() => call.into_iter().flat_map(|c| c.arguments).collect(),
            StmtKind::Assign(_, e)
            | StmtKind::Assert(e)
            | StmtKind::Return(Some(e))
            | StmtKind::If(e, ..)
            | StmtKind::While(e, _) => vec![e],
            _ => return Vec::new(),
        };
        let mut calls = Vec::new();
        for e in expressions {
            self.calls_replaced(e, cx, &mut |elaborator, cx, call, place| {
                elaborator.prepare(cx, call, &place)?;
                calls.push(Stmt {
                    labels: Vec::new(),
                    span: call.span,
                    kind: StmtKind::Assign(place, call.clone()),
                });
                Some(())
            });
        }
        calls
    }

    /// An expression that reads the results of the calls before it, and the commands that put these back.
    pub(super) fn reading_results(&mut self, e: &Expr, cx: &mut Context) -> (Expr, Vec<Command>) {
        let mut back = Vec::new();
        let value = self.calls_replaced(e, cx, &mut |elaborator, cx, _, place| {
            let Some(&Entity::Data(array)) = cx.locals.get(&place.name.text) else {
                return None;
            };
            let cell = elaborator.program.arrays[array].first;
            let initial = elaborator.program.cells[cell].ty.lo;
            back.push(Command::Assign(Target::Cell(cell), Value::Const(initial)));
            Some(())
        });
        (value, back)
    }

    /// An expression with a variable in place of each call that is `met`. What is evaluated only sometimes is left, and
    /// reported where it is read.
    fn calls_replaced(
        &mut self,
        e: &Expr,
        cx: &mut Context,
        met: &mut dyn FnMut(&mut Elaborator, &mut Context, &Expr, Place) -> Option<()>,
    ) -> Expr {
        let span = e.span;
        let kind = match &e.kind {
            ExprKind::Call(name, arguments) if self.procedure(name).is_some() => {
                let arguments = arguments
                    .iter()
                    .map(|a| self.calls_replaced(a, cx, met))
                    .collect();
                let kind = ExprKind::Call(name.clone(), arguments);
                let call = Expr { kind, span };
                let text = format!("{}() at {}", name.text, span.start);
                let place = Place {
                    name: Name { text, span },
                    selectors: Vec::new(),
                    span,
                };
                match met(self, cx, &call, place.clone()) {
                    Some(()) => ExprKind::Place(place),
                    None => call.kind,
                }
            }
            ExprKind::Unary(op, a) => {
                ExprKind::Unary(*op, Box::new(self.calls_replaced(a, cx, met)))
            }
            ExprKind::Binary(op, a, b) => {
                let a = self.calls_replaced(a, cx, met);
                let b = match op {
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => (**b).clone(),
                    _ => self.calls_replaced(b, cx, met),
                };
                ExprKind::Binary(*op, Box::new(a), Box::new(b))
            }
            ExprKind::Cond(c, a, b) => ExprKind::Cond(
                Box::new(self.calls_replaced(c, cx, met)),
                a.clone(),
                b.clone(),
            ),
            other => other.clone(),
        };
        Expr { kind, span }
    }

    /// Makes the variable that a call gives its result to, once for all copies of its place in the text.
    fn prepare(&mut self, cx: &mut Context, call: &Expr, place: &Place) -> Option<()> {
        let ExprKind::Call(name, _) = &call.kind else {
            return None;
        };
        let decl = self.procs[self.procedure(name)?].decl.clone();
        let (thread, result) = (cx.this?, decl.result.as_ref()?);
        let array = match self.results.get(&(thread, call.span)) {
            Some(&array) => array,
            None => {
                let own = self.results.keys().filter(|(t, _)| *t == thread).count();
                let name = match own {
                    0 => format!("{}()", decl.name.text),
                    n => format!("{}() {}", decl.name.text, n + 1),
                };
                let own = Context {
                    this: Some(thread),
                    ..Context::default()
                };
                let array = self.result_variable(thread, &name, result, call.span, &own)?;
                self.results.insert((thread, call.span), array);
                array
            }
        };
        let entity = Entity::Data(array);
        cx.locals.insert(place.name.text.clone(), entity);
        Some(())
    }

    fn result_variable(
        &mut self,
        thread: ThreadId,
        name: &str,
        result: &TypeExpr,
        span: Span,
        cx: &Context,
    ) -> Option<ArrayId> {
        let owner = self.program.threads[thread].name.clone();
        let path = vec![(owner, Vec::new()), (name.to_string(), Vec::new())];
        let before = self.program.arrays.len();
        let ty = self.type_of(result, cx)?;
        let array = self.new_array(&path, ty, Class::Local(thread), span)?;
        self.assume_frame(before, span, cx);
        let cell = self.program.arrays[array].first;
        self.program.cells[cell].initial = Some(ty.lo);
        Some(array)
    }

    /// Says that a call cannot stand in a condition that waits, or where it is evaluated only sometimes.
    pub(super) fn misplaced_call(&mut self, name: &Name, span: Span) {
        self.error(
            codes::BAD_CALL,
            span,
            format!("the procedure `{}` is called here", name.text),
            "a value; a call stands in an assignment, `if`, `while`, `assert`, `return` or a call, where it is \
             evaluated in any case",
            format!("write `x = {}(..);` before, and use `x`", name.text),
        );
    }
}
