//! The original system, state by state: `--cross-check` and the tests' reference.
//!
//! States are counted without q; a state reached with a violation is not expanded.

use super::interpreter::{
    State, each_successor, holds, initial_candidates, initially_violated, is_deadlock, is_initial,
    violates,
};
use crate::base::control::{Control, Stop};
use crate::model::program::Program;
use crate::model::text::ast::PropertyKind;
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// What an exploration of the original program found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Original {
    /// Distinct program states.
    pub states: usize,
    /// Whether a violation of the discipline is reachable.
    pub violated: bool,
    /// Whether a thread can go wrong.
    pub wrong: bool,
    /// Whether a deadlock is reachable.
    pub deadlock: bool,
    /// For each property of the program: whether its bad (for `reach`: its wanted) states are reachable.
    pub found: Vec<bool>,
}

/// Explores the original program.
///
/// # Errors
/// [`Stop::States`] when the control's budget of states is used up, or the reason the control was stopped for.
pub fn explore(program: &Program, control: &Control) -> Result<Original, Stop> {
    let mut result = Original {
        found: vec![false; program.properties.len()],
        ..Original::default()
    };
    // Bit 1: seen without a violation (and expanded); bit 2: seen with one.
    let mut seen: FxHashMap<State, u8> = FxHashMap::default();
    let mut frontier: Vec<State> = Vec::new();
    let mut visit = |state: State, q: bool, frontier: &mut Vec<State>| -> Result<(), Stop> {
        control.check()?;
        let mark = if q { 2 } else { 1 };
        match seen.get_mut(&state) {
            Some(marks) if *marks & mark != 0 => return Ok(()),
            Some(marks) => *marks |= mark,
            None => {
                if seen.len() >= control.budget().states {
                    return Err(Stop::States);
                }
                inspect(program, &state, &mut result);
                seen.insert(state.clone(), mark);
            }
        }
        result.violated |= q;
        if !q {
            frontier.push(state);
        }
        Ok(())
    };
    for (tried, state) in initial_candidates(program).enumerate() {
        control.check()?;
        // Candidates that `init` rejects take time as well.
        if tried >= control.budget().states {
            return Err(Stop::States);
        }
        if !is_initial(program, &state) {
            continue;
        }
        let q = initially_violated(program, &state);
        visit(state, q, &mut frontier)?;
    }
    while let Some(state) = frontier.pop() {
        for thread in 0..program.threads.len() {
            let outcome = each_successor(program, &state, thread, None, &mut |step| {
                let q = violates(program, thread, &state, &step);
                match visit(step.state, q, &mut frontier) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(stop) => ControlFlow::Break(stop),
                }
            });
            if let ControlFlow::Break(stop) = outcome {
                return Err(stop);
            }
        }
    }
    result.states = seen.len();
    Ok(result)
}

fn inspect(program: &Program, state: &State, result: &mut Original) {
    result.wrong |= program
        .threads
        .iter()
        .enumerate()
        .any(|(i, t)| t.wrong == Some(state.location(i)));
    result.deadlock |= is_deadlock(program, state);
    for (found, property) in result.found.iter_mut().zip(&program.properties) {
        let wanted = property.kind == PropertyKind::Reach;
        *found |= holds(program, &property.expr, state) == wanted;
    }
}
