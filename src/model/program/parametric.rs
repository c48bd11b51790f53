//! A model read with one of its constants, and the indices of its thread families, left open.
//!
//! Both become cells that nobody writes. So expressions keep them: `m[(i + 1) % N]` is an element with a computed
//! index. What has to be known at once (a bound of a loop, whether a branch is there) is taken from one instance, and
//! what that assumes of the open values is written down, thread by thread: the text of a thread is this for all values
//! that satisfy it. Sizes, ranges and bounds of families are kept as terms.

use super::expressions::{apply, fold};
use super::scope::{Context, Elaborator, Entity, Symbol};
use super::variables::{Size, Word};
use super::{ArrayId, CellId, Class, Expr, Kind, Program, ThreadId, Type};
use crate::base::diagnostic::{Diagnostic, Span};
use crate::model::text::ast::{self, BinaryOp, Discipline, Model, Name};
use rustc_hash::FxHashMap;

/// A program with open cells.
#[derive(Clone, Debug, Default)]
pub struct Parametric {
    /// The instance; its threads speak of open cells.
    pub program: Program,
    /// What was left open.
    pub open: Open,
}

/// What is known of the open cells, and of what depends on them.
#[derive(Clone, Debug, Default)]
pub struct Open {
    /// The constant's name; empty if only the indices of threads are open.
    pub name: String,
    /// Its cell, if there is such a constant.
    pub parameter: Option<CellId>,
    /// The value of each open cell in the instance.
    pub values: FxHashMap<CellId, i64>,
    /// Constants that are made of the open one.
    pub definitions: Vec<(CellId, Expr)>,
    /// The families of threads, single threads too.
    pub families: Vec<Family>,
    /// The family of each thread, and the cell of its index.
    pub members: Vec<(usize, Option<CellId>)>,
    /// Sizes that depend on open cells.
    pub sizes: FxHashMap<ArrayId, Vec<Expr>>,
    /// Lowest and highest values that depend on open cells.
    pub ranges: FxHashMap<ArrayId, (Expr, Expr)>,
    /// How many slots there are, where that depends on open cells.
    pub slots: FxHashMap<usize, Expr>,
    /// Variables whose initial value depends on open cells; `None` if it is not one value for all their cells.
    pub initial: FxHashMap<ArrayId, Option<Expr>>,
    /// What each thread's text assumes, in the order in which it was assumed.
    pub assumed: Vec<Vec<Assumption>>,
    /// What the rest assumes.
    pub everywhere: Vec<Assumption>,
    /// The declared disciplines.
    pub disciplines: Vec<OpenDiscipline>,
    /// The invariants: by name, the variables that each may look at; none if that is not known. They are not read
    /// themselves, since they may quantify over threads.
    pub invariants: Vec<(String, Option<Vec<ArrayId>>)>,
    /// The bounds of the type that was read last.
    range: Option<(Expr, Expr)>,
}

/// A condition on open cells that holds in the instance.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// The condition.
    pub condition: Expr,
    /// What needs to know.
    pub span: Span,
}

/// A family of threads.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its name.
    pub name: String,
    /// Its first thread in the instance.
    pub first: ThreadId,
    /// How many threads it has there.
    pub count: usize,
    /// The number of its first thread.
    pub number: Expr,
    /// The lowest and the highest index; none for a single thread.
    pub bounds: Option<(Expr, Expr)>,
}

/// The exclusive access predicates of all cells of a variable.
#[derive(Clone, Debug)]
pub struct OpenDiscipline {
    /// The variable.
    pub array: ArrayId,
    /// Cells that stand for the indices.
    pub binders: Vec<CellId>,
    /// By thread: what it needs to write, and to read.
    pub predicates: Vec<(Expr, Expr)>,
    /// Where it is declared.
    pub span: Span,
}

/// In expressions of a thread about itself, in place of its number: `at(self, L)`.
pub const SELF: ThreadId = ThreadId::MAX;

const FREE: Type = Type {
    kind: Kind::Int,
    lo: 0,
    hi: (1 << 31) - 1,
    wraps: false,
};

