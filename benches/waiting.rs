//! Partial-order reduction on random programs whose threads wait for each other, against every interleaving by the
//! twin.
//!
//! `cargo bench --bench waiting [-- WORD...]` takes the combinations of techniques whose names contain one of the
//! words, all of them without; `COUNT` (20,000) and `SEED` (1) are environment variables. A wrong answer is printed
//! with the program, made smaller, and with what repeats it.

#[path = "../tests/por/judge.rs"]
mod judge;
#[path = "../tests/twin/mod.rs"]
mod twin;
#[path = "../tests/por/waiting.rs"]
mod waiting;

use coarsen::engine::partial_order::Por;
use judge::{Counts, combinations, of_tape, tape};
use twin::generate::Sample;
use waiting::program;

/// Wrong answers that are printed.
const PRINTED: usize = 5;

fn number(name: &str, otherwise: u64) -> u64 {
    let told = std::env::var(name).ok();
    told.map_or(otherwise, |n| n.parse().expect("a number"))
}

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let asked =
        |por: &Por| words.is_empty() || words.iter().any(|w| por.name().contains(w.as_str()));
    // Several workers take longer to begin with than such programs take.
    let mut all: Vec<Por> = combinations().into_iter().filter(asked).collect();
    all.iter_mut().for_each(|por| por.cores = 1);
    assert!(
        !all.is_empty(),
        "no combination has a name with one of {words:?}"
    );
    let (count, first) = (number("COUNT", 20_000), number("SEED", 1));
    let (mut counts, mut failures) = (Counts::default(), 0);
    for seed in first..first + count {
        if (seed - first) % 1000 == 999 {
            eprintln!("{} programs, {failures} wrong", seed - first + 1);
        }
        let (tape, luck) = tape(seed);
        let Err(why) = of_tape(&tape, &luck, &all, &mut counts) else {
            continue;
        };
        failures += 1;
        if failures <= PRINTED {
            let (source, why_small) = smaller(tape, &luck, &all);
            println!("{why}\n{source}\nmade smaller: {why_small}");
            println!(
                "SEED={seed} COUNT=1 cargo bench --bench waiting -- {}\n",
                words.join(" ")
            );
        }
    }
    println!("{} combinations, {failures} wrong: {counts:?}", all.len());
    assert_eq!(failures, 0, "programs with a wrong answer");
}

/// A program with a wrong answer, made smaller as long as some answer is wrong, and what is wrong then.
fn smaller(mut tape: Vec<u16>, luck: &[u64], all: &[Por]) -> (String, String) {
    let failure = |tape: &[u16]| of_tape(tape, luck, all, &mut Counts::default()).err();
    let mut size = 64;
    while size > 0 {
        let mut at = 0;
        while at < tape.len() {
            let end = tape.len().min(at + size);
            let without = [&tape[..at], &tape[end..]].concat();
            let zeroed = [&tape[..at], &vec![0; end - at], &tape[end..]].concat();
            let simpler = [without, zeroed];
            match simpler
                .into_iter()
                .find(|t| *t != tape && failure(t).is_some())
            {
                Some(simpler) => tape = simpler,
                None => at += size,
            }
        }
        size /= 2;
    }
    let source = Sample::new(program(tape.clone())).source;
    (source, failure(&tape).unwrap_or_default())
}
