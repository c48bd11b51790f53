//! The behaviours of a program, state by state: all of them, or those in which the blocks of some threads are atomic.
//!
//! A block is atomic if, while a thread is inside, no other thread takes a step. Control is inside behind the block's
//! first step, until it leaves the block. An execution that gets stuck inside has nothing behind that.

use super::compile::Compiled;
use super::machine::{Machine, Site};
use super::visited::Visited;
use crate::base::control::{Control, Stop};
use crate::engine::State;
use crate::engine::interpreter::{initial_candidates, is_initial};
use crate::model::program::{Claim, LocId, Program, ThreadId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Where threads are inside the copies of a block, and which steps belong to it.
#[derive(Clone, Debug)]
pub struct Blocks {
    threads: Vec<Own>,
}

/// The block in a thread.
#[derive(Clone, Debug)]
struct Own {
    thread: ThreadId,
    /// By location, whether control is inside.
    inside: Vec<bool>,
    edges: FxHashSet<(LocId, usize)>,
}

impl Blocks {
    /// The blocks of a claim.
    pub fn new(program: &Program, claim: &Claim) -> Self {
        let mut threads: Vec<Own> = Vec::new();
        for block in &claim.blocks {
            let n = match threads.iter().position(|own| own.thread == block.thread) {
                Some(n) => n,
                None => {
                    threads.push(Own {
                        thread: block.thread,
                        inside: vec![false; program.threads[block.thread].locations.len()],
                        edges: FxHashSet::default(),
                    });
                    threads.len() - 1
                }
            };
            let own = &mut threads[n];
            block.inside.iter().for_each(|&l| own.inside[l] = true);
            own.edges.extend(&block.edges);
        }
        Blocks { threads }
    }

    /// The first thread that is inside.
    pub fn inside(&self, at: &dyn Fn(ThreadId) -> LocId) -> Option<ThreadId> {
        let mut threads = self.threads.iter();
        let found = threads.find(|own| own.inside[at(own.thread)])?;
        Some(found.thread)
    }

    /// Whether a thread's step along this edge of a location belongs to a block. Others may leave the same location.
    pub fn has(&self, thread: ThreadId, from: LocId, edge: usize) -> bool {
        let mut threads = self.threads.iter();
        threads.any(|own| own.thread == thread && own.edges.contains(&(from, edge)))
    }

    /// Whether a thread at a location is inside.
    pub fn is_inside(&self, thread: ThreadId, location: LocId) -> bool {
        let mut threads = self.threads.iter();
        threads.any(|own| own.thread == thread && own.inside[location])
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
        /// The edge, by its number at the location.
        edge: usize,
        /// If the thread goes wrong: at what.
        failed: Option<Site>,
        /// The protections that it violates, by number.
        violated: &'s BTreeSet<usize>,
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

/// A step that was taken.
struct Taken {
    thread: ThreadId,
    edge: usize,
    failed: Option<Site>,
    violated: BTreeSet<usize>,
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
        let mut taken: Vec<Taken> = Vec::new();
        while number < self.before.len() {
            self.control.check()?;
            let before = number as u32;
            self.visited.state(before, &mut state);
            let at = |t: ThreadId| compiled.layout.location(&state, t);
            let alone = atomic.and_then(|blocks| blocks.inside(&at));
            next.clear();
            taken.clear();
            for t in 0..compiled.threads.len() {
                if alone.is_some_and(|a| a != t) {
                    continue;
                }
                let _: ControlFlow<(), bool> = machine.each_step(&state, t, &mut |step| {
                    let violated = (!step.good).then(|| compiled.violated(t, &state, &step));
                    taken.push(Taken {
                        thread: t,
                        edge: step.edge,
                        failed: step.failed,
                        violated: violated.unwrap_or_default(),
                    });
                    next.extend_from_slice(step.after);
                    ControlFlow::Continue(())
                });
            }
            let deadlocked = taken.is_empty() && machine.is_deadlock(&state);
            for (step, to) in taken.iter().zip(next.chunks(compiled.layout.words)) {
                self.meet(to, (before, step.thread as u32), most)?;
                let step = Met::Step {
                    thread: step.thread,
                    before,
                    from: &state,
                    to,
                    edge: step.edge,
                    failed: step.failed,
                    violated: &step.violated,
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
            done += COST * (1 + taken.len() as u64);
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
