//! Suites of identities as lines of S-expressions.
//!
//! A line is `NAME tab POS|NEG tab (hypothesis tab)* goal`. Hypotheses and goal are `= l r` or `<= l r`; terms are `0`,
//! `1`, `T`, names of actions, `(+ x y ..)`, `(. x y ..)` (product), `(st x)` and `(om x)`. Empty lines and those that
//! begin with `#` say nothing.

use super::codes::{SEXPR, TOO_DEEP, UNBALANCED};
use super::wrong;
use crate::algebra::suite::Declared;
use crate::algebra::tree::{Chain, Entry, File, Named};
use crate::algebra::{Atom, Order, Sort};
use crate::algebra::{Form, Term};
use crate::base::diagnostic::{Diagnostic, Span};
use std::collections::BTreeMap;

/// Reads a suite in S-expressions. A statement is named by the first field of its line, a colon and the line's number.
///
/// # Errors
/// What is wrong, with spans in the text; at most one thing for each line.
pub fn parse_suite(text: &str, depth: usize) -> Result<File, Vec<Diagnostic>> {
    let mut names = BTreeMap::new();
    let mut claims = Vec::new();
    let mut errors = Vec::new();
    let mut start = 0;
    for (n, line) in text.split('\n').enumerate() {
        let content = line.trim_end();
        if !content.is_empty() && !content.starts_with('#') {
            match claim(content, start, n + 1, depth, &mut names) {
                Ok(claim) => claims.push(claim),
                Err(d) => errors.push(d),
            }
        }
        start += line.len() + 1;
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let actions = names.into_iter().map(|(name, span)| {
        let name = Named { name, span };
        (name, Vec::new(), None)
    });
    let declare = Entry::Declare(Sort::Action, actions.collect());
    Ok(File {
        theory: None,
        items: std::iter::once(declare).chain(claims).collect(),
    })
}

fn claim(
    line: &str,
    start: usize,
    number: usize,
    depth: usize,
    names: &mut BTreeMap<String, Span>,
) -> Result<Entry, Diagnostic> {
    let whole = Span::new(start, start + line.len());
    let mut at = start;
    let mut fields = line.split('\t').map(|field| {
        let span = Span::new(at, at + field.len());
        at = span.end + 1;
        (field, span)
    });
    let (name, span) = fields.next().unwrap_or(("", whole));
    if name.trim().is_empty() {
        return Err(wrong(
            SEXPR,
            span,
            "the statement has no name",
            "a name and a tab",
        ));
    }
    let name = Named {
        name: format!("{}:{number}", name.trim()),
        span,
    };
    let declared = match fields.next() {
        Some(("POS", _)) => Declared::Proved,
        Some(("NEG", _)) => Declared::Open,
        Some((_, span)) => {
            return Err(wrong(
                SEXPR,
                span,
                "neither `POS` nor `NEG`",
                "`POS` for what is to be proved, `NEG` for what is false",
            ));
        }
        None => {
            return Err(wrong(
                SEXPR,
                whole,
                "the line ends behind its name",
                "a tab, `POS` or `NEG`, a tab and the goal",
            ));
        }
    };
    let mut statements = Vec::new();
    for (field, span) in fields {
        let mut reader = Reader {
            text: field,
            start: span.start,
            at: 0,
            depth,
            names,
        };
        statements.push(reader.statement()?);
    }
    let Some(chain) = statements.pop() else {
        return Err(wrong(
            SEXPR,
            whole,
            "the line has no goal",
            "`= l r` or `<= l r`",
        ));
    };
    Ok(Entry::Claim {
        declared,
        name,
        without: Vec::new(),
        premises: statements.into_iter().map(|s| (None, s)).collect(),
        chain,
        model: None,
    })
}

struct Reader<'a> {
    text: &'a str,
    /// Where the text begins in the file.
    start: usize,
    at: usize,
    depth: usize,
    names: &'a mut BTreeMap<String, Span>,
}

