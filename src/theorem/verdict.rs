//! The verdict for a model, from what has been established.

use super::wellformed::WF_INIT_VIS;
use crate::base::results::{
    Expectation, Hypothesis, Property, PropertyKind, Report, Status, Verdict,
};
use crate::model::program::Program;
use crate::model::text::ast::ExpectKind;

/// Why the theorem can't be used, if it can't: the first condition that is not known to hold.
pub fn gap(report: &Report) -> Option<String> {
    // An overlap in the initial states is a violation itself, and a hidden property concerns that property only.
    let concerns = |w: &&Hypothesis| w.id == WF_INIT_VIS;
    if report.hypotheses.is_empty() || report.well_formedness.is_empty() {
        return Some("the hypotheses were not evaluated".into());
    }
    let open = report
        .well_formedness
        .iter()
        .filter(concerns)
        .chain(&report.hypotheses)
        .find(|h| h.status != Status::Holds)?;
    let says = if open.status == Status::Refuted {
        "fails"
    } else {
        "is not established"
    };
    let what = match report.well_formedness.iter().any(|w| w.id == open.id) {
        true => "condition",
        false => "hypothesis",
    };
    Some(format!("{what} {} {says}", shown(&open.id)))
}

/// `(14)`, but `WFinitVis`.
fn shown(id: &str) -> String {
    if id.starts_with(|c: char| c.is_ascii_digit()) {
        format!("({id})")
    } else {
        id.to_string()
    }
}

/// Sets the verdict, its reason and the expectations.
pub fn settle(report: &mut Report, program: &Program) {
    (report.verdict, report.reason) = decide(report);
    report.expectations = expectations(report, program);
}

fn decide(report: &Report) -> (Verdict, String) {
    if let Some((of, why)) = report.contradiction() {
        let of = shown(of);
        return (Verdict::Unknown, format!("evidence rejected: {of}: {why}"));
    }
    let named = |status| {
        report
            .properties
            .iter()
            .filter(move |p| p.verdict == status)
    };
    if let Some(p) = named(Status::Refuted).next() {
        let others = named(Status::Refuted).count() - 1;
        let more = if others > 0 {
            format!(" (and {others} more refuted)")
        } else {
            String::new()
        };
        return (
            Verdict::Refuted,
            format!("{}: {}{more}", p.name, headline(p)),
        );
    }
    let conditions = || report.well_formedness.iter().chain(&report.hypotheses);
    if let Some(h) = conditions().find(|h| h.status == Status::Refuted) {
        return (
            Verdict::HypothesisRefuted,
            format!(
                "the theorem does not apply: {} fails in a reachable state",
                shown(&h.id)
            ),
        );
    }
    if let Some(hit) = &report.limits.hit {
        return (Verdict::Unknown, hit.to_string());
    }
    if let Some(h) = conditions().find(|h| h.status == Status::Unknown) {
        return (
            Verdict::Unknown,
            format!("{} is not established: {}", shown(&h.id), h.evidence),
        );
    }
    if let Some(p) = named(Status::Unknown).next() {
        return (Verdict::Unknown, format!("{}: {}", p.name, p.reason));
    }
    if report.properties.is_empty() {
        return (Verdict::Unknown, "nothing has been established".into());
    }
    let what = match &report.only {
        Some(name) if name == "discipline" => "the discipline holds".to_string(),
        Some(name) => format!("the discipline and {name} hold"),
        None => "the discipline and every property hold".to_string(),
    };
    let how = if report.vacuous {
        "vacuously"
    } else {
        "in the original program"
    };
    (Verdict::Holds, format!("{what} {how}"))
}

/// A property's reason; of a deadlock without the list of those who wait, which stands below.
fn headline(p: &Property) -> &str {
    if p.kind == PropertyKind::DeadlockFree {
        p.reason.split(": ").next().unwrap_or_default()
    } else {
        &p.reason
    }
}

fn status_name(status: Status) -> &'static str {
    match status {
        Status::Holds => "holds",
        Status::Refuted => "refuted",
        Status::Unknown => "unknown",
    }
}

fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Refuted => "refuted",
        Verdict::HypothesisRefuted => "hypothesis_refuted",
        Verdict::Unknown => "unknown",
    }
}

fn expectations(report: &Report, program: &Program) -> Vec<Expectation> {
    if !program.overridden.is_empty() {
        return Vec::new();
    }
    let open =
        |found: &Option<String>| report.limits.hit.is_some() && found.as_deref() == Some("unknown");
    program
        .expects
        .iter()
        .map(|(kind, text)| {
            // A run with --strict or --property answers another question than the lines speak of.
            let speaks = report.as_by_default || matches!(kind, ExpectKind::Property { .. });
            let (wanted, found) = match kind {
                ExpectKind::Verdict(name) => (
                    name.text.as_str(),
                    Some(verdict_name(report.verdict).to_string()),
                ),
                ExpectKind::Property { verdict, property } => {
                    let found = report.properties.iter().find(|p| p.name == property.text);
                    (
                        verdict.text.as_str(),
                        found.map(|p| status_name(p.verdict).to_string()),
                    )
                }
                ExpectKind::Count { what, count } => {
                    let found = match what.text.as_str() {
                        "original" => &report.states.original,
                        "reduced" => &report.states.reduced,
                        _ => &report.states.visited,
                    };
                    (count.as_str(), found.clone())
                }
            };
            Expectation {
                text: text.clone(),
                // A limit that was hit leaves things open; only a decided answer can miss an expectation.
                met: if !speaks || open(&found) {
                    None
                } else {
                    found.as_deref().map(|f| f == wanted)
                },
                found: found.unwrap_or_else(|| "not established in this run".into()),
            }
        })
        .collect()
}
