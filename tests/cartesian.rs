//! Cartesian partial-order reduction: its vectors are held against their definition, and the numbers of Gueta et al.
//! 2007 are met. (What it finds is compared with all interleavings in `por.rs`, like that of the other techniques.)

use crate::por::{ending, naive};
use crate::{loops, random, shipped};

use coarsen::Session;
use coarsen::base::control::ParseLimits;
use coarsen::base::control::{Budget, Control};
use coarsen::command::reach::{Engine, ReachOptions};
use coarsen::engine::partial_order::{Extend, Por, Run, Technique, explore, vectors};
use coarsen::engine::reach::{Answer, Question, Sort};
use coarsen::engine::{State, holds};
use coarsen::model::program::{Expr, Program};
use coarsen::results::Verdict;
use naive::Accesses;
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;

/// The steps of a prefix: where each begins, and what it accesses. Legal ones only.
fn steps(p: &Program, thread: usize, run: &Run) -> Result<Vec<(State, Accesses)>, TestCaseError> {
    let mut all = Vec::new();
    for (n, from) in run.states.iter().enumerate() {
        let (mut after, mut accesses) = naive::pending(p, from, thread);
        naive::moves(&naive::places(p), thread, from, &after, &mut accesses);
        if after.is_empty() {
            after.push(from.clone());
        }
        let mut expected = match run.states.get(n + 1) {
            Some(next) => vec![next.clone()],
            None => run.last.clone(),
        };
        after.sort();
        expected.sort();
        prop_assert_eq!(after, expected, "a step with one outcome, or the last one");
        all.push((from.clone(), accesses));
    }
    Ok(all)
}

/// The state that differs from the first by what has changed from there to one, and to the other.
fn joined(p: &Program, first: &State, a: &State, b: &State) -> State {
    let cell = |c| match a.cell(c) == first.cell(c) {
        true => b.cell(c),
        false => a.cell(c),
    };
    let location = |t| match a.location(t) == first.location(t) {
        true => b.location(t),
        false => a.location(t),
    };
    let cells: Vec<i64> = (0..p.cells.len()).map(cell).collect();
    let locations: Vec<usize> = (0..p.threads.len()).map(location).collect();
    State::new(&cells, &locations)
}

/// Definition 2, and that no prefix could be longer.
fn is_cartesian(p: &Program, first: &State, runs: &[Run]) -> Result<(), TestCaseError> {
    let all: Vec<Vec<(State, Accesses)>> = (runs.iter().enumerate())
        .map(|(t, run)| steps(p, t, run))
        .collect::<Result<_, _>>()?;
    let is_last = |t: usize, n: usize| !runs[t].infinite && n + 1 == all[t].len();
    let mut ends_dependent = vec![false; runs.len()];
    for i in 0..runs.len() {
        prop_assert_eq!(&runs[i].states[0], first);
        if runs[i].infinite {
            let [end] = runs[i].last.as_slice() else {
                return Err(TestCaseError::fail(
                    "several outcomes of a step without end",
                ));
            };
            prop_assert!(runs[i].states.contains(end));
        }
        for j in (0..runs.len()).filter(|&j| j != i) {
            for (n, (s, a)) in all[i].iter().enumerate() {
                for (m, (t, b)) in all[j].iter().enumerate() {
                    if a.conflicts(b) {
                        prop_assert!(is_last(i, n) && is_last(j, m), "dependent steps inside");
                        ends_dependent[i] = true;
                    }
                    // In every combination the steps are what they are alone, the last ones where the other is not at
                    // its last.
                    if !is_last(j, m) || !is_last(i, n) {
                        let both = joined(p, first, s, t);
                        let (alone, _) = naive::pending(p, s, i);
                        let (there, _) = naive::pending(p, &both, i);
                        let expected: BTreeSet<State> =
                            alone.iter().map(|next| joined(p, first, next, t)).collect();
                        prop_assert_eq!(there.into_iter().collect::<BTreeSet<_>>(), expected);
                    }
                }
            }
        }
    }
    for (i, run) in runs.iter().enumerate() {
        let ([end], false, false) = (run.last.as_slice(), run.infinite, ends_dependent[i]) else {
            continue;
        };
        let (after, mut next) = naive::pending(p, end, i);
        naive::moves(&naive::places(p), i, end, &after, &mut next);
        let inside = (0..runs.len()).filter(|&j| j != i).any(|j| {
            let inner = all[j].iter().enumerate().filter(|(m, _)| !is_last(j, *m));
            inner.into_iter().any(|(_, (_, b))| next.conflicts(b))
        });
        prop_assert!(inside, "thread {i} could go on");
    }
    Ok(())
}

