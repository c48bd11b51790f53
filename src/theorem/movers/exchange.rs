//! Why two actions do not commute, on one state: what both use, and what the two orders give.
//!
//! The state comes from the relations on which the law fails, the orders from the interpreter.

use super::{MoverSearch, Obstacle, Other};
use crate::base::control::Stop;
use crate::base::results::{Binding, Clash, Exchange, Impossible, Law, Missed, Rung, Use};
use crate::engine::relations::{Bit, Concrete, Encoding, Item, pick};
use crate::engine::{State, Successor, Variable, each_successor, violates};
use crate::model::program::{CellId, ThreadId};
use crate::theorem::executions::trace::{bindings, step_of};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Outcomes of an action, or of two in order, that are looked at.
const OUTCOMES: usize = 4096;

/// Steps that violate nothing, or `None` if there are too many.
type Steps = Option<Vec<Successor>>;

impl MoverSearch<'_, '_> {
    /// What is in the way of an action; `None` for an obstacle that is no other action.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn missed(&mut self, a: usize, obstacle: &Obstacle) -> Result<Option<Missed>, Stop> {
        let Other::Action(b) = obstacle.other else {
            return Ok(None);
        };
        let (e, law) = (self.e, obstacle.law);
        let (known, rung) = self.strongest()?;
        let failing = e.m.and(&*self.broken_by(law, (a, b))?, &known)?;
        let mut missed = Missed {
            thread: e.program.threads[e.actions[a].thread].name.clone(),
            other: step_of(e, b),
            law,
            clashes: Vec::new(),
            exchange: None,
            more: Vec::new(),
        };
        if let Some(state) = pick(e, &failing) {
            let pair = Pair { e, a, b };
            missed.clashes = pair.clashes(&state.state);
            missed.exchange = Some(pair.exchange(law, &state, rung == Rung::Reachable));
        }
        Ok(Some(missed))
    }
}

/// What two orders give.
enum Told {
    Impossible(Impossible),
    /// A state of the one, the nearest of the other, and what differs.
    Differ(State, State, Vec<Variable>),
}

/// A state that is not among others, with the nearest of them: where least differs.
fn nearest<'s>(
    lost: impl Iterator<Item = &'s State>,
    others: &BTreeSet<State>,
    differing: &dyn Fn(&State, &State) -> Vec<Variable>,
) -> Option<Told> {
    let pairs = lost.filter_map(|u| {
        let with = |v| (differing(u, v), v);
        let (differ, v) = others.iter().map(with).min_by_key(|(d, _)| d.len())?;
        (!differ.is_empty()).then_some((u, v, differ))
    });
    let (u, v, differ) = pairs.min_by_key(|(.., differ)| differ.len())?;
    Some(Told::Differ(u.clone(), v.clone(), differ))
}

/// Two actions of different threads.
struct Pair<'a, 'p> {
    e: &'a Encoding<'p>,
    a: usize,
    b: usize,
}

impl Pair<'_, '_> {
    fn thread(&self, action: usize) -> ThreadId {
        self.e.actions[action].thread
    }

