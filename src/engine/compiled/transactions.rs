//! Transactions, depth first: Levin, Palmer, Qadeer and Rajamani 2005, figures 6 and 7.
//!
//! A thread is followed until its transaction ends: as long as it is in `R(t)` (only right movers so far) or `L(t)`
//! (committed, and its next step a left mover or local). Where it is in `N(t)`, all threads are scheduled. A committed
//! transaction may never end. Then the other threads would never see what it has done: this is the ignoring problem.
//! The techniques differ in what they do about it.
//!
//! Where it differs from the figure: `Xend` is set when a state is met, by the definition of `N(t)` (the figure sets it
//! with the next step, which a thread without one never takes); a state is kept once for all threads, with its phases;
//! a step that violates the discipline is an error, and nothing behind it is explored.

use super::compile::Compiled;
use super::machine::{Condition, Machine};
use super::visited::Visited;
use crate::base::control::{Control, Stop};
use crate::engine::interpreter::{initial_candidates, initially_violated, is_initial};
use crate::model::program::{Expr, Program, ThreadId};
use std::ops::ControlFlow;

/// What an action is to the other threads (section 3 of the paper).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mover {
    /// It shares nothing with them: the `T_L` of the paper, which is a mover in both directions.
    pub local: bool,
    /// It commutes to the right of their actions: properties (1) and (2).
    pub right: bool,
    /// It commutes to the left of them, and they do not disable it: (3) and (4).
    pub left: bool,
}

/// The movers of a program, by thread and location (locations without steps are none).
pub type Movers = Vec<Vec<Mover>>;

/// What is done about transactions that do not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technique {
    /// Nothing: errors may be missed.
    Unsound,
    /// A committed transaction ends where a step leads to a state on the stack.
    CycleDetection,
    /// A committed state from which no state with all threads scheduled was found ends the transaction (without line
    /// L19).
    Cpc,
    /// The same for commit points only: states behind the commit or a pure left mover (with line L19).
    CpcL19,
    /// The same without pure left movers: unsound, as figure 3 shows. It is here for that test.
    CommitsOnly,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Transactions {
    /// Program states in which all threads are scheduled, phases left aside.
    pub states: u64,
    /// States met, with the phases of the threads.
    pub visited: u64,
    /// Steps taken.
    pub transitions: u64,
    /// States in which a transaction could have gone on, but another thread that has a step was scheduled.
    pub forced: u64,
    /// Whether a step violates the discipline.
    pub violated: bool,
    /// For each condition asked, whether a state that satisfies it was met.
    pub met: Vec<bool>,
    /// Bytes held.
    pub bytes: usize,
}

/// It is known that the transaction can come to a state in which all threads are scheduled.
const COMPLETED: u8 = 1;
/// Its record is on the stack.
const ON_STACK: u8 = 2;
/// All threads are, or will be, scheduled.
const SCHEDULED: u8 = 4;

/// A state on the stack, the `TraversalInfo` of the paper.
struct Record {
    number: u32,
    thread: ThreadId,
    /// How many threads have been scheduled here, this one included.
    threads: usize,
    /// The states that the thread's steps lead to, and how many of them have been visited.
    next: Vec<u64>,
    at: usize,
    /// The step that led here.
    by: Mover,
    /// Whether the thread has committed and its transaction is not over.
    committed: bool,
}

struct TransactionSearch<'c> {
    compiled: &'c Compiled,
    control: &'c Control,
    movers: &'c Movers,
    initial: Vec<usize>,
    wrong: Vec<Option<usize>>,
    technique: Technique,
    machine: Machine<'c>,
    asked: Vec<(Condition, bool)>,
    /// Words of a program state, and with the phases.
    words: usize,
    wide: usize,
    visited: Visited,
    flags: Vec<u8>,
    stack: Vec<Record>,
    spare: Vec<Vec<u64>>,
    found: Transactions,
}

