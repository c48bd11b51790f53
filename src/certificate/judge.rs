//! Facts judged: by disjoint footprints, by going through all valuations with the plain interpreter, or in an encoding
//! built anew.
//!
//! A fact `x <= y` holds if, from every type-correct state, y leads to all states that x leads to. Only the parts of
//! the state in the footprints of its letters matter, so all their valuations are gone through; the other parts have
//! any one value. A fact that fails there is judged once more from the states of the invariant J only.

use super::encoded::Encoded;
use super::footprint::{Footprint, Footprints, key, support, targets};
use super::letters::{Letter, meaning};
use super::phases::each_step;
use super::space::{Marked, Part, Space};
use super::valuations::Valuations;
use crate::base::control::Stop;
use crate::base::evidence::Root;
use crate::engine::{State, each_successor, holds, initially_violated, is_initial};
use crate::kernel::{Id, Node, ONE, TOP, Terms, ZERO};
use crate::model::program::{LocId, Program, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Valuations that one fact may have.
const MOST: u64 = 1 << 14;
/// Valuations of all facts together (some tenths of a second); beyond that the encoding is asked.
const MOST_TOGETHER: u64 = 1 << 17;
/// Valuations of a hypothesis without derivation, which has all actions of two threads in it.
const MOST_WHOLE: u64 = 1 << 11;
/// Monomials of a left side.
const MOST_MONOMIALS: usize = 1 << 12;

/// How a fact was found to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Neither side changes what the other reads, or control does not lead from one action to the other.
    Apart,
    /// All valuations were gone through.
    Enumerated,
    /// In the encoding built anew.
    Encoded,
}

/// Counts of facts by how they were found to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// See [`How::Apart`].
    pub apart: usize,
    /// See [`How::Enumerated`].
    pub enumerated: usize,
    /// See [`How::Encoded`].
    pub encoded: usize,
    /// Of these, how many hold from the states of J only.
    pub on_invariant: usize,
    /// Valuations gone through.
    pub valuations: u64,
}

/// Judges facts about one program.
pub struct Judge<'a, 'p> {
    /// The program.
    pub program: &'p Program,
    /// The bundle's sets.
    pub space: &'a Space<'p>,
    /// J, with the size of its diagram.
    pub invariant: Option<(Root, u64)>,
    /// The encoding, built when it is first needed.
    pub encoded: &'a Encoded<'p>,
    /// Whether steps that violate the discipline make their thread go wrong.
    checks: bool,
    footprints: Footprints<'p>,
    known: FxHashMap<(ThreadId, LocId), Footprint>,
    /// What was done.
    pub tally: Tally,
}

/// Where a term leads from a state.
#[derive(Default)]
struct Reach {
    states: FxHashSet<Marked>,
    /// Everywhere.
    any: bool,
}

/// Why an enumeration gives no answer.
enum Open {
    /// Too many valuations, or a form that is not gone through.
    NotEnumerable,
    /// It is cut short.
    Stopped(Stop),
}

impl From<Stop> for Open {
    fn from(stop: Stop) -> Self {
        Open::Stopped(stop)
    }
}

impl<'a, 'p> Judge<'a, 'p> {
    /// Nothing judged yet.
    pub fn new(
        program: &'p Program,
        space: &'a Space<'p>,
        invariant: Option<Root>,
        encoded: &'a Encoded<'p>,
    ) -> Self {
        Judge {
            program,
            space,
            invariant: invariant.map(|j| (j, space.size(j) as u64)),
            encoded,
            checks: encoded.checks(),
            footprints: Footprints::new(program),
            known: FxHashMap::default(),
            tally: Tally::default(),
        }
    }

