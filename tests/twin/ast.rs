//! Programs of the twin: the part of the model language that the tests generate.
//!
//! Names are resolved by construction: variables, objects, records, procedures and threads are numbers. Booleans are 0
//! and 1, a mutex that nobody owns has the owner [`NOBODY`], a reference to nothing is [`NULL`].

/// The owner of a free mutex.
pub const NOBODY: i64 = -1;

/// The reference to no object.
pub const NULL: i64 = -1;

/// The values of the only enum, `enum tone { low, high }`.
pub const TONES: [&str; 2] = ["low", "high"];

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub objects: Vec<Object>,
    pub records: Vec<Record>,
    pub pools: Vec<Pool>,
    pub shared: Vec<Shared>,
    pub procedures: Vec<Procedure>,
    /// Families and single threads, in the order of their threads' numbers.
    pub families: Vec<Family>,
    pub init: Option<Expr>,
    pub properties: Vec<Property>,
}

/// A synchronisation object, or an array of them.
#[derive(Clone, Debug)]
pub struct Object {
    pub name: String,
    /// Number of objects; `None` for a single one.
    pub size: Option<usize>,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Mutex,
    /// A reentrant mutex, and how often it can be held at most.
    Reentrant(i64),
    RwLock,
    Cond,
    Semaphore {
        highest: i64,
        initial: i64,
    },
    /// A barrier, and how many threads it waits for.
    Barrier(usize),
}

/// `record name { .. }`
#[derive(Clone, Debug)]
pub struct Record {
    pub name: String,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub enum Field {
    Data(Shared),
    Object(Object),
}

/// `pool name[size]: record;`
#[derive(Clone, Debug)]
pub struct Pool {
    pub name: String,
    pub size: usize,
    pub record: usize,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    /// Number of cells; `None` for a scalar.
    pub size: Option<usize>,
    /// Initial value of every cell; `None`: any value of the type, or, for a record, what its fields say.
    pub initial: Option<i64>,
}

/// A shared variable, or a field of a record.
#[derive(Clone, Debug)]
pub struct Shared {
    pub variable: Variable,
    pub discipline: Discipline,
}

/// The discipline word of a shared variable or a field.
#[derive(Clone, Debug)]
pub enum Discipline {
    /// No word: that of the record variable for a field, else as `Unprotected`.
    Omitted,
    Unprotected,
    Protected {
        by: By,
        /// `, read by r`: who may read beside those who may write.
        read: Option<Expr>,
        /// `init g`: where some thread's `g` holds, `g` counts instead of what `by` says.
        init: Option<Expr>,
    },
}

#[derive(Clone, Debug)]
pub enum By {
    /// The exclusive access predicate of thread `Self_` for the cell `Parameter`.
    Predicate(Expr),
    /// A mutex, a reentrant mutex, or an rwlock.
    Lock(Place),
    /// A set of mutexes, all to be held for writing, one of them for reading.
    All(Vec<Place>),
}

impl Discipline {
    pub fn predicate(predicate: Expr) -> Discipline {
        Discipline::Protected {
            by: By::Predicate(predicate),
            read: None,
            init: None,
        }
    }

