//! A typed program: threads of actions over finite variables.
//!
//! Names are gone: constants are folded, families are instantiated, loops over constants are unrolled, labels are
//! sets of locations. All edges that leave one location form one action. Everything that
//! consumes a program (interpreter, relations, reductions) starts from here.
//!
//! Architecture invariant: this module knows no BDD and no theorem; it only says what a step is.

mod actions;
mod calls;
mod cfg;
mod claims;
mod closed;
pub mod codes;
mod conditions;
mod constants;
mod disciplines;
mod elaborate;
mod exchanges;
mod expressions;
mod heap;
mod jumps;
mod locations;
mod objects;
mod operations;
mod order;
mod parametric;
mod places;
pub mod prefix;
mod procedures;
mod properties;
mod protections;
mod records;
mod results;
mod scope;
mod settled;
mod threads;
mod types;
mod uses;
mod variables;

pub use claims::Fronts;
pub use closed::{Closing, Eyes};
pub use disciplines::{differences, put};
pub use elaborate::{elaborate, elaborate_with, split_claims};
pub use expressions::apply;
pub(crate) use expressions::{Interval, interval, is_total};
pub use parametric::{Assumption, Family, Open, OpenDiscipline, Parametric, SELF, parametric};
pub use uses::{How, Use, each_use, waits_for_thread};

use crate::base::diagnostic::{Position, Span, position};
pub use crate::base::results::Failure;
use crate::base::results::Place;
use crate::model::text::ast::{BinaryOp, ExpectKind, PropertyKind};
use std::collections::{BTreeMap, BTreeSet};

/// Index into [`Program::cells`].
pub type CellId = usize;
/// Index into [`Program::arrays`].
pub type ArrayId = usize;
/// Index into [`Program::threads`]; also the value of `self` and of mutex owners.
pub type ThreadId = usize;
/// Index into [`Thread::locations`].
pub type LocId = usize;

/// The owner of a free mutex.
pub const NO_OWNER: i64 = -1;

/// The reference to nothing.
pub const NULL: i64 = -1;

/// The type of a cell: a bounded range of integers with a way of reading them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// How values are read.
    pub kind: Kind,
    /// Lowest value.
    pub lo: i64,
    /// Highest value.
    pub hi: i64,
    /// `mod k`: an assignment wraps instead of going wrong.
    pub wraps: bool,
}

impl Type {
    /// Number of values.
    pub fn size(&self) -> u64 {
        (self.hi - self.lo) as u64 + 1
    }

    /// Whether `value` belongs to the type.
    pub fn contains(&self, value: i64) -> bool {
        self.lo <= value && value <= self.hi
    }
}

/// How the integers of a type are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 0 is false, 1 is true.
    Bool,
    /// Themselves.
    Int,
    /// Positions in an enum, an index into [`Program::enums`].
    Enum(usize),
    /// Thread numbers, or [`NO_OWNER`].
    Owner,
    /// Slots of a pool, an index into [`Program::pools`], or [`NULL`].
    Ref(usize),
}

/// One state variable that holds one value.
#[derive(Clone, Debug)]
pub struct Cell {
    /// As the user writes it: `x[0]`, `m.owner`, `worker(0).t`.
    pub name: String,
    /// The variable it belongs to.
    pub array: ArrayId,
    /// Its type.
    pub ty: Type,
    /// Who may use it how: as its variable says, unless that was inferred cell by cell.
    pub class: Class,
    /// Its initial value, any value of the type if `None`.
    pub initial: Option<i64>,
}

/// A declared variable or mutex, a scalar being an array without dimensions.
#[derive(Clone, Debug)]
pub struct Array {
    /// As declared (`worker(0).t` for a thread-local).
    pub name: String,
    /// Sizes; cells are laid out with the last index running fastest.
    pub dims: Vec<usize>,
    /// First cell; the others follow.
    pub first: CellId,
    /// Number of cells.
    pub len: usize,
    /// Who may use it how, as declared.
    pub class: Class,
    /// The declared name.
    pub span: Span,
}

