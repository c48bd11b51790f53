//! Assignments, and what stands for them in other languages.

use super::super::ast::StmtKind;
use super::super::codes;
use super::super::lexer::{Sign, TokenKind};
use super::super::mistakes;
use super::{Parsed, Parser};

impl Parser<'_> {
    /// `x = e;`, or what stands for it in other languages.
    pub(super) fn assignment(&mut self) -> Parsed<StmtKind> {
        let place = self.place()?;
        let target = mistakes::shorten(self.text(place.span));
        if let Some(sign) = self.step_sign() {
            let counts = self.token(1).kind != TokenKind::Sign(Sign::Assign);
            let by = if counts { "1" } else { ".." };
            let span = self.span().to(self.token(1).span);
            let written = self.text(span);
            self.error(
                codes::FOREIGN_ASSIGNMENT,
                span,
                format!("`{written}` is no assignment here"),
                "`=`",
                format!("write `{target} = {target} {sign} {by};`"),
            );
            self.bump();
            self.bump();
            if !counts {
                self.expr()?;
            }
            self.semicolon("the assignment")?;
            return Ok(StmtKind::Skip);
        }
        let foreign = match self.peek() {
            TokenKind::Sign(Sign::Eq) => 1,
            _ if self.at_pair(Sign::Colon, Sign::Assign)
                || self.at_pair(Sign::Less, Sign::Minus) =>
            {
                2
            }
            _ => 0,
        };
        if foreign > 0 {
            let span = self.span().to(self.token(foreign - 1).span);
            let written = self.text(span);
            self.error(
                codes::FOREIGN_ASSIGNMENT,
                span,
                format!("`{written}` is no assignment here"),
                "`=`",
                format!("write `{target} = ..;`"),
            );
            for _ in 0..foreign {
                self.bump();
            }
        } else {
            let help = format!(
                "a statement that begins with a name is an assignment or a call: `{target} = ..;`"
            );
            self.expect(Sign::Assign, &help)?;
        }
        let next = self.token(1);
        let new = self.peek() == TokenKind::Name && self.text(self.span()) == "new";
        if new && next.kind == TokenKind::Name && self.text(next.span) != "and" {
            self.bump();
            let pool = self.name("a pool", "write `p = new P;`")?;
            self.semicolon("the assignment")?;
            return Ok(StmtKind::New(place, pool));
        }
        let value = self.expr()?;
        self.no_assignment()?;
        self.semicolon("the assignment")?;
        Ok(StmtKind::Assign(place, value))
    }

    /// The operator in `++`, `--`, `+=`, `-=` and so on, if one of them is at hand.
    fn step_sign(&self) -> Option<&'static str> {
        if self.at_pair(Sign::Plus, Sign::Plus) {
            return Some("+");
        }
        if self.at_pair(Sign::Minus, Sign::Minus) {
            return Some("-");
        }
        [
            Sign::Plus,
            Sign::Minus,
            Sign::Star,
            Sign::Slash,
            Sign::Percent,
        ]
        .into_iter()
        .find(|&sign| self.at_pair(sign, Sign::Assign))
        .map(Sign::text)
    }
}
