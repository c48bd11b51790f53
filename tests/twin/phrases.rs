//! The statements of generated programs, phrase by phrase: critical sections, barriers, turns, bare accesses, control.
//!
//! What a tool refuses as a mistake is avoided: no constant is assigned out of range, and no branch of an `either`
//! begins with something that vanishes.

use super::ast::{
    Exchange, Expr, NULL, Object, Op, Place, Root, Shared, Stmt, StmtKind, Type, Variable,
};
use super::choices::Choices;

/// How the threads of a program mostly get along, which also decides the exclusive access predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Each variable has its mutex.
    Locks,
    /// Mutexes first, after a barrier each thread on its own.
    Barrier,
    /// The unprotected variable says whose turn it is.
    Turns,
    /// Threads hold a mutex, but what counts is where they are.
    Regions,
}

/// What the statements of one family may speak of.
pub struct Phrases<'a> {
    pub choices: &'a mut Choices,
    pub style: Style,
    /// Whether the family passes on the turn without waiting for it.
    pub rogue: bool,
    pub mutexes: &'a [Object],
    pub shared: &'a [Shared],
    /// The shared variables that will be protected, each with the mutex that most of its accesses use.
    pub keys: &'a [(usize, usize)],
    /// The shared variable that stays unprotected, a bounded integer.
    pub free: Option<usize>,
    pub local: Option<Variable>,
    /// Whether the statements are those of a family of two, with an index `i`.
    pub indexed: bool,
}

#[derive(Clone, Copy)]
enum Phrase {
    Critical,
    Nested,
    AtomicSection,
    Bare,
    Local,
    Free,
    Barrier,
    Turn,
    Control,
    Spin,
    Exchange,
    Pick,
}

/// A place that a statement may read, with its type.
type Source = (Place, Type);

