//! Claims decided by their definition on decision diagrams: where there are many states, and nothing goes wrong.
//!
//! What can be told apart is left to the comparison state by state, which has an execution for it.

use super::compared::{Compared, Found};
use super::observed::{renames, scratch, unseen};
use crate::base::control::{Control, Stop};
use crate::engine::Heuristic;
use crate::engine::compiled::Blocks;
use crate::engine::reach::{Alike, Atomic, Inside, atomic};
use crate::model::program::{Claim, Program, ThreadId};
use std::collections::BTreeMap;

/// What is found of a claim in so many operations; none if it is left to others. The program is compared with the one
/// with the block atomic if that is `wanted`.
///
/// # Errors
/// Any [`Stop`] but that of operations.
pub fn alike(
    program: &Program,
    (claim, wanted): (&Claim, bool),
    most: u64,
    control: &Control,
) -> Result<Option<Alike>, Stop> {
    if renames(program) {
        return Ok(None);
    }
    let mut blocks: BTreeMap<ThreadId, Inside> = BTreeMap::new();
    for block in &claim.blocks {
        let own = blocks.entry(block.thread).or_default();
        own.locations.extend(&block.inside);
        own.edges.extend(&block.edges);
    }
    let dead = scratch(program, claim, &Blocks::new(program, claim));
    let asked = Atomic {
        blocks,
        unseen: &|t, l| dead.at(t, l).to_vec(),
        hidden: &claim.hidden,
        compares: wanted,
    };
    let order = Heuristic::ALL[0].0.order(program);
    match atomic(program, &asked, order, most, control) {
        Err(Stop::Operations) => Ok(None),
        alike => alike,
    }
}

/// What becomes of a claim in so many operations; none if that is left to others.
///
/// # Errors
/// As [`alike`].
pub fn compare(
    program: &Program,
    (claim, wanted): (&Claim, bool),
    most: u64,
    control: &Control,
) -> Result<Option<Compared>, Stop> {
    let alike = alike(program, (claim, wanted), most, control)?;
    // An execution that refutes the claim is found elsewhere.
    let refutes = |stuck: &Option<_>| stuck.is_some() && program.deadlock_free.is_some();
    let Some(alike) = alike.filter(|a| !refutes(&a.stuck)) else {
        return Ok(None);
    };
    let blocks = Blocks::new(program, claim);
    let dead = scratch(program, claim, &blocks);
    Ok(Some(Compared {
        met: alike.states.clone(),
        states: Some(alike.states),
        answer: Ok(match wanted {
            true => Found::Same,
            false => Found::Unasked,
        }),
        entered: alike.entered,
        finished: alike.finished,
        stuck: alike.stuck.map(|(t, l)| (t, l, None)),
        complete: true,
        unseen: unseen(program, claim, &blocks, &dead),
    }))
}
