//! The reduced system of Stoller & Cohen 2003, section 3: `N* R` explored to a fixpoint, image by image.
//!
//! `M_i = v_i u_i*`: one visible step of a thread, then invisible ones; `N_i = M_i p_i ~q`: as many as there are. A
//! coarse step of a thread is followed location by location, so that each image is taken on a small set by one small
//! relation. States with q are not expanded. No closure of a relation is ever built.
//!
//! With phases (`transactions`), the steps at locations outside transactions stand for visible ones, those inside for
//! invisible ones, and no other thread is scheduled where a thread is blocked inside.

use crate::base::control::Stop;
use crate::engine::reach::Blocked;
use crate::engine::relations::{Bdds, Encoding, Rel};
use crate::model::program::{LocId, ThreadId};
use crate::theorem::properties::Goal;
use crate::theorem::visibility::Visibility;
use biodivine_lib_bdd::Bdd;
use std::collections::BTreeMap;

/// A thread's part of the reduced system.
struct Plan {
    /// Visible actions with the locations they lead to.
    visible: Vec<(usize, Vec<LocId>)>,
    /// Invisible actions.
    invisible: Vec<usize>,
    /// Invisible actions by location.
    single: BTreeMap<LocId, Segment>,
    /// The same with straight-line code joined.
    joined: BTreeMap<LocId, Segment>,
}

/// Invisible steps from one location: one, or several that follow each other inevitably.
#[derive(Clone)]
struct Segment {
    rel: Rel,
    targets: Vec<LocId>,
    /// Where control is at the location but the step is disabled; false for most.
    blocked: Bdd,
    /// Position in an order that follows control, so that most sets are complete when they are expanded.
    rank: usize,
}

/// How closely a coarse step is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Step by step: the states inside are exact.
    Single,
    /// Straight-line code at once: only the ends are exact, and whether there is a violation.
    Joined,
}

/// The coarse steps of one thread from a set of states.
pub struct Coarse {
    /// `N_i`: where they end, without a violation.
    pub ends: Bdd,
    /// `M_i q`: where they end in a violation, part-way or at the end.
    pub violated: Bdd,
    /// `M_i` without violation: all states inside them, the ends included.
    pub inside: Bdd,
}

/// The reduced system.
pub struct Reduced {
    /// The states at scheduling points: the initial ones and those that `N` reaches.
    pub states: Bdd,
    /// Those and the states inside steps, the violated ones too, as far as they are known.
    pub visited: Bdd,
    /// Whether each goal is met in a visited state.
    pub met: Vec<bool>,
    /// Rounds over all threads until nothing was added.
    pub rounds: usize,
    /// Why the exploration is not complete, if it is not.
    pub stopped: Option<Stop>,
}

/// Explores coarse steps.
pub struct Explorer<'e, 'p> {
    encoding: &'e Encoding<'p>,
    plans: Vec<Plan>,
    when_blocked: Blocked,
}

impl<'e, 'p> Explorer<'e, 'p> {
    /// Prepares the coarse steps of all threads.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn new(encoding: &'e Encoding<'p>, visibility: &Visibility) -> Result<Self, Stop> {
        Self::prepared(encoding, visibility, Blocked::Ends)
    }

    /// The same, saying what becomes of coarse steps that are blocked.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn prepared(
        encoding: &'e Encoding<'p>,
        visibility: &Visibility,
        when_blocked: Blocked,
    ) -> Result<Self, Stop> {
        let m = &encoding.m;
        let mut plans = Vec::new();
        for t in 0..encoding.program.threads.len() {
            let mut plan = Plan {
                visible: Vec::new(),
                invisible: Vec::new(),
                single: BTreeMap::new(),
                joined: BTreeMap::new(),
            };
            for a in encoding.of_thread(t) {
                let action = &encoding.actions[a];
                let targets = targets(encoding, a);
                if visibility.is_visible(a) {
                    plan.visible.push((a, targets));
                    continue;
                }
                let here = encoding.at(t, action.location);
                let correct = encoding.type_correct(&action.footprint)?;
                let blocked = m.and_not(&m.and(&here, &correct)?, &action.enabled)?;
                let segment = Segment {
                    rel: action.rel.clone(),
                    targets,
                    blocked,
                    rank: 0,
                };
                plan.single.insert(action.location, segment);
                plan.invisible.push(a);
            }
            for (rank, l) in control_order(&plan).into_iter().enumerate() {
                if let Some(step) = plan.single.get_mut(&l) {
                    step.rank = rank;
                }
            }
            plan.joined = join(m, &plan, encoding.program.threads[t].initial)?;
            plans.push(plan);
        }
        Ok(Explorer {
            encoding,
            plans,
            when_blocked,
        })
    }

    /// The coarse steps of a thread from states without q.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn coarse(&self, thread: ThreadId, from: &Bdd, grain: Grain) -> Result<Coarse, Stop> {
        let (e, m, plan) = (self.encoding, &self.encoding.m, &self.plans[thread]);
        let segments = match grain {
            Grain::Single => &plan.single,
            Grain::Joined => &plan.joined,
        };
        let mut run = Run {
            encoding: e,
            segments,
            thread,
            when_blocked: self.when_blocked,
            coarse: Coarse {
                ends: m.no(),
                violated: m.no(),
                inside: m.no(),
            },
            pending: BTreeMap::new(),
            seen: BTreeMap::new(),
        };
        for (a, targets) in &plan.visible {
            let next = e.actions[*a].rel.image(m, from)?;
            run.arrive(&next, targets)?;
        }
        while let Some((_, (l, set))) = run.pending.pop_first() {
            let Some(segment) = segments.get(&l) else {
                continue;
            };
            let next = segment.rel.image(m, &set)?;
            run.arrive(&next, &segment.targets)?;
        }
        let mut coarse = run.coarse;
        coarse.inside = coarse.ends.clone();
        for set in run.seen.into_values() {
            coarse.inside = m.or(&coarse.inside, &set)?;
        }
        Ok(coarse)
    }

    /// The actions of a thread's coarse steps: visible and invisible ones.
    pub fn actions(&self, thread: ThreadId) -> (Vec<usize>, Vec<usize>) {
        let plan = &self.plans[thread];
        (
            plan.visible.iter().map(|(a, _)| *a).collect(),
            plan.invisible.clone(),
        )
    }
}

