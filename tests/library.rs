//! The laws by level: each has the status that its file declares, and the kernel accepts all proofs again from their text.

use coarsen::algebra::library;
use coarsen::algebra::prove::{Limits, Status, prove};
use coarsen::algebra::suite::Declared;
use coarsen::kernel;
use coarsen::suites::{Text, load_suite};

/// Proves a shipped file; how many statements were proved, refuted and left open.
fn check(name: &str) -> [usize; 3] {
    let (_, path, text) = library()
        .iter()
        .find(|(n, _, _)| *n == name)
        .expect("a shipped file");
    let file = Text {
        name: path.to_string(),
        text: text.to_string(),
    };
    let mut suite = load_suite(file, 100, &mut |path, _| Err(format!("no path {path}")))
        .unwrap_or_else(|flawed| panic!("{flawed:?}"));
    let limits = Limits::default();
    let mut counts = [0; 3];
    for n in 0..suite.items.len() {
        let item = &suite.items[n];
        let (name, declared, asked) = (item.name.clone(), item.declared, item.asked);
        if !asked {
            continue;
        }
        let outcome = prove(&mut suite, n, &limits);
        let due = match declared {
            Declared::Proved => Status::Proved,
            Declared::Refuted => Status::Refuted,
            Declared::Open => Status::Unknown,
        };
        assert_eq!(outcome.status, due, "{name}: {:?}", outcome.why);
        counts[declared as usize] += 1;
    }
    // Everything, with what it uses, is accepted again from its text; it rests on no hypothesis.
    let text = kernel::write(&suite.development);
    let again = kernel::read(&text).unwrap_or_else(|rejected| panic!("{rejected}"));
    assert!(again.hypotheses().is_empty());
    assert!(again.theorems().len() >= counts[0]);
    counts
}

#[test]
fn semiring() {
    assert_eq!(check("semiring"), [61, 14, 2]);
}

#[test]
fn kleene() {
    assert_eq!(check("kleene"), [82, 14, 0]);
}

#[test]
fn tests() {
    assert_eq!(check("tests"), [84, 15, 0]);
}

#[test]
fn top() {
    assert_eq!(check("top"), [50, 12, 3]);
}

#[test]
fn omega() {
    assert_eq!(check("omega"), [66, 13, 1]);
}
