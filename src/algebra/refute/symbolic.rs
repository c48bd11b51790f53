//! All relations on a number of states at once: one BDD variable for each pair of states and atom (for each state and
//! test).
//!
//! A term is a matrix of functions: where its atoms are such that it relates s to t. A row is computed when it is asked
//! for. The goal's entry is conjoined with those of the hypotheses, small ones first; what is left are the models.
//! States may be permuted, so that the goal fails at (1, 1) or (1, 2); and so may processes. On a path it fails from
//! the first state to the last, or to itself.

use super::bdd::{Bdd, Bdds, FALSE, Spent, TRUE, not};
use super::program::{Goal, Op, Program};
use super::{Model, Value};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Sizes of functions are told apart up to here.
const LARGE: usize = 10_000;

/// Which pairs atoms may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// All.
    All,
    /// Each state with the next; where there is omega, also the last state with all.
    Path,
}

/// The models of one size.
pub(super) struct Symbolic<'p> {
    program: &'p Program,
    states: usize,
    shape: Shape,
    bdds: Bdds,
    /// The variable of each pair of each atom; a test has none off the diagonal.
    variables: Vec<Vec<Option<u32>>>,
    rows: Vec<Option<Rc<[Bdd]>>>,
}

impl<'p> Symbolic<'p> {
    pub(super) fn new(program: &'p Program, states: usize, shape: Shape, budget: usize) -> Self {
        let cyclic = program.has_omega();
        let mut variables = vec![vec![None; states * states]; program.atoms.len()];
        let mut next = 0;
        // What the atoms say of one pair stands together.
        for (s, t) in (0..states).flat_map(|s| (0..states).map(move |t| (s, t))) {
            let step = shape == Shape::All || t == s + 1 || cyclic && s + 1 == states;
            for (own, (_, _, test)) in variables.iter_mut().zip(&program.atoms) {
                let open = match test {
                    true => s == t,
                    false => step,
                };
                if open {
                    own[s * states + t] = Some(next);
                    next += 1;
                }
            }
        }
        Symbolic {
            program,
            states,
            shape,
            bdds: Bdds::new(budget),
            variables,
            rows: vec![None; program.ops.len() * states],
        }
    }

    /// The model with the fewest pairs; none if there is no model.
    pub(super) fn run(&mut self) -> Result<Option<Model>, Spent> {
        let n = self.states;
        let mut goals = Vec::new();
        for goal in &self.program.goals {
            let (left, right) = (self.row(goal.left, 0)?, self.row(goal.right, 0)?);
            let last = match self.shape {
                Shape::All => 1,
                Shape::Path => n - 1,
            };
            for t in BTreeSet::from([0, last.min(n - 1)]) {
                let fails = self.bdds.and(left[t], not(right[t]))?;
                if fails != FALSE {
                    goals.push((goal, t, fails));
                }
            }
        }
        if goals.is_empty() {
            return Ok(None);
        }
        let hypotheses = self.hypotheses()?;
        let mut best: Option<(&Goal, usize, Vec<u32>)> = None;
        for (goal, t, mut models) in goals {
            for h in &hypotheses {
                models = self.bdds.and(models, *h)?;
            }
            let Some(pairs) = self.bdds.fewest(models) else {
                continue;
            };
            if best.as_ref().is_none_or(|b| pairs.len() < b.2.len()) {
                best = Some((goal, t, pairs));
            }
        }
        Ok(best.map(|(goal, t, pairs)| self.model(goal, (0, t), &pairs)))
    }

    /// What the hypotheses say of each pair of states, small functions first.
    fn hypotheses(&mut self) -> Result<Vec<Bdd>, Spent> {
        let n = self.states;
        let mut all = BTreeSet::new();
        for (l, r) in &self.program.hypotheses {
            for s in 0..n {
                let (l, r) = (self.row(*l, s)?, self.row(*r, s)?);
                for t in 0..n {
                    all.insert(not(self.bdds.and(l[t], not(r[t]))?));
                }
            }
        }
        all.remove(&TRUE);
        let mut all: Vec<Bdd> = all.into_iter().collect();
        all.sort_by_cached_key(|h| self.bdds.size(*h, LARGE));
        Ok(all)
    }

    /// Steps that are left.
    pub(super) fn budget(&self) -> usize {
        self.bdds.budget
    }

