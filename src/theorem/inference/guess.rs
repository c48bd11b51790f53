//! Guesses at the discipline of one cell, and the order in which they are tried.
//!
//! From the tightest to the loosest (Stoller & Cohen 2003, sections 8 and 9): one mutex; several mutexes, or a
//! read-write lock; a mutex after an initialisation phase, formulas (29) and (30); a hand-over between regions of code,
//! with or without a mutex beside it; unprotected. A guess that was refuted is not made again.

use super::locksets::{Locks, Observed, Seen};
use super::regions::{Flow, Region, leading_to};
use super::sites::{Site, Sites};
use crate::base::diagnostic::Span;
use crate::base::results::{self, Discipline, Locations};
use crate::model::program::{CellId, Expr, LocId, Named, Program, Protection, ThreadId};
use crate::model::text::ast::BinaryOp;
use std::collections::BTreeSet;

/// How a cell may be protected.
#[derive(Clone, Debug, PartialEq)]
pub enum Guess {
    /// By this mutex.
    Lock(CellId),
    /// By several mutexes: writing needs all of them, reading one.
    Several(Vec<CellId>),
    /// By a read-write lock: the writer's cell, and the first of the reading flags.
    ReadWrite(CellId, CellId),
    /// By a mutex, but by a thread alone while it is at one of these locations.
    Initialised {
        /// The mutex.
        lock: CellId,
        /// Who initialises.
        thread: ThreadId,
        /// Where, sorted.
        locations: Vec<LocId>,
    },
    /// By whoever is in its regions, or owns the mutex.
    HandedOver {
        /// The mutex, if some accesses are made under one.
        lock: Option<CellId>,
        /// Each thread's regions.
        regions: Vec<Vec<Region>>,
    },
    /// Not at all: its accesses are visible.
    Unprotected,
}

/// All that guesses are made from.
pub struct Knowledge<'k> {
    /// The program, private cells known.
    pub program: &'k Program,
    /// Where cells are mentioned.
    pub sites: &'k Sites,
    /// What has been seen of accesses.
    pub observed: &'k Observed,
    /// The program's locks.
    pub locks: &'k Locks,
    /// Which steps are visible whatever is guessed for the cell at hand.
    pub flow: Flow<'k>,
}

