//! Text to tokens, in one linear pass that never fails.
//!
//! One nom combinator, [`lexeme`], recognises whatever stands at the front of the text: a blank, a
//! comment, a word, a number, a sign, or a run of characters that begin none of these (noise).
//! Every text starts with one of them, so the pass always reaches the end. Noise stays in the token
//! stream: it is reported here, and the parser passes over it without a second complaint.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_until, take_while, take_while1};
use nom::character::complete::{anychar, char, digit1, multispace1};
use nom::combinator::{map_opt, opt, recognize, rest, value};
use nom::{IResult, Parser};

use super::codes;
use super::findings::Findings;
use super::mistakes::{self, shorten};
use crate::base::diagnostic::{Diagnostic, Span};

/// An enum of fixed texts, with the text of each and the way back.
macro_rules! fixed_texts {
    ($(#[$doc:meta])* $type:ident { $($variant:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $type {
            $($variant,)*
        }

        impl $type {
            /// All of them.
            #[allow(dead_code, reason = "not asked of every enum")]
            pub(super) const ALL: &[Self] = &[$(Self::$variant,)*];

            /// As it is written.
            pub(super) fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// The one written like this.
            pub(super) fn from_text(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

fixed_texts! {
    /// The reserved words.
    Word {
        Const "const",
        Enum "enum",
        Mutex "mutex",
        Var "var",
        Thread "thread",
        Init "init",
        Invariant "invariant",
        Lemma "lemma",
        Reach "reach",
        DeadlockFree "deadlock_free",
        Expect "expect",
        Bool "bool",
        Mod "mod",
        Protected "protected",
        Unprotected "unprotected",
        By "by",
        If "if",
        Else "else",
        While "while",
        For "for",
        In "in",
        Either "either",
        Or "or",
        Havoc "havoc",
        Lock "lock",
        Unlock "unlock",
        Skip "skip",
        Assert "assert",
        Assume "assume",
        When "when",
        Atomic "atomic",
        SelfThread "self",
        NoThread "none",
        True "true",
        False "false",
        At "at",
        Forall "forall",
        Exists "exists",
        Transaction "transaction",
        Return "return",
        Goto "goto",
        Null "null",
    }
}

fixed_texts! {
    /// The signs.
    Sign {
        OpenBrace "{",
        CloseBrace "}",
        OpenBracket "[",
        CloseBracket "]",
        OpenParen "(",
        CloseParen ")",
        Semicolon ";",
        Colon ":",
        Comma ",",
        DotDot "..",
        Dot ".",
        Question "?",
        Eq "==",
        Implies "=>",
        Assign "=",
        Ne "!=",
        Not "!",
        Shl "<<",
        Shr ">>",
        Le "<=",
        Less "<",
        Ge ">=",
        Greater ">",
        Plus "+",
        Minus "-",
        Star "*",
        Slash "/",
        Percent "%",
        AndAnd "&&",
        And "&",
        OrOr "||",
        Or "|",
        Caret "^",
        Tilde "~",
    }
}

/// What a token is; its text is the source under its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// An identifier that is not reserved.
    Name,
    /// Decimal digits and underscores. Of any size: only the parser knows where a size matters.
    Number,
    /// Something that begins like a number but is none; reported by the lexer.
    BadNumber,
    /// A reserved word.
    Word(Word),
    /// A sign.
    Sign(Sign),
    /// Characters that belong to no token; reported by the lexer.
    Noise,
    /// The end of the text, behind all other tokens.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

/// What a text consists of, from its beginning to its end; only blanks are left out.
fn pieces(source: &str) -> impl Iterator<Item = (Lexeme, Span)> {
    let mut start = 0;
    let all = std::iter::from_fn(move || {
        let here = source.get(start..).filter(|here| !here.is_empty())?;
        // `lexeme` accepts any text; were it ever not to, what is left would be noise.
        let (length, lexeme) = match lexeme(here) {
            Ok((rest, lexeme)) if rest.len() < here.len() => (here.len() - rest.len(), lexeme),
            _ => (here.len(), Lexeme::Token(TokenKind::Noise)),
        };
        let span = Span::new(start, start + length);
        start += length;
        Some((lexeme, span))
    });
    all.filter(|(lexeme, _)| !matches!(lexeme, Lexeme::Blank))
}

/// The comments of a text that end.
pub(super) fn comments(source: &str) -> Vec<Span> {
    let all = pieces(source).filter(|(lexeme, _)| matches!(lexeme, Lexeme::Comment));
    all.map(|(_, span)| span).collect()
}

/// All tokens of a text, the last one [`TokenKind::End`], and what is wrong with them.
pub(super) fn lex(source: &str) -> (Vec<Token>, Findings) {
    let mut tokens: Vec<Token> = Vec::new();
    let mut findings = Findings::default();
    for (lexeme, span) in pieces(source) {
        match lexeme {
            Lexeme::Blank | Lexeme::Comment => {}
            Lexeme::OpenComment => findings.push(open_comment(span)),
            Lexeme::Token(TokenKind::Noise) => match tokens.last_mut() {
                // Noise that only blanks separate, on one line, is one complaint.
                Some(last)
                    if last.kind == TokenKind::Noise
                        && !source[last.span.end..span.start].contains('\n') =>
                {
                    last.span = last.span.to(span);
                }
                _ => tokens.push(Token {
                    kind: TokenKind::Noise,
                    span,
                }),
            },
            Lexeme::Token(kind) => tokens.push(Token { kind, span }),
        }
    }
    for token in &tokens {
        let text = &source[token.span.start..token.span.end];
        match token.kind {
            TokenKind::Noise => findings.push(noise(text, token.span)),
            TokenKind::BadNumber => findings.push(bad_number(text, token.span)),
            _ => {}
        }
    }
    tokens.push(Token {
        kind: TokenKind::End,
        span: Span::new(source.len(), source.len()),
    });
    (tokens, findings)
}

/// What stands at the front of a text.
#[derive(Clone, Copy)]
enum Lexeme {
    /// White space.
    Blank,
    Comment,
    /// A comment that is never closed.
    OpenComment,
    Token(TokenKind),
}

/// The lexeme at the front of a text that is not empty.
fn lexeme(input: &str) -> IResult<&str, Lexeme> {
    alt((
        value(Lexeme::Blank, multispace1),
        comment,
        name_or_word.map(Lexeme::Token),
        number.map(Lexeme::Token),
        sign.map(Lexeme::Token),
        value(
            Lexeme::Token(TokenKind::Noise),
            alt((string, take_while1(|c| !begins_lexeme(c)))),
        ),
    ))
    .parse(input)
}

fn comment(input: &str) -> IResult<&str, Lexeme> {
    alt((
        value(Lexeme::Comment, (tag("//"), take_while(|c| c != '\n'))),
        value(Lexeme::Comment, (tag("/*"), take_until("*/"), tag("*/"))),
        value(Lexeme::OpenComment, (tag("/*"), rest)),
    ))
    .parse(input)
}

fn name_or_word(input: &str) -> IResult<&str, TokenKind> {
    recognize((
        take_while1(|c: char| c.is_ascii_alphabetic() || c == '_'),
        take_while(in_name),
    ))
    .map(|text| Word::from_text(text).map_or(TokenKind::Name, TokenKind::Word))
    .parse(input)
}

/// A number, or what was meant as one: `12abc`, `0x1F`, `1.5`. In `0..1` the number ends before the dots.
fn number(input: &str) -> IResult<&str, TokenKind> {
    recognize((
        digit1,
        take_while(in_name),
        opt((char('.'), digit1, take_while(in_name))),
    ))
    .map(|text: &str| {
        if text.bytes().all(|b| b.is_ascii_digit() || b == b'_') {
            TokenKind::Number
        } else {
            TokenKind::BadNumber
        }
    })
    .parse(input)
}

/// A string on one line. There are none in the language, so all of it is noise.
fn string(input: &str) -> IResult<&str, &str> {
    recognize((char('"'), take_while(|c| c != '"' && c != '\n'), char('"'))).parse(input)
}

/// The longest sign at the front: two characters before one.
fn sign(input: &str) -> IResult<&str, TokenKind> {
    alt((
        map_opt(recognize((anychar, anychar)), Sign::from_text),
        map_opt(recognize(anychar), Sign::from_text),
    ))
    .map(TokenKind::Sign)
    .parse(input)
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether some lexeme other than noise begins with this character. (Every sign's first character is a sign.)
fn begins_lexeme(c: char) -> bool {
    in_name(c)
        || matches!(c, ' ' | '\t' | '\r' | '\n')
        || Sign::from_text(c.encode_utf8(&mut [0; 4])).is_some()
}

fn noise(text: &str, span: Span) -> Diagnostic {
    let several = text.chars().nth(1).is_some();
    let help = mistakes::instead_of_noise(text)
        .unwrap_or_else(|| "remove it; outside comments a model is plain ASCII".into());
    Diagnostic::error(
        codes::UNKNOWN_CHARACTER,
        span,
        format!(
            "unknown character{} `{}`",
            if several { "s" } else { "" },
            shorten(text)
        ),
        "a name, a number or a sign of the model language",
        help,
    )
}

fn open_comment(span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::OPEN_COMMENT,
        // The whole rest of the text would hide the place that matters.
        Span::new(span.start, span.start + "/*".len()),
        "this comment is never closed",
        "`*/` before the end of the file",
        "close the comment with `*/`, or use `//` for a comment that ends with its line",
    )
}

fn bad_number(text: &str, span: Span) -> Diagnostic {
    let help = if text.contains('.') {
        "values are integers: scale the quantity, or round it".to_string()
    } else if text.starts_with("0x") || text.starts_with("0b") || text.starts_with("0o") {
        "numbers are decimal only: write the value with digits 0 to 9".to_string()
    } else {
        "put a space or an operator between the number and the name; a name begins with a letter"
            .to_string()
    };
    Diagnostic::error(
        codes::BAD_NUMBER,
        span,
        format!("`{}` is not a number", shorten(text)),
        "decimal digits, perhaps with `_` between them",
        help,
    )
}
