//! Next-state relations on their own support, unfolded as values are met.
//!
//! A relation is what is left of an event: conditions on the state before it, and new values of variables as
//! expressions over that state. Given the value of its highest variable, it becomes, for each new value of that
//! variable, a relation on those further down. Equal rests are one number. So only values that are reached are
//! enumerated, and levels that an event does not mention do not occur in it. (In place of the matrix diagrams of Miner
//! 2004, which are built in full.)

use super::formulas::{Form, Formula, Formulas, NO, NOWHERE, YES};
use super::table::{Table, mix};
use crate::model::text::ast::BinaryOp;

/// A relation.
pub type Rel = u32;

/// The identity on everything below.
pub const IDENTITY: Rel = 1;

/// A new value that is any value of the variable's type.
pub const ANY: Formula = Formula::MAX;

/// One way on: the variable's new value (counted from the least), and the relation on what is below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The new value.
    pub value: u32,
    /// The rest.
    pub rest: Rel,
}

#[derive(Clone, Copy, Debug)]
struct Header {
    /// Where its words begin: conditions, then levels with new values.
    first: u32,
    conditions: u32,
    updates: u32,
    top: u32,
}

/// All relations of one engine, and the expressions that they are made of.
#[derive(Debug)]
pub struct Relations {
    /// The expressions.
    pub formulas: Formulas,
    headers: Vec<Header>,
    words: Vec<u32>,
    table: Table,
    /// (relation, value) to (first way + 1, number of ways), as positions into `spans`.
    met: Table,
    spans: Vec<Span>,
    ways: Vec<Way>,
    conditions: Vec<Formula>,
    updates: Vec<(u32, Formula)>,
    spare: (Vec<Formula>, Vec<(u32, Formula)>),
}

#[derive(Clone, Copy, Debug)]
struct Span {
    rel: Rel,
    value: u32,
    first: u32,
    len: u32,
}

impl Relations {
    /// No relation but the identity.
    pub fn new(formulas: Formulas) -> Self {
        let none = Header {
            first: 0,
            conditions: 0,
            updates: 0,
            top: NOWHERE,
        };
        let vacant = Span {
            rel: 0,
            value: 0,
            first: 0,
            len: 0,
        };
        Relations {
            formulas,
            headers: vec![none, none],
            words: Vec::new(),
            table: Table::default(),
            met: Table::default(),
            spans: vec![vacant],
            ways: Vec::new(),
            conditions: Vec::new(),
            updates: Vec::new(),
            spare: Default::default(),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.formulas.bytes()
            + self.headers.capacity() * size_of::<Header>()
            + self.words.capacity() * 4
            + self.table.bytes()
            + self.met.bytes()
            + self.spans.capacity() * size_of::<Span>()
            + self.ways.capacity() * size_of::<Way>()
    }

    /// The highest level that a relation depends on or changes; [`NOWHERE`] for the identity.
    #[inline]
    pub fn top(&self, rel: Rel) -> u32 {
        self.headers[rel as usize].top
    }

    /// The only value of its highest variable from which a relation goes on, if a condition says so.
    pub fn only(&self, rel: Rel) -> Option<u32> {
        let top = self.top(rel);
        let least = self.formulas.domain(top).0;
        let form = |e: Formula| self.formulas.form(e);
        // As a condition by itself stands only what is true or false.
        let value = self.conditions(rel).iter().find_map(|c| match form(*c) {
            Form::Var(level) if level == top => Some(1),
            Form::Not(e) if form(e) == Form::Var(top) => Some(0),
            Form::Binary(BinaryOp::Eq, a, b) => match (form(a), form(b)) {
                (Form::Var(level), Form::Const(c)) | (Form::Const(c), Form::Var(level)) => {
                    (level == top).then_some(c)
                }
                _ => None,
            },
            _ => None,
        });
        u32::try_from(value? - least).ok()
    }

    /// The conditions of a relation, all of which have to hold.
    pub fn conditions(&self, rel: Rel) -> &[Formula] {
        let h = self.headers[rel as usize];
        &self.words[h.first as usize..(h.first + h.conditions) as usize]
    }

    /// The variables it writes, by level, with their new values.
    pub fn updates(&self, rel: Rel) -> impl Iterator<Item = (u32, Formula)> + '_ {
        let h = self.headers[rel as usize];
        let first = (h.first + h.conditions) as usize;
        self.words[first..first + 2 * h.updates as usize]
            .chunks_exact(2)
            .map(|w| (w[0], w[1]))
    }

    /// The relation with these conditions and new values; `None` if a condition is false.
    pub fn relation(&mut self, conditions: &[Formula], updates: &[(u32, Formula)]) -> Option<Rel> {
        let mut all = Vec::new();
        for &c in conditions {
            self.split(c, &mut all);
        }
        self.conditions = all;
        self.updates.clear();
        self.updates.extend_from_slice(updates);
        self.updates.sort_unstable();
        self.interned()
    }

    /// Conjuncts apart from each other.
    fn split(&self, condition: Formula, into: &mut Vec<Formula>) {
        let mut stack = vec![condition];
        while let Some(c) = stack.pop() {
            match self.formulas.form(c) {
                Form::Binary(crate::model::text::ast::BinaryOp::And, a, b) => stack.extend([a, b]),
                _ => into.push(c),
            }
        }
    }

