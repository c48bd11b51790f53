//! What happens to processes: they are killed, they hang, they don't come, their disk is full; by the command. And the
//! job files of the page about them.

use crate::command::coarsen;
use crate::missing;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Dining philosophers, enough for a moment.
const N: &str = "N=12";

/// Their states, 3^12 - 1.
const STATES: &str = "531440";

const MODEL: &str = "models/classic/philosophers.cor";

fn start(arguments: &[String]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "reach",
            MODEL,
            "-D",
            N,
            "--deadlock",
            "--cores",
            "1",
            "--format",
            "json",
        ])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started")
}

/// Two processes that keep their levels in a directory.
fn two(hosts: &Path, how: &str, directory: &Path) -> Vec<Child> {
    let all = super::addresses(2).join("\n");
    std::fs::write(hosts, all).expect("written");
    let text = |p: &Path| p.to_string_lossy().into_owned();
    (0..2)
        .map(|process| {
            start(&[
                "--distribute".into(),
                text(hosts),
                "--process".into(),
                process.to_string(),
                how.into(),
                text(directory),
            ])
        })
        .collect()
}

fn waited(child: Child) -> (Option<i32>, serde_json::Value) {
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().expect("waited");
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(!stderr.contains("panicked"), "{stderr}");
    (
        status.code(),
        serde_json::from_slice(&stdout).unwrap_or_default(),
    )
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
}

fn place() -> (PathBuf, PathBuf) {
    let directory = super::directory();
    (directory.with_extension("hosts"), directory)
}

fn go_on(directory: &Path) {
    let child = start(&["--resume".into(), directory.to_string_lossy().into_owned()]);
    let (exit, report) = waited(child);
    assert_eq!(
        (exit, report["states"].as_str()),
        (Some(10), Some(STATES)),
        "{report:#}"
    );
    assert_eq!(report["deadlocks"], "1");
    assert_eq!(report["questions"][0]["trace_length"], "12");
}

/// One is killed or stopped at some moment. The other says so soon, and the search goes on from its levels.
#[test]
fn killed_or_stopped() {
    let mut met = 0;
    for (n, moment) in [0u64, 10, 30, 60, 100, 150, 5, 45, 80, 200]
        .into_iter()
        .enumerate()
    {
        let (hosts, directory) = place();
        let mut all = two(&hosts, "--checkpoint", &directory);
        let begun = Instant::now();
        while !directory.join("manifest.json").exists() {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "they do not begin"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(moment));
        let victim = all.remove(n % 2);
        let stops = n == 4;
        signal(&victim, if stops { "-STOP" } else { "-KILL" });
        let since = Instant::now();
        let (exit, report) = waited(all.remove(0));
        assert!(
            since.elapsed() < Duration::from_secs(20),
            "{:?}",
            since.elapsed()
        );
        if stops {
            signal(&victim, "-KILL");
        }
        let (killed, _) = waited(victim);
        // On a fast machine all may be over by then, or nearly.
        if killed.is_some() || exit == Some(10) {
            continue;
        }
        // Process 0 has a report, the other says nothing on standard output.
        assert_eq!(exit, Some(20), "{report:#}");
        if n % 2 == 1 && report.is_object() && report["distributed"].is_object() {
            let lost = &report["distributed"]["trouble"]["lost"];
            assert_eq!(
                (&lost["process"], &lost["silent"]),
                (&1.into(), &stops.into()),
                "{report:#}"
            );
        }
        go_on(&directory);
        met += 1;
        let _ = std::fs::remove_dir_all(&directory);
    }
    assert!(met >= 3, "{met}");
}

/// Those that `launch` starts are replaced.
#[test]
fn launched() {
    let run = |extra: &[&str]| {
        let mut all = vec!["launch", "-n", "2"];
        all.extend(extra);
        all.extend([
            "--",
            "reach",
            MODEL,
            "-D",
            N,
            "--deadlock",
            "--format",
            "json",
        ]);
        let (exit, out, err) = coarsen(&all, b"");
        let report: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
        (exit, report, err)
    };
    let (exit, report, err) = run(&[]);
    assert_eq!(
        (exit, report["states"].as_str()),
        (Some(10), Some(STATES)),
        "{err}"
    );
    assert_eq!(report["distributed"]["processes"], 2);
    let check = ["launch", "-n", "2", "--", "check", MODEL, "-D", N];
    let (exit, out, err) = coarsen(&[&check[..], &["--reduce", "last"]].concat(), b"");
    assert_eq!(exit, Some(10), "{err}");
    for told in [STATES, "2 processes with", "deadlock_free  refuted"] {
        assert!(out.contains(told), "{told}: {out}");
    }
    let (exit, _, err) = coarsen(&["launch", "-n", "2", "--", "movers", MODEL], b"");
    assert_eq!(exit, Some(2), "{err}");
    let (exit, _, err) = coarsen(
        &["launch", "-n", "2", "--", "reach", MODEL, "--process", "1"],
        b"",
    );
    assert_eq!(exit, Some(2), "{err}");
    let (exit, _, err) = coarsen(&["launch", "-n", "2", "--", "reach", "no.cor"], b"");
    assert_eq!(exit, Some(1), "{err}");
    assert!(!err.contains("panicked"), "{err}");
}

