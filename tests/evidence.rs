//! Tests that whatever holds has evidence, and that what `coarsen verify` prints is what was verified.

use crate::{missing, shipped};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two threads count up under a lock.
const TURNS: &str = "const K = 2;
mutex m;
var x: 0..3 = 0 protected x by m;
var done: 0..2 = 0 unprotected;
thread worker(i in 0..1) {
    var t: 0..3 = 0;
    transaction inc { lock(m); t = x; x = t + 1; unlock(m); }
    done = done + 1;
}
invariant both: done == 2 => x == K;
reach two: x == 2;
reach three: x == 3;
deadlock_free;
";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("coarsen-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Folder(folder)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let file = self.0.join(name);
        std::fs::write(&file, text).expect("a file");
        file
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn coarsen(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coarsen"));
    command.args(args).output().expect("it runs")
}

fn path(file: &Path) -> &str {
    file.to_str().expect("UTF-8")
}

/// The answer for one certificate, and the exit code.
fn answer(args: &[&str]) -> (serde_json::Value, i32) {
    let output = coarsen(&[&["verify", "--format", "json"], args].concat());
    let all: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    (all[0].clone(), output.status.code().expect("it ends"))
}

fn strings(value: &serde_json::Value) -> Vec<&str> {
    let all = value.as_array().into_iter().flatten();
    all.filter_map(|v| v.as_str()).collect()
}

#[test]
fn every_theorem_has_evidence_for_all_that_holds() {
    let folder = Folder::new("theorems");
    let model = folder.file("turns.cor", TURNS);
    let all = [
        "flanagan-qadeer",
        "left-movers",
        "right-movers",
        "lipton",
        "stoller-cohen",
        "",
    ];
    for theorem in all {
        let bundle = folder.0.join("turns.bundle");
        let mut args = vec!["check", "-q", path(&model), "--certificate", path(&bundle)];
        if !theorem.is_empty() {
            args.extend(["--theorem", theorem]);
        }
        // `three` is never reached.
        assert_eq!(coarsen(&args).status.code(), Some(10), "{theorem}");
        let (answer, code) = answer(&[path(&bundle), "--model", path(&model)]);
        assert_eq!(
            (code, &answer["status"]),
            (0, &"accepted".into()),
            "{answer}"
        );
        let claims = strings(&answer["claims"]);
        for claim in [
            "discipline",
            "assertions",
            "deadlock_free",
            "both",
            "never three",
        ] {
            assert!(claims.contains(&claim), "{theorem}: {claims:?}");
        }
        assert_eq!(strings(&answer["reached"]), ["two"], "{theorem}");
        let open = strings(&answer["uncovered"]);
        assert!(open.is_empty(), "{theorem}: {open:?}");
        // The block is no transaction by Stoller & Cohen's theorem alone.
        let compared = strings(&answer["by_comparison"]);
        let expected: &[&str] = if theorem == "stoller-cohen" {
            &["inc"]
        } else {
            &[]
        };
        assert_eq!(compared, expected, "{theorem}");
    }
}

#[test]
fn every_answer_of_reach_has_evidence() {
    let folder = Folder::new("reach");
    let model = folder.file("turns.cor", TURNS);
    let bundle = folder.0.join("turns.bundle");
    let asked = [
        "--deadlock",
        "--invariant",
        "both",
        "--invariant",
        "two",
        "--find",
        "x == 1",
        "--find",
        "x == 3",
    ];
    let ways: [&[&str]; 10] = [
        &[],
        &["--engine", "saturation"],
        &["--engine", "chaining"],
        &["--engine", "worklist"],
        &["--engine", "bdd"],
        &["--engine", "explicit"],
        &["--engine", "interpreter"],
        &["--reduced"],
        &["--reduced", "--theorem", "flanagan-qadeer"],
        &["--reduced", "--theorem", "lipton"],
    ];
    for way in ways {
        let certificate = ["reach", "-q", path(&model), "--certificate", path(&bundle)];
        let args = [certificate.as_slice(), &asked, way].concat();
        assert_eq!(coarsen(&args).status.code(), Some(10), "{way:?}");
        let (answer, code) = answer(&[path(&bundle), "--model", path(&model)]);
        assert_eq!(code, 0, "{way:?}: {answer}");
        let claims = strings(&answer["claims"]);
        for claim in ["deadlock_free", "both", "never find x == 3"] {
            assert!(claims.contains(&claim), "{way:?}: {claims:?}");
        }
        // Only what was explored without a theorem is counted.
        let counted = !way.contains(&"--reduced");
        assert_eq!(claims.contains(&"states 31"), counted, "{way:?}");
        let reached = strings(&answer["reached"]);
        for goal in ["two", "find x == 1"] {
            assert!(reached.contains(&goal), "{way:?}: {reached:?}");
        }
    }
    let none = [
        "reach",
        path(&model),
        "--por",
        "sleep",
        "--certificate",
        path(&bundle),
    ];
    let output = coarsen(&none);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`--por sleep`"));
}

