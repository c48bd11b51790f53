//! The diagnostics of one text, bounded in number so that noise of any length stays cheap.

use super::codes;
use crate::base::diagnostic::{Diagnostic, Span};

/// How many diagnostics are kept; the rest are counted.
const KEPT: usize = 1000;

/// Diagnostics in the order they were found, the first [`KEPT`] of them.
#[derive(Debug, Default)]
pub(super) struct Findings {
    kept: Vec<Diagnostic>,
    left_out: usize,
}

impl Findings {
    /// Adds one, or counts it.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        if self.kept.len() < KEPT {
            self.kept.push(diagnostic);
        } else {
            self.left_out += 1;
        }
    }

    /// Whether one of those kept has this code and message.
    pub(super) fn has(&self, code: &str, message: &str) -> bool {
        let mut all = self.kept.iter();
        all.any(|d| d.code == code && d.message == message)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Both, in the order of the text; where some were left out, one more diagnostic says how many.
    pub(super) fn merge(mut self, other: Findings, end: usize) -> Vec<Diagnostic> {
        self.kept.extend(other.kept);
        self.kept.sort_by_key(|d| d.span);
        let left_out = self.left_out + other.left_out + self.kept.len().saturating_sub(KEPT);
        self.kept.truncate(KEPT);
        if left_out > 0 {
            self.kept.push(Diagnostic::error(
                codes::TOO_MANY_ERRORS,
                Span::new(end, end),
                format!("{left_out} more errors in this file"),
                format!("at most {KEPT} errors"),
                "mend the first errors; many others usually follow from them",
            ));
        }
        self.kept
    }
}