impl Knowledge<'_> {
    /// The best guess at a cell that has not been tried.
    pub fn guess(&self, cell: CellId, tried: &[Guess]) -> Guess {
        let fresh = |g: &Guess| !tried.contains(g);
        let one = self.locks_of(cell).into_iter().map(Guess::Lock);
        one.chain(self.shared(cell))
            .chain(self.initialised(cell))
            .chain(std::iter::once_with(|| self.handed_over(cell)).flatten())
            .find(fresh)
            .unwrap_or(Guess::Unprotected)
    }

    /// The accesses seen, with their sites.
    fn seen(&self, cell: CellId) -> Vec<(&Site, &Seen)> {
        let with = |s: &'_ Site| self.observed.seen.get(&(cell, s.thread, s.location));
        let mut all: Vec<(&Site, &Seen)> = self
            .sites
            .of(cell)
            .filter_map(|s| Some((s, with(s)?)))
            .collect();
        all.dedup_by_key(|(s, _)| (s.thread, s.location));
        all
    }

    /// The mutexes owned at every access seen; those that protect most of the variable's cells first.
    pub fn locks_of(&self, cell: CellId) -> Vec<CellId> {
        let always = |cell: CellId| -> BTreeSet<CellId> {
            let mut locks: BTreeSet<CellId> = self.locks.owners.iter().copied().collect();
            for (_, seen) in self.seen(cell) {
                locks.retain(|l| seen.owned.contains(l));
            }
            locks
        };
        let mine = always(cell);
        if mine.len() < 2 {
            return mine.into_iter().collect();
        }
        let array = self.program.cells[cell].array;
        let siblings: Vec<(CellId, BTreeSet<CellId>)> = self
            .program
            .cells_of(array)
            .take(64)
            .map(|c| (c, always(c)))
            .collect();
        // Each cell by the lock of its own index says as much about the others as one lock for all.
        let index = |c: CellId| self.program.indices(c);
        let own = |l: CellId| index(l) == index(cell);
        let votes = |l: CellId| {
            let counterpart = |s: CellId, held: &BTreeSet<CellId>| {
                let like = |k: &CellId| {
                    self.program.cells[*k].array == self.program.cells[l].array
                        && index(*k) == index(s)
                };
                own(l) && held.iter().any(like)
            };
            let for_it = |(s, held): &&(CellId, BTreeSet<CellId>)| {
                held.contains(&l) || counterpart(*s, held)
            };
            siblings.iter().filter(for_it).count()
        };
        let mut ranked: Vec<CellId> = mine.into_iter().collect();
        ranked.sort_by_key(|&l| (std::cmp::Reverse(votes(l)), !own(l), l));
        ranked
    }

    fn shared(&self, cell: CellId) -> Vec<Guess> {
        let seen = self.seen(cell);
        let mut guesses = Vec::new();
        if seen.iter().all(|(_, s)| !s.written) {
            return guesses;
        }
        for (n, &(writer, reading)) in self.locks.shared.iter().enumerate() {
            let fits = |s: &Seen| match s.written {
                true => s.owned.contains(&writer),
                false => s.readable.contains(&n),
            };
            if seen.iter().all(|(_, s)| fits(s)) {
                guesses.push(Guess::ReadWrite(writer, reading));
            }
        }
        let mut set: BTreeSet<CellId> = self.locks.owners.iter().copied().collect();
        for (_, s) in seen.iter().filter(|(_, s)| s.written) {
            set.retain(|l| s.owned.contains(l));
        }
        let read: Vec<&BTreeSet<CellId>> = seen
            .iter()
            .filter(|(_, s)| !s.written)
            .map(|(_, s)| &s.owned)
            .collect();
        // A mutex that no reader makes use of need not be asked of the writers.
        set.retain(|l| read.iter().any(|owned| owned.contains(l)));
        if set.len() > 1 && read.iter().all(|owned| !owned.is_disjoint(&set)) {
            guesses.push(Guess::Several(set.into_iter().collect()));
        }
        guesses
    }

    /// The mutexes owned at some access seen, those at most accesses first.
    fn partial(&self, cell: CellId) -> Vec<CellId> {
        let seen = self.seen(cell);
        let covered = |l: &CellId| seen.iter().filter(|(_, s)| s.owned.contains(l)).count();
        let mut locks: Vec<CellId> = self.locks.owners.clone();
        locks.retain(|l| covered(l) > 0);
        locks.sort_by_key(|l| (std::cmp::Reverse(covered(l)), *l));
        locks
    }

    /// The sites of accesses that have been seen without the mutex.
    fn uncovered(&self, cell: CellId, lock: CellId) -> Vec<&Site> {
        let seen = self.seen(cell).into_iter();
        seen.filter(|(_, s)| !s.owned.contains(&lock))
            .map(|(site, _)| site)
            .collect()
    }

    fn initialised(&self, cell: CellId) -> Vec<Guess> {
        let mut guesses = Vec::new();
        for lock in self.partial(cell) {
            let open = self.uncovered(cell, lock);
            let Some(thread) = open.first().map(|s| s.thread) else {
                continue;
            };
            if open.iter().any(|s| s.thread != thread) {
                continue;
            }
            let at: BTreeSet<LocId> = open.iter().map(|s| s.location).collect();
            let locations = leading_to(self.program, thread, &at);
            let t = &self.program.threads[thread];
            if locations.contains(&t.initial) && t.steps().any(|l| !locations.contains(&l)) {
                guesses.push(Guess::Initialised {
                    lock,
                    thread,
                    locations,
                });
            }
        }
        guesses
    }

    fn handed_over(&self, cell: CellId) -> Vec<Guess> {
        let mut guesses = Vec::new();
        let locks = self.partial(cell).into_iter().map(Some);
        for lock in locks.take(2).chain([None]) {
            for ends in [true, false] {
                let sites: Vec<&Site> = match lock {
                    Some(lock) => self.uncovered(cell, lock),
                    None => self.sites.of(cell).collect(),
                };
                let regions = (0..self.program.threads.len())
                    .map(|t| {
                        let own: Vec<&Site> =
                            sites.iter().copied().filter(|s| s.thread == t).collect();
                        self.flow.regions(t, &own, ends)
                    })
                    .collect();
                guesses.push(Guess::HandedOver { lock, regions });
            }
        }
        guesses
    }
}

impl Guess {
    /// The predicates of a cell under this guess; `None` if it is unprotected.
    pub fn protection(&self, program: &Program, cell: CellId) -> Option<Protection> {
        let threads = 0..program.threads.len();
        let owns = |lock: CellId, t: ThreadId| {
            binary(BinaryOp::Eq, Expr::Cell(lock), Expr::Const(t as i64))
        };
        let mut readers = None;
        let predicates: Vec<Expr> = match self {
            Guess::Unprotected => return None,
            Guess::Lock(lock) => threads.map(|t| owns(*lock, t)).collect(),
            Guess::Several(locks) => {
                let of = |op| {
                    let all = |t| joined(op, locks.iter().map(|l| owns(*l, t)).collect());
                    threads.clone().map(all).collect::<Vec<Expr>>()
                };
                readers = Some(of(BinaryOp::Or));
                of(BinaryOp::And)
            }
            Guess::ReadWrite(writer, reading) => {
                let reads = |t| binary(BinaryOp::Or, owns(*writer, t), Expr::Cell(reading + t));
                readers = Some(threads.clone().map(reads).collect());
                threads.map(|t| owns(*writer, t)).collect()
            }
            Guess::Initialised {
                lock,
                thread,
                locations,
            } => {
                let begins = Expr::At(*thread, locations.clone());
                let of = |t: ThreadId| {
                    if t == *thread {
                        return binary(BinaryOp::Or, begins.clone(), owns(*lock, t));
                    }
                    let not = Expr::Not(Box::new(begins.clone()));
                    binary(BinaryOp::And, not, owns(*lock, t))
                };
                threads.map(of).collect()
            }
            Guess::HandedOver { lock, regions } => {
                let of = |t: ThreadId| {
                    let places = regions[t].iter().map(|r| r.predicate(program, t, cell));
                    let owned = lock.map(|l| owns(l, t));
                    joined(BinaryOp::Or, owned.into_iter().chain(places).collect())
                };
                threads.map(of).collect()
            }
        };
        Some(Protection {
            cell,
            predicates,
            readers,
            regional: matches!(self, Guess::HandedOver { .. }),
            span: Span::default(),
        })
    }