/// Explores a program by transactions and says which conditions have, in some state, the value that is asked for.
///
/// # Errors
/// Any [`Stop`]; with what was found so far.
pub fn transactions(
    program: &Program,
    compiled: &Compiled,
    movers: &Movers,
    technique: Technique,
    asked: &[(Expr, bool)],
    control: &Control,
) -> (Transactions, Result<(), Stop>) {
    let machine = Machine::new(compiled);
    let words = compiled.layout.words;
    let wide = words + program.threads.len().div_ceil(64);
    let mut search = TransactionSearch {
        compiled,
        control,
        movers,
        initial: program.threads.iter().map(|t| t.initial).collect(),
        wrong: program.threads.iter().map(|t| t.wrong).collect(),
        technique,
        asked: asked
            .iter()
            .map(|(e, wanted)| (machine.compile(program, e), *wanted))
            .collect(),
        machine,
        words,
        wide,
        visited: Visited::new(wide),
        flags: Vec::new(),
        stack: Vec::new(),
        spare: Vec::new(),
        found: Transactions {
            met: vec![false; asked.len()],
            ..Transactions::default()
        },
    };
    let done = search.run(program);
    search.found.visited = search.visited.len() as u64;
    // All that was on the stack is among what was given back.
    let stack: usize = search.spare.iter().map(|s| s.capacity() * 8).sum();
    search.found.bytes = search.visited.bytes() + search.flags.capacity() + stack;
    let projected = search.project();
    (search.found, done.and(projected))
}