/// Who may use a variable, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The owner of a mutex, or the writer of a read-write lock.
    Owner,
    /// Other state of a synchronisation object: changed by operations only, and never protected.
    Sync,
    /// Shared, no constraint on its use; `declared` is false if the discipline word is missing.
    Unprotected {
        /// Whether the model says `unprotected`.
        declared: bool,
    },
    /// Shared, with exclusive access predicates.
    Protected,
    /// Used by one thread only.
    Local(ThreadId),
}

/// An expression over one state; constants are folded, so that no constant subexpression is left.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A value.
    Const(i64),
    /// A cell.
    Cell(CellId),
    /// An array cell with a computed index; an index outside goes wrong.
    Element(ArrayId, Vec<Expr>),
    /// The slot that a reference points to, as an index. Goes wrong if it is null, or if the slot is marked free in the
    /// array given (of a pool's `allocated` flags); looking there is no access.
    Via(Box<Expr>, Option<ArrayId>),
    /// The reference to the slot of this number, in a pool given by its number. Goes wrong if it has no such slot.
    Slot(Box<Expr>, usize),
    /// Whether the thread is at one of these locations (sorted).
    At(ThreadId, Vec<LocId>),
    /// Boolean complement.
    Not(Box<Expr>),
    /// Arithmetic negation.
    Neg(Box<Expr>),
    /// A binary operation; `&&`, `||`, `=>` evaluate their right side only when it matters.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// What an assignment writes.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A cell.
    Cell(CellId),
    /// An array cell with a computed index.
    Element(ArrayId, Vec<Expr>),
}

impl Failure {
    /// Why an operation is undefined, where it is.
    pub fn of(op: BinaryOp) -> Failure {
        match op {
            BinaryOp::Shl | BinaryOp::Shr => Failure::Shift,
            _ => Failure::Division,
        }
    }
}

/// A part of an effect; every path through an effect ends with [`Command::Goto`] unless it goes wrong before.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Index, then value, then the range check, then the write.
    Assign(Target, Expr),
    /// Any value of the type.
    Havoc(Target),
    /// Goes wrong where the condition is false.
    Check(Expr, Failure),
    /// A conditional.
    If(Expr, Vec<Command>, Vec<Command>),
    /// Any one of the branches.
    Choose(Vec<Vec<Command>>),
    /// The next location.
    Goto(LocId),
}

/// One way to leave a location: a guard that blocks, and an effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Disabled where this is false.
    pub guard: Option<Expr>,
    /// The effect.
    pub body: Vec<Command>,
    /// The statement.
    pub span: Span,
}

impl Edge {
    /// Calls `visit` with every expression that is not part of another.
    pub fn each_expression(&self, visit: &mut dyn FnMut(&Expr)) {
        self.guard.iter().for_each(&mut *visit);
        each_expression(&self.body, visit);
    }

    /// The locations that its steps lead to when they do not go wrong.
    pub fn targets(&self) -> Vec<LocId> {
        let mut all = Vec::new();
        gotos(&self.body, &mut all);
        all
    }
}

/// A point in a thread between two steps; its edges together are one action.
#[derive(Clone, Debug, PartialEq)]
pub struct Location {
    /// Label, or `line 12`; unique in its thread.
    pub name: String,
    /// The ways to leave it; empty at the end and at `wrong`.
    pub edges: Vec<Edge>,
    /// The statement, for its line.
    pub span: Span,
    /// What its name is made of.
    pub named: Named,
}

/// What the name of a location is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A label of the model's text.
    Label,
    /// The tool's name for the place where a thread waits to be started.
    Start,
    /// The line.
    Line,
    /// A label or line with the number of a copy.
    Copy,
    /// A label or line, and that part of a statement that is not its first, such as waking up.
    Part,
    /// The tool's name for where a thread ends or goes wrong.
    Rest,
}

