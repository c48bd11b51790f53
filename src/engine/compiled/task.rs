//! What is explored, what is asked, and what the states that are met count for: the same on one machine and on several.

use super::compile::Compiled;
use super::machine::{Condition, Machine};
use super::successors::Taken;
use crate::base::control::Control;
use crate::engine::quotients::Symmetry;
use crate::engine::reach::{Question, Reduction, Sort};
use crate::model::program::{Expr, Program};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

/// What was asked, compiled.
enum Asked {
    Deadlock(Condition),
    Violation,
    Where(Condition, bool),
}

impl Asked {
    fn holds(&self, machine: &Machine, state: &[u64]) -> bool {
        match self {
            Asked::Deadlock(which) => machine.is_deadlock(state) && machine.holds(which, state),
            Asked::Violation => false,
            Asked::Where(condition, wanted) => machine.holds(condition, state) == *wanted,
        }
    }
}

/// What is searched, and for what.
pub(crate) struct Task<'c> {
    pub program: &'c Program,
    pub compiled: &'c Compiled,
    pub control: &'c Control,
    pub reduction: Option<&'c Reduction>,
    /// Whether all states inside coarse steps are kept, so that they are counted.
    pub inside: bool,
    pub symmetry: Option<&'c Symmetry>,
    asked: Vec<Asked>,
    /// That a thread has gone wrong, if one can.
    wrong: Option<Condition>,
    /// Every state is expanded and a scheduling point, so that nothing need be kept about that.
    pub plain: bool,
}

impl<'c> Task<'c> {
    /// A task; its questions are answered in their order.
    pub fn new(
        program: &'c Program,
        compiled: &'c Compiled,
        questions: &[Question],
        (reduction, symmetry): (Option<&'c Reduction>, Option<&'c Symmetry>),
        control: &'c Control,
    ) -> Self {
        let machine = Machine::new(compiled);
        let instead = symmetry.map(|s| s.asked(questions));
        let asked = instead
            .as_deref()
            .unwrap_or(questions)
            .iter()
            .map(|q| match q.sort {
                Sort::Deadlock => Asked::Deadlock(machine.compile(program, &q.expr)),
                Sort::Violation => Asked::Violation,
                Sort::Find => Asked::Where(machine.compile(program, &q.expr), true),
                Sort::Invariant => Asked::Where(machine.compile(program, &q.expr), false),
            })
            .collect();
        Task {
            program,
            compiled,
            control,
            reduction,
            inside: reduction.is_some_and(|r| r.inside > 0),
            symmetry,
            asked,
            wrong: match program.gone_wrong() {
                Expr::Const(_) => None,
                wrong => Some(machine.compile(program, &wrong)),
            },
            plain: reduction.is_none() && program.protections.is_empty(),
        }
    }

    /// How many questions there are.
    pub fn questions(&self) -> usize {
        self.asked.len()
    }

    /// Whether a question asks for violations of the discipline.
    pub fn asks_for_violations(&self, question: usize) -> bool {
        matches!(self.asked[question], Asked::Violation)
    }

    /// Whether a question asks for a state; `may_be_dead`: also as one in which nothing can go on.
    pub fn asks_for(&self, machine: &Machine, state: &[u64], may_be_dead: bool) -> bool {
        let mut all = self.asked.iter();
        all.any(|asked| match asked {
            Asked::Deadlock(_) => may_be_dead && asked.holds(machine, state),
            _ => asked.holds(machine, state),
        })
    }

    /// What steps to successors cost.
    pub fn cost(&self, taken: Taken) -> u64 {
        self.dear() * taken.sent + self.step() * taken.passed
    }

    /// What a step costs.
    fn step(&self) -> u64 {
        1 + self.compiled.layout.words as u64 / 8
    }

    /// What a successor costs. The one that stands for all that differ from it by exchanges of threads takes twice as
    /// long to find with four threads, four times with twelve.
    pub fn dear(&self) -> u64 {
        match self.symmetry {
            None => self.step(),
            Some(_) => self.step() * (1 + self.program.threads.len().div_ceil(4) as u64),
        }
    }

    /// How many states one stands for, if it does for several.
    fn orbit(&self, state: &[u64]) -> Option<BigUint> {
        let layout = &self.compiled.layout;
        self.symmetry.map(|s| s.orbit(&|v| layout.value(state, v)))
    }
}