impl Phrases<'_> {
    pub fn phrase(&mut self) -> Vec<Stmt> {
        let turns = self.style == Style::Turns;
        let barriers = self.style == Style::Barrier;
        let phrase = self.choices.weighted(&[
            (if turns { 0 } else { 7 }, Phrase::Critical),
            (if turns { 12 } else { 0 }, Phrase::Turn),
            (if turns { 0 } else { 2 }, Phrase::Nested),
            (if barriers { 4 } else { 1 }, Phrase::Barrier),
            (1, Phrase::AtomicSection),
            (1, Phrase::Bare),
            (2, Phrase::Local),
            (1, Phrase::Free),
            (if turns { 1 } else { 4 }, Phrase::Control),
            (1, Phrase::Spin),
            (2, Phrase::Exchange),
            (1, Phrase::Pick),
        ]);
        match phrase {
            Phrase::Critical => self.critical(),
            Phrase::Nested => self.nested(),
            Phrase::AtomicSection => {
                let mut section = self.critical();
                section.retain(|stmt| !blocks_late(stmt));
                section.push(skip());
                vec![StmtKind::Atomic(section).into()]
            }
            Phrase::Bare => {
                let (place, ty, _) = self.protected();
                vec![self.access(place, ty)]
            }
            Phrase::Local => vec![self.local_step()],
            Phrase::Free => vec![self.free_step()],
            Phrase::Barrier => self.barrier(),
            Phrase::Turn => self.turn(),
            Phrase::Control => self.control(),
            Phrase::Spin => self.spin(),
            Phrase::Exchange => self.exchanges(),
            Phrase::Pick => vec![self.pick()],
        }
    }

    /// `lock(m); accesses; unlock(m);`, seldom with another lock, none, or no release.
    fn critical(&mut self) -> Vec<Stmt> {
        let (place, ty, key) = self.protected();
        let mutex = if self.choices.once_in(10) {
            self.any_mutex()
        } else {
            key
        };
        let mut section = Vec::new();
        if !self.choices.once_in(12) {
            section.push(StmtKind::Lock(mutex.clone()).into());
        }
        for _ in 0..=self.choices.below(3) {
            section.push(self.access(place.clone(), ty));
        }
        if !self.choices.once_in(12) {
            section.push(StmtKind::Unlock(mutex).into());
        }
        section
    }

    /// Two locks, in an order that may lead to a deadlock.
    fn nested(&mut self) -> Vec<Stmt> {
        let (place, ty, key) = self.protected();
        let second = match (self.indexed, self.mutexes[0].size) {
            (true, Some(_)) => {
                let one = Expr::binary(Op::Sub, Expr::Int(1), Expr::Index);
                Place {
                    root: Root::Object(0),
                    index: Some(Box::new(one)),
                }
            }
            _ => self.any_mutex(),
        };
        let (outer, inner) = if self.choices.once_in(2) {
            (key, second)
        } else {
            (second, key)
        };
        let access = self.access(place, ty);
        vec![
            StmtKind::Lock(outer.clone()).into(),
            StmtKind::Lock(inner.clone()).into(),
            access,
            StmtKind::Unlock(inner).into(),
            StmtKind::Unlock(outer).into(),
        ]
    }

    /// `y = y + 1; when (y == 2) skip; access`
    fn barrier(&mut self) -> Vec<Stmt> {
        let Some(free) = self.free else {
            return self.critical();
        };
        let arrive = StmtKind::Assign(scalar(free), plus_one(scalar(free)));
        let passed = Expr::eq(Expr::Read(scalar(free)), Expr::Int(2));
        let wait = StmtKind::When(passed, Box::new(skip()));
        let (place, ty, _) = self.protected();
        vec![arrive.into(), wait.into(), self.access(place, ty)]
    }

    /// `when (y == self) skip; access; y = (y + 1) % 2;`, or only a part of it.
    fn turn(&mut self) -> Vec<Stmt> {
        let Some(free) = self.free else {
            return self.critical();
        };
        let mine = Expr::eq(Expr::Read(scalar(free)), Expr::Self_);
        let wait = StmtKind::When(mine, Box::new(skip()));
        let (place, ty, _) = self.protected();
        let next = Expr::binary(Op::Rem, plus_one(scalar(free)), Expr::Int(2));
        let mut turn = vec![
            wait.into(),
            self.access(place, ty),
            StmtKind::Assign(scalar(free), next).into(),
        ];
        match self.choices.below(8) {
            _ if self.rogue => drop(turn.drain(..2)),
            6 => drop(turn.remove(0)),
            7 => drop(turn.remove(1)),
            _ => {}
        }
        turn
    }

    fn control(&mut self) -> Vec<Stmt> {
        let first = self.simple();
        let second = self.simple();
        let kind = match self.choices.below(5) {
            0 => StmtKind::If(self.condition(), vec![first], vec![second]),
            1 => StmtKind::If(self.condition(), vec![first], Vec::new()),
            2 => {
                let who = if self.indexed {
                    Expr::Index
                } else {
                    Expr::Self_
                };
                StmtKind::If(Expr::eq(who, Expr::Int(0)), vec![first], vec![second])
            }
            3 => StmtKind::While(self.condition(), vec![first]),
            _ => StmtKind::Either(vec![vec![first], vec![second]]),
        };
        vec![kind.into()]
    }

    /// A loop of local steps, which may never end.
    fn spin(&mut self) -> Vec<Stmt> {
        let Some((place, ty)) = self.local_source() else {
            return vec![skip()];
        };
        let condition = self.test(place, ty);
        vec![StmtKind::While(condition, vec![self.local_step()]).into()]
    }

    /// A read-modify-write operation on the unprotected variable, or on a protected one under its lock.
    fn exchanges(&mut self) -> Vec<Stmt> {
        match self.free.filter(|_| self.choices.once_in(2)) {
            Some(free) => {
                let ty = self.shared[free].variable.ty;
                vec![self.exchange(scalar(free), ty)]
            }
            None => {
                let (place, ty, mutex) = self.protected();
                let exchange = self.exchange(place, ty);
                let locked = !self.choices.once_in(6);
                let around = |kind: StmtKind| locked.then(|| Stmt::from(kind));
                let section = around(StmtKind::Lock(mutex.clone())).into_iter();
                let section = section.chain([exchange]);
                section.chain(around(StmtKind::Unlock(mutex))).collect()
            }
        }
    }

    fn exchange(&mut self, place: Place, ty: Type) -> Stmt {
        let is_number = |ty: Type| matches!(ty, Type::Range(..) | Type::Mod(_));
        // What the result is written to must not be mentioned elsewhere.
        let index = format!("{:?}", place.index);
        let local = self.local_source().filter(|_| !index.contains("Local"));
        let mut operation =
            self.choices
                .one_of(&[Exchange::Cas, Exchange::FetchAdd, Exchange::Swap]);
        if operation == Exchange::FetchAdd && !is_number(ty) {
            operation = Exchange::Swap;
        }
        let result = local.filter(|(_, local)| match operation {
            Exchange::Cas => *local == Type::Bool,
            Exchange::FetchAdd => is_number(*local),
            Exchange::Swap => *local == ty || is_number(*local) && is_number(ty),
        });
        let result = result.filter(|_| !self.choices.once_in(4));
        let mut sources: Vec<Source> = vec![(place.clone(), ty)];
        if result.is_none() {
            sources.extend(self.local_source());
        }
        let operands = match operation {
            Exchange::Cas => vec![
                literal(ty, self.choices.one_of(&ty.values())),
                self.value(ty, &sources),
            ],
            Exchange::FetchAdd if self.choices.once_in(3) => vec![self.value(ty, &sources)],
            Exchange::FetchAdd => vec![Expr::Int(1)],
            Exchange::Swap => vec![self.value(ty, &sources)],
        };
        StmtKind::Exchange {
            operation,
            result: result.map(|(place, _)| place),
            place,
            operands,
        }
        .into()
    }

    /// A choice of a value for the local variable or the unprotected one.
    fn pick(&mut self) -> Stmt {
        let free = self
            .free
            .map(|free| (scalar(free), self.shared[free].variable.ty));
        let local = self.local_source();
        // Each with what the condition is about.
        let all = [(local.clone(), free.clone()), (free, local)];
        let numbers = all.into_iter().filter_map(|(chosen, other)| {
            let (place, ty) = chosen?;
            let is_number = matches!(ty, Type::Range(..) | Type::Mod(_));
            let values = ty.values();
            let range = (*values.first()?, *values.last()?);
            is_number.then_some((place, range, other))
        });
        let numbers: Vec<(Place, (i64, i64), Option<Source>)> = numbers.collect();
        if numbers.is_empty() {
            return skip();
        }
        let (place, (low, high), other) = self.choices.one_of(&numbers);
        StmtKind::Pick {
            not: low + self.choices.below((high - low + 1) as usize) as i64,
            condition: match other {
                Some((other, ty)) => self.test(other, ty),
                None => Expr::Bool(true),
            },
            place,
            range: (low, high),
        }
        .into()
    }

    /// One statement that is one action.
    fn simple(&mut self) -> Stmt {
        match self.choices.below(4) {
            0 => skip(),
            1 => self.local_step(),
            2 => self.free_step(),
            _ => {
                let (place, ty, key) = self.protected();
                let access = self.access(place, ty);
                match access.kind {
                    StmtKind::When(..) | StmtKind::If(..) => skip(),
                    _ if self.choices.once_in(2) => access,
                    _ => {
                        let section = vec![
                            StmtKind::Lock(key.clone()).into(),
                            access,
                            StmtKind::Unlock(key).into(),
                        ];
                        StmtKind::Atomic(section).into()
                    }
                }
            }
        }
    }

    fn local_step(&mut self) -> Stmt {
        let Some((place, ty)) = self.local_source() else {
            return skip();
        };
        match self.choices.below(3) {
            0 => StmtKind::Assign(place.clone(), self.value(ty, &[(place, ty)])),
            1 => StmtKind::Havoc(place),
            _ => StmtKind::Assert(self.test(place, ty)),
        }
        .into()
    }

    fn free_step(&mut self) -> Stmt {
        let Some(free) = self.free else {
            return skip();
        };
        let (place, ty) = (scalar(free), self.shared[free].variable.ty);
        match self.choices.below(4) {
            0 => StmtKind::Assign(place.clone(), plus_one(place)),
            1 => StmtKind::Assign(place.clone(), self.value(ty, &[(place, ty)])),
            2 => StmtKind::Assume(self.test(place, ty)),
            _ => StmtKind::Assert(self.test(place, ty)),
        }
        .into()
    }

    /// One statement that reads or writes a protected place.
    fn access(&mut self, place: Place, ty: Type) -> Stmt {
        let sources: Vec<Source> = [(place.clone(), ty)]
            .into_iter()
            .chain(self.local_source())
            .collect();
        let write = |phrases: &mut Self| -> Stmt {
            let value = phrases.value(ty, &sources);
            StmtKind::Assign(place.clone(), value).into()
        };
        let kind = match self.choices.below(12) {
            0..=2 => return write(self),
            3 => StmtKind::Havoc(place.clone()),
            4 => StmtKind::Assert(self.test(place.clone(), ty)),
            5..=6 => match self.local_source() {
                Some((local, local_type)) => {
                    StmtKind::Assign(local, self.value(local_type, &sources))
                }
                None => StmtKind::Havoc(place.clone()),
            },
            7 => StmtKind::If(self.test(place.clone(), ty), vec![write(self)], Vec::new()),
            8 => StmtKind::Atomic(vec![write(self), write(self)]),
            9 => {
                let condition = self.test(place.clone(), ty);
                StmtKind::Atomic(vec![
                    StmtKind::If(condition, vec![write(self)], vec![skip()]).into(),
                ])
            }
            10 => {
                let branches = vec![vec![write(self)], vec![skip()]];
                StmtKind::Atomic(vec![StmtKind::Either(branches).into()])
            }
            _ => {
                let guard = if self.choices.once_in(2) {
                    self.condition()
                } else {
                    self.test(place.clone(), ty)
                };
                StmtKind::When(guard, Box::new(write(self)))
            }
        };
        kind.into()
    }

    /// Some protected place, its type, and the cell of its mutex.
    fn protected(&mut self) -> (Place, Type, Place) {
        let (number, mutex) = self.choices.one_of(self.keys);
        let variable = &self.shared[number].variable;
        let index = variable.size.map(|_| {
            Box::new(index(
                self.choices,
                self.indexed,
                self.local.as_ref(),
                self.free,
            ))
        });
        let mutex_index = self.mutexes[mutex]
            .size
            .map(|_| index.clone().unwrap_or(Box::new(Expr::Int(0))));
        let place = Place {
            root: Root::Shared(number),
            index,
        };
        (
            place,
            variable.ty,
            Place {
                root: Root::Object(mutex),
                index: mutex_index,
            },
        )
    }

    fn any_mutex(&mut self) -> Place {
        let mutex = self.choices.below(self.mutexes.len());
        let index = self.mutexes[mutex]
            .size
            .map(|size| Box::new(Expr::Int(self.choices.below(size) as i64)));
        Place {
            root: Root::Object(mutex),
            index,
        }
    }

    fn local_source(&self) -> Option<Source> {
        self.local.as_ref().map(|local| {
            (
                Place {
                    root: Root::Local(0),
                    index: None,
                },
                local.ty,
            )
        })
    }

    /// A condition on the local variable, the unprotected one, or an owner.
    pub fn condition(&mut self) -> Expr {
        let mutex = self.any_mutex();
        let owner = Expr::binary(
            self.choices.one_of(&[Op::Eq, Op::Ne]),
            Expr::owner(mutex),
            Expr::Nobody,
        );
        let free = self
            .free
            .map(|free| (scalar(free), self.shared[free].variable.ty));
        let sources: Vec<Source> = self.local_source().into_iter().chain(free).collect();
        if sources.is_empty() || self.choices.once_in(8) {
            return owner;
        }
        let (place, ty) = self.choices.one_of(&sources);
        let test = self.test(place, ty);
        match self.choices.below(10) {
            6 => Expr::and(test, owner),
            7 => Expr::binary(Op::Implies, owner, test),
            8 => self.with_constant(test),
            _ => test,
        }
    }

    /// A condition with a constant beside it. It is none itself.
    fn with_constant(&mut self, test: Expr) -> Expr {
        let op = self.choices.one_of(&[Op::And, Op::Or, Op::Implies]);
        let any = Expr::Bool(self.choices.once_in(2));
        // What lets the right side decide.
        let open = Expr::Bool(op != Op::Or);
        match self.choices.once_in(2) {
            true => Expr::binary(op, test, any),
            false => Expr::binary(op, open, test),
        }
    }

    fn test(&mut self, place: Place, ty: Type) -> Expr {
        test(self.choices, place, ty)
    }

    /// An expression for a place of type `ty` from the sources.
    fn value(&mut self, ty: Type, sources: &[Source]) -> Expr {
        let (place, source_type) = self.choices.one_of(sources);
        let literal = literal(ty, self.choices.one_of(&ty.values()));
        match (ty, source_type) {
            (Type::Range(..) | Type::Mod(_), Type::Range(..) | Type::Mod(_)) => {
                let source = Expr::Read(place.clone());
                match self.choices.below(16) {
                    0 | 7 => literal,
                    1 => plus_one(place),
                    2 => source,
                    3 => Expr::binary(Op::Rem, plus_one(place), Expr::Int(2)),
                    4 => Expr::binary(Op::Sub, Expr::Int(1), source),
                    5 => Expr::Self_,
                    6 => Expr::binary(Op::Mul, source.clone(), source),
                    8 => Expr::binary(Op::BitAnd, plus_one(place), Expr::Int(1)),
                    9 => Expr::binary(Op::BitOr, source, Expr::Self_),
                    10 => Expr::binary(Op::BitXor, source, Expr::Int(1)),
                    11 => Expr::binary(Op::BitAnd, Expr::Flip(Box::new(source)), Expr::Int(3)),
                    12 => Expr::binary(Op::Shl, Expr::Int(1), source),
                    13 => {
                        // Negative where the variable is 0.
                        let amount = Expr::binary(Op::Sub, source.clone(), Expr::Int(1));
                        Expr::binary(Op::Shl, source, amount)
                    }
                    14 => Expr::binary(Op::Shr, Expr::Int(2), source),
                    _ => Expr::binary(Op::Div, Expr::Int(1), source),
                }
            }
            (Type::Bool, Type::Bool) => match self.choices.below(3) {
                0 => literal,
                1 => Expr::Read(place),
                _ => Expr::negate(Expr::Read(place)),
            },
            (Type::Tone, Type::Tone) if self.choices.once_in(3) => Expr::Read(place),
            (Type::Bool, _) if self.choices.once_in(2) => self.test(place, source_type),
            _ if self.choices.once_in(2) => {
                let condition = self.test(place, source_type);
                let other = self::literal(ty, self.choices.one_of(&ty.values()));
                Expr::Choose(Box::new(condition), Box::new(literal), Box::new(other))
            }
            _ => literal,
        }
    }
}