impl Location {
    /// The locations that its steps lead to when they do not go wrong, sorted.
    pub fn targets(&self) -> Vec<LocId> {
        let mut all: Vec<LocId> = self.edges.iter().flat_map(Edge::targets).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Calls `visit` with every expression of commands that is not part of another.
fn each_expression(commands: &[Command], visit: &mut dyn FnMut(&Expr)) {
    let target = |t: &Target, visit: &mut dyn FnMut(&Expr)| match t {
        Target::Cell(_) => {}
        Target::Element(_, index) => index.iter().for_each(visit),
    };
    for command in commands {
        match command {
            Command::Assign(to, e) => {
                target(to, visit);
                visit(e);
            }
            Command::Havoc(to) => target(to, visit),
            Command::Check(e, _) => visit(e),
            Command::If(c, a, b) => {
                visit(c);
                each_expression(a, visit);
                each_expression(b, visit);
            }
            Command::Choose(branches) => branches.iter().for_each(|b| each_expression(b, visit)),
            Command::Goto(_) => {}
        }
    }
}

/// The locations that commands may go to, in the order of the text.
pub(crate) fn gotos(commands: &[Command], into: &mut Vec<LocId>) {
    for command in commands {
        match command {
            Command::Goto(l) => into.push(*l),
            Command::If(_, a, b) => {
                gotos(a, into);
                gotos(b, into);
            }
            Command::Choose(branches) => branches.iter().for_each(|b| gotos(b, into)),
            _ => {}
        }
    }
}

/// A thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    /// `a`, or `worker(0)`.
    pub name: String,
    /// `a`, or `worker`.
    pub family: String,
    /// The index in its family.
    pub index: Option<i64>,
    /// What its text calls that.
    pub parameter: Option<String>,
    /// Its locations; those with steps first.
    pub locations: Vec<Location>,
    /// Where it starts.
    pub initial: LocId,
    /// Where it waits to be started, if some `start` does that.
    pub unstarted: Option<LocId>,
    /// Where it has ended, if it can.
    pub end: Option<LocId>,
    /// Where it has gone wrong, if it can.
    pub wrong: Option<LocId>,
    /// Declared labels and the locations they name.
    pub labels: Vec<(String, Vec<LocId>)>,
}

impl Thread {
    /// The locations where a thread that is not enabled is no deadlock: ended, gone wrong, or not yet started.
    pub fn resting(&self) -> impl Iterator<Item = LocId> {
        self.unstarted.into_iter().chain(self.end).chain(self.wrong)
    }

    /// The locations with steps.
    pub fn steps(&self) -> impl Iterator<Item = LocId> + '_ {
        (0..self.locations.len()).filter(|&l| !self.locations[l].edges.is_empty())
    }

    /// Whether control that stays at these locations goes through each at most once.
    pub fn is_straight(&self, mut locations: BTreeSet<LocId>) -> bool {
        let mut into: BTreeMap<LocId, usize> = BTreeMap::new();
        for to in locations.iter().flat_map(|&l| self.locations[l].targets()) {
            *into.entry(to).or_default() += 1;
        }
        // Where nothing leads to, control begins; it is taken away with what leads from there.
        let first = |l: &LocId| !into.contains_key(l);
        let mut open: Vec<LocId> = locations.iter().copied().filter(first).collect();
        while let Some(l) = open.pop() {
            locations.remove(&l);
            for to in self.locations[l].targets() {
                if let Some(left) = into.get_mut(&to) {
                    *left -= 1;
                    if *left == 0 && locations.contains(&to) {
                        open.push(to);
                    }
                }
            }
        }
        locations.is_empty()
    }

    /// The locations that a label names, `end` and `wrong` included; `None` if there is no such label.
    pub fn label(&self, name: &str) -> Option<Vec<LocId>> {
        if let Some((_, locations)) = self.labels.iter().find(|(n, _)| n == name) {
            return Some(locations.clone());
        }
        match name {
            "end" => Some(self.end.into_iter().collect()),
            "wrong" => Some(self.wrong.into_iter().collect()),
            _ => None,
        }
    }
}

