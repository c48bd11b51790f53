//! Checks that run out of work on BDDs, at once or somewhere on the way: what they say by the text, and what the
//! engines of `reach` find for them, is what the twin says of the same visible steps, and what an unhurried check says.

use crate::{random, shipped, twin};

use coarsen::base::control::ParseLimits;
use coarsen::base::control::{Budget, Control};
use coarsen::results::{Discharge, Note, Report, Status, Verdict};
use coarsen::{CheckOptions, Session, theory};
use proptest::prelude::*;
use std::cell::Cell;

use twin::compare::{contradictions, differences_as_reported};
use twin::generate::{Disciplines, samples, samples_with};

/// From nothing to what small programs need.
const EFFORTS: [u64; 6] = [1, 30_000, 100_000, 400_000, 1_000_000, 4_000_000];

fn check(source: &str, effort: u64, cross_check: bool) -> Report {
    let (session, _) = Session::load("sample.cor", source, &[], ParseLimits::default())
        .unwrap_or_else(|d| panic!("{d:?}"));
    let options = CheckOptions {
        cross_check,
        ..CheckOptions::default()
    };
    let control = Control::new(Budget {
        effort,
        ..Budget::default()
    });
    let theory = theory("stoller-cohen").expect("the default theorem");
    session.check(&theory, &options, &control)
}

fn is_by_text(report: &Report) -> bool {
    report
        .hypotheses
        .iter()
        .any(|h| h.discharge == Discharge::Text)
}

fn is_elsewhere(report: &Report) -> bool {
    let mut notes = report.notes.iter();
    notes.any(|n| matches!(n, Note::Engine(_)))
}

