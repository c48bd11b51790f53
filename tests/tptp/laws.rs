//! Which formulas are laws, and what follows where they are missing.

use super::naive::algebras;
use super::{DEPTH, folder, szs};
use coarsen::algebra::tptp::Szs;
use coarsen::algebra::tptp::text::{Formula, Item, Numbers, parse_problem};

/// Every formula of a file of axioms, by name.
fn axioms(name: &str) -> Vec<(String, Formula)> {
    let text = std::fs::read_to_string(folder().join(format!("Axioms/{name}.ax"))).expect("axioms");
    let items = parse_problem(&text, DEPTH, &mut Numbers::default()).expect("no errors");
    let formula = |item| match item {
        Item::Formula(f) => (f.name, f.formula),
        Item::Include(i) => panic!("{i:?}"),
    };
    items.into_iter().map(formula).collect()
}

/// The text of a file of axioms, one string a formula.
fn axiom_texts(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder().join(format!("Axioms/{name}.ax"))).expect("axioms");
    let text: String = text
        .lines()
        .filter(|l| !l.starts_with('%'))
        .fold(String::new(), |all, l| all + l + "\n");
    text.split_inclusive(").\n").map(String::from).collect()
}

#[test]
fn the_algebras_of_the_tests_satisfy_the_axioms() {
    for algebra in algebras() {
        for name in ["omega", "tests", "de_morgan"] {
            for (axiom, formula) in axioms(name) {
                assert!(
                    algebra.satisfies(&formula, &[]),
                    "{axiom} in {}",
                    algebra.name
                );
            }
        }
    }
}

/// Nor is anything proved of strong iteration without one of its axioms; the axioms hold.
#[test]
fn without_an_axiom_of_strong_iteration_it_is_no_theorem() {
    let texts = axiom_texts("demonic");
    for (n, axiom) in texts.iter().enumerate() {
        let rest: String = [&texts[..n], &texts[n + 1..]].concat().concat();
        let goal = axiom.replace(", axiom,", ", conjecture,");
        assert_eq!(szs("", &format!("{rest}{goal}")), Szs::GaveUp, "{axiom}");
        assert_eq!(szs("demonic", &goal), Szs::Theorem, "{axiom}");
    }
}

/// A counter-model without `x 0 = 0` has to satisfy what else is said; of tests and domains nothing is known there.
#[test]
fn demonic_counter_models_satisfy_every_axiom() {
    let goal = "fof(goal, conjecture, ! [X] : multiplication(X,zero) = zero ).\n";
    let with = |axiom: &str| szs("demonic", &format!("fof(more, axiom, {axiom} ).\n{goal}"));
    assert_eq!(szs("demonic", goal), Szs::CounterSatisfiable);
    assert_eq!(
        with("! [X] : leq(multiplication(X,zero),X)"),
        Szs::CounterSatisfiable
    );
    assert_eq!(
        with("! [X] : leq(multiplication(X,zero),zero)"),
        Szs::GaveUp
    );
    assert_eq!(
        with("multiplication(a,zero) = zero"),
        Szs::CounterSatisfiable
    );
    assert_eq!(
        with("! [P] : ( test(P) => multiplication(P,P) = P )"),
        Szs::GaveUp
    );
    assert_eq!(with("! [X] : domain(domain(X)) = domain(X)"), Szs::GaveUp);
    assert_eq!(with("! [X] : leq(omega(X),omega(X))"), Szs::GaveUp);
}

/// Of the axioms of domains none follows from the others either, and without one nothing is proved.
#[test]
fn without_an_axiom_of_domains_it_is_no_theorem() {
    for (file, others) in [("antidomain", "kleene"), ("domain", "semiring")] {
        let texts = axiom_texts(file);
        for (n, axiom) in texts.iter().enumerate() {
            let rest: String = [&texts[..n], &texts[n + 1..]].concat().concat();
            let goal = axiom.replace(", axiom,", ", conjecture,");
            assert_eq!(
                szs(others, &format!("{rest}{goal}")),
                Szs::GaveUp,
                "{axiom}"
            );
            assert_eq!(
                szs(&format!("{others} {file}"), &goal),
                Szs::Theorem,
                "{axiom}"
            );
        }
    }
}

/// Nor is anything proved of divergence without one of its axioms.
#[test]
fn without_an_axiom_of_divergence_it_is_no_theorem() {
    let texts = axiom_texts("divergence");
    assert_eq!(texts.len(), 2);
    for others in ["kleene antidomain", "semiring antidomain"] {
        for (n, axiom) in texts.iter().enumerate() {
            let goal = axiom.replace(", axiom,", ", conjecture,");
            let other = &texts[1 - n];
            assert_eq!(
                szs(others, &format!("{other}{goal}")),
                Szs::GaveUp,
                "{axiom}"
            );
            let whole = format!("{others} divergence");
            assert_eq!(szs(&whole, &goal), Szs::Theorem, "{axiom}");
        }
    }
}