    pub fn lock(place: Place) -> Discipline {
        Discipline::Protected {
            by: By::Lock(place),
            read: None,
            init: None,
        }
    }
}

/// What references point into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arena {
    Pool(usize),
    /// A shared array variable of records.
    Array(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Bool,
    /// `lo..hi`, both inclusive.
    Range(i64, i64),
    /// `0..k-1`; assignments wrap.
    Mod(i64),
    Tone,
    /// A reference to one of the arena's slots, or [`NULL`].
    Ref(Arena, usize),
    /// A record, which has fields instead of a value.
    Record(usize),
}

impl Type {
    /// All values of the type, the lowest first.
    pub fn values(self) -> Vec<i64> {
        match self {
            Type::Bool | Type::Tone => vec![0, 1],
            Type::Range(low, high) => (low..=high).collect(),
            Type::Mod(k) => (0..k).collect(),
            Type::Ref(_, slots) => (NULL..slots as i64).collect(),
            Type::Record(_) => unreachable!("a record has no value"),
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

/// `proc name(parameters): result { locals body }`
#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: String,
    /// The parameters, and behind them the locals.
    pub variables: Vec<Variable>,
    /// How many of the variables are parameters.
    pub parameters: usize,
    pub result: Option<Type>,
    pub body: Vec<Stmt>,
}

impl Procedure {
    /// Whether a call is a step: it assigns the parameters and the initial values of locals.
    pub fn has_entry(&self, program: &Program) -> bool {
        self.parameters > 0
            || self
                .variables
                .iter()
                .any(|local| program.has_initial(local))
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
    /// Where the printer put its declaration, from 1.
    pub line: usize,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub labels: Vec<String>,
    pub kind: StmtKind,
    /// Where the printer put it, from 1.
    pub line: usize,
}

/// A read-modify-write operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    Cas,
    FetchAdd,
    Swap,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Skip,
    Assign(Place, Expr),
    Havoc(Place),
    /// `result = cas(place, old, new)` and its kin, or without a result.
    Exchange {
        operation: Exchange,
        result: Option<Place>,
        place: Place,
        operands: Vec<Expr>,
    },
    /// `choose place in low..high where place != not && condition`
    Pick {
        place: Place,
        range: (i64, i64),
        not: i64,
        condition: Expr,
    },
    Assert(Expr),
    Assume(Expr),
    When(Expr, Box<Stmt>),
    Lock(Place),
    Unlock(Place),
    ReadLock(Place),
    ReadUnlock(Place),
    WriteLock(Place),
    WriteUnlock(Place),
    /// `wait(c, m)`
    Wait(Place, Place),
    Notify(Place),
    NotifyAll(Place),
    Down(Place),
    Up(Place),
    Await(Place),
    /// `start(thread)`
    Start(usize),
    Join(usize),
    /// `place = new pool`
    New(Place, usize),
    /// `free(e)`, where `e` points into the pool.
    Free(Expr, usize),
    /// `place = f(arguments)`, or without a place.
    Call {
        result: Option<Place>,
        procedure: usize,
        arguments: Vec<Expr>,
    },
    Return(Option<Expr>),
    Goto(String),
    Atomic(Vec<Stmt>),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    Either(Vec<Vec<Stmt>>),
    /// What the compiler makes of some of the statements above; has no text.
    Part(Part),
}

/// Actions that are a part of a statement.
#[derive(Clone, Debug)]
pub enum Part {
    /// The first action of `wait(c, m)`.
    Sleep(Place, Place),
    /// The second action of `wait(c, m)`.
    Wake(Place, Place),
    /// The second action of `await(b)`.
    Pass(Place),
    /// What a thread does first that another one starts.
    Begin,
    /// A call's assignments to the parameters, and the initial values of locals.
    Enter(usize, Vec<Expr>),
    /// `return e` where the call drops the result.
    Drop(Expr),
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

/// A root and an index into it: `x`, `x[e]`, `p.f`, `a[e].f`, `p.f[e]`.
#[derive(Clone, Debug)]
pub struct Place {
    pub root: Root,
    pub index: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub enum Root {
    Shared(usize),
    /// A local variable of the thread at hand.
    Local(usize),
    Object(usize),
    Pool(usize),
    /// A parameter or local of a procedure: the thread at hand's copy.
    Frame {
        procedure: usize,
        variable: usize,
    },
    /// In the discipline of a field: a field of the same object.
    Sibling {
        record: usize,
        field: usize,
    },
    /// A field of the record at a place, or of the record that the reference at the place points to.
    Field {
        base: Box<Place>,
        record: usize,
        field: usize,
    },
}

impl From<Root> for Place {
    fn from(root: Root) -> Place {
        Place { root, index: None }
    }
}

impl Place {
    pub fn cell(root: Root, index: Expr) -> Place {
        Place {
            root,
            index: Some(Box::new(index)),
        }
    }

    /// `self.field`, a field of the given record.
    pub fn field(self, record: usize, field: usize) -> Place {
        let base = Box::new(self);
        Place::from(Root::Field {
            base,
            record,
            field,
        })
    }
}

/// The hidden state of an object that expressions may read.
#[derive(Clone, Debug)]
pub enum Hidden {
    Owner,
    Depth,
    Writer,
    /// Whether the thread of this number reads.
    Reading(Box<Expr>),
    /// Whether the thread of this number waits.
    Waiting(Box<Expr>),
    Value,
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
    /// `null`
    Null,
    /// `&P[e]`
    Reference(Arena, Box<Expr>),
    /// `P.allocated[e]`
    Allocated(usize, Box<Expr>),
    /// `m.owner` and the like.
    Hidden(Place, Hidden),
    /// `at(thread, label)`
    At(Box<Expr>, String),
    Not(Box<Expr>),
    /// `~e`
    Flip(Box<Expr>),
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
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
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

    /// `m.owner`
    pub fn owner(mutex: Place) -> Expr {
        Expr::Hidden(mutex, Hidden::Owner)
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
    /// No property: it may help to prove the hypotheses, and is judged itself by nobody.
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
    /// Whether the verdict is about it.
    pub fn is_checked(&self) -> bool {
        !matches!(
            self,
            Property::State {
                kind: StateKind::Lemma,
                ..
            }
        )
    }

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
    /// Whether the variable, or some field of it, has an initial value.
    pub fn has_initial(&self, variable: &Variable) -> bool {
        let Type::Record(record) = variable.ty else {
            return variable.initial.is_some();
        };
        self.records[record].fields.iter().any(|field| match field {
            Field::Data(data) => self.has_initial(&data.variable),
            Field::Object(_) => false,
        })
    }

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
