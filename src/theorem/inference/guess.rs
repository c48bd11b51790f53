//! Guesses at the discipline of one cell, and the order in which they are tried.
//!
//! From the tightest to the loosest (Stoller & Cohen 2003, sections 8 and 9): one mutex; several mutexes, or a
//! read-write lock; a mutex after an initialisation phase, formulas (29) and (30); a hand-over between regions of code,
//! with or without a mutex beside it; unprotected. A guess that was refuted is not made again.

use super::locksets::{Flags, Locks, Observed, Seen};
use super::regions::{Extent, Flow, Region, leading_to};
use super::sites::{Site, Sites};
use crate::base::diagnostic::Span;
use crate::base::results::{self, Discipline, Locations};
use crate::engine::{State, has_right, overlap};
use crate::model::program::{CellId, Expr, Kind, LocId, Named, Program, Protection, ThreadId};
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
        /// Each thread's regions in which it only reads, together with others; none where one thread at most has some.
        readers: Vec<Vec<Region>>,
    },
    /// By one thread, or the owner of a mutex, until something holds; from then on it is read by everybody.
    Published {
        /// Who writes.
        writer: Writer,
        /// Until when.
        until: Condition,
    },
    /// By everybody: nobody writes it.
    Constant,
    /// Not at all: its accesses are visible.
    Unprotected,
}

/// Who has a variable before it is published.
#[derive(Clone, Debug, PartialEq)]
pub enum Writer {
    /// One thread.
    Thread(ThreadId),
    /// The owner of a mutex.
    Lock(CellId),
    /// Whoever is in one of its regions: each thread's.
    Regions(Vec<Vec<Region>>),
}

/// What a variable of few values says.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The variable's cell.
    pub flag: CellId,
    /// Values of it.
    pub values: Vec<i64>,
    /// Whether it is one of them, or none of them.
    pub among: bool,
}

/// A reachable state that speaks against guesses at the discipline of a cell.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The state.
    pub state: State,
    /// Who accesses the cell in a step from there, and whether by writing it.
    pub access: Option<(ThreadId, bool)>,
}

impl Counterexample {
    /// Whether two threads have access at once, or the access is made without the right to it.
    fn refutes(&self, program: &Program, protection: &Protection) -> bool {
        let denied =
            |(thread, written)| !has_right(program, protection, thread, written, &self.state);
        self.access.is_some_and(denied) || overlap(program, protection, &self.state)
    }
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
    /// The variables whose values have been noted.
    pub flags: &'k Flags,
    /// Which steps are visible whatever is guessed for the cell at hand.
    pub flow: Flow<'k>,
}

