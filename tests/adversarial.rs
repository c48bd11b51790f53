//! Programs that try to talk the tool into a wrong answer: kept counter-examples, and a generator of texts that the
//! twin's generator avoids (unrolled loops, branches that vanish, constants anywhere, several families, local and
//! two-dimensional arrays, quantifiers, enums, `at` and partial operations everywhere), held against enumeration with
//! the interpreter.

#[path = "adversarial/enumerate.rs"]
mod enumerate;
#[path = "adversarial/generate.rs"]
mod generate;
use crate::{random, shipped};
#[path = "adversarial/undisciplined.rs"]
mod undisciplined;

use coarsen::base::control::ParseLimits;
use coarsen::base::control::{Budget, Control};
use coarsen::engine::initial_candidates;
use coarsen::results::{CrossCheck, Note, Report, Status, Verdict};
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
        ..CheckOptions::thorough()
    };
    let theory = theory("stoller-cohen").expect("the default theorem");
    session.check(&theory, &options, &Control::new(budget))
}

/// So many seeds, far from each other.
fn seeds(usual: u32) -> impl Iterator<Item = u64> {
    (1..=u64::from(random::cases(usual)))
        .map(|n| random::seed(n.wrapping_mul(0x1234_5678_9ABC_DEF1)))
}

#[test]
fn enumeration_contradicts_no_answer() {
    let mut tally = Tally::default();
    let mut bad = 0;
    for seed in seeds(300) {
        let source = program(seed);
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
    let (mut bad, mut cut, mut decided) = (0, 0, 0);
    for seed in seeds(100) {
        let source = program(seed);
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
                        ..Budget::default()
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
                let verdict = match some.verdict {
                    Verdict::Unknown | Verdict::Refuted => true,
                    // All work shows it, too, and that a property is refuted as well.
                    Verdict::HypothesisRefuted if full.verdict == Verdict::Refuted => {
                        let refuted = |s: Status| s == Status::Refuted;
                        full.hypotheses.iter().any(|h| refuted(h.status))
                            || full.well_formedness.iter().any(|c| refuted(c.status))
                    }
                    other => other == full.verdict,
                };
                if some.limits.hit.is_some() && !verdict {
                    wrong.push(format!("verdict {:?}", some.verdict));
                }
                if some.is_contradicted() {
                    wrong.push(some.reason.to_string());
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

/// Behind a limit, a violation of a guess was told as one of the model: the access lay inside a step, where the
/// exploration had not looked for states to hold the guess against.
#[test]
fn a_limit_tells_no_violation_of_a_guess() {
    let session = load(
        "mutex m; mutex n[2]; rwlock l; cond c; semaphore s[2]: 0..1 = 1;
         record cell { mutex lock; w: mod 3 = 0; }
         var a[2]: cell; pool P[2]: cell; var head: ref cell in P = null;
         var x: 0..2 = 0; var y: mod 3 = 0; var v[2]: mod 3 = 0;
         proc inner(k: mod 3) { var u: mod 3 = 0; u = k + x; x = u; }
         proc outer(k: mod 3): mod 3 { inner(k + 1); if (k == 2) { return y; } return k; }
         proc locked() { lock(m); inner(1); unlock(m); }
         thread main { v[0] = outer(1); }
         thread other { locked(); lock(m); y = 1; notifyAll(c); unlock(m); }
         deadlock_free;",
    );
    let mut cut = 0;
    for nodes in (60..400).step_by(5) {
        let budget = Budget {
            nodes,
            states: 1_000_000,
            ..Budget::default()
        };
        let report = run(&session, false, budget);
        cut += usize::from(report.limits.hit.is_some());
        for p in &report.properties {
            assert_ne!(p.verdict, Status::Refuted, "{nodes} nodes: {}", p.name);
        }
    }
    assert!(cut > 20, "{cut}");
}

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

/// A limit hit while well-formedness was looked at left no hypothesis in the report, and what is not there was not
/// missed: four properties were decided, two of them wrongly.
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
        let report = run(
            &session,
            true,
            Budget {
                nodes,
                states: 1,
                ..Budget::default()
            },
        );
        for name in ["both", "never_both"] {
            let p = report.properties.iter().find(|p| p.name == name);
            assert!(
                p.is_none_or(|p| p.verdict == Status::Unknown),
                "with {nodes} nodes: {p:?}"
            );
        }
        assert!(report.verdict != coarsen::results::Verdict::Refuted);
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

/// What a run without annotations must not say of a model: anything that enumeration contradicts, and nothing at all.
fn mistakes(session: &Session, source: &str, tally: &mut [usize; 5]) -> Vec<String> {
    let p = session.program();
    let plain = Control::new(Budget {
        states: 6_000,
        ..Budget::default()
    });
    let Ok(original) = coarsen::engine::explore(p, &plain) else {
        tally[0] += 1;
        return Vec::new();
    };
    let met = |name: &str| match name {
        "discipline" => false,
        "assertions" => original.wrong,
        "deadlock_free" => original.deadlock,
        _ => {
            let named = p.properties.iter().position(|q| q.name == name);
            named.is_some_and(|n| original.found[n])
        }
    };
    let theory = theory("stoller-cohen").expect("the default theorem");
    let told = |session: &Session, strict: bool, budget: Budget| {
        let options = CheckOptions {
            cross_check: budget.nodes == Budget::default().nodes,
            strict,
            annotate: !strict,
            ..CheckOptions::thorough()
        };
        session.check(&theory, &options, &Control::new(budget))
    };
    let mut wrong = Vec::new();
    let compare = |wrong: &mut Vec<String>, what: &str, report: &Report, must: bool| {
        if report.is_contradicted() {
            wrong.push(format!("{what}: {}", report.reason));
        }
        for q in &report.properties {
            let expected = match met(&q.name) == (q.kind == coarsen::results::PropertyKind::Reach) {
                true => Status::Holds,
                false => Status::Refuted,
            };
            if q.verdict != expected && (must || q.verdict != Status::Unknown) {
                let (is, why) = (q.verdict, &q.reason);
                wrong.push(format!(
                    "{what}: {} {is:?}, not {expected:?}: {why}",
                    q.name
                ));
            }
        }
        if let Some(n) = &report.states.original
            && *n != original.states.to_string()
        {
            wrong.push(format!("{what}: {n} states, not {}", original.states));
        }
    };
    let full = told(session, false, Budget::default());
    tally[1] += 1;
    tally[2] += usize::from(!full.invisible.is_empty());
    tally[3] += usize::from(!full.revisions.is_empty());
    compare(&mut wrong, "full", &full, true);
    compare(
        &mut wrong,
        "strict",
        &told(session, true, Budget::default()),
        false,
    );
    let annotated = full.annotated.as_deref().unwrap_or_default();
    match Session::load("annotated.cor", annotated, &[], ParseLimits::default()) {
        Ok((again, _)) => {
            let again = told(&again, false, Budget::default());
            compare(&mut wrong, "annotated", &again, true);
        }
        Err(e) => wrong.push(format!("annotated: {e:?}\n{annotated}")),
    }
    for nodes in [300, 700, 1500] {
        let budget = Budget {
            nodes,
            states: 1_000_000,
            ..Budget::default()
        };
        let cut = told(session, false, budget);
        tally[4] += usize::from(cut.limits.hit.is_some());
        // Another guess may serve where the best one is too large.
        compare(&mut wrong, &format!("{nodes} nodes"), &cut, false);
    }
    if !wrong.is_empty() {
        wrong.push(source.to_string());
    }
    wrong
}

#[test]
fn enumeration_contradicts_no_answer_on_undisciplined_models() {
    let (mut tally, mut rejected, mut bad) = ([0; 5], 0, 0);
    for seed in seeds(60) {
        let source = undisciplined::model(seed);
        let loaded = Session::load("fuzz.cor", &source, &[], ParseLimits::default());
        let Ok((session, _)) = loaded else {
            rejected += 1;
            if rejected < 4 {
                eprintln!("rejected: {:?}\n{source}", loaded.err());
            }
            continue;
        };
        let wrong = mistakes(&session, &source, &mut tally);
        if !wrong.is_empty() {
            bad += 1;
            eprintln!("==== seed {seed}\n{}", wrong.join("\n"));
        }
    }
    eprintln!("large, ran, invisible, revised, cut: {tally:?}; {rejected} rejected");
    assert_eq!(bad, 0);
}

/// The verdict of a property.
fn status(report: &Report, name: &str) -> Option<Status> {
    let found = report.properties.iter().find(|p| p.name == name);
    found.map(|p| p.verdict)
}

/// In a run that is cut short, the violation of a guess is told as a violation of the model, with a trace and
/// exit code 10.
#[test]
fn a_limit_refutes_no_guess() {
    let session = load(
        "var z: 0..250 = 1;
         thread late(i in 0..2) { var t: 0..7 = 0; havoc t; z = (z * 3 + t * (2 * i + 7)) % 251; havoc t; z = (z * 5 + \
         t) % 251; }",
    );
    let theory = theory("stoller-cohen").expect("the default theorem");
    for nodes in [4000, 5000, 6000, 8000] {
        let budget = Budget {
            nodes,
            ..Budget::default()
        };
        let report = session.check(&theory, &CheckOptions::thorough(), &Control::new(budget));
        assert_ne!(
            status(&report, "discipline"),
            Some(Status::Refuted),
            "{nodes} nodes: {}",
            report.reason
        );
    }
}

/// Where the theorem does not apply a guess may be violated; then the count of the original stopped at such states.
#[test]
fn a_guess_changes_no_count() {
    let session = load(
        "var x: 0..1 = 0;
         thread main { var t: 0..1 = 0; t = 1; start(w(0)); start(w(1)); }
         thread w(i in 0..1) { x = 1; }",
    );
    for strict in [false, true] {
        let report = run(&session, strict, Budget::default());
        assert_eq!(report.states.original.as_deref(), Some("14"), "{strict}");
        let said = |n: &&Note| matches!(n, Note::CrossCheck(CrossCheck::Met { .. }));
        assert_eq!(report.notes.iter().find(said), None);
    }
}

/// What the printed disciplines say of a model, where names of the model are those that the printer uses.
fn pasted_back(source: &str) -> Option<Status> {
    let options = CheckOptions {
        annotate: true,
        ..CheckOptions::thorough()
    };
    let report = coarsen::check_source("pasted.cor", source, &options).expect("a model");
    let text = report.annotated.as_deref().expect("the annotated text");
    match coarsen::check_source("pasted.cor", text, &options) {
        Ok(again) => status(&again, "discipline"),
        Err(e) => panic!("{e:?}\n{text}"),
    }
}

#[test]
fn printed_disciplines_bind_no_name_of_a_thread() {
    let source = "var a[2]: 0..3 = 0;
        var full: bool = false;
        thread j0 { while (true) { when (!full) skip; a[0] = 1; a[1] = 2; full = true; } }
        thread c { while (true) { when (full) skip; a[0] = 0; a[1] = 0; full = false; } }";
    assert_eq!(pasted_back(source), Some(Status::Holds));
}

#[test]
fn printed_disciplines_bind_no_name_of_a_mutex() {
    let source = "mutex j0; mutex k;
        var d[2]: 0..3 = 0;
        thread a(i in 0..1) { lock(j0); d[0] = 2; unlock(j0); lock(k); d[1] = 2; unlock(k); }";
    assert_eq!(pasted_back(source), Some(Status::Holds));
}

#[test]
fn printed_disciplines_know_a_declared_end() {
    let source = "var d: 0..3 = 0; var f: bool = false;
        thread b { end: skip; when (f) skip; d = 3; d = 2; }
        thread c { d = 1; d = 0; f = true; }";
    assert_eq!(pasted_back(source), Some(Status::Holds));
}

/// The access that refutes a guess had all its outcomes enumerated, here 2^24; with 2^32 that does not end.
#[test]
fn the_outcomes_of_a_violating_step_are_not_enumerated() {
    let session = load(
        "mutex m;
         var x: 0..1 = 0;
         thread w(i in 0..1) {
             var t: 0..4095 = 0; var u: 0..4095 = 0; var k: 0..127 = 0;
             lock(m); x = 1; unlock(m);
             havoc k;
             if (k == 127) { atomic { havoc t; havoc u; x = 1; } }
         }",
    );
    let theory = theory("stoller-cohen").expect("the default theorem");
    // Of the step's outcomes there are sixteen millions.
    let few = Control::new(Budget {
        states: 100_000,
        ..Budget::default()
    });
    let report = session.check(&theory, &CheckOptions::thorough(), &few);
    assert_eq!(report.limits.hit, None);
    assert_eq!(status(&report, "discipline"), Some(Status::Holds));
}

/// `p.x` looks at what `free` changes; the step is made visible, and everything is decided (no other test saw that
/// dropped).
#[test]
fn a_reference_that_may_be_freed_leaves_nothing_open() {
    let session = load(
        "record r { x: 0..3 = 0; }
         pool P[1]: r;
         mutex m;
         thread a { var p: ref r in P = null; skip; p = new P; skip; p = &P[0]; lock(m); p.x = 1; p.x = 2; unlock(m); }
         thread b { var p: ref r in P = null; p = &P[0]; skip; free(p); }
         deadlock_free;",
    );
    let report = run(&session, false, Budget::default());
    assert!(!report.is_contradicted(), "{}", report.reason);
    for p in &report.properties {
        assert_ne!(p.verdict, Status::Unknown, "{}: {}", p.name, p.reason);
    }
}
