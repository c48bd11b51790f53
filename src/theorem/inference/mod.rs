//! The disciplines of variables that declare none, guessed and revised until the reduced system agrees with them
//! (Stoller & Cohen 2003, sections 8 and 9).
//!
//! Architecture invariant: nothing rests on this module. Its proposals become part of the program, which is checked
//! like any other: hypotheses, reduced system, evidence. A wrong guess shows as a violation of the discipline there,
//! and is revised; a variable for which no guess is left is unprotected. Annotations are never touched.

mod annotate;
mod guess;
mod locksets;
mod regions;
mod sites;

pub use annotate::annotated;
pub use guess::{Guess, locations, lock_name};
pub use locksets::Seen;

use crate::base::control::{Control, Stop};
use crate::base::results::{Discipline, Refutation};
use crate::engine::State;
use crate::model::program::{
    CellId, Class, How, LocId, Program, ThreadId, each_use, waits_for_thread,
};
use crate::theorem::exchanges::Exchanges;
use guess::{Counterexample, Knowledge};
use locksets::{Flags, Locks, Narrowing, Observed, Patience, observe};
use regions::Flow;
use rustc_hash::{FxHashMap, FxHashSet};
use sites::{Sites, is_open};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// How long the lockset computation explores.
const PATIENCE: Patience = Patience {
    most: 100_000,
    quiet: 4_000,
};

/// How the discipline of a cell is violated in the reduced system.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The cell.
    pub cell: CellId,
    /// The access without the right to it, if it is one: by whom, from where, and with which locks.
    pub access: Option<(ThreadId, LocId, Seen)>,
    /// The state before that access, or in which several threads have the right to it.
    pub state: Option<State>,
    /// The steps that lead there, the violating one last; empty if they are not known.
    pub steps: Vec<(ThreadId, LocId)>,
    /// The same as it is told.
    pub why: Refutation,
}

/// One change of a guess.
#[derive(Clone, Debug)]
pub struct Revision {
    /// The cells concerned, all of one variable.
    pub cells: Vec<CellId>,
    /// The guess before.
    pub from: Discipline,
    /// The guess after.
    pub to: Discipline,
    /// Why.
    pub why: Refutation,
    /// The steps that lead to the violation, that one last.
    pub steps: Vec<(ThreadId, LocId)>,
}

/// What is known of a cell without a declared discipline.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// No thread mentions it.
    Unused,
    /// Only this thread mentions it, as far as seen always owning these locks.
    Private(ThreadId, Vec<CellId>),
    /// A guess that no run has refuted.
    Guessed(Guess),
}

impl Finding {
    /// The same with names for people.
    pub fn discipline(&self, program: &Program) -> Discipline {
        match self {
            Finding::Unused => Discipline::Unused,
            Finding::Private(t, locks) => {
                let locks = locks.iter().map(|l| lock_name(program, *l)).collect();
                Discipline::Private(program.threads[*t].name.clone(), locks)
            }
            Finding::Guessed(guess) => guess.discipline(program),
        }
    }
}

/// The inference for one program.
#[derive(Clone, Debug)]
pub struct Inference {
    /// The program with what is known so far.
    program: Program,
    sites: Sites,
    locks: Locks,
    flags: Flags,
    observed: Observed,
    exchanges: Exchanges,
    guesses: FxHashMap<CellId, Guess>,
    tried: FxHashMap<CellId, Vec<Guess>>,
    against: FxHashMap<CellId, Vec<Counterexample>>,
    revisions: Vec<Revision>,
    pinned: BTreeSet<(ThreadId, LocId, String)>,
}

/// A program, and what inference begins with: each theorem that is tried asks for it, and it is found once.
#[derive(Debug)]
pub struct Subject<'p> {
    /// The program.
    pub program: &'p Program,
    begun: OnceCell<Option<Inference>>,
}

impl<'p> Subject<'p> {
    /// Nothing is known yet.
    pub fn new(program: &'p Program) -> Self {
        Subject {
            program,
            begun: OnceCell::new(),
        }
    }

    /// What inference begins with; nothing if no discipline is open.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn inference(&self, control: &Control) -> Result<Option<Inference>, Stop> {
        if let Some(begun) = self.begun.get() {
            return Ok(begun.clone());
        }
        let begun = Inference::begin(self.program, control)?;
        Ok(self.begun.get_or_init(|| begun).clone())
    }
}

