//! C programs: known verdicts and counts, the programs of the thesis, replays, and random programs against every
//! interleaving.

mod builds;
mod by_value;
mod claims;
mod cxx;
mod descriptors;
mod faint;
mod files;
mod filters;
mod formats;
mod hunt;
mod invariants;
mod movers;
mod names;
mod optimal;
mod orders;
mod pipes;
mod projects;

use coarsen::ctest::compile::Program;
use coarsen::ctest::explore::{Exploration, Settings, explore};
use coarsen::ctest::process::Process;
use coarsen::ctest::shared;
use coarsen::ctest::shorten::{follow, schedule, shorten};
use coarsen::ctest::trace::Extras;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::*;

mod foreign;
mod random;
mod robust;
mod support;
mod values;
mod waiting;
mod written;

fn thesis(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/florian/{name}.c"))
}

/// Executions, redundant ones, and the kinds of errors.
fn counted(program: &Program, settings: &Settings) -> (u64, u64, Vec<&'static str>) {
    let e = run(program, settings);
    assert!(e.limits.is_empty(), "{:?}", e.limits);
    (
        e.executions,
        e.redundant,
        e.errors.iter().map(|e| e.kind).collect(),
    )
}

/// A program of a suite: what is expected of it, and its text.
struct Case<'a> {
    name: &'a str,
    verdict: &'a str,
    executions: &'a str,
    kind: Option<&'a str>,
    text: &'a str,
}

/// The programs of a suite: `== NAME VERDICT EXECUTIONS [KIND]`, and the text.
fn cases(suite: &str) -> Vec<Case<'_>> {
    let case = |part| -> Option<Case> {
        let (head, text) = str::split_once(part, '\n')?;
        let mut words = head.splitn(4, ' ');
        Some(Case {
            name: words.next()?,
            verdict: words.next()?,
            executions: words.next()?,
            kind: words.next(),
            text,
        })
    };
    let parts = suite.split("\n== ").skip(1);
    parts.map(|part| case(part).expect(part)).collect()
}

/// What is wrong with an exploration of a case, if anything.
fn wrong(case: &Case, program: &Program, e: &Exploration) -> Option<String> {
    let open = !e.limits.is_empty()
        || !program.uncontrolled.is_empty()
        || e.sampled & shared::SAMPLED_NONDET != 0;
    let found = match (e.errors.is_empty(), open) {
        (false, _) => "refuted",
        (true, true) => "unknown",
        (true, false) => "holds",
    };
    let kinds: Vec<&str> = e.errors.iter().map(|e| e.kind).collect();
    let same = found == case.verdict
        && (case.executions == "-" || case.executions == e.executions.to_string())
        && case.kind.is_none_or(|kind| kinds.contains(&kind));
    (!same).then(|| {
        format!(
            "{} {} {}: {found} {} {kinds:?} {:?}\n",
            case.name, case.verdict, case.executions, e.executions, e.limits
        )
    })
}

#[test]
fn programs_with_known_counts() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("suite");
    let (mut errors, mut held) = (String::new(), Held::default());
    let cases = cases(include_str!("ctest/suite.txt"));
    for (_, case) in cases
        .iter()
        .enumerate()
        .filter(|(n, _)| crate::random::picked(*n))
    {
        let text = format!("{HEAD}{}", case.text);
        let program = make(&scratch.file(case.name, &text), &[]);
        for reset in [true, false] {
            let settings = Settings {
                reset,
                executions: 20_000,
                ..settings()
            };
            let found = run(&program, &settings);
            errors.extend(wrong(case, &program, &found));
            if written::reads_unwritten(&program) {
                errors += &format!("{}: what nobody has written\n", case.name);
            }
            if reset {
                // A region that waits is two steps: when it has begun is told apart there only.
                let counts = case.name != "a_lock_inside_of_a_region";
                held.hold((case.name, &program), &found, counts);
            }
        }
    }
    assert!(errors.is_empty(), "{errors}");
    assert_eq!(cases.len(), 138);
    held.finish(10);
}

#[test]
fn the_programs_of_the_thesis() {
    if !possible() {
        return;
    }
    let all = settings();
    for (n, executions) in [(11, 1), (12, 8), (13, 64), (14, 512), (15, 4096)] {
        let program = make(&thesis("indexer"), &[&format!("-DN={n}")]);
        assert_eq!(
            counted(&program, &all),
            (executions, 0, vec![]),
            "{n} threads"
        );
    }
    for (steps, executions) in [(1, 6), (2, 54)] {
        let program = make(&thesis("barrier"), &[&format!("-DSTEPS={steps}")]);
        assert_eq!(counted(&program, &all), (executions, 0, vec![]));
    }
    for (n, executions) in [(1, 6), (2, 90)] {
        let program = make(&thesis("thread_pool"), &[&format!("-DN={n}")]);
        assert_eq!(counted(&program, &all), (executions, 0, vec![]));
    }
    let program = make(&thesis("not_five"), &[]);
    assert_eq!(counted(&program, &all), (6, 0, vec!["assertion"]));
    let first = Settings {
        keep_going: false,
        ..settings()
    };
    for swapped in ["-DAS_PRINTED", "-DSWAPPED"] {
        let program = make(&thesis("producer_consumer"), &[swapped]);
        assert_eq!(run(&program, &first).errors[0].kind, "assertion");
    }
    for n in 2..=10 {
        let program = make(&thesis("queue"), &[&format!("-DN={n}")]);
        assert!(!run(&program, &first).errors.is_empty(), "{n} elements");
    }
}

