//! What the techniques of partial-order reduction work on: the pending steps of the threads in a state, with what they access.
//!
//! A thread's next step is one thing, whatever it chooses: it accesses what its guards read, the closed ones included, and what any of its
//! outcomes accesses. A step of another thread that is independent of that neither enables it, nor disables it, nor changes what it
//! does. On a reduced system a step is a coarse one: a visible step and the invisible ones behind it, on all branches.
//!
//! A question about states is a thread that only looks: an observer. It has no step; what it reads says which steps it has to be
//! shown apart. So all techniques need to keep what single threads see, and no more.

use crate::control::{Control, Stop};
use crate::explore::core::{Accesses, Compiled, Condition, Machine, Shared};
use crate::explore::reach::{Blocked, Question, Reduction, Sort};
use crate::explore::{Heuristic, State, initial_candidates, initially_violated, is_initial};
use crate::program::{Class, LocId, Program, ThreadId};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// What a thread may do next.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    /// What it leads to, each state once; nothing if the thread is disabled.
    pub after: Vec<Vec<u64>>,
    /// States inside a coarse step.
    pub inside: Vec<Vec<u64>>,
    /// What it accesses: of a disabled thread, what keeps it so.
    pub accesses: Accesses,
    /// Whether some outcome violates the discipline.
    pub violates: bool,
}

impl Pending {
    pub fn is_enabled(&self) -> bool {
        !self.after.is_empty()
    }
}

/// A program, ready for its steps to be taken, and what is asked of it.
pub(super) struct Steps<'c> {
    pub program: &'c Program,
    pub compiled: &'c Compiled,
    pub shared: &'c Shared,
    pub machine: Machine<'c>,
    reduction: Option<&'c Reduction>,
    pub control: &'c Control,
    /// The conditions observed, each with the value that is looked for, and its question.
    observed: Vec<(Condition, bool, usize)>,
    /// The question about deadlocks, and which are meant.
    deadlock: Option<(Condition, usize)>,
    /// By question, the states on the way to one that is asked for.
    pub found: Vec<Option<Vec<Vec<u64>>>>,
    pub violated: bool,
    pub transitions: u64,
    /// Steps at most.
    most: u64,
}

/// Compiles a program for [`Steps`].
///
/// # Errors
/// As [`Control::check`].
pub(super) fn compile(
    program: &Program,
    questions: &[Question],
    control: &Control,
) -> Result<Compiled, Stop> {
    let order = Heuristic::ALL[0].0.order(program);
    let asked = questions.iter().filter(|q| q.sort != Sort::Deadlock);
    let shared = Shared::new(program, asked.map(|q| &q.expr));
    Compiled::traced(program, &order, shared, control)
}

