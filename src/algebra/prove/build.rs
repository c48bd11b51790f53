//! A proof in the making: steps with what they claim.

use super::decide::{Decider, TooLarge};
use super::omega::Lasso;
use crate::kernel::{Id, Node, ONE, Rule, Sym, TOP, Terms};
use rustc_hash::FxHashMap;

/// What to say when a decision took too many pairs.
const PAIRS: &str = "the limit of pairs in a decision (--limit-pairs)";
/// What to say when a decision with omega tells apart too many classes of words.
pub const CLASSES: &str = "the limit of classes of words (--limit-classes)";

/// A step of the proof, by position.
pub type Step = usize;

/// Steps so far. The kernel checks them in the end; here they are only kept consistent.
pub struct Builder<'t> {
    /// The terms.
    pub terms: &'t mut Terms,
    /// Rule uses.
    pub rules: Vec<Rule>,
    /// What each claims.
    pub claims: Vec<(Id, Id)>,
    /// The limit that a decision was given up for, if one was.
    pub too_large: Option<&'static str>,
    /// Classes of words that a decision with omega tells apart.
    pub classes: usize,
    /// A word that shows that an inclusion with omega doesn't hold.
    pub lasso: Option<Lasso>,
    hole: Sym,
    decider: Decider,
    decided: FxHashMap<(Id, Id), Option<Step>>,
    limit: usize,
}

impl<'t> Builder<'t> {
    /// Nothing is proved yet. The limits are those of pairs in a decision, and of classes of words.
    pub fn new(terms: &'t mut Terms, limit: usize, classes: usize) -> Self {
        let mut name = "_".to_string();
        let hole = loop {
            match (0..).zip(terms.symbols()).find(|(_, s)| s.name == name) {
                None => break terms.symbol(&name, false, 0),
                Some((n, s)) if !s.test && s.arity == 0 => break n,
                Some(_) => name.push('_'),
            }
        };
        Builder {
            terms,
            rules: Vec::new(),
            claims: Vec::new(),
            too_large: None,
            classes,
            lasso: None,
            hole,
            decider: Decider::default(),
            decided: FxHashMap::default(),
            limit,
        }
    }

    /// A step that claims `left <= right`.
    pub fn push(&mut self, rule: Rule, left: Id, right: Id) -> Step {
        self.rules.push(rule);
        self.claims.push((left, right));
        self.rules.len() - 1
    }

    /// `left <= right` in every Kleene algebra with tests and top.
    pub fn decide(&mut self, left: Id, right: Id) -> Option<Step> {
        if let Some(known) = self.decided.get(&(left, right)) {
            return *known;
        }
        let step = match self.decider.decide(self.terms, left, right, self.limit) {
            Ok(Some(pairs)) => Some(self.push(Rule::Decide(left, right, pairs), left, right)),
            Ok(None) => None,
            Err(TooLarge) => {
                self.too_large = Some(PAIRS);
                None
            }
        };
        self.decided.insert((left, right), step);
        step
    }

    /// The same, if it takes no more pairs than these.
    pub fn decide_within(&mut self, left: Id, right: Id, pairs: usize) -> Option<Step> {
        let (limit, too_large) = (self.limit, self.too_large);
        self.limit = limit.min(pairs);
        let step = self.decide(left, right);
        self.limit = limit;
        if step.is_none() {
            self.decided.remove(&(left, right));
            self.too_large = too_large;
        }
        step
    }

    /// Whether an inclusion that decisions could not show doesn't follow from the axioms: there is a word against it,
    /// or no omega or sum over processes that proofs might look into.
    pub fn is_settled(&self, left: Id, right: Id) -> bool {
        let open = |n: &Node| {
            matches!(
                n,
                Node::Omega(_) | Node::SumOver(..) | Node::ProductOver(..)
            )
        };
        let closed = |t: Id| !self.terms.any(t, &mut |n| open(n));
        self.lasso.is_some() || closed(left) && closed(right)
    }

