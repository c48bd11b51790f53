//! The thesis's filters: its programs, and random ones against every interleaving.

use super::random::{FAMILIES, random_program};
use super::support::{Dice, Scratch, findings, make, possible, run, settings};
use super::thesis;
use coarsen::ctest::explore::Settings;
use coarsen::ctest::filters::Filters;

const NOT_SEEN: Filters = Filters {
    not_seen_before: true,
    super_step: false,
    local_cycles: false,
    depth: None,
};
const SUPER_STEP: Filters = Filters {
    super_step: true,
    ..NOT_SEEN
};
const ALL: Filters = Filters {
    local_cycles: true,
    ..SUPER_STEP
};
const ALONE: Filters = Filters {
    not_seen_before: false,
    ..SUPER_STEP
};

fn with(filters: Filters) -> Settings {
    Settings {
        filters: Some(filters),
        steps: 400,
        ..settings()
    }
}

/// Complete executions and all runs are those of docs/c-programs.md.
#[test]
fn runs_on_the_programs_of_the_thesis() {
    if !possible() {
        return;
    }
    for (name, size, filters, executions, runs) in [
        ("barrier", "-DSTEPS=1", NOT_SEEN, 6, 9),
        ("barrier", "-DSTEPS=1", SUPER_STEP, 6, 9),
        ("barrier", "-DSTEPS=2", SUPER_STEP, 54, 81),
        ("thread_pool", "-DN=1", NOT_SEEN, 6, 12),
        ("thread_pool", "-DN=1", SUPER_STEP, 6, 12),
        ("thread_pool", "-DN=2", NOT_SEEN, 90, 276),
        ("thread_pool", "-DN=2", SUPER_STEP, 90, 271),
        ("indexer", "-DN=1", SUPER_STEP, 1, 1),
        ("indexer", "-DN=2", SUPER_STEP, 1, 2),
        ("indexer", "-DN=3", SUPER_STEP, 1, 8),
        ("indexer", "-DN=4", SUPER_STEP, 1, 28),
        ("indexer", "-DN=2", NOT_SEEN, 1, 19),
        ("indexer", "-DN=3", ALONE, 9, 9),
    ] {
        let program = make(&thesis(name), &[size]);
        let e = run(&program, &with(filters));
        assert!(
            e.finished && e.errors.is_empty() && e.limits.is_empty(),
            "{:?}",
            e.limits
        );
        assert_eq!(
            (e.executions, e.executions + e.redundant),
            (executions, runs),
            "{name} {size}"
        );
    }
    // The queue waits actively: without local cycles its executions do not end.
    let program = make(&thesis("queue"), &[]);
    let first = Settings {
        keep_going: false,
        ..with(ALL)
    };
    assert_eq!(run(&program, &first).errors[0].kind, "assertion");
}

#[test]
fn a_bound_on_depth_is_told() {
    if !possible() {
        return;
    }
    let program = make(&thesis("barrier"), &["-DSTEPS=1"]);
    let bounded = Filters {
        depth: Some(20),
        ..NOT_SEEN
    };
    let e = run(&program, &with(bounded));
    assert!(e.cut > 0 && e.depth == 20, "{}", e.depth);
    assert_eq!(e.limits, ["executions of at most 20 steps (--depth)"]);
}

/// Programs of each family whose executions are counted exactly.
const PINNED: u32 = 2;

/// A random program. A cycle is looked for between states that the thread itself has led to. Who fails to take the lock
/// right behind a step of another thread goes on once more, so 7 executions are complete where 3 orders of the critical
/// sections would do.
#[test]
fn a_round_behind_a_step_of_another_is_no_cycle() {
    if !possible() {
        return;
    }
    let take =
        "for (;;) { int e = 0; if (atomic_compare_exchange_strong(&a, &e, 1)) break; } a = 0;";
    let text = format!(
        "#include <pthread.h>\n#include <stdatomic.h>\nint x; atomic_int a;\n\
         void *t0(void *_) {{ {take} return 0; }}\n\
         void *t1(void *_) {{ {take} {take} x = 0; return 0; }}\n\
         int main() {{ pthread_t h; pthread_create(&h, 0, t1, 0); t0(0); pthread_join(h, 0); return 0; }}\n"
    );
    let scratch = Scratch::new("round");
    let program = make(&scratch.file("round", &text), &[]);
    let plain = run(&program, &settings());
    assert_eq!((plain.executions, plain.waited), (11, 8));
    let filtered = run(&program, &with(ALL));
    assert_eq!(filtered.executions, 7);
    assert!(filtered.finished && findings(&filtered) == findings(&plain));
}

#[test]
fn filters_against_every_interleaving() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("filters");
    let mut dice = Dice::seeded(0xDEAD_BEEF_1234_5678);
    let mut compared = 0;
    for (family, statements) in FAMILIES {
        // Who waits actively is blocked without filters, and goes on with them.
        let spins = ["spinning", "polling", "locks_by_hand"].contains(family);
        let rounds = crate::random::cases(2);
        for round in 0..rounds.max(PINNED) {
            let text = random_program(&mut dice, statements, false);
            // Drawn all the same, so that the programs of further families are those of the long suite.
            if round >= rounds {
                continue;
            }
            let program = make(&scratch.file(&format!("{family}{round}"), &text), &[]);
            let reduced = run(&program, &settings());
            let errors = |e: &_| -> Vec<String> {
                let mut found = findings(e);
                found.retain(|f| !f.starts_with("race") && !f.starts_with("livelock"));
                found
            };
            for filters in [NOT_SEEN, SUPER_STEP, ALL, ALONE] {
                if spins && !filters.local_cycles {
                    continue;
                }
                let most = Settings {
                    executions: 3_000,
                    ..with(filters)
                };
                let e = run(&program, &most);
                if !e.finished || !e.limits.is_empty() {
                    continue;
                }
                compared += 1;
                assert_eq!(errors(&e), errors(&reduced), "{filters:?}\n{text}");
                // A thread that waits actively has come back to its own state: that ends the execution.
                let waited = if filters.local_cycles {
                    reduced.waited
                } else {
                    0
                };
                let expected = reduced.executions - waited;
                // Where threads wait actively there may be more (`a_round_behind_a_step_of_another_is_no_cycle`), but
                // not with these programs.
                let pinned = round < PINNED && crate::random::seed(0) == 0;
                if filters.not_seen_before && (waited == 0 || pinned) {
                    assert_eq!(e.executions, expected, "{filters:?}\n{text}");
                } else {
                    assert!(e.executions >= expected, "{filters:?}\n{text}");
                }
            }
        }
    }
    assert!(
        crate::random::enough(compared, 40),
        "only {compared} explorations were small enough"
    );
}
