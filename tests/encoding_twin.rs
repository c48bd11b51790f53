//! The BDD encoding against the interpreter: state expressions on random states, and the steps of every location
//! from every type-correct state, q included.

use crate::{random, twin};

use coarsen::Session;
use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::engine::relations::{Concrete, Encoding, singleton};
use coarsen::engine::{State, holds, initially_violated, successors, violates};
use coarsen::model::program::Program;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::cell::Cell;

fn load(source: &str) -> Session {
    match Session::load("random.cor", source, &[], ParseLimits::default()) {
        Ok((session, _)) => session,
        Err(errors) => panic!("{errors:?} in\n{source}"),
    }
}

/// An integer expression over a, b, c, x[..].
fn integer() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["a", "b", "c", "x[0]", "x[b]", "x[a]", "g[b][c]"])
            .prop_map(String::from),
        (-9i64..10).prop_map(|n| format!("({n})")),
    ];
    leaf.prop_recursive(3, 12, 2, |e| {
        let op = prop::sample::select(vec!["+", "-", "*", "/", "%", "&", "|", "^", ">>"]);
        let sign = prop::sample::select(vec!["-", "~"]);
        prop_oneof![
            (e.clone(), op, e.clone()).prop_map(|(x, op, y)| format!("({x} {op} {y})")),
            // Of amounts without bounds, the value could get too large.
            (e.clone(), e.clone()).prop_map(|(x, y)| format!("({x} << {y} % 9 - 1)")),
            (sign, e.clone()).prop_map(|(sign, x)| format!("({sign}{x})")),
            (e.clone(), e.clone(), e).prop_map(|(x, y, z)| format!("({x} < {y} ? {z} : {x})")),
        ]
    })
    .boxed()
}

fn condition() -> BoxedStrategy<String> {
    let op = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        (integer(), op, integer()).prop_map(|(x, op, y)| format!("({x} {op} {y})")),
        Just("d".to_string()),
    ];
    leaf.prop_recursive(2, 6, 2, |e| {
        let op = prop::sample::select(vec!["&&", "||", "=>"]);
        prop_oneof![
            (e.clone(), op, e.clone()).prop_map(|(x, op, y)| format!("({x} {op} {y})")),
            e.prop_map(|x| format!("(!{x})")),
        ]
    })
    .boxed()
}

fn random_states(p: &Program) -> impl Strategy<Value = Vec<State>> + use<> {
    let cells: Vec<_> = p.cells.iter().map(|c| c.ty.lo..=c.ty.hi).collect();
    let places: Vec<_> = p.threads.iter().map(|t| 0..t.locations.len()).collect();
    let one = (cells, places).prop_map(|(cells, places)| State::new(&cells, &places));
    prop::collection::vec(one, 40)
}

#[test]
fn expressions_have_the_interpreters_values() {
    let mut runner = random::runner(150);
    let (yes, no) = (Cell::new(0), Cell::new(0));
    let outcome = runner.run(&condition(), |text| {
        let source = format!(
            "var a: -5..5; var b: 0..6; var c: mod 5; var d: bool; var x[3]: -2..4; var g[2][3]: 0..9;
             invariant e: {text};
             thread t {{ skip; }}"
        );
        let session = load(&source);
        let p = session.program();
        let control = Control::default();
        let e = Encoding::new(p, &control).unwrap();
        let bdd = e.predicate(&p.properties[0].expr).unwrap();
        let mut states = random::runner(1);
        let sample = random_states(p).new_tree(&mut states).unwrap().current();
        for state in sample {
            let expected = holds(p, &p.properties[0].expr, &state);
            let point = singleton(&e, &Concrete { state: state.clone(), violated: false }, &e.all_bits());
            prop_assert_eq!(!e.m.disjoint(&bdd, &point), expected, "{} in {:?}", text, state);
            let side = if expected { &yes } else { &no };
            side.set(side.get() + 1);
        }
        Ok(())
    });
    outcome.unwrap();
    assert!(
        [&yes, &no].iter().all(|n| random::enough(n.get(), 100)),
        "one-sided: {yes:?} true, {no:?} false"
    );
}

