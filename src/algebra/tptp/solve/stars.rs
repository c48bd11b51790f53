//! Claims about stars of which the axioms of divergence alone speak.
//!
//! `x*` is a letter for each x. The axiom of coinduction (Desharnais, Moeller & Struth 2011) is used for a few tests;
//! in counter-models x* is the star of relations, or T, which both satisfy it.

use super::{Goal, Solver, Verdict, comparisons};
use crate::algebra::Order;
use crate::algebra::prove::Status;
use crate::algebra::tptp::axioms::Laws;
use crate::algebra::tptp::claims::{Claim, OF_STAR};
use crate::base::control::Stop;
use crate::kernel::{Id, Node, ONE, Operator, Statement, Sym, TOP};

/// Tests, and stars with tests behind them, that coinduction is tried with.
const MOST_TRIED: usize = 4;
/// Nodes of a search that only tries something.
const TRIED_STEPS: usize = 100;

impl Solver<'_> {
    /// Settles a claim with such stars.
    pub(super) fn settle_with_stars(
        &mut self,
        name: &str,
        claim: &Claim,
        laws: Option<&Laws>,
    ) -> Result<Verdict, Stop> {
        let limits = self.limits;
        self.limits.steps = limits.steps.min(TRIED_STEPS);
        let said = self.with_coinduction(name, claim)?;
        self.limits = limits;
        let mut verdict = self.settle_as_read(name, &said, laws)?;
        if matches!(verdict, Verdict::Proved) {
            return Ok(verdict);
        }
        // The axioms of divergence hold where `x*` is the star, and where it is T.
        self.limits.steps = limits.steps.min(TRIED_STEPS);
        for top in [false, true] {
            let claim = self.with_stars(claim, top);
            let (parts, theorems) = (self.parts.len(), self.suite.development.theorems().len());
            let other = self.settle_as_read(name, &claim, laws)?;
            if matches!(other, Verdict::Refuted) {
                verdict = other;
                break;
            }
            self.parts.truncate(parts);
            self.suite.development.forget(theorems);
        }
        self.limits = limits;
        Ok(verdict)
    }

    /// A claim where `x*` is the star of x, or T.
    fn with_stars(&mut self, claim: &Claim, top: bool) -> Claim {
        let terms = &mut self.suite.development.terms;
        let mut by: Vec<(Sym, Id)> = Vec::new();
        for &(x, letter) in &self.letters.stars {
            let Node::Atom(symbol, _) = *terms.node(letter) else {
                continue;
            };
            // Stars in x came before.
            let x = terms.replace(x, &by);
            let star = if top { TOP } else { terms.star(x) };
            by.push((symbol, star));
        }
        let mut put = |t: &mut Id| *t = terms.replace(*t, &by);
        let mut claim = claim.clone();
        for (l, r) in claim.premises.iter_mut().flat_map(|p| &mut p.parts) {
            put(l);
            put(r);
        }
        for goal in &mut claim.goals {
            match goal {
                Goal::Compare(l, r, _) => [l, r].into_iter().for_each(&mut put),
                Goal::Complemented(all) => {
                    for (l, r, _) in all {
                        put(l);
                        put(r);
                    }
                }
                Goal::BelowOne(t) => put(t),
            }
        }
        claim.left_out.retain(|what| what != OF_STAR);
        claim
    }

    /// A claim with what coinduction says of stars, if nothing else is said of them: where `p <= dom(x p) + q` is
    /// proved, `p <= div(x) + dom(x* q)` is given. Tried are tests q behind a star, for p 1 and those in sight.
    fn with_coinduction(&mut self, name: &str, claim: &Claim) -> Result<Claim, Stop> {
        let mut claim = claim.clone();
        let stars = self.letters.stars.clone();
        let (tests, behind) = self.tests_in_sight(&claim, &stars);
        let mut number = 0;
        for (star, q) in behind {
            let found = stars.iter().find(|(_, s)| *s == star);
            let Some((x, _)) = found.copied() else {
                continue;
            };
            for &p in &tests {
                let terms = &mut self.suite.development.terms;
                let again = terms.product([x, p]);
                let again = terms.applied(Operator::Domain, again);
                let diverges = terms.applied(Operator::Divergence, x);
                let ends = terms.product([star, q]);
                let ends = terms.applied(Operator::Domain, ends);
                let (given, said) = (terms.sum([again, q]), terms.sum([diverges, ends]));
                number += 1;
                let name = format!("{name}-coinduction-{number}");
                let comparison = (p, given, Order::Below);
                let goal = Goal::Compare(p, given, Order::Below);
                match self.part(&name, &claim, &goal, comparison, &[], false)? {
                    Status::Proved => claim.premises.push(Statement {
                        distinct: Vec::new(),
                        parts: vec![(p, said)],
                    }),
                    // It was only tried.
                    _ => _ = self.parts.pop(),
                }
            }
        }
        Ok(claim)
    }

    /// 1 and the domains of letters in a claim; and its stars with the tests behind them.
    fn tests_in_sight(&mut self, claim: &Claim, stars: &[(Id, Id)]) -> (Vec<Id>, Vec<(Id, Id)>) {
        let (mut tests, mut behind) = (vec![ONE], Vec::new());
        if stars.is_empty() {
            return (tests, behind);
        }
        let goals = claim.goals.iter().flat_map(|goal| comparisons(goal, None));
        let goals = goals.flat_map(|(left, right, _)| [left, right]);
        let given = claim.premises.iter().flat_map(|p| p.parts.iter());
        let all: Vec<Id> = goals.chain(given.flat_map(|(l, r)| [*l, *r])).collect();
        let terms = &mut self.suite.development.terms;
        let mut domains = Vec::new();
        for t in all {
            terms.any(t, &mut |n| {
                if let Node::Applied(Operator::Domain, x) = n {
                    domains.push(*x);
                }
                false
            });
        }
        for x in domains {
            match terms.node(x).clone() {
                Node::Atom(..) => tests.push(terms.applied(Operator::Domain, x)),
                Node::Product(all) if stars.iter().any(|(_, s)| *s == all[0]) => {
                    let rest = terms.product(all[1..].iter().copied());
                    behind.push((all[0], terms.applied(Operator::Domain, rest)));
                }
                _ => {}
            }
        }
        tests.sort_unstable();
        tests.dedup();
        tests.truncate(MOST_TRIED);
        behind.sort_unstable();
        behind.dedup();
        behind.truncate(MOST_TRIED);
        (tests, behind)
    }
}
