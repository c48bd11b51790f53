//! `x <= y` in Kleene algebra with tests and top, decided.
//!
//! Terms are automata by partial derivatives (`kernel::Automaton`; Antimirov 1996). A pair of a state of x and a set of
//! states of y is expanded on the fly; guards are BDDs, so that any number of tests costs no enumeration of their
//! valuations (symbolic derivatives, Pous 2015). A pair is dropped if the same state with a smaller set is known
//! (antichains, De Wulf et al. 2006), or if the state itself or T is in the set (up to reflexivity and top). What
//! remains is the relation that the kernel replays.

use crate::kernel::{Automaton, Id, Node, ONE, Pairs, TOP, Terms, ZERO};
use biodivine_lib_bdd::{Bdd, BddValuation, BddVariable, BddVariableSet};
use rustc_hash::{FxHashMap, FxHashSet};

/// More pairs than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Decides inclusions, and remembers the derivatives met.
#[derive(Default)]
pub struct Decider {
    automaton: Automaton,
}

impl Decider {
    /// The relation that shows `left <= right`; `None` if it does not hold in every algebra.
    ///
    /// # Errors
    /// If it takes more than `limit` pairs.
    pub fn decide(
        &mut self,
        terms: &mut Terms,
        left: Id,
        right: Id,
        limit: usize,
    ) -> Result<Option<Pairs>, TooLarge> {
        let guards = Guards::new(terms, &[left, right]).ok_or(TooLarge)?;
        let mut run = Run {
            automaton: &mut self.automaton,
            guards,
            terms,
            pairs: vec![(left, vec![right])],
            of: FxHashMap::default(),
            splits: limit.saturating_mul(8),
        };
        run.of.insert(left, vec![0]);
        let mut at = 0;
        while at < run.pairs.len() {
            if !run.expand(at)? {
                return Ok(None);
            }
            at += 1;
            if run.pairs.len() > limit || run.terms.is_spent() {
                return Err(TooLarge);
            }
        }
        Ok(Some(run.pairs))
    }
}

struct Run<'d> {
    automaton: &'d mut Automaton,
    guards: Guards,
    terms: &'d mut Terms,
    pairs: Pairs,
    /// The pairs of each left state.
    of: FxHashMap<Id, Vec<usize>>,
    /// How many more guards may be split.
    splits: usize,
}

impl Run<'_> {
    /// Demands what a pair needs; false if the pair can't hold.
    fn expand(&mut self, at: usize) -> Result<bool, TooLarge> {
        let (l, rs) = self.pairs[at].clone();
        let out = self.automaton.output(self.terms, l);
        if out != ZERO {
            let ends: Vec<Id> = rs
                .iter()
                .map(|r| self.automaton.output(self.terms, *r))
                .collect();
            let ends = self.terms.sum(ends);
            if !self.guards.implies(self.terms, out, ends) {
                return Ok(false);
            }
        }
        let moves = self.automaton.moves(self.terms, l);
        if moves.is_empty() {
            return Ok(true);
        }
        let mut answers = Vec::new();
        for r in &rs {
            answers.extend(self.automaton.moves(self.terms, *r));
        }
        for m in moves {
            let mut reached: Vec<(Id, Id)> = Vec::new();
            for a in &answers {
                if a.letter != m.letter && a.letter != TOP {
                    continue;
                }
                match reached.iter_mut().find(|(t, _)| *t == a.target) {
                    Some((_, guard)) => *guard = self.terms.sum([*guard, a.guard]),
                    None => reached.push((a.target, a.guard)),
                }
            }
            self.demand(m.guard, m.target, reached)?;
        }
        Ok(true)
    }

    /// Demands `target <= sum of those reached`, for each set that is reached under some valuation of the guard and has
    /// no other such set in it.
    fn demand(&mut self, guard: Id, target: Id, reached: Vec<(Id, Id)>) -> Result<(), TooLarge> {
        let covers = |t: Id| t == target || t == TOP;
        if reached.iter().any(|(t, g)| covers(*t) && *g == ONE) {
            return Ok(());
        }
        if guard == ONE && reached.iter().all(|(_, g)| *g == ONE) {
            self.push(target, reached.into_iter().map(|(t, _)| t).collect());
            return Ok(());
        }
        // What those reached that settle the matter leave open.
        let mut open = self.guards.bdd(self.terms, guard);
        let mut others: Vec<(Id, Bdd)> = Vec::new();
        for (t, g) in reached {
            let g = self.guards.bdd(self.terms, g);
            if covers(t) {
                open = open.and_not(&g);
            } else {
                others.push((t, g));
            }
        }
        let mut least: Vec<Vec<Id>> = Vec::new();
        while !open.is_false() {
            self.splits = (self.splits.checked_sub(others.len() + 1)).ok_or(TooLarge)?;
            // Each is left out if it can be: what is left is a least set, and all valuations with more are done.
            let (mut under, mut more, mut set) = (open.clone(), open.clone(), Vec::new());
            for (t, g) in &others {
                let without = under.and_not(g);
                if without.is_false() {
                    more = more.and(g);
                    set.push(*t);
                } else {
                    under = without;
                }
            }
            least.push(set);
            open = open.and_not(&more);
        }
        least.sort_by_key(Vec::len);
        least.into_iter().for_each(|set| self.push(target, set));
        Ok(())
    }

    fn push(&mut self, l: Id, mut rs: Vec<Id>) {
        rs.sort_unstable();
        rs.dedup();
        let known = self.of.entry(l).or_default();
        let smaller = |n: &usize| {
            let set: &Vec<Id> = &self.pairs[*n].1;
            set.iter().all(|r| rs.binary_search(r).is_ok())
        };
        if !known.iter().any(smaller) {
            known.push(self.pairs.len());
            self.pairs.push((l, rs));
        }
    }
}

