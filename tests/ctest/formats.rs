//! The command itself: JSON by its schema, ITF, data races as errors, interrupts, compilers that can't be trusted,
//! places of endless threads.

use super::{HEAD, Scratch, possible};
use crate::formats::{junit, sarif, valid_by};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Runs the command; its exit code and what it says.
pub fn coarsen(args: &[&str], directory: &Path) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .args(args)
        .current_dir(directory)
        .output()
        .expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

pub fn validated(text: &str) -> Value {
    valid_by(include_str!("../../docs/schema/test.schema.json"), text)
}

fn directory() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/models/florian"))
}

#[test]
fn json_is_as_the_schema_says() {
    if !possible() {
        return;
    }
    let run = |args: &[&str]| {
        let mut all = vec!["test", "--format", "json"];
        all.extend(args);
        let (code, out, _) = coarsen(&all, directory());
        (code, validated(&out))
    };
    let (code, value) = run(&["--movers", "barrier.c"]);
    assert_eq!(code, 0);
    let functions = value["functions"].as_array().expect("functions");
    let said = |name: &str| {
        let it = functions.iter().find(|f| f["name"] == name);
        it.expect(name)["verdict"]
            .as_str()
            .expect("a word")
            .to_string()
    };
    assert_eq!(said("pass"), "split");
    assert_eq!(said("main"), "broken");
    let (code, value) = run(&["--movers", "--limit-executions", "1", "thread_pool.c"]);
    assert_eq!(code, 20);
    let functions = value["functions"].as_array().expect("functions");
    assert!(functions.iter().all(|f| f["verdict"] != "transaction"));
    assert!(functions.iter().any(|f| f["verdict"] == "unknown"));
    let (code, value) = run(&["--keep-going", "queue.c"]);
    assert_eq!((code, value["functions"].is_null()), (10, true));
    assert!(!value["races"].as_array().expect("races").is_empty());
    let (code, value) = run(&["--races", "refute", "--keep-going", "queue.c"]);
    assert_eq!(code, 10);
    let errors = value["errors"].as_array().expect("errors");
    assert!(errors.iter().any(|e| e["kind"] == "data race"));
    let (code, value) = run(&["no_such_file.c"]);
    assert_eq!((code, value["verdict"].as_str()), (1, Some("error")));
    let (_, value) = run(&["--exhaustive", "--limit-executions", "10", "barrier.c"]);
    assert_eq!(value["classes"].as_u64().map(|n| n > 0), Some(true));
}

#[test]
fn deadlocks_are_errors_unless_the_program_says_what_is_one() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("deadlocks");
    let text = format!(
        "{HEAD}pthread_mutex_t m[2]; void *t(void *_) {{ lock(m[1]); lock(m[0]); unlock(m[0]); unlock(m[1]); return 0; \
         }}\nint main() {{ pthread_t h; go(h, t); lock(m[0]); lock(m[1]); unlock(m[1]); unlock(m[0]); end(h); ERROR \
         return 0; }}\n"
    );
    scratch.file("plain", &text.replace("ERROR", ""));
    let error = "extern void reach_error(void);\n";
    let named = text.replace("ERROR", "if (h == 99) reach_error();");
    scratch.file("named", &format!("{error}{named}"));
    let run = |args: &[&str]| {
        let (code, out, _) = coarsen(&[&["test"], args].concat(), &scratch.0);
        (code, out)
    };
    let (code, out) = run(&["plain.c"]);
    assert!(code == 10 && out.contains("refuted - deadlock"), "{out}");
    let (code, out) = run(&["--deadlocks", "list", "plain.c"]);
    let listed = out.contains("all of the 3 executions (with 1 deadlock)")
        && out.contains("\n    deadlock (T0 at plain.c:");
    assert!(code == 0 && listed, "{out}");
    let (code, out) = run(&["named.c"]);
    assert!(code == 0 && out.contains("(with 1 deadlock)"), "{out}");
    let (code, out) = run(&["--deadlocks", "refute", "named.c"]);
    assert!(code == 10 && out.contains("refuted - deadlock"), "{out}");
    let (code, out) = run(&["--deadlocks", "off", "plain.c"]);
    assert!(code == 0 && !out.contains("deadlock"), "{out}");
    // What is only listed does not end the exploration.
    let later = format!("{error}int early, done;\n{text}")
        .replace("unlock(m[1]); return", "unlock(m[1]); done = 1; return")
        .replace("go(h, t);", "go(h, t); early = done;")
        .replace("ERROR", "if (early) reach_error();");
    scratch.file("later", &later);
    let (code, out) = run(&["--keep-going", "later.c"]);
    let both = out.contains("refuted - error reached") && out.contains("\n    deadlock (T0");
    assert!(code == 10 && both, "{out}");
    for (how, errors, deadlocks) in [("refute", 1, 0), ("list", 0, 1), ("off", 0, 0)] {
        let (_, out) = run(&["--format", "json", "--deadlocks", how, "plain.c"]);
        let value: Value = serde_json::from_str(&out).expect("JSON");
        let count = |field: &str| value[field].as_array().map(Vec::len);
        assert_eq!(count("errors"), Some(errors), "{how}");
        assert_eq!(count("deadlocks"), Some(deadlocks), "{how}");
    }
}