    /// `a` then `b`: where they don't meet literally, a decision stands between.
    pub fn chain(&mut self, steps: &[Step]) -> Option<Step> {
        let mut links: Vec<Step> = Vec::new();
        for &s in steps {
            if let Some(&last) = links.last() {
                let (from, to) = (self.claims[last].1, self.claims[s].0);
                if from != to {
                    links.push(self.decide(from, to)?);
                }
            }
            // A step from a term to itself adds nothing.
            if self.claims[s].0 != self.claims[s].1 {
                links.push(s);
            }
        }
        match links.as_slice() {
            [] => steps.first().copied(),
            [one] => Some(*one),
            _ => {
                let (left, right) = (
                    self.claims[links[0]].0,
                    self.claims[links[links.len() - 1]].1,
                );
                Some(self.push(Rule::Chain(links), left, right))
            }
        }
    }

    /// `x <= y`, so `prefix x suffix <= prefix y suffix`.
    pub fn within(&mut self, prefix: &[Id], step: Step, suffix: &[Id]) -> Step {
        if prefix.is_empty() && suffix.is_empty() {
            return step;
        }
        let hole = self.hole();
        let all = prefix.iter().chain(std::iter::once(&hole)).chain(suffix);
        let context = self.terms.product(all.copied());
        self.context(context, step)
    }

    /// The hole as a symbol.
    pub fn symbol(&self) -> Sym {
        self.hole
    }

    /// The hole as a term.
    pub fn hole(&mut self) -> Id {
        self.terms.atom(self.hole, Vec::new())
    }

    /// A term in place of the hole.
    pub fn filled(&mut self, context: Id, t: Id) -> Id {
        self.terms.replace(context, &[(self.hole, t)])
    }

    /// `x <= y`, so `c(x) <= c(y)`.
    pub fn context(&mut self, context: Id, step: Step) -> Step {
        let (l, r) = self.claims[step];
        let left = self.terms.replace(context, &[(self.hole, l)]);
        let right = self.terms.replace(context, &[(self.hole, r)]);
        self.push(Rule::Context(context, self.hole, step), left, right)
    }

    /// `x <= z`, `y <= z`, .. so `left <= z`, where left is below the sum of the left sides.
    pub fn join(&mut self, left: Id, steps: Vec<Step>) -> Option<Step> {
        let step = match steps.as_slice() {
            [one] => *one,
            _ => {
                let right = self.claims[*steps.first()?].1;
                let sum = self.terms.sum(steps.iter().map(|s| self.claims[*s].0));
                self.push(Rule::Join(steps), sum, right)
            }
        };
        self.starting(left, step)
    }

    /// A step that claims `x <= z`, made to begin with a left side that is below x.
    pub fn starting(&mut self, left: Id, step: Step) -> Option<Step> {
        if self.claims[step].0 == left {
            return Some(step);
        }
        let before = self.decide(left, self.claims[step].0)?;
        self.chain(&[before, step])
    }

    /// A step that claims `x <= z`, made to end with a right side that is above z.
    pub fn ending(&mut self, step: Step, right: Id) -> Option<Step> {
        if self.claims[step].1 == right {
            return Some(step);
        }
        let after = self.decide(self.claims[step].1, right)?;
        self.chain(&[step, after])
    }

    /// A term with the hole at each place where another term stands, or a run of factors that are the other's, except
    /// inside tests and sums over processes.
    pub fn holed(&mut self, t: Id, part: Id) -> Id {
        if t == part {
            return self.hole();
        }
        let run = match self.terms.node(part) {
            Node::Product(all) => all.clone(),
            _ => Vec::new(),
        };
        match self.terms.node(t).clone() {
            Node::Sum(all) => {
                let all: Vec<Id> = all.into_iter().map(|x| self.holed(x, part)).collect();
                self.terms.sum(all)
            }
            Node::Product(all) => {
                let mut parts: Vec<Id> = Vec::new();
                let mut rest = all.as_slice();
                while let Some((first, others)) = rest.split_first() {
                    if !run.is_empty() && rest.starts_with(&run) {
                        parts.push(self.hole());
                        rest = &rest[run.len()..];
                    } else {
                        parts.push(self.holed(*first, part));
                        rest = others;
                    }
                }
                self.terms.product(parts)
            }
            Node::Star(x) => {
                let x = self.holed(x, part);
                self.terms.star(x)
            }
            Node::Omega(x) => {
                let x = self.holed(x, part);
                self.terms.omega(x)
            }
            _ => t,
        }
    }

