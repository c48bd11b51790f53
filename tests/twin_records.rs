//! The naive twin checks itself on records, pools, references and procedures, in small programs whose states can be
//! counted by hand, as the comments do.

use crate::twin;

use twin::ast::*;
use twin::compile::Loc;
use twin::examples::*;
use twin::expect::{FINE, WRONG, after, check, values};
use twin::generate::Sample;
use twin::semantics::System;
use twin::verdict::{Judged, Status};

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

#[test]
fn records_may_be_local_and_nested() {
    // `record pair { x: 0..1; y[2]: bool = true; }`, `record outer { inner: pair; }`, `var s: outer;` in a thread.
    let mut y = shared("y", Type::Bool, Discipline::Omitted);
    y.variable.size = Some(2);
    y.variable.initial = Some(1);
    let x = Shared {
        variable: variable("x", Type::Range(0, 1), None),
        discipline: Discipline::Omitted,
    };
    let inner = Shared {
        variable: variable("inner", Type::Record(0), None),
        discipline: Discipline::Omitted,
    };
    let record = |name: &str, fields: Vec<Shared>| Record {
        name: name.to_owned(),
        fields: fields.into_iter().map(Field::Data).collect(),
    };
    let pair = || local().field(1, 0);
    let second = Place {
        index: Some(Box::new(read(pair().field(0, 0)))),
        ..pair().field(0, 1)
    };
    // The step is invisible, and every array has an index that the initial value of `x` chooses.
    let body = vec![skip(), assign(second, Expr::Bool(false))];
    let mut program = Program {
        records: vec![record("pair", vec![x, y]), record("outer", vec![inner])],
        ..program(&[], Vec::new(), vec![thread("a", body)])
    };
    program.families[0]
        .locals
        .push(variable("s", Type::Record(1), None));
    let Judged {
        model,
        reasons,
        answer,
    } = Judged::new(&program);
    let cells = model.system.layout.cells.iter();
    let names: Vec<&str> = cells.map(|cell| cell.name.as_str()).collect();
    assert_eq!(names, ["a.s.inner.x", "a.s.inner.y[0]", "a.s.inner.y[1]"]);
    assert!(reasons[0][1].is_empty());
    // Two values of `x`, three places.
    assert_eq!(answer.counts().original, 6);
    assert!(
        Sample::new(program)
            .source
            .contains("s.inner.y[s.inner.x] = false;")
    );
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
    // One slot for two threads: the first gets it, the second null. Nobody has asked: 1. `a` has asked first: it has
    // two places, `b` three (not yet, null, wrong); and the other way round: 2 * 6.
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
fn procedures_call_procedures() {
    // `proc bump(d)` as above, `proc twice(): 0..2 { var s: 0..2 = 1; s = bump(s); if (s == 1) { return 2; } return s;
    // }`
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
