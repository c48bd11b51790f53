//! Which variables and threads the end of an execution is about: what a reader looks at first in the last state.

use super::trace::variable_of;
use crate::base::results::Violation;
use crate::engine::State;
use crate::model::program::{CellId, Edge, Expr, Program, ThreadId, each_use};
use crate::theorem::properties::{Asked, GoalKind};
use std::collections::BTreeSet;

/// The names of variables and threads of a trace, collected.
pub struct About<'p> {
    program: &'p Program,
    names: BTreeSet<String>,
}

impl<'p> About<'p> {
    /// About nothing yet.
    pub fn new(program: &'p Program) -> Self {
        About {
            program,
            names: BTreeSet::new(),
        }
    }

    fn cell(&mut self, cell: CellId) {
        self.names.insert(variable_of(self.program, cell));
    }

    fn thread(&mut self, thread: ThreadId) {
        self.names.insert(self.program.threads[thread].name.clone());
    }

    fn condition(&mut self, e: &Expr) {
        e.walk(&mut |part| match part {
            Expr::Cell(c) => self.cell(*c),
            Expr::Element(array, _) => self.cell(self.program.arrays[*array].first),
            Expr::At(t, _) => self.thread(*t),
            _ => {}
        });
    }

    /// What a step reads and writes.
    fn edge(&mut self, edge: &Edge) {
        let mut all = Vec::new();
        each_use(self.program, edge, &mut |used| all.extend(used.cells));
        all.into_iter().for_each(|c| self.cell(c));
        if let Some(guard) = &edge.guard {
            self.condition(guard);
        }
    }

    /// What goes wrong in a step, if something does: then it is about that only.
    pub fn violation(&mut self, violation: Option<&Violation>, edge: &Edge) {
        let Some(violation) = violation else {
            return;
        };
        self.names.clear();
        match violation {
            Violation::Failure(..) => self.edge(edge),
            Violation::Access { cell, .. } => self.named(cell),
            Violation::Overlap(overlap) => self.named(&overlap.cell),
        }
    }

    fn named(&mut self, cell: &str) {
        let cells = &self.program.cells;
        if let Some(c) = cells.iter().position(|c| c.name == cell) {
            self.cell(c);
        }
    }

    /// Who waits in a deadlock, and what for.
    fn waiting(&mut self, state: &State) {
        for (t, thread) in self.program.threads.iter().enumerate() {
            let at = state.location(t);
            if thread.resting().all(|l| l != at) {
                self.thread(t);
                let edges = thread.locations[at].edges.iter();
                let guards = edges.filter_map(|e| e.guard.as_ref());
                guards.for_each(|g| self.condition(g));
            }
        }
    }

    /// All names, in order.
    pub fn names(self) -> Vec<String> {
        self.names.into_iter().collect()
    }
}

/// What a condition is about.
pub fn of_condition(program: &Program, condition: &Expr) -> Vec<String> {
    let mut about = About::new(program);
    about.condition(condition);
    about.names()
}

/// What a deadlock is about.
pub fn of_deadlock(program: &Program, state: &State) -> Vec<String> {
    let mut about = About::new(program);
    about.waiting(state);
    about.names()
}

/// What the end of an execution is about that settles this, if it is not what goes wrong in it.
pub fn of_goal(program: &Program, goal: &Asked, last: &State) -> Option<Vec<String>> {
    match goal.kind {
        GoalKind::User(n) => Some(of_condition(program, &program.properties[n].expr)),
        GoalKind::DeadlockFree => Some(of_deadlock(program, last)),
        GoalKind::Discipline | GoalKind::Assertions => None,
    }
}
