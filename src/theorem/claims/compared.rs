//! Claims decided on this instance, by their definition: what the program does is held against what it does if the
//! block is atomic.
//!
//! All behaviours with the block atomic are explored first. Of these are kept the states in which no thread is inside,
//! as they are observed, and the steps that go wrong or violate the discipline. Then those of the program are, once for
//! all claims. Where there are many states, what is scratch for all claims is forgotten on the way.

use super::interruption::interruption;
use super::observed::{self, Observed};
use crate::base::control::{Control, Stop};
use crate::base::results::{Distinction, Interruption, Outcome, SeenAs, Trace};
use crate::engine::compiled::{
    Behaviours, Blocks, Compiled, Condition, Execution, Layout, Machine, Met, Site, Visited,
};
use crate::engine::quotients::DeadLocals;
use crate::engine::reach::{Move, Path};
use crate::engine::relations::Concrete;
use crate::engine::{Heuristic, State, Variable, holds, initially_violated};
use crate::model::program::{CellId, Claim, LocId, Program, ThreadId};
use crate::model::text::ast::PropertyKind;
use crate::theorem::executions::about::of_condition;
use crate::theorem::executions::trace::{Walked, rerun};
use num_bigint::BigUint;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// What became of a claim.
pub struct Compared {
    /// How many states of the program were met, if none of them are seen as one.
    pub states: Option<BigUint>,
    /// How many were met.
    pub met: BigUint,
    /// The answer.
    pub answer: Result<Found, Stop>,
    /// Whether some thread takes a step of the block, and whether some thread leaves it; false is final if everything
    /// was explored.
    pub entered: bool,
    /// The same of the block's end.
    pub finished: bool,
    /// An execution to a deadlock in which a thread is inside, and where.
    pub stuck: Option<(ThreadId, LocId, Option<Trace>)>,
    /// Whether all states of the program were met.
    pub complete: bool,
    /// What the block writes and nobody sees once it is left.
    pub unseen: Vec<CellId>,
}

/// What the comparison has found.
pub enum Found {
    /// The program cannot be told from the one with the block atomic.
    Same,
    /// It can, and this execution does; there is none if the interpreter has not repeated it. What came between the
    /// steps of a block there.
    Different(Distinction, Option<Box<Trace>>, Option<Box<Interruption>>),
    /// It was not compared, only explored.
    Unasked,
}

/// Something that goes wrong: an event that is told apart from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Wrong {
    /// A thread goes wrong along an edge of a location, in a part of it.
    Fails(ThreadId, (LocId, usize), Site),
    /// A step along an edge violates a protection.
    Violates(ThreadId, (LocId, usize), usize),
    /// An invariant is violated, by its place among the properties.
    Invariant(usize),
}

/// What tells a program from the one with the block atomic.
#[derive(Clone, Copy, Debug)]
enum Told {
    /// A state with this number.
    State(u32),
    /// What goes wrong behind a state.
    Wrong(Wrong, u32),
}

/// A compiled program, and what is needed to look at its states.
pub(super) struct Subject<'s> {
    compiled: &'s Compiled,
    machine: Machine<'s>,
    invariants: Vec<(usize, Condition)>,
}

impl<'s> Subject<'s> {
    pub(super) fn new(program: &'s Program, compiled: &'s Compiled) -> Self {
        let machine = Machine::new(compiled);
        let properties = program.properties.iter().enumerate();
        let invariants = properties.filter(|(_, p)| p.kind == PropertyKind::Invariant);
        Subject {
            compiled,
            invariants: invariants
                .map(|(n, p)| (n, program.asked(p.kind, p.expr.clone())))
                .map(|(n, e)| (n, machine.compile(program, &e)))
                .collect(),
            machine,
        }
    }

