//! `check` in turns with an exploration in full: whoever answers, the answers are those of the program.

use crate::{random, shipped, twin};

use coarsen::base::control::{Budget, Control, Hit, ParseLimits, Stop};
use coarsen::results::{Report, Status, Verdict};
use coarsen::theorem::Reduce;
use coarsen::{CheckOptions, Session, candidates, theory};
use proptest::prelude::*;
use std::cell::Cell;
use twin::generate::{Disciplines, samples, samples_with};

fn check(source: &str, defines: &[(String, String)], options: &CheckOptions) -> Report {
    let loaded = Session::load("m.cor", source, defines, ParseLimits::default());
    let (session, _) = loaded.expect("a model");
    let theory = theory("stoller-cohen").expect("shipped");
    let control = Control::new(Budget {
        states: 2_000_000,
        ..Budget::default()
    });
    session.check(&theory, options, &control)
}

fn by(source: &str, reduce: Reduce) -> Report {
    let options = CheckOptions {
        reduce,
        others: candidates().split_off(1),
        ..CheckOptions::default()
    };
    check(source, &[], &options)
}

/// The answers in full, held against the interpreter and against the reduction. Whether there were any.
fn agrees(source: &str) -> Result<bool, TestCaseError> {
    let reduced = check(
        source,
        &[],
        &CheckOptions {
            cross_check: true,
            ..CheckOptions::default()
        },
    );
    prop_assert!(!reduced.in_full);
    let full = by(source, Reduce::Last);
    prop_assert!(!full.is_contradicted(), "{source}");
    if !full.in_full {
        return Ok(false);
    }
    prop_assert_eq!(
        &full.states.original,
        &reduced.states.original,
        "{}",
        source
    );
    let violated = full.properties[0].verdict == Status::Refuted;
    for property in &full.properties {
        prop_assert!(violated || property.verdict != Status::Unknown, "{source}");
        let mut others = reduced.properties.iter();
        let other = others.find(|p| p.name == property.name);
        let other = other.map_or(Status::Unknown, |p| p.verdict);
        // A discipline that was inferred is more than what the program declares.
        let settled = other != Status::Unknown && property.verdict != Status::Unknown;
        prop_assert!(
            !settled || other == property.verdict,
            "{} in {source}",
            property.name
        );
    }
    let definite = |r: &Report| matches!(r.verdict, Verdict::Holds | Verdict::Refuted);
    prop_assert!(definite(&full) || violated, "{source}");
    for reduce in [Reduce::Auto, Reduce::First] {
        let best = by(source, reduce);
        prop_assert!(!best.is_contradicted(), "{source}");
        prop_assert!(definite(&best) == definite(&full), "{source}");
        prop_assert!(!definite(&full) || best.verdict == full.verdict, "{source}");
    }
    Ok(true)
}

#[test]
fn random_programs_explored_in_full() {
    let answered = Cell::new(0);
    for disciplines in [Disciplines::Written, Disciplines::Omitted] {
        let samples = match disciplines {
            Disciplines::Omitted => samples_with(disciplines).boxed(),
            _ => samples().boxed(),
        };
        let result = random::runner(128).run(&samples, |sample| {
            answered.set(answered.get() + usize::from(agrees(&sample.source)?));
            Ok(())
        });
        result.unwrap_or_else(|failure| panic!("{failure}"));
    }
    assert!(
        random::enough(answered.get(), 200),
        "only {}",
        answered.get()
    );
}

/// Without `expect` lines no model asks for its hypotheses. Models with claims do.
#[test]
fn shipped_models_have_the_counts_and_verdicts_that_they_expect() {
    let mut counted = 0;
    for model in shipped::all() {
        let line = |words: &str| {
            let found = model.source.lines().find_map(|l| l.strip_prefix(words));
            found.map(|l| l.trim().trim_end_matches(';').to_string())
        };
        let is_claimed = model.source.contains("transaction ");
        let (Some(original), false) = (line("expect original "), is_claimed) else {
            continue;
        };
        let lines = model.source.lines();
        let source: Vec<&str> = lines.filter(|l| !l.starts_with("expect ")).collect();
        let report = by(&source.join("\n"), Reduce::Last);
        let name = &model.name;
        assert!(report.in_full, "{name}: {}", report.reason);
        assert_eq!(report.states.original.as_ref(), Some(&original), "{name}");
        if let Some(verdict @ ("holds" | "refuted")) = line("expect verdict ").as_deref() {
            assert_eq!(report.verdict.id(), verdict, "{name}");
        }
        assert!(
            report
                .hypotheses
                .iter()
                .all(|h| h.status == Status::Unknown)
        );
        counted += 1;
    }
    assert!(counted >= 30, "only {counted}");
}

