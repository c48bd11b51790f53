//! Parameters that hold constants: programs whose reads of them are replaced have the states of those where nothing
//! is, since statements that are never executed assign to the parameters.

use crate::random;
use coarsen::base::control::Control;
use coarsen::engine::explore;
use coarsen::model::program::{Command, Expr, Program, Target, elaborate};
use coarsen::model::text::parse_model;
use proptest::prelude::*;
use std::cell::Cell;

/// A statement that calls with constants, or with what locals hold.
fn statement() -> BoxedStrategy<String> {
    let value = prop_oneof![
        3 => (0..3u8).prop_map(|c| c.to_string()),
        2 => prop::sample::select(vec!["a", "b", "c"]).prop_map(String::from),
    ];
    let local = prop::sample::select(vec!["a", "b", "c"]);
    let leaf = prop_oneof![
        3 => (local.clone(), value.clone()).prop_map(|(l, v)| format!("{l} = {v};")),
        1 => (local.clone(), value.clone()).prop_map(|(l, v)| format!("{l} = ({v} + 1) % 3;")),
        1 => local.clone().prop_map(|l| format!("havoc {l};")),
        3 => (local.clone(), value.clone()).prop_map(|(l, v)| format!("x[{l}] = {v};")),
        2 => (local.clone(), value.clone()).prop_map(|(l, v)| format!("{l} = x[{v}];")),
        1 => local.clone().prop_map(|l| format!("assert({l} <= 1);")),
        1 => local.clone().prop_map(|l| format!("atomic {{ x[{l}] = 1 - x[{l}] / 2; {l} = 0; }}")),
        3 => (value.clone(), value.clone()).prop_map(|(v, w)| format!("p({v}, {w});")),
        2 => value.clone().prop_map(|v| format!("q({v});")),
    ];
    let block = |inner: BoxedStrategy<String>| {
        prop::collection::vec(inner, 1..3).prop_map(|all| all.join(" "))
    };
    leaf.prop_recursive(3, 8, 2, move |inner| {
        let block = block(inner);
        prop_oneof![
            (local.clone(), block.clone(), block.clone())
                .prop_map(|(l, s, t)| format!("if ({l} == 1) {{ {s} }} else {{ {t} }}")),
            (local.clone(), block.clone()).prop_map(|(l, s)| format!("while ({l} < 2) {{ {s} }}")),
            (block.clone(), block.clone())
                .prop_map(|(s, t)| format!("either {{ {s} }} or {{ {t} }}")),
        ]
    })
    .boxed()
}

/// One or two threads; if asked for, with statements that are never executed and make variables of the parameters.
fn source(bodies: &[Vec<String>], assigned: bool) -> String {
    let (p, q) = match assigned {
        true => ("havoc i; havoc k;", "havoc i;"),
        false => ("skip;", "skip;"),
    };
    let mut text = format!(
        "var x[3]: 0..2 = 0 unprotected; var never: 0..1 = 0 unprotected;
        proc q(i: 0..2) {{ atomic {{ if (never == 1) {{ {q} }} x[i] = 2; }} }}
        proc p(i: 0..2, k: 0..2) {{
            atomic {{ if (never == 1) {{ {p} }} x[i] = k; }}
            q(k);
            if (k == i) {{ x[0] = 1; }}
        }}
        "
    );
    for (n, body) in bodies.iter().enumerate() {
        let first = ["", " = 1"][n % 2];
        let body = body.join(" ");
        text += &format!(
            "thread t{n} {{ var a: 0..2{first}; var b: 0..2 = 0; var c: 0..2 = 1; {body} }}\n"
        );
    }
    text
}

fn program(source: &str) -> Program {
    let (tree, _) = parse_model(source, Default::default());
    elaborate(&tree, source, &[]).expect("well typed").0
}

/// How many indices are computed.
fn computed(program: &Program) -> usize {
    let mut all = 0;
    let steps = program.threads.iter().flat_map(|t| &t.locations);
    for edge in steps.flat_map(|l| &l.edges) {
        edge.each_expression(&mut |e| {
            e.walk(&mut |e| all += usize::from(matches!(e, Expr::Element(..))))
        });
        let element = |c: &Command| matches!(c, Command::Assign(Target::Element(..), _));
        all += edge.body.iter().filter(|c| element(c)).count();
    }
    all
}

#[test]
fn what_is_put_in_changes_no_state() {
    let bodies = prop::collection::vec(prop::collection::vec(statement(), 1..5), 1..3);
    let replaced = Cell::new(0);
    random::runner(400)
        .run(&bodies, |bodies| {
            let [plain, assigned] = [false, true].map(|a| program(&source(&bodies, a)));
            let more = computed(&assigned) > computed(&plain);
            replaced.set(replaced.get() + usize::from(more));
            let explored = |p: &Program| explore(p, &Control::default());
            let (one, other) = (explored(&plain), explored(&assigned));
            prop_assert_eq!(one.expect("small"), other.expect("small"));
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let replaced = replaced.get();
    assert!(random::enough(replaced, 100), "{replaced} programs");
}
