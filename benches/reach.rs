//! Reachability: engines of this tool against each other, and against CUDD where it is installed; all in one run.
//!
//! `cargo bench --bench reach`, or with `-- PART`: engines, growth, facts, reduction, orders or spin (which needs
//! Debian's `spin`). For CUDD: `python3 -m venv V && V/bin/pip install dd`, then `DD_PYTHON=V/bin/python` before the
//! command. Seconds are those of the exploration alone (building next-state relations included), best of several runs
//! for short ones.

#[path = "support/nets.rs"]
mod nets;

use coarsen::base::control::ParseLimits;
use coarsen::base::control::{Control, Stop};
use coarsen::command::reach::{Engine, Order};
use coarsen::engine::Heuristic;
use coarsen::results::ReachReport;
use coarsen::{ReachOptions, Session, theory};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// Seconds after which an engine is given up.
const PATIENCE: u64 = 120;

const ENGINES: [Engine; 5] = [
    Engine::Auto,
    Engine::Saturation,
    Engine::Chaining,
    Engine::Worklist,
    Engine::Bdd,
];

fn shipped(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("models")
        .join(name);
    std::fs::read_to_string(path).expect("a shipped model")
}

fn explore(source: &str, n: Option<usize>, engine: Engine, facts: bool) -> ReachReport {
    let options = ReachOptions {
        engine,
        facts,
        ..ReachOptions::default()
    };
    explored(source, n, &options, PATIENCE)
}

fn explored(source: &str, n: Option<usize>, options: &ReachOptions, patience: u64) -> ReachReport {
    let defines: Vec<(String, String)> = n
        .into_iter()
        .map(|n| ("N".to_string(), n.to_string()))
        .collect();
    let (session, _) = Session::load("model", source, &defines, ParseLimits::default())
        .expect("a model without errors");
    let theory = theory("stoller-cohen").expect("a shipped theorem");
    let control = Arc::new(Control::default());
    let watch = Arc::downgrade(&control);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(patience));
        if let Some(control) = watch.upgrade() {
            control.stop(Stop::Time);
        }
    });
    session.reach(&theory, options, &control)
}

/// Seconds, if it finished; the best of three if it was short.
fn seconds(source: &str, n: Option<usize>, engine: Engine, facts: bool) -> Option<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let report = explore(source, n, engine, facts);
        report.states.as_ref()?;
        best = best.min(report.timing.exploration);
        if best > 2.0 {
            break;
        }
    }
    Some(best)
}

/// CUDD's seconds, by the better of two ways.
fn cudd(system: &[&str]) -> Option<f64> {
    if system.is_empty() {
        return None;
    }
    let python = std::env::var("DD_PYTHON").ok()?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/reach_dd.py");
    let run = |method: &str| {
        let output = Command::new("timeout")
            .arg(PATIENCE.to_string())
            .arg(&python)
            .arg(&script)
            .args(system)
            .args(["--method", method])
            .output()
            .ok()?;
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        answer["seconds"].as_f64()
    };
    let both = [run("constant"), run("closure")];
    both.into_iter().flatten().reduce(f64::min)
}

fn shown(seconds: Option<f64>) -> String {
    seconds.map_or("-".into(), |s| format!("{s:.3}"))
}

fn row(name: &str, source: &str, n: Option<usize>, engines: &[Engine], system: &[&str]) {
    let mut line = format!("{name:<26}");
    let mut ours = None;
    let mut others: Option<f64> = None;
    for engine in ENGINES {
        let time = engines
            .contains(&engine)
            .then(|| seconds(source, n, engine, true))
            .flatten();
        match engine {
            Engine::Auto => ours = time,
            Engine::Bdd => others = time,
            _ => {}
        }
        line += &format!(" {:>10}", shown(time));
    }
    let dd = cudd(system);
    others = others.into_iter().chain(dd).reduce(f64::min);
    let ratio = ours.zip(others).map(|(a, b)| b / a);
    println!(
        "{line} {:>10} {:>10}",
        shown(dd),
        ratio.map_or("-".into(), |r| format!("{r:.2}"))
    );
}

fn main() {
    // A worker with a large stack, as the command has.
    std::thread::Builder::new()
        .stack_size(512 << 20)
        .spawn(figures)
        .expect("a thread")
        .join()
        .expect("the benchmark");
}

