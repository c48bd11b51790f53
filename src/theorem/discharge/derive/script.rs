//! A proof under construction: rule uses with the claims that they make.
//!
//! Nothing here is trusted. A step whose claim is not what was meant makes the kernel reject the theorem.

use crate::algebra::egraph::{self, Words};
use crate::algebra::prove::Decider;
use crate::kernel::{Id, Rule, Sym, Terms, ZERO};
use rustc_hash::FxHashMap;

/// Pairs of one decision; beyond this it is given up.
const MOST_PAIRS: usize = 10_000;

/// An equation between words, with the steps that prove it in the one direction and in the other.
pub struct Equation {
    /// The words.
    pub sides: (Vec<Id>, Vec<Id>),
    /// The steps.
    pub proofs: (usize, usize),
}

/// The steps of one theorem.
pub struct Script {
    /// The rule uses.
    pub steps: Vec<Rule>,
    claims: Vec<(Id, Id)>,
    decided: FxHashMap<(Id, Id), usize>,
    decider: Decider,
    hole: Sym,
}

impl Script {
    /// No steps yet. The symbol is one that no term contains.
    pub fn new(hole: Sym) -> Self {
        Script {
            steps: Vec::new(),
            claims: Vec::new(),
            decided: FxHashMap::default(),
            decider: Decider::default(),
            hole,
        }
    }

    /// The smaller side of a step's claim.
    pub fn left(&self, step: usize) -> Id {
        self.claims[step].0
    }

    /// The larger side of a step's claim.
    pub fn right(&self, step: usize) -> Id {
        self.claims[step].1
    }

    /// Adds a rule use that claims `left <= right`.
    pub fn add(&mut self, rule: Rule, left: Id, right: Id) -> usize {
        self.steps.push(rule);
        self.claims.push((left, right));
        self.steps.len() - 1
    }

    /// `left <= right`, if it holds in Kleene algebra with tests and top.
    pub fn decide(&mut self, terms: &mut Terms, left: Id, right: Id) -> Option<usize> {
        if let Some(&known) = self.decided.get(&(left, right)) {
            return Some(known);
        }
        let decided = self.decider.decide(terms, left, right, MOST_PAIRS);
        let pairs = decided.ok().flatten()?;
        let step = self.add(Rule::Decide(left, right, pairs), left, right);
        self.decided.insert((left, right), step);
        Some(step)
    }

    /// `from <= to` for words that are equal by equations between words, as an e-graph explains it. Each equation has
    /// its proof in both directions.
    pub fn equal(
        &mut self,
        terms: &mut Terms,
        equations: &[Equation],
        from: &[Id],
        to: &[Id],
    ) -> Option<usize> {
        let sides: Vec<(Vec<Id>, Vec<Id>)> = equations.iter().map(|e| e.sides.clone()).collect();
        // Every round moves a letter by one place at least.
        let limits = egraph::Limits {
            nodes: 2_000 + 20 * from.len() * from.len(),
            iterations: 4 + from.len(),
        };
        let moves = Words::new(&sides, limits).equal(terms, from, to)?;
        let proofs: Vec<(usize, usize)> = equations.iter().map(|e| e.proofs).collect();
        let steps = &mut self.steps;
        let last = egraph::kernel_steps(terms, from, &moves, &proofs, self.hole, steps)?;
        // Nothing asks what the steps on the way claim.
        self.claims.resize(self.steps.len(), (ZERO, ZERO));
        let [from, to] = [from, to].map(|word| terms.product(word.iter().copied()));
        self.claims[last] = (from, to);
        Some(last)
    }

    /// One step after the other.
    pub fn chain(&mut self, steps: Vec<usize>) -> usize {
        match steps.as_slice() {
            [one] => *one,
            [first, .., last] => {
                let (left, right) = (self.left(*first), self.right(*last));
                self.add(Rule::Chain(steps), left, right)
            }
            [] => 0,
        }
    }

    /// Steps with the same larger side.
    pub fn join(&mut self, terms: &mut Terms, steps: Vec<usize>) -> usize {
        match steps.as_slice() {
            [one] => *one,
            [] => 0,
            [first, ..] => {
                let right = self.right(*first);
                let left = terms.sum(steps.iter().map(|s| self.claims[*s].0));
                self.add(Rule::Join(steps), left, right)
            }
        }
    }

    /// A step within a term that contains the hole.
    pub fn within(&mut self, terms: &mut Terms, context: Id, step: usize) -> usize {
        let (left, right) = self.claims[step];
        let left = terms.replace(context, &[(self.hole, left)]);
        let right = terms.replace(context, &[(self.hole, right)]);
        self.add(Rule::Context(context, self.hole, step), left, right)
    }

    /// The hole.
    pub fn hole(&self, terms: &mut Terms) -> Id {
        terms.atom(self.hole, Vec::new())
    }
}
