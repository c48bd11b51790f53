//! The engines of the algebra against naive twins and against relational models.

mod algebra;

use algebra::dice::Text;
use coarsen::algebra::prove::Limits;
use coarsen::algebra::refute::{Model, refute};
use coarsen::kernel::Statement;

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
    found.map(|m| (text, m))
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
    let (text, model) = model(&["a a <= 0"], "p a <= a p").unwrap();
    assert_eq!(model.states, 2);
    assert_eq!(
        model.lines(&text.terms, &[]),
        [
            "2 states",
            "a = {1->2}",
            "p = {1}",
            "1->2 is in the left side and not in the right"
        ]
    );
}
