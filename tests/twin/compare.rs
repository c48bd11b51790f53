//! Holds the tool's report against the twin's answer.
//!
//! Which steps of a cycle are made visible is the tool's choice, so it is read from the report and judged; everything
//! else must be exactly the twin's.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use coarsen::results::{
    Remark, Report, Status as ToolStatus, Step, Verdict as ToolVerdict, VisibilityReason,
};

use super::ast::{Property, StateKind};
use super::explore::{is_deadlock, is_wrong, original};
use super::model::{Model, q, state_of};
use super::theorem::{HYPOTHESES, Relations, endless};
use super::verdict::{Answer, Rung, Status, Verdict, answer, violation};
use super::visibility::{Visible, concerned, reasons, visible};

/// What the report says otherwise than the twin; empty if they agree.
///
/// The report must come from the model's source text as printed, with the cross-check on.
pub fn differences(model: &Model, report: &Report) -> Vec<String> {
    let mut found: Option<Vec<String>> = None;
    let mut differences = Differences::default();
    for visible in steps(model, report, &mut differences) {
        let mut differences = Differences::default();
        let hazards = hazards(model, &visible, report, &mut differences);
        cycles(model, &visible, &hazards, &mut differences);
        answers(&answer(model, &visible), report, &mut differences);
        // The report need not say which copy of a step it means: the twin takes the reading that agrees best.
        let best = found.as_ref().map_or(usize::MAX, Vec::len);
        if differences.found.len() < best {
            found = Some(differences.found);
        }
    }
    found.unwrap_or(differences.found)
}

/// The same, with the visible steps as they are reported, whether or not fewer would do.
pub fn differences_as_reported(model: &Model, report: &Report) -> Vec<String> {
    let mut known = Differences::default();
    let readings = steps(model, report, &mut known);
    let compared = readings.iter().map(|visible| {
        let mut differences = Differences::default();
        answers(&answer(model, visible), report, &mut differences);
        differences.found
    });
    compared.min_by_key(Vec::len).unwrap_or(known.found)
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

/// The visible steps of the report, if its steps are exactly the program's; none if they are not.
///
/// Where several locations are on one line the report may mean any of them, so there may be several readings.
fn steps(model: &Model, report: &Report, differences: &mut Differences) -> Vec<Visible> {
    // By thread and locations: how many visible steps and how many steps the report has there.
    let mut told: BTreeMap<(usize, Vec<usize>), (usize, usize)> = BTreeMap::new();
    let visible = report.visible.iter().map(|step| (step, true));
    for (step, visible) in visible.chain(report.invisible.iter().map(|step| (step, false))) {
        let name = format!(
            "step {} at {} (line {})",
            step.thread, step.location, step.line
        );
        match find(model, step) {
            None => differences.note(format!("{name}: no such step in the program")),
            Some(place) => {
                let of = place.1.len();
                let (count, all) = told.entry(place).or_default();
                *count += usize::from(visible);
                *all += 1;
                if *all > of {
                    differences.note(format!("{name}: listed twice"));
                }
            }
        }
    }
    for (i, graph) in model.system.graphs.iter().enumerate() {
        for location in 0..graph.locations.len() {
            let at = |(thread, called): &&(usize, Vec<usize>)| {
                *thread == i && called.contains(&location)
            };
            let all = told.keys().find(at).map_or(0, |place| told[place].1);
            let of = told.keys().find(at).map_or(1, |place| place.1.len());
            if all < of {
                differences.note(format!(
                    "{}: missing in the report",
                    name(model, i, location)
                ));
            }
        }
    }
    if !differences.found.is_empty() {
        return Vec::new();
    }
    let required = self::visible(&reasons(model));
    let nowhere: Visible = required
        .iter()
        .map(|actions| vec![false; actions.len()])
        .collect();
    let mut readings = vec![nowhere];
    for ((i, called), (count, _)) in told {
        let choices = choices(&called, count, |location| required[i][location]);
        let extend = |reading: &Visible| {
            let mut extended = Vec::new();
            for chosen in &choices {
                let mut reading = reading.clone();
                chosen
                    .iter()
                    .for_each(|location| reading[i][*location] = true);
                extended.push(reading);
            }
            extended
        };
        readings = readings.iter().flat_map(extend).collect();
    }
    readings
}

/// The ways to choose so many of the locations, the required ones first.
fn choices(called: &[usize], count: usize, required: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let (first, rest): (Vec<usize>, Vec<usize>) =
        called.iter().partition(|location| required(**location));
    if count <= first.len() {
        return vec![first[..count].to_vec()];
    }
    let mut choices = vec![first];
    for (number, location) in rest.iter().enumerate() {
        let left = rest.len() - number - 1;
        let with = |choice: &Vec<usize>| [choice.clone(), vec![*location]].concat();
        let longer: Vec<Vec<usize>> = choices.iter().map(with).collect();
        choices.extend(longer);
        choices.retain(|choice| choice.len() <= count && choice.len() + left >= count);
    }
    choices
}

/// The thread of a reported step, and the locations that it may be.
fn find(model: &Model, step: &Step) -> Option<(usize, Vec<usize>)> {
    let i = model
        .threads()
        .find(|i| model.system.program.thread_name(*i) == step.thread)?;
    let called = model.system.graphs[i].called(step.line, &step.location);
    (!called.is_empty()).then_some((i, called))
}

fn name(model: &Model, i: usize, location: usize) -> String {
    let line = model.system.graphs[i].locations[location].line;
    format!(
        "step {} on line {line}",
        model.system.program.thread_name(i)
    )
}

/// The steps that the tool has made visible because a hypothesis fails otherwise: those that trust a reference to an
/// object that another thread may free. There must be such a hypothesis.
fn hazards(
    model: &Model,
    reported: &Visible,
    report: &Report,
    differences: &mut Differences,
) -> Visible {
    let mut hazards: Visible = reported.iter().map(|l| vec![false; l.len()]).collect();
    let made = |step: &&Step| {
        let guessed = |r: &Remark| matches!(r, Remark::Visible(VisibilityReason::Guessed(_)));
        step.reasons.iter().any(guessed)
    };
    for step in report.visible.iter().filter(made) {
        let found = find(model, step);
        if let Some((i, locations)) = found {
            locations.iter().for_each(|l| hazards[i][*l] = true);
        }
    }
    if hazards.iter().flatten().any(|hazard| *hazard) {
        let without: Visible = reported
            .iter()
            .zip(&hazards)
            .map(|(v, h)| v.iter().zip(h).map(|(v, h)| *v && !h).collect())
            .collect();
        if answer(model, &without).applies() {
            differences.note("a step was made visible for a hypothesis that holds".to_owned());
        }
    }
    hazards
}

/// The reported visible steps must be the twin's, and an inclusion-minimal choice from the cycles that are left.
fn cycles(model: &Model, reported: &Visible, hazards: &Visible, differences: &mut Differences) {
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
                    if terminates(&without, i) && !hazards[i][location] {
                        differences.note(format!("{} need not be visible", name()));
                    }
                }
                _ => {}
            }
        }
    }
}

