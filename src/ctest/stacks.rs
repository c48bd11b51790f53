//! What threads show others of their stacks. What a thread writes on its own stack is part of the local state that says whether it waits actively, so it
//! counts as no change (`runtime/spin.rs`); but where others look, a turn of a loop can be noticed that leaves everything as it was. Such places are collected
//! over all executions in which somebody waits; with more of them everything is explored anew, and what is written there counts as a change.

use super::history::Step;
use super::shared::{Access, MODE_WRITE, OBJECT, STACK_SIZE, STACKS_AT};

/// An address and a size.
pub type Place = (u64, u32);

/// Whose stack it is.
fn owner(access: &Access) -> Option<usize> {
    let at = usize::try_from(access.key).ok()?.checked_sub(STACKS_AT)?;
    (access.key & OBJECT == 0).then_some(at / STACK_SIZE)
}

/// The places where a thread has written on its own stack, and another one has looked or written in the same execution, without those that are known.
pub fn shown(steps: &[Step], known: &[Place]) -> Vec<Place> {
    let accesses = || {
        let all = steps.iter().map(|s| (usize::from(s.thread), &s.accesses));
        all.flat_map(|(thread, accesses)| accesses.iter().map(move |a| (thread, a)))
    };
    let threads = steps.iter().map(|s| usize::from(s.thread)).max();
    let threads = threads.map_or(0, |t| t + 1);
    let foreign = |&(thread, a): &(usize, &Access)| {
        owner(a).is_some_and(|owner| owner != thread && owner < threads)
    };
    let foreign: Vec<&Access> = accesses().filter(foreign).map(|(_, a)| a).collect();
    let mut places = Vec::new();
    if foreign.is_empty() {
        return places;
    }
    let own = accesses().filter(|(t, a)| a.mode == MODE_WRITE && owner(a) == Some(*t));
    for (_, write) in own {
        let end = |a: &Access| a.key + u64::from(a.size);
        let meets = |a: &&Access| a.key < end(write) && write.key < end(a);
        let place = (write.key, write.size);
        if !known.contains(&place) && !places.contains(&place) && foreign.iter().any(meets) {
            places.push(place);
        }
    }
    places
}
