//! Inclusions between unknowns, solved one after the other by coinduction.
//!
//! An unknown is `t x^w`; its inclusion is `t x^w <= A E^w + .. + a u + ..` with other unknowns u. Taking one out turns
//! its own coefficient E into `E^w`: `y <= E y + z` gives `y <= E^w + E* z` (the matrix omega of Cohen 2000, written
//! out; Conway 1971, chapter 3).

use super::unfold;
use crate::algebra::prove::build::{Builder, CLASSES, Step};
use crate::kernel::{Id, Rule, ZERO};
use std::collections::BTreeMap;

/// Inclusions for the unknowns `t x^w`.
pub struct System {
    x: Id,
    /// t of each unknown.
    heads: Vec<Id>,
    /// The coefficients of the unknowns in each inclusion.
    of: Vec<BTreeMap<usize, Id>>,
    /// `A E^w` in each inclusion: A, and the unknown that E was the coefficient of.
    ends: Vec<Vec<(Id, usize)>>,
    /// The E of each unknown taken out.
    own: Vec<Id>,
    /// The proof of each inclusion.
    steps: Vec<Step>,
}

/// `t x^w <= A E^w + ..` for the last unknown.
pub struct Solution {
    /// The proof.
    pub step: Step,
    /// Each A with the unknown that E belongs to.
    pub parts: Vec<(Id, usize)>,
    /// The E of each unknown.
    pub own: Vec<Id>,
}

impl System {
    /// For the unknowns `t x^w`; all coefficients are 0.
    pub fn new(x: Id, heads: Vec<Id>) -> Self {
        let n = heads.len();
        System {
            x,
            heads,
            of: vec![BTreeMap::new(); n],
            ends: vec![Vec::new(); n],
            own: vec![ZERO; n],
            steps: Vec::new(),
        }
    }

    /// Adds to a coefficient.
    pub fn add(&mut self, b: &mut Builder, from: usize, label: Id, to: usize) {
        if label != ZERO {
            let old = self.of[from].entry(to).or_insert(ZERO);
            *old = b.terms.sum([*old, label]);
        }
    }

    /// Solves for the last unknown.
    pub fn solve(mut self, b: &mut Builder) -> Option<Solution> {
        for node in 0..self.heads.len() {
            let step = unfold(b, self.heads[node], self.x);
            let right = self.right(b, node);
            let step = b.ending(step, right)?;
            self.steps.push(step);
        }
        for node in 0..self.heads.len() {
            self.take_out(b, node)?;
            if b.terms.is_spent() {
                b.too_large = Some(CLASSES);
                return None;
            }
        }
        Some(Solution {
            step: self.steps.pop()?,
            parts: self.ends.pop()?,
            own: self.own,
        })
    }

    fn unknown(&self, b: &mut Builder, node: usize) -> Id {
        let omega = b.terms.omega(self.x);
        b.terms.product([self.heads[node], omega])
    }

    /// The right side of an inclusion without one of the unknowns.
    fn without(&self, b: &mut Builder, node: usize, but: usize) -> Id {
        let mut parts = Vec::new();
        for &(a, of) in &self.ends[node] {
            let omega = b.terms.omega(self.own[of]);
            parts.push(b.terms.product([a, omega]));
        }
        for (&to, &a) in self.of[node].iter().filter(|(to, _)| **to != but) {
            let unknown = self.unknown(b, to);
            parts.push(b.terms.product([a, unknown]));
        }
        b.terms.sum(parts)
    }

    fn right(&self, b: &mut Builder, node: usize) -> Id {
        self.without(b, node, usize::MAX)
    }

    fn take_out(&mut self, b: &mut Builder, node: usize) -> Option<()> {
        if let Some(&own) = self.of[node].get(&node) {
            let z = self.without(b, node, node);
            let y = self.unknown(b, node);
            let again = b.terms.product([own, y]);
            let again = b.terms.sum([again, z]);
            let step = b.ending(self.steps[node], again)?;
            let (star, omega) = (b.terms.star(own), b.terms.omega(own));
            let ended = b.terms.product([star, z]);
            let right = b.terms.sum([omega, ended]);
            let step = b.push(Rule::Coinduction(own, z, step), y, right);
            self.own[node] = own;
            self.of[node].remove(&node);
            for a in self.of[node].values_mut() {
                *a = b.terms.product([star, *a]);
            }
            for (a, _) in &mut self.ends[node] {
                *a = b.terms.product([star, *a]);
            }
            self.ends[node].push((crate::kernel::ONE, node));
            let right = self.right(b, node);
            self.steps[node] = b.ending(step, right)?;
        }
        for other in node + 1..self.heads.len() {
            let Some(&a) = self.of[other].get(&node) else {
                continue;
            };
            let rest = self.without(b, other, node);
            let hole = b.hole();
            let here = b.terms.product([a, hole]);
            let context = b.terms.sum([rest, here]);
            let put = b.context(context, self.steps[node]);
            let step = b.chain(&[self.steps[other], put])?;
            self.of[other].remove(&node);
            for (to, c) in self.of[node].clone() {
                let label = b.terms.product([a, c]);
                self.add(b, other, label, to);
            }
            for (before, of) in self.ends[node].clone() {
                let before = b.terms.product([a, before]);
                match self.ends[other].iter_mut().find(|(_, o)| *o == of) {
                    Some((old, _)) => *old = b.terms.sum([*old, before]),
                    None => self.ends[other].push((before, of)),
                }
            }
            let right = self.right(b, other);
            self.steps[other] = b.ending(step, right)?;
        }
        Some(())
    }
}
