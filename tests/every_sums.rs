//! Sums over all threads, for every value: barriers, semaphores, hand-made locks and tickets give access by them. What
//! is said is compared with the first values; what breaks a sum is not said to hold.

use crate::every::{agrees, every, holds, model, said};
use crate::random::{enough, runner};
use coarsen::results::{Rung, Status};
use proptest::collection::vec;
use std::fmt::Write;

/// A model of which everything holds, and the sums that are shown.
fn by(source: &str, sums: &[&str]) {
    holds(source, "1");
    let shown: Vec<String> = every(source).sums.iter().map(ToString::to_string).collect();
    assert_eq!(shown, sums, "{source}");
}

#[test]
fn shipped_models() {
    let barrier = model("stoller_cohen/two_locks_barrier");
    holds(&barrier, "2");
    let shown: Vec<String> = every(&barrier)
        .sums
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(shown, ["[worker at lines 11-17] + y <= N"]);
    by(
        &model("section6/semaphore_driver"),
        &[
            "[user(k) at lines 30, 33-34] + [driver(k) at lines 20, 22-23, 25, 42-43] + requests[k].asked.value + \
           requests[k].ready.value <= 1",
        ],
    );
}

/// A model in which nothing keeps threads apart: no sum says so, and what is said is true.
fn not_by_sums(source: &str) {
    agrees(source);
    let report = every(source);
    let said = report.discipline == Status::Holds && !report.sums.is_empty();
    assert!(!said, "{:?} in {source}", report.sums);
}

const WORK: &str = "x = 0;\nx = x + 1;";

fn worker(declared: &str, before: &str, work: &str, after: &str) -> String {
    format!(
        "const N = 3; {declared}\nvar x: 0..7 = 0;\nthread w(i in 0..N-1) {{ var t: 0..N = 0; while (true) {{\n\
         {before}\n{work}\n{after}\n}} }}"
    )
}

#[test]
fn semaphores() {
    let mutex = |from: &str, after: &str| {
        worker(
            &format!("semaphore s: 0..1 = {from};"),
            "down(s);",
            WORK,
            after,
        )
    };
    by(&mutex("1", "up(s);"), &["[w at lines 5-7] + s.value <= 1"]);
    // Nobody takes it twice, but it is given back twice.
    not_by_sums(&mutex("1", "if (x == 1) { up(s); }\nup(s);"));
    let two = worker("semaphore s: 0..2 = 2;", "down(s);", WORK, "up(s);");
    not_by_sums(&two);
    by(
        "const N = 3; semaphore empty: 0..1 = 1; semaphore full: 0..1 = 0; var slot: 0..3 = 0;
         thread producer(i in 0..N-1) { while (true) { down(empty); slot = 1; slot = 2; up(full); } }
         thread consumer(i in 0..N-1) { while (true) { down(full); assert(slot == 2); slot = 0; up(empty); } }",
        &["[producer at line 2] + [consumer at line 3] + empty.value + full.value <= 1"],
    );
    by(
        "const N = 3; const K = 2; semaphore s[K]: 0..1 = 1; var x[K]: 0..7 = 0;
         thread w(i in 0..N-1) { var k: 0..K-1 = 0;
            while (true) { havoc k;
            down(s[k]);
            x[k] = 0; x[k] = x[k] + 1; up(s[k]); } }",
        &["[w at line 5, by what it holds] + s[k].value <= 1"],
    );
}

#[test]
fn hand_made_locks() {
    let busy = "var busy: bool = false unprotected;";
    let taken = "when (!busy) busy = true;";
    let source = |before: &str, after: &str| worker(busy, before, WORK, after);
    by(
        &source(taken, "busy = false;"),
        &["[w at lines 5-7] - busy <= 0"],
    );
    // Given back by a thread that does not have it, too.
    let again = source(taken, "busy = false; busy = false;");
    not_by_sums(&again);
    not_by_sums(&source("busy = true;", "busy = false;"));
    let other = format!(
        "{}\nthread other {{ busy = false; }}",
        source(taken, "busy = false;")
    );
    not_by_sums(&other);
}

