//! The tree of a model file: what was written, with spans, before names are resolved.
//!
//! `docs/language.md` gives the grammar; one type here per production.

use super::diagnostic::Span;

/// An identifier and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A whole model file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Declarations in the order of the text.
    pub decls: Vec<Decl>,
}

/// A declaration at the top level.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a tree is small, and read more often than moved"
)]
pub enum Decl {
    /// `const N = 2;`
    Const {
        /// Its name.
        name: Name,
        /// Its value.
        value: Expr,
    },
    /// `enum color { red, green }`
    Enum {
        /// Its name.
        name: Name,
        /// The values, in order.
        variants: Vec<Name>,
    },
    /// `mutex m[N];`
    Mutex {
        /// Its name.
        name: Name,
        /// Sizes, empty for a single mutex.
        dims: Vec<Expr>,
    },
    /// `var x[N]: 0..1 = 0 protected x[k] by m[k];`
    Var(VarDecl),
    /// `thread worker(i in 0..N-1) { .. }`
    Thread(ThreadDecl),
    /// `init e;`
    Init(Expr),
    /// `invariant NAME: e;`, `lemma NAME: e;` or `reach NAME: e;`
    Property {
        /// Which of the three.
        kind: PropertyKind,
        /// Its name.
        name: Name,
        /// The state expression.
        expr: Expr,
    },
    /// `deadlock_free;`
    DeadlockFree(Span),
    /// `expect ..;`
    Expect(Expect),
}

/// The kinds of named state properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PropertyKind {
    /// Must hold in every reachable state.
    Invariant,
    /// Checked like an invariant; a fact the user offers, not a property asked for.
    Lemma,
    /// Must hold in some reachable state.
    Reach,
}

/// What an `expect` line states about the model with its default constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expect {
    /// What is expected.
    pub kind: ExpectKind,
    /// Where the line stands.
    pub span: Span,
}

/// The kinds of `expect` lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectKind {
    /// `expect verdict holds;`: one of `holds`, `refuted`, `hypothesis_refuted`, `unknown`.
    Verdict(Name),
    /// `expect holds NAME;`, `expect refuted NAME;`, `expect unknown NAME;`
    Property {
        /// `holds`, `refuted` or `unknown`.
        verdict: Name,
        /// `discipline`, `assertions`, `deadlock_free` or a declared name.
        property: Name,
    },
    /// `expect original 106;`, `expect reduced 62;`, `expect visited 80;` (decimal digits)
    Count {
        /// `original`, `reduced` or `visited`.
        what: Name,
        /// The number, as written.
        count: String,
    },
}

/// A variable declaration, shared or thread-local.
#[derive(Clone, Debug, PartialEq)]
pub struct VarDecl {
    /// Its name.
    pub name: Name,
    /// Array sizes, empty for a scalar.
    pub dims: Vec<Expr>,
    /// Its type (of one cell).
    pub ty: TypeExpr,
    /// Initial value of every cell; without one, any value of the type.
    pub init: Option<Initial>,
    /// The discipline word, if any.
    pub discipline: Option<Discipline>,
    /// The whole declaration.
    pub span: Span,
}

/// The initial value in a declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// `= e`: every cell.
    All(Expr),
    /// `= [e, e, ..]`: cell by cell, the last index running fastest.
    Each(Vec<Expr>, Span),
}

/// A type expression.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeExpr {
    /// `bool`
    Bool(Span),
    /// `lo..hi`, both inclusive
    Range(Expr, Expr),
    /// `mod k`: `0..k-1`, wrapping
    Mod(Expr, Span),
    /// the name of an enum
    Named(Name),
    /// `{a, b}` or `enum {a, b}` in place
    Enum(Vec<Name>, Span),
}

/// The discipline of a shared variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Discipline {
    /// `unprotected`
    Unprotected(Span),
    /// `protected x[k] by e` (or `protected by e`): `e` is a mutex or an exclusive access predicate of thread `self`.
    Protected {
        /// The variable as repeated, with the names that its indices bind in `by`; `None` for `protected by e`.
        target: Option<(Name, Vec<Name>)>,
        /// The mutex or predicate.
        by: Expr,
        /// From the word `protected` to the end.
        span: Span,
    },
}

/// A thread or a family of threads.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadDecl {
    /// Its name.
    pub name: Name,
    /// `(i in lo..hi)` for a family.
    pub family: Option<(Name, Expr, Expr)>,
    /// Its statements.
    pub body: Block,
    /// The header, `thread name(..)`.
    pub span: Span,
}

/// A sequence of statements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The block with its braces.
    pub span: Span,
}

/// A statement with its labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// `A: B: stmt`
    pub labels: Vec<Name>,
    /// What it does.
    pub kind: StmtKind,
    /// The statement without its labels.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a tree is small, and read more often than moved"
)]
pub enum StmtKind {
    /// `var t: 0..7 = 0;` in a thread
    Local(VarDecl),
    /// `x = e;`
    Assign(Place, Expr),
    /// `havoc x;`
    Havoc(Place),
    /// `lock(m);`
    Lock(Place),
    /// `unlock(m);`
    Unlock(Place),
    /// `skip;`
    Skip,
    /// `assert(e);`
    Assert(Expr),
    /// `assume(e);`
    Assume(Expr),
    /// `when (e) stmt`
    When(Expr, Box<Stmt>),
    /// `if (e) { .. } else { .. }`; `else if` nests
    If(Expr, Block, Option<Block>),
    /// `while (e) { .. }`
    While(Expr, Block),
    /// `for (k in lo..hi) { .. }` over constants
    For(Name, Expr, Expr, Block),
    /// `either { .. } or { .. }`, two branches or more
    Either(Vec<Block>),
    /// `atomic { .. }`
    Atomic(Block),
    /// Labels with nothing behind them, at the end of a block.
    Empty,
}

/// A variable, array cell or mutex.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The variable.
    pub name: Name,
    /// `[e][e]..`
    pub indices: Vec<Expr>,
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
    /// `42`
    Int(i64),
    /// `true`, `false`
    Bool(bool),
    /// `self`: the number of the thread at hand
    SelfThread,
    /// `none`: the owner of a free mutex
    NoThread,
    /// A name, perhaps indexed: variable, constant, enum value, bound name, mutex, or thread.
    Place(Place),
    /// `m[k].owner`
    Owner(Place),
    /// `worker(1)`: the number of a thread of a family
    Call(Name, Vec<Expr>),
    /// `at(thread, label)`
    At(Box<Expr>, Name),
    /// `!e`, `-e`
    Unary(UnaryOp, Box<Expr>),
    /// `e + e`, ..
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `forall (k in lo..hi) e`, `exists (k in lo..hi) e`, over constants
    Quantified {
        /// True for `forall`.
        all: bool,
        /// The bound name.
        var: Name,
        /// Lowest value.
        lo: Box<Expr>,
        /// Highest value.
        hi: Box<Expr>,
        /// The body.
        body: Box<Expr>,
    },
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
}

/// Binary operators; `&&`, `||` and `=>` evaluate their right side only when it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Implies,
}
