//! Transactions on many random programs: sound techniques find an error exactly when the full exploration does.
//!
//! `cargo bench --bench transactions -- 10000` (the number of programs; default 10,000). Prints what was compared; a
//! disagreement ends it.

#[path = "../tests/support/loops.rs"]
mod loops;
#[path = "../tests/support/random.rs"]
mod random;

use coarsen::base::control::Control;
use coarsen::results::Verdict;
use coarsen::{Session, theory};
use proptest::strategy::{Strategy, ValueTree};

fn main() {
    let asked = std::env::args().find_map(|a| a.parse().ok());
    let wanted: u32 = asked.unwrap_or(10_000);
    let theory = theory("stoller-cohen").expect("shipped");
    let mut runner = random::runner(1);
    let (mut compared, mut errors, mut missed) = (0, 0, 0);
    while compared < wanted {
        let tree = loops::programs().new_tree(&mut runner).expect("a program");
        let source = tree.current();
        let Ok((session, _)) = Session::load("m.cor", &source, &[], Default::default()) else {
            continue;
        };
        let report = session.compare(&theory, &Control::default(), &mut |_| {});
        assert!(!report.disagrees(), "{}\n{source}", report.reason);
        let verdict = |technique: &str| {
            let row = report.rows.iter().find(|r| r.technique == technique);
            row.map(|r| r.verdict)
        };
        for technique in ["cycle-detection", "cpc", "cpc-l19"] {
            assert_eq!(verdict(technique), verdict("none"), "{technique}\n{source}");
        }
        compared += 1;
        errors += u32::from(verdict("none") == Some(Verdict::Refuted));
        missed += u32::from(verdict("unsound") != verdict("none"));
    }
    println!("{compared} programs, {errors} with an error; the unsound reduction missed {missed}");
}
