//! The actions of a program as events: one for each path through an action, on what that path reads and writes.
//!
//! An edge is executed path by path, in the interpreter's order of evaluation; what a computed index selects, which branch is
//! taken and what goes wrong is decided on the way, so that an event mentions the cells that its path uses and no others. The
//! decisions are found by running the edge again with the next ones (no state is copied). An edge with very many paths is
//! run again with simple conditionals merged into expressions.
//!
//! A path that violates the discipline (under the same conditions as `interpreter::violates`) is an event of its own:
//! such states are not expanded, so no variable for q is needed.

use super::formulas::{Form, Formula, Formulas, NO, YES};
use super::relations::{ANY, Rel, Relations};
use super::space::{Read, Space};
use crate::control::{Control, Stop};
use crate::program::{
    ArrayId, CellId, Command, Edge, Expr, LocId, Protection, Target, ThreadId, Type,
};
use crate::syntax::ast::BinaryOp;
use rustc_hash::{FxHashMap, FxHashSet};

/// One path through one edge.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Its thread.
    pub thread: ThreadId,
    /// The location that it leaves.
    pub location: LocId,
    /// What it does.
    pub rel: Rel,
    /// Whether it violates the discipline.
    pub violates: bool,
}

/// Paths of one edge before conditionals are merged.
const PATHS: usize = 64;

/// All events of a program.
///
/// # Errors
/// Any [`Stop`].
pub fn events(
    space: &Space,
    relations: &mut Relations,
    control: &Control,
) -> Result<Vec<Event>, Stop> {
    let mut all = Vec::new();
    let guarded = Guarded::new(space);
    for (thread, t) in space.program.threads.iter().enumerate() {
        for (location, l) in t.locations.iter().enumerate() {
            for edge in &l.edges {
                control.check()?;
                let first = all.len();
                let mut run = Run::new(space, relations, &guarded, thread);
                if !run.paths(location, edge, PATHS, &mut all, control)? {
                    all.truncate(first);
                    let mut run = Run::new(space, relations, &guarded, thread);
                    run.merging = true;
                    run.paths(location, edge, usize::MAX, &mut all, control)?;
                }
            }
        }
    }
    Ok(all)
}

/// Which protected cells' predicates depend on what.
struct Guarded {
    by_cell: FxHashMap<CellId, Vec<usize>>,
    by_thread: FxHashMap<ThreadId, Vec<usize>>,
    protected: FxHashMap<CellId, usize>,
}

impl Guarded {
    fn new(space: &Space) -> Self {
        let mut guarded = Guarded {
            by_cell: FxHashMap::default(),
            by_thread: FxHashMap::default(),
            protected: FxHashMap::default(),
        };
        for (n, x) in space.program.protections.iter().enumerate() {
            guarded.protected.insert(x.cell, n);
            let mut cells: FxHashSet<CellId> = FxHashSet::default();
            let mut threads: FxHashSet<ThreadId> = FxHashSet::default();
            for e in x.predicates.iter().chain(x.readers.iter().flatten()) {
                e.walk(&mut |e| match e {
                    Expr::Cell(c) => {
                        cells.insert(*c);
                    }
                    Expr::Element(a, _) | Expr::Via(_, Some(a)) => {
                        cells.extend(space.program.cells_of(*a));
                    }
                    Expr::At(t, _) => {
                        threads.insert(*t);
                    }
                    _ => {}
                });
            }
            for c in cells {
                guarded.by_cell.entry(c).or_default().push(n);
            }
            for t in threads {
                guarded.by_thread.entry(t).or_default().push(n);
            }
        }
        guarded
    }
}

/// Why a path ends before its text does.
enum End {
    /// No state takes it.
    Dead,
    /// It goes wrong.
    Wrong,
}

/// A decision: what was taken, of how many.
#[derive(Clone, Copy)]
struct Decision {
    taken: usize,
    of: usize,
}

