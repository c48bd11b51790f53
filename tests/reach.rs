//! `coarsen reach`: all engines and orders against the interpreter, and the interpreter against the naive twin.

use crate::{random, shipped, twin};

use coarsen::base::control::ParseLimits;
use coarsen::base::control::{Budget, Control};
use coarsen::command::reach::{Engine, Order};
use coarsen::engine::compiled::Mode;
use coarsen::engine::diagrams::{
    Engine as Diagrams, Formulas, Relations, Space, Strategy, Way, events,
};
use coarsen::engine::reach::{Outcome, Question, Reduction, Settings, Sort, diagrams, enumerate};
use coarsen::engine::{Heuristic, explore};
use coarsen::model::program::{Expr, Program};
use coarsen::results::{Note, ReachReport, Status, Verdict};
use coarsen::theorem::prepare;
use coarsen::{ReachOptions, Session, theory};
use num_bigint::BigUint;
use proptest::prelude::*;

use twin::generate::samples;

const ON_DIAGRAMS: [Engine; 3] = [Engine::Saturation, Engine::Chaining, Engine::Worklist];

fn run(session: &Session, options: &ReachOptions) -> ReachReport {
    let theory = theory("stoller-cohen").expect("shipped");
    session.reach(&theory, options, &Control::default())
}

/// Everything asked: deadlocks and all properties of the model.
fn everything(session: &Session, engine: Engine) -> ReachOptions {
    let declared = session.program().properties.iter();
    ReachOptions {
        engine,
        deadlock: true,
        invariants: declared.map(|p| p.name.clone()).collect(),
        ..ReachOptions::default()
    }
}

/// What engines have to agree on.
fn told(report: &ReachReport) -> impl PartialEq + std::fmt::Debug + use<> {
    let answers: Vec<(String, Status)> = report
        .questions
        .iter()
        .map(|q| (q.name.clone(), q.verdict))
        .collect();
    (
        report.verdict,
        report.states.clone(),
        report.visited.clone(),
        report.deadlocks.clone(),
        answers,
    )
}

/// All engines and orders agree with the interpreter, and every question that was met has an execution.
fn agree(session: &Session, reduced: bool, stress: bool) -> ReachReport {
    let reference = ReachOptions {
        reduced,
        ..everything(session, Engine::Interpreter)
    };
    let expected = run(session, &reference);
    assert!(!expected.is_contradicted(), "{}", expected.reason);
    let check = |options: ReachOptions| {
        let report = run(session, &options);
        assert!(!report.is_contradicted(), "{}", report.reason);
        assert_eq!(told(&report), told(&expected), "{options:?}");
        for (mine, other) in report.questions.iter().zip(&expected.questions) {
            assert_eq!(mine.trace.is_some(), other.trace.is_some(), "{}", mine.name);
        }
    };
    for engine in ON_DIAGRAMS {
        for (heuristic, ..) in Heuristic::ALL {
            check(ReachOptions {
                order: Order::By(heuristic),
                stress,
                ..ReachOptions {
                    engine,
                    ..reference.clone()
                }
            });
        }
        check(ReachOptions {
            engine,
            facts: false,
            ..reference.clone()
        });
    }
    for engine in [Engine::Auto, Engine::Bdd] {
        check(ReachOptions {
            engine,
            ..reference.clone()
        });
    }
    for (search, cores) in [(Mode::Breadth, 1), (Mode::Breadth, 3), (Mode::Depth, 1)] {
        check(ReachOptions {
            engine: Engine::Explicit,
            search,
            cores,
            ..reference.clone()
        });
    }
    expected
}

#[test]
fn all_engines_agree_on_the_shipped_models() {
    for model in shipped::some() {
        let session = model.load(&[]);
        let report = agree(&session, false, false);
        let original = explore(session.program(), &Control::default()).expect("no limit");
        assert_eq!(
            report.states,
            Some(original.states.to_string()),
            "{}",
            model.name
        );
        assert_eq!(
            report.deadlocks != Some("0".into()),
            original.deadlock,
            "{}",
            model.name
        );
    }
}

/// The engines on a reduced system whose visible steps are found once.
fn reduced_outcomes(program: &Program, reduction: &Reduction) -> Vec<Outcome> {
    let control = Control::default();
    let questions = [Question {
        name: "deadlock".into(),
        sort: Sort::Deadlock,
        expr: Expr::TRUE,
    }];
    let on_diagrams = [Strategy::Saturation, Strategy::Chaining, Strategy::Worklist];
    let settings = on_diagrams.map(|strategy| Settings {
        strategy,
        order: Heuristic::Interaction.order(program),
        facts: true,
        operations: u64::MAX,
        reduction: Some(reduction.clone()),
        stress: false,
        keep: false,
    });
    let mut all = vec![enumerate(
        program,
        &questions,
        Some(reduction),
        usize::MAX,
        &control,
    )];
    all.extend(
        settings
            .iter()
            .map(|s| diagrams(program, &questions, s, &control)),
    );
    all
}

