//! Reachability state by state, breadth first, with the plain interpreter: the ground truth, and shortest executions.

use super::question::{Question, Sort};
use super::{Answer, Blocked, Move, Outcome, Path, Reduction};
use crate::base::control::{Control, Stop};
use crate::engine::interpreter::{
    State, each_successor, holds, initial_candidates, initially_violated, is_initial, violates,
};
use crate::model::program::{Expr, LocId, Program, ThreadId};
use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::ControlFlow;

/// How a state was first met.
#[derive(Clone, Copy)]
struct Met {
    /// From which state, by which thread; none for initial states.
    from: Option<(u32, ThreadId)>,
    /// Without a violation, so that it is expanded.
    fine: bool,
    /// At a scheduling point.
    scheduling: bool,
}

struct Enumeration<'a> {
    program: &'a Program,
    control: &'a Control,
    questions: &'a [Question],
    most: usize,
    numbers: FxHashMap<State, u32>,
    states: Vec<State>,
    met: Vec<Met>,
    found: Vec<Option<u32>>,
    deadlocks: usize,
    /// That a thread has gone wrong; states where one has, and deadlocked ones among them.
    gone_wrong: Expr,
    wrong: (usize, usize),
    violated: bool,
    /// The first violation: the state behind it, and from which state by which thread.
    violation: Option<(u32, Option<(u32, ThreadId)>)>,
    /// States without a violation, in the order in which they were met so.
    fine: Vec<u32>,
}

/// Explores a program state by state, up to `most` states.
pub fn enumerate(
    program: &Program,
    questions: &[Question],
    reduction: Option<&Reduction>,
    most: usize,
    control: &Control,
) -> Outcome {
    let mut outcome = Outcome::begin("interpreter", questions.len());
    control.enter("interpreter: the reachable states");
    let mut search = Enumeration {
        program,
        control,
        questions,
        most,
        numbers: FxHashMap::default(),
        states: Vec::new(),
        met: Vec::new(),
        found: vec![None; questions.len()],
        deadlocks: 0,
        gone_wrong: program.gone_wrong(),
        wrong: (0, 0),
        violated: false,
        violation: None,
        fine: Vec::new(),
    };
    outcome.stopped = search.run(reduction).err();
    let all = search.states.len();
    if outcome.stopped.is_none() {
        outcome.states = Some(BigUint::from(match reduction {
            None => all,
            Some(_) => search.met.iter().filter(|m| m.scheduling).count(),
        }));
        outcome.wrong = match reduction {
            None => Some(BigUint::from(search.wrong.0)),
            Some(_) => None,
        };
        outcome.visited = reduction.map(|_| BigUint::from(all));
        if questions.iter().any(|q| q.sort == Sort::Deadlock) {
            outcome.deadlocks = Some(BigUint::from(search.deadlocks));
            outcome.wrong_deadlocks = Some(BigUint::from(search.wrong.1));
        }
    } else {
        outcome.so_far = Some(BigUint::from(all));
    }
    outcome.violated = search.violated;
    for ((answer, found), question) in outcome.answers.iter_mut().zip(&search.found).zip(questions)
    {
        if let (Sort::Violation, Some((n, from))) = (question.sort, search.violation) {
            *answer = Answer::Found(search.path((n, from), false));
        } else if let Some(n) = found {
            // Behind a violation, the execution to a state may come from another state than the one from which it was
            // first met.
            let shortest = reduction.is_none() && !search.violated;
            *answer = Answer::Found(search.path((*n, search.met[*n as usize].from), shortest));
        }
    }
    outcome
}

