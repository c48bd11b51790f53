//! Tokens to the tree: recursive descent with recovery.
//!
//! Three ideas carry the parser.
//!
//! **Errors are reported once.** A function that fails has reported why, and returns [`Reported`], which only a
//! diagnostic can make. Its caller goes on behind the next `;`, at a `}`, or at a word that begins a statement or
//! declaration. A second complaint about the same token is dropped. Where it is clear what was meant, the parser
//! complains and reads on as if that had been written.
//!
//! **The tree is shallow.** Every child is parsed inside [`Parser::level`], which bounds the recursion
//! and measures the height of what is built; operators that grow a tree at its left side, without
//! recursion, call [`Parser::grow`]. So the limit holds for the finished tree, and whoever walks
//! or drops it needs no more stack than it allows. Parentheses count, too, for the parser's own stack.
//!
//! **No token is read twice**, except for a fixed number of tokens ahead, so time is linear.

mod assignments;
mod calls;
mod declarations;
mod expressions;
mod objects;
mod operators;
mod recovery;
mod statements;
mod strays;
mod variables;

use super::ast::{Expr, Model, Name};
use super::codes;
use super::findings::Findings;
use super::lexer::{self, Sign, Token, TokenKind, Word};
use super::mistakes::{self, shorten};
use crate::base::control::ParseLimits;
use crate::base::diagnostic::{Diagnostic, Help, Span};
use std::collections::BTreeSet;

/// The tree of a model file, and everything wrong with the text, in its order.
///
/// If any diagnostic is an error, the tree has holes and stand-ins and is not to be given a meaning.
pub fn parse_model(source: &str, limits: ParseLimits) -> (Model, Vec<Diagnostic>) {
    let (tokens, lexical) = lexer::lex(source);
    let mut parser = Parser::new(source, tokens, limits, !lexical.is_empty());
    let model = parser.model();
    (model, lexical.merge(parser.findings, source.len()))
}

/// A condition over a model's variables, such as `x[0] == 1`, with nothing behind it.
///
/// # Errors
/// Everything wrong with the text, with spans in it.
pub fn parse_condition(text: &str, limits: ParseLimits) -> Result<Expr, Vec<Diagnostic>> {
    // As a condition ends in a model.
    let source = format!("{text};");
    let (tokens, lexical) = lexer::lex(&source);
    let mut parser = Parser::new(&source, tokens, limits, !lexical.is_empty());
    let condition = parser.property_condition();
    let more = parser.peek() != TokenKind::End;
    let mut wrong = lexical.merge(parser.findings, text.len());
    for d in &mut wrong {
        d.span = Span::new(d.span.start.min(text.len()), d.span.end.min(text.len()));
    }
    match condition {
        Ok(condition) if wrong.is_empty() && !more => Ok(condition),
        _ if wrong.is_empty() => Err(vec![no_condition(text)]),
        _ => Err(wrong),
    }
}

/// What is said where a condition is expected and there is none, or more than one.
pub fn no_condition(text: &str) -> Diagnostic {
    Diagnostic::error(
        "E0401",
        Span::new(0, text.len()),
        "no state expression",
        "a condition",
        "write one condition over the model's variables, such as x[0] == 1",
    )
}

/// The witness that an error has been reported.
struct Reported;

type Parsed<T> = Result<T, Reported>;

