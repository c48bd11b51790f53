//! Searches on diagrams that run out of operations and go on find what others find at once.

use super::question::{Question, Sort};
use super::symbolic::{Model, Settings, answer};
use super::{Answer, Blocked, Outcome, Reduction};
use crate::base::control::{Control, ParseLimits, Stop};
use crate::engine::Heuristic;
use crate::engine::diagrams::{Strategy, Way};
use crate::model::program::elaborate;
use crate::model::program::{Expr, Program};
use crate::model::text::parse_model;
use std::mem::discriminant;

const ALL: [Strategy; 3] = [Strategy::Saturation, Strategy::Chaining, Strategy::Worklist];

const PROGRAMS: [&str; 3] = [
    "mutex m; var top: 0..2 = 0; var data[2]: 0..3 = 0; const N = 3;
     thread w(i in 0..N-1) { var t: 0..3 = 0; while (true) {
       lock(m); if (top < 2) { data[top] = i + 1; top = top + 1; } unlock(m);
       lock(m); if (top > 0) { top = top - 1; t = data[top]; } unlock(m); } }
     reach full: top == 2 && data[0] == 3;",
    "var x: 0..30 = 0; var y: 0..30 = 0; var z: bool;
     thread a { while (true) { when (x != y + 1) x = (x + 1) % 31; } }
     thread b { while (true) { y = (y + 3) % 31; assert(y != 12); } }
     reach far: x == 29 && y == 2; reach never: x == 7 && y == 7 && x != y;",
    "const N = 4; semaphore asked[N]: 0..1 = 0; semaphore ready[N]: 0..1 = 0; mutex m; var r: 0..2 = 0;
     thread user(i in 0..N-1) { while (true) { up(asked[i]); down(ready[i]); } }
     thread driver(i in 0..N-1) { while (true) { down(asked[i]);
       lock(m); r = 1; r = 2; r = 0; unlock(m); up(ready[i]); } }
     reach all_ready: forall (i in 0..N-1) ready[i].value == 1;",
];

fn program(source: &str) -> Program {
    let (tree, errors) = parse_model(source, ParseLimits::default());
    assert!(errors.is_empty(), "{errors:?}");
    elaborate(&tree, source, &[]).expect("a program").0
}

fn questions(program: &Program) -> Vec<Question> {
    let deadlock = Question {
        name: "deadlock".into(),
        sort: Sort::Deadlock,
        expr: Expr::TRUE,
    };
    let found = program.properties.iter().map(|p| Question {
        name: p.name.clone(),
        sort: Sort::Find,
        expr: p.expr.clone(),
    });
    std::iter::once(deadlock).chain(found).collect()
}

fn settings(program: &Program, strategy: Strategy, reduction: Option<Reduction>) -> Settings {
    Settings {
        strategy,
        order: Heuristic::Interaction.order(program),
        facts: true,
        operations: u64::MAX,
        reduction,
        stress: false,
        keep: false,
    }
}

/// What is found with so many operations at first, and half as many again each time; and how often that was.
fn found(program: &Program, settings: &Settings, operations: u64) -> (Outcome, usize) {
    let control = Control::default();
    let questions = questions(program);
    let mut settings = Settings {
        operations,
        ..settings.clone()
    };
    let (mut model, mut turns) = (None, 0);
    loop {
        let outcome = answer(program, &questions, &settings, &control, &mut model);
        turns += 1;
        let cut_short = |a: &Answer| *a == Answer::Somewhere(Stop::Operations);
        if outcome.stopped.is_none() && !outcome.answers.iter().any(cut_short) {
            return (outcome, turns);
        }
        settings.operations += settings.operations / 2;
    }
}

/// Every other step of each thread is invisible.
fn reduction(program: &Program) -> Reduction {
    let visible = program.threads.iter().map(|t| {
        let all = 0..t.locations.len();
        all.map(|l| l % 2 == 0 || t.locations[l].edges.is_empty())
            .collect()
    });
    Reduction {
        visible: visible.collect(),
        when_blocked: Blocked::Ends,
        inside: 0,
    }
}