/// Reads a model with the constant `name` left open, at the value that `defines` or the model gives it; without a name,
/// with nothing open but the indices of threads.
///
/// # Errors
/// The diagnostics of a model with errors.
pub fn parametric(
    model: &Model,
    source: &str,
    defines: &[(String, String)],
    name: Option<&str>,
) -> Result<Parametric, Vec<Diagnostic>> {
    let mut e = Elaborator::new(source);
    e.open = Some(Box::new(Open {
        name: name.unwrap_or_default().to_string(),
        ..Open::default()
    }));
    e.model(model, defines)?;
    let open = e.open.take().unwrap_or_default();
    Ok(Parametric {
        program: e.program,
        open: *open,
    })
}

impl Open {
    /// The value of an expression over open cells in the instance.
    pub fn value(&self, e: &Expr) -> Option<i64> {
        self.value_given(e, &|_| None)
    }

    /// The same where some open cells have other values.
    pub fn value_given(&self, e: &Expr, given: &dyn Fn(CellId) -> Option<i64>) -> Option<i64> {
        let value = |x: &Expr| self.value_given(x, given);
        Some(match e {
            Expr::Const(c) => *c,
            Expr::Cell(c) => given(*c).or_else(|| self.values.get(c).copied())?,
            Expr::Not(x) => 1 - value(x)?,
            Expr::Neg(x) => -value(x)?,
            Expr::Binary(op, x, y) => apply(*op, value(x)?, value(y)?)?,
            Expr::Cond(c, x, y) => match value(c)? {
                0 => value(y)?,
                _ => value(x)?,
            },
            Expr::Element(..) | Expr::Via(..) | Expr::Slot(..) | Expr::At(..) => return None,
        })
    }

    /// Whether a cell is open.
    pub fn is_open(&self, cell: CellId) -> bool {
        self.values.contains_key(&cell)
    }
}

impl Elaborator {
    /// Declares the constant that is left open, or one that is made of it.
    pub(super) fn open_constant(&mut self, name: &Name, value: i64, term: Option<Expr>) -> bool {
        let is_it = self.open.as_ref().is_some_and(|o| o.name == name.text);
        if !is_it && term.is_none() {
            return false;
        }
        let Some(array) = self.open_array(&name.text, name.span) else {
            return false;
        };
        let cell = self.program.arrays[array].first;
        if let Some(open) = &mut self.open {
            open.values.insert(cell, value);
            match term {
                Some(term) if !is_it => open.definitions.push((cell, term)),
                _ => open.parameter = Some(cell),
            }
        }
        self.declare(name, Symbol::Entity(Entity::Data(array)));
        true
    }

    fn open_array(&mut self, name: &str, span: Span) -> Option<ArrayId> {
        let path = vec![(name.to_string(), Vec::new())];
        self.new_array(&path, FREE, Class::Local(SELF), span)
    }

    /// The variable that stands for the index of a family in one of its threads.
    pub(super) fn open_index(&mut self, thread: ThreadId, name: &Name) -> Option<Entity> {
        let index = self.program.threads[thread].index?;
        self.open.as_ref()?;
        let array = self.open_array(&name.text, name.span)?;
        let cell = self.program.arrays[array].first;
        let open = self.open.as_mut()?;
        open.values.insert(cell, index);
        open.members[thread].1 = Some(cell);
        Some(Entity::Data(array))
    }

    /// A family of threads, with the bounds of its index.
    pub(super) fn open_family(
        &mut self,
        name: &str,
        first: ThreadId,
        bounds: Option<(Expr, Expr)>,
    ) {
        let count = self.program.threads.len() - first;
        let Some(open) = &mut self.open else { return };
        let number = match open.families.last() {
            None => Expr::Const(0),
            Some(before) => fold(BinaryOp::Add, before.number.clone(), before.members()),
        };
        let family = open.families.len();
        open.families.push(Family {
            name: name.to_string(),
            first,
            count,
            number,
            bounds,
        });
        open.members.resize(first + count, (family, None));
        open.assumed.resize(first + count, Vec::new());
    }

    /// How many threads there are, if that depends on open cells.
    pub(super) fn thread_count(&self) -> Size {
        let n = self.program.threads.len();
        let open = self.open.as_ref().and_then(|o| o.families.last());
        let term = open.map(|last| fold(BinaryOp::Add, last.number.clone(), last.members()));
        Size {
            n,
            term: term.filter(|t| !matches!(t, Expr::Const(_))),
        }
    }

