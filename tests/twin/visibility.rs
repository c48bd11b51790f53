//! Which steps are visible, by the definition and by the repairs of what must not be invisible.

use std::collections::BTreeSet;

use super::ast::{Expr, Hidden, Part, Place, Property, Root, StateKind, Stmt, StmtKind};
use super::compile::{Command, Constants, constant, constants, decided_by};
use super::eval::{Rights, Scope};
use super::model::{Model, Node, q, state_of};
use super::semantics::System;
use super::storage::{Access, Data, Storage};
use super::theorem::{Relations, endless};

/// Why a step is visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A shared unprotected variable, an object's hidden state or another thread's end occurs in it.
    Mentions,
    /// Its blocking guard mentions a protected variable.
    Guard,
    /// It changes an exclusive access predicate or a read predicate.
    ChangesAccess,
    /// Repair: it is enabled initially.
    Initial,
    /// Repair: it leads out of the states that a property is about.
    Hides,
    /// Repair: it lies on a cycle of invisible steps.
    Cycle,
}

/// `reasons[i][l]`: why the action of thread `i` at location `l` is visible; empty if it is invisible.
pub type Reasons = Vec<Vec<BTreeSet<Reason>>>;

/// `visible[i][l]`: whether the action of thread `i` at location `l` is visible.
pub type Visible = Vec<Vec<bool>>;

pub fn visible(reasons: &Reasons) -> Visible {
    reasons
        .iter()
        .map(|actions| actions.iter().map(|reasons| !reasons.is_empty()).collect())
        .collect()
}

/// All reasons but cycles, which leave a choice.
pub fn reasons(model: &Model) -> Reasons {
    let mut reasons: Reasons = Vec::new();
    for (i, graph) in model.system.graphs.iter().enumerate() {
        let syntax = Syntax {
            system: &model.system,
            constants: constants(&model.system.program, i),
        };
        reasons.push(
            graph
                .locations
                .iter()
                .map(|location| syntax.reasons(&location.commands))
                .collect(),
        );
    }
    for i in model.threads() {
        for (s1, steps) in model.steps[i].iter().enumerate() {
            for step in steps {
                let s2 = step.target;
                let changes = |rights: &Vec<Rights>| rights[s1] != rights[s2];
                let location = model.location(i, s1).expect("a step leaves a location");
                if model.rights.iter().flatten().any(changes) {
                    reasons[i][location].insert(Reason::ChangesAccess);
                }
            }
        }
    }
    repair_initial(model, &mut reasons);
    repair_hiding(model, &mut reasons);
    reasons
}

fn repair_initial(model: &Model, reasons: &mut Reasons) {
    for i in model.threads() {
        for &node in &model.initial {
            if !model.steps[i][state_of(node)].is_empty() {
                let location = model
                    .location(i, state_of(node))
                    .expect("an enabled step leaves a location");
                reasons[i][location].insert(Reason::Initial);
            }
        }
    }
}

fn repair_hiding(model: &Model, reasons: &mut Reasons) {
    for property in &model.system.program.properties {
        let Some(concerned) = concerned(model, property) else {
            continue;
        };
        for i in model.threads() {
            for (s1, steps) in model.steps[i].iter().enumerate() {
                if concerned[s1] && steps.iter().any(|step| !concerned[step.target]) {
                    let location = model.location(i, s1).expect("a step leaves a location");
                    reasons[i][location].insert(Reason::Hides);
                }
            }
        }
    }
}

/// The states a property must not lose: the bad ones of an invariant, the ones `reach` looks for.
pub fn concerned(model: &Model, property: &Property) -> Option<Vec<bool>> {
    let Property::State { kind, expr, .. } = property else {
        return None;
    };
    if !property.is_checked() {
        return None;
    }
    let wanted = *kind == StateKind::Reach;
    let system = &model.system;
    Some(
        model
            .states
            .iter()
            .map(|state| system.holds(expr, Scope::default(), state) == wanted)
            .collect(),
    )
}

