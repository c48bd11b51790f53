//! A smaller term that equals a given one.
//!
//! First the e-graph of the term (`super::egraph`) gives its smallest member. Then parts are left out, one at a time,
//! as long as what remains is proved equal. Nothing is trusted: a term is an answer only with a theorem of the kernel.

use super::egraph::{self, Cost, LARGEST_TERM, cost, smallest};
use super::prove::{self, Limits};
use super::show;
use super::suite::{Item, Link, Suite};
use super::term::Order;
use crate::base::results::proofs::EqualTerms;
use crate::kernel::{Id, Node, ONE, Statement, Terms, ZERO};

/// A smaller term.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The term.
    pub term: Id,
    /// The theorem that the two are equal, by position in the development.
    pub theorem: usize,
}

/// Attempts to leave a part out.
const ATTEMPTS: usize = 200;

/// The smallest term found that equals `t` under the hypotheses of the suite and the premises of its last item; none if
/// none was found that is proved equal and smaller than it, or than the symbols that were written for it.
pub fn simplify(suite: &mut Suite, t: Id, written: usize, limits: &Limits) -> Option<Simplified> {
    let own = cost(&suite.development.terms, t).max((written, 0));
    if own.0 > LARGEST_TERM {
        return None;
    }
    let item = suite.items.last()?.clone();
    let given = given(suite);
    let (equal, below) = split(&given);
    let terms = &mut suite.development.terms;
    let found = smallest(terms, t, &equal, &below, limits.nodes);
    let mut candidates = vec![found];
    // Without what is given the graph grows further in the laws.
    if !given.is_empty() {
        candidates.push(smallest(terms, t, &[], &[], limits.nodes));
    }
    candidates.push(t);
    candidates.sort_by_key(|c| cost(&suite.development.terms, *c));
    for candidate in candidates {
        let least = pruned(suite, &item, candidate, limits);
        for term in [least, candidate] {
            if cost(&suite.development.terms, term) < own
                && let Some(theorem) = equal_terms(suite, &item, t, term, limits)
            {
                return Some(Simplified { term, theorem });
            }
        }
    }
    None
}

/// What is given for the last item of a suite: hypotheses, and its own premises.
fn given(suite: &Suite) -> Vec<Statement> {
    let hypotheses = suite.development.hypotheses().iter();
    let premises = suite.items.last().into_iter().flat_map(|i| &i.premises);
    hypotheses.chain(premises).map(|(_, s)| s.clone()).collect()
}

/// Classes of the e-graph that are told, and terms of each.
const TOLD: (usize, usize) = (60, 4);

/// What the e-graph of a term knows: its class, and those of its parts.
pub fn classes(suite: &mut Suite, t: Id, limits: &Limits) -> Vec<EqualTerms> {
    if cost(&suite.development.terms, t).0 > LARGEST_TERM {
        return Vec::new();
    }
    let given = given(suite);
    let (equal, below) = split(&given);
    let terms = &mut suite.development.terms;
    let found = egraph::classes(terms, t, &equal, &below, limits.nodes, TOLD);
    let d = &suite.development;
    let told = |c: egraph::Class| EqualTerms {
        least: show::term(d, c.least),
        others: c.others.iter().map(|x| show::term(d, *x)).collect(),
        parts: c.parts,
    };
    found.into_iter().map(told).collect()
}

/// Left and right sides.
type Sides = Vec<(Id, Id)>;

/// Equations and inclusions that hold as they are: what speaks of processes that differ is left out.
fn split(given: &[Statement]) -> (Sides, Sides) {
    let (mut equal, mut below) = (Vec::new(), Vec::new());
    for statement in given.iter().filter(|s| s.distinct.is_empty()) {
        for &(l, r) in &statement.parts {
            let both = statement.parts.contains(&(r, l)) || r == ZERO;
            if both && !equal.contains(&(r, l)) {
                equal.push((l, r));
            } else if !both {
                below.push((l, r));
            }
        }
    }
    (equal, below)
}

/// The theorem that two terms are equal.
fn equal_terms(
    suite: &mut Suite,
    item: &Item,
    left: Id,
    right: Id,
    limits: &Limits,
) -> Option<usize> {
    let link = Link {
        left,
        right,
        order: Order::Equal,
        hints: None,
        through: Vec::new(),
    };
    let at = suite.items.len();
    suite.items.push(Item {
        title: format!("{}-{at}", item.title),
        links: vec![link],
        ..item.clone()
    });
    let found = prove::establish(suite, at, limits);
    suite.items.truncate(at);
    found
}

/// A term without the parts that are not needed.
fn pruned(suite: &mut Suite, item: &Item, t: Id, limits: &Limits) -> Id {
    let limits = Limits {
        steps: limits.steps.min(50),
        ..*limits
    };
    let mut term = t;
    let mut left = ATTEMPTS;
    loop {
        let own = cost(&suite.development.terms, term);
        let mut smaller = Vec::new();
        variants(&mut suite.development.terms, term, &mut smaller);
        let mut smaller: Vec<(Cost, Id)> = smaller
            .into_iter()
            .map(|x| (cost(&suite.development.terms, x), x))
            .filter(|(c, _)| *c < own)
            .collect();
        smaller.sort_unstable();
        smaller.dedup();
        let mut next = None;
        for (_, x) in smaller {
            if left == 0 {
                return term;
            }
            left -= 1;
            let before = suite.development.theorems().len();
            let equal = equal_terms(suite, item, term, x, &limits).is_some();
            suite.development.forget(before);
            if equal {
                next = Some(x);
                break;
            }
        }
        match next {
            Some(x) => term = x,
            None => return term,
        }
    }
}

/// Terms with one part left out: a member, a factor, a star.
fn variants(terms: &mut Terms, t: Id, into: &mut Vec<Id>) {
    match terms.node(t).clone() {
        Node::Sum(all) => parts(terms, &all, |terms, xs| terms.sum(xs), into),
        Node::Product(all) => parts(terms, &all, |terms, xs| terms.product(xs), into),
        Node::Star(x) => {
            into.extend([ONE, x]);
            let mut inner = Vec::new();
            variants(terms, x, &mut inner);
            into.extend(inner.into_iter().map(|y| terms.star(y)));
        }
        Node::Omega(x) => {
            into.push(ZERO);
            let mut inner = Vec::new();
            variants(terms, x, &mut inner);
            into.extend(inner.into_iter().map(|y| terms.omega(y)));
        }
        Node::Applied(operator, x) => {
            into.extend([ZERO, ONE]);
            let mut inner = Vec::new();
            variants(terms, x, &mut inner);
            into.extend(inner.into_iter().map(|y| terms.applied(operator, y)));
        }
        Node::Not(_) | Node::Atom(..) | Node::SumOver(..) | Node::ProductOver(..) => {
            into.extend([ZERO, ONE]);
        }
        Node::Zero | Node::One | Node::Top => {}
    }
}

fn parts(terms: &mut Terms, all: &[Id], join: fn(&mut Terms, Vec<Id>) -> Id, into: &mut Vec<Id>) {
    for n in 0..all.len() {
        let mut others = all.to_vec();
        let member = others.remove(n);
        into.push(join(terms, others));
        let mut inner = Vec::new();
        variants(terms, member, &mut inner);
        for x in inner {
            let mut changed = all.to_vec();
            changed[n] = x;
            into.push(join(terms, changed));
        }
    }
}
