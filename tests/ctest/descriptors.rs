//! Files behind numbers (`open`, `read`, `write` ..): random calls give what they give natively, and the order of
//! threads' calls is explored.

use super::formats::coarsen;
use super::support::{Dice, HEAD, Scratch, make, possible, run, settings};
use std::fmt::Write;
use std::process::Command;

/// Calls note what they return, what they read, and the error.
const LOOK: &str = "#include <fcntl.h>\n#include <string.h>\n#include <unistd.h>\n\
    unsigned long h = 7; int f[3] = {-1, -1, -1}, w[2]; char b[64];\n\
    void note(long r) { h = h * 31 + r; if (r < 0) h = h * 31 + errno; }\n\
    void got(long r) { note(r); for (long i = 0; i < r; i++) h = h * 31 + b[i]; }\n";

/// A call. `may` says of each number whether it may stand for a file.
fn call(dice: &mut Dice, may: &mut [bool; 3]) -> String {
    let i = dice.roll(3) as usize;
    let name = ["\"a\"", "\"b\"", "\"./a\"", "\"no/a\""][dice.roll(4) as usize];
    let (n, at) = (dice.roll(12), dice.roll(20) as i64 - 2);
    let whence = ["SEEK_SET", "SEEK_CUR", "SEEK_END"][dice.roll(3) as usize];
    match dice.roll(12) {
        0..3 => {
            let close = if may[i] {
                format!("note(close(f[{i}])); ")
            } else {
                String::new()
            };
            may[i] = true;
            let mut flags = String::from(["O_RDONLY", "O_WRONLY", "O_RDWR"][dice.roll(3) as usize]);
            for (flag, of) in [
                ("O_CREAT", 2),
                ("O_EXCL", 6),
                ("O_TRUNC", 3),
                ("O_APPEND", 3),
            ] {
                if dice.roll(of) == 0 {
                    let _ = write!(flags, " | {flag}");
                }
            }
            // What O_TRUNC means without writing, and O_EXCL without O_CREAT, is not defined.
            let flags = match flags.contains("O_CREAT") {
                true => flags,
                false => flags.replace(" | O_EXCL", ""),
            };
            let flags = match flags.contains("O_RDONLY") {
                true => flags.replace(" | O_TRUNC", ""),
                false => flags,
            };
            format!("{close}note((f[{i}] = open({name}, {flags}, 0600)) < 0 ? -1 : 0);")
        }
        3 | 4 => format!("got(read(f[{i}], b, {n}));"),
        5 | 6 => format!(
            "note(write(f[{i}], \"0123456789abc\" + {}, {n}));",
            dice.roll(2)
        ),
        7 => format!("note(lseek(f[{i}], {at}, {whence}));"),
        8 => format!("got(pread(f[{i}], b, {n}, {}));", at.max(0)),
        9 => format!(
            "note(pwrite(f[{i}], \"ABCDEFGHIJKLM\", {n}, {}));",
            at.max(0)
        ),
        10 if dice.roll(2) == 0 => format!("note(dprintf(f[{i}], \"%d,%s\", {n}, \"xy\"));"),
        10 => format!("note(ftruncate(f[{i}], {at}));"),
        _ if may == &[false; 3] => format!("note(unlink({name}));"),
        _ => {
            may[i] = false;
            format!("note(close(f[{i}])); f[{i}] = -1;")
        }
    }
}

