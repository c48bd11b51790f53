//! The figures of `docs/performance.md`, as ratios against a baseline measured in the same run.
//!
//! `cargo bench --bench checks`. Each figure is the best of several runs, so that a busy machine does not decide.

use coarsen::base::control::ParseLimits;
use coarsen::base::control::{Control, Stop};
use coarsen::results::Report;
use coarsen::{CheckOptions, Session, theory};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const RUNS: usize = 9;

fn check(path: &str, defines: &[(&str, usize)], seconds: u64) -> Report {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let source = std::fs::read_to_string(full).expect("a shipped model");
    let defines: Vec<(String, String)> = defines
        .iter()
        .map(|(n, v)| (n.to_string(), v.to_string()))
        .collect();
    let (session, _) = Session::load(path, &source, &defines, ParseLimits::default())
        .expect("a model without errors");
    let theory = theory("stoller-cohen").expect("a shipped theorem");
    let control = Arc::new(Control::default());
    let watch = Arc::clone(&control);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(seconds));
        watch.stop(Stop::Time);
    });
    session.check(&theory, &CheckOptions::default(), &control)
}

/// The least of a figure over several runs, in milliseconds.
fn best(path: &str, defines: &[(&str, usize)], figure: fn(&Report) -> f64) -> f64 {
    (0..RUNS)
        .map(|_| 1000.0 * figure(&check(path, defines, 60)))
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    // As the command does: a worker thread, whose allocator arena does not give memory back all the time.
    std::thread::spawn(figures).join().expect("the benchmark");
}

fn figures() {
    let k = "models/stoller_cohen/two_locks_barrier_k.cor";
    println!("the K family: {k}");
    println!(
        "{:>6} {:>16} {:>8} {:>16} {:>14}",
        "K", "exploration ms", "ratio", "whole check ms", "ms per K"
    );
    let base = best(k, &[("K", 1)], |r| r.timing.exploration);
    for n in [1, 10, 50, 100, 200, 400] {
        let exploration = best(k, &[("K", n)], |r| r.timing.exploration);
        let total = best(k, &[("K", n)], |r| r.timing.total);
        println!(
            "{n:>6} {exploration:>16.2} {:>8.2} {total:>16.2} {:>14.3}",
            exploration / base,
            total / n as f64
        );
    }

    let ring = "models/classic/locked_ring.cor";
    println!("\n(11)-(18) on the locked ring: {ring}");
    println!(
        "{:>6} {:>16} {:>8} {:>10} {:>10}",
        "N", "hypotheses ms", "ratio", "checked", "skipped"
    );
    let mut base = None;
    for n in [4, 8, 16, 32, 64] {
        // The hypotheses come first; the exploration of the larger rings is cut short.
        let report = check(ring, &[("N", n)], 3);
        let ms = 1000.0 * report.timing.hypotheses;
        let base = *base.get_or_insert(ms);
        let s = &report.statistics;
        println!(
            "{n:>6} {ms:>16.1} {:>8.2} {:>10} {:>10}",
            ms / base,
            s.pairs_checked.as_deref().unwrap_or("-"),
            s.pairs_skipped.as_deref().unwrap_or("-")
        );
    }

    println!("\nevery shipped model, whole check in milliseconds");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut folders: Vec<_> = std::fs::read_dir(root)
        .expect("models")
        .flatten()
        .map(|d| d.path())
        .collect();
    folders.sort();
    for folder in folders {
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .expect("a folder")
            .flatten()
            .map(|f| f.path())
            .collect();
        files.sort();
        for file in files {
            let name = file
                .strip_prefix(env!("CARGO_MANIFEST_DIR"))
                .unwrap_or(&file)
                .display()
                .to_string();
            println!("{:>8.1}  {name}", best(&name, &[], |r| r.timing.total));
        }
    }
}
