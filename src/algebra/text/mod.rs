//! Terms, statements, and the files that are made of them: theories, proofs, suites of identities. Text to trees.
//!
//! ```text
//! file       = ('theory' title STRING ';')? (item ';')*    the ';' may be left out before an item's first word, and at
//!                                                           the end
//! item       = 'level' ('semiring' | 'kleene' | 'tests' | 'top' | 'omega' | 'domain' | 'divergence' | 'converse'
//!              | 'demonic')
//!            | 'use' (title | STRING)
//!            | ('action' | 'test') (indexed ('is' WORDS)?),*  |  'let' indexed '=' term
//!            | 'hypothesis' title STRING? ('syntactic' NAME)? ':' statement
//!            | 'conclusion' title STRING? ':' statement ('proved' title 'in' title)?
//!            | ('axiom' | 'identity' | 'fails' | 'open') title ('without' title,+)? ('[' premise,+ ']')? ':' statement
//!              ('model' model)?
//! premise    = (title ':')? statement
//! title      = names, numbers, '-', '.', '_', ''' without blanks | STRING
//! indexed    = NAME ('[' NAME,+ ']')?               WORDS = one of `Word::ALL`, with the letter's index for `i`
//! statement  = (index '!=' index),+ '=>' sides  |  sides
//! sides      = term (('<=' | '>=' | '=') term ('by' hint,+)?)+
//! hint       = title ('(' ((NAME ':=')? term),+ ')')?
//! term       = hash ('+' hash)*          hash = product ('#' hash)?          product = postfix ('.'? postfix)*
//! postfix    = prefix ('*' | '^w')*      prefix = '~' prefix | modal prefix | primary
//! modal      = '|' term '>'  |  '|' term ']'  |  '<' term '|'  |  '[' term '|'
//! primary    = '0' | '1' | 'T' | ('dom' | 'cod' | 'div' | 'conv') '(' term ')' | NAME ('[' index,+ ']')?
//!            | (NAME | NAME '(' NUMBER ')') '.' NAME
//!            | '{' state expression '}' | '(' term ')' | '(' '+' over ':' term ')' | '(' '.' over ':' term ')'
//! over       = NAME | (index '!=' index),+
//! index      = NAME | NUMBER | NAME '(' '-'? NUMBER ')'
//! ```
//!
//! The other form of suites, S-expressions, is in `sexpr`; models are in `model`.

pub(crate) mod codes;
mod file;
pub(super) mod mistakes;
mod modal;
mod model;
mod parser;
mod sexpr;
mod tokens;

pub use codes::TERM_CODES;
pub use file::parse_file;
pub use sexpr::parse_suite;

use crate::algebra::tree::{Chain, Entry};
use crate::algebra::{Definition, Function, Hypothesis, Letter, Shape, Statement, Term, Theory};
use crate::base::control::ParseLimits;
use crate::base::diagnostic::{Diagnostic, Span};
use crate::kernel::WORDS;
use parser::Parser;

/// Whether a word names no action or test in a file: it begins an item, belongs to one, is the greatest element or
/// an operator.
pub fn is_reserved(word: &str) -> bool {
    word == "T" || Function::named(word).is_some() || WORDS.contains(&word)
}

/// Reads a statement such as `u[1] u[0] <= u[0] (q T + u[1] + u[1] q T)`.
///
/// # Errors
/// The first thing that is wrong, with its span in the text.
pub fn parse_statement(text: &str, depth: usize) -> Result<Statement, Diagnostic> {
    let mut p = Parser::new(text, depth, false)?;
    let chain = p.chain(false)?;
    p.end("the end of the statement")?;
    Ok(chain.statement())
}

/// Reads a statement as it may stand in a file.
///
/// # Errors
/// The first thing that is wrong, with its span in the text.
pub(crate) fn parse_chain(text: &str, depth: usize) -> Result<Chain, Diagnostic> {
    let mut p = Parser::new(text, depth, true)?;
    let chain = p.chain(false)?;
    p.end("the end of the statement")?;
    Ok(chain)
}

/// Reads a term as it may stand in a file.
///
/// # Errors
/// The first thing that is wrong, with its span in the text.
pub(crate) fn parse_term(text: &str, depth: usize) -> Result<Term, Diagnostic> {
    let mut p = Parser::new(text, depth, true)?;
    let term = p.term()?;
    p.end("the end of the term")?;
    Ok(term)
}