    /// The factors of a term.
    pub fn factors(&self, t: Id) -> Vec<Id> {
        match self.terms.node(t) {
            Node::Product(all) => all.clone(),
            Node::One => Vec::new(),
            _ => vec![t],
        }
    }

    /// The monomials of a term: products over sums multiplied out, but not inside stars; `None` if there are more than
    /// `most`. Tests are multiplied out too: `(p + q) x` is `p x + q x`.
    pub fn monomials(&mut self, t: Id, most: usize) -> Option<Vec<Id>> {
        let mut all: Vec<Id> = Vec::new();
        match self.terms.node(t).clone() {
            Node::Zero => {}
            Node::Sum(of) => {
                for x in of {
                    all.extend(self.monomials(x, most)?);
                }
            }
            Node::Product(of) => {
                all.push(ONE);
                for x in of {
                    let more = self.monomials(x, most)?;
                    if all.len() * more.len() > most {
                        return None;
                    }
                    let mut next = Vec::new();
                    for a in &all {
                        for b in &more {
                            next.push(self.terms.product([*a, *b]));
                        }
                    }
                    all = next;
                }
            }
            _ => all.push(t),
        }
        all.retain(|x| *x != crate::kernel::ZERO);
        all.sort_unstable();
        all.dedup();
        (all.len() <= most).then_some(all)
    }

    /// The letters of terms as decisions see them: actions and opaque terms, not what is inside those.
    pub fn letters(&self, of: impl IntoIterator<Item = Id>) -> Vec<Id> {
        let mut letters = Vec::new();
        let mut seen: Vec<Id> = of.into_iter().collect();
        let mut known: rustc_hash::FxHashSet<Id> = seen.iter().copied().collect();
        while let Some(x) = seen.pop() {
            if self.terms.is_test(x) {
                continue;
            }
            let mut push = |x: Id| {
                if known.insert(x) {
                    seen.push(x);
                }
            };
            match self.terms.node(x) {
                Node::Star(x) => push(*x),
                Node::Sum(all) | Node::Product(all) => all.iter().for_each(|x| push(*x)),
                _ => letters.push(x),
            }
        }
        letters.sort_unstable();
        letters
    }

    /// A term above every product of these terms' letters: T where T or omega is about, else `(a + b + ..)*`, so that a
    /// proof in Kleene algebra stays one.
    pub fn everything(&mut self, of: impl IntoIterator<Item = Id>) -> Id {
        let letters = self.letters(of);
        let beyond = |x: &Id| *x == TOP || matches!(self.terms.node(*x), Node::Omega(_));
        if letters.iter().any(beyond) {
            return TOP;
        }
        let sum = self.terms.sum(letters);
        self.terms.star(sum)
    }
}

/// Only the steps that `of` rests on, renumbered so that each comes behind what it rests on; and where `of` are then.
pub fn prune(rules: &[Rule], of: &[Step]) -> (Vec<Rule>, Vec<Step>) {
    let mut at: FxHashMap<Step, Step> = FxHashMap::default();
    let mut kept = Vec::new();
    let mut next: Vec<(Step, bool)> = of.iter().rev().map(|n| (*n, false)).collect();
    while let Some((n, ready)) = next.pop() {
        if at.contains_key(&n) {
            continue;
        }
        if ready {
            let mut rule = rules[n].clone();
            rule.renumber(|s| at[&s]);
            at.insert(n, kept.len());
            kept.push(rule);
        } else {
            next.push((n, true));
            next.extend(rules[n].rests_on().iter().rev().map(|s| (*s, false)));
        }
    }
    (kept, of.iter().map(|n| at[n]).collect())
}
