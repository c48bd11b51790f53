//! What holds of a thread where it is, for every value of the constant.
//!
//! It is found as a greatest fixpoint: all that its own steps may have brought about,
//! less what some step does not keep. A candidate says that the owner of a mutex is the thread itself, or that a
//! condition holds, or does not, that disciplines mention (a flag that publishes a variable). No step of another
//! thread may take it away. So this is a thread-modular invariant, for every value.

use super::disciplines::{parts, with_parts};
use super::linear::{Linear, Literal};
use super::oracle::Place;
use super::run::{Generic, Machine, Run, Said, Unsaid, Values, View, onward, where_true};
use super::step::{Choosing, Steps};
use super::sums::{Sums, wrong_at};
use super::{Key, Oracle, overlaps};
use crate::base::results::Obstacle;
use crate::model::program::{
    ArrayId, Class, Command, Edge, Expr, LocId, Open, Program, Target, ThreadId,
};
use crate::model::text::ast::BinaryOp;

/// What a thread holds, and where: by kind and location, numbers of candidates.
type Held = Vec<Vec<Vec<usize>>>;

/// What may hold of a thread, in terms of its own text.
#[derive(Clone, Debug, PartialEq)]
enum Candidate {
    /// It is the owner in this cell.
    Owner(Expr),
    /// This is true, or else not.
    Condition(Expr, bool),
}

/// What holds of threads at their locations in all states that are reached, whatever the constant is.
pub(super) struct Known {
    candidates: Vec<Vec<Candidate>>,
    held: Held,
    /// What holds of all threads together, if that was asked for.
    pub sums: Sums,
    /// Of each discipline, whether the predicates of two threads never overlap for a cell in these states.
    pub apart: Vec<bool>,
}

impl Known {
    /// What holds of owners and of what disciplines mention; and of what the text branches on, if that is wanted.
    pub fn alone(oracle: &Oracle, branches: bool) -> Said<Self> {
        let apart = oracle.overlaps.borrow().iter().map(|o| !o).collect();
        Known::new(oracle, branches, None, apart)
    }

    /// The same with branches, wherever threads are, where no sum is above its bound; and whether predicates overlap.
    pub fn together(oracle: &Oracle, sums: Sums) -> Said<Self> {
        let mut known = Known::new(oracle, true, Some(sums), Vec::new())?;
        for d in 0..oracle.disciplines.len() {
            let apart = !oracle.overlaps.borrow()[d] || !overlaps::overlap(oracle, d, &known)?;
            known.apart.push(apart);
        }
        Ok(known)
    }

    fn new(oracle: &Oracle, branches: bool, sums: Option<Sums>, apart: Vec<bool>) -> Said<Self> {
        let of = |like: ThreadId| -> Vec<Candidate> {
            let owned = owned(oracle, like).into_iter().map(Candidate::Owner);
            let conditions = conditions(oracle, like, branches).into_iter();
            let both =
                conditions.flat_map(|e| [true, false].map(|v| Candidate::Condition(e.clone(), v)));
            owned.chain(both).collect()
        };
        let candidates: Vec<Vec<Candidate>> = oracle.kinds.iter().map(|k| of(k.like())).collect();
        let at_ends = sums.is_some();
        let sums = sums.unwrap_or_default();
        let search = Search {
            oracle,
            candidates: &candidates,
            sums: &sums,
            at_ends,
        };
        let held = search.fixpoint()?;
        Ok(Known {
            candidates,
            held,
            sums,
            apart,
        })
    }

    /// The paths on which a thread, of some kind, is at a location, or went wrong at one (`wrong_at`), with what
    /// holds of it there.
    pub fn at(
        &self,
        steps: &Steps,
        runs: Vec<Run>,
        (thread, kind): (usize, usize),
        location: LocId,
    ) -> Said<Vec<Run>> {
        let text = &steps.machine.parametric.program.threads[steps.threads[thread].like];
        let location = match text.locations.get(location) {
            Some(_) => location,
            None => text.wrong.unwrap_or(location),
        };
        let known = self.held[kind].get(location).into_iter().flatten();
        let known = known.map(|c| &self.candidates[kind][*c]).collect();
        placed(steps, runs, thread, location, known)
    }
}

