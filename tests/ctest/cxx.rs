//! Programs in C++: threads, exceptions, virtual calls, containers. Those in `tests/ctest/cxx/` are right, and each has
//! a mistake with `BUG`; so much of the library as we write anew is held against arrays in `containers.cpp`.

use super::formats::coarsen;
use super::{Scratch, make, run, settings};
use crate::missing;
use coarsen::ctest::compile::{NotBuilt, Program, Sources, build};
use coarsen::ctest::explore::{Exploration, Settings};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether programs in C++ can be built here; says so if not.
fn possible() -> bool {
    super::possible() && missing::tools(&["g++"])
}

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/ctest/cxx/{name}.cpp"))
}

fn wide() -> Settings {
    Settings {
        steps: 100_000,
        ..settings()
    }
}

fn built(file: &Path, flags: &[&str]) -> Program {
    let program = make(file, &[&["-std=c++17"], flags].concat());
    let uncontrolled = &program.uncontrolled;
    assert!(
        uncontrolled.is_empty(),
        "{}: {uncontrolled:?}",
        file.display()
    );
    program
}

/// All executions of a program that is right, or may be.
fn explored(file: &Path) -> Exploration {
    let e = run(&built(file, &[]), &wide());
    let complete = e.finished && e.limits.is_empty() && e.refused.is_none();
    assert!(
        complete,
        "{}: {:?} {:?}",
        file.display(),
        e.limits,
        e.refused
    );
    e
}

/// Executions up to the first error. Behind a mistake anything may happen, such as loops without an end.
fn up_to_an_error(file: &Path, flags: &[&str]) -> Exploration {
    let first = Settings {
        keep_going: false,
        ..settings()
    };
    run(&built(file, flags), &first)
}

/// The kinds of errors and what is said of them, and whether there are data races.
fn wrong(e: &Exploration) -> (Vec<String>, bool) {
    let each = e.errors.iter().map(|f| format!("{} {}", f.kind, f.message));
    (each.collect(), !e.races.is_empty())
}

#[test]
fn right_programs_are_right() {
    if !possible() {
        return;
    }
    for (name, executions) in [
        ("cache", 4),
        ("containers", 1),
        ("deque", 12),
        ("future", 5),
        ("logger", 12),
        ("pool", 192),
        ("shapes", 3),
    ] {
        let e = explored(&shipped(name));
        assert_eq!(wrong(&e), (Vec::new(), false), "{name}");
        assert_eq!((e.executions, e.redundant), (executions, 0), "{name}");
    }
}

#[test]
fn mistakes_are_found() {
    if !possible() {
        return;
    }
    for (name, what, races) in [
        ("cache", "assertion ours == theirs", true),
        ("deque", "crash access through a null pointer", true),
        (
            "future",
            "abort nobody catches an exception of type std::runtime_error",
            false,
        ),
        ("logger", "assertion made == 1", true),
        ("pool", "deadlock", false),
        ("shapes", "use after free", true),
    ] {
        let e = up_to_an_error(&shipped(name), &["-DBUG"]);
        let (errors, raced) = wrong(&e);
        assert!(
            errors.iter().any(|e| e.starts_with(what)),
            "{name}: {errors:?}"
        );
        assert_eq!(raced, races, "{name}");
    }
}

