//! Expressions that change what they read: `cas(x, old, new)`, `fetch_add(x, k)` and `swap(x, v)`.
//!
//! They are no commands of their own. A step with some of them reads everything first, as an expression without them
//! does: `x == old` stands for the first, and `x` for the others. Behind that their effects follow, under the condition
//! that they are evaluated at all. So nothing that the step writes may be read by an effect behind it, and that is
//! asked for by name.

use super::cfg::{Graph, NodeId};
use super::codes;
use super::scope::{Context, Elaborator};
use super::{ArrayId, Command, Edge, each_use};
use crate::base::diagnostic::Span;
use crate::model::text::ast::{
    BinaryOp, Block, Expr, ExprKind, Name, Place, Selector, Stmt, StmtKind, UnaryOp,
};
use std::collections::BTreeSet;

/// An expression without operations, and what they change, to be done in this order.
pub(super) struct Exchanged {
    pub value: Expr,
    pub effects: Vec<Stmt>,
    /// What puts back the results of calls that are read.
    pub back: Vec<Command>,
}

/// An operation, where it is met.
struct Operation {
    span: Span,
    place: Place,
    kind: Kind,
    /// It is evaluated only where these are true.
    when: Vec<Expr>,
}

enum Kind {
    Cas(Expr, Expr),
    Add(Expr),
    Swap(Expr),
}

/// The words, and how many operands they have.
const WORDS: [(&str, usize); 3] = [("cas", 3), ("fetch_add", 2), ("swap", 2)];

/// Where they may stand.
pub(super) const PLACES: &str =
    "on the right of an assignment, in `if`, `while` or `assert`, or as a statement";

impl Elaborator {
    /// Whether a call is one of these operations: no declaration hides the word.
    pub(super) fn is_exchange(&self, name: &Name, cx: &Context) -> bool {
        let hidden = self.symbol(&name.text).is_some() || cx.locals.contains_key(&name.text);
        WORDS.iter().any(|(word, _)| *word == name.text) && !hidden
    }

    /// An expression with operations taken apart, and with the results of its calls; none if it has neither. `written`
    /// is what its step writes besides.
    pub(super) fn exchanged(
        &mut self,
        e: &Expr,
        written: Option<&Place>,
        cx: &mut Context,
    ) -> Option<Exchanged> {
        let (read, back) = self.reading_results(e, cx);
        let mut found = Found {
            elaborator: self,
            cx,
            when: Vec::new(),
            operations: Vec::new(),
            broken: false,
        };
        let value = found.pure(&read);
        let (operations, broken) = (found.operations, found.broken);
        if operations.is_empty() && !broken && back.is_empty() {
            return None;
        }
        if broken || !self.are_apart(&operations, written) {
            let effects = Vec::new();
            return Some(Exchanged {
                value,
                effects,
                back,
            });
        }
        // What comes last in the text is changed first: the conditions of the others do not look at it.
        let effects = operations.into_iter().rev().map(Operation::effect);
        Some(Exchanged {
            value,
            effects: effects.collect(),
            back,
        })
    }

    /// Whether no effect reads what the step has written before it.
    fn are_apart(&mut self, operations: &[Operation], written: Option<&Place>) -> bool {
        for (n, operation) in operations.iter().enumerate() {
            let mut operands = BTreeSet::new();
            operation.operands(&mut operands);
            let mut read = operands.clone();
            operation.when.iter().for_each(|e| named(e, &mut read));
            let others = operations.iter().enumerate();
            let mut later = others.clone().filter(|(m, _)| *m > n);
            let later = later.find_map(|(_, o)| met(&o.place, &read));
            let mut earlier = others.filter(|(m, _)| *m < n);
            let earlier = earlier.find_map(|(_, o)| met(&o.place, &operands));
            let own = written.and_then(|place| met(place, &read));
            if let Some(name) = own.or(later).or(earlier) {
                self.error(
                    codes::EXCHANGE,
                    operation.span,
                    format!("this reads `{name}`, which the same step writes"),
                    "operands that the step does not write",
                    "copy it into a variable of the thread's own in a step before, or write an `atomic` block",
                );
                return false;
            }
        }
        true
    }

    /// Whether effects behind the assignment to a variable neither read nor write it.
    pub(super) fn is_apart(
        &mut self,
        variable: ArrayId,
        effects: &[Command],
        span: Span,
    ) -> Option<()> {
        let edge = Edge {
            guard: None,
            body: effects.to_vec(),
            span,
        };
        let cells = self.program.cells_of(variable);
        let mut apart = true;
        each_use(&self.program, &edge, &mut |u| {
            apart &= u.cells.end <= cells.start || cells.end <= u.cells.start;
        });
        if !apart {
            let name = self.program.arrays[variable].name.clone();
            self.error(
                codes::EXCHANGE,
                span,
                format!("this reads `{name}`, which the call gives its result to"),
                "operands that the step does not write",
                "give the result to a variable of the thread's own",
            );
        }
        apart.then_some(())
    }

