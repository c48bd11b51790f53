//! What follows from the axioms of domain and codomain, as facts of the form `e = 0`.
//!
//! A decision takes `dom(x)` for a letter among tests. What ties it to x is learnt here, before the search: each
//! `dom(x)` in sight has `~dom(x) x = 0`; from `w x = 0` follows `w dom(x) = 0`, for the beginnings w of larger
//! domains; and of each valuation of the tests it is asked whether x can begin under it, as type elimination does for
//! propositional dynamic logic (Pratt 1979). Decisions under hypotheses `e = 0` then do the rest. Codomain is the
//! mirror image.

use super::build::Step;
use super::context::{Context, Directed, tests_of};
use super::decide::Guards;
use super::divergence::Divergences;
use super::omega::Effort;
use super::search::ProofSearch;
use super::types::{Run, Types, ZEROS};
use crate::kernel::{Automaton, Id, Node, ONE, Operator, Rule, TOP, ZERO};

/// Domains and codomains that are looked at.
const MOST: usize = 60;
/// Tests that are told apart.
const TESTS: usize = 70;
/// Tests that the search may go on with.
const KEPT: usize = 20;
/// Valuations asked about for one domain in one round.
const VALUATIONS: usize = 48;
/// Words that are asked to be 0 with all that is known.
const WORDS: usize = 300;
/// The same, where divergences are in sight.
const FEW_WORDS: usize = 10;
/// Valuations asked about before the search, where divergences are in sight.
const DEATHS: usize = 400;
/// One that was asked about in vain counts as so many more.
const IN_VAIN: usize = 20;
/// Rounds, each of which may use what the one before has learnt.
const ROUNDS: usize = 6;

/// A domain, or a codomain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// `dom(x)`
    pub test: Id,
    /// x
    pub of: Id,
    /// Whether it is a domain.
    pub ahead: bool,
}

/// The terms that a context speaks of, but for what was learnt.
pub fn terms_of(c: &Context) -> Vec<Id> {
    let rules = c.rules.iter().chain(&c.zeros);
    let rules = rules.filter(|r| !c.learnt.contains(&r.left));
    rules.flat_map(|r| [r.left, r.right]).collect()
}

/// Adds what is learnt of the domains in a goal, and in what may be used for it; a proof of the goal, if it is one of
/// tests and that shows it.
pub fn learn(s: &mut ProofSearch, c: &mut Context, goal: [Id; 2]) -> Option<Step> {
    let mut all = terms_of(c);
    all.extend(goal);
    let mut learner = Learner {
        s,
        c,
        goal,
        words: WORDS,
        deaths: DEATHS,
        asking: false,
        known: Known::default(),
    };
    learner.collect(&all);
    if learner.known.ends.is_empty() {
        return None;
    }
    learner.ordered();
    if let Some(step) = learner.goal() {
        return Some(step);
    }
    if !learner.known.divergences.is_empty() {
        // First without terms that are not in sight, then without questions to the search, which take longest.
        let before = (learner.c.clone(), learner.known.clone());
        if let Some(step) = learner.rounds(&all, false, ROUNDS / 2) {
            return Some(step);
        }
        learner.back_to(&before);
        learner.steps_behind(&all);
        learner.carried();
        if let Some(step) = learner.rounds(&all, false, ROUNDS) {
            return Some(step);
        }
        if !learner.s.b.terms.is_test(goal[0]) && learner.c.zeros.len() <= ZEROS {
            let step = learner.s.decide(learner.c, goal[0], goal[1]);
            if step.is_some() {
                return step;
            }
        }
        // Questions take too long with all that, and many are in vain.
        learner.back_to(&before);
        learner.words = FEW_WORDS;
    }
    let step = learner.rounds(&all, true, ROUNDS);
    learner.forget();
    step
}

pub struct Learner<'s, 't> {
    pub s: &'s mut ProofSearch<'t>,
    pub c: &'s mut Context,
    goal: [Id; 2],
    /// Words that may still be asked to be 0.
    words: usize,
    /// Valuations that may still be asked about, where divergences are in sight.
    deaths: usize,
    /// Whether the search is asked, too.
    asking: bool,
    pub known: Known,
}

/// What is looked at.
#[derive(Clone, Default)]
pub struct Known {
    pub ends: Vec<End>,
    /// The first of them that is not unfolded.
    folded: usize,
    /// What is 0, and is said letter by letter as well.
    taken_apart: Vec<Id>,
    pub divergences: Divergences,
}

