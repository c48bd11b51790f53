//! The reductions that section 6 of Stoller & Cohen 2003 promises, on models of its three examples: the more threads,
//! the larger.
//!
//! docs/performance.md has the table, with four threads too.

use crate::{random, shipped};

use coarsen::base::control::Control;
use coarsen::results::{Discipline, Report, Verdict};
use coarsen::{CheckOptions, Session};
use shipped::coarse::reduced;
use shipped::{check, model};

/// Model, number of threads, reduced and original states.
const COUNTS: &[(&str, i64, usize, usize)] = &[
    ("section6/semaphore_driver", 2, 56, 269),
    ("section6/semaphore_driver", 3, 391, 3947),
    ("section6/semaphore_driver", 4, 2874, 58817),
    ("section6/memory_reuse", 2, 1012, 3484),
    ("section6/memory_reuse", 3, 7664, 31568),
    ("section6/memory_reuse_annotated", 2, 832, 3484),
    ("section6/memory_reuse_annotated", 3, 5888, 31568),
    ("section6/master_workers", 2, 48, 124),
    ("section6/master_workers", 3, 232, 916),
];

fn counts(report: &Report) -> (usize, usize) {
    let number = |count: &Option<String>| -> usize {
        let count = count.as_ref().expect("counted");
        count.parse().expect("a number")
    };
    (
        number(&report.states.reduced),
        number(&report.states.original),
    )
}

/// The report as it is by default, cross-checked: the hypotheses need not be settled in both ways.
fn counted(session: &Session) -> Report {
    let theory = coarsen::theory("stoller-cohen").expect("the default theorem");
    let options = CheckOptions {
        cross_check: true,
        ..CheckOptions::default()
    };
    session.check(&theory, &options, &Control::default())
}

#[test]
fn the_ratio_grows_with_the_number_of_threads() {
    let mut last: Option<(&str, usize, usize)> = None;
    // In the short suite those that are quick.
    let quick = |all: usize, name: &str| all < 4_000 && !name.contains("memory_reuse");
    for &(name, n, fewer, all) in COUNTS {
        if !random::long() && !quick(all, name) {
            continue;
        }
        let session = model(name).load(&[("N", n)]);
        let report = match n {
            2 => model(name).report(false),
            _ => counted(&session),
        };
        assert_eq!(report.verdict, Verdict::Holds, "{name}, N = {n}");
        assert_eq!(counts(&report), (fewer, all), "{name}, N = {n}");
        if n == 2 {
            let second = reduced(session.program(), &report);
            assert_eq!(second.states, fewer, "{name}: counted a second time");
        }
        if let Some((_, before, all_before)) = last.filter(|l| l.0 == name) {
            assert!(all * before > all_before * fewer, "{name}, N = {n}");
        }
        last = Some((name, fewer, all));
    }
}

/// The words of a buffer are used by whom they have been handed to: only the original program notices them.
#[test]
fn the_length_of_a_transfer_costs_the_reduced_system_nothing() {
    for words in 1..=if random::long() { 5 } else { 2 } {
        let session = model("section6/semaphore_driver").load(&[("WORDS", words)]);
        let report = check(&session, false);
        let (fewer, all) = counts(&report);
        assert_eq!(fewer, 56, "WORDS = {words}");
        assert!(all > 50 * words as usize, "WORDS = {words}: {all}");
    }
}

/// The predicate of the paper and the one that is inferred give the same answers.
#[test]
fn the_predicate_of_the_paper_and_the_inferred_one_agree() {
    let inferred = model("section6/memory_reuse").report(false);
    let annotated = model("section6/memory_reuse_annotated").report(false);
    let answers = |r: &Report| -> Vec<_> {
        let all = r.properties.iter();
        all.map(|p| (p.name.clone(), p.verdict)).collect()
    };
    assert_eq!(answers(&inferred), answers(&annotated));
    assert_eq!(counts(&inferred).1, counts(&annotated).1);
    let of = |r: &Report, name: &str| {
        let found = r.discipline.iter().find(|d| d.variable.starts_with(name));
        found.map(|d| d.discipline.clone())
    };
    let blocks = of(&inferred, "blocks.data").expect("inferred");
    assert!(
        matches!(blocks, Discipline::HandedOver { lock: None, .. }),
        "{blocks}"
    );
    assert_eq!(of(&annotated, "blocks"), None, "it is declared");
}
