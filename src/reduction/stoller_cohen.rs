//! The reduced system of Stoller & Cohen 2003, section 3: `N* R` explored to a fixpoint, image by image.
//!
//! `M_i = v_i u_i*`: one visible step of a thread, then invisible ones; `N_i = M_i p_i ~q`: as many as there are. A coarse
//! step of a thread is followed location by location, so that each image is taken on a small set by one small
//! relation. States with q are not expanded. No closure of a relation is ever built.

use super::properties::Goal;
use super::visibility::Visibility;
use crate::control::Stop;
use crate::program::{Command, LocId, ThreadId};
use crate::relation::Encoding;
use biodivine_lib_bdd::Bdd;
use std::collections::BTreeMap;

/// A thread's part of the reduced system.
struct Plan {
    /// Visible actions with the locations they lead to.
    visible: Vec<(usize, Vec<LocId>)>,
    /// Invisible actions by location.
    invisible: BTreeMap<LocId, Invisible>,
}

struct Invisible {
    action: usize,
    targets: Vec<LocId>,
    /// Where control is at the location but the step is disabled; false for most.
    blocked: Bdd,
    /// Position in an order that follows control, so that most sets are complete when they are expanded.
    rank: usize,
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

/// Where a goal is first met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// In an initial state.
    Initially,
    /// During a coarse step from the n-th layer.
    From(usize),
}

/// The reduced system.
pub struct Reduced {
    /// The states first reached by n coarse steps.
    pub layers: Vec<Bdd>,
    /// All states at scheduling points.
    pub states: Bdd,
    /// Those and the states inside steps, the violated ones too; only after a complete exploration.
    pub visited: Option<Bdd>,
    /// For each goal, where it is first met.
    pub met: Vec<Option<Met>>,
    /// Why the exploration is not complete, if it is not.
    pub stopped: Option<Stop>,
}

/// Explores coarse steps.
pub struct Explorer<'e, 'p> {
    encoding: &'e Encoding<'p>,
    plans: Vec<Plan>,
}

impl<'e, 'p> Explorer<'e, 'p> {
    /// Prepares the coarse steps of all threads.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn new(encoding: &'e Encoding<'p>, visibility: &Visibility) -> Result<Self, Stop> {
        let m = &encoding.m;
        let mut plans = Vec::new();
        for t in 0..encoding.program.threads.len() {
            let mut plan = Plan {
                visible: Vec::new(),
                invisible: BTreeMap::new(),
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
                plan.invisible.insert(
                    action.location,
                    Invisible {
                        action: a,
                        targets,
                        blocked,
                        rank: 0,
                    },
                );
            }
            for (rank, l) in control_order(&plan).into_iter().enumerate() {
                if let Some(step) = plan.invisible.get_mut(&l) {
                    step.rank = rank;
                }
            }
            plans.push(plan);
        }
        Ok(Explorer { encoding, plans })
    }

    /// The coarse steps of a thread from states without q.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn coarse(&self, thread: ThreadId, from: &Bdd) -> Result<Coarse, Stop> {
        let (e, m, plan) = (self.encoding, &self.encoding.m, &self.plans[thread]);
        let mut run = Run {
            explorer: self,
            thread,
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
            let Some(step) = plan.invisible.get(&l) else {
                continue;
            };
            let next = e.actions[step.action].rel.image(m, &set)?;
            run.arrive(&next, &step.targets)?;
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
        let visible = plan.visible.iter().map(|(a, _)| *a).collect();
        (visible, plan.invisible.values().map(|s| s.action).collect())
    }
}

struct Run<'r, 'e, 'p> {
    explorer: &'r Explorer<'e, 'p>,
    thread: ThreadId,
    coarse: Coarse,
    pending: BTreeMap<usize, (LocId, Bdd)>,
    seen: BTreeMap<LocId, Bdd>,
}

