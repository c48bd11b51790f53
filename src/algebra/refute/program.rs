//! Hypotheses and a statement unfolded for a number of processes: straight-line programs over ground atoms.

use crate::kernel::{Id, Index, Node, Operator, Statement, Sym, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Larger programs are not tried, nor statements with more instances.
const PROGRAM: usize = 4_000;
const INSTANCES: usize = 500;

/// An operation on the values of earlier ones, by position.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Op {
    Zero,
    One,
    Top,
    Atom(usize),
    /// The converse of an atom.
    Converse(usize),
    Not(usize),
    Or(usize, usize),
    Seq(usize, usize),
    Star(usize),
    Omega(usize),
    Domain(usize),
    Codomain(usize),
}

/// An instance of a part of the statement.
pub(super) struct Goal {
    pub(super) part: usize,
    pub(super) variables: Vec<(u32, usize)>,
    pub(super) left: usize,
    pub(super) right: usize,
}

/// The hypotheses and the statement for a number of processes.
pub(super) struct Program {
    pub(super) processes: usize,
    pub(super) atoms: Vec<(Sym, Vec<usize>, bool)>,
    pub(super) ops: Vec<Op>,
    pub(super) hypotheses: Vec<(usize, usize)>,
    pub(super) goals: Vec<Goal>,
    known: FxHashMap<Op, usize>,
    atom_of: FxHashMap<(Sym, Vec<usize>), usize>,
}

/// Which process each variable is.
pub(super) type Valuation = BTreeMap<u32, usize>;

/// All ways to give processes to the variables of a statement; `None` if they are too many.
pub(super) fn valuations(terms: &Terms, s: &Statement, processes: usize) -> Option<Vec<Valuation>> {
    let mut variables: BTreeSet<u32> = s.distinct.iter().flat_map(|(i, j)| [*i, *j]).collect();
    for t in s.parts.iter().flat_map(|(l, r)| [*l, *r]) {
        terms.any(t, &mut |n| {
            if let Node::Atom(_, is) | Node::SumOver(is, _) | Node::ProductOver(is, _) = n {
                variables.extend(is.iter().filter_map(|i| match i {
                    Index::Var(v) => Some(*v),
                    Index::Bound(_) => None,
                }));
            }
            false
        });
    }
    let mut all = vec![Valuation::new()];
    for v in variables {
        if all.len() * processes > INSTANCES {
            return None;
        }
        let with = |old: &Valuation, p: usize| {
            let mut new = old.clone();
            new.insert(v, p);
            new
        };
        all = all
            .iter()
            .flat_map(|old| (0..processes).map(move |p| with(old, p)))
            .collect();
    }
    all.retain(|at| s.distinct.iter().all(|(i, j)| at.get(i) != at.get(j)));
    Some(all)
}

/// Whether processes are named in order: each is one that was named before, or the next.
fn is_first(at: &Valuation) -> bool {
    let mut next = 0;
    at.values().all(|p| {
        let known = *p <= next;
        next = next.max(p + 1);
        known
    })
}

/// The process an index stands for, if it stands for any.
pub(super) fn process(index: Index, at: &Valuation, bound: &[usize]) -> Option<usize> {
    match index {
        Index::Var(v) => at.get(&v).copied(),
        Index::Bound(n) => bound.iter().rev().nth(n as usize).copied(),
    }
}

/// The processes a sum or product ranges over.
pub(super) fn members(
    processes: usize,
    but: &[Index],
    at: &Valuation,
    bound: &[usize],
) -> Option<Vec<usize>> {
    let out: Option<Vec<usize>> = but.iter().map(|i| process(*i, at, bound)).collect();
    let out = out?;
    Some((0..processes).filter(|p| !out.contains(p)).collect())
}

