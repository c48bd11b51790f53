//! Inferred disciplines: whatever is guessed, the answers are those of the full exploration of the original program.

mod twin;

use coarsen::CheckOptions;
use coarsen::report::{Inferred, Report, Status, Verdict};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use twin::ast::Discipline;
use twin::explore::{is_deadlock, is_wrong, original};
use twin::generate::{Sample, samples};
use twin::model::state_of;
use twin::visibility::concerned;

/// The same program with every variable declared unprotected: then nothing stops its exploration.
fn unprotected(sample: &Sample) -> Sample {
    let mut program = sample.program.clone();
    for variable in &mut program.shared {
        variable.discipline = Discipline::Unprotected;
    }
    Sample::new(program)
}

fn check(source: &str) -> Report {
    let options = CheckOptions {
        cross_check: true,
        annotate: true,
        ..CheckOptions::default()
    };
    match coarsen::check_source("sample.cor", source, &options) {
        Ok(report) => report,
        Err(errors) => panic!("{errors:?} in\n{source}"),
    }
}

/// Where the report contradicts the exploration of the original program.
fn contradictions(sample: &Sample, report: &Report) -> Vec<String> {
    let model = sample.model();
    let states = original(&model).states;
    let any = |found: &dyn Fn(usize) -> bool| states.iter().any(|node| found(state_of(*node)));
    let mut wrong = Vec::new();
    for p in &report.properties {
        let user = || {
            let mut all = sample.program.properties.iter();
            let property = all.find(|q| q.name() == p.name)?;
            let set = concerned(&model, property)?;
            let met = any(&|s| set[s]);
            Some(met != (p.kind == "reach"))
        };
        let refuted = match p.name.as_str() {
            "discipline" => Some(false),
            "assertions" => Some(any(&|s| is_wrong(&model, s))),
            "deadlock_free" => Some(any(&|s| is_deadlock(&model, s))),
            _ => user(),
        };
        let expected = match refuted {
            Some(true) => Status::Refuted,
            Some(false) => Status::Holds,
            None => continue,
        };
        if p.verdict != expected {
            wrong.push(format!("{}: {:?}, but {expected:?}", p.name, p.verdict));
        }
    }
    if report.evidence_rejected {
        wrong.push(format!("evidence rejected: {}", report.reason));
    }
    if matches!(
        report.verdict,
        Verdict::HypothesisRefuted | Verdict::Unknown
    ) {
        wrong.push(format!("{:?}: {}", report.verdict, report.reason));
    }
    wrong
}

/// Where the model with the inferred annotations is answered in another way.
fn differences(report: &Report) -> Vec<String> {
    let annotated = report.annotated.as_deref().unwrap_or_default();
    let again = check(annotated);
    let statuses = |r: &Report| -> Vec<(String, Status)> {
        let all = r.properties.iter();
        all.map(|p| (p.name.clone(), p.verdict)).collect()
    };
    let mut found = Vec::new();
    // Of a guess, what holds where a thread has gone wrong makes no step visible; and a guard on a cell that is private within
    // a larger array does not. An annotation says both, and the model then has more states.
    let private_cells = |d: &Inferred| d.kind == "private" && d.variable.contains('[');
    let comparable =
        !annotated.contains(", wrong)") && !report.discipline.iter().any(private_cells);
    let same_count = !comparable || report.states.reduced == again.states.reduced;
    if statuses(report) != statuses(&again) || !same_count {
        found.push(format!(
            "{:?} and {:?} states, but annotated {:?} and {:?}:\n{annotated}",
            statuses(report),
            report.states.reduced,
            statuses(&again),
            again.states.reduced
        ));
    }
    found
}

#[test]
fn answers_are_those_of_the_original_program() {
    let mut runner = TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let result = runner.run(&samples(), |sample| {
        let sample = unprotected(&sample);
        let source = sample.source.replace(" unprotected;", ";");
        let report = check(&source);
        let mut found = contradictions(&sample, &report);
        found.extend(differences(&report));
        prop_assert!(found.is_empty(), "{}\n{source}", found.join("\n"));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}
