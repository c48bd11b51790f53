//! Exploration with persistent and stubborn sets (`sets.rs`), states kept: Valmari 1991; Godefroid 1996, chapter 5.
//!
//! Deadlocks are kept by the sets alone. So that no thread is put off for ever (the ignoring problem), the search finds
//! the strongly connected components of what it explores (Tarjan 1972; Valmari 2017). If no step leads out of one, and
//! a thread that is enabled in it is never taken there, its first state is expanded once more, with that thread.
//!
//! A state with one successor to which a step forwards in its thread's text led is not kept: it is run through again
//! whenever it is met. Every cycle has a step that does not lead forwards, so each has a state that is kept.

use super::Searched;
use super::sets::{Chooser, Sets};
use super::steps::Steps;
use crate::base::control::Stop;
use crate::engine::compiled::{Accesses, Machine, Visited};
use crate::model::program::ThreadId;

/// The states of a search, with the ways to them.
struct StubbornSearch<'s, 'c> {
    steps: &'s mut Steps<'c>,
    chooser: Chooser<'c>,
    visited: Visited,
    /// By state, whether its component is complete.
    complete: Vec<bool>,
    /// The states whose components are not complete, as they were met.
    open: Vec<u32>,
    /// By state, the one before it that is kept, and where the way from there begins.
    parents: Vec<(u32, u32)>,
    /// Ways from one state that is kept to the next: the number of an outcome, then threads with their steps one after
    /// another. All but the first have one outcome.
    ways: Vec<u32>,
    stack: Vec<Record>,
    /// Of the states on the stack, what they lead to: a thread and the number of the outcome, then the state.
    next: Vec<u64>,
    /// Of the states on the stack, the threads taken in the states of the component behind this one, and here.
    moved: Vec<u64>,
    /// The state at hand, and the way to it from the last one that is kept.
    state: Vec<u64>,
    way: Vec<u32>,
    after: Vec<u64>,
    deadlocks: u64,
    /// States met inside coarse steps, too.
    inside: Option<Visited>,
}

struct Record {
    number: u32,
    /// Where in `next` its successors begin, and which is the next.
    begin: usize,
    at: usize,
    /// The earliest state that is known to be in the same component.
    low: u32,
    /// Whether a step leads out of the component.
    leaves: bool,
}

const NOBODY: u32 = u32::MAX;

/// Explores with such sets. Steps whose accesses nobody asks for are taken by the plain machine.
///
/// # Errors
/// As [`Chooser::new`].
pub(super) fn explore<'c>(
    steps: &mut Steps<'c>,
    sets: Sets,
    looks: Vec<Accesses>,
    plain: Option<Machine<'c>>,
) -> Result<Searched, Stop> {
    let words = steps.compiled.layout.words;
    let mut search = StubbornSearch {
        chooser: Chooser::new(steps, sets, looks, plain)?,
        inside: steps.is_reduced().then(|| Visited::new(words)),
        visited: Visited::new(words),
        complete: Vec::new(),
        open: Vec::new(),
        parents: Vec::new(),
        ways: Vec::new(),
        stack: Vec::new(),
        next: Vec::new(),
        moved: Vec::new(),
        state: vec![0; words],
        way: Vec::new(),
        after: Vec::new(),
        deadlocks: 0,
        steps,
    };
    let stopped = search.run().err();
    let bytes = search.visited.bytes()
        + search.complete.capacity()
        + search.parents.capacity() * 8
        + search.ways.capacity() * 4
        + search.inside.as_ref().map_or(0, Visited::bytes);
    Ok(Searched {
        states: Some(search.visited.len() as u64),
        visited: search.inside.as_ref().map(|all| all.len() as u64),
        deadlocks: Some(search.deadlocks),
        memory: Some(bytes),
        stopped,
        ..Searched::default()
    })
}

/// A step in `next`: the thread, the number of the outcome, and whether it leads forwards in the thread's text.
fn head(thread: ThreadId, outcome: usize, forwards: bool) -> u64 {
    thread as u64 | (outcome as u64) << 32 | u64::from(forwards) << 63
}

fn thread_of(head: u64) -> ThreadId {
    (head & u64::from(u32::MAX)) as ThreadId
}

fn is_forwards(head: u64) -> bool {
    head >> 63 == 1
}

impl StubbornSearch<'_, '_> {
    fn run(&mut self) -> Result<(), Stop> {
        let words = self.state.len();
        for state in self.steps.initial()? {
            self.state.copy_from_slice(&state);
            self.way.clear();
            self.follow(NOBODY, 0, true)?;
            while let Some(top) = self.stack.last_mut() {
                let (from, at) = (top.number, top.at);
                if at < self.next.len() {
                    top.at += 1 + words;
                    let head = self.next[at];
                    self.state
                        .copy_from_slice(&self.next[at + 1..at + 1 + words]);
                    self.way.clear();
                    self.way.push((head << 1 >> 33) as u32);
                    self.way.push((thread_of(head) as u32) << 8 | 1);
                    self.follow(from, thread_of(head), !is_forwards(head))?;
                } else if self.all_had_turns()? {
                    self.leave();
                }
            }
        }
        Ok(())
    }

