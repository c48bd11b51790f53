//! Counter-examples that were found once, kept for ever.

use coarsen::report::{Report, Status, Verdict};
use coarsen::{CheckOptions, check_source};

fn checked(source: &str) -> Report {
    let options = CheckOptions {
        cross_check: true,
        ..CheckOptions::default()
    };
    match check_source("regression.cor", source, &options) {
        Ok(report) => report,
        Err(errors) => panic!("{errors:?}"),
    }
}

/// The theory's index variables were taken for the threads of that name, so that each hypothesis had one instance.
#[test]
fn threads_may_be_called_like_the_theorys_indices() {
    let report = checked(
        "mutex m;
         var closed: bool = false unprotected;
         var count: 0..2 = 0 protected count by m.owner == self && !closed;
         thread j { var t: 0..2 = 0; when (!closed) lock(m); t = count; count = t + 1; unlock(m); }
         thread i { closed = true; }",
    );
    assert!(!report.evidence_rejected, "{}", report.reason);
    assert_eq!(report.verdict, Verdict::HypothesisRefuted);
    assert!(report.hypotheses.iter().all(|h| h.instances == "2"));
    let refuted: Vec<&str> = report
        .hypotheses
        .iter()
        .filter(|h| h.status == Status::Refuted)
        .map(|h| h.id.as_str())
        .collect();
    assert_eq!(refuted, ["15"]);
}

/// Straight-line code must not be joined through a step that can block: the thread stops in the middle of it.
#[test]
fn a_coarse_step_may_end_at_a_blocked_step() {
    let report = checked(
        "mutex m;
         var x: 0..3 = 0 protected x by m;
         thread a(i in 0..1) {
             var t: 0..1 = 0;
             havoc t;
             lock(m);
             x = 1;
             when (t == 1) x = 2;
             x = 3;
             unlock(m);
         }
         deadlock_free;
         reach stuck: x == 1 && m.owner == 0;",
    );
    assert!(!report.evidence_rejected, "{}", report.reason);
    let verdict = |name: &str| {
        report
            .properties
            .iter()
            .find(|p| p.name == name)
            .map(|p| p.verdict)
    };
    assert_eq!(verdict("discipline"), Some(Status::Holds));
    assert_eq!(verdict("deadlock_free"), Some(Status::Refuted));
    assert_eq!(verdict("stuck"), Some(Status::Holds));
}

/// A violation in the middle of straight-line code is found, and its trace ends there.
#[test]
fn a_violation_inside_straight_line_code_is_not_passed_over() {
    let report = checked(
        "mutex m; mutex n;
         var x: 0..3 = 0 protected x by m;
         var y: 0..3 = 0 protected y by n;
         thread a(i in 0..1) { lock(m); x = 1; y = 2; x = 3; unlock(m); }",
    );
    assert!(!report.evidence_rejected, "{}", report.reason);
    assert_eq!(report.verdict, Verdict::Refuted);
    let trace = report.properties[0].trace.as_ref().expect("a trace");
    assert_eq!(trace.steps.len(), 3);
    assert!(
        trace
            .outcome
            .contains("accesses y without exclusive access"),
        "{}",
        trace.outcome
    );
}
