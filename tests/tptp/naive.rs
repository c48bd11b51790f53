//! Formulas evaluated as they are defined, in small finite algebras given by tables: the ground truth for answers.

use coarsen::algebra::tptp::text::{Formula, Term};
use std::collections::BTreeMap;

/// An idempotent semiring with star, omega and tests; elements are numbers, 0 is zero.
pub struct Algebra {
    pub name: &'static str,
    one: usize,
    sum: Vec<Vec<usize>>,
    product: Vec<Vec<usize>>,
    /// Whether the star of anything is the greatest element.
    star_is_top: bool,
}

impl Algebra {
    fn new(
        name: &'static str,
        size: usize,
        one: usize,
        sum: impl Fn(usize, usize) -> usize,
        product: impl Fn(usize, usize) -> usize,
    ) -> Algebra {
        let table = |f: &dyn Fn(usize, usize) -> usize| {
            (0..size)
                .map(|x| (0..size).map(|y| f(x, y)).collect())
                .collect()
        };
        Algebra {
            name,
            one,
            sum: table(&sum),
            product: table(&product),
            star_is_top: false,
        }
    }

    /// The same with another star.
    pub fn with_top_for_star(mut self) -> Algebra {
        self.star_is_top = true;
        self
    }

    /// All relations on so many states, as sets of bits.
    fn relations(name: &'static str, states: usize) -> Algebra {
        let bit = |s: usize, t: usize| 1 << (s * states + t);
        let compose = move |x: usize, y: usize| {
            let mut all = 0;
            for s in 0..states {
                for t in 0..states {
                    let meets = |u| x & bit(s, u) != 0 && y & bit(u, t) != 0;
                    if (0..states).any(meets) {
                        all |= bit(s, t);
                    }
                }
            }
            all
        };
        let one = (0..states).map(|s| bit(s, s)).sum();
        Algebra::new(name, 1 << (states * states), one, |x, y| x | y, compose)
    }

    /// Pairs.
    fn times(&self, name: &'static str, other: &Algebra) -> Algebra {
        let n = other.size();
        let both = |f: &[Vec<usize>], g: &[Vec<usize>], x: usize, y: usize| {
            f[x / n][y / n] * n + g[x % n][y % n]
        };
        Algebra::new(
            name,
            self.size() * n,
            self.one * n + other.one,
            |x, y| both(&self.sum, &other.sum, x, y),
            |x, y| both(&self.product, &other.product, x, y),
        )
    }

    /// Relations on so many states as demonic refinement algebra has them: a state that may abort may do anything.
    fn demonic(name: &'static str, states: usize) -> Algebra {
        // What is done from a state: a set of states, or anything.
        let anything = 1 << states;
        let row = move |x: usize, s: usize| x / (anything + 1_usize).pow(s as u32) % (anything + 1);
        let whole = move |f: &dyn Fn(usize) -> usize| {
            (0..states)
                .rev()
                .fold(0, |all, s| all * (anything + 1) + f(s))
        };
        let either = move |a: usize, b: usize| match a.max(b) == anything {
            true => anything,
            false => a | b,
        };
        let compose = move |x: usize, y: usize| {
            whole(&|s| match row(x, s) {
                a if a == anything => anything,
                a => (0..states)
                    .filter(|t| a & (1 << t) != 0)
                    .fold(0, |all, t| either(all, row(y, t))),
            })
        };
        let sum = move |x: usize, y: usize| whole(&|s| either(row(x, s), row(y, s)));
        let one = whole(&|s| 1 << s);
        let size = (anything + 1_usize).pow(states as u32);
        Algebra::new(name, size, one, sum, compose)
    }

    pub fn size(&self) -> usize {
        self.sum.len()
    }

    fn below(&self, x: usize, y: usize) -> bool {
        self.sum[x][y] == y
    }

    fn star(&self, x: usize) -> usize {
        if self.star_is_top {
            return (0..self.size()).fold(0, |top, y| self.sum[top][y]);
        }
        let mut star = self.one;
        loop {
            let next = self.sum[star][self.product[x][star]];
            if next == star {
                return star;
            }
            star = next;
        }
    }