impl<'c> Steps<'c> {
    /// Of a program compiled by [`compile`]; none if it was compiled otherwise.
    pub fn new(
        program: &'c Program,
        compiled: &'c Compiled,
        questions: &[Question],
        reduction: Option<&'c Reduction>,
        (most, control): (u64, &'c Control),
    ) -> Option<Self> {
        let machine = Machine::new(compiled);
        let conditions = questions.iter().enumerate();
        Some(Steps {
            program,
            compiled,
            shared: compiled.shared()?,
            reduction,
            control,
            observed: conditions
                .filter(|(_, q)| q.sort != Sort::Deadlock)
                .map(|(n, q)| (machine.compile(program, &q.expr), q.sort == Sort::Find, n))
                .collect(),
            deadlock: (questions.iter().position(|q| q.sort == Sort::Deadlock))
                .map(|n| (machine.compile(program, &questions[n].expr), n)),
            machine,
            found: vec![None; questions.len()],
            violated: false,
            transitions: 0,
            most,
        })
    }

    /// The same for another worker, which finds nothing by itself.
    pub fn fork(&self) -> Self {
        Steps {
            machine: Machine::new(self.compiled),
            observed: self.observed.clone(),
            deadlock: self.deadlock.clone(),
            found: vec![None; self.found.len()],
            violated: false,
            transitions: 0,
            ..*self
        }
    }

    /// How many threads there are, observers left aside.
    pub fn threads(&self) -> usize {
        self.program.threads.len()
    }

    /// Whether steps are coarse.
    pub fn is_reduced(&self) -> bool {
        self.reduction.is_some()
    }

    /// The threads and behind them the observers whose questions are open.
    pub fn all(&self) -> impl Iterator<Item = ThreadId> + use<> {
        let open = self.observed.iter().enumerate();
        let open: Vec<usize> = open
            .filter(|(_, (_, _, q))| self.found[*q].is_none())
            .map(|(n, _)| self.threads() + n)
            .collect();
        (0..self.threads()).chain(open)
    }

    /// How many observers there are.
    pub fn observers(&self) -> usize {
        self.observed.len()
    }

    /// Whether what an observer looks for has been found.
    pub fn is_answered(&self, observer: ThreadId) -> bool {
        self.found[self.observed[observer - self.threads()].2].is_some()
    }

    /// Whether two states are the same to a thread that has accessed these things only.
    pub fn agree(&self, a: &[u64], b: &[u64], thread: ThreadId, accesses: &Accesses) -> bool {
        let layout = &self.compiled.layout;
        let mut cells = self.shared.cells_in(&accesses.accessed);
        self.location(a, thread) == self.location(b, thread)
            && cells.all(|c| layout.cell(a, c) == layout.cell(b, c))
    }

    /// The question about deadlocks.
    pub fn deadlock(&self) -> Option<usize> {
        self.deadlock.as_ref().map(|(_, question)| *question)
    }

    /// Whether a state is a deadlock that is asked for. No thread can tell which are: all are kept, since nothing follows them.
    pub fn is_dead(&self, state: &[u64]) -> bool {
        let meant = |(which, _): &(Condition, usize)| self.machine.holds(which, state);
        self.deadlock.as_ref().is_some_and(meant) && self.machine.is_deadlock(state)
    }

    /// The question of an observer.
    pub fn question(&self, observer: ThreadId) -> usize {
        self.observed[observer - self.threads()].2
    }

    /// Whether an observer sees what it looks for.
    pub fn sees(&self, state: &[u64], observer: ThreadId) -> bool {
        let (condition, wanted, _) = &self.observed[observer - self.threads()];
        self.machine.holds(condition, state) == *wanted
    }

    /// The initial states, as far as the limits go.
    ///
    /// # Errors
    /// [`Stop::States`] if there are too many candidates, or as [`Control::check`].
    pub fn initial(&mut self) -> Result<Vec<Vec<u64>>, Stop> {
        let mut all = Vec::new();
        for (tried, candidate) in initial_candidates(self.program).enumerate() {
            self.control.check()?;
            if tried >= self.control.budget().states {
                return Err(Stop::States);
            }
            if initially_violated(self.program, &candidate) && is_initial(self.program, &candidate)
            {
                self.violated = true;
            } else if is_initial(self.program, &candidate) {
                let mut state = vec![0; self.compiled.layout.words];
                self.compiled.layout.pack(&candidate, &mut state);
                all.push(state);
            }
        }
        Ok(all)
    }

    pub fn location(&self, state: &[u64], thread: ThreadId) -> LocId {
        self.machine.location(state, thread)
    }

    /// Whether a thread at a scheduling point can never go on: in a reduced system, one that is disabled at an invisible step.
    pub fn is_stuck(&self, state: &[u64], thread: ThreadId) -> bool {
        let visible = |r: &Reduction| r.visible[thread][self.location(state, thread)];
        thread < self.threads() && !self.reduction.is_none_or(visible)
    }

    /// What a thread, or an observer, may do next.
    ///
    /// # Errors
    /// As [`Control::check`].
    pub fn pending(&mut self, state: &[u64], thread: ThreadId) -> Result<Pending, Stop> {
        self.control.check()?;
        let mut pending = Pending {
            accesses: Accesses::none(self.shared.len()),
            ..Pending::default()
        };
        if thread >= self.threads() {
            let (condition, ..) = &self.observed[thread - self.threads()];
            self.machine
                .reads(condition, state, &mut pending.accesses.accessed);
            return Ok(pending);
        }
        let Some(reduction) = self.reduction else {
            pending.after = self.steps(state, thread, &mut pending)?;
            return Ok(pending);
        };
        let visible =
            |s: &Self, state: &[u64]| reduction.visible[thread][s.location(state, thread)];
        if !visible(self, state) {
            return Ok(pending);
        }
        let mut seen: FxHashSet<Vec<u64>> = FxHashSet::default();
        let mut waiting = self.steps(state, thread, &mut pending)?;
        while let Some(next) = waiting.pop() {
            if !seen.insert(next.clone()) {
                continue;
            }
            if visible(self, &next) {
                pending.after.push(next);
                continue;
            }
            // Whether the step ends here, or nowhere, depends on what the guards read.
            let behind = self.steps(&next, thread, &mut pending)?;
            match behind.is_empty() && reduction.when_blocked == Blocked::Ends {
                true => pending.after.push(next),
                false => pending.inside.push(next),
            }
            waiting.extend(behind);
        }
        Ok(pending)
    }

    /// The states behind the steps of a thread, each once.
    fn steps(
        &mut self,
        state: &[u64],
        thread: ThreadId,
        pending: &mut Pending,
    ) -> Result<Vec<Vec<u64>>, Stop> {
        let mut after: Vec<Vec<u64>> = Vec::new();
        let mut seen: FxHashSet<Vec<u64>> = FxHashSet::default();
        let (control, mut taken) = (self.control, 0u64);
        let ran = self.machine.each_step(state, thread, &mut |step| {
            taken += 1;
            if taken.is_multiple_of(OFTEN)
                && let Err(stop) = control.check()
            {
                return ControlFlow::Break(stop);
            }
            pending.accesses.add(step.accessed, step.written);
            pending.violates |= !step.good;
            // Nothing goes on behind a violation, as in the full exploration: to the others it is a step that is disabled.
            if !step.good {
                return ControlFlow::Continue(());
            }
            if after.last().map(Vec::as_slice) != Some(step.after)
                && seen.insert(step.after.to_vec())
            {
                after.push(step.after.to_vec());
            }
            ControlFlow::Continue(())
        });
        pending.accesses.add(self.machine.closed(), &[]);
        match ran {
            ControlFlow::Break(stop) => Err(stop),
            ControlFlow::Continue(_) => Ok(after),
        }
    }

    /// Counts steps that are taken.
    ///
    /// # Errors
    /// [`Stop::Operations`] if there are too many.
    pub fn count(&mut self, steps: usize) -> Result<(), Stop> {
        self.transitions += steps as u64;
        match self.transitions > self.most {
            true => Err(Stop::Operations),
            false => Ok(()),
        }
    }

    /// Looks for answers in a state; `way` gives the states that lead to it, itself included.
    pub fn look(&mut self, state: &[u64], way: impl Fn() -> Vec<Vec<u64>>) -> bool {
        for (condition, wanted, question) in &self.observed {
            if self.found[*question].is_none() && self.machine.holds(condition, state) == *wanted {
                self.found[*question] = Some(way());
            }
        }
        let dead = self.is_dead(state);
        if let Some(question) = self.deadlock().filter(|_| dead)
            && self.found[question].is_none()
        {
            self.found[question] = Some(way());
        }
        dead
    }

    /// A state as the interpreter has it.
    pub fn unpack(&self, state: &[u64]) -> State {
        self.compiled.layout.unpack(state)
    }

    /// Who alone may change what was read, if a mutex that is held is among it and nothing else is: its owner.
    pub fn holder(&self, state: &[u64], read: &Accesses) -> Option<ThreadId> {
        let mut cells = self.shared.cells_in(&read.accessed);
        let only = cells.next()?;
        let owner = self.compiled.layout.cell(state, only);
        let lone = cells.next().is_none() && self.program.cells[only].class == Class::Owner;
        (lone && owner >= 0).then_some(owner as ThreadId)
    }
}

/// Steps of one state after which the limits are looked at.
const OFTEN: u64 = 1 << 12;
