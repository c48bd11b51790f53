//! The naive twin checks itself, without the tool, on programs whose meaning and numbers are known.

use crate::twin;

use std::collections::BTreeSet;

use twin::ast::{
    Discipline, Expr, NOBODY, Op, Place, Program, Property, Root, StateKind, Stmt, StmtKind, Type,
};
use twin::ast::{Family, Variable};
use twin::compile::Loc;
use twin::examples::{
    assign, cell, local, lock, philosophers, program, read, shared, skip, thread,
};
use twin::examples::{turn_taken_away, two_locks_barrier, unlock, var, when};
use twin::explore::is_deadlock;
use twin::generate::Sample;
use twin::semantics::{State, Step, System};
use twin::verdict::{Counts, Judged, Rung, Status, Verdict};
use twin::visibility::Reason;

fn mutex(number: usize) -> Place {
    Place::from(Root::Object(number))
}

#[test]
fn section_7_has_106_original_and_62_reduced_states() {
    let Judged {
        model,
        reasons,
        answer,
    } = Judged::new(&two_locks_barrier());
    assert_eq!(answer.rung, Rung::True);
    let Counts {
        original, reduced, ..
    } = answer.counts();
    assert_eq!((original, reduced), (106, 62));
    assert_eq!(answer.verdict, Verdict::Holds);
    for (graph, reasons) in model.system.graphs.iter().zip(&reasons) {
        let invisible = |at: &BTreeSet<Loc>| {
            at.iter()
                .any(|at| matches!(at, Loc::At(location) if reasons[*location].is_empty()))
        };
        let invisible: Vec<&String> = graph
            .labels
            .iter()
            .filter(|(_, at)| invisible(at))
            .map(|(label, _)| label)
            .collect();
        assert_eq!(invisible, ["B", "E", "I"]);
    }
}

#[test]
fn philosophers_have_three_to_the_n_minus_one_states_and_one_deadlock() {
    for count in 2..=5 {
        let Judged { model, answer, .. } = Judged::new(&philosophers(count));
        assert_eq!(answer.counts().original, 3_usize.pow(count as u32) - 1);
        assert_eq!(
            answer.counts().reduced,
            answer.counts().original,
            "every step is visible"
        );
        let deadlocks = answer
            .original_visible
            .iter()
            .filter(|state| is_deadlock(&model, **state));
        assert_eq!(deadlocks.count(), 1);
        assert_eq!(answer.property("deadlock_free"), Status::Refuted);
    }
}

#[test]
fn the_printed_example_is_the_text_of_the_design() {
    let sample = Sample::new(two_locks_barrier());
    let expected = "\
enum tone { low, high }
mutex m[2];
var x[2]: 0..1 = 0 protected x[k] by ((m[k].owner == self) || ((y == 2) && (self == k)));
var y: 0..2 = 0 unprotected;
thread worker(i in 0..1) {
    A: lock(m[0]);
    B: x[0] = i;
    C: unlock(m[0]);
    D: lock(m[1]);
    E: x[1] = i;
    F: unlock(m[1]);
    G: y = (y + 1);
    H: when ((y == 2)) skip;
    I: x[i] = i;
}
";
    assert_eq!(sample.source, expected);
    let lines: Vec<usize> = sample.program.families[0]
        .body
        .iter()
        .map(|stmt| stmt.line)
        .collect();
    assert_eq!(lines, (6..=14).collect::<Vec<usize>>());
}

/// The steps of the first thread, whose body is one statement, from the initial state with other values of `x`, `y`.
fn steps_of(stmt: Stmt, ty: Type, values: [i64; 2]) -> Vec<Step> {
    let [x, y] = ["x", "y"].map(|name| shared(name, ty, Discipline::lock(mutex(0))));
    let system = System::new(&program(&["m"], vec![x, y], vec![thread("a", vec![stmt])]));
    let mut state = system.initial().remove(0);
    state.cells[..2].copy_from_slice(&values);
    system.steps(&state, 0)
}

