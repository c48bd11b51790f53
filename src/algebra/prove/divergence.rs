//! What follows from the axioms of divergence, as facts of the form `e = 0`.
//!
//! Each `div(x)` in sight has `div(x) ~dom(x div(x)) = 0`. It is the greatest test p with `p <= dom(x p)`: so the
//! greatest set of types (`super::types`) is computed each of which has a step of x into the set, whatever else is
//! known of it. A test says that a type is in the set; if `p <= dom(x p)` can be shown of it, then `p ~div(x) = 0`.

use super::domain::{Learner, zero};
use super::omega::Effort;
use super::types::Types;
use crate::kernel::{Id, Node, Operator, Rule, ZERO};
use biodivine_lib_bdd::Bdd;

/// Products that say which types are in a set.
const CUBES: usize = 12;
/// Rounds in which types of a star are added.
const AROUND: usize = 40;

/// What is known of divergence.
#[derive(Default)]
pub struct Divergences {
    /// x of each `div(x)`.
    of: Vec<Id>,
    /// x and p, where `p <= dom(x p)` is to be shown.
    tried: Vec<(Id, Id)>,
}

impl Divergences {
    /// Whether none is in sight.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }
}

impl Learner<'_, '_> {
    /// Takes in `div(x)`: `div(x) ~dom(x div(x)) = 0`.
    pub fn diverging(&mut self, x: Id) {
        if self.divergences.of.contains(&x) {
            return;
        }
        self.divergences.of.push(x);
        let terms = &mut self.s.b.terms;
        let divergence = terms.applied(Operator::Divergence, x);
        let again = terms.product([x, divergence]);
        let again = self.end(again, true);
        let step = self.s.b.push(Rule::Divergence(x), divergence, again);
        let not = self.s.b.terms.not(again);
        let step = self.s.b.within(&[], step, &[not]);
        if let Some(step) = self.s.b.ending(step, ZERO) {
            self.zero(self.s.b.claims[step].0, step);
        }
        self.collect(&[x]);
    }

    /// Where steps of one relation follow others for ever: `div(x + y)` is looked at from `div(x)`, behind which the
    /// next step of y comes.
    pub fn steps_behind(&mut self) {
        let all = self.divergences.of.clone();
        for &x in &all {
            for &z in &all {
                let terms = &mut self.s.b.terms;
                let test = terms.applied(Operator::Divergence, z);
                let Node::Sum(members) = terms.node(z).clone() else {
                    if x != z {
                        let steps = terms.product([x, test]);
                        self.end(steps, true);
                    }
                    continue;
                };
                let own = match terms.node(x).clone() {
                    Node::Sum(all) => all,
                    _ => vec![x],
                };
                let (own, others): (Vec<Id>, Vec<Id>) =
                    members.into_iter().partition(|m| own.contains(m));
                if own.is_empty() || others.is_empty() {
                    continue;
                }
                let (others, star) = (terms.sum(others), terms.star(x));
                let steps = terms.product([star, others, test]);
                self.end(steps, true);
            }
        }
    }

    /// Learns `p ~div(x) = 0` where `p <= dom(x p)` is known by now, and looks for more such p; whether there is
    /// anything new.
    pub fn diverge(&mut self) -> bool {
        if self.divergences.is_empty() {
            return false;
        }
        let Some((mut types, atoms)) = self.types() else {
            return false;
        };
        let before = self.c.zeros.len();
        for (x, p) in self.divergences.tried.clone() {
            self.greatest(x, p, &mut types);
        }
        let mut is_new = self.c.zeros.len() > before;
        for x in self.divergences.of.clone() {
            let Some(p) = self.repeated(x, &atoms, &mut types) else {
                continue;
            };
            if !self.divergences.tried.contains(&(x, p)) {
                self.divergences.tried.push((x, p));
                let again = self.s.b.terms.product([x, p]);
                self.end(again, true);
                is_new = true;
            }
        }
        is_new
    }

