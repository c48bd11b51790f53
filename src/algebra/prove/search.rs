//! The search: one monomial of the left side at a time, rewritten by directed rules until it is decided to be below the
//! right side.
//!
//! A rule `x <= y` applies to a run of factors that is decided to be below x; tests that are known to hold before and
//! after the run are kept beside y. Star induction (left and right, the right side as invariant or one that a hint
//! gives) and omega coinduction are steps like any other. Depth-first with iterative deepening; all limits are counts;
//! the order is that of the text.

use super::build::{Builder, Step};
use super::context::{Allowed, Context, Directed, Given, context, tests_of, variables_of};
use super::omega::{self, Effort};
use super::words::Classes;
use crate::kernel::{Claim, Id, Index, Node, ONE, Rule, ZERO};
use rustc_hash::{FxHashMap, FxHashSet};

/// Monomials that a term may have.
pub(super) const MONOMIALS: usize = 256;
/// Factors of a monomial that is searched.
const FACTORS: usize = 24;
/// Rule uses on one branch.
pub const DEEPEST: usize = 7;

/// A search.
pub struct ProofSearch<'t> {
    /// The proof so far.
    pub b: Builder<'t>,
    /// Statements that may be used.
    pub given: Vec<Given>,
    /// Rules that may be used.
    pub allowed: Allowed,
    /// Nodes left.
    pub budget: usize,
    contexts: usize,
    under_zeros: FxHashMap<(usize, Id, Id), Option<Step>>,
    /// The hypotheses that decisions were made with, and how many pairs that took.
    pub(super) made_with: FxHashMap<Step, (Vec<Directed>, usize)>,
    omegas: FxHashMap<(Id, Id), Option<Step>>,
    failed: FxHashMap<(usize, Id, Id), usize>,
    proved: FxHashMap<(usize, Id, Id), Step>,
    pub(super) open: FxHashSet<(usize, Id, Id)>,
    members: FxHashMap<(usize, Id, Id), Member>,
    /// An index variable that no statement uses.
    fresh: u32,
    /// Words modulo equations.
    pub classes: Classes,
    /// Nodes of an e-graph.
    pub nodes: usize,
    /// Whether turns of stars are told apart, which is tried last.
    pub unrolls: bool,
}

/// A generic process with what may be used in each case.
#[derive(Clone)]
struct Member {
    process: u32,
    /// It is this one of those in scope.
    same: Vec<(u32, Context)>,
    /// It differs from all.
    other: Context,
}

impl<'t> ProofSearch<'t> {
    /// A search with a budget of search nodes, and of nodes for its e-graphs.
    pub fn new(
        b: Builder<'t>,
        given: Vec<Given>,
        allowed: Allowed,
        (budget, nodes): (usize, usize),
        fresh: u32,
    ) -> Self {
        ProofSearch {
            b,
            given,
            allowed,
            budget,
            contexts: 0,
            under_zeros: FxHashMap::default(),
            made_with: FxHashMap::default(),
            omegas: FxHashMap::default(),
            failed: FxHashMap::default(),
            proved: FxHashMap::default(),
            open: FxHashSet::default(),
            members: FxHashMap::default(),
            fresh,
            classes: Classes::default(),
            nodes,
            unrolls: false,
        }
    }

    /// What may be used for a goal when these variables are in scope.
    pub fn context(&mut self, vars: &[u32], distinct: &[(u32, u32)], goal: &[Id]) -> Context {
        self.contexts += 1;
        let (given, allowed) = (&self.given, &self.allowed);
        context(
            &mut self.b,
            given,
            allowed,
            vars,
            distinct,
            goal,
            self.contexts,
        )
    }

    /// Marks a context as changed.
    pub fn renew(&mut self, c: &mut Context) {
        self.contexts += 1;
        c.id = self.contexts;
    }

