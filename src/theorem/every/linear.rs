//! Linear terms over integers, and whether a conjunction of conditions on them is contradictory.
//!
//! Equations are solved one after the other, with the test of common divisors; then Fourier and Motzkin's elimination,
//! each inequality tightened to integers. What is called contradictory is; some contradictions are not seen.

use std::collections::BTreeMap;

/// An unknown integer, by number.
pub(super) type Atom = u32;

/// `constant + sum of coefficient * atom`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Linear {
    pub constant: i128,
    /// By atom, in order; no coefficient is 0.
    pub terms: Vec<(Atom, i128)>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Literal {
    /// `x = 0`
    Zero(Linear),
    /// `x != 0`
    NonZero(Linear),
    /// `x >= 0`
    NonNegative(Linear),
}

/// More inequalities than this are not eliminated from.
const MOST: usize = 300;

/// Numbers beyond this are not reckoned with, so that products of two are no larger than can be written.
const LARGEST: i128 = 1 << 62;

impl Linear {
    pub fn constant(constant: i128) -> Self {
        Linear {
            constant,
            terms: Vec::new(),
        }
    }

    pub fn atom(atom: Atom) -> Self {
        Linear {
            constant: 0,
            terms: vec![(atom, 1)],
        }
    }

    /// Its value, if it depends on no atom.
    pub fn value(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// `self + factor * other`
    pub fn plus(&self, other: &Linear, factor: i128) -> Linear {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut mine, mut theirs) = (self.terms.as_slice(), other.terms.as_slice());
        loop {
            let (atom, c) = match (mine.first(), theirs.first()) {
                (Some(&(a, c)), Some(&(b, d))) if a == b => {
                    (mine, theirs) = (&mine[1..], &theirs[1..]);
                    (a, c + factor * d)
                }
                (Some(&(a, c)), Some(&(b, _))) if a < b => {
                    mine = &mine[1..];
                    (a, c)
                }
                (_, Some(&(b, d))) => {
                    theirs = &theirs[1..];
                    (b, factor * d)
                }
                (Some(&(a, c)), None) => {
                    mine = &mine[1..];
                    (a, c)
                }
                (None, None) => break,
            };
            if c != 0 {
                terms.push((atom, c));
            }
        }
        Linear {
            constant: self.constant + factor * other.constant,
            terms,
        }
    }

    /// The coefficient of an atom, if it has one.
    pub fn coefficient(&self, atom: Atom) -> Option<i128> {
        let at = self.terms.binary_search_by_key(&atom, |t| t.0).ok()?;
        Some(self.terms[at].1)
    }

    pub fn minus(&self, other: &Linear) -> Linear {
        self.plus(other, -1)
    }

    pub fn add(&self, n: i128) -> Linear {
        let mut sum = self.clone();
        sum.constant += n;
        sum
    }

    pub fn times(&self, factor: i128) -> Linear {
        Linear::default().plus(self, factor)
    }

    /// The greatest common divisor of its coefficients; 0 without any.
    fn divisor(&self) -> i128 {
        self.terms.iter().fold(0, |d, (_, c)| gcd(d, c.abs()))
    }

    /// Whether it has numbers that are not reckoned with.
    pub fn is_large(&self) -> bool {
        let large = |n: &i128| n.abs() > LARGEST;
        large(&self.constant) || self.terms.iter().any(|(_, c)| large(c))
    }
}

impl Literal {
    /// What holds where it does not.
    pub fn not(&self) -> Literal {
        match self {
            Literal::Zero(x) => Literal::NonZero(x.clone()),
            Literal::NonZero(x) => Literal::Zero(x.clone()),
            Literal::NonNegative(x) => Literal::NonNegative(x.times(-1).add(-1)),
        }
    }

    /// The same condition, always written in one way.
    pub fn normal(self) -> Literal {
        let is_turned = |x: &Linear| x.terms.first().is_some_and(|(_, c)| *c < 0);
        match self {
            Literal::Zero(x) if is_turned(&x) => Literal::Zero(x.times(-1)),
            Literal::NonZero(x) if is_turned(&x) => Literal::NonZero(x.times(-1)),
            other => other,
        }
    }

    /// What it is about.
    pub fn term(&self) -> &Linear {
        match self {
            Literal::Zero(x) | Literal::NonZero(x) | Literal::NonNegative(x) => x,
        }
    }

