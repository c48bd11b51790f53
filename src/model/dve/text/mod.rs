//! DVE, the language of the BEEM benchmark (Pelanek 2007): text to trees. [`crate::model::dve`] says what a tree means.
//!
//! ```text
//! file       = (variables | channels | process)* 'system' 'async' ';'
//! variables  = 'const'? ('byte' | 'int') variable,+ ';'
//! variable   = NAME ('[' expr ']')? ('=' (expr | '{' expr,+ '}'))?
//! channels   = 'channel' ('{' ('byte' | 'int'),+ '}')? (NAME ('[' expr ']')?),+ ';'
//! process    = 'process' NAME '{' (variables | channels | part)* '}'
//! part       = 'state' NAME,+ ';' | 'init' NAME ';' | 'commit' NAME,+ ';' | 'accept' .. ';'
//!            | 'assert' (NAME ':' expr),+ ';' | 'trans' transition (','? transition)* ';'?
//! transition = NAME? '->' NAME '{' ('guard' expr,+ ';')? ('sync' NAME ('!' | '?') passed? ';')?
//!              ('effect' (place '=' expr),+ ';')? '}'
//! passed     = expr | '{' expr,+ '}'                                   (places behind '?')
//! place      = (NAME '->')? NAME ('[' expr ']')?
//! expr       = operators by the levels of Binary::level; then prefix 'not' '!' '-' '~'; then
//!              NUMBER | 'true' | 'false' | place | NAME '.' NAME | '(' expr ')'
//! ```
//!
//! A transition without a source has that of the one before it. This is what DiVinE 1 and 3 read, put together
//! (`dve_grammar.yy`, `dve/parse.h`); where they differ in what a text means, DiVinE 1 is followed.

pub(crate) mod codes;
mod lexer;
mod parser;
mod tree;

pub use codes::DVE_CODES;
pub use parser::parse_dve;
pub use tree::{
    Binary, ChannelDecl, Expr, ExprKind, Init, Passed, Place, Process, Sync, System, Transition,
    Type, Unary, VarDecl,
};