    /// Proves `left <= right` by ever deeper searches.
    pub fn prove(&mut self, c: &Context, left: Id, right: Id) -> Option<Step> {
        self.prove_within(c, left, right, DEEPEST)
    }

    /// The same, at most so deep.
    pub fn prove_within(
        &mut self,
        c: &Context,
        left: Id,
        right: Id,
        deepest: usize,
    ) -> Option<Step> {
        for depth in 0..=deepest {
            if let Some(step) = self.below(c, left, right, depth) {
                return Some(step);
            }
            if self.budget == 0 {
                break;
            }
        }
        None
    }

    /// The monomials of the left side that could not be shown to be below the right side.
    pub fn residual(&mut self, c: &Context, left: Id, right: Id) -> Vec<Id> {
        let Some(all) = self.b.monomials(left, MONOMIALS) else {
            return vec![left];
        };
        let open = |s: &mut Self, m: &Id| {
            s.decide(c, *m, right).is_none() && !s.proved.contains_key(&(c.id, *m, right))
        };
        all.into_iter().filter(|m| open(self, m)).collect()
    }

    /// Decides an inclusion with the hypotheses of the form `e = 0` compiled into it.
    pub fn decide(&mut self, c: &Context, left: Id, right: Id) -> Option<Step> {
        if let Some(step) = self.b.decide(left, right) {
            return Some(step);
        }
        if let Some(step) = self.with_omega(left, right, Effort::Direct) {
            return Some(step);
        }
        if c.zeros.is_empty() {
            return None;
        }
        let key = (c.id, left, right);
        if let Some(known) = self.under_zeros.get(&key) {
            return *known;
        }
        let step = self.decide_under(c, left, right, Effort::Direct);
        self.under_zeros.insert(key, step);
        step
    }

    /// Decides an inclusion with omega under the hypotheses of the form `e = 0`, whatever it takes.
    pub fn decide_fully(&mut self, c: &Context, left: Id, right: Id) -> Option<Step> {
        self.with_omega(left, right, Effort::Full)
            .or_else(|| self.decide_under(c, left, right, Effort::Full))
    }

    /// Decides an inclusion with omega, if that takes no more than one loop for each monomial.
    pub(super) fn with_omega(&mut self, left: Id, right: Id, effort: Effort) -> Option<Step> {
        if !self.allowed.coinduction || !self.allowed.unfold {
            return None;
        }
        if effort == Effort::Full {
            return omega::inclusion(&mut self.b, left, right, effort);
        }
        if let Some(known) = self.omegas.get(&(left, right)) {
            return *known;
        }
        let step = omega::inclusion(&mut self.b, left, right, effort);
        self.omegas.insert((left, right), step);
        step
    }

    /// Proves `left <= right` with at most `depth` rule uses on a branch.
    pub fn below(&mut self, c: &Context, left: Id, right: Id, depth: usize) -> Option<Step> {
        if let Some(step) = self.decide(c, left, right) {
            return Some(step);
        }
        if let Some(&step) = self.proved.get(&(c.id, left, right)) {
            return Some(step);
        }
        if self.allowed.product_intro
            && let Some(step) = self.factor_by_factor(c, left, right, depth)
        {
            return Some(step);
        }
        if self.allowed.coinduction
            && depth > 0
            && let Some(step) = self.coinduction(c, left, right, depth)
        {
            return Some(step);
        }
        let monomials = self.b.monomials(left, MONOMIALS)?;
        if monomials.is_empty() {
            return self.decide(c, left, right);
        }
        let mut steps = Vec::new();
        for m in &monomials {
            steps.push(self.monomial(c, *m, right, depth)?);
        }
        let step = self.b.join(left, steps)?;
        self.proved.insert((c.id, left, right), step);
        Some(step)
    }

