//! The inductive part of a bundle: J, and the sets X and `Y_i` of the reduced system.
//!
//! Three things are checked. X has the initial states. `Y_i` has the states to which visible steps of i lead from X,
//! and invisible steps of i from `Y_i`. X has the states of `Y_i` in which no invisible step of i is enabled. Then X
//! has all states of the reduced system, and the `Y_i` have all states inside its steps. If none of these is bad, no
//! bad state is reached. With phases, a thread's steps from outside its transactions stand for visible ones and those
//! inside for invisible ones; X has the states with all threads outside. If a thread is blocked inside, no other is
//! scheduled. No thread may have gone wrong in any set, also if the bundle does not claim that. Without a theorem X is
//! an invariant of the original program: it has the initial states, and every step from X leads to X. Small sets are
//! gone through by the interpreter, others in an encoding built anew.
//!
//! No set is restricted before it is compared, except to type-correct states, which no step leaves. All initial states
//! of the model count: if one of them violates the discipline, the bundle is rejected.

use super::encoded::Encoded;
use super::judge::is_enabled;
use super::phases::each_step;
use super::space::{Marked, Space};
use crate::base::control::Stop;
use crate::base::evidence::{Part, Root};
use crate::engine::{holds, initial_candidates, initially_violated, is_deadlock, is_initial};
use crate::model::Loaded;
use crate::model::program::{Expr, LocId, Program, Property, ThreadId};
use crate::model::text::ast::PropertyKind;
use crate::theorem::{Phase, Phased};
use biodivine_lib_bdd::Bdd;
use num_bigint::BigUint;
use std::ops::ControlFlow;

/// Steps, about, that are gone through one by one: some tenths of a second.
const MOST: u64 = 1 << 17;
/// Where the encoding is too large: some minutes.
const MOST_AFTER_ALL: u64 = 1 << 26;
/// Initial candidates gone through.
const MOST_INITIAL: u64 = 1 << 20;

/// A property that is claimed.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// No violation of the discipline.
    Discipline,
    /// No thread goes wrong.
    Assertions,
    /// No deadlock.
    DeadlockFree,
    /// An invariant, by position in the program's properties.
    Invariant(usize),
    /// A block that is a transaction, by position in the program's claims.
    Transaction(usize),
    /// No state satisfies this.
    Never(Expr),
    /// No more states than this are reached.
    States(BigUint),
}

/// The claim of this name.
///
/// # Errors
/// If the model has no such property, or one that a set of states can't prove.
pub fn claim(model: &Loaded, program: &Program, name: &str) -> Result<Claim, &'static str> {
    match name {
        "discipline" => return Ok(Claim::Discipline),
        "assertions" => return Ok(Claim::Assertions),
        "deadlock_free" => return Ok(Claim::DeadlockFree),
        _ => {}
    }
    match name.split_once(' ') {
        Some(("never", goal)) => return Ok(Claim::Never(self::goal(model, program, goal)?)),
        Some(("states", n)) => {
            let n: Option<BigUint> = n.parse().ok();
            return Ok(Claim::States(n.ok_or("a number of states that is none")?));
        }
        _ => {}
    }
    if let Some(n) = program.claims.iter().position(|c| c.name == name) {
        return Ok(Claim::Transaction(n));
    }
    let all = program.properties.iter().chain(&program.lemmas);
    match { all }.position(|p| p.name == name && p.kind != PropertyKind::Reach) {
        Some(n) => Ok(Claim::Invariant(n)),
        None => Err("a claim that is no property of the model, or one that needs an execution"),
    }
}

/// What a goal asks for: a `reach` property by name, or `find` and a condition.
///
/// # Errors
/// If there is no such goal, or the condition has errors.
pub fn goal(model: &Loaded, program: &Program, name: &str) -> Result<Expr, &'static str> {
    if let Some(("find", condition)) = name.split_once(' ') {
        let read = model.state_expression(condition);
        let expr = read.map_err(|_| "a condition that is none of the model")?;
        return Ok(program.asked(PropertyKind::Reach, expr));
    }
    let mut all = program.properties.iter();
    let known = all.find(|p| p.name == name && p.kind == PropertyKind::Reach);
    known
        .map(|p| p.expr.clone())
        .ok_or("a goal that is none of the model")
}

