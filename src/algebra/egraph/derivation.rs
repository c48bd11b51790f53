//! Steps between words as rule uses for the kernel.

use super::{Cause, Law, Rewrite};
use crate::kernel::{Id, Node, ONE, Rule, Sym, Terms, ZERO};
use rustc_hash::FxHashMap;

/// The way back.
pub fn reversed(steps: &[Rewrite]) -> Vec<Rewrite> {
    let back = |s: &Rewrite| Rewrite {
        cause: s.cause,
        reversed: !s.reversed,
        position: s.position,
        length: s.to().len(),
        before: s.after.clone(),
        after: s.before.clone(),
    };
    steps.iter().rev().map(back).collect()
}

/// Appends a proof of `word <= the word that the steps lead to`; the position of its last rule use. For each equation
/// the rule uses are given that prove `left <= right` and `right <= left`; the hole is an action without indices that
/// occurs in no word. None if an equation or a law's star is none.
pub fn kernel_steps(
    terms: &mut Terms,
    word: &[Id],
    steps: &[Rewrite],
    equations: &[(usize, usize)],
    hole: Sym,
    rules: &mut Vec<Rule>,
) -> Option<usize> {
    let mut proof = Proof {
        hole: terms.atom(hole, Vec::new()),
        symbol: hole,
        terms,
        rules,
        laws: FxHashMap::default(),
    };
    let mut chain = Vec::new();
    for step in steps {
        let before = proof.terms.product(step.before.iter().copied());
        let after = proof.terms.product(step.after.iter().copied());
        if before == after {
            continue;
        }
        let inner = match step.cause {
            Cause::Equation(n) => {
                let (forwards, backwards) = equations.get(n)?;
                if step.reversed { *backwards } else { *forwards }
            }
            Cause::Law(law) => proof.law(law, step.reversed)?,
        };
        chain.push(proof.within(&step.before[..step.position], step.suffix(), inner));
    }
    match chain.as_slice() {
        [] => {
            let word = proof.terms.product(word.iter().copied());
            Some(proof.reflexive(word))
        }
        [one] => Some(*one),
        _ => Some(proof.push(Rule::Chain(chain))),
    }
}

/// A proof being written.
struct Proof<'a> {
    terms: &'a mut Terms,
    rules: &'a mut Vec<Rule>,
    symbol: Sym,
    hole: Id,
    laws: FxHashMap<(Law, bool), usize>,
}

impl Proof<'_> {
    fn push(&mut self, rule: Rule) -> usize {
        self.rules.push(rule);
        self.rules.len() - 1
    }

    /// `x <= y` where the steps of the one are among those of the other.
    fn at_once(&mut self, x: Id, y: Id) -> usize {
        self.push(Rule::Decide(x, y, vec![(x, vec![y])]))
    }

    fn reflexive(&mut self, x: Id) -> usize {
        self.at_once(x, x)
    }

    /// A claim between other factors.
    fn within(&mut self, before: &[Id], after: &[Id], claim: usize) -> usize {
        if before.is_empty() && after.is_empty() {
            return claim;
        }
        let hole = self.hole;
        let all = before.iter().chain([&hole]).chain(after).copied();
        let context = self.terms.product(all);
        self.push(Rule::Context(context, self.symbol, claim))
    }

    /// The left side of a law below its right side, or the other way round.
    fn law(&mut self, law: Law, reversed: bool) -> Option<usize> {
        if let Some(&known) = self.laws.get(&(law, reversed)) {
            return Some(known);
        }
        let claim = match law {
            // The sides are one term, so such a step is never asked for.
            Law::Normal => return None,
            Law::StarTwice(s) => self.star_twice(s, reversed)?,
            Law::StarSlide(s) => self.star_slide(s, reversed)?,
            Law::OmegaUnfold(w) => self.omega_unfold(w, reversed)?,
            Law::OmegaTop(w) => {
                let longer = self.terms.product([w, crate::kernel::TOP]);
                match reversed {
                    false => self.at_once(longer, w),
                    true => self.at_once(w, longer),
                }
            }
            Law::StarOmega(s, w) => self.star_omega(s, w, reversed)?,
        };
        self.laws.insert((law, reversed), claim);
        Some(claim)
    }

    fn body(&self, t: Id) -> Option<Id> {
        match self.terms.node(t) {
            Node::Star(x) | Node::Omega(x) => Some(*x),
            _ => None,
        }
    }

    /// `x x* <= x*`
    fn fold(&mut self, x: Id, s: Id) -> usize {
        let xs = self.terms.product([x, s]);
        self.at_once(xs, s)
    }

    /// `x* x* = x*`: by induction, and because the right side begins as the left one does.
    fn star_twice(&mut self, s: Id, reversed: bool) -> Option<usize> {
        let x = self.body(s)?;
        if reversed {
            let twice = self.terms.product([s, s]);
            return Some(self.at_once(s, twice));
        }
        let (base, step) = (self.reflexive(s), self.fold(x, s));
        Some(self.push(Rule::StarLeft(x, base, step)))
    }

    /// `x x* = x* x`: by induction on the star of the smaller side.
    fn star_slide(&mut self, s: Id, reversed: bool) -> Option<usize> {
        let x = self.body(s)?;
        let empty = self.at_once(ONE, s);
        let x_before = self.within(&[x], &[], empty);
        let fold = self.fold(x, s);
        if reversed {
            let step = self.within(&[x], &[], fold);
            return Some(self.push(Rule::StarLeft(x, x_before, step)));
        }
        // x* x x <= x* x* x <= x* x
        let x_in_star = self.push(Rule::Chain(vec![x_before, fold]));
        let longer = self.within(&[s], &[x], x_in_star);
        let twice = self.law(Law::StarTwice(s), false)?;
        let shorter = self.within(&[], &[x], twice);
        let step = self.push(Rule::Chain(vec![longer, shorter]));
        let sx = self.terms.product([s, x]);
        let base = self.at_once(x, sx);
        Some(self.push(Rule::StarRight(x, base, step)))
    }

    /// `x x^w = x^w`: unfolded; and by coinduction.
    fn omega_unfold(&mut self, w: Id, reversed: bool) -> Option<usize> {
        let x = self.body(w)?;
        let unfold = self.push(Rule::Unfold(x));
        if reversed {
            return Some(unfold);
        }
        let step = self.within(&[x], &[], unfold);
        Some(self.push(Rule::Coinduction(x, ZERO, step)))
    }

    /// `x* x^w = x^w`
    fn star_omega(&mut self, s: Id, w: Id, reversed: bool) -> Option<usize> {
        let x = self.body(s)?;
        if reversed {
            let longer = self.terms.product([s, w]);
            return Some(self.at_once(w, longer));
        }
        let (base, step) = (self.reflexive(w), self.law(Law::OmegaUnfold(w), false)?);
        Some(self.push(Rule::StarLeft(x, base, step)))
    }
}
