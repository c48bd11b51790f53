//! What the second part of the language becomes: cells and locations by name, and texts made to be large once they are
//! spread out.

use crate::random;

use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::Diagnostic;
use coarsen::model::program::{Class, Program, elaborate};
use coarsen::model::text::parse_model;
use std::fmt::Write;

fn load(source: &str) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (model, errors) = parse_model(source, ParseLimits::default());
    assert_eq!(errors, [], "{source}");
    elaborate(&model, source, &[])
}

fn program(source: &str) -> Program {
    load(source).unwrap_or_else(|e| panic!("{e:?}")).0
}

fn cells(program: &Program) -> Vec<String> {
    let initial =
        |c: &coarsen::model::program::Cell| c.initial.map_or("any".into(), |v| v.to_string());
    program
        .cells
        .iter()
        .map(|c| format!("{} = {}", c.name, initial(c)))
        .collect()
}

fn locations(program: &Program, thread: usize) -> Vec<&str> {
    let locations = program.threads[thread].locations.iter();
    locations.map(|l| l.name.as_str()).collect()
}

#[test]
fn state_of_objects_is_named_after_them() {
    let p = program(
        "mutex m[2]; reentrant mutex r; rwlock l[1]; cond c; semaphore s[2]: 0..2 = 1; barrier b: 2;
         thread t(i in 0..1) { lock(r); wait(c, r); }",
    );
    let wanted = [
        "m[0].owner = -1",
        "m[1].owner = -1",
        "r.owner = -1",
        "r.depth = 0",
        "l[0].writer = -1",
        "l[0].reading[0] = 0",
        "l[0].reading[1] = 0",
        "c.waiting[0] = 0",
        "c.waiting[1] = 0",
        "s[0].value = 1",
        "s[1].value = 1",
        "b.waiting[0] = 0",
        "b.waiting[1] = 0",
        "r.saved[0] = 0",
        "r.saved[1] = 0",
    ];
    assert_eq!(cells(&p), wanted);
    let classes: Vec<Class> = p.arrays.iter().map(|a| a.class).collect();
    let (owner, sync) = (Class::Owner, Class::Sync);
    assert_eq!(
        classes,
        [owner, owner, sync, owner, sync, sync, sync, sync, sync]
    );
    let dims: Vec<usize> = p.arrays.iter().map(|a| a.dims.len()).collect();
    assert_eq!(dims, [1, 0, 0, 1, 2, 1, 1, 1, 1]);
}

#[test]
fn a_field_is_an_array_over_the_objects() {
    let p = program(
        "record in { k[2]: 0..1 = [0, 1]; }
         record r { x: 0..3 = 2; mutex m; y: in; z: bool unprotected; }
         var a[2]: r protected by a[0].m;
         pool P[2]: in;
         thread t { var v: in; skip; }"
            .replace("in {", "inner {")
            .replace(": in;", ": inner;")
            .as_str(),
    );
    let wanted = [
        "a[0].x = 2",
        "a[1].x = 2",
        "a[0].m.owner = -1",
        "a[1].m.owner = -1",
        "a[0].y.k[0] = 0",
        "a[0].y.k[1] = 1",
        "a[1].y.k[0] = 0",
        "a[1].y.k[1] = 1",
        "a[0].z = any",
        "a[1].z = any",
        "P.allocated[0] = 0",
        "P.allocated[1] = 0",
        "P[0].k[0] = 0",
        "P[0].k[1] = 1",
        "P[1].k[0] = 0",
        "P[1].k[1] = 1",
        "t.v.k[0] = 0",
        "t.v.k[1] = 1",
    ];
    assert_eq!(cells(&p), wanted);
    let names: Vec<&str> = p.arrays.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(
        names,
        ["a.x", "a.m", "a.y.k", "a.z", "P.allocated", "P.k", "t.v.k"]
    );
    let protected: Vec<&str> = p
        .protections
        .iter()
        .map(|x| p.cells[x.cell].name.as_str())
        .collect();
    assert_eq!(protected.len(), 6, "{protected:?}");
    assert!(p.protections.iter().all(|x| x.readers.is_none()));
}

#[test]
fn a_procedure_has_one_copy_of_its_variables_per_thread_that_calls_it() {
    let p = program(
        "const OFF = false;
         proc f(a: 1..3, b: bool): 0..3 { var c: 2..4; var d: 2..4 = 3; return a; }
         proc gone(a: bool) { skip; }
         thread t(i in 0..1) { var x: 0..3 = 0; if (i == 0) { x = f(1, true); f(2, false); } if (OFF) { gone(true); \
         start(u); } }
         thread u { skip; }",
    );
    let wanted = [
        "t(0).x = 0",
        "t(0).f.a = 1",
        "t(0).f.b = 0",
        "t(0).f.c = 2",
        "t(0).f.d = 3",
        "t(1).x = 0",
    ];
    assert_eq!(cells(&p), wanted);
    assert_eq!(locations(&p, 2), ["line 5", "end"]);
}

