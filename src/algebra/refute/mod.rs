//! A model in which a statement fails, found by trying relations on few states.
//!
//! A term over processes is unfolded for one, two and three of them into a straight-line program over ground atoms, whose values are relations of at
//! most four states as bits of a word. Small spaces are tried completely. In larger ones a random assignment is repaired by a walk
//! (Selman, Kautz & Cohen 1994, on pairs instead of literals): a pair that breaks a hypothesis is taken from its left or
//! given to its right side, and a goal that holds is pushed to fail. The generator is seeded, so that the answer is always the same.
//! What is found is evaluated again, by other code, before it is told.

mod confirm;
mod program;

use self::program::{Goal, Op, Program};
use super::prove::Limits;
use crate::kernel::{Id, Node, Statement, Sym, Terms};
use std::collections::BTreeSet;

/// Relations in which the hypotheses hold and the statement does not.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

/// The value of an atom in a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its symbol.
    pub symbol: Sym,
    /// The processes it is indexed with.
    pub processes: Vec<usize>,
    /// The states it relates.
    pub pairs: BTreeSet<(usize, usize)>,
}

impl Model {
    /// The model in lines; processes and states count from 1. `variables` are the names of index variables.
    pub fn lines(&self, terms: &Terms, variables: &[String]) -> Vec<String> {
        let plural =
            |n: usize, of: &str, more: &str| format!("{n} {of}{}", if n == 1 { "" } else { more });
        let mut lines = vec![plural(self.states, "state", "s")];
        if self.processes > 0 {
            lines[0] += &format!(", {}", plural(self.processes, "process", "es"));
        }
        for value in &self.atoms {
            let symbol = &terms.symbols()[value.symbol as usize];
            let mut name = symbol.name.clone();
            if !value.processes.is_empty() {
                let at: Vec<String> = value
                    .processes
                    .iter()
                    .map(|p| (p + 1).to_string())
                    .collect();
                name += &format!("[{}]", at.join(", "));
            }
            let pairs: Vec<String> = value
                .pairs
                .iter()
                .map(|(s, t)| match symbol.test {
                    true => (s + 1).to_string(),
                    false => format!("{}->{}", s + 1, t + 1),
                })
                .collect();
            lines.push(format!("{name} = {{{}}}", pairs.join(", ")));
        }
        let mut at = String::new();
        for (n, (variable, process)) in self.variables.iter().enumerate() {
            let unnamed = format!("i{variable}");
            let name = variables.get(*variable as usize).unwrap_or(&unnamed);
            let word = if n == 0 { " for" } else { "," };
            at += &format!("{word} {name} = {}", process + 1);
        }
        lines.push(format!(
            "{}->{} is in the left side and not in the right{at}",
            self.pair.0 + 1,
            self.pair.1 + 1
        ));
        lines
    }
}

/// Most states of a model: a relation is a word of 16 bits.
const STATES: usize = 4;
/// Most processes of a model.
const PROCESSES: usize = 3;
/// Repairs of one random assignment.
const WALK: usize = 40;
/// Parts of terms that one repair looks at.
const FUEL: usize = 500;

