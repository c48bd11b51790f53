//! Decisions of `x <= y` in Kleene algebra with tests and top, replayed.
//!
//! A term is read as an automaton whose states are terms (Antimirov's partial derivatives): a step has a guard, which is a test, a letter,
//! and the term it leads to; a state ends under its output, a test. `x <= y` holds in every Kleene algebra with tests and top if each
//! step and end of x is matched by a set of states of y (Kozen 1996; with top: Pous & Wagemaker 2022). The finite relation between
//! terms and sets of terms is given; here it is only checked to be closed. `x^w` and sums over processes are letters; `x^w = x^w T`.

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
}

/// Tests with more atoms than this are not decided, so that the recursion over them is safe.
const MOST_ATOMS: usize = 2000;
/// What a move costs: it is kept.
const MOVE: usize = 16;

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
        let mut all = match terms.node(t).clone() {
            Node::Sum(of) => of.into_iter().flat_map(|x| self.moves(terms, x)).collect(),
            Node::Product(of) => self.of_product(terms, &of),
            Node::Star(x) => {
                let mut moves = self.moves(terms, x);
                for m in &mut moves {
                    m.target = terms.product([m.target, t]);
                }
                moves
            }
            Node::Top => vec![Move {
                guard: ONE,
                letter: TOP,
                target: TOP,
            }],
            Node::Omega(_) => vec![Move {
                guard: ONE,
                letter: t,
                target: TOP,
            }],
            _ => vec![Move {
                guard: ONE,
                letter: t,
                target: ONE,
            }],
        };
        all.retain(|m: &Move| m.guard != ZERO && m.target != ZERO);
        terms.spend(MOVE * (all.len() + 1));
        if terms.is_spent() {
            return Vec::new();
        }
        self.moves.insert(t, all.clone());
        all
    }

    fn of_product(&mut self, terms: &mut Terms, of: &[Id]) -> Vec<Move> {
        let mut all = Vec::new();
        let mut guard = ONE;
        for (n, &x) in of.iter().enumerate() {
            for m in self.moves(terms, x) {
                if terms.is_spent() {
                    return Vec::new();
                }
                let rest = std::iter::once(m.target).chain(of[n + 1..].iter().copied());
                let target = terms.product(rest);
                let guard = terms.product([guard, m.guard]);
                all.push(Move { guard, target, ..m });
            }
            let out = self.output(terms, x);
            guard = terms.product([guard, out]);
            if guard == ZERO {
                break;
            }
        }
        all
    }

    /// Whether a test is 1 whatever its atoms are: by its factors, by what makes the literals of a sum 0, else by splitting on an atom.
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
                let fixed: FxHashMap<Id, Id> =
                    all.iter().filter_map(|x| falsify(terms, *x)).collect();
                if fixed.is_empty() {
                    self.splits_validly(terms, test)
                } else {
                    let rest = cofactor(terms, test, &fixed, &mut FxHashMap::default());
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
            let fixed = FxHashMap::from_iter([(atom, value)]);
            let part = cofactor(terms, test, &fixed, &mut FxHashMap::default());
            self.is_valid(terms, part)
        })
    }
}

