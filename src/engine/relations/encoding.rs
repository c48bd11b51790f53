//! A program as relations: one per location and thread, q included, on the action's own support.
//!
//! q follows (26) of Stoller & Cohen 2003: it becomes true when the step accesses a protected cell outside its
//! thread's exclusive access predicate, or ends in a state where two threads' predicates overlap for a cell that
//! it accessed or whose predicates it changed. (The paper looks at every cell; on executions from states
//! with disjoint predicates that is the same, and here the relation keeps a small support.)

mod edge;

use super::bdds::Bdds;
use super::layout::{Bit, Item, Layout, Q, before};
use super::predicates::{code, predicate, valid};
use super::symbolic::choices_needed;
use crate::base::control::{Control, Stop};
use crate::base::evidence::Right;
use crate::base::results::Place;
use crate::engine::Heuristic;
use crate::engine::Variable;
use crate::engine::relations::relation::{Rel, minus};
use crate::model::program::{Class, Edge, Expr, LocId, Program, Protection, ThreadId};
use biodivine_lib_bdd::Bdd;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

/// All edges that leave one location of one thread.
#[derive(Clone, Debug)]
pub struct Action {
    /// Its thread.
    pub thread: ThreadId,
    /// The location it leaves.
    pub location: LocId,
    /// Its steps, q included.
    pub rel: Rel,
    /// The type-correct states in which it is enabled (and perhaps states that are not type-correct).
    pub enabled: Bdd,
    /// Bits it reads or writes but q: its footprint.
    pub footprint: Vec<Bit>,
    /// Bits it writes but q.
    pub writes: Vec<Bit>,
    /// For protected cells (indices into the program's protections) whose discipline is a guess: the states from which
    /// it accesses the cell without the right to.
    pub outside: Vec<(usize, Bdd)>,
}

impl Action {
    /// Whether the two commute because neither writes what the other reads or writes, q left aside: q only ever
    /// becomes true, by a condition on each action's own footprint, so it comes out the same in both orders.
    pub fn independent(&self, other: &Action) -> bool {
        let clash = |w: &[Bit], f: &[Bit]| w.iter().any(|b| f.binary_search(b).is_ok());
        !clash(&self.writes, &other.footprint) && !clash(&other.writes, &self.footprint)
    }
}

/// The predicates of one protected cell.
struct Guarded {
    /// `e_i^x` for each thread.
    predicates: Vec<Bdd>,
    /// `r_i^x` or `e_i^x` for each thread, if reading needs less.
    readers: Option<Vec<Bdd>>,
    /// Where one thread has exclusive access and another has access.
    overlap: Bdd,
    /// The bits they depend on.
    support: Vec<Bit>,
}

/// A program as relations.
pub struct Encoding<'a> {
    /// The program.
    pub program: &'a Program,
    /// Where its state lies.
    pub layout: Layout,
    /// The BDD operations.
    pub m: Bdds<'a>,
    /// All actions, by thread and location.
    pub actions: Vec<Action>,
    /// The initial states, with q where predicates overlap.
    pub initial: Bdd,
    guarded: Vec<Guarded>,
    valid_cells: Vec<Bdd>,
    valid_locations: Vec<Bdd>,
    changes: FxHashMap<(usize, Vec<Bit>), Bdd>,
}

/// What a small relation costs to be built, in pairs of nodes.
const SMALL: u64 = 10_000;

/// What building relations may cost: little of the budget, unless they are many and small.
pub fn building(program: &Program, control: &Control) -> u64 {
    let actions: usize = program.threads.iter().map(|t| t.steps().count()).sum();
    let small = SMALL.saturating_mul(actions as u64);
    control
        .budget()
        .little()
        .max(small.min(control.budget().effort / 8))
}

/// No BDD of a relation may have more nodes than this part of all work.
const PARTS: u64 = 20;

