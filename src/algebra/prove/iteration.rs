//! The search's steps for stars and omegas: induction, coinduction, and telling apart what comes again and again.

use super::build::Step;
use super::context::Context;
use super::search::{MONOMIALS, ProofSearch};
use crate::kernel::{Id, Node, Rule};

/// Monomials of an omega's body that is broken up.
const PARTS: usize = 4;

impl ProofSearch<'_> {
    /// A star beside what a rule says of its body and that: its first or last turn is told apart.
    pub(super) fn unrolled(
        &mut self,
        c: &Context,
        factors: &[Id],
        right: Id,
        depth: usize,
    ) -> Option<Step> {
        for (n, &star) in factors.iter().enumerate() {
            let Node::Star(body) = *self.b.terms.node(star) else {
                continue;
            };
            let members = match self.b.terms.node(body) {
                Node::Sum(all) => all.clone(),
                _ => vec![body],
            };
            let (before, after) = (&factors[..n], &factors[n + 1..]);
            for first in [true, false] {
                let beside = if first { before.last() } else { after.first() };
                let Some(&beside) = beside else { continue };
                let mut meets = |x: &Id| {
                    let word = if first { [beside, *x] } else { [*x, beside] };
                    let word = self.b.terms.product(word);
                    c.rules.iter().any(|r| r.left == word)
                };
                if !members.iter().any(&mut meets) {
                    continue;
                }
                let turn = if first { [body, star] } else { [star, body] };
                let some = [before, &turn, after].concat();
                let none = [before, after].concat();
                let ways = [none, some].map(|w| self.b.terms.product(w));
                let unrolled = self.b.terms.sum(ways);
                let left = self.b.terms.product(factors.iter().copied());
                let split = self.decide(c, left, unrolled)?;
                if let Some(rest) = self.below(c, unrolled, right, depth - 1) {
                    return self.b.chain(&[split, rest]);
                }
            }
        }
        None
    }

    /// `x* z <= y` from `z <= y` and `x y <= y`; and the mirror image.
    pub(super) fn induction(
        &mut self,
        c: &Context,
        factors: &[Id],
        right: Id,
        depth: usize,
    ) -> Option<Step> {
        let mut invariants = vec![right];
        invariants.extend(self.allowed.invariants.iter().copied());
        for y in invariants {
            for at_left in [true, false] {
                let (star, rest) = match at_left {
                    true => factors.split_first()?,
                    false => factors.split_last()?,
                };
                let Node::Star(x) = *self.b.terms.node(*star) else {
                    continue;
                };
                let z = self.b.terms.product(rest.iter().copied());
                let Some(base) = self.below(c, z, y, depth - 1) else {
                    continue;
                };
                let sides = if at_left { [x, y] } else { [y, x] };
                let unfolded = self.b.terms.product(sides);
                let Some(step) = self.below(c, unfolded, y, depth - 1) else {
                    continue;
                };
                let left = self.b.terms.product(factors.iter().copied());
                let rule = match at_left {
                    true => Rule::StarLeft(x, base, step),
                    false => Rule::StarRight(x, base, step),
                };
                let done = self.b.push(rule, left, y);
                if y == right {
                    return Some(done);
                }
                if let Some(last) = self.below(c, y, right, depth - 1) {
                    return self.b.chain(&[done, last]);
                }
            }
        }
        None
    }

    /// `y <= x y + z`, so `y <= x^w + x* z`, for x and z that the right side suggests.
    pub(super) fn coinduction(
        &mut self,
        c: &Context,
        left: Id,
        right: Id,
        depth: usize,
    ) -> Option<Step> {
        if self.open.contains(&(c.id, left, right)) {
            return None;
        }
        let monomials = self.b.monomials(right, MONOMIALS)?;
        let mut bodies = Vec::new();
        // What is known to end may be on the right as well.
        let ending = c.zeros.iter().map(|z| &z.left);
        for m in monomials.iter().chain(ending) {
            if let Some(first) = self.b.factors(*m).first()
                && let Node::Star(x) | Node::Omega(x) = self.b.terms.node(*first)
                && !bodies.contains(x)
            {
                bodies.push(*x);
            }
        }
        // So may be what ends in what is on the right.
        let mut last = Vec::new();
        for rule in c.rules.iter().filter(|rule| rule.right == right) {
            if let Node::Omega(x) = self.b.terms.node(rule.left)
                && !bodies.contains(x)
            {
                last.push(*x);
            }
        }
        let first = bodies.len();
        bodies.extend(last);
        for (n, x) in bodies.into_iter().enumerate() {
            let star = self.b.terms.star(x);
            let mut ends = Vec::new();
            for m in &monomials {
                let factors = self.b.factors(*m);
                if factors.first() == Some(&star) {
                    ends.push(self.b.terms.product(factors[1..].iter().copied()));
                }
            }
            if n >= first {
                ends.push(right);
            }
            let z = self.b.terms.sum(ends);
            let again = self.b.terms.product([x, left]);
            let unfolded = self.b.terms.sum([again, z]);
            self.open.insert((c.id, left, right));
            let step = self.below(c, left, unfolded, depth - 1);
            self.open.remove(&(c.id, left, right));
            let Some(step) = step else { continue };
            let (omega, star_z) = (self.b.terms.omega(x), self.b.terms.product([star, z]));
            let reached = self.b.terms.sum([omega, star_z]);
            let done = self.b.push(Rule::Coinduction(x, z, step), left, reached);
            let rest = match self.decide(c, reached, right) {
                Some(rest) => Some(rest),
                None => self.below(c, reached, right, depth - 1),
            };
            if let Some(rest) = rest {
                return self.b.chain(&[done, rest]);
            }
        }
        None
    }

    /// `a (x + y)^w` broken up by whether y comes again and again: `(x + y)^w <= x^w + x* y (x + y)^w`.
    pub(super) fn last_of(
        &mut self,
        c: &Context,
        factors: &[Id],
        right: Id,
        depth: usize,
    ) -> Option<Step> {
        let (last, before) = factors.split_last()?;
        let Node::Omega(body) = *self.b.terms.node(*last) else {
            return None;
        };
        let parts = self.b.monomials(body, PARTS)?;
        if parts.len() < 2 {
            return None;
        }
        for n in 0..parts.len() {
            let others = parts
                .iter()
                .enumerate()
                .filter(|(m, _)| *m != n)
                .map(|(_, t)| *t);
            let rest = self.b.terms.sum(others);
            let mut ways = vec![(parts[n], rest), (rest, parts[n])];
            ways.truncate(if parts.len() == 2 { 1 } else { 2 });
            for (x, y) in ways {
                let again = self.b.terms.product([y, *last]);
                let unfolded = self.b.terms.product([x, *last]);
                let unfolded = self.b.terms.sum([unfolded, again]);
                let product = self.b.terms.product([body, *last]);
                let step = self.b.push(Rule::Unfold(body), *last, product);
                let step = self.b.ending(step, unfolded)?;
                let (omega, star) = (self.b.terms.omega(x), self.b.terms.star(x));
                let ended = self.b.terms.product([star, again]);
                let both = self.b.terms.sum([omega, ended]);
                let step = self.b.push(Rule::Coinduction(x, again, step), *last, both);
                let step = self.b.within(before, step, &[]);
                let next = self.b.claims[step].1;
                if let Some(rest) = self.below(c, next, right, depth - 1) {
                    return self.b.chain(&[step, rest]);
                }
            }
        }
        None
    }
}
