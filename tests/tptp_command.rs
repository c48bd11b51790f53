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
    assert_eq!(list[2]["reason"], "not supported: `converse`");
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

/// What is nobody's business, and no TPTP either.
const SECRET: &str = "root:xyzzy:0:0\n";

/// A problem in the folder `in`, with `SECRET` beside and outside, that includes this path; what is answered, and said
/// of it.
fn including(name: &str, path: &str, arrange: impl Fn(&Path)) -> (i32, String) {
    let problem = format!("include('{path}').\nfof(g, conjecture, zero = zero).");
    let files = [
        ("in/p.p", problem.as_str()),
        ("in/own.ax", "fof(e, axiom, one = one)."),
        ("in/notes.ax", SECRET),
        ("outside/secret.ax", SECRET),
    ];
    let at = folder(name, &files);
    arrange(&at);
    let mut told = Vec::new();
    for format in ["text", "json"] {
        // A hang becomes `Timeout`, which is no input error.
        let args = ["p.p", "--format", format, "--limit-time", "60s"];
        let (code, out, err) = run(&at.join("in"), &args, &at.join("tptp"));
        assert!(!format!("{out}{err}").contains("xyzzy"), "{out}{err}");
        told.push((code, err));
    }
    let first = told.remove(0);
    assert_eq!(vec![first.clone()], told);
    first
}

fn is_refused(name: &str, path: &str, why: &str, arrange: impl Fn(&Path)) {
    let (code, err) = including(name, path, arrange);
    assert_eq!(code, 3, "{path}: {err}");
    let line: String = err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.contains(why), "{path}: {err}");
}

#[test]
fn includes_lead_neither_up_nor_to_the_root() {
    let outside = folder("root", &[("secret.ax", SECRET)]).join("secret.ax");
    for path in [
        &outside.to_string_lossy(),
        "/etc/passwd",
        "../outside/secret.ax",
        "x/../../outside/secret.ax",
        "../in/own.ax",
        "..",
    ] {
        is_refused("upwards", path, "absolute or has `..`", |_| ());
    }
    is_refused("upwards", "", "E0505", |_| ());
    is_refused("upwards", ".", "no regular file", |_| ());
    let (code, err) = including("downwards", "./own.ax", |_| ());
    assert_eq!((code, err.as_str()), (20, ""));
}

#[cfg(unix)]
#[test]
fn links_that_leave_their_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let link = |to: &'static str, from: &'static str| {
        move |at: &Path| {
            let from = at.join(from);
            std::fs::create_dir_all(from.parent().expect("a folder")).expect("created");
            symlink(to, from).expect("linked");
        }
    };
    let leaves = "a link that leads out of its folder is not followed";
    for (path, to, from) in [
        ("l.ax", "../outside/secret.ax", "in/l.ax"),
        ("l.ax", "/etc/passwd", "in/l.ax"),
        ("l/secret.ax", "../outside", "in/l"),
        ("l.ax", "../outside/secret.ax", "tptp/l.ax"),
        ("secret.ax", "outside", "tptp"),
    ] {
        let why = if from == "tptp" {
            "1:1: not a formula"
        } else {
            leaves
        };
        is_refused("links", path, why, link(to, from));
    }
    is_refused("links", "l.ax", "no such file", link("l.ax", "in/l.ax"));
    let (code, err) = including("links", "l/m.ax", link("../own.ax", "in/l/m.ax"));
    assert_eq!((code, err.as_str()), (20, ""));
}

/// Of a file that is no TPTP nothing is told but where that shows, whatever is wrong with it.
#[test]
fn files_that_are_included_are_not_quoted() {
    is_refused("quoted", "notes.ax", "notes.ax:1:1: not a formula", |_| ());
    is_refused(
        "quoted",
        "outside/secret.ax",
        "secret.ax:1:1: not a formula",
        |_| (),
    );
    for (text, why) in [
        ("xyzzy", "notes.ax:1:1: not a formula"),
        ("\n\n  \"xyzzy", "notes.ax:3:3: a bracket or quote"),
        ("xyzzy(a, b, c).", "notes.ax:1:1: not a formula"),
        ("tff(xyzzy, axiom, p).", "notes.ax:1:1: a form of TPTP"),
        ("fof(a, xyzzy, p).", "notes.ax:1:8: an unknown role"),
        ("fof(a, axiom, Xyzzy = xyzzy).", "notes.ax:1:15: a variable"),
        ("include('xyzzy').", "notes.ax:1:9: an include"),
        ("include('../xyzzy').", "notes.ax:1:9: an include"),
        ("include('own.ax', [xyzzy]).", "notes.ax:1:20: an include"),
        (
            "include('outside/secret.ax').",
            "outside/secret.ax:1:1: not a formula",
        ),
        (
            "fof(a, axiom, xyzzy(\u{1}xyzzy)).",
            "notes.ax:1:21: not a formula",
        ),
    ] {
        is_refused("quoted", "notes.ax", why, |at| {
            std::fs::write(at.join("in/notes.ax"), text).expect("written");
        });
    }
    is_refused("quoted", "notes.ax", "not UTF-8", |at| {
        std::fs::write(at.join("in/notes.ax"), b"xyzzy\xff xyzzy").expect("written");
    });
}

