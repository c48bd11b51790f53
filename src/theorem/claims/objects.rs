//! What slots of pools are called in a state, so that two states have the same names just if a renaming of slots makes
//! one the other.
//!
//! The objects that variables refer to, and those that are met from there, have the number that they are met in. Others
//! are leaked, or free: they fall into parts that do not refer to each other. Each part is written down in the least
//! way, by colour refinement where some object is tried first, again and again (McKay & Piperno 2014, Practical graph
//! isomorphism); and the parts are sorted.

use crate::model::program::CellId;

/// By slot, the cells of all fields in the same order.
pub type Slots = Vec<Vec<CellId>>;

/// A pool and a slot.
type Object = (usize, usize);

/// The slots of all pools in a state.
pub struct Objects<'o> {
    /// By pool.
    pub pools: &'o [Slots],
    /// By cell: the pool that it refers into.
    pub refers: &'o [Option<usize>],
    /// What cells contain.
    pub value: &'o dyn Fn(CellId) -> i64,
}

/// What slots are called, by pool.
pub struct Names {
    of: Vec<Vec<Option<usize>>>,
    next: Vec<usize>,
}

impl Names {
    /// The name of a slot; none if it has none, or a reference is null.
    pub fn get(&self, pool: usize, slot: i64) -> Option<usize> {
        let slot = usize::try_from(slot).ok()?;
        *self.of[pool].get(slot)?
    }

    /// Whether it had no name.
    fn give(&mut self, (pool, slot): Object) -> bool {
        let name = &mut self.of[pool][slot];
        if name.is_some() {
            return false;
        }
        *name = Some(self.next[pool]);
        self.next[pool] += 1;
        true
    }
}

/// A part written down: for each object its pool and what it contains. References within the part are told by place.
type Written = Vec<(usize, Vec<(u8, i64)>)>;

