//! What is observed of a state in which no thread is inside a claimed block.
//!
//! Shared variables, the locations of all threads, live locals, and results: locals whose value a step of the block has
//! written, and nothing reads. What a block has read and no longer needs is scratch. The claim can say otherwise.
//! Slots of pools are renamed if the model does not tell them apart, so that it is of no account which object was
//! taken.

use super::objects::{Objects, Slots};
use crate::engine::compiled::{Blocks, Layout};
use crate::engine::quotients::DeadLocals;
use crate::model::program::{
    Array, Cell, CellId, Claim, Class, Edge, How, Kind, Program, Thread, ThreadId, each_use, gotos,
};
use std::collections::BTreeSet;

/// What is observed, by location of each thread.
pub struct Observed {
    layout: Layout,
    /// By thread and location: words, and the bits of them that are not seen.
    masks: Vec<Vec<Vec<(usize, u64)>>>,
    /// The same, wherever threads are.
    hidden: Vec<(usize, u64)>,
    pools: Vec<Slots>,
    /// By cell: the pool that it refers into.
    refers: Vec<Option<usize>>,
    /// The cells outside of pools that do so.
    roots: Vec<(CellId, usize)>,
    /// What the block writes and nobody sees once it is left.
    pub unseen: Vec<CellId>,
}

impl Observed {
    /// What is observed if a claim is made.
    pub fn new(program: &Program, claim: &Claim, blocks: &Blocks, layout: &Layout) -> Self {
        let dead = scratch(program, claim, blocks);
        let of = |(t, thread): (ThreadId, &Thread)| {
            let locations = 0..thread.locations.len();
            locations.map(|l| masked(layout, dead.at(t, l))).collect()
        };
        let masks = program.threads.iter().enumerate().map(of).collect();
        let (numbers, pools): (Vec<usize>, Vec<Slots>) = pools(program).into_iter().unzip();
        let refers = |cell: &Cell| match cell.ty.kind {
            Kind::Ref(pool) => numbers.iter().position(|n| *n == pool),
            _ => None,
        };
        let refers: Vec<Option<usize>> = program.cells.iter().map(refers).collect();
        let inner: BTreeSet<CellId> = pools.iter().flatten().flatten().copied().collect();
        let roots = refers.iter().enumerate();
        let roots = roots.filter(|(c, _)| !inner.contains(c));
        let roots = roots.filter_map(|(c, pool)| Some((c, (*pool)?))).collect();
        Observed {
            layout: layout.clone(),
            masks,
            hidden: masked(layout, &claim.hidden),
            pools,
            refers,
            roots,
            unseen: unseen(program, claim, blocks, &dead),
        }
    }

    /// Whether a variable belongs to a slot that is renamed.
    pub fn is_slot(&self, cell: CellId) -> bool {
        self.pools.iter().flatten().flatten().any(|&c| c == cell)
    }

    /// Whether a variable refers to slots that are renamed.
    pub fn refers(&self, cell: CellId) -> bool {
        self.refers[cell].is_some()
    }

    /// A state as it is observed: equal for states that cannot be told apart.
    pub fn of(&self, state: &[u64], seen: &mut Vec<u64>) {
        seen.clear();
        seen.extend_from_slice(state);
        for (t, masks) in self.masks.iter().enumerate() {
            for &(word, bits) in &masks[self.layout.location(state, t)] {
                seen[word] &= !bits;
            }
        }
        for &(word, bits) in &self.hidden {
            seen[word] &= !bits;
        }
        if !self.pools.is_empty() {
            self.rename(seen);
        }
    }

    /// Gives the slots of pools the numbers by which they are told apart at most.
    fn rename(&self, state: &mut [u64]) {
        let before = state.to_vec();
        let objects = Objects {
            pools: &self.pools,
            refers: &self.refers,
            value: &|c| self.layout.cells[c].get(&before),
        };
        let names = objects.names(&self.roots);
        let told = |c: CellId| {
            let value = (objects.value)(c);
            match self.refers[c] {
                Some(pool) => names.get(pool, value).map_or(value, |n| n as i64),
                None => value,
            }
        };
        for (pool, slots) in self.pools.iter().enumerate() {
            for (slot, fields) in slots.iter().enumerate() {
                let Some(name) = names.get(pool, slot as i64) else {
                    continue;
                };
                for (&from, &to) in fields.iter().zip(&slots[name]) {
                    self.layout.cells[to].set(state, told(from));
                }
            }
        }
        for &(c, _) in &self.roots {
            self.layout.cells[c].set(state, told(c));
        }
    }
}