/// Compares a search that is interrupted with one that is not. How often it was.
fn compared(program: &Program, settings: &Settings, few: u64) -> usize {
    let (whole, turns) = found(program, settings, u64::MAX);
    assert_eq!(turns, 1);
    let (parts, turns) = found(program, settings, few);
    let what = format!("{settings:?} {few}");
    assert_eq!(parts.states, whole.states, "{what}");
    assert_eq!(parts.visited, whole.visited, "{what}");
    assert_eq!(parts.deadlocks, whole.deadlocks, "{what}");
    assert_eq!(parts.wrong, whole.wrong, "{what}");
    assert_eq!(parts.violated, whole.violated, "{what}");
    // Chaining begins with the first event again, so another one may be the first to lead somewhere.
    match settings.strategy {
        Strategy::Saturation => assert_eq!(parts.answers, whole.answers, "{what}"),
        _ => {
            let found = |o: &Outcome| -> Vec<_> { o.answers.iter().map(discriminant).collect() };
            assert_eq!(found(&parts), found(&whole), "{what}");
        }
    }
    // What leads to the operation that was cut short may have to be looked up again.
    let (parts, whole) = (parts.operations.unwrap_or(0), whole.operations.unwrap_or(0));
    let most = match settings.strategy {
        Strategy::Saturation => whole + whole / 4,
        _ => 2 * whole,
    };
    let most = most + few;
    assert!(parts <= most, "{what}: {parts} {whole}");
    turns - 1
}

#[test]
fn whoever_is_interrupted_goes_on() {
    let mut interrupted = 0;
    for (source, small) in PROGRAMS.iter().zip([false, true, false]) {
        let program = program(source);
        for strategy in ALL {
            for stress in [false, true].into_iter().take(1 + usize::from(small)) {
                let mut settings = settings(&program, strategy, None);
                settings.stress = stress;
                for few in [100, 700] {
                    settings.reduction = None;
                    interrupted += compared(&program, &settings, few);
                    settings.reduction = Some(reduction(&program));
                    interrupted += compared(&program, &settings, few);
                }
            }
        }
    }
    assert!(interrupted > 100, "{interrupted}");
}

/// What was recorded while firing took long is what firing again says.
#[test]
fn a_record_of_firing_is_the_firing() {
    let (mut recorded, mut explained) = (0, 0);
    for source in PROGRAMS {
        let program = program(source);
        let control = Control::default();
        let mut settings = settings(&program, Strategy::Saturation, None);
        let mut found = Vec::new();
        for (history, stress) in [(true, false), (true, true), (false, false)] {
            settings.stress = stress;
            let mut model = Model::new(&program, &settings, &control).expect("small");
            let fine = model.relations(false, |_| true);
            let way = Way {
                strategy: Strategy::Saturation,
                facts: true,
                history,
            };
            let closed = model.engine.close(model.initial, &fine, way);
            let closed = closed.expect("no limit");
            model.engine.keep_closed(&closed);
            let closure = closed.closure.expect("of a saturation");
            let logs = model.engine.recorded(closure);
            assert!(history || logs == 0);
            recorded += logs;
            let mut steps = Vec::new();
            for question in questions(&program) {
                let sets = (closed.set, model.violated);
                let met = question.among(&model.space, &mut model.engine, sets);
                if let Some(target) = model.engine.pick(met.expect("no limit")) {
                    let way = model.engine.explain(closure, model.initial, &target);
                    let way = way.expect("no limit").expect("an execution");
                    steps.push((way.first, way.steps));
                }
            }
            explained += steps.len();
            found.push(steps);
        }
        assert_eq!(found[0], found[2]);
        assert_eq!(found[1], found[2]);
    }
    assert!(recorded > 0 && explained > 4, "{recorded} {explained}");
}
