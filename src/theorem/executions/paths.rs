//! Executions of the original program, single step by single step, to a state that a witness is about.
//!
//! Breadth first, so that a shortest one is found. Unlike the executions of `search`, these go on after a violation: an
//! invariant has to be closed under every step.

use super::search::Execution;
use crate::base::control::Stop;
use crate::engine::relations::{Encoding, pick, singleton};
use biodivine_lib_bdd::Bdd;

/// Nodes that a search may build.
pub const BUDGET: u64 = 20_000_000;

/// The outcome of a search.
pub enum PathSearch {
    /// A shortest execution.
    Found(Execution),
    /// There is none.
    Nowhere,
    /// The budget was used up before.
    GivenUp,
}

/// A shortest execution of single steps into `target`, each of them a coarse step of its own.
///
/// # Errors
/// Any [`Stop`] but that of the node limit, which only ends the search.
pub fn path(e: &Encoding, target: &Bdd, budget: u64) -> Result<PathSearch, Stop> {
    match within(e, target, budget) {
        Err(Stop::Nodes) => Ok(PathSearch::GivenUp),
        other => other,
    }
}

fn within(e: &Encoding, target: &Bdd, budget: u64) -> Result<PathSearch, Stop> {
    let m = &e.m;
    let begun = m.spent();
    let mut layers = vec![e.initial.clone()];
    let mut known = e.initial.clone();
    loop {
        let last = &layers[layers.len() - 1];
        if let Some(state) = pick(e, &m.and(last, target)?) {
            layers.pop();
            return back(e, &layers, state);
        }
        let mut next = m.no();
        for action in &e.actions {
            next = m.or(&next, &action.rel.image(m, last)?)?;
            if m.spent() - begun > budget {
                return Ok(PathSearch::GivenUp);
            }
        }
        let next = m.and_not(&next, &known)?;
        if next.is_false() {
            return Ok(PathSearch::Nowhere);
        }
        known = m.or(&known, &next)?;
        layers.push(next);
    }
}

/// The execution to a state just beyond the last of these layers.
fn back(
    e: &Encoding,
    layers: &[Bdd],
    last: crate::engine::relations::Concrete,
) -> Result<PathSearch, Stop> {
    let m = &e.m;
    let mut current = last;
    let mut steps = Vec::new();
    for (n, layer) in layers.iter().enumerate().rev() {
        let here = singleton(e, &current, &e.all_bits());
        let mut found = None;
        for (a, action) in e.actions.iter().enumerate() {
            let sources = m.and(&action.rel.preimage(m, &here)?, layer)?;
            if let Some(state) = pick(e, &sources) {
                found = Some((a, state));
                break;
            }
        }
        let Some((a, state)) = found else {
            return Ok(PathSearch::Nowhere);
        };
        steps.push((n + 1, a, current));
        current = state;
    }
    steps.reverse();
    Ok(PathSearch::Found(Execution {
        first: current,
        steps,
        shortest: true,
    }))
}
