//! Choices of threads that are alike: a fact says the same of both, with bits and owners renamed.
//!
//! In a family of threads most pairs differ only in which bits hold their locations and variables, and in which number
//! they own mutexes by. Whether an inclusion holds depends on the relations of its letters on a set of bits that
//! contains their supports, on which codes are type-correct there, and on whether there is anything outside. If a
//! renaming takes all of these from one choice to the other, the answer is the same. The search is for renamings that
//! keep the order of bits, and permute for each mutex the threads that may own it. They are found on BDDs, node by
//! node; an owner's bits are first replaced by a table over "nobody", "the thread of the letter" and "another one".

use crate::base::evidence::Right;
use crate::engine::Variable;
use crate::engine::relations::{Bit, Encoding, Item, Q, Rel};
use crate::model::program::{CellId, Kind as Typed};
use crate::theorem::discharge::facts::Letter;
use biodivine_lib_bdd::{Bdd, BddPointer};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A relation or test without the names of its bits.
#[derive(Debug)]
struct Own {
    /// The bits it depends on or writes, sorted, with all bits of owners.
    bits: Vec<Bit>,
    /// Equal numbers: equal but for their bits.
    form: u64,
    /// Equal numbers: equal but for their bits and their owners. None if it tells apart other threads than its own.
    ownerless: Option<u64>,
}

/// A choice of threads without the names of the bits.
pub type Key = Vec<u64>;

/// Choices for which a fact is known to hold on all type-correct states.
pub type Seen = FxHashSet<Key>;

/// The forms of a program's actions.
#[derive(Default)]
pub struct Alike {
    own: FxHashMap<(Kind, usize), Rc<Own>>,
    /// Nodes, tables and whole relations by their parts.
    forms: FxHashMap<Key, u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Action,
    Enabled,
    Violated,
    Access(CellId, Right),
}

/// An owner: its bits, and the number of its codes. Code 0 is nobody.
#[derive(Clone)]
struct Owner {
    bits: std::ops::Range<Bit>,
    codes: u64,
    written: bool,
}

impl Alike {
    /// The bits that a letter's action, or the test of its enabledness, depends on or writes. In the place of an action
    /// stands a thread for a test of access.
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
        // Owners are renamed for all letters or for none.
        let forms: Option<Vec<u64>> = own.iter().map(|o| o.ownerless).collect();
        let mut key = vec![
            u64::from(joint.len() < e.layout.bits()),
            u64::from(forms.is_some()),
        ];
        let forms = forms.unwrap_or_else(|| own.iter().map(|o| o.form).collect());
        for (o, form) in own.iter().zip(forms) {
            key.extend([form, o.bits.len() as u64]);
            // Which of the joint bits are its own.
            key.extend(o.bits.iter().map(|b| place(&joint, *b)));
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
            Letter::Action(..) => Kind::Action,
            Letter::Enabled(..) => Kind::Enabled,
            Letter::Access(_, cell, right) => Kind::Access(cell, right),
            // Those of phases have no key (`establish`).
            Letter::Violated | Letter::Phase(..) | Letter::Initial | Letter::Schematic => {
                Kind::Violated
            }
        };
        let action = if kind == Kind::Violated { 0 } else { action };
        let known = (kind, action);
        if let Some(own) = self.own.get(&known) {
            return Rc::clone(own);
        }
        let rel = match kind {
            Kind::Action => e.actions[action].rel.clone(),
            Kind::Enabled => Rel::test(e.actions[action].enabled.clone()),
            Kind::Violated => Rel::test(e.q()),
            Kind::Access(cell, right) => match e.program.protection_of(cell) {
                Some(x) => Rel::test(e.access(x, action, right).clone()),
                None => Rel::test(e.m.no()),
            },
        };
        let mut bits = match kind {
            Kind::Violated => vec![Q],
            _ => rel.support(&e.m),
        };
        let owners = owners(e, &rel, &bits);
        bits.extend(owners.iter().flat_map(|o| o.bits.clone()));
        bits.sort_unstable();
        bits.dedup();
        // A relation and a test are never alike, nor are those that write different bits.
        let mut written: Key = rel.writes.iter().map(|b| place(&bits, *b)).collect();
        let kind = match kind {
            Kind::Action => 0,
            Kind::Enabled => 1,
            Kind::Violated => 2,
            Kind::Access(..) => 3,
        };
        written.push(kind);
        let whole = |root: Option<u64>, tag: u64| -> Option<Key> {
            let mut whole = vec![tag, root?];
            whole.extend(&written);
            Some(whole)
        };
        let root = self.node(&rel.bdd, &bits, &[], 0);
        let unique = vec![UNIQUE, kind, action as u64];
        let form = self.number(whole(root, WHOLE).unwrap_or(unique));
        let thread = match letter {
            Letter::Access(..) => Some(action),
            _ => e.actions.get(action).map(|a| a.thread),
        };
        let thread = thread.map_or(0, |t| t as u64 + 1);
        let root = self.node(&rel.bdd, &bits, &owners, thread);
        let ownerless = whole(root, WITHOUT_OWNERS).map(|whole| self.number(whole));
        let own = Rc::new(Own {
            bits,
            form,
            ownerless,
        });
        self.own.insert(known, Rc::clone(&own));
        own
    }

    fn number(&mut self, parts: Key) -> u64 {
        let next = self.forms.len() as u64 + 2;
        *self.forms.entry(parts).or_insert(next)
    }

    /// The number of a BDD, each bit replaced by its place among `bits`, owners by tables; `own` is the code of the
    /// thread concerned. None if another thread's code matters.
    fn node(&mut self, bdd: &Bdd, bits: &[Bit], owners: &[Owner], own: u64) -> Option<u64> {
        if let Some(constant) = bdd.as_bool() {
            return Some(u64::from(constant));
        }
        let bit_of = |p: BddPointer| (bdd.var_of(p).to_index() / 3) as Bit;
        let owner_of = |p: BddPointer| match p.is_terminal() {
            true => None,
            false => owners.iter().position(|o| o.bits.contains(&bit_of(p))),
        };
        // Tables begin where an owner's bits are entered from outside.
        let mut entered: FxHashSet<BddPointer> = FxHashSet::default();
        entered.insert(bdd.root_pointer());
        for p in bdd.pointers().skip(2) {
            for below in [bdd.low_link_of(p), bdd.high_link_of(p)] {
                if owner_of(p) != owner_of(below) {
                    entered.insert(below);
                }
            }
        }
        // Children come before their parents in the list of nodes.
        let mut numbers: FxHashMap<BddPointer, u64> = FxHashMap::default();
        numbers.insert(BddPointer::zero(), 0);
        numbers.insert(BddPointer::one(), 1);
        for p in bdd.pointers().skip(2) {
            let at = 3 * place(bits, bit_of(p)) + (bdd.var_of(p).to_index() % 3) as u64;
            let parts: Key = match owner_of(p) {
                None => {
                    let (low, high) = (bdd.low_link_of(p), bdd.high_link_of(p));
                    vec![NODE, at, *numbers.get(&low)?, *numbers.get(&high)?]
                }
                Some(_) if !entered.contains(&p) => continue,
                Some(n) => {
                    let mut parts = vec![TABLE, place(bits, owners[n].bits.start)];
                    for exit in table(bdd, p, &owners[n], own)? {
                        parts.push(*numbers.get(&exit)?);
                    }
                    parts
                }
            };
            let number = self.number(parts);
            numbers.insert(p, number);
        }
        numbers.get(&bdd.root_pointer()).copied()
    }
}

