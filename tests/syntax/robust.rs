//! Texts made to break the parser: mutated models, deep nesting, noise by the megabyte.

use crate::random;

use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::{Diagnostic, Severity};
use coarsen::model::text::ast::{
    Block, Decl, Expr, ExprKind, Field, Model, Place, Selector, Stmt, StmtKind,
};
use coarsen::model::text::{decode, parse_model};
use proptest::prelude::*;

const MODELS: [&str; 5] = [
    include_str!("good/stoller_cohen.cor"),
    include_str!("good/philosophers.cor"),
    include_str!("good/declarations.cor"),
    include_str!("good/statements.cor"),
    include_str!("good/objects.cor"),
];

/// Parses, and checks what holds for every text.
fn parse_any(source: &str, limits: ParseLimits) -> (Model, Vec<Diagnostic>) {
    let (model, diagnostics) = parse_model(source, limits);
    for d in &diagnostics {
        assert_eq!(d.severity, Severity::Error);
        assert!(d.span.start <= d.span.end, "{d:?}");
        // `get` is None for a span outside the text or inside a character.
        assert!(source.get(d.span.start..d.span.end).is_some(), "{d:?}");
        assert!(
            !d.message.is_empty() && !d.expected.is_empty() && !d.help.is_empty(),
            "{d:?}"
        );
        assert!(
            d.message.len() + d.expected.len() + d.help.len() < 1000,
            "{d:?}"
        );
    }
    assert!(
        diagnostics.is_sorted_by_key(|d| d.span)
            || diagnostics.last().is_some_and(|d| d.code == "E0007")
    );
    let height = model.decls.iter().map(decl_height).max().unwrap_or(0);
    assert!(height <= limits.depth, "a tree of height {height}");
    (model, diagnostics)
}

/// The height of a tree, counted as the limit counts it, but for parentheses and labels, which leave no node.
fn decl_height(decl: &Decl) -> usize {
    1 + match decl {
        Decl::Thread(thread) => block_height(&thread.body),
        Decl::Const { value: e, .. } | Decl::Init(e) | Decl::Property { expr: e, .. } => {
            expr_height(e)
        }
        Decl::Object(o) => o.dims.iter().map(expr_height).max().unwrap_or(0),
        Decl::Record(r) => {
            let dims = |f: &Field| match f {
                Field::Var(var) => var.dims.iter().map(expr_height).max(),
                Field::Object(o) => o.dims.iter().map(expr_height).max(),
            };
            r.fields.iter().filter_map(dims).max().map_or(0, |h| h + 1)
        }
        Decl::Pool { size, .. } => expr_height(size),
        Decl::Proc(p) => block_height(&p.body),
        Decl::Var(var) => var.dims.iter().map(expr_height).max().unwrap_or(0),
        Decl::Enum { .. } | Decl::DeadlockFree(_) | Decl::Expect(_) => 0,
    }
}

fn block_height(block: &Block) -> usize {
    block.stmts.iter().map(stmt_height).max().unwrap_or(0)
}

fn stmt_height(stmt: &Stmt) -> usize {
    1 + match &stmt.kind {
        StmtKind::Assign(p, e) => place_height(p).max(expr_height(e)),
        StmtKind::Havoc(p) | StmtKind::Lock(p) | StmtKind::Unlock(p) => place_height(p),
        StmtKind::Assert(e) | StmtKind::Assume(e) => expr_height(e),
        StmtKind::When(e, action) => expr_height(e).max(stmt_height(action)),
        StmtKind::If(e, yes, no) => {
            let no = no.as_ref().map_or(0, block_height);
            expr_height(e).max(block_height(yes)).max(no)
        }
        StmtKind::While(e, body) => expr_height(e).max(block_height(body)),
        StmtKind::For(_, lo, hi, body) => {
            expr_height(lo).max(expr_height(hi)).max(block_height(body))
        }
        StmtKind::Choose(_, lo, hi, such) => {
            let such = such.as_ref().map_or(0, expr_height);
            expr_height(lo).max(expr_height(hi)).max(such)
        }
        StmtKind::Either(branches) => branches.iter().map(block_height).max().unwrap_or(0),
        StmtKind::Atomic(body) | StmtKind::Transaction(_, body) => block_height(body),
        StmtKind::New(p, _) => place_height(p),
        StmtKind::Call(_, args) => args.iter().map(expr_height).max().unwrap_or(0),
        StmtKind::Return(e) => e.as_ref().map_or(0, expr_height),
        StmtKind::Local(_) | StmtKind::Goto(_) | StmtKind::Skip | StmtKind::Empty => 0,
    }
}