/// Tests as BDDs over their atoms.
pub(super) struct Guards {
    variables: BddVariableSet,
    atoms: FxHashMap<Id, BddVariable>,
    known: FxHashMap<Id, Bdd>,
}

impl Guards {
    /// For the tests of some terms; `None` if they have more atoms than the package can number.
    pub fn new(terms: &mut Terms, of: &[Id]) -> Option<Self> {
        let mut atoms = Vec::new();
        let mut seen = of.to_vec();
        let mut known: FxHashSet<Id> = seen.iter().copied().collect();
        while let Some(x) = seen.pop() {
            let mut push = |x: Id| {
                if known.insert(x) {
                    seen.push(x);
                }
            };
            match terms.node(x) {
                Node::Not(x) | Node::Star(x) => push(*x),
                Node::Sum(all) | Node::Product(all) => all.iter().for_each(|x| push(*x)),
                Node::Zero | Node::One | Node::Top | Node::Omega(_) => {}
                _ if terms.is_test(x) => atoms.push(literal(terms, x).0),
                _ => {}
            }
        }
        atoms.sort_unstable();
        atoms.dedup();
        let count = u16::try_from(atoms.len()).ok().filter(|n| *n < u16::MAX)?;
        let variables = BddVariableSet::new_anonymous(count);
        let names = variables.variables();
        Some(Guards {
            atoms: atoms.into_iter().zip(names).collect(),
            variables,
            known: FxHashMap::default(),
        })
    }

    /// Two copies of the tests of some terms, neighbouring variables for each atom; `None` if they are too many.
    pub fn twice(terms: &mut Terms, of: &[Id]) -> Option<[Self; 2]> {
        let first = Guards::new(terms, of)?;
        let mut atoms: Vec<Id> = first.atoms.keys().copied().collect();
        atoms.sort_unstable();
        let count = u16::try_from(2 * atoms.len())
            .ok()
            .filter(|n| *n < u16::MAX)?;
        let variables = BddVariableSet::new_anonymous(count);
        let names = variables.variables();
        Some([0, 1].map(|copy| {
            Guards {
                atoms: (atoms.iter().copied())
                    .zip(names[copy..].iter().copied().step_by(2))
                    .collect(),
                variables: variables.clone(),
                known: FxHashMap::default(),
            }
        }))
    }

    /// The atoms.
    pub fn atoms(&self) -> Vec<Id> {
        self.atoms.keys().copied().collect()
    }

    /// The variables of the atoms.
    pub fn variables(&self) -> Vec<BddVariable> {
        self.atoms.values().copied().collect()
    }

    fn implies(&mut self, terms: &mut Terms, a: Id, b: Id) -> bool {
        if a == ZERO || b == ONE || a == b {
            return true;
        }
        let (a, b) = (self.bdd(terms, a), self.bdd(terms, b));
        a.and_not(&b).is_false()
    }

    /// Whether an atomic test holds under a valuation.
    pub fn holds(&self, terms: &mut Terms, test: Id, valuation: &BddValuation) -> bool {
        let (atom, positive) = literal(terms, test);
        let value = self.atoms.get(&atom).map(|v| valuation.value(*v));
        value == Some(positive)
    }

    /// A test.
    pub fn bdd(&mut self, terms: &mut Terms, test: Id) -> Bdd {
        if let Some(known) = self.known.get(&test) {
            return known.clone();
        }
        let bdd = match terms.node(test).clone() {
            Node::Zero => self.variables.mk_false(),
            Node::One => self.variables.mk_true(),
            Node::Not(x) => self.bdd(terms, x).not(),
            Node::Sum(all) => {
                let none = self.variables.mk_false();
                all.into_iter()
                    .fold(none, |acc, x| acc.or(&self.bdd(terms, x)))
            }
            Node::Product(all) => {
                let every = self.variables.mk_true();
                all.into_iter()
                    .fold(every, |acc, x| acc.and(&self.bdd(terms, x)))
            }
            _ => {
                let (atom, positive) = literal(terms, test);
                match self.atoms.get(&atom) {
                    Some(v) => self.variables.mk_literal(*v, positive),
                    // Every atom of a guard is one of the two terms.
                    None => self.variables.mk_false(),
                }
            }
        };
        self.known.insert(test, bdd.clone());
        bdd
    }
}

/// An atomic test, or the sum over processes whose complement it is.
fn literal(terms: &mut Terms, test: Id) -> (Id, bool) {
    match terms.node(test) {
        Node::ProductOver(..) => (terms.not(test), false),
        _ => (test, true),
    }
}
