//! What stands where a statement should: misspelt words, statements of other languages, stray blocks and signs.

use super::super::ast::StmtKind;
use super::super::codes;
use super::super::lexer::{Sign, TokenKind, Word};
use super::super::mistakes;
use super::{Parsed, Parser};
use crate::base::diagnostic::Help;

const STATEMENTS: &str = "a statement begins with a variable to assign to, or with one of `if`, \
    `while`, `for`, `either`, `when`, `atomic`, `transaction`, `lock`, `unlock`, `havoc`, `skip`, `assert`, `assume`, \
    `return`; or it is a call of a procedure or of an operation such as `wait(c, m);`";

/// What a name stands for that may begin no assignment.
pub(super) enum Misspelt {
    /// It does begin one.
    Nothing,
    /// The word that was meant.
    Word(Word),
    /// A statement that has been read.
    Read,
}

impl Parser<'_> {
    /// If the name at hand begins no assignment, reports that, and says which statement was meant.
    pub(super) fn misspelt_statement(&mut self) -> Parsed<Misspelt> {
        let span = self.span();
        let text = self.text(span);
        let next = self.token(1).kind;
        let declares = next == TokenKind::Name && mistakes::is_foreign_type(text);
        if declares {
            return Err(self.foreign_declaration());
        }
        let begins = match next {
            TokenKind::Name | TokenKind::Number | TokenKind::Word(_) => true,
            TokenKind::Sign(sign) => {
                matches!(
                    sign,
                    Sign::OpenParen | Sign::OpenBrace | Sign::Semicolon | Sign::CloseBrace
                )
            }
            _ => false,
        };
        if !begins {
            return Ok(Misspelt::Nothing);
        }
        if next == TokenKind::Sign(Sign::OpenParen)
            && let Some(known) = self.meant_call(text)
        {
            let found = self.found();
            self.error(
                codes::UNKNOWN_STATEMENT,
                span,
                format!("unknown operation or procedure {found}"),
                "a statement",
                Help::did_you_mean(&known),
            );
            self.call()?;
            // Stands in for the call, which has been read.
            return Ok(Misspelt::Read);
        }
        let meant = mistakes::meant_statement(text);
        let help = match (meant, mistakes::without_statement(text)) {
            (_, Some(help)) => help.into(),
            (Some(word), None) => Help::did_you_mean(word.text()),
            (None, None) => STATEMENTS.into(),
        };
        let found = self.found();
        let reported = self.error(
            codes::UNKNOWN_STATEMENT,
            span,
            format!("unknown statement {found}"),
            "a statement",
            help,
        );
        match meant {
            Some(word) => Ok(Misspelt::Word(word)),
            None => {
                self.bump();
                if self.eat(Sign::OpenParen) {
                    self.skip_parenthesis();
                }
                Err(reported)
            }
        }
    }

    /// Reports what is no statement; where it is clear what it is, reads it and gives a stand-in.
    pub(super) fn no_statement(&mut self) -> Parsed<StmtKind> {
        let span = self.span();
        match self.peek() {
            TokenKind::Sign(Sign::OpenBrace) => {
                self.error(
                    codes::BARE_BLOCK,
                    span,
                    "a block can't stand alone",
                    "a statement",
                    "write `atomic { .. }` for one step, or remove the braces",
                );
                self.bump();
                Ok(StmtKind::Atomic(self.statements(span)))
            }
            TokenKind::Sign(Sign::Semicolon) => {
                self.error(
                    codes::STRAY_SIGN,
                    span,
                    "this `;` ends nothing",
                    "a statement",
                    "remove it, or write `skip;` for a step that does nothing",
                );
                self.bump();
                Ok(StmtKind::Skip)
            }
            TokenKind::Word(Word::Bool) if self.token(1).kind == TokenKind::Name => {
                Err(self.foreign_declaration())
            }
            TokenKind::Word(word @ (Word::Else | Word::Or)) => {
                let (word, partner) = match word {
                    Word::Else => ("else", "if (c) { .. } else { .. }"),
                    _ => ("or", "either { .. } or { .. }"),
                };
                self.error(
                    codes::UNEXPECTED,
                    span,
                    format!("`{word}` without the statement it belongs to"),
                    "a statement",
                    format!("write `{partner}`, with nothing else before `{word}`"),
                );
                self.bump();
                Ok(StmtKind::Atomic(self.body(&format!("`{word}`"))?))
            }
            _ => Err(self.unexpected("a statement", STATEMENTS)),
        }
    }
}
