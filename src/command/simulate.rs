//! A walk through a program, step by step, by the plain interpreter: by hand, at random, towards a state that satisfies
//! a condition, or along a trace.

use crate::base::control::{Control, Stop};
use crate::base::results::{Change, Ended, Outcome, Step, Trace, TraceVariable, Value, Violation};
use crate::engine::reach::{Move, Path};
use crate::engine::relations::Concrete;
use crate::engine::{
    State, each_successor, holds, initial_candidates, initially_violated, is_deadlock, is_initial,
    violates,
};
use crate::model::program::{Expr, Program, ThreadId};
use crate::theorem::{
    changes, deadlock, gone_wrong, of_deadlock, repeat, step_by, values, variables,
};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Ways of a step that are offered.
pub const WAYS: usize = 100;

/// Outcomes of a thread's steps that are looked at for those ways: many may be the same.
const OUTCOMES: usize = 100 * WAYS;

/// Candidates for an initial state that are tried.
const STARTS: usize = 1 << 20;

/// A step that can be taken.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Whose it is, and what it does.
    pub step: Step,
    /// What it changes.
    pub changes: Vec<Change>,
    /// What goes wrong in it.
    pub violation: Option<Violation>,
    /// The thread's number.
    pub(super) thread: ThreadId,
    /// The state that it leads to.
    pub(super) after: Concrete,
}

/// Whether the state of this number may be one with these values.
pub type Is<'f> = dyn Fn(usize, &[TraceVariable], &[Value]) -> bool + 'f;

/// A walk, from an initial state to the present one.
#[derive(Clone, Debug)]
pub struct Walk<'p> {
    program: &'p Program,
    states: Vec<Concrete>,
    moves: Vec<Move>,
    violations: Vec<Option<Violation>>,
}

impl<'p> Walk<'p> {
    /// A walk that has not begun: it stands in the first initial state; none if there is none among those tried.
    pub fn new(program: &'p Program) -> Option<Self> {
        let first = Self::starts(program, 1).into_iter().next()?;
        Some(Self::at(program, first))
    }

    /// The first initial states, so many at most.
    pub(super) fn starts(program: &Program, most: usize) -> Vec<Concrete> {
        let candidates = initial_candidates(program).take(STARTS);
        let states = candidates.filter(|s| is_initial(program, s)).take(most);
        let concrete = |state: State| Concrete {
            violated: initially_violated(program, &state),
            state,
        };
        states.map(concrete).collect()
    }

    /// A walk that has come to a state.
    pub(super) fn at(program: &'p Program, state: Concrete) -> Self {
        Walk {
            program,
            states: vec![state],
            moves: Vec::new(),
            violations: Vec::new(),
        }
    }

    /// The states, from the first to the present one.
    pub(super) fn states(&self) -> &[Concrete] {
        &self.states
    }

    fn now(&self) -> &Concrete {
        &self.states[self.states.len() - 1]
    }

    /// How many steps were taken.
    pub fn steps(&self) -> usize {
        self.moves.len()
    }

