//! What the hypotheses cost, as ratios within one run: by the length of a critical section, and by the number of
//! threads.
//!
//! `cargo bench --bench discharge`. Each figure is the best of several runs, so that a busy machine does not decide.

use coarsen::base::control::{Control, ParseLimits, Stop};
use coarsen::results::{Report, Status};
use coarsen::{CheckOptions, Session, theory};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const RUNS: usize = 5;
/// Hypotheses come first; explorations are cut short once they are settled, or after so long.
const SECONDS: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(20);

/// Its discipline is declared, so nothing is guessed.
const COUNTER: &str = "const N = 3; mutex m; var x: 0..N = 0 protected by m;
    thread w(i in 0..N-1) { var t: 0..N = 0; lock(m); t = x; x = t + 1; unlock(m); }";

/// Their disciplines are inferred.
const BANK: &str = "const N = 3; mutex m[N]; var acc[N]: 0..3 = 1;
    thread w(i in 0..N-1) { var a: 0..N-1 = 0; var b: 0..N-1 = 0; while (true) { havoc a; havoc b;
        if (a < b) { lock(m[a]); lock(m[b]);
            if (acc[a] > 0 && acc[b] < 3) { acc[a] = acc[a] - 1; acc[b] = acc[b] + 1; }
            unlock(m[b]); unlock(m[a]); } } }";
const STACK: &str = "const N = 3; mutex m; var top: 0..2 = 0; var data[2]: 0..N = 0;
    thread w(i in 0..N-1) { var t: 0..N = 0; var k: 0..2 = 0; while (true) { k = 0; while (k < 2) { k = k + 1; }
        lock(m); if (top < 2) { data[top] = i; top = top + 1; } unlock(m);
        lock(m); if (top > 0) { top = top - 1; t = data[top]; data[top] = 0; t = 0; } unlock(m); } }";
const STRIPED: &str = "const N = 3; mutex m[2]; var x[2]: 0..3 = 0;
    thread w(i in 0..N-1) { var k: 0..1 = 0; while (true) {
        havoc k; lock(m[k]); x[k] = (x[k] + 1) % 4; unlock(m[k]); } }";

fn shipped(name: &str) -> String {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/{name}.cor"));
    std::fs::read_to_string(full).expect("a shipped model")
}

fn check(source: &str, defines: &[(String, String)]) -> Report {
    let loaded = Session::load("bench.cor", source, defines, ParseLimits::default());
    let (session, _) = loaded.unwrap_or_else(|errors| panic!("{errors:?}"));
    let theory = theory("stoller-cohen").expect("the default theorem");
    let control = Arc::new(Control::default());
    let watch = Arc::clone(&control);
    std::thread::spawn(move || {
        let begun = Instant::now();
        let is_settled = |r: Report| r.hypotheses.iter().all(|h| h.status != Status::Unknown);
        while begun.elapsed() < SECONDS && !watch.snapshot().is_some_and(is_settled) {
            std::thread::sleep(LOOK);
        }
        watch.stop(Stop::Time);
    });
    session.check(&theory, &CheckOptions::default(), &control)
}

/// Milliseconds for the hypotheses, and the facts that they needed.
fn best(source: &str, defines: &[(String, String)]) -> (f64, usize) {
    let mut least = f64::INFINITY;
    let mut facts = 0;
    for _ in 0..RUNS {
        let report = check(source, defines);
        least = least.min(1000.0 * report.timing.hypotheses);
        let all = report.hypotheses.iter().map(|h| h.facts.parse::<usize>());
        facts = all.map(|n| n.unwrap_or_default()).sum();
    }
    (least, facts)
}

fn accesses(k: usize) -> String {
    let mut source = "mutex m; var x: mod 4 = 0; thread w(i in 0..3) { lock(m);\n".to_string();
    for _ in 0..k {
        let _ = writeln!(source, "x = x + 1;");
    }
    source + "unlock(m); }"
}

fn main() {
    // As the command does: a worker thread, whose allocator arena does not give memory back all the time.
    std::thread::spawn(figures).join().expect("the benchmark");
}

fn figures() {
    println!("K accesses under one lock, four threads");
    println!(
        "{:>6} {:>14} {:>14} {:>8}",
        "K", "hypotheses ms", "to the last", "facts"
    );
    let mut last: Option<f64> = None;
    for k in [25, 50, 100, 200, 400, 800] {
        let (ms, facts) = best(&accesses(k), &[]);
        let ratio = last.map_or(1.0, |last| ms / last);
        println!("{k:>6} {ms:>14.1} {ratio:>14.2} {facts:>8}");
        last = Some(ms);
    }
    let families: [(&str, String); 8] = [
        ("classic/locked_ring", shipped("classic/locked_ring")),
        (
            "classic/philosophers_atomic",
            shipped("classic/philosophers_atomic"),
        ),
        ("counter under one lock", COUNTER.to_string()),
        ("transfers under ordered locks", BANK.to_string()),
        ("bounded stack", STACK.to_string()),
        ("striped locks", STRIPED.to_string()),
        (
            "section6/semaphore_driver",
            shipped("section6/semaphore_driver"),
        ),
        ("section6/memory_reuse", shipped("section6/memory_reuse")),
    ];
    for (name, source) in families {
        println!("\n{name}");
        println!(
            "{:>6} {:>14} {:>14} {:>8}",
            "N", "hypotheses ms", "to the first", "facts"
        );
        let mut first = None;
        for n in [4, 8, 16, 32, 64] {
            let (ms, facts) = best(&source, &[("N".to_string(), n.to_string())]);
            let first = *first.get_or_insert(ms);
            println!("{n:>6} {ms:>14.1} {:>14.2} {facts:>8}", ms / first);
        }
    }
    every();
}

/// What it costs to show the hypotheses, and the discipline, for every value of N.
fn every() {
    println!("\nfor every N");
    println!(
        "{:>32} {:>10} {:>6} {:>8} {:>10}",
        "model", "seconds", "facts", "from", "discipline"
    );
    for name in [
        "classic/locked_ring",
        "classic/philosophers_atomic",
        "stoller_cohen/two_locks_barrier",
        "section6/semaphore_driver",
        "section6/memory_reuse",
    ] {
        let source = shipped(name);
        let loaded = Session::load("bench.cor", &source, &[], ParseLimits::default());
        let (session, _) = loaded.unwrap_or_else(|errors| panic!("{errors:?}"));
        let theory = theory("stoller-cohen").expect("the default theorem");
        let report = session.every(&theory, "N", false, &Control::default());
        let from = report.from.as_deref().unwrap_or("-");
        let (facts, discipline) = (report.facts.len(), report.discipline.id());
        println!(
            "{name:>32} {:>10.2} {facts:>6} {from:>8} {discipline:>10}",
            report.time
        );
    }
}
