//! The naive twin checks itself on the second part of the language: each construct in a small program whose states can
//! be counted by hand, as the comments do.

mod twin;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use twin::ast::{
    Arena, By, Discipline, Expr, Field, Hidden, Kind, Object, Op, Place, Pool, Procedure, Program,
    Property, Record, Root, Shared, StateKind, Stmt, StmtKind, Type, Variable,
};
use twin::compile::Loc;
use twin::examples::{
    assign, cell, declared, local, lock, object, program, read, shared, skip, thread, unlock, var,
    when,
};
use twin::generate::{Disciplines, Sample, samples, samples_with, second_samples};
use twin::semantics::{State, System};
use twin::verdict::{Judged, Rung, Status};

fn objects(objects: Vec<Object>, threads: Vec<Vec<Stmt>>) -> Program {
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

fn one(name: &str, kind: Kind) -> Vec<Object> {
    vec![declared(name, kind, None)]
}

/// How many states the program has, and what is said of assertions and deadlocks.
fn explored(mut program: Program) -> (usize, Status, Status) {
    program.properties.push(Property::DeadlockFree);
    let Judged { answer, .. } = Judged::new(&program);
    assert_ne!(answer.rung, Rung::None);
    (
        answer.counts().original,
        answer.property("assertions"),
        answer.property("deadlock_free"),
    )
}

const FINE: (Status, Status) = (Status::Holds, Status::Holds);
const WRONG: (Status, Status) = (Status::Refuted, Status::Holds);
const STUCK: (Status, Status) = (Status::Holds, Status::Refuted);

fn check(program: Program, states: usize, (assertions, deadlock_free): (Status, Status)) {
    assert_eq!(explored(program), (states, assertions, deadlock_free));
}

fn number(value: i64) -> Expr {
    Expr::Int(value)
}

fn variable(name: &str, ty: Type, initial: Option<i64>) -> Variable {
    Variable {
        name: name.to_owned(),
        ty,
        size: None,
        initial,
    }
}

/// `name: 0..1 = 0`
fn bit(name: &str, discipline: Discipline) -> Shared {
    shared(name, Type::Range(0, 1), discipline)
}

fn assert(condition: Expr) -> Stmt {
    StmtKind::Assert(condition).into()
}

fn hidden(place: Place, hidden: Hidden) -> Expr {
    Expr::Hidden(place, hidden)
}

#[test]
fn reentrant_mutexes_count_and_have_a_bound() {
    let m = || object(0);
    let depth = |value| assert(Expr::eq(hidden(m(), Hidden::Depth), number(value)));
    let twice = || vec![lock(m()), lock(m()), unlock(m()), unlock(m())];
    let mutex = |bound| one("m", Kind::Reentrant(bound));
    // Five places one after the other.
    check(objects(mutex(2), vec![twice()]), 5, FINE);
    // Five places each, but the middle three of one exclude those of the other: 25 - 9.
    check(objects(mutex(2), vec![twice(), twice()]), 16, FINE);
    // The second `lock` exceeds the bound: before, between, wrong.
    check(objects(mutex(1), vec![twice()]), 3, WRONG);
    // Not held any more: before, between, behind, wrong.
    let too_often = vec![lock(m()), unlock(m()), unlock(m())];
    check(objects(mutex(1), vec![too_often]), 4, WRONG);
    let counted = vec![
        lock(m()),
        depth(1),
        lock(m()),
        depth(2),
        unlock(m()),
        depth(1),
    ];
    check(objects(mutex(2), vec![counted]), 7, FINE);
}

#[test]
fn rwlocks_share_among_readers() {
    let l = || object(0);
    let reader = || -> Vec<Stmt> {
        vec![
            StmtKind::ReadLock(l()).into(),
            StmtKind::ReadUnlock(l()).into(),
        ]
    };
    let writer = || -> Vec<Stmt> {
        vec![
            StmtKind::WriteLock(l()).into(),
            StmtKind::WriteUnlock(l()).into(),
        ]
    };
    let rwlock = || one("l", Kind::RwLock);
    let of = |threads| objects(rwlock(), threads);
    // Three places each; two readers do not exclude each other, a writer and another thread do.
    check(of(vec![reader(), reader()]), 9, FINE);
    check(of(vec![reader(), writer()]), 8, FINE);
    check(of(vec![writer(), writer()]), 8, FINE);
    // A reader that wants to write waits for itself.
    let upgrade = vec![reader().remove(0), writer().remove(0)];
    check(of(vec![upgrade]), 2, STUCK);
    // Reading twice, and giving back what one has not.
    check(
        of(vec![vec![reader().remove(0), reader().remove(0)]]),
        3,
        WRONG,
    );
    check(of(vec![vec![reader().remove(1)]]), 2, WRONG);
    check(of(vec![vec![writer().remove(1)]]), 2, WRONG);
    let told = vec![
        reader().remove(0),
        assert(hidden(l(), Hidden::Reading(Box::new(Expr::Self_)))),
        assert(Expr::eq(hidden(l(), Hidden::Writer), Expr::Nobody)),
    ];
    check(of(vec![told]), 4, FINE);
}

#[test]
fn a_notified_thread_takes_its_mutex_again() {
    let (m, c) = (|| object(0), || object(1));
    let wait = || -> Stmt { StmtKind::Wait(c(), m()).into() };
    let monitor = |kind| vec![declared("m", kind, None), declared("c", Kind::Cond, None)];
    let notify: fn(Place) -> StmtKind = StmtKind::Notify;
    let all: fn(Place) -> StmtKind = StmtKind::NotifyAll;
    for wake in [notify, all] {
        let waits = vec![lock(m()), wait(), unlock(m())];
        let wakes = vec![lock(m()), wake(c()).into(), unlock(m())];
        // `b` has four places. `a` before its lock: 4. With the mutex: `b` is at its first or last, 2. Asleep: 3 with
        // `b` at its first, second and last place (which is the lost wake-up); woken: 2 with `b` at its last two.
        // With the mutex again, and at its end: 1 each, behind `b`'s end. 4 + 2 + 3 + 2 + 1 + 1.
        check(objects(monitor(Kind::Mutex), vec![waits, wakes]), 13, STUCK);
    }
    // Two wait, one is woken: whichever. Without any mutex around `notify`, by a third thread.
    let waits = || vec![lock(m()), wait()];
    let program = objects(
        monitor(Kind::Mutex),
        vec![waits(), waits(), vec![notify(c()).into()]],
    );
    let system = System::new(&program);
    let mut state = system.initial().remove(0);
    let waiting = system
        .layout
        .cells
        .iter()
        .position(|cell| cell.name == "c.waiting[0]")
        .expect("a cell");
    assert_eq!(system.steps(&state, 2).len(), 1, "nobody to wake");
    state.cells[waiting] = 1;
    state.cells[waiting + 1] = 1;
    assert_eq!(system.steps(&state, 2).len(), 2);
    // Not one's own mutex: before, wrong.
    check(objects(monitor(Kind::Mutex), vec![vec![wait()]]), 2, WRONG);
    // A reentrant mutex is given up at once, however often it is held, and has its depth again afterwards. `a` alone up
    // to its sleep: 4 states, with `b` at its first place; `b` then notifies: 1, `a` wakes, unlocks twice: 3. If `b`
    // notifies before `a` sleeps, in 3 states, these 3 and the sleep are lost wake-ups: 3 + 1.
    let twice = vec![lock(m()), lock(m()), wait(), unlock(m()), unlock(m())];
    let program = objects(
        monitor(Kind::Reentrant(2)),
        vec![twice, vec![notify(c()).into()]],
    );
    check(program, 12, STUCK);
}

#[test]
fn semaphores_count_and_barriers_wait() {
    let s = || object(0);
    let (down, up) = (
        || -> Stmt { StmtKind::Down(s()).into() },
        || -> Stmt { StmtKind::Up(s()).into() },
    );
    let semaphore = |highest, initial| one("s", Kind::Semaphore { highest, initial });
    let section = || vec![down(), up()];
    // Three places each, not both in the middle; with two permits both.
    check(
        objects(semaphore(1, 1), vec![section(), section()]),
        8,
        FINE,
    );
    check(
        objects(semaphore(2, 2), vec![section(), section()]),
        9,
        FINE,
    );
    check(objects(semaphore(1, 1), vec![vec![up()]]), 2, WRONG);
    check(objects(semaphore(1, 0), vec![vec![down()]]), 1, STUCK);
    let barrier = |parties| one("b", Kind::Barrier(parties));
    let meet = || -> Vec<Stmt> { vec![StmtKind::Await(object(0)).into()] };
    // Nobody there; one of them waits: 2; the other one came and left: 2; both left.
    check(objects(barrier(2), vec![meet(), meet()]), 6, FINE);
    // One of them alone is enough: two places each.
    check(objects(barrier(1), vec![meet(), meet()]), 4, FINE);
    // The third waits for nobody. Any of the 3 comes first and waits, then any of 2 others comes and leaves (6 orders,
    // but only which one waited and which one left counts: 6), the one that waited leaves (3: who has not come). Then
    // the third comes and waits: from the 6 states 6 more (waiting for the leaving of the first, the third waits), but in
    // those the third's `waiting` is set, and 3 in the end: 1 + 3 + 6 + 3 + 6 + 3.
    check(objects(barrier(2), vec![meet(), meet(), meet()]), 22, STUCK);
}

/// `record cell { mutex guard; value: 0..1 = 0 protected by guard; }`
fn guarded() -> Record {
    let sibling = Place::from(Root::Sibling {
        record: 0,
        field: 0,
    });
    Record {
        name: "cell".to_owned(),
        fields: vec![
            Field::Object(declared("guard", Kind::Mutex, None)),
            Field::Data(bit("value", Discipline::lock(sibling))),
        ],
    }
}

#[test]
fn records_have_fields_with_locks_of_their_own() {
    let a = || cell(Root::Shared(0), Expr::Self_);
    let body = || {
        vec![
            lock(a().field(0, 0)),
            assign(a().field(0, 1), number(1)),
            unlock(a().field(0, 0)),
        ]
    };
    let mut array = shared("a", Type::Record(0), Discipline::Omitted);
    array.variable.size = Some(2);
    array.variable.initial = None;
    let program = Program {
        records: vec![guarded()],
        ..program(
            &[],
            vec![array],
            vec![thread("a", body()), thread("b", body())],
        )
    };
    let Judged { model, answer, .. } = Judged::new(&program);
    let names: Vec<&str> = model
        .system
        .layout
        .cells
        .iter()
        .map(|cell| cell.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "a[0].guard.owner",
            "a[0].value",
            "a[1].guard.owner",
            "a[1].value"
        ]
    );
    assert_eq!(answer.property("discipline"), Status::Holds);
    // Four places each, three of them where a visible step comes next or none.
    assert_eq!((answer.counts().original, answer.counts().reduced), (16, 9));
    // With the other's lock it is a violation.
    let mut wrong = program.clone();
    wrong.families[0].body[1] = assign(cell(Root::Shared(0), number(1)).field(0, 1), number(1));
    let Judged { answer, .. } = Judged::new(&wrong);
    assert_eq!(answer.property("discipline"), Status::Refuted);
    assert!(Sample::new(wrong).source.contains(
        "record cell {\n    mutex guard;\n    value: 0..1 = 0 protected value by guard;\n}\n\
         var a[2]: cell;\n"
    ));
}

