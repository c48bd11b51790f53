//! Terms, statements and theories: text to trees.
//!
//! ```text
//! theory     = 'theory' NAME STRING ';' item*
//! item       = ('action' | 'test') indexed,* ';'  |  'let' indexed '=' term ';'
//!            | ('hypothesis' | 'conclusion') NAME STRING ':' statement ';'
//! indexed    = NAME ('[' NAME,* ']')?
//! statement  = (index '!=' index),* '=>' sides  |  sides
//! sides      = term (('<=' | '=') term)+
//! term       = hash ('+' hash)*          hash = product ('#' hash)?          product = postfix ('.'? postfix)*
//! postfix    = prefix ('*' | '^w')*      prefix = '~' prefix | primary
//! primary    = '0' | '1' | 'T' | NAME ('[' index,* ']')? | (NAME | NAME '(' NUMBER ')') '.' NAME | '{' state expression '}'
//!            | '(' term ')' | '(' '+' NAME ':' term ')' | '(' '.' NAME ':' term ')'
//! index      = NAME | NUMBER | NAME '(' '-'? NUMBER ')'
//! ```

use super::codes::Code;
use super::diagnostic::{Diagnostic, Span};
use crate::algebra::{Atom, Definition, Hypothesis, Index, Order, Sort, Statement, Term, Theory};

/// The codes of terms, statements and theories.
pub static TERM_CODES: &[Code] = &[
    Code {
        code: "E0401",
        title: "no term",
        text: "A statement compares terms with `<=` or `=`. Terms are built from 0, 1, T, atoms (`u[0]`, `v[i]`, `p[worker(1)]`, `q`, single actions such as `worker(0).B`, tests `{ x[0] == 1 }`), complements `~` of tests, `+`, products written side by side, `*`, `^w` and `#`.\n\n  wrong: u[0] v[1] <      right: u[0] v[1] <= v[1] u[0]",
    },
    Code {
        code: "E0402",
        title: "a term without meaning here",
        text: "The statement can be read, but something in it means nothing in this model: a thread that does not exist, a label that the thread does not have, a name that is neither u, v, p, q nor defined by the theory, or a complement of something that is no test.\n\n  wrong: ~u[0] <= p[0]      right: ~p[0] <= u[0] T",
    },
];

/// Reads a statement such as `u[1] u[0] <= u[0] (q T + u[1] + u[1] q T)`.
///
/// # Errors
/// The first thing that is wrong, with its span in the text.
pub fn parse_statement(text: &str, depth: usize) -> Result<Statement, Diagnostic> {
    let mut p = Parser::new(text, depth)?;
    let statement = p.statement()?;
    p.expect(Token::End, "the end of the statement")?;
    Ok(statement)
}

