//! What a program of the second part is about: what protects the variable, where it lives, and what else there is.

use super::ast::Type;
use super::choices::Choices;

/// Names of the families and how many members they have.
pub type Layout = Vec<(&'static str, Option<usize>)>;

/// What protects the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    Mutex,
    Reentrant,
    RwLock,
    /// Two mutexes: both to write, one of them to read.
    Set,
    /// A semaphore; the discipline speaks of the locations behind `down`.
    Semaphore,
    /// One thread uses the variable before a barrier, the others behind it.
    Barrier,
    /// The variable is passed on by `start` and `join`.
    Joined,
    /// It is unprotected.
    Nothing,
}

/// Where the variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// `x`, protected by `m`.
    Variable,
    /// `x[2]`, each cell protected by its `m[k]`.
    Cells,
    /// `r.value`, protected by `r.guard`.
    Record,
    /// `r.inner.value`
    Nested,
    /// `a[e].value`
    Records,
    /// `p.value`, where `p` points into the array `a`.
    Pointed,
    /// `p.value`, where `p` points into the pool `P`.
    Pool,
}

/// How the procedure is used, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Procedures {
    None,
    /// It contains whole sections.
    Sections,
    /// It contains accesses, for sections.
    Accesses,
}

#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    pub guard: Guard,
    pub home: Home,
    pub monitor: bool,
    pub procedures: Procedures,
    /// The first thread initialises the variable without its guard.
    pub init: bool,
    /// The first thread starts or joins the last one.
    pub starts: bool,
    /// The type of the variable's cells.
    pub ty: Type,
    /// How many threads there are.
    pub threads: usize,
    /// The variable, or the record or array with it, unless it is in the pool.
    pub shared: Option<usize>,
    /// An unprotected boolean variable.
    pub flag: Option<usize>,
    /// An unprotected reference into the pool.
    pub head: Option<usize>,
    /// Whether the record has a field `next`, a reference into the pool.
    pub next: bool,
}

/// A combination that leaves room for both to be used.
pub fn scenario(choices: &mut Choices, layout: &Layout) -> Scenario {
    use Guard::{Barrier, Joined, Mutex, Nothing, Reentrant, RwLock, Semaphore, Set};
    use Home::{Cells, Nested, Pointed, Pool, Record, Records, Variable};
    let singles = layout[0].1.is_none();
    let (guard, home) = choices.weighted(&[
        (3, (RwLock, Variable)),
        (4, (Reentrant, Variable)),
        (5, (Mutex, Variable)),
        (2, (Set, Variable)),
        (2, (Semaphore, Variable)),
        (2, (Barrier, Variable)),
        (if singles { 3 } else { 0 }, (Joined, Variable)),
        (1, (Mutex, Cells)),
        (1, (Reentrant, Cells)),
        (1, (RwLock, Cells)),
        (2, (Mutex, Record)),
        (1, (RwLock, Record)),
        (1, (Set, Record)),
        (1, (Reentrant, Nested)),
        (2, (Mutex, Records)),
        (3, (Mutex, Pointed)),
        (3, (Mutex, Pool)),
        (1, (RwLock, Pool)),
        (4, (Nothing, Pool)),
    ]);
    let lockable = matches!(guard, Mutex | Reentrant) && home == Variable;
    let regions = matches!(guard, Semaphore | Barrier | Joined);
    let plain = guard == Mutex && home == Variable;
    // A plain mutex alone is what the other samples are about.
    let extra = choices.weighted(&[
        (if plain { 0 } else { 6 }, 0),
        (if lockable { 6 } else { 0 }, 1),
        (if regions || home == Pool { 0 } else { 2 }, 2),
        (if regions || home == Pool { 0 } else { 2 }, 3),
        (if regions || guard == Nothing { 0 } else { 3 }, 4),
        (if singles && guard != Joined { 1 } else { 0 }, 5),
    ]);
    let ty = choices.one_of(&[
        Type::Range(0, 1),
        Type::Bool,
        Type::Range(0, 1),
        Type::Range(0, 2),
    ]);
    Scenario {
        guard,
        home,
        monitor: extra == 1,
        procedures: match extra {
            2 => Procedures::Sections,
            3 => Procedures::Accesses,
            _ => Procedures::None,
        },
        init: extra == 4,
        starts: extra == 5 || guard == Joined,
        ty,
        threads: layout.iter().map(|(_, members)| members.unwrap_or(1)).sum(),
        shared: None,
        flag: None,
        head: None,
        next: home == Pool && choices.once_in(3),
    }
}
