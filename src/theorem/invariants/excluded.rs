//! Whether the first state of a witness is reachable, and why not: which rung of the ladder excludes it, and by what
//! fact.
//!
//! A witness fixes only the variables that matter; it stands for all states that agree on these. A rung excludes the
//! witness if no state of the rung's invariant agrees on them. The reason is told with as few of these variables as are
//! enough.

use super::ownership::Fact;
use crate::base::control::Stop;
use crate::base::results::{Outcome, Witness};
use crate::engine::Variable;
use crate::engine::relations::{Bit, Concrete, Encoding, Item, singleton};
use crate::theorem::executions::paths::{self, PathSearch};
use crate::theorem::executions::trace::retell_as;
use crate::theorem::invariants::{Ladder, Rung};
use biodivine_lib_bdd::Bdd;

/// Says of a witness which is the lowest known rung that excludes it, and by what.
///
/// # Errors
/// Any [`Stop`].
pub fn excluded(
    ladder: &Ladder,
    witness: &mut Witness,
    first: &Concrete,
    bits: &[Bit],
) -> Result<(), Stop> {
    let e = ladder.encoding();
    let all = cube(e, first, &items(e, bits));
    let excludes = |r: &Rung| ladder.known(*r).is_some_and(|set| e.m.disjoint(set, &all));
    if let Some(rung) = Rung::ALL.into_iter().find(excludes) {
        witness.reachable = Some(false);
        witness.because = because(ladder, first, bits, rung)?;
    }
    // Nothing has to be mended.
    witness.mend.clear();
    Ok(())
}

/// Says of a witness that its first state is one of the reachable ones, with an execution that leads there.
///
/// # Errors
/// Any [`Stop`].
pub fn reached(e: &Encoding, witness: &mut Witness, first: &Concrete) -> Result<(), Stop> {
    witness.reachable = Some(true);
    let target = singleton(e, first, &e.all_bits());
    match paths::path(e, &target, paths::BUDGET)? {
        PathSearch::Found(execution) => {
            witness.trace = retell_as(e, &execution, Outcome::Witness);
            witness.because = match &witness.trace {
                Some(_) => String::new(),
                None => "no trace: its execution could not be repeated, which is a bug in coarsen"
                    .into(),
            };
        }
        PathSearch::GivenUp => {
            witness.because = format!(
                "no trace: the search for one used up its budget of {} nodes",
                paths::BUDGET
            );
        }
        PathSearch::Nowhere => {
            witness.because = "no trace: none was found, which is a bug in coarsen".into();
        }
    }
    Ok(())
}

fn because(ladder: &Ladder, first: &Concrete, bits: &[Bit], rung: Rung) -> Result<String, Stop> {
    let e = ladder.encoding();
    let m = &e.m;
    let items = items(e, bits);
    let all = cube(e, first, &items);
    let words = match rung {
        Rung::True => "no type-correct state is like that".to_string(),
        Rung::LockOwnership => {
            let facts: Vec<&Fact> = ladder.ownership().iter().flat_map(|o| &o.facts).collect();
            let kept = fewest(e, &all, &facts, |f| &f.holds)?;
            let said: Vec<String> = kept.iter().map(|f| fact(e, f, first, &items)).collect();
            format!("lock ownership: {}", said.join(", and "))
        }
        Rung::ThreadModular => {
            let mut set = ladder.modular().map_or_else(|| m.yes(), |j| j.set.clone());
            for part in ladder.modular().iter().flat_map(|j| &j.parts) {
                if m.disjoint(part, &all) {
                    set = part.clone();
                    break;
                }
            }
            format!("thread-modular: {}", never(e, first, &items, &set))
        }
        Rung::Lemmas => {
            let base = [Rung::ThreadModular, Rung::LockOwnership]
                .iter()
                .find_map(|r| ladder.known(*r).cloned())
                .unwrap_or_else(|| m.yes());
            let lemmas: Vec<(&str, &Bdd)> = ladder.lemmas_in_use().collect();
            let kept = fewest(e, &m.and(&all, &base)?, &lemmas, |l| l.1)?;
            let names: Vec<&str> = kept.iter().map(|l| l.0).collect();
            match names.as_slice() {
                [one] => format!("lemma {one} excludes it"),
                some => format!("lemmas {} together exclude it", some.join(" and ")),
            }
        }
        Rung::Reachable => {
            let set = ladder.known(Rung::Reachable).cloned();
            let set = set.unwrap_or_else(|| m.yes());
            format!("reachable states: {}", never(e, first, &items, &set))
        }
    };
    Ok(words)
}

/// The items that have one of these bits.
fn items(e: &Encoding, bits: &[Bit]) -> Vec<Item> {
    let mut all: Vec<Item> = bits.iter().filter_map(|&b| e.layout.item(b)).collect();
    all.dedup();
    all
}

/// The states that agree with one on these items.
fn cube(e: &Encoding, state: &Concrete, items: &[Item]) -> Bdd {
    let bits: Vec<Bit> = items
        .iter()
        .flat_map(|&i| e.layout.group(i).bits())
        .collect();
    singleton(e, state, &bits)
}

