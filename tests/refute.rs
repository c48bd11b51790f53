//! The refuter against naive enumeration of all small relations, and the models that come with the tool.

use crate::algebra::dice::{Dice, Vocabulary};
use crate::algebra::model::Model as Naive;
use crate::random;
use coarsen::algebra::files::{Flawed, Text, load_suite};
use coarsen::algebra::prove::{Engine, Limits, Status, prove};
use coarsen::algebra::refute::refute;
use coarsen::algebra::suite::{Declared, Suite};
use coarsen::kernel::{Id, Statement, Terms};

fn load(text: &str) -> Result<Suite, Box<Flawed>> {
    let file = Text {
        name: "test.thy".to_string(),
        text: text.to_string(),
    };
    load_suite(file, 100, &mut |path, _| Err(format!("no path {path}")))
}

fn shipped(name: &str) -> Suite {
    load(&format!("use {name};")).unwrap_or_else(|flawed| panic!("{flawed:?}"))
}

/// The fewest states, up to `most`, of relations that satisfy the premises and not the goal.
fn fewest(
    terms: &Terms,
    premises: &[Statement],
    goal: &Statement,
    most: usize,
    processes: &[usize],
) -> Option<usize> {
    (1..=most).find(|states| {
        processes.iter().any(|processes| {
            Naive::all(terms, *states, *processes)
                .any(|m| !m.holds(terms, goal) && premises.iter().all(|h| m.holds(terms, h)))
        })
    })
}

fn inclusion(d: &mut Dice, v: &Vocabulary, terms: &mut Terms, most: usize) -> (Id, Id) {
    let (left, right) = (1 + d.below(most), 1 + d.below(most));
    (v.term(d, terms, left, 0), v.term(d, terms, right, 0))
}

/// Random statements with hypotheses: a model is found if and only if there is one, and it has as few states as there
/// can be.
fn agree(cases: u32, actions: usize, tests: usize, most: usize, indexed: bool) {
    let (mut found, mut searched) = (0, 0);
    for seed in 0..u64::from(random::cases(cases)) {
        let mut d = Dice::seeded(seed);
        let mut terms = Terms::new();
        let mut v = Vocabulary::plain(&mut terms, actions, tests);
        if indexed {
            v.actions = vec![(terms.symbol("u", false, 1), 1)];
            v.tests = vec![(terms.symbol("e", true, 1), 1)];
            v.variables = 2;
        }
        v.top = d.flip();
        v.omega = d.flip();
        let mut premises = Vec::new();
        for _ in 0..d.below(4) {
            premises.push(Statement {
                distinct: v.distinct(&mut d),
                parts: vec![inclusion(&mut d, &v, &mut terms, 4)],
            });
        }
        let goal = Statement {
            distinct: v.distinct(&mut d),
            parts: vec![inclusion(&mut d, &v, &mut terms, 6)],
        };
        // With three there would be too many.
        let processes: &[usize] = if indexed { &[1, 2] } else { &[0] };
        let due = fewest(&terms, &premises, &goal, most, processes);
        let search = refute(
            &terms,
            &premises,
            &goal.distinct,
            &goal.parts,
            &Limits::default(),
        );
        let told = search.model.as_ref().map(|m| m.states);
        let with_three = search.model.as_ref().is_some_and(|m| m.processes == 3);
        match due {
            Some(states) => {
                assert!(
                    told == Some(states) || with_three && told < due,
                    "seed {seed}: {told:?}"
                );
                found += 1;
            }
            None => {
                let larger = told.is_none_or(|n| n > most || with_three);
                assert!(larger, "seed {seed}: {told:?}");
                searched += usize::from(search.searched >= most);
            }
        }
        if let Some(model) = search.model {
            assert!(
                model.is_confirmed(&terms, &premises, &goal.parts[model.part]),
                "seed {seed}"
            );
            assert!(model.smallest || model.states > 4, "seed {seed}");
        }
    }
    println!(
        "{actions} actions, {tests} tests, {most} states: {found} refuted, {searched} searched completely"
    );
    assert!(random::enough(found, 20) && random::enough(searched, 20));
}

#[test]
fn a_model_is_found_where_there_is_one_on_two_states() {
    agree(150, 2, 1, 2, false);
}

#[test]
fn a_model_is_found_where_there_is_one_on_three_states() {
    agree(60, 1, 1, 3, false);
}

#[test]
fn a_model_is_found_where_there_is_one_with_processes() {
    agree(60, 0, 0, 2, true);
}

/// A path without a shortcut has one state more than steps; it is found beyond the sizes that are searched completely,
/// too.
#[test]
fn some_statements_need_many_states() {
    for steps in 1..=12 {
        let powers: Vec<String> = (1..steps).map(|n| "x ".repeat(n)).collect();
        let shorter = [&["1".to_string()], powers.as_slice()].concat().join(" + ");
        let text = format!(
            "action x, y; fails a : {} <= {shorter} + y*;",
            "x ".repeat(steps)
        );
        let mut suite = load(&text).expect("a suite");
        let outcome = prove(&mut suite, 0, &Limits::default());
        let model = outcome.model.expect("a model");
        assert_eq!(
            (outcome.status, model.states),
            (Status::Refuted, steps + 1),
            "{text}"
        );
        // All relations on up to four states have been searched.
        assert_eq!(model.smallest, model.states <= 5, "{text}");
    }
}

