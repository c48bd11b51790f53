//! The index of names: each name of a shipped model is found, and can be renamed wherever it stands.

use crate::shipped::{Shipped, texts};
use coarsen::Session;
use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::{Severity, Span};
use coarsen::model::text::ast::MOVERS;
use coarsen::model::text::names::{Kind, Names};
use coarsen::model::text::{is_name, parse_model, words};
use std::collections::BTreeSet;

fn names(source: &str) -> Names {
    let (tree, diagnostics) = parse_model(source, ParseLimits::default());
    assert_eq!(diagnostics, []);
    Names::of(&tree, source)
}

/// The words outside comments, with their places.
fn identifiers(source: &str) -> Vec<(Span, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").expect("closed") + 2
        } else if word(c) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        if is_name(&rest[..length]) {
            found.push((Span::new(at, at + length), &rest[..length]));
        }
        at += length;
    }
    found
}

/// Words that are no names where they have their meaning.
fn has_meaning(word: &str) -> bool {
    const OTHERS: [&str; 30] = [
        "reading",
        "writing",
        "assertions",
        "discipline",
        "owner",
        "count",
        "end",
        "wrong",
        "verdict",
        "holds",
        "refuted",
        "unknown",
        "hypothesis_refuted",
        "original",
        "reduced",
        "visited",
        "ref",
        "new",
        "where",
        "choose",
        "observe",
        "hide",
        "value",
        "arrived",
        "depth",
        "readers",
        "writer",
        "waiting",
        "saved",
        "generation",
    ];
    OTHERS.contains(&word) || MOVERS.contains(&word) || words().contains(&word)
}

#[test]
fn each_name_is_found() {
    for Shipped { name, source } in texts() {
        let names = names(&source);
        let uses: BTreeSet<Span> = names.uses.iter().map(|u| u.span).collect();
        for (span, word) in identifiers(&source) {
            assert!(
                uses.contains(&span) || has_meaning(word),
                "{name}: `{word}` at {} is not found",
                span.start
            );
        }
        for used in &names.uses {
            assert!(!used.of.is_empty());
            for d in &used.of {
                assert_eq!(
                    names.declared[*d].name,
                    source[used.span.start..used.span.end],
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn each_name_can_be_another() {
    let mut kinds = BTreeSet::new();
    for Shipped { name, source } in texts() {
        let names = names(&source);
        for declared in &names.declared {
            kinds.insert(format!("{:?}", declared.kind));
            let used = names.at(declared.span.start).expect("its own use");
            let mut text = source.clone();
            for place in names.together(used).iter().rev() {
                text.replace_range(place.span.start..place.span.end, "another_name");
            }
            let told = match Session::load(&name, &text, &[], ParseLimits::default()) {
                Ok((_, warnings)) => warnings,
                Err(errors) => errors,
            };
            let wrong = told.iter().find(|d| d.severity == Severity::Error);
            assert_eq!(wrong, None, "{name}: `{}`\n{text}", declared.name);
        }
    }
    // What no shipped model has is in the next test.
    assert!(kinds.len() >= 15, "{kinds:?}");
}

#[test]
fn what_a_use_means() {
    let source = "\
enum color { red, green }
record node { next: ref node in P = null; mutex m; value: 0..3 protected by m; }
pool P[2]: node;
var a[2]: {off, on} = off protected a[k] by self.k == k;
proc get(n: ref node in P): 0..3 { var r: 0..3; r = n.value; return r; }
thread one(i in 0..1) { var k: 0..1; var p: ref node in P; L: p = new P; p.next = &P[0]; k = 0; goto L; }
thread two { var k: 0..1; for (i in 0..1) { k = i; } transaction t { observe a; a[k] = on; } L: skip; }
invariant v: forall (i in 0..1) one(i).k <= 1 && (at(one(i), L) || two.k == 0) && at(two, L) => P[0].next.value == 0;
expect holds v;
";
    let names = names(source);
    // The kinds of what a word may mean where it stands for the n-th time.
    let line = |what: &str, n: usize| {
        let mut places = identifiers(source)
            .into_iter()
            .filter(|(_, word)| *word == what);
        let (span, _) = places.nth(n).expect("there");
        let used = names.at(span.start).unwrap_or_else(|| panic!("{what} {n}"));
        used.of
            .iter()
            .map(|d| names.declared[*d].kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(line("k", 0), [Kind::Bound], "a[k]");
    assert_eq!(
        line("k", 1),
        [Kind::Local, Kind::Local],
        "self.k: of both threads"
    );
    assert_eq!(line("k", 2), [Kind::Bound]);
    assert_eq!(line("next", 1), [Kind::Field], "p.next");
    assert_eq!(line("value", 2), [Kind::Field], "P[0].next.value");
    assert_eq!(line("i", 1), [Kind::Bound]);
    assert_eq!(line("on", 1), [Kind::EnumValue]);
    assert_eq!(line("v", 1), [Kind::Property]);
    assert_eq!(line("n", 1), [Kind::Parameter]);
    assert_eq!(line("node", 1), [Kind::Record]);
    assert_eq!(line("m", 1), [Kind::Field], "a mutex of the same record");
    assert_eq!(line("a", 1), [Kind::Variable]);
    // Labels are those of the thread that is named.
    let labels: Vec<usize> = identifiers(source)
        .iter()
        .filter(|(_, w)| *w == "L")
        .map(|(span, _)| names.at(span.start).expect("found").of[0])
        .collect();
    assert_eq!(labels[0], labels[1], "goto");
    assert_eq!(
        (labels[0], labels[2]),
        (labels[3], labels[4]),
        "at(one(i), L), at(two, L)"
    );
}
