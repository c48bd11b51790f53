//! The first screen of `coarsen check`: short, whatever the model.

use crate::shipped::models;
use coarsen::base::control::Control;
use coarsen::command::coverage::{ALWAYS, coverage};
use coarsen::report::text::{Detail, render};
use coarsen::results::{CrossCheck, Note, Status, Verdict};

/// At most 15 lines where all holds, and 25 beside traces and the witnesses of hypotheses where not.
#[test]
fn the_first_screen_is_short() {
    let (mut held, mut others) = (0, 0);
    for m in models() {
        let mut report = m.report(false);
        let session = m.load(&[]);
        let looked_at = coverage(session.program(), ALWAYS, &Control::default());
        report.coverage = Some(looked_at.expect("no limit"));
        // What `--cross-check` adds is asked for.
        let added = |n: &Note| matches!(n, Note::CrossCheck(CrossCheck::Agrees));
        report.notes.retain(|n| !added(n));
        let refuted = |h: &coarsen::results::Hypothesis| h.witness.is_some();
        let has_witness = report
            .hypotheses
            .iter()
            .chain(&report.well_formedness)
            .any(refuted);
        let holds = report.verdict == Verdict::Holds;
        for property in &mut report.properties {
            assert!(property.verdict != Status::Refuted || !holds, "{}", m.name);
            property.trace = None;
        }
        let lines = render(&report, Detail::Normal).lines().count();
        match (holds, has_witness) {
            (true, _) => assert!(lines <= 15, "{}: {lines} lines", m.name),
            (false, false) => assert!(lines <= 25, "{}: {lines} lines", m.name),
            (false, true) => {}
        }
        held += usize::from(holds);
        others += usize::from(!holds && !has_witness);
    }
    assert!(held > 50 && others > 20, "{held} and {others}");
}
