//! What is asked about a program, as sets of states to look for.

use crate::control::Stop;
use crate::explore::{State, holds, is_deadlock};
use crate::program::Program;
use crate::relation::{Concrete, Encoding};
use crate::syntax::ast::PropertyKind;
use biodivine_lib_bdd::Bdd;

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

/// A question, as the set of states that settles it when one is reached.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The property's name.
    pub name: String,
    /// What kind of question it is.
    pub kind: GoalKind,
    /// The states to look for: violations, or for `reach` the wanted ones.
    pub bad: Bdd,
    /// Whether reaching one is what is wanted.
    pub wanted: bool,
    /// Whether an invisible step could lead out of these states (q and `wrong` are sticky, in a deadlock there is no step).
    pub can_be_hidden: bool,
}

impl Goal {
    /// The kind, as reports name it.
    pub fn kind_name(&self, program: &Program) -> &'static str {
        match self.kind {
            GoalKind::Discipline => "discipline",
            GoalKind::Assertions => "assertions",
            GoalKind::DeadlockFree => "deadlock_free",
            GoalKind::User(n) => match program.properties[n].kind {
                PropertyKind::Reach => "reach",
                PropertyKind::Invariant | PropertyKind::Lemma => "invariant",
            },
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

/// All questions of a program; with `only`, the discipline and the one named.
///
/// # Errors
/// Any [`Stop`].
pub fn goals(e: &Encoding, only: Option<&str>) -> Result<Vec<Goal>, Stop> {
    let m = &e.m;
    let mut all = vec![Goal {
        name: "discipline".into(),
        kind: GoalKind::Discipline,
        bad: e.q(),
        wanted: false,
        can_be_hidden: false,
    }];
    let asked = |name: &str| only.is_none_or(|o| o == name);
    if asked("assertions") {
        let mut wrong = m.no();
        for (t, thread) in e.program.threads.iter().enumerate() {
            if let Some(l) = thread.wrong {
                wrong = m.or(&wrong, &e.at(t, l))?;
            }
        }
        all.push(Goal {
            name: "assertions".into(),
            kind: GoalKind::Assertions,
            bad: wrong,
            wanted: false,
            can_be_hidden: false,
        });
    }
    if e.program.deadlock_free.is_some() && asked("deadlock_free") {
        all.push(Goal {
            name: "deadlock_free".into(),
            kind: GoalKind::DeadlockFree,
            bad: deadlocks(e)?,
            wanted: false,
            can_be_hidden: false,
        });
    }
    for (n, property) in e.program.properties.iter().enumerate() {
        if !asked(&property.name) {
            continue;
        }
        let holds = e.predicate(&property.expr)?;
        let wanted = property.kind == PropertyKind::Reach;
        all.push(Goal {
            name: property.name.clone(),
            kind: GoalKind::User(n),
            bad: if wanted { holds } else { holds.not() },
            wanted,
            can_be_hidden: true,
        });
    }
    Ok(all)
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
