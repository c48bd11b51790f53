//! `goto` against programs that say the same without it, and the bit operators on all engines.

use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::Severity;
use coarsen::command::reach::{Engine, ReachOptions};
use coarsen::engine::{initial_candidates, successors};
use coarsen::model::program::{Location, Thread};
use coarsen::results::Verdict;
use coarsen::{CheckOptions, Session, check_source, theory};

const ENGINES: [Engine; 6] = [
    Engine::Saturation,
    Engine::Chaining,
    Engine::Worklist,
    Engine::Bdd,
    Engine::Explicit,
    Engine::Interpreter,
];

fn load(source: &str) -> Session {
    match Session::load("jumps.cor", source, &[], ParseLimits::default()) {
        Ok((session, _)) => session,
        Err(errors) => panic!("{errors:?} in\n{source}"),
    }
}

/// How a thread's locations lead to each other, in the order of a search from the first.
fn shape(thread: &Thread) -> Vec<(usize, Vec<usize>)> {
    let mut order = vec![thread.initial];
    let mut next = 0;
    let mut shape = Vec::new();
    while let Some(&at) = order.get(next) {
        next += 1;
        let location: &Location = &thread.locations[at];
        let mut targets = Vec::new();
        for edge in &location.edges {
            let one = Location {
                edges: vec![edge.clone()],
                ..location.clone()
            };
            targets.extend(one.targets());
        }
        for target in &targets {
            if !order.contains(target) {
                order.push(*target);
            }
        }
        let place = |t: &usize| order.iter().position(|o| o == t).expect("as pushed");
        shape.push((location.edges.len(), targets.iter().map(place).collect()));
    }
    shape
}

#[test]
fn jumps_make_the_graphs_of_what_they_stand_for() {
    let pairs = [
        (
            "while (x < 2) { x = x + 1; }",
            "L: if (x < 2) { x = x + 1; goto L; }",
        ),
        ("while (true) { x = 1; }", "L: x = 1; goto L;"),
        (
            "x = 1; x = 2;",
            "goto A; B: x = 2; goto C; A: x = 1; goto B; C:",
        ),
        (
            "if (x == 0) { x = 1; } else { x = 2; }",
            "if (x == 0) { goto A; } x = 2; goto B; A: x = 1; B:",
        ),
        (
            "either { x = 1; } or { x = 2; x = 3; }",
            "either { x = 1; goto B; } or { x = 2; goto A; } A: x = 3; B:",
        ),
        (
            "either { skip; x = 1; } or { skip; x = 2; }",
            "either { goto A; } or { goto B; } A: x = 1; goto C; B: x = 2; C:",
        ),
        // What is behind a jump into a loop is what is behind its body.
        (
            "L: x = 2; if (x < 2) { x = 1; goto L; }",
            "goto In; while (x < 2) { x = 1; In: x = 2; }",
        ),
        (
            "skip; x = 2; x = 3;",
            "skip; goto In; if (false) { x = 1; In: x = 2; } x = 3;",
        ),
        (
            "x = 2; x = 3;",
            "goto In; while (false) { x = 1; In: x = 2; } x = 3;",
        ),
        // Each copy of a loop, and of a procedure, has labels of its own.
        (
            "x = 1; skip; x = 2; skip;",
            "for (k in 1..2) { x = k; goto N; x = 0; N: skip; }",
        ),
        (
            "x = 1;",
            "for (k in 1..2) { for (j in 1..2) { x = k; goto Out; } } Out:",
        ),
        ("skip; x = 1; skip; x = 1;", "f(); f();"),
        // One that is left at once is left by a step where it is a branch.
        (
            "either { skip; } or { x = 1; } x = 2;",
            "either { g(); } or { x = 1; } x = 2;",
        ),
        ("either { skip; } or { x = 1; x = 2; }", "h();"),
    ];
    let procedures = "proc f() { skip; goto D; x = 0; D: x = 1; }
        proc g() { goto D; x = 3; D: }
        proc h() { either { return; } or { x = 1; } x = 2; }";
    for (plain, jumping) in pairs {
        let of = |body: &str| {
            let source = format!("var x: 0..3 = 0; {procedures} thread a {{ {body} }}");
            shape(&load(&source).program().threads[0])
        };
        assert_eq!(of(plain), of(jumping), "{jumping}");
    }
}

