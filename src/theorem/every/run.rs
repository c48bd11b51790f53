//! Symbolic execution of steps of generic threads, one path at a time.
//!
//! A value is a linear term over what the state before held, the open constant and the indices of the threads. Whether
//! two cells of a variable are one is a matter of their indices: where the conditions so far leave it open, the path
//! divides. So a path always knows which cells it has met, and no two of them are the same cell by accident.

use super::linear::{Atom, Linear, Literal, contradicts};
use crate::base::control::{Control, Stop};
use crate::base::results::Obstacle;
use crate::model::program::{ArrayId, CellId, Expr, LocId, Parametric, SELF, ThreadId, apply};
use crate::model::text::ast::BinaryOp;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A variable, or a family of variables with one for each thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Key {
    /// A shared variable.
    Shared(ArrayId),
    /// The variable of that name of each thread of a family; its first index is the thread's.
    Own(usize, String),
    /// Where each thread of a family is.
    Location(usize),
    /// Whether the discipline has been violated.
    Violated,
}

/// What an atom stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Unknown {
    /// The open constant, or a thread's index.
    Named(String),
    /// What a cell holds in the state before.
    Cell(Key, Vec<Linear>),
    /// An arbitrary value, chosen by a thread's step at a place.
    Arbitrary(usize, ThreadId, LocId, usize),
    /// An operation that is not linear.
    Operation(BinaryOp, Linear, Linear),
    /// Whether predicates overlap for a cell: the discipline, its indices, what the predicates' variables hold.
    Overlap(usize, Vec<Linear>, Writes),
    /// Whether they do for some cell whose predicates a step changed: what their variables hold before and behind.
    Changed(usize, Writes, Writes),
}

/// Cells that were written, and their values.
pub(super) type Writes = Vec<(Key, Vec<Linear>, Linear)>;

/// A generic thread.
#[derive(Clone, Debug)]
pub(super) struct Generic {
    /// Which of the threads in question it is.
    pub number: usize,
    /// A thread of the instance with its text.
    pub like: ThreadId,
    /// Its family.
    pub family: usize,
    /// Its index.
    pub index: Linear,
}

/// Conditions, and the state that a path has reached.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    conditions: Vec<Literal>,
    /// Cells of the state before that were met, each with its atom.
    met: Vec<(Key, Vec<Linear>, Atom)>,
    /// What was written, the last behind.
    pub writes: Writes,
    /// Shared cells that the step has read or written so far.
    pub accesses: Vec<(ArrayId, Vec<Linear>, bool)>,
    /// Overlaps that are taken to be none.
    pub denied: Vec<Denied>,
    /// Which ways steps took, where there was a choice.
    pub ways: FxHashMap<Choice, usize>,
    /// How often each place was left.
    pub left: FxHashMap<(usize, LocId), usize>,
}

/// A step after which predicates are taken not to overlap for a cell that it accessed, or whose predicates it
/// changed.
#[derive(Clone, Debug)]
pub(super) struct Denied {
    /// The discipline.
    pub discipline: usize,
    /// How many writes were made before the step, and behind it.
    pub writes: (usize, usize),
    /// The cells that it accessed.
    pub accessed: Vec<Vec<Linear>>,
    /// Whether only those count.
    pub only_accessed: bool,
}

/// A choice that a step of a generic thread has: the thread's number, the place, how often that was left before, and
/// which choice of the step it is.
pub(super) type Choice = (usize, LocId, usize, usize);

/// Why nothing can be said.
#[derive(Debug)]
pub enum Unsaid {
    /// A limit was hit.
    Stopped(Stop),
    /// What is not for all values.
    Because(Obstacle),
}

impl From<Stop> for Unsaid {
    fn from(stop: Stop) -> Self {
        Unsaid::Stopped(stop)
    }
}

pub type Said<T> = Result<T, Unsaid>;

/// Where paths come from.
pub(super) struct Machine<'p> {
    pub parametric: &'p Parametric,
    pub control: &'p Control,
    /// The thread whose variable each array is, and the variable's own name.
    pub owners: Vec<Owner>,
    atoms: RefCell<Atoms>,
    /// Paths so far, of those that may be.
    paths: Cell<usize>,
}

#[derive(Default)]
struct Atoms {
    all: Vec<Rc<Unknown>>,
    known: FxHashMap<Rc<Unknown>, Atom>,
}

/// What the open cells stand for.
pub(super) type Values = FxHashMap<CellId, Linear>;

