//! The tests' own random values: the same in each run, others on request, and a failure says what repeats it.

use crate::random;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::process::Command;

fn drawn() -> Vec<u64> {
    let mut runner = random::runner(1);
    let mut draw = || any::<u64>().new_tree(&mut runner).expect("a number");
    let mut all: Vec<u64> = (0..5).map(|_| draw().current()).collect();
    all.push(random::seed(7));
    all
}

/// What this test says where it is to fail, with these variables.
fn failing(seed: &str, cases: &str) -> String {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "randomness::a_failure_says_what_repeats_it"])
        .env("TO_FAIL", "1")
        .env("RUST_BACKTRACE", "0")
        .env("SEED", seed)
        .env("CASES", cases)
        .output()
        .expect("started");
    assert!(!output.status.success());
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text += &String::from_utf8_lossy(&output.stderr);
    text
}

/// The line with this in it.
fn line(text: &str, part: &str) -> String {
    let found = text.lines().find(|l| l.contains(part));
    found.unwrap_or_else(|| panic!("{text}")).to_string()
}

#[test]
fn a_failure_says_what_repeats_it() {
    if std::env::var_os("TO_FAIL").is_some() {
        panic!("drawn: {:?} of {}", drawn(), random::cases(3));
    }
    let again = "cargo test --test all -- --exact randomness::a_failure_says_what_repeats_it";
    let first = failing("5", "2");
    let told = format!("to repeat it: SEED=5 CASES=2 {again}");
    assert!(first.contains(&told), "{first}");
    let values = line(&first, "drawn:");
    assert!(values.ends_with(" of 6"), "{values}");
    assert_eq!(line(&failing("5", "2"), "drawn:"), values);
    assert_ne!(line(&failing("6", "2"), "drawn:"), values);
    let fresh = ["fresh"; 2].map(|seed| line(&failing(seed, "1"), "to repeat it:"));
    assert_ne!(fresh[0], fresh[1]);
    assert!(failing("old", "1").contains("neither a number nor `fresh`"));
    assert!(failing("5", "0").contains("not a number from 1 on"));
}

/// Without variables the values are these, on every machine.
#[test]
fn values_are_the_same_in_each_run() {
    assert_eq!(drawn(), drawn());
    if std::env::var_os("SEED").is_none() {
        let expected = [
            449479075714955186,
            18115028555707261608,
            15878401910454357952,
            3427872634365736244,
            16533113728871998040,
            7,
        ];
        assert_eq!(drawn(), expected);
    }
}
