//! The model of a `fails` statement: `{ states 3; processes 2; x = 1->2,3  2->3; p = 1,2; u[1] = none; i = 1; }`.
//!
//! ```text
//! model  = '{' (entry ';')* '}'                      the last ';' may be left out
//! entry  = ('states' | 'processes') NUMBER  |  NAME ('[' NUMBER,+ ']')? '=' ('none' | group+)
//! group  = NUMBER ('->' NUMBER (','? NUMBER)*)*      groups may be separated by commas, too
//! ```

use super::codes::MODEL;
use super::wrong;
use crate::algebra::tree::{ModelEntry, ModelTree, Named};
use crate::base::diagnostic::{Diagnostic, Span};

/// Reads what stands at `span`, braces included.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn parse_model(text: &str, span: Span) -> Result<ModelTree, Diagnostic> {
    let inner = text.get(span.start + 1..span.end - 1).unwrap_or_default();
    let mut p = Reader {
        tokens: tokens(inner, span.start + 1)?,
        at: 0,
        end: Span::new(span.end - 1, span.end),
    };
    let mut model = ModelTree {
        span,
        states: None,
        processes: None,
        entries: Vec::new(),
    };
    while p.at < p.tokens.len() {
        p.entry(&mut model)?;
        if p.at < p.tokens.len() && !p.eat(";") {
            return p.fail("`;`, or more of the entry");
        }
    }
    Ok(model)
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Number(usize),
    Sign(&'static str),
}

const SIGNS: [&str; 6] = ["->", "=", ",", ";", "[", "]"];

fn tokens(text: &str, offset: usize) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
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
            // One that is too large is out of every range.
            Token::Number(text[start..at].parse().unwrap_or(usize::MAX))
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            at += sign.len();
            Token::Sign(sign)
        } else {
            let span = Span::new(offset + at, offset + at + c.len_utf8());
            let message = format!("unexpected character {c:?}");
            return Err(wrong(MODEL, span, message, "an entry such as `x = 1->2,3`"));
        };
        all.push((token, Span::new(offset + start, offset + at)));
    }
    Ok(all)
}

struct Reader {
    tokens: Vec<(Token, Span)>,
    at: usize,
    /// The closing brace.
    end: Span,
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(t, _)| t)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |(_, s)| *s)
    }

    fn eat(&mut self, sign: &'static str) -> bool {
        let found = self.peek() == Some(&Token::Sign(sign));
        self.at += usize::from(found);
        found
    }

    fn fail<T>(&self, expected: &str) -> Result<T, Diagnostic> {
        let found = match self.peek() {
            Some(Token::Name(n)) => format!("`{n}` can't stand here"),
            Some(Token::Number(n)) => format!("`{n}` can't stand here"),
            Some(Token::Sign(s)) => format!("`{s}` can't stand here"),
            None => "the model ends too early".to_string(),
        };
        Err(wrong(MODEL, self.span(), found, expected))
    }

    fn number(&mut self, expected: &str) -> Result<(usize, Span), Diagnostic> {
        let span = self.span();
        match self.peek() {
            Some(Token::Number(n)) => {
                let n = *n;
                self.at += 1;
                Ok((n, span))
            }
            _ => self.fail(expected),
        }
    }

    fn entry(&mut self, model: &mut ModelTree) -> Result<(), Diagnostic> {
        let span = self.span();
        let Some(Token::Name(name)) = self.peek().cloned() else {
            return self.fail("`states 3`, `processes 2`, or an entry such as `x = 1->2,3`");
        };
        self.at += 1;
        if matches!(name.as_str(), "states" | "processes")
            && matches!(self.peek(), Some(Token::Number(_)))
        {
            let number = self.number("how many")?;
            let place = match name.as_str() {
                "states" => &mut model.states,
                _ => &mut model.processes,
            };
            if place.replace(number).is_some() {
                let message = format!("`{name}` has been given already");
                return Err(wrong(MODEL, span, message, "each number once"));
            }
            return Ok(());
        }
        let mut processes = Vec::new();
        if self.eat("[") {
            loop {
                processes.push(self.number("the number of a process")?);
                if !self.eat(",") {
                    break;
                }
            }
            if !self.eat("]") {
                return self.fail("`]`");
            }
        }
        if !self.eat("=") {
            return self.fail("`=` and the pairs of states, or `none`");
        }
        let mut entry = ModelEntry {
            name: Named { name, span },
            processes,
            states: Vec::new(),
            pairs: Vec::new(),
        };
        if self.peek() == Some(&Token::Name("none".to_string())) {
            self.at += 1;
        } else {
            self.pairs(&mut entry)?;
        }
        model.entries.push(entry);
        Ok(())
    }

    /// `1->2,3  2->3` or `1, 2`
    fn pairs(&mut self, entry: &mut ModelEntry) -> Result<(), Diagnostic> {
        let mut from = None;
        loop {
            let (state, span) = self.number("a state, a pair such as `1->2`, or `none`")?;
            if self.eat("->") {
                // Behind the arrow of `1->2->3`, 2 is a source, too.
                let (mut source, mut begin) = (state, span);
                loop {
                    let (target, end) = self.number("the state that it leads to")?;
                    entry.pairs.push((source, target, begin.to(end)));
                    from = Some((source, begin));
                    if !self.eat("->") {
                        break;
                    }
                    (source, begin) = (target, end);
                }
            } else if let Some((source, _)) = from {
                entry.pairs.push((source, state, span));
            } else {
                entry.states.push((state, span));
            }
            let comma = self.eat(",");
            if !comma && !matches!(self.peek(), Some(Token::Number(_))) {
                return Ok(());
            }
        }
    }
}
