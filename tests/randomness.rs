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

/// What this test says where it is to fail, with these variables and no others.
fn failing(variables: &[(&str, &str)]) -> String {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "randomness::a_failure_says_what_repeats_it"])
        .env_remove("LONG")
        .env_remove("PROPTEST_CASES")
        .env("TO_FAIL", "1")
        .env("RUST_BACKTRACE", "0")
        .envs(variables.iter().copied())
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
        panic!("drawn: {:?} of {}", drawn(), random::cases(30));
    }
    let again = "cargo test --test all -- --exact randomness::a_failure_says_what_repeats_it";
    let (five, long) = (("SEED", "5"), ("LONG", "2"));
    let first = failing(&[five, long]);
    let told = format!("to repeat it: SEED=5 LONG=2 {again}");
    assert!(first.contains(&told), "{first}");
    let values = line(&first, "drawn:");
    assert!(values.ends_with(" of 60"), "{values}");
    assert_eq!(line(&failing(&[five, long]), "drawn:"), values);
    assert_ne!(line(&failing(&[("SEED", "6"), long]), "drawn:"), values);
    let fresh = ["fresh"; 2].map(|seed| line(&failing(&[("SEED", seed)]), "to repeat it:"));
    assert_ne!(fresh[0], fresh[1]);
    // Fewer are drawn without `LONG`, and as many as asked for with `PROPTEST_CASES`.
    let short = failing(&[five]);
    assert!(line(&short, "drawn:").ends_with(" of 8"), "{short}");
    assert!(
        short.contains(&format!("to repeat it: SEED=5 {again}")),
        "{short}"
    );
    let asked = failing(&[five, long, ("PROPTEST_CASES", "7")]);
    assert!(line(&asked, "drawn:").ends_with(" of 7"), "{asked}");
    assert!(
        asked.contains("SEED=5 PROPTEST_CASES=7 LONG=2 cargo"),
        "{asked}"
    );
    assert!(failing(&[("SEED", "old")]).contains("neither a number nor `fresh`"));
    assert!(failing(&[("LONG", "0")]).contains("not a number from 1 on"));
    assert!(failing(&[("PROPTEST_CASES", "x")]).contains("not a number from 1 on"));
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
