//! The actions of a program as events: one for each path through an action, on what that path reads and writes.
//!
//! An edge is executed path by path, in the interpreter's order of evaluation; On the way it is decided which cell a
//! computed index selects, which branch is taken and what goes wrong. So an event mentions only the cells that its path
//! uses. The decisions are found by running the edge again with the next ones (no state is copied). An edge with very
//! many paths is run again with simple conditionals merged into expressions.
//!
//! A path that violates the discipline (under the same conditions as `interpreter::violates`) is an event of its own:
//! such states are not expanded, so no variable for q is needed.

mod discipline;
mod evaluate;

pub use discipline::overlap;

use super::formulas::{Form, Formula, Formulas, NO, YES};
use super::relations::{ANY, Rel, Relations};
use super::space::{Read, Space};
use crate::base::control::{Control, Stop};
use crate::model::program::{CellId, Command, Edge, Expr, LocId, Target, ThreadId, Type, is_total};
use crate::model::text::ast::BinaryOp;
use discipline::Guarded;
use rustc_hash::FxHashMap;

/// One path through one edge.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Its thread.
    pub thread: ThreadId,
    /// The location that it leaves.
    pub location: LocId,
    /// Along which edge, by its number there.
    pub edge: usize,
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
            for (number, edge) in l.edges.iter().enumerate() {
                let place = (location, number);
                control.check()?;
                let first = all.len();
                let mut run = Run::new(space, relations, &guarded, thread);
                if !run.paths(place, edge, PATHS, &mut all, control)? {
                    all.truncate(first);
                    let mut run = Run::new(space, relations, &guarded, thread);
                    run.merging = true;
                    run.paths(place, edge, usize::MAX, &mut all, control)?;
                }
            }
        }
    }
    Ok(all)
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

    /// All paths of an edge at a place; whether there were no more than `most`.
    fn paths(
        &mut self,
        place: (LocId, usize),
        edge: &Edge,
        most: usize,
        into: &mut Vec<Event>,
        control: &Control,
    ) -> Result<bool, Stop> {
        let mut count = 0;
        loop {
            control.check()?;
            self.begin(place.0);
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
            self.end(place, wrong, into);
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

    /// Whether commands can be executed under a condition: assignments of fixed, unprotected cells, and conditionals of
    /// such.
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
                Expr::Binary(op, _, right) => is_total(*op, right),
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
        for (&cell, &value) in &self.path.cells {
            let ty = self.space.program.cells[cell].ty;
            // It may stand for any value of the cell's type only if it is of that type, and ends in no other cell.
            match f.form(value) {
                Form::Chosen(_) if f.range(value) == (ty.lo, ty.hi) && !plain.contains(&value) => {
                    plain.push(value);
                }
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

    /// The events of a path that has ended.
    fn end(&mut self, (location, edge): (LocId, usize), wrong: bool, into: &mut Vec<Event>) {
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
                    edge,
                    rel,
                    violates,
                });
            }
        }
    }
}
