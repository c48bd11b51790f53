//! Monomials modulo the equations between words that a proof may use: the e-graph's part in the search.

use super::build::Step;
use super::context::{Context, Directed};
use super::search::ProofSearch;
use crate::algebra::egraph::{self, Words, factors, kernel_steps};
use crate::kernel::{Id, ZERO};
use rustc_hash::FxHashMap;

/// Words of a class that are looked at.
const WORDS: usize = 8;

/// A word equal to another, with the way to it.
pub type Equal = (Id, Vec<egraph::Rewrite>);

/// The e-graphs of the contexts of a search, and the classes met.
#[derive(Default)]
pub struct Classes {
    graphs: FxHashMap<usize, Words>,
    known: FxHashMap<(usize, Id), Vec<Equal>>,
    /// Whether a limit kept an e-graph from finding all equal words.
    pub cut_short: bool,
}

impl ProofSearch<'_> {
    /// The least words equal to a monomial by the equations of the context, least first.
    pub fn class(&mut self, c: &Context, m: Id) -> Vec<Equal> {
        if c.equations.is_empty() {
            return Vec::new();
        }
        if let Some(known) = self.classes.known.get(&(c.id, m)) {
            return known.clone();
        }
        let limits = egraph::Limits {
            nodes: self.nodes,
            ..egraph::Limits::default()
        };
        let terms = &mut *self.b.terms;
        let graph = self.classes.graphs.entry(c.id).or_insert_with(|| {
            let side = |t: Id| factors(terms, t);
            let equations: Vec<(Vec<Id>, Vec<Id>)> = c
                .equations
                .iter()
                .map(|(forth, _)| (side(forth.left), side(forth.right)))
                .collect();
            Words::new(&equations, limits)
        });
        let word = factors(terms, m);
        let mut class: Vec<Equal> = Vec::new();
        for (word, steps) in graph.class(terms, &word, WORDS) {
            let term = terms.product(word);
            if !class.iter().any(|(t, _)| *t == term) {
                class.push((term, steps));
            }
        }
        self.classes.cut_short |= graph.is_exhausted();
        self.classes.known.insert((c.id, m), class.clone());
        class
    }

    /// The proof of `m <= w` for a word of its class.
    pub fn reach_word(&mut self, c: &Context, m: Id, (word, steps): &Equal) -> Option<Step> {
        let pair = |(forth, back): &(Directed, Directed)| (forth.step, back.step);
        let equations: Vec<(Step, Step)> = c.equations.iter().map(pair).collect();
        let from = factors(self.b.terms, m);
        let hole = self.b.symbol();
        let b = &mut self.b;
        let done = kernel_steps(b.terms, &from, steps, &equations, hole, &mut b.rules)?;
        // What lies between is used by nothing else.
        b.claims.resize(b.rules.len(), (ZERO, ZERO));
        b.claims[done] = (m, *word);
        Some(done)
    }
}