impl Learner<'_, '_> {
    /// Takes in the domains and codomains that stand in terms.
    pub fn collect(&mut self, of: &[Id]) {
        let (mut found, mut diverging) = (Vec::new(), Vec::new());
        for t in of {
            self.s.b.terms.any(*t, &mut |n| {
                match n {
                    Node::Applied(Operator::Domain, x) => found.push((*x, true)),
                    Node::Applied(Operator::Codomain, x) => found.push((*x, false)),
                    Node::Applied(Operator::Divergence, x) => diverging.push(*x),
                    _ => {}
                }
                false
            });
        }
        for (x, ahead) in found {
            if self.s.b.terms.is_closed(x) {
                self.end(x, ahead);
            }
        }
        for x in diverging {
            if self.s.b.terms.is_closed(x) {
                self.diverging(x);
            }
        }
    }

    /// The domain or codomain of a term.
    fn test(&mut self, of: Id, ahead: bool) -> Id {
        let operator = match ahead {
            true => Operator::Domain,
            false => Operator::Codomain,
        };
        self.s.b.terms.applied(operator, of)
    }

    /// The domain or codomain of a term, which is looked at from now on.
    pub fn end(&mut self, of: Id, ahead: bool) -> Id {
        let test = self.test(of, ahead);
        let end = End { test, of, ahead };
        let is_new = matches!(self.s.b.terms.node(test), Node::Applied(..));
        if is_new && self.known.ends.len() < MOST && !self.known.ends.contains(&end) {
            self.known.ends.push(end);
            self.first(end);
            self.collect(&[of]);
        }
        test
    }

    /// `w x`, or `x w` for codomains.
    fn beside(&mut self, w: &[Id], x: Id, ahead: bool) -> Id {
        let terms = &mut self.s.b.terms;
        match ahead {
            true => terms.product(w.iter().copied().chain([x])),
            false => terms.product([x].into_iter().chain(w.iter().rev().copied())),
        }
    }

    pub fn zero(&mut self, left: Id, step: Step) {
        let known = self.c.zeros.iter().any(|z| z.left == left);
        if !known && left != ZERO {
            self.c.learnt.push(left);
            self.c.zeros.push(zero(left, step));
            self.s.renew(self.c);
        }
    }

    /// `~dom(x) x = 0`
    fn first(&mut self, end: End) {
        let right = self.beside(&[end.test], end.of, end.ahead);
        let rule = match end.ahead {
            true => Rule::Domain(end.of),
            false => Rule::Codomain(end.of),
        };
        let step = self.s.b.push(rule, end.of, right);
        let not = self.s.b.terms.not(end.test);
        let step = match end.ahead {
            true => self.s.b.within(&[not], step, &[]),
            false => self.s.b.within(&[], step, &[not]),
        };
        if let Some(step) = self.s.b.ending(step, ZERO) {
            let left = self.s.b.claims[step].0;
            self.known.taken_apart.push(left);
            self.zero(left, step);
        }
    }

    /// Domains in sight of elements of which one is below the other: `dom(x) ~dom(y) = 0` where `x <= y`.
    fn ordered(&mut self) {
        let all = self.known.ends.clone();
        for x in &all {
            let above = all.iter().filter(|y| y.ahead == x.ahead && *y != x);
            for y in above {
                if self.s.b.decide(x.of, y.of).is_some() {
                    let not = self.s.b.terms.not(y.test);
                    self.before(*y, &[not], x.of);
                }
            }
        }
    }

    /// From `w x = 0`, if it follows from `~dom(y) y = 0`: `w dom(x) = 0`. The last factor of w stands next to x.
    fn before(&mut self, end: End, w: &[Id], x: Id) {
        let not = self.s.b.terms.not(end.test);
        let base = self.beside(&[not], end.of, end.ahead);
        let base = self.c.zeros.iter().find(|z| z.left == base).copied();
        let product = self.beside(w, x, end.ahead);
        let step = match self.s.b.decide(product, ZERO) {
            Some(step) => Some(step),
            None => base.and_then(|z| self.s.decide_with(&[z], product, ZERO, Effort::Direct)),
        };
        if let Some(step) = step {
            let w = self.beside(w, ONE, end.ahead);
            self.least(w, x, end.ahead, step);
        }
    }

    /// `w dom(x) = 0` from a proof of `w x = 0`.
    pub fn least(&mut self, w: Id, x: Id, ahead: bool, step: Step) {
        let test = self.test(x, ahead);
        let left = self.beside(&[w], test, ahead);
        let rule = match ahead {
            true => Rule::BeforeDomain(w, x, step),
            false => Rule::BehindCodomain(x, w, step),
        };
        if !self.c.zeros.iter().any(|z| z.left == left) {
            let step = self.s.b.push(rule, left, ZERO);
            self.zero(left, step);
        }
    }

