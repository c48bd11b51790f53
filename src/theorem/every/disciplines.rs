//! Disciplines for all cells of a variable at once: the declared ones, and those that were inferred on the instance.
//!
//! What was inferred is generalised: where the predicates of several threads and cells differ in a number only, that
//! number is the thread's index, its number, or an index of the cell; where some have another form, they are told apart
//! by whether the thread's index is the cell's. Nothing rests on that guess being right: whatever comes out is a
//! discipline, and facts are established with it.

use super::run::Owner;
use crate::base::results::Obstacle;
use crate::model::program::{
    ArrayId, CellId, Class, Expr, Open, OpenDiscipline, Parametric, Program, SELF, ThreadId,
};
use crate::model::text::ast::BinaryOp;

/// One predicate on the instance: of a thread, for the cell with these indices.
#[derive(Clone)]
struct Sample {
    thread: ThreadId,
    cell: Vec<i64>,
    expr: Expr,
}

/// What predicates are generalised with.
struct Pattern<'p> {
    program: &'p Program,
    open: &'p Open,
    /// The array of the open program that each array of the instance's is, and whose own it is, by which name.
    arrays: &'p [ArrayId],
    owners: &'p [Owner],
    binders: &'p [CellId],
    /// The thread whose text stands for the others'.
    like: ThreadId,
}

/// The disciplines of a program whose instance has been settled.
pub(super) fn disciplines(
    parametric: &Parametric,
    program: &Program,
    arrays: &[ArrayId],
    owners: &[Owner],
    like: &[ThreadId],
) -> Result<Vec<OpenDiscipline>, Obstacle> {
    let mut all = parametric.open.disciplines.clone();
    for (a, array) in program.arrays.iter().enumerate() {
        if array.class != (Class::Unprotected { declared: false }) {
            continue;
        }
        let cells = program.cells_of(a);
        let protected = |c: &usize| program.protection_of(*c).is_some();
        // What one thread only uses is its own where other cells are protected.
        let private = |c: &usize| matches!(program.cells[*c].class, Class::Local(_));
        if !cells.clone().any(|c| protected(&c)) {
            continue;
        }
        if !cells.clone().all(|c| protected(&c) || private(&c)) {
            return Err(Obstacle::Discipline(array.name.clone()));
        }
        let binders: Vec<CellId> = (0..array.dims.len())
            .map(|n| parametric.program.cells.len() + 100 * a + n)
            .collect();
        let mut predicates = vec![(Expr::FALSE, Expr::FALSE); program.threads.len()];
        // Of all threads with one text, only those of one are looked at.
        let texts = predicates.iter_mut().enumerate();
        for (thread, predicate) in texts.filter(|(t, _)| like[*t] == *t) {
            let others = (0..like.len()).filter(|t| like[*t] == like[thread]);
            let threads: Vec<ThreadId> = others.collect();
            let pattern = Pattern {
                program,
                open: &parametric.open,
                arrays,
                owners,
                binders: &binders,
                like: thread,
            };
            let general = |read: bool| {
                let of_cells = cells
                    .clone()
                    .flat_map(|c| samples(program, c, &threads, read));
                pattern.general(&of_cells.collect::<Vec<Sample>>())
            };
            let (Some(write), Some(read)) = (general(false), general(true)) else {
                return Err(Obstacle::Discipline(array.name.clone()));
            };
            *predicate = (write, read);
        }
        all.push(OpenDiscipline {
            array: arrays[a],
            binders,
            predicates,
            span: array.span,
        });
    }
    Ok(all)
}

/// The predicates of threads for a cell, to write or to read. What one thread only uses is its own.
fn samples(program: &Program, c: CellId, threads: &[ThreadId], read: bool) -> Vec<Sample> {
    let cell: Vec<i64> = program.indices(c).iter().map(|i| *i as i64).collect();
    let protection = program.protection_of(c).map(|x| &program.protections[x]);
    let predicate = |t: ThreadId| match protection {
        Some(x) => {
            let readers = x.readers.as_ref().filter(|_| read);
            readers.map_or(&x.predicates[t], |r| &r[t]).clone()
        }
        None => Expr::Const((program.cells[c].class == Class::Local(t)).into()),
    };
    let sample = |t: &ThreadId| Sample {
        thread: *t,
        cell: cell.clone(),
        expr: predicate(*t),
    };
    threads.iter().map(sample).collect()
}

