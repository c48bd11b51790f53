//! Values with the interval that they lie in, as expressions of our language.
//!
//! DVE computes in 32 bits with a sign, as C does; we compute in mathematical integers, and divide towards minus
//! infinity. So an operator whose result may leave 32 bits is wrapped by an expression, and a division whose left side
//! may be negative is written out by cases. DVE has no booleans: here a condition stays one as long as it is used as
//! one.

use crate::base::diagnostic::Span;
use crate::model::dve::text::{Binary, Type, Unary};
use crate::model::text::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

const LOWEST: i128 = i32::MIN as i128;
const HIGHEST: i128 = i32::MAX as i128;

/// Nodes that an expression of ours may have.
pub(super) const LARGEST: u64 = 1 << 16;

/// The bits that a shift is by at most.
const MOST_BITS: i64 = 31;

/// An expression, and what is known about it.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub expr: Expr,
    pub lo: i128,
    pub hi: i128,
    /// Whether the expression is a condition, not a number.
    pub truth: bool,
    /// Whether its evaluation may fail.
    pub fails: bool,
    /// Nodes of the expression, and its height.
    pub size: u64,
    pub depth: usize,
}

/// The value of an operation on two values, as DVE computes it; `None` if it is an error.
pub(super) fn apply(op: Binary, a: i64, b: i64) -> Option<i64> {
    use Binary::*;
    let wrapped = |v: i64| Some(i64::from(v as i32));
    let truth = |v: bool| Some(i64::from(v));
    match op {
        Imply => truth(a == 0 || b != 0),
        Or => truth(a != 0 || b != 0),
        And => truth(a != 0 && b != 0),
        BitOr => wrapped(a | b),
        BitAnd => wrapped(a & b),
        BitXor => wrapped(a ^ b),
        Eq => truth(a == b),
        Ne => truth(a != b),
        Lt => truth(a < b),
        Le => truth(a <= b),
        Ge => truth(a >= b),
        Gt => truth(a > b),
        Shl if (0..=MOST_BITS).contains(&b) => wrapped(a << b),
        Shr if (0..=MOST_BITS).contains(&b) => wrapped(a >> b),
        Shl | Shr => None,
        Sub => wrapped(a - b),
        Add => wrapped(a + b),
        Mul => wrapped(a.wrapping_mul(b)),
        Div => wrapped(a.checked_div(b)?),
        Rem => wrapped(a.checked_rem(b)?),
    }
}

pub(super) fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

/// A number as it is written.
pub(super) fn literal(value: i64, span: Span) -> Expr {
    let digits = expr(ExprKind::Int(value.abs()), span);
    match value {
        0.. => digits,
        _ => expr(ExprKind::Unary(UnaryOp::Neg, Box::new(digits)), span),
    }
}

pub(super) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let span = a.span.to(b.span);
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), span)
}

impl Value {
    pub fn number(value: i64, span: Span) -> Value {
        Value {
            expr: literal(value, span),
            lo: value.into(),
            hi: value.into(),
            truth: false,
            fails: false,
            size: 1,
            depth: 1,
        }
    }

    /// What may be read from a variable.
    pub fn read(expr: Expr, (lo, hi): (i64, i64), index: Option<&Value>, fails: bool) -> Value {
        Value {
            expr,
            lo: lo.into(),
            hi: hi.into(),
            truth: false,
            fails,
            size: 1 + index.map_or(0, |i| i.size),
            depth: 1 + index.map_or(0, |i| i.depth),
        }
    }

    pub fn condition(expr: Expr, size: u64, depth: usize) -> Value {
        Value {
            expr,
            lo: 0,
            hi: 1,
            truth: true,
            fails: false,
            size,
            depth,
        }
    }

    pub fn known(truth: bool, span: Span) -> Value {
        Value {
            lo: truth.into(),
            hi: truth.into(),
            ..Value::condition(expr(ExprKind::Bool(truth), span), 1, 1)
        }
    }

    /// Its value, if there is only one and it is found without failure.
    pub fn constant(&self) -> Option<i64> {
        (self.lo == self.hi && !self.fails).then_some(self.lo as i64)
    }

