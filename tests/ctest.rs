//! C programs: known verdicts and counts, the programs of the thesis, replays, and random programs against every interleaving.

use coarsen::ctest::compile::{NotBuilt, Program, Sources, build};
use coarsen::ctest::explore::{Exploration, Settings, Watch, explore};
use coarsen::ctest::process::Process;
use coarsen::ctest::shared;
use coarsen::ctest::shorten::{follow, schedule, shorten};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

const HEAD: &str = "#define _GNU_SOURCE\n#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n#include <sched.h>\n\
    #include <semaphore.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n\
    #define lock(m) pthread_mutex_lock(&(m))\n#define unlock(m) pthread_mutex_unlock(&(m))\n\
    #define go(h, f) pthread_create(&(h), 0, f, 0)\n#define end(h) pthread_join(h, 0)\n";

struct Nobody;

impl Watch for Nobody {
    fn progress(&self, _: &Exploration) {}
    fn stop(&self) -> Option<String> {
        None
    }
}

fn settings() -> Settings {
    Settings {
        keep_going: true,
        exhaustive: false,
        preemptions: None,
        executions: 200_000,
        steps: 3000,
        threads: 256,
        memory: 1 << 30,
        patience: Duration::from_secs(2),
        reset: true,
        cores: 2,
    }
}

/// Whether C programs can be built here; says loudly if not.
fn possible() -> bool {
    let there = |tool| {
        let version = std::process::Command::new(tool).arg("--version").output();
        version.is_ok()
    };
    let all = there("gcc") && there("objcopy") && cfg!(target_arch = "x86_64");
    if !all {
        eprintln!("C PROGRAMS ARE NOT TESTED: gcc or objcopy is not there, or this is no x86-64");
    }
    all
}

fn make(file: &Path, cflags: &[&str]) -> Program {
    let sources = Sources {
        files: vec![file.display().to_string()],
        cflags: cflags.iter().map(ToString::to_string).collect(),
        compiler: None,
    };
    match build(&sources) {
        Ok(program) => program,
        Err(error) => panic!("{}: {error:?}", file.display()),
    }
}

