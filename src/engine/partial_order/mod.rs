//! Partial-order reduction: explores as few as possible of the orders in which independent steps can happen.
//!
//! There is one file for each technique. All work on the pending steps of `steps.rs`, and all keep the same: the states
//! that each thread by itself can come to (local states and local violations, Gueta et al. 2007). Observers ask
//! questions about several threads. `reach` does not ask whether the discipline of protected variables holds, so it is
//! ignored in the original program. The reduced system of a theorem rests on the discipline: there a step also reads
//! what the discipline depends on.
//!
//! [`Por::plan`] says which techniques may be combined; `docs/por.md` has the same as a table.

mod cartesian;
mod execution;
mod filters;
mod future;
mod happens;
mod sets;
mod stateless;
mod steps;
mod stubborn;
mod transitions;
mod vectors;

use crate::base::control::{Control, Stop};
use crate::engine::State;
use crate::engine::compiled::{Accesses, Machine};
use crate::engine::reach::{Answer, Outcome, Question, Reduction, Sort, Way, execution};
use crate::model::program::Program;
use filters::{Compared, Filters};
use num_bigint::BigUint;
use sets::Sets;
use stateless::Stateless;
use steps::Steps;

pub use cartesian::{Run, Vector, vectors};
pub use vectors::Extend;

/// A technique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technique {
    /// Persistent sets, states kept.
    Persistent,
    /// Conditional stubborn sets, states kept.
    Stubborn,
    /// Cartesian vectors, the ends of prefixes kept.
    Cartesian,
    /// Sleep sets, executions one after another.
    Sleep,
    /// Source-set dynamic partial-order reduction with sleep sets.
    SourceDpor,
    /// A thread that comes back to its own state unnoticed is stopped.
    LocalCycles,
    /// A thread is followed for as long as no other thread is concerned.
    SuperStep,
    /// Only one of several equivalent executions goes on.
    NotSeenBefore,
    /// The same by hashes, which can collide.
    NotSeenBeforeHashed,
}

impl Technique {
    /// All of them.
    pub const ALL: [Technique; 9] = [
        Technique::Persistent,
        Technique::Stubborn,
        Technique::Cartesian,
        Technique::Sleep,
        Technique::SourceDpor,
        Technique::LocalCycles,
        Technique::SuperStep,
        Technique::NotSeenBefore,
        Technique::NotSeenBeforeHashed,
    ];

    /// Its name on the command line, and what it is in a few words.
    pub fn told(self) -> (&'static str, &'static str) {
        match self {
            Technique::Persistent => ("persistent", "Persistent sets; states are kept"),
            Technique::Stubborn => ("stubborn", "Conditional stubborn sets; states are kept"),
            Technique::Cartesian => (
                "cartesian",
                "Cartesian vectors; the ends of prefixes are kept",
            ),
            Technique::Sleep => ("sleep", "Sleep sets; executions one after another"),
            Technique::SourceDpor => (
                "source-dpor",
                "Source sets with sleep sets; executions one after another",
            ),
            Technique::LocalCycles => (
                "local-cycles",
                "With these: a thread that comes back to its own state unnoticed waits",
            ),
            Technique::SuperStep => (
                "super-step",
                "One thread is followed for as long as nobody else is concerned",
            ),
            Technique::NotSeenBefore => ("not-seen-before", "Of equivalent executions one goes on"),
            Technique::NotSeenBeforeHashed => (
                "not-seen-before-hashed",
                "The same by hashes, which can collide: what is not found is unknown",
            ),
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.told().0
    }
}

/// Which techniques, together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Por {
    /// Their names.
    pub techniques: Vec<Technique>,
    /// Steps of an execution at most.
    pub depth: Option<usize>,
    /// Which Cartesian prefix is extended next.
    pub extend: Extend,
    /// Workers for Cartesian vectors; the result does not depend on it.
    pub cores: usize,
    /// Whether violations of the discipline are looked for as well. Then steps also read what the discipline depends
    /// on.
    pub discipline: bool,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    Sets(Sets),
    Cartesian,
    Stateless(Stateless),
    Filters(Filters),
}

