//! The hypotheses of a theorem, read from its file and evaluated on a program.
//!
//! Each instance is evaluated on all type-correct states first. If it fails there, it is evaluated again on stronger
//! and stronger invariants (`invariants`), until it holds. An instance that holds on one rung holds on all above it, so
//! the highest rung that is needed serves for all.

use crate::algebra::{self, Order, Word};
use crate::base::control::Stop;
use crate::base::results;
use crate::base::results::{Demand, Evaluated, Evidence, Needed, Places, Report, Status};
use crate::engine::relations::{Evaluator, Failure, Ground, Meaning};
use crate::model::program::{LocId, ThreadId};
use crate::theorem::exchanges::Exchanges;
use crate::theorem::executions::witness as telling;
use crate::theorem::invariants::excluded::{excluded, reached};
use crate::theorem::invariants::{Ladder, Rung, Step};
use crate::theorem::read::{Atoms, Instance, Model, Unreadable};
use rustc_hash::FxHashMap;

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

/// Instances up to exchanges of threads.
struct Alike<'m, 'e, 'p> {
    model: &'m Model<'e, 'p>,
    exchanges: &'m Exchanges,
}

/// What instances have in common that some exchange takes to each other: for each index variable, what its thread may
/// be exchanged for and the first that stands for the same one; and the letters, with the variables they speak of.
type Shape = (Vec<(ThreadId, usize)>, Vec<(Word, Option<usize>)>);

impl Alike<'_, '_, '_> {
    /// None if something in it speaks of other threads, or is no letter.
    fn shape(&self, instance: &Instance, atoms: &Atoms) -> Option<Shape> {
        let first = |t: ThreadId| instance.threads.iter().position(|(_, u)| *u == t);
        let threads = instance.threads.iter();
        let kinds = threads.map(|&(_, t)| Some((self.kind(t), first(t)?)));
        let mut used = Vec::new();
        for side in &instance.sides {
            side.atoms(&mut |a| used.push(atoms.1[a]));
        }
        let letters = used.into_iter().map(|letter| match letter? {
            (word, None) => Some((word, None)),
            (word, Some(t)) => Some((word, Some(first(t)?))),
        });
        Some((
            kinds.collect::<Option<_>>()?,
            letters.collect::<Option<_>>()?,
        ))
    }

    /// The first thread that one may be exchanged with of which all letters say the same: its steps are visible or not,
    /// and movers or not, and it is in the same phases, at the same locations.
    fn kind(&self, thread: ThreadId) -> ThreadId {
        let Model {
            encoding,
            visibility,
            phased,
            ..
        } = *self.model;
        let visible = |t: ThreadId| -> Vec<(LocId, bool)> {
            let all = encoding.of_thread(t);
            all.map(|a| (encoding.actions[a].location, visibility.is_visible(a)))
                .collect()
        };
        let phases = |t: ThreadId| phased.map(|p| (&p.phases[t], &p.origin[t], &p.movers[t]));
        let (own, alike) = (visible(thread), self.exchanges.members(thread));
        let mut alike = alike.into_iter();
        let first = alike.find(|&t| phases(t) == phases(thread) && visible(t) == own);
        first.unwrap_or(thread)
    }
}

