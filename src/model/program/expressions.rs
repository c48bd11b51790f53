//! Expressions: names resolved, types checked, constants folded, intervals bounded.

use super::codes;
use super::scope::{Context, Elaborator};
use super::{Expr, Failure, Kind, NO_OWNER, NULL, ThreadId};
use crate::base::diagnostic::Span;
use crate::model::text::ast::{self, BinaryOp, ExprKind, UnaryOp};
use std::ops::RangeInclusive;

/// Values of expressions stay within these bounds, so that 64-bit arithmetic never overflows.
const VALUE_BOUND: i128 = 1 << 62;

/// The pool of `null`, which fits all.
const ANY_POOL: usize = usize::MAX;

/// A typed expression and the interval its values lie in.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub expr: Expr,
    pub kind: Kind,
    pub lo: i128,
    pub hi: i128,
}

impl Typed {
    pub(super) fn constant(kind: Kind, value: i64) -> Self {
        Typed {
            expr: Expr::Const(value),
            kind,
            lo: value.into(),
            hi: value.into(),
        }
    }

    pub(super) fn boolean(expr: Expr) -> Self {
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

/// Whether values of two kinds can be compared.
pub(super) fn same(a: Kind, b: Kind) -> bool {
    let null = matches!((a, b), (Kind::Ref(p), Kind::Ref(q)) if p == ANY_POOL || q == ANY_POOL);
    a == b || null || is_number(a) && is_number(b)
}

/// Whether a variable can take a value.
pub(super) fn fits(variable: Kind, value: Kind) -> bool {
    match (variable, value) {
        (Kind::Ref(_), _) | (_, Kind::Ref(_)) => same(variable, value),
        (Kind::Bool | Kind::Enum(_), _) => value == variable,
        (_, Kind::Bool | Kind::Enum(_)) => false,
        _ => true,
    }
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
            Kind::Ref(ANY_POOL) => "`null`".into(),
            Kind::Ref(p) => format!("a reference into `{}`", self.program.pools[p].name),
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
        self.truth(t, e.span)
    }

    /// The same, of an expression that has been elaborated.
    pub(super) fn truth(&mut self, t: Typed, span: Span) -> Option<Expr> {
        if t.kind == Kind::Bool {
            return Some(t.expr);
        }
        let help = match t.kind {
            Kind::Ref(_) => "compare it with something, as in `p != null`",
            _ => "compare it with something, as in `e != 0`",
        };
        self.mismatch(span, t.kind, "a condition", help);
        None
    }

    /// An integer expression.
    pub(super) fn number(&mut self, e: &ast::Expr, cx: &Context) -> Option<Typed> {
        let t = self.expression(e, cx)?;
        self.as_number(t, e.span)
    }

    fn as_number(&mut self, t: Typed, span: Span) -> Option<Typed> {
        if is_number(t.kind) {
            return Some(t);
        }
        let help = match t.kind {
            Kind::Ref(_) => "references are compared with `==` and `!=` only",
            Kind::Enum(_) => "enum values are compared with `==` and `!=` only",
            _ => "write `c ? 1 : 0` for the number of a condition",
        };
        self.mismatch(span, t.kind, "an integer", help);
        None
    }

    /// A constant of any type.
    pub(super) fn constant(&mut self, e: &ast::Expr, cx: &Context) -> Option<(Kind, i64)> {
        let t = self.expression(e, cx)?;
        if let Expr::Const(value) = t.expr {
            return Some((t.kind, value));
        }
        if let Some(value) = self.assumed(&t.expr, e.span, cx) {
            return Some((t.kind, value));
        }
        if let Expr::Slot(slot, target) = &t.expr
            && let Expr::Const(slot) = **slot
        {
            let pool = &self.program.pools[*target];
            let (name, last) = (pool.name.clone(), pool.len - 1);
            self.error(
                codes::OUT_OF_RANGE,
                e.span,
                format!("`{name}` has no slot {slot}"),
                format!("a slot in 0..{last}"),
                "correct the index",
            );
            return None;
        }
        let mut undefined = None;
        t.expr.walk(&mut |e| {
            if let Expr::Binary(op, _, right) = e
                && matches!(**right, Expr::Const(_))
                && !is_total(*op, right)
            {
                undefined = Some(Failure::of(*op));
            }
        });
        if let Some(failure) = undefined {
            let (expected, help) = match failure {
                Failure::Shift => ("an amount in 0..62", "correct the amount"),
                _ => ("a divisor that is not 0", "correct the divisor"),
            };
            self.error(
                codes::OUT_OF_RANGE,
                e.span,
                failure.to_string(),
                expected,
                help,
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
                Some(t) => Some(self.thread_number(self.number_of(t), t)),
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
            ExprKind::Null => Some(Typed::constant(Kind::Ref(ANY_POOL), NULL)),
            ExprKind::Reference(place) => self.reference(place, cx),
            ExprKind::Call(name, _) if self.is_exchange(name, cx) => {
                self.misplaced_exchange(name, e.span);
                None
            }
            ExprKind::Call(name, arguments) => {
                if self.no_value(name, e.span) {
                    return None;
                }
                let arguments: Vec<&ast::Expr> = arguments.iter().collect();
                let t = self.thread_of(name, &arguments, e.span, cx)?;
                Some(self.thread_number(self.number_of_named(t), t))
            }
            ExprKind::Local(thread, place) => {
                let own = self.open.is_some() && matches!(thread.kind, ExprKind::SelfThread);
                if let (true, Some(this)) = (own, cx.this) {
                    return self.local_value(this, place, cx);
                }
                let number = self.integer(thread, cx)?;
                let number = usize::try_from(number).ok()?;
                self.assume_number(number, thread.span, cx);
                self.local_value(number, place, cx)
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
            ExprKind::Unary(UnaryOp::BitNot, inner) => {
                let t = self.number(inner, cx)?;
                let expr = fold(BinaryOp::Sub, Expr::Const(-1), t.expr);
                self.bounded(e.span, expr, -1 - t.hi, -1 - t.lo)
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e.span, cx),
            ExprKind::Cond(c, a, b) => self.conditional(c, a, b, cx),
            ExprKind::Quantified {
                all,
                var,
                lo,
                hi,
                body,
            } => {
                let range = self.range((lo, hi), e.span, cx)?;
                let mut terms = Vec::new();
                let mut inner = cx.clone();
                for k in range {
                    if !self.grow(1, e.span) {
                        return None;
                    }
                    inner.bound.push((var.text.clone(), k));
                    let term = self.condition(body, &inner)?;
                    inner.bound.pop();
                    terms.push(term);
                }
                let op = if *all { BinaryOp::And } else { BinaryOp::Or };
                let none = Expr::Const(i64::from(*all));
                Some(Typed::boolean(balanced(op, terms, none)))
            }
        }
    }

    /// A thread's number, given as a term.
    pub(super) fn thread_number(&self, expr: Expr, thread: ThreadId) -> Typed {
        let at = thread as i128;
        let most = match expr {
            Expr::Const(_) => at,
            _ => 1 << 31,
        };
        Typed {
            expr,
            kind: Kind::Int,
            lo: at.min(most),
            hi: most,
        }
    }

    fn conditional(
        &mut self,
        c: &ast::Expr,
        a: &ast::Expr,
        b: &ast::Expr,
        cx: &Context,
    ) -> Option<Typed> {
        let c = self.condition(c, cx);
        let (ta, tb) = (self.expression(a, cx), self.expression(b, cx));
        let (c, ta, tb) = (c?, ta?, tb?);
        if !same(ta.kind, tb.kind) {
            let wanted = format!("{}, like the other branch", self.kind_words(ta.kind));
            self.mismatch(b.span, tb.kind, &wanted, "give both branches one type");
            return None;
        }
        let kind = if ta.kind == Kind::Ref(ANY_POOL) {
            tb.kind
        } else {
            ta.kind
        };
        Some(match c {
            Expr::Const(0) => Typed { kind, ..tb },
            Expr::Const(_) => Typed { kind, ..ta },
            c => Typed {
                lo: ta.lo.min(tb.lo),
                hi: ta.hi.max(tb.hi),
                kind,
                expr: Expr::Cond(Box::new(c), Box::new(ta.expr), Box::new(tb.expr)),
            },
        })
    }

    /// The values of a bound variable, counted before anything is unrolled.
    pub(super) fn range(
        &mut self,
        (lo, hi): (&ast::Expr, &ast::Expr),
        span: Span,
        cx: &Context,
    ) -> Option<RangeInclusive<i64>> {
        let (lo, hi) = (self.integer(lo, cx), self.integer(hi, cx));
        let (lo, hi) = (lo?, hi?);
        let copies = hi.abs_diff(lo).try_into().unwrap_or(usize::MAX);
        (lo > hi || self.grow(copies, span)).then_some(lo..=hi)
    }

    fn bounded(&mut self, span: Span, expr: Expr, lo: i128, hi: i128) -> Option<Typed> {
        self.small(
            span,
            (lo, hi),
            "use smaller types, or reduce intermediate results with `%`",
        )?;
        Some(Typed {
            expr,
            kind: Kind::Int,
            lo,
            hi,
        })
    }

    /// Reports an interval that leaves the bounds of values.
    fn small(&mut self, span: Span, (lo, hi): Interval, help: &str) -> Option<()> {
        if lo >= -VALUE_BOUND && hi <= VALUE_BOUND {
            return Some(());
        }
        self.error(
            codes::TOO_LARGE,
            span,
            "the values of this expression can become too large",
            "values within -2^62..2^62",
            help,
        );
        None
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Typed, b: Typed, span: Span) -> Option<Typed> {
        let (lo, hi) = interval(op, (a.lo, a.hi), (b.lo, b.hi));
        let help = match op {
            BinaryOp::Shl => "bound the amount, as in `x << (k & 7)`, or use smaller types",
            _ => "use smaller types, or reduce intermediate results with `%`",
        };
        // Before anything is folded, so that no operation on constants overflows.
        self.small(span, (lo, hi), help)?;
        let expr = fold(op, a.expr, b.expr);
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
            BitAnd | BitOr | BitXor => {
                let (ta, tb) = (self.expression(a, cx), self.expression(b, cx));
                let (ta, tb) = (ta?, tb?);
                for (e, t) in [(a, &ta), (b, &tb)] {
                    if t.kind == Kind::Bool {
                        let help = match op {
                            BitAnd => "write `&&` for conditions; `&` is for the bits of integers",
                            BitOr => "write `||` for conditions; `|` is for the bits of integers",
                            _ => "write `!=` for conditions; `^` is for the bits of integers",
                        };
                        self.mismatch(e.span, t.kind, "an integer", help);
                        return None;
                    }
                }
                let (ta, tb) = (self.as_number(ta, a.span)?, self.as_number(tb, b.span)?);
                self.arithmetic(op, ta, tb, span)
            }
            Add | Sub | Mul | Div | Rem | Shl | Shr => {
                let (ta, tb) = (self.number(a, cx), self.number(b, cx));
                self.arithmetic(op, ta?, tb?, span)
            }
        }
    }
}

/// A least and a greatest value.
pub(crate) type Interval = (i128, i128);

/// An interval that the values of an arithmetic operation on values of two intervals lie in, where it is defined.
pub(crate) fn interval(op: BinaryOp, (al, ah): Interval, (bl, bh): Interval) -> Interval {
    let hull = |v: [i128; 4]| {
        (
            v.into_iter().min().unwrap_or(0),
            v.into_iter().max().unwrap_or(0),
        )
    };
    // All numbers of as many bits as the operands have: what bitwise operations stay in.
    let below = |n: i128| if n < 0 { !n } else { n };
    let most = [al, ah, bl, bh].map(below).into_iter().max().unwrap_or(0);
    let ones = (1i128 << (128 - most.leading_zeros())) - 1;
    let (first, last) = (bl.clamp(0, MOST_SHIFTED), bh.clamp(0, MOST_SHIFTED));
    match op {
        BinaryOp::Add => (al + bl, ah + bh),
        BinaryOp::Sub => (al - bh, ah - bl),
        BinaryOp::Mul => hull([al * bl, al * bh, ah * bl, ah * bh]),
        BinaryOp::Div => {
            let m = al.abs().max(ah.abs());
            (-m, m)
        }
        BinaryOp::Rem => (0, (bl.abs().max(bh.abs()) - 1).max(0)),
        BinaryOp::BitAnd => match (al >= 0, bl >= 0) {
            (true, true) => (0, ah.min(bh)),
            (true, false) => (0, ah),
            (false, true) => (0, bh),
            (false, false) => (!ones, ah.max(bh)),
        },
        BinaryOp::BitOr => match (ah < 0, bh < 0) {
            (true, true) => (al.max(bl), -1),
            (true, false) => (al, -1),
            (false, true) => (bl, -1),
            (false, false) => (al.min(bl), ones),
        },
        BinaryOp::BitXor if al >= 0 && bl >= 0 => (0, ones),
        BinaryOp::BitXor => (!ones, ones),
        BinaryOp::Shl => hull([al << first, al << last, ah << first, ah << last]),
        BinaryOp::Shr => hull([al >> first, al >> last, ah >> first, ah >> last]),
        _ => (0, 1),
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

/// A binary operation with constants folded. No part is dropped that an evaluation would have reached.
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

/// Many terms under one associative operation, as a tree that is only as deep as the logarithm of their number.
pub(super) fn balanced(op: BinaryOp, mut terms: Vec<Expr>, none: Expr) -> Expr {
    while terms.len() > 1 {
        let mut pairs = Vec::with_capacity(terms.len().div_ceil(2));
        let mut rest = terms.into_iter();
        while let Some(a) = rest.next() {
            pairs.push(match rest.next() {
                Some(b) => fold(op, a, b),
                None => a,
            });
        }
        terms = pairs;
    }
    terms.pop().unwrap_or(none)
}

/// The largest amount to shift by.
const MOST_SHIFTED: i128 = 62;

/// Whether an operation with this right side is defined, whatever its left side is.
pub(crate) fn is_total(op: BinaryOp, right: &Expr) -> bool {
    use BinaryOp::*;
    match (op, right) {
        (Div | Rem, Expr::Const(d)) => *d != 0,
        (Shl | Shr, Expr::Const(k)) => (0..=MOST_SHIFTED).contains(&i128::from(*k)),
        (Div | Rem | Shl | Shr, _) => false,
        _ => true,
    }
}

/// The value of a binary operation on two values; `None` where it is undefined: a division by zero, a shift by an
/// amount outside `0..62`.
pub fn apply(op: BinaryOp, x: i64, y: i64) -> Option<i64> {
    use BinaryOp::*;
    Some(match op {
        Add => x + y,
        Sub => x - y,
        Mul => x * y,
        Div => x.checked_div_euclid(y)?,
        Rem => x.checked_rem_euclid(y)?,
        BitAnd => x & y,
        BitOr => x | y,
        BitXor => x ^ y,
        Shl | Shr if !(0..=MOST_SHIFTED).contains(&i128::from(y)) => return None,
        Shl => x.checked_mul(1 << y)?,
        Shr => x >> y,
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