    /// An operation as a statement, or an assignment with some, as an action's statements, and commands behind them.
    pub(super) fn exchanging(
        &mut self,
        stmt: &Stmt,
        cx: &mut Context,
    ) -> Option<(Vec<Stmt>, Vec<Command>)> {
        let said = |kind| Stmt {
            labels: Vec::new(),
            kind,
            span: stmt.span,
        };
        match &stmt.kind {
            StmtKind::Call(name, arguments) if self.is_exchange(name, cx) => {
                let e = Expr {
                    kind: ExprKind::Call(name.clone(), arguments.clone()),
                    span: stmt.span,
                };
                let parts = self.exchanged(&e, None, cx)?;
                Some((parts.effects, parts.back))
            }
            StmtKind::Assign(place, e) => {
                let mut parts = self.exchanged(e, Some(place), cx)?;
                let mut all = vec![said(StmtKind::Assign(place.clone(), parts.value))];
                all.append(&mut parts.effects);
                Some((all, parts.back))
            }
            _ => None,
        }
    }

    /// The condition of a step that decides, and what the step does then in either case.
    pub(super) fn deciding(
        &mut self,
        g: &mut Graph,
        parts: &Exchanged,
        cx: &mut Context,
    ) -> Option<(super::Expr, Vec<Command>)> {
        let condition = self.condition(&parts.value, cx);
        let effects: Vec<&Stmt> = parts.effects.iter().collect();
        let effects = self.sequence(g, &effects, cx);
        let (condition, mut commands) = (condition?, effects?);
        self.may_fail(g, &[&condition]);
        commands.extend_from_slice(&parts.back);
        Some((condition, commands))
    }

    /// A node whose step decides by an expression with operations, and has their effects.
    pub(super) fn decides_exchanging(
        &mut self,
        g: &mut Graph,
        node: NodeId,
        parts: &Exchanged,
        (yes, no): (NodeId, NodeId),
        cx: &mut Context,
    ) {
        let Some((condition, commands)) = self.deciding(g, parts, cx) else {
            return;
        };
        let way = |to| [commands.clone(), vec![Command::Goto(to)]].concat();
        let (yes, no) = (way(yes), way(no));
        let body = vec![Command::If(condition, yes, no)];
        let span = g.nodes[node].span;
        g.nodes[node].edges.push(Edge {
            guard: None,
            body,
            span,
        });
    }

    /// Says that an operation cannot stand here.
    pub(super) fn misplaced_exchange(&mut self, name: &Name, span: Span) {
        self.error(
            codes::EXCHANGE,
            span,
            format!("`{}` changes a variable, which nothing here may do", name.text),
            format!("an expression that only reads; `{}` stands {PLACES}", name.text),
            "give its result to a variable in a statement of its own; to wait, write `when (x == old) x = new;`",
        );
    }
}

/// A search for operations.
struct Found<'f, 'c> {
    elaborator: &'f mut Elaborator,
    cx: &'c Context,
    when: Vec<Expr>,
    operations: Vec<Operation>,
    broken: bool,
}

impl Found<'_, '_> {
    /// The expression as it is read.
    fn pure(&mut self, e: &Expr) -> Expr {
        let kind = match &e.kind {
            ExprKind::Call(name, operands) if self.elaborator.is_exchange(name, self.cx) => {
                self.operation(e.span, name, operands)
            }
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, Box::new(self.pure(a))),
            ExprKind::Binary(op, a, b) => {
                let a = self.pure(a);
                let when = match op {
                    BinaryOp::And | BinaryOp::Implies => Some(a.clone()),
                    BinaryOp::Or => Some(not(&a)),
                    _ => None,
                };
                let b = self.under(when, b);
                ExprKind::Binary(*op, Box::new(a), Box::new(b))
            }
            ExprKind::Cond(c, a, b) => {
                let c = self.pure(c);
                let a = self.under(Some(c.clone()), a);
                let b = self.under(Some(not(&c)), b);
                ExprKind::Cond(Box::new(c), Box::new(a), Box::new(b))
            }
            // In indices and quantified expressions they are reported where those are read.
            other => other.clone(),
        };
        Expr { kind, span: e.span }
    }

    fn under(&mut self, when: Option<Expr>, e: &Expr) -> Expr {
        let conditional = when.is_some();
        self.when.extend(when);
        let e = self.pure(e);
        if conditional {
            self.when.pop();
        }
        e
    }

    fn operation(&mut self, span: Span, name: &Name, operands: &[Expr]) -> ExprKind {
        let place = operands.first().and_then(|e| match &e.kind {
            ExprKind::Place(place) => Some(place.clone()),
            _ => None,
        });
        let wanted = WORDS.iter().find(|(word, _)| *word == name.text);
        let wanted = wanted.map_or(0, |(_, n)| *n);
        let (Some(place), true) = (place, operands.len() == wanted) else {
            self.broken = true;
            let expected = match wanted {
                3 => "`cas(x, old, new)`".to_string(),
                _ if name.text == "swap" => "`swap(x, v)`".to_string(),
                _ => "`fetch_add(x, k)`".to_string(),
            };
            self.elaborator.error(
                codes::EXCHANGE,
                span,
                format!("these are no operands of `{}`", name.text),
                format!("{expected}, where `x` is a variable"),
                "name the variable first, then the values",
            );
            return ExprKind::Bool(false);
        };
        let mut inner = BTreeSet::new();
        operands.iter().for_each(|e| named(e, &mut inner));
        let words = WORDS.iter().map(|(word, _)| Name {
            text: (*word).to_string(),
            span,
        });
        let mut inner = words.filter(|word| inner.contains(&word.text));
        let nested = inner.find(|word| self.elaborator.is_exchange(word, self.cx));
        if let Some(nested) = nested {
            self.broken = true;
            self.elaborator.misplaced_exchange(&nested, span);
        }
        let read = |place: &Place| Expr {
            kind: ExprKind::Place(place.clone()),
            span: place.span,
        };
        let value = read(&place);
        let (kind, value) = match operands {
            [_, old, new] => {
                let same = Box::new(value);
                let same = ExprKind::Binary(BinaryOp::Eq, same, Box::new(old.clone()));
                (Kind::Cas(old.clone(), new.clone()), same)
            }
            [_, by] if name.text == "fetch_add" => (Kind::Add(by.clone()), value.kind),
            [_, new] => (Kind::Swap(new.clone()), value.kind),
            _ => return ExprKind::Bool(false),
        };
        self.operations.push(Operation {
            span,
            place,
            kind,
            when: self.when.clone(),
        });
        value
    }
}

