//! Decisions of `x <= y` in Kleene algebra with tests and top, replayed.
//!
//! A term is read as an automaton whose states are terms (Antimirov's partial derivatives): a step has a guard, which
//! is a test, a letter, and the term it leads to; a state ends under its output, a test. `x <= y` holds in every Kleene
//! algebra with tests and top if each step and end of x is matched by a set of states of y (Kozen 1996; with top: Pous
//! & Wagemaker 2022). The finite relation between terms and sets of terms is given; here it is only checked to be
//! closed. `x^w` and sums over processes are letters; `x^w = x^w T`. `dom(x)`, `cod(x)` and `div(x)` are atomic tests.

use crate::terms::{Id, Node, ONE, TOP, Terms, ZERO};
use rustc_hash::{FxHashMap, FxHashSet};

/// `(x, ys)`: x is below the sum of ys. The first is the claim.
pub type Pairs = Vec<(Id, Vec<Id>)>;

/// A step of a term seen as an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// A test under which it can be taken.
    pub guard: Id,
    /// The letter: an atom or opaque term; [`TOP`] for any letter at all.
    pub letter: Id,
    /// Where it leads.
    pub target: Id,
}

/// The moves and outputs of terms met so far.
#[derive(Default)]
pub struct Automaton {
    moves: FxHashMap<Id, Vec<Move>>,
    outputs: FxHashMap<Id, Id>,
    valid: FxHashMap<Id, bool>,
    splits: usize,
    /// Bytes taken from what the terms are allowed; none if they are not counted.
    held: Option<usize>,
}

const SPENT: &str = "too large";
/// Tests with more atoms than this are not decided, so that the recursion over them is safe.
const MOST_ATOMS: usize = 2000;
/// What a move costs: it is kept, and so is an answer to it.
const MOVE: usize = 16;
/// Bytes of a move, and of an answer to it.
const BYTES: usize = 192;

impl Automaton {
    /// The test under which a term may do nothing.
    pub fn output(&mut self, terms: &mut Terms, t: Id) -> Id {
        if terms.is_test(t) {
            return t;
        }
        if let Some(&known) = self.outputs.get(&t) {
            return known;
        }
        terms.spend(1);
        if terms.is_spent() {
            return ZERO;
        }
        let out = match terms.node(t).clone() {
            Node::Top | Node::Star(_) => ONE,
            Node::Sum(all) => {
                let all: Vec<Id> = all.into_iter().map(|x| self.output(terms, x)).collect();
                terms.sum(all)
            }
            Node::Product(all) => {
                let all: Vec<Id> = all.into_iter().map(|x| self.output(terms, x)).collect();
                terms.product(all)
            }
            _ => ZERO,
        };
        self.outputs.insert(t, out);
        out
    }

    /// The steps of a term.
    pub fn moves(&mut self, terms: &mut Terms, t: Id) -> Vec<Move> {
        if terms.is_test(t) {
            return Vec::new();
        }
        if let Some(known) = self.moves.get(&t) {
            return known.clone();
        }
        if terms.is_spent() {
            return Vec::new();
        }
        let mut all = Vec::new();
        match terms.node(t).clone() {
            Node::Sum(of) => of
                .into_iter()
                .for_each(|x| self.then(terms, x, ONE, &[], &mut all)),
            Node::Star(x) => self.then(terms, x, ONE, &[t], &mut all),
            Node::Product(of) => {
                let mut guard = ONE;
                for (n, x) in of.iter().enumerate() {
                    self.then(terms, *x, guard, &of[n + 1..], &mut all);
                    let out = self.output(terms, *x);
                    guard = terms.product([guard, out]);
                    if guard == ZERO {
                        break;
                    }
                }
            }
            // Any letter at all leads T to T; behind an infinite path comes anything.
            Node::Top => self.keep(terms, ONE, TOP, TOP, &mut all),
            Node::Omega(_) => self.keep(terms, ONE, t, TOP, &mut all),
            _ => self.keep(terms, ONE, t, ONE, &mut all),
        }
        terms.spend(MOVE * (all.len() + 1));
        if terms.is_spent() {
            return Vec::new();
        }
        self.moves.insert(t, all.clone());
        all
    }