    /// What goes wrong in a step, or in a state.
    fn wrong(&self, met: Met) -> Vec<Wrong> {
        match met {
            Met::Step {
                thread,
                from,
                edge,
                failed,
                violated,
                ..
            } => {
                let edge = (self.compiled.layout.location(from, thread), edge);
                let fails = failed.map(|site| Wrong::Fails(thread, edge, site));
                let violates = violated.iter().map(|&p| Wrong::Violates(thread, edge, p));
                fails.into_iter().chain(violates).collect()
            }
            Met::State { state, .. } => {
                let all = self.invariants.iter();
                all.filter(|(_, holds)| !self.machine.holds(holds, state))
                    .map(|(n, _)| Wrong::Invariant(*n))
                    .collect()
            }
        }
    }
}

/// A claim that is looked at.
pub(super) struct Watched {
    blocks: Blocks,
    pub(super) observed: Observed,
    /// States and what goes wrong if the block is atomic, if they are known.
    atomic: Option<(Visited, FxHashSet<Wrong>)>,
    stopped: Option<Stop>,
    told: Option<Told>,
    /// The state behind what goes wrong.
    behind: Option<Vec<u64>>,
    entered: bool,
    finished: bool,
    stuck: Option<(u32, ThreadId, LocId)>,
}

/// Compares the program with each claim's block atomic where that is wanted, and explores it for the others: up to so
/// many states. With `forget`, states that differ in scratch are one.
///
/// # Errors
/// Any [`Stop`] but those that leave a claim open.
pub fn compare(
    program: &Program,
    claims: &[(&Claim, bool)],
    (forget, most): (bool, usize),
    control: &Control,
) -> Result<Vec<Compared>, Stop> {
    let order = Heuristic::ALL[0].0.order(program);
    let scratch = forget.then(|| forgotten(program, claims));
    let forgetting = scratch.as_ref().map(|dead| dead.forgetting(program));
    let explored = forgetting.as_ref().unwrap_or(program);
    let compiled = Compiled::new(explored, &order, control)?;
    let subject = Subject::new(program, &compiled);
    let mut watched = Vec::new();
    for &(claim, wanted) in claims {
        let mut one = Watched::new(program, claim, &compiled);
        if wanted {
            match one.explore(&subject, explored, most, control) {
                Ok(atomic) => one.atomic = Some(atomic),
                Err(stop @ (Stop::States | Stop::Memory)) => one.stopped = Some(stop),
                Err(stop) => return Err(stop),
            }
        }
        watched.push(one);
    }
    let mut behaviours = Behaviours::new(explored, &compiled, control);
    let mut seen = Vec::new();
    let outcome = behaviours.explore(None, most, &mut |met| {
        let mut open = false;
        for one in &mut watched {
            one.meet(&subject, met, &mut seen);
            open |= one.is_open();
        }
        match open {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    });
    let (complete, stopped) = match outcome {
        Ok(()) => (watched.iter().any(Watched::is_open), None),
        Err(stop @ (Stop::States | Stop::Memory)) => (false, Some(stop)),
        Err(stop) => return Err(stop),
    };
    let told = Telling {
        program,
        scratch,
        compiled: &compiled,
        behaviours: &behaviours,
        complete,
        stopped,
    };
    Ok(watched.into_iter().map(|one| one.told(&told)).collect())
}

/// What is scratch for all claims.
fn forgotten(program: &Program, claims: &[(&Claim, bool)]) -> DeadLocals {
    let each = claims.iter().map(|(claim, _)| {
        let blocks = Blocks::new(program, claim);
        observed::scratch(program, claim, &blocks)
    });
    let each: Vec<DeadLocals> = each.collect();
    let seen = |t, l, c| each.iter().any(|dead| !dead.at(t, l).contains(&c));
    DeadLocals::looked_at(program, &[], &seen)
}

/// What is known when it is to be told.
struct Telling<'t> {
    program: &'t Program,
    scratch: Option<DeadLocals>,
    compiled: &'t Compiled,
    behaviours: &'t Behaviours<'t>,
    complete: bool,
    stopped: Option<Stop>,
}

