//! What is said of open cells, at one value of the constant: the program of that value says it of its own threads,
//! variables and numbers.

use super::expressions::{fold, not};
use super::{ArrayId, CellId, Expr, Location, Parametric, Program, SELF, Thread, ThreadId};

/// A program with open cells, and the program at one value of the constant.
#[derive(Clone, Copy)]
pub struct Closing<'p> {
    /// The program with open cells.
    pub open: &'p Parametric,
    /// The instance that it was read beside: what is said of places means its places.
    pub instance: &'p Program,
    /// The program at the value.
    pub program: &'p Program,
    /// The value.
    pub value: i64,
}

/// In whose eyes something is said: a thread of the program at the value, the thread of the open one that has its text,
/// and what stands for the indices of a variable.
#[derive(Clone, Copy)]
pub struct Eyes<'e> {
    /// The thread.
    pub thread: ThreadId,
    /// Whose text it has.
    pub like: ThreadId,
    /// Cells that stand for numbers.
    pub binders: &'e [(CellId, i64)],
}

impl Closing<'_> {
    /// Whether a thread has the places of a thread of the instance, and control goes the same ways between them.
    pub fn has_text(&self, thread: ThreadId, like: ThreadId) -> bool {
        let (one, other) = (&self.program.threads[thread], &self.instance.threads[like]);
        let marks = |t: &Thread| (t.initial, t.unstarted, t.end, t.wrong);
        let places = |t: &Thread| -> Vec<_> {
            let place = |l: &Location| (l.name.clone(), l.targets());
            t.locations.iter().map(place).collect()
        };
        marks(one) == marks(other) && places(one) == places(other)
    }

    /// Whether a condition on open cells holds; none if it asks for more.
    pub fn holds(&self, condition: &Expr, eyes: Eyes) -> Option<bool> {
        Some(self.value_of(condition, eyes)? != 0)
    }

    /// The value of a term over open cells, none of which may have that of the instance.
    fn value_of(&self, term: &Expr, eyes: Eyes) -> Option<i64> {
        let mut known = true;
        term.walk(&mut |e| {
            if let Expr::Cell(c) = e {
                known &= self.number(*c, eyes).is_some();
            }
        });
        let given = |cell: CellId| self.number(cell, eyes);
        self.open.open.value_given(term, &given).filter(|_| known)
    }

    /// The number that an open cell is.
    fn number(&self, cell: CellId, eyes: Eyes) -> Option<i64> {
        let open = &self.open.open;
        let bound = eyes.binders.iter().find(|(b, _)| *b == cell);
        if let Some((_, number)) = bound {
            return Some(*number);
        }
        if open.parameter == Some(cell) {
            return Some(self.value);
        }
        if open.members.get(eyes.like)?.1 == Some(cell) {
            return self.program.threads[eyes.thread].index;
        }
        let (_, term) = open.definitions.iter().find(|(d, _)| *d == cell)?;
        self.value_of(term, eyes)
    }

    /// An expression as the program at the value has it, constants folded; none if there is nothing that it speaks of.
    pub fn expr(&self, e: &Expr, eyes: Eyes) -> Option<Expr> {
        let again = |e: &Expr| self.expr(e, eyes);
        let boxed = |e: &Expr| again(e).map(Box::new);
        Some(match e {
            Expr::Const(c) => Expr::Const(*c),
            Expr::Cell(c) => {
                if let Some(number) = self.number(*c, eyes) {
                    return Some(Expr::Const(number));
                }
                let cell = self.open.program.cells.get(*c)?;
                let array = self.array(cell.array, Some(eyes))?;
                let index = self.open.program.indices(*c);
                let index: Vec<i64> = index.into_iter().map(|i| i as i64).collect();
                Expr::Cell(self.program.element(array, &index)?)
            }
            Expr::Element(array, index) => {
                let array = self.array(*array, Some(eyes))?;
                let index: Vec<Expr> = index.iter().map(again).collect::<Option<_>>()?;
                match self.program.constant_cell(array, &index) {
                    Some(cell) => Expr::Cell(cell),
                    None => Expr::Element(array, index),
                }
            }
            Expr::Via(reference, allocated) => {
                let allocated = match allocated {
                    Some(array) => Some(self.array(*array, Some(eyes))?),
                    None => None,
                };
                Expr::Via(boxed(reference)?, allocated)
            }
            Expr::Slot(slot, pool) => {
                let named = |p: &Program| p.pools.get(*pool).map(|p| p.name.clone());
                if named(self.program)? != named(&self.open.program)? {
                    return None;
                }
                Expr::Slot(boxed(slot)?, *pool)
            }
            Expr::At(SELF, locations) => Expr::At(eyes.thread, locations.clone()),
            Expr::At(other, locations) => {
                let name = &self.open.program.threads.get(*other)?.name;
                let mut threads = self.program.threads.iter();
                let there = threads.position(|t| t.name == *name)?;
                if !self.has_text(there, *other) {
                    return None;
                }
                Expr::At(there, locations.clone())
            }
            Expr::Not(x) => not(again(x)?),
            Expr::Neg(x) => match again(x)? {
                Expr::Const(c) => Expr::Const(-c),
                other => Expr::Neg(Box::new(other)),
            },
            Expr::Binary(op, x, y) => fold(*op, again(x)?, again(y)?),
            Expr::Cond(c, x, y) => match again(c)? {
                Expr::Const(0) => again(y)?,
                Expr::Const(_) => again(x)?,
                other => Expr::Cond(Box::new(other), boxed(x)?, boxed(y)?),
            },
        })
    }

    /// The variable of the same name: the thread's own, if it is that of the thread whose text is spoken of.
    pub fn array(&self, array: ArrayId, eyes: Option<Eyes>) -> Option<ArrayId> {
        let name = &self.open.program.arrays.get(array)?.name;
        let own = eyes.and_then(|eyes| {
            let like = &self.open.program.threads.get(eyes.like)?.name;
            let rest = name.strip_prefix(like.as_str())?.strip_prefix('.')?;
            Some(format!("{}.{rest}", self.program.threads[eyes.thread].name))
        });
        let name = own.as_ref().unwrap_or(name);
        self.program.arrays.iter().position(|a| a.name == *name)
    }
}