/// The exclusive access predicates of one protected cell: one expression per thread (Stoller & Cohen 2003, section 4).
#[derive(Clone, Debug)]
pub struct Protection {
    /// The cell.
    pub cell: CellId,
    /// `e_i^x`, indexed by thread: exclusive access.
    pub predicates: Vec<Expr>,
    /// `r_i^x`, where reading needs less than `e_i^x` (a reader lock, one of several mutexes).
    pub readers: Option<Vec<Expr>>,
    /// Inferred from regions of code that each thread keeps access in when it goes wrong: that it may gain access in
    /// that way is no reason for a step to be visible.
    pub regional: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A property of states, by name.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Invariant, lemma or reach.
    pub kind: PropertyKind,
    /// The state expression.
    pub expr: Expr,
    /// Where its name stands.
    pub span: Span,
}

/// A claim that blocks of threads may be treated as atomic: `transaction NAME { .. }`.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// Where that stands.
    pub span: Span,
    /// The block in each thread that has it, once for all its copies in a thread; none if no thread ever gets there.
    pub blocks: Vec<ClaimedBlock>,
    /// Local variables that are seen wherever they are: `observe x;`.
    pub observed: Vec<CellId>,
    /// Variables that are not seen: `hide x;`.
    pub hidden: Vec<CellId>,
    /// If a copy of the block begins with a loop: the same program with a location more, which says whether control is
    /// inside when it is at the first statement.
    pub split: Option<Box<Program>>,
}

impl Claim {
    /// Whether a condition holds wherever control can be inside a copy of the block.
    pub fn is_within(&self, holds: &dyn Fn(ThreadId, LocId) -> bool) -> bool {
        let within = |b: &ClaimedBlock| b.inside.iter().all(|l| holds(b.thread, *l));
        self.blocks.iter().all(within)
    }
}

/// A claimed block in one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedBlock {
    /// The thread.
    pub thread: ThreadId,
    /// Where it begins: locations at which control waits before its first action (sorted).
    pub entries: Vec<LocId>,
    /// The locations inside: control has taken the first action, and not left the block (sorted). Where a loop leads
    /// back to the first statement, that is among them, unless the program is [`Claim::split`].
    pub inside: Vec<LocId>,
    /// The edges that belong to the block, by location and number (sorted). Others may leave the same locations.
    pub edges: Vec<(LocId, usize)>,
}

impl ClaimedBlock {
    /// All edges that a thread takes as steps of the block: one that is inside takes no others.
    pub fn steps(&self, program: &Program) -> BTreeSet<(LocId, usize)> {
        let locations = &program.threads[self.thread].locations;
        let within = |&l: &LocId| (0..locations[l].edges.len()).map(move |n| (l, n));
        let within = self.inside.iter().flat_map(within);
        within.chain(self.edges.iter().copied()).collect()
    }
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name (empty for one declared in place).
    pub name: String,
    /// Its values.
    pub variants: Vec<String>,
}

/// What references point into: a pool, or an array of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// As declared.
    pub name: String,
    /// Number of slots.
    pub len: usize,
    /// Whether the model tells its slots apart: by `P[0]`, or `&P[0]`.
    pub named: bool,
}

