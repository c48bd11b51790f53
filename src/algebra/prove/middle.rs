//! Lemmas about a star in the middle of a word. `z x <= y z` gives `z x* <= y* z` and `z x^w <= y^w` (Kozen 1994,
//! bisimulation; Cohen 2000), but a search from left to right does not find these where x or y is a product, or z
//! stands elsewhere. So all stars of a goal are tried with all letters and tests that rules speak of.

use super::Limits;
use super::build::Step;
use super::context::{Context, Directed, Given, Source};
use super::search::ProofSearch;
use crate::algebra::refute::refute;
use crate::kernel::{Id, Node, Rule, Statement, ZERO};
use rustc_hash::FxHashSet;

/// Letters and tests that stars are tried with.
const PASSING: usize = 8;
/// Stars and omegas that are tried.
const LOOPS: usize = 6;
/// Hundreds of steps on BDDs of the search for a model of what is none.
const MODELS: usize = 20;
/// Nodes of the search for one lemma.
const NODES: usize = 40;
/// Rule uses on a branch of it: at first, and where all else has failed.
pub(super) const SHALLOW: usize = 4;
pub(super) const DEEP: usize = 6;

/// Adds to the rules what passes the stars and omegas of a goal, as far as so many rule uses on a branch show it;
/// whether there was something new.
pub(super) fn pass(s: &mut ProofSearch, c: &mut Context, goal: [Id; 2], depth: usize) -> bool {
    let known = c.rules.len();
    let passing = passing(s, c, depth == DEEP);
    let mut stars = loops(s, goal, false);
    if depth == DEEP {
        // What passes inner stars helps to pass the others.
        stars.reverse();
    }
    let omegas = loops(s, goal, true);
    // What is known to end need not stand in the goal.
    let ending = c.zeros.iter().filter_map(|d| body(s, d.left, true));
    let ending: Vec<Id> = omegas.iter().chain(&stars).copied().chain(ending).collect();
    let budget = s.budget;
    let rules: Vec<Vec<Id>> = c
        .rules
        .iter()
        .chain(&c.zeros)
        .map(|r| parts(s, [r.left, r.right]))
        .collect();
    // No rule says how z passes x unless z stands in one with each letter of x.
    let meets = |s: &ProofSearch, z: Id, x: Id| {
        let z = parts(s, [z, z]);
        let with = |l: &Id| {
            let mut all = rules.iter().filter(|r| r.contains(l));
            z.contains(l) || all.any(|r| z.iter().all(|z| r.contains(z)))
        };
        parts(s, [x, x]).iter().all(with)
    };
    for &z in &passing {
        for (x, y) in pairs(&stars) {
            if !meets(s, z, x) {
                continue;
            }
            // Where all else has failed, what passes z may leave any number of others.
            let y = match depth == DEEP {
                true => s.b.terms.star(y),
                false => y,
            };
            if let Some(step) = past(s, c, ([z, x], [y, z]), depth) {
                let lemma = starred(s, z, (x, y), step, false);
                learn(s, c, lemma);
            }
            if let Some(step) = past(s, c, ([x, z], [z, y]), depth) {
                let lemma = starred(s, z, (x, y), step, true);
                learn(s, c, lemma);
            }
        }
        for &x in &omegas {
            if !meets(s, z, x) {
                continue;
            }
            for &y in &ending {
                if let Some(step) = past(s, c, ([z, x], [y, z]), depth) {
                    let lemma = endless(s, z, (x, y), step);
                    learn(s, c, lemma);
                }
            }
        }
    }
    s.budget = budget;
    s.renew(c);
    c.rules.len() > known
}

/// All pairs, those of an element with itself first.
fn pairs(of: &[Id]) -> Vec<(Id, Id)> {
    let same = of.iter().map(|&x| (x, x));
    let differ = of.iter().flat_map(|&x| of.iter().map(move |&y| (x, y)));
    same.chain(differ.filter(|(x, y)| x != y)).collect()
}

/// One product below another, if that takes few nodes. Most are not, and small relations show it.
fn past(
    s: &mut ProofSearch,
    c: &Context,
    (from, to): ([Id; 2], [Id; 2]),
    depth: usize,
) -> Option<Step> {
    let (from, to) = (s.b.terms.product(from), s.b.terms.product(to));
    if let Some(step) = s.b.decide(from, to) {
        return Some(step);
    }
    let own = |g: &&Given| !matches!(g.source, Source::Theorem(..)) && g.fixed.is_empty();
    let assumed: Vec<Statement> = s
        .given
        .iter()
        .filter(own)
        .map(|g| g.statement.clone())
        .collect();
    let limits = Limits {
        models: MODELS,
        ..Limits::default()
    };
    let small = refute(s.b.terms, &assumed, &c.distinct, &[(from, to)], &limits);
    if small.model.is_some() {
        return None;
    }
    let given = NODES.min(s.budget);
    let kept = s.budget - given;
    s.budget = given;
    let step = s.prove_within(c, from, to, depth);
    s.budget += kept;
    step
}

