//! A program as code over packed states.
//!
//! Names of variables have become masks; comparisons with constants test bits, constant assignments set them. Accesses
//! are noted for protected cells only, since only their discipline can be violated; or for all that threads share, if
//! that is wanted: then nothing is merged that would hide an access.

use super::layout::{Field, Layout};
use super::shared::Shared;
use crate::base::control::{Control, Stop};
use crate::engine::Variable;
use crate::model::program::{
    ArrayId, CellId, Command, Expr, Program, Protection, Target, ThreadId, Type, apply,
};
use crate::model::text::ast::BinaryOp;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Code {
    Const(i64),
    Field(Field),
    /// A cell whose accesses are noted, by the number under which they are.
    Guarded(Field, u32),
    /// Whether the masked bits of a word are these.
    Is {
        word: u32,
        mask: u64,
        bits: u64,
    },
    Element(Box<Element>),
    Via(Box<Code>, Option<Arc<[Place]>>),
    Slot(Box<Code>, i64),
    /// Whether a location is in a set of bits.
    Among(Field, Box<[u64]>, Option<u32>),
    Not(Box<Code>),
    Neg(Box<Code>),
    Binary(BinaryOp, Box<[Code; 2]>),
    Cond(Box<[Code; 3]>),
}

/// A computed place in an array.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub index: Box<[Code]>,
    pub dims: Box<[usize]>,
    pub cells: Arc<[Place]>,
}

/// A cell to be read or written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub field: Field,
    pub ty: Type,
    /// Where its accesses are noted, if they are: under the number of its protection, or of all that is shared.
    pub guarded: Option<u32>,
}

/// Where an assignment goes.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    Place(Place),
    Element(Box<Element>),
}

/// A part of an effect.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// Constants into unprotected cells and locations of one word.
    Put {
        word: u32,
        clear: u64,
        bits: u64,
    },
    Set(Goal, Code),
    Havoc(Goal),
    /// Goes wrong where it is false.
    Check(Code),
    If(Code, Box<[Op]>, Box<[Op]>),
    Choose(Box<[Box<[Op]>]>),
}

/// One way to leave a location. It is closed if a test fails; the rest of the guard is evaluated only if no test fails.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The edge, by its number at the location.
    pub edge: usize,
    pub tests: Box<[Test]>,
    pub guard: Option<Code>,
    pub body: Box<[Op]>,
}

/// Whether the masked bits of a word are these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    pub word: u32,
    pub mask: u64,
    pub bits: u64,
}

impl Way {
    /// Whether all tests are passed.
    #[inline]
    pub fn passes(&self, state: &[u64]) -> bool {
        self.tests
            .iter()
            .all(|t| state[t.word as usize] & t.mask == t.bits)
    }

    /// A way, if its guard is ever true. Tests come first, but not before anything that can fail: then the step would
    /// go wrong.
    fn new(edge: usize, guard: Option<Code>, body: Box<[Op]>) -> Option<Self> {
        let (mut tests, mut rest): (Vec<Test>, Vec<Code>) = (Vec::new(), Vec::new());
        let mut open: Vec<Code> = guard.into_iter().collect();
        let mut total = true;
        while let Some(code) = open.pop() {
            match code {
                Code::Binary(BinaryOp::And, both) => {
                    let [a, b] = *both;
                    open.extend([b, a]);
                }
                Code::Is { word, mask, bits } if total => {
                    match tests.iter_mut().find(|t| t.word == word) {
                        Some(t) if (t.bits ^ bits) & t.mask & mask != 0 => return None,
                        Some(t) => {
                            t.mask |= mask;
                            t.bits |= bits;
                        }
                        None => tests.push(Test { word, mask, bits }),
                    }
                }
                Code::Const(0) if total => return None,
                Code::Const(v) if v != 0 => {}
                code => {
                    total &= code.is_total();
                    rest.push(code);
                }
            }
        }
        let all = |a, b| Code::Binary(BinaryOp::And, Box::new([a, b]));
        Some(Way {
            edge,
            tests: tests.into(),
            guard: rest.into_iter().reduce(all),
            body,
        })
    }
}

