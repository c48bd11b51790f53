//! The command as users start it: what goes to which stream, with which exit code, before any model is checked.

use crate::command::coarsen;
use crate::formats::{junit, sarif};
use std::process::{Command, Stdio};

fn temporary(name: &str, content: &[u8]) -> String {
    let path = std::env::temp_dir().join(format!("coarsen-{}-{name}", std::process::id()));
    std::fs::write(&path, content).expect("written");
    path.to_string_lossy().into_owned()
}

#[test]
fn version_and_help_succeed_on_stdout() {
    let (code, out, err) = coarsen(&["--version"], b"");
    assert_eq!((code, out.as_str()), (Some(0), "coarsen 0.1.0\n"), "{err}");
    let (code, out, _) = coarsen(&["check", "--help"], b"");
    assert_eq!(code, Some(0));
    for part in [
        "--limit-memory <SIZE>",
        "[default: 4GiB]",
        "Exit codes:",
        "  20  unknown",
    ] {
        assert!(out.contains(part), "{part:?} not in\n{out}");
    }
}

#[test]
fn wrong_usage_is_code_2_and_says_what_was_expected() {
    for (arguments, part) in [
        (vec![], "Usage:"),
        (vec!["check"], "MODEL"),
        (vec!["check", "-q", "-v", "m.cor"], "cannot be used with"),
        (vec!["test", "m.cor"], "`coarsen check m.cor` takes it"),
        (vec!["check", "-DN", "m.cor"], "expected NAME=VALUE"),
        (
            vec!["check", "--limit-time=soon", "m.cor"],
            "expected a time such as 500ms",
        ),
        (
            vec!["check", "--limit-memory=4GB2", "m.cor"],
            "expected a size such as 512MiB",
        ),
        (
            vec!["check", "--theorem=stoler-cohen", "m.cor"],
            "did you mean `stoller-cohen`?",
        ),
        (vec!["check", "-", "-"], "only once"),
        (vec!["frobnicate"], "unrecognized subcommand"),
    ] {
        let (code, out, err) = coarsen(&arguments, b"");
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        assert_eq!(out, "", "{arguments:?}");
        assert!(err.contains(part), "{arguments:?}: {err}");
    }
}

#[test]
fn an_unreadable_model_is_code_1_in_both_forms() {
    let (code, out, err) = coarsen(&["check", "/nonexistent.cor"], b"");
    assert_eq!(code, Some(1));
    assert!(
        out.starts_with("/nonexistent.cor: error - can't read the file"),
        "{out}"
    );
    assert!(
        err.starts_with("coarsen: /nonexistent.cor: can't read the file"),
        "{err}"
    );
    let (code, out, _) = coarsen(&["check", "--format=json", "/nonexistent.cor"], b"");
    assert_eq!(code, Some(1));
    let object: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(object["verdict"], "error");
    assert_eq!(object["diagnostics"], serde_json::json!([]));
}

#[test]
fn bytes_that_are_no_text_are_diagnosed() {
    let file = temporary("latin1.cor", b"const N = 2;\n// caf\xe9\n");
    for (arguments, input) in [
        (["check", file.as_str()], &b""[..]),
        (["check", "-"], &b"const N = 2;\n// caf\xe9\n"[..]),
    ] {
        let (code, out, err) = coarsen(&arguments, input);
        assert_eq!(code, Some(3), "{err}");
        assert!(out.ends_with(": error - 1 error\n"), "{out}");
        assert!(err.contains("[E0001]") && err.contains(":2:7 "), "{err}");
        assert!(!err.contains('\x1b'));
    }
    let (code, out, _) = coarsen(&["eval", &file, "1 <= 1", "--format=json"], b"");
    assert_eq!(code, Some(3));
    let object: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(object["diagnostics"][0]["code"], "E0001");
    std::fs::remove_file(file).expect("removed");
}

