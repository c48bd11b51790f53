//! What the threads and procedures of a program of the second part say: sections, readers and writers, monitors,
//! barriers, references, calls, phrase by phrase.
//!
//! Most phrases use the declared objects as they should be used; now and then one forgets something.

use super::ast::{Arena, Expr, Hidden, Kind, Op, Place, Program, Root, Stmt, StmtKind, Type};
use super::choices::Choices;
use super::phrases::{literal, test};
use super::scenario::{Guard, Home, Procedures, Scenario};

/// The numbers of the record's fields.
pub const VALUE: usize = 0;
pub const GUARD: usize = 1;

/// Who speaks.
pub struct Speaker<'a> {
    pub choices: &'a mut Choices,
    pub scenario: Scenario,
    pub program: &'a Program,
    /// Variables of the speaker's own, with their types.
    pub own: Vec<(Place, Type)>,
    /// References of the speaker's own.
    pub references: Vec<Place>,
    /// Whether it is a family with an index.
    pub indexed: bool,
    /// Whether the speaker is the first family.
    pub first: bool,
    /// Whether it is a procedure.
    pub procedure: bool,
    /// The labels so far of the locations at which the variable is used.
    pub regions: &'a mut Vec<String>,
}

/// A cell of the variable, and its guards.
struct Target {
    value: Place,
    guard: Place,
    /// The second mutex of a set.
    second: Place,
}

fn stmt(kind: StmtKind) -> Stmt {
    kind.into()
}

fn skip() -> Stmt {
    StmtKind::Skip.into()
}

/// `condition`'s negation, mostly; shrinks to the condition.
fn either_way(choices: &mut Choices, condition: Expr) -> Expr {
    match choices.once_in(2) {
        true => Expr::negate(condition),
        false => condition,
    }
}

/// A test of hidden state that the scenario has, asked by `who`.
pub fn hidden_test(choices: &mut Choices, program: &Program, who: Expr) -> Option<Expr> {
    let mut tests = Vec::new();
    for (number, object) in program.objects.iter().enumerate() {
        let index = object.size.map(|_| Box::new(Expr::Int(0)));
        let place = Place {
            root: Root::Object(number),
            index,
        };
        let hidden = |hidden| Expr::Hidden(place.clone(), hidden);
        let whom = Box::new(who.clone());
        match object.kind {
            Kind::Mutex => tests.push(Expr::eq(hidden(Hidden::Owner), who.clone())),
            Kind::Reentrant(_) => {
                tests.push(Expr::eq(hidden(Hidden::Owner), Expr::Nobody));
                tests.push(Expr::eq(hidden(Hidden::Depth), Expr::Int(1)));
            }
            Kind::RwLock => {
                tests.push(Expr::eq(hidden(Hidden::Writer), Expr::Nobody));
                tests.push(hidden(Hidden::Reading(whom)));
            }
            Kind::Cond | Kind::Barrier(_) => tests.push(hidden(Hidden::Waiting(whom))),
            Kind::Semaphore { .. } => {
                tests.push(Expr::eq(hidden(Hidden::Value), Expr::Int(0)));
            }
        }
    }
    if !program.pools.is_empty() {
        tests.push(Expr::Allocated(0, Box::new(Expr::Int(0))));
    }
    let test = (!tests.is_empty()).then(|| choices.one_of(&tests))?;
    Some(either_way(choices, test))
}

