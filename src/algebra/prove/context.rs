//! What a proof may use, as directed rules for the processes at hand.
//!
//! Hints are statements for all processes; here they are instantiated with the index variables in scope. Rules
//! equivalent to `e = 0`, and consequences of that form, are kept apart: they are compiled into decisions (Cohen 1994:
//! `x <= y` under `e = 0` iff `x <= y + T e T`).

use super::build::{Builder, Step};
use crate::kernel::{Id, Index, Node, ONE, Renaming, Rule, Statement, Sym, Terms, ZERO};
use rustc_hash::FxHashSet;

/// Where a usable statement comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A hypothesis of the theory.
    Hypothesis(usize),
    /// A premise.
    Premise(usize),
    /// An earlier theorem, with letters replaced, and the steps that prove its premises.
    Theorem(usize, Vec<(Sym, Id)>, Vec<Step>),
}

/// A statement that may be used.
#[derive(Clone, Debug)]
pub struct Given {
    /// Where it comes from.
    pub source: Source,
    /// What it says, of its own letters.
    pub statement: Statement,
    /// Variables renamed as the hint says.
    pub fixed: Renaming,
}

/// Rules that a proof may use besides statements.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Star induction.
    pub induction: bool,
    /// Invariants for it.
    pub invariants: Vec<Id>,
    /// Omega coinduction.
    pub coinduction: bool,
    /// `x^w <= x x^w`
    pub unfold: bool,
    /// Sums on the left, member by member, with case splits.
    pub sum_elim: bool,
    /// `x_k <= (+ j : x_j)`
    pub sum_intro: bool,
    /// `(. j : p_j) <= p_k`
    pub product_elim: bool,
    /// Products of tests on the right, factor by factor.
    pub product_intro: bool,
    /// `(+ j : x_j) <= x_i + (+ j != i : x_j)`, for these or (`None`) all variables.
    pub separate: Vec<Option<u32>>,
    /// Case splits asked for.
    pub cases: Vec<Option<(u32, u32)>>,
    /// No hint was given: letters are eliminated, simulations are derived.
    pub automatic: bool,
}

/// `left <= right`, proved by a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directed {
    /// What it applies to.
    pub left: Id,
    /// What it gives.
    pub right: Id,
    /// Its proof.
    pub step: Step,
}

/// What may be used for the processes in scope.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Tells contexts apart in caches.
    pub id: usize,
    /// Index variables in scope.
    pub vars: Vec<u32>,
    /// Those that differ.
    pub distinct: Vec<(u32, u32)>,
    /// Directed rules.
    pub rules: Vec<Directed>,
    /// `left <= 0`
    pub zeros: Vec<Directed>,
    /// Atomic tests that the left sides of rules ask for.
    pub tests: Vec<Id>,
    /// Equations between words, in the order of their rules: positions of the two directions.
    pub equations: Vec<(Directed, Directed)>,
    /// The left sides of zeros that were learnt of domains.
    pub learnt: Vec<Id>,
}

impl Context {
    /// Whether nothing may be used.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.zeros.is_empty()
    }
}