/// All vectors of a program; how many prefixes are longer than a step.
fn checked(source: &str) -> Result<usize, TestCaseError> {
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    let Ok((session, _)) = loaded else {
        return Ok(0);
    };
    let control = Control::new(Budget {
        states: 300,
        ..Budget::default()
    });
    let mut p = session.program().clone();
    p.protections.clear();
    let mut long = 0;
    for extend in Extend::ALL {
        let Ok(all) = vectors(&p, extend, &control) else {
            continue;
        };
        for (first, runs) in all.iter().take(200) {
            is_cartesian(&p, first, runs)?;
            long += runs.iter().filter(|r| r.states.len() > 1).count();
        }
    }
    Ok(long)
}

fn random(programs: impl Strategy<Value = String>) {
    let long = Cell::new(0);
    let mut runner = random::runner(150);
    runner
        .run(&programs, |source| {
            long.set(long.get() + checked(&source)?);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(
        random::enough(long.get(), 500),
        "{} prefixes have steps",
        long.get()
    );
}

#[test]
fn vectors_are_cartesian_and_no_prefix_could_be_longer() {
    random(ending(2..4, 1..6));
}

#[test]
fn vectors_of_programs_with_loops_are_cartesian() {
    random(loops::programs());
}

/// The states and steps that are counted, by so many workers.
fn counted(p: &Program, extend: Extend, cores: usize) -> (u64, u64) {
    let por = Por {
        extend,
        cores,
        ..Por::only(Technique::Cartesian)
    };
    let found = explore(p, &[], &por, None, (u64::MAX, &Control::default()));
    let states = found.outcome.states.expect("explored");
    let states = u64::try_from(states).expect("few");
    (states, found.outcome.transitions.expect("counted"))
}

/// Model, constants, states of the standard exploration if that is short, states of the paper's Cartesian one, ours.
type Row = (
    &'static str,
    &'static [(&'static str, i64)],
    Option<u64>,
    u64,
    u64,
);

const TABLE: &[Row] = &[
    ("shared_ptr", &[], Some(32131), 418, 418),
    ("shared_array", &[], Some(2276), 132, 132),
    ("robots", &[("N", 2)], Some(4877), 56, 56),
    ("robots", &[("N", 3)], Some(326_759), 56, 56),
    ("file_system", &[("N", 1)], Some(9), 1, 1),
    ("file_system", &[("N", 2)], Some(81), 1, 1),
    ("file_system", &[("N", 5)], Some(59049), 1, 1),
    ("file_system", &[("N", 13)], None, 1, 1),
    ("file_system", &[("N", 14)], None, 10, 9),
    ("file_system", &[("N", 15)], None, 100, 81),
    ("file_system", &[("N", 16)], None, 1000, 729),
    ("file_system", &[("N", 17)], None, 10000, 6561),
    ("indexer", &[("N", 1)], Some(5), 1, 1),
    ("indexer", &[("N", 2)], Some(25), 1, 1),
    ("indexer", &[("N", 6)], Some(15625), 1, 1),
    ("indexer", &[("N", 11)], None, 1, 1),
    ("indexer", &[("N", 12)], None, 9, 9),
    ("indexer", &[("N", 13)], None, 81, 81),
    ("indexer", &[("N", 14)], None, 729, 729),
    ("indexer", &[("N", 15)], None, 6561, 6561),
    ("indexer", &[("N", 16)], None, 59049, 59049),
    ("philosophers", &[("N", 2)], Some(11), 9, 7),
    ("philosophers", &[("N", 3)], Some(36), 27, 17),
    ("philosophers", &[("N", 4)], Some(119), 94, 57),
    ("philosophers", &[("N", 5)], Some(393), 295, 175),
    ("philosophers", &[("N", 6)], Some(1298), 942, 511),
    ("philosophers", &[("N", 7)], Some(4287), 2955, 1493),
    ("philosophers", &[("N", 8)], Some(14159), 9212, 4343),
    ("philosophers", &[("N", 9)], Some(46764), 28675, 12563),
    // Here the paper has 16430 and 1014131 states: see the model.
    ("cmis", &[("N", 8), ("C", 2)], Some(16436), 51, 22),
    ("cmis", &[("N", 16), ("C", 4)], None, 51, 22),
    ("cmis", &[("N", 32), ("C", 8)], None, 51, 22),
];

