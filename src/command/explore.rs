//! The states of a program as a graph that is looked at piece by piece: a state gets a number when it is first met, and
//! its steps are found when it is looked at. So a program of any size can be explored by hand.
//!
//! The reduced system stands beside it: coarse steps are those of Stoller & Cohen (section 3, (3) and (4)), one visible
//! step and then invisible ones of the same thread until none is enabled or the discipline is violated.

use super::simulate::{Offer, Walk};
use crate::base::control::{Control, Stop};
use crate::base::results::{
    Change, Ended, Remark, Report, Step, Trace, TraceVariable, Value, Violation,
};
use crate::engine::State;
use crate::engine::relations::Concrete;
use crate::model::program::{Expr, Program};
use crate::theorem::{values, variables};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// States inside coarse steps that are looked at for one state.
const INSIDE: usize = 1000;

/// Initial states that are offered, at most.
pub const STARTS: usize = 100;

/// States that have numbers, at most.
pub const MOST: usize = 1 << 20;

/// A program being explored.
pub struct Explorer {
    program: Program,
    known: Vec<Known>,
    numbers: FxHashMap<(State, bool), usize>,
    /// By thread and location: whether its steps are visible, and why.
    visible: BTreeMap<(String, String), (bool, Vec<Remark>)>,
}

/// A state that has a number.
struct Known {
    at: Concrete,
    /// The state from which it was first met.
    before: Option<usize>,
    depth: usize,
    /// Whether something went wrong in the step that led to it.
    wrong: bool,
}

/// A state, and where it leads.
pub struct Seen {
    /// Its number.
    pub id: usize,
    /// The state from which it was first met.
    pub before: Option<usize>,
    /// Steps from the initial state, on the way on which it was first met.
    pub depth: usize,
    /// What variables and threads hold.
    pub values: Vec<Value>,
    /// What it is, if it is an end.
    pub ended: Option<Ended>,
    /// The steps that can be taken.
    pub steps: Vec<Way>,
    /// Where coarse steps lead, if all threads with invisible steps rest before them.
    pub coarse: Vec<Coarse>,
}

/// A step.
pub struct Way {
    /// Whose it is, and what it does.
    pub step: Step,
    /// What it changes.
    pub changes: Vec<Change>,
    /// What goes wrong in it.
    pub violation: Option<Violation>,
    /// The state that it leads to; none if too many have numbers.
    pub to: Option<usize>,
    /// Whether it is visible, and why, if that is known.
    pub visible: Option<(bool, Vec<Remark>)>,
}

/// A coarse step.
pub struct Coarse {
    /// The thread.
    pub thread: String,
    /// The visible step that it begins with.
    pub first: Step,
    /// The states on the way, its end last.
    pub way: Vec<usize>,
}

impl Explorer {
    /// The graph of a program, of which so far initial states are known; nothing if there is none. What is visible is
    /// as in the report.
    pub fn new(program: &Program, report: &Report) -> Option<Self> {
        let starts = Walk::starts(program, STARTS);
        let of = |steps: &[Step], visible: bool| {
            let all = steps.iter().map(|s| {
                let place = (s.thread.clone(), s.location.clone());
                (place, (visible, s.reasons.clone()))
            });
            all.collect::<Vec<_>>()
        };
        let both = of(&report.invisible, false)
            .into_iter()
            .chain(of(&report.visible, true));
        let mut explorer = Explorer {
            program: program.clone(),
            known: Vec::new(),
            numbers: FxHashMap::default(),
            visible: both.collect(),
        };
        for start in starts {
            explorer.number(start, None, false);
        }
        (explorer.known() > 0).then_some(explorer)
    }

    /// The names of variables and threads.
    pub fn names(&self) -> Vec<TraceVariable> {
        variables(&self.program)
    }

    /// The initial states.
    pub fn starts(&self) -> Vec<usize> {
        let all = self.known.iter().take(STARTS).enumerate();
        let first = all.take_while(|(_, k)| k.before.is_none() && k.depth == 0);
        first.map(|(id, _)| id).collect()
    }

    /// How many states have numbers.
    pub fn known(&self) -> usize {
        self.known.len()
    }

    fn number(&mut self, at: Concrete, before: Option<usize>, wrong: bool) -> Option<usize> {
        let key = (at.state.clone(), at.violated);
        if let Some(known) = self.numbers.get(&key) {
            return Some(*known);
        }
        let id = self.known.len();
        if id >= MOST {
            return None;
        }
        let depth = before.map_or(0, |b| self.known[b].depth + 1);
        self.numbers.insert(key, id);
        self.known.push(Known {
            at,
            before,
            depth,
            wrong,
        });
        Some(id)
    }

