//! The tree of a model file: what was written, with spans, before names are resolved.
//!
//! `docs/language.md` gives the grammar; one type here per production.

use crate::base::diagnostic::Span;

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
    /// `mutex m[N];`, `semaphore s: 0..3 = 1;` ..
    Object(ObjectDecl),
    /// `var x[N]: 0..1 = 0 protected x[k] by m[k];`
    Var(VarDecl),
    /// `record cell { .. }`
    Record(RecordDecl),
    /// `pool P[4]: cell;`
    Pool {
        /// Its name.
        name: Name,
        /// How many objects it has.
        size: Expr,
        /// The record they are of.
        record: Name,
    },
    /// `proc f(a: 0..3): bool { .. }`
    Proc(ProcDecl),
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
    /// `expect original 106;`, `expect reduced 62;`, `expect visited 80;`, `expect left 2;` (decimal digits)
    Count {
        /// One of [`STATES`] or [`MOVERS`].
        what: Name,
        /// The number, as written.
        count: String,
    },
}

/// The words for numbers of states.
pub const STATES: [&str; 3] = ["original", "reduced", "visited"];

/// The words for numbers of statements and transactions, of which only movers speak.
pub const MOVERS: [&str; 6] = ["local", "both", "right", "left", "non", "transactions"];

impl ExpectKind {
    /// What states are counted, and the number, if it is a line on states.
    pub fn states(&self) -> Option<(&str, &String)> {
        self.count_of(&STATES)
    }

    /// The same of statements as movers, and of transactions.
    pub fn counted_by_movers(&self) -> Option<(&str, &String)> {
        self.count_of(&MOVERS)
    }

    fn count_of(&self, words: &[&str]) -> Option<(&str, &String)> {
        match self {
            Self::Count { what, count } if words.contains(&what.text.as_str()) => {
                Some((&what.text, count))
            }
            _ => None,
        }
    }
}

/// A synchronisation object, or an array of them; at the top level or in a record.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectDecl {
    /// What it is.
    pub kind: ObjectKind,
    /// Its name.
    pub name: Name,
    /// Sizes, empty for a single object.
    pub dims: Vec<Expr>,
}

/// The kinds of synchronisation objects.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a tree is small, and read more often than moved"
)]
pub enum ObjectKind {
    /// `mutex m;`
    Mutex,
    /// `reentrant mutex m;`, `reentrant(3) mutex m;` with the number of times that it can be locked
    Reentrant(Option<Expr>),
    /// `rwlock l;`
    RwLock,
    /// `cond c;`
    Cond,
    /// `semaphore s: 0..3 = 1;`
    Semaphore {
        /// Its lowest value, which has to be 0.
        lo: Expr,
        /// Its highest value.
        hi: Expr,
        /// Its value in the beginning.
        initial: Expr,
    },
    /// `barrier b: 3;` with the number of threads that meet
    Barrier(Expr),
}

/// A record: what each object of it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordDecl {
    /// Its name.
    pub name: Name,
    /// Its fields, in order.
    pub fields: Vec<Field>,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a tree is small, and read more often than moved"
)]
pub enum Field {
    /// `value: 0..7 = 0 protected by m;`
    Var(VarDecl),
    /// `mutex m;`
    Object(ObjectDecl),
}

/// A procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcDecl {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<(Name, TypeExpr)>,
    /// The type of what it returns, if it does.
    pub result: Option<TypeExpr>,
    /// Its statements.
    pub body: Block,
    /// The header, `proc f(..)`.
    pub span: Span,
}

/// A variable declaration: shared, thread-local, or a record's field.
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
    /// the name of an enum or record
    Named(Name),
    /// `ref cell in P`
    Ref {
        /// The record that is referred to.
        record: Name,
        /// The pool, or array of records, that the references point into.
        pool: Name,
        /// All of it.
        span: Span,
    },
    /// `{a, b}` or `enum {a, b}` in place
    Enum(Vec<Name>, Span),
}

