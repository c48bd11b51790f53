//! Random values for all tests, unit tests and benchmarks: the same in each run, unless the environment asks for
//! others.
//!
//! `SEED=n` draws others, `SEED=fresh` others in each run; `CASES=n` looks at n times as many. A test that fails says
//! what repeats it (`docs/testing.md`).

#![allow(dead_code, reason = "every program uses its own part")]

use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Once, OnceLock};

thread_local! {
    /// Whether this thread has drawn random values.
    static DRAWS: Cell<bool> = const { Cell::new(false) };
}

/// A runner of so many cases, times `CASES`.
pub fn runner(usual: u32) -> TestRunner {
    TestRunner::new(config(usual))
}

/// What `proptest!` is to do with so many cases, times `CASES`.
pub fn config(usual: u32) -> Config {
    Config {
        rng_seed: RngSeed::Fixed(chosen()),
        // What failed once is a named test.
        failure_persistence: None,
        ..Config::with_cases(cases(usual))
    }
}

/// The seed of a generator that is not proptest's: `usual`, or another one with `SEED`.
pub fn seed(usual: u64) -> u64 {
    usual ^ chosen().wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A number from the environment, for benchmarks.
pub fn number(name: &str, usual: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => match text.parse() {
            Ok(n) => n,
            Err(_) => panic!("{name}={text} is no number"),
        },
        Err(_) => usual,
    }
}

/// So many, times `CASES`.
pub fn cases(usual: u32) -> u32 {
    usual.saturating_mul(factor())
}

fn factor() -> u32 {
    static FACTOR: OnceLock<u32> = OnceLock::new();
    *FACTOR.get_or_init(|| match std::env::var("CASES") {
        Ok(text) => match text.parse() {
            Ok(n) if n > 0 => n,
            _ => panic!("CASES={text} is not a number from 1 on"),
        },
        Err(_) => 1,
    })
}

/// The seed in use; from now on a panic of this thread names it.
fn chosen() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            before(info);
            if DRAWS.get() {
                eprintln!("{}", repeated_by());
            }
        }));
    });
    let seed = *SEED.get_or_init(|| match std::env::var("SEED").as_deref() {
        Ok("fresh") => RandomState::new().hash_one(0) >> 40,
        Ok(text) => match text.parse() {
            Ok(n) => n,
            Err(_) => panic!("SEED={text} is neither a number nor `fresh`"),
        },
        Err(_) => 0,
    });
    // The hook needs it.
    factor();
    DRAWS.set(true);
    seed
}

/// The command that repeats the test of this thread.
fn repeated_by() -> String {
    let target = match env!("CARGO_CRATE_NAME") {
        "coarsen" => "--lib".to_string(),
        tests => format!("--test {tests}"),
    };
    let values = format!("SEED={} CASES={}", chosen(), factor());
    match std::thread::current().name() {
        // One test at a time has no thread of its own.
        None | Some("main") => format!("{values} gives the same random values"),
        Some(test) => {
            format!("to repeat it: {values} cargo test {target} -- --exact {test}")
        }
    }
}
