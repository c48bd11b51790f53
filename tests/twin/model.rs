//! A program's type-correct states, numbered, and all its steps between them with the history bit `q`.
//!
//! A node is a program state with `q`: node `2 s + q`. A set of nodes is a `Vec<bool>`, a relation lists for every node
//! the nodes it is related to.

use std::collections::{BTreeSet, HashMap};

use super::ast::Program;
use super::compile::Loc;
use super::semantics::{Protected, State, System, product};

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
    /// `access[x][k][s]`: thread `k`'s exclusive access predicate for protected cell `x` holds in state `s`.
    pub access: Vec<Vec<Vec<bool>>>,
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
        let mut access = Vec::new();
        for x in &system.protected {
            let of_thread = |k| {
                states
                    .iter()
                    .map(|state| system.may_access(*x, k, state))
                    .collect()
            };
            access.push(threads.clone().map(of_thread).collect::<Vec<Vec<bool>>>());
        }
        let mut steps = Vec::new();
        for i in threads {
            let mut of_thread = Vec::new();
            for (from, state) in states.iter().enumerate() {
                let step = |step: super::semantics::Step| {
                    let target = number[&step.target];
                    let accessed = |x: &Protected| step.accesses.contains(&x.cell);
                    Step {
                        target,
                        violates: violates(&system.protected, &access, i, from, accessed, target),
                    }
                };
                of_thread.push(system.steps(state, i).into_iter().map(step).collect());
            }
            steps.push(of_thread);
        }
        let overlap = |state| access.iter().any(|predicates| two_hold(predicates, state));
        let initial = system
            .initial()
            .iter()
            .map(|state| node(number[state], overlap(number[state])))
            .collect();
        Model {
            access,
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

/// (26) without the history: some accessed cell is not the thread's in `s1`, or some cell that is accessed, or of which a
/// predicate changes, is two threads' in `s2`.
fn violates(
    protected: &[Protected],
    access: &[Vec<Vec<bool>>],
    i: usize,
    s1: usize,
    accessed: impl Fn(&Protected) -> bool,
    s2: usize,
) -> bool {
    protected.iter().zip(access).any(|(x, predicates)| {
        let changed = predicates
            .iter()
            .any(|predicate| predicate[s1] != predicate[s2]);
        accessed(x) && !predicates[i][s1] || (accessed(x) || changed) && two_hold(predicates, s2)
    })
}

/// Whether two different threads' predicates hold.
fn two_hold(predicates: &[Vec<bool>], state: usize) -> bool {
    predicates
        .iter()
        .filter(|predicate| predicate[state])
        .count()
        >= 2
}

fn type_correct_states(system: &System) -> Vec<State> {
    let domains: Vec<Vec<i64>> = system
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
            // Statements do not speak of locations, so the other threads' do not matter.
            let state = State {
                cells: cells.clone(),
                locations: vec![*place; system.threads.len()],
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