/// Who evaluates an expression.
#[derive(Clone)]
pub(super) struct View<'g> {
    pub thread: &'g Generic,
    /// Indices of a cell whose predicate is evaluated.
    pub binders: Values,
    /// Whether reads are accesses.
    pub accesses: bool,
}

/// More paths than this are not followed for one question.
const MOST_PATHS: usize = 200_000;

/// Indices on each of some paths; none where the evaluation fails.
pub(super) type Indexed = Vec<(Run, Option<Vec<Linear>>)>;

/// A location on each of some paths.
pub(super) type Placed = Vec<(Run, LocId)>;

/// The thread whose variable an array is, and the variable's own name.
pub(super) type Owner = Option<(ThreadId, String)>;

/// A value on each of some paths; none where the evaluation fails.
pub(super) type Valued = Vec<(Run, Option<Linear>)>;

impl Run {
    /// Whether a condition holds, or does not, because it is one of the path's.
    fn known(&self, literal: &Literal) -> Option<bool> {
        if let Some(value) = literal.value() {
            return Some(value);
        }
        if self.conditions.contains(literal) {
            return Some(true);
        }
        self.conditions
            .contains(&literal.not().normal())
            .then_some(false)
    }

    /// The path with one more condition.
    fn given(&self, literal: Literal) -> Run {
        let mut more = self.clone();
        more.conditions.push(literal);
        more
    }

    /// What a cell held in the state before, if the conditions say so.
    pub fn base_value(&self, key: &Key, index: &[Linear]) -> Option<Linear> {
        let met = self.met.iter().find(|(k, i, _)| k == key && i == index)?;
        let atom = met.2;
        self.conditions.iter().find_map(|literal| match literal {
            Literal::Zero(x) if x.terms.len() == 1 => {
                let c = x.coefficient(atom)?;
                (c.abs() == 1).then(|| Linear::constant(-x.constant * c))
            }
            _ => None,
        })
    }

    /// Where a thread has gone, if it has taken a step.
    pub fn location_of(&self, thread: &Generic) -> Option<LocId> {
        let key = Key::Location(thread.family);
        let is_it = |w: &&(Key, Vec<Linear>, Linear)| {
            w.0 == key && w.1.as_slice() == std::slice::from_ref(&thread.index)
        };
        let (_, _, value) = self.writes.iter().rfind(is_it)?;
        usize::try_from(value.value()?).ok()
    }

    /// A term with what the conditions say of single cells put in.
    pub fn settled(&self, x: &Linear) -> Linear {
        let mut settled = x.clone();
        for literal in &self.conditions {
            if let Literal::Zero(e) = literal
                && let [(atom, c)] = e.terms.as_slice()
                && c.abs() == 1
                && let Some(d) = settled.coefficient(*atom)
            {
                settled = settled.plus(e, -d * c);
            }
        }
        settled
    }
}

impl<'p> Machine<'p> {
    pub fn new(parametric: &'p Parametric, control: &'p Control) -> Self {
        let threads = parametric.program.threads.iter().enumerate();
        let prefixes: FxHashMap<&str, ThreadId> =
            threads.map(|(t, x)| (x.name.as_str(), t)).collect();
        let owner = |name: &str| {
            let (thread, rest) = name.split_once('.')?;
            Some((*prefixes.get(thread)?, rest.to_string()))
        };
        let arrays = parametric.program.arrays.iter();
        Machine {
            owners: arrays.map(|a| owner(&a.name)).collect(),
            parametric,
            control,
            atoms: RefCell::default(),
            paths: Cell::new(0),
        }
    }

    /// Begins to count paths anew.
    pub fn begin(&self) {
        self.paths.set(0);
    }

    pub fn atom(&self, unknown: Unknown) -> Atom {
        let mut atoms = self.atoms.borrow_mut();
        if let Some(&known) = atoms.known.get(&unknown) {
            return known;
        }
        let shared = Rc::new(unknown);
        let atom = atoms.all.len() as Atom;
        atoms.all.push(shared.clone());
        atoms.known.insert(shared, atom);
        atom
    }

    /// The open constant.
    pub fn parameter(&self) -> Linear {
        Linear::atom(self.atom(Unknown::Named(self.parametric.open.name.clone())))
    }