    fn monomial(&mut self, c: &Context, m: Id, right: Id, depth: usize) -> Option<Step> {
        if let Some(step) = self.decide(c, m, right) {
            return Some(step);
        }
        let key = (c.id, m, right);
        if let Some(&step) = self.proved.get(&key) {
            return Some(step);
        }
        if self.failed.get(&key).is_some_and(|d| *d >= depth) || self.open.contains(&key) {
            return None;
        }
        if self.budget == 0 || self.b.terms.is_spent() {
            return None;
        }
        self.budget -= 1;
        self.open.insert(key);
        let step = self.attempt(c, m, right, depth);
        self.open.remove(&key);
        match step {
            Some(step) => _ = self.proved.insert(key, step),
            None => _ = self.failed.insert(key, depth),
        }
        step
    }

    fn attempt(&mut self, c: &Context, m: Id, right: Id, depth: usize) -> Option<Step> {
        let factors = self.b.factors(m);
        if factors.len() > FACTORS {
            return None;
        }
        // Splitting a sum costs no depth: it is always right.
        if self.allowed.sum_elim
            && let Some(step) = self.member_by_member(c, &factors, right, depth)
        {
            return Some(step);
        }
        // So do equal words: all of a class are searched from its least.
        let class = self.class(c, m);
        for equal in &class {
            if let Some(step) = self.decide(c, equal.0, right) {
                let to = self.reach_word(c, m, equal)?;
                return self.b.chain(&[to, step]);
            }
        }
        if let Some(least) = class.first()
            && least.0 != m
        {
            let step = self.monomial(c, least.0, right, depth)?;
            let to = self.reach_word(c, m, least)?;
            return self.b.chain(&[to, step]);
        }
        if depth == 0 {
            return None;
        }
        if let Some(step) = self.excluded(c, m, right, depth) {
            return Some(step);
        }
        if self.allowed.induction
            && let Some(step) = self.induction(c, &factors, right, depth)
        {
            return Some(step);
        }
        if let Some(step) = self.rewrites(c, &factors, right, depth) {
            return Some(step);
        }
        if self.allowed.coinduction
            && let Some(step) = self.last_of(c, &factors, right, depth)
        {
            return Some(step);
        }
        for equal in class.iter().skip(1) {
            let factors = self.b.factors(equal.0);
            if let Some(step) = self.rewrites(c, &factors, right, depth) {
                let to = self.reach_word(c, m, equal)?;
                return self.b.chain(&[to, step]);
            }
        }
        for n in 0..c.rules.len() {
            if let Some(step) = self.inside(c, m, c.rules[n], right, depth) {
                return Some(step);
            }
        }
        if self.unrolls
            && let Some(step) = self.unrolled(c, &factors, right, depth)
        {
            return Some(step);
        }
        self.by_tests(c, &factors, right, depth)
    }

    /// `p <= q` for tests, from `p ~q <= 0`.
    fn excluded(&mut self, c: &Context, m: Id, right: Id, depth: usize) -> Option<Step> {
        let terms = &mut self.b.terms;
        if right == ZERO || !terms.is_test(m) || !terms.is_test(right) {
            return None;
        }
        let not = terms.not(right);
        let (inside, outside) = (terms.product([m, right]), terms.product([m, not]));
        let none = self.below(c, outside, ZERO, depth)?;
        let steps = [self.decide(c, inside, right)?, self.b.ending(none, right)?];
        self.b.join(m, steps.to_vec())
    }

    /// Applies a rule wherever its left side stands literally, inside stars too.
    fn inside(
        &mut self,
        c: &Context,
        m: Id,
        rule: Directed,
        right: Id,
        depth: usize,
    ) -> Option<Step> {
        let context = self.b.holed(m, rule.left);
        if context == m || context == self.b.hole() {
            return None;
        }
        let applied = self.b.context(context, rule.step);
        let (start, next) = self.b.claims[applied];
        if start != m || next == m {
            return None;
        }
        let rest = self.below(c, next, right, depth - 1)?;
        self.b.chain(&[applied, rest])
    }

