//! The engines of the algebra against naive twins and against relational models.

use crate::{algebra, random};

use algebra::dice::{Dice, Text, Vocabulary};
use algebra::differential::{Figures, one};
use algebra::naive::included;
use coarsen::algebra::prove::{Decider, Limits};
use coarsen::algebra::refute::{Model, refute};
use coarsen::kernel::{Development, Id, Rule, Statement, Theorem};
use proptest::collection::vec;
use proptest::prelude::*;

/// The model that refutes `goal` under `hypotheses`, each an inclusion.
fn model(hypotheses: &[&str], goal: &str) -> Option<(Text, Model)> {
    let mut text = Text::default();
    let given = hypotheses.iter().map(|h| Statement {
        distinct: Vec::new(),
        parts: vec![text.inclusion(h)],
    });
    let given: Vec<Statement> = given.collect();
    let goal = text.inclusion(goal);
    let found = refute(&text.terms, &given, &[], &[goal], &Limits::default());
    found.model.map(|m| (text, m))
}

#[test]
fn false_statements_are_refuted() {
    for (hypotheses, goal) in [
        (&[][..], "a <= b"),
        (&[], "a b <= b a"),
        (&[], "(a + b)* <= a* b*"),
        (&[], "T <= a^"),
        (&[], "p a <= a p"),
        (&[], "~p a <= a ~p"),
        (&[], "a* <= 1 + a + a a"),
        (&["b a <= a b"], "a b <= b a"),
        (&["a b <= a b c"], "a <= a c"),
        (&["a b <= 0", "b <= a*"], "b a <= 0"),
        (&["1 <= a b", "a b <= b a"], "b a <= 1"),
        (&["x <= y x + z"], "x <= y* z"),
        (
            &["a a <= a", "1 <= a", "b b <= b", "1 <= b"],
            "(a + b)(a + b) <= a + b",
        ),
        (
            &["a T <= T a", "a b <= 1", "1 <= a b", "1 <= T a T"],
            "b a <= a",
        ),
    ] {
        let found = model(hypotheses, goal);
        assert!(found.is_some(), "{hypotheses:?} |- {goal}");
    }
}

#[test]
fn true_statements_are_not() {
    for (hypotheses, goal) in [
        (&[][..], "(a + b)* <= a* (b a*)*"),
        (&["b a <= a b"], "(a + b)* <= a* b*"),
        (&["x <= y x + z"], "x <= y^ + y* z"),
        (&["a p <= p a"], "~p a <= ~p a ~p + a p"),
    ] {
        assert_eq!(
            model(hypotheses, goal).map(|(_, m)| m),
            None,
            "{hypotheses:?} |- {goal}"
        );
    }
}

#[test]
fn a_model_is_told_in_lines_and_has_the_fewest_states() {
    let (mut text, model) = model(&["a a <= 0"], "p a <= a p").unwrap();
    assert_eq!((model.states, model.smallest), (2, true));
    let goal = text.inclusion("p a <= a p");
    assert_eq!(
        model.lines(&text.terms, &[], &goal),
        [
            "model {",
            "  states 2;  // none has fewer",
            "  a = 1->2;",
            "  p = 1;",
            "}",
            "left side:  1->2",
            "right side: none",
            "1->2 is in the left side, not in the right"
        ]
    );
}

/// A decision, with the kernel's check of what it rests on.
fn decided(development: &mut Development, left: Id, right: Id, limit: usize) -> Option<bool> {
    match Decider::default().decide(&mut development.terms, left, right, limit) {
        Err(_) => None,
        Ok(None) => Some(false),
        Ok(Some(pairs)) => {
            let theorem = Theorem {
                name: "decided".into(),
                statement: Statement {
                    distinct: Vec::new(),
                    parts: vec![(left, right)],
                },
                steps: vec![Rule::Decide(left, right, pairs)],
                proves: vec![0],
                ..Theorem::default()
            };
            let admitted = development.admit(theorem);
            assert!(
                admitted.is_ok(),
                "{admitted:?}\n{}",
                coarsen::kernel::write(development)
            );
            Some(true)
        }
    }
}