    /// As a condition.
    pub fn truth(self) -> Value {
        if self.truth {
            return self;
        }
        let span = self.expr.span;
        if let Some(value) = self.constant() {
            return Value::known(value != 0, span);
        }
        let test = binary(BinaryOp::Ne, self.expr, literal(0, span));
        Value {
            fails: self.fails,
            ..Value::condition(test, self.size + 2, self.depth + 1)
        }
    }

    /// As a number.
    pub fn counted(self) -> Value {
        if !self.truth {
            return self;
        }
        let span = self.expr.span;
        if let Some(value) = self.constant() {
            return Value::number(value, span);
        }
        let (one, none) = (literal(1, span), literal(0, span));
        let kind = ExprKind::Cond(Box::new(self.expr), Box::new(one), Box::new(none));
        Value {
            expr: expr(kind, span),
            truth: false,
            size: self.size + 3,
            depth: self.depth + 1,
            ..self
        }
    }

    /// Reduced to so many bits with or without a sign, if it may have more.
    pub fn cast(self, (lo, hi): (i64, i64)) -> Value {
        let (lo, hi) = (i128::from(lo), i128::from(hi));
        let mut value = self.counted();
        if value.lo >= lo && value.hi <= hi {
            return value;
        }
        let span = value.expr.span;
        let number = |v: i128| literal(v as i64, span);
        let width = hi - lo + 1;
        let wide = value.hi.max(-value.lo) > (1 << 60);
        let mut e = value.expr;
        if wide || lo == 0 {
            e = binary(BinaryOp::Rem, e, number(width));
            value.depth += 1;
        }
        if lo != 0 {
            e = binary(BinaryOp::Add, e, number(-lo));
            e = binary(BinaryOp::Rem, e, number(width));
            e = binary(BinaryOp::Sub, e, number(-lo));
            value.depth += 3;
        }
        Value {
            expr: e,
            lo,
            hi,
            size: value.size + 8,
            ..value
        }
    }

    /// Reduced to 32 bits, if it may have more.
    fn word(self) -> Value {
        self.cast((LOWEST as i64, HIGHEST as i64))
    }

    /// As an element of a channel or variable of a type.
    pub fn of_type(self, ty: Type) -> Value {
        self.cast(ty.range())
    }

    pub fn unary(op: Unary, inner: Value, span: Span) -> Value {
        if let (Some(v), Unary::Neg) = (inner.constant(), op)
            && v > LOWEST as i64
        {
            return Value::number(-v, span);
        }
        match op {
            Unary::Not => {
                let inner = inner.truth();
                let (lo, hi) = (1 - inner.hi, 1 - inner.lo);
                Value {
                    expr: expr(ExprKind::Unary(UnaryOp::Not, Box::new(inner.expr)), span),
                    lo,
                    hi,
                    size: inner.size + 1,
                    depth: inner.depth + 1,
                    ..inner
                }
            }
            Unary::Neg => {
                let inner = inner.counted();
                let (lo, hi) = (-inner.hi, -inner.lo);
                Value {
                    expr: expr(ExprKind::Unary(UnaryOp::Neg, Box::new(inner.expr)), span),
                    lo,
                    hi,
                    size: inner.size + 1,
                    depth: inner.depth + 1,
                    ..inner
                }
                .word()
            }
            Unary::Complement => {
                let inner = inner.counted();
                let (lo, hi) = (-inner.hi - 1, -inner.lo - 1);
                Value {
                    expr: expr(ExprKind::Unary(UnaryOp::BitNot, Box::new(inner.expr)), span),
                    lo,
                    hi,
                    size: inner.size + 1,
                    depth: inner.depth + 1,
                    ..inner
                }
            }
        }
    }

