//! The layout of models: only blanks differ, once is enough, and what is shipped has it.

use crate::claimed::programs;
use crate::command::coarsen;
use crate::random;
use coarsen::base::control::ParseLimits;
use coarsen::model::text::{format_model, parse_model, print_model};
use proptest::prelude::*;
use std::fs;

/// The shipped models' texts.
fn models() -> Vec<(String, String)> {
    let all = crate::shipped::texts().into_iter();
    all.map(|m| (m.name.to_string(), m.source.to_string()))
        .collect()
}

fn formatted(source: &str) -> String {
    format_model(source, ParseLimits::default()).unwrap_or_else(|d| panic!("{d:?}\n{source}"))
}

/// The tree as text, without places.
fn tree(source: &str) -> String {
    let (model, diagnostics) = parse_model(source, ParseLimits::default());
    assert_eq!(diagnostics, [], "{source}");
    print_model(&model)
}

/// All comments in their order. (There are no strings that could hold one.)
fn comments(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let here = &rest[at..];
        let end = match here.starts_with("//") {
            true => here.find('\n').unwrap_or(here.len()),
            false => here.find("*/").expect("closed") + 2,
        };
        found.push(here[..end].trim_end().to_string());
        rest = &here[end..];
    }
    found
}

fn check(source: &str) -> String {
    let once = formatted(source);
    assert_eq!(tree(source), tree(&once), "{source}\n-- became --\n{once}");
    assert_eq!(
        comments(source),
        comments(&once),
        "{source}\n-- became --\n{once}"
    );
    assert_eq!(once, formatted(&once), "{source}\n-- became --\n{once}");
    assert!(
        once.lines().all(|l| l.trim_end() == l || l.contains("/*")),
        "{once}"
    );
    assert!(!once.contains("\n\n\n"), "{once}");
    once
}

#[test]
fn shipped_models_are_formatted() {
    for (name, source) in models() {
        assert_eq!(check(&source), source, "{name}");
    }
}

#[test]
fn what_is_printed_is_formatted() {
    for (_, source) in models() {
        let printed = tree(&source);
        assert_eq!(check(&printed), printed);
    }
}

/// A text with the same tokens and other blanks; `dice` chooses each of them.
fn mangled(source: &str, dice: &mut impl FnMut() -> usize) -> String {
    // The pieces: words and numbers, signs of two characters, comments; everything else is one character.
    let mut pieces: Vec<String> = Vec::new();
    let mut rest = source.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").expect("closed") + 2
        } else if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            let two = ["..", "==", "=>", "!=", "<<", ">>", "<=", ">=", "&&", "||"];
            if two.iter().any(|t| rest.starts_with(t)) {
                2
            } else {
                1
            }
        };
        pieces.push(rest[..end].to_string());
        rest = rest[end..].trim_start();
    }
    let mut text = String::new();
    for piece in pieces {
        text += &piece;
        text += match (piece.starts_with("//"), dice()) {
            (true, _) | (_, 0) => "\n",
            (_, 1) => "\n\n\n  ",
            (_, 2) => " // a comment\n",
            (_, 3) => "\r\n\t",
            (_, 4) => " /* one\n   more */ ",
            (_, 5) => "     ",
            (_, 6) => "\n/* a */",
            _ => " ",
        };
    }
    text
}

proptest! {
    #![proptest_config(random::config(400))]

    #[test]
    fn blanks_are_all_that_changes(
        which in any::<prop::sample::Index>(),
        rolls in prop::collection::vec(0..12_usize, 64),
    ) {
        let all = models();
        let (_, source) = which.get(&all);
        let mut rolls = rolls.iter().cycle();
        check(&mangled(source, &mut || *rolls.next().expect("one")));
    }

    #[test]
    fn random_programs_on_one_line(source in programs()) {
        check(&source.split_whitespace().collect::<Vec<_>>().join(" "));
    }
}

#[test]
fn the_layout() {
    let source = "const N=2 ;mutex m; var x :0 .. N - 1=0 protected by m;// shared\n\
        var y: 0..1=0 unprotected;   // aligned\n\
        thread t( i in 1..N ){A:lock ( m );x=x+ -1 ;\n\n\n\n\
        if(x==0){unlock(m);goto B;}\n else\n{ skip; } unlock(m);\n\
        // at the end\n B: }\n\
        thread u { either { x = 1; } or { x = 2; }\n\
        while (x > 0) { x = x - 1; lock(m); unlock(m); x = !(x > 1) ? 1 : 0; } }\n\
        invariant small:\nx<2\n;";
    let expected = "\
const N = 2;
mutex m;
var x: 0..N-1 = 0 protected by m; // shared
var y: 0..1 = 0 unprotected; // aligned
thread t(i in 1..N) {
    A: lock(m); x = x + -1;

    if (x == 0) { unlock(m); goto B; }
    else { skip; } unlock(m);
    // at the end
    B:
}
thread u {
    either { x = 1; } or { x = 2; }
    while (x > 0) { x = x - 1; lock(m); unlock(m); x = !(x > 1) ? 1 : 0; }
}
invariant small:
    x < 2;
";
    assert_eq!(check(source), expected);
}

fn fmt(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    coarsen(&[&["fmt"], arguments].concat(), input.as_bytes())
}

#[test]
fn the_command() {
    let folder = std::env::temp_dir().join(format!("coarsen-fmt-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("made");
    let file = folder.join("a.cor");
    let (path, all) = (
        file.to_str().expect("UTF-8"),
        folder.to_str().expect("UTF-8"),
    );
    fs::write(&file, "thread t{skip;}").expect("written");

    let (code, out, _) = fmt(&["--check", all], "");
    assert_eq!((code, out), (Some(10), format!("{path}: not formatted\n")));
    assert_eq!(fs::read_to_string(&file).expect("read"), "thread t{skip;}");
    let (code, out, _) = fmt(&[all], "");
    assert_eq!((code, out), (Some(0), format!("{path}: formatted\n")));
    assert_eq!(
        fs::read_to_string(&file).expect("read"),
        "thread t { skip; }\n"
    );
    assert_eq!(
        fmt(&["--check", path], ""),
        (Some(0), String::new(), String::new())
    );
    let names: Vec<_> = fs::read_dir(&folder).expect("read").collect();
    assert_eq!(names.len(), 1, "nothing is left beside it");

    let (code, out, _) = fmt(&["-"], "thread t{skip;}");
    assert_eq!((code, out.as_str()), (Some(0), "thread t { skip; }\n"));
    // What can't be parsed is left as it is; names and types don't matter.
    fs::write(&file, "thread t {skip}").expect("written");
    let (code, out, err) = fmt(&[path], "");
    assert_eq!(code, Some(3), "{out}");
    assert!(err.contains("E0102") && err.contains("a.cor:1"), "{err}");
    assert_eq!(fs::read_to_string(&file).expect("read"), "thread t {skip}");
    assert_eq!(fmt(&["-"], "thread t{x=y;}").1, "thread t { x = y; }\n");
    assert_eq!(fmt(&["models/no.dve"], "").0, Some(2));
    fs::remove_dir_all(&folder).expect("removed");
}
