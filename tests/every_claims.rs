//! Claims of transactions for every value of a constant: each answer is the one that the definition gives for the first
//! values, and so is what the checker accepts, whatever a bundle claims.

use crate::claimed::{families, truth};
use crate::random;
use coarsen::base::control::{Control, ParseLimits};
use coarsen::base::evidence::{Bundle, HYPOTHESES};
use coarsen::certificate::{BundleVerdict, verify, write};
use coarsen::results::{EveryReport, Status, Verdict};
use coarsen::{Session, theory};
use proptest::prelude::*;
use std::cell::Cell;

fn session(source: &str, n: Option<i64>) -> Option<Session> {
    let defines: Vec<(String, String)> = n.iter().map(|n| ("N".into(), n.to_string())).collect();
    let loaded = Session::load("m.cor", source, &defines, ParseLimits::default());
    loaded.ok().map(|(session, _)| session)
}

fn every(source: &str) -> EveryReport {
    let theory = theory("stoller-cohen").expect("shipped");
    let session = session(source, None).unwrap_or_else(|| panic!("a model: {source}"));
    session.every(&theory, "N", true, &Control::default())
}

fn replay(bundle: &Bundle) -> BundleVerdict {
    verify(&write(bundle), None, &[], &Control::default())
}

/// What the checker says if this is claimed to be atomic, whatever was found.
fn claimed(report: &EveryReport, name: &str) -> BundleVerdict {
    let mut bundle = report.bundle.as_deref().expect("a bundle").clone();
    bundle.parts[0].claims = vec![HYPOTHESES.into(), "discipline".into(), name.into()];
    replay(&bundle)
}

/// What is said of a program, by finder and checker, is true for the first values. How many claims hold.
fn is_true(source: &str) -> Result<usize, TestCaseError> {
    let Some(all) = session(source, None) else {
        return Ok(0);
    };
    let report = every(source);
    let Some(from) = report.from.as_ref().and_then(|f| f.parse::<i64>().ok()) else {
        return Ok(0);
    };
    let honest = report.bundle.as_deref().map(replay);
    let why = honest.as_ref().and_then(|v| v.rejected.clone());
    prop_assert_eq!(why, None, "{}", source);
    let mut held = 0;
    for claim in &all.program().claims {
        let told = report.claims.iter().find(|c| c.name == claim.name);
        let holds = told.is_some_and(|c| c.status == Status::Holds);
        let accepted = claimed(&report, &claim.name).is_accepted();
        prop_assert!(accepted || !holds, "{}: {}", claim.name, source);
        if !accepted {
            continue;
        }
        held += usize::from(holds);
        for n in from..=from.max(2) {
            let one = session(source, Some(n)).expect("a model");
            let p = one.program();
            let mut there = p.claims.iter();
            let there = there.find(|c| c.name == claim.name).expect("the same");
            let found = truth(p, there);
            prop_assert!(
                found != Status::Refuted,
                "{} is refuted for N = {n}: {source}",
                claim.name
            );
        }
    }
    Ok(held)
}