/// Values of `x` and `y`, the place, and the accesses of the only step.
fn only_step(stmt: Stmt, ty: Type, values: [i64; 2]) -> (Vec<i64>, Loc, Vec<usize>) {
    let steps = steps_of(stmt, ty, values);
    let [
        Step {
            target: State { cells, locations },
            reads,
            writes,
        },
    ] = steps.as_slice()
    else {
        panic!("{} steps", steps.len())
    };
    (
        cells[..2].to_vec(),
        locations[0],
        reads.union(writes).copied().collect(),
    )
}

#[test]
fn assignments_wrap_or_go_wrong() {
    let (x, y) = (|| var(0), || read(var(1)));
    let minus = |operand| Expr::binary(Op::Sub, Expr::Int(1), operand);
    let range = Type::Range(0, 2);
    assert_eq!(
        only_step(assign(x(), minus(y())), range, [2, 1]),
        (vec![0, 1], Loc::End, vec![0, 1])
    );
    assert_eq!(
        only_step(assign(x(), minus(y())), range, [1, 2]),
        (vec![1, 2], Loc::Wrong, vec![1])
    );
    assert_eq!(
        only_step(assign(x(), minus(y())), Type::Mod(3), [0, 2]),
        (vec![2, 2], Loc::End, vec![0, 1])
    );
    let quotient = Expr::binary(Op::Div, Expr::Int(1), y());
    assert_eq!(
        only_step(assign(x(), quotient), range, [0, 0]),
        (vec![0, 0], Loc::Wrong, vec![1])
    );
}

#[test]
fn division_is_euclidean() {
    for (left, right, quotient, remainder) in
        [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1)]
    {
        let is = |op, value| {
            Expr::eq(
                Expr::binary(op, Expr::Int(left), Expr::Int(right)),
                Expr::Int(value),
            )
        };
        let claim = Expr::and(is(Op::Div, quotient), is(Op::Rem, remainder));
        assert_eq!(
            only_step(StmtKind::Assert(claim).into(), Type::Bool, [0, 0]).1,
            Loc::End
        );
    }
}

#[test]
fn an_atomic_block_that_goes_wrong_keeps_what_it_wrote() {
    let overflow = assign(var(1), Expr::binary(Op::Add, read(var(1)), Expr::Int(1)));
    let block = StmtKind::Atomic(vec![
        assign(var(0), Expr::Int(1)),
        overflow,
        assign(var(0), Expr::Int(0)),
    ]);
    assert_eq!(
        only_step(block.into(), Type::Range(0, 1), [0, 1]),
        (vec![1, 1], Loc::Wrong, vec![0, 1])
    );
}

#[test]
fn accesses_are_those_of_the_path_taken() {
    let [x, y] = [0, 1].map(|number| Expr::eq(read(var(number)), Expr::Int(1)));
    let both = |x: &Expr, y: &Expr| StmtKind::Assert(Expr::or(x.clone(), y.clone())).into();
    assert_eq!(
        only_step(both(&x, &y), Type::Range(0, 1), [1, 0]),
        (vec![1, 0], Loc::End, vec![0])
    );
    assert_eq!(
        only_step(both(&x, &y), Type::Range(0, 1), [0, 0]),
        (vec![0, 0], Loc::Wrong, vec![0, 1])
    );
    let branches = |then, otherwise| {
        StmtKind::Atomic(vec![StmtKind::If(Expr::Bool(true), then, otherwise).into()])
    };
    let block = branches(
        vec![assign(var(0), Expr::Int(1))],
        vec![assign(var(1), Expr::Int(1))],
    );
    assert_eq!(
        only_step(block.into(), Type::Range(0, 1), [0, 0]),
        (vec![1, 0], Loc::End, vec![0])
    );
}

