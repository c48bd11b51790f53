//! The conditions of paths, each by number, and which of them are contradictory together.
//!
//! Paths of one question meet the same conditions again and again, and so do questions about similar steps. So a
//! condition is written once, and what was found of some of them is kept. None of this depends on what atoms stand for.

use super::linear::{Atom, Literal, contradictory};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// A condition, by number. The number of its negation differs in the last bit.
pub(super) type Condition = u32;

/// Conditions, and conjunctions of them, that are remembered.
const REMEMBERED: usize = 1 << 16;

/// The conditions that were met.
#[derive(Debug, Default)]
pub(super) struct Conditions(RefCell<Table>);

#[derive(Debug, Default)]
struct Table {
    all: Vec<Met>,
    numbers: FxHashMap<Rc<Literal>, Condition>,
    contradictory: FxHashMap<Vec<Condition>, bool>,
}

#[derive(Debug)]
struct Met {
    literal: Rc<Literal>,
    /// A bit for each of its atoms, which others may have, too: most conditions have no bit in common.
    bits: u64,
}

impl Met {
    fn new(literal: Rc<Literal>) -> Self {
        let bits = atoms(&literal).fold(0, |all, a| all | bit(a));
        Met { literal, bits }
    }
}

fn atoms(literal: &Literal) -> impl Iterator<Item = Atom> {
    literal.term().terms.iter().map(|t| t.0)
}

fn bit(atom: Atom) -> u64 {
    1 << (atom % u64::BITS)
}

/// The condition that holds where another does not.
pub(super) fn negation(of: Condition) -> Condition {
    of ^ 1
}

impl Conditions {
    /// Whether so many were met that one had better begin anew.
    pub fn are_many(&self) -> bool {
        self.0.borrow().all.len() >= REMEMBERED
    }

    /// The number of a condition.
    pub fn number(&self, literal: Literal) -> Condition {
        let literal = literal.normal();
        let mut table = self.0.borrow_mut();
        if let Some(&known) = table.numbers.get(&literal) {
            return known;
        }
        let number = table.all.len() as Condition;
        let negated = literal.not().normal();
        for (literal, n) in [(literal, number), (negated, negation(number))] {
            let literal = Rc::new(literal);
            table.all.push(Met::new(Rc::clone(&literal)));
            table.numbers.insert(literal, n);
        }
        number
    }

    /// The atom that a condition gives a value, and the value.
    pub fn value(&self, condition: Condition) -> Option<(Atom, i128)> {
        match &*self.0.borrow().all[condition as usize].literal {
            Literal::Zero(x) => match x.terms.as_slice() {
                [(atom, c)] if c.abs() == 1 => Some((*atom, -x.constant * c)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether no integers satisfy all conditions, if those before the last are not contradictory: then only those
    /// matter that have to do with it. `false` if that is not seen.
    pub fn contradict(&self, all: &[Condition], last: Condition) -> bool {
        let key = self.0.borrow().linked(all, last);
        if let Some(&known) = self.0.borrow().contradictory.get(&key) {
            return known;
        }
        let mut table = self.0.borrow_mut();
        let found = contradictory(key.iter().map(|c| &*table.all[*c as usize].literal));
        if table.contradictory.len() >= REMEMBERED {
            table.contradictory.clear();
        }
        table.contradictory.insert(key, found);
        found
    }
}

impl Table {
    /// A condition, and those of others that have to do with it.
    fn linked(&self, all: &[Condition], last: Condition) -> Vec<Condition> {
        let met = |c: Condition| &self.all[c as usize];
        let mut of: Vec<Atom> = atoms(&met(last).literal).collect();
        let mut bits = met(last).bits;
        let mut linked = vec![last];
        let mut rest = all.to_vec();
        loop {
            let before = rest.len();
            rest.retain(|&c| {
                let met = met(c);
                let is_linked =
                    met.bits & bits != 0 && atoms(&met.literal).any(|a| of.contains(&a));
                if is_linked {
                    of.extend(atoms(&met.literal));
                    bits |= met.bits;
                    linked.push(c);
                }
                !is_linked
            });
            if rest.len() == before {
                return linked;
            }
        }
    }
}
