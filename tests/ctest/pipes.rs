//! Pipes: known programs, and the same ones natively.

use super::formats::coarsen;
use super::support::{HEAD, Scratch, make, possible, run, settings};
use std::process::Command;

/// Name, what is at the outermost level, what the other thread does, what `main` does, executions (0: any), errors.
type Known = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    u64,
    &'static [&'static str],
);

const PROGRAMS: &[Known] = &[
    (
        "one_message",
        "int data;",
        "data = 7; assert(write(w[1], \"x\", 1) == 1);",
        "char b; assert(read(w[0], &b, 1) == 1 && b == 'x' && data == 7);",
        1,
        &[],
    ),
    // The writer's two calls, and the reader's: before the second, or behind it.
    (
        "as_much_as_there_is",
        "",
        "write(w[1], \"ab\", 2); write(w[1], \"c\", 1);",
        "char b[4]; long n = read(w[0], b, 4); assert(n == 2 || n == 3 && b[2] == 'c');",
        2,
        &[],
    ),
    (
        "the_end",
        "",
        "write(w[1], \"ab\", 2); close(w[1]);",
        "char b; int n = 0; while (read(w[0], &b, 1) > 0) n++; assert(n == 2);",
        3,
        &[],
    ),
    (
        "two_writers",
        "void *u(void *_) { write(w[1], \"22\", 2); return 0; }",
        "write(w[1], \"11\", 2);",
        "pthread_t i; go(i, u); char b[4]; for (int n = 0; n < 4;) n += read(w[0], b + n, 4 - n); end(i);\n\
         assert(b[0] == b[1] && b[2] == b[3]);",
        4,
        &[],
    ),
    // Each of two readers gets half of a record.
    (
        "two_readers",
        "int torn; void *u(void *_) { char b[2]; for (int n = 0; n < 2; n++) read(w[0], b + n, 1);\n\
         if (b[1] != b[0] + 1) torn = 1; return 0; }",
        "u(0);",
        "write(w[1], \"0145\", 4); u(0); assert(!torn);",
        0,
        &["assertion"],
    ),
    (
        "nobody_writes",
        "",
        "char b; read(w[0], &b, 1);",
        "",
        0,
        &["deadlock"],
    ),
    (
        "nobody_reads",
        "char big[70000];",
        "write(w[1], big, sizeof big);",
        "",
        0,
        &["deadlock"],
    ),
    (
        "nobody_can_read",
        "",
        "",
        "close(w[0]); write(w[1], \"x\", 1);",
        0,
        &["crash"],
    ),
    (
        "closed_twice",
        "",
        "",
        "assert(close(w[1]) == 0 && close(w[1]) == -1 && errno == EBADF);",
        1,
        &[],
    ),
    (
        "the_wrong_end",
        "",
        "",
        "char b; assert(read(w[1], &b, 1) == -1 && errno == EBADF && write(w[0], &b, 1) == -1 && errno == EBADF);",
        1,
        &[],
    ),
    // Two sources, until both have ended.
    (
        "event_loop",
        "#include <poll.h>\nint v[2]; __attribute__((constructor)) void first(void) { pipe(v); }",
        "write(w[1], \"a\", 1); write(v[1], \"b\", 1); close(w[1]); close(v[1]);",
        "struct pollfd f[2] = {{w[0], POLLIN}, {v[0], POLLIN}}; int open = 2, sum = 0;\n\
         while (open) { assert(poll(f, 2, -1) > 0); for (int i = 0; i < 2; i++) if (f[i].revents) { char b;\n\
         if (read(f[i].fd, &b, 1) == 1) sum += b; else { f[i].fd = -1; open--; } } }\n\
         assert(sum == 'a' + 'b');",
        0,
        &[],
    ),
    // A loop with a deadline waits actively.
    (
        "again_and_again",
        "#include <poll.h>",
        "write(w[1], \"a\", 1);",
        "struct pollfd f = {w[0], POLLIN}; while (poll(&f, 1, 10) == 0); assert(f.revents == POLLIN);",
        2,
        &[],
    ),
    (
        "one_of_two_sources",
        "#include <sys/select.h>",
        "write(w[1], \"a\", 1); close(w[1]);",
        "fd_set r; FD_ZERO(&r); FD_SET(w[0], &r);\n\
         int n = select(w[1] + 1, &r, 0, 0, 0); assert(n == 1 && FD_ISSET(w[0], &r) && !FD_ISSET(w[1], &r));",
        2,
        &[],
    ),
    (
        "no_number",
        "#include <poll.h>\n#include <fcntl.h>",
        "",
        "struct pollfd f[3] = {{-1, POLLIN}, {999, POLLIN}, {w[1], POLLIN | POLLOUT}};\n\
         assert(poll(f, 3, -1) == 2 && !f[0].revents && f[1].revents == POLLNVAL && f[2].revents == POLLOUT);\n\
         close(w[0]); assert(poll(f + 2, 1, 0) == 1 && f[2].revents == (POLLOUT | POLLERR));\n\
         f[2].events = POLLWRNORM; assert(poll(f + 2, 1, 0) == 1 && f[2].revents == (POLLWRNORM | POLLERR));",
        1,
        &[],
    ),
    // What can be read only is no room to write, closed or not.
    (
        "no_room",
        "#include <sys/select.h>",
        "",
        "close(w[1]); fd_set u; FD_ZERO(&u); FD_SET(w[0], &u); select(200, 0, &u, 0, 0);",
        0,
        &["deadlock"],
    ),
    (
        "nobody_comes",
        "#include <poll.h>",
        "",
        "struct pollfd f = {w[0], POLLIN}; poll(&f, 1, -1);",
        0,
        &["deadlock"],
    ),
    // A call with the wrong end waits for nobody, so `x` may be written before it is read.
    (
        "the_wrong_end_does_not_wait",
        "int x;",
        "char b; read(w[1], &b, 1); x = 1;",
        "int r = x; write(w[1], \"a\", 1); assert(r == 0);",
        0,
        &["assertion"],
    ),
    (
        "nothing",
        "",
        "",
        "assert(read(w[0], 0, 0) == 0 && write(w[1], 0, 0) == 0);",
        1,
        &[],
    ),
];

