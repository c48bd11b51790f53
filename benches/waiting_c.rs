//! Random C programs whose threads wait for each other, against every interleaving: the long version of a test.
//!
//! `cargo bench --bench waiting_c`. `COUNT` programs (default 20,000) from `SEED` (default 1), `SIZE` (200) of them
//! compiled at once, each with at most `MOST` executions of each exploration (400). What differs is printed with its
//! program, which repeats it: `coarsen test FILE.c` says something else than `coarsen test --exhaustive FILE.c`.

// Tests use more of it.
#[allow(dead_code)]
#[path = "../tests/support/missing.rs"]
mod missing;
#[path = "../tests/support/random.rs"]
mod random;
#[allow(dead_code)]
#[path = "../tests/ctest/support.rs"]
mod support;
#[path = "../tests/ctest/waiting.rs"]
mod waiting;

use support::asked;

fn main() {
    let (count, seed) = (asked("COUNT", 20_000), asked("SEED", 1));
    let (size, most) = (asked("SIZE", 200), asked("MOST", 400));
    let scratch = support::Scratch::new("waiting-bench");
    let (mut same, mut large, mut wrong) = (0, 0, 0);
    for round in 0..count.div_ceil(size) {
        let now = size.min(count - round * size) as usize;
        let found = waiting::compare_all(seed + round, now, most, &scratch);
        same += found.same;
        large += found.large;
        wrong += found.wrong.len();
        for how in found.wrong {
            println!("seed {}: {how}", seed + round);
        }
        println!("{same} agree, {large} are too large, {wrong} differ");
    }
    assert!(wrong == 0, "{wrong} programs differ");
}
