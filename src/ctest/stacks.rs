//! Places on the stacks of threads that other threads look at. A thread's own stack is part of the local state that
//! says whether it waits actively, so a write there counts as no change (`runtime/spin.rs`). But if others look at the
//! place, they can notice a turn of a loop that leaves everything as it was. Such places are collected over all
//! executions in which a thread waits. When a new one is found, everything is explored anew, and a write there counts
//! as a change.
//!
//! The same holds for what the runtime accesses on a thread's own stack for the program (the handle that
//! `pthread_create` writes, the value that a compare-and-swap expects): it is a step only if others look there.

use super::history::Step;
use super::shared::{Access, MODE_WRITE, OBJECT, STACK_SIZE, STACKS_AT};

/// An address and a size.
pub type Place = (u64, u32);

/// Whose stack it is.
fn owner(access: &Access) -> Option<usize> {
    let at = usize::try_from(access.key).ok()?.checked_sub(STACKS_AT)?;
    (access.key & OBJECT == 0).then_some(at / STACK_SIZE)
}

/// The places on a thread's own stack where another one has looked or written in the same execution, without those that
/// are known: of those that it has accessed unannounced (`hidden`), and, if somebody has waited, of those that it has
/// written.
pub fn shown(steps: &[Step], hidden: &[[u64; 2]], waited: bool, known: &[Place]) -> Vec<Place> {
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
    let written =
        accesses().filter(|(t, a)| waited && a.mode == MODE_WRITE && owner(a) == Some(*t));
    let written = written.map(|(_, a)| (a.key, a.size));
    let hidden = hidden.iter().map(|&[at, size]| (at, size as u32));
    for (at, size) in written.chain(hidden) {
        let end = |a: &Access| a.key + u64::from(a.size);
        let meets = |a: &&Access| a.key < at + u64::from(size) && at < end(a);
        let place = (at, size);
        if !known.contains(&place) && !places.contains(&place) && foreign.iter().any(meets) {
            places.push(place);
        }
    }
    places
}
