//! Several processes: rates beside the search of one process with shared memory, memory, and what faults cost.
//!
//! `cargo bench --bench distributed`, or with `-- PART`: rates, memory or faults. `N=14` is the number of philosophers,
//! `FAULTS=200` how many faults there are, `SEED` at which moments. All runs are of the command, and best of three.

#[path = "../tests/support/random.rs"]
mod random;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const MODEL: &str = "models/classic/philosophers.cor";

/// Runs of which the best counts.
const RUNS: usize = 3;

fn main() {
    let parts: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|p| p == part);
    let n = random::number("N", 14);
    if wanted("rates") {
        rates(n);
    }
    if wanted("memory") {
        memory(n);
    }
    if wanted("faults") {
        faults();
    }
}

fn place() -> PathBuf {
    std::env::temp_dir().join(format!("coarsen-bench-{}", std::process::id()))
}

fn command(n: u64, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coarsen"));
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["reach", MODEL, "-D", &format!("N={n}"), "--format", "json"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// The report, and seconds by the clock.
fn run(n: u64, arguments: &[&str]) -> (Value, f64) {
    let begun = Instant::now();
    let output = command(n, arguments).output().expect("started");
    let seconds = begun.elapsed().as_secs_f64();
    (
        serde_json::from_slice(&output.stdout).unwrap_or_default(),
        seconds,
    )
}

fn best(n: u64, arguments: &[&str]) -> (Value, f64) {
    let runs = (0..RUNS).map(|_| {
        let _ = std::fs::remove_dir_all(place());
        run(n, arguments)
    });
    let best = runs.min_by(|a, b| a.1.total_cmp(&b.1)).expect("one");
    assert_eq!(number(&best.0["states"]), 3f64.powi(n as i32) - 1.0);
    best
}

fn number(value: &Value) -> f64 {
    value.as_str().and_then(|s| s.parse().ok()).unwrap_or(0.0)
}

/// Two processes that keep levels in a directory, each with one worker.
fn two(n: u64, how: &str, place: &Path) -> Vec<Child> {
    let directory = place.to_string_lossy().into_owned();
    let ports: Vec<_> = (0..2)
        .map(|_| std::net::TcpListener::bind("127.0.0.1:0").expect("a port"))
        .collect();
    let lines = ports
        .iter()
        .map(|p| format!("{}\n", p.local_addr().expect("an address")));
    let hosts = place.with_extension("hosts");
    std::fs::write(&hosts, lines.collect::<String>()).expect("written");
    drop(ports);
    let hosts = hosts.to_string_lossy().into_owned();
    let start = |process: usize| {
        let process = process.to_string();
        let base = ["--cores", "1", "--deadlock", "--distribute", &hosts];
        let more = ["--wait", "4s", "--process", &process, how, &directory];
        command(n, &[&base[..], &more].concat())
            .spawn()
            .expect("started")
    };
    (0..2).map(start).collect()
}

/// Rates of one worker and of two, by shared memory, by timely in one process, and in two.
fn rates(n: u64) {
    let place = place();
    let directory = place.to_string_lossy().into_owned();
    println!(
        "philosophers, N = {n}: seconds by the clock (best of {RUNS}), million states a second, ratio"
    );
    let (_, shared) = best(n, &["--engine", "explicit", "--cores", "1"]);
    let (_, shared_two) = best(n, &["--engine", "explicit", "--cores", "2"]);
    let (one, alone) = best(n, &["--cores", "1", "--checkpoint", &directory]);
    let (_, workers) = best(n, &["--cores", "2", "--checkpoint", &directory]);
    let mut several = f64::INFINITY;
    let mut report = Value::Null;
    for _ in 0..RUNS {
        let _ = std::fs::remove_dir_all(&place);
        let begun = Instant::now();
        let mut all = two(n, "--checkpoint", &place);
        let first = all.remove(0).wait_with_output().expect("waited");
        several = several.min(begun.elapsed().as_secs_f64());
        all.remove(0).wait_with_output().expect("waited");
        report = serde_json::from_slice(&first.stdout).expect("a report");
    }
    let states = number(&report["states"]);
    for (what, seconds, to, of) in [
        ("shared memory, 1 core", shared, shared, "itself"),
        ("shared memory, 2 cores", shared_two, shared, "1 core"),
        (
            "1 process, 1 worker",
            alone,
            shared,
            "shared memory, 1 core",
        ),
        ("1 process, 2 workers", workers, alone, "1 worker"),
        ("2 processes, 1 worker each", several, alone, "1 process"),
    ] {
        let rate = states / seconds / 1e6;
        println!(
            "{what:<28} {seconds:7.2} {rate:7.2} {:6.2} times the rate of {of}",
            to / seconds
        );
    }
    let sum = |what: &str| {
        let all = report["distributed"]["workers"]
            .as_array()
            .expect("workers");
        all.iter().map(|w| number(&w[what])).sum::<f64>()
    };
    let (sent, disk, memory) = (
        sum("sent") / states,
        sum("disk") / states,
        number(&one["memory"]) / states,
    );
    println!(
        "a state: {memory:.1} bytes in memory, {disk:.1} on disk, {sent:.2} times sent by one of two"
    );
    projection(states / alone, memory, disk, sent);
    let _ = std::fs::remove_dir_all(&place);
}

/// 10^10 states on 64 machines of 16 cores, if nothing but the size changes.
fn projection(rate: f64, memory: f64, disk: f64, sent: f64) {
    let (states, machines, cores) = (1e10, 64.0, 16.0);
    let own = states / machines;
    // Of two workers each sends a half of what it finds; of very many nearly all.
    let all_sent = sent * 2.0 * (machines * cores - 1.0) / (machines * cores);
    let record = 16.0;
    let minutes = states / (rate * 0.5) / machines / cores / 60.0;
    println!(
        "10^10 such states on {machines} machines of {cores} cores, at half that rate a core: {minutes:.1} minutes; a \
         machine: {:.1} GB of memory, {:.1} GB on disk, {:.0} GB sent, {:.2} GB/s",
        own * memory / 1e9,
        own * disk / 1e9,
        own * all_sent * record / 1e9,
        own * all_sent * record / 1e9 / minutes / 60.0,
    );
}

/// The same in less and less memory.
fn memory(n: u64) {
    let place = place();
    let directory = place.to_string_lossy().into_owned();
    println!(
        "philosophers, N = {n}: memory limit, seconds, bytes of states in memory at the end, on disk"
    );
    for limit in ["none", "64MiB", "32MiB", "24MiB"] {
        let _ = std::fs::remove_dir_all(&place);
        let arguments = [
            "--cores",
            "1",
            "--checkpoint",
            &directory,
            "--limit-memory",
            limit,
        ];
        let (report, seconds) = run(n, &arguments);
        let worker = &report["distributed"]["workers"][0];
        println!(
            "{limit:>6} {seconds:7.2} {:>9} {:>9}  {} states",
            worker["memory"], worker["disk"], report["states"]
        );
        assert_eq!(number(&report["states"]), 3f64.powi(n as i32) - 1.0);
    }
    let _ = std::fs::remove_dir_all(&place);
}

/// What may happen.
const FAULTS: [&str; 5] = ["killed", "stopped", "disk full", "cut", "changed"];

/// Faults at random moments; then the search goes on, and has the exact numbers.
fn faults() {
    let n = 13;
    let mut seed = random::seed(0x5eed);
    let mut draw = |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let begun = Instant::now();
    for mut process in two(n, "--checkpoint", &place()) {
        let _ = process.wait();
    }
    let whole = begun.elapsed().as_secs_f64();
    let mut met = [0usize; FAULTS.len()];
    let mut early = 0usize;
    for _ in 0..random::number("FAULTS", 200) {
        let place = place();
        let _ = std::fs::remove_dir_all(&place);
        let kind = draw(FAULTS.len() as u64) as usize;
        let moment = Duration::from_secs_f64(whole * draw(1000) as f64 / 1000.0);
        let bytes = (1 + draw(8)) * (1 << 20);
        if FAULTS[kind] == "disk full" {
            let directory = place.to_string_lossy().into_owned();
            let limit = bytes.to_string();
            run(
                n,
                &[
                    "--cores",
                    "1",
                    "--deadlock",
                    "--checkpoint",
                    &directory,
                    "--limit-disk",
                    &limit,
                ],
            );
        } else {
            let mut all = two(n, "--checkpoint", &place);
            std::thread::sleep(moment);
            let mut victim = all.remove(draw(2) as usize);
            let stop = FAULTS[kind] == "stopped";
            if stop {
                let id = victim.id().to_string();
                let _ = Command::new("kill").args(["-STOP", &id]).status();
            } else {
                let _ = victim.kill();
            }
            let begun = Instant::now();
            let mut other = all.remove(0);
            let _ = other.wait();
            assert!(
                begun.elapsed() < Duration::from_secs(11),
                "{:?}",
                begun.elapsed()
            );
            let _ = victim.kill();
            let _ = victim.wait();
        }
        if FAULTS[kind] == "cut" || FAULTS[kind] == "changed" {
            damage(&place, FAULTS[kind], &mut draw);
        }
        if !place.join("manifest.json").exists() {
            // They had not met yet.
            early += 1;
            continue;
        }
        let directory = place.to_string_lossy().into_owned();
        let cores = (1 + draw(3)).to_string();
        let (report, _) = run(
            n,
            &["--cores", &cores, "--deadlock", "--resume", &directory],
        );
        let numbers = [number(&report["states"]), number(&report["deadlocks"])];
        assert_eq!(
            numbers,
            [3f64.powi(n as i32) - 1.0, 1.0],
            "{} {moment:?}: {report:#}",
            FAULTS[kind]
        );
        assert_eq!(report["questions"][0]["trace_length"], n.to_string());
        met[kind] += 1;
        let all: usize = met.iter().sum();
        if all.is_multiple_of(20) {
            println!("{all} so far: {met:?} {FAULTS:?}");
        }
    }
    let _ = std::fs::remove_dir_all(place());
    for (fault, met) in FAULTS.iter().zip(met) {
        println!("{fault}: went on {met} times, exact");
    }
    println!("before the processes had met: {early}");
}

/// Cuts or changes a level file.
fn damage(place: &Path, how: &str, draw: &mut dyn FnMut(u64) -> u64) {
    let Ok(entries) = std::fs::read_dir(place) else {
        return;
    };
    let files: Vec<PathBuf> = entries
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.to_string_lossy().contains("/level-"))
        .collect();
    if files.is_empty() {
        return;
    }
    let file = &files[draw(files.len() as u64) as usize];
    let mut bytes = std::fs::read(file).expect("bytes");
    let at = draw(bytes.len().max(1) as u64) as usize;
    match how {
        "cut" => bytes.truncate(at),
        _ => bytes[at] ^= 1 << draw(8),
    }
    std::fs::write(file, bytes).expect("written");
}
