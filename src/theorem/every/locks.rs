//! Which locks a thread owns at most where it is, and whether it waits for none but one above them, for every value.
//!
//! Where each thread waits for a lock above all that it owns, no threads wait for each other in a circle (Havender
//! 1968; Coffman, Elphick & Shoshani 1971, condition 4). Cells of one array are in the order of their indices; how
//! arrays go together is left to who asks. What is owned at most is a least fixpoint over locations: each owner is one
//! that the thread's text takes, with the indices as they are where the thread is.

use super::access::{number, owned};
use super::linear::{Linear, Literal};
use super::oracle::{Oracle, Place};
use super::run::{Generic, Key, Machine, Run, Said, Unsaid, Values, View, onward};
use super::step::{Choosing, Steps};
use super::sums::wrong_at;
use crate::base::results::Obstacle;
use crate::model::program::{ArrayId, Class, Expr, LocId, NO_OWNER};
use std::collections::{BTreeMap, BTreeSet};

/// An owner in a thread's text: the variable, and its indices.
type Lock = (ArrayId, Vec<Expr>);

/// The same on a path.
type Cell = (ArrayId, Vec<Linear>);

/// Owners that a thread may be, by their numbers; none if it may be others.
type Most = Option<BTreeSet<usize>>;

/// Pairs of variables, of which the second has to be above the first.
pub type Above = BTreeSet<(ArrayId, ArrayId)>;

/// What threads own at most.
pub(super) struct Locks {
    /// By kind, the owners that its text takes.
    taken: Vec<Vec<Lock>>,
    /// By kind, at each location that is reached; of those that went wrong, by where, too (`wrong_at`).
    most: Vec<BTreeMap<LocId, Most>>,
}

fn form() -> Unsaid {
    Unsaid::Because(Obstacle::Form)
}

impl Locks {
    /// What the threads own at most.
    ///
    /// # Errors
    /// What can't be said, or a limit that was hit.
    pub fn new(oracle: &Oracle) -> Said<Self> {
        let program = &oracle.parametric.program;
        let is_free = |a: ArrayId| {
            let mut cells = program.cells_of(a).map(|c| &program.cells[c]);
            let open = oracle.parametric.open.initial.contains_key(&a);
            !open && cells.all(|c| c.initial == Some(NO_OWNER))
        };
        let mut owners = (0..program.arrays.len()).filter(|a| is_owner(oracle, *a));
        if !owners.all(is_free) {
            return Err(form());
        }
        let mut locks = Locks {
            taken: Vec::new(),
            most: Vec::new(),
        };
        for (k, kind) in oracle.kinds.iter().enumerate() {
            let taken = owned(oracle, kind.like());
            let taken = taken.iter().filter_map(|e| oracle.mention(e));
            let only_own = |lock: &Lock| lock.1.iter().all(|e| oracle.is_of(e, kind.like()));
            locks.taken.push(taken.filter(only_own).collect());
            locks.most.push(BTreeMap::new());
            locks.follow(oracle, k)?;
        }
        Ok(locks)
    }

