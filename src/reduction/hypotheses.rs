//! The hypotheses of a theorem, read from its file and evaluated on a program.
//!
//! Each instance is evaluated on all type-correct states (J = 1) first; what fails there is evaluated again on the
//! exact reachable states, if they can be had within a budget. A hypothesis that holds on J = 1 holds on every J.

use super::instantiate::{Atoms, Instance, Model, Unreadable};
use super::reachable::reachable;
use crate::algebra::{self, Order};
use crate::control::Stop;
use crate::relation::{Evaluator, Failure, Ground, Meaning, Taken};
use crate::report::{self, Binding, Status, Step, Witness};
use biodivine_lib_bdd::Bdd;

/// Nodes that may be built for the reachable set before it is given up.
pub const REACHABLE_BUDGET: usize = 50_000_000;

/// The reachable set, computed when it is first needed.
pub enum Reach {
    /// Not yet needed.
    Unasked,
    /// The set.
    Known(Bdd),
    /// It could not be had, for this reason.
    Unknown(String),
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
        vacuous: instances.iter().all(|i| is_vacuous(i, &atoms)),
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
        if let Reach::Unasked = reach {
            model
                .encoding
                .m
                .control()
                .enter("the reachable states of the original program");
            *reach = match reachable(model.encoding, REACHABLE_BUDGET) {
                Ok(Some(set)) => Reach::Known(set),
                Ok(None) => Reach::Unknown(format!(
                    "the budget of {REACHABLE_BUDGET} nodes was used up"
                )),
                Err(Stop::Nodes) => Reach::Unknown(Stop::Nodes.to_string()),
                Err(stop) => return Err(stop.into()),
            };
        }
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
                        result.witness =
                            Some(witness(model, &within, instance, failure, Some(true)));
                        Some(true)
                    }
                }
            }
            _ => {
                result.witness = Some(witness(model, &everywhere, instance, failure, None));
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
                "on all type-correct states, where it fails; the reachable states are not known: {why}"
            )
        }
        (_, Status::Refuted, _) => "on the reachable states, where it fails".to_string(),
        (0, ..) => "on all type-correct states".to_string(),
        (n, ..) => {
            format!("on all type-correct states, {n} of the instances on the reachable states only")
        }
    };
    result.evidence = format!(
        "evaluated {places}: {} checks, {} skipped as independent",
        here.checked, here.skipped
    );
    if on_reachable > 0 && result.status == Status::Holds {
        result.evidence.push_str(" (J = reachable)");
    }
    Ok(result)
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

/// A failure in the user's words.
pub(super) fn witness(
    model: &Model,
    evaluator: &Evaluator,
    instance: &Instance,
    (failure, left, right): (Failure, Ground, Ground),
    reachable: Option<bool>,
) -> Witness {
    let e = model.encoding;
    let steps: Vec<Step> = failure
        .steps
        .iter()
        .map(|taken| step(model, taken))
        .collect();
    let states = failure
        .states
        .iter()
        .map(|s| super::trace::bindings(e, s, Some(&failure.bits)))
        .collect();
    let names = instance
        .threads
        .iter()
        .map(|(i, t)| format!("{i} = {}", model.thread_name(*t)));
    let inequality = format!("{} <= {}", evaluator.show(&left), evaluator.show(&right));
    let words = words(&steps, &failure);
    Witness {
        instance: names.collect::<Vec<_>>().join(", "),
        mend: mend(model, &failure.steps),
        inequality,
        words,
        states,
        steps,
        reachable,
    }
}

fn step(model: &Model, taken: &Taken) -> Step {
    match taken {
        Taken::Action(a) => super::trace::step_of(model.encoding, *a),
        Taken::Factor(text) => Step {
            thread: String::new(),
            location: text.clone(),
            line: 0,
            text: text.clone(),
            reasons: Vec::new(),
        },
    }
}

fn words(steps: &[Step], failure: &Failure) -> String {
    let says = |s: &Step| {
        if s.line == 0 {
            s.text.clone()
        } else {
            format!("{} at {} (line {})", s.thread, s.location, s.line)
        }
    };
    match steps {
        [] => "there is a state on the left that is not on the right".into(),
        [one] => format!(
            "{} leads from s1 to s2; the right side allows no such step",
            says(one)
        ),
        [first, second] => format!(
            "{}, then {}, lead from s1 by s2 to s3; taken the other way round from s1 they neither lead to s3 nor violate the discipline",
            says(first),
            says(second)
        ),
        _ if failure.states.len() > 1
            && failure.states[..failure.states.len() - 1]
                .contains(&failure.states[failure.states.len() - 1]) =>
        {
            "these invisible steps can be repeated for ever".into()
        }
        _ => "these steps lead from the first to the last state; the right side has no such pair"
            .into(),
    }
}

fn mend(model: &Model, steps: &[Taken]) -> String {
    let e = model.encoding;
    let actions: Vec<usize> = steps
        .iter()
        .filter_map(|t| {
            if let Taken::Action(a) = t {
                Some(*a)
            } else {
                None
            }
        })
        .collect();
    let name = |item| match item {
        Some(crate::relation::Item::Cell(c)) => Some(e.program.cells[c].name.clone()),
        Some(crate::relation::Item::Location(t)) => {
            Some(format!("the location of {}", e.program.threads[t].name))
        }
        _ => None,
    };
    match actions.as_slice() {
        [x, y, ..] if e.actions[*x].thread != e.actions[*y].thread => {
            let (a, b) = (&e.actions[*x], &e.actions[*y]);
            let mut shared: Vec<String> = a
                .footprint
                .iter()
                .filter(|bit| {
                    b.footprint.contains(bit) && (a.writes.contains(bit) || b.writes.contains(bit))
                })
                .filter_map(|&bit| name(e.layout.item(bit)))
                .collect();
            shared.dedup();
            let over = if shared.is_empty() {
                "what both use".to_string()
            } else {
                shared.join(", ")
            };
            format!(
                "the two steps meet in {over}: let the exclusive access predicate exclude one of them, keep other threads from taking it away, or declare the variable `unprotected`"
            )
        }
        // Of a run that goes on for ever, the last step lies on the cycle.
        [.., x] => {
            let location =
                &e.program.threads[e.actions[*x].thread].locations[e.actions[*x].location].name;
            format!(
                "make the step at {location} visible (use an unprotected variable in it), or drop --strict"
            )
        }
        [] => {
            "make the steps concerned visible by declaring a variable they use `unprotected`".into()
        }
    }
}

/// A binding of a name to a value.
pub(super) fn binding(name: impl Into<String>, value: impl Into<String>) -> Binding {
    Binding {
        name: name.into(),
        value: value.into(),
    }
}