fn place_height(place: &Place) -> usize {
    // Each field counts twice: as a field, and as a reference that it may stand behind.
    place.selectors.iter().fold(0, |height, s| match s {
        Selector::Index(e) => height.max(expr_height(e)),
        Selector::Field(_) => height + 2,
    })
}

fn expr_height(e: &Expr) -> usize {
    1 + match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::SelfThread
        | ExprKind::NoThread
        | ExprKind::Null => 0,
        ExprKind::Place(p) | ExprKind::Reference(p) => place_height(p),
        ExprKind::Call(_, args) => args.iter().map(expr_height).max().unwrap_or(0),
        ExprKind::Local(t, p) => expr_height(t).max(place_height(p)),
        ExprKind::At(a, _) | ExprKind::Unary(_, a) => expr_height(a),
        ExprKind::Binary(_, a, b) => expr_height(a).max(expr_height(b)),
        ExprKind::Cond(c, a, b) => expr_height(c).max(expr_height(a)).max(expr_height(b)),
        ExprKind::Quantified { lo, hi, body, .. } => {
            expr_height(lo).max(expr_height(hi)).max(expr_height(body))
        }
    }
}

/// The model that `hole` gives with `n` levels of the construct in it.
type Nest = (&'static str, fn(usize) -> String);

/// Everything that nests or chains, `n` times.
const NESTS: &[Nest] = &[
    ("parentheses", |n| {
        expression(&"(".repeat(n), "x", &")".repeat(n))
    }),
    ("open parentheses", |n| expression(&"(".repeat(n), "", "")),
    ("not", |n| expression(&"!".repeat(n), "x", "")),
    ("minus", |n| expression(&"- ".repeat(n), "x", "")),
    ("sum", |n| expression("", "x", &" + x".repeat(n))),
    ("sum of products", |n| {
        expression("", "x", &" + x * x".repeat(n))
    }),
    ("or", |n| expression("", "x", &" || x".repeat(n))),
    ("implication", |n| expression(&"x => ".repeat(n), "x", "")),
    ("comparison", |n| expression("", "x", &" == x".repeat(n))),
    ("word operators", |n| {
        expression("", "x", &" and x".repeat(n))
    }),
    ("condition, right", |n| {
        expression(&"x ? x : ".repeat(n), "x", "")
    }),
    ("condition, middle", |n| {
        expression(&"x ? ".repeat(n), "x", &" : x".repeat(n))
    }),
    ("condition, left", |n| {
        expression(&"(".repeat(n), "x", &" ? x : x)".repeat(n))
    }),
    ("index", |n| {
        expression(&"x[".repeat(n), "x", &"]".repeat(n))
    }),
    ("field", |n| expression("x", &".f".repeat(n), "")),
    ("field of index", |n| {
        expression("x", &".f[0]".repeat(n), " == null")
    }),
    ("reference", |n| {
        expression(&"&x[".repeat(n), "0", &"]".repeat(n))
    }),
    ("return", |n| {
        statement(&"if (x) ".repeat(n), "return", " x;")
    }),
    ("argument", |n| {
        statement(&"wait(x[".repeat(n), "0", &"])".repeat(n))
    }),
    ("procedure", |n| {
        format!(
            "proc f(a: bool): bool {{ {}return a;{} }} thread a {{}}",
            "either {".repeat(n),
            "} or {}".repeat(n)
        )
    }),
    ("record type", |n| {
        format!(
            "record r {{ x: {}1{}..2; }} thread a {{}}",
            "(".repeat(n),
            ")".repeat(n)
        )
    }),
    ("record size", |n| {
        format!(
            "record r {{ mutex m[{}0{}]; }} thread a {{}}",
            "x[".repeat(n),
            "]".repeat(n)
        )
    }),
    ("call", |n| {
        expression(&"f(x, ".repeat(n), "x", &")".repeat(n))
    }),
    ("at", |n| {
        expression(&"at(".repeat(n), "x", &", L)".repeat(n))
    }),
    ("forall", |n| {
        expression(&"forall (k in 0..1) ".repeat(n), "x", "")
    }),
    ("forall bound", |n| {
        expression(&"forall (k in 0..".repeat(n), "x", &") x".repeat(n))
    }),
    ("block", |n| {
        statement(&"{".repeat(n), "skip;", &"}".repeat(n))
    }),
    ("open block", |n| statement(&"{".repeat(n), "", "")),
    ("atomic", |n| {
        statement(&"atomic {".repeat(n), "skip;", &"}".repeat(n))
    }),
    ("either", |n| {
        statement(&"either {".repeat(n), "skip;", &"} or {}".repeat(n))
    }),
    ("or branch", |n| {
        statement(&"either {} or {".repeat(n), "skip;", &"}".repeat(n))
    }),
    ("if", |n| statement(&"if (x) ".repeat(n), "skip;", "")),
    ("else", |n| {
        statement(&"if (x) skip; else ".repeat(n), "skip;", "")
    }),
    ("while", |n| {
        statement(&"while (x) {".repeat(n), "skip;", &"}".repeat(n))
    }),
    ("for", |n| {
        statement(&"for (k in 0..1) ".repeat(n), "skip;", "")
    }),
    ("foreign for", |n| {
        statement(&"for (;;) ".repeat(n), "skip;", "")
    }),
    ("when", |n| statement(&"when (x) ".repeat(n), "skip;", "")),
    ("when block", |n| {
        statement(&"when (x) {".repeat(n), "skip;", &"}".repeat(n))
    }),
    ("labels", |n| statement(&"L: ".repeat(n), "skip;", "")),
    ("labels between", |n| {
        statement(&"A: if (x) B: ".repeat(n), "skip;", "")
    }),
    ("unknown", |n| {
        statement(&"f(x) {".repeat(n), "skip;", &"}".repeat(n))
    }),
    ("stray else", |n| statement(&"else ".repeat(n), "skip;", "")),
    ("thread", |n| "thread a {".repeat(n) + &"}".repeat(n)),
    ("type", |n| {
        format!(
            "var x: {}1{}..2; thread a {{}}",
            "(".repeat(n),
            ")".repeat(n)
        )
    }),
];

fn expression(before: &str, middle: &str, after: &str) -> String {
    format!("thread a {{ x = {before}{middle}{after}; }}")
}

fn statement(before: &str, middle: &str, after: &str) -> String {
    format!("thread a {{ {before}{middle}{after} }}")
}

#[test]
fn deep_nesting_gives_one_diagnostic_in_little_stack() {
    for (name, text) in NESTS {
        let source = text(100_000);
        // The stack that any spawned thread has, whatever the one of the test runner may be.
        let parsing = std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(move || parse_any(&source, ParseLimits::default()).1);
        let diagnostics = parsing.unwrap().join().unwrap();
        let deep: Vec<_> = diagnostics.iter().filter(|d| d.code == "E0006").collect();
        assert_eq!(deep.len(), 1, "{name}: {diagnostics:?}");
        assert!(
            deep[0].help.contains("--limit-depth 512"),
            "{name}: {deep:?}"
        );
    }
}

#[test]
fn the_limit_is_a_limit_and_not_more() {
    for (name, text) in NESTS {
        let at = |n: usize, depth| {
            let diagnostics = parse_any(&text(n), ParseLimits { depth }).1;
            diagnostics.iter().any(|d| d.code == "E0006")
        };
        assert!(!at(20, 50), "{name}: 20 levels are not within 50");
        assert!(at(51, 50), "{name}: 51 levels are within 50");
    }
}

#[test]
fn width_is_not_depth() {
    let limits = ParseLimits { depth: 10 };
    for source in [
        expression("", "x[0]", &" [1]".repeat(1000)),
        expression("f(x", "", &(", x * x + x * x".repeat(1000) + ")")),
        statement("", "L: skip;", &"M: x = x + x;".repeat(1000)),
        statement("either {}", "", &" or { skip; }".repeat(1000)),
        "thread a { x = 1; }".repeat(1000),
    ] {
        assert_eq!(parse_any(&source, limits).1, []);
    }
}

#[test]
fn noise_has_few_diagnostics() {
    let size = 1 << if random::long() { 20 } else { 17 };
    for unit in [
        "$",
        "$ ",
        "$a",
        "a",
        "1",
        "a ",
        "1 ",
        "; ",
        "{ ",
        "} ",
        "( ",
        "( x } ",
        "/*",
        "*/",
        "/",
        "\"",
        "ü",
        "\u{feff}",
        "\0",
        "\n",
        "$\n",
        "x = ",
        "= ",
        "== ",
        "- ",
        "var ",
        "var x: ",
        "enum {",
        "thread ",
        "thread a {",
        "expect ",
        "for (",
        "f(",
        "either ",
        "if x ",
        "x[",
        "}{",
        "){",
        "protected ",
        "A: ",
        "x ? ",
        "in .. ",
        "0..",
        "1.5 ",
        "not ",
        "proc ",
        "proc f ",
        "proc f() {",
        "proc f(a: ",
        "proc f() {} g(); ",
        "thread a { waiit(); } ",
        "record ",
        "record r {",
        "record r { x: ",
        "reentrant(",
        "reentrant mutex ",
        "semaphore s: 0..",
        "pool P[",
        "wait(",
        "return ",
        "null ",
        "&",
        "& ",
        ".f",
        "x.",
        "thread a { x.f",
        "protected by {",
        "protected by m, read by ",
        "protected by m, read ",
        "ref ",
        "ref r in ",
        "new ",
        "x = new ",
    ] {
        let source = unit.repeat(size / unit.len());
        let diagnostics = parse_any(&source, ParseLimits::default()).1;
        assert!(!diagnostics.is_empty(), "{unit:?}");
        assert!(diagnostics.len() <= 1001, "{unit:?}");
    }
}

#[test]
fn only_so_many_diagnostics_are_kept() {
    let source = format!("thread a {{ {} }}", "x++;\n".repeat(3000));
    let diagnostics = parse_any(&source, ParseLimits::default()).1;
    assert_eq!(diagnostics.len(), 1001);
    let last = diagnostics.last().unwrap();
    assert_eq!(
        (last.code, &*last.message),
        ("E0007", "2000 more errors in this file")
    );
}

/// A change to a text, at places given as fractions of its length.
#[derive(Clone, Debug)]
enum Mutation {
    Delete(f64, usize),
    Duplicate(f64, usize),
    Swap(f64, f64),
    Insert(f64, String),
    Truncate(f64),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = 0.0..1.0f64;
    let inserted = prop_oneof![
        Just("}".to_string()),
        Just("{".to_string()),
        Just("thread a {".to_string()),
        Just("/*".to_string()),
        Just("≤".to_string()),
        "[ -~]{1,4}",
        "\\PC{1,3}",
    ];
    prop_oneof![
        (at.clone(), 1..4usize).prop_map(|(a, n)| Mutation::Delete(a, n)),
        (at.clone(), 1..4usize).prop_map(|(a, n)| Mutation::Duplicate(a, n)),
        (at.clone(), at.clone()).prop_map(|(a, b)| Mutation::Swap(a, b)),
        (at.clone(), inserted).prop_map(|(a, s)| Mutation::Insert(a, s)),
        at.prop_map(Mutation::Truncate),
    ]
}

fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    prop::collection::vec(mutation(), 0..6)
}