/// Evaluates one hypothesis. What holds of some threads is known of all that these may be exchanged for, if exchanges
/// are given.
///
/// # Errors
/// If it can't be read on this program, or a limit is hit.
pub fn evaluate(
    model: &Model,
    hypothesis: &algebra::Hypothesis,
    exchanges: Option<&Exchanges>,
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
    let alike = exchanges.map(|exchanges| Alike { model, exchanges });
    let mut known: FxHashMap<Shape, (Rung, Pairs)> = FxHashMap::default();
    for instance in &instances {
        let shape = alike.as_ref().and_then(|a| a.shape(instance, &atoms));
        if let Some((rung, pairs)) = shape.as_ref().and_then(|shape| known.get(shape)) {
            needed.add(*rung, 1);
            here.checked += pairs.checked;
            here.skipped += pairs.skipped;
            continue;
        }
        let before = here;
        let rung = match fails(&everywhere, instance, &mut here)? {
            None => Rung::True,
            Some(failure) => match climb(&everywhere, instance, ladder)? {
                Climbed::Holds(rung, below) => {
                    // Those of an instance that needs the highest rung are told.
                    if needed.highest() < rung {
                        let first = std::iter::once((Rung::True, failure));
                        let failures: Vec<_> = first.chain(below).collect();
                        result.excluded =
                            told_excluded(model, &everywhere, instance, &failures, ladder)?;
                    }
                    rung
                }
                Climbed::Fails(last) => {
                    let (rung, failure) = last.unwrap_or((Rung::True, failure));
                    refuted(
                        &mut result,
                        (model, &everywhere, instance),
                        (rung, failure),
                        ladder,
                    )?;
                    failed_on = rung;
                    break;
                }
            },
        };
        needed.add(rung, 1);
        let looked = Pairs {
            checked: here.checked - before.checked,
            skipped: here.skipped - before.skipped,
        };
        known.extend(shape.map(|shape| (shape, (rung, looked))));
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

/// Tells that an instance fails on a rung, the highest that says anything.
fn refuted(
    result: &mut results::Hypothesis,
    (model, everywhere, instance): (&Model, &Evaluator, &Instance),
    (rung, failure): (Rung, Failed),
    ladder: &mut Ladder,
) -> Result<(), Stop> {
    let mut witness = telling::witness(model, everywhere, instance, &failure);
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
    Ok(())
}

/// What came of an instance that fails on all type-correct states.
pub(in crate::theorem) enum Climbed {
    /// It holds on this rung, and fails on the highest below, if there is one that says anything.
    Holds(Rung, Option<(Rung, Failed)>),
    /// It fails on this one, the highest that is known, if any says anything.
    Fails(Option<(Rung, Failed)>),
}

/// Whether the assumed states matter where an instance does not begin. A T inside leads to the states of J only, and
/// `cod` sees steps from those only, so with J less may hold: only the reachable states have a meaning of their own
/// then.
pub(in crate::theorem) fn is_inner(instance: &Instance) -> bool {
    let inner = |side: &Ground| side.has_inner_top() || side.looks_around();
    instance.sides.iter().any(inner)
}

/// The lowest rung on which an instance holds.
pub(in crate::theorem) fn climb(
    everywhere: &Evaluator,
    instance: &Instance,
    ladder: &mut Ladder,
) -> Result<Climbed, Stop> {
    let mut last = None;
    let inner = is_inner(instance);
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

#[cfg(test)]
mod tests {
    use super::{Pairs, evaluate};
    use crate::base::control::{Control, ParseLimits};
    use crate::base::results::{Status, VisibilityReason};
    use crate::engine::relations::Encoding;
    use crate::model::Loaded;
    use crate::theorem::exchanges::Exchanges;
    use crate::theorem::invariants::Ladder;
    use crate::theorem::read::{Model, Names};
    use crate::theorem::visibility::Visibility;
    use crate::theory;

    /// The second thread never ends, by steps that are visible of the first.
    #[test]
    fn threads_whose_steps_are_not_seen_alike_are_told_apart() {
        let text = "thread w(i in 0..2) { var k: 0..1 = 0; while (true) { k = 1 - k; } }";
        let loaded = Loaded::load("m.cor", text, &[], ParseLimits::default());
        let (model, _) = loaded.expect("a model");
        let control = Control::default();
        let e = Encoding::new(&model.program, &control).expect("small");
        let exchanges = Exchanges::new(&model.program);
        assert_eq!(
            (0..3).map(|t| exchanges.first(t)).collect::<Vec<_>>(),
            [0; 3]
        );
        let theory = theory("stoller-cohen").expect("shipped");
        for seen in [vec![0], vec![0, 1], vec![0, 1, 2]] {
            let why = |thread: usize| match seen.contains(&thread) {
                true => vec![VisibilityReason::Cycle],
                false => Vec::new(),
            };
            let visibility = Visibility {
                reasons: e.actions.iter().map(|a| why(a.thread)).collect(),
                refused: Vec::new(),
            };
            let model = Model {
                encoding: &e,
                visibility: &visibility,
                phased: None,
                theory: &theory,
                states: Vec::new(),
                names: Names::Variables,
            };
            let endless = theory.hypotheses.iter().find(|h| h.id == "11").expect("it");
            let evaluated = |exchanges| {
                let (ladder, pairs) = (&mut Ladder::new(&e), &mut Pairs::default());
                let entry = evaluate(&model, endless, exchanges, ladder, pairs);
                let entry = entry.expect("small");
                (entry.status, entry.instances, pairs.checked)
            };
            let all = evaluated(None);
            assert_eq!(evaluated(Some(&exchanges)), all);
            let runs = seen.len() < 3;
            assert_eq!(all.0 == Status::Refuted, runs, "{seen:?}");
        }
    }
}