fn figures() {
    let asked: Option<String> = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let parts: [(&str, fn()); 6] = [
        ("engines", engines),
        ("growth", growth),
        ("facts", facts),
        ("reduction", reduction),
        ("orders", orders),
        ("spin", spin),
    ];
    for (name, part) in parts {
        if asked.as_deref().is_none_or(|a| a == name) {
            part();
            println!();
        }
    }
}

/// The models that are shipped, by path, and two sizes of the philosophers: in steps of their own, and with both forks
/// put back in one.
fn models() -> Vec<(String, String, Option<usize>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut all = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "cor") {
                let name = path.strip_prefix(&root).unwrap_or(&path);
                let name = name.with_extension("").to_string_lossy().into_owned();
                all.push((name, std::fs::read_to_string(&path).expect("a model"), None));
            }
        }
    }
    for name in ["classic/philosophers", "classic/philosophers_atomic"] {
        for n in [16, 64] {
            all.push((name.into(), shipped(&format!("{name}.cor")), Some(n)));
        }
    }
    all.sort();
    all
}

fn sized(name: &str, n: Option<usize>) -> String {
    n.map_or(name.to_string(), |n| format!("{name} N={n}"))
}

/// Seconds that an engine may take for one model in the tables over all models.
const SHORT: u64 = 10;

fn reduction() {
    println!("what the reduction buys: states, and seconds of the exploration without and with it");
    let engines = [
        Engine::Saturation,
        Engine::Chaining,
        Engine::Bdd,
        Engine::Interpreter,
    ];
    print!("{:<44} {:>12} {:>12}", "", "original", "reduced");
    engines.iter().for_each(|e| print!(" {:>19}", e.name()));
    println!();
    for (name, source, n) in models() {
        let mut counts = [None, None];
        let mut times = String::new();
        for engine in engines {
            let mut both = Vec::new();
            for (reduced, count) in [false, true].into_iter().zip(&mut counts) {
                let options = ReachOptions {
                    engine,
                    reduced,
                    ..ReachOptions::default()
                };
                let report = explored(&source, n, &options, SHORT);
                both.push(report.states.as_ref().map(|_| report.timing.exploration));
                *count = count.take().or(report.states);
            }
            let pair = format!("{} {}", shown(both[0]), shown(both[1]));
            times += &format!(" {pair:>19}");
        }
        let [original, reduced] = counts.map(|c| {
            let digits = c.map_or("-".to_string(), |c| c.to_string());
            match digits.len() {
                0..=12 => digits,
                n => format!("{}.{}e{}", &digits[..1], &digits[1..3], n - 1),
            }
        });
        println!(
            "{:<44} {original:>12} {reduced:>12}{times}",
            sized(&name, n)
        );
    }
}

fn orders() {
    println!("orders: operations of saturation, seconds");
    print!("{:<44}", "");
    for (heuristic, ..) in Heuristic::ALL {
        print!(" {:>20}", heuristic.name());
    }
    println!();
    for (name, source, n) in models() {
        print!("{:<44}", sized(&name, n));
        for (heuristic, ..) in Heuristic::ALL {
            let options = ReachOptions {
                engine: Engine::Saturation,
                order: Order::By(heuristic),
                ..ReachOptions::default()
            };
            let report = explored(&source, n, &options, SHORT);
            let done = report.states.as_ref().map(|_| report.timing.exploration);
            let spent = report.operations.as_deref().unwrap_or("-");
            print!(" {spent:>12} {:>7}", shown(done));
        }
        println!();
    }
}