    pub fn binary(op: Binary, a: Value, b: Value, span: Span) -> Value {
        use Binary::*;
        match op {
            Imply => logic(BinaryOp::Implies, a, b, span),
            Or => logic(BinaryOp::Or, a, b, span),
            And => logic(BinaryOp::And, a, b, span),
            Eq => equality(BinaryOp::Eq, a, b, span),
            Ne => equality(BinaryOp::Ne, a, b, span),
            Lt => comparison(BinaryOp::Lt, a, b, span),
            Le => comparison(BinaryOp::Le, a, b, span),
            Ge => comparison(BinaryOp::Ge, a, b, span),
            Gt => comparison(BinaryOp::Gt, a, b, span),
            Add | Sub | Mul => {
                let (a, b) = (a.counted(), b.counted());
                let (ours, (lo, hi)) = match op {
                    Add => (BinaryOp::Add, (a.lo + b.lo, a.hi + b.hi)),
                    Sub => (BinaryOp::Sub, (a.lo - b.hi, a.hi - b.lo)),
                    _ => {
                        let all = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
                        (BinaryOp::Mul, hull(&all))
                    }
                };
                arithmetic(ours, a, b, (lo, hi), span).word()
            }
            Div | Rem => divided(op, a.counted(), b.counted(), span),
            BitOr | BitAnd | BitXor => {
                let (a, b) = (a.counted(), b.counted());
                let ours = match op {
                    BitOr => BinaryOp::BitOr,
                    BitAnd => BinaryOp::BitAnd,
                    _ => BinaryOp::BitXor,
                };
                let range = bits(ours, &a, &b);
                arithmetic(ours, a, b, range, span)
            }
            Shl | Shr => shifted(op, a.counted(), b.counted(), span),
        }
    }

    /// Several conditions that are tested in turn until one is false.
    pub fn all(values: Vec<Value>) -> Option<Value> {
        let mut all: Option<Value> = None;
        for value in values {
            let value = value.truth();
            if value.constant() == Some(1) {
                continue;
            }
            all = Some(match all {
                None => value,
                Some(all) => {
                    let span = all.expr.span.to(value.expr.span);
                    logic(BinaryOp::And, all, value, span)
                }
            });
        }
        all
    }
}

fn hull(all: &[i128]) -> (i128, i128) {
    let lo = all.iter().copied().min().unwrap_or(0);
    (lo, all.iter().copied().max().unwrap_or(0))
}

/// Two parts under one operator, its result in an interval.
fn arithmetic(op: BinaryOp, a: Value, b: Value, (lo, hi): (i128, i128), span: Span) -> Value {
    let kind = ExprKind::Binary(op, Box::new(a.expr), Box::new(b.expr));
    Value {
        expr: expr(kind, span),
        lo,
        hi,
        truth: false,
        fails: a.fails || b.fails,
        size: a.size + b.size + 1,
        depth: a.depth.max(b.depth) + 1,
    }
}

fn logic(op: BinaryOp, a: Value, b: Value, span: Span) -> Value {
    let (a, b) = (a.truth(), b.truth());
    // What the left side settles the right side does not change.
    let settled = match (op, a.constant()) {
        (BinaryOp::And, Some(0)) => Some(false),
        (BinaryOp::Or, Some(1)) | (BinaryOp::Implies, Some(0)) => Some(true),
        _ => None,
    };
    match settled {
        Some(value) => Value::known(value, span),
        None => Value {
            truth: true,
            ..arithmetic(op, a, b, (0, 1), span)
        },
    }
}

fn comparison(op: BinaryOp, a: Value, b: Value, span: Span) -> Value {
    Value {
        truth: true,
        ..arithmetic(op, a.counted(), b.counted(), (0, 1), span)
    }
}

fn equality(op: BinaryOp, a: Value, b: Value, span: Span) -> Value {
    let (a, b) = if a.truth && b.truth {
        (a, b)
    } else {
        (a.counted(), b.counted())
    };
    Value {
        truth: true,
        ..arithmetic(op, a, b, (0, 1), span)
    }
}