#[test]
fn steps_are_the_interpreters_steps() {
    let mut runner = random::runner(60);
    let steps = Cell::new(0);
    let outcome = runner.run(&twin::generate::samples(), |sample| {
        let session = load(&sample.source);
        let p = session.program();
        let control = Control::default();
        let e = Encoding::new(p, &control).unwrap();
        let mut states = random::runner(1);
        let all = e.all_bits();
        for state in random_states(p).new_tree(&mut states).unwrap().current() {
            for violated in [false, true] {
                let from = Concrete {
                    state: state.clone(),
                    violated,
                };
                let from = singleton(&e, &from, &all);
                for t in 0..p.threads.len() {
                    let mut expected = e.m.no();
                    for step in successors(p, &state, t) {
                        let q = violated || violates(p, t, &state, &step);
                        let to = Concrete {
                            state: step.state,
                            violated: q,
                        };
                        expected = e.m.or(&expected, &singleton(&e, &to, &all)).unwrap();
                        steps.set(steps.get() + 1);
                    }
                    let mut found = e.m.no();
                    for a in e.of_thread(t) {
                        found =
                            e.m.or(&found, &e.actions[a].rel.image(&e.m, &from).unwrap())
                                .unwrap();
                    }
                    prop_assert!(e.m.same(&found, &expected), "thread {} from {:?}", t, state);
                }
            }
            let initial = p
                .threads
                .iter()
                .enumerate()
                .all(|(t, thread)| state.location(t) == thread.initial)
                && p.cells
                    .iter()
                    .enumerate()
                    .all(|(c, x)| x.initial.is_none_or(|v| v == state.cell(c)))
                && coarsen::engine::is_initial(p, &state);
            for violated in [false, true] {
                let point = singleton(
                    &e,
                    &Concrete {
                        state: state.clone(),
                        violated,
                    },
                    &all,
                );
                let expected = initial && violated == initially_violated(p, &state);
                prop_assert_eq!(!e.m.disjoint(&e.initial, &point), expected);
            }
        }
        Ok(())
    });
    outcome.unwrap();
    assert!(
        random::enough(steps.get(), 1000),
        "only {steps:?} steps were compared"
    );
}

#[test]
fn actions_that_leave_each_other_alone_commute() {
    let mut runner = random::runner(200);
    // Pairs of which one writes what the other reads.
    let pairs = Cell::new(0);
    let outcome = runner.run(&twin::generate::samples(), |sample| {
        let session = load(&sample.source);
        let control = Control::default();
        let e = Encoding::new(session.program(), &control).unwrap();
        for (a, x) in e.actions.iter().enumerate() {
            for (b, y) in e.actions.iter().enumerate().skip(a + 1) {
                if x.thread == y.thread || !e.undisturbed(&[a], &[b]).unwrap() {
                    continue;
                }
                let one = x.rel.then(&e.m, &y.rel).unwrap();
                let other = y.rel.then(&e.m, &x.rel).unwrap();
                prop_assert_eq!(&one.writes, &other.writes);
                let places = (e.place(a), e.place(b));
                prop_assert!(e.m.same(&one.bdd, &other.bdd), "{:?}", places);
                let some = usize::from(!x.independent(y) && !one.bdd.is_false());
                pairs.set(pairs.get() + some);
            }
        }
        Ok(())
    });
    outcome.unwrap();
    assert!(
        random::enough(pairs.get(), 20),
        "only {pairs:?} pairs were compared"
    );
}

#[test]
fn several_actions_leave_others_alone_if_each_does() {
    let mut runner = random::runner(2000);
    // Of groups in which some pair does not commute by its footprints: alone, and not.
    let seen = Cell::new([0, 0]);
    let outcome = runner.run(&(twin::generate::samples(), 1usize..4), |(sample, size)| {
        let session = load(&sample.source);
        let control = Control::default();
        let e = Encoding::new(session.program(), &control).unwrap();
        let groups: Vec<Vec<usize>> = (0..session.program().threads.len())
            .flat_map(|t| {
                let all: Vec<usize> = e.of_thread(t).collect();
                let parts = all.chunks(size).map(<[usize]>::to_vec);
                parts.collect::<Vec<_>>()
            })
            .collect();
        for (n, some) in groups.iter().enumerate() {
            for others in &groups[n + 1..] {
                let mut pairs = some.iter().flat_map(|a| others.iter().map(|b| (*a, *b)));
                let each = |(a, b): (usize, usize)| e.undisturbed(&[a], &[b]).unwrap();
                let expected = pairs.clone().all(each);
                prop_assert_eq!(e.undisturbed(some, others).unwrap(), expected);
                prop_assert_eq!(e.undisturbed(others, some).unwrap(), expected);
                if pairs.any(|(a, b)| !e.actions[a].independent(&e.actions[b])) {
                    let mut counts = seen.get();
                    counts[usize::from(expected)] += 1;
                    seen.set(counts);
                }
            }
        }
        Ok(())
    });
    outcome.unwrap();
    let [disturbed, alone] = seen.get();
    assert!(
        random::enough(disturbed, 10_000) && random::enough(alone, 200),
        "only {seen:?} groups were compared"
    );
}