    /// The number of a thread, as a term.
    pub(super) fn number_of(&self, thread: ThreadId) -> Expr {
        let Some((open, &(family, index))) = self
            .open
            .as_ref()
            .and_then(|o| Some((o, o.members.get(thread)?)))
        else {
            return Expr::Const(thread as i64);
        };
        let family = &open.families[family];
        match (index, &family.bounds) {
            (Some(cell), Some((low, _))) => {
                let offset = fold(BinaryOp::Sub, Expr::Cell(cell), low.clone());
                fold(BinaryOp::Add, family.number.clone(), offset)
            }
            // A thread of the family that is named where its index is not yet known.
            _ => self.number_of_named(thread),
        }
    }

    /// The same for a thread given by a constant index.
    pub(super) fn number_of_named(&self, thread: ThreadId) -> Expr {
        let family = self.open.as_ref().and_then(|o| {
            let (family, _) = o.members.get(thread)?;
            o.families.get(*family)
        });
        let Some(family) = family else {
            return Expr::Const(thread as i64);
        };
        match (self.program.threads[thread].index, &family.bounds) {
            (Some(index), Some((low, _))) => {
                let offset = fold(BinaryOp::Sub, Expr::Const(index), low.clone());
                fold(BinaryOp::Add, family.number.clone(), offset)
            }
            _ => family.number.clone(),
        }
    }

    /// Where a thread is given by a number: that the number is this thread's.
    pub(super) fn assume_number(&mut self, thread: ThreadId, span: Span, cx: &Context) {
        if self.open.is_some() && thread < self.program.threads.len() {
            let number = self.number_of_named(thread);
            if !matches!(number, Expr::Const(_)) {
                self.assumed(&number, span, cx);
            }
        }
    }

    /// Where the variables of a procedure, from a first one on, get values or have sizes that depend on open cells:
    /// that these are those of the instance.
    pub(super) fn assume_frame(&mut self, first: ArrayId, span: Span, cx: &Context) {
        let Some(open) = &self.open else { return };
        let mut terms: Vec<Expr> = Vec::new();
        for array in first..self.program.arrays.len() {
            terms.extend(open.sizes.get(&array).into_iter().flatten().cloned());
            terms.extend(open.ranges.get(&array).map(|(low, _)| low.clone()));
            match open.initial.get(&array) {
                Some(Some(term)) => terms.push(term.clone()),
                // One value for each cell: any of them may depend on it.
                Some(None) => terms.extend(open.parameter.map(Expr::Cell)),
                None => {}
            }
        }
        for term in terms.iter().filter(|t| !matches!(t, Expr::Const(_))) {
            self.assumed(term, span, cx);
        }
    }

    /// Whether an expression over open cells is the number of the thread at hand.
    pub(super) fn is_this(&self, e: &Expr, cx: &Context) -> bool {
        let this = cx.this.map(|t| self.number_of(t));
        self.open.is_some() && !matches!(e, Expr::Const(_)) && this.as_ref() == Some(e)
    }

    /// The value of an expression that has to be known, in the instance; what that assumes is written down.
    pub(super) fn assumed(&mut self, e: &Expr, span: Span, cx: &Context) -> Option<i64> {
        let open = self.open.as_mut()?;
        let value = open.value(e)?;
        let condition = fold(BinaryOp::Eq, e.clone(), Expr::Const(value));
        let known = match cx.this.filter(|&t| t < open.assumed.len()) {
            Some(t) => &mut open.assumed[t],
            None => &mut open.everywhere,
        };
        known.push(Assumption { condition, span });
        Some(value)
    }

    /// A condition that decides what text there is: a constant if it is one in the instance.
    pub(super) fn decided(&mut self, e: Expr, span: Span, cx: &Context) -> Expr {
        if matches!(e, Expr::Const(_)) {
            return e;
        }
        self.assumed(&e, span, cx).map_or(e, Expr::Const)
    }

    /// The text that follows is made for as many threads, or slots, as there are in the instance.
    pub(super) fn assume_size(&mut self, size: &Size, span: Span, cx: &Context) {
        if let Some(term) = &size.term {
            self.assumed(&term.clone(), span, cx);
        }
    }

