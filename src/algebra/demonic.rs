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
use rustc_hash::FxHashMap;

/// More pairs of a beginning and what completes it are not made of a term.
const MOST: usize = 200;
/// Nor such with more factors.
const LONGEST: usize = 100;

/// The algebra, with the letter that stands for its zero.
#[derive(Clone, Copy, Debug)]
pub struct Demonic {
    zero: Sym,
    strong: bool,
}

/// A statement being read, with what is known of its terms: they share parts.
struct Reader<'t> {
    demonic: Demonic,
    terms: &'t mut Terms,
    zero: Id,
    halves: FxHashMap<Id, Halves>,
    relations: FxHashMap<Id, Id>,
    words: FxHashMap<Id, Option<Id>>,
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
    /// is called. Behind a limit of terms it says something else.
    pub fn read(
        self,
        terms: &mut Terms,
        premises: &[Statement],
        links: &[Link],
        aborts: Sym,
    ) -> Reading {
        let mut reader = Reader {
            demonic: self,
            zero: self.nothing(terms),
            terms,
            halves: FxHashMap::default(),
            relations: FxHashMap::default(),
            words: FxHashMap::default(),
        };
        let on_relations = reader.on_relations(premises, links, aborts);
        let with_zero = reader.speaks_of_zero(premises, links);
        let premises = premises.iter().map(|p| reader.premise(p, with_zero));
        let mut premises: Vec<Statement> = premises.collect();
        let mut above = Vec::new();
        let mut done = Vec::new();
        for link in links {
            let (left, right) = (reader.halves(link.left), reader.halves(link.right));
            let mut through = vec![reader.ways(left, right, with_zero, &mut above)];
            if link.order == Order::Equal {
                through.push(reader.ways(right, left, with_zero, &mut above));
            }
            done.push(Link {
                left: reader.whole(left),
                right: reader.whole(right),
                order: link.order,
                hints: link.hints.clone(),
                through,
            });
        }
        above.sort_unstable();
        above.dedup();
        let zero = reader.zero;
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
}