#[cfg(test)]
impl Known {
    /// What holds of a thread of a kind at a location: that it is the owner, or else that something is true or false.
    pub fn told(&self, (k, l): Place) -> Vec<(&Expr, Option<bool>)> {
        let held = self.held[k][l].iter();
        let told = |c: &usize| match &self.candidates[k][*c] {
            Candidate::Owner(owner) => (owner, None),
            Candidate::Condition(e, wanted) => (e, Some(*wanted)),
        };
        held.map(told).collect()
    }
}

/// The owners that a thread's text sets to the thread itself.
pub(super) fn owned(oracle: &Oracle, like: usize) -> Vec<Expr> {
    let program = &oracle.parametric.program;
    let mut all: Vec<Expr> = Vec::new();
    let mut note = |target: &Target, value: Option<&Expr>| {
        let (array, owner) = match target {
            Target::Cell(c) => (program.cells[*c].array, Expr::Cell(*c)),
            Target::Element(a, index) => (*a, Expr::Element(*a, index.clone())),
        };
        let takes = program.arrays[array].class == Class::Owner
            && value != Some(&Expr::Const(crate::model::program::NO_OWNER));
        if takes && !all.contains(&owner) {
            all.push(owner);
        }
    };
    for edge in program.threads[like]
        .locations
        .iter()
        .flat_map(|l| &l.edges)
    {
        each_write(&edge.body, &mut note);
    }
    all
}

/// Calls `f` with what is written, and with the value, unless that is any.
pub(super) fn each_write(commands: &[Command], f: &mut dyn FnMut(&Target, Option<&Expr>)) {
    for command in commands {
        match command {
            Command::Assign(target, value) => f(target, Some(value)),
            Command::Havoc(target) => f(target, None),
            Command::If(_, a, b) => {
                each_write(a, f);
                each_write(b, f);
            }
            Command::Choose(all) => all.iter().for_each(|b| each_write(b, f)),
            Command::Check(..) | Command::Goto(_) => {}
        }
    }
}

/// The conditions on data that a thread's rights depend on, and those that its text branches on, if that is wanted.
fn conditions(oracle: &Oracle, like: usize, branches: bool) -> Vec<Expr> {
    let mut all: Vec<Expr> = Vec::new();
    let program = &oracle.parametric.program;
    let is_data = |e: &Expr| match e {
        Expr::Element(a, _) => program.arrays[*a].class != Class::Owner,
        Expr::Cell(_) | Expr::Const(_) | Expr::Binary(..) | Expr::Not(_) | Expr::Neg(_) => true,
        _ => false,
    };
    for d in &oracle.disciplines {
        let is_data = |e: &Expr| match e {
            Expr::Cell(c) => !d.binders.contains(c),
            other => is_data(other),
        };
        if let Some((write, read)) = d.predicates.get(like) {
            each_condition(write, &is_data, &mut all);
            each_condition(read, &is_data, &mut all);
        }
    }
    let is_variable = |e: &Expr| match e {
        Expr::Cell(c) => program
            .cells
            .get(*c)
            .is_none_or(|c| c.class != Class::Owner),
        other => is_data(other),
    };
    if branches {
        each_branch_of(program, like, &mut |c| {
            each_condition(c, &is_variable, &mut all);
        });
    }
    all
}

/// The conditions that a thread's text branches on, taken apart.
pub(super) fn branches_of(oracle: &Oracle, like: usize) -> Vec<Expr> {
    let mut all = Vec::new();
    each_branch_of(&oracle.parametric.program, like, &mut |c| {
        each_condition(c, &|_| true, &mut all);
    });
    all
}

/// Calls `f` with each condition on which what a thread does depends.
fn each_branch_of(program: &Program, like: usize, f: &mut dyn FnMut(&Expr)) {
    let locations = program.threads[like].locations.iter();
    for edge in locations.flat_map(|l| &l.edges) {
        each_branch(edge, f);
    }
}