    fn offers(&self, id: usize) -> Vec<Offer> {
        Walk::at(&self.program, self.known[id].at.clone()).offers()
    }

    fn is_visible(&self, step: &Step) -> Option<(bool, Vec<Remark>)> {
        let place = (step.thread.clone(), step.location.clone());
        self.visible.get(&place).cloned()
    }

    /// A state of this number, if there is one.
    pub fn look(&mut self, id: usize) -> Option<Seen> {
        let known = self.known.get(id)?;
        let (before, depth, wrong) = (known.before, known.depth, known.wrong);
        let values = values(&self.program, &known.at.state);
        let ended = match wrong {
            true => Some(Ended::Wrong),
            false => Walk::at(&self.program, known.at.clone()).end(),
        };
        let offers = self.offers(id);
        let coarse = self.coarse(id, &offers);
        let steps = offers.into_iter().map(|offer| {
            let wrong = offer.violation.is_some();
            let to = self.number(offer.after, Some(id), wrong);
            Way {
                visible: self.is_visible(&offer.step),
                step: offer.step,
                changes: offer.changes,
                violation: offer.violation,
                to,
            }
        });
        let steps = steps.collect();
        Some(Seen {
            id,
            before,
            depth,
            values,
            ended,
            steps,
            coarse,
        })
    }

    /// The coarse steps from a state, if no thread has an invisible step to take there: only such are states of the
    /// reduced system.
    fn coarse(&mut self, id: usize, offers: &[Offer]) -> Vec<Coarse> {
        let is = |e: &Explorer, step: &Step, wanted: bool| {
            e.is_visible(step)
                .is_some_and(|(visible, _)| visible == wanted)
        };
        if self.visible.is_empty() || offers.iter().any(|o| is(self, &o.step, false)) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut left = INSIDE;
        for offer in offers {
            let first = &offer.step;
            let Some(to) = self.number(offer.after.clone(), Some(id), offer.violation.is_some())
            else {
                continue;
            };
            // Depth first through the thread's invisible steps; each state once.
            let mut open = vec![vec![to]];
            let mut met: FxHashSet<usize> = FxHashSet::from_iter([to]);
            while let Some(way) = open.pop() {
                let here = way[way.len() - 1];
                let own = |o: &Offer| o.thread == offer.thread && is(self, &o.step, false);
                let inside: Vec<Offer> = match self.known[here].wrong {
                    true => Vec::new(),
                    false => self.offers(here).into_iter().filter(own).collect(),
                };
                if inside.is_empty() || left == 0 {
                    found.push(Coarse {
                        thread: first.thread.clone(),
                        first: first.clone(),
                        way,
                    });
                    continue;
                }
                for next in inside {
                    left = left.saturating_sub(1);
                    let wrong = next.violation.is_some();
                    if let Some(to) = self.number(next.after, Some(here), wrong)
                        && met.insert(to)
                    {
                        open.push([way.as_slice(), &[to]].concat());
                    }
                }
            }
        }
        found
    }

    /// The numbers of the states of a way.
    pub fn numbers(&mut self, found: &Found) -> Vec<usize> {
        let mut way: Vec<usize> = Vec::new();
        for at in &found.0 {
            // What goes wrong in a step is found where it begins.
            if let Some(before) = way.last() {
                self.look(*before);
            }
            let Some(id) = self.number(at.clone(), way.last().copied(), false) else {
                break;
            };
            way.push(id);
        }
        way
    }
}

/// A way from the initial state, state by state.
pub struct Found(Vec<Concrete>);

/// A way to a state that satisfies a condition, if there is one: the shortest from the first initial state that has
/// one.
///
/// # Errors
/// A limit of the control.
pub fn find(program: &Program, goal: &Expr, control: &Control) -> Result<Option<Found>, Stop> {
    for start in Walk::starts(program, STARTS) {
        let mut walk = Walk::at(program, start);
        if walk.towards(goal, control)? {
            return Ok(Some(Found(walk.states().to_vec())));
        }
    }
    Ok(None)
}

/// The way of a trace.
///
/// # Errors
/// A limit of the control.
pub fn follow(program: &Program, trace: &Trace, control: &Control) -> Result<Option<Found>, Stop> {
    let Some(mut walk) = Walk::new(program) else {
        return Ok(None);
    };
    let is = |n: usize, _: &[TraceVariable], values: &[Value]| trace.states[n] == values;
    let followed = walk.follow(trace.states.len(), &is, control)?;
    Ok(followed.is_ok().then(|| Found(walk.states().to_vec())))
}
