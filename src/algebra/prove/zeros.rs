//! Decisions under hypotheses `e = 0`: `x <= y` under them iff `x <= y + T e T + ..` (Cohen 1994).
//!
//! A search asks with all that it has; `fewer` finds out which of them are needed, once there is a proof.

use super::build::Step;
use super::context::{Context, Directed};
use super::omega::Effort;
use super::search::ProofSearch;
use crate::kernel::{Id, Node, Rule, TOP, ZERO};

impl ProofSearch<'_> {
    /// Decides an inclusion with those hypotheses of a context that may concern it.
    pub(super) fn decide_under(
        &mut self,
        c: &Context,
        left: Id,
        right: Id,
        effort: Effort,
    ) -> Option<Step> {
        let b = &mut self.b;
        let letters = b.letters([left]);
        let all = letters.contains(&TOP)
            || letters
                .iter()
                .any(|l| matches!(b.terms.node(*l), Node::Omega(_)));
        // A word of the left side has a part in e only if it has e's letters.
        let concerns = |z: &&Directed| {
            let of_letters = |x: &Id| match b.terms.node(*x) {
                Node::Atom(..) | Node::SumOver(..) if !b.terms.is_test(*x) => letters.contains(x),
                _ => true,
            };
            all || b.factors(z.left).iter().all(of_letters)
        };
        let zeros: Vec<Directed> = c.zeros.iter().filter(concerns).copied().collect();
        if zeros.is_empty() {
            return None;
        }
        self.decide_with(&zeros, left, right, effort)
    }

    /// Decides an inclusion with some hypotheses of the form `e = 0` compiled into it.
    pub fn decide_with(
        &mut self,
        zeros: &[Directed],
        left: Id,
        right: Id,
        effort: Effort,
    ) -> Option<Step> {
        let before = self.b.rules.len();
        let (around, whole) = self.compiled(zeros, left, right);
        let Some(first) = self.b.decide(left, whole) else {
            let first = self.with_omega(left, whole, effort)?;
            return self.cleared(first, zeros, around, right);
        };
        let step = self.cleared(first, zeros, around, right)?;
        // Only a step of its own is made again later: the hypotheses may rest on one that was there before.
        if step >= before
            && step != first
            && let Rule::Decide(_, _, pairs) = &self.b.rules[first]
        {
            self.made_with.insert(step, (zeros.to_vec(), pairs.len()));
        }
        Some(step)
    }

    /// T and `y + T e T + ..`, the right side with hypotheses `e = 0` compiled into it.
    pub(super) fn compiled(&mut self, zeros: &[Directed], left: Id, right: Id) -> (Id, Id) {
        let b = &mut self.b;
        let parts = zeros.iter().map(|z| z.left);
        let around = b.everything([left, right].into_iter().chain(parts));
        let mut all = vec![right];
        for z in zeros {
            all.push(b.terms.product([around, z.left, around]));
        }
        (around, b.terms.sum(all))
    }

    /// `x <= y` from `x <= y + T e T + ..`: each summand is below y for a reason of its own, so that the proof grows
    /// with their number only.
    pub(super) fn cleared(
        &mut self,
        first: Step,
        zeros: &[Directed],
        around: Id,
        right: Id,
    ) -> Option<Step> {
        let b = &mut self.b;
        let all = if let [z] = zeros {
            let hole = b.hole();
            let part = b.terms.product([around, hole, around]);
            let context = b.terms.sum([right, part]);
            b.context(context, z.step)
        } else {
            let mut steps = Vec::new();
            if right != ZERO {
                steps.push(b.decide(right, right)?);
            }
            for z in zeros {
                let nothing = b.within(&[around], z.step, &[around]);
                steps.push(b.ending(nothing, right)?);
            }
            b.join(b.claims[first].1, steps)?
        };
        let step = b.chain(&[first, all])?;
        b.ending(step, right)
    }
}
