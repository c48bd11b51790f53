//! Claims `transaction NAME { .. }`: each answer is the one that the definition gives.
//!
//! The twin (`support/claimed.rs`) enumerates states with the interpreter: those of the program, and those with the
//! claimed blocks atomic.

use crate::claimed::{checked, compared, is_accepted_if_true, is_true, programs, truth};
use crate::{random, shipped};
use coarsen::base::control::{Budget, Control, ParseLimits, Stop};
use coarsen::base::evidence::{Bundle, FALSE, Item, Part, TRUE, WeakPath};
use coarsen::certificate::{BundleVerdict, read, verify, write};
use coarsen::engine::explore;
use coarsen::model::program::Program;
use coarsen::results::{ClaimReason, Note, Property, PropertyReason, Status};
use coarsen::{CheckOptions, Session, theory};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;

#[test]
fn what_is_said_of_claims_is_true() {
    let counts = [const { Cell::new(0) }; 5];
    let mut runner = random::runner(256);
    runner
        .run(&programs(), |source| {
            match Session::load("m.cor", &source, &[], ParseLimits::default()) {
                Ok((session, _)) => is_true(&session, None, &counts),
                Err(_) => Ok(()),
            }
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let [by_theorem, compared, refuted, vacuous, weakened] = counts.map(|c| c.get());
    assert!(
        random::enough(by_theorem.min(compared).min(refuted), 20)
            && random::enough(vacuous.min(weakened), 3),
        "{by_theorem} hold by a theorem, {weakened} with weaker steps, {compared} by comparison, {refuted} are \
         refuted, {vacuous} are vacuous"
    );
}

/// The same by one theorem only.
#[test]
fn what_a_theorem_says_of_claims_is_true() {
    for theorem in ["flanagan-qadeer", "left-movers", "right-movers", "lipton"] {
        let counts = [const { Cell::new(0) }; 5];
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
    for claim in &report.claims {
        is_accepted_if_true(&session, &claim.name, claim.verdict);
    }
    let claims = report.properties.into_iter();
    claims
        .filter(|q| q.kind == coarsen::results::PropertyKind::Transaction)
        .map(|q| (q.name, q.verdict, q.reason.to_string()))
        .collect()
}

/// A loop that begins a block: control is inside when it comes back to the beginning, and not when it first comes
/// there. The claim does not change how many states there are.
#[test]
fn a_block_that_begins_with_a_loop() {
    let source = "var x: 0..2 = 0 unprotected; var g: 0..1 = 0 unprotected;
        thread a { var k: 0..2 = 0; transaction t { while (k < 2) { k = k + 1; x = k; } } }
        thread b { g = x; }";
    let load = |source: &str| {
        let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
        loaded.unwrap_or_else(|d| panic!("{d:?}")).0
    };
    let session = load(source);
    let split = session.program().claims[0]
        .split
        .as_deref()
        .expect("it is split");
    let claim = &split.claims[0].blocks[0];
    assert_eq!((claim.entries.len(), claim.inside.len()), (1, 3));
    assert!(!claim.inside.contains(&claim.entries[0]));
    let states =
        |session: &Session| explore(session.program(), &Control::default()).map(|o| o.states);
    let without = load(&source.replace("transaction t", "if (true)"));
    assert_eq!(states(&session), states(&without));
    let answers = answers(source);
    assert_eq!(answers[0].1, Status::Refuted, "{answers:?}");
}

/// Nothing is left of a block that is interrupted for ever but what it has done until then. All its steps are left
/// movers.
#[test]
fn an_interrupted_block_counts() {
    let source = "var x: 0..1 = 0 unprotected; var y: 0..1 = 0 unprotected;
        thread a { transaction t { x = 1; when (y == 1) skip; x = 0; } }
        thread b { atomic { assert(x == 0); } }";
    let found = answers(source);
    assert_eq!(found[0].1, Status::Refuted, "{found:?}");
    assert!(found[0].2.contains("b goes wrong at line 3"), "{found:?}");
    // Nobody looks at it any more: then it is left by nobody, and says nothing.
    let found = answers(&source.replace("x == 0", "y == 0"));
    assert_eq!(found[0].1, Status::Unknown, "{found:?}");
}

/// Executions need not end.
#[test]
fn a_block_in_a_server() {
    let source = |block: &str| {
        format!(
            "var x: mod 4 = 0 unprotected;
             thread a(i in 0..1) {{ var t: mod 4 = 0; while (true) {{ transaction c {{ {block} }} }} }}
             thread o {{ var s: mod 4 = 0; while (true) {{ s = x; assert(s % 2 == 0); }} }}"
        )
    };
    let found = answers(&source("atomic { t = x; x = t + 2; }"));
    assert_eq!(found[0].1, Status::Holds, "{found:?}");
    let found = answers(&source("x = x + 1; x = x + 1;"));
    assert_eq!(found[0].1, Status::Refuted, "{found:?}");
}

/// A compare-and-swap that is tried until it succeeds: what was read before is scratch. A result is seen, though
/// nothing reads it: here both threads may get the same.
#[test]
fn what_is_scratch_and_what_is_a_result() {
    let take = |take: &str| {
        format!(
            "var x: 0..4 = 0 unprotected;
             thread a(i in 0..1) {{
                 var old: 0..4 = 0; var done: bool = false; var got: 0..4 = 0;
                 transaction take {{ {take} }}
             }}"
        )
    };
    let swap = "while (!done) { old = x; atomic { done = x == old; if (done) { x = old + 1; } } }";
    let report = |source: &str| {
        let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
        let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
        let report = checked(&session, None);
        let claim = report.claims[0].clone();
        is_accepted_if_true(&session, &claim.name, claim.verdict);
        (claim.verdict, claim.unseen)
    };
    let (verdict, unseen) = report(&take(swap));
    assert_eq!(verdict, Status::Holds);
    assert_eq!(unseen, ["a.done", "a.old"]);
    let (verdict, unseen) = report(&take("got = x; x = (x > 0 ? x : 1);"));
    assert_eq!((verdict, unseen), (Status::Refuted, Vec::new()));
}

/// A claim says itself what is observed: not who was last, and a local that is scratch otherwise.
#[test]
fn a_claim_says_what_is_observed() {
    let report = |said: &str| {
        let source = format!(
            "var x: 0..2 = 0 unprotected; var last: 0..2 = 0 unprotected;
             thread a(i in 0..1) {{
                 var old: 0..2 = 0;
                 transaction add {{ {said} atomic {{ old = x; x = old + 1; }} last = old; }}
             }}"
        );
        let loaded = Session::load("m.cor", &source, &[], ParseLimits::default());
        let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
        let printed = session.printed();
        assert!(said.is_empty() || printed.contains(said), "{printed}");
        let claim = checked(&session, None).claims[0].clone();
        is_accepted_if_true(&session, &claim.name, claim.verdict);
        (claim.verdict, claim.unseen)
    };
    let (verdict, _) = report("");
    assert_eq!(verdict, Status::Refuted);
    let (verdict, unseen) = report("hide last;");
    assert_eq!(verdict, Status::Holds);
    assert_eq!(unseen, ["a.old", "last"]);
    let (_, unseen) = report("observe old;");
    assert!(unseen.is_empty(), "{unseen:?}");
}

/// A local is seen if anybody but its thread mentions it, or the claim says so: both threads may have read 0.
#[test]
fn what_others_mention_is_seen() {
    for (said, asked, status) in [
        ("", "", Status::Holds),
        ("observe t;", "", Status::Refuted),
        ("", "invariant i: a(0).t + a(1).t <= 2;", Status::Refuted),
    ] {
        let source = format!(
            "var x: 0..1 = 0 unprotected; {asked}
             thread a(i in 0..1) {{ var t: 0..1 = 0; transaction c {{ {said} t = x; x = (t > 1 ? 0 : 1); }} }}"
        );
        let found = answers(&source);
        assert_eq!(found[0].1, status, "{source}: {found:?}");
    }
}

/// Objects that nothing leads to, and that differ only in what they refer to: slots are given in another order if the
/// block is interrupted.
#[test]
fn leaked_objects_have_no_order() {
    let source = "record node { v: 0..2 = 0; next: ref node in P = null; } pool P[4]: node;
        var g: 0..1 = 0 unprotected;
        thread a { var n: ref node in P = null; var k: ref node in P = null;
          transaction c { g = 1; n = new P; k = new P; k.v = 1; n.next = k; n = null; k = null; } }
        thread b { var m: ref node in P = null; var l: ref node in P = null;
          when (g == 1) m = new P; l = new P; l.v = 2; m.next = l; m = null; l = null; }";
    let found = answers(source);
    assert_eq!(found[0].1, Status::Holds, "{found:?}");
}

/// Which slot an object has makes no difference: a stack whose nodes are allocated inside the block.
#[test]
fn slots_of_pools_have_no_names() {
    let source = |push: &str| {
        format!(
            "record node {{ next: ref node in P; v: 0..2 = 0; }}
             pool P[2]: node;
             var head: ref node in P = null unprotected;
             thread a(i in 1..2) {{
                 var n: ref node in P = null; var old: ref node in P = null; var done: bool = false;
                 transaction push {{ n = new P; n.v = i; {push} }}
             }}"
        )
    };
    let swap = "while (!done) { old = head; n.next = old; \
                atomic { done = head == old; if (done) { head = n; } } }";
    let found = answers(&source(swap));
    assert_eq!(found[0].1, Status::Holds, "{found:?}");
    let found = answers(&source("old = head; n.next = old; head = n;"));
    assert_eq!(found[0].1, Status::Refuted, "{found:?}");
}

/// Two locks in opposite orders: the blocks are transactions, and yet a thread can get stuck inside.
#[test]
fn a_block_that_can_block() {
    let source = "mutex m; mutex n;
        thread a { transaction t { lock(m); lock(n); unlock(n); unlock(m); } }
        thread b { lock(n); lock(m); unlock(m); unlock(n); }";
    let report = |source: &str| {
        let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
        let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
        let report = checked(&session, None);
        is_accepted_if_true(&session, "t", report.claims[0].verdict);
        report
    };
    let found = report(source);
    assert_eq!(found.claims[0].verdict, Status::Holds);
    let waits = found.claims[0].can_block.as_ref().expect("it can block");
    assert_eq!((waits.thread.as_str(), waits.at.line), ("a", 2));
    let found = report(&format!("{source} deadlock_free;"));
    assert_eq!(found.claims[0].verdict, Status::Refuted);
    let refuted = found.properties.iter().filter(|p| p.name == "t");
    assert!(refuted.filter(|p| p.trace.is_some()).count() == 1);
    // Behind more states than are looked at one by one, too.
    let count = "var k: 0..150 = 0; while (k < 150) { k = k + 1; }";
    let large = source.replace(
        "thread b {",
        &format!("thread c {{ {count} }} thread b {{ {count}"),
    );
    let found = report(&large);
    assert_eq!(found.claims[0].verdict, Status::Holds);
    assert!(found.claims[0].can_block.is_some());
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
    assert_eq!(answers[0].1, Status::Refuted, "{answers:?}");
}

#[test]
fn every_shipped_claim_is_answered_truly() {
    let counts = [const { Cell::new(0) }; 5];
    for model in shipped::models() {
        let session = model.load(&[]);
        if !session.program().claims.is_empty() {
            is_true(&session, None, &counts).unwrap_or_else(|e| panic!("{}: {e}", model.name));
        }
    }
}

fn transactions(session: &Session, theorem: &str) -> Vec<coarsen::results::Transaction> {
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
/// here.) What the model claims is not proposed again, nor are parts of it.
#[test]
fn the_methods_of_the_counter() {
    let counter = shipped::model("flanagan_qadeer/counter");
    let claimed = counter.load(&[]);
    let both = transactions(&claimed, "lipton");
    assert_eq!(both.len(), 1);
    assert!(both[0].text.starts_with("either"), "{}", both[0].text);
    assert_eq!(both[0].text.matches("transaction ").count(), 3);
    assert!(transactions(&claimed, "left-movers").is_empty());
    // Without the claims: `transaction NAME {` with its brace, which is the first of that indent.
    let (mut plain, mut closing) = (String::new(), None);
    let source = claimed.program().source.lines();
    for line in source.filter(|l| !l.starts_with("expect")) {
        let indent = line.len() - line.trim_start().len();
        if line.trim_start().starts_with("transaction ") {
            closing = Some(indent);
        } else if closing == Some(indent) {
            closing = None;
        } else {
            plain += &format!("{line}\n");
        }
    }
    let loaded = Session::load("m.cor", &plain, &[], ParseLimits::default());
    let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
    let left = transactions(&session, "left-movers");
    let sizes: Vec<&str> = left.iter().map(|t| t.actions.as_str()).collect();
    assert_eq!(left.len(), 4, "{sizes:?}");
}

/// A run is proposed if it is more than a block that the model claims, also where that is in a procedure.
#[test]
fn what_is_claimed_is_not_proposed_again() {
    let proposed = |body: &str| -> Vec<String> {
        let source = format!(
            "mutex m; var x: 0..2 = 0 protected by m;
            proc twice() {{ x = 1; x = 2; }}
            thread a(i in 0..1) {{ var t: 0..2 = 0; {body} }}"
        );
        let loaded = Session::load("m.cor", &source, &[], ParseLimits::default());
        let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
        let all = transactions(&session, "lipton").into_iter();
        all.filter(|t| t.actions != "1").map(|t| t.text).collect()
    };
    let none: [&str; 0] = [];
    assert_eq!(
        proposed("transaction c { lock(m); twice(); unlock(m); }"),
        none
    );
    let more = "transaction c { lock(m); twice(); unlock(m); } t = 1;";
    assert_eq!(proposed(more), [more]);
    let inside = "lock(m); transaction c { twice(); } unlock(m);";
    assert_eq!(proposed(inside), [inside]);
    let atomic = "lock(m); atomic { twice(); } unlock(m);";
    assert_eq!(proposed(atomic), [atomic]);
    let called = proposed("lock(m); twice(); unlock(m);");
    assert_eq!(called[1..], ["lock(m); twice(); unlock(m);"]);
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
            let plain = kept.join(" ").replace("deadlock_free;", "");
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
                let told = report.disciplined && !report.notes.contains(&Note::MayGoWrong);
                if !told || plain.matches(&t.text).count() != 1 {
                    continue;
                }
                let claimed =
                    plain.replacen(&t.text, &format!("transaction c {{ {} }}", t.text), 1);
                let loaded = Session::load("m.cor", &claimed, &[], ParseLimits::default());
                let (session, _) =
                    loaded.map_err(|d| TestCaseError::fail(format!("{d:?}\n{claimed}")))?;
                let answer = checked(&session, None);
                let found = answer.properties.iter().find(|q| q.name == "c");
                let vacuous = |q: &Property| {
                    matches!(
                        q.reason,
                        PropertyReason::Claim(
                            ClaimReason::NeverEntered | ClaimReason::NeverFinished
                        )
                    )
                };
                let held = |q: &Property| q.verdict == Status::Holds || vacuous(q);
                prop_assert!(found.is_some_and(held), "{}", claimed);
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

/// Found by a review: what goes wrong is told apart by its place and what it violates, invariants included; edges of
/// other branches do not belong to a block; and objects that nothing leads to are compared with what they refer to.
#[test]
fn what_a_review_has_found() {
    use Status::{Holds, Refuted, Unknown};
    let wrong = "var x: 0..1 = 0 unprotected; var z: bool = false unprotected; var w: bool = false unprotected;
        thread a { transaction c { x = 1; when (!z) x = 0; } }";
    let branches = "var x: 0..2 = 0 unprotected; thread w(i in 0..1) { var r: 0..2 = 0;
        either { transaction c { x = 1; x = 2; } }";
    let leaked = "record node { v: 0..2 = 0; next: ref node in P = null; } pool P[3]: node;
        var s: 0..1 = 0 unprotected;
        thread w { var n: ref node in P = null; var k: ref node in P = null; n = new P; k = new P;
          transaction c { s = 0; if (s == 0) { n.next = null; } else { n.next = k; } n = null; k = null; } }
        thread q { s = 1; }";
    let stepless = "var x: 0..1 = 0 unprotected;
        thread a { either { transaction c { BLOCK } } or { skip; } } thread b { skip; }";
    let cases = [
        (
            format!(
                "{wrong} thread b {{ atomic {{ assert(!w); z = (x == 1); assert(x == 0); }} }} thread e {{ w = true; }}"
            ),
            Refuted,
        ),
        (
            format!(
                "{wrong} var p: 0..1 = 0 protected p by w && self == 0; var q: 0..1 = 0 protected q by x == 0 && self \
                 == 1; thread b {{ atomic {{ z = (x == 1); p = 0; q = 0; }} }}"
            ),
            Refuted,
        ),
        (
            format!("{wrong} thread d {{ when (x == 1) z = true; }} invariant i: !z;"),
            Refuted,
        ),
        (format!("{branches} or {{ r = x; }} }}"), Holds),
        (format!("{branches} or {{ skip; r = x; }} }}"), Holds),
        (leaked.to_string(), Refuted),
        (
            stepless.replace("BLOCK", "when (x == 1) skip; x = 0;"),
            Unknown,
        ),
        (
            stepless.replace("BLOCK", "skip; when (x == 1) x = 0;"),
            Unknown,
        ),
    ];
    for (source, status) in cases {
        let answers = answers(&source);
        let found = answers.iter().map(|(_, s, _)| *s).collect::<Vec<_>>();
        assert_eq!(found, [status], "{source}\n{answers:?}");
    }
}

/// Under `deadlock_free` a block must not be stuck either: a theorem does not say so, and all states have to be met.
#[test]
fn a_limit_leaves_open_whether_a_block_is_stuck() {
    let source = "mutex m; mutex n; deadlock_free;
        thread a { transaction c { lock(m); lock(n); unlock(n); unlock(m); } }
        thread b { skip; skip; skip; skip; skip; skip; lock(n); lock(m); unlock(m); unlock(n); }";
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
    for (states, wanted) in [(25, Status::Unknown), (10_000, Status::Refuted)] {
        let options = CheckOptions {
            properties: vec!["c".into()],
            ..CheckOptions::default()
        };
        let budget = Budget {
            states,
            ..Budget::default()
        };
        let by = theory("stoller-cohen").expect("shipped");
        let report = session.check(&by, &options, &Control::new(budget));
        let claim = report.properties.iter().find(|q| q.name == "c");
        assert_eq!(claim.map(|q| q.verdict), Some(wanted), "{states}");
    }
}

/// Slots are told by the number that objects are met in; which slot it was, the execution says.
#[test]
fn objects_are_told_apart_from_slots() {
    let source = "record node { v: 0..1 = 0; } pool P[2]: node;
        thread w(i in 0..1) { var n: ref node in P = null; transaction c { n = new P; n.v = 1; free(n); } }";
    let found = answers(source);
    assert_eq!(found[0].1, Status::Refuted);
    assert!(
        found[0].2.starts_with("P[object 0].v = 1, but 0 whenever"),
        "{found:?}"
    );
}

/// What a claim rests on is asked as well, whatever the theorem.
#[test]
fn a_claim_alone_is_answered_by_each_theorem() {
    let source = "mutex m; var x: 0..2 = 0 protected by m; invariant i: x <= 2; deadlock_free;
        thread w(i in 0..1) { var t: 0..2 = 0; transaction c { lock(m); t = x; x = t + 1; unlock(m); } }";
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
    for by in ["stoller-cohen", "lipton", "left-movers", "flanagan-qadeer"] {
        let options = CheckOptions {
            properties: vec!["c".into()],
            ..CheckOptions::default()
        };
        let report = session.check(&theory(by).expect("shipped"), &options, &Control::default());
        let all: Vec<(&str, Status)> = report
            .properties
            .iter()
            .map(|q| (q.name.as_str(), q.verdict))
            .collect();
        let names = ["discipline", "assertions", "deadlock_free", "i", "c"];
        assert_eq!(all, names.map(|n| (n, Status::Holds)), "{by}");
    }
}

/// What is a result at one place and scratch before it must not be forgotten there.
#[test]
fn what_is_seen_later_is_not_forgotten() {
    let retry = "t = 0; while (t == 0) { r = g; if (cas(g, r, 1 - r)) { t = 1; } }";
    let source = format!(
        "mutex m; mutex n; var g: 0..1 = 0 unprotected; var x: 0..1 = 0; var y: 0..1 = 0 protected by n;
         thread p {{ var t: 0..1 = 0; var r: 0..1 = 0; t = x; transaction c0 {{ r = g; t = g; {retry} }}
           when (t == 0) g = 1; }}
         thread q {{ var t: 0..1 = 0; var r: 0..1 = 0;
           either {{ transaction c1 {{ when (g == 1) skip; when (t == 0) g = 1; }} }} or {{ t = g; x = t; }}
           t = x; g = t; x = 1 - x; }}
         thread s {{ var t: 0..1 = 0; var r: 0..1 = 0; transaction c2 {{ r = x; {retry} {retry} }}
           t = x; g = t; x = 1 - x; }}
         invariant i: y == 0 || x == 1; deadlock_free;"
    );
    let loaded = Session::load("m.cor", &source, &[], ParseLimits::default());
    let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
    let counts = [const { Cell::new(0) }; 5];
    is_true(&session, None, &counts).unwrap_or_else(|e| panic!("{e}"));
}

/// Elmas, Qadeer & Tasiran 2009: designs without locks are transactions once a read may give any value, and a
/// compare-and-swap may fail for no reason.
#[test]
fn weaker_steps_show_blocks_without_locks() {
    let counter = "var x: 0..3 = 0 unprotected; thread inc(i in 1..3) { var t: 0..3 = 0; var done: bool = false;
        transaction c { while (!done) { t = x; done = cas(x, t, t + 1); } } }";
    let upgrade = "var strong: 0..3 = 1 unprotected; thread owner { strong = strong - 1; }
        thread user(i in 1..2) { var n: 0..3 = 0; var got: bool = false; var done: bool = false;
          transaction c { n = strong; while (!done) { if (n == 0) { done = true; }
            else { if (cas(strong, n, n + 1)) { got = true; done = true; } else { n = strong; } } } }
          if (got) { strong = strong - 1; } }";
    let push = "record node { next: ref node in P = null unprotected; } pool P[2]: node;
        var top: ref node in P = null unprotected;
        thread p(i in 1..2) { var n: ref node in P = null; var t: ref node in P = null; var done: bool = false;
          n = new P; transaction c { while (!done) { t = top; n.next = t; done = cas(top, t, n); } } }";
    let checked = "mutex m; var ready: bool = false unprotected; var data: 0..2 = 0 unprotected;
        thread user(i in 1..2) { var r: 0..2 = 0; transaction c {
          if (!ready) { lock(m); if (!ready) { data = 2; ready = true; } unlock(m); } r = data; } }";
    let test_and_set = "var l: bool = false unprotected; var x: 0..3 = 0 unprotected;
        thread w(i in 1..3) { transaction c { while (swap(l, true)) skip; } x = x + 1; l = false; }";
    // Flanagan, Freund & Qadeer 2005: an iteration that changes nothing, and one that only reads.
    let polled = "mutex m; var n: 0..2 = 0 protected by m; thread taker(i in 1..2) { var done: bool = false;
          transaction c { while (!done) { lock(m); if (n > 0) { n = n - 1; done = true; } unlock(m); } } }
        thread maker { lock(m); n = n + 1; unlock(m); lock(m); n = n + 1; unlock(m); }";
    let optimistic =
        "mutex m; var x: 0..3 = 0 protected by m; thread w(i in 1..2) { var done: bool = false;
        var t: 0..3 = 0; transaction c { while (!done) { lock(m); t = x; unlock(m);
          lock(m); if (x == t) { x = t + 1; done = true; } unlock(m); } } }";
    let counted = "semaphore s: 0..1 = 1; var n: 0..1 = 0; thread taker(i in 1..2) { var done: bool = false;
          transaction c { while (!done) { down(s); if (n > 0) { n = n - 1; done = true; } up(s); } } }
        thread maker { down(s); n = 1; up(s); }";
    let shared =
        "rwlock l; var x: 0..3 = 0; thread w(i in 1..2) { var done: bool = false; var t: 0..3 = 0;
        transaction c { while (!done) { read_lock(l); t = x; read_unlock(l);
          write_lock(l); if (x == t) { x = t + 1; done = true; } write_unlock(l); } } }";
    let lock_free = [counter, upgrade, push, checked, test_and_set];
    for source in [polled, optimistic, counted, shared]
        .into_iter()
        .chain(lock_free)
    {
        let (_, verdict, reason) = answers(source).remove(0);
        assert_eq!(verdict, Status::Holds, "{source}: {reason}");
        assert!(reason.contains("weaker step"), "{source}: {reason}");
        has_evidence(source);
    }
}

