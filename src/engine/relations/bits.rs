//! Integers as vectors of BDDs in two's complement, least significant first, the last one being the sign.
//!
//! Widths grow so that no operation overflows; equal leading bits are trimmed again.

use super::bdds::Bdds;
use crate::base::control::Stop;
use biodivine_lib_bdd::Bdd;

/// An integer that depends on Boolean variables.
#[derive(Clone, Debug)]
pub struct Bits(Vec<Bdd>);

impl Bits {
    /// A constant.
    pub fn constant(m: &Bdds, value: i64) -> Self {
        let width = 65
            - if value < 0 {
                (!value).leading_zeros()
            } else {
                value.leading_zeros()
            };
        Bits(
            (0..width)
                .map(|i| m.constant(i < 64 && value >> i & 1 == 1 || i >= 64 && value < 0))
                .collect(),
        )
    }

    /// An unsigned number from its bits, most significant first.
    pub fn unsigned(m: &Bdds, bits: impl DoubleEndedIterator<Item = Bdd>) -> Self {
        let mut all: Vec<Bdd> = bits.rev().collect();
        all.push(m.no());
        Bits(all)
    }

    /// 1 where the condition holds, else 0.
    pub fn boolean(m: &Bdds, condition: Bdd) -> Self {
        Bits(vec![condition, m.no()])
    }

    /// Where it is not 0.
    pub fn truth(&self, m: &Bdds) -> Result<Bdd, Stop> {
        let mut any = m.no();
        for bit in &self.0 {
            any = m.or(&any, bit)?;
        }
        Ok(any)
    }

    fn bit(&self, i: usize) -> &Bdd {
        &self.0[i.min(self.0.len() - 1)]
    }

    fn sign(&self) -> &Bdd {
        self.bit(usize::MAX)
    }

    fn trimmed(mut self) -> Self {
        while self.0.len() > 1 && self.0[self.0.len() - 1] == self.0[self.0.len() - 2] {
            self.0.pop();
        }
        self
    }

    /// The `width` lowest bits, most significant first.
    pub fn low(&self, width: u32) -> Vec<Bdd> {
        (0..width as usize)
            .rev()
            .map(|i| self.bit(i).clone())
            .collect()
    }

    fn sum(&self, other: &Bits, m: &Bdds, complement: bool) -> Result<Bits, Stop> {
        let width = self.0.len().max(other.0.len()) + 1;
        let mut carry = m.constant(complement);
        let mut result = Vec::with_capacity(width);
        for i in 0..width {
            let a = self.bit(i);
            let b = if complement {
                other.bit(i).not()
            } else {
                other.bit(i).clone()
            };
            let half = m.xor(a, &b)?;
            result.push(m.xor(&half, &carry)?);
            carry = m.or(&m.and(a, &b)?, &m.and(&half, &carry)?)?;
        }
        Ok(Bits(result).trimmed())
    }

    /// `self + other`
    pub fn add(&self, other: &Bits, m: &Bdds) -> Result<Bits, Stop> {
        self.sum(other, m, false)
    }

    /// `self - other`
    pub fn sub(&self, other: &Bits, m: &Bdds) -> Result<Bits, Stop> {
        self.sum(other, m, true)
    }

    /// `-self`
    pub fn neg(&self, m: &Bdds) -> Result<Bits, Stop> {
        Bits::constant(m, 0).sub(self, m)
    }

    /// `self * other`
    pub fn mul(&self, other: &Bits, m: &Bdds) -> Result<Bits, Stop> {
        let width = self.0.len() + other.0.len();
        let mut total = Bits::constant(m, 0);
        for i in 0..width {
            let factor = other.bit(i);
            if factor.is_false() {
                continue;
            }
            let mut shifted = vec![m.no(); i];
            for j in 0..width - i {
                shifted.push(m.and(self.bit(j), factor)?);
            }
            let sum = total.add(&Bits(shifted), m)?;
            total = Bits((0..width).map(|j| sum.bit(j).clone()).collect());
        }
        Ok(total.trimmed())
    }

    /// A bitwise operation, both operands being as wide as the wider one.
    pub fn bitwise<'m>(
        &self,
        other: &Bits,
        m: &Bdds<'m>,
        operation: impl Fn(&Bdds<'m>, &Bdd, &Bdd) -> Result<Bdd, Stop>,
    ) -> Result<Bits, Stop> {
        let width = self.0.len().max(other.0.len());
        let bits: Result<Vec<Bdd>, Stop> = (0..width)
            .map(|i| operation(m, self.bit(i), other.bit(i)))
            .collect();
        Ok(Bits(bits?).trimmed())
    }