fn text(outside: &str, other: &str, main: &str) -> String {
    format!(
        "{HEAD}#include <unistd.h>\nint w[2];\n{outside}\nvoid *t(void *_) {{ {other}\nreturn 0; }}\n\
         int main() {{ pthread_t h; pipe(w); go(h, t); {main}\nend(h); return 0; }}\n"
    )
}

#[test]
fn pipes_with_known_answers() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("pipes");
    for (name, outside, other, main, executions, errors) in PROGRAMS {
        let file = scratch.file(name, &text(outside, other, main));
        let program = make(&file, &[]);
        for reset in [true, false] {
            let mut asked = settings();
            asked.reset = reset;
            let e = run(&program, &asked);
            let kinds: Vec<_> = e.errors.iter().map(|e| e.kind).take(1).collect();
            assert_eq!(kinds, *errors, "{name}");
            assert!(e.limits.is_empty(), "{name}: {:?}", e.limits);
            if *executions > 0 {
                assert_eq!((e.executions, e.redundant), (*executions, 0), "{name}");
            }
        }
        if errors.is_empty() {
            let native = scratch.0.join("native");
            let built = Command::new("gcc")
                .args(["-w", "-pthread", "-o"])
                .args([&native, &file])
                .status();
            assert!(built.is_ok_and(|s| s.success()), "{name}");
            let ran = Command::new(&native).status();
            assert!(ran.is_ok_and(|s| s.success()), "{name}");
        }
    }
}

/// A large write is many steps, and goes on as soon as there is room; what was written comes out.
#[test]
fn a_full_pipe_is_waited_for() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("full_pipe");
    let main = "static char got[70000]; long n, all = 0;\n\
        while ((n = read(w[0], got + all, 70000 - all)) > 0) all += n;\n\
        for (int i = 0; i < 70000; i++) assert(got[i] == (char)(i / 3));";
    let other = "for (int i = 0; i < 70000; i++) big[i] = i / 3;\n\
        assert(write(w[1], big, 70000) == 70000); close(w[1]);";
    let file = scratch.file("p", &text("static char big[70000];", other, main));
    let name = file.display().to_string();
    let args = [
        "test",
        "--limit-executions",
        "20",
        "--limit-steps",
        "100000",
        &name,
    ];
    let (code, out, _) = coarsen(&args, &scratch.0);
    assert_eq!(code, 20, "{out}");
    assert!(out.contains("20 executions"), "{out}");
}

/// What is said of a pipe, and what can't be followed.
#[test]
fn pipes_have_names_and_limits() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("pipe_names");
    let said = |main: &str| {
        let head = "#include <fcntl.h>\n";
        let file = scratch.file(
            "p",
            &format!("#define _GNU_SOURCE\n{head}{}", text("", "", main)),
        );
        let (_, out, _) = coarsen(&["test", &file.display().to_string()], &scratch.0);
        out
    };
    for (main, what) in [
        ("char b; read(w[0], &b, 1);", "read from pipe 1 of T0"),
        (
            "int v[2]; pipe(v); char b; read(v[0], &b, 1);",
            "read from pipe 2 of T0",
        ),
        (
            "close(w[0]); write(w[1], &h, 1);",
            "SIGPIPE: nobody can read from the pipe any more",
        ),
        (
            "int v[2]; pipe2(v, O_NONBLOCK);",
            "a pipe that does not block",
        ),
        (
            "char b; read(0, &b, 1);",
            "reading from standard input (`--stdin FILE` says what is there)",
        ),
        (
            "for (int i = 0; i < 17; i++) { int v[2]; pipe(v); }",
            "more than 16 pipes of one thread",
        ),
    ] {
        let out = said(main);
        assert!(out.contains(what), "{main}: {out}");
    }
}
