//! What the techniques of partial-order reduction work on: the pending steps of the threads in a state, with what they
//! access.
//!
//! A thread's pending step accesses what its guards read, the closed ones included, and what any of its
//! outcomes accesses. A step of another thread that is independent of that neither enables it, nor disables it, nor
//! changes what it does. A step that was taken is one outcome, with what that accesses; what kept the other choices
//! closed is noted beside it. On a reduced system a step is a coarse one: a visible step and the invisible ones behind
//! it, which accesses what any branch does.
//!
//! A question about states is a thread that only looks: an observer. It has no step. Steps that change what it reads
//! must not be exchanged. So all techniques need to keep what single threads see, and no more.

use crate::base::control::{Control, Stop};
use crate::engine::compiled::{Accesses, Compiled, Condition, Machine, Shared};
use crate::engine::reach::{Blocked, Question, Reduction, Sort};
use crate::engine::{Heuristic, State, initial_candidates, initially_violated, is_initial};
use crate::model::program::{Class, LocId, Program, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::ControlFlow;

/// What a thread may do next.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    /// What it leads to, each state once; nothing if the thread is disabled.
    pub after: Vec<Vec<u64>>,
    /// The same with their accesses: choices that write different variables differ, even if they lead to one state.
    choices: Vec<Choice>,
    /// States inside a coarse step.
    pub inside: Vec<Vec<u64>>,
    /// What it accesses: of a disabled thread, what keeps it so.
    pub accesses: Accesses,
    /// What closed guards read, and all else that decides which outcomes there are.
    pub closed: Vec<u64>,
}

/// Where a choice leads, by number, and what it accesses.
type Choice = (usize, Accesses);

/// A choice of a step: what it leads to.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub after: Vec<u64>,
    /// What is accessed on the way there.
    pub accesses: Accesses,
}

impl Pending {
    pub fn is_enabled(&self) -> bool {
        !self.after.is_empty()
    }

    /// The choices.
    pub fn outcomes(&self) -> impl Iterator<Item = Outcome> {
        self.choices.iter().map(|(n, accesses)| Outcome {
            after: self.after[*n].clone(),
            accesses: accesses.clone(),
        })
    }
}

/// A program whose steps can be taken, and the questions about it.
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
    /// Whether some step that was seen, in a reachable state, violates the discipline.
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

