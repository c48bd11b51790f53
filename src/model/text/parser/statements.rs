//! Blocks and statements.

use super::super::ast::{Block, BlockMover, Claimed, Expr, Name, Stmt, StmtKind};
use super::super::codes;
use super::super::lexer::{Sign, TokenKind, Word};
use super::strays::Misspelt;
use super::variables::Scope;
use super::{Parsed, Parser, Reported, begins_declaration};
use crate::base::diagnostic::{Diagnostic, Span};

/// Whether labels may stand alone, before the end of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LabelsAlone {
    Allowed,
    Forbidden,
}

impl Parser<'_> {
    /// `{ .. }`; `owner` says whose block is missing if there is none.
    pub(super) fn block(&mut self, owner: &str) -> Parsed<Block> {
        let open = self.opening(owner)?;
        Ok(self.statements(open))
    }

    /// `transaction NAME left { observe x, ..; hide x, ..; .. }`
    fn transaction(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let name = self.name("a name for the transaction", "write `transaction t { .. }`")?;
        let mut claimed = Claimed::named(name);
        claimed.mover = self.block_mover()?;
        let open = self.opening("`transaction`")?;
        while self.peek() == TokenKind::Name && self.token(1).kind == TokenKind::Name {
            let names = match self.text(self.span()) {
                "observe" => &mut claimed.observed,
                "hide" => &mut claimed.hidden,
                _ => break,
            };
            let start = self.span();
            self.bump();
            loop {
                names.push(self.name("a variable", "write `observe x;` or `hide x;`")?);
                if !self.eat(Sign::Comma) {
                    break;
                }
            }
            self.expect(Sign::Semicolon, "end it with `;`")?;
            let clause = self.since(start);
            claimed.said = Some(claimed.said.map_or(clause, |said| said.to(clause)));
        }
        Ok(StmtKind::Transaction(claimed, self.statements(open)))
    }

    /// `left`, `right`, `both` or `atomic`, if something stands between a transaction's name and its block.
    fn block_mover(&mut self) -> Parsed<Option<(BlockMover, Span)>> {
        if !matches!(self.peek(), TokenKind::Name | TokenKind::Word(_)) {
            return Ok(None);
        }
        let span = self.span();
        let word = self.text(span);
        let Some(said) = BlockMover::ALL.into_iter().find(|m| m.word() == word) else {
            let message = format!("expected `{{`, found {}", self.found());
            return Err(self.error(
                codes::MISSING_BLOCK,
                span,
                message,
                "`{`, or `left`, `right`, `both` or `atomic` before it",
                "write `transaction t { .. }`, or `transaction t left { .. }`",
            ));
        };
        self.bump();
        Ok(Some((said, span)))
    }

    /// `{`
    fn opening(&mut self, owner: &str) -> Parsed<Span> {
        let open = self.span();
        if !self.eat(Sign::OpenBrace) {
            let message = format!("expected `{{`, found {}", self.found());
            return Err(self.error(
                codes::MISSING_BLOCK,
                open,
                message,
                "`{`",
                format!("put the statements of {owner} in braces: `{{ .. }}`"),
            ));
        }
        Ok(open)
    }

    /// `.. }`, behind the brace `open`
    pub(super) fn statements(&mut self, open: Span) -> Block {
        let mut stmts = Vec::new();
        loop {
            match self.peek() {
                TokenKind::Sign(Sign::CloseBrace) => {
                    self.bump();
                    break;
                }
                TokenKind::End => {
                    self.unclosed_block(open);
                    break;
                }
                _ if let Some(word) = self.declares() => {
                    self.misplaced_declaration(word);
                    // Braces that balance say that the declaration is really meant to stand here;
                    // others, that this block should have been closed before.
                    if !self.balanced {
                        break;
                    }
                    if self.level(Self::declaration).is_err() {
                        self.recover_statement();
                    }
                }
                _ => self.statement_or_recover(&mut stmts),
            }
        }
        Block {
            stmts,
            span: self.since(open),
        }
    }

    fn statement_or_recover(&mut self, stmts: &mut Vec<Stmt>) {
        let before = self.pos;
        match self.level(|p| p.statement(LabelsAlone::Allowed)) {
            Ok(stmt) => stmts.push(stmt),
            Err(Reported) => {
                self.recover_statement();
                if self.pos == before {
                    self.bump();
                }
            }
        }
    }

    pub(super) fn unclosed_block(&mut self, open: Span) {
        // Which of several open blocks lacks its brace can't be known; one complaint is enough.
        if !self.unclosed && !self.abandoned {
            self.findings.push(Diagnostic::error(
                codes::UNCLOSED_BLOCK,
                open,
                "this `{` is never closed",
                "`}` before the end of the file",
                "close the block with `}`",
            ));
        }
        self.unclosed = true;
        self.failed = true;
    }

    /// The word of a declaration that can't stand in a block, if it is at hand.
    fn declares(&self) -> Option<&'static str> {
        match self.peek() {
            TokenKind::Word(word) if begins_declaration(word) && word != Word::Var => {
                (!self.word_as_name()).then_some(word.text())
            }
            TokenKind::Name if self.token(1).kind != TokenKind::Sign(Sign::OpenParen) => {
                self.surely_contextual()
            }
            _ => None,
        }
    }

    fn misplaced_declaration(&mut self, word: &str) {
        let help = if self.balanced {
            "move it out of the thread".to_string()
        } else {
            "close the thread before it with `}`".to_string()
        };
        self.error(
            codes::MISPLACED_DECLARATION,
            self.span(),
            format!("`{word}` inside a thread"),
            "a statement or `}`",
            help,
        );
    }

    /// The body of a control statement: a block, or one statement.
    pub(super) fn body(&mut self, owner: &str) -> Parsed<Block> {
        match self.peek() {
            TokenKind::Sign(Sign::OpenBrace) => self.block(owner),
            TokenKind::Sign(Sign::Semicolon) => {
                let span = self.span();
                self.error(
                    codes::MISSING_BLOCK,
                    span,
                    format!("{owner} has no body"),
                    "a block or a statement",
                    "write `{ .. }` in place of the `;`, or `skip;` for a step that does nothing",
                );
                self.bump();
                Ok(Block {
                    stmts: Vec::new(),
                    span,
                })
            }
            _ => {
                let stmt = self.level(|p| p.statement(LabelsAlone::Forbidden))?;
                let span = stmt
                    .labels
                    .first()
                    .map_or(stmt.span, |l| l.span.to(stmt.span));
                Ok(Block {
                    stmts: vec![stmt],
                    span,
                })
            }
        }
    }

    fn statement(&mut self, alone: LabelsAlone) -> Parsed<Stmt> {
        let labels = self.labels()?;
        let start = self.span();
        let at_end = matches!(
            self.peek(),
            TokenKind::Sign(Sign::CloseBrace) | TokenKind::End
        );
        let Some(label) = labels.last().filter(|_| at_end) else {
            let kind = self.unlabelled()?;
            return Ok(Stmt {
                labels,
                kind,
                span: self.since(start),
            });
        };
        if alone == LabelsAlone::Forbidden {
            return Err(self.error(
                codes::LABEL_ALONE,
                label.span,
                "this label stands before no statement",
                "a statement",
                "put a statement behind it, such as `skip;`, or use a block: `{ L: }`",
            ));
        }
        Ok(Stmt {
            labels,
            kind: StmtKind::Empty,
            span: Span::new(start.start, start.start),
        })
    }

    /// `A: B:`, any number within the depth limit
    fn labels(&mut self) -> Parsed<Vec<Name>> {
        let mut labels = Vec::new();
        while matches!(self.peek(), TokenKind::Name | TokenKind::Word(_))
            && self.token(1).kind == TokenKind::Sign(Sign::Colon)
            && !self.colon_assigns()
        {
            labels.push(self.name("a label", "write `L: x = 1;`")?);
            self.bump();
            if labels.len() > self.limits.depth {
                return Err(self.too_deep());
            }
        }
        Ok(labels)
    }

    /// Whether `:=` stands behind the token at hand.
    fn colon_assigns(&self) -> bool {
        let (colon, next) = (self.token(1), self.token(2));
        next.kind == TokenKind::Sign(Sign::Assign) && colon.span.end == next.span.start
    }

    fn unlabelled(&mut self) -> Parsed<StmtKind> {
        let word = match self.peek() {
            _ if self.word_as_name() => return self.assignment(),
            TokenKind::Word(word) => word,
            TokenKind::Name if self.begins_call() => return self.call(),
            TokenKind::Name if self.begins_choice() => return self.choice(),
            TokenKind::Name => match self.misspelt_statement()? {
                Misspelt::Word(word) => word,
                Misspelt::Nothing => return self.assignment(),
                Misspelt::Read => return Ok(StmtKind::Skip),
            },
            _ => return self.no_statement(),
        };
        match word {
            Word::If => self.conditional_statement(),
            Word::While => {
                self.bump();
                let condition = self.condition("while (c) { .. }")?;
                Ok(StmtKind::While(condition, self.body("`while`")?))
            }
            Word::For => self.for_loop(),
            Word::Either => self.either(),
            Word::When => self.when(),
            Word::Atomic => {
                self.bump();
                Ok(StmtKind::Atomic(self.block("`atomic`")?))
            }
            Word::Transaction => self.transaction(),
            Word::Var => {
                let start = self.bump().span;
                self.variable(start, Scope::Local).map(StmtKind::Local)
            }
            Word::Havoc => {
                self.bump();
                let place = self.place()?;
                self.semicolon("the statement")?;
                Ok(StmtKind::Havoc(place))
            }
            Word::Skip => {
                self.bump();
                self.semicolon("`skip`")?;
                Ok(StmtKind::Skip)
            }
            Word::Return => {
                self.bump();
                let value = match self.at(Sign::Semicolon) || self.at(Sign::CloseBrace) {
                    true => None,
                    false => Some(self.expr()?),
                };
                self.no_assignment()?;
                self.semicolon("the statement")?;
                Ok(StmtKind::Return(value))
            }
            Word::Goto => {
                self.bump();
                let label =
                    self.name("a label", "write `goto L;`, with `L:` before a statement")?;
                self.semicolon("the statement")?;
                Ok(StmtKind::Goto(label))
            }
            Word::Lock => self.in_parentheses("lock(m);", Self::place, StmtKind::Lock),
            Word::Unlock => self.in_parentheses("unlock(m);", Self::place, StmtKind::Unlock),
            Word::Assert => self.in_parentheses("assert(e);", Self::expr, StmtKind::Assert),
            Word::Assume => self.in_parentheses("assume(e);", Self::expr, StmtKind::Assume),
            _ => self.no_statement(),
        }
    }

    /// Whether a reserved word stands where a variable or label was meant.
    fn word_as_name(&self) -> bool {
        matches!(self.peek(), TokenKind::Word(_))
            && matches!(
                self.token(1).kind,
                TokenKind::Sign(Sign::Assign | Sign::OpenBracket | Sign::Colon)
            )
    }

    /// `lock(m);` and its like, which `form` shows.
    fn in_parentheses<T>(
        &mut self,
        form: &str,
        item: impl Fn(&mut Self) -> Parsed<T>,
        make: impl Fn(T) -> StmtKind,
    ) -> Parsed<StmtKind> {
        self.bump();
        let item = self.parenthesised(form, item)?;
        self.semicolon("the statement")?;
        Ok(make(item))
    }

    /// `( item )`. Forgotten parentheses are reported, and the item read without them.
    fn parenthesised<T>(&mut self, form: &str, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let help = format!("write `{form}`");
        let open = self.eat(Sign::OpenParen);
        if !open {
            self.unexpected("`(`", &*help);
        }
        let item = item(self)?;
        self.no_assignment()?;
        if open {
            self.expect(Sign::CloseParen, &help)?;
        } else {
            self.eat(Sign::CloseParen);
        }
        Ok(item)
    }

    /// `(c)`. A condition that goes on behind its parenthesis is reported and read to its end.
    fn condition(&mut self, form: &str) -> Parsed<Expr> {
        let condition = self.parenthesised(form, Self::expr)?;
        if self.at_operator() {
            self.error(
                codes::UNEXPECTED,
                self.span(),
                "the condition goes on behind its parenthesis",
                "a statement or `{`",
                "put one more pair of parentheses around the whole condition",
            );
            self.skip_operator();
            self.expr()?;
            self.eat(Sign::CloseParen);
        }
        Ok(condition)
    }

    fn conditional_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let condition = self.condition("if (c) { .. }")?;
        let yes = self.body("`if`")?;
        let no = match self.eat_word(Word::Else) {
            true => Some(self.body("`else`")?),
            false => None,
        };
        Ok(StmtKind::If(condition, yes, no))
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        const HELP: &str = "write `for (k in 0..2) { .. }`; the bounds are constants";
        self.bump();
        self.expect(Sign::OpenParen, HELP)?;
        if self.token(1).kind == TokenKind::Word(Word::In) {
            let (name, lo, hi) = self.binding(HELP)?;
            return Ok(StmtKind::For(name, lo, hi, self.body("`for`")?));
        }
        self.error(
            codes::FOREIGN_FOR,
            self.span(),
            "a `for` of this form does not exist",
            "`k in lo..hi`",
            HELP,
        );
        self.skip_parenthesis();
        // Stands in for the loop, so that its body is read.
        Ok(StmtKind::Atomic(self.body("`for`")?))
    }

    /// Whether `choose v` is at hand. The word is not reserved; no other statement begins with two names.
    fn begins_choice(&self) -> bool {
        self.text(self.span()) == "choose" && self.token(1).kind == TokenKind::Name
    }

    /// `choose v in lo..hi where e;`
    fn choice(&mut self) -> Parsed<StmtKind> {
        const HELP: &str =
            "write `choose v in 0..2 where v != x;`; `v` is a variable without an index";
        self.bump();
        let name = self.name("a variable", HELP)?;
        if !self.eat_word(Word::In) {
            return Err(self.unexpected("`in`", HELP));
        }
        let lo = self.expr()?;
        self.expect(Sign::DotDot, HELP)?;
        let hi = self.expr()?;
        let such = match self.peek() == TokenKind::Name && self.text(self.span()) == "where" {
            true => {
                self.bump();
                Some(self.expr()?)
            }
            false => None,
        };
        self.semicolon("the statement")?;
        Ok(StmtKind::Choose(name, lo, hi, such))
    }

    fn either(&mut self) -> Parsed<StmtKind> {
        let start = self.bump().span;
        let mut branches = vec![self.block("`either`")?];
        while self.eat_word(Word::Or) {
            branches.push(self.block("`or`")?);
        }
        if branches.len() == 1 {
            self.error(
                codes::EITHER_WITHOUT_OR,
                start,
                "`either` has only one branch",
                "`or`",
                "add a branch: `either { .. } or { .. }`",
            );
        }
        Ok(StmtKind::Either(branches))
    }

    fn when(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let guard = self.condition("when (g) x = 1;")?;
        if self.at(Sign::OpenBrace) {
            self.error(
                codes::WHEN_BLOCK,
                self.span(),
                "`when` guards one action, not a block",
                "an action",
                "write `when (g) atomic { .. }` for one step, or guard only the first statement",
            );
            let span = self.span();
            self.bump();
            let block = self.level(|p| Ok(p.statements(span)))?;
            let action = Stmt {
                labels: Vec::new(),
                kind: StmtKind::Atomic(block),
                span: self.since(span),
            };
            return Ok(StmtKind::When(guard, Box::new(action)));
        }
        let action = self.level(|p| p.statement(LabelsAlone::Forbidden))?;
        Ok(StmtKind::When(guard, Box::new(action)))
    }
}