    fn omega(&self, x: usize) -> usize {
        let stays = |y: &usize| self.below(*y, self.product[x][*y]);
        let all = (0..self.size()).filter(stays);
        all.fold(0, |sum, y| self.sum[sum][y])
    }

    /// The greatest y with `y <= x y + 1`.
    fn strong(&self, x: usize) -> usize {
        let stays = |y: &usize| self.below(*y, self.sum[self.product[x][*y]][self.one]);
        let all = (0..self.size()).filter(stays);
        all.fold(0, |sum, y| self.sum[sum][y])
    }

    fn is_complement(&self, y: usize, x: usize) -> bool {
        let p = &self.product;
        (p[x][y], p[y][x], self.sum[x][y]) == (0, 0, self.one)
    }

    /// The greatest test before x, or behind it, such that nothing is left of x; 0 if there is none.
    fn antidomain(&self, x: usize, before: bool) -> usize {
        let left = |y: usize| match before {
            true => self.product[y][x],
            false => self.product[x][y],
        };
        let tests = (0..self.size()).filter(|y| self.complement(*y).is_some() && left(*y) == 0);
        tests.fold(0, |sum, y| self.sum[sum][y])
    }

    /// The greatest test that x may lead to itself from.
    fn divergence(&self, x: usize) -> usize {
        let again = |p: usize| {
            let none = self.antidomain(self.product[x][p], true);
            self.below(p, self.antidomain(none, true))
        };
        let tests = (0..self.size()).filter(|p| self.complement(*p).is_some() && again(*p));
        tests.fold(0, |sum, p| self.sum[sum][p])
    }

    /// The least idempotent part of 1 that keeps x, of those that commute with each other.
    fn domain(&self, x: usize) -> usize {
        let p = &self.product;
        let is_part = |y: &usize| self.below(*y, self.one) && p[*y][*y] == *y;
        let keep = (0..self.size()).filter(|y| is_part(y) && self.below(x, p[*y][x]));
        keep.fold(self.one, |all, y| p[all][y])
    }

    fn complement(&self, x: usize) -> Option<usize> {
        (0..self.size()).find(|y| self.is_complement(*y, x))
    }
}

/// A few: of one element, relations, chains where a part of 1 is no test or something is above 1, and a product.
pub fn algebras() -> Vec<Algebra> {
    let chain = |name, product: fn(usize, usize) -> usize, one| {
        Algebra::new(name, 3, one, |x, y| x.max(y), product)
    };
    let bits = Algebra::relations("relations on 1 state", 1);
    let below = chain("a chain below 1", |x, y| x.min(y), 2);
    // The middle one is nilpotent.
    let nilpotent = chain("a nilpotent part of 1", |x, y| (x + y).saturating_sub(2), 2);
    let above = chain(
        "a chain above 1",
        |x, y| if x.min(y) == 0 { 0 } else { x.max(y) },
        1,
    );
    let product = below.times("a product", &bits);
    vec![
        Algebra::new("one element", 1, 0, |_, _| 0, |_, _| 0),
        bits,
        Algebra::relations("relations on 2 states", 2),
        below,
        nilpotent,
        above,
        product,
    ]
}

/// Demonic refinement algebras, if the axioms hold in them: relations on one and two states, pairs, and all chains of
/// four elements with a left zero.
pub fn demonic() -> Vec<Algebra> {
    let one = Algebra::demonic("demonic relations on 1 state", 1);
    let mut all = vec![one.times("a product", &one), one];
    all.push(Algebra::demonic("demonic relations on 2 states", 2));
    for unit in 1..4 {
        let others: Vec<usize> = (1..4).filter(|x| *x != unit).collect();
        let [_, v] = others[..] else { unreachable!() };
        for n in 0..4_usize.pow(6) {
            let digit = |k: u32| n / 4_usize.pow(k) % 4;
            let product = |x: usize, y: usize| match (x, y) {
                (0, _) => 0,
                (x, y) if x == unit => y,
                (x, y) if y == unit => x,
                (x, 0) => digit(u32::from(x == v)),
                (x, y) => digit(2 + 2 * u32::from(x == v) + u32::from(y == v)),
            };
            let chain = Algebra::new("a chain", 4, unit, usize::max, product);
            let (p, size) = (&chain.product, 0..4);
            let associative = size
                .clone()
                .all(|x| (0..16).all(|yz| p[p[x][yz / 4]][yz % 4] == p[x][p[yz / 4][yz % 4]]));
            let monotone = size
                .clone()
                .all(|x| (0..3).all(|y| p[x][y] <= p[x][y + 1] && p[y][x] <= p[y + 1][x]));
            if associative && monotone {
                all.push(chain);
            }
        }
    }
    all
}

