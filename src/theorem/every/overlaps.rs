//! Whether the discipline is kept for every value: each access to a protected variable is made with the right to, and
//! no two threads have access to one cell, one of them exclusively.

use super::access::Known;
use super::linear::{Linear, Literal};
use super::oracle::{Oracle, Place, said};
use super::run::{Key, Run, Said, Values, View, onward, where_true};
use super::step::{Choosing, Steps};
use super::sums::{Variables, wrong_at};
use crate::base::results::{self, Obstacle};
use crate::model::program::Class;
use std::rc::Rc;

/// What stands against the discipline being kept for every value, if anything does; else by what it is kept.
pub(super) fn kept(oracle: &Oracle) -> Said<Result<Option<Rc<Known>>, Obstacle>> {
    if oracle.disciplines.is_empty() {
        return Ok(Ok(None));
    }
    let overlap = oracle.overlaps.borrow().iter().position(|o| *o);
    let mut obstacle = match overlap {
        Some(d) => Obstacle::Overlap(variable(oracle, d)),
        None => {
            let known = Known::alone(oracle, false)?;
            match without_right(oracle, &known)? {
                Some(obstacle) => obstacle,
                None => return Ok(Ok(Some(Rc::new(known)))),
            }
        }
    };
    // What holds of all threads together is looked for only where what holds of each does not do.
    for variables in Variables::ALL {
        let Some(known) = oracle.with_sums(variables)? else {
            continue;
        };
        match known.apart.iter().position(|apart| !apart) {
            Some(d) => obstacle = Obstacle::Overlap(variable(oracle, d)),
            None => match said(without_right(oracle, &known))? {
                Some(Some(why)) => obstacle = why,
                Some(None) => return Ok(Ok(Some(known))),
                None => {}
            },
        }
    }
    // Last, what each two threads see.
    match oracle.views()? {
        Ok(views) => {
            views.borrow_mut().use_them();
            Ok(Ok(None))
        }
        Err(_) => Ok(Err(obstacle)),
    }
}

/// What holds of all threads together, with the sums that keep predicates apart, if any do; none if there are none.
pub(super) fn together(oracle: &Oracle) -> Said<Option<Rc<Known>>> {
    let mut best = None;
    for variables in [Variables::Free, Variables::All] {
        let known = oracle.with_sums(variables)?;
        let Some(known) = known.filter(|known| !known.sums.is_empty()) else {
            continue;
        };
        let is_apart = known.apart.iter().all(|apart| *apart);
        best = Some(known);
        if is_apart {
            break;
        }
    }
    Ok(best)
}

/// An access without the right to it, if predicates never overlap.
fn without_right(oracle: &Oracle, known: &Known) -> Said<Option<Obstacle>> {
    for (k, kind) in oracle.kinds.iter().enumerate() {
        let thread = &oracle.program.threads[kind.like()];
        for l in thread.steps() {
            let mut steps = oracle.steps(&[k]);
            steps.keep_apart(&known.apart);
            let begun = oracle.begun(&steps, &[k], oracle.from.get())?;
            let begun = known.at(&steps, begun, (0, k), l)?;
            let begun = known
                .sums
                .below(oracle, &steps, &[Some((k, l))], begun, &[])?;
            for run in onward(begun, |run| with_no_violation(&steps, run))? {
                let ends = steps.step(run, &steps.threads[0], l, &mut Choosing::All)?;
                let violates = |run: &&Run| run.writes.iter().any(|w| w.0 == Key::Violated);
                if let Some(bad) = ends.iter().find(violates) {
                    let accessed = bad.accesses.iter().map(|a| a.0);
                    let of = |a: usize| oracle.disciplines.iter().position(|d| d.array == a);
                    let d = accessed.filter_map(of).next().unwrap_or(0);
                    return Ok(Some(Obstacle::NoAccess {
                        variable: variable(oracle, d),
                        step: results::Place {
                            thread: thread.family.clone(),
                            ..oracle.program.place(kind.like(), l)
                        },
                    }));
                }
            }
        }
    }
    Ok(None)
}