/// The index variables of a statement.
pub fn variables(terms: &Terms, s: &Statement) -> Vec<u32> {
    let mut all: Vec<u32> = s.distinct.iter().flat_map(|(i, j)| [*i, *j]).collect();
    for &(l, r) in &s.parts {
        for t in [l, r] {
            all.extend(variables_of(terms, t));
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The index variables of a term.
pub fn variables_of(terms: &Terms, t: Id) -> Vec<u32> {
    let mut all = Vec::new();
    terms.any(t, &mut |n| {
        if let Node::Atom(_, is) | Node::SumOver(is, _) | Node::ProductOver(is, _) = n {
            all.extend(is.iter().filter_map(|i| match i {
                Index::Var(v) => Some(*v),
                Index::Bound(_) => None,
            }));
        }
        false
    });
    all.sort_unstable();
    all.dedup();
    all
}

/// Atomic tests that stand among the factors and summands of terms, without their complements.
pub fn tests_of(terms: &mut Terms, of: &[Id]) -> Vec<Id> {
    let mut tests = Vec::new();
    let mut next = of.to_vec();
    let mut seen = FxHashSet::default();
    while let Some(x) = next.pop() {
        if !seen.insert(x) {
            continue;
        }
        match terms.node(x) {
            Node::Sum(all) | Node::Product(all) => next.extend(all),
            Node::Not(y) | Node::Star(y) => next.push(*y),
            Node::Zero | Node::One => {}
            _ if terms.is_test(x) => tests.push(x),
            _ => {}
        }
    }
    tests.sort_unstable();
    tests.dedup();
    tests
}

/// All ways to choose one of `of` for each of `n`.
pub fn choices(n: usize, of: &[u32]) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        all = all
            .iter()
            .flat_map(|c: &Vec<u32>| of.iter().map(|v| [c.as_slice(), &[*v]].concat()))
            .collect();
    }
    all
}

/// Monomials of a rule's left side that are rules of their own.
const MEMBERS: usize = 16;

fn pair(i: u32, j: u32) -> (u32, u32) {
    (i.min(j), i.max(j))
}

/// Closed sums and products over processes within terms; and omegas.
fn parts_of(terms: &Terms, of: &[Id]) -> Vec<Id> {
    let mut seen: Vec<Id> = Vec::new();
    let mut next: Vec<Id> = of.to_vec();
    let mut found = Vec::new();
    while let Some(x) = next.pop() {
        if seen.contains(&x) {
            continue;
        }
        seen.push(x);
        match terms.node(x) {
            Node::Zero | Node::One | Node::Top | Node::Atom(..) => {}
            Node::Not(y) | Node::Star(y) | Node::Applied(_, y) => next.push(*y),
            Node::Omega(y) => {
                next.push(*y);
                found.push(x);
            }
            Node::SumOver(_, y) | Node::ProductOver(_, y) => {
                next.push(*y);
                found.push(x);
            }
            Node::Sum(all) | Node::Product(all) => next.extend(all),
        }
    }
    found.retain(|x| terms.is_closed(*x));
    found.sort_unstable();
    found
}

/// What may be used when these variables are in scope, for a goal between these terms.
pub fn context(
    b: &mut Builder,
    given: &[Given],
    allowed: &Allowed,
    vars: &[u32],
    distinct: &[(u32, u32)],
    goal: &[Id],
    id: usize,
) -> Context {
    let mut c = Context {
        id,
        vars: vars.to_vec(),
        distinct: distinct.to_vec(),
        ..Context::default()
    };
    let mut facts: Vec<Directed> = Vec::new();
    for g in given {
        instances(b, g, &c, &mut facts);
    }
    let mut all: Vec<Id> = goal.to_vec();
    all.extend(facts.iter().flat_map(|f| [f.left, f.right]));
    structural(b, allowed, &c, &all, &mut facts);
    for f in facts {
        classify(b, &mut c, f);
        // A sum on the left is a rule for each of its members, too.
        if let Node::Sum(_) = b.terms.node(f.left)
            && let Some(monomials) = b.monomials(f.left, MEMBERS)
        {
            for left in monomials {
                if let Some(step) = b.starting(left, f.step) {
                    classify(b, &mut c, Directed { left, step, ..f });
                }
            }
        }
    }
    let lefts: Vec<Id> = c.rules.iter().map(|r| r.left).collect();
    c.tests = tests_of(b.terms, &lefts);
    for n in 0..c.rules.len() {
        let rule = c.rules[n];
        let back = |r: &&Directed| (r.left, r.right) == (rule.right, rule.left);
        let back = c.rules[n + 1..].iter().find(back).copied();
        let is_word = |b: &Builder, t: Id| !matches!(b.terms.node(t), Node::Sum(_) | Node::Zero);
        if let Some(back) = back
            && is_word(b, rule.left)
            && is_word(b, rule.right)
        {
            c.equations.push((rule, back));
        }
    }
    c
}

/// A statement for all processes in scope.
fn instances(b: &mut Builder, g: &Given, c: &Context, facts: &mut Vec<Directed>) {
    let mut free = variables(b.terms, &g.statement);
    free.retain(|v| !g.fixed.iter().any(|(from, _)| from == v));
    for choice in choices(free.len(), &c.vars) {
        let mut map: Renaming = g.fixed.clone();
        map.extend(free.iter().copied().zip(choice));
        let to = |v: u32| map.iter().find(|(f, _)| *f == v).map_or(v, |(_, t)| *t);
        let differ = |(i, j): &(u32, u32)| c.distinct.contains(&pair(to(*i), to(*j)));
        if !g.statement.distinct.iter().all(differ) {
            continue;
        }
        for (part, &(l, r)) in g.statement.parts.iter().enumerate() {
            // Variables of what replaces a letter are not the statement's own.
            let letters: &[(Sym, Id)] = match &g.source {
                Source::Theorem(_, letters, _) => letters,
                _ => &[],
            };
            let [left, right] = [l, r].map(|t| {
                let t = b.terms.rename(t, &map);
                b.terms.replace(t, letters)
            });
            if left == right {
                continue;
            }
            let rule = match &g.source {
                Source::Hypothesis(n) => Rule::Hypothesis(*n, part, map.clone()),
                Source::Premise(n) => Rule::Premise(*n, part, map.clone()),
                Source::Theorem(n, letters, premises) => Rule::Theorem {
                    theorem: *n,
                    part,
                    variables: map.clone(),
                    letters: letters.clone(),
                    premises: premises.clone(),
                },
            };
            let step = b.push(rule, left, right);
            facts.push(Directed { left, right, step });
        }
    }
}

/// Facts about sums, products and omegas in sight.
fn structural(
    b: &mut Builder,
    allowed: &Allowed,
    c: &Context,
    of: &[Id],
    facts: &mut Vec<Directed>,
) {
    let mut parts = parts_of(b.terms, of);
    let mut at = 0;
    while let Some(&t) = parts.get(at) {
        at += 1;
        let outside = |but: &[Index], k: u32| {
            but.iter()
                .all(|i| matches!(i, Index::Var(v) if c.distinct.contains(&pair(*v, k))))
        };
        match b.terms.node(t).clone() {
            Node::Omega(x) if allowed.unfold => {
                let right = b.terms.product([x, t]);
                let step = b.push(Rule::Unfold(x), t, right);
                facts.push(Directed {
                    left: t,
                    right,
                    step,
                });
            }
            Node::SumOver(but, body) => {
                for &k in &c.vars {
                    if allowed.sum_intro && outside(&but, k) {
                        let left = b.terms.open(body, k);
                        // A sum in a sum is closed now.
                        let inner = parts_of(b.terms, &[left]).into_iter();
                        let new: Vec<Id> = inner.filter(|x| !parts.contains(x)).collect();
                        parts.extend(new);
                        let step = b.push(Rule::SumIntro(t, k), left, t);
                        facts.push(Directed {
                            left,
                            right: t,
                            step,
                        });
                    }
                    let asked = |a: &Option<u32>| a.is_none() || *a == Some(k);
                    if allowed.separate.iter().any(asked) && !but.contains(&Index::Var(k)) {
                        let one = b.terms.open(body, k);
                        let mut more = but.clone();
                        more.push(Index::Var(k));
                        let rest = b.terms.sum_over(more, body);
                        let right = b.terms.sum([one, rest]);
                        let step = b.push(Rule::Separate(t, k), t, right);
                        facts.push(Directed {
                            left: t,
                            right,
                            step,
                        });
                    }
                }
            }
            Node::ProductOver(but, body) if allowed.product_elim => {
                for &k in &c.vars {
                    if outside(&but, k) {
                        let right = b.terms.open(body, k);
                        let step = b.push(Rule::ProductElim(t, k), t, right);
                        facts.push(Directed {
                            left: t,
                            right,
                            step,
                        });
                    }
                }
            }
            _ => {}
        }
    }
}

/// Sorts a fact into rules and zeros, with its consequences of the form `e <= 0`.
pub fn classify(b: &mut Builder, c: &mut Context, f: Directed) {
    let zero = |c: &mut Context, left: Id, step: Step| {
        if left != ZERO && !c.zeros.iter().any(|z| z.left == left) {
            c.zeros.push(Directed {
                left,
                right: ZERO,
                step,
            });
        }
    };
    if f.right == ZERO {
        return zero(c, f.left, f.step);
    }
    if f.left == ZERO || b.decide(f.left, f.right).is_some() {
        return;
    }
    let factors = b.factors(f.right);
    let test = |b: &Builder, x: &&Id| b.terms.is_test(**x);
    let ends: Vec<Id> = factors
        .iter()
        .rev()
        .take_while(|x| test(b, x))
        .copied()
        .collect();
    let begins: Vec<Id> = factors.iter().take_while(|x| test(b, x)).copied().collect();
    for (tests, at_end) in [(ends, true), (begins, false)] {
        for q in tests {
            let not = b.terms.not(q);
            let step = match at_end {
                true => b.within(&[], f.step, &[not]),
                false => b.within(&[not], f.step, &[]),
            };
            if b.decide(b.claims[step].0, ZERO).is_some() {
                continue;
            }
            if let Some(step) = b.ending(step, ZERO) {
                zero(c, b.claims[step].0, step);
            }
        }
    }
    // A test below a test is no more than that.
    let both = b.terms.is_test(f.left) && b.terms.is_test(f.right);
    if both && f.left != ONE {
        let not = b.terms.not(f.right);
        let step = b.within(&[], f.step, &[not]);
        if let Some(step) = b.ending(step, ZERO) {
            return zero(c, b.claims[step].0, step);
        }
    }
    if !c
        .rules
        .iter()
        .any(|r| (r.left, r.right) == (f.left, f.right))
    {
        c.rules.push(f);
    }
}