    /// The path on which a condition holds as well; none if there is none.
    pub fn with(&self, run: &Run, literal: Literal) -> Said<Option<Run>> {
        let literal = literal.normal();
        if let Some(holds) = run.known(&literal) {
            return Ok(holds.then(|| run.clone()));
        }
        self.paths.set(self.paths.get() + 1);
        self.control.check()?;
        if self.paths.get() > MOST_PATHS {
            return Err(Unsaid::Because(Obstacle::Paths));
        }
        Ok((!contradicts(&run.conditions, &literal)).then(|| run.given(literal)))
    }

    /// The paths on which a condition holds, and does not.
    pub fn divide(&self, run: &Run, literal: Literal) -> Said<(Option<Run>, Option<Run>)> {
        let (literal, not) = (literal.clone().normal(), literal.not().normal());
        if let Some(holds) = run.known(&literal) {
            let one = Some(run.clone());
            return Ok(if holds { (one, None) } else { (None, one) });
        }
        match self.with(run, literal.clone())? {
            // What cannot be, is not: that needs no second look.
            None => Ok((None, Some(run.given(not)))),
            Some(yes) => Ok(match self.with(run, not)? {
                None => (Some(run.given(literal)), None),
                no => (Some(yes), no),
            }),
        }
    }

    /// The paths on which indices are the same, and those on which they are not.
    pub fn same(&self, run: &Run, x: &[Linear], y: &[Linear]) -> Said<(Option<Run>, Vec<Run>)> {
        let mut same = Some(run.clone());
        let mut apart = Vec::new();
        for (x, y) in x.iter().zip(y) {
            let Some(so_far) = same.take() else { break };
            let (equal, other) = self.divide(&so_far, Literal::Zero(x.minus(y)))?;
            apart.extend(other);
            same = equal;
        }
        Ok((same, apart))
    }

    /// What a cell holds.
    pub fn read(&self, run: Run, key: &Key, index: &[Linear]) -> Said<Vec<(Run, Linear)>> {
        let mut found = Vec::new();
        let mut open = vec![(run, usize::MAX)];
        while let Some((run, from)) = open.pop() {
            let from = from.min(run.writes.len());
            let earlier = run.writes[..from].iter().rposition(|(k, _, _)| k == key);
            let Some(at) = earlier else {
                found.extend(self.base(run, key, index)?);
                continue;
            };
            let (_, there, value) = run.writes[at].clone();
            let (same, apart) = self.same(&run, index, &there)?;
            found.extend(same.map(|run| (run, value)));
            open.extend(apart.into_iter().map(|run| (run, at)));
        }
        Ok(found)
    }

    /// What a cell held in the state before.
    fn base(&self, run: Run, key: &Key, index: &[Linear]) -> Said<Vec<(Run, Linear)>> {
        let mut found = Vec::new();
        let mut open = vec![(run, 0)];
        while let Some((run, from)) = open.pop() {
            let next = run.met[from..].iter().position(|(k, _, _)| k == key);
            let Some(at) = next.map(|n| n + from) else {
                let atom = self.atom(Unknown::Cell(key.clone(), index.to_vec()));
                let mut run = run;
                run.met.push((key.clone(), index.to_vec(), atom));
                let value = Linear::atom(atom);
                for run in self.typed(run, key, &value)? {
                    found.push((run, value.clone()));
                }
                continue;
            };
            let (_, there, atom) = run.met[at].clone();
            let (same, apart) = self.same(&run, index, &there)?;
            found.extend(same.map(|run| (run, Linear::atom(atom))));
            open.extend(apart.into_iter().map(|run| (run, at + 1)));
        }
        Ok(found)
    }

    /// The paths on which a value is one of a variable's type.
    fn typed(&self, run: Run, key: &Key, value: &Linear) -> Said<Vec<Run>> {
        let (low, high) = match key {
            Key::Violated => (Linear::constant(0), Linear::constant(1)),
            Key::Location(_) => (Linear::constant(0), Linear::constant(1 << 20)),
            Key::Shared(array) => self.range(*array)?,
            Key::Own(family, name) => {
                let first = self.parametric.open.families[*family].first;
                match self.own_array(first, name) {
                    Some(array) => self.range(array)?,
                    None => return Ok(vec![run]),
                }
            }
        };
        let above = self.with(&run, Literal::NonNegative(value.minus(&low)))?;
        let Some(run) = above else {
            return Ok(Vec::new());
        };
        let within = self.with(&run, Literal::NonNegative(high.minus(value)))?;
        Ok(within.into_iter().collect())
    }