fn divided(op: Binary, a: Value, b: Value, span: Span) -> Value {
    let ours = match op {
        Binary::Div => BinaryOp::Div,
        _ => BinaryOp::Rem,
    };
    let fails = a.fails || b.fails || b.lo <= 0 && b.hi >= 0;
    let most = a.hi.max(-a.lo);
    let (lo, hi) = match op {
        Binary::Div if a.lo >= 0 && b.lo >= 0 => (a.lo / b.hi.max(1), a.hi / b.lo.max(1)),
        Binary::Div => (-most, most),
        _ => {
            let rest = (b.hi.max(-b.lo) - 1).max(0);
            // As wide as the elaboration takes it to be, so that what we find small is small there.
            (if a.lo >= 0 { 0 } else { -rest }, rest)
        }
    };
    if a.lo >= 0 {
        // Where the left side is not negative, both languages agree, whatever the divisor's sign.
        return Value {
            fails,
            ..arithmetic(ours, a, b, (lo, hi), span)
        };
    }
    let (size, depth) = (3 * a.size + 2 * b.size + 9, a.depth.max(b.depth) + 5);
    if size > LARGEST {
        return too_large(size, span);
    }
    let minus = |e: Expr| expr(ExprKind::Unary(UnaryOp::Neg, Box::new(e)), span);
    let test = binary(BinaryOp::Ge, a.expr.clone(), literal(0, span));
    let plain = binary(ours, a.expr.clone(), b.expr.clone());
    let turned = minus(binary(ours, minus(a.expr), b.expr));
    let kind = ExprKind::Cond(Box::new(test), Box::new(plain), Box::new(turned));
    Value {
        expr: expr(kind, span),
        lo,
        hi,
        truth: false,
        fails,
        size,
        depth,
    }
    .word()
}

/// Within which powers of two the bits of two values lie.
fn bits(op: BinaryOp, a: &Value, b: &Value) -> (i128, i128) {
    let mut power = 1;
    while power <= a.hi.max(b.hi) || power < -a.lo.min(b.lo) {
        power *= 2;
    }
    let negative = match op {
        BinaryOp::BitAnd => a.lo < 0 && b.lo < 0,
        _ => a.lo < 0 || b.lo < 0,
    };
    (if negative { -power } else { 0 }, power - 1)
}

/// Stands for what is not built, since it will be refused.
fn too_large(size: u64, span: Span) -> Value {
    Value {
        size,
        ..Value::read(
            literal(0, span),
            (i32::MIN.into(), i32::MAX.into()),
            None,
            true,
        )
    }
}

fn shifted(op: Binary, a: Value, b: Value, span: Span) -> Value {
    let most = i128::from(MOST_BITS);
    let fits = b.lo >= 0 && b.hi <= most;
    let (least, last) = (b.lo.clamp(0, most), b.hi.clamp(0, most));
    let ends = |by: fn(i128, i128) -> i128| {
        hull(&[
            by(a.lo, least),
            by(a.lo, last),
            by(a.hi, least),
            by(a.hi, last),
        ])
    };
    let (ours, range) = match op {
        Binary::Shl => (BinaryOp::Shl, ends(|x, n| x << n)),
        _ => (BinaryOp::Shr, ends(|x, n| x >> n)),
    };
    if fits {
        return arithmetic(ours, a, b, range, span).word();
    }
    if 2 * b.size > LARGEST {
        return too_large(2 * b.size, span);
    }
    // An amount outside 0..31 is an error, and so is a division by zero.
    let (low, high) = (literal(0, span), literal(MOST_BITS, span));
    let least = binary(BinaryOp::Ge, b.expr.clone(), low);
    let test = binary(
        BinaryOp::And,
        least,
        binary(BinaryOp::Le, b.expr.clone(), high),
    );
    let size = 2 * b.size + 8;
    let depth = b.depth;
    let amount = Value {
        expr: binary(BinaryOp::Rem, b.expr, literal(MOST_BITS + 1, span)),
        depth: b.depth + 1,
        ..b
    };
    let done = arithmetic(ours, a, amount, range, span).word();
    let error = binary(BinaryOp::Div, literal(1, span), literal(0, span));
    let kind = ExprKind::Cond(Box::new(test), Box::new(done.expr), Box::new(error));
    Value {
        expr: expr(kind, span),
        truth: false,
        fails: true,
        size: done.size + size,
        depth: done.depth.max(depth + 2) + 1,
        ..done
    }
}