/// Reads a reduction theorem for the relational interpreter, which looks up names itself.
///
/// # Errors
/// What is wrong, with spans in the text.
pub fn parse_theory(text: &str, depth: usize) -> Result<Theory, Vec<Diagnostic>> {
    let file = parse_file(text, depth)?;
    let mut theory = Theory::default();
    (theory.name, theory.source) = file.theory.unwrap_or_default();
    for item in file.items {
        match item {
            Entry::Declare(sort, names) => {
                let letters = names.into_iter().map(|(n, is, word)| Letter {
                    name: n.name,
                    indices: is.len(),
                    sort,
                    word,
                });
                theory.letters.extend(letters);
            }
            Entry::Define {
                name,
                indices,
                term,
            } => theory.definitions.push(Definition {
                name: name.name,
                indices: indices.into_iter().map(|i| i.name).collect(),
                term,
            }),
            Entry::Hypothesis {
                name,
                words,
                chain,
                syntactic,
            } => theory.hypotheses.push(Hypothesis {
                id: name.name,
                words,
                statement: chain.statement(),
                syntactic,
            }),
            Entry::Conclusion {
                name,
                words,
                chain,
                proved,
            } => {
                theory.conclusion = Some(Hypothesis {
                    id: name.name,
                    words,
                    statement: chain.statement(),
                    syntactic: None,
                });
                theory.proof = proved.map(|(statement, file)| (statement.name, file.name));
            }
            Entry::Level(_) | Entry::Use(_) | Entry::Claim { .. } => {}
        }
    }
    Ok(theory)
}

fn wrong(code: &'static str, span: Span, message: impl Into<String>, expected: &str) -> Diagnostic {
    let help = match code {
        codes::UNBALANCED => "each `(`, `[`, `{` and `\"` needs its partner",
        codes::NO_ITEM => {
            "a file is made of items such as `identity star_slide : (x y)* x = x (y x)*;`"
        }
        codes::WORD => "the words that begin items can't name anything else",
        codes::TOO_DEEP => "name parts of the term with `let`, or allow more with --limit-depth N",
        codes::SUMS => "write sums as `(+ j : x[j])` or `(+ j != i : x[j])`",
        codes::MODEL => {
            "a model is `{ states 3; processes 2; x = 1->2,3  2->3; p = 1,2; u[1] = none; i = 1 }`"
        }
        codes::LETTER => "see `coarsen explain E0418` for what letters may stand for",
        codes::SEXPR => "a line is NAME, POS or NEG, hypotheses and the goal, separated by tabs",
        _ => {
            "terms are built from 0, 1, T, atoms, ~, +, products, * and ^w; see `coarsen explain E0401`"
        }
    };
    Diagnostic::error(code, span, message, expected, help)
}

/// The same, where the text may say what is meant.
fn wrong_in(
    text: &str,
    code: &'static str,
    span: Span,
    message: impl Into<String>,
    expected: &str,
) -> Diagnostic {
    let general = wrong(code, span, message, expected);
    let in_a_term = code == codes::NO_TERM && expected.contains("term");
    match mistakes::meant(text, span.start).filter(|_| in_a_term) {
        Some(help) => Diagnostic::error(code, span, general.message, expected, help),
        None => general,
    }
}

/// A theorem that comes with the tool, by name.
pub fn theory(name: &str) -> Option<Theory> {
    let mut all = crate::algebra::shipped().iter();
    let known = all.find(|t| t.name == name)?;
    let theory = shipped(known.text)?;
    Some(Theory {
        shape: Some(known.shape),
        ..theory
    })
}

/// The theorem that is this shape.
pub fn of_shape(shape: Shape) -> Option<Theory> {
    let mut all = crate::algebra::shipped().iter();
    theory(all.find(|t| t.shape == shape)?.name)
}

/// What the theorems about transactions ask for an observer of the states `V`: `theories/observer.thy`.
pub fn observer() -> Option<Theory> {
    let mut all = crate::algebra::library().iter();
    let (_, _, text) = all.find(|(n, _, _)| *n == "observer")?;
    shipped(text)
}

/// The tests parse the files that come with the tool; one that did not parse would be no theorem.
fn shipped(text: &str) -> Option<Theory> {
    parse_theory(text, ParseLimits::default().depth).ok()
}