#[test]
fn what_is_said_of_blocks_for_every_value_is_true() {
    let held = Cell::new(0usize);
    let mut runner = random::runner(200);
    let result = runner.run(&families(), |source| {
        held.set(held.get() + is_true(&source)?);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(random::enough(held.get(), 20), "{} hold", held.get());
}

/// Each claim with the theorem by which it holds for every value, or what stands against it.
fn said(source: &str) -> Vec<(String, Option<String>, String)> {
    let report = every(source);
    assert_eq!(report.verdict, Verdict::Holds, "{:?}", report.obstacle);
    is_true(source).unwrap_or_else(|why| panic!("{why}"));
    let told = report.claims.into_iter().map(|c| {
        let why = c.obstacle.map(|o| o.to_string()).unwrap_or_default();
        (c.name, c.theorem, why)
    });
    told.collect()
}

fn holds(source: &str, theorem: &str) {
    let all = said(source);
    let theorems: Vec<Option<&str>> = all.iter().map(|(_, t, _)| t.as_deref()).collect();
    assert_eq!(theorems, [Some(theorem)], "{source}: {all:?}");
}

fn is_open(source: &str, why: &str) {
    let all = said(source);
    assert!(
        all.iter()
            .all(|(_, theorem, told)| theorem.is_none() && told.contains(why)),
        "{source}: {all:?}"
    );
}

fn family(before: &str, block: &str, behind: &str) -> String {
    format!(
        "const N = 3; mutex m; mutex n; var x: mod 4 = 0; var y: mod 4 = 0; {before}
         thread w(i in 0..N-1) {{ var t: mod 4 = 0; transaction c {{ {block} }} }} {behind}"
    )
}

#[test]
fn blocks_under_locks() {
    let under = "lock(m); t = x; x = t + 1; unlock(m);";
    holds(&family("", under, ""), "left-movers");
    // The second lock may have to wait, and the block then has done nothing that others see.
    let two = "lock(m); lock(n); t = x; y = t; x = t + 1; unlock(n); unlock(m);";
    holds(&family("", two, ""), "left-movers");
    // Others see the values between.
    is_open(
        &family(
            "",
            "lock(m); x = x + 1; unlock(m); lock(m); x = x + 1; unlock(m);",
            "",
        ),
        "no left mover",
    );
    // One lock of several, by a number that is chosen.
    holds(
        "const N = 3; mutex m[N]; var acc[N]: mod 4 = 0 protected acc[k] by m[k];
         thread w(i in 0..N-1) { var a: 0..N-1 = 0; var b: 0..N-1 = 0; havoc a; havoc b; assume(a < b);
            transaction c { lock(m[a]); lock(m[b]); acc[a] = acc[a] - 1; acc[b] = acc[b] + 1;
               unlock(m[b]); unlock(m[a]); } }",
        "lipton",
    );
}

/// A block that is never completed is seen by what goes wrong meanwhile, by invariants and by deadlocks.
#[test]
fn interrupted_blocks() {
    let under = "lock(m); x = x + 1; unlock(m);";
    let local = "var z: mod 4 = 0 unprotected; var seen: mod 4 = 0;";
    // A thread that waits or loops behind the commit point lets others go wrong. If the block is atomic, nobody else
    // takes a step then.
    let observed = |behind: &str| {
        format!(
            "const N = 2; var z: mod 4 = 0 unprotected; var b: bool = false unprotected;
             thread w(i in 0..N-1) {{ var t: mod 4 = 0; havoc t; transaction c {{ z = t; {behind} }} }}
             thread o {{ assert(z != 1); }}"
        )
    };
    for (behind, why) in [
        ("when (t != 1 || b) skip;", "while a thread waits inside"),
        ("while (t == 1) { t = 1; }", "need not come to an end"),
    ] {
        let source = observed(behind);
        is_open(&source, why);
        let two = session(&source, None).expect("a model");
        let p = two.program();
        assert_eq!(truth(p, &p.claims[0]), Status::Refuted, "{source}");
    }
    holds(&observed("t = 0;"), "left-movers");
    // The invariant looks at what the block writes.
    let looks = format!("{local} invariant even: x != 1;");
    is_open(
        &family(&looks, under, ""),
        "`even` looks at what the block writes",
    );
    let other = format!("{local} invariant zero: z == 0;");
    holds(&family(&other, under, ""), "left-movers");
    // What it looks at is not taken from the instance, where this says nothing of x; nor is it known of all forms.
    let (large, owner) = (
        "invariant even: N < 4 || x != 1;",
        "invariant even: m.owner != 7;",
    );
    let local = "invariant even: w(0).t == 0;";
    for looks in [large, owner, local] {
        is_open(
            &family(looks, under, ""),
            "`even` looks at what the block writes",
        );
    }
}

/// What is not known, and what the definition refutes for the first values.
fn is_refuted(source: &str, why: &str) {
    is_open(source, why);
    let two = session(source, Some(2)).expect("a model");
    let p = two.program();
    assert_eq!(truth(p, &p.claims[0]), Status::Refuted, "{source}");
}

/// With deadlocks asked for, no thread may get stuck inside. None does where locks are taken in an order.
#[test]
fn locks_in_order() {
    let two = "lock(m); lock(n); x = x + 1; unlock(n); unlock(m);";
    let free = |before: &str, block: &str, others: &str| {
        family(&format!("{before} deadlock_free;"), block, others)
            .replace("var x: mod 4 = 0;", "var x: mod 4 = 0 protected by m;")
    };
    holds(
        &free("", "lock(m); x = x + 1; unlock(m);", ""),
        "left-movers",
    );
    holds(&free("", two, ""), "left-movers");
    let z = "var z: 0..2 = 0 unprotected;";
    let beside = |other: &str| {
        free(
            z,
            two,
            &format!("thread o {{ {other} }} thread q {{ z = 1; }}"),
        )
    };
    holds(&beside("lock(n); z = 0; unlock(n);"), "lipton");
    for (other, why) in [
        (
            "lock(n); lock(m); unlock(m); unlock(n);",
            "taken in more than one order",
        ),
        ("lock(n);", "o may end with a lock"),
        (
            "lock(n); when (z == 2) skip; unlock(n);",
            "something else than a lock above",
        ),
        ("lock(n); assert(z == 0); unlock(n);", "may go wrong while"),
        // The thread that goes wrong keeps the one, and gives the other back.
        (
            "lock(m); lock(n); atomic { unlock(m); assert(z == 0); } unlock(n);",
            "may go wrong while",
        ),
    ] {
        is_refuted(&beside(other), why);
    }
    // What takes a lock in the step that goes wrong, keeps it; what else a step waits for is no lock.
    for (other, why) in [
        (
            "atomic { lock(n); assert(z == 0); } unlock(n);",
            "may go wrong while",
        ),
        (
            "lock(n); atomic { when (z == 2) lock(p); } unlock(p); unlock(n);",
            "something else than a lock above",
        ),
    ] {
        let source = beside(other).replace("mutex n;", "mutex n; mutex p;");
        is_refuted(&source, why);
    }
    // Who goes wrong owns what the others wait for, so that they are not inside.
    holds(
        &beside("lock(m); lock(n); assert(z == 0); unlock(n); unlock(m);"),
        "right-movers",
    );
    is_refuted(&free("", "lock(m); lock(n); lock(m);", ""), "a lock above");
    is_refuted(
        &free(
            "semaphore s: 0..1 = 0;",
            "lock(m); down(s); unlock(m);",
            "thread o { either { up(s); } or { skip; } }",
        ),
        "something else than a lock above",
    );
    // Cells of an array are in the order of their indices.
    let cells = |choice: &str, block: &str| {
        format!(
            "const N = 2; mutex a[N + 1]; deadlock_free;
             thread w(i in 0..N-1) {{ var k: 0..N = 0; var l: 0..N = 0; {choice} transaction c {{ {block} }} }}"
        )
    };
    let both = "lock(a[k]); lock(a[l]); unlock(a[l]); unlock(a[k]);";
    holds(
        &cells(
            "",
            "lock(a[i]); lock(a[i + 1]); unlock(a[i]); unlock(a[i + 1]);",
        ),
        "lipton",
    );
    holds(&cells("havoc k; havoc l; assume(k < l);", both), "lipton");
    is_refuted(
        &cells("havoc k; havoc l; assume(k != l);", both),
        "a lock above",
    );
    is_refuted(
        &cells("havoc k; havoc l; assume(k <= l);", both),
        "a lock above",
    );
    let ring = "lock(a[i]); lock(a[(i + 1) % N]); unlock(a[i]); unlock(a[(i + 1) % N]);";
    is_refuted(&cells("", ring), "a lock above");
    // A lock is not forgotten when its index changes.
    let moved = "lock(a[k]); k = 1 - k; lock(a[k]); unlock(a[k]); unlock(a[1 - k]);";
    is_refuted(&cells("havoc k; assume(k < 2);", moved), "a lock above");
}

/// Shipped models, the second with any number of callers.
#[test]
fn shipped_blocks_under_several_locks() {
    let read = |name: &str| {
        let path = format!("{}/models/{name}.cor", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).expect("shipped")
    };
    let counter =
        read("flanagan_qadeer/counter").replace("const K = 3;", "const K = 2; const N = 2;");
    let counter = counter.replace("caller(i in 0..1)", "caller(i in 0..N-1)");
    for (source, claims) in [(read("transactions/clerks"), 2), (counter, 3)] {
        let all = said(&source);
        let held = all.iter().filter(|(_, theorem, _)| theorem.is_some());
        assert_eq!((held.count(), all.len()), (claims, claims), "{all:?}");
    }
}

/// Which cell a lock is must not depend on what others write.
#[test]
fn a_lock_by_a_shared_index() {
    is_refuted(
        "const N = 2; mutex a[4]; var s: 0..3 = 3 unprotected; deadlock_free;
         thread w(i in 0..N-1) { transaction c { lock(a[1]); lock(a[3]); unlock(a[3]); unlock(a[1]); } }
         thread o { s = 0; }
         thread p { lock(a[s]); if (s == 0) { lock(a[1]); } while (true) skip; }",
        "may get stuck inside",
    );
}

/// Blocks under locks that are taken in some order or other, beside threads that take them, too.
fn lockers() -> impl Strategy<Value = String> {
    let step = prop_oneof![
        6 => Just("lock(m);"),
        6 => Just("lock(n);"),
        6 => Just("lock(a[i]);"),
        6 => Just("lock(a[i + 1]);"),
        2 => Just("lock(a[k]);"),
        2 => Just("lock(a[N - i]);"),
        1 => Just("k = i;"),
        1 => Just("k = i + 1;"),
        1 => Just("g = 1;"),
        1 => Just("assert(g == 0);"),
        1 => Just("when (g == 1) skip;"),
        1 => Just("if (g == 0) { k = 0; }"),
    ];
    let part = (
        prop::collection::vec(step, 1..4),
        prop::collection::vec(0..9u8, 3),
        any::<bool>(),
    );
    let part = part.prop_map(|(steps, order, loops)| {
        let mut text: String = steps.concat();
        // Mostly what was taken is given back.
        let mut taken: Vec<&str> = steps
            .into_iter()
            .filter(|s| s.starts_with("lock"))
            .collect();
        for n in order {
            if n > 0 && !taken.is_empty() {
                let lock = taken.remove(usize::from(n) % taken.len());
                text += &format!("un{lock}");
            }
        }
        (text, loops)
    });
    let other = prop::option::of(part.clone());
    (part, other).prop_map(|((block, loops), other)| {
        let block = format!("transaction c {{ {block} }}");
        let block = match loops {
            true => format!("while (true) {{ {block} }}"),
            false => block,
        };
        let other = other.map_or(String::new(), |(text, _)| {
            format!("thread o {{ var k: 0..N = 0; {} }}", text.replace("i + 1", "1").replace('i', "0"))
        });
        let other = other.replace("0f (", "if (");
        format!(
            "const N = 2; mutex m; mutex n; mutex a[N + 1]; var g: 0..1 = 0 unprotected; deadlock_free;
             thread w(i in 0..N-1) {{ var k: 0..N = 0; {block} }} {other}"
        )
    })
}

#[test]
fn what_is_said_of_locks_in_order_is_true() {
    let held = Cell::new(0usize);
    let mut runner = random::runner(150);
    let result = runner.run(&lockers(), |source| {
        held.set(held.get() + is_true(&source)?);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(random::enough(held.get(), 10), "{} hold", held.get());
}

/// What goes wrong is told apart by its place, which two steps that are exchanged need not agree on.
#[test]
fn what_goes_wrong_in_several_ways() {
    let under = "lock(m); x = x + 1; unlock(m);";
    let before = "var z: mod 4 = 0 unprotected;";
    let observed = |checks: &str| {
        let others = format!("thread o {{ atomic {{ {checks} }} }} thread q {{ z = z + 1; }}");
        family(before, under, &others)
            .replace("var x: mod 4 = 0;", "var x: mod 4 = 0 protected by m;")
    };
    holds(&observed("assert(z == 0);"), "left-movers");
    // No step of the block decides which one fails.
    holds(&observed("assert(z != 1); assert(z != 2);"), "left-movers");
    let under = "lock(m); z = z + 1; unlock(m);";
    let decided = |checks: &str| {
        let others = format!("thread o {{ lock(m); atomic {{ {checks} }} unlock(m); }}");
        family(before, under, &others)
    };
    let both = "assert(z != 1); assert(z != 2);";
    holds(&decided(both), "left-movers");
    is_open(
        &decided(both).replace("thread o { lock(m);", "thread o {"),
        "may decide in which",
    );
    // What is under the lock is not changed by anyone who is there, too.
    holds(
        "const N = 3; const CAP = 3; mutex m;
         var top: 0..CAP = 0 protected by m; var data[CAP]: 0..N = 0 protected by m;
         thread w(i in 0..N-1) { var v: 0..N = 0; while (true) { transaction c { lock(m);
            if (top > 0) { top = top - 1; v = data[top]; } else { data[top] = i; top = top + 1; } unlock(m); } } }",
        "left-movers",
    );
}

#[test]
fn blocks_of_which_nothing_is_said() {
    is_open(
        &family(
            "",
            "while (t != 1) { t = t + 1; lock(m); x = t; unlock(m); }",
            "",
        ),
        "begins with a loop",
    );
    let z = "var z: 0..1 = 0 unprotected;";
    is_open(
        &family(z, "when (z == 1) skip; lock(m); x = 1; unlock(m);", ""),
        "no thread is seen to leave",
    );
    // The discipline is not kept for every value, so nothing is said.
    let source = "const N = 3; mutex m; var x: 0..1 = 0 protected x by m;
        thread w(i in 0..N-1) { transaction c { if (i != 3) { lock(m); } x = 1; if (i != 3) { unlock(m); } } }";
    let report = every(source);
    assert_eq!(report.verdict, Verdict::Unknown);
    assert!(report.claims.is_empty(), "{:?}", report.claims);
    let verdict = claimed(&report, "c");
    assert!(!verdict.is_accepted(), "{verdict:?}");
}

/// A thread that behaves differently from an index on is seen, too.
#[test]
fn an_exception_behind_the_instance() {
    let source = |except: &str| {
        format!(
            "const N = 3; mutex m; var x: 0..3 = 0 unprotected;
             thread w(i in 0..N-1) {{ transaction c {{ if (i != {except}) {{ lock(m); }} x = 1; x = 2;
                if (i != {except}) {{ unlock(m); }} }} }}"
        )
    };
    holds(&source("0 - 1"), "left-movers");
    is_open(&source("5"), "no left mover");
}

/// Nobody has to be believed: claims of blocks that there are not, twice, or in another place.
#[test]
fn forged_claims() {
    let report = every(&family("", "lock(m); x = x + 1; unlock(m);", ""));
    assert!(claimed(&report, "c").is_accepted());
    let good = report.bundle.as_deref().expect("a bundle");
    assert!(good.shows("c"));
    let refused = |claims: &[&str], why: &str| {
        let mut bundle = good.clone();
        bundle.parts[0].claims = claims.iter().map(ToString::to_string).collect();
        let said = replay(&bundle).rejected.unwrap_or_default();
        assert!(said.contains(why) && !said.is_empty(), "{claims:?}: {said}");
    };
    refused(
        &[HYPOTHESES, "discipline", "d"],
        "nothing is shown but blocks",
    );
    refused(
        &[HYPOTHESES, "discipline", "assertions"],
        "nothing is shown but blocks",
    );
    refused(&[HYPOTHESES, "discipline", "c", "c"], "claimed twice");
    refused(&[HYPOTHESES, "c"], "no more is shown");
    refused(&["c"], "no more is shown");
}
