//! The outcomes of executions in which every thread ends: of all executions, or of those in which the blocks of some
//! threads are atomic.
//!
//! A block is atomic in an execution if, while a thread is inside, no other thread takes a step. An execution that gets
//! stuck there has no outcome, nor has one in which a thread goes wrong or does not end.

use super::compile::Compiled;
use super::machine::Machine;
use super::visited::Visited;
use crate::base::control::{Control, Stop};
use crate::engine::State;
use crate::engine::interpreter::{initial_candidates, is_initial};
use crate::model::program::{LocId, Program, ThreadId};
use std::ops::ControlFlow;

/// The locations inside a block of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Inside<'a> {
    /// The thread.
    pub thread: ThreadId,
    /// Sorted.
    pub locations: &'a [LocId],
}

/// An execution to an outcome, state by state, with the thread of each step.
pub type Execution = (State, Vec<(ThreadId, State)>);

/// Explores a program, or it with blocks that are atomic.
pub struct Outcomes<'c> {
    program: &'c Program,
    compiled: &'c Compiled,
    control: &'c Control,
    visited: Visited,
    /// For each state the one before it and the thread whose step leads here.
    before: Vec<(u32, u32)>,
    /// Whether some step violated the discipline.
    pub violated: bool,
}

/// In place of a state before.
const FIRST: u32 = u32::MAX;

impl<'c> Outcomes<'c> {
    /// Nothing explored yet.
    pub fn new(program: &'c Program, compiled: &'c Compiled, control: &'c Control) -> Self {
        Outcomes {
            program,
            compiled,
            control,
            visited: Visited::new(compiled.layout.words),
            before: Vec::new(),
            violated: false,
        }
    }

    /// Calls `each` with the last states of all executions that end, shortest first, until it breaks; gives the
    /// execution it broke at.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn explore(
        &mut self,
        atomic: &[Inside],
        each: &mut dyn FnMut(&State) -> ControlFlow<()>,
    ) -> Result<Option<Execution>, Stop> {
        let compiled = self.compiled;
        let mut machine = Machine::new(compiled);
        let ends: Option<Vec<LocId>> = self.program.threads.iter().map(|t| t.end).collect();
        let mut state = vec![0; compiled.layout.words];
        for (tried, candidate) in initial_candidates(self.program).enumerate() {
            self.control.check()?;
            if tried >= self.control.budget().states {
                return Err(Stop::States);
            }
            if is_initial(self.program, &candidate) {
                state.fill(0);
                compiled.layout.pack(&candidate, &mut state);
                self.meet(&state, FIRST, 0)?;
            }
        }
        let mut at = 0;
        let mut next: Vec<(u32, Vec<u64>)> = Vec::new();
        while at < self.before.len() {
            self.control.check()?;
            let number = at as u32;
            at += 1;
            self.visited.state(number, &mut state);
            let location = |t: ThreadId| compiled.layout.location(&state, t);
            if let Some(ends) = &ends
                && ends.iter().enumerate().all(|(t, &end)| location(t) == end)
            {
                if each(&compiled.layout.unpack(&state)).is_break() {
                    return Ok(Some(self.execution(number)));
                }
                continue;
            }
            let alone = atomic
                .iter()
                .find(|a| a.locations.binary_search(&location(a.thread)).is_ok())
                .map(|a| a.thread);
            let violated = &mut self.violated;
            for t in 0..compiled.threads.len() {
                if alone.is_some_and(|a| a != t) {
                    continue;
                }
                let _: ControlFlow<(), bool> = machine.each_step(&state, t, &mut |step| {
                    *violated |= !step.good;
                    next.push((t as u32, step.after.to_vec()));
                    ControlFlow::Continue(())
                });
            }
            for (thread, after) in std::mem::take(&mut next) {
                self.meet(&after, number, thread)?;
            }
        }
        Ok(None)
    }

    fn meet(&mut self, state: &[u64], before: u32, thread: u32) -> Result<(), Stop> {
        if self.visited.insert(state, self.control)?.1 {
            self.before.push((before, thread));
            if self.before.len() > self.control.budget().states {
                return Err(Stop::States);
            }
        }
        Ok(())
    }

    fn execution(&self, last: u32) -> Execution {
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
