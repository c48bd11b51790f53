//! Invariants: what they find, and random ones against every interleaving.

use super::random::FAMILIES;
use super::support::{Dice, HEAD, Scratch, make, possible, run, settings};
use coarsen::ctest::explore::{Exploration, Settings};
use coarsen::ctest::shorten::{follow, schedule};

/// The violations: the step that breaks the invariant, and which it is.
fn violations(e: &Exploration) -> Vec<(&'static str, u64, u64)> {
    let mut found: Vec<_> = e.errors.iter().map(|e| (e.kind, e.pc, e.addr)).collect();
    found.sort_unstable();
    found
}

#[test]
fn invariants_with_known_answers() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("invariants");
    // Name, what is at the outermost level, what the other thread does, what `main` does, executions, violations.
    for (name, outside, other, main, executions, violated) in [
        (
            "ordered",
            "COARSEN_INVARIANT(x >= y)",
            "y = 1;",
            "x = 1;",
            2,
            1,
        ),
        (
            "never_both",
            "COARSEN_INVARIANT(!(x && y))",
            "y = 1; y = 0;",
            "x = 1; x = 0;",
            6,
            2,
        ),
        (
            "one_at_a_time",
            "COARSEN_INVARIANT(x < 2) COARSEN_INVARIANT(y < 2)",
            "y = 1;",
            "x = 1;",
            1,
            0,
        ),
        // What is read depends on what was written.
        (
            "by_turns",
            "COARSEN_INVARIANT(!x || !y)",
            "y = 1; y = 0;",
            "x = 1; x = 0;",
            6,
            2,
        ),
        ("at_first", "COARSEN_INVARIANT(x)", "", "", 1, 1),
        (
            "locked",
            "COARSEN_INVARIANT(x == y || held)",
            "lock(m); held = 1; x++; y++; held = 0; unlock(m);",
            "lock(m); held = 1; x++; y++; held = 0; unlock(m);",
            2,
            0,
        ),
        (
            "in_a_region",
            "COARSEN_INVARIANT(x == y)",
            "coarsen_atomic_begin(); x++; y++; coarsen_atomic_end();",
            "",
            1,
            0,
        ),
        (
            "not_in_a_region",
            "COARSEN_INVARIANT(x == y)",
            "x++; y++;",
            "",
            1,
            1,
        ),
        (
            "from_there",
            "int f(void) { return !x; }",
            "x = 1; x = 0;",
            "coarsen_invariant(f);",
            3,
            2,
        ),
    ] {
        let text = format!(
            "{HEAD}#include \"coarsen.h\"\nint x, y, held; pthread_mutex_t m;\n{outside}\n\
             void *t(void *_) {{ {other} return 0; }}\n\
             int main() {{ pthread_t h; go(h, t); {main} end(h); return 0; }}\n"
        );
        let program = make(&scratch.file(name, &text), &[]);
        for exhaustive in [false, true] {
            let settings = Settings {
                exhaustive,
                ..settings()
            };
            let e = run(&program, &settings);
            assert!(e.limits.is_empty(), "{name}: {:?}", e.limits);
            let classes = if exhaustive {
                e.classes.len() as u64
            } else {
                e.executions
            };
            assert_eq!((classes, e.errors.len()), (executions, violated), "{text}");
            assert!(e.errors.iter().all(|e| e.kind == "invariant"), "{text}");
        }
    }
}

#[test]
fn invariants_only_read() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("invariants-write");
    for (name, body) in [
        ("writes", "x = 1; return 1;"),
        ("updates", "return a++ == 0;"),
        ("locks", "lock(m); unlock(m); return 1;"),
        ("frees", "free(p); return 1;"),
    ] {
        let text = format!(
            "{HEAD}#include \"coarsen.h\"\nint x; atomic_int a; pthread_mutex_t m; void *p;\nint f(void) {{ {body} }}\n\
             int main() {{ p = malloc(1); coarsen_invariant(f); return 0; }}\n"
        );
        let program = make(&scratch.file(name, &text), &[]);
        let e = run(&program, &settings());
        assert_eq!(e.errors.len(), 1, "{text}");
        assert_eq!(e.errors[0].kind, "misuse", "{text}");
        assert!(e.errors[0].message.contains("only read"), "{text}");
    }
}

