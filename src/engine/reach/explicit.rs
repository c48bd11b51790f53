//! Reachability on the explicit core.

use super::kept::from_search;
use super::question::{Question, Sort};
use super::{Answer, Move, Outcome, Path, Reduction};
use crate::base::control::{Control, Stop};
use crate::engine::Variable;
use crate::engine::compiled::{Compiled, ExplicitSearch, Found, Mode};
use crate::engine::interpreter::{State, each_successor, violates};
use crate::engine::quotients::Symmetry;
use crate::model::program::{Program, ThreadId};
use num_bigint::BigUint;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// What an operation costs, in pairs of BDD nodes; and one of a reduced system, which also asks what kind of step it is
/// and who sees it.
const COST: u64 = 6;
const COST_REDUCED: u64 = 12;

/// How many there are before others may have their turns.
const PORTION: u64 = 1 << 19;

/// Explores a program by its compiled form, its variables lying in this order, in about so many operations at most.
pub fn explicit(
    program: &Program,
    questions: &[Question],
    order: &[Variable],
    (reduction, symmetry): (Option<&Reduction>, Option<&Symmetry>),
    how: (Mode, usize),
    most: u64,
    control: &Control,
) -> Outcome {
    control.enter("explicit: compiling");
    let compiled = match Compiled::new(program, order, control) {
        Ok(compiled) => compiled,
        Err(stop) => {
            let mut outcome = Outcome::begin("explicit", questions.len());
            outcome.stopped = Some(stop);
            return outcome;
        }
    };
    let up_to = (reduction, symmetry);
    let search = ExplicitSearch::new(program, &compiled, questions, up_to, how, control);
    let mut running = Running {
        program,
        compiled: &compiled,
        order,
        questions,
        reduction,
        symmetry,
        search,
        mode: how.0,
        keep: false,
    };
    running.go_on((most, usize::MAX), true, control)
}

/// A search that may be interrupted.
pub(super) struct Running<'c> {
    pub program: &'c Program,
    pub compiled: &'c Compiled,
    /// The variables in the order of the states' bits.
    pub order: &'c [Variable],
    pub questions: &'c [Question],
    pub reduction: Option<&'c Reduction>,
    pub symmetry: Option<&'c Symmetry>,
    pub search: ExplicitSearch<'c>,
    pub mode: Mode,
    /// Whether all states are wanted.
    pub keep: bool,
}

impl Running<'_> {
    /// Explores until nothing is left, or as far as is given; others have their turns meanwhile.
    fn run(&mut self, (most, states): (u64, usize), control: &Control) -> Result<(), Stop> {
        let (begun, mut done) = (self.search.spent(), 0);
        let cost = match self.reduction {
            Some(_) => COST_REDUCED,
            None => COST,
        };
        loop {
            let ended = self.search.run(PORTION.min(most - done), states);
            let so_far = self.search.spent() - begun;
            control.worked((so_far - done).saturating_mul(cost));
            done = so_far.min(most);
            match ended {
                Err(Stop::Operations) if done < most => control.check()?,
                ended => return ended,
            }
        }
    }

    /// Goes on for the given number of operations, up to the given number of states. Answers come when all is explored,
    /// or if these are the `last`.
    pub fn go_on(
        &mut self,
        (most, states): (u64, usize),
        last: bool,
        control: &Control,
    ) -> Outcome {
        let mut outcome = Outcome::begin("explicit", self.questions.len());
        control.enter("explicit: the reachable states");
        outcome.stopped = self.run((most, states), control).err();
        let found = self.search.found();
        if outcome.stopped.is_none() {
            count(
                &found,
                self.questions,
                self.reduction.is_some(),
                &mut outcome,
            );
        } else {
            outcome.so_far = Some(BigUint::from(found.states));
        }
        outcome.violated = found.violated;
        if self.keep && outcome.stopped.is_none() && !outcome.violated && self.reduction.is_none() {
            let states = (self.compiled, &self.search);
            match from_search(self.program, self.order, states, control) {
                Ok(kept) => outcome.kept = Some(kept),
                Err(stop) => outcome.stopped = Some(stop),
            }
        }
        outcome.memory = Some(found.bytes);
        outcome.operations = Some(found.operations);
        outcome.transitions = Some(found.transitions);
        let is_wanted = last || outcome.stopped == Some(Stop::Settled);
        if outcome.stopped.is_some() && !is_wanted {
            return outcome;
        }
        for (n, answer) in outcome.answers.iter_mut().enumerate() {
            if let Some(states) = self.search.execution(n) {
                let unpack = |s: &Vec<u64>| self.compiled.layout.unpack(s);
                let states: Vec<State> = states.iter().map(unpack).collect();
                let breadth = self.reduction.is_none() && self.mode == Mode::Breadth;
                let how = Way {
                    shortest: breadth && !found.violated,
                    badly: self.questions[n].sort == Sort::Violation,
                };
                let up_to = (self.reduction, self.symmetry);
                let (p, asked) = (self.program, self.questions);
                let turned = |path| match self.symmetry {
                    Some(symmetry) => symmetry.turned(p, asked, n, path),
                    None => path,
                };
                *answer = match execution(p, up_to, &states, how, control) {
                    Ok(path) => Answer::Found(turned(path)),
                    Err(stop) => Answer::Somewhere(stop),
                };
            }
        }
        outcome
    }
}