/// What waits at addresses, and is destroyed with its thread.
#[test]
fn waits_of_the_later_library_are_seen() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("cxx-later");
    for (n, (header, main, wrong_by)) in [
        ("latch", "std::latch l(1); std::thread t([&] { l.count_down(); }); l.wait(); t.join();", None),
        (
            "barrier",
            "std::barrier b(2); std::thread t([&] { b.arrive_and_wait(); }); b.arrive_and_wait(); t.join();",
            None,
        ),
        (
            "semaphore",
            "int x = 0; std::binary_semaphore s(0); std::thread t([&] { x = 1; s.release(); }); s.acquire(); \
             assert(x == 1); t.join();",
            None,
        ),
        (
            "stop_token",
            "int x = 0; { std::jthread t([&](std::stop_token s) { while (!s.stop_requested()) \
             std::this_thread::yield(); x = 1; }); } assert(x == 1);",
            None,
        ),
        (
            "atomic",
            "std::atomic<int> x{0}; auto f = [&] { x.wait(0); }; std::thread t(f), u(f); x = 1; x.notify_all(); \
             t.join(); u.join();",
            None,
        ),
        (
            "atomic",
            "std::atomic<int> x{0}; auto f = [&] { x.wait(0); }; std::thread t(f), u(f); x = 1; x.notify_one(); \
             t.join(); u.join();",
            Some("deadlock"),
        ),
        (
            "atomic",
            "static std::atomic<int> gone{0}; struct S { int n = 1; ~S() { gone += n; } }; std::thread t([] { \
             static thread_local S s; s.n = 2; }); t.join(); assert(gone == 2);",
            None,
        ),
        (
            "atomic",
            "static std::atomic<int> gone{0}; struct S { int n = 1; ~S() { gone += n; } }; std::thread t([] { \
             static thread_local S s; s.n = 2; }); assert(gone == 0); t.join();",
            Some("assertion gone == 0"),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let file = scratch.0.join(format!("{n}.cpp"));
        let text = format!(
            "#include <{header}>\n#include <cassert>\n#include <thread>\nint main() {{ {main} }}\n"
        );
        std::fs::write(&file, text).expect("written");
        let program = built(&file, &["-std=c++20"]);
        let (errors, _) = wrong(&run(&program, &settings()));
        match wrong_by {
            None => assert!(errors.is_empty(), "{main}: {errors:?}"),
            Some(what) => assert!(errors.iter().any(|e| e.starts_with(what)), "{main}: {errors:?}"),
        }
    }
}

/// The tests are right themselves: natively they say the same.
#[test]
fn right_programs_run_outside() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("cxx-outside");
    for name in [
        "cache",
        "containers",
        "deque",
        "future",
        "logger",
        "pool",
        "shapes",
    ] {
        let program = scratch.0.join(name);
        let mut compiler = Command::new("g++");
        compiler.args(["-std=c++17", "-pthread"]).arg(shipped(name));
        assert!(
            compiler
                .arg("-o")
                .arg(&program)
                .status()
                .expect("g++")
                .success()
        );
        let output = Command::new(&program).output().expect("it runs");
        assert!(output.status.success(), "{name}: {output:?}");
    }
}

/// A program in C++ has as many executions as the same in C.
#[test]
fn as_many_executions_as_in_c() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("cxx-as-c");
    let head = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\npthread_mutex_t m; \
        pthread_cond_t c; typedef void *P;\n";
    let c_main = |threads: &[&str]| {
        let each = |(n, t): (usize, &&str)| format!("pthread_create(&h[{n}], 0, {t}, 0);");
        let created: String = threads.iter().enumerate().map(each).collect();
        let joined = "for (int i = 0; i < n; i++) pthread_join(h[i], 0);";
        let n = threads.len();
        format!("int main() {{ enum {{ n = {n} }}; pthread_t h[n]; {created} {joined} }}")
    };
    let cxx_main = |threads: &[&str]| {
        let each = threads.iter().map(|t| format!("std::thread({t}), "));
        let created: String = each.collect();
        format!("int main() {{ std::thread h[] = {{ {created} }}; for (auto &t : h) t.join(); }}")
    };
    let headers = [
        "atomic",
        "condition_variable",
        "forward_list",
        "mutex",
        "thread",
    ];
    let headers = headers.map(|h| format!("#include <{h}>\n")).concat();
    for (n, (c, cxx, threads, executions)) in [
        (
            "int x; P t(P a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }",
            "std::mutex m; int x; void t() { std::lock_guard<std::mutex> l(m); x++; }",
            &["t", "t", "t"][..],
            6,
        ),
        (
            "atomic_int x, y; int r[2]; P f(P p) { x = 1; r[0] = y; return 0; } P g(P p) { y = 1; r[1] = x; \
             return 0; } P k(P p) { int t = x; atomic_compare_exchange_strong(&x, &t, t + 2); return 0; }",
            "std::atomic<int> x, y; int r[2]; void f() { x = 1; r[0] = y; } void g() { y = 1; r[1] = x; } \
             void k() { int t = x; x.compare_exchange_strong(t, t + 2); }",
            &["f", "g", "k"],
            12,
        ),
        (
            "int n; P p(P a) { pthread_mutex_lock(&m); n++; pthread_cond_signal(&c); pthread_mutex_unlock(&m); \
             return 0; } P q(P a) { pthread_mutex_lock(&m); while (!n) pthread_cond_wait(&c, &m); n--; \
             pthread_mutex_unlock(&m); return 0; }",
            "std::mutex m; std::condition_variable c; int n; void p() { std::lock_guard<std::mutex> l(m); n++; \
             c.notify_one(); } void q() { std::unique_lock<std::mutex> l(m); c.wait(l, [] { return n > 0; }); n--; }",
            &["p", "p", "q", "q"],
            60,
        ),
        (
            "struct N { struct N *next; } *head; P t(P a) { for (int i = 0; i < 2; i++) { struct N *x = \
             malloc(sizeof *x); pthread_mutex_lock(&m); x->next = head; head = x; \
             pthread_mutex_unlock(&m); } return 0; }",
            "std::forward_list<int> list; std::mutex m; void t() { for (int i = 0; i < 2; i++) { \
             std::lock_guard<std::mutex> l(m); list.push_front(i); } }",
            &["t", "t"],
            6,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        for (name, text) in [
            (format!("{n}.c"), format!("{head}{c}\n{}\n", c_main(threads))),
            (format!("{n}.cpp"), format!("{headers}{cxx}\n{}\n", cxx_main(threads))),
        ] {
            let file = scratch.0.join(&name);
            std::fs::write(&file, text).expect("written");
            let e = run(&make(&file, &[]), &settings());
            assert_eq!(wrong(&e), (Vec::new(), false), "{name}");
            assert_eq!(e.executions, executions, "{name}");
        }
    }
}

