//! `--theorem auto`: chooses, among the theorems that apply, the one with the smaller estimated reduced system.
//!
//! How many states a reduced system has is not known before it is explored. It is estimated by its control states: for
//! each thread the locations at which other threads are scheduled, multiplied over all threads. Variables add about the
//! same factor for both.

use super::check::{Prepared, prepare};
use super::verdict::gap;
use crate::algebra::Theory;
use crate::base::control::Control;
use crate::base::results::{Candidate, Note};
use crate::model::program::Program;
use num_bigint::BigUint;

/// The theorem to be used: its position, and why.
pub fn choose(
    name: &str,
    program: &Program,
    theories: &[Theory],
    control: &Control,
) -> (usize, Note) {
    let mut best: Option<(usize, BigUint)> = None;
    let mut candidates = Vec::new();
    for (n, theory) in theories.iter().enumerate() {
        let (report, prepared) = prepare(name, program, theory, &[], control);
        let candidate = match (&prepared, gap(&report), report.limits.hit) {
            (Some(prepared), None, _) => {
                let size = estimate(prepared);
                let told = Candidate::Applies(size.to_string());
                if best.as_ref().is_none_or(|(_, smallest)| size < *smallest) {
                    best = Some((n, size));
                }
                told
            }
            (_, _, Some(hit)) => Candidate::Hit(hit),
            (_, Some(gap), None) => Candidate::Gap(gap),
            (None, None, None) => Candidate::Unprepared,
        };
        candidates.push((theory.name.clone(), candidate));
    }
    let chosen = best.map_or(0, |(n, _)| n);
    let name = theories.get(chosen).map(|t| t.name.clone());
    (chosen, Note::Chosen(name.unwrap_or_default(), candidates))
}

/// The control states in which threads are scheduled.
fn estimate(prepared: &Prepared) -> BigUint {
    let mut product = BigUint::from(1u32);
    for (thread, visible) in prepared.program.threads.iter().zip(&prepared.visible) {
        let wrong = |l: &usize| Some(*l) == thread.wrong;
        let points = (0..visible.len()).filter(|l| visible[*l] && !wrong(l));
        product *= points.count().max(1);
    }
    product
}
