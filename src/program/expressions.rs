//! Expressions: names resolved, types checked, constants folded, intervals bounded.

use super::codes;
use super::scope::{Context, Elaborator, Symbol};
use super::{ArrayId, CellId, Class, Expr, Kind, LocId, NO_OWNER, Target, ThreadId};
use crate::syntax::ast::{self, BinaryOp, ExprKind, Name, Place, UnaryOp};
use crate::syntax::diagnostic::Span;

/// Values of expressions stay within these bounds, so that 64-bit arithmetic never overflows.
const VALUE_BOUND: i128 = 1 << 62;

/// A typed expression and the interval its values lie in.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub expr: Expr,
    pub kind: Kind,
    pub lo: i128,
    pub hi: i128,
}

impl Typed {
    fn constant(kind: Kind, value: i64) -> Self {
        Typed {
            expr: Expr::Const(value),
            kind,
            lo: value.into(),
            hi: value.into(),
        }
    }

    fn boolean(expr: Expr) -> Self {
        match expr {
            Expr::Const(c) => Self::constant(Kind::Bool, c),
            _ => Typed {
                expr,
                kind: Kind::Bool,
                lo: 0,
                hi: 1,
            },
        }
    }
}

fn is_number(kind: Kind) -> bool {
    matches!(kind, Kind::Int | Kind::Owner)
}

fn same(a: Kind, b: Kind) -> bool {
    a == b || is_number(a) && is_number(b)
}

impl Elaborator {
    fn kind_words(&self, kind: Kind) -> String {
        match kind {
            Kind::Bool => "a boolean".into(),
            Kind::Int => "an integer".into(),
            Kind::Owner => "a thread number".into(),
            Kind::Enum(e) if self.program.enums[e].name.is_empty() => {
                format!("one of {}", self.program.enums[e].variants.join(", "))
            }
            Kind::Enum(e) => format!("a value of enum `{}`", self.program.enums[e].name),
        }
    }

    pub(super) fn mismatch(&mut self, span: Span, found: Kind, wanted: &str, help: &str) {
        let found = self.kind_words(found);
        self.error(
            codes::TYPE_MISMATCH,
            span,
            format!("this is {found}"),
            wanted.to_string(),
            help.to_string(),
        );
    }

    /// A boolean expression.
    pub(super) fn condition(&mut self, e: &ast::Expr, cx: &Context) -> Option<Expr> {
        let t = self.expression(e, cx)?;
        if t.kind == Kind::Bool {
            return Some(t.expr);
        }
        self.mismatch(
            e.span,
            t.kind,
            "a condition",
            "compare it with something, as in `e != 0`",
        );
        None
    }

    /// An integer expression.
    fn number(&mut self, e: &ast::Expr, cx: &Context) -> Option<Typed> {
        let t = self.expression(e, cx)?;
        if is_number(t.kind) {
            return Some(t);
        }
        self.mismatch(
            e.span,
            t.kind,
            "an integer",
            "write `c ? 1 : 0` for the number of a condition",
        );
        None
    }