/// Looks for a model of the hypotheses in which one of the parts fails for some processes that differ as `distinct` says; the fewest states
/// first. `None` says nothing.
pub fn refute(
    terms: &Terms,
    hypotheses: &[Statement],
    distinct: &[(u32, u32)],
    parts: &[(Id, Id)],
    limits: &Limits,
) -> Option<Model> {
    let goal = Statement {
        distinct: distinct.to_vec(),
        parts: parts.to_vec(),
    };
    let all: Vec<Id> = hypotheses
        .iter()
        .chain([&goal])
        .flat_map(|s| s.parts.iter().flat_map(|(l, r)| [*l, *r]))
        .collect();
    let indexed = all.iter().any(|t| {
        terms.any(*t, &mut |n| match n {
            Node::Atom(_, indices) => !indices.is_empty(),
            Node::SumOver(..) | Node::ProductOver(..) => true,
            _ => false,
        })
    }) || !distinct.is_empty();
    let processes = if indexed { 1..=PROCESSES } else { 0..=0 };
    let programs: Vec<Program> = processes
        .filter_map(|p| Program::new(terms, hypotheses, &goal, p))
        .collect();
    for states in 1..=STATES {
        for program in &programs {
            // Most of the effort goes to two and three states; a model costs in proportion to its program.
            let share = [1, 6, 10, 3][states - 1] * limits.models / 20 / programs.len();
            let budget = share * 16 / program.ops.len().max(16);
            let mut search = Search::new(program, states);
            if let Some((goal, pair)) = search.run(budget) {
                let model = search.model(goal, pair);
                if model.is_confirmed(terms, hypotheses, &parts[goal.part]) {
                    return Some(model);
                }
            }
        }
    }
    None
}

/// A relation: pair `(s, t)` is bit `n s + t`.
type Bits = u16;

/// The algebra of relations on `n` states.
#[derive(Clone, Copy)]
struct Relations {
    n: usize,
}

impl Relations {
    fn bit(self, s: usize, t: usize) -> Bits {
        1 << (self.n * s + t)
    }

    fn row(self) -> Bits {
        (1 << self.n) - 1
    }

    fn one(self) -> Bits {
        (0..self.n).fold(0, |all, s| all | self.bit(s, s))
    }

    fn top(self) -> Bits {
        Bits::MAX >> (16 - self.n * self.n)
    }

    fn seq(self, a: Bits, b: Bits) -> Bits {
        let mut all = 0;
        for s in 0..self.n {
            let mut row = 0;
            for t in 0..self.n {
                if a & self.bit(s, t) != 0 {
                    row |= b >> (self.n * t) & self.row();
                }
            }
            all |= row << (self.n * s);
        }
        all
    }

    fn star(self, a: Bits) -> Bits {
        let mut all = a | self.one();
        // Paths of 1, 2 and 4 steps: more than there are states.
        for _ in 0..2 {
            all = self.seq(all, all);
        }
        all
    }

    fn omega(self, a: Bits) -> Bits {
        let mut alive = self.row();
        for _ in 0..self.n {
            let lives = |s: &usize| a >> (self.n * s) & alive != 0;
            alive = (0..self.n).filter(lives).fold(0, |all, s| all | 1 << s);
        }
        (0..self.n)
            .filter(|s| alive & 1 << s != 0)
            .fold(0, |all, s| all | self.row() << (self.n * s))
    }
}

/// xorshift64* (Marsaglia 2003, Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        high as usize % n.max(1)
    }
}