    /// A proof of `t = 0`.
    fn nothing(&mut self, t: Id) -> Option<Step> {
        self.words = self.words.checked_sub(1)?;
        if let Some(step) = self.s.decide(self.c, t, ZERO) {
            return Some(step);
        }
        // Hypotheses of other forms are applied a few times.
        let applies = self.asking && self.c.rules.iter().any(|r| r.right != ZERO);
        let budget = self.s.budget;
        self.s.budget = budget.min(60);
        let step = match applies {
            true => self.s.prove_within(self.c, t, ZERO, 2),
            false => None,
        };
        self.s.budget = budget;
        step
    }

    /// Forgets what was learnt since.
    fn back_to(&mut self, before: &(Context, Known)) {
        (*self.c, self.known) = before.clone();
        self.s.renew(self.c);
    }

    /// Learns as long as there is anything new, with questions to the search or without; a proof of the goal.
    fn rounds(&mut self, all: &[Id], asking: bool, most: usize) -> Option<Step> {
        self.asking = asking;
        for _ in 0..most {
            self.unfold_all();
            if asking {
                self.surround(all);
            }
            let learnt = self.eliminate(asking);
            let step = self.goal();
            let more = !asking && self.diverge();
            if step.is_some() || !(more || learnt) {
                return step;
            }
        }
        self.goal()
    }

    fn unfold_all(&mut self) {
        while let Some(end) = self.known.ends.get(self.known.folded).copied() {
            self.known.folded += 1;
            self.unfold(end);
        }
    }

    /// What a domain is made of: the domains of what is left behind its first factors, with `~dom(w y) w dom(y) = 0`.
    fn unfold(&mut self, end: End) {
        let not = self.s.b.terms.not(end.test);
        let ahead = end.ahead;
        let out = self.output(end.of);
        if out != ZERO {
            self.before(end, &[not], out);
        }
        for (first, rest) in self.beginnings(end.of, ahead) {
            self.end(rest, ahead);
            match first {
                None => self.before(end, &[not], rest),
                Some(first) => self.before(end, &[not, first], rest),
            }
        }
    }

    /// What stands before a domain in a goal or hypothesis, and before what it is of: `w x = 0` gives `w dom(x) = 0`.
    fn surround(&mut self, of: &[Id]) {
        let mut words: Vec<Vec<Id>> = Vec::new();
        for t in of {
            let monomials = self.s.b.monomials(*t, MOST).unwrap_or_default();
            words.extend(monomials.iter().map(|m| self.s.b.factors(*m)));
        }
        words.retain(|w| w.len() > 1);
        for end in self.known.ends.clone() {
            let inner = self.s.b.factors(end.of);
            for word in &words {
                for at in 1..word.len() {
                    let (mut before, mut then) = word.split_at(at);
                    if !end.ahead {
                        (before, then) = (then, before);
                    }
                    let next = if end.ahead { then.first() } else { then.last() };
                    if then == inner || next == Some(&end.test) {
                        let w = self.s.b.terms.product(before.iter().copied());
                        let product = self.beside(&[w], end.of, end.ahead);
                        if let Some(step) = self.nothing(product) {
                            self.least(w, end.of, end.ahead, step);
                        }
                    }
                }
            }
        }
    }

    /// The test under which a term may do nothing.
    fn output(&mut self, t: Id) -> Id {
        Automaton::default().output(self.s.b.terms, t)
    }

    /// Ways to begin a term (or, of a codomain, to end it): a first factor, or none, and what is left.
    fn beginnings(&mut self, t: Id, ahead: bool) -> Vec<(Option<Id>, Id)> {
        let mut factors = match self.s.b.terms.node(t).clone() {
            Node::Sum(all) => return all.into_iter().map(|m| (None, m)).collect(),
            _ => self.s.b.factors(t),
        };
        if !ahead {
            factors.reverse();
        }
        let Some((&first, rest)) = factors.split_first() else {
            return Vec::new();
        };
        let join = |s: &mut Self, all: &[Id]| {
            let mut all = all.to_vec();
            if !ahead {
                all.reverse();
            }
            s.s.b.terms.product(all)
        };
        let after = join(self, rest);
        let mut ways = Vec::new();
        let mut members = |s: &mut Self, of: Id, then: &[Id]| {
            let all = match s.s.b.terms.node(of).clone() {
                Node::Sum(all) => all,
                _ => vec![of],
            };
            for m in all {
                let mut factors = s.s.b.factors(m);
                if !ahead {
                    factors.reverse();
                }
                factors.extend(then);
                ways.push((None, join(s, &factors)));
            }
        };
        match self.s.b.terms.node(first).clone() {
            Node::Star(x) => {
                members(self, x, &factors);
                ways.push((None, after));
            }
            Node::Omega(x) if ahead => members(self, x, &factors),
            Node::Sum(_) => members(self, first, rest),
            _ if first == TOP => ways.extend([(Some(TOP), after), (Some(TOP), t)]),
            _ => ways.push((Some(first), after)),
        }
        ways.retain(|(_, rest)| *rest != t || first == TOP);
        ways
    }

