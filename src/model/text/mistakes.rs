//! What people write instead of what the language has: tables, and the nearest word to a misspelt one.

use super::lexer::Word;
use crate::base::diagnostic::Help;

/// Words of other languages that begin a statement, and ours.
const STATEMENT_ALIASES: &[(&str, Word)] = &[
    ("acquire", Word::Lock),
    ("release", Word::Unlock),
    ("choose", Word::Either),
    ("select", Word::Either),
    ("pass", Word::Skip),
    ("nop", Word::Skip),
    ("require", Word::Assume),
];

/// Words of other languages that begin a declaration, and ours.
const DECLARATION_ALIASES: &[(&str, Word)] = &[
    ("process", Word::Thread),
    ("proctype", Word::Thread),
    ("constant", Word::Const),
    ("define", Word::Const),
    ("variable", Word::Var),
    ("let", Word::Var),
    ("shared", Word::Var),
    ("global", Word::Var),
    ("property", Word::Invariant),
];

/// Words that begin a statement.
pub(super) const STATEMENT_WORDS: &[Word] = &[
    Word::If,
    Word::While,
    Word::For,
    Word::Either,
    Word::Havoc,
    Word::Lock,
    Word::Unlock,
    Word::Skip,
    Word::Assert,
    Word::Assume,
    Word::When,
    Word::Atomic,
    Word::Var,
    Word::Transaction,
    Word::Return,
    Word::Goto,
];

/// Operations on objects and threads that are written as calls. Their names are not reserved.
pub(crate) const OPERATIONS: &[&str] = &[
    "read_lock",
    "read_unlock",
    "write_lock",
    "write_unlock",
    "wait",
    "notify",
    "notifyAll",
    "up",
    "down",
    "await",
    "start",
    "join",
    "free",
];

/// Operations that change a variable and have a value. Their names are not reserved.
pub(crate) const EXCHANGES: &[&str] = &["cas", "fetch_add", "swap"];

/// Words that begin a declaration.
pub(super) const DECLARATION_WORDS: &[Word] = &[
    Word::Const,
    Word::Enum,
    Word::Mutex,
    Word::Var,
    Word::Thread,
    Word::Init,
    Word::Invariant,
    Word::Lemma,
    Word::Reach,
    Word::DeadlockFree,
    Word::Expect,
];

/// Words that begin a declaration, too, but are not reserved: no other one begins with a plain name.
pub(super) const CONTEXTUAL: &[&str] = &[
    "reentrant",
    "rwlock",
    "cond",
    "semaphore",
    "barrier",
    "record",
    "pool",
    "proc",
];

/// The contextual word of a declaration that was probably meant by `text`.
pub(super) fn meant_contextual(text: &str) -> Option<&'static str> {
    const ALIASES: &[(&str, &str)] = &[
        ("struct", "record"),
        ("class", "record"),
        ("procedure", "proc"),
        ("function", "proc"),
        ("def", "proc"),
        ("fn", "proc"),
        ("condition", "cond"),
        ("condvar", "cond"),
        ("rw_lock", "rwlock"),
    ];
    let alias = ALIASES.iter().find(|(a, _)| *a == text);
    alias.map(|&(_, word)| word).or_else(|| {
        let found = crate::base::nearest(text, CONTEXTUAL.iter().copied())?;
        CONTEXTUAL.iter().copied().find(|w| *w == found)
    })
}

/// The statement word that was probably meant by `text`.
pub(super) fn meant_statement(text: &str) -> Option<Word> {
    alias(text, STATEMENT_ALIASES).or_else(|| nearest(text, STATEMENT_WORDS))
}

/// Whether `text` begins a statement in another language that has another word here.
pub(super) fn is_statement_alias(text: &str) -> bool {
    alias(text, STATEMENT_ALIASES).is_some() || without_statement(text).is_some()
}