/// The execution of one path, with the decisions that lead to it.
struct Run<'r, 'p> {
    space: &'r Space<'p>,
    relations: &'r mut Relations,
    guarded: &'r Guarded,
    thread: ThreadId,
    decisions: Vec<Decision>,
    next: usize,
    merging: bool,
    conditions: Vec<Formula>,
    /// Values that the path's conditions have fixed.
    known: FxHashMap<Formula, Formula>,
    path: Path,
    /// Arbitrary values that are decided one by one, because something depends on them.
    enumerated: Vec<u32>,
    chosen: Vec<(u32, Type)>,
    accessed: Vec<CellId>,
    written: Vec<CellId>,
}

/// The state of an execution: what differs from the state before.
#[derive(Default)]
struct Path {
    cells: FxHashMap<CellId, Formula>,
    location: Option<Formula>,
    thread: ThreadId,
}

/// Values after (so far) the step.
struct After<'a, 'p> {
    space: &'a Space<'p>,
    path: &'a Path,
}

impl Read for After<'_, '_> {
    fn cell(&self, f: &mut Formulas, cell: CellId) -> Formula {
        match self.path.cells.get(&cell) {
            Some(&value) => value,
            None => self.space.cell(f, cell),
        }
    }

    fn location(&self, f: &mut Formulas, thread: ThreadId) -> Formula {
        match self.path.location {
            Some(l) if thread == self.path.thread => l,
            _ => self.space.location(f, thread),
        }
    }
}

impl<'r, 'p> Run<'r, 'p> {
    fn new(
        space: &'r Space<'p>,
        relations: &'r mut Relations,
        guarded: &'r Guarded,
        thread: ThreadId,
    ) -> Self {
        Run {
            space,
            relations,
            guarded,
            thread,
            decisions: Vec::new(),
            next: 0,
            merging: false,
            conditions: Vec::new(),
            known: FxHashMap::default(),
            path: Path::default(),
            enumerated: Vec::new(),
            chosen: Vec::new(),
            accessed: Vec::new(),
            written: Vec::new(),
        }
    }

    fn f(&mut self) -> &mut Formulas {
        &mut self.relations.formulas
    }

    /// All paths of an edge; whether there were no more than `most`.
    fn paths(
        &mut self,
        location: LocId,
        edge: &Edge,
        most: usize,
        into: &mut Vec<Event>,
        control: &Control,
    ) -> Result<bool, Stop> {
        let mut count = 0;
        loop {
            control.check()?;
            self.begin(location);
            let wrong = match self.edge(edge) {
                Ok(()) => false,
                Err(End::Wrong) => true,
                Err(End::Dead) => {
                    if !self.advance() {
                        return Ok(true);
                    }
                    continue;
                }
            };
            if self.needs_enumeration() {
                // Again from the first path: more is decided now.
                into.truncate(into.len() - count);
                count = 0;
                self.decisions.clear();
                continue;
            }
            let before = into.len();
            self.end(location, wrong, into);
            count += into.len() - before;
            if count > most {
                return Ok(false);
            }
            if !self.advance() {
                return Ok(true);
            }
        }
    }

    fn begin(&mut self, location: LocId) {
        self.next = 0;
        self.conditions.clear();
        self.known.clear();
        self.chosen.clear();
        self.accessed.clear();
        self.written.clear();
        self.path = Path {
            thread: self.thread,
            ..Path::default()
        };
        let here = self
            .relations
            .formulas
            .var(self.space.locations[self.thread]);
        let at = self.f().equals(here, location as i64);
        self.conditions.push(at);
    }

    /// The decisions of the next path; whether there is one.
    fn advance(&mut self) -> bool {
        self.decisions.truncate(self.next);
        while let Some(last) = self.decisions.last_mut() {
            if last.taken + 1 < last.of {
                last.taken += 1;
                return true;
            }
            self.decisions.pop();
        }
        false
    }

