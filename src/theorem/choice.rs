//! `--theorem auto`: chooses, among the theorems that apply, the one with the smaller estimated reduced system.
//!
//! How many states a reduced system has is not known before it is explored. It is estimated by its control states: for
//! each thread the locations at which other threads are scheduled, multiplied over all threads. Variables add about the
//! same factor for both.

use super::check::{Prepared, prepare};
use super::verdict::gap;
use crate::algebra::Theory;
use crate::base::control::Control;
use crate::model::program::Program;
use num_bigint::BigUint;

/// The theorem to be used: its position, and why.
pub fn choose(
    name: &str,
    program: &Program,
    theories: &[Theory],
    control: &Control,
) -> (usize, String) {
    let mut best: Option<(usize, BigUint)> = None;
    let mut told = Vec::new();
    for (n, theory) in theories.iter().enumerate() {
        let (report, prepared) = prepare(name, program, theory, control);
        let gap = gap(&report);
        let size = match (&prepared, &gap) {
            (Some(prepared), None) => estimate(prepared),
            _ => {
                let why = report.limits.hit.map(|h| h.to_string());
                let why = why.or(gap.map(|gap| gap.to_string()));
                let why = why.unwrap_or_else(|| "it could not be prepared".into());
                told.push(format!("{} does not apply: {why}", theory.name));
                continue;
            }
        };
        let s = if size == BigUint::from(1u32) { "" } else { "s" };
        told.push(format!("{}: {size} control state{s}", theory.name));
        if best.as_ref().is_none_or(|(_, smallest)| size < *smallest) {
            best = Some((n, size));
        }
    }
    let chosen = best.map_or(0, |(n, _)| n);
    let name = theories.get(chosen).map_or("none", |t| &t.name);
    (
        chosen,
        format!("theorem {name} was chosen ({})", told.join("; ")),
    )
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