    /// The steps of an action from a state, if they are its.
    fn steps(&self, action: usize, from: &State, violating: bool) -> Steps {
        let (p, t) = (self.e.program, self.thread(action));
        let mut all = Vec::new();
        if from.location(t) != self.e.actions[action].location {
            return Some(all);
        }
        let many = each_successor(p, from, t, None, &mut |next| {
            if violating || !violates(p, t, from, &next) {
                all.push(next);
            }
            match all.len() > OUTCOMES {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        many.is_continue().then_some(all)
    }

    /// The states behind both in this order.
    fn behind(&self, first: usize, second: usize, from: &State) -> Option<BTreeSet<State>> {
        let mut all = BTreeSet::new();
        for step in self.steps(first, from, false)? {
            let next = self.steps(second, &step.state, false)?;
            all.extend(next.into_iter().map(|s| s.state));
            if all.len() > OUTCOMES {
                return None;
            }
        }
        Some(all)
    }

    /// The steps of an action from a state, and behind the other.
    fn anywhere(&self, action: usize, other: usize, from: &State) -> Vec<Successor> {
        let mut all = self.steps(action, from, true).unwrap_or_default();
        for first in self.steps(other, from, true).unwrap_or_default() {
            let behind = self.steps(action, &first.state, true);
            all.extend(behind.unwrap_or_default());
            if all.len() > OUTCOMES {
                break;
            }
        }
        all
    }

    fn clashes(&self, from: &State) -> Vec<Clash> {
        let (mine, theirs) = (
            self.anywhere(self.a, self.b, from),
            self.anywhere(self.b, self.a, from),
        );
        let uses = |action: usize, steps: &[Successor], c: CellId| {
            let mut bits = self.e.layout.cell(c).bits();
            let footprint = &self.e.actions[action].footprint;
            if steps.iter().any(|s| s.writes.contains(&c)) {
                Some(Use::Writes)
            } else if steps.iter().any(|s| s.accesses.contains(&c)) {
                Some(Use::Reads)
            } else {
                let needed = bits.any(|b| footprint.binary_search(&b).is_ok());
                needed.then_some(Use::Needs)
            }
        };
        let p = self.e.program;
        let clash = |c: CellId| {
            let (this, other) = (uses(self.a, &mine, c)?, uses(self.b, &theirs, c)?);
            [this, other].contains(&Use::Writes).then(|| Clash {
                variable: p.cells[c].name.clone(),
                this,
                other,
            })
        };
        let mut all: Vec<Clash> = (0..p.cells.len()).filter_map(clash).collect();
        let sees = |n: usize, thread: ThreadId| {
            let mut bits = self.e.layout.location(thread).bits();
            let footprint = &self.e.actions[n].footprint;
            bits.any(|b| footprint.binary_search(&b).is_ok())
        };
        let place = |thread: ThreadId, this: Use, other: Use| Clash {
            variable: p.threads[thread].name.clone(),
            this,
            other,
        };
        let (mine, theirs) = (self.thread(self.a), self.thread(self.b));
        if sees(self.b, mine) {
            all.push(place(mine, Use::Goes, Use::Looks));
        }
        if sees(self.a, theirs) {
            all.push(place(theirs, Use::Looks, Use::Goes));
        }
        // What both use comes first.
        all.sort_by_key(|c| [c.this, c.other].contains(&Use::Needs));
        all
    }

    fn exchange(&self, law: Law, from: &Concrete, reachable: bool) -> Exchange {
        let mut exchange = Exchange {
            state: self.looked_at(law, from),
            reachable,
            taken: Vec::new(),
            swapped: None,
            impossible: None,
        };
        let told = match law {
            Law::Right => self.orders(self.a, self.b, &from.state),
            Law::Left => self.orders(self.b, self.a, &from.state),
            Law::Outcome => self.outcomes(&from.state),
            _ => None,
        };
        match told {
            Some(Told::Impossible(why)) => exchange.impossible = Some(why),
            Some(Told::Differ(u, v, cells)) => {
                exchange.taken = self.bindings(&u, &cells);
                exchange.swapped = Some(self.bindings(&v, &cells));
            }
            None => {}
        }
        exchange
    }

    /// What one order gives, and the other does not.
    fn orders(&self, first: usize, second: usize, from: &State) -> Option<Told> {
        let taken = self.behind(first, second, from)?;
        let swapped = self.behind(second, first, from)?;
        if swapped.is_empty() {
            let next = self.steps(second, from, false)?;
            let none = match next.is_empty() {
                true => self.steps(second, from, true)?.is_empty(),
                false => self.none_behind(&next, first)?,
            };
            return Some(Told::Impossible(match (next.is_empty(), none) {
                (true, true) => Impossible::First,
                (true, false) => Impossible::FirstViolates,
                (false, true) => Impossible::Second,
                (false, false) => Impossible::SecondViolates,
            }));
        }
        let lost = taken.difference(&swapped);
        nearest(lost, &swapped, &|u, v| self.differing(u, v, &[], None))
    }

    /// Whether an action has no step at all behind these.
    fn none_behind(&self, steps: &[Successor], action: usize) -> Option<bool> {
        for step in steps {
            if !self.steps(action, &step.state, true)?.is_empty() {
                return Some(false);
            }
        }
        Some(true)
    }

    /// An outcome of the first action that it does not have behind some step of the other.
    fn outcomes(&self, from: &State) -> Option<Told> {
        let states = |steps: Vec<Successor>| -> BTreeSet<State> {
            steps.into_iter().map(|s| s.state).collect()
        };
        let alone = states(self.steps(self.a, from, false)?);
        for step in self.steps(self.b, from, false)? {
            let behind = states(self.steps(self.a, &step.state, false)?);
            if behind.is_empty() {
                let none = self.steps(self.a, &step.state, true)?.is_empty();
                return Some(Told::Impossible(match none {
                    true => Impossible::Second,
                    false => Impossible::SecondViolates,
                }));
            }
            let other = Some(self.thread(self.b));
            let differing = |u: &State, v: &State| self.differing(u, v, &step.writes, other);
            let told = nearest(alone.iter(), &behind, &differing);
            if told.is_some() {
                return told;
            }
        }
        None
    }

    /// In what two states differ, but for these cells and this thread: cells, or else locations.
    fn differing(
        &self,
        u: &State,
        v: &State,
        but: &[CellId],
        thread: Option<ThreadId>,
    ) -> Vec<Variable> {
        let p = self.e.program;
        let cells = (0..p.cells.len()).filter(|c| u.cell(*c) != v.cell(*c) && !but.contains(c));
        let cells: Vec<Variable> = cells.map(Variable::Cell).collect();
        if !cells.is_empty() {
            return cells;
        }
        let threads = (0..p.threads.len()).filter(|&t| u.location(t) != v.location(t));
        let threads = threads.filter(|t| Some(*t) != thread);
        threads.map(Variable::Location).collect()
    }

    fn bindings(&self, state: &State, shown: &[Variable]) -> Vec<Binding> {
        let group = |v: &Variable| self.e.layout.group(Item::Of(*v)).bits();
        let bits: Vec<Bit> = shown.iter().flat_map(group).collect();
        let concrete = Concrete {
            state: state.clone(),
            violated: false,
        };
        bindings(self.e, &concrete, Some(&bits))
    }

    /// What the two look at in a state: the cells that they use, for violations all that they depend on, and where
    /// other threads are if that matters.
    fn looked_at(&self, law: Law, from: &Concrete) -> Vec<Binding> {
        let footprints = [self.a, self.b].map(|n| &self.e.actions[n].footprint);
        let mut used: BTreeSet<CellId> = BTreeSet::new();
        for (action, other) in [(self.a, self.b), (self.b, self.a)] {
            let steps = self.anywhere(action, other, &from.state);
            used.extend(steps.into_iter().flat_map(|s| s.accesses));
        }
        let shown = |item: Item| match item {
            Item::Of(Variable::Cell(c)) => law.is_about_violations() || used.contains(&c),
            Item::Of(Variable::Location(t)) => {
                ![self.a, self.b].map(|n| self.thread(n)).contains(&t)
            }
            Item::Violated => false,
        };
        let bits = footprints.into_iter().flatten().copied();
        let bits: Vec<Bit> = bits
            .filter(|&b| self.e.layout.item(b).is_some_and(shown))
            .collect();
        bindings(self.e, from, Some(&bits))
    }
}