#[test]
fn a_word_at_a_record_variable_holds_for_its_fields() {
    // `var p: pair protected by m.owner == self`, where `pair { x: 0..1 = 0; y: 0..1 = 0 unprotected; }`
    let record = Record {
        name: "pair".to_owned(),
        fields: vec![
            Field::Data(bit("x", Discipline::Omitted)),
            Field::Data(bit("y", Discipline::Unprotected)),
        ],
    };
    let mut pair = shared("p", Type::Record(0), Discipline::lock(object(0)));
    pair.variable.initial = None;
    let field = |number| var(0).field(0, number);
    let program = |number| Program {
        records: vec![record.clone()],
        ..program(
            &["m"],
            vec![pair.clone()],
            vec![thread("a", vec![assign(field(number), Expr::Int(1))])],
        )
    };
    let discipline = |number| Judged::new(&program(number)).answer.property("discipline");
    assert_eq!(discipline(0), Status::Refuted);
    assert_eq!(discipline(1), Status::Holds);
}

/// A program with `pool P[size]: cell;` in which each thread has a local `p: ref cell in P = null`.
fn pooled(size: usize, bodies: Vec<Vec<Stmt>>) -> Program {
    let p = variable("p", Type::Ref(Arena::Pool(0), size), Some(-1));
    let mut program = Program {
        records: vec![guarded()],
        pools: vec![Pool {
            name: "P".to_owned(),
            size,
            record: 0,
        }],
        ..objects(Vec::new(), bodies)
    };
    for family in &mut program.families {
        family.locals.push(p.clone());
    }
    program
}

