//! Classes under a condition: on random programs, what is said of an action holds from every reachable state in which
//! nothing has been violated.

use crate::claimed::programs;
use crate::random;
use crate::twin::generate::{Disciplines, samples_with};
use coarsen::Session;
use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::engine::relations::Encoding;
use coarsen::engine::{
    State, holds, initial_candidates, initially_violated, is_initial, successors, violates,
};
use coarsen::model::program::{Program, ThreadId};
use coarsen::theorem::{Detail, Under, judged};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::HashSet;

/// The steps of a thread that violate nothing.
fn clean(p: &Program, state: &State, thread: ThreadId) -> Vec<State> {
    let all = successors(p, state, thread);
    let kept = all.into_iter().filter(|s| !violates(p, thread, state, s));
    kept.map(|s| s.state).collect()
}

/// The states that executions without violations reach.
fn reachable(p: &Program) -> HashSet<State> {
    let initial = initial_candidates(p).filter(|s| is_initial(p, s) && !initially_violated(p, s));
    let mut open: Vec<State> = initial.collect();
    let mut met: HashSet<State> = open.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for t in 0..p.threads.len() {
            for next in clean(p, &state, t) {
                if met.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    met
}

/// Properties (1) and (3), (4) of Levin et al. 2005, where the action is taken from states with the condition only.
fn is_true(
    p: &Program,
    (me, at): (ThreadId, usize),
    under: &Under,
    (right, left): (bool, bool),
) -> Result<(), TestCaseError> {
    let steps = |s: &State| match s.location(me) == at && holds(p, &under.condition, s) {
        true => clean(p, s, me),
        false => Vec::new(),
    };
    for s in reachable(p) {
        for other in (0..p.threads.len()).filter(|o| *o != me) {
            let mine = steps(&s);
            let theirs = clean(p, &s, other);
            let swapped: HashSet<State> = theirs.iter().flat_map(steps).collect();
            let straight: HashSet<State> = mine.iter().flat_map(|s| clean(p, s, other)).collect();
            prop_assert!(!right || straight.is_subset(&swapped), "{under:?}");
            if left {
                prop_assert!(swapped.is_subset(&straight), "{under:?}");
                let kept = theirs.iter().all(|s| !steps(s).is_empty());
                prop_assert!(mine.is_empty() || kept, "{under:?} is disabled");
            }
        }
    }
    Ok(())
}

#[test]
fn classes_under_a_condition_are_true() {
    let mut runner = random::runner(512);
    let seen = [const { Cell::new(0) }; 2];
    runner
        .run(&programs(), |source| {
            let Ok((session, _)) = Session::load("m.cor", &source, &[], ParseLimits::default())
            else {
                return Ok(());
            };
            let (p, control) = (session.program(), Control::default());
            let e = Encoding::new(p, &control).expect("small");
            for (n, judged) in judged(&e, &[], Detail::Conditions)
                .expect("small")
                .iter()
                .enumerate()
            {
                for under in &judged.under {
                    // What it is anyway is no matter of the condition.
                    let right = under.right && !judged.mover.right;
                    let left = under.left && !judged.mover.left;
                    prop_assert!(right || left, "{under:?}");
                    seen[0].set(seen[0].get() + usize::from(right));
                    seen[1].set(seen[1].get() + usize::from(left));
                    let place = (e.actions[n].thread, e.actions[n].location);
                    is_true(p, place, under, (right, left))?;
                }
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let [right, left] = seen.map(|c| c.get());
    assert!(
        random::enough(right, 100) && random::enough(left, 50),
        "{right} right, {left} left"
    );
}

/// The rung on which no law fails may be any, and what fails at reachable states fails on all: so where nothing
/// is violated, a right mover is what commutes to the right from every reachable state.
#[test]
fn right_movers_are_those_of_the_definition() {
    let mut runner = random::runner(256);
    let seen = [const { Cell::new(0) }; 2];
    runner
        .run(&samples_with(Disciplines::Omitted), |sample| {
            let source = &sample.source;
            let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
            let (session, _) = loaded.expect("a model");
            let (p, control) = (session.program(), Control::default());
            prop_assert!(p.protections.is_empty());
            let (e, met) = (Encoding::new(p, &control).expect("small"), reachable(p));
            let all = judged(&e, &[], Detail::Class).expect("small");
            for (a, judged) in e.actions.iter().zip(&all) {
                let mine = |s: &State| match s.location(a.thread) == a.location {
                    true => clean(p, s, a.thread),
                    false => Vec::new(),
                };
                let commutes = |s: &State, other: ThreadId| {
                    let theirs = clean(p, s, other);
                    let swapped: HashSet<State> = theirs.iter().flat_map(mine).collect();
                    let mut straight = mine(s).into_iter().flat_map(|s| clean(p, &s, other));
                    straight.all(|s| swapped.contains(&s))
                };
                let others = |t: &ThreadId| *t != a.thread;
                let right = (0..p.threads.len())
                    .filter(others)
                    .all(|t| met.iter().all(|s| commutes(s, t)));
                prop_assert_eq!(judged.mover.right, right, "{:?} in {}", a.location, source);
                seen[usize::from(right)].set(seen[usize::from(right)].get() + 1);
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let [none, some] = seen.map(|c| c.get());
    assert!(
        random::enough(none, 50) && random::enough(some, 50),
        "{none} and {some}"
    );
}

/// Conditions that people know: a flag that is never taken back, the last reference.
#[test]
fn known_conditions() {
    let told = |source: &str, line: &str| -> Vec<String> {
        let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
        let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
        let default = coarsen::theory("stoller-cohen").expect("shipped");
        let report = session.movers(
            &default,
            coarsen::theory("lipton").as_ref(),
            &Control::default(),
        );
        let mut of = report.actions.iter().filter(|a| a.step.text == line);
        let all = of.next().map(|a| a.under.iter()).into_iter().flatten();
        all.map(|u| format!("{} if {}", u.class.id(), u.condition))
            .collect()
    };
    let flag = "var ready: bool = false unprotected; var x: 0..1 = 0 unprotected;
        thread a { ready = true; }
        thread b { if (ready) { x = 1; } }";
    assert_eq!(told(flag, "if (ready)"), ["right if ready"]);
    let count = "var count: 0..2 = 2 unprotected;
        thread t(i in 0..1) { var last: bool = false;
            atomic { count = count - 1; last = count == 0; } }";
    assert_eq!(
        told(count, "atomic { count = count - 1; last = count == 0; }"),
        ["right if count == 1"]
    );
}