impl Code {
    /// Whether it has a value in every state.
    fn is_total(&self) -> bool {
        match self {
            Code::Const(_)
            | Code::Field(_)
            | Code::Guarded(..)
            | Code::Is { .. }
            | Code::Among(..) => true,
            Code::Element(_) | Code::Via(..) | Code::Slot(..) => false,
            Code::Not(e) | Code::Neg(e) => e.is_total(),
            Code::Binary(op, both) => {
                use BinaryOp::{Div, Rem, Shl, Shr};
                !matches!(op, Div | Rem | Shl | Shr) && both.iter().all(Code::is_total)
            }
            Code::Cond(parts) => parts.iter().all(Code::is_total),
        }
    }
}

/// A location.
#[derive(Clone, Debug)]
pub(super) struct Here {
    pub ways: Box<[Way]>,
    /// Protections whose predicates may change with a step from here.
    pub changes: Box<[u32]>,
    /// A thread here waits for nothing.
    pub resting: bool,
}

/// A protection.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    pub predicates: Box<[Code]>,
    pub readers: Option<Box<[Code]>>,
    /// No two predicates can hold together, whatever the state.
    pub apart: bool,
}

/// A program ready to be run.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Where its variables lie.
    pub layout: Layout,
    pub(super) threads: Vec<Vec<Here>>,
    /// Where a thread goes when it goes wrong.
    pub(super) wrong: Vec<Option<i64>>,
    pub(super) guards: Vec<Guard>,
    /// What accesses are noted of, if not of protected cells only.
    pub(super) shared: Option<Shared>,
}

impl Compiled {
    /// Compiles a program, its variables in this order.
    ///
    /// # Errors
    /// As [`Control::check`].
    pub fn new(program: &Program, order: &[Variable], control: &Control) -> Result<Self, Stop> {
        Compiled::noting(program, order, None, control)
    }

    /// Compiles a program so that all accesses are noted.
    ///
    /// # Errors
    /// As [`Control::check`].
    pub fn traced(
        program: &Program,
        order: &[Variable],
        shared: Shared,
        control: &Control,
    ) -> Result<Self, Stop> {
        Compiled::noting(program, order, Some(shared), control)
    }

    /// What accesses are noted of, if all are.
    pub fn shared(&self) -> Option<&Shared> {
        self.shared.as_ref()
    }

    fn noting(
        program: &Program,
        order: &[Variable],
        shared: Option<Shared>,
        control: &Control,
    ) -> Result<Self, Stop> {
        let layout = Layout::new(program, order);
        let places = Known::default();
        let compiler = Compiler {
            program,
            layout: &layout,
            notes: match &shared {
                None => Notes::Protected,
                Some(shared) => Notes::All(shared),
            },
            places: &places,
        };
        let plain = Compiler {
            notes: Notes::Nothing,
            places: &Known::default(),
            ..compiler
        };
        let guards: Vec<Guard> = program
            .protections
            .iter()
            .map(|p| plain.protection(p))
            .collect();
        let supports: Vec<Support> = program
            .protections
            .iter()
            .map(|p| Support::of(program, p))
            .collect();
        let mut threads = Vec::new();
        for t in 0..program.threads.len() {
            threads.push(compiler.thread(t, &supports, control)?);
        }
        Ok(Compiled {
            threads,
            wrong: program
                .threads
                .iter()
                .map(|t| t.wrong.map(|l| l as i64))
                .collect(),
            guards,
            layout,
            shared,
        })
    }