impl Objects<'_> {
    /// Names for all slots; `roots` are the variables outside that refer to some, with their pools.
    pub fn names(&self, roots: &[(CellId, usize)]) -> Names {
        let mut names = Names {
            of: self.pools.iter().map(|p| vec![None; p.len()]).collect(),
            next: vec![0; self.pools.len()],
        };
        let mut met: Vec<Object> = Vec::new();
        let object = |pool: usize, c: CellId| {
            let slot = usize::try_from((self.value)(c)).ok()?;
            (slot < self.pools[pool].len()).then_some((pool, slot))
        };
        for &(c, pool) in roots {
            met.extend(object(pool, c).filter(|o| names.give(*o)));
        }
        let mut at = 0;
        while let Some(&o) = met.get(at) {
            at += 1;
            let all: Vec<Object> = self.referred(o).collect();
            met.extend(all.into_iter().filter(|o| names.give(*o)));
        }
        let mut parts: Vec<(Written, Vec<Object>)> = self
            .parts(&names)
            .iter()
            .map(|part| self.least(part, vec![0; part.len()], &names))
            .collect();
        parts.sort_unstable();
        for o in parts.into_iter().flat_map(|(_, part)| part) {
            names.give(o);
        }
        names
    }

    fn fields(&self, (pool, slot): Object) -> &[CellId] {
        &self.pools[pool][slot]
    }

    /// What an object refers to.
    fn referred(&self, o: Object) -> impl Iterator<Item = Object> {
        self.fields(o).iter().filter_map(|&c| {
            let pool = self.refers[c]?;
            let slot = usize::try_from((self.value)(c)).ok()?;
            (slot < self.pools[pool].len()).then_some((pool, slot))
        })
    }

    /// What has no name, in parts that do not refer to each other.
    fn parts(&self, names: &Names) -> Vec<Vec<Object>> {
        let pools = self.pools.iter().enumerate();
        let all = pools.flat_map(|(p, slots)| (0..slots.len()).map(move |s| (p, s)));
        let nameless = |&(p, s): &Object| names.of[p][s].is_none();
        let mut parts: Vec<Vec<Object>> = Vec::new();
        for o in all.filter(nameless) {
            // Those with what this one refers to, or that refer to it, become one.
            let own: Vec<Object> = self.referred(o).filter(nameless).collect();
            let touches = |part: &Vec<Object>| {
                part.iter()
                    .any(|&p| own.contains(&p) || self.referred(p).any(|r| r == o))
            };
            let (near, apart): (Vec<_>, Vec<_>) = parts.into_iter().partition(touches);
            parts = apart;
            parts.push(near.into_iter().flatten().chain([o]).collect());
        }
        parts
    }

    /// The least way to write a part down, where smaller colours come first, and the order of its objects then.
    fn least(&self, part: &[Object], colours: Vec<usize>, names: &Names) -> (Written, Vec<Object>) {
        let colours = self.refined(part, colours, names);
        // The first colour that several have.
        let shared = |&c: &usize| colours.iter().filter(|d| **d == c).count() > 1;
        let Some(colour) = colours.iter().copied().filter(shared).min() else {
            let mut order: Vec<usize> = (0..part.len()).collect();
            order.sort_unstable_by_key(|&n| colours[n]);
            let order: Vec<Object> = order.into_iter().map(|n| part[n]).collect();
            let place = |o: Object| order.iter().position(|p| *p == o);
            let written = order.iter().map(|&o| (o.0, self.content(o, names, &place)));
            return (written.collect(), order.clone());
        };
        let mut best: Option<(Written, Vec<Object>)> = None;
        let mut tried: Vec<Vec<i64>> = Vec::new();
        for first in (0..part.len()).filter(|&n| colours[n] == colour) {
            // If nothing refers to either of two, and they contain the same, they can be exchanged.
            let fields = self.fields(part[first]).iter();
            let content: Vec<i64> = fields.map(|&c| (self.value)(c)).collect();
            let is_referred = |o: Object| part.iter().any(|&p| self.referred(p).any(|r| r == o));
            if !is_referred(part[first]) {
                if tried.contains(&content) {
                    continue;
                }
                tried.push(content);
            }
            let mut apart: Vec<usize> = colours.iter().map(|c| 2 * c + 1).collect();
            apart[first] -= 1;
            let found = self.least(part, apart, names);
            if best.as_ref().is_none_or(|(least, _)| found.0 < *least) {
                best = Some(found);
            }
        }
        best.unwrap_or_default()
    }

    /// Colours by what objects contain, until those of one colour refer to objects of one colour.
    fn refined(&self, part: &[Object], mut colours: Vec<usize>, names: &Names) -> Vec<usize> {
        let mut known = 0;
        loop {
            let of = |o: Object| Some(colours[part.iter().position(|p| *p == o)?]);
            let signs = part.iter().zip(&colours);
            let signs = signs.map(|(&o, &c)| (c, o.0, self.content(o, names, &of)));
            let signs: Vec<_> = signs.collect();
            let mut sorted = signs.clone();
            sorted.sort_unstable();
            sorted.dedup();
            if sorted.len() == known {
                return colours;
            }
            known = sorted.len();
            let rank = |sign| sorted.binary_search(sign).unwrap_or_default();
            colours = signs.iter().map(rank).collect();
        }
    }

    /// What an object contains: values, names, or what `told` says of an object.
    fn content(
        &self,
        o: Object,
        names: &Names,
        told: &dyn Fn(Object) -> Option<usize>,
    ) -> Vec<(u8, i64)> {
        let fields = self.fields(o).iter().map(|&c| {
            let value = (self.value)(c);
            let object = self.refers[c].zip(usize::try_from(value).ok());
            match object.map(|o| (names.get(o.0, value), told(o))) {
                Some((Some(name), _)) => (1, name as i64),
                Some((None, Some(told))) => (2, told as i64),
                _ => (0, value),
            }
        });
        fields.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Three slots in each of two pools, two references in each, and two outside.
    const LEN: usize = 3;

    type Heap = Vec<i64>;

    fn pools() -> Vec<Slots> {
        let slot = |pool: usize, s: usize| (0..2).map(|f| (pool * LEN + s) * 2 + f).collect();
        (0..2)
            .map(|pool| (0..LEN).map(|s| slot(pool, s)).collect())
            .collect()
    }

    fn refers() -> Vec<Option<usize>> {
        // The first field refers into the same pool, the second one into the other.
        let fields = (0..4 * LEN).map(|c| Some((c / (2 * LEN) + c % 2) % 2));
        fields.chain([Some(0), Some(1)]).collect()
    }

    /// The heap with its slots renamed.
    fn renamed(heap: &Heap, by: &dyn Fn(usize, i64) -> i64) -> Heap {
        let refers = refers();
        let told = |c: usize| by(refers[c].unwrap_or_default(), heap[c]);
        let mut all: Heap = (0..heap.len()).map(told).collect();
        let values = all.clone();
        let pools = pools();
        for (p, slots) in pools.iter().enumerate() {
            for (s, fields) in slots.iter().enumerate() {
                let to = by(p, s as i64) as usize;
                for (&from, &to) in fields.iter().zip(&slots[to]) {
                    all[to] = values[from];
                }
            }
        }
        all
    }

    fn canonical(heap: &Heap) -> Heap {
        let (pools, refers) = (pools(), refers());
        let objects = Objects {
            pools: &pools,
            refers: &refers,
            value: &|c| heap[c],
        };
        let names = objects.names(&[(4 * LEN, 0), (4 * LEN + 1, 1)]);
        renamed(heap, &|pool, slot| {
            names.get(pool, slot).map_or(slot, |n| n as i64)
        })
    }

    const ORDERS: [[i64; LEN]; 6] = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];

    /// All renamings, tried one by one.
    fn are_alike(a: &Heap, b: &Heap) -> bool {
        let by = |orders: [usize; 2]| {
            move |pool: usize, slot: i64| match usize::try_from(slot) {
                Ok(slot) => ORDERS[orders[pool]][slot],
                Err(_) => slot,
            }
        };
        (0..36).any(|n| renamed(a, &by([n / 6, n % 6])) == *b)
    }

    fn heaps() -> impl Strategy<Value = Heap> {
        let value = prop_oneof![2 => Just(-1), 3 => 0..LEN as i64];
        proptest::collection::vec(value, 4 * LEN + 2)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn renamed_heaps_are_one(heap in heaps(), n in 0..36usize) {
            let by = |pool: usize, slot: i64| match usize::try_from(slot) {
                Ok(slot) => ORDERS[[n / 6, n % 6][pool]][slot],
                Err(_) => slot,
            };
            prop_assert_eq!(canonical(&heap), canonical(&renamed(&heap, &by)));
        }

        #[test]
        fn a_heap_is_renamed_only(heap in heaps()) {
            prop_assert!(are_alike(&heap, &canonical(&heap)));
        }
    }
}
