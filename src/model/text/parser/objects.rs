//! Declarations that begin with a plain name: synchronisation objects, records, pools and procedures.
//!
//! Their words are not reserved. Before these, no declaration began with a name, so nothing else can be meant.

use super::super::ast::{
    Decl, Field, Name, ObjectDecl, ObjectKind, ProcDecl, RecordDecl, TypeExpr,
};
use super::super::codes;
use super::super::lexer::{Sign, TokenKind, Word};
use super::super::mistakes;
use super::variables::Scope;
use super::{Parsed, Parser, Reported, begins_declaration};
use crate::base::diagnostic::Span;

/// Parameters and result of a procedure.
type Header = (Vec<(Name, TypeExpr)>, Option<TypeExpr>);

impl Parser<'_> {
    /// The word at hand, if it begins a declaration without being reserved.
    pub(super) fn contextual(&self) -> Option<&'static str> {
        if self.peek() != TokenKind::Name {
            return None;
        }
        let text = self.text(self.span());
        mistakes::CONTEXTUAL.iter().copied().find(|w| *w == text)
    }

    /// The same, where a name could also begin something else: a name has to stand behind it.
    pub(super) fn surely_contextual(&self) -> Option<&'static str> {
        let next = self.token(1).kind;
        self.contextual().filter(|&word| match word {
            "reentrant" => {
                matches!(
                    next,
                    TokenKind::Word(Word::Mutex) | TokenKind::Sign(Sign::OpenParen)
                )
            }
            _ => next == TokenKind::Name,
        })
    }

    /// What `word` declares; it stands behind the token at hand.
    pub(super) fn contextual_declaration(
        &mut self,
        word: &'static str,
        start: Span,
    ) -> Parsed<Decl> {
        match word {
            "record" => self.record(),
            "pool" => self.pool(),
            "proc" => self.procedure(start).map(Decl::Proc),
            _ => self.object(word).map(Decl::Object),
        }
    }

    /// `m[N];` and the like, behind the word for the kind of object.
    pub(super) fn object(&mut self, word: &str) -> Parsed<ObjectDecl> {
        let help = match word {
            "mutex" => "write `mutex m;` or `mutex m[N];`",
            "reentrant" => "write `reentrant mutex m;` or `reentrant(3) mutex m;`",
            "rwlock" => "write `rwlock l;` or `rwlock l[N];`",
            "cond" => "write `cond c;` or `cond c[N];`",
            "semaphore" => "write `semaphore s: 0..3 = 1;`",
            _ => "write `barrier b: 3;`, with the number of threads that meet there",
        };
        let mut kind = match word {
            "rwlock" => ObjectKind::RwLock,
            "cond" => ObjectKind::Cond,
            _ => ObjectKind::Mutex,
        };
        if word == "reentrant" {
            let mut bound = None;
            if self.eat(Sign::OpenParen) {
                bound = Some(self.expr()?);
                self.close(Sign::CloseParen, help)?;
            }
            if !self.eat_word(Word::Mutex) {
                return Err(self.unexpected("`mutex`", help));
            }
            kind = ObjectKind::Reentrant(bound);
        }
        let name = self.field_name("a name", help)?;
        let dims = self.brackets()?;
        if word == "semaphore" {
            self.expect(Sign::Colon, help)?;
            let lo = self.expr()?;
            self.expect(Sign::DotDot, help)?;
            let hi = self.expr()?;
            self.expect(Sign::Assign, help)?;
            let initial = self.expr()?;
            kind = ObjectKind::Semaphore { lo, hi, initial };
        } else if word == "barrier" {
            self.expect(Sign::Colon, help)?;
            kind = ObjectKind::Barrier(self.expr()?);
        }
        self.no_assignment()?;
        self.semicolon(&format!("the {word}"))?;
        Ok(ObjectDecl { kind, name, dims })
    }

    /// `cell { .. }`, behind `record`
    fn record(&mut self) -> Parsed<Decl> {
        const HELP: &str = "write `record cell { value: 0..7 = 0; mutex m; }`";
        let name = self.name("a name", HELP)?;
        let open = self.span();
        self.expect(Sign::OpenBrace, HELP)?;
        let mut fields = Vec::new();
        self.in_record = true;
        loop {
            let before = self.pos;
            match self.peek() {
                TokenKind::Sign(Sign::CloseBrace) => {
                    self.bump();
                    break;
                }
                TokenKind::End => {
                    self.unclosed_block(open);
                    break;
                }
                // Not a field's beginning, but the next declaration's: the `}` is missing.
                TokenKind::Word(word)
                    if begins_declaration(word)
                        && !matches!(word, Word::Mutex | Word::Var | Word::Enum)
                        && self.token(1).kind != TokenKind::Sign(Sign::Colon) =>
                {
                    self.unclosed_block(open);
                    break;
                }
                _ => match self.level(Self::field) {
                    Ok(field) => fields.push(field),
                    Err(Reported) => {
                        self.recover_field();
                        if self.pos == before {
                            self.bump();
                        }
                    }
                },
            }
        }
        self.in_record = false;
        self.eat(Sign::Semicolon);
        Ok(Decl::Record(RecordDecl { name, fields }))
    }

    /// `value: 0..7 = 0;`, `mutex m;`
    fn field(&mut self) -> Parsed<Field> {
        let start = self.span();
        if self.eat_word(Word::Mutex) {
            return self.object("mutex").map(Field::Object);
        }
        if let Some(word) = self.surely_contextual()
            && !matches!(word, "record" | "pool" | "proc")
        {
            self.bump();
            return self.object(word).map(Field::Object);
        }
        if self.at_word(Word::Var) {
            self.error(
                codes::UNEXPECTED,
                start,
                "`var` in a record",
                "a field",
                "a field is written without `var`: `value: 0..7 = 0;`",
            );
            self.bump();
        }
        self.variable(start, Scope::Field).map(Field::Var)
    }

    /// Skips to where a field may begin: behind a `;`, or at the `}`.
    fn recover_field(&mut self) {
        loop {
            match self.peek() {
                TokenKind::End | TokenKind::Sign(Sign::CloseBrace) => return,
                TokenKind::Sign(Sign::Semicolon) => {
                    self.bump();
                    return;
                }
                TokenKind::Word(Word::Var | Word::Enum) => {}
                TokenKind::Word(word) if begins_declaration(word) => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// `P[4]: cell;`, behind `pool`
    fn pool(&mut self) -> Parsed<Decl> {
        const HELP: &str = "write `pool P[4]: cell;`, where `cell` is a record";
        let name = self.name("a name", HELP)?;
        self.expect(Sign::OpenBracket, HELP)?;
        let size = self.expr()?;
        self.close(Sign::CloseBracket, HELP)?;
        self.expect(Sign::Colon, HELP)?;
        let record = self.name("the name of a record", HELP)?;
        self.no_assignment()?;
        self.semicolon("the pool")?;
        Ok(Decl::Pool { name, size, record })
    }

    /// `f(a: 0..3): bool { .. }`, behind `proc`
    fn procedure(&mut self, start: Span) -> Parsed<ProcDecl> {
        const HELP: &str = "write `proc f(a: 0..3): bool { .. }`, or `proc f() { .. }`";
        // Neither a missing name nor a wrong header hides the errors in the body.
        let name = self.name("a name", HELP);
        let header = self.procedure_header(HELP);
        if header.is_err() {
            while !(self.at(Sign::OpenBrace) || self.at(Sign::Semicolon) || self.at_statement())
                && self.peek() != TokenKind::End
            {
                self.bump();
            }
        }
        let span = self.since(start);
        let body = self.block("the procedure")?;
        let (name, (params, result)) = (name?, header.unwrap_or_default());
        Ok(ProcDecl {
            name,
            params,
            result,
            body,
            span,
        })
    }

    fn procedure_header(&mut self, help: &str) -> Parsed<Header> {
        self.expect(Sign::OpenParen, help)?;
        let params = self.list(Sign::CloseParen, help, |p| {
            let name = p.name("a parameter", help)?;
            p.expect(Sign::Colon, "a parameter has a type: `a: 0..3`")?;
            Ok((name, p.type_expr()?))
        })?;
        let result = match self.eat(Sign::Colon) {
            true => Some(self.type_expr()?),
            false => None,
        };
        Ok((params, result))
    }
}