impl Por {
    /// One technique by itself.
    pub fn only(technique: Technique) -> Self {
        Por {
            techniques: vec![technique],
            ..Por::default()
        }
    }

    /// As on the command line.
    pub fn name(&self) -> String {
        let names: Vec<&str> = self.techniques.iter().map(|t| t.name()).collect();
        names.join(",")
    }

    /// Why the techniques cannot be combined, if they cannot.
    ///
    /// # Errors
    /// The reason, in words.
    pub fn check(&self) -> Result<(), String> {
        self.plan().map(|_| ())
    }

    /// The table of what goes together.
    fn plan(&self) -> Result<Plan, String> {
        use Technique::{
            Cartesian, LocalCycles, NotSeenBefore, NotSeenBeforeHashed, Persistent, Sleep,
            SourceDpor, Stubborn, SuperStep,
        };
        let has = |t: Technique| self.techniques.contains(&t);
        let not_seen = match (has(NotSeenBefore), has(NotSeenBeforeHashed)) {
            (true, true) => {
                return Err("not-seen-before compares exactly or by hashes, not both".into());
            }
            (true, false) => Some(Compared::Exactly),
            (false, true) => Some(Compared::ByHash),
            (false, false) => None,
        };
        for (n, t) in self.techniques.iter().enumerate() {
            if self.techniques[..n].contains(t) {
                return Err(format!("{} is named twice", t.name()));
            }
        }
        let by_states = [
            (Persistent, Plan::Sets(Sets::Persistent)),
            (Stubborn, Plan::Sets(Sets::Stubborn)),
            (Cartesian, Plan::Cartesian),
        ];
        for (t, plan) in by_states {
            match (has(t), self.techniques.len(), self.depth) {
                (false, ..) => {}
                (true, 1, None) => return Ok(plan),
                (true, 1, Some(_)) => {
                    return Err(format!(
                        "{} keeps the states it has met and needs no bound: leave out `--depth`",
                        t.name()
                    ));
                }
                _ => {
                    return Err(format!(
                        "{} is combined with nothing: it keeps states, and decides alone which steps are taken",
                        t.name()
                    ));
                }
            }
        }
        let sleeping = has(SourceDpor) || has(Sleep);
        match (has(SourceDpor), has(Sleep)) {
            _ if sleeping && not_seen.is_some() => Err(
                "not-seen-before is not combined with sleep sets: what sleeps on one way to a state need not on \
                 another".into(),
            ),
            _ if sleeping && has(SuperStep) => Err(
                "super-step is not combined with sleep sets: both leave out orders of the same steps, and may leave \
                 out all of them".into(),
            ),
            (true, true) => Err("source-dpor has sleep sets of its own: leave out `sleep`".into()),
            (false, false) => Ok(Plan::Filters(Filters {
                super_step: has(SuperStep),
                local_cycles: has(LocalCycles),
                not_seen,
                depth: self.depth,
            })),
            (source, _) => Ok(Plan::Stateless(Stateless {
                source,
                local_cycles: has(LocalCycles),
                depth: self.depth,
            })),
        }
    }
}

/// What a technique found, besides what is in [`Steps`].
#[derive(Clone, Debug, Default)]
struct Searched {
    /// Distinct states met; at scheduling points in a reduced system.
    states: Option<u64>,
    /// With those inside coarse steps.
    visited: Option<u64>,
    /// Deadlocked states, where each is met once.
    deadlocks: Option<u64>,
    /// Complete executions, and those that turned out to be superfluous, of a technique without states.
    executions: Option<(u64, u64)>,
    /// Bytes of the states, or of what else is kept.
    memory: Option<usize>,
    stopped: Option<Stop>,
    /// Why the model is not for this technique.
    refused: Option<String>,
    /// Why what was not found may exist nevertheless.
    open: Option<String>,
}

