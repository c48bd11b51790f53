//! Executions of a bundle, repeated by the interpreter.

use super::invariant::{Refused, goal};
use crate::base::control::Control;
use crate::base::evidence::{Execution, Taken};
use crate::engine::{State, each_successor, holds, is_initial};
use crate::model::Loaded;
use crate::model::program::{CellId, LocId, Program, ThreadId};
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// Repeats an execution. Its last state has to satisfy its goal, and each of its steps must be one that the interpreter
/// takes.
///
/// # Errors
/// The first step that the interpreter does not take, or the limit that was hit.
pub fn replay(
    model: &Loaded,
    program: &Program,
    x: &Execution,
    control: &Control,
) -> Result<(), Refused> {
    control.enter(format!("an execution to {}", x.goal));
    let wanted = goal(model, program, &x.goal)?;
    let names = Names::new(program);
    let mut present = Present::first(program, &names, x)?;
    for (n, step) in x.steps.iter().enumerate() {
        control.check()?;
        let thread = names.thread(&step.thread)?;
        let before = present.state();
        present.change(program, &names, step)?;
        let after = present.state();
        let taken = each_successor(
            program,
            &before,
            thread,
            Some(&after),
            &mut |s| match s.state == after {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            },
        );
        if taken.is_continue() {
            let (thread, goal) = (&step.thread, &x.goal);
            return Err(Refused::Wrong(format!(
                "step {} of the execution to {goal} is none of {thread}'s",
                n + 1
            )));
        }
    }
    match holds(program, &wanted, &present.state()) {
        true => Ok(()),
        false => Err(Refused::Wrong(format!(
            "the execution to {} ends in a state that does not satisfy it",
            x.goal
        ))),
    }
}

/// Names of cells and threads.
struct Names<'p> {
    cells: FxHashMap<&'p str, CellId>,
    threads: FxHashMap<&'p str, ThreadId>,
}

impl<'p> Names<'p> {
    fn new(program: &'p Program) -> Self {
        let cells = program.cells.iter().map(|c| c.name.as_str());
        let threads = program.threads.iter().map(|t| t.name.as_str());
        Names {
            cells: cells.zip(0..).collect(),
            threads: threads.zip(0..).collect(),
        }
    }

    fn cell(&self, name: &str) -> Result<CellId, &'static str> {
        let known = self.cells.get(name).copied();
        known.ok_or("a value of a cell that there is not")
    }

    fn thread(&self, name: &str) -> Result<ThreadId, &'static str> {
        let known = self.threads.get(name).copied();
        known.ok_or("a step of a thread that there is not")
    }
}

/// A state that is changed step by step.
struct Present {
    cells: Vec<i64>,
    locations: Vec<LocId>,
}

impl Present {
    /// The first state: each cell has a value, and it is initial.
    fn first(program: &Program, names: &Names, x: &Execution) -> Result<Self, Refused> {
        let mut values: Vec<Option<i64>> = vec![None; program.cells.len()];
        for (name, value) in &x.start {
            let cell = names.cell(name)?;
            let fits = program.cells[cell].ty.contains(*value);
            if !fits || values[cell].replace(*value).is_some() {
                return Err("a first value that the cell can't have, or has already".into());
            }
        }
        let cells: Option<Vec<i64>> = values.into_iter().collect();
        let present = Present {
            cells: cells.ok_or("a cell without a first value")?,
            locations: program.threads.iter().map(|t| t.initial).collect(),
        };
        let given = |(c, cell): (usize, &crate::model::program::Cell)| {
            cell.initial.is_none_or(|v| v == present.cells[c])
        };
        let as_declared = program.cells.iter().enumerate().all(given);
        match as_declared && is_initial(program, &present.state()) {
            true => Ok(present),
            false => Err(Refused::Wrong(format!(
                "the execution to {} does not begin in an initial state",
                x.goal
            ))),
        }
    }

    fn state(&self) -> State {
        State::new(&self.cells, &self.locations)
    }

    fn change(
        &mut self,
        program: &Program,
        names: &Names,
        step: &Taken,
    ) -> Result<(), &'static str> {
        for (name, value) in &step.cells {
            let cell = names.cell(name)?;
            if !program.cells[cell].ty.contains(*value) {
                return Err("a value that the cell can't have");
            }
            self.cells[cell] = *value;
        }
        for (name, location) in &step.locations {
            let thread = names.thread(name)?;
            let mut all = program.threads[thread].locations.iter();
            let at = all.position(|l| l.name == *location);
            self.locations[thread] = at.ok_or("a location that there is not")?;
        }
        Ok(())
    }
}
