//! `check --theorem`: theorems about transactions agree with the default theorem wherever both have an answer.

use crate::{random, shipped};

use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::results::{Report, Status, Verdict};
use coarsen::theorem::By;
use coarsen::{CheckOptions, Session, theory};

const THEOREMS: [&str; 4] = ["flanagan-qadeer", "left-movers", "right-movers", "lipton"];

fn check(session: &Session, theorem: &str, by: By) -> Report {
    let options = CheckOptions {
        claims_by: Some(theorem.into()),
        discharge: by,
        ..CheckOptions::default()
    };
    let theory = theory(theorem).expect("shipped");
    session.check(&theory, &options, &Control::default())
}

fn load(source: &str) -> Session {
    match Session::load("m.cor", source, &[], ParseLimits::default()) {
        Ok((session, _)) => session,
        Err(diagnostics) => panic!("{diagnostics:?}\n{source}"),
    }
}

/// A1 to A6 hold on every shipped model, by facts as on relations; what is answered is what the default theorem
/// answers, and no reduced system has more states than the program.
#[test]
fn theorems_agree_on_the_shipped_models() {
    let (mut derived, mut smaller) = (0, 0);
    for model in shipped::some() {
        let known = model.report(false);
        let report = model.by_flanagan_qadeer();
        assert!(
            !report.is_contradicted(),
            "{}: {}",
            model.name,
            report.reason
        );
        for h in &report.hypotheses {
            assert_eq!(
                h.status,
                Status::Holds,
                "{}: {}: {}",
                model.name,
                h.id,
                h.evidence
            );
            derived += usize::from(h.discharge == coarsen::results::Discharge::Derived);
        }
        for p in report
            .properties
            .iter()
            .filter(|p| p.kind != coarsen::results::PropertyKind::Transaction)
        {
            let other = known.properties.iter().find(|o| o.name == p.name);
            let other = other.expect("the same properties");
            let decided = [p, other].iter().all(|p| p.verdict != Status::Unknown);
            assert!(
                !decided || p.verdict == other.verdict,
                "{}: {}",
                model.name,
                p.name
            );
            assert!(
                p.verdict != Status::Unknown || other.verdict != Status::Holds,
                "{}: {}: {}",
                model.name,
                p.name,
                p.reason
            );
            assert_eq!(
                p.trace.is_some(),
                p.trace_length.is_some(),
                "{}: {}",
                model.name,
                p.name
            );
        }
        let count = |n: &Option<String>| n.as_ref().and_then(|n| n.parse::<u64>().ok());
        let (mine, original) = (count(&report.states.reduced), count(&known.states.original));
        if let (Some(mine), Some(original), Verdict::Holds) = (mine, original, known.verdict) {
            assert!(mine <= original, "{}: {mine} of {original}", model.name);
            smaller += usize::from(mine < original);
        }
    }
    assert!(
        random::enough(derived, 100) && random::enough(smaller, 30),
        "{derived} {smaller}"
    );
}

/// Flanagan & Qadeer 2003, section 2: with both kinds of movers each method of the counter is one transaction; x and y
/// are read before and written behind the step that commits.
#[test]
fn the_counter_by_each_theorem() {
    let session = shipped::model("flanagan_qadeer/counter").load(&[]);
    let mut states = Vec::new();
    for theorem in THEOREMS {
        let report = check(&session, theorem, By::Either);
        states.push((theorem, report.states.reduced.clone().expect("explored")));
        let claims: Vec<_> = report
            .claims
            .iter()
            .map(|c| (c.name.as_str(), c.theorem.is_some()))
            .collect();
        // Adding and subtracting commute, so incr and decr commit with taking their lock; read takes two.
        let read = !["left-movers", "right-movers"].contains(&theorem);
        let expected = vec![("incr", true), ("decr", true), ("read", read)];
        assert_eq!(claims, expected, "{theorem}");
    }
    let of = |n: usize| states[n].1.as_str();
    assert_eq!((of(0), of(1), of(2)), ("558", "990", "828"), "{states:?}");
}

/// A wrong annotation is an access violation with an execution, never a larger transaction.
#[test]
fn a_wrong_annotation_is_refuted_with_an_execution() {
    let source = "mutex m; mutex n;
        var x: 0..3 = 0 protected by m;
        thread a { lock(m); x = 1; x = 2; unlock(m); }
        thread b { lock(n); x = 3; unlock(n); }";
    for theorem in THEOREMS {
        let report = check(&load(source), theorem, By::Both);
        assert_eq!(
            report.verdict,
            Verdict::Refuted,
            "{theorem}: {}",
            report.reason
        );
        let discipline = &report.properties[0];
        assert_eq!(discipline.name, "discipline");
        let trace = discipline.trace.as_ref().expect("an execution");
        assert!(
            trace
                .outcome
                .to_string()
                .contains("accesses x without exclusive access"),
            "{theorem}: {}",
            trace.outcome
        );
    }
}

/// Lipton's theorem keeps what is reached with all threads outside transactions, and says so where more is asked.
#[test]
fn lipton_says_nothing_of_states_inside_transactions() {
    let source = "mutex m; var x: 0..2 = 0 protected by m; var g: 0..1 = 0 unprotected;
        thread a { lock(m); x = 1; assert(x != 1); unlock(m); }
        thread b { lock(m); x = 2; g = 1; unlock(m); }
        invariant done: at(a, end) && at(b, end) => g == 1;
        invariant inside: x != 2 || g == 0 || at(a, end);";
    let report = check(&load(source), "lipton", By::Either);
    let of = |name: &str| {
        let found = report.properties.iter().find(|p| p.name == name);
        found.expect("a property").verdict
    };
    assert_eq!(of("done"), Status::Holds);
    assert_ne!(of("inside"), Status::Holds);
}

/// Blocks that take two locks in opposite order are transactions, and still may deadlock: acquiring is no right mover
/// where that is asked.
#[test]
fn deadlocks_are_found_where_locks_are_taken_in_opposite_order() {
    let source = "mutex m; mutex n;
        thread a { transaction ab { lock(m); lock(n); unlock(n); unlock(m); } }
        thread b { transaction ba { lock(n); lock(m); unlock(m); unlock(n); } }
        deadlock_free;";
    for theorem in &THEOREMS[..3] {
        let report = check(&load(source), theorem, By::Both);
        let of = |name: &str| {
            let found = report.properties.iter().find(|p| p.name == name);
            found.expect("a property").verdict
        };
        assert_eq!(of("deadlock_free"), Status::Refuted, "{theorem}");
    }
    let without = load(&source.replace("deadlock_free;", ""));
    let report = check(&without, "flanagan-qadeer", By::Both);
    assert_eq!(report.verdict, Verdict::Holds, "{}", report.reason);
}