/// What holds with weaker steps has its evidence in a bundle, which is rejected with a set that is none, and without
/// what the claim rests on.
fn has_evidence(source: &str) {
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
    let options = CheckOptions {
        certificate: true,
        ..CheckOptions::default()
    };
    let by = theory("stoller-cohen").expect("shipped");
    let report = session.check(&by, &options, &Control::default());
    let good = *report.bundle.expect("evidence");
    assert!(good.compared.is_empty() && good.shows("c"), "{source}");
    let place = good.parts.iter().position(|p| p.weaker.is_some());
    let place = place.expect("weaker steps");
    let replay = |change: &dyn Fn(&mut Bundle)| {
        let mut bundle = good.clone();
        change(&mut bundle);
        verify(&write(&bundle), None, &[], &Control::default())
    };
    let verdict = replay(&|_| ());
    assert!(verdict.is_accepted(), "{source}: {verdict:#?}");
    assert!(read(&write(&good)).as_ref() == Ok(&good));
    let rejected = |what: &str, change: &dyn Fn(&mut Bundle)| {
        assert!(replay(change).rejected.is_some(), "{source}: {what}");
    };
    rejected("no states", &|b| b.parts[place].states = FALSE);
    rejected("another claim", &|b| {
        b.parts[place].claims = vec!["discipline".into()]
    });
    rejected("a theorem", &|b| {
        b.parts[place].theorem = Some("lipton".into())
    });
    rejected("nothing else", &|b| b.parts.retain(|p| p.weaker.is_some()));
    rejected("no path", &|b| {
        let paths = b.parts[place].weaker.iter_mut();
        paths.for_each(|paths| paths[0].way += 1000);
    });
    rejected("as it stands", &|b| b.parts[place].weaker = None);
}