    /// The lowest and the highest value of a variable.
    pub fn range(&self, array: ArrayId) -> Said<(Linear, Linear)> {
        if let Some((low, high)) = self.parametric.open.ranges.get(&array) {
            return Ok((self.constant(low)?, self.constant(high)?));
        }
        let a = &self.parametric.program.arrays[array];
        let ty = self.parametric.program.cells[a.first].ty;
        if ty.kind == crate::model::program::Kind::Owner {
            let last = self.threads()?.add(-1);
            return Ok((Linear::constant(ty.lo.into()), last));
        }
        Ok((
            Linear::constant(ty.lo.into()),
            Linear::constant(ty.hi.into()),
        ))
    }

    /// How many threads there are.
    fn threads(&self) -> Said<Linear> {
        let Some(last) = self.parametric.open.families.last() else {
            return Ok(Linear::constant(0));
        };
        let number = self.constant(&last.number)?;
        Ok(number.plus(&self.constant(&last.members())?, 1))
    }

    /// The array of that name of a thread of the instance.
    fn own_array(&self, thread: ThreadId, name: &str) -> Option<ArrayId> {
        let is_it = |o: &Owner| o.as_ref().is_some_and(|(t, n)| *t == thread && n == name);
        self.owners.iter().position(is_it)
    }

    /// A term over the open constant only.
    pub fn constant(&self, e: &Expr) -> Said<Linear> {
        self.open_term(e, &Values::default())
    }

    /// A term over open cells: the constant, those made of it, and those given.
    pub fn open_term(&self, e: &Expr, values: &Values) -> Said<Linear> {
        let open = &self.parametric.open;
        Ok(match e {
            Expr::Const(c) => Linear::constant((*c).into()),
            Expr::Cell(c) if *c == open.parameter => self.parameter(),
            Expr::Cell(c) => match values.get(c) {
                Some(known) => known.clone(),
                None => match open.definitions.iter().find(|(d, _)| d == c) {
                    Some((_, term)) => self.open_term(term, values)?,
                    None => return Err(Unsaid::Because(Obstacle::NotLinear)),
                },
            },
            Expr::Neg(x) => self.small(self.open_term(x, values)?.times(-1))?,
            Expr::Binary(op, x, y) => {
                let (x, y) = (self.open_term(x, values)?, self.open_term(y, values)?);
                match (op, x.value(), y.value()) {
                    (BinaryOp::Add, _, _) => self.small(x.plus(&y, 1))?,
                    (BinaryOp::Sub, _, _) => self.small(x.minus(&y))?,
                    (BinaryOp::Mul, Some(k), _) => self.small(y.times(k))?,
                    (BinaryOp::Mul, _, Some(k)) => self.small(x.times(k))?,
                    (_, Some(x), Some(y)) => match small(*op, x, y) {
                        Some(v) => Linear::constant(v),
                        None => return Err(Unsaid::Because(Obstacle::NotLinear)),
                    },
                    _ => return Err(Unsaid::Because(Obstacle::NotLinear)),
                }
            }
            _ => return Err(Unsaid::Because(Obstacle::NotLinear)),
        })
    }

    /// What the open cells stand for in the eyes of a thread.
    fn values(&self, view: &View) -> Values {
        let mut all = view.binders.clone();
        if let Some((_, Some(cell))) = self.parametric.open.members.get(view.thread.like) {
            all.insert(*cell, view.thread.index.clone());
        }
        all
    }

    /// The variable that an array is, and the thread's index if it is one of a thread's own.
    pub fn key(&self, array: ArrayId, thread: &Generic) -> (Key, Option<Linear>) {
        let Some((owner, rest)) = &self.owners[array] else {
            return (Key::Shared(array), None);
        };
        let (family, _) = self.parametric.open.members[*owner];
        let named = self.parametric.program.threads[*owner].index.unwrap_or(0);
        let index = match *owner == thread.like {
            true => thread.index.clone(),
            false => Linear::constant(named.into()),
        };
        (Key::Own(family, rest.clone()), Some(index))
    }