/// What was found, and what only partial-order reduction has to tell.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// As of any engine.
    pub outcome: Outcome,
    /// Complete executions, and those that turned out to be superfluous.
    pub executions: Option<(u64, u64)>,
    /// Why the model is not for these techniques: nothing is answered.
    pub refused: Option<String>,
    /// Why what was not found may exist nevertheless.
    pub open: Option<String>,
}

/// Explores a program, or its reduced system, by techniques of partial-order reduction, with a bound on the number of
/// steps.
pub fn explore(
    program: &Program,
    questions: &[Question],
    por: &Por,
    reduction: Option<&Reduction>,
    (most, control): (u64, &Control),
) -> Reduced {
    let mut reduced = Reduced {
        outcome: Outcome::begin("explicit", questions.len()),
        executions: None,
        refused: None,
        open: None,
    };
    let plan = match por.plan() {
        Ok(plan) => plan,
        Err(why) => {
            reduced.refused = Some(why);
            return reduced;
        }
    };
    control.enter("partial-order reduction: compiling");
    let mut program = program.clone();
    if reduction.is_none() && !por.discipline {
        program.protections.clear();
    }
    let compiled = match steps::compile(&program, questions, control) {
        Ok(compiled) => compiled,
        Err(stop) => {
            reduced.outcome.stopped = Some(stop);
            return reduced;
        }
    };
    let Some(mut steps) = Steps::new(&program, &compiled, questions, reduction, (most, control))
    else {
        return reduced;
    };
    control.enter("partial-order reduction: exploring");
    let asked = questions.iter().filter(|q| q.sort != Sort::Deadlock);
    let looks: Vec<Accesses> = asked
        .map(|q| steps.shared.asked(&program, &q.expr))
        .collect();
    let plain = match plan {
        Plan::Sets(_) if reduction.is_none() && program.protections.is_empty() => {
            steps::plain(&program, control).ok()
        }
        _ => None,
    };
    let searched = match plan {
        Plan::Sets(sets) => {
            stubborn::explore(&mut steps, sets, looks, plain.as_ref().map(Machine::new))
        }
        Plan::Cartesian => Ok(cartesian::explore(
            &mut steps, questions, por.extend, por.cores,
        )),
        Plan::Filters(filters) => Ok(filters::explore(&mut steps, filters)),
        Plan::Stateless(how) => stateless::explore(&mut steps, how, looks),
    };
    let searched = searched.unwrap_or_else(|stop| Searched {
        stopped: Some(stop),
        ..Searched::default()
    });
    let outcome = &mut reduced.outcome;
    outcome.stopped = searched.stopped;
    let states = searched.states.map(BigUint::from);
    match outcome.stopped {
        None => {
            outcome.states = states;
            outcome.visited = searched.visited.map(BigUint::from);
            if questions.iter().any(|q| q.sort == Sort::Deadlock) {
                outcome.deadlocks = searched.deadlocks.map(BigUint::from);
            }
            reduced.executions = searched.executions.filter(|_| searched.refused.is_none());
        }
        Some(_) => outcome.so_far = states,
    }
    outcome.violated = steps.violated;
    outcome.memory = searched.memory;
    outcome.transitions = Some(steps.transitions);
    reduced.refused = searched.refused;
    reduced.open = searched.open;
    for (answer, found) in outcome.answers.iter_mut().zip(&steps.found) {
        if let Some(way) = found {
            let way: Vec<State> = way.iter().map(|s| steps.unpack(s)).collect();
            *answer = match execution(&program, (reduction, None), &way, Way::default(), control) {
                Ok(path) => Answer::Found(path),
                Err(stop) => Answer::Somewhere(stop),
            };
        }
    }
    reduced
}