impl Knowledge<'_> {
    /// The best guess at a cell that has not been tried, and that nothing known speaks against.
    pub fn guess(&self, cell: CellId, tried: &[Guess], against: &[Counterexample]) -> Guess {
        if !self.sites.is_written(cell) {
            return Guess::Constant;
        }
        let stands = |g: &Guess| {
            let Some(protection) = g.protection(self.program, cell) else {
                return true;
            };
            let refutes = |c: &Counterexample| c.refutes(self.program, &protection);
            !against.iter().any(refutes)
        };
        let fresh = |g: &Guess| !tried.contains(g) && stands(g);
        let one = self.locks_of(cell).into_iter().map(Guess::Lock);
        one.chain(self.shared(cell))
            .chain(self.initialised(cell))
            .chain(self.published(cell))
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

    /// Written until a variable says that it is not any more; every reader behind that looks at the variable.
    fn published(&self, cell: CellId) -> Vec<Guess> {
        let seen = self.seen(cell);
        let mut guesses = Vec::new();
        // What is made to be a flag goes before what counts.
        let rank = |(_, flag): &(usize, &CellId)| self.program.cells[**flag].ty.size();
        let mut flags: Vec<(usize, &CellId)> = self.flags.0.iter().enumerate().collect();
        flags.sort_by_key(rank);
        for (n, &flag) in flags {
            let all = |written: bool| {
                let some = seen.iter().filter(|(_, s)| s.written == written);
                some.fold(0, |all, (_, s)| all | s.flags[n])
            };
            let writing = all(true);
            let after = all(false) & !writing;
            let (later, before): (Vec<_>, Vec<_>) = seen
                .iter()
                .copied()
                .partition(|(_, s)| s.flags[n] & !after == 0);
            let looks = |t: ThreadId| self.sites.of(flag).any(|s| s.thread == t && !s.writes);
            let readers: BTreeSet<ThreadId> = later.iter().map(|(s, _)| s.thread).collect();
            if before.is_empty() {
                continue;
            }
            let writer = self.writer(&before);
            let others = |t: &&ThreadId| writer != Writer::Thread(**t);
            // Other cells of the variable say something by accident.
            let other = self.program.cells[flag].array != self.program.cells[cell].array;
            if !other || readers.len() < 2 || !readers.iter().filter(others).all(|t| looks(*t)) {
                continue;
            }
            if let Some(until) = Condition::of(self.program, flag, after, writing) {
                guesses.push(Guess::Published { writer, until });
            }
        }
        guesses.truncate(PUBLISHED);
        guesses
    }

    /// The one thread that makes these accesses, a mutex owned at all of them, or whoever is in a region around one.
    fn writer(&self, accesses: &[(&Site, &Seen)]) -> Writer {
        let mut threads: Vec<ThreadId> = accesses.iter().map(|(s, _)| s.thread).collect();
        threads.dedup();
        if let [thread] = threads[..] {
            return Writer::Thread(thread);
        }
        let always = |l: &&CellId| accesses.iter().all(|(_, s)| s.owned.contains(l));
        if let Some(lock) = self.locks.owners.iter().find(always) {
            return Writer::Lock(*lock);
        }
        let sites: Vec<&Site> = accesses.iter().map(|(s, _)| *s).collect();
        let extent = Extent {
            ends: false,
            by_index: true,
            back: false,
        };
        Writer::Regions(self.regions(&sites, &|_| true, extent))
    }

    fn handed_over(&self, cell: CellId) -> Vec<Guess> {
        let (mut exclusive, mut shared) = (Vec::new(), Vec::new());
        let locks = self.partial(cell).into_iter().map(Some);
        for lock in locks.take(2).chain([None]) {
            let sites: Vec<&Site> = match lock {
                Some(lock) => self.uncovered(cell, lock),
                None => self.sites.of(cell).collect(),
            };
            for ends in [true, false] {
                exclusive.push(self.exclusive(lock, &sites, ends));
            }
            // Without an index, no step that changes one has to be visible.
            for (by_index, ends) in [(false, true), (false, false), (true, true), (true, false)] {
                let extent = Extent {
                    ends,
                    by_index,
                    back: true,
                };
                shared.extend(self.read_shared(lock, &sites, extent));
            }
        }
        exclusive.extend(shared);
        exclusive
    }

    /// Handed over between the regions around these sites.
    fn exclusive(&self, lock: Option<CellId>, sites: &[&Site], ends: bool) -> Guess {
        let extent = Extent {
            ends,
            by_index: true,
            back: true,
        };
        let regions = self.regions(sites, &|_| true, extent);
        let readers = vec![Vec::new(); regions.len()];
        Guess::HandedOver {
            lock,
            regions,
            readers,
        }
    }

    /// The same where regions that only read are shared; `None` if that is one thread at most.
    fn read_shared(&self, lock: Option<CellId>, sites: &[&Site], extent: Extent) -> Option<Guess> {
        let own = Extent {
            by_index: true,
            ..extent
        };
        let regions = self.regions(sites, &|s| s.writes, own);
        let inside = |s: &Site| {
            let mut regions = regions[s.thread].iter();
            regions.any(|r| r.locations.contains(&s.location))
        };
        let readers = self.regions(sites, &|s| !s.writes && !inside(s), extent);
        (readers.iter().filter(|r| !r.is_empty()).count() > 1).then_some(Guess::HandedOver {
            lock,
            regions,
            readers,
        })
    }

    /// Each thread's regions around those of these sites that are wanted.
    fn regions(
        &self,
        sites: &[&Site],
        wanted: &dyn Fn(&Site) -> bool,
        extent: Extent,
    ) -> Vec<Vec<Region>> {
        let of = |t: ThreadId| {
            let own = sites.iter().copied();
            let own: Vec<&Site> = own.filter(|s| s.thread == t && wanted(s)).collect();
            self.flow.regions(t, &own, extent)
        };
        (0..self.program.threads.len()).map(of).collect()
    }
}

/// Guesses at what publishes one cell.
const PUBLISHED: usize = 3;

/// Values that are told one by one.
const VALUES: usize = 4;

impl Condition {
    /// That a cell has one of the first values, or none of the others; they are sets of bits as in [`Flags`].
    fn of(program: &Program, flag: CellId, values: u64, others: u64) -> Option<Self> {
        let lowest = program.cells[flag].ty.lo;
        let list = |set: u64| -> Vec<i64> {
            let bits = (0..i64::from(u64::BITS)).filter(|n| set >> n & 1 == 1);
            bits.map(|n| lowest + n).collect()
        };
        let (values, others) = (list(values), list(others));
        if values.is_empty() || values.len().min(others.len()) > VALUES {
            return None;
        }
        let among = values.len() <= others.len();
        Some(Condition {
            flag,
            values: if among { values } else { others },
            among,
        })
    }