/// A model after elaboration.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// All cells.
    pub cells: Vec<Cell>,
    /// All variables and mutexes.
    pub arrays: Vec<Array>,
    /// All enums.
    pub enums: Vec<Enum>,
    /// What references point into.
    pub pools: Vec<Pool>,
    /// The named constants: for those who tell of values, since in expressions they are folded.
    pub constants: Vec<(String, Kind, i64)>,
    /// All threads, by number.
    pub threads: Vec<Thread>,
    /// Predicates of the protected cells, in the order of cells.
    pub protections: Vec<Protection>,
    /// `init` expressions.
    pub init: Vec<Expr>,
    /// Invariants and reach properties.
    pub properties: Vec<Property>,
    /// Lemmas: facts for the invariant J, used where they are inductive.
    pub lemmas: Vec<Property>,
    /// Blocks that are claimed to be transactions.
    pub claims: Vec<Claim>,
    /// Where `deadlock_free` stands, if it is asked for.
    pub deadlock_free: Option<Span>,
    /// `expect` lines with their text.
    pub expects: Vec<(ExpectKind, String)>,
    /// Whether `-D` changed a constant (which switches the `expect` lines off).
    pub overridden: Vec<String>,
    /// Whether an error ends the system, as in DVE: the others' steps behind it are explored, but neither counted nor
    /// searched.
    pub errors_end: bool,
    /// The source text, for lines and quotations.
    pub source: String,
}

impl Program {
    /// The constants that were given, each with its value: with them its text is read again.
    pub fn defines(&self) -> Vec<(String, String)> {
        let given = self.overridden.iter().filter_map(|d| d.split_once('='));
        given
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect()
    }

    /// Whether another program has the same variables, threads and steps; disciplines and properties aside.
    pub fn moves_as(&self, other: &Program) -> bool {
        let cell = |c: &Cell| (c.array, c.ty, c.initial);
        let array = |a: &Array| (a.name.clone(), a.dims.clone(), a.first, a.len);
        self.cells.iter().map(cell).eq(other.cells.iter().map(cell))
            && self
                .arrays
                .iter()
                .map(array)
                .eq(other.arrays.iter().map(array))
            && self.pools == other.pools
            && self.threads == other.threads
            && self.init == other.init
    }

    /// That some thread has gone wrong.
    pub fn gone_wrong(&self) -> Expr {
        let threads = self.threads.iter().enumerate();
        let at = threads.filter_map(|(t, thread)| Some(Expr::At(t, vec![thread.wrong?])));
        expressions::balanced(BinaryOp::Or, at.collect(), Expr::FALSE)
    }

    /// Whether some thread has a place for going wrong.
    pub fn can_go_wrong(&self) -> bool {
        self.threads.iter().any(|t| t.wrong.is_some())
    }

    /// What a property asks for. If an error ends the system, states behind it do not count, except for questions about
    /// the error itself.
    pub fn asked(&self, kind: PropertyKind, expr: Expr) -> Expr {
        let gone = self.gone_wrong();
        if !self.errors_end || matches!(gone, Expr::Const(_)) {
            return expr;
        }
        if kind != PropertyKind::Reach {
            return Expr::Binary(BinaryOp::Or, Box::new(gone), Box::new(expr));
        }
        let mut named = false;
        expr.walk(&mut |e| {
            if let Expr::At(t, at) = e {
                named |= self.threads[*t].wrong.is_some_and(|l| at.contains(&l));
            }
        });
        match named {
            true => expr,
            false => {
                let not = Expr::Not(Box::new(gone));
                Expr::Binary(BinaryOp::And, Box::new(not), Box::new(expr))
            }
        }
    }

    /// Has all properties ask for what [`Program::asked`] says.
    pub fn end_with_errors(&mut self) {
        let meant = |p: &Program, all: &[Property]| -> Vec<Property> {
            let all = all.iter().cloned();
            all.map(|mut property| {
                property.expr = p.asked(property.kind, property.expr);
                property
            })
            .collect()
        };
        self.properties = meant(self, &self.properties);
        self.lemmas = meant(self, &self.lemmas);
    }

    /// The line a span begins on, from 1.
    pub fn line(&self, span: Span) -> usize {
        self.position(span).line
    }

    /// Where a span begins.
    pub fn position(&self, span: Span) -> Position {
        position(&self.source, span.start)
    }

