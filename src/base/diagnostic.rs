//! Spans and diagnostics: what is wrong, where, what was expected and how to mend it.

use serde::Serialize;
use std::fmt;

/// A half-open range of byte offsets into one source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset one past the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }
}

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The input can't be used (exit code 3).
    Error,
    /// The input can be used, but probably is not what was meant.
    Warning,
}

/// One thing wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable code, such as `E0102`; `coarsen explain E0102` tells more.
    pub code: &'static str,
    /// What is wrong, in one sentence without a final stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What was expected there.
    pub expected: String,
    /// How to mend it.
    pub help: String,
    /// What mends it, if that is known.
    pub fix: Option<Box<Fix>>,
}

/// A change of the text that mends what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What to put in place of what stands at the diagnostic's span.
    pub text: String,
}

/// How to mend what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    told: String,
    fix: Option<String>,
}

impl Help {
    /// Something else is probably meant.
    pub fn did_you_mean(other: &str) -> Self {
        Self::put(other, format!("did you mean `{other}`?"))
    }

    /// Put `fix` in place of what is wrong.
    pub fn put(fix: &str, told: impl Into<String>) -> Self {
        Help {
            told: told.into(),
            fix: Some(fix.to_string()),
        }
    }
}

impl<T: Into<String>> From<T> for Help {
    fn from(told: T) -> Self {
        Help {
            told: told.into(),
            fix: None,
        }
    }
}

impl Diagnostic {
    /// An error. `expected` says what was expected at `span`, `help` how to mend it.
    pub fn error(
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: impl Into<Help>,
    ) -> Self {
        let Help { told, fix } = help.into();
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            span,
            expected: expected.into(),
            help: told,
            fix: fix.map(|text| Box::new(Fix { text })),
        }
    }

    /// A warning, with the same parts.
    pub fn warning(
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: impl Into<Help>,
    ) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            ..Self::error(code, span, message, expected, help)
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column, in characters from 1.
    pub column: usize,
}

/// The place of a byte offset; offsets past the end count as the end.
pub fn position(source: &str, offset: usize) -> Position {
    let mut offset = offset.min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &source[..offset];
    // Bytes are counted many at once, which matters in long texts: this is asked for each step.
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    Position { line, column }
}

/// A diagnostic code and its explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The code, such as `E0102`.
    pub code: &'static str,
    /// What it stands for, in a few words.
    pub title: &'static str,
    /// What goes wrong and how to mend it, with a wrong and a right example.
    pub text: &'static str,
}