/// Numbers of states with those that differ from them by exchanges of threads.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Orbits {
    /// All that were met.
    pub visited: BigUint,
    /// Those at scheduling points in the reduced system.
    pub points: BigUint,
    /// Deadlocked ones.
    pub deadlocks: BigUint,
    /// Those in which a thread has gone wrong, and deadlocked ones among them.
    pub wrong: (BigUint, BigUint),
}

impl Orbits {
    fn add(&mut self, other: &Orbits) {
        self.visited += &other.visited;
        self.points += &other.points;
        self.deadlocks += &other.deadlocks;
        self.wrong.0 += &other.wrong.0;
        self.wrong.1 += &other.wrong.1;
    }
}

/// A state that is, or was, waiting to be expanded.
pub(crate) const QUEUED: u8 = 1;

/// A state at a scheduling point.
pub(crate) const POINT: u8 = 2;

/// Sent with a state: a step that keeps the discipline.
pub(crate) const GOOD: u64 = 1 << 62;

/// Sent with a state: it is a scheduling point.
pub(crate) const IS_POINT: u64 = 1 << 63;

/// What a step to a state adds to what is known of the state, as flags.
pub(crate) fn gained(known: u8, head: u64) -> u8 {
    let point = head & IS_POINT != 0;
    let queued = point && head & GOOD != 0;
    (if point { POINT } else { 0 } | if queued { QUEUED } else { 0 }) & !known
}

/// Numbers of states and of steps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub points: u64,
    pub deadlocks: u64,
    /// States in which a thread has gone wrong, and deadlocked ones among them.
    pub wrong: (u64, u64),
    pub orbits: Orbits,
    pub violated: bool,
    pub transitions: u64,
    pub operations: u64,
}

impl Tally {
    /// Adds what others counted.
    pub fn add(&mut self, other: &Tally) {
        self.points += other.points;
        self.deadlocks += other.deadlocks;
        self.wrong.0 += other.wrong.0;
        self.wrong.1 += other.wrong.1;
        self.orbits.add(&other.orbits);
        self.violated |= other.violated;
        self.transitions += other.transitions;
        self.operations += other.operations;
    }

    /// Counts a state that is met for the first time, and calls `met` with the number of each question that asks for
    /// it.
    pub fn fresh(
        &mut self,
        task: &Task,
        machine: &Machine,
        state: &[u64],
        met: &mut dyn FnMut(usize),
    ) {
        let wrong = task.wrong.as_ref().is_some_and(|w| machine.holds(w, state));
        self.wrong.0 += u64::from(wrong);
        let counted = task.inside || task.reduction.is_none();
        if let Some(orbit) = counted.then(|| task.orbit(state)).flatten() {
            self.orbits.wrong.0 += if wrong { orbit.clone() } else { BigUint::ZERO };
            self.orbits.visited += orbit;
        }
        for (n, asked) in task.asked.iter().enumerate() {
            let dead = matches!(asked, Asked::Deadlock(_));
            if !asked.holds(machine, state) {
                continue;
            }
            self.deadlocks += u64::from(dead);
            self.wrong.1 += u64::from(dead && wrong);
            if let Some(orbit) = task.orbit(state).filter(|_| dead) {
                self.orbits.wrong.1 += if wrong { orbit.clone() } else { BigUint::ZERO };
                self.orbits.deadlocks += orbit;
            }
            met(n);
        }
    }

    /// Counts a state that is found to be a scheduling point.
    pub fn point(&mut self, task: &Task, state: &[u64]) {
        self.points += 1;
        self.orbits.points += task.orbit(state).unwrap_or_default();
    }

    /// Counts the steps from a state.
    pub fn expanded(&mut self, task: &Task, machine: &Machine, state: &[u64], taken: Taken) {
        // Behind an error that ends the system there are no steps of it.
        let is_wrong = |w: &Condition| machine.holds(w, state);
        let over = task.program.errors_end && task.wrong.as_ref().is_some_and(is_wrong);
        self.transitions += if over { 0 } else { taken.sent + taken.passed };
        self.operations += 1 + task.program.threads.len() as u64 / 16 + task.cost(taken);
    }
}
