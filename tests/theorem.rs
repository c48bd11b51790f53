//! The reduction theorem: proved for any number of processes, within two seconds, from hints that are all needed, and
//! not without any one of its hypotheses.

use crate::clock::Clock;
use coarsen::algebra::files::{Text, load_suite};
use coarsen::algebra::prove::{Limits, Status, ablate, prove};
use coarsen::algebra::suite::Suite;
use coarsen::kernel;

const THEORY: &str = include_str!("../theories/stoller_cohen.thy");
const PROOF: &str = include_str!("../proofs/stoller_cohen.thy");

fn suite(theory: &str, proof: &str) -> Result<Suite, String> {
    let proof = proof.replace("use stoller-cohen;", "use \"theory.thy\";");
    let mut load = |path: &str, _: &str| match path {
        "theory.thy" => Ok(Text {
            name: path.into(),
            text: theory.into(),
        }),
        other => Err(format!("no file {other}")),
    };
    let file = Text {
        name: "proof.thy".into(),
        text: proof,
    };
    load_suite(file, 1000, &mut load).map_err(|e| format!("{:?}", e.diagnostics))
}

fn item(suite: &Suite, name: &str) -> usize {
    let found = suite.items.iter().position(|i| i.name == name);
    found.unwrap_or_else(|| panic!("no statement {name}"))
}

#[test]
fn the_theorem_is_proved_with_all_its_lines() {
    let begun = Clock::start();
    let mut suite = suite(THEORY, PROOF).expect("the files are in order");
    for n in 0..suite.items.len() {
        let outcome = prove(&mut suite, n, &Limits::default());
        assert_eq!(
            outcome.status,
            Status::Proved,
            "{}: {:?}",
            suite.items[n].name,
            outcome.why
        );
    }
    for line in ["eq19", "eq20", "eq21", "eq22", "eq23", "eq24", "eq25"] {
        assert!(suite.items.iter().any(|i| i.name.contains(line)), "{line}");
    }
    let text = kernel::write(&suite.development);
    let read = kernel::read(&text).expect("the kernel accepts what it has admitted");
    assert_eq!(read.theorems().len(), suite.development.theorems().len());
    // Two seconds on a machine with nothing else to do; the tests of other files run beside this one.
    assert!(begun.elapsed().as_secs_f64() < 20.0);
}

#[test]
fn every_hint_is_needed() {
    let mut suite = suite(THEORY, PROOF).expect("the files are in order");
    let limits = Limits::default();
    for n in 0..suite.items.len() {
        assert_eq!(prove(&mut suite, n, &limits).status, Status::Proved);
        let unneeded = ablate(&mut suite, n, &limits);
        assert!(unneeded.is_empty(), "{}: {unneeded:?}", suite.items[n].name);
    }
}

#[test]
fn no_hypothesis_can_be_left_out() {
    // In the form of the theory file: what is taken away is made trivial, so that the hints still name something.
    let weaker = [
        ("11", "(u[i] ~q)^w = 0;", "0 = 0;"),
        ("12", "u[j] p[i] = p[i] u[j];", "0 = 0;"),
        ("13", "v[j] p[i] = p[i] v[j];", "0 = 0;"),
        ("14", "u[j] u[i] <= u[i] (q T + u[j] + u[j] q T);", "0 = 0;"),
        ("15", "v[j] u[i] <= u[i] (q T + v[j] + v[j] q T);", "0 = 0;"),
        ("16, first", "~p[i] v[i] = 0 = p[i] u[i];", "p[i] u[i] = 0;"),
        (
            "16, second",
            "~p[i] v[i] = 0 = p[i] u[i];",
            "~p[i] v[i] = 0;",
        ),
        ("17", "1 <= p[i] + u[i] T;", "0 = 0;"),
        ("18", "q u[i] <= u[i] q;", "0 = 0;"),
    ];
    let limits = Limits {
        steps: 300,
        models: 0,
        ..Limits::default()
    };
    for (name, formula, without) in weaker {
        assert_eq!(THEORY.matches(formula).count(), 1, "{name}");
        let mut suite =
            suite(&THEORY.replace(formula, without), PROOF).expect("the files are in order");
        let theorem = item(&suite, "eq19");
        assert_ne!(
            prove(&mut suite, theorem, &limits).status,
            Status::Proved,
            "without ({name})"
        );
    }
}
