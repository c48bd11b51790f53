//! Converse, as relation algebra has it, read in omega algebra with domain and divergence.
//!
//! `conv(x)` turns a relation round. It passes sums, products, stars and tests down to the letters, so a statement
//! about converses is one about pairs of letters, x and `conv(x)`. What ties the two together is assumed, as far as
//! the statement speaks of it: its premises turned round; `x <= x conv(x) x`; and for a domain `dom(x) <= x conv(x)`
//! and `dom(x) = cod(conv(x))`. All of that is true of relations (`docs/soundness.md`), so what follows is, too. A
//! model has one relation for x and `conv(x)`. Kleene algebra with converse assumes `x <= x conv(x) x` of all terms x
//! (Bloom, Esik & Stefanescu 1995; Brunet & Pous 2014); here it is assumed of letters, and of words that a proof may
//! need it for.

use super::names;
use crate::kernel::{Id, Index, Node, Operator, Statement, Sym, TOP, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Words that are looked for together with their converses: most in one product, and most factors of one.
const WORDS: usize = 4_000;
const LONGEST: usize = 100;
/// So many of these are spoken of, the longest first.
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

    /// What is said of the letters that a statement has together with their converses. It has these premises, and is
    /// about these terms; lemmas that it uses need some laws. If it is meant `of_relations`, and speaks of `T` or
    /// domains, all its letters are such.
    pub fn said(
        &mut self,
        premises: &[(String, Statement)],
        about: &[Id],
        needed: Vec<Statement>,
        of_relations: bool,
    ) -> Said {
        let sides = |s: &Statement| -> Vec<Id> {
            let sides = s.parts.iter().flat_map(|(l, r)| [*l, *r]);
            sides.collect()
        };
        let assumed: Vec<Vec<Id>> = premises.iter().map(|(_, s)| sides(s)).collect();
        let all = assumed.iter().flatten().chain(about);
        let all: BTreeSet<Id> = all.copied().collect();
        let tells = |n: &Node| matches!(n, Node::Top | Node::Applied(..));
        let alone = !of_relations || !all.iter().any(|t| self.terms.any(*t, &mut |n| tells(n)));
        let mut letters = Letters::default();
        all.iter().for_each(|t| letters.see(self.terms, *t, alone));
        let of_lemmas = needed.iter().flat_map(sides);
        of_lemmas.for_each(|t| letters.see(self.terms, t, true));
        let mut said = Said::default();
        if letters.0.is_empty() {
            return said;
        }
        for (_, premise) in premises {
            said.is_new(premise);
        }
        // A premise turned round tells of further converses.
        let mut left: Vec<usize> = (0..premises.len()).collect();
        loop {
            let before = left.len();
            left.retain(|&n| {
                let speaks = assumed[n].iter().any(|t| letters.occur(self.terms, *t));
                if speaks {
                    let those = assumed[n].iter();
                    those.for_each(|t| letters.see(self.terms, *t, false));
                    let (name, premise) = &premises[n];
                    let turned = self.statement(premise);
                    said.turn(name, turned);
                }
                !speaks
            });
            if left.len() == before {
                break;
            }
        }
        self.domains(&all, &letters, &mut said);
        for x in letters.0.clone() {
            let arity = self.terms.symbols()[x as usize].arity as u32;
            let x = self.terms.atom(x, (0..arity).map(Index::Var).collect());
            self.there_and_back(x, &mut said);
        }
        self.words(&all, &mut said);
        for law in needed {
            said.law(law);
        }
        said
    }

    /// `x <= x conv(x) x`, and the same of `conv(x)`.
    fn there_and_back(&mut self, x: Id, said: &mut Said) {
        let y = self.of(x);
        for (x, y) in [(x, y), (y, x)] {
            let longer = self.terms.product([x, y, x]);
            said.inclusions([(x, longer)]);
        }
    }

    /// What domains, codomains and infinite iteration say of converses.
    fn domains(&mut self, about: &BTreeSet<Id>, letters: &Letters, said: &mut Said) {
        for t in parts(self.terms, about) {
            let (operator, x) = match *self.terms.node(t) {
                Node::Applied(Operator::Domain, x) => (Operator::Domain, x),
                Node::Applied(Operator::Codomain, x) => (Operator::Codomain, x),
                Node::Omega(x) if letters.are_all(self.terms, x) => {
                    let from = self.terms.applied(Operator::Divergence, x);
                    let all = self.terms.product([from, TOP]);
                    said.inclusions([(t, all), (all, t)]);
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
            said.inclusions([(t, same), (same, t)]);
            let both = match operator {
                Operator::Domain => [x, turned],
                _ => [turned, x],
            };
            let through = self.terms.product(both);
            said.inclusions([(t, through)]);
        }
    }

    /// Words that occur, as do their converses: of each pair `w <= w conv(w) w`. It does not follow from what is
    /// assumed of letters. Words with a letter and its converse are left out: they would be many.
    fn words(&mut self, about: &BTreeSet<Id>, said: &mut Said) {
        let mut words = BTreeSet::new();
        for t in parts(self.terms, about) {
            let Node::Product(all) = self.terms.node(t).clone() else {
                continue;
            };
            let longest = LONGEST.min(all.len()).min(WORDS / all.len());
            for length in 2..=longest {
                for word in all.windows(length) {
                    let word = self.terms.product(word.iter().copied());
                    if !is_mixed(self.terms, word) {
                        words.insert((Reverse(length), word));
                    }
                }
            }
        }
        let mut found = 0;
        for &(length, w) in &words {
            let turned = self.of(w);
            if w < turned && words.contains(&(length, turned)) && found < MOST {
                found += 1;
                self.there_and_back(w, said);
            }
        }
    }
}

/// Processes that differ, and one side below the other.
type Inclusion = (Vec<(u32, u32)>, (Id, Id));

/// What is assumed beside the premises, and nothing twice.
#[derive(Default)]
pub struct Said {
    /// The premises turned round, with names: they hold if the premises do.
    pub turned: Vec<(String, Statement)>,
    /// What holds of all relations.
    pub laws: Vec<Statement>,
    /// Inclusions that are assumed.
    known: FxHashSet<Inclusion>,
}

impl Said {
    /// Whether a statement says more than is known, which it is from now on.
    fn is_new(&mut self, s: &Statement) -> bool {
        let mut new = false;
        for part in s.parts.iter().filter(|(l, r)| l != r) {
            new |= self.known.insert((s.distinct.clone(), *part));
        }
        new
    }

    fn turn(&mut self, name: &str, turned: Statement) {
        if self.is_new(&turned) {
            let name = match name {
                "" => String::new(),
                name => format!("conv({name})"),
            };
            self.turned.push((name, turned));
        }
    }

    fn law(&mut self, law: Statement) {
        if self.is_new(&law) {
            self.laws.push(law);
        }
    }

    fn inclusions(&mut self, parts: impl IntoIterator<Item = (Id, Id)>) {
        self.law(Statement {
            distinct: Vec::new(),
            parts: parts.into_iter().collect(),
        });
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
    let mut all = of.clone();
    let mut left: Vec<Id> = of.iter().copied().collect();
    while let Some(t) = left.pop() {
        let parts = terms.node(t).parts();
        left.extend(parts.iter().filter(|t| all.insert(**t)));
    }
    all.retain(|t| terms.is_closed(*t));
    all
}