#[test]
fn races_are_listed_refute_or_are_not_spoken_of() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("races");
    let text = format!(
        "{HEAD}int x; void *t(void *_) {{ x = 1; return 0; }}\nint main() {{ pthread_t h; go(h, t); x = 1; end(h); \
         return 0; }}\n"
    );
    scratch.file("both", &text);
    let run = |how: &str| coarsen(&["test", "--races", how, "both.c"], &scratch.0);
    let (code, out, _) = run("list");
    assert!(
        code == 0 && out.contains("data races:\n    x: write at"),
        "{out}"
    );
    let (code, out, _) = run("off");
    assert!(code == 0 && !out.contains("race"), "{out}");
    let (code, out, _) = run("refute");
    assert!(
        code == 10
            && out.contains("data race on x: write at both.c:16 in T0, write at both.c:15 in T1"),
        "{out}"
    );
    let args = ["test", "-q", "--races", "refute", "both.c", "--trace"];
    for file in ["race.json", "race.itf.json"] {
        assert_eq!(coarsen(&[&args[..], &[file]].concat(), &scratch.0).0, 10);
    }
    let (code, out, _) = coarsen(&["replay", "-q", "race.json"], &scratch.0);
    assert!(code == 10 && out.contains("data race on x"), "{out}");
    let itf = std::fs::read_to_string(scratch.0.join("race.itf.json")).expect("a file");
    let itf: Value = serde_json::from_str(&itf).expect("JSON");
    let vars: Vec<&str> = itf["vars"]
        .as_array()
        .expect("vars")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(vars.ends_with(&["x", "T0", "T1"]), "{vars:?}");
    let states = itf["states"].as_array().expect("states");
    for (i, state) in states.iter().enumerate() {
        assert_eq!(state["#meta"]["index"], i);
        assert!(vars.iter().all(|v| state[*v].is_string()), "{state}");
    }
    let last = states.last().expect("a state");
    assert_eq!(
        (&states[0]["x"], &last["x"]),
        (&Value::from("0"), &Value::from("1"))
    );
    assert!(
        itf["#meta"]["description"]
            .as_str()
            .is_some_and(|v| v.contains("data race on x"))
    );
}

#[test]
fn an_interrupted_test_says_what_it_has_covered() {
    if !possible() {
        return;
    }
    let child = Command::new(env!("CARGO_BIN_EXE_coarsen"))
        .args([
            "test",
            "--format",
            "json",
            "--exhaustive",
            "--limit-executions",
            "1000000000",
        ])
        .args(["--cflags=-DSTEPS=4", "barrier.c"])
        .current_dir(directory())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    crate::cli::listens(&child);
    std::thread::sleep(Duration::from_millis(2500));
    let kill = format!("kill -INT {}", child.id());
    let sent = Command::new("sh").args(["-c", &kill]).status();
    assert!(sent.expect("a shell").success());
    let output = child.wait_with_output().expect("waited");
    assert_eq!(output.status.code(), Some(20));
    let value = validated(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(
        (&value["verdict"], &value["finished"]),
        (&Value::from("unknown"), &Value::from(false))
    );
    assert_eq!(value["limits"], serde_json::json!(["interrupted"]));
    assert!(
        value["executions"].as_u64().is_some_and(|n| n > 0),
        "{value}"
    );
}

#[test]
fn a_compiler_that_drops_calls_is_found_out() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("compilers");
    scratch.file("one", "int main() { return 0; }");
    // As clang without its option: the read of `x++` has no call.
    for (name, dropped) in [
        ("reads", "__tsan_read"),
        ("writes", "__tsan_write"),
        ("none", "no_such_call"),
    ] {
        let script = format!(
            "#!/bin/sh\ngcc \"$@\" || exit\nfor last; do :; done\ncase \"$last\" in *.s) sed -i \
             '/{dropped}/d' \"$last\";; esac\n"
        );
        let at = scratch.0.join(name);
        std::fs::write(&at, script).expect("a file");
        let made = Command::new("chmod").arg("+x").arg(&at).status();
        assert!(made.expect("chmod").success());
        let cc = at.display().to_string();
        let (code, out, err) = coarsen(&["test", "-q", "--cc", &cc, "one.c"], &scratch.0);
        if name == "none" {
            assert_eq!(code, 0, "{out}{err}");
        } else {
            assert!(
                code == 1 && err.contains(&format!("`x++` {name} x")),
                "{out}{err}"
            );
        }
    }
}

#[test]
fn an_endless_thread_is_named_with_its_place() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("endless");
    let text = format!(
        "{HEAD}static int forever(int n) {{ for (;;)\nn = n * 3 + 1; }}\n\
         void *t(void *_) {{ forever(3); return 0; }}\nint main() {{ pthread_t h; go(h, t); end(h); return 0; }}\n"
    );
    scratch.file("endless", &text);
    let (code, out, _) = coarsen(&["test", "-q", "endless.c"], &scratch.0);
    assert_eq!(code, 20);
    let named = |line| {
        out.contains(&format!(
            "T1 computes for long without a step that others could see, in `forever` at \
            endless.c:{line}"
        ))
    };
    assert!(named(15) || named(16), "{out}");
}

