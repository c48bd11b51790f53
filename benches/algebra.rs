//! The prover on a million random statements with tests, top, star, omega, processes and hypotheses: nothing proved is
//! refuted by a relational model.
//!
//! `cargo bench --bench algebra [-- STATEMENTS]`. Panics on the first statement that is proved and refuted.

#[path = "../tests/algebra/mod.rs"]
mod algebra;
#[path = "../tests/support/random.rs"]
mod random;

use algebra::differential::{Figures, one};

fn main() {
    let asked = std::env::args().skip(1).find_map(|a| a.parse().ok());
    let wanted: u64 = asked.unwrap_or(1_000_000);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    // The first seeds are those of the tests.
    let share = |core: u64| {
        let mut figures = Figures::default();
        for seed in (1..=wanted).filter(|seed| seed % cores == core) {
            one(seed, &mut figures);
        }
        figures
    };
    let share = &share;
    let shares: Vec<Figures> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..cores)
            .map(|core| scope.spawn(move || share(core)))
            .collect();
        all.into_iter()
            .map(|thread| thread.join().expect("a statement is proved and refuted"))
            .collect()
    });
    let mut figures = Figures::default();
    shares.iter().for_each(|f| figures.add(f));
    let Figures {
        statements,
        with_hypotheses,
        with_omega,
        proved,
        refuted,
        models,
        prover,
        refuter,
        slowest,
    } = figures;
    println!(
        "{statements} random statements ({with_hypotheses} with hypotheses, {with_omega} with omega), none both proved \
         and refuted"
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
