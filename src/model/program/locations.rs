//! From the nodes of a control-flow graph to numbered, named locations.

use super::cfg::{END, Graph, NodeId, START};
use super::expressions::fold;
use super::scope::Elaborator;
use super::{Command, Edge, Expr, LocId, Location, Named, Thread, ThreadId, gotos};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

impl Elaborator {
    /// Numbers the locations that control can reach from the entry, in the order of the text.
    pub(super) fn locations(
        &mut self,
        own: ThreadId,
        g: &Graph,
        entry: NodeId,
        thread: &mut Thread,
    ) {
        let (sets, of_node) = waits(g, entry);
        let order = in_text(g, &sets);
        let mut number = vec![0; sets.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(new, &old)| number[old] = new);
        let target = |node: NodeId| number[of_node[&node]];
        let labels = Labels::new(g, &sets, &number);
        let mut locations: Vec<Location> = Vec::new();
        // By location, the nodes that its edges come from.
        let mut origins: Vec<Vec<NodeId>> = Vec::new();
        let mut names: FxHashMap<String, usize> = FxHashMap::default();
        for &s in &order {
            let nodes = &sets[s];
            let Some(&first) = nodes.iter().min_by_key(|&&n| g.nodes[n].span.start) else {
                thread.end = Some(locations.len());
                locations.push(outside(g, "end"));
                origins.push(Vec::new());
                continue;
            };
            let label = labels.name(locations.len());
            let mut name = match label {
                Some(label) => label.to_string(),
                None => format!("line {}", self.program.line(g.nodes[first].span)),
            };
            let named = match label {
                _ if g.nodes[first].is_part => Named::Part,
                _ if !g.nodes[first].copy.is_empty() => Named::Copy,
                Some(label) if label == START => Named::Start,
                Some(_) => Named::Label,
                None => Named::Line,
            };
            if !g.nodes[first].copy.is_empty() {
                name = format!("{name} ({})", g.nodes[first].copy);
            }
            // The n-th location of one name is told apart by a number.
            let copies = names.entry(name.clone()).or_insert(0usize);
            *copies += 1;
            if *copies > 1 {
                name = format!("{name} #{copies}");
            }
            let of = |n: NodeId| g.nodes[n].edges.iter().cloned().map(move |e| (e, n));
            let mut all: Vec<(Edge, NodeId)> = nodes.iter().rev().flat_map(|&n| of(n)).collect();
            all.sort_by_key(|(e, _)| e.span.start);
            let (mut edges, from): (Vec<Edge>, Vec<NodeId>) = all.into_iter().unzip();
            for edge in &mut edges {
                retarget(&mut edge.body, &target);
            }
            origins.push(from);
            locations.push(Location {
                name,
                edges,
                span: g.nodes[first].span,
                named,
            });
        }
        thread.initial = target(entry);
        thread.labels = labels.all;
        if g.may_fail {
            thread.wrong = Some(locations.len());
            locations.push(outside(g, "wrong"));
        }
        thread.locations = locations;
        let waiting: Vec<(LocId, &BTreeSet<NodeId>)> = order
            .iter()
            .enumerate()
            .map(|(l, &s)| (l, &sets[s]))
            .collect();
        self.claimed(own, g, &waiting, &origins);
    }
}

/// A location that no edge leaves.
fn outside(g: &Graph, name: &str) -> Location {
    Location {
        name: name.into(),
        edges: Vec::new(),
        span: g.nodes[END].span,
        named: Named::Rest,
    }
}

/// The nodes that control can wait at together, set by set, and the set that each node belongs to.
fn waits(g: &Graph, entry: NodeId) -> (Vec<BTreeSet<NodeId>>, FxHashMap<NodeId, usize>) {
    let mut sets: Vec<BTreeSet<NodeId>> = Vec::new();
    let mut known: FxHashMap<BTreeSet<NodeId>, usize> = FxHashMap::default();
    let mut of_node: FxHashMap<NodeId, usize> = FxHashMap::default();
    let mut stack = vec![entry];
    while let Some(node) = stack.pop() {
        if of_node.contains_key(&node) {
            continue;
        }
        let set = g.waiting_at(node);
        let id = *known.entry(set.clone()).or_insert_with(|| {
            sets.push(set.clone());
            sets.len() - 1
        });
        of_node.insert(node, id);
        for edge in set.iter().flat_map(|&n| &g.nodes[n].edges) {
            gotos(&edge.body, &mut stack);
        }
    }
    (sets, of_node)
}