impl Telling<'_> {
    /// An execution of the program, repeated by the interpreter; this goes wrong at its end.
    fn repeated(&self, execution: Execution, wrong: Option<Wrong>) -> Option<Trace> {
        let Some(scratch) = &self.scratch else {
            return repeated(self.program, &execution, wrong);
        };
        let violates = matches!(wrong, Some(Wrong::Violates(..)));
        let (first, steps) = execution;
        let mut path = Path {
            first: first.clone(),
            moves: Vec::new(),
            shortest: true,
        };
        let mut before = &first;
        for (thread, after) in &steps {
            let step = Move::between(self.program, *thread, before, after);
            path.moves.push(step);
            before = after;
        }
        let meant = scratch.original(self.program, &path, violates)?;
        repeated(self.program, &states(&meant), wrong)
    }
}

/// A path, state by state.
fn states(path: &Path) -> Execution {
    let (mut cells, mut places) = (path.first.cells(), path.first.locations());
    let mut steps = Vec::new();
    for m in &path.moves {
        for &(variable, value) in &m.after {
            match variable {
                Variable::Cell(c) => cells[c] = value,
                Variable::Location(t) => places[t] = value as LocId,
            }
        }
        steps.push((m.thread, State::new(&cells, &places)));
    }
    (path.first.clone(), steps)
}

impl Watched {
    pub(super) fn new(program: &Program, claim: &Claim, compiled: &Compiled) -> Self {
        let blocks = Blocks::new(program, claim);
        let observed = Observed::new(program, claim, &blocks, &compiled.layout);
        Watched {
            blocks,
            observed,
            atomic: None,
            stopped: None,
            told: None,
            behind: None,
            entered: false,
            finished: false,
            stuck: None,
        }
    }