#[test]
fn guards_and_locks_block() {
    let guard = || Expr::eq(read(var(0)), Expr::Int(1));
    assert!(steps_of(when(guard(), skip()), Type::Range(0, 1), [0, 0]).is_empty());
    assert!(steps_of(StmtKind::Assume(guard()).into(), Type::Range(0, 1), [0, 0]).is_empty());
    let locked = StmtKind::Atomic(vec![lock(mutex(0)), unlock(mutex(0)), unlock(mutex(0))]);
    assert_eq!(
        only_step(locked.into(), Type::Bool, [0, 0]).1,
        Loc::Wrong,
        "the second `unlock` is not the owner's"
    );
    let system = System::new(&program(
        &["m"],
        Vec::new(),
        vec![thread("a", vec![lock(mutex(0))])],
    ));
    let mut state = system.initial().remove(0);
    assert_eq!(state.cells, [NOBODY]);
    state.cells[0] = 0;
    assert!(
        system.steps(&state, 0).is_empty(),
        "a mutex held by oneself blocks, too"
    );
}

#[test]
fn constant_conditions_and_either_have_no_step_of_their_own() {
    let labelled = |label: &str, mut stmt: Stmt| {
        stmt.labels.push(label.to_owned());
        stmt
    };
    let first = StmtKind::If(
        Expr::eq(Expr::Index, Expr::Int(0)),
        vec![skip()],
        Vec::new(),
    )
    .into();
    let choice = StmtKind::Either(vec![
        vec![skip(), skip()],
        vec![skip()],
        vec![lock(mutex(0))],
    ])
    .into();
    let body = vec![labelled("A", first), labelled("B", choice)];
    let workers = Family {
        name: "worker".to_owned(),
        members: Some(2),
        locals: Vec::new(),
        body,
        line: 0,
    };
    let system = System::new(&program(&["m"], Vec::new(), vec![workers]));
    let [zero, one] = system.graphs.as_slice() else {
        panic!("two workers")
    };
    assert_eq!((zero.locations.len(), one.locations.len()), (3, 2));
    assert_ne!(zero.labels["A"], zero.labels["B"]);
    assert_eq!(one.labels["A"], one.labels["B"]);
    let initial = system.initial().remove(0);
    assert_eq!(
        (
            system.steps(&initial, 0).len(),
            system.steps(&initial, 1).len()
        ),
        (1, 3)
    );
}

#[test]
fn a_forgotten_lock_is_a_violation_inside_a_step() {
    let x = shared("x", Type::Bool, Discipline::lock(mutex(0)));
    let access = || assign(var(0), Expr::negate(read(var(0))));
    let careful = thread("a", vec![lock(mutex(0)), access(), unlock(mutex(0))]);
    let careless = thread("b", vec![lock(mutex(0)), unlock(mutex(0)), access()]);
    let Judged { answer, .. } = Judged::new(&program(&["m"], vec![x], vec![careful, careless]));
    assert_eq!(answer.rung, Rung::True);
    assert_eq!(answer.property("discipline"), Status::Refuted);
    assert_eq!(answer.property("assertions"), Status::Unknown);
    assert_eq!(answer.verdict, Verdict::Refuted);
}

#[test]
fn a_predicate_taken_away_refutes_15() {
    let Judged { answer, .. } = Judged::new(&turn_taken_away());
    let refuted: Vec<usize> = (0..8)
        .filter(|number| answer.hypothesis(*number) == Status::Refuted)
        .collect();
    assert_eq!(refuted, [4], "only (15)");
    assert_eq!(answer.verdict, Verdict::HypothesisRefuted);
    assert_eq!(
        answer.property("discipline"),
        Status::Unknown,
        "the reduced system does not see the violation"
    );
}

#[test]
fn predicates_that_overlap_are_a_violation() {
    let x = |predicate| shared("x", Type::Bool, Discipline::predicate(predicate));
    let y = shared("y", Type::Bool, Discipline::Unprotected);
    let raise = || thread("a", vec![assign(var(1), Expr::Bool(true))]);
    let judged = |predicate| {
        let families = vec![raise(), thread("b", vec![skip()])];
        Judged::new(&program(&[], vec![x(predicate), y.clone()], families)).answer
    };
    let initially = judged(Expr::negate(read(var(1))));
    assert_eq!(
        initially.counts(),
        Counts {
            original: 1,
            reduced: 1,
            visited: 1
        }
    );
    assert_eq!(initially.property("discipline"), Status::Refuted);
    let later = judged(read(var(1)));
    assert_eq!(
        later.counts(),
        Counts {
            original: 4,
            reduced: 2,
            visited: 4
        }
    );
    assert_eq!(later.property("discipline"), Status::Refuted);
}

