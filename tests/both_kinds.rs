//! Errors of syntax do not hide those of names, types and ranges (and do not cause any).

use coarsen::Session;
use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::position;

fn codes(source: &str) -> Vec<String> {
    let errors = match Session::load("errors.cor", source, &[], ParseLimits::default()) {
        Ok(_) => return Vec::new(),
        Err(errors) => errors,
    };
    let mut all: Vec<String> = errors
        .iter()
        .map(|d| format!("{} {}", position(source, d.span.start).line, d.code))
        .collect();
    all.sort();
    all
}

#[test]
fn a_missing_semicolon_hides_nothing() {
    let source = "mutex m;\nvar x: 0..1 = 0\nvar z: 0..7 = 9;\nvar w: 0..1 = 0 protected v by m;\nthread a { y = 1; x \
        = true; lock(x); }\n";
    assert_eq!(
        codes(source),
        [
            "2 E0102", "3 E0206", "4 E0211", "5 E0201", "5 E0203", "5 E0208"
        ]
    );
}

#[test]
fn a_stray_character_hides_nothing() {
    assert_eq!(
        codes("var x: 0..3 = 0;\nthread a { x = true; @ }\n"),
        ["2 E0002", "2 E0203"]
    );
}

#[test]
fn a_bad_initial_value_is_one_error() {
    let source = "var x: 0..3 = 5;\nthread a { x = 1; if (x) skip; }\n";
    assert_eq!(codes(source), ["1 E0206", "2 E0203"]);
}

#[test]
fn what_could_not_be_read_is_not_missed_elsewhere() {
    let source = "var x 0..3 = 0;\nthread a { x = 1; x = 2; }\nthread b { L: skip }\ninvariant i: at(b, L);\n";
    let found = codes(source);
    assert!(
        found
            .iter()
            .all(|c| c.ends_with("E0101") || c.ends_with("E0102")),
        "{found:?}"
    );
}
