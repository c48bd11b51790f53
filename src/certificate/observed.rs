//! What is observed of a state in which no thread is inside a claimed block, found anew on the ways through the text.
//!
//! Shared variables are, and where threads are; of a thread's own variables those that may still be read, and those
//! that may have a value which a step of the block has given them and nothing reads. A bundle says nothing of it. Slots
//! of pools are renamed: two states are seen as one only if a renaming makes one the other.

use super::invariant::Refused;
use crate::base::control::Stop;
use crate::engine::State;
use crate::model::program::{
    Array, CellId, Claim, Class, Command, Expr, Kind, LocId, Program, Target, Thread, ThreadId,
};
use std::collections::{BTreeSet, VecDeque};

/// Renamings of objects that are tried for one state.
const RENAMINGS: usize = 5040;

/// A point on the ways through a thread's steps: what is read there, then what may be written, and what comes next.
#[derive(Default)]
struct Point {
    reads: Vec<CellId>,
    writes: Vec<CellId>,
    /// A cell that is written whenever control comes here.
    overwrites: Option<CellId>,
    next: Vec<usize>,
    of_block: bool,
}

/// The ways through the steps of a thread. The first points are its locations.
struct Ways<'p> {
    program: &'p Program,
    points: Vec<Point>,
    of_block: bool,
}

impl<'p> Ways<'p> {
    fn new(program: &'p Program, thread: &'p Thread, own: &dyn Fn(LocId, usize) -> bool) -> Self {
        let locations = thread.locations.iter();
        let mut ways = Ways {
            program,
            points: locations.clone().map(|_| Point::default()).collect(),
            of_block: false,
        };
        for (l, location) in locations.enumerate() {
            for (n, edge) in location.edges.iter().enumerate() {
                ways.of_block = own(l, n);
                let body = ways.through(&edge.body, None);
                let guard = Point {
                    reads: edge.guard.iter().flat_map(|e| read(program, e)).collect(),
                    next: body.into_iter().collect(),
                    ..Point::default()
                };
                let first = ways.put(guard);
                ways.points[l].next.push(first);
            }
        }
        ways
    }

    fn put(&mut self, point: Point) -> usize {
        self.points.push(Point {
            of_block: self.of_block,
            ..point
        });
        self.points.len() - 1
    }

    /// The first point of commands; `behind` is that of what follows them.
    fn through(&mut self, commands: &'p [Command], behind: Option<usize>) -> Option<usize> {
        let mut here = behind;
        for command in commands.iter().rev() {
            let mut point = Point {
                next: here.into_iter().collect(),
                ..Point::default()
            };
            match command {
                Command::Goto(l) => point.next = vec![*l],
                Command::Check(e, _) => point.reads = read(self.program, e),
                Command::Assign(target, value) => {
                    point.reads = read(self.program, value);
                    self.write(target, &mut point);
                }
                Command::Havoc(target) => self.write(target, &mut point),
                Command::If(c, yes, no) => {
                    point.reads = read(self.program, c);
                    let both = [self.through(yes, here), self.through(no, here)];
                    point.next = both.into_iter().flatten().collect();
                }
                Command::Choose(all) => {
                    let each: Vec<_> = all.iter().map(|b| self.through(b, here)).collect();
                    point.next = each.into_iter().flatten().collect();
                }
            }
            here = Some(self.put(point));
        }
        here
    }

    fn write(&self, target: &Target, point: &mut Point) {
        match target {
            Target::Cell(c) => {
                point.overwrites = Some(*c);
                point.writes.push(*c);
            }
            Target::Element(array, index) => {
                let index = index.iter().flat_map(|e| read(self.program, e));
                point.reads.extend(index);
                point.writes.extend(self.program.cells_of(*array));
            }
        }
    }

    /// By point, whether some way from there reads what a cell has before it is overwritten.
    fn is_read(&self, cell: CellId) -> Vec<bool> {
        let mut found = vec![false; self.points.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (n, point) in self.points.iter().enumerate().rev() {
                let later = point.overwrites != Some(cell) && point.next.iter().any(|&m| found[m]);
                let now = point.reads.contains(&cell) || later;
                changed |= now != found[n];
                found[n] = now;
            }
        }
        found
    }

    /// By point, whether a cell may have a value there that a step of the block has written, and that nothing reads.
    fn is_result(&self, cell: CellId, is_read: &[bool]) -> Vec<bool> {
        let mut found = vec![false; self.points.len()];
        let given = |p: &&Point| p.of_block && p.writes.contains(&cell);
        let unread = |p: &&Point| !p.next.iter().any(|&m| is_read[m]);
        let begin = self.points.iter().filter(given).filter(unread);
        let mut open: Vec<usize> = begin.flat_map(|p| p.next.clone()).collect();
        while let Some(n) = open.pop() {
            if !std::mem::replace(&mut found[n], true) && self.points[n].overwrites != Some(cell) {
                open.extend(&self.points[n].next);
            }
        }
        found
    }
}