/// The property of this position: the model's properties, then its lemmas.
pub fn property(program: &Program, n: usize) -> Option<&Property> {
    let mut all = program.properties.iter().chain(&program.lemmas);
    all.nth(n)
}

/// How the sets were checked.
#[derive(Clone, Debug, Default)]
pub struct Inductive {
    /// How many states X and the `Y_i` have, if they were gone through.
    pub states: Option<(u64, u64)>,
    /// Nodes of their diagrams.
    pub nodes: (usize, usize),
    /// How many states J has, if they were gone through.
    pub invariant: Option<u64>,
    /// Whether there is no initial state.
    pub vacuous: bool,
}

/// Why a set is not accepted.
#[derive(Clone, Debug)]
pub enum Refused {
    /// What is wrong.
    Wrong(String),
    /// The check was cut short.
    Stopped(Stop),
}

impl From<Stop> for Refused {
    fn from(stop: Stop) -> Self {
        Refused::Stopped(stop)
    }
}

fn wrong<T>(why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused::Wrong(why.into()))
}

/// All that the sets are held against.
pub struct Sets<'a, 'p> {
    /// The program.
    pub program: &'p Program,
    /// The part of the bundle.
    pub part: &'a Part,
    /// Its sets.
    pub space: &'a Space<'p>,
    /// The program's phases, if it has some.
    pub phased: Option<&'a Phased>,
    /// Whether X is an invariant of the original program, and nothing is reduced.
    pub plain: bool,
    /// Which actions are visible.
    pub visible: &'a dyn Fn(ThreadId, LocId) -> bool,
    /// What is claimed.
    pub claims: &'a [Claim],
    /// For what is large.
    pub encoded: &'a Encoded<'p>,
}

impl Sets<'_, '_> {
    /// Checks J, X and the `Y_i`.
    ///
    /// # Errors
    /// The first state, or condition, that is not as it has to be.
    pub fn check(&self) -> Result<Inductive, Refused> {
        let (x, ys, space) = (self.part.states, &self.part.inside, self.space);
        let sets = if self.plain {
            0
        } else {
            self.program.threads.len()
        };
        if ys.len() != sets {
            return wrong("there is not one set Y for each thread");
        }
        let starts = self.initial()?;
        self.begins_well(starts.as_deref())?;
        self.counted()?;
        let mut done = Inductive {
            vacuous: match &starts {
                Some(all) => all.is_empty(),
                None => self.encoded.encoding()?.initial.is_false(),
            },
            ..Inductive::default()
        };
        done.nodes.0 = space.size(x);
        done.nodes.1 = ys.iter().map(|y| space.size(*y)).sum();
        if let Some(j) = self.part.invariant {
            done.invariant = self.few(&[j], MOST).filter(|_| starts.is_some());
            match (done.invariant, &starts) {
                (Some(_), Some(starts)) => self.walk_invariant(j, starts, "J")?,
                _ => self.encoded_invariant(j, "J")?,
            }
        }
        if self.plain {
            done.states = self.invariant(starts.as_deref())?.map(|n| (n, 0));
            return Ok(done);
        }
        let few = self.few(&[&[x], ys.as_slice()].concat(), MOST);
        match (few, self.few(&[x], MOST), &starts) {
            (Some(all), Some(n), Some(starts)) => {
                done.states = Some((n, all - n));
                self.walk(starts)?;
            }
            _ => self.encoded()?,
        }
        Ok(done)
    }

    /// Checks X as an invariant of the original program. How many states it has, if they were gone through: where there
    /// are many, that is done only if the encoding is too large.
    fn invariant(&self, starts: Option<&[Marked]>) -> Result<Option<u64>, Refused> {
        let x = self.part.states;
        let walk = |most: u64| match (self.few(&[x], most), starts) {
            (Some(n), Some(starts)) => {
                let done = self.walk_invariant(x, starts, "X");
                Some(done.map(|()| Some(n)))
            }
            _ => None,
        };
        if let Some(done) = walk(MOST) {
            return done;
        }
        match self.encoded_invariant(x, "X") {
            Ok(()) => Ok(None),
            Err(Refused::Stopped(stop @ (Stop::Nodes | Stop::Effort | Stop::Variables))) => {
                walk(MOST_AFTER_ALL).unwrap_or(Err(Refused::Stopped(stop)))
            }
            Err(why) => Err(why),
        }
    }

