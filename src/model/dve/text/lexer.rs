//! Text to tokens, in one pass.
//!
//! After `dve_lexer.l` of DiVinE 1. There `//` inside `/* .. */` hides a `*/` on its line; here a comment ends with the
//! next `*/`.

use super::codes::CHARACTER;
use crate::base::diagnostic::{Diagnostic, Span};

/// The words that are no names.
pub(super) const KEYWORDS: [&str; 28] = [
    "const", "int", "byte", "true", "false", "system", "process", "state", "channel", "commit",
    "init", "accept", "assert", "trans", "guard", "sync", "async", "property", "effect", "and",
    "or", "not", "imply", "buchi", "genbuchi", "muller", "rabin", "streett",
];

/// The signs, longer ones before their beginnings.
const SIGNS: [&str; 34] = [
    "->", "=>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+", "-", "*", "/", "%", "|", "&",
    "^", "<", ">", "=", "!", "?", "~", ".", ",", ";", ":", "{", "}", "[", "]", "(", ")",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// An identifier.
    Name,
    Number(i64),
    /// A word of [`KEYWORDS`].
    Word(&'static str),
    Sign(&'static str),
    End,
}

pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let (start, rest) = (at, &text[at..]);
        let while_true = |f: fn(char) -> bool| rest.find(|c| !f(c)).unwrap_or(rest.len());
        let token = match c {
            _ if c.is_ascii_whitespace() || c == '\u{b}' => {
                at += 1;
                continue;
            }
            '\\' if continues(rest) => {
                at += 1;
                continue;
            }
            '/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '/' if rest.starts_with("/*") => {
                let Some(length) = rest[2..].find("*/") else {
                    let span = Span::new(start, start + 2);
                    return Err(wrong(span, "this comment is never closed", "`*/`"));
                };
                at += length + 4;
                continue;
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                at += while_true(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#'));
                let word = &text[start..at];
                match KEYWORDS.iter().find(|k| **k == word) {
                    Some(keyword) => Token::Word(keyword),
                    None => Token::Name,
                }
            }
            '0'..='9' => {
                at += while_true(|c| c.is_ascii_digit());
                let value = text[start..at].parse().ok();
                match value.filter(|v| *v <= i64::from(i32::MAX)) {
                    Some(value) => Token::Number(value),
                    None => {
                        let span = Span::new(start, at);
                        return Err(wrong(
                            span,
                            "this number is too large",
                            "at most 2147483647",
                        ));
                    }
                }
            }
            _ => match SIGNS.iter().find(|s| rest.starts_with(**s)) {
                Some(sign) => {
                    at += sign.len();
                    Token::Sign(sign)
                }
                None => {
                    let span = Span::new(start, start + c.len_utf8());
                    let message = format!("unknown character {c:?}");
                    return Err(wrong(span, message, "a name, a number or a sign of DVE"));
                }
            },
        };
        all.push((token, Span::new(start, at)));
    }
    all.push((Token::End, Span::new(text.len(), text.len())));
    Ok(all)
}

/// Whether a `\` stands at the end of its line, where it means nothing.
fn continues(rest: &str) -> bool {
    let behind = rest[1..].trim_start_matches([' ', '\t', '\r']);
    behind.is_empty() || behind.starts_with('\n')
}

fn wrong(span: Span, message: impl Into<String>, expected: &str) -> Diagnostic {
    let help = "correct it; see `coarsen explain E0602`";
    Diagnostic::error(CHARACTER, span, message, expected, help)
}
