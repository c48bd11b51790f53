//! What a check costs beside a plain exploration of the same model, on families that grow.
//!
//! `cargo bench --bench pays [NAME] [SECONDS]`. Processor seconds and states: `reach` of the original program, `check`
//! as it is by default, and `check --reduce first`: the best theorem, with what it leaves open explored in full. States
//! of a reduced system are followed by `*` where dead locals are put back. `ok` says that the check took no more than
//! 1.3 times the plain exploration and 0.05 s, or 2.5 times where that takes over two seconds. What is `-` did not
//! finish.

use coarsen::base::control::{Control, ParseLimits, Stop};
use coarsen::results::{States, Verdict};
use coarsen::theorem::Reduce;
use coarsen::{CheckOptions, ReachOptions, Session, candidates, theory};
use std::sync::Arc;
use std::time::Duration;

const COUNTER: &str = "const N = 2; mutex m; var x: 0..N = 0;
thread w(i in 0..N-1) { var t: 0..N = 0; lock(m); t = x; x = t + 1; unlock(m); }
deadlock_free;";

const BANK: &str = "const N = 2; mutex m[N]; var acc[N]: 0..2*N = 2 protected acc[k] by m[k];
thread w(i in 0..N-1) {
    var a: 0..N-1 = 0; var b: 0..N-1 = 0; var t: 0..2*N = 0;
    while (true) {
        havoc a; havoc b;
        if (a < b) {
            lock(m[a]); lock(m[b]);
            t = acc[a];
            if (t > 0 && acc[b] < 2 * N) { acc[a] = t - 1; acc[b] = acc[b] + 1; }
            unlock(m[b]); unlock(m[a]);
        }
    }
}
deadlock_free;";

const STACK: &str =
    "const N = 2; const CAP = 3; mutex m; var top: 0..CAP = 0; var data[CAP]: 0..N = 0;
thread w(i in 0..N-1) {
    var t: 0..N = 0; var k: 0..3 = 0;
    while (true) {
        t = i; k = 0; while (k < 3) { k = k + 1; }
        lock(m); if (top < CAP) { data[top] = t; top = top + 1; } unlock(m);
        t = 0;
        lock(m); if (top > 0) { top = top - 1; t = data[top]; data[top] = 0; } unlock(m);
    }
}
deadlock_free;";

const STRIPED: &str = "const N = 2; const S = 2; mutex m[S]; var x[S]: 0..3 = 0;
thread w(i in 0..N-1) {
    var k: 0..S-1 = 0; var t: 0..3 = 0; var r: 0..2 = 0;
    while (true) {
        havoc k; lock(m[k]); t = x[k]; x[k] = (t + 1) % 4; unlock(m[k]);
        r = 0; while (r < 2) { r = r + 1; }
    }
}
deadlock_free;";

/// A name, the model's text or its file, the constant and its values.
type Family = (&'static str, &'static str, &'static str, &'static [u32]);

const FAMILIES: [Family; 12] = [
    (
        "counter under one lock",
        COUNTER,
        "N",
        &[2, 4, 8, 10, 16, 64],
    ),
    ("bank, ordered locks", BANK, "N", &[2, 3, 4, 5]),
    ("bounded stack", STACK, "N", &[2, 3, 4, 5, 6, 7]),
    ("striped locks", STRIPED, "N", &[2, 3, 4, 5, 6]),
    (
        "memory_reuse",
        "section6/memory_reuse",
        "N",
        &[2, 3, 4, 5, 6, 8, 12, 14, 16, 18, 20, 21, 22],
    ),
    (
        "master_workers",
        "section6/master_workers",
        "N",
        &[2, 3, 4, 5, 6, 7],
    ),
    (
        "semaphore_driver",
        "section6/semaphore_driver",
        "N",
        &[2, 3, 4, 5, 6, 7, 8, 10],
    ),
    ("locked_ring", "classic/locked_ring", "N", &[4, 8, 16, 32]),
    (
        "Flanagan & Qadeer's counter",
        "flanagan_qadeer/counter",
        "K",
        &[2, 4, 8, 16, 32],
    ),
    (
        "bounded_buffer",
        "monitors/bounded_buffer",
        "ROUNDS",
        &[3, 4, 8, 16, 32, 64, 96, 128],
    ),
    (
        "rw_cache",
        "monitors/rw_cache",
        "READERS",
        &[3, 4, 5, 6, 7, 8, 9],
    ),
    (
        "philosophers_atomic",
        "classic/philosophers_atomic",
        "N",
        &[5, 50],
    ),
];

