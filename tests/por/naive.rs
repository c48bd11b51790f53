//! A twin of partial-order reduction: all interleavings by the interpreter, and the classes that they fall into.
//!
//! What a step accesses is found out anew here, by an evaluation of guards that notes what it reads.

use coarsen::engine::{State, each_successor, initial_candidates, is_deadlock, is_initial};
use coarsen::model::program::{Class, Expr, LocId, Program, ThreadId, apply};
use coarsen::model::text::ast::BinaryOp;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;

/// A cell, or whether a thread is at one of some locations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Thing {
    Cell(usize),
    Place(ThreadId, Vec<LocId>),
}

/// What a step reads, and what it writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    pub reads: BTreeSet<Thing>,
    pub writes: BTreeSet<Thing>,
}

impl Accesses {
    pub fn conflicts(&self, other: &Accesses) -> bool {
        let meet = |a: &BTreeSet<Thing>, b: &BTreeSet<Thing>| !a.is_disjoint(b);
        meet(&self.writes, &other.reads)
            || meet(&self.reads, &other.writes)
            || meet(&self.writes, &other.writes)
    }
}

/// The value of an expression, and what its evaluation reads.
pub fn value(p: &Program, e: &Expr, s: &State, reads: &mut BTreeSet<Thing>) -> Option<i64> {
    match e {
        Expr::Const(c) => Some(*c),
        Expr::Cell(c) => {
            reads.insert(Thing::Cell(*c));
            Some(s.cell(*c))
        }
        Expr::Element(a, index) => {
            let index: Option<Vec<i64>> = index.iter().map(|i| value(p, i, s, reads)).collect();
            let cell = p.element(*a, &index?)?;
            reads.insert(Thing::Cell(cell));
            Some(s.cell(cell))
        }
        Expr::Via(e, allocated) => {
            let slot = value(p, e, s, reads)?;
            if slot < 0 {
                return None;
            }
            let Some(a) = allocated else {
                return Some(slot);
            };
            let flag = p.arrays[*a].first + slot as usize;
            reads.insert(Thing::Cell(flag));
            (s.cell(flag) != 0).then_some(slot)
        }
        Expr::Slot(e, pool) => {
            let slot = value(p, e, s, reads)?;
            (0..p.pools[*pool].len as i64)
                .contains(&slot)
                .then_some(slot)
        }
        Expr::At(t, locations) => {
            reads.insert(Thing::Place(*t, locations.clone()));
            Some(i64::from(locations.contains(&s.location(*t))))
        }
        Expr::Not(e) => Some(1 - value(p, e, s, reads)?),
        Expr::Neg(e) => Some(-value(p, e, s, reads)?),
        Expr::Binary(op, a, b) => {
            let a = value(p, a, s, reads)?;
            match (op, a != 0) {
                (BinaryOp::And, false) => return Some(0),
                (BinaryOp::Or, true) | (BinaryOp::Implies, false) => return Some(1),
                _ => {}
            }
            let b = value(p, b, s, reads)?;
            apply(*op, a, b)
        }
        Expr::Cond(c, a, b) => match value(p, c, s, reads)? {
            0 => value(p, b, s, reads),
            _ => value(p, a, s, reads),
        },
    }
}

/// The states behind a thread's pending step, and what it accesses.
pub fn pending(p: &Program, s: &State, t: ThreadId) -> (Vec<State>, Accesses) {
    let mut accesses = Accesses::default();
    for edge in &p.threads[t].locations[s.location(t)].edges {
        if let Some(guard) = &edge.guard {
            value(p, guard, s, &mut accesses.reads);
        }
    }
    let mut after: Vec<State> = Vec::new();
    let _: ControlFlow<()> = each_successor(p, s, t, None, &mut |step| {
        accesses
            .reads
            .extend(step.accesses.into_iter().map(Thing::Cell));
        accesses
            .writes
            .extend(step.writes.into_iter().map(Thing::Cell));
        if !after.contains(&step.state) {
            after.push(step.state);
        }
        ControlFlow::Continue(())
    });
    (after, accesses)
}

/// The outcomes of a thread's pending step, each with what it accesses by itself.
pub fn outcomes(p: &Program, places: &[Thing], s: &State, t: ThreadId) -> Vec<(State, Accesses)> {
    let mut all: Vec<(State, Accesses)> = Vec::new();
    let _: ControlFlow<()> = each_successor(p, s, t, None, &mut |step| {
        let mut own = Accesses::default();
        let edge = &p.threads[t].locations[s.location(t)].edges[step.edge];
        if let Some(guard) = &edge.guard {
            value(p, guard, s, &mut own.reads);
        }
        own.reads.extend(step.accesses.into_iter().map(Thing::Cell));
        own.writes.extend(step.writes.into_iter().map(Thing::Cell));
        moves(places, t, s, std::slice::from_ref(&step.state), &mut own);
        let own = (step.state, own);
        if !all.contains(&own) {
            all.push(own);
        }
        ControlFlow::Continue(())
    });
    all
}