/// Reads a theory file.
///
/// # Errors
/// The first thing that is wrong, with its span in the text.
pub fn parse_theory(text: &str, depth: usize) -> Result<Theory, Diagnostic> {
    let mut p = Parser::new(text, depth)?;
    let mut theory = Theory::default();
    p.word("theory")?;
    theory.name = p.dashed_name()?;
    theory.source = p.string()?;
    p.sign(";")?;
    while p.peek() != &Token::End {
        let span = p.span();
        let word = p.name("`action`, `test`, `let`, `hypothesis` or `conclusion`")?;
        match word.as_str() {
            "action" | "test" => {
                let sort = if word == "test" {
                    Sort::Test
                } else {
                    Sort::Action
                };
                loop {
                    let (name, indices) = p.indexed()?;
                    theory.atoms.push((name, indices.len(), sort));
                    if !p.eat(",") {
                        break;
                    }
                }
            }
            "let" => {
                let (name, indices) = p.indexed()?;
                p.sign("=")?;
                let term = p.term()?;
                theory.definitions.push(Definition {
                    name,
                    indices,
                    term,
                });
            }
            "hypothesis" | "conclusion" => {
                let id = p.identifier()?;
                let words = p.string()?;
                p.sign(":")?;
                let statement = p.statement()?;
                let item = Hypothesis {
                    id,
                    words,
                    statement,
                };
                if word == "hypothesis" {
                    theory.hypotheses.push(item);
                } else {
                    theory.conclusion = Some(item);
                }
            }
            _ => {
                return Err(wrong(
                    span,
                    format!("`{word}` begins no item"),
                    "`action`, `test`, `let`, `hypothesis` or `conclusion`",
                ));
            }
        }
        p.sign(";")?;
    }
    Ok(theory)
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Number(i64),
    String(String),
    State(String),
    Sign(&'static str),
    End,
}

const SIGNS: [&str; 18] = [
    "^w", "<=", "=>", "!=", "=", "+", ".", "*", "~", "#", "(", ")", "[", "]", ",", ":", ";", "-",
];

fn wrong(span: Span, message: impl Into<String>, expected: &str) -> Diagnostic {
    Diagnostic::error(
        "E0401",
        span,
        message,
        expected,
        "terms are built from 0, 1, T, atoms, ~, +, products, * and ^w; see `coarsen explain E0401`",
    )
}

fn tokens(text: &str) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        let rest = &text[at..];
        let take = |f: fn(char) -> bool| rest.find(|c: char| !f(c)).unwrap_or(rest.len());
        let token = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if c.is_ascii_alphabetic() || c == '_' {
            at += take(|c| c.is_ascii_alphanumeric() || c == '_');
            Token::Name(text[start..at].to_string())
        } else if c.is_ascii_digit() {
            at += take(|c| c.is_ascii_digit());
            match text[start..at].parse() {
                Ok(n) => Token::Number(n),
                Err(_) => {
                    return Err(wrong(
                        Span::new(start, at),
                        "this number is too large",
                        "a number below 2^63",
                    ));
                }
            }
        } else if c == '"' || c == '{' {
            let close = if c == '"' { '"' } else { '}' };
            let Some(length) = rest[1..].find(close) else {
                let message = format!("`{c}` is not closed");
                return Err(wrong(
                    Span::new(start, text.len()),
                    message,
                    &format!("`{close}`"),
                ));
            };
            at += length + 2;
            let inner = text[start + 1..at - 1].to_string();
            if c == '"' {
                Token::String(inner)
            } else {
                Token::State(inner)
            }
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            at += sign.len();
            Token::Sign(sign)
        } else {
            let end = at + c.len_utf8();
            return Err(wrong(
                Span::new(at, end),
                format!("unexpected character {c:?}"),
                "a term",
            ));
        };
        all.push((token, Span::new(start, at)));
    }
    all.push((Token::End, Span::new(text.len(), text.len())));
    Ok(all)
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    limit: usize,
}

impl Parser {
    fn new(text: &str, limit: usize) -> Result<Self, Diagnostic> {
        Ok(Parser {
            tokens: tokens(text)?,
            at: 0,
            depth: 0,
            limit,
        })
    }