/// An invariant is broken, and another one by the thread that goes wrong next; then nobody can go on.
#[test]
fn what_comes_behind_a_violation_is_repeated() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("invariants-behind");
    let text = format!(
        "{HEAD}#include \"coarsen.h\"\nint x, y; pthread_mutex_t m; COARSEN_INVARIANT(!x) COARSEN_INVARIANT(!y)\n\
         void *t(void *_) {{ y = 1; abort(); }}\nint main() {{ pthread_t h; x = 1; BODY }}\n"
    );
    for (body, kinds) in [
        ("lock(m); lock(m);", ["deadlock", "invariant"].as_slice()),
        (
            "go(h, t); end(h); return 0;",
            &["abort", "invariant", "invariant"],
        ),
    ] {
        let program = make(&scratch.file("behind", &text.replace("BODY", body)), &[]);
        let mut found = run(&program, &settings());
        let mut all = std::mem::take(&mut found.errors);
        all.append(&mut found.stuck);
        let mut told: Vec<&str> = all.iter().map(|e| e.kind).collect();
        told.sort_unstable();
        assert_eq!(told, kinds);
        let mut process = super::Process::start(&program.path, &[], false).expect("it starts");
        for error in &all {
            let orders = schedule(&error.steps);
            let again = follow(&mut process, &settings(), &orders, error.after);
            let again = again.and_then(|o| o.shows(error)).expect("the same error");
            assert_eq!((again.key(), again.after), (error.key(), error.after));
        }
    }
}

#[test]
fn violations_are_repeated() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("invariants-replay");
    let text = format!(
        "{HEAD}#include \"coarsen.h\"\nint x, y; COARSEN_INVARIANT(!(x && y))\nvoid *t(void *_) {{ x = 1; x = 0; \
         return 0; }}\nint main() {{ pthread_t h; go(h, t); y = 1; y = 0; end(h); return 0; }}\n"
    );
    let program = make(&scratch.file("replay", &text), &[]);
    let found = run(&program, &settings());
    let mut process = super::Process::start(&program.path, &[], false).expect("it starts");
    assert_eq!(found.errors.len(), 2);
    for error in &found.errors {
        assert_eq!(error.message, "!(x && y)");
        let orders = schedule(&error.steps);
        for _ in 0..20 {
            let again = follow(&mut process, &settings(), &orders, error.after).expect("an answer");
            let again = again.shows(error).expect("the same error");
            assert_eq!(again.steps.len(), error.steps.len());
        }
    }
}

/// Expressions; some read other variables only where the first have certain values.
const EXPRESSIONS: &[&str] = &[
    "x[0] + x[1] < 2",
    "!(x[J] && a[K])",
    "x[0] <= a[0] + 1",
    "!x[J] || !x[K] || !x[2]",
    "x[J] ? x[K] < 1 : a[0] < 2",
    "a[0] + a[1] < 1 && x[J] < 1",
    "*p < 2",
    "x[2] < 1",
];

#[test]
fn random_invariants_against_every_interleaving() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("invariants-random");
    let mut dice = Dice::seeded(0x1234_5678_9ABC_DEF1);
    let (mut compared, mut violated) = (0, 0);
    let families = FAMILIES.iter().filter(|f| {
        [
            "memory",
            "atomics",
            "mutexes",
            "trylock",
            "semaphores",
            "barriers",
            "polling",
        ]
        .contains(&f.0)
    });
    for (family, statements) in families {
        for round in 0..crate::random::cases(6) {
            let mut text = super::random::random_program(&mut dice, statements, false);
            let expression = |dice: &mut Dice| {
                let j = dice.roll(2);
                let expression = EXPRESSIONS[dice.roll(EXPRESSIONS.len() as u64) as usize];
                expression
                    .replace('J', &j.to_string())
                    .replace('K', &(1 - j).to_string())
            };
            let (first, second) = (expression(&mut dice), expression(&mut dice));
            let at = text.find("void *t0").expect("threads");
            let invariants = format!(
                "#include \"coarsen.h\"\nint *p = &x[1];\nCOARSEN_INVARIANT({first})\nint holds(void) {{ return \
                 {second}; }}\n"
            );
            text.insert_str(at, &invariants);
            // Registered before or while the others run.
            let (before, place) = if round % 2 == 0 {
                ("int main() {", " sem_init")
            } else {
                ("", "t0(0);")
            };
            let registered = format!("{before} coarsen_invariant(holds); {place}");
            text = text.replace(&format!("{before}{place}"), &registered);
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
            violated += reduced
                .errors
                .iter()
                .filter(|e| e.kind == "invariant")
                .count();
            assert_eq!(violations(&reduced), violations(&every), "{text}");
            assert_eq!(reduced.executions, every.classes.len() as u64, "{text}");
        }
    }
    assert!(
        crate::random::enough(compared, 20),
        "only {compared} programs were small enough"
    );
    assert!(
        crate::random::enough(violated, 10),
        "only {violated} violations"
    );
}
