//! Blocks of a C program that are claimed to be atomic (`coarsen_transaction`): in each execution they have to be
//! conflict-serialisable (Eswaran, Gray, Lorie, Traiger 1976; Papadimitriou 1979). If each run of a claimed block is
//! taken as one step, the happens-before relation must have no cycle: then the execution is equivalent to one in which
//! nobody interrupts these blocks. Equivalent executions have the same relation, so one of each class decides.
//!
//! A cycle does not refute the claim: a block may have the effect of an atomic one though its steps can't be put side
//! by side, as a loop around a compare-and-swap mostly has.

use super::history::History;
use super::movers::Key;
use super::shared::{Bound, Claim};
use std::collections::{BTreeMap, VecDeque};

/// What was learnt of claims from all executions up to now, by name.
#[derive(Debug, Default)]
pub struct Claims {
    all: BTreeMap<String, Claimed>,
}

/// What was learnt of a claim.
#[derive(Clone, Debug, Default)]
pub struct Claimed {
    /// How many steps a run of its block has at most; none if it was never left.
    pub longest: Option<usize>,
    /// A cycle: steps each of which has to come before the next one, from a run of the block back to the same run.
    pub cycle: Option<Vec<Key>>,
}

/// A node of an execution's graph: a step, or all of a run of a claimed block.
type Node = usize;

impl Claims {
    /// The claims that were met.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Claimed)> {
        self.all
            .iter()
            .map(|(name, claimed)| (name.as_str(), claimed))
    }

    /// Adds what another exploration has learnt.
    pub fn merge(&mut self, other: Claims) {
        for (name, theirs) in other.all {
            let mine = self.all.entry(name).or_default();
            mine.longest = mine.longest.max(theirs.longest);
            mine.cycle = mine.cycle.take().or(theirs.cycle);
        }
    }

    /// Looks at an execution in which blocks were entered and left so.
    pub fn execution(&mut self, history: &History, claims: &[Claim], bounds: &[Bound]) {
        for (n, claim) in claims.iter().enumerate() {
            let number = n as u32 + 1;
            if !bounds.iter().any(|b| b.claim == number) {
                continue;
            }
            let name = String::from_utf8_lossy(claim.text()).into_owned();
            let claimed = self.all.entry(name).or_default();
            let runs = Runs::new(history, bounds, number);
            claimed.longest = claimed.longest.max(runs.longest);
            if claimed.cycle.is_none() {
                claimed.cycle = runs.cycle(history);
            }
        }
    }
}

/// The runs of one claim's block in an execution.
struct Runs {
    /// The run that a step belongs to.
    of: Vec<Option<usize>>,
    count: usize,
    longest: Option<usize>,
}

impl Runs {
    fn new(history: &History, bounds: &[Bound], claim: u32) -> Runs {
        let mut runs = Runs {
            of: vec![None; history.len()],
            count: 0,
            longest: None,
        };
        let threads = bounds.iter().map(|b| b.thread).max().unwrap_or(0);
        for thread in 0..=threads {
            let mut open: Vec<&Bound> = Vec::new();
            for bound in bounds.iter().filter(|b| b.thread == thread) {
                if bound.claim != 0 {
                    open.push(bound);
                } else if let Some(began) = open.pop().filter(|o| o.claim == claim) {
                    // Of a block inside of itself the outer one is the run.
                    if !open.iter().any(|o| o.claim == claim) {
                        let steps = runs.add(history, thread, began.at, bound.at);
                        runs.longest = runs.longest.max(Some(steps));
                    }
                }
            }
            // A run that the execution leaves open counts as far as it has come.
            if let Some(began) = open.iter().find(|o| o.claim == claim) {
                runs.add(history, thread, began.at, u32::MAX);
            }
        }
        runs
    }

    fn add(&mut self, history: &History, thread: u16, from: u32, to: u32) -> usize {
        let own = history
            .of(thread)
            .iter()
            .filter(|&&i| (from..to).contains(&i));
        let mut steps = 0;
        for &i in own {
            self.of[i as usize] = Some(self.count);
            steps += 1;
        }
        self.count += 1;
        steps
    }

    fn node(&self, step: usize) -> Node {
        self.of[step].unwrap_or(self.count + step)
    }

    /// The shortest cycle through a run of the block, as the steps at which it goes from one node to the next.
    fn cycle(&self, history: &History) -> Option<Vec<Key>> {
        let mut out: Vec<Vec<(Node, usize, usize)>> = vec![Vec::new(); self.count + history.len()];
        for step in 0..history.len() {
            for before in just_before(history, step) {
                let (from, to) = (self.node(before), self.node(step));
                if from != to {
                    out[from].push((to, before, step));
                }
            }
        }
        let cycles = (0..self.count).filter_map(|run| shortest(&out, run));
        let cycle = cycles.min_by_key(Vec::len)?;
        Some(
            cycle
                .into_iter()
                .map(|i| Key::of(&history.steps[i]))
                .collect(),
        )
    }
}

/// For each thread, its last step that happens before this one.
fn just_before(history: &History, step: usize) -> Vec<usize> {
    let thread = history.steps[step].thread;
    let clock = history.clock(step);
    let number = |t: usize| match t == usize::from(thread) {
        true => clock[t] - 1,
        false => clock[t],
    };
    let last = (0..clock.len()).filter(|&t| number(t) > 0);
    last.map(|t| history.nth(t as u16, number(t))).collect()
}

/// The shortest way from a node back to it: the steps at both ends of each edge, without repetitions.
fn shortest(out: &[Vec<(Node, usize, usize)>], run: Node) -> Option<Vec<usize>> {
    let mut from: BTreeMap<Node, (Node, usize, usize)> = BTreeMap::new();
    let mut queue = VecDeque::from([run]);
    while let Some(node) = queue.pop_front() {
        for &(to, before, step) in &out[node] {
            if to == run {
                let mut steps = vec![step, before];
                let mut at = node;
                while let Some(&(earlier, before, step)) = from.get(&at) {
                    steps.extend([step, before]);
                    at = earlier;
                }
                steps.reverse();
                steps.dedup();
                return Some(steps);
            }
            if to != run && !from.contains_key(&to) {
                from.insert(to, (node, before, step));
                queue.push_back(to);
            }
        }
    }
    None
}
