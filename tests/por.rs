//! `coarsen reach --por`: every technique sees what single threads can come to, and deadlocks.

#[path = "por/classes.rs"]
mod classes;
#[path = "por/command.rs"]
mod command;
#[path = "por/judge.rs"]
pub(crate) mod judge;
#[path = "por/naive.rs"]
pub(crate) mod naive;
#[path = "por/reduced.rs"]
mod reduced;
#[path = "por/waiting.rs"]
mod waiting;
#[path = "por/waits.rs"]
mod waits;

use crate::{loops, random, shipped, twin};

use coarsen::base::control::ParseLimits;
use coarsen::base::control::{Budget, Control, Stop};
use coarsen::command::reach::Engine;
use coarsen::engine::State;
use coarsen::engine::Variable;
use coarsen::engine::partial_order::{Por, Reduced, Technique, explore};
use coarsen::engine::reach::{Answer, Question, Sort};
use coarsen::model::program::{Expr, Program};
use coarsen::model::text::ast::BinaryOp;
use coarsen::results::{ReachReport, Status};
use coarsen::{ReachOptions, Session, theory};
use judge::combinations;
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;

fn control() -> Control {
    Control::new(Budget {
        states: 300_000,
        ..Budget::default()
    })
}

fn loaded(source: &str) -> Option<Session> {
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    loaded.ok().map(|(session, _)| session)
}

fn find(expr: Expr) -> Question {
    Question {
        name: "asked".into(),
        sort: Sort::Find,
        expr,
    }
}

fn deadlock() -> Question {
    Question {
        name: "deadlock".into(),
        sort: Sort::Deadlock,
        expr: Expr::TRUE,
    }
}

fn both(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b))
}

/// A thread, its location, and the values of its variables.
type Local = (usize, usize, Vec<(usize, i64)>);

fn is(cell: usize, value: i64) -> Expr {
    let constant = Box::new(Expr::Const(value));
    Expr::Binary(BinaryOp::Eq, Box::new(Expr::Cell(cell)), constant)
}

/// Everything that a thread by itself might be: a question for each local state, reachable or not.
fn local_questions(p: &Program, states: &[State]) -> Vec<Question> {
    let mut all: BTreeSet<Local> = BTreeSet::new();
    for (t, thread) in p.threads.iter().enumerate() {
        let met: BTreeSet<Vec<(usize, i64)>> =
            states.iter().map(|s| naive::local(p, s, t).1).collect();
        for l in 0..thread.locations.len() {
            all.extend(met.iter().map(|own| (t, l, own.clone())));
        }
    }
    let asked = all.into_iter().map(|(t, l, own)| {
        let at = Expr::At(t, vec![l]);
        find(own.into_iter().fold(at, |e, (c, v)| both(e, is(c, v))))
    });
    asked.collect()
}

/// The state with some changes.
fn after(p: &Program, state: &State, changes: &[(Variable, i64)]) -> State {
    let mut cells: Vec<i64> = (0..p.cells.len()).map(|c| state.cell(c)).collect();
    let mut locations: Vec<usize> = (0..p.threads.len()).map(|t| state.location(t)).collect();
    for &(v, value) in changes {
        match v {
            Variable::Cell(c) => cells[c] = value,
            Variable::Location(t) => locations[t] = value as usize,
        }
    }
    State::new(&cells, &locations)
}