/// An axiom does not follow from the others, so without it nothing may be said to follow that needs it. The only
/// exceptions are the two unfoldings, each of which follows from the other and induction.
#[test]
fn without_an_axiom_it_is_no_theorem() {
    for (file, others) in [("omega", ""), ("tests", "omega")] {
        let texts = axiom_texts(file);
        for (n, axiom) in texts.iter().enumerate() {
            let rest: String = [&texts[..n], &texts[n + 1..]].concat().concat();
            let goal = axiom.replace(", axiom,", ", conjecture,");
            let expected = match axiom {
                _ if axiom.contains("(unfold") => Szs::Theorem,
                // A demonic refinement algebra satisfies the others.
                _ if axiom.contains("(times_zero") => Szs::CounterSatisfiable,
                _ => Szs::GaveUp,
            };
            assert_eq!(szs(others, &format!("{rest}{goal}")), expected, "{axiom}");
            let whole = format!("{others} {file}");
            assert_eq!(szs(&whole, &goal), Szs::Theorem, "{axiom}");
            // Nor where something else needs it.
            let goal =
                "fof(goal, conjecture, ! [P,X] : ( ( test(P) & leq(X,omega(multiplication(P,X))) )
                => ( leq(X,multiplication(X,X)) | multiplication(c(P),X) = zero ) ) ).";
            let expected = match axiom.contains("(unfold") {
                true => szs(&format!("{others} {file} tests"), goal),
                false => Szs::GaveUp,
            };
            let tests = if file == "tests" { "" } else { "tests" };
            assert_eq!(
                szs(&format!("{others} {tests}"), &format!("{rest}{goal}")),
                expected,
                "{axiom}"
            );
        }
    }
}

