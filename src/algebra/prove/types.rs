//! Types, as in type elimination for propositional dynamic logic (Pratt 1979): valuations of the tests in sight, and
//! between which of them letters may lead, as far as facts `e = 0` say.

use super::context::{Context, Directed};
use super::decide::Guards;
use super::domain::End;
use super::search::ProofSearch;
use crate::kernel::{Automaton, Id, Node, ONE, ZERO};
use biodivine_lib_bdd::{Bdd, BddValuation, BddVariable};
use rustc_hash::FxHashMap;

/// Nodes of a BDD of types.
pub const NODES: usize = 1 << 14;
/// Zeros that a decision is made with.
pub const ZEROS: usize = 70;
/// States of the automaton of what a domain is of.
const STATES: usize = 200;

/// What is known of the derivatives of a term.
pub struct Run {
    /// From which, under which valuations, by which letter, to which.
    moves: Vec<(usize, Bdd, Id, usize)>,
    /// Under which valuations each may end.
    outs: Vec<Bdd>,
    /// Under which valuations each may begin, if it is ahead; else those under which one may come to it.
    reached: Vec<Bdd>,
}

/// Valuations of the tests, and which letters may lead from which to which.
pub struct Types {
    pub guards: Guards,
    /// The second copy of the tests.
    pub behind: Guards,
    /// Those that no hypothesis rules out.
    pub possible: Bdd,
    /// What is 0: a letter, or none, and from which valuations to which it may not lead.
    bars: Vec<(Option<Id>, Bdd, Directed)>,
    /// Of a letter, from which valuations to which it may lead: two copies of the tests.
    pub steps: FxHashMap<Id, Bdd>,
    /// The variables of the copies.
    pub variables: [Vec<BddVariable>; 2],
    /// That both copies are the same.
    pub same: Bdd,
    automaton: Automaton,
    /// Whether they say all that is known.
    pub whole: bool,
}

