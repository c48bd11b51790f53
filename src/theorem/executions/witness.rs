//! A failed inclusion in the user's words: states, steps, what is wrong, how to mend it.

use super::trace::{bindings, step_of};
use crate::base::results::{Step, Witness};
use crate::engine::Variable;
use crate::engine::relations::{Evaluator, Failure, Ground, Item, Shape, Taken};
use crate::theorem::invariants::Rung;
use crate::theorem::read::{Instance, Model, Names};

/// A failure as a witness of a report; on which rung it was found and whether its first state is reachable
/// is not said yet.
pub(in crate::theorem) fn witness(
    model: &Model,
    evaluator: &Evaluator,
    instance: &Instance,
    (failure, left, right): &(Failure, Ground, Ground),
) -> Witness {
    let e = model.encoding;
    let names = instance
        .threads
        .iter()
        .map(|(i, t)| format!("{i} = {}", model.thread_name(*t)));
    Witness {
        instance: names.collect::<Vec<_>>().join(", "),
        invariant: Some(Rung::True),
        inequality: format!("{} <= {}", evaluator.show(left), evaluator.show(right)),
        words: words(model, failure),
        states: failure
            .states
            .iter()
            .map(|s| bindings(e, s, Some(&failure.bits)))
            .collect(),
        steps: failure
            .steps
            .iter()
            .map(|taken| step(model, taken))
            .collect(),
        reachable: None,
        because: String::new(),
        trace: None,
        mend: mend(model, failure),
    }
}

fn step(model: &Model, taken: &Taken) -> Step {
    match taken {
        Taken::Action(a) => step_of(model.encoding, *a),
        Taken::Factor(text) => Step {
            thread: String::new(),
            location: String::new(),
            line: 0,
            text: text.clone(),
            reasons: Vec::new(),
            repair: None,
        },
    }
}

/// An action in a few words, or a factor as it stands.
fn short(model: &Model, taken: &Taken) -> String {
    match taken {
        Taken::Factor(text) => text.clone(),
        Taken::Action(a) => {
            let step = step_of(model.encoding, *a);
            format!("{} at {}", step.thread, step.location)
        }
    }
}

fn words(model: &Model, failure: &Failure) -> String {
    let steps: Vec<String> = failure.steps.iter().map(|t| short(model, t)).collect();
    match (failure.shape, steps.as_slice()) {
        (Shape::Endless, _) => "these steps can be repeated for ever".into(),
        (Shape::Swap, [first, second]) => format!(
            "{first}, then {second} lead from s1 to s3; the other way round they do not, and the discipline is not \
             violated either"
        ),
        (Shape::Swap, _) => {
            "the step leads from s1 to s2, and the test holds on one side of it only".into()
        }
        (_, []) => "s1 is on the left, but not on the right".into(),
        (_, [one]) => format!("{one} leads from s1 to s2; the right side has no such pair"),
        (_, many) => format!(
            "{} lead from s1 to s{}; the right side has no such pair",
            many.join(", then "),
            many.len() + 1
        ),
    }
}

/// A mend for the failures that a model's discipline causes; none for other statements.
fn mend(model: &Model, failure: &Failure) -> String {
    if model.names == Names::Threads {
        // A statement of the user's own: nothing says that it ought to hold.
        return String::new();
    }
    let e = model.encoding;
    let name = |a: usize| short(model, &Taken::Action(a));
    match (failure.shape, failure.steps.as_slice()) {
        (Shape::Swap, [Taken::Action(x), Taken::Action(y)]) => {
            let (first, second) = (&e.actions[*x], &e.actions[*y]);
            let protected: Vec<usize> = second
                .footprint
                .iter()
                .filter_map(|&bit| match e.layout.item(bit) {
                    Some(Item::Of(Variable::Cell(c))) => e.program.protection_of(c).map(|_| c),
                    _ => None,
                })
                .collect();
            let mut met: Vec<String> = first
                .footprint
                .iter()
                .filter(|b| {
                    second.footprint.contains(b)
                        && (first.writes.contains(b) || second.writes.contains(b))
                })
                .filter_map(|&bit| match e.layout.item(bit)? {
                    Item::Of(Variable::Cell(c)) => Some(e.program.cells[c].name.clone()),
                    Item::Of(Variable::Location(t)) => {
                        Some(format!("the location of {}", e.program.threads[t].name))
                    }
                    Item::Violated => None,
                })
                .collect();
            met.dedup();
            let what = if met.is_empty() {
                "what both use".to_string()
            } else {
                met.join(", ")
            };
            match protected.first() {
                Some(&c) => format!(
                    "{} changes {what}, on which {}'s exclusive access to {cell} rests: let it do so only when no \
                     other thread has that access, or declare {} `unprotected`",
                    name(*x),
                    e.program.threads[second.thread].name,
                    e.program.arrays[e.program.cells[c].array].name,
                    cell = e.program.cells[c].name,
                ),
                None => format!(
                    "the two meet in {what}: declare it `unprotected`, or let one predicate exclude both"
                ),
            }
        }
        // The last step of a run that goes on for ever lies on its cycle.
        (Shape::Endless, [.., Taken::Action(x)]) => {
            format!(
                "make {} visible: without --strict this is done by itself",
                name(*x)
            )
        }
        _ => String::new(),
    }
}
