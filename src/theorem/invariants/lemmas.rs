//! The user's lemmas: the fourth rung of the invariant.
//!
//! The largest set of lemmas that is inductive together with the invariant below, found by leaving out, again and
//! again, lemmas that are false initially or that some step does not keep (Flanagan & Leino 2001, "Houdini"). A lemma
//! is no property: whether it holds says nothing about the verdict. It helps the theorem to apply, and the report says
//! whether it was used.

use crate::base::control::Stop;
use crate::base::results::{Lemma, LemmaReason, Outcome, Status, Trace};
use crate::engine::relations::{Bit, Concrete, Encoding, Rel, pick};
use crate::model::program::{Expr, Program, Property};
use crate::theorem::executions::about::of_condition;
use crate::theorem::executions::paths::{self, PathSearch};
use crate::theorem::executions::trace::{bindings, retell_as, step_of};
use crate::theorem::invariants::{Ladder, Rung};
use biodivine_lib_bdd::Bdd;

/// The lemmas of a program.
pub fn of(program: &Program) -> impl Iterator<Item = &Property> {
    program.lemmas.iter()
}

/// All lemmas of a program, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// One by one, in the order of the program.
    pub lemmas: Vec<One>,
    /// The states of the invariant below in which the inductive ones hold.
    pub set: Bdd,
}

/// A lemma.
#[derive(Clone, Debug)]
pub struct One {
    /// Its name.
    pub name: String,
    /// Where it holds.
    pub holds: Bdd,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a lemma.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It is part of the invariant.
    Inductive,
    /// It is false in this initial state.
    Initially(Concrete),
    /// This action leads from this state of all that was assumed to one where it is false.
    Broken(usize, Concrete),
}

/// Finds the largest inductive set of lemmas.
///
/// # Errors
/// Any [`Stop`].
pub fn judge(e: &Encoding, steps: &[Rel], below: &Bdd) -> Result<Judged, Stop> {
    let m = &e.m;
    let mut lemmas = Vec::new();
    for lemma in of(e.program) {
        let holds = e.predicate(&lemma.expr)?;
        let outside = m.and_not(&e.initial, &holds)?;
        lemmas.push(One {
            name: lemma.name.clone(),
            fate: pick(e, &outside).map_or(Fate::Inductive, Fate::Initially),
            holds,
        });
    }
    loop {
        let mut set = below.clone();
        for lemma in lemmas.iter().filter(|l| matches!(l.fate, Fate::Inductive)) {
            set = m.and(&set, &lemma.holds)?;
        }
        let mut dropped = false;
        for lemma in &mut lemmas {
            if matches!(lemma.fate, Fate::Inductive)
                && let Some((action, before)) = broken(e, steps, &set, &lemma.holds)?
            {
                lemma.fate = Fate::Broken(action, before);
                dropped = true;
            }
        }
        if !dropped {
            return Ok(Judged { lemmas, set });
        }
    }
}

/// An action that leads from a state of `set` to one outside `holds`, with that state.
fn broken(
    e: &Encoding,
    steps: &[Rel],
    set: &Bdd,
    holds: &Bdd,
) -> Result<Option<(usize, Concrete)>, Stop> {
    let m = &e.m;
    let support: Vec<Bit> = m
        .support(holds)
        .into_iter()
        .map(|l| (l / 3) as Bit)
        .collect();
    for (a, step) in steps.iter().enumerate() {
        if !step.writes.iter().any(|b| support.binary_search(b).is_ok()) {
            continue;
        }
        let bad = m.and_not(&step.bdd, &step.after(m, holds))?;
        if m.disjoint(&bad, set) {
            continue;
        }
        let from = m.and_exists(&bad, set, |l| l % 3 == 1)?;
        if let Some(before) = pick(e, &from) {
            return Ok(Some((a, before)));
        }
    }
    Ok(None)
}

/// What the report says of the lemmas; `used` if the invariant with the lemmas was needed.
///
/// # Errors
/// Any [`Stop`].
pub fn tell(ladder: &mut Ladder, used: bool) -> Result<Vec<Lemma>, Stop> {
    let e = ladder.encoding();
    let Some(judged) = ladder.judged()?.cloned() else {
        let why = ladder.unknown(Rung::Lemmas);
        let why = why.map_or(LemmaReason::NotJudged, LemmaReason::Unavailable);
        return Ok(undecided(e.program, &why).collect());
    };
    let reachable = ladder.known(Rung::Reachable);
    let mut all = Vec::new();
    let lemmas = undecided(e.program, &LemmaReason::NotJudged);
    for ((mut told, one), lemma) in lemmas.zip(&judged.lemmas).zip(of(e.program)) {
        let counter = match reachable {
            Some(set) => pick(e, &e.m.and_not(set, &one.holds)?),
            None => None,
        };
        match (&one.fate, counter) {
            (Fate::Inductive, _) => {
                told.status = Status::Holds;
                told.used = used;
                told.reason = LemmaReason::Inductive { used };
            }
            (Fate::Initially(first), _) => {
                told.status = Status::Refuted;
                told.reason = LemmaReason::Initially;
                told.state = bindings(e, first, None);
                told.trace = trace(e, &one.holds, &lemma.expr)?;
            }
            (Fate::Broken(..), Some(state)) => {
                told.status = Status::Refuted;
                told.reason = LemmaReason::Reachable;
                told.state = bindings(e, &state, None);
                told.trace = trace(e, &one.holds, &lemma.expr)?;
            }
            (Fate::Broken(a, before), None) => {
                let place = e.place(*a);
                (told.status, told.reason) = match reachable {
                    Some(_) => (Status::Holds, LemmaReason::True(place)),
                    None => (Status::Unknown, LemmaReason::Broken(place)),
                };
                told.step = Some(step_of(e, *a));
                told.state = bindings(e, before, None);
            }
        }
        all.push(told);
    }
    Ok(all)
}

/// The lemmas of a program, none of them judged.
pub fn unjudged(program: &Program) -> Vec<Lemma> {
    undecided(program, &LemmaReason::NotJudged).collect()
}

fn undecided<'p>(program: &'p Program, why: &'p LemmaReason) -> impl Iterator<Item = Lemma> + 'p {
    of(program).map(|lemma| Lemma {
        name: lemma.name.clone(),
        line: program.line(lemma.span),
        status: Status::Unknown,
        reason: why.clone(),
        used: false,
        step: None,
        state: Vec::new(),
        trace: None,
    })
}

/// A shortest execution to a state in which a lemma is false, if it can be had cheaply.
fn trace(e: &Encoding, holds: &Bdd, lemma: &Expr) -> Result<Option<Trace>, Stop> {
    let found = paths::path(e, &holds.not(), paths::BUDGET)?;
    let PathSearch::Found(execution) = found else {
        return Ok(None);
    };
    let mut told = retell_as(e, &execution, Outcome::Lemma);
    if let Some(trace) = &mut told {
        trace.about = of_condition(e.program, lemma);
    }
    Ok(told)
}