    /// Decides which of these conditions holds; those that cannot are no choice.
    fn decide(&mut self, options: &[Formula]) -> Result<usize, End> {
        let mut possible = (0..options.len()).filter(|&n| options[n] != NO);
        let taken = match (possible.next(), possible.next()) {
            (None, _) => return Err(End::Dead),
            (Some(only), None) => only,
            (Some(_), Some(_)) => {
                let all: Vec<usize> = (0..options.len()).filter(|&n| options[n] != NO).collect();
                let n = self.next;
                if n == self.decisions.len() {
                    self.decisions.push(Decision {
                        taken: 0,
                        of: all.len(),
                    });
                }
                self.next += 1;
                all[self.decisions[n].taken]
            }
        };
        self.require(options[taken]);
        Ok(taken)
    }

    fn require(&mut self, condition: Formula) {
        if condition == YES {
            return;
        }
        self.conditions.push(condition);
        if let Form::Binary(BinaryOp::Eq, x, c) = self.relations.formulas.form(condition)
            && self.relations.formulas.value(c).is_some()
        {
            self.known.insert(x, c);
        }
    }

    fn edge(&mut self, edge: &Edge) -> Result<(), End> {
        if let Some(guard) = &edge.guard {
            let value = self.eval(guard)?;
            if value == NO {
                return Err(End::Dead);
            }
            self.require(value);
        }
        self.execute(&edge.body, YES)
    }

    /// Executes commands where `guard` holds; it is true but inside merged conditionals.
    fn execute(&mut self, commands: &[Command], guard: Formula) -> Result<(), End> {
        for command in commands {
            match command {
                Command::Assign(target, value) => self.assign(target, value, guard)?,
                Command::Havoc(target) => {
                    let cell = self.target(target)?;
                    let value = self.arbitrary(self.space.program.cells[cell].ty)?;
                    self.write(cell, value);
                }
                Command::Check(e, _) => {
                    let value = self.eval(e)?;
                    self.defined(value, guard)?;
                }
                Command::If(c, yes, no) => {
                    let c = self.eval(c)?;
                    let not = self.f().not(c);
                    if self.merging && self.mergeable(yes) && self.mergeable(no) {
                        let on = self.f().and(guard, c);
                        self.execute(yes, on)?;
                        let off = self.f().and(guard, not);
                        self.execute(no, off)?;
                        continue;
                    }
                    let branch = if self.decide(&[c, not])? == 0 {
                        yes
                    } else {
                        no
                    };
                    self.execute(branch, YES)?;
                }
                Command::Choose(branches) => {
                    let n = self.decide(&vec![YES; branches.len()])?;
                    self.execute(&branches[n], YES)?;
                }
                Command::Goto(location) => {
                    self.path.location = Some(self.f().constant(*location as i64));
                }
            }
        }
        Ok(())
    }

    /// Whether commands can be executed under a condition: assignments of fixed, unprotected cells, and conditionals of such.
    fn mergeable(&self, commands: &[Command]) -> bool {
        commands.iter().all(|c| match c {
            Command::Assign(Target::Cell(c), e) => {
                !self.guarded.protected.contains_key(c) && self.is_plain(e)
            }
            Command::If(c, yes, no) => {
                self.is_plain(c) && self.mergeable(yes) && self.mergeable(no)
            }
            _ => false,
        })
    }

