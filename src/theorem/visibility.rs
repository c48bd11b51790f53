//! Visible and invisible actions (Stoller & Cohen 2003, section 4), and the least that has to be made visible.
//!
//! An action is visible if a shared unprotected variable or a mutex occurs in it, if its blocking guard mentions a
//! protected variable, or if it might change an exclusive access predicate. Where well-formedness would fail because of
//! invisible actions, further actions are made visible: first steps (WFinitVis), steps that could hide a user's
//! property (`I u <= u I`, corollary (a)), and a set that breaks all infinite invisible runs (WFfiniteInvis, hypothesis
//! 11), none of which can be left out. Making an action visible never breaks another condition, so one pass is enough.

use super::properties::Goal;
use crate::base::control::Stop;
use crate::base::results::{Remark, VisibilityReason};
use crate::engine::relations::{Encoding, Q, Rel};
use crate::model::program::{
    CellId, Class, How, LocId, Program, ThreadId, each_use, waits_for_thread,
};
use biodivine_lib_bdd::Bdd;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Which actions are visible, and why.
#[derive(Clone, Debug)]
pub struct Visibility {
    /// For each action of the encoding; no reason means invisible.
    pub reasons: Vec<Vec<VisibilityReason>>,
    /// Repairs that were needed but not made (`--strict`).
    pub refused: Vec<(usize, VisibilityReason)>,
}

impl Visibility {
    /// The visibility by definition, without repairs.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn by_definition(e: &mut Encoding) -> Result<Self, Stop> {
        let mut reasons = Vec::new();
        for a in 0..e.actions.len() {
            let mut why = mentioned(e.program, e.actions[a].thread, e.actions[a].location);
            if why.is_empty() {
                let changed = e.changes_predicate(a)?;
                why.extend(changed.map(|x| changes_predicate(e.program, x)));
            }
            reasons.push(why);
        }
        Ok(Visibility {
            reasons,
            refused: Vec::new(),
        })
    }

    /// Makes further actions visible where well-formedness or a goal needs it; with `strict`, only says where.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn repair(&mut self, e: &Encoding, goals: &[Goal], strict: bool) -> Result<(), Stop> {
        let mut needed: Vec<(usize, VisibilityReason)> = Vec::new();
        for a in self.invisible(0..e.actions.len()) {
            if !e.m.disjoint(&e.initial, &e.actions[a].enabled) {
                needed.push((a, VisibilityReason::FirstStep));
            }
            for goal in goals.iter().filter(|g| g.can_be_hidden) {
                if hides(e, &e.actions[a].rel, &goal.bad)? {
                    needed.push((a, VisibilityReason::Hides(goal.name.clone())));
                }
            }
        }
        if strict {
            self.refused = needed;
            return Ok(());
        }
        for (a, reason) in needed {
            self.reasons[a].push(reason);
        }
        for thread in 0..e.program.threads.len() {
            for a in self.cycle_breakers(e, thread)? {
                self.reasons[a].push(VisibilityReason::Cycle);
            }
        }
        Ok(())
    }

    /// Makes an action visible.
    pub fn pin(&mut self, action: usize, why: VisibilityReason) {
        self.reasons[action].push(why);
    }

    /// Whether an action is visible.
    pub fn is_visible(&self, action: usize) -> bool {
        !self.reasons[action].is_empty()
    }

    fn invisible(&self, among: impl Iterator<Item = usize>) -> Vec<usize> {
        among.filter(|&a| !self.is_visible(a)).collect()
    }

    /// An inclusion-minimal set of a thread's invisible actions without which it has no infinite run of
    /// invisible steps without a violation. Loop heads are preferred, since there the others can stay invisible.
    fn cycle_breakers(&self, e: &Encoding, thread: ThreadId) -> Result<Vec<usize>, Stop> {
        let invisible = self.invisible(e.of_thread(thread));
        // An infinite run comes back to some location again and again; most code has no such cycle at all.
        let cyclic = on_control_cycles(e, thread, &invisible);
        let Some(forever) = endless(e, &cyclic)? else {
            return Ok(Vec::new());
        };
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for &a in &cyclic {
            let rel = &e.actions[a].rel;
            let inside =
                e.m.and(&e.m.and(&rel.bdd, &forever)?, &rel.after(&e.m, &forever))?;
            for &b in &cyclic {
                let there = rel.after(&e.m, &e.at(thread, e.actions[b].location));
                if !e.m.disjoint(&inside, &there) {
                    edges.push((a, b));
                }
            }
        }
        let on_cycle: Vec<usize> = invisible
            .iter()
            .copied()
            .filter(|&a| reaches(&edges, a, a))
            .collect();
        let location = |a: &usize| -> LocId { e.actions[*a].location };
        let is_head = |a: &usize| {
            edges
                .iter()
                .any(|(from, to)| to == a && location(from) >= location(a))
        };
        let (heads, others): (Vec<usize>, Vec<usize>) = on_cycle.iter().partition(|a| is_head(a));
        let mut chosen = on_cycle.clone();
        for candidate in others.into_iter().chain(heads.into_iter().rev()) {
            let without: Vec<usize> = chosen.iter().copied().filter(|&a| a != candidate).collect();
            let rest: Vec<usize> = cyclic
                .iter()
                .copied()
                .filter(|a| !without.contains(a))
                .collect();
            if endless(e, &rest)?.is_none() {
                chosen = without;
            }
        }
        Ok(chosen)
    }
}