    /// The value of an expression, on each path.
    pub fn eval(&self, run: Run, e: &Expr, view: &View) -> Said<Valued> {
        if let Some(value) = self.known(e, view) {
            return Ok(vec![(run, Some(value))]);
        }
        match e {
            Expr::Const(c) => Ok(vec![(run, Some(Linear::constant((*c).into())))]),
            Expr::Cell(c) if self.parametric.open.is_open(*c) => {
                let mut definitions = self.parametric.open.definitions.iter();
                match definitions.find(|(defined, _)| defined == c) {
                    Some((_, term)) => self.eval(run, term, view),
                    None => Err(Unsaid::Because(Obstacle::NotLinear)),
                }
            }
            Expr::Cell(c) => {
                let array = self.parametric.program.cells[*c].array;
                let index = self.parametric.program.indices(*c);
                let index = index.into_iter().map(|i| Linear::constant(i as i128));
                self.element(run, array, index.collect(), view, None)
            }
            Expr::Element(array, index) => {
                let mut all = Vec::new();
                for (run, index) in self.indices(run, index, view)? {
                    match index {
                        Some(index) => all.extend(self.element(run, *array, index, view, None)?),
                        None => all.push((run, None)),
                    }
                }
                Ok(all)
            }
            Expr::Via(reference, allocated) => self.via(run, reference, *allocated, view),
            Expr::Slot(slot, pool) => {
                let count = match self.parametric.open.slots.get(pool) {
                    Some(term) => self.constant(term)?,
                    None => Linear::constant(self.parametric.program.pools[*pool].len as i128),
                };
                self.each(run, slot, view, &mut |run, v| {
                    self.within(run, v.clone(), &Linear::constant(0), &count.add(-1))
                })
            }
            Expr::At(thread, locations) => self.at(run, *thread, locations, view),
            Expr::Not(x) => {
                let all = self.truth(run, x, view)?;
                Ok(all
                    .into_iter()
                    .map(|(r, v)| (r, v.map(|v| bit(!v))))
                    .collect())
            }
            Expr::Neg(x) => self.each(run, x, view, &mut |run, v| {
                Ok(vec![(run, Some(self.small(v.times(-1))?))])
            }),
            Expr::Cond(c, x, y) => {
                let mut all = Vec::new();
                for (run, c) in self.truth(run, c, view)? {
                    match c {
                        None => all.push((run, None)),
                        Some(true) => all.extend(self.eval(run, x, view)?),
                        Some(false) => all.extend(self.eval(run, y, view)?),
                    }
                }
                Ok(all)
            }
            Expr::Binary(op, x, y) => self.binary(run, *op, x, y, view),
        }
    }

    /// A term over open cells, if it is one.
    fn known(&self, e: &Expr, view: &View) -> Option<Linear> {
        let is_linear = matches!(
            e,
            Expr::Const(_)
                | Expr::Neg(_)
                | Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
        );
        let is_open = match e {
            Expr::Cell(c) => self.parametric.open.is_open(*c) || view.binders.contains_key(c),
            _ => false,
        };
        match is_linear || is_open {
            true => self.open_term(e, &self.values(view)).ok(),
            false => None,
        }
    }

    /// Goes on from each value of an expression.
    fn each(
        &self,
        run: Run,
        e: &Expr,
        view: &View,
        then: &mut dyn FnMut(Run, Linear) -> Said<Valued>,
    ) -> Said<Valued> {
        let mut all = Vec::new();
        for (run, value) in self.eval(run, e, view)? {
            match value {
                None => all.push((run, None)),
                Some(value) => all.extend(then(run, value)?),
            }
        }
        Ok(all)
    }

    /// A value where it lies between bounds, and failure elsewhere.
    pub fn within(&self, run: Run, value: Linear, low: &Linear, high: &Linear) -> Said<Valued> {
        let mut all = Vec::new();
        let (above, below) = self.divide(&run, Literal::NonNegative(value.minus(low)))?;
        all.extend(below.map(|run| (run, None)));
        if let Some(run) = above {
            let (inside, beyond) = self.divide(&run, Literal::NonNegative(high.minus(&value)))?;
            all.extend(beyond.map(|run| (run, None)));
            all.extend(inside.map(|run| (run, Some(value))));
        }
        Ok(all)
    }

    /// The values of indices; none where one fails.
    pub fn indices(&self, run: Run, index: &[Expr], view: &View) -> Said<Indexed> {
        let mut all = vec![(run, Some(Vec::new()))];
        for e in index {
            let mut next = Vec::new();
            for (run, values) in all {
                let Some(values) = values else {
                    next.push((run, None));
                    continue;
                };
                for (run, value) in self.eval(run, e, view)? {
                    let longer = value.map(|v| [values.as_slice(), &[v]].concat());
                    next.push((run, longer));
                }
            }
            all = next;
        }
        Ok(all)
    }