    /// Whether it holds, if that depends on no atom.
    pub fn value(&self) -> Option<bool> {
        match self {
            Literal::Zero(x) => x.value().map(|v| v == 0),
            Literal::NonZero(x) => x.value().map(|v| v != 0),
            Literal::NonNegative(x) => x.value().map(|v| v >= 0),
        }
    }
}

pub(super) fn gcd(a: i128, b: i128) -> i128 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

/// Whether no integers satisfy all conditions. `false` if that is not seen.
pub(super) fn contradictory<'l>(all: impl IntoIterator<Item = &'l Literal>) -> bool {
    let mut equal: Vec<Linear> = Vec::new();
    let mut least: Vec<Linear> = Vec::new();
    let mut apart: Vec<Linear> = Vec::new();
    for literal in all {
        match literal {
            Literal::Zero(x) => equal.push(x.clone()),
            Literal::NonNegative(x) => least.push(x.clone()),
            Literal::NonZero(x) => apart.push(x.clone()),
        }
    }
    match solved(&mut equal, &mut [&mut least, &mut apart]) {
        Some(true) => {}
        Some(false) => return true,
        None => return false,
    }
    loop {
        if apart.iter().any(|x| x.value() == Some(0)) || none(least.clone()) {
            return true;
        }
        // A difference that can only be positive, or only negative, is an inequality.
        let mut grown = false;
        let mut rest = Vec::new();
        for x in apart {
            let mut atoms = x.terms.iter();
            let linked = atoms.any(|(a, _)| least.iter().any(|l| l.coefficient(*a).is_some()));
            if x.value().is_some() || !linked {
                continue;
            }
            let above = x.add(-1);
            let below = x.times(-1).add(-1);
            let with = |more: &Linear| [least.as_slice(), std::slice::from_ref(more)].concat();
            match (none(with(&above)), none(with(&below))) {
                (true, true) => return true,
                (true, false) => {
                    least.push(below);
                    grown = true;
                }
                (false, true) => {
                    least.push(above);
                    grown = true;
                }
                (false, false) => rest.push(x),
            }
        }
        if !grown {
            return false;
        }
        apart = rest;
    }
}

/// Solves equations and replaces atoms in all others. `false` if an equation has no solution; nothing if the numbers
/// are too large.
fn solved(equal: &mut Vec<Linear>, others: &mut [&mut Vec<Linear>]) -> Option<bool> {
    while let Some(mut x) = equal.pop() {
        let rest = others.iter().flat_map(|o| o.iter());
        if x.is_large() || equal.iter().chain(rest).any(Linear::is_large) {
            return None;
        }
        let divisor = x.divisor();
        if divisor == 0 {
            if x.constant != 0 {
                return Some(false);
            }
            continue;
        }
        if x.constant % divisor != 0 {
            return Some(false);
        }
        x.constant /= divisor;
        x.terms.iter_mut().for_each(|(_, c)| *c /= divisor);
        let unit = x.terms.iter().find(|(_, c)| c.abs() == 1);
        let Some(&(atom, c)) = unit else {
            others[0].push(x.clone());
            others[0].push(x.times(-1));
            continue;
        };
        let rest = others.iter_mut().flat_map(|o| o.iter_mut());
        for other in equal.iter_mut().chain(rest) {
            if let Some(d) = other.coefficient(atom) {
                *other = other.plus(&x, -d * c);
            }
        }
    }
    let mut all = others.iter().flat_map(|o| o.iter());
    (!all.any(Linear::is_large)).then_some(true)
}

