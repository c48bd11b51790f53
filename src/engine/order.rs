//! Variable orders: which variable lies where in a diagram. An order of magnitude between two orders is normal.
//!
//! A variable that few threads use stands beside them; a variable that most threads use stands at the bottom. Threads
//! that share much stand beside each other. FORCE (Aloul, Markov and Sakallah 2003) then moves each variable to the
//! middle of what it is used with.

use crate::model::program::{CellId, Class, Program, ThreadId, each_use};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BinaryHeap;

/// A component of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variable {
    /// The location of a thread.
    Location(ThreadId),
    /// A cell.
    Cell(CellId),
}

/// How an order is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    /// Threads and variables as declared.
    Declared,
    /// Threads as declared, each with the variables that it is the first to use.
    Threads,
    /// Threads beside those they share variables with.
    Interaction,
    /// The same, refined by FORCE.
    Force,
}

impl Heuristic {
    /// All of them, best guess first, with the name of each and what it does.
    pub const ALL: [(Heuristic, &'static str, &'static str); 4] = [
        (
            Heuristic::Interaction,
            "interaction",
            "threads beside those they share variables with",
        ),
        (
            Heuristic::Force,
            "force",
            "the same, each variable then moved to the middle of what it is used with",
        ),
        (
            Heuristic::Threads,
            "threads",
            "threads as declared, each with the variables that it is the first to use",
        ),
        (Heuristic::Declared, "declared", "everything as declared"),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(h, ..)| *h == self)
            .map_or("", |(_, name, _)| name)
    }

    /// The order of a program's variables, from the top.
    pub fn order(self, program: &Program) -> Vec<Variable> {
        let all: Vec<ThreadId> = (0..program.threads.len()).collect();
        match self {
            Heuristic::Declared => {
                let cells = (0..program.cells.len()).map(Variable::Cell);
                all.into_iter()
                    .map(Variable::Location)
                    .chain(cells)
                    .collect()
            }
            Heuristic::Threads => by_threads(program, &all),
            Heuristic::Interaction => by_threads(program, &interacting(program)),
            Heuristic::Force => force(program, Heuristic::Interaction.order(program)),
        }
    }
}

/// Which threads use each cell, ascending.
fn users(program: &Program) -> Vec<Vec<ThreadId>> {
    let mut users: Vec<Vec<ThreadId>> = vec![Vec::new(); program.cells.len()];
    for (t, thread) in program.threads.iter().enumerate() {
        for edge in thread.locations.iter().flat_map(|l| &l.edges) {
            each_use(program, edge, &mut |used| {
                for c in used.cells {
                    if users[c].last() != Some(&t) {
                        users[c].push(t);
                    }
                }
            });
        }
    }
    users
}

/// Each thread's location and variables together, threads in the order given.
fn by_threads(program: &Program, order: &[ThreadId]) -> Vec<Variable> {
    let threads = order.len();
    let mut place = vec![0; threads];
    for (n, &t) in order.iter().enumerate() {
        place[t] = n;
    }
    // (at the bottom?, place, kind, cell): locations before locals before shared variables of one place.
    let mut keyed: Vec<((bool, usize, usize, CellId), Variable)> = order
        .iter()
        .map(|&t| ((false, place[t], 0, t), Variable::Location(t)))
        .collect();
    for ((c, cell), users) in program.cells.iter().enumerate().zip(users(program)) {
        let first = users.iter().map(|&t| place[t]).min();
        let key = match (cell.class, first) {
            (Class::Local(t), _) => (false, place[t], 1, c),
            (_, None) => (true, threads, 3, c),
            (_, Some(_)) if users.len() > 2 && 2 * users.len() > threads => (true, 0, 2, c),
            (_, Some(first)) => (false, first, 2, c),
        };
        keyed.push((key, Variable::Cell(c)));
    }
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().map(|(_, v)| v).collect()
}

/// Threads so that each is followed by the one that shares most with those before it.
fn interacting(program: &Program) -> Vec<ThreadId> {
    let threads = program.threads.len();
    let mut shares: Vec<FxHashMap<ThreadId, u64>> = vec![FxHashMap::default(); threads];
    for users in users(program) {
        // A variable that many threads use brings no two of them together.
        if users.len() > 8 {
            continue;
        }
        for &t in &users {
            for &u in users.iter().filter(|&&u| u != t) {
                *shares[t].entry(u).or_default() += 840 / (users.len() as u64 - 1);
            }
        }
    }
    let mut placed = vec![false; threads];
    let mut weight = vec![0u64; threads];
    let mut order = Vec::with_capacity(threads);
    let mut heap: BinaryHeap<(u64, std::cmp::Reverse<ThreadId>)> = BinaryHeap::new();
    for start in 0..threads {
        heap.push((0, std::cmp::Reverse(start)));
        while let Some((w, std::cmp::Reverse(t))) = heap.pop() {
            if placed[t] || w < weight[t] {
                continue;
            }
            placed[t] = true;
            order.push(t);
            let mut next: Vec<(ThreadId, u64)> = shares[t].iter().map(|(&u, &w)| (u, w)).collect();
            next.sort_unstable();
            for (u, w) in next.into_iter().filter(|(u, _)| !placed[*u]) {
                weight[u] += w;
                heap.push((weight[u], std::cmp::Reverse(u)));
            }
        }
    }
    order
}