/// The explicit engine beside Spin's compiled verifier (depth first, states in full, no reduction).
fn spin() {
    println!("the explicit engine beside Spin: states per second on one and on two cores");
    println!(
        "{:<20} {:>10} {:>10} {:>10} {:>8} {:>10} {:>8} {:>13} {:>9}",
        "", "states", "1 core", "2 cores", "speedup", "Spin", "ratio", "bytes/state", "Spin's"
    );
    for (model, n) in [
        ("philosophers", 11),
        ("philosophers", 12),
        ("philosophers", 13),
        ("filter_lock", 4),
        ("filter_lock", 5),
    ] {
        let source = shipped(&format!("classic/{model}.cor"));
        let rate = |cores| {
            let options = ReachOptions {
                engine: Engine::Explicit,
                cores,
                ..ReachOptions::default()
            };
            let run = || {
                let report = explored(&source, Some(n), &options, PATIENCE);
                let states: f64 = report.states?.parse().ok()?;
                let bytes: f64 = report.memory?.parse().ok()?;
                Some((states, states / report.timing.exploration, bytes / states))
            };
            (0..3)
                .filter_map(|_| run())
                .max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/reach_spin.py");
        let output = Command::new("python3")
            .arg(script)
            .args([model, &n.to_string()])
            .output();
        let answer: Option<serde_json::Value> = output
            .ok()
            .and_then(|o| serde_json::from_slice(&o.stdout).ok());
        let theirs = |field: &str| answer.as_ref().and_then(|a| a[field].as_f64());
        let (Some(one), Some(two)) = (rate(1), rate(2)) else {
            continue;
        };
        let spin = theirs("states_per_second");
        let told = |x: Option<f64>, digits| x.map_or("-".into(), |x| format!("{x:.digits$}"));
        println!(
            "{:<20} {:>10} {:>10.0} {:>10.0} {:>8.2} {:>10} {:>8} {:>13.1} {:>9}",
            sized(model, Some(n)),
            one.0,
            one.1,
            two.1,
            two.1 / one.1,
            told(spin, 0),
            told(spin.map(|s| one.1 / s), 2),
            one.2,
            told(theirs("bytes_per_state_all"), 1),
        );
    }
}

fn engines() {
    println!(
        "{:<26} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "seconds", "auto", "saturation", "chaining", "worklist", "bdd", "CUDD", "ratio"
    );
    for model in ["philosophers", "philosophers_atomic"] {
        let source = shipped(&format!("classic/{model}.cor"));
        for n in [64, 256, 1024] {
            let text = n.to_string();
            row(
                &format!("{model} {n}"),
                &source,
                Some(n),
                &ENGINES,
                &[model, &text],
            );
        }
    }
    let filter = shipped("classic/filter_lock.cor");
    for n in [3, 4, 5] {
        let text = n.to_string();
        row(
            &format!("filter_lock {n}"),
            &filter,
            Some(n),
            &ENGINES,
            &["filter_lock", &text],
        );
    }
    for shape in nets::SHAPES {
        let net = nets::Net::random(shape);
        let file = std::env::temp_dir().join(format!("coarsen-{}.net", shape.name));
        std::fs::write(&file, net.text()).expect("written");
        let path = file.to_string_lossy();
        let source = net.model(nets::Form::Threads);
        row(
            shape.name,
            &source,
            None,
            &[
                Engine::Auto,
                Engine::Chaining,
                Engine::Worklist,
                Engine::Bdd,
            ],
            &["net", &path],
        );
    }

    // As one thread, a net is one action of many paths.
    let shape = nets::SHAPES.iter().find(|s| s.name == "counters_9a");
    if let Some(shape) = shape {
        let source = nets::Net::random(shape).model(nets::Form::Choice);
        row(
            "counters_9a, one thread",
            &source,
            None,
            &[Engine::Auto],
            &[],
        );
    }
}

fn growth() {
    println!("growth of saturation on philosophers: seconds and the exponent from one to the next");
    let source = shipped("classic/philosophers.cor");
    let mut last: Option<(usize, f64)> = None;
    for n in [1024, 4096, 16_384, 65_536] {
        let Some(time) = seconds(&source, Some(n), Engine::Saturation, false) else {
            println!("{n:>8}          -");
            continue;
        };
        let exponent = last.map(|(m, t)| (time / t).ln() / (n as f64 / m as f64).ln());
        println!(
            "{n:>8} {time:>10.3} {}",
            exponent.map_or(String::new(), |e| format!("{e:>6.2}"))
        );
        last = Some((n, time));
    }
}

fn facts() {
    println!("facts about pairs of events: seconds with and without");
    for (name, n) in [
        ("classic/filter_lock", Some(4)),
        ("classic/philosophers", Some(256)),
        ("section6/memory_reuse_annotated", None),
        ("classic/locked_ring", Some(16)),
    ] {
        let source = shipped(&format!("{name}.cor"));
        for engine in [Engine::Saturation, Engine::Worklist] {
            let with = seconds(&source, n, engine, true);
            let without = seconds(&source, n, engine, false);
            println!(
                "{name:<34} {:<10} {:>9} {:>9}",
                engine.name(),
                shown(with),
                shown(without)
            );
        }
    }
}
