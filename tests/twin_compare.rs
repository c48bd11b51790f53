//! The comparison of the tool with the twin can fail: a report that says what the twin says passes, any other does not.

use crate::{random, twin};

use coarsen::results::{Hypothesis, Property, PropertyKind, Report, Status, Step, Verdict};
use proptest::strategy::{Strategy, ValueTree};

use twin::ast::{Discipline, Expr, Procedure, Program, Stmt, StmtKind, Type};
use twin::compare::{contradictions, differences, tool_status, tool_verdict};
use twin::compile::Loc;
use twin::examples::{assign, lock, object, program, shared, thread, unlock, var};
use twin::examples::{philosophers, turn_taken_away, two_locks_barrier};
use twin::generate::{Sample, samples, second_samples};
use twin::theorem::HYPOTHESES;
use twin::verdict::{Judged, Rung};

/// The report that agrees with the twin on everything.
fn report(judged: &Judged) -> Report {
    let Judged {
        model,
        reasons,
        answer,
    } = judged;
    let (mut visible, mut invisible) = (Vec::new(), Vec::new());
    for (i, graph) in model.system.graphs.iter().enumerate() {
        for (number, location) in graph.locations.iter().enumerate() {
            let label = graph
                .labels
                .iter()
                .find(|(_, at)| at.contains(&Loc::At(number)));
            let step = Step {
                thread: model.system.program.thread_name(i),
                location: label.map_or(format!("line {}", location.line), |(label, _)| {
                    label.clone()
                }),
                line: location.line,
                column: 1,
                text: String::new(),
                reasons: Vec::new(),
            };
            if reasons[i][number].is_empty() {
                invisible.push(step)
            } else {
                visible.push(step)
            }
        }
    }
    let hypothesis = |number: usize| Hypothesis {
        id: HYPOTHESES[number].to_owned(),
        formula: String::new(),
        words: coarsen::results::Demand::Theory(String::new()),
        status: tool_status(answer.hypothesis(number)),
        instances: String::new(),
        evidence: coarsen::results::Evidence::Undecided,
        discharge: coarsen::results::Discharge::None,
        facts: "0".into(),
        vacuous: false,
        invariant: None,
        contradiction: None,
        witness: None,
        excluded: Vec::new(),
    };
    let property = |(name, status): &(String, twin::verdict::Status)| Property {
        kind: match name.as_str() {
            "discipline" => PropertyKind::Discipline,
            "assertions" => PropertyKind::Assertions,
            "deadlock_free" => PropertyKind::DeadlockFree,
            _ => PropertyKind::Invariant,
        },
        verdict: tool_status(*status),
        ..Property::undecided(name, PropertyKind::Invariant)
    };
    let invariant = match answer.rung {
        Rung::True => Some(coarsen::results::Rung::True),
        Rung::Reachable => Some(coarsen::results::Rung::Reachable),
        Rung::None => None,
    };
    let counts = answer.counts();
    Report {
        verdict: tool_verdict(answer.verdict),
        hypotheses: (0..HYPOTHESES.len()).map(hypothesis).collect(),
        states: coarsen::results::States {
            original: Some(counts.original.to_string()),
            reduced: Some(counts.reduced.to_string()),
            visited: Some(counts.visited.to_string()),
        },
        properties: answer.properties.iter().map(property).collect(),
        visible,
        invisible,
        invariant,
        ..Report::undecided("", "stoller-cohen")
    }
}

fn judged(program: Program) -> Judged {
    Judged::new(&Sample::new(program).program)
}

#[test]
fn a_report_that_agrees_has_no_differences() {
    for program in [two_locks_barrier(), philosophers(3), turn_taken_away()] {
        let judged = judged(program);
        assert_eq!(
            differences(&judged.model, &report(&judged)),
            Vec::<String>::new()
        );
    }
    let mut runner = random::runner(1);
    for number in 0..random::cases(200) {
        let kind = match number % 2 {
            0 => samples().boxed(),
            _ => second_samples().boxed(),
        };
        let sample = kind
            .new_tree(&mut runner)
            .expect("few samples are rejected")
            .current();
        let judged = Judged::new(&sample.program);
        assert_eq!(
            differences(&judged.model, &report(&judged)),
            Vec::<String>::new(),
            "{sample:?}"
        );
    }
}

