//! Walks of `coarsen simulate`: each is an execution, is written and walked along again; goals are those that the
//! explicit search reaches; nothing is unbounded where a step has very many outcomes.

use crate::{random, twin};
use coarsen::Session;
use coarsen::base::control::{Budget, Control, ParseLimits, Stop};
use coarsen::command::simulate::{WAYS, Walk};
use coarsen::engine::{State, initial_candidates, is_initial, successors};
use coarsen::model::program::Program;
use coarsen::report::itf;
use coarsen::results::{Ended, Step, Trace};
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};
use twin::generate::samples;

fn load(source: &str) -> Session {
    let (session, _) = Session::load("m.cor", source, &[], ParseLimits::default()).expect("loads");
    session
}

/// The trace of a walk along the states of a trace.
fn along(program: &Program, trace: &Trace) -> Trace {
    let states = itf::read(&itf::render("m.cor", "walk", trace)).expect("ITF");
    let mut walk = Walk::new(program).expect("a state");
    let is = |n: usize, names: &[_], values: &[_]| itf::is_state(&states[n], names, values);
    let followed = walk.follow(states.len(), &is, &Control::default());
    assert_eq!(followed, Ok(Ok(())));
    walk.trace().expect("a short walk")
}

#[test]
fn what_was_written_is_walked_along_again() {
    random::runner(300)
        .run(&samples(), |sample| {
            let session = load(&sample.source);
            let Some(mut walk) = Walk::new(session.program()) else {
                return Ok(());
            };
            let ended = walk.random(12, 7);
            assert!(ended != Ended::Steps || walk.steps() == 12);
            let Some(trace) = walk.trace() else {
                return Ok(());
            };
            assert_eq!(trace.steps.len(), walk.steps());
            let again = along(session.program(), &trace);
            // Two steps may lead to one state.
            assert_eq!(again.states, trace.states, "{}", sample.source);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

/// How many steps each state is away from the first one.
fn distances(program: &Program, most: usize) -> Option<HashMap<State, usize>> {
    let first = initial_candidates(program).find(|s| is_initial(program, s))?;
    let mut far = HashMap::from([(first.clone(), 0)]);
    let mut open = VecDeque::from([first]);
    while let Some(state) = open.pop_front() {
        let next = far[&state] + 1;
        for thread in 0..program.threads.len() {
            for step in successors(program, &state, thread) {
                if !far.contains_key(&step.state) {
                    far.insert(step.state.clone(), next);
                    open.push_back(step.state);
                }
            }
        }
        if far.len() > most {
            return None;
        }
    }
    Some(far)
}

/// The fewest steps, on programs small enough to be looked at in full.
#[test]
fn goals_are_reached_by_the_fewest_steps() {
    let source = "var x: 0..7 = 0; var y: 0..3 = 0;\n\
        thread a { while (x < 6) { x = x + 2; } y = 1; }\n\
        thread b { when (x == 4) x = 7; y = y + 2; }\n";
    let session = load(source);
    let program = session.program();
    let far = distances(program, 10_000).expect("small");
    let (mut met, mut missed) = (0, 0);
    for x in 0..8 {
        for y in 0..4 {
            let goal = session.state_expression(&format!("x == {x} && y == {y}"));
            let goal = goal.expect("a condition");
            let fits = |s: &&State| coarsen::engine::holds(program, &goal, s);
            let fewest = far.keys().filter(fits).map(|s| far[s]).min();
            let mut walk = Walk::new(program).expect("a state");
            let found = walk.towards(&goal, &Control::default()).expect("no limit");
            assert_eq!(found, fewest.is_some(), "{x} {y}");
            assert_eq!(walk.steps(), fewest.unwrap_or(0), "{x} {y}");
            match found {
                true => met += 1,
                false => missed += 1,
            }
        }
    }
    assert!(met > 8 && missed > 8, "{met} and {missed}");
}

/// Outcomes are not counted where they are very many, be they different or all the same.
#[test]
fn steps_with_very_many_outcomes_are_offered_soon() {
    for outcome in ["havoc x;", "atomic { havoc x; x = 0; }"] {
        let session = load(&format!(
            "var x: 0..1000000000 = 0; thread t {{ {outcome} }}\nthread u {{ skip; }}\n"
        ));
        let begun = Instant::now();
        let mut walk = Walk::new(session.program()).expect("a state");
        let offers = walk.offers();
        let of = |name: &str| offers.iter().filter(|o| o.step.thread == name).count();
        assert!((1..=WAYS).contains(&of("t")), "{}", of("t"));
        assert_eq!(of("u"), 1);
        assert_ne!(walk.random(5, 1), Ended::Wrong);
        // A way that is not there is looked for up to the limit.
        let goal = session.state_expression("x < 0").expect("a condition");
        let mut walk = Walk::new(session.program()).expect("a state");
        let states = 1_000;
        let control = Control::new(Budget {
            states,
            ..Budget::default()
        });
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                control.stop(Stop::Time);
            });
            assert!(walk.towards(&goal, &control).is_err());
        });
        assert_eq!(walk.steps(), 0);
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}

/// What goes wrong ends a walk, and its trace says so.
#[test]
fn a_walk_ends_where_something_goes_wrong() {
    let session = load("var x: 0..3 = 0;\nthread a { x = 1;\n assert(x == 2);\n x = 3; }\n");
    let mut walk = Walk::new(session.program()).expect("a state");
    assert_eq!(walk.random(9, 0), Ended::Wrong);
    let trace = walk.trace().expect("a short walk");
    let lines: Vec<usize> = trace.steps.iter().map(|s| s.step.line).collect();
    assert_eq!(lines, [2, 3]);
    let last: &Step = &trace.steps[1].step;
    assert_eq!(last.thread, "a");
    assert!(trace.steps[1].violation.is_some());
}
