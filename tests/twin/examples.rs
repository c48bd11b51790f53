//! Programs written by hand, and short words to write them with.

use super::ast::{
    Discipline, Expr, Family, Hidden, Kind, Object, Op, Place, Program, Property, Root, Shared,
    Stmt,
};
use super::ast::{StmtKind, Type, Variable};

/// A shared variable without index.
pub fn var(number: usize) -> Place {
    Place::from(Root::Shared(number))
}

/// The local variable of the thread.
pub fn local() -> Place {
    Place::from(Root::Local(0))
}

pub fn cell(root: Root, index: Expr) -> Place {
    Place::cell(root, index)
}

/// An object without index.
pub fn object(number: usize) -> Place {
    Place::from(Root::Object(number))
}

pub fn read(place: Place) -> Expr {
    Expr::Read(place)
}

pub fn assign(place: Place, value: Expr) -> Stmt {
    StmtKind::Assign(place, value).into()
}

pub fn lock(mutex: Place) -> Stmt {
    StmtKind::Lock(mutex).into()
}

pub fn unlock(mutex: Place) -> Stmt {
    StmtKind::Unlock(mutex).into()
}

pub fn when(guard: Expr, action: Stmt) -> Stmt {
    StmtKind::When(guard, Box::new(action)).into()
}

pub fn skip() -> Stmt {
    StmtKind::Skip.into()
}

pub fn shared(name: &str, ty: Type, discipline: Discipline) -> Shared {
    let variable = Variable {
        name: name.to_owned(),
        ty,
        size: None,
        initial: Some(0),
    };
    Shared {
        variable,
        discipline,
    }
}

/// A single thread without locals.
pub fn thread(name: &str, body: Vec<Stmt>) -> Family {
    Family {
        name: name.to_owned(),
        members: None,
        locals: Vec::new(),
        body,
        line: 0,
    }
}

/// One object, or `size` of them.
pub fn declared(name: &str, kind: Kind, size: Option<usize>) -> Object {
    Object {
        name: name.to_owned(),
        size,
        kind,
    }
}

pub fn program(mutexes: &[&str], shared: Vec<Shared>, families: Vec<Family>) -> Program {
    let mutex = |name: &&str| declared(name, Kind::Mutex, None);
    Program {
        objects: mutexes.iter().map(mutex).collect(),
        shared,
        families,
        ..Program::default()
    }
}

/// Single threads that use these objects.
pub fn objects(objects: Vec<Object>, threads: Vec<Vec<Stmt>>) -> Program {
    let families = threads
        .into_iter()
        .zip(["a", "b", "c"])
        .map(|(body, name)| thread(name, body))
        .collect();
    Program {
        objects,
        ..program(&[], Vec::new(), families)
    }
}

pub fn one(name: &str, kind: Kind) -> Vec<Object> {
    vec![declared(name, kind, None)]
}

pub fn number(value: i64) -> Expr {
    Expr::Int(value)
}

pub fn variable(name: &str, ty: Type, initial: Option<i64>) -> Variable {
    Variable {
        name: name.to_owned(),
        ty,
        size: None,
        initial,
    }
}

/// `name: 0..1 = 0`
pub fn bit(name: &str, discipline: Discipline) -> Shared {
    shared(name, Type::Range(0, 1), discipline)
}

pub fn assert(condition: Expr) -> Stmt {
    StmtKind::Assert(condition).into()
}

pub fn hidden(place: Place, hidden: Hidden) -> Expr {
    Expr::Hidden(place, hidden)
}

/// Stoller & Cohen 2003, section 7: two locks and a barrier.
pub fn two_locks_barrier() -> Program {
    let m = |index| cell(Root::Object(0), index);
    let x = |index| cell(Root::Shared(0), index);
    let (zero, one) = (|| Expr::Int(0), || Expr::Int(1));
    let arrived = || Expr::eq(read(var(1)), Expr::Int(2));
    let owned = Expr::eq(Expr::owner(m(Expr::Parameter)), Expr::Self_);
    let passed = Expr::and(arrived(), Expr::eq(Expr::Self_, Expr::Parameter));
    let mut shared_x = shared(
        "x",
        Type::Range(0, 1),
        Discipline::predicate(Expr::or(owned, passed)),
    );
    shared_x.variable.size = Some(2);
    let mut body = vec![
        lock(m(zero())),
        assign(x(zero()), Expr::Index),
        unlock(m(zero())),
        lock(m(one())),
        assign(x(one()), Expr::Index),
        unlock(m(one())),
        assign(var(1), Expr::binary(Op::Add, read(var(1)), one())),
        when(arrived(), skip()),
        assign(x(Expr::Index), Expr::Index),
    ];
    for (stmt, label) in body.iter_mut().zip('A'..) {
        stmt.labels.push(label.to_string());
    }
    Program {
        objects: vec![declared("m", Kind::Mutex, Some(2))],
        shared: vec![
            shared_x,
            shared("y", Type::Range(0, 2), Discipline::Unprotected),
        ],
        families: vec![Family {
            name: "worker".to_owned(),
            members: Some(2),
            locals: Vec::new(),
            body,
            line: 0,
        }],
        ..Program::default()
    }
}

/// Dining philosophers who take the left fork first and put the forks back one after the other.
pub fn philosophers(count: usize) -> Program {
    let left = || cell(Root::Shared(0), Expr::Index);
    let right = || {
        let next = Expr::binary(Op::Add, Expr::Index, Expr::Int(1));
        cell(
            Root::Shared(0),
            Expr::binary(Op::Rem, next, Expr::Int(count as i64)),
        )
    };
    let take = |fork: Place| -> Stmt {
        let free = Expr::negate(read(fork.clone()));
        StmtKind::Atomic(vec![when(free, assign(fork, Expr::Bool(true)))]).into()
    };
    let put = |place| assign(place, Expr::Bool(false));
    let round = vec![take(left()), take(right()), put(left()), put(right())];
    let body = vec![StmtKind::While(Expr::Bool(true), round).into()];
    let mut fork = shared("fork", Type::Bool, Discipline::Unprotected);
    fork.variable.size = Some(count);
    let members = Some(count);
    let philosopher = Family {
        name: "philosopher".to_owned(),
        members,
        locals: Vec::new(),
        body,
        line: 0,
    };
    let mut program = program(&[], vec![fork], vec![philosopher]);
    program.properties.push(Property::DeadlockFree);
    program
}

/// Thread `a` uses `x` when it is its turn; thread `b` takes the turn away at any time.
pub fn turn_taken_away() -> Program {
    let turn = || Expr::eq(read(var(1)), Expr::Self_);
    let x = shared("x", Type::Bool, Discipline::predicate(turn()));
    let y = shared("y", Type::Range(0, 1), Discipline::Unprotected);
    let a = thread(
        "a",
        vec![when(turn(), skip()), assign(var(0), Expr::Bool(true))],
    );
    let b = thread("b", vec![assign(var(1), Expr::Int(1))]);
    program(&[], vec![x, y], vec![a, b])
}
