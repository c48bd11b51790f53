//! Waits that count their turns, against the same programs that count nothing; loops whose count matters, against the
//! same programs without loops.

use super::random::random_program;
use super::*;

/// A statement, and what is to be the same. `AS` is a different function in each program.
const PAIRS: &[(&str, &str)] = &[
    (
        "{ int n = 0; while (a[J] == V) n++; }",
        "while (a[J] == V);",
    ),
    (
        "{ long n = V; for (;;) { if (AS(&a[J])) break; n = n * 3 + 1; } }",
        "for (;;) if (AS(&a[J])) break;",
    ),
    (
        "{ unsigned char n = 1; while (pthread_mutex_trylock(&m[J])) { n <<= 1; n ^= 3; sched_yield(); } \
         unlock(m[J]); }",
        "while (pthread_mutex_trylock(&m[J])) sched_yield(); unlock(m[J]);",
    ),
    (
        "{ int n = 0, k; short i = 5; while (a[J] == V) { n--; k = n & 7; i = k | i; } }",
        "while (a[J] == V);",
    ),
    (
        "{ for (int n = 0; n < 2 && a[J] == V; n++); }",
        "if (a[J] == V) (void)a[J];",
    ),
    (
        "{ int n = 0; while (a[J] == V) if (++n == 2) break; x[J] = n == 2; }",
        "x[J] = a[J] == V && a[J] == V;",
    ),
    (
        "{ int n = 0, i = 0; while (a[J] == V && !i) { i = n; n = 1; } x[J] = i; }",
        "x[J] = a[J] == V && a[J] == V && ((void)a[J], 1);",
    ),
    ("a[J] = V;", "a[J] = V;"),
    ("atomic_fetch_add(&a[J], 1);", "atomic_fetch_add(&a[J], 1);"),
    (
        "lock(m[J]); x[J]++; unlock(m[J]);",
        "lock(m[J]); x[J]++; unlock(m[J]);",
    ),
    ("assert(x[J] < 2);", "assert(x[J] < 2);"),
];

#[test]
fn waits_that_count_are_waits() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("faint");
    let mut dice = Dice::seeded(0xFA_1247);
    let (mut waited, mut wrong) = (0, 0);
    for round in 0..crate::random::cases(60) {
        let (counting, plain): (Vec<_>, Vec<_>) = PAIRS.iter().copied().unzip();
        let state = dice.0;
        let explored = |name: &str, statements: &[&str]| {
            let mut dice = Dice(state);
            let text = random_program(&mut dice, statements, true);
            let text = text.replacen(
                "int x[3]",
                "static int of(atomic_int *p) { return *p; }\nint x[3]",
                1,
            );
            let text = text.replace("AS(", "of(");
            let program = make(&scratch.file(&format!("{name}{round}"), &text), &[]);
            (run(&program, &settings()), text, dice.0)
        };
        let (with, text, _) = explored("counting", &counting);
        let (without, _, next) = explored("plain", &plain);
        dice.0 = next;
        assert_eq!(with.limits, without.limits, "{text}");
        assert_eq!(
            (with.executions, with.waited),
            (without.executions, without.waited),
            "{text}"
        );
        let kinds = |e: &Exploration| {
            let mut kinds: Vec<_> = e.errors.iter().map(|e| e.kind).collect();
            kinds.sort_unstable();
            (kinds, e.stuck.len())
        };
        assert_eq!(kinds(&with), kinds(&without), "{text}");
        waited += usize::from(with.waited > 0);
        wrong += usize::from(!with.errors.is_empty());
    }
    assert!(
        crate::random::enough(waited, 20),
        "only {waited} programs wait"
    );
    assert!(
        crate::random::enough(wrong, 5),
        "only {wrong} programs go wrong"
    );
}
