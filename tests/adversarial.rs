//! Programs that try to talk the tool into a wrong answer: kept counter-examples, and a generator of texts that the twin's
//! generator avoids (unrolled loops, branches that vanish, constants anywhere, several families, local and two-dimensional arrays,
//! quantifiers, enums, `at` and partial operations everywhere), held against enumeration with the interpreter.

#[path = "adversarial/enumerate.rs"]
mod enumerate;
#[path = "adversarial/generate.rs"]
mod generate;
mod shipped;

use coarsen::control::{Budget, Control};
use coarsen::explore::initial_candidates;
use coarsen::report::{Report, Status};
use coarsen::syntax::ParseLimits;
use coarsen::{CheckOptions, Session, theory};
use enumerate::{Tally, contradictions, reachable};
use generate::program;

fn load(source: &str) -> Session {
    match Session::load("adversarial.cor", source, &[], ParseLimits::default()) {
        Ok((session, _)) => session,
        Err(errors) => panic!("{errors:?}\n{source}"),
    }
}

fn run(session: &Session, strict: bool, budget: Budget) -> Report {
    let options = CheckOptions {
        cross_check: true,
        strict,
        property: None,
        ..CheckOptions::default()
    };
    let theory = theory("stoller-cohen").expect("the default theorem");
    session.check(&theory, &options, &Control::new(budget))
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

/// `ADVERSARIAL_CASES` programs from `ADVERSARIAL_SEED` on.
#[test]
fn enumeration_contradicts_no_answer() {
    let (cases, first) = (
        number("ADVERSARIAL_CASES", 300),
        number("ADVERSARIAL_SEED", 1),
    );
    let mut tally = Tally::default();
    let mut bad = 0;
    for seed in first..first + cases {
        let source = program(seed.wrapping_mul(0x1234_5678_9ABC_DEF1));
        for strict in [false, true] {
            let wrong = contradictions(&source, strict, &mut tally);
            if !wrong.is_empty() {
                bad += 1;
                eprintln!("seed {seed} strict {strict}: {wrong:#?}\n{source}");
            }
        }
    }
    eprintln!("{tally:?}");
    assert_eq!(bad, 0);
}

/// Whatever is decided in spite of a limit is what is decided without.
#[test]
fn a_limit_decides_nothing_wrongly() {
    let (cases, first) = (
        number("ADVERSARIAL_CASES", 300) / 3,
        number("ADVERSARIAL_SEED", 1),
    );
    let (mut bad, mut cut, mut decided) = (0, 0, 0);
    for seed in first..first + cases {
        let source = program(seed.wrapping_mul(0x1234_5678_9ABC_DEF1));
        let Ok((session, _)) = Session::load("fuzz.cor", &source, &[], ParseLimits::default())
        else {
            continue;
        };
        if initial_candidates(session.program()).take(20_001).count() > 20_000
            || reachable(session.program()).is_none()
        {
            continue;
        }
        for strict in [false, true] {
            let full = run(&session, strict, Budget::default());
            for nodes in [40, 70, 110, 170, 260, 400, 600, 900, 1400, 2100, 3200] {
                let some = run(
                    &session,
                    strict,
                    Budget {
                        nodes,
                        states: 1_000_000,
                    },
                );
                cut += usize::from(some.limits.hit.is_some());
                let mut wrong = Vec::new();
                for (a, b) in some.properties.iter().zip(&full.properties) {
                    decided +=
                        usize::from(some.limits.hit.is_some() && a.verdict != Status::Unknown);
                    if a.verdict != Status::Unknown && a.verdict != b.verdict {
                        wrong.push(format!("{}: {:?}, not {:?}", a.name, a.verdict, b.verdict));
                    }
                }
                for (a, b) in some.hypotheses.iter().zip(&full.hypotheses) {
                    if a.status != Status::Unknown && a.status != b.status {
                        wrong.push(format!("({}): {:?}, not {:?}", a.id, a.status, b.status));
                    }
                }
                for (a, b) in [
                    (&some.states.reduced, &full.states.reduced),
                    (&some.states.visited, &full.states.visited),
                    (&some.states.original, &full.states.original),
                ] {
                    if a.is_some() && a != b {
                        wrong.push(format!("{a:?} states, not {b:?}"));
                    }
                }
                if !matches!(
                    some.verdict,
                    coarsen::report::Verdict::Unknown | coarsen::report::Verdict::Refuted
                ) && some.limits.hit.is_some()
                    && some.verdict != full.verdict
                {
                    wrong.push(format!("verdict {:?}", some.verdict));
                }
                if some.evidence_rejected {
                    wrong.push(some.reason.clone());
                }
                if !wrong.is_empty() {
                    bad += 1;
                    eprintln!("seed {seed} strict {strict} nodes {nodes}: {wrong:#?}\n{source}");
                }
            }
        }
    }
    eprintln!("{cut} runs cut short, {decided} properties decided in them");
    assert_eq!(bad, 0);
}

// ---- counter-examples that were found once ----

/// The restriction of an atom of the left side to one action was applied under stars and in sums as well.
#[test]
fn an_atom_inside_a_factor_stands_for_all_its_actions() {
    let session = load(
        "var x: 0..1 = 0 unprotected;
         thread t { A: x = 1; B: x = 0; }",
    );
    let theory = theory("stoller-cohen").expect("the default theorem");
    for text in [
        "v[0] v[0]* <= v[0]",
        "v[0] (v[0] + 1) <= v[0]",
        "v[0] (v[0] # 1) <= v[0]",
        "v[0] v <= 0",
        "v[0] (v[0] T)* <= v[0]",
    ] {
        let report = session
            .eval(text, &theory, &Control::default())
            .unwrap_or_else(|d| panic!("{d:?}"));
        assert_eq!(report.status, Status::Refuted, "{text}: {report:?}");
    }
}

/// J is one state here, so T relates it to itself only; the T of a left side was free to leave J.
#[test]
fn a_top_on_the_left_stays_within_the_assumed_states() {
    let session = load("var x: 0..3 = 0 unprotected; thread a { while (true) { x = 0; } }");
    let theory = theory("stoller-cohen").expect("the default theorem");
    let report = session
        .eval("T <= 1", &theory, &Control::default())
        .unwrap_or_else(|d| panic!("{d:?}"));
    assert_eq!(report.status, Status::Holds, "{report:?}");
}

/// A limit hit while well-formedness was looked at left no hypothesis in the report, and what is not there was not missed:
/// four properties were decided, two of them wrongly.
#[test]
fn a_limit_in_well_formedness_decides_no_property() {
    let session = load(
        "const K = 2;
         var y[K]: 0..15 unprotected;
         thread p(i in 0..K-1) { var t: 0..15 = 0; t = y[i]; t = 0; }
         thread c(i in 0..K-1) { var t: 0..15 = 0; t = y[i]; MID: t = 15 - t; LATE: t = 0; }
         reach both: at(c(0), LATE) && at(c(1), LATE);
         invariant never_both: !(at(c(0), LATE) && at(c(1), LATE));",
    );
    for nodes in [500, 1000, 1500, 2000, 2500, 3000, 3500] {
        let report = run(&session, true, Budget { nodes, states: 1 });
        for name in ["both", "never_both"] {
            let p = report.properties.iter().find(|p| p.name == name);
            assert!(
                p.is_none_or(|p| p.verdict == Status::Unknown),
                "with {nodes} nodes: {p:?}"
            );
        }
        assert!(report.verdict != coarsen::report::Verdict::Refuted);
    }
}

/// The absolute value of the least integer is negative without overflow checks, and was taken for small.
#[test]
fn the_least_integer_is_no_bound() {
    let define = [("N".to_string(), i64::MIN.to_string())];
    let source = "const N = 0; var x: N..3 unprotected; thread a { x = 3; } invariant v: x >= -7;";
    let loaded = Session::load("least.cor", source, &define, ParseLimits::default());
    assert!(loaded.is_err());
}

/// What is written on one line, checked by the tool itself: the exit code and what it says.
fn told(source: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let name = format!("adversarial-{}-{}.cor", std::process::id(), source.len());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, source).expect("a temporary file");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .arg("check")
        .args(["--limit-time", "30s"])
        .args(arguments)
        .arg(&path)
        .output()
        .expect("the tool runs");
    let _ = std::fs::remove_file(&path);
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

/// A quantifier over many values was folded into an expression as deep as it is long.
#[test]
fn a_wide_quantifier_does_not_overflow_the_stack() {
    let source = "var x: 0..1 = 0; thread a { x = 1; }
        invariant i: forall (k in 0..990000) (x + k >= k && x <= 1 && (x == 0 || x == 1));";
    let (code, said) = told(source, &["-q"]);
    assert!(matches!(code, Some(0 | 3 | 20)), "{code:?} {said}");
}

/// An unrolled loop without statements did not count towards the size of the model.
#[test]
fn an_empty_loop_inside_an_action_ends() {
    let source = "thread a { atomic { for (k in 0..4_000_000_000_000_000_000) { } } }";
    let (code, said) = told(source, &["-q"]);
    assert!(matches!(code, Some(0 | 3)), "{code:?} {said}");
}

/// With `--property` only some properties are decided; the others must not be spoken of.
#[test]
fn a_filtered_run_does_not_speak_of_every_property() {
    let source = "mutex m; thread a { lock(m); lock(m); } deadlock_free; expect verdict refuted;";
    let (code, said) = told(source, &["--property", "discipline"]);
    assert_eq!(code, Some(0));
    assert!(!said.contains("every property hold"), "{said}");
    assert!(!said.contains("expect verdict refuted"), "{said}");
}

/// A bound name hides a thread of that name: the innermost is meant.
#[test]
fn a_bound_name_in_at_is_no_thread() {
    let source = "thread a { L: skip; } thread b { skip; } reach i: exists (a in 0..1) at(a, L);";
    let loaded = Session::load("bound.cor", source, &[], ParseLimits::default());
    assert!(loaded.is_ok(), "{:?}", loaded.err());
}
