//! `cas`, `fetch_add` and `swap`: each step is the one that `atomic { .. }` spells out. `choose` is the `either` that
//! spells it out.

use coarsen::base::control::{Control, ParseLimits};
use coarsen::engine::explore;
use coarsen::results::Status;
use coarsen::{CheckOptions, Session, theory};

/// What a step does with operations, and spelt out; `t` and `ok` are the thread's own, `x`, `y` and `a` are shared.
const PAIRS: [(&str, &str); 19] = [
    (
        "ok = cas(x, t, t + 1);",
        "atomic { ok = x == t; if (ok) { x = t + 1; } }",
    ),
    ("t = fetch_add(x, 1);", "atomic { t = x; x = x + 1; }"),
    ("t = fetch_add(x, -1);", "atomic { t = x; x = x - 1; }"),
    ("t = swap(x, y);", "atomic { t = x; x = y; }"),
    ("swap(x, t);", "x = t;"),
    ("fetch_add(y, x);", "y = y + x;"),
    ("cas(x, 0, 2);", "atomic { if (x == 0) { x = 2; } }"),
    (
        "when (x > 0) t = swap(x, 0);",
        "when (x > 0) atomic { t = x; x = 0; }",
    ),
    (
        "if (cas(x, 0, 1)) { t = 1; } else { t = 2; }",
        "either { atomic { assume(x == 0); x = 1; } t = 1; } or { assume(x != 0); t = 2; }",
    ),
    (
        "while (swap(x, 1) == 1) { t = 0; }",
        "L: either { atomic { assume(x == 1); x = 1; } t = 0; goto L; } or { atomic { assume(x != 1); x = 1; } }",
    ),
    (
        "assert(fetch_add(x, 1) != 1);",
        "atomic { if (x != 1) { x = x + 1; } else { x = x + 1; assert(false); } }",
    ),
    (
        "ok = t == 0 && cas(x, 0, 1) || cas(y, 0, 1);",
        "atomic { if (t == 0 && x == 0) { x = 1; ok = true; } else { ok = y == 0; if (ok) { y = 1; } } }",
    ),
    (
        "ok = t == 0 ? cas(x, 0, 1) : cas(y, 0, 1);",
        "atomic { if (t == 0) { ok = x == 0; if (ok) { x = 1; } } else { ok = y == 0; if (ok) { y = 1; } } }",
    ),
    (
        "atomic { t = 1; if (!cas(a[t], 0, t)) { t = fetch_add(x, 2) + x; } }",
        "atomic { t = 1; if (a[t] != 0) { t = x + x; x = x + 2; } else { a[t] = 1; } }",
    ),
    (
        "atomic { if (cas(x, 0, 1)) { swap(y, 2); } else { fetch_add(y, 1); } t = swap(a[0], x); }",
        "atomic { if (x == 0) { x = 1; y = 2; } else { y = y + 1; } t = a[0]; a[0] = x; }",
    ),
    (
        "choose t in 0..2 where t != x;",
        "either { when (0 != x) t = 0; } or { when (1 != x) t = 1; } or { when (2 != x) t = 2; }",
    ),
    ("choose x in 1..2;", "either { x = 1; } or { x = 2; }"),
    (
        "choose y in 0..2 where a[y % 2] == y && y < 2;",
        "either { when (a[0] == 0) y = 0; } or { when (a[1] == 1) y = 1; }",
    ),
    (
        "ok = cas(x, 0, 1) && cas(y, 0, 1);",
        "atomic { ok = x == 0 && y == 0; if (x == 0) { if (y == 0) { y = 1; } x = 1; } }",
    ),
];

fn model(step: &str) -> String {
    format!(
        "var x: mod 3 = 0 unprotected; var y: 0..2 = 0 unprotected; var a[2]: 0..2 = 0 unprotected;
         thread w(i in 0..1) {{ var t: mod 3 = 0; var ok: bool = false; {step} y = i; {step} }}
         thread o {{ x = 1; havoc y; a[1] = x; }}
         reach both: x == 1 && y == 1; invariant low: x + y < 4;"
    )
}

fn loaded(source: &str) -> Session {
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    loaded.unwrap_or_else(|d| panic!("{source}\n{d:?}")).0
}

#[test]
fn each_operation_is_the_step_that_spells_it_out() {
    let theory = theory("stoller-cohen").expect("shipped");
    for (short, long) in PAIRS {
        // A label stands once in a thread.
        let second = long.replace('L', "M");
        let long = model(long).replacen(&format!("y = i; {long}"), &format!("y = i; {second}"), 1);
        let (one, other) = (loaded(&model(short)), loaded(&long));
        let states = |s: &Session| {
            explore(s.program(), &Control::default())
                .expect("few states")
                .states
        };
        assert_eq!(states(&one), states(&other), "{short}");
        let verdicts = |s: &Session| -> Vec<(String, Status)> {
            let report = s.check(&theory, &CheckOptions::default(), &Control::default());
            report
                .properties
                .into_iter()
                .map(|p| (p.name, p.verdict))
                .collect()
        };
        assert_eq!(verdicts(&one), verdicts(&other), "{short}");
    }
}