    /// Finds what the threads of a kind own at most.
    fn follow(&mut self, oracle: &Oracle, k: usize) -> Said<()> {
        let thread = &oracle.parametric.program.threads[oracle.kinds[k].like()];
        self.most[k].insert(thread.initial, Some(BTreeSet::new()));
        let mut open = vec![thread.initial];
        while let Some(l) = open.pop() {
            let (steps, begun) = oracle.begun_behind_branches((k, l))?;
            for (run, mine) in self.mine(&steps, (k, l), begun)? {
                for end in steps.step(run, &steps.threads[0], l, &mut Choosing::All)? {
                    let to = end.location_of(&steps.threads[0]).ok_or_else(form)?;
                    let wrong = end.failed.map(|_| wrong_at(thread, l));
                    for to in [to].into_iter().chain(wrong) {
                        let before = self.most[k].get(&to).cloned();
                        let mut there = before.clone().unwrap_or_else(|| Some(BTreeSet::new()));
                        let all = taken_by(&steps, &end)?.into_iter().chain(mine.clone());
                        for cell in all {
                            self.note(&steps, k, (&end, &cell), &mut there)?;
                        }
                        if self.most[k][&l].is_none() {
                            there = None;
                        }
                        if before.as_ref() != Some(&there) {
                            self.most[k].insert(to, there);
                            open.extend((Some(to) != wrong).then_some(to));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds what it takes to a thread's owners at most, if it may own a cell behind a step.
    fn note(
        &self,
        steps: &Steps,
        k: usize,
        (end, cell): (&Run, &Cell),
        most: &mut Most,
    ) -> Said<()> {
        for run in owning(steps, end.clone(), cell)? {
            let Some(known) = most.as_mut() else { break };
            let of = |numbers: &BTreeSet<usize>| -> Vec<&Lock> {
                numbers.iter().map(|n| &self.taken[k][*n]).collect()
            };
            if self
                .others(steps, run.clone(), cell, &of(known))?
                .is_empty()
            {
                continue;
            }
            let mut found = None;
            for n in 0..self.taken[k].len() {
                let with = known.iter().copied().chain([n]).collect();
                if self
                    .others(steps, run.clone(), cell, &of(&with))?
                    .is_empty()
                {
                    found = Some(with);
                    break;
                }
            }
            *most = found;
        }
        Ok(())
    }

    /// The paths on which a cell is none of these.
    fn others(&self, steps: &Steps, run: Run, cell: &Cell, locks: &[&Lock]) -> Said<Vec<Run>> {
        let mut runs = vec![run];
        for lock in locks.iter().filter(|lock| lock.0 == cell.0) {
            runs = onward(runs, |run| {
                let all = steps
                    .machine
                    .indices(run, &lock.1, &view(&steps.threads[0]))?;
                onward(all, |(run, index)| match index {
                    None => Ok(vec![run]),
                    Some(index) => Ok(steps.machine.same(&run, &cell.1, &index)?.1),
                })
            })?;
        }
        Ok(runs)
    }

    /// The cells that a thread may own at a place, on each path.
    fn mine(&self, steps: &Steps, (k, l): Place, runs: Vec<Run>) -> Said<Vec<(Run, Vec<Cell>)>> {
        let numbers = self.most[k].get(&l).into_iter().flatten().flatten();
        let mut all: Vec<(Run, Vec<Cell>)> = runs.into_iter().map(|r| (r, Vec::new())).collect();
        for lock in numbers.map(|n| &self.taken[k][*n]) {
            all = onward(all, |(run, cells)| {
                let found = steps
                    .machine
                    .indices(run, &lock.1, &view(&steps.threads[0]))?;
                let longer = found.into_iter().map(|(run, index)| {
                    let cell = index.map(|index| (lock.0, index));
                    (run, cells.iter().cloned().chain(cell).collect())
                });
                Ok(longer.collect())
            })?;
        }
        Ok(all)
    }

    /// The paths on which a thread at a place does not own a cell, or it is one of those that it may own there.
    pub fn admits(
        &self,
        steps: &Steps,
        thread: &Generic,
        (k, l): Place,
        (run, (array, index)): (Run, &Cell),
    ) -> Said<Vec<Run>> {
        let m = &steps.machine;
        let Some(Some(numbers)) = self.most[k].get(&l) else {
            return Ok(vec![run]);
        };
        let this = number(m, thread)?;
        let mut open = Vec::new();
        let mut all = Vec::new();
        for (run, value) in m.element(run, *array, index.clone(), &view(thread), None)? {
            let Some(value) = value else {
                all.push(run);
                continue;
            };
            let (owns, other) = m.divide(&run, Literal::Zero(value.minus(&this)))?;
            all.extend(other);
            open.extend(owns);
        }
        for lock in numbers
            .iter()
            .map(|n| &self.taken[k][*n])
            .filter(|lock| lock.0 == *array)
        {
            open = onward(open, |run| {
                let indices = m.indices(run, &lock.1, &view(thread))?;
                onward(indices, |(run, taken)| match taken {
                    None => Ok(vec![run]),
                    Some(taken) => {
                        let (same, apart) = m.same(&run, index, &taken)?;
                        all.extend(same);
                        Ok(apart)
                    }
                })
            })?;
        }
        Ok(all)
    }

    /// Whether a thread may own anything at a place.
    pub fn owns_something(&self, (k, l): Place) -> bool {
        let most = self.most[k].get(&l);
        most.is_some_and(|most| most.as_ref().is_none_or(|most| !most.is_empty()))
    }

    /// Where a step waits for a lock only, and that is above all that its thread owns: which variables have to be above
    /// which for that. None if it may wait for something else, or for another lock.
    ///
    /// # Errors
    /// What can't be said, or a limit that was hit.
    pub fn ascends(&self, oracle: &Oracle, (k, l): Place) -> Said<Option<Above>> {
        if !matches!(self.most[k].get(&l), Some(Some(_))) {
            return Ok(None);
        }
        let (steps, begun) = oracle.begun_behind_branches((k, l))?;
        let waiting = onward(begun, |run| steps.is_enabled(run, &steps.threads[0], l))?;
        let waiting = waiting.into_iter().filter(|(_, enabled)| !enabled);
        let waiting: Vec<Run> = waiting.map(|(run, _)| run).collect();
        let mut looked = Vec::new();
        let thread = &oracle.parametric.program.threads[oracle.kinds[k].like()];
        for guard in thread.locations[l]
            .edges
            .iter()
            .filter_map(|e| e.guard.as_ref())
        {
            guard.walk(&mut |e| looked.extend(oracle.mention(e)));
        }
        for lock in looked.into_iter().filter(|lock| is_owner(oracle, lock.0)) {
            let mut above = Above::new();
            let mut fine = true;
            for (run, mine) in self.mine(&steps, (k, l), waiting.clone())? {
                fine = fine && above_all(&steps, run, &lock, &mine, &mut above)?;
            }
            if fine {
                return Ok(Some(above));
            }
        }
        Ok(None)
    }
}

/// Whether a variable holds the owners of locks.
fn is_owner(oracle: &Oracle, array: ArrayId) -> bool {
    oracle.parametric.program.arrays[array].class == Class::Owner
}

/// How a thread looks at its variables.
fn view(thread: &Generic) -> View<'_> {
    View {
        thread,
        binders: Values::default(),
        accesses: false,
    }
}

/// The paths on which the thread owns a cell.
fn owning(steps: &Steps, run: Run, (array, index): &Cell) -> Said<Vec<Run>> {
    let m = &steps.machine;
    let this = number(m, &steps.threads[0])?;
    let all = m.element(run, *array, index.clone(), &view(&steps.threads[0]), None)?;
    onward(all, |(run, value)| match value {
        Some(value) => Ok(m
            .with(&run, Literal::Zero(value.minus(&this)))?
            .into_iter()
            .collect()),
        None => Ok(Vec::new()),
    })
}

/// The cells of owners that a step has written.
///
/// # Errors
/// If it may have named another thread the owner, or written another thread's variables.
fn taken_by(steps: &Steps, end: &Run) -> Said<Vec<Cell>> {
    let (m, thread) = (&steps.machine, &steps.threads[0]);
    let this = number(m, thread)?;
    let mut all = Vec::new();
    for (key, index, value) in end.writes.iter() {
        match key {
            Key::Shared(array) if m.parametric.program.arrays[*array].class == Class::Owner => {
                let some = m.with(end, Literal::NonZero(value.add(-i128::from(NO_OWNER))))?;
                let Some(some) = some else { continue };
                let other = Literal::NonZero(value.minus(&this));
                if m.with(&some, other)?.is_some() {
                    return Err(form());
                }
                all.push((*array, index.clone()));
            }
            Key::Own(family, _) if !is_its(thread, *family, index) => return Err(form()),
            _ => {}
        }
    }
    Ok(all)
}

fn is_its(thread: &Generic, family: usize, index: &[Linear]) -> bool {
    thread.family == family && index.first() == Some(&thread.index)
}

/// Whether a lock is taken on a path, and above those of these cells that the thread owns, if variables go together so.
fn above_all(steps: &Steps, run: Run, lock: &Lock, mine: &[Cell], above: &mut Above) -> Said<bool> {
    let m: &Machine = &steps.machine;
    for (run, index) in m.indices(run, &lock.1, &view(&steps.threads[0]))? {
        let Some(index) = index else {
            return Ok(false);
        };
        for (run, value) in m.element(run, lock.0, index.clone(), &view(&steps.threads[0]), None)? {
            let Some(value) = value else {
                return Ok(false);
            };
            let free = Literal::Zero(value.add(-i128::from(NO_OWNER)));
            if m.with(&run, free)?.is_some() {
                return Ok(false);
            }
            for cell in mine {
                for run in owning(steps, run.clone(), cell)? {
                    if cell.0 != lock.0 {
                        above.insert((cell.0, lock.0));
                        continue;
                    }
                    let ([waited], [owned]) = (index.as_slice(), cell.1.as_slice()) else {
                        return Ok(false);
                    };
                    let below = Literal::NonNegative(owned.minus(waited));
                    if m.with(&run, below)?.is_some() {
                        return Ok(false);
                    }
                }
            }
        }
    }
    Ok(true)
}
