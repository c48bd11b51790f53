//! The text front end: golden trees, golden diagnostics, the explanations' examples, and texts made to break it.
//!
//! `tests/syntax/good/*.cor` parse without a diagnostic to the tree beside them, `tests/syntax/bad/*.cor` give the
//! diagnostics beside them; `tests/syntax/elaborate/*.cor` parse, and those beside them come later.
//! `UPDATE=1 cargo test --test all syntax` writes those files anew; read the difference.

#[path = "syntax/robust.rs"]
mod robust;
#[path = "syntax/tree.rs"]
mod tree;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::{Diagnostic, Position, position};
use coarsen::model::text::{SYNTAX_CODES, decode, parse_model};

/// Compares `actual` for each input of a folder with the file beside it.
fn check_folder(folder: &str, extension: &str, actual: impl Fn(&str) -> String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/syntax")
        .join(folder);
    let mut inputs: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "cor"))
        .collect();
    inputs.sort();
    assert!(!inputs.is_empty());
    let update = std::env::var_os("UPDATE").is_some();
    let mut wrong = String::new();
    for input in inputs {
        let source = decode(fs::read(&input).unwrap()).unwrap();
        let actual = actual(&source);
        let expected_file = input.with_extension(extension);
        if update {
            fs::write(&expected_file, &actual).unwrap();
            continue;
        }
        let expected = fs::read_to_string(&expected_file).unwrap_or_default();
        if expected != actual {
            let _ = write!(
                wrong,
                "\n{}:\n-- expected\n{expected}-- actual\n{actual}",
                input.display()
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// All parts of a diagnostic, places as line:column.
fn show(source: &str, d: &Diagnostic) -> String {
    let place = |offset| {
        let Position { line, column } = position(source, offset);
        format!("{line}:{column}")
    };
    let (start, end) = (place(d.span.start), place(d.span.end));
    let Diagnostic {
        code,
        message,
        expected,
        help,
        ..
    } = d;
    format!("{start}-{end} {code} {message}\n  expected: {expected}\n  help: {help}\n")
}

fn diagnostics(source: &str) -> Vec<Diagnostic> {
    parse_model(source, ParseLimits::default()).1
}

#[test]
fn good_models_give_their_trees() {
    check_folder("good", "tree", |source| {
        let (model, diagnostics) = parse_model(source, ParseLimits::default());
        let errors: String = diagnostics.iter().map(|d| show(source, d)).collect();
        errors + &tree::model(&model)
    });
}

#[test]
fn bad_models_give_their_diagnostics() {
    check_folder("bad", "txt", |source| {
        let all: String = diagnostics(source)
            .iter()
            .map(|d| show(source, d))
            .collect();
        assert!(!all.is_empty(), "no diagnostic for:\n{source}");
        all
    });
}

/// Names, types and procedures: what is wrong with texts that the parser accepts.
#[test]
fn models_without_meaning_give_their_diagnostics() {
    check_folder("elaborate", "txt", |source| {
        let (model, errors) = parse_model(source, ParseLimits::default());
        assert_eq!(errors, []);
        let mut found = match coarsen::model::program::elaborate(&model, source, &[]) {
            Ok((_, warnings)) => warnings,
            Err(found) => found,
        };
        found.sort_by_key(|d| d.span);
        found.iter().map(|d| show(source, d)).collect()
    });
}

#[test]
fn every_code_is_explained_by_examples_that_are_true() {
    // These need bytes, depth or length that an example can't show.
    let without_example = ["E0001", "E0006", "E0007"];
    let mut last = "";
    for code in SYNTAX_CODES {
        assert!(last < code.code, "{} is out of order", code.code);
        last = code.code;
        assert!(
            code.code.len() == 5 && (code.code.starts_with("E00") || code.code.starts_with("E01"))
        );
        let example = |title: &str| {
            let behind = code.text.split(title).nth(1)?;
            let lines = behind.lines().skip(2).take_while(|l| l.starts_with("    "));
            Some(
                lines
                    .map(|l| format!("{}\n", l.trim_start()))
                    .collect::<String>(),
            )
        };
        if without_example.contains(&code.code) {
            assert_eq!(example("Wrong:"), None);
            continue;
        }
        let wrong = diagnostics(&example("Wrong:").unwrap());
        assert!(
            wrong.iter().any(|d| d.code == code.code),
            "{}: {wrong:?}",
            code.code
        );
        let right = diagnostics(&example("Right:").unwrap());
        assert_eq!(right, [], "{}", code.code);
    }
}

#[test]
fn bytes_are_decoded() {
    assert_eq!(
        decode(b"\xEF\xBB\xBFthread".to_vec()).as_deref(),
        Ok("thread")
    );
    assert_eq!(decode("ü".as_bytes().to_vec()).as_deref(), Ok("ü"));

    for (bytes, offset, shown) in [
        (&b"var x;\n\xFF\xFFmore"[..], 7, "byte 7 (line 2)"),
        (&b"\xEF\xBB\xBFa\n\xFC"[..], 2, "byte 5 (line 2)"),
        (&b"// caf\xC3"[..], 6, "byte 6 (line 1)"),
    ] {
        let wrong = decode(bytes.to_vec()).unwrap_err();
        let d = &wrong.diagnostic;
        assert_eq!(d.code, "E0001");
        assert_eq!(d.span.start, offset);
        assert_eq!(&wrong.lossy[d.span.start..d.span.end], "\u{FFFD}");
        assert!(d.message.contains(shown), "{}", d.message);
    }
    let utf16 = decode(b"\xFF\xFEv\0a\0r\0".to_vec()).unwrap_err();
    assert!(utf16.diagnostic.help.contains("UTF-16"));
}

#[test]
fn the_end_of_line_may_be_crlf() {
    let unix = include_str!("syntax/good/stoller_cohen.cor");
    let (model, errors) = parse_model(&unix.replace('\n', "\r\n"), ParseLimits::default());
    assert_eq!(errors, []);
    let (expected, _) = parse_model(unix, ParseLimits::default());
    assert_eq!(tree::model(&model), tree::model(&expected));
}

#[test]
fn spans_cover_what_they_name() {
    use coarsen::model::text::ast::{Decl, ExprKind, StmtKind};

    let source =
        "mutex m; /* ü */ thread a { L: x[0] = (1 + y) * m.owner; while (true) { skip; } }";
    let (model, errors) = parse_model(source, ParseLimits::default());
    assert_eq!(errors, []);
    let text = |span: coarsen::base::diagnostic::Span| &source[span.start..span.end];
    let Decl::Thread(thread) = &model.decls[1] else {
        panic!("{model:?}")
    };
    assert_eq!(text(thread.span), "thread a");
    assert!(text(thread.body.span).starts_with("{ L:") && text(thread.body.span).ends_with("} }"));
    let stmt = &thread.body.stmts[0];
    assert_eq!(text(stmt.labels[0].span), "L");
    assert_eq!(text(stmt.span), "x[0] = (1 + y) * m.owner;");
    let StmtKind::Assign(place, value) = &stmt.kind else {
        panic!("{stmt:?}")
    };
    assert_eq!(text(place.span), "x[0]");
    assert_eq!(text(value.span), "(1 + y) * m.owner");
    let ExprKind::Binary(_, sum, owner) = &value.kind else {
        panic!("{value:?}")
    };
    assert_eq!((text(sum.span), text(owner.span)), ("(1 + y)", "m.owner"));
    assert_eq!(text(thread.body.stmts[1].span), "while (true) { skip; }");
}
