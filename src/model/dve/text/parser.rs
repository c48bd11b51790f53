//! Tokens to the tree, by recursive descent of bounded depth. The first error ends it.

use super::codes::{PRECEDENCE, REFUSED, SYNTAX, TOO_DEEP};
use super::lexer::{Token, tokens};
use super::tree::{
    Binary, ChannelDecl, Expr, ExprKind, Init, Passed, Place, Process, Sync, System, Transition,
    Type, Unary, VarDecl,
};
use crate::base::diagnostic::{Diagnostic, Span};
use crate::model::text::ast::Name;

/// Reads a model in DVE; with warnings.
///
/// # Errors
/// The first thing that is wrong, with its span in the text.
pub fn parse_dve(text: &str, depth: usize) -> Result<(System, Vec<Diagnostic>), Diagnostic> {
    let mut p = Parser {
        text,
        tokens: tokens(text)?,
        at: 0,
        left: depth,
        depth,
        warnings: Vec::new(),
    };
    let system = p.system()?;
    Ok((system, p.warnings))
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    /// Levels that may still be opened here.
    left: usize,
    depth: usize,
    warnings: Vec<Diagnostic>,
}

type Parsed<T> = Result<T, Diagnostic>;

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at.min(self.tokens.len() - 1)].1
    }

    /// From `start` to the end of the token before the one at hand.
    fn since(&self, start: Span) -> Span {
        let last = self.at.checked_sub(1).map_or(start, |n| self.tokens[n].1);
        Span::new(start.start, last.end.max(start.end))
    }

    fn is(&self, sign: &str) -> bool {
        self.peek() == Token::End && sign.is_empty()
            || matches!(self.peek(), Token::Sign(s) | Token::Word(s) if s == sign)
    }

    /// Whether a sign or word stands here; if so, it is passed.
    fn takes(&mut self, sign: &str) -> bool {
        let there = self.is(sign);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) {
            return Ok(());
        }
        self.unexpected(&format!("`{sign}`"))
    }

    fn unexpected<T>(&self, expected: &str) -> Parsed<T> {
        let span = self.span();
        let found = match self.peek() {
            Token::End => "the end of the file".to_string(),
            _ => format!("`{}`", &self.text[span.start..span.end]),
        };
        Err(Diagnostic::error(
            SYNTAX,
            span,
            format!("expected {expected}, found {found}"),
            expected,
            "correct it; docs/dve.md has the grammar",
        ))
    }

    fn refuse<T>(&self, span: Span, what: &str, help: &str) -> Parsed<T> {
        let message = format!("{what} are not supported");
        Err(Diagnostic::error(
            REFUSED,
            span,
            message,
            "an asynchronous system without them",
            help,
        ))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.span();
        if self.peek() != Token::Name {
            return self.unexpected(what);
        }
        self.at += 1;
        let text = self.text[span.start..span.end].to_string();
        Ok(Name { text, span })
    }

    /// One thing or more, with commas between them.
    fn list<T>(&mut self, one: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.takes(",") {
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// What `parse` reads stands one level deeper.
    fn level<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.deeper(1)?;
        let parsed = parse(self);
        self.left += 1;
        parsed
    }

    fn deeper(&mut self, levels: usize) -> Parsed<()> {
        if let Some(left) = self.left.checked_sub(levels) {
            self.left = left;
            return Ok(());
        }
        let (limit, more) = (self.depth, self.depth.saturating_mul(2));
        Err(Diagnostic::error(
            TOO_DEEP,
            self.span(),
            format!("nested more than {limit} levels deep"),
            format!("at most {limit} levels"),
            format!("split what stands here, or raise the limit with `--limit-depth {more}`"),
        ))
    }

    // ---- declarations ----

    fn system(&mut self) -> Parsed<System> {
        let mut system = System::default();
        loop {
            match self.peek() {
                Token::Word("const" | "byte" | "int") => self.variables(&mut system.vars)?,
                Token::Word("channel") => self.channels(&mut system.channels)?,
                Token::Word("process") => {
                    let process = self.process()?;
                    system.processes.push(process);
                }
                Token::Word("system") => break,
                _ => {
                    let expected = "`const`, `byte`, `int`, `channel`, `process` or `system`";
                    return self.unexpected(expected);
                }
            }
        }
        let start = self.span();
        self.at += 1;
        if self.takes("sync") {
            let help = "only `system async;` is";
            return self.refuse(self.since(start), "synchronous systems", help);
        }
        self.expect("async")?;
        let property = self.span();
        if self.takes("property") {
            let name = self.name("the name of the property's process")?;
            let help = format!(
                "remove the process `{}` and end the file with `system async;`, to explore the system itself",
                name.text
            );
            return self.refuse(property.to(name.span), "property processes", &help);
        }
        self.expect(";")?;
        if self.peek() != Token::End {
            return self.unexpected("the end of the file");
        }
        if system.processes.is_empty() {
            self.at -= 1;
            return self.unexpected("a process before the end");
        }
        Ok(system)
    }

    fn ty(&mut self) -> Parsed<Type> {
        if self.takes("byte") {
            return Ok(Type::Byte);
        }
        if self.takes("int") {
            return Ok(Type::Int);
        }
        self.unexpected("`byte` or `int`")
    }

    fn variables(&mut self, into: &mut Vec<VarDecl>) -> Parsed<()> {
        let constant = self.takes("const");
        let ty = self.ty()?;
        let mut all = self.list(|p| {
            let name = p.name("the name of a variable")?;
            let size = p.subscript()?;
            let mut init = None;
            let start = p.span();
            if p.takes("=") {
                init = Some(if p.takes("{") {
                    let values = p.list(Self::expr)?;
                    p.expect("}")?;
                    Init::Many(values, p.since(start))
                } else {
                    Init::One(p.expr()?)
                });
            }
            Ok(VarDecl {
                constant,
                ty,
                name,
                size,
                init,
            })
        })?;
        into.append(&mut all);
        self.expect(";")
    }

    fn subscript(&mut self) -> Parsed<Option<Expr>> {
        if !self.takes("[") {
            return Ok(None);
        }
        let index = self.expr()?;
        self.expect("]")?;
        Ok(Some(index))
    }

    fn channels(&mut self, into: &mut Vec<ChannelDecl>) -> Parsed<()> {
        self.expect("channel")?;
        let mut types = None;
        if self.takes("{") {
            types = Some(self.list(Self::ty)?);
            self.expect("}")?;
        }
        let mut all = self.list(|p| {
            let name = p.name("the name of a channel")?;
            let size = p.subscript()?;
            let types = types.clone();
            Ok(ChannelDecl { name, types, size })
        })?;
        into.append(&mut all);
        self.expect(";")
    }

    fn process(&mut self) -> Parsed<Process> {
        let start = self.span();
        self.expect("process")?;
        let name = self.name("the name of the process")?;
        let mut process = Process {
            span: self.since(start),
            init: name.clone(),
            name,
            vars: Vec::new(),
            channels: Vec::new(),
            states: Vec::new(),
            commit: Vec::new(),
            asserts: Vec::new(),
            transitions: Vec::new(),
        };
        let mut init = None;
        self.expect("{")?;
        while !self.takes("}") {
            match self.peek() {
                Token::Word("const" | "byte" | "int") => self.variables(&mut process.vars)?,
                Token::Word("channel") => self.channels(&mut process.channels)?,
                Token::Word("state") => self.names(&mut process.states)?,
                Token::Word("commit") => self.names(&mut process.commit)?,
                Token::Word("accept") => self.accept()?,
                Token::Word("init") if init.is_none() => {
                    self.at += 1;
                    init = Some(self.name("the name of a state")?);
                    self.expect(";")?;
                }
                Token::Word("assert") => {
                    self.at += 1;
                    let mut all = self.list(|p| {
                        let state = p.name("the name of a state")?;
                        p.expect(":")?;
                        Ok((state, p.expr()?))
                    })?;
                    process.asserts.append(&mut all);
                    self.expect(";")?;
                }
                Token::Word("trans") => self.transitions(&mut process.transitions)?,
                _ => {
                    let expected = "a part of a process (variables, `state`, `init`, `commit`, `accept`, `assert`, \
                        `trans`), or `}`";
                    return self.unexpected(expected);
                }
            }
        }
        match init {
            Some(init) => process.init = init,
            None => {
                self.at -= 1;
                return self.unexpected("`init` with the first state, before the process ends");
            }
        }
        Ok(process)
    }

    /// Names behind a word.
    fn names(&mut self, into: &mut Vec<Name>) -> Parsed<()> {
        self.at += 1;
        into.append(&mut self.list(|p| p.name("the name of a state"))?);
        self.expect(";")
    }

    /// What is accepted belongs to properties, and is passed over.
    fn accept(&mut self) -> Parsed<()> {
        let mut open = 0;
        loop {
            self.at += 1;
            match self.peek() {
                Token::Sign("(") => open += 1,
                Token::Sign(")") => open -= 1,
                Token::Sign(";") if open <= 0 => break,
                Token::Sign("," | ";") | Token::Name => {}
                Token::Word("buchi" | "genbuchi" | "muller" | "rabin" | "streett") => {}
                _ => return self.unexpected("names of states, then `;`"),
            }
        }
        self.expect(";")
    }

    fn transitions(&mut self, into: &mut Vec<Transition>) -> Parsed<()> {
        self.expect("trans")?;
        while !self.takes(";") && !self.is("}") {
            let transition = self.transition(into.last())?;
            into.push(transition);
            self.takes(",");
        }
        Ok(())
    }

    fn transition(&mut self, before: Option<&Transition>) -> Parsed<Transition> {
        let start = self.span();
        let from = match before {
            Some(before) if self.is("->") => before.from.clone(),
            _ => self.name("a transition `a -> b { .. }`")?,
        };
        if self.takes("=>") {
            let help = "write `->` and one transition for each target to forget the probabilities";
            return self.refuse(self.since(start), "probabilistic transitions", help);
        }
        self.expect("->")?;
        let to = self.name("the name of a state")?;
        self.expect("{")?;
        let mut guards = Vec::new();
        if self.takes("guard") {
            guards = self.list(Self::expr)?;
            self.expect(";")?;
        }
        let mut sync = None;
        if self.takes("sync") {
            sync = Some(self.sync()?);
            self.expect(";")?;
        }
        let mut effects = Vec::new();
        if self.takes("effect") {
            effects = self.list(|p| {
                let place = p.place()?;
                p.expect("=")?;
                Ok((place, p.expr()?))
            })?;
            self.expect(";")?;
        }
        if !self.is("}") {
            return self.unexpected("`guard`, `sync` and `effect` in this order, then `}`");
        }
        self.at += 1;
        Ok(Transition {
            from,
            to,
            guards,
            sync,
            effects,
            span: self.since(start),
        })
    }

    fn sync(&mut self) -> Parsed<Sync> {
        let start = self.span();
        let channel = self.name("the name of a channel")?;
        let passed = if self.takes("!") {
            Passed::Sent(self.passed(Self::expr)?)
        } else if self.takes("?") {
            Passed::Received(self.passed(Self::place)?)
        } else {
            return self.unexpected("`!` to send or `?` to receive");
        };
        Ok(Sync {
            channel,
            passed,
            span: self.since(start),
        })
    }

    fn passed<T>(&mut self, one: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        if self.is(";") {
            return Ok(Vec::new());
        }
        if !self.takes("{") {
            return Ok(vec![one(self)?]);
        }
        let all = self.list(one)?;
        self.expect("}")?;
        Ok(all)
    }

    // ---- expressions ----

    fn place(&mut self) -> Parsed<Place> {
        let start = self.span();
        let name = self.name("a variable")?;
        self.rest_of_place(start, name)
    }

    fn rest_of_place(&mut self, start: Span, first: Name) -> Parsed<Place> {
        let (process, name) = if self.takes("->") {
            let name = self.name("a variable of that process")?;
            (Some(first), name)
        } else {
            (None, first)
        };
        let index = self.level(Self::subscript)?.map(Box::new);
        Ok(Place {
            process,
            name,
            index,
            span: self.since(start),
        })
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.level(|p| p.binary(0))
    }

    /// Operators of a level and all that bind more strongly.
    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        const TIGHTEST: usize = 7;
        if level > TIGHTEST {
            return self.unary();
        }
        let start = self.span();
        let mut left = self.binary(level + 1)?;
        let mut before: Option<Binary> = None;
        let mut grown = 0;
        while let Some(op) = self.operator().filter(|op| op.level() == level) {
            let sign = self.span();
            self.at += 1;
            if before.is_some_and(|b| mixes(b, op)) {
                self.warnings.push(Diagnostic::warning(
                    PRECEDENCE,
                    sign,
                    "this is applied to all that stands before it",
                    "parentheses that say what is meant",
                    "in DVE these operators bind equally strongly, in C they do not; write parentheses",
                ));
            }
            before = Some(op);
            // The tree grows at its left side.
            self.deeper(1)?;
            grown += 1;
            let right = self.binary(level + 1)?;
            left = Expr {
                kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
                span: self.since(start),
            };
        }
        self.left += grown;
        Ok(left)
    }

    fn operator(&self) -> Option<Binary> {
        use Binary::*;
        let (Token::Sign(sign) | Token::Word(sign)) = self.peek() else {
            return None;
        };
        Some(match sign {
            "imply" => Imply,
            "or" | "||" => Or,
            "and" | "&&" => And,
            "|" => BitOr,
            "&" => BitAnd,
            "^" => BitXor,
            "==" => Eq,
            "!=" => Ne,
            "<" => Lt,
            "<=" => Le,
            ">=" => Ge,
            ">" => Gt,
            "<<" => Shl,
            ">>" => Shr,
            "-" => Sub,
            "+" => Add,
            "*" => Mul,
            "/" => Div,
            "%" => Rem,
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let op = match self.peek() {
            Token::Word("not") | Token::Sign("!") => Unary::Not,
            Token::Sign("-") => Unary::Neg,
            Token::Sign("~") => Unary::Complement,
            _ => return self.primary(),
        };
        self.at += 1;
        let inner = self.level(Self::unary)?;
        Ok(Expr {
            kind: ExprKind::Unary(op, Box::new(inner)),
            span: self.since(start),
        })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Number(value) => {
                self.at += 1;
                ExprKind::Number(value)
            }
            Token::Word(word @ ("true" | "false")) => {
                self.at += 1;
                ExprKind::Number(i64::from(word == "true"))
            }
            Token::Sign("(") => {
                self.at += 1;
                let mut inner = self.expr()?;
                self.expect(")")?;
                inner.span = self.since(start);
                return Ok(inner);
            }
            Token::Name => {
                let name = self.name("a name")?;
                if self.takes(".") {
                    let state = self.name("the name of a state")?;
                    ExprKind::At(name, state)
                } else {
                    ExprKind::Place(self.rest_of_place(start, name)?)
                }
            }
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr {
            kind,
            span: self.since(start),
        })
    }
}

/// Whether C would read `.. before .. op ..` otherwise: there the second binds more strongly.
fn mixes(before: Binary, op: Binary) -> bool {
    use Binary::*;
    matches!(
        (before, op),
        (Or, And) | (BitOr, BitAnd | BitXor) | (BitXor, BitAnd)
    )
}
