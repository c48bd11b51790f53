//! The right side as a Buechi automaton, and what words do to it.
//!
//! A state is a term whose words are those accepted from it: `d s^w` with d a derivative of what stands before the
//! omega or of s, or a derivative of a monomial without omega, where T accepts whatever follows. A word's profile is
//! the relation between states that it makes, with the pairs on whose way something is accepted (Buechi 1962). Tests
//! are taken apart into their atoms.

use crate::kernel::{Automaton, Id, Node, ONE, TOP, Terms, ZERO};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// States of the automaton: their sets are words of as many bits.
const STATES: usize = 64;
/// Nodes of a graph for each class of words.
const NODES: usize = 8;
/// Atomic tests: sets of their valuations are words of 64 bits.
const TESTS: usize = 6;

/// A set of valuations of the tests.
pub type Valuations = u64;

/// The atomic tests of a goal.
pub struct Tests {
    atoms: Vec<Id>,
}

impl Tests {
    /// Those of some terms; `None` if there are too many.
    pub fn new(terms: &mut Terms, of: &[Id]) -> Option<Self> {
        let mut atoms = Vec::new();
        let mut seen = of.to_vec();
        let mut known: BTreeSet<Id> = seen.iter().copied().collect();
        while let Some(x) = seen.pop() {
            let mut push = |x: Id| {
                if known.insert(x) {
                    seen.push(x);
                }
            };
            match terms.node(x) {
                Node::Not(x) | Node::Star(x) | Node::Omega(x) => push(*x),
                Node::Sum(all) | Node::Product(all) => all.iter().for_each(|x| push(*x)),
                Node::Zero | Node::One | Node::Top => {}
                Node::ProductOver(..) => atoms.push(terms.not(x)),
                _ if terms.is_test(x) => atoms.push(x),
                _ => {}
            }
        }
        atoms.sort_unstable();
        atoms.dedup();
        (atoms.len() <= TESTS).then_some(Tests { atoms })
    }

    /// The tests, in the order of the bits of a valuation.
    pub fn atoms(&self) -> &[Id] {
        &self.atoms
    }

    /// All valuations.
    pub fn all(&self) -> Valuations {
        match 1u32 << self.atoms.len() {
            64 => u64::MAX,
            n => (1 << n) - 1,
        }
    }

    /// The valuations under which a test holds.
    pub fn of(&self, terms: &mut Terms, test: Id) -> Valuations {
        match terms.node(test).clone() {
            Node::Zero => 0,
            Node::One => self.all(),
            Node::Not(x) => self.all() & !self.of(terms, x),
            Node::Sum(all) => all.into_iter().fold(0, |v, x| v | self.of(terms, x)),
            Node::Product(all) => all
                .into_iter()
                .fold(self.all(), |v, x| v & self.of(terms, x)),
            Node::ProductOver(..) => {
                let atom = terms.not(test);
                self.all() & !self.of(terms, atom)
            }
            _ => {
                let Ok(n) = self.atoms.binary_search(&test) else {
                    return 0;
                };
                (0..1 << self.atoms.len())
                    .filter(|v: &u32| v >> n & 1 == 1)
                    .fold(0, |all, v| all | 1 << v)
            }
        }
    }

    /// A test that holds under these valuations only.
    pub fn term(&self, terms: &mut Terms, under: Valuations) -> Id {
        self.split(terms, under, 0, 0)
    }

    /// The same for those valuations that have the first `fixed` atoms as `values` says.
    fn split(&self, terms: &mut Terms, under: Valuations, fixed: usize, values: u32) -> Id {
        let among = |v: &u32| v & ((1 << fixed) - 1) == values;
        let mut some = (0..1u32 << self.atoms.len())
            .filter(among)
            .map(|v| under >> v & 1 == 1);
        let (mut any, mut every) = (false, true);
        some.by_ref()
            .for_each(|b| (any, every) = (any || b, every && b));
        if !any || every {
            return if any { ONE } else { ZERO };
        }
        let yes = self.split(terms, under, fixed + 1, values | 1 << fixed);
        let no = self.split(terms, under, fixed + 1, values);
        if yes == no {
            return yes;
        }
        let atom = self.atoms[fixed];
        let not = terms.not(atom);
        let (yes, no) = (terms.product([atom, yes]), terms.product([not, no]));
        terms.sum([yes, no])
    }
}

/// A state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum State {
    /// `d s^w`, before s has begun; s by position.
    Before(usize, Id),
    /// `d s^w`, within s.
    Within(usize, Id),
    /// A derivative of a monomial without omega.
    Finite(Id),
}

/// A transition: the valuations under which it is there, the letter (T for any), the state it leads to, and whether it
/// accepts.
type Transition = (Valuations, Id, usize, bool);