/// What the checker says of a bundle that has a claim hold with these weaker steps, on the set of all states.
fn with_weaker_steps(
    p: &Program,
    bundle: &Bundle,
    claim: &str,
    weaker: Vec<WeakPath>,
) -> BundleVerdict {
    let mut bundle = bundle.clone();
    bundle.compared.clear();
    let others = bundle.parts.iter_mut();
    others.for_each(|part| part.claims.retain(|c| c != claim));
    bundle.parts.retain(|part| !part.claims.is_empty());
    let locations = p.threads.iter().map(|t| Item::Location(t.name.clone()));
    let cells = p.cells.iter().map(|c| Item::Cell(c.name.clone()));
    let items = std::iter::once(Item::Violated).chain(locations);
    bundle.parts.push(Part {
        weaker: Some(weaker),
        claims: vec![claim.to_string()],
        items: items.chain(cells).collect(),
        states: TRUE,
        ..Part::default()
    });
    verify(&write(&bundle), None, &[], &Control::default())
}

/// With both reads weakened nothing is in the way of movers; but the block does more when it runs alone.
#[test]
fn weaker_steps_must_not_do_more() {
    let source = "var x: 0..1 = 0 unprotected; thread o { x = 1; }
        thread w { var a: 0..1 = 0; var b: 0..1 = 0; transaction c { a = x; b = x; } }";
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
    let options = CheckOptions {
        certificate: true,
        ..CheckOptions::default()
    };
    let by = theory("stoller-cohen").expect("shipped");
    let report = session.check(&by, &options, &Control::default());
    let bundle = report.bundle.expect("the discipline holds");
    let path = |statement: &str| {
        let start = source.find(statement).expect("a statement");
        WeakPath {
            start,
            end: start + statement.len(),
            way: 0,
        }
    };
    let weaker = vec![path("a = x;"), path("b = x;")];
    let verdict = with_weaker_steps(session.program(), &bundle, "c", weaker);
    let why = verdict.rejected.expect("it is refuted");
    assert!(why.contains("not reached with the block atomic"), "{why}");
}