/// Applies changes to a text in pieces (its bytes, or roughly its tokens).
fn mutate(mut pieces: Vec<Vec<u8>>, mutations: &[Mutation]) -> Vec<u8> {
    for mutation in mutations {
        let len = pieces.len();
        if len == 0 {
            break;
        }
        let place = |at: f64| ((at * len as f64) as usize).min(len - 1);
        match mutation {
            Mutation::Delete(at, n) => {
                pieces.drain(place(*at)..(place(*at) + n).min(len));
            }
            Mutation::Duplicate(at, n) => {
                let copy = pieces[place(*at)..(place(*at) + n).min(len)].to_vec();
                pieces.splice(place(*at)..place(*at), copy);
            }
            Mutation::Swap(a, b) => pieces.swap(place(*a), place(*b)),
            Mutation::Insert(at, text) => pieces.insert(place(*at), text.clone().into_bytes()),
            Mutation::Truncate(at) => pieces.truncate(place(*at)),
        }
    }
    pieces.concat()
}

/// Words, runs of blanks, and single signs.
fn tokens(text: &str) -> Vec<Vec<u8>> {
    let class = |b: u8| match b {
        b if b.is_ascii_alphanumeric() || b == b'_' => 1,
        b if b.is_ascii_whitespace() => 2,
        _ => 0,
    };
    let bytes = text.as_bytes();
    let same = |a: &u8, b: &u8| class(*a) == class(*b) && class(*a) != 0;
    bytes.chunk_by(same).map(<[u8]>::to_vec).collect()
}

