//! Statements.

use super::{Expr, Type, Variable, name, var};
use crate::base::diagnostic::Span;
use crate::model::text::ast::{self, Claimed, Initial, Name, Stmt, StmtKind};

/// The statements of a thread, or of a block inside one.
#[derive(Clone, Debug, Default)]
pub struct Block {
    stmts: Vec<Stmt>,
    /// Labels of the next statement.
    labels: Vec<Name>,
}

impl Block {
    pub(super) fn finish(mut self) -> ast::Block {
        if !self.labels.is_empty() {
            self.push(StmtKind::Empty);
        }
        ast::Block {
            stmts: self.stmts,
            span: Span::default(),
        }
    }

    fn push(&mut self, kind: StmtKind) {
        self.stmts.push(Stmt {
            labels: std::mem::take(&mut self.labels),
            kind,
            span: Span::default(),
        });
    }

    fn inside(body: impl FnOnce(&mut Block)) -> ast::Block {
        let mut block = Block::default();
        body(&mut block);
        block.finish()
    }

    /// `label:` before the next statement, or at the end of the block.
    pub fn label(&mut self, label: &str) {
        self.labels.push(name(label));
    }

    /// `var NAME: type = initial;`: a variable of this thread. It can be declared at the top level of a thread.
    pub fn local(&mut self, called: &str, ty: Type, initial: impl Into<Expr>) -> Variable {
        let initial = Initial::All(initial.into().0);
        self.push(StmtKind::Local(var(called, ty, Some(initial))));
        Variable::named(called)
    }

    /// `x = e;`
    pub fn assign(&mut self, x: &Variable, e: impl Into<Expr>) {
        self.push(StmtKind::Assign(x.0.clone(), e.into().0));
    }

    /// `havoc x;`: any value of its type.
    pub fn havoc(&mut self, x: &Variable) {
        self.push(StmtKind::Havoc(x.0.clone()));
    }

    /// `choose x in lo..hi where e;`: a value for which the condition holds; waits until there is one.
    pub fn choose(
        &mut self,
        x: &str,
        lo: impl Into<Expr>,
        hi: impl Into<Expr>,
        such: Option<Expr>,
    ) {
        let such = such.map(|e| e.0);
        self.push(StmtKind::Choose(name(x), lo.into().0, hi.into().0, such));
    }

    /// `lock(m);`: waits until the mutex is free.
    pub fn lock(&mut self, m: &Variable) {
        self.push(StmtKind::Lock(m.0.clone()));
    }

    /// `unlock(m);`
    pub fn unlock(&mut self, m: &Variable) {
        self.push(StmtKind::Unlock(m.0.clone()));
    }

    /// `skip;`
    pub fn skip(&mut self) {
        self.push(StmtKind::Skip);
    }

    /// `assert(e);`: goes wrong where it is false.
    pub fn assert(&mut self, e: impl Into<Expr>) {
        self.push(StmtKind::Assert(e.into().0));
    }

    /// `assume(e);`: waits until it is true.
    pub fn assume(&mut self, e: impl Into<Expr>) {
        self.push(StmtKind::Assume(e.into().0));
    }

    /// `when (e) atomic { .. }`: one action that waits.
    pub fn when(&mut self, e: impl Into<Expr>, action: impl FnOnce(&mut Block)) {
        let kind = StmtKind::Atomic(Self::inside(action));
        let action = Stmt {
            labels: Vec::new(),
            kind,
            span: Span::default(),
        };
        self.push(StmtKind::When(e.into().0, Box::new(action)));
    }

    /// `if (e) { .. }`
    pub fn if_then(&mut self, e: impl Into<Expr>, yes: impl FnOnce(&mut Block)) {
        self.push(StmtKind::If(e.into().0, Self::inside(yes), None));
    }

    /// `if (e) { .. } else { .. }`
    pub fn if_else(
        &mut self,
        e: impl Into<Expr>,
        yes: impl FnOnce(&mut Block),
        no: impl FnOnce(&mut Block),
    ) {
        let (yes, no) = (Self::inside(yes), Self::inside(no));
        self.push(StmtKind::If(e.into().0, yes, Some(no)));
    }

    /// `while (e) { .. }`
    pub fn while_loop(&mut self, e: impl Into<Expr>, body: impl FnOnce(&mut Block)) {
        self.push(StmtKind::While(e.into().0, Self::inside(body)));
    }

    /// `for (k in lo..hi) { .. }` over constants: the body once for each number.
    pub fn for_each(
        &mut self,
        bound: &str,
        lo: impl Into<Expr>,
        hi: impl Into<Expr>,
        body: impl FnOnce(&mut Block, Expr),
    ) {
        let body = Self::inside(|block| body(block, Expr::named(bound)));
        self.push(StmtKind::For(name(bound), lo.into().0, hi.into().0, body));
    }

    /// `either { .. } or { .. }`: one of the branches that can go on.
    pub fn either(&mut self, branches: &mut [&mut dyn FnMut(&mut Block)]) {
        let branches = branches.iter_mut().map(|b| Self::inside(b)).collect();
        self.push(StmtKind::Either(branches));
    }

    /// `atomic { .. }`: one action.
    pub fn atomic(&mut self, body: impl FnOnce(&mut Block)) {
        self.push(StmtKind::Atomic(Self::inside(body)));
    }

    /// `transaction NAME { .. }`: a claim that the block may be treated as atomic.
    pub fn claim(&mut self, called: &str, body: impl FnOnce(&mut Block)) {
        let claimed = Claimed::named(name(called));
        self.push(StmtKind::Transaction(claimed, Self::inside(body)));
    }

    /// `p = new pool;`
    pub fn allocate(&mut self, p: &Variable, pool: &str) {
        self.push(StmtKind::New(p.0.clone(), name(pool)));
    }

    /// `f(e, ..);`: a procedure, or an operation such as `wait`, `notify`, `up`, `join` or `free`.
    pub fn call(&mut self, called: &str, arguments: impl IntoIterator<Item = Expr>) {
        let arguments = arguments.into_iter().map(|e| e.0).collect();
        self.push(StmtKind::Call(name(called), arguments));
    }

    /// `goto label;`
    pub fn goto(&mut self, label: &str) {
        self.push(StmtKind::Goto(name(label)));
    }
}