impl Program {
    pub(super) fn new(
        terms: &Terms,
        hypotheses: &[Statement],
        goal: &Statement,
        processes: usize,
    ) -> Option<Program> {
        let mut program = Program {
            processes,
            atoms: Vec::new(),
            ops: Vec::new(),
            hypotheses: Vec::new(),
            goals: Vec::new(),
            known: FxHashMap::default(),
            atom_of: FxHashMap::default(),
        };
        for hypothesis in hypotheses {
            for at in valuations(terms, hypothesis, processes)? {
                let mut seen = FxHashMap::default();
                for (l, r) in &hypothesis.parts {
                    let l = program.ground(terms, *l, &at, &mut Vec::new(), &mut seen)?;
                    let r = program.ground(terms, *r, &at, &mut Vec::new(), &mut seen)?;
                    program.hypotheses.push((l, r));
                }
            }
        }
        let mut seen = FxHashSet::default();
        program
            .hypotheses
            .retain(|(l, r)| l != r && seen.insert((*l, *r)));
        for at in valuations(terms, goal, processes)? {
            // The others are permutations of these: hypotheses hold for all processes.
            if !is_first(&at) {
                continue;
            }
            let mut seen = FxHashMap::default();
            for (part, (l, r)) in goal.parts.iter().enumerate() {
                let left = program.ground(terms, *l, &at, &mut Vec::new(), &mut seen)?;
                let right = program.ground(terms, *r, &at, &mut Vec::new(), &mut seen)?;
                let variables = at.iter().map(|(v, p)| (*v, *p)).collect();
                program.goals.push(Goal {
                    part,
                    variables,
                    left,
                    right,
                });
            }
        }
        Some(program)
    }

    /// Whether there is an omega in it.
    pub(super) fn has_omega(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Omega(_)))
    }

    fn op(&mut self, op: Op) -> usize {
        let next = self.ops.len();
        let at = *self.known.entry(op).or_insert(next);
        if at == next {
            self.ops.push(op);
        }
        at
    }

    fn ground(
        &mut self,
        terms: &Terms,
        t: Id,
        at: &Valuation,
        bound: &mut Vec<usize>,
        seen: &mut FxHashMap<(Id, Vec<usize>), usize>,
    ) -> Option<usize> {
        let key = (t, bound.clone());
        if let Some(&known) = seen.get(&key) {
            return Some(known);
        }
        if self.ops.len() + seen.len() > PROGRAM {
            return None;
        }
        let op = match terms.node(t) {
            Node::Zero => Op::Zero,
            Node::One => Op::One,
            Node::Top => Op::Top,
            Node::Atom(symbol, indices) => {
                let on: Option<Vec<usize>> =
                    indices.iter().map(|i| process(*i, at, bound)).collect();
                let next = self.atoms.len();
                let of = terms.is_converse_of(*symbol);
                let key = (of.unwrap_or(*symbol), on?);
                let atom = *self.atom_of.entry(key.clone()).or_insert(next);
                if atom == next {
                    let test = terms.symbols()[key.0 as usize].test;
                    self.atoms.push((key.0, key.1, test));
                }
                match of {
                    Some(_) => Op::Converse(atom),
                    None => Op::Atom(atom),
                }
            }
            Node::Not(x) => Op::Not(self.ground(terms, *x, at, bound, seen)?),
            Node::Star(x) => Op::Star(self.ground(terms, *x, at, bound, seen)?),
            Node::Omega(x) => Op::Omega(self.ground(terms, *x, at, bound, seen)?),
            Node::Applied(operator, x) => {
                let x = self.ground(terms, *x, at, bound, seen)?;
                match operator {
                    Operator::Domain => Op::Domain(x),
                    Operator::Codomain => Op::Codomain(x),
                    Operator::Divergence => Op::Domain(self.op(Op::Omega(x))),
                }
            }
            Node::Sum(all) | Node::Product(all) => {
                let all: Option<Vec<usize>> = all
                    .iter()
                    .map(|x| self.ground(terms, *x, at, bound, seen))
                    .collect();
                let sum = matches!(terms.node(t), Node::Sum(_));
                let done = self.fold(all?, sum);
                seen.insert(key, done);
                return Some(done);
            }
            Node::SumOver(but, x) | Node::ProductOver(but, x) => {
                let mut all = Vec::new();
                for p in members(self.processes, but, at, bound)? {
                    bound.push(p);
                    let member = self.ground(terms, *x, at, bound, seen);
                    bound.pop();
                    all.push(member?);
                }
                let sum = matches!(terms.node(t), Node::SumOver(..));
                let done = self.fold(all, sum);
                seen.insert(key, done);
                return Some(done);
            }
        };
        let done = self.op(op);
        seen.insert(key, done);
        Some(done)
    }

    fn fold(&mut self, all: Vec<usize>, sum: bool) -> usize {
        // From the left: then a row of a product needs one row of what stands before each factor.
        let mut all = all.into_iter();
        let Some(mut done) = all.next() else {
            return self.op(if sum { Op::Zero } else { Op::One });
        };
        for x in all {
            done = self.op(if sum {
                Op::Or(done, x)
            } else {
                Op::Seq(done, x)
            });
        }
        done
    }
}