    /// The moves of x under a guard, and then the rest.
    fn then(&mut self, terms: &mut Terms, x: Id, guard: Id, rest: &[Id], all: &mut Vec<Move>) {
        for m in self.moves(terms, x) {
            if terms.is_spent() {
                return;
            }
            let target = terms.product(std::iter::once(m.target).chain(rest.iter().copied()));
            let guard = terms.product([guard, m.guard]);
            self.keep(terms, guard, m.letter, target, all);
        }
    }

    fn keep(&mut self, terms: &mut Terms, guard: Id, letter: Id, target: Id, all: &mut Vec<Move>) {
        if guard != ZERO && target != ZERO && self.hold(terms, BYTES) {
            all.push(Move {
                guard,
                letter,
                target,
            });
        }
    }

    /// Counts bytes, if they are counted; whether they may be taken.
    fn hold(&mut self, terms: &mut Terms, bytes: usize) -> bool {
        match &mut self.held {
            Some(held) => {
                *held += bytes;
                terms.hold(bytes)
            }
            None => true,
        }
    }

    /// Whether a test is 1 for all values of its atoms: by its factors, by what makes the literals of a sum 0, else by
    /// cases.
    pub fn is_valid(&mut self, terms: &mut Terms, test: Id) -> bool {
        if test == ONE || test == ZERO || terms.is_spent() {
            return test == ONE;
        }
        if let Some(&known) = self.valid.get(&test) {
            return known;
        }
        if self.splits == MOST_ATOMS {
            terms.spend(usize::MAX);
            return false;
        }
        self.splits += 1;
        let holds = match terms.node(test).clone() {
            Node::Product(all) => all.into_iter().all(|x| self.is_valid(terms, x)),
            Node::Sum(all) => {
                let literals = all.iter().filter_map(|x| falsify(terms, *x));
                let fixed: FxHashMap<Id, Id> = literals.collect();
                if fixed.is_empty() {
                    self.splits_validly(terms, test)
                } else {
                    let rest = cofactor(terms, test, fixed);
                    self.is_valid(terms, rest)
                }
            }
            // A literal.
            _ => false,
        };
        self.splits -= 1;
        self.valid.insert(test, holds);
        holds
    }

    fn splits_validly(&mut self, terms: &mut Terms, test: Id) -> bool {
        let Some(atom) = atom_of(terms, test) else {
            return false;
        };
        [ONE, ZERO].into_iter().all(|value| {
            let part = cofactor(terms, test, FxHashMap::from_iter([(atom, value)]));
            self.is_valid(terms, part)
        })
    }
}

/// The atom of a literal, with the value that makes the literal 0.
fn falsify(terms: &mut Terms, literal: Id) -> Option<(Id, Id)> {
    match terms.node(literal) {
        Node::Atom(..) | Node::SumOver(..) | Node::Applied(..) => Some((literal, ZERO)),
        Node::Not(atom) => Some((*atom, ONE)),
        Node::ProductOver(..) => Some((terms.not(literal), ONE)),
        _ => None,
    }
}

/// The atom of a test with the smallest number; a sum or product over processes counts as one.
fn atom_of(terms: &mut Terms, test: Id) -> Option<Id> {
    let mut least = None;
    let mut seen = vec![test];
    let mut known = rustc_hash::FxHashSet::default();
    while let Some(x) = seen.pop() {
        if !known.insert(x) {
            continue;
        }
        match terms.node(x) {
            Node::Not(y) => seen.push(*y),
            Node::Sum(all) | Node::Product(all) => seen.extend(all),
            Node::Zero | Node::One => {}
            _ => {
                let positive = positive(terms, x);
                least = Some(least.map_or(positive, |l: Id| l.min(positive)));
            }
        }
    }
    terms.spend(known.len());
    least
}

/// Of a sum over processes and the product that is its complement, the sum; other atoms as they are.
fn positive(terms: &mut Terms, atom: Id) -> Id {
    match terms.node(atom) {
        Node::ProductOver(..) => terms.not(atom),
        _ => atom,
    }
}

/// A test with some atoms fixed.
fn cofactor(terms: &mut Terms, test: Id, fixed: FxHashMap<Id, Id>) -> Id {
    let mut seen = fixed;
    fixing(terms, test, &mut seen)
}