    fn expr(&self) -> Expr {
        let equal = |v: &i64| binary(BinaryOp::Eq, Expr::Cell(self.flag), Expr::Const(*v));
        let one = joined(BinaryOp::Or, self.values.iter().map(equal).collect());
        match self.among {
            true => one,
            false => Expr::Not(Box::new(one)),
        }
    }

    /// As the user writes it: `ready`, `!busy`, `head != null`.
    pub fn text(&self, program: &Program) -> String {
        let name = &program.cells[self.flag].name;
        let is_bool = program.cells[self.flag].ty.kind == Kind::Bool;
        let (sign, operator) = if self.among {
            ("==", " || ")
        } else {
            ("!=", " && ")
        };
        let one = |v: &i64| match (is_bool, (*v != 0) == self.among) {
            (true, true) => name.clone(),
            (true, false) => format!("!{name}"),
            _ => format!("{name} {sign} {}", program.show(self.flag, *v)),
        };
        self.values
            .iter()
            .map(one)
            .collect::<Vec<_>>()
            .join(operator)
    }
}

impl Guess {
    /// The predicates of a cell under this guess; `None` if it is unprotected.
    pub fn protection(&self, program: &Program, cell: CellId) -> Option<Protection> {
        let threads = 0..program.threads.len();
        let owns = |lock: CellId, t: ThreadId| {
            binary(BinaryOp::Eq, Expr::Cell(lock), Expr::Const(t as i64))
        };
        let inside = |regions: &[Region], t: ThreadId| {
            let places = regions.iter().map(|r| r.predicate(program, t, cell));
            joined(BinaryOp::Or, places.collect())
        };
        let mut readers = None;
        let predicates: Vec<Expr> = match self {
            Guess::Unprotected => return None,
            Guess::Constant => {
                readers = Some(vec![Expr::TRUE; threads.len()]);
                vec![Expr::FALSE; threads.len()]
            }
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
            Guess::Published { writer, until } => {
                let before = Expr::Not(Box::new(until.expr()));
                let of = |t: ThreadId| match writer {
                    Writer::Thread(writer) if *writer != t => Expr::FALSE,
                    Writer::Thread(_) => before.clone(),
                    Writer::Lock(lock) => binary(BinaryOp::And, owns(*lock, t), before.clone()),
                    Writer::Regions(all) => {
                        binary(BinaryOp::And, inside(&all[t], t), before.clone())
                    }
                };
                let writers: Vec<Expr> = threads.map(of).collect();
                let reads = |w: &Expr| joined(BinaryOp::Or, vec![until.expr(), w.clone()]);
                readers = Some(writers.iter().map(reads).collect());
                writers
            }
            Guess::HandedOver {
                lock,
                regions,
                readers: only,
            } => {
                let of = |t: ThreadId, regions: &[Region]| {
                    let owned = lock.map(|l| owns(l, t));
                    let places = (!regions.is_empty()).then(|| inside(regions, t));
                    joined(BinaryOp::Or, owned.into_iter().chain(places).collect())
                };
                if only.iter().any(|r| !r.is_empty()) {
                    let both = |t: ThreadId| of(t, &[&*regions[t], &only[t]].concat());
                    readers = Some(threads.clone().map(both).collect());
                }
                threads.map(|t| of(t, &regions[t])).collect()
            }
        };
        Some(Protection {
            cell,
            predicates,
            readers,
            regional: self.has_regions(),
            span: Span::default(),
        })
    }

    /// Whether it says where in its code a thread has the right to the cell.
    pub fn has_regions(&self) -> bool {
        match self {
            Guess::HandedOver { .. } => true,
            Guess::Published { writer, .. } => matches!(writer, Writer::Regions(_)),
            _ => false,
        }
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
            Guess::HandedOver {
                lock: m,
                regions,
                readers,
            } => Discipline::HandedOver {
                lock: m.as_ref().map(lock),
                regions: told(program, regions),
                readers: told(program, readers),
            },
            Guess::Published { writer, until } => Discipline::Published {
                by: match writer {
                    Writer::Thread(t) => results::Writer::Thread(program.threads[*t].name.clone()),
                    Writer::Lock(m) => results::Writer::Lock(lock(m)),
                    Writer::Regions(all) => results::Writer::Regions(told(program, all)),
                },
                until: until.text(program),
            },
            Guess::Constant => Discipline::Constant,
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
pub fn locations(program: &Program, thread: ThreadId, locations: &BTreeSet<LocId>) -> Locations {
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