/// A critical section with a local loop, run by two workers.
fn with_loop(stops: Expr, step: Stmt) -> Program {
    let x = shared("x", Type::Range(0, 1), Discipline::lock(mutex(0)));
    let turn = StmtKind::While(stops, vec![step]).into();
    let body = vec![
        lock(mutex(0)),
        turn,
        assign(var(0), read(local())),
        unlock(mutex(0)),
    ];
    let t = Variable {
        name: "t".to_owned(),
        ty: Type::Range(0, 1),
        size: None,
        initial: Some(0),
    };
    let workers = Family {
        name: "worker".to_owned(),
        members: Some(2),
        locals: vec![t],
        body,
        line: 0,
    };
    program(&["m"], vec![x], vec![workers])
}

#[test]
fn one_step_of_an_endless_loop_is_made_visible() {
    let cycles = |program: &Program| -> Vec<usize> {
        let Judged {
            reasons, answer, ..
        } = Judged::new(program);
        assert!(answer.applies());
        let repaired = |steps: &Vec<BTreeSet<Reason>>| {
            steps
                .iter()
                .filter(|reasons| reasons.contains(&Reason::Cycle))
                .count()
        };
        reasons.iter().map(repaired).collect()
    };
    let waits = || Expr::eq(read(local()), Expr::Int(0));
    assert_eq!(cycles(&with_loop(waits(), skip())), [1, 1]);
    assert_eq!(
        cycles(&with_loop(waits(), assign(local(), Expr::Int(1)))),
        [0, 0]
    );
}

#[test]
fn a_step_that_leaves_a_bad_state_is_made_visible() {
    let mut program = with_loop(Expr::Bool(false), skip());
    let access = |value| assign(var(0), Expr::Int(value));
    program.families[0].body = vec![lock(mutex(0)), access(1), access(0), unlock(mutex(0))];
    let zero = Expr::eq(read(var(0)), Expr::Int(0));
    let hides = |program: &Program| {
        let Judged {
            reasons, answer, ..
        } = Judged::new(program);
        let hiding = reasons
            .iter()
            .flatten()
            .filter(|reasons| reasons.contains(&Reason::Hides))
            .count();
        (hiding, answer.properties[2..].to_vec())
    };
    assert_eq!(hides(&program), (0, Vec::new()));
    let (kind, name) = (StateKind::Invariant, "P".to_owned());
    program.properties = vec![Property::State {
        kind,
        name: name.clone(),
        expr: zero.clone(),
    }];
    assert_eq!(hides(&program), (2, vec![(name.clone(), Status::Refuted)]));
    let (kind, expr) = (StateKind::Reach, Expr::negate(zero));
    program.properties = vec![Property::State {
        kind,
        name: name.clone(),
        expr,
    }];
    assert_eq!(hides(&program), (2, vec![(name, Status::Holds)]));
}

#[test]
fn a_predicate_with_an_error_is_false() {
    let mut x = shared("x", Type::Bool, Discipline::lock(mutex(0)));
    x.variable.size = Some(2);
    let y = shared("y", Type::Range(0, 2), Discipline::Unprotected);
    let bump = assign(var(1), Expr::binary(Op::Add, read(var(1)), Expr::Int(2)));
    let mut program = program(&["m"], vec![x, y], vec![thread("a", vec![bump])]);
    let expr = Expr::negate(read(cell(Root::Shared(0), read(var(1)))));
    let property = |kind, name: &str| Property::State {
        kind,
        name: name.to_owned(),
        expr: expr.clone(),
    };
    program.properties = vec![property(StateKind::Invariant, "I")];
    assert_eq!(
        Judged::new(&program).answer.property("I"),
        Status::Refuted,
        "`!x[y]` is false where `y` is 2"
    );
    program.families[0].body = vec![skip()];
    assert_eq!(Judged::new(&program).answer.property("I"), Status::Holds);
}