impl<'a> Reader<'a> {
    /// The next word, `(` or `)`; empty at the end.
    fn word(&mut self) -> (&'a str, Span) {
        let rest = &self.text[self.at..];
        let blank = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        let ends = |c: char| c.is_whitespace() || c == '(' || c == ')';
        let length = match rest.chars().next() {
            Some('(' | ')') => 1,
            _ => rest.find(ends).unwrap_or(rest.len()),
        };
        let from = self.at + blank;
        self.at = from + length;
        let span = Span::new(self.start + from, self.start + self.at);
        (&rest[..length], span)
    }

    fn statement(&mut self) -> Result<Chain, Diagnostic> {
        let (word, start) = self.word();
        let order = match word {
            "=" => Order::Equal,
            "<=" => Order::Below,
            _ => {
                return Err(wrong(
                    SEXPR,
                    start,
                    "this is no statement",
                    "`= l r` or `<= l r`",
                ));
            }
        };
        let sides = vec![self.term(0)?, self.term(0)?];
        let (word, span) = self.word();
        match word {
            "" => {}
            ")" => {
                return Err(wrong(
                    UNBALANCED,
                    span,
                    "`)` closes nothing",
                    "a tab or the end of the line",
                ));
            }
            _ => {
                return Err(wrong(
                    SEXPR,
                    span,
                    "more than two sides",
                    "a tab or the end of the line",
                ));
            }
        }
        Ok(Chain {
            span: start.to(span),
            distinct: Vec::new(),
            sides,
            orders: vec![order],
            hints: vec![None],
        })
    }

    fn term(&mut self, depth: usize) -> Result<Term, Diagnostic> {
        let (word, span) = self.word();
        if depth >= self.depth {
            return Err(wrong(
                TOO_DEEP,
                span,
                format!("the term is nested deeper than {} levels", self.depth),
                "a flatter term, or a higher limit (--limit-depth N)",
            ));
        }
        let form = match word {
            "" => return Err(wrong(SEXPR, span, "a term is missing", "a term")),
            ")" => return Err(wrong(UNBALANCED, span, "`)` closes nothing", "a term")),
            "(" => return self.operation(span, depth),
            "0" => Form::Zero,
            "1" => Form::One,
            "T" => Form::Top,
            name if is_name(name) => {
                self.names.entry(name.to_string()).or_insert(span);
                Form::Atom(Atom {
                    name: name.to_string(),
                    indices: Vec::new(),
                    label: None,
                })
            }
            _ => {
                let message = format!("`{word}` is no name");
                return Err(wrong(SEXPR, span, message, "`0`, `1`, `T`, a name or `(`"));
            }
        };
        Ok(Term::new(span, form))
    }

    fn operation(&mut self, open: Span, depth: usize) -> Result<Term, Diagnostic> {
        let (operator, at) = self.word();
        let many = match operator {
            "+" | "." => true,
            "st" | "om" => false,
            _ => {
                let message = format!("there is no operator `{operator}`");
                return Err(wrong(SEXPR, at, message, "`+`, `.`, `st` or `om`"));
            }
        };
        let mut of = Vec::new();
        loop {
            let before = self.at;
            match self.word() {
                (")", _) => break,
                ("", _) => {
                    let message = "this `(` is not closed";
                    return Err(wrong(UNBALANCED, open, message, "`)`"));
                }
                _ => {
                    self.at = before;
                    of.push(self.term(depth + 1)?);
                }
            }
        }
        let span = Span::new(open.start, self.start + self.at);
        let form = match (operator, many, of.len()) {
            ("+", _, 2..) => Form::Sum(of),
            (_, true, 2..) => Form::Product(of),
            (_, false, 1) => {
                let x = Box::new(of.remove(0));
                if operator == "st" {
                    Form::Star(x)
                } else {
                    Form::Omega(x)
                }
            }
            (_, _, n) => {
                let message = format!(
                    "`{operator}` has {n} argument{}",
                    if n == 1 { "" } else { "s" }
                );
                let expected = if many { "two or more" } else { "one" };
                return Err(wrong(SEXPR, span, message, expected));
            }
        };
        Ok(Term::new(span, form))
    }
}

fn is_name(word: &str) -> bool {
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    word.starts_with(begins)
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'')
}
