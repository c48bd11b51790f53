//! A theorem that rests on hypotheses, used for other letters: only with a proof of each hypothesis for those.

use coarsen_kernel::{Development, Rule, Statement, Theorem, ZERO};

#[test]
fn replaced_letters_need_the_hypotheses_again() {
    let mut d = Development::default();
    let (a, b) = (d.terms.symbol("a", false, 0), d.terms.symbol("b", false, 0));
    let (x, y) = (d.terms.atom(a, Vec::new()), d.terms.atom(b, Vec::new()));
    let empty = |t| Statement {
        distinct: Vec::new(),
        parts: vec![(t, ZERO)],
    };
    d.assume("a is empty", empty(x));
    let first = Theorem {
        name: "first".into(),
        statement: empty(x),
        steps: vec![Rule::Hypothesis(0, 0, Vec::new())],
        proves: vec![0],
        ..Theorem::default()
    };
    let first = d.admit(first).expect("it is the hypothesis");
    assert!(d.is_conditional(first));
    let used = |premises: Vec<usize>| Rule::Theorem {
        theorem: first,
        part: 0,
        variables: Vec::new(),
        letters: vec![(a, y)],
        premises,
    };
    let unfounded = Theorem {
        name: "unfounded".into(),
        statement: empty(y),
        steps: vec![used(Vec::new())],
        proves: vec![0],
        ..Theorem::default()
    };
    assert!(d.admit(unfounded).is_err());
    // The hypothesis about a proves nothing about b.
    let mistaken = Theorem {
        name: "mistaken".into(),
        statement: empty(y),
        steps: vec![Rule::Hypothesis(0, 0, Vec::new()), used(vec![0])],
        proves: vec![1],
        ..Theorem::default()
    };
    assert!(d.admit(mistaken).is_err());
    let founded = Theorem {
        name: "founded".into(),
        premises: vec![empty(y)],
        statement: empty(y),
        steps: vec![Rule::Premise(0, 0, Vec::new()), used(vec![0])],
        proves: vec![1],
    };
    let founded = d.admit(founded).expect("b is empty by its premise");
    assert!(!d.is_conditional(founded));
}