impl Reader<'_> {
    /// Whether zero is spoken of: by name, or since a premise says that something infinite is below something finite.
    fn speaks_of_zero(&mut self, premises: &[Statement], links: &[Link]) -> bool {
        let given = premises.iter().flat_map(|p| &p.parts);
        let given: Vec<(Id, Id)> = given.copied().collect();
        let stated = links.iter().map(|l| (l.left, l.right));
        let mut all = given
            .iter()
            .copied()
            .chain(stated)
            .flat_map(|(l, r)| [l, r]);
        let demonic = self.demonic;
        all.any(|t| self.terms.any(t, &mut |n| demonic.is_zero(n)))
            || given
                .into_iter()
                .any(|(l, r)| self.halves(l).infinite != ZERO && self.halves(r).finite != ZERO)
    }

    fn whole(&mut self, halves: Halves) -> Id {
        self.terms.sum([halves.finite, halves.infinite])
    }

    fn halves(&mut self, t: Id) -> Halves {
        if let Some(known) = self.halves.get(&t) {
            return *known;
        }
        let node = self.terms.node(t).clone();
        let done = match node {
            _ if self.demonic.is_zero(&node) => Halves {
                finite: ZERO,
                infinite: self.zero,
            },
            Node::Top => Halves {
                finite: ZERO,
                infinite: t,
            },
            Node::Sum(all) => {
                let all: Vec<Halves> = all.iter().map(|x| self.halves(*x)).collect();
                Halves {
                    finite: self.terms.sum(all.iter().map(|h| h.finite)),
                    infinite: self.terms.sum(all.iter().map(|h| h.infinite)),
                }
            }
            Node::Product(all) => {
                let (mut finite, mut infinite) = (ONE, ZERO);
                for x in all {
                    let next = self.halves(x);
                    let here = self.terms.product([finite, next.infinite]);
                    infinite = self.terms.sum([infinite, here]);
                    finite = self.terms.product([finite, next.finite]);
                }
                Halves { finite, infinite }
            }
            Node::Star(x) => {
                let body = self.halves(x);
                let finite = self.terms.star(body.finite);
                let infinite = self.terms.product([finite, body.infinite]);
                Halves { finite, infinite }
            }
            Node::Omega(x) => {
                let body = self.halves(x);
                let star = self.terms.star(body.finite);
                let ends = [
                    self.terms.omega(body.finite),
                    self.terms.product([star, body.infinite]),
                ];
                Halves {
                    finite: ZERO,
                    infinite: self.terms.sum(ends),
                }
            }
            _ => Halves {
                finite: t,
                infinite: ZERO,
            },
        };
        self.halves.insert(t, done);
        done
    }

    /// A premise by halves. What holds of an infinite half holds of the right side followed by zero, and what holds of
    /// a finite one with zero behind it.
    fn premise(&mut self, premise: &Statement, with_zero: bool) -> Statement {
        let zero = self.zero;
        let mut parts = Vec::new();
        for &(l, r) in &premise.parts {
            let (left, right) = (self.halves(l), self.halves(r));
            let whole = self.whole(right);
            let ended = [self.terms.product([right.finite, zero]), right.infinite];
            let ended = self.terms.sum(ended);
            parts.extend(members(self.terms, left.finite).map(|x| (x, whole)));
            parts.extend(members(self.terms, left.infinite).map(|x| (x, ended)));
            if with_zero && right.infinite != ZERO && left.finite != ZERO {
                let left = self.terms.product([left.finite, zero]);
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
        &mut self,
        left: Halves,
        right: Halves,
        with_zero: bool,
        above: &mut Vec<Id>,
    ) -> Chains {
        let whole = self.whole(right);
        let zero = self.zero;
        let mut all = Vec::new();
        if with_zero {
            self.beginnings(right.finite, &mut all);
            self.beginnings(right.infinite, &mut all);
            all.truncate(MOST);
        }
        let mut chains = Vec::new();
        if left.finite != ZERO {
            chains.push(vec![left.finite, whole]);
        }
        if left.infinite != ZERO {
            let ended = self.terms.sum(all.iter().map(|(m, _)| *m));
            let ended = self.terms.product([ended, zero]);
            let between = self.terms.sum([right.infinite, ended]);
            chains.push(vec![left.infinite, between, whole]);
        }
        above.extend(all.into_iter().map(|(_, end)| end).filter(|t| *t != zero));
        chains
    }

    /// Beginnings m of words of a half, each with an end e, so that `m e` is below it.
    fn beginnings(&mut self, t: Id, into: &mut Vec<(Id, Id)>) {
        let first = into.len();
        if first > MOST {
            return;
        }
        match self.terms.node(t).clone() {
            Node::Zero => {}
            node @ Node::Atom(..) if !self.demonic.is_zero(&node) => {
                into.extend([(ONE, t), (t, ONE)])
            }
            Node::Sum(all) => all.iter().for_each(|x| self.beginnings(*x, into)),
            Node::Product(all) if !all.iter().any(|x| self.is_zero(*x)) => {
                for (n, x) in all.iter().enumerate() {
                    let rest = all[n + 1..].iter().map(|y| self.word(*y));
                    let Some(rest) = rest.collect::<Option<Vec<Id>>>() else {
                        continue;
                    };
                    let first = into.len();
                    self.beginnings(*x, into);
                    for (m, end) in &mut into[first..] {
                        let before = all[..n].iter().copied();
                        *m = self.terms.product(before.chain([*m]));
                        *end = self
                            .terms
                            .product([*end].into_iter().chain(rest.iter().copied()));
                    }
                }
            }
            Node::Product(all) => {
                // It ends in zero.
                let before = all.iter().copied().take_while(|x| !self.is_zero(*x));
                let before = before.collect::<Vec<_>>();
                let before = self.terms.product(before);
                self.beginnings(before, into);
                let zero = self.zero;
                for (_, end) in into.iter_mut().skip(first) {
                    *end = self.terms.product([*end, zero]);
                }
            }
            Node::Star(x) | Node::Omega(x) => {
                self.beginnings(x, into);
                let star = self.terms.star(x);
                let rest = if star == t { ONE } else { t };
                for (m, end) in into.iter_mut().skip(first) {
                    *m = self.terms.product([star, *m]);
                    *end = self.terms.product([*end, rest]);
                }
                into.push((ONE, rest));
            }
            _ => into.push((ONE, t)),
        }
        let mut found = into.split_off(first);
        found.retain(|(m, end)| self.factors(*m).max(self.factors(*end)) <= LONGEST);
        into.append(&mut found);
    }

    fn is_zero(&self, t: Id) -> bool {
        self.demonic.is_zero(self.terms.node(t))
    }

    fn factors(&self, t: Id) -> usize {
        match self.terms.node(t) {
            Node::Product(all) => all.len(),
            _ => 1,
        }
    }

    /// What is said, of relations. Those of a demonic refinement algebra: from an aborting state all are reached, and
    /// where one is reached all are.
    fn on_relations(&mut self, premises: &[Statement], links: &[Link], aborts: Sym) -> OnRelations {
        let test = self.terms.atom(aborts, Vec::new());
        let zero = self.terms.product([test, TOP]);
        let all = self.terms.product([TOP, zero]);
        let mut given = vec![("some state aborts".to_string(), below(TOP, all))];
        let mut of = |t: Id| self.relation(t, zero);
        for premise in premises {
            let parts = premise.parts.iter().map(|(l, r)| (of(*l), of(*r)));
            let read = Statement {
                distinct: Vec::new(),
                parts: parts.collect(),
            };
            given.push((String::new(), read));
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

    fn relation(&mut self, t: Id, zero: Id) -> Id {
        if let Some(known) = self.relations.get(&t) {
            return *known;
        }
        let node = self.terms.node(t).clone();
        let one = self.terms.sum([ONE, zero]);
        let done = match node {
            _ if self.demonic.is_zero(&node) => zero,
            Node::One => one,
            Node::Atom(..) => {
                let aborting = self.terms.sum([t, zero]);
                self.terms.product([aborting, one])
            }
            Node::Sum(all) => {
                let all: Vec<Id> = all.iter().map(|x| self.relation(*x, zero)).collect();
                self.terms.sum(all)
            }
            Node::Product(all) => {
                let all: Vec<Id> = all.iter().map(|x| self.relation(*x, zero)).collect();
                self.terms.product(all)
            }
            Node::Star(x) => {
                let x = self.relation(x, zero);
                self.terms.star(x)
            }
            Node::Omega(x) => {
                let x = self.relation(x, zero);
                self.terms.omega(x)
            }
            _ => t,
        };
        self.relations.insert(t, done);
        done
    }

    /// A word of a half, or a monomial; none if it is long.
    fn word(&mut self, t: Id) -> Option<Id> {
        if let Some(known) = self.words.get(&t) {
            return *known;
        }
        let done = match self.terms.node(t).clone() {
            Node::Sum(all) => {
                let short = |x: &&Id| **x == ONE || matches!(self.terms.node(**x), Node::Star(_));
                let one = all.iter().find(short).copied();
                self.word(one.unwrap_or(all[0]))
            }
            Node::Product(all) => {
                let words: Option<Vec<Id>> = all.iter().map(|x| self.word(*x)).collect();
                words.and_then(|words| {
                    let length: usize = words.iter().map(|x| self.factors(*x)).sum();
                    (length <= LONGEST).then(|| self.terms.product(words))
                })
            }
            Node::Star(_) => Some(ONE),
            _ => Some(t),
        };
        self.words.insert(t, done);
        done
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
