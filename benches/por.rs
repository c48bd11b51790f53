//! Cartesian partial-order reduction with one worker and with several, in the same run.
//!
//! `cargo bench --bench por`, or with `-- N` for that many workers (default 2). Seconds are those of the exploration
//! alone, the best of three.

use coarsen::Session;
use coarsen::base::control::Control;
use coarsen::engine::partial_order::{Por, Technique, explore};
use std::path::Path;
use std::time::Instant;

fn main() {
    let asked = std::env::args().find_map(|a| a.parse().ok());
    let workers: usize = asked.unwrap_or(2);
    println!("model         N   states    steps   1 worker  {workers} workers  ratio");
    for (name, n) in [
        ("indexer", 15),
        ("indexer", 16),
        ("file_system", 16),
        ("file_system", 17),
        ("philosophers", 9),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/gueta/{name}.cor"));
        let source = std::fs::read_to_string(path).expect("a shipped model");
        let defines = [("N".to_string(), n.to_string())];
        let (session, _) =
            Session::load(name, &source, &defines, Default::default()).expect("no errors");
        let mut numbers = Vec::new();
        let mut run = |cores: usize| {
            let por = Por {
                cores,
                ..Por::only(Technique::Cartesian)
            };
            let control = Control::default();
            let begun = Instant::now();
            let found = explore(session.program(), &[], &por, None, (u64::MAX, &control));
            let seconds = begun.elapsed().as_secs_f64();
            numbers.push((found.outcome.states, found.outcome.transitions));
            seconds
        };
        let (mut one, mut several) = (f64::MAX, f64::MAX);
        for _ in 0..3 {
            one = one.min(run(1));
            several = several.min(run(workers));
        }
        numbers.dedup();
        let [(Some(states), Some(steps))] = numbers.as_slice() else {
            panic!("{name}: the results differ: {numbers:?}");
        };
        println!(
            "{name:<12} {n:>2} {states:>8} {steps:>8} {one:>8.3} s {several:>8.3} s {:>6.2}",
            one / several
        );
    }
}