/// Variables that an action uses together. An array with a computed index counts as one action for each of its cells.
fn groups(program: &Program) -> Vec<Vec<Variable>> {
    let mut all = Vec::new();
    for (t, thread) in program.threads.iter().enumerate() {
        for edge in thread.locations.iter().flat_map(|l| &l.edges) {
            let mut fixed: FxHashSet<Variable> = FxHashSet::default();
            let mut computed: Vec<CellId> = Vec::new();
            fixed.insert(Variable::Location(t));
            each_use(program, edge, &mut |used| match used.cells.len() {
                1 => {
                    fixed.insert(Variable::Cell(used.cells.start));
                }
                _ => computed.extend(used.cells),
            });
            if let Some(guard) = &edge.guard {
                guard.walk(&mut |e| {
                    if let crate::model::program::Expr::At(other, _) = e {
                        fixed.insert(Variable::Location(*other));
                    }
                });
            }
            let mut fixed: Vec<Variable> = fixed.into_iter().collect();
            fixed.sort_unstable();
            computed.sort_unstable();
            computed.dedup();
            for c in computed {
                let mut group = fixed.clone();
                group.push(Variable::Cell(c));
                all.push(group);
            }
            all.push(fixed);
        }
    }
    all
}

/// How far apart the variables of one action lie, summed over the actions.
fn cost(groups: &[Vec<Variable>], program: &Program, order: &[Variable]) -> u64 {
    let place = Places::new(program, order);
    let span = |group: &Vec<Variable>| {
        let (least, most) = group.iter().fold((usize::MAX, 0), |(least, most), &v| {
            (least.min(place.of(v)), most.max(place.of(v)))
        });
        (most - least.min(most)) as u64
    };
    groups.iter().map(span).sum()
}

/// Where each variable lies.
struct Places {
    cells: Vec<usize>,
    locations: Vec<usize>,
}

impl Places {
    fn new(program: &Program, order: &[Variable]) -> Self {
        let mut places = Places {
            cells: vec![0; program.cells.len()],
            locations: vec![0; program.threads.len()],
        };
        for (n, &v) in order.iter().enumerate() {
            match v {
                Variable::Cell(c) => places.cells[c] = n,
                Variable::Location(t) => places.locations[t] = n,
            }
        }
        places
    }

    fn of(&self, v: Variable) -> usize {
        match v {
            Variable::Cell(c) => self.cells[c],
            Variable::Location(t) => self.locations[t],
        }
    }
}

/// Rounds of FORCE at most, and variables looked at in all of them.
const ROUNDS: usize = 100;
const LOOKS: usize = 20_000_000;

/// Moves every variable to the mean of the middles of its groups, again and again while that brings groups together.
fn force(program: &Program, start: Vec<Variable>) -> Vec<Variable> {
    let groups = groups(program);
    let mut best = (cost(&groups, program, &start), start.clone());
    let mut present = start;
    let mut idle = 0;
    let size: usize = groups.iter().map(Vec::len).sum();
    for _ in 0..ROUNDS.min(LOOKS / size.max(1)) {
        let places = Places::new(program, &present);
        let mut pull: FxHashMap<Variable, (f64, f64)> = FxHashMap::default();
        for group in &groups {
            let sum: usize = group.iter().map(|&v| places.of(v)).sum();
            let middle = sum as f64 / group.len() as f64;
            for &v in group {
                let (total, count) = pull.entry(v).or_default();
                *total += middle;
                *count += 1.0;
            }
        }
        let mut keyed: Vec<(f64, usize, Variable)> = present
            .iter()
            .enumerate()
            .map(|(n, v)| {
                let at = pull.get(v).map_or(n as f64, |(total, count)| total / count);
                (at, n, *v)
            })
            .collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        present = keyed.into_iter().map(|(_, _, v)| v).collect();
        let now = cost(&groups, program, &present);
        if now < best.0 {
            best = (now, present.clone());
            idle = 0;
        } else {
            idle += 1;
            if idle > 4 {
                break;
            }
        }
    }
    best.1
}
