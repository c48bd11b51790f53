//! What people write in terms who come from elsewhere, and how it is written here.

use crate::base::diagnostic::Help;

/// Signs of other notations, longer ones before their beginnings: what to put instead, if that is all, and what to say.
const SIGNS: [(&str, Option<&str>, &str); 31] = [
    ("==", Some("="), "an equation has one `=`"),
    ("=<", Some("<="), "inclusion is written `<=`"),
    ("≤", Some("<="), "inclusion is written `<=`"),
    ("⊆", Some("<="), "inclusion is written `<=`"),
    ("⊑", Some("<="), "inclusion is written `<=`"),
    (
        "≥",
        Some(">="),
        "inclusion is written `<=`, and turned round `>=`",
    ),
    ("≠", Some("!="), "`i != j` is a condition on processes"),
    (
        "<",
        Some("<="),
        "inclusion is written `<=`; there is no strict one",
    ),
    ("!", Some("~"), "a complement is written `~p`"),
    ("¬", Some("~"), "a complement is written `~p`"),
    ("&&", Some(" "), "both tests: `p q`, as a product"),
    ("&", Some(" "), "both tests: `p q`, as a product"),
    ("/\\", Some(" "), "both tests: `p q`, as a product"),
    ("∧", Some(" "), "both tests: `p q`, as a product"),
    ("·", Some(" "), "a product has no sign: `x y`, or `x . y`"),
    ("∘", Some(" "), "a product has no sign: `x y`, or `x . y`"),
    ("||", Some("+"), "one or the other: `x + y`"),
    ("|", Some("+"), "one or the other: `x + y`"),
    ("\\/", Some("+"), "one or the other: `x + y`"),
    ("∨", Some("+"), "one or the other: `x + y`"),
    ("∪", Some("+"), "one or the other: `x + y`"),
    ("∑", None, "a sum over all processes is `(+ j : x[j])`"),
    ("->", None, IMPLIES),
    ("→", None, IMPLIES),
    ("=>", None, IMPLIES),
    ("^*", Some("*"), "a star is written `x*`"),
    ("^+", None, "once or more: `x x*`"),
    ("^ω", Some("^w"), "infinite iteration is written `x^w`"),
    (
        "^",
        None,
        "powers are written out: `x x`; `x^w` is infinite iteration",
    ),
    (
        "'",
        None,
        "a complement is written `~p`, and a converse does not exist here",
    ),
    (";", None, "`;` ends an item; a product has no sign: `x y`"),
];

const IMPLIES: &str = "premises stand in brackets behind the name, `identity NAME [p <= q] : ..;`, or behind \
                       `--given` on the command line; a test that implies another is `p <= q`";

/// How to write what stands in a text where it can't: at a place, or just before it.
pub(super) fn meant(text: &str, at: usize) -> Option<Help> {
    let found = SIGNS.iter().find(|(sign, ..)| {
        let first = sign.chars().next().map_or(1, char::len_utf8);
        let starts = |at: Option<usize>| {
            at.and_then(|at| text.get(at..))
                .is_some_and(|rest| rest.starts_with(sign))
        };
        let second = sign.len() > first && starts(at.checked_sub(first));
        second || starts(Some(at))
    })?;
    let (sign, instead, told) = *found;
    // Only what stands at the place itself can be put right there.
    let here = text.get(at..).is_some_and(|rest| rest.starts_with(sign));
    let alone = sign.chars().count() == 1;
    Some(match instead {
        Some(instead) if here && alone => Help::put(instead, told),
        _ => told.into(),
    })
}