impl Run<'_, '_, '_> {
    /// Takes in the states after a single step.
    fn arrive(&mut self, states: &Bdd, targets: &[LocId]) -> Result<(), Stop> {
        if states.is_false() {
            return Ok(());
        }
        let (e, m) = (self.explorer.encoding, &self.explorer.encoding.m);
        let plan = &self.explorer.plans[self.thread];
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
            let Some(step) = plan.invisible.get(&l) else {
                self.coarse.ends = m.or(&self.coarse.ends, &here)?;
                continue;
            };
            if !step.blocked.is_false() {
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

/// Explores the reduced system to its fixpoint, noting where goals are first met.
///
/// # Errors
/// Never for a limit hit on the way: then the result says so, with what was found before.
pub fn explore(explorer: &Explorer, goals: &[Goal]) -> Result<Reduced, Stop> {
    let e = explorer.encoding;
    let initial = e.initial.clone();
    let mut reduced = Reduced {
        layers: Vec::new(),
        states: initial.clone(),
        visited: None,
        met: goals
            .iter()
            .map(|g| (!e.m.disjoint(&g.bad, &initial)).then_some(Met::Initially))
            .collect(),
        stopped: None,
    };
    if let Err(stop) =
        fixpoint(explorer, goals, &mut reduced).and_then(|()| sweep(explorer, goals, &mut reduced))
    {
        reduced.stopped = Some(stop);
    }
    Ok(reduced)
}

fn fixpoint(explorer: &Explorer, goals: &[Goal], reduced: &mut Reduced) -> Result<(), Stop> {
    let (e, m) = (explorer.encoding, &explorer.encoding.m);
    let mut layer = m.and_not(&e.initial, &e.q())?;
    while !layer.is_false() {
        let depth = reduced.layers.len();
        reduced.layers.push(layer.clone());
        m.control()
            .enter(format!("the reduced system: coarse step {}", depth + 1));
        let mut next = m.no();
        for t in 0..explorer.plans.len() {
            let coarse = explorer.coarse(t, &layer)?;
            for (goal, met) in goals.iter().zip(&mut reduced.met) {
                let hit = met.is_none()
                    && (!m.disjoint(&goal.bad, &coarse.ends)
                        || !m.disjoint(&goal.bad, &coarse.violated));
                if hit {
                    *met = Some(Met::From(depth));
                }
            }
            next = m.or(&next, &coarse.ends)?;
        }
        layer = m.and_not(&next, &reduced.states)?;
        reduced.states = m.or(&reduced.states, &layer)?;
    }
    Ok(())
}

/// The states inside steps, and the goals that are met only there (or earlier there).
fn sweep(explorer: &Explorer, goals: &[Goal], reduced: &mut Reduced) -> Result<(), Stop> {
    let (e, m) = (explorer.encoding, &explorer.encoding.m);
    m.control().enter("the states inside coarse steps");
    let from = m.and_not(&reduced.states, &e.q())?;
    let mut visited = reduced.states.clone();
    for t in 0..explorer.plans.len() {
        let coarse = explorer.coarse(t, &from)?;
        visited = m.or(&visited, &m.or(&coarse.inside, &coarse.violated)?)?;
    }
    for (goal, met) in goals.iter().zip(&mut reduced.met) {
        if met.is_some() || m.disjoint(&goal.bad, &visited) {
            continue;
        }
        for (depth, layer) in reduced.layers.iter().enumerate() {
            for t in 0..explorer.plans.len() {
                let inside = explorer.coarse(t, layer)?.inside;
                if met.is_none() && !m.disjoint(&goal.bad, &inside) {
                    *met = Some(Met::From(depth));
                }
            }
            if met.is_some() {
                break;
            }
        }
    }
    reduced.visited = Some(visited);
    Ok(())
}

/// The locations an action can lead to.
fn targets(e: &Encoding, action: usize) -> Vec<LocId> {
    let a = &e.actions[action];
    let thread = &e.program.threads[a.thread];
    let mut all: Vec<LocId> = thread.wrong.into_iter().collect();
    for edge in &thread.locations[a.location].edges {
        gotos(&edge.body, &mut all);
    }
    all.sort_unstable();
    all.dedup();
    // Most steps can't go wrong: the relation tells.
    let leads = |l: &LocId| {
        !e.m.disjoint(&a.rel.bdd, &a.rel.after(&e.m, &e.at(a.thread, *l)))
    };
    all.retain(leads);
    all
}

fn gotos(commands: &[Command], into: &mut Vec<LocId>) {
    for command in commands {
        match command {
            Command::Goto(l) => into.push(*l),
            Command::If(_, a, b) => {
                gotos(a, into);
                gotos(b, into);
            }
            Command::Choose(branches) => branches.iter().for_each(|b| gotos(b, into)),
            _ => {}
        }
    }
}

/// Invisible locations in reverse postorder of control.
fn control_order(plan: &Plan) -> Vec<LocId> {
    let mut order = Vec::new();
    let mut seen: Vec<LocId> = Vec::new();
    let entries = plan.visible.iter().flat_map(|(_, t)| t.iter().copied());
    let roots: Vec<LocId> = entries.chain(plan.invisible.keys().copied()).collect();
    for root in roots {
        // (location, next successor to look at), without recursion: straight-line code can be long.
        let mut stack = vec![(root, 0)];
        if seen.contains(&root) || !plan.invisible.contains_key(&root) {
            continue;
        }
        seen.push(root);
        while let Some((l, n)) = stack.pop() {
            let next = plan
                .invisible
                .get(&l)
                .and_then(|s| s.targets.get(n).copied());
            match next {
                None => order.push(l),
                Some(successor) => {
                    stack.push((l, n + 1));
                    if plan.invisible.contains_key(&successor) && !seen.contains(&successor) {
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