#[test]
fn the_table_of_the_paper() {
    for &(name, constants, standard, paper, ours) in TABLE {
        if !random::long() && (standard > Some(20_000) || ours > 5_000) {
            continue;
        }
        let session = shipped::model(&format!("gueta/{name}")).load(constants);
        if let Some(standard) = standard {
            let theory = coarsen::theory("stoller-cohen").expect("shipped");
            let options = ReachOptions {
                engine: Engine::Explicit,
                ..ReachOptions::default()
            };
            let report = session.reach(&theory, &options, &Control::default());
            assert_eq!(
                report.states,
                Some(standard.to_string()),
                "{name} {constants:?}"
            );
        }
        assert!(ours <= paper);
        let (states, _) = counted(session.program(), Extend::RoundRobin, 2);
        assert_eq!(states, ours, "{name} {constants:?}");
    }
}

/// Steps taken, as in the paper: those that turn out to depend on too much included.
#[test]
fn steps_are_counted_as_in_the_paper() {
    for (name, n, steps) in [
        ("indexer", 2, 8),
        ("indexer", 11, 44),
        ("indexer", 12, 394),
        ("indexer", 13, 3528),
        ("indexer", 14, 31590),
        ("indexer", 15, 282_852),
        ("file_system", 2, 16),
        ("file_system", 13, 104),
        // Here the paper has 12 more, both times.
        ("robots", 2, 2635 - 12),
        ("robots", 3, 6387 - 12),
    ] {
        let session = shipped::model(&format!("gueta/{name}")).load(&[("N", n)]);
        let (_, counted) = counted(session.program(), Extend::RoundRobin, 1);
        assert_eq!(counted, steps, "{name} {n}");
    }
    // In the paper a thread that has ended loops, and a prefix that comes to such a loop goes round it twice, one that
    // begins there three times.
    for (name, paper) in [("shared_array", 1648), ("shared_ptr", 12785)] {
        let session = shipped::model(&format!("gueta/{name}")).load(&[]);
        let (_, counted) = counted(session.program(), Extend::RoundRobin, 1);
        let control = Control::default();
        let all = vectors(session.program(), Extend::RoundRobin, &control).expect("small");
        let rests = |run: &&Run| run.last == run.states[run.states.len() - 1..];
        let runs = all.iter().flat_map(|(_, runs)| runs).filter(rests);
        let loops = runs.map(|run| if run.states.len() == 1 { 3 } else { 2 });
        assert_eq!(counted + loops.sum::<u64>(), paper, "{name}");
    }
}

#[test]
fn the_result_does_not_depend_on_the_workers() {
    for (name, n) in [("indexer", 14), ("philosophers", 7), ("file_system", 16)] {
        let session = shipped::model(&format!("gueta/{name}")).load(&[("N", n)]);
        for extend in Extend::ALL {
            let one = counted(session.program(), extend, 1);
            for cores in [2, 5] {
                assert_eq!(counted(session.program(), extend, cores), one, "{name}");
            }
        }
    }
}