impl Pattern<'_> {
    /// One expression of which all samples are instances. Where no constant is open, cells may be told apart by number.
    fn general(&self, samples: &[Sample]) -> Option<Expr> {
        let uniform = self.uniform(samples);
        if uniform.is_some() || self.open.parameter.is_some() {
            return uniform;
        }
        let mut cells: Vec<&[i64]> = samples.iter().map(|s| s.cell.as_slice()).collect();
        cells.sort_unstable();
        cells.dedup();
        let mut general = None;
        for cell in cells {
            let here = samples.iter().filter(|s| s.cell == cell);
            let of_cell = self.uniform(&here.cloned().collect::<Vec<Sample>>())?;
            general = Some(match general {
                None => of_cell,
                Some(others) => {
                    let mut is_it = Expr::TRUE;
                    for (binder, at) in self.binders.iter().zip(cell) {
                        let here = binary(BinaryOp::Eq, Expr::Cell(*binder), Expr::Const(*at));
                        is_it = match is_it {
                            Expr::Const(_) => here,
                            other => binary(BinaryOp::And, other, here),
                        };
                    }
                    Expr::Cond(Box::new(is_it), Box::new(of_cell), Box::new(others))
                }
            });
        }
        general
    }

    /// The same for all cells, or for those of other threads.
    fn uniform(&self, samples: &[Sample]) -> Option<Expr> {
        const DEEPEST: usize = 2;
        self.divided(samples, DEEPEST)
    }

    fn divided(&self, samples: &[Sample], depth: usize) -> Option<Expr> {
        let same = self.alike(samples);
        if same.is_some() || depth == 0 {
            return same;
        }
        // Told apart by whether an index of the cell is that of the thread, or the first or the last.
        let mut terms: Vec<Expr> = self.open.members[self.like]
            .1
            .map(Expr::Cell)
            .into_iter()
            .collect();
        if let Some(n) = self.open.parameter {
            let last = binary(BinaryOp::Sub, Expr::Cell(n), Expr::Const(1));
            terms.extend([Expr::Const(0), last]);
        }
        let binders = self.binders.iter();
        let mut ways = binders.flat_map(|b| {
            let is = |t: &Expr| binary(BinaryOp::Eq, Expr::Cell(*b), t.clone());
            terms.iter().map(is).collect::<Vec<Expr>>()
        });
        ways.find_map(|way| {
            let is_it = |s: &Sample| self.value(&way, s) == Some(1);
            let (own, others): (Vec<Sample>, Vec<Sample>) =
                samples.iter().cloned().partition(is_it);
            if own.is_empty() || others.is_empty() {
                return None;
            }
            let divided = |samples: &[Sample]| self.divided(samples, depth - 1).map(Box::new);
            let (own, others) = (divided(&own)?, divided(&others)?);
            Some(Expr::Cond(Box::new(way.clone()), own, others))
        })
    }

    /// The same of samples of one form.
    fn alike(&self, samples: &[Sample]) -> Option<Expr> {
        let first = samples.first()?;
        match &first.expr {
            Expr::Const(_) => {
                let numbers = samples.iter().map(|s| match &s.expr {
                    Expr::Const(c) => Some(*c),
                    _ => None,
                });
                return self.number(samples, &numbers.collect::<Option<Vec<i64>>>()?);
            }
            Expr::Cell(_) => return self.cell(samples),
            Expr::At(_, locations) => return self.at(samples, locations),
            Expr::Binary(BinaryOp::Eq, ..) => {
                if let Some(is_owner) = self.is_owner(samples) {
                    return Some(is_owner);
                }
            }
            _ => {}
        }
        let form = |e: &Expr| {
            let zeros = parts(e).iter().map(|_| Expr::Const(0)).collect();
            // Whose array it is may differ.
            match with_parts(e, zeros) {
                Expr::Element(_, index) => Expr::Element(0, index),
                other => other,
            }
        };
        if samples.iter().any(|s| form(&s.expr) != form(&first.expr)) {
            return None;
        }
        let mut general = Vec::new();
        for n in 0..parts(&first.expr).len() {
            let one = |s: &Sample| Sample {
                thread: s.thread,
                cell: s.cell.clone(),
                expr: parts(&s.expr)[n].clone(),
            };
            let all: Vec<Sample> = samples.iter().map(one).collect();
            general.push(self.alike(&all)?);
        }
        Some(match with_parts(&first.expr, general) {
            Expr::Element(_, index) => {
                let array = |s: &Sample| match &s.expr {
                    Expr::Element(a, _) => Some(*a),
                    _ => None,
                };
                Expr::Element(self.arrays_alike(samples, array)?, index)
            }
            Expr::Via(slot, allocated) => Expr::Via(slot, allocated.map(|a| self.arrays[a])),
            other => other,
        })
    }

    /// That each sample's own thread owns a lock, if they say so. The number of a single thread may depend on the
    /// constant, too.
    fn is_owner(&self, samples: &[Sample]) -> Option<Expr> {
        let mut owners = Vec::new();
        for s in samples {
            let Expr::Binary(BinaryOp::Eq, owner, number) = &s.expr else {
                return None;
            };
            let array = match &**owner {
                Expr::Cell(c) => self.program.cells[*c].array,
                Expr::Element(array, _) => *array,
                _ => return None,
            };
            let is_owner = self.program.arrays[array].class == Class::Owner;
            let is_it = **number == Expr::Const(s.thread as i64);
            (is_owner && is_it).then_some(())?;
            owners.push(Sample {
                expr: (**owner).clone(),
                ..s.clone()
            });
        }
        let number = self.own_number();
        Some(binary(BinaryOp::Eq, self.alike(&owners)?, number))
    }

    /// The number of the thread at hand.
    fn own_number(&self) -> Expr {
        let (family, index) = self.open.members[self.like];
        let family = &self.open.families[family];
        match (index, &family.bounds) {
            (Some(index), Some((low, _))) => {
                let offset = binary(BinaryOp::Sub, Expr::Cell(index), low.clone());
                binary(BinaryOp::Add, family.number.clone(), offset)
            }
            _ => family.number.clone(),
        }
    }

    /// A term that has these values.
    fn number(&self, samples: &[Sample], values: &[i64]) -> Option<Expr> {
        let first = *values.first()?;
        if values.iter().all(|v| *v == first) {
            return Some(Expr::Const(first));
        }
        let mut terms = Vec::new();
        if let (_, Some(index)) = self.open.members[self.like] {
            terms.extend([Expr::Cell(index), self.own_number()]);
        }
        terms.extend(self.binders.iter().map(|b| Expr::Cell(*b)));
        let shifted = |t: &Expr, by: i64| binary(BinaryOp::Add, t.clone(), Expr::Const(by));
        let around = |t: &Expr| {
            let n = Expr::Cell(self.open.parameter?);
            Some(binary(BinaryOp::Rem, shifted(t, 1), n))
        };
        let beside = |t: &Expr| [t.clone(), shifted(t, 1), shifted(t, -1)];
        let mut near: Vec<Expr> = Vec::new();
        for t in &terms {
            near.extend(beside(t));
            near.extend(around(t));
        }
        let fits = |t: &&Expr| {
            let mut all = samples.iter().zip(values);
            all.all(|(s, v)| self.value(t, s) == Some(*v))
        };
        near.iter().find(fits).cloned()
    }

    /// The value of a term for a sample.
    fn value(&self, t: &Expr, sample: &Sample) -> Option<i64> {
        let index = match self.open.members[self.like] {
            (_, Some(cell)) => Some((cell, self.program.threads[sample.thread].index?)),
            _ => None,
        };
        let given = |cell: CellId| {
            let binder = self.binders.iter().position(|b| *b == cell);
            let index = index.filter(|(c, _)| *c == cell).map(|(_, i)| i);
            binder.map(|n| sample.cell[n]).or(index)
        };
        self.open.value_given(t, &given)
    }

    fn cell(&self, samples: &[Sample]) -> Option<Expr> {
        let cell = |s: &Sample| match &s.expr {
            Expr::Cell(c) => Some(*c),
            _ => None,
        };
        let array = self.arrays_alike(samples, |s| Some(self.program.cells[cell(s)?].array))?;
        let indices: Option<Vec<Vec<usize>>> = samples
            .iter()
            .map(|s| Some(self.program.indices(cell(s)?)))
            .collect();
        let indices = indices?;
        let mut general = Vec::new();
        for n in 0..indices.first()?.len() {
            let values: Vec<i64> = indices.iter().map(|i| i[n] as i64).collect();
            general.push(self.number(samples, &values)?);
        }
        Some(Expr::Element(array, general))
    }

    /// The array that samples mention: one for all, or each thread's own.
    fn arrays_alike(
        &self,
        samples: &[Sample],
        of: impl Fn(&Sample) -> Option<ArrayId>,
    ) -> Option<ArrayId> {
        let all: Vec<ArrayId> = samples
            .iter()
            .map(|s| of(s).map(|a| self.arrays[a]))
            .collect::<Option<_>>()?;
        let first = *all.first()?;
        let own = |n: usize| {
            let owner = self.owners[all[n]].as_ref();
            owner
                .filter(|(t, _)| *t == samples[n].thread)
                .map(|(_, rest)| rest)
        };
        if let Some(name) = own(0) {
            (0..all.len()).all(|n| own(n) == Some(name)).then_some(())?;
            let is_it = |o: &Owner| {
                o.as_ref()
                    .is_some_and(|(t, n)| *t == self.like && n == name)
            };
            return self.owners.iter().position(is_it);
        }
        all.iter().all(|a| *a == first).then_some(first)
    }

    fn at(&self, samples: &[Sample], locations: &[usize]) -> Option<Expr> {
        let mut threads = Vec::new();
        for s in samples {
            match &s.expr {
                Expr::At(t, l) if l == locations => threads.push(*t),
                _ => return None,
            }
        }
        let first = *threads.first()?;
        if threads.iter().zip(samples).all(|(t, s)| *t == s.thread) {
            return Some(Expr::At(SELF, locations.to_vec()));
        }
        let same = threads.iter().all(|t| *t == first);
        same.then(|| Expr::At(first, locations.to_vec()))
    }
}

