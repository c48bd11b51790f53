//! A model's text in the usual layout: the same tokens and comments in the same order, with other blanks.
//!
//! Where lines end is the author's choice, as with gofmt; so a short block may stand on one line. Lines are broken
//! between declarations, in blocks that are broken somewhere, and between statements of lines that are too long.
//! Empty lines are kept, one at a time. A comment behind a statement keeps its column.

use super::lexer::{self, Sign, TokenKind, Word};
use super::parser::parse_model;
use crate::base::control::ParseLimits;
use crate::base::diagnostic::{Diagnostic, Severity};

/// A longer line is broken between statements, if it has several.
const WIDTH: usize = 100;

/// How far a comment may be moved right to stay in its column.
const MOVED: usize = 40;

/// A model's text in the usual layout. Applied again it changes nothing.
///
/// # Errors
/// The diagnostics of a text that can't be parsed.
pub fn format_model(source: &str, limits: ParseLimits) -> Result<String, Vec<Diagnostic>> {
    let (_, diagnostics) = parse_model(source, limits);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(diagnostics);
    }
    let source = source.replace("\r\n", "\n");
    let mut layout = Layout::new(&source);
    layout.statements();
    layout.ranges();
    layout.required_breaks();
    loop {
        let (text, long) = layout.write();
        let split = long.into_iter().filter(|line| layout.split(*line)).count();
        if split == 0 {
            return Ok(text);
        }
        layout.broken_blocks();
    }
}

/// The column behind a text that begins in a column.
fn column_behind(text: &str, column: usize) -> usize {
    match text.rfind('\n') {
        Some(n) => text[n + 1..].chars().count(),
        None => column + text.chars().count(),
    }
}

/// What a brace encloses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brace {
    /// Statements, fields, or the values of a declared enum.
    Block,
    /// Names or places, inside a declaration.
    Set,
}

/// A token or a comment.
struct Piece<'s> {
    text: &'s str,
    /// `None` for a comment.
    kind: Option<TokenKind>,
    /// Line breaks before it: none, one, or two for an empty line.
    breaks: usize,
    /// Where it stood in its line, if that may have been to align it: behind several blanks.
    column: Option<usize>,
    /// The token before it; comments are passed over.
    before: Option<usize>,
    /// The bracket around it.
    around: Option<usize>,
    /// Of a bracket, the other one.
    partner: usize,
    brace: Option<Brace>,
    /// Whether a declaration, a statement or a field begins here.
    starts: bool,
    /// Whether an operator has one operand, behind it.
    prefix: bool,
    /// Whether a colon belongs to a condition `c ? a : b`.
    of_condition: bool,
    /// Whether it stands in a bound of a range: `0..N-1`.
    in_range: bool,
}

impl Piece<'_> {
    fn is(&self, sign: Sign) -> bool {
        self.kind == Some(TokenKind::Sign(sign))
    }

    fn is_word(&self, word: Word) -> bool {
        self.kind == Some(TokenKind::Word(word))
    }

    fn is_line_comment(&self) -> bool {
        self.kind.is_none() && self.text.starts_with("//")
    }

    fn is_block(&self, sign: Sign) -> bool {
        self.is(sign) && self.brace == Some(Brace::Block)
    }

    /// `else` or `or`: the statement before goes on.
    fn goes_on(&self) -> bool {
        self.is_word(Word::Else) || self.is_word(Word::Or)
    }
}

/// The pieces of a text, and where its lines are going to end.
struct Layout<'s> {
    pieces: Vec<Piece<'s>>,
}

impl<'s> Layout<'s> {
    fn new(source: &'s str) -> Self {
        let (tokens, _) = lexer::lex(source);
        let tokens = tokens.into_iter().filter(|t| t.kind != TokenKind::End);
        let comments = lexer::comments(source).into_iter();
        let mut all: Vec<_> = tokens
            .map(|t| (t.span, Some(t.kind)))
            .chain(comments.map(|span| (span, None)))
            .collect();
        all.sort_by_key(|(span, _)| *span);
        let (mut end, mut column, mut before) = (0, 0, None);
        let mut pieces = Vec::with_capacity(all.len());
        for (span, kind) in all {
            let blank = &source[end..span.start];
            let text = &source[span.start..span.end];
            column = column_behind(blank, column);
            pieces.push(Piece {
                text: text.trim_end(),
                kind,
                breaks: blank.matches('\n').take(2).count(),
                column: (blank.chars().count() > 1).then_some(column),
                before,
                around: None,
                partner: 0,
                brace: None,
                starts: false,
                prefix: false,
                of_condition: false,
                in_range: false,
            });
            column = column_behind(text, column);
            end = span.end;
            before = kind.map(|_| pieces.len() - 1).or(before);
        }
        Layout { pieces }
    }