/// Puts the numbers of a search that has ended into its outcome.
pub(crate) fn count(found: &Found, questions: &[Question], reduced: bool, outcome: &mut Outcome) {
    outcome.states = Some(BigUint::from(found.states));
    outcome.wrong = (!reduced).then(|| BigUint::from(found.wrong.0));
    let inside = found.visited.filter(|_| reduced);
    outcome.visited = inside.map(BigUint::from);
    if questions.iter().any(|q| q.sort == Sort::Deadlock) {
        outcome.deadlocks = Some(BigUint::from(found.deadlocks));
        outcome.wrong_deadlocks = Some(BigUint::from(found.wrong.1));
    }
    let Some(orbits) = &found.orbits else {
        return;
    };
    outcome.representatives = outcome.states.take();
    outcome.states = Some(match reduced {
        false => orbits.visited.clone(),
        true => orbits.points.clone(),
    });
    outcome.visited = inside.map(|_| orbits.visited.clone());
    outcome.wrong = (!reduced).then(|| orbits.wrong.0.clone());
    outcome.deadlocks = outcome.deadlocks.take().map(|_| orbits.deadlocks.clone());
    let wrong = outcome.wrong_deadlocks.take();
    outcome.wrong_deadlocks = wrong.map(|_| orbits.wrong.1.clone());
}

/// What is known of an execution, or wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Way {
    /// No other is shorter.
    pub shortest: bool,
    /// Its last step has to be a violation.
    pub badly: bool,
}

/// The execution through states that follow each other by a step, or by a part of a coarse step; each may stand for
/// those that differ from it by exchanges of threads. Where a step violates the discipline, a state may have been met
/// by it first, and have its execution from elsewhere.
///
/// # Errors
/// As [`Control::check`].
pub fn execution(
    program: &Program,
    (reduction, symmetry): (Option<&Reduction>, Option<&Symmetry>),
    states: &[State],
    how: Way,
    control: &Control,
) -> Result<Path, Stop> {
    let mut moves = Vec::new();
    let mut present = states[0].clone();
    for (n, to) in states.iter().enumerate().skip(1) {
        control.check()?;
        let is_there = |state: &State| match symmetry {
            None => state == to,
            Some(symmetry) => symmetry.representative(state) == *to,
        };
        let lead = |good: bool| {
            (0..program.threads.len())
                .find_map(|t| between(program, t, reduction, &present, (&is_there, good)))
        };
        // A step that keeps the discipline, if there is one.
        let kept = match how.badly && n + 1 == states.len() {
            true => None,
            false => lead(true),
        };
        if let Some((steps, after)) = kept.or_else(|| lead(false)) {
            moves.extend(steps);
            present = after;
        }
    }
    Ok(Path {
        first: states[0].clone(),
        moves,
        shortest: how.shortest,
    })
}

/// The fewest steps of a thread from one state to another: one, or those of a coarse step; the last keeps the
/// discipline if that is wanted, those before it do.
fn between(
    program: &Program,
    thread: ThreadId,
    reduction: Option<&Reduction>,
    from: &State,
    (is_there, wanted): (&dyn Fn(&State) -> bool, bool),
) -> Option<(Vec<Move>, State)> {
    let is_visible = |s: &State| reduction.is_none_or(|r| r.visible[thread][s.location(thread)]);
    if !is_visible(from) {
        return None;
    }
    let mut seen: FxHashSet<State> = FxHashSet::default();
    let mut waiting: VecDeque<(State, Vec<Move>)> = VecDeque::from([(from.clone(), Vec::new())]);
    while let Some((present, moves)) = waiting.pop_front() {
        let found = each_successor(program, &present, thread, None, &mut |step| {
            let good = !violates(program, thread, &present, &step);
            let mut moves = moves.clone();
            if good == wanted && is_there(&step.state) {
                moves.push(Move::between(program, thread, &present, &step.state));
                return ControlFlow::Break((moves, step.state));
            }
            if good && !is_visible(&step.state) && seen.insert(step.state.clone()) {
                moves.push(Move::between(program, thread, &present, &step.state));
                waiting.push_back((step.state, moves));
            }
            ControlFlow::Continue(())
        });
        if let ControlFlow::Break(found) = found {
            return Some(found);
        }
    }
    None
}
