//! The behaviours of a program, state by state: all of them, or those in which the blocks of some threads are atomic.
//!
//! A block is atomic if, while a thread is inside, no other thread takes a step. Control is inside behind the block's
//! first step, until it leaves the block. An execution that gets stuck inside has nothing behind that.

use super::compile::Compiled;
use super::machine::Machine;
use super::visited::Visited;
use crate::base::control::{Control, Stop};
use crate::engine::State;
use crate::engine::interpreter::{initial_candidates, is_initial};
use crate::model::program::{Claim, LocId, Program, ThreadId};
use std::ops::ControlFlow;

/// Where threads are inside the copies of a block.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// By thread that has the block: for each location, whether control is inside, and whether the block begins there.
    threads: Vec<(ThreadId, Vec<bool>, Vec<bool>)>,
}

impl Blocks {
    /// The blocks of a claim.
    pub fn new(program: &Program, claim: &Claim) -> Self {
        let mut threads: Vec<(ThreadId, Vec<bool>, Vec<bool>)> = Vec::new();
        for block in &claim.blocks {
            let nowhere = || vec![false; program.threads[block.thread].locations.len()];
            let n = match threads.iter().position(|(t, ..)| *t == block.thread) {
                Some(n) => n,
                None => {
                    threads.push((block.thread, nowhere(), nowhere()));
                    threads.len() - 1
                }
            };
            block.inside.iter().for_each(|&l| threads[n].1[l] = true);
            block.entries.iter().for_each(|&l| threads[n].2[l] = true);
        }
        Blocks { threads }
    }

    /// The first thread that is inside.
    pub fn inside(&self, at: &dyn Fn(ThreadId) -> LocId) -> Option<ThreadId> {
        let mut threads = self.threads.iter();
        let found = threads.find(|(t, inside, _)| inside[at(*t)])?;
        Some(found.0)
    }

    /// Whether a thread's step from a location belongs to a block.
    pub fn has(&self, thread: ThreadId, from: LocId) -> bool {
        let mut threads = self.threads.iter();
        threads.any(|(t, inside, begins)| *t == thread && (inside[from] || begins[from]))
    }

    /// Whether a thread at a location is inside.
    pub fn is_inside(&self, thread: ThreadId, location: LocId) -> bool {
        let mut threads = self.threads.iter();
        threads.any(|(t, inside, _)| *t == thread && inside[location])
    }
}

/// What an exploration meets.
#[derive(Clone, Copy, Debug)]
pub enum Met<'s> {
    /// A step, from a state that was met before.
    Step {
        /// Whose step it is.
        thread: ThreadId,
        /// The number of the state before it.
        before: u32,
        /// The state before it.
        from: &'s [u64],
        /// The state behind it.
        to: &'s [u64],
        /// Whether it keeps the discipline.
        good: bool,
    },
    /// A state, once.
    State {
        /// Its number.
        number: u32,
        /// The state.
        state: &'s [u64],
        /// Whether no step is enabled, while some thread waits.
        deadlocked: bool,
    },
}

/// An execution, state by state, with the thread of each step.
pub type Execution = (State, Vec<(ThreadId, State)>);

/// Explores a program, or it with blocks that are atomic.
pub struct Behaviours<'c> {
    program: &'c Program,
    compiled: &'c Compiled,
    control: &'c Control,
    visited: Visited,
    /// For each state the one before it and the thread whose step leads here.
    before: Vec<(u32, u32)>,
}

/// What a step costs beside a pair of BDD nodes.
const COST: u64 = 2;

/// What is done before it is told.
const PORTION: u64 = 1 << 16;

/// In place of a state before.
const FIRST: u32 = u32::MAX;

impl<'c> Behaviours<'c> {
    /// Nothing explored yet.
    pub fn new(program: &'c Program, compiled: &'c Compiled, control: &'c Control) -> Self {
        Behaviours {
            program,
            compiled,
            control,
            visited: Visited::new(compiled.layout.words),
            before: Vec::new(),
        }
    }

    /// How many states were met.
    pub fn states(&self) -> usize {
        self.before.len()
    }

    /// Calls `each` with all steps and states, those with the shortest executions first, until it breaks.
    ///
    /// # Errors
    /// [`Stop::States`] if there are more than so many, and any other [`Stop`].
    pub fn explore(
        &mut self,
        atomic: Option<&Blocks>,
        most: usize,
        each: &mut dyn FnMut(Met) -> ControlFlow<()>,
    ) -> Result<(), Stop> {
        let compiled = self.compiled;
        let mut machine = Machine::new(compiled);
        let mut state = vec![0; compiled.layout.words];
        for (tried, candidate) in initial_candidates(self.program).enumerate() {
            self.control.check()?;
            if tried >= most {
                return Err(Stop::States);
            }
            if is_initial(self.program, &candidate) {
                state.fill(0);
                compiled.layout.pack(&candidate, &mut state);
                self.meet(&state, (FIRST, 0), most)?;
            }
        }
        let mut number = 0;
        let mut done = 0;
        let mut next: Vec<u64> = Vec::new();
        let mut whose: Vec<(u32, bool)> = Vec::new();
        while number < self.before.len() {
            self.control.check()?;
            let before = number as u32;
            self.visited.state(before, &mut state);
            let at = |t: ThreadId| compiled.layout.location(&state, t);
            let alone = atomic.and_then(|blocks| blocks.inside(&at));
            next.clear();
            whose.clear();
            for t in 0..compiled.threads.len() {
                if alone.is_some_and(|a| a != t) {
                    continue;
                }
                let _: ControlFlow<(), bool> = machine.each_step(&state, t, &mut |step| {
                    whose.push((t as u32, step.good));
                    next.extend_from_slice(step.after);
                    ControlFlow::Continue(())
                });
            }
            let deadlocked = whose.is_empty() && machine.is_deadlock(&state);
            for (&(thread, good), to) in whose.iter().zip(next.chunks(compiled.layout.words)) {
                self.meet(to, (before, thread), most)?;
                let step = Met::Step {
                    thread: thread as ThreadId,
                    before,
                    from: &state,
                    to,
                    good,
                };
                if each(step).is_break() {
                    return Ok(());
                }
            }
            let met = Met::State {
                number: before,
                state: &state,
                deadlocked,
            };
            if each(met).is_break() {
                return Ok(());
            }
            done += COST * (1 + whose.len() as u64);
            if done > PORTION {
                self.control.worked(std::mem::take(&mut done));
            }
            number += 1;
        }
        Ok(())
    }

    fn meet(&mut self, state: &[u64], from: (u32, u32), most: usize) -> Result<(), Stop> {
        if self.visited.insert(state, self.control)?.1 {
            self.before.push(from);
            if self.before.len() > most {
                return Err(Stop::States);
            }
        }
        Ok(())
    }

    /// An execution to a state.
    pub fn execution(&self, last: u32) -> Execution {
        let mut state = vec![0; self.compiled.layout.words];
        let mut steps = Vec::new();
        let mut present = last;
        loop {
            self.visited.state(present, &mut state);
            let told = self.compiled.layout.unpack(&state);
            let (before, thread) = self.before[present as usize];
            if before == FIRST {
                steps.reverse();
                return (told, steps);
            }
            steps.push((thread as ThreadId, told));
            present = before;
        }
    }
}