    /// A state expression; what it reads is noted only where all accesses are.
    pub(super) fn expression(&self, program: &Program, e: &Expr) -> Code {
        let compiler = Compiler {
            program,
            layout: &self.layout,
            notes: match &self.shared {
                None => Notes::Nothing,
                Some(shared) => Notes::All(shared),
            },
            places: &Known::default(),
        };
        compiler.code(e)
    }
}

/// What a protection's predicates depend on.
struct Support {
    cells: Vec<CellId>,
    threads: Vec<ThreadId>,
}

impl Support {
    fn of(program: &Program, p: &Protection) -> Self {
        let (mut cells, mut threads) = (Vec::new(), Vec::new());
        for e in p.predicates.iter().chain(p.readers.iter().flatten()) {
            e.walk(&mut |e| match e {
                Expr::Cell(c) => cells.push(*c),
                Expr::Element(a, _) => cells.extend(program.cells_of(*a)),
                Expr::Via(_, Some(a)) => cells.extend(program.cells_of(*a)),
                Expr::At(t, _) => threads.push(*t),
                _ => {}
            });
        }
        cells.sort_unstable();
        threads.sort_unstable();
        Support { cells, threads }
    }
}

#[derive(Clone, Copy)]
struct Compiler<'a> {
    program: &'a Program,
    layout: &'a Layout,
    notes: Notes<'a>,
    places: &'a Known,
}

/// Which accesses are noted.
#[derive(Clone, Copy)]
enum Notes<'a> {
    Nothing,
    /// Those to protected cells.
    Protected,
    All(&'a Shared),
}

/// The cells of arrays.
type Known = RefCell<FxHashMap<ArrayId, Arc<[Place]>>>;

