//! The front end and the explicit interpreter agree with the naive twin on random programs: locations, labels, and
//! everything that an exploration of the original program finds.

use crate::{random, twin};

use std::collections::BTreeMap;

use coarsen::base::control::Control;
use coarsen::base::diagnostic::Severity;
use coarsen::engine::{Original, explore};
use coarsen::model::program::{Program, Thread, elaborate};
use coarsen::model::text::parse_model;

use twin::compile::Graph;
use twin::examples::{philosophers, turn_taken_away, two_locks_barrier};
use twin::explore::{count, is_deadlock, is_wrong, original};
use twin::generate::{Sample, samples};
use twin::model::{Model, state_of};
use twin::verdict::violation;
use twin::visibility::concerned;

fn front_end(source: &str) -> Program {
    let (tree, found) = parse_model(source, Default::default());
    assert!(
        found
            .iter()
            .all(|diagnostic| diagnostic.severity != Severity::Error),
        "{found:?}"
    );
    let (program, _warnings) = elaborate(&tree, source, &[]).expect("the sample is well typed");
    program
}

/// The twin's exploration in the interpreter's words.
fn explored(model: &Model) -> Original {
    let states = original(model).states;
    let any = |found: &dyn Fn(usize) -> bool| states.iter().any(|node| found(state_of(*node)));
    let found = model
        .system
        .program
        .properties
        .iter()
        .filter_map(|property| concerned(model, property));
    Original {
        states: count(&states),
        violated: violation(&states),
        wrong: any(&|state| is_wrong(model, state)),
        deadlock: any(&|state| is_deadlock(model, state)),
        found: found
            .map(|concerned| any(&|state| concerned[state]))
            .collect(),
    }
}

/// Every location with a step is one of the twin's by line and name, as often as the twin has it.
fn same_locations(program: &Program, thread: &Thread, graph: &Graph) -> bool {
    let mut told: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    for location in thread.steps() {
        let location = &thread.locations[location];
        let called = graph.called(program.line(location.span), &location.name);
        *told.entry(called).or_default() += 1;
    }
    let known: usize = told.values().sum();
    let complete = |(called, times): (&Vec<usize>, &usize)| called.len() == *times;
    known == graph.locations.len() && told.iter().all(complete)
}

fn check(sample: &Sample) {
    let program = front_end(&sample.source);
    let model = sample.model();
    for (thread, graph) in program.threads.iter().zip(&model.system.graphs) {
        assert!(
            same_locations(&program, thread, graph),
            "locations of {}: {:?}",
            thread.name,
            thread
                .steps()
                .map(|l| (
                    program.line(thread.locations[l].span),
                    &thread.locations[l].name
                ))
                .collect::<Vec<_>>()
        );
    }
    let found = explore(&program, &Control::default()).expect("no limit is hit");
    assert_eq!(found, explored(&model));
}

#[test]
fn the_interpreter_agrees_with_the_twin_on_the_examples() {
    for program in [two_locks_barrier(), philosophers(4), turn_taken_away()] {
        check(&Sample::new(program));
    }
}

#[test]
fn the_interpreter_agrees_with_the_twin_on_random_programs() {
    let mut runner = random::runner(256);
    let result = runner.run(&samples(), |sample| {
        check(&sample);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}