    /// How many states sets have together, if at most so many steps, about, lead from them.
    fn few(&self, all: &[Root], most: u64) -> Option<u64> {
        let mut sum = 0u64;
        for root in all {
            sum = sum.saturating_add(self.space.count(*root)?);
        }
        let dear = (self.program.threads.len() + self.program.cells.len() / 8) as u64;
        (sum.saturating_mul(dear) <= most).then_some(sum)
    }

    /// Checks that no initial state violates the discipline: no path drops one.
    fn begins_well(&self, starts: Option<&[Marked]>) -> Result<(), Refused> {
        let violated = match starts {
            Some(all) => all.iter().any(|s| s.violated),
            None => {
                let e = self.encoded.encoding()?;
                !e.m.disjoint(&e.initial, &e.q())
            }
        };
        match violated {
            true => wrong("an initial state violates the discipline"),
            false => Ok(()),
        }
    }

    /// Checks the numbers of states that are claimed.
    fn counted(&self) -> Result<(), Refused> {
        let numbers = self.claims.iter().filter_map(|c| match c {
            Claim::States(n) => Some(n),
            _ => None,
        });
        for most in numbers {
            if !self.plain {
                return wrong("a number of states is claimed of a reduced system");
            }
            match self.space.cardinality(self.part.states) {
                Some(n) if n <= *most => {}
                _ => return wrong("X has more states than are claimed"),
            }
        }
        Ok(())
    }

    /// Whether no set has a state that violates the discipline: the reduced system says nothing behind a violation.
    fn keeps_the_discipline(&self) -> bool {
        !self.plain || self.claims.contains(&Claim::Discipline)
    }

    /// The initial states, if they are not too many.
    fn initial(&self) -> Result<Option<Vec<Marked>>, Stop> {
        let p = self.program;
        let sizes = p.cells.iter().filter(|c| c.initial.is_none());
        let all = sizes.fold(1u64, |n, c| n.saturating_mul(c.ty.size()));
        if all > MOST_INITIAL {
            return Ok(None);
        }
        let mut found = Vec::new();
        for state in initial_candidates(p) {
            self.encoded.control().check()?;
            if is_initial(p, &state) {
                let violated = initially_violated(p, &state);
                found.push(Marked { state, violated });
            }
        }
        Ok(Some(found))
    }

    fn place(&self, t: ThreadId, s: &Marked) -> String {
        let thread = &self.program.threads[t];
        let location = &thread.locations[s.state.location(t)];
        format!("{} at {}", thread.name, location.name)
    }

    /// Goes through a set; the first complaint ends it.
    fn each(
        &self,
        set: Root,
        look: &mut dyn FnMut(&Marked) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let outcome = self.space.each(set, &mut |s| {
            let stopped = self.encoded.control().check().map_err(Refused::Stopped);
            match stopped.and_then(|()| look(s)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(why) => ControlFlow::Break(why),
            }
        });
        match outcome {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(why) => Err(why),
        }
    }

    /// Whether a thread is inside a transaction.
    fn is_inside(&self, t: ThreadId, location: LocId) -> bool {
        self.phased
            .is_some_and(|p| p.phases[t][location] != Phase::Outside)
    }

    /// Whether all steps of a thread lead into a set.
    fn stays(&self, t: ThreadId, s: &Marked, set: Root, name: &str) -> Result<(), Refused> {
        let mut inside = true;
        each_step(self.program, self.phased.is_some(), t, s, &mut |next| {
            inside &= self.space.has(set, &next)
        });
        match inside {
            true => Ok(()),
            false => wrong(format!(
                "a step of {} leads out of {name}",
                self.place(t, s)
            )),
        }
    }

    fn walk_invariant(&self, set: Root, starts: &[Marked], name: &str) -> Result<(), Refused> {
        let control = self.encoded.control();
        control.enter(format!("{name}, state by state"));
        if !starts.iter().all(|s| self.space.has(set, s)) {
            return wrong(format!("an initial state is not in {name}"));
        }
        self.each(set, &mut |s| {
            if self.plain {
                self.good(s, name)?;
            }
            (0..self.program.threads.len()).try_for_each(|t| self.stays(t, s, set, name))
        })
    }

