//! Random programs whose threads wait for each other: nested locks, attempts to lock, semaphores, condition variables,
//! barriers, threads that are started and joined, guards, loops that wait, early exits, locks in atomic blocks, and
//! assertions that fail.

use crate::twin::ast::{
    Discipline, Expr, Family, Hidden, Kind, Object, Place, Program, Root, Shared, Stmt, StmtKind,
    Type, Variable,
};
use crate::twin::choices::Choices;

/// Where the statement stands to which an early exit leads.
const OUT: &str = "OUT";

/// The synchronisation objects, by number.
const OBJECTS: [(&str, Kind); 8] = [
    ("m", Kind::Mutex),
    ("n", Kind::Mutex),
    ("r", Kind::Reentrant(2)),
    (
        "s",
        Kind::Semaphore {
            highest: 2,
            initial: 1,
        },
    ),
    (
        "e",
        Kind::Semaphore {
            highest: 1,
            initial: 0,
        },
    ),
    ("c", Kind::Cond),
    ("b", Kind::Barrier(2)),
    ("l", Kind::RwLock),
];

const MUTEXES: [usize; 3] = [0, 1, 2];
const SEMAPHORES: [usize; 2] = [3, 4];
const COND: usize = 5;
const BARRIER: usize = 6;
const RWLOCK: usize = 7;

/// The shared variables: `x` and `y`, which may be protected, then `g` and `h`.
const SHARED: [&str; 4] = ["x", "y", "g", "h"];

/// A program of a few threads, by a tape of numbers.
pub fn program(tape: Vec<u16>) -> Program {
    let mut choices = Choices::new(tape);
    let threads = choices.weighted(&[(4, 2), (5, 3), (1, 4)]);
    let most = [0, 0, 6, 4, 2][threads];
    let started = choices.weighted(&[(3, false), (1, true)]);
    let idle = choices.weighted(&[(1, false), (1, true)]);
    let mut program = Program {
        objects: OBJECTS
            .iter()
            .map(|&(name, kind)| object(name, kind))
            .collect(),
        shared: SHARED.iter().map(|name| shared(name)).collect(),
        ..Program::default()
    };
    for (variable, mutex) in [(0, 0), (1, 1)] {
        if choices.below(3) < 2 {
            program.shared[variable].discipline = Discipline::lock(Root::Object(mutex).into());
        }
    }
    if choices.once_in(8) {
        program.shared[2].variable.initial = None;
    }
    for number in 0..threads {
        let mut speaker = Speaker {
            choices: &mut choices,
            threads,
            number,
            exits: false,
        };
        let mut body = speaker.block(1..=most, 2);
        if started && number == 0 {
            speaker.starts(&mut body);
        }
        if speaker.exits {
            let mut out: Stmt = StmtKind::Skip.into();
            out.labels.push(OUT.to_owned());
            body.push(out);
        }
        program.families.push(thread(&format!("p{number}"), body));
    }
    // Where it waits for ever, each end of all others is a deadlock.
    if idle {
        let never = Expr::eq(Expr::Read(Root::Shared(SHARED.len()).into()), Expr::Int(1));
        program.shared.push(shared("never"));
        program
            .families
            .push(thread("idle", vec![StmtKind::Assume(never).into()]));
    }
    program
}

fn object(name: &str, kind: Kind) -> Object {
    Object {
        name: name.to_owned(),
        size: None,
        kind,
    }
}

fn variable(name: &str) -> Variable {
    Variable {
        name: name.to_owned(),
        ty: Type::Range(0, 1),
        size: None,
        initial: Some(0),
    }
}

fn shared(name: &str) -> Shared {
    Shared {
        variable: variable(name),
        discipline: Discipline::Unprotected,
    }
}

fn thread(name: &str, body: Vec<Stmt>) -> Family {
    Family {
        name: name.to_owned(),
        members: None,
        locals: vec![variable("t")],
        body,
        line: 0,
    }
}

fn of(object: usize) -> Place {
    Root::Object(object).into()
}

fn local() -> Place {
    Root::Local(0).into()
}

fn read(place: Place) -> Expr {
    Expr::Read(place)
}

