//! The hypotheses of a theorem, read from its file and evaluated on a program.
//!
//! Each instance is evaluated on all type-correct states first. If it fails there, it is evaluated again on stronger
//! and stronger invariants (`invariants`), until it holds. An instance that holds on one rung holds on all above it, so
//! the highest rung that is needed serves for all.

use crate::algebra::{self, Order};
use crate::base::control::Stop;
use crate::base::results;
use crate::base::results::{Demand, Evaluated, Evidence, Needed, Places, Report, Status};
use crate::engine::relations::{Evaluator, Failure, Ground, Meaning};
use crate::theorem::executions::witness as telling;
use crate::theorem::invariants::excluded::{excluded, reached};
use crate::theorem::invariants::{Ladder, Rung, Step};
use crate::theorem::read::{Atoms, Instance, Model, Unreadable};

/// Counts over all hypotheses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pairs {
    /// Choices of single actions evaluated.
    pub checked: usize,
    /// Choices skipped.
    pub skipped: usize,
}

/// A failed inclusion with its two sides.
pub(in crate::theorem) type Failed = (Failure, Ground, Ground);

/// Evaluates one hypothesis.
///
/// # Errors
/// If it can't be read on this program, or a limit is hit.
pub fn evaluate(
    model: &Model,
    hypothesis: &algebra::Hypothesis,
    ladder: &mut Ladder,
    pairs: &mut Pairs,
) -> Result<results::Hypothesis, Unreadable> {
    let mut atoms = Atoms::default();
    let instances = model.instances(&hypothesis.statement, &mut atoms)?;
    let mut here = Pairs::default();
    let mut needed = Needed::default();
    let mut result = results::Hypothesis {
        status: Status::Holds,
        instances: instances.len().to_string(),
        discharge: results::Discharge::Evaluated,
        ..undecided(hypothesis)
    };
    let everywhere = Evaluator {
        encoding: model.encoding,
        atoms: &atoms.0,
        assumption: None,
    };
    let mut failed_on = Rung::True;
    for instance in &instances {
        let Some(failure) = fails(&everywhere, instance, &mut here)? else {
            needed.add(Rung::True, 1);
            continue;
        };
        let climbed = climb(&everywhere, instance, ladder)?;
        match climbed {
            Climbed::Holds(rung, below) => {
                // Those of an instance that needs the highest rung are told.
                if needed.highest() < rung {
                    let first = std::iter::once((Rung::True, failure));
                    let failures: Vec<_> = first.chain(below).collect();
                    result.excluded =
                        told_excluded(model, &everywhere, instance, &failures, ladder)?;
                }
                needed.add(rung, 1);
            }
            Climbed::Fails(last) => {
                let (rung, failure) = last.unwrap_or((Rung::True, failure));
                let mut witness = telling::witness(model, &everywhere, instance, &failure);
                witness.invariant = Some(rung);
                result.status = Status::Unknown;
                if let Some(why) = ladder.unknown(Rung::Reachable) {
                    witness.start = results::Start::Unknown(Some(why));
                } else {
                    result.status = Status::Refuted;
                    if let Some(first) = failure.0.states.first() {
                        reached(model.encoding, &mut witness, first)?;
                    }
                }
                result.witness = Some(witness);
                failed_on = rung;
                break;
            }
        }
    }
    pairs.checked += here.checked;
    pairs.skipped += here.skipped;
    if result.status == Status::Holds {
        result.invariant = Some(needed.highest());
    }
    let on = match result.status {
        Status::Holds => Places::Held(needed),
        Status::Refuted => Places::Refuted,
        Status::Unknown => Places::Open(failed_on, ladder.unknown(Rung::Reachable)),
    };
    result.evidence = Evidence::Evaluated(Evaluated::Inclusions {
        on,
        checked: here.checked,
        independent: here.skipped,
    });
    result.vacuous =
        result.status == Status::Holds && instances.iter().all(|i| is_vacuous(i, &atoms));
    if result.status != Status::Holds {
        result.excluded.clear();
    }
    Ok(result)
}

/// What came of an instance that fails on all type-correct states.
pub(in crate::theorem) enum Climbed {
    /// It holds on this rung, and fails on the highest below, if there is one that says anything.
    Holds(Rung, Option<(Rung, Failed)>),
    /// It fails on this one, the highest that is known, if any says anything.
    Fails(Option<(Rung, Failed)>),
}

/// The lowest rung on which an instance holds.
pub(in crate::theorem) fn climb(
    everywhere: &Evaluator,
    instance: &Instance,
    ladder: &mut Ladder,
) -> Result<Climbed, Stop> {
    let mut last = None;
    // A T inside leads to the states of J only, and `cod` sees steps from those only, so with J less may hold: only the
    // reachable states have a meaning of their own then.
    let own = |side: &Ground| side.has_inner_top() || side.looks_around();
    let inner = instance.sides.iter().any(own);
    for step in Step::ALL {
        if inner && step != Step::Reachable {
            continue;
        }
        let Some(set) = ladder.step(step)? else {
            continue;
        };
        let rung = step.rung();
        let within = Evaluator {
            assumption: Some(set),
            ..*everywhere
        };
        match fails(&within, instance, &mut Pairs::default())? {
            None => return Ok(Climbed::Holds(rung, last)),
            // The rung has not said its last word.
            Some(_) if step == Step::Controlled => {}
            Some(failure) => last = Some((rung, failure)),
        }
    }
    Ok(Climbed::Fails(last))
}

/// A hypothesis before it is settled.
pub fn undecided(hypothesis: &algebra::Hypothesis) -> results::Hypothesis {
    results::Hypothesis {
        id: hypothesis.id.clone(),
        formula: hypothesis.statement.to_string(),
        words: Demand::Theory(hypothesis.words.clone()),
        status: Status::Unknown,
        instances: "0".into(),
        evidence: Evidence::Undecided,
        discharge: results::Discharge::None,
        facts: "0".into(),
        vacuous: false,
        invariant: None,
        contradiction: None,
        witness: None,
        excluded: Vec::new(),
    }
}

/// Why an instance fails on the rungs below the one it holds on, in the user's words.
pub(in crate::theorem) fn told_excluded(
    model: &Model,
    everywhere: &Evaluator,
    instance: &Instance,
    failures: &[(Rung, Failed)],
    ladder: &mut Ladder,
) -> Result<Vec<results::Witness>, Stop> {
    let mut all = Vec::new();
    for (rung, failure) in failures {
        let mut witness = telling::witness(model, everywhere, instance, failure);
        witness.invariant = Some(*rung);
        if let Some(first) = failure.0.states.first() {
            excluded(ladder, &mut witness, first, &failure.0.bits)?;
        }
        all.push(witness);
    }
    Ok(all)
}

/// The highest rung that a condition or hypothesis needed; none if a hypothesis does not hold.
pub fn common_invariant(report: &Report) -> Option<Rung> {
    let mut highest = Rung::True;
    for h in &report.hypotheses {
        highest = highest.max(h.invariant?);
    }
    let conditions = report.well_formedness.iter();
    conditions
        .filter_map(|w| w.invariant)
        .chain([highest])
        .max()
}

/// Why an instance fails: the failure, and which two of its sides.
pub(in crate::theorem) fn fails(
    evaluator: &Evaluator,
    instance: &Instance,
    pairs: &mut Pairs,
) -> Result<Option<Failed>, Stop> {
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
pub(in crate::theorem) fn is_vacuous(instance: &Instance, atoms: &Atoms) -> bool {
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
