//! What is executed, and what never is, against every state and step of the plain interpreter.

use crate::{random, shipped, twin};
use coarsen::Session;
use coarsen::base::control::{Control, ParseLimits};
use coarsen::command::coverage::coverage;
use coarsen::engine::{
    State, each_successor, holds, initial_candidates, initially_violated, is_initial, successors,
    violates,
};
use coarsen::model::program::{Expr, Program};
use coarsen::model::text::ast::{BinaryOp, PropertyKind};
use coarsen::results::Coverage;
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;
use twin::generate::samples;

/// What all states and steps have, one by one.
#[derive(Default)]
struct Naive {
    violated: bool,
    /// Threads that wait in a state from which none is reached in which they have a step.
    stuck: BTreeSet<String>,
    /// First lines and texts of statements.
    reached: BTreeSet<(usize, String)>,
    executed: BTreeSet<(usize, String)>,
    states: HashSet<State>,
}

fn naive(p: &Program) -> Naive {
    let mut all = Naive::default();
    let mut open: Vec<State> = initial_candidates(p).filter(|s| is_initial(p, s)).collect();
    while let Some(state) = open.pop() {
        if !all.states.insert(state.clone()) {
            continue;
        }
        let starts = is_initial(p, &state) && initially_violated(p, &state);
        all.violated |= starts;
        for (t, thread) in p.threads.iter().enumerate() {
            let edges = &thread.locations[state.location(t)].edges;
            let told = |n: usize| (p.line(edges[n].span), p.text(edges[n].span));
            all.reached.extend((0..edges.len()).map(told));
            let each = each_successor::<()>(p, &state, t, None, &mut |step| {
                all.violated |= violates(p, t, &state, &step);
                all.executed.insert(told(step.edge));
                open.push(step.state);
                ControlFlow::Continue(())
            });
            assert!(each.is_continue());
        }
    }
    for t in 0..p.threads.len() {
        if all.states.iter().any(|s| waits_for_ever(p, s, t)) {
            all.stuck.insert(p.threads[t].name.clone());
        }
    }
    all
}

/// Whether a thread does not rest, and has a step in no state that can be reached.
fn waits_for_ever(p: &Program, state: &State, thread: usize) -> bool {
    if p.threads[thread]
        .resting()
        .any(|l| l == state.location(thread))
    {
        return false;
    }
    let mut seen = HashSet::from([state.clone()]);
    let mut open = vec![state.clone()];
    while let Some(state) = open.pop() {
        for t in 0..p.threads.len() {
            for step in successors(p, &state, t) {
                if t == thread {
                    return false;
                }
                if seen.insert(step.state.clone()) {
                    open.push(step.state);
                }
            }
        }
    }
    true
}

/// Of an invariant that is a conjunction of implications: whether some premise is ever true.
fn says_something(p: &Program, e: &Expr, states: &HashSet<State>) -> bool {
    match e {
        Expr::Binary(BinaryOp::And, a, b) => {
            says_something(p, a, states) || says_something(p, b, states)
        }
        Expr::Binary(BinaryOp::Implies, a, _) => states.iter().any(|s| holds(p, a, s)),
        Expr::Const(c) => *c == 0,
        _ => true,
    }
}

fn agrees(session: &Session) -> (Coverage, bool) {
    let mut program = session.program().clone();
    program.errors_end = false;
    let found = coverage(&program, usize::MAX, &Control::default()).expect("no limit");
    let all = naive(&program);
    let told = |s: &coarsen::results::Covered| (s.line, s.text.clone());
    for s in &found.statements {
        assert!(!s.reached || all.reached.contains(&told(s)), "{s:?}");
        assert!(
            s.executions == 0 || all.executed.contains(&told(s)),
            "{s:?}"
        );
    }
    assert_eq!(found.complete, !all.violated);
    if all.violated {
        return (found, false);
    }
    assert_eq!(found.states, all.states.len().to_string());
    let stuck: BTreeSet<String> = found.stuck.iter().map(|s| s.thread.clone()).collect();
    assert_eq!(stuck, all.stuck);
    for s in found.unreached() {
        assert!(!all.reached.contains(&told(s)), "{s:?}");
    }
    for s in found.never_enabled() {
        assert!(
            all.reached.contains(&told(s)) && !all.executed.contains(&told(s)),
            "{s:?}"
        );
    }
    let of = |wanted: fn(&coarsen::results::Covered) -> bool| -> BTreeSet<_> {
        found
            .statements
            .iter()
            .filter(|s| wanted(s))
            .map(told)
            .collect()
    };
    assert_eq!(of(|s| s.reached), all.reached);
    assert_eq!(of(|s| s.executions > 0), all.executed);
    let invariants = program
        .properties
        .iter()
        .filter(|p| p.kind == PropertyKind::Invariant);
    let trivial: Vec<String> = invariants
        .filter(|p| !says_something(&program, &p.expr, &all.states))
        .map(|p| p.name.clone())
        .collect();
    assert_eq!(found.trivial, trivial);
    let is_never = found.unreached().next().is_some() || found.never_taken().next().is_some();
    (found, is_never)
}