fn is(place: Place, value: usize) -> Expr {
    Expr::eq(Expr::Read(place), Expr::Int(value as i64))
}

fn set(place: Place, value: Expr) -> StmtKind {
    StmtKind::Assign(place, value)
}

fn flip(place: Place) -> StmtKind {
    let other = Expr::binary(
        crate::twin::ast::Op::Sub,
        Expr::Int(1),
        Expr::Read(place.clone()),
    );
    set(place, other)
}

fn all(kinds: impl IntoIterator<Item = StmtKind>) -> Vec<Stmt> {
    kinds.into_iter().map(Stmt::from).collect()
}

/// Speaks the statements of one thread.
struct Speaker<'a> {
    choices: &'a mut Choices,
    threads: usize,
    number: usize,
    /// Whether some statement goes to [`OUT`].
    exits: bool,
}

impl Speaker<'_> {
    fn block(&mut self, length: std::ops::RangeInclusive<usize>, depth: usize) -> Vec<Stmt> {
        let (least, most) = length.into_inner();
        let phrases = least + self.choices.below(most - least + 1);
        (0..phrases).flat_map(|_| self.phrase(depth)).collect()
    }

    fn inside(&mut self, depth: usize) -> Vec<Stmt> {
        self.block(0..=2, depth.saturating_sub(1))
    }

    fn phrase(&mut self, depth: usize) -> Vec<Stmt> {
        let deep = |weight: usize| if depth == 0 { 0 } else { weight };
        let phrase = self.choices.weighted(&[
            (8, 0),
            (deep(6), 1),
            (3, 2),
            (deep(2), 3),
            (3, 4),
            (2, 5),
            (4, 6),
            (2, 7),
            (1, 8),
            (1, 9),
            (3, 10),
            (deep(2), 11),
            (deep(2), 12),
            (deep(2), 13),
            (1, 14),
            (2, 15),
        ]);
        match phrase {
            0 => all([self.access()]),
            1 => self.section(depth),
            2 => {
                let mutex = of(self.choices.one_of(&MUTEXES));
                all([match self.choices.below(2) {
                    0 => StmtKind::Lock(mutex),
                    _ => StmtKind::Unlock(mutex),
                }])
            }
            3 => self.attempt(depth),
            4 => all([self.block_of_one_step()]),
            5 => {
                let semaphore = of(self.choices.one_of(&SEMAPHORES));
                all([match self.choices.below(3) {
                    0 | 1 => StmtKind::Down(semaphore),
                    _ => StmtKind::Up(semaphore),
                }])
            }
            6 => all([self.check()]),
            7 => self.monitor(),
            8 => all([StmtKind::Await(of(BARRIER))]),
            9 => self.readers_and_writers(),
            10 => all([self.guarded()]),
            11 => {
                let condition = self.test();
                let (then, otherwise) = (self.inside(depth), self.inside(depth));
                all([StmtKind::If(condition, then, otherwise)])
            }
            12 => {
                let branches = 2 + self.choices.below(2);
                let branch = |speaker: &mut Self| {
                    let mut branch = all([speaker.first()]);
                    branch.extend(speaker.inside(depth));
                    branch
                };
                let branches = (0..branches).map(|_| branch(self)).collect();
                all([StmtKind::Either(branches)])
            }
            13 => self.repeated(depth),
            14 => {
                self.exits = true;
                let condition = self.test();
                let out = all([StmtKind::Goto(OUT.to_owned())]);
                all([StmtKind::If(condition, out, Vec::new())])
            }
            _ => {
                let other = self.choices.below(self.threads);
                match other == self.number {
                    true => all([StmtKind::Skip]),
                    false => all([StmtKind::Join(other)]),
                }
            }
        }
    }

    fn shared(&mut self) -> Place {
        let number = self.choices.weighted(&[(3, 0), (2, 1), (3, 2), (2, 3)]);
        Root::Shared(number).into()
    }

    /// A shared variable without a discipline.
    fn free(&mut self) -> Place {
        Root::Shared(2 + self.choices.below(2)).into()
    }

    fn access(&mut self) -> StmtKind {
        let place = self.shared();
        match self.choices.below(8) {
            0 | 1 => flip(place),
            2 => set(place, Expr::Int(1)),
            3 => set(local(), read(place)),
            4 => set(place, read(local())),
            5 => flip(local()),
            6 => StmtKind::Havoc(self.choices.one_of(&[local(), place])),
            _ => {
                let condition = is(place, 1);
                let value = Expr::Choose(
                    Box::new(condition),
                    Box::new(Expr::Int(0)),
                    Box::new(read(local())),
                );
                set(self.free(), value)
            }
        }
    }

    fn test(&mut self) -> Expr {
        let mutex = self.choices.one_of(&MUTEXES);
        let semaphore = self.choices.one_of(&SEMAPHORES);
        match self.choices.below(8) {
            0..=2 => is(local(), self.choices.below(2)),
            3 | 4 => is(self.shared(), self.choices.below(2)),
            5 => Expr::eq(Expr::owner(of(mutex)), Expr::Nobody),
            6 => Expr::negate(Expr::eq(Expr::owner(of(mutex)), Expr::Self_)),
            _ => Expr::eq(
                Expr::Hidden(of(semaphore), Hidden::Value),
                Expr::Int(self.choices.below(2) as i64),
            ),
        }
    }

    /// What may be false.
    fn check(&mut self) -> StmtKind {
        let first = self.test();
        let condition = match self.choices.below(3) {
            0 => Expr::or(first, self.test()),
            _ => first,
        };
        StmtKind::Assert(condition)
    }

    fn guard(&mut self) -> Expr {
        let first = match self.choices.below(4) {
            0 => self.test(),
            _ => is(self.free(), self.choices.below(2)),
        };
        match self.choices.below(4) {
            0 => Expr::and(first, is(self.shared(), self.choices.below(2))),
            1 => Expr::or(first, self.test()),
            _ => first,
        }
    }

    fn guarded(&mut self) -> StmtKind {
        let (guard, action) = (self.guard(), self.access());
        match self.choices.below(3) {
            0 => StmtKind::Assume(guard),
            1 => {
                let mutex = of(self.choices.one_of(&MUTEXES));
                StmtKind::When(guard, Box::new(StmtKind::Lock(mutex).into()))
            }
            _ => StmtKind::When(guard, Box::new(action.into())),
        }
    }

    /// A critical section, sometimes with one of its ends missing.
    fn section(&mut self, depth: usize) -> Vec<Stmt> {
        let mutex = of(self.choices.one_of(&MUTEXES));
        let mut section = all([StmtKind::Lock(mutex.clone())]);
        section.extend(self.block(0..=2, depth - 1));
        if !self.choices.once_in(8) {
            section.push(StmtKind::Unlock(mutex).into());
        }
        section
    }

    /// An attempt to lock, and what is done if it was one that worked.
    fn attempt(&mut self, depth: usize) -> Vec<Stmt> {
        let mutex = of(self.choices.one_of(&MUTEXES[..2]));
        let taken = Expr::negate(Expr::eq(Expr::owner(mutex.clone()), Expr::Nobody));
        let mut works = all([StmtKind::Lock(mutex.clone()), set(local(), Expr::Int(1))]);
        if self.choices.once_in(2) {
            works = all([StmtKind::Atomic(works)]);
        }
        let fails = match self.choices.below(2) {
            0 => StmtKind::Assume(taken),
            _ => StmtKind::When(taken, Box::new(set(local(), Expr::Int(0)).into())),
        };
        let mut then = self.inside(depth);
        then.push(StmtKind::Unlock(mutex).into());
        all([
            StmtKind::Either(vec![works, all([fails])]),
            StmtKind::If(is(local(), 1), then, self.inside(depth)),
        ])
    }

    /// What may be the first action of a branch, and waits more often than not.
    fn first(&mut self) -> StmtKind {
        let mutex = of(self.choices.one_of(&MUTEXES));
        match self.choices.below(5) {
            0 => StmtKind::Lock(mutex),
            1 => StmtKind::Down(of(self.choices.one_of(&SEMAPHORES))),
            2 => self.access(),
            3 => self.block_of_one_step(),
            _ => self.guarded(),
        }
    }

    fn block_of_one_step(&mut self) -> StmtKind {
        let mutex = of(self.choices.one_of(&MUTEXES));
        let access = |speaker: &mut Self| -> Stmt { speaker.access().into() };
        let mut block = match self.choices.below(5) {
            0 | 1 => {
                let mut block = all([StmtKind::Lock(mutex.clone())]);
                block.push(access(self));
                if !self.choices.once_in(4) {
                    block.push(StmtKind::Unlock(mutex).into());
                }
                block
            }
            2 => {
                let semaphore = of(self.choices.one_of(&SEMAPHORES));
                let mut block = all([StmtKind::Down(semaphore)]);
                block.push(access(self));
                block
            }
            3 => {
                let place = self.free();
                let condition = is(place.clone(), 0);
                let (then, otherwise) = (set(place, Expr::Int(1)), set(local(), Expr::Int(0)));
                let then = all([then, set(local(), Expr::Int(1))]);
                all([StmtKind::If(condition, then, all([otherwise]))])
            }
            _ => {
                let mut block = all([StmtKind::Assume(self.guard())]);
                block.push(access(self));
                block
            }
        };
        if self.choices.once_in(4) {
            block.push(self.check().into());
        }
        StmtKind::Atomic(block)
    }

    /// A wait, or what lets others go on.
    fn monitor(&mut self) -> Vec<Stmt> {
        let mutex = of(self.choices.one_of(&MUTEXES));
        let place = self.shared();
        let wait = StmtKind::Wait(of(COND), mutex.clone());
        let signal = match self.choices.below(2) {
            0 => StmtKind::Notify(of(COND)),
            _ => StmtKind::NotifyAll(of(COND)),
        };
        let inside = match self.choices.below(6) {
            0 => vec![wait],
            1 => vec![StmtKind::If(is(place, 0), all([wait]), Vec::new())],
            2 => vec![StmtKind::While(is(place, 0), all([wait]))],
            3 => return all([signal]),
            _ => vec![set(place, Expr::Int(1)), signal],
        };
        let mut section = all([StmtKind::Lock(mutex.clone())]);
        section.extend(all(inside));
        section.push(StmtKind::Unlock(mutex).into());
        section
    }

    fn readers_and_writers(&mut self) -> Vec<Stmt> {
        let lock = || of(RWLOCK);
        let access = self.access();
        match self.choices.below(5) {
            0 => all([StmtKind::ReadLock(lock())]),
            1 => all([StmtKind::WriteLock(lock())]),
            2 => all([
                StmtKind::WriteLock(lock()),
                access,
                StmtKind::WriteUnlock(lock()),
            ]),
            _ => all([
                StmtKind::ReadLock(lock()),
                access,
                StmtKind::ReadUnlock(lock()),
            ]),
        }
    }

    fn repeated(&mut self, depth: usize) -> Vec<Stmt> {
        let place = self.free();
        all([match self.choices.below(5) {
            0 => StmtKind::While(is(place, 0), all([StmtKind::Skip])),
            1 => StmtKind::While(is(local(), 0), all([set(local(), read(place))])),
            2 => {
                let mut body = self.inside(depth);
                body.push(self.first().into());
                StmtKind::While(Expr::Bool(true), body)
            }
            3 => {
                let mut body = self.inside(depth);
                body.push(self.access().into());
                StmtKind::While(is(local(), 0), body)
            }
            _ => {
                let body = all([StmtKind::Havoc(local()), StmtKind::Assume(is(local(), 0))]);
                StmtKind::While(is(place, 0), body)
            }
        }])
    }

    /// The first thread starts the last one, and often joins it.
    fn starts(&mut self, body: &mut Vec<Stmt>) {
        let last = self.threads - 1;
        let at = self.choices.below(body.len() + 1);
        body.insert(at, StmtKind::Start(last).into());
        if !self.choices.once_in(3) {
            let at = at + 1 + self.choices.below(body.len() - at);
            body.insert(at, StmtKind::Join(last).into());
        }
    }
}