    /// Applies each rule to each run of factors.
    fn rewrites(&mut self, c: &Context, factors: &[Id], right: Id, depth: usize) -> Option<Step> {
        for n in 0..c.rules.len() {
            let rule = c.rules[n];
            for from in 0..=factors.len() {
                for to in (from..=factors.len()).rev() {
                    // Nothing at all is above 1 only.
                    if (from == to) != (rule.left == ONE) {
                        continue;
                    }
                    if let Some(step) = self.rewrite(c, factors, (from, to), rule, right, depth) {
                        return Some(step);
                    }
                }
            }
        }
        None
    }

    /// Tells apart whether a test holds somewhere in a monomial, for the tests that rules ask for.
    fn by_tests(&mut self, c: &Context, factors: &[Id], right: Id, depth: usize) -> Option<Step> {
        let whole = self.b.terms.product(factors.iter().copied());
        // Those of the right side can only be missing at the ends.
        let ends = tests_of(self.b.terms, &[right]);
        let everywhere = |t: &Id| c.tests.contains(t);
        let mut places: Vec<(Id, usize)> = Vec::new();
        for t in &c.tests {
            places.extend((0..=factors.len()).map(|at| (*t, at)));
        }
        for t in ends.iter().filter(|t| !everywhere(t)) {
            places.extend([(*t, 0), (*t, factors.len())]);
        }
        for (holds, at) in places {
            let fails = self.b.terms.not(holds);
            let (prefix, suffix) = factors.split_at(at);
            let mut steps = Vec::new();
            for test in [holds, fails] {
                let parts = prefix.iter().chain([&test]).chain(suffix);
                let part = self.b.terms.product(parts.copied());
                if part == ZERO || part == whole {
                    break;
                }
                match self.monomial(c, part, right, depth - 1) {
                    Some(step) => steps.push(step),
                    None => break,
                }
            }
            if steps.len() == 2 {
                return self.b.join(whole, steps);
            }
        }
        None
    }

    /// Applies a rule to the factors of a monomial from one position to another.
    fn rewrite(
        &mut self,
        c: &Context,
        factors: &[Id],
        (from, to): (usize, usize),
        rule: Directed,
        right: Id,
        depth: usize,
    ) -> Option<Step> {
        let run = self.b.terms.product(factors[from..to].iter().copied());
        let matches = self.decide(c, run, rule.left)?;
        let (before, after) = self.kept(c, run, right);
        let prefix: Vec<Id> = factors[..from].iter().chain(&before).copied().collect();
        let suffix: Vec<Id> = after.iter().chain(&factors[to..]).copied().collect();
        let middle = self.b.chain(&[matches, rule.step])?;
        let whole = self.b.terms.product(factors.iter().copied());
        let applied = self.b.within(&prefix, middle, &suffix);
        let (start, next) = self.b.claims[applied];
        if next == whole || next == start {
            return None;
        }
        let rest = self.below(c, next, right, depth - 1)?;
        let kept = self.decide(c, whole, start)?;
        self.b.chain(&[kept, applied, rest])
    }

    /// The literals of tests in use that hold before a run of factors, and those that hold after it.
    fn kept(&mut self, c: &Context, run: Id, right: Id) -> (Vec<Id>, Vec<Id>) {
        let literals = tests_of(self.b.terms, &[run, right]);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for p in literals {
            let not = self.b.terms.not(p);
            for p in [p, not] {
                let first = self.b.terms.product([p, run]);
                if first != ZERO && self.decide(c, run, first).is_some() {
                    before.push(p);
                }
                let last = self.b.terms.product([run, p]);
                if last != ZERO && self.decide(c, run, last).is_some() {
                    after.push(p);
                }
            }
        }
        (before, after)
    }