impl TransactionSearch<'_> {
    fn run(&mut self, program: &Program) -> Result<(), Stop> {
        let mut state = vec![0; self.wide];
        for (tried, candidate) in initial_candidates(program).enumerate() {
            self.control.check()?;
            if tried >= self.control.budget().states {
                return Err(Stop::States);
            }
            if !is_initial(program, &candidate) {
                continue;
            }
            state.fill(0);
            self.compiled.layout.pack(&candidate, &mut state);
            if initially_violated(program, &candidate) {
                self.found.violated = true;
                self.look(&state);
                continue;
            }
            let (number, fresh) = self.visited.insert(&state, self.control)?;
            if fresh {
                self.look(&state);
                self.flags.push(0);
                let nothing = Mover {
                    local: true,
                    right: true,
                    left: true,
                };
                self.push(number, &state, 0, nothing);
                self.search()?;
            }
        }
        Ok(())
    }

    /// Until the stack is empty.
    fn search(&mut self) -> Result<(), Stop> {
        let mut state = vec![0; self.wide];
        while let Some(top) = self.stack.last_mut() {
            self.control.check()?;
            let from = top.at;
            if from == top.next.len() {
                self.leave(&mut state);
                continue;
            }
            top.at += self.wide;
            state.copy_from_slice(&top.next[from..top.at]);
            let (here, thread, committed) = (top.number as usize, top.thread, top.committed);
            let (number, fresh) = self.visited.insert(&state, self.control)?;
            if fresh {
                if self.visited.len() > self.control.budget().states {
                    return Err(Stop::States);
                }
                self.look(&state);
                self.flags.push(0);
                let mover = self.mover(here, thread);
                self.push(number, &state, thread, mover);
                continue;
            }
            let flags = self.flags[number as usize];
            self.flags[here] |= flags & COMPLETED;
            let closes = flags & ON_STACK != 0 && committed;
            if self.technique == Technique::CycleDetection
                && closes
                && self.flags[here] & SCHEDULED == 0
            {
                self.visited.state(here as u32, &mut state);
                self.force(&state, thread);
                self.flags[here] |= SCHEDULED | COMPLETED;
            }
        }
        Ok(())
    }

    /// The present thread has no more steps here: the next one's turn, or none's.
    fn leave(&mut self, state: &mut [u64]) {
        let Some(mut top) = self.stack.pop() else {
            return;
        };
        let Mover { local, right, left } = top.by;
        let forced = match self.technique {
            Technique::Unsound | Technique::CycleDetection => false,
            Technique::Cpc => true,
            Technique::CpcL19 => !(right || local),
            Technique::CommitsOnly => !(right || left || local),
        };
        let mut flags = self.flags[top.number as usize];
        if forced && top.committed && flags & COMPLETED == 0 {
            self.visited.state(top.number, state);
            self.force(state, top.thread);
            flags |= SCHEDULED;
        }
        if flags & SCHEDULED != 0 {
            flags |= COMPLETED;
        }
        self.flags[top.number as usize] = flags;
        if let Some(before) = self.stack.last() {
            self.flags[before.number as usize] |= flags & COMPLETED;
        }
        let all = self.compiled.threads.len();
        if flags & SCHEDULED != 0 && top.threads < all {
            top.threads += 1;
            top.thread = (top.thread + 1) % all;
            self.visited.state(top.number, state);
            top.committed = false;
            top.at = 0;
            self.expand(state, top.thread, &mut top.next);
            self.stack.push(top);
            return;
        }
        self.flags[top.number as usize] &= !ON_STACK;
        self.spare.push(top.next);
    }

    /// Counts a state in which other threads are scheduled inside a transaction, if they have steps.
    fn force(&mut self, state: &[u64], thread: ThreadId) {
        let all = self.compiled.threads.len();
        let another = (0..all).any(|t| t != thread && self.machine.is_enabled(state, t));
        self.found.forced += u64::from(another);
    }

    /// A state that was met for the first time, by a step of a thread.
    fn push(&mut self, number: u32, state: &[u64], thread: ThreadId, by: Mover) {
        let committed = self.is_committed(state, thread);
        let l = self.machine.location(state, thread);
        let outside = l == self.initial[thread] || Some(l) == self.wrong[thread];
        // R(t), L(t) and N(t) of section 3.
        let ends = outside || !(self.phase(state, thread) || committed);
        self.flags[number as usize] |= match ends {
            true => ON_STACK | SCHEDULED | COMPLETED,
            false => ON_STACK,
        };
        let mut next = self.spare.pop().unwrap_or_default();
        self.expand(state, thread, &mut next);
        self.stack.push(Record {
            number,
            thread,
            threads: 1,
            next,
            at: 0,
            by,
            committed: committed && !outside,
        });
    }

    /// Whether the phase is post-commit and a left mover or local step is enabled.
    fn is_committed(&self, state: &[u64], thread: ThreadId) -> bool {
        let mover = self.movers[thread][self.machine.location(state, thread)];
        !self.phase(state, thread)
            && (mover.left || mover.local)
            && self.machine.is_enabled(state, thread)
    }

    fn phase(&self, state: &[u64], thread: ThreadId) -> bool {
        state[self.words + thread / 64] >> (thread % 64) & 1 == 1
    }

    /// The mover that a thread's step from a state is.
    fn mover(&self, number: usize, thread: ThreadId) -> Mover {
        let mut state = vec![0; self.wide];
        self.visited.state(number as u32, &mut state);
        self.movers[thread][self.machine.location(&state, thread)]
    }

    /// The instrumented steps `T#` of a thread.
    fn expand(&mut self, state: &[u64], thread: ThreadId, next: &mut Vec<u64>) {
        next.clear();
        let mover = self.movers[thread][self.machine.location(state, thread)];
        let before = self.phase(state, thread);
        let phase = match mover.local {
            true => before,
            false => mover.right && (before || !mover.left),
        };
        let (words, wide) = (self.words, self.wide);
        let (violated, transitions) = (&mut self.found.violated, &mut self.found.transitions);
        let (word, bit) = (thread / 64, thread % 64);
        let _: ControlFlow<(), bool> =
            self.machine
                .each_step(&state[..words], thread, &mut |step| {
                    *transitions += 1;
                    if !step.good {
                        *violated = true;
                        return ControlFlow::Continue(());
                    }
                    next.extend_from_slice(step.after);
                    next.extend_from_slice(&state[words..wide]);
                    let at = next.len() - (wide - words) + word;
                    next[at] = next[at] & !(1 << bit) | u64::from(phase) << bit;
                    ControlFlow::Continue(())
                });
    }

    fn look(&mut self, state: &[u64]) {
        for ((condition, wanted), met) in self.asked.iter().zip(&mut self.found.met) {
            *met = *met || self.machine.holds(condition, &state[..self.words]) == *wanted;
        }
    }

    /// Counts the program states in which all threads are scheduled.
    fn project(&mut self) -> Result<(), Stop> {
        let mut state = vec![0; self.wide];
        let mut all = Visited::new(self.words);
        for (n, flags) in self.flags.iter().enumerate() {
            if flags & SCHEDULED != 0 {
                self.visited.state(n as u32, &mut state);
                all.insert(&state[..self.words], self.control)?;
            }
        }
        self.found.states = all.len() as u64;
        Ok(())
    }
}
