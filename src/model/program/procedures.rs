//! Procedures: their names, and why none calls itself. `calls` puts their bodies in place.

use super::codes;
use super::order::{order, shortened};
use super::scope::{Context, Elaborator, Symbol};
use crate::model::text::OPERATIONS;
use crate::model::text::ast::{Block, Decl, Expr, ExprKind, Model, Name, ProcDecl, Stmt, StmtKind};
use std::rc::Rc;

/// Bound on blocks in blocks once calls are replaced by bodies, for the stack; a single body may be deeper than that.
const NESTED: usize = 256;

/// A procedure.
#[derive(Clone, Debug)]
pub(super) struct Procedure {
    /// As declared.
    pub decl: Rc<ProcDecl>,
    /// Its calls can't be replaced by its body; that has been reported.
    pub broken: bool,
    /// Whether some thread calls it.
    pub called: bool,
}

impl Elaborator {
    /// Names the procedures, and finds those that call themselves.
    pub(super) fn procedures(&mut self, model: &Model) {
        for decl in &model.decls {
            let Decl::Proc(decl) = decl else { continue };
            let operation = OPERATIONS.contains(&decl.name.text.as_str());
            if operation {
                self.error(
                    codes::BAD_CALL,
                    decl.name.span,
                    format!("`{}` is an operation of the language", decl.name.text),
                    "another name for the procedure",
                    format!("rename it, for instance to `{}_`", decl.name.text),
                );
            }
            self.declare(&decl.name, Symbol::Proc(self.procs.len()));
            self.procs.push(Procedure {
                decl: Rc::new(decl.clone()),
                broken: operation,
                called: operation,
            });
        }
        let calls: Vec<Vec<(usize, usize)>> =
            self.procs.iter().map(|p| self.callees(&p.decl)).collect();
        let edges: Vec<Vec<usize>> = calls
            .iter()
            .map(|c| {
                c.iter()
                    .filter(|(p, _)| *p != NOTHING)
                    .map(|(p, _)| *p)
                    .collect()
            })
            .collect();
        let found = order(&edges);
        for cycle in found.cycles {
            let decl = self.procs[cycle[0]].decl.clone();
            let names: Vec<&str> = cycle
                .iter()
                .chain(cycle.first())
                .map(|&p| self.procs[p].decl.name.text.as_str())
                .collect();
            let chain = shortened(&names, " -> ");
            self.error(
                codes::RECURSION,
                decl.name.span,
                format!("the procedure `{}` calls itself: {chain}", decl.name.text),
                "procedures without recursion",
                "a call is replaced by the body, so that there is no stack: write a loop",
            );
            cycle.into_iter().for_each(|p| {
                self.procs[p].broken = true;
                self.procs[p].called = true;
            });
        }
        let mut heights = vec![0usize; self.procs.len()];
        for p in found.order {
            let own = calls[p].iter().map(|(_, depth)| *depth).max().unwrap_or(0);
            let within = |&(q, depth): &(usize, usize)| match q {
                NOTHING => depth,
                q => depth + 1 + heights[q],
            };
            let height = calls[p].iter().map(within).max().unwrap_or(0);
            if height > own.max(NESTED) && !self.procs[p].broken {
                let name = self.procs[p].decl.name.clone();
                self.error(
                    codes::TOO_LARGE,
                    name.span,
                    format!(
                        "with the bodies of what it calls, `{}` is nested too deeply",
                        name.text
                    ),
                    format!("at most {NESTED} blocks in each other"),
                    "let the procedures call each other less deeply",
                );
                self.procs[p].broken = true;
                self.procs[p].called = true;
            } else {
                heights[p] = height;
            }
        }
    }

    /// The procedures that a body calls, and how deep in it; its own depth stands beside [`NOTHING`].
    fn callees(&self, decl: &ProcDecl) -> Vec<(usize, usize)> {
        let mut calls = Vec::new();
        let mut deepest = 0;
        each_statement(&decl.body, 1, &mut |stmt, depth| {
            deepest = deepest.max(depth);
            let mut called = |name: &Name| calls.extend(self.procedure(name).map(|p| (p, depth)));
            let read: Vec<&Expr> = match &stmt.kind {
                StmtKind::Call(name, arguments) => {
                    called(name);
                    arguments.iter().collect()
                }
                StmtKind::Assign(_, e)
                | StmtKind::Assert(e)
                | StmtKind::Return(Some(e))
                | StmtKind::If(e, ..)
                | StmtKind::While(e, _) => vec![e],
                _ => Vec::new(),
            };
            read.into_iter().for_each(|e| calls_in(e, &mut called));
        });
        calls.push((NOTHING, deepest));
        calls
    }

    /// The procedure of a name.
    pub(super) fn procedure(&self, name: &Name) -> Option<usize> {
        match self.symbol(&name.text) {
            Some(Symbol::Proc(p)) if !OPERATIONS.contains(&name.text.as_str()) => Some(p),
            _ => None,
        }
    }

    /// Looks for errors in procedures that no thread calls.
    pub(super) fn uncalled_procedures(&mut self) {
        if self.program.threads.is_empty() {
            return;
        }
        for p in 0..self.procs.len() {
            if self.procs[p].called {
                continue;
            }
            self.procs[p].called = true;
            let mut cx = Context {
                this: Some(0),
                ..Context::default()
            };
            self.aside(|e, g| e.body_alone(g, p, &mut cx));
        }
    }
}

/// In place of a procedure: none.
const NOTHING: usize = usize::MAX;

/// Calls `f` with every statement of a model.
pub(super) fn each_statement_of(model: &Model, f: &mut dyn FnMut(&Stmt)) {
    for decl in &model.decls {
        let body = match decl {
            Decl::Thread(thread) => &thread.body,
            Decl::Proc(procedure) => &procedure.body,
            _ => continue,
        };
        each_statement(body, 0, &mut |stmt, _| f(stmt));
    }
}

/// Calls `f` with every statement in a block and how deep it stands.
fn each_statement(block: &Block, depth: usize, f: &mut dyn FnMut(&Stmt, usize)) {
    for stmt in &block.stmts {
        each_in(stmt, depth, f);
    }
}

fn each_in(stmt: &Stmt, depth: usize, f: &mut dyn FnMut(&Stmt, usize)) {
    f(stmt, depth);
    match &stmt.kind {
        StmtKind::When(_, inner) => each_in(inner, depth + 1, f),
        StmtKind::If(_, yes, no) => {
            each_statement(yes, depth + 1, f);
            no.iter().for_each(|b| each_statement(b, depth + 1, f));
        }
        StmtKind::While(_, body)
        | StmtKind::For(_, _, _, body)
        | StmtKind::Atomic(body)
        | StmtKind::Transaction(_, body) => {
            each_statement(body, depth + 1, f);
        }
        StmtKind::Either(branches) => {
            branches
                .iter()
                .for_each(|b| each_statement(b, depth + 1, f));
        }
        _ => {}
    }
}

/// Calls `f` with what an expression calls.
fn calls_in(e: &Expr, f: &mut dyn FnMut(&Name)) {
    match &e.kind {
        ExprKind::Call(name, arguments) => {
            f(name);
            arguments.iter().for_each(|e| calls_in(e, f));
        }
        ExprKind::Unary(_, e) => calls_in(e, f),
        ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| calls_in(e, f)),
        ExprKind::Cond(a, b, c) => [a, b, c].into_iter().for_each(|e| calls_in(e, f)),
        _ => {}
    }
}