struct Run<'r, 'p> {
    encoding: &'r Encoding<'p>,
    segments: &'r BTreeMap<LocId, Segment>,
    thread: ThreadId,
    when_blocked: Blocked,
    coarse: Coarse,
    pending: BTreeMap<usize, (LocId, Bdd)>,
    seen: BTreeMap<LocId, Bdd>,
}

impl Run<'_, '_> {
    /// Takes in the states after a single step.
    fn arrive(&mut self, states: &Bdd, targets: &[LocId]) -> Result<(), Stop> {
        if states.is_false() {
            return Ok(());
        }
        let (e, m) = (self.encoding, &self.encoding.m);
        let q = e.q();
        let violated = m.and(states, &q)?;
        self.coarse.violated = m.or(&self.coarse.violated, &violated)?;
        let states = if violated.is_false() {
            states.clone()
        } else {
            m.and_not(states, &q)?
        };
        for &l in targets {
            let here = if targets.len() == 1 {
                states.clone()
            } else {
                m.and(&states, &e.at(self.thread, l))?
            };
            let Some(step) = self.segments.get(&l) else {
                self.coarse.ends = m.or(&self.coarse.ends, &here)?;
                continue;
            };
            if self.when_blocked == Blocked::Ends && !step.blocked.is_false() {
                let stuck = m.and(&here, &step.blocked)?;
                self.coarse.ends = m.or(&self.coarse.ends, &stuck)?;
            }
            let seen = self.seen.entry(l).or_insert_with(|| m.no());
            let fresh = m.and_not(&here, seen)?;
            if fresh.is_false() {
                continue;
            }
            *seen = m.or(seen, &fresh)?;
            let pending = self.pending.entry(step.rank).or_insert_with(|| (l, m.no()));
            pending.1 = m.or(&pending.1, &fresh)?;
        }
        Ok(())
    }
}

/// Explores the reduced system to its fixpoint and says which goals are met.
///
/// Threads take turns, each following its coarse steps from all states that it has not yet been in turn for, so that
/// a thread's progress is shared by the next (chaining). A limit hit on the way is noted in the result.
pub fn explore(explorer: &Explorer, goals: &[Goal]) -> Reduced {
    let e = explorer.encoding;
    let mut reduced = Reduced {
        states: e.initial.clone(),
        visited: e.initial.clone(),
        met: Vec::new(),
        rounds: 0,
        stopped: None,
    };
    let done = fixpoint(explorer, &mut reduced).and_then(|()| sweep(explorer, &mut reduced));
    reduced.stopped = done.err();
    // Both sets: after a limit, the states reached may not have been joined to the visited ones yet.
    reduced.met = goals
        .iter()
        .map(|g| !e.m.disjoint(&g.bad, &reduced.visited) || !e.m.disjoint(&g.bad, &reduced.states))
        .collect();
    reduced
}

