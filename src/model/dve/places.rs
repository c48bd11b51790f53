//! Where a process is, as others see it.
//!
//! An action of ours moves only its own thread, but a rendezvous moves the receiver in an action of the sender. So
//! states of a process that receiving transitions connect form a *cluster* with one location in our thread, and a
//! shared variable says which of them the process is in. The same variable answers what others ask: whether the process
//! is in the state that a receiving transition leaves, in one that an expression names, in a committed one. It has a
//! *class* for each state that needs to be told apart, and one for all others (two, if some of these are committed). It
//! is a function of the process's state, so there are as many states of ours as of the system.

use super::system::{Kind, ProcessId, StateId, System};

/// The states of a process, grouped.
#[derive(Debug)]
pub(super) struct Places {
    /// Which cluster a state belongs to.
    pub cluster: Vec<usize>,
    /// The states of each cluster, in order; the clusters in the order of their first states, that of the initial state
    /// first.
    pub clusters: Vec<Vec<StateId>>,
    /// Which class a state belongs to.
    pub class: Vec<usize>,
    /// The classes; with one class only, no variable is needed.
    pub classes: Vec<Class>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Class {
    /// One state.
    State(StateId),
    /// States that nobody asks for, committed or not.
    Others { committed: bool },
}

impl Places {
    /// Whether a state shares its location with others.
    pub fn shares(&self, state: StateId) -> bool {
        self.clusters[self.cluster[state]].len() > 1
    }
}

/// Groups the states of all processes.
pub(super) fn places(system: &System) -> Vec<Places> {
    let told = told_apart(system);
    (0..system.processes.len())
        .map(|p| group(system, p, &told[p]))
        .collect()
}

/// Whether some other process sends on what a transition receives from.
pub(super) fn has_partner(system: &System, receiver: ProcessId, channel: usize) -> bool {
    let others = system.processes.iter().enumerate();
    others.filter(|(p, _)| *p != receiver).any(|(_, q)| {
        q.transitions
            .iter()
            .any(|t| system.sends(t) == Some(channel))
    })
}

/// The states that others ask for: named in their expressions, or left by a rendezvous that they begin.
fn told_apart(system: &System) -> Vec<Vec<bool>> {
    let mut told: Vec<Vec<bool>> = system
        .processes
        .iter()
        .map(|p| vec![false; p.states.len()])
        .collect();
    for (p, process) in system.processes.iter().enumerate() {
        for t in &process.transitions {
            if let Some(c) = system.receives(t)
                && has_partner(system, p, c)
            {
                told[p][t.from] = true;
            }
            t.walk(&mut |e| {
                if let Kind::At(q, state) = e.kind
                    && q != p
                {
                    told[q][state] = true;
                }
            });
        }
    }
    told
}

fn group(system: &System, p: ProcessId, told: &[bool]) -> Places {
    let process = &system.processes[p];
    let mut joined: Vec<StateId> = (0..process.states.len()).collect();
    fn root(joined: &[StateId], mut s: StateId) -> StateId {
        while joined[s] != s {
            s = joined[s];
        }
        s
    }
    for t in &process.transitions {
        if system
            .receives(t)
            .is_some_and(|c| has_partner(system, p, c))
        {
            let (a, b) = (root(&joined, t.from), root(&joined, t.to));
            joined[a.max(b)] = a.min(b);
        }
    }
    let roots: Vec<StateId> = (0..joined.len()).map(|s| root(&joined, s)).collect();
    let first = roots.get(process.initial).copied();
    let mut order: Vec<StateId> = roots.clone();
    order.sort_by_key(|&r| (Some(r) != first, r));
    order.dedup();
    let cluster: Vec<usize> = roots
        .iter()
        .map(|r| order.iter().position(|o| o == r).unwrap_or(0))
        .collect();
    let mut clusters = vec![Vec::new(); order.len()];
    for (state, &c) in cluster.iter().enumerate() {
        clusters[c].push(state);
    }
    let mut classes: Vec<Class> = Vec::new();
    let class = (0..process.states.len())
        .map(|s| {
            let committed = process.states[s].committed;
            let class = if told[s] || clusters[cluster[s]].len() > 1 {
                Class::State(s)
            } else {
                Class::Others { committed }
            };
            let known = classes.iter().position(|c| *c == class);
            known.unwrap_or_else(|| {
                classes.push(class);
                classes.len() - 1
            })
        })
        .collect();
    Places {
        cluster,
        clusters,
        class,
        classes,
    }
}
