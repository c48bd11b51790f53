//! Which hypotheses `e = 0` a decision needs.
//!
//! It is found out when there is a proof, and only for what it rests on: else most of the work would be for steps that
//! nothing rests on. Proofs get shorter by it, and easier for others to check: `kat` of Coq takes exponential time in
//! the number of tests.

use super::build::{Builder, Step};
use super::context::{Directed, tests_of};
use super::search::ProofSearch;
use crate::kernel::{Id, Node};
use rustc_hash::FxHashSet;

/// Pairs that a decision with fewer hypotheses may take beyond what it took before.
const PAIRS: usize = 4000;

/// Hypotheses to try first, nearest first; then twice as many, and so on: what a decision costs grows fast with them.
const FEW: usize = 4;

/// What all trials about one decision may take together: for each the square of the number of its hypotheses, since the
/// cost grows faster than the number.
const EFFORT: usize = 40_000;

/// Tests of a decision from which on some are eliminated, and from which on it is taken apart.
const TESTS: [usize; 2] = [9, 12];

/// Hypotheses about tests alone while one test after another is eliminated from them.
const CLAUSES: usize = 64;

/// What trials about one decision may still take.
struct Trials {
    pairs: usize,
    effort: usize,
}

impl ProofSearch<'_> {
    /// Has all that a step rests on use no more hypotheses `e = 0` than are needed.
    pub fn with_few(&mut self, of: Step) {
        let (mut next, mut seen) = (vec![of], FxHashSet::default());
        while let Some(step) = next.pop() {
            if !seen.insert(step) {
                continue;
            }
            if let Some((zeros, pairs)) = self.made_with.remove(&step)
                && let Some(few) = self.few(zeros, pairs, self.b.claims[step])
                && self.b.claims[few] == self.b.claims[step]
            {
                self.b.rules[step] = self.b.rules[few].clone();
            }
            next.extend(self.b.rules[step].rests_on());
        }
    }

    /// A decision with fewer and weaker hypotheses than these.
    fn few(&mut self, zeros: Vec<Directed>, pairs: usize, sides: (Id, Id)) -> Option<Step> {
        let mut trials = Trials {
            pairs: pairs + PAIRS,
            effort: EFFORT,
        };
        self.decided_with_few(zeros, &mut trials, sides)
    }

    fn decided_with_few(
        &mut self,
        mut zeros: Vec<Directed>,
        trials: &mut Trials,
        sides: (Id, Id),
    ) -> Option<Step> {
        let mut found = self.fewest(&mut zeros, trials, sides);
        if self.tests(&zeros, sides).len() >= TESTS[0]
            && let Some(mut less) = self.eliminated(&zeros, sides)
        {
            let first = self.fewest(&mut less, trials, sides);
            if let Some(first) = first.or_else(|| self.tried(&less, sides, trials)) {
                (found, zeros) = (Some(first), less);
            }
        }
        if self.tests(&zeros, sides).len() >= TESTS[1]
            && let Some(step) = self.summand_by_summand(&zeros, trials, sides)
        {
            return Some(step);
        }
        let (first, around) = found?;
        self.cleared(first, &zeros, around, sides.1)
    }

    /// The tests of a decision.
    fn tests(&mut self, zeros: &[Directed], (left, right): (Id, Id)) -> Vec<Id> {
        let parts = zeros.iter().map(|z| z.left);
        let all: Vec<Id> = parts.chain([left, right]).collect();
        tests_of(self.b.terms, &all)
    }

    /// Puts hypotheses first that bring few tests more into sight.
    fn nearest_first(&mut self, zeros: &mut [Directed], (left, right): (Id, Id)) {
        let mut seen = tests_of(self.b.terms, &[left, right]);
        let all: Vec<Vec<Id>> = zeros
            .iter()
            .map(|z| tests_of(self.b.terms, &[z.left]))
            .collect();
        let mut rest: Vec<usize> = (0..zeros.len()).collect();
        let mut order = Vec::new();
        let news = |n: &usize, seen: &[Id]| all[*n].iter().filter(|p| !seen.contains(p)).count();
        while let Some((at, next)) =
            (rest.iter().copied().enumerate()).min_by_key(|(_, n)| news(n, &seen))
        {
            rest.remove(at);
            seen.extend(&all[next]);
            order.push(zeros[next]);
        }
        zeros.copy_from_slice(&order);
    }

    /// Leaves out hypotheses, and weakens those that are left; a decision with these, if there are fewer.
    fn fewest(
        &mut self,
        zeros: &mut Vec<Directed>,
        trials: &mut Trials,
        sides: (Id, Id),
    ) -> Option<(Step, Id)> {
        let mut found = None;
        self.nearest_first(zeros, sides);
        let mut size = FEW;
        while size < zeros.len() && found.is_none() {
            found = self.tried(&zeros[..size], sides, trials);
            if found.is_some() {
                zeros.truncate(size);
            }
            size *= 2;
        }
        size = zeros.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            while at < zeros.len() && zeros.len() > 1 {
                let end = (at + size).min(zeros.len());
                let fewer = [&zeros[..at], &zeros[end..]].concat();
                match self.tried(&fewer, sides, trials) {
                    Some(first) => (found, *zeros) = (Some(first), fewer),
                    None => at = end,
                }
            }
            size /= 2;
        }
        for n in 0..zeros.len() {
            let given = zeros[n];
            while let Some(first) = self.weakened(zeros, n, sides, trials) {
                found = Some(first);
            }
            if zeros[n].left != given.left {
                let weaker = self.b.decide(zeros[n].left, given.left)?;
                zeros[n].step = self.b.chain(&[weaker, given.step])?;
            }
        }
        found
    }

    /// The hypotheses without the tests that only those about tests alone speak of: from `p q = 0` and `~p r = 0`
    /// follows all that they say of others, `q r = 0` (Davis & Putnam 1960).
    fn eliminated(&mut self, zeros: &[Directed], (left, right): (Id, Id)) -> Option<Vec<Directed>> {
        let is_test = |b: &Builder, z: &Directed| b.terms.is_test(z.left);
        let (alone, others): (Vec<Directed>, Vec<Directed>) =
            zeros.iter().partition(|z| is_test(&self.b, z));
        let kept = self.tests(&others, (left, right));
        let own = alone.iter().map(|z| z.left).collect::<Vec<_>>();
        let mut own = tests_of(self.b.terms, &own);
        own.retain(|p| !kept.contains(p));
        let mut clauses = Vec::new();
        for z in alone {
            for left in self.b.monomials(z.left, CLAUSES)? {
                let below = self.b.decide(left, z.left)?;
                let step = self.b.chain(&[below, z.step])?;
                clauses.push(Directed { left, step, ..z });
            }
        }
        for p in own {
            let not = self.b.terms.not(p);
            let has = |b: &Builder, z: &Directed, x: Id| b.factors(z.left).contains(&x);
            let with: Vec<Directed> = clauses
                .iter()
                .filter(|z| has(&self.b, z, p))
                .copied()
                .collect();
            let without: Vec<Directed> = clauses
                .iter()
                .filter(|z| has(&self.b, z, not))
                .copied()
                .collect();
            clauses.retain(|z| !has(&self.b, z, p) && !has(&self.b, z, not));
            for one in &with {
                for other in &without {
                    clauses.extend(self.resolved(*one, *other, [p, not])?);
                }
            }
            if clauses.len() > CLAUSES {
                return None;
            }
        }
        clauses.extend(others);
        Some(clauses)
    }

    /// `q r = 0` from `p q = 0` and `~p r = 0`, if it is not so in any case.
    fn resolved(
        &mut self,
        one: Directed,
        other: Directed,
        [p, not]: [Id; 2],
    ) -> Option<Option<Directed>> {
        let b = &mut self.b;
        let mut rest = b.factors(one.left);
        rest.extend(b.factors(other.left));
        rest.retain(|x| *x != p && *x != not);
        let left = b.terms.product(rest);
        if left == one.right {
            return Some(None);
        }
        let either = b.terms.sum([one.left, other.left]);
        let below = b.decide(left, either)?;
        let nothing = b.join(either, vec![one.step, other.step])?;
        let step = b.chain(&[below, nothing])?;
        Some(Some(Directed {
            left,
            right: one.right,
            step,
        }))
    }

    /// A decision about each summand of a factor of the left side.
    fn summand_by_summand(
        &mut self,
        zeros: &[Directed],
        trials: &mut Trials,
        (left, right): (Id, Id),
    ) -> Option<Step> {
        let mut factors = self.b.factors(left);
        let sums = factors
            .iter()
            .enumerate()
            .find_map(|(at, x)| match self.b.terms.node(*x) {
                Node::Sum(all) => Some((at, all.clone())),
                _ => None,
            });
        let (at, summands) = sums?;
        let mut steps = Vec::new();
        for summand in summands {
            factors[at] = summand;
            let part = self.b.terms.product(factors.iter().copied());
            let step = match self.b.decide_within(part, right, trials.pairs) {
                Some(step) => step,
                None => match self.decided_with_few(zeros.to_vec(), trials, (part, right)) {
                    Some(step) => step,
                    None => {
                        let (first, around) = self.tried(zeros, (part, right), trials)?;
                        self.cleared(first, zeros, around, right)?
                    }
                },
            };
            steps.push(step);
        }
        self.b.join(left, steps)
    }

    /// Leaves a summand of a factor out of one of the hypotheses, if the decision does not need it.
    fn weakened(
        &mut self,
        zeros: &mut [Directed],
        n: usize,
        sides: (Id, Id),
        trials: &mut Trials,
    ) -> Option<(Step, Id)> {
        let all = zeros[n].left;
        let factors = self.b.factors(all);
        for (at, factor) in factors.iter().enumerate() {
            let Node::Sum(summands) = self.b.terms.node(*factor).clone() else {
                continue;
            };
            for without in &summands {
                let rest = summands.iter().filter(|s| *s != without).copied();
                let mut fewer = factors.clone();
                fewer[at] = self.b.terms.sum(rest);
                zeros[n].left = self.b.terms.product(fewer);
                let found = self.tried(zeros, sides, trials);
                if found.is_some() {
                    return found;
                }
            }
        }
        zeros[n].left = all;
        None
    }

    /// A decision with these hypotheses, as far as trials go, and T.
    fn tried(
        &mut self,
        zeros: &[Directed],
        (left, right): (Id, Id),
        trials: &mut Trials,
    ) -> Option<(Step, Id)> {
        trials.effort = trials.effort.checked_sub(zeros.len().pow(2))?;
        let (around, whole) = self.compiled(zeros, left, right);
        let first = self.b.decide_within(left, whole, trials.pairs)?;
        Some((first, around))
    }
}