/// `z x* <= y* z` from `z x <= y z`, or `x* z <= z y*` from `x z <= z y`.
fn starred(
    s: &mut ProofSearch,
    z: Id,
    (x, y): (Id, Id),
    step: Step,
    mirrored: bool,
) -> Option<Step> {
    let xs = s.b.terms.star(x);
    let ys = match body(s, y, false) {
        Some(_) => y,
        None => s.b.terms.star(y),
    };
    let (left, right, again) = match mirrored {
        false => {
            let again = s.b.within(&[ys], step, &[]);
            (
                s.b.terms.product([z, xs]),
                s.b.terms.product([ys, z]),
                again,
            )
        }
        true => {
            let again = s.b.within(&[], step, &[ys]);
            (
                s.b.terms.product([xs, z]),
                s.b.terms.product([z, ys]),
                again,
            )
        }
    };
    let base = s.b.decide(z, right)?;
    let again = s.b.ending(again, right)?;
    let rule = match mirrored {
        false => Rule::StarRight(x, base, again),
        true => Rule::StarLeft(x, base, again),
    };
    Some(s.b.push(rule, left, right))
}

/// `z x^w <= y^w` from `z x <= y z`.
fn endless(s: &mut ProofSearch, z: Id, (x, y): (Id, Id), step: Step) -> Option<Step> {
    let (xw, yw) = (s.b.terms.omega(x), s.b.terms.omega(y));
    let left = s.b.terms.product([z, xw]);
    let unfolded = s.b.terms.product([x, xw]);
    let unfold = s.b.push(Rule::Unfold(x), xw, unfolded);
    let unfold = s.b.within(&[z], unfold, &[]);
    let passed = s.b.within(&[], step, &[xw]);
    let again = s.b.chain(&[unfold, passed])?;
    let again = s.b.starting(left, again)?;
    Some(s.b.push(Rule::Coinduction(y, ZERO, again), left, yw))
}

/// Makes a lemma a rule, unless it says nothing new.
fn learn(s: &mut ProofSearch, c: &mut Context, lemma: Option<Step>) {
    let Some(step) = lemma else { return };
    let (left, right) = s.b.claims[step];
    let known = c.rules.iter().any(|r| (r.left, r.right) == (left, right));
    if !known && s.b.decide(left, right).is_none() {
        c.rules.push(Directed { left, right, step });
    }
}

/// The body of a star, or of an omega.
fn body(s: &ProofSearch, t: Id, omega: bool) -> Option<Id> {
    match s.b.terms.node(t) {
        Node::Star(x) if !omega => Some(*x),
        Node::Omega(x) if omega => Some(*x),
        _ => None,
    }
}

/// The bodies of stars, or of omegas, within a goal, outer ones first.
fn loops(s: &ProofSearch, goal: [Id; 2], omega: bool) -> Vec<Id> {
    let mut found = Vec::new();
    let mut next = goal.to_vec();
    let mut seen = FxHashSet::default();
    let mut at = 0;
    while let Some(&t) = next.get(at) {
        at += 1;
        if !seen.insert(t) {
            continue;
        }
        if let Some(x) = body(s, t, omega)
            && s.b.terms.is_closed(t)
            && !found.contains(&x)
        {
            found.push(x);
        }
        match s.b.terms.node(t) {
            Node::Star(x) | Node::Omega(x) => next.push(*x),
            Node::Sum(all) | Node::Product(all) => next.extend(all),
            _ => {}
        }
    }
    found.truncate(LOOPS);
    found
}

/// The letters of two terms; those of tests without complement.
fn parts(s: &ProofSearch, of: [Id; 2]) -> Vec<Id> {
    let mut found = Vec::new();
    let mut next = of.to_vec();
    let mut seen = FxHashSet::default();
    while let Some(t) = next.pop() {
        if !seen.insert(t) {
            continue;
        }
        match s.b.terms.node(t) {
            Node::Star(x) | Node::Omega(x) | Node::Not(x) => next.push(*x),
            Node::Sum(all) | Node::Product(all) => next.extend(all),
            Node::Zero | Node::One | Node::Top => {}
            _ if !found.contains(&t) => found.push(t),
            _ => {}
        }
    }
    found
}

/// The letters and tests that stand in rules, and perhaps the stars.
fn passing(s: &mut ProofSearch, c: &Context, with_stars: bool) -> Vec<Id> {
    let mut found: Vec<Id> = Vec::new();
    for rule in &c.rules {
        for side in [rule.left, rule.right] {
            for x in s.b.factors(side) {
                let single = matches!(s.b.terms.node(x), Node::Atom(..)) || s.b.terms.is_test(x);
                let fits = single || with_stars && body(s, x, false).is_some();
                if fits && s.b.terms.is_closed(x) && !found.contains(&x) {
                    found.push(x);
                }
            }
        }
    }
    found.truncate(PASSING);
    found
}