const NODE: u64 = 0;
const TABLE: u64 = 1;
const WHOLE: u64 = 2;
const WITHOUT_OWNERS: u64 = 3;
const UNIQUE: u64 = 4;

/// Owners with more codes than this are not looked at as such.
const MOST_CODES: u64 = 300;

/// The owners that a relation reads or writes.
fn owners(e: &Encoding, rel: &Rel, bits: &[Bit]) -> Vec<Owner> {
    let mut all: Vec<Owner> = Vec::new();
    for &bit in bits {
        let Some(item @ Item::Of(Variable::Cell(c))) = e.layout.item(bit) else {
            continue;
        };
        let group = e.layout.group(item);
        let known = all.last().is_some_and(|o| o.bits == group.bits());
        if e.program.cells[c].ty.kind == Typed::Owner && !known && group.values <= MOST_CODES {
            all.push(Owner {
                bits: group.bits(),
                codes: group.values,
                written: group.bits().any(|b| rel.writes.binary_search(&b).is_ok()),
            });
        }
    }
    all
}

/// Where a BDD goes on from a node below an owner's bits: for each class of codes before the step (nobody, the own
/// thread, another), and after it if it is written. None if two other threads make a difference.
fn table(bdd: &Bdd, from: BddPointer, owner: &Owner, own: u64) -> Option<Vec<BddPointer>> {
    let width = owner.bits.end - owner.bits.start;
    let exit = |before: u64, after: u64| -> Option<BddPointer> {
        let mut at = from;
        while !at.is_terminal() {
            let level = bdd.var_of(at).to_index();
            let bit = (level / 3) as Bit;
            if !owner.bits.contains(&bit) {
                break;
            }
            let code = match level % 3 {
                0 => before,
                1 => after,
                _ => return None,
            };
            let shift = width - 1 - (bit - owner.bits.start);
            at = match code >> shift & 1 {
                1 => bdd.high_link_of(at),
                _ => bdd.low_link_of(at),
            };
        }
        Some(at)
    };
    let class = |code: u64| match code {
        0 => 0,
        _ if code == own => 1,
        _ => 2,
    };
    // Two other threads, before and after, may be the same or not.
    let mut exits: Vec<Option<BddPointer>> = vec![None; 10];
    for before in 0..owner.codes {
        let range = if owner.written { 0..owner.codes } else { 0..1 };
        for after in range {
            let place = match (class(before), class(after)) {
                (2, 2) if before == after => 9,
                (b, a) => 3 * b + a,
            };
            let leads = exit(before, after)?;
            match &mut exits[place] {
                None => exits[place] = Some(leads),
                Some(known) if *known == leads => {}
                Some(_) => return None,
            }
        }
    }
    // What no code belongs to looks like nothing.
    let shown = exits.into_iter().map(|x| x.unwrap_or(BddPointer::zero()));
    Some(shown.collect())
}

fn place(bits: &[Bit], bit: Bit) -> u64 {
    bits.partition_point(|b| *b < bit) as u64
}
