//! Claims of transactions on many random programs: each answer is the one that the definition gives.
//!
//! `cargo bench --bench claims -- 5000` (the number of programs; default 5,000). All states of each program are
//! enumerated with the interpreter; an answer that is not true ends it.

#[path = "../tests/support/claimed.rs"]
mod claimed;
#[path = "../tests/support/random.rs"]
mod random;

use coarsen::Session;
use proptest::strategy::{Strategy, ValueTree};
use std::cell::Cell;

fn main() {
    let asked = std::env::args().find_map(|a| a.parse().ok());
    let wanted: u32 = asked.unwrap_or(5_000);
    for only in [None, Some("flanagan-qadeer")] {
        let mut runner = random::runner(1);
        let counts = [const { Cell::new(0) }; 5];
        let mut programs = 0;
        while programs < wanted {
            let tree = claimed::programs()
                .new_tree(&mut runner)
                .expect("a program");
            let source = tree.current();
            let Ok((session, _)) = Session::load("m.cor", &source, &[], Default::default()) else {
                continue;
            };
            programs += 1;
            if let Err(why) = claimed::is_true(&session, only, &counts) {
                panic!("{why}\n{source}");
            }
        }
        let [by_theorem, compared, refuted, vacuous, weakened] = counts.map(Cell::into_inner);
        println!(
            "{}: {programs} programs: {by_theorem} claims hold by a theorem, {weakened} with weaker steps, \
             {compared} by comparison, {refuted} are refuted, {vacuous} are vacuous",
            only.unwrap_or("any theorem")
        );
    }
}
