//! Domain and what is said by it: `dom(x)`, `cod(x)`, and the modal operators of a program (Moeller & Struth 2006).
//!
//! `|x> p = dom(x p)` and `|x] p = ~dom(x ~p)` look ahead, `<x| p = cod(p x)` and `[x| p = ~cod(~p x)` back. They bind
//! as `~` does.

use super::parser::{Parsed, Parser};
use super::tokens::Token;
use crate::algebra::{Form, Function, Term};
use crate::base::diagnostic::Span;
use crate::kernel::Operator;

/// A modal operator, by how it begins and ends.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Modal {
    open: &'static str,
    close: &'static str,
    ahead: bool,
    is_box: bool,
}

const MODALS: [Modal; 4] = [
    Modal {
        open: "|",
        close: ">",
        ahead: true,
        is_box: false,
    },
    Modal {
        open: "|",
        close: "]",
        ahead: true,
        is_box: true,
    },
    Modal {
        open: "<",
        close: "|",
        ahead: false,
        is_box: false,
    },
    Modal {
        open: "[",
        close: "|",
        ahead: false,
        is_box: true,
    },
];

impl Parser<'_> {
    /// Whether a modal operator begins here, and not an index, premises, or what is no term.
    pub fn modal_ahead(&self) -> bool {
        self.modal().is_some()
    }

    fn modal(&self) -> Option<Modal> {
        let mut opened = MODALS.iter().filter(|m| self.is(m.open)).peekable();
        opened.peek()?;
        if self.before_bar && self.is("|") {
            return None;
        }
        // Its end is the first such sign outside of brackets, before anything that stands in no term.
        let (mut depth, mut n) = (0, 1);
        let end = loop {
            match self.ahead(n) {
                Token::Sign("(" | "[") => depth += 1,
                Token::Sign(")" | "]") if depth > 0 => depth -= 1,
                Token::Sign(s @ (">" | "]" | "|")) if depth == 0 => break *s,
                Token::Sign("=" | "<=" | ">=" | "=>" | ":" | ";" | "," | "!=") if depth == 0 => {
                    return None;
                }
                Token::End => return None,
                _ => {}
            }
            n += 1;
        };
        opened.find(|m| m.close == end && n > 1).copied()
    }

    /// `|x> p` and its kin; where none begins, nothing.
    pub fn modal_term(&mut self) -> Parsed<Option<Term>> {
        let start = self.span();
        let Some(modal) = self.modal() else {
            return Ok(None);
        };
        self.skip();
        let term = self.deeper(|p| {
            let program = p.bracketed(modal.close == "|")?;
            p.close(modal.close, start)?;
            let test = p.prefix()?;
            let span = p.since(start);
            let not = |x: Term| Term::new(span, Form::Not(Box::new(x)));
            let test = if modal.is_box { not(test) } else { test };
            let of = if modal.ahead {
                [program, test]
            } else {
                [test, program]
            };
            let product = Box::new(Term::new(span, Form::Product(of.into())));
            let operator = match modal.ahead {
                true => Operator::Domain,
                false => Operator::Codomain,
            };
            let term = Term::new(span, Form::Applied(Function::Test(operator), product));
            Ok(if modal.is_box { not(term) } else { term })
        })?;
        Ok(Some(term))
    }

    /// A term in brackets, which a `|` ends or not.
    pub fn bracketed(&mut self, by_bar: bool) -> Parsed<Term> {
        let outside = std::mem::replace(&mut self.before_bar, by_bar);
        let term = self.term();
        self.before_bar = outside;
        term
    }

    /// What stands in brackets behind `dom` and its kin.
    pub fn applied(&mut self, function: Function, start: Span) -> Parsed<Term> {
        let open = self.span();
        if !self.eat("(") {
            let name = function.name();
            return self.fail(&format!("`(`: `{name}` is an operator, as in `{name}(x)`"));
        }
        let inner = Box::new(self.bracketed(false)?);
        self.close(")", open)?;
        Ok(Term::new(self.since(start), Form::Applied(function, inner)))
    }
}
