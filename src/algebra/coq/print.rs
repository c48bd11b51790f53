//! Terms in the notation of relation-algebra.
//!
//! A product of tests over processes is printed as the complement of the sum of their complements. A test among actions
//! stands in brackets.

use super::names::Names;
use super::tree::{Sort, Tree};
use crate::kernel::{Id, Index, Node, Operator, Sym, TOP, Terms, ZERO};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What is in scope at a place of the text.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Symbols that may be spoken of; others are `0`.
    pub letters: FxHashSet<Sym>,
    /// Index variables by number; others stand for any process.
    pub variables: BTreeMap<u32, String>,
    /// Proofs that two processes differ.
    pub distinct: FxHashMap<(u32, u32), String>,
    /// What binders around the place are called, from the outside.
    pub binders: Vec<String>,
}

impl Scope {
    /// The same under one more binder; its name.
    pub fn under(&self) -> (Scope, String) {
        let mut inner = self.clone();
        let name = format!("k{}", self.binders.len());
        inner.binders.push(name.clone());
        (inner, name)
    }

    /// A proof that two processes differ.
    pub fn differ(&self, i: u32, j: u32) -> String {
        match (self.distinct.get(&(i, j)), self.distinct.get(&(j, i))) {
            (Some(proof), _) => proof.clone(),
            (None, Some(proof)) => format!("(not_eq_sym {proof})"),
            // No kernel proof gets here; Coq would say so.
            (None, None) => "I".to_string(),
        }
    }
}

/// Prints terms.
pub struct Printer<'a> {
    /// The terms.
    pub terms: &'a mut Terms,
    /// The identifiers.
    pub names: &'a Names,
}

/// How what stands around a term binds: a sum, a product, a postfix or prefix operator.
const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const TIGHT: u8 = 3;

/// What an opaque part is called: its number, and the sort it is wanted for.
pub type Opaque<'f> = dyn FnMut(&mut Printer, Id, Sort) -> Option<String> + 'f;

