//! The lockset computation (Savage et al. 1997, as Stoller & Cohen 2003, section 9, propose it): a bounded exploration of the
//! reduced system, state by state, that notes which locks are held at every access.
//!
//! A heuristic: whatever it finds or misses, the guess made from it is checked on all states later.

use crate::control::{Control, Stop};
use crate::explore::{State, Successor, each_successor, initial_candidates, is_initial};
use crate::program::{CellId, Class, Kind, LocId, Program, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The locks of a program.
#[derive(Clone, Debug, Default)]
pub struct Locks {
    /// Cells that hold an owner: mutexes, re-entrant mutexes, writers.
    pub owners: Vec<CellId>,
    /// Read-write locks: the writer's cell, and the first of the cells that say which thread reads.
    pub shared: Vec<(CellId, CellId)>,
}

impl Locks {
    /// Finds them.
    pub fn new(program: &Program) -> Self {
        let sync = |c: &CellId| matches!(program.cells[*c].class, Class::Owner | Class::Sync);
        let owner = |c: &CellId| program.cells[*c].ty.kind == Kind::Owner;
        let owners = (0..program.cells.len()).filter(|c| sync(c) && owner(c));
        let mut locks = Locks {
            owners: owners.collect(),
            shared: Vec::new(),
        };
        for a in &program.arrays {
            let Some(lock) = a.name.strip_suffix(".writer") else {
                continue;
            };
            let reading = format!("{lock}.reading");
            let readers = program.arrays.iter().find(|r| r.name == reading);
            if let (Class::Owner | Class::Sync, Some(r)) = (a.class, readers) {
                let threads = program.threads.len();
                locks
                    .shared
                    .extend((0..a.len).map(|k| (a.first + k, r.first + k * threads)));
            }
        }
        locks
    }

    /// The locks that a thread owns.
    pub fn owned(&self, state: &State, thread: ThreadId) -> BTreeSet<CellId> {
        let mine = |c: &&CellId| state.cell(**c) == thread as i64;
        self.owners.iter().filter(mine).copied().collect()
    }

    /// The read-write locks, as positions in `shared`, that a thread holds for reading or writing.
    pub fn readable(&self, state: &State, thread: ThreadId) -> BTreeSet<usize> {
        let holds = |&(writer, reading): &(CellId, CellId)| {
            state.cell(writer) == thread as i64 || state.cell(reading + thread) != 0
        };
        (0..self.shared.len())
            .filter(|&l| holds(&self.shared[l]))
            .collect()
    }
}

/// What has been seen of the accesses from one location to one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Whether it was written.
    pub written: bool,
    /// The locks owned at all of them.
    pub owned: BTreeSet<CellId>,
    /// The read-write locks held at all of them.
    pub readable: BTreeSet<usize>,
}

/// An access that made the lockset of a cell smaller.
#[derive(Clone, Debug)]
pub struct Narrowing {
    /// The cell.
    pub cell: CellId,
    /// The lockset before.
    pub from: BTreeSet<CellId>,
    /// The lockset with it.
    pub to: BTreeSet<CellId>,
    /// The steps that lead there, the access last.
    pub steps: Vec<(ThreadId, LocId)>,
}

/// All that has been seen.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// By cell, thread and location.
    pub seen: FxHashMap<(CellId, ThreadId, LocId), Seen>,
    /// How locksets became smaller, in order.
    pub narrowed: Vec<Narrowing>,
}

impl Observed {
    /// Takes in one more access.
    pub fn add(&mut self, key: (CellId, ThreadId, LocId), access: Seen) {
        match self.seen.get_mut(&key) {
            None => {
                self.seen.insert(key, access);
            }
            Some(known) => {
                known.written |= access.written;
                known.owned.retain(|l| access.owned.contains(l));
                known.readable.retain(|l| access.readable.contains(l));
            }
        }
    }
}

/// A state met, and how.
struct Node {
    state: State,
    before: Option<usize>,
    step: (ThreadId, LocId),
}