    fn walk(&self, starts: &[Marked]) -> Result<(), Refused> {
        let (p, space, x) = (self.program, self.space, self.part.states);
        self.encoded.control().enter("X and Y, state by state");
        let hidden = |t: ThreadId, s: &Marked| {
            let l = s.state.location(t);
            match self.phased {
                Some(_) => self.is_inside(t, l),
                None => !(self.visible)(t, l) && is_enabled(p, t, &s.state),
            }
        };
        for s in starts {
            if !space.has(x, s) {
                return wrong("an initial state is not in X");
            }
            if let Some(t) = (0..p.threads.len()).find(|t| hidden(*t, s)) {
                let place = self.place(t, s);
                return wrong(format!("an invisible step can be the first: {place}"));
            }
        }
        self.each(x, &mut |s| {
            self.good(s, "X")?;
            if (0..p.threads.len()).any(|t| self.is_inside(t, s.state.location(t))) {
                return wrong("a state of X has a thread inside a transaction");
            }
            for (t, y) in self.part.inside.iter().enumerate() {
                if (self.visible)(t, s.state.location(t)) {
                    self.stays(t, s, *y, "its set Y")?;
                }
            }
            Ok(())
        })?;
        for (t, &y) in self.part.inside.iter().enumerate() {
            self.each(y, &mut |s| {
                self.good(s, "Y")?;
                if hidden(t, s) {
                    return self.stays(t, s, y, "its set Y");
                }
                match space.has(x, s) {
                    true => Ok(()),
                    false => wrong(format!(
                        "the end of a step is not in X: {}",
                        self.place(t, s)
                    )),
                }
            })?;
        }
        Ok(())
    }

    /// Whether no claim excludes a state.
    fn good(&self, s: &Marked, set: &str) -> Result<(), Refused> {
        let p = self.program;
        if s.violated && self.keeps_the_discipline() {
            return wrong(format!("a state of {set} violates the discipline"));
        }
        let mut all = p.threads.iter().enumerate();
        let gone = all.any(|(t, thread)| thread.wrong == Some(s.state.location(t)));
        if gone && self.phased.is_some() {
            return wrong(format!("a thread has gone wrong in a state of {set}"));
        }
        for claim in self.claims {
            let (bad, what) = match claim {
                Claim::Discipline | Claim::Transaction(_) | Claim::States(_) => (false, ""),
                Claim::Assertions => (gone, "assertions"),
                Claim::DeadlockFree => {
                    let meant = !(self.plain && p.errors_end && gone);
                    (meant && is_deadlock(p, &s.state), "deadlock_free")
                }
                Claim::Invariant(n) => {
                    let property = property(p, *n).ok_or("there is no such property")?;
                    (!holds(p, &property.expr, &s.state), property.name.as_str())
                }
                Claim::Never(goal) => (holds(p, goal, &s.state), "that a goal is never met"),
            };
            if bad {
                return wrong(format!("a state of {set} violates {what}"));
            }
        }
        Ok(())
    }

    fn set(&self, root: Root) -> Result<Bdd, Refused> {
        match self.encoded.set(self.space, root)? {
            Some(set) => Ok(set),
            None => wrong(
                "a set is too large to be gone through, and its bits are in another order than the encoding's",
            ),
        }
    }

    fn encoded_invariant(&self, set: Root, of: &str) -> Result<(), Refused> {
        let control = self.encoded.control();
        control.enter(format!("{of}, in the encoding built anew"));
        let set = self.set(set)?;
        let e = self.encoded.encoding()?;
        if !e.m.within(&e.initial, &set) {
            return wrong(format!("an initial state is not in {of}"));
        }
        if self.plain && self.bad()?.iter().any(|b| !e.m.disjoint(b, &set)) {
            return wrong(format!("a state of {of} violates what is claimed"));
        }
        for a in &e.actions {
            if !e.m.within(&a.rel.image(&e.m, &set)?, &set) {
                let thread = &self.program.threads[a.thread];
                let location = &thread.locations[a.location].name;
                return wrong(format!(
                    "a step of {} at {location} leads out of {of}",
                    thread.name
                ));
            }
        }
        Ok(())
    }