    /// The relation that lies in `conditions` and `updates`.
    fn interned(&mut self) -> Option<Rel> {
        self.conditions.retain(|&c| c != YES);
        if self.conditions.contains(&NO) {
            return None;
        }
        self.conditions.sort_unstable();
        self.conditions.dedup();
        let formulas = &self.formulas;
        // What is set to itself is not changed.
        self.updates
            .retain(|&(level, e)| e == ANY || formulas.form(e) != Form::Var(level));
        if self.conditions.is_empty() && self.updates.is_empty() {
            return Some(IDENTITY);
        }
        let top_of = |e: Formula| if e == ANY { NOWHERE } else { formulas.top(e) };
        let tops = self.conditions.iter().map(|&c| formulas.top(c));
        let written = self.updates.iter().map(|&(l, e)| l.min(top_of(e)));
        let top = tops.chain(written).min().unwrap_or(NOWHERE);
        let mut hash = mix(self.conditions.len() as u64);
        for &c in &self.conditions {
            hash = mix(hash ^ u64::from(c));
        }
        for &(level, e) in &self.updates {
            hash = mix(hash ^ (u64::from(level) << 32 | u64::from(e)));
        }
        let found = self.table.find(hash, |rel| {
            self.conditions(rel) == self.conditions
                && self.updates(rel).eq(self.updates.iter().copied())
        });
        if found.is_some() {
            return found;
        }
        let header = Header {
            first: self.words.len() as u32,
            conditions: self.conditions.len() as u32,
            updates: self.updates.len() as u32,
            top,
        };
        self.words.extend_from_slice(&self.conditions);
        self.words
            .extend(self.updates.iter().flat_map(|&(l, e)| [l, e]));
        let rel = self.headers.len() as Rel;
        self.headers.push(header);
        self.table.insert(hash, rel);
        Some(rel)
    }

    /// How a relation goes on from a value of its highest variable, as a range for [`Relations::way`].
    #[inline]
    pub fn ways(&mut self, rel: Rel, value: u32) -> std::ops::Range<u32> {
        let hash = mix(u64::from(rel) << 32 | u64::from(value));
        let found = self.met.find(hash, |n| {
            let s = self.spans[n as usize];
            (s.rel, s.value) == (rel, value)
        });
        if let Some(n) = found {
            let s = self.spans[n as usize];
            return s.first..s.first + s.len;
        }
        let first = self.ways.len() as u32;
        self.unfold(rel, value);
        let len = self.ways.len() as u32 - first;
        let number = self.spans.len() as u32;
        self.spans.push(Span {
            rel,
            value,
            first,
            len,
        });
        self.met.insert(hash, number);
        first..first + len
    }

    /// A way.
    #[inline]
    pub fn way(&self, n: u32) -> Way {
        self.ways[n as usize]
    }

    fn unfold(&mut self, rel: Rel, value: u32) {
        let level = self.top(rel);
        let actual = self.formulas.domain(level).0 + i64::from(value);
        let header = self.headers[rel as usize];
        let words = header.first as usize..(header.first + header.conditions) as usize;
        // The buffers of the last unfolding.
        let (mut conditions, mut updates) = std::mem::take(&mut self.spare);
        conditions.clear();
        updates.clear();
        let mut possible = true;
        for n in words.clone() {
            match self.formulas.given(self.words[n], level, actual) {
                NO => {
                    possible = false;
                    break;
                }
                YES => {}
                // What becomes a conjunction is taken apart, so that equal rests are met again.
                c => self.split(c, &mut conditions),
            }
        }
        // Kept by default; a written variable has its new value instead.
        let mut new = None;
        for n in 0..header.updates as usize {
            let at = words.end + 2 * n;
            let (l, e) = (self.words[at], self.words[at + 1]);
            let e = match e {
                ANY => ANY,
                e => self.formulas.given(e, level, actual),
            };
            if l == level {
                new = Some(e);
            } else {
                updates.push((l, e));
            }
        }
        if possible {
            self.lead((level, actual), new, &conditions, &updates);
        }
        self.spare = (conditions, updates);
    }

    /// The ways of a relation whose highest variable has a value, and whose new value, if it has one, is known to
    /// depend on others.
    fn lead(
        &mut self,
        (level, actual): (u32, i64),
        new: Option<Formula>,
        conditions: &[Formula],
        updates: &[(u32, Formula)],
    ) {
        let (lo, hi) = self.formulas.domain(level);
        let known = new.map_or(Some(actual), |e| match e {
            ANY => None,
            e => self.formulas.value(e),
        });
        if let Some(v) = known {
            if (lo..=hi).contains(&v) {
                self.push(v - lo, conditions, updates);
            }
            return;
        }
        let values = match new {
            Some(e) if e != ANY => {
                let (least, greatest) = self.formulas.range(e);
                lo.max(least)..=hi.min(greatest)
            }
            _ => lo..=hi,
        };
        for v in values {
            let mut conditions = conditions.to_vec();
            // The new value depends on variables further down: those decide whether it is this one.
            if let Some(e) = new.filter(|&e| e != ANY) {
                match self.formulas.equals(e, v) {
                    NO => continue,
                    c => self.split(c, &mut conditions),
                }
            }
            self.push(v - lo, &conditions, updates);
        }
    }

    fn push(&mut self, value: i64, conditions: &[Formula], updates: &[(u32, Formula)]) {
        self.conditions.clear();
        self.conditions.extend_from_slice(conditions);
        self.updates.clear();
        self.updates.extend_from_slice(updates);
        if let Some(rest) = self.interned() {
            self.ways.push(Way {
                value: value as u32,
                rest,
            });
        }
    }
}
