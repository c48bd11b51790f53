//! A model in which a statement fails, found by searching relations on few states.
//!
//! A term over processes is unfolded for one, two and three of them into a straight-line program over ground atoms. All
//! relations on one to four states are searched at once, with BDDs (`symbolic`), then paths of more states: what is
//! false in Kleene algebra with tests is false for a word, and a word is a path (Kozen & Smith 1996). A model that is
//! found is evaluated again, by other code, before it is shown (`confirm`).

mod bdd;
mod confirm;
mod draw;
mod program;
mod symbolic;

pub use confirm::Flaw;

use self::program::Program;
use self::symbolic::{Shape, Symbolic};
use super::prove::Limits;
use crate::kernel::{Id, Index, Node, Statement, Sym, Terms};
use std::collections::BTreeSet;

/// Relations in which the hypotheses hold and the statement does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// How many states there are.
    pub states: usize,
    /// How many processes there are; 0 if no term speaks of processes.
    pub processes: usize,
    /// The value of each atom: symbol, processes and pairs.
    pub atoms: Vec<Value>,
    /// Which process each variable of the statement is.
    pub variables: Vec<(u32, usize)>,
    /// Which part of the statement fails.
    pub part: usize,
    /// A pair in the left side but not in the right one.
    pub pair: (usize, usize),
    /// Whether no model has fewer states: all smaller ones were searched.
    pub smallest: bool,
}

/// The value of an atom in a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Its symbol.
    pub symbol: Sym,
    /// The processes it is indexed with.
    pub processes: Vec<usize>,
    /// The states it relates.
    pub pairs: BTreeSet<(usize, usize)>,
}

/// What a search has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelSearch {
    /// A model, confirmed by evaluating it again.
    pub model: Option<Model>,
    /// All relations on up to so many states have been searched, for up to [`PROCESSES`] processes.
    pub searched: usize,
    /// Whether the limit was hit.
    pub cut_short: bool,
}

/// Most states of a model that is not a path.
pub const STATES: usize = 4;
/// Most processes of a model.
pub const PROCESSES: usize = 3;
/// Most states of a path, where there are neither hypotheses nor omega, and else.
const LONGEST: usize = 40;
const LONG: usize = 8;
/// Steps on BDDs that one unit of [`Limits::models`] allows.
const STEPS: usize = 100;
/// More steps than these, and nodes could not be numbered.
const MOST_STEPS: usize = 1 << 30;

/// Looks for a model of the hypotheses in which one of the parts fails for some processes that differ as `distinct`
/// says; the fewest states first.
pub fn refute(
    terms: &Terms,
    hypotheses: &[Statement],
    distinct: &[(u32, u32)],
    parts: &[(Id, Id)],
    limits: &Limits,
) -> ModelSearch {
    let goal = Statement {
        distinct: distinct.to_vec(),
        parts: parts.to_vec(),
    };
    let all: Vec<&Statement> = hypotheses.iter().chain([&goal]).collect();
    let atoms = atoms_of(terms, &all);
    let processes = match atoms.indexed || !distinct.is_empty() {
        true => 1..=PROCESSES,
        false => 0..=0,
    };
    let programs: Vec<Option<Program>> = processes
        .map(|p| Program::new(terms, hypotheses, &goal, p))
        .collect();
    let mut search = ModelSearch {
        cut_short: programs.iter().any(Option::is_none),
        ..ModelSearch::default()
    };
    let programs: Vec<Program> = programs.into_iter().flatten().collect();
    let mut budget = limits.models.saturating_mul(STEPS).min(MOST_STEPS);
    let plain = hypotheses.is_empty() && !programs.iter().any(Program::has_omega);
    let longest = if plain { LONGEST } else { LONG };
    let paths = (STATES + 1..=longest).map(|n| (n, Shape::Path));
    for (states, shape) in (1..=STATES).map(|n| (n, Shape::All)).chain(paths) {
        let mut whole = true;
        for program in &programs {
            // Half of what is left: the sizes that follow may be easier.
            let share = budget / 2;
            let mut symbolic = Symbolic::new(program, states, shape, share);
            let found = symbolic.run();
            budget -= share - symbolic.budget();
            whole &= found.is_ok();
            if let Ok(Some(mut model)) = found
                && model.is_confirmed(terms, hypotheses, &parts[model.part])
            {
                model.fill(&atoms);
                model.smallest = search.searched + 1 == states;
                search.model = Some(model);
                return search;
            }
        }
        if shape == Shape::All {
            search.cut_short |= !whole;
            search.searched = if search.cut_short {
                search.searched
            } else {
                states
            };
        } else if !whole {
            break;
        }
    }
    search
}

