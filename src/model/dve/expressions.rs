//! Expressions of DVE as values of our language, in the place where they stand.

use super::names::Names;
use super::numbers::{Value, binary, expr};
use super::places::Places;
use super::system::{Expr, Kind, Place, ProcessId, StateId, System, Var};
use crate::base::diagnostic::Span;
use crate::model::dve::text::Binary;
use crate::model::text::ast::{self, BinaryOp, ExprKind, Name, Selector};
use std::cell::RefCell;

/// All that translation knows of the system.
#[derive(Debug)]
pub(super) struct World<'s> {
    pub system: &'s System,
    pub places: Vec<Places>,
    pub names: Names,
    /// Which variables are shared.
    pub shared: Vec<bool>,
    /// Between which values variables stay, as far as that is known yet.
    pub ranges: RefCell<Vec<(i64, i64)>>,
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scene<'k> {
    /// In a step that begins in these states of these processes, or has moved them there.
    Step(&'k [(ProcessId, StateId)]),
    /// In a property.
    Property,
}

pub(super) fn name(text: &str, span: Span) -> Name {
    Name {
        text: text.to_string(),
        span,
    }
}

pub(super) fn variable(text: &str, index: Option<ast::Expr>, span: Span) -> ast::Place {
    ast::Place {
        name: name(text, span),
        selectors: index.into_iter().map(Selector::Index).collect(),
        span,
    }
}

pub(super) fn value_of(place: ast::Place) -> ast::Expr {
    let span = place.span;
    expr(ExprKind::Place(place), span)
}