#[cfg(unix)]
#[test]
fn pipes_devices_and_folders_are_not_read() {
    use std::os::unix::fs::symlink;
    is_refused("devices", "pipe.ax", "it is no regular file", |at| {
        let made = Command::new("mkfifo").arg(at.join("in/pipe.ax")).status();
        assert!(made.expect("started").success());
    });
    is_refused("devices", "l.ax", "it is no regular file", |at| {
        symlink("/dev/zero", at.join("in/l.ax")).expect("linked");
    });
    is_refused("devices", "dev/zero", "it is no regular file", |_| ());
    is_refused("devices", "folder.ax", "it is no regular file", |at| {
        std::fs::create_dir(at.join("in/folder.ax")).expect("created");
    });
    // Nor where a folder is given.
    let at = folder("pipes", &[("in/p.p", "fof(g, conjecture, zero = zero).")]);
    for name in ["q.p", "q.thy"] {
        let made = Command::new("mkfifo")
            .arg(at.join("in").join(name))
            .status();
        assert!(made.expect("started").success());
    }
    let (code, out, err) = run(&at, &["in", "--limit-time", "60s"], Path::new(""));
    assert_eq!((code, err.as_str()), (20, ""), "{out}");
}

#[test]
fn large_files_cycles_and_long_chains_of_includes_end() {
    is_refused("large", "large.ax", "larger than 64 MiB", |at| {
        let file = std::fs::File::create(at.join("in/large.ax")).expect("created");
        file.set_len(1 << 36).expect("it has holes");
    });
    is_refused("large", "a.ax", "a.ax:3:9: an include", |at| {
        let most = format!("%{}\n", " ".repeat(30 << 20));
        std::fs::write(at.join("in/most.ax"), most).expect("written");
        let thrice = "include('most.ax').\n".repeat(3);
        std::fs::write(at.join("in/a.ax"), thrice).expect("written");
    });
    is_refused("cycles", "p.p", "`p.p` is included in itself", |_| ());
    is_refused("cycles", "a.ax", "b.ax:1:9: an include", |at| {
        std::fs::write(at.join("in/a.ax"), "include('b.ax').").expect("written");
        std::fs::write(at.join("in/b.ax"), "include('./a.ax').").expect("written");
    });
    let chain = |length: usize| {
        move |at: &Path| {
            for n in 0..length {
                let next = match n + 1 == length {
                    true => "fof(e, axiom, one = one).".to_string(),
                    false => format!("include('{}.ax').", n + 1),
                };
                std::fs::write(at.join(format!("in/{n}.ax")), next).expect("written");
            }
        }
    };
    let (code, err) = including("chains", "0.ax", chain(1000));
    assert_eq!((code, err.as_str()), (20, ""));
    is_refused("chains", "0.ax", "999.ax:1:9: an include", chain(1001));
    // Doubled again and again.
    is_refused("chains", "0.ax", "ax:2:9: an include", |at| {
        for n in 0..20 {
            let next = format!("include('{0}.ax').\n", n + 1).repeat(2);
            std::fs::write(at.join(format!("in/{n}.ax")), next).expect("written");
        }
        std::fs::write(at.join("in/20.ax"), "").expect("written");
    });
}

/// Errors in files that are used are shown with their lines, so only what is called a theory or a suite is read.
#[cfg(unix)]
#[test]
fn nothing_but_theories_is_used() {
    use std::os::unix::fs::symlink;
    let used = |path: &str, why: &str, arrange: &dyn Fn(&Path)| {
        let text = format!("use \"{path}\"; action x; identity a : x <= x*;");
        let files = [("in/a.thy", text.as_str()), ("secret.ax", SECRET)];
        let at = folder("used", &files);
        arrange(&at);
        let args = ["a.thy", "--limit-time", "60s"];
        let (code, out, err) = run(&at.join("in"), &args, Path::new(""));
        assert!(code == 3 && err.contains(why), "{path}: {out}{err}");
        assert!(!format!("{out}{err}").contains("xyzzy"), "{out}{err}");
    };
    let ends = "it is no regular file with a name that ends in .thy or .txt";
    used("/etc/passwd", ends, &|_| ());
    used("../secret.ax", ends, &|_| ());
    used("/dev/zero", ends, &|_| ());
    used("..", ends, &|_| ());
    used("l.thy", ends, &|at| {
        symlink("../secret.ax", at.join("in/l.thy")).expect("linked");
    });
    used("l.thy", ends, &|at| {
        let made = Command::new("mkfifo").arg(at.join("in/l.thy")).status();
        assert!(made.expect("started").success());
    });
}
