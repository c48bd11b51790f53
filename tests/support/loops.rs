//! Random programs as text, with locks and loops, of which some never end and some may: for tests and benches of
//! transactions.

use proptest::prelude::*;

/// Statements of a thread: right movers, left movers, both, neither, local ones, loops that end or do not.
fn statements(depth: u32) -> BoxedStrategy<String> {
    let simple = prop_oneof![
        Just("lock(m);".to_string()),
        Just("unlock(m);".to_string()),
        Just("lock(n);".to_string()),
        Just("unlock(n);".to_string()),
        Just("g = 1 - g;".to_string()),
        Just("h = 1;".to_string()),
        Just("x = 1 - x;".to_string()),
        Just("y = 1;".to_string()),
        Just("t = 1 - t;".to_string()),
        Just("t = g;".to_string()),
        Just("havoc t;".to_string()),
        Just("havoc x;".to_string()),
        Just("skip;".to_string()),
        Just("when (g == 1) skip;".to_string()),
        Just("when (t == 1) skip;".to_string()),
        Just("assert(g == 0);".to_string()),
        Just("assert(h == 0);".to_string()),
        Just("assert(x == 0);".to_string()),
        Just("assert(t == 0);".to_string()),
        Just("lock(m); x = 1 - x; unlock(m);".to_string()),
        Just("lock(m); assert(x == 0); unlock(m);".to_string()),
        Just("lock(m); t = x; x = 1; unlock(m); while (t == 1) { skip; }".to_string()),
        Just("while (true) { skip; }".to_string()),
        Just("while (true) { havoc t; when (t == 0) skip; }".to_string()),
        Just("havoc t; while (t == 1) { havoc t; }".to_string()),
    ];
    if depth == 0 {
        return simple.boxed();
    }
    let block = move || {
        proptest::collection::vec(statements(depth - 1), 1..4).prop_map(|all| all.join(" "))
    };
    prop_oneof![
        12 => simple,
        1 => block().prop_map(|b| format!("while (true) {{ {b} }}")),
        1 => block().prop_map(|b| format!("while (t == 0) {{ {b} }}")),
        1 => (block(), block()).prop_map(|(a, b)| format!("either {{ {a} }} or {{ {b} }}")),
        1 => block().prop_map(|b| format!("if (t == 1) {{ {b} }}")),
        1 => block().prop_map(|b| format!("atomic {{ {b} }}").replace("while (true) { skip; }", "skip;")),
    ]
    .boxed()
}

/// Programs of two or three threads.
pub fn programs() -> impl Strategy<Value = String> {
    let body = || proptest::collection::vec(statements(2), 1..6).prop_map(|all| all.join("\n    "));
    let property = prop_oneof![
        3 => Just(String::new()),
        1 => Just("invariant one: g == 0 || h == 0;".to_string()),
        1 => Just("reach both: g == 1 && x == 1;".to_string()),
    ];
    (proptest::collection::vec(body(), 2..4), property).prop_map(|(bodies, property)| {
        let mut text = String::from(
            "mutex m; mutex n;\nvar g: 0..1 = 0 unprotected;\nvar h: 0..1 = 0 unprotected;\nvar x: 0..1 = 0 protected \
             by m;\nvar y: 0..1 = 0 protected by n;\n",
        );
        for (n, body) in bodies.iter().enumerate() {
            text += &format!("thread p{n} {{\n    var t: 0..1 = 0;\n    {body}\n}}\n");
        }
        text + &property
    })
}