/// The locals that are dead, and not observed all the same.
pub fn scratch(program: &Program, claim: &Claim, blocks: &Blocks) -> DeadLocals {
    let dead = DeadLocals::new(program, &[]);
    let threads = 0..program.threads.len();
    let results: Vec<Vec<BTreeSet<CellId>>> = threads
        .map(|t| dead.unread(program, t, &|l, edge| blocks.has(t, l, edge)))
        .collect();
    dead.keeping(&|t, l, c| results[t][l].contains(&c) || claim.observed.contains(&c))
}

/// What the block writes and nobody sees once it is left.
pub fn unseen(
    program: &Program,
    claim: &Claim,
    blocks: &Blocks,
    scratch: &DeadLocals,
) -> Vec<CellId> {
    let mut unseen: BTreeSet<CellId> = claim.hidden.iter().copied().collect();
    for t in 0..program.threads.len() {
        unseen.extend(left_behind(program, t, blocks, scratch));
    }
    unseen.into_iter().collect()
}

/// The bits of cells, by word.
fn masked(layout: &Layout, cells: &[CellId]) -> Vec<(usize, u64)> {
    let mut masks: Vec<(usize, u64)> = Vec::new();
    for &c in cells {
        let field = layout.cells[c];
        let (word, bits) = (field.word as usize, field.mask << field.shift);
        match masks.iter_mut().find(|(w, _)| *w == word) {
            Some((_, known)) => *known |= bits,
            None => masks.push((word, bits)),
        }
    }
    masks
}

/// The variables that the block of a thread writes, and that are not seen where it is left.
fn left_behind(
    program: &Program,
    t: ThreadId,
    blocks: &Blocks,
    scratch: &DeadLocals,
) -> BTreeSet<CellId> {
    let mut found = BTreeSet::new();
    let (mut written, mut exits) = (BTreeSet::new(), BTreeSet::new());
    for (l, location) in program.threads[t].locations.iter().enumerate() {
        let own = |(n, _): &(usize, &Edge)| blocks.has(t, l, *n);
        for (_, edge) in location.edges.iter().enumerate().filter(own) {
            each_use(program, edge, &mut |used| {
                if used.how == How::Write {
                    written.extend(used.cells);
                }
            });
            let mut targets = Vec::new();
            gotos(&edge.body, &mut targets);
            exits.extend(targets.into_iter().filter(|&to| !blocks.is_inside(t, to)));
        }
    }
    for l in exits {
        let dead = scratch.at(t, l).iter().copied();
        found.extend(dead.filter(|c| written.contains(c)));
    }
    found
}

/// Whether slots of pools are renamed before states are compared.
pub fn renames(program: &Program) -> bool {
    !pools(program).is_empty()
}

/// The pools whose objects are allocated, and not told apart by the model, by their number in the program.
fn pools(program: &Program) -> Vec<(usize, Slots)> {
    let mut found = Vec::new();
    for (n, pool) in program.pools.iter().enumerate().filter(|(_, p)| !p.named) {
        let prefix = format!("{}.", pool.name);
        let is_field = |a: &&Array| {
            let shared = !matches!(a.class, Class::Local(_));
            shared && a.name.starts_with(&prefix) && a.dims.first() == Some(&pool.len)
        };
        let fields: Vec<&Array> = program.arrays.iter().filter(is_field).collect();
        let allocated = format!("{prefix}allocated");
        if fields.iter().all(|a| a.name != allocated) {
            continue;
        }
        let slot = |s: usize| -> Vec<CellId> {
            let of = |a: &&Array| {
                let each = a.len / pool.len;
                a.first + s * each..a.first + (s + 1) * each
            };
            fields.iter().flat_map(of).collect()
        };
        found.push((n, (0..pool.len).map(slot).collect()));
    }
    found
}
