//! The lemmas that hypotheses are derived by: their shipped proofs, and what they save.

use coarsen::algebra::files::{Text, load_suite};
use coarsen::algebra::prove::{Limits, establish};
use coarsen::algebra::{lemmas, library};
use coarsen::base::control::{Control, ParseLimits};
use coarsen::certificate::{verify, write};
use coarsen::kernel;
use coarsen::results::{Discharge as How, Evidence, Report, Status, Verdict};
use coarsen::theorem::{By, Discharge};
use coarsen::{CheckOptions, Session, theory};
use std::path::Path;

/// The proofs of all lemmas, found anew.
fn proofs() -> String {
    let named = library()
        .iter()
        .filter(|(name, ..)| name.starts_with("lemma-"));
    let text: String = named.map(|(name, ..)| format!("use {name};\n")).collect();
    let name = "lemmas.thy".to_string();
    let mut none = |_: &str, path: &str| Err(format!("{path} is not looked for"));
    let mut suite = load_suite(Text { name, text }, 100, &mut none).expect("the lemmas");
    for item in 0..suite.items.len() {
        let found = establish(&mut suite, item, &Limits::default());
        assert!(found.is_some(), "{}", suite.items[item].name);
    }
    kernel::write(&suite.development)
}

#[test]
fn shipped_proofs_are_those_of_the_files() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("proofs/lemmas.cert");
    let found = proofs();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &found).expect("the certificate");
        return;
    }
    assert!(lemmas() == found, "`./dev bless lemmas` writes them anew");
    assert!(kernel::read(lemmas()).is_ok());
}

fn check(source: &str, by: By) -> (Report, Discharge) {
    let session = Session::load("k.cor", source, &[], ParseLimits::default());
    let (session, _) = session.unwrap_or_else(|errors| panic!("{errors:?}"));
    let options = CheckOptions {
        discharge: by,
        ..CheckOptions::default()
    };
    let theory = theory("stoller-cohen").expect("the default theorem");
    session.check_with_facts(&theory, &options, &Control::default())
}

fn accesses(k: usize, threads: usize) -> String {
    let each = "x = x + 1; ".repeat(k);
    format!(
        "mutex m; var x: mod 4 = 0;
         thread w(i in 0..{}) {{ lock(m); {each}unlock(m); }}",
        threads - 1
    )
}

#[test]
fn a_critical_section_costs_as_many_facts_as_one_access() {
    let of = |k| {
        let (report, _) = check(&accesses(k, 4), By::Both);
        assert_eq!(report.verdict, Verdict::Holds);
        assert_eq!(report.states.reduced.as_deref(), Some("48"));
        for h in &report.hypotheses {
            assert_eq!((h.status, h.discharge), (Status::Holds, How::Derived));
        }
        let facts = report.hypotheses.iter().map(|h| h.facts.clone());
        facts.collect::<Vec<String>>()
    };
    let few = of(2);
    assert_eq!(few, ["4", "12", "12", "72", "12", "8", "4", "4"]);
    assert_eq!(of(17), few);
}

#[test]
fn two_accesses_of_one_variable_are_a_lemmas_business() {
    let (report, discharge) = check(&accesses(3, 3), By::Either);
    let of = |id: &str| report.hypotheses.iter().find(|h| h.id == id).expect(id);
    let Evidence::Derived(derivation) = &of("14").evidence else {
        panic!("{}", of("14").evidence);
    };
    assert_eq!(derivation.lemmas, ["protected"]);
    // Each fact is about one step, and at most one test of another thread.
    for fact in &derivation.facts {
        let left = fact.split([' ', '=']).filter(|l| l.starts_with("w("));
        let mut steps: Vec<&str> = left.collect();
        steps.sort_unstable();
        steps.dedup();
        assert_eq!(steps.len(), 1, "{fact}");
    }
    assert_eq!(derivation.facts.len(), 10);
    let read = kernel::read(&kernel::write(&discharge.development));
    assert!(read.is_ok(), "{:?}", read.err());
}

const READ_AND_WRITTEN: &str = "rwlock l; var x: 0..3 = 0 protected x by l;
    thread w(i in 0..1) { write_lock(l); x = (x + 1) % 4; write_unlock(l); }
    thread r(i in 0..1) { var t: 0..3 = 0; read_lock(l); READ: t = x; read_unlock(l); }";

