//! What a step depends on, read off the text of its action. Facts are enumerated over these parts of the state.
//!
//! A step of the interpreter looks at the cells that its action mentions, at the locations that it asks for, and, for
//! q, at the predicates of the protected cells that it may access or whose predicates it may change. All else may have
//! any value.

use super::space::Part;
use crate::model::program::{Expr, How, LocId, Program, Protection, ThreadId, each_use};
use std::collections::BTreeSet;

/// Parts of the state, q left aside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// What a step looks at or changes: cells and locations as [`key`] numbers them.
    pub parts: BTreeSet<usize>,
    /// What it may change.
    pub writes: BTreeSet<usize>,
}

/// A part as a number: cells first, then locations.
pub fn key(program: &Program, part: Part) -> usize {
    match part {
        Part::Cell(c) => c,
        Part::Location(t) => program.cells.len() + t,
        Part::Violated => program.cells.len() + program.threads.len(),
    }
}

/// The part of a number.
pub fn part(program: &Program, key: usize) -> Part {
    let cells = program.cells.len();
    match key.checked_sub(cells) {
        None => Part::Cell(key),
        Some(t) if t < program.threads.len() => Part::Location(t),
        Some(_) => Part::Violated,
    }
}

impl Footprint {
    /// Whether neither changes what the other reads or changes. Then steps of the two commute, as what each reads
    /// decides whether it sets q.
    pub fn is_apart(&self, other: &Footprint) -> bool {
        self.writes.is_disjoint(&other.parts) && other.writes.is_disjoint(&self.parts)
    }
}

/// What a state expression depends on.
pub fn support(program: &Program, e: &Expr, into: &mut BTreeSet<usize>) {
    e.walk(&mut |e| match e {
        Expr::Cell(c) => drop(into.insert(*c)),
        Expr::Element(a, _) | Expr::Via(_, Some(a)) => into.extend(program.cells_of(*a)),
        Expr::At(t, _) => drop(into.insert(program.cells.len() + t)),
        _ => {}
    });
}

/// The footprints of a program's actions.
pub struct Footprints<'p> {
    program: &'p Program,
    predicates: Vec<Predicates>,
}

/// What the predicates of one protected cell look at.
struct Predicates {
    parts: BTreeSet<usize>,
    /// The locations that they tell apart.
    asked: Vec<(ThreadId, Vec<LocId>)>,
}

impl<'p> Footprints<'p> {
    /// Prepares them.
    pub fn new(program: &'p Program) -> Self {
        let of = |x: &Protection| {
            let (mut parts, mut asked) = (BTreeSet::new(), Vec::new());
            for e in x.predicates.iter().chain(x.readers.iter().flatten()) {
                support(program, e, &mut parts);
                e.walk(&mut |e| {
                    if let Expr::At(t, there) = e {
                        asked.push((*t, there.clone()));
                    }
                });
            }
            asked.sort_unstable();
            asked.dedup();
            Predicates { parts, asked }
        };
        Footprints {
            program,
            predicates: program.protections.iter().map(of).collect(),
        }
    }

    /// The footprint of the steps of a thread from a location.
    pub fn of(&self, thread: ThreadId, location: LocId) -> Footprint {
        let program = self.program;
        let own = program.cells.len() + thread;
        let mut f = Footprint::default();
        f.parts.insert(own);
        f.writes.insert(own);
        let mut accessed = BTreeSet::new();
        for edge in &program.threads[thread].locations[location].edges {
            each_use(program, edge, &mut |used| {
                f.parts.extend(used.cells.clone());
                if used.how != How::Check {
                    accessed.extend(used.cells.clone());
                }
                if used.how == How::Write {
                    f.writes.extend(used.cells.clone());
                }
            });
            // `each_use` knows cells only; a guard may ask for locations, too.
            let mut asked = |e: &Expr| support(program, e, &mut f.parts);
            edge.each_expression(&mut asked);
        }
        let targets = targets(program, thread, location);
        for (x, predicates) in program.protections.iter().zip(&self.predicates) {
            // The thread's own location changes a predicate only if the predicate tells the two locations apart.
            let moves = |(t, there): &(ThreadId, Vec<LocId>)| {
                let here = there.contains(&location);
                *t == thread && targets.iter().any(|l| there.contains(l) != here)
            };
            let mut written = f.writes.iter().filter(|w| **w != own);
            if accessed.contains(&x.cell)
                || written.any(|w| predicates.parts.contains(w))
                || predicates.asked.iter().any(moves)
            {
                f.parts.extend(&predicates.parts);
            }
        }
        f
    }
}

/// Where the steps of a thread from a location may lead.
pub fn targets(program: &Program, thread: ThreadId, location: LocId) -> Vec<LocId> {
    let thread = &program.threads[thread];
    let mut all = thread.locations[location].targets();
    all.extend(thread.wrong);
    all
}