#[test]
fn random_calls_are_as_natively() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("descriptors");
    let mut dice = Dice::seeded(0xDE_5C21);
    let mut seen = std::collections::BTreeSet::new();
    for round in 0..crate::random::cases(60) {
        let mut may = [false; 3];
        let mut text = format!("{HEAD}{LOOK}int main() {{\n");
        for _ in 0..60 {
            let _ = writeln!(text, "{}", call(&mut dice, &mut may));
        }
        text.push_str(
            "#ifdef WANT\nassert(h == WANT);\n#endif\nprintf(\"%lu\", h);\nreturn 0; }\n",
        );
        let file = scratch
            .file(&format!("r{round}"), &text)
            .display()
            .to_string();
        let at = scratch.0.join(format!("in{round}"));
        std::fs::create_dir(&at).expect("a folder");
        std::fs::write(at.join("a"), "what was there").expect("a file");
        let program = at.join("native");
        let built = Command::new("gcc")
            .args(["-w", "-o"])
            .arg(&program)
            .arg(&file)
            .status();
        assert!(built.is_ok_and(|s| s.success()), "{text}");
        let checked = scratch.0.join(format!("check{round}"));
        std::fs::create_dir(&checked).expect("a folder");
        std::fs::write(checked.join("a"), "what was there").expect("a file");
        let ran = Command::new(&program)
            .current_dir(&at)
            .output()
            .expect("it runs");
        let want = String::from_utf8_lossy(&ran.stdout).into_owned();
        let option = format!("--cflags=-DWANT={want}UL");
        let (code, out, err) = coarsen(&["test", &option, &file], &checked);
        assert_eq!(code, 0, "{text}\n{out}{err}");
        let left = std::fs::read_to_string(checked.join("a"));
        assert_eq!(left.ok().as_deref(), Some("what was there"));
        seen.insert(want);
    }
    assert!(crate::random::enough(seen.len(), 10), "{}", seen.len());
}

/// Name, what each of two threads does, what `main` does in the end, executions, errors.
#[test]
fn the_order_of_calls_is_explored() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("descriptor_orders");
    let found = |name: &str, first: &str, second: &str, end: &str| {
        let text = format!(
            "{HEAD}{LOOK}void *a(void *u) {{ {first} return u; }} void *c(void *u) {{ {second} return u; }}\n\
             int main() {{ pthread_t t, s; f[0] = open(\"x\", O_RDWR | O_CREAT | O_APPEND, 0600);\n\
             go(t, a); go(s, c); end(t); end(s); {end} return 0; }}\n"
        );
        let e = run(&make(&scratch.file(name, &text), &[]), &settings());
        assert!(e.limits.is_empty(), "{name}: {:?}", e.limits);
        let kinds: Vec<_> = e.errors.iter().map(|e| e.kind).take(1).collect();
        (e.executions, kinds)
    };
    let look = "char r[8]; assert(pread(f[0], r, 8, 0) == 2 && r[0] == 'a');";
    for (name, first, second, end, executions, errors) in [
        (
            "two_writes",
            "write(f[0], \"a\", 1);",
            "write(f[0], \"b\", 1);",
            "assert(lseek(f[0], 0, SEEK_END) == 2);",
            2,
            &[][..],
        ),
        (
            "order",
            "write(f[0], \"a\", 1);",
            "write(f[0], \"b\", 1);",
            look,
            2,
            &["assertion"],
        ),
        // Both numbers stand for the same file: what `lseek` and `write` do is torn, what `pwrite` does is not.
        (
            "torn",
            "lseek(f[0], 0, SEEK_SET); read(f[0], b, 1);",
            "write(f[0], \"ab\", 2);",
            "",
            3,
            &[],
        ),
        (
            "other_file",
            "close(open(\"y\", O_WRONLY | O_CREAT, 0600));",
            "close(open(\"z\", O_WRONLY | O_CREAT, 0600));",
            "",
            1,
            &[],
        ),
        (
            "exclusive",
            "f[1] = open(\"l\", O_WRONLY | O_CREAT | O_EXCL, 0600);",
            "f[2] = open(\"l\", O_WRONLY | O_CREAT | O_EXCL, 0600);",
            "assert((f[1] < 0) != (f[2] < 0));",
            2,
            &[],
        ),
        (
            "closed_meanwhile",
            "close(f[0]);",
            "assert(write(f[0], \"a\", 1) == 1);",
            "",
            2,
            &["assertion"],
        ),
    ] {
        assert_eq!(
            found(name, first, second, end),
            (executions, errors.to_vec()),
            "{name}"
        );
    }
}
