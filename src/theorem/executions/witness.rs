//! A failed inclusion on the user's program: states, steps, what is wrong, how to mend it.

use super::trace::{binding, bindings, step_of};
use crate::base::results::{Common, Mend, Shape, Start, Step, Witness};
use crate::engine::Variable;
use crate::engine::relations::{Encoding, Evaluator, Failure, Ground, Item, Taken};
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
    let names = instance.threads.iter();
    Witness {
        instance: names
            .map(|(i, t)| binding(i, model.thread_name(*t)))
            .collect(),
        invariant: Some(Rung::True),
        inequality: format!("{} <= {}", evaluator.show(left), evaluator.show(right)),
        shape: failure.shape,
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
        start: Start::Unknown(None),
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
            column: 0,
            text: text.clone(),
            reasons: Vec::new(),
        },
    }
}

/// A mend for the failures that a model's discipline causes; none for other statements.
fn mend(model: &Model, failure: &Failure) -> Option<Mend> {
    if model.names == Names::Threads {
        // A statement of the user's own: nothing says that it ought to hold.
        return None;
    }
    match (failure.shape, failure.steps.as_slice()) {
        (Shape::Swap, [Taken::Action(x), Taken::Action(y)]) => {
            Some(separating(model.encoding, *x, *y))
        }
        // The last step of a run that goes on for ever lies on its cycle.
        (Shape::Endless, [.., Taken::Action(_)]) => Some(Mend::Show),
        _ => None,
    }
}

/// A mend for two actions that ought to commute.
fn separating(e: &Encoding, x: usize, y: usize) -> Mend {
    let (first, second) = (&e.actions[x], &e.actions[y]);
    let mut common: Vec<Common> = first
        .footprint
        .iter()
        .filter(|b| {
            second.footprint.contains(b) && (first.writes.contains(b) || second.writes.contains(b))
        })
        .filter_map(|&bit| match e.layout.item(bit)? {
            Item::Of(Variable::Cell(c)) => Some(Common::Cell(e.program.cells[c].name.clone())),
            Item::Of(Variable::Location(t)) => {
                Some(Common::Location(e.program.threads[t].name.clone()))
            }
            Item::Violated => None,
        })
        .collect();
    common.dedup();
    let protected = second
        .footprint
        .iter()
        .find_map(|&bit| match e.layout.item(bit) {
            Some(Item::Of(Variable::Cell(c))) => e.program.protection_of(c).map(|_| c),
            _ => None,
        });
    match protected {
        Some(c) => Mend::Guard {
            common,
            cell: e.program.cells[c].name.clone(),
            variable: e.program.arrays[e.program.cells[c].array].name.clone(),
        },
        None => Mend::Separate(common),
    }
}