/// Calls `f` with each condition on which what an edge does depends.
fn each_branch(edge: &Edge, f: &mut dyn FnMut(&Expr)) {
    fn inside(commands: &[Command], f: &mut dyn FnMut(&Expr)) {
        for command in commands {
            match command {
                Command::If(c, a, b) => {
                    f(c);
                    inside(a, f);
                    inside(b, f);
                }
                Command::Choose(all) => all.iter().for_each(|b| inside(b, f)),
                _ => {}
            }
        }
    }
    edge.guard.iter().for_each(&mut *f);
    inside(&edge.body, f);
}

/// The parts of a predicate that are no combinations of others, and speak of data alone.
fn each_condition(e: &Expr, is_data: &dyn Fn(&Expr) -> bool, all: &mut Vec<Expr>) {
    match e {
        Expr::Const(_) => {}
        Expr::Not(a) => each_condition(a, is_data, all),
        Expr::Cond(a, b, c) => {
            for e in [a, b, c] {
                each_condition(e, is_data, all);
            }
        }
        Expr::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, a, b) => {
            each_condition(a, is_data, all);
            each_condition(b, is_data, all);
        }
        _ => {
            let mut plain = true;
            e.walk(&mut |e| plain &= is_data(e));
            if plain && !all.contains(e) {
                all.push(e.clone());
            }
        }
    }
}

/// Whether a candidate holds in every initial state, whatever the constant is.
fn holds_initially(oracle: &Oracle, candidate: &Candidate) -> bool {
    let Candidate::Condition(e, wanted) = candidate else {
        return false;
    };
    let value = initial(oracle, e).and_then(|e| Open::default().value(&e));
    value.is_some_and(|v| (v != 0) == *wanted)
}

/// An expression with the initial values of its cells; `None` if one of them has no single one.
fn initial(oracle: &Oracle, e: &Expr) -> Option<Expr> {
    let (program, open) = (&oracle.parametric.program, &oracle.parametric.open);
    let array = match e {
        Expr::Cell(c) if open.is_open(*c) => return None,
        Expr::Cell(c) => program.cells[*c].array,
        Expr::Element(a, index) if index.is_empty() => *a,
        // It may be outside for some thread, and then says nothing.
        Expr::Element(..) => return None,
        other => {
            let all: Option<Vec<Expr>> = parts(other).iter().map(|e| initial(oracle, e)).collect();
            return Some(with_parts(other, all?));
        }
    };
    initial_value(oracle, array)
}

/// The initial value of all cells of a variable, which may depend on the constant; `None` if they have no single one.
pub(super) fn initial_value(oracle: &Oracle, array: ArrayId) -> Option<Expr> {
    let (program, open) = (&oracle.parametric.program, &oracle.parametric.open);
    if let Some(known) = open.initial.get(&array) {
        return known.clone();
    }
    let mut values = program.cells_of(array).map(|c| program.cells[c].initial);
    let first = values.next()??;
    values
        .all(|v| v == Some(first))
        .then_some(Expr::Const(first))
}

/// The number of a thread, as owners of locks are told.
pub(super) fn number(m: &Machine, thread: &Generic) -> Said<Linear> {
    let (family, index) = (&m.parametric.open.families[thread.family], &thread.index);
    let low = match &family.bounds {
        Some((low, _)) => m.constant(low)?,
        None => Linear::constant(0),
    };
    Ok(m.constant(&family.number)?.plus(&index.minus(&low), 1))
}

/// The paths on which a candidate holds of a thread.
fn told(
    steps: &Steps,
    run: Run,
    thread: &Generic,
    candidate: &Candidate,
) -> Said<Vec<(Run, bool)>> {
    let m = &steps.machine;
    let view = View {
        thread,
        binders: Values::default(),
        accesses: false,
    };
    let owner = match candidate {
        Candidate::Owner(owner) => owner,
        Candidate::Condition(e, wanted) => {
            let all = m.truth(run, e, &view)?.into_iter();
            return Ok(all.map(|(run, v)| (run, v == Some(*wanted))).collect());
        }
    };
    let this = number(m, thread)?;
    let mut all = Vec::new();
    for (run, value) in m.eval(run, owner, &view)? {
        let Some(value) = value else {
            all.push((run, false));
            continue;
        };
        let (is, other) = m.divide(&run, Literal::Zero(value.minus(&this)))?;
        all.extend(is.map(|run| (run, true)));
        all.extend(other.map(|run| (run, false)));
    }
    Ok(all)
}

