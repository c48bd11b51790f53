//! Text to tokens.

use super::codes::{NO_TERM, UNBALANCED};
use super::{wrong, wrong_in};
use crate::base::diagnostic::{Diagnostic, Span};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    Number(i64),
    String(String),
    State(String),
    Sign(&'static str),
    End,
}

/// The signs, longer ones before their beginnings.
const SIGNS: [&str; 24] = [
    "^w", "<=", ">=", "=>", "!=", ":=", "=", "+", ".", "*", "~", "#", "(", ")", "[", "]", ",", ":",
    ";", "-", "'", "|", "<", ">",
];

pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        let rest = &text[at..];
        let take = |f: fn(char) -> bool| rest.find(|c: char| !f(c)).unwrap_or(rest.len());
        let token = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if c.is_ascii_alphabetic() || c == '_' {
            at += take(|c| c.is_ascii_alphanumeric() || c == '_');
            Token::Name(text[start..at].to_string())
        } else if c.is_ascii_digit() {
            at += take(|c| c.is_ascii_digit());
            match text[start..at].parse() {
                Ok(n) => Token::Number(n),
                Err(_) => {
                    return Err(wrong(
                        NO_TERM,
                        Span::new(start, at),
                        "this number is too large",
                        "a number below 2^63",
                    ));
                }
            }
        } else if c == '"' || c == '{' {
            let close = if c == '"' { '"' } else { '}' };
            let Some(length) = rest[1..].find(close) else {
                let message = format!("`{c}` is not closed");
                let span = Span::new(start, start + 1);
                return Err(wrong(UNBALANCED, span, message, &format!("`{close}`")));
            };
            at += length + 2;
            let inner = text[start + 1..at - 1].to_string();
            if c == '"' {
                Token::String(inner)
            } else {
                Token::State(inner)
            }
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            at += sign.len();
            Token::Sign(sign)
        } else {
            let end = at + c.len_utf8();
            return Err(wrong_in(
                text,
                NO_TERM,
                Span::new(at, end),
                format!("unexpected character {c:?}"),
                "a term",
            ));
        };
        all.push((token, Span::new(start, at)));
    }
    all.push((Token::End, Span::new(text.len(), text.len())));
    Ok(all)
}
