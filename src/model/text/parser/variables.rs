//! Variables, shared and local: their types, initial values and disciplines.

use super::super::ast::{By, Discipline, Expr, ExprKind, Initial, Name, TypeExpr, VarDecl};
use super::super::codes;
use super::super::lexer::{Sign, TokenKind, Word};
use super::super::mistakes;
use super::{Parsed, Parser, Reported};
use crate::base::diagnostic::Span;

/// Whether a variable is declared where it may have a discipline.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Shared,
    Local,
    /// In a record.
    Field,
}

impl Parser<'_> {
    /// `x[N]: 0..7 = 0 protected x[k] by m[k];`, behind `var`
    pub(super) fn variable(&mut self, start: Span, scope: Scope) -> Parsed<VarDecl> {
        if matches!(self.peek(), TokenKind::Name | TokenKind::Word(Word::Bool))
            && self.token(1).kind == TokenKind::Name
        {
            return Err(self.foreign_declaration());
        }
        let name = match scope {
            Scope::Field => self.field_name("a field", "write `value: 0..7 = 0;`")?,
            _ => self.name("a name", "write `var x: 0..7 = 0;`")?,
        };
        let dims = self.brackets()?;
        self.expect(
            Sign::Colon,
            "a variable has a type behind a `:`, and each is declared on its own: \
            `var x: 0..7 = 0;`",
        )?;
        let ty = self.type_expr()?;
        let init = match self.eat(Sign::Assign) {
            true => Some(self.initial()?),
            false => None,
        };
        let discipline = match scope {
            Scope::Shared | Scope::Field => self.discipline()?,
            Scope::Local => self.no_discipline()?,
        };
        self.no_assignment()?;
        self.semicolon("the variable")?;
        Ok(VarDecl {
            name,
            dims,
            ty,
            init,
            discipline,
            span: self.since(start),
        })
    }

    pub(super) fn type_expr(&mut self) -> Parsed<TypeExpr> {
        const HELP: &str = "a type is `bool`, `0..7`, `mod 4`, the name of an enum or record, `{ red, green }`, or \
            `ref cell in P`";
        let start = self.span();
        match self.peek() {
            TokenKind::Word(Word::Bool) => {
                self.bump();
                Ok(TypeExpr::Bool(start))
            }
            TokenKind::Word(Word::Mod) => {
                self.bump();
                let modulus = self.expr()?;
                Ok(TypeExpr::Mod(modulus, self.since(start)))
            }
            TokenKind::Word(Word::Enum) | TokenKind::Sign(Sign::OpenBrace) => {
                self.eat_word(Word::Enum);
                self.expect(Sign::OpenBrace, HELP)?;
                let variants = self.variants()?;
                Ok(TypeExpr::Enum(variants, self.since(start)))
            }
            TokenKind::Name
                if self.text(start) == "ref" && self.token(1).kind == TokenKind::Name =>
            {
                const FORM: &str = "write `ref cell in P`: the record, then the pool or array";
                self.bump();
                let record = self.name("a record", FORM)?;
                if !self.eat_word(Word::In) {
                    return Err(self.unexpected("`in`", FORM));
                }
                let pool = self.name("a pool", FORM)?;
                Ok(TypeExpr::Ref {
                    record,
                    pool,
                    span: self.since(start),
                })
            }
            TokenKind::Sign(Sign::Assign | Sign::Semicolon) => {
                let message = format!("expected a type, found {}", self.found());
                Err(self.error(codes::BAD_TYPE, start, message, "a type", HELP))
            }
            _ => {
                let low = self.expr()?;
                if self.eat(Sign::DotDot) {
                    return Ok(TypeExpr::Range(low, self.expr()?));
                }
                match low {
                    Expr {
                        kind: ExprKind::Place(place),
                        ..
                    } if place.selectors.is_empty() => Ok(TypeExpr::Named(place.name)),
                    low => {
                        let help = format!("{HELP}; a range has two bounds");
                        Err(self.error(
                            codes::BAD_TYPE,
                            low.span,
                            "this is no type",
                            "a type",
                            help,
                        ))
                    }
                }
            }
        }
    }

    /// `e` or `[e, e]`, behind `=`
    fn initial(&mut self) -> Parsed<Initial> {
        let start = self.span();
        if !self.eat(Sign::OpenBracket) {
            return Ok(Initial::All(self.expr()?));
        }
        let values = self.list(Sign::CloseBracket, "close the list with `]`", Self::expr)?;
        Ok(Initial::Each(values, self.since(start)))
    }

    fn discipline(&mut self) -> Parsed<Option<Discipline>> {
        const HELP: &str = "write `protected x by m` or, for an array, `protected x[k] by m[k]`";
        let start = self.span();
        if self.eat_word(Word::Unprotected) {
            return Ok(Some(Discipline::Unprotected(start)));
        }
        if !self.eat_word(Word::Protected) {
            return Ok(None);
        }
        let mut target = None;
        if !self.at_word(Word::By) {
            let name = self.field_name("the variable or `by`", HELP)?;
            let mut indices = Vec::new();
            while self.eat(Sign::OpenBracket) {
                indices.push(self.name("a name for the index", HELP)?);
                self.expect(Sign::CloseBracket, HELP)?;
            }
            target = Some((name, indices));
        }
        if !self.eat_word(Word::By) {
            return Err(self.unexpected("`by`", HELP));
        }
        let open = self.span();
        let by = match self.eat(Sign::OpenBrace) {
            true => {
                const HELP: &str = "write `by {m1, m2}`: all of them to write, one of them to read";
                if self.at(Sign::CloseBrace) {
                    self.unexpected("a mutex", HELP);
                }
                let places = self.list(Sign::CloseBrace, HELP, Self::place);
                if places.is_err() {
                    self.skip_list();
                }
                By::All(places?, self.since(open))
            }
            false => By::One(self.expr()?),
        };
        let read = match self.at_reading() {
            true => Some(self.reading()?),
            false => None,
        };
        let init = match self.eat_word(Word::Init) {
            true => Some(self.expr()?),
            false => None,
        };
        let span = self.since(start);
        Ok(Some(Discipline::Protected {
            target,
            by,
            read,
            init,
            span,
        }))
    }

    /// Whether `, read` is at hand; `read` is a name everywhere else.
    fn at_reading(&self) -> bool {
        let next = self.token(1);
        self.at(Sign::Comma) && next.kind == TokenKind::Name && self.text(next.span) == "read"
    }

    /// `, read by e`
    fn reading(&mut self) -> Parsed<Expr> {
        self.bump();
        self.bump();
        match self.eat_word(Word::By) {
            true => self.expr(),
            false => Err(self.unexpected(
                "`by`",
                "write `protected x by m, read by e`: written under `m`, read under `m` and where `e` holds",
            )),
        }
    }

    fn no_discipline(&mut self) -> Parsed<Option<Discipline>> {
        match self.peek() {
            TokenKind::Word(Word::Protected | Word::Unprotected) => Err(self.unexpected(
                "`;`",
                "a variable of a thread needs no discipline; \
                declare it outside the thread to share it",
            )),
            _ => Ok(None),
        }
    }

    /// `a, b }`, behind the brace that opens it
    pub(super) fn variants(&mut self) -> Parsed<Vec<Name>> {
        const HELP: &str = "the values are names with commas between them: `{ red, green }`";
        let variants = self.list(Sign::CloseBrace, HELP, |p| p.name("a name", HELP));
        if variants.is_err() {
            self.skip_list();
        }
        variants
    }

    /// `int x` or `bool b`, where `var x: 0..7` is meant; the type is at hand, the name behind it.
    pub(super) fn foreign_declaration(&mut self) -> Reported {
        let (ty, name) = (self.span(), self.token(1).span);
        let meant = match self.peek() {
            TokenKind::Word(Word::Bool) => "bool",
            _ => "0..7",
        };
        self.error(
            codes::FOREIGN_DECLARATION,
            ty.to(name),
            "a variable is not declared like this",
            "`var NAME: TYPE`",
            format!(
                "write `var {}: {meant};`",
                mistakes::shorten(self.text(name))
            ),
        )
    }
}