/// Compiles a program without notes of accesses, with the states of [`compile`].
///
/// # Errors
/// As [`Control::check`].
pub(super) fn plain(program: &Program, control: &Control) -> Result<Compiled, Stop> {
    Compiled::new(program, &Heuristic::ALL[0].0.order(program), control)
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

    /// What an outcome of a thread's step changes: where it leads, and the cells that it writes, with their values.
    pub fn effect(&self, thread: ThreadId, outcome: &Outcome) -> Vec<(u32, i64)> {
        let (layout, after) = (&self.compiled.layout, &outcome.after);
        let to = (u32::MAX, layout.location(after, thread) as i64);
        let cells = self.shared.cells_in(&outcome.accesses.written);
        let written = cells.map(|c| (c as u32, layout.cell(after, c)));
        written.chain([to]).collect()
    }

    /// The state behind a step that has been taken elsewhere, if it does here what it did there.
    pub fn redone(&self, state: &[u64], thread: ThreadId, outcome: &Outcome) -> Vec<u64> {
        let (layout, mut after) = (&self.compiled.layout, state.to_vec());
        for c in self.shared.cells_in(&outcome.accesses.written) {
            layout.cells[c].set(&mut after, layout.cell(&outcome.after, c));
        }
        let to = layout.location(&outcome.after, thread);
        layout.locations[thread].set(&mut after, to as i64);
        after
    }

    /// The question about deadlocks.
    pub fn deadlock(&self) -> Option<usize> {
        self.deadlock.as_ref().map(|(_, question)| *question)
    }

    /// Whether a state is a deadlock that is asked for. All deadlocks are kept, since nothing follows them.
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

    /// Whether steps of a thread end at a location, unless it is blocked elsewhere.
    pub fn ends(&self, thread: ThreadId, location: LocId) -> bool {
        self.reduction.is_none_or(|r| r.visible[thread][location])
    }

    /// Whether a thread at a scheduling point can never go on: in a reduced system, one that is disabled at an
    /// invisible step.
    pub fn is_stuck(&self, state: &[u64], thread: ThreadId) -> bool {
        thread < self.threads() && !self.ends(thread, self.location(state, thread))
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
            (pending.after, pending.choices) = self.steps(state, thread, &mut pending)?;
            return Ok(pending);
        };
        let visible =
            |s: &Self, state: &[u64]| reduction.visible[thread][s.location(state, thread)];
        if !visible(self, state) {
            return Ok(pending);
        }
        let mut seen: FxHashSet<Vec<u64>> = FxHashSet::default();
        let (mut waiting, _) = self.steps(state, thread, &mut pending)?;
        while let Some(next) = waiting.pop() {
            if !seen.insert(next.clone()) {
                continue;
            }
            if visible(self, &next) {
                pending.after.push(next);
                continue;
            }
            // Whether the step ends here, or nowhere, depends on what the guards read.
            let (behind, _) = self.steps(&next, thread, &mut pending)?;
            match behind.is_empty() && reduction.when_blocked == Blocked::Ends {
                true => pending.after.push(next),
                false => pending.inside.push(next),
            }
            waiting.extend(behind);
        }
        let choice = |n| (n, pending.accesses.clone());
        pending.choices = (0..pending.after.len()).map(choice).collect();
        pending.closed.clone_from(&pending.accesses.accessed);
        Ok(pending)
    }

    /// What the steps of a thread access that is not run in a reduced system, as [`Steps::pending`] has it, and in the
    /// same room.
    ///
    /// # Errors
    /// As [`Control::check`].
    pub fn accesses(
        &mut self,
        state: &[u64],
        thread: ThreadId,
        into: &mut Accesses,
    ) -> Result<(), Stop> {
        into.accessed.fill(0);
        into.written.fill(0);
        let (control, mut taken) = (self.control, 0u64);
        let ran = self.machine.each_step(state, thread, &mut |step| {
            into.add(step.accessed, step.written);
            taken += 1;
            match taken.is_multiple_of(OFTEN).then(|| control.check()) {
                Some(Err(stop)) => ControlFlow::Break(stop),
                _ => ControlFlow::Continue(()),
            }
        });
        into.add(self.machine.closed(), &[]);
        match ran {
            ControlFlow::Break(stop) => Err(stop),
            ControlFlow::Continue(_) => Ok(()),
        }
    }

    /// What a thread's pending step may access in any state.
    pub fn mentions(&self, state: &[u64], thread: ThreadId) -> Accesses {
        let mut all = Accesses::none(self.shared.len());
        let mut waiting = vec![self.location(state, thread)];
        let mut n = 0;
        while let Some(&at) = waiting.get(n) {
            n += 1;
            let edges = &self.program.threads[thread].locations[at].edges;
            let own = self.shared.mentioned(self.program, (thread, at), edges);
            all.add(&own.accessed, &own.written);
            let Some(reduction) = self.reduction else {
                break;
            };
            for to in self.program.threads[thread].locations[at].targets() {
                if !reduction.visible[thread][to] && !waiting.contains(&to) {
                    waiting.push(to);
                }
            }
        }
        all
    }

    /// What the steps of a thread lead to, each state once, and which by which accesses.
    fn steps(
        &mut self,
        state: &[u64],
        thread: ThreadId,
        pending: &mut Pending,
    ) -> Result<(Vec<Vec<u64>>, Vec<Choice>), Stop> {
        let (mut after, mut choices) = (Vec::<Vec<u64>>::new(), Vec::<Choice>::new());
        let (mut numbers, mut seen) = (FxHashMap::default(), FxHashSet::default());
        let mut bad = Accesses::none(self.shared.len());
        let (control, mut taken) = (self.control, 0u64);
        let ran = self.machine.each_step(state, thread, &mut |step| {
            taken += 1;
            if taken.is_multiple_of(OFTEN)
                && let Err(stop) = control.check()
            {
                return ControlFlow::Break(stop);
            }
            pending.accesses.add(step.accessed, step.written);
            self.violated |= !step.good;
            // As in the full exploration, nothing follows a violation: for the others the step is disabled.
            if !step.good {
                bad.add(step.accessed, &[]);
                return ControlFlow::Continue(());
            }
            let accesses = Accesses {
                accessed: step.accessed.to_vec(),
                written: step.written.to_vec(),
            };
            // Most steps have one outcome, and need no table.
            if let ([only], [(_, same)]) = (after.as_slice(), choices.as_slice()) {
                if only == step.after && *same == accesses {
                    return ControlFlow::Continue(());
                }
                numbers.insert(only.clone(), 0);
                seen.insert((0, same.clone()));
            }
            let number = match after.is_empty() {
                true => 0,
                false => *numbers.entry(step.after.to_vec()).or_insert(after.len()),
            };
            if number == after.len() {
                after.push(step.after.to_vec());
            }
            if number == 0 && choices.is_empty() || seen.insert((number, accesses.clone())) {
                choices.push((number, accesses));
            }
            ControlFlow::Continue(())
        });
        bad.add(self.machine.closed(), &[]);
        pending.accesses.add(&bad.accessed, &[]);
        pending.closed = bad.accessed;
        match ran {
            ControlFlow::Break(stop) => Err(stop),
            ControlFlow::Continue(_) => Ok((after, choices)),
        }
    }

    /// Counts steps that are taken.
    ///
    /// # Errors
    /// [`Stop::Operations`] if there are too many.
    pub fn count(&mut self, steps: u64) -> Result<(), Stop> {
        self.transitions += steps;
        match self.transitions > self.most {
            true => Err(Stop::Operations),
            false => Ok(()),
        }
    }

    /// The open questions of observers that a state answers.
    pub fn answered(&self, state: &[u64]) -> Vec<usize> {
        let open = self
            .observed
            .iter()
            .filter(|(_, _, q)| self.found[*q].is_none());
        let seen = open.filter(|(c, wanted, _)| self.machine.holds(c, state) == *wanted);
        seen.map(|(_, _, question)| *question).collect()
    }

    /// Looks for answers in a state; `way` gives the states that lead to it, itself included.
    pub fn look(&mut self, state: &[u64], way: impl Fn() -> Vec<Vec<u64>>) -> bool {
        for question in self.answered(state) {
            self.found[question] = Some(way());
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

    /// The only thread that may change what was read, if that is just a mutex that is held: its owner.
    pub fn holder(&self, state: &[u64], read: &Accesses) -> Option<ThreadId> {
        let things: u32 = read.accessed.iter().map(|word| word.count_ones()).sum();
        let only = self.shared.cells_in(&read.accessed).next()?;
        let owner = self.compiled.layout.cell(state, only);
        // Where a thread is may be among what was read, too, and that is no cell.
        let lone = things == 1 && self.program.cells[only].class == Class::Owner;
        (lone && owner >= 0).then_some(owner as ThreadId)
    }
}

/// After this many steps of one state the limits are checked.
const OFTEN: u64 = 1 << 12;