    /// Finds brackets, beginnings of statements, and what operators are.
    fn statements(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        let mut conditions: Vec<usize> = vec![0];
        for at in 0..self.pieces.len() {
            self.pieces[at].around = open.last().copied();
            let before = self.pieces[at].before;
            self.pieces[at].starts = self.starts(at, before);
            let Some(TokenKind::Sign(sign)) = self.pieces[at].kind else {
                continue;
            };
            match sign {
                Sign::OpenBrace | Sign::OpenBracket | Sign::OpenParen => {
                    if sign == Sign::OpenBrace {
                        self.pieces[at].brace = Some(self.brace(before));
                    }
                    open.push(at);
                    conditions.push(0);
                }
                Sign::CloseBrace | Sign::CloseBracket | Sign::CloseParen => {
                    conditions.pop();
                    if let Some(other) = open.pop() {
                        self.pieces[at].brace = self.pieces[other].brace;
                        self.pieces[at].around = self.pieces[other].around;
                        self.pieces[at].partner = other;
                        self.pieces[other].partner = at;
                    }
                }
                Sign::Question => conditions.last_mut().into_iter().for_each(|n| *n += 1),
                Sign::Colon => {
                    if let Some(n) = conditions.last_mut().filter(|n| **n > 0) {
                        *n -= 1;
                        self.pieces[at].of_condition = true;
                    }
                }
                Sign::Minus | Sign::And => {
                    self.pieces[at].prefix = !before.is_some_and(|b| self.ends_operand(b));
                }
                Sign::Not | Sign::Tilde => self.pieces[at].prefix = true,
                _ => {}
            }
        }
    }

    /// Finds the operators in bounds of ranges, as far as they stand in no brackets there.
    fn ranges(&mut self) {
        for dots in 0..self.pieces.len() {
            if !self.pieces[dots].is(Sign::DotDot) {
                continue;
            }
            let around = self.pieces[dots].around;
            let bound = |at: &usize| {
                let piece = &self.pieces[*at];
                match piece.around == around {
                    true => piece.is_arithmetic() || piece.is_opening() || self.ends_operand(*at),
                    // The bracket around it ends it.
                    false => around != Some(piece.partner) && around != Some(*at),
                }
            };
            let after: Vec<usize> = (dots + 1..self.pieces.len()).take_while(bound).collect();
            let before = (0..dots).rev().take_while(bound);
            for at in before.chain(after).collect::<Vec<_>>() {
                let piece = &mut self.pieces[at];
                piece.in_range = piece.around == around && piece.is_arithmetic() && !piece.prefix;
            }
        }
    }

    fn brace(&self, before: Option<usize>) -> Brace {
        let before = before.map(|b| &self.pieces[b]);
        let set = |b: &Piece| b.is(Sign::Colon) || b.is_word(Word::By) || b.is_word(Word::Enum);
        match before.is_some_and(set) {
            true => Brace::Set,
            false => Brace::Block,
        }
    }

    fn starts(&self, at: usize, before: Option<usize>) -> bool {
        let piece = &self.pieces[at];
        let Some(before) = before else {
            return true;
        };
        let b = &self.pieces[before];
        let ends = (b.is(Sign::Semicolon) && b.around == piece.around)
            || b.is_block(Sign::OpenBrace)
            || b.is_block(Sign::CloseBrace)
            || self.is_label(before);
        ends && !piece.goes_on() && !piece.is(Sign::Semicolon) && !piece.is(Sign::CloseBrace)
    }

    /// Whether this is the colon of a label (or of a field).
    fn is_label(&self, at: usize) -> bool {
        let piece = &self.pieces[at];
        let in_block = piece
            .around
            .is_some_and(|o| self.pieces[o].is_block(Sign::OpenBrace));
        in_block
            && piece.is(Sign::Colon)
            && !piece.of_condition
            && self.pieces[at]
                .before
                .is_some_and(|name| self.pieces[name].starts)
    }

    /// Whether an operand may end here, so that a sign behind it is between two.
    fn ends_operand(&self, at: usize) -> bool {
        match self.pieces[at].kind {
            Some(TokenKind::Name) => !self.is_where(at),
            Some(TokenKind::Number) => true,
            Some(TokenKind::Sign(sign)) => matches!(sign, Sign::CloseParen | Sign::CloseBracket),
            Some(TokenKind::Word(word)) => matches!(
                word,
                Word::SelfThread | Word::NoThread | Word::True | Word::False | Word::Null
            ),
            _ => false,
        }
    }

