//! What the commands answer on small models, field by field: the JSON is the same from one version to the next, but for
//! timings.
//!
//! A change of the code that is to change nothing leaves these files alone. `UPDATE=1` writes them anew; read the
//! difference.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Models of every kind: refuted, unknown, claims, inferred disciplines, objects, DVE.
const MODELS: &[&str] = &[
    "models/classic/locked_ring.cor",
    "models/dve/mutex.dve",
    "models/features/going_wrong.cor",
    "models/features/unreachable_goal.cor",
    "models/flanagan_qadeer/counter.cor",
    "models/hypotheses/taken_away.cor",
    "models/invariants/flag_lock.cor",
    "models/seeded/lock_forgotten.cor",
    "models/stoller_cohen/two_locks_barrier.cor",
];

/// Commands on a model, each with the name of its file.
const COMMANDS: &[(&str, &[&str])] = &[
    ("check", &["check"]),
    (
        "check_auto",
        &["check", "--theorem", "auto", "--cross-check"],
    ),
    ("reach", &["reach"]),
    (
        "reach_reduced",
        &["reach", "--reduced", "--engine", "saturation"],
    ),
    ("reach_por", &["reach", "--por", "source-dpor"]),
    ("movers", &["movers"]),
];

/// The fields that differ from run to run.
const TIMES: &[&str] = &["timing", "time", "seconds"];

fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for time in TIMES {
                fields.remove(*time);
            }
            fields.values_mut().for_each(without_times);
        }
        Value::Array(all) => all.iter_mut().for_each(without_times),
        _ => {}
    }
}

fn answer(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .args(arguments)
        .args(["--format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("started");
    let mut text = format!("exit {}\n", output.status.code().expect("an exit code"));
    for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
        let mut value: Value = serde_json::from_str(line).expect("JSON");
        without_times(&mut value);
        text += &serde_json::to_string_pretty(&value).expect("JSON");
        text.push('\n');
    }
    text
}

/// Models whose first screens are kept, as they are in terminals of two widths.
const SCREENS: &[&str] = &[
    "models/classic/locked_ring.cor",
    "models/classic/peterson.cor",
    "models/features/going_wrong.cor",
    "models/flanagan_qadeer/counter.cor",
    "models/hypotheses/taken_away.cor",
    "models/invariants/flag_lock.cor",
    "models/lock_free/arc.cor",
    "models/monitors/bounded_buffer.cor",
    "models/section6/memory_reuse.cor",
    "models/seeded/lock_forgotten.cor",
    "models/transactions/bank.cor",
    "models/transactions/bank_bug.cor",
];

#[test]
fn screens() {
    for model in SCREENS {
        for columns in ["80", "120"] {
            let output = Command::new(env!("CARGO_BIN_EXE_coarsen"))
                .args(["check", model])
                .env("COLUMNS", columns)
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .output()
                .expect("started");
            let got = String::from_utf8(output.stdout).expect("UTF-8");
            let stem = Path::new(model).file_stem().expect("a name");
            let file = format!("tests/golden/{}.{columns}.txt", stem.to_string_lossy());
            same(&file, &got);
            let most: usize = columns.parse().expect("a number");
            for line in got.lines().skip(1) {
                // Lines of the model's own are not broken.
                let own = line.contains("line ") || !line.trim().contains(' ');
                let length = line.chars().count();
                assert!(own || length <= most, "{file}: {length} columns: {line}");
            }
        }
    }
}

/// Compares an answer with what is kept.
fn same(file: &str, got: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, got).expect("written");
    }
    let expected = std::fs::read_to_string(&path).expect(file);
    let mut lines = expected.lines().zip(got.lines()).enumerate();
    if let Some((n, (a, b))) = lines.find(|(_, (a, b))| a != b) {
        panic!("{file}, line {}:\n{a}\nis now\n{b}", n + 1);
    }
    assert_eq!(expected.len(), got.len(), "{file}");
}

/// Compares all answers of one command.
fn golden(name: &str) {
    let (_, command) = COMMANDS.iter().find(|c| c.0 == name).expect("a command");
    for model in MODELS {
        let stem = Path::new(model).file_stem().expect("a name");
        let file = format!("tests/golden/{}.{name}.json", stem.to_string_lossy());
        let got = answer(&[command, [*model].as_slice()].concat());
        same(&file, &got);
    }
}

macro_rules! commands {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            golden(stringify!($name));
        })*

        #[test]
        fn every_command_has_a_test() {
            let tested = [$(stringify!($name)),*];
            let all: Vec<&str> = COMMANDS.iter().map(|c| c.0).collect();
            assert_eq!(tested.as_slice(), all);
        }
    };
}

commands! { check check_auto reach reach_reduced reach_por movers }