/// `return;` as all of a branch went on behind the `either`.
#[test]
fn a_branch_that_returns_leaves_the_procedure() {
    let source = "var x: 0..1 = 0;
        proc f() { either { return; } or { skip; } x = 1; }
        thread a { f(); }
        reach early: at(a, end) && x == 0;
        reach late: at(a, end) && x == 1;";
    let options = CheckOptions {
        cross_check: true,
        ..CheckOptions::thorough()
    };
    let report = check_source("jumps.cor", source, &options).expect("no errors");
    assert_eq!(report.verdict, Verdict::Holds, "{}", report.reason);
}

/// Nothing that is quadratic in them, and no recursion.
#[test]
fn many_jumps_are_read_quickly() {
    let mut source = String::from("thread a { skip; goto L0;");
    for n in 0..20_000 {
        source += &format!("L{n}: goto L{};", n + 1);
    }
    source += "L20000: skip; }";
    assert_eq!(load(&source).program().threads[0].locations.len(), 3);
    let source = source.replace("L20000: skip", "L20000: goto L0");
    let Err(errors) = Session::load("jumps.cor", &source, &[], ParseLimits::default()) else {
        panic!("a circle without a step")
    };
    assert!(
        errors
            .iter()
            .any(|d| d.code == "E0210" && d.severity == Severity::Error)
    );
}

/// By division and, bit by bit, from the bottom; none where the shift is undefined.
fn meaning(op: &str, x: i64, y: i64) -> Option<i64> {
    let bits = |f: fn(bool, bool) -> bool| {
        let bit = |n: i64, k: u32| n.div_euclid(1 << k).rem_euclid(2) == 1;
        let low: i64 = (0..20)
            .map(|k| i64::from(f(bit(x, k), bit(y, k))) << k)
            .sum();
        low - if f(x < 0, y < 0) { 1 << 20 } else { 0 }
    };
    match op {
        "&" => Some(bits(|a, b| a && b)),
        "|" => Some(bits(|a, b| a || b)),
        "^" => Some(bits(|a, b| a != b)),
        "<<" => (0..=62).contains(&y).then(|| x * 2i64.pow(y as u32)),
        _ => (0..=62)
            .contains(&y)
            .then(|| x.div_euclid(2i64.pow(y as u32))),
    }
}

#[test]
fn every_engine_computes_with_bits() {
    let theory = theory("stoller-cohen").expect("shipped");
    let cases = [
        ("&", -3, 5),
        ("|", -3, 5),
        ("^", -3, 5),
        ("<<", -3, 5),
        (">>", -2, 3),
        // The bound of what is defined.
        (">>", 60, 64),
    ];
    for (op, low, high) in cases {
        let source = format!(
            "var x: -6..9; var y: {low}..{high}; var r: -40..40 = 0;
                 thread a {{ r = x {op} y; Then: assert(x {op} y == r); }}"
        );
        let session = load(&source);
        let p = session.program();
        let mut expected = 0;
        for first in initial_candidates(p) {
            let (x, y) = (first.cell(0), first.cell(1));
            let steps = successors(p, &first, 0);
            let [step] = &steps[..] else {
                panic!("one step")
            };
            let fits = meaning(op, x, y).filter(|r| (-40..=40).contains(r));
            let end = p.threads[0].end;
            match fits {
                Some(r) => assert_eq!(
                    (step.state.cell(2), step.failure),
                    (r, None),
                    "{x} {op} {y}"
                ),
                None => assert!(step.failure.is_some(), "{x} {op} {y}"),
            }
            // It goes wrong at once, or comes to the end in two steps.
            expected += if fits.is_some() { 3 } else { 2 };
            for then in successors(p, &step.state, 0) {
                assert_eq!(Some(then.state.location(0)), end, "{x} {op} {y}");
            }
        }
        for engine in ENGINES {
            let options = ReachOptions {
                engine,
                ..ReachOptions::default()
            };
            let report = session.reach(&theory, &options, &Control::default());
            assert_eq!(
                report.states.as_deref(),
                Some(expected.to_string().as_str()),
                "{op} {engine:?}"
            );
        }
    }
}
