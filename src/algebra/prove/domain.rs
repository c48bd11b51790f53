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
use super::omega::Effort;
use super::search::ProofSearch;
use crate::kernel::{Automaton, Id, Node, ONE, Rule, TOP, ZERO};
use biodivine_lib_bdd::{Bdd, BddVariable};
use rustc_hash::FxHashMap;

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
/// Nodes of a BDD of types.
const NODES: usize = 1 << 14;
/// States of the automaton of what a domain is of.
const STATES: usize = 200;
/// Rounds, each of which may use what the one before has learnt.
const ROUNDS: usize = 6;

/// A domain, or a codomain.
#[derive(Clone, Copy, PartialEq, Eq)]
struct End {
    /// `dom(x)`
    test: Id,
    /// x
    of: Id,
    /// Whether it is a domain.
    ahead: bool,
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
        ends: Vec::new(),
        goal,
        taken_apart: Vec::new(),
        words: WORDS,
    };
    learner.collect(&all);
    if learner.ends.is_empty() {
        return None;
    }
    let mut at = 0;
    while let Some(end) = learner.ends.get(at).copied() {
        at += 1;
        learner.unfold(end);
    }
    for _ in 0..ROUNDS {
        learner.surround(&all);
        if !learner.eliminate() {
            break;
        }
    }
    learner.end_with_goal()
}

struct Learner<'s, 't> {
    s: &'s mut ProofSearch<'t>,
    c: &'s mut Context,
    ends: Vec<End>,
    goal: [Id; 2],
    /// What is 0, and is said letter by letter as well.
    taken_apart: Vec<Id>,
    /// Words that may still be asked to be 0.
    words: usize,
}

