//! Programs of the kinds that others test their tools with: litmus tests and lock-free structures (GenMC, Nidhugg),
//! textbook bugs (SCTBench), and the dialect of SV-COMP. All are written anew.

use super::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const MORE: &str = "#include <string.h>\n#include <unistd.h>\n\
    #define run(n, ...) do { void *(*f_[])(void *) = {__VA_ARGS__}; pthread_t h_[n]; \\\n\
    for (long i_ = 0; i_ < n; i_++) pthread_create(&h_[i_], 0, f_[i_], (void *)i_); \\\n\
    for (long i_ = 0; i_ < n; i_++) pthread_join(h_[i_], 0); } while (0)\n";

/// What programs of SV-COMP begin with.
const SVCOMP: &str = "extern void abort(void);\nvoid reach_error() { assert(0); }\n\
    void assume_abort_if_not(int cond) { if (!cond) { abort(); } }\n#undef assert\n\
    #define assert(X) if (!(X)) { ERROR: { reach_error(); abort(); } }\n\
    extern int __VERIFIER_nondet_int(void);\n\
    extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\n";

/// All that an exploration says.
fn said(e: &Exploration) -> String {
    let errors: Vec<_> = e
        .errors
        .iter()
        .map(|e| (e.kind, &e.message, e.pc, schedule_of(e)))
        .collect();
    let races: Vec<_> = e.races.iter().map(|r| (r.places, r.steps.len())).collect();
    let counts = [
        e.executions,
        e.waited,
        e.redundant,
        e.assumed,
        e.cut,
        e.steps,
    ];
    format!("{counts:?} {errors:?} {races:?} {:?}", e.limits)
}

fn schedule_of(error: &coarsen::ctest::findings::Found) -> Vec<(u16, u16)> {
    error.steps.iter().map(|s| (s.thread, s.choice)).collect()
}

#[test]
fn programs_of_others() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("foreign");
    let (errors, held) = (Mutex::new(String::new()), Mutex::new(Held::default()));
    let cases = cases(include_str!("foreign.txt"));
    let next = AtomicUsize::new(0);
    let check = |case: &Case| {
        let dialect = if case.name.starts_with("sv_") {
            SVCOMP
        } else {
            ""
        };
        let text = format!("{HEAD}{MORE}{dialect}{}", case.text);
        let program = make(&scratch.file(case.name, &text), &[]);
        let with = |cores| {
            let settings = Settings {
                cores,
                ..settings()
            };
            run(&program, &settings)
        };
        let one = with(1);
        let mut found = wrong(case, &program, &one).unwrap_or_default();
        // Two cores say the same, down to the schedules.
        if said(&one) != said(&with(2)) {
            found += &format!("{}: on two cores\n", case.name);
        }
        // `array[ai] = 1` with one `ai` for all threads.
        if written::reads_unwritten(&program) != (case.name == "sv_sigma") {
            found += &format!("{}: what nobody has written\n", case.name);
        }
        let mut own = Held::default();
        own.hold((case.name, &program), &one, true);
        if let Ok(mut held) = held.lock() {
            held.add(own);
        }
        if let Ok(mut errors) = errors.lock() {
            errors.push_str(&found);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    match cases.get(n) {
                        Some(case) if crate::random::picked(n) => check(case),
                        Some(_) => {}
                        None => return,
                    }
                }
            });
        }
    });
    let errors = errors.into_inner().expect("nobody panicked");
    assert!(errors.is_empty(), "{errors}");
    assert_eq!(cases.len(), 99);
    held.into_inner().expect("nobody panicked").finish(10);
}