impl Inference {
    /// Makes the first guesses; `None` if every shared variable declares its discipline and no reference is checked.
    ///
    /// # Errors
    /// If the control says stop.
    fn begin(program: &Program, control: &Control) -> Result<Option<Self>, Stop> {
        let open: Vec<CellId> = (0..program.cells.len())
            .filter(|&c| is_open(program, c))
            .collect();
        if open.is_empty() && !checks_references(program) {
            return Ok(None);
        }
        control.enter("inferring disciplines: locksets");
        let sites = Sites::new(program);
        let mut program = program.clone();
        let mut watched = FxHashSet::default();
        let mut cells = Vec::new();
        for c in open {
            let users = sites.users(c);
            match users.first() {
                Some(&t) if users.len() == 1 => {
                    program.cells[c].class = Class::Local(t);
                    watched.insert(c);
                }
                Some(_) => {
                    program.cells[c].class = Class::Protected;
                    cells.push(c);
                    if sites.is_written(c) {
                        watched.insert(c);
                    }
                }
                None => {}
            }
        }
        let mut inference = Inference {
            locks: Locks::new(&program),
            flags: Flags::new(&program, &sites),
            exchanges: Exchanges::new(&program),
            program,
            sites,
            observed: Observed::default(),
            guesses: FxHashMap::default(),
            tried: FxHashMap::default(),
            against: FxHashMap::default(),
            revisions: Vec::new(),
            pinned: BTreeSet::new(),
        };
        let visible = |unprotected: &FxHashSet<CellId>| {
            let mut program = inference.program.clone();
            for &c in unprotected {
                program.cells[c].class = Class::Unprotected { declared: false };
            }
            mentions(&program)
        };
        let observed = observe(
            &inference.program,
            &visible,
            &watched,
            &inference.flags,
            PATIENCE,
            control,
        )?;
        inference.observed.narrowed = observed.narrowed;
        for (key, seen) in observed.seen {
            inference.see(key, seen);
        }
        inference.settle(&cells);
        inference.tell_locksets();
        Ok(Some(inference))
    }

    /// The program under the present guesses.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The changes of guesses so far, in order.
    pub fn revisions(&self) -> &[Revision] {
        &self.revisions
    }

    /// Actions to be made visible, with the hypothesis that is not established otherwise.
    pub fn pinned(&self) -> &BTreeSet<(ThreadId, LocId, String)> {
        &self.pinned
    }

    /// Whether a protection of a program is a guess that may be revised.
    pub fn has_guesses(&self, program: &Program) -> bool {
        let mut protections = program.protections.iter();
        protections.any(|x| self.may_revise(x.cell))
    }

    /// Whether the discipline of a cell is a guess that may be revised.
    pub fn may_revise(&self, cell: CellId) -> bool {
        self.guesses
            .get(&cell)
            .is_some_and(|g| *g != Guess::Unprotected)
    }

    /// What is known of a cell that declares no discipline.
    pub fn finding(&self, cell: CellId) -> Option<Finding> {
        if !is_open(&self.program, cell) {
            return None;
        }
        Some(
            match (self.guesses.get(&cell), self.program.cells[cell].class) {
                (Some(guess), _) => Finding::Guessed(guess.clone()),
                (None, Class::Local(t)) => Finding::Private(t, self.locks_of(cell)),
                (None, _) => Finding::Unused,
            },
        )
    }

    /// The locks owned at every access seen to a cell, if any was.
    fn locks_of(&self, cell: CellId) -> Vec<CellId> {
        let seen = self.observed.seen.iter();
        let mut accesses = seen
            .filter(|((c, _, _), _)| *c == cell)
            .map(|(_, s)| &s.owned);
        let Some(mut locks) = accesses.next().cloned() else {
            return Vec::new();
        };
        accesses.for_each(|owned| locks.retain(|l| owned.contains(l)));
        locks.into_iter().collect()
    }

    /// The locks that a thread holds in a state, as the revision of a guess wants to know them.
    pub fn held(&self, state: &State, thread: ThreadId, written: bool) -> Seen {
        Seen {
            written,
            owned: self.locks.owned(state, thread),
            readable: self.locks.readable(state, thread),
            flags: self.flags.values(&self.program, state),
        }
    }