/// Compares answers with all reachable states; false if the technique was not for this program.
fn compare(
    p: &Program,
    por: &Por,
    asked: &[Question],
    states: &[State],
) -> Result<bool, TestCaseError> {
    let Reduced {
        outcome, refused, ..
    } = explore(p, asked, por, None, (5_000, &control()));
    let name = por.name();
    let bug = refused.as_ref().is_some_and(|r| r.contains("bug"));
    prop_assert!(!bug, "{name}: {refused:?}");
    let whole = refused.is_none() && outcome.stopped.is_none();
    for (question, answer) in asked.iter().zip(&outcome.answers) {
        let is_met = |s: &State| question.met(p, s);
        let expected = states.iter().any(is_met);
        match answer {
            Answer::Found(path) => {
                prop_assert!(expected, "{name} makes up {question:?}");
                let mut last = path.first.clone();
                for m in &path.moves {
                    let next = after(p, &last, &m.after);
                    let steps = naive::pending(p, &last, m.thread).0;
                    prop_assert!(steps.contains(&next), "{name}: no such step");
                    last = next;
                }
                prop_assert!(is_met(&last), "{name}: the execution leads elsewhere");
            }
            Answer::Nowhere if whole => prop_assert!(!expected, "{name} misses {question:?}"),
            Answer::Nowhere | Answer::Somewhere(_) => {}
        }
    }
    if whole && let Some(found) = outcome.deadlocks {
        prop_assert_eq!(found, naive::deadlocks(p, states).into(), "{}", name);
    }
    if whole && let Some(explored) = outcome.states {
        prop_assert!(explored <= states.len().into(), "{name}");
    }
    Ok(whole)
}

/// All techniques on one program, with everything that is promised; how many were for it.
fn agree(source: &str) -> Result<usize, TestCaseError> {
    let Some(session) = loaded(source) else {
        return Ok(0);
    };
    let mut p = session.program().clone();
    p.protections.clear();
    let Some(states) = naive::reachable(&p, 3000) else {
        return Ok(0);
    };
    let locals = local_questions(&p, &states);
    let mut whole = 0;
    for por in combinations() {
        // Nothing but deadlocks asked, then all at once, then one property at a time.
        let mut fine = compare(&p, &por, &[deadlock()], &states)?;
        fine &= compare(&p, &por, &locals, &states)?;
        for property in &p.properties {
            let asked = find(property.expr.clone());
            let negated = find(Expr::Not(Box::new(property.expr.clone())));
            fine &= compare(&p, &por, &[asked], &states)?;
            fine &= compare(&p, &por, &[deadlock(), negated], &states)?;
        }
        whole += usize::from(fine);
    }
    Ok(whole)
}

/// Statements of threads that end: locks, guards, choices, compare-and-swap.
fn statement() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "lock(m); x = 1 - x; unlock(m);",
        "lock(m);",
        "unlock(m);",
        "lock(n); lock(m); unlock(m); unlock(n);",
        "lock(m); lock(n); y = x; unlock(n); unlock(m);",
        "x = 1;",
        "x = 0;",
        "y = 1;",
        "y = 1 - y;",
        "z = y;",
        "t = x;",
        "t = y;",
        "t = z;",
        "havoc t;",
        "a[t] = 1;",
        "t = a[1 - t];",
        "atomic { if (z == 0) { z = 1; t = 1; } else { t = 0; } }",
        "atomic { if (x == 1) z = y; }",
        "atomic { if (y == 0) { a[t] = x; } else { x = 0; } }",
        "when (x == 1) skip;",
        "when (y == 1 && z == 0) skip;",
        "when (t == 1 || x == 0) y = 0;",
        "either { x = 1; } or { y = 1; }",
        "either { when (x == 1) t = 1; } or { when (y == 1) t = 0; }",
        "either { when (x == 1) x = 0; } or { y = 1; }",
        "either { when (y == 0) t = 1; } or { when (z == 1) x = 1; } or { z = 1; }",
        "either { havoc x; } or { when (a[t] == 0) a[t] = 1; }",
        "either { lock(m); t = 1; unlock(m); } or { when (x == 1) t = y; }",
        "if (t == 1) { y = 1; } else { z = 0; }",
        "assert(x == 0);",
        "assert(t == 0 || y == 1);",
        "for (k in 1..2) { z = 1 - z; }",
        "skip;",
    ])
}