/// What two threads do to a container without a lock is a data race, whichever functions of the library do it.
#[test]
fn accesses_of_the_library_are_seen() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("cxx-library");
    for (n, (header, declared, does)) in [
        ("list", "std::list<int> x", "x.push_back(1)"),
        ("set", "std::set<int> x", "x.insert(1)"),
        (
            "string",
            "std::string x = \"long enough not to be inside\"",
            "x += 'a'",
        ),
        ("unordered_set", "std::unordered_set<int> x", "x.insert(1)"),
        ("vector", "std::vector<int> x(1)", "x.push_back(1)"),
        ("memory", "auto x = std::make_shared<int>()", "x = nullptr"),
        (
            "memory",
            "struct B { virtual ~B() {} }; struct D : B {}; D d; B *x = &d",
            "x = dynamic_cast<D *>(x)",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        for locked in [false, true] {
            let does = match locked {
                true => format!("std::lock_guard<std::mutex> lock(m); {does}"),
                false => does.to_string(),
            };
            let file = scratch.0.join(format!("{n}{locked}.cpp"));
            let text = format!(
                "#include <{header}>\n#include <mutex>\n#include <thread>\nint main() {{ std::mutex m; {declared};\n\
                 auto does = [&] {{ {does}; }}; std::thread other(does); does(); other.join(); }}\n"
            );
            std::fs::write(&file, text).expect("written");
            let e = match locked {
                true => explored(&file),
                false => up_to_an_error(&file, &[]),
            };
            let (errors, races) = wrong(&e);
            assert_eq!(races, !locked, "{header}: {errors:?}");
            assert!(!locked || errors.is_empty(), "{header}: {errors:?}");
        }
    }
}

/// What ends a program, and what it may not use.
#[test]
fn ends_and_refusals() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("cxx-ends");
    let file = |name: &str, text: &str| {
        let file = scratch.0.join(format!("{name}.cpp"));
        std::fs::write(&file, text).expect("written");
        file
    };
    for (name, text, what) in [
        (
            "left",
            "#include <thread>\nint main() { std::thread t([] {}); }",
            "abort std::terminate",
        ),
        (
            "global",
            "#include <cassert>\nint n; struct S { ~S() { assert(n == 2); } } s; int main() { n = 3; }",
            "assertion n == 2",
        ),
        (
            "freed",
            "#include <thread>\nint main() { int *p = new int; std::thread t([=] { delete p; }); delete p; t.join(); }",
            "double free",
        ),
    ] {
        let (errors, _) = wrong(&up_to_an_error(&file(name, text), &[]));
        assert!(
            errors.iter().any(|e| e.starts_with(what)),
            "{name}: {errors:?}"
        );
    }
    let sources = |file: &Path| Sources {
        files: vec![file.display().to_string()],
        cflags: vec![],
        compiler: None,
    };
    let text = "#include <iostream>\nint main(int n, char **) { int x; if (n > 1) std::cin >> x; }";
    match build(&sources(&file("in", text))) {
        Err(NotBuilt::Refused(why)) => {
            assert!(why.contains("`std::cin` of C++'s library"), "{why}")
        }
        other => panic!("{other:?}"),
    }
    let text = "#include <random>\nint main() { std::random_device d; return d() == 0; }";
    let program = make(&file("random", text), &[]);
    let (why, pc) = run(&program, &wide()).refused.expect("random_device");
    assert!(why.contains("std::random_device::") && pc != 0, "{why}");
}

