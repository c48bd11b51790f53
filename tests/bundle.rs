//! Bundles: what a check establishes is accepted by the leaf checker, and what is changed in a bundle is rejected or still true.

mod shipped;

use coarsen::bundle::write;
use coarsen::control::Control;
use coarsen::leaf::{BundleVerdict, verify};
use coarsen::report::{Report, Status, Verdict};
use coarsen::{CheckOptions, Session, theory};

fn check(session: &Session) -> Report {
    let theory = theory("stoller-cohen").expect("the default theorem");
    let options = CheckOptions {
        certificate: true,
        ..CheckOptions::default()
    };
    session.check(&theory, &options, &Control::default())
}

fn replay(bundle: &str) -> BundleVerdict {
    verify(bundle, &Control::default())
}

#[test]
fn every_shipped_model_that_holds_has_a_bundle_that_is_accepted() {
    let mut accepted = 0;
    for model in shipped::models() {
        let report = check(&model.load(&[]));
        let begun = std::time::Instant::now();
        let shown = report
            .properties
            .iter()
            .any(|p| p.verdict == Status::Holds && p.trace.is_none());
        assert_eq!(
            report.bundle.is_some(),
            shown,
            "{}: {}",
            model.name,
            report.reason
        );
        if report.verdict == Verdict::Holds {
            assert!(report.bundle.is_some(), "{}", model.name);
        }
        let Some(bundle) = report.bundle else {
            continue;
        };
        let bundle = write(&bundle);
        let verdict = replay(&bundle);
        println!(
            "{} bytes, {:?}\n{}",
            bundle.len(),
            begun.elapsed(),
            verdict.text(&model.name)
        );
        assert!(verdict.is_accepted(), "{}: {verdict:#?}", model.name);
        accepted += 1;
    }
    assert!(accepted >= 20, "{accepted}");
}
