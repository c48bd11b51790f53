//! `r x^w` broken up until one loop of the right side does for all words of each part.
//!
//! The words of x fall into classes that multiply like a finite semigroup S. Reading block after block gives a finite
//! graph, and solving its inclusions (`system`) gives `x^w <= A E^w + ..`, one part for each node that may be the last
//! to be met for ever, where E are the words from the node to itself. Three graphs are used, so that the semigroup of E
//! is smaller each time (a constructive form of Ramsey's theorem for semigroups; cf. Perrin & Pin 2004, section II.2):
//! if no k in S has `k s = k` for all s, the graph of multiplication from the right: E's classes fix the node; if some
//! k has, the same graph but begun anew when such a k is met: E are words of such k, or fix a node that is no such k;
//! if all have, the graph of the block that comes next: E's words are all of one class, which is idempotent.

use super::automaton::{Buechi, Class, Valuations};
use super::lasso::Lasso;
use super::paths::Graph;
use super::system::{Solution, System};
use super::{Right, monotone, unfold};
use crate::algebra::prove::build::{Builder, CLASSES, Step};
use crate::kernel::{Id, ONE, ZERO};
use std::collections::BTreeMap;

/// Nodes of a graph of words from a node to itself, for each class of words.
const WALKS: usize = 4;

/// Parts of parts of ..
const DEEPEST: usize = 8;

/// Words that do the same.
type Words = Vec<(Class, Id)>;

/// An edge: the block that leads from one node to another.
type Edge = (usize, usize, usize);

struct Run<'r> {
    right: &'r Right,
    buechi: Buechi,
    depth: usize,
}

/// Proves `before x^w <= open`.
pub fn covers(b: &mut Builder, right: &Right, buechi: Buechi, before: Id, x: Id) -> Option<Step> {
    let mut run = Run {
        right,
        buechi,
        depth: 0,
    };
    run.split(b, before, x, None)
}

/// What a limit allows, or nothing with a note that one was hit.
fn limited<T>(b: &mut Builder, found: Option<T>) -> Option<T> {
    if found.is_none() {
        b.too_large = Some(CLASSES);
    }
    found
}