#[test]
fn second_steps_and_copies_are_told_apart() {
    let p = program(
        "mutex m; cond c; barrier b: 1;
         proc f() {
             IN: skip;
             skip;
         }
         thread t {
             lock(m);
             L: wait(c, m);
             await(b);
             f();
             f();
             start(u);
             join(u);
         }
         thread u { }",
    );
    let wanted = [
        "IN (from line 10)",
        "IN (from line 11)",
        "line 4 (from line 10)",
        "line 4 (from line 11)",
        "line 7",
        "L",
        "line 8 (woken)",
        "line 9",
        "line 9 (released)",
        "line 12",
        "line 13",
        "end",
        "wrong",
    ];
    assert_eq!(locations(&p, 0), wanted);
    assert_eq!(p.threads[0].label("L").map(|l| l.len()), Some(1));
    assert_eq!(p.threads[0].label("IN").map(|l| l.len()), Some(2));
    assert_eq!(locations(&p, 1), ["start", "end"]);
    assert_eq!(p.threads[1].initial, 0);
    assert_eq!(p.threads[1].label("start"), Some(vec![0]));
}

#[test]
fn a_join_of_a_thread_that_cannot_end_never_goes_on() {
    let p = program("thread a { join(b); } thread b { while (true) { skip; } }");
    let guard = p.threads[0].locations[0].edges[0].guard.clone();
    assert_eq!(guard, Some(coarsen::model::program::Expr::FALSE));
    let p = program("var x: bool; thread a { when (x) join(b); } thread b { skip; }");
    let guard = format!("{:?}", p.threads[0].locations[0].edges[0].guard);
    assert!(guard.contains("At(1, [1])"), "{guard}");
}

/// Elaborates on the stack that any spawned thread has.
fn codes(source: String) -> Vec<&'static str> {
    let work = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(move || {
            let found = load(&source).map_or_else(|e| e, |(_, warnings)| warnings);
            let mut codes: Vec<&str> = found.iter().map(|d| d.code).collect();
            codes.dedup();
            codes
        });
    work.expect("spawned").join().expect("no overflow")
}

#[test]
fn what_a_short_text_can_become_is_bounded() {
    let declare = |n: usize, line: &dyn Fn(usize) -> String| -> String {
        (1..=n).map(|k| line(k) + "\n").collect()
    };
    let doubled = |call: &str| {
        let mut text = "proc f0(a: bool) { skip; }\n".to_string();
        text += &declare(40, &|k| {
            let call = call.replace("F", &format!("f{}(true)", k - 1));
            format!("proc f{k}(a: bool) {{ {call} }}")
        });
        text + "thread t { f40(true); }"
    };
    assert_eq!(codes(doubled("F; F;")), ["E0213"]);
    assert_eq!(codes(doubled("atomic { F; F; }")), ["E0213"]);
    let mut records = "record r0 { x: bool; }\n".to_string();
    records += &declare(40, &|k| {
        format!("record r{k} {{ a: r{0}; b: r{0}; }}", k - 1)
    });
    if random::long() {
        assert_eq!(codes(doubled("either { F; } or { F; }")), ["E0213"]);
        let used = records.clone() + "var x: r40; thread t { skip; }";
        assert_eq!(codes(used), ["E0213"]);
    }
    // Without a variable it is looked at all the same.
    assert_eq!(codes(records + "thread t { skip; }"), ["E0213"]);
    let arrays = declare(8, &|k| format!("record r{k} {{ a[100]: r{}; }}", k - 1));
    let arrays = "record r0 { x: bool; }".to_string() + &arrays;
    assert_eq!(codes(arrays + "var x: r8; thread t { skip; }"), ["E0213"]);
    let pool =
        "record r { x: bool; } pool P[N]: r; var p: ref r in P; thread t { p = new P; free(p); }";
    assert_eq!(codes(pool.replace("N", "1_000_000_000")), ["E0213"]);
    assert_eq!(codes(pool.replace("N", "200_000")), ["E0213"]);
    assert_eq!(codes(pool.replace("N", "5_000")), Vec::<&str>::new());
    let threads = "cond c; thread t(i in 0..N) { notify(c); notifyAll(c); }";
    assert_eq!(codes(threads.replace("N", "20_000")), ["E0213"]);
    assert_eq!(codes(threads.replace("N", "40")), Vec::<&str>::new());
    let init =
        "mutex m; var x[100]: bool protected by m init self == 0; thread t(i in 0..99) { skip; }";
    assert_eq!(codes(init.to_string()), ["E0213"]);
}