proptest! {
    #![proptest_config(random::config(2_000))]

    #[test]
    fn decide_agrees_with_the_naive_procedure(bytes in vec(any::<u8>(), 8..48)) {
        let mut d = Dice::of(bytes);
        let mut development = Development::default();
        let mut v = Vocabulary::plain(&mut development.terms, 2, 3);
        v.top = true;
        v.omega = d.below(4) == 0;
        let x = v.term(&mut d, &mut development.terms, 6, 0);
        let y = v.term(&mut d, &mut development.terms, 6, 0);
        // Two random terms are hardly ever comparable; these are.
        let (left, right) = match d.below(5) {
            0 => (x, y),
            1 => (x, development.terms.sum([x, y])),
            2 => {
                let both = development.terms.sum([x, y]);
                (development.terms.star(both), development.terms.star(x))
            }
            3 => {
                let (a, b) = (development.terms.star(x), development.terms.star(y));
                let sum = development.terms.sum([x, y]);
                (development.terms.product([a, b]), development.terms.star(sum))
            }
            _ => {
                let (xy, yx) = (development.terms.product([x, y]), development.terms.product([y, x]));
                let (a, b) = (development.terms.star(xy), development.terms.star(yx));
                (development.terms.product([a, x]), development.terms.product([x, b]))
            }
        };
        for (left, right) in [(left, right), (right, left)] {
            let naive = included(&development.terms, left, right, 3_000);
            let fast = decided(&mut development, left, right, 3_000);
            if let (Some(naive), Some(fast)) = (naive, fast) {
                prop_assert_eq!(naive, fast, "{} {}\n{}", left, right, coarsen::kernel::write(&development));
            }
        }
    }
}

/// Families with that many tests: what holds, and what does not.
#[test]
fn more_than_64_tests() {
    let sizes: &[usize] = if random::long() {
        &[70, 100, 200]
    } else {
        &[70]
    };
    for &n in sizes {
        let mut development = Development::default();
        let v = Vocabulary::plain(&mut development.terms, 2, 0);
        let terms = &mut development.terms;
        let a = terms.atom(v.actions[0].0, Vec::new());
        let b = terms.atom(v.actions[1].0, Vec::new());
        let tests: Vec<Id> = (0..n)
            .map(|k| {
                let symbol = terms.symbol(&format!("p{k}"), true, 0);
                terms.atom(symbol, Vec::new())
            })
            .collect();
        let not: Vec<Id> = tests.iter().map(|p| terms.not(*p)).collect();
        let (any, rest) = (terms.sum(tests.clone()), terms.sum(tests[1..].to_vec()));
        let all = terms.product(tests.clone());
        let none = terms.product(not.clone());
        let some_not = terms.sum(not.clone());
        let any_a = terms.product([any, a]);
        let first = terms.product([tests[0], a]);
        let later = terms.product([not[0], rest, a]);
        let split = terms.sum([first, later]);
        // (p1 a + ~p1 a) (p2 a + ~p2 a) ..: each factor is a.
        let factors: Vec<Id> = (0..n)
            .map(|k| {
                let (yes, no) = (terms.product([tests[k], a]), terms.product([not[k], a]));
                terms.sum([yes, no])
            })
            .collect();
        let power = terms.product(factors);
        let as_power = terms.product(vec![a; n]);
        let star = terms.star(a);
        // (p1 a p1 + .. + pn a pn) <= (p1 + .. + pn) a (p1 + .. + pn)
        let kept: Vec<Id> = tests.iter().map(|p| terms.product([*p, a, *p])).collect();
        let kept = terms.sum(kept);
        let around = terms.product([any, a, any]);
        // if p1 then a else if p2 then a else .. b, and with the tests the other way round.
        let nested = |terms: &mut coarsen::kernel::Terms, order: &[usize]| {
            order.iter().rev().fold(b, |other, k| {
                let (yes, no) = (
                    terms.product([tests[*k], a]),
                    terms.product([not[*k], other]),
                );
                terms.sum([yes, no])
            })
        };
        let forth: Vec<usize> = (0..n).collect();
        let back: Vec<usize> = (0..n).rev().collect();
        let (one_way, other_way) = (nested(terms, &forth), nested(terms, &back));
        let none_b = terms.product([none, b]);
        let flat = terms.sum([any_a, none_b]);
        let not_any = terms.not(any);
        for (left, right, expected) in [
            (any_a, split, true),
            (split, any_a, true),
            (any_a, later, false),
            (not_any, none, true),
            (all, any, true),
            (any, all, false),
            (some_not, all, false),
            (power, as_power, true),
            (as_power, power, true),
            (power, star, true),
            (star, power, false),
            (kept, around, true),
            (around, kept, false),
            (one_way, other_way, true),
            (other_way, one_way, true),
            (one_way, flat, true),
            (flat, one_way, true),
            (one_way, any_a, false),
            (one_way, none_b, false),
        ] {
            assert_eq!(
                decided(&mut development, left, right, 20_000),
                Some(expected),
                "{n} tests"
            );
        }
    }
}

#[test]
fn nothing_proved_is_refuted() {
    let mut figures = Figures::default();
    (1..=u64::from(random::cases(2_000))).for_each(|seed| one(seed, &mut figures));
    println!(
        "{} statements, {} with hypotheses: {} proved, {} refuted; {} models of proved ones; prover {:?} (slowest \
         {:?}), refuter {:?}",
        figures.statements,
        figures.with_hypotheses,
        figures.proved,
        figures.refuted,
        figures.models,
        figures.prover,
        figures.slowest,
        figures.refuter
    );
    let seen = [figures.proved, figures.refuted, figures.models];
    assert!(seen.iter().all(|n| random::enough(*n, 200)));
}