    /// The entries of a row.
    fn row(&mut self, op: usize, s: usize) -> Result<Rc<[Bdd]>, Spent> {
        let n = self.states;
        if let Some(known) = &self.rows[op * n + s] {
            return Ok(Rc::clone(known));
        }
        let unit = |t: usize| if s == t { TRUE } else { FALSE };
        let row: Vec<Bdd> = match self.program.ops[op] {
            Op::Zero => vec![FALSE; n],
            Op::One => (0..n).map(unit).collect(),
            Op::Top => vec![TRUE; n],
            Op::Atom(a) => (0..n).map(|t| self.pair(a, s, t)).collect(),
            Op::Converse(a) => (0..n).map(|t| self.pair(a, t, s)).collect(),
            Op::Not(x) => {
                let x = self.row(x, s)?;
                (0..n)
                    .map(|t| if s == t { not(x[t]) } else { FALSE })
                    .collect()
            }
            Op::Or(x, y) => {
                let (x, y) = (self.row(x, s)?, self.row(y, s)?);
                let both = x.iter().zip(y.iter());
                both.map(|(x, y)| self.bdds.or(*x, *y))
                    .collect::<Result<_, _>>()?
            }
            Op::Seq(x, y) => {
                let x = self.row(x, s)?;
                let mut row = vec![FALSE; n];
                for (k, x) in x.iter().enumerate().filter(|(_, x)| **x != FALSE) {
                    let y = self.row(y, k)?;
                    for t in 0..n {
                        let both = self.bdds.and(*x, y[t])?;
                        row[t] = self.bdds.or(row[t], both)?;
                    }
                }
                row
            }
            Op::Domain(x) => {
                let from = self.row(x, s)?;
                let any = self.any(from.iter().copied())?;
                (0..n).map(|t| if s == t { any } else { FALSE }).collect()
            }
            Op::Codomain(x) => {
                let into: Result<Vec<Bdd>, Spent> =
                    (0..n).map(|k| Ok(self.row(x, k)?[s])).collect();
                let any = self.any(into?)?;
                (0..n).map(|t| if s == t { any } else { FALSE }).collect()
            }
            Op::Star(x) => return self.star(op, x, s),
            Op::Omega(x) => return self.omega(op, x, s),
        };
        let row: Rc<[Bdd]> = row.into();
        self.rows[op * n + s] = Some(Rc::clone(&row));
        Ok(row)
    }

    /// Where an atom relates s to t.
    fn pair(&mut self, atom: usize, s: usize, t: usize) -> Bdd {
        match self.variables[atom][self.states * s + t] {
            Some(v) => self.bdds.variable(v),
            None => FALSE,
        }
    }

    fn any(&mut self, of: impl IntoIterator<Item = Bdd>) -> Result<Bdd, Spent> {
        let mut of = of.into_iter();
        of.try_fold(FALSE, |any, x| self.bdds.or(any, x))
    }

    /// Paths by the states that they may pass through (Warshall 1962).
    fn star(&mut self, op: usize, x: usize, s: usize) -> Result<Rc<[Bdd]>, Spent> {
        let n = self.states;
        let mut all = Vec::new();
        for s in 0..n {
            let mut row = self.row(x, s)?.to_vec();
            row[s] = TRUE;
            all.push(row);
        }
        for k in 0..n {
            for s in (0..n).filter(|s| *s != k) {
                for t in (0..n).filter(|t| *t != k && *t != s) {
                    let over = self.bdds.and(all[s][k], all[k][t])?;
                    all[s][t] = self.bdds.or(all[s][t], over)?;
                }
            }
        }
        self.keep(op, all, s)
    }

    /// The states from which there are paths of as many steps as there are states: then there is an infinite one.
    fn omega(&mut self, op: usize, x: usize, s: usize) -> Result<Rc<[Bdd]>, Spent> {
        let n = self.states;
        let mut alive = vec![TRUE; n];
        for _ in 0..n {
            let mut next = vec![FALSE; n];
            for (s, next) in next.iter_mut().enumerate() {
                let row = self.row(x, s)?;
                for t in 0..n {
                    let step = self.bdds.and(row[t], alive[t])?;
                    *next = self.bdds.or(*next, step)?;
                }
            }
            alive = next;
        }
        let all = alive.into_iter().map(|a| vec![a; n]).collect();
        self.keep(op, all, s)
    }

    fn keep(&mut self, op: usize, all: Vec<Vec<Bdd>>, s: usize) -> Result<Rc<[Bdd]>, Spent> {
        let rows: Vec<Rc<[Bdd]>> = all.into_iter().map(Rc::from).collect();
        let asked = Rc::clone(&rows[s]);
        for (s, row) in rows.into_iter().enumerate() {
            self.rows[op * self.states + s] = Some(row);
        }
        Ok(asked)
    }

    fn model(&self, goal: &Goal, pair: (usize, usize), pairs: &[u32]) -> Model {
        let n = self.states;
        let atoms = self.program.atoms.iter().zip(&self.variables);
        let atoms = atoms.map(|((symbol, processes, _), variables)| Value {
            symbol: *symbol,
            processes: processes.clone(),
            pairs: (0..n * n)
                .filter(|p| variables[*p].is_some_and(|v| pairs.contains(&v)))
                .map(|p| (p / n, p % n))
                .collect(),
        });
        Model {
            states: n,
            processes: self.program.processes,
            atoms: atoms.collect(),
            variables: goal.variables.clone(),
            part: goal.part,
            pair,
            smallest: false,
        }
    }
}
