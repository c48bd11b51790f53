//! Declarations: all that stands outside threads.

use super::super::ast::{
    Decl, Expect, ExpectKind, Expr, MOVERS, Model, Name, PropertyKind, STATES, ThreadDecl,
};
use super::super::codes;
use super::super::lexer::{Sign, TokenKind, Word};
use super::super::mistakes;
use super::variables::Scope;
use super::{Parsed, Parser, Reported, begins_declaration, begins_statement};
use crate::base::diagnostic::{Help, Span};

const DECLARATIONS: &str = "a declaration is `const`, `enum`, `mutex`, `rwlock`, `cond`, `semaphore`, `barrier`, \
    `record`, `pool`, `var`, `proc`, `thread`, `init`, `invariant`, `lemma`, `reach`, `deadlock_free` or `expect`";
const STATEMENT_OUTSIDE: &str = "statements stand inside a thread: `thread a { .. }`; \
    perhaps a `}` before this is too much";

/// The word that a misspelt one stands for.
#[derive(Clone, Copy)]
enum Meant {
    Reserved(Word),
    Contextual(&'static str),
}

impl Parser<'_> {
    /// The whole text.
    pub(super) fn model(&mut self) -> Model {
        let mut decls = Vec::new();
        while self.peek() != TokenKind::End {
            let before = self.pos;
            match self.level(Self::declaration) {
                Ok(decl) => decls.push(decl),
                Err(Reported) => {
                    self.recover_declaration();
                    if self.pos == before {
                        self.bump();
                    }
                }
            }
        }
        if !self.failed && !decls.iter().any(|d| matches!(d, Decl::Thread(_))) {
            let end = self.span();
            self.error(
                codes::NO_THREAD,
                end,
                "a model declares at least one thread",
                "`thread`",
                "write, for example, `thread a { x = 1; }`",
            );
        }
        Model { decls }
    }

    pub(super) fn declaration(&mut self) -> Parsed<Decl> {
        if let Some(word) = self.contextual() {
            let start = self.bump().span;
            return self.contextual_declaration(word, start);
        }
        let word = match self.peek() {
            TokenKind::Word(word) if begins_declaration(word) => word,
            TokenKind::Name => match self.misspelt_declaration()? {
                Meant::Reserved(word) => word,
                Meant::Contextual(word) => {
                    let start = self.bump().span;
                    return self.contextual_declaration(word, start);
                }
            },
            _ => return Err(self.no_declaration()),
        };
        let start = self.bump().span;
        match word {
            Word::Const => self.constant(),
            Word::Enum => self.enumeration(),
            Word::Mutex => self.object("mutex").map(Decl::Object),
            Word::Var => self.variable(start, Scope::Shared).map(Decl::Var),
            Word::Thread => self.thread(start).map(Decl::Thread),
            Word::Init => {
                let expr = self.expr()?;
                self.no_assignment()?;
                self.semicolon("the condition")?;
                Ok(Decl::Init(expr))
            }
            Word::Invariant => self.property(PropertyKind::Invariant),
            Word::Lemma => self.property(PropertyKind::Lemma),
            Word::Reach => self.property(PropertyKind::Reach),
            Word::DeadlockFree => {
                self.semicolon("`deadlock_free`")?;
                Ok(Decl::DeadlockFree(start))
            }
            _ => self.expectation(start).map(Decl::Expect),
        }
    }

    /// The name at hand stands where a declaration should begin: report it, and say which word was meant.
    fn misspelt_declaration(&mut self) -> Parsed<Meant> {
        let span = self.span();
        let text = self.text(span);
        if matches!(self.token(1).kind, TokenKind::Name) {
            if mistakes::is_foreign_type(text) {
                return Err(self.foreign_declaration());
            }
            let reserved = mistakes::meant_declaration(text).map(Meant::Reserved);
            let contextual = || mistakes::meant_contextual(text).map(Meant::Contextual);
            if let Some(meant) = reserved.or_else(contextual) {
                let word = match meant {
                    Meant::Reserved(word) => word.text(),
                    Meant::Contextual(word) => word,
                };
                self.error(
                    codes::UNKNOWN_DECLARATION,
                    span,
                    format!("unknown declaration {}", self.found()),
                    "a declaration",
                    Help::did_you_mean(word),
                );
                return Ok(meant);
            }
        }
        Err(self.no_declaration())
    }

    fn no_declaration(&mut self) -> Reported {
        let help = match self.peek() {
            TokenKind::Sign(Sign::CloseBrace) => {
                return self.error(
                    codes::STRAY_SIGN,
                    self.span(),
                    "this `}` closes nothing",
                    "a declaration",
                    "remove it, or add the `{` it belongs to",
                );
            }
            TokenKind::Sign(Sign::Semicolon) => {
                return self.error(
                    codes::STRAY_SIGN,
                    self.span(),
                    "this `;` ends nothing",
                    "a declaration",
                    "remove it; no `;` stands behind a `}`",
                );
            }
            TokenKind::Word(Word::Bool) if self.token(1).kind == TokenKind::Name => {
                return self.foreign_declaration();
            }
            TokenKind::Word(word) if begins_statement(word) => STATEMENT_OUTSIDE,
            _ if self.at_statement() => STATEMENT_OUTSIDE,
            _ => DECLARATIONS,
        };
        let message = format!("expected a declaration, found {}", self.found());
        self.error(
            codes::UNKNOWN_DECLARATION,
            self.span(),
            message,
            "a declaration",
            help,
        )
    }