/// A boolean expression about one place.
pub fn test(choices: &mut Choices, place: Place, ty: Type) -> Expr {
    let read = Expr::Read(place);
    match ty {
        Type::Bool if choices.once_in(2) => read,
        Type::Bool => Expr::negate(read),
        _ => {
            let literal = literal(ty, choices.one_of(&ty.values()));
            let (operators, read): (&[Op], Expr) = match ty {
                Type::Range(..) | Type::Mod(_) => {
                    let operators = &[Op::Eq, Op::Ne, Op::Lt, Op::Le];
                    (operators, bits(choices, read))
                }
                _ => (&[Op::Eq, Op::Ne], read),
            };
            Expr::binary(choices.one_of(operators), read, literal)
        }
    }
}

/// An integer, or seldom something that its bits say; a shift goes wrong, for some values.
fn bits(choices: &mut Choices, read: Expr) -> Expr {
    match choices.below(24) {
        20 => Expr::binary(Op::BitAnd, read, Expr::Int(2)),
        21 => Expr::binary(Op::BitXor, read, Expr::Int(-2)),
        22 => Expr::binary(Op::BitOr, Expr::Flip(Box::new(read)), Expr::Int(1)),
        23 => {
            let amount = Expr::binary(Op::Sub, Expr::Int(1), read);
            Expr::binary(Op::Shr, Expr::Int(-3), amount)
        }
        _ => read,
    }
}

