//! Random relational models, and terms evaluated in them: a relation on up to four states is 16 bits.

use super::dice::Dice;
use coarsen::kernel::{Id, Index, Node, Operator, Statement, Sym, Terms};
use std::collections::{BTreeSet, HashMap};

pub struct Model {
    pub states: usize,
    pub processes: usize,
    atoms: HashMap<(Sym, Vec<usize>), u16>,
}

impl Model {
    /// Values for all symbols of up to two indices.
    pub fn random(d: &mut Dice, terms: &Terms, states: usize, processes: usize) -> Model {
        let mut model = Model {
            states,
            processes,
            atoms: HashMap::new(),
        };
        for (n, symbol) in terms.symbols().iter().enumerate() {
            let mut all = vec![Vec::new()];
            for _ in 0..symbol.arity {
                all = all
                    .iter()
                    .flat_map(|at: &Vec<usize>| {
                        (0..processes).map(move |p| at.iter().copied().chain([p]).collect())
                    })
                    .collect();
            }
            for at in all {
                let value = model.relation(d, symbol.test);
                model.atoms.insert((n as Sym, at), value);
            }
        }
        model
    }

    /// Letters for converses get the values that they stand for.
    pub fn turn_round(&mut self, terms: &Terms) {
        let n = self.states;
        let turned = |x: u16| -> u16 {
            let at = |s: usize, t: usize| x >> (s * n + t) & 1;
            let pairs = (0..n).flat_map(|s| (0..n).map(move |t| (s, t)));
            pairs.map(|(s, t)| at(s, t) << (t * n + s)).sum()
        };
        let of = |s: &Sym| terms.is_converse_of(*s);
        let all: Vec<(Sym, Vec<usize>)> = self.atoms.keys().cloned().collect();
        for (symbol, at) in all {
            if let Some(x) = of(&symbol) {
                let value = turned(self.atoms[&(x, at.clone())]);
                self.atoms.insert((symbol, at), value);
            }
        }
    }

    /// All models of this size.
    pub fn all(terms: &Terms, states: usize, processes: usize) -> impl Iterator<Item = Model> {
        let model = Model::random(&mut Dice::seeded(1), terms, states, processes);
        let mut keys: Vec<(Sym, Vec<usize>)> = model.atoms.into_keys().collect();
        keys.sort();
        let tests: Vec<bool> = terms.symbols().iter().map(|s| s.test).collect();
        let bits = move |symbol: Sym| match tests[symbol as usize] {
            true => states,
            false => states * states,
        };
        let total: usize = keys.iter().map(|(symbol, _)| bits(*symbol)).sum();
        assert!(total < 30, "{total} bits");
        (0..1u64 << total).map(move |mut code| {
            let mut atoms = HashMap::new();
            for key in &keys {
                let own = code & ((1 << bits(key.0)) - 1);
                code >>= bits(key.0);
                // A test's bits are those of the diagonal.
                let pairs = match bits(key.0) == states {
                    true => (0..states)
                        .map(|s| (own as u16 >> s & 1) << (s * states + s))
                        .sum(),
                    false => own as u16,
                };
                atoms.insert(key.clone(), pairs);
            }
            Model {
                states,
                processes,
                atoms,
            }
        })
    }

    fn relation(&self, d: &mut Dice, test: bool) -> u16 {
        let (one, top) = (self.one(), self.top());
        let mut any = || (d.below(256) << 8 | d.below(256)) as u16;
        let (x, y, kind) = (any(), any(), any() % 8);
        match kind {
            _ if test => x & one,
            0 => 0,
            1 => one,
            2 | 3 => x & y & top,
            4 => (x & y | one) & top,
            _ => x & top,
        }
    }

    fn one(&self) -> u16 {
        (0..self.states).map(|s| 1 << (s * self.states + s)).sum()
    }

    fn top(&self) -> u16 {
        u16::MAX >> (16 - self.states * self.states)
    }

    fn has(&self, x: u16, s: usize, t: usize) -> bool {
        x >> (s * self.states + t) & 1 == 1
    }

    fn compose(&self, x: u16, y: u16) -> u16 {
        let n = self.states;
        let mut all = 0;
        for s in 0..n {
            for t in 0..n {
                if (0..n).any(|u| self.has(x, s, u) && self.has(y, u, t)) {
                    all |= 1 << (s * n + t);
                }
            }
        }
        all
    }

    /// Where pairs begin, or end.
    fn ends(&self, x: u16, first: bool) -> u16 {
        let n = self.states;
        let at = |s: usize, t: usize| {
            if first {
                self.has(x, s, t)
            } else {
                self.has(x, t, s)
            }
        };
        let all = (0..n).filter(|s| (0..n).any(|t| at(*s, t)));
        all.map(|s| 1 << (s * n + s)).sum()
    }