#[test]
fn references_are_checked() {
    let new = || -> Stmt { StmtKind::New(local(), 0).into() };
    let free = || -> Stmt { StmtKind::Free(read(local()), 0).into() };
    let write = || assign(local().field(0, 1), number(1));
    let use_it = || {
        vec![
            new(),
            lock(local().field(0, 0)),
            write(),
            unlock(local().field(0, 0)),
            free(),
        ]
    };
    check(pooled(1, vec![use_it()]), 6, FINE);
    check(pooled(1, vec![vec![new(), free(), free()]]), 4, WRONG);
    check(pooled(1, vec![vec![free()]]), 2, WRONG);
    // Null, and freed; through `P` itself nothing is checked, but it is an access without the lock.
    check(pooled(1, vec![vec![lock(local().field(0, 0))]]), 2, WRONG);
    check(
        pooled(1, vec![vec![new(), free(), lock(local().field(0, 0))]]),
        4,
        WRONG,
    );
    let direct = || lock(cell(Root::Pool(0), number(0)).field(0, 0));
    check(pooled(1, vec![vec![direct()]]), 2, FINE);
    // One slot for two threads: the first gets it, the second null. Nobody has asked: 1. `a` has asked first: it has two
    // places, `b` three (not yet, null, wrong); and the other way round: 2 * 6.
    let demanding = || {
        let got = Expr::binary(Op::Ne, read(local()), Expr::Null);
        vec![new(), assert(got)]
    };
    check(pooled(1, vec![demanding(), demanding()]), 13, WRONG);
    // The lowest free slot; references are compared.
    let slot = |number| Expr::Reference(Arena::Pool(0), Box::new(Expr::Int(number)));
    let is = |slot: Expr| assert(Expr::eq(read(local()), slot));
    let allocated = |number| assert(Expr::Allocated(0, Box::new(Expr::Int(number))));
    let order = vec![
        new(),
        is(slot(0)),
        new(),
        is(slot(1)),
        allocated(1),
        new(),
        is(Expr::Null),
    ];
    check(pooled(2, vec![order]), 8, FINE);
    // A slot outside the pool.
    check(pooled(1, vec![vec![assign(local(), slot(1))]]), 2, WRONG);
}