#[test]
fn what_only_a_reduction_has_is_reduced() {
    let source = "const N = 3; mutex m; var x: 0..N = 0;
        thread w(i in 0..N-1) { lock(m); x = x + 1; unlock(m); } invariant few: x <= N;";
    let last = CheckOptions {
        reduce: Reduce::Last,
        ..CheckOptions::default()
    };
    let in_full = |source: &str, options: &CheckOptions| check(source, &[], options).in_full;
    assert!(in_full(source, &last));
    let of_reduction = ["expect reduced 8;", "expect verdict hypothesis_refuted;"];
    for line in of_reduction {
        assert!(!in_full(&format!("{source} {line}"), &last), "{line}");
    }
    assert!(in_full(&format!("{source} expect verdict holds;"), &last));
    // The lines of other constants are not looked at.
    let four = [("N".to_string(), "4".to_string())];
    let report = check(&format!("{source} expect reduced 8;"), &four, &last);
    assert_eq!(report.states.original.as_deref(), Some("80"));
    for options in [
        CheckOptions {
            strict: true,
            ..last.clone()
        },
        CheckOptions {
            certificate: true,
            ..last.clone()
        },
        CheckOptions {
            discharge: coarsen::theorem::By::Relations,
            ..last.clone()
        },
        CheckOptions {
            reduce: Reduce::Always,
            ..last.clone()
        },
    ] {
        assert!(!in_full(source, &options), "{options:?}");
    }
}

/// The hypotheses of this one cost more than its 6532 states, and two runs say the same.
#[test]
fn an_exploration_in_full_is_not_waited_for() {
    let path = format!(
        "{}/models/section6/master_workers.cor",
        env!("CARGO_MANIFEST_DIR")
    );
    let source = std::fs::read_to_string(path).expect("shipped");
    let four = [("N".to_string(), "4".to_string())];
    let auto = CheckOptions {
        reduce: Reduce::Auto,
        ..CheckOptions::default()
    };
    let said = || {
        let mut report = check(&source, &four, &auto);
        report.timing = Default::default();
        assert!(report.in_full);
        assert_eq!(report.states.original.as_deref(), Some("6532"));
        coarsen::report::json::object(&report).expect("can be written")
    };
    assert_eq!(said(), said());
}

const BANK: &str = "const N = 3; mutex m[N]; var acc[N]: 0..2*N = 2 protected acc[k] by m[k];
thread w(i in 0..N-1) {
    var a: 0..N-1 = 0; var b: 0..N-1 = 0; var t: 0..2*N = 0;
    while (true) {
        havoc a; havoc b;
        if (a < b) {
            lock(m[a]); lock(m[b]);
            t = acc[a];
            if (t > 0 && acc[b] < 2 * N) { acc[a] = t - 1; acc[b] = acc[b] + 1; }
            unlock(m[b]); unlock(m[a]);
        }
    }
}
deadlock_free;";

/// `t` is dead where threads are scheduled. 3,592 states are left without that, and 22,969,251 without a theorem.
#[test]
fn what_is_not_explored_soon_is_explored_up_to_quotients() {
    let report = by(BANK, Reduce::First);
    assert_eq!(report.verdict, Verdict::Holds, "{}", report.reason);
    assert_eq!(report.theorem, "flanagan-qadeer");
    assert!(!report.in_full);
    assert_eq!(report.reductions, ["dead-locals", "symmetry"]);
    assert_eq!(report.states.reduced.as_deref(), Some("12"));
    assert_eq!(report.states.original, None);
}

/// What is looked for may be found by others as well, where threads are named, and they hold guesses against the
/// reduced system where that takes longer. By relations alone four readers take five seconds, and five half a minute.
#[test]
fn what_is_looked_for_is_found_up_to_quotients() {
    let models = shipped::all();
    let model = models
        .iter()
        .find(|m| m.name.contains("monitors/rw_cache.cor"));
    let source = &model.expect("a shipped model").source;
    let (four, five) = ((4, "81467"), (5, "980671"));
    let sizes = match random::long() {
        true => vec![four, five, (8, "1395385667")],
        false => vec![four, five],
    };
    for (n, states) in sizes {
        // What it expects is of two readers, and asks for the reduced system as it is.
        let text = source.lines().filter(|line| !line.starts_with("expect"));
        let text: Vec<&str> = text.collect();
        let with = text
            .join("\n")
            .replace("READERS = 2", &format!("READERS = {n}"));
        let report = by(&with, Reduce::First);
        assert_eq!(report.verdict, Verdict::Holds, "{}", report.reason);
        assert!(!report.in_full);
        assert_eq!(report.reductions, ["dead-locals", "symmetry"]);
        assert_eq!(report.states.reduced.as_deref(), Some(states));
        for name in ["read_together", "a_hit"] {
            let found = report.properties.iter().find(|p| p.name == name);
            let found = found.expect("a property");
            assert_eq!(found.verdict, Status::Holds, "{name}");
            assert!(found.trace.is_some(), "{name}");
        }
    }
}