/// The paths on which a thread is at a location, and what is known there holds of it.
fn placed(
    steps: &Steps,
    runs: Vec<Run>,
    thread: usize,
    location: LocId,
    known: Vec<&Candidate>,
) -> Said<Vec<Run>> {
    let m = &steps.machine;
    let thread = &steps.threads[thread];
    let index = std::slice::from_ref(&thread.index);
    let runs = onward(runs, |run| {
        onward(
            m.read(run, &Key::Location(thread.family), index)?,
            |(run, l)| {
                let here = Literal::Zero(l.add(-(location as i128)));
                Ok(m.with(&run, here)?.into_iter().collect())
            },
        )
    })?;
    knowing(steps, runs, thread, &known)
}

/// The paths on which a thread owns all of these.
fn knowing(
    steps: &Steps,
    mut runs: Vec<Run>,
    thread: &Generic,
    all: &[&Candidate],
) -> Said<Vec<Run>> {
    for owner in all {
        runs = onward(runs, |run| Ok(where_true(told(steps, run, thread, owner)?)))?;
    }
    Ok(runs)
}

/// Where what holds at locations is looked for.
struct Search<'s, 'p> {
    oracle: &'s Oracle<'p>,
    /// By kind, what may hold.
    candidates: &'s [Vec<Candidate>],
    /// None is above its bound.
    sums: &'s Sums,
    /// Whether it is asked what holds where a thread has ended, too.
    at_ends: bool,
}

impl Search<'_, '_> {
    /// What threads hold at their locations.
    fn fixpoint(&self) -> Said<Held> {
        let mut held: Held = Vec::new();
        for (k, kind) in self.oracle.kinds.iter().enumerate() {
            let thread = &self.oracle.program.threads[kind.like()];
            let all: Vec<usize> = (0..self.candidates[k].len()).collect();
            let first: Vec<usize> = all
                .iter()
                .copied()
                .filter(|c| holds_initially(self.oracle, &self.candidates[k][*c]))
                .collect();
            // Where a thread begins, what holds initially.
            let at = |l: LocId| match thread.locations[l].edges.is_empty() {
                true if !self.at_ends => Vec::new(),
                _ if l == thread.initial => first.clone(),
                _ => all.clone(),
            };
            held.push((0..thread.locations.len()).map(at).collect());
        }
        loop {
            let mut changed = false;
            for k in 0..self.oracle.kinds.len() {
                changed |= self.own_steps(&mut held, k)?;
                for other in 0..self.oracle.kinds.len() {
                    changed |= self.others_steps(&mut held, (k, other))?;
                }
            }
            if !changed {
                return Ok(held);
            }
        }
    }

    /// States in which threads are at locations and hold what they hold there.
    fn begun(&self, steps: &Steps, kinds: &[usize], at: &[(LocId, &Vec<usize>)]) -> Said<Vec<Run>> {
        let mut runs = self.oracle.begun(steps, kinds, self.oracle.from.get())?;
        for (n, (location, held)) in at.iter().enumerate() {
            let candidates = &self.candidates[kinds[n]];
            let known = held.iter().map(|c| &candidates[*c]).collect();
            runs = placed(steps, runs, n, *location, known)?;
        }
        let places = kinds.iter().zip(at).map(|(k, (l, _))| Some((*k, *l)));
        let places: Vec<Option<Place>> = places.collect();
        self.sums.below(self.oracle, steps, &places, runs, &[])
    }