    /// Whether an expression never fails and reads nothing protected.
    fn is_plain(&self, e: &Expr) -> bool {
        let mut plain = true;
        e.walk(&mut |e| {
            plain &= match e {
                Expr::Element(..) | Expr::Via(..) | Expr::Slot(..) => false,
                Expr::Cell(c) => !self.guarded.protected.contains_key(c),
                Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, d) => {
                    matches!(**d, Expr::Const(d) if d != 0)
                }
                _ => true,
            };
        });
        plain
    }

    fn assign(&mut self, target: &Target, value: &Expr, guard: Formula) -> Result<(), End> {
        let cell = self.target(target)?;
        let mut value = self.eval(value)?;
        let ty = self.space.program.cells[cell].ty;
        if ty.wraps {
            let size = self.f().constant(ty.size() as i64);
            value = self.f().binary(BinaryOp::Rem, value, size);
        }
        let fits = self.f().within(value, ty.lo, ty.hi);
        self.defined(fits, guard)?;
        if guard != YES {
            let old = self.read(cell);
            value = self.f().cond(guard, value, old);
        }
        self.write(cell, value);
        Ok(())
    }

    fn write(&mut self, cell: CellId, value: Formula) {
        self.accessed.push(cell);
        self.written.push(cell);
        self.path.cells.insert(cell, value);
    }

    /// Goes wrong where `guard` holds and `condition` does not.
    fn defined(&mut self, condition: Formula, guard: Formula) -> Result<(), End> {
        let not = self.f().not(condition);
        let fails = self.f().and(guard, not);
        let goes_on = self.f().not(fails);
        match self.decide(&[goes_on, fails])? {
            0 => Ok(()),
            _ => Err(End::Wrong),
        }
    }

    /// An arbitrary value of a type: one name for all of them if nothing depends on it, else one by one.
    fn arbitrary(&mut self, ty: Type) -> Result<Formula, End> {
        let number = self.chosen.len() as u32;
        self.chosen.push((number, ty));
        if !self.enumerated.contains(&number) {
            return Ok(self.f().chosen(number, (ty.lo, ty.hi)));
        }
        let n = self.decide(&vec![YES; ty.size() as usize])?;
        Ok(self.f().constant(ty.lo + n as i64))
    }

    /// Whether an arbitrary value turned out to matter; from now on it is decided.
    fn needs_enumeration(&mut self) -> bool {
        let f = &self.relations.formulas;
        let mut matter: Vec<Formula> = self.conditions.clone();
        let mut plain: Vec<Formula> = Vec::new();
        for &value in self.path.cells.values() {
            match f.form(value) {
                Form::Chosen(_) if !plain.contains(&value) => plain.push(value),
                _ => matter.push(value),
            }
        }
        // A predicate may read what was written.
        let checked = self.touched();
        for x in checked {
            let x = &self.space.program.protections[x];
            for e in x.predicates.iter().chain(x.readers.iter().flatten()) {
                let after = After {
                    space: self.space,
                    path: &self.path,
                };
                let value = self.space.holds(&mut self.relations.formulas, e, &after);
                matter.push(value);
            }
        }
        let f = &self.relations.formulas;
        if !matter.iter().any(|&e| f.has_choice(e)) {
            return false;
        }
        self.enumerated = (0..self.chosen.len() as u32).collect();
        true
    }

    /// Protections whose predicates the step may change, or whose cells it accesses.
    fn touched(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self
            .accessed
            .iter()
            .filter_map(|c| self.guarded.protected.get(c).copied())
            .collect();
        for c in self.path.cells.keys() {
            all.extend(self.guarded.by_cell.get(c).into_iter().flatten());
        }
        all.extend(
            self.guarded
                .by_thread
                .get(&self.thread)
                .into_iter()
                .flatten(),
        );
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The value of an expression on this path.
    fn eval(&mut self, e: &Expr) -> Result<Formula, End> {
        if self.is_plain(e) {
            let after = After {
                space: self.space,
                path: &self.path,
            };
            let (value, _) = self.space.evaluate(&mut self.relations.formulas, e, &after);
            return Ok(self.settled(value));
        }
        match e {
            Expr::Const(_) | Expr::At(..) => {
                let after = After {
                    space: self.space,
                    path: &self.path,
                };
                let (value, _) = self.space.evaluate(&mut self.relations.formulas, e, &after);
                Ok(value)
            }
            Expr::Cell(c) => Ok(self.access(*c)),
            Expr::Element(array, index) => {
                let cell = self.element(*array, index)?;
                Ok(self.access(cell))
            }
            Expr::Via(reference, allocated) => {
                let slot = self.eval(reference)?;
                let zero = self.f().constant(0);
                let valid = self.f().binary(BinaryOp::Ge, slot, zero);
                self.defined(valid, YES)?;
                if let Some(array) = allocated {
                    let a = &self.space.program.arrays[*array];
                    let n = self.index(slot, a.len)?;
                    let flag = self.read(a.first + n);
                    self.defined(flag, YES)?;
                }
                Ok(self.settled(slot))
            }
            Expr::Slot(number, pool) => {
                let slot = self.eval(number)?;
                let len = self.space.program.pools[*pool].len as i64;
                let inside = self.f().within(slot, 0, len - 1);
                self.defined(inside, YES)?;
                Ok(slot)
            }
            Expr::Not(e) => {
                let value = self.eval(e)?;
                Ok(self.f().not(value))
            }
            Expr::Neg(e) => {
                let value = self.eval(e)?;
                Ok(self.f().neg(value))
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::Cond(c, a, b) => {
                let c = self.eval(c)?;
                let not = self.f().not(c);
                match self.decide(&[c, not])? {
                    0 => self.eval(a),
                    _ => self.eval(b),
                }
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Result<Formula, End> {
        use BinaryOp::*;
        let va = self.eval(a)?;
        if let And | Or | Implies = op {
            // A right side without consequences need not be decided about.
            if !self.is_plain(b) {
                let not = self.f().not(va);
                let (goes_on, settled) = match op {
                    Or => (not, va),
                    _ => (va, not),
                };
                return match self.decide(&[goes_on, settled])? {
                    0 => self.eval(b),
                    _ => Ok(if op == And { NO } else { YES }),
                };
            }
        }
        let vb = self.eval(b)?;
        if let Div | Rem = op {
            let zero = self.f().equals(vb, 0);
            let defined = self.f().not(zero);
            self.defined(defined, YES)?;
        }
        Ok(self.f().binary(op, va, vb))
    }

    /// What the path's conditions make of a value.
    fn settled(&mut self, value: Formula) -> Formula {
        if self.known.is_empty() {
            return value;
        }
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        match self.relations.formulas.form(value) {
            Form::Neg(x) => {
                let x = self.settled(x);
                self.f().neg(x)
            }
            Form::Binary(op, a, b) => {
                let (a, b) = (self.settled(a), self.settled(b));
                self.f().binary(op, a, b)
            }
            _ => value,
        }
    }

    /// A cell's value, without access.
    fn read(&mut self, cell: CellId) -> Formula {
        let after = After {
            space: self.space,
            path: &self.path,
        };
        let value = after.cell(&mut self.relations.formulas, cell);
        self.settled(value)
    }

    fn access(&mut self, cell: CellId) -> Formula {
        self.accessed.push(cell);
        self.read(cell)
    }

    fn target(&mut self, target: &Target) -> Result<CellId, End> {
        match target {
            Target::Cell(c) => Ok(*c),
            Target::Element(array, index) => self.element(*array, index),
        }
    }

    fn element(&mut self, array: ArrayId, index: &[Expr]) -> Result<CellId, End> {
        let mut values = Vec::new();
        for e in index {
            values.push(self.eval(e)?);
        }
        let a = &self.space.program.arrays[array];
        let mut offset = 0;
        for (value, &d) in values.into_iter().zip(&a.dims) {
            let value = self.settled(value);
            offset = offset * d + self.index(value, d)?;
        }
        Ok(a.first + offset)
    }

    /// Decides which of `len` values an index has; goes wrong where it has another.
    fn index(&mut self, value: Formula, len: usize) -> Result<usize, End> {
        let (lo, hi) = self.f().range(value);
        let (lo, hi) = (lo.max(0), hi.min(len as i64 - 1));
        let mut options = Vec::new();
        for k in lo..=hi {
            options.push(self.f().equals(value, k));
        }
        let inside = self.f().within(value, 0, len as i64 - 1);
        options.push(self.f().not(inside));
        let n = self.decide(&options)?;
        if n + 1 == options.len() {
            return Err(End::Wrong);
        }
        Ok((lo + n as i64) as usize)
    }

    /// The events of a path that has ended.
    fn end(&mut self, location: LocId, wrong: bool, into: &mut Vec<Event>) {
        if let (true, Some(l)) = (wrong, self.space.program.threads[self.thread].wrong) {
            self.path.location = Some(self.f().constant(l as i64));
        }
        let mut updates: Vec<(u32, Formula)> = Vec::new();
        for (&cell, &value) in &self.path.cells {
            let chosen = matches!(self.relations.formulas.form(value), Form::Chosen(_));
            updates.push((self.space.cells[cell], if chosen { ANY } else { value }));
        }
        if let Some(l) = self.path.location {
            updates.push((self.space.locations[self.thread], l));
        }
        let violated = self.violated();
        let kept = self.f().not(violated);
        for (condition, violates) in [(kept, false), (violated, true)] {
            if condition == NO {
                continue;
            }
            self.conditions.push(condition);
            let rel = self.relations.relation(&self.conditions, &updates);
            self.conditions.pop();
            if let Some(rel) = rel {
                into.push(Event {
                    thread: self.thread,
                    location,
                    rel,
                    violates,
                });
            }
        }
    }

    /// Where the step violates the discipline.
    fn violated(&mut self) -> Formula {
        let mut violated = NO;
        for n in self.touched() {
            let x = &self.space.program.protections[n];
            let accessed = self.accessed.contains(&x.cell);
            if accessed {
                let may = self.may_access(x);
                let outside = self.f().not(may);
                violated = self.f().or(violated, outside);
            }
            let concerned = if accessed { YES } else { self.changed(x) };
            if concerned != NO {
                let overlap = self.overlap(x);
                let both = self.f().and(concerned, overlap);
                violated = self.f().or(violated, both);
            }
        }
        violated
    }

    fn may_access(&mut self, x: &Protection) -> Formula {
        let f = &mut self.relations.formulas;
        let exclusive = self.space.holds(f, &x.predicates[self.thread], self.space);
        match &x.readers {
            Some(readers) if !self.written.contains(&x.cell) => {
                let reading = self.space.holds(f, &readers[self.thread], self.space);
                f.or(exclusive, reading)
            }
            _ => exclusive,
        }
    }

    fn changed(&mut self, x: &Protection) -> Formula {
        let f = &mut self.relations.formulas;
        let after = After {
            space: self.space,
            path: &self.path,
        };
        let mut any = NO;
        for e in x.predicates.iter().chain(x.readers.iter().flatten()) {
            let then = self.space.holds(f, e, &after);
            let now = self.space.holds(f, e, self.space);
            let differs = f.binary(BinaryOp::Ne, then, now);
            any = f.or(any, differs);
        }
        any
    }

    fn overlap(&mut self, x: &Protection) -> Formula {
        let after = After {
            space: self.space,
            path: &self.path,
        };
        overlap(self.space, &mut self.relations.formulas, x, &after)
    }
}

/// Where a thread has exclusive access to a cell and another has some access to it.
pub fn overlap(space: &Space, f: &mut Formulas, x: &Protection, read: &dyn Read) -> Formula {
    let (mut seen, mut owned, mut overlap) = (NO, NO, NO);
    for (t, e) in x.predicates.iter().enumerate() {
        let exclusive = space.holds(f, e, read);
        let access = match &x.readers {
            Some(readers) => {
                let reading = space.holds(f, &readers[t], read);
                f.or(exclusive, reading)
            }
            None => exclusive,
        };
        let first = f.and(seen, exclusive);
        let second = f.and(owned, access);
        let both = f.or(first, second);
        overlap = f.or(overlap, both);
        seen = f.or(seen, access);
        owned = f.or(owned, exclusive);
    }
    overlap
}
