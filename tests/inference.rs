//! Inferred disciplines: whatever is guessed, the answers are those of the full exploration of the original program.

use crate::{random, twin};

use coarsen::base::control::{Budget, Control, ParseLimits};
use coarsen::results::{Discipline, Inferred, Note, Report, Status, Verdict};
use coarsen::{CheckOptions, ReachOptions, Session, theory};
use proptest::prelude::*;
use std::cell::Cell;

use twin::compare::contradictions;
use twin::generate::{Disciplines, samples_with};

fn check(source: &str) -> Report {
    let options = CheckOptions {
        cross_check: true,
        annotate: true,
        ..CheckOptions::thorough()
    };
    match coarsen::check_source("sample.cor", source, &options) {
        Ok(report) => report,
        Err(errors) => panic!("{errors:?} in\n{source}"),
    }
}

/// What a report on a model without disciplines must not say: the inference ends with a discipline that holds, and the
/// theorem then applies.
fn shortcomings(report: &Report) -> Vec<String> {
    let mut wrong = Vec::new();
    if report.is_contradicted() {
        wrong.push(format!("evidence rejected: {}", report.reason));
    }
    let discipline = report.properties.iter().find(|p| p.name == "discipline");
    if discipline.map(|p| p.verdict) != Some(Status::Holds) {
        wrong.push(format!("the discipline does not hold: {}", report.reason));
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
    // Of a guess, what holds where a thread has gone wrong makes no step visible; and a guard on a cell that is private
    // within a larger array does not. An annotation says both, and the model then has more states.
    let is_private = |d: &Inferred| matches!(d.discipline, Discipline::Private(..));
    let private_cells = |d: &Inferred| is_private(d) && d.variable.contains('[');
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
    let mut runner = random::runner(256);
    let result = runner.run(&samples_with(Disciplines::Omitted), |sample| {
        let report = check(&sample.source);
        let mut found = contradictions(&sample.model(), &report);
        found.extend(shortcomings(&report));
        found.extend(differences(&report));
        prop_assert!(found.is_empty(), "{}", found.join("\n"));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

/// With little work on relations, hypotheses are settled before a guess has been held against all states. Nothing else
/// is said in the end, whether the guess is right or refuted then.
#[test]
fn guesses_that_take_long_are_held_against_the_states_later() {
    for name in ["section6/memory_reuse", "section6/semaphore_driver"] {
        let path = format!("{}/models/{name}.cor", env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(path).expect("shipped");
        let loaded = Session::load("m.cor", &source, &[], ParseLimits::default());
        let (session, _) = loaded.unwrap_or_else(|errors| panic!("{errors:?}"));
        let theory = theory("stoller-cohen").expect("shipped");
        // With evidence, relations are explored.
        let options = CheckOptions {
            certificate: true,
            ..CheckOptions::default()
        };
        let told = |effort: u64| {
            let budget = Budget {
                effort,
                ..Budget::default()
            };
            let report = session.check(&theory, &options, &Control::new(budget));
            let statuses = report.hypotheses.iter().map(|h| h.status);
            let statuses: Vec<Status> = statuses.collect();
            let disciplines = format!("{:?}", report.discipline);
            (report.verdict, statuses, disciplines, report.states.reduced)
        };
        let all = told(Budget::default().effort);
        assert_eq!(all.0, Verdict::Holds, "{name}");
        let mut same = 0;
        for bits in 16..28 {
            let some = told(1 << bits);
            // With less work all guesses are given up.
            assert!(
                matches!(some.0, Verdict::Unknown | Verdict::Holds),
                "{name}: 2^{bits}"
            );
            if some.0 == Verdict::Holds && some.2 == all.2 {
                assert_eq!(some, all, "{name}: 2^{bits}");
            }
            same += usize::from(some == all);
        }
        assert!(same > 2, "{name}: {same}");
    }
}

/// Who explores the reduced system elsewhere has the guesses settled before, by the engines: they are those of a check
/// with evidence, which has BDDs settle them.
#[test]
fn guesses_are_settled_for_others_as_for_a_check() {
    let settled = Cell::new(0);
    let mut runner = random::runner(256);
    let result = runner.run(&samples_with(Disciplines::Omitted), |sample| {
        let loaded = Session::load("m.cor", &sample.source, &[], ParseLimits::default());
        let (session, _) = loaded.expect("well typed");
        for name in ["stoller-cohen", "flanagan-qadeer"] {
            let theory = theory(name).expect("shipped");
            let options = CheckOptions {
                certificate: true,
                ..CheckOptions::default()
            };
            let check = session.check(&theory, &options, &Control::default());
            let options = ReachOptions {
                reduced: true,
                ..ReachOptions::default()
            };
            let reach = session.reach(&theory, &options, &Control::default());
            let inferred = |n: &Note| match n {
                Note::Inferred(i) => Some(i.clone()),
                _ => None,
            };
            let inferred: Vec<Inferred> = reach.notes.iter().filter_map(inferred).collect();
            prop_assert_eq!(&inferred, &check.discipline, "{} {}", name, sample.source);
            let is_guessed = |i: &Inferred| matches!(i.discipline, Discipline::Mutexes(_));
            let guessed = inferred.iter().any(is_guessed);
            settled.set(settled.get() + usize::from(guessed));
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(random::enough(settled.get(), 40), "{}", settled.get());
}