fn variable(oracle: &Oracle, d: usize) -> String {
    let array = oracle.disciplines[d].array;
    oracle.parametric.program.arrays[array].name.clone()
}

/// The paths on which the discipline has not been violated.
fn with_no_violation(steps: &Steps, run: Run) -> Said<Vec<Run>> {
    onward(steps.machine.read(run, &Key::Violated, &[])?, |(run, q)| {
        let none = steps.machine.with(&run, Literal::Zero(q))?;
        Ok(none.into_iter().collect())
    })
}

/// Whether two threads may have access to one cell, one of them exclusively, wherever they are.
pub(super) fn overlap(oracle: &Oracle, d: usize, known: &Known) -> Said<bool> {
    let mut all: Vec<(Place, bool)> = Vec::new();
    for (k, kind) in oracle.kinds.iter().enumerate() {
        let thread = &oracle.parametric.program.threads[kind.like()];
        let as_ever = (0..thread.locations.len()).filter(|l| Some(*l) != thread.wrong);
        let wrong = thread.steps().filter(|_| thread.wrong.is_some());
        let wrong = wrong.map(|l| wrong_at(thread, l));
        for l in as_ever.chain(wrong) {
            for write in [true, false] {
                let one = ((k, l), write);
                all.extend(may_have(oracle, d, known, &[one])?.then_some(one));
            }
        }
    }
    for one in all.iter().filter(|x| x.1) {
        for other in all.iter().filter(|x| !x.1) {
            if may_have(oracle, d, known, &[*one, *other])? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether threads at these places may all have access to one cell, exclusively or to read.
fn may_have(oracle: &Oracle, d: usize, known: &Known, all: &[(Place, bool)]) -> Said<bool> {
    let kinds: Vec<usize> = all.iter().map(|x| x.0.0).collect();
    let steps = oracle.steps(&kinds);
    let m = &steps.machine;
    let discipline = &oracle.disciplines[d];
    let index = oracle.cell_of(m, d);
    let begun = oracle.begun(&steps, &kinds, oracle.from.get())?;
    let mut runs = onward(begun, |run| Ok(m.inside(run, discipline.array, &index)?.0))?;
    for (n, ((k, l), write)) in all.iter().enumerate() {
        let thread = &steps.threads[n];
        runs = known.at(&steps, runs, (n, *k), *l)?;
        let right = onward(runs, |run| steps.right(run, d, thread, &index, *write))?;
        runs = owning_what_it_took(
            oracle,
            &steps,
            (d, &index),
            (n, (*k, *l)),
            where_true(right),
        )?;
    }
    let places: Vec<Option<Place>> = all.iter().map(|x| Some(x.0)).collect();
    let runs = known.sums.below(oracle, &steps, &places, runs, &index)?;
    Ok(!runs.is_empty())
}

/// The paths on which a thread owns no more, of what the predicates for a cell look at, than it has taken.
fn owning_what_it_took(
    oracle: &Oracle,
    steps: &Steps,
    (d, index): (usize, &[Linear]),
    (n, place): (usize, Place),
    mut runs: Vec<Run>,
) -> Said<Vec<Run>> {
    let Some(locks) = oracle.locks()?.as_ref() else {
        return Ok(runs);
    };
    let thread = &steps.threads[n];
    let arrays = &oracle.parametric.program.arrays;
    let binders = oracle.disciplines[d].binders.iter().copied();
    let view = View {
        thread,
        binders: Values::from_iter(binders.zip(index.iter().cloned())),
        accesses: false,
    };
    let mentions = steps.disciplines[d].mentions.iter();
    for (array, at) in mentions.filter(|m| arrays[m.0].class == Class::Owner) {
        runs = onward(runs, |run| {
            onward(
                steps.machine.indices(run, at, &view)?,
                |(run, cell)| match cell {
                    Some(cell) => locks.admits(steps, thread, place, (run, &(*array, cell))),
                    None => Ok(vec![run]),
                },
            )
        })?;
    }
    Ok(runs)
}
