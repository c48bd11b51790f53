//! What is known of pairs of events: `t u <= u t`, by looking at all values of what the two mention.
//!
//! The fact holds on all valuations, so on every set; it has no disjunct for violations, which are events of their own.

use super::closure::Closure;
use super::relations::{ANY, Rel, Relations};
use rustc_hash::FxHashMap;

/// Valuations of what two events mention, up to which a fact is looked for.
const VALUATIONS: u64 = 256;

/// Valuations tried for all pairs together, at most.
const ALL_VALUATIONS: u64 = 1 << 17;

/// Pairs of events tried for one closure, at most.
const PAIRS: usize = 100_000;

/// Events of a closure up to which facts are looked for.
const MOST: usize = 10_000;

/// Facts about pairs of events, found when they are asked for.
#[derive(Debug)]
pub struct Facts {
    left: u64,
    footprints: FxHashMap<Rel, (Vec<u32>, Vec<u32>)>,
    known: FxHashMap<(Rel, Rel), bool>,
}

impl Default for Facts {
    fn default() -> Self {
        Facts {
            left: ALL_VALUATIONS,
            footprints: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }
}

impl Facts {
    /// The levels that a relation mentions, and those it writes, ascending.
    fn footprint(&mut self, relations: &Relations, rel: Rel) -> &(Vec<u32>, Vec<u32>) {
        self.footprints.entry(rel).or_insert_with(|| {
            let mut all: Vec<u32> = Vec::new();
            let f = &relations.formulas;
            for &c in relations.conditions(rel) {
                f.levels(c, &mut |l| all.push(l));
            }
            let mut writes = Vec::new();
            for (level, e) in relations.updates(rel) {
                all.push(level);
                writes.push(level);
                if e != ANY {
                    f.levels(e, &mut |l| all.push(l));
                }
            }
            all.sort_unstable();
            all.dedup();
            (all, writes)
        })
    }

    /// The levels that a relation mentions, ascending.
    pub fn mentions(&mut self, relations: &Relations, rel: Rel) -> Vec<u32> {
        self.footprint(relations, rel).0.clone()
    }

    /// Whether neither writes what the other mentions.
    pub fn independent(&mut self, relations: &Relations, t: Rel, u: Rel) -> bool {
        let (of_t, by_t) = self.footprint(relations, t).clone();
        let (of_u, by_u) = self.footprint(relations, u);
        let apart = |w: &[u32], m: &[u32]| w.iter().all(|l| m.binary_search(l).is_err());
        apart(&by_t, of_u) && apart(by_u, &of_t)
    }

    /// Whether `t u <= u t` is known to hold in all states.
    pub fn commutes(&mut self, relations: &mut Relations, t: Rel, u: Rel) -> bool {
        if self.independent(relations, t, u) {
            return true;
        }
        if let Some(&known) = self.known.get(&(t, u)) {
            return known;
        }
        let known = self.looked_up(relations, t, u);
        self.known.insert((t, u), known);
        known
    }

    fn looked_up(&mut self, relations: &mut Relations, t: Rel, u: Rel) -> bool {
        let mut joint = self.mentions(relations, t);
        joint.extend(self.mentions(relations, u));
        joint.sort_unstable();
        joint.dedup();
        let sizes: Vec<u64> = joint
            .iter()
            .map(|&l| {
                let (lo, hi) = relations.formulas.domain(l);
                (hi - lo) as u64 + 1
            })
            .collect();
        let mut valuations = 1u64;
        for &size in &sizes {
            valuations = valuations.saturating_mul(size);
        }
        if valuations > VALUATIONS || valuations > self.left {
            return false;
        }
        self.left -= valuations;
        for n in 0..valuations {
            let mut rest = n;
            let from: Vec<u32> = sizes
                .iter()
                .map(|&size| {
                    let value = (rest % size) as u32;
                    rest /= size;
                    value
                })
                .collect();
            let there = after(relations, t, &joint, &from);
            if there.is_empty() {
                continue;
            }
            let mut wanted: Vec<Vec<u32>> = there
                .iter()
                .flat_map(|s| after(relations, u, &joint, s))
                .collect();
            if wanted.is_empty() {
                continue;
            }
            wanted.sort_unstable();
            wanted.dedup();
            let mut other: Vec<Vec<u32>> = after(relations, u, &joint, &from)
                .iter()
                .flat_map(|s| after(relations, t, &joint, s))
                .collect();
            other.sort_unstable();
            if !wanted.iter().all(|s| other.binary_search(s).is_ok()) {
                return false;
            }
        }
        true
    }

    /// Lets a closure skip what facts allow: u after t, where `x u <= u x` for t and for every event below.
    pub fn skip_in(&mut self, relations: &mut Relations, closure: &mut Closure) {
        let events = closure.events().to_vec();
        if events.len() > MOST {
            return;
        }
        // Which events mention a level, so that independent pairs are never looked at.
        let mut users: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (n, &(_, rel)) in events.iter().enumerate() {
            for l in self.mentions(relations, rel) {
                users.entry(l).or_default().push(n as u32);
            }
        }
        let mut pairs = Vec::new();
        let mut looked = 0;
        let mut first = 0;
        while first < events.len() {
            let level = events[first].0;
            let end = first + events[first..].partition_point(|&(l, _)| l == level);
            for u in (first..end).filter(|_| end - first > 1) {
                let rel = events[u].1;
                let mut below: Vec<u32> = Vec::new();
                for l in self.mentions(relations, rel) {
                    below.extend(
                        users
                            .get(&l)
                            .into_iter()
                            .flatten()
                            .filter(|&&x| x as usize >= end),
                    );
                }
                below.sort_unstable();
                below.dedup();
                // Each pair is a saving for itself, so there may be an end to it.
                looked += below.len() + end - first;
                if looked > PAIRS {
                    closure.skip(pairs.into_iter());
                    return;
                }
                let follows = below
                    .iter()
                    .all(|&x| self.commutes(relations, events[x as usize].1, rel));
                if !follows {
                    continue;
                }
                for t in (first..end).filter(|&t| t != u) {
                    if self.commutes(relations, events[t].1, rel) {
                        pairs.push((t as u32, u as u32));
                    }
                }
            }
            first = end;
        }
        closure.skip(pairs.into_iter());
    }
}

/// The valuations of some levels (ascending) that a relation leads to.
fn after(relations: &mut Relations, rel: Rel, levels: &[u32], from: &[u32]) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    // (relation, values so far)
    let mut stack: Vec<(Rel, Vec<u32>)> = vec![(rel, Vec::new())];
    while let Some((rel, so_far)) = stack.pop() {
        let n = so_far.len();
        if n == levels.len() {
            found.push(so_far);
            continue;
        }
        if relations.top(rel) != levels[n] {
            let mut next = so_far;
            next.push(from[n]);
            stack.push((rel, next));
            continue;
        }
        for w in relations.ways(rel, from[n]) {
            let way = relations.way(w);
            let mut next = so_far.clone();
            next.push(way.value);
            stack.push((way.rest, next));
        }
    }
    found
}