/// The right side.
pub struct Buechi {
    /// The atomic tests.
    pub tests: Tests,
    /// Derivatives of terms.
    pub automaton: Automaton,
    states: Vec<State>,
    /// The transitions of each state.
    transitions: Vec<Vec<Transition>>,
    /// The states that it begins in.
    pub initial: u64,
    /// Nodes of the graphs made here.
    nodes: usize,
}

impl Buechi {
    /// For `r s^w` each, and monomials without omega, to tell apart so many classes of words; `None` if it is too
    /// large.
    pub fn new(
        terms: &mut Terms,
        tests: Tests,
        loops: &[(Id, Id)],
        finite: &[Id],
        classes: usize,
    ) -> Option<Self> {
        let mut buechi = Buechi {
            tests,
            automaton: Automaton::default(),
            states: Vec::new(),
            transitions: Vec::new(),
            initial: 0,
            nodes: NODES * classes,
        };
        for (n, (before, _)) in loops.iter().enumerate() {
            buechi.state(State::Before(n, *before))?;
        }
        for f in finite {
            buechi.state(State::Finite(*f))?;
        }
        for n in 0..buechi.states.len() {
            buechi.initial |= 1 << n;
        }
        let mut at = 0;
        while let Some(&state) = buechi.states.get(at) {
            let found = buechi.leave(terms, loops, state)?;
            buechi.transitions.push(found);
            at += 1;
        }
        Some(buechi)
    }

    fn state(&mut self, state: State) -> Option<usize> {
        if let Some(known) = self.states.iter().position(|s| *s == state) {
            return Some(known);
        }
        self.states.push(state);
        (self.states.len() <= STATES).then(|| self.states.len() - 1)
    }

    fn leave(
        &mut self,
        terms: &mut Terms,
        loops: &[(Id, Id)],
        from: State,
    ) -> Option<Vec<Transition>> {
        let mut found = Vec::new();
        let (State::Before(_, d) | State::Within(_, d) | State::Finite(d)) = from;
        for m in self.automaton.moves(terms, d) {
            let to = match from {
                State::Before(n, _) => State::Before(n, m.target),
                State::Within(n, _) => State::Within(n, m.target),
                State::Finite(_) => State::Finite(m.target),
            };
            let accepts = to == State::Finite(TOP);
            let under = self.tests.of(terms, m.guard);
            found.push((under, m.letter, self.state(to)?, accepts));
        }
        let (State::Before(n, _) | State::Within(n, _)) = from else {
            return Some(found);
        };
        let out = self.automaton.output(terms, d);
        let out = self.tests.of(terms, out);
        if out != 0 {
            for m in self.automaton.moves(terms, loops[n].1) {
                let under = out & self.tests.of(terms, m.guard);
                let to = self.state(State::Within(n, m.target))?;
                found.push((under, m.letter, to, true));
            }
        }
        Some(found)
    }

    /// What nothing at all does.
    pub fn identity(&self) -> Profile {
        Profile((0..self.states.len()).map(|n| (1 << n, 0)).collect())
    }

    /// What a letter does under a valuation.
    pub fn letter(&self, valuation: u32, letter: Id) -> Profile {
        let row = |from: &Vec<Transition>| {
            let mut row = (0, 0);
            for &(under, a, to, accepts) in from {
                if under >> valuation & 1 == 1 && (a == letter || a == TOP) {
                    row.0 |= 1 << to;
                    row.1 |= u64::from(accepts) << to;
                }
            }
            row
        };
        Profile(self.transitions.iter().map(row).collect())
    }
}

/// For each state the states that a word leads to, and those of them that it leads to through an accepting transition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Profile(Vec<(u64, u64)>);

fn bits(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |n| set >> n & 1 == 1)
}

impl Profile {
    /// One word, then another.
    pub fn then(&self, next: &Profile) -> Profile {
        let row = |&(to, past): &(u64, u64)| {
            let mut row = (0, 0);
            for q in bits(to) {
                let (on, accepting) = next.0[q];
                row.0 |= on;
                row.1 |= if past >> q & 1 == 1 { on } else { accepting };
            }
            row
        };
        Profile(self.0.iter().map(row).collect())
    }

    /// Where the states of a set lead.
    pub fn image(&self, of: u64) -> u64 {
        bits(of).fold(0, |set, q| set | self.0[q].0)
    }

    /// The same, of the states of a set only.
    pub fn on(mut self, set: u64) -> Profile {
        for (n, row) in self.0.iter_mut().enumerate() {
            if set >> n & 1 == 0 {
                *row = (0, 0);
            }
        }
        self
    }
}

