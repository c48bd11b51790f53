//! `cas`, `fetch_add` and `swap`: each step is the one that `atomic { .. }` spells out. `choose` is the `either` that
//! spells it out.

use coarsen::base::control::{Control, ParseLimits};
use coarsen::engine::explore;
use coarsen::results::Status;
use coarsen::{CheckOptions, Session, theory};
use proptest::prelude::*;

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

/// A result is put back where the assertion that reads it fails, too.
#[test]
fn results_are_put_back_where_an_assertion_fails() {
    let of = |body: &str| {
        format!(
            "var x: 0..3 = 0; proc f(n: 0..3): 0..3 {{ return n + 1; }}
             thread w {{ var t: 0..3 = 0; havoc x; {body} }} thread o {{ skip; }}"
        )
    };
    let states = |source: &str| explore(loaded(source).program(), &Control::default());
    let short = states(&of("assert(f(x % 2) == 1);")).expect("few states");
    let long = "t = x % 2 + 1; if (t == 1) { t = 0; } else atomic { t = 0; assert(false); }";
    let long = states(&of(long)).expect("few states");
    let other = "t = f(x % 2); atomic { if (t == 1) { t = 0; } else { t = 0; assert(false); } }";
    let other = states(&of(other)).expect("few states");
    assert_eq!((short.states, short.states), (other.states, long.states));
}

#[test]
fn a_choice_is_told_as_one() {
    let source = "var a[2]: 0..2 = 0; thread t { choose a[0] in 0..1; }";
    let Err(found) = Session::load("m.cor", source, &[], ParseLimits::default()) else {
        panic!("accepted");
    };
    assert!(
        found[0].expected.contains("`in`") && found[0].help.contains("without an index"),
        "{found:?}"
    );
}

/// A variable of the random steps: `x`, `y`, `a[0]`, `a[1]`, `t`, each modulo 4.
const NAMES: [&str; 5] = ["x", "y", "a[0]", "a[1]", "t"];

/// A random expression: a number, or a truth value.
#[derive(Clone, Debug)]
enum Random {
    Number(i64),
    Read(usize),
    Plus(Box<Random>, Box<Random>),
    Choice(Box<Random>, Box<Random>, Box<Random>),
    Add(usize, Box<Random>),
    Swap(usize, Box<Random>),
    Ok,
    Less(Box<Random>, Box<Random>),
    Not(Box<Random>),
    And(Box<Random>, Box<Random>),
    Or(Box<Random>, Box<Random>),
    Implies(Box<Random>, Box<Random>),
    Cas(usize, Box<Random>, Box<Random>),
}

impl Random {
    fn text(&self) -> String {
        match self {
            Random::Number(n) => n.to_string(),
            Random::Read(v) => NAMES[*v].to_string(),
            Random::Plus(a, b) => format!("({} + {})", a.text(), b.text()),
            Random::Choice(c, a, b) => format!("({} ? {} : {})", c.text(), a.text(), b.text()),
            Random::Add(v, e) => format!("fetch_add({}, {})", NAMES[*v], e.text()),
            Random::Swap(v, e) => format!("swap({}, {})", NAMES[*v], e.text()),
            Random::Ok => "ok".to_string(),
            Random::Less(a, b) => format!("({} < {})", a.text(), b.text()),
            Random::Not(a) => format!("!{}", a.text()),
            Random::And(a, b) => format!("({} && {})", a.text(), b.text()),
            Random::Or(a, b) => format!("({} || {})", a.text(), b.text()),
            Random::Implies(a, b) => format!("({} => {})", a.text(), b.text()),
            Random::Cas(v, a, b) => format!("cas({}, {}, {})", NAMES[*v], a.text(), b.text()),
        }
    }

    /// Its value where the variables have these, truth values being 0 and 1, and what is written then.
    fn value(&self, at: &[i64; 5], writes: &mut Vec<(usize, i64)>) -> i64 {
        match self {
            Random::Number(n) => *n,
            Random::Read(v) => at[*v],
            Random::Ok => 1,
            Random::Plus(a, b) => a.value(at, writes) + b.value(at, writes),
            Random::Less(a, b) => i64::from(a.value(at, writes) < b.value(at, writes)),
            Random::Not(a) => 1 - a.value(at, writes),
            Random::Choice(c, a, b) if c.value(at, writes) == 1 => a.value(at, writes),
            Random::Choice(_, _, b) => b.value(at, writes),
            Random::And(a, b) if a.value(at, writes) == 1 => b.value(at, writes),
            Random::Or(a, b) if a.value(at, writes) == 0 => b.value(at, writes),
            Random::Implies(a, b) if a.value(at, writes) == 1 => b.value(at, writes),
            Random::And(..) => 0,
            Random::Or(..) | Random::Implies(..) => 1,
            Random::Add(v, e) => {
                writes.push((*v, at[*v] + e.value(at, &mut Vec::new())));
                at[*v]
            }
            Random::Swap(v, e) => {
                writes.push((*v, e.value(at, &mut Vec::new())));
                at[*v]
            }
            Random::Cas(v, old, new) => {
                let same = at[*v] == old.value(at, &mut Vec::new());
                if same {
                    writes.push((*v, new.value(at, &mut Vec::new())));
                }
                i64::from(same)
            }
        }
    }
}