/// Names say nothing, formulas everything: what looks like an axiom is none, and what is one may look different.
#[test]
fn axioms_are_recognised_by_their_formulas() {
    let goal = "fof(goal, conjecture, ! [P,X] : ( test(P) => leq(omega(multiplication(P,X)),omega(one)) ) ).";
    let whole = [axiom_texts("omega"), axiom_texts("tests")].concat();
    let with = |name: &str, formula: &str| {
        let mark = format!("fof({name}, axiom,");
        assert_eq!(
            whole.iter().filter(|a| a.contains(&mark)).count(),
            1,
            "{name}"
        );
        let all = whole.iter().map(|a| match a.contains(&mark) {
            true => format!("fof({name}, axiom, {formula} ).\n"),
            false => a.clone(),
        });
        szs("", &(all.collect::<String>() + goal))
    };
    for (name, formula) in [
        ("plus_comm", "! [Y,X] : addition(X,Y) = addition(Y,X)"),
        (
            "plus_assoc",
            "! [X] : ! [Y,Z] : addition(addition(X,Y),Z) = addition(X,addition(Y,Z))",
        ),
        ("plus_zero", "! [A] : A = addition(zero,A)"),
        (
            "times_plus",
            "! [A,B,C] : addition(multiplication(A,C),multiplication(A,B)) = multiplication(A,addition(B,C))",
        ),
        ("below", "! [A,B] : ( B = addition(B,A) <=> leq(A,B) )"),
        (
            "unfold",
            "! [A] : addition(multiplication(A,star(A)),one) = star(A)",
        ),
        (
            "unfold",
            "! [A] : addition(star(A),addition(multiplication(A,star(A)),one)) = star(A)",
        ),
        (
            "induct",
            "! [A,B,C] : ( leq(multiplication(star(A),C),B) <= leq(addition(C,multiplication(A,B)),B) )",
        ),
        (
            "induct",
            "! [A,B,C] : ( ~ leq(addition(C,multiplication(A,B)),B) | leq(multiplication(star(A),C),B) )",
        ),
        (
            "a_complement",
            "! [P,Q] : ( ( addition(Q,P) = one & zero = multiplication(Q,P) & multiplication(P,Q) = zero ) <=> \
             complement(Q,P) )",
        ),
        (
            "c_test",
            "! [P,Q] : ( ( complement(P,Q) <=> Q = c(P) ) <= test(P) )",
        ),
    ] {
        assert_eq!(with(name, formula), Szs::Theorem, "{name}: {formula}");
    }
    for (name, formula) in [
        ("plus_comm", "! [A,B] : addition(A,B) = addition(A,B)"),
        (
            "plus_assoc",
            "! [A,B,C] : addition(A,addition(B,C)) = addition(addition(A,C),C)",
        ),
        ("plus_zero", "! [A] : addition(A,one) = A"),
        ("plus_idem", "! [A,B] : addition(A,B) = A"),
        ("plus_idem", "? [A] : addition(A,A) = A"),
        (
            "times_assoc",
            "! [A,B,C] : multiplication(A,multiplication(B,C)) = multiplication(multiplication(A,C),B)",
        ),
        ("times_one", "! [A] : multiplication(one,A) = A"),
        (
            "times_plus",
            "! [A,B,C] : multiplication(A,addition(B,C)) = addition(multiplication(B,A),multiplication(A,C))",
        ),
        (
            "times_plus",
            "! [A,B] : multiplication(A,addition(B,B)) = addition(multiplication(A,B),multiplication(A,B))",
        ),
        ("times_zero", "! [A] : multiplication(zero,A) = zero"),
        ("times_zero", "! [A] : multiplication(A,zero) = A"),
        ("below", "! [A,B] : ( leq(A,B) <=> addition(A,B) = A )"),
        ("below", "! [A,B] : ( leq(A,B) => addition(A,B) = B )"),
        (
            "induct",
            "! [A,B,C] : ( leq(addition(multiplication(A,B),C),B) => leq(multiplication(star(B),C),B) )",
        ),
        (
            "induct",
            "! [A,B,C] : ( leq(multiplication(star(A),C),B) => leq(addition(multiplication(A,B),C),B) )",
        ),
        (
            "induct_back",
            "! [A,B,C] : ( leq(addition(multiplication(A,B),C),B) => leq(multiplication(star(A),C),B) )",
        ),
        ("forever", "! [A] : multiplication(omega(A),A) = omega(A)"),
        (
            "coinduct",
            "! [A,B,C] : ( leq(B,addition(multiplication(A,B),C)) => \
             leq(B,addition(omega(A),multiplication(star(C),C))) )",
        ),
        (
            "coinduct",
            "! [A,B] : ( leq(B,addition(multiplication(A,B),B)) => leq(B,addition(omega(A),multiplication(star(A),B))) \
             )",
        ),
        ("a_test", "! [P] : ( test(P) <=> ! [Q] : complement(Q,P) )"),
        ("a_test", "! [P,Q] : ( test(P) <=> complement(Q,P) )"),
        (
            "a_complement",
            "! [P,Q] : ( complement(Q,P) <=> ( multiplication(P,Q) = zero & addition(P,Q) = one ) )",
        ),
        (
            "c_test",
            "! [P,Q] : ( test(P) => ( c(P) = P <=> complement(P,Q) ) )",
        ),
        ("c_else", "! [P] : ( ~ test(P) => c(P) = one )"),
        ("c_else", "! [P] : ( test(P) => c(P) = zero )"),
    ] {
        assert_eq!(with(name, formula), Szs::GaveUp, "{name}: {formula}");
    }
}

/// Refuted without all axioms is refuted; but every axiom that is there has to hold in the model.
#[test]
fn counter_models_satisfy_every_axiom() {
    let goal = "fof(goal, conjecture, ! [X,Y] : multiplication(X,Y) = multiplication(Y,X) ).\n";
    let with = |axiom: &str| szs("semiring", &format!("fof(more, axiom, {axiom} ).\n{goal}"));
    assert_eq!(szs("", goal), Szs::CounterSatisfiable);
    assert_eq!(with("! [X] : leq(zero,X)"), Szs::CounterSatisfiable);
    assert_eq!(
        with("! [X,Y] : ( ( leq(X,Y) & leq(Y,X) ) => X = Y )"),
        Szs::CounterSatisfiable
    );
    assert_eq!(with("! [X] : multiplication(X,X) = X"), Szs::GaveUp);
    assert_eq!(with("! [X] : converse(converse(X)) = X"), Szs::GaveUp);
    // A definition can always be satisfied.
    assert_eq!(with("! [X] : converse(X) = X"), Szs::CounterSatisfiable);
    assert_eq!(
        with("? [X] : multiplication(X,X) != X"),
        Szs::CounterSatisfiable
    );
    assert_eq!(
        with("multiplication(a,b) = multiplication(b,a)"),
        Szs::CounterSatisfiable
    );
    assert_eq!(with("one = zero"), Szs::Theorem);
    assert_eq!(with("$false"), Szs::Theorem);
    assert_eq!(with("p(a)"), Szs::GaveUp);
}