/// Steps of the library are told where the program has called it.
#[test]
fn executions_are_told_where_the_program_is() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("cxx-told");
    let text = "#include <atomic>\n#include <cassert>\n#include <thread>\nstd::atomic<int> x;\nvoid add()\n{\n    int \
        t = x.load();\n    x.store(t + 1);\n}\nint main()\n{\n    std::thread one(add), other(add);\n    \
        one.join();\n    other.join();\n    assert(x == 2);\n}\n";
    std::fs::write(scratch.0.join("add.cpp"), text).expect("written");
    let (code, told, _) = coarsen(&["test", "add.cpp"], &scratch.0);
    assert_eq!(code, 10, "{told}");
    for line in [
        "add.cpp:15 in T0",
        "7 int t = x.load();",
        "8 x.store(t + 1);",
        "13 one.join();",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(
        !told.contains("/usr/") && !told.contains("coarsen_cxx"),
        "{told}"
    );
}

/// A number that only a handler looks at, thrown past one and two frames.
const HANDLED: &[(&str, bool)] = &[
    ("try { thrown(); } catch (int) { assert(x != 5); }", true),
    ("try { through(); } catch (int) { assert(x != 5); }", true),
    (
        "try { thrown(); } catch (int) { x = 1; } assert(x == 1);",
        false,
    ),
    (
        "int y = 5; try { thrown(); y = x; } catch (int) { } assert(y == 5);",
        false,
    ),
    ("if (caught()) assert(x != 5);", true),
];

#[test]
fn numbers_that_a_handler_looks_at() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("cxx-handlers");
    for (i, (body, wrong)) in HANDLED.iter().enumerate() {
        let text = format!(
            "#include <cassert>\nextern \"C\" int __VERIFIER_nondet_int(void);\nvoid thrown() {{ throw 1; }}\n\
             void through() {{ int z = 3; thrown(); z++; }}\n\
             bool caught() {{ try {{ thrown(); }} catch (int) {{ return true; }} return false; }}\n\
             int main() {{ int x = __VERIFIER_nondet_int(); {body} return 0; }}\n"
        );
        let file = scratch.0.join(format!("{i}.cpp"));
        std::fs::write(&file, text).expect("a file");
        let e = run(&built(&file, &[]), &wide());
        let kinds: Vec<&str> = e.errors.iter().map(|e| e.kind).collect();
        assert_eq!(kinds.contains(&"assertion"), *wrong, "{body}: {kinds:?}");
    }
}

#[test]
fn waits_that_count_are_waits_in_templates_too() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("cxx-counting");
    let with = |counts: &str| {
        let text = format!(
            "#include <atomic>\n#include <mutex>\n#include <thread>\nstd::atomic<bool> ready; int data; std::mutex m;\n\
             template <class T> void wait(T &flag) {{ int n = 1; while (!flag.load()) {{ {counts} }} }}\n\
             int main() {{ std::thread t([] {{ long n = 1; wait(ready); for (;;) {{ std::unique_lock<std::mutex> \
             lock(m); if (data) break; lock.unlock(); {counts} }} }}); ready = true; m.lock(); data = 1; \
             m.unlock(); t.join(); }}\n"
        );
        let file = scratch.0.join("counting.cpp");
        std::fs::write(&file, text).expect("a file");
        let e = explored(&file);
        (e.executions, e.waited, e.errors.len())
    };
    for counts in ["", "n++;", "n *= 2;"] {
        assert_eq!(with(counts), (6, 4, 0), "{counts}");
    }
}
