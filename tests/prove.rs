//! Files of theories, proofs and identities: what is wrong with them, what they are elaborated to, and the commands
//! that prove and verify.
//!
//! `tests/suites/bad/*` give the diagnostics beside them (`.out`), `tests/suites/good/*` the suites beside them.
//! `UPDATE=1 cargo test --test prove` writes those files anew; read the difference.

use coarsen::algebra::files::{Also, Flawed, Text, load_suite, prove_item};
use coarsen::algebra::prove::{Limits, Status};
use coarsen::algebra::show;
use coarsen::algebra::suite::{Suite, Use};
use coarsen::algebra::text::TERM_CODES;
use coarsen::base::diagnostic::{Diagnostic, Position, position};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const DEPTH: usize = 2000;

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Loads a file of a folder, with the files beside it at hand.
pub fn load(folder: &Path, name: &str, text: &str) -> Result<Suite, Box<Flawed>> {
    let file = Text {
        name: name.to_string(),
        text: text.to_string(),
    };
    let mut beside = |path: &str, _: &str| match std::fs::read_to_string(folder.join(path)) {
        Ok(text) => Ok(Text {
            name: path.to_string(),
            text,
        }),
        Err(_) => Err("there is no such file".to_string()),
    };
    load_suite(file, DEPTH, &mut beside)
}

/// Runs on a stack as large as that of the command's worker.
fn on_a_large_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(512 << 20)
            .spawn_scoped(scope, f)
            .expect("a thread")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Compares what `actual` says of each file of a folder with the file beside it.
