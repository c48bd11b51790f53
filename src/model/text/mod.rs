//! Text to trees: spans, diagnostics, and the languages Coarsen reads.
//!
//! Architecture invariant: no parser here panics. That of models never fails either: it returns a tree (with holes left
//! out) and every diagnostic that it collected; the caller must look at the diagnostics first. That of terms and
//! theories returns the first error.

pub mod ast;
pub mod codes;

mod decode;
mod findings;
mod format;
mod lexer;
mod mistakes;
pub mod names;
mod parser;
mod print;

pub use codes::SYNTAX_CODES;
pub use decode::{NotUtf8, decode};
pub use format::format_model;
pub(crate) use mistakes::OPERATIONS;
pub use parser::{no_condition, parse_condition, parse_model};
pub use print::print_model;

/// Whether a text can be a name.
pub fn is_name(text: &str) -> bool {
    let (tokens, findings) = lexer::lex(text);
    let kinds: Vec<_> = tokens.iter().map(|t| t.kind).collect();
    findings.is_empty()
        && kinds == [lexer::TokenKind::Name, lexer::TokenKind::End]
        && tokens[0].span.end == text.len()
}

/// The words of the language: the reserved ones, and those that have a meaning in one place only.
pub fn words() -> Vec<&'static str> {
    let reserved = lexer::Word::ALL.iter().map(|w| w.text());
    let others = mistakes::CONTEXTUAL
        .iter()
        .chain(mistakes::OPERATIONS)
        .chain(mistakes::EXCHANGES);
    reserved.chain(others.copied()).chain(["read"]).collect()
}

/// Whether a word of our language, which is no name, is written like this.
pub(crate) fn is_reserved(text: &str) -> bool {
    lexer::Word::from_text(text).is_some()
}
