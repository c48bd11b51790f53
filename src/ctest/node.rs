//! What there is to decide at a step, and what of it is done.

use super::history::Step;
use super::shared::{Access, Order, SET_WORDS, Threads};
use std::sync::Arc;

/// A thread that need not be tried, until somebody does something that depends on its step.
pub type Rest = (u16, Arc<[Access]>);

/// Whether a thread is in a set.
pub fn has(set: &Threads, i: u16) -> bool {
    set[usize::from(i) / 64] >> (i % 64) & 1 == 1
}

/// Puts a thread into a set.
pub fn put(set: &mut Threads, i: u16) {
    set[usize::from(i) / 64] |= 1 << (i % 64);
}

/// The threads of a set.
pub fn members(set: &Threads) -> impl Iterator<Item = u16> + '_ {
    (0..(SET_WORDS * 64) as u16).filter(|&i| has(set, i))
}

/// A decision: the ways that were taken, and those to be taken.
#[derive(Clone, Debug)]
pub struct Node {
    /// Who sleeps since before.
    pub sleep: Vec<Rest>,
    /// Who is to be tried.
    pub backtrack: Threads,
    /// Who was tried, with all alternatives.
    pub done: Vec<Rest>,
    /// Who can go on.
    pub enabled: Threads,
    /// Who took the step before.
    pub previous: Option<u16>,
    /// Preemptions before this step.
    pub preemptions: u32,
    /// Who is being tried, and the alternative to be tried next, or 0.
    present: Option<(u16, u16)>,
    /// What that one has accessed, with all alternatives up to now.
    tried: Arc<[Access]>,
}

impl Node {
    /// The decision that was made with `step`.
    pub fn new(
        step: &Step,
        sleep: Vec<Rest>,
        previous: Option<u16>,
        preemptions: u32,
        exhaustive: bool,
    ) -> Node {
        let mut backtrack = [0; SET_WORDS];
        if exhaustive {
            backtrack = step.enabled;
        } else {
            put(&mut backtrack, step.thread);
        }
        Node {
            sleep,
            backtrack,
            done: Vec::new(),
            enabled: step.enabled,
            previous,
            preemptions,
            present: Some((step.thread, step.next)),
            tried: Arc::clone(&step.accesses),
        }
    }

    /// Another way was taken.
    pub fn took(&mut self, step: &Step) {
        let known = self.present.is_some_and(|p| p.0 == step.thread);
        self.tried = if known {
            let both = self.tried.iter().chain(step.accesses.iter());
            both.copied().collect()
        } else {
            Arc::clone(&step.accesses)
        };
        self.present = Some((step.thread, step.next));
    }

    /// Who need not be tried.
    pub fn rests(&self) -> impl Iterator<Item = &Rest> {
        self.sleep.iter().chain(&self.done)
    }

    fn candidates(&self) -> impl Iterator<Item = u16> {
        members(&self.backtrack).filter(|&t| !self.rests().any(|r| r.0 == t))
    }

    /// How often a thread is preempted here, if that one goes on.
    fn preempted(&self, thread: u16) -> bool {
        self.previous
            .is_some_and(|p| p != thread && has(&self.enabled, p))
    }

    /// The next way to take, with at most so many preemptions. Asked again without a way taken, it says the same.
    pub fn next(&mut self, most: Option<u32>) -> Option<Order> {
        if let Some((thread, choice)) = self.present {
            if choice > 0 {
                return Some(Order { thread, choice });
            }
            self.done.push((thread, Arc::clone(&self.tried)));
            self.present = None;
        }
        let most = most.unwrap_or(u32::MAX);
        let fits = |t: &u16| self.preemptions + u32::from(self.preempted(*t)) <= most;
        let thread = self.candidates().find(fits)?;
        Some(Order { thread, choice: 0 })
    }

    /// How many ways were left out for having too many preemptions, when there is no next one.
    pub fn excluded(&self) -> u64 {
        self.candidates().count() as u64
    }

    /// Sees to it that one of `initials` is tried. Says whether that is new.
    pub fn want(&mut self, initials: &[u16]) -> bool {
        let mut usable = initials.iter().filter(|&&t| has(&self.enabled, t));
        let Some(&first) = usable.clone().next() else {
            return false;
        };
        if usable.any(|&t| has(&self.backtrack, t)) {
            return false;
        }
        // What a sleeping thread could begin as well is explored where it is awake.
        if self.rests().any(|r| initials.contains(&r.0)) {
            return false;
        }
        put(&mut self.backtrack, first);
        true
    }
}