    /// The paths on which indices lie inside an array, and those on which they do not.
    pub fn inside(&self, run: Run, array: ArrayId, index: &[Linear]) -> Said<(Vec<Run>, Vec<Run>)> {
        let sizes = self.parametric.open.sizes.get(&array);
        let dims = &self.parametric.program.arrays[array].dims;
        let (mut inside, mut outside) = (vec![run], Vec::new());
        for (n, value) in index.iter().enumerate() {
            let size = match sizes.and_then(|s| s.get(n)) {
                Some(term) => self.constant(term)?,
                None => Linear::constant(dims[n] as i128),
            };
            let mut next = Vec::new();
            for run in inside {
                let zero = Linear::constant(0);
                for (run, value) in self.within(run, value.clone(), &zero, &size.add(-1))? {
                    match value {
                        Some(_) => next.push(run),
                        None => outside.push(run),
                    }
                }
            }
            inside = next;
        }
        Ok((inside, outside))
    }

    /// What an element holds, or what it holds after `value` has been written.
    pub fn element(
        &self,
        run: Run,
        array: ArrayId,
        index: Vec<Linear>,
        view: &View,
        value: Option<&Linear>,
    ) -> Said<Valued> {
        let (inside, outside) = self.inside(run, array, &index)?;
        let mut all: Valued = outside.into_iter().map(|run| (run, None)).collect();
        let (key, own) = self.key(array, view.thread);
        let whole: Vec<Linear> = own.into_iter().chain(index.iter().cloned()).collect();
        for mut run in inside {
            if let (Key::Shared(_), true) = (&key, view.accesses) {
                run.accesses.push((array, index.clone(), value.is_some()));
            }
            match value {
                Some(value) => {
                    run.writes.push((key.clone(), whole.clone(), value.clone()));
                    all.push((run, Some(value.clone())));
                }
                None => {
                    let found = self.read(run, &key, &whole)?;
                    all.extend(found.into_iter().map(|(run, v)| (run, Some(v))));
                }
            }
        }
        Ok(all)
    }

    fn via(&self, run: Run, e: &Expr, allocated: Option<ArrayId>, view: &View) -> Said<Valued> {
        self.each(run, e, view, &mut |run, slot| {
            let (valid, null) = self.divide(&run, Literal::NonNegative(slot.clone()))?;
            let mut all: Valued = null.into_iter().map(|run| (run, None)).collect();
            let Some(run) = valid else { return Ok(all) };
            let Some(array) = allocated else {
                all.push((run, Some(slot)));
                return Ok(all);
            };
            // Looking whether the slot is in use is no access.
            let looks = View {
                accesses: false,
                ..view.clone()
            };
            for (run, flag) in self.element(run, array, vec![slot.clone()], &looks, None)? {
                let Some(flag) = flag else {
                    all.push((run, None));
                    continue;
                };
                let (free, used) = self.divide(&run, Literal::Zero(flag))?;
                all.extend(free.map(|run| (run, None)));
                all.extend(used.map(|run| (run, Some(slot.clone()))));
            }
            Ok(all)
        })
    }

    fn at(&self, run: Run, thread: ThreadId, locations: &[LocId], view: &View) -> Said<Valued> {
        let (family, index) = match thread == SELF {
            true => (view.thread.family, view.thread.index.clone()),
            false => {
                let (family, _) = self.parametric.open.members[thread];
                let index = self.parametric.program.threads[thread].index.unwrap_or(0);
                (family, Linear::constant(index.into()))
            }
        };
        let mut all = Vec::new();
        for (run, location) in self.read(run, &Key::Location(family), &[index])? {
            let (there, elsewhere) = self.one_of(run, &location, locations)?;
            all.extend(there.into_iter().map(|(run, _)| (run, Some(bit(true)))));
            all.extend(elsewhere.map(|run| (run, Some(bit(false)))));
        }
        Ok(all)
    }

    /// The paths on which a location is one of these, and that on which it is none.
    pub fn one_of(
        &self,
        run: Run,
        location: &Linear,
        all: &[LocId],
    ) -> Said<(Placed, Option<Run>)> {
        if let Some(known) = location.value() {
            return Ok(match all.iter().find(|l| **l as i128 == known) {
                Some(&l) => (vec![(run, l)], None),
                None => (Vec::new(), Some(run)),
            });
        }
        // One at a time, each without what it is not: that follows.
        let is = |l: LocId| Literal::Zero(location.add(-(l as i128)));
        let mut there = Vec::new();
        for &l in all {
            there.extend(self.with(&run, is(l))?.map(|run| (run, l)));
        }
        let (mut none, mut last) = (run, None);
        for &l in all {
            match none.known(&is(l)) {
                Some(true) => return Ok((there, None)),
                Some(false) => {}
                None => none.conditions.extend(last.replace(is(l).not().normal())),
            }
        }
        let rest = match last {
            Some(literal) => self.with(&none, literal)?,
            None => Some(none),
        };
        Ok((there, rest))
    }