fn check_bytes(bytes: Vec<u8>) {
    match decode(bytes) {
        Ok(source) => drop(parse_any(&source, ParseLimits::default())),
        Err(wrong) => {
            let span = wrong.diagnostic.span;
            assert!(wrong.lossy.get(span.start..span.end).is_some());
            parse_any(&wrong.lossy, ParseLimits::default());
        }
    }
}

proptest! {
    #![proptest_config(random::config(1500))]

    #[test]
    fn mutated_tokens(model in 0..MODELS.len(), mutations in mutations()) {
        check_bytes(mutate(tokens(MODELS[model]), &mutations));
    }

    #[test]
    fn mutated_bytes(model in 0..MODELS.len(), mutations in mutations()) {
        let bytes = MODELS[model].bytes().map(|b| vec![b]).collect();
        check_bytes(mutate(bytes, &mutations));
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_bytes(bytes);
    }

    #[test]
    fn a_low_limit_holds_for_any_text(
        model in 0..MODELS.len(),
        mutations in mutations(),
        depth in 0..12usize,
    ) {
        let bytes = mutate(tokens(MODELS[model]), &mutations);
        let (_, diagnostics) = parse_any(&String::from_utf8_lossy(&bytes), ParseLimits { depth });
        let deep = diagnostics.iter().filter(|d| d.code == "E0006").count();
        prop_assert!(deep <= 1);
        prop_assert!(depth > 0 || !diagnostics.is_empty());
    }

    #[test]
    fn any_sequence_of_tokens(places in prop::collection::vec(0.0..1.0f64, 0..60)) {
        let all: Vec<_> = MODELS.iter().flat_map(|m| tokens(m)).collect();
        let chosen = places.iter().map(|p| all[(p * all.len() as f64) as usize].clone());
        check_bytes(chosen.collect::<Vec<_>>().join(&b' '));
    }
}