/// Example 2 of the paper: the threads of figure 2 stop in front of the accesses that collide with what the other has
/// done.
#[test]
fn figure_2() {
    let session = shipped::model("gueta/figure2").load(&[]);
    let p = session.program();
    let all = vectors(p, Extend::RoundRobin, &Control::default()).expect("small");
    let (_, first) = &all[0];
    let lines: Vec<Vec<String>> = (first.iter().enumerate())
        .map(|(t, run)| {
            let location = |s: &State| &p.threads[t].locations[s.location(t)];
            let text = |s| p.text(location(s).span);
            run.states.iter().map(text).collect()
        })
        .collect();
    assert_eq!(
        lines,
        [
            ["z = 8;", "x = 1;", "z = 42;"],
            ["q = 8;", "priv = y;", "q = 42;"]
        ]
    );
    assert!(first.iter().all(|run| !run.infinite));
    assert_eq!(all.len(), 8);
}

/// Section 4.1: of the 25 states and 40 steps of figure 5, 4 and 12 are left out.
#[test]
fn figure_5() {
    let session = shipped::model("gueta/figure5").load(&[]);
    let all = vectors(session.program(), Extend::RoundRobin, &Control::default()).expect("small");
    let (mut met, mut taken) = (BTreeSet::new(), BTreeSet::new());
    let at = |s: &State| (s.location(0), s.location(1));
    for run in all.iter().flat_map(|(_, runs)| runs) {
        let states: Vec<_> = run.states.iter().chain(&run.last).map(at).collect();
        met.extend(states.iter().copied());
        taken.extend(
            states
                .windows(2)
                .map(|w| (w[0], w[1]))
                .filter(|(a, b)| a != b),
        );
    }
    let left_out: Vec<(usize, usize)> = (0..5)
        .flat_map(|i| (0..5).map(move |j| (i, j)))
        .filter(|s| !met.contains(s))
        .collect();
    assert_eq!(left_out, [(1, 1), (1, 2), (2, 1), (2, 2)]);
    assert_eq!((met.len(), taken.len()), (21, 28));
    assert_eq!(all.len(), 14);
}

/// An invariant about two threads is seen by an observer, and the execution ends where it is violated; a question about
/// one thread needs none.
#[test]
fn observers_look_at_several_threads() {
    let source = "var z: 0..42 = 0 unprotected; var q: 0..42 = 0 unprotected;
        thread a { z = 8; z = 42; } thread b { q = 8; q = 42; }
        invariant apart: z != 8 || q != 8; reach one: at(a, end) || at(b, wrong);";
    let (session, _) = Session::load("m.cor", source, &[], ParseLimits::default()).expect("fine");
    let p = session.program();
    let ask = |name: &str, sort: Sort| {
        let expr = &p
            .properties
            .iter()
            .find(|q| q.name == name)
            .expect("there")
            .expr;
        Question {
            name: name.into(),
            sort,
            expr: expr.clone(),
        }
    };
    let por = Por::only(Technique::Cartesian);
    let explored = |q: &Question| {
        explore(
            p,
            std::slice::from_ref(q),
            &por,
            None,
            (u64::MAX, &Control::default()),
        )
    };
    let apart = ask("apart", Sort::Invariant);
    let found = explored(&apart);
    let Answer::Found(path) = &found.outcome.answers[0] else {
        panic!("{found:?}");
    };
    assert_eq!(path.moves.len(), 2);
    assert!(found.outcome.states > Some(1u32.into()));
    let one = explored(&ask("one", Sort::Find));
    assert!(matches!(&one.outcome.answers[0], Answer::Found(path) if path.moves.len() == 2));
    assert_eq!(one.outcome.states, Some(1u32.into()));
    assert!(!holds(p, &Expr::FALSE, &path.first));
}

