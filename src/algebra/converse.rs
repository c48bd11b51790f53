//! Converse, as relation algebra has it, read in omega algebra with domain and divergence.
//!
//! `conv(x)` turns a relation round. It passes sums, products, stars and tests down to the letters, so a statement
//! about converses is one about pairs of letters, x and `conv(x)`. What ties the two together is assumed, as far as
//! the statement speaks of it: each premise turned round, `x <= x conv(x) x`, and for a domain `dom(x) <= x conv(x)`
//! and `dom(x) = cod(conv(x))`. All of that is true of relations (`docs/soundness.md`), so what follows is, too; and
//! a model that refutes a statement has the converse of x for its letter. The laws are those of Kleene algebra with
//! converse (Bloom, Esik & Stefanescu 1995; Brunet & Pous 2014), which assume the second one of all terms.

use super::names;
use crate::kernel::{Id, Index, Node, Operator, Statement, Sym, TOP, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Words of more factors than this are not looked for together with their converses, nor so many of them.
const LONGEST: usize = 4;
const MOST: usize = 16;

/// Terms turned round.
pub struct Converse<'t> {
    /// All terms.
    pub terms: &'t mut Terms,
    /// What is known.
    pub known: &'t mut FxHashMap<Id, Id>,
    /// Names of letters that there are.
    pub letters: &'t mut FxHashSet<String>,
}

impl Converse<'_> {
    /// `conv(t)`
    pub fn of(&mut self, t: Id) -> Id {
        if self.terms.is_test(t) {
            return t;
        }
        if let Some(&known) = self.known.get(&t) {
            return known;
        }
        let done = match self.terms.node(t).clone() {
            Node::Atom(symbol, indices) => {
                let other = self.letter(symbol);
                self.terms.atom(other, indices)
            }
            Node::Sum(all) => {
                let all: Vec<Id> = all.into_iter().map(|x| self.of(x)).collect();
                self.terms.sum(all)
            }
            Node::Product(all) => {
                let all: Vec<Id> = all.into_iter().rev().map(|x| self.of(x)).collect();
                self.terms.product(all)
            }
            Node::Star(x) => {
                let x = self.of(x);
                self.terms.star(x)
            }
            // From where x goes on for ever, x^w leads to all states.
            Node::Omega(x) => {
                let from = self.terms.applied(Operator::Divergence, x);
                self.terms.product([TOP, from])
            }
            Node::SumOver(but, x) => {
                let x = self.of(x);
                self.terms.sum_over(but, x)
            }
            // `T`; all else is a test.
            _ => t,
        };
        self.known.insert(t, done);
        done
    }

    fn letter(&mut self, symbol: Sym) -> Sym {
        let known = &self.terms.symbols()[symbol as usize];
        if let Some(other) = known.converse {
            return other;
        }
        let name = format!("conv_{}", known.name);
        let name = names::letter(&name, |n| self.letters.insert(n.to_string()));
        self.terms.converse(symbol, &name)
    }

    fn statement(&mut self, s: &Statement) -> Statement {
        let turned = |(l, r): &(Id, Id)| (self.of(*l), self.of(*r));
        Statement {
            distinct: s.distinct.clone(),
            parts: s.parts.iter().map(turned).collect(),
        }
    }

    /// What is assumed of the converses in a statement, with names: given are its premises, the terms that it is about,
    /// and laws that lemmas need. Nothing, if no converse occurs, unless it is said to be `of_relations`: then `T` and
    /// domains are so.
    pub fn laws(
        &mut self,
        premises: &[(String, Statement)],
        about: &[Id],
        needed: Vec<(String, Statement)>,
        of_relations: bool,
    ) -> Vec<(String, Statement)> {
        let sides =
            |s: &Statement| -> Vec<Id> { s.parts.iter().flat_map(|(l, r)| [*l, *r]).collect() };
        let mut letters = Letters::default();
        let all: Vec<Vec<Id>> = premises.iter().map(|(_, s)| sides(s)).collect();
        let of_lemmas: Vec<Id> = needed.iter().flat_map(|(_, s)| sides(s)).collect();
        for t in all.iter().flatten().chain(about).chain(&of_lemmas) {
            letters.see(self.terms, *t, true);
        }
        let tells = |n: &Node| matches!(n, Node::Top | Node::Applied(..));
        if of_relations && about.iter().any(|t| self.terms.any(*t, &mut |n| tells(n))) {
            about
                .iter()
                .for_each(|t| letters.see(self.terms, *t, false));
        }
        if letters.0.is_empty() {
            return Vec::new();
        }
        // A premise turned round tells of further converses.
        let mut laws = Laws::new(premises);
        let mut left: Vec<usize> = (0..premises.len()).collect();
        while let Some(at) = left.iter().position(|n| {
            let mut those = all[*n].iter();
            those.any(|t| letters.occur(self.terms, *t))
        }) {
            let n = left.remove(at);
            let (name, premise) = &premises[n];
            all[n]
                .iter()
                .for_each(|t| letters.see(self.terms, *t, false));
            let turned = self.statement(premise);
            let name = match name.as_str() {
                "" => String::new(),
                name => format!("conv({name})"),
            };
            laws.add(&name, turned);
        }
        let about: BTreeSet<Id> = all.iter().flatten().chain(about).copied().collect();
        self.domains(&about, &letters, &mut laws);
        for x in letters.0.clone() {
            let arity = self.terms.symbols()[x as usize].arity as u32;
            let x = self.terms.atom(x, (0..arity).map(Index::Var).collect());
            self.there_and_back(x, &mut laws);
        }
        self.words(&about, &mut laws);
        for (name, law) in needed {
            laws.add(&name, law);
        }
        laws.all
    }

    /// `x <= x conv(x) x`, and the same of `conv(x)`.
    fn there_and_back(&mut self, x: Id, laws: &mut Laws) {
        let y = self.of(x);
        for (x, y) in [(x, y), (y, x)] {
            let longer = self.terms.product([x, y, x]);
            laws.inclusions([(x, longer)]);
        }
    }

    /// What domains, codomains and infinite iteration say of converses.
    fn domains(&mut self, about: &BTreeSet<Id>, letters: &Letters, laws: &mut Laws) {
        for t in parts(self.terms, about) {
            let (operator, x) = match *self.terms.node(t) {
                Node::Applied(Operator::Domain, x) => (Operator::Domain, x),
                Node::Applied(Operator::Codomain, x) => (Operator::Codomain, x),
                Node::Omega(x) if letters.are_all(self.terms, x) => {
                    let from = self.terms.applied(Operator::Divergence, x);
                    let all = self.terms.product([from, TOP]);
                    laws.inclusions([(t, all), (all, t)]);
                    continue;
                }
                _ => continue,
            };
            if !letters.are_all(self.terms, x) {
                continue;
            }
            let other = match operator {
                Operator::Domain => Operator::Codomain,
                _ => Operator::Domain,
            };
            let turned = self.of(x);
            let same = self.terms.applied(other, turned);
            laws.inclusions([(t, same), (same, t)]);
            let both = match operator {
                Operator::Domain => [x, turned],
                _ => [turned, x],
            };
            let through = self.terms.product(both);
            laws.inclusions([(t, through)]);
        }
    }

    /// Words that occur, as do their converses: of each pair `w <= w conv(w) w`. It does not follow from what is
    /// assumed of letters. Words with a letter and its converse are left out: they would be many.
    fn words(&mut self, about: &BTreeSet<Id>, laws: &mut Laws) {
        let mut words = BTreeSet::new();
        for t in parts(self.terms, about) {
            let Node::Product(all) = self.terms.node(t).clone() else {
                continue;
            };
            for length in 2..=LONGEST.min(all.len()) {
                for word in all.windows(length) {
                    let word = self.terms.product(word.iter().copied());
                    if !is_mixed(self.terms, word) {
                        words.insert(word);
                    }
                }
            }
        }
        let mut found = 0;
        for &w in &words {
            let turned = self.of(w);
            if w < turned && words.contains(&turned) && found < MOST {
                found += 1;
                self.there_and_back(w, laws);
            }
        }
    }
}

