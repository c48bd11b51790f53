//! The equations of an e-graph: those given, and instances of the laws that hold without assumptions, for the letters
//! in use.

use super::{Cause, factors};
use crate::kernel::{Id, Node, ONE, TOP, Terms, ZERO};
use rustc_hash::FxHashSet;

/// A law that needs no assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Law {
    /// Both sides are one term to the kernel: neighbouring tests commute and repeat, `p ~p = 0`, `0 x = 0 = x 0`,
    /// `1 x = x`, `T T = T`.
    Normal,
    /// `x* x* = x*`. Given: `x*`.
    StarTwice(Id),
    /// `x x* = x* x`. Given: `x*`.
    StarSlide(Id),
    /// `x x^w = x^w`. Given: `x^w`.
    OmegaUnfold(Id),
    /// `x^w T = x^w`. Given: `x^w`.
    OmegaTop(Id),
    /// `x* x^w = x^w`. Given: `x*` and `x^w`.
    StarOmega(Id, Id),
}

/// Two equal words.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    pub left: Vec<Id>,
    pub right: Vec<Id>,
    pub cause: Cause,
    pub direction: Use,
}

/// The directions in which an equation is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Forwards,
    /// Both; what would put a word in for 1 is used in the first round only.
    Both,
}

/// All equations for the letters in use.
pub(super) struct Rules {
    /// How many equations are given; they come first.
    given: usize,
    all: Vec<Equation>,
    letters: Vec<Id>,
    known: FxHashSet<Id>,
    /// Letters of the equations given; only tests among them are moved about freely.
    named: FxHashSet<Id>,
}

impl Rules {
    pub fn new(equations: &[(Vec<Id>, Vec<Id>)]) -> Self {
        let without_one = |w: &[Id]| w.iter().copied().filter(|x| *x != ONE).collect::<Vec<Id>>();
        let given = equations.iter().enumerate().map(|(n, (left, right))| {
            let (left, right) = (without_one(left), without_one(right));
            // Nothing is gained by taking 0 apart: words equal to 0 meet there.
            let direction = match right.as_slice() {
                [ZERO] => Use::Forwards,
                _ => Use::Both,
            };
            let cause = Cause::Equation(n);
            Equation {
                left,
                right,
                cause,
                direction,
            }
        });
        let all: Vec<Equation> = given.collect();
        Rules {
            given: all.len(),
            letters: Vec::new(),
            known: FxHashSet::default(),
            named: all
                .iter()
                .flat_map(|e| e.left.iter().chain(&e.right))
                .copied()
                .collect(),
            all,
        }
    }

    /// The equations, those given first.
    pub fn all(&self) -> &[Equation] {
        &self.all
    }

    /// Takes letters into account; whether there are new equations.
    pub fn learn<'a>(&mut self, terms: &Terms, words: impl Iterator<Item = &'a Id>) -> bool {
        let before = self.letters.len();
        if before == 0 {
            let named: Vec<Id> = self.named.iter().copied().collect();
            named.into_iter().for_each(|x| self.letter(terms, x));
        }
        words.for_each(|x| self.letter(terms, *x));
        if self.letters.len() == before {
            return false;
        }
        self.letters.sort_unstable();
        self.all.truncate(self.given);
        self.laws(terms);
        true
    }

    /// A letter with those that its laws speak of.
    fn letter(&mut self, terms: &Terms, x: Id) {
        let mut new = vec![x];
        while let Some(x) = new.pop() {
            if !self.known.insert(x) {
                continue;
            }
            self.letters.push(x);
            match terms.node(x) {
                Node::Star(body) => new.extend(factors(terms, *body)),
                Node::Omega(body) => {
                    new.extend(factors(terms, *body));
                    new.push(TOP);
                }
                _ => {}
            }
        }
    }

    fn law(&mut self, left: Vec<Id>, right: Vec<Id>, law: Law, direction: Use) {
        self.all.push(Equation {
            left,
            right,
            cause: Cause::Law(law),
            direction,
        });
    }

    fn laws(&mut self, terms: &Terms) {
        let letters = self.letters.clone();
        let tests: Vec<Id> = letters
            .iter()
            .copied()
            .filter(|x| terms.is_test(*x))
            .collect();
        let mut free = self.named.clone();
        let mut zero = self.known.contains(&ZERO);
        for &p in &tests {
            self.law(vec![p, p], vec![p], Law::Normal, Use::Both);
            if let Node::Not(q) = terms.node(p)
                && self.known.contains(q)
            {
                free.extend([p, *q]);
                zero = true;
                self.law(vec![p, *q], vec![ZERO], Law::Normal, Use::Forwards);
                self.law(vec![*q, p], vec![ZERO], Law::Normal, Use::Forwards);
            }
        }
        // Tests are put in order; those that an equation may want elsewhere also out of it.
        for (n, &p) in tests.iter().enumerate() {
            for &q in &tests[n + 1..] {
                let both = free.contains(&p) || free.contains(&q);
                let direction = if both { Use::Both } else { Use::Forwards };
                self.law(vec![q, p], vec![p, q], Law::Normal, direction);
            }
        }
        for &x in &letters {
            if zero && x != ZERO {
                self.law(vec![ZERO, x], vec![ZERO], Law::Normal, Use::Forwards);
                self.law(vec![x, ZERO], vec![ZERO], Law::Normal, Use::Forwards);
            }
            match terms.node(x) {
                Node::Star(body) => {
                    self.law(vec![x, x], vec![x], Law::StarTwice(x), Use::Both);
                    let body = factors(terms, *body);
                    let (left, right) = ([&body[..], &[x]].concat(), [&[x], &body[..]].concat());
                    self.law(left, right, Law::StarSlide(x), Use::Both);
                }
                Node::Omega(y) => {
                    let body = factors(terms, *y);
                    let left = [&body[..], &[x]].concat();
                    self.law(left, vec![x], Law::OmegaUnfold(x), Use::Both);
                    self.law(vec![x, TOP], vec![x], Law::OmegaTop(x), Use::Both);
                    for &s in &letters {
                        if matches!(terms.node(s), Node::Star(z) if z == y) {
                            self.law(vec![s, x], vec![x], Law::StarOmega(s, x), Use::Both);
                        }
                    }
                }
                Node::One => self.law(vec![x], Vec::new(), Law::Normal, Use::Forwards),
                Node::Top => self.law(vec![x, x], vec![x], Law::Normal, Use::Both),
                _ => {}
            }
        }
    }
}
