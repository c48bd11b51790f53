//! Inferred disciplines on 5,000 random programs without a discipline word: every answer against the full exploration
//! of the original program by the naive twin, and what the reduction that follows from the guesses is worth.
//!
//! `cargo bench --bench inference [-- PROGRAMS]`. Panics on the first wrong answer.

#[path = "../tests/support/random.rs"]
mod random;
#[path = "../tests/twin/mod.rs"]
mod twin;

use coarsen::CheckOptions;
use coarsen::results::{Report, Status, Verdict};
use proptest::strategy::{Strategy, ValueTree};
use std::time::{Duration, Instant};

use twin::compare::contradictions;
use twin::generate::{Disciplines, Sample, samples_with};

#[derive(Default)]
struct Figures {
    programs: usize,
    refuted: usize,
    undecided: usize,
    /// Programs with fewer reduced states than original ones.
    smaller: usize,
    rounds: usize,
    original: u64,
    reduced: u64,
    tool: Duration,
    twin: Duration,
}

fn main() {
    let asked = std::env::args().skip(1).find_map(|a| a.parse().ok());
    let wanted = asked.unwrap_or(5_000);
    let mut runner = random::runner(1);
    let programs = samples_with(Disciplines::Omitted);
    let mut figures = Figures::default();
    while figures.programs < wanted {
        if let Ok(tree) = programs.new_tree(&mut runner) {
            one(&tree.current(), &mut figures);
        }
    }
    let Figures {
        programs,
        refuted,
        undecided,
        smaller,
        rounds,
        original,
        reduced,
        tool,
        twin,
    } = figures;
    println!("{programs} random programs without a discipline word, no wrong answer");
    println!("refuted by the tool and by the twin alike: {refuted}; unknown: {undecided}");
    println!(
        "guesses revised: {:.2} a program",
        rounds as f64 / programs as f64
    );
    println!(
        "reduced states / original states: {:.3} ({reduced} / {original}); smaller in {smaller} programs",
        reduced as f64 / original as f64
    );
    println!(
        "time of the checks / time of the twin's full explorations: {:.2}",
        tool.as_secs_f64() / twin.as_secs_f64()
    );
}

fn one(sample: &Sample, figures: &mut Figures) {
    let options = CheckOptions {
        cross_check: true,
        ..CheckOptions::default()
    };
    let clock = Instant::now();
    let report: Report = coarsen::check_source("sample.cor", &sample.source, &options)
        .unwrap_or_else(|errors| panic!("{errors:?} in\n{}", sample.source));
    figures.tool += clock.elapsed();
    let clock = Instant::now();
    let wrong = contradictions(&sample.model(), &report);
    figures.twin += clock.elapsed();
    let source = &sample.source;
    assert!(wrong.is_empty(), "{}\n{source}", wrong.join("\n"));
    assert!(!report.is_contradicted(), "{}\n{source}", report.reason);
    let discipline = report.properties.iter().find(|p| p.name == "discipline");
    let refuted = discipline.is_some_and(|p| p.verdict == Status::Refuted);
    assert!(!refuted, "a guess was told as a violation\n{source}");
    let count = |n: &Option<String>| n.as_ref().and_then(|n| n.parse().ok()).unwrap_or(0u64);
    let (original, reduced) = (
        count(&report.states.original),
        count(&report.states.reduced),
    );
    figures.programs += 1;
    figures.refuted += usize::from(report.verdict == Verdict::Refuted);
    figures.undecided += usize::from(report.verdict == Verdict::Unknown);
    figures.smaller += usize::from(reduced < original);
    figures.rounds += report.revisions.len();
    figures.original += original;
    figures.reduced += reduced;
}
