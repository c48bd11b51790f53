//! Claims of transactions on many random programs: what holds is true of every execution, and every refuting execution
//! is real.
//!
//! `cargo bench --bench claims -- 5000` (the number of programs; default 5,000). All executions of each program are
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
        let counts = [const { Cell::new(0) }; 3];
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
        let [holds, refuted, open] = counts.map(Cell::into_inner);
        println!(
            "{}: {programs} programs: {holds} claims hold, {refuted} are refuted, {open} are not established",
            only.unwrap_or("any theorem")
        );
    }
}