    /// Takes the last state off the stack. Its component is complete if it is the first one of it.
    fn leave(&mut self) {
        let Some(last) = self.stack.pop() else {
            return;
        };
        self.next.truncate(last.begin);
        let wide = self.wide();
        let end = self.moved.len() - wide;
        let is_first = last.low == last.number;
        while is_first && self.open.last().is_some_and(|&n| n >= last.number) {
            let member = self.open.pop();
            member
                .into_iter()
                .for_each(|n| self.complete[n as usize] = true);
        }
        if let Some(before) = self.stack.last_mut() {
            before.leaves |= is_first || last.leaves;
            if !is_first {
                before.low = before.low.min(last.low);
                for n in end..end + wide {
                    self.moved[n - wide] |= self.moved[n];
                }
            }
        }
        self.moved.truncate(end);
    }

    /// Words of a set of threads.
    fn wide(&self) -> usize {
        self.steps.threads().div_ceil(64)
    }

    /// Notes that a thread is taken in the state on top of the stack, or on a way from there.
    fn note(&mut self, thread: ThreadId) {
        if let Some(begin) = self.moved.len().checked_sub(self.wide()) {
            self.moved[begin + thread / 64] |= 1 << (thread % 64);
        }
    }

    /// Whether all threads that are enabled in the last state had their turn, or have it elsewhere. If not, one that
    /// had none is taken now.
    fn all_had_turns(&mut self) -> Result<bool, Stop> {
        let Some(last) = self.stack.last() else {
            return Ok(true);
        };
        if last.leaves || last.low != last.number || last.begin == self.next.len() {
            return Ok(true);
        }
        self.visited.state(last.number, &mut self.state);
        let moved = self.moved[self.moved.len() - self.wide()..].to_vec();
        let begin = self.next.len();
        self.chooser.begin(self.steps, &self.state)?;
        if self.private(0, &moved)? == 0 {
            self.chosen(0, &moved)?;
        }
        self.taken(begin)?;
        Ok(begin == self.next.len())
    }

    /// Follows a step of a thread to a state that is to be kept, and goes there. `keep` says that this one is.
    fn follow(&mut self, from: u32, mut by: ThreadId, mut keep: bool) -> Result<(), Stop> {
        let control = self.steps.control;
        loop {
            self.look(from)?;
            if keep && !self.keep(from)? {
                return Ok(());
            }
            let begin = self.next.len();
            self.chooser.begin(self.steps, &self.state)?;
            let mut count = self.private(by, &[])?;
            if !keep
                && count != 1
                && let Some(known) = self.visited.find(&self.state)
            {
                self.next.truncate(begin);
                self.met(known);
                return Ok(());
            }
            if count == 0 {
                count = self.chosen(by, &[])?;
            }
            if !keep && count == 1 {
                control.check()?;
                self.steps.count(1)?;
                let head = self.next[begin];
                self.state.copy_from_slice(&self.next[begin + 1..]);
                self.next.truncate(begin);
                by = thread_of(head);
                keep = !is_forwards(head);
                self.note(by);
                self.enter(by)?;
                match self.way.last_mut() {
                    Some(run) if (*run >> 8) as usize == by && *run & RUN < RUN => *run += 1,
                    _ => self.way.push((by as u32) << 8 | 1),
                }
                continue;
            }
            if !keep {
                self.keep(from)?;
            }
            let number = self.visited.len() as u32 - 1;
            self.stack.push(Record {
                number,
                begin,
                at: begin,
                low: number,
                leaves: false,
            });
            self.moved.resize(self.moved.len() + self.wide(), 0);
            let dead = count == 0 && self.steps.is_dead(&self.state);
            self.deadlocks += u64::from(dead);
            if let Some(question) = self.steps.deadlock().filter(|_| dead)
                && self.steps.found[question].is_none()
            {
                self.steps.found[question] = Some(self.way_to(from)?);
            }
            return self.taken(begin);
        }
    }

    /// Looks for what is asked in the state at hand.
    fn look(&mut self, from: u32) -> Result<(), Stop> {
        if let Some(all) = &mut self.inside {
            all.insert(&self.state, self.steps.control)?;
        }
        for question in self.steps.answered(&self.state) {
            self.steps.found[question] = Some(self.way_to(from)?);
        }
        Ok(())
    }