/// What is told of statements that relations satisfy and the axioms do not give.
#[test]
fn what_holds_in_relations_only_is_unknown_and_said_to_be_so() {
    let file = "action x, y; test p;
        open a : x <= x T x;
        open b : x y T <= x T x y T;
        open c [x y <= y x] : x <= x T x;
        open d : x^w <= x^w T x^w;
        open e : T y T x T <= T x T y T;";
    let mut suite = load(file).expect("a suite");
    for (item, expected) in [
        "it does not follow from the axioms",
        "it does not follow from the axioms",
        "it is not known whether it follows from the axioms",
        "holds in all relations",
        "holds in all relations on up to 4 states",
    ]
    .iter()
    .enumerate()
    {
        let outcome = prove(&mut suite, item, &Limits::default());
        assert_eq!(outcome.status, Status::Unknown);
        let told = outcome.why.join("\n");
        assert!(told.contains(expected), "{told}");
    }
    assert_eq!(suite.development.theorems().len(), 0);
}

/// The states of the models in a shipped file, by the name of the statement.
fn sizes(name: &str) -> Vec<(String, usize, usize)> {
    let mut suite = shipped(name);
    let mut sizes = Vec::new();
    for n in 0..suite.items.len() {
        if suite.items[n].declared != Declared::Refuted {
            continue;
        }
        let outcome = prove(&mut suite, n, &Limits::default());
        let name = suite.items[n].name.clone();
        assert_eq!(
            (outcome.status, outcome.engine),
            (Status::Refuted, Engine::Model),
            "{name}"
        );
        let model = outcome.model.expect("a model");
        sizes.push((name, model.states, model.processes));
    }
    sizes
}

/// Whether the refuter finds models of this size, and none smaller, for those that it can search completely.
fn are_smallest(name: &str, of: &[&str]) {
    let mut suite = shipped(name);
    for n in 0..suite.items.len() {
        let item = &mut suite.items[n];
        if !of.contains(&item.name.as_str()) {
            continue;
        }
        let states = item.model.take().expect("a model").states;
        let outcome = prove(&mut suite, n, &Limits::default());
        let found = outcome.model.expect("a model");
        assert_eq!((found.states, found.smallest), (states, true), "{name}");
    }
}

#[test]
fn each_hypothesis_of_stoller_and_cohen_is_needed() {
    let due = [
        ("needs 11", 3, 2),
        ("needs 12", 4, 2),
        ("needs 12, nobody disables", 4, 2),
        ("needs 13", 3, 2),
        ("needs 13, nobody disables", 3, 2),
        ("needs 14", 5, 2),
        ("needs 15", 3, 2),
        ("needs 16, visible", 3, 1),
        ("needs 16, invisible", 2, 1),
        ("needs 17", 3, 2),
        ("needs 18", 3, 2),
        ("needs M q in R", 2, 1),
    ];
    let due: Vec<_> = due
        .iter()
        .map(|(n, s, p)| (n.to_string(), *s, *p))
        .collect();
    assert_eq!(sizes("stoller-cohen-necessity"), due);
    let quick = due.iter().filter(|(_, s, _)| *s <= 3);
    let quick: Vec<&str> = quick.map(|(n, _, _)| n.as_str()).collect();
    are_smallest("stoller-cohen-necessity", &quick);
}

#[test]
fn hypotheses_of_flanagan_and_qadeer_are_needed() {
    let due = [
        ("needs A1", 2, 2),
        ("needs A2", 6, 2),
        ("needs A3", 3, 2),
        ("needs A4", 4, 2),
        ("needs A5-r", 3, 2),
        ("needs A5-l", 3, 2),
        ("needs A5-w, half of it", 3, 2),
        ("needs A5-w, the other half", 4, 3),
        ("needs A6", 3, 2),
    ];
    let due: Vec<_> = due
        .iter()
        .map(|(n, s, p)| (n.to_string(), *s, *p))
        .collect();
    assert_eq!(sizes("flanagan-qadeer-necessity"), due);
    let quick = due.iter().filter(|(_, s, _)| *s <= 3);
    let quick: Vec<&str> = quick.map(|(n, _, _)| n.as_str()).collect();
    are_smallest("flanagan-qadeer-necessity", &quick);
}

/// A model told in the text is accepted where it is pasted.
#[test]
fn models_can_be_pasted_back() {
    let names = "action x, y, u[i]; test p, e[i];";
    for statement in [
        "x y <= y x",
        "[x x <= 0] : p x <= x p",
        "u[i] <= u[j]",
        "i != j => e[i] u[i] <= u[i] e[j]",
        "(+ i : u[i]) x <= x (+ i : u[i])",
        "x^w <= y^w",
    ] {
        let colon = if statement.starts_with('[') { "" } else { ":" };
        let mut suite = load(&format!("{names} fails a {colon} {statement};")).expect(statement);
        let outcome = prove(&mut suite, 0, &Limits::default());
        assert_eq!(outcome.engine, Engine::Refuter, "{statement}");
        let end = outcome.why.iter().position(|l| l == "}").expect("a model");
        let model = outcome.why[..=end].join("\n");
        let again = load(&format!("{names} fails a {colon} {statement} {model};"));
        let mut again = again.unwrap_or_else(|f| panic!("{statement}: {f:?}"));
        let same = prove(&mut again, 0, &Limits::default());
        assert_eq!(same.engine, Engine::Model, "{statement}");
        let (one, other) = (outcome.model.expect("one"), same.model.expect("one"));
        assert_eq!(
            (one.atoms, one.variables, one.pair),
            (other.atoms, other.variables, other.pair),
            "{statement}"
        );
    }
}
