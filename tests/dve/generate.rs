//! Random small systems in DVE, as text.

use proptest::prelude::*;
use proptest::sample::select;

/// A name or an expression.
type Text = BoxedStrategy<String>;

fn names(all: &'static [&'static str]) -> Text {
    select(all).prop_map(String::from).boxed()
}

/// A place that process `p` may assign to: of its own, or global.
fn place(p: usize) -> Text {
    let index = prop_oneof![
        6 => names(&["0", "1", "x", "b", "1 - (x & 1)"]),
        1 => names(&["2", "x - 1", "b % 2"])
    ];
    prop_oneof![
        3 => names(&["x", "y", "b"]),
        2 => names(&["g", "h"]),
        2 => index.prop_map(|i| format!("a[{i}]")),
        1 => Just(format!("P{}->x", (p + 1) % 2)),
    ]
    .boxed()
}

fn expr(p: usize, depth: u32) -> Text {
    let leaf = prop_oneof![
        3 => (-2i64..4).prop_map(|n| n.to_string()),
        1 => names(&["40000", "300", "2147483647", "true", "K"]),
        5 => place(p),
        1 => (0..2usize, 0..3usize).prop_map(|(q, s)| format!("P{q}.s{s}")),
        1 => Just("c[g & 1]".to_string()),
    ];
    leaf.prop_recursive(depth, 8, 2, |inner| {
        let op = prop_oneof![
            4 => select(&["+", "-", "==", "!=", "<", "<=", ">", ">=", "and", "or"][..]),
            2 => select(&["*", "/", "%", "&", "|", "^"][..]),
            1 => select(&["<<", ">>", "imply", "&&", "||"][..]),
        ];
        prop_oneof![
            6 => (inner.clone(), op.clone(), inner.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            1 => (inner.clone(), op, inner.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
            2 => (select(&["not ", "-", "~"][..]), inner).prop_map(|(op, a)| format!("{op}({a})")),
        ]
    })
    .boxed()
}

/// What is assigned: mostly small, so that there are few states.
fn value(p: usize) -> Text {
    prop_oneof![
        4 => names(&["0", "1", "x & 3", "b", "g", "y % 3"]),
        3 => expr(p, 2).prop_map(|e| format!("({e}) & 3")),
        1 => expr(p, 2).prop_map(|e| format!("({e}) % 3")),
        1 => expr(p, 2),
    ]
    .boxed()
}

fn sync(p: usize) -> Text {
    prop_oneof![
        9 => Just(String::new()),
        2 => value(p).prop_map(|e| format!("sync c0!{e};")),
        2 => place(p).prop_map(|x| format!("sync c0?{x};")),
        2 => names(&["sync c1!;", "sync c1?;", "sync c1?;"]),
        1 => (value(p), value(p)).prop_map(|(a, b)| format!("sync t!{{{a}, {b}}};")),
        2 => (place(p), place(p)).prop_map(|(a, b)| format!("sync t?{{{a}, {b}}};")),
        1 => (value(p), value(p)).prop_map(|(a, b)| format!("sync q!{{{a}, {b}}};")),
        1 => (place(p), place(p)).prop_map(|(a, b)| format!("sync q?{{{a}, {b}}};")),
        1 => value(p).prop_map(|e| format!("sync u!{e};")),
        1 => place(p).prop_map(|x| format!("sync u?{x};")),
    ]
    .boxed()
}

fn transition(p: usize) -> Text {
    let guard = prop_oneof![
        6 => Just(String::new()),
        2 => names(&["guard x < 3;", "guard b == 0 or g < 2;", "guard a[b & 1] != 2;"]),
        2 => expr(p, 2).prop_map(|e| format!("guard {e};")),
        1 => (expr(p, 1), expr(p, 1)).prop_map(|(a, b)| format!("guard {a}, {b};")),
    ];
    let assignment = (place(p), value(p)).prop_map(|(x, e)| format!("{x} = {e}"));
    let effects = prop_oneof![
        3 => Just(String::new()),
        2 => names(&["effect b = (b + 1) % 3;", "effect g = 1 - (g & 1), a[g] = x & 1;", "effect x = (x + 1) & 3;"]),
        2 => prop::collection::vec(assignment, 1..3).prop_map(|all| format!("effect {};", all.join(", "))),
    ];
    (0..3usize, 0..3usize, guard, sync(p), effects)
        .prop_map(|(a, b, guard, sync, effects)| {
            format!("s{a} -> s{b} {{ {guard} {sync} {effects} }}")
        })
        .boxed()
}

fn process(p: usize) -> Text {
    let commit = prop_oneof![
        4 => Just(""), 1 => Just("commit s1;"), 1 => Just("commit s0, s2;"), 1 => Just("commit s0, s1, s2;")
    ];
    let asserts = prop_oneof![
        3 => Just(String::new()),
        1 => expr(p, 2).prop_map(|e| format!("assert s1: {e};")),
    ];
    (
        commit,
        asserts,
        prop::collection::vec(transition(p), 3..9),
        0..3usize,
    )
        .prop_map(move |(commit, asserts, transitions, init)| {
            let all = transitions.join(",\n  ");
            // The second process has a variable of the name of a global one.
            let hidden = if p == 1 { "byte h = 1;" } else { "" };
            format!(
                "process P{p} {{\n int x; byte y = 1, b; {hidden}\n state s0, s1, s2;\n init s{init}; {commit}\n \
                 {asserts}\n trans\n  {all};\n}}\n"
            )
        })
        .boxed()
}

/// A system of two or three processes.
pub fn system() -> Text {
    let third = prop_oneof![Just(String::new()).boxed(), process(2)];
    (process(0), process(1), third)
        .prop_map(|(a, b, c)| {
            format!(
                "byte g, a[2] = {{1}}; int h; const int K = -3; const byte c[2] = {{2, 1}};\n\
                 channel c0, c1; channel {{byte, int}} t[0], q[2]; channel u[1];\n{a}{b}{c}system async;\n"
            )
        })
        .boxed()
}