struct Parser<'s> {
    source: &'s str,
    /// Ends with [`TokenKind::End`].
    tokens: Vec<Token>,
    /// The token at hand; stays on the last one.
    pos: usize,
    findings: Findings,
    /// The token at hand when the last error was reported.
    reported_at: Option<usize>,
    /// Whether anything is wrong so far, here or in the lexer.
    failed: bool,
    /// Set when the depth limit is exceeded: nothing more is read or reported.
    abandoned: bool,
    /// Whether as many braces open as close. If not, a declaration inside a block means a missing `}`.
    balanced: bool,
    /// Whether an open block has been reported at the end of the file; the blocks around it are not.
    unclosed: bool,
    limits: ParseLimits,
    /// How many levels enclose the node at hand.
    depth: usize,
    /// How many levels the node at hand has below it so far.
    height: usize,
    /// The names behind the word `proc`, wherever they stand: what may be called.
    procedures: BTreeSet<&'s str>,
    /// Whether a record is being read, where `lock` may be the name of a field.
    in_record: bool,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str, tokens: Vec<Token>, limits: ParseLimits, failed: bool) -> Self {
        let count = |sign| {
            tokens
                .iter()
                .filter(|t| t.kind == TokenKind::Sign(sign))
                .count()
        };
        let word = |t: &Token| t.kind == TokenKind::Name;
        let procedures = tokens
            .windows(2)
            .filter(|w| {
                word(&w[0]) && word(&w[1]) && &source[w[0].span.start..w[0].span.end] == "proc"
            })
            .map(|w| &source[w[1].span.start..w[1].span.end])
            .collect();
        let balanced = count(Sign::OpenBrace) == count(Sign::CloseBrace);
        Parser {
            source,
            tokens,
            pos: 0,
            findings: Findings::default(),
            reported_at: None,
            failed,
            abandoned: false,
            balanced,
            unclosed: false,
            limits,
            depth: 0,
            height: 0,
            procedures,
            in_record: false,
        }
    }

    // ---- tokens ----

    /// The token `ahead` places behind the one at hand.
    fn token(&self, ahead: usize) -> Token {
        self.tokens[(self.pos + ahead).min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> TokenKind {
        self.token(0).kind
    }

    fn span(&self) -> Span {
        self.token(0).span
    }

    fn text(&self, span: Span) -> &'s str {
        &self.source[span.start..span.end]
    }

    /// Where the token before the one at hand ends.
    fn end_of_last(&self) -> usize {
        self.pos
            .checked_sub(1)
            .map_or(0, |last| self.tokens[last].span.end)
    }

    /// From `start` to the end of the token before the one at hand.
    fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.end_of_last().max(start.end))
    }

    fn bump(&mut self) -> Token {
        let token = self.token(0);
        self.pos = (self.pos + 1).min(self.tokens.len() - 1);
        token
    }

    fn at(&self, sign: Sign) -> bool {
        self.peek() == TokenKind::Sign(sign)
    }

    fn at_word(&self, word: Word) -> bool {
        self.peek() == TokenKind::Word(word)
    }

    fn eat(&mut self, sign: Sign) -> bool {
        let found = self.at(sign);
        if found {
            self.bump();
        }
        found
    }

    fn eat_word(&mut self, word: Word) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// Whether these two signs come next with nothing between them.
    fn at_pair(&self, first: Sign, second: Sign) -> bool {
        self.at(first)
            && self.token(1).kind == TokenKind::Sign(second)
            && self.token(0).span.end == self.token(1).span.start
    }

    // ---- errors ----

    /// Reports an error at the token at hand, unless that token has had its error already.
    fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: impl Into<Help>,
    ) -> Reported {
        // The lexer has complained about these already.
        let lexical = matches!(self.peek(), TokenKind::Noise | TokenKind::BadNumber);
        let known = lexical || self.reported_at == Some(self.pos);
        if !known && !self.abandoned {
            self.findings
                .push(Diagnostic::error(code, span, message, expected, help));
        }
        self.reported_at = Some(self.pos);
        self.failed = true;
        Reported
    }

    /// Reports that the token at hand is not what was expected.
    fn unexpected(&mut self, expected: impl Into<String>, help: impl Into<Help>) -> Reported {
        let (expected, found) = (expected.into(), self.found());
        let message = format!("expected {expected}, found {found}");
        self.error(codes::UNEXPECTED, self.span(), message, expected, help)
    }

    /// The token at hand, as messages name it.
    fn found(&self) -> String {
        match self.peek() {
            TokenKind::End => "the end of the file".to_string(),
            TokenKind::Word(word) => format!("the word `{}`", word.text()),
            _ => format!("`{}`", shorten(self.text(self.span()))),
        }
    }

    /// A name. A reserved word in its place is reported and taken for one.
    fn name(&mut self, what: &str, help: &str) -> Parsed<Name> {
        let span = self.span();
        match self.peek() {
            TokenKind::Name => {}
            // With a name behind it, the word is itself, and the name before it is missing.
            TokenKind::Word(word) if self.token(1).kind != TokenKind::Name => {
                self.reserved(word, what);
            }
            _ => return Err(self.unexpected(what, help)),
        }
        self.bump();
        Ok(Name {
            text: self.text(span).to_string(),
            span,
        })
    }

    /// The name of a field, which may also be `lock`.
    fn field_name(&mut self, what: &str, help: &str) -> Parsed<Name> {
        if !self.at_word(Word::Lock) || !self.in_record {
            return self.name(what, help);
        }
        let span = self.bump().span;
        Ok(Name {
            text: self.text(span).to_string(),
            span,
        })
    }

    fn reserved(&mut self, word: Word, what: &str) -> Reported {
        let text = word.text();
        let message = format!("`{text}` is a reserved word");
        // Who gave something that name uses it further down, too.
        if self.findings.has(codes::RESERVED_WORD, &message) {
            self.reported_at = Some(self.pos);
        }
        self.error(
            codes::RESERVED_WORD,
            self.span(),
            message,
            what,
            Help::put(
                &format!("{text}_"),
                format!("choose another name, such as `{text}_`"),
            ),
        )
    }

    /// One of the signs that the grammar demands.
    fn expect(&mut self, sign: Sign, help: &str) -> Parsed<()> {
        if self.eat(sign) {
            Ok(())
        } else {
            Err(self.unexpected(format!("`{}`", sign.text()), help))
        }
    }

    /// The `;` that ends what stands before. If it was forgotten, the parser goes on without it.
    fn semicolon(&mut self, what: &str) -> Parsed<()> {
        if self.eat(Sign::Semicolon) {
            return Ok(());
        }
        let end = self.end_of_last();
        let new_line = self.source[end..self.span().start].contains('\n');
        if new_line || self.at_statement() || matches!(self.peek(), TokenKind::End) {
            self.error(
                codes::MISSING_SEMICOLON,
                Span::new(end, end),
                format!("missing `;` behind {what}"),
                "`;`",
                Help::put(";", "end it with `;`"),
            );
            return Ok(());
        }
        let help = match self.peek() {
            TokenKind::Sign(Sign::Comma) => {
                format!("end {what} with `;`; what follows stands on its own, not in a list")
            }
            TokenKind::Name | TokenKind::Number => {
                format!("end {what} with `;`, or put an operator before this")
            }
            _ => format!("end {what} with `;`"),
        };
        Err(self.unexpected("`;`", help))
    }

    /// Whether the token at hand can only begin something new.
    fn at_statement(&self) -> bool {
        match self.peek() {
            TokenKind::Word(word) => begins_statement(word) || begins_declaration(word),
            TokenKind::Sign(Sign::CloseBrace) => true,
            TokenKind::Name => {
                matches!(
                    self.token(1).kind,
                    TokenKind::Sign(Sign::Assign | Sign::OpenBracket | Sign::Colon)
                ) || self.begins_call()
            }
            _ => false,
        }
    }

    // ---- depth ----

    /// Parses a child of the node at hand, one level below it.
    fn level<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.limits.depth {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let beside = std::mem::take(&mut self.height);
        let child = parse(self);
        self.depth -= 1;
        self.height = beside.max(self.height + 1);
        if self.height > self.limits.depth {
            return Err(self.too_deep());
        }
        child
    }

    /// Notes that what has been parsed of the node at hand becomes a child of a new one in its place.
    fn grow(&mut self) -> Parsed<()> {
        self.height += 1;
        if self.height > self.limits.depth {
            return Err(self.too_deep());
        }
        Ok(())
    }

    /// Reports, once, that the text is nested too deeply, and gives the rest of it up.
    fn too_deep(&mut self) -> Reported {
        let limit = self.limits.depth;
        if !self.abandoned {
            self.findings.push(Diagnostic::error(
                codes::TOO_DEEP,
                self.span(),
                format!("nested more than {limit} levels deep; the rest of the file is not read"),
                format!("at most {limit} levels"),
                format!(
                    "split what stands here, or raise the limit with `--limit-depth {}`",
                    limit.saturating_mul(2)
                ),
            ));
        }
        self.failed = true;
        self.abandoned = true;
        self.pos = self.tokens.len() - 1;
        Reported
    }
}

fn begins_statement(word: Word) -> bool {
    mistakes::STATEMENT_WORDS.contains(&word)
}

fn begins_declaration(word: Word) -> bool {
    mistakes::DECLARATION_WORDS.contains(&word)
}