    /// Adds what was seen of an access. Threads that may be exchanged do the same.
    fn see(&mut self, (cell, thread, location): (CellId, ThreadId, LocId), seen: Seen) {
        if self.observed.seen.get(&(cell, thread, location)) == Some(&seen) {
            return;
        }
        let cells = [cell].into_iter().chain(seen.owned.iter().copied());
        let mut cells = cells.chain(self.flags.0.iter().copied());
        let same = seen.readable.is_empty() && cells.all(|c| self.exchanges.fix(c));
        let threads = match same {
            true => self.exchanges.members(thread),
            false => vec![thread],
        };
        for thread in threads {
            self.observed.add((cell, thread, location), seen.clone());
        }
    }

    /// Replaces guesses that the reduced system refutes.
    pub fn revise(&mut self, violations: &[Violation]) {
        let mut cells = Vec::new();
        for v in violations {
            let Some(guess) = self.guesses.get(&v.cell).cloned() else {
                continue;
            };
            if let Some((thread, location, seen)) = &v.access {
                self.see((v.cell, *thread, *location), seen.clone());
            }
            if let Some(state) = v.state.clone() {
                let access = v.access.as_ref().map(|(t, _, seen)| (*t, seen.written));
                let against = self.against.entry(v.cell).or_default();
                against.push(Counterexample { state, access });
            }
            self.tried.entry(v.cell).or_default().push(guess);
            cells.push(v.cell);
        }
        let before: Vec<Discipline> = cells.iter().map(|c| self.discipline(*c)).collect();
        self.settle(&cells);
        for (v, from) in violations.iter().zip(before) {
            let to = self.discipline(v.cell);
            let (why, steps) = (v.why.clone(), v.steps.clone());
            let cells = vec![v.cell];
            self.note(Revision {
                cells,
                from,
                to,
                why,
                steps,
            });
        }
    }

    /// The program without guesses: what is not private is unprotected.
    pub fn without_guesses(&self) -> Program {
        let mut program = self.program.clone();
        for &c in self.guesses.keys() {
            program.cells[c].class = Class::Unprotected { declared: false };
        }
        let guessed = |c: CellId| self.guesses.contains_key(&c);
        program.protections.retain(|p| !guessed(p.cell));
        program
    }

    /// Guesses nothing any more.
    pub fn give_up(&mut self) {
        self.program = self.without_guesses();
        let guesses = self.guesses.values_mut();
        guesses.for_each(|guess| *guess = Guess::Unprotected);
        self.revisions.clear();
        self.pinned.clear();
    }

    /// Has an action made visible because a hypothesis is not established while it is invisible.
    pub fn pin(&mut self, thread: ThreadId, location: LocId, hypothesis: String) {
        self.pinned.insert((thread, location, hypothesis));
    }

    /// What is known of a cell at present.
    fn discipline(&self, cell: CellId) -> Discipline {
        let finding = self.finding(cell).unwrap_or(Finding::Unused);
        finding.discipline(&self.program)
    }

    /// Chooses a guess for each of these cells. Where one becomes unprotected, its accesses divide the regions of
    /// others: those that rest on regions, or for which no guess was left, are looked at once more.
    fn settle(&mut self, cells: &[CellId]) {
        let mut program = self.program.clone();
        self.choose(&mut program, cells);
        let is_open = |g: &Guess| *g == Guess::Unprotected;
        if cells
            .iter()
            .any(|c| self.guesses.get(c).is_some_and(is_open))
        {
            let divided = |g: &Guess| is_open(g) || g.has_regions();
            let again = self.guesses.iter().filter(|(_, g)| divided(g));
            let mut again: Vec<CellId> = again.map(|(c, _)| *c).collect();
            again.sort_unstable();
            self.choose(&mut program, &again);
        }
        program
            .protections
            .retain(|p| !self.guesses.contains_key(&p.cell));
        for (c, guess) in &self.guesses {
            if let Some(mut p) = guess.protection(&program, *c) {
                p.span = program.arrays[program.cells[*c].array].span;
                program.protections.push(p);
            }
        }
        program.protections.sort_by_key(|p| p.cell);
        self.program = program;
    }

    /// Chooses the best guesses that have not been tried, under the visibility that the other guesses give.
    fn choose(&mut self, program: &mut Program, cells: &[CellId]) {
        let before = program.clone();
        for array in cells.chunk_by(|a, b| before.cells[*a].array == before.cells[*b].array) {
            // What a guess says of a cell, its own accesses have to be invisible for.
            let mut assumed = before.clone();
            for &c in array {
                assumed.cells[c].class = Class::Protected;
            }
            let visible = mentions(&assumed);
            let sees = |t: ThreadId, l: LocId| visible.contains(&(t, l));
            for &c in array {
                let knowledge = Knowledge {
                    program: &assumed,
                    sites: &self.sites,
                    observed: &self.observed,
                    locks: &self.locks,
                    flags: &self.flags,
                    flow: Flow::new(&assumed, &sees),
                };
                let tried = self.tried.get(&c).map_or(&[][..], Vec::as_slice);
                let against = self.against.get(&c).map_or(&[][..], Vec::as_slice);
                let guess = knowledge.guess(c, tried, against);
                program.cells[c].class = match guess {
                    Guess::Unprotected => Class::Unprotected { declared: false },
                    _ => Class::Protected,
                };
                self.guesses.insert(c, guess);
            }
        }
    }