#[test]
fn explanations_and_completions_go_to_stdout() {
    let (code, out, _) = coarsen(&["explain", "(14)"], b"");
    assert_eq!(code, Some(0));
    assert!(
        out.starts_with("(14)\n\n`i != j") && out.contains("How to mend it:"),
        "{out}"
    );
    let (code, out, err) = coarsen(&["explain", "WFinitVi"], b"");
    assert_eq!((code, out.as_str()), (Some(3), ""));
    assert!(err.contains("did you mean `WFinitVis`?"), "{err}");
    let (code, out, _) = coarsen(&["explain"], b"");
    assert_eq!(code, Some(0));
    for term in ["stoller-cohen", "(19)", "E0102", "exit-11"] {
        assert!(out.contains(term), "{out}");
    }
    let (code, out, _) = coarsen(&["completions", "bash"], b"");
    assert_eq!(code, Some(0));
    assert!(out.contains("--limit-nodes"));
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_no_panic() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("waited");
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A run that takes long, in a directory of its own so that the model is found wherever the tests run.
#[cfg(unix)]
fn long_run(arguments: &[&str]) -> std::process::Child {
    let root = env!("CARGO_MANIFEST_DIR");
    Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .args(["check", "-D", "N=200"])
        .args(arguments)
        .arg(format!("{root}/models/classic/locked_ring.cor"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started")
}

/// Waits until the command takes interrupts, where Linux says so.
#[cfg(unix)]
pub fn listens(child: &std::process::Child) {
    let status = format!("/proc/{}/status", child.id());
    let deaf = || {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let mut lines = text.lines();
        let caught = lines.find_map(|l| l.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        caught.is_some_and(|mask| mask & 2 == 0)
    };
    while deaf() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_prints_what_is_known_and_is_code_20() {
    for signal in ["INT", "TERM"] {
        let child = long_run(&[]);
        listens(&child);
        std::thread::sleep(std::time::Duration::from_millis(700));
        // The shell's own `kill`: a bare machine need not have the program.
        let kill = format!("kill -{signal} {}", child.id());
        let sent = Command::new("sh")
            .args(["-c", &kill])
            .status()
            .expect("a shell");
        assert!(sent.success());
        let output = child.wait_with_output().expect("waited");
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(20), "{signal}: {out}");
        assert!(
            out.contains("unknown - ") && out.contains("interrupt"),
            "{signal}: {out}"
        );
    }
}

/// A folder of models: one that is as it expects, and then one that is not.
#[test]
fn a_folder_is_checked_against_what_its_models_expect() {
    let folder = std::env::temp_dir().join(format!("coarsen-{}-folder", std::process::id()));
    let inner = folder.join("inner");
    std::fs::create_dir_all(&inner).expect("made");
    let text = |expected: &str| format!("var x: 0..1 = 0; thread t {{ x = 1; }} {expected}");
    let write = |path: std::path::PathBuf, expected: &str| {
        std::fs::write(path, text(expected)).expect("written");
    };
    write(
        inner.join("b.cor"),
        "reach up: x == 1; expect verdict holds; expect original 2;",
    );
    write(
        folder.join("a.cor"),
        "invariant low: x == 0; expect verdict refuted;",
    );
    std::fs::write(folder.join("notes.txt"), "no model").expect("written");
    let path = folder.to_string_lossy().into_owned();
    let (code, out, err) = coarsen(&["check", "--expect", &path], b"");
    assert_eq!(code, Some(0), "{out}{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(
        lines[0].ends_with("a.cor: as expected - refuted, 1 line"),
        "{out}"
    );
    assert!(
        lines[1].ends_with("b.cor: as expected - holds, 2 lines"),
        "{out}"
    );
    let (code, out, _) = coarsen(&["check", &path], b"");
    assert_eq!((code, out.lines().count()), (Some(10), 2), "{out}");

    write(inner.join("b.cor"), "expect original 3;");
    let (code, out, _) = coarsen(&["check", "--expect", &path], b"");
    assert_eq!(code, Some(10), "{out}");
    assert!(
        out.contains("b.cor: not as expected - expect original 3: found 2\n"),
        "{out}"
    );
    let (code, _, err) = coarsen(&["check", "--expect", "-DN=1", &path], b"");
    assert_eq!(code, Some(2), "{err}");
    std::fs::remove_file(folder.join("a.cor")).expect("removed");
    std::fs::remove_file(inner.join("b.cor")).expect("removed");
    let (code, _, err) = coarsen(&["check", &path], b"");
    assert_eq!(code, Some(2));
    assert!(err.contains("there is no file `*.cor` or `*.dve`"), "{err}");
    std::fs::remove_dir_all(folder).expect("removed");
}

/// `reach` and `movers` print one line a model of a folder, and the whole report of models that are named.
#[test]
fn reach_and_movers_take_folders_and_several_models() {
    let folder = std::env::temp_dir().join(format!("coarsen-{}-several", std::process::id()));
    std::fs::create_dir_all(&folder).expect("made");
    let model = |n: usize| format!("var x: 0..{n} = 0; thread t {{ while (x < {n}) x = x + 1; }}");
    let paths: Vec<String> = (1..3)
        .map(|n| {
            let path = folder.join(format!("{n}.cor"));
            std::fs::write(&path, model(n)).expect("written");
            path.to_string_lossy().into_owned()
        })
        .collect();
    let whole = folder.to_string_lossy().into_owned();
    let (code, out, err) = coarsen(&["reach", &whole], b"");
    assert_eq!(code, Some(0), "{err}");
    let ends: Vec<bool> = out
        .lines()
        .zip(["4 states reachable", "6 states reachable"])
        .map(|(line, end)| line.ends_with(end))
        .collect();
    assert_eq!(ends, [true, true], "{out}");
    let (code, out, _) = coarsen(&["reach", &paths[0], &paths[1]], b"");
    assert_eq!(
        (code, out.matches("numbers:").count()),
        (Some(0), 2),
        "{out}"
    );
    let (code, _, err) = coarsen(&["reach", "--trace", "t", &paths[0], &paths[1]], b"");
    assert_eq!(code, Some(2));
    assert!(err.contains("there are several"), "{err}");
    let (code, out, _) = coarsen(&["movers", &whole], b"");
    assert_eq!((code, out.lines().count()), (Some(0), 2), "{out}");
    let (_, out, _) = coarsen(&["movers", &paths[0]], b"");
    assert!(out.lines().count() > 2, "{out}");
    std::fs::remove_dir_all(folder).expect("removed");
}

/// `movers --expect` holds models to the classes that they count, and to what they say of blocks.
#[test]
fn movers_are_expected() {
    let text = |said: &str, expected: &str| {
        format!(
            "mutex m; var x: 0..2 = 0;\n\
             thread worker(i in 0..1) {{ lock(m); transaction add {said} {{ x = x + 1; }} unlock(m); }}\n\
             expect holds add; expect right 1; {expected}"
        )
    };
    let ask = |text: &str| {
        let (code, out, err) = coarsen(&["movers", "--expect", "-"], text.as_bytes());
        assert_eq!(err, "", "{text}");
        (code, out)
    };
    for (said, expected, code, end) in [
        ("", "", 0, "as expected - movers, 1 line"),
        ("both", "expect left 1;", 0, "as expected - movers, 3 lines"),
        ("", "expect both 2;", 10, "expect both 2: found 1"),
        (
            "both",
            "expect transactions 0; expect local 1;",
            10,
            "expect local 1: found 0",
        ),
        (
            "",
            "expect non 1; expect original 5;",
            10,
            "expect non 1: found 0",
        ),
    ] {
        let (found, out) = ask(&text(said, expected));
        assert!(out.trim_end().ends_with(end), "{said} {expected}: {out}");
        assert_eq!(found, Some(code), "{said} {expected}");
    }
    let wrong = text("both", "").replace("unlock(m); }", "transaction give right { unlock(m); } }");
    let (code, out) = ask(&wrong);
    assert_eq!(code, Some(10), "{out}");
    assert!(
        out.contains("transaction give right: found refuted"),
        "{out}"
    );
    // How many transactions there are by one theorem is another question.
    let one = text("", "expect transactions 0;");
    let asked = ["movers", "--expect", "--theorem", "left-movers", "-"];
    let (code, out, _) = coarsen(&asked, one.as_bytes());
    assert_eq!(code, Some(20), "{out}");
    assert!(
        out.contains("expect transactions 0: not established"),
        "{out}"
    );
    // A limit that was hit is named.
    let limited = ["movers", "--expect", "--limit-effort", "1", "-"];
    let (code, out, err) = coarsen(&limited, text("", "").as_bytes());
    assert_eq!(code, Some(20), "{out}");
    assert!(err.contains("stopped by"), "{err}");
    // `check` and `reach` leave these lines out.
    for command in ["check", "reach"] {
        let text = text("both", "expect left 7;");
        let (code, out, _) = coarsen(&[command, "--expect", "-"], text.as_bytes());
        assert_eq!(code, Some(0), "{command}: {out}");
    }
    let nothing = coarsen(
        &["movers", "--expect", "-"],
        b"var x: bool; thread t { x = true; }",
    );
    assert_eq!(nothing.0, Some(0));
    assert!(nothing.1.contains("it expects nothing"), "{}", nothing.1);
}

/// `--property` repeats; a name that no model has is wrong usage even where another is refuted.
#[test]
fn several_properties_may_be_asked_for() {
    let text = b"var x: 0..1 = 0; thread t { x = 1; }\n\
        invariant low: x == 0; invariant high: x <= 1; reach up: x == 1;";
    let ask = |names: &[&str]| {
        let options = names.iter().flat_map(|n| ["--property", n]);
        let all: Vec<&str> = ["check", "-"].into_iter().chain(options).collect();
        coarsen(&all, text)
    };
    let (code, out, _) = ask(&["high", "up"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("the discipline, high and up hold"), "{out}");
    assert!(!out.contains("low"), "{out}");
    assert_eq!(ask(&["high", "low"]).0, Some(10));
    let (code, _, err) = ask(&["low", "lower"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("has a property `lower`"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_time_limit_says_how_far_the_work_came_and_is_code_20() {
    let output = long_run(&["--limit-time", "500ms"])
        .wait_with_output()
        .expect("waited");
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(20), "{out}");
    assert!(
        out.contains("--limit-time") && out.contains("in phase `"),
        "{out}"
    );
}

/// Where a thread is, is a place as all others are, also where that tells a block from an atomic one.
#[test]
fn where_a_thread_is_seen_is_a_place() {
    let model = format!(
        "{}/models/transactions/auction_bug.cor",
        env!("CARGO_MANIFEST_DIR")
    );
    let (code, out, _) = coarsen(&["check", "-q", &model], b"");
    assert_eq!(code, Some(10), "{out}");
    let told = format!("bidder(3) is at end, but at {model}:9:9 whenever the block is atomic");
    assert!(out.contains(&told), "{out}");
}

/// Hypotheses are told although the limit is too near to explore the reduced system.
#[test]
fn hypotheses_come_before_a_long_exploration() {
    let text = "mutex m; var x: 0..16 = 0 protected by m; invariant small: x <= 16;
        thread w(i in 0..15) { var t: 0..16 = 0; lock(m); t = x; x = t + 1; unlock(m); }";
    let file = temporary("sixteen.cor", text.as_bytes());
    let (code, out, err) = coarsen(
        &["check", "--reduce", "always", "--limit-time", "4s", &file],
        b"",
    );
    assert_eq!(code, Some(20), "{out}{err}");
    assert!(out.contains("its 8 hypotheses hold"), "{out}");
}

/// Products of a million values are too large for relations; that is said after little work.
#[test]
fn what_is_too_large_to_be_evaluated_is_said() {
    let text = "mutex m; var x: 0..1000000 = 1; var y: 0..1000000 = 1;
        thread w(i in 0..1) { lock(m); x = x * y % 1000001; y = y * 7 % 1000001; unlock(m); }";
    let file = temporary("products.cor", text.as_bytes());
    let (code, out, err) = coarsen(&["eval", &file, "u[w(0)] <= 1"], b"");
    assert_eq!(code, Some(20), "{out}{err}");
    assert!(out.contains("--limit-effort"), "{out}");
}

/// A theorem that is named is applied, whatever `--reduce` says.
#[test]
fn a_theorem_that_is_named_is_applied() {
    let text = b"mutex m; var x: 0..3 = 0; thread w(i in 0..1) { lock(m); x = 1; unlock(m); }";
    let path = temporary("named.cor", text);
    let in_full = |more: &[&str]| {
        let all: Vec<&str> = ["check", "--reduce", "last", &path]
            .into_iter()
            .chain(more.iter().copied())
            .collect();
        let (code, out, err) = coarsen(&all, b"");
        assert_eq!(code, Some(0), "{err}");
        out.contains("explored in full")
    };
    assert!(in_full(&[]));
    for theorem in ["stoller-cohen", "auto", "flanagan-qadeer"] {
        assert!(!in_full(&["--theorem", theorem]), "{theorem}");
    }
    assert!(!in_full(&["--explain-visible"]));
}

/// A walk at random is the same for the same seed; what was written is walked along again, and a goal is reached.
#[test]
fn a_walk_is_printed_repeated_and_led_to_a_goal() {
    let text = b"var x: 0..9 = 0; thread a { while (x < 9) x = x + 1; } thread b { when (x == 5) x = 7; }\n";
    let model = temporary("walk.cor", text);
    let walk = |more: &[&str]| {
        let all: Vec<&str> = ["simulate", &model]
            .into_iter()
            .chain(more.iter().copied())
            .collect();
        coarsen(&all, b"")
    };
    let (code, one, err) = walk(&["--steps", "12", "--seed", "3"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(one.contains("walk.cor: 12 steps - "), "{one}");
    assert_eq!(one, walk(&["--steps", "12", "--seed", "3"]).1);
    let file = temporary("walk.itf.json", b"");
    let (code, goal, _) = walk(&["--goal", "x == 7", "--trace", &file]);
    assert_eq!(code, Some(0), "{goal}");
    assert!(
        goal.contains("b, ") && goal.contains("walk.cor:1:") && goal.contains("x: 5 -> 7"),
        "{goal}"
    );
    let (code, again, err) = walk(&["--replay", &file]);
    assert_eq!(code, Some(0), "{err}");
    let steps = |text: &str| text.lines().skip(1).map(String::from).collect::<Vec<_>>();
    assert_eq!(steps(&again), steps(&goal));
    let (code, _, err) = coarsen(
        &["simulate", "-", "--replay", &file],
        b"var y: 0..1 = 0; thread t { y = 1; }",
    );
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("does not begin in an initial state"), "{err}");
    assert_eq!(walk(&["--goal", "x == 8 && at(b, end)"]).0, Some(0));
    assert_eq!(walk(&["--goal", "x < 0"]).0, Some(10));
    assert_eq!(walk(&["--goal", "x < "]).0, Some(3));
    assert_eq!(
        walk(&["--goal", "x == 9", "--limit-states", "3"]).0,
        Some(20)
    );
    let (code, _, err) = walk(&[]);
    assert_eq!(code, Some(2));
    assert!(err.contains("there is no terminal"), "{err}");
    let (_, json, _) = walk(&["--steps", "2", "--format", "json"]);
    assert!(json.contains("\"ended\":\"steps\""), "{json}");
}

/// A page for the tool, and one for each command.
#[test]
fn manual_pages_are_written() {
    let folder = std::env::temp_dir().join(format!("coarsen-{}-man", std::process::id()));
    let path = folder.to_string_lossy().into_owned();
    let (code, _, err) = coarsen(&["man", &path], b"");
    assert_eq!(code, Some(0), "{err}");
    let page = std::fs::read_to_string(folder.join("coarsen-check.1")).expect("a page");
    assert!(page.contains(".TH") && page.contains("html"), "{page}");
    assert!(folder.join("coarsen.1").is_file());
    std::fs::remove_dir_all(folder).expect("removed");
    let (code, _, err) = coarsen(&["man", "/dev/null/man"], b"");
    assert_eq!(code, Some(1), "{err}");
}

/// One document for all models, also for those with errors; the exit code is that of the answers.
#[test]
fn answers_for_continuous_integration_are_one_document() {
    let bad = temporary(
        "ci_bad.cor",
        b"var x: 0..1 = 0;\nthread t { x = 1; assert(x == 0); }\n",
    );
    let good = temporary("ci_good.cor", b"var x: 0..1 = 0; thread t { x = 1; }\n");
    let wrong = temporary("ci_wrong.cor", b"var x: 0..1 = y; thread t { skip; }\n");
    let ask = |form: &str| coarsen(&["check", "--format", form, &good, &bad, &wrong], b"");
    let (code, out, _) = ask("github");
    assert_eq!(code, Some(3), "{out}");
    assert_eq!(out.lines().count(), 2, "{out}");
    assert!(
        out.contains("ci_bad.cor,line=2,col=19,title=coarsen%3A assertions::"),
        "{out}"
    );
    let (_, out, _) = ask("junit");
    assert_eq!(junit(&out).0, 5, "{out}");
    let (_, out, _) = ask("sarif");
    let read = sarif(&out);
    assert_eq!(read["version"], "2.1.0");
    assert_eq!(
        read["runs"][0]["results"].as_array().map(Vec::len),
        Some(2),
        "{out}"
    );
    let (code, out, _) = coarsen(&["reach", "--format", "junit", "--deadlock", &good], b"");
    assert_eq!((code, junit(&out)), (Some(0), (2, 0)), "{out}");
    let expects = temporary(
        "ci_expects.cor",
        b"var x: 0..1 = 0; thread t { x = 1; } expect verdict holds; expect original 3;",
    );
    let (code, out, _) = coarsen(&["check", "--expect", "--format", "junit", &expects], b"");
    assert_eq!((code, junit(&out)), (Some(10), (2, 1)), "{out}");
    let (code, out, _) = coarsen(
        &["check", "--format", "sarif", "--property", "p", &good],
        b"",
    );
    assert_eq!((code, out.as_str()), (Some(2), ""));
    let suite = temporary("ci.thy", b"theory ci { letters x; law wrong: x = x x; }");
    let (_, out, _) = coarsen(&["prove", "--format", "sarif", &suite], b"");
    sarif(&out);
}

/// Each command that `compare` tells of a row answers as the row does, with the constants that it had.
#[test]
fn commands_of_compare_ask_the_same() {
    let wrong = temporary(
        "goes wrong.cor",
        b"var x: 0..3 = 0;\nthread a { x = 1; assert(x == 1); }\nthread b { x = 2; }\n",
    );
    let bad = temporary(
        "const.cor",
        b"const MOST = 3;\nvar x: 0..3 = 0;\nthread a { x = 1; }\nthread b { x = 2; }\ninvariant small: x < MOST;\n",
    );
    let mut run = 0;
    for (model, define) in [
        (wrong.as_str(), None),
        (&bad, None),
        (&bad, Some("MOST=2")),
        ("models/levin/figure1.cor", None),
        ("models/features/opposite_locks.cor", None),
    ] {
        let defines: Vec<&str> = define.into_iter().flat_map(|d| ["-D", d]).collect();
        let mut arguments = vec!["compare", "--format", "json", model];
        arguments.extend(&defines);
        let (_, out, err) = coarsen(&arguments, b"");
        let report: serde_json::Value = serde_json::from_str(&out).expect(&err);
        let mut some = false;
        let rows = report["rows"].as_array().expect("rows");
        let stuck = rows.iter().any(|row| row["deadlock"] == true);
        for row in rows {
            let Some(command) = row["command"].as_array() else {
                continue;
            };
            let words = command.iter().filter_map(|w| w.as_str());
            let words: Vec<&str> = words.chain([model]).collect();
            let (code, out, err) = coarsen(&words, b"");
            let expected = match row["verdict"].as_str() {
                // A row of `check` does not say that it asks for deadlocks, as the model does.
                _ if row["deadlock"] == true || stuck && words[0] == "check" => Some(10),
                Some("holds") => Some(0),
                Some("refuted") => Some(10),
                _ => continue,
            };
            assert_eq!(code, expected, "{words:?}\n{row}\n{out}{err}");
            run += 1;
            some = true;
        }
        assert!(some, "{model}: no row has a command");
        arguments[2] = "text";
        let (_, out, _) = coarsen(&arguments, b"");
        let line = out.lines().find(|l| l.starts_with("recommended: coarsen "));
        let line = line.expect("a recommendation");
        assert_eq!(line.contains("-D"), define.is_some(), "{line}");
        assert_eq!(line.contains("goes wrong.cor'"), model == wrong, "{line}");
    }
    assert!(run > 25, "{run}");
}

/// An exploration is held to the `expect` lines that it speaks of, each model on a line.
#[test]
fn explorations_are_held_to_what_models_expect() {
    let (code, out, err) = coarsen(&["reach", "--expect", "models/levin"], b"");
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.lines().count() >= 7, "{out}");
    assert!(
        out.lines()
            .all(|l| l.contains(": as expected - ") || l.contains("it expects nothing")),
        "{out}"
    );
    let missed = b"var x: 0..3 = 0; thread a { x = 1; } expect original 3; expect verdict refuted;";
    let (code, out, _) = coarsen(&["reach", "--expect", "-"], missed);
    assert_eq!(code, Some(10));
    assert_eq!(
        out,
        "<stdin>: not as expected - expect original 3: found 2\n"
    );
    let (code, _, _) = coarsen(&["reach", "--expect", "-D", "N=2", "-"], missed);
    assert_eq!(code, Some(2));
}

/// Rows of a comparison that takes more than a moment are on stderr as soon as they are known.
#[test]
fn rows_of_a_comparison_are_told_early() {
    let model = "models/monitors/rw_cache.cor";
    let (_, out, err) = coarsen(&["compare", "--limit-time", "2s", model], b"");
    assert!(err.starts_with("none, explicit: holds: "), "{err}");
    let told = |line: &&str| line.contains(": ") && line.contains("; states ");
    let rows = out.lines().filter(|l| {
        l.contains("  explicit  ") || l.contains("  bdd  ") || l.contains("  saturation  ")
    });
    assert_eq!(err.lines().filter(told).count(), rows.count(), "{out}{err}");
}

/// Where a file can't be written, the answer is told all the same, and why there is no file.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    for option in ["--trace", "--html", "--coverage"] {
        let model = "models/transactions/bank_bug.cor";
        let (code, out, err) = coarsen(&["check", "-q", option, "/dev/full", model], b"");
        assert_eq!(code, Some(1), "{option}: {err}");
        assert!(out.contains(": refuted - "), "{option}: {out}");
        let told = err.contains("/dev/full") && err.contains("No space left");
        assert!(told, "{option}: {err}");
    }
}