    /// Whether `left <= right`, and how that was found.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn holds(
        &mut self,
        terms: &Terms,
        letters: &[Option<Letter>],
        (left, right): (Id, Id),
    ) -> Result<Option<How>, Stop> {
        if self.is_plain(terms, letters, left, right) {
            self.tally.apart += 1;
            return Ok(Some(How::Apart));
        }
        // No theorem about programs speaks of domains: what holds of `cod` on all states need not hold on those of J.
        let is_domain = |n: &Node| matches!(n, Node::Applied(..));
        if [left, right]
            .iter()
            .any(|t| terms.any(*t, &mut |n| is_domain(n)))
        {
            return Ok(None);
        }
        let rungs = [None, self.invariant];
        for (n, rung) in rungs.into_iter().enumerate() {
            if n > 0 && rung.is_none() {
                break;
            }
            // T must not leave J: if something follows it, a fact that holds on all states need not hold on those of J.
            if n == 0 && self.invariant.is_some() && has_inner_top(terms, right) {
                continue;
            }
            let (held, how) = match self.enumerate(terms, letters, (left, right), rung, MOST) {
                Ok(held) => (held, How::Enumerated),
                Err(Open::Stopped(stop)) => return Err(stop),
                Err(Open::NotEnumerable) => {
                    let set = rung.map(|(j, _)| j);
                    let held =
                        self.encoded
                            .holds(self.space, terms, letters, (left, right), set)?;
                    (held, How::Encoded)
                }
            };
            if held {
                match how {
                    How::Enumerated => self.tally.enumerated += 1,
                    _ => self.tally.encoded += 1,
                }
                self.tally.on_invariant += usize::from(n > 0);
                return Ok(Some(how));
            }
        }
        Ok(None)
    }

    /// Whether `left <= right`, if that can be said without an encoding.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn small(
        &mut self,
        terms: &Terms,
        letters: &[Option<Letter>],
        (left, right): (Id, Id),
    ) -> Result<Option<bool>, Stop> {
        if self.is_plain(terms, letters, left, right) {
            return Ok(Some(true));
        }
        let mut rungs = vec![None];
        rungs.extend(self.invariant.map(Some));
        for rung in rungs {
            match self.enumerate(terms, letters, (left, right), rung, MOST_WHOLE) {
                Ok(true) => return Ok(Some(true)),
                Ok(false) => {}
                Err(Open::Stopped(stop)) => return Err(stop),
                Err(Open::NotEnumerable) => return Ok(None),
            }
        }
        Ok(Some(false))
    }

    /// Whether `left <= right` by footprints or control alone.
    pub fn is_apart(
        &mut self,
        terms: &Terms,
        letters: &[Option<Letter>],
        (left, right): (Id, Id),
    ) -> bool {
        let plain = self.is_plain(terms, letters, left, right);
        self.tally.apart += usize::from(plain);
        plain
    }

    /// `x y <= y x` of what is apart, `a b = 0` where control does not lead from a to b, and `x^w = 0` where it can't
    /// go on for ever.
    fn is_plain(&mut self, terms: &Terms, letters: &[Option<Letter>], left: Id, right: Id) -> bool {
        if let (Node::Omega(run), ZERO) = (terms.node(left), right) {
            return self.is_straight(terms, letters, *run);
        }
        let Node::Product(l) = terms.node(left) else {
            return left == right;
        };
        let [x, y] = l.as_slice() else {
            return left == right;
        };
        if right == ZERO
            && let (Some((t, from)), Some((u, to))) =
                (steps(terms, letters, *x), steps(terms, letters, *y))
        {
            return t == u && !targets(self.program, t, from).contains(&to);
        }
        let swapped = match terms.node(right) {
            Node::Product(r) => r.as_slice() == [*y, *x],
            _ => false,
        };
        if !swapped {
            return left == right;
        }
        let (Some(x), Some(y)) = (
            self.print(terms, letters, *x),
            self.print(terms, letters, *y),
        ) else {
            return false;
        };
        x.is_apart(&y)
    }

    /// Whether control goes through a sum of one thread's steps only in some order, each at most once.
    fn is_straight(&self, terms: &Terms, letters: &[Option<Letter>], run: Id) -> bool {
        let all = match terms.node(run) {
            Node::Sum(all) => all.as_slice(),
            _ => &[run],
        };
        let places: Option<Vec<_>> = all.iter().map(|x| steps(terms, letters, *x)).collect();
        let Some(places) = places else {
            return false;
        };
        let Some(&(thread, _)) = places.first() else {
            return false;
        };
        let locations = places.iter().map(|p| p.1).collect();
        places.iter().all(|p| p.0 == thread) && self.program.threads[thread].is_straight(locations)
    }

    /// The footprint of a sum of actions or of a test; `None` if it has q, or T.
    fn print(&mut self, terms: &Terms, letters: &[Option<Letter>], t: Id) -> Option<Footprint> {
        let mut f = Footprint::default();
        let mut plain = true;
        terms.any(t, &mut |n| {
            match n {
                Node::Atom(s, _) => match meaning(letters, *s) {
                    Some(Letter::Violated | Letter::Initial) | None => plain = false,
                    Some(Letter::At(t, _)) => {
                        f.parts.insert(key(self.program, Part::Location(*t)));
                    }
                    Some(Letter::Steps(t, l)) => {
                        let more = self.of(*t, *l);
                        f.parts.extend(&more.parts);
                        f.writes.extend(&more.writes);
                    }
                    Some(Letter::Enabled(t, l)) => f.parts.extend(&self.of(*t, *l).parts),
                    Some(Letter::Holds(e)) => support(self.program, e, &mut f.parts),
                },
                Node::Sum(_) | Node::Product(_) | Node::Not(_) | Node::Zero | Node::One => {}
                _ => plain = false,
            }
            !plain
        });
        plain.then_some(f)
    }

    fn of(&mut self, thread: ThreadId, location: LocId) -> &Footprint {
        self.known
            .entry((thread, location))
            .or_insert_with(|| self.footprints.of(thread, location))
    }

    fn enumerate(
        &mut self,
        terms: &Terms,
        letters: &[Option<Letter>],
        (left, right): (Id, Id),
        rung: Option<(Root, u64)>,
        most: u64,
    ) -> Result<bool, Open> {
        let mut monomials = Vec::new();
        split(terms, left, &mut Vec::new(), &mut monomials)?;
        for m in &monomials {
            if !self.monomial(terms, letters, (m, right), rung, most)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A product on the left.
    fn monomial(
        &mut self,
        terms: &Terms,
        letters: &[Option<Letter>],
        (left, right): (&[Id], Id),
        rung: Option<(Root, u64)>,
        most: u64,
    ) -> Result<bool, Open> {
        let program = self.program;
        let mut parts: BTreeSet<usize> = BTreeSet::new();
        for side in left.iter().copied().chain([right]) {
            self.looked_at(terms, letters, side, &mut parts)?;
        }
        let mut valuations = Valuations::new(program, &parts, &begins(terms, letters, left));
        let count = valuations.count();
        let cost = count.saturating_mul(rung.map_or(1, |(_, size)| 1 + size / 16));
        if cost > most || self.tally.valuations + cost > MOST_TOGETHER {
            return Err(Open::NotEnumerable);
        }
        self.tally.valuations += count;
        let given = |p: Part| p == Part::Violated || parts.contains(&key(program, p));
        let eval = Eval {
            program,
            checks: self.checks,
            terms,
            letters,
        };
        loop {
            self.encoded.control().check()?;
            for violated in [false, true] {
                let from = valuations.marked(violated);
                if rung.is_some_and(|(j, _)| !self.space.has_some(j, &from, &given)) {
                    continue;
                }
                if !eval.included(left, right, from)? {
                    return Ok(false);
                }
            }
            if !valuations.advance() {
                return Ok(true);
            }
        }
    }

    /// The parts of the state that the letters of a term look at or change.
    fn looked_at(
        &mut self,
        terms: &Terms,
        letters: &[Option<Letter>],
        t: Id,
        parts: &mut BTreeSet<usize>,
    ) -> Result<(), Open> {
        let mut seen = Vec::new();
        terms.any(t, &mut |n| {
            if let Node::Atom(s, _) = n {
                seen.push(*s);
            }
            false
        });
        for s in seen {
            match meaning(letters, s) {
                Some(Letter::Steps(t, l) | Letter::Enabled(t, l)) => {
                    parts.extend(&self.of(*t, *l).parts);
                }
                Some(Letter::Holds(e)) => support(self.program, e, parts),
                Some(Letter::At(t, _)) => {
                    parts.insert(key(self.program, Part::Location(*t)));
                }
                Some(Letter::Violated) => {}
                // It looks at everything.
                Some(Letter::Initial) | None => return Err(Open::NotEnumerable),
            }
        }
        Ok(())
    }
}

/// Where threads are when a product begins.
///
/// A thread's first letter says so: its location changes by its own steps only.
fn begins(terms: &Terms, letters: &[Option<Letter>], product: &[Id]) -> Vec<(ThreadId, LocId)> {
    let mut begins: Vec<(ThreadId, LocId)> = Vec::new();
    for &factor in product {
        let Node::Atom(s, _) = terms.node(factor) else {
            if terms.is_test(factor) {
                continue;
            }
            break;
        };
        if let Some(Letter::Steps(t, l) | Letter::Enabled(t, l)) = meaning(letters, *s)
            && begins.iter().all(|(known, _)| known != t)
        {
            begins.push((*t, *l));
        }
    }
    begins
}

fn steps(terms: &Terms, letters: &[Option<Letter>], t: Id) -> Option<(ThreadId, LocId)> {
    match terms.node(t) {
        Node::Atom(s, _) => match meaning(letters, *s) {
            Some(Letter::Steps(t, l)) => Some((*t, *l)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether something may follow a T, or an endless run, in a term.
fn has_inner_top(terms: &Terms, t: Id) -> bool {
    let has_top = |t: Id| terms.any(t, &mut |n| matches!(n, Node::Top | Node::Omega(_)));
    match terms.node(t) {
        Node::Sum(all) => all.iter().any(|x| has_inner_top(terms, *x)),
        Node::Product(all) => match all.split_last() {
            Some((last, others)) => {
                others.iter().any(|x| has_top(*x)) || has_inner_top(terms, *last)
            }
            None => false,
        },
        Node::Top | Node::Atom(..) | Node::Zero | Node::One | Node::Not(_) => false,
        _ => has_top(t),
    }
}

/// The products that a term is a sum of.
fn split(terms: &Terms, t: Id, before: &mut Vec<Id>, into: &mut Vec<Vec<Id>>) -> Result<(), Open> {
    let mut all: Vec<Vec<Id>> = vec![std::mem::take(before)];
    let factors = match terms.node(t) {
        Node::Product(of) => of.clone(),
        _ => vec![t],
    };
    for f in factors {
        let choices = match terms.node(f) {
            // A test may stay a sum: it is looked up, not gone through.
            Node::Sum(of) if !terms.is_test(f) => of.clone(),
            _ => vec![f],
        };
        let mut next = Vec::new();
        for monomial in &all {
            for &c in &choices {
                let mut longer = monomial.clone();
                match terms.node(c) {
                    Node::Product(of) => longer.extend(of),
                    _ => longer.push(c),
                }
                next.push(longer);
            }
        }
        all = next;
        if all.len() > MOST_MONOMIALS {
            return Err(Open::NotEnumerable);
        }
    }
    into.extend(all);
    Ok(())
}

/// Terms evaluated on single states by the interpreter.
struct Eval<'e> {
    program: &'e Program,
    checks: bool,
    terms: &'e Terms,
    letters: &'e [Option<Letter>],
}

impl Eval<'_> {
    fn included(&self, left: &[Id], right: Id, from: Marked) -> Result<bool, Open> {
        let start = || Reach {
            states: FxHashSet::from_iter([from.clone()]),
            any: false,
        };
        let mut reached = start();
        for &factor in left {
            reached = self.after(factor, reached)?;
            if reached.states.is_empty() && !reached.any {
                return Ok(true);
            }
        }
        let allowed = self.after(right, start())?;
        Ok(allowed.any || !reached.any && reached.states.is_subset(&allowed.states))
    }

    fn after(&self, t: Id, from: Reach) -> Result<Reach, Open> {
        // What follows T is not gone through.
        if from.any && t != ONE && t != TOP {
            return Err(Open::NotEnumerable);
        }
        if self.terms.is_test(t) {
            let mut states = FxHashSet::default();
            for s in from.states {
                if self.test(t, &s)? {
                    states.insert(s);
                }
            }
            return Ok(Reach {
                states,
                any: from.any,
            });
        }
        match self.terms.node(t) {
            Node::Top => Ok(Reach {
                any: from.any || !from.states.is_empty(),
                states: FxHashSet::default(),
            }),
            Node::Atom(s, _) => match meaning(self.letters, *s) {
                Some(Letter::Steps(t, l)) => Ok(self.steps(*t, *l, &from)),
                _ => Err(Open::NotEnumerable),
            },
            Node::Sum(all) => {
                let mut sum = Reach::default();
                for &x in all {
                    let states = from.states.clone();
                    let one = self.after(
                        x,
                        Reach {
                            states,
                            any: from.any,
                        },
                    )?;
                    sum.states.extend(one.states);
                    sum.any |= one.any;
                }
                Ok(sum)
            }
            Node::Product(all) => all.iter().try_fold(from, |from, &x| self.after(x, from)),
            _ => Err(Open::NotEnumerable),
        }
    }

    fn steps(&self, thread: ThreadId, location: LocId, from: &Reach) -> Reach {
        let mut next = Reach::default();
        for s in &from.states {
            if s.state.location(thread) == location {
                each_step(self.program, self.checks, thread, s, &mut |s| {
                    next.states.insert(s);
                });
            }
        }
        next
    }

    fn test(&self, t: Id, s: &Marked) -> Result<bool, Open> {
        Ok(match self.terms.node(t) {
            Node::Zero => false,
            Node::One => true,
            Node::Not(x) => !self.test(*x, s)?,
            Node::Sum(all) => {
                for &x in all {
                    if self.test(x, s)? {
                        return Ok(true);
                    }
                }
                false
            }
            Node::Product(all) => {
                for &x in all {
                    if !self.test(x, s)? {
                        return Ok(false);
                    }
                }
                true
            }
            Node::Atom(a, _) => match meaning(self.letters, *a) {
                Some(Letter::Violated) => s.violated,
                Some(Letter::Enabled(t, l)) => {
                    s.state.location(*t) == *l && is_enabled(self.program, *t, &s.state)
                }
                Some(Letter::Holds(e)) => holds(self.program, e, &s.state),
                Some(Letter::At(t, all)) => all.contains(&s.state.location(*t)),
                Some(Letter::Initial) => is_first(self.program, s),
                _ => return Err(Open::NotEnumerable),
            },
            _ => return Err(Open::NotEnumerable),
        })
    }
}

/// Whether a state is initial, and nothing is violated in it.
fn is_first(program: &Program, s: &Marked) -> bool {
    !s.violated && is_initial(program, &s.state) && !initially_violated(program, &s.state)
}

/// Whether a thread has a step.
pub fn is_enabled(program: &Program, thread: ThreadId, state: &State) -> bool {
    each_successor(
        program,
        state,
        thread,
        None,
        &mut |_| ControlFlow::Break(()),
    )
    .is_break()
}