    /// The same with names for people.
    pub fn discipline(&self, program: &Program) -> Discipline {
        let lock = |c: &CellId| lock_name(program, *c);
        match self {
            Guess::Lock(m) => Discipline::Mutexes(vec![lock(m)]),
            Guess::Several(all) => Discipline::Several(all.iter().map(lock).collect()),
            Guess::ReadWrite(writer, _) => Discipline::ReadWrite(lock(writer)),
            Guess::Initialised {
                lock: m,
                thread,
                locations: at,
            } => Discipline::Initialised {
                lock: lock(m),
                thread: program.threads[*thread].name.clone(),
                at: locations(program, *thread, &at.iter().copied().collect()),
            },
            Guess::HandedOver { lock: m, regions } => Discipline::HandedOver {
                lock: m.as_ref().map(lock),
                regions: told(program, regions),
            },
            Guess::Unprotected => Discipline::Unprotected,
        }
    }
}

/// Each thread's regions; threads of one family mostly have the same.
fn told(program: &Program, regions: &[Vec<Region>]) -> Vec<results::Region> {
    let mut all: Vec<results::Region> = Vec::new();
    for (t, regions) in regions.iter().enumerate().filter(|(_, r)| !r.is_empty()) {
        let inside = regions.iter().flat_map(|r| r.locations.clone()).collect();
        let at = locations(program, t, &inside);
        let by_index = regions.iter().any(|r| !r.index.is_empty());
        let name = program.threads[t].name.clone();
        let same = |r: &&mut results::Region| r.at == at && r.by_index == by_index;
        match all.iter_mut().find(same) {
            Some(known) => known.threads.push(name),
            None => all.push(results::Region {
                threads: vec![name],
                at,
                by_index,
            }),
        }
    }
    all
}

/// A lock as the user writes it, from the cell that holds its owner.
pub fn lock_name(program: &Program, owner: CellId) -> String {
    let name = &program.cells[owner].name;
    let bare = name
        .strip_suffix(".owner")
        .or_else(|| name.strip_suffix(".writer"));
    bare.unwrap_or(name).to_string()
}

/// The labels of a few locations, else lines; where a thread has gone wrong is left out.
fn locations(program: &Program, thread: ThreadId, locations: &BTreeSet<LocId>) -> Locations {
    const LABELS: usize = 4;
    let t = &program.threads[thread];
    let within: Vec<LocId> = locations
        .iter()
        .copied()
        .filter(|l| Some(*l) != t.wrong)
        .collect();
    let unlabelled = [Named::Line, Named::Copy, Named::Part];
    let labelled = |l: &LocId| !unlabelled.contains(&t.locations[*l].named);
    if within.len() <= LABELS && within.iter().all(labelled) {
        let names = within.iter().map(|l| t.locations[*l].name.clone());
        return Locations::Labels(names.collect());
    }
    let steps = within.iter().filter(|l| Some(**l) != t.end);
    let lines: BTreeSet<usize> = steps.map(|l| program.line(t.locations[*l].span)).collect();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some((_, to)) if *to + 1 == line => *to = line,
            _ => ranges.push((line, line)),
        }
    }
    let end = t.end.is_some_and(|end| within.contains(&end));
    Locations::Lines { ranges, end }
}

impl Region {
    fn predicate(&self, program: &Program, thread: ThreadId, cell: CellId) -> Expr {
        let mut all = vec![Expr::At(thread, self.locations.clone())];
        let wanted = program.indices(cell);
        for (e, wanted) in self.index.iter().zip(wanted).rev() {
            // A reference is compared itself: what it points to need not exist.
            let value = match e {
                Expr::Via(reference, _) => (**reference).clone(),
                other => other.clone(),
            };
            all.insert(1, binary(BinaryOp::Eq, value, Expr::Const(wanted as i64)));
        }
        joined(BinaryOp::And, all)
    }
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// Terms under an associative operation, evaluated from the left.
fn joined(op: BinaryOp, terms: Vec<Expr>) -> Expr {
    let none = Expr::Const(i64::from(op == BinaryOp::And));
    terms
        .into_iter()
        .rev()
        .reduce(|rest, first| binary(op, first, rest))
        .unwrap_or(none)
}
