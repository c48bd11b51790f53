//! What is observed of a state in which no thread is inside a claimed block.
//!
//! Shared variables, the locations of all threads, live locals, and results: locals whose value a step of the block has
//! written, and nothing reads. What a block has read and no longer needs is scratch. The claim can say otherwise.
//! Slots of pools are renamed in the order in which references lead to them, so that it is of no account which object
//! was taken.

use crate::engine::compiled::{Blocks, Layout};
use crate::engine::quotients::DeadLocals;
use crate::model::program::{
    Array, Cell, CellId, Claim, Class, How, Kind, NULL, Program, ThreadId, each_use,
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
        let mut masks = Vec::new();
        let mut unseen: BTreeSet<CellId> = claim.hidden.iter().copied().collect();
        for (t, thread) in program.threads.iter().enumerate() {
            let locations = 0..thread.locations.len();
            let scratch: Vec<Vec<CellId>> = locations.map(|l| dead.at(t, l).to_vec()).collect();
            unseen.extend(left_behind(program, t, blocks, &scratch));
            let masked = scratch.iter().map(|cells| masked(layout, cells));
            masks.push(masked.collect());
        }
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
            unseen: unseen.into_iter().collect(),
        }
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

    /// Gives the slots of pools the numbers that they are met in: first those that references outside of pools lead to,
    /// in the order of the variables. What nothing leads to is sorted by what it contains.
    fn rename(&self, state: &mut [u64]) {
        let before = state.to_vec();
        let value = |c: CellId| self.layout.cells[c].get(&before);
        let mut names = Names {
            of: self.pools.iter().map(|p| vec![None; p.len()]).collect(),
            met: Vec::new(),
        };
        for &(c, pool) in &self.roots {
            names.meet(pool, value(c));
        }
        let mut at = 0;
        while let Some(&(pool, slot)) = names.met.get(at) {
            at += 1;
            for &c in &self.pools[pool][slot] {
                if let Some(pool) = self.refers[c] {
                    names.meet(pool, value(c));
                }
            }
        }
        // What is out of reach has no name.
        let told = |c: CellId| match self.refers[c] {
            Some(pool) => names.name(pool, value(c)).unwrap_or(NULL),
            None => value(c),
        };
        for (n, slots) in self.pools.iter().enumerate() {
            let contents =
                |slot: usize| -> Vec<i64> { slots[slot].iter().map(|&c| told(c)).collect() };
            let met = names.met.iter().filter(|(pool, _)| *pool == n);
            let met = met.map(|(_, slot)| contents(*slot));
            let rest = (0..slots.len()).filter(|&s| names.of[n][s].is_none());
            let mut rest: Vec<Vec<i64>> = rest.map(contents).collect();
            rest.sort_unstable();
            let all: Vec<Vec<i64>> = met.chain(rest).collect();
            for (&c, value) in slots.iter().flatten().zip(all.into_iter().flatten()) {
                self.layout.cells[c].set(state, value);
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
        .map(|t| dead.unread(program, t, &|l| blocks.has(t, l)))
        .collect();
    dead.keeping(&|t, l, c| results[t][l].contains(&c) || claim.observed.contains(&c))
}

/// What slots are called in a state, by pool.
struct Names {
    of: Vec<Vec<Option<i64>>>,
    /// Pools and slots in the order in which references lead to them.
    met: Vec<(usize, usize)>,
}

impl Names {
    fn meet(&mut self, pool: usize, slot: i64) {
        let number = self.met.iter().filter(|(p, _)| *p == pool).count() as i64;
        if let Ok(slot) = usize::try_from(slot)
            && self.of[pool][slot].is_none()
        {
            self.of[pool][slot] = Some(number);
            self.met.push((pool, slot));
        }
    }

    fn name(&self, pool: usize, slot: i64) -> Option<i64> {
        let slot = usize::try_from(slot).ok()?;
        self.of[pool][slot]
    }
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
    scratch: &[Vec<CellId>],
) -> BTreeSet<CellId> {
    let mut found = BTreeSet::new();
    let (mut written, mut exits) = (BTreeSet::new(), BTreeSet::new());
    for (l, location) in program.threads[t].locations.iter().enumerate() {
        if !blocks.has(t, l) {
            continue;
        }
        for edge in &location.edges {
            each_use(program, edge, &mut |used| {
                if used.how == How::Write {
                    written.extend(used.cells);
                }
            });
        }
        let targets = location.targets();
        exits.extend(targets.into_iter().filter(|&to| !blocks.is_inside(t, to)));
    }
    for l in exits {
        found.extend(scratch[l].iter().copied().filter(|c| written.contains(c)));
    }
    found
}

/// By slot, the cells of all fields in the same order.
type Slots = Vec<Vec<CellId>>;

/// The pools whose objects are allocated, by their number in the program.
fn pools(program: &Program) -> Vec<(usize, Slots)> {
    let mut found = Vec::new();
    for (n, pool) in program.pools.iter().enumerate() {
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
