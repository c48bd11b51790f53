//! The words along the paths of a graph, as a term: states are taken out one by one (Kleene 1956; Brzozowski &
//! McCluskey 1963).

use crate::kernel::{Id, ONE, Terms, ZERO};
use std::collections::BTreeMap;

/// Edges of a graph, labelled with terms; parallel ones are summed up.
#[derive(Clone, Default)]
pub struct Graph {
    edges: BTreeMap<(usize, usize), Id>,
}

impl Graph {
    /// Adds an edge.
    pub fn add(&mut self, terms: &mut Terms, from: usize, label: Id, to: usize) {
        if label != ZERO {
            let edge = self.edges.entry((from, to)).or_insert(ZERO);
            *edge = terms.sum([*edge, label]);
        }
    }

    /// The words from one node to another, the empty one among them if the two are the same.
    pub fn paths(mut self, terms: &mut Terms, from: usize, to: usize) -> Id {
        while let Some(node) = self.next(from, to) {
            self.take_out(terms, node);
        }
        let get = |g: &Graph, a: usize, b: usize| g.edges.get(&(a, b)).copied().unwrap_or(ZERO);
        let at_end = terms.star(get(&self, to, to));
        if from == to {
            return at_end;
        }
        // Between the last two: (here + there at_end back)* there at_end.
        let (here, there, back) = (
            get(&self, from, from),
            get(&self, from, to),
            get(&self, to, from),
        );
        let round = terms.product([there, at_end, back]);
        let rounds = terms.sum([here, round]);
        let rounds = if rounds == ZERO {
            ONE
        } else {
            terms.star(rounds)
        };
        terms.product([rounds, there, at_end])
    }

    /// The node with the fewest ways through it, of those that are not asked for.
    fn next(&self, from: usize, to: usize) -> Option<usize> {
        let mut ways: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for &(a, b) in self.edges.keys() {
            if a != b {
                ways.entry(a).or_default().1 += 1;
                ways.entry(b).or_default().0 += 1;
            } else {
                ways.entry(a).or_default();
            }
        }
        ways.into_iter()
            .filter(|(n, _)| *n != from && *n != to)
            .min_by_key(|(n, (i, o))| (i * o, *n))
            .map(|(n, _)| n)
    }

    fn take_out(&mut self, terms: &mut Terms, node: usize) {
        let here = self.edges.remove(&(node, node)).unwrap_or(ZERO);
        let star = if here == ZERO { ONE } else { terms.star(here) };
        let into: Vec<(usize, Id)> = self
            .edges
            .iter()
            .filter(|((_, b), _)| *b == node)
            .map(|((a, _), t)| (*a, *t))
            .collect();
        let out: Vec<(usize, Id)> = self
            .edges
            .iter()
            .filter(|((a, _), _)| *a == node)
            .map(|((_, b), t)| (*b, *t))
            .collect();
        self.edges.retain(|(a, b), _| *a != node && *b != node);
        for &(a, x) in &into {
            for &(b, y) in &out {
                let through = terms.product([x, star, y]);
                self.add(terms, a, through, b);
            }
        }
    }
}
