//! Whether the first state of a witness is reachable, and why not: which rung of the ladder excludes it, and by what
//! fact.
//!
//! A witness fixes only the variables that matter; it stands for all states that agree on these. A rung excludes the
//! witness if no state of the rung's invariant agrees on them. The reason is told with as few of these variables as are
//! enough.

use super::ownership::Fact;
use crate::base::control::Stop;
use crate::base::results::{Exclusion, Lock, LockFact, NoTrace, Outcome, Part, Start, Witness};
use crate::engine::Variable;
use crate::engine::relations::{Bit, Concrete, Encoding, Item, singleton};
use crate::theorem::executions::paths::{self, PathSearch};
use crate::theorem::executions::trace::{binding, retell_as};
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
        witness.start = Start::Unreachable(exclusion(ladder, first, bits, rung)?);
    }
    // Nothing has to be mended.
    witness.mend = None;
    Ok(())
}

/// Says of a witness that its first state is one of the reachable ones, with an execution that leads there.
///
/// # Errors
/// Any [`Stop`].
pub fn reached(e: &Encoding, witness: &mut Witness, first: &Concrete) -> Result<(), Stop> {
    let target = singleton(e, first, &e.all_bits());
    witness.start = Start::Reachable(match paths::path(e, &target, paths::BUDGET)? {
        PathSearch::Found(execution) => {
            let trace = retell_as(e, &execution, Outcome::Witness);
            trace.map(Box::new).ok_or(NoTrace::NotRepeated)
        }
        PathSearch::GivenUp => Err(NoTrace::Budget(paths::BUDGET)),
        PathSearch::Nowhere => Err(NoTrace::NotFound),
    });
    Ok(())
}

/// By what a rung excludes a state.
fn exclusion(
    ladder: &Ladder,
    first: &Concrete,
    bits: &[Bit],
    rung: Rung,
) -> Result<Exclusion, Stop> {
    let e = ladder.encoding();
    let m = &e.m;
    let items = items(e, bits);
    let all = cube(e, first, &items);
    Ok(match rung {
        Rung::True => Exclusion::Types,
        Rung::LockOwnership => {
            let facts: Vec<&Fact> = ladder.ownership().iter().flat_map(|o| &o.facts).collect();
            let kept = fewest(e, &all, &facts, |f| &f.holds)?;
            let facts = kept.iter().map(|f| fact(e, f, first, &items));
            Exclusion::LockOwnership(facts.collect())
        }
        Rung::ThreadModular => {
            let mut set = ladder.modular().map_or_else(|| m.yes(), |j| j.set.clone());
            for part in ladder.modular().iter().flat_map(|j| &j.parts) {
                if m.disjoint(part, &all) {
                    set = part.clone();
                    break;
                }
            }
            Exclusion::ThreadModular(never(e, first, &items, &set))
        }
        Rung::Lemmas => {
            let base = [Rung::ThreadModular, Rung::LockOwnership]
                .iter()
                .find_map(|r| ladder.known(*r).cloned())
                .unwrap_or_else(|| m.yes());
            let lemmas: Vec<(&str, &Bdd)> = ladder.lemmas_in_use().collect();
            let kept = fewest(e, &m.and(&all, &base)?, &lemmas, |l| l.1)?;
            Exclusion::Lemmas(kept.iter().map(|l| l.0.to_string()).collect())
        }
        Rung::Reachable => {
            let set = ladder.known(Rung::Reachable).cloned();
            let set = set.unwrap_or_else(|| m.yes());
            Exclusion::Reachable(never(e, first, &items, &set))
        }
    })
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
fn fact(e: &Encoding, fact: &Fact, state: &Concrete, items: &[Item]) -> LockFact {
    let thread = &e.program.threads[fact.thread];
    let name = thread.name.clone();
    let location = |l: usize| thread.locations[l].name.clone();
    let at = items
        .contains(&Item::Of(Variable::Location(fact.thread)))
        .then(|| state.state.location(fact.thread));
    let lock = fact.cell.map(|c| {
        let cell = &e.program.cells[c].name;
        let written = cell.strip_suffix(".writer");
        let bare = written.or_else(|| cell.strip_suffix(".owner"));
        Lock {
            name: bare.unwrap_or(cell).to_string(),
            writing: written.is_some(),
        }
    });
    match (lock, at) {
        (None, Some(l)) => LockFact::NeverAt(name, location(l)),
        (None, None) => LockFact::NotEverywhere(name),
        (Some(lock), _) if fact.says.iter().all(|s| *s == Some(false)) => {
            LockFact::NeverOwns(name, lock)
        }
        (Some(lock), Some(l)) => LockFact::Owns {
            thread: name,
            location: location(l),
            lock,
            owns: fact.says[l] == Some(true),
        },
        (Some(lock), None) => {
            let owning = (0..fact.says.len()).filter(|&l| fact.says[l] != Some(false));
            LockFact::OwnsOnly(name, lock, owning.map(location).collect())
        }
    }
}

/// The fewest parts of a state that no state of `set` has together.
fn never(e: &Encoding, state: &Concrete, items: &[Item], set: &Bdd) -> Vec<Part> {
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
    let part = |item: &Item| match *item {
        Item::Violated => Part::Violated(state.violated),
        Item::Of(Variable::Location(t)) => {
            let thread = &e.program.threads[t];
            let l = thread.locations.get(state.state.location(t));
            let location = l.map_or("?", |l| l.name.as_str());
            Part::Location(binding(&thread.name, location))
        }
        Item::Of(Variable::Cell(c)) => {
            let value = e.program.show(c, state.state.cell(c));
            Part::Value(binding(&e.program.cells[c].name, value))
        }
    };
    kept.iter().map(part).collect()
}
