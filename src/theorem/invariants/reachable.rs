//! The exact reachable states of the original program, as a BDD: the strongest inductive invariant J.
//!
//! Violated states are expanded too: J has to be closed under every step of the original program.

use crate::base::control::Stop;
use crate::engine::relations::Encoding;
use biodivine_lib_bdd::Bdd;

/// The reachable states, q included; `None` if more than `budget` nodes had to be built for it.
///
/// Actions are applied in turn to all states found so far (chaining), until none adds a state.
///
/// # Errors
/// Any [`Stop`].
pub fn reachable(e: &Encoding, budget: usize) -> Result<Option<Bdd>, Stop> {
    let m = &e.m;
    let mut states = e.initial.clone();
    let mut spent = 0usize;
    loop {
        let mut grown = false;
        for action in &e.actions {
            loop {
                let next = action.rel.image(m, &states)?;
                spent = spent.saturating_add(next.size() + states.size());
                if spent > budget {
                    return Ok(None);
                }
                if m.within(&next, &states) {
                    break;
                }
                states = m.or(&states, &next)?;
                grown = true;
            }
        }
        if !grown {
            return Ok(Some(states));
        }
    }
}