/// As few as possible of these conditions that leave nothing of `states`.
fn fewest<'a, T>(
    e: &Encoding,
    states: &Bdd,
    all: &'a [T],
    holds: impl Fn(&'a T) -> &'a Bdd,
) -> Result<Vec<&'a T>, Stop> {
    let m = &e.m;
    if let Some(one) = all.iter().find(|x| m.disjoint(states, holds(x))) {
        return Ok(vec![one]);
    }
    // Those that take part of the states away; then each that is not missed is left out.
    let mut left = states.clone();
    let mut kept: Vec<&T> = Vec::new();
    for x in all {
        if !m.within(&left, holds(x)) {
            left = m.and(&left, holds(x))?;
            kept.push(x);
        }
        if left.is_false() {
            break;
        }
    }
    let mut n = 0;
    while n < kept.len() {
        let mut without = states.clone();
        for (i, x) in kept.iter().enumerate() {
            if i != n {
                without = m.and(&without, holds(x))?;
            }
        }
        if without.is_false() {
            kept.remove(n);
        } else {
            n += 1;
        }
    }
    Ok(kept)
}

/// A fact of lock ownership, at the location that the state has if it says so.
fn fact(e: &Encoding, fact: &Fact, state: &Concrete, items: &[Item]) -> String {
    let thread = &e.program.threads[fact.thread];
    let at = items
        .contains(&Item::Of(Variable::Location(fact.thread)))
        .then(|| state.state.location(fact.thread));
    let place = |l: usize| format!("{} at {}", thread.name, thread.locations[l].name);
    let mutex = fact.cell.map(|c| {
        let name = &e.program.cells[c].name;
        match name.strip_suffix(".writer") {
            Some(lock) => format!("{lock} for writing"),
            None => name.strip_suffix(".owner").unwrap_or(name).to_string(),
        }
    });
    match (mutex, at) {
        (None, Some(l)) => format!(
            "{} never comes to {}",
            thread.name, thread.locations[l].name
        ),
        (None, None) => format!("{} does not come to all its locations", thread.name),
        (Some(mutex), _) if fact.says.iter().all(|s| *s == Some(false)) => {
            format!("{} never owns {mutex}", thread.name)
        }
        (Some(mutex), Some(l)) => match fact.says[l] {
            Some(true) => format!("{} owns {mutex}", place(l)),
            _ => format!("{} does not own {mutex}", place(l)),
        },
        (Some(mutex), None) => {
            let owning: Vec<&str> = (0..fact.says.len())
                .filter(|&l| fact.says[l] != Some(false))
                .map(|l| thread.locations[l].name.as_str())
                .collect();
            format!("{} owns {mutex} at {} only", thread.name, owning.join(", "))
        }
    }
}

/// The fewest of a state's values that no state of `set` has together, in words.
fn never(e: &Encoding, state: &Concrete, items: &[Item], set: &Bdd) -> String {
    let mut kept = items.to_vec();
    let mut n = 0;
    while n < kept.len() {
        let mut fewer = kept.clone();
        fewer.remove(n);
        if e.m.disjoint(set, &cube(e, state, &fewer)) {
            kept = fewer;
        } else {
            n += 1;
        }
    }
    let said: Vec<String> = kept
        .iter()
        .map(|item| match *item {
            Item::Violated if state.violated => "a violation".to_string(),
            Item::Violated => "no violation".to_string(),
            Item::Of(Variable::Location(t)) => {
                let thread = &e.program.threads[t];
                let l = thread.locations.get(state.state.location(t));
                format!("{} at {}", thread.name, l.map_or("?", |l| l.name.as_str()))
            }
            Item::Of(Variable::Cell(c)) => format!(
                "{} = {}",
                e.program.cells[c].name,
                e.program.show(c, state.state.cell(c))
            ),
        })
        .collect();
    match said.as_slice() {
        [] => "there is no such state".into(),
        [one] => format!("there is never {one}"),
        some => format!("there is never {}", some.join(" with ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::control::Control;
    use crate::base::control::ParseLimits;
    use crate::model::Loaded;

    #[test]
    fn no_condition_is_named_that_is_not_needed() {
        let source = "var x: bool; var y: bool; thread t { skip; }";
        let (session, _) = Loaded::load("m.cor", source, &[], ParseLimits::default()).unwrap();
        let control = Control::default();
        let e = Encoding::new(session.program(), &control).unwrap();
        let is = |c| e.predicate(&crate::model::program::Expr::Cell(c)).unwrap();
        let all = [is(0), is(1), is(0).not()];
        let kept = fewest(&e, &e.m.yes(), &all, |x| x).unwrap();
        assert_eq!(kept, [&all[0], &all[2]]);
        let kept = fewest(&e, &is(1).not(), &all, |x| x).unwrap();
        assert_eq!(kept, [&all[1]]);
    }
}