    /// An integer constant with its term, where nothing but the term needs to be known.
    pub(super) fn term(&mut self, e: &ast::Expr, cx: &Context) -> Option<(i64, Option<Expr>)> {
        if self.open.is_none() {
            return Some((self.integer(e, cx)?, None));
        }
        let t = self.number(e, cx)?;
        match self.open.as_ref().and_then(|o| o.value(&t.expr)) {
            Some(value) if !matches!(t.expr, Expr::Const(_)) => Some((value, Some(t.expr))),
            _ => Some((self.integer(e, cx)?, None)),
        }
    }

    /// The same of any type; nothing unless it depends on what is left open.
    pub(super) fn open_term(&mut self, e: &ast::Expr, cx: &Context) -> Option<(Kind, i64, Expr)> {
        self.open.as_ref()?;
        let t = self.quietly(|all| all.expression(e, cx))?;
        let value = self.open.as_ref()?.value(&t.expr)?;
        let is_open = !matches!(t.expr, Expr::Const(_));
        is_open.then_some((t.kind, value, t.expr))
    }

    /// The type that was read last has these bounds.
    pub(super) fn open_range(&mut self, range: Option<(Expr, Expr)>) {
        if let Some(open) = &mut self.open {
            open.range = range;
        }
    }

    /// Keeps the terms of a variable's sizes and range.
    pub(super) fn open_variable(&mut self, array: ArrayId, sizes: &[&Size]) {
        let Some(open) = &mut self.open else { return };
        if sizes.iter().any(|s| s.term.is_some()) {
            let terms = sizes.iter().map(|s| s.to_term()).collect();
            open.sizes.insert(array, terms);
        }
        if let Some(range) = open.range.take() {
            open.ranges.insert(array, range);
        }
    }

    /// Notes an initial value that depends on open cells, or values that can't be told as one.
    pub(super) fn open_initial(&mut self, array: ArrayId, term: Option<Expr>) {
        if let Some(open) = &mut self.open {
            open.initial.insert(array, term);
        }
    }

    /// Notes how many slots a pool has.
    pub(super) fn open_slots(&mut self, target: usize, size: &Size) {
        if let (Some(open), Some(term)) = (&mut self.open, &size.term) {
            open.slots.insert(target, term.clone());
        }
    }

    /// The number of slots of a pool.
    pub(super) fn slots(&self, target: usize) -> Size {
        let term = self.open.as_ref().and_then(|o| o.slots.get(&target));
        Size {
            n: self.program.pools[target].len,
            term: term.cloned(),
        }
    }

    /// The declared discipline of a variable, for all its cells at once.
    pub(super) fn open_discipline(&mut self, array: ArrayId, word: &Word) -> Option<()> {
        let Discipline::Protected {
            target,
            by,
            read,
            init,
            span,
        } = &*word.discipline
        else {
            return None;
        };
        let names: &[Name] = target.as_ref().map_or(&[], |(_, b)| b);
        let dims = self.program.arrays[array].dims.clone();
        let mut binders = Vec::new();
        let mut cx = Context {
            allows_at: true,
            ..Context::default()
        };
        for n in 0..dims.len() {
            let name = names.get(n.wrapping_sub(word.outer));
            let text = name.map_or_else(String::new, |n| n.text.clone());
            let binder = self.open_array(&text, *span)?;
            let cell = self.program.arrays[binder].first;
            if let Some(open) = &mut self.open {
                open.values.insert(cell, 0);
            }
            binders.push(cell);
            if name.is_some() {
                cx.locals.insert(text, Entity::Data(binder));
            }
        }
        cx.siblings = word.record.map(|r| {
            let object = &binders[..self.instances[r].dims];
            (r, object.iter().map(|&k| Expr::Cell(k)).collect())
        });
        let all = self.accesses((by, read.as_ref()), init.as_ref(), *span, &mut cx)?;
        if let Some(open) = &mut self.open {
            open.disciplines.push(OpenDiscipline {
                array,
                binders,
                predicates: all,
                span: *span,
            });
        }
        Some(())
    }
}

impl Family {
    /// How many threads it has.
    pub fn members(&self) -> Expr {
        match &self.bounds {
            None => Expr::Const(1),
            Some((low, high)) => {
                let behind = fold(BinaryOp::Sub, high.clone(), low.clone());
                fold(BinaryOp::Add, behind, Expr::Const(1))
            }
        }
    }
}