    fn encoded(&self) -> Result<(), Refused> {
        self.encoded
            .control()
            .enter("X and Y, in the encoding built anew");
        let x = self.set(self.part.states)?;
        let e = self.encoded.encoding()?;
        let m = &e.m;
        if !m.within(&e.initial, &x) {
            return wrong("an initial state is not in X");
        }
        let bad = self.bad()?;
        let mut inside = m.no();
        for (t, thread) in self.program.threads.iter().enumerate() {
            for l in (0..thread.locations.len()).filter(|l| self.is_inside(t, *l)) {
                inside = m.or(&inside, &e.at(t, l))?;
            }
        }
        if !m.disjoint(&x, &inside) {
            return wrong("a state of X has a thread inside a transaction");
        }
        if bad.iter().any(|b| !m.disjoint(b, &x)) {
            return wrong("a state of X violates what is claimed");
        }
        for (t, &y) in self.part.inside.iter().enumerate() {
            let y = self.set(y)?;
            if bad.iter().any(|b| !m.disjoint(b, &y)) {
                return wrong("a state of Y violates what is claimed");
            }
            let mut ends = y.clone();
            for a in e.of_thread(t).map(|a| &e.actions[a]) {
                let visible = (self.visible)(t, a.location);
                let from = if visible { &x } else { &y };
                if !m.within(&a.rel.image(m, from)?, &y) {
                    let thread = &self.program.threads[t];
                    let location = &thread.locations[a.location].name;
                    let name = &thread.name;
                    return wrong(format!(
                        "a step of {name} at {location} leads out of its set Y"
                    ));
                }
                if self.is_inside(t, a.location) {
                    ends = m.and_not(&ends, &e.at(t, a.location))?;
                } else if !visible {
                    ends = m.and_not(&ends, &a.enabled)?;
                    if !m.disjoint(&e.initial, &a.enabled) {
                        return wrong("an invisible step can be the first");
                    }
                }
            }
            if !m.within(&ends, &x) {
                return wrong("the end of a step is not in X");
            }
        }
        Ok(())
    }

    /// The states that must not occur.
    fn bad(&self) -> Result<Vec<Bdd>, Stop> {
        let e = self.encoded.encoding()?;
        let mut all = Vec::new();
        if self.keeps_the_discipline() {
            all.push(e.q());
        }
        if self.phased.is_some() {
            all.push(self.excluded(&Claim::Assertions)?);
        }
        for claim in self.claims {
            all.push(self.excluded(claim)?);
        }
        Ok(all)
    }

    /// The states that a claim excludes, violations of the discipline left aside.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn excluded(&self, claim: &Claim) -> Result<Bdd, Stop> {
        let e = self.encoded.encoding()?;
        let (m, p) = (&e.m, self.program);
        Ok(match claim {
            Claim::Discipline | Claim::Transaction(_) | Claim::States(_) => m.no(),
            Claim::Never(goal) => e.predicate(goal)?,
            Claim::Assertions => {
                let threads = p.threads.iter().enumerate();
                let gone = threads.filter_map(|(t, thread)| Some(e.at(t, thread.wrong?)));
                gone.into_iter()
                    .try_fold(m.no(), |all, there| m.or(&all, &there))?
            }
            Claim::DeadlockFree => {
                let mut resting = m.yes();
                for (t, thread) in p.threads.iter().enumerate() {
                    let mut rests = m.no();
                    for l in thread.resting() {
                        rests = m.or(&rests, &e.at(t, l))?;
                    }
                    resting = m.and(&resting, &rests)?;
                }
                let mut dead = resting.not();
                for a in &e.actions {
                    dead = m.and_not(&dead, &a.enabled)?;
                }
                match self.plain && p.errors_end {
                    true => m.and_not(&dead, &self.excluded(&Claim::Assertions)?)?,
                    false => dead,
                }
            }
            Claim::Invariant(n) => match property(p, *n) {
                Some(property) => e.predicate(&property.expr)?.not(),
                None => m.yes(),
            },
        })
    }
}
