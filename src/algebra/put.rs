//! Terms of one development put into another, symbols and variables by name.

use crate::kernel::{Development, Id, Index, Node, Statement, Sym, Terms, distinct};
use rustc_hash::FxHashMap;

/// Terms of one development put into another, symbols and variables by name.
pub(crate) struct Put<'d> {
    from: &'d Development,
    symbols: FxHashMap<Sym, Sym>,
    variables: FxHashMap<u32, u32>,
    known: FxHashMap<Id, Option<Id>>,
}

impl<'d> Put<'d> {
    /// The names of both, matched.
    ///
    /// # Errors
    /// A name stands twice.
    pub(crate) fn new(from: &'d Development, to: &Development) -> Result<Self, String> {
        let mut names: FxHashMap<(&str, bool, usize), Sym> = FxHashMap::default();
        for (n, s) in (0..).zip(to.terms.symbols()) {
            if names.insert((&s.name, s.test, s.arity), n).is_some() {
                return Err(format!("it has two symbols `{}`", s.name));
            }
        }
        let mut indices: FxHashMap<&str, u32> = FxHashMap::default();
        for (n, v) in (0..).zip(&to.variables) {
            if indices.insert(v, n).is_some() {
                return Err(format!("it has two variables `{v}`"));
            }
        }
        let symbols = (0..).zip(from.terms.symbols());
        let variables = (0..).zip(&from.variables);
        Ok(Put {
            from,
            symbols: symbols
                .filter_map(|(n, s)| Some((n, *names.get(&(s.name.as_str(), s.test, s.arity))?)))
                .collect(),
            variables: variables
                .filter_map(|(n, v)| Some((n, *indices.get(v.as_str())?)))
                .collect(),
            known: FxHashMap::default(),
        })
    }

    /// A statement in the terms of the other; `None` if that has no symbol or variable of a name.
    pub(crate) fn statement(&mut self, s: &Statement, to: &mut Terms) -> Option<Statement> {
        let pairs = s.distinct.iter();
        let pairs: Option<Vec<(u32, u32)>> = pairs
            .map(|(i, j)| Some((*self.variables.get(i)?, *self.variables.get(j)?)))
            .collect();
        let parts = s.parts.iter();
        let parts: Option<Vec<(Id, Id)>> = parts
            .map(|(l, r)| Some((self.term(*l, to)?, self.term(*r, to)?)))
            .collect();
        Some(Statement {
            distinct: distinct(pairs?)?,
            parts: parts?,
        })
    }

    /// `None` if the other has no symbol or variable of a name.
    fn term(&mut self, t: Id, to: &mut Terms) -> Option<Id> {
        if let Some(&known) = self.known.get(&t) {
            return known;
        }
        let done = self.build(t, to);
        self.known.insert(t, done);
        done
    }

    fn build(&mut self, t: Id, to: &mut Terms) -> Option<Id> {
        let each = |put: &mut Self, all: &[Id], to: &mut Terms| -> Option<Vec<Id>> {
            all.iter().map(|x| put.term(*x, to)).collect()
        };
        Some(match self.from.terms.node(t).clone() {
            Node::Zero | Node::One | Node::Top => t,
            Node::Atom(s, is) => {
                let symbol = *self.symbols.get(&s)?;
                let indices = self.indices(&is)?;
                to.atom(symbol, indices)
            }
            Node::Not(x) => {
                let x = self.term(x, to)?;
                to.not(x)
            }
            Node::Sum(all) => {
                let all = each(self, &all, to)?;
                to.sum(all)
            }
            Node::Product(all) => {
                let all = each(self, &all, to)?;
                to.product(all)
            }
            Node::Star(x) => {
                let x = self.term(x, to)?;
                to.star(x)
            }
            Node::Omega(x) => {
                let x = self.term(x, to)?;
                to.omega(x)
            }
            Node::Applied(operator, x) => {
                let x = self.term(x, to)?;
                to.applied(operator, x)
            }
            Node::SumOver(but, x) => {
                let (but, x) = (self.indices(&but)?, self.term(x, to)?);
                to.sum_over(but, x)
            }
            Node::ProductOver(but, x) => {
                let (but, x) = (self.indices(&but)?, self.term(x, to)?);
                to.product_over(but, x)
            }
        })
    }

    fn indices(&self, all: &[Index]) -> Option<Vec<Index>> {
        let one = |i: &Index| match i {
            Index::Var(v) => self.variables.get(v).map(|v| Index::Var(*v)),
            bound => Some(*bound),
        };
        all.iter().map(one).collect()
    }
}