    /// A sum over processes among the factors, eliminated: one generic member, which is each of the processes in scope
    /// or none of them.
    fn member_by_member(
        &mut self,
        c: &Context,
        factors: &[Id],
        right: Id,
        depth: usize,
    ) -> Option<Step> {
        for (n, &f) in factors.iter().enumerate() {
            let Node::SumOver(but, body) = self.b.terms.node(f).clone() else {
                continue;
            };
            let whole = self.b.terms.product(factors.iter().copied());
            let key = (c.id, f, right);
            if !self.members.contains_key(&key) {
                let j = self.fresh;
                self.fresh += 1;
                let one = self.b.terms.open(body, j);
                let member = self.split(c, j, &but, &[whole, right, one]);
                self.members.insert(key, member);
            }
            let Some(member) = self.members.get(&key).cloned() else {
                continue;
            };
            let j = member.process;
            let one = self.b.terms.open(body, j);
            let a = self.b.terms.product(factors[..n].iter().copied());
            let z = self.b.terms.product(factors[n + 1..].iter().copied());
            let left = self.b.terms.product([a, one, z]);
            if let Some(step) = self.all_cases(&member, left, right, depth) {
                return Some(self.b.push(Rule::SumElim(a, f, z, j, step), whole, right));
            }
        }
        None
    }

    /// Contexts for a generic process `j` outside `but`: it is one of those in scope (each in turn), or differs from
    /// all.
    fn split(&mut self, c: &Context, j: u32, but: &[Index], goal: &[Id]) -> Member {
        let mut same = Vec::new();
        for &k in c.vars.iter().filter(|k| !but.contains(&Index::Var(**k))) {
            let map = [(j, k)];
            let goal: Vec<Id> = goal.iter().map(|t| self.b.terms.rename(*t, &map)).collect();
            same.push((k, self.context(&c.vars, &c.distinct, &goal)));
        }
        let mut distinct = c.distinct.clone();
        distinct.extend(c.vars.iter().map(|k| (*k.min(&j), *k.max(&j))));
        distinct.sort_unstable();
        let vars: Vec<u32> = c.vars.iter().copied().chain([j]).collect();
        Member {
            process: j,
            same,
            other: self.context(&vars, &distinct, goal),
        }
    }

    /// Proves a claim about a generic process in all cases.
    fn all_cases(&mut self, member: &Member, left: Id, right: Id, depth: usize) -> Option<Step> {
        let j = member.process;
        let mut step = self.below(&member.other, left, right, depth)?;
        let mut distinct = member.other.distinct.clone();
        for (k, context) in &member.same {
            let map = [(j, *k)];
            let l = self.b.terms.rename(left, &map);
            let r = self.b.terms.rename(right, &map);
            let equal = self.below(context, l, r, depth)?;
            distinct.retain(|d| *d != (*k.min(&j), *k.max(&j)));
            let claim = Claim {
                distinct: distinct.clone(),
                left,
                right,
            };
            let rule = Rule::Cases(*k, j, claim, equal, step);
            step = self.b.push(rule, left, right);
        }
        Some(step)
    }

    /// A product of tests over processes on the right, factor by factor.
    fn factor_by_factor(&mut self, c: &Context, left: Id, right: Id, depth: usize) -> Option<Step> {
        let Node::ProductOver(but, body) = self.b.terms.node(right).clone() else {
            return None;
        };
        if !self.b.terms.is_test(left) {
            return None;
        }
        let j = self.fresh;
        self.fresh += 1;
        let one = self.b.terms.open(body, j);
        let member = self.split(c, j, &but, &[left, right, one]);
        let step = self.all_cases(&member, left, one, depth)?;
        Some(self.b.push(Rule::ProductIntro(right, j, step), left, right))
    }
}

/// Index variables of a goal.
pub fn scope(b: &Builder, goal: &[Id]) -> Vec<u32> {
    let mut vars: Vec<u32> = goal
        .iter()
        .flat_map(|t| variables_of(b.terms, *t))
        .collect();
    vars.sort_unstable();
    vars.dedup();
    vars
}
