//! C programs: known verdicts and counts, the programs of the thesis, replays, and random programs against every
//! interleaving.

mod builds;
mod by_value;
mod claims;
mod cxx;
mod files;
mod filters;
mod formats;
mod hunt;
mod invariants;
mod movers;
mod names;
mod optimal;
mod orders;
mod projects;

use coarsen::ctest::compile::Program;
use coarsen::ctest::explore::{Exploration, Settings, explore};
use coarsen::ctest::process::Process;
use coarsen::ctest::shared;
use coarsen::ctest::shorten::{follow, schedule, shorten};
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::*;

mod foreign;
mod random;
mod robust;
mod support;
mod values;
mod waiting;

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
            let again = follow(&mut process, &settings, &orders, false).expect("an answer");
            assert_eq!((again.error, again.pc), (shared::ASSERTION, error.pc));
        }
    }
    let first = follow(&mut process, &settings, &schedule(&error.steps), false).expect("an answer");
    let short = shorten(&mut process, &settings, first, &|| false);
    assert_eq!((short.error, short.pc), (shared::ASSERTION, error.pc));
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
