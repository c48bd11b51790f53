//! Where to go on after an error.
//!
//! Every function here skips tokens one by one and never goes back, so recovery is linear, too.

use super::super::lexer::{Sign, TokenKind, Word};
use super::{Parser, begins_declaration, begins_statement};

impl Parser<'_> {
    /// Skips to where a statement may begin: behind a `;` or a block, at a `}`, or at a word that begins one.
    pub(super) fn recover_statement(&mut self) {
        loop {
            match self.peek() {
                TokenKind::End | TokenKind::Sign(Sign::CloseBrace) => return,
                TokenKind::Sign(Sign::Semicolon) => {
                    self.bump();
                    return;
                }
                TokenKind::Sign(Sign::OpenBrace) => {
                    // Read for the errors inside, which are reported; the statements are not wanted.
                    let open = self.bump().span;
                    let _ = self.level(|p| Ok(p.statements(open)));
                    return;
                }
                // `enum` may stand in the type of a variable, so it is no sure beginning.
                TokenKind::Word(Word::Enum) => {}
                TokenKind::Word(word) if begins_statement(word) || begins_declaration(word) => {
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to where a declaration may begin. Inside braces, only words that begin no statement count.
    pub(super) fn recover_declaration(&mut self) {
        let mut braces = 0usize;
        loop {
            match self.peek() {
                TokenKind::End => return,
                TokenKind::Word(Word::Var | Word::Enum) if braces > 0 => {}
                TokenKind::Word(word) if begins_declaration(word) => return,
                TokenKind::Name if braces == 0 && self.surely_contextual().is_some() => return,
                TokenKind::Sign(Sign::OpenBrace) => braces += 1,
                TokenKind::Sign(Sign::CloseBrace) if braces > 1 => braces -= 1,
                TokenKind::Sign(Sign::CloseBrace) => {
                    self.bump();
                    self.eat(Sign::Semicolon);
                    return;
                }
                TokenKind::Sign(Sign::Semicolon) if braces == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to the `}` of a list in braces, and over it, unless something else begins or ends before it.
    pub(super) fn skip_list(&mut self) {
        loop {
            match self.peek() {
                TokenKind::End | TokenKind::Sign(Sign::OpenBrace | Sign::Semicolon) => return,
                TokenKind::Word(word) if begins_statement(word) || begins_declaration(word) => {
                    return;
                }
                _ => {}
            }
            if self.bump().kind == TokenKind::Sign(Sign::CloseBrace) {
                return;
            }
        }
    }

    /// Skips to the `)` that closes an open `(`, and over it, but not into or out of a block.
    pub(super) fn skip_parenthesis(&mut self) {
        let mut open = 1usize;
        loop {
            match self.peek() {
                TokenKind::End | TokenKind::Sign(Sign::OpenBrace | Sign::CloseBrace) => return,
                TokenKind::Sign(Sign::OpenParen) => open += 1,
                TokenKind::Sign(Sign::CloseParen) => open -= 1,
                _ => {}
            }
            self.bump();
            if open == 0 {
                return;
            }
        }
    }
}