/// Makes some inclusion-minimal set of steps visible so that (11) holds on all type-correct states.
pub fn repair_cycles(model: &Model, reasons: &mut Reasons) {
    let everywhere = vec![true; model.nodes().len()];
    for i in model.threads() {
        let terminates = |reasons: &Reasons| {
            let relations = Relations::new(model, &visible(reasons), &everywhere);
            !endless(&relations.u[i], q).contains(&true)
        };
        let cycles = endless(
            &Relations::new(model, &visible(reasons), &everywhere).u[i],
            q,
        );
        let on_cycle = |node: &Node| cycles[*node];
        let candidates: BTreeSet<usize> = model
            .nodes()
            .filter(on_cycle)
            .filter_map(|node| model.location(i, state_of(node)))
            .collect();
        let invisible: Vec<usize> = candidates
            .into_iter()
            .filter(|location| reasons[i][*location].is_empty())
            .collect();
        for location in &invisible {
            reasons[i][*location].insert(Reason::Cycle);
        }
        for location in &invisible {
            reasons[i][*location].remove(&Reason::Cycle);
            if !terminates(reasons) {
                reasons[i][*location].insert(Reason::Cycle);
            }
        }
    }
}

/// What can be read off the text of an action, after constant folding.
struct Syntax<'a> {
    system: &'a System,
    constants: Constants,
}

/// The variables that occur in a text.
#[derive(Default)]
struct Mentioned {
    /// Shared unprotected variables and what has hidden state.
    free: bool,
    protected: bool,
}

