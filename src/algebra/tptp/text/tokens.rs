//! Text to tokens (TPTP v9, section "lexical").

use super::codes::{FORMULA, UNBALANCED};
use super::wrong;
use crate::base::diagnostic::{Diagnostic, Span};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// `abc`, `'any text'`
    Lower(String),
    /// `Abc`
    Upper(String),
    /// `$abc`, `$$abc`
    Dollar(String),
    /// `"text"`, or a number: as written.
    Foreign(String),
    Sign(&'static str),
    End,
}

/// The signs, longer ones before their beginnings.
const SIGNS: [&str; 27] = [
    "<=>", "<~>", "-->", "~|", "~&", "=>", "<=", "!=", "!>", "?*", ":=", "@+", "@-", "(", ")", "[",
    "]", ",", ".", ":", "!", "?", "~", "&", "|", "=", "@",
];

pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let (start, rest) = (at, &text[at..]);
        let name = |from: usize| {
            let tail = &rest[from..];
            let end = tail.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            from + end.unwrap_or(tail.len())
        };
        let token = match c {
            _ if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '%' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '/' if rest.starts_with("/*") => {
                let Some(length) = rest[2..].find("*/") else {
                    return Err(unclosed(start, 2, "/*", "*/"));
                };
                at += length + 4;
                continue;
            }
            'a'..='z' => {
                at += name(0);
                Token::Lower(text[start..at].to_string())
            }
            'A'..='Z' | '_' => {
                at += name(0);
                Token::Upper(text[start..at].to_string())
            }
            '$' => {
                at += name(if rest.starts_with("$$") { 2 } else { 1 });
                Token::Dollar(text[start..at].to_string())
            }
            '\'' | '"' => {
                let (inner, length) = quoted(rest, c, start)?;
                at += length;
                match c {
                    '\'' => Token::Lower(inner),
                    _ => Token::Foreign(text[start..at].to_string()),
                }
            }
            '0'..='9' | '+' | '-' if number(rest) > 0 => {
                at += number(rest);
                Token::Foreign(text[start..at].to_string())
            }
            _ => match SIGNS.iter().find(|s| rest.starts_with(**s)) {
                Some(sign) => {
                    at += sign.len();
                    Token::Sign(sign)
                }
                None => {
                    let span = Span::new(start, start + c.len_utf8());
                    return Err(wrong(
                        FORMULA,
                        span,
                        format!("unexpected character {c:?}"),
                        "a formula",
                    ));
                }
            },
        };
        all.push((token, Span::new(start, at)));
    }
    all.push((Token::End, Span::new(text.len(), text.len())));
    Ok(all)
}

fn unclosed(start: usize, length: usize, open: &str, close: &str) -> Diagnostic {
    let span = Span::new(start, start + length);
    wrong(
        UNBALANCED,
        span,
        format!("`{open}` is not closed"),
        &format!("`{close}`"),
    )
}

/// The text in quotes, without them and without `\`, and its length with them.
fn quoted(rest: &str, quote: char, start: usize) -> Result<(String, usize), Diagnostic> {
    let mut inner = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((n, c)) = letters.next() {
        match c {
            '\\' => inner.extend(letters.next().map(|(_, c)| c)),
            _ if c == quote => return Ok((inner, n + 1)),
            _ => inner.push(c),
        }
    }
    Err(unclosed(start, 1, &quote.to_string(), &quote.to_string()))
}

/// The length of the number that the text begins with: `-12`, `3/4`, `1.5E3`; 0 if there is none.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let sign = |at: usize| usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let mut end = sign(0);
    if digits(end) == 0 {
        return 0;
    }
    end += digits(end);
    if matches!(bytes.get(end), Some(b'.' | b'/')) && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let exponent = end + 1 + sign(end + 1);
        if digits(exponent) > 0 {
            end = exponent + digits(exponent);
        }
    }
    end
}