/// The cells that an expression may look at.
fn read(program: &Program, e: &Expr) -> Vec<CellId> {
    let mut cells = Vec::new();
    e.walk(&mut |e| match e {
        Expr::Cell(c) => cells.push(*c),
        Expr::Element(array, _) | Expr::Via(_, Some(array)) => {
            cells.extend(program.cells_of(*array));
        }
        _ => {}
    });
    cells
}

/// What is observed of states, if a claim is made.
pub struct Observed<'p> {
    program: &'p Program,
    /// By thread and location, and wherever threads are: the cells that are not.
    scratch: Vec<Vec<Vec<CellId>>>,
    hidden: &'p [CellId],
    /// By pool and slot: the cells of an object's fields.
    pools: Vec<Vec<Vec<CellId>>>,
    /// By cell: the pool whose slots it refers to.
    refers: Vec<Option<usize>>,
    /// The cells that do and belong to no object.
    roots: Vec<CellId>,
}

impl<'p> Observed<'p> {
    /// Finds it.
    pub fn new(program: &'p Program, claim: &'p Claim) -> Self {
        let threads = program.threads.iter().enumerate();
        let ways: Vec<Ways> = threads
            .map(|(t, thread)| {
                let own = |l, n| {
                    let mut blocks = claim.blocks.iter().filter(|b| b.thread == t);
                    blocks.any(|b| b.edges.contains(&(l, n)))
                };
                Ways::new(program, thread, &own)
            })
            .collect();
        let scratch = (0..ways.len()).map(|t| scratch(program, claim, &ways, t));
        let mut seen = Observed {
            program,
            scratch: scratch.collect(),
            hidden: &claim.hidden,
            pools: Vec::new(),
            refers: vec![None; program.cells.len()],
            roots: Vec::new(),
        };
        for (n, pool) in program.pools.iter().enumerate() {
            let prefix = format!("{}.", pool.name);
            let is_field = |a: &&Array| {
                let own = !matches!(a.class, Class::Local(_)) && a.name.starts_with(&prefix);
                own && a.dims.first() == Some(&pool.len)
            };
            let fields: Vec<&Array> = program.arrays.iter().filter(is_field).collect();
            let allocated = format!("{prefix}allocated");
            if pool.named || !fields.iter().any(|a| a.name == allocated) {
                continue;
            }
            let of = |a: &&Array, slot: usize| {
                let each = a.len / pool.len;
                a.first + slot * each..a.first + (slot + 1) * each
            };
            let slot = |s: usize| fields.iter().flat_map(|a| of(a, s)).collect();
            for (c, cell) in program.cells.iter().enumerate() {
                if cell.ty.kind == Kind::Ref(n) {
                    seen.refers[c] = Some(seen.pools.len());
                }
            }
            seen.pools.push((0..pool.len).map(slot).collect());
        }
        let inner: BTreeSet<CellId> = seen.pools.iter().flatten().flatten().copied().collect();
        let roots = (0..program.cells.len()).filter(|c| seen.refers[*c].is_some());
        seen.roots = roots.filter(|c| !inner.contains(c)).collect();
        seen
    }

    /// A state as it is observed. Objects are called by the order in which they are met from variables, and the others
    /// by what they contain: so renamed states are mostly one.
    pub fn of(&self, state: &State) -> State {
        let state = self.seen(state);
        match self.pools.is_empty() {
            true => state,
            false => {
                let mut names = self.met(&state);
                for other in self.others(&state, &names) {
                    names.give(other);
                }
                self.renamed(&state, &names)
            }
        }
    }

    /// Whether a state is observed as one of a set that [`Observed::of`] has made: all renamings are tried.
    ///
    /// # Errors
    /// If there are too many.
    pub fn is_among(&self, state: &State, all: &dyn Fn(&State) -> bool) -> Result<bool, Refused> {
        let known = all(&self.of(state));
        if known || self.pools.is_empty() {
            return Ok(known);
        }
        let state = self.seen(state);
        let names = self.met(&state);
        let others = self.others(&state, &names);
        let mut tried = 0;
        self.try_all(&state, names, others, &mut tried, all)
    }