#[test]
fn whether_an_object_is_allocated_is_neither_mentioned_nor_accessed() {
    let access = || assign(local().field(0, 1), number(1));
    let body = vec![
        StmtKind::New(local(), 0).into(),
        lock(local().field(0, 0)),
        access(),
    ];
    let Judged { model, reasons, .. } = Judged::new(&pooled(1, vec![body, vec![skip()]]));
    let visible: Vec<bool> = reasons[0]
        .iter()
        .map(|reasons| !reasons.is_empty())
        .collect();
    assert_eq!(visible, [true, true, false]);
    let names: Vec<&str> = model
        .system
        .layout
        .cells
        .iter()
        .map(|cell| cell.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "a.p",
            "b.p",
            "P[0].guard.owner",
            "P[0].value",
            "P.allocated[0]"
        ]
    );
}

#[test]
fn references_into_arrays_of_records_need_no_allocation() {
    let mut array = shared("a", Type::Record(0), Discipline::Omitted);
    array.variable.size = Some(2);
    array.variable.initial = None;
    let p = variable("p", Type::Ref(Arena::Array(0), 2), Some(1));
    let mut program = Program {
        records: vec![guarded()],
        ..program(
            &[],
            vec![array],
            vec![thread("a", vec![lock(local().field(0, 0)), skip()])],
        )
    };
    program.families[0].locals.push(p);
    let owner = Expr::owner(cell(Root::Shared(0), number(1)).field(0, 0));
    program.properties.push(Property::State {
        kind: StateKind::Reach,
        name: "R".to_owned(),
        expr: Expr::eq(owner, Expr::Thread(0)),
    });
    let Judged { answer, .. } = Judged::new(&program);
    assert_eq!(
        (answer.counts().original, answer.property("R")),
        (3, Status::Holds)
    );
    assert!(
        Sample::new(program)
            .source
            .contains("var p: ref cell in a = &a[1];")
    );
}

fn frame(variable: usize) -> Place {
    Place::from(Root::Frame {
        procedure: 0,
        variable,
    })
}

