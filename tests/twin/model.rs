//! A program's type-correct states, numbered, and all its steps between them with the history bit `q`.
//!
//! A node is a program state with `q`: node `2 s + q`. A set of nodes is a `Vec<bool>`, a relation lists for every node
//! the nodes it is related to.

use std::collections::{BTreeSet, HashMap};

use super::ast::Program;
use super::compile::{Graph, Loc};
use super::eval::Rights;
use super::semantics::{State, System, product};

pub type Node = usize;
pub type NodeSet = Vec<bool>;
pub type Relation = Vec<Vec<Node>>;

/// The program state of a node.
pub fn state_of(node: Node) -> usize {
    node / 2
}

/// Whether the discipline has been violated.
pub fn q(node: Node) -> bool {
    node % 2 == 1
}

fn node(state: usize, q: bool) -> Node {
    2 * state + usize::from(q)
}

pub struct Model {
    pub system: System,
    /// The type-correct states: every valuation of the cells, every location of every thread.
    pub states: Vec<State>,
    /// `rights[x][k][s]`: thread `k`'s predicates for protected cell `x` in state `s`.
    pub rights: Vec<Vec<Vec<Rights>>>,
    /// `steps[i][s]`: thread `i`'s steps from state `s`.
    pub steps: Vec<Vec<BTreeSet<Step>>>,
    pub initial: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    pub target: usize,
    /// Whether the step violates the discipline, by (26) of the paper.
    pub violates: bool,
}

impl Model {
    /// Enumerates the program's states and steps.
    pub fn new(program: &Program) -> Model {
        let system = System::new(program);
        let states = type_correct_states(&system);
        let number: HashMap<&State, usize> = states
            .iter()
            .enumerate()
            .map(|(number, state)| (state, number))
            .collect();
        let threads = 0..system.threads.len();
        let mut rights = Vec::new();
        for x in &system.layout.protected {
            let of_thread = |k| {
                states
                    .iter()
                    .map(|state| system.rights(x, k, state))
                    .collect()
            };
            rights.push(threads.clone().map(of_thread).collect::<Vec<Vec<Rights>>>());
        }
        let mut steps = Vec::new();
        for i in threads {
            let mut of_thread = Vec::new();
            for (from, state) in states.iter().enumerate() {
                let step = |step: super::semantics::Step| {
                    let target = number[&step.target];
                    let protected = system.layout.protected.iter().zip(&rights);
                    let violates = protected.clone().any(|(x, rights)| {
                        let (before, after) = (at(rights, from), at(rights, target));
                        violates(x.cell, (&before, &after), i, &step)
                    });
                    Step { target, violates }
                };
                of_thread.push(system.steps(state, i).into_iter().map(step).collect());
            }
            steps.push(of_thread);
        }
        let overlap = |state| rights.iter().any(|rights| conflict(&at(rights, state)));
        let initial = system
            .initial()
            .iter()
            .map(|state| node(number[state], overlap(number[state])))
            .collect();
        Model {
            rights,
            steps,
            initial,
            system,
            states,
        }
    }

    pub fn threads(&self) -> std::ops::Range<usize> {
        0..self.system.threads.len()
    }

    pub fn nodes(&self) -> std::ops::Range<Node> {
        0..2 * self.states.len()
    }

    /// Where the thread's steps lead from the node; `q` is sticky.
    pub fn successors(&self, i: usize, from: Node) -> BTreeSet<Node> {
        let steps = self.steps[i][state_of(from)].iter();
        steps
            .map(|step| node(step.target, q(from) || step.violates))
            .collect()
    }

    /// The number of the location at which the thread is, unless it ended or went wrong.
    pub fn location(&self, i: usize, state: usize) -> Option<usize> {
        match self.states[state].locations[i] {
            Loc::At(number) => Some(number),
            Loc::End | Loc::Wrong => None,
        }
    }
}

/// The threads' predicates for a cell in a state.
fn at(rights: &[Vec<Rights>], state: usize) -> Vec<Rights> {
    rights.iter().map(|of_thread| of_thread[state]).collect()
}

/// (26) without the history, for one protected cell: thread `i` writes the cell without exclusive access or reads it
/// without any before the step; or the cell is accessed, or some predicate for it changes, and it is two threads'
/// behind it.
pub fn violates(
    cell: usize,
    (before, after): (&[Rights], &[Rights]),
    i: usize,
    step: &super::semantics::Step,
) -> bool {
    let Rights { exclusive, shared } = before[i];
    let (reads, writes) = (step.reads.contains(&cell), step.writes.contains(&cell));
    let forbidden = writes && !exclusive || reads && !(shared || exclusive);
    forbidden || (reads || writes || before != after) && conflict(after)
}

/// Whether one thread has exclusive access and another one any.
pub fn conflict(rights: &[Rights]) -> bool {
    let threads = 0..rights.len();
    threads.clone().any(|i| {
        let other = |j: usize| rights[j].exclusive || rights[j].shared;
        rights[i].exclusive && threads.clone().any(|j| i != j && other(j))
    })
}

fn type_correct_states(system: &System) -> Vec<State> {
    let domains: Vec<Vec<i64>> = system
        .layout
        .cells
        .iter()
        .map(|cell| cell.domain.clone())
        .collect();
    let valuations = product(&domains);
    let locations: Vec<Vec<Loc>> = (0..system.threads.len())
        .map(|thread| places(system, thread, &valuations))
        .collect();
    let mut states = Vec::new();
    for locations in product(&locations) {
        for cells in &valuations {
            states.push(State {
                cells: cells.clone(),
                locations: locations.clone(),
            });
        }
    }
    states
}

/// Where a thread can be: its locations, `end` if a path leads there, `wrong` if some step does.
fn places(system: &System, thread: usize, valuations: &[Vec<i64>]) -> Vec<Loc> {
    let graph = &system.graphs[thread];
    let mut places: Vec<Loc> = (0..graph.locations.len()).map(Loc::At).collect();
    let goes_wrong = valuations.iter().any(|cells| {
        places.iter().any(|place| {
            // Of other threads' locations only `join` speaks: it waits for their ends.
            let anywhere = |graph: &Graph| if graph.ends { Loc::End } else { graph.entry };
            let mut locations: Vec<Loc> = system.graphs.iter().map(anywhere).collect();
            locations[thread] = *place;
            let state = State {
                cells: cells.clone(),
                locations,
            };
            system
                .steps(&state, thread)
                .iter()
                .any(|step| step.target.locations[thread] == Loc::Wrong)
        })
    });
    if graph.ends {
        places.push(Loc::End);
    }
    if goes_wrong {
        places.push(Loc::Wrong);
    }
    places
}