/// Every shipped model with few states: their number is shown, and no smaller one is.
#[test]
fn numbers_of_states_have_evidence() {
    let folder = Folder::new("states");
    let mut counted = 0;
    for model in shipped::models()
        .into_iter()
        .filter(|m| m.name.starts_with("models/classic/"))
    {
        let source = folder.file("model.cor", &model.source);
        let bundle = folder.0.join("model.bundle");
        coarsen(&["reach", "-q", path(&source), "--certificate", path(&bundle)]);
        let text = std::fs::read_to_string(&bundle).expect("a bundle");
        let (_, states) = text.split_once("\nclaim states ").expect("a number");
        let states: u64 = states
            .lines()
            .next()
            .expect("a line")
            .parse()
            .expect("a number");
        assert_eq!(answer(&[path(&bundle)]).1, 0, "{}", model.name);
        let (from, to) = (
            format!("claim states {states}\n"),
            format!("claim states {}\n", states - 1),
        );
        let fewer = folder.file("fewer.bundle", &text.replace(&from, &to));
        assert_eq!(answer(&[path(&fewer)]).1, 12, "{}", model.name);
        counted += 1;
    }
    assert!(counted >= 10, "{counted}");
}

#[test]
fn what_was_verified_is_said() {
    let folder = Folder::new("said");
    let model = folder.file("turns.cor", TURNS);
    let bundle = folder.0.join("turns.bundle");
    coarsen(&[
        "check",
        "-q",
        path(&model),
        "-D",
        "K=2",
        "--property",
        "both",
        "--certificate",
        path(&bundle),
    ]);
    let (answer, code) = answer(&[path(&bundle)]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(strings(&answer["model"]["defines"]), ["K=2"]);
    assert_eq!(answer["model"]["compared"], false);
    assert_eq!(answer["model"]["sha256"].as_str().map(str::len), Some(64));
    assert!(
        answer["reason"]
            .as_str()
            .is_some_and(|r| r.contains("with K=2"))
    );
    let open = strings(&answer["uncovered"]);
    assert!(
        open.contains(&"deadlock_free") && open.contains(&"two"),
        "{open:?}"
    );
    let part = &answer["parts"][0];
    assert_eq!(part["theorem"], "stoller-cohen");
    assert_eq!(part["hypotheses"].as_array().map(Vec::len), Some(8));
    let text = String::from_utf8(coarsen(&["verify", path(&bundle)]).stdout).expect("UTF-8");
    for said in ["with K=2", "not shown", "sha256", "(14)", "stoller-cohen"] {
        assert!(text.contains(said), "{said}:\n{text}");
    }
    described(&answer);
}

#[test]
fn what_is_vacuous_is_said() {
    let folder = Folder::new("vacuous");
    let model = folder.file(
        "none.cor",
        "var x: 0..1 = 0 unprotected; init x == 1; thread t { x = 0; } invariant never: x == 1;",
    );
    let bundle = folder.0.join("none.bundle");
    coarsen(&[
        "reach",
        "-q",
        path(&model),
        "--invariant",
        "never",
        "--certificate",
        path(&bundle),
    ]);
    let (answer, code) = answer(&[path(&bundle)]);
    assert_eq!(code, 0, "{answer}");
    assert!(
        answer["reason"]
            .as_str()
            .is_some_and(|r| r.contains("vacuous")),
        "{answer}"
    );
}

/// The fields are those of the schema and of the manual.
fn described(answer: &serde_json::Value) {
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../docs/schema/verify.schema.json")).expect("JSON");
    let manual = include_str!("../docs/json.md");
    let objects = [
        ("bundle", answer),
        ("about", &answer["model"]),
        ("bundle_part", &answer["parts"][0]),
        ("hypothesis_replayed", &answer["parts"][0]["hypotheses"][0]),
    ];
    let values = answer["parts"][0].get("every");
    let values = values.map(|values| ("every_value", values));
    for (name, object) in objects.into_iter().chain(values) {
        let described = schema["$defs"][name]["properties"].as_object().expect(name);
        let object = object.as_object().expect(name);
        let required = schema["$defs"][name]["required"].as_array().expect(name);
        let mut required = required.iter().filter_map(|field| field.as_str());
        assert!(required.all(|field| object.contains_key(field)), "{name}");
        let found: Vec<&String> = object.keys().collect();
        assert!(found.iter().all(|f| described.contains_key(*f)), "{name}");
        let section = manual.split_once(&format!("## {name}\n")).expect(name).1;
        let section = section.split("\n## ").next().unwrap_or_default();
        for field in found {
            assert!(
                section.contains(&format!("| `{field}` |")),
                "{name}: {field}"
            );
        }
    }
}

#[test]
fn a_bundle_about_every_value() {
    let folder = Folder::new("every");
    let counter = "const N = 3; mutex m; var x: 0..N = 0;
        thread w(i in 0..N-1) { lock(m); x = i; x = 0; unlock(m); }";
    let model = folder.file("counter.cor", counter);
    let bundle = folder.0.join("counter.bundle");
    let bundle = path(&bundle);
    let check = |more: &[&str]| {
        let all = [
            &["check", "-q", "--every", "N"],
            more,
            &["--certificate", bundle],
        ];
        coarsen(&all.concat())
    };
    let output = check(&[path(&model)]);
    assert_eq!(output.status.code(), Some(0));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.ends_with("counter.bundle\n"), "{told}");
    let (answer, code) = answer(&[bundle, "--model", path(&model), "-D", "N=50"]);
    assert_eq!(code, 0, "{answer}");
    described(&answer);
    let part = &answer["parts"][0];
    assert_eq!(part["every"]["constant"], "N");
    assert_eq!(part["every"]["from"], "1");
    let claims = serde_json::json!(["every hypothesis", "discipline"]);
    assert_eq!(answer["claims"], claims);
    let reason = answer["reason"].as_str().unwrap_or_default();
    let shown = "every hypothesis, discipline hold for every N >= 1 in";
    assert!(reason.starts_with(shown), "{reason}");
    // Where nothing is known nothing is written.
    let unrolled = folder.file(
        "unrolled.cor",
        &counter.replace("x = i;", "for (k in 0..N-1) { x = k; }"),
    );
    std::fs::remove_file(bundle).expect("a bundle");
    let output = check(&[path(&unrolled)]);
    assert_eq!(output.status.code(), Some(20));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        told.contains("not all hypotheses are shown for every value"),
        "{told}"
    );
    assert!(!Path::new(bundle).exists());
}