    /// Whether a condition holds, on each path; none where its evaluation fails.
    pub fn truth(&self, run: Run, e: &Expr, view: &View) -> Said<Vec<(Run, Option<bool>)>> {
        let mut all = Vec::new();
        for (run, value) in self.eval(run, e, view)? {
            let Some(value) = value else {
                all.push((run, None));
                continue;
            };
            let (no, yes) = self.divide(&run, Literal::Zero(value))?;
            all.extend(yes.map(|run| (run, Some(true))));
            all.extend(no.map(|run| (run, Some(false))));
        }
        Ok(all)
    }

    fn binary(&self, run: Run, op: BinaryOp, x: &Expr, y: &Expr, view: &View) -> Said<Valued> {
        use BinaryOp::*;
        let mut all = Vec::new();
        if let And | Or | Implies = op {
            for (run, left) in self.truth(run, x, view)? {
                match (op, left) {
                    (_, None) => all.push((run, None)),
                    (And, Some(false)) => all.push((run, Some(bit(false)))),
                    (Or, Some(true)) | (Implies, Some(false)) => all.push((run, Some(bit(true)))),
                    _ => {
                        let right = self.truth(run, y, view)?;
                        all.extend(right.into_iter().map(|(r, v)| (r, v.map(bit))));
                    }
                }
            }
            return Ok(all);
        }
        for (run, left) in self.eval(run, x, view)? {
            let Some(left) = left else {
                all.push((run, None));
                continue;
            };
            for (run, right) in self.eval(run, y, view)? {
                match right {
                    None => all.push((run, None)),
                    Some(right) => all.extend(self.operation(run, op, &left, &right)?),
                }
            }
        }
        Ok(all)
    }

    fn operation(&self, run: Run, op: BinaryOp, x: &Linear, y: &Linear) -> Said<Valued> {
        use BinaryOp::*;
        let difference = x.minus(y);
        let literal = match op {
            Add => return Ok(vec![(run, Some(self.small(x.plus(y, 1))?))]),
            Sub => return Ok(vec![(run, Some(self.small(difference)?))]),
            Eq => Literal::Zero(difference),
            Ne => Literal::NonZero(difference),
            Ge => Literal::NonNegative(difference),
            Le => Literal::NonNegative(difference.times(-1)),
            Gt => Literal::NonNegative(difference.add(-1)),
            Lt => Literal::NonNegative(difference.times(-1).add(-1)),
            _ => return self.other(run, op, x, y),
        };
        let (yes, no) = self.divide(&run, literal)?;
        let mut all: Valued = yes.into_iter().map(|run| (run, Some(bit(true)))).collect();
        all.extend(no.map(|run| (run, Some(bit(false)))));
        Ok(all)
    }

    /// A term whose value is in 64 bits, whatever its atoms are: else an evaluation fails, which no path here knows of.
    fn small(&self, x: Linear) -> Said<Linear> {
        match self.bound(&x, 0) <= i64::MAX as u128 {
            true => Ok(x),
            false => Err(Unsaid::Because(Obstacle::NotLinear)),
        }
    }