/// Explores at most `budget` single steps; `visible` says where a coarse step ends, `candidates` what is looked at.
///
/// # Errors
/// If the control says stop.
pub fn observe(
    program: &Program,
    visible: &dyn Fn(ThreadId, LocId) -> bool,
    candidates: &FxHashSet<CellId>,
    budget: usize,
    control: &Control,
) -> Result<Observed, Stop> {
    let mut run = Exploration {
        program,
        locks: Locks::new(program),
        candidates,
        locksets: FxHashMap::default(),
        nodes: Vec::new(),
        observed: Observed::default(),
    };
    let mut known: FxHashSet<State> = FxHashSet::default();
    let mut waiting: Vec<usize> = Vec::new();
    // Few of the initial states will do: they differ in values, hardly in who holds what.
    let initial = initial_candidates(program).take(10_000);
    for state in initial.filter(|s| is_initial(program, s)).take(100) {
        known.insert(state.clone());
        waiting.push(run.node(state, None, (0, 0)));
    }
    while let Some(from) = waiting.pop() {
        for thread in (0..program.threads.len()).rev() {
            control.check()?;
            // Depth first inside the coarse step as well; threads stay in one order, so that whole runs come early.
            let mut inside = vec![from];
            let mut entered: FxHashSet<State> = FxHashSet::default();
            while let Some(at) = inside.pop() {
                if run.nodes.len() > budget {
                    return Ok(run.observed);
                }
                let here = run.nodes[at].state.location(thread);
                let goes_on = at == from || !visible(thread, here);
                let next = if goes_on {
                    run.steps(at, thread)
                } else {
                    Vec::new()
                };
                if next.is_empty() {
                    if at != from && known.insert(run.nodes[at].state.clone()) {
                        waiting.push(at);
                    }
                    continue;
                }
                let new = next.into_iter();
                inside.extend(new.filter(|&n| entered.insert(run.nodes[n].state.clone())));
            }
        }
    }
    Ok(run.observed)
}

struct Exploration<'a> {
    program: &'a Program,
    locks: Locks,
    candidates: &'a FxHashSet<CellId>,
    locksets: FxHashMap<CellId, BTreeSet<CellId>>,
    nodes: Vec<Node>,
    observed: Observed,
}

/// Outcomes of one step that are followed; a `havoc` may have millions.
const OUTCOMES: usize = 64;

impl Exploration<'_> {
    fn node(&mut self, state: State, before: Option<usize>, step: (ThreadId, LocId)) -> usize {
        self.nodes.push(Node {
            state,
            before,
            step,
        });
        self.nodes.len() - 1
    }

    fn steps(&mut self, at: usize, thread: ThreadId) -> Vec<usize> {
        let state = self.nodes[at].state.clone();
        let mut outcomes: Vec<Successor> = Vec::new();
        let _ = each_successor(self.program, &state, thread, None, &mut |next| {
            outcomes.push(next);
            match outcomes.len() < OUTCOMES {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        let here = (thread, state.location(thread));
        let mut made = Vec::new();
        for next in outcomes {
            let node = self.node(next.state.clone(), Some(at), here);
            made.push(node);
            for &cell in next.accesses.iter().filter(|c| self.candidates.contains(c)) {
                self.access(cell, node, &state, here, next.writes.contains(&cell));
            }
        }
        made
    }

    fn access(
        &mut self,
        cell: CellId,
        node: usize,
        before: &State,
        (thread, location): (ThreadId, LocId),
        written: bool,
    ) {
        let owned = self.locks.owned(before, thread);
        let every = || self.locks.owners.iter().copied().collect();
        let lockset = self.locksets.entry(cell).or_insert_with(every);
        if !lockset.is_subset(&owned) {
            let to: BTreeSet<CellId> = lockset.intersection(&owned).copied().collect();
            let from = std::mem::replace(lockset, to.clone());
            let steps = self.path(node);
            self.observed.narrowed.push(Narrowing {
                cell,
                from,
                to,
                steps,
            });
        }
        let readable = self.locks.readable(before, thread);
        let seen = Seen {
            written,
            owned,
            readable,
        };
        self.observed.add((cell, thread, location), seen);
    }

    fn path(&self, mut node: usize) -> Vec<(ThreadId, LocId)> {
        let mut steps = Vec::new();
        while let Some(before) = self.nodes[node].before {
            steps.push(self.nodes[node].step);
            node = before;
        }
        steps.reverse();
        steps
    }
}