    /// A constant of any type.
    pub(super) fn constant(&mut self, e: &ast::Expr, cx: &Context) -> Option<(Kind, i64)> {
        let t = self.expression(e, cx)?;
        if let Expr::Const(value) = t.expr {
            return Some((t.kind, value));
        }
        let mut divides_by_zero = false;
        t.expr.walk(&mut |e| {
            if let Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, d) = e {
                divides_by_zero |= **d == Expr::Const(0);
            }
        });
        if divides_by_zero {
            self.error(
                codes::OUT_OF_RANGE,
                e.span,
                "division by zero",
                "a divisor that is not 0",
                "correct the divisor",
            );
            return None;
        }
        self.error(
            codes::NOT_CONSTANT,
            e.span,
            "this is not a constant",
            "numbers, constants and enclosing loop variables",
            "declare a `const`, or move the computation into a statement",
        );
        None
    }

    /// An integer constant.
    pub(super) fn integer(&mut self, e: &ast::Expr, cx: &Context) -> Option<i64> {
        let (kind, value) = self.constant(e, cx)?;
        if is_number(kind) {
            return Some(value);
        }
        self.mismatch(
            e.span,
            kind,
            "an integer constant",
            "write a number or the name of a `const`",
        );
        None
    }

    /// Elaborates an expression; `None` after a diagnostic.
    pub(super) fn expression(&mut self, e: &ast::Expr, cx: &Context) -> Option<Typed> {
        match &e.kind {
            ExprKind::Int(n) => {
                self.bounded(e.span, Expr::Const(*n), i128::from(*n), i128::from(*n))
            }
            ExprKind::Bool(b) => Some(Typed::constant(Kind::Bool, i64::from(*b))),
            ExprKind::NoThread => Some(Typed::constant(Kind::Owner, NO_OWNER)),
            ExprKind::SelfThread => match cx.this {
                Some(t) => Some(Typed::constant(Kind::Int, t as i64)),
                None => {
                    self.error(
                        codes::MISPLACED,
                        e.span,
                        "`self` names no thread here",
                        "a thread by its name, as in `worker(0)`",
                        "`self` may stand in threads and exclusive access predicates",
                    );
                    None
                }
            },
            ExprKind::Place(place) => self.place_value(place, cx),
            ExprKind::Owner(place) => {
                let (array, index) = self.mutex(place, cx)?;
                Some(self.read(array, index))
            }
            ExprKind::Call(name, arguments) => {
                let t = self.thread_of(name, arguments, e.span, cx)?;
                Some(Typed::constant(Kind::Int, t as i64))
            }
            ExprKind::At(thread, label) => self.at(thread, label, e.span, cx),
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let inner = self.condition(inner, cx)?;
                Some(Typed::boolean(not(inner)))
            }
            ExprKind::Unary(UnaryOp::Neg, inner) => {
                let t = self.number(inner, cx)?;
                let expr = match t.expr {
                    Expr::Const(c) => Expr::Const(-c),
                    other => Expr::Neg(Box::new(other)),
                };
                self.bounded(e.span, expr, -t.hi, -t.lo)
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e.span, cx),
            ExprKind::Cond(c, a, b) => {
                let c = self.condition(c, cx);
                let (ta, tb) = (self.expression(a, cx), self.expression(b, cx));
                let (c, ta, tb) = (c?, ta?, tb?);
                if !same(ta.kind, tb.kind) {
                    let wanted = format!("{}, like the other branch", self.kind_words(ta.kind));
                    self.mismatch(b.span, tb.kind, &wanted, "give both branches one type");
                    return None;
                }
                Some(match c {
                    Expr::Const(0) => tb,
                    Expr::Const(_) => ta,
                    c => Typed {
                        lo: ta.lo.min(tb.lo),
                        hi: ta.hi.max(tb.hi),
                        kind: ta.kind,
                        expr: Expr::Cond(Box::new(c), Box::new(ta.expr), Box::new(tb.expr)),
                    },
                })
            }
            ExprKind::Quantified {
                all,
                var,
                lo,
                hi,
                body,
            } => {
                let (lo, hi) = (self.integer(lo, cx), self.integer(hi, cx));
                let (lo, hi) = (lo?, hi?);
                let op = if *all { BinaryOp::And } else { BinaryOp::Or };
                let mut result = Expr::Const(i64::from(*all));
                let mut inner = cx.clone();
                for k in lo..=hi {
                    if !self.grow(1, e.span) {
                        return None;
                    }
                    inner.bound.push((var.text.clone(), k));
                    let term = self.condition(body, &inner)?;
                    inner.bound.pop();
                    result = fold(op, result, term);
                }
                Some(Typed::boolean(result))
            }
        }
    }

    fn bounded(&mut self, span: Span, expr: Expr, lo: i128, hi: i128) -> Option<Typed> {
        if lo < -VALUE_BOUND || hi > VALUE_BOUND {
            self.error(
                codes::TOO_LARGE,
                span,
                "the values of this expression can become too large",
                "values within -2^62..2^62",
                "use smaller types, or reduce intermediate results with `%`",
            );
            return None;
        }
        Some(Typed {
            expr,
            kind: Kind::Int,
            lo,
            hi,
        })
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        a: &ast::Expr,
        b: &ast::Expr,
        span: Span,
        cx: &Context,
    ) -> Option<Typed> {
        use BinaryOp::*;
        match op {
            And | Or | Implies => {
                let (a, b) = (self.condition(a, cx), self.condition(b, cx));
                Some(Typed::boolean(fold(op, a?, b?)))
            }
            Eq | Ne => {
                let (ta, tb) = (self.expression(a, cx), self.expression(b, cx));
                let (ta, tb) = (ta?, tb?);
                if !same(ta.kind, tb.kind) {
                    let wanted = format!("{}, like the left side", self.kind_words(ta.kind));
                    self.mismatch(b.span, tb.kind, &wanted, "compare values of one type");
                    return None;
                }
                Some(Typed::boolean(fold(op, ta.expr, tb.expr)))
            }
            Lt | Le | Gt | Ge => {
                let (ta, tb) = (self.number(a, cx), self.number(b, cx));
                Some(Typed::boolean(fold(op, ta?.expr, tb?.expr)))
            }
            Add | Sub | Mul | Div | Rem => {
                let (ta, tb) = (self.number(a, cx), self.number(b, cx));
                let (ta, tb) = (ta?, tb?);
                let (lo, hi) = interval(op, &ta, &tb);
                self.bounded(span, Expr::TRUE, lo, hi)?;
                let expr = fold(op, ta.expr, tb.expr);
                let (lo, hi) = match expr {
                    Expr::Const(c) => (c.into(), c.into()),
                    _ => (lo, hi),
                };
                Some(Typed {
                    expr,
                    kind: Kind::Int,
                    lo,
                    hi,
                })
            }
        }
    }

    /// The value of a name, perhaps indexed.
    fn place_value(&mut self, place: &Place, cx: &Context) -> Option<Typed> {
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

    fn read(&mut self, array: ArrayId, index: Vec<Expr>) -> Typed {
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
    fn mutex(&mut self, place: &Place, cx: &Context) -> Option<(ArrayId, Vec<Expr>)> {
        match self.symbol(&place.name.text) {
            Some(Symbol::Array(array)) if self.program.arrays[array].class == Class::Owner => {
                Some((array, self.indices(array, place, cx)?))
            }
            None if !cx.locals.contains_key(&place.name.text) => {
                self.unknown(&place.name, cx);
                None
            }
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
    fn thread_of(
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
    fn at(&mut self, thread: &ast::Expr, label: &Name, span: Span, cx: &Context) -> Option<Typed> {
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
            ExprKind::Call(..) => true,
            ExprKind::Place(p) => matches!(self.symbol(&p.name.text), Some(Symbol::Thread { .. })),
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
            let help = match (holders.first(), super::scope::nearest(&label.text, names)) {
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
        let mut result = Expr::FALSE;
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
            result = fold(BinaryOp::Or, result, case);
        }
        Some(Typed::boolean(result))
    }
}

fn counted(n: usize, one: &str, many: &str) -> String {
    match n {
        0 => format!("no {one}"),
        1 => format!("one {one}"),
        n => format!("{n} {many}"),
    }
}

fn interval(op: BinaryOp, a: &Typed, b: &Typed) -> (i128, i128) {
    let hull = |v: [i128; 4]| {
        (
            v.into_iter().min().unwrap_or(0),
            v.into_iter().max().unwrap_or(0),
        )
    };
    match op {
        BinaryOp::Add => (a.lo + b.lo, a.hi + b.hi),
        BinaryOp::Sub => (a.lo - b.hi, a.hi - b.lo),
        BinaryOp::Mul => hull([a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi]),
        BinaryOp::Div => {
            let m = a.lo.abs().max(a.hi.abs());
            (-m, m)
        }
        _ => (0, (b.lo.abs().max(b.hi.abs()) - 1).max(0)),
    }
}

/// Complement with constants folded.
pub(super) fn not(e: Expr) -> Expr {
    match e {
        Expr::Const(c) => Expr::Const(1 - c),
        Expr::Not(inner) => *inner,
        other => Expr::Not(Box::new(other)),
    }
}

/// A binary operation with constants folded; nothing that an evaluation would have reached is dropped.
pub(super) fn fold(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    use BinaryOp::*;
    match (op, &a, &b) {
        (And, Expr::Const(0), _) => Expr::FALSE,
        (And, Expr::Const(_), _) => b,
        (And, _, Expr::Const(1)) | (Or, _, Expr::Const(0)) => a,
        (Or, Expr::Const(0), _) => b,
        (Or, Expr::Const(_), _) | (Implies, Expr::Const(0), _) => Expr::TRUE,
        (Implies, Expr::Const(_), _) => b,
        (_, Expr::Const(x), Expr::Const(y)) => match apply(op, *x, *y) {
            Some(value) => Expr::Const(value),
            None => Expr::Binary(op, Box::new(a), Box::new(b)),
        },
        _ => Expr::Binary(op, Box::new(a), Box::new(b)),
    }
}

/// The value of a binary operation on two values; `None` on a division by zero.
pub fn apply(op: BinaryOp, x: i64, y: i64) -> Option<i64> {
    use BinaryOp::*;
    Some(match op {
        Add => x + y,
        Sub => x - y,
        Mul => x * y,
        Div => x.checked_div_euclid(y)?,
        Rem => x.checked_rem_euclid(y)?,
        Eq => i64::from(x == y),
        Ne => i64::from(x != y),
        Lt => i64::from(x < y),
        Le => i64::from(x <= y),
        Gt => i64::from(x > y),
        Ge => i64::from(x >= y),
        And => i64::from(x != 0 && y != 0),
        Or => i64::from(x != 0 || y != 0),
        Implies => i64::from(x == 0 || y != 0),
    })
}
