//! Some states that are reachable in any case: what fails there fails on every rung of the ladder, so no invariant
//! needs to be computed for it.
//!
//! They are met on walks that choose threads and outcomes at random, always the same ones. How many are met is bounded,
//! and nothing rests on which.

use crate::base::control::Stop;
use crate::engine::relations::{Encoding, encode};
use crate::engine::{
    State, Successor, each_successor, initial_candidates, initially_violated, is_initial, violates,
};
use crate::model::program::{LocId, Program, ThreadId};
use biodivine_lib_bdd::{Bdd, BddValuation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::ControlFlow;

/// Values that may be copied on all walks, and steps on one and on all of them.
const COPIED: usize = 1 << 20;
const LENGTH: usize = 1 << 8;
const STEPS: usize = 1 << 13;

/// Candidates for initial states that are looked at, and outcomes of a step that are chosen from.
const CANDIDATES: usize = 1 << 8;
const OUTCOMES: usize = 1 << 4;

/// What a step costs, in pairs of BDD nodes.
const COST: u64 = 1 << 7;

/// States that serve one question.
const ENOUGH: usize = 1 << 6;

/// States that were met, without violations on the way.
pub(super) struct Met {
    states: Vec<State>,
    encoded: Vec<BddValuation>,
    /// By thread and location: those in which it is there.
    at: FxHashMap<(ThreadId, LocId), Vec<usize>>,
}

impl Met {
    /// Walks through a program, as far as nothing but what is `calm` is met.
    ///
    /// # Errors
    /// As [`Control::check`](crate::base::control::Control::check).
    pub(super) fn new(e: &Encoding, calm: &Bdd) -> Result<Met, Stop> {
        let p = e.program;
        let size = p.cells.len() + p.threads.len();
        let steps = STEPS.min(COPIED / size.max(1));
        let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
        let begins = |s: &State| is_initial(p, s) && !initially_violated(p, s);
        let first: Vec<State> = initial_candidates(p)
            .take(CANDIDATES)
            .filter(begins)
            .collect();
        let mut seen: FxHashSet<State> = FxHashSet::default();
        let mut states: Vec<State> = Vec::new();
        let mut left = steps;
        while left > 0 && !first.is_empty() {
            e.m.control().worked(COST * LENGTH.min(left) as u64);
            e.m.control().check()?;
            let mut present = first[chance.below(first.len())].clone();
            for _ in 0..LENGTH.min(left) {
                left -= 1;
                if seen.insert(present.clone()) {
                    states.push(present.clone());
                }
                match step(p, &present, &mut chance) {
                    Some(next) => present = next,
                    None => break,
                }
            }
        }
        let (states, encoded): (Vec<State>, Vec<BddValuation>) = states
            .into_iter()
            .map(|state| {
                let encoded = encode(e, &state);
                (state, encoded)
            })
            .filter(|(_, encoded)| calm.eval_in(encoded))
            .unzip();
        let mut at: FxHashMap<(ThreadId, LocId), Vec<usize>> = FxHashMap::default();
        for (n, state) in states.iter().enumerate() {
            for (t, l) in state.locations().into_iter().enumerate() {
                at.entry((t, l)).or_default().push(n);
            }
        }
        Ok(Met {
            states,
            encoded,
            at,
        })
    }

    /// Some of them in which these threads are at these locations.
    pub(super) fn at(&self, places: &[(ThreadId, LocId)]) -> Vec<&BddValuation> {
        let none = Vec::new();
        let lists = places
            .iter()
            .map(|place| self.at.get(place).unwrap_or(&none));
        let fewest = lists.min_by_key(|list| list.len()).unwrap_or(&none);
        let here = |n: &&usize| {
            let mut places = places.iter();
            places.all(|(t, l)| self.states[**n].location(*t) == *l)
        };
        let here: Vec<&usize> = fewest.iter().filter(here).collect();
        // Those that follow each other on a walk have much in common.
        let apart = here.len().div_ceil(ENOUGH).max(1);
        let some = here.into_iter().step_by(apart);
        some.map(|n| &self.encoded[*n]).collect()
    }
}

/// Some step that violates nothing, of some thread that has one.
fn step(p: &Program, present: &State, chance: &mut Chance) -> Option<State> {
    let threads = p.threads.len();
    let first = chance.below(threads);
    (0..threads).map(|n| (first + n) % threads).find_map(|t| {
        let mut outcomes: Vec<State> = Vec::new();
        let mut collect = |next: Successor| {
            if !violates(p, t, present, &next) {
                outcomes.push(next.state);
            }
            match outcomes.len() < OUTCOMES {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        };
        let _ = each_successor(p, present, t, None, &mut collect);
        match outcomes.len() {
            0 => None,
            some => Some(outcomes.swap_remove(chance.below(some))),
        }
    })
}

/// Marsaglia's xorshift: the same numbers in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::calm;
    use super::Met;
    use crate::base::control::{Control, ParseLimits};
    use crate::engine::relations::{Concrete, Encoding, singleton};
    use crate::model::Loaded;
    use crate::theorem::reachable;

    #[test]
    fn what_is_met_on_walks_is_reachable() {
        for text in [
            "mutex m; var x: 0..3 = 0 protected x by m;
             thread t(i in 0..1) { while (true) { lock(m); havoc x; unlock(m); x = 1; } }",
            "var x: 0..9 unprotected; var y: 0..9 = 0 unprotected; init x > 7;
             thread a { while (true) { y = x; assert(y != 9); } }
             thread b { either { x = 3; } or { x = 4; } }",
        ] {
            let loaded = Loaded::load("m.cor", text, &[], ParseLimits::default());
            let (model, _) = loaded.expect("a model");
            let control = Control::default();
            let e = Encoding::new(&model.program, &control).expect("small");
            let all = reachable(&e, u64::MAX, u64::MAX).expect("small");
            let all = all.expect("no budget");
            let met = Met::new(&e, &calm(&e).expect("small")).expect("no limit");
            assert!(met.states.len() > 5);
            for (state, encoded) in met.states.iter().zip(&met.encoded) {
                assert!(all.eval_in(encoded));
                let state = Concrete {
                    state: state.clone(),
                    violated: false,
                };
                assert!(e.m.within(&singleton(&e, &state, &e.all_bits()), &all));
            }
        }
    }
}