/// Whether no integers make all of these non-negative.
fn none(mut all: Vec<Linear>) -> bool {
    loop {
        for x in &mut all {
            let divisor = x.divisor();
            if divisor > 1 {
                x.constant = x.constant.div_euclid(divisor);
                x.terms.iter_mut().for_each(|(_, c)| *c /= divisor);
            }
        }
        if all.iter().any(|x| x.value().is_some_and(|v| v < 0)) {
            return true;
        }
        all.retain(|x| !x.terms.is_empty());
        all.sort_unstable_by(|x, y| x.terms.cmp(&y.terms).then(x.constant.cmp(&y.constant)));
        // Of those that differ in their constant, the first says most.
        all.dedup_by(|later, kept| later.terms == kept.terms);
        let Some(atom) = cheapest(&all) else {
            return false;
        };
        let (with, mut next): (Vec<Linear>, Vec<Linear>) =
            all.into_iter().partition(|x| x.coefficient(atom).is_some());
        let sign = |x: &&Linear| x.coefficient(atom).is_some_and(|c| c > 0);
        let (lower, upper): (Vec<&Linear>, Vec<&Linear>) = with.iter().partition(sign);
        for l in &lower {
            for u in &upper {
                let (Some(c), Some(d)) = (l.coefficient(atom), u.coefficient(atom)) else {
                    continue;
                };
                next.push(l.times(-d).plus(u, c));
            }
        }
        if next.len() > MOST || next.iter().any(Linear::is_large) {
            return false;
        }
        all = next;
    }
}

/// The atom whose elimination leaves the fewest inequalities.
fn cheapest(all: &[Linear]) -> Option<Atom> {
    let mut counts: BTreeMap<Atom, (usize, usize)> = BTreeMap::new();
    for &(atom, c) in all.iter().flat_map(|x| &x.terms) {
        let count = counts.entry(atom).or_default();
        match c > 0 {
            true => count.0 += 1,
            false => count.1 += 1,
        }
    }
    let grown = |(lower, upper): &(usize, usize)| (lower * upper) as i64 - (lower + upper) as i64;
    counts.iter().min_by_key(|(_, c)| grown(c)).map(|(a, _)| *a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn linear(constant: i128, coefficients: &[i128]) -> Linear {
        let mut x = Linear::constant(constant);
        for (atom, &c) in (0..).zip(coefficients) {
            if c != 0 {
                x.terms.push((atom, c));
            }
        }
        x
    }

    fn literal() -> impl Strategy<Value = Literal> {
        let parts = (0..3u8, -4i128..5, proptest::collection::vec(-3i128..4, 3));
        parts.prop_map(|(kind, constant, c)| {
            let x = linear(constant, &c);
            match kind {
                0 => Literal::Zero(x),
                1 => Literal::NonZero(x),
                _ => Literal::NonNegative(x),
            }
        })
    }

    fn holds(literal: &Literal, at: &[i128; 3]) -> bool {
        let value = |x: &Linear| {
            let terms = x.terms.iter().map(|(a, c)| c * at[*a as usize]);
            x.constant + terms.sum::<i128>()
        };
        match literal {
            Literal::Zero(x) => value(x) == 0,
            Literal::NonZero(x) => value(x) != 0,
            Literal::NonNegative(x) => value(x) >= 0,
        }
    }

    proptest! {
        #[test]
        fn what_has_a_solution_is_not_contradictory(
            all in proptest::collection::vec(literal(), 0..7),
            at in [-5i128..6, -5i128..6, -5i128..6],
        ) {
            let satisfied: Vec<Literal> = all
                .iter()
                .map(|l| if holds(l, &at) { l.clone() } else { l.not() })
                .collect();
            prop_assert!(!contradictory(&satisfied), "{at:?} satisfies {satisfied:?}");
        }
    }

    #[test]
    fn contradictions_that_are_needed() {
        let (x, y) = (linear(0, &[1]), linear(0, &[0, 1]));
        let zero = |l: Linear| Literal::Zero(l);
        let least = |l: Linear| Literal::NonNegative(l);
        // x = y, x != y
        let differ = Literal::NonZero(x.minus(&y));
        assert!(contradictory(&[zero(x.minus(&y)), differ.clone()]));
        // x <= y, y <= x, x != y
        assert!(contradictory(&[
            least(x.minus(&y)),
            least(y.minus(&x)),
            differ
        ]));
        // 2 x = 1; 2 x >= 1, 2 x <= 1
        assert!(contradictory(&[zero(x.times(2).add(-1))]));
        assert!(contradictory(&[
            least(x.times(2).add(-1)),
            least(x.times(-2).add(1))
        ]));
        // x in 0..1, x != 0, x != 1
        let apart = |n: i128| Literal::NonZero(x.add(-n));
        assert!(contradictory(&[
            least(x.clone()),
            least(x.times(-1).add(1)),
            apart(0),
            apart(1)
        ]));
        assert!(!contradictory(&[least(x.clone()), apart(0)]));
    }
}
