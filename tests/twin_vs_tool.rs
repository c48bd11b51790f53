//! The tool agrees with its naive twin, on random programs and on the examples: steps, hypotheses, counts, verdicts.

use crate::{random, twin};

use coarsen::CheckOptions;
use coarsen::results::Report;
use proptest::prelude::*;

use twin::compare::{contradictions, differences};
use twin::examples::{philosophers, turn_taken_away, two_locks_barrier};
use twin::generate::{Disciplines, Sample, samples, samples_with};
use twin::model::Model;

/// Where the tool's report on the sample differs from the twin's answer.
fn disagreement(sample: &Sample) -> Vec<String> {
    compared(sample, differences)
}

fn compared(sample: &Sample, compare: fn(&Model, &Report) -> Vec<String>) -> Vec<String> {
    let options = CheckOptions {
        cross_check: true,
        ..CheckOptions::thorough()
    };
    match coarsen::check_source("sample.cor", &sample.source, &options) {
        Ok(report) => compare(&sample.model(), &report),
        Err(diagnostics) => vec![format!("the tool rejects the program: {diagnostics:?}")],
    }
}

#[test]
fn the_tool_agrees_with_the_twin_on_the_examples() {
    for program in [
        two_locks_barrier(),
        philosophers(2),
        philosophers(4),
        turn_taken_away(),
    ] {
        let sample = Sample::new(program);
        assert_eq!(disagreement(&sample), Vec::<String>::new(), "{sample:?}");
    }
}

#[test]
fn the_tool_agrees_with_the_twin_on_random_programs() {
    let mut runner = random::runner(256);
    let result = runner.run(&samples(), |sample| {
        let disagreement = disagreement(&sample);
        prop_assert!(disagreement.is_empty(), "{}", disagreement.join("\n"));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Nothing but the verdicts is compared: which disciplines a tool infers is its own affair.
#[test]
fn the_tool_is_right_about_programs_without_discipline_words() {
    let mut runner = random::runner(256);
    let result = runner.run(&samples_with(Disciplines::Omitted), |sample| {
        let wrong = compared(&sample, contradictions);
        prop_assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}