pub fn literal(ty: Type, value: i64) -> Expr {
    match ty {
        Type::Bool => Expr::Bool(value == 1),
        Type::Tone => Expr::Tone(value),
        Type::Range(..) | Type::Mod(_) => Expr::Int(value),
        Type::Ref(..) if value == NULL => Expr::Null,
        Type::Ref(arena, _) => Expr::Reference(arena, Box::new(Expr::Int(value))),
        Type::Record(_) => unreachable!("a record has no value"),
    }
}

pub fn scalar(shared: usize) -> Place {
    Place {
        root: Root::Shared(shared),
        index: None,
    }
}

fn plus_one(place: Place) -> Expr {
    Expr::binary(Op::Add, Expr::Read(place), Expr::Int(1))
}

/// An index into an array of two cells; a computed one may lie outside.
fn index(
    choices: &mut Choices,
    indexed: bool,
    local: Option<&Variable>,
    free: Option<usize>,
) -> Expr {
    let local = local.filter(|local| matches!(local.ty, Type::Range(..) | Type::Mod(_)));
    match (choices.below(6), local, free) {
        (2 | 3, ..) if indexed => Expr::Index,
        (4, Some(_), _) => Expr::Read(Place {
            root: Root::Local(0),
            index: None,
        }),
        (5, _, Some(free)) => Expr::Read(scalar(free)),
        (number, ..) => Expr::Int(number as i64 % 2),
    }
}

fn skip() -> Stmt {
    StmtKind::Skip.into()
}

/// Whether a statement could block behind the first one of an atomic block.
fn blocks_late(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::When(..) | StmtKind::Assume(_))
}
