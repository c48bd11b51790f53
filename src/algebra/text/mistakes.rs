//! What people write in terms who come from elsewhere, and how it is written here.

use crate::base::diagnostic::Help;
use crate::base::nearest;

/// Signs of other notations, longer ones before their beginnings: what to put instead, if that is all, and what to say.
const SIGNS: [(&str, Option<&str>, &str); 37] = [
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
    ("^-", None, CONVERSE),
    ("^T", None, CONVERSE),
    ("°", None, CONVERSE),
    ("˘", None, CONVERSE),
    ("⁻", None, CONVERSE),
    ("ᵀ", None, CONVERSE),
    (
        "^",
        None,
        "powers are written out: `x x`; `x^w` is infinite iteration",
    ),
    (
        "'",
        None,
        "a complement is written `~p`, and the converse of a relation `conv(x)`",
    ),
    (";", None, "`;` ends an item; a product has no sign: `x y`"),
];

const CONVERSE: &str = "the converse of a relation is written `conv(x)`";

const IMPLIES: &str = "premises stand in brackets behind the name, `identity NAME [p <= q] : ..;`, or behind \
                       `--given` on the command line; a test that implies another is `p <= q`";

/// Names from elsewhere, in small letters, and what they are here.
const WORDS: [(&[&str], &str); 10] = [
    (
        &["antidomain", "antidom", "adom"],
        "from where x has no step: `~dom(x)`",
    ),
    (
        &["domain", "pre", "enabled"],
        "from where x has a step: `dom(x)`",
    ),
    (
        &["anticodomain", "coantidomain", "acod"],
        "where no step of x ends: `~cod(x)`",
    ),
    (
        &["codomain", "range", "ran", "rng", "post"],
        "where steps of x end: `cod(x)`",
    ),
    (
        &["divergence", "diverges", "diverge", "nabla", "loops"],
        "from where x goes on for ever: `div(x)`",
    ),
    (
        &["converse", "transpose", "inverse", "inv", "cnv", "backward"],
        "x backwards: `conv(x)`",
    ),
    (&["star", "iterate"], "finite iteration is written `x*`"),
    (&["omega"], "infinite iteration is written `x^w`"),
    (
        &["skip", "id", "true", "one", "top"],
        "`1` is what changes nothing, and the test that always holds; `T` is the largest element",
    ),
    (
        &["abort", "fail", "false", "zero", "bot"],
        "`0` is what has no result, and the test that never holds",
    ),
];

/// What a name that is not known is meant for: letters side by side, a declared name misspelt, an operator.
pub(in crate::algebra) fn named(name: &str, known: &[&str]) -> Option<String> {
    let letters: Vec<String> = name.chars().map(String::from).collect();
    if letters.len() > 1 && letters.iter().all(|l| known.contains(&l.as_str())) {
        return Some(format!("a product has spaces: `{}`.", letters.join(" ")));
    }
    let near = |among: &[&str]| {
        let near = nearest(name, among.iter().copied());
        near.map(|near| format!("did you mean `{near}`?"))
    };
    let word = name.to_lowercase();
    let elsewhere = || {
        let mut all = WORDS.iter();
        let found = all.find(|(words, _)| words.contains(&word.as_str()));
        found.map(|(_, told)| format!("{told}."))
    };
    near(known)
        .or_else(elsewhere)
        .or_else(|| near(&["dom", "cod", "div", "conv"]))
}

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
