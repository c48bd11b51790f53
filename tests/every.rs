//! `check --every N`: what is said of every value of a constant, held against what relations say of small values.

use super::random::{enough, runner};
use coarsen::base::control::{Control, ParseLimits};
use coarsen::base::evidence::HYPOTHESES;
use coarsen::certificate::{verify, write};
use coarsen::results::{EveryReport, Obstacle, Report, Status, Verdict};
use coarsen::theorem::ForEvery;
use coarsen::{CheckOptions, Session, theory};
use proptest::collection::vec;
use std::fmt::Write;

fn session(source: &str, n: Option<i64>) -> Option<Session> {
    let defines: Vec<(String, String)> = n
        .into_iter()
        .map(|n| ("N".to_string(), n.to_string()))
        .collect();
    let loaded = Session::load("m.cor", source, &defines, ParseLimits::default());
    loaded.ok().map(|(session, _)| session)
}

pub fn every(source: &str) -> EveryReport {
    let theory = theory("stoller-cohen").expect("shipped");
    let session = session(source, None).expect("a model");
    session.every(&theory, "N", true, &Control::default())
}

/// What is said for every value has a bundle that is accepted, and that says the same.
fn has_evidence(report: &EveryReport) {
    let bundle = report.bundle.as_deref().expect("a bundle");
    let verdict = verify(&write(bundle), None, &[], &Control::default());
    assert!(verdict.is_accepted(), "{verdict:#?} of {}", bundle.text);
    let mut claims = vec![HYPOTHESES];
    if report.discipline == Status::Holds {
        claims.push("discipline");
    }
    let [shown] = verdict.parts.as_slice() else {
        panic!("{verdict:#?}");
    };
    assert_eq!(shown.claims, claims);
    let values = shown.every.as_ref().expect("values");
    assert_eq!(Some(values.from.to_string()), report.from);
    assert_eq!(values.constant, "N");
}