#[test]
fn what_is_called_never_is_never_on_random_programs() {
    let (never, all) = (Cell::new(0), Cell::new(0));
    let mut runner = random::runner(400);
    let result = runner.run(&samples(), |sample| {
        let (session, _) = Session::load("sample", &sample.source, &[], ParseLimits::default())
            .expect("the sample is well typed");
        never.set(never.get() + usize::from(agrees(&session).1));
        all.set(all.get() + 1);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    let (never, all) = (never.get(), all.get());
    assert!(random::enough(never, all / 10), "{never} of {all}");
}

#[test]
fn shipped_models_are_covered_as_the_interpreter_says() {
    let small = |m: &&shipped::Shipped| !m.name.contains("philosophers");
    let mut seen = 0;
    for m in shipped::models().iter().filter(small) {
        let session = m.load(&[]);
        if coverage(session.program(), 5_000, &Control::default()).is_ok_and(|c| c.complete) {
            agrees(&session);
            seen += 1;
        }
    }
    assert!(seen > 60, "{seen}");
}

/// Each kind of finding, in one model.
#[test]
fn each_kind_of_finding_is_told() {
    let source = "var x: 0..3 = 0; mutex m;\n\
        thread a { x = 1;\n if (x == 2)\n  x = 3;\n lock(m);\n when (x == 3)\n  x = 0; }\n\
        invariant big: x == 3 => x == 2;\n invariant small: x <= 3;\n";
    let (session, _) = Session::load("m.cor", source, &[], ParseLimits::default()).expect("loads");
    let (found, _) = agrees(&session);
    let lines = |all: &mut dyn Iterator<Item = usize>| all.collect::<Vec<_>>();
    assert_eq!(lines(&mut found.unreached().map(|s| s.line)), [4]);
    assert_eq!(lines(&mut found.never_enabled().map(|s| s.line)), [6]);
    let taken: Vec<(usize, usize)> = found
        .never_taken()
        .map(|(s, to)| (s.line, to.line))
        .collect();
    assert_eq!(taken, [(3, 4)]);
    assert_eq!(found.trivial, ["big"]);
    assert_eq!(found.stuck.len(), 1);
    // Where there are more states, nothing is called never.
    let cut = coverage(session.program(), 2, &Control::default()).expect("some states");
    assert!(!cut.complete && cut.unreached().next().is_none() && cut.trivial.is_empty());
}

/// A state with very many steps, or very many states that `init` rejects, end the look at a few states soon.
#[test]
fn few_states_are_looked_at_in_little_time() {
    for (source, executed) in [
        (
            "var x: 0..1000000000 = 0; thread t { havoc x; assert(x >= 0); }",
            true,
        ),
        (
            "var a[6]: 0..1000; init a[0] + a[1] + a[2] + a[3] + a[4] + a[5] == 6000; thread t { a[0] = 0; }",
            false,
        ),
    ] {
        let (session, _) =
            Session::load("m.cor", source, &[], ParseLimits::default()).expect("loads");
        let found = coverage(session.program(), 1 << 13, &Control::default()).expect("no limit");
        assert!(!found.complete);
        assert_eq!(found.statements[0].executions > 0, executed, "{source}");
        assert!(found.statements.iter().all(|s| s.executions <= 1 << 16));
    }
}

/// A thread that waits for ever while another goes on is stuck; one that waits for what may come is not.
#[test]
fn a_thread_is_stuck_though_others_go_on() {
    let source = "var x: 0..3 = 0; var y: 0..1 = 0;\n\
        thread a { when (x == 3) y = 1; }\n\
        thread b { while (true) { either { x = 1; } or { x = 2; } } }\n\
        thread c { when (x == 2) skip; }\n";
    let (session, _) = Session::load("m.cor", source, &[], ParseLimits::default()).expect("loads");
    let (found, _) = agrees(&session);
    let stuck: Vec<_> = found
        .stuck
        .iter()
        .map(|s| (s.thread.as_str(), s.line, s.column))
        .collect();
    assert_eq!(stuck, [("a", 2, 12)]);
    // What others may still do is not known where not all was looked at.
    for most in 1..4 {
        let cut = coverage(session.program(), most, &Control::default()).expect("some states");
        assert!(cut.complete || cut.stuck.is_empty(), "{most}");
    }
}

/// A search may be complete after more operations than it was allowed; what the look at its steps then leaves out is
/// not called never.
#[test]
fn what_was_not_looked_at_is_not_called_never() {
    let many = vec!["{ skip; }"; 60].join(" or ");
    for k in 0..4 {
        let source = format!(
            "var x: 0..31 = 0;\nthread a {{ havoc x;\n while (true) {{ either {many} }} }}\n\
             thread b {{ when (x == {k})\n skip; }}\n"
        );
        let (session, _) =
            Session::load("m.cor", &source, &[], ParseLimits::default()).expect("loads");
        let mut all = Vec::new();
        for most in (240..520).step_by(2) {
            let found = coverage(session.program(), most, &Control::default()).expect("no limit");
            let never = found.never_enabled().map(|s| s.line);
            let never = never.chain(found.never_taken().map(|s| s.1.line));
            let never: Vec<usize> = never.chain(found.unreached().map(|s| s.line)).collect();
            assert!(never.is_empty(), "{k}, {most}: {never:?}");
            all.push(found.complete);
        }
        assert!(all.contains(&false) && all.contains(&true), "{k}");
    }
}
