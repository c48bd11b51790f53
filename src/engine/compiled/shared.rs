//! What steps have in common: cells, and whether a thread is at certain locations (which others may wait for), each
//! with a number.
//!
//! Two steps of different threads are dependent if one writes what the other accesses; a guard that keeps a thread
//! waiting is read. Other threads can't see a thread's location as such: only sets of locations that some expression
//! mentions have numbers.

use crate::model::program::{CellId, Edge, Expr, How, LocId, Program, ThreadId, each_use};

/// The numbers of what is shared. Protected cells come first, with the numbers of their protections.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    cells: Vec<u32>,
    /// By thread the sets of locations that are asked about.
    places: Vec<Vec<(Vec<LocId>, u32)>>,
    /// By protection, what its predicates may read.
    supports: Vec<Vec<u32>>,
    len: usize,
}

/// What a step accesses, and what of that it writes, as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Accesses {
    /// Read or written.
    pub accessed: Vec<u64>,
    /// Written.
    pub written: Vec<u64>,
}

impl Accesses {
    /// None of so many things.
    pub fn none(len: usize) -> Self {
        Accesses {
            accessed: vec![0; len.div_ceil(64)],
            written: vec![0; len.div_ceil(64)],
        }
    }

    /// Whether one writes what the other accesses.
    #[inline]
    pub fn conflicts(&self, other: &Accesses) -> bool {
        meet(&self.written, &other.accessed) || meet(&self.accessed, &other.written)
    }

    /// Adds others.
    pub fn add(&mut self, accessed: &[u64], written: &[u64]) {
        join(&mut self.accessed, accessed);
        join(&mut self.written, written);
    }

    fn read(&mut self, n: u32) {
        self.accessed[n as usize / 64] |= 1 << (n % 64);
    }

    fn write(&mut self, n: u32) {
        self.read(n);
        self.written[n as usize / 64] |= 1 << (n % 64);
    }
}