fn check_folder(folder: &str, actual: impl Fn(&Path, &str, &str) -> String) {
    let folder = root().join("tests/suites").join(folder);
    let mut inputs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e != "out"))
        .collect();
    inputs.sort();
    assert!(!inputs.is_empty());
    let mut wrong = String::new();
    for input in inputs {
        let name = input.file_name().expect("a name").to_string_lossy();
        let source = std::fs::read_to_string(&input).expect("a text");
        let actual = actual(&folder, &name, &source);
        let beside = folder.join(format!("{name}.out"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&beside, &actual).expect("written");
            continue;
        }
        let expected = std::fs::read_to_string(&beside).unwrap_or_default();
        if expected != actual {
            let _ = write!(
                wrong,
                "\n{name}:\n-- expected\n{expected}-- actual\n{actual}"
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// All parts of a diagnostic, places as line:column.
fn diagnostic(source: &str, d: &Diagnostic) -> String {
    let place = |offset| {
        let Position { line, column } = position(source, offset);
        format!("{line}:{column}")
    };
    format!(
        "{}-{} {} {}\n  expected: {}\n  help: {}\n",
        place(d.span.start),
        place(d.span.end),
        d.code,
        d.message,
        d.expected,
        d.help
    )
}

#[test]
fn faulty_files_give_their_diagnostics() {
    on_a_large_stack(|| {
        check_folder("bad", |folder, name, source| {
            let flawed = match load(folder, name, source) {
                Ok(_) => panic!("{name} has no errors"),
                Err(flawed) => flawed,
            };
            let mut all = flawed.diagnostics;
            all.sort_by_key(|d| d.span);
            let mut out = String::new();
            if flawed.file.name != name {
                let _ = writeln!(out, "in {}:", flawed.file.name);
            }
            for d in &all {
                assert!(!d.expected.is_empty() && !d.help.is_empty(), "{name}: {d}");
                assert!(d.span.end <= flawed.file.text.len(), "{name}: {d}");
                out += &diagnostic(&flawed.file.text, d);
            }
            out
        });
    });
}

#[test]
fn files_are_elaborated() {
    check_folder("good", |folder, name, source| {
        match load(folder, name, source) {
            Ok(suite) => dump(&suite),
            Err(flawed) => flawed
                .diagnostics
                .iter()
                .map(|d| diagnostic(&flawed.file.text, d))
                .collect(),
        }
    });
}

/// A suite as text.
fn dump(suite: &Suite) -> String {
    let d = &suite.development;
    let mut out = String::new();
    for s in d.terms.symbols() {
        let sort = if s.test { "test" } else { "action" };
        let _ = writeln!(out, "{sort} {} of {} indices", s.name, s.arity);
    }
    for (name, statement) in d.hypotheses() {
        let _ = writeln!(out, "hypothesis {name}: {}", show::statement(d, statement));
    }
    for item in &suite.items {
        let _ = writeln!(
            out,
            "{} (line {}, {}, level {}): {}",
            item.name,
            item.line,
            item.declared.name(),
            item.level.name(),
            item.text
        );
        for n in &item.without {
            let _ = writeln!(out, "  without {}", d.hypotheses()[*n].0);
        }
        if let Some(model) = &item.model {
            let part = (item.links[0].left, item.links[0].right);
            for line in model.lines(&d.terms, &d.variables, &part) {
                let _ = writeln!(out, "  {line}");
            }
        }
        for (name, premise) in &item.premises {
            let _ = writeln!(out, "  premise {name}: {}", show::statement(d, premise));
        }
        let conditions = show::conditions(d, &item.distinct);
        for link in &item.links {
            let (l, r) = (show::term(d, link.left), show::term(d, link.right));
            let _ = writeln!(out, "  {conditions}{l} {:?} {r}", link.order);
            for hint in link.hints.iter().flatten() {
                let what = match &hint.what {
                    Use::Item {
                        item,
                        variables,
                        letters,
                    } => {
                        let by = letters.iter().map(|(s, t)| {
                            let name = &d.terms.symbols()[*s as usize].name;
                            format!("{name} := {}", show::term(d, *t))
                        });
                        let by: Vec<String> = by.collect();
                        format!(
                            "{} {variables:?} [{}]",
                            suite.items[*item].name,
                            by.join(", ")
                        )
                    }
                    Use::Induction(Some(t)) => format!("Induction {}", show::term(d, *t)),
                    other => format!("{other:?}"),
                };
                let _ = writeln!(out, "    by {}: {what}", hint.text);
            }
            if link.hints.as_ref().is_some_and(Vec::is_empty) {
                out += "    by nothing\n";
            }
        }
    }
    out
}

/// The examples in the explanations of codes are true: the wrong one has this code, the right one no error.
#[test]
fn every_code_is_explained_by_examples_that_are_true() {
    let mut last = "";
    for code in TERM_CODES {
        assert!(last < code.code, "{} is out of order", code.code);
        last = code.code;
        // Those of models are in the tests of `eval`, those of theorems in `own_theorems`; one needs depth.
        if ["E0401", "E0402", "E0415", "E0419"].contains(&code.code) {
            continue;
        }
        let (_, examples) = code.text.split_once("wrong: ").expect(code.code);
        let (wrong, right) = examples.split_once("right: ").expect(code.code);
        let name = match code.code {
            "E0416" => "a.txt",
            _ => "a.thy",
        };
        let load = |text: &str| {
            let text = text.trim().replace("<TAB>", "\t");
            let text = match name {
                "a.txt" => text,
                _ => format!("action x, y, z, u[i]; {text}"),
            };
            load(root(), name, &text)
        };
        let told = match load(wrong) {
            Ok(suite) => suite.warnings,
            Err(flawed) => flawed.diagnostics,
        };
        let codes: BTreeSet<&str> = told.iter().map(|d| d.code).collect();
        assert!(codes.contains(code.code), "{}: {codes:?}", code.code);
        match load(right) {
            Ok(suite) => assert_eq!(suite.warnings, [], "{}", code.code),
            Err(flawed) => panic!("{}: {:?}", code.code, flawed.diagnostics),
        }
    }
}

/// Whatever is made of the files by cutting, they are read without a panic.
#[test]
fn cut_files_are_read() {
    let language = std::fs::read_to_string(root().join("tests/suites/good/language.thy"));
    let suite = std::fs::read_to_string(root().join("tests/suites/good/suite.txt"));
    for (name, text) in [("a.thy", language), ("a.txt", suite)] {
        let text = text.expect("a text");
        for at in 0..text.len() {
            if text.is_char_boundary(at) {
                let _ = load(root(), name, &text[..at]);
                let rest = text[at..].chars().skip(1).collect::<String>();
                let _ = load(root(), name, &(text[..at].to_string() + &rest));
            }
        }
    }
}

/// What the files that come with the tool use is there, and they have no errors.
#[test]
fn shipped_files_are_elaborated() {
    for (name, path, text) in coarsen::algebra::library() {
        assert_eq!(
            &std::fs::read_to_string(root().join(path)).expect(path),
            text
        );
        match load(root(), path, text) {
            Ok(suite) => {
                let asked = suite.items.iter().filter(|i| i.asked);
                assert!(asked.clone().all(|i| i.file == *path), "{name}");
            }
            Err(flawed) => panic!("{}: {:?}", flawed.file.name, flawed.diagnostics),
        }
    }
    // All files of these folders are found by name.
    for folder in [
        "theories",
        "theories/identities",
        "theories/lemmas",
        "proofs",
    ] {
        for entry in std::fs::read_dir(root().join(folder)).expect(folder) {
            let path = format!("{folder}/{}", entry.expect("a file").file_name().display());
            if !path.ends_with(".thy") {
                continue;
            }
            let known = coarsen::algebra::library().iter();
            assert!(known.clone().any(|(_, p, _)| *p == path), "{path}");
        }
    }
}

/// The theorem's file says where its conclusion is proved, and that is the same statement.
#[test]
fn conclusions_are_what_is_proved() {
    for coarsen::algebra::Shipped { name, .. } in coarsen::algebra::shipped() {
        let theory = coarsen::theory(name).expect("a theory");
        let (statement, file) = theory.proof.expect("a proof");
        let conclusion = theory.conclusion.expect("a conclusion").statement;
        let (_, path, text) = coarsen::algebra::library()
            .iter()
            .find(|(n, _, _)| *n == file)
            .expect("the file");
        let Ok(suite) = load(root(), path, text) else {
            panic!("{path} has errors")
        };
        let item = suite.items.iter().find(|i| i.name == statement);
        let item = item.expect("the statement");
        assert!(item.premises.is_empty());
        let (first, last) = (&item.links[0], &item.links[item.links.len() - 1]);
        // The same terms, elaborated beside the proof.
        let stated = format!("{text}\naxiom as_concluded : {conclusion};");
        let Ok(both) = load(root(), path, &stated) else {
            panic!("{conclusion}")
        };
        let asked = &both.items.last().expect("the conclusion").links[0];
        let shown = |s: &Suite, t| show::term(&s.development, t);
        assert_eq!(shown(&both, asked.left), shown(&suite, first.left));
        assert_eq!(shown(&both, asked.right), shown(&suite, last.right));
    }
}

/// Exit code, stdout and stderr.
pub fn coarsen(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .args(arguments)
        .output()
        .expect("started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("ended"),
        text(output.stdout),
        text(output.stderr),
    )
}

/// A folder of this test with these files.
pub fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("prove")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }
    folder
}

const MIXED: &str = "action x, y;
axiom unfold : 1 + x x* = x*;
identity slide : (x y)* x = x (y x)*;
fails commute : x y <= y x;
open later : x <= x T x;
";

#[test]
fn answers_are_told_like_those_of_a_test_runner() {
    let at = folder("mixed", &[("a.thy", MIXED)]);
    let file = at.join("a.thy").to_string_lossy().into_owned();
    let (code, out, err) = coarsen(&["prove", &file]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("proved   unfold   (decide"), "{out}");
    assert!(lines[2].starts_with("refuted  commute  ("), "{out}");
    assert_eq!(
        lines.last(),
        Some(&"2 proved, 1 refuted, 1 unknown; 4 as declared")
    );
    let (code, out, _) = coarsen(&["prove", "-q", &file]);
    assert_eq!(
        (code, out.as_str()),
        (0, "2 proved, 1 refuted, 1 unknown; 4 as declared\n")
    );
}

#[test]
fn exit_codes() {
    let at = folder(
        "exit",
        &[
            (
                "holds.thy",
                "action x; identity a : x <= x; fails b : x <= 0; open c : x <= x T x",
            ),
            (
                "refuted.thy",
                "action x; identity a : x <= 0; identity b : x <= x T x",
            ),
            ("unknown.thy", "action x; identity b : x <= x T x"),
            ("proved.thy", "action x; fails b : x <= x"),
            ("open.thy", "action x; open b : x <= x"),
            ("error.thy", "action x; identity b : x <= y"),
            ("empty.thy", "action x;"),
            ("suite.txt", "a\tPOS\t= (st 1) 1\nb\tNEG\t<= x y\n"),
            ("positive.txt", "a\tNEG\t= (st 1) 1\n"),
            ("folder/sub/a.thy", "action x; identity a : x <= x"),
            ("folder/b.thy", "action x;"),
            ("none/README.md", "nothing"),
        ],
    );
    let run = |arguments: &[&str]| {
        let paths: Vec<String> = arguments
            .iter()
            .map(|a| match a.starts_with('-') || *a == "a" || *a == "z*" {
                true => a.to_string(),
                false => at.join(a).to_string_lossy().into_owned(),
            })
            .collect();
        let all: Vec<&str> = std::iter::once("prove")
            .chain(paths.iter().map(String::as_str))
            .collect();
        coarsen(&all)
    };
    for (arguments, expected) in [
        (vec!["holds.thy"], 0),
        (vec!["refuted.thy"], 10),
        (vec!["unknown.thy"], 20),
        (vec!["proved.thy"], 20),
        (vec!["open.thy"], 20),
        (vec!["error.thy"], 3),
        (vec!["error.thy", "holds.thy"], 3),
        (vec!["empty.thy"], 2),
        (vec!["suite.txt"], 0),
        (vec!["positive.txt"], 20),
        (vec!["folder"], 0),
        (vec!["none"], 2),
        (vec!["missing.thy"], 1),
        (vec!["holds.thy", "unknown.thy"], 20),
        (vec!["unknown.thy", "refuted.thy"], 10),
        (vec!["unknown.thy", "--only", "a"], 2),
        (vec!["refuted.thy", "--only", "a"], 10),
        (vec!["holds.thy", "--only", "z*"], 2),
        (vec!["holds.thy", "--limit-steps=0"], 2),
    ] {
        let (code, out, err) = run(&arguments);
        assert_eq!(code, expected, "{arguments:?}:\n{out}{err}");
    }
    let (_, out, err) = run(&["unknown.thy", "holds.thy", "--only", "a"]);
    assert!(
        out.ends_with("1 proved, 0 refuted, 0 unknown; 1 as declared\n"),
        "{out}{err}"
    );
    let (_, _, err) = run(&["empty.thy"]);
    assert!(err.contains("no statements to be proved"), "{err}");
}

/// Of terms that share parts each part is looked at once: as trees these would never end.
#[test]
fn shared_parts_are_looked_at_once() {
    let mut text = "action x, y;\nlet a0 = x + y;\n".to_string();
    for n in 1..40 {
        let before = n - 1;
        let _ = writeln!(text, "let a{n} = (a{before} + x) (a{before} + y);");
    }
    text += "identity far [y <= x] : a39 y <= a39 + x y;\n";
    let file = Text {
        name: "a.thy".into(),
        text,
    };
    let mut suite = load_suite(file, 100, &mut |_, _| Err(String::new())).expect("no errors");
    let few = Limits {
        steps: 10,
        pairs: 100,
        classes: 2,
        nodes: 100,
        models: 1,
    };
    let proof = prove_item(&mut suite, 0, &few, Also::default());
    assert_eq!(proof.status, Status::Unknown);
}

#[test]
fn deep_and_large_files_are_refused() {
    let nest = |n: usize| {
        format!(
            "action x; identity a : {}x{} <= x",
            "(".repeat(n),
            ")".repeat(n)
        )
    };
    let starred = format!(
        "a\tPOS\t= {}x{} x\n",
        "(st ".repeat(10_000),
        ")".repeat(10_000)
    );
    let negated = format!("test p; identity a : {}p <= p", "~".repeat(10_000));
    // Products are merged: only the alternation with sums nests.
    let kernel = format!(
        "action x, y; identity a : {}x{} <= x",
        "x (y + ".repeat(700),
        ")".repeat(700)
    );
    let at = folder(
        "deep",
        &[
            ("a.thy", nest(10_000).as_str()),
            ("b.txt", starred.as_str()),
            ("c.thy", negated.as_str()),
            ("d.thy", kernel.as_str()),
        ],
    );
    for (file, depth) in [
        ("a.thy", "2000"),
        ("a.thy", "10000"),
        ("b.txt", "2000"),
        ("c.thy", "2000"),
        ("d.thy", "10000"),
    ] {
        let file = at.join(file).to_string_lossy().into_owned();
        let (code, out, err) = coarsen(&["prove", &file, "--limit-depth", depth]);
        assert_eq!(code, 3, "{file}: {out}{err}");
        assert!(
            err.contains("E0415") && err.contains("nested deeper"),
            "{err}"
        );
    }
    // Below the limit, parentheses cost nothing.
    let fine = folder("fine", &[("a.thy", nest(9_000).as_str())]).join("a.thy");
    let (code, out, err) = coarsen(&["prove", &fine.to_string_lossy(), "--limit-depth=10000"]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn the_json_form_is_a_list() {
    let at = folder(
        "json",
        &[("a.thy", MIXED), ("b.thy", "identity a : y <= y")],
    );
    let file = |name: &str| at.join(name).to_string_lossy().into_owned();
    let list = |more: &[&str]| -> (i32, Vec<serde_json::Value>) {
        let files = [&file("a.thy"), &file("b.thy")];
        let all: Vec<&str> = ["prove", files[0], files[1], "--format", "json"].to_vec();
        let (code, out, _) = coarsen(&[all.as_slice(), more].concat());
        (code, serde_json::from_str(&out).expect("a list"))
    };
    let (code, list_of_all) = list(&[]);
    assert_eq!(code, 3);
    assert_eq!(list_of_all.len(), 5);
    let first = list_of_all[0]["name"].as_str().expect("a name").to_string();
    let (_, shown) = list(&["--show", &first]);
    let (_, suggested) = list(&["--only", "later", "--suggest"]);
    let list = list_of_all;
    assert_eq!(list[0]["name"], "unfold");
    assert_eq!(list[0]["status"], "proved");
    assert_eq!(list[0]["level"], "kleene");
    assert_eq!(list[2]["declared"], "refuted");
    assert_eq!(list[2]["line"], 4);
    assert_eq!(list[3]["declared"], "open");
    assert_eq!(list[4]["status"], "error");
    assert_eq!(list[4]["diagnostics"][0]["code"], "E0406");
    let statement: serde_json::Value =
        serde_json::from_str(include_str!("../docs/schema/prove.schema.json")).expect("JSON");
    let manual = include_str!("../docs/json.md");
    // The proof is only there if it is asked for.
    assert!(list[0].get("derivation").is_none());
    for (object, kind) in [(&shown[0], "statement"), (&list[4], "fault")] {
        let described = statement["$defs"][kind]["properties"].as_object();
        let described: BTreeSet<&String> = described.expect(kind).keys().collect();
        let mut found: BTreeSet<&String> = object.as_object().expect("an object").keys().collect();
        if kind == "statement" {
            assert!(!found.contains(&"suggestions".to_string()), "it is proved");
            let more = suggested[0].as_object().expect("an object").keys();
            found.extend(more.filter(|k| *k == "suggestions"));
        }
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

#[test]
fn certificates_are_verified_and_tampered_ones_rejected() {
    let at = folder("certificates", &[("a.thy", MIXED), ("b/a.thy", MIXED)]);
    let path = |name: &str| at.join(name).to_string_lossy().into_owned();
    let (code, _, err) = coarsen(&["prove", &path(""), "-q", "--certificate", &path("out")]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("2 theorems written to"), "{err}");
    let written: Vec<PathBuf> = std::fs::read_dir(at.join("out"))
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .collect();
    assert_eq!(written.len(), 2, "{written:?}");
    let certificate = path("out/a.cert");
    let (code, out, err) = coarsen(&["verify", &certificate]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.contains("accepted - 2 theorems, under no hypotheses"),
        "{out}"
    );
    assert!(out.contains("proved   unfold: 1 + x x* = x*"), "{out}");
    let text = std::fs::read_to_string(&certificate).expect("a text");
    // The theorem's first statement weakened to another.
    let tampered = text.replacen("\nqed", "\nstep premise 7 0\nqed", 1);
    std::fs::write(at.join("tampered.cert"), tampered).expect("written");
    std::fs::write(at.join("cut.cert"), &text[..text.len() / 2]).expect("written");
    std::fs::write(at.join("noise.cert"), [0xff, 0xfe, 0x00]).expect("written");
    for (file, expected) in [
        ("tampered.cert", 12),
        ("cut.cert", 12),
        ("noise.cert", 3),
        ("none.cert", 1),
        ("a.thy", 12),
    ] {
        let (code, out, err) = coarsen(&["verify", &path(file), &certificate]);
        assert_eq!(code, expected, "{file}: {out}{err}");
    }
    let (_, out, _) = coarsen(&["verify", "--format=json", &path("cut.cert"), &certificate]);
    let list: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(list[0]["status"], "rejected");
    assert_eq!(list[1]["theorems"][0]["statement"], "1 + x x* = x*");
}

#[test]
fn files_use_files_beside_them() {
    let at = folder(
        "uses",
        &[
            (
                "lib/base.thy",
                "action x, y; identity base : x x* <= x*; identity \"other one\" : x <= x",
            ),
            (
                "lib/more.thy",
                "use \"base.thy\"; identity more : x* x* <= x* by base, induction",
            ),
            (
                "top/a.thy",
                "use \"../lib/more.thy\"; use \"../lib/base.thy\"; identity a : x* x* x* <= x* by more, \"other one\"",
            ),
        ],
    );
    let file = at.join("top/a.thy").to_string_lossy().into_owned();
    let (code, out, err) = coarsen(&["prove", &file]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.starts_with("proved   a  (") && out.contains("\n1 proved"),
        "{out}"
    );
}

/// A file may state under a name what another states of something else: neither is taken for the other.
#[test]
fn statements_of_one_name_are_told_apart() {
    let at = folder(
        "names",
        &[
            (
                "b.thy",
                "action x; identity a : x <= x; identity \"a b\" : x x <= x x",
            ),
            (
                "a.thy",
                "use \"b.thy\"; action y; identity c : x <= x by a; open a : y <= y y; identity d : y <= y by \"a b\"",
            ),
        ],
    );
    let path = |name: &str| at.join(name).to_string_lossy().into_owned();
    let (code, out, err) = coarsen(&["prove", &path("a.thy"), "--certificate", &path("out")]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.contains("2 proved") && out.contains("refuted  a "),
        "{out}"
    );
    let (code, out, err) = coarsen(&["verify", &path("out/a.cert")]);
    assert_eq!(code, 0, "{out}{err}");
}

/// Half of a collection; all that is true is proved, nothing that is false.
#[test]
fn suites_in_s_expressions() {
    let text = "slide\tPOS\t= (. (st (. x y)) x) (. x (st (. y x)))
simulation\tPOS\t<= (. x y) (. y z)\t<= (. (st x) y) (. y (st z))
commute\tNEG\t= (. x y) (. y x)
";
    let mut suite = load(root(), "a.txt", text).unwrap_or_else(|_| panic!("a suite"));
    let proofs: Vec<_> = (0..3)
        .map(|n| prove_item(&mut suite, n, &Limits::default(), Also::default()))
        .collect();
    let names: Vec<&str> = proofs.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["slide:1", "simulation:2", "commute:3"]);
    assert!(
        proofs
            .iter()
            .all(coarsen::results::proofs::Proof::is_as_declared)
    );
}
