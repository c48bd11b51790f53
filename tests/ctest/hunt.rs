//! Random executions: what they find is there, they find what they promise, and they follow from their numbers.

use super::formats::{coarsen, validated};
use super::{HEAD, Nobody, Scratch, make, possible, run, settings, start, thesis};
use coarsen::ctest::compile::Program;
use coarsen::ctest::explore::{Exploration, Settings};
use coarsen::ctest::hunt::{Hunt, Hunted, explore, one_in};
use std::collections::BTreeSet;

fn hunt(program: &Program, settings: &Settings, depth: u32, seed: u64) -> (Exploration, Hunted) {
    explore(
        &mut start(program, &[]),
        settings,
        Hunt { depth, seed },
        &Nobody,
    )
}

/// Writers set two variables under a lock each, readers look whether they agree: two of a hundred threads have to be
/// interrupted at one place each.
fn two_stages(scratch: &Scratch) -> Program {
    let text = format!(
        "{HEAD}int a, b; pthread_mutex_t m[2];\n\
         void *writes(void *_) {{ lock(m[0]); a = 1; unlock(m[0]); lock(m[1]); b = a + 1; unlock(m[1]); return 0; }}\n\
         void *reads(void *_) {{ lock(m[0]); int x = a; unlock(m[0]); if (!x) return 0;\n\
         lock(m[1]); int y = b; unlock(m[1]); assert(y == x + 1); return 0; }}\n\
         int main() {{ pthread_t w[51], r[50];\n\
         for (int i = 0; i < 51; i++) go(w[i], writes); for (int i = 0; i < 50; i++) go(r[i], reads);\n\
         for (int i = 0; i < 51; i++) end(w[i]); for (int i = 0; i < 50; i++) end(r[i]); return 0; }}\n"
    );
    make(&scratch.file("two_stages", &text), &[])
}

#[test]
fn an_error_among_a_hundred_threads_is_found() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("two_stages");
    let program = two_stages(&scratch);
    let found: Vec<_> = (1..4)
        .map(|cores| {
            let settings = Settings {
                keep_going: false,
                executions: 500,
                cores,
                ..settings()
            };
            let (e, hunted) = hunt(&program, &settings, 2, 1);
            let steps: Vec<_> = e.errors[0]
                .steps
                .iter()
                .map(|s| (s.thread, s.pc, s.value))
                .collect();
            assert_eq!(
                (e.errors.len(), e.errors[0].kind, e.threads),
                (1, "assertion", 102)
            );
            (
                steps,
                hunted.next,
                hunted.pairs.len(),
                hunted.both(),
                e.executions,
            )
        })
        .collect();
    assert!(
        found.iter().all(|f| *f == found[0]),
        "the number of processes makes a difference"
    );
    assert!(found[0].1 < 500);
}

#[test]
fn what_is_found_is_there_and_what_is_promised_is_found() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("promises");
    let deadlock = format!(
        "{HEAD}pthread_mutex_t m[2];\n\
         void *t(void *_) {{ lock(m[1]); lock(m[0]); unlock(m[0]); unlock(m[1]); return 0; }}\n\
         int main() {{ pthread_t h; go(h, t);\n\
         lock(m[0]); lock(m[1]); unlock(m[1]); unlock(m[0]); end(h); return 0; }}\n"
    );
    let right = format!(
        "{HEAD}int x; pthread_mutex_t m; void *t(void *_) {{ lock(m); x++; unlock(m); return 0; }}\n\
         int main() {{ pthread_t h; go(h, t); lock(m); x++; unlock(m); end(h); assert(x == 2); return 0; }}\n"
    );
    for (name, program, depth, errors) in [
        ("not_five", make(&thesis("not_five"), &[]), 2, 1),
        (
            "deadlock",
            make(&scratch.file("deadlock", &deadlock), &[]),
            2,
            1,
        ),
        ("right", make(&scratch.file("right", &right), &[]), 3, 0),
    ] {
        let all = run(&program, &settings());
        let there: BTreeSet<_> = all.errors.iter().map(|e| (e.kind, e.pc)).collect();
        assert_eq!(there.len(), errors, "{name}");
        let number = 400;
        let mut finds = 0;
        let mut met = (0, 0);
        for seed in 1..=number {
            let settings = Settings {
                executions: 1,
                cores: 1,
                ..settings()
            };
            // The first execution of a hunt does not know how long they are: two make one more.
            let two = Settings {
                executions: 2,
                ..settings
            };
            let (e, hunted) = hunt(&program, &two, depth, 2 * seed);
            assert_eq!((hunted.next, e.executions), (2 * seed + 2, 2), "{name}");
            assert!(
                e.errors.iter().all(|e| there.contains(&(e.kind, e.pc))),
                "{name}"
            );
            finds += usize::from(!e.errors.is_empty());
            met = (met.0.max(e.threads), met.1.max(e.depth));
        }
        // Half of the promise, for chance.
        let promised = number as f64 / one_in(met.0, met.1, depth) / 2.0;
        let expected = if errors > 0 { promised.max(1.0) } else { 0.0 };
        assert!(
            finds as f64 >= expected,
            "{name}: {finds} finds, {expected} expected"
        );
    }
}