/// Adds that a step moves its thread to or from places that guards ask about. (Effects of the tests' programs ask about
/// none.)
pub fn moves(
    places: &[Thing],
    t: ThreadId,
    from: &State,
    after: &[State],
    accesses: &mut Accesses,
) {
    for place in places {
        let Thing::Place(u, locations) = place else {
            continue;
        };
        let at = |s: &State| locations.contains(&s.location(t));
        if *u == t && after.iter().any(|s| at(s) != at(from)) {
            accesses.writes.insert(place.clone());
        }
    }
}

/// The initial states.
pub fn initial(p: &Program) -> Vec<State> {
    initial_candidates(p).filter(|s| is_initial(p, s)).collect()
}

/// All reachable states, violations of the discipline left aside; none if there are more than so many.
pub fn reachable(p: &Program, most: usize) -> Option<Vec<State>> {
    let mut all = initial(p);
    let mut seen: HashSet<State> = all.iter().cloned().collect();
    let mut n = 0;
    while let Some(s) = all.get(n).cloned() {
        n += 1;
        for t in 0..p.threads.len() {
            for next in pending(p, &s, t).0 {
                if seen.insert(next.clone()) {
                    all.push(next);
                }
            }
        }
        if all.len() > most {
            return None;
        }
    }
    Some(all)
}

pub fn deadlocks(p: &Program, states: &[State]) -> usize {
    states.iter().filter(|s| is_deadlock(p, s)).count()
}

/// What a thread knows of a state: where it is, and its own cells.
pub fn local(p: &Program, s: &State, t: ThreadId) -> (LocId, Vec<(usize, i64)>) {
    let own = (0..p.cells.len()).filter(|&c| p.cells[c].class == Class::Local(t));
    (s.location(t), own.map(|c| (c, s.cell(c))).collect())
}

/// The places that guards ask about.
pub fn places(p: &Program) -> Vec<Thing> {
    let mut places: Vec<Thing> = Vec::new();
    for edge in p
        .threads
        .iter()
        .flat_map(|t| &t.locations)
        .flat_map(|l| &l.edges)
    {
        if let Some(guard) = &edge.guard {
            guard.walk(&mut |e| {
                if let Expr::At(t, l) = e {
                    places.push(Thing::Place(*t, l.clone()));
                }
            });
        }
    }
    places
}

/// The classes of complete executions, by brute force: none if an execution does not end or there are more than so
/// many.
///
/// An event is known by its thread, its number there, where it led, and what it wrote; a class by what happens before
/// what.
pub fn classes(p: &Program, most: usize) -> Option<usize> {
    let places = places(p);
    let mut all = HashSet::new();
    let mut left = most;
    for s in initial(p) {
        let known = HashMap::from([(s.clone(), 0)]);
        run(p, &places, &s, &mut Vec::new(), known, &mut all, &mut left)?;
    }
    Some(all.len())
}

/// An event of an execution.
#[derive(Clone)]
struct Event {
    thread: ThreadId,
    label: String,
    accesses: Accesses,
    before: BTreeSet<usize>,
}

type Class_ = BTreeSet<(String, BTreeSet<String>)>;

fn run(
    p: &Program,
    places: &[Thing],
    s: &State,
    events: &mut Vec<Event>,
    known: HashMap<State, usize>,
    all: &mut HashSet<(String, Class_)>,
    left: &mut usize,
) -> Option<()> {
    *left = left.checked_sub(1)?;
    let mut ended = true;
    for t in 0..p.threads.len() {
        for (next, accesses) in outcomes(p, places, s, t) {
            ended = false;
            if known.contains_key(&next) {
                return None;
            }
            let number = events.iter().filter(|e| e.thread == t).count();
            let written: Vec<String> = (accesses.writes.iter())
                .filter_map(|w| match w {
                    Thing::Cell(c) => Some(format!("{c}={}", next.cell(*c))),
                    Thing::Place(..) => None,
                })
                .collect();
            let mut before: BTreeSet<usize> = BTreeSet::new();
            for (n, e) in events.iter().enumerate() {
                if e.thread == t || e.accesses.conflicts(&accesses) {
                    before.extend(&e.before);
                    before.insert(n);
                }
            }
            events.push(Event {
                thread: t,
                label: format!("{t}.{number}>{} {}", next.location(t), written.join(" ")),
                accesses: accesses.clone(),
                before,
            });
            let mut known = known.clone();
            known.insert(next.clone(), events.len());
            run(p, places, &next, events, known, all, left)?;
            events.pop();
        }
    }
    if ended {
        let label = |n: &usize| events[*n].label.clone();
        let class = events
            .iter()
            .map(|e| (e.label.clone(), e.before.iter().map(label).collect()))
            .collect();
        // Different initial states are different executions.
        let first: Vec<String> = (known.iter().filter(|(_, n)| **n == 0))
            .map(|(s, _)| format!("{s:?}"))
            .collect();
        all.insert((first.join(""), class));
    }
    Some(())
}