    /// Keeps the state at hand; whether it is new.
    fn keep(&mut self, from: u32) -> Result<bool, Stop> {
        let control = self.steps.control;
        control.check()?;
        let (number, fresh) = self.visited.insert(&self.state, control)?;
        if !fresh {
            self.met(number);
            return Ok(false);
        }
        if self.visited.len() > control.budget().states {
            return Err(Stop::States);
        }
        self.complete.push(false);
        self.open.push(number);
        let begin = u32::try_from(self.ways.len()).map_err(|_| Stop::Memory)?;
        self.parents.push((from, begin));
        self.ways.extend_from_slice(&self.way);
        Ok(true)
    }

    /// A state that is kept already is met from the one on top of the stack.
    fn met(&mut self, number: u32) {
        let complete = self.complete[number as usize];
        if let Some(before) = self.stack.last_mut() {
            before.leaves |= complete;
            before.low = before.low.min(if complete { before.low } else { number });
        }
    }

    /// Puts into `next` the steps of a thread that concern nobody else, if one that has not `moved` has such, and says
    /// how many there are.
    fn private(&mut self, by: ThreadId, moved: &[u64]) -> Result<usize, Stop> {
        for thread in (by..self.steps.threads()).chain(0..by) {
            if !has(moved, thread) && self.chooser.is_private(self.steps, &self.state, thread) {
                let count = self.put(thread)?;
                if count > 0 {
                    return Ok(count);
                }
            }
        }
        Ok(0)
    }

    /// Puts into `next` the steps of a set, and says how many there are.
    fn chosen(&mut self, by: ThreadId, moved: &[u64]) -> Result<usize, Stop> {
        let is_out = |t: ThreadId| has(moved, t);
        let chosen = self.chooser.choose(self.steps, &self.state, by, is_out)?;
        let mut count = 0;
        for n in 0..chosen {
            count += self.put(self.chooser.best(n))?;
        }
        Ok(count)
    }

    fn put(&mut self, thread: ThreadId) -> Result<usize, Stop> {
        self.after.clear();
        let count = self
            .chooser
            .after(self.steps, &self.state, thread, &mut self.after)?;
        let before = self.steps.location(&self.state, thread);
        for (n, after) in self.after.chunks_exact(self.state.len()).enumerate() {
            let forwards = self.steps.location(after, thread) > before;
            self.next.push(head(thread, n, forwards));
            self.next.extend_from_slice(after);
        }
        Ok(count)
    }

    /// Counts the steps from some place in `next` on as taken from the state on top of the stack.
    fn taken(&mut self, begin: usize) -> Result<(), Stop> {
        let (mut at, mut last) = (begin, None);
        while let Some(&head) = self.next.get(at) {
            at += 1 + self.state.len();
            self.steps.count(1)?;
            if last.replace(thread_of(head)) != Some(thread_of(head)) {
                self.note(thread_of(head));
                self.enter(thread_of(head))?;
            }
        }
        Ok(())
    }

    /// Notes the states inside a coarse step.
    fn enter(&mut self, thread: ThreadId) -> Result<(), Stop> {
        if let Some(all) = &mut self.inside {
            for state in self.chooser.inside(thread) {
                all.insert(state, self.steps.control)?;
            }
        }
        Ok(())
    }

    /// The states that lead to the one at hand, itself included.
    fn way_to(&mut self, from: u32) -> Result<Vec<Vec<u64>>, Stop> {
        let mut ways = vec![self.way.clone()];
        let mut first = from;
        if first == NOBODY {
            return Ok(vec![self.state.clone()]);
        }
        while let (before, begin) = self.parents[first as usize]
            && before != NOBODY
        {
            let end = self.parents.get(first as usize + 1);
            let end = end.map_or(self.ways.len(), |(_, end)| *end as usize);
            ways.push(self.ways[begin as usize..end].to_vec());
            first = before;
        }
        let mut state = vec![0; self.state.len()];
        self.visited.state(first, &mut state);
        let mut all = vec![state.clone()];
        for way in ways.iter().rev() {
            let mut outcome = way[0] as usize;
            for run in &way[1..] {
                for _ in 0..run & RUN {
                    self.after.clear();
                    self.chooser.begin(self.steps, &state)?;
                    let thread = (run >> 8) as ThreadId;
                    self.chooser
                        .after(self.steps, &state, thread, &mut self.after)?;
                    let begin = std::mem::take(&mut outcome) * state.len();
                    state = self.after[begin..begin + state.len()].to_vec();
                    all.push(state.clone());
                }
            }
        }
        Ok(all)
    }
}

/// The bits of the number of steps in a run.
const RUN: u32 = 0xff;

fn has(set: &[u64], thread: ThreadId) -> bool {
    set.get(thread / 64)
        .is_some_and(|word| word >> (thread % 64) & 1 == 1)
}
