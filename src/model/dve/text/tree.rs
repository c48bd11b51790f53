//! The tree of a model in DVE: what was written, with spans.

use crate::base::diagnostic::Span;
use crate::model::text::ast::Name;

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// Global variables.
    pub vars: Vec<VarDecl>,
    /// Global channels.
    pub channels: Vec<ChannelDecl>,
    /// Processes, in order.
    pub processes: Vec<Process>,
}

/// The types of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// 0 to 255
    Byte,
    /// -32768 to 32767
    Int,
}

impl Type {
    /// Lowest and highest value.
    pub fn range(self) -> (i64, i64) {
        match self {
            Type::Byte => (0, 255),
            Type::Int => (-32768, 32767),
        }
    }
}

/// `const byte x[3] = {1, 2, 3}`
#[derive(Clone, Debug, PartialEq)]
pub struct VarDecl {
    /// Whether it is a constant.
    pub constant: bool,
    /// Its type.
    pub ty: Type,
    /// Its name.
    pub name: Name,
    /// The size of an array.
    pub size: Option<Expr>,
    /// Its initial value or values.
    pub init: Option<Init>,
}

/// Initial values.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// `= e`
    One(Expr),
    /// `= {e, e}`
    Many(Vec<Expr>, Span),
}

/// `channel c` or, typed, `channel {byte, int} c[2]`
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelDecl {
    /// Its name.
    pub name: Name,
    /// The types of what it carries, if it is typed.
    pub types: Option<Vec<Type>>,
    /// How many items it holds; none, or 0, is a rendezvous.
    pub size: Option<Expr>,
}

/// A process.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Its name.
    pub name: Name,
    /// Its variables.
    pub vars: Vec<VarDecl>,
    /// Its channels.
    pub channels: Vec<ChannelDecl>,
    /// Its states.
    pub states: Vec<Name>,
    /// The first one.
    pub init: Name,
    /// Those that are committed.
    pub commit: Vec<Name>,
    /// Assertions: state and condition.
    pub asserts: Vec<(Name, Expr)>,
    /// Transitions, in order.
    pub transitions: Vec<Transition>,
    /// The header, `process P`.
    pub span: Span,
}

/// `a -> b { guard g; sync c!e; effect x = e; }`
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// From which state.
    pub from: Name,
    /// To which one.
    pub to: Name,
    /// Its guards, all of which have to hold.
    pub guards: Vec<Expr>,
    /// What it sends or receives.
    pub sync: Option<Sync>,
    /// Its effects, in order.
    pub effects: Vec<(Place, Expr)>,
    /// All of it.
    pub span: Span,
}

/// `c!e`, `c!{e, e}`, `c?x` ..
#[derive(Clone, Debug, PartialEq)]
pub struct Sync {
    /// The channel.
    pub channel: Name,
    /// What passes.
    pub passed: Passed,
    /// All of it.
    pub span: Span,
}

/// The direction, and what passes.
#[derive(Clone, Debug, PartialEq)]
pub enum Passed {
    /// `!`
    Sent(Vec<Expr>),
    /// `?`
    Received(Vec<Place>),
}

/// A variable, or an element of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// `P->`: the process whose variable it is.
    pub process: Option<Name>,
    /// The variable.
    pub name: Name,
    /// `[e]`
    pub index: Option<Box<Expr>>,
    /// All of it.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `42`; `true` is 1, `false` is 0
    Number(i64),
    /// `x`, `a[e]`, `P->x`
    Place(Place),
    /// `P.q`: whether a process is in a state
    At(Name, Name),
    /// `not e`, `-e`, `~e`
    Unary(Unary, Box<Expr>),
    /// `e + e`, ..
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Unary {
    Not,
    Neg,
    Complement,
}

/// Binary operators; `and`, `or` and `imply` evaluate their right side only when it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Binary {
    Imply,
    Or,
    And,
    BitOr,
    BitAnd,
    BitXor,
    Eq,
    Ne,
    Lt,
    Le,
    Ge,
    Gt,
    Shl,
    Shr,
    Sub,
    Add,
    Mul,
    Div,
    Rem,
}

impl Binary {
    /// How strongly it binds, loosest first (`dve_grammar.yy` of DiVinE 1): all associate to the left.
    pub fn level(self) -> usize {
        use Binary::*;
        match self {
            Imply => 0,
            Or | And => 1,
            BitOr | BitAnd | BitXor => 2,
            Eq | Ne => 3,
            Lt | Le | Ge | Gt => 4,
            Shl | Shr => 5,
            Sub | Add => 6,
            Mul | Div | Rem => 7,
        }
    }
}