    fn constant(&mut self) -> Parsed<Decl> {
        const HELP: &str = "write `const N = 2;`";
        let name = self.name("a name", HELP)?;
        self.expect(Sign::Assign, HELP)?;
        let value = self.expr()?;
        self.no_assignment()?;
        self.semicolon("the constant")?;
        Ok(Decl::Const { name, value })
    }

    fn enumeration(&mut self) -> Parsed<Decl> {
        const HELP: &str = "write `enum color { red, green }`";
        let name = self.name("a name", HELP)?;
        self.expect(Sign::OpenBrace, HELP)?;
        let variants = self.variants()?;
        self.eat(Sign::Semicolon);
        Ok(Decl::Enum { name, variants })
    }

    /// `worker(i in 0..N-1) { .. }`, behind `thread`
    fn thread(&mut self, start: Span) -> Parsed<ThreadDecl> {
        const HELP: &str =
            "write `thread a { .. }`, or `thread worker(i in 0..N-1) { .. }` for a family";
        // Neither a missing name nor a wrong family hides the errors in the body.
        let name = self.name("a name", HELP);
        let mut family = None;
        if self.eat(Sign::OpenParen) {
            if !self.eat(Sign::CloseParen) {
                match self.binding(HELP) {
                    Ok(binding) => family = Some(binding),
                    Err(Reported) => self.skip_parenthesis(),
                }
            }
        } else if !self.at(Sign::OpenBrace) {
            self.unexpected("`{`", HELP);
            while !(self.at(Sign::OpenBrace) || self.at(Sign::Semicolon) || self.at_statement())
                && self.peek() != TokenKind::End
            {
                self.bump();
            }
        }
        let span = self.since(start);
        let body = self.block("the thread")?;
        Ok(ThreadDecl {
            name: name?,
            family,
            body,
            span,
        })
    }

    fn property(&mut self, kind: PropertyKind) -> Parsed<Decl> {
        let word = match kind {
            PropertyKind::Invariant => Word::Invariant,
            PropertyKind::Lemma => Word::Lemma,
            PropertyKind::Reach => Word::Reach,
        };
        let help = format!("a property has a name: `{} NAME: x == 0;`", word.text());
        let name = self.name("a name", &help)?;
        self.expect(Sign::Colon, &help)?;
        let expr = self.property_condition()?;
        Ok(Decl::Property { kind, name, expr })
    }

    /// A property's condition, with the `;` behind it.
    pub(super) fn property_condition(&mut self) -> Parsed<Expr> {
        let expr = self.expr()?;
        self.no_assignment()?;
        self.semicolon("the property")?;
        Ok(expr)
    }

    /// `verdict holds;`, behind `expect`
    fn expectation(&mut self, start: Span) -> Parsed<Expect> {
        const HELP: &str =
            "write `expect verdict holds;`, `expect refuted NAME;` or `expect original 106;`";
        let words = ["verdict", "holds", "refuted", "unknown"].iter();
        let words: Vec<&str> = words.chain(&STATES).chain(&MOVERS).copied().collect();
        let word = self.expect_word(&words, HELP)?;
        let kind = match word.text.as_str() {
            "verdict" => ExpectKind::Verdict(
                self.expect_word(&["holds", "refuted", "hypothesis_refuted", "unknown"], HELP)?,
            ),
            "holds" | "refuted" | "unknown" => ExpectKind::Property {
                verdict: word,
                property: self.property_name(HELP)?,
            },
            _ => {
                let span = self.span();
                if self.peek() != TokenKind::Number {
                    return Err(self.unexpected("a number", HELP));
                }
                self.bump();
                ExpectKind::Count {
                    what: word,
                    count: self.text(span).replace('_', ""),
                }
            }
        };
        self.semicolon("the expectation")?;
        Ok(Expect {
            kind,
            span: self.since(start),
        })
    }

    /// One of these words, none of which is reserved.
    fn expect_word(&mut self, words: &[&str], help: &str) -> Parsed<Name> {
        if self.peek() == TokenKind::Name && words.contains(&self.text(self.span())) {
            return self.name("a name", help);
        }
        let all: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
        let expected = all.join(", ");
        let message = format!("expected one of {expected}, found {}", self.found());
        Err(self.error(codes::BAD_EXPECTATION, self.span(), message, expected, help))
    }

    /// The name of a property; `deadlock_free` is one although it is reserved.
    fn property_name(&mut self, help: &str) -> Parsed<Name> {
        if !self.at_word(Word::DeadlockFree) {
            return self.name("the name of a property", help);
        }
        let span = self.bump().span;
        Ok(Name {
            text: Word::DeadlockFree.text().to_string(),
            span,
        })
    }
}