/// Whether two sets have something in common.
#[inline]
pub fn meet(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

fn join(into: &mut [u64], other: &[u64]) {
    into.iter_mut().zip(other).for_each(|(i, o)| *i |= o);
}

impl Shared {
    /// What a program's threads share, and what these expressions ask about.
    pub fn new<'e>(program: &Program, asked: impl IntoIterator<Item = &'e Expr>) -> Self {
        let protected = program.protections.len();
        let mut shared = Shared {
            cells: vec![u32::MAX; program.cells.len()],
            places: vec![Vec::new(); program.threads.len()],
            supports: Vec::new(),
            len: protected,
        };
        for (n, p) in program.protections.iter().enumerate() {
            shared.cells[p.cell] = n as u32;
        }
        for number in &mut shared.cells {
            if *number == u32::MAX {
                *number = shared.len as u32;
                shared.len += 1;
            }
        }
        for location in program.threads.iter().flat_map(|t| &t.locations) {
            for edge in &location.edges {
                edge.each_expression(&mut |e| shared.place_all(e));
            }
        }
        asked.into_iter().for_each(|e| shared.place_all(e));
        for p in &program.protections {
            let mut support = Vec::new();
            for e in p.predicates.iter().chain(p.readers.iter().flatten()) {
                shared.place_all(e);
                shared.reads(program, e, &mut support);
            }
            support.sort_unstable();
            support.dedup();
            shared.supports.push(support);
        }
        shared
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The number of a cell.
    pub fn cell(&self, cell: CellId) -> u32 {
        self.cells[cell]
    }

    /// The cells of a set.
    pub fn cells_in<'s>(&'s self, set: &'s [u64]) -> impl Iterator<Item = CellId> + 's {
        let has = |n: u32| set[n as usize / 64] >> (n % 64) & 1 == 1;
        let all = self.cells.iter().enumerate();
        all.filter(move |(_, n)| has(**n)).map(|(c, _)| c)
    }

    /// The number of a set of locations that is asked about.
    pub(super) fn place(&self, thread: ThreadId, locations: &[LocId]) -> Option<u32> {
        let of = self.places[thread].iter();
        of.clone().find(|(l, _)| l == locations).map(|(_, n)| *n)
    }

    fn place_all(&mut self, e: &Expr) {
        e.walk(&mut |e| {
            if let Expr::At(t, locations) = e
                && self.place(*t, locations).is_none()
            {
                self.places[*t].push((locations.clone(), self.len as u32));
                self.len += 1;
            }
        });
    }

    /// What an expression may read.
    pub fn reads(&self, program: &Program, e: &Expr, into: &mut Vec<u32>) {
        e.walk(&mut |e| match e {
            Expr::Cell(c) => into.push(self.cells[*c]),
            Expr::Element(a, _) | Expr::Via(_, Some(a)) => {
                into.extend(program.cells_of(*a).map(|c| self.cells[c]));
            }
            Expr::At(t, locations) => into.extend(self.place(*t, locations)),
            _ => {}
        });
    }

    /// Notes that a thread has left or come to locations that are asked about.
    #[inline]
    pub(super) fn moved(
        &self,
        thread: ThreadId,
        (before, after): (LocId, LocId),
        accessed: &mut [u64],
        written: &mut [u64],
    ) {
        for (set, n) in &self.places[thread] {
            if set.contains(&before) != set.contains(&after) {
                accessed[*n as usize / 64] |= 1 << (n % 64);
                written[*n as usize / 64] |= 1 << (n % 64);
            }
        }
    }

    /// Notes what was read to see whether a step that accessed these cells, and may change those predicates, keeps the
    /// discipline.
    pub(super) fn judged(&self, changes: &[u32], accessed: &mut [u64]) {
        for p in 0..self.supports.len() {
            if accessed[p / 64] >> (p % 64) & 1 == 1 || changes.contains(&(p as u32)) {
                for n in &self.supports[p] {
                    accessed[*n as usize / 64] |= 1 << (n % 64);
                }
            }
        }
    }

    /// What an expression may read in any state.
    pub fn asked(&self, program: &Program, e: &Expr) -> Accesses {
        let mut all = Vec::new();
        self.reads(program, e, &mut all);
        let mut accesses = Accesses::none(self.len);
        all.into_iter().for_each(|n| accesses.read(n));
        accesses
    }

    /// What a thread's steps along these edges of a location may access in any state: here a compare-and-swap writes.
    pub fn mentioned(
        &self,
        program: &Program,
        (thread, from): (ThreadId, LocId),
        edges: &[Edge],
    ) -> Accesses {
        let mut accesses = Accesses::none(self.len);
        let mut all = Vec::new();
        for edge in edges {
            each_use(program, edge, &mut |used| {
                for c in used.cells {
                    match used.how {
                        How::Write => accesses.write(self.cells[c]),
                        How::Read | How::Guard | How::Check => accesses.read(self.cells[c]),
                    }
                }
            });
            edge.each_expression(&mut |e| self.reads(program, e, &mut all));
        }
        all.into_iter().for_each(|n| accesses.read(n));
        if !edges.is_empty() {
            let wrong = program.threads[thread].wrong;
            let targets = edges.iter().flat_map(Edge::targets);
            for to in targets.chain(wrong) {
                for (set, n) in &self.places[thread] {
                    if set.contains(&from) != set.contains(&to) {
                        accesses.write(*n);
                    }
                }
            }
        }
        // A protection's predicates are read where its cell is accessed, and where they may change.
        for (p, support) in self.supports.iter().enumerate() {
            let has = |set: &[u64], n: u32| set[n as usize / 64] >> (n % 64) & 1 == 1;
            let moves = |n: u32| self.places[thread].iter().any(|(_, own)| *own == n);
            let changes = |n: &u32| moves(*n) || has(&accesses.written, *n);
            if has(&accesses.accessed, p as u32) || support.iter().any(changes) {
                support.iter().for_each(|n| accesses.read(*n));
            }
        }
        accesses
    }
}
