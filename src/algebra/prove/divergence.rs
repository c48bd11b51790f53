//! What follows from the axioms of divergence, as facts of the form `e = 0`.
//!
//! Each `div(x)` in sight has `div(x) ~dom(x div(x)) = 0`. It is the greatest test p with `p <= dom(x p)`: so the
//! greatest set of types (`super::types`) is computed each of which has a step of x into the set, whatever else is
//! known of it. A test says that a type is in the set; if `p <= dom(x p)` can be shown of it, then `p ~div(x) = 0`.

use super::build::Step;
use super::domain::{Learner, zero};
use super::omega::Effort;
use super::types::{NODES, Types};
use crate::kernel::{Id, Node, ONE, Operator, Rule, ZERO};
use biodivine_lib_bdd::Bdd;

/// Products that say which types are in a set.
const CUBES: usize = 12;
/// Rounds in which types of a star are added.
const AROUND: usize = 40;

/// What is known of divergence.
#[derive(Clone, Default)]
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
        if self.known.divergences.of.contains(&x) {
            return;
        }
        self.known.divergences.of.push(x);
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

    /// Looks at domains that no statement speaks of, but laws need: of `x* y div(x + y)`, which tells where the next
    /// step of y comes behind `div(x)`; of `x div(z)`, where x or z begins with the other; and of `x^w`.
    pub fn steps_behind(&mut self, in_sight: &[Id]) {
        let all = self.known.divergences.of.clone();
        for &x in &all {
            let omega = |n: &Node| matches!(n, Node::Omega(y) if *y == x);
            let terms = &mut self.s.b.terms;
            if in_sight.iter().any(|t| terms.any(*t, &mut |n| omega(n))) {
                let endless = terms.omega(x);
                let again = terms.product([x, endless]);
                let step = self.s.b.push(Rule::Unfold(x), endless, again);
                self.isotone(step);
            }
            for &z in &all {
                let terms = &mut self.s.b.terms;
                let test = terms.applied(Operator::Divergence, z);
                let Node::Sum(members) = terms.node(z).clone() else {
                    let [of, other] = [x, z].map(|t| self.s.b.factors(t));
                    if x != z && (of.starts_with(&other) || other.starts_with(&of)) {
                        let steps = self.s.b.terms.product([x, test]);
                        self.end(steps, true);
                    }
                    continue;
                };
                let own = self.summands(x);
                let (own, others): (Vec<Id>, Vec<Id>) =
                    members.into_iter().partition(|m| own.contains(m));
                if own.is_empty() || others.is_empty() {
                    continue;
                }
                let terms = &mut self.s.b.terms;
                let (others, star) = (terms.sum(others), terms.star(x));
                let steps = terms.product([star, others, test]);
                self.end(steps, true);
            }
        }
    }

    fn summands(&self, x: Id) -> Vec<Id> {
        match self.s.b.terms.node(x) {
            Node::Sum(all) => all.clone(),
            _ => vec![x],
        }
    }

    /// What hypotheses `y <= z` say of steps that go on for ever: `dom(y div(x)) <= dom(z div(x))`, where y ends with a
    /// step of x.
    pub fn carried(&mut self) {
        let rules = self.c.rules.clone();
        let of = self.known.divergences.of.clone();
        let all: Vec<Vec<Id>> = of.iter().map(|x| self.summands(*x)).collect();
        for x in of {
            let steps = self.summands(x);
            let is_part =
                |of: &Vec<Id>| of.len() > steps.len() && steps.iter().all(|y| of.contains(y));
            if all.iter().any(is_part) {
                continue;
            }
            let test = self.s.b.terms.applied(Operator::Divergence, x);
            for rule in rules.iter().filter(|r| r.right != ZERO) {
                let of = self.s.b.factors(rule.left);
                let last = |y: &Id| of.ends_with(&self.s.b.factors(*y));
                if !steps.iter().any(last) {
                    continue;
                }
                let step = self.s.b.within(&[], rule.step, &[test]);
                self.isotone(step);
            }
        }
    }

    /// `dom(y) <= dom(z)` from `y <= z`.
    fn isotone(&mut self, step: Step) {
        let (left, right) = self.s.b.claims[step];
        self.end(left, true);
        let end = self.end(right, true);
        let not = self.s.b.terms.not(end);
        let none = self.s.b.terms.product([not, right]);
        let known = self.known_zero(none);
        let step = self.s.b.within(&[not], step, &[]);
        if let Some(known) = known
            && self.s.b.claims[step].1 == none
            && let Some(step) = self.s.b.chain(&[step, known])
        {
            self.least(not, left, true, step);
        }
    }

    fn known_zero(&self, left: Id) -> Option<Step> {
        let known = self.c.zeros.iter().find(|z| z.left == left);
        known.map(|z| z.step)
    }

    /// Learns `p ~div(x) = 0` where `p <= dom(x p)` is known by now, and looks for more such p; whether there is
    /// anything new.
    pub fn diverge(&mut self) -> bool {
        if self.known.divergences.is_empty() {
            return false;
        }
        let Some((mut types, atoms)) = self.types() else {
            return false;
        };
        let before = self.c.zeros.len();
        for (x, p) in self.known.divergences.tried.clone() {
            self.greatest(x, p, &mut types);
        }
        // What follows from these is looked for first: else more is said of the same types.
        if self.c.zeros.len() > before {
            return true;
        }
        let mut is_new = false;
        for x in self.known.divergences.of.clone() {
            let p = self.repeated(x, &atoms, &mut types);
            let Some(p) = p else {
                continue;
            };
            if !self.known.divergences.tried.contains(&(x, p)) {
                self.known.divergences.tried.push((x, p));
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
        let dead = types.guards.bdd(self.s.b.terms, left);
        types.possible = types.possible.and_not(&dead);
    }

    /// The greatest test from whose states x leads to its states again, with `div(x)`; if it says more than `div(x)`.
    fn repeated(&mut self, x: Id, atoms: &[Id], types: &mut Types) -> Option<Id> {
        let divergence = self.s.b.terms.applied(Operator::Divergence, x);
        let diverges = types.guards.bdd(self.s.b.terms, divergence);
        let mut all = types.possible.and_not(&diverges);
        loop {
            let fewer = all.and(&self.leads(x, &all.or(&diverges), types));
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
    fn leads(&mut self, x: Id, to: &Bdd, types: &mut Types) -> Bdd {
        if self.s.b.terms.is_test(x) {
            return types.guards.bdd(self.s.b.terms, x).and(to);
        }
        let mut some = self.leads_by_domains(x, to, types);
        match self.s.b.terms.node(x).clone() {
            Node::Sum(all) => {
                for y in all {
                    some = some.or(&self.leads(y, to, types));
                }
            }
            Node::Product(all) => {
                let back = all.into_iter().rev();
                some = some.or(&back.fold(to.clone(), |to, y| self.leads(y, &to, types)));
            }
            Node::Star(y) => {
                some = some.or(to);
                for _ in 0..AROUND {
                    let more = some.or(&self.leads(y, &some, types));
                    if more == some {
                        break;
                    }
                    some = more;
                }
            }
            _ => {}
        }
        some
    }

    /// A domain `dom(x y)` says that a step of x leads to where y begins, and only to where it may lead.
    fn leads_by_domains(&mut self, x: Id, to: &Bdd, types: &mut Types) -> Bdd {
        let prefix = self.s.b.factors(x);
        let mut ends = Vec::new();
        for end in &self.known.ends {
            let factors = self.s.b.factors(end.of);
            if end.ahead && factors.starts_with(&prefix) {
                let rest = factors[prefix.len()..].iter().copied();
                ends.push((end.test, self.s.b.terms.product(rest)));
            }
        }
        let mut only = types.guards.bdd(self.s.b.terms, ONE);
        for (test, rest) in &mut ends {
            *rest = self.s.b.terms.applied(Operator::Domain, *rest);
            let begins = types.guards.bdd(self.s.b.terms, *test);
            let goes_on = types.behind.bdd(self.s.b.terms, *rest);
            let fewer = only.and(&goes_on.imp(&begins));
            // What is left out is only not made use of.
            if fewer.size() <= NODES {
                only = fewer;
            }
        }
        let mut some = only.and_not(&only);
        for (test, rest) in ends {
            let begins = types.guards.bdd(self.s.b.terms, test);
            let goes_on = types.guards.bdd(self.s.b.terms, rest);
            let elsewhere = types.possible.and(&goes_on).and_not(to);
            let may_leave = types.before(&only.and(&types.moved(&elsewhere)), x);
            some = some.or(&begins.and_not(&may_leave));
        }
        some
    }
}