fn run(program: &Program, settings: &Settings) -> Exploration {
    let settings = Settings {
        reset: settings.reset && program.reset,
        ..settings.clone()
    };
    let mut process = Process::start(&program.path, &[], false).expect("it starts");
    explore(&mut process, &settings, &Nobody)
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let at = std::env::temp_dir().join(format!("coarsen-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&at).expect("a directory");
        Scratch(at)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let at = self.0.join(format!("{name}.c"));
        std::fs::write(&at, text).expect("a file");
        at
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

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

#[test]
fn programs_with_known_counts() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("suite");
    let mut wrong = String::new();
    let mut programs = 0;
    for part in include_str!("ctest/suite.txt").split("\n== ").skip(1) {
        let (head, text) = part.split_once('\n').expect("a program");
        let words: Vec<&str> = head.splitn(4, ' ').collect();
        let &[name, verdict, executions, ..] = words.as_slice() else {
            panic!("{head}");
        };
        programs += 1;
        let program = make(&scratch.file(name, &format!("{HEAD}{text}")), &[]);
        for reset in [true, false] {
            let e = run(
                &program,
                &Settings {
                    reset,
                    executions: 20_000,
                    ..settings()
                },
            );
            let open = !e.limits.is_empty()
                || !program.uncontrolled.is_empty()
                || e.sampled & shared::SAMPLED_NONDET != 0;
            let found = match (e.errors.is_empty(), open) {
                (false, _) => "refuted",
                (true, true) => "unknown",
                (true, false) => "holds",
            };
            let kinds: Vec<&str> = e.errors.iter().map(|e| e.kind).collect();
            let same = found == verdict
                && (executions == "-" || executions == e.executions.to_string())
                && words.get(3).is_none_or(|&kind| kinds.contains(&kind));
            if !same {
                let _ = writeln!(
                    wrong,
                    "{head}: {found} {} {kinds:?} {:?}",
                    e.executions, e.limits
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(programs, 55);
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
    let short = shorten(&mut process, &settings, first);
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
            "local",
            "__thread int x; int main() { x = 1; return 0; }",
            "__thread",
        ),
    ] {
        let file = scratch.file(name, text);
        let sources = Sources {
            files: vec![file.display().to_string()],
            cflags: vec![],
            compiler: None,
        };
        match build(&sources) {
            Err(NotBuilt::Refused(why)) => assert!(why.contains(what), "{why}"),
            other => panic!("{name}: {other:?}"),
        }
    }
    let text = "int main() { int r; asm volatile(\"mov $1, %0\" : \"=r\"(r)); return r - 1; }";
    let program = make(&scratch.file("assembly", text), &[]);
    assert!(program.uncontrolled[0].contains("inline assembly"));
}

/// Random numbers (xorshift), the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % n
    }
}

/// Statements that a family of random programs is made of; `J` and `K` are 0 and 1 or 1 and 0, `V` is 0 or 1.
const FAMILIES: &[(&str, &[&str])] = &[
    ("memory", &["int V1 = x[J];", "x[J] = V;", "x[J]++;"]),
    (
        "atomics",
        &[
            "(void)a[J];",
            "a[J] = V;",
            "atomic_fetch_add(&a[J], 1);",
            "{ int e = V; atomic_compare_exchange_strong(&a[J], &e, 1 - V); }",
            "x[J] = V;",
        ],
    ),
    (
        "mutexes",
        &[
            "lock(m[J]); unlock(m[J]);",
            "lock(m[J]); lock(m[K]); unlock(m[K]); unlock(m[J]);",
            "lock(m[J]); x[2]++; unlock(m[J]);",
        ],
    ),
    (
        "trylock",
        &[
            "lock(m[J]); unlock(m[J]);",
            "if (!pthread_mutex_trylock(&m[J])) unlock(m[J]);",
            "x[J] = V;",
        ],
    ),
    (
        "semaphores",
        &[
            "sem_post(&s);",
            "sem_wait(&s);",
            "sem_trywait(&s);",
            "x[J] = V;",
        ],
    ),
    (
        "conditions",
        &[
            "lock(m[0]); pthread_cond_wait(&c, &m[0]); unlock(m[0]);",
            "pthread_cond_signal(&c);",
            "pthread_cond_broadcast(&c);",
            "lock(m[0]); unlock(m[0]);",
        ],
    ),
    (
        "timed",
        &[
            "lock(m[0]); pthread_cond_timedwait(&c, &m[0], &ts); unlock(m[0]);",
            "pthread_cond_signal(&c);",
            "lock(m[0]); unlock(m[0]);",
        ],
    ),
    (
        "rwlocks",
        &[
            "pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);",
            "pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l);",
            "if (!pthread_rwlock_trywrlock(&l)) pthread_rwlock_unlock(&l);",
        ],
    ),
    (
        "barriers",
        &[
            "if (pthread_barrier_wait(&b)) x[0] = V;",
            "x[J] = V;",
            "(void)a[J];",
        ],
    ),
    (
        "spinning",
        &[
            "while (a[J] == V);",
            "a[J] = V;",
            "atomic_fetch_add(&a[J], 1);",
            "while (a[J] == 0 && a[K] != 1) sched_yield();",
        ],
    ),
    (
        "polling",
        &[
            "while (pthread_mutex_trylock(&m[J])); unlock(m[J]);",
            "lock(m[0]); while (!x[0]) { unlock(m[0]); lock(m[0]); } unlock(m[0]);",
            "lock(m[0]); x[0] = 1; unlock(m[0]);",
            "lock(m[J]); unlock(m[J]);",
        ],
    ),
    (
        "locks_by_hand",
        &[
            "for (;;) { int e = 0; if (atomic_compare_exchange_strong(&a[J], &e, 1)) break; } a[J] = 0;",
            "while (atomic_exchange(&a[J], 1)); a[J] = 0;",
            "x[J] = V;",
        ],
    ),
];

fn random_program(dice: &mut Dice, statements: &[&str]) -> String {
    let threads = 2 + dice.roll(2) as usize;
    let mut text = format!(
        "{HEAD}int x[3]; atomic_int a[2]; pthread_mutex_t m[2]; pthread_cond_t c; sem_t s; struct timespec ts;\n\
         pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; pthread_barrier_t b;\n"
    );
    for t in 0..threads {
        let _ = write!(text, "void *t{t}(void *_) {{ ");
        for _ in 0..1 + dice.roll(if threads == 2 { 3 } else { 1 }) {
            let j = dice.roll(2);
            let statement = statements[dice.roll(statements.len() as u64) as usize];
            let statement = statement
                .replace('J', &j.to_string())
                .replace('K', &(1 - j).to_string())
                .replace("V1", &format!("l{}", dice.0 % 100_000))
                .replace('V', &dice.roll(2).to_string());
            let _ = writeln!(text, "{statement}");
        }
        text.push_str("return 0; }\n");
    }
    let value = dice.roll(2);
    let _ = writeln!(
        text,
        "int main() {{ sem_init(&s, 0, {value}); pthread_barrier_init(&b, 0, 2); pthread_t h[3];"
    );
    for t in 1..threads {
        let _ = writeln!(text, "go(h[{t} - 1], t{t});");
    }
    text.push_str("t0(0);\n");
    for t in 1..threads {
        let _ = writeln!(text, "end(h[{t} - 1]);");
    }
    text.push_str("return 0; }\n");
    text
}

/// What an exploration says of errors and data races.
fn findings(e: &Exploration) -> Vec<String> {
    let mut found: Vec<String> = e
        .errors
        .iter()
        .map(|error| {
            let open = error.last.iter().filter(|l| l.ended == 0);
            format!(
                "{} {:x?}",
                error.kind,
                open.map(|l| (l.kind, l.pc)).collect::<Vec<_>>()
            )
        })
        .collect();
    found.extend(e.races.iter().map(|race| {
        let mut places = race.places.map(|p| p.1);
        places.sort_unstable();
        format!("race {places:x?}")
    }));
    found.sort_unstable();
    found
}

#[test]
fn random_programs_against_every_interleaving() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("random");
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut compared = 0;
    for (family, statements) in FAMILIES {
        for round in 0..4 {
            let text = random_program(&mut dice, statements);
            let program = make(&scratch.file(&format!("{family}{round}"), &text), &[]);
            let reduced = run(&program, &settings());
            let most = Settings {
                exhaustive: true,
                executions: 8_000,
                ..settings()
            };
            let every = run(&program, &most);
            if !every.limits.is_empty() {
                continue;
            }
            compared += 1;
            assert_eq!(reduced.executions, every.classes.len() as u64, "{text}");
            assert_eq!(findings(&reduced), findings(&every), "{text}");
        }
    }
    assert!(compared >= 24, "only {compared} programs were small enough");
}