impl<'a> Encoding<'a> {
    /// Encodes a program.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn new(program: &'a Program, control: &'a Control) -> Result<Self, Stop> {
        Self::ordered(program, &Heuristic::Threads.order(program), control)
    }

    /// Encodes a program with BDDs under this budget of work ([`Bdds::work`]), which also counts all later work with
    /// the encoding. Building it may take a part of it ([`building`]): what is too large to be built is not worth the
    /// rest.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn within(program: &'a Program, work: u64, control: &'a Control) -> Result<Self, Stop> {
        let order = Heuristic::Threads.order(program);
        let building = match work {
            u64::MAX => work,
            _ => work.min(building(program, control)),
        };
        let encoding = Self::built(program, &order, building, control)?;
        let left = work.saturating_sub(encoding.m.work());
        encoding.m.allow(left, usize::MAX);
        Ok(encoding)
    }

    /// Encodes a program with its variables in this order.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn ordered(
        program: &'a Program,
        order: &[Variable],
        control: &'a Control,
    ) -> Result<Self, Stop> {
        Self::built(program, order, u64::MAX, control)
    }

    /// Encodes a program with its variables in this order, and BDDs under this budget of work ([`Bdds::work`]).
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn built(
        program: &'a Program,
        order: &[Variable],
        work: u64,
        control: &'a Control,
    ) -> Result<Self, Stop> {
        let edges = program
            .threads
            .iter()
            .flat_map(|t| &t.locations)
            .flat_map(|l| &l.edges);
        let choices = edges
            .map(|e| choices_needed(program, &e.body))
            .max()
            .unwrap_or(0);
        let layout = Layout::ordered(program, order, choices);
        let m = Bdds::new(layout.levels(), control)?;
        let largest = usize::try_from(work / PARTS).unwrap_or(usize::MAX);
        m.allow(work, largest);
        let mut guarded = Vec::new();
        for x in &program.protections {
            guarded.push(guard(program, &layout, &m, x)?);
        }
        let cells = 0..program.cells.len();
        let threads = 0..program.threads.len();
        let valid_cells: Result<Vec<Bdd>, Stop> =
            cells.map(|c| valid(&m, layout.cell(c))).collect();
        let valid_locations: Result<Vec<Bdd>, Stop> =
            threads.map(|t| valid(&m, layout.location(t))).collect();
        let mut encoding = Encoding {
            program,
            initial: m.no(),
            layout,
            m,
            actions: Vec::new(),
            guarded,
            valid_cells: valid_cells?,
            valid_locations: valid_locations?,
            changes: FxHashMap::default(),
        };
        encoding.initial = encoding.initial_states()?;
        for (t, thread) in program.threads.iter().enumerate() {
            for l in thread.steps() {
                control.check()?;
                let action = encoding.action(t, l)?;
                encoding.actions.push(action);
            }
        }
        Ok(encoding)
    }

    /// The actions of a thread, as indices.
    pub fn of_thread(&self, thread: ThreadId) -> std::ops::Range<usize> {
        let begin = self.actions.partition_point(|a| a.thread < thread);
        begin..self.actions.partition_point(|a| a.thread <= thread)
    }

    /// An action as a sentence names it.
    pub fn place(&self, action: usize) -> Place {
        let action = &self.actions[action];
        self.program.place(action.thread, action.location)
    }

    /// The action of a thread from a location, if it has steps.
    pub fn action_at(&self, thread: ThreadId, location: LocId) -> Option<usize> {
        let key = (thread, location);
        let found = self
            .actions
            .binary_search_by_key(&key, |a| (a.thread, a.location));
        found.ok()
    }

    /// Where a state expression holds.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn predicate(&self, e: &Expr) -> Result<Bdd, Stop> {
        predicate(self.program, &self.layout, &self.m, e)
    }

    /// Where a thread is at a location.
    pub fn at(&self, thread: ThreadId, location: LocId) -> Bdd {
        code(&self.m, self.layout.location(thread), location as u64)
    }

    /// Where q holds.
    pub fn q(&self) -> Bdd {
        self.m.var(before(Q))
    }

    /// The type-correct states, as far as these bits tell.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn type_correct(&self, bits: &[Bit]) -> Result<Bdd, Stop> {
        let mut all = self.m.yes();
        let mut last = None;
        for &bit in bits.iter().rev() {
            let Some(item) = self.layout.item(bit) else {
                continue;
            };
            if last == Some(item) {
                continue;
            }
            last = Some(item);
            let valid = match item {
                Item::Violated => continue,
                Item::Of(Variable::Location(t)) => &self.valid_locations[t],
                Item::Of(Variable::Cell(c)) => &self.valid_cells[c],
            };
            all = self.m.and(valid, &all)?;
        }
        Ok(all)
    }

    /// These bits, and with each bit those whose values decide together whether it belongs to a type-correct state.
    pub fn with_groups(&self, bits: &[Bit]) -> Vec<Bit> {
        let mut all = bits.to_vec();
        for &bit in bits {
            if let Some(item) = self.layout.item(bit) {
                let group = self.layout.group(item);
                if !group.values.is_power_of_two() {
                    all.extend(group.bits());
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// All bits of the state, q included.
    pub fn all_bits(&self) -> Vec<Bit> {
        (0..self.layout.bits() as Bit).collect()
    }

    /// Whether each of some actions commutes with each of others, q left aside, since no step of either changes what
    /// the other does: they write different bits, and where one writes what the other reads, the other's steps are the
    /// same before and after it. Nothing is composed.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn undisturbed(&self, some: &[usize], others: &[usize]) -> Result<bool, Stop> {
        let written = |all: &[usize]| self.bits_of(all, |a| &a.writes);
        let (mine, yours) = (written(some), written(others));
        Ok(minus(&mine, &yours).len() == mine.len()
            && self.leave_alone(some, others)?
            && self.leave_alone(others, some)?)
    }

    /// Bits of some actions together, sorted.
    fn bits_of(&self, all: &[usize], of: fn(&Action) -> &Vec<Bit>) -> Vec<Bit> {
        let all = all.iter().map(|a| &self.actions[*a]);
        let mut bits: Vec<Bit> = all.flat_map(of).copied().collect();
        bits.sort_unstable();
        bits.dedup();
        bits
    }

    /// Whether no step of some actions changes which steps others have. Which of them a step belongs to, and what it
    /// does besides, does not matter: the steps that change the same bits are looked at together.
    fn leave_alone(&self, some: &[usize], others: &[usize]) -> Result<bool, Stop> {
        let m = &self.m;
        let read = self.bits_of(others, |y| &y.footprint);
        let mut steps: Vec<(Vec<Bit>, Bdd)> = Vec::new();
        for x in some.iter().map(|x| &self.actions[*x]) {
            let mut changed = x.writes.clone();
            changed.retain(|b| read.binary_search(b).is_ok());
            if changed.is_empty() {
                continue;
            }
            // Values after the step of `x` move to the third copy, out of the way of the step of `y`.
            let step = m.exists(&x.rel.bdd, |l| {
                let of = if l % 3 == 0 { &read } else { &changed };
                of.binary_search(&((l / 3) as Bit)).is_err()
            })?;
            let step = m.rename(&step, |l| if l % 3 == 1 { l + 1 } else { l });
            match steps.iter_mut().find(|(bits, _)| *bits == changed) {
                Some((_, known)) => *known = m.or(known, &step)?,
                None => steps.push((changed, step)),
            }
        }
        for (changed, step) in &steps {
            for y in others.iter().map(|y| &self.actions[*y]) {
                if minus(changed, &y.footprint).len() == changed.len() {
                    continue;
                }
                let later = m.rename(&y.rel.bdd, |l| {
                    let moved = l % 3 == 0 && changed.binary_search(&((l / 3) as Bit)).is_ok();
                    if moved { l + 2 } else { l }
                });
                let before = m.and(step, &y.rel.bdd)?;
                if !m.within(&before, &later) || !m.within(&m.and(step, &later)?, &y.rel.bdd) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// A protected cell (an index into the program's protections) one of whose predicates this action might change.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn changes_predicate(&mut self, action: usize) -> Result<Option<usize>, Stop> {
        let rel = self.actions[action].rel.clone();
        for x in 0..self.guarded.len() {
            if minus(&rel.writes, &self.guarded[x].support).len() == rel.writes.len() {
                continue;
            }
            let changed = self.changed(x, &rel.writes)?;
            let mut both = self.m.and(&rel.bdd, &changed)?;
            // A thread may gain access in that way: (14) and (15) are evaluated all the same.
            let thread = self.actions[action].thread;
            let regional = self.program.protections[x].regional;
            if let (true, Some(wrong)) = (regional, self.program.threads[thread].wrong) {
                both = self
                    .m
                    .and_not(&both, &rel.after(&self.m, &self.at(thread, wrong)))?;
            }
            let bits: Vec<Bit> = self
                .m
                .support(&both)
                .into_iter()
                .filter(|l| l % 3 == 0)
                .map(|l| (l / 3) as Bit)
                .collect();
            if !self.m.disjoint(&both, &self.type_correct(&bits)?) {
                return Ok(Some(x));
            }
        }
        Ok(None)
    }

    /// Where some predicate of the x-th protected cell differs before and after a step that writes these bits.
    fn changed(&mut self, x: usize, writes: &[Bit]) -> Result<Bdd, Stop> {
        let relevant: Vec<Bit> = self.guarded[x]
            .support
            .iter()
            .copied()
            .filter(|b| writes.binary_search(b).is_ok())
            .collect();
        if let Some(known) = self.changes.get(&(x, relevant.clone())) {
            return Ok(known.clone());
        }
        let m = &self.m;
        let mut any = m.no();
        let guarded = &self.guarded[x];
        for e in guarded
            .predicates
            .iter()
            .chain(guarded.readers.iter().flatten())
        {
            let then = m.rename(e, |l| {
                l + usize::from(relevant.binary_search(&((l / 3) as Bit)).is_ok())
            });
            any = m.or(&any, &m.xor(e, &then)?)?;
        }
        self.changes.insert((x, relevant), any.clone());
        Ok(any)
    }

    /// Whether the discipline of the x-th protected cell is a guess.
    fn is_guess(&self, x: usize) -> bool {
        let cell = self.program.protections[x].cell;
        let array = self.program.cells[cell].array;
        self.program.arrays[array].class == Class::Unprotected { declared: false }
    }

    /// Where a thread has this access to the x-th protected cell; who has exclusive access may read.
    pub fn access(&self, x: usize, thread: ThreadId, right: Right) -> &Bdd {
        let guarded = &self.guarded[x];
        match (right, &guarded.readers) {
            (Right::Reading, Some(readers)) => &readers[thread],
            _ => &guarded.predicates[thread],
        }
    }

    /// Where one thread has exclusive access to the x-th protected cell and another has access.
    pub fn overlap(&self, x: usize) -> &Bdd {
        &self.guarded[x].overlap
    }

    /// How many program states a set has, q left aside.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn count(&self, set: &Bdd) -> Result<BigUint, Stop> {
        let states = self.m.exists(set, |l| l == 3 * Q as usize)?;
        let free = self.layout.levels() - (self.layout.bits() - 1);
        let digits = (states.exact_cardinality() >> free).to_string();
        Ok(digits.parse().unwrap_or_default())
    }

    fn initial_states(&self) -> Result<Bdd, Stop> {
        let (m, program) = (&self.m, self.program);
        let mut all = m.yes();
        for item in self.layout.order().iter().rev() {
            let here = match *item {
                Item::Violated => continue,
                Item::Of(Variable::Location(t)) => self.at(t, program.threads[t].initial),
                Item::Of(Variable::Cell(c)) => match program.cells[c].initial {
                    Some(v) => code(m, self.layout.cell(c), (v - program.cells[c].ty.lo) as u64),
                    None => self.valid_cells[c].clone(),
                },
            };
            all = m.and(&here, &all)?;
        }
        for e in &program.init {
            all = m.and(&all, &self.predicate(e)?)?;
        }
        let mut overlap = m.no();
        for x in &self.guarded {
            overlap = m.or(&overlap, &m.and(&all, &x.overlap)?)?;
        }
        m.and(&all, &m.iff(&self.q(), &overlap)?)
    }

    /// The steps of a thread from a location along these edges; where that a step may access a cell is a guess,
    /// `outside` gets the cell, and the states before steps that may not.
    fn along(
        &mut self,
        (thread, location): (ThreadId, LocId),
        edges: &[Edge],
        outside: &mut Vec<(usize, Bdd)>,
    ) -> Result<Rel, Stop> {
        let mut rel = Rel::test(self.m.no());
        for edge in edges {
            let one = self.edge(thread, location, edge, outside)?;
            rel = rel.plus(&self.m, &one)?;
        }
        Ok(rel)
    }

    fn correct(&self, rel: Rel) -> Result<Rel, Stop> {
        let correct = self.type_correct(&rel.reads(&self.m))?;
        Ok(Rel {
            bdd: self.m.and(&rel.bdd, &correct)?,
            writes: rel.writes,
        })
    }

    /// The steps of a thread from a location along edges that need not be the program's.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn steps(&mut self, from: (ThreadId, LocId), edges: &[Edge]) -> Result<Rel, Stop> {
        let rel = self.along(from, edges, &mut Vec::new())?;
        self.correct(rel)
    }

    fn action(&mut self, thread: ThreadId, location: LocId) -> Result<Action, Stop> {
        let program = self.program;
        let mut outside = Vec::new();
        let edges = &program.threads[thread].locations[location].edges;
        let rel = self.along((thread, location), edges, &mut outside)?;
        // Before the restriction to type-correct states, which would only make its support larger.
        let enabled = rel.domain(&self.m)?;
        let rel = self.correct(rel)?;
        let m = &self.m;
        let without_q = |bits: &[Bit]| {
            bits.iter()
                .copied()
                .filter(|&b| b != Q)
                .collect::<Vec<Bit>>()
        };
        let footprint = without_q(&rel.support(m));
        let writes = without_q(&rel.writes);
        Ok(Action {
            thread,
            location,
            rel,
            enabled,
            footprint,
            writes,
            outside,
        })
    }
}

/// The predicates of one cell, their overlap and their support.
fn guard(
    program: &Program,
    layout: &Layout,
    m: &Bdds,
    protection: &Protection,
) -> Result<Guarded, Stop> {
    let encoded = |all: &[Expr]| -> Result<Vec<Bdd>, Stop> {
        all.iter()
            .map(|e| predicate(program, layout, m, e))
            .collect()
    };
    let predicates = encoded(&protection.predicates)?;
    let readers = match &protection.readers {
        None => None,
        Some(readers) => {
            let either = encoded(readers)?;
            let both: Result<Vec<Bdd>, Stop> = either
                .iter()
                .zip(&predicates)
                .map(|(r, e)| m.or(r, e))
                .collect();
            Some(both?)
        }
    };
    // Pair by pair in one pass: `seen` is whether one of the threads before has access, `owned` whether one has
    // exclusive access.
    let (mut seen, mut owned, mut overlap) = (m.no(), m.no(), m.no());
    let mut support: Vec<Bit> = Vec::new();
    for (t, e) in predicates.iter().enumerate() {
        let access = readers.as_ref().map_or(e, |r| &r[t]);
        overlap = m.or(&overlap, &m.and(&seen, e)?)?;
        overlap = m.or(&overlap, &m.and(&owned, access)?)?;
        seen = m.or(&seen, access)?;
        owned = m.or(&owned, e)?;
        let levels = m.support(e).into_iter().chain(m.support(access));
        support.extend(levels.map(|l| (l / 3) as Bit));
    }
    support.sort_unstable();
    support.dedup();
    Ok(Guarded {
        predicates,
        readers,
        overlap,
        support,
    })
}