impl Enumeration<'_> {
    fn run(&mut self, reduction: Option<&Reduction>) -> Result<(), Stop> {
        for (tried, state) in initial_candidates(self.program).enumerate() {
            self.control.check()?;
            if tried >= self.most {
                return Err(Stop::States);
            }
            if is_initial(self.program, &state) {
                let fine = !initially_violated(self.program, &state);
                self.meet(state, None, fine, true)?;
            }
        }
        let mut next = 0;
        match reduction {
            None => {
                while let Some(&from) = self.fine.get(next) {
                    for thread in 0..self.program.threads.len() {
                        self.steps(from, thread, |_, _| true)?;
                    }
                    next += 1;
                }
            }
            Some(reduction) => self.reduced(reduction)?,
        }
        Ok(())
    }

    /// Takes a thread's steps from a state; `scheduling` says which states are counted. Returns those without a
    /// violation.
    fn steps(
        &mut self,
        number: u32,
        thread: ThreadId,
        scheduling: impl Fn(&Program, &State) -> bool,
    ) -> Result<Vec<u32>, Stop> {
        let from = self.states[number as usize].clone();
        let mut fine = Vec::new();
        let program = self.program;
        let outcome = each_successor(program, &from, thread, None, &mut |step| {
            let good = !violates(program, thread, &from, &step);
            let point = good && scheduling(program, &step.state);
            match self.meet(step.state, Some((number, thread)), good, point) {
                Ok(n) => {
                    if good {
                        fine.push(n);
                    }
                    ControlFlow::Continue(())
                }
                Err(stop) => ControlFlow::Break(stop),
            }
        });
        match outcome {
            ControlFlow::Break(stop) => Err(stop),
            ControlFlow::Continue(()) => Ok(fine),
        }
    }

    /// The reduced system: from each scheduling point, a visible step of a thread and its invisible ones, to where
    /// there are no more.
    fn reduced(&mut self, reduction: &Reduction) -> Result<(), Stop> {
        let visible = |t: ThreadId, l: LocId| reduction.visible[t][l];
        let mut expanded = 0;
        let mut queue: Vec<u32> = self.fine.clone();
        let mut queued: FxHashSet<u32> = queue.iter().copied().collect();
        while let Some(&from) = queue.get(expanded) {
            expanded += 1;
            for t in 0..self.program.threads.len() {
                if !visible(t, self.states[from as usize].location(t)) {
                    continue;
                }
                let ends = |program: &Program, state: &State| {
                    let at = state.location(t);
                    let goes_on = || {
                        each_successor(program, state, t, None, &mut |_| ControlFlow::Break(()))
                            .is_break()
                    };
                    visible(t, at) || reduction.when_blocked == Blocked::Ends && !goes_on()
                };
                let mut inside = self.steps(from, t, ends)?;
                let mut seen: FxHashSet<u32> = inside.iter().copied().collect();
                while let Some(n) = inside.pop() {
                    if ends(self.program, &self.states[n as usize]) {
                        if queued.insert(n) {
                            queue.push(n);
                        }
                        continue;
                    }
                    for next in self.steps(n, t, ends)? {
                        if seen.insert(next) {
                            inside.push(next);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn meet(
        &mut self,
        state: State,
        from: Option<(u32, ThreadId)>,
        fine: bool,
        scheduling: bool,
    ) -> Result<u32, Stop> {
        self.control.check()?;
        self.violated |= !fine;
        let known = self.numbers.get(&state).copied();
        if !fine && self.violation.is_none() {
            let n = known.unwrap_or(self.states.len() as u32);
            self.violation = Some((n, from));
        }
        if let Some(n) = known {
            let met = &mut self.met[n as usize];
            met.scheduling |= scheduling;
            if fine && !met.fine {
                // Its execution has to be one that goes on without a violation.
                met.fine = true;
                met.from = from;
                self.fine.push(n);
            }
            return Ok(n);
        }
        if self.states.len() >= self.most {
            return Err(Stop::States);
        }
        let n = self.states.len() as u32;
        let wrong = holds(self.program, &self.gone_wrong, &state);
        self.wrong.0 += usize::from(wrong);
        for (question, found) in self.questions.iter().zip(&mut self.found) {
            let counts = question.sort == Sort::Deadlock;
            if (counts || found.is_none()) && question.met(self.program, &state) {
                self.deadlocks += usize::from(counts);
                self.wrong.1 += usize::from(counts && wrong);
                found.get_or_insert(n);
            }
        }
        if fine {
            self.fine.push(n);
        }
        self.numbers.insert(state.clone(), n);
        self.states.push(state);
        self.met.push(Met {
            from,
            fine,
            scheduling,
        });
        Ok(n)
    }

    /// The execution to a state whose last step is the one given.
    fn path(&self, (to, last): (u32, Option<(u32, ThreadId)>), shortest: bool) -> Path {
        let mut moves = Vec::new();
        let (mut present, mut step) = (to, last);
        while let Some((from, thread)) = step {
            let (before, after) = (&self.states[from as usize], &self.states[present as usize]);
            moves.push(Move::between(self.program, thread, before, after));
            present = from;
            step = self.met[present as usize].from;
        }
        moves.reverse();
        Path {
            first: self.states[present as usize].clone(),
            moves,
            shortest,
        }
    }
}