pub(crate) fn ending(
    threads: std::ops::Range<usize>,
    length: std::ops::Range<usize>,
) -> impl Strategy<Value = String> {
    let body = prop::collection::vec(statement(), length).prop_map(|all| all.join(" "));
    let property = prop::sample::select(vec![
        "reach far: x == 1 && y == 0;",
        "reach far: x == 1 && z == 1 && y == 1;",
        "reach far: at(p0, end) && at(p1, wrong);",
        "reach far: p0.t == 1 && p1.t == 1 && x == 0;",
        "invariant far: x == 0 || y == 0 || z == 0;",
    ]);
    (prop::collection::vec(body, threads), property, any::<bool>()).prop_map(|(bodies, property, open)| {
        let first = if open { "" } else { " = 0" };
        let mut text = format!(
            "mutex m; mutex n;\nvar x: 0..1{first} unprotected;\nvar y: 0..1 = 0 unprotected;\nvar z: 0..1 = 0 \
             unprotected;\nvar a[2]: 0..1 = 0 unprotected;\n"
        );
        for (n, body) in bodies.iter().enumerate() {
            text += &format!("thread p{n} {{ var t: 0..1 = 0; {body} }}\n");
        }
        text + property
    })
}

fn random(few: u32, programs: impl Strategy<Value = String>, least: usize) {
    let wholes = Cell::new(0);
    let mut runner = random::runner(few);
    runner
        .run(&programs, |source| {
            wholes.set(wholes.get() + agree(&source)?);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(
        random::enough(wholes.get(), least),
        "{} explorations were whole",
        wholes.get()
    );
}

#[test]
fn techniques_see_what_all_interleavings_show() {
    random(100, ending(2..4, 1..5), 400);
}

#[test]
fn programs_with_loops_as_well() {
    random(100, loops::programs(), 250);
}

#[test]
fn the_twins_programs_as_well() {
    random(60, twin::generate::samples().prop_map(|s| s.source), 60);
}

fn reach(session: &Session, options: &ReachOptions) -> ReachReport {
    let theory = theory("stoller-cohen").expect("shipped");
    session.reach(&theory, options, &control())
}

fn everything(session: &Session, por: Option<Por>) -> ReachOptions {
    let declared = session.program().properties.iter();
    ReachOptions {
        engine: Engine::Explicit,
        deadlock: true,
        invariants: declared.map(|p| p.name.clone()).collect(),
        operations: por.as_ref().map(|_| 20_000),
        por,
        ..ReachOptions::default()
    }
}

/// What was decided about each question has to be what the full exploration says; how many were decided.
fn same_answers(session: &Session, por: &Por) -> Result<usize, TestCaseError> {
    let full = reach(session, &everything(session, None));
    let some = reach(session, &everything(session, Some(por.clone())));
    prop_assert!(!some.is_contradicted(), "{}: {}", por.name(), some.reason);
    let mut decided = 0;
    for (mine, other) in some.questions.iter().zip(&full.questions) {
        let both = mine.verdict != Status::Unknown && other.verdict != Status::Unknown;
        decided += usize::from(both);
        prop_assert!(
            !both || mine.verdict == other.verdict,
            "{}: {}",
            por.name(),
            mine.name
        );
    }
    Ok(decided)
}

/// Filters and sleep sets on what ships (`compare` has the others), as far as the steps go.
#[test]
fn the_shipped_models() {
    use Technique as T;
    let mut decided = 0;
    for model in shipped::some() {
        let session = model.load(&[]);
        for techniques in [
            vec![T::Stubborn],
            vec![T::Sleep, T::LocalCycles],
            vec![T::SourceDpor],
            vec![T::SuperStep, T::NotSeenBefore, T::LocalCycles],
        ] {
            let por = Por {
                techniques,
                ..Por::default()
            };
            let answers = same_answers(&session, &por);
            decided += answers.unwrap_or_else(|e| panic!("{}: {e}", model.name));
        }
    }
    assert!(
        random::enough(decided, 200),
        "{decided} questions were decided"
    );
}

/// Section 7 of Stoller and Cohen 2003: 106 states, 77 by conditional stubborn sets there; 62 in the reduced system.
#[test]
fn two_locks_and_a_barrier() {
    let session = shipped::model("stoller_cohen/two_locks_barrier").load(&[]);
    for (technique, reduced, states) in [
        (Technique::Persistent, false, "26"),
        (Technique::Stubborn, false, "20"),
        (Technique::Persistent, true, "28"),
        (Technique::Stubborn, true, "24"),
    ] {
        let options = ReachOptions {
            por: Some(Por::only(technique)),
            reduced,
            ..ReachOptions::default()
        };
        let report = reach(&session, &options);
        assert_eq!(
            report.states.as_deref(),
            Some(states),
            "{}",
            technique.name()
        );
    }
}

/// A thread that waits in a loop for another one: without a remedy its executions do not end.
#[test]
fn a_loop_that_waits() {
    let source = "var go: 0..1 = 0 unprotected; var x: 0..1 = 0 unprotected;
        thread a { while (go == 0) { skip; } x = 1; }
        thread b { go = 1; assert(x == 0); }";
    let session = loaded(source).expect("a model");
    let p = session.program();
    let wrong = find(Expr::At(1, p.threads[1].wrong.into_iter().collect()));
    let run = |por: &Por| {
        explore(
            p,
            std::slice::from_ref(&wrong),
            por,
            None,
            (u64::MAX, &control()),
        )
    };
    let alone = run(&Por::only(Technique::SourceDpor));
    assert!(alone.refused.is_some_and(|r| r.contains("--depth")));
    let waiting = run(&Por {
        techniques: vec![Technique::SourceDpor, Technique::LocalCycles],
        ..Por::default()
    });
    assert_eq!(waiting.outcome.stopped, None);
    assert!(matches!(waiting.outcome.answers[0], Answer::Found(_)));
    let bounded = run(&Por {
        techniques: vec![Technique::SourceDpor],
        depth: Some(2),
        ..Por::default()
    });
    assert_eq!(bounded.outcome.stopped, Some(Stop::Depth));
    assert_eq!(bounded.outcome.answers[0], Answer::Nowhere);
}

/// A thread that is disabled is let go by a third one: what it does then has to be awaited, though it could do nothing
/// by itself.
#[test]
fn a_thread_is_let_go_by_a_third() {
    let source = "var x: 0..1 = 0 unprotected; var y: 0..1 = 0 unprotected;
        thread a { x = 1; }
        thread b { var t: 0..1 = 1; when (y == 1) t = x; assert(t == 1); }
        thread c { y = 1; }";
    all_find(source, 1);
}

/// Whatever may open a guard is done before a step that disturbs what is behind it: a step upwards, a constant, the
/// choice of another mutex.
#[test]
fn what_opens_a_guard_comes_before() {
    let guarded = [
        ("when (n > 0) skip;", "n = n + 1;"),
        ("when (n > 0) skip;", "n = 2;"),
        ("when (n < 2 && n > 0) skip;", "n = n + 1;"),
        ("when (x < 2 && n == 1) skip;", "n = 1;"),
    ];
    for (guard, opens) in guarded {
        all_find(
            &format!(
                "var x: 0..1 = 0 unprotected; var n: 0..2 = 0 unprotected;
                thread a {{ x = 1; }} thread b {{ {guard} assert(x == 1); }} thread c {{ {opens} }}"
            ),
            1,
        );
    }
}

/// A mutex is opened by who has it, and by who chooses another; both are in no hurry here, as a fourth thread disturbs
/// them, and the step that hides what is looked for could be taken alone.
#[test]
fn what_opens_a_mutex_comes_before() {
    let shared =
        "var g: 0..1 = 0 unprotected; var x: 0..1 = 0 unprotected; var y: 0..2 = 0 unprotected;";
    let given_back = "mutex m;
        thread a { lock(m); g = 1; y = 1; unlock(m); }
        thread b { when (g == 1) skip; lock(m); assert(x == 1); }
        thread c { when (g == 1) x = 1; }
        thread d { y = 2; }";
    let another = "mutex m[2]; var i: 0..1 = 0 unprotected;
        thread a { lock(m[0]); g = 1; x = 1; }
        thread b { when (g == 1) skip; lock(m[i]); assert(x == 1); }
        thread c { when (g == 1) y = 1; i = 1; }
        thread d { when (g == 1) y = 2; }";
    for source in [given_back, another] {
        all_find(&format!("{shared} {source}"), 1);
    }
}

/// A conjunct that is false closes nothing if one before it goes wrong.
#[test]
fn a_guard_that_fails_is_not_closed() {
    let source = "var z: 0..2 = 2 unprotected; var n: 0..1 = 0 unprotected;
        thread a { z = 0; z = 2; }
        thread b { when (1 / z == 1 && n == 1) skip; }";
    all_find(source, 1);
}

/// Who waits for a fork waits for the one who has it, whatever would be done then.
#[test]
fn only_what_must_come_before() {
    let session = shipped::model("classic/philosophers").load(&[("N", 8)]);
    for (technique, states) in [(Technique::Persistent, 312u32), (Technique::Stubborn, 58)] {
        let por = Por::only(technique);
        let found = explore(session.program(), &[], &por, None, (u64::MAX, &control()));
        assert_eq!(found.outcome.states, Some(states.into()));
    }
}

/// What only some orders show is found by all techniques for which executions end.
fn all_find(source: &str, thread: usize) {
    let session = loaded(source).expect("a model");
    let p = session.program();
    let wrong = find(Expr::At(
        thread,
        p.threads[thread].wrong.into_iter().collect(),
    ));
    for por in combinations() {
        let asked = std::slice::from_ref(&wrong);
        let found = explore(p, asked, &por, None, (u64::MAX, &control()));
        let met = matches!(found.outcome.answers[0], Answer::Found(_));
        assert!(met && found.refused.is_none(), "{}\n{source}", por.name());
    }
}

/// A thread that waits in a loop is let go when what it read is written: the execution in which it has waited ends as
/// the other one does.
#[test]
fn a_loop_that_waits_is_left() {
    let source = "var go: 0..1 = 0 unprotected; var x: 0..1 = 0 unprotected;
        thread a { while (go == 0) { skip; } x = 1; }
        thread b { go = 1; }";
    let session = loaded(source).expect("a model");
    for (technique, executions, steps) in [
        (Technique::SourceDpor, (2, 0), 8),
        (Technique::Sleep, (2, 1), 9),
    ] {
        let por = Por {
            techniques: vec![technique, Technique::LocalCycles],
            ..Por::default()
        };
        let found = explore(session.program(), &[], &por, None, (u64::MAX, &control()));
        assert_eq!(found.executions, Some(executions), "{}", por.name());
        assert_eq!(found.outcome.transitions, Some(steps), "{}", por.name());
    }
}

/// A guard that two threads have to open together, for a moment each.
#[test]
fn a_guard_opened_by_two() {
    all_find(
        "var x: 0..1 = 0 unprotected; var y: 0..1 = 0 unprotected;
         thread a { x = 1; x = 0; } thread b { y = 1; y = 0; }
         thread c { when (x == 1 && y == 1) skip; assert(x == 2); }",
        2,
    );
}

/// A thread that waits for a mutex and for something else can be let go without the owner.
#[test]
fn a_thread_waits_for_a_mutex_or_for_something_else() {
    all_find(
        "mutex m; var x: 0..2 = 0 unprotected; var y: 0..2 = 0 unprotected; var z: 0..1 = 0 unprotected;
         thread a { lock(m); y = 1; z = 1; y = 2; unlock(m); }
         thread b { var t: 0..2 = 0; either { lock(m); t = 2; unlock(m); } or { when (x == 1) skip; t = y; assert(t != \
         1); } }
         thread c { when (z == 1) x = 1; }",
        1,
    );
}

/// What sleeps when a step changes it, or closes it, had to come behind a step of a third thread, with which it has
/// nothing to do any more.
#[test]
fn what_sleeps_is_changed_before_a_third_thread_is_there() {
    let cells = "var x: 0..1 = 1 unprotected; var y: 0..1 = 0 unprotected; var z: 0..1 = 0 unprotected; var w: 0..1 = \
        0 unprotected; var g: 0..1 = 0 unprotected;";
    for first in [
        "atomic { if (x == 1) g = y; }",
        "either { when (z == 1) skip; } or { when (x == 1) g = y; }",
        "when (x == 1) g = y;",
    ] {
        let source = format!(
            "{cells} thread a {{ {first} }} thread b {{ w = 1; x = 0; z = 1; assert(g != 1); }} thread c {{ y = 1; }}"
        );
        all_find(&source, 1);
    }
}

/// A super step ends in front of a step that depends on an earlier one of another thread's, not only on its last.
#[test]
fn a_step_between_two_of_another_thread() {
    all_find(
        "var x: 0..2 = 0 unprotected; var y: 0..2 = 0 unprotected;
         thread a { x = 1; x = 2; }
         thread b { var t: 0..2 = 0; y = 1; t = x; assert(t != 1); }",
        1,
    );
}

/// While a mutex is held only its owner is looked at, whoever else may take it later: three states fewer.
#[test]
fn the_owner_of_a_mutex() {
    let source = "mutex m; var x: 0..2 = 0 unprotected; var z: 0..1 = 0 unprotected;
        thread a { lock(m); x = 1; x = 2; unlock(m); }
        thread b { lock(m); x = 0; unlock(m); }
        thread c { z = 1; lock(m); unlock(m); }
        thread d { z = 0; }";
    let session = loaded(source).expect("a model");
    let por = Por::only(Technique::Stubborn);
    let found = explore(session.program(), &[], &por, None, (u64::MAX, &control()));
    assert_eq!(found.outcome.states, Some(19u32.into()));
}

/// Each thread goes round once where the others stand still: 1 + 4 * 2 states of 81.
#[test]
fn threads_that_only_loop() {
    let source = "thread w(i in 0..3) { var k: 0..2 = 0; while (true) { k = (k + 1) % 3; } }";
    let session = loaded(source).expect("a model");
    let por = Por::only(Technique::Stubborn);
    let found = explore(session.program(), &[], &por, None, (u64::MAX, &control()));
    assert_eq!(found.outcome.states, Some(9u32.into()));
}

/// A thread that waits since it has come back to its own state is let go by what is to be reversed: that it goes on
/// then does not make it one that could begin the reversal.
#[test]
fn a_thread_that_waits_begins_nothing() {
    let source = "mutex m; var g: 0..1 = 0 unprotected; var x: 0..1 = 0 unprotected; var y: 0..1 = 0 unprotected;
        thread a { lock(m); }
        thread b { while (true) { g = 1 - g; atomic { lock(m); x = 1 - x; unlock(m); } } }
        thread c { y = 1; lock(m); assert(y == 0); }";
    let whole = agree(source).unwrap_or_else(|e| panic!("{e}"));
    assert!(whole > 0);
}

/// A thread comes back to its own state, but another one has noticed.
#[test]
fn a_cycle_that_is_noticed() {
    all_find(
        "var x: 0..1 = 0 unprotected;
         thread a { L: x = 1; when (x == 0) skip; goto L; }
         thread b { when (x == 1) x = 0; when (x == 1) x = 0; assert(x == 1); }",
        1,
    );
}

/// Where an error ends the system, a deadlock behind one is none.
#[test]
fn deadlocks_behind_an_error_are_not_asked_for() {
    let source = "byte t[2]; byte x = 0;
        process A { state a, b; init a; trans a -> b { effect t[x + 2] = 1; }; }
        process B { state a, b; init a; trans a -> b { guard x == 1; }; }
        system async;";
    let loaded = Session::load("m.dve", source, &[], ParseLimits::default());
    let (session, _) = loaded.expect("a model");
    for por in combinations() {
        let report = reach(&session, &everything(&session, Some(por.clone())));
        assert!(
            !report.is_contradicted(),
            "{}: {}",
            por.name(),
            report.reason
        );
        let hashed = por.techniques.contains(&Technique::NotSeenBeforeHashed);
        let expected = if hashed {
            Status::Unknown
        } else {
            Status::Holds
        };
        assert_eq!(report.questions[0].verdict, expected, "{}", por.name());
        assert_ne!(report.deadlocks.as_deref(), Some("1"), "{}", por.name());
    }
}
