//! The reduction theorem: proved for any number of processes, within two seconds, from hints that are all needed, and
//! not without any one of its hypotheses.

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

/// `theories/observer.thy` says what A3 and A4 say of one more thread whose only step is the test V.
#[test]
fn the_laws_for_observers_are_instances_of_the_theorem() {
    let observer = coarsen::algebra::text::observer().expect("the file is in order");
    let theorem = coarsen::theory("flanagan-qadeer").expect("a theorem");
    assert_eq!(observer.hypotheses.len(), 2);
    for law in &observer.hypotheses {
        let of = theorem.hypotheses.iter().find(|h| h.id == law.id);
        let of = of.expect("a hypothesis of that name").statement.to_string();
        let instance = of.replace("i != j => ", "").replace("t[j]", "V");
        assert_eq!(law.statement.to_string(), instance);
        let told = law.statement.with_states("V", "x == 1").to_string();
        assert_eq!(told, instance.replace('V', "{x == 1}"));
    }
}

/// What the text shows of every program is said in the file, by one of five names.
#[test]
fn hypotheses_name_the_facts_that_the_text_shows() {
    let theorem = coarsen::theory("stoller-cohen").expect("a theorem");
    let named = theorem.hypotheses.iter().filter_map(|h| h.syntactic);
    assert_eq!(named.count(), theorem.hypotheses.len());
    for (fact, fails) in [("sticky", false), ("stickly", true), ("", true)] {
        let text = format!("test q; hypothesis a \"words\" syntactic {fact}: q = q;");
        assert_eq!(
            coarsen::algebra::text::parse_theory(&text, 100).is_err(),
            fails,
            "{fact}"
        );
    }
}
