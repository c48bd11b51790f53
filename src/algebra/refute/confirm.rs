//! A model evaluated as it is defined: relations as sets of pairs, terms from the top. Shares no code with the search.

use super::program::{Valuation, members, process, valuations};
use super::{Model, Value};
use crate::kernel::{Id, Node, Operator, Statement, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

type Pairs = Rc<BTreeSet<(usize, usize)>>;

struct Evaluation<'a> {
    terms: &'a Terms,
    model: &'a Model,
    at: Valuation,
    known: FxHashMap<(Id, Vec<usize>), Pairs>,
}

/// Why relations are no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// This hypothesis is false in them.
    Hypothesis(usize),
    /// The statement is true in them.
    Holds,
    /// Too many states, given the number of ways to choose processes for the variables of a hypothesis or the
    /// statement.
    TooMany,
}

/// Most triples of states, in all instances of a statement, of a model that a file gives.
const TRIPLES: usize = 1 << 24;

impl Model {
    /// Whether every hypothesis holds and the pair is in the left side of the goal but not in the right one.
    pub fn is_confirmed(&self, terms: &Terms, hypotheses: &[Statement], goal: &(Id, Id)) -> bool {
        let fails = self
            .sides(terms, goal)
            .is_some_and(|(l, r)| l.contains(&self.pair) && !r.contains(&self.pair));
        fails
            && hypotheses
                .iter()
                .all(|h| self.satisfies(terms, h) == Some(true))
    }

    /// Finds where the goal fails: the part, the pair and the processes of variables that are not given.
    ///
    /// # Errors
    /// Why these relations are no model.
    pub fn complete(
        mut self,
        terms: &Terms,
        hypotheses: &[Statement],
        goal: &Statement,
    ) -> Result<Model, Flaw> {
        for s in hypotheses.iter().chain([goal]) {
            let instances = valuations(terms, s, self.processes).ok_or(Flaw::TooMany)?;
            if instances.len() * self.states.pow(3) > TRIPLES {
                return Err(Flaw::TooMany);
            }
        }
        for (n, hypothesis) in hypotheses.iter().enumerate() {
            match self.satisfies(terms, hypothesis) {
                Some(true) => {}
                Some(false) => return Err(Flaw::Hypothesis(n)),
                None => return Err(Flaw::TooMany),
            }
        }
        let given = std::mem::take(&mut self.variables);
        let all = valuations(terms, goal, self.processes).ok_or(Flaw::TooMany)?;
        let fits = |at: &&Valuation| given.iter().all(|(v, p)| at.get(v).is_none_or(|q| p == q));
        for at in all.iter().filter(fits) {
            self.variables = at.iter().map(|(v, p)| (*v, *p)).collect();
            for (n, part) in goal.parts.iter().enumerate() {
                let (l, r) = self.sides(terms, part).ok_or(Flaw::TooMany)?;
                if let Some(pair) = l.difference(&r).next() {
                    (self.part, self.pair) = (n, *pair);
                    return Ok(self);
                }
            }
        }
        Err(Flaw::Holds)
    }

    /// The values of two terms, for the processes of this model's variables.
    pub(super) fn sides(&self, terms: &Terms, (l, r): &(Id, Id)) -> Option<(Pairs, Pairs)> {
        self.sides_at(terms, &self.variables.iter().copied().collect(), (*l, *r))
    }

    fn sides_at(&self, terms: &Terms, at: &Valuation, (l, r): (Id, Id)) -> Option<(Pairs, Pairs)> {
        let mut evaluation = Evaluation {
            terms,
            model: self,
            at: at.clone(),
            known: FxHashMap::default(),
        };
        let left = evaluation.value(l, &mut Vec::new())?;
        Some((left, evaluation.value(r, &mut Vec::new())?))
    }

    /// Whether a statement holds for all processes; `None` if they are too many, or an atom has no value.
    fn satisfies(&self, terms: &Terms, s: &Statement) -> Option<bool> {
        for at in valuations(terms, s, self.processes)? {
            for part in &s.parts {
                let (l, r) = self.sides_at(terms, &at, *part)?;
                if !l.is_subset(&r) {
                    return Some(false);
                }
            }
        }
        Some(true)
    }
}