    /// The types of the tests in sight, and those tests, if they are not too many.
    pub fn types(&mut self) -> Option<(Types, Vec<Id>)> {
        let zeros = self.c.zeros.iter().map(|z| z.left);
        let ends = self.known.ends.iter().map(|end| end.of);
        let mut all: Vec<Id> = zeros.chain(ends).chain(self.goal).collect();
        let atoms = tests_of(self.s.b.terms, &all);
        all.extend(&atoms);
        let guards = Guards::twice(self.s.b.terms, &all).filter(|_| atoms.len() <= TESTS)?;
        let types = Types::new(self.s, self.c, &self.known.taken_apart, guards);
        Some((types, atoms))
    }

    /// Asks of valuations of the tests whether what a domain is of can begin there; whether anything new was learnt.
    fn eliminate(&mut self, asking: bool) -> bool {
        let Some((mut types, atoms)) = self.types() else {
            return false;
        };
        let before = self.c.zeros.len();
        // Those of what is left behind a first letter come later in the list, and are asked about first.
        for n in (0..self.known.ends.len()).rev() {
            let end = self.known.ends[n];
            let run = types.run(self.s, end);
            self.valuations(end, &atoms, run.as_ref(), &mut types);
        }
        // What the types do not see, of a few tests.
        let more = !types.whole || self.c.rules.iter().any(|r| r.right != ZERO);
        if asking && more && atoms.len() <= KEPT {
            self.ask_all(&atoms, &mut types);
        }
        self.c.zeros.len() > before
    }

    /// A proof of the goal from what is known of tests, if it is one of tests.
    fn goal(&mut self) -> Option<Step> {
        let [left, right] = self.goal;
        if !(self.s.b.terms.is_test(left) && self.s.b.terms.is_test(right)) {
            return None;
        }
        let (mut types, _) = self.types()?;
        let not = self.s.b.terms.not(right);
        let cover = types.cover(self.s, None, [left, not])?;
        match cover.is_empty() {
            true => self.s.b.decide(left, right),
            false => self.s.decide_with(&cover, left, right, Effort::Direct),
        }
    }

    /// What was learnt of very many tests is forgotten: decisions with all of it would take too long.
    fn forget(&mut self) {
        let zeros = self.c.zeros.iter().map(|z| z.left);
        let all: Vec<Id> = zeros.chain(self.goal).collect();
        if tests_of(self.s.b.terms, &all).len() > KEPT {
            let learnt = std::mem::take(&mut self.c.learnt);
            self.c.zeros.retain(|z| !learnt.contains(&z.left));
            self.s.renew(self.c);
        }
    }

    /// Shows that nothing begins under valuations that are known to be dead, said of as few tests as may be.
    fn valuations(&mut self, end: End, atoms: &[Id], run: Option<&Run>, types: &mut Types) {
        let here = types.guards.bdd(self.s.b.terms, end.test);
        let alive = types.alive(self.s, end, run);
        let mut dead = types.possible.and(&here).and_not(&alive);
        let not_dead = types.possible.and(&alive);
        for a in atoms {
            for literal in [*a, self.s.b.terms.not(*a)] {
                let such = types.guards.bdd(self.s.b.terms, literal);
                if such.and(&not_dead).is_false() && !such.and(&dead).is_false() {
                    let step = self.dies(end, literal, run, types);
                    self.learn_of(end, literal, step, types);
                    dead = dead.and_not(&such);
                }
            }
        }
        for _ in 0..VALUATIONS {
            let Some(valuation) = dead.sat_witness() else {
                return;
            };
            let fewest = types.fewest(self.s, (atoms, &valuation), &not_dead);
            let step = self.dies(end, fewest, run, types);
            self.learn_of(end, fewest, step, types);
            dead = dead.and_not(&types.guards.bdd(self.s.b.terms, fewest));
        }
    }