    fn try_all(
        &self,
        state: &State,
        names: Names,
        others: Vec<Object>,
        tried: &mut usize,
        all: &dyn Fn(&State) -> bool,
    ) -> Result<bool, Refused> {
        // What is called next is one of the first pool that has some left.
        let Some(&(pool, _)) = others.first() else {
            *tried += 1;
            return match *tried > RENAMINGS {
                true => Err(Refused::Stopped(Stop::Operations)),
                false => Ok(all(&self.renamed(state, &names))),
            };
        };
        for (n, &other) in others.iter().enumerate().filter(|(_, o)| o.0 == pool) {
            let (mut names, mut others) = (names.clone(), others.clone());
            names.give(other);
            others.remove(n);
            if self.try_all(state, names, others, tried, all)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The state with the least value of everything that is not observed.
    fn seen(&self, state: &State) -> State {
        let (mut cells, places) = (state.cells(), state.locations());
        let scratch = self.scratch.iter().zip(&places);
        let scratch = scratch.flat_map(|(of, &l)| &of[l]);
        for &c in scratch.chain(self.hidden) {
            cells[c] = self.program.cells[c].ty.lo;
        }
        State::new(&cells, &places)
    }

    /// The object that a cell refers to.
    fn object(&self, state: &State, cell: CellId) -> Option<Object> {
        let pool = self.refers[cell]?;
        Some((pool, usize::try_from(state.cell(cell)).ok()?))
    }

    /// The objects that are met from variables, in that order.
    fn met(&self, state: &State) -> Names {
        let mut names = Names {
            of: self.pools.iter().map(|p| vec![None; p.len()]).collect(),
            given: vec![0; self.pools.len()],
        };
        let roots = self.roots.iter();
        let mut open: VecDeque<Object> = roots.filter_map(|&c| self.object(state, c)).collect();
        while let Some((pool, slot)) = open.pop_front() {
            if names.of[pool][slot].is_none() {
                names.give((pool, slot));
                let fields = self.pools[pool][slot].iter();
                open.extend(fields.filter_map(|&c| self.object(state, c)));
            }
        }
        names
    }

    /// The other objects, sorted by what they contain.
    fn others(&self, state: &State, names: &Names) -> Vec<Object> {
        let pools = self.pools.iter().enumerate();
        let all = pools.flat_map(|(p, slots)| (0..slots.len()).map(move |s| (p, s)));
        let mut others: Vec<Object> = all.filter(|&(p, s)| names.of[p][s].is_none()).collect();
        let told = |&c: &CellId| match self.object(state, c) {
            Some((p, s)) => (true, names.of[p][s].map(|n| n as i64)),
            None => (false, Some(state.cell(c))),
        };
        others.sort_by_cached_key(|&(p, s)| {
            let content: Vec<_> = self.pools[p][s].iter().map(told).collect();
            (p, content)
        });
        others
    }

    /// The state with its objects called so; all have a name.
    fn renamed(&self, state: &State, names: &Names) -> State {
        let mut cells = state.cells();
        let told = |c: CellId| match self.object(state, c) {
            Some((p, s)) => names.of[p][s].map_or(state.cell(c), |n| n as i64),
            None => state.cell(c),
        };
        for (p, slots) in self.pools.iter().enumerate() {
            for (s, fields) in slots.iter().enumerate() {
                let to = names.of[p][s].unwrap_or(s);
                for (&from, &to) in fields.iter().zip(&slots[to]) {
                    cells[to] = told(from);
                }
            }
        }
        for &c in &self.roots {
            cells[c] = told(c);
        }
        State::new(&cells, &state.locations())
    }
}

/// A pool and a slot.
type Object = (usize, usize);

/// What the slots of pools are called.
#[derive(Clone)]
struct Names {
    of: Vec<Vec<Option<usize>>>,
    given: Vec<usize>,
}

impl Names {
    fn give(&mut self, (pool, slot): Object) {
        self.of[pool][slot] = Some(self.given[pool]);
        self.given[pool] += 1;
    }
}

/// The thread's own variables that are not observed, by location.
fn scratch(program: &Program, claim: &Claim, ways: &[Ways], t: ThreadId) -> Vec<Vec<CellId>> {
    let mut looked_at: BTreeSet<CellId> = claim.observed.iter().copied().collect();
    for x in &program.protections {
        looked_at.insert(x.cell);
        let all = x.predicates.iter().chain(x.readers.iter().flatten());
        looked_at.extend(all.flat_map(|e| read(program, e)));
    }
    let properties = program.properties.iter().chain(&program.lemmas);
    let asked = properties.map(|p| &p.expr).chain(&program.init);
    looked_at.extend(asked.flat_map(|e| read(program, e)));
    let others = ways.iter().enumerate().filter(|(u, _)| *u != t);
    for point in others.flat_map(|(_, ways)| &ways.points) {
        looked_at.extend(point.reads.iter().chain(&point.writes));
    }
    let mut scratch = vec![Vec::new(); program.threads[t].locations.len()];
    for (c, cell) in program.cells.iter().enumerate() {
        if cell.class != Class::Local(t) || looked_at.contains(&c) {
            continue;
        }
        let is_read = ways[t].is_read(c);
        let is_result = ways[t].is_result(c, &is_read);
        for (l, scratch) in scratch.iter_mut().enumerate() {
            if !is_read[l] && !is_result[l] {
                scratch.push(c);
            }
        }
    }
    scratch
}
