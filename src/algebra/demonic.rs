//! Demonic refinement algebra (von Wright 2004), in which `x 0 = 0` does not hold, read in omega algebra, in which it
//! does.
//!
//! A new least element makes an omega algebra of a demonic refinement algebra. Its old zero is then an element `z` with
//! `z <= x` and `z x = z` for each old x, and `x^w` is the old strong iteration of x, followed by z
//! (`docs/soundness.md`). So 0 is written `z T` here, strong iteration `x^w + x*`, and no law is used that the new
//! algebra has not. A term falls into a finite part, free of z and omega, and an infinite one, whose monomials end in
//! `z T` or an omega: what follows them is dropped. Both halves are what `prove` decides.

use super::suite::{Chains, Link, OnRelations};
use super::term::Order;
use crate::kernel::{Id, Node, ONE, Statement, Sym, TOP, Terms, ZERO};

/// More pairs of a beginning and what completes it are not made of a term.
const MOST: usize = 200;

/// The algebra, with the letter that stands for its zero.
#[derive(Clone, Copy, Debug)]
pub struct Demonic {
    zero: Sym,
    strong: bool,
}

/// A term is the sum of these two.
#[derive(Clone, Copy)]
struct Halves {
    finite: Id,
    infinite: Id,
}

/// A statement as it is proved, and as relations refute it.
pub struct Reading {
    /// What is assumed: the premises, by halves, and that zero is below some terms.
    pub premises: Vec<Statement>,
    /// What is to be proved, and by which ways.
    pub links: Vec<Link>,
    /// The same of relations.
    pub on_relations: OnRelations,
}

impl Demonic {
    /// With a letter that nothing else is called. Without strong iteration there need not be a greatest element.
    pub fn new(zero: Sym, strong: bool) -> Self {
        Demonic { zero, strong }
    }

    /// `0`
    pub fn nothing(self, terms: &mut Terms) -> Id {
        let letter = terms.atom(self.zero, Vec::new());
        match self.strong {
            true => terms.product([letter, TOP]),
            false => letter,
        }
    }

    /// Strong iteration, finite or infinite.
    pub fn iteration(terms: &mut Terms, x: Id) -> Id {
        let both = [terms.omega(x), terms.star(x)];
        terms.sum(both)
    }

    /// A statement about letters, `0`, `1`, `T`, sums, products, stars and omegas. `aborts` is a test that nothing else
    /// is called.
    pub fn read(
        self,
        terms: &mut Terms,
        premises: &[Statement],
        links: &[Link],
        aborts: Sym,
    ) -> Reading {
        let on_relations = self.on_relations(terms, premises, links, aborts);
        let given = premises.iter().flat_map(|p| &p.parts);
        let stated = links.iter().flat_map(|l| [l.left, l.right]);
        let mut all = given.flat_map(|(l, r)| [*l, *r]).chain(stated);
        let with_zero = all.any(|t| terms.any(t, &mut |n| self.is_zero(n)));
        let premises = premises.iter().map(|p| self.premise(terms, p, with_zero));
        let mut premises: Vec<Statement> = premises.collect();
        let mut above = Vec::new();
        let mut done = Vec::new();
        for link in links {
            let (left, right) = (
                self.halves(terms, link.left),
                self.halves(terms, link.right),
            );
            let mut through = vec![self.ways(terms, left, right, with_zero, &mut above)];
            if link.order == Order::Equal {
                through.push(self.ways(terms, right, left, with_zero, &mut above));
            }
            done.push(Link {
                left: left.whole(terms),
                right: right.whole(terms),
                order: link.order,
                hints: link.hints.clone(),
                through,
            });
        }
        above.sort_unstable();
        above.dedup();
        let zero = self.nothing(terms);
        premises.extend(above.into_iter().map(|t| below(zero, t)));
        Reading {
            premises,
            links: done,
            on_relations,
        }
    }

    fn is_zero(self, node: &Node) -> bool {
        matches!(node, Node::Atom(s, _) if *s == self.zero)
    }

