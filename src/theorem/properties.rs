//! What is asked about a program, as sets of states to look for.

use crate::base::control::Stop;
use crate::base::results;
use crate::engine::relations::{Concrete, Encoding};
use crate::engine::{State, holds, is_deadlock};
use crate::model::program::Program;
use crate::model::text::ast::PropertyKind;
use biodivine_lib_bdd::Bdd;
use std::ops::Deref;

/// What kind of question a goal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalKind {
    /// No step violates the synchronisation discipline.
    Discipline,
    /// No thread goes wrong.
    Assertions,
    /// No deadlock.
    DeadlockFree,
    /// An index into the program's properties.
    User(usize),
}

/// A question. It is settled when a state is reached that is bad, or for `reach` the wanted one.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The property's name.
    pub name: String,
    /// What kind of question it is.
    pub kind: GoalKind,
    /// Whether reaching such a state is what is wanted.
    pub wanted: bool,
    /// Whether an invisible step could lead out of these states (q and `wrong` are sticky, in a deadlock there is no
    /// step).
    pub can_be_hidden: bool,
}

/// A question with the set of states that settles it when one is reached.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The question.
    pub asked: Asked,
    /// The states to look for.
    pub bad: Bdd,
}

impl Deref for Goal {
    type Target = Asked;

    fn deref(&self) -> &Asked {
        &self.asked
    }
}

impl Asked {
    /// The kind, as reports have it.
    pub fn reported(&self, program: &Program) -> results::PropertyKind {
        match self.kind {
            GoalKind::Discipline => results::PropertyKind::Discipline,
            GoalKind::Assertions => results::PropertyKind::Assertions,
            GoalKind::DeadlockFree => results::PropertyKind::DeadlockFree,
            GoalKind::User(n) => match program.properties[n].kind {
                PropertyKind::Reach => results::PropertyKind::Reach,
                PropertyKind::Invariant | PropertyKind::Lemma => results::PropertyKind::Invariant,
            },
        }
    }

    /// Whether a step violates the discipline.
    pub fn discipline() -> Asked {
        Asked::sticky("discipline", GoalKind::Discipline)
    }

    /// About states that no step hides.
    fn sticky(name: &str, kind: GoalKind) -> Asked {
        Asked {
            name: name.into(),
            kind,
            wanted: false,
            can_be_hidden: false,
        }
    }

    /// Whether a concrete state settles it, by the interpreter.
    pub fn reached(&self, program: &Program, concrete: &Concrete) -> bool {
        let state: &State = &concrete.state;
        match self.kind {
            GoalKind::Discipline => concrete.violated,
            GoalKind::Assertions => program
                .threads
                .iter()
                .enumerate()
                .any(|(i, t)| t.wrong == Some(state.location(i))),
            GoalKind::DeadlockFree => is_deadlock(program, state),
            GoalKind::User(n) => holds(program, &program.properties[n].expr, state) == self.wanted,
        }
    }
}

/// All questions of a program; if some are named, the discipline and those, and what they rest on: a claim rests on
/// everything that may go wrong.
pub fn asked(program: &Program, only: &[String]) -> Vec<Asked> {
    let mut all = vec![Asked::sticky("assertions", GoalKind::Assertions)];
    if program.deadlock_free.is_some() {
        all.push(Asked::sticky("deadlock_free", GoalKind::DeadlockFree));
    }
    let declared = program.properties.iter().enumerate();
    all.extend(declared.map(|(n, property)| Asked {
        name: property.name.clone(),
        kind: GoalKind::User(n),
        wanted: property.kind == PropertyKind::Reach,
        can_be_hidden: true,
    }));
    let is_claim = |name: &str| program.claims.iter().any(|c| c.name == name);
    let concerns = |a: &Asked, o: &String| *o == a.name || !a.wanted && is_claim(o);
    all.retain(|a| only.is_empty() || only.iter().any(|o| concerns(a, o)));
    all.insert(0, Asked::discipline());
    all
}

/// The questions of [`asked`] with their sets of states.
///
/// # Errors
/// Any [`Stop`].
pub fn goals(e: &Encoding, only: &[String]) -> Result<Vec<Goal>, Stop> {
    with_states(e, asked(e.program, only))
}

/// Questions with their sets of states.
///
/// # Errors
/// Any [`Stop`].
pub fn with_states(e: &Encoding, asked: Vec<Asked>) -> Result<Vec<Goal>, Stop> {
    let one = |asked: Asked| -> Result<Goal, Stop> {
        let bad = match asked.kind {
            GoalKind::Discipline => e.q(),
            GoalKind::Assertions => e.predicate(&e.program.gone_wrong())?,
            GoalKind::DeadlockFree => deadlocks(e)?,
            GoalKind::User(n) => {
                let holds = e.predicate(&e.program.properties[n].expr)?;
                if asked.wanted { holds } else { holds.not() }
            }
        };
        Ok(Goal { asked, bad })
    };
    asked.into_iter().map(one).collect()
}

/// No step is enabled and some thread has been started and has neither ended nor gone wrong.
pub fn deadlocks(e: &Encoding) -> Result<Bdd, Stop> {
    let m = &e.m;
    let mut finished = m.yes();
    for (t, thread) in e.program.threads.iter().enumerate() {
        let mut done = m.no();
        for l in thread.resting() {
            done = m.or(&done, &e.at(t, l))?;
        }
        finished = m.and(&finished, &done)?;
    }
    let mut dead = finished.not();
    for action in &e.actions {
        dead = m.and_not(&dead, &action.enabled)?;
    }
    Ok(dead)
}