/// What a step needs to read is less than what it needs to write.
#[test]
fn a_reader_and_a_writer_are_a_lemmas_business() {
    let (report, discharge) = check(READ_AND_WRITTEN, By::Both);
    assert_eq!(report.verdict, Verdict::Holds, "{}", report.reason);
    let of = report.hypotheses.iter().find(|h| h.id == "14").expect("14");
    let Evidence::Both(derivation, _) = &of.evidence else {
        panic!("{}", of.evidence);
    };
    assert_eq!(derivation.lemmas, ["protected"]);
    let facts = &derivation.facts;
    let reads = |f: &String| f.contains("reads x(r(i))") || f.contains("reads x(r(j))");
    assert!(facts.iter().any(reads), "{facts:?}");
    // No fact is about a step of each.
    let together = |f: &&String| {
        let has = |of| f.split([' ', '=']).any(|letter| letter.starts_with(of));
        f.contains(".READ") && has("r(") && has("w(")
    };
    assert_eq!(facts.iter().find(together), None);
    let read = kernel::read(&kernel::write(&discharge.development));
    assert!(read.is_ok(), "{:?}", read.err());
}

/// The checker reads the letter for itself: that of exclusive access in its place is another one.
#[test]
fn a_bundle_says_which_access_is_meant() {
    let session = Session::load("k.cor", READ_AND_WRITTEN, &[], ParseLimits::default());
    let (session, _) = session.unwrap_or_else(|errors| panic!("{errors:?}"));
    let options = CheckOptions {
        certificate: true,
        ..CheckOptions::default()
    };
    let theory = theory("stoller-cohen").expect("the default theorem");
    let report = session.check(&theory, &options, &Control::default());
    let text = write(report.bundle.as_deref().expect("a bundle"));
    assert!(text.contains("letter reading 1 x\n"));
    let rejected = |text: &str| verify(text, None, &[], &Control::default()).rejected;
    assert_eq!(rejected(&text), None);
    let forged = text.replace("letter reading 1 x", "letter exclusive 1 x");
    assert!(rejected(&forged).is_some_and(|why| why.contains("no fact")));
}

/// A value that is read by any number of threads once a flag says that it is there.
#[test]
fn published_data_are_read_for_every_number_of_readers() {
    let source = "const N = 3; var tab: 0..3 = 0; var ready: bool = false;
        thread maker { tab = 2; ready = true; }
        thread r(i in 0..N-1) { var t: 0..3 = 0; when (ready) skip; t = tab; t = tab + 0; }";
    let session = Session::load("k.cor", source, &[], ParseLimits::default());
    let (session, _) = session.unwrap_or_else(|errors| panic!("{errors:?}"));
    let theory = theory("stoller-cohen").expect("the default theorem");
    let report = session.every(&theory, "N", true, &Control::default());
    assert_eq!(report.verdict, Verdict::Holds);
    assert_eq!(report.from.as_deref(), Some("1"));
    let reads = |f: &String| f.contains("reads tab(r(i))");
    assert!(report.facts.iter().any(reads), "{:?}", report.facts);
    let text = write(report.bundle.as_deref().expect("a bundle"));
    let rejected = |text: &str| verify(text, None, &[], &Control::default()).rejected;
    assert_eq!(rejected(&text), None);
    let (mine, others) = ("letter reading", "letter exclusive");
    assert!(text.contains(mine) && rejected(&text.replace(mine, others)).is_some());
}

#[test]
fn where_a_premise_is_no_fact_the_pair_is_compared() {
    // The first step accesses x only sometimes, so that it violates where it has no access is no fact.
    let source = "mutex m; var x: 0..3 = 0 protected x by m; var c: bool = false;
        thread w(i in 0..1) { var t: bool = false; t = c;
            lock(m); atomic { if (t) { x = 1; } } x = 2; unlock(m); }";
    let (report, _) = check(source, By::Both);
    assert_eq!(report.verdict, Verdict::Holds, "{}", report.reason);
    for h in &report.hypotheses {
        assert_eq!(
            (h.status, h.discharge),
            (Status::Holds, How::Derived),
            "{}",
            h.id
        );
    }
}