/// The reason that a step might change an exclusive access predicate of a protection, an index into the program's.
pub(super) fn changes_predicate(p: &Program, protection: usize) -> VisibilityReason {
    let cell = p.protections[protection].cell;
    VisibilityReason::ChangesPredicate(p.cells[cell].name.clone())
}

/// The reasons that the definition of visibility gives from the text of an action.
pub(super) fn mentioned(p: &Program, thread: ThreadId, location: LocId) -> Vec<VisibilityReason> {
    let (mut used, mut guards, mut waits) = (BTreeSet::new(), BTreeSet::new(), false);
    for edge in &p.threads[thread].locations[location].edges {
        waits |= waits_for_thread(edge);
        each_use(p, edge, &mut |u| {
            for c in u.cells {
                match (u.how, p.cells[c].class) {
                    (How::Check, _) | (_, Class::Local(_)) => {}
                    (How::Guard, Class::Protected) => drop(guards.insert(c)),
                    (_, Class::Protected) => {}
                    _ => drop(used.insert(c)),
                }
            }
        });
    }
    // The variable stands for its cells where they are all of one class.
    let name = |c: CellId| {
        let cell = &p.cells[c];
        let all = &p.cells[p.cells_of(cell.array)];
        match all.iter().all(|other| other.class == cell.class) {
            true => p.arrays[cell.array].name.clone(),
            false => cell.name.clone(),
        }
    };
    let uses = |c: CellId| match p.cells[c].class {
        Class::Owner => VisibilityReason::UsesMutex(name(c)),
        Class::Sync => VisibilityReason::UsesSync(name(c)),
        _ => VisibilityReason::UsesUnprotected(name(c)),
    };
    let guards = guards
        .into_iter()
        .map(|c| VisibilityReason::BlockingGuard(name(c)));
    let mut reasons: Vec<VisibilityReason> = used.into_iter().map(uses).collect();
    reasons.extend(waits.then_some(VisibilityReason::Waits));
    reasons.extend(guards);
    // One cell of a variable stands for those that are named alike.
    reasons.dedup();
    reasons
}