    fn peek(&self) -> &Token {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at.min(self.tokens.len() - 1)].1
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(s) if *s == sign)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    fn fail<T>(&self, expected: &str) -> Result<T, Diagnostic> {
        let found = match self.peek() {
            Token::Name(n) => format!("`{n}` can't stand here"),
            Token::Number(n) => format!("`{n}` can't stand here"),
            Token::String(_) => "a string can't stand here".to_string(),
            Token::State(_) => "a state expression can't stand here".to_string(),
            Token::Sign(s) => format!("`{s}` can't stand here"),
            Token::End => "the text ends too early".to_string(),
        };
        Err(wrong(self.span(), found, expected))
    }

    fn expect(&mut self, token: Token, expected: &str) -> Result<(), Diagnostic> {
        if *self.peek() == token {
            self.at += 1;
            Ok(())
        } else {
            self.fail(expected)
        }
    }

    fn sign(&mut self, sign: &str) -> Result<(), Diagnostic> {
        if self.eat(sign) {
            Ok(())
        } else {
            self.fail(&format!("`{sign}`"))
        }
    }

    fn word(&mut self, word: &str) -> Result<(), Diagnostic> {
        self.expect(Token::Name(word.to_string()), &format!("`{word}`"))
    }

    fn name(&mut self, expected: &str) -> Result<String, Diagnostic> {
        match self.peek().clone() {
            Token::Name(n) => {
                self.at += 1;
                Ok(n)
            }
            _ => self.fail(expected),
        }
    }

    fn dashed_name(&mut self) -> Result<String, Diagnostic> {
        let mut name = self.name("a name")?;
        while self.eat("-") {
            name = format!("{name}-{}", self.name("a name")?);
        }
        Ok(name)
    }

    fn identifier(&mut self) -> Result<String, Diagnostic> {
        match self.peek().clone() {
            Token::Number(n) => {
                self.at += 1;
                Ok(n.to_string())
            }
            _ => self.name("a name or number"),
        }
    }

    fn string(&mut self) -> Result<String, Diagnostic> {
        match self.peek().clone() {
            Token::String(s) => {
                self.at += 1;
                Ok(s)
            }
            _ => self.fail("a string in double quotes"),
        }
    }

    fn indexed(&mut self) -> Result<(String, Vec<String>), Diagnostic> {
        let name = self.name("a name")?;
        let mut indices = Vec::new();
        if self.eat("[") {
            loop {
                indices.push(self.name("an index variable")?);
                if !self.eat(",") {
                    break;
                }
            }
            self.sign("]")?;
        }
        Ok((name, indices))
    }

    fn statement(&mut self) -> Result<Statement, Diagnostic> {
        let mut distinct = Vec::new();
        if self.condition_ahead() {
            loop {
                let i = self.index()?;
                self.sign("!=")?;
                distinct.push((i, self.index()?));
                if !self.eat(",") {
                    break;
                }
            }
            self.sign("=>")?;
        }
        let mut sides = vec![self.term()?];
        let mut orders = Vec::new();
        loop {
            if self.eat("<=") {
                orders.push(Order::Below);
            } else if self.eat("=") {
                orders.push(Order::Equal);
            } else {
                break;
            }
            sides.push(self.term()?);
        }
        if orders.is_empty() {
            return self.fail("`<=` or `=` and another term");
        }
        Ok(Statement {
            distinct,
            sides,
            orders,
        })
    }

    /// Whether a side condition `i != j` begins here.
    fn condition_ahead(&self) -> bool {
        let mut n = 1;
        if matches!(self.ahead(1), Token::Sign("(")) {
            n = 4;
        }
        matches!(self.ahead(n), Token::Sign("!="))
    }

    fn index(&mut self) -> Result<Index, Diagnostic> {
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

    fn deeper<T>(
        &mut self,
        f: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        self.depth += 1;
        if self.depth > self.limit {
            return Err(wrong(
                self.span(),
                format!("the term is nested deeper than {} levels", self.limit),
                "a flatter term, or a higher limit (--limit-depth N)",
            ));
        }
        let result = f(self);
        self.depth -= 1;
        result
    }

    fn term(&mut self) -> Result<Term, Diagnostic> {
        self.deeper(|p| {
            let mut terms = vec![p.hash()?];
            while p.eat("+") {
                terms.push(p.hash()?);
            }
            Ok(one_or(terms, Term::Sum))
        })
    }

    fn hash(&mut self) -> Result<Term, Diagnostic> {
        let left = self.product()?;
        if !self.eat("#") {
            return Ok(left);
        }
        let right = self.deeper(Self::hash)?;
        Ok(Term::Hash(Box::new(left), Box::new(right)))
    }

    fn product(&mut self) -> Result<Term, Diagnostic> {
        let mut factors = vec![self.postfix()?];
        loop {
            let dot = self.eat(".");
            let starts = match self.peek() {
                Token::Name(_) | Token::Number(_) | Token::State(_) => true,
                Token::Sign(s) => matches!(*s, "(" | "~"),
                _ => false,
            };
            if !starts && !dot {
                return Ok(one_or(factors, Term::Product));
            }
            factors.push(self.postfix()?);
        }
    }

    fn postfix(&mut self) -> Result<Term, Diagnostic> {
        let mut term = self.prefix()?;
        let mut layers = 0;
        loop {
            if self.eat("*") {
                term = Term::Star(Box::new(term));
            } else if self.eat("^w") {
                term = Term::Omega(Box::new(term));
            } else {
                return Ok(term);
            }
            layers += 1;
            if layers + self.depth > self.limit {
                return self.fail("fewer `*` and `^w` in a row (--limit-depth N)");
            }
        }
    }

    fn prefix(&mut self) -> Result<Term, Diagnostic> {
        if self.eat("~") {
            return self.deeper(|p| Ok(Term::Not(Box::new(p.prefix()?))));
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<Term, Diagnostic> {
        match self.peek().clone() {
            Token::Number(0) => {
                self.at += 1;
                Ok(Term::Zero)
            }
            Token::Number(1) => {
                self.at += 1;
                Ok(Term::One)
            }
            Token::State(e) => {
                self.at += 1;
                Ok(Term::State(e))
            }
            Token::Sign("(") => {
                self.at += 1;
                let over = match (self.peek(), self.ahead(1), self.ahead(2)) {
                    (Token::Sign(s @ ("+" | ".")), Token::Name(i), Token::Sign(":")) => {
                        Some((*s, i.clone()))
                    }
                    _ => None,
                };
                if over.is_some() {
                    self.at += 3;
                }
                let inner = self.term()?;
                self.sign(")")?;
                Ok(match over {
                    Some(("+", i)) => Term::SumOver(i, Box::new(inner)),
                    Some((_, i)) => Term::ProductOver(i, Box::new(inner)),
                    None => inner,
                })
            }
            Token::Name(name) => {
                self.at += 1;
                self.atom(name)
            }
            _ => self.fail("a term"),
        }
    }

    fn atom(&mut self, name: String) -> Result<Term, Diagnostic> {
        let atom = |indices, label| {
            Ok(Term::Atom(Atom {
                name: name.clone(),
                indices,
                label,
            }))
        };
        // `worker(0).B`, `a.B`: a dot with a name behind it and no space around it is a label.
        let adjacent = |p: &Self, n: usize| {
            let (a, b) = (p.at + n - 1, p.at + n);
            b < p.tokens.len() && p.tokens[a].1.end == p.tokens[b].1.start
        };
        let ahead = [0, 1, 2, 3, 4].map(|n| self.ahead(n).clone());
        if let [
            Token::Sign("("),
            Token::Number(i),
            Token::Sign(")"),
            Token::Sign("."),
            Token::Name(label),
        ] = &ahead
            && (0..5).all(|n| adjacent(self, n))
        {
            self.at += 5;
            return atom(vec![Index::Number(*i)], Some(label.clone()));
        }
        if let [Token::Sign("."), Token::Name(label), ..] = &ahead
            && (0..2).all(|n| adjacent(self, n))
        {
            self.at += 2;
            return atom(Vec::new(), Some(label.clone()));
        }
        if name == "T" && !self.is("[") {
            return Ok(Term::Top);
        }
        let mut indices = Vec::new();
        if self.eat("[") {
            loop {
                indices.push(self.index()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.sign("]")?;
        }
        atom(indices, None)
    }
}

fn one_or(mut terms: Vec<Term>, many: fn(Vec<Term>) -> Term) -> Term {
    match terms.len() {
        1 => terms.remove(0),
        _ => many(terms),
    }
}
