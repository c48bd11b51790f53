//! The reduction theorem itself, tested on random programs by the twin alone.
//!
//! Whenever (11)-(18) hold, on all type-correct states or on the reachable ones, the reduced system finds a violation of
//! the discipline iff the original has one; and where there is none, it reaches exactly the original's visible states
//! (corollary (c)), its deadlocks (b), its failed assertions (d), and agrees on every state property (a).

mod twin;

use std::collections::BTreeSet;

use proptest::test_runner::{Config, TestRunner};

use twin::ast::Property;
use twin::explore::{Explored, is_deadlock, is_wrong};
use twin::generate::{Sample, samples};
use twin::model::{Model, state_of};
use twin::verdict::{Answer, Rung, Status, Verdict, answer, violation};
use twin::visibility::{Reason, Reasons, concerned, reasons, repair_cycles, visible};

/// A sample with everything the twin knows about it.
struct Judged {
    model: Model,
    reasons: Reasons,
    answer: Answer,
}

fn judge(sample: &Sample) -> Judged {
    let model = sample.model();
    let mut reasons = reasons(&model);
    repair_cycles(&model, &mut reasons);
    let answer = answer(&model, &visible(&reasons));
    Judged {
        model,
        reasons,
        answer,
    }
}

/// The program states, without `q`, among the visited ones that satisfy a condition.
fn visited(explored: &Explored, condition: impl Fn(usize) -> bool) -> BTreeSet<usize> {
    explored
        .visited
        .iter()
        .map(|node| state_of(*node))
        .filter(|state| condition(*state))
        .collect()
}

fn check_theorem(Judged { model, answer, .. }: &Judged) {
    let Answer {
        original, reduced, ..
    } = answer;
    // What fails in no type-correct state fails in no reachable one.
    for (anywhere, reachable) in answer.anywhere.iter().zip(&answer.reachable) {
        assert!(anywhere.is_some() || reachable.is_none());
    }
    assert!(
        reduced.visited.is_subset(&original.visited),
        "reduced steps are steps of the original"
    );
    if !answer.applies() {
        return;
    }
    assert_eq!(
        violation(&original.visited),
        violation(&reduced.visited),
        "the theorem"
    );
    if violation(&original.visited) {
        return;
    }
    let scheduling: BTreeSet<usize> = reduced.states.iter().map(|node| state_of(*node)).collect();
    assert_eq!(
        scheduling, answer.original_visible,
        "corollary (c): visible states"
    );
    let deadlock = |state: usize| is_deadlock(model, state);
    let in_reduced: BTreeSet<usize> = scheduling
        .into_iter()
        .filter(|state| deadlock(*state))
        .collect();
    assert_eq!(
        in_reduced,
        visited(original, deadlock),
        "corollary (b): deadlocks"
    );
    let agree = |what: &str, condition: &dyn Fn(usize) -> bool| {
        let [in_original, in_reduced] =
            [original, reduced].map(|system| visited(system, condition).is_empty());
        assert_eq!(in_original, in_reduced, "{what}");
    };
    agree("corollary (d): failed assertions", &|state| {
        is_wrong(model, state)
    });
    for property in &model.system.program.properties {
        if let Some(concerned) = concerned(model, property) {
            agree("corollary (a): state properties", &|state| concerned[state]);
        }
    }
}

#[test]
fn the_theorem_holds_on_random_programs() {
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::default()
    });
    runner
        .run(&samples(), |sample| {
            check_theorem(&judge(&sample));
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

/// How many samples of each kind there are.
#[derive(Default, Debug)]
struct Census {
    samples: usize,
    hold_everywhere: usize,
    hold_on_reachable: usize,
    refuted: [usize; 8],
    refuted_anywhere: [usize; 8],
    /// The theorem applies, no violation, and the reduced system is smaller.
    reduces: usize,
    reduces_on_reachable: usize,
    violation: usize,
    violation_found_by_reduction: usize,
    violation_inside_a_step: usize,
    deadlock: usize,
    assertion: usize,
    property_refuted: usize,
    property_unknown: usize,
    verdicts: [usize; 4],
    reasons: [usize; 6],
    states: usize,
    biggest: usize,
}

#[test]
fn census() {
    let mut census = Census::default();
    let mut runner = TestRunner::deterministic();
    use proptest::strategy::{Strategy, ValueTree};
    for _ in 0..500 {
        let sample = samples().new_tree(&mut runner).unwrap().current();
        let judged = judge(&sample);
        check_theorem(&judged);
        let Judged {
            model,
            reasons,
            answer,
        } = judged;
        census.samples += 1;
        census.states += model.states.len();
        census.biggest = census.biggest.max(model.states.len());
        census.hold_everywhere += usize::from(answer.rung == Rung::True);
        census.hold_on_reachable += usize::from(answer.rung == Rung::Reachable);
        for k in 0..8 {
            census.refuted[k] += usize::from(answer.reachable[k].is_some());
            census.refuted_anywhere[k] += usize::from(answer.anywhere[k].is_some());
        }
        let v = violation(&answer.original.visited);
        census.violation += usize::from(v);
        let smaller = answer.counts().reduced < answer.counts().original;
        census.violation_found_by_reduction += usize::from(answer.applies() && v && smaller);
        census.violation_inside_a_step +=
            usize::from(violation(&answer.reduced.visited) && smaller);
        census.reduces += usize::from(answer.applies() && !v && smaller);
        census.reduces_on_reachable += usize::from(answer.rung == Rung::Reachable && !v && smaller);
        census.deadlock += usize::from(
            answer.applies()
                && !v
                && smaller
                && answer
                    .original_visible
                    .iter()
                    .any(|s| is_deadlock(&model, *s)),
        );
        census.assertion += usize::from(
            answer.applies() && !v && smaller && answer.property("assertions") == Status::Refuted,
        );
        census.property_refuted += usize::from(
            answer
                .properties
                .iter()
                .any(|(n, s)| n.starts_with('P') && *s == Status::Refuted),
        );
        census.property_unknown += usize::from(
            answer
                .properties
                .iter()
                .any(|(n, s)| n.starts_with('P') && *s == Status::Unknown),
        );
        census.verdicts[match answer.verdict {
            Verdict::Holds => 0,
            Verdict::Refuted => 1,
            Verdict::HypothesisRefuted => 2,
            Verdict::Unknown => 3,
        }] += 1;
        for (k, r) in [
            Reason::Mentions,
            Reason::Guard,
            Reason::ChangesAccess,
            Reason::Initial,
            Reason::Hides,
            Reason::Cycle,
        ]
        .into_iter()
        .enumerate()
        {
            census.reasons[k] += usize::from(
                reasons
                    .iter()
                    .flatten()
                    .any(|s| s.len() == 1 && s.contains(&r)),
            );
        }
    }
    println!("{census:#?}");
}
