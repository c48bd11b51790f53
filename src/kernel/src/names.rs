//! What names a certificate may have: those of the language of theories, so that what it says can be read in no other
//! way.

use crate::terms::Operator;

/// Words that begin an item of a file of theories, or belong to one: they are no names.
pub const WORDS: [&str; 14] = [
    "theory",
    "level",
    "use",
    "action",
    "test",
    "let",
    "hypothesis",
    "conclusion",
    "axiom",
    "identity",
    "fails",
    "open",
    "by",
    "proved",
];

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether this can be the name of an action, a test or an index variable: an identifier, not `T`, no operator and
/// no word of the language.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| in_name(c) && !c.is_ascii_digit())
        && text.chars().all(in_name)
        && text != "T"
        && Operator::named(text).is_none()
        && !WORDS.contains(&text)
}

/// Whether this can be the name of a statement: letters, digits and `_`, and between them `-`, `.` and `'`; it does not
/// begin with a word of the language.
pub fn is_title(text: &str) -> bool {
    let first = text.split(|c| !in_name(c)).next().unwrap_or_default();
    let end = text.trim_end_matches('\'').chars().next_back();
    !first.is_empty()
        && !WORDS.contains(&first)
        && end.is_some_and(in_name)
        && text.chars().all(|c| in_name(c) || "-.'".contains(c))
        && !["--", "..", "-.", ".-", "-'", ".'"]
            .iter()
            .any(|two| text.contains(two))
}
