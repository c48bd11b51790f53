//! The original and the reduced system, explored from the initial states.

use std::collections::BTreeSet;

use super::compile::{Loc, started};
use super::model::{Model, Node, NodeSet, q, state_of};
use super::semantics::{State, System};
use super::theorem::Relations;

/// What an exploration found.
pub struct Explored {
    /// The states at scheduling points.
    pub states: BTreeSet<Node>,
    /// These and the states inside steps.
    pub visited: BTreeSet<Node>,
}

/// How many program states, without `q`, are in the set.
pub fn count(nodes: &BTreeSet<Node>) -> usize {
    nodes
        .iter()
        .map(|node| state_of(*node))
        .collect::<BTreeSet<usize>>()
        .len()
}

/// The closure of a set of nodes under a successor function.
fn closure(
    start: impl IntoIterator<Item = Node>,
    successors: impl Fn(Node) -> BTreeSet<Node>,
) -> BTreeSet<Node> {
    let mut reached: BTreeSet<Node> = start.into_iter().collect();
    let mut pending: Vec<Node> = reached.iter().copied().collect();
    while let Some(node) = pending.pop() {
        for next in successors(node) {
            if reached.insert(next) {
                pending.push(next);
            }
        }
    }
    reached
}

fn all_successors(model: &Model, node: Node) -> BTreeSet<Node> {
    model
        .threads()
        .flat_map(|i| model.successors(i, node))
        .collect()
}

/// Everything that is reachable, also behind a violation of the discipline: the second rung of `J`.
pub fn reachable(model: &Model) -> NodeSet {
    let reached = closure(model.initial.iter().copied(), |node| {
        all_successors(model, node)
    });
    model.nodes().map(|node| reached.contains(&node)).collect()
}

/// The original system, in which nothing follows a violation.
pub fn original(model: &Model) -> Explored {
    let successors = |node| {
        if q(node) {
            BTreeSet::new()
        } else {
            all_successors(model, node)
        }
    };
    let states = closure(model.initial.iter().copied(), successors);
    Explored {
        visited: states.clone(),
        states,
    }
}

/// The reduced system `N* (1 + M)` with `N_i = v_i u_i* p_i ~q`; `relations` must be those on all type-correct states.
pub fn reduced(model: &Model, relations: &Relations) -> Explored {
    let threads = model.threads();
    // M_i = v_i u_i*, where nothing follows a violation.
    let m = |i: usize, from: Node| {
        let invisible = |node: Node| {
            if q(node) {
                BTreeSet::new()
            } else {
                relations.u[i][node].iter().copied().collect()
            }
        };
        closure(relations.v[i][from].iter().copied(), invisible)
    };
    let n = |from: Node| -> BTreeSet<Node> {
        let of_thread = |i| {
            m(i, from)
                .into_iter()
                .filter(move |to| relations.p[i][*to] && !q(*to))
        };
        threads.clone().flat_map(of_thread).collect()
    };
    let initial = || model.initial.iter().copied();
    let expanded = closure(initial().filter(|node| !q(*node)), n);
    let inside = expanded
        .iter()
        .flat_map(|from| threads.clone().flat_map(move |i| m(i, *from)));
    let visited = initial()
        .chain(expanded.iter().copied())
        .chain(inside)
        .collect();
    let states = initial().chain(expanded.iter().copied()).collect();
    Explored { states, visited }
}

/// No step is enabled, although some thread has neither ended nor gone wrong.
pub fn is_deadlock(model: &Model, state: usize) -> bool {
    let stuck = model.threads().all(|i| model.steps[i][state].is_empty());
    stuck && waits(&model.system, &model.states[state])
}

/// Some thread has neither ended nor gone wrong. One that is still to be started does not wait for anything.
pub fn waits(system: &System, state: &State) -> bool {
    let started = started(&system.program);
    let unstarted = |thread: usize, location: &Loc| {
        started.contains(&thread) && *location == system.graphs[thread].entry
    };
    let mut locations = state.locations.iter().enumerate();
    locations
        .any(|(thread, location)| matches!(location, Loc::At(_)) && !unstarted(thread, location))
}

/// Some thread has gone wrong.
pub fn is_wrong(model: &Model, state: usize) -> bool {
    model.states[state].locations.contains(&Loc::Wrong)
}
