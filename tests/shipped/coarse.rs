//! The reduced system of a program, state by state, from the interpreter and the report's visible steps.
//!
//! Written from the definitions (3), (4) and (9) of Stoller & Cohen 2003 and not from the tool: one visible step of a
//! thread, then its invisible ones until none is enabled or the discipline is violated.

use std::collections::{BTreeSet, HashSet};
use std::hash::Hash;

use coarsen::engine::{
    State, holds, initial_candidates, initially_violated, is_deadlock, is_initial, successors,
    violates,
};
use coarsen::model::program::{LocId, Program, ThreadId};
use coarsen::model::text::ast::PropertyKind;
use coarsen::results::{Binding, Report, Step};

/// The steps of a report as threads and locations of the program.
pub fn places(program: &Program, steps: &[Step]) -> BTreeSet<(ThreadId, LocId)> {
    let find = |step: &Step| {
        let t = program
            .threads
            .iter()
            .position(|t| t.name == step.thread)
            .expect("a thread");
        let l = program.threads[t]
            .locations
            .iter()
            .position(|l| l.name == step.location);
        (t, l.expect("a location"))
    };
    steps.iter().map(find).collect()
}

/// Whether a property's states to look for (violations, or what `reach` wants) include this one.
pub fn settles(program: &Program, property: &str, state: &State, violated: bool) -> bool {
    match property {
        "discipline" => violated,
        "assertions" => {
            let wrong = |(t, thread): (ThreadId, &coarsen::model::program::Thread)| {
                thread.wrong == Some(state.location(t))
            };
            program.threads.iter().enumerate().any(wrong)
        }
        "deadlock_free" => is_deadlock(program, state),
        name => {
            let mut declared = program.properties.iter();
            let Some(property) = declared.find(|p| p.name == name) else {
                // No state settles a claim about a block.
                let mut claims = program.claims.iter();
                assert!(claims.any(|c| c.name == name), "a property");
                return false;
            };
            let wanted = property.kind == PropertyKind::Reach;
            holds(program, &property.expr, state) == wanted
        }
    }
}

/// Whether a state is an initial one.
pub fn starts(program: &Program, state: &State) -> bool {
    initial_candidates(program).any(|s| s == *state) && is_initial(program, state)
}

/// The reduced system.
#[derive(Debug)]
pub struct Reduced {
    /// States at scheduling points.
    pub states: usize,
    /// Those and the states inside coarse steps.
    pub visited: usize,
    /// For each property of the report, the fewest coarse steps (the last one perhaps cut short) that settle it.
    pub fewest: Vec<Option<usize>>,
}

/// Explores the reduced system of a program with the report's visible steps, breadth first.
pub fn reduced(program: &Program, report: &Report) -> Reduced {
    let visible = places(program, &report.visible);
    let mut fewest = vec![None; report.properties.len()];
    let mut states: HashSet<State> = HashSet::new();
    let mut visited: HashSet<State> = HashSet::new();
    let mut layer: Vec<State> = Vec::new();
    let mut look = |state: &State, violated: bool, depth: usize| {
        for (fewest, property) in fewest.iter_mut().zip(&report.properties) {
            if fewest.is_none() && settles(program, &property.name, state, violated) {
                *fewest = Some(depth);
            }
        }
    };
    for state in initial_candidates(program).filter(|s| is_initial(program, s)) {
        let violated = initially_violated(program, &state);
        look(&state, violated, 0);
        visited.insert(state.clone());
        states.insert(state.clone());
        if !violated {
            layer.push(state);
        }
    }
    let mut depth = 0;
    while !layer.is_empty() {
        depth += 1;
        let mut next = Vec::new();
        for start in layer {
            for t in 0..program.threads.len() {
                // Whether the step to take is a visible one is decided by its location alone.
                let mut open = vec![start.clone()];
                let mut inside: HashSet<State> = HashSet::new();
                let mut first = true;
                while let Some(state) = open.pop() {
                    let here_visible = visible.contains(&(t, state.location(t)));
                    if first != here_visible {
                        assert!(first, "only states with an invisible step are open");
                        break;
                    }
                    first = false;
                    for step in successors(program, &state, t) {
                        let violated = violates(program, t, &state, &step);
                        look(&step.state, violated, depth);
                        visited.insert(step.state.clone());
                        if violated {
                            continue;
                        }
                        let goes_on = !visible.contains(&(t, step.state.location(t)))
                            && !successors(program, &step.state, t).is_empty();
                        if goes_on {
                            if inside.insert(step.state.clone()) {
                                open.push(step.state);
                            }
                        } else if states.insert(step.state.clone()) {
                            next.push(step.state);
                        }
                    }
                }
            }
        }
        layer = next;
    }
    Reduced {
        states: states.len(),
        visited: visited.len(),
        fewest,
    }
}

/// All states that steps lead to.
pub fn closure<S: Clone + Eq + Hash>(initial: Vec<S>, next: impl Fn(&S) -> Vec<S>) -> HashSet<S> {
    let mut seen: HashSet<S> = initial.iter().cloned().collect();
    let mut open = initial;
    while let Some(state) = open.pop() {
        for following in next(&state) {
            if seen.insert(following.clone()) {
                open.push(following);
            }
        }
    }
    seen
}

/// Whether some reachable state of the original program, those after a violation included, agrees with these bindings.
pub fn occurs(program: &Program, bindings: &[Binding]) -> bool {
    let initial = initial_candidates(program)
        .filter(|s| is_initial(program, s))
        .map(|s| {
            let violated = initially_violated(program, &s);
            (s, violated)
        });
    let next = |(state, violated): &(State, bool)| {
        let mut all = Vec::new();
        for t in 0..program.threads.len() {
            for step in successors(program, state, t) {
                let violated = *violated || violates(program, t, state, &step);
                all.push((step.state, violated));
            }
        }
        all
    };
    let agrees = |(state, violated): &(State, bool)| {
        bindings.iter().all(|b| {
            if let Some(c) = program.cells.iter().position(|c| c.name == b.name) {
                program.show(c, state.cell(c)) == b.value
            } else if let Some(t) = program.threads.iter().position(|t| t.name == b.name) {
                let location = &program.threads[t].locations[state.location(t)].name;
                b.value == *location
            } else {
                b.name == "discipline" && *violated
            }
        })
    };
    closure(initial.collect(), next).iter().any(agrees)
}