pub fn model(path: &str) -> String {
    let path = format!("{}/models/{path}.cor", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a shipped model")
}

pub fn said(report: &EveryReport) -> String {
    report
        .obstacle
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// Hypotheses and discipline, from the value on.
pub fn holds(source: &str, from: &str) {
    let report = every(source);
    assert_eq!(
        report.verdict,
        Verdict::Holds,
        "{} in {source}",
        said(&report)
    );
    assert_eq!(report.from.as_deref(), Some(from), "{source}");
    assert!(report.hypotheses.iter().all(|h| h.status == Status::Holds));
    assert_eq!(report.hypotheses.len(), 8);
    has_evidence(&report);
}

/// The hypotheses only, with what stands against the discipline.
fn only_hypotheses(source: &str, from: &str, obstacle: &str) {
    let report = every(source);
    assert_eq!(report.verdict, Verdict::Unknown);
    assert_eq!(report.discipline, Status::Unknown);
    assert_eq!(report.from.as_deref(), Some(from), "{source}");
    assert!(said(&report).contains(obstacle), "{}", said(&report));
    has_evidence(&report);
}

/// Nothing for every value.
fn fails(source: &str, obstacle: &str) {
    let report = every(source);
    assert_eq!(report.verdict, Verdict::Unknown, "{source}");
    assert!(report.from.is_none(), "{source}");
    assert!(report.bundle.is_none(), "{source}");
    let all = report.hypotheses.iter().filter_map(|h| h.obstacle.as_ref());
    let all: Vec<String> = all
        .map(ToString::to_string)
        .chain([said(&report)])
        .collect();
    assert!(all.iter().any(|o| o.contains(obstacle)), "{all:?}");
}

const COUNTER: &str = "const N = 3; mutex m; var x: 0..N = 0;
    thread w(i in 0..N-1) { var t: 0..N = 0; lock(m); t = x; x = t + 1; unlock(m); }";

#[test]
fn families_under_locks() {
    holds(COUNTER, "1");
    holds(&model("classic/philosophers_atomic"), "1");
    holds(
        "const N = 3; const CAP = 3; mutex m; var top: 0..CAP = 0; var data[CAP]: 0..N = 0;
         thread w(i in 0..N-1) { while (true) {
            lock(m); if (top < CAP) { data[top] = i; top = top + 1; } unlock(m);
            lock(m); if (top > 0) { top = top - 1; data[top] = 0; } unlock(m); } }",
        "1",
    );
    holds(
        "const N = 4; const S = 2; mutex m[S]; var x[S]: 0..7 = 0;
         thread w(i in 0..N-1) { var k: 0..S-1 = 0; while (true) {
            havoc k; lock(m[k]); x[k] = i % 8; x[k] = (x[k] + 1) % 8; unlock(m[k]); } }",
        "1",
    );
    holds(
        "const N = 3; mutex m[3]; var acc[3]: 0..3 = 1 protected acc[k] by m[k];
         thread w(i in 0..N-1) { var a: 0..2 = 0; var b: 0..2 = 0;
            havoc a; havoc b; assume(a < b); lock(m[a]); lock(m[b]);
            if (acc[a] > 0 && acc[b] < 3) { acc[a] = acc[a] - 1; acc[b] = acc[b] + 1; }
            unlock(m[b]); unlock(m[a]); }",
        "1",
    );
}

/// A flag, or a turn, gives access: what is known of a thread where it is, and nobody else takes away.
#[test]
fn flags_and_turns_give_access() {
    holds(&model("monitors/double_checked"), "1");
    holds(&model("monitors/snapshot"), "1");
    holds(&model("hypotheses/token_ring"), "1");
    let published = |writer: &str, reader: &str, others: &str| {
        format!(
            "const N = 3; mutex m; var ready: bool = false unprotected; var out[N]: 0..3 = 0;
             var x: 0..3 = 0 protected x by m.owner == self && !ready, read by ready;
             thread writer {{ lock(m); if (!ready) {{ x = 1; x = x + 1; {writer} }} unlock(m); }}
             thread reader(i in 0..N-1) {{ {reader} out[i] = x; out[i] = x; }} {others}"
        )
    };
    let looks = "when (ready) skip;";
    holds(&published("ready = true;", looks, ""), "1");
    let access = "access to `x`";
    // Each of these is no publication.
    only_hypotheses(&published("ready = true;", "", ""), "1", access);
    only_hypotheses(&published("ready = true; x = 0;", looks, ""), "1", access);
    let reset = "thread reset { when (ready) skip; ready = false; }";
    fails(&published("ready = true;", looks, reset), "is no fact for");
    let unlocked = "thread other { if (!ready) { ready = true; } }";
    fails(
        &published("ready = true;", looks, unlocked),
        "is no fact for",
    );
}

#[test]
fn a_ring_of_locks() {
    holds(&model("classic/locked_ring"), "1");
}

#[test]
fn a_thread_that_does_not_lock_is_seen_behind_the_instance() {
    // At N = 3 everything holds; the thread that takes no lock comes with N = 4.
    let source = |except: &str| {
        format!(
            "const N = 3; mutex m; var x: 0..1 = 0 protected x by m;
             thread w(i in 0..N-1) {{ if (i != {except}) {{ lock(m); }} x = 1; if (i != {except}) {{ unlock(m); }} }}"
        )
    };
    let report = every(&source("3"));
    assert_eq!(report.verdict, Verdict::Unknown);
    assert!(said(&report).contains("access to `x`"), "{}", said(&report));
    // No instance that is looked at has that thread.
    fails(&source("17"), "needs the value of");
    // There is no such thread.
    holds(&source("0 - 1"), "1");
}

#[test]
fn what_is_known_for_one_value_only_is_named() {
    fails(
        "const N = 3; mutex m; var x: 0..7 = 0;
         thread w(i in 0..N-1) { for (k in 0..N-1) { lock(m); x = k; unlock(m); } }",
        "needs the value of N-1",
    );
    fails(
        "const N = 3; rwlock m; var x: 0..7 = 0;
         thread w(i in 0..N-1) { write_lock(m); x = 1; write_unlock(m); }",
        "needs the value of m",
    );
    fails(
        "const N = 3; mutex m; var x: 0..N*N*N*N = 0;
         thread w(i in 0..N-1) { lock(m); if (x < N) { x = x + 1; } unlock(m); }",
        "line 1, with the constant left open: the values",
    );
    let overflow = "const N = 3; mutex m; var x: 0..3 = 0; thread w(i in 0..N-1) { lock(m); x = i; unlock(m); }";
    holds(overflow, "1");
}

#[test]
fn two_families_and_literals() {
    holds(
        "const N = 3; mutex m; var x: 0..N = 0; var y[N]: 0..1 = 0;
         thread a(i in 0..N-1) { lock(m); x = i; x = 0; unlock(m); y[i] = 1; }
         thread b(i in 0..N) { lock(m); if (x > 0) { x = x - 1; } unlock(m); }",
        "1",
    );
    holds(
        "const N = 3; mutex m; var x: 0..N = 0;
         thread w(i in 0..N-1) { lock(m); if (i == 0) { x = 1; } else { x = i; } x = 0; unlock(m); }",
        "1",
    );
}

/// A family of threads that differ, from a stream of numbers.
pub fn family(mut next: impl FnMut(usize) -> usize) -> String {
    let indices = ["i", "0", "(i + 1) % N", "1"];
    let mut text = String::from("const N = 3; mutex m[N + 1]; var y: 0..N = 0 unprotected;\n");
    let by = [
        "m[k]",
        "m[0]",
        "m[k].owner == self || (y == N && self == k)",
        "y == self",
        "m[k].owner == self && y != N, read by y == N",
        "self == 0 && y != N, read by y == N",
    ][next(6)];
    let _ = writeln!(text, "var x[N + 1]: 0..2 = 0 protected x[k] by {by};");
    text += "thread w(i in 0..N-1) { var t: 0..2 = 0;\n";
    let mut steps = String::new();
    for _ in 0..1 + next(3) {
        let (a, b) = (indices[next(4)], indices[next(4)]);
        let step = match next(11) {
            8 => "y = N;".to_string(),
            9 => "y = (i + 1) % N;".to_string(),
            10 => "when (y == i) skip;".to_string(),
            0 => format!("x[{a}] = t;"),
            1 => format!("t = x[{a}];"),
            2 => format!("x[{a}] = x[{b}];"),
            3 => "y = i;".to_string(),
            4 => format!("if (t == 1) {{ x[{a}] = 0; }} else {{ t = 1; }}"),
            5 => "havoc t;".to_string(),
            6 => format!("atomic {{ t = x[{a}]; x[{b}] = 0; }}"),
            _ => format!("when (y != {}) t = 0;", next(3)),
        };
        steps += &step;
        steps += "\n";
    }
    let lock = indices[next(4)];
    let body = match next(6) {
        0 => steps.clone(),
        1 => format!(
            "if (i == {}) {{ {steps} }} else {{ lock(m[{lock}]); {steps} unlock(m[{lock}]); }}",
            next(5)
        ),
        2 => format!(
            "if (i < {}) {{ lock(m[{lock}]); }} {steps} if (i < {0}) {{ unlock(m[{lock}]); }}",
            next(5)
        ),
        _ => format!("lock(m[{lock}]); {steps} unlock(m[{lock}]);"),
    };
    let body = match next(3) {
        0 => format!("while (true) {{ {body} }}"),
        _ => body,
    };
    text + &body + "}\n"
}

/// What is said for every value agrees with what relations, and the exploration, say of the first values. Whether
/// anything was said.
pub fn agrees(source: &str) -> bool {
    if session(source, None).is_none() {
        return false;
    }
    let report = every(source);
    let Some(from) = report
        .from
        .as_ref()
        .map(|f| f.parse::<i64>().expect("a number"))
    else {
        return false;
    };
    has_evidence(&report);
    let theory = theory("stoller-cohen").expect("shipped");
    for n in from..from + 3 {
        let Some(session) = session(source, Some(n)) else {
            continue;
        };
        let options = CheckOptions {
            discharge: coarsen::theorem::By::Relations,
            ..CheckOptions::default()
        };
        let control = Control::default();
        let one = session.check(&theory, &options, &control);
        for (h, all) in one.hypotheses.iter().zip(&report.hypotheses) {
            assert_ne!(
                h.status,
                Status::Refuted,
                "({}) for N = {n} in {source}",
                h.id
            );
            assert_eq!(all.status, Status::Holds);
        }
        if report.discipline == Status::Holds {
            let discipline = one.properties.iter().find(|p| p.name == "discipline");
            let status = discipline.map(|p| p.verdict);
            assert_ne!(status, Some(Status::Refuted), "N = {n} in {source}");
        }
    }
    true
}

#[test]
fn random_families() {
    let said = std::cell::Cell::new(0usize);
    let cases = runner(160).run(&vec(0usize..1000, 60), |numbers| {
        let mut stream = numbers.into_iter().cycle();
        let source = family(|n| stream.next().unwrap_or(0) % n);
        said.set(said.get() + usize::from(agrees(&source)));
        Ok(())
    });
    assert!(cases.is_ok(), "{cases:?}");
    assert!(
        enough(said.get(), 80),
        "only of {} families anything is said",
        said.get()
    );
}

/// What a review found to be taken from the instance, silently: each was said to hold for all N, and is refuted for
/// some.
#[test]
fn nothing_is_taken_from_the_instance() {
    let frame = |before: &str, family: &str, step: &str| {
        format!(
            "const N = 2; mutex m; var y: 0..9 = 0 unprotected; var x: 0..3 = 0 protected by m; {before}
             thread w(i in {family}) {{ lock(m); x = 1; unlock(m); {step} }}"
        )
    };
    // The discipline is kept from 2 on only.
    holds(&frame("", "0..N-1", "when (N == 1) x = 2;"), "2");
    holds(
        &frame("", "0..N-1", "atomic { y = 1; if (N == 1) { x = 2; } }"),
        "2",
    );
    let wrong = [
        frame(
            "",
            "N-1..2*N",
            "atomic { y = 1; if (w(4) != 3) { x = 1; } }",
        ),
        frame("", "N-2..N", "atomic { y = 1; if (w(2) != 2) { x = 1; } }"),
        frame(
            "proc p() { var k: 0..9 = N; if (k > 3) { x = 1; } }",
            "0..N-1",
            "atomic { y = 1; p(); }",
        ),
        frame(
            "proc p() { var k[2]: 0..9 = [1, N]; if (k[1] > 3) { x = 1; } }",
            "0..N-1",
            "atomic { y = 1; p(); }",
        ),
        frame(
            "const K = N > 3 ? 0 - 1 : 1;",
            "0..N-1",
            "atomic { y = 1; if (K < 0) { x = 1; } }",
        ),
        "const N = 2; var y: 0..3 = 0 unprotected;
         var x: 0..3 = 0 protected x by self == b && at(2, L);
         thread w(i in 0..N-1) { y = 1; L: y = 2; } thread b { y = 1; L: x = 1; }"
            .to_string(),
        // A first step that is invisible, and that begins from 4 on only.
        "const N = 2; mutex m; var x: 0..3 = 0 protected by m;
         thread w(i in 0..N-1) { var t: 0..3 = 0; when (N > 3) t = 1; lock(m); x = t; unlock(m); }"
            .to_string(),
        // Values, locks and numbers that no small instance has.
        frame("", "0..N-1", "y = i; if (i == 4) { x = 2; }"),
        "const N = 3; mutex m[N]; var x: 0..3 = 0 protected by m[0];
         thread w(i in 0..N-1) { lock(m[i / 4]); x = 1; unlock(m[i / 4]); }"
            .to_string(),
        frame("", "0..N-1", "") + "thread a { if (w(N-1) == 4) { x = 3; } }",
        frame("", "0..N-1", "")
            + "thread a { if (self == 3) { lock(m); } x = 1; if (self == 3) { unlock(m); } }",
    ];
    for source in wrong {
        let report = every(&source);
        assert_eq!(report.verdict, Verdict::Unknown, "{source}");
    }
}

fn checked(source: &str, every: ForEvery) -> Report {
    let loaded = Session::load("m.cor", source, &[], ParseLimits::default());
    let (session, _) = loaded.expect("a model");
    let options = CheckOptions {
        every,
        ..CheckOptions::default()
    };
    let theory = theory("stoller-cohen").expect("shipped");
    session.check(&theory, &options, &Control::default())
}

/// What takes little work is said unasked; what takes more is left out, and that is told.
#[test]
fn a_check_says_unasked_what_takes_little_work() {
    let counter = model("transactions/counter_method");
    let text = |work: u64| {
        let report = checked(&counter, ForEvery::Within(work));
        (
            coarsen::report::text::render(&report, coarsen::report::text::Detail::Normal),
            report,
        )
    };
    let (told, _) = text(1 << 24);
    assert!(
        told.contains("\nfor every N >= 3: they hold, and the discipline is kept\n"),
        "{told}"
    );
    let (told, report) = text(1);
    assert!(!told.contains("for every"), "{told}");
    assert!(told.contains(", for which N they hold, "), "{told}");
    let obstacle = report.every.first().and_then(|e| e.obstacle.clone());
    assert_eq!(obstacle, Some(Obstacle::Unasked));
    assert_eq!((report.verdict, report.limits.hit), (Verdict::Holds, None));
    // Where hypotheses fail nothing is looked for.
    let overlap =
        "const N = 2; var x: 0..1 = 0 protected by true; thread w(i in 0..N-1) { x = 1; x = 0; }";
    assert!(checked(overlap, ForEvery::Within(1 << 24)).every.is_empty());
}

/// A check says it, too, for each constant that numbers threads.
#[test]
fn a_check_says_what_holds_for_every_value() {
    let checked = |source: &str| checked(source, ForEvery::Always);
    let report = checked(&model("classic/locked_ring"));
    let [every] = report.every.as_slice() else {
        panic!("{:?}", report.every);
    };
    assert_eq!(
        (every.constant.as_str(), every.verdict),
        ("N", Verdict::Holds)
    );
    let text = coarsen::report::text::render(&report, coarsen::report::text::Detail::Verbose);
    assert!(
        text.contains("hypotheses of stoller-cohen, for every N >= 1:"),
        "{text}"
    );
    let json = coarsen::report::json::object(&report).expect("JSON");
    super::formats::valid_by(include_str!("../docs/schema/check.schema.json"), &json);
    super::formats::valid_by(
        include_str!("../docs/schema/check.schema.json"),
        &coarsen::report::json::object(every).expect("JSON"),
    );
    let report = checked(&model("section6/master_workers"));
    let obstacle = report.every.first().and_then(|e| e.obstacle.clone());
    assert!(obstacle.is_some_and(|why| why.to_string().contains("N-1")));
    // Here M numbers nobody, and nothing numbers threads.
    for source in [
        "const M = 2; var x: 0..M = 0; thread w(i in 0..1) { x = 0; }",
        "const M = 2; var x: 0..M = 0; thread w { x = 0; }",
    ] {
        assert!(checked(source).every.is_empty(), "{source}");
    }
}