/// What an expression is made of.
pub(super) fn parts(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::Const(_) | Expr::Cell(_) | Expr::At(..) => Vec::new(),
        Expr::Element(_, index) => index.iter().collect(),
        Expr::Via(x, _) | Expr::Slot(x, _) | Expr::Not(x) | Expr::Neg(x) => vec![x],
        Expr::Binary(_, x, y) => vec![x, y],
        Expr::Cond(c, x, y) => vec![c, x, y],
    }
}

/// The same made of other parts, of which there are as many.
pub(super) fn with_parts(e: &Expr, parts: Vec<Expr>) -> Expr {
    if let Expr::Element(array, _) = e {
        return Expr::Element(*array, parts);
    }
    let mut parts = parts.into_iter().map(Box::new);
    let mut next = || parts.next().unwrap_or_else(|| Box::new(Expr::FALSE));
    match e {
        Expr::Via(_, allocated) => Expr::Via(next(), *allocated),
        Expr::Slot(_, pool) => Expr::Slot(next(), *pool),
        Expr::Not(_) => Expr::Not(next()),
        Expr::Neg(_) => Expr::Neg(next()),
        Expr::Binary(op, ..) => Expr::Binary(*op, next(), next()),
        Expr::Cond(..) => Expr::Cond(next(), next(), next()),
        other => other.clone(),
    }
}

fn binary(op: BinaryOp, x: Expr, y: Expr) -> Expr {
    Expr::Binary(op, Box::new(x), Box::new(y))
}