struct Search<'p> {
    program: &'p Program,
    relations: Relations,
    /// The values of the atoms.
    atoms: Vec<Bits>,
    /// The values of all operations.
    values: Vec<Bits>,
    random: Random,
    fuel: usize,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program, states: usize) -> Self {
        Search {
            program,
            relations: Relations { n: states },
            atoms: vec![0; program.atoms.len()],
            values: vec![0; program.ops.len()],
            random: Random(0x9E37_79B9_7F4A_7C15),
            fuel: 0,
        }
    }

    /// Tries so many models.
    fn run(&mut self, budget: usize) -> Option<(&'p Goal, (usize, usize))> {
        let bits = self.program.atoms.iter().map(|(_, _, test)| {
            let n = self.relations.n;
            if *test { n } else { n * n }
        });
        let bits: usize = bits.sum();
        if bits < 40 && 1 << bits <= budget {
            return self.exhaustive(bits);
        }
        let mut tried = 0;
        while tried < budget {
            for n in 0..self.atoms.len() {
                self.atoms[n] = self.random_atom(n);
            }
            let length = if self.program.hypotheses.is_empty() {
                3
            } else {
                WALK
            };
            for _ in 0..length {
                self.evaluate();
                tried += 1;
                if let Some(found) = self.step() {
                    return Some(found);
                }
            }
        }
        None
    }

    fn exhaustive(&mut self, bits: usize) -> Option<(&'p Goal, (usize, usize))> {
        let n = self.relations.n;
        for code in 0..1u64 << bits {
            let mut rest = code;
            for (value, (_, _, test)) in self.atoms.iter_mut().zip(&self.program.atoms) {
                let width = if *test { n } else { n * n };
                let part = (rest & ((1 << width) - 1)) as Bits;
                rest >>= width;
                *value = match test {
                    true => (0..n).fold(0, |all, s| all | (part >> s & 1) << ((n + 1) * s)),
                    false => part,
                };
            }
            self.evaluate();
            if self.violated().next().is_none()
                && let Some(found) = self.failing()
            {
                return Some(found);
            }
        }
        None
    }

    fn evaluate(&mut self) {
        let r = self.relations;
        for (n, op) in self.program.ops.iter().enumerate() {
            self.values[n] = match *op {
                Op::Zero => 0,
                Op::One => r.one(),
                Op::Top => r.top(),
                Op::Atom(a) => self.atoms[a],
                Op::Not(x) => r.one() & !self.values[x],
                Op::Or(x, y) => self.values[x] | self.values[y],
                Op::Seq(x, y) => r.seq(self.values[x], self.values[y]),
                Op::Star(x) => r.star(self.values[x]),
                Op::Omega(x) => r.omega(self.values[x]),
            };
        }
    }

    fn violated(&self) -> impl Iterator<Item = (usize, usize)> {
        let broken = |(l, r): &&(usize, usize)| self.values[*l] & !self.values[*r] != 0;
        self.program.hypotheses.iter().filter(broken).copied()
    }

    fn failing(&self) -> Option<(&'p Goal, (usize, usize))> {
        self.program.goals.iter().find_map(|goal| {
            let differ = self.values[goal.left] & !self.values[goal.right];
            (differ != 0).then(|| {
                let bit = differ.trailing_zeros() as usize;
                (goal, (bit / self.relations.n, bit % self.relations.n))
            })
        })
    }

    /// Ends the walk, or takes a step of it.
    fn step(&mut self) -> Option<(&'p Goal, (usize, usize))> {
        let program = self.program;
        let n = self.relations.n;
        self.fuel = FUEL;
        let broken: Vec<(usize, usize)> = self.violated().collect();
        if broken.is_empty() {
            let found = self.failing();
            if found.is_none() {
                let goal = &program.goals[self.random.below(program.goals.len())];
                let (s, t) = (self.random.below(n), self.random.below(n));
                self.give(goal.left, s, t);
                self.take(goal.right, s, t);
            }
            return found;
        }
        let (l, r) = broken[self.random.below(broken.len())];
        let mut wrong = self.values[l] & !self.values[r];
        let to_left = self.random.below(2) == 0;
        while wrong != 0 {
            let bit = wrong.trailing_zeros() as usize;
            wrong &= wrong - 1;
            let (s, t) = (bit / n, bit % n);
            let done = if to_left {
                self.take(l, s, t)
            } else {
                self.give(r, s, t)
            };
            if !done {
                let _ = if to_left {
                    self.give(r, s, t)
                } else {
                    self.take(l, s, t)
                };
            }
        }
        None
    }

    fn burn(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }

    /// Changes atoms so that a pair leaves a value, as far as one can see; false if it can't.
    fn take(&mut self, op: usize, s: usize, t: usize) -> bool {
        let r = self.relations;
        if self.values[op] & r.bit(s, t) == 0 {
            return true;
        }
        if !self.burn() {
            return false;
        }
        match self.program.ops[op] {
            Op::Zero | Op::One | Op::Top => false,
            Op::Atom(a) => {
                self.atoms[a] &= !r.bit(s, t);
                true
            }
            Op::Not(x) => self.give(x, s, s),
            Op::Or(x, y) => self.take(x, s, t) && self.take(y, s, t),
            Op::Seq(x, y) => (0..r.n).all(|u| {
                if self.values[x] & r.bit(s, u) == 0 || self.values[y] & r.bit(u, t) == 0 {
                    return true;
                }
                let (mut one, mut other) = ((x, s, u), (y, u, t));
                if self.random.below(2) == 0 {
                    std::mem::swap(&mut one, &mut other);
                }
                self.take(one.0, one.1, one.2) || self.take(other.0, other.1, other.2)
            }),
            Op::Star(_) if s == t => false,
            // The first step, or the last.
            Op::Star(x) if self.random.below(2) == 0 => {
                (0..r.n).all(|u| u == s || self.take(x, s, u))
            }
            Op::Star(x) => (0..r.n).all(|u| u == t || self.take(x, u, t)),
            Op::Omega(x) => (0..r.n).all(|u| self.take(x, s, u)),
        }
    }

    /// Changes atoms so that a pair gets into a value, as far as one can see; false if it can't.
    fn give(&mut self, op: usize, s: usize, t: usize) -> bool {
        let r = self.relations;
        if self.values[op] & r.bit(s, t) != 0 {
            return true;
        }
        if !self.burn() {
            return false;
        }
        match self.program.ops[op] {
            Op::Zero | Op::One | Op::Top => false,
            Op::Atom(a) if self.program.atoms[a].2 && s != t => false,
            Op::Atom(a) => {
                self.atoms[a] |= r.bit(s, t);
                true
            }
            Op::Not(x) => s == t && self.take(x, s, s),
            Op::Or(x, y) if self.random.below(2) == 0 => self.give(x, s, t) || self.give(y, s, t),
            Op::Or(x, y) => self.give(y, s, t) || self.give(x, s, t),
            Op::Seq(x, y) => {
                let first = self.random.below(r.n);
                // A test leads nowhere else.
                (0..r.n).any(|k| {
                    let u = (first + k) % r.n;
                    self.give(x, s, u) && self.give(y, u, t)
                })
            }
            Op::Star(x) => self.give(x, s, t),
            Op::Omega(x) => {
                let u = self.random.below(r.n);
                self.give(x, s, u) && self.give(x, u, u)
            }
        }
    }

    /// A relation of a random kind: empty, identity, functional, sparse, any, full.
    fn random_atom(&mut self, atom: usize) -> Bits {
        let r = self.relations;
        let any = self.random.below(1 << 16) as Bits & r.top();
        if self.program.atoms[atom].2 {
            return any & r.one();
        }
        match self.random.below(12) {
            0 => 0,
            1 => r.one(),
            2 => r.top(),
            3 => any & r.one(),
            4..=6 => (0..r.n).fold(0, |all, s| {
                let t = self.random.below(r.n + 1);
                if t == r.n { all } else { all | r.bit(s, t) }
            }),
            7..=9 => any & self.random.below(1 << 16) as Bits,
            10 => any | r.one(),
            _ => any,
        }
    }

    fn model(&self, goal: &Goal, pair: (usize, usize)) -> Model {
        let n = self.relations.n;
        let mut atoms: Vec<Value> = self
            .program
            .atoms
            .iter()
            .zip(&self.atoms)
            .map(|((symbol, processes, _), bits)| Value {
                symbol: *symbol,
                processes: processes.clone(),
                pairs: (0..n * n)
                    .filter(|b| bits >> b & 1 != 0)
                    .map(|b| (b / n, b % n))
                    .collect(),
            })
            .collect();
        atoms.sort_by(|a, b| (a.symbol, &a.processes).cmp(&(b.symbol, &b.processes)));
        Model {
            states: n,
            processes: self.program.processes,
            atoms,
            variables: goal.variables.clone(),
            part: goal.part,
            pair,
        }
    }
}