/// The twin evaluates the hypotheses for the visible steps that the report names, and counts the reduced system.
#[test]
fn what_is_said_by_the_text_is_what_the_twin_says() {
    let [text, mixed, invisible] = [const { Cell::new(0) }; 3];
    let result = random::runner(256).run(&samples(), |sample| {
        for effort in EFFORTS {
            let report = check(&sample.source, effort, true);
            text.set(text.get() + usize::from(is_by_text(&report)));
            mixed.set(mixed.get() + usize::from(is_elsewhere(&report) && !is_by_text(&report)));
            let some = is_by_text(&report) && !report.invisible.is_empty();
            invisible.set(invisible.get() + usize::from(some));
            let found = differences_as_reported(&sample.model(), &report);
            prop_assert!(
                found.is_empty(),
                "effort {effort}: {}\n{}",
                found.join("\n"),
                sample.source
            );
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    let seen = [text.get(), mixed.get(), invisible.get()];
    eprintln!("by text, only explored elsewhere, something invisible by text: {seen:?}");
    assert!(seen.iter().all(|n| random::enough(*n, 1)), "{seen:?}");
}

#[test]
fn programs_without_discipline_words_are_judged_rightly_without_bdds() {
    let result = random::runner(256).run(&samples_with(Disciplines::Omitted), |sample| {
        for effort in EFFORTS {
            let report = check(&sample.source, effort, true);
            prop_assert!(!report.is_contradicted(), "{}", report.reason);
            let wrong = contradictions(&sample.model(), &report);
            prop_assert!(wrong.is_empty(), "effort {effort}: {}", wrong.join("\n"));
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

/// The shipped models: no answer by the text is another than that of the relations, and there is one for every
/// property.
#[test]
fn shipped_models_are_answered_without_bdds() {
    let (mut models, mut differ) = (0, Vec::new());
    for m in shipped::some() {
        let name = &m.name;
        let full = m.report(false);
        let text = check(&m.source, 1, false);
        assert!(is_by_text(&text) && !is_by_text(&full), "{name}");
        assert!(!text.is_contradicted(), "{name}: {}", text.reason);
        for (a, b) in text.properties.iter().zip(&full.properties) {
            assert_eq!(a.name, b.name, "{name}");
            let open = [a.verdict, b.verdict].contains(&Status::Unknown);
            if !open && a.verdict != b.verdict {
                differ.push(format!("{name}: {}: {:?}", a.name, (a.verdict, b.verdict)));
            }
            // Behind a violation, nothing is said; what blocks may be is a matter of relations.
            let told = b.verdict == Status::Unknown
                || a.kind == coarsen::results::PropertyKind::Transaction;
            if a.verdict == Status::Unknown && !told && text.verdict != Verdict::Refuted {
                differ.push(format!("{name}: {}: {}", a.name, a.reason));
            }
        }
        models += 1;
    }
    assert_eq!(differ, Vec::<String>::new());
    assert!(random::enough(models, 60), "{models}");
}

/// A model of which only the first and the second step could matter to others; exact counts.
#[test]
fn local_steps_are_invisible_by_the_text() {
    let source = "
        var x: 0..4 = 0 unprotected;
        thread t(i in 0..1) {
            var a: 0..3 = 0;
            A: x = x + 1;
            B: a = 1;
            C: a = a + 1;
            D: x = x + 1;
        }
        invariant small: x <= 4;";
    let report = check(source, 1, true);
    assert!(is_by_text(&report) && is_elsewhere(&report));
    assert_eq!(report.verdict, Verdict::Holds, "{}", report.reason);
    let invisible: Vec<(&str, &str)> = report
        .invisible
        .iter()
        .map(|s| (s.thread.as_str(), s.location.as_str()))
        .collect();
    let expected = [("t(0)", "B"), ("t(0)", "C"), ("t(1)", "B"), ("t(1)", "C")];
    assert_eq!(invisible, expected);
    let counts = (
        report.states.reduced.as_deref(),
        report.states.original.as_deref(),
    );
    assert_eq!(counts, (Some("9"), Some("25")));
}

/// A violation of a declared discipline has its trace, and a property that looks at a local variable keeps its steps
/// visible.
#[test]
fn a_violation_is_traced_without_bdds() {
    let source = "
        mutex m;
        var x: 0..4 = 0 protected x by m;
        thread t(i in 0..1) {
            var a: 0..3 = 0;
            A: lock(m);
            B: x = x + 1;
            C: unlock(m);
            D: a = 2;
            E: x = 0;
        }
        reach two: t(0).a == 2;";
    let report = check(source, 1, true);
    assert!(is_by_text(&report));
    assert_eq!(report.verdict, Verdict::Refuted, "{}", report.reason);
    let discipline = &report.properties[0];
    assert_eq!(discipline.verdict, Status::Refuted, "{}", discipline.reason);
    let trace = discipline.trace.as_ref().expect("a trace");
    assert!(trace.steps.last().is_some_and(|s| s.violation.is_some()));
    let why = |step: &&coarsen::results::Step| step.thread == "t(0)" && step.location == "D";
    let step = report.visible.iter().find(why).expect("D of t(0)");
    assert!(
        step.reasons[0].to_string().contains("could hide two"),
        "{:?}",
        step.reasons
    );
    assert!(
        report
            .invisible
            .iter()
            .any(|s| s.thread == "t(1)" && s.location == "D")
    );
}

/// Who looks at a location: a property, and a thread that waits for the end of another.
#[test]
fn steps_that_others_see_are_visible_by_the_text() {
    let source = "
        thread a {
            var x: 0..3 = 0;
            A: x = 1;
            B: x = 2;
            C: x = 3;
            D: x = 0;
        }
        thread b {
            var y: 0..1 = 0;
            J: join(a);
            K: y = 1;
        }
        reach there: at(a, C);";
    let report = check(source, 1, true);
    assert_eq!(report.verdict, Verdict::Holds, "{}", report.reason);
    let reason = |location: &str| {
        let mut steps = report.visible.iter().filter(|s| s.location == location);
        let said = |s: &coarsen::results::Step| {
            let reasons: Vec<String> = s.reasons.iter().map(ToString::to_string).collect();
            reasons.join("; ")
        };
        steps.next().map(said)
    };
    let said = |location: &str, words: &str| reason(location).is_some_and(|r| r.contains(words));
    assert!(said("A", "first step"));
    // What leads to where it is to be hides nothing, what leads away does.
    assert!(reason("B").is_none() && said("C", "could hide there"));
    assert!(
        said("D", "b looks at where its thread is"),
        "{:?}",
        reason("D")
    );
    assert!(said("J", "waits for another thread"));
    let invisible: Vec<&str> = report
        .invisible
        .iter()
        .map(|s| s.location.as_str())
        .collect();
    assert_eq!(invisible, ["B", "K"]);
}

/// Without evidence the engines of `reach` explore first, with it BDDs do: the answers are the same.
#[test]
fn engines_and_bdds_explore_the_same_reduced_system() {
    let theory = theory("stoller-cohen").expect("the default theorem");
    let ask = |source: &str, certificate: bool| {
        let (session, _) = Session::load("sample.cor", source, &[], ParseLimits::default())
            .unwrap_or_else(|d| panic!("{d:?}"));
        let options = CheckOptions {
            certificate,
            ..CheckOptions::default()
        };
        session.check(&theory, &options, &Control::default())
    };
    let said = |r: &Report| {
        let states = (r.states.reduced.clone(), r.states.visited.clone());
        let answers = r.properties.iter().map(|p| (p.name.clone(), p.verdict));
        let disciplines = format!("{:?} {:?}", r.discipline, r.revisions);
        (
            r.verdict,
            states,
            answers.collect::<Vec<_>>(),
            disciplines,
            r.vacuous,
        )
    };
    let [quick, slow] = [const { Cell::new(0) }; 2];
    let compare = |source: &str| {
        let (engines, bdds) = (ask(source, false), ask(source, true));
        // Only BDDs go through rounds.
        match engines.statistics.rounds {
            None => quick.set(quick.get() + 1),
            Some(_) => slow.set(slow.get() + 1),
        }
        prop_assert_eq!(said(&engines), said(&bdds), "{}", source);
        Ok(())
    };
    for disciplines in [Disciplines::Omitted, Disciplines::Written] {
        let samples = samples_with(disciplines);
        let result = random::runner(128).run(&samples, |sample| compare(&sample.source));
        result.unwrap_or_else(|failure| panic!("{failure}"));
    }
    let seen = [quick.get(), slow.get()];
    eprintln!("explored by engines, by BDDs: {seen:?}");
    assert!(seen.iter().all(|n| random::enough(*n, 20)), "{seen:?}");
}