/// `proc bump(d: 0..1): 0..2 { var t: 0..2; L: t = x; x = t + d; return t; }`
fn bump() -> Procedure {
    let mut first = assign(frame(1), read(var(0)));
    first.labels.push("L".to_owned());
    let sum = Expr::binary(Op::Add, read(frame(1)), read(frame(0)));
    Procedure {
        name: "bump".to_owned(),
        variables: vec![
            variable("d", Type::Range(0, 1), None),
            variable("t", Type::Range(0, 2), None),
        ],
        parameters: 1,
        result: Some(Type::Range(0, 2)),
        body: vec![
            first,
            assign(var(0), sum),
            StmtKind::Return(Some(read(frame(1)))).into(),
        ],
    }
}

fn call(result: Option<Place>, arguments: Vec<Expr>) -> Stmt {
    StmtKind::Call {
        result,
        procedure: 0,
        arguments,
    }
    .into()
}

fn calling(procedure: Procedure, body: Vec<Stmt>) -> Program {
    let free = |name| shared(name, Type::Range(0, 2), Discipline::Unprotected);
    Program {
        procedures: vec![procedure],
        ..program(&[], vec![free("x"), free("y")], vec![thread("a", body)])
    }
}

#[test]
fn calls_are_replaced_by_bodies() {
    let twice = calling(
        bump(),
        vec![
            call(Some(var(1)), vec![number(1)]),
            call(None, vec![read(var(1))]),
        ],
    );
    // Each call: its arguments, two statements, `return`.
    check(twice.clone(), 9, FINE);
    let Judged { model, .. } = Judged::new(&twice);
    assert_eq!(model.system.graphs[0].labels["L"].len(), 2);
    let names: Vec<&str> = model
        .system
        .layout
        .cells
        .iter()
        .map(|cell| cell.name.as_str())
        .collect();
    assert_eq!(names, ["x", "y", "a.bump.d", "a.bump.t"]);
    assert!(Sample::new(twice).source.contains(
        "proc bump(d: 0..1): 0..2 {\n    var t: 0..2;\n    L: t = x;\n    x = (t + d);\n    return t;\n}\n\
         thread a {\n    y = bump(1);\n    bump(y);\n}\n"
    ));
    // In an atomic block it is one step: before, behind.
    let block = StmtKind::Atomic(vec![call(Some(var(1)), vec![number(1)])]);
    let atomic = calling(
        bump(),
        vec![block.into(), assert(Expr::eq(read(var(0)), number(1)))],
    );
    check(atomic, 3, FINE);
    // An argument outside its type goes wrong at the call.
    check(calling(bump(), vec![call(None, vec![number(2)])]), 2, WRONG);
}

#[test]
fn procedures_without_arguments_take_no_step_to_call() {
    let mut procedure = bump();
    procedure.parameters = 0;
    procedure.variables[0].initial = None;
    procedure.result = None;
    procedure.body = vec![
        StmtKind::If(
            Expr::eq(read(var(0)), number(0)),
            vec![StmtKind::Return(None).into()],
            Vec::new(),
        )
        .into(),
        assign(frame(0), number(1)),
        assert(Expr::Bool(false)),
    ];
    // `x` is 0: the condition is the only step, of each call.
    let calls = |procedure: &Procedure| {
        calling(
            procedure.clone(),
            vec![call(None, Vec::new()), call(None, Vec::new())],
        )
    };
    check(calls(&procedure), 3, FINE);
    // A local with an initial value is set by a step of the call.
    procedure.variables[0].initial = Some(1);
    check(calls(&procedure), 5, FINE);
}

#[test]
fn threads_are_started_and_joined() {
    let start = || -> Stmt { StmtKind::Start(1).into() };
    let join = || -> Stmt { StmtKind::Join(1).into() };
    let of = |first, second| objects(Vec::new(), vec![first, second]);
    // `a` before `start`: 1; before `join`: `b` at its start, its body, its end; both at their ends.
    check(of(vec![start(), join()], vec![skip()]), 5, FINE);
    // `start` has a location in front of an empty body, too.
    check(of(vec![start(), join()], Vec::new()), 4, FINE);
    // A thread that nobody starts begins at once, and one that goes wrong has no end.
    check(of(vec![join()], vec![skip()]), 3, FINE);
    check(
        of(vec![join()], vec![assert(Expr::Bool(false))]),
        2,
        (Status::Refuted, Status::Refuted),
    );
    // Started twice: before, then `b` in 2 places, then `a` wrong with `b` in 2 places.
    check(of(vec![start(), start()], Vec::new()), 5, WRONG);
    // A `start` that a constant condition removes is none.
    let removed = StmtKind::If(Expr::Bool(false), vec![start()], Vec::new()).into();
    check(of(vec![removed], vec![skip()]), 2, FINE);
    // One that is not executed leaves the thread at its start.
    let unexecuted = StmtKind::Atomic(vec![
        when(Expr::eq(Expr::Self_, number(0)), skip()),
        StmtKind::Assert(Expr::Bool(false)).into(),
        start(),
    ]);
    check(
        of(vec![unexecuted.into()], vec![skip()]),
        2,
        (Status::Refuted, Status::Refuted),
    );
}