#[test]
fn only_a_definite_answer_contradicts() {
    let judged = judged(philosophers(3));
    let mut report = report(&judged);
    assert_eq!(contradictions(&judged.model, &report), Vec::<String>::new());
    let deadlock_free = report.properties.len() - 1;
    report.properties[deadlock_free].verdict = Status::Unknown;
    assert_eq!(contradictions(&judged.model, &report), Vec::<String>::new());
    report.properties[deadlock_free].verdict = Status::Holds;
    assert_eq!(contradictions(&judged.model, &report).len(), 1);
    report.properties.pop();
    assert_eq!(contradictions(&judged.model, &report).len(), 1);
}

/// `work` twice, the copies on the same lines.
fn called_twice() -> Program {
    let mut access = assign(var(0), Expr::Bool(true));
    access.labels.push("L".to_owned());
    let call = || -> Stmt {
        StmtKind::Call {
            result: None,
            procedure: 0,
            arguments: Vec::new(),
        }
        .into()
    };
    let body = vec![lock(object(0)), call(), call(), unlock(object(0))];
    let work = Procedure {
        name: "work".to_owned(),
        variables: Vec::new(),
        parameters: 0,
        result: None,
        body: vec![access, StmtKind::Skip.into()],
    };
    let x = shared("x", Type::Bool, Discipline::lock(object(0)));
    Program {
        procedures: vec![work],
        ..program(&["m"], vec![x], vec![thread("a", body)])
    }
}

#[test]
fn copies_of_a_step_may_be_named_apart() {
    let judged = judged(called_twice());
    let mut report = report(&judged);
    assert_eq!(differences(&judged.model, &report), Vec::<String>::new());
    let mut number = 0;
    for step in report.visible.iter_mut().chain(&mut report.invisible) {
        number += 1;
        step.location += &format!(" #{number}");
    }
    // Where there is one step on a line, a second name is none of its names.
    let wrong = differences(&judged.model, &report);
    assert!(
        wrong.iter().all(|wrong| !wrong.contains("at L #")),
        "{wrong:?}"
    );
    assert!(wrong.iter().any(|wrong| wrong.contains("no such step")));
}

#[test]
fn every_change_of_the_report_is_a_difference() {
    let judged = judged(two_locks_barrier());
    type Change = fn(&mut Report);
    let changes: [(&str, Change); 14] = [
        ("hypothesis (14)", |report| {
            report.hypotheses[3].status = Status::Unknown
        }),
        ("hypotheses", |report| drop(report.hypotheses.pop())),
        ("invariant", |report| {
            report.invariant = Some(coarsen::results::Rung::Reachable)
        }),
        ("original states", |report| report.states.original = None),
        ("reduced states", |report| {
            report.states.reduced = Some("63".to_owned())
        }),
        ("visited states", |report| {
            report.states.visited = Some("0".to_owned())
        }),
        ("property discipline", |report| {
            report.properties[0].verdict = Status::Refuted
        }),
        ("properties", |report| drop(report.properties.pop())),
        ("verdict", |report| report.verdict = Verdict::Unknown),
        ("missing in the report", |report| {
            drop(report.invisible.pop())
        }),
        ("no such step", |report| {
            report.visible[0].location = "B".to_owned()
        }),
        ("need not be visible", |report| {
            report.visible.push(report.invisible.remove(0))
        }),
        ("must be visible", |report| {
            report.invisible.push(report.visible.remove(0))
        }),
        ("listed twice", |report| {
            report.invisible.push(report.visible[0].clone())
        }),
    ];
    for (expected, change) in changes {
        let mut report = report(&judged);
        change(&mut report);
        let found = differences(&judged.model, &report);
        assert!(
            found.iter().any(|difference| difference.contains(expected)),
            "{expected}: {found:?}"
        );
    }
}