/// The atom of a literal, with the value that makes the literal 0.
fn falsify(terms: &mut Terms, literal: Id) -> Option<(Id, Id)> {
    match terms.node(literal) {
        Node::Atom(..) | Node::SumOver(..) => Some((literal, ZERO)),
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
fn cofactor(
    terms: &mut Terms,
    test: Id,
    fixed: &FxHashMap<Id, Id>,
    seen: &mut FxHashMap<Id, Id>,
) -> Id {
    if let Some(&known) = seen.get(&test) {
        return known;
    }
    if let Some(&value) = fixed.get(&test) {
        return value;
    }
    let part = match terms.node(test).clone() {
        Node::Not(x) => {
            let x = cofactor(terms, x, fixed, seen);
            terms.not(x)
        }
        Node::Sum(all) => {
            let all: Vec<Id> = all
                .into_iter()
                .map(|x| cofactor(terms, x, fixed, seen))
                .collect();
            terms.sum(all)
        }
        Node::Product(all) => {
            let all: Vec<Id> = all
                .into_iter()
                .map(|x| cofactor(terms, x, fixed, seen))
                .collect();
            terms.product(all)
        }
        Node::ProductOver(..) => {
            let atom = terms.not(test);
            fixed.get(&atom).map_or(test, |value| terms.not(*value))
        }
        _ => test,
    };
    seen.insert(test, part);
    part
}

const TOO_LARGE: &str = "too large: the limit of the checker is reached";

/// Checks that a relation shows `left <= right`.
///
/// # Errors
/// What is missing.
pub fn replay(terms: &mut Terms, left: Id, right: Id, pairs: &Pairs) -> Result<(), &'static str> {
    let mut automaton = Automaton::default();
    match pairs.first() {
        Some((l, rs)) if *l == left && rs.as_slice() == [right] => {}
        _ => return Err("the relation is one between other terms"),
    }
    let mut of: FxHashMap<Id, Vec<&[Id]>> = FxHashMap::default();
    for (l, rs) in pairs {
        of.entry(*l).or_default().push(rs);
    }
    for (l, rs) in pairs {
        let ends: Vec<Id> = rs.iter().map(|r| automaton.output(terms, *r)).collect();
        let ends = terms.sum(ends);
        let out = automaton.output(terms, *l);
        if !implies(&mut automaton, terms, out, ends) {
            return Err("the left side ends where the right side does not");
        }
        // The right side's targets by each letter, with the guards under which they are reached.
        let mut answers: FxHashMap<Id, FxHashMap<Id, Vec<Id>>> = FxHashMap::default();
        for r in rs.iter().collect::<FxHashSet<_>>() {
            for a in automaton.moves(terms, *r) {
                let by_letter = answers.entry(a.letter).or_default();
                by_letter.entry(a.target).or_default().push(a.guard);
            }
            if terms.is_spent() {
                return Err(TOO_LARGE);
            }
        }
        let mut reached: FxHashMap<(Id, Id), Id> = FxHashMap::default();
        for m in automaton.moves(terms, *l) {
            // Under which guard the right side reaches all of a set by this letter.
            let mut all = |terms: &mut Terms, set: &[Id]| -> Id {
                let mut guards = Vec::new();
                for s in set {
                    let guard = *reached.entry((m.letter, *s)).or_insert_with(|| {
                        let by =
                            [m.letter, TOP]
                                .into_iter()
                                .take(if m.letter == TOP { 1 } else { 2 });
                        let guards = by.filter_map(|a| answers.get(&a)?.get(s)).flatten();
                        terms.sum(guards.copied())
                    });
                    if guard == ZERO {
                        return ZERO;
                    }
                    guards.push(guard);
                }
                terms.product(guards)
            };
            // A term is below itself and below T.
            let mut covered: Vec<Id> = [m.target, TOP]
                .into_iter()
                .map(|t| all(terms, &[t]))
                .collect();
            for set in of.get(&m.target).into_iter().flatten() {
                terms.spend(set.len() + 1);
                covered.push(all(terms, set));
            }
            let covered = terms.sum(covered);
            if terms.is_spent() {
                return Err(TOO_LARGE);
            }
            if !implies(&mut automaton, terms, m.guard, covered) {
                return Err("a step of the left side is not matched by the right side");
            }
        }
        if terms.is_spent() {
            return Err(TOO_LARGE);
        }
    }
    Ok(())
}

fn implies(automaton: &mut Automaton, terms: &mut Terms, a: Id, b: Id) -> bool {
    let not_a = terms.not(a);
    let test = terms.sum([not_a, b]);
    automaton.is_valid(terms, test)
}