    /// `self * 2^amount`; meaningless where the amount is outside `0..62`.
    pub fn shl(&self, amount: &Bits, m: &Bdds) -> Result<Bits, Stop> {
        self.shifted(amount, m, |x, by| {
            let mut bits = vec![m.no(); by];
            bits.extend(x.0.iter().cloned());
            Bits(bits)
        })
    }

    /// The greatest number that is not above `self / 2^amount`; meaningless where the amount is outside `0..62`.
    pub fn shr(&self, amount: &Bits, m: &Bdds) -> Result<Bits, Stop> {
        self.shifted(amount, m, |x, by| {
            Bits(x.0[by.min(x.0.len() - 1)..].to_vec())
        })
    }

    /// Shifts by 1, 2, 4 .. up to 32, as the bits of the amount say.
    fn shifted(
        &self,
        amount: &Bits,
        m: &Bdds,
        shift: impl Fn(&Bits, usize) -> Bits,
    ) -> Result<Bits, Stop> {
        let mut result = self.clone();
        for j in 0..6 {
            let on = amount.bit(j);
            if !on.is_false() {
                result = shift(&result, 1 << j).choose(on, &result, m)?;
            }
        }
        Ok(result.trimmed())
    }

    /// `c ? self : other`
    pub fn choose(&self, c: &Bdd, other: &Bits, m: &Bdds) -> Result<Bits, Stop> {
        let width = self.0.len().max(other.0.len());
        let bits: Result<Vec<Bdd>, Stop> = (0..width)
            .map(|i| m.ite(c, self.bit(i), other.bit(i)))
            .collect();
        Ok(Bits(bits?).trimmed())
    }

    fn abs(&self, m: &Bdds) -> Result<Bits, Stop> {
        self.neg(m)?.choose(self.sign(), self, m)
    }

    /// Euclidean quotient and remainder; meaningless where `other` is 0.
    pub fn div_rem(&self, other: &Bits, m: &Bdds) -> Result<(Bits, Bits), Stop> {
        let (a, b) = (self.abs(m)?, other.abs(m)?);
        let mut rest = Bits::constant(m, 0);
        let mut quotient = vec![m.no(); a.0.len()];
        for i in (0..a.0.len()).rev() {
            let mut shifted = vec![a.bit(i).clone()];
            shifted.extend(rest.0.iter().cloned());
            let shifted = Bits(shifted).trimmed();
            let fits = shifted.less(&b, m)?.not();
            quotient[i] = fits.clone();
            rest = shifted.sub(&b, m)?.choose(&fits, &shifted, m)?;
        }
        quotient.push(m.no());
        let quotient = Bits(quotient).trimmed();
        // -7 = -3 * 3 + 2: a negative dividend with a rest takes one more, and the rest's complement.
        let rounds = m.and(self.sign(), &rest.truth(m)?)?;
        let more = quotient
            .add(&Bits::constant(m, 1), m)?
            .choose(&rounds, &quotient, m)?;
        let rest = b.sub(&rest, m)?.choose(&rounds, &rest, m)?;
        let negative = m.xor(self.sign(), other.sign())?;
        Ok((more.neg(m)?.choose(&negative, &more, m)?, rest))
    }

    /// Where `self == other`.
    pub fn equal(&self, other: &Bits, m: &Bdds) -> Result<Bdd, Stop> {
        let mut all = m.yes();
        for i in (0..self.0.len().max(other.0.len())).rev() {
            all = m.and(&all, &m.iff(self.bit(i), other.bit(i))?)?;
            if all.is_false() {
                break;
            }
        }
        Ok(all)
    }

    /// Where `self < other`.
    pub fn less(&self, other: &Bits, m: &Bdds) -> Result<Bdd, Stop> {
        Ok(self.sub(other, m)?.sign().clone())
    }

    /// Where `lo <= self <= hi`.
    pub fn within(&self, lo: i64, hi: i64, m: &Bdds) -> Result<Bdd, Stop> {
        let below = self.less(&Bits::constant(m, lo), m)?;
        let above = Bits::constant(m, hi).less(self, m)?;
        Ok(m.or(&below, &above)?.not())
    }
}
