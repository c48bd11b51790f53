//! What a program meets with a claim's block atomic, to hold others against it.

use super::compared::{Subject, Watched};
use crate::base::control::{Control, Stop};
use crate::engine::compiled::{Behaviours, Blocks, Compiled, Layout, Met, Visited};
use crate::engine::{Heuristic, Variable};
use crate::model::program::{Claim, Program, ThreadId};
use std::ops::ControlFlow;

/// The states without a thread inside that a program meets with a claim's block atomic.
pub struct WhenAtomic {
    order: Vec<Variable>,
    layout: Layout,
    watched: Watched,
    states: Visited,
}

impl WhenAtomic {
    /// They; none if there are more than so many states.
    ///
    /// # Errors
    /// Any [`Stop`] but those of many states.
    pub fn new(
        program: &Program,
        claim: &Claim,
        most: usize,
        control: &Control,
    ) -> Result<Option<WhenAtomic>, Stop> {
        let order = Heuristic::ALL[0].0.order(program);
        let compiled = Compiled::new(program, &order, control)?;
        let watched = Watched::new(program, claim, &compiled);
        let subject = Subject::new(program, &compiled);
        match watched.explore(&subject, program, most, control) {
            Ok((states, _)) => Ok(Some(WhenAtomic {
                order,
                layout: compiled.layout.clone(),
                watched,
                states,
            })),
            Err(Stop::States | Stop::Memory) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// Whether another program with the same variables and locations meets no others, with its block atomic. False if
    /// it meets too many.
    ///
    /// # Errors
    /// Any [`Stop`] but those of many states.
    pub fn has_all_of(
        &self,
        program: &Program,
        claim: &Claim,
        most: usize,
        control: &Control,
    ) -> Result<bool, Stop> {
        let compiled = Compiled::new(program, &self.order, control)?;
        if compiled.layout != self.layout {
            return Ok(false);
        }
        let blocks = Blocks::new(program, claim);
        let mut behaviours = Behaviours::new(program, &compiled, control);
        let (mut all, mut seen) = (true, Vec::new());
        let outcome = behaviours.explore(Some(&blocks), most, &mut |met| {
            if let Met::State { state, .. } = met {
                let at = |t: ThreadId| self.layout.location(state, t);
                if blocks.inside(&at).is_none() {
                    self.watched.observed.of(state, &mut seen);
                    all = self.states.find(&seen).is_some();
                }
            }
            match all {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        match outcome {
            Ok(()) => Ok(all),
            Err(Stop::States | Stop::Memory) => Ok(false),
            Err(stop) => Err(stop),
        }
    }
}
