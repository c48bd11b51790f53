//! Claims `transaction NAME { .. }`: what holds is true of every execution, and what refutes one is an execution.
//!
//! The twin (`support/claimed.rs`) enumerates executions with the interpreter: all outcomes of the program, and those
//! with the claimed blocks atomic.

use crate::claimed::{checked, is_true, programs};
use crate::{random, shipped};
use coarsen::Session;
use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::results::Status;
use proptest::prelude::*;
use std::cell::Cell;

#[test]
fn what_is_said_of_claims_is_true() {
    let counts = [const { Cell::new(0) }; 3];
    let mut runner = random::runner(256);
    runner
        .run(&programs(), |source| {
            match Session::load("m.cor", &source, &[], ParseLimits::default()) {
                Ok((session, _)) => is_true(&session, None, &counts),
                Err(_) => Ok(()),
            }
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let [holds, refuted, open] = counts.map(|c| c.get());
    assert!(
        random::enough(holds, 20) && random::enough(refuted.min(open), 10),
        "{holds} hold, {refuted} are refuted, {open} are open"
    );
}

/// The same by one theorem only. (Claims that the theorem leaves open are not told apart from those that are false.)
#[test]
fn what_a_theorem_says_of_claims_is_true() {
    for theorem in ["flanagan-qadeer", "left-movers", "right-movers", "lipton"] {
        let counts = [const { Cell::new(0) }; 3];
        let mut runner = random::runner(100);
        runner
            .run(&programs(), |source| {
                match Session::load("m.cor", &source, &[], ParseLimits::default()) {
                    Ok((session, _)) => is_true(&session, Some(theorem), &counts),
                    Err(_) => Ok(()),
                }
            })
            .unwrap_or_else(|failure| panic!("{theorem}: {failure}"));
        assert!(random::enough(counts[0].get(), 5), "{theorem}: {counts:?}");
    }
}

fn answers(source: &str) -> Vec<(String, Status, String)> {
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
    let report = checked(&session, None);
    let claims = report.properties.into_iter();
    claims
        .filter(|q| q.kind == coarsen::results::PropertyKind::Transaction)
        .map(|q| (q.name, q.verdict, q.reason.to_string()))
        .collect()
}

/// A loop that begins a block: control is inside when it comes back to the beginning, and not when it first comes
/// there.
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

/// What another thread alone uses is shared state, though inference calls it private: here the outcome differs in
/// nothing else.
#[test]
fn a_variable_inferred_to_be_private_belongs_to_the_outcome() {
    for discipline in ["", "unprotected"] {
        let source = format!(
            "mutex m; mutex n; var x: 0..2 = 1 protected by m; var y: 0..2 = 1 protected by n; var told: 0..4 = 0 \
             {discipline};
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
            is_true(&session, None, &counts).unwrap_or_else(|e| panic!("{}: {e}", model.name));
        }
    }
}

fn transactions(name: &str, theorem: &str) -> Vec<coarsen::results::Transaction> {
    let session = shipped::model(name).load(&[]);
    let default = coarsen::theory("stoller-cohen").expect("shipped");
    let report = session.movers(
        &default,
        coarsen::theory(theorem).as_ref(),
        &Control::default(),
    );
    assert!(report.disciplined && !report.is_open(), "{}", report.reason);
    report.transactions
}

/// The counter of Flanagan & Qadeer: with both kinds of movers each method is one transaction (all of them together
/// are, as each is one branch). With left movers only, read is two. (The paper counts two, two and three: there every
/// access to the specification variable is a non-mover; but adding and subtracting commute, and so they are movers
/// here.)
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
    let mut runner = random::runner(256);
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
            let report = session.movers(
                &default,
                coarsen::theory("lipton").as_ref(),
                &Control::default(),
            );
            for t in report.transactions.iter().filter(|t| t.actions != "1") {
                if !report.disciplined || plain.matches(&t.text).count() != 1 {
                    continue;
                }
                let claimed =
                    plain.replacen(&t.text, &format!("transaction c {{ {} }}", t.text), 1);
                let loaded = Session::load("m.cor", &claimed, &[], ParseLimits::default());
                let (session, _) =
                    loaded.map_err(|d| TestCaseError::fail(format!("{d:?}\n{claimed}")))?;
                let answer = checked(&session, None);
                let found = answer.properties.iter().find(|q| q.name == "c");
                prop_assert_eq!(found.map(|q| q.verdict), Some(Status::Holds), "{}", claimed);
                pasted.set(pasted.get() + 1);
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(
        random::enough(pasted.get(), 50),
        "{} were pasted",
        pasted.get()
    );
}