#[test]
fn tickets() {
    let source = |draw: &str, high: &str| {
        format!(
            "const N = 3; var next: 0..{high} = 0 unprotected; var now: 0..{high} = 0 unprotected;\nvar x: 0..7 = 0;\n\
             thread w(i in 0..N-1) {{ var t: 0..{high} = 0;\n{draw}\nwhen (now == t) skip;\n{WORK}\nnow = now + 1; }}"
        )
    };
    let draw = "atomic { t = next; next = next + 1; }";
    holds(&source(draw, "N"), "1");
    let shown = every(&source(draw, "N")).sums;
    let shown: Vec<String> = shown.iter().map(ToString::to_string).collect();
    assert!(
        shown.iter().any(|s| s.contains("(next <= k) <= 1")),
        "{shown:?}"
    );
    // Two threads may draw the same ticket; and there may be more threads than tickets.
    not_by_sums(&source("t = next;\nnext = t + 1;", "N"));
    not_by_sums(&source(draw, "63"));
}

#[test]
fn counters() {
    let source = |declared: &str, worker: &str, waits: &str| {
        format!(
            "const N = 3; {declared} unprotected; var x[N]: 0..3 = 0; var total: 0..9 = 0;\n\
             thread w(i in 0..N-1) {{ {worker} }}\nthread main {{ {waits}\ntotal = x[0];\ntotal = x[N-1]; }}"
        )
    };
    let work = "x[i] = 1; x[i] = x[i] + 1;";
    let up = "var done: 0..N = 0";
    by(
        &source(
            up,
            &format!("{work} done = done + 1;"),
            "when (done == N) skip;",
        ),
        &["[w at line 2] + done <= N"],
    );
    by(
        &source(
            "var left: 0..N = N",
            &format!("{work} left = left - 1;"),
            "when (left == 0) skip;",
        ),
        &["[w at line 2] - left <= 0"],
    );
    let early = [
        source(
            up,
            &format!("done = done + 1; {work}"),
            "when (done == N) skip;",
        ),
        source(
            up,
            &format!("{work} done = done + 1;"),
            "when (done == N - 1) skip;",
        ),
        source(
            up,
            &format!("{work} done = done + 1;"),
            "when (done + 1 == N) skip;",
        ),
        source(
            "var done: 0..2*N = 0",
            &format!("{work} done = done + 2;"),
            "when (done == N) skip;",
        ),
    ];
    for source in early {
        not_by_sums(&source);
    }
}

/// Facts that hold on the states that sums allow, and nowhere else as far as is seen.
#[test]
fn readers_and_writers() {
    let source = |guard: &str| {
        format!(
            "const N = 3; var readers: 0..N = 0 unprotected; var writing: bool = false unprotected; var x: 0..3 = 0;
             thread r(i in 0..N-1) {{ var t: 0..3 = 0; while (true) {{
                when (!writing) readers = readers + 1;
                t = x; t = x; readers = readers - 1; }} }}
             thread w(i in 0..N-1) {{ while (true) {{
                when ({guard}) writing = true;
                x = 1; x = 2; writing = false; }} }}"
        )
    };
    let right = source("!writing && readers == 0");
    by(
        &right,
        &[
            "[w at line 7] - writing <= 0",
            "[r at line 4] - readers <= 0",
        ],
    );
    let report = every(&right);
    let on: Vec<bool> = report
        .hypotheses
        .iter()
        .map(|h| h.invariant == Some(Rung::Lemmas))
        .collect();
    assert!(on.contains(&true), "{:?}", report.hypotheses);
    assert!(said(&report).is_empty());
    not_by_sums(&source("!writing"));
}