/// Declarations hide the words, which are not reserved.
#[test]
fn the_words_can_be_names() {
    let source =
        "var swap: 0..1 = 0; thread cas(i in 0..1) { var fetch_add: 0..1 = 0; fetch_add = 1;
        cas: when (swap != cas(1)) swap = fetch_add; }
        thread t { var choose: bool = false; var where: 0..1 = 0; choose = true;
          choose: choose where in 0..1 where where == 1; }";
    assert_eq!(loaded(source).program().threads.len(), 3);
}

#[test]
fn what_an_operation_can_not_be_is_told() {
    let cases = [
        ("t = swap(x, t);", "this reads `t`"),
        ("t = swap(a[t], 1);", "this reads `t`"),
        ("ok = ok && cas(x, 0, 1);", "this reads `ok`"),
        ("ok = cas(x, 0, 1) && cas(y, x, 1);", "this reads `x`"),
        ("ok = cas(x, y, 1) && cas(y, 0, 1);", "this reads `y`"),
        ("x = fetch_add(x, 1);", "this reads `x`"),
        (
            "t = fetch_add(x, fetch_add(y, 1));",
            "`fetch_add` changes a variable",
        ),
        ("when (cas(x, 0, 1)) skip;", "`cas` changes a variable"),
        ("a[swap(x, 1)] = 0;", "`swap` changes a variable"),
        (
            "assert(exists (k in 0..1) cas(x, k, 1));",
            "`cas` changes a variable",
        ),
        ("ok = cas(x, 0);", "these are no operands of `cas`"),
        ("swap(1, x);", "these are no operands of `swap`"),
        ("ok = cas(x, true, 1);", "this is a boolean"),
        ("t = swap(ok, true);", "this is a boolean"),
        ("fetch_add(ok, 1);", "this is a boolean"),
    ];
    for (step, message) in cases {
        match Session::load("m.cor", &model(step), &[], ParseLimits::default()) {
            Ok(_) => panic!("{step}: accepted"),
            Err(found) => {
                let told: Vec<&str> = found.iter().map(|d| d.message.as_str()).collect();
                assert!(told.iter().any(|m| m.contains(message)), "{step}: {told:?}");
            }
        }
    }
}

/// What a procedure returns may be one of them.
#[test]
fn a_procedure_returns_what_an_operation_gives() {
    let source = "var l: bool = false unprotected; var x: 0..2 = 0 unprotected;
        proc try_lock(): bool { return !swap(l, true); }
        thread w(i in 0..1) { var got: bool = false; got = try_lock();
          if (got) { x = x + 1; assert(x == 1); x = x - 1; l = false; } }";
    let theory = theory("stoller-cohen").expect("shipped");
    let report = loaded(source).check(&theory, &CheckOptions::default(), &Control::default());
    assert!(
        report.properties.iter().all(|p| p.verdict == Status::Holds),
        "{}",
        report.reason
    );
    let same = "var x: 0..2 = 0; proc f(): 0..2 { return fetch_add(x, 1); } thread w { x = f(); }";
    assert!(Session::load("m.cor", same, &[], ParseLimits::default()).is_err());
}

/// Calls in expressions run before the step that reads their results, which leaves nothing behind.
#[test]
fn calls_in_expressions_run_first() {
    let of = |body: &str| {
        format!(
            "var x: 0..7 = 0 unprotected; proc next(more: 0..3): 0..7 {{ return fetch_add(x, more) + more; }}
             proc is(n: 0..7): bool {{ if (n > 2) {{ return true; }} return false; }}
             thread o {{ x = 1; }} thread w {{ var y: 0..7 = 0; var b: bool = false; {body} }}"
        )
    };
    let pairs = [
        (
            "if (is(x)) { y = 1; }",
            "b = is(x); atomic { if (b) { b = false; y = 1; } else { b = false; } }",
        ),
        ("y = next(1) * 2;", "y = next(1); y = y * 2;"),
        (
            "assert(!is(x + 1));",
            "b = is(x + 1); atomic { assert(!b); b = false; }",
        ),
        (
            "atomic { if (next(2) == 2) { y = next(1) + x; } }",
            "atomic { x = x + 2; if (x == 2) { x = x + 1; y = x + x; } }",
        ),
    ];
    for (short, long) in pairs {
        let (short, long) = (of(short), of(long));
        let states = |s: &Session| {
            explore(s.program(), &Control::default())
                .expect("few states")
                .states
        };
        let (one, other) = (loaded(&short), loaded(&long));
        // `if` decides where the reference has a step more.
        let more = usize::from(short.contains("if (is(x)) { y"));
        assert!(
            states(&one).abs_diff(states(&other)) <= 8 * more,
            "{short}: {} {}",
            states(&one),
            states(&other)
        );
    }
    let cases = [
        "when (is(x)) skip;",
        "if (b && is(x)) skip;",
        "y = b ? next(1) : 0;",
        "when (b) y = next(1) + 1;",
    ];
    for body in cases {
        match Session::load("m.cor", &of(body), &[], ParseLimits::default()) {
            Ok(_) => panic!("{body}: accepted"),
            Err(found) => assert!(
                found.iter().any(|d| d.message.contains("is called here")),
                "{body}: {found:?}"
            ),
        }
    }
    let endless = "proc f(): 0..1 { if (f() == 1) { return 0; } return 1; } thread t { skip; }";
    assert!(Session::load("m.cor", endless, &[], ParseLimits::default()).is_err());
}
