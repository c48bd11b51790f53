//! Programs that misbehave: each gets a clear verdict, and the tool survives.

use super::*;

/// What is expected: an error of this kind, nothing, or a limit that says so.
enum Expect {
    Error(&'static str),
    Holds(u64),
    Limit(&'static str),
    Uncontrolled(&'static str),
}
use Expect::{Error, Holds, Limit, Uncontrolled};

const MORE: &str = "#include <alloca.h>\n#include <math.h>\n#include <string.h>\n#include <unistd.h>\n\
    #define main_with(f) int main() { pthread_t h; go(h, f); end(h); return 0; }\n";

const PROGRAMS: &[(&str, &str, Expect)] = &[
    (
        "a_handler_at_the_end_of_a_thread",
        "int x; void f(void *_) { x = 1; } void *t(void *_) { pthread_cleanup_push(f, 0); pthread_exit(0); \
         pthread_cleanup_pop(0); return 0; } main_with(t)",
        Limit("cleanup handler"),
    ),
    (
        "memory_of_a_function_that_is_not_known",
        "char *realpath(const char *, char *); int main() { char *p = realpath(\"/\", 0); assert(*p == '/'); free(p); \
         return 0; }",
        Uncontrolled("`realpath`"),
    ),
    (
        "a_robust_mutex",
        "int pthread_mutexattr_setrobust(pthread_mutexattr_t *, int); int main() { pthread_mutexattr_t a; \
         pthread_mutexattr_init(&a); pthread_mutexattr_setrobust(&a, 1); return 0; }",
        Limit("robust"),
    ),
    (
        "ends_with_a_message",
        "void errx(int, const char *, ...); int main() { errx(1, \"%d is bad\", 3); assert(0); }",
        Holds(1),
    ),
    (
        "crash_in_a_thread",
        "void *t(void *_) { *(volatile int *)8 = 1; return 0; } main_with(t)",
        Error("crash"),
    ),
    (
        "division_by_zero",
        "int z; void *t(void *_) { return (void *)(long)(5 / z); } main_with(t)",
        Error("crash"),
    ),
    (
        "call_of_nothing",
        "int main() { void (*f)(void) = 0; f(); }",
        Error("crash"),
    ),
    (
        "abort_in_a_thread",
        "void *t(void *_) { abort(); } main_with(t)",
        Error("abort"),
    ),
    (
        "own_stack_overwritten",
        "void f(char *p) { memset(p, 65, 4096); } void *t(void *_) { char b[8]; f(b); return 0; } main_with(t)",
        Error("crash"),
    ),
    (
        "exit_of_one_before_the_other",
        "int x; void *t(void *_) { exit(0); } void *u(void *_) { x = 1; assert(x == 2); return 0; } int main() { \
         pthread_t h, g; go(h, t); go(g, u); end(h); return 0; }",
        Error("assertion"),
    ),
    (
        "nothing_for_ever",
        "int main() { for (;;); }",
        Limit("computes for long"),
    ),
    (
        "counting_for_ever",
        "void *t(void *_) { for (volatile int i = 0;; i++); } main_with(t)",
        Limit("computes for long"),
    ),
    (
        "steps_for_ever",
        "volatile int x; void *t(void *_) { for (;;) x++; } main_with(t)",
        Limit("steps in one execution"),
    ),
    (
        "deep_recursion_that_ends",
        "int f(int n) { return n == 0 ? 0 : 1 + f(n - 1); } int main() { return f(100000) != 100000; }",
        Holds(1),
    ),
    (
        "endless_recursion",
        "int f(int n) { char b[100]; b[0] = n; return f(n + 1) + b[0]; } void *t(void *_) { return (void *)(long)f(0); \
         } main_with(t)",
        Error("stack overflow"),
    ),
    (
        "stack_filled_bit_by_bit",
        "void *t(void *_) { for (int i = 0; i < 1000; i++) { char *p = alloca(1 << 16); p[0] = 1; } return 0; } \
         main_with(t)",
        Error("stack overflow"),
    ),
    (
        "stack_filled_at_once",
        "void *t(void *_) { char *p = alloca(64 << 20); p[0] = 1; return p; } main_with(t)",
        Error("stack overflow"),
    ),
    (
        "gigabytes",
        "int main() { for (int i = 0; i < 10; i++) { char *p = malloc(1 << 30); memset(p, 1, 1 << 24); } }",
        Limit("--limit-memory"),
    ),
    (
        "more_than_there_is",
        "int main() { char *p = malloc((size_t)1 << 60); assert(!p && errno == ENOMEM); return 0; }",
        Holds(1),
    ),
    (
        "a_lot_of_static_data",
        "static char big[200 << 20]; int main() { big[5] = 1; return big[6]; }",
        Holds(1),
    ),
    (
        "prints_a_lot",
        "int main() { for (int i = 0; i < 3000000; i++) printf(\"line %d of a long output that goes on and on for ever \
         and ever, and then some more\\n\", i); return 0; }",
        Holds(1),
    ),
    (
        "main_returns_before_others",
        "int x; void *t(void *_) { x = 1; assert(x == 2); return 0; } int main() { pthread_t h; go(h, t); return 0; }",
        Error("assertion"),
    ),
    (
        "main_ends_as_a_thread",
        "void *t(void *_) { return 0; } int main() { pthread_t h; go(h, t); pthread_exit(0); }",
        Holds(1),
    ),
    (
        "two_hundred_threads",
        "int x; pthread_mutex_t m; void *t(void *_) { lock(m); x++; unlock(m); return 0; } int main() { pthread_t \
         h[200]; for (int i = 0; i < 200; i++) { go(h[i], t); end(h[i]); } assert(x == 200); return 0; }",
        Holds(1),
    ),
    (
        "two_hundred_at_once",
        "void *t(void *_) { return 0; } int main() { pthread_t h[200]; for (int i = 0; i < 200; i++) go(h[i], t); for \
         (int i = 0; i < 200; i++) end(h[i]); return 0; }",
        Holds(1),
    ),
    (
        "three_hundred_threads",
        "void *t(void *_) { return 0; } int main() { pthread_t h; for (int i = 0; i < 300; i++) { go(h, t); end(h); } \
         return 0; }",
        Limit("at most 5 threads"),
    ),
    (
        "output_closed",
        "int main() { fclose(stdout); close(2); printf(\"x\"); return 0; }",
        Holds(1),
    ),
    (
        "everything_closed",
        "int main() { for (int i = 0; i < 200; i++) close(i); return 0; }",
        Holds(1),
    ),
    (
        "a_number_that_we_do_not_know",
        "int memfd_create(const char *, unsigned); int main() { int d = memfd_create(\"m\", 0); \
         assert(write(d, \"x\", 1) == 1 && close(d) == 0 && close(d) == -1); return 0; }",
        Uncontrolled("`memfd_create`"),
    ),
    (
        "the_numbers_of_the_runtime",
        "int main() { for (int i = 3; i < 7; i++) assert(write(i, \"x\", 1) == -1 && close(i) == -1); return 0; }",
        Holds(1),
    ),
    (
        "floating_point",
        "double d; void *t(void *_) { double x = 1.5; for (int i = 0; i < 3; i++) x = x * 1.1 + sqrt(x); d = x; \
         printf(\"%f %e\\n\", d, x); return 0; } int main() { pthread_t h; double y = sin(0.5); go(h, t); end(h); \
         assert(d > 1 && y > 0.47 && y < 0.48); return 0; }",
        Holds(1),
    ),
    (
        "sorting_calls_back",
        "int a[6] = {3, 1, 2, 6, 5, 4}, n; int f(const void *p, const void *q) { n++; return *(int *)p - *(int *)q; } \
         void *t(void *_) { n++; return 0; } int main() { pthread_t h; qsort(a, 6, sizeof(int), f); for (int i = 0; i \
         < 6; i++) assert(a[i] == i + 1); int k = 4; assert(bsearch(&k, a, 6, sizeof(int), f) == a + 3); go(h, t); \
         end(h); return 0; }",
        Holds(1),
    ),
    (
        "comparison_races",
        "int a[2] = {2, 1}, n; int f(const void *p, const void *q) { n = 1; return *(int *)p - *(int *)q; } void \
         *t(void *_) { qsort(a, 2, sizeof(int), f); return 0; } int main() { pthread_t h; go(h, t); int r = n; end(h); \
         assert(r == 0); return 0; }",
        Error("assertion"),
    ),
    (
        "copies_are_seen",
        "char a[16], b[16] = \"hello\"; void *t(void *_) { memcpy(a, b, 6); return 0; } int main() { pthread_t h; \
         go(h, t); char c = a[0]; end(h); assert(c == 0); return 0; }",
        Error("assertion"),
    ),
    (
        "strings_are_seen",
        "char a[16]; void *t(void *_) { strcpy(a, \"xyz\"); return 0; } int main() { pthread_t h; go(h, t); int n = \
         strlen(a); end(h); assert(n == 0); return 0; }",
        Error("assertion"),
    ),
    (
        "formatted_text_is_seen",
        "char a[16]; void *t(void *_) { sprintf(a, \"%d%s%.1f\", 4, \"2\", 1.5); return 0; } int main() { pthread_t h; \
         go(h, t); int n = atoi(a); end(h); assert(!strcmp(a, \"421.5\")); assert(n != 421); return 0; }",
        Error("assertion"),
    ),
    (
        "structures_are_seen",
        "struct { int a[10]; } s, r; void *t(void *_) { s = *(__typeof__(s) *)&r; return 0; } int main() { pthread_t \
         h; r.a[5] = 7; go(h, t); __typeof__(s) l = s; end(h); assert(l.a[5] == 0); return 0; }",
        Error("assertion"),
    ),
    (
        "errno_is_each_threads_own",
        "void *t(void *_) { errno = 5; return 0; } int main() { pthread_t h; errno = 3; go(h, t); end(h); assert(errno \
         == 3); return 0; }",
        Holds(1),
    ),
    (
        "environment",
        "int main() { char *h = getenv(\"HOME\"); assert(!h || h[0]); setenv(\"X\", \"1\", 1); return 0; }",
        Uncontrolled("`setenv`"),
    ),
    (
        "never_initialised",
        "atomic_int x; int f(void) { int a[64]; return a[13] & 1; } void *t(void *_) { x = f() ? 1 : 2; return 0; } \
         int main() { pthread_t h; go(h, t); t(0); end(h); return 0; }",
        Holds(2),
    ),
    (
        "its_own_number",
        "atomic_int x; void *t(void *_) { x = getpid() % 2; return 0; } int main() { pthread_t h; go(h, t); t(0); \
         end(h); return 0; }",
        Holds(2),
    ),
    (
        "what_addresses_are",
        "atomic_int x; void *t(void *_) { void *p = malloc(8); x = ((long)p >> 4) & 1; return 0; } int main() { \
         pthread_t h; go(h, t); t(0); end(h); return 0; }",
        Holds(2),
    ),
    (
        "what_differs_each_time",
        "atomic_int x; int r; void *t(void *_) { x = r; return 0; } int main() { \
         r = __builtin_ia32_rdtsc(); pthread_t h; go(h, t); t(0); end(h); return 0; }",
        Limit("does not do the same"),
    ),
    (
        "a_device",
        "int open(const char *, int, ...); int main() { return open(\"/dev/urandom\", 0) == -1; }",
        Limit("a file that is no data on disk"),
    ),
];

#[test]
fn programs_that_misbehave() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("robust");
    for (name, text, expect) in PROGRAMS {
        let program = make(&scratch.file(name, &format!("{HEAD}{MORE}{text}")), &[]);
        // What comes to its end may take as long as it takes.
        let patience = match expect {
            Holds(_) => settings().patience,
            _ => Duration::from_millis(300),
        };
        let settings = Settings {
            keep_going: false,
            patience,
            ..settings()
        };
        let e = run(&program, &settings);
        let kind = e.errors.first().map(|e| e.kind);
        let is = |what: &str, said: &[String]| said.iter().any(|s| s.contains(what));
        let right = match expect {
            Error(wanted) => kind == Some(wanted),
            Holds(n) => {
                kind.is_none()
                    && e.finished
                    && e.limits.is_empty()
                    && e.executions == *n
                    && program.uncontrolled.is_empty()
            }
            Limit(what) => kind.is_none() && is(what, &e.limits),
            Uncontrolled(what) => kind.is_none() && is(what, &program.uncontrolled),
        };
        assert!(
            right,
            "{name}: {kind:?}, {} executions, {:?} {:?}",
            e.executions, e.limits, program.uncontrolled
        );
    }
}

/// What POSIX allows to go wrong, where it is asked for: a wait that ends without a signal, an allocation that fails.
#[test]
fn spurious_wake_ups_and_failing_allocations_are_explored() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("allowed");
    let waits = |how: &str| {
        format!(
            "{HEAD}int full; pthread_mutex_t m; pthread_cond_t c;\n\
             void *t(void *_) {{ lock(m); full = 1; pthread_cond_signal(&c); unlock(m); return 0; }}\n\
             int main() {{ pthread_t h; go(h, t); lock(m); {how} (!full) pthread_cond_wait(&c, &m); assert(full);\n\
             unlock(m); end(h); return 0; }}\n"
        )
    };
    let takes = |check: &str| {
        format!(
            "{HEAD}#include <string.h>\nstatic int *take(void) {{ int *p = malloc(4); {check} *p = 1; return p; }}\n\
             void *t(void *_) {{ free(take()); return 0; }}\n\
             int main() {{ pthread_t h; go(h, t); free(take()); end(h);\n\
             char *s = strdup(\"a\"); free(s); return 0; }}\n"
        )
    };
    let usual = settings();
    let spurious = Settings {
        extras: Extras {
            spurious: true,
            ..Extras::default()
        },
        ..settings()
    };
    let oom = Settings {
        extras: Extras {
            oom: true,
            ..Extras::default()
        },
        ..settings()
    };
    for (name, text, settings, executions, kinds) in [
        ("if", waits("if"), &usual, 2, &[][..]),
        ("if", waits("if"), &spurious, 3, &["assertion"]),
        ("while", waits("while"), &usual, 2, &[]),
        ("while", waits("while"), &spurious, 3, &[]),
        ("unchecked", takes(""), &usual, 1, &[]),
        // Each of the two threads crashes or not, and where T0 does not, one more allocation may fail.
        ("unchecked", takes(""), &oom, 6, &["crash"]),
        ("checked", takes("if (!p) return 0;"), &usual, 1, &[]),
        // Each of the two threads fails at none or one of its allocations: two ways, and three.
        ("checked", takes("if (!p) return 0;"), &oom, 6, &[]),
    ] {
        let program = make(&scratch.file(name, &text), &[]);
        let e = run(&program, settings);
        let found: Vec<_> = e.errors.iter().map(|e| e.kind).collect();
        assert_eq!(
            (e.executions, found.as_slice()),
            (executions, kinds),
            "{name}"
        );
    }
    let program = make(
        &scratch.file(
            "aligned",
            &format!("{HEAD}int main() {{ return !aligned_alloc(48, 96); }}\n"),
        ),
        &[],
    );
    let e = run(&program, &usual);
    assert_eq!(
        (e.errors[0].kind, e.errors[0].message.as_str()),
        ("misuse", "alignment that is no power of two")
    );
}

/// What is lost at the end of an execution, where that is asked for; what can still be reached is not.
#[test]
fn leaks_are_found() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("leaks");
    let leaks = Settings {
        extras: Extras {
            leaks: true,
            ..Extras::default()
        },
        ..settings()
    };
    for (name, before, inside, lost) in [
        ("lost", "", "malloc(8);", true),
        ("freed", "", "free(malloc(8));", false),
        ("kept", "void *kept;", "kept = malloc(8);", false),
        (
            "inside",
            "char *kept;",
            "kept = (char *) malloc(8) + 3;",
            false,
        ),
        (
            "chained",
            "struct s { struct s *n; } *kept;",
            "kept = malloc(8); kept->n = malloc(8); kept->n->n = calloc(1, 8);",
            false,
        ),
        (
            "cut",
            "struct s { struct s *n; } *kept;",
            "kept = malloc(8); kept->n = malloc(8); kept->n->n = calloc(1, 8); free(kept); kept = 0;",
            true,
        ),
        (
            "replaced",
            "void *kept;",
            "kept = malloc(8); kept = malloc(9);",
            true,
        ),
        (
            "raced",
            "_Atomic(void *) kept;",
            "if (!kept) kept = malloc(8);",
            true,
        ),
    ] {
        let text = format!(
            "{HEAD}{before}\nvoid use(void) {{ {inside} }}\nvoid *t(void *_) {{ use(); return 0; }}\n\
             int main() {{ pthread_t h; go(h, t); use(); end(h); return 0; }}\n"
        );
        // Both threads do it where that is what loses a block.
        let text = match name {
            "raced" => text,
            _ => text.replace("go(h, t); use();", "go(h, t);"),
        };
        let program = make(&scratch.file(name, &text), &[]);
        assert!(run(&program, &settings()).errors.is_empty(), "{name}");
        let e = run(&program, &leaks);
        let kinds: Vec<_> = e.errors.iter().map(|e| e.kind).collect();
        let expected: &[&str] = if lost { &["memory leak"] } else { &[] };
        assert_eq!(
            kinds.iter().take(1).copied().collect::<Vec<_>>(),
            expected,
            "{name}"
        );
    }
    let text = format!(
        "{HEAD}pthread_barrier_t b; void *t(void *_) {{ pthread_barrier_wait(&b); return 0; }}\n\
         int main() {{ pthread_t h; pthread_barrier_init(&b, 0, 2); go(h, t); sched_yield();\n\
         pthread_barrier_destroy(&b); return 0; }}\n"
    );
    let e = run(&make(&scratch.file("barrier", &text), &[]), &settings());
    let said: Vec<_> = e
        .errors
        .iter()
        .map(|e| (e.kind, e.message.as_str()))
        .collect();
    assert!(
        said.contains(&("misuse", "destruction of a barrier at which threads wait")),
        "{said:?}"
    );
}