impl Run<'_> {
    /// Covers `before x^w`, the words of `before` in turn by the states that they lead to; `words` are those of x if
    /// they are known.
    fn split(&mut self, b: &mut Builder, before: Id, x: Id, words: Option<&Words>) -> Option<Step> {
        if self.depth == DEEPEST {
            b.too_large = Some(CLASSES);
            return None;
        }
        self.depth += 1;
        let parts = self.buechi.prefixes(b.terms, before);
        let step = limited(b, parts).and_then(|parts| self.each(b, before, x, parts, words));
        self.depth -= 1;
        step
    }

    fn each(
        &mut self,
        b: &mut Builder,
        before: Id,
        x: Id,
        parts: Vec<(u64, Valuations, Id)>,
        words: Option<&Words>,
    ) -> Option<Step> {
        let omega = b.terms.omega(x);
        let whole = b.terms.product([before, omega]);
        let mut steps = Vec::new();
        for (states, ends, before) in parts {
            let words = match words {
                Some(words) => words.clone(),
                None => self.words(b, states, x)?,
            };
            let all = b.terms.sum(words.iter().map(|(_, t)| *t));
            let same = monotone(b, before, x, all)?;
            let step = self.solve(b, before, (states, ends), &words)?;
            steps.push(b.chain(&[same, step])?);
        }
        if steps.is_empty() {
            return b.decide(whole, self.right.open);
        }
        b.join(whole, steps)
    }

    /// The words of x by what they do to the states that can be met between blocks.
    fn words(&mut self, b: &mut Builder, states: u64, x: Id) -> Option<Words> {
        let mut on = states;
        loop {
            let classes = self.buechi.classes(b.terms, x, on);
            let classes = limited(b, classes)?;
            let more = classes
                .iter()
                .fold(on, |set, (c, _)| set | c.profile.image(on));
            if more == on {
                return Some(classes);
            }
            on = more;
        }
    }

    /// Covers `before x^w` for a sum x of words of these classes.
    fn solve(
        &mut self,
        b: &mut Builder,
        before: Id,
        (states, ends): (u64, Valuations),
        blocks: &Words,
    ) -> Option<Step> {
        let x = b.terms.sum(blocks.iter().map(|(_, t)| *t));
        if let Some(step) = self.once_more(b, before, x) {
            return Some(step);
        }
        let semigroup = closure(b, blocks);
        let semigroup = limited(b, semigroup)?;
        // Words that nothing on the right begins with, and that go on.
        let stuck = |c: &Class| ends >> c.begins & 1 == 1 && c.profile.image(states) == 0;
        for (c, first) in semigroup.iter().filter(|(c, _)| stuck(c)) {
            let again = |s: &Class| c.then(s).is_some() && s.then(s).is_some();
            if let Some((_, rest)) = semigroup.iter().find(|(s, _)| again(s)) {
                let before = b.terms.product([before, *first]);
                b.lasso = Lasso::of(b.terms, &mut self.buechi, before, *rest);
                return None;
            }
        }
        let semigroup: Vec<Class> = semigroup.into_iter().map(|(c, _)| c).collect();
        let absorbs = |k: &&Class| semigroup.iter().all(|s| k.then(s).as_ref() == Some(*k));
        let absorbing: Vec<&Class> = semigroup.iter().filter(absorbs).collect();
        if absorbing.len() == semigroup.len() {
            self.by_next(b, before, blocks, x)
        } else {
            self.by_product(b, (before, ends), blocks, x, &absorbing)
        }
    }

    /// Directly, as it is or after one more block.
    fn once_more(&mut self, b: &mut Builder, before: Id, x: Id) -> Option<Step> {
        if let Some(step) = self.right.directly(b, before, x) {
            return Some(step);
        }
        let longer = b.terms.product([before, x]);
        let step = self.right.directly(b, longer, x)?;
        let first = unfold(b, before, x);
        b.chain(&[first, step])
    }

    /// Directly, the words of `before` in turn by the states that they lead to.
    fn each_directly(&mut self, b: &mut Builder, before: Id, x: Id) -> Option<Step> {
        if let Some(step) = self.once_more(b, before, x) {
            return Some(step);
        }
        let parts = self.buechi.prefixes(b.terms, before);
        let parts = limited(b, parts)?;
        let omega = b.terms.omega(x);
        let whole = b.terms.product([before, omega]);
        let mut steps = Vec::new();
        for (_, _, before) in parts {
            let Some(step) = self.once_more(b, before, x) else {
                b.lasso = Lasso::of(b.terms, &mut self.buechi, before, x);
                return None;
            };
            steps.push(step);
        }
        b.join(whole, steps)
    }

    /// The graph of multiplication; what absorbs leads back to the beginning.
    fn by_product(
        &mut self,
        b: &mut Builder,
        (before, ends): (Id, Valuations),
        blocks: &Words,
        x: Id,
        absorbing: &[&Class],
    ) -> Option<Step> {
        let ends = absorbing.iter().fold(ends, |all, k| all | k.ends);
        let (nodes, edges) = products(blocks, ends, absorbing);
        let begin = nodes.len();
        let mut tests: Vec<Id> = nodes
            .iter()
            .map(|c| self.buechi.tests.term(b.terms, c.ends))
            .collect();
        tests.push(self.buechi.tests.term(b.terms, ends));
        let mut system = System::new(x, tests.clone());
        for &(from, block, to) in &edges {
            let label = b.terms.product([tests[from], blocks[block].1]);
            system.add(b, from, label, to);
        }
        let Solution { step, parts, own } = system.solve(b)?;
        let mut steps = Vec::new();
        for (on_the_way, node) in parts {
            let before = b.terms.product([before, on_the_way]);
            if let Some(step) = self.once_more(b, before, own[node]) {
                steps.push(step);
                continue;
            }
            // The beginning is taken out last. A node is passed only by words that were there before it was taken out.
            let inner: Vec<Edge> = edges
                .iter()
                .filter(|(f, _, t)| *f <= node && *t <= node)
                .copied()
                .collect();
            debug_assert!(node <= begin);
            let words = around(b, blocks, &inner, node, tests[node]);
            let words = limited(b, words)?;
            steps.push(self.split(b, before, own[node], Some(&words))?);
        }
        self.together(b, before, step, steps, x)
    }

    /// The graph of the next block, when the first of two classes is that of their product.
    fn by_next(&mut self, b: &mut Builder, before: Id, blocks: &Words, x: Id) -> Option<Step> {
        let begin = blocks.len();
        let heads: Vec<Id> = blocks.iter().map(|(_, t)| *t).chain([ONE]).collect();
        let mut system = System::new(x, heads.clone());
        for (from, &head) in heads.iter().enumerate() {
            for to in 0..begin {
                system.add(b, from, head, to);
            }
        }
        let Solution { step, parts, own } = system.solve(b)?;
        let mut steps = Vec::new();
        for (on_the_way, node) in parts {
            let before = b.terms.product([before, on_the_way]);
            steps.push(self.each_directly(b, before, own[node])?);
        }
        self.together(b, before, step, steps, x)
    }

    /// `before x^w <= open` from `t x^w <= A E^w + ..` and the proofs of `before A E^w <= open`.
    fn together(
        &mut self,
        b: &mut Builder,
        before: Id,
        step: Step,
        steps: Vec<Step>,
        x: Id,
    ) -> Option<Step> {
        let omega = b.terms.omega(x);
        let whole = b.terms.product([before, omega]);
        let step = b.within(&[before], step, &[]);
        let parts = match steps.is_empty() {
            true => b.decide(ZERO, self.right.open)?,
            false => b.join(b.claims[step].1, steps)?,
        };
        let step = b.chain(&[step, parts])?;
        b.starting(whole, step)
    }
}