/// What all words of a class have in common: what they do, the valuation under which they begin, and those under which
/// they may end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class {
    /// What they do.
    pub profile: Profile,
    /// The valuation of the tests before the first letter.
    pub begins: u32,
    /// The valuations after the last.
    pub ends: Valuations,
}

impl Class {
    /// Words of one class and then words of another, if there are any.
    pub fn then(&self, next: &Class) -> Option<Class> {
        (self.ends >> next.begins & 1 == 1).then(|| Class {
            profile: self.profile.then(&next.profile),
            begins: self.begins,
            ends: next.ends,
        })
    }
}

impl Buechi {
    /// The words of a term (which has no empty one) by class, as terms; what they do to states outside `on` is left
    /// out. `None` if there are too many.
    pub fn classes(&mut self, terms: &mut Terms, of: Id, on: u64) -> Option<Vec<(Class, Id)>> {
        let mut all: BTreeMap<Class, Id> = BTreeMap::new();
        let valuations = self.tests.all().count_ones();
        for begins in 0..valuations {
            let first = self.identity().on(on);
            let explored = self.explore(terms, of, first, Some(begins))?;
            for ((profile, ends), term) in explored {
                let class = Class {
                    profile,
                    begins,
                    ends,
                };
                let words = all.entry(class).or_insert(ZERO);
                *words = terms.sum([*words, term]);
            }
        }
        Some(all.into_iter().collect())
    }

    /// The words of a term by the states that they lead to from the initial ones, and the valuations that they end
    /// under.
    pub fn prefixes(&mut self, terms: &mut Terms, of: Id) -> Option<Vec<(u64, Valuations, Id)>> {
        let first = self.identity().on(self.initial);
        let initial = self.initial;
        let mut all: BTreeMap<(u64, Valuations), Id> = BTreeMap::new();
        for ((profile, ends), term) in self.explore(terms, of, first, None)? {
            let words = all.entry((profile.image(initial), ends)).or_insert(ZERO);
            *words = terms.sum([*words, term]);
        }
        Some(
            all.into_iter()
                .map(|((set, ends), t)| (set, ends, t))
                .collect(),
        )
    }

    /// The words of a term by what they do after `first`, and the valuations that they end under; if asked, only those
    /// that begin under a valuation.
    fn explore(
        &mut self,
        terms: &mut Terms,
        of: Id,
        first: Profile,
        begins: Option<u32>,
    ) -> Option<Vec<((Profile, Valuations), Id)>> {
        let mut nodes: Vec<(Id, Profile)> = vec![(of, first)];
        let mut known: FxHashMap<(Id, Profile), usize> = FxHashMap::default();
        // The first node is left only once if words are to begin under a certain valuation.
        if begins.is_none() {
            known.insert(nodes[0].clone(), 0);
        }
        let mut edges: BTreeMap<(usize, Id, usize), Valuations> = BTreeMap::new();
        let mut at = 0;
        while at < nodes.len() {
            let (d, profile) = nodes[at].clone();
            for m in self.automaton.moves(terms, d) {
                let mut under = self.tests.of(terms, m.guard);
                if let (0, Some(v)) = (at, begins) {
                    under &= 1 << v;
                }
                for v in bits(under) {
                    let next = (m.target, profile.then(&self.letter(v as u32, m.letter)));
                    let to = *known.entry(next.clone()).or_insert_with(|| {
                        nodes.push(next);
                        nodes.len() - 1
                    });
                    *edges.entry((at, m.letter, to)).or_default() |= 1 << v;
                }
            }
            at += 1;
            if nodes.len() > self.nodes || terms.is_spent() {
                return None;
            }
        }
        let mut graph = super::paths::Graph::default();
        for ((from, letter, to), under) in edges {
            let test = self.tests.term(terms, under);
            let label = terms.product([test, letter]);
            graph.add(terms, from, label, to);
        }
        let mut ends: BTreeMap<(Profile, Valuations), Vec<(usize, Id)>> = BTreeMap::new();
        for (n, (d, profile)) in nodes.iter().enumerate() {
            let out = self.automaton.output(terms, *d);
            let under = self.tests.of(terms, out);
            // The valuation that words begin under says nothing of the empty word.
            if under != 0 && !(n == 0 && begins.is_some()) {
                ends.entry((profile.clone(), under))
                    .or_default()
                    .push((n, out));
            }
        }
        let end = nodes.len();
        let mut found = Vec::new();
        for (class, from) in ends {
            let mut graph = graph.clone();
            for (n, out) in from {
                graph.add(terms, n, out, end);
            }
            found.push((class, graph.paths(terms, 0, end)));
        }
        Some(found)
    }
}
