//! Calls: operations on objects and threads, and procedures. Which of them is meant is settled when names are resolved.

use super::super::ast::StmtKind;
use super::super::lexer::{Sign, TokenKind};
use super::super::mistakes::{self, EXCHANGES, OPERATIONS, STATEMENT_WORDS};
use super::{Parsed, Parser};
use crate::base::nearest;

/// Operations of other languages, and ours.
const ALIASES: &[(&str, &str)] = &[
    ("signal", "notify"),
    ("broadcast", "notifyAll"),
    ("spawn", "start"),
    ("fork", "start"),
    ("delete", "free"),
    ("dispose", "free"),
];

impl Parser<'_> {
    /// Whether the name at hand is that of an operation or of a procedure of this model, with arguments behind it.
    pub(super) fn begins_call(&self) -> bool {
        let name = self.text(self.span());
        self.peek() == TokenKind::Name
            && self.token(1).kind == TokenKind::Sign(Sign::OpenParen)
            && (OPERATIONS.contains(&name)
                || EXCHANGES.contains(&name)
                || self.procedures.contains(name))
    }

    /// `NAME(e, ..);`
    pub(super) fn call(&mut self) -> Parsed<StmtKind> {
        const HELP: &str = "close the parenthesis with `)`";
        let name = self.name("a procedure", "write `f(..);`")?;
        self.expect(Sign::OpenParen, "write `f(..);`")?;
        let arguments = self.list(Sign::CloseParen, HELP, Self::expr)?;
        self.semicolon("the call")?;
        Ok(StmtKind::Call(name, arguments))
    }

    /// The operation or procedure that was probably meant by `text`, if no other statement is as near.
    pub(super) fn meant_call(&self, text: &str) -> Option<String> {
        if let Some((_, word)) = ALIASES.iter().find(|(alias, _)| *alias == text) {
            return Some((*word).to_string());
        }
        if mistakes::is_statement_alias(text) {
            return None;
        }
        // Some of them only, so that a long text of nothing but misspelt calls stays cheap.
        const COMPARED: usize = 100;
        let procedures = self.procedures.iter().copied().take(COMPARED);
        let words = STATEMENT_WORDS.iter().map(|w| w.text());
        let calls = OPERATIONS.iter().copied().chain(procedures);
        let found = nearest(text, words.chain(calls))?;
        let called = OPERATIONS.contains(&found) || self.procedures.contains(found);
        called.then(|| found.to_string())
    }
}
