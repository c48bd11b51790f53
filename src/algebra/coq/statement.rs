//! Statements as propositions, and what their proofs are made of: quantifiers, conjunctions, instances.

use super::print::{Printer, Scope};
use crate::kernel::{Id, Index, Node, Statement, Sym, Terms};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The index variables and the symbols of terms.
pub fn parts_of(terms: &Terms, of: impl IntoIterator<Item = Id>) -> (BTreeSet<u32>, BTreeSet<Sym>) {
    let (mut variables, mut symbols) = (BTreeSet::new(), BTreeSet::new());
    for t in of {
        terms.any(t, &mut |node| {
            if let Node::Atom(s, _) = node {
                symbols.insert(*s);
            }
            if let Node::Atom(_, is) | Node::SumOver(is, _) | Node::ProductOver(is, _) = node {
                variables.extend(is.iter().filter_map(|i| match i {
                    Index::Var(v) => Some(*v),
                    Index::Bound(_) => None,
                }));
            }
            false
        });
    }
    (variables, symbols)
}

/// The sides of all parts.
pub fn sides(s: &Statement) -> impl Iterator<Item = Id> + '_ {
    s.parts.iter().flat_map(|(l, r)| [*l, *r])
}

/// Inclusions of a statement, with two that make an equation taken together.
pub fn conjuncts(parts: &[(Id, Id)]) -> Vec<(usize, bool)> {
    let mut all = Vec::new();
    let mut n = 0;
    while n < parts.len() {
        let (l, r) = parts[n];
        let equal = parts.get(n + 1) == Some(&(r, l));
        all.push((n, equal));
        n += if equal { 2 } else { 1 };
    }
    all
}

/// `forall i j, i <> j ->`: what stands before a claim, and the names for what it introduces.
pub struct Prefix {
    /// Variables that it binds.
    pub variables: BTreeSet<u32>,
    /// Pairs that differ.
    pub distinct: Vec<(u32, u32)>,
}

impl Prefix {
    /// That of a claim or a statement.
    pub fn new(terms: &Terms, of: impl IntoIterator<Item = Id>, distinct: &[(u32, u32)]) -> Self {
        let (mut variables, _) = parts_of(terms, of);
        variables.extend(distinct.iter().flat_map(|(i, j)| [*i, *j]));
        Prefix {
            variables,
            distinct: distinct.to_vec(),
        }
    }

    /// The scope behind it.
    pub fn enter(&self, printer: &Printer, scope: &Scope) -> Scope {
        let mut inner = scope.clone();
        let bound = |v: &u32| self.variables.contains(v);
        inner.distinct.retain(|(i, j), _| !bound(i) && !bound(j));
        for v in &self.variables {
            let name = printer.names.variables[*v as usize].clone();
            inner.variables.insert(*v, name);
        }
        for (i, j) in &self.distinct {
            inner.distinct.insert((*i, *j), format!("d_{i}_{j}"));
        }
        inner
    }

    /// As a proposition's beginning.
    pub fn forall(&self, printer: &Printer, inner: &Scope) -> String {
        let mut text = String::new();
        if !self.variables.is_empty() {
            let _ = write!(text, "forall {} : process, ", self.bound(printer, inner));
        }
        for (i, j) in &self.distinct {
            let (i, j) = (Index::Var(*i), Index::Var(*j));
            let _ = write!(
                text,
                "{} <> {} -> ",
                printer.index(i, inner),
                printer.index(j, inner)
            );
        }
        text
    }

    fn bound(&self, printer: &Printer, inner: &Scope) -> String {
        let all: Vec<String> = self
            .variables
            .iter()
            .map(|v| printer.index(Index::Var(*v), inner))
            .collect();
        all.join(" ")
    }

    /// Names for what it binds, as `intros` and `fun` take them.
    pub fn intros(&self, printer: &Printer, inner: &Scope) -> String {
        let mut text = self.bound(printer, inner);
        for (i, j) in &self.distinct {
            let _ = write!(text, " d_{i}_{j}");
        }
        text
    }

