//! Binary operators, by precedence climbing, and those of other languages.

use super::super::ast::{BinaryOp, Expr, ExprKind};
use super::super::codes;
use super::super::lexer::{Sign, TokenKind, Word};
use super::{Parsed, Parser, Reported};
use crate::base::diagnostic::Help;

/// How tightly a binary operator binds; stronger ones are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    Implies,
    Or,
    And,
    Equality,
    Order,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    /// Stronger than every binary operator.
    Prefix,
}

impl Strength {
    /// The next stronger one.
    fn stronger(self) -> Strength {
        match self {
            Strength::Implies => Strength::Or,
            Strength::Or => Strength::And,
            Strength::And => Strength::Equality,
            Strength::Equality => Strength::Order,
            Strength::Order => Strength::BitOr,
            Strength::BitOr => Strength::BitXor,
            Strength::BitXor => Strength::BitAnd,
            Strength::BitAnd => Strength::Shift,
            Strength::Shift => Strength::Sum,
            Strength::Sum => Strength::Product,
            Strength::Product | Strength::Prefix => Strength::Prefix,
        }
    }
}

fn strength(op: BinaryOp) -> Strength {
    match op {
        BinaryOp::Implies => Strength::Implies,
        BinaryOp::Or => Strength::Or,
        BinaryOp::And => Strength::And,
        BinaryOp::Eq | BinaryOp::Ne => Strength::Equality,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => Strength::Order,
        BinaryOp::BitOr => Strength::BitOr,
        BinaryOp::BitXor => Strength::BitXor,
        BinaryOp::BitAnd => Strength::BitAnd,
        BinaryOp::Shl | BinaryOp::Shr => Strength::Shift,
        BinaryOp::Add | BinaryOp::Sub => Strength::Sum,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Strength::Product,
    }
}

/// A binary operator at hand.
struct Operator {
    op: BinaryOp,
    /// How many tokens it takes.
    tokens: usize,
    /// How it should have been written, if it is not the language's own.
    meant: Option<&'static str>,
}

impl Parser<'_> {
    /// Operators at least as strong as `weakest`.
    pub(super) fn binary(&mut self, weakest: Strength) -> Parsed<Expr> {
        let mut left = self.prefix()?;
        let mut last = None;
        while let Some(operator) = self.operator() {
            let op = operator.op;
            let strength = strength(op);
            if strength < weakest {
                break;
            }
            if last == Some(strength) && matches!(strength, Strength::Equality | Strength::Order) {
                self.chained();
            }
            last = Some(strength);
            self.foreign_operator(&operator);
            self.skip_operator();
            self.grow()?;
            let right = self.level(|p| match op {
                BinaryOp::Implies => p.binary(Strength::Implies),
                _ => p.binary(strength.stronger()),
            })?;
            let span = left.span.to(right.span);
            let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
            left = Expr { kind, span };
        }
        Ok(left)
    }

    /// The binary operator at hand, the language's own or one that stands for it elsewhere.
    fn operator(&self) -> Option<Operator> {
        let own = |op| Some((op, 1, None));
        let found = match self.peek() {
            // Pairs that the grammar allows nowhere, so nothing else can be meant by them.
            _ if self.at_pair(Sign::Minus, Sign::Greater) => {
                Some((BinaryOp::Implies, 2, Some("=>")))
            }
            _ if self.at_pair(Sign::Less, Sign::Greater) => Some((BinaryOp::Ne, 2, Some("!="))),
            _ if self.at_pair(Sign::Assign, Sign::Less) => Some((BinaryOp::Le, 2, Some("<="))),
            _ if self.at_pair(Sign::Eq, Sign::Assign) => Some((BinaryOp::Eq, 2, Some("=="))),
            _ if self.at_pair(Sign::Ne, Sign::Assign) => Some((BinaryOp::Ne, 2, Some("!="))),
            _ if self.at_pair(Sign::Le, Sign::Greater) => Some((BinaryOp::Eq, 2, Some("=="))),
            TokenKind::Sign(sign) => match sign {
                Sign::Implies => own(BinaryOp::Implies),
                Sign::OrOr => own(BinaryOp::Or),
                Sign::AndAnd => own(BinaryOp::And),
                Sign::Eq => own(BinaryOp::Eq),
                Sign::Ne => own(BinaryOp::Ne),
                Sign::Less => own(BinaryOp::Lt),
                Sign::Le => own(BinaryOp::Le),
                Sign::Greater => own(BinaryOp::Gt),
                Sign::Ge => own(BinaryOp::Ge),
                Sign::Plus => own(BinaryOp::Add),
                Sign::Minus => own(BinaryOp::Sub),
                Sign::Star => own(BinaryOp::Mul),
                Sign::Slash => own(BinaryOp::Div),
                Sign::Percent => own(BinaryOp::Rem),
                Sign::And => own(BinaryOp::BitAnd),
                Sign::Or => own(BinaryOp::BitOr),
                Sign::Caret => own(BinaryOp::BitXor),
                Sign::Shl => own(BinaryOp::Shl),
                Sign::Shr => own(BinaryOp::Shr),
                _ => None,
            },
            TokenKind::Word(Word::Or) => Some((BinaryOp::Or, 1, Some("||"))),
            TokenKind::Word(Word::Mod) => Some((BinaryOp::Rem, 1, Some("%"))),
            // A name can't follow an operand; with these behind it, it begins the next statement.
            TokenKind::Name if self.text(self.span()) == "and" && !self.at_statement() => {
                Some((BinaryOp::And, 1, Some("&&")))
            }
            _ => None,
        };
        found.map(|(op, tokens, meant)| Operator { op, tokens, meant })
    }

    pub(super) fn at_operator(&self) -> bool {
        self.operator().is_some()
    }

    /// Skips the operator at hand, if there is one.
    pub(super) fn skip_operator(&mut self) {
        for _ in 0..self.operator().map_or(0, |o| o.tokens) {
            self.bump();
        }
    }

    /// Reports an operator of another language.
    fn foreign_operator(&mut self, operator: &Operator) {
        let Some(meant) = operator.meant else { return };
        let span = self.span().to(self.token(operator.tokens - 1).span);
        let written = self.text(span);
        self.error(
            codes::FOREIGN_OPERATOR,
            span,
            format!("`{written}` is no operator here"),
            format!("`{meant}`"),
            Help::put(meant, format!("write `{meant}`")),
        );
    }

    fn chained(&mut self) -> Reported {
        self.error(
            codes::CHAINED_COMPARISON,
            self.span(),
            "comparisons can't be chained",
            "one comparison",
            "write `a <= b && b <= c`, or put one comparison in parentheses",
        )
    }
}
