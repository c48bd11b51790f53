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

/// Whether a word of our language, which is no name, is written like this.
pub(crate) fn is_reserved(text: &str) -> bool {
    lexer::Word::from_text(text).is_some()
}