#[test]
fn what_can_not_be_combined_is_said() {
    for (args, why) in [
        (
            &["--filters", "not-seen-before,source-dpor"][..],
            "sleep sets",
        ),
        (&["--filters", "source-dpor,super-step"], "sleep sets"),
        (
            &["--filters", "super-step", "--exhaustive"],
            "whole executions",
        ),
        (
            &["--filters", "local-cycles", "--preemptions", "2"],
            "whole executions",
        ),
        (
            &["--filters", "not-seen-before", "--movers"],
            "whole executions",
        ),
        (&["--depth", "3"], "--filters"),
        (&["--filters", "source-dpor", "--depth", "3"], "--filters"),
        (&["--filters", "persistent"], "persistent"),
    ] {
        let mut all = vec!["test", "barrier.c"];
        all.extend(args);
        let (code, out, err) = coarsen(&all, directory());
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(why), "{err}");
    }
}

/// Documents for continuous integration: an error at its place, and a passed case where there is none.
#[test]
fn errors_are_cases_of_documents() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("documents");
    let good = format!(
        "{HEAD}int x; void *t(void *_) {{ return 0; }}\nint main() {{ pthread_t h; go(h, t); end(h);\n\
         assert(x == 0);\nreturn 0; }}\n"
    );
    scratch.file("good", &good);
    scratch.file(
        "bad",
        &good.replace("{ return 0; }\nint", "{ x = 1; return 0; }\nint"),
    );
    scratch.file("none", "int main( {\n");
    let line = good
        .lines()
        .position(|l| l.starts_with("assert(x"))
        .expect("it");
    let line = line + 1;
    let run = |form: &str, file: &str| {
        let (code, out, _) = coarsen(&["test", "--format", form, file], &scratch.0);
        (code, out)
    };
    let (code, out) = run("github", "bad.c");
    let begin = format!("::error file=bad.c,line={line},col=1,title=coarsen%3A assertion::");
    assert!(code == 10 && out.starts_with(&begin), "{out}");
    let (code, out) = run("sarif", "bad.c");
    let place = &sarif(&out)["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(
        (code, &place["region"]["startLine"]),
        (10, &Value::from(line)),
        "{out}"
    );
    let (code, out) = run("junit", "good.c");
    assert_eq!((code, junit(&out)), (0, (1, 0)), "{out}");
    let (code, out) = run("github", "good.c");
    assert_eq!((code, out.as_str()), (0, ""));
    let (code, out) = run("github", "none.c");
    assert!(
        code == 3 && out.starts_with("::error file=none.c,title="),
        "{out}"
    );
}

/// A debugger stops behind a step of an execution that was found, in the program's own code.
#[test]
fn a_debugger_stops_at_a_step() {
    if !possible() || !crate::missing::tools(&["gdb"]) {
        return;
    }
    let scratch = Scratch::new("debugger");
    let text = format!(
        "{HEAD}int x; pthread_mutex_t m;\nvoid *t(void *_)\n{{\n    int mine = 41;\n    lock(m);\n  \
          x = mine + 1;\n    \
         unlock(m);\n    return 0;\n}}\nint main()\n{{\n    pthread_t h;\n    go(h, t);\n    end(h);\n    \
         assert(x == 0);\n}}\n"
    );
    scratch.file("it", &text);
    let (code, _, _) = coarsen(&["test", "-q", "it.c", "--trace", "it.json"], &scratch.0);
    assert_eq!(code, 10);
    let (_, out, _) = coarsen(&["replay", "-v", "it.json"], &scratch.0);
    let write = out
        .lines()
        .find(|l| l.contains("x = mine + 1;"))
        .expect("a step");
    let step = write.trim().split('.').next().expect("its number");
    let debugged = |step: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_coarsen"))
            .args(["replay", "it.json", "--gdb", "--step", step])
            .current_dir(&scratch.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let mut stdin = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut stdin, b"info locals\nbacktrace 2\nkill\nquit\n")
            .expect("written");
        drop(stdin);
        let output = child.wait_with_output().expect("waited");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (
            output.status.code(),
            text,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, out, err) = debugged(step);
    let said = format!("gdb follows the execution of it.json to step {step} of ");
    assert!(code == Some(0) && err.contains(&said), "{out}{err}");
    assert!(
        out.contains("mine = 41") && out.contains("x = mine + 1;"),
        "{out}{err}"
    );
    let (code, _, err) = debugged("99");
    assert!(
        code == Some(3) && err.contains("--step takes one of 1 to "),
        "{err}"
    );
    let (code, _, err) = coarsen(&["replay", "it.json", "--step", "2"], &scratch.0);
    assert!(code == 2 && err.contains("--gdb"), "{err}");
}
