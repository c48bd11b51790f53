//! `coarsen prove` on problems in TPTP's form: the first line, exit codes, JSON, certificates, includes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let at = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("tptp")
        .join(name);
    let _ = std::fs::remove_dir_all(&at);
    for (file, text) in files {
        let path = at.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        std::fs::write(path, text).expect("written");
    }
    at
}

fn run(at: &Path, args: &[&str], tptp: &Path) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .arg("prove")
        .args(args)
        .current_dir(at)
        .env("TPTP", tptp)
        .output()
        .expect("started");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("an exit code");
    (code, text(output.stdout), text(output.stderr))
}

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tptp")
}

#[test]
fn the_first_line_is_the_status() {
    for (file, status, code) in [
        ("while", "Theorem", 0),
        ("star_of_product", "CounterSatisfiable", 10),
        ("clauses", "Unsatisfiable", 0),
        ("satisfiable", "Satisfiable", 10),
        ("below_one", "GaveUp", 20),
        ("bad/role", "InputError", 3),
        ("bad/missing", "InputError", 3),
        ("not_there", "InputError", 1),
    ] {
        let name = format!("{file}.p");
        let (found, out, err) = run(&shipped(), &[&name], Path::new(""));
        let stem = file.rsplit('/').next().unwrap_or(file);
        let line = format!("% SZS status {status} for {stem}");
        assert_eq!(out.lines().next(), Some(line.as_str()), "{err}");
        assert_eq!(found, code, "{file}");
        assert!(out.lines().count() > 1 || status == "Theorem", "{out}");
        assert_eq!(err.is_empty(), code != 3 && code != 1, "{err}");
        let (again, quiet, _) = run(&shipped(), &["-q", &name], Path::new(""));
        assert_eq!((again, quiet.trim_end()), (code, line.as_str()));
    }
}

#[test]
fn problems_stand_beside_other_files() {
    let files = [
        ("a.thy", "action x; identity a : x <= x*;"),
        ("b/b.p", "fof(g, conjecture, zero = zero)."),
        (
            "b/c.p",
            "% Status : Theorem\nfof(g, conjecture, ! [X] : X = zero).",
        ),
    ];
    let at = folder("beside", &files);
    let (code, out, _) = run(&at, &["."], Path::new(""));
    assert_eq!(code, 10, "{out}");
    assert!(
        out.contains("1 proved, 0 refuted, 0 unknown; 1 as declared"),
        "{out}"
    );
    assert!(out.contains("% SZS status GaveUp for b\n"), "{out}");
    assert!(
        out.contains("% SZS status CounterSatisfiable for c\nthe file says `Theorem`\n"),
        "{out}"
    );
    let (code, out, _) = run(&at, &[".", "--only", "b"], Path::new(""));
    assert_eq!((code, out.lines().count()), (20, 4), "{out}");
    let (code, _, err) = run(&at, &[".", "--only", "d"], Path::new(""));
    assert_eq!(code, 2, "{err}");
}

#[test]
fn includes_are_found_above_and_in_tptp() {
    let goal = "include('Axioms/a.ax').\nfof(g, conjecture, a = b).";
    let files = [
        ("Problems/X/p.p", goal),
        ("Axioms/a.ax", "include('Axioms/b.ax')."),
        ("Axioms/b.ax", "fof(e, axiom, $false)."),
        ("elsewhere/Axioms/a.ax", "fof(e, axiom, one = zero)."),
    ];
    let at = folder("includes", &files);
    let (code, out, err) = run(&at.join("Problems/X"), &["-q", "p.p"], Path::new(""));
    assert_eq!(
        (code, out.as_str()),
        (0, "% SZS status Theorem for p\n"),
        "{err}"
    );
    std::fs::remove_file(at.join("Axioms/b.ax")).expect("removed");
    let (code, out, err) = run(&at, &["Problems/X/p.p"], Path::new(""));
    assert_eq!((code, out.lines().count()), (3, 2), "{out}");
    assert!(err.contains("Axioms/a.ax:1:9"), "{err}");
    std::fs::remove_file(at.join("Axioms/a.ax")).expect("removed");
    let (code, _, err) = run(&at, &["Problems/X/p.p"], Path::new(""));
    assert!(code == 3 && err.contains("E0505"), "{err}");
    let (code, out, err) = run(&at, &["Problems/X/p.p"], &at.join("elsewhere"));
    assert!(code == 20 && out.contains("GaveUp"), "{out}{err}");
}

#[test]
fn what_was_proved_is_a_certificate() {
    let at = folder("certificate", &[]);
    std::fs::create_dir_all(&at).expect("created");
    let file = shipped().join("sum_of_tests.p");
    let (code, _, err) = run(
        &at,
        &[&file.to_string_lossy(), "--certificate", "out"],
        Path::new(""),
    );
    assert_eq!(code, 0, "{err}");
    let verified = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .args(["verify", "-q", "out/sum_of_tests.cert"])
        .current_dir(&at)
        .output()
        .expect("started");
    assert_eq!(verified.status.code(), Some(0));
}

#[test]
fn the_json_form_is_described() {
    let files = ["cases.p", "c_excludes.p", "unknown_word.p", "bad/role.p"];
    let args = [&["--format", "json"], files.as_slice()].concat();
    let (code, out, _) = run(&shipped(), &args, Path::new(""));
    assert_eq!(code, 3);
    let list: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let szs = list
        .as_array()
        .expect("a list")
        .iter()
        .map(|o| o["szs"].as_str());
    let expected = ["Theorem", "CounterSatisfiable", "GaveUp", "InputError"];
    assert_eq!(szs.collect::<Option<Vec<_>>>().expect("szs"), expected);
    assert_eq!(list[2]["reason"], "not supported: `domain`");
    assert_eq!(list[1]["declared"], "CounterSatisfiable");
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../docs/schema/prove.schema.json")).expect("JSON");
    let manual = include_str!("../docs/json.md");
    for (object, kind) in [
        (&list[0], "problem"),
        (&list[1]["parts"][0], "part"),
        (&list[3], "problem_fault"),
    ] {
        let described = schema["$defs"][kind]["properties"].as_object();
        let described: BTreeSet<&String> = described.expect(kind).keys().collect();
        let found: BTreeSet<&String> = object.as_object().expect("an object").keys().collect();
        assert_eq!(described, found);
        let section = manual.split_once(&format!("## {kind}\n")).expect(kind).1;
        let section = section.split("\n## ").next().unwrap_or_default();
        for field in found {
            assert!(
                section.contains(&format!("| `{field}` |")),
                "{kind}.{field}"
            );
        }
    }
}