/// What the report says of the original program otherwise than the twin, which explores it; `unknown` says nothing.
///
/// For models without discipline words, where the tool infers disciplines: whatever it infers, it must not be wrong
/// about assertions, deadlocks and the properties of states.
pub fn contradictions(model: &Model, report: &Report) -> Vec<String> {
    let visited = original(model).visited;
    assert!(!violation(&visited), "nothing is hidden behind a violation");
    let any = |found: &dyn Fn(usize) -> bool| visited.iter().any(|node| found(state_of(*node)));
    let refuted_if = |bad: bool| if bad { Status::Refuted } else { Status::Holds };
    let mut truth = vec![(
        "assertions",
        refuted_if(any(&|state| is_wrong(model, state))),
    )];
    for property in &model.system.program.properties {
        let status = match (property, concerned(model, property)) {
            (Property::DeadlockFree, _) => refuted_if(any(&|state| is_deadlock(model, state))),
            (Property::State { kind, .. }, Some(concerned)) => {
                let found = any(&|state| concerned[state]);
                refuted_if(found != (*kind == StateKind::Reach))
            }
            (Property::State { .. }, None) => continue,
        };
        truth.push((property.name(), status));
    }
    let mut differences = Differences::default();
    for (name, status) in truth {
        let told = report.properties.iter().find(|told| told.name == name);
        match told.map(|told| told.verdict) {
            None => differences.note(format!("property {name}: missing in the report")),
            Some(ToolStatus::Unknown) => {}
            Some(told) => {
                differences.expect(&format!("property {name}"), told, tool_status(status));
            }
        }
    }
    differences.found
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
    let (found, wanted) = match (
        answer.rung,
        report.invariant.map_or("none", coarsen::results::Rung::id),
    ) {
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
