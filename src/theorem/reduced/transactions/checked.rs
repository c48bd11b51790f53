//! Steps with access checks: a step that violates the discipline makes its thread go wrong, and does nothing else.
//!
//! That is delta of Flanagan & Qadeer 2003, section 4. So `w[i]` is one location of thread i, q plays no part, and the
//! hypotheses speak of violations and failed assertions alike. What is reached without a violation is the same as
//! before.

use super::phases::{Phase, Phased};
use crate::base::control::Stop;
use crate::engine::relations::{Action, Bit, Encoding, Q, Rel, preimage};
use crate::model::program::{LocId, ThreadId};
use biodivine_lib_bdd::Bdd;
use std::collections::BTreeSet;

/// The actions of a program with phases, with access checks.
///
/// # Errors
/// Any [`Stop`].
pub fn checked(e: &Encoding) -> Result<Vec<Action>, Stop> {
    (0..e.actions.len()).map(|a| action(e, a)).collect()
}

fn action(e: &Encoding, number: usize) -> Result<Action, Stop> {
    let (m, action) = (&e.m, &e.actions[number]);
    let rel = &action.rel;
    let without_q = |bdd: &Bdd| m.exists(bdd, |l| l / 3 == Q as usize);
    let after = rel.after(m, &e.q());
    let clean = m.and_not(&m.and_not(&rel.bdd, &after)?, &e.q())?;
    let mut steps = Rel {
        bdd: without_q(&clean)?,
        writes: rel.writes.iter().copied().filter(|&b| b != Q).collect(),
    };
    let bad = m.and_not(&m.and(&rel.bdd, &after)?, &e.q())?;
    let thread = &e.program.threads[action.thread];
    if let (false, Some(wrong)) = (bad.is_false(), thread.wrong) {
        let group: Vec<Bit> = e.layout.location(action.thread).bits().collect();
        let violating = Rel {
            writes: group,
            bdd: m.exists(&bad, |l| l % 3 == 1 || l / 3 == Q as usize)?,
        };
        let there = violating.after(m, &e.at(action.thread, wrong));
        let violating = Rel {
            bdd: m.and(&violating.bdd, &there)?,
            writes: violating.writes,
        };
        steps = steps.plus(m, &violating)?;
    }
    Ok(Action {
        thread: action.thread,
        location: action.location,
        enabled: without_q(&action.enabled)?,
        footprint: steps.support(m),
        writes: steps.writes.clone(),
        rel: steps,
        outside: Vec::new(),
    })
}

/// Where a thread is in one of these locations.
///
/// # Errors
/// Any [`Stop`].
pub fn somewhere(
    e: &Encoding,
    thread: ThreadId,
    locations: impl IntoIterator<Item = LocId>,
) -> Result<Bdd, Stop> {
    locations
        .into_iter()
        .try_fold(e.m.no(), |acc, l| e.m.or(&acc, &e.at(thread, l)))
}

/// Locations (of the program without phases) at which a thread's transactions have to be cut so that each can be
/// finished from behind its commit point, from the states of `j`: where it can be blocked for ever, and of each
/// component of control it cannot leave the first.
///
/// # Errors
/// Any [`Stop`].
pub fn unfinished(
    e: &Encoding,
    phased: &Phased,
    thread: ThreadId,
    j: &Bdd,
) -> Result<BTreeSet<LocId>, Stop> {
    let m = &e.m;
    let behind = somewhere(e, thread, phased.at(thread, Phase::Behind))?;
    let behind = m.and(&behind, j)?;
    if behind.is_false() {
        return Ok(BTreeSet::new());
    }
    let steps: Vec<Rel> = e
        .of_thread(thread)
        .map(|a| e.actions[a].rel.clone())
        .collect();
    // A6: `l[i] T <= t[i]* n[i] T`, that is, the states from which some run of the thread leads out of its transaction.
    let mut finishing = behind.not();
    loop {
        let next = m.or(&finishing, &preimage(m, &steps, &finishing)?)?;
        if m.within(&next, &finishing) {
            break;
        }
        finishing = next;
    }
    let mut stuck = m.and_not(&behind, &finishing)?;
    let mut cut = BTreeSet::new();
    if stuck.is_false() {
        return Ok(cut);
    }
    let at = |stuck: &Bdd| -> Vec<LocId> {
        phased
            .at(thread, Phase::Behind)
            .filter(|&l| !m.disjoint(stuck, &e.at(thread, l)))
            .collect()
    };
    // Blocked: no step of the thread at all.
    let mut moving = m.no();
    for step in &steps {
        moving = m.or(&moving, &step.domain(m)?)?;
    }
    let blocked = m.and_not(&stuck, &moving)?;
    for l in at(&blocked) {
        cut.insert(phased.origin[thread][l]);
        stuck = m.and_not(&stuck, &e.at(thread, l))?;
    }
    if !cut.is_empty() {
        return Ok(cut);
    }
    // Every step leads to stuck states again: of each component of control the location that comes first in the text.
    let inside = at(&stuck);
    let targets = |l: LocId| e.program.threads[thread].locations[l].targets();
    for component in components(&inside, &targets) {
        let first = component
            .iter()
            .min_by_key(|&&l| (e.program.threads[thread].locations[l].span.start, l));
        cut.extend(first.map(|&l| phased.origin[thread][l]));
    }
    Ok(cut)
}

/// The strongly connected components of a graph that have an edge inside, by Tarjan's algorithm without recursion.
fn components(nodes: &[LocId], targets: &impl Fn(LocId) -> Vec<LocId>) -> Vec<Vec<LocId>> {
    let position = |l: LocId| nodes.iter().position(|&n| n == l);
    let next: Vec<Vec<usize>> = nodes
        .iter()
        .map(|&l| targets(l).into_iter().filter_map(position).collect())
        .collect();
    let mut index = vec![usize::MAX; nodes.len()];
    let mut low = vec![0; nodes.len()];
    let mut on_stack = vec![false; nodes.len()];
    let (mut stack, mut count, mut found) = (Vec::new(), 0, Vec::new());
    for root in 0..nodes.len() {
        if index[root] != usize::MAX {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((node, at)) = calls.pop() {
            if at == 0 {
                index[node] = count;
                low[node] = count;
                count += 1;
                stack.push(node);
                on_stack[node] = true;
            } else {
                let child = next[node][at - 1];
                if on_stack[child] {
                    low[node] = low[node].min(low[child]);
                }
            }
            if let Some(&child) = next[node].get(at) {
                calls.push((node, at + 1));
                if index[child] == usize::MAX {
                    calls.push((child, 0));
                }
                continue;
            }
            if low[node] == index[node] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                if component.len() > 1 || next[node].contains(&node) {
                    found.push(component.into_iter().map(|n| nodes[n]).collect());
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_are_those_with_a_cycle() {
        let edges = [
            (1, 2),
            (2, 3),
            (3, 2),
            (3, 4),
            (4, 4),
            (5, 1),
            (6, 5),
            (5, 6),
        ];
        let targets = |l| {
            let of = edges.iter().filter(|(a, _)| *a == l);
            of.map(|(_, b)| *b).collect::<Vec<usize>>()
        };
        let mut found = components(&[1, 2, 3, 4, 5, 6], &targets);
        for component in &mut found {
            component.sort_unstable();
        }
        found.sort();
        assert_eq!(found, [vec![2, 3], vec![4], vec![5, 6]]);
        assert!(components(&[1, 2], &targets).is_empty());
    }
}
