//! Making, counting and looking into sets.

use super::engine::Engine;
use super::formulas::{Form, Formula, NO, YES};
use super::relations::Rel;
use super::store::{DONE, EMPTY, Edge, Node};
use crate::base::control::Stop;
use crate::model::text::ast::BinaryOp;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

/// Disjuncts up to which a condition is evaluated as it stands.
const FEW: usize = 8;

impl Engine<'_> {
    /// All combinations of values from these lists, one list for each level, values ascending.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn product(&mut self, values: &[Vec<u32>]) -> Result<Node, Stop> {
        let mut below = DONE;
        for (level, values) in values.iter().enumerate().rev() {
            let edges: Vec<Edge> = values
                .iter()
                .map(|&value| Edge {
                    value,
                    child: below,
                })
                .collect();
            below = self.store.node(level as u32, &edges, self.control)?;
        }
        Ok(below)
    }

    /// The states of a set that satisfy a condition.
    ///
    /// Conjunctions are taken apart. Long disjunctions are, too: as the complement of what the negated disjuncts leave.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn satisfying(&mut self, set: Node, condition: Formula) -> Result<Node, Stop> {
        let mark = self.kept();
        self.keep(set);
        let found = self.conjuncts(set, condition);
        self.release(mark);
        found
    }

    fn conjuncts(&mut self, set: Node, condition: Formula) -> Result<Node, Stop> {
        let mut simple: Vec<Rel> = Vec::new();
        let mut long: Vec<Vec<Formula>> = Vec::new();
        for c in self.parts(condition, true) {
            let disjuncts = self.parts(c, false);
            if disjuncts.len() > FEW {
                long.push(disjuncts);
                continue;
            }
            match self.relations.relation(&[c], &[]) {
                Some(rel) => simple.push(rel),
                None => return Ok(EMPTY),
            }
        }
        let mut found = self.restrict(set, &simple)?;
        for disjuncts in long {
            self.keep(found);
            let mut none: Vec<Rel> = Vec::new();
            let mut certain = false;
            for d in disjuncts {
                let not = self.relations.formulas.not(d);
                let parts = self.parts(not, true);
                match self.relations.relation(&parts, &[]) {
                    Some(rel) => none.push(rel),
                    None => certain = true,
                }
            }
            if !certain {
                let outside = self.restrict(found, &none)?;
                found = self.minus(found, outside)?;
            }
        }
        Ok(found)
    }

    /// The conjuncts (or disjuncts) of a condition, negations moved inwards as far as they divide it.
    fn parts(&mut self, condition: Formula, conjuncts: bool) -> Vec<Formula> {
        let mut parts = Vec::new();
        let mut stack = vec![(condition, true)];
        while let Some((c, plain)) = stack.pop() {
            let wanted = match (conjuncts, plain) {
                (true, true) | (false, false) => BinaryOp::And,
                _ => BinaryOp::Or,
            };
            match self.relations.formulas.form(c) {
                Form::Binary(op, a, b) if op == wanted => stack.extend([(b, plain), (a, plain)]),
                Form::Not(x) => stack.push((x, !plain)),
                _ => parts.push(if plain {
                    c
                } else {
                    self.relations.formulas.not(c)
                }),
            }
        }
        parts.retain(|&p| p != if conjuncts { YES } else { NO });
        parts
    }

    /// Whether a state, as values from the level of `node` on, is in a set.
    pub fn contains(&self, node: Node, values: &[u32]) -> bool {
        let mut node = node;
        for &value in values {
            if node == EMPTY {
                return false;
            }
            node = self.store.child(node, value);
        }
        node != EMPTY
    }

    /// The first state of a set in the order of its values; `None` if there is none.
    pub fn pick(&self, set: Node) -> Option<Vec<u32>> {
        if set == EMPTY {
            return None;
        }
        let mut values = Vec::new();
        let mut node = set;
        while node != DONE {
            let e = self.store.edge(node, 0);
            values.push(e.value);
            node = e.child;
        }
        Some(values)
    }

    /// The nodes of a set by level.
    fn by_level(&self, set: Node) -> Vec<Vec<Node>> {
        let mut levels = Vec::new();
        let mut present = vec![set];
        while present.first().is_some_and(|&n| n != DONE && n != EMPTY) {
            let mut below: Vec<Node> = Vec::new();
            for &n in &present {
                below.extend(self.store.edges(n).iter().map(|e| e.child));
            }
            below.sort_unstable();
            below.dedup();
            levels.push(std::mem::replace(&mut present, below));
        }
        levels
    }

    /// Nodes of a set.
    pub fn size(&self, set: Node) -> usize {
        self.by_level(set).iter().map(Vec::len).sum()
    }

    /// How many states a set has, added up by `add` from the last level up; only two levels of sums exist at once.
    fn counted<N: Clone>(
        &self,
        set: Node,
        one: N,
        zero: N,
        add: impl Fn(&mut N, &N),
    ) -> Result<N, Stop> {
        if set == EMPTY {
            return Ok(zero);
        }
        let mut below: FxHashMap<Node, N> = FxHashMap::default();
        below.insert(DONE, one);
        for nodes in self.by_level(set).into_iter().rev() {
            let mut here = FxHashMap::default();
            for n in nodes {
                self.control.check()?;
                let mut sum = zero.clone();
                for e in self.store.edges(n) {
                    if let Some(count) = below.get(&e.child) {
                        add(&mut sum, count);
                    }
                }
                here.insert(n, sum);
            }
            below = here;
        }
        Ok(below.remove(&set).unwrap_or(zero))
    }

    /// How many states a set has.
    ///
    /// # Errors
    /// As [`crate::base::control::Control::check`].
    pub fn count(&self, set: Node) -> Result<BigUint, Stop> {
        self.counted(set, BigUint::from(1u32), BigUint::ZERO, |sum, n| *sum += n)
    }

    /// The same modulo a number below 2^63, which takes no long arithmetic.
    ///
    /// # Errors
    /// As [`crate::base::control::Control::check`].
    pub fn count_modulo(&self, set: Node, modulus: u64) -> Result<u64, Stop> {
        self.counted(set, 1 % modulus, 0, |sum, n| *sum = (*sum + n) % modulus)
    }
}
