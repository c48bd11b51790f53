//! What may be asked of the reachable states.

use crate::base::control::Stop;
use crate::engine::diagrams::{Engine, Formula, NO, Node, Space, YES};
use crate::engine::interpreter::{State, holds, is_deadlock};
use crate::model::program::{Expr, Program};

/// What a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A state in which no step is enabled while some thread has been started and has not ended.
    Deadlock,
    /// A state that satisfies an expression.
    Find,
    /// A state that does not satisfy an expression.
    Invariant,
    /// A step that violates the discipline, or an initial state that does.
    Violation,
}

/// A question.
#[derive(Clone, Debug)]
pub struct Question {
    /// As the user asked it.
    pub name: String,
    /// What is asked for.
    pub sort: Sort,
    /// The expression; of deadlocks, which ones; unused for violations.
    pub expr: Expr,
}

impl Question {
    /// Whether the interpreter says that a state is asked for. No state shows a violation.
    pub fn met(&self, program: &Program, state: &State) -> bool {
        match self.sort {
            Sort::Deadlock => is_deadlock(program, state) && holds(program, &self.expr, state),
            Sort::Find => holds(program, &self.expr, state),
            Sort::Invariant => !holds(program, &self.expr, state),
            Sort::Violation => false,
        }
    }

    /// The states of a set that are asked for; `violated` are those of it that are met with a violation.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub(super) fn among(
        &self,
        space: &Space,
        engine: &mut Engine,
        (set, violated): (Node, Node),
    ) -> Result<Node, Stop> {
        if self.sort == Sort::Violation {
            return Ok(violated);
        }
        let f = &mut engine.relations.formulas;
        let condition = space.holds(f, &self.expr, space);
        let (set, condition) = match self.sort {
            Sort::Deadlock => (deadlocks(space, engine, set)?, condition),
            Sort::Find => (set, condition),
            Sort::Invariant | Sort::Violation => (set, f.not(condition)),
        };
        let mark = engine.kept();
        engine.keep(set);
        let found = engine.satisfying(set, condition);
        engine.release(mark);
        found
    }
}

/// The deadlocked states of a set.
///
/// # Errors
/// Any [`Stop`].
pub(super) fn deadlocks(space: &Space, engine: &mut Engine, set: Node) -> Result<Node, Stop> {
    let program = space.program;
    let mut stuck = Vec::new();
    let mut resting = Vec::new();
    for (t, thread) in program.threads.iter().enumerate() {
        for l in thread.steps() {
            let enabled = enabled(space, engine, t, l);
            let f = &mut engine.relations.formulas;
            stuck.push(f.not(enabled));
        }
        let over: Vec<usize> = thread.resting().collect();
        let at = space.at(&mut engine.relations.formulas, t, &over, space);
        resting.push(at);
    }
    let mark = engine.kept();
    let dead = all_of(engine, set, &stuck)?;
    engine.keep(dead);
    let over = all_of(engine, dead, &resting)?;
    let found = engine.minus(dead, over);
    engine.release(mark);
    found
}

/// The states of a set that satisfy all conditions.
pub(super) fn all_of(engine: &mut Engine, set: Node, conditions: &[Formula]) -> Result<Node, Stop> {
    let mut relations = Vec::new();
    for &c in conditions {
        match engine.relations.relation(&[c], &[]) {
            Some(rel) => relations.push(rel),
            None => return Ok(crate::engine::diagrams::EMPTY),
        }
    }
    let mark = engine.kept();
    engine.keep(set);
    let found = engine.restrict(set, &relations);
    engine.release(mark);
    found
}

/// Where a thread is at a location.
pub(super) fn located(
    space: &Space,
    engine: &mut Engine,
    thread: usize,
    location: usize,
) -> Formula {
    space.at(&mut engine.relations.formulas, thread, &[location], space)
}

/// Where a thread is at a location and has a step.
pub(super) fn enabled(
    space: &Space,
    engine: &mut Engine,
    thread: usize,
    location: usize,
) -> Formula {
    let f = &mut engine.relations.formulas;
    let mut any = NO;
    for edge in &space.program.threads[thread].locations[location].edges {
        let open = match &edge.guard {
            None => YES,
            // A guard whose evaluation fails does not block: the thread goes wrong.
            Some(guard) => {
                let (value, defined) = space.evaluate(f, guard, space);
                let fails = f.not(defined);
                f.or(fails, value)
            }
        };
        any = f.or(any, open);
    }
    let here = space.at(f, thread, &[location], space);
    f.and(here, any)
}