impl Evaluation<'_> {
    fn value(&mut self, t: Id, bound: &mut Vec<usize>) -> Option<Pairs> {
        let key = (t, bound.clone());
        if let Some(known) = self.known.get(&key) {
            return Some(Rc::clone(known));
        }
        let states = self.model.states;
        let one = || (0..states).map(|s| (s, s)).collect::<BTreeSet<_>>();
        let all = |from: &BTreeSet<usize>| -> BTreeSet<(usize, usize)> {
            from.iter()
                .flat_map(|s| (0..states).map(move |t| (*s, t)))
                .collect()
        };
        let value = match self.terms.node(t) {
            Node::Zero => BTreeSet::new(),
            Node::One => one(),
            Node::Top => all(&(0..states).collect()),
            Node::Atom(symbol, indices) => {
                let on: Option<Vec<usize>> = indices
                    .iter()
                    .map(|i| process(*i, &self.at, bound))
                    .collect();
                let on = on?;
                let of = self.terms.is_converse_of(*symbol);
                let mut atoms = self.model.atoms.iter();
                let is_it = |a: &&Value| a.symbol == of.unwrap_or(*symbol) && a.processes == on;
                let pairs = &atoms.find(is_it)?.pairs;
                match of {
                    Some(_) => pairs.iter().map(|(s, t)| (*t, *s)).collect(),
                    None => pairs.clone(),
                }
            }
            Node::Not(x) => {
                let x = self.value(*x, bound)?;
                one().into_iter().filter(|pair| !x.contains(pair)).collect()
            }
            Node::Sum(members) => {
                let mut sum = BTreeSet::new();
                for x in members {
                    sum.extend(self.value(*x, bound)?.iter().copied());
                }
                sum
            }
            Node::Product(members) => {
                let mut product = one();
                for x in members {
                    product = compose(&product, self.value(*x, bound)?.as_ref());
                }
                product
            }
            Node::Star(x) => {
                let x = self.value(*x, bound)?;
                let mut star = one();
                loop {
                    let before = star.len();
                    star.extend(compose(&star, &x));
                    if star.len() == before {
                        break star;
                    }
                }
            }
            Node::Omega(x) => {
                let x = self.value(*x, bound)?;
                all(&for_ever(&x, states))
            }
            Node::Applied(operator, x) => {
                let x = self.value(*x, bound)?;
                match operator {
                    Operator::Domain => x.iter().map(|(s, _)| (*s, *s)).collect(),
                    Operator::Codomain => x.iter().map(|(_, t)| (*t, *t)).collect(),
                    Operator::Divergence => {
                        let alive = for_ever(&x, states);
                        alive.into_iter().map(|s| (s, s)).collect()
                    }
                }
            }
            Node::SumOver(but, x) | Node::ProductOver(but, x) => {
                let sum = matches!(self.terms.node(t), Node::SumOver(..));
                let mut value = if sum { BTreeSet::new() } else { one() };
                for p in members(self.model.processes, but, &self.at, bound)? {
                    bound.push(p);
                    let member = self.value(*x, bound);
                    bound.pop();
                    let member = member?;
                    match sum {
                        true => value.extend(member.iter().copied()),
                        false => value.retain(|pair| member.contains(pair)),
                    }
                }
                value
            }
        };
        let value = Rc::new(value);
        self.known.insert(key, Rc::clone(&value));
        Some(value)
    }
}

/// The states from which pairs can follow each other for ever.
fn for_ever(x: &BTreeSet<(usize, usize)>, states: usize) -> BTreeSet<usize> {
    let mut alive: BTreeSet<usize> = (0..states).collect();
    loop {
        let steps = x.iter().filter(|(_, t)| alive.contains(t));
        let next: BTreeSet<usize> = steps
            .map(|(s, _)| *s)
            .filter(|s| alive.contains(s))
            .collect();
        if next == alive {
            return alive;
        }
        alive = next;
    }
}

fn compose(a: &BTreeSet<(usize, usize)>, b: &BTreeSet<(usize, usize)>) -> BTreeSet<(usize, usize)> {
    let after = |t: usize| b.range((t, 0)..(t + 1, 0)).map(|(_, u)| *u);
    a.iter()
        .flat_map(|(s, t)| after(*t).map(move |u| (*s, u)))
        .collect()
}
