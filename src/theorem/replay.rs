//! Hypotheses evaluated anew, for the checker: those of a bundle that have no derivation.

use super::visibility::Visibility;
use crate::algebra::{Order, Theory};
use crate::base::control::Stop;
use crate::base::results::VisibilityReason;
use crate::engine::relations::{Encoding, Evaluator};
use crate::model::program::{LocId, ThreadId};
use crate::theorem::read::{Atoms, Model, Names, Unreadable};
use crate::theorem::reduced::transactions::Phased;
use biodivine_lib_bdd::Bdd;

/// What hypotheses are evaluated on.
pub struct Evaluation<'a, 'p> {
    /// The program's relations.
    pub encoding: &'a Encoding<'p>,
    /// The theorem.
    pub theory: &'a Theory,
    /// Which actions are visible.
    pub visible: &'a dyn Fn(ThreadId, LocId) -> bool,
    /// The program's phases, if it has some.
    pub phased: Option<&'a Phased>,
    /// J, for what fails on all type-correct states.
    pub invariant: Option<&'a Bdd>,
}

/// Evaluates instances of hypotheses, each given by its hypothesis and the threads that its index variables stand for
/// (in the order of their names); the position of the first that fails.
///
/// # Errors
/// What stopped it; `None` if an instance can't be read.
pub fn holds_under(
    on: &Evaluation,
    wanted: &[(usize, &[ThreadId])],
) -> Result<Option<usize>, Option<Stop>> {
    let of = |a: &crate::engine::relations::Action| match (on.visible)(a.thread, a.location) {
        true => vec![VisibilityReason::Wanted],
        false => Vec::new(),
    };
    let visibility = Visibility {
        reasons: on.encoding.actions.iter().map(of).collect(),
        refused: Vec::new(),
    };
    let model = Model {
        encoding: on.encoding,
        visibility: &visibility,
        theory: on.theory,
        states: Vec::new(),
        phased: on.phased,
        names: Names::Variables,
    };
    for (h, hypothesis) in on.theory.hypotheses.iter().enumerate() {
        if wanted.iter().all(|(n, _)| *n != h) {
            continue;
        }
        let mut atoms = Atoms::default();
        let instances = model.instances(&hypothesis.statement, &mut atoms);
        let instances = instances.map_err(|why| match why {
            Unreadable::Stopped(stop) => Some(stop),
            Unreadable::Meaningless { .. } => None,
        })?;
        for (position, (_, threads)) in wanted.iter().enumerate().filter(|(_, w)| w.0 == h) {
            let same = |i: &&super::Instance| i.threads.iter().map(|(_, t)| t).eq(threads.iter());
            let instance = instances.iter().find(same).ok_or(None)?;
            let mut held = false;
            for assumption in [None, on.invariant] {
                let evaluator = Evaluator {
                    encoding: on.encoding,
                    atoms: &atoms.0,
                    assumption,
                };
                held = true;
                for (sides, order) in instance.sides.windows(2).zip(&instance.orders) {
                    let mut ways = vec![(&sides[0], &sides[1])];
                    if *order == Order::Equal {
                        ways.push((&sides[1], &sides[0]));
                    }
                    for (left, right) in ways {
                        held = held && evaluator.included(left, right)?.failure.is_none();
                    }
                }
                if held {
                    break;
                }
            }
            if !held {
                return Ok(Some(position));
            }
        }
    }
    Ok(None)
}