/// Numbers and truth values of some depth. Operands read few variables, lest most steps read what they write.
fn random(depth: u32) -> (BoxedStrategy<Random>, BoxedStrategy<Random>) {
    let number = (0..4i64).prop_map(Random::Number);
    let operand = prop_oneof![3 => number.clone(), 1 => (0..5usize).prop_map(Random::Read)];
    let (one, two) = (
        operand.clone().prop_map(Box::new),
        operand.prop_map(Box::new),
    );
    let read = (0..5usize).prop_map(Random::Read);
    let add = (0..4usize, one.clone()).prop_map(|(v, e)| Random::Add(v, e));
    let swap = (0..4usize, one.clone()).prop_map(|(v, e)| Random::Swap(v, e));
    let cas = (0..4usize, one, two).prop_map(|(v, old, new)| Random::Cas(v, old, new));
    let numbers = prop_oneof![number, read, add, swap].boxed();
    let truths = prop_oneof![1 => Just(Random::Ok), 3 => cas].boxed();
    if depth == 0 {
        return (numbers, truths);
    }
    let (n, b) = random(depth - 1);
    let (n, b) = (n.prop_map(Box::new).boxed(), b.prop_map(Box::new).boxed());
    let pair = |s: &BoxedStrategy<Box<Random>>| (s.clone(), s.clone());
    let numbers = prop_oneof![
        1 => numbers,
        1 => pair(&n).prop_map(|(a, b)| Random::Plus(a, b)),
        1 => (b.clone(), n.clone(), n.clone()).prop_map(|(c, a, b)| Random::Choice(c, a, b)),
    ];
    let truths = prop_oneof![
        1 => truths,
        1 => pair(&n).prop_map(|(a, b)| Random::Less(a, b)),
        1 => b.clone().prop_map(Random::Not),
        2 => pair(&b).prop_map(|(a, b)| Random::And(a, b)),
        2 => pair(&b).prop_map(|(a, b)| Random::Or(a, b)),
        1 => pair(&b).prop_map(|(a, b)| Random::Implies(a, b)),
    ];
    (numbers.boxed(), truths.boxed())
}

/// The step with an expression, where the variables are behind it if it is taken where they are as given, and whether
/// it goes wrong. `form` says what kind of step.
fn step(form: usize, number: &Random, truth: &Random, at: [i64; 5]) -> (String, [i64; 5], bool) {
    let (mut after, mut writes) = (at, Vec::new());
    let e = if form < 2 { number } else { truth };
    let value = e.value(&at, &mut writes);
    let (mut fails, e) = (false, e.text());
    let text = match form {
        0 => {
            after[4] = value.rem_euclid(4);
            format!("t = {e};")
        }
        1 => {
            after[2] = value.rem_euclid(4);
            format!("a[0] = {e};")
        }
        2 => {
            after[4] = if value == 1 { 3 } else { 2 };
            format!("atomic {{ if ({e}) {{ t = 3; }} else {{ t = 2; }} }}")
        }
        3 => {
            after[4] = if value == 1 { 3 } else { 2 };
            format!("if ({e}) {{ t = 3; }} else {{ t = 2; }}")
        }
        _ => {
            fails = value == 0;
            format!("assert({e});")
        }
    };
    for (v, value) in writes {
        after[v] = value.rem_euclid(4);
    }
    (text, after, fails)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_global_rejects: 4000, ..ProptestConfig::default() })]

    /// All that a step reads is read first; then it writes, and then what is evaluated has its effects.
    #[test]
    fn random_steps_do_what_is_said(
        (number, truth) in { let (n, b) = random(2); (n, b) },
        form in 0..5usize,
        at in prop::array::uniform5(0..4i64),
    ) {
        let (text, after, fails) = step(form, &number, &truth, at);
        let [x, y, a0, a1, t] = at;
        let there = |at: [i64; 5]| {
            let [x, y, a0, a1, t] = at;
            format!("x == {x} && y == {y} && a[0] == {a0} && a[1] == {a1} && w.t == {t}")
        };
        let end = if fails { "wrong" } else { "done" };
        let source = format!(
            "var x: mod 4 = {x}; var y: mod 4 = {y}; var a[2]: mod 4 = [{a0}, {a1}];
             thread w {{ var t: mod 4 = {t}; var ok: bool = true; {text} done: skip; }}
             invariant so: at(w, {end}) => {}; reach there: at(w, {end});
             invariant only: at(w, wrong) => {fails};", there(after)
        );
        match Session::load("m.cor", &source, &[], ParseLimits::default()) {
            Err(found) => {
                prop_assert!(found.iter().all(|d| d.code == "E0224"), "{}: {:?}", source, found);
                prop_assume!(false);
            }
            Ok((session, _)) => {
                let theory = theory("stoller-cohen").expect("shipped");
                let report = session.check(&theory, &CheckOptions::default(), &Control::default());
                for name in ["so", "there", "only"] {
                    let p = report.properties.iter().find(|p| p.name == name).expect("declared");
                    prop_assert_eq!(p.verdict, Status::Holds, "{}: {}", name, source);
                }
            }
        }
    }
}
