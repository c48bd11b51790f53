//! A word `u v v v ..` that is on the left and not on the right, and the relations that it gives.
//!
//! Its places are the states of a model, each letter leads from its place to the next, and v's last back to its first.
//! From the first place there is an infinite path, so the left side relates it to every state; the right side does not
//! relate it to a state apart from the word.

use super::automaton::Buechi;
use crate::algebra::refute::{Model, Value};
use crate::kernel::{Id, Node, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A letter with the valuation of the tests before it.
pub type Place = (u32, Id);

/// An infinite word.
#[derive(Clone, Debug, Default)]
pub struct Lasso {
    /// u
    stem: Vec<Place>,
    /// v
    cycle: Vec<Place>,
    /// The atomic tests, in the order of the bits of a valuation.
    tests: Vec<Id>,
}

impl Lasso {
    /// The shortest of `before` and then of `own` again and again; `None` if there is none.
    pub fn of(terms: &mut Terms, buechi: &mut Buechi, before: Id, own: Id) -> Option<Lasso> {
        let valuations = buechi.tests.all().count_ones();
        let mut all = Vec::new();
        for v in 0..valuations {
            let Some(cycle) = word(terms, buechi, own, Some(v), v) else {
                continue;
            };
            if let Some(stem) = word(terms, buechi, before, None, v) {
                all.push((stem, cycle));
            }
        }
        let (stem, cycle) = all.into_iter().min_by_key(|(u, v)| u.len() + v.len())?;
        let tests = buechi.tests.atoms().to_vec();
        Some(Lasso { stem, cycle, tests })
    }

    /// The relations, for an inclusion that is the first part of a statement.
    pub fn model(&self, terms: &Terms, sides: [Id; 2]) -> Model {
        let places: Vec<&Place> = self.stem.iter().chain(&self.cycle).collect();
        let mut atoms = Vec::new();
        let mut open = sides.to_vec();
        let mut known: BTreeSet<Id> = open.iter().copied().collect();
        while let Some(t) = open.pop() {
            let mut push = |x: &Id| {
                if known.insert(*x) {
                    open.push(*x);
                }
            };
            match terms.node(t) {
                Node::Not(x) | Node::Star(x) | Node::Omega(x) => push(x),
                Node::Sum(all) | Node::Product(all) => all.iter().for_each(push),
                Node::Atom(symbol, _) => atoms.push((*symbol, self.relation(&places, t))),
                _ => {}
            }
        }
        atoms.sort();
        let values = atoms.into_iter().map(|(symbol, pairs)| Value {
            symbol,
            processes: Vec::new(),
            pairs,
        });
        Model {
            states: places.len() + 1,
            processes: 0,
            atoms: values.collect(),
            variables: Vec::new(),
            part: 0,
            pair: (0, places.len()),
            smallest: false,
        }
    }

    /// What an atom means. A test holds where the valuation says so; another letter leads from its places to the next.
    fn relation(&self, places: &[&Place], atom: Id) -> BTreeSet<(usize, usize)> {
        let bit = self.tests.iter().position(|x| *x == atom);
        let pair = |(n, (valuation, letter)): (usize, &&Place)| {
            let next = if n + 1 < places.len() {
                n + 1
            } else {
                self.stem.len()
            };
            match bit {
                Some(bit) => (valuation >> bit & 1 == 1).then_some((n, n)),
                None => (*letter == atom).then_some((n, next)),
            }
        };
        places.iter().enumerate().filter_map(pair).collect()
    }
}

/// A shortest word of a term that begins under a valuation, if one is given, and may end under one; with `begins` it is
/// not empty.
fn word(
    terms: &mut Terms,
    buechi: &mut Buechi,
    of: Id,
    begins: Option<u32>,
    ends: u32,
) -> Option<Vec<Place>> {
    let mut nodes: Vec<(Id, Option<(usize, Place)>)> = vec![(of, None)];
    let mut known: FxHashMap<Id, ()> = FxHashMap::default();
    if begins.is_none() {
        known.insert(of, ());
    }
    let mut at = 0;
    while at < nodes.len() {
        let d = nodes[at].0;
        let out = buechi.automaton.output(terms, d);
        if (at > 0 || begins.is_none()) && buechi.tests.of(terms, out) >> ends & 1 == 1 {
            let mut word = Vec::new();
            let mut node = at;
            while let Some((from, place)) = nodes[node].1 {
                word.push(place);
                node = from;
            }
            word.reverse();
            return Some(word);
        }
        for m in buechi.automaton.moves(terms, d) {
            let mut under = buechi.tests.of(terms, m.guard);
            if let (0, Some(v)) = (at, begins) {
                under &= 1 << v;
            }
            if under != 0 && known.insert(m.target, ()).is_none() {
                nodes.push((m.target, Some((at, (under.trailing_zeros(), m.letter)))));
            }
        }
        at += 1;
        if terms.is_spent() {
            return None;
        }
    }
    None
}
