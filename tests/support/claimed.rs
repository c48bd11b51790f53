//! Random programs with claims `transaction NAME { .. }`, and what is true of claims: all executions are enumerated
//! with the interpreter.

#![allow(dead_code, reason = "every program uses its own part")]

use coarsen::base::control::Control;
use coarsen::engine::{State, initial_candidates, is_initial, successors};
use coarsen::model::program::{Claim, Class, Program};
use coarsen::results::{ClaimReason, ClaimSearch, PropertyReason, Report, Status};
use coarsen::{CheckOptions, Session, theory};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};

type Outcome = (usize, Vec<i64>);

/// What executions of a program end with, for each thread that has the block; with `atomic`, of those in which the
/// blocks are not interrupted.
pub fn outcomes(p: &Program, claim: &Claim, atomic: bool) -> BTreeSet<Outcome> {
    let inside = |s: &State| {
        let mut blocks = claim.blocks.iter();
        blocks.find(|b| b.inside.contains(&s.location(b.thread)))
    };
    let mut open: Vec<State> = initial_candidates(p).filter(|s| is_initial(p, s)).collect();
    let mut met: HashSet<State> = open.iter().cloned().collect();
    let mut all = BTreeSet::new();
    while let Some(state) = open.pop() {
        if (0..p.threads.len()).all(|t| p.threads[t].end == Some(state.location(t))) {
            for b in &claim.blocks {
                let counts = |c: &usize| match p.cells[*c].class {
                    Class::Local(t) => t == b.thread,
                    _ => true,
                };
                let cells = (0..p.cells.len()).filter(counts);
                all.insert((b.thread, cells.map(|c| state.cell(c)).collect()));
            }
        }
        let alone = inside(&state).filter(|_| atomic).map(|b| b.thread);
        for t in (0..p.threads.len()).filter(|t| alone.is_none_or(|a| a == *t)) {
            for step in successors(p, &state, t) {
                if met.insert(step.state.clone()) {
                    open.push(step.state);
                }
            }
        }
    }
    all
}

/// The report on a program; its claims by any theorem, or by the one named only.
pub fn checked(session: &Session, only: Option<&str>) -> Report {
    let theory = theory(only.unwrap_or("stoller-cohen")).expect("shipped");
    let options = CheckOptions {
        claims_by: only.map(String::from),
        ..CheckOptions::default()
    };
    session.check(&theory, &options, &Control::default())
}

/// What the report says of each claim is true. Counts the answers.
pub fn is_true(
    session: &Session,
    only: Option<&str>,
    counts: &[Cell<usize>; 3],
) -> Result<(), TestCaseError> {
    let p = session.program();
    let report = checked(session, only);
    prop_assert!(!report.is_contradicted(), "{}", report.reason);
    // Guesses of the inference say nothing of locations: the claims are those of the program itself.
    for claim in &p.claims {
        let found = report.properties.iter().find(|q| q.name == claim.name);
        let Some(found) = found else {
            return Err(TestCaseError::fail("no answer"));
        };
        let free = outcomes(p, claim, false);
        let atomic = outcomes(p, claim, true);
        prop_assert!(atomic.is_subset(&free));
        let (n, right) = match found.verdict {
            Status::Holds => (0, free == atomic),
            Status::Refuted => (1, free != atomic && found.trace.is_some()),
            Status::Unknown => {
                let says = matches!(
                    &found.reason,
                    PropertyReason::Claim(ClaimReason::Broken {
                        search: ClaimSearch::Nothing,
                        ..
                    })
                );
                (2, !says || free == atomic)
            }
        };
        counts[n].set(counts[n].get() + 1);
        prop_assert!(
            right,
            "{}: {:?}: {}",
            claim.name,
            found.verdict,
            found.reason
        );
    }
    Ok(())
}

fn statement() -> BoxedStrategy<String> {
    let simple = prop_oneof![
        3 => Just("lock(m);"),
        3 => Just("unlock(m);"),
        3 => Just("t = g; g = 1 - t;"),
        3 => Just("t = x; g = t; x = 1 - x;"),
        1 => Just("lock(n); y = 1 - y; unlock(n);"),
        2 => Just("x = 1 - x;"),
        2 => Just("t = x;"),
        1 => Just("x = t;"),
        1 => Just("y = t;"),
        2 => Just("t = g;"),
        2 => Just("g = t;"),
        1 => Just("g = 1 - g;"),
        1 => Just("t = 1 - t;"),
        1 => Just("havoc t;"),
        1 => Just("when (g == 1) skip;"),
        1 => Just("when (t == 0) g = 1;"),
        1 => Just("lock(m); t = x; x = 1 - t; unlock(m);"),
        1 => Just("if (t == 1) { g = 0; }"),
        1 => Just("either { x = 0; } or { g = 1; }"),
        1 => Just("while (t == 1) { havoc t; }"),
        1 => Just("while (g == 1) { g = 0; }"),
        1 => Just("atomic { when (g == 0) g = 1; t = 0; }"),
    ];
    simple.prop_map(String::from).boxed()
}

fn body(n: usize) -> impl Strategy<Value = String> {
    let part = |lo, hi| {
        proptest::collection::vec(statement(), lo..hi).prop_map(|all: Vec<String>| all.join(" "))
    };
    let block = part(1, 5);
    (part(0, 2), block, part(0, 2), 0..8u8).prop_map(move |(before, block, after, form)| match form
    {
        0 => format!("{before} either {{ transaction c{n} {{ {block} }} }} or {{ skip; }} {after}"),
        1 => {
            format!("{before} transaction c{n} {{ transaction d{n} {{ {block} }} t = 0; }} {after}")
        }
        2 => format!("{before} while (t == 0) {{ transaction c{n} {{ {block} t = 1; }} }} {after}"),
        3 => {
            format!("{before} transaction c{n} {{ while (t == 0) {{ {block} havoc t; }} }} {after}")
        }
        _ => format!("{before} transaction c{n} {{ {block} }} {after}"),
    })
}

/// Programs of two or three threads with a claim each; `x` is protected or not.
pub fn programs() -> impl Strategy<Value = String> {
    let discipline = prop_oneof![Just("protected by m"), Just("unprotected"), Just("")];
    let family = (
        body(0),
        body(1),
        prop::option::of(body(2)),
        discipline,
        any::<bool>(),
    );
    family.prop_map(|(a, b, c, discipline, alike)| {
        let mut text = format!(
            "mutex m; mutex n;\nvar g: 0..1 = 0 unprotected;\nvar x: 0..1 = 0 {discipline};\nvar y: 0..1 = 0 protected \
             by n;\n"
        );
        let local = "var t: 0..1 = 0;";
        match alike {
            true => text += &format!("thread p(i in 0..1) {{ {local} {a} }}\n"),
            false => text += &format!("thread p {{ {local} {a} }}\nthread q {{ {local} {b} }}\n"),
        }
        if let Some(c) = c {
            text += &format!("thread r {{ {local} {c} }}\n");
        }
        text
    })
}
