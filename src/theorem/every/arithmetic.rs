//! Operations on linear terms: linear again, divided into cases, or arbitrary functions.

use super::linear::{Atom, Linear, Literal};
use super::run::{Machine, Run, Said, Unknown, Unsaid, Valued, bit};
use crate::base::results::Obstacle;
use crate::model::program::apply;
use crate::model::text::ast::BinaryOp;

impl Machine<'_> {
    /// The value of an operation, on each path.
    pub fn operation(&self, run: Run, op: BinaryOp, x: &Linear, y: &Linear) -> Said<Valued> {
        use BinaryOp::{Add, Eq, Ge, Gt, Le, Lt, Ne, Sub};
        let difference = x.minus(y);
        let literal = match op {
            Add => return Ok(vec![(run, Some(self.fits(x.plus(y, 1))?))]),
            Sub => return Ok(vec![(run, Some(self.fits(difference)?))]),
            Eq => Literal::Zero(difference),
            Ne => Literal::NonZero(difference),
            Ge => Literal::NonNegative(difference),
            Le => Literal::NonNegative(difference.times(-1)),
            Gt => Literal::NonNegative(difference.add(-1)),
            Lt => Literal::NonNegative(difference.times(-1).add(-1)),
            _ => return self.other(run, op, x, y),
        };
        let (yes, no) = self.divide(&run, literal)?;
        let mut all: Valued = yes.into_iter().map(|run| (run, Some(bit(true)))).collect();
        all.extend(no.map(|run| (run, Some(bit(false)))));
        Ok(all)
    }

    /// A term whose value is in 64 bits, whatever its atoms are: else an evaluation fails, which no path here knows of.
    pub fn fits(&self, x: Linear) -> Said<Linear> {
        match self.bound(&x, 0) <= i64::MAX as u128 {
            true => Ok(x),
            false => Err(Unsaid::Because(Obstacle::NotLinear)),
        }
    }

    /// What the value of a term is not larger than, whatever its sign. Cells and indices have types of 32 bits.
    fn bound(&self, x: &Linear, depth: usize) -> u128 {
        let of = |(atom, c): &(Atom, i128)| {
            let atom = self.unknown(*atom);
            let most = match atom.as_deref() {
                Some(Unknown::Operation(..)) if depth > 8 => u128::MAX,
                Some(Unknown::Operation(op, x, y)) => {
                    let (x, y) = (self.bound(x, depth + 1), self.bound(y, depth + 1));
                    match op {
                        BinaryOp::Mul => x.saturating_mul(y),
                        BinaryOp::Div => x,
                        BinaryOp::Rem => y,
                        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                            x.max(y).saturating_mul(2)
                        }
                        _ => 1 << 62,
                    }
                }
                _ => 1 << 31,
            };
            most.saturating_mul(c.unsigned_abs())
        };
        let terms = x.terms.iter().map(of);
        terms.fold(x.constant.unsigned_abs(), u128::saturating_add)
    }

    /// Operations that are linear in some cases only.
    fn other(&self, run: Run, op: BinaryOp, x: &Linear, y: &Linear) -> Said<Valued> {
        match (op, x.value(), y.value()) {
            (BinaryOp::Mul, Some(k), _) => return Ok(vec![(run, Some(self.fits(y.times(k))?))]),
            (BinaryOp::Mul, _, Some(k)) => return Ok(vec![(run, Some(self.fits(x.times(k))?))]),
            (_, Some(x), Some(y)) => return Ok(vec![(run, small(op, x, y).map(Linear::constant))]),
            _ => {}
        }
        match op {
            BinaryOp::Div | BinaryOp::Rem => {
                let (zero, defined) = self.divide(&run, Literal::Zero(y.clone()))?;
                let mut all: Valued = zero.into_iter().map(|run| (run, None)).collect();
                if let Some(run) = defined {
                    all.extend(self.quotient(run, op == BinaryOp::Rem, x, y)?);
                }
                Ok(all)
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let defined =
                    self.within(run, y.clone(), &Linear::constant(0), &Linear::constant(62))?;
                let opaque =
                    || Linear::atom(self.atom(Unknown::Operation(op, x.clone(), y.clone())));
                Ok(defined
                    .into_iter()
                    .map(|(r, v)| (r, v.map(|_| opaque())))
                    .collect())
            }
            _ => {
                let atom = self.atom(Unknown::Operation(op, x.clone(), y.clone()));
                Ok(vec![(run, Some(Linear::atom(atom)))])
            }
        }
    }

    /// Quotient or remainder: linear where the dividend is near 0, as in `(i + 1) % N`.
    pub fn quotient(&self, run: Run, rest: bool, x: &Linear, y: &Linear) -> Said<Valued> {
        let mut all = Vec::new();
        let mut open = vec![run];
        for k in [0, 1, -1] {
            let mut next = Vec::new();
            // k y <= x < (k + 1) y, for y > 0
            let low = x.plus(y, -k);
            let high = y.times(k + 1).minus(x).add(-1);
            for run in open {
                let (positive, other) = self.divide(&run, Literal::NonNegative(y.add(-1)))?;
                next.extend(other);
                let Some(run) = positive else { continue };
                let (above, below) = self.divide(&run, Literal::NonNegative(low.clone()))?;
                next.extend(below);
                let Some(run) = above else { continue };
                let (inside, beyond) = self.divide(&run, Literal::NonNegative(high.clone()))?;
                next.extend(beyond);
                let value = match rest {
                    true => low.clone(),
                    false => Linear::constant(k),
                };
                all.extend(inside.map(|run| (run, Some(value))));
            }
            open = next;
        }
        let op = match rest {
            true => BinaryOp::Rem,
            false => BinaryOp::Div,
        };
        for run in open {
            let value = Linear::atom(self.atom(Unknown::Operation(op, x.clone(), y.clone())));
            if !rest {
                all.push((run, Some(value)));
                continue;
            }
            // The rest is never negative, and smaller than a positive divisor.
            let Some(run) = self.with(&run, Literal::NonNegative(value.clone()))? else {
                continue;
            };
            let (positive, other) = self.divide(&run, Literal::NonNegative(y.add(-1)))?;
            all.extend(other.map(|run| (run, Some(value.clone()))));
            if let Some(run) = positive {
                let below = Literal::NonNegative(y.minus(&value).add(-1));
                all.extend(self.with(&run, below)?.map(|run| (run, Some(value))));
            }
        }
        Ok(all)
    }
}

/// An operation on numbers of ordinary size.
pub(super) fn small(op: BinaryOp, x: i128, y: i128) -> Option<i128> {
    let (x, y) = (i64::try_from(x).ok()?, i64::try_from(y).ok()?);
    let tame = |n: i64| n.unsigned_abs() < 1 << 31;
    (tame(x) && tame(y)).then(|| apply(op, x, y).map(i128::from))?
}
