//! Diagnostics are drawn for any source and any span.

use super::*;
use crate::base::diagnostic::position;
use proptest::prelude::*;

fn error(start: usize, end: usize) -> Diagnostic {
    Diagnostic::error(
        "E0102",
        Span::new(start, end),
        "unexpected `)`",
        "an expression",
        "remove the parenthesis",
    )
}

fn plain(source: &str, diagnostics: &[Diagnostic]) -> String {
    render("a.cor", source, diagnostics, Colour::Plain)
}

#[test]
fn shows_place_code_message_expectation_and_help() {
    let source = "var x: 0..1;\nx = );\n";
    let seen = plain(source, &[error(17, 18)]);
    for part in [
        "[E0102] Error: unexpected `)`",
        "a.cor:2:5 ",
        "2 │ x = );",
        "expected an expression",
        "Help: remove the parenthesis",
    ] {
        assert!(seen.contains(part), "{part:?} not in\n{seen}");
    }
    assert!(!seen.contains('\x1b'));
    let coloured = render("a.cor", source, &[error(17, 18)], Colour::Coloured);
    assert!(coloured.contains('\x1b'));
}

#[test]
fn the_first_twenty_in_order_then_a_count() {
    let source = "x\n".repeat(30);
    let mut all: Vec<Diagnostic> = (0..30).rev().map(|l| error(2 * l, 2 * l + 1)).collect();
    let seen = plain(&source, &all);
    assert_eq!(seen.matches("Error:").count(), SHOWN);
    let first = seen.find("a.cor:1:1 ").unwrap_or(usize::MAX);
    let last = seen.find("a.cor:20:1 ").unwrap_or(0);
    assert!(first < last);
    assert!(seen.ends_with("and 10 more errors\n"), "{seen}");
    all[0].severity = Severity::Warning;
    assert!(plain(&source, &all).ends_with("and 9 more errors and 1 warning\n"));
}

#[test]
fn a_line_of_a_megabyte_is_clipped_around_the_true_place() {
    let mut source = "ab\n".repeat(4);
    source.push_str(&"é".repeat(1_000_000));
    source.push_str("\nend");
    let far = 12 + 2 * 900_000;
    let seen = plain(
        &source,
        &[error(far, far + 2), error(14, 16), error(far, usize::MAX)],
    );
    assert!(seen.contains("a.cor:5:2 "), "{seen}");
    assert_eq!(seen.matches("a.cor:5:900001 ").count(), 2, "{seen}");
    assert!(seen.contains(" 5 │ [..] ééé"), "{seen}");
    assert!(seen.len() < 10_000);
}

#[test]
fn megabytes_of_lines_are_shown() {
    let source = "x\n".repeat(1_000_000);
    let all: Vec<Diagnostic> = (0..50_000).map(|l| error(40 * l, 40 * l + 1)).collect();
    let late: Vec<Diagnostic> = (0..100)
        .map(|l| error(1_900_000 + 2 * l, 1_900_001))
        .collect();
    assert!(plain(&source, &late).contains("a.cor:950001:1 "));
    assert!(plain(&source, &all).ends_with("and 49980 more errors\n"));
}

#[test]
fn unusual_lines() {
    assert!(plain("", &[error(0, 0)]).contains("a.cor:1:1 "));
    assert!(plain("abc", &[error(3, 3)]).contains("a.cor:1:4 "));
    assert!(plain("abc\n", &[error(99, 120)]).contains("a.cor:2:1 "));
    let crlf = plain("a\r\nbc)\r\n", &[error(5, 6), error(6, 9)]);
    assert!(
        crlf.contains("a.cor:2:3 ") && crlf.contains("a.cor:2:4 "),
        "{crlf}"
    );
    assert!(!crlf.contains('\r'));
    let tabs = plain("\tx = );", &[error(5, 6)]);
    assert!(
        tabs.contains("a.cor:1:6 ") && tabs.contains("    x = );"),
        "{tabs}"
    );
    let controls = plain("a \x1b[2J \x0b \u{2028} )", &[error(2, 3)]);
    assert!(
        !controls.contains('\x1b') && controls.contains("␛[2J"),
        "{controls}"
    );
    let forged = render("a\n\x1b.cor", "x", &[error(0, 1)], Colour::Plain);
    assert!(forged.contains("a␊␛.cor:1:1 "), "{forged}");
}

#[test]
fn long_texts_are_clipped_and_empty_ones_left_out() {
    let mut long = error(0, 1);
    long.message = "m".repeat(1 << 20);
    long.expected = "e".repeat(1 << 20);
    long.help = String::new();
    let seen = plain("x", &[long]);
    assert!(seen.len() < 4_000 && !seen.contains("Help"));
}

proptest! {
    #![proptest_config(crate::random::config(256))]

    #[test]
    fn any_span_of_any_text_is_drawn(
        source in "([ -~]|\\PC|\t|\r|\n|\u{0}|\u{2028}|\u{1b}){0,60}",
        repeat in 1usize..20,
        spans in prop::collection::vec((0usize..400, 0usize..400), 0..30),
    ) {
        let source = source.repeat(repeat);
        let all: Vec<Diagnostic> = spans.iter().map(|&(s, e)| error(s, e)).collect();
        let seen = plain(&source, &all);
        prop_assert_eq!(seen.matches("Error: unexpected").count(), all.len().min(SHOWN));
        prop_assert!(!seen.chars().any(|c| c.is_control() && c != '\n'));
        for d in all.iter().take(1) {
            let Position { line, column } = position(&source, d.span.start);
            if all.len() <= SHOWN {
                let place = format!("a.cor:{line}:{column} ");
                prop_assert!(seen.contains(&place), "{}", seen);
            }
        }
    }
}