#[test]
fn the_reduced_system_is_the_one_that_check_explores() {
    let theory = theory("stoller-cohen").expect("shipped");
    for model in shipped::some() {
        let session = model.load(&[]);
        let (_, prepared) = prepare(
            &model.name,
            session.program(),
            &theory,
            &[],
            &Control::default(),
        );
        let prepared = prepared.expect("no limit");
        let reduction = Reduction {
            visible: prepared.visible,
            when_blocked: prepared.when_blocked,
            inside: usize::MAX,
        };
        let states = model.report(false).states;
        for outcome in reduced_outcomes(&prepared.program, &reduction) {
            let count = |n: Option<BigUint>| n.map(|n| n.to_string());
            assert_eq!(
                (count(outcome.states), count(outcome.visited)),
                (states.reduced.clone(), states.visited.clone()),
                "{} {}",
                model.name,
                outcome.engine
            );
        }
    }
}

#[test]
fn the_reduced_system_is_asked_for_by_an_option() {
    for name in ["stoller_cohen/two_locks_barrier", "classic/locked_ring"] {
        let model = shipped::model(name);
        let report = agree(&model.load(&[]), true, false);
        assert_eq!(report.theorem.as_deref(), Some("stoller-cohen"));
        assert_eq!(report.states, model.report(false).states.reduced);
    }
}