    /// Whether this is the word in `choose v in 0..3 where e`. (A name never follows an operand.)
    fn is_where(&self, at: usize) -> bool {
        self.pieces[at].text == "where"
            && self.pieces[at].before.is_some_and(|b| {
                self.pieces[b].text != "proc" && !self.pieces[b].starts && self.ends_operand(b)
            })
    }

    /// Line breaks that have to be, and those that must not.
    fn required_breaks(&mut self) {
        for at in 0..self.pieces.len() {
            let behind_comment = at > 0 && self.pieces[at - 1].is_line_comment();
            let behind_brace = at > 0 && self.pieces[at - 1].is_block(Sign::OpenBrace);
            let piece = &self.pieces[at];
            let joined =
                piece.is(Sign::OpenBrace) || piece.is(Sign::Semicolon) || piece.is(Sign::Comma);
            let in_block = match piece.around {
                Some(open) => self.pieces[open].is_block(Sign::OpenBrace),
                None => true,
            };
            let most = match (at, joined) {
                (0, _) | (_, true) => 0,
                _ if behind_brace || piece.is(Sign::CloseBrace) || !in_block => 1,
                _ => 2,
            };
            let declares = piece.around.is_none() && piece.starts && piece.kind.is_some();
            let least = usize::from(at > 0 && (behind_comment || declares));
            self.pieces[at].breaks = piece.breaks.min(most).max(least);
        }
        self.broken_blocks();
    }

    /// Where the statement begins that has this brace; its labels belong to it.
    fn beginning(&self, open: usize) -> usize {
        let around = self.pieces[open].around;
        let mut at = open;
        loop {
            let piece = &self.pieces[at];
            let labelled = piece.before.is_some_and(|b| self.is_label(b));
            if at == 0 || (piece.starts && piece.around == around && !labelled) {
                return at;
            }
            at -= 1;
        }
    }

    /// A block that is broken somewhere is so behind `{` and before `}`, and its statement begins a line. Behind it,
    /// `else` and `or` stand on the line of its brace, and other statements on a line of their own.
    fn broken_blocks(&mut self) {
        for close in 0..self.pieces.len() {
            if !self.pieces[close].is_block(Sign::CloseBrace) {
                continue;
            }
            let open = self.pieces[close].partner;
            if self.pieces[open + 1..=close].iter().all(|p| p.breaks == 0) {
                continue;
            }
            // A comment behind the brace stays there.
            let first = open + 1;
            if self.pieces[first].kind.is_some() {
                self.pieces[first].breaks = self.pieces[first].breaks.max(1);
            }
            self.pieces[close].breaks = 1;
            let begins = self.beginning(open);
            // Comments before it belong to it.
            if begins > 0 && self.pieces[begins - 1].kind.is_some() {
                self.pieces[begins].breaks = self.pieces[begins].breaks.max(1);
            }
            match self.pieces.get_mut(close + 1) {
                Some(next) if next.goes_on() => next.breaks = 0,
                Some(next) if next.starts && next.kind.is_some() => {
                    next.breaks = next.breaks.max(1);
                }
                _ => {}
            }
        }
    }

    /// Breaks the line that begins with a piece: the blocks in it that have something inside, or else between its
    /// statements. Whether there was anything to break.
    fn split(&mut self, first: usize) -> bool {
        let rest = self.pieces[first + 1..].iter();
        let end = first + 1 + rest.take_while(|p| p.breaks == 0).count();
        let mut inside = Vec::new();
        let mut at = first;
        while at < end {
            let close = self.pieces[at].partner;
            let block = self.pieces[at].is_block(Sign::OpenBrace);
            if block && close < end && close > at + 1 {
                inside.push((Some(at), at + 1..close));
                at = close;
            }
            at += 1;
        }
        if inside.is_empty() {
            inside.push((self.pieces[first].around, first + 1..end));
        }
        let mut any = false;
        for (around, range) in inside {
            for at in range {
                let piece = &self.pieces[at];
                // Labels stay where their statements are.
                let labelled = piece.before.is_some_and(|b| self.is_label(b));
                let own = piece.starts && piece.kind.is_some() && piece.around == around;
                if own && !labelled && piece.breaks == 0 {
                    self.pieces[at].breaks = 1;
                    any = true;
                }
            }
        }
        any
    }

