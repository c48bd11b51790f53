//! Which steps there are in reachable states, by the explicit search: all states first, then the steps of each. Some
//! may be counted more than once.

use super::{Compiled, ExplicitSearch, Machine, Mode};
use crate::base::control::{Control, Stop};
use crate::engine::Heuristic;
use crate::engine::interpreter::State;
use crate::model::program::{Expr, LocId, Program};
use std::ops::ControlFlow;

/// What the states that were looked at have.
#[derive(Clone, Debug)]
pub struct Steps {
    /// How many they are.
    pub states: u64,
    /// Whether they are all that can be reached.
    pub complete: bool,
    /// By thread and location: whether the thread is ever there.
    pub reached: Vec<Vec<bool>>,
    /// By thread and location: the edge taken and the location behind it, with the number of steps.
    pub taken: Vec<Vec<Vec<(usize, LocId, u64)>>>,
    /// A deadlock.
    pub deadlock: Option<State>,
    /// Of each condition, whether it is ever true.
    pub met: Vec<bool>,
}

/// Operations for each state that may be looked at.
const STEPS: u64 = 8;

/// How often limits are looked at among the steps of one state.
const OFTEN: u64 = 1 << 16;

/// Looks at so many reachable states at most, and at all steps from them.
///
/// # Errors
/// Any [`Stop`] but that of states.
pub fn steps(
    program: &Program,
    conditions: &[&Expr],
    most: usize,
    control: &Control,
) -> Result<Steps, Stop> {
    control.enter("coverage");
    let compiled = Compiled::new(program, &Heuristic::ALL[0].0.order(program), control)?;
    let how = (Mode::Breadth, 1);
    let mut search = ExplicitSearch::new(program, &compiled, &[], (None, None), how, control);
    // A state may have very many steps, and so may those that `init` rejects.
    let operations = (most as u64).saturating_mul(STEPS);
    let complete = match search.run(operations, most) {
        Ok(()) => true,
        Err(Stop::States | Stop::Operations) => false,
        Err(stop) => return Err(stop),
    };
    let places = || program.threads.iter().map(|t| t.locations.len());
    let mut found = Steps {
        states: search.visited() as u64,
        // What comes behind a violation of the discipline is not looked at.
        complete: complete && !search.found().violated,
        reached: places().map(|n| vec![false; n]).collect(),
        taken: places().map(|n| vec![Vec::new(); n]).collect(),
        deadlock: None,
        met: vec![false; conditions.len()],
    };
    let mut machine = Machine::new(&compiled);
    let conditions: Vec<_> = conditions
        .iter()
        .map(|e| machine.compile(program, e))
        .collect();
    let mut left = operations;
    search.each_state(&mut |state| {
        control.check()?;
        for (met, condition) in found.met.iter_mut().zip(&conditions) {
            *met = *met || machine.holds(condition, state);
        }
        if found.deadlock.is_none() && machine.is_deadlock(state) {
            found.deadlock = Some(compiled.layout.unpack(state));
        }
        for thread in 0..program.threads.len() {
            let from = compiled.layout.location(state, thread);
            found.reached[thread][from] = true;
            let taken = &mut found.taken[thread][from];
            let each = machine.each_step(state, thread, &mut |step| {
                // Of a state that was not expanded nobody knows how many there are.
                left = left.saturating_sub(1);
                if left == 0 {
                    return ControlFlow::Break(None);
                }
                if left.is_multiple_of(OFTEN)
                    && let Err(stop) = control.check()
                {
                    return ControlFlow::Break(Some(stop));
                }
                let to = compiled.layout.location(step.after, thread);
                let known = taken.iter_mut().find(|t| (t.0, t.1) == (step.edge, to));
                match known {
                    Some(known) => known.2 += 1,
                    None => taken.push((step.edge, to, 1)),
                }
                ControlFlow::Continue(())
            });
            if let ControlFlow::Break(Some(stop)) = each {
                return Err(stop);
            }
        }
        // The search was allowed to end its last round, and may have taken more.
        found.complete &= left > 0;
        Ok(())
    })?;
    Ok(found)
}
