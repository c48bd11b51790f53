//! Expressions of generic threads: their values on each path.

use super::arithmetic::small;
use super::linear::{Linear, Literal};
use super::run::{
    Generic, Indexed, Key, Machine, Placed, Run, Said, Unsaid, Valued, Values, View, bit,
};
use crate::base::results::Obstacle;
use crate::model::program::{ArrayId, Expr, LocId, SELF, ThreadId};
use crate::model::text::ast::BinaryOp;

impl Machine<'_> {
    /// A term over the open constant only.
    pub fn constant(&self, e: &Expr) -> Said<Linear> {
        self.open_term(e, &Values::default())
    }

    /// A term over open cells: the constant, those made of it, and those given.
    pub fn open_term(&self, e: &Expr, values: &Values) -> Said<Linear> {
        let open = &self.parametric.open;
        Ok(match e {
            Expr::Const(c) => Linear::constant((*c).into()),
            Expr::Cell(c) if Some(*c) == open.parameter => self.parameter(),
            Expr::Cell(c) => match values.get(c) {
                Some(known) => known.clone(),
                None => match open.definitions.iter().find(|(d, _)| d == c) {
                    Some((_, term)) => self.open_term(term, values)?,
                    None => return Err(Unsaid::Because(Obstacle::NotLinear)),
                },
            },
            Expr::Neg(x) => self.fits(self.open_term(x, values)?.times(-1))?,
            Expr::Binary(op, x, y) => {
                let (x, y) = (self.open_term(x, values)?, self.open_term(y, values)?);
                match (op, x.value(), y.value()) {
                    (BinaryOp::Add, _, _) => self.fits(x.plus(&y, 1))?,
                    (BinaryOp::Sub, _, _) => self.fits(x.minus(&y))?,
                    (BinaryOp::Mul, Some(k), _) => self.fits(y.times(k))?,
                    (BinaryOp::Mul, _, Some(k)) => self.fits(x.times(k))?,
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
                Ok(vec![(run, Some(self.fits(v.times(-1))?))])
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
            match self.is_known(&none, is(l)) {
                Some(true) => return Ok((there, None)),
                Some(false) => {}
                None => {
                    if let Some(earlier) = last.replace(is(l).not()) {
                        none = self.following(none, earlier);
                    }
                }
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
}
