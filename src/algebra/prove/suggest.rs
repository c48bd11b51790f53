//! What a statement that is not proved may be missing: small statements about its letters and loops with which it is
//! proved. If none of the small models of what is assumed refutes one, it may be a lemma; else it is a premise more.

use super::{Limits, derive, statement};
use crate::algebra::refute::refute;
use crate::algebra::suite::Suite;
use crate::base::results::proofs::Suggestion;
use crate::kernel::{Id, Node, Statement, Terms, ZERO};

/// Letters, tests and loops that candidates are made of.
const PIECES: usize = 10;
/// Suggestions of each kind.
const MOST: usize = 3;
/// How far the searches for one candidate go.
const LIMITS: Limits = Limits {
    steps: 300,
    pairs: 5_000,
    classes: 20,
    nodes: 2_000,
    models: 100,
};

/// What would close a statement: lemmas first, and of each kind those that ask for less.
pub fn suggestions(suite: &mut Suite, item: usize) -> Vec<Suggestion> {
    let goal = statement(&suite.items[item]);
    let assumed: Vec<Statement> = suite.assumed(item).into_iter().map(|(_, s)| s).collect();
    let own: Vec<Statement> = suite.items[item]
        .premises
        .iter()
        .map(|(_, s)| s.clone())
        .collect();
    let mut found: Vec<Suggestion> = Vec::new();
    let candidates = candidates(&mut suite.development.terms, &goal);
    for (left, right) in candidates {
        let mut candidate = Statement {
            distinct: Vec::new(),
            parts: vec![(left, right)],
        };
        if right == ZERO {
            candidate.parts.push((right, left));
        }
        if goal.parts.contains(&(left, right)) {
            continue;
        }
        let with: Vec<Statement> = assumed.iter().chain([&candidate]).cloned().collect();
        let terms = &suite.development.terms;
        // Where the goal fails in a small model of both, no proof needs to be looked for.
        if refute(terms, &with, &goal.distinct, &goal.parts, &LIMITS)
            .model
            .is_some()
        {
            continue;
        }
        let as_lemma = refute(terms, &assumed, &[], &candidate.parts, &LIMITS);
        let premise = as_lemma.model.is_some();
        if found.iter().filter(|s| s.premise == premise).count() >= MOST {
            continue;
        }
        let before = suite.development.theorems().len();
        let premises: Vec<Statement> = own.iter().chain([&candidate]).cloned().collect();
        let closed = derive(
            &mut suite.development,
            "suggested",
            &premises,
            &goal,
            &LIMITS,
        )
        .is_ok();
        suite.development.forget(before);
        if closed {
            let d = &suite.development;
            found.push(Suggestion {
                premise,
                statement: crate::algebra::show::statement(d, &candidate),
            });
        }
    }
    found.sort_by_key(|s| s.premise);
    found
}

/// Inclusions between products of two pieces and one or two, that do not hold anyway.
fn candidates(terms: &mut Terms, goal: &Statement) -> Vec<(Id, Id)> {
    let pieces = pieces(terms, goal);
    let pairs = || {
        let all = pieces.iter();
        all.flat_map(|&s| pieces.iter().map(move |&t| (s, t)))
            .filter(|(s, t)| s != t)
    };
    let mut all = Vec::new();
    // The weaker forms first.
    for form in 0..5 {
        for (s, t) in pairs() {
            let (st, ts) = (terms.product([s, t]), terms.product([t, s]));
            all.push([(st, ts), (st, t), (st, s), (s, t), (st, ZERO)][form]);
        }
    }
    let mut decider = super::Decider::default();
    all.retain(|(l, r)| {
        l != r && !matches!(decider.decide(terms, *l, *r, LIMITS.pairs), Ok(Some(_)))
    });
    let mut known = rustc_hash::FxHashSet::default();
    all.retain(|pair| known.insert(*pair));
    all
}

/// Letters and tests of a goal, and its stars and omegas.
fn pieces(terms: &Terms, goal: &Statement) -> Vec<Id> {
    let (mut letters, mut loops) = (Vec::new(), Vec::new());
    let mut next: Vec<Id> = goal.parts.iter().flat_map(|(l, r)| [*l, *r]).collect();
    let mut at = 0;
    while let Some(&t) = next.get(at) {
        at += 1;
        match terms.node(t) {
            Node::Star(x) | Node::Omega(x) => {
                loops.push(t);
                next.push(*x);
            }
            Node::Not(x) => next.push(*x),
            Node::Sum(all) | Node::Product(all) => next.extend(all),
            Node::Atom(..) => letters.push(t),
            _ => {}
        }
    }
    let mut all = letters;
    all.extend(loops);
    let mut known = rustc_hash::FxHashSet::default();
    all.retain(|t| terms.is_closed(*t) && known.insert(*t));
    all.truncate(PIECES);
    all
}