    fn halves(self, terms: &mut Terms, t: Id) -> Halves {
        let node = terms.node(t).clone();
        match node {
            _ if self.is_zero(&node) => Halves {
                finite: ZERO,
                infinite: self.nothing(terms),
            },
            Node::Top => Halves {
                finite: ZERO,
                infinite: t,
            },
            Node::Sum(all) => {
                let all: Vec<Halves> = all.iter().map(|x| self.halves(terms, *x)).collect();
                Halves {
                    finite: terms.sum(all.iter().map(|h| h.finite)),
                    infinite: terms.sum(all.iter().map(|h| h.infinite)),
                }
            }
            Node::Product(all) => {
                let (mut finite, mut infinite) = (ONE, ZERO);
                for x in all {
                    let next = self.halves(terms, x);
                    let here = terms.product([finite, next.infinite]);
                    infinite = terms.sum([infinite, here]);
                    finite = terms.product([finite, next.finite]);
                }
                Halves { finite, infinite }
            }
            Node::Star(x) => {
                let body = self.halves(terms, x);
                let finite = terms.star(body.finite);
                let infinite = terms.product([finite, body.infinite]);
                Halves { finite, infinite }
            }
            Node::Omega(x) => {
                let body = self.halves(terms, x);
                let star = terms.star(body.finite);
                let ends = [
                    terms.omega(body.finite),
                    terms.product([star, body.infinite]),
                ];
                Halves {
                    finite: ZERO,
                    infinite: terms.sum(ends),
                }
            }
            _ => Halves {
                finite: t,
                infinite: ZERO,
            },
        }
    }

    /// A premise by halves. What holds of an infinite half holds of the right side followed by zero, and what holds of
    /// a finite one with zero behind it.
    fn premise(self, terms: &mut Terms, premise: &Statement, with_zero: bool) -> Statement {
        let zero = self.nothing(terms);
        let mut parts = Vec::new();
        for &(l, r) in &premise.parts {
            let (left, right) = (self.halves(terms, l), self.halves(terms, r));
            let whole = right.whole(terms);
            let ended = [terms.product([right.finite, zero]), right.infinite];
            let ended = terms.sum(ended);
            parts.extend(members(terms, left.finite).map(|x| (x, whole)));
            parts.extend(members(terms, left.infinite).map(|x| (x, ended)));
            if with_zero && right.infinite != ZERO && left.finite != ZERO {
                let left = terms.product([left.finite, zero]);
                parts.push((left, ended));
            }
        }
        parts.retain(|(l, r)| *l != zero && l != r);
        parts.dedup();
        if parts.is_empty() {
            parts.push((zero, zero));
        }
        Statement {
            distinct: Vec::new(),
            parts,
        }
    }

    /// Chains that show one term to be below another. What begins as a word of the right side does, and ends in zero,
    /// is below it.
    fn ways(
        self,
        terms: &mut Terms,
        left: Halves,
        right: Halves,
        with_zero: bool,
        above: &mut Vec<Id>,
    ) -> Chains {
        let whole = right.whole(terms);
        let zero = self.nothing(terms);
        let mut all = Vec::new();
        if with_zero {
            self.beginnings(terms, right.finite, &mut all);
            self.beginnings(terms, right.infinite, &mut all);
            all.truncate(MOST);
        }
        let mut chains = Vec::new();
        if left.finite != ZERO {
            chains.push(vec![left.finite, whole]);
        }
        if left.infinite != ZERO {
            let ended = terms.sum(all.iter().map(|(m, _)| *m));
            let ended = terms.product([ended, zero]);
            let between = terms.sum([right.infinite, ended]);
            chains.push(vec![left.infinite, between, whole]);
        }
        above.extend(all.into_iter().map(|(_, end)| end).filter(|t| *t != zero));
        chains
    }