    /// The text, and the pieces with which lines begin that are too long.
    fn write(&self) -> (String, Vec<usize>) {
        let mut text = String::new();
        let mut long = Vec::new();
        // Columns of the lines in which brackets were opened, by bracket; of the line, and of the statement at hand.
        let mut opened = vec![0; self.pieces.len()];
        let (mut line, mut statement) = (0, 0);
        let (mut begun, mut length) = (0, 0);
        for (at, piece) in self.pieces.iter().enumerate() {
            if piece.breaks > 0 || at == 0 {
                if length > WIDTH {
                    long.push(begun);
                }
                let inside = piece.around.map_or(0, |open| opened[open] + 4);
                line = match (piece.is_closing(), self.continues(at)) {
                    (true, _) => opened[piece.partner],
                    (false, true) => inside + 4,
                    (false, false) => inside,
                };
                if !self.continues(at) && !piece.is_closing() && self.in_block(at) {
                    statement = line;
                }
                (0..piece.breaks).for_each(|_| text.push('\n'));
                (0..line).for_each(|_| text.push(' '));
                (begun, length) = (at, line);
            } else {
                let gap = self.gap(at, length);
                (0..gap).for_each(|_| text.push(' '));
                length += gap;
            }
            if piece.is_opening() {
                opened[at] = match piece.brace {
                    Some(Brace::Block) => statement,
                    _ => line,
                };
            } else if piece.is_block(Sign::CloseBrace) {
                statement = opened[piece.partner];
            }
            text.push_str(piece.text);
            length = column_behind(piece.text, length);
        }
        if length > WIDTH {
            long.push(begun);
        }
        if !text.is_empty() {
            text.push('\n');
        }
        (text, long)
    }

    fn in_block(&self, at: usize) -> bool {
        let around = self.pieces[at].around;
        around.is_none_or(|open| self.pieces[open].is_block(Sign::OpenBrace))
    }

    /// Whether a line that begins here goes on with a statement, outside of brackets.
    fn continues(&self, at: usize) -> bool {
        let piece = &self.pieces[at];
        let begins = piece.starts || piece.goes_on() || piece.is_block(Sign::OpenBrace);
        // A comment before the end of a block, or of a line of its own.
        let comment = || {
            self.pieces[at]
                .before
                .is_none_or(|b| self.pieces[b].is(Sign::Semicolon))
        };
        self.in_block(at) && !begins && !(piece.kind.is_none() && comment())
    }

    /// Spaces between a piece and the one before it on its line, which has this length.
    fn gap(&self, at: usize, length: usize) -> usize {
        let piece = &self.pieces[at];
        let last = self.pieces.get(at + 1).is_none_or(|next| next.breaks > 0);
        if piece.kind.is_none() && last {
            let moved = piece.column.map(|column| column.saturating_sub(length));
            return moved.filter(|m| *m <= MOVED).unwrap_or(1).max(1);
        }
        usize::from(self.apart(at))
    }

    /// Whether a space stands between a piece and the one before it.
    fn apart(&self, at: usize) -> bool {
        let (before, here) = (&self.pieces[at - 1], &self.pieces[at]);
        if (before.in_range && here.kind.is_some()) || (here.in_range && before.kind.is_some()) {
            return false;
        }
        let Some(TokenKind::Sign(sign)) = here.kind else {
            return self.apart_behind(before, here);
        };
        match sign {
            Sign::Semicolon | Sign::Comma | Sign::CloseParen | Sign::CloseBracket => false,
            Sign::Dot | Sign::DotDot if before.kind.is_some() => false,
            // Behind an operand it is an index.
            Sign::OpenBracket if self.ends_operand(at - 1) => false,
            Sign::Colon => here.of_condition,
            Sign::CloseBrace => here.brace == Some(Brace::Block),
            Sign::OpenParen => match before.kind {
                Some(TokenKind::Name) => self.is_where(at - 1),
                Some(TokenKind::Word(word)) => !matches!(
                    word,
                    Word::Lock | Word::Unlock | Word::Assert | Word::Assume | Word::At
                ),
                _ => self.apart_behind(before, here),
            },
            _ => self.apart_behind(before, here),
        }
    }

    fn apart_behind(&self, before: &Piece, here: &Piece) -> bool {
        match before.kind {
            Some(TokenKind::Sign(sign)) => match sign {
                Sign::OpenParen | Sign::OpenBracket | Sign::Dot | Sign::DotDot => false,
                Sign::OpenBrace => before.brace == Some(Brace::Block) || here.kind.is_none(),
                _ => !before.prefix,
            },
            _ => true,
        }
    }
}

impl Piece<'_> {
    fn is_opening(&self) -> bool {
        self.is(Sign::OpenBrace) || self.is(Sign::OpenBracket) || self.is(Sign::OpenParen)
    }

    /// Whether this is `+`, `-`, `*`, `/` or `%`.
    fn is_arithmetic(&self) -> bool {
        [
            Sign::Plus,
            Sign::Minus,
            Sign::Star,
            Sign::Slash,
            Sign::Percent,
        ]
        .iter()
        .any(|s| self.is(*s))
    }

    fn is_closing(&self) -> bool {
        self.is(Sign::CloseBrace) || self.is(Sign::CloseBracket) || self.is(Sign::CloseParen)
    }
}