#[test]
fn what_a_join_waits_for_orders_accesses() {
    // `x` is `b`'s until it ended, then `a`'s.
    let ended = || Expr::at(Expr::Thread(1), "end");
    let mine = |number| Expr::eq(Expr::Self_, Expr::Int(number));
    let predicate = Expr::or(
        Expr::and(mine(0), ended()),
        Expr::and(mine(1), Expr::negate(ended())),
    );
    let x = bit("x", Discipline::predicate(predicate));
    let write = || assign(var(0), number(1));
    let family = |body: Vec<Stmt>| {
        program(
            &[],
            vec![x.clone()],
            vec![thread("a", body), thread("b", vec![write(), skip()])],
        )
    };
    let ordered = Judged::new(&family(vec![StmtKind::Join(1).into(), write()])).answer;
    assert_eq!(ordered.property("discipline"), Status::Holds);
    let unordered = Judged::new(&family(vec![write()])).answer;
    assert_eq!(unordered.property("discipline"), Status::Refuted);
}

/// What is said of the discipline of `x` when two threads do this, the first with the objects as they are numbered.
fn shared_by(objects: Vec<Object>, discipline: Discipline, bodies: [Vec<Stmt>; 2]) -> Status {
    let mut program = self::objects(objects, bodies.into());
    program.shared = vec![
        bit("x", discipline),
        shared("y", Type::Bool, Discipline::Unprotected),
    ];
    let Judged { answer, .. } = Judged::new(&program);
    assert_ne!(answer.rung, Rung::None);
    answer.property("discipline")
}

#[test]
fn readers_share_what_an_rwlock_protects() {
    let of = |bodies| shared_by(one("l", Kind::RwLock), Discipline::lock(object(0)), bodies);
    let section = |enter: StmtKind, access: Stmt, leave: StmtKind| -> Vec<Stmt> {
        vec![enter.into(), access, leave.into()]
    };
    let reads = |access| {
        section(
            StmtKind::ReadLock(object(0)),
            access,
            StmtKind::ReadUnlock(object(0)),
        )
    };
    let writes = |access| {
        section(
            StmtKind::WriteLock(object(0)),
            access,
            StmtKind::WriteUnlock(object(0)),
        )
    };
    let look = || assert(Expr::eq(read(var(0)), read(var(0))));
    let change = || assign(var(0), number(1));
    assert_eq!(of([reads(look()), reads(look())]), Status::Holds);
    assert_eq!(of([reads(look()), writes(change())]), Status::Holds);
    assert_eq!(of([reads(change()), vec![skip()]]), Status::Refuted);
    assert_eq!(of([vec![look()], vec![skip()]]), Status::Refuted);
    // Reading and writing in one step needs both.
    let both = || assign(var(0), Expr::binary(Op::Sub, number(1), read(var(0))));
    assert_eq!(of([writes(both()), reads(look())]), Status::Holds);
    assert_eq!(of([reads(both()), reads(look())]), Status::Refuted);
}

#[test]
fn one_mutex_of_a_set_suffices_for_reading() {
    let mutexes = || {
        ["m", "n"]
            .map(|name| declared(name, Kind::Mutex, None))
            .to_vec()
    };
    let both = || Discipline::Protected {
        by: By::All(vec![object(0), object(1)]),
        init: None,
    };
    let of = |bodies| shared_by(mutexes(), both(), bodies);
    let look = || assert(Expr::eq(read(var(0)), read(var(0))));
    let change = || assign(var(0), number(1));
    let reads = |mutex| vec![lock(object(mutex)), look(), unlock(object(mutex))];
    let writes = || {
        vec![
            lock(object(0)),
            lock(object(1)),
            change(),
            unlock(object(0)),
        ]
    };
    assert_eq!(of([reads(0), reads(1)]), Status::Holds);
    assert_eq!(of([reads(0), writes()]), Status::Holds);
    assert_eq!(
        of([vec![lock(object(0)), change()], vec![skip()]]),
        Status::Refuted
    );
    assert_eq!(of([vec![look()], vec![skip()]]), Status::Refuted);
}

