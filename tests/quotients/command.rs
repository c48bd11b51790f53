//! `--reductions` on the command line: what is told, and what is refused (docs/por.md).

use std::process::Command;

const MODEL: &str = "models/stoller_cohen/two_locks_barrier.cor";

fn coarsen(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .output()
        .expect("started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let (out, err) = (text(output.stdout), text(output.stderr));
    (output.status.code(), out, err)
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (arguments, because) in [
        (&["reach", "--reductions", "none,all"][..], "not both"),
        (
            &["reach", "--reductions", "symmetry", "--por", "sleep"],
            "not with --por",
        ),
        (
            &["reach", "--reductions", "symmetry", "--engine", "bdd"],
            "--engine explicit",
        ),
        (
            &[
                "reach",
                "--reductions",
                "symmetry",
                "--engine",
                "saturation",
            ],
            "--engine explicit",
        ),
        (
            &[
                "reach",
                "--reductions",
                "symmetry",
                "--engine",
                "interpreter",
            ],
            "--engine explicit",
        ),
        (&["check", "--reductions", "symmetry"], "coarsen reach"),
        (
            &["check", "--reductions", "all", "--certificate", "x.cert"],
            "--certificate",
        ),
        (
            &["check", "--reductions", "all", "--theorem", "lipton"],
            "stoller-cohen",
        ),
        (
            &["check", "--reductions", "dead-locals", "--theorem", "auto"],
            "stoller-cohen",
        ),
        (&["reach", "--reductions", "list"], "possible values"),
    ] {
        let (code, out, err) = coarsen(&[arguments, &[MODEL]].concat());
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        assert_eq!(out, "", "{arguments:?}");
        assert!(err.contains(because), "{arguments:?}: {err}");
    }
}

/// JSON has new fields only with the option.
#[test]
fn json_says_what_was_seen_as_one() {
    let reach = |more: &[&str]| {
        let all = [&["reach", "--format", "json", MODEL], more].concat();
        let (code, out, err) = coarsen(&all);
        assert_eq!(code, Some(0), "{err}");
        let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        value
    };
    let plain = reach(&["--reductions", "none"]);
    assert!(plain.get("reductions").is_none() && plain.get("representatives").is_none());
    let some = reach(&["--reductions", "all", "--por", "stubborn"]);
    assert_eq!(some["reductions"], serde_json::json!(["dead-locals"]));
    let forgetting = reach(&["--reductions", "dead-locals"]);
    assert_eq!(forgetting["reductions"], serde_json::json!(["dead-locals"]));
}

/// Evidence is about the program as it was given: its states as well, if orbits have counted them.
#[test]
fn what_is_told_has_evidence() {
    let folder = std::env::temp_dir().join(format!("coarsen-quotients-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("evidence.cert");
    let path = file.to_str().expect("a path");
    let model = "models/classic/ticket_lock.cor";
    for (reductions, counted) in [("symmetry", true), ("dead-locals", false), ("all", false)] {
        let (code, _, err) = coarsen(&[
            "reach",
            "--deadlock",
            "--reductions",
            reductions,
            "--certificate",
            path,
            model,
        ]);
        assert_eq!(code, Some(0), "{reductions}: {err}");
        let (code, out, err) = coarsen(&["verify", "--model", model, path]);
        assert_eq!(code, Some(0), "{reductions}: {out}{err}");
        let text = std::fs::read_to_string(&file).expect("written");
        assert_eq!(text.contains("states 273"), counted, "{reductions}");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}
