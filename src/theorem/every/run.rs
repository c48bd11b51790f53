//! Symbolic execution of steps of generic threads, one path at a time: what a path knows, and the cells it reads.
//!
//! A value is a linear term over what the state before held, the open constant and the indices of the threads. Whether
//! two cells of a variable are one is a matter of their indices: where the conditions so far leave it open, the path
//! divides. So a path always knows which cells it has met, and no two of them are the same cell by accident.

use super::conditions::{Condition, Conditions, negation};
use super::linear::{Atom, Linear, Literal};
use crate::base::control::{Control, Stop};
use crate::base::results::Obstacle;
use crate::model::program::{ArrayId, CellId, LocId, Parametric, ThreadId};
use crate::model::text::ast::BinaryOp;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};
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
    conditions: Kept<Vec<Condition>>,
    /// The values that conditions give to atoms.
    values: Kept<Vec<(Atom, i128)>>,
    /// Cells of the state before that were met, each with its atom.
    met: Kept<Vec<(Key, Vec<Linear>, Atom)>>,
    /// What was written, the last behind.
    pub writes: Kept<Writes>,
    /// Shared cells that the step has read or written so far.
    pub accesses: Kept<Vec<(ArrayId, Vec<Linear>, bool)>>,
    /// Overlaps that are taken to be none.
    pub denied: Kept<Vec<Denied>>,
    /// Which ways steps took, where there was a choice.
    pub ways: Kept<FxHashMap<Choice, usize>>,
    /// How often each place was left.
    pub left: Kept<FxHashMap<(usize, LocId), usize>>,
    /// Where the last step went wrong, if it did.
    pub failed: Option<Failed>,
}

/// Where a step goes wrong: the edge, the command by its place in the text, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Failed {
    pub way: usize,
    pub command: usize,
    pub how: Failure,
}

impl Failure {
    /// Of what is written with these indices, of which each may lie outside.
    pub fn outside(index: &[Linear]) -> Self {
        match index.len() {
            0 | 1 => Failure::Outside,
            _ => Failure::Evaluation,
        }
    }
}

/// How a command goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Failure {
    /// What is asserted is false.
    Asserted,
    /// The index of what is written lies outside.
    Outside,
    /// What is written is none of the variable's values.
    Range,
    /// Something has no value, or lies outside, and there may be several places where that is so.
    Evaluation,
}

/// What paths have in common until one of them changes it: paths divide much more often than they change all they know.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept<T>(Rc<T>);

impl<T> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Kept<T> {
    fn deref_mut(&mut self) -> &mut T {
        Rc::make_mut(&mut self.0)
    }
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
    /// The conditions of all paths, those of other questions, too.
    pub conditions: Rc<Conditions>,
    /// Paths so far, of those that may be.
    paths: Cell<usize>,
    /// As many as there may be.
    pub most_paths: usize,
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

/// What a condition on a path costs, in pairs of BDD nodes.
const STEP: u64 = 1 << 7;

/// More paths than this are not followed for one question, as a rule.
pub(super) const MOST_PATHS: usize = 200_000;

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
    fn known(&self, condition: Condition) -> Option<bool> {
        let not = negation(condition);
        let mut all = self.conditions.iter();
        let found = all.find(|c| **c == condition || **c == not)?;
        Some(*found == condition)
    }

    /// What a cell held in the state before, if the conditions say so.
    pub fn base_value(&self, key: &Key, index: &[Linear]) -> Option<Linear> {
        let met = self.met.iter().find(|(k, i, _)| k == key && i == index)?;
        let (_, value) = self.values.iter().find(|(atom, _)| *atom == met.2)?;
        Some(Linear::constant(*value))
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
        for (atom, value) in self.values.iter() {
            if let Some(c) = settled.coefficient(*atom) {
                settled = settled.plus(&Linear::atom(*atom).add(-value), -c);
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
            conditions: Rc::default(),
            paths: Cell::new(0),
            most_paths: MOST_PATHS,
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

    /// What an atom stands for.
    pub fn unknown(&self, atom: Atom) -> Option<Rc<Unknown>> {
        self.atoms.borrow().all.get(atom as usize).cloned()
    }

    /// The open constant.
    pub fn parameter(&self) -> Linear {
        Linear::atom(self.atom(Unknown::Named(self.parametric.open.name.clone())))
    }

    /// Whether a condition holds on a path, or does not, because that is known.
    pub fn is_known(&self, run: &Run, literal: Literal) -> Option<bool> {
        let value = literal.value();
        value.or_else(|| run.known(self.conditions.number(literal)))
    }

    /// The path on which a condition holds as well; none if there is none.
    pub fn with(&self, run: &Run, literal: Literal) -> Said<Option<Run>> {
        if let Some(holds) = literal.value() {
            return Ok(holds.then(|| run.clone()));
        }
        self.on(run, self.conditions.number(literal))
    }

    fn on(&self, run: &Run, condition: Condition) -> Said<Option<Run>> {
        if let Some(holds) = run.known(condition) {
            return Ok(holds.then(|| run.clone()));
        }
        self.paths.set(self.paths.get() + 1);
        self.control.worked(STEP);
        self.control.check()?;
        if self.paths.get() > self.most_paths {
            return Err(Unsaid::Because(Obstacle::Paths));
        }
        let contradicted = self.conditions.contradict(&run.conditions, condition);
        Ok((!contradicted).then(|| self.given(run.clone(), condition)))
    }

    /// A path with one more condition, which does not contradict it.
    fn given(&self, mut run: Run, condition: Condition) -> Run {
        run.conditions.push(condition);
        if let Some(value) = self.conditions.value(condition) {
            run.values.push(value);
        }
        run
    }

    /// A path with one more condition, which follows from others.
    pub fn following(&self, run: Run, literal: Literal) -> Run {
        self.given(run, self.conditions.number(literal))
    }

    /// The paths on which a condition holds, and does not.
    pub fn divide(&self, run: &Run, literal: Literal) -> Said<(Option<Run>, Option<Run>)> {
        if let Some(holds) = literal.value() {
            let one = Some(run.clone());
            return Ok(if holds { (one, None) } else { (None, one) });
        }
        let condition = self.conditions.number(literal);
        if let Some(holds) = run.known(condition) {
            let one = Some(run.clone());
            return Ok(if holds { (one, None) } else { (None, one) });
        }
        let not = negation(condition);
        match self.on(run, condition)? {
            // What cannot be, is not: that needs no second look.
            None => Ok((None, Some(self.given(run.clone(), not)))),
            Some(yes) => Ok(match self.on(run, not)? {
                None => (Some(self.given(run.clone(), condition)), None),
                no => (Some(yes), no),
            }),
        }
    }

    /// The paths on which indices are the same, and those on which they are not.
    pub fn same(&self, run: &Run, x: &[Linear], y: &[Linear]) -> Said<(Option<Run>, Vec<Run>)> {
        let mut same = Some(run.clone());
        let mut apart = Vec::new();
        for (x, y) in x.iter().zip(y).filter(|(x, y)| x != y) {
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

/// A truth value as a number.
pub(super) fn bit(value: bool) -> Linear {
    Linear::constant(value.into())
}
