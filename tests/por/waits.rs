//! Threads that wait to the end, or where a race is reversed: what they would have done earlier is seen.

use super::judge::{Counts, combinations, of_tape, tape};
use super::{agree, all_find, control, loaded};
use crate::random;

use coarsen::engine::partial_order::{Por, explore};

/// Programs whose threads wait for each other, each by a few combinations in turn. (`cargo bench --bench waiting` takes
/// all of them, on many more.)
#[test]
fn programs_that_wait() {
    let all = combinations();
    let mut counts = Counts::default();
    for seed in 0..u64::from(random::cases(500)) {
        let few: Vec<Por> = (0..3)
            .map(|n| Por {
                cores: 1,
                ..all[(seed as usize + 7 * n) % all.len()].clone()
            })
            .collect();
        let (tape, luck) = tape(random::seed(seed));
        let judged = of_tape(&tape, &luck, &few, &mut counts);
        judged.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
    let seen = [
        (counts.programs, 400),
        (counts.deadlocks, 200),
        (counts.wrong, 100),
        (counts.violated, 100),
        (counts.whole, 10_000),
    ];
    let enough = |(n, least)| random::enough(n, least);
    assert!(seen.into_iter().all(enough), "{counts:?}");
}

/// A thread waits for a mutex to the end; before it was taken by the other one, its step would have violated the
/// discipline, and does not lead anywhere.
#[test]
fn a_step_that_violates_waits_where_it_is_looked_at() {
    let source = "mutex m; var x: 0..1 = 0 protected by m;
        thread p0 { lock(m); }
        thread p1 { var t: 0..1 = 0; t = 1 - t; atomic { lock(m); x = 1 - x; unlock(m); } }";
    let session = loaded(source).expect("a model");
    for por in combinations() {
        let por = Por {
            discipline: true,
            ..por
        };
        let found = explore(session.program(), &[], &por, None, (u64::MAX, &control()));
        assert!(found.outcome.violated, "{}", por.name());
    }
}

/// A thread that is disabled because of one cell was disabled because of another one before: the step that wrote that
/// comes earlier, and does not race with what the thread reads in the end.
#[test]
fn what_is_not_read_in_the_end_was_in_the_way_before() {
    for guard in ["g == 0 && x == 0", "!(g == 1 || x == 1)"] {
        all_find(
            &format!(
                "var g: 0..1 = 0 unprotected; var x: 0..1 = 0 unprotected;
                 thread p0 {{ g = 1; }} thread p1 {{ x = 1; }}
                 thread p2 {{ skip; when ({guard}) skip; assert(g == 2); }}"
            ),
            2,
        );
    }
}

/// Whoever asks for the owner of a mutex and for where a thread is does not wait for the owner alone.
#[test]
fn the_owner_of_a_mutex_does_not_decide_where_others_are() {
    for source in [
        "mutex m; thread p0 { lock(m); unlock(m); } thread p1 { skip; L: skip; } reach far: m.owner == p0 && at(p1, \
         L);",
        "mutex m; var x: 0..1 = 0 unprotected;
         thread p0 { lock(m); x = 1; x = 0; unlock(m); } thread p1 { }
         thread p2 { var t: 0..1 = 0; either { lock(m); unlock(m); } or { join(p3); t = x; assert(t == 0); } }
         thread p3 { skip; }",
    ] {
        let whole = agree(source).unwrap_or_else(|e| panic!("{e}"));
        assert!(whole > 0);
    }
}