/// The discipline of a shared variable.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a tree is small, and read more often than moved"
)]
pub enum Discipline {
    /// `unprotected`
    Unprotected(Span),
    /// `protected x[k] by e` (or `protected by e`): `e` is a mutex or an exclusive access predicate of thread `self`.
    Protected {
        /// The variable as repeated, with the names that its indices bind in `by`; `None` for `protected by e`.
        target: Option<(Name, Vec<Name>)>,
        /// What gives access.
        by: By,
        /// `, read by e`: who may read as well, while nobody may write.
        read: Option<Expr>,
        /// `init e`: who has access while some thread satisfies it.
        init: Option<Expr>,
        /// From the word `protected` to the end.
        span: Span,
    },
}

/// What stands behind `by`.
#[derive(Clone, Debug, PartialEq)]
pub enum By {
    /// A mutex, a read-write lock, or an exclusive access predicate of thread `self`.
    One(Expr),
    /// `{m1, m2}`: all of these mutexes to write, one of them to read.
    All(Vec<Place>, Span),
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
    /// `choose v in lo..hi where e;`: some value of constants' range for which the condition holds, if there is one
    Choose(Name, Expr, Expr, Option<Expr>),
    /// `atomic { .. }`
    Atomic(Block),
    /// `transaction NAME { .. }`: a claim that the block may be treated as atomic
    Transaction(Claimed, Block),
    /// `p = new P;`
    New(Place, Name),
    /// `NAME(e, ..);`: an operation on objects, or a procedure. (With a place on the left, an [`StmtKind::Assign`].)
    Call(Name, Vec<Expr>),
    /// `return e;`, `return;`
    Return(Option<Expr>),
    /// `goto L;`
    Goto(Name),
    /// Labels with nothing behind them, at the end of a block.
    Empty,
}

impl StmtKind {
    /// The blocks in it.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            StmtKind::If(_, yes, no) => std::iter::once(yes).chain(no).collect(),
            StmtKind::While(_, body)
            | StmtKind::For(_, _, _, body)
            | StmtKind::Atomic(body)
            | StmtKind::Transaction(_, body) => vec![body],
            StmtKind::Either(branches) => branches.iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// A variable, or what is found from there through indices, fields and references.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The variable.
    pub name: Name,
    /// `[e].f[e]..`
    pub selectors: Vec<Selector>,
    /// All of it.
    pub span: Span,
}

/// What stands in a claim before its first statement, and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Claimed {
    /// Its name.
    pub name: Name,
    /// What the block is said to be as a mover, if something is said, and where that stands.
    pub mover: Option<(BlockMover, Span)>,
    /// `observe x, ..;`
    pub observed: Vec<Name>,
    /// `hide x, ..;`
    pub hidden: Vec<Name>,
    /// Where all of that stands, if something does.
    pub said: Option<Span>,
}

impl Claimed {
    /// A claim that says nothing of what is observed.
    pub fn named(name: Name) -> Self {
        Claimed {
            name,
            mover: None,
            observed: Vec::new(),
            hidden: Vec::new(),
            said: None,
        }
    }
}

/// What a block is said to be as a mover (Flanagan & Qadeer 2003, section 3, where methods are annotated so).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockMover {
    /// All its steps are left movers.
    Left,
    /// All its steps are right movers.
    Right,
    /// All its steps are both.
    Both,
    /// Right movers, one step of any kind, left movers.
    Atomic,
}

impl BlockMover {
    /// All of them.
    pub const ALL: [BlockMover; 4] = [
        BlockMover::Left,
        BlockMover::Right,
        BlockMover::Both,
        BlockMover::Atomic,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            BlockMover::Left => "left",
            BlockMover::Right => "right",
            BlockMover::Both => "both",
            BlockMover::Atomic => "atomic",
        }
    }
}

/// A step from a place to a part of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    /// `[e]`
    Index(Expr),
    /// `.f`
    Field(Name),
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
    /// `null`: the reference to nothing
    Null,
    /// A name with selectors: variable, constant, enum value, bound name, object or its state, or thread.
    Place(Place),
    /// `&P[e]`: the reference to a slot
    Reference(Place),
    /// `worker(1)`: the number of a thread of a family
    Call(Name, Vec<Expr>),
    /// `self.t`, `worker(1).t[0]`: a thread-local variable in a state expression
    Local(Box<Expr>, Place),
    /// `at(thread, label)`
    At(Box<Expr>, Name),
    /// `!e`, `-e`, `~e`
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
    /// `~`
    BitNot,
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
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
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
