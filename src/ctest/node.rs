//! What there is to decide at a step, and what of it is done.

use super::history::Step;
use super::shared::{self, ALL, Access, Order, SET_WORDS, Threads};
use std::sync::Arc;

/// A thread's step that need not be tried, until somebody does something that depends on it.
#[derive(Clone, Debug)]
pub struct Rest {
    /// The thread.
    pub thread: u16,
    /// Which alternative, or [`ALL`].
    pub choice: u16,
    /// What it would access.
    pub accesses: Arc<[Access]>,
}

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
    /// Who is being tried, with which alternative, of how many; none if there are 0.
    present: (u16, u16, u16),
    /// What that one has accessed, with each alternative up to now.
    tried: Vec<(u16, Arc<[Access]>)>,
    /// Whether its alternatives sleep one by one.
    apart: bool,
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
            present: (step.thread, step.choice, step.choices),
            tried: vec![(step.choice, Arc::clone(&step.accesses))],
            apart: apart(step),
        }
    }

    /// Another way was taken.
    pub fn took(&mut self, step: &Step) {
        if self.present.2 == 0 || self.present.0 != step.thread {
            self.tried.clear();
        }
        self.tried.push((step.choice, Arc::clone(&step.accesses)));
        self.apart = apart(step);
        self.present = (step.thread, step.choice, step.choices);
    }

    /// Who need not be tried.
    pub fn rests(&self) -> impl Iterator<Item = &Rest> {
        self.sleep.iter().chain(&self.done)
    }

    /// Whether an alternative of a thread need not be tried.
    fn rested(&self, thread: u16, choice: u16) -> bool {
        self.rests()
            .any(|r| r.thread == thread && (r.choice == choice || r.choice == ALL))
    }

    /// Whether no alternative of a thread is to be tried. Those that sleep one by one are two.
    fn rests_wholly(&self, thread: u16) -> bool {
        self.rested(thread, 0) && self.rested(thread, 1)
    }

    fn candidates(&self) -> impl Iterator<Item = u16> {
        members(&self.backtrack).filter(|&t| !self.rests_wholly(t))
    }

    /// How often a thread is preempted here, if that one goes on.
    fn preempted(&self, thread: u16) -> bool {
        self.previous
            .is_some_and(|p| p != thread && has(&self.enabled, p))
    }

    /// The next way to take, with at most so many preemptions. Asked again without a way taken, it says the same.
    pub fn next(&mut self, most: Option<u32>) -> Option<Order> {
        let (thread, choice, choices) = self.present;
        if let Some(choice) = (choice + 1..choices).find(|&c| !self.rested(thread, c)) {
            return Some(Order { thread, choice });
        }
        if choices > 0 {
            self.settle(thread);
            self.present.2 = 0;
        }
        let most = most.unwrap_or(u32::MAX);
        let fits = |t: &u16| self.preemptions + u32::from(self.preempted(*t)) <= most;
        let thread = self.candidates().find(fits)?;
        let choice = u16::from(self.rested(thread, 0));
        Some(Order { thread, choice })
    }

    /// The present thread was tried.
    fn settle(&mut self, thread: u16) {
        let tried = std::mem::take(&mut self.tried);
        if self.apart {
            let rests = tried.into_iter().map(|(choice, accesses)| Rest {
                thread,
                choice,
                accesses,
            });
            self.done.extend(rests);
            return;
        }
        let accesses = match &tried[..] {
            [(_, only)] => Arc::clone(only),
            all => all.iter().flat_map(|t| t.1.iter().copied()).collect(),
        };
        self.done.push(Rest {
            thread,
            choice: ALL,
            accesses,
        });
    }

    /// How many ways were left out for having too many preemptions, when there is no next one.
    pub fn excluded(&self) -> u64 {
        self.candidates().count() as u64
    }

    /// Sees to it that one of `initials`, threads with the alternatives that are meant, is tried. Says whether that is new.
    pub fn want(&mut self, initials: &[Initial]) -> bool {
        let mut usable = initials.iter().filter(|i| has(&self.enabled, i.0));
        let Some(&(first, _)) = usable.clone().next() else {
            return false;
        };
        if usable.any(|i| has(&self.backtrack, i.0)) {
            return false;
        }
        // What sleeps and could begin as well is explored where it is awake.
        let rests = |&(thread, choice): &Initial| match choice {
            Some(choice) => self.rested(thread, choice),
            None => self.rests_wholly(thread),
        };
        if initials.iter().any(rests) {
            return false;
        }
        put(&mut self.backtrack, first);
        true
    }
}

/// A thread that could begin, and with which alternative, if that is known.
pub type Initial = (u16, Option<u16>);

/// Whether the alternatives of a step sleep one by one: to have something in time changes it, to have it too late does not. Others are as good as
/// equal in what depends on them.
fn apart(step: &Step) -> bool {
    let timed = [
        shared::TIMEDLOCK,
        shared::SEM_TIMEDWAIT,
        shared::TIMEDRDLOCK,
        shared::TIMEDWRLOCK,
    ];
    step.choices == 2 && timed.contains(&step.kind)
}