    /// `proof` with values for what it binds: variables renamed, then as they are called at the place.
    pub fn apply(
        &self,
        proof: &str,
        map: &[(u32, u32)],
        printer: &Printer,
        scope: &Scope,
    ) -> String {
        if self.variables.is_empty() {
            return proof.to_string();
        }
        let to = |v: u32| {
            map.iter()
                .find(|(from, _)| *from == v)
                .map_or(v, |(_, to)| *to)
        };
        let mut text = format!("({proof}");
        for v in &self.variables {
            let _ = write!(text, " {}", printer.index(Index::Var(to(*v)), scope));
        }
        for (i, j) in &self.distinct {
            let _ = write!(text, " {}", scope.differ(to(*i), to(*j)));
        }
        text + ")"
    }
}

/// A statement as a proposition.
pub fn proposition(printer: &mut Printer, s: &Statement, scope: &Scope) -> String {
    let prefix = Prefix::new(printer.terms, sides(s), &s.distinct);
    let inner = prefix.enter(printer, scope);
    let parts: Vec<String> = conjuncts(&s.parts)
        .into_iter()
        .map(|(n, equal)| {
            let (l, r) = s.parts[n];
            let order = if equal { "≡" } else { "≦" };
            format!(
                "{} {order} {}",
                printer.term(l, &inner),
                printer.term(r, &inner)
            )
        })
        .collect();
    let all = match parts.is_empty() {
        true => "True".to_string(),
        false => parts.join(" /\\ "),
    };
    prefix.forall(printer, &inner) + &all
}

/// A part of a proved statement: `proof` is one of the conjunction.
pub fn part(proof: &str, parts: &[(Id, Id)], n: usize) -> String {
    let all = conjuncts(parts);
    let Some(at) = all.iter().rposition(|(first, _)| *first <= n) else {
        return proof.to_string();
    };
    let mut text = proof.to_string();
    for _ in 0..at {
        text = format!("(proj2 {text})");
    }
    if at + 1 < all.len() {
        text = format!("(proj1 {text})");
    }
    match all[at] {
        (first, true) if first == n => format!("(le {text})"),
        (_, true) => format!("(ge {text})"),
        (_, false) => text,
    }
}

/// A proof of all parts from one of each.
pub fn together(parts: &[(Id, Id)], proofs: &[String]) -> String {
    let one = |(n, equal): (usize, bool)| {
        let of = |n: usize| proofs.get(n).cloned().unwrap_or_default();
        match equal {
            true => format!("(both {} {})", of(n), of(n + 1)),
            false => of(n),
        }
    };
    let mut rest = conjuncts(parts).into_iter().rev().map(one);
    let last = rest.next().unwrap_or_else(|| "I".to_string());
    rest.fold(last, |all, x| format!("(conj {x} {all})"))
}

/// `(x y : X) (u : process -> X) ..`: binders for letters; empty if there are none.
pub fn binders(printer: &Printer, letters: &BTreeSet<Sym>) -> String {
    let mut groups: BTreeMap<(usize, String), Vec<&str>> = BTreeMap::new();
    for (place, s) in letters.iter().enumerate() {
        let symbol = &printer.terms.symbols()[*s as usize];
        let sort = "process -> ".repeat(symbol.arity) + if symbol.test { "B" } else { "X" };
        let name = printer.names.symbols[*s as usize].as_str();
        let known = groups.keys().find(|(_, k)| *k == sort).cloned();
        groups
            .entry(known.unwrap_or((place, sort)))
            .or_default()
            .push(name);
    }
    let all: Vec<String> = groups
        .into_iter()
        .map(|((_, sort), names)| format!("({} : {sort})", names.join(" ")))
        .collect();
    all.join(" ")
}

/// The letters of [`binders`] in its order.
pub fn ordered(terms: &Terms, letters: &BTreeSet<Sym>) -> Vec<Sym> {
    let kind = |s: &Sym| {
        let symbol = &terms.symbols()[*s as usize];
        (symbol.test, symbol.arity)
    };
    let first = |s: &Sym| letters.iter().position(|x| kind(x) == kind(s));
    let mut all: Vec<Sym> = letters.iter().copied().collect();
    all.sort_by_key(|s| (first(s), *s));
    all
}

/// A scope with letters and nothing else.
pub fn with(letters: &BTreeSet<Sym>) -> Scope {
    Scope {
        letters: letters.iter().copied().collect::<FxHashSet<Sym>>(),
        ..Scope::default()
    }
}