/// The sets in the order of the text.
///
/// Copies of a loop have the order of their creation: they are built backwards, so it descends.
fn in_text(g: &Graph, sets: &[BTreeSet<NodeId>]) -> Vec<usize> {
    let place = |set: &BTreeSet<NodeId>| {
        let first = set.iter().map(|&n| g.nodes[n].span.start).min();
        (
            first.is_none(),
            first,
            std::cmp::Reverse(set.iter().next_back().copied()),
        )
    };
    let mut order: Vec<usize> = (0..sets.len()).collect();
    order.sort_by_key(|&s| place(&sets[s]));
    order
}

/// The labels of a thread.
struct Labels<'g> {
    /// Each with its locations.
    all: Vec<(String, Vec<LocId>)>,
    /// Those at a `goto`: they give their names to no location that has a label of its own.
    passing: FxHashSet<&'g str>,
}

impl<'g> Labels<'g> {
    fn new(g: &'g Graph, sets: &[BTreeSet<NodeId>], number: &[LocId]) -> Self {
        let mut labels = Labels {
            all: Vec::new(),
            passing: FxHashSet::default(),
        };
        for label in g.labels.iter().rev() {
            let waiting: Vec<BTreeSet<NodeId>> =
                label.nodes.iter().map(|&n| g.waiting_at(n)).collect();
            // A location is at a label if it can wait at every action that the label's node offers.
            let is_at = |set: &BTreeSet<NodeId>| {
                waiting.iter().any(|w| match w.is_empty() {
                    true => set.is_empty(),
                    false => w.is_subset(set),
                })
            };
            let there = (0..sets.len()).filter(|&s| is_at(&sets[s]));
            let mut at: Vec<LocId> = there.map(|s| number[s]).collect();
            at.sort_unstable();
            if !label.nodes.is_empty() && label.nodes.iter().all(|&n| g.nodes[n].jumps) {
                labels.passing.insert(&label.name);
            }
            // Labels of several bodies may have one name.
            match labels.all.iter_mut().find(|(name, _)| *name == label.name) {
                Some((_, known)) => {
                    known.extend(at);
                    known.sort_unstable();
                    known.dedup();
                }
                None => labels.all.push((label.name.clone(), at)),
            }
        }
        labels
    }

    /// The label that a location is named after: one of its own rather than a `goto`'s, and of the fewest locations.
    fn name(&self, location: LocId) -> Option<&str> {
        let here = self.all.iter().filter(|(_, at)| at.contains(&location));
        let best = here.min_by_key(|(name, at)| (self.passing.contains(name.as_str()), at.len()));
        best.map(|(name, _)| name.as_str())
    }
}

impl Elaborator {
    /// Fills in the guards of `join`, now that it is known where threads end.
    pub(super) fn joins(&mut self) {
        let ends: Vec<Option<LocId>> = self.program.threads.iter().map(|t| t.end).collect();
        for thread in &mut self.program.threads {
            let edges = thread.locations.iter_mut().flat_map(|l| &mut l.edges);
            for guard in edges.filter_map(|e| e.guard.as_mut()) {
                if joins(guard) {
                    *guard = joined(guard, &ends);
                }
            }
        }
    }
}

/// Whether a guard waits for the end of a thread: a location that is not known yet.
fn joins(guard: &Expr) -> bool {
    let mut found = false;
    guard.walk(&mut |e| found |= matches!(e, Expr::At(_, at) if at.is_empty()));
    found
}

fn joined(guard: &Expr, ends: &[Option<LocId>]) -> Expr {
    match guard {
        Expr::At(t, at) if at.is_empty() => match ends[*t] {
            Some(end) => Expr::At(*t, vec![end]),
            None => Expr::FALSE,
        },
        Expr::Binary(op, a, b) => fold(*op, joined(a, ends), joined(b, ends)),
        other => other.clone(),
    }
}

fn retarget(commands: &mut [Command], target: &impl Fn(NodeId) -> LocId) {
    for command in commands {
        match command {
            Command::Goto(n) => *n = target(*n),
            Command::If(_, a, b) => {
                retarget(a, target);
                retarget(b, target);
            }
            Command::Choose(branches) => branches.iter_mut().for_each(|b| retarget(b, target)),
            _ => {}
        }
    }
}