    /// What hypotheses of other forms may show: that x is below 0, or what another domain is of, under a test or not.
    fn ask_all(&mut self, atoms: &[Id], types: &mut Types) {
        let is_end = |s: &Self, a: &Id| s.known.ends.iter().any(|end| end.test == *a);
        let (ends, plain): (Vec<Id>, Vec<Id>) = atoms.iter().partition(|a| is_end(self, a));
        let mut tests = vec![ONE];
        for p in plain {
            tests.extend([p, self.s.b.terms.not(p)]);
        }
        let not: Vec<Id> = ends.iter().map(|e| self.s.b.terms.not(*e)).collect();
        // What says most comes first, as not everything can be asked.
        for end in self.known.ends.clone() {
            for w in not.iter().chain(&tests) {
                self.ask(end, *w, types);
            }
        }
        for end in self.known.ends.clone() {
            for (n, e) in not.iter().enumerate() {
                for p in tests[1..].iter().chain(&not[..n]) {
                    let both = self.s.b.terms.product([*p, *e]);
                    self.ask(end, both, types);
                }
            }
        }
    }

    /// Learns `w dom(x) = 0`, if it is new and `w x = 0` can be shown.
    fn ask(&mut self, end: End, w: Id, types: &mut Types) {
        let here = types.guards.bdd(self.s.b.terms, end.test);
        let such = types.guards.bdd(self.s.b.terms, w).and(&here);
        if such.and(&types.possible).is_false() {
            return;
        }
        let product = self.beside(&[w], end.of, end.ahead);
        let step = self.nothing(product);
        self.learn_of(end, w, step, types);
    }

    /// Learns `w dom(x) = 0` from a proof of `w x = 0`.
    fn learn_of(&mut self, end: End, w: Id, step: Option<Step>, types: &mut Types) {
        let Some(step) = step else { return };
        self.least(w, end.of, end.ahead, step);
        let both = [w, end.test].map(|t| types.guards.bdd(self.s.b.terms, t));
        types.possible = types.possible.and_not(&both[0].and(&both[1]));
        let left = self.beside(&[w], end.test, end.ahead);
        if let Some(z) = self.c.zeros.iter().find(|z| z.left == left) {
            types.bar(self.s, None, *z, [left, left]);
        }
    }

    /// A proof of `w x = 0`: from what is known of the domains behind the first letters of x, or as a whole, which is
    /// needed where they lead back to x.
    fn dies(&mut self, end: End, w: Id, run: Option<&Run>, types: &mut Types) -> Option<Step> {
        if !self.asking {
            self.deaths = self.deaths.checked_sub(1)?;
        }
        let whole = self.beside(&[w], end.of, end.ahead);
        if let Some(step) = self.dies_letter_by_letter(end, w, whole, types) {
            return Some(step);
        }
        // Questions find shorter proofs, where they are affordable.
        let barring = match run.filter(|_| end.ahead && !self.known.divergences.is_empty()) {
            Some(run) => types.barring(self.s, w, run),
            None => None,
        };
        let few = barring.and_then(|z| self.s.decide_with(&z, whole, ZERO, Effort::Direct));
        if few.is_some() || !self.asking {
            // What can't be decided takes longest.
            let cost = if few.is_some() { 0 } else { IN_VAIN };
            self.deaths = self.deaths.saturating_sub(cost);
            return few;
        }
        self.nothing(whole)
    }

    fn dies_letter_by_letter(
        &mut self,
        end: End,
        w: Id,
        whole: Id,
        types: &mut Types,
    ) -> Option<Step> {
        let out = self.output(end.of);
        let mut ways = vec![(None, out)];
        ways.extend(self.beginnings(end.of, end.ahead));
        let mut zeros = Vec::new();
        for (first, rest) in ways {
            let before: Vec<Id> = [w].into_iter().chain(first).collect();
            let test = self.end(rest, end.ahead);
            let near = self.beside(&before, test, end.ahead);
            let far = self.beside(&before, rest, end.ahead);
            let sides = if end.ahead { [w, test] } else { [test, w] };
            let step = match self.s.b.decide(near, ZERO) {
                Some(step) => step,
                None => {
                    let cover = types.cover(self.s, first, sides)?;
                    self.s.decide_with(&cover, near, ZERO, Effort::Direct)?
                }
            };
            let not = self.s.b.terms.not(test);
            let base = self.beside(&[not], rest, end.ahead);
            let mut known: Vec<Directed> = vec![zero(near, step)];
            known.extend(self.c.zeros.iter().find(|z| z.left == base));
            let step = self.s.decide_with(&known, far, ZERO, Effort::Direct)?;
            zeros.push(zero(far, step));
        }
        self.s.decide_with(&zeros, whole, ZERO, Effort::Direct)
    }
}

pub fn zero(left: Id, step: Step) -> Directed {
    Directed {
        left,
        right: ZERO,
        step,
    }
}
