//! Expressions: operands, prefixes and conditionals; `operators` has what binds them together.

use super::super::ast::{Expr, ExprKind, Name, Place, Selector, UnaryOp};
use super::super::codes;
use super::super::lexer::{Sign, TokenKind, Word};
use super::operators::Strength;
use super::{Parsed, Parser, Reported};
use crate::base::diagnostic::{Help, Span};

impl Parser<'_> {
    /// An expression one level below the node at hand.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.level(Self::conditional)
    }

    /// `c ? a : b`, or anything that binds stronger.
    fn conditional(&mut self) -> Parsed<Expr> {
        let condition = self.binary(Strength::Implies)?;
        if !self.eat(Sign::Question) {
            return Ok(condition);
        }
        const HELP: &str = "a conditional expression is `c ? a : b`";
        self.grow()?;
        let yes = self.expr()?;
        self.close(Sign::Colon, HELP)?;
        let no = self.expr()?;
        let span = condition.span.to(no.span);
        let kind = ExprKind::Cond(Box::new(condition), Box::new(yes), Box::new(no));
        Ok(Expr { kind, span })
    }

    /// `!e`, `-e`, `~e`, or an operand.
    pub(super) fn prefix(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let op = match self.peek() {
            TokenKind::Sign(Sign::Not) => UnaryOp::Not,
            TokenKind::Sign(Sign::Minus) => UnaryOp::Neg,
            TokenKind::Sign(Sign::Tilde) => UnaryOp::BitNot,
            TokenKind::Name if self.text(start) == "not" && self.operand_follows() => {
                self.error(
                    codes::FOREIGN_OPERATOR,
                    start,
                    "`not` is no operator here",
                    "`!`",
                    Help::put("!", "write `!`"),
                );
                UnaryOp::Not
            }
            _ => return self.operand(),
        };
        self.bump();
        let operand = self.level(Self::prefix)?;
        let span = start.to(operand.span);
        let kind = ExprKind::Unary(op, Box::new(operand));
        Ok(Expr { kind, span })
    }

    /// Whether the token behind the one at hand begins an operand.
    fn operand_follows(&self) -> bool {
        match self.token(1).kind {
            TokenKind::Name | TokenKind::Number => true,
            TokenKind::Sign(sign) => matches!(sign, Sign::OpenParen | Sign::Not),
            TokenKind::Word(word) => matches!(
                word,
                Word::SelfThread
                    | Word::Null
                    | Word::True
                    | Word::False
                    | Word::At
                    | Word::Forall
                    | Word::Exists
            ),
            _ => false,
        }
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.peek() {
            TokenKind::Number => ExprKind::Int(self.integer()),
            TokenKind::Word(Word::True) => ExprKind::Bool(true),
            TokenKind::Word(Word::False) => ExprKind::Bool(false),
            TokenKind::Word(Word::SelfThread) => ExprKind::SelfThread,
            TokenKind::Word(Word::NoThread) => ExprKind::NoThread,
            TokenKind::Word(Word::Null) => ExprKind::Null,
            TokenKind::Word(Word::Lock)
                if self.in_record && self.token(1).kind != TokenKind::Sign(Sign::OpenParen) =>
            {
                return self.place_or_call();
            }
            TokenKind::Sign(Sign::And) => {
                self.bump();
                let place = self.place()?;
                return Ok(Expr {
                    kind: ExprKind::Reference(place),
                    span: self.since(start),
                });
            }
            TokenKind::Word(Word::At) => return self.at_location(),
            TokenKind::Word(Word::Forall) => return self.quantified(true),
            TokenKind::Word(Word::Exists) => return self.quantified(false),
            TokenKind::Sign(Sign::OpenParen) => {
                self.bump();
                let mut inner = self.expr()?;
                self.close(Sign::CloseParen, "close the parenthesis with `)`")?;
                inner.span = self.since(start);
                return Ok(inner);
            }
            TokenKind::Name => return self.place_or_call(),
            _ => return Err(self.no_operand()),
        };
        self.bump();
        let this = kind == ExprKind::SelfThread;
        let operand = Expr { kind, span: start };
        match this {
            true => self.local_of(operand),
            false => Ok(operand),
        }
    }

    /// `.t` behind a thread, if it stands there.
    fn local_of(&mut self, thread: Expr) -> Parsed<Expr> {
        if !self.eat(Sign::Dot) {
            return Ok(thread);
        }
        let start = thread.span;
        let place = self.place()?;
        Ok(Expr {
            kind: ExprKind::Local(Box::new(thread), place),
            span: self.since(start),
        })
    }

    /// The number at hand; one that does not fit is reported and read as 0.
    fn integer(&mut self) -> i64 {
        let digits = self.text(self.span()).replace('_', "");
        digits.parse().unwrap_or_else(|_| {
            self.error(
                codes::NUMBER_TOO_LARGE,
                self.span(),
                "this number does not fit into 64 bits",
                format!("a number up to {}", i64::MAX),
                "use a smaller number; the bounds of types lie within -2147483647..2147483647",
            );
            0
        })
    }

    fn no_operand(&mut self) -> Reported {
        let next = self.token(1).kind;
        let help = match self.peek() {
            TokenKind::Word(word) if stands_for_value(next) => {
                let reported = self.reserved(word, "an expression");
                self.bump();
                return reported;
            }
            TokenKind::Word(_) => {
                "a reserved word is no value; perhaps something before it is not finished"
            }
            TokenKind::Sign(Sign::Plus) => "there is no prefix `+`",
            TokenKind::Sign(Sign::OpenBrace) => {
                "there are no set expressions: write the comparisons out"
            }
            TokenKind::Sign(Sign::OpenBracket) => {
                "a list of values stands only behind the `=` of a declaration"
            }
            _ => {
                "write a number, a name, `true`, `false`, `self`, `none`, `null`, \
                or an expression in parentheses"
            }
        };
        let message = format!("expected an expression, found {}", self.found());
        let reported = self.error(
            codes::MISSING_EXPRESSION,
            self.span(),
            message,
            "an expression",
            help,
        );
        // A set and not a block, by what it begins with.
        let listed = matches!(
            self.token(2).kind,
            TokenKind::Sign(Sign::Comma | Sign::CloseBrace)
        );
        if self.at(Sign::OpenBrace) && listed && matches!(next, TokenKind::Name | TokenKind::Number)
        {
            self.bump();
            self.skip_list();
        }
        reported
    }

    /// `at(t, L)`
    fn at_location(&mut self) -> Parsed<Expr> {
        const HELP: &str = "`at(t, L)` holds when thread `t` is at the label `L`";
        let start = self.bump().span;
        self.expect(Sign::OpenParen, HELP)?;
        let thread = self.expr()?;
        self.close(Sign::Comma, HELP)?;
        let label = self.name("a label", HELP)?;
        self.expect(Sign::CloseParen, HELP)?;
        Ok(Expr {
            kind: ExprKind::At(Box::new(thread), label),
            span: self.since(start),
        })
    }

    /// `forall (k in lo..hi) e`; the body reaches as far as it can.
    fn quantified(&mut self, all: bool) -> Parsed<Expr> {
        let start = self.bump().span;
        let form = if all {
            "forall (k in 0..2) e"
        } else {
            "exists (k in 0..2) e"
        };
        self.expect(Sign::OpenParen, &format!("write `{form}`"))?;
        let (var, lo, hi) = self.binding(&format!("write `{form}`"))?;
        let body = self.expr()?;
        let span = start.to(body.span);
        Ok(Expr {
            kind: ExprKind::Quantified {
                all,
                var,
                lo: Box::new(lo),
                hi: Box::new(hi),
                body: Box::new(body),
            },
            span,
        })
    }

    /// `k in lo..hi)`, behind the parenthesis that opens it.
    pub(super) fn binding(&mut self, help: &str) -> Parsed<(Name, Expr, Expr)> {
        let name = self.name("a name", help)?;
        if !self.eat_word(Word::In) {
            return Err(self.unexpected("`in`", help));
        }
        let lo = self.expr()?;
        self.expect(Sign::DotDot, help)?;
        let hi = self.expr()?;
        self.close(Sign::CloseParen, help)?;
        Ok((name, lo, hi))
    }

    /// `x`, `x[e]`, `m.owner`, `p.next.value`, `worker(1)`
    fn place_or_call(&mut self) -> Parsed<Expr> {
        let place = self.place()?;
        let start = place.span;
        if self.at(Sign::OpenParen) && place.selectors.is_empty() {
            self.bump();
            let arguments = self.list(
                Sign::CloseParen,
                "close the parenthesis with `)`",
                Self::expr,
            )?;
            let thread = Expr {
                kind: ExprKind::Call(place.name, arguments),
                span: self.since(start),
            };
            return self.local_of(thread);
        }
        Ok(Expr {
            span: place.span,
            kind: ExprKind::Place(place),
        })
    }

    /// `x`, `x[e].f[e]`
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let name = self.field_name(
            "a variable",
            "name a variable or a mutex, such as `x` or `x[0]`",
        )?;
        let mut selectors = Vec::new();
        loop {
            if self.at(Sign::OpenBracket) {
                selectors.extend(self.brackets()?.into_iter().map(Selector::Index));
            } else if self.eat(Sign::Dot) {
                let outside = std::mem::replace(&mut self.in_record, true);
                let field = self.field_name(
                    "a field",
                    "behind a `.` stands a field of a record or the state of an object, as in `m.owner`; \
                    ranges have two dots: `0..2`",
                );
                self.in_record = outside;
                selectors.push(Selector::Field(field?));
                // A field behind a reference is an index around the reference.
                self.grow()?;
                self.grow()?;
            } else {
                break;
            }
        }
        let span = self.since(name.span);
        Ok(Place {
            name,
            selectors,
            span,
        })
    }

    /// `[e][e]`, any number of them
    pub(super) fn brackets(&mut self) -> Parsed<Vec<Expr>> {
        let mut exprs = Vec::new();
        while self.eat(Sign::OpenBracket) {
            exprs.push(self.expr()?);
            let help = match self.peek() {
                TokenKind::Sign(Sign::Comma) => "each index has its own brackets: `x[0][1]`",
                _ => "close the bracket with `]`",
            };
            self.close(Sign::CloseBracket, help)?;
        }
        Ok(exprs)
    }

    /// Items with commas between them, up to and over `close`.
    pub(super) fn list<T>(
        &mut self,
        close: Sign,
        help: &str,
        item: impl Fn(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(Sign::Comma) {
                continue;
            }
            self.close(close, help)?;
            return Ok(items);
        }
    }

    /// The sign behind an expression. A `=` before it was meant as `==`.
    pub(super) fn close(&mut self, sign: Sign, help: &str) -> Parsed<()> {
        self.no_assignment()?;
        self.expect(sign, help)
    }

    /// Reports every `=` behind an expression that can't be assigned to, and passes over it and its right side.
    pub(super) fn no_assignment(&mut self) -> Parsed<()> {
        while self.at(Sign::Assign) {
            let span: Span = self.span();
            self.error(
                codes::ASSIGNMENT_IN_EXPRESSION,
                span,
                "`=` assigns; it does not compare",
                "`==`",
                Help::put(
                    "==",
                    "write `==` to compare; an assignment is a statement of its own, with one target",
                ),
            );
            self.bump();
            self.expr()?;
        }
        Ok(())
    }
}

/// Whether a reserved word with this behind it was meant as a value: an operator, or the end of the expression.
fn stands_for_value(next: TokenKind) -> bool {
    match next {
        TokenKind::Sign(sign) => !matches!(sign, Sign::OpenParen | Sign::OpenBrace | Sign::Colon),
        _ => false,
    }
}
