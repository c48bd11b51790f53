//! `coarsen reach --por` as users start it: what goes together, what does not and why, and what a bound leaves open.

use super::combinations;
use std::process::Command;

use coarsen::engine::partial_order::{Por, Technique};
use serde_json::Value;
use std::collections::BTreeSet;

/// Exit code, stdout and stderr of `coarsen reach` with these arguments, in the folder of the package.
fn reach(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .arg("reach")
        .args(arguments)
        .output()
        .expect("started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn refused(arguments: &[&str], because: &str) {
    let (code, out, err) = reach(arguments);
    assert_eq!(code, Some(2), "{arguments:?}: {err}");
    assert_eq!(out, "", "{arguments:?}");
    assert!(err.contains(because), "{arguments:?}: {err}");
}

const MODEL: &str = "models/gueta/indexer.cor";

/// What may be combined is the table in docs/por.md, and nothing else.
#[test]
fn what_may_be_combined() {
    let names: BTreeSet<String> = combinations().iter().map(Por::name).collect();
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/por.md"));
    let text = text.expect("the page");
    for name in &names {
        assert!(
            text.contains(&format!("`--por {name}`")),
            "{name} is not in docs/por.md"
        );
    }
    let shown = text.matches("| `--por ").count();
    assert_eq!(names.len(), shown, "{names:#?}");
}

/// Any two techniques: what is not in the table of docs/por.md is refused with the reason that is given below it.
#[test]
fn pairs_that_are_not_in_the_table_are_refused() {
    let allowed: Vec<String> = combinations().iter().map(Por::name).collect();
    let of_states = ["persistent", "stubborn", "cartesian"];
    let sleeping = ["sleep", "source-dpor"];
    let mut refusals = 0;
    for a in Technique::ALL.map(Technique::name) {
        for b in Technique::ALL.map(Technique::name) {
            let has = |names: &[&str]| names.contains(&a) || names.contains(&b);
            let because = if a == b {
                "is named twice"
            } else if has(&["not-seen-before"]) && has(&["not-seen-before-hashed"]) {
                "exactly or by hashes, not both"
            } else if has(&of_states) {
                "is combined with nothing: it keeps states"
            } else if has(&["sleep"]) && has(&["source-dpor"]) {
                "source-dpor has sleep sets of its own"
            } else if has(&sleeping) && has(&["not-seen-before", "not-seen-before-hashed"]) {
                "not-seen-before is not combined with sleep sets"
            } else if has(&sleeping) && has(&["super-step"]) {
                "super-step is not combined with sleep sets"
            } else {
                let names = [format!("{a},{b}"), format!("{b},{a}")];
                assert!(names.iter().any(|n| allowed.contains(n)), "{a},{b}");
                let (code, out, err) = reach(&["-q", "--por", &names[0], MODEL]);
                assert_eq!(code, Some(0), "{a},{b}: {out}{err}");
                continue;
            };
            refused(&["--por", &format!("{a},{b}"), MODEL], because);
            refused(&["--por", &format!("{a},{b}"), MODEL], "docs/por.md");
            refusals += 1;
        }
    }
    assert_eq!(refusals, 81 - 2 * 7);
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    for states in ["persistent", "stubborn", "cartesian"] {
        refused(
            &["--por", states, "--depth", "5", MODEL],
            "needs no bound: leave out `--depth`",
        );
    }
    for techniques in ["stubborn", "source-dpor", "super-step,local-cycles"] {
        refused(
            &["--por", techniques, "--extend", "greedy", MODEL],
            "--extend is for `--por cartesian`",
        );
    }
    for other in [
        ["--engine", "saturation"],
        ["--engine", "interpreter"],
        ["--order", "force"],
        ["--search", "depth"],
    ] {
        let arguments = [&["--por", "stubborn"], other.as_slice(), &[MODEL]].concat();
        refused(&arguments, "it does not go with another --engine");
    }
    refused(&["--depth", "5", MODEL], "--por");
    refused(&["--extend", "greedy", MODEL], "--por");
    refused(
        &["--por", "sleep", "--depth", "0", MODEL],
        "0 is not in 1..",
    );
    refused(&["--por", "stuborn", MODEL], "'stubborn'");
    refused(&["--por", "", MODEL], "possible values");
    refused(&["--theorem", "stoller-cohen", MODEL], "--reduced");
    let alone = ["--theorem", "lipton", "--por", "stubborn", MODEL];
    refused(&alone, "--reduced");
}

/// Without states nothing says that an execution goes round and round, so it has to be bounded; then what is not found
/// is unknown.
#[test]
fn models_that_do_not_end_are_refused_without_a_bound() {
    let peterson = "models/classic/peterson.cor";
    let keeps = ["persistent", "stubborn", "cartesian"];
    for por in combinations() {
        let name = por.name();
        let states = keeps.contains(&name.as_str());
        let cycles = name.contains("local-cycles");
        let asked = ["-q", "--por", &name, "--limit-operations=20000", peterson];
        if states {
            assert_eq!(reach(&asked).0, Some(0), "{name}");
            continue;
        }
        // A remedy for waiting in loops helps with some loops.
        let (code, _, err) = reach(&asked);
        assert!(code == Some(2) || cycles, "{name}: {code:?}");
        assert!(
            code != Some(2) || err.contains("`--depth`"),
            "{name}: {err}"
        );
        let nowhere = ["--find", "data == 1 && data == 2"];
        let bounded = ["-q", "--por", &name, "--depth", "9", peterson];
        let (code, out, err) = reach(&[nowhere.as_slice(), &bounded].concat());
        assert_eq!(code, Some(20), "{name}: {out}{err}");
        let there = ["--find", "at(process(0), Use)"];
        let (_, out, _) = reach(
            &[
                there.as_slice(),
                &["--por", &name, "--depth", "9", peterson],
            ]
            .concat(),
        );
        assert!(out.contains("found"), "{name}: {out}");
    }
}

/// A bound that no execution reaches leaves nothing open.
#[test]
fn a_bound_that_is_not_reached_leaves_nothing_open() {
    for por in ["sleep", "source-dpor", "not-seen-before", "super-step"] {
        // Each thread takes four steps.
        for (depth, code) in [("8", 0), ("7", 20)] {
            let (found, out, err) = reach(&["-q", "--por", por, "--depth", depth, MODEL]);
            assert_eq!(found, Some(code), "{por} {depth}: {out}{err}");
            assert!(
                code == 0 || out.contains("(--depth)"),
                "{por} {depth}: {out}"
            );
        }
    }
}

#[test]
fn executions_are_told_where_no_states_are_kept() {
    for por in combinations() {
        let name = por.name();
        let (code, out, err) = reach(&["--format", "json", "--por", &name, MODEL]);
        assert_eq!(code, Some(0), "{name}: {err}");
        let json: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(json["por"], name.as_str());
        let keeps = ["persistent", "stubborn", "cartesian"].contains(&name.as_str());
        assert_eq!(json["states"].is_null(), !keeps, "{name}");
        assert_eq!(json["executions"].is_null(), keeps, "{name}");
        assert_eq!(json["redundant"].is_null(), keeps, "{name}");
    }
    let (_, out, _) = reach(&["--format", "json", MODEL]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert!(json["por"].is_null() && json["executions"].is_null());
}

/// Everything that is told, traces and numbers included, but not times and memory, whatever the workers.
#[test]
fn what_is_told_does_not_depend_on_the_workers() {
    let told = |arguments: &[&str], cores: &str| {
        let (_, out, err) = reach(&[arguments, &["--format", "json", "--cores", cores]].concat());
        let mut json: Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {err}"));
        let all = json.as_object_mut().expect("an object");
        assert!(all.remove("timing").is_some());
        json
    };
    for arguments in [
        &[
            "models/gueta/philosophers.cor",
            "-DN=7",
            "--deadlock",
            "--find=fork[0] && !fork[1]",
        ][..],
        &[
            "models/gueta/indexer.cor",
            "-DN=14",
            "--find=table[100] != 0 && table[3] == 0",
        ],
        &[
            "models/gueta/file_system.cor",
            "-DN=15",
            "--deadlock",
            "--find=busy[0] && !busy[1]",
        ],
        &[
            "models/gueta/robots.cor",
            "--find=at(robot(0), wrong) || at(robot(1), wrong)",
        ],
    ] {
        for extend in ["round-robin", "backwards", "greedy"] {
            let asked = [arguments, &["--por=cartesian", "--extend", extend]].concat();
            let one = told(&asked, "1");
            for cores in ["2", "5"] {
                assert_eq!(told(&asked, cores), one, "{asked:?} {cores}");
            }
        }
    }
}
