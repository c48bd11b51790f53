//! The Petri net of a program's threads: where they may be, what each of their steps does to variables, and the sums
//! that no step makes larger.

use super::super::access::{each_write, initial_value};
use super::super::linear::{Linear, Literal};
use super::super::run::{Key, Machine, Run, Said, Unknown, Unsaid, onward};
use super::super::step::{Choosing, Steps};
use super::super::{Oracle, rays};
use super::{Part, Place, State, Sum, Sums, is_number, told, view, wrong_at};
use crate::base::results::Obstacle;
use crate::model::program::{ArrayId, Expr, Family, LocId, Target, Thread};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

/// What steps do to places and variables.
#[derive(Default)]
pub(super) struct Net {
    /// Those that are reached, by number.
    states: Vec<State>,
    numbers: FxHashMap<State, usize>,
    /// Where threads begin.
    first: Vec<usize>,
    /// From where to where, and what is added to variables.
    moves: Vec<Move>,
    known: FxHashSet<Move>,
    /// Variables that threads draw tickets from.
    limits: Vec<ArrayId>,
    /// All values of some, if they are few.
    values: FxHashMap<ArrayId, Option<Vec<i128>>>,
    /// Those to which some step does not add a number.
    left_out: FxHashSet<Part>,
}

pub(super) type Move = (usize, usize, Vec<(Part, i128)>);

/// Values that a variable may have had, if it is asked for each.
const MOST_VALUES: i128 = 8;

/// No more places and moves than this are looked at.
const MOST_MOVES: usize = 5_000;

impl Net {
    /// Nothing is known yet, but from which variables tickets are drawn, and which are not looked at.
    pub fn new(limits: Vec<ArrayId>, left_out: Vec<ArrayId>) -> Self {
        Net {
            limits,
            left_out: left_out.into_iter().flat_map(Part::both).collect(),
            ..Net::default()
        }
    }

    /// The places of a kind of threads, and what their steps do where no given sum is above its bound.
    pub fn follow(&mut self, oracle: &Oracle, k: usize, given: &Sums) -> Said<()> {
        let program = &oracle.parametric.program;
        let like = oracle.kinds[k].like();
        let initial = program.threads[like].initial;
        let (steps, index) = start(oracle, k);
        let begun = oracle.begun(&steps, &[k], oracle.from.get())?;
        let begun = onward(begun, |run| initially(oracle, &steps, run))?;
        for run in begun {
            for (_, held) in told(
                &given.marks[k],
                &steps.machine,
                run,
                &steps.threads[0],
                &index,
            )? {
                let state = self.number(((k, initial), held));
                if !self.first.contains(&state) {
                    self.first.push(state);
                }
            }
        }
        let mut next = 0;
        while next < self.states.len() {
            let ((kind, l), held) = self.states[next].clone();
            if kind == k && !ends(&program.threads[like], l) {
                self.leave(oracle, (next, given), ((k, l), &held))?;
            }
            next += 1;
        }
        Ok(())
    }

