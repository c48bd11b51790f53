//! Programs of the twin: the part of the model language that the tests generate.
//!
//! Names are resolved by construction: variables, mutexes and threads are numbers. Booleans are 0 and 1, a mutex that
//! nobody owns has the owner [`NOBODY`].

/// The owner of a free mutex.
pub const NOBODY: i64 = -1;

/// The values of the only enum, `enum tone { low, high }`.
pub const TONES: [&str; 2] = ["low", "high"];

#[derive(Clone, Debug)]
pub struct Program {
    pub mutexes: Vec<Mutex>,
    pub shared: Vec<Shared>,
    /// Families and single threads, in the order of their threads' numbers.
    pub families: Vec<Family>,
    pub init: Option<Expr>,
    pub properties: Vec<Property>,
}

#[derive(Clone, Debug)]
pub struct Mutex {
    pub name: String,
    /// Number of cells; `None` for a single mutex.
    pub size: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    /// Number of cells; `None` for a scalar.
    pub size: Option<usize>,
    /// Initial value of every cell; `None`: any value of the type.
    pub initial: Option<i64>,
}

#[derive(Clone, Debug)]
pub struct Shared {
    pub variable: Variable,
    pub discipline: Discipline,
}

#[derive(Clone, Debug)]
pub enum Discipline {
    Unprotected,
    /// The exclusive access predicate of thread `Self_` for the cell `Parameter`.
    Protected(Expr),
    /// `by m` or `by m[k]`: the mutex, indexed by the parameter if it is an array.
    ProtectedBy(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Bool,
    /// `lo..hi`, both inclusive.
    Range(i64, i64),
    /// `0..k-1`; assignments wrap.
    Mod(i64),
    Tone,
}

impl Type {
    /// All values of the type.
    pub fn values(self) -> Vec<i64> {
        match self {
            Type::Bool | Type::Tone => vec![0, 1],
            Type::Range(low, high) => (low..=high).collect(),
            Type::Mod(k) => (0..k).collect(),
        }
    }

    /// What an assignment of `value` stores; `None` if it goes wrong.
    pub fn store(self, value: i64) -> Option<i64> {
        match self {
            Type::Mod(k) => Some(value.rem_euclid(k)),
            _ => self.values().contains(&value).then_some(value),
        }
    }
}

/// `thread name(i in 0..members-1) { .. }`, or one single thread.
#[derive(Clone, Debug)]
pub struct Family {
    pub name: String,
    /// `None` for a single thread.
    pub members: Option<usize>,
    pub locals: Vec<Variable>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub labels: Vec<String>,
    pub kind: StmtKind,
    /// Where the printer put it, from 1.
    pub line: usize,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Skip,
    Assign(Place, Expr),
    Havoc(Place),
    Assert(Expr),
    Assume(Expr),
    When(Expr, Box<Stmt>),
    Lock(Place),
    Unlock(Place),
    Atomic(Vec<Stmt>),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    Either(Vec<Vec<Stmt>>),
}

impl From<StmtKind> for Stmt {
    fn from(kind: StmtKind) -> Stmt {
        Stmt {
            labels: Vec::new(),
            kind,
            line: 0,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Place {
    pub root: Root,
    pub index: Option<Box<Expr>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    Shared(usize),
    /// A local variable of the thread at hand.
    Local(usize),
    Mutex(usize),
}

#[derive(Clone, Debug)]
pub enum Expr {
    Int(i64),
    Bool(bool),
    Tone(i64),
    /// `none`, the owner of a free mutex.
    Nobody,
    /// `self`
    Self_,
    /// The family's index `i`.
    Index,
    /// The index `k` of `protected x[k] by ..`.
    Parameter,
    /// The number of a thread, written by its name.
    Thread(usize),
    Read(Place),
    /// `m.owner`
    Owner(Place),
    /// `at(thread, label)`
    At(Box<Expr>, String),
    Not(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    And,
    Or,
    Implies,
}

impl Expr {
    pub fn binary(op: Op, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn eq(left: Expr, right: Expr) -> Expr {
        Expr::binary(Op::Eq, left, right)
    }

    pub fn and(left: Expr, right: Expr) -> Expr {
        Expr::binary(Op::And, left, right)
    }

    pub fn or(left: Expr, right: Expr) -> Expr {
        Expr::binary(Op::Or, left, right)
    }

    pub fn negate(operand: Expr) -> Expr {
        Expr::Not(Box::new(operand))
    }

    /// `at(thread, label)`
    pub fn at(thread: Expr, label: &str) -> Expr {
        Expr::At(Box::new(thread), label.to_owned())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    Invariant,
    Lemma,
    Reach,
}

#[derive(Clone, Debug)]
pub enum Property {
    State {
        kind: StateKind,
        name: String,
        expr: Expr,
    },
    DeadlockFree,
}

impl Property {
    pub fn name(&self) -> &str {
        match self {
            Property::State { name, .. } => name,
            Property::DeadlockFree => "deadlock_free",
        }
    }
}

/// One thread: member `index` of a family, or a single thread (`index` 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    pub family: usize,
    pub index: i64,
}

impl Program {
    /// The threads; their position is their number.
    pub fn threads(&self) -> Vec<Thread> {
        let mut threads = Vec::new();
        for (family, declared) in self.families.iter().enumerate() {
            for index in 0..declared.members.unwrap_or(1) {
                threads.push(Thread {
                    family,
                    index: index as i64,
                });
            }
        }
        threads
    }

    /// `worker(1)`, or the name of a single thread.
    pub fn thread_name(&self, thread: usize) -> String {
        let Thread { family, index } = self.threads()[thread];
        let family = &self.families[family];
        match family.members {
            Some(_) => format!("{}({index})", family.name),
            None => family.name.clone(),
        }
    }
}
