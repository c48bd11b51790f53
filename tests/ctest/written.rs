//! Reads of what nobody has written, where they are asked for: known programs, and random ones beside a list of bytes.

use super::formats::{coarsen, validated};
use super::support::{Dice, HEAD, Scratch, make, possible, run, settings};
use coarsen::ctest::compile::Program;
use coarsen::ctest::explore::Settings;
use coarsen::ctest::trace::Extras;
use std::fmt::Write;

/// What is at the outermost level, what the other thread does, what `main` does meanwhile, what is found.
const PROGRAMS: &[(&str, &str, &str, &[&str])] = &[
    ("", "long *p = malloc(8); p[0] = 1; sink = *p;", "", &[]),
    ("", "long *p = malloc(8); sink = *p;", "", &[READ]),
    ("", "long *p = calloc(1, 8); sink = *p;", "", &[]),
    (
        "",
        "long *p = aligned_alloc(64, 64); sink = p[3];",
        "",
        &[READ],
    ),
    (
        "",
        "void *p; posix_memalign(&p, 64, 64); sink = *(long *)p;",
        "",
        &[READ],
    ),
    (
        "",
        "long *p = malloc(8); *p = 1; p = realloc(p, 16); sink = p[0];",
        "",
        &[],
    ),
    (
        "",
        "long *p = malloc(8); *p = 1; p = realloc(p, 16); sink = p[1];",
        "",
        &[READ],
    ),
    // The library's copies are as what they are copies of; others are writes.
    (
        "#include <string.h>\n",
        "long *p = malloc(16), *q = malloc(16); p[1] = 1; memcpy(q, p, 16); sink = q[1];",
        "",
        &[],
    ),
    (
        "#include <string.h>\n",
        "long *p = malloc(16), *q = malloc(16); p[1] = 1; memcpy(q, p, 16); sink = q[0];",
        "",
        &[READ],
    ),
    (
        "struct s { int a; long b; };",
        "struct s *p = malloc(16), *q = malloc(16); *q = *p; sink = q->b;",
        "",
        &[],
    ),
    (
        "struct s { int a; long b; };",
        "struct s *p = malloc(16); p->a = 1; sink = p->b;",
        "",
        &[READ],
    ),
    // Less than four bytes that nobody has written could have been written unseen.
    ("", "char *p = malloc(8); sink = p[3];", "", &[READ]),
    ("", "char *p = malloc(3); sink = p[1];", "", &[]),
    ("", "atomic_int *p = malloc(4); sink = *p;", "", &[READ]),
    ("", "atomic_int *p = malloc(4); (*p)++;", "", &[READ]),
    ("", "atomic_int *p = malloc(4); *p = 0; (*p)++;", "", &[]),
    (
        "",
        "atomic_int *p = malloc(4); int e = 0; atomic_compare_exchange_strong(p, &e, 1);",
        "",
        &[READ],
    ),
    // It depends on the schedule, without a data race.
    (
        "long *q; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
        "long *p = malloc(8); lock(m); q = p; unlock(m); lock(m); *p = 1; unlock(m);",
        "lock(m); if (q) sink = *q; unlock(m);",
        &[READ],
    ),
    (
        "long *q; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
        "long *p = malloc(8); *p = 1; lock(m); q = p; unlock(m);",
        "lock(m); if (q) sink = *q; unlock(m);",
        &[],
    ),
    // Objects that nobody has initialised.
    (
        "",
        "pthread_mutex_t *p = malloc(sizeof *p); lock(*p);",
        "",
        &["mutex"],
    ),
    (
        "",
        "pthread_mutex_t *p = malloc(sizeof *p); pthread_mutex_init(p, 0); lock(*p);",
        "",
        &[],
    ),
    (
        "",
        "pthread_mutex_t *p = calloc(1, sizeof *p); lock(*p);",
        "",
        &[],
    ),
    (
        "",
        "pthread_mutex_t *p = malloc(sizeof *p); *p = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; lock(*p);",
        "",
        &[],
    ),
    (
        "",
        "pthread_cond_t *p = malloc(sizeof *p); pthread_cond_signal(p);",
        "",
        &["condition variable"],
    ),
    (
        "",
        "sem_t *p = malloc(sizeof *p); sem_post(p);",
        "",
        &["semaphore"],
    ),
    (
        "",
        "sem_t *p = malloc(sizeof *p); sem_init(p, 0, 0); sem_post(p);",
        "",
        &[],
    ),
    (
        "",
        "pthread_rwlock_t *p = malloc(sizeof *p); pthread_rwlock_rdlock(p);",
        "",
        &["read-write lock"],
    ),
    (
        "",
        "pthread_barrier_t *p = malloc(sizeof *p); pthread_barrier_wait(p);",
        "",
        &["barrier"],
    ),
    (
        "",
        "pthread_spinlock_t *p = malloc(16); pthread_spin_init(p, 0); pthread_spin_lock(p);",
        "",
        &[],
    ),
    (
        "#include <threads.h>\n",
        "mtx_t *p = malloc(sizeof *p); mtx_lock(p);",
        "",
        &["mutex"],
    ),
    (
        "#include <threads.h>\n",
        "mtx_t *p = malloc(sizeof *p); mtx_init(p, 0); mtx_lock(p);",
        "",
        &[],
    ),
];