    /// The steps that can be taken now, thread by thread; of a step that may end in several ways each way, up to
    /// [`WAYS`] of a thread, as far as they are found soon.
    pub fn offers(&self) -> Vec<Offer> {
        let mut all: Vec<Offer> = Vec::new();
        for thread in 0..self.program.threads.len() {
            let begin = all.len();
            let mut outcomes = 0;
            let each = self.each_offer(thread, &mut |offer| {
                outcomes += 1;
                let is_known = |o: &Offer| o.after == offer.after && o.step == offer.step;
                if !all[begin..].iter().any(is_known) {
                    all.push(offer);
                }
                match all.len() - begin < WAYS && outcomes < OUTCOMES {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            });
            // Whoever has more ways is shown the first.
            let _: ControlFlow<()> = each;
        }
        all
    }

    /// Calls `visit` with the steps of a thread that can be taken now, some perhaps more than once, until it breaks.
    fn each_offer<B>(
        &self,
        thread: ThreadId,
        visit: &mut dyn FnMut(Offer) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (p, now) = (self.program, self.now());
        let location = now.state.location(thread);
        each_successor(p, &now.state, thread, None, &mut |next| {
            let violated = now.violated || violates(p, thread, &now.state, &next);
            visit(Offer {
                step: step_by(p, thread, location, next.edge),
                changes: changes(p, &now.state, &next.state),
                violation: gone_wrong(p, thread, now, (&next, violated)),
                thread,
                after: Concrete {
                    state: next.state,
                    violated,
                },
            })
        })
    }

    /// Takes the first step that leads to a state for which `fits` holds; whether there is one.
    fn take_to(&mut self, fits: &dyn Fn(&State) -> bool, control: &Control) -> Result<bool, Stop> {
        let found = (0..self.program.threads.len()).find_map(|thread| {
            let each = self.each_offer(thread, &mut |offer| {
                if let Err(stop) = control.check() {
                    return ControlFlow::Break(Err(stop));
                }
                match fits(&offer.after.state) {
                    true => ControlFlow::Break(Ok(offer)),
                    false => ControlFlow::Continue(()),
                }
            });
            each.break_value()
        });
        let found = found.transpose()?;
        let is_some = found.is_some();
        found.into_iter().for_each(|offer| self.take(offer));
        Ok(is_some)
    }

    /// Takes a step that is offered now.
    pub fn take(&mut self, offer: Offer) {
        let before = &self.now().state;
        let step = Move::between(self.program, offer.thread, before, &offer.after.state);
        self.moves.push(step);
        self.violations.push(offer.violation);
        self.states.push(offer.after);
    }

    /// Takes the last step back; whether there was one.
    pub fn back(&mut self) -> bool {
        self.violations.pop();
        let was = self.moves.pop().is_some();
        if was {
            self.states.pop();
        }
        was
    }

    /// The names of variables and threads, and what they hold now.
    pub fn state(&self) -> (Vec<TraceVariable>, Vec<Value>) {
        let values = values(self.program, &self.now().state);
        (variables(self.program), values)
    }

    /// What the present state is, if it is an end.
    pub fn end(&self) -> Option<Ended> {
        let state = &self.now().state;
        if self.violations.last().is_some_and(Option::is_some) {
            return Some(Ended::Wrong);
        }
        if is_deadlock(self.program, state) {
            return Some(Ended::Deadlock);
        }
        let threads = &self.program.threads;
        let mut rests =
            (0..threads.len()).map(|t| threads[t].resting().any(|l| l == state.location(t)));
        rests.all(|r| r).then_some(Ended::Rest)
    }

    /// Takes so many steps at random, the same for the same seed, until something ends the walk.
    pub fn random(&mut self, steps: usize, seed: u64) -> Ended {
        let mut random = Random(seed);
        for _ in 0..steps {
            let mut offers = self.offers();
            if offers.is_empty() {
                break;
            }
            let chosen = random.below(offers.len());
            self.take(offers.swap_remove(chosen));
            if let Some(end @ (Ended::Wrong | Ended::Deadlock)) = self.end() {
                return end;
            }
        }
        self.end().unwrap_or(Ended::Steps)
    }

    /// Takes the fewest steps to a state that satisfies a condition; whether there is one.
    ///
    /// # Errors
    /// A limit of the control: no step is taken then.
    pub fn towards(&mut self, goal: &Expr, control: &Control) -> Result<bool, Stop> {
        control.enter("the way to a state asked for");
        let p = self.program;
        let first = self.now().state.clone();
        if holds(p, goal, &first) {
            return Ok(true);
        }
        let mut before: FxHashMap<State, Option<State>> = FxHashMap::default();
        before.insert(first.clone(), None);
        let mut open = VecDeque::from([first]);
        while let Some(state) = open.pop_front() {
            for thread in 0..p.threads.len() {
                let each = each_successor(p, &state, thread, None, &mut |next| {
                    if let Err(stop) = control.check() {
                        return ControlFlow::Break(Err(stop));
                    }
                    if before.len() >= control.budget().states {
                        return ControlFlow::Break(Err(Stop::States));
                    }
                    if before.contains_key(&next.state) {
                        return ControlFlow::Continue(());
                    }
                    before.insert(next.state.clone(), Some(state.clone()));
                    match holds(p, goal, &next.state) {
                        true => return ControlFlow::Break(Ok(next.state)),
                        false => open.push_back(next.state),
                    }
                    ControlFlow::Continue(())
                });
                if let ControlFlow::Break(found) = each {
                    return self.take_all(&before, found?, control);
                }
            }
        }
        Ok(false)
    }

    /// Takes the steps to a state that was met, each state with the one before it; whether all of them are there.
    fn take_all(
        &mut self,
        before: &FxHashMap<State, Option<State>>,
        last: State,
        control: &Control,
    ) -> Result<bool, Stop> {
        let mut way = vec![last];
        while let Some(Some(earlier)) = before.get(&way[way.len() - 1]) {
            way.push(earlier.clone());
        }
        for state in way.iter().rev().skip(1) {
            if !self.take_to(&|s| s == state, control)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Walks along states that are told apart by `is`, from the initial one on: whether the state of that number may
    /// be one with these values. Begins anew, in an initial state that may be the first.
    ///
    /// # Errors
    /// The number of the state to which no step leads; or a limit of the control.
    pub fn follow(
        &mut self,
        states: usize,
        is: &Is,
        control: &Control,
    ) -> Result<Result<(), usize>, Stop> {
        control.enter("along a trace");
        let p = self.program;
        let names = variables(p);
        let fits = |n: usize, state: &State| is(n, &names, &values(p, state));
        let mut candidates = initial_candidates(p).take(STARTS);
        let Some(first) = candidates.find(|s| is_initial(p, s) && fits(0, s)) else {
            return Ok(Err(0));
        };
        let violated = initially_violated(p, &first);
        *self = Walk {
            program: p,
            states: vec![Concrete {
                state: first,
                violated,
            }],
            moves: Vec::new(),
            violations: Vec::new(),
        };
        for n in 1..states {
            if !self.take_to(&|s| fits(n, s), control)? {
                return Ok(Err(n));
            }
        }
        Ok(Ok(()))
    }

    /// The walk as a trace; none if it is too long to be told.
    pub fn trace(&self) -> Option<Trace> {
        let path = Path {
            first: self.states[0].state.clone(),
            moves: self.moves.clone(),
            shortest: false,
        };
        let mut trace = repeat(self.program, &path, &|_| true, false)?.trace;
        if trace.states.is_empty() {
            return None;
        }
        let last = self.violations.last().cloned().flatten();
        trace.outcome = match (last, self.end()) {
            (Some(violation), _) => Outcome::Violation(violation),
            (None, Some(Ended::Deadlock)) => {
                trace.about = of_deadlock(self.program, &self.now().state);
                deadlock(self.program, &self.now().state)
            }
            _ => Outcome::Untold,
        };
        Some(trace)
    }
}

/// Splitmix (Steele, Lea & Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}