impl Syntax<'_> {
    fn reasons(&self, commands: &[Command]) -> BTreeSet<Reason> {
        let mut reasons = BTreeSet::new();
        for command in commands {
            let mut all = Mentioned::default();
            let mut guard = Mentioned::default();
            match command {
                Command::Act { stmt, .. } => {
                    self.stmt(stmt, &mut all);
                    self.guard(stmt, &mut guard);
                }
                Command::Test { condition, .. } => self.expr(condition, &mut all),
                Command::Arrive { barrier, .. } => self.place(barrier, &mut all),
            }
            if all.free {
                reasons.insert(Reason::Mentions);
            }
            if guard.protected {
                reasons.insert(Reason::Guard);
            }
        }
        reasons
    }

    /// What decides whether the action blocks: its leading `when`, `assume`, `lock` or the like.
    fn guard(&self, stmt: &Stmt, mentioned: &mut Mentioned) {
        match &stmt.kind {
            StmtKind::Assume(guard) => self.expr(guard, mentioned),
            StmtKind::When(guard, action) => {
                self.expr(guard, mentioned);
                self.guard(action, mentioned);
            }
            StmtKind::Pick { condition, .. } => self.expr(condition, mentioned),
            StmtKind::Lock(object) | StmtKind::Down(object) => self.place(object, mentioned),
            StmtKind::ReadLock(lock) | StmtKind::WriteLock(lock) => self.place(lock, mentioned),
            StmtKind::Part(Part::Wake(cond, mutex)) => {
                self.place(cond, mentioned);
                self.place(mutex, mentioned);
            }
            StmtKind::Part(Part::Pass(barrier)) => self.place(barrier, mentioned),
            StmtKind::Atomic(block) => block
                .iter()
                .take(1)
                .for_each(|first| self.guard(first, mentioned)),
            _ => {}
        }
    }

    fn stmt(&self, stmt: &Stmt, mentioned: &mut Mentioned) {
        match &stmt.kind {
            StmtKind::Skip => {}
            StmtKind::Assign(place, value) => {
                self.place(place, mentioned);
                self.expr(value, mentioned);
            }
            StmtKind::Havoc(place) | StmtKind::Lock(place) | StmtKind::Unlock(place) => {
                self.place(place, mentioned)
            }
            StmtKind::Exchange {
                result,
                place,
                operands,
                ..
            } => {
                let places = result.iter().chain([place]);
                places.for_each(|place| self.place(place, mentioned));
                operands.iter().for_each(|e| self.expr(e, mentioned));
            }
            StmtKind::Pick {
                place, condition, ..
            } => {
                self.place(place, mentioned);
                self.expr(condition, mentioned);
            }
            StmtKind::ReadLock(place) | StmtKind::ReadUnlock(place) => self.place(place, mentioned),
            StmtKind::WriteLock(place) | StmtKind::WriteUnlock(place) => {
                self.place(place, mentioned)
            }
            StmtKind::Notify(place) | StmtKind::NotifyAll(place) => self.place(place, mentioned),
            StmtKind::Down(place) | StmtKind::Up(place) => self.place(place, mentioned),
            StmtKind::Part(Part::Pass(barrier)) => self.place(barrier, mentioned),
            StmtKind::Part(Part::Sleep(cond, mutex) | Part::Wake(cond, mutex)) => {
                self.place(cond, mentioned);
                self.place(mutex, mentioned);
            }
            // `t.started`, and where the other thread is.
            StmtKind::Start(_) | StmtKind::Part(Part::Begin) => mentioned.free = true,
            // Who waits for a thread that has no end takes no step.
            StmtKind::Join(other) => mentioned.free |= self.system.graphs[*other].ends,
            StmtKind::Part(Part::Enter(_, arguments)) => arguments
                .iter()
                .for_each(|argument| self.expr(argument, mentioned)),
            StmtKind::Part(Part::Drop(value)) => self.expr(value, mentioned),
            // `P.allocated`
            StmtKind::New(place, _) => {
                mentioned.free = true;
                self.place(place, mentioned);
            }
            StmtKind::Free(reference, _) => {
                mentioned.free = true;
                self.expr(reference, mentioned);
            }
            StmtKind::Assert(condition) | StmtKind::Assume(condition) => {
                self.expr(condition, mentioned)
            }
            StmtKind::When(guard, action) => {
                self.expr(guard, mentioned);
                self.stmt(action, mentioned);
            }
            StmtKind::Atomic(block) => self.block(block, mentioned),
            StmtKind::Either(branches) => branches
                .iter()
                .for_each(|branch| self.block(branch, mentioned)),
            StmtKind::If(condition, then, otherwise) => match constant(condition, self.constants) {
                Some(value) => self.block(if value == 1 { then } else { otherwise }, mentioned),
                None => {
                    self.expr(condition, mentioned);
                    self.block(then, mentioned);
                    self.block(otherwise, mentioned);
                }
            },
            StmtKind::While(..) | StmtKind::Wait(..) | StmtKind::Await(_) => {
                unreachable!("more than one action")
            }
            StmtKind::Call { .. } | StmtKind::Return(_) => unreachable!("inlined"),
            StmtKind::Goto(_) => unreachable!("no action"),
        }
    }

    fn block(&self, block: &[Stmt], mentioned: &mut Mentioned) {
        block.iter().for_each(|stmt| self.stmt(stmt, mentioned));
    }

    fn place(&self, place: &Place, mentioned: &mut Mentioned) {
        let thread = self.constants.thread as usize;
        match self.system.example(place, thread) {
            Storage::Data(Data { access, .. }) => match access {
                Access::Local => {}
                Access::Unprotected => mentioned.free = true,
                Access::Protected(_) => mentioned.protected = true,
            },
            Storage::Object(_) => mentioned.free = true,
            Storage::Record(_) => {}
        }
        if let Root::Field { base, .. } = &place.root {
            self.place(base, mentioned);
        }
        place
            .index
            .iter()
            .for_each(|index| self.expr(index, mentioned));
    }

    fn expr(&self, expr: &Expr, mentioned: &mut Mentioned) {
        if constant(expr, self.constants).is_some() {
            return;
        }
        match expr {
            Expr::Read(place) => self.place(place, mentioned),
            Expr::Hidden(place, hidden) => {
                self.place(place, mentioned);
                if let Hidden::Reading(thread) | Hidden::Waiting(thread) = hidden {
                    self.expr(thread, mentioned);
                }
            }
            Expr::Reference(_, slot) => self.expr(slot, mentioned),
            Expr::Allocated(_, slot) => {
                mentioned.free = true;
                self.expr(slot, mentioned);
            }
            Expr::Not(operand) | Expr::Flip(operand) | Expr::At(operand, _) => {
                self.expr(operand, mentioned)
            }
            Expr::Binary(op, left, right) => {
                self.expr(left, mentioned);
                let left = constant(left, self.constants);
                if decided_by(*op).is_none_or(|(decisive, _)| left != Some(decisive)) {
                    self.expr(right, mentioned);
                }
            }
            Expr::Choose(condition, then, otherwise) => match constant(condition, self.constants) {
                Some(0) => self.expr(otherwise, mentioned),
                Some(_) => self.expr(then, mentioned),
                None => [condition, then, otherwise]
                    .iter()
                    .for_each(|part| self.expr(part, mentioned)),
            },
            Expr::Int(_) | Expr::Bool(_) | Expr::Tone(_) | Expr::Nobody | Expr::Null => {}
            Expr::Self_ | Expr::Index | Expr::Parameter | Expr::Thread(_) => {}
        }
    }
}