/// One who is alone says so and ends.
#[test]
fn nobody_comes() {
    let addresses = super::addresses(2).join("\n");
    let (hosts, _) = place();
    std::fs::write(&hosts, addresses).expect("written");
    let hosts = hosts.to_string_lossy();
    let since = Instant::now();
    let arguments = [
        "reach",
        MODEL,
        "--distribute",
        &hosts,
        "--process",
        "0",
        "--wait",
        "500ms",
    ];
    let (exit, out, err) = coarsen(&arguments, b"");
    assert_eq!((exit, out.as_str()), (Some(20), ""), "{err}");
    assert!(err.contains("process 1 was not reached"), "{err}");
    assert!(since.elapsed() < Duration::from_secs(5));
}

/// The limits of disk and memory, and a directory that can't be written.
#[test]
fn little_room() {
    let (_, directory) = place();
    let name = directory.to_string_lossy();
    let base = [
        "reach",
        MODEL,
        "-D",
        N,
        "--cores",
        "1",
        "--checkpoint",
        &name,
    ];
    let (exit, out, err) = coarsen(&[&base[..], &["--limit-disk", "2MiB"]].concat(), b"");
    assert_eq!(exit, Some(20), "{out}{err}");
    assert!(
        out.contains("--limit-disk") && out.contains("--resume"),
        "{out}"
    );
    let resumed = [
        "reach", MODEL, "-D", "N=12", "--cores", "2", "--resume", &name,
    ];
    let (exit, out, err) = coarsen(&resumed, b"");
    assert_eq!(exit, Some(0), "{out}{err}");
    assert!(
        out.contains("531440") && out.contains("went on from level"),
        "{out}"
    );
    std::fs::remove_dir_all(&directory).expect("removed");
    let arguments = ["reach", MODEL, "--checkpoint", "/proc/levels"];
    let (exit, out, err) = coarsen(&arguments, b"");
    assert_eq!((exit, out.as_str()), (Some(2), ""), "{err}");
}

/// What does not go together is said, and why.
#[test]
fn refused() {
    for (more, why) in [
        (&["--distribute", "2"][..], "--process"),
        (&["--distribute", "2", "--process", "2"], "numbered from 0"),
        (
            &["--distribute", "0", "--process", "0"],
            "one process at least",
        ),
        (
            &["--distribute", "no-such-file", "--process", "0"],
            "a file with an address",
        ),
        (&["--checkpoint", "/tmp/x", "--por", "stubborn"], "--por"),
        (
            &["--checkpoint", "/tmp/x", "--engine", "saturation"],
            "--engine",
        ),
        (
            &["--checkpoint", "/tmp/x", "--search", "depth"],
            "--search depth",
        ),
        (
            &["--checkpoint", "/tmp/x", "--certificate", "/tmp/y"],
            "--certificate",
        ),
        (
            &["--resume", "/tmp/no-such-levels"],
            "no levels to go on from",
        ),
    ] {
        let (exit, out, err) = coarsen(&[&["reach", MODEL], more].concat(), b"");
        assert_eq!((exit, out.as_str()), (Some(2), ""), "{more:?}: {err}");
        assert!(err.contains(why), "{more:?}: {err}");
    }
}

/// The block of the page behind a heading.
fn job(page: &str, heading: &str) -> String {
    let (_, rest) = page.split_once(heading).expect("a heading");
    let lines = rest.lines().skip_while(|l| !l.starts_with("    "));
    let lines = lines.take_while(|l| l.starts_with("    ") || l.is_empty());
    lines
        .map(|l| format!("{}\n", l.get(4..).unwrap_or("")))
        .collect()
}

/// The job files of the page are what their own checkers accept, and their options are ours.
#[test]
fn job_files() {
    let page = include_str!("../../docs/distributed.md");
    let (slurm, kubernetes) = (job(page, "### Slurm"), job(page, "### Kubernetes"));
    let (_, help, _) = coarsen(&["reach", "--help"], b"");
    let mut options = 0;
    for text in [&slurm, &kubernetes] {
        let (_, command) = text.split_once("coarsen reach").expect("the command");
        let command = command.replace("\\\n", " ");
        let line = command.lines().next().expect("a line");
        for option in line.split_whitespace().filter(|w| w.starts_with("--")) {
            assert!(help.contains(&format!("{option} ")), "{option}");
            options += 1;
        }
    }
    assert!(options >= 9, "{options}");
    let folder = super::directory();
    std::fs::create_dir_all(&folder).expect("made");
    for (name, text, checker) in [
        ("job.sh", &slurm, "shellcheck"),
        ("job.yaml", &kubernetes, "kubernetes-validate"),
    ] {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("written");
        if !missing::tools(&[checker]) {
            continue;
        }
        let checked = Command::new(checker).arg(&file).output().expect("started");
        let said = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(
            checked.status.success(),
            "{said}{}",
            String::from_utf8_lossy(&checked.stderr)
        );
    }
    let parsed = Command::new("bash")
        .arg("-n")
        .arg(folder.join("job.sh"))
        .status();
    assert!(parsed.expect("bash").success());
    std::fs::remove_dir_all(&folder).expect("removed");
}
