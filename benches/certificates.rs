//! Many well-formed mutants of certificates: what the kernel accepts is true in random relations. The long version of a
//! test.
//!
//! `COUNT=n cargo bench --bench certificates` (default 20,000); `FIRST=n` begins with another mutant, `SEED=n` draws
//! others. The first that is accepted and false ends it, with its text and what repeats it.

// Tests use more of these.
#[path = "../tests/algebra/mod.rs"]
mod algebra;
#[allow(dead_code)]
#[path = "../tests/kernel_fuzz.rs"]
mod kernel_fuzz;
#[path = "../tests/support/random.rs"]
mod random;

use std::time::Instant;

fn main() {
    let count = random::number("COUNT", 20_000);
    let first = random::number("FIRST", 0);
    let started = Instant::now();
    let (accepted, searched) = kernel_fuzz::structured::look_at(first, count);
    println!(
        "{count} mutants in {:?}: {accepted} accepted, {searched} new theorems searched for models, none false",
        started.elapsed()
    );
}
