//! The prover on 100,000 random statements with tests, top, star, omega, processes and hypotheses: nothing proved is refuted by a relational model.
//!
//! `cargo bench --bench algebra [-- STATEMENTS]`. Panics on the first statement that is proved and refuted.

#[path = "../tests/algebra/mod.rs"]
mod algebra;

use algebra::differential::{Figures, one};

fn main() {
    let asked = std::env::args().skip(1).find_map(|a| a.parse().ok());
    let wanted: u64 = asked.unwrap_or(100_000);
    let mut figures = Figures::default();
    // The first seeds are those of the tests.
    for seed in 1..=wanted {
        one(seed, &mut figures);
    }
    let Figures {
        statements,
        with_hypotheses,
        proved,
        refuted,
        models,
        prover,
        refuter,
        slowest,
    } = figures;
    println!(
        "{statements} random statements ({with_hypotheses} with hypotheses), none both proved and refuted"
    );
    println!(
        "proved: {proved}; refuted: {refuted}; neither: {}",
        statements - proved - refuted
    );
    println!("proved ones evaluated in {models} more models of their hypotheses");
    println!(
        "time of the prover / time of the refuter: {:.2}; the slowest statement takes {:.0} times the mean",
        prover.as_secs_f64() / refuter.as_secs_f64(),
        slowest.as_secs_f64() * statements as f64 / prover.as_secs_f64()
    );
}
