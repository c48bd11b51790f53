//! Holds the tool's report against the twin's answer.
//!
//! Which steps of a cycle are made visible is the tool's choice, so it is read from the report and judged; everything
//! else must be exactly the twin's.

use std::collections::BTreeSet;
use std::fmt::Debug;

use coarsen::report::{Report, Status as ToolStatus, Step, Verdict as ToolVerdict};

use super::compile::Loc;
use super::model::{Model, q};
use super::theorem::{HYPOTHESES, Relations, endless};
use super::verdict::{Answer, Rung, Status, Verdict, answer};
use super::visibility::{Visible, reasons, visible};

/// What the report says otherwise than the twin; empty if they agree.
///
/// The report must come from the model's source text as printed, with the cross-check on.
pub fn differences(model: &Model, report: &Report) -> Vec<String> {
    let mut differences = Differences::default();
    if let Some(visible) = steps(model, report, &mut differences) {
        cycles(model, &visible, &mut differences);
        answers(&answer(model, &visible), report, &mut differences);
    }
    differences.found
}

#[derive(Default)]
struct Differences {
    found: Vec<String>,
}

impl Differences {
    fn note(&mut self, difference: String) {
        self.found.push(difference);
    }

    fn expect<T: PartialEq + Debug>(&mut self, what: &str, tool: T, twin: T) {
        if tool != twin {
            self.note(format!("{what}: the tool says {tool:?}, the twin {twin:?}"));
        }
    }
}

/// The visible steps of the report, if its steps are exactly the program's.
fn steps(model: &Model, report: &Report, differences: &mut Differences) -> Option<Visible> {
    let graphs = &model.system.graphs;
    let mut seen: Vec<Vec<Option<bool>>> = graphs
        .iter()
        .map(|graph| vec![None; graph.locations.len()])
        .collect();
    let visible = report.visible.iter().map(|step| (step, true));
    for (step, visible) in visible.chain(report.invisible.iter().map(|step| (step, false))) {
        let name = format!(
            "step {} at {} (line {})",
            step.thread, step.location, step.line
        );
        match find(model, step) {
            None => differences.note(format!("{name}: no such step in the program")),
            Some((i, location)) if seen[i][location].is_some() => {
                differences.note(format!("{name}: listed twice"))
            }
            Some((i, location)) => seen[i][location] = Some(visible),
        }
    }
    for (i, locations) in seen.iter().enumerate() {
        for (location, seen) in locations.iter().enumerate() {
            if seen.is_none() {
                differences.note(format!(
                    "{}: missing in the report",
                    name(model, i, location)
                ));
            }
        }
    }
    differences.found.is_empty().then(|| {
        let known = |seen: Option<bool>| seen.expect("nothing is missing");
        seen.into_iter()
            .map(|locations| locations.into_iter().map(known).collect())
            .collect()
    })
}

/// The location of a reported step: the right thread and line, and one of its labels or `line N`.
fn find(model: &Model, step: &Step) -> Option<(usize, usize)> {
    let i = model
        .threads()
        .find(|i| model.system.program.thread_name(*i) == step.thread)?;
    let graph = &model.system.graphs[i];
    let location = graph
        .locations
        .iter()
        .position(|location| location.line == step.line)?;
    let labels: Vec<&String> = graph
        .labels
        .iter()
        .filter(|(_, at)| **at == Loc::At(location))
        .map(|(label, _)| label)
        .collect();
    let named = match labels.is_empty() {
        true => step.location == format!("line {}", step.line),
        false => labels.contains(&&step.location),
    };
    named.then_some((i, location))
}

fn name(model: &Model, i: usize, location: usize) -> String {
    let line = model.system.graphs[i].locations[location].line;
    format!(
        "step {} on line {line}",
        model.system.program.thread_name(i)
    )
}

/// The reported visible steps must be the twin's, and an inclusion-minimal choice from the cycles that are left.
fn cycles(model: &Model, reported: &Visible, differences: &mut Differences) {
    let required = visible(&reasons(model));
    let terminates = |visible: &Visible, i: usize| {
        let relations = Relations::new(model, visible, &vec![true; model.nodes().len()]);
        !endless(&relations.u[i], q).contains(&true)
    };
    for i in model.threads() {
        if !terminates(reported, i) {
            differences.note(format!(
                "(11) fails for thread {i} with the reported visible steps"
            ));
        }
        for location in 0..reported[i].len() {
            let name = || name(model, i, location);
            match (required[i][location], reported[i][location]) {
                (true, false) => differences.note(format!("{} must be visible", name())),
                (false, true) => {
                    let mut without = reported.clone();
                    without[i][location] = false;
                    if terminates(&without, i) {
                        differences.note(format!("{} need not be visible", name()));
                    }
                }
                _ => {}
            }
        }
    }
}

fn answers(answer: &Answer, report: &Report, differences: &mut Differences) {
    let reported: Vec<&str> = report
        .hypotheses
        .iter()
        .map(|hypothesis| hypothesis.id.as_str())
        .collect();
    differences.expect("hypotheses", reported, HYPOTHESES.to_vec());
    for (number, hypothesis) in report.hypotheses.iter().enumerate().take(HYPOTHESES.len()) {
        let what = format!("hypothesis ({})", hypothesis.id);
        differences.expect(
            &what,
            hypothesis.status,
            tool_status(answer.hypothesis(number)),
        );
    }
    // The twin knows no rungs between the first and the last; any that is strong enough will do.
    let between = ["lock_ownership", "thread_modular", "lemmas", "reachable"];
    let (found, wanted) = match (answer.rung, report.invariant.as_str()) {
        (Rung::True, found) => (found, "true"),
        (Rung::Reachable, found) if between.contains(&found) => ("reachable", "reachable"),
        (Rung::Reachable, found) => (found, "reachable"),
        (Rung::None, found) => (found, "none"),
    };
    differences.expect("invariant", found, wanted);
    let counts = answer.counts();
    let known = |count: usize| Some(count.to_string());
    differences.expect(
        "original states",
        report.states.original.clone(),
        known(counts.original),
    );
    differences.expect(
        "reduced states",
        report.states.reduced.clone(),
        known(counts.reduced),
    );
    differences.expect(
        "visited states",
        report.states.visited.clone(),
        known(counts.visited),
    );
    let reported: BTreeSet<&str> = report
        .properties
        .iter()
        .map(|property| property.name.as_str())
        .collect();
    let expected: BTreeSet<&str> = answer
        .properties
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    differences.expect("properties", reported, expected);
    for property in &report.properties {
        if let Some((name, status)) = answer
            .properties
            .iter()
            .find(|(name, _)| *name == property.name)
        {
            differences.expect(
                &format!("property {name}"),
                property.verdict,
                tool_status(*status),
            );
        }
    }
    differences.expect("verdict", report.verdict, tool_verdict(answer.verdict));
}

pub fn tool_status(status: Status) -> ToolStatus {
    match status {
        Status::Holds => ToolStatus::Holds,
        Status::Refuted => ToolStatus::Refuted,
        Status::Unknown => ToolStatus::Unknown,
    }
}

pub fn tool_verdict(verdict: Verdict) -> ToolVerdict {
    match verdict {
        Verdict::Holds => ToolVerdict::Holds,
        Verdict::Refuted => ToolVerdict::Refuted,
        Verdict::HypothesisRefuted => ToolVerdict::HypothesisRefuted,
        Verdict::Unknown => ToolVerdict::Unknown,
    }
}