#[test]
fn a_bundle_is_about_one_model() {
    let folder = Folder::new("about");
    let model = folder.file("turns.cor", TURNS);
    let other = folder.file("other.cor", &TURNS.replace("x == K", "x <= K"));
    let bundle = folder.0.join("turns.bundle");
    let bundle = path(&bundle);
    coarsen(&[
        "check",
        "-q",
        path(&model),
        "-D",
        "K=2",
        "--certificate",
        bundle,
    ]);
    let code = |args: &[&str]| answer(&[&[bundle], args].concat()).1;
    assert_eq!(code(&["--model", path(&model), "-D", "K=2"]), 0);
    assert_eq!(code(&["--model", path(&model)]), 12);
    assert_eq!(code(&["--model", path(&model), "-D", "K=1"]), 12);
    assert_eq!(code(&["--model", path(&other), "-D", "K=2"]), 12);
    // Another name is told as what the bundle says, and is none of the model's that was given.
    let text = std::fs::read_to_string(bundle).expect("a bundle");
    let (_, rest) = text.split_once("\nname ").expect("a name");
    let (_, rest) = rest.split_once('\n').expect("a line");
    let renamed = folder.file(
        "renamed.bundle",
        &format!("coarsen bundle 1\nname other.cor\n{rest}"),
    );
    let (answer, code) = answer(&[path(&renamed), "--model", path(&other), "-D", "K=2"]);
    assert_eq!(code, 12, "{answer}");
    let unnamed = coarsen(&["verify", bundle, "-D", "K=2"]);
    assert_eq!(unnamed.status.code(), Some(2));
}

/// Evidence made by hand, kept beside the repository: nothing false is accepted.
#[test]
fn forgeries_are_rejected() {
    let Some(folder) = missing::shared("forgeries") else {
        return;
    };
    let all = std::fs::read_dir(&folder).expect("a folder");
    let all = all.filter_map(|entry| Some(entry.ok()?.path()));
    for file in all.filter(|file| file.extension().is_some_and(|e| e == "bundle")) {
        assert_eq!(answer(&[path(&file)]).1, 12, "{}", file.display());
    }
}

/// A product of two numbers takes many nodes: with fewer, nothing is said. An invariant of the original program is
/// then gone through state by state.
#[test]
fn limits_are_obeyed() {
    let folder = Folder::new("limits");
    let model = folder.file(
        "product.cor",
        "var a: 0..299 = 0 unprotected; var b: 0..299 = 0 unprotected; var z: 0..89401 = 0 unprotected;\n\
         thread t { havoc a; havoc b; z = a * b; }\n\
         invariant product: a == 0 => z == 0;",
    );
    let bundle = folder.0.join("product.bundle");
    let certificate = ["-q", path(&model), "--certificate", path(&bundle)];
    let check = coarsen(&[&["check"], certificate.as_slice()].concat());
    assert_eq!(check.status.code(), Some(0));
    assert_eq!(answer(&[path(&bundle)]).1, 0);
    let few = ["--limit-nodes", "1000"];
    let (refused, code) = answer(&[&[path(&bundle)], few.as_slice()].concat());
    assert_eq!(
        (code, &refused["status"]),
        (20, &"unknown".into()),
        "{refused}"
    );
    let reach = ["reach", "--invariant", "product"];
    let reach = coarsen(&[reach.as_slice(), &certificate].concat());
    assert_eq!(reach.status.code(), Some(0));
    assert_eq!(answer(&[&[path(&bundle)], few.as_slice()].concat()).1, 0);
}
