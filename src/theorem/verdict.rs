//! The verdict for a model, from what has been established.

use super::wellformed::WF_INIT_VIS;
use crate::base::results::{
    CheckReason, Expectation, Found, Gap, Hypothesis, Property, Report, Status, Verdict,
};
use crate::model::program::Program;
use crate::model::text::ast::ExpectKind;

/// Why the theorem can't be used, if it can't: the first condition that is not known to hold.
pub fn gap(report: &Report) -> Option<Gap> {
    if let Some(file) = &report.unproved {
        return Some(Gap::Unproved(file.clone()));
    }
    if report.hypotheses.is_empty() || report.well_formedness.is_empty() {
        return Some(Gap::NotEvaluated);
    }
    // An overlap in the initial states is a violation itself, and a hidden property concerns that property only.
    let concerns = |w: &&Hypothesis| w.id == WF_INIT_VIS;
    let is_open = |h: &&Hypothesis| h.status != Status::Holds;
    let mut conditions = report.well_formedness.iter().filter(concerns);
    if let Some(open) = conditions.find(is_open) {
        return Some(Gap::Condition(open.id.clone(), open.status));
    }
    let open = report.hypotheses.iter().find(is_open)?;
    Some(Gap::Hypothesis(open.id.clone(), open.status))
}

/// Sets the verdict, its reason and the expectations.
pub fn settle(report: &mut Report, program: &Program) {
    (report.verdict, report.reason) = decide(report);
    report.expectations = expectations(report, program);
}

fn decide(report: &Report) -> (Verdict, CheckReason) {
    if let Some((of, why)) = report.contradiction() {
        let rejected = CheckReason::Rejected(of.to_string(), why.clone());
        return (Verdict::Unknown, rejected);
    }
    if let Some(file) = &report.unproved {
        return (Verdict::Unknown, CheckReason::Unproved(file.clone()));
    }
    let with = |status| {
        let properties = report.properties.iter();
        properties.filter(move |p| p.verdict == status)
    };
    let property = |p: &Property, others: usize| CheckReason::Property {
        name: p.name.clone(),
        reason: p.reason.clone(),
        others,
    };
    if let Some(p) = with(Status::Refuted).next() {
        let others = with(Status::Refuted).count() - 1;
        return (Verdict::Refuted, property(p, others));
    }
    // An exploration in full rests on no condition.
    let conditions = || {
        let all = report.well_formedness.iter().chain(&report.hypotheses);
        all.filter(|_| !report.in_full)
    };
    if let Some(h) = conditions().find(|h| h.status == Status::Refuted) {
        return (Verdict::HypothesisRefuted, CheckReason::Fails(h.id.clone()));
    }
    let open = if let Some(hit) = &report.limits.hit {
        CheckReason::Hit(hit.clone())
    } else if let Some(h) = conditions().find(|h| h.status == Status::Unknown) {
        CheckReason::Open(h.id.clone(), h.evidence.clone())
    } else if let Some(p) = with(Status::Unknown).next() {
        property(p, 0)
    } else if report.properties.is_empty() {
        CheckReason::Nothing
    } else {
        let holds = CheckReason::Holds {
            only: report.only.clone(),
            vacuous: report.vacuous,
            in_full: report.states.original.clone().filter(|_| report.in_full),
        };
        return (Verdict::Holds, holds);
    };
    (Verdict::Unknown, open)
}

fn expectations(report: &Report, program: &Program) -> Vec<Expectation> {
    if !program.overridden.is_empty() {
        return Vec::new();
    }
    let expected = program.expects.iter();
    // Of movers another command speaks.
    let expected = expected.filter(|(kind, _)| kind.counted_by_movers().is_none());
    let expected = expected.map(|(kind, text)| {
        let (wanted, found) = match kind {
            ExpectKind::Verdict(name) => (&name.text, Found::Verdict(report.verdict)),
            ExpectKind::Property { verdict, property } => {
                let mut properties = report.properties.iter();
                let found = properties.find(|p| p.name == property.text);
                let found = found.map_or(Found::Nothing, |p| Found::Status(p.verdict));
                (&verdict.text, found)
            }
            ExpectKind::Count { what, count } => {
                let found = match what.text.as_str() {
                    "original" => &report.states.original,
                    "reduced" => &report.states.reduced,
                    _ => &report.states.visited,
                };
                (count, found.clone().map_or(Found::Nothing, Found::Count))
            }
        };
        // A run with --strict or --property answers another question than the lines speak of.
        let speaks = report.as_by_default || matches!(kind, ExpectKind::Property { .. });
        // A limit that was hit leaves things open; only a decided answer can miss an expectation.
        let open = report.limits.hit.is_some();
        let met = match &found {
            Found::Nothing => None,
            Found::Verdict(Verdict::Unknown) | Found::Status(Status::Unknown) if open => None,
            Found::Verdict(verdict) => Some(verdict.id() == wanted),
            Found::Status(status) => Some(status.id() == wanted),
            Found::Count(count) => Some(count == wanted),
        };
        Expectation {
            text: text.clone(),
            met: met.filter(|_| speaks),
            found,
        }
    });
    expected.collect()
}