/// What an invisible action mentions: why it need not be visible.
pub fn stays_invisible(p: &Program, thread: ThreadId, location: LocId) -> Remark {
    let (mut own, mut protected) = (BTreeSet::new(), BTreeSet::new());
    for edge in &p.threads[thread].locations[location].edges {
        each_use(p, edge, &mut |used| {
            for c in used.cells {
                let array = &p.arrays[p.cells[c].array].name;
                match (used.how, p.cells[c].class) {
                    (How::Check, _) => {}
                    (_, Class::Local(_)) => drop(own.insert(array)),
                    _ => drop(protected.insert(array)),
                }
            }
        });
    }
    Remark::Invisible {
        own: own.into_iter().cloned().collect(),
        protected: protected.into_iter().cloned().collect(),
    }
}

/// Whether a step can lead from a state of `bad` to one outside: `I u <= u I` fails.
pub(super) fn hides(e: &Encoding, rel: &Rel, bad: &Bdd) -> Result<bool, Stop> {
    let from = e.m.and(&rel.bdd, bad)?;
    let out = e.m.and_not(&from, &rel.after(&e.m, bad))?;
    let bits: Vec<u32> =
        e.m.support(&out)
            .into_iter()
            .filter(|l| l % 3 == 0)
            .map(|l| (l / 3) as u32)
            .collect();
    Ok(!e.m.disjoint(&out, &e.type_correct(&bits)?))
}

/// The type-correct states from which these actions run for ever without a violation, if there are any.
fn endless(e: &Encoding, actions: &[usize]) -> Result<Option<Bdd>, Stop> {
    let m = &e.m;
    let mut steps = Vec::new();
    for &a in actions {
        let rel = &e.actions[a].rel;
        let unviolated = rel.after(m, &e.q().not());
        steps.push(Rel {
            bdd: m.and(&rel.bdd, &unviolated)?,
            writes: rel.writes.clone(),
        });
    }
    let mut bits: Vec<u32> = steps.iter().flat_map(|r| r.support(m)).chain([Q]).collect();
    bits.sort_unstable();
    bits.dedup();
    let mut states = e.type_correct(&bits)?;
    loop {
        let next = m.and(
            &crate::engine::relations::preimage(m, &steps, &states)?,
            &states,
        )?;
        if next.is_false() {
            return Ok(None);
        }
        if m.within(&states, &next) {
            return Ok(Some(next));
        }
        states = next;
    }
}

/// The actions that lie on a cycle of the control-flow graph among these.
fn on_control_cycles(e: &Encoding, thread: ThreadId, actions: &[usize]) -> Vec<usize> {
    let mut edges = Vec::new();
    let mut at: FxHashMap<LocId, usize> = FxHashMap::default();
    for &a in actions {
        at.insert(e.actions[a].location, a);
    }
    for &a in actions {
        let targets = e.program.threads[thread].locations[e.actions[a].location].targets();
        edges.extend(targets.into_iter().filter_map(|l| Some((a, *at.get(&l)?))));
    }
    // Peel off what has no successor left: a straight line disappears in one pass.
    let mut successors: FxHashMap<usize, usize> = FxHashMap::default();
    let mut predecessors: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for &(a, b) in &edges {
        *successors.entry(a).or_default() += 1;
        predecessors.entry(b).or_default().push(a);
    }
    let mut gone: Vec<usize> = actions
        .iter()
        .copied()
        .filter(|a| !successors.contains_key(a))
        .collect();
    let mut next = 0;
    while let Some(&a) = gone.get(next) {
        next += 1;
        for p in predecessors.remove(&a).unwrap_or_default() {
            if let Some(left) = successors.get_mut(&p) {
                *left -= 1;
                if *left == 0 {
                    gone.push(p);
                }
            }
        }
    }
    gone.sort_unstable();
    actions
        .iter()
        .copied()
        .filter(|a| gone.binary_search(a).is_err())
        .collect()
}

fn reaches(edges: &[(usize, usize)], from: usize, to: usize) -> bool {
    let (mut seen, mut stack) = (Vec::new(), vec![from]);
    while let Some(at) = stack.pop() {
        for &(_, next) in edges.iter().filter(|(a, _)| *a == at) {
            if next == to {
                return true;
            }
            if !seen.contains(&next) {
                seen.push(next);
                stack.push(next);
            }
        }
    }
    false
}