impl Learner<'_, '_> {
    /// Takes in the domains and codomains that stand in terms.
    fn collect(&mut self, of: &[Id]) {
        let mut found = Vec::new();
        for t in of {
            self.s.b.terms.any(*t, &mut |n| {
                match n {
                    Node::Domain(x) => found.push((*x, true)),
                    Node::Codomain(x) => found.push((*x, false)),
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
    }

    /// The domain or codomain of a term, which is looked at from now on.
    fn end(&mut self, of: Id, ahead: bool) -> Id {
        let terms = &mut self.s.b.terms;
        let test = match ahead {
            true => terms.domain(of),
            false => terms.codomain(of),
        };
        let end = End { test, of, ahead };
        let is_new = matches!(terms.node(test), Node::Domain(_) | Node::Codomain(_));
        if is_new && self.ends.len() < MOST && !self.ends.contains(&end) {
            self.ends.push(end);
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

    fn zero(&mut self, left: Id, step: Step) {
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
            self.taken_apart.push(left);
            self.zero(left, step);
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
    fn least(&mut self, w: Id, x: Id, ahead: bool, step: Step) {
        let test = match ahead {
            true => self.s.b.terms.domain(x),
            false => self.s.b.terms.codomain(x),
        };
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
        let applies = self.c.rules.iter().any(|r| r.right != ZERO);
        let budget = self.s.budget;
        self.s.budget = budget.min(60);
        let step = match applies {
            true => self.s.prove_within(self.c, t, ZERO, 2),
            false => None,
        };
        self.s.budget = budget;
        step
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
        for end in self.ends.clone() {
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

    /// Asks of valuations of the tests whether what a domain is of can begin there; whether anything new was learnt.
    fn eliminate(&mut self) -> bool {
        let zeros = self.c.zeros.iter().map(|z| z.left);
        let ends = self.ends.iter().map(|end| end.of);
        let mut all: Vec<Id> = zeros.chain(ends).chain(self.goal).collect();
        let atoms = tests_of(self.s.b.terms, &all);
        all.extend(&atoms);
        let Some(guards) = Guards::twice(self.s.b.terms, &all).filter(|_| atoms.len() <= TESTS)
        else {
            return false;
        };
        let before = self.c.zeros.len();
        let mut types = Types::new(self.s, self.c, &self.taken_apart, guards);
        // Those of what is left behind a first letter come later in the list, and are asked about first.
        for n in (0..self.ends.len()).rev() {
            let end = self.ends[n];
            let alive = types.alive(self.s, end);
            self.valuations(end, &atoms, &alive, &mut types);
        }
        // What the types do not see, of a few tests.
        let more = !types.whole || self.c.rules.iter().any(|r| r.right != ZERO);
        if more && atoms.len() <= KEPT {
            self.ask_all(&atoms, &mut types);
        }
        self.c.zeros.len() > before
    }

    /// A proof of the goal from what is known of tests, if it is one of tests. What was learnt of very many tests is
    /// forgotten: decisions with all of it would take too long.
    fn end_with_goal(&mut self) -> Option<Step> {
        let [left, right] = self.goal;
        let zeros = self.c.zeros.iter().map(|z| z.left);
        let mut all: Vec<Id> = zeros.chain(self.goal).collect();
        let atoms = tests_of(self.s.b.terms, &all);
        all.extend(&atoms);
        let mut step = None;
        if self.s.b.terms.is_test(left) && self.s.b.terms.is_test(right) && atoms.len() <= TESTS {
            let guards = Guards::twice(self.s.b.terms, &all)?;
            let mut types = Types::new(self.s, self.c, &self.taken_apart, guards);
            let not = self.s.b.terms.not(right);
            step = match types.cover(self.s, None, [left, not]) {
                Some(cover) if cover.is_empty() => self.s.b.decide(left, right),
                Some(cover) => self.s.decide_with(&cover, left, right, Effort::Direct),
                None => None,
            };
        }
        if atoms.len() > KEPT {
            let learnt = std::mem::take(&mut self.c.learnt);
            self.c.zeros.retain(|z| !learnt.contains(&z.left));
            self.s.renew(self.c);
        }
        step
    }

    /// Shows that nothing begins under valuations that are known to be dead, said of as few tests as may be.
    fn valuations(&mut self, end: End, atoms: &[Id], alive: &Bdd, types: &mut Types) {
        let here = types.guards.bdd(self.s.b.terms, end.test);
        let mut dead = types.possible.and(&here).and_not(alive);
        let not_dead = types.possible.and(alive);
        for a in atoms {
            for literal in [*a, self.s.b.terms.not(*a)] {
                let such = types.guards.bdd(self.s.b.terms, literal);
                if such.and(&not_dead).is_false() && !such.and(&dead).is_false() {
                    let step = self.dies(end, literal, types);
                    self.learn_of(end, literal, step, types);
                    dead = dead.and_not(&such);
                }
            }
        }
        for _ in 0..VALUATIONS {
            let Some(valuation) = dead.sat_witness() else {
                return;
            };
            let mut literals: Vec<Id> = Vec::new();
            for a in atoms {
                let holds = types.guards.holds(self.s.b.terms, *a, &valuation);
                literals.push(if holds { *a } else { self.s.b.terms.not(*a) });
            }
            let mut n = 0;
            while n < literals.len() {
                let without = [&literals[..n], &literals[n + 1..]].concat();
                let fewer = self.s.b.terms.product(without.iter().copied());
                let some = types.guards.bdd(self.s.b.terms, fewer).and(&not_dead);
                match some.is_false() {
                    true => literals = without,
                    false => n += 1,
                }
            }
            let fewest = self.s.b.terms.product(literals);
            let step = self.dies(end, fewest, types);
            self.learn_of(end, fewest, step, types);
            dead = dead.and_not(&types.guards.bdd(self.s.b.terms, fewest));
        }
    }

    /// What hypotheses of other forms may show: that x is below 0, or what another domain is of, under a test or not.
    fn ask_all(&mut self, atoms: &[Id], types: &mut Types) {
        let is_end = |s: &Self, a: &Id| s.ends.iter().any(|end| end.test == *a);
        let (ends, plain): (Vec<Id>, Vec<Id>) = atoms.iter().partition(|a| is_end(self, a));
        let mut tests = vec![ONE];
        for p in plain {
            tests.extend([p, self.s.b.terms.not(p)]);
        }
        let not: Vec<Id> = ends.iter().map(|e| self.s.b.terms.not(*e)).collect();
        // What says most comes first, as not everything can be asked.
        for end in self.ends.clone() {
            for w in not.iter().chain(&tests) {
                self.ask(end, *w, types);
            }
        }
        for end in self.ends.clone() {
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

    /// A proof of `w x = 0`: from what is known of the domains behind the first letters of x, or as a whole, which
    /// takes long where many domains are known, and is needed where they lead back to x.
    fn dies(&mut self, end: End, w: Id, types: &mut Types) -> Option<Step> {
        let whole = self.beside(&[w], end.of, end.ahead);
        self.dies_letter_by_letter(end, w, whole, types)
            .or_else(|| self.nothing(whole))
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

fn zero(left: Id, step: Step) -> Directed {
    Directed {
        left,
        right: ZERO,
        step,
    }
}

/// Valuations of the tests, and which letters may lead from which to which.
struct Types {
    guards: Guards,
    /// The second copy of the tests.
    behind: Guards,
    /// Those that no hypothesis rules out.
    possible: Bdd,
    /// What is 0: a letter, or none, and from which valuations to which it may not lead.
    bars: Vec<(Option<Id>, Bdd, Directed)>,
    /// Of a letter, from which valuations to which it may lead: two copies of the tests.
    steps: FxHashMap<Id, Bdd>,
    /// The variables of the copies.
    variables: [Vec<BddVariable>; 2],
    /// That both copies are the same.
    same: Bdd,
    automaton: Automaton,
    /// Whether they say all that is known.
    whole: bool,
}

impl Types {
    fn new(
        s: &mut ProofSearch,
        c: &Context,
        apart: &[Id],
        [mut guards, mut behind]: [Guards; 2],
    ) -> Self {
        let mut possible = guards.bdd(s.b.terms, ONE);
        let mut steps: FxHashMap<Id, Bdd> = FxHashMap::default();
        let mut whole = true;
        let mut bars = Vec::new();
        for z in &c.zeros {
            if s.b.terms.is_test(z.left) {
                bars.push((None, *z, [z.left, z.left]));
                let fewer = possible.and_not(&guards.bdd(s.b.terms, z.left));
                // What is left out is only not made use of.
                if fewer.size() <= NODES {
                    possible = fewer;
                }
                continue;
            }
            let factors = s.b.factors(z.left);
            let acts = |s: &ProofSearch, x: &Id| !s.b.terms.is_test(*x);
            let mut letters = (0..factors.len()).filter(|n| acts(s, &factors[*n]));
            let (Some(at), None) = (letters.next(), letters.next()) else {
                whole &= apart.contains(&z.left);
                continue;
            };
            let letter = factors[at];
            if !matches!(s.b.terms.node(letter), Node::Atom(..) | Node::SumOver(..)) {
                whole &= apart.contains(&z.left);
                continue;
            }
            let [first, last] = [&factors[..at], &factors[at + 1..]]
                .map(|tests| s.b.terms.product(tests.iter().copied()));
            bars.push((Some(letter), *z, [first, last]));
            let first = guards.bdd(s.b.terms, first);
            let barred = first.and(&behind.bdd(s.b.terms, last));
            let step = steps
                .entry(letter)
                .or_insert_with(|| first.or(&first.not()));
            let fewer = step.and_not(&barred);
            if fewer.size() <= NODES {
                *step = fewer;
            }
        }
        let variables = [guards.variables(), behind.variables()];
        let mut same = guards.bdd(s.b.terms, ONE);
        for atom in guards.atoms() {
            let both = [&mut guards, &mut behind].map(|g| g.bdd(s.b.terms, atom));
            same = same.and(&both[0].iff(&both[1]));
        }
        let mut types = Types {
            guards,
            behind,
            possible,
            bars: Vec::new(),
            steps,
            variables,
            same,
            automaton: Automaton::default(),
            whole,
        };
        for (letter, z, tests) in bars {
            types.bar(s, letter, z, tests);
        }
        types
    }

    /// Takes in that a letter leads from nowhere in the first test to the second; or, of no letter, that a test is 0.
    fn bar(&mut self, s: &mut ProofSearch, letter: Option<Id>, z: Directed, tests: [Id; 2]) {
        let first = self.guards.bdd(s.b.terms, tests[0]);
        let last = self.behind.bdd(s.b.terms, tests[1]);
        let barred = match letter {
            Some(_) => first.and(&last),
            None => first.or(&last),
        };
        self.bars.push((letter, barred, z));
    }

    /// Zeros that show that a letter, or none, does not lead from one test to another; no more than are needed.
    fn cover(
        &mut self,
        s: &mut ProofSearch,
        letter: Option<Id>,
        tests: [Id; 2],
    ) -> Option<Vec<Directed>> {
        let first = self.guards.bdd(s.b.terms, tests[0]);
        let open = match letter {
            Some(_) => first.and(&self.behind.bdd(s.b.terms, tests[1])),
            None => first
                .and(&self.guards.bdd(s.b.terms, tests[1]))
                .and(&self.same),
        };
        let fits = |of: &Option<Id>| of.is_none() || *of == letter;
        let mut cover: Vec<&(Option<Id>, Bdd, Directed)> = Vec::new();
        let mut rest = open.clone();
        for bar in self.bars.iter().rev().filter(|(of, ..)| fits(of)) {
            let less = rest.and_not(&bar.1);
            if less != rest {
                cover.push(bar);
                rest = less;
            }
        }
        if !rest.is_false() {
            return None;
        }
        let mut n = 0;
        while n < cover.len() {
            let others = cover.iter().enumerate().filter(|(m, _)| *m != n);
            let rest = others.fold(open.clone(), |rest, (_, bar)| rest.and_not(&bar.1));
            match rest.is_false() {
                true => _ = cover.remove(n),
                false => n += 1,
            }
        }
        Some(cover.into_iter().map(|(_, _, z)| *z).collect())
    }

    /// Where a term may begin, or end, as far as is known.
    fn alive(&mut self, s: &mut ProofSearch, end: End) -> Bdd {
        let none = self.guards.bdd(s.b.terms, ZERO);
        let mut states = vec![end.of];
        let mut at: FxHashMap<Id, usize> = FxHashMap::from_iter([(end.of, 0)]);
        let mut moves: Vec<(usize, Bdd, Id, usize)> = Vec::new();
        let mut next = 0;
        while let Some(&state) = states.get(next) {
            for m in self.automaton.moves(s.b.terms, state) {
                let to = *at.entry(m.target).or_insert(states.len());
                if to == states.len() {
                    states.push(m.target);
                }
                moves.push((next, self.guards.bdd(s.b.terms, m.guard), m.letter, to));
            }
            next += 1;
            if states.len() > STATES {
                return self.possible.clone();
            }
        }
        let mut outs = Vec::new();
        for state in &states {
            let out = self.automaton.output(s.b.terms, *state);
            outs.push(self.guards.bdd(s.b.terms, out).and(&self.possible));
        }
        // Backwards from where a term may end, or forwards from everywhere.
        let mut reached = match end.ahead {
            true => outs.clone(),
            false => vec![none.clone(); states.len()],
        };
        if !end.ahead {
            reached[0] = self.possible.clone();
        }
        loop {
            let mut changed = false;
            for (from, guard, letter, to) in &moves {
                let (target, more) = match end.ahead {
                    true => {
                        let before = self.led(*letter, &reached[*to], true);
                        (*from, before.and(guard))
                    }
                    false => (*to, self.led(*letter, &reached[*from].and(guard), false)),
                };
                let all = reached[target].or(&more.and(&self.possible));
                if all.size() > NODES {
                    return self.possible.clone();
                }
                changed |= all != reached[target];
                reached[target] = all;
            }
            if !changed {
                break;
            }
        }
        match end.ahead {
            true => reached.swap_remove(0),
            false => {
                let ends = reached.iter().zip(&outs).map(|(r, o)| r.and(o));
                ends.fold(none, |all, one| all.or(&one))
            }
        }
    }

    /// The valuations from which a letter may lead to one of some; or those to which it may lead from one of them.
    fn led(&self, letter: Id, some: &Bdd, back: bool) -> Bdd {
        let step = self.steps.get(&letter);
        let [here, there] = &self.variables;
        let from = |some: &Bdd, of: &[BddVariable]| match step {
            Some(step) => step.and(some).exists(of),
            None if some.is_false() => some.clone(),
            None => some.or(&some.not()),
        };
        match back {
            true => from(&some.and(&self.same).exists(here), there),
            false => from(some, here).and(&self.same).exists(there),
        }
    }
}