/// Whether a text begins with a lock and ends where it is given back, for the first or the second time.
fn is_section(text: &str) -> bool {
    ["lock(m);", "lock(n);"].iter().any(|lock| {
        let given = format!("un{lock}");
        text.starts_with(lock) && text.ends_with(&given) && text.matches(&given).count() < 3
    })
}

/// The most bytes of a program of which all paths are weakened.
const SHORT: usize = 400;

/// Whichever paths a bundle weakens, and on whatever set: what is accepted is true.
#[test]
fn what_is_accepted_with_weaker_steps_is_true() {
    let (tried, accepted, valid) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let mut runner = random::runner(1600);
    let result = runner.run(&programs(), |source| {
        // Of long programs little is accepted on the set of all states, and that takes long.
        if source.len() > SHORT {
            return Ok(());
        }
        let loaded = Session::load("m.cor", &source, &[], ParseLimits::default());
        let Ok((session, _)) = loaded else {
            return Ok(());
        };
        let options = CheckOptions {
            certificate: true,
            ..CheckOptions::default()
        };
        let by = theory("stoller-cohen").expect("shipped");
        let report = session.check(&by, &options, &Control::default());
        let (Some(bundle), p) = (report.bundle, session.program()) else {
            return Ok(());
        };
        let steps = p
            .threads
            .iter()
            .flat_map(|t| t.locations.iter().flat_map(|l| &l.edges));
        let mut spans: BTreeSet<(usize, usize)> =
            steps.map(|e| (e.span.start, e.span.end)).collect();
        let sections: Vec<(usize, usize)> = spans
            .iter()
            .flat_map(|from| spans.iter().map(|to| (from.0, to.1)))
            .filter(|&(start, end)| source.get(start..end).is_some_and(is_section))
            .collect();
        spans.extend(sections);
        for claim in &p.claims {
            let truth = truth(p, claim);
            let paths = |ways: &[usize]| -> Vec<WeakPath> {
                let of = |&(start, end): &(usize, usize)| {
                    ways.iter().map(move |&way| WeakPath { start, end, way })
                };
                spans.iter().flat_map(of).collect()
            };
            let replay = |weaker: Vec<WeakPath>| with_weaker_steps(p, &bundle, &claim.name, weaker);
            let all = paths(&[0, 1, 2, 3]).into_iter();
            let known: Vec<WeakPath> = all
                .filter(|path| {
                    let verdict = replay(vec![*path]);
                    !verdict
                        .rejected
                        .is_some_and(|why| why.contains("paths that"))
                })
                .collect();
            let each = known.iter().map(|path| vec![*path]);
            let rest = known.iter().map(|path| {
                let others = known.iter().filter(|other| *other != path);
                others.copied().collect()
            });
            for weaker in each.chain(rest).chain([Vec::new(), known.clone()]) {
                tried.set(tried.get() + 1);
                valid.set(valid.get() + usize::from(!weaker.is_empty()));
                let verdict = replay(weaker.clone());
                prop_assert!(verdict.stopped.is_none(), "{verdict:#?}");
                if verdict.is_accepted() {
                    accepted.set(accepted.get() + 1);
                    prop_assert_eq!(truth, Status::Holds, "{:?}\n{}", weaker, &source);
                }
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    let (tried, accepted, valid) = (tried.get(), accepted.get(), valid.get());
    assert!(
        random::enough(accepted, 40) && random::enough(valid, 200) && accepted < tried,
        "{accepted} of {tried} are accepted, {valid} weaken something"
    );
}

/// What came between is told with its lines: a step that has to do with what the block did before and does behind it.
#[test]
fn what_came_between_is_told() {
    let source = "var x: 0..3 = 0 unprotected; var y: 0..1 = 0 unprotected;
        thread w(i in 1..2) {
        var t: 0..3 = 0;
        transaction c {
        t = x;
        y = 1;
        x = t + 1;
        } }";
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
    let report = checked(&session, None);
    let between = report.claims[0].interruption.as_ref().expect("something");
    assert_ne!(between.before.thread, between.between.thread);
    assert_eq!(between.before.thread, between.behind.thread);
    assert_eq!(between.between.line, 7);
    assert!([5, 6].contains(&between.before.line), "{between:?}");
    assert_eq!(between.behind.line, between.before.line + 1);
    assert_eq!((between.variable.as_str(), between.writes), ("x", true));
}

/// Members of a family that do not do the same are judged each for itself: two of these only add, which commutes.
#[test]
fn members_that_differ_are_judged_apart() {
    let source = "var x: mod 8 = 0 unprotected; thread w(i in 0..2) {
        transaction c { x = i < 2 ? x + 1 : 0; x = i < 2 ? x + 1 : 0; } }";
    let (_, verdict, reason) = answers(source).remove(0);
    assert_eq!(verdict, Status::Refuted, "{reason}");
    let alike = source.replace("i < 2", "i < 3");
    let (_, verdict, reason) = answers(&alike).remove(0);
    assert_eq!(verdict, Status::Holds, "{reason}");
    assert!(reason.contains("by "), "{reason}");
}

/// What may not be weakened: a read whose value stays, a read that a write rests on, and a first look that nothing
/// repeats behind the flag.
#[test]
fn steps_that_matter_are_not_weakened() {
    let kept = "var x: 0..1 = 0 unprotected; thread o { x = 1; }
        thread w { var a: 0..1 = 0; var b: 0..1 = 0; transaction c { a = x; b = x; }
          assert(a <= b); when (a == b) skip; }";
    let lost = "var x: 0..3 = 0 unprotected; thread inc(i in 1..2) { var t: 0..3 = 0;
        transaction c { t = x; if (t < 3) { x = t + 1; } } }";
    let early = "mutex m; var ready: bool = false unprotected; var data: 0..2 = 0 unprotected;
        thread user(i in 1..2) { var r: 0..2 = 0; transaction c {
          if (!ready) { lock(m); if (!ready) { ready = true; data = 2; } unlock(m); } r = data; } }";
    // Where the thread begins is asked for.
    let begun = "var x: 0..3 = 0 unprotected; thread w(i in 1..2) { var t: 0..3 = 0;
        transaction c { L: if (x == 0) { t = 1; } else { t = 2; } x = t; } } init at(w(1), L);";
    for source in [kept, lost, early, begun] {
        let (_, verdict, reason) = answers(source).remove(0);
        assert_eq!(verdict, Status::Refuted, "{source}: {reason}");
    }
}

/// A section that control comes into elsewhere, by another step or another way through the step that begins it, and
/// one that is left with the lock still held, is no step. Each has a way that could be weakened.
#[test]
fn what_is_no_section_is_followed() {
    let with = |block: &str, behind: &str| {
        format!(
            "var g: 0..1 = 0 unprotected; var l: bool = false unprotected; thread o {{ g = 1; }}
             thread w {{ var a: 0..2 = 2; var b: 0..2 = 2; var j: bool = false; var k: bool = false;
               transaction c {{ havoc j; havoc k; {block} }} {behind} }}"
        )
    };
    let section = "if (k) { b = g; } l = false;";
    let another_step = with(
        &format!("either {{ when (!l) l = true; }} or {{ a = g; }} {section}"),
        "",
    );
    let another_way = with(
        &format!("atomic {{ if (j && !l) {{ l = true; }} else {{ a = g; }} }} {section}"),
        "",
    );
    let left_open = with(
        "when (!l) l = true; if (k) { l = false; } else { a = g; b = g; }",
        "l = false;",
    );
    let jump = with(
        &format!("if (j) {{ a = g; goto mid; }} when (!l) l = true; mid: skip; {section}"),
        "",
    );
    for source in [another_step, another_way, left_open, jump] {
        let (_, verdict, reason) = answers(&source).remove(0);
        assert_eq!(verdict, Status::Refuted, "{source}: {reason}");
    }
}

/// What is compared and cut short is undecided; and a claim that a bundle compares is one of the model's, once.
#[test]
fn a_bundle_that_compares_is_held_to_its_limits() {
    let source = "var x: 0..3 = 0 unprotected; thread inc(i in 1..3) { var t: 0..3 = 0; var done: bool = false;
        transaction c { while (!done) { t = x; done = cas(x, t, t + 1); } } } invariant i: x <= 3;";
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded.unwrap_or_else(|d| panic!("{d:?}"));
    let with = |claims: &[&str], states| {
        let budget = Budget {
            states,
            ..Budget::default()
        };
        compared(&session, claims, &Control::new(budget))
    };
    assert!(with(&["c"], 10_000).is_accepted());
    assert_eq!(with(&["c"], 10).stopped, Some(Stop::States));
    for wrong in [&["i"][..], &["d"], &["c", "c"], &["discipline"]] {
        assert!(with(wrong, 10_000).rejected.is_some(), "{wrong:?}");
    }
}