    fn star(&self, x: u16) -> u16 {
        let mut all = self.one();
        loop {
            let more = all | self.compose(x, all);
            if more == all {
                return all;
            }
            all = more;
        }
    }

    /// All pairs whose first state starts a path of as many steps as there are states, so an infinite one.
    fn omega(&self, x: u16) -> u16 {
        let path = (0..self.states).fold(self.one(), |all, _| self.compose(all, x));
        self.compose(path, self.top())
    }

    /// The value of a term for processes of its variables.
    pub fn value(&self, terms: &Terms, t: Id, at: &[(u32, usize)]) -> u16 {
        self.under(terms, t, at, &mut Vec::new(), &mut HashMap::new())
    }

    fn under(
        &self,
        terms: &Terms,
        t: Id,
        at: &[(u32, usize)],
        bound: &mut Vec<usize>,
        known: &mut HashMap<(Id, Vec<usize>), u16>,
    ) -> u16 {
        let key = (t, bound.clone());
        if let Some(value) = known.get(&key) {
            return *value;
        }
        let process = |i: &Index, bound: &[usize]| match i {
            Index::Var(v) => at.iter().find(|(w, _)| v == w).map_or(0, |(_, p)| *p),
            Index::Bound(n) => bound[bound.len() - 1 - *n as usize],
        };
        let value = match terms.node(t) {
            Node::Zero => 0,
            Node::One => self.one(),
            Node::Top => self.top(),
            Node::Atom(s, indices) => {
                let on: Vec<usize> = indices.iter().map(|i| process(i, bound)).collect();
                self.atoms[&(*s, on)]
            }
            Node::Not(x) => self.one() & !self.under(terms, *x, at, bound, known),
            Node::Sum(all) => all
                .iter()
                .fold(0, |sum, x| sum | self.under(terms, *x, at, bound, known)),
            Node::Product(all) => all.iter().fold(self.one(), |product, x| {
                self.compose(product, self.under(terms, *x, at, bound, known))
            }),
            Node::Applied(operator, x) => {
                let x = self.under(terms, *x, at, bound, known);
                match operator {
                    Operator::Domain => self.ends(x, true),
                    Operator::Codomain => self.ends(x, false),
                    Operator::Divergence => self.ends(self.omega(x), true),
                }
            }
            Node::Star(x) => self.star(self.under(terms, *x, at, bound, known)),
            Node::Omega(x) => self.omega(self.under(terms, *x, at, bound, known)),
            Node::SumOver(but, x) | Node::ProductOver(but, x) => {
                let out: Vec<usize> = but.iter().map(|i| process(i, bound)).collect();
                let sum = matches!(terms.node(t), Node::SumOver(..));
                let mut value = if sum { 0 } else { self.one() };
                for p in (0..self.processes).filter(|p| !out.contains(p)) {
                    bound.push(p);
                    let member = self.under(terms, *x, at, bound, known);
                    bound.pop();
                    value = if sum { value | member } else { value & member };
                }
                value
            }
        };
        known.insert(key, value);
        value
    }

    /// Whether a statement holds for all processes that differ as it says.
    pub fn holds(&self, terms: &Terms, s: &Statement) -> bool {
        let mut at: Vec<(u32, usize)> = variables(terms, s).into_iter().map(|v| (v, 0)).collect();
        loop {
            let of = |v: &u32| at.iter().find(|(w, _)| v == w).map(|(_, p)| *p);
            let given = s.distinct.iter().all(|(i, j)| of(i) != of(j));
            let below =
                |(l, r): &(Id, Id)| self.value(terms, *l, &at) & !self.value(terms, *r, &at) == 0;
            if given && !s.parts.iter().all(below) {
                return false;
            }
            let Some(next) = at.iter().position(|(_, p)| p + 1 < self.processes) else {
                return true;
            };
            at[next].1 += 1;
            at[..next].iter_mut().for_each(|(_, p)| *p = 0);
        }
    }
}

/// The index variables of a statement.
pub fn variables(terms: &Terms, s: &Statement) -> BTreeSet<u32> {
    let mut all: BTreeSet<u32> = s.distinct.iter().flat_map(|(i, j)| [*i, *j]).collect();
    for t in s.parts.iter().flat_map(|(l, r)| [*l, *r]) {
        terms.any(t, &mut |n| {
            if let Node::Atom(_, is) | Node::SumOver(is, _) | Node::ProductOver(is, _) = n {
                all.extend(is.iter().filter_map(|i| match i {
                    Index::Var(v) => Some(*v),
                    Index::Bound(_) => None,
                }));
            }
            false
        });
    }
    all
}