    /// The lockset computation as revisions.
    fn tell_locksets(&mut self) {
        let name = |c: &CellId| lock_name(&self.program, *c);
        let set = |all: &BTreeSet<CellId>| match all.len() {
            0 => Discipline::NoMutex,
            n if n == self.locks.owners.len() && n > 1 => Discipline::EveryMutex,
            _ => Discipline::Mutexes(all.iter().map(name).collect()),
        };
        let mut told = Vec::new();
        for n in &self.observed.narrowed {
            let Narrowing {
                cell,
                from,
                to,
                steps,
            } = n;
            let Some(&(t, l)) = steps.last() else {
                continue;
            };
            if !self.guesses.contains_key(cell) {
                continue;
            }
            let place = &self.program.threads[t];
            told.push(Revision {
                cells: vec![*cell],
                from: set(from),
                to: match to.is_empty() {
                    true => self.discipline(*cell),
                    false => set(to),
                },
                why: Refutation::Unlocked {
                    thread: place.name.clone(),
                    location: place.locations[l].name.clone(),
                    missing: from.difference(to).map(name).collect(),
                },
                steps: steps.clone(),
            });
        }
        told.into_iter().for_each(|r| self.note(r));
    }

    /// Notes a revision; one that concerns another cell of the same variable in the same way joins it.
    fn note(&mut self, r: Revision) {
        let array = |c: &Revision| self.program.cells[c.cells[0]].array;
        let same = |other: &&mut Revision| {
            array(other) == array(&r) && other.from == r.from && other.to == r.to
        };
        match self.revisions.iter_mut().find(same) {
            Some(known) => known.cells.extend(r.cells),
            None => self.revisions.push(r),
        }
    }
}

/// The actions that are visible because of what they mention, under the present classes of cells; and every thread's
/// first.
fn mentions(program: &Program) -> FxHashSet<(ThreadId, LocId)> {
    let mut visible = FxHashSet::default();
    for (t, thread) in program.threads.iter().enumerate() {
        visible.insert((t, thread.initial));
        for l in thread.steps() {
            for edge in &thread.locations[l].edges {
                if waits_for_thread(edge) {
                    visible.insert((t, l));
                }
                each_use(program, edge, &mut |used| {
                    let shows = |c: CellId| match (used.how, program.cells[c].class) {
                        (How::Check, _) | (_, Class::Local(_)) => false,
                        (how, Class::Protected) => how == How::Guard,
                        _ => true,
                    };
                    if used.cells.clone().any(shows) {
                        visible.insert((t, l));
                    }
                });
            }
        }
    }
    visible
}

fn checks_references(program: &Program) -> bool {
    let mut found = false;
    for edge in program
        .threads
        .iter()
        .flat_map(|t| &t.locations)
        .flat_map(|l| &l.edges)
    {
        each_use(program, edge, &mut |used| found |= used.how == How::Check);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::control::ParseLimits;
    use crate::model::Loaded;

    /// Of many threads only some come to a place before patience is lost.
    #[test]
    fn threads_that_may_be_exchanged_are_seen_alike() {
        let source = include_str!("../../../models/section6/memory_reuse.cor");
        let set = [("N".to_string(), "9".to_string())];
        let loaded = Loaded::load("m.cor", source, &set, ParseLimits::default());
        let (loaded, _) = loaded.unwrap_or_else(|errors| panic!("{errors:?}"));
        let subject = Subject::new(loaded.program());
        let inference = subject.inference(&Control::default());
        let inference = inference.expect("no limit").expect("guesses");
        let seen = &inference.observed.seen;
        assert!(!seen.is_empty());
        for ((cell, thread, location), what) in seen {
            for other in 0..9 {
                let same = seen.get(&(*cell, other, *location));
                assert_eq!(same, Some(what), "{cell} {thread} {other} {location}");
            }
        }
    }
}