impl Types {
    pub fn new(
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
            let is_letter =
                |n: &Node| matches!(n, Node::Atom(..) | Node::SumOver(..) | Node::Omega(_));
            if !is_letter(s.b.terms.node(letter)) {
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
    pub fn bar(&mut self, s: &mut ProofSearch, letter: Option<Id>, z: Directed, tests: [Id; 2]) {
        let first = self.guards.bdd(s.b.terms, tests[0]);
        let last = self.behind.bdd(s.b.terms, tests[1]);
        let barred = match letter {
            Some(_) => first.and(&last),
            None => first.or(&last),
        };
        self.bars.push((letter, barred, z));
    }

    /// Zeros that show that a letter, or none, does not lead from one test to another.
    pub fn cover(
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
        self.barred(letter, &open)
    }

    /// Zeros that show that a letter, or none, leads from no valuation to another as pairs say.
    fn barred(&self, letter: Option<Id>, open: &Bdd) -> Option<Vec<Directed>> {
        let mut cover: Vec<Directed> = Vec::new();
        let mut rest = open.clone();
        // Those of the letter say more than those of tests alone; the last ones are the most special.
        while let Some(witness) = rest.sat_witness() {
            let of = |letter: Option<Id>| self.bars.iter().rev().filter(move |b| b.0 == letter);
            let mut all = of(letter).chain(of(None));
            let (_, bar, z) = all.find(|(_, bar, _)| bar.eval_in(&witness))?;
            rest = rest.and_not(bar);
            cover.push(*z);
            if cover.len() > ZEROS || rest.size() > NODES {
                return None;
            }
        }
        Some(cover)
    }

    /// A product of as few literals of a valuation as keep it apart from a set of types.
    pub fn fewest(
        &mut self,
        s: &mut ProofSearch,
        (atoms, valuation): (&[Id], &BddValuation),
        apart: &Bdd,
    ) -> Id {
        let mut literals: Vec<Id> = Vec::new();
        for a in atoms {
            let holds = self.guards.holds(s.b.terms, *a, valuation);
            literals.push(if holds { *a } else { s.b.terms.not(*a) });
        }
        let mut n = 0;
        while n < literals.len() {
            let without = [&literals[..n], &literals[n + 1..]].concat();
            let fewer = s.b.terms.product(without.iter().copied());
            let both = self.guards.bdd(s.b.terms, fewer).and(apart);
            match both.is_false() {
                true => literals = without,
                false => n += 1,
            }
        }
        s.b.terms.product(literals)
    }

    /// Where the rest of a term may begin, or end, as far as is known; `None` if that is too large.
    pub fn run(&mut self, s: &mut ProofSearch, end: End) -> Option<Run> {
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
                return None;
            }
        }
        let mut outs = Vec::new();
        for state in &states {
            let out = self.automaton.output(s.b.terms, *state);
            outs.push(self.guards.bdd(s.b.terms, out));
        }
        // Backwards from where a term may end, or forwards from everywhere.
        let mut reached = match end.ahead {
            true => outs.iter().map(|out| out.and(&self.possible)).collect(),
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
                    return None;
                }
                changed |= all != reached[target];
                reached[target] = all;
            }
            if !changed {
                break;
            }
        }
        Some(Run {
            moves,
            outs,
            reached,
        })
    }

    /// Where a term may begin, or end, as far as is known.
    pub fn alive(&mut self, s: &mut ProofSearch, end: End, run: Option<&Run>) -> Bdd {
        let Some(run) = run else {
            return self.possible.clone();
        };
        if end.ahead {
            return run.reached[0].clone();
        }
        let ends = run.reached.iter().zip(&run.outs).map(|(r, o)| r.and(o));
        let none = self.guards.bdd(s.b.terms, ZERO);
        ends.fold(none, |all, one| all.or(&one))
    }

    /// Zeros that show that a term does not begin under a test, if it may only begin elsewhere.
    pub fn barring(&mut self, s: &mut ProofSearch, w: Id, run: &Run) -> Option<Vec<Directed>> {
        let here = self.guards.bdd(s.b.terms, w);
        let mut dead = vec![here.and_not(&here); run.reached.len()];
        dead[0] = here.and_not(&run.reached[0]);
        loop {
            let mut changed = false;
            for (from, guard, letter, to) in &run.moves {
                let led = self.led(*letter, &dead[*from].and(guard), false);
                let all = dead[*to].or(&led.and_not(&run.reached[*to]));
                if all.size() > NODES {
                    return None;
                }
                changed |= all != dead[*to];
                dead[*to] = all;
            }
            if !changed {
                break;
            }
        }
        let mut zeros: Vec<Directed> = Vec::new();
        let mut add = |more: Vec<Directed>| {
            for z in more {
                if zeros.iter().all(|known| known.left != z.left) {
                    zeros.push(z);
                }
            }
        };
        for (dead, out) in dead.iter().zip(&run.outs) {
            add(self.barred(None, &dead.and(out).and(&self.same))?);
        }
        for (from, guard, letter, to) in &run.moves {
            let open = dead[*from].and(guard).and(&self.moved(&run.reached[*to]));
            add(self.barred(Some(*letter), &open)?);
        }
        (zeros.len() <= ZEROS).then_some(zeros)
    }

    /// The valuations from which a letter may lead to one of some; or those to which it may lead from one of them.
    fn led(&self, letter: Id, some: &Bdd, back: bool) -> Bdd {
        let [here, there] = &self.variables;
        match (self.steps.get(&letter), back) {
            (_, true) => self.before(&self.moved(some), letter),
            (Some(step), false) => step.and(some).exists(here).and(&self.same).exists(there),
            (None, false) if some.is_false() => some.clone(),
            (None, false) => some.or(&some.not()),
        }
    }

    /// The same valuations, of the second copy.
    pub fn moved(&self, some: &Bdd) -> Bdd {
        some.and(&self.same).exists(&self.variables[0])
    }

    /// Where pairs of valuations begin, among which a letter may lead.
    pub fn before(&self, pairs: &Bdd, letter: Id) -> Bdd {
        match self.steps.get(&letter) {
            Some(step) => step.and(pairs).exists(&self.variables[1]),
            None => pairs.exists(&self.variables[1]),
        }
    }
}