/// The processor seconds of this process so far.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .expect("fields")
        .split_whitespace()
        .collect();
    let ticks = |n: usize| fields[n].parse::<f64>().expect("a number");
    (ticks(11) + ticks(12)) / 100.0
}

/// How long it takes; the watch stops it.
fn timed<T>(seconds: u64, work: impl FnOnce(&Control) -> T) -> (f64, T) {
    let control = Arc::new(Control::default());
    let watch = Arc::downgrade(&control);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(seconds));
        if let Some(control) = watch.upgrade() {
            control.stop(Stop::Time);
        }
    });
    let begun = processor();
    let result = work(&control);
    (processor() - begun, result)
}

fn session((_, model, constant, _): &Family, n: u32) -> Session {
    let source = match model.contains(';') {
        true => model.to_string(),
        false => {
            let path = format!("{}/models/{model}.cor", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(path).expect("a shipped model")
        }
    };
    let defines = [(constant.to_string(), n.to_string())];
    let loaded = Session::load("m.cor", &source, &defines, ParseLimits::default());
    loaded.expect("a model").0
}

fn row(family: &Family, n: u32, seconds: u64) {
    let session = session(family, n);
    let theory = theory("stoller-cohen").expect("shipped");
    let deadlock = session.program().deadlock_free.is_some();
    let options = ReachOptions {
        deadlock,
        invariants: session
            .program()
            .properties
            .iter()
            .map(|p| p.name.clone())
            .collect(),
        ..ReachOptions::default()
    };
    let (plain, full) = timed(seconds, |c| session.reach(&theory, &options, c));
    let finished = full.verdict != Verdict::Unknown;
    let shown = |s: f64, done: bool| match done {
        true => format!("{s:.2}"),
        false => "-".to_string(),
    };
    let mut cells = vec![
        shown(plain, finished),
        full.states.unwrap_or_else(|| "-".into()),
    ];
    let mut first = 0.0;
    for reduce in [Reduce::Auto, Reduce::First] {
        let options = CheckOptions {
            reduce,
            others: candidates().split_off(1),
            ..CheckOptions::default()
        };
        let (took, report) = timed(seconds, |c| session.check(&theory, &options, c));
        let done = matches!(report.verdict, Verdict::Holds | Verdict::Refuted);
        let States {
            original, reduced, ..
        } = report.states;
        cells.push(shown(took, done));
        cells.push(match report.in_full {
            true => format!("in full: {}", original.unwrap_or_default()),
            false => match (reduced, report.reductions.is_empty()) {
                (None, _) => "-".into(),
                (Some(n), true) => n,
                (Some(n), false) => format!("{n}*"),
            },
        });
        if reduce == Reduce::Auto {
            first = match done {
                true => took,
                false => f64::INFINITY,
            };
        }
    }
    let most = if plain < 2.0 {
        1.3 * plain + 0.05
    } else {
        2.5 * plain
    };
    let within = match (finished, first.is_finite()) {
        (true, _) if first <= most + 0.005 => "ok",
        (true, _) => "over",
        (false, true) => "beyond plain",
        (false, false) => "",
    };
    println!("| {} | {n} | {} | {within} |", family.0, cells.join(" | "));
}

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    let name = words.first().filter(|w| w.parse::<u64>().is_err());
    let seconds = words.iter().find_map(|w| w.parse().ok()).unwrap_or(60);
    println!("| family | N | plain s | states | check s | states | best theorem s | reduced | |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
    for family in &FAMILIES {
        if name.is_none_or(|n| family.0.contains(n.as_str())) {
            family.3.iter().for_each(|n| row(family, *n, seconds));
        }
    }
}
