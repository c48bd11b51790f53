//! A walk through a program, step by step, by the plain interpreter: by hand, at random, towards a state that satisfies
//! a condition, or along a trace.

use crate::base::control::{Control, Stop};
use crate::base::results::{Change, Ended, Outcome, Step, Trace, TraceVariable, Value, Violation};
use crate::engine::reach::{Move, Path};
use crate::engine::relations::Concrete;
use crate::engine::{
    State, holds, initial_candidates, initially_violated, is_deadlock, is_initial, successors,
    violates,
};
use crate::model::program::{Expr, Program, ThreadId};
use crate::theorem::{changes, deadlock, gone_wrong, repeat, step_by, values, variables};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

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
    thread: ThreadId,
    after: Concrete,
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
        let mut candidates = initial_candidates(program).take(STARTS);
        let state = candidates.find(|s| is_initial(program, s))?;
        let violated = initially_violated(program, &state);
        Some(Walk {
            program,
            states: vec![Concrete { state, violated }],
            moves: Vec::new(),
            violations: Vec::new(),
        })
    }

    fn now(&self) -> &Concrete {
        &self.states[self.states.len() - 1]
    }

    /// How many steps were taken.
    pub fn steps(&self) -> usize {
        self.moves.len()
    }

    /// The steps that can be taken now, thread by thread; of a step that may end in several ways, each way.
    pub fn offers(&self) -> Vec<Offer> {
        let (p, now) = (self.program, self.now());
        let mut all = Vec::new();
        for thread in 0..p.threads.len() {
            let location = now.state.location(thread);
            for next in successors(p, &now.state, thread) {
                let violated = now.violated || violates(p, thread, &now.state, &next);
                all.push(Offer {
                    step: step_by(p, thread, location, next.edge),
                    changes: changes(p, &now.state, &next.state),
                    violation: gone_wrong(p, thread, now, (&next, violated)),
                    thread,
                    after: Concrete {
                        state: next.state,
                        violated,
                    },
                });
            }
        }
        all
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
        let mut before: FxHashMap<State, Option<State>> = FxHashMap::default();
        before.insert(first.clone(), None);
        let mut open = VecDeque::from([first]);
        while let Some(state) = open.pop_front() {
            control.check()?;
            if holds(p, goal, &state) {
                let mut way = vec![state];
                while let Some(Some(earlier)) = before.get(&way[way.len() - 1]) {
                    way.push(earlier.clone());
                }
                for state in way.iter().rev().skip(1) {
                    let mut offers = self.offers();
                    let Some(n) = offers.iter().position(|o| o.after.state == *state) else {
                        return Ok(false);
                    };
                    self.take(offers.swap_remove(n));
                }
                return Ok(true);
            }
            for thread in 0..p.threads.len() {
                for next in successors(p, &state, thread) {
                    if before.len() >= control.budget().states {
                        return Err(Stop::States);
                    }
                    before.entry(next.state.clone()).or_insert_with(|| {
                        open.push_back(next.state);
                        Some(state.clone())
                    });
                }
            }
        }
        Ok(false)
    }

    /// Walks along states that are told apart by `is`, from the initial one on: whether the state of that number may
    /// be one with these values. Begins anew, in an initial state that may be the first.
    ///
    /// # Errors
    /// The number of the state to which no step leads.
    pub fn follow(&mut self, states: usize, is: &Is) -> Result<(), usize> {
        let p = self.program;
        let names = variables(p);
        let fits = |n: usize, state: &State| is(n, &names, &values(p, state));
        let mut candidates = initial_candidates(p).take(STARTS);
        let first = candidates
            .find(|s| is_initial(p, s) && fits(0, s))
            .ok_or(0usize)?;
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
            let mut offers = self.offers();
            let next = offers
                .iter()
                .position(|o| fits(n, &o.after.state))
                .ok_or(n)?;
            self.take(offers.swap_remove(next));
        }
        Ok(())
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
            (None, Some(Ended::Deadlock)) => deadlock(self.program, &self.now().state),
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
