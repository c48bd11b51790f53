//! Random values for all tests, unit tests and benchmarks: the same in each run, unless the environment asks for
//! others.
//!
//! `SEED=n` draws others, `SEED=fresh` others in each run; `LONG=n` and `PROPTEST_CASES=n` say how many. A test that
//! fails says what repeats it (`docs/testing.md`).

#![allow(dead_code, reason = "every program uses its own part")]

use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Once, OnceLock};

thread_local! {
    /// Whether this thread has drawn random values.
    static DRAWS: Cell<bool> = const { Cell::new(false) };
}

/// What the long suite draws, divided by this, is what is drawn without `LONG`.
const SHORTER: u32 = 4;

/// A runner of so many cases in the long suite.
pub fn runner(usual: u32) -> TestRunner {
    TestRunner::new(config(usual))
}

/// What `proptest!` is to do with so many cases in the long suite.
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

/// How many random cases a test looks at, if these are those of the long suite.
pub fn cases(usual: u32) -> u32 {
    match (asked(&CASES), asked(&LONG)) {
        (Some(cases), _) => cases,
        (None, Some(times)) => usual.saturating_mul(times),
        (None, None) => usual.div_ceil(SHORTER),
    }
}

/// Whether this is the long suite: `LONG=1`.
pub fn long() -> bool {
    asked(&LONG).is_some()
}

/// Whether the example of this number is looked at, of many that are alike: all of them in the long suite, else one
/// of four.
pub fn picked(number: usize) -> bool {
    long() || number.is_multiple_of(SHORTER as usize)
}

/// Whether a test has seen something often enough: so often in the long suite, and half as often in proportion
/// without `LONG`.
pub fn enough(seen: usize, least: usize) -> bool {
    any_number()
        || match long() {
            true => seen >= least,
            false => seen >= least / (2 * SHORTER) as usize,
        }
}

/// Whether there may be too few cases for a test to see what it is to see: `PROPTEST_CASES`.
pub fn any_number() -> bool {
    asked(&CASES).is_some()
}

/// A variable that holds a number, read once.
struct Asked(&'static str, OnceLock<Option<u32>>);

static CASES: Asked = Asked("PROPTEST_CASES", OnceLock::new());
static LONG: Asked = Asked("LONG", OnceLock::new());

fn asked(Asked(name, value): &Asked) -> Option<u32> {
    *value.get_or_init(|| {
        let text = std::env::var(name).ok()?;
        match text.parse() {
            Ok(n) if n > 0 => Some(n),
            _ => panic!("{name}={text} is not a number from 1 on"),
        }
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
    cases(1);
    DRAWS.set(true);
    seed
}

/// The command that repeats the test of this thread.
fn repeated_by() -> String {
    let target = match env!("CARGO_CRATE_NAME") {
        "coarsen" => "--lib".to_string(),
        tests => format!("--test {tests}"),
    };
    let mut values = format!("SEED={}", chosen());
    for Asked(name, value) in [&CASES, &LONG] {
        if let Some(Some(n)) = value.get() {
            values += &format!(" {name}={n}");
        }
    }
    match std::thread::current().name() {
        // One test at a time has no thread of its own.
        None | Some("main") => format!("{values} gives the same random values"),
        Some(test) => {
            format!("to repeat it: {values} cargo test {target} -- --exact {test}")
        }
    }
}