#[test]
fn long_chains_take_no_stack() {
    let chain = |n: usize, body: &str, last: &str| {
        let mut text = String::new();
        for k in 0..n {
            let call = body.replace("F", &format!("f{}()", k + 1));
            let _ = writeln!(text, "proc f{k}() {{ {call} }}");
        }
        let _ = writeln!(
            text,
            "proc f{n}() {{ {last} }} thread t {{ f0(); atomic {{ f0(); }} }}"
        );
        text
    };
    assert_eq!(codes(chain(100, "F;", "skip;")), Vec::<&str>::new());
    assert_eq!(
        codes(chain(50, "if (true) { atomic { F; } }", "skip;")),
        Vec::<&str>::new()
    );
    assert_eq!(codes(chain(1000, "F;", "skip;")), ["E0213"]);
    assert_eq!(codes(chain(100_000, "F;", "skip;")), ["E0213"]);
    assert_eq!(codes(chain(50_000, "F;", "f0();")), ["E0218"]);
    let records: String = (0..100_000)
        .map(|k| format!("record r{k} {{ a: r{}; }}\n", k + 1))
        .collect();
    let deep = records.clone() + "record r100000 { x: bool; } var x: r0; thread t { skip; }";
    assert_eq!(codes(deep), ["E0213"]);
    let cycle = records + "record r100000 { x: r0; } var x: r0; thread t { skip; }";
    assert_eq!(codes(cycle), ["E0218"]);
    // Each field behind a reference is an index around it.
    let fields = |n: usize| {
        let path = ".next".repeat(n);
        format!(
            "record r {{ next: ref r in P; }} pool P[2]: r; var p: ref r in P; thread t {{ p{path} = p{path}; }}"
        )
    };
    assert_eq!(codes(fields(100)), Vec::<&str>::new());
}

#[test]
fn the_example_of_everything_has_a_meaning() {
    let p = program(include_str!("syntax/good/objects.cor"));
    assert!(p.cells.len() > 100 && p.protections.len() > 10);
    assert!(p.protections.iter().any(|x| x.readers.is_some()));
}

/// What was accepted before there were objects means what it did: their words are names like others.
#[test]
fn words_of_objects_are_names() {
    let words = [
        "reentrant",
        "rwlock",
        "cond",
        "semaphore",
        "barrier",
        "record",
        "pool",
        "proc",
        "ref",
        "new",
        "owner",
        "depth",
        "wait",
        "notify",
        "notifyAll",
        "up",
        "down",
        "await",
        "start",
        "join",
        "free",
        "read_lock",
        "write_unlock",
    ];
    for word in words {
        let source = format!(
            "const {word} = 2; enum e_{word} {{ v_{word} }} var x[{word} + 1]: 0..3 = {word};
             thread t {{ {word}: x[{word}] = {word}; for ({word} in 0..1) {{ x[{word}] = {word}; }} x[0] = x[{word}] \
             == {word} ? 1 : 0; }}
             invariant {word}: x[{word}] >= 0; reach at_: at(t, {word}); expect holds {word};"
        );
        assert_eq!(program(&source).threads[0].locations.len(), 5, "{word}");
        let source = format!(
            "mutex {word}; var x: 0..3 = 0 protected by {word};
             thread t {{ lock({word}); x = {word}.owner == t ? 1 : 0; unlock({word}); }}"
        );
        assert_eq!(program(&source).protections.len(), 1, "{word}");
        let source = format!(
            "var {word}[2]: 0..3 = 0; thread t(i in 0..1) {{ {word}[i] = 1; havoc {word}[0]; }} thread u {{ var t_: \
             0..3 = 0; t_ = {word}[0]; }}"
        );
        assert_eq!(program(&source).arrays.len(), 2, "{word}");
        let source = format!(
            "var x: 0..3 = 0; thread {word}(i in 0..1) {{ x = {word}(i); x = {word}[1]; }}"
        );
        assert_eq!(program(&source).threads.len(), 2, "{word}");
        let source = format!(
            "thread t {{ var {word}: 0..3 = 0; {word} = {word} + 1; when ({word} == 1) {word} = 0; }}"
        );
        assert_eq!(program(&source).threads.len(), 1, "{word}");
    }
}

/// Where a model gets too large it is not gone on with; so nothing is said of what only comes later.
#[test]
fn a_million_threads_are_one_diagnostic() {
    let source = "var x: 0..3 = 0; proc late() { x = 2; }
thread many(i in 0..1000000) { x = 1; }
thread last { late(); }";
    let found = load(source).expect_err("too large");
    let codes: Vec<&str> = found.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E0213"]);
}