impl Printer<'_> {
    /// An index.
    pub fn index(&self, i: Index, scope: &Scope) -> String {
        let known = match i {
            Index::Var(v) => scope.variables.get(&v),
            Index::Bound(n) => (scope.binders.len())
                .checked_sub(1 + n as usize)
                .and_then(|n| scope.binders.get(n)),
        };
        known.map_or("someone".to_string(), String::clone)
    }

    /// A list of processes left out.
    pub fn but(&self, but: &[Index], scope: &Scope) -> String {
        let mut text = String::new();
        for i in but {
            text.push_str(&self.index(*i, scope));
            text.push_str(" :: ");
        }
        match but {
            [] => "nil".to_string(),
            _ => format!("({text}nil)"),
        }
    }

    /// A term in normal form.
    pub fn term(&mut self, t: Id, scope: &Scope) -> String {
        self.tree(&Tree::Term(t), Sort::Element, scope, &mut |_, _, _| None)
    }

    /// A term in normal form as an argument.
    pub fn argument(&mut self, t: Id, sort: Sort, scope: &Scope) -> String {
        let mut text = String::new();
        let nothing: &mut Opaque = &mut |_, _, _| None;
        self.put(&mut text, &Tree::Term(t), sort, TIGHT, scope, nothing);
        text
    }

    /// A term; `opaque` is asked first how tests, atoms, omegas, sums over processes and `T` are to be printed.
    pub fn tree(&mut self, t: &Tree, sort: Sort, scope: &Scope, opaque: &mut Opaque) -> String {
        let mut text = String::new();
        self.put(&mut text, t, sort, 0, scope, opaque);
        text
    }

    /// `(fun k => ..)`, the body of a sum over processes.
    pub fn function(&mut self, body: Id, sort: Sort, scope: &Scope) -> String {
        let (inner, k) = scope.under();
        let nothing: &mut Opaque = &mut |_, _, _| None;
        let body = self.tree(&Tree::Term(body), sort, &inner, nothing);
        format!("(fun {k} => {body})")
    }

    fn put(
        &mut self,
        text: &mut String,
        t: &Tree,
        sort: Sort,
        outside: u8,
        scope: &Scope,
        opaque: &mut Opaque,
    ) {
        // Printing shares nothing, so what is short as a term can be long as a text.
        self.terms.spend(1);
        if self.terms.is_spent() {
            return;
        }
        let test = sort == Sort::Test;
        let wrap = |me: &mut Self,
                    text: &mut String,
                    level: u8,
                    f: &mut dyn FnMut(&mut Self, &mut String)| {
            let brackets = outside > level;
            text.push_str(if brackets { "(" } else { "" });
            f(me, text);
            text.push_str(if brackets { ")" } else { "" });
        };
        match t {
            Tree::Term(t) => {
                let tree = match self.taken_apart(*t, sort) {
                    Ok(tree) => match test.then(|| opaque(self, *t, sort)).flatten() {
                        Some(name) => return text.push_str(&name),
                        None => tree,
                    },
                    Err(atom) => {
                        let name = match opaque(self, atom, sort) {
                            Some(name) => name,
                            None => self.atom(atom, sort, outside, scope),
                        };
                        return text.push_str(&name);
                    }
                };
                self.put(text, &tree, sort, outside, scope, opaque);
            }
            Tree::Test(x) => {
                text.push('[');
                self.put(text, x, Sort::Test, 0, scope, opaque);
                text.push(']');
            }
            Tree::Sum(all) => wrap(self, text, SUM, &mut |me, text| {
                for (n, x) in all.iter().enumerate() {
                    let plus = if test { " ⊔ " } else { " + " };
                    text.push_str(if n == 0 { "" } else { plus });
                    let level = if n == 0 { SUM } else { PRODUCT };
                    me.put(text, x, sort, level, scope, opaque);
                }
            }),
            Tree::Product(all) => wrap(self, text, PRODUCT, &mut |me, text| {
                for (n, x) in all.iter().enumerate() {
                    let dot = if test { " ⊓ " } else { " ⋅ " };
                    text.push_str(if n == 0 { "" } else { dot });
                    let level = if n == 0 { PRODUCT } else { TIGHT };
                    me.put(text, x, sort, level, scope, opaque);
                }
            }),
            Tree::Not(x) => wrap(self, text, PRODUCT, &mut |me, text| {
                text.push('!');
                me.put(text, x, Sort::Test, TIGHT, scope, opaque);
            }),
            Tree::Star(x) => {
                text.push('(');
                self.put(text, x, sort, 0, scope, opaque);
                text.push_str(")^*");
            }
            Tree::Omega(x) => wrap(self, text, PRODUCT, &mut |me, text| {
                text.push_str("om ");
                me.put(text, x, sort, TIGHT, scope, opaque);
            }),
            Tree::Applied(operator, x) => wrap(self, text, PRODUCT, &mut |me, text| {
                text.push_str(short(*operator));
                text.push(' ');
                me.put(text, x, Sort::Element, TIGHT, scope, opaque);
            }),
            Tree::Over(but, x) => wrap(self, text, PRODUCT, &mut |me, text| {
                let sum = if test { "sumt" } else { "sumx" };
                let (inner, k) = scope.under();
                text.push_str(&format!("{sum} {} (fun {k} => ", me.but(but, scope)));
                me.put(text, x, sort, 0, &inner, opaque);
                text.push(')');
            }),
        }
    }

    /// A term in normal form as a tree, or the opaque part that it is.
    pub fn taken_apart(&mut self, t: Id, sort: Sort) -> Result<Tree, Id> {
        if t == ZERO || t == TOP {
            return Err(t);
        }
        if sort == Sort::Element && self.terms.is_test(t) && t != crate::kernel::ONE {
            return Ok(Tree::Test(Box::new(Tree::Term(t))));
        }
        Ok(match self.terms.node(t).clone() {
            Node::Not(x) => Tree::Not(Box::new(Tree::Term(x))),
            Node::Sum(all) => Tree::sum(&all),
            Node::Product(all) => Tree::product(&all),
            Node::Star(x) => Tree::Star(Box::new(Tree::Term(x))),
            Node::ProductOver(..) => Tree::Not(Box::new(Tree::Term(self.terms.not(t)))),
            _ => return Err(t),
        })
    }

    fn atom(&mut self, t: Id, sort: Sort, outside: u8, scope: &Scope) -> String {
        let inner = match self.terms.node(t).clone() {
            Node::Zero => return constant(sort, "0", "bot"),
            Node::One => return constant(sort, "1", "top"),
            Node::Top => return "T".to_string(),
            Node::Atom(s, _) if !scope.letters.contains(&s) => {
                return constant(sort, "0", "bot");
            }
            Node::Atom(s, indices) => {
                let mut text = self.names.symbols[s as usize].clone();
                for i in &indices {
                    text.push(' ');
                    text.push_str(&self.index(*i, scope));
                }
                if indices.is_empty() {
                    return text;
                }
                text
            }
            Node::Omega(x) => format!("om {}", self.argument(x, Sort::Element, scope)),
            Node::Applied(operator, x) => {
                let x = self.argument(x, Sort::Element, scope);
                format!("{} {x}", short(operator))
            }
            Node::SumOver(but, x) => {
                let sum = if sort == Sort::Test { "sumt" } else { "sumx" };
                format!(
                    "{sum} {} {}",
                    self.but(&but, scope),
                    self.function(x, sort, scope)
                )
            }
            _ => return "I".to_string(),
        };
        match outside > PRODUCT {
            true => format!("({inner})"),
            false => inner,
        }
    }
}

/// The name of an operator in `Coarsen.v`.
pub(super) fn short(operator: Operator) -> &'static str {
    match operator {
        Operator::Domain => "dm",
        Operator::Codomain => "cd",
        Operator::Divergence => "dv",
    }
}

fn constant(sort: Sort, element: &str, test: &str) -> String {
    match sort {
        Sort::Element => element.to_string(),
        Sort::Test => test.to_string(),
    }
}
