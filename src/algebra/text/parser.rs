//! Tokens to terms and statements.

use super::codes::{NO_ITEM, NO_TERM, SUMS, TOO_DEEP, UNBALANCED, WORD};
use super::model::parse_model;
use super::tokens::{Token, tokens};
use super::{wrong, wrong_in};
use crate::algebra::tree::{Argument, Chain, HintTree, ModelTree, Named};
use crate::algebra::{Atom, Form, Function, Index, Order, Over, Term};
use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::results::SyntacticFact;
use crate::kernel::WORDS;

pub(super) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    limit: usize,
    /// Whether [`WORDS`] are no names.
    reserved: bool,
    /// Whether a `|` ends a modal operator.
    pub(super) before_bar: bool,
}

pub(super) type Parsed<T> = Result<T, Diagnostic>;

impl<'t> Parser<'t> {
    /// A parser of one statement, where all words are names, or of a file.
    pub fn new(text: &'t str, limit: usize, file: bool) -> Parsed<Self> {
        Ok(Parser {
            text,
            tokens: tokens(text)?,
            at: 0,
            depth: 0,
            limit,
            reserved: file,
            before_bar: false,
        })
    }

    pub fn peek(&self) -> &Token {
        self.ahead(0)
    }

    pub fn ahead(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].0
    }

    pub fn span(&self) -> Span {
        self.tokens[self.at.min(self.tokens.len() - 1)].1
    }

    /// From `start` to the end of the last token read.
    pub fn since(&self, start: Span) -> Span {
        let last = self.at.clamp(1, self.tokens.len()) - 1;
        start.to(self.tokens[last].1)
    }

    pub fn text_of(&self, span: Span) -> &'t str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    pub fn skip(&mut self) {
        self.at += 1;
    }

    pub fn is_end(&self) -> bool {
        *self.peek() == Token::End
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    pub fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(s) if *s == sign)
    }

    pub fn eat(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    /// Whether a reserved word stands `n` tokens ahead.
    pub fn reserved_ahead(&self, n: usize) -> bool {
        // `model` is a name elsewhere.
        self.reserved
            && matches!(self.ahead(n), Token::Name(w) if WORDS.contains(&w.as_str())
                || w == "model" && matches!(self.ahead(n + 1), Token::State(_)))
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.reserved_ahead(0) && matches!(self.peek(), Token::Name(w) if w == word);
        self.at += usize::from(found);
        found
    }

    /// `syntactic NAME`, if it stands here.
    pub fn syntactic(&mut self) -> Parsed<Option<SyntacticFact>> {
        if !matches!(self.peek(), Token::Name(word) if word == "syntactic") {
            return Ok(None);
        }
        self.at += 1;
        let facts = SyntacticFact::ALL;
        let named = facts
            .iter()
            .find(|f| matches!(self.peek(), Token::Name(n) if n == f.name()));
        let Some(fact) = named else {
            let names = facts.map(|f| format!("`{}`", f.name()));
            return self.fail_as(NO_ITEM, &names.join(", "));
        };
        self.at += 1;
        Ok(Some(*fact))
    }

    pub fn fail<T>(&self, expected: &str) -> Parsed<T> {
        self.fail_as(NO_TERM, expected)
    }

    pub fn fail_as<T>(&self, code: &'static str, expected: &str) -> Parsed<T> {
        let found = match self.peek() {
            Token::Name(n) if self.reserved_ahead(0) => {
                format!("`{n}` is a word of the language and can't stand here")
            }
            Token::Name(n) => format!("`{n}` can't stand here"),
            Token::Number(n) => format!("`{n}` can't stand here"),
            Token::String(_) => "a string can't stand here".to_string(),
            Token::State(_) => "a state expression can't stand here".to_string(),
            Token::Sign(s @ (")" | "]")) => {
                let message = format!("`{s}` closes nothing");
                return Err(wrong(UNBALANCED, self.span(), message, expected));
            }
            Token::Sign(s) => format!("`{s}` can't stand here"),
            Token::End => "the text ends too early".to_string(),
        };
        Err(wrong_in(self.text, code, self.span(), found, expected))
    }

    pub fn end(&mut self, expected: &str) -> Parsed<()> {
        if self.is_end() {
            Ok(())
        } else {
            self.fail(expected)
        }
    }

    pub fn sign(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) {
            Ok(())
        } else {
            self.fail(&format!("`{sign}`"))
        }
    }

    /// The bracket that closes the one at `open`.
    pub fn close(&mut self, sign: &str, open: Span) -> Parsed<()> {
        if self.eat(sign) {
            return Ok(());
        }
        let opening = self.text_of(open);
        let ends = self.is_end() || self.is(";") || self.is(":") || self.reserved_ahead(0);
        if ends
            || matches!(
                self.peek(),
                Token::Sign(")" | "]" | "<=" | ">=" | "=" | "=>")
            )
        {
            let found = match self.peek() {
                Token::End => "the end of the text".to_string(),
                _ => format!("`{}`", self.text_of(self.span())),
            };
            let message = format!("this `{opening}` is not closed before {found}");
            return Err(wrong(UNBALANCED, open, message, &format!("`{sign}`")));
        }
        self.fail(&format!("`{sign}` or more of the term"))
    }

    /// A name of an action, a test or an index.
    pub fn name(&mut self, expected: &str) -> Parsed<Named> {
        match self.peek().clone() {
            Token::Name(name) if !self.reserved_ahead(0) => {
                let span = self.span();
                self.at += 1;
                Ok(Named { name, span })
            }
            _ => self.fail(expected),
        }
    }

    /// A name of a statement, hypothesis or file: names, numbers, `-`, `.`, `_` and `'` without blanks between them, or
    /// a string.
    pub fn title(&mut self, expected: &str) -> Parsed<Named> {
        let span = self.span();
        match self.peek().clone() {
            Token::String(name) => {
                self.at += 1;
                return Ok(Named { name, span });
            }
            Token::Name(_) if self.reserved_ahead(0) => return self.fail_as(WORD, expected),
            Token::Name(_) | Token::Number(_) => self.at += 1,
            _ => return self.fail_as(NO_ITEM, expected),
        }
        while self.is_adjacent(self.at) {
            let more = match self.peek() {
                Token::Name(_) | Token::Number(_) | Token::Sign("'") => 1,
                // Not at the end: `a.` is a name and a dot.
                Token::Sign("-" | ".") if self.is_adjacent(self.at + 1) => match self.ahead(1) {
                    Token::Name(_) | Token::Number(_) => 2,
                    _ => break,
                },
                _ => break,
            };
            self.at += more;
        }
        let span = self.since(span);
        let name = self.text_of(span).to_string();
        Ok(Named { name, span })
    }

    /// Whether no blank stands before token `n`.
    fn is_adjacent(&self, n: usize) -> bool {
        n > 0 && n < self.tokens.len() && self.tokens[n - 1].1.end == self.tokens[n].1.start
    }

    /// The braces behind `model`.
    pub fn model(&mut self) -> Parsed<ModelTree> {
        let span = self.span();
        self.at += 1;
        parse_model(self.text, span)
    }

    pub fn string(&mut self) -> Parsed<String> {
        match self.peek().clone() {
            Token::String(s) => {
                self.at += 1;
                Ok(s)
            }
            _ => self.fail("a string in double quotes"),
        }
    }

    /// `M[i, j]` as it is declared.
    pub fn indexed(&mut self) -> Parsed<(Named, Vec<Named>)> {
        let name = self.name("a name")?;
        let mut indices = Vec::new();
        let open = self.span();
        if self.eat("[") {
            loop {
                indices.push(self.name("an index variable")?);
                if !self.eat(",") {
                    break;
                }
            }
            self.close("]", open)?;
        }
        Ok((name, indices))
    }

    /// A premise in brackets: a statement, perhaps with a name.
    pub fn premise(&mut self) -> Parsed<(Option<Named>, Chain)> {
        let start = self.at;
        if let Ok(name) = self.title("a name")
            && self.eat(":")
        {
            return Ok((Some(name), self.chain(false)?));
        }
        self.at = start;
        Ok((None, self.chain(false)?))
    }

    /// A statement; hints may stand behind its comparisons.
    pub fn chain(&mut self, hints: bool) -> Parsed<Chain> {
        let start = self.span();
        let mut distinct = Vec::new();
        if self.condition_ahead() {
            loop {
                distinct.push(self.differing()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.sign("=>")?;
        }
        let mut chain = Chain {
            span: start,
            distinct,
            sides: vec![self.term()?],
            orders: Vec::new(),
            hints: Vec::new(),
        };
        let (mut up, mut down) = (false, false);
        loop {
            let at = self.span();
            let order = if self.eat("<=") {
                up = true;
                Order::Below
            } else if self.eat(">=") {
                down = true;
                Order::Below
            } else if self.eat("=") {
                Order::Equal
            } else {
                break;
            };
            if up && down {
                return Err(wrong(
                    NO_TERM,
                    at,
                    "a chain goes up or down, not both",
                    if self.text_of(at) == "<=" {
                        "`>=` or `=`"
                    } else {
                        "`<=` or `=`"
                    },
                ));
            }
            chain.orders.push(order);
            chain.sides.push(self.term()?);
            chain.hints.push(match hints && self.eat_word("by") {
                true => Some(self.hints()?),
                false => None,
            });
        }
        if chain.orders.is_empty() {
            return self.fail("`<=`, `>=` or `=` and another term");
        }
        if down {
            chain.sides.reverse();
            chain.orders.reverse();
            chain.hints.reverse();
        }
        chain.span = self.since(start);
        Ok(chain)
    }

    fn hints(&mut self) -> Parsed<Vec<HintTree>> {
        let mut all = Vec::new();
        loop {
            let name = self.title("a hint: the name of a hypothesis, a premise or an earlier statement, or a word for \
                a rule")?;
            let open = self.span();
            let mut arguments = Vec::new();
            if self.eat("(") {
                loop {
                    arguments.push(self.argument()?);
                    if !self.eat(",") {
                        break;
                    }
                }
                self.close(")", open)?;
            }
            let span = self.since(name.span);
            all.push(HintTree {
                span,
                text: self
                    .text_of(span)
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" "),
                name,
                arguments,
            });
            if !self.eat(",") {
                return Ok(all);
            }
        }
    }

    fn argument(&mut self) -> Parsed<Argument> {
        let what = if matches!(self.ahead(1), Token::Sign(":=")) {
            let what = self.name("an index variable or a letter")?;
            self.at += 1;
            Some(what)
        } else {
            None
        };
        Ok(Argument {
            what,
            by: self.term()?,
        })
    }

    /// Whether a side condition `i != j` begins here.
    fn condition_ahead(&self) -> bool {
        // `w(0)` and `w(-1)` are threads; `x (+ k != j : ..)` is a product.
        let index = match (self.ahead(0), self.ahead(1), self.ahead(2), self.ahead(3)) {
            (Token::Name(_), Token::Sign("("), Token::Number(_), Token::Sign(")")) => 4,
            (Token::Name(_), Token::Sign("("), Token::Sign("-"), Token::Number(_)) => 5,
            (Token::Name(_) | Token::Number(_), ..) => 1,
            _ => return false,
        };
        matches!(self.ahead(index), Token::Sign("!="))
    }

    /// `i != j`
    fn differing(&mut self) -> Parsed<(Index, Index, Span)> {
        let start = self.span();
        let i = self.index()?;
        self.sign("!=")?;
        let j = self.index()?;
        Ok((i, j, self.since(start)))
    }

    fn index(&mut self) -> Parsed<Index> {
        if self.reserved_ahead(0) {
            return self.fail("a process: a variable");
        }
        match self.next() {
            Token::Number(n) => Ok(Index::Number(n)),
            Token::Name(n) if self.is("(") => {
                self.sign("(")?;
                let negative = self.eat("-");
                let Token::Number(i) = self.next() else {
                    self.at -= 1;
                    return self.fail("the number of a thread in its family");
                };
                self.sign(")")?;
                Ok(Index::Member(n, if negative { -i } else { i }))
            }
            Token::Name(n) => Ok(Index::Name(n)),
            _ => {
                self.at -= 1;
                self.fail("a process: a variable, a number or a thread")
            }
        }
    }

    pub fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > self.limit {
            return Err(wrong(
                TOO_DEEP,
                self.span(),
                format!("the term is nested deeper than {} levels", self.limit),
                "a flatter term, or a higher limit (--limit-depth N)",
            ));
        }
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// After an error the depth is that of the items again.
    pub fn surface(&mut self) {
        self.depth = 0;
    }

    pub fn term(&mut self) -> Parsed<Term> {
        self.deeper(|p| {
            let start = p.span();
            let mut terms = vec![p.hash()?];
            while p.eat("+") {
                terms.push(p.hash()?);
            }
            Ok(p.one_or(start, terms, Form::Sum))
        })
    }

    fn hash(&mut self) -> Parsed<Term> {
        let start = self.span();
        let left = self.product()?;
        if !self.eat("#") {
            return Ok(left);
        }
        let right = self.deeper(Self::hash)?;
        let form = Form::Hash(Box::new(left), Box::new(right));
        Ok(Term::new(self.since(start), form))
    }

    fn product(&mut self) -> Parsed<Term> {
        let start = self.span();
        let mut factors = vec![self.postfix()?];
        loop {
            let dot = self.eat(".");
            let starts = match self.peek() {
                Token::Name(_) => !self.reserved_ahead(0),
                Token::Number(_) | Token::State(_) => true,
                Token::Sign(s) => matches!(*s, "(" | "~") || self.modal_ahead(),
                _ => false,
            };
            if !starts && !dot {
                return Ok(self.one_or(start, factors, Form::Product));
            }
            factors.push(self.postfix()?);
        }
    }

    fn one_or(&self, start: Span, mut terms: Vec<Term>, many: fn(Vec<Term>) -> Form) -> Term {
        match terms.len() {
            1 => terms.remove(0),
            _ => Term::new(self.since(start), many(terms)),
        }
    }

    fn postfix(&mut self) -> Parsed<Term> {
        let start = self.span();
        let mut term = self.prefix()?;
        let mut layers = 0;
        loop {
            let form = if self.eat("*") {
                Form::Star(Box::new(term))
            } else if self.eat("^w") {
                Form::Omega(Box::new(term))
            } else {
                return Ok(term);
            };
            term = Term::new(self.since(start), form);
            layers += 1;
            if layers + self.depth > self.limit {
                return self.fail_as(TOO_DEEP, "fewer `*` and `^w` in a row (--limit-depth N)");
            }
        }
    }

    pub fn prefix(&mut self) -> Parsed<Term> {
        let start = self.span();
        if self.eat("~") {
            return self.deeper(|p| {
                let inner = p.prefix()?;
                Ok(Term::new(p.since(start), Form::Not(Box::new(inner))))
            });
        }
        match self.modal_term()? {
            Some(term) => Ok(term),
            None => self.primary(),
        }
    }

    fn primary(&mut self) -> Parsed<Term> {
        let start = self.span();
        let form = match self.peek().clone() {
            Token::Number(0) => Form::Zero,
            Token::Number(1) => Form::One,
            Token::State(e) => Form::State(e),
            Token::Sign("(") => return self.parenthesis(),
            Token::Name(name) if !self.reserved_ahead(0) => {
                self.at += 1;
                if let Some(function) = Function::named(&name) {
                    return self.applied(function, start);
                }
                let form = self.atom(name)?;
                return Ok(Term::new(self.since(start), form));
            }
            _ => return self.fail("a term"),
        };
        self.at += 1;
        Ok(Term::new(start, form))
    }

    fn parenthesis(&mut self) -> Parsed<Term> {
        let open = self.span();
        self.at += 1;
        let over = match (self.peek(), self.ahead(1), self.ahead(2)) {
            (Token::Sign(s @ ("+" | ".")), Token::Name(_), Token::Sign(":" | "!=")) => {
                let sum = *s == "+";
                self.at += 1;
                Some((sum, self.over()?))
            }
            _ => None,
        };
        let inner = self.bracketed(false)?;
        self.close(")", open)?;
        let span = self.since(open);
        Ok(match over {
            Some((true, over)) => Term::new(span, Form::SumOver(over, Box::new(inner))),
            Some((false, over)) => Term::new(span, Form::ProductOver(over, Box::new(inner))),
            None => Term { span, ..inner },
        })
    }

    /// `j :` or `j != i, j != k :`
    fn over(&mut self) -> Parsed<Over> {
        let index = match self.peek() {
            Token::Name(n) if !self.reserved_ahead(0) => n.clone(),
            _ => return self.fail("an index variable"),
        };
        let mut but = Vec::new();
        if matches!(self.ahead(1), Token::Sign(":")) {
            self.at += 2;
            return Ok(Over { index, but });
        }
        loop {
            let (i, j, span) = self.differing()?;
            let binder = Index::Name(index.clone());
            let other = match (i == binder, j == binder) {
                (true, false) => j,
                (false, true) => i,
                (true, true) => {
                    let message = format!("`{index}` can't differ from itself");
                    return Err(wrong(SUMS, span, message, "another index variable"));
                }
                (false, false) => {
                    let message =
                        format!("the sum binds `{index}`, and this condition does not speak of it");
                    let expected = format!("a condition such as `{index} != {i}`");
                    return Err(wrong(SUMS, span, message, &expected));
                }
            };
            but.push(other);
            if !self.eat(",") {
                break;
            }
        }
        self.sign(":")?;
        Ok(Over { index, but })
    }

    fn atom(&mut self, name: String) -> Parsed<Form> {
        let atom = |indices, label| {
            Ok(Form::Atom(Atom {
                name: name.clone(),
                indices,
                label,
            }))
        };
        // `worker(0).B`, `a.B`: a dot with a name behind it and no space around it is a label. A file speaks of no
        // model: there it is a product.
        let ahead = [0, 1, 2, 3, 4].map(|n| self.ahead(n).clone());
        if let [
            Token::Sign("("),
            Token::Number(i),
            Token::Sign(")"),
            Token::Sign("."),
            Token::Name(label),
        ] = &ahead
            && !self.reserved
            && (0..5).all(|n| self.is_adjacent(self.at + n))
        {
            self.at += 5;
            return atom(vec![Index::Number(*i)], Some(label.clone()));
        } else if let [Token::Sign("."), Token::Name(label), ..] = &ahead
            && !self.reserved
            && (0..2).all(|n| self.is_adjacent(self.at + n))
        {
            self.at += 2;
            return atom(Vec::new(), Some(label.clone()));
        }
        if name == "T" && !self.is("[") {
            return Ok(Form::Top);
        }
        let mut indices = Vec::new();
        let open = self.span();
        if !self.modal_ahead() && self.eat("[") {
            loop {
                indices.push(self.index()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.close("]", open)?;
        }
        atom(indices, None)
    }
}