/// The declaration word that was probably meant by `text`.
pub(super) fn meant_declaration(text: &str) -> Option<Word> {
    alias(text, DECLARATION_ALIASES).or_else(|| nearest(text, DECLARATION_WORDS))
}

/// Whether `text` is a type of a C-like language.
pub(super) fn is_foreign_type(text: &str) -> bool {
    matches!(
        text,
        "int"
            | "integer"
            | "uint"
            | "unsigned"
            | "long"
            | "short"
            | "byte"
            | "char"
            | "nat"
            | "bit"
    )
}

/// What to do without a statement that other languages have.
pub(super) fn without_statement(text: &str) -> Option<&'static str> {
    Some(match text {
        "break" | "continue" => {
            "put the condition into the `while`, or write `goto L;` with a label `L:` where it is to go on"
        }
        "do" | "loop" | "repeat" => {
            "the only loops are `while (c) { .. }` and `for (k in 0..2) { .. }`"
        }
        "switch" | "case" | "match" => "use `if (c) { .. } else if (d) { .. } else { .. }`",
        "print" | "printf" => "a model prints nothing: the trace shows every variable",
        _ => return None,
    })
}

/// How to mend a run of characters that belong to no token, where it is known what they stand for.
pub(super) fn instead_of_noise(text: &str) -> Option<Help> {
    const NO_STRINGS: &str = "there are no strings: use an enum value";
    let mut chars = text.chars();
    let first = chars.next()?;
    if first == '"' {
        return Some(NO_STRINGS.into());
    }
    if chars.any(|c| c != first) {
        return None;
    }
    let meant = match first {
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '∧' => "&&",
        '∨' => "||",
        '¬' => "!",
        '⇒' | '→' => "=>",
        '←' | '≔' => "=",
        '…' => "..",
        '–' | '—' | '−' => "-",
        '×' | '·' => "*",
        '∀' => "forall",
        '∃' => "exists",
        '#' => return Some(Help::put("//", "a comment begins with `//`")),
        '\'' | '“' | '”' | '‘' | '’' | '`' => {
            return Some(NO_STRINGS.into());
        }
        '\u{a0}' | '\u{2003}' | '\u{2009}' | '\u{202f}' | '\u{3000}' => {
            return Some(Help::put(
                " ",
                "this is not an ordinary space: type a plain one",
            ));
        }
        '\u{feff}' => return Some(Help::put("", "remove the byte order mark")),
        _ => return None,
    };
    Some(Help::put(meant, format!("write `{meant}`")))
}

/// A text short enough for a message, with control characters made visible.
pub(super) fn shorten(text: &str) -> String {
    const SHOWN: usize = 32;
    let mut shown: String = text.chars().take(SHOWN).flat_map(visible).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("..");
    }
    shown
}

/// The character itself, or its escape if it can't be seen.
fn visible(c: char) -> impl Iterator<Item = char> {
    let hidden = c.is_control() || (c.is_whitespace() && c != ' ') || c == '\u{feff}';
    let escape = hidden.then(|| c.escape_unicode());
    escape.into_iter().flatten().chain((!hidden).then_some(c))
}

fn alias(text: &str, aliases: &[(&str, Word)]) -> Option<Word> {
    aliases
        .iter()
        .find(|(a, _)| *a == text)
        .map(|&(_, word)| word)
}

/// The nearest of `words`, if it is near.
fn nearest(text: &str, words: &[Word]) -> Option<Word> {
    let found = crate::base::nearest(text, words.iter().map(|w| w.text()))?;
    words.iter().copied().find(|w| w.text() == found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_words_are_suggested() {
        assert_eq!(meant_statement("Whlie"), Some(Word::While));
        assert_eq!(meant_statement("acquire"), Some(Word::Lock));
        assert_eq!(meant_statement("x"), None);
        assert_eq!(meant_statement("frobnicate"), None);
        assert_eq!(meant_declaration("thraed"), Some(Word::Thread));
    }
}