    /// `p ~div(x) = 0` from `p <= dom(x p)`, if what is known of tests shows that.
    fn greatest(&mut self, x: Id, p: Id, types: &mut Types) {
        let terms = &mut self.s.b.terms;
        let divergence = terms.applied(Operator::Divergence, x);
        let again = terms.product([x, p]);
        let again = terms.applied(Operator::Domain, again);
        let (not, never) = (terms.not(again), terms.not(divergence));
        let left = terms.product([p, never]);
        if left == ZERO || self.c.zeros.iter().any(|z| z.left == left) {
            return;
        }
        let known = match types.cover(self.s, None, [p, not]) {
            Some(cover) if cover.is_empty() => self.s.b.decide(p, again),
            Some(cover) => self.s.decide_with(&cover, p, again, Effort::Direct),
            None => None,
        };
        let Some(known) = known else { return };
        let rule = Rule::BelowDivergence(x, known);
        let step = self.s.b.push(rule, p, divergence);
        let step = self.s.b.within(&[], step, &[never]);
        let Some(step) = self.s.b.ending(step, ZERO) else {
            return;
        };
        self.zero(left, step);
        types.bar(self.s, None, zero(left, step), [left, left]);
    }

    /// The greatest test from whose states x leads to its states again, with `div(x)`; if it says more than `div(x)`.
    fn repeated(&mut self, x: Id, atoms: &[Id], types: &mut Types) -> Option<Id> {
        let divergence = self.s.b.terms.applied(Operator::Divergence, x);
        let diverges = types.guards.bdd(self.s.b.terms, divergence);
        let mut all = types.possible.and_not(&diverges);
        loop {
            let fewer = all.and(&self.leads(x, &all.or(&diverges), types)?);
            if fewer == all {
                break;
            }
            all = fewer;
        }
        let (mut rest, may) = (all.clone(), types.possible.imp(&all.or(&diverges)));
        let mut cubes = Vec::new();
        while let Some(valuation) = rest.sat_witness() {
            if cubes.len() == CUBES {
                return None;
            }
            let cube = types.fewest(self.s, (atoms, &valuation), &may.not());
            rest = rest.and_not(&types.guards.bdd(self.s.b.terms, cube));
            cubes.push(cube);
        }
        let is_new = !cubes.is_empty();
        cubes.push(divergence);
        is_new.then(|| self.s.b.terms.sum(cubes))
    }

    /// Types that have a step of x into a set of types, whatever else is known of them.
    fn leads(&mut self, x: Id, to: &Bdd, types: &mut Types) -> Option<Bdd> {
        let none = types.possible.and_not(&types.possible);
        Some(match self.s.b.terms.node(x).clone() {
            _ if self.s.b.terms.is_test(x) => types.guards.bdd(self.s.b.terms, x).and(to),
            Node::Sum(all) => {
                let mut some = none;
                for y in all {
                    some = some.or(&self.leads(y, to, types)?);
                }
                some
            }
            Node::Product(all) => {
                let mut before = to.clone();
                for y in all.into_iter().rev() {
                    before = self.leads(y, &before, types)?;
                }
                before
            }
            Node::Star(y) => {
                let mut before = to.clone();
                for _ in 0..AROUND {
                    let more = before.or(&self.leads(y, &before, types)?);
                    if more == before {
                        break;
                    }
                    before = more;
                }
                before
            }
            _ => {
                // A domain `dom(x y)` says that a step of x leads to where y begins, and only to where it may lead.
                let mut some = none;
                for end in self.ends.clone() {
                    let factors = self.s.b.factors(end.of);
                    if !end.ahead || factors.first() != Some(&x) {
                        continue;
                    }
                    let rest = self.s.b.terms.product(factors[1..].iter().copied());
                    let rest = self.s.b.terms.applied(Operator::Domain, rest);
                    let begins = types.guards.bdd(self.s.b.terms, end.test);
                    let goes_on = types.guards.bdd(self.s.b.terms, rest);
                    let elsewhere = types.possible.and(&goes_on).and_not(to);
                    let may_leave = types.led(x, &elsewhere, true);
                    some = some.or(&begins.and_not(&may_leave));
                }
                some
            }
        })
    }
}
