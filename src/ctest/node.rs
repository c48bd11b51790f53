//! What there is to decide at a step, and what of it is done.

use super::history::Step;
use super::shared::{ALL, Access, Order, SET_WORDS, Threads};
use std::sync::Arc;

/// A thread's step that need not be tried, until somebody does something that depends on it.
#[derive(Clone, Debug)]
pub struct Rest {
    /// The thread.
    pub thread: u16,
    /// Which alternative, or [`ALL`].
    pub choice: u16,
    /// The alternative that comes next, or 0.
    pub next: u16,
    /// What it would access.
    pub accesses: Arc<[Access]>,
}

/// With more alternatives a thread sleeps as long as no step conflicts with any of them.
const MOST_APART: usize = 16;

impl Rest {
    fn new(step: &Step) -> Rest {
        Rest {
            thread: step.thread,
            choice: step.choice,
            next: step.next,
            accesses: Arc::clone(&step.accesses),
        }
    }
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
    /// Who is being tried, and the alternative that comes next, or 0.
    present: Option<(u16, u16)>,
    /// Its alternatives up to now.
    tried: Vec<Rest>,
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
            tried: vec![Rest::new(step)],
        }
    }

    /// Another way was taken.
    pub fn took(&mut self, step: &Step) {
        if self.present.is_none_or(|p| p.0 != step.thread) {
            self.tried.clear();
        }
        self.tried.push(Rest::new(step));
        self.present = Some((step.thread, step.next));
    }

    /// Who need not be tried.
    pub fn rests(&self) -> impl Iterator<Item = &Rest> {
        self.sleep.iter().chain(&self.done)
    }

    /// The rest that an alternative belongs to, if it need not be tried.
    fn rest(&self, thread: u16, choice: u16) -> Option<&Rest> {
        self.rests()
            .find(|r| r.thread == thread && (r.choice == choice || r.choice == ALL))
    }

    /// The first alternative of a thread, from this one on, that is to be tried.
    fn awake_from(&self, thread: u16, mut choice: u16) -> Option<u16> {
        while let Some(rest) = self.rest(thread, choice) {
            if rest.next == 0 {
                return None;
            }
            choice = rest.next;
        }
        Some(choice)
    }

    fn candidates(&self) -> impl Iterator<Item = u16> {
        members(&self.backtrack).filter(|&t| self.awake_from(t, 0).is_some())
    }

    /// How often a thread is preempted here, if that one goes on.
    fn preempted(&self, thread: u16) -> bool {
        self.previous
            .is_some_and(|p| p != thread && has(&self.enabled, p))
    }

    /// The next way to take, with a bound on preemptions. If it is not taken, the next call gives the same way.
    pub fn next(&mut self, most: Option<u32>) -> Option<Order> {
        if let Some((thread, next)) = self.present {
            let choice = Some(next).filter(|&n| n > 0);
            if let Some(choice) = choice.and_then(|c| self.awake_from(thread, c)) {
                return Some(Order { thread, choice });
            }
            self.settle();
            self.present = None;
        }
        let most = most.unwrap_or(u32::MAX);
        let fits = |t: &u16| self.preemptions + u32::from(self.preempted(*t)) <= most;
        let thread = self.candidates().find(fits)?;
        let choice = self.awake_from(thread, 0)?;
        Some(Order { thread, choice })
    }

    /// The present thread was tried. Its alternatives sleep one by one if they access different things.
    fn settle(&mut self) {
        let mut tried = std::mem::take(&mut self.tried);
        let Some(first) = tried.first().cloned() else {
            return;
        };
        let whole = !self.sleep.iter().any(|r| r.thread == first.thread);
        let same = tried.iter().all(|r| r.accesses == first.accesses);
        if whole && (same || tried.len() > MOST_APART) {
            let all = tried.iter().flat_map(|r| r.accesses.iter().copied());
            let accesses = if same { first.accesses } else { all.collect() };
            tried = vec![Rest {
                thread: first.thread,
                choice: ALL,
                next: 0,
                accesses,
            }];
        }
        self.done.append(&mut tried);
    }

    /// How many ways were left out for having too many preemptions, when there is no next one.
    pub fn excluded(&self) -> u64 {
        self.candidates().count() as u64
    }

    /// Has one of `initials`, threads with alternatives, tried. Says whether that is new.
    pub fn want(&mut self, initials: &[Initial]) -> bool {
        let mut usable = initials.iter().filter(|i| has(&self.enabled, i.0));
        let Some(&(first, _)) = usable.clone().next() else {
            // Not known to happen. It must not be left out in any case.
            let before = std::mem::replace(&mut self.backtrack, self.enabled);
            return before != self.enabled;
        };
        if usable.any(|i| has(&self.backtrack, i.0)) {
            return false;
        }
        // What sleeps and could begin as well is explored where it is awake.
        let rests = |&(thread, choice): &Initial| match choice {
            Some(choice) => self.rest(thread, choice).is_some(),
            None => self.awake_from(thread, 0).is_none(),
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
