//! The naive twin checks itself on the second part of the language: each synchronisation object, `start` and `join`,
//! and each discipline in a small program whose states can be counted by hand, as the comments do.

use crate::{random, twin};

use proptest::strategy::{Strategy, ValueTree};

use twin::ast::*;
use twin::compile::Loc;
use twin::examples::*;
use twin::expect::{FINE, STUCK, WRONG, after, check, values};
use twin::generate::{Disciplines, samples, samples_with, second_samples};
use twin::semantics::System;
use twin::verdict::{Judged, Rung, Status};

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
    // the third comes and waits: from the 6 states 6 more (waiting for the leaving of the first, the third waits), but
    // in those the third's `waiting` is set, and 3 in the end: 1 + 3 + 6 + 3 + 6 + 3.
    check(objects(barrier(2), vec![meet(), meet(), meet()]), 22, STUCK);
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
    // It waits for nothing, so that is no deadlock.
    check(of(vec![unexecuted.into()], vec![skip()]), 2, WRONG);
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
        read: None,
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
fn what_a_flag_publishes_is_read_by_all() {
    let published = || read(var(1));
    let discipline = || Discipline::Protected {
        by: By::Predicate(Expr::and(
            Expr::eq(Expr::Self_, number(0)),
            Expr::negate(published()),
        )),
        read: Some(published()),
        init: None,
    };
    let set = || assign(var(0), number(1));
    let publish = || assign(var(1), Expr::Bool(true));
    let look = || assert(Expr::eq(read(var(0)), read(var(0))));
    let waits = || vec![when(published(), skip()), look()];
    let of = |bodies| shared_by(vec![], discipline(), bodies);
    assert_eq!(of([vec![set(), publish(), look()], waits()]), Status::Holds);
    assert_eq!(of([vec![set(), publish()], vec![look()]]), Status::Refuted);
    assert_eq!(of([vec![publish(), set()], waits()]), Status::Refuted);
    assert_eq!(
        of([vec![publish()], vec![when(published(), skip()), set()]]),
        Status::Refuted
    );
}

#[test]
fn while_some_thread_initialises_only_its_predicate_counts() {
    let initialising = || Expr::and(Expr::negate(read(var(1))), Expr::eq(Expr::Self_, number(0)));
    let discipline = |init: bool| Discipline::Protected {
        by: By::Lock(object(0)),
        read: None,
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
    let mut runner = random::runner(1);
    let kinds = [
        (samples().boxed(), true),
        (second_samples().boxed(), true),
        (samples_with(Disciplines::Omitted).boxed(), false),
    ];
    for (samples, written) in kinds {
        for _ in 0..random::cases(200) {
            let sample = samples.new_tree(&mut runner).expect("a sample").current();
            let layout = System::new(&sample.program).layout;
            assert!(!written || layout.wordless.is_empty(), "{sample:?}");
            assert!(written || layout.protected.is_empty(), "{sample:?}");
            let spoken = ["protected", "unprotected"].map(|word| sample.source.contains(word));
            assert!(written || spoken == [false, false], "{sample:?}");
        }
    }
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