impl Compiler<'_> {
    fn thread(
        &self,
        t: ThreadId,
        supports: &[Support],
        control: &Control,
    ) -> Result<Vec<Here>, Stop> {
        let thread = &self.program.threads[t];
        let resting: Vec<usize> = thread.resting().collect();
        thread
            .locations
            .iter()
            .enumerate()
            .map(|(l, location)| {
                control.check()?;
                let mut written = Vec::new();
                for edge in &location.edges {
                    self.written(&edge.body, &mut written);
                }
                written.sort_unstable();
                let changed = |s: &Support| {
                    // A step moves its own thread, too.
                    s.threads.binary_search(&t).is_ok()
                        || s.cells.iter().any(|c| written.binary_search(c).is_ok())
                };
                Ok(Here {
                    ways: location
                        .edges
                        .iter()
                        .enumerate()
                        .filter_map(|(n, edge)| {
                            let guard = edge.guard.as_ref().map(|g| self.code(g));
                            Way::new(n, guard, self.block(t, &edge.body))
                        })
                        .collect(),
                    changes: supports
                        .iter()
                        .enumerate()
                        .filter(|(_, s)| changed(s))
                        .map(|(n, _)| n as u32)
                        .collect(),
                    resting: resting.contains(&l),
                })
            })
            .collect()
    }

    fn written(&self, commands: &[Command], into: &mut Vec<CellId>) {
        for command in commands {
            match command {
                Command::Assign(target, _) | Command::Havoc(target) => match target {
                    Target::Cell(c) => into.push(*c),
                    Target::Element(a, _) => into.extend(self.program.cells_of(*a)),
                },
                Command::If(_, a, b) => {
                    self.written(a, into);
                    self.written(b, into);
                }
                Command::Choose(branches) => {
                    branches.iter().for_each(|b| self.written(b, into));
                }
                Command::Check(..) | Command::Goto(_) => {}
            }
        }
    }

    fn protection(&self, p: &Protection) -> Guard {
        let all = |of: &[Expr]| of.iter().map(|e| self.code(e)).collect::<Box<[Code]>>();
        let predicates = all(&p.predicates);
        let tested = |c: &Code| match c {
            Code::Is { word, mask, bits } => Some((*word, *mask, *bits)),
            _ => None,
        };
        let tests: Option<Vec<(u32, u64, u64)>> = predicates.iter().map(tested).collect();
        let apart = p.readers.is_none()
            && tests.is_some_and(|mut tests| {
                let same = tests
                    .windows(2)
                    .all(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1));
                tests.sort_unstable();
                same && tests.windows(2).all(|w| w[0] != w[1])
            });
        Guard {
            apart,
            predicates,
            readers: p.readers.as_ref().map(|r| all(r)),
        }
    }

    fn guarded(&self, cell: CellId) -> Option<u32> {
        match self.notes {
            Notes::Nothing => None,
            Notes::Protected => Some(self.program.protection_of(cell)? as u32),
            Notes::All(shared) => Some(shared.cell(cell)),
        }
    }

    fn place(&self, cell: CellId) -> Place {
        Place {
            field: self.layout.cells[cell],
            ty: self.program.cells[cell].ty,
            guarded: self.guarded(cell),
        }
    }

    /// The cells of an array, the same list for all who use it.
    fn places(&self, array: ArrayId) -> Arc<[Place]> {
        let mut known = self.places.borrow_mut();
        let all = || {
            self.program
                .cells_of(array)
                .map(|c| self.place(c))
                .collect()
        };
        Arc::clone(known.entry(array).or_insert_with(all))
    }

    fn element(&self, array: ArrayId, index: &[Expr]) -> Box<Element> {
        Box::new(Element {
            index: index.iter().map(|e| self.code(e)).collect(),
            dims: self.program.arrays[array].dims.clone().into(),
            cells: self.places(array),
        })
    }

    fn code(&self, e: &Expr) -> Code {
        match e {
            Expr::Const(c) => Code::Const(*c),
            Expr::Cell(c) => match self.guarded(*c) {
                Some(p) => Code::Guarded(self.layout.cells[*c], p),
                None => Code::Field(self.layout.cells[*c]),
            },
            Expr::Element(array, index) => Code::Element(self.element(*array, index)),
            Expr::Via(e, allocated) => {
                Code::Via(Box::new(self.code(e)), allocated.map(|a| self.places(a)))
            }
            Expr::Slot(e, pool) => {
                Code::Slot(Box::new(self.code(e)), self.program.pools[*pool].len as i64)
            }
            Expr::At(t, locations) => {
                let field = self.layout.locations[*t];
                let noted = match self.notes {
                    Notes::All(shared) => shared.place(*t, locations),
                    Notes::Nothing | Notes::Protected => None,
                };
                if let ([one], None) = (locations.as_slice(), noted) {
                    return is(field, *one as i64);
                }
                let last = locations.iter().max().copied().unwrap_or(0);
                let mut set = vec![0u64; last / 64 + 1];
                for l in locations {
                    set[l / 64] |= 1 << (l % 64);
                }
                Code::Among(field, set.into(), noted)
            }
            Expr::Not(e) => Code::Not(Box::new(self.code(e))),
            Expr::Neg(e) => Code::Neg(Box::new(self.code(e))),
            Expr::Binary(op, a, b) => self
                .compared(*op, a, b)
                .unwrap_or_else(|| binary(*op, self.code(a), self.code(b))),
            Expr::Cond(c, a, b) => Code::Cond(Box::new([self.code(c), self.code(a), self.code(b)])),
        }
    }

    /// The comparison of a cell with a constant, where one value or all but one satisfy it.
    fn compared(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<Code> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let (cell, constant, op) = match (a, b, op) {
            (Expr::Cell(c), Expr::Const(v), Eq | Ne | Lt | Le | Gt | Ge) => (*c, *v, op),
            (Expr::Const(v), Expr::Cell(c), Eq | Ne) => (*c, *v, op),
            (Expr::Const(v), Expr::Cell(c), Lt) => (*c, *v, Gt),
            (Expr::Const(v), Expr::Cell(c), Le) => (*c, *v, Ge),
            (Expr::Const(v), Expr::Cell(c), Gt) => (*c, *v, Lt),
            (Expr::Const(v), Expr::Cell(c), Ge) => (*c, *v, Le),
            _ => return None,
        };
        let ty = self.program.cells[cell].ty;
        if self.guarded(cell).is_some() || ty.size() > MANY && !matches!(op, Eq | Ne) {
            return None;
        }
        if ty.size() > MANY {
            let equal = is(self.layout.cells[cell], constant);
            return Some(match op {
                Eq => equal,
                _ => Code::Not(Box::new(equal)),
            });
        }
        let satisfied = |v: &i64| apply(op, *v, constant) == Some(1);
        let (yes, no): (Vec<i64>, Vec<i64>) = (ty.lo..=ty.hi).partition(satisfied);
        let field = self.layout.cells[cell];
        match (yes.as_slice(), no.as_slice()) {
            ([], _) => Some(Code::Const(0)),
            (_, []) => Some(Code::Const(1)),
            ([one], _) => Some(is(field, *one)),
            (_, [one]) => Some(Code::Not(Box::new(is(field, *one)))),
            _ => None,
        }
    }

    fn block(&self, t: ThreadId, commands: &[Command]) -> Box<[Op]> {
        let mut ops: Vec<Op> = Vec::new();
        for command in commands {
            let op = match command {
                Command::Assign(target, value) => {
                    let goal = self.goal(target);
                    let code = self.code(value);
                    match (&goal, &code) {
                        (Goal::Place(p), Code::Const(v))
                            if p.guarded.is_none() && p.ty.contains(*v) =>
                        {
                            put(p.field, *v)
                        }
                        _ => Op::Set(goal, code),
                    }
                }
                Command::Havoc(target) => Op::Havoc(self.goal(target)),
                Command::Check(e, _) => Op::Check(self.code(e)),
                Command::If(c, a, b) => Op::If(self.code(c), self.block(t, a), self.block(t, b)),
                Command::Choose(branches) => {
                    Op::Choose(branches.iter().map(|b| self.block(t, b)).collect())
                }
                Command::Goto(l) => put(self.layout.locations[t], *l as i64),
            };
            // Constants into one word are one operation; a later one counts.
            if let (
                Some(Op::Put { word, clear, bits }),
                Op::Put {
                    word: w,
                    clear: c,
                    bits: b,
                },
            ) = (ops.last_mut(), &op)
                && word == w
            {
                *bits = *bits & !c | b;
                *clear |= c;
                continue;
            }
            ops.push(op);
        }
        ops.into()
    }

    fn goal(&self, target: &Target) -> Goal {
        match target {
            Target::Cell(c) => Goal::Place(self.place(*c)),
            Target::Element(array, index) => Goal::Element(self.element(*array, index)),
        }
    }
}

/// Types with at most this many values are compared value by value.
const MANY: u64 = 64;

fn put(field: Field, value: i64) -> Op {
    Op::Put {
        word: field.word,
        clear: field.mask << field.shift,
        bits: field.bits(value),
    }
}

/// Whether a field has a value; false if it has no such value.
fn is(field: Field, value: i64) -> Code {
    if value < field.lo || (value - field.lo) as u64 > field.mask {
        return Code::Const(0);
    }
    Code::Is {
        word: field.word,
        mask: field.mask << field.shift,
        bits: field.bits(value),
    }
}

fn binary(op: BinaryOp, a: Code, b: Code) -> Code {
    match (op, &a, &b) {
        (
            BinaryOp::And,
            &Code::Is { word, mask, bits },
            &Code::Is {
                word: w,
                mask: m,
                bits: b,
            },
        ) if word == w => {
            if (bits ^ b) & mask & m != 0 {
                return Code::Const(0);
            }
            Code::Is {
                word,
                mask: mask | m,
                bits: bits | b,
            }
        }
        _ => Code::Binary(op, Box::new([a, b])),
    }
}