/// A family of threads that count, from a stream of numbers.
fn family(mut next: impl FnMut(usize) -> usize) -> String {
    let mut text = String::from(
        "const N = 3;\nvar y: 0..N = 0 unprotected;\nvar z: 0..N = N unprotected;\nvar b: 0..1 = 0 unprotected;\n\
         var c[N]: 0..1 = 1 unprotected;\nvar p: 0..2 = 0 unprotected;\n",
    );
    let by = match next(8) {
        0 => " protected by b == 1",
        1 => " protected by y == N && self == 0",
        _ => "",
    };
    let _ = writeln!(text, "var x: 0..2 = 0{by};");
    let mut families = vec!["w(i in 0..N-1)"];
    families.extend(["v(i in 0..N)", "u(i in 1..N-1)", "main", "main"].get(next(16)));
    let pairs = [
        ("when (b == 0) b = 1;", "b = 0;"),
        ("when (b < 1) b = b + 1;", "b = b - 1;"),
        ("when (c[0] > 0) c[0] = 0;", "c[0] = 1;"),
        (
            "atomic { if (b == 0) { b = 1; t = 1; } }",
            "if (t == 1) { b = 0; t = 0; }",
        ),
        ("y = y + 1;", "when (y == N) skip;"),
        ("z = z - 1;", "when (z == 0) skip;"),
        ("when (c[t] > 0) c[t] = c[t] - 1;", "c[t] = c[t] + 1;"),
        ("atomic { t = p; p = (p + 1) % 3; }", "when (t != p) skip;"),
        ("when (y < N) y = y + 1;", "y = y - 1;"),
    ];
    for of in families {
        let _ = writeln!(text, "thread {of} {{ var t: 0..2 = 0;");
        let mut body = String::new();
        for _ in 0..1 + next(6) / 5 {
            let (before, after) = match of == "main" && next(2) == 0 {
                true => [("when (y == N) skip;", ""), ("when (z == 0) skip;", "")][next(2)],
                // Mostly a lock.
                false => pairs[next(2 * pairs.len()) % 13 % pairs.len()],
            };
            let work = match next(5) {
                0 => "if (t < 2) { x = t; } x = 1;".to_string(),
                1 => "assert(x != 2); x = 1;".to_string(),
                _ => "x = 1; x = x + 1 - 1;".to_string(),
            };
            // Mostly in order.
            let all = match next(16) {
                0 => format!("{work} {before} {after}"),
                1 => format!("{before} {after} {work}"),
                2 => format!("{before} {work}"),
                3 => format!("{before} {work} {after} {after}"),
                _ => format!("{before} {work} {after}"),
            };
            body += &all;
            body += "\n";
        }
        match next(2) {
            0 => text += &format!("while (true) {{ {body} }}"),
            _ => text += &body,
        }
        text += "}\n";
    }
    text
}

#[test]
fn random_counts() {
    let tried = std::cell::Cell::new((0usize, 0usize));
    let cases = runner(100).run(&vec(0usize..1000, 40), |numbers| {
        let mut stream = numbers.into_iter().cycle();
        let source = family(|n| stream.next().unwrap_or(0) % n);
        let (said, by_sums) = tried.get();
        let one = agrees(&source);
        let sums = one && !every(&source).sums.is_empty();
        tried.set((said + usize::from(one), by_sums + usize::from(sums)));
        Ok(())
    });
    assert!(cases.is_ok(), "{cases:?}");
    let (said, by_sums) = tried.get();
    assert!(
        enough(said, 40) && enough(by_sums, 8),
        "only of {said} families anything is said, of {by_sums} by sums"
    );
}

/// A variable of a large type that has two values, and cells that have another discipline than the rest.
#[test]
fn few_values_and_single_cells() {
    by(
        "const N = 3; var inside: 0..N = 0 unprotected; var x: 0..7 = 0;
         thread w(i in 0..N-1) { while (true) {
            when (inside == 0) inside = 1;
            x = i % 8; x = 0; inside = 0; } }",
        &["[w at line 4] - inside <= 0", "inside <= 1"],
    );
    let wraps = "const N = 3; var b: mod 4 = 0 unprotected; var x: 0..7 = 0;
         thread w(i in 0..N-1) { while (true) { when (b == 0) b = 5;
            x = i % 8; x = 0; b = 4; } }";
    agrees(wraps);
    let joined = |waits: &str| {
        format!(
            "const N = 3; var go: bool = false unprotected; var done: 0..N = 0 unprotected;
             var input: 0..3 = 0; var out[N]: 0..3 = 0;
             thread main {{ input = 1; input = 2; go = true; {waits}
                input = 3; out[0] = 0; input = 0; }}
             thread w(i in 0..N-1) {{ when (go) skip;
                out[i] = input; out[i] = (out[i] + input) % 4; done = done + 1; }}"
        )
    };
    let right = joined("when (done == N) skip;");
    holds(&right, "1");
    let shown: Vec<String> = every(&right).sums.iter().map(ToString::to_string).collect();
    assert!(
        shown.iter().any(|s| s.ends_with("+ done <= N")),
        "{shown:?}"
    );
    not_by_sums(&joined("when (done > 0) skip;"));
}