/// A deadlock may be due to a thread that has gone wrong, which is not looked at first.
#[test]
fn a_thread_that_goes_wrong_with_a_lock_keeps_others_waiting() {
    let source = "mutex m; thread a { lock(m); assert(false); unlock(m); }
        thread b { lock(m); unlock(m); } deadlock_free;";
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded.expect("a model");
    let theory = theory("flanagan-qadeer").expect("shipped");
    let report = session.check(&theory, &CheckOptions::default(), &Control::default());
    for name in ["assertions", "deadlock_free"] {
        let found = report.properties.iter().find(|p| p.name == name);
        assert_eq!(found.map(|p| p.verdict), Some(Status::Refuted), "{name}");
    }
}

/// A refuted hypothesis stays on its line, and the program has its own verdict: the theft that no reduction shows.
#[test]
fn a_refuted_hypothesis_does_not_keep_the_properties_open() {
    let path = format!(
        "{}/models/hypotheses/taken_away.cor",
        env!("CARGO_MANIFEST_DIR")
    );
    let source = std::fs::read_to_string(path).expect("shipped");
    let lines = source.lines().filter(|l| !l.starts_with("expect "));
    let source: Vec<&str> = lines.collect();
    let source = source.join("\n");
    assert_eq!(
        by(&source, Reduce::Always).verdict,
        Verdict::HypothesisRefuted
    );
    // Transactions would show it.
    let alone = CheckOptions {
        reduce: Reduce::Auto,
        ..CheckOptions::default()
    };
    let report = check(&source, &[], &alone);
    assert_eq!(report.verdict, Verdict::Refuted);
    assert!(report.in_full);
    let refuted = |s: Status| s == Status::Refuted;
    assert!(report.hypotheses.iter().any(|h| refuted(h.status)));
    assert!(refuted(report.properties[0].verdict));
}

/// Nobody waits for one who has stopped.
#[test]
fn limits_end_both() {
    let source = "const N = 12; mutex m; var x: 0..N = 0;
        thread w(i in 0..N-1) { var t: 0..N = 0; lock(m); t = x; x = t + 1; unlock(m); }
        thread other { var t: 0..N = 0; t = 1; }";
    let options = CheckOptions {
        reduce: Reduce::Auto,
        ..CheckOptions::default()
    };
    let (session, _) =
        Session::load("m.cor", source, &[], ParseLimits::default()).expect("a model");
    let theory = theory("stoller-cohen").expect("shipped");
    let control = Control::default();
    control.stop(coarsen::base::control::Stop::Time);
    let report = session.check(&theory, &options, &control);
    assert_eq!(report.verdict, Verdict::Unknown);
    assert!(report.limits.hit.is_some());
}

/// What was explored in part is no answer.
#[test]
fn a_part_is_not_all() {
    let source = "const N = 3; mutex m; var x: 0..N = 0 unprotected; var y: 0..9 = 0 unprotected;
        thread w(i in 0..N-1) { while (true) { lock(m); x = i; y = (y + x) % 10; unlock(m); } }
        thread other { while (true) { when (y == 9) y = 0; } } invariant low: y <= 9;";
    let (session, _) =
        Session::load("m.cor", source, &[], ParseLimits::default()).expect("a model");
    let program = session.program();
    assert!(program.expects.is_empty());
    let theory = theory("stoller-cohen").expect("shipped");
    let said = |nodes, states| {
        let control = Control::new(Budget {
            nodes,
            states,
            ..Budget::default()
        });
        let options = CheckOptions {
            reduce: Reduce::Last,
            ..CheckOptions::default()
        };
        session.check(&theory, &options, &control)
    };
    let cut = said(4, 4);
    assert!(!cut.in_full);
    assert_eq!(cut.verdict, Verdict::Unknown, "{:?}", cut.reason);
    let all = said(100_000, 100_000);
    assert!(all.in_full);
    assert_eq!(all.verdict, Verdict::Holds, "{:?}", all.reason);
}