/// All products of classes, each with some of its words; `None` if there are too many.
fn closure(b: &mut Builder, blocks: &Words) -> Option<Words> {
    let mut all = blocks.clone();
    let mut at = 0;
    while at < all.len() {
        for (c, term) in blocks {
            if let Some(next) = all[at].0.then(c)
                && !all.iter().any(|(known, _)| *known == next)
            {
                all.push((next, b.terms.product([all[at].1, *term])));
            }
        }
        at += 1;
        if all.len() > b.classes {
            return None;
        }
    }
    Some(all)
}

/// The graph of multiplication from the right, begun under some valuations. The beginning is the node after the others;
/// absorbing elements lead back to it.
fn products(blocks: &Words, ends: Valuations, absorbing: &[&Class]) -> (Vec<Class>, Vec<Edge>) {
    let mut nodes: Vec<Class> = Vec::new();
    let mut edges: Vec<(Option<usize>, usize, Option<usize>)> = Vec::new();
    let place = |nodes: &mut Vec<Class>, class: Class| -> Option<usize> {
        if absorbing.contains(&&class) {
            return None;
        }
        let known = nodes.iter().position(|n| *n == class);
        Some(known.unwrap_or_else(|| {
            nodes.push(class);
            nodes.len() - 1
        }))
    };
    for (n, (class, _)) in blocks.iter().enumerate() {
        if ends >> class.begins & 1 == 1 {
            let to = place(&mut nodes, class.clone());
            edges.push((None, n, to));
        }
    }
    let mut at = 0;
    while at < nodes.len() {
        for (n, (class, _)) in blocks.iter().enumerate() {
            if let Some(next) = nodes[at].then(class) {
                let to = place(&mut nodes, next);
                edges.push((Some(at), n, to));
            }
        }
        at += 1;
    }
    let begin = nodes.len();
    let edges = edges
        .into_iter()
        .map(|(f, n, t)| (f.unwrap_or(begin), n, t.unwrap_or(begin)))
        .collect();
    (nodes, edges)
}

/// The words along the edges from a node to itself, by class.
fn around(b: &mut Builder, blocks: &Words, edges: &[Edge], node: usize, test: Id) -> Option<Words> {
    let mut nodes: Vec<(usize, Option<Class>)> = vec![(node, None)];
    let mut graph = Graph::default();
    let mut at = 0;
    while at < nodes.len() {
        let (here, class) = nodes[at].clone();
        // The walk ends where it began.
        if at == 0 || here != node {
            for &(_, block, to) in edges.iter().filter(|(f, ..)| *f == here) {
                let (next, term) = &blocks[block];
                let next = match &class {
                    None => Some(next.clone()),
                    Some(c) => c.then(next),
                };
                let Some(next) = next else { continue };
                let next = (to, Some(next));
                let to = nodes.iter().position(|n| *n == next).unwrap_or_else(|| {
                    nodes.push(next);
                    nodes.len() - 1
                });
                graph.add(b.terms, at, *term, to);
            }
        }
        at += 1;
        if nodes.len() > WALKS * b.classes {
            return None;
        }
    }
    let mut words: BTreeMap<Class, Id> = BTreeMap::new();
    for (n, (here, class)) in nodes.iter().enumerate().skip(1) {
        if let (Some(class), true) = (class, *here == node) {
            let term = graph.clone().paths(b.terms, 0, n);
            words.insert(class.clone(), b.terms.product([test, term]));
        }
    }
    Some(words.into_iter().collect())
}
