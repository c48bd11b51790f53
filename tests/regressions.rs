//! Counter-examples that were found once, kept for ever.

use coarsen::algebra::{Form, Function, Term, shipped};
use coarsen::kernel::Operator;
use coarsen::results::{Report, Status, Verdict};
use coarsen::{CheckOptions, check_source, theory};

fn checked(source: &str) -> Report {
    let options = CheckOptions {
        cross_check: true,
        ..CheckOptions::thorough()
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
    assert!(!report.is_contradicted(), "{}", report.reason);
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
    assert!(!report.is_contradicted(), "{}", report.reason);
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
    assert!(!report.is_contradicted(), "{}", report.reason);
    assert_eq!(report.verdict, Verdict::Refuted);
    let trace = report.properties[0].trace.as_ref().expect("a trace");
    assert_eq!(trace.steps.len(), 3);
    assert!(
        trace
            .outcome
            .to_string()
            .contains("accesses y without exclusive access"),
        "{}",
        trace.outcome
    );
}

/// Whether a T (or the T of an omega) stands anywhere in a term.
fn has_top(t: &Term) -> bool {
    match &t.form {
        Form::Top | Form::Omega(_) | Form::Hash(..) => true,
        Form::Zero | Form::One | Form::Atom(_) | Form::State(_) => false,
        Form::Applied(..) => false,
        Form::Not(x) | Form::Star(x) | Form::SumOver(_, x) | Form::ProductOver(_, x) => has_top(x),
        Form::Sum(all) | Form::Product(all) => all.iter().any(has_top),
    }
}

/// Whether something may follow a T.
fn has_inner_top(t: &Term) -> bool {
    match &t.form {
        Form::Star(x) | Form::Omega(x) | Form::ProductOver(_, x) => has_top(x),
        Form::Applied(Function::Test(Operator::Domain) | Function::Converse, x) => has_top(x),
        Form::Applied(Function::Test(Operator::Codomain | Operator::Divergence), _) => true,
        Form::Hash(x, y) => has_top(x) || has_inner_top(y),
        Form::Not(x) | Form::SumOver(_, x) => has_inner_top(x),
        Form::Sum(all) => all.iter().any(has_inner_top),
        Form::Product(all) => {
            all.iter().rev().skip(1).any(has_top) || all.last().is_some_and(has_inner_top)
        }
        Form::Zero | Form::One | Form::Top | Form::Atom(_) | Form::State(_) => false,
    }
}

/// Instances of one hypothesis may be settled on different sets of states only if T stands at the ends of right sides.
#[test]
fn hypotheses_of_shipped_theories_have_no_inner_top() {
    for coarsen::algebra::Shipped { name, .. } in shipped() {
        let theory = theory(name).expect("a theory that can be read");
        assert!(!theory.hypotheses.is_empty() && theory.conclusion.is_some());
        for h in &theory.hypotheses {
            assert!(
                !h.statement.sides.iter().any(has_inner_top),
                "{name} ({})",
                h.id
            );
        }
        // The test can fail: a product that goes on behind a T is found.
        let term = |form| Term::new(Default::default(), form);
        let product = Form::Product(vec![term(Form::Top), term(Form::One)]);
        assert!(has_inner_top(&term(product)));
    }
}

/// What was met before a limit was hit counts: the first thread goes wrong long before the others are explored.
#[test]
fn a_violation_met_before_a_limit_is_reported() {
    let source = "var x: 0..1 = 0 unprotected;
         thread early { x = x + 1; x = x + 1; }
         var z: 0..250 = 1 unprotected;
         thread late(i in 0..4) { var t: 0..7 = 0; havoc t; z = (z * 3 + t * (2 * i + 7)) % 251; }";
    let limits = coarsen::base::control::ParseLimits::default();
    let (session, _) = coarsen::Session::load("limit.cor", source, &[], limits).expect("a model");
    let theory = theory("stoller-cohen").expect("the theory");
    let mut found_before_the_end = 0;
    for nodes in [1000, 2000, 4000, 8000] {
        let budget = coarsen::base::control::Budget {
            nodes,
            ..Default::default()
        };
        let control = coarsen::base::control::Control::new(budget);
        let report = session.check(&theory, &CheckOptions::thorough(), &control);
        assert!(!report.is_contradicted(), "{}", report.reason);
        assert!(
            matches!(report.verdict, Verdict::Refuted | Verdict::Unknown),
            "{}",
            report.reason
        );
        let cut = report.limits.hit.is_some() && report.states.reduced.is_none();
        found_before_the_end += usize::from(cut && report.verdict == Verdict::Refuted);
    }
    // Not in each: the trace needs nodes as well.
    assert!(found_before_the_end > 0);
}

/// A claim at the beginning of an atomic block that begins with a lock was left out with all of the block, and nothing
/// was said: the model had one state.
#[test]
fn a_claim_may_begin_an_atomic_block() {
    let source = |inner: &str| {
        format!(
            "mutex a; mutex b; var x: 0..2 = 0 unprotected;
             thread t {{ atomic {{ transaction c {{ lock(a); {inner} x = 1; }} x = x + 1; }} }}
             thread u {{ lock(a); x = 0; unlock(a); }}
             invariant i: x < 2;"
        )
    };
    let report = checked(&source(""));
    let i = report.properties.iter().find(|p| p.name == "i");
    assert_eq!(i.map(|p| p.verdict), Some(Status::Refuted), "{report:#?}");
    let late = source("atomic { lock(b); }");
    for source in [&late, &source("lock(b);")] {
        let errors =
            check_source("late.cor", source, &CheckOptions::default()).expect_err("blocks later");
        assert_eq!(errors.iter().map(|d| d.code).collect::<Vec<_>>(), ["E0209"]);
    }
}
