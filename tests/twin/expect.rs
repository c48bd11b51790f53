//! What tests by hand say of a program: its number of states, its properties, the values behind some steps.

use super::ast::{Program, Property};
use super::semantics::{State, System};
use super::verdict::{Judged, Rung, Status};

/// How many states the program has, and what is said of assertions and deadlocks.
pub fn explored(mut program: Program) -> (usize, Status, Status) {
    program.properties.push(Property::DeadlockFree);
    let Judged { answer, .. } = Judged::new(&program);
    assert_ne!(answer.rung, Rung::None);
    (
        answer.counts().original,
        answer.property("assertions"),
        answer.property("deadlock_free"),
    )
}

pub const FINE: (Status, Status) = (Status::Holds, Status::Holds);
pub const WRONG: (Status, Status) = (Status::Refuted, Status::Holds);
pub const STUCK: (Status, Status) = (Status::Holds, Status::Refuted);

pub fn check(program: Program, states: usize, (assertions, deadlock_free): (Status, Status)) {
    assert_eq!(explored(program), (states, assertions, deadlock_free));
}

/// The values of the named cells.
pub fn values(system: &System, state: &State, names: &[&str]) -> Vec<i64> {
    let cells = system.layout.cells.iter();
    let cell = |name: &&str| cells.clone().position(|cell| cell.name == *name);
    names
        .iter()
        .map(|name| state.cells[cell(name).expect("a cell")])
        .collect()
}

/// Takes the only step of the first thread so many times.
pub fn after(system: &System, steps: usize) -> State {
    let mut state = system.initial().remove(0);
    for _ in 0..steps {
        let mut all = system.steps(&state, 0);
        assert_eq!(all.len(), 1);
        state = all.remove(0).target;
    }
    state
}