const READ: &str = "read of memory that nobody has written";

/// All executions, with what was asked for.
fn watched(uninitialised: bool) -> Settings {
    let extras = Extras {
        uninitialised,
        ..Extras::default()
    };
    Settings {
        extras,
        ..settings()
    }
}

/// Whether one of the first executions reads, or uses, what nobody has written.
pub fn reads_unwritten(program: &Program) -> bool {
    let first = Settings {
        executions: 50,
        ..watched(true)
    };
    let errors = run(program, &first).errors;
    errors
        .iter()
        .any(|e| e.kind == READ || e.message.starts_with("use of an uninitialised "))
}

#[test]
fn what_nobody_has_written_is_not_read() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("written");
    for (i, (outside, other, main, found)) in PROGRAMS.iter().enumerate() {
        let text = format!(
            "{HEAD}{outside}\nvoid *t(void *_) {{ volatile long sink; {other} return 0; }}\n\
             int main() {{ volatile long sink; pthread_t h; go(h, t); {main} end(h); return 0; }}\n"
        );
        let program = make(&scratch.file(&format!("p{i}"), &text), &[]);
        let plain = run(&program, &watched(false));
        let read = |kind: &str| kind == READ;
        assert!(!plain.errors.iter().any(|e| read(e.kind)), "{other}");
        for reset in [true, false] {
            let asked = Settings {
                reset,
                ..watched(true)
            };
            let e = run(&program, &asked);
            let said: Vec<String> = e
                .errors
                .iter()
                .map(|e| match e.kind {
                    "misuse" => e.message.clone(),
                    kind => kind.into(),
                })
                .collect();
            let expected = found.iter().map(|&what| match what {
                READ => READ.into(),
                what => format!("use of an uninitialised {what}"),
            });
            assert_eq!(said, expected.collect::<Vec<String>>(), "{other}");
        }
    }
}

/// A block, as the program would see it: which bytes somebody has written.
struct Block(Vec<bool>);

impl Block {
    fn write(&mut self, at: usize, n: usize) {
        self.0[at..at + n].fill(true);
    }

    /// Whether a read shows that nobody has written it.
    fn is_fresh(&self, at: usize, n: usize) -> bool {
        let fresh = |i: usize| self.0.get(i) == Some(&false);
        let word = at - at % 8;
        let near = (word..word + 8).filter(|&i| fresh(i)).count();
        (at..at + n).all(fresh) && (n >= 4 || near >= 4)
    }

