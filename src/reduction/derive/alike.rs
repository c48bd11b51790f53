//! Choices of threads that are alike: what a fact says of one is what it says of the other, with the bits renamed.
//!
//! In a family of threads most pairs differ only in which bits hold their locations and variables. Whether an inclusion holds depends on the relations
//! of its letters on their joint support, on which codes are type-correct there, and on whether there is anything outside. If a renaming of bits takes all of these
//! from one choice to the other, the answer is the same. Here only renamings that keep the order of bits are looked for; they are seen by comparing BDDs node by node.

use super::super::facts::Letter;
use crate::relation::{Bit, Encoding, Q, Rel};
use biodivine_lib_bdd::Bdd;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A relation or test without the names of its bits.
#[derive(Debug)]
struct Own {
    /// The bits it depends on or writes, sorted.
    bits: Vec<Bit>,
    /// Equal numbers: equal but for their bits.
    form: usize,
}

/// A choice of threads without the names of the bits.
pub type Key = Vec<u64>;

/// The forms of a program's actions.
#[derive(Default)]
pub struct Alike {
    own: FxHashMap<(Kind, usize), Rc<Own>>,
    forms: FxHashMap<Key, usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Action,
    Enabled,
    Violated,
}

impl Alike {
    /// The bits that a letter's action, or the test of its enabledness, depends on or writes.
    pub fn bits(&mut self, e: &Encoding, letter: Letter, action: usize) -> Vec<Bit> {
        self.own(e, letter, action).bits.clone()
    }

    /// What a choice of threads looks like to a fact: for each of its letters the action that it stands for.
    pub fn key(&mut self, e: &Encoding, letters: &[(Letter, usize)]) -> Key {
        let own: Vec<Rc<Own>> = letters.iter().map(|(l, a)| self.own(e, *l, *a)).collect();
        let mut joint: Vec<Bit> = own.iter().flat_map(|o| o.bits.iter().copied()).collect();
        joint.sort_unstable();
        joint.dedup();
        let joint = e.with_groups(&joint);
        let mut key = vec![u64::from(joint.len() < e.layout.bits())];
        for o in &own {
            key.push(o.form as u64);
            // Which of the joint bits are its own.
            key.extend(o.bits.iter().map(|b| joint.partition_point(|x| x < b) as u64));
        }
        // Which bits hold a code together, and how many codes there are.
        let mut last = None;
        for bit in &joint {
            let item = e.layout.item(*bit);
            let values = item.map_or(2, |i| e.layout.group(i).values);
            let begins = u64::from(item != last);
            key.push(match values.is_power_of_two() {
                true => 0,
                false => 2 * values + begins,
            });
            last = item;
        }
        key
    }

    fn own(&mut self, e: &Encoding, letter: Letter, action: usize) -> Rc<Own> {
        let kind = match letter {
            Letter::Action(..) | Letter::Hole => Kind::Action,
            Letter::Enabled(..) => Kind::Enabled,
            Letter::Violated => Kind::Violated,
        };
        let action = if kind == Kind::Violated { 0 } else { action };
        if let Some(known) = self.own.get(&(kind, action)) {
            return Rc::clone(known);
        }
        let rel = match kind {
            Kind::Action => e.actions[action].rel.clone(),
            Kind::Enabled => Rel::test(e.actions[action].enabled.clone()),
            Kind::Violated => Rel::test(e.q()),
        };
        let bits = match kind {
            Kind::Violated => vec![Q],
            _ => rel.support(&e.m),
        };
        let mut form = nodes(&rel.bdd, &bits);
        form.extend(rel.writes.iter().map(|b| place(&bits, *b)));
        // A relation and a test are never alike, nor are those that write different numbers of bits.
        form.extend([rel.writes.len() as u64, kind as u64]);
        let next = self.forms.len();
        let form = *self.forms.entry(form).or_insert(next);
        let own = Rc::new(Own { bits, form });
        self.own.insert((kind, action), Rc::clone(&own));
        own
    }
}

fn place(bits: &[Bit], bit: Bit) -> u64 {
    bits.partition_point(|b| *b < bit) as u64
}

/// The nodes of a BDD, each bit replaced by its place among `bits`.
fn nodes(bdd: &Bdd, bits: &[Bit]) -> Key {
    let mut all = vec![bdd.pointers().len() as u64];
    for p in bdd.pointers().skip(2) {
        let level = bdd.var_of(p).to_index();
        all.push(3 * place(bits, (level / 3) as Bit) + (level % 3) as u64);
        all.push(bdd.low_link_of(p).to_index() as u64);
        all.push(bdd.high_link_of(p).to_index() as u64);
    }
    all
}

/// Choices for which a fact is known to hold on all type-correct states.
pub type Seen = FxHashSet<Key>;
