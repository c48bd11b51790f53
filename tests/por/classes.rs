//! Executions are equivalent that differ in the order of independent steps: techniques that keep no states run one of
//! each class.

use super::{control, ending, loaded, naive};
use crate::{random, shipped};

use coarsen::engine::partial_order::{Por, Technique, explore};
use proptest::prelude::*;
use std::cell::Cell;

/// A thread that is disabled in the end races with what was done after it was disabled, too: before, its step may have
/// come behind that.
#[test]
fn a_disabled_thread_races_with_what_came_later() {
    let source = "var t: 0..1 = 0 unprotected; var x: 0..1 = 0 unprotected; var y: 0..1 = 0 unprotected; mutex m;
        thread p0 { when (t == 1 || x == 0) y = 0; }
        thread p1 { lock(m); x = 1 - x; unlock(m); }
        thread p2 { y = 1; }";
    let session = loaded(source).expect("a program");
    let p = session.program();
    assert_eq!(naive::classes(p, 20_000), Some(3));
    let por = Por {
        techniques: vec![Technique::SourceDpor],
        ..Por::default()
    };
    let found = explore(p, &[], &por, None, (u64::MAX, &control()));
    assert_eq!(found.executions.expect("finished").0, 3);
}

/// Sleep sets, alone or with source sets, run one complete execution of each class, and so does `not-seen-before`.
#[test]
fn one_execution_for_each_class() {
    let (counted, source, sleep) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let mut runner = random::runner(200);
    runner
        .run(&ending(2..4, 1..4), |source_text| {
            let Some(session) = loaded(&source_text) else {
                return Ok(());
            };
            let mut p = session.program().clone();
            p.protections.clear();
            let Some(classes) = naive::classes(&p, 20_000) else {
                return Ok(());
            };
            let run = |techniques: &[Technique]| {
                let por = Por {
                    techniques: techniques.to_vec(),
                    ..Por::default()
                };
                let found = explore(&p, &[], &por, None, (u64::MAX, &control()));
                found.executions.expect("finished")
            };
            for technique in [
                Technique::Sleep,
                Technique::SourceDpor,
                Technique::NotSeenBefore,
                Technique::NotSeenBeforeHashed,
            ] {
                let (executions, redundant) = run(&[technique]);
                prop_assert_eq!(executions, classes as u64, "{}", technique.name());
                match technique {
                    Technique::Sleep => sleep.set(sleep.get() + redundant),
                    Technique::SourceDpor => source.set(source.get() + redundant),
                    _ => {}
                }
            }
            let (executions, _) = run(&[Technique::SuperStep, Technique::NotSeenBefore]);
            prop_assert!(executions <= classes as u64);
            counted.set(counted.get() + 1);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(
        random::enough(counted.get(), 100),
        "{} programs were counted",
        counted.get()
    );
    let (source, sleep) = (source.get(), sleep.get());
    assert!(
        random::any_number() || source * 2 < sleep,
        "{source} superfluous by source sets, {sleep} by sleep sets"
    );
}

/// Dependence is that of the choices taken: an execution for each order of those that collide.
#[test]
fn choices_depend_on_what_they_access_only() {
    for (threads, executions) in [
        // x = 1 has nothing to do with the other thread, so only y = 1 comes before and after.
        (
            "thread a { either { x = 1; } or { y = 1; } } thread b { y = 2; }",
            3,
        ),
        (
            "thread a { either { x = 1; } or { x = 2; } } thread b { y = 2; }",
            2,
        ),
        // A compare-and-swap that fails is a read, and two of these are independent.
        (
            "thread a { atomic { if (x == 1) x = 2; } } thread b { atomic { if (x == 1) x = 3; } }",
            1,
        ),
        (
            "init x == 1; thread a { atomic { if (x == 1) x = 2; } } thread b { atomic { if (x == 1) x = 3; } }",
            2,
        ),
        // b opens another choice, which is lost if a has chosen; the order matters for that one only.
        (
            "thread a { either { x = 1; } or { when (y == 2) z = 1; } } thread b { y = 2; }",
            2,
        ),
        // An index says which cell it is.
        ("thread a { c[x] = 1; } thread b { c[1 - x] = 2; }", 1),
        ("thread a { c[x] = 1; } thread b { c[x] = 2; }", 2),
    ] {
        let cells = "var x: 0..3 unprotected; var y: 0..3 = 0 unprotected; var z: 0..3 = 0 unprotected; var c[2]: 0..3 \
            = 0 unprotected;";
        let first = if threads.starts_with("init") {
            ""
        } else {
            "init x == 0;"
        };
        let session = loaded(&format!("{cells} {first} {threads}")).expect("a model");
        let p = session.program();
        assert_eq!(
            naive::classes(p, 1000),
            Some(executions as usize),
            "{threads}"
        );
        for technique in [
            Technique::Sleep,
            Technique::SourceDpor,
            Technique::NotSeenBefore,
        ] {
            let found = explore(p, &[], &Por::only(technique), None, (u64::MAX, &control()));
            let (complete, _) = found.executions.expect("finished");
            assert_eq!(complete, executions, "{} {threads}", technique.name());
        }
    }
    // What a compare-and-swap may do in the future is a write.
    let source = "var x: 0..3 = 0 unprotected;
        thread a { atomic { if (x == 1) x = 2; } } thread b { atomic { if (x == 1) x = 3; } }";
    let session = loaded(source).expect("a model");
    let por = Por::only(Technique::Persistent);
    let found = explore(session.program(), &[], &por, None, (u64::MAX, &control()));
    assert_eq!(found.outcome.transitions, Some(4));
}

/// The indexer of Flanagan and Godefroid 2005: as many executions as there are classes, and none is superfluous.
#[test]
fn the_indexer() {
    for (n, classes) in [(2, 1), (11, 1), (12, 8), (13, 64), (14, 512), (15, 4096)] {
        let session = shipped::model("gueta/indexer").load(&[("N", n)]);
        let por = Por::only(Technique::SourceDpor);
        let found = explore(session.program(), &[], &por, None, (u64::MAX, &control()));
        assert_eq!(found.executions, Some((classes, 0)), "{n} threads");
    }
}
