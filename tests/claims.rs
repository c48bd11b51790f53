//! Claims `transaction NAME { .. }`: what holds is true of every execution, and what refutes one is an execution.
//!
//! The twin here enumerates executions with the interpreter: all outcomes of the program, and those with the claimed blocks atomic.

use crate::shipped;
use coarsen::control::Control;
use coarsen::explore::{State, initial_candidates, is_initial, successors};
use coarsen::program::{Claim, Class, Program};
use coarsen::report::{Report, Status};
use coarsen::syntax::ParseLimits;
use coarsen::{CheckOptions, Session, theory};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};

type Outcome = (usize, Vec<i64>);

/// What executions of a program end with, for each thread that has the block; with `atomic`, of those in which the blocks are not interrupted.
fn outcomes(p: &Program, claim: &Claim, atomic: bool) -> BTreeSet<Outcome> {
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

fn checked(session: &Session) -> Report {
    let theory = theory("stoller-cohen").expect("shipped");
    session.check(&theory, &CheckOptions::default(), &Control::default())
}

/// What the report says of each claim is true. Counts the answers.
fn is_true(session: &Session, counts: &[Cell<u32>; 3]) -> Result<(), TestCaseError> {
    let p = session.program();
    let report = checked(session);
    prop_assert!(!report.evidence_rejected, "{}", report.reason);
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
                let says = found.reason.contains("every execution that ends");
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
fn programs() -> impl Strategy<Value = String> {
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
            "mutex m; mutex n;\nvar g: 0..1 = 0 unprotected;\nvar x: 0..1 = 0 {discipline};\nvar y: 0..1 = 0 protected by n;\n"
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

#[test]
fn what_is_said_of_claims_is_true() {
    let counts = [const { Cell::new(0) }; 3];
    let mut runner = TestRunner::default();
    runner
        .run(&programs(), |source| {
            match Session::load("m.cor", &source, &[], ParseLimits::default()) {
                Ok((session, _)) => is_true(&session, &counts),
                Err(_) => Ok(()),
            }
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let [holds, refuted, open] = counts.map(|c| c.get());
    assert!(
        holds > 20 && refuted > 10 && open > 10,
        "{holds} hold, {refuted} are refuted, {open} are open"
    );
}

fn answers(source: &str) -> Vec<(String, Status, String)> {
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
    let report = checked(&session);
    let claims = report.properties.into_iter();
    claims
        .filter(|q| q.kind == "transaction")
        .map(|q| (q.name, q.verdict, q.reason))
        .collect()
}

/// A loop that begins a block: control is inside when it comes back to the beginning, and not when it first comes there.
#[test]
fn a_block_that_begins_with_a_loop() {
    let source = "var x: 0..2 = 0 unprotected; var g: 0..1 = 0 unprotected;
        thread a { var k: 0..2 = 0; transaction t { while (k < 2) { k = k + 1; x = k; } } }
        thread b { g = x; }";
    let (session, _) =
        Session::load("m.cor", source, &[], ParseLimits::default()).expect("a model");
    let claim = &session.program().claims[0].blocks[0];
    assert_eq!((claim.entries.len(), claim.inside.len()), (1, 3));
    assert!(!claim.inside.contains(&claim.entries[0]));
    let answers = answers(source);
    assert_eq!(answers[0].1, Status::Refuted, "{answers:?}");
}

/// What another thread alone uses is shared state, though inference calls it private: here the outcome differs in nothing else.
#[test]
fn a_variable_inferred_to_be_private_belongs_to_the_outcome() {
    for discipline in ["", "unprotected"] {
        let source = format!(
            "mutex m; mutex n; var x: 0..2 = 1 protected by m; var y: 0..2 = 1 protected by n; var told: 0..4 = 0 {discipline};
             thread a {{ transaction t {{ lock(m); x = 0; unlock(m); lock(n); y = 2; unlock(n); }} }}
             thread b {{ var s: 0..4 = 0; lock(m); lock(n); s = x + y; unlock(n); unlock(m); told = s; }}"
        );
        let answers = answers(&source);
        assert_eq!(answers[0].1, Status::Refuted, "{answers:?}");
    }
}

/// The theorem is the one that needs least.
#[test]
fn the_theorem_is_named() {
    for (block, theorem) in [
        ("x = 1; unlock(m);", "left-movers"),
        ("lock(m); x = 1;", "stoller-cohen"),
        ("lock(m); g = 1;", "right-movers"),
        ("lock(m); x = 1; g = 1; x = 0; unlock(m);", "lipton"),
    ] {
        let source = format!(
            "mutex m; var x: 0..1 = 0 protected by m; var g: 0..1 = 0 unprotected;
             thread a {{ {} transaction t {{ {block} }} {} }}
             thread b {{ g = 0; lock(m); x = 0; unlock(m); }}",
            if block.starts_with("lock") {
                ""
            } else {
                "lock(m);"
            },
            if block.ends_with("unlock(m);") {
                ""
            } else {
                "unlock(m);"
            },
        );
        let answers = answers(&source);
        assert_eq!(answers[0].1, Status::Holds, "{block}: {answers:?}");
        assert!(answers[0].2.contains(theorem), "{block}: {answers:?}");
    }
}

/// If the discipline is violated, what is protected is no mover, whatever the annotation says.
#[test]
fn a_wrong_annotation_makes_no_larger_transaction() {
    let source = "mutex m; var x: 0..2 = 0 protected by m;
        thread a(i in 0..1) { var t: 0..2 = 0; transaction c { t = x; x = t + 1; } }";
    let answers = answers(source);
    assert_eq!(answers[0].1, Status::Unknown, "{answers:?}");
}

#[test]
fn every_shipped_claim_is_answered_truly() {
    let counts = [const { Cell::new(0) }; 3];
    for model in shipped::models() {
        let session = model.load(&[]);
        if !session.program().claims.is_empty() {
            is_true(&session, &counts).unwrap_or_else(|e| panic!("{}: {e}", model.name));
        }
    }
}

fn transactions(name: &str, theorem: &str) -> Vec<coarsen::report::Transaction> {
    let session = shipped::model(name).load(&[]);
    let default = coarsen::theory("stoller-cohen").expect("shipped");
    let report = session.movers(&default, Some(theorem), &Control::default());
    assert!(report.disciplined && !report.stopped, "{}", report.reason);
    report.transactions
}

/// The counter of Flanagan & Qadeer: with both kinds of movers each method is one transaction (all of them together are, as each is one branch). With left
/// movers only, read is two. (The paper counts two, two and three: there every access to the specification variable is a non-mover; but
/// adding and subtracting commute, and so they are movers here.)
#[test]
fn the_methods_of_the_counter() {
    let both = transactions("flanagan_qadeer/counter", "lipton");
    assert_eq!(both.len(), 1);
    assert!(both[0].text.starts_with("either"), "{}", both[0].text);
    let left = transactions("flanagan_qadeer/counter", "left-movers");
    let sizes: Vec<&str> = left.iter().map(|t| t.actions.as_str()).collect();
    assert_eq!(left.len(), 4, "{sizes:?}");
}

/// What `coarsen movers` proposes holds where it is pasted in.
#[test]
fn proposed_transactions_hold() {
    let default = coarsen::theory("stoller-cohen").expect("shipped");
    let mut runner = TestRunner::default();
    let pasted = Cell::new(0);
    runner
        .run(&programs(), |source| {
            let plain = source.replace("transaction", "if (true) //");
            let plain = plain.replace("//", "");
            // Without the names of the claims, which are no statements.
            let words: Vec<&str> = plain.split(' ').collect();
            let kept: Vec<&str> = words
                .iter()
                .copied()
                .filter(|w| {
                    !(w.len() == 2
                        && (w.starts_with('c') || w.starts_with('d'))
                        && w.ends_with(|c: char| c.is_ascii_digit()))
                })
                .collect();
            let plain = kept.join(" ");
            let Ok((session, _)) = Session::load("m.cor", &plain, &[], ParseLimits::default())
            else {
                return Ok(());
            };
            let report = session.movers(&default, Some("lipton"), &Control::default());
            for t in report.transactions.iter().filter(|t| t.actions != "1") {
                if !report.disciplined || plain.matches(&t.text).count() != 1 {
                    continue;
                }
                let claimed =
                    plain.replacen(&t.text, &format!("transaction c {{ {} }}", t.text), 1);
                let loaded = Session::load("m.cor", &claimed, &[], ParseLimits::default());
                let (session, _) =
                    loaded.map_err(|d| TestCaseError::fail(format!("{d:?}\n{claimed}")))?;
                let answer = checked(&session);
                let found = answer.properties.iter().find(|q| q.name == "c");
                prop_assert_eq!(found.map(|q| q.verdict), Some(Status::Holds), "{}", claimed);
                pasted.set(pasted.get() + 1);
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(pasted.get() > 50, "{} were pasted", pasted.get());
}
