//! Reduced systems up to exchanges of threads: the same is found, however few states inside coarse steps are kept.

use super::symmetry::{asked, families};
use super::{loaded, random};

use coarsen::base::control::Control;
use coarsen::engine::Heuristic;
use coarsen::engine::compiled::Mode;
use coarsen::engine::quotients::Symmetry;
use coarsen::engine::reach::{Answer, Blocked, Outcome, Reduction, explicit};
use coarsen::theorem::prepare;
use coarsen::theory;
use proptest::prelude::*;
use std::cell::Cell;

/// How often states were seen as one, and states inside coarse steps were not kept.
fn found_the_same(source: &str) -> Result<usize, TestCaseError> {
    let Some(session) = loaded(source) else {
        return Ok(0);
    };
    let theory = theory("stoller-cohen").expect("shipped");
    let control = Control::default();
    let (_, prepared) = prepare("m.cor", session.program(), &theory, &[], &control);
    let Some(prepared) = prepared else {
        return Ok(0);
    };
    let mut p = prepared.program;
    p.errors_end = false;
    let questions = asked(&p);
    let order = Heuristic::ALL[0].0.order(&p);
    let mut hidden = 0;
    for when_blocked in [Blocked::Ends, Blocked::Waits] {
        let find = |inside: usize| -> Option<Outcome> {
            let reduction = Reduction {
                visible: prepared.visible.clone(),
                when_blocked,
                inside,
            };
            let (symmetry, _) = Symmetry::new(&p, &questions, Some(&reduction));
            let up_to = (Some(&reduction), Some(&symmetry));
            let how = (Mode::Breadth, 2);
            let found = explicit(&p, &questions, &order, up_to, how, 200_000, &control);
            (!symmetry.is_trivial() && found.stopped.is_none()).then_some(found)
        };
        let told = |o: &Outcome| {
            let counts = [
                &o.states,
                &o.representatives,
                &o.deadlocks,
                &o.wrong_deadlocks,
            ];
            let answers = o.answers.iter().map(|a| matches!(a, Answer::Nowhere));
            (
                counts.map(Clone::clone),
                o.violated,
                answers.collect::<Vec<bool>>(),
            )
        };
        let (Some(all), Some(few)) = (find(usize::MAX), find(0)) else {
            return Ok(0);
        };
        prop_assert_eq!(told(&all), told(&few), "{:?} {}", when_blocked, source);
        prop_assert_eq!(&few.visited, &None);
        hidden += usize::from(all.visited > all.states);
    }
    Ok(hidden)
}

#[test]
fn few_are_kept_up_to_exchanges_of_threads() {
    let hidden = Cell::new(0);
    let mut runner = random::runner(300);
    let result = runner.run(&families(), |source| {
        hidden.set(hidden.get() + found_the_same(&source)?);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(random::enough(hidden.get(), 100), "{}", hidden.get());
}