impl Operation {
    /// The variables that its operands and indices mention.
    fn operands(&self, into: &mut BTreeSet<String>) {
        place_named(&self.place, into);
        match &self.kind {
            Kind::Cas(old, new) => {
                named(old, into);
                named(new, into);
            }
            Kind::Add(e) | Kind::Swap(e) => named(e, into),
        }
    }

    /// The statement that changes the variable.
    fn effect(self) -> Stmt {
        let Operation {
            span,
            place,
            kind,
            when,
        } = self;
        let stmt = |kind| Stmt {
            labels: Vec::new(),
            kind,
            span,
        };
        let read = Expr {
            kind: ExprKind::Place(place.clone()),
            span: place.span,
        };
        let two = |op, a: Expr, b: Expr| Expr {
            span: a.span.to(b.span),
            kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
        };
        let only = |condition, then| {
            let stmts = vec![then];
            stmt(StmtKind::If(condition, Block { stmts, span }, None))
        };
        let mut effect = match kind {
            Kind::Cas(old, new) => only(
                two(BinaryOp::Eq, read, old),
                stmt(StmtKind::Assign(place, new)),
            ),
            Kind::Add(by) => stmt(StmtKind::Assign(place, two(BinaryOp::Add, read, by))),
            Kind::Swap(new) => stmt(StmtKind::Assign(place, new)),
        };
        for condition in when.into_iter().rev() {
            effect = only(condition, effect);
        }
        effect
    }
}

fn not(e: &Expr) -> Expr {
    Expr {
        kind: ExprKind::Unary(UnaryOp::Not, Box::new(e.clone())),
        span: e.span,
    }
}

/// The names in an expression.
fn named(e: &Expr, into: &mut BTreeSet<String>) {
    match &e.kind {
        ExprKind::Place(place) | ExprKind::Reference(place) => {
            place_named(place, into);
        }
        ExprKind::Call(name, all) => {
            into.insert(name.text.clone());
            all.iter().for_each(|e| named(e, into));
        }
        ExprKind::Local(e, place) => {
            named(e, into);
            place_named(place, into);
        }
        ExprKind::Unary(_, e) | ExprKind::At(e, _) => named(e, into),
        ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| named(e, into)),
        ExprKind::Cond(a, b, c) => [a, b, c].into_iter().for_each(|e| named(e, into)),
        ExprKind::Quantified { lo, hi, body, .. } => {
            [lo, hi, body].into_iter().for_each(|e| named(e, into));
        }
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::SelfThread
        | ExprKind::NoThread
        | ExprKind::Null => {}
    }
}

/// The names in a place: its variable and its fields, which other references may lead to, and those in its indices.
fn place_named(place: &Place, into: &mut BTreeSet<String>) {
    into.extend(names(place));
    for selector in &place.selectors {
        if let Selector::Index(e) = selector {
            named(e, into);
        }
    }
}

/// The variable and the fields of a place.
fn names(place: &Place) -> impl Iterator<Item = String> + '_ {
    let fields = place.selectors.iter().filter_map(|s| match s {
        Selector::Field(name) => Some(name.text.clone()),
        Selector::Index(_) => None,
    });
    std::iter::once(place.name.text.clone()).chain(fields)
}

/// What of a place is among names.
fn met(place: &Place, among: &BTreeSet<String>) -> Option<String> {
    names(place).find(|name| among.contains(name))
}