    /// What the value of a term is not larger than, whatever its sign. Cells and indices have types of 32 bits.
    fn bound(&self, x: &Linear, depth: usize) -> u128 {
        let of = |(atom, c): &(Atom, i128)| {
            let atom = self.atoms.borrow().all.get(*atom as usize).cloned();
            let most = match atom.as_deref() {
                Some(Unknown::Operation(..)) if depth > 8 => u128::MAX,
                Some(Unknown::Operation(op, x, y)) => {
                    let (x, y) = (self.bound(x, depth + 1), self.bound(y, depth + 1));
                    match op {
                        BinaryOp::Mul => x.saturating_mul(y),
                        BinaryOp::Div => x,
                        BinaryOp::Rem => y,
                        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                            x.max(y).saturating_mul(2)
                        }
                        _ => 1 << 62,
                    }
                }
                _ => 1 << 31,
            };
            most.saturating_mul(c.unsigned_abs())
        };
        let terms = x.terms.iter().map(of);
        terms.fold(x.constant.unsigned_abs(), u128::saturating_add)
    }

    /// Operations that are linear in some cases only.
    fn other(&self, run: Run, op: BinaryOp, x: &Linear, y: &Linear) -> Said<Valued> {
        match (op, x.value(), y.value()) {
            (BinaryOp::Mul, Some(k), _) => return Ok(vec![(run, Some(self.small(y.times(k))?))]),
            (BinaryOp::Mul, _, Some(k)) => return Ok(vec![(run, Some(self.small(x.times(k))?))]),
            (_, Some(x), Some(y)) => return Ok(vec![(run, small(op, x, y).map(Linear::constant))]),
            _ => {}
        }
        match op {
            BinaryOp::Div | BinaryOp::Rem => {
                let (zero, defined) = self.divide(&run, Literal::Zero(y.clone()))?;
                let mut all: Valued = zero.into_iter().map(|run| (run, None)).collect();
                if let Some(run) = defined {
                    all.extend(self.quotient(run, op == BinaryOp::Rem, x, y)?);
                }
                Ok(all)
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let defined =
                    self.within(run, y.clone(), &Linear::constant(0), &Linear::constant(62))?;
                let opaque =
                    || Linear::atom(self.atom(Unknown::Operation(op, x.clone(), y.clone())));
                Ok(defined
                    .into_iter()
                    .map(|(r, v)| (r, v.map(|_| opaque())))
                    .collect())
            }
            _ => {
                let atom = self.atom(Unknown::Operation(op, x.clone(), y.clone()));
                Ok(vec![(run, Some(Linear::atom(atom)))])
            }
        }
    }

    /// Quotient or remainder: linear where the dividend is near 0, as in `(i + 1) % N`.
    pub fn quotient(&self, run: Run, rest: bool, x: &Linear, y: &Linear) -> Said<Valued> {
        let mut all = Vec::new();
        let mut open = vec![run];
        for k in [0, 1, -1] {
            let mut next = Vec::new();
            // k y <= x < (k + 1) y, for y > 0
            let low = x.plus(y, -k);
            let high = y.times(k + 1).minus(x).add(-1);
            for run in open {
                let (positive, other) = self.divide(&run, Literal::NonNegative(y.add(-1)))?;
                next.extend(other);
                let Some(run) = positive else { continue };
                let (above, below) = self.divide(&run, Literal::NonNegative(low.clone()))?;
                next.extend(below);
                let Some(run) = above else { continue };
                let (inside, beyond) = self.divide(&run, Literal::NonNegative(high.clone()))?;
                next.extend(beyond);
                let value = match rest {
                    true => low.clone(),
                    false => Linear::constant(k),
                };
                all.extend(inside.map(|run| (run, Some(value))));
            }
            open = next;
        }
        let op = match rest {
            true => BinaryOp::Rem,
            false => BinaryOp::Div,
        };
        for run in open {
            let value = Linear::atom(self.atom(Unknown::Operation(op, x.clone(), y.clone())));
            if !rest {
                all.push((run, Some(value)));
                continue;
            }
            // The rest is never negative, and smaller than a positive divisor.
            let Some(run) = self.with(&run, Literal::NonNegative(value.clone()))? else {
                continue;
            };
            let (positive, other) = self.divide(&run, Literal::NonNegative(y.add(-1)))?;
            all.extend(other.map(|run| (run, Some(value.clone()))));
            if let Some(run) = positive {
                let below = Literal::NonNegative(y.minus(&value).add(-1));
                all.extend(self.with(&run, below)?.map(|run| (run, Some(value))));
            }
        }
        Ok(all)
    }
}

/// What follows from each of some paths, together.
pub(super) fn onward<T, U>(from: Vec<T>, mut then: impl FnMut(T) -> Said<Vec<U>>) -> Said<Vec<U>> {
    let mut all = Vec::new();
    for one in from {
        all.extend(then(one)?);
    }
    Ok(all)
}

/// The paths on which something holds.
pub(super) fn where_true(all: Vec<(Run, bool)>) -> Vec<Run> {
    all.into_iter()
        .filter(|(_, holds)| *holds)
        .map(|(run, _)| run)
        .collect()
}

/// An operation on numbers of ordinary size.
fn small(op: BinaryOp, x: i128, y: i128) -> Option<i128> {
    let (x, y) = (i64::try_from(x).ok()?, i64::try_from(y).ok()?);
    let tame = |n: i64| n.unsigned_abs() < 1 << 31;
    (tame(x) && tame(y)).then(|| apply(op, x, y).map(i128::from))?
}

/// A truth value as a number.
pub(super) fn bit(value: bool) -> Linear {
    Linear::constant(value.into())
}
