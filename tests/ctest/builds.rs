//! Programs as builds make them: `coarsen cc`, objects, archives, executables, `compile_commands.json`.

use super::formats::coarsen;
use super::{Scratch, possible};
use std::path::Path;
use std::process::Command;

/// Two files that need what only their commands say.
fn project(scratch: &Scratch) {
    let write = |name: &str, text: &str| {
        let path = scratch.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    };
    write(
        "inc/queue.h",
        "#if !defined LIMIT || !defined NAME\n#error LIMIT and NAME are needed\n#endif\n\
         void put(int); int get(void);\n",
    );
    write(
        "src/queue.c",
        "#include <queue.h>\n#include <pthread.h>\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int n, cells[LIMIT];\n\
         void put(int v)\n{\n    pthread_mutex_lock(&m);\n    cells[n++] = v;\n    pthread_mutex_unlock(&m);\n}\n\
         int get(void)\n{\n    return n > 0 ? cells[--n] : -1;\n}\n",
    );
    write(
        "src/main.c",
        "#include <queue.h>\n#include <pthread.h>\n#include <assert.h>\n#include <string.h>\n\
         static void *t(void *unused)\n{\n    put(1);\n    return unused;\n}\n\
         int main(void)\n{\n    pthread_t h;\n    pthread_create(&h, 0, t, 0);\n    put(2);\n    int a = get();\n\
         pthread_join(h, 0);\n    int b = get();\n    assert(!strcmp(NAME, \"a \\\"b\\\" %s\"));\n\
         assert(a > 0 && b > 0 && a != b);\n    return 0;\n}\n",
    );
}

const OPTIONS: [&str; 7] = [
    "-O2",
    "-Wall",
    "-Werror",
    "-Iinc",
    "-DLIMIT=2",
    "-DNAME=\"a \\\"b\\\" %s\"",
    "-MD",
];

fn run(command: &str, args: &[&str], directory: &Path) -> bool {
    let status = Command::new(command)
        .args(args)
        .current_dir(directory)
        .status();
    status.is_ok_and(|s| s.success())
}

/// Compiles and links, with or without the command that the objects are to remember.
fn built(scratch: &Scratch, with: &[&str]) -> bool {
    let compile = |file: &str, to: &str| {
        let source = format!("src/{file}.c");
        let args = [&with[1..], &OPTIONS, &["-c", &source, "-o", to]].concat();
        run(with[0], &args, &scratch.0)
    };
    compile("main", "main.o")
        && compile("queue", "queue.o")
        && run("ar", &["rcs", "libqueue.a", "queue.o"], &scratch.0)
        && run(
            with[0],
            &[
                &with[1..],
                &["-o", "prog", "main.o", "-L.", "-lqueue", "-lpthread"],
            ]
            .concat(),
            &scratch.0,
        )
}

#[test]
fn what_a_build_has_made_is_tested() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("builds");
    project(&scratch);
    let tool = env!("CARGO_BIN_EXE_coarsen");
    for with in [vec![tool, "cc"], vec![tool, "cc", "gcc"]] {
        assert!(built(&scratch, &with));
        // Nothing of ours is among what make takes for dependencies.
        let dependencies = std::fs::read_to_string(scratch.0.join("main.d")).expect("dependencies");
        assert!(dependencies.contains("inc/queue.h") && !dependencies.contains("coarsen"));
        // It is the program that it would be without us.
        assert!(run("./prog", &[], &scratch.0));
        for files in [
            vec!["prog"],
            vec!["main.o", "libqueue.a"],
            vec!["main.o", "queue.o", "prog"],
        ] {
            let (code, out, _) = coarsen(&[&["test"], files.as_slice()].concat(), &scratch.0);
            let said = "refuted - assertion `a > 0 && b > 0 && a != b` at src/main.c:19 in T0";
            assert!(code == 10 && out.contains(said), "{out}");
            assert!(out.contains("src/queue.c:8 cells[n++] = v;"), "{out}");
        }
    }
    // Without objects.
    let all = [
        &["cc"],
        &OPTIONS[..6],
        &["src/main.c", "src/queue.c", "-o", "at_once", "-lpthread"],
    ]
    .concat();
    assert!(run(tool, &all, &scratch.0) && run("./at_once", &[], &scratch.0));
    let (code, out, _) = coarsen(&["test", "-q", "at_once"], &scratch.0);
    assert!(code == 10 && out.contains("src/main.c:19"), "{out}");
    let elsewhere = scratch.0.join("inc");
    let (code, out, _) = coarsen(&["test", "-q", "../prog"], &elsewhere);
    assert!(code == 10 && out.contains("src/main.c:19"), "{out}");
    let commands = serde_json::json!([
        {"directory": scratch.0, "file": "src/queue.c", "command": "cc -Iinc -DLIMIT=2 -DNAME='\"\"' -c src/queue.c"},
        {"directory": scratch.0, "file": "src/main.c",
            "arguments": ["cc", "-Iinc", "-DLIMIT=2", "-DNAME=\"a \\\"b\\\" %s\"", "-c", "src/main.c"]},
    ]);
    std::fs::write(
        scratch.0.join("compile_commands.json"),
        commands.to_string(),
    )
    .expect("written");
    let (code, out, _) = coarsen(&["test", "-q", "compile_commands.json"], &scratch.0);
    assert!(code == 10 && out.contains("src/main.c:19"), "{out}");
}

#[test]
fn what_does_not_say_what_it_was_made_from_is_refused_by_name() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("unknown");
    project(&scratch);
    assert!(built(&scratch, &["gcc"]));
    std::fs::write(scratch.0.join("bad.json"), "{").expect("written");
    std::fs::write(scratch.0.join("none.json"), "[]").expect("written");
    std::fs::write(scratch.0.join("bad.a"), "!<arch>\nxx").expect("written");
    std::fs::write(scratch.0.join("cut.o"), b"\x7fELF\x02\x01").expect("written");
    for (files, said) in [
        (vec!["prog"], "prog does not say what it was compiled from"),
        (
            vec!["main.o"],
            "main.o does not say what it was compiled from",
        ),
        (
            vec!["src/main.c", "libqueue.a"],
            "libqueue.a(queue.o) does not say what it was compiled from",
        ),
        (
            vec!["cut.o"],
            "cut.o does not say what it was compiled from",
        ),
        (vec!["bad.json"], "bad.json is no compile_commands.json"),
        (vec!["none.json"], "none.json compiles no C file"),
    ] {
        let (code, out, err) = coarsen(&[&["test"], files.as_slice()].concat(), &scratch.0);
        assert!(
            code == 3 && out.contains(said) && err.contains(said),
            "{out}{err}"
        );
    }
    let (code, out, _) = coarsen(&["test", "bad.a"], &scratch.0);
    assert!(code == 1 && out.contains("bad.a: "), "{out}");
    // The compiler's own failures stay what they are.
    let (code, _, err) = coarsen(&["cc", "-c", "src/main.c"], &scratch.0);
    assert!(code == 1 && err.contains("queue.h"), "{err}");
    let (code, _, err) = coarsen(&["cc", "no_such_compiler", "-c", "src/main.c"], &scratch.0);
    assert!(
        code == 1 && err.contains("coarsen cc: `no_such_compiler`: "),
        "{err}"
    );
}
