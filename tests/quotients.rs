//! States seen as one (`--reductions`): the law of each step, what is reached, answers, counts, executions.

#[path = "quotients/command.rs"]
mod command;
#[path = "quotients/dead_locals.rs"]
mod dead_locals;
#[path = "quotients/inside.rs"]
mod inside;
#[path = "quotients/symmetry.rs"]
mod symmetry;

use crate::{loops, random, shipped, twin};

use coarsen::base::control::{Budget, Control, ParseLimits};
use coarsen::command::reach::Engine;
use coarsen::engine::quotients::Quotient;
use coarsen::model::program::Program;
use coarsen::results::ReachReport;
use coarsen::{ReachOptions, Session, theory};
use proptest::prelude::*;
use std::cell::Cell;

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

fn reach(session: &Session, theorem: &str, options: &ReachOptions) -> ReachReport {
    let theory = theory(theorem).expect("shipped");
    session.reach(&theory, options, &control())
}

/// Everything that the program asks, state by state.
fn everything(program: &Program, quotients: &[Quotient]) -> ReachOptions {
    let declared = program.properties.iter();
    ReachOptions {
        engine: Engine::Explicit,
        deadlock: true,
        invariants: declared.map(|p| p.name.clone()).collect(),
        quotients: quotients.to_vec(),
        ..ReachOptions::default()
    }
}

/// The counter of N threads: each reads under a lock, then writes.
fn counter(n: usize) -> Session {
    let source = format!(
        "const N = {n}; mutex m; var x: 0..N = 0 protected by m;
         thread w(i in 0..N-1) {{ var t: 0..N = 0; lock(m); t = x; x = t + 1; unlock(m); }}"
    );
    loaded(&source).expect("a model")
}

/// Statements that read, write and forget local variables, some of them by computed indices.
fn local(depth: u32) -> BoxedStrategy<String> {
    let simple = prop::sample::select(vec![
        "t = x;",
        "s = t;",
        "x = t;",
        "x = s;",
        "t = 1 - t;",
        "t = t + s;",
        "havoc t;",
        "havoc s;",
        "a[t] = s;",
        "a[0] = 1;",
        "a[1] = t;",
        "t = a[s];",
        "s = a[1];",
        "havoc a[t];",
        "assert(s == 0);",
        "when (t == 1) skip;",
        "when (x == 1) s = t;",
        "lock(m);",
        "unlock(m);",
        "y = t;",
        "atomic { t = y; y = s; }",
        "atomic { if (t == 1) { s = 0; } else { t = 0; } }",
        "atomic { either { s = t; } or { t = 0; } }",
        "assert(a[s] == 0);",
        "skip;",
    ]);
    let simple = simple.prop_map(String::from);
    if depth == 0 {
        return simple.boxed();
    }
    let block = move || prop::collection::vec(local(depth - 1), 1..4).prop_map(|b| b.join(" "));
    prop_oneof![
        10 => simple,
        1 => block().prop_map(|b| format!("while (s == 0) {{ {b} }}")),
        1 => block().prop_map(|b| format!("while (true) {{ {b} }}")),
        1 => (block(), block()).prop_map(|(a, b)| format!("either {{ {a} }} or {{ {b} }}")),
        1 => (block(), block()).prop_map(|(a, b)| format!("if (t == s) {{ {a} }} else {{ {b} }}")),
    ]
    .boxed()
}

/// Programs of two threads with local variables, some of which are asked for.
fn locals() -> impl Strategy<Value = String> {
    let body = || prop::collection::vec(local(1), 1..6).prop_map(|all| all.join(" "));
    let initial = || prop::sample::select(vec!["", " = 0", " = 1"]);
    let asked = prop::sample::select(vec![
        "",
        "",
        "",
        "invariant one: w.t == 0 || x == 0;",
        "reach both: w.s == 1 && x == 1;",
        "reach cell: w.a[x] == 1;",
        "lemma kept: w.t <= 1;",
        "init x == y;",
    ]);
    let p = prop::sample::select(vec![
        "unprotected",
        "protected by m",
        "protected by self.t == 1",
    ]);
    (body(), body(), initial(), initial(), asked, p).prop_map(|(v, w, t, s, asked, p)| {
        let locals = format!("var t: 0..1{t}; var s: 0..1{s}; var a[2]: 0..1 = 0;");
        format!(
            "mutex m; var x: 0..1 = 0 unprotected; var y: 0..1 = 0 {p}; {asked}
             thread v {{ {locals} {v} }} thread w {{ {locals} {w} }}"
        )
    })
}

/// Reduced systems of all theorems say the same, and less is left of them; sizes of orbits count all of it.
#[test]
fn under_every_theorem() {
    let compared = Cell::new(0);
    let mut runner = random::runner(60);
    let result = runner.run(&loops::programs(), |source| {
        let Some(session) = loaded(&source) else {
            return Ok(());
        };
        for theorem in [
            "stoller-cohen",
            "flanagan-qadeer",
            "left-movers",
            "right-movers",
            "lipton",
        ] {
            let with = |quotients: &[Quotient]| {
                let options = ReachOptions {
                    reduced: true,
                    ..everything(session.program(), quotients)
                };
                reach(&session, theorem, &options)
            };
            let plain = with(&[]);
            let few = with(&[Quotient::DeadLocals]);
            let (all, both) = (with(&[Quotient::Symmetry]), with(&Quotient::ALL));
            for some in [&few, &all, &both] {
                prop_assert!(
                    !some.is_contradicted(),
                    "{} by {} of {}",
                    some.reason,
                    theorem,
                    source
                );
                for (mine, other) in some.questions.iter().zip(&plain.questions) {
                    prop_assert_eq!(
                        mine.verdict,
                        other.verdict,
                        "{} by {} of {}",
                        mine.name,
                        theorem,
                        source
                    );
                }
            }
            prop_assert_eq!(&plain.states, &all.states, "{} of {}", theorem, source);
            prop_assert_eq!(&few.states, &both.states, "{} of {}", theorem, source);
            compared.set(compared.get() + usize::from(plain.states.is_some()));
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(random::enough(compared.get(), 100), "{compared:?} compared");
}