/// The same, with what is known already.
fn fixing(terms: &mut Terms, test: Id, seen: &mut FxHashMap<Id, Id>) -> Id {
    if let Some(&known) = seen.get(&test) {
        return known;
    }
    let part = match terms.node(test).clone() {
        Node::Not(x) => {
            let x = fixing(terms, x, seen);
            terms.not(x)
        }
        Node::Sum(all) => {
            let all: Vec<Id> = all.into_iter().map(|x| fixing(terms, x, seen)).collect();
            terms.sum(all)
        }
        Node::Product(all) => {
            let all: Vec<Id> = all.into_iter().map(|x| fixing(terms, x, seen)).collect();
            terms.product(all)
        }
        Node::ProductOver(..) => {
            let atom = terms.not(test);
            seen.get(&atom)
                .copied()
                .map_or(test, |value| terms.not(value))
        }
        _ => test,
    };
    seen.insert(test, part);
    part
}

/// Checks that a relation shows `left <= right`.
///
/// # Errors
/// What is missing.
pub(crate) fn replay(
    terms: &mut Terms,
    left: Id,
    right: Id,
    pairs: &Pairs,
) -> Result<(), &'static str> {
    match pairs.first() {
        Some((l, rs)) if *l == left && rs.as_slice() == [right] => {}
        _ => return Err("the relation is one between other terms"),
    }
    let mut of: FxHashMap<Id, Vec<&[Id]>> = FxHashMap::default();
    for (l, rs) in pairs {
        of.entry(*l).or_default().push(rs);
    }
    let mut automaton = Automaton {
        held: Some(0),
        ..Automaton::default()
    };
    let found = pairs
        .iter()
        .try_for_each(|(l, rs)| automaton.pair(terms, *l, rs, &of));
    terms.release(automaton.held.unwrap_or(0));
    found
}

impl Automaton {
    /// Whether what a pair demands is among the pairs: where x ends one of ys ends, and each step of x is answered by
    /// sets of ys.
    fn pair(
        &mut self,
        terms: &mut Terms,
        x: Id,
        ys: &[Id],
        of: &FxHashMap<Id, Vec<&[Id]>>,
    ) -> Result<(), &'static str> {
        let ends: Vec<Id> = ys.iter().map(|y| self.output(terms, *y)).collect();
        let (out, ends) = (self.output(terms, x), terms.sum(ends));
        if !self.implies(terms, out, ends) {
            return Err("the left side ends where the right side does not");
        }
        // The guards under which ys reach a target by a letter.
        let mut answers: FxHashMap<(Id, Id), Vec<Id>> = FxHashMap::default();
        for y in ys.iter().collect::<FxHashSet<_>>() {
            for a in self.moves(terms, *y) {
                answers
                    .entry((a.letter, a.target))
                    .or_default()
                    .push(a.guard);
            }
        }
        let mut reached: FxHashMap<(Id, Id), Id> = FxHashMap::default();
        for m in self.moves(terms, x) {
            // A term is below itself and below T.
            let mut covered = Vec::new();
            let known = of.get(&m.target).map_or(&[][..], Vec::as_slice);
            for set in [&[m.target][..], &[TOP]]
                .into_iter()
                .chain(known.iter().copied())
            {
                terms.spend(set.len() + 1);
                // Under which guard ys reach all of the set by this letter.
                let mut guards = Vec::new();
                for y in set {
                    let guard = match reached.get(&(m.letter, *y)) {
                        Some(known) => *known,
                        None if !self.hold(terms, BYTES) => return Err(SPENT),
                        None => {
                            let any = answers.get(&(TOP, *y)).filter(|_| m.letter != TOP);
                            let by = answers.get(&(m.letter, *y)).into_iter().chain(any);
                            let sum = terms.sum(by.flatten().copied());
                            *reached.entry((m.letter, *y)).or_insert(sum)
                        }
                    };
                    guards.push(guard);
                    if guard == ZERO {
                        break;
                    }
                }
                covered.push(terms.product(guards));
            }
            let covered = terms.sum(covered);
            if !self.implies(terms, m.guard, covered) {
                return Err("a step of the left side is not matched by the right side");
            }
        }
        self.held = self.held.map(|held| held - BYTES * reached.len());
        terms.release(BYTES * reached.len());
        Ok(())
    }

    fn implies(&mut self, terms: &mut Terms, a: Id, b: Id) -> bool {
        let not_a = terms.not(a);
        let test = terms.sum([not_a, b]);
        self.is_valid(terms, test)
    }
}