/// What statements speak of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Atoms {
    /// Symbols in order, each with how many process indices it takes. Converses are not among them.
    pub symbols: Vec<(Sym, usize)>,
    /// Free index variables of the last statement.
    pub variables: Vec<u32>,
    /// Whether there are processes in them.
    pub indexed: bool,
}

impl Model {
    /// Has letters for converses, which were taken for letters like others, say what their actions relate.
    pub fn turn_round(&mut self, terms: &Terms) {
        let converses = self
            .atoms
            .extract_if(.., |a| terms.is_converse_of(a.symbol).is_some());
        for converse in converses.collect::<Vec<Value>>() {
            let of = terms.is_converse_of(converse.symbol).unwrap_or_default();
            let pairs = converse.pairs.into_iter().map(|(s, t)| (t, s));
            let is_it = |a: &&mut Value| a.symbol == of && a.processes == converse.processes;
            match self.atoms.iter_mut().find(is_it) {
                Some(known) => known.pairs.extend(pairs),
                None => self.atoms.push(Value {
                    symbol: of,
                    processes: converse.processes,
                    pairs: pairs.collect(),
                }),
            }
        }
    }

    /// Atoms without a value relate nothing.
    pub fn fill(&mut self, atoms: &Atoms) {
        for (symbol, arity) in &atoms.symbols {
            let mut all = vec![Vec::new()];
            for _ in 0..*arity {
                let longer = |old: &Vec<usize>| {
                    let old = old.clone();
                    (0..self.processes).map(move |p| [old.as_slice(), &[p]].concat())
                };
                all = all.iter().flat_map(longer).collect();
            }
            for processes in all {
                let known = |a: &Value| a.symbol == *symbol && a.processes == processes;
                if !self.atoms.iter().any(known) {
                    self.atoms.push(Value {
                        symbol: *symbol,
                        processes,
                        ..Value::default()
                    });
                }
            }
        }
        let order = |a: &Value, b: &Value| (a.symbol, &a.processes).cmp(&(b.symbol, &b.processes));
        self.atoms.sort_by(order);
    }
}

/// What statements speak of.
pub fn atoms_of(terms: &Terms, statements: &[&Statement]) -> Atoms {
    let mut atoms = Atoms::default();
    let mut symbols = BTreeSet::new();
    for s in statements {
        let mut variables: BTreeSet<u32> = s.distinct.iter().flat_map(|(i, j)| [*i, *j]).collect();
        for t in s.parts.iter().flat_map(|(l, r)| [*l, *r]) {
            terms.any(t, &mut |n| {
                let indices = match n {
                    Node::Atom(symbol, indices) => {
                        let of = terms.is_converse_of(*symbol);
                        symbols.insert((of.unwrap_or(*symbol), indices.len()));
                        atoms.indexed |= !indices.is_empty();
                        indices
                    }
                    Node::SumOver(but, _) | Node::ProductOver(but, _) => {
                        atoms.indexed = true;
                        but
                    }
                    _ => return false,
                };
                variables.extend(indices.iter().filter_map(|i| match i {
                    Index::Var(v) => Some(*v),
                    Index::Bound(_) => None,
                }));
                false
            });
        }
        atoms.variables = variables.into_iter().collect();
    }
    atoms.symbols = symbols.into_iter().collect();
    atoms
}