    /// A thread at a location, as a sentence names it.
    pub fn place(&self, thread: ThreadId, location: LocId) -> Place {
        let thread = &self.threads[thread];
        let location = &thread.locations[location];
        Place {
            thread: thread.name.clone(),
            location: location.name.clone(),
            at: self.position(location.span),
        }
    }

    /// The first line of a span's text, white space folded.
    pub fn text(&self, span: Span) -> String {
        let text = self.source.get(span.start..span.end).unwrap_or_default();
        let line = text.trim().lines().next().unwrap_or_default();
        let mut folded = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if folded.chars().count() > 100 {
            folded = folded.chars().take(99).chain(['…']).collect();
        }
        folded
    }

    /// A value of a cell as the user writes it.
    pub fn show(&self, cell: CellId, value: i64) -> String {
        match self.cells[cell].ty.kind {
            Kind::Bool => if value == 0 { "false" } else { "true" }.to_string(),
            Kind::Int => value.to_string(),
            Kind::Enum(e) => self.enums[e]
                .variants
                .get(value as usize)
                .cloned()
                .unwrap_or_else(|| value.to_string()),
            Kind::Ref(_) if value == NULL => "null".to_string(),
            Kind::Ref(pool) => format!("&{}[{value}]", self.pools[pool].name),
            Kind::Owner if value == NO_OWNER => "none".to_string(),
            Kind::Owner => self
                .threads
                .get(value as usize)
                .map_or_else(|| value.to_string(), |t| t.name.clone()),
        }
    }

    /// The index of the protection of a cell, if it is protected.
    pub fn protection_of(&self, cell: CellId) -> Option<usize> {
        self.protections
            .binary_search_by_key(&cell, |p| p.cell)
            .ok()
    }

    /// The cells of a variable.
    pub fn cells_of(&self, array: ArrayId) -> std::ops::Range<CellId> {
        let a = &self.arrays[array];
        a.first..a.first + a.len
    }

    /// The indices of a cell in its variable.
    pub fn indices(&self, cell: CellId) -> Vec<usize> {
        let array = &self.arrays[self.cells[cell].array];
        let mut rest = cell - array.first;
        let mut all: Vec<usize> = array
            .dims
            .iter()
            .rev()
            .map(|d| {
                let i = rest % d;
                rest /= d;
                i
            })
            .collect();
        all.reverse();
        all
    }

    /// The cell that indices (already evaluated) select, `None` if one is outside.
    pub fn element(&self, array: ArrayId, index: &[i64]) -> Option<CellId> {
        let a = &self.arrays[array];
        let mut offset = 0;
        for (&i, &d) in index.iter().zip(&a.dims) {
            if i < 0 || i as u64 >= d as u64 {
                return None;
            }
            offset = offset * d + i as usize;
        }
        Some(a.first + offset)
    }

    /// The cell, if all indices are constant and inside.
    fn constant_cell(&self, array: ArrayId, index: &[Expr]) -> Option<CellId> {
        let value = |e: &Expr| match e {
            Expr::Const(c) => Some(*c),
            _ => None,
        };
        let values: Option<Vec<i64>> = index.iter().map(value).collect();
        self.element(array, &values?)
    }
}

impl Expr {
    /// The constant true.
    pub const TRUE: Expr = Expr::Const(1);
    /// The constant false.
    pub const FALSE: Expr = Expr::Const(0);

    /// Calls `f` on this expression and everything in it, outermost first.
    pub fn walk(&self, f: &mut impl FnMut(&Expr)) {
        f(self);
        match self {
            Expr::Const(_) | Expr::Cell(_) | Expr::At(..) => {}
            Expr::Element(_, index) => index.iter().for_each(|e| e.walk(f)),
            Expr::Not(e) | Expr::Neg(e) | Expr::Via(e, _) | Expr::Slot(e, _) => e.walk(f),
            Expr::Binary(_, a, b) => {
                a.walk(f);
                b.walk(f);
            }
            Expr::Cond(c, a, b) => {
                c.walk(f);
                a.walk(f);
                b.walk(f);
            }
        }
    }
}