#[test]
fn models_agree_with_every_interleaving() {
    if !possible() {
        return;
    }
    let mut held = Held::default();
    for (name, size) in [
        ("indexer", "-DN=1"),
        ("indexer", "-DN=2"),
        ("barrier", "-DSTEPS=1"),
        ("thread_pool", "-DN=1"),
        ("not_five", "-DNONE"),
        ("producer_consumer", "-DSWAPPED"),
        ("producer_consumer", "-DAS_PRINTED"),
        ("queue", "-DN=2"),
    ] {
        let program = make(&thesis(name), &[size]);
        let bounded = Settings {
            executions: 2_000,
            ..settings()
        };
        let found = run(&program, &bounded);
        held.hold((name, &program), &found, true);
    }
    held.finish(1);
}

#[test]
fn replays_repeat() {
    if !possible() {
        return;
    }
    let program = make(&thesis("not_five"), &[]);
    let settings = settings();
    let mut process = Process::start(&program.path, &[], false).expect("it starts");
    let found = explore(&mut process, &settings, &Nobody);
    let error = &found.errors[0];
    for reset in [false, true] {
        let settings = Settings {
            reset,
            ..settings.clone()
        };
        for _ in 0..100 {
            let orders = schedule(&error.steps);
            let again = follow(&mut process, &settings, &orders, 0).expect("an answer");
            assert!(again.shows(error).is_some());
        }
    }
    let short = shorten(&mut process, &settings, error, &|| false).expect("an answer");
    assert_eq!((short.kind, short.pc), ("assertion", error.pc));
}

/// Several threads go wrong in one execution. The last one only if others have gone wrong before; the other ones need
/// not wait for that.
const SEVERAL: &str = "sem_t gone, left; int x;
void *t(void *_) { x = 1; abort(); return 0; }
void *a(void *_) { atomic_store((atomic_int *)8, 1); return 0; }
void *u(void *_) { *(volatile int *)0 = 1; return 0; }
void *v(void *_) { sem_destroy(&gone); sem_post(&gone); return 0; }
void *w(void *_) { sem_wait(&left); if (x == 1) { char *p = malloc(1); free(p); free(p); } return 0; }
int main() { pthread_t i, j, k, l, m; sem_init(&gone, 0, 0); sem_init(&left, 0, 1);
  go(i, a); go(j, t); go(k, u); go(l, v); go(m, w); end(i); end(j); end(k); end(l); end(m); return 0; }";

#[test]
fn each_error_of_an_execution_is_found_and_repeated() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("several");
    let text = format!("{HEAD}#include <semaphore.h>\n#include <stdatomic.h>\n{SEVERAL}");
    let program = make(&scratch.file("several", &text), &[]);
    for reset in [false, true] {
        let settings = Settings {
            reset,
            ..settings()
        };
        let mut process = Process::start(&program.path, &[], false).expect("it starts");
        let found = explore(&mut process, &settings, &Nobody);
        let mut kinds: Vec<&str> = found.errors.iter().map(|e| e.kind).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, ["abort", "crash", "crash", "double free", "misuse"]);
        for error in &found.errors {
            let again = follow(
                &mut process,
                &settings,
                &schedule(&error.steps),
                error.after,
            );
            let again = again.and_then(|o| o.shows(error)).expect("the same error");
            assert_eq!(
                (again.steps.len(), again.after),
                (error.steps.len(), error.after)
            );
            let short = shorten(&mut process, &settings, error, &|| false).expect("an answer");
            // `x` is 1 only if the thread that aborts has been there.
            let after = u32::from(error.kind == "double free");
            assert_eq!((short.key(), short.after), (error.key(), after));
        }
    }
}

#[test]
fn what_can_not_be_controlled_is_named() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("refused");
    for (name, text, what) in [
        ("processes", "int main() { return fork(); }", "processes"),
        ("signals", "int main() { return raise(9); }", "signals"),
        (
            "exec",
            "int main() { return execl(\"a\", \"b\", 0); }",
            "processes",
        ),
        (
            "jumps",
            "#include <setjmp.h>\njmp_buf b; int main() { if (!setjmp(b)) longjmp(b, 1); return 0; }",
            "long jumps",
        ),
    ] {
        let program = make(&scratch.file(name, text), &[]);
        let (why, pc) = run(&program, &settings()).refused.expect(name);
        assert!(why.contains(what) && pc != 0, "{why}");
        // What is never called is no obstacle.
        let text = text.replace("int main() {", "int main(int n) { if (n == 1) return 0;");
        let program = make(&scratch.file(&format!("{name}_not"), &text), &[]);
        let e = run(&program, &settings());
        assert!(
            e.refused.is_none() && e.finished && e.limits.is_empty(),
            "{e:?}"
        );
        assert!(
            program.uncontrolled.is_empty(),
            "{:?}",
            program.uncontrolled
        );
    }
    let text = "int main() { int r; asm volatile(\"mov $1, %0\" : \"=r\"(r)); return r - 1; }";
    let program = make(&scratch.file("assembly", text), &[]);
    assert!(program.uncontrolled[0].contains("inline assembly"));
}