    /// Drops what a thread's own steps do not bring with them.
    fn own_steps(&self, held: &mut Held, k: usize) -> Said<bool> {
        let mut changed = false;
        let thread = &self.oracle.program.threads[self.oracle.kinds[k].like()];
        for l in thread.steps() {
            let steps = self.oracle.steps(&[k]);
            let here = held[k][l].clone();
            for run in self.begun(&steps, &[k], &[(l, &here)])? {
                for end in steps.step(run, &steps.threads[0], l, &mut Choosing::All)? {
                    let Some(to) = end.location_of(&steps.threads[0]) else {
                        return Err(Unsaid::Because(Obstacle::Form));
                    };
                    let Some(there) = held[k].get(to).cloned() else {
                        continue;
                    };
                    for c in there {
                        let candidate = &self.candidates[k][c];
                        let all = told(&steps, end.clone(), &steps.threads[0], candidate)?;
                        if all.iter().any(|(_, owns)| !owns) {
                            held[k][to].retain(|x| *x != c);
                            changed = true;
                        }
                    }
                }
            }
        }
        Ok(changed)
    }

    /// Drops what another thread's step may take away.
    fn others_steps(&self, held: &mut Held, (k, other): (usize, usize)) -> Said<bool> {
        let thread = &self.oracle.program.threads[self.oracle.kinds[other].like()];
        let mut changed = false;
        for c in 0..self.candidates[k].len() {
            for l in thread.steps() {
                let here = |at: &Vec<usize>| at.contains(&c);
                let places: Vec<LocId> = (0..held[k].len())
                    .filter(|at| here(&held[k][*at]))
                    .collect();
                if places.is_empty() {
                    break;
                }
                // Mostly nothing else has to be known of the thread.
                let theirs = held[other][l].clone();
                let alone = (None, vec![c]);
                if !self.takes_away((k, alone, c), (other, l, &theirs))? {
                    continue;
                }
                let mut lost = Vec::new();
                for at in places {
                    let mine = (Some(at), held[k][at].clone());
                    if self.takes_away((k, mine, c), (other, l, &theirs))? {
                        lost.push(at);
                    }
                }
                for at in lost {
                    held[k][at].retain(|x| *x != c);
                    changed = true;
                }
            }
        }
        Ok(changed)
    }

    /// Whether a step of a thread, of which something is known, may make something untrue that is wanted of another
    /// thread, of which that and more is known.
    fn takes_away(
        &self,
        (k, (at, mine), wanted): (usize, (Option<LocId>, Vec<usize>), usize),
        (other, l, theirs): (usize, LocId, &[usize]),
    ) -> Said<bool> {
        let kinds = [k, other];
        let steps = self.oracle.steps(&kinds);
        let (one, two) = (&steps.threads[0], &steps.threads[1]);
        let of = |k: usize, all: &[usize]| -> Vec<&Candidate> {
            all.iter().map(|c| &self.candidates[k][*c]).collect()
        };
        let (mine, theirs) = (of(k, &mine), of(other, theirs));
        let mut runs = self.oracle.begun(&steps, &kinds, self.oracle.from.get())?;
        match at {
            // Where threads are matters to sums only.
            Some(at) if !self.sums.is_empty() => {
                runs = placed(&steps, runs, 0, at, mine)?;
                runs = placed(&steps, runs, 1, l, theirs)?;
                // Who went wrong did so somewhere.
                let text = &self.oracle.parametric.program.threads[one.like];
                let wrong = text.steps().map(|l| wrong_at(text, l));
                let from: Vec<LocId> = match text.wrong == Some(at) {
                    true => wrong.collect(),
                    false => vec![at],
                };
                runs = onward(from, |at| {
                    let places = [Some((k, at)), Some((other, l))];
                    let runs = runs.clone();
                    self.sums.below(self.oracle, &steps, &places, runs, &[])
                })?;
            }
            _ => {
                runs = knowing(&steps, runs, one, &mine)?;
                runs = knowing(&steps, runs, two, &theirs)?;
            }
        }
        let ends = onward(runs, |run| steps.step(run, two, l, &mut Choosing::All))?;
        let wanted = &self.candidates[k][wanted];
        let after = onward(ends, |run| told(&steps, run, one, wanted))?;
        Ok(after.iter().any(|(_, holds)| !holds))
    }
}