type Values = BTreeMap<String, usize>;

impl Algebra {
    /// Whether a formula holds for some values of its constants, or for none.
    pub fn satisfies(&self, formula: &Formula, constants: &[&str]) -> bool {
        let mut values = Values::new();
        self.all(constants, &mut values, &mut |values| {
            self.holds(formula, values)
        })
    }

    /// Whether `f` holds for all values of some names.
    fn all(
        &self,
        names: &[&str],
        values: &mut Values,
        f: &mut dyn FnMut(&mut Values) -> bool,
    ) -> bool {
        let Some((first, rest)) = names.split_first() else {
            return f(values);
        };
        (0..self.size()).all(|x| {
            values.insert((*first).to_string(), x);
            self.all(rest, values, f)
        })
    }

    fn holds(&self, formula: &Formula, values: &mut Values) -> bool {
        match formula {
            Formula::Constant(value) => *value,
            Formula::Equal(s, t) => self.value(s, values) == self.value(t, values),
            Formula::Atom(Term::Apply(name, of)) => {
                let of: Vec<usize> = of.iter().map(|t| self.value(t, values)).collect();
                match (name.as_str(), of.as_slice()) {
                    ("leq", [x, y]) => self.below(*x, *y),
                    ("test", [x]) => self.complement(*x).is_some(),
                    ("complement", [y, x]) => self.is_complement(*y, *x),
                    _ => panic!("{name}"),
                }
            }
            Formula::Atom(other) => panic!("{other:?}"),
            Formula::Not(a) => !self.holds(a, values),
            Formula::And(all) => all.iter().all(|a| self.holds(a, values)),
            Formula::Or(all) => all.iter().any(|a| self.holds(a, values)),
            Formula::Implies(a, b) => !self.holds(a, values) || self.holds(b, values),
            Formula::Iff(a, b) => self.holds(a, values) == self.holds(b, values),
            Formula::All(bound, a) | Formula::Some(bound, a) => {
                let names: Vec<String> = bound.iter().map(|v| format!("#{}", v.number)).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let some = matches!(formula, Formula::Some(..));
                some != self.all(&names, values, &mut |values| self.holds(a, values) != some)
            }
        }
    }

    fn value(&self, term: &Term, values: &Values) -> usize {
        match term {
            Term::Variable(v) => values[&format!("#{}", v.number)],
            Term::Foreign(name) => panic!("{name}"),
            Term::Apply(name, of) => {
                let of: Vec<usize> = of.iter().map(|t| self.value(t, values)).collect();
                match (name.as_str(), of.as_slice()) {
                    ("zero", []) => 0,
                    ("one", []) => self.one,
                    ("addition", [x, y]) => self.sum[*x][*y],
                    ("multiplication", [x, y]) => self.product[*x][*y],
                    ("star", [x]) => self.star(*x),
                    ("omega", [x]) => self.omega(*x),
                    ("strong_iteration", [x]) => self.strong(*x),
                    ("c", [x]) => self.complement(*x).unwrap_or(0),
                    ("domain", [x]) => self.domain(*x),
                    ("antidomain", [x]) => self.antidomain(*x, true),
                    ("divergence", [x]) => self.divergence(*x),
                    ("coantidomain", [x]) => self.antidomain(*x, false),
                    (name, []) => values[name],
                    _ => panic!("{name}"),
                }
            }
        }
    }
}