    /// Beginnings m of words of a half, each with an end e, so that `m e` is below it.
    fn beginnings(self, terms: &mut Terms, t: Id, into: &mut Vec<(Id, Id)>) {
        let first = into.len();
        if first > MOST {
            return;
        }
        match terms.node(t).clone() {
            Node::Zero => {}
            node @ Node::Atom(..) if !self.is_zero(&node) => into.extend([(ONE, t), (t, ONE)]),
            Node::Sum(all) => all.iter().for_each(|x| self.beginnings(terms, *x, into)),
            Node::Product(all) if all.iter().all(|x| !self.is_zero(terms.node(*x))) => {
                for (n, x) in all.iter().enumerate() {
                    let first = into.len();
                    self.beginnings(terms, *x, into);
                    let before = terms.product(all[..n].iter().copied());
                    let rest: Vec<Id> = all[n + 1..].iter().map(|y| word(terms, *y)).collect();
                    let rest = terms.product(rest);
                    for (m, end) in into.iter_mut().skip(first) {
                        *m = terms.product([before, *m]);
                        *end = terms.product([*end, rest]);
                    }
                }
            }
            Node::Product(all) => {
                // It ends in zero.
                let before = all
                    .iter()
                    .copied()
                    .take_while(|x| !self.is_zero(terms.node(*x)));
                let before = before.collect::<Vec<_>>();
                let before = terms.product(before);
                self.beginnings(terms, before, into);
                let zero = self.nothing(terms);
                for (_, end) in into.iter_mut().skip(first) {
                    *end = terms.product([*end, zero]);
                }
            }
            Node::Star(x) | Node::Omega(x) => {
                self.beginnings(terms, x, into);
                let star = terms.star(x);
                let rest = if star == t { ONE } else { t };
                for (m, end) in into.iter_mut().skip(first) {
                    *m = terms.product([star, *m]);
                    *end = terms.product([*end, rest]);
                }
                into.push((ONE, rest));
            }
            _ => into.push((ONE, t)),
        }
    }

    /// What is said, of relations. Those of a demonic refinement algebra: from an aborting state all are reached, and
    /// where one is reached all are.
    fn on_relations(
        self,
        terms: &mut Terms,
        premises: &[Statement],
        links: &[Link],
        aborts: Sym,
    ) -> OnRelations {
        let test = terms.atom(aborts, Vec::new());
        let zero = terms.product([test, TOP]);
        let all = terms.product([TOP, zero]);
        let mut given = vec![below(TOP, all)];
        let mut of = |t: Id| self.relation(terms, t, zero);
        for premise in premises {
            given.push(Statement {
                distinct: Vec::new(),
                parts: premise
                    .parts
                    .iter()
                    .map(|(l, r)| (of(*l), of(*r)))
                    .collect(),
            });
        }
        let mut parts = Vec::new();
        for link in links {
            let (l, r) = (of(link.left), of(link.right));
            parts.push((l, r));
            if link.order == Order::Equal {
                parts.push((r, l));
            }
        }
        OnRelations { given, parts }
    }

    fn relation(self, terms: &mut Terms, t: Id, zero: Id) -> Id {
        let node = terms.node(t).clone();
        let one = terms.sum([ONE, zero]);
        match node {
            _ if self.is_zero(&node) => zero,
            Node::One => one,
            Node::Atom(..) => {
                let aborting = terms.sum([t, zero]);
                terms.product([aborting, one])
            }
            Node::Sum(all) => {
                let all: Vec<Id> = all.iter().map(|x| self.relation(terms, *x, zero)).collect();
                terms.sum(all)
            }
            Node::Product(all) => {
                let all: Vec<Id> = all.iter().map(|x| self.relation(terms, *x, zero)).collect();
                terms.product(all)
            }
            Node::Star(x) => {
                let x = self.relation(terms, x, zero);
                terms.star(x)
            }
            Node::Omega(x) => {
                let x = self.relation(terms, x, zero);
                terms.omega(x)
            }
            _ => t,
        }
    }
}

impl Halves {
    fn whole(self, terms: &mut Terms) -> Id {
        terms.sum([self.finite, self.infinite])
    }
}

fn below(left: Id, right: Id) -> Statement {
    Statement {
        distinct: Vec::new(),
        parts: vec![(left, right)],
    }
}

fn members(terms: &Terms, t: Id) -> impl Iterator<Item = Id> + use<> {
    let all = match terms.node(t) {
        Node::Zero => Vec::new(),
        Node::Sum(all) => all.clone(),
        _ => vec![t],
    };
    all.into_iter()
}

/// A word of a half, or a monomial.
fn word(terms: &mut Terms, t: Id) -> Id {
    match terms.node(t).clone() {
        Node::Sum(all) => {
            let one = all
                .iter()
                .find(|x| **x == ONE || matches!(terms.node(**x), Node::Star(_)));
            word(terms, *one.unwrap_or(&all[0]))
        }
        Node::Product(all) => {
            let all: Vec<Id> = all.iter().map(|x| word(terms, *x)).collect();
            terms.product(all)
        }
        Node::Star(_) => ONE,
        _ => t,
    }
}