    /// A statement, and whether it reads what nobody has written.
    fn statement(&mut self, dice: &mut Dice) -> (String, bool) {
        let n = self.0.len();
        let long: usize = 1 << dice.roll(4).min(n.ilog2().into());
        let kind = ["char", "short", "int", "long"][long.ilog2() as usize];
        let at = dice.roll((n / long) as u64) as usize * long;
        let length = dice.roll((n - at) as u64 + 1) as usize;
        let place = format!("({kind} *)(p + {at})");
        let atomic = format!("(_Atomic {kind} *)(p + {at})");
        let value = dice.roll(100);
        match dice.roll(12) {
            0 | 1 => {
                self.write(at, long);
                (format!("*{place} = {value};"), false)
            }
            2 => {
                self.write(at, long);
                (format!("atomic_store({atomic}, {value});"), false)
            }
            3 => {
                self.write(at, length);
                (format!("memset(p + {at}, {value}, {length});"), false)
            }
            4 => {
                self.0.copy_within(at..at + length, 0);
                (format!("memmove(p, p + {at}, {length});"), false)
            }
            5 if n - at >= 3 => {
                self.write(at, value.to_string().len() + 1);
                (
                    format!("snprintf(p + {at}, {}, \"%d\", {value});", n - at),
                    false,
                )
            }
            6 if n >= 16 => {
                self.write(8, 8);
                ("strtol(\"1\", (char **)(p + 8), 0);".into(), false)
            }
            7 => {
                let fresh = self.is_fresh(at, long);
                self.write(at, long);
                (format!("atomic_fetch_add({atomic}, 1);"), fresh)
            }
            8 => {
                let fresh = self.is_fresh(at, long);
                let (old, e) = (format!("{kind} e = 0;"), "&e");
                (
                    format!("{{ {old} atomic_compare_exchange_strong({atomic}, {e}, 1); }}"),
                    fresh,
                )
            }
            9 => {
                self.0.resize(n.max(16) + 8, false);
                (format!("p = realloc(p, {});", n.max(16) + 8), false)
            }
            10 => (
                format!("sink = atomic_load({atomic});"),
                self.is_fresh(at, long),
            ),
            _ => (format!("sink = *{place};"), self.is_fresh(at, long)),
        }
    }
}

#[test]
fn random_reads_are_told_as_the_list_of_bytes_says() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("random_reads");
    let mut dice = Dice::seeded(0x0EED_FEED);
    let (mut found, mut clean) = (0, 0);
    for round in 0..crate::random::cases(40) {
        let mut text = format!("{HEAD}#include <string.h>\n");
        let mut expected = Vec::new();
        let threads = 12;
        for i in 0..threads {
            let n = 1 + dice.roll(32) as usize;
            let filled = dice.roll(8) == 0;
            let mut block = Block(vec![filled; n]);
            let call = if filled { "calloc(1, " } else { "malloc(" };
            let _ = writeln!(
                text,
                "void *t{i}(void *_) {{ volatile long sink; char *p = {call}{n});"
            );
            let mut ended = false;
            for _ in 0..12 {
                let (statement, fresh) = block.statement(&mut dice);
                let _ = writeln!(text, "{statement}");
                if fresh && !ended {
                    expected.push(text.lines().count());
                    ended = true;
                }
            }
            clean += usize::from(!ended);
            text.push_str("return 0; }\n");
        }
        found += expected.len();
        text.push_str("int main() { pthread_t h;\n");
        (0..threads).for_each(|i| {
            let _ = writeln!(text, "go(h, t{i});");
        });
        text.push_str("return 0; }\n");
        let file = scratch.file(&format!("r{round}"), &text);
        let name = file.display().to_string();
        let args = [
            "test",
            "--uninitialised",
            "--keep-going",
            "--format",
            "json",
            &name,
        ];
        let (_, out, _) = coarsen(&args, &std::env::temp_dir());
        let value = validated(&out);
        assert_eq!(value["executions"], 1, "{text}");
        let errors = value["errors"].as_array().expect("errors");
        let mut lines: Vec<usize> = errors
            .iter()
            .map(|e| {
                assert_eq!(e["kind"], READ, "{text}");
                let place = e["place"].as_str().expect("a place");
                let line = place.rsplit(':').next().and_then(|n| n.parse().ok());
                line.expect("a line")
            })
            .collect();
        lines.sort_unstable();
        assert_eq!(lines, expected, "{text}");
    }
    assert!(crate::random::enough(found, 40), "{found}");
    assert!(crate::random::enough(clean, 10), "{clean}");
}

/// A trace of such an error is replayed, also under the other spelling.
#[test]
fn an_unwritten_read_is_replayed() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("unwritten_trace");
    let text = format!("{HEAD}int main() {{ int *p = malloc(4); return *p == 1; }}\n");
    let file = scratch.file("p", &text).display().to_string();
    let trace = scratch.0.join("trace.json").display().to_string();
    let args = ["test", "--uninitialized", "--trace", &trace, &file];
    let (code, out, _) = coarsen(&args, &scratch.0);
    assert_eq!(code, 10, "{out}");
    let (code, out, _) = coarsen(&["replay", &trace], &scratch.0);
    assert_eq!(code, 10, "{out}");
    assert!(out.contains(READ), "{out}");
}
