//! Claims decided by their definition on decision diagrams: where there are many states, and nothing goes wrong.
//!
//! What can be told apart is left to the comparison state by state, which has an execution for it.

use super::compared::{Compared, Found};
use super::observed::{renames, scratch, unseen};
use crate::base::control::{Control, Stop};
use crate::engine::Heuristic;
use crate::engine::compiled::Blocks;
use crate::engine::reach::{Atomic, Inside, atomic};
use crate::model::program::{Claim, Program, ThreadId};
use std::collections::BTreeMap;

/// What becomes of a claim in so many operations; none if that is left to others. It is compared if that is `wanted`.
///
/// # Errors
/// Any [`Stop`] but that of operations.
pub fn compare(
    program: &Program,
    (claim, wanted): (&Claim, bool),
    most: u64,
    control: &Control,
) -> Result<Option<Compared>, Stop> {
    if renames(program) {
        return Ok(None);
    }
    let mut blocks: BTreeMap<ThreadId, Inside> = BTreeMap::new();
    for block in &claim.blocks {
        let own = blocks.entry(block.thread).or_default();
        own.locations.extend(&block.inside);
        own.edges.extend(&block.edges);
    }
    let of_steps = Blocks::new(program, claim);
    let dead = scratch(program, claim, &of_steps);
    let asked = Atomic {
        blocks,
        unseen: &|t, l| dead.at(t, l).to_vec(),
        hidden: &claim.hidden,
        compares: wanted,
    };
    let order = Heuristic::ALL[0].0.order(program);
    let alike = match atomic(program, &asked, order, most, control) {
        Err(Stop::Operations) => None,
        alike => alike?,
    };
    // An execution that refutes the claim is found elsewhere.
    let refutes = |stuck: &Option<_>| stuck.is_some() && program.deadlock_free.is_some();
    Ok(alike.filter(|a| !refutes(&a.stuck)).map(|a| Compared {
        met: a.states.clone(),
        states: Some(a.states),
        answer: Ok(match wanted {
            true => Found::Same,
            false => Found::Unasked,
        }),
        entered: a.entered,
        finished: a.finished,
        stuck: a.stuck.map(|(t, l)| (t, l, None)),
        complete: true,
        unseen: unseen(program, claim, &of_steps, &dead),
    }))
}