/// What is assumed, and nothing twice.
struct Laws<'p> {
    premises: &'p [(String, Statement)],
    all: Vec<(String, Statement)>,
}

impl<'p> Laws<'p> {
    fn new(premises: &'p [(String, Statement)]) -> Self {
        Laws {
            premises,
            all: Vec::new(),
        }
    }

    fn inclusions(&mut self, parts: impl IntoIterator<Item = (Id, Id)>) {
        let law = Statement {
            distinct: Vec::new(),
            parts: parts.into_iter().collect(),
        };
        self.add("converse", law);
    }

    fn add(&mut self, name: &str, law: Statement) {
        let says = |s: &Statement| -> BTreeSet<(Id, Id)> { s.parts.iter().copied().collect() };
        let new = says(&law);
        let is_known =
            |(_, s): &(String, Statement)| s.distinct == law.distinct && new.is_subset(&says(s));
        let is_trivial = new.iter().all(|(l, r)| l == r);
        if !is_trivial && !self.premises.iter().chain(&self.all).any(is_known) {
            self.all.push((name.to_string(), law));
        }
    }
}

/// Letters that are spoken of together with their converses.
#[derive(Default)]
struct Letters(BTreeSet<Sym>);

/// The action that a letter is, or is the converse of.
fn action(terms: &Terms, n: &Node) -> Option<(Sym, bool)> {
    match n {
        Node::Atom(s, _) if !terms.symbols()[*s as usize].test => {
            let of = terms.is_converse_of(*s);
            Some((of.unwrap_or(*s), of.is_some()))
        }
        _ => None,
    }
}

impl Letters {
    /// Takes in the letters of a term; or only those of converses.
    fn see(&mut self, terms: &Terms, t: Id, converses: bool) {
        terms.any(t, &mut |n| {
            let found = action(terms, n).filter(|(_, turned)| *turned || !converses);
            self.0.extend(found.map(|(x, _)| x));
            false
        });
    }

    fn occur(&self, terms: &Terms, t: Id) -> bool {
        terms.any(t, &mut |n| {
            action(terms, n).is_some_and(|(x, _)| self.0.contains(&x))
        })
    }

    /// Whether a term has actions, and all are among these.
    fn are_all(&self, terms: &Terms, t: Id) -> bool {
        let other = |n: &Node| action(terms, n).is_some_and(|(x, _)| !self.0.contains(&x));
        self.occur(terms, t) && !terms.any(t, &mut |n| other(n))
    }
}

/// Whether a letter and its converse are in a term.
fn is_mixed(terms: &Terms, t: Id) -> bool {
    let mut seen = FxHashSet::default();
    terms.any(t, &mut |n| {
        seen.extend(action(terms, n));
        false
    });
    seen.iter()
        .any(|(x, turned)| *turned && seen.contains(&(*x, false)))
}

/// All terms in these that bind no index outside of themselves.
fn parts(terms: &Terms, of: &BTreeSet<Id>) -> BTreeSet<Id> {
    let mut all = BTreeSet::new();
    let mut left: Vec<Id> = of.iter().copied().collect();
    while let Some(t) = left.pop() {
        if !terms.is_closed(t) || all.insert(t) {
            left.extend(terms.node(t).parts());
        }
    }
    all
}