impl World<'_> {
    pub fn value(&self, e: &Expr, scene: Scene) -> Value {
        match &e.kind {
            Kind::Number(n) => Value::number(*n, e.span),
            Kind::Place(place) => self.read(place, scene),
            Kind::At(p, state) => self.at(*p, *state, scene, e.span),
            Kind::Unary(op, inner) => Value::unary(*op, self.value(inner, scene), e.span),
            Kind::Binary(op, a, b) => {
                Value::binary(*op, self.value(a, scene), self.value(b, scene), e.span)
            }
        }
    }

    /// A place, with whether its index may be outside.
    pub fn place(&self, place: &Place, scene: Scene) -> (ast::Place, Option<Value>, bool) {
        let var = &self.system.vars[place.var];
        let index = place.index.as_ref().map(|e| self.value(e, scene).counted());
        let fails = index.as_ref().is_some_and(|i| fails(var, i));
        let indices = index.clone().map(|i| i.expr);
        let mut there = variable(&self.names.vars[place.var], indices, place.span);
        // A property has to say whose variable it is.
        if let (Scene::Property, Some(p), false) = (scene, var.owner, self.shared[place.var]) {
            let field =
                std::mem::replace(&mut there.name, name(&self.names.threads[p], place.span));
            there.selectors.insert(0, Selector::Field(field));
        }
        (there, index, fails)
    }

    fn read(&self, place: &Place, scene: Scene) -> Value {
        let (there, index, fails) = self.place(place, scene);
        let range = self.ranges.borrow()[place.var];
        Value::read(value_of(there), range, index.as_ref(), fails)
    }

    /// Whether a process is in a state.
    pub fn at(&self, p: ProcessId, state: StateId, scene: Scene, span: Span) -> Value {
        if let Scene::Step(known) = scene
            && let Some((_, now)) = known.iter().find(|(q, _)| *q == p)
        {
            return Value::known(*now == state, span);
        }
        let places = &self.places[p];
        if let Scene::Property = scene {
            let label = name(&self.names.labels[p][places.cluster[state]], span);
            let thread = variable(&self.names.threads[p], None, span);
            let here = expr(ExprKind::At(Box::new(value_of(thread)), label), span);
            if !places.shares(state) {
                return Value::condition(here, 2, 2);
            }
        }
        self.in_class(p, places.class[state], span)
    }

    /// Whether a process is in a state of a class.
    pub fn in_class(&self, p: ProcessId, class: usize, span: Span) -> Value {
        match &self.names.places[p] {
            None => Value::known(true, span),
            Some((var, values)) => {
                let there = value_of(variable(var, None, span));
                let value = value_of(variable(&values[class], None, span));
                Value::condition(binary(BinaryOp::Eq, there, value), 3, 2)
            }
        }
    }

    /// Whether a process is in no committed state.
    pub fn not_committed(&self, p: ProcessId, span: Span) -> Value {
        let (states, places) = (&self.system.processes[p].states, &self.places[p]);
        let of = |committed: bool| {
            let mut all: Vec<usize> = states
                .iter()
                .zip(&places.class)
                .filter(|(s, _)| s.committed == committed)
                .map(|(_, class)| *class)
                .collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let (yes, no) = (of(true), of(false));
        if yes.is_empty() || no.is_empty() {
            return Value::known(yes.is_empty(), span);
        }
        let test = |class: &usize, op| {
            let v = self.in_class(p, *class, span);
            match v.expr.kind {
                ExprKind::Binary(_, a, b) => Value::condition(binary(op, *a, *b), 3, 2),
                _ => v,
            }
        };
        let (op, some) = if yes.len() <= no.len() {
            (
                Binary::And,
                yes.iter()
                    .map(|c| test(c, BinaryOp::Ne))
                    .collect::<Vec<_>>(),
            )
        } else {
            (
                Binary::Or,
                no.iter().map(|c| test(c, BinaryOp::Eq)).collect(),
            )
        };
        some.into_iter()
            .reduce(|a, b| Value::binary(op, a, b, span))
            .unwrap_or_else(|| Value::known(true, span))
    }

    /// Whether an expression is evaluated without failure; an expression that does not fail itself.
    pub fn defined(&self, e: &Expr, scene: Scene) -> Value {
        let value = self.value(e, scene);
        if !value.fails {
            return Value::known(true, e.span);
        }
        let (yes, and) = (Value::known(true, e.span), Binary::And);
        match &e.kind {
            Kind::Number(_) | Kind::At(..) => yes,
            Kind::Place(place) => match &place.index {
                None => yes,
                Some(index) => {
                    let inner = self.defined(index, scene);
                    let i = self.value(index, scene).counted();
                    let size = self.system.vars[place.var].size.unwrap_or(1) as i64;
                    let inside = within(i, 0, size - 1, e.span);
                    Value::binary(and, inner, inside, e.span)
                }
            },
            Kind::Unary(_, inner) => self.defined(inner, scene),
            Kind::Binary(op, a, b) => {
                let (left, right) = (self.defined(a, scene), self.defined(b, scene));
                let (x, y) = (self.value(a, scene), self.value(b, scene));
                let then = match op {
                    Binary::And | Binary::Imply => Value::binary(Binary::Imply, x, right, e.span),
                    Binary::Or => Value::binary(Binary::Or, x, right, e.span),
                    Binary::Div | Binary::Rem => {
                        let zero = Value::number(0, e.span);
                        let divides = Value::binary(Binary::Ne, y, zero, e.span);
                        Value::binary(and, right, divides, e.span)
                    }
                    Binary::Shl | Binary::Shr => {
                        let few = within(y.counted(), 0, 31, e.span);
                        Value::binary(and, right, few, e.span)
                    }
                    _ => right,
                };
                Value::binary(and, left, then, e.span)
            }
        }
    }
}

fn within(value: Value, lo: i64, hi: i64, span: Span) -> Value {
    let (low, high) = (Value::number(lo, span), Value::number(hi, span));
    let least = Value::binary(Binary::Ge, value.clone(), low, span);
    let most = Value::binary(Binary::Le, value, high, span);
    Value::binary(Binary::And, least, most, span)
}

fn fails(var: &Var, index: &Value) -> bool {
    let size = var.size.unwrap_or(1) as i128;
    index.fails || index.lo < 0 || index.hi >= size
}
