//! A proof under construction: rule uses with the claims that they make.
//!
//! Nothing here is trusted. A step whose claim is not what was meant makes the kernel reject the theorem.

use crate::kernel::{Automaton, Id, Move, ONE, Pairs, Rule, Sym, TOP, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Pairs of one decision; beyond this it is given up.
const MOST_PAIRS: usize = 10_000;

/// The steps of one theorem.
pub struct Script {
    /// The rule uses.
    pub steps: Vec<Rule>,
    claims: Vec<(Id, Id)>,
    decided: FxHashMap<(Id, Id), usize>,
    automaton: Automaton,
    hole: Sym,
}

impl Script {
    /// No steps yet. The symbol is one that no term contains.
    pub fn new(hole: Sym) -> Self {
        Script {
            steps: Vec::new(),
            claims: Vec::new(),
            decided: FxHashMap::default(),
            automaton: Automaton::default(),
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

    /// `left <= right` in Kleene algebra with tests and top, if that is seen.
    pub fn decide(&mut self, terms: &mut Terms, left: Id, right: Id) -> Option<usize> {
        if let Some(&known) = self.decided.get(&(left, right)) {
            return Some(known);
        }
        let pairs = relation(&mut self.automaton, terms, left, right)?;
        let step = self.add(Rule::Decide(left, right, pairs), left, right);
        self.decided.insert((left, right), step);
        Some(step)
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

/// A relation between derivatives that shows `left <= right`. Of the right side's targets only those are followed that are reached under the
/// whole guard of the left side's step: that is enough for sums and products of single steps, though not for all terms.
fn relation(automaton: &mut Automaton, terms: &mut Terms, left: Id, right: Id) -> Option<Pairs> {
    let mut pairs: Pairs = vec![(left, vec![right])];
    let mut known: FxHashSet<(Id, Vec<Id>)> = pairs.iter().cloned().collect();
    let mut next = 0;
    while let Some((x, ys)) = pairs.get(next).cloned() {
        next += 1;
        let ends: Vec<Id> = ys.iter().map(|y| automaton.output(terms, *y)).collect();
        let ends = terms.sum(ends);
        let out = automaton.output(terms, x);
        if !implies(automaton, terms, out, ends) {
            return None;
        }
        let mut answers: FxHashMap<Id, Vec<Move>> = FxHashMap::default();
        for y in &ys {
            for m in automaton.moves(terms, *y) {
                answers.entry(m.letter).or_default().push(m);
            }
        }
        for m in automaton.moves(terms, x) {
            let mut reached: Vec<(Id, Vec<Id>)> = Vec::new();
            let by = |letter: Id| answers.get(&letter).into_iter().flatten();
            let any = by(TOP).filter(|_| m.letter != TOP);
            for a in by(m.letter).chain(any) {
                match reached.iter_mut().find(|(t, _)| *t == a.target) {
                    Some((_, guards)) => guards.push(a.guard),
                    None => reached.push((a.target, vec![a.guard])),
                }
            }
            let mut set = Vec::new();
            for (target, guards) in reached {
                let guard = terms.sum(guards);
                if implies(automaton, terms, m.guard, guard) {
                    set.push(target);
                }
            }
            if set.contains(&m.target) || set.contains(&TOP) {
                continue;
            }
            set.sort_unstable();
            if set.is_empty() || pairs.len() == MOST_PAIRS {
                return None;
            }
            let pair = (m.target, set);
            if known.insert(pair.clone()) {
                pairs.push(pair);
            }
        }
    }
    Some(pairs)
}

fn implies(automaton: &mut Automaton, terms: &mut Terms, a: Id, b: Id) -> bool {
    if b == ONE || a == b {
        return true;
    }
    let not_a = terms.not(a);
    let test = terms.sum([not_a, b]);
    automaton.is_valid(terms, test)
}
