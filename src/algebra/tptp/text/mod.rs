//! Problems of first-order logic in the form of the TPTP (Sutcliffe 2017): text to trees.
//!
//! ```text
//! file       = (('fof' | 'cnf') '(' name ',' role ',' formula (',' general)* ')' '.'
//!            |  'include' '(' name (',' '[' name,* ']')? ')' '.')*
//! formula    = unitary (('&' unitary)+ | ('|' unitary)+ | ('=>' | '<=' | '<=>' | '<~>' | '~|' | '~&') unitary)?
//! unitary    = ('!' | '?') '[' VARIABLE,+ ']' ':' unitary  |  '~' unitary  |  '(' formula ')'
//!            |  term (('=' | '!=') term)?
//! term       = VARIABLE  |  (name | '$' name) ('(' term,+ ')')?  |  NUMBER  |  STRING
//! ```
//!
//! Annotations behind the formula are skipped. In `cnf` the free variables are universal.

pub(crate) mod codes;
mod parser;
mod tokens;
mod tree;

pub use codes::TPTP_CODES;
pub use parser::{Numbers, parse_problem};
pub use tree::{Annotated, Formula, Include, Item, Role, Term, Variable};

use crate::base::diagnostic::{Diagnostic, Span};

fn wrong(code: &'static str, span: Span, message: impl Into<String>, expected: &str) -> Diagnostic {
    let help = match code {
        codes::UNBALANCED => "each bracket and quote needs its partner",
        codes::FREE => "bind it: `! [X] : ..`",
        codes::DIALECT => "state it as `fof(name, role, formula).`",
        codes::TOO_DEEP => "state it with less nesting, or allow more with --limit-depth N",
        codes::ROLE => "such as `axiom`, `hypothesis` or `conjecture`",
        _ => {
            "such as `fof(name, conjecture, ! [X] : leq(X, star(X))).`; see `coarsen explain E0501`"
        }
    };
    Diagnostic::error(code, span, message, expected, help)
}