/// A prefix ends behind a step that chooses, in front of nothing else, and each outcome is an end of its own.
#[test]
fn a_choice_ends_a_prefix_with_an_end_for_each_outcome() {
    let source = "var x: 0..9 = 0 unprotected; var y: 0..9 = 0 unprotected;
        thread a { var t: 0..4 = 0; x = 1; x = 2; havoc t; x = 3; x = 4; }
        thread b { y = 1; either { y = 2; } or { y = 3; } y = 4; }";
    let (session, _) = Session::load("m.cor", source, &[], ParseLimits::default()).expect("fine");
    let p = session.program();
    for extend in Extend::ALL {
        let all = vectors(p, extend, &Control::default()).expect("small");
        let (_, first) = &all[0];
        let shape = |run: &Run| (run.states.len(), run.last.len(), run.infinite);
        assert_eq!(shape(&first[0]), (3, 5, false), "{extend:?}");
        assert_eq!(shape(&first[1]), (2, 2, false), "{extend:?}");
        // From the ends on all is infinite: 1, then 5 and 2, then all pairs.
        assert_eq!(all.len(), 1 + 5 + 2 + 10, "{extend:?}");
        let infinite = all
            .iter()
            .filter(|(_, runs)| runs.iter().all(|r| r.infinite));
        assert_eq!(infinite.count(), 10, "{extend:?}");
    }
}

/// Threads that go round a loop for ever, or wait for what nobody does, have infinite prefixes, which have no ends; one
/// that somebody wakes has not.
#[test]
fn infinite_prefixes_have_no_ends() {
    for (source, lengths, kept) in [
        (
            "thread a { var t: 0..2 = 0; while (true) { t = 1; t = 2; } }
          thread b { y = 1; y = 0; }",
            vec![Some(3), Some(3)],
            1,
        ),
        (
            "thread a { when (x == 1) skip; } thread b { y = 1; }",
            vec![Some(1), Some(2)],
            1,
        ),
        // What b does last wakes a, so a's waiting may not be left out, nor b's end.
        (
            "thread a { when (x == 1) skip; } thread b { y = 1; x = 1; }",
            vec![None, None],
            2,
        ),
    ] {
        let source = format!("var x: 0..1 = 0 unprotected; var y: 0..1 = 0 unprotected; {source}");
        let loaded = Session::load("m.cor", &source, &[], ParseLimits::default());
        let (session, _) = loaded.expect("fine");
        let p = session.program();
        let all = vectors(p, Extend::RoundRobin, &Control::default()).expect("small");
        let infinite = |r: &Run| r.infinite.then_some(r.states.len());
        let told: Vec<Option<usize>> = all[0].1.iter().map(infinite).collect();
        assert_eq!((told, all.len()), (lengths, kept), "{source}");
    }
}

/// Each order gives vectors, and other ones.
#[test]
fn orders_keep_different_states() {
    for (name, n, states) in [
        ("philosophers", 5, [175, 155, 269]),
        ("indexer", 13, [81, 100, 144]),
        ("file_system", 15, [81, 81, 64]),
        ("robots", 2, [56, 52, 63]),
    ] {
        let session = shipped::model(&format!("gueta/{name}")).load(&[("N", n)]);
        let told = Extend::ALL.map(|extend| counted(session.program(), extend, 1).0);
        assert_eq!(told, states, "{name}");
    }
}

/// The shipped models that are too large for what the others are put through: what their headers expect is counted
/// state by state.
#[test]
fn large_models_meet_what_they_expect() {
    for model in shipped::large() {
        let session = model.load(&[]);
        let theory = coarsen::theory("stoller-cohen").expect("shipped");
        let options = ReachOptions {
            engine: Engine::Explicit,
            ..ReachOptions::default()
        };
        let report = session.reach(&theory, &options, &Control::default());
        assert_eq!(report.verdict, Verdict::Holds, "{}", model.name);
        let states = report.states.expect("counted");
        let line = format!("expect original {states};");
        assert!(model.source.contains(&line), "{}: {states}", model.name);
    }
}
