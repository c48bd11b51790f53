//! The hypotheses of a theorem, read from its file and evaluated on a program.
//!
//! Each instance is evaluated on all type-correct states (J = 1) first; what fails there is evaluated again on the
//! exact reachable states, if they can be had within a budget. A hypothesis that holds on J = 1 holds on every J.

use super::instantiate::{Atoms, Instance, Model, Unreadable};
use super::reachable::reachable;
use super::telling;
use crate::algebra::{self, Order};
use crate::control::Stop;
use crate::relation::{Encoding, Evaluator, Failure, Ground, Meaning};
use crate::report::{self, Status};
use biodivine_lib_bdd::Bdd;

/// Nodes that may be built for the reachable set before it is given up.
const REACHABLE_BUDGET: usize = 50_000_000;

/// The reachable set, computed when it is first needed.
pub enum Reach {
    /// Not yet needed.
    Unasked,
    /// The set.
    Known(Bdd),
    /// It could not be had, for this reason.
    Unknown(String),
}

impl Reach {
    /// Computes the set if that has not been tried yet. A node limit hit on the way is an answer: it is not known.
    ///
    /// # Errors
    /// Any other [`Stop`].
    pub fn ask(&mut self, e: &Encoding) -> Result<(), Stop> {
        if let Reach::Unasked = self {
            e.m.control()
                .enter("the reachable states of the original program");
            *self = match reachable(e, REACHABLE_BUDGET) {
                Ok(Some(set)) => Reach::Known(set),
                Ok(None) => Reach::Unknown(format!(
                    "the budget of {REACHABLE_BUDGET} nodes was used up"
                )),
                Err(Stop::Nodes) => Reach::Unknown(format!("{} was hit", Stop::Nodes)),
                Err(stop) => return Err(stop),
            };
        }
        Ok(())
    }
}

/// Counts over all hypotheses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pairs {
    /// Choices of single actions evaluated.
    pub checked: usize,
    /// Choices skipped.
    pub skipped: usize,
}

/// Evaluates one hypothesis.
///
/// # Errors
/// If it can't be read on this program, or a limit is hit.
pub fn evaluate(
    model: &Model,
    hypothesis: &algebra::Hypothesis,
    reach: &mut Reach,
    pairs: &mut Pairs,
) -> Result<report::Hypothesis, Unreadable> {
    let mut atoms = Atoms::default();
    let instances = model.instances(&hypothesis.statement, &mut atoms)?;
    let mut here = Pairs::default();
    let mut on_reachable = 0;
    let mut result = report::Hypothesis {
        id: hypothesis.id.clone(),
        formula: hypothesis.statement.to_string(),
        words: hypothesis.words.clone(),
        status: Status::Holds,
        instances: instances.len().to_string(),
        evidence: String::new(),
        vacuous: false,
        on_reachable: false,
        witness: None,
    };
    for instance in &instances {
        let everywhere = Evaluator {
            encoding: model.encoding,
            atoms: &atoms.0,
            assumption: None,
        };
        let Some(failure) = fails(&everywhere, instance, &mut here)? else {
            continue;
        };
        reach.ask(model.encoding)?;
        let reachable = match reach {
            Reach::Known(set) => {
                let within = Evaluator {
                    assumption: Some(set),
                    ..everywhere
                };
                let mut again = Pairs::default();
                match fails(&within, instance, &mut again)? {
                    None => {
                        on_reachable += 1;
                        continue;
                    }
                    Some(failure) => {
                        result.witness = Some(telling::witness(
                            model,
                            &within,
                            instance,
                            failure,
                            Some(true),
                        ));
                        Some(true)
                    }
                }
            }
            _ => {
                result.witness = Some(telling::witness(
                    model,
                    &everywhere,
                    instance,
                    failure,
                    None,
                ));
                None
            }
        };
        result.status = if reachable.is_some() {
            Status::Refuted
        } else {
            Status::Unknown
        };
        break;
    }
    pairs.checked += here.checked;
    pairs.skipped += here.skipped;
    let places = match (on_reachable, &result.status, &*reach) {
        (_, Status::Unknown, Reach::Unknown(why)) => {
            format!(
                "on all type-correct states, where it fails, and the reachable states are not known ({why})"
            )
        }
        (_, Status::Refuted, _) => "on the reachable states, where it fails".to_string(),
        (0, ..) => "on all type-correct states".to_string(),
        (n, ..) => {
            format!("on all type-correct states, {n} of the instances on the reachable states only")
        }
    };
    result.on_reachable = on_reachable > 0;
    result.evidence = format!("evaluated {places}: {}", counted(here.checked, "check"));
    if here.skipped > 0 {
        result
            .evidence
            .push_str(&format!(", {} independent", here.skipped));
    }
    result.vacuous =
        result.status == Status::Holds && instances.iter().all(|i| is_vacuous(i, &atoms));
    Ok(result)
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Why an instance fails: the failure, and which two of its sides.
pub(super) fn fails(
    evaluator: &Evaluator,
    instance: &Instance,
    pairs: &mut Pairs,
) -> Result<Option<(Failure, Ground, Ground)>, Stop> {
    for (n, order) in instance.orders.iter().enumerate() {
        let (left, right) = (&instance.sides[n], &instance.sides[n + 1]);
        let mut directions = vec![(left, right)];
        if *order == Order::Equal {
            directions.push((right, left));
        }
        for (left, right) in directions {
            let outcome = evaluator.included(left, right)?;
            pairs.checked += outcome.checked;
            pairs.skipped += outcome.skipped;
            if let Some(failure) = outcome.failure {
                return Ok(Some((failure, left.clone(), right.clone())));
            }
        }
    }
    Ok(None)
}

/// Whether an instance says nothing: an action in it is empty, or a test other than q is constant.
fn is_vacuous(instance: &Instance, atoms: &Atoms) -> bool {
    let mut vacuous = false;
    for side in &instance.sides {
        side.atoms(&mut |a| {
            vacuous |= match &atoms.0[a].meaning {
                Meaning::Actions(all) => all.is_empty(),
                Meaning::Test(test) => test.as_bool().is_some(),
            };
        });
    }
    vacuous
}