/// The order of the changes is not that of the steps: here the thread that is lowered first has to go on last.
#[test]
fn who_is_lowered_first_may_go_on_last() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("last");
    let text = format!(
        "{HEAD}atomic_int s;\n\
         void *a(void *_) {{ if (s == 0) s = 1; assert(s != 4); return 0; }}\n\
         void *b(void *_) {{ if (s == 1) s = 2; if (s == 3) s = 4; return 0; }}\n\
         void *c(void *_) {{ if (s == 2) s = 3; return 0; }}\n\
         int main() {{ pthread_t h[3]; go(h[0], a); go(h[1], b); go(h[2], c);\n\
         for (int i = 0; i < 3; i++) end(h[i]); return 0; }}\n"
    );
    let program = make(&scratch.file("last", &text), &[]);
    let first = Settings {
        keep_going: false,
        executions: 20_000,
        ..settings()
    };
    let (e, _) = hunt(&program, &first, 3, 1);
    assert_eq!(e.errors.len(), 1, "{:?}", e.limits);
}

#[test]
fn a_hunt_goes_on_where_it_has_ended() {
    if !possible() {
        return;
    }
    let program = make(&thesis("thread_pool"), &[]);
    let limited = |executions| Settings {
        executions,
        ..settings()
    };
    let (first, hunted) = hunt(&program, &limited(30), 3, 1);
    assert_eq!((first.executions, hunted.next), (30, 31));
    assert_eq!(first.limits, ["30 random executions"]);
    let (_, more) = hunt(&program, &limited(30), 3, hunted.next);
    assert_eq!(more.next, 61);
    assert!(hunted.both() <= hunted.pairs.len() && !hunted.pairs.is_empty());
}

#[test]
fn hunts_are_told() {
    if !possible() {
        return;
    }
    let directory = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/models/florian"));
    let run = |args: &[&str]| coarsen(&[&["test", "--hunt"], args].concat(), directory);
    let (code, out, _) = run(&["--limit-executions", "20", "thread_pool.c"]);
    let said =
        "\nrandom executions 1 to 20 (--seed 21 goes on): each finds an error of depth 3 with a";
    assert!(code == 20 && out.contains(said), "{out}");
    let (code, out, _) = run(&[
        "--format",
        "json",
        "--seed",
        "7",
        "--bug-depth",
        "2",
        "not_five.c",
    ]);
    let value = validated(&out);
    assert_eq!(
        (code, &value["hunt"]["seed"], &value["hunt"]["depth"]),
        (10, &7.into(), &2.into())
    );
    let next = value["hunt"]["next_seed"].as_u64().expect("a number");
    assert_eq!(value["executions"].as_u64(), Some(next - 7));
    let (code, _, err) = run(&["--movers", "not_five.c"]);
    assert!(code == 2 && err.contains("--hunt is not combined"), "{err}");
    let (code, _, err) = coarsen(&["test", "--seed", "2", "not_five.c"], directory);
    assert!(code == 2 && err.contains("--hunt"), "{err}");
}