impl Speaker<'_> {
    pub fn phrase(&mut self) -> Vec<Stmt> {
        let Scenario {
            guard,
            home,
            monitor,
            procedures,
            ..
        } = self.scenario;
        let pool = home == Home::Pool;
        let calls = procedures == Procedures::Sections && !self.procedure;
        let phrase = self.choices.weighted(&[
            (if calls { 2 } else { 6 }, 0),
            (if calls { 6 } else { 0 }, 1),
            (if monitor { 20 } else { 0 }, 2),
            (if pool { 8 } else { 0 }, 3),
            (1, 4),
            (1, 5),
            (1, 6),
            (1, 7),
        ]);
        match phrase {
            0 if guard == Guard::Barrier => self.meeting(),
            0 => self.section(),
            1 => vec![self.call()],
            2 => self.monitor(),
            3 => self.reference(),
            4 => vec![self.small()],
            5 => vec![self.operation()],
            6 => self.control(),
            _ => vec![self.access_somewhere()],
        }
    }

    /// Enter, use the variable, leave.
    pub fn section(&mut self) -> Vec<Stmt> {
        let target = self.target();
        let shares = matches!(self.scenario.guard, Guard::RwLock | Guard::Set);
        let reads = shares && !self.choices.once_in(3);
        let (enter, leave) = self.guards(&target, reads);
        let writes = !reads || self.choices.once_in(8);
        let mut section = Vec::new();
        if !self.choices.once_in(14) {
            section.extend(enter);
        }
        for _ in 0..=self.choices.below(2) {
            let access = self.access(&target.value, writes);
            section.push(access);
        }
        if !self.choices.once_in(14) {
            section.extend(leave);
        }
        section
    }

    /// How the guards of a cell are taken and given back.
    fn guards(&mut self, target: &Target, reads: bool) -> (Vec<Stmt>, Vec<Stmt>) {
        let (guard, second) = (target.guard.clone(), target.second.clone());
        let lock = |place: &Place| stmt(StmtKind::Lock(place.clone()));
        let unlock = |place: &Place| stmt(StmtKind::Unlock(place.clone()));
        match self.scenario.guard {
            Guard::Mutex => (vec![lock(&guard)], vec![unlock(&guard)]),
            Guard::Reentrant if !self.choices.once_in(3) => (
                vec![lock(&guard), lock(&guard)],
                vec![unlock(&guard), unlock(&guard)],
            ),
            Guard::Reentrant => (vec![lock(&guard)], vec![unlock(&guard)]),
            Guard::RwLock if reads => (
                vec![stmt(StmtKind::ReadLock(guard.clone()))],
                vec![stmt(StmtKind::ReadUnlock(guard))],
            ),
            Guard::RwLock => (
                vec![stmt(StmtKind::WriteLock(guard.clone()))],
                vec![stmt(StmtKind::WriteUnlock(guard))],
            ),
            Guard::Set if reads => {
                let one = self.choices.one_of(&[guard, second]);
                (vec![lock(&one)], vec![unlock(&one)])
            }
            Guard::Set => (
                vec![lock(&guard), lock(&second)],
                vec![unlock(&second), unlock(&guard)],
            ),
            Guard::Semaphore => (
                vec![stmt(StmtKind::Down(guard.clone()))],
                vec![stmt(StmtKind::Up(guard))],
            ),
            Guard::Barrier | Guard::Joined | Guard::Nothing => (Vec::new(), Vec::new()),
        }
    }

    /// A cell of the variable.
    fn target(&mut self) -> Target {
        let record = |base: Place| Target {
            value: base.clone().field(0, VALUE),
            guard: base.clone().field(0, GUARD),
            second: base.field(0, GUARD + 1),
        };
        let shared = || Root::Shared(self.scenario.shared.expect("not in the pool"));
        match self.scenario.home {
            Home::Variable => Target {
                value: shared().into(),
                guard: Root::Object(0).into(),
                second: Root::Object(1).into(),
            },
            Home::Cells => {
                let root = shared();
                let index = self.index();
                let cell = |root| Place::cell(root, index.clone());
                Target {
                    value: cell(root),
                    guard: cell(Root::Object(0)),
                    second: cell(Root::Object(1)),
                }
            }
            Home::Record => record(shared().into()),
            Home::Nested => record(Place::from(shared()).field(1, 0)),
            Home::Records => {
                let root = shared();
                record(Place::cell(root, self.index()))
            }
            Home::Pointed | Home::Pool => record(self.pointee()),
        }
    }

    /// An index into two cells.
    fn index(&mut self) -> Expr {
        match self.choices.below(4) {
            2 | 3 if self.indexed => Expr::Index,
            number => Expr::Int(number as i64 % 2),
        }
    }

    /// A record that a reference points to, mostly one's own reference.
    fn pointee(&mut self) -> Place {
        if self.choices.once_in(8) || self.references.is_empty() {
            return match (self.scenario.head, self.scenario.shared) {
                (Some(head), _) => Root::Shared(head).into(),
                (_, Some(array)) => Place::cell(Root::Shared(array), Expr::Int(0)),
                _ => Place::cell(Root::Pool(0), Expr::Int(0)),
            };
        }
        let reference = self.choices.one_of(&self.references);
        match self.scenario.next && self.choices.once_in(3) {
            true => reference.field(0, self.next_field()),
            false => reference,
        }
    }

    /// `next` is the record's last field.
    fn next_field(&self) -> usize {
        self.program.records[0].fields.len() - 1
    }

    /// One statement that reads or writes a cell, by itself or in a procedure.
    fn access(&mut self, value: &Place, writes: bool) -> Stmt {
        if self.scenario.procedures == Procedures::Accesses && !self.procedure {
            let call = self.call();
            return match self.choices.once_in(3) {
                true => stmt(StmtKind::Atomic(vec![call])),
                false => call,
            };
        }
        let mut access = self.plain_access(value, writes);
        if self.uses_regions() && !self.choices.once_in(10) {
            let region = format!("R{}", self.regions.len());
            self.regions.push(region.clone());
            access.labels.push(region);
        }
        access
    }

    /// Whether the discipline speaks of locations.
    fn uses_regions(&self) -> bool {
        matches!(
            self.scenario.guard,
            Guard::Semaphore | Guard::Barrier | Guard::Joined
        )
    }

    fn plain_access(&mut self, value: &Place, writes: bool) -> Stmt {
        let ty = self.scenario.ty;
        let assign = |value: Expr, place: &Place| stmt(StmtKind::Assign(place.clone(), value));
        if writes {
            return match self.choices.below(7) {
                0 | 1 => assign(self.value(ty, None), value),
                2 | 3 => assign(self.value(ty, Some(value)), value),
                4 => stmt(StmtKind::Havoc(value.clone())),
                5 if !self.uses_regions() => {
                    let written = assign(self.value(ty, Some(value)), value);
                    let condition = test(self.choices, value.clone(), ty);
                    stmt(StmtKind::If(condition, vec![written], Vec::new()))
                }
                _ => {
                    let first = assign(self.value(ty, None), value);
                    let second = assign(self.value(ty, Some(value)), value);
                    stmt(StmtKind::Atomic(vec![first, second]))
                }
            };
        }
        let same = |(_, own): &&(Place, Type)| *own == ty;
        let own = self.own.iter().find(same).cloned();
        match (self.choices.below(3), own) {
            (0 | 1, Some((own, _))) => assign(Expr::Read(value.clone()), &own),
            (2, _) if !self.uses_regions() => {
                let condition = test(self.choices, value.clone(), ty);
                stmt(StmtKind::If(condition, vec![skip()], Vec::new()))
            }
            _ => stmt(StmtKind::Assert(test(self.choices, value.clone(), ty))),
        }
    }

    /// One use of the variable, of whatever guards it has.
    pub fn use_once(&mut self) -> Stmt {
        let value = self.target().value;
        let writes = !self.choices.once_in(3);
        self.access(&value, writes)
    }

    /// What the first thread does before the others may begin, or how they wait for it.
    pub fn initialise(&mut self, first: bool) -> Vec<Stmt> {
        let flag = Place::from(Root::Shared(self.scenario.flag.expect("a flag")));
        let ready = || stmt(StmtKind::Assume(Expr::Read(flag.clone())));
        let set = stmt(StmtKind::Assign(flag.clone(), Expr::Bool(true)));
        let value = self.target().value;
        let prepare = self.plain_access(&value, true);
        match (first, self.indexed) {
            (true, false) => vec![prepare, set],
            (true, true) => {
                let is_first = Expr::eq(Expr::Index, Expr::Int(0));
                vec![stmt(StmtKind::If(
                    is_first,
                    vec![prepare, set],
                    vec![ready()],
                ))]
            }
            (false, _) if self.choices.once_in(8) => Vec::new(),
            (false, _) => vec![ready()],
        }
    }

    fn access_somewhere(&mut self) -> Stmt {
        match self.choices.once_in(3) {
            true => self.use_once(),
            false => self.small(),
        }
    }

    /// A value of the type: a literal, one's own variable, or what can be made of the given place.
    pub fn value(&mut self, ty: Type, of: Option<&Place>) -> Expr {
        let own = self.own.iter().filter(|(_, own)| *own == ty);
        let mut sources: Vec<Place> = of.into_iter().cloned().collect();
        sources.extend(own.map(|(place, _)| place.clone()));
        let literal = literal(ty, self.choices.one_of(&ty.values()));
        if sources.is_empty() || self.choices.once_in(3) {
            return literal;
        }
        let source = Expr::Read(self.choices.one_of(&sources));
        match (ty, self.choices.below(5)) {
            (Type::Bool, 1 | 2) => Expr::negate(source),
            (Type::Range(0, high), 1 | 2) => Expr::binary(Op::Sub, Expr::Int(high), source),
            (Type::Range(..), 3) if self.choices.once_in(2) => {
                Expr::binary(Op::Add, source, Expr::Int(1))
            }
            _ => source,
        }
    }

    /// `x = f(e);`, or without a result.
    pub fn call(&mut self) -> Stmt {
        let called = &self.program.procedures[0];
        let mut arguments = Vec::new();
        for parameter in &called.variables[..called.parameters] {
            arguments.push(match parameter.ty {
                Type::Ref(..) => Expr::Read(self.references[0].clone()),
                ty => self.value(ty, None),
            });
        }
        let wanted = |(_, ty): &&(Place, Type)| Some(*ty) == called.result;
        let mut result = self.own.iter().find(wanted).map(|(place, _)| place.clone());
        if self.choices.once_in(4) {
            result = None;
        }
        stmt(StmtKind::Call {
            result,
            procedure: 0,
            arguments,
        })
    }

    /// Wait until the variable has some value, or change it and tell.
    fn monitor(&mut self) -> Vec<Stmt> {
        if self.indexed {
            let first = Expr::eq(Expr::Index, Expr::Int(0));
            let (waits, tells) = (self.monitored(true), self.monitored(false));
            return vec![stmt(StmtKind::If(first, waits, tells))];
        }
        // Mostly the first thread waits for the others.
        let waits = self.first != self.choices.once_in(6);
        self.monitored(waits)
    }

    fn monitored(&mut self, waits: bool) -> Vec<Stmt> {
        let Target { value, guard, .. } = self.target();
        let last = self.program.objects.len() - 1;
        let cond = Place::from(Root::Object(last));
        let ty = self.scenario.ty;
        let mut section = vec![stmt(StmtKind::Lock(guard.clone()))];
        if waits {
            let wait = stmt(StmtKind::Wait(cond, guard.clone()));
            let condition = match self.choices.once_in(3) {
                true => test(self.choices, value.clone(), ty),
                false => Expr::eq(Expr::Read(value.clone()), literal(ty, 0)),
            };
            section.push(match self.choices.below(4) {
                0 => stmt(StmtKind::If(condition, vec![wait], Vec::new())),
                1 => wait,
                _ => stmt(StmtKind::While(condition, vec![wait])),
            });
        } else {
            let change = match self.choices.once_in(3) {
                true => self.plain_access(&value, true),
                false => stmt(StmtKind::Assign(value.clone(), literal(ty, 1))),
            };
            section.push(change);
            section.push(stmt(match self.choices.once_in(2) {
                true => StmtKind::NotifyAll(cond),
                false => StmtKind::Notify(cond),
            }));
        }
        section.push(stmt(StmtKind::Unlock(guard)));
        match self.choices.below(14) {
            12 => drop(section.remove(0)),
            13 => drop(section.pop()),
            _ => {}
        }
        section
    }

    /// The first thread uses the variable before the others.
    fn meeting(&mut self) -> Vec<Stmt> {
        let value = self.target().value;
        let meet = stmt(StmtKind::Await(Root::Object(0).into()));
        let early = self.access(&value, true);
        let late = self.access(&value, true);
        if self.indexed {
            let is = |number| Expr::eq(Expr::Index, Expr::Int(number));
            let only = |number, access| stmt(StmtKind::If(is(number), vec![access], Vec::new()));
            return vec![only(0, early), meet, only(1, late)];
        }
        match self.first != self.choices.once_in(10) {
            true => vec![early, meet],
            false => vec![meet, late],
        }
    }

    /// Get, give back or pass on an object of the pool.
    fn reference(&mut self) -> Vec<Stmt> {
        let Some(own) = self.references.first().cloned() else {
            return vec![skip()];
        };
        let new = stmt(StmtKind::New(own.clone(), 0));
        let free = stmt(StmtKind::Free(Expr::Read(own.clone()), 0));
        let assign = |to: Place, from: Expr| stmt(StmtKind::Assign(to, from));
        let is_null = Expr::eq(Expr::Read(own.clone()), Expr::Null);
        match (self.choices.below(8), self.scenario.head) {
            (0, _) => vec![new],
            (1, _) => vec![free],
            (2 | 3, _) => {
                let mut used = self.section();
                used.push(free);
                used
            }
            (4, Some(head)) => vec![assign(Root::Shared(head).into(), Expr::Read(own))],
            (5, Some(head)) => vec![assign(own, Expr::Read(Place::from(Root::Shared(head))))],
            (6, _) if self.scenario.next => {
                let next = own.clone().field(0, self.next_field());
                let mut values = vec![Expr::Null, Expr::Read(own)];
                let slot = Expr::Reference(Arena::Pool(0), Box::new(Expr::Int(0)));
                values.push(slot);
                vec![assign(next, self.choices.one_of(&values))]
            }
            (7, _) => vec![assign(own, Expr::Null)],
            _ => {
                let section = self.section();
                vec![stmt(StmtKind::If(
                    Expr::negate(is_null),
                    section,
                    Vec::new(),
                ))]
            }
        }
    }

    /// Change one's own reference, or look at it.
    fn redirect(&mut self) -> Stmt {
        let own = self.references[0].clone();
        let arena = match (self.scenario.home, self.scenario.shared) {
            (Home::Pointed, Some(array)) => Arena::Array(array),
            _ => Arena::Pool(0),
        };
        let slot = Expr::Reference(arena, Box::new(self.index()));
        match self.choices.below(5) {
            0 => stmt(StmtKind::Assign(own, slot)),
            1 => stmt(StmtKind::Assign(own, Expr::Null)),
            2 => stmt(StmtKind::Havoc(own)),
            3 => {
                let is_slot = Expr::eq(Expr::Read(own), slot);
                stmt(StmtKind::If(is_slot, vec![skip()], Vec::new()))
            }
            _ => {
                let is_some = Expr::binary(Op::Ne, Expr::Read(own), Expr::Null);
                stmt(StmtKind::Assert(is_some))
            }
        }
    }

    /// One step without the variable.
    fn small(&mut self) -> Stmt {
        let flag = self
            .scenario
            .flag
            .map(|flag| Place::from(Root::Shared(flag)));
        let own = self.own.first().cloned();
        let hidden = hidden_test(self.choices, self.program, Expr::Self_);
        match (self.choices.below(9), flag, own, hidden) {
            (1, Some(flag), ..) => {
                let value = Expr::negate(Expr::Read(flag.clone()));
                stmt(StmtKind::Assign(flag, value))
            }
            (2, Some(flag), ..) => stmt(StmtKind::Assume(Expr::Read(flag))),
            (3, _, Some((own, ty)), _) => {
                let value = self.value(ty, Some(&own));
                stmt(StmtKind::Assign(own, value))
            }
            (4, _, Some((own, _)), _) => stmt(StmtKind::Havoc(own)),
            (5, .., Some(hidden)) => stmt(StmtKind::If(hidden, vec![skip()], Vec::new())),
            (6, .., Some(hidden)) if self.choices.once_in(2) => stmt(StmtKind::Assume(hidden)),
            (7 | 8, ..) if !self.references.is_empty() => self.redirect(),
            _ => skip(),
        }
    }

    /// Some operation on some object, out of place.
    fn operation(&mut self) -> Stmt {
        if self.program.objects.is_empty() || !self.choices.once_in(3) {
            return self.small();
        }
        let number = self.choices.below(self.program.objects.len());
        let object = &self.program.objects[number];
        let place = Place {
            root: Root::Object(number),
            index: object.size.map(|_| Box::new(Expr::Int(1))),
        };
        type Operation = fn(Place) -> StmtKind;
        let operations: &[Operation] = match object.kind {
            Kind::Mutex | Kind::Reentrant(_) => &[StmtKind::Lock, StmtKind::Unlock],
            Kind::RwLock => &[
                StmtKind::ReadLock,
                StmtKind::WriteLock,
                StmtKind::ReadUnlock,
                StmtKind::WriteUnlock,
            ],
            Kind::Cond => &[StmtKind::NotifyAll, StmtKind::Notify],
            Kind::Semaphore { .. } => &[StmtKind::Down, StmtKind::Up],
            Kind::Barrier(_) => &[StmtKind::Await],
        };
        stmt(self.choices.one_of(operations)(place))
    }

    fn control(&mut self) -> Vec<Stmt> {
        let flag = self
            .scenario
            .flag
            .map(|flag| (Root::Shared(flag).into(), Type::Bool));
        let mut sources = self.own.clone();
        sources.extend(flag);
        if sources.is_empty() {
            return vec![self.small()];
        }
        let (place, ty) = self.choices.one_of(&sources);
        let condition = test(self.choices, place, ty);
        let (first, second) = (self.small(), self.small());
        vec![stmt(match self.choices.below(4) {
            0 => StmtKind::If(condition, vec![first], vec![second]),
            1 => StmtKind::While(condition, vec![first]),
            2 => StmtKind::When(condition, Box::new(skip())),
            _ => StmtKind::Either(vec![vec![first], vec![second]]),
        })]
    }
}
