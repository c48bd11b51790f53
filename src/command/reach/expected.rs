//! The model's `expect` lines, as far as an exploration speaks of them: counts, properties, deadlocks, and, of the
//! original program, what goes wrong. A verdict and a claim are for `coarsen check`.

use super::ReachOptions;
use crate::base::results::{Expectation, Found, PropertyKind, ReachReport, Status};
use crate::model::program::Program;
use crate::model::text::ast::ExpectKind;

/// The names under which `expect` lines speak of what is always checked.
const DEADLOCK_FREE: &str = "deadlock_free";

/// Adds to what is asked the questions that the lines speak of.
pub fn ask(program: &Program, options: &mut ReachOptions) {
    for (kind, _) in &program.expects {
        let ExpectKind::Property { property, .. } = kind else {
            continue;
        };
        let name = &property.text;
        if name == DEADLOCK_FREE {
            options.deadlock = true;
        }
        let declared = program.properties.iter().any(|p| p.name == *name);
        if declared && !options.invariants.contains(name) {
            options.invariants.push(name.clone());
        }
    }
}

/// What became of the lines that this exploration speaks of.
pub fn expectations(report: &ReachReport, program: &Program) -> Vec<Expectation> {
    if !program.overridden.is_empty() {
        return Vec::new();
    }
    let whole = report.theorem.is_none() && report.por.is_none() && report.not_counted().is_empty();
    let lines = program.expects.iter();
    lines
        .filter_map(|(kind, text)| {
            let (wanted, found) = match kind {
                ExpectKind::Verdict(_) => return None,
                // What `check` leaves open an exploration may well settle.
                ExpectKind::Property { verdict, .. } if verdict.text == Status::Unknown.id() => {
                    return None;
                }
                ExpectKind::Property { verdict, property } => {
                    (&verdict.text, status(report, &property.text, whole)?)
                }
                ExpectKind::Count { what, count } => {
                    let found = match what.text.as_str() {
                        "original" if whole => &report.states,
                        _ => return None,
                    };
                    (count, found.clone().map_or(Found::Nothing, Found::Count))
                }
            };
            Some(Expectation {
                text: text.clone(),
                met: match &found {
                    Found::Status(Status::Unknown) | Found::Nothing => None,
                    Found::Status(status) => Some(status.id() == wanted),
                    Found::Verdict(verdict) => Some(verdict.id() == wanted),
                    Found::Count(count) => Some(count == wanted),
                },
                found,
            })
        })
        .collect()
}

/// The answer for a property that is asked about, or for one that is always checked of the original program.
fn status(report: &ReachReport, name: &str, whole: bool) -> Option<Found> {
    let asked = report.questions.iter().find(|q| match q.kind {
        PropertyKind::Deadlock => name == DEADLOCK_FREE,
        _ => q.name == name,
    });
    if let Some(question) = asked {
        return Some(Found::Status(question.verdict));
    }
    let bad = match name {
        "assertions" => report.wrong.as_ref().map(|n| n != "0"),
        "discipline" if report.violated => Some(true),
        "discipline" => report.states.as_ref().map(|_| false),
        _ => return None,
    };
    whole.then_some(match bad {
        Some(true) => Found::Status(Status::Refuted),
        Some(false) => Found::Status(Status::Holds),
        None => Found::Nothing,
    })
}