    /// The moves from a place.
    fn leave(
        &mut self,
        oracle: &Oracle,
        (from, given): (usize, &Sums),
        ((k, l), held): (Place, &[bool]),
    ) -> Said<()> {
        let (steps, index) = start(oracle, k);
        let (m, thread) = (&steps.machine, &steps.threads[0]);
        let marks = &given.marks[k];
        let own = std::slice::from_ref(&thread.index);
        let here = |(run, at): (Run, Linear)| -> Said<Vec<Run>> {
            let here = Literal::Zero(at.add(-(l as i128)));
            Ok(m.with(&run, here)?.into_iter().collect())
        };
        for run in oracle.begun(&steps, &[k], oracle.from.get())? {
            let placed = onward(m.read(run, &Key::Location(thread.family), own)?, here)?;
            let marked = onward(placed, |run| told(marks, m, run, thread, &index))?;
            let here = marked.into_iter().filter(|(_, marks)| marks == held);
            let here = here.map(|(run, _)| run).collect();
            let about = std::slice::from_ref(&index);
            for run in given.below(oracle, &steps, &[Some((k, l))], here, about)? {
                for end in steps.step(run, thread, l, &mut Choosing::All)? {
                    let program = &oracle.parametric.program.threads[thread.like];
                    let strange = |(key, at, _): &(Key, Vec<Linear>, Linear)| match key {
                        Key::Location(family) | Key::Own(family, _) => {
                            *family != thread.family || at.first() != own.first()
                        }
                        _ => false,
                    };
                    let to = end
                        .location_of(thread)
                        .filter(|_| !end.writes.iter().any(strange));
                    // A step that moves another thread is none of this net's.
                    let Some(to) = to else {
                        return Err(Unsaid::Because(Obstacle::Form));
                    };
                    let to = match end.failed {
                        Some(_) => wrong_at(program, l),
                        None => to,
                    };
                    for (end, held) in told(marks, m, end, thread, &index)? {
                        let to = self.number(((k, to), held));
                        self.moved(oracle, m, end, (from, to), &index)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Notes what a path adds to variables on its way from a place to another.
    fn moved(
        &mut self,
        oracle: &Oracle,
        m: &Machine,
        end: Run,
        (from, to): (usize, usize),
        index: &Linear,
    ) -> Said<()> {
        let program = &oracle.parametric.program;
        let mut written: Vec<Part> = Vec::new();
        for (key, ..) in end.writes.iter() {
            let Key::Shared(array) = key else { continue };
            if !is_number(program, *array) {
                self.left_out.extend(Part::both(*array));
            }
            for part in Part::both(*array) {
                let wanted = part == Part::Value(*array) || self.limits.contains(array);
                if wanted && !self.left_out.contains(&part) && !written.contains(&part) {
                    written.push(part);
                }
            }
        }
        let mut open: Vec<(Run, Vec<(Part, i128)>)> = vec![(end, Vec::new())];
        for part in written {
            open = onward(open, |(run, added)| {
                let all = self.added(oracle, m, run, (part, index))?.into_iter();
                let with = |(run, more)| (run, [added.as_slice(), &[(part, more)]].concat());
                Ok(all.map(with).collect())
            })?;
        }
        for (_, added) in open {
            let step = (from, to, added);
            if self.known.insert(step.clone()) {
                self.moves.push(step);
            }
        }
        match self.moves.len() <= MOST_MOVES {
            true => Ok(()),
            false => Err(Unsaid::Because(Obstacle::Paths)),
        }
    }

    /// What a path adds to a variable, at the index in question.
    fn added(
        &mut self,
        oracle: &Oracle,
        m: &Machine,
        end: Run,
        (part, index): (Part, &Linear),
    ) -> Said<Vec<(Run, i128)>> {
        let (key, at) = part.cell(oracle, index);
        let mut all = Vec::new();
        for (run, now) in m.read(end, &key, &at)? {
            let writes = run.writes.clone();
            let mut before = run;
            before.writes.clear();
            for (run, was) in m.read(before, &key, &at)? {
                for (run, more) in self.difference((oracle, m), run, (part, &was, &now), index)? {
                    if more.is_none() {
                        self.left_out.insert(part);
                    }
                    let mut run = run;
                    run.writes = writes.clone();
                    all.push((run, more.unwrap_or_default()));
                }
            }
        }
        Ok(all)
    }

    /// The difference between two values, on each path; none where it is not a number.
    fn difference(
        &mut self,
        (oracle, m): (&Oracle, &Machine),
        run: Run,
        (part, was, now): (Part, &Linear, &Linear),
        index: &Linear,
    ) -> Said<Vec<(Run, Option<i128>)>> {
        let runs = match part {
            Part::Value(array) => self.with_values(oracle, m, run, (array, was, now))?,
            Part::AtMost(_) => vec![run],
        };
        onward(runs, |run| {
            onward(part.of(m, run, was, index)?, |(run, was)| {
                let all = part.of(m, run, now, index)?.into_iter();
                let more = |run: &Run, now: Linear| run.settled(&now.minus(&was)).value();
                Ok(all
                    .map(|(run, now)| (more(&run, now), run))
                    .map(|(n, run)| (run, n))
                    .collect())
            })
        })
    }

    /// A path for each value that a variable may have had, where it matters and they are few.
    fn with_values(
        &mut self,
        oracle: &Oracle,
        m: &Machine,
        run: Run,
        (array, was, now): (ArrayId, &Linear, &Linear),
    ) -> Said<Vec<Run>> {
        if run.settled(&now.minus(was)).value().is_some() {
            return Ok(vec![run]);
        }
        let (low, high) = m.range(array)?;
        let values = match (low.value(), high.value()) {
            (Some(low), Some(high)) if high - low < MOST_VALUES => Some((low..=high).collect()),
            _ => self
                .values
                .entry(array)
                .or_insert_with(|| constants(oracle, array))
                .clone(),
        };
        let Some(values) = values else {
            return Ok(vec![run]);
        };
        onward(values, |value: i128| {
            let here = m.with(&run, Literal::Zero(was.add(-value)))?;
            Ok(here.into_iter().collect())
        })
    }

    fn number(&mut self, state: State) -> usize {
        if let Some(known) = self.numbers.get(&state) {
            return *known;
        }
        self.states.push(state.clone());
        self.numbers.insert(state, self.states.len() - 1);
        self.states.len() - 1
    }

    /// The sums that no move makes larger. A move that does nothing to variables is taken to leave them as they are,
    /// so that whole regions have one weight.
    pub fn sums(mut self, oracle: &Oracle) -> Said<Vec<Sum>> {
        let written = self.moves.iter().flat_map(|m| m.2.iter().map(|x| x.0));
        let is_unknown = |part: &Part| match part {
            Part::Value(array) => initial_value(oracle, *array).is_none(),
            Part::AtMost(_) => false,
        };
        let unknown: Vec<Part> = written.filter(is_unknown).collect();
        self.left_out.extend(unknown);
        for (.., added) in &mut self.moves {
            added.retain(|(part, _)| !self.left_out.contains(part));
        }
        let threads = &oracle.parametric.program.threads;
        let is_end = |state: usize| {
            let ((k, l), _) = &self.states[state];
            ends(&threads[oracle.kinds[*k].like()], *l)
        };
        let others: Vec<&Move> = self.moves.iter().filter(|m| !m.2.is_empty()).collect();
        let (columns, region) = self.regions(&is_end);
        let mut parts: Vec<Part> = others
            .iter()
            .flat_map(|m| m.2.iter().map(|x| x.0))
            .collect();
        parts.sort_unstable();
        parts.dedup();
        let mut rows: Vec<rays::Row> = Vec::new();
        for (from, to, added) in others {
            let mut row = vec![(region[*from], -1)];
            row.extend((!is_end(*to)).then(|| (region[*to], 1)));
            for (part, more) in added {
                let at = columns + 2 * parts.binary_search(part).unwrap_or_default();
                row.extend([(at, *more), (at + 1, -more)]);
            }
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        let found = rays::rays(columns + 2 * parts.len(), &rows, oracle.control)?;
        let found = found.unwrap_or_default();
        let mut all = Vec::new();
        for ray in found {
            let factors = parts.iter().enumerate().map(|(n, part)| {
                let at = columns + 2 * n;
                (*part, ray[at] - ray[at + 1])
            });
            let factors: Vec<(Part, i128)> = factors.filter(|(_, factor)| *factor != 0).collect();
            let weights = (0..self.states.len()).map(|s| match is_end(s) {
                // As much as each way there leaves.
                true => {
                    let there = self.moves.iter().filter(|m| m.1 == s);
                    let left = |m: &Move| ray[region[m.0]] - more(&m.2, &factors);
                    there.map(left).min().unwrap_or_default().max(0)
                }
                false => ray[region[s]],
            });
            let weights: Vec<i128> = weights.collect();
            let is_about_both = weights.iter().any(|w| *w != 0) && !factors.is_empty();
            if is_about_both && self.grows_nowhere(&weights, &factors) {
                all.extend(self.sum(oracle, &weights, factors)?);
            }
        }
        all.extend(self.within_values(oracle, &parts)?);
        Ok(all)
    }

    /// That variables have none but a few values: sums without threads.
    fn within_values(&self, oracle: &Oracle, parts: &[Part]) -> Said<Vec<Sum>> {
        let mut all = Vec::new();
        for part in parts {
            let Part::Value(array) = *part else { continue };
            let first = initial_value(oracle, array);
            let (Some(Expr::Const(first)), Some(values)) = (first, constants(oracle, array)) else {
                continue;
            };
            let none = vec![0; self.states.len()];
            for factor in [1, -1] {
                let most = values.iter().map(|v| factor * v).max().unwrap_or_default();
                let sum = self.sum(oracle, &none, vec![(*part, factor)])?;
                let beyond = most - factor * i128::from(first);
                all.extend(sum.map(|sum| Sum { beyond, ..sum }));
            }
        }
        Ok(all)
    }

    /// How many regions there are that threads leave only by a step that does something to variables, and that of each
    /// state, but for those where threads end.
    fn regions(&self, is_end: &dyn Fn(usize) -> bool) -> (usize, Vec<usize>) {
        let mut region: Vec<usize> = (0..self.states.len()).collect();
        let silent = self.moves.iter().filter(|m| m.2.is_empty());
        for (from, to, _) in silent.filter(|m| !is_end(m.1)) {
            let (one, other) = (region[*from], region[*to]);
            let those = region.iter_mut().filter(|r| **r == other);
            those.for_each(|r| *r = one);
        }
        let of_states = (0..region.len()).filter(|s| !is_end(*s));
        let mut all: Vec<usize> = of_states.map(|s| region[s]).collect();
        all.sort_unstable();
        all.dedup();
        let numbers = region
            .iter()
            .map(|r| all.binary_search(r).unwrap_or_default());
        (all.len(), numbers.collect())
    }

    /// Whether no move makes a sum larger.
    fn grows_nowhere(&self, weights: &[i128], factors: &[(Part, i128)]) -> bool {
        let grows = |m: &Move| weights[m.1] - weights[m.0] + more(&m.2, factors) > 0;
        !self.moves.iter().any(grows)
    }

    /// A sum with its weights where threads begin; none if it can't be said how many threads there are.
    fn sum(
        &self,
        oracle: &Oracle,
        weights: &[i128],
        factors: Vec<(Part, i128)>,
    ) -> Said<Option<Sum>> {
        let open = &oracle.parametric.open;
        let mut first = vec![(0, 0); open.families.len()];
        for n in &self.first {
            let ((k, _), held) = &self.states[*n];
            let (others, own) = &mut first[oracle.kinds[*k].family];
            // The first mark is whether the thread's index is the one in question.
            let is_own = open.families[oracle.kinds[*k].family].bounds.is_some()
                && held.first() == Some(&true);
            let most = if is_own { own } else { others };
            *most = (*most).max(weights[*n]);
        }
        for (family, (others, _)) in open.families.iter().zip(&first) {
            if *others != 0 && may_be_too_few(oracle, family)? {
                return Ok(None);
            }
        }
        let program = &oracle.parametric.program;
        let mut is_indexed = factors.iter().any(|(part, _)| match part {
            Part::Value(array) => !program.arrays[*array].dims.is_empty(),
            Part::AtMost(_) => true,
        });
        let mut of: FxHashMap<Place, i128> = FxHashMap::default();
        for ((place, _), weight) in self.states.iter().zip(weights) {
            is_indexed |= *of.entry(*place).or_insert(*weight) != *weight;
        }
        Ok(Some(Sum {
            weights: self
                .states
                .iter()
                .cloned()
                .zip(weights.iter().copied())
                .collect(),
            factors,
            first,
            is_indexed,
            beyond: 0,
            is_used: Cell::new(false),
        }))
    }
}

/// The values of a variable that is never written anything but numbers, if they are few.
fn constants(oracle: &Oracle, array: ArrayId) -> Option<Vec<i128>> {
    let program = &oracle.parametric.program;
    let wraps = program.cells[program.arrays[array].first].ty.wraps;
    let first = initial_value(oracle, array).filter(|_| !wraps);
    let Some(Expr::Const(first)) = first else {
        return None;
    };
    let mut all: Option<Vec<i128>> = Some(vec![first.into()]);
    let locations = program.threads.iter().flat_map(|t| &t.locations);
    for edge in locations.flat_map(|l| &l.edges) {
        each_write(&edge.body, &mut |target, value| {
            let is_it = match target {
                Target::Cell(c) => program.cells[*c].array == array,
                Target::Element(a, _) => *a == array,
            };
            match (value, &mut all) {
                _ if !is_it => {}
                (Some(Expr::Const(c)), Some(known)) => {
                    let is_new = !known.contains(&i128::from(*c));
                    known.extend(is_new.then_some(i128::from(*c)));
                }
                _ => all = None,
            }
        });
    }
    all.filter(|all| all.len() <= MOST_VALUES as usize)
}

/// Whether a family's bounds do not rule out that it has fewer threads than none, as it counts them.
fn may_be_too_few(oracle: &Oracle, family: &Family) -> Said<bool> {
    let steps = oracle.steps(&[]);
    let m = &steps.machine;
    let negative = Literal::NonNegative(m.constant(&family.members())?.times(-1).add(-1));
    let begun = oracle.begun(&steps, &[], oracle.from.get())?;
    Ok(!onward(begun, |run| {
        Ok(m.with(&run, negative.clone())?.into_iter().collect())
    })?
    .is_empty())
}

/// Whether no step begins at a location.
fn ends(thread: &Thread, l: LocId) -> bool {
    let location = thread.locations.get(l);
    location.is_none_or(|l| l.edges.is_empty())
}

/// What a step adds to a sum by what it does to variables.
fn more(added: &[(Part, i128)], factors: &[(Part, i128)]) -> i128 {
    let of = |part: Part| factors.iter().find(|(p, _)| *p == part);
    added
        .iter()
        .map(|(a, more)| of(*a).map_or(0, |(_, factor)| factor * more))
        .sum()
}

/// A thread of a kind, and the index in question.
fn start<'p>(oracle: &Oracle<'p>, k: usize) -> (Steps<'p>, Linear) {
    let mut steps = oracle.steps(&[k]);
    // Whether a step violates a discipline is nothing to what it does.
    steps.disciplines.clear();
    let index = Linear::atom(steps.machine.atom(Unknown::Named("[k]".into())));
    (steps, index)
}

/// The paths on which a thread's own variables have their initial values.
fn initially(oracle: &Oracle, steps: &Steps, run: Run) -> Said<Vec<Run>> {
    let (m, thread) = (&steps.machine, &steps.threads[0]);
    let program = &oracle.parametric.program;
    let own = |array: &ArrayId| {
        let owner = m.owners[*array].as_ref();
        owner.is_some_and(|(t, _)| *t == thread.like) && program.arrays[*array].dims.is_empty()
    };
    let mut open = vec![run];
    for array in (0..program.arrays.len()).filter(own) {
        let Some(e) = initial_value(oracle, array) else {
            continue;
        };
        let cell = Expr::Cell(program.arrays[array].first);
        let begins = |m: &Machine, run: Run| -> Said<Vec<Run>> {
            let mut all = Vec::new();
            for (run, value) in m.eval(run, &cell, &view(thread))? {
                for (run, first) in m.eval(run, &e, &view(thread))? {
                    if let (Some(value), Some(first)) = (&value, first) {
                        all.extend(m.with(&run, Literal::Zero(value.minus(&first)))?);
                    }
                }
            }
            Ok(all)
        };
        open = onward(open, |run| begins(m, run))?;
    }
    Ok(open)
}
