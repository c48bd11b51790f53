//! The reachable states of a program, and questions about them: by decision diagrams, or state by state.
//!
//! All engines give the same [`Outcome`]: exact counts, and for each question a path to a state that it asks for. A
//! state reached with a violation of the discipline is counted but not expanded (as in [`super::explore`]). With a
//! [`Reduction`] the reduced system is explored instead: a visible step of a thread and then its invisible steps, as
//! many as there are.

mod atomic;
mod enumerated;
mod explicit;
mod kept;
mod portfolio;
mod question;
mod reduced;
#[cfg(test)]
mod resumed;
mod symbolic;

pub use atomic::{Alike, Atomic, Inside, atomic};
pub use enumerated::enumerate;
pub(crate) use explicit::count;
pub use explicit::{Way, execution, explicit};
pub use kept::Kept;
pub use portfolio::{Attempt, How, Orders, portfolio};
pub use question::{Question, Sort};
pub use symbolic::{Settings, diagrams};

use super::Variable;
use super::interpreter::State;
use crate::base::control::Stop;
use crate::model::program::{LocId, Program, ThreadId};
use num_bigint::BigUint;

/// Which steps are visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// By thread and location; a location without steps counts as visible.
    pub visible: Vec<Vec<bool>>,
    /// What becomes of a coarse step whose thread is blocked at an invisible step.
    pub when_blocked: Blocked,
    /// Up to how many states a search state by state keeps those inside coarse steps, too, so that they are counted
    /// ([`Outcome::visited`]).
    pub inside: usize,
}

/// States up to which those inside coarse steps are kept if nobody asks for their number. They are often ten times as
/// many as the others, and nothing but a number.
pub const INSIDE: usize = 1 << 16;

/// What becomes of a coarse step whose thread is blocked at an invisible step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocked {
    /// It ends there (Stoller & Cohen: `p[i]`, no invisible step is enabled).
    #[default]
    Ends,
    /// The coarse step does not end: no other thread is scheduled, so it leads nowhere (Flanagan & Qadeer: only threads
    /// outside transactions are interrupted).
    Waits,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The thread.
    pub thread: ThreadId,
    /// The location that it leaves.
    pub location: LocId,
    /// What may have changed, with the values after it: cells as they are, locations as numbers.
    pub after: Vec<(Variable, i64)>,
}

impl Move {
    /// A thread's step from one state to another.
    pub fn between(program: &Program, thread: ThreadId, before: &State, after: &State) -> Move {
        let cells = (0..program.cells.len())
            .filter(|&c| before.cell(c) != after.cell(c))
            .map(|c| (Variable::Cell(c), after.cell(c)));
        let here = (Variable::Location(thread), after.location(thread) as i64);
        Move {
            thread,
            location: before.location(thread),
            after: cells.chain([here]).collect(),
        }
    }
}

/// An execution of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Its first state.
    pub first: State,
    /// Its steps.
    pub moves: Vec<Move>,
    /// Whether no execution to a state asked for is shorter.
    pub shortest: bool,
}

impl Path {
    /// Its last state.
    pub fn end(&self) -> State {
        let (mut cells, mut places) = (self.first.cells(), self.first.locations());
        for (variable, value) in self.moves.iter().flat_map(|step| &step.after) {
            match *variable {
                Variable::Cell(c) => cells[c] = *value,
                Variable::Location(t) => places[t] = *value as LocId,
            }
        }
        State::new(&cells, &places)
    }
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A state asked for is reached.
    Found(Path),
    /// One is reached, but no path was found within the limits.
    Somewhere(Stop),
    /// None was reached.
    Nowhere,
}

/// What an engine found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The engine.
    pub engine: &'static str,
    /// Distinct program states; in the reduced system those at scheduling points.
    pub states: Option<BigUint>,
    /// How many of them were explored, if each stands for those that differ from it by exchanges of threads.
    pub representatives: Option<BigUint>,
    /// In the reduced system, those inside steps too.
    pub visited: Option<BigUint>,
    /// Deadlocked states, if they were asked for.
    pub deadlocks: Option<BigUint>,
    /// States among [`Outcome::states`] in which a thread has gone wrong; not of a reduced system.
    pub wrong: Option<BigUint>,
    /// Deadlocked states among [`Outcome::deadlocks`] in which one has.
    pub wrong_deadlocks: Option<BigUint>,
    /// Whether the discipline is violated, so that not all states were expanded.
    pub violated: bool,
    /// What became of each question.
    pub answers: Vec<Answer>,
    /// The most nodes at once.
    pub peak_nodes: Option<usize>,
    /// Bytes that the engine held at most.
    pub memory: Option<usize>,
    /// Steps on diagrams, or what is like them.
    pub operations: Option<u64>,
    /// Steps of the program, where they are taken one by one.
    pub transitions: Option<u64>,
    /// Why it is not complete, if it is not.
    pub stopped: Option<Stop>,
    /// States that are known to be reachable, if it is not complete.
    pub so_far: Option<BigUint>,
    /// How often facts saved firing an event.
    pub skipped: Option<u64>,
    /// All states, if they were to be kept, and nothing is violated.
    pub kept: Option<Kept>,
}

impl Outcome {
    /// Nothing found yet.
    pub fn begin(engine: &'static str, questions: usize) -> Self {
        Outcome {
            engine,
            states: None,
            representatives: None,
            visited: None,
            deadlocks: None,
            wrong: None,
            wrong_deadlocks: None,
            violated: false,
            answers: vec![Answer::Nowhere; questions],
            peak_nodes: None,
            memory: None,
            operations: None,
            transitions: None,
            stopped: None,
            so_far: None,
            skipped: None,
            kept: None,
        }
    }
}