#[test]
fn while_some_thread_initialises_only_its_predicate_counts() {
    let initialising = || Expr::and(Expr::negate(read(var(1))), Expr::eq(Expr::Self_, number(0)));
    let discipline = |init: bool| Discipline::Protected {
        by: By::Lock(object(0)),
        init: init.then(initialising),
    };
    let mutex = || one("m", Kind::Mutex);
    let set = || assign(var(0), number(1));
    let publish = || assign(var(1), Expr::Bool(true));
    let section = || vec![lock(object(0)), set(), unlock(object(0))];
    let waits = || {
        let mut section = section();
        section.insert(0, when(read(var(1)), skip()));
        section
    };
    let first = || vec![set(), publish()];
    let of = |init, bodies| shared_by(mutex(), discipline(init), bodies);
    assert_eq!(of(true, [first(), waits()]), Status::Holds);
    assert_eq!(of(false, [first(), waits()]), Status::Refuted);
    // Before `y` the lock says nothing, behind it only the lock.
    assert_eq!(of(true, [first(), section()]), Status::Refuted);
    assert_eq!(of(true, [vec![publish(), set()], waits()]), Status::Refuted);
}

#[test]
fn lemmas_are_no_properties() {
    let mut program = objects(Vec::new(), vec![vec![skip()]]);
    program.properties.push(Property::State {
        kind: StateKind::Lemma,
        name: "L".to_owned(),
        expr: Expr::Bool(false),
    });
    let Judged { answer, .. } = Judged::new(&program);
    assert_eq!(answer.properties.len(), 2);
    assert_eq!(answer.property("assertions"), Status::Holds);
}

#[test]
fn waiting_threads_have_a_place_of_their_own() {
    let mut wait: Stmt = StmtKind::Await(object(0)).into();
    wait.labels.push("L".to_owned());
    let program = objects(one("b", Kind::Barrier(2)), vec![vec![wait], vec![skip()]]);
    let system = System::new(&program);
    let graph = &system.graphs[0];
    assert_eq!(graph.locations.len(), 2);
    assert_eq!(graph.labels["L"], [graph.entry].into());
    assert_eq!(graph.entry, Loc::At(0));
}

#[test]
fn generated_programs_have_discipline_words_or_none() {
    let mut runner = TestRunner::deterministic();
    let kinds = [
        (samples().boxed(), true),
        (second_samples().boxed(), true),
        (samples_with(Disciplines::Omitted).boxed(), false),
    ];
    for (samples, written) in kinds {
        for _ in 0..200 {
            let sample = samples.new_tree(&mut runner).expect("a sample").current();
            let layout = System::new(&sample.program).layout;
            assert!(!written || layout.wordless.is_empty(), "{sample:?}");
            assert!(written || layout.protected.is_empty(), "{sample:?}");
            let spoken = ["protected", "unprotected"].map(|word| sample.source.contains(word));
            assert!(written || spoken == [false, false], "{sample:?}");
        }
    }
}

/// The values of the named cells.
fn values(system: &System, state: &State, names: &[&str]) -> Vec<i64> {
    let cells = system.layout.cells.iter();
    let cell = |name: &&str| cells.clone().position(|cell| cell.name == *name);
    names
        .iter()
        .map(|name| state.cells[cell(name).expect("a cell")])
        .collect()
}

/// Takes the only step of the first thread so many times.
fn after(system: &System, steps: usize) -> State {
    let mut state = system.initial().remove(0);
    for _ in 0..steps {
        let mut all = system.steps(&state, 0);
        assert_eq!(all.len(), 1);
        state = all.remove(0).target;
    }
    state
}

#[test]
fn a_waiting_thread_saves_how_often_it_held_its_mutex() {
    let (m, c) = (|| object(0), || object(1));
    let objects = vec![
        declared("m", Kind::Reentrant(3), None),
        declared("c", Kind::Cond, None),
    ];
    let wait = StmtKind::Wait(c(), m()).into();
    let program = self::objects(objects, vec![vec![lock(m()), lock(m()), wait]]);
    let system = System::new(&program);
    let names = ["m.owner", "m.depth", "m.saved[0]", "c.waiting[0]"];
    let mut state = after(&system, 2);
    assert_eq!(values(&system, &state, &names), [0, 2, 0, 0]);
    state = after(&system, 3);
    assert_eq!(values(&system, &state, &names), [-1, 0, 2, 1]);
    assert!(system.steps(&state, 0).is_empty());
    *state.cells.last_mut().expect("c.waiting[0]") = 0;
    let woken = system.steps(&state, 0).remove(0).target;
    assert_eq!(values(&system, &woken, &names), [0, 2, 0, 0]);
    assert_eq!(woken.locations, [Loc::End]);
}