    /// What is seen if the block is atomic.
    pub(super) fn explore(
        &self,
        subject: &Subject,
        explored: &Program,
        most: usize,
        control: &Control,
    ) -> Result<(Visited, FxHashSet<Wrong>), Stop> {
        let compiled = subject.compiled;
        let mut states = Visited::new(compiled.layout.words);
        let mut wrong = FxHashSet::default();
        let mut behaviours = Behaviours::new(explored, compiled, control);
        let mut stopped = None;
        let mut seen = Vec::new();
        behaviours.explore(Some(&self.blocks), most, &mut |met| {
            wrong.extend(subject.wrong(met));
            if let Met::State { state, .. } = met {
                let at = |t: ThreadId| compiled.layout.location(state, t);
                if self.blocks.inside(&at).is_none() {
                    self.observed.of(state, &mut seen);
                    if let Err(stop) = states.insert(&seen, control) {
                        stopped = Some(stop);
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        match stopped {
            Some(stop) => Err(stop),
            None => Ok((states, wrong)),
        }
    }

    /// Whether the exploration of the program can say more.
    fn is_open(&self) -> bool {
        self.told.is_none()
    }

    fn meet(&mut self, subject: &Subject, met: Met, seen: &mut Vec<u64>) {
        let layout = &subject.compiled.layout;
        if let Some((_, known)) = self.atomic.as_ref().filter(|_| self.told.is_none())
            && let Some(new) = subject.wrong(met).into_iter().find(|w| !known.contains(w))
        {
            match met {
                Met::Step { before, to, .. } => {
                    self.told = Some(Told::Wrong(new, before));
                    self.behind = Some(to.to_vec());
                }
                Met::State { number, .. } => self.told = Some(Told::Wrong(new, number)),
            }
        }
        match met {
            Met::Step {
                thread,
                from,
                to,
                edge,
                failed,
                ..
            } => {
                let from = layout.location(from, thread);
                let behind = layout.location(to, thread);
                let own = self.blocks.has(thread, from, edge);
                self.entered |= own;
                let was_inside = own || self.blocks.is_inside(thread, from);
                let is_inside = self.blocks.is_inside(thread, behind);
                self.finished |= was_inside && failed.is_none() && !is_inside;
            }
            Met::State {
                number,
                state,
                deadlocked,
            } => {
                let at = |t: ThreadId| layout.location(state, t);
                let inside = self.blocks.inside(&at);
                if let (Some(thread), true, None) = (inside, deadlocked, self.stuck) {
                    self.stuck = Some((number, thread, at(thread)));
                }
                let Some((known, _)) = self.atomic.as_ref().filter(|_| self.told.is_none()) else {
                    return;
                };
                if inside.is_none() {
                    self.observed.of(state, seen);
                    if known.find(seen).is_none() {
                        self.told = Some(Told::State(number));
                    }
                }
            }
        }
    }

    fn told(self, telling: &Telling) -> Compared {
        let &Telling {
            program,
            compiled,
            behaviours,
            complete,
            stopped,
            ..
        } = telling;
        let stopped = self.stopped.or(stopped.filter(|_| self.atomic.is_some()));
        let answer = match (&self.atomic, self.told, stopped) {
            (Some((known, _)), Some(told), _) => {
                let (by, execution) = match told {
                    Told::State(number) => {
                        let execution = behaviours.execution(number);
                        let state = execution.1.last().map_or(&execution.0, |(_, s)| s).clone();
                        let by = self.distinction(program, compiled, known, &state);
                        (by, execution)
                    }
                    Told::Wrong(wrong, before) => {
                        let mut execution = behaviours.execution(before);
                        let behind = self.behind.iter().map(|s| compiled.layout.unpack(s));
                        if let Wrong::Fails(thread, ..) | Wrong::Violates(thread, ..) = wrong {
                            execution.1.extend(behind.map(|s| (thread, s)));
                        }
                        (Distinction::from(program, wrong), execution)
                    }
                };
                let wrong = match told {
                    Told::Wrong(wrong, _) => Some(wrong),
                    Told::State(_) => None,
                };
                let between = interruption(program, &self.blocks, &execution);
                let trace = telling.repeated(execution, wrong);
                Ok(Found::Different(
                    by,
                    trace.map(Box::new),
                    between.map(Box::new),
                ))
            }
            (_, _, Some(stop)) => Err(stop),
            (Some(_), None, None) => Ok(Found::Same),
            (None, _, None) => Ok(Found::Unasked),
        };
        Compared {
            states: telling
                .scratch
                .is_none()
                .then(|| behaviours.states().into()),
            met: behaviours.states().into(),
            answer,
            entered: self.entered,
            finished: self.finished,
            stuck: self.stuck.map(|(number, thread, location)| {
                let trace = telling.repeated(behaviours.execution(number), None);
                (thread, location, trace)
            }),
            complete,
            unseen: self.observed.unseen,
        }
    }

    /// What tells a state from all those in which the block is atomic.
    fn distinction(
        &self,
        program: &Program,
        compiled: &Compiled,
        known: &Visited,
        state: &State,
    ) -> Distinction {
        let layout = &compiled.layout;
        let mut words = vec![0; layout.words];
        layout.pack(state, &mut words);
        let mut seen = Vec::new();
        self.observed.of(&words, &mut seen);
        let mut other = vec![0; layout.words];
        // The state that differs least, and what it differs in: variables first, then where threads are.
        let mut least: Option<(Vec<Item>, Vec<u64>)> = None;
        let mut values: Vec<(Item, FxHashSet<i64>)> = Vec::new();
        for number in 0..known.len() as u32 {
            known.state(number, &mut other);
            let cells = (0..program.cells.len()).map(Item::Cell);
            let places = (0..program.threads.len()).map(Item::Location);
            let differs = |i: &Item| i.of(layout, &seen) != i.of(layout, &other);
            let items: Vec<Item> = places.chain(cells).filter(differs).collect();
            if let [only] = items.as_slice() {
                let value = only.of(layout, &other);
                match values.iter_mut().find(|(item, _)| item == only) {
                    Some((_, known)) => {
                        known.insert(value);
                    }
                    None => values.push((*only, FxHashSet::from_iter([value]))),
                }
            }
            if least.as_ref().is_none_or(|(l, _)| items.len() < l.len()) {
                least = Some((items, other.clone()));
            }
        }
        // Slots that were renamed are not those of the execution.
        let (slots, refers) = (|c| self.observed.is_slot(c), |c| self.observed.refers(c));
        let name = |item: Item| match item {
            Item::Cell(c) if slots(c) => object(&item.name(program)),
            _ => item.name(program),
        };
        let show = |item: Item, value: i64| match item {
            Item::Cell(c) if refers(c) => SeenAs::Value(object(&program.show(c, value))),
            _ => item.show(program, value),
        };
        values.sort_by_key(|(item, _)| *item);
        if let Some((item, others)) = values.first() {
            let mut others: Vec<i64> = others.iter().copied().collect();
            others.sort_unstable();
            return Distinction::Value {
                name: name(*item),
                value: show(*item, item.of(layout, &seen)),
                others: others.into_iter().map(|v| show(*item, v)).collect(),
            };
        }
        let items = least.map(|(items, _)| items).unwrap_or_default();
        let told = |i: Item| (name(i), show(i, i.of(layout, &seen)));
        Distinction::Together(items.into_iter().map(told).collect())
    }
}

/// `P[0]` as an object that has this number where references lead to it.
fn object(slot: &str) -> String {
    slot.replacen('[', "[object ", 1)
}

/// Something that is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Cell(CellId),
    Location(ThreadId),
}

impl Item {
    fn of(self, layout: &Layout, state: &[u64]) -> i64 {
        match self {
            Item::Cell(c) => layout.cell(state, c),
            Item::Location(t) => layout.location(state, t) as i64,
        }
    }

    fn name(self, program: &Program) -> String {
        match self {
            Item::Cell(c) => program.cells[c].name.clone(),
            Item::Location(t) => program.threads[t].name.clone(),
        }
    }

    fn show(self, program: &Program, value: i64) -> SeenAs {
        match self {
            Item::Cell(c) => SeenAs::Value(program.show(c, value)),
            Item::Location(t) => {
                let place = program.place(t, value as usize);
                let thread = &program.threads[t];
                match thread.locations[value as usize].edges.is_empty() {
                    true => SeenAs::Rests(place.location),
                    false => SeenAs::At(place),
                }
            }
        }
    }
}

impl Distinction {
    fn from(program: &Program, wrong: Wrong) -> Self {
        let whose = |thread: ThreadId, (l, edge): (LocId, usize)| {
            let thread = &program.threads[thread];
            let location = &thread.locations[l];
            let span = location.edges.get(edge).map_or(location.span, |e| e.span);
            (thread.name.clone(), program.position(span))
        };
        match wrong {
            Wrong::Fails(thread, edge, _) => {
                let (thread, at) = whose(thread, edge);
                Distinction::Wrong { thread, at }
            }
            Wrong::Violates(thread, edge, protection) => {
                let (thread, at) = whose(thread, edge);
                let cell = program.protections[protection].cell;
                Distinction::Violation {
                    thread,
                    at,
                    variable: program.cells[cell].name.clone(),
                }
            }
            Wrong::Invariant(n) => Distinction::Invariant(program.properties[n].name.clone()),
        }
    }
}

/// An execution repeated by the interpreter; this goes wrong at its end.
fn repeated(p: &Program, (first, steps): &Execution, wrong: Option<Wrong>) -> Option<Trace> {
    let last = steps.last().map_or(first, |(_, s)| s);
    let is_there = match wrong {
        Some(Wrong::Fails(t, ..)) => p.threads[t].wrong == Some(last.location(t)),
        Some(Wrong::Invariant(n)) => {
            let one = &p.properties[n];
            !holds(p, &p.asked(one.kind, one.expr.clone()), last)
        }
        Some(Wrong::Violates(..)) | None => true,
    };
    if !is_there {
        return None;
    }
    let violates = matches!(wrong, Some(Wrong::Violates(..)));
    let begin = Concrete {
        state: first.clone(),
        violated: initially_violated(p, first),
    };
    let before = std::iter::once(first).chain(steps.iter().map(|(_, s)| s));
    let all = steps.iter().zip(before).enumerate();
    let walked = all.map(|(n, ((thread, after), before))| Walked {
        coarse: n + 1,
        thread: *thread,
        location: before.location(*thread),
        after: after.clone(),
        violated: (violates && n + 1 == steps.len()).then_some(true),
    });
    let mut trace = rerun(p, &begin, walked, true)?.trace;
    if let Some(Wrong::Invariant(n)) = wrong {
        trace.about = of_condition(p, &p.properties[n].expr);
    }
    trace.outcome = Outcome::NotAtomic;
    Some(trace)
}
