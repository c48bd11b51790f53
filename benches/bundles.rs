//! Many mutants of honest bundles: what the checker accepts is held against plain enumerations of the model.
//!
//! `COUNT=n cargo bench --bench bundles` (the number of mutants; default 20,000); `FIRST=n` begins with another one. A
//! mutant that is accepted and not true, panics, or takes more than five seconds is told with what repeats it; its text
//! is left in `target/bundles`.

#[path = "../tests/support/claimed.rs"]
mod claimed;
#[path = "../tests/mutants/mod.rs"]
mod mutants;
#[path = "../tests/support/random.rs"]
mod random;
#[path = "../tests/shipped/mod.rs"]
mod shipped;
#[path = "../tests/twin/mod.rs"]
mod twin;

use mutants::replays::{Failure, Findings, Tally};
use mutants::sources::Sources;
use mutants::truth::Worlds;
use std::collections::BTreeMap;
use std::time::Instant;

fn main() {
    let (count, first) = (random::number("COUNT", 20_000), random::number("FIRST", 0));
    let started = Instant::now();
    let sources = Sources::gather(30, 40, 30);
    println!(
        "{} bundles of evidence in {:?}",
        sources.all.len(),
        started.elapsed()
    );
    let mut worlds = Worlds::default();
    let mut findings = Findings::default();
    let (started, mut told) = (Instant::now(), 0);
    for n in first..first + count {
        findings.look(&sources, &mut worlds, n);
        for failure in &findings.failures[told..] {
            tell(failure);
        }
        told = findings.failures.len();
        if (n + 1) % 1_000 == 0 {
            println!("{} mutants in {:?}", n + 1 - first, started.elapsed());
        }
    }
    table("by", &findings.by_kind);
    table("evidence by", &findings.by_writer);
    let mut why: Vec<_> = findings.why.iter().collect();
    why.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    for (why, n) in why.into_iter().take(60) {
        println!("{n:6} {why}");
    }
    println!(
        "{count} mutants in {:?}, the slowest in {:?}; {told} failures",
        started.elapsed(),
        findings.slowest
    );
    assert!(told == 0, "{told} failures");
}

fn tell(failure: &Failure) {
    let Failure {
        mutant,
        kinds,
        of,
        why,
        text,
    } = failure;
    println!("mutant {mutant} of {of}, by {}: {why}", kinds.join(", "));
    let seed = std::env::var("SEED").unwrap_or("0".into());
    println!("  to repeat it: SEED={seed} FIRST={mutant} COUNT=1 cargo bench --bench bundles");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/target/bundles");
    let file = format!("{folder}/{seed}-{mutant}.bundle");
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, text));
    println!("  {file}: {written:?}");
}

fn table(what: &str, all: &BTreeMap<&str, Tally>) {
    println!("{what:16} accepted (true, by the twin as well; open) rejected unknown");
    for (name, t) in all {
        println!(
            "{name:16} {:8} ({:5} {:5} {:5}) {:8} {:6}",
            t.accepted, t.true_, t.by_twin, t.open, t.rejected, t.unknown
        );
    }
}