#[test]
fn an_index_outside_goes_wrong_instead_of_blocking() {
    let of = |kind: Kind, operation: fn(Place) -> StmtKind| {
        let place = cell(Root::Object(0), number(2));
        let body = vec![operation(place).into()];
        check(
            objects(vec![declared("o", kind, Some(2))], vec![body]),
            2,
            WRONG,
        );
    };
    of(Kind::Mutex, StmtKind::Lock);
    of(Kind::RwLock, StmtKind::WriteLock);
    of(
        Kind::Semaphore {
            highest: 1,
            initial: 0,
        },
        StmtKind::Down,
    );
    of(Kind::Barrier(2), StmtKind::Await);
    of(Kind::Cond, StmtKind::NotifyAll);
    let who = Expr::Hidden(object(0), Hidden::Reading(Box::new(number(1))));
    check(
        objects(one("l", Kind::RwLock), vec![vec![assert(who)]]),
        2,
        WRONG,
    );
}

#[test]
fn procedures_call_procedures() {
    // `proc bump(d)` as above, `proc twice(): 0..2 { var s: 0..2 = 1; s = bump(s); if (s == 1) { return 2; } return s; }`
    let s = || {
        Place::from(Root::Frame {
            procedure: 1,
            variable: 0,
        })
    };
    let early = StmtKind::Return(Some(number(2))).into();
    let twice = Procedure {
        name: "twice".to_owned(),
        variables: vec![variable("s", Type::Range(0, 2), Some(1))],
        parameters: 0,
        result: Some(Type::Range(0, 2)),
        body: vec![
            call(Some(s()), vec![read(s())]),
            StmtKind::If(Expr::eq(read(s()), number(1)), vec![early], Vec::new()).into(),
            StmtKind::Return(Some(read(s()))).into(),
        ],
    };
    let called = |place| StmtKind::Call {
        result: place,
        procedure: 1,
        arguments: Vec::new(),
    };
    let mut program = calling(bump(), vec![called(Some(var(1))).into()]);
    program.procedures.push(twice);
    // The call sets `s`, the inner call `d`; `t`, `x`, the inner `return` to `s`; the condition; `return`.
    let system = System::new(&program);
    let names = ["x", "y", "a.bump.d", "a.bump.t", "a.twice.s"];
    assert_eq!(values(&system, &after(&system, 0), &names), [0, 0, 0, 0, 1]);
    assert_eq!(values(&system, &after(&system, 2), &names), [0, 0, 1, 0, 1]);
    assert_eq!(values(&system, &after(&system, 5), &names), [1, 0, 1, 0, 0]);
    let end = after(&system, 7);
    assert_eq!(values(&system, &end, &names), [1, 0, 1, 0, 0]);
    assert_eq!(end.locations, [Loc::End]);
}

#[test]
fn a_call_goes_wrong_in_the_middle_of_its_assignments() {
    let mut procedure = bump();
    procedure.parameters = 2;
    let program = calling(procedure, vec![call(None, vec![number(1), number(3)])]);
    let system = System::new(&program);
    let state = after(&system, 1);
    assert_eq!(state.locations, [Loc::Wrong]);
    assert_eq!(values(&system, &state, &["a.bump.d", "a.bump.t"]), [1, 0]);
}

#[test]
fn a_result_is_assigned_where_the_call_says() {
    // `z[d]` is the caller's `d`-th cell: the index is evaluated when the procedure returns, before the value.
    let mut program = calling(
        bump(),
        vec![call(
            Some(cell(Root::Shared(2), read(var(0)))),
            vec![number(1)],
        )],
    );
    let mut z = shared("z", Type::Range(0, 1), Discipline::Unprotected);
    z.variable.size = Some(2);
    program.shared.push(z);
    program.shared[0].variable.initial = Some(1);
    // `x` is 2 when it returns: outside.
    check(program.clone(), 5, WRONG);
    program.shared[0].variable.initial = Some(0);
    check(program, 5, FINE);
}
