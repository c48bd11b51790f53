//! Mutants of honest bundles: what is accepted is true of the model in it, by enumerations that have nothing in common
//! with the checker. `cargo bench --bench bundles` looks at many more.

use crate::mutants::replays::{Findings, replay};
use crate::mutants::sources::{Sources, WRITERS};
use crate::mutants::truth::{Judged, Worlds};
use crate::{mutants, random};

use coarsen::certificate::write;
use mutants::mutate::KINDS;

#[test]
fn mutants_that_are_accepted_are_true() {
    let sources = Sources::gather(9, 4, 4);
    let mut worlds = Worlds::default();
    for writer in WRITERS {
        let mut honest = sources.all.iter().filter(|s| s.writer == writer);
        assert!(honest.any(|s| s.name.starts_with("sample")), "{writer}");
    }
    for (n, source) in sources.all.iter().enumerate() {
        if n % 3 > 0 {
            continue;
        }
        let (verdict, _) = replay(&write(&source.bundle));
        let verdict = verdict.expect("no panic");
        assert!(verdict.is_accepted(), "{}: {verdict:#?}", source.name);
        let judged = worlds.judge(&source.bundle, sources.twin(&source.bundle.text));
        assert!(
            !matches!(judged, Judged::Lie(_)),
            "{}: {judged:?}",
            source.name
        );
    }
    let mut findings = Findings::default();
    for n in 0..u64::from(random::cases(500)) {
        findings.look(&sources, &mut worlds, n);
    }
    for failure in &findings.failures {
        eprintln!(
            "mutant {} of {} by {:?}: {}\n{}",
            failure.mutant, failure.of, failure.kinds, failure.why, failure.text
        );
    }
    assert!(findings.failures.is_empty());
    for kind in KINDS {
        let tally = findings.by_kind.get(kind).cloned().unwrap_or_default();
        assert!(
            random::enough(tally.rejected, 1),
            "no mutant by {kind} is rejected: {tally:?}"
        );
    }
    let all: Vec<_> = findings.by_writer.values().collect();
    let rejected: usize = all.iter().map(|t| t.rejected).sum();
    let right: usize = all.iter().map(|t| t.true_).sum();
    let by_twin: usize = all.iter().map(|t| t.by_twin).sum();
    assert!(
        random::enough(rejected, 200) && random::enough(right, 50) && random::enough(by_twin, 15),
        "{:?}",
        findings.by_kind
    );
}