fn fixpoint(explorer: &Explorer, reduced: &mut Reduced) -> Result<(), Stop> {
    let (e, m) = (explorer.encoding, &explorer.encoding.m);
    let mut expanded = vec![m.no(); explorer.plans.len()];
    let mut grown = true;
    while grown {
        grown = false;
        reduced.rounds += 1;
        m.control().enter(format!(
            "the reduced system: round {} over the threads",
            reduced.rounds
        ));
        for (t, expanded) in expanded.iter_mut().enumerate() {
            loop {
                let all = m.and_not(&reduced.states, &e.q())?;
                let fresh = m.and_not(&all, expanded)?;
                if fresh.is_false() {
                    break;
                }
                // The difference of two sets is often the larger BDD; then all states are expanded again.
                let from = if fresh.size() < all.size() {
                    &fresh
                } else {
                    &all
                };
                let mut coarse = explorer.coarse(t, from, Grain::Joined)?;
                if !coarse.violated.is_false() {
                    coarse = explorer.coarse(t, from, Grain::Single)?;
                }
                *expanded = m.or(expanded, &fresh)?;
                reduced.states = m.or(&reduced.states, &coarse.ends)?;
                // The violated states are kept even if a limit stops the rest: a violation is one all the same.
                reduced.visited = m.or(&reduced.visited, &coarse.violated)?;
                grown = true;
            }
        }
    }
    Ok(())
}

/// The states inside steps. They are not needed for the fixpoint, so they are met once, from all states together.
fn sweep(explorer: &Explorer, reduced: &mut Reduced) -> Result<(), Stop> {
    let (e, m) = (explorer.encoding, &explorer.encoding.m);
    m.control().enter("the states inside coarse steps");
    reduced.visited = m.or(&reduced.visited, &reduced.states)?;
    let from = m.and_not(&reduced.states, &e.q())?;
    for t in 0..explorer.plans.len() {
        let inside = explorer.coarse(t, &from, Grain::Single)?.inside;
        reduced.visited = m.or(&reduced.visited, &inside)?;
    }
    Ok(())
}

/// The locations an action can lead to.
fn targets(e: &Encoding, action: usize) -> Vec<LocId> {
    let a = &e.actions[action];
    let thread = &e.program.threads[a.thread];
    let mut all = thread.locations[a.location].targets();
    all.extend(thread.wrong);
    // Most steps can't go wrong: the relation tells.
    all.retain(|l| {
        !e.m.disjoint(&a.rel.bdd, &a.rel.after(&e.m, &e.at(a.thread, *l)))
    });
    all
}

/// Invisible locations in reverse postorder of control.
fn control_order(plan: &Plan) -> Vec<LocId> {
    let mut order = Vec::new();
    let mut seen: Vec<LocId> = Vec::new();
    let entries = plan.visible.iter().flat_map(|(_, t)| t.iter().copied());
    let roots: Vec<LocId> = entries.chain(plan.single.keys().copied()).collect();
    for root in roots {
        // (location, next successor to look at), without recursion: straight-line code can be long.
        let mut stack = vec![(root, 0)];
        if seen.contains(&root) || !plan.single.contains_key(&root) {
            continue;
        }
        seen.push(root);
        while let Some((l, n)) = stack.pop() {
            let next = plan.single.get(&l).and_then(|s| s.targets.get(n).copied());
            match next {
                None => order.push(l),
                Some(successor) => {
                    stack.push((l, n + 1));
                    if plan.single.contains_key(&successor) && !seen.contains(&successor) {
                        seen.push(successor);
                        stack.push((successor, 0));
                    }
                }
            }
        }
    }
    order.reverse();
    order
}

/// Joins straight-line invisible code: a location that only one step leads to, with a step that is never disabled, is
/// passed through.
///
/// The joined step is a violation exactly if one of its parts is, since q stays. A composition that would
/// be larger than its parts is not made, so this can only save work.
fn join(m: &Bdds, plan: &Plan, initial: LocId) -> Result<BTreeMap<LocId, Segment>, Stop> {
    let mut entries: BTreeMap<LocId, usize> = BTreeMap::from([(initial, 2)]);
    for l in plan.visible.iter().flat_map(|(_, t)| t) {
        *entries.entry(*l).or_default() += 2;
    }
    for l in plan.single.values().flat_map(|s| &s.targets) {
        *entries.entry(*l).or_default() += 1;
    }
    let passed = |from: &Segment| -> Option<(LocId, &Segment)> {
        let [l] = from.targets.as_slice() else {
            return None;
        };
        let next = plan.single.get(l)?;
        (entries.get(l) == Some(&1) && next.blocked.is_false()).then_some((*l, next))
    };
    let mut joined = BTreeMap::new();
    let mut inner: Vec<LocId> = Vec::new();
    let mut starts: Vec<(&LocId, &Segment)> = plan.single.iter().collect();
    starts.sort_by_key(|(_, s)| s.rank);
    for (l, first) in starts {
        if inner.contains(l) {
            continue;
        }
        let mut segment = first.clone();
        while let Some((through, next)) = passed(&segment) {
            let both = segment.rel.then(m, &next.rel)?;
            let parts = segment.rel.bdd.size() + next.rel.bdd.size();
            if through == *l || both.bdd.size() > parts {
                break;
            }
            inner.push(through);
            segment = Segment {
                rel: both,
                targets: next.targets.clone(),
                ..segment
            };
        }
        joined.insert(*l, segment);
    }
    Ok(joined)
}
