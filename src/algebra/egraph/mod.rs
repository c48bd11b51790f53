//! Equal words: what equations between products say of other products.
//!
//! A word is a list of factors, each a term that is not looked into. The words equal to a given one, by equations and
//! by the laws in [`laws`], are kept in an e-graph (Nelson & Oppen; here egg, Willsey et al. 2021): a word is a list of
//! cells, so that an equation is used at any place and associativity needs no rule. `x <= y` is never put in: an upper
//! bound in the class of a term would make it an equal one. The e-graph is not trusted: its answer is turned into
//! steps, and each step is done again here.

mod derivation;
mod graph;
mod laws;
mod terms;

pub use derivation::{kernel_steps, reversed};
pub use laws::Law;
pub use terms::{Class, Cost, LARGEST as LARGEST_TERM, classes, cost, smallest};

use crate::kernel::{Id, Node, ONE, Terms};
use laws::{Equation, Rules};
use rustc_hash::FxHashMap;

/// How far an e-graph grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nodes; a last round may exceed it.
    pub nodes: usize,
    /// Rounds in which every equation is used everywhere.
    pub iterations: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            nodes: 2_000,
            iterations: 12,
        }
    }
}

/// Why an e-graph grew no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Every equation has been used at all places. So words that are not found equal are not equal by these equations.
    Saturated,
    /// The two words asked for were found equal.
    Found,
    /// The limit of nodes.
    Nodes,
    /// The limit of rounds.
    Iterations,
    /// A word is longer than those that are taken in.
    Length,
}

/// Why a part of a word may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// An equation, by its position in the list given.
    Equation(usize),
    /// A law that needs no assumption.
    Law(Law),
}

/// One replacement in a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// Why it may be done.
    pub cause: Cause,
    /// Whether the right side is replaced by the left one.
    pub reversed: bool,
    /// Where the replaced factors begin.
    pub position: usize,
    /// How many factors are replaced.
    pub length: usize,
    /// The word before.
    pub before: Vec<Id>,
    /// The word after.
    pub after: Vec<Id>,
}

impl Rewrite {
    /// The factors replaced.
    pub fn from(&self) -> &[Id] {
        &self.before[self.position..self.position + self.length]
    }

    /// What stands in their place.
    pub fn to(&self) -> &[Id] {
        &self.after[self.position..self.after.len() - self.suffix().len()]
    }

    /// What stands behind them.
    pub fn suffix(&self) -> &[Id] {
        &self.before[self.position + self.length..]
    }
}

/// A word with the steps that lead to it.
pub type Reached = (Vec<Id>, Vec<Rewrite>);

/// The factors of a term; none if it is 1.
pub fn factors(terms: &Terms, t: Id) -> Vec<Id> {
    match terms.node(t) {
        Node::Product(all) => all.clone(),
        _ if t == ONE => Vec::new(),
        _ => vec![t],
    }
}

/// Words modulo equations. Answers depend on the equations, the limits and the words asked for so far, and on nothing
/// else.
pub struct Words {
    rules: Rules,
    program: Option<graph::Program>,
    limits: Limits,
    stop: Stop,
    exhausted: bool,
    normal: FxHashMap<Vec<Id>, Reached>,
}

impl Words {
    /// Words modulo `left = right` each; an empty side is 1.
    pub fn new(equations: &[(Vec<Id>, Vec<Id>)], limits: Limits) -> Self {
        Words {
            rules: Rules::new(equations),
            program: None,
            limits,
            stop: Stop::Saturated,
            exhausted: false,
            normal: FxHashMap::default(),
        }
    }

    /// Why the last question was left.
    pub fn stop(&self) -> Stop {
        self.stop
    }

    /// Whether any question so far has reached a limit. Then equal words may not have been found equal.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// The steps from one word to another; none if they are not found equal.
    pub fn equal(&mut self, terms: &Terms, a: &[Id], b: &[Id]) -> Option<Vec<Rewrite>> {
        if a == b {
            return Some(Vec::new());
        }
        let mut graph = self.graph(terms, a, Some(b))?;
        let moves = graph.explain(a, b)?;
        self.rules.replay(a, &moves, b)
    }

    /// The least word equal to the given one (the shortest, then the one with the smallest factors) among those found,
    /// and the steps to it.
    pub fn normal(&mut self, terms: &Terms, word: &[Id]) -> Reached {
        if let Some(known) = self.normal.get(word) {
            return known.clone();
        }
        let least = self.class(terms, word, 1).into_iter().next();
        let found = least.unwrap_or_else(|| (word.to_vec(), Vec::new()));
        self.normal.insert(word.to_vec(), found.clone());
        found
    }

    /// The least words equal to the given one, least first, each with the steps to it. Words that differ only by the
    /// kernel's normal form of products (the order of neighbouring tests, `T T`) count once.
    pub fn class(&mut self, terms: &Terms, word: &[Id], most: usize) -> Vec<Reached> {
        let Some(mut graph) = self.graph(terms, word, None) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for other in graph.words(terms, word, most) {
            let steps = match other == word {
                true => Some(Vec::new()),
                false => graph
                    .explain(word, &other)
                    .and_then(|moves| self.rules.replay(word, &moves, &other)),
            };
            all.extend(steps.map(|s| (other, s)));
        }
        all
    }

    /// The e-graph of a word or two; none if a word is too long for one.
    fn graph(&mut self, terms: &Terms, a: &[Id], b: Option<&[Id]>) -> Option<graph::Graph> {
        let too_long = |w: &[Id]| w.len() > graph::LONGEST;
        if too_long(a) || b.is_some_and(too_long) {
            self.stop = Stop::Length;
            self.exhausted = true;
            return None;
        }
        let letters = a.iter().chain(b.unwrap_or_default());
        if self.rules.learn(terms, letters) {
            self.program = None;
        }
        let program = self
            .program
            .get_or_insert_with(|| graph::Program::new(&self.rules));
        let (graph, stop) = graph::Graph::grow(program, a, b, self.limits);
        self.stop = stop;
        self.exhausted |= !matches!(stop, Stop::Saturated | Stop::Found);
        Some(graph)
    }
}

/// A use of a rule as the e-graph tells it.
#[derive(Clone, Copy, Debug)]
struct Move {
    rule: usize,
    reversed: bool,
    position: usize,
}

impl Rules {
    /// Repeats the steps that the e-graph reports, without its help. `None` if they do not lead from the one word to
    /// the other.
    fn replay(&self, from: &[Id], moves: &[Move], to: &[Id]) -> Option<Vec<Rewrite>> {
        let mut word = from.to_vec();
        let mut steps: Vec<Rewrite> = Vec::new();
        for m in moves {
            let Equation {
                left, right, cause, ..
            } = self.all().get(m.rule)?;
            let (old, new) = if m.reversed {
                (right, left)
            } else {
                (left, right)
            };
            let rest = word.get(m.position..)?.strip_prefix(old.as_slice())?;
            let after = [&word[..m.position], new, rest].concat();
            let step = Rewrite {
                cause: *cause,
                reversed: m.reversed,
                position: m.position,
                length: old.len(),
                before: word,
                after: after.clone(),
            };
            // A way that comes back to a word is cut short.
            match steps.iter().position(|s| s.before == after) {
                Some(n) => steps.truncate(n),
                None => steps.push(step),
            }
            word = after;
        }
        (word == to).then_some(steps)
    }
}