#[test]
fn all_engines_agree_on_random_programs() {
    let mut runner = random::runner(60);
    let result = runner.run(&samples(), |sample| {
        let (session, _) = Session::load("sample", &sample.source, &[], ParseLimits::default())
            .expect("the sample is well typed");
        let report = agree(&session, false, true);
        let model = sample.model();
        let states = twin::explore::original(&model).states;
        prop_assert_eq!(
            report.states,
            Some(twin::explore::count(&states).to_string())
        );
        agree(&session, true, true);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

fn philosophers(name: &str, n: usize) -> Session {
    shipped::model(name).load(&[("N", n as i64)])
}

/// The reachable states on diagrams, modulo a prime.
fn modulo(session: &Session, prime: u64) -> u64 {
    let program = session.program();
    let order = Heuristic::Interaction.order(program);
    let space = Space::new(program, order);
    let control = Control::default();
    let mut relations = Relations::new(Formulas::new(space.ranges()));
    let events = events(&space, &mut relations, &control).expect("no limit");
    let mut engine = Diagrams::new(relations, &control);
    // Every cell has an initial value.
    let first: Vec<i64> = program
        .cells
        .iter()
        .map(|c| c.initial.expect("one"))
        .collect();
    let at: Vec<usize> = program.threads.iter().map(|t| t.initial).collect();
    let state = coarsen::engine::State::new(&first, &at);
    let values: Vec<Vec<u32>> = space.values(&state).into_iter().map(|v| vec![v]).collect();
    let initial = engine.product(&values).expect("no limit");
    let relations: Vec<_> = events.iter().map(|e| e.rel).collect();
    let way = Way {
        strategy: Strategy::Saturation,
        facts: false,
        history: false,
    };
    let closed = engine.close(initial, &relations, way).expect("no limit");
    engine.count_modulo(closed.set, prime).expect("no limit")
}

#[test]
fn philosophers_are_counted_exactly() {
    let options = ReachOptions {
        engine: Engine::Saturation,
        deadlock: true,
        ..ReachOptions::default()
    };
    // a(n) = 2 a(n-1) + a(n-2), from a(2) = 6, a(3) = 14: (1 + sqrt 2)^n + (1 - sqrt 2)^n.
    let (mut before, mut present) = (BigUint::from(6u32), BigUint::from(14u32));
    for n in 3..=64 {
        let report = run(&philosophers("classic/philosophers", n), &options);
        let states = BigUint::from(3u32).pow(n as u32) - 1u32;
        assert_eq!(report.states, Some(states.to_string()), "N = {n}");
        assert_eq!(report.deadlocks.as_deref(), Some("1"));
        assert_eq!(report.questions[0].trace_length, Some(n.to_string()));
        let report = run(&philosophers("classic/philosophers_atomic", n), &options);
        assert_eq!(report.states, Some(present.to_string()), "N = {n}");
        let next = &present * 2u32 + &before;
        before = std::mem::replace(&mut present, next);
    }
}

#[test]
fn many_philosophers_are_counted_modulo_a_prime() {
    const PRIME: u64 = (1 << 61) - 1;
    let n = 16_384;
    let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64;
    let three = (0..n).fold(1, |product, _| times(product, 3));
    assert_eq!(
        modulo(&philosophers("classic/philosophers", n), PRIME),
        three - 1
    );
    let (_, atomic) = (3..n).fold((6, 14), |(a, b), _| (b, (times(b, 2) + a) % PRIME));
    assert_eq!(
        modulo(&philosophers("classic/philosophers_atomic", n), PRIME),
        atomic
    );
}

#[test]
fn a_deadlock_of_a_thousand_philosophers_has_an_execution() {
    let options = ReachOptions {
        deadlock: true,
        ..ReachOptions::default()
    };
    let report = run(&philosophers("classic/philosophers", 1000), &options);
    assert_eq!(report.verdict, Verdict::Refuted);
    assert_eq!(report.questions[0].trace_length.as_deref(), Some("1000"));
    assert!(report.questions[0].trace.is_some());
}

#[test]
fn limits_of_nodes_states_and_operations_name_themselves() {
    let session = philosophers("classic/philosophers", 12);
    let theory = theory("stoller-cohen").expect("shipped");
    let with = |engine, nodes, states, operations| {
        let control = Control::new(Budget {
            nodes,
            states,
            ..Budget::default()
        });
        let options = ReachOptions {
            engine,
            operations,
            ..ReachOptions::default()
        };
        session.reach(&theory, &options, &control)
    };
    let many = usize::MAX;
    for (report, option) in [
        (with(Engine::Saturation, 100, many, None), "--limit-nodes"),
        (with(Engine::Auto, 100, 100, None), "--limit-"),
        (with(Engine::Explicit, many, 100, None), "--limit-states"),
        (
            with(Engine::Explicit, many, many, Some(100)),
            "--limit-operations",
        ),
        (with(Engine::Bdd, 100, many, None), "--limit-nodes"),
        (with(Engine::Interpreter, many, 100, None), "--limit-states"),
        (
            with(Engine::Worklist, many, many, Some(100)),
            "--limit-operations",
        ),
        (
            with(Engine::Auto, many, many, Some(100)),
            "--limit-operations",
        ),
    ] {
        assert_eq!(report.verdict, Verdict::Unknown);
        assert_eq!((&report.states, &report.deadlocks), (&None, &None));
        let hit = report.limits.hit.expect("a limit was hit").to_string();
        assert!(hit.contains(option), "{hit}");
        assert!(report.limits.so_far.is_some());
    }
}

#[test]
fn an_order_may_be_given() {
    let session = shipped::model("classic/peterson").load(&[]);
    let mut names = session.order_names(&Heuristic::Declared.order(session.program()));
    names.reverse();
    let text = names.join("\n");
    let order = session.order_from(&text).expect("all variables");
    assert_eq!(session.order_names(&order), names);
    let options = ReachOptions {
        engine: Engine::Saturation,
        order: Order::Given("mine".into(), order),
        ..ReachOptions::default()
    };
    let report = run(&session, &options);
    let expected = run(&session, &everything(&session, Engine::Interpreter));
    assert_eq!(
        (report.states, report.order.as_deref()),
        (expected.states, Some("mine"))
    );
    let without = text.split_once('\n').expect("several").1;
    for (wrong, why) in [
        (format!("{text}\nnobody"), "there is no variable `nobody`"),
        (format!("{text}\n{}", names[0]), "stands there twice"),
        (without.to_string(), "is missing"),
    ] {
        let error = session.order_from(&wrong).expect_err("no order");
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn the_same_question_has_the_same_answer_byte_for_byte() {
    for name in ["classic/locked_ring", "section6/memory_reuse_annotated"] {
        let session = shipped::model(name).load(&[]);
        let once = || {
            let mut report = run(&session, &everything(&session, Engine::Auto));
            report.timing = Default::default();
            serde_json::to_string(&report).expect("JSON")
        };
        assert_eq!(once(), once());
    }
}

/// A violation of the discipline ends the exploration behind it, and what was not found is not said to be unreachable.
#[test]
fn nothing_is_unreachable_behind_a_violation() {
    let text = "mutex m; var x: 0..1 = 0 protected x by m; var done: bool = false unprotected;
        thread a { x = 1; done = true; } reach over: done;";
    let (session, _) = Session::load("m", text, &[], ParseLimits::default()).expect("a model");
    for engine in ON_DIAGRAMS
        .into_iter()
        .chain([Engine::Bdd, Engine::Interpreter])
    {
        let report = run(&session, &everything(&session, engine));
        assert_eq!(report.states.as_deref(), Some("2"), "{engine:?}");
        let over = report
            .questions
            .iter()
            .find(|q| q.name == "over")
            .expect("asked");
        assert_eq!(over.verdict, Status::Unknown, "{engine:?}");
    }
}

/// In the reduced system the two threads are never inside their steps at once, unless that is asked about.
#[test]
fn a_lemma_that_is_asked_about_is_not_hidden_by_the_reduction() {
    let text = "mutex m; mutex n;
        var x: 0..1 = 0 protected x by m; var y: 0..1 = 0 protected y by n;
        thread a { lock(m); x = 1; x = 0; unlock(m); }
        thread b { lock(n); y = 1; y = 0; unlock(n); }
        lemma apart: x + y < 2;";
    let (session, _) = Session::load("m", text, &[], ParseLimits::default()).expect("a model");
    for (reduced, engine) in [
        (false, Engine::Auto),
        (true, Engine::Auto),
        (true, Engine::Bdd),
        (true, Engine::Interpreter),
    ] {
        let options = ReachOptions {
            reduced,
            engine,
            invariants: vec!["apart".into()],
            ..ReachOptions::default()
        };
        let report = run(&session, &options);
        assert_eq!(report.verdict, Verdict::Refuted, "{reduced} {engine:?}");
        assert!(report.questions[0].trace.is_some());
    }
}

/// Arbitrary values of different types in one action, and one that ends in a cell of a wider type.
#[test]
fn arbitrary_values_keep_their_ranges() {
    for text in [
        "var n: 0..1 = 0 unprotected; var w: 0..8 = 0 unprotected;
         thread t { while (true) { either { atomic { havoc n; w = n; n = 0; } } or { atomic { havoc w; havoc n; } } } }
         reach high: w == 7 && n == 1;",
        "var n: 0..1 = 0 unprotected; var w: 0..8 = 0 unprotected; thread t { atomic { havoc n; w = n; n = 0; } }
         reach high: w > 1;",
        "var a: 0..1 = 0 unprotected; var b: 0..8 = 0 unprotected; var c: 0..2 = 0 unprotected;
         thread t { atomic { havoc a; havoc c; } atomic { havoc b; havoc a; c = a; } } reach high: b == 8 && c == 1;",
    ] {
        let (session, _) = Session::load("m", text, &[], ParseLimits::default()).expect("a model");
        agree(&session, false, false);
    }
}

/// More paths through an action than are kept apart, and a condition with more disjuncts than are looked at as they
/// stand.
#[test]
fn all_engines_agree_on_merged_paths_and_long_conditions() {
    let text = "const N = 10;
        var a[N]: 0..1 = 0 unprotected; var s: 0..5 = 0 unprotected;
        thread t(i in 0..1) { while (true) {
            either { atomic { s = 0; for (k in 0..N-1) { if (a[k] == 1) { s = s + 1; } } } }
            or { a[i] = 1; a[i + 2] = 1; } or { a[i + 4] = 1; a[i + 6] = 1; } or { a[i + 8] = 1 - a[i]; }
        } }
        reach some: exists (k in 0..N-1) a[k] == 1 && a[N-1-k] == 0;
        invariant few: forall (k in 0..N-1) a[k] == 0 || s < 5;";
    let (session, _) = Session::load("m", text, &[], ParseLimits::default()).expect("a model");
    agree(&session, false, false);
}

/// Everything that an event may have to decide about: computed indices, failures, choices, arbitrary values that
/// matter.
#[test]
fn all_engines_agree_where_actions_have_many_paths() {
    let text = "const N = 3;
        var a[N]: 0..2 = 0 unprotected; var i: 0..3 = 0 unprotected; var s: 0..6 = 0 unprotected;
        thread t {
            while (true) {
                atomic { havoc i; a[i] = (a[i] + 1) % 3; }
                atomic { s = 0; for (k in 0..2) { if (a[k] == 1) { s = s + 1; } if (a[k] == 2) { s = s + 2; } } }
                either { assert(a[a[0]] < 2 || s > 3); } or { i = i / a[1]; }
            }
        }
        thread u { while (true) { when (a[0] > 0 && 6 / a[0] == 3) a[0] = 0; } }
        invariant small: s < 6; reach full: s == 6 && a[i] == 2;";
    let (session, _) = Session::load("m", text, &[], ParseLimits::default()).expect("a model");
    agree(&session, false, true);
}

fn loaded(source: &str) -> Session {
    match Session::load("m.cor", source, &[], ParseLimits::default()) {
        Ok((session, _)) => session,
        Err(diagnostics) => panic!("{diagnostics:?}"),
    }
}

/// Many conditionals in a row need no deeper stack, on any core.
#[test]
fn the_explicit_engine_runs_long_blocks_on_several_cores() {
    let source = "var b[12]: bool; var x: 0..3 = 0;
        thread a { atomic { for (k in 0..9999) { if (b[k % 12]) { x = k % 4; } } } }";
    let options = ReachOptions {
        engine: Engine::Explicit,
        cores: 2,
        ..ReachOptions::default()
    };
    assert_eq!(run(&loaded(source), &options).states, Some("8192".into()));
}

/// The limits hold inside the steps of one state and among the candidates for initial states, too.
#[test]
fn the_explicit_engine_keeps_limits_everywhere() {
    let wide = "var x: 0..9999999 = 0; thread a { havoc x; }";
    let many = "var z[9]: 0..9; thread a { z[0] = 1; }";
    for source in [wide, many] {
        let session = loaded(source);
        let theory = theory("stoller-cohen").expect("shipped");
        let control = Control::new(Budget {
            nodes: usize::MAX,
            states: 1000,
            ..Budget::default()
        });
        let options = ReachOptions {
            engine: Engine::Explicit,
            ..ReachOptions::default()
        };
        let report = session.reach(&theory, &options, &control);
        let hit = report.limits.hit.expect("the limit").to_string();
        assert!(hit.contains("--limit-states"), "{hit}");
        let so_far = report.limits.so_far.and_then(|s| s.states);
        let met: u64 = so_far.and_then(|n| n.parse().ok()).expect("how far it got");
        assert!(met < 100_000, "{met}");
    }
}

/// The recount says nothing where the interpreter, or the engine, had to stop.
#[test]
fn a_recount_that_was_cut_short_is_no_contradiction() {
    let many = "var x: 0..99999; init x == 5; thread a { skip; }";
    let report = run(&loaded(many), &ReachOptions::default());
    assert!(!report.is_contradicted(), "{}", report.reason);
    assert_eq!(report.states, Some("2".into()));
    let late = "var x: 0..15 = 0; var y: 0..15 = 0;
        thread a { while (true) { x = (x + 1) % 16; } } thread b { while (true) { y = (y + 3) % 16; } }";
    let session = loaded(late);
    let find = session
        .state_expression("x == y + 7")
        .expect("an expression");
    for operations in 60..200 {
        let options = ReachOptions {
            engine: Engine::Saturation,
            find: vec![("x == y + 7".into(), find.clone())],
            deadlock: true,
            operations: Some(operations),
            ..ReachOptions::default()
        };
        let report = run(&session, &options);
        assert!(!report.is_contradicted(), "{operations}: {}", report.reason);
    }
}

/// A state that a violating step meets first is reached by a longer execution, too; neither is called a shortest one.
#[test]
fn nothing_is_called_shortest_behind_a_violation() {
    let source = "mutex m; var x: 0..3 = 0 protected by m;
        thread a { either { x = 1; } or { lock(m); x = 2; x = 3; x = 1; unlock(m); } }";
    let session = loaded(source);
    let find = session
        .state_expression("x == 1 && at(a, end)")
        .expect("an expression");
    for engine in [Engine::Explicit, Engine::Interpreter] {
        let options = ReachOptions {
            engine,
            find: vec![("f".into(), find.clone())],
            ..ReachOptions::default()
        };
        let report = run(&session, &options);
        let length = report.questions[0].trace_length.clone();
        let longer = |n: &Note| matches!(n, Note::PerhapsLonger { .. });
        let noted = report.notes.iter().any(longer);
        assert!(noted || length == Some("1".into()), "{length:?}");
    }
}

/// What the models expect, an exploration of all states finds, by two engines; and what it speaks of is not nothing.
#[test]
fn exploration_meets_what_the_models_expect() {
    let mut met = 0;
    for m in shipped::models() {
        let session = m.load(&[]);
        for engine in [Engine::Explicit, Engine::Saturation] {
            let report = run(
                &session,
                &ReachOptions {
                    engine,
                    expect: true,
                    ..ReachOptions::default()
                },
            );
            for line in &report.expectations {
                assert_eq!(line.met, Some(true), "{}: {line:?}", m.name);
                met += 1;
            }
        }
    }
    assert!(met > 200, "{met}");
}