/// Exchanged threads: each state is counted.
#[test]
fn exchanged_threads_are_counted_one_by_one() {
    let source = "const N = 10; mutex m; var x: 0..N = 0;
        thread w(i in 0..N-1) { var t: 0..N = 0; lock(m); t = x; x = t + 1; unlock(m); }";
    let report = by(source, Reduce::Last);
    assert!(report.in_full);
    assert_eq!(report.states.original.as_deref(), Some("39456401"));
}

/// Behind a violation nothing is explored, so nothing is said.
#[test]
fn a_violation_leaves_the_rest_open() {
    let source = "mutex m; var x: 0..3 = 0 protected by m;
        thread a { x = 1; x = 2; } invariant low: x <= 3;";
    let report = by(source, Reduce::Last);
    let answers: Vec<Status> = report.properties.iter().map(|p| p.verdict).collect();
    assert!(report.in_full);
    assert_eq!(report.verdict, Verdict::Refuted);
    assert_eq!(answers, [Status::Refuted, Status::Unknown, Status::Unknown]);
}

/// A product has no small BDD, so the relations of these steps are given up soon. What is asked of the program is
/// answered all the same.
#[test]
fn relations_that_are_too_large_are_given_up() {
    let product = "mutex m; var x: 0..1000000 = 3; var y: 0..1000000 = 5;
thread w(i in 0..1) {
  var k: 0..4 = 0;
  while (k < 4) { lock(m); x = x * y % 1000001; y = y * 7 % 1000001; unlock(m); k = k + 1; }
}
invariant never_four: x != 4;
invariant not_yet: !(x == 15 && y == 35);";
    let (session, _) =
        Session::load("product.cor", product, &[], ParseLimits::default()).expect("a model");
    let fq = theory("flanagan-qadeer").expect("a theorem");
    let options = CheckOptions {
        reduce: Reduce::Always,
        certificate: true,
        ..CheckOptions::default()
    };
    let report = session.check(&fq, &options, &Control::default());
    assert!(report.in_full && report.bundle.is_some());
    assert_eq!(report.states.original.as_deref(), Some("532"));
    assert!(matches!(
        report.limits.hit,
        Some(Hit::Phase(Stop::Effort, _))
    ));
    let verdicts: Vec<Status> = report.properties.iter().map(|p| p.verdict).collect();
    assert_eq!(
        verdicts,
        [Status::Holds, Status::Holds, Status::Holds, Status::Refuted]
    );
    assert_eq!(report.verdict, Verdict::Refuted);
}

/// Wherever the work on BDDs ends, what is said of the program is what an exploration in full says, and nothing `holds`
/// without the hypotheses.
#[test]
fn relations_are_given_up_anywhere() {
    let fq = theory("flanagan-qadeer").expect("a theorem");
    let (given_up, enough) = (Cell::new(0), Cell::new(0));
    let run = |source: &str, effort: u64| {
        let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
        let options = CheckOptions {
            reduce: Reduce::Always,
            certificate: true,
            ..CheckOptions::default()
        };
        let control = Control::new(Budget {
            effort,
            ..Budget::default()
        });
        loaded.expect("a model").0.check(&fq, &options, &control)
    };
    let result = random::runner(48).run(&samples(), |sample| {
        let full = by(&sample.source, Reduce::Last);
        for effort in [1, 100_000, 150_000, 200_000, 300_000, 400_000, 600_000] {
            let report = run(&sample.source, effort);
            if !report.in_full {
                let settled = report.hypotheses.iter();
                let some = settled.filter(|h| h.status != Status::Unknown).count() > 0;
                prop_assert!(some, "{}", sample.source);
                enough.set(enough.get() + 1);
                continue;
            }
            given_up.set(given_up.get() + 1);
            prop_assert!(report.verdict != Verdict::Holds, "{}", sample.source);
            prop_assert!(matches!(
                report.limits.hit,
                Some(Hit::Phase(Stop::Effort, _))
            ));
            if !full.in_full {
                continue;
            }
            prop_assert_eq!(&report.states.original, &full.states.original);
            let answers = |r: &Report| -> Vec<(String, Status)> {
                let all = r.properties.iter();
                all.map(|p| (p.name.clone(), p.verdict)).collect()
            };
            prop_assert_eq!(answers(&report), answers(&full), "{}", sample.source);
        }
        Ok(())
    });
    result.unwrap_or_else(|e| panic!("{e}"));
    assert!(given_up.get() > 0 && enough.get() > 0);
}
