//! The lockset computation during an exploration: Flanagan & Qadeer 2003, section 6 (the locksets are those of Savage
//! et al. 1997).
//!
//! The reduced system is explored state by state, and each access takes from its cell's lockset the locks that its
//! thread does not hold. In the beginning every lock protects every cell, so steps are large. Where a lockset becomes
//! empty, and a second thread has the cell, the accesses of the cell become visible; the states inside the steps taken
//! so far in which a thread is now in front of a visible action are explored as well. The exploration never begins
//! anew: states and visible actions are only added, locksets only shrink, until nothing changes.
//!
//! Where it differs from the source: steps are those of Stoller & Cohen, without right movers, and it is bounded.
//!
//! This is a heuristic: the guess that is made from it is checked on all states later.

use super::sites::Sites;
use crate::base::control::{Control, Stop};
use crate::engine::{State, Successor, each_successor, initial_candidates, is_initial};
use crate::model::program::{CellId, Class, Kind, LocId, Program, ThreadId};
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
    /// The values that each flag had at some of them: bit n is its lowest value plus n.
    pub flags: Vec<u64>,
}

/// Variables of few values that threads share: one of them may say that another is written no more.
#[derive(Clone, Debug, Default)]
pub struct Flags(pub Vec<CellId>);

impl Flags {
    /// The most of them that are looked at.
    const MOST: usize = 64;

    /// Finds them: data that several threads use, and some thread writes.
    pub fn new(program: &Program, sites: &Sites) -> Self {
        let is_flag = |&c: &CellId| {
            let cell = &program.cells[c];
            let data = matches!(cell.class, Class::Unprotected { .. } | Class::Protected);
            let small = cell.ty.kind != Kind::Owner && cell.ty.size() <= u64::from(u64::BITS);
            data && small && sites.is_written(c) && sites.users(c).len() > 1
        };
        let cells = 0..program.cells.len();
        Flags(cells.filter(is_flag).take(Self::MOST).collect())
    }

    /// The value of each, as a set of values.
    pub fn values(&self, program: &Program, state: &State) -> Vec<u64> {
        let bit = |&c: &CellId| 1 << (state.cell(c) - program.cells[c].ty.lo);
        self.0.iter().map(bit).collect()
    }
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
    /// Takes in one more access; whether it is of a new kind.
    pub fn add(&mut self, key: (CellId, ThreadId, LocId), access: Seen) -> bool {
        let Some(known) = self.seen.get_mut(&key) else {
            self.seen.insert(key, access);
            return true;
        };
        let held = |seen: &Seen| (seen.written, seen.owned.len(), seen.readable.len());
        let before = held(known);
        known.written |= access.written;
        known.owned.retain(|l| access.owned.contains(l));
        known.readable.retain(|l| access.readable.contains(l));
        let flags = known.flags.iter_mut().zip(&access.flags);
        flags.for_each(|(known, seen)| *known |= seen);
        before != held(known)
    }
}

/// A state met, and how.
struct VisitedState {
    state: State,
    before: Option<usize>,
    step: (ThreadId, LocId),
}

/// Where coarse steps end.
pub type Visible = FxHashSet<(ThreadId, LocId)>;

/// When an exploration ends, in single steps: after so many, and where nothing new was seen for so long and in three
/// quarters of all.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    pub most: usize,
    pub quiet: usize,
}

/// Work that a step is, in pairs of BDD nodes.
const STEP: u64 = 128;

/// Explores until patience ends; `visible` says where a coarse step ends if these cells are unprotected,
/// `candidates` what is looked at, and the values of which `flags` are noted beside it.
///
/// # Errors
/// If the control says stop.
pub fn observe(
    program: &Program,
    visible: &dyn Fn(&FxHashSet<CellId>) -> Visible,
    candidates: &FxHashSet<CellId>,
    flags: &Flags,
    patience: Patience,
    control: &Control,
) -> Result<Observed, Stop> {
    let mut run = Exploration {
        program,
        locks: Locks::new(program),
        candidates,
        flags,
        locksets: FxHashMap::default(),
        users: FxHashMap::default(),
        unprotected: FxHashSet::default(),
        nodes: Vec::new(),
        observed: Observed::default(),
        news: 0,
    };
    let mut ends = visible(&run.unprotected);
    let mut divided = 0;
    let mut known: FxHashSet<State> = FxHashSet::default();
    let mut waiting: Vec<usize> = Vec::new();
    // Few of the initial states will do: they differ in values, hardly in who holds what.
    let initial = initial_candidates(program).take(10_000);
    for state in initial.filter(|s| is_initial(program, s)).take(100) {
        known.insert(state.clone());
        waiting.push(run.node(state, None, (0, 0)));
    }
    loop {
        while let Some(from) = waiting.pop() {
            for thread in (0..program.threads.len()).rev() {
                control.check()?;
                let before = run.nodes.len();
                let ended = run.coarse(from, thread, &ends, patience);
                control.worked((run.nodes.len() - before) as u64 * STEP);
                let Some(ended) = ended else {
                    return Ok(run.observed);
                };
                let mut new = ended;
                new.retain(|&n| known.insert(run.nodes[n].state.clone()));
                waiting.extend(new);
            }
        }
        if divided == run.unprotected.len() {
            return Ok(run.observed);
        }
        divided = run.unprotected.len();
        let before = std::mem::replace(&mut ends, visible(&run.unprotected));
        for (n, node) in run.nodes.iter().enumerate() {
            let at = (node.step.0, node.state.location(node.step.0));
            let is_new = node.before.is_some() && ends.contains(&at) && !before.contains(&at);
            if is_new && known.insert(node.state.clone()) {
                waiting.push(n);
            }
        }
    }
}

struct Exploration<'a> {
    program: &'a Program,
    locks: Locks,
    candidates: &'a FxHashSet<CellId>,
    flags: &'a Flags,
    locksets: FxHashMap<CellId, BTreeSet<CellId>>,
    /// Who came to a cell first, and whether others did.
    users: FxHashMap<CellId, (ThreadId, bool)>,
    /// Cells with an empty lockset that several threads have.
    unprotected: FxHashSet<CellId>,
    nodes: Vec<VisitedState>,
    observed: Observed,
    /// How many nodes there were when something new was seen.
    news: usize,
}

/// Outcomes of one step that are followed; a `havoc` may have millions.
const OUTCOMES: usize = 64;

impl Exploration<'_> {
    /// The nodes in which coarse steps of a thread end; `None` if patience is over.
    fn coarse(
        &mut self,
        from: usize,
        thread: ThreadId,
        ends: &Visible,
        patience: Patience,
    ) -> Option<Vec<usize>> {
        let mut ended = Vec::new();
        // Depth first inside the coarse step as well; threads stay in one order, so that whole runs come early.
        let mut inside = vec![from];
        let mut entered: FxHashSet<State> = FxHashSet::default();
        while let Some(at) = inside.pop() {
            let nodes = self.nodes.len();
            if nodes > patience.most || nodes / 4 > self.news && nodes - self.news > patience.quiet
            {
                return None;
            }
            let here = self.nodes[at].state.location(thread);
            let next = match at == from || !ends.contains(&(thread, here)) {
                true => self.steps(at, thread),
                false => Vec::new(),
            };
            if next.is_empty() && at != from {
                ended.push(at);
            }
            let new = next.into_iter();
            inside.extend(new.filter(|&n| entered.insert(self.nodes[n].state.clone())));
        }
        Some(ended)
    }

    fn node(&mut self, state: State, before: Option<usize>, step: (ThreadId, LocId)) -> usize {
        self.nodes.push(VisitedState {
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
        let users = self.users.entry(cell).or_insert((thread, false));
        users.1 |= users.0 != thread;
        if users.1 && self.locksets[&cell].is_empty() {
            self.unprotected.insert(cell);
        }
        let readable = self.locks.readable(before, thread);
        let seen = Seen {
            written,
            owned,
            readable,
            flags: self.flags.values(self.program, before),
        };
        if self.observed.add((cell, thread, location), seen) {
            self.news = self.nodes.len();
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::control::ParseLimits;
    use crate::model::Loaded;
    use crate::theorem::inference::mentions;
    use proptest::prelude::*;
    use std::cell::Cell;

    /// All of a small program.
    const WHOLE: Patience = Patience {
        most: 200_000,
        quiet: usize::MAX,
    };

    /// By cell the locks held at all accesses that are seen, with these cells unprotected.
    type Locksets = FxHashMap<CellId, BTreeSet<CellId>>;

    fn program(source: &str) -> Program {
        match Loaded::load("m.cor", source, &[], ParseLimits::default()) {
            Ok((session, _)) => session.program().clone(),
            Err(diagnostics) => panic!("{diagnostics:?}\n{source}"),
        }
    }

    /// What is found, where no step is divided later, some are, or all are from the beginning; and the open cells.
    fn locksets(p: &Program, refined: bool, all: bool) -> Locksets {
        let open = |c: &CellId| p.cells[*c].class == Class::Unprotected { declared: false };
        let open: FxHashSet<CellId> = (0..p.cells.len()).filter(open).collect();
        let mut assumed = p.clone();
        for &c in &open {
            assumed.cells[c].class = Class::Protected;
        }
        let visible = |unprotected: &FxHashSet<CellId>| {
            let mut with = assumed.clone();
            let some = unprotected.iter().filter(|_| refined);
            for &c in some.chain(open.iter().filter(|_| all)) {
                with.cells[c].class = Class::Unprotected { declared: false };
            }
            mentions(&with)
        };
        let control = Control::default();
        let found = observe(
            &assumed,
            &visible,
            &open,
            &Flags::default(),
            WHOLE,
            &control,
        )
        .expect("small");
        let mut sets = Locksets::default();
        for ((cell, _, _), seen) in found.seen {
            let set = sets.entry(cell).or_insert_with(|| seen.owned.clone());
            set.retain(|l| seen.owned.contains(l));
        }
        sets
    }

    fn text(threads: &[Vec<String>]) -> String {
        let mut text =
            "mutex m; mutex n; var x: 0..2 = 0; var y: 0..2 = 0; var z: 0..2 = 0;\n".to_string();
        for (n, statements) in threads.iter().enumerate() {
            text += &format!("thread t{n} {{ {} }}\n", statements.join(" "));
        }
        text
    }

    fn statement() -> impl Strategy<Value = String> {
        let plain = prop_oneof![
            (0..3usize, 0..3).prop_map(|(v, k)| format!("{} = {k};", ["x", "y", "z"][v])),
            (0..3usize, 0..3usize).prop_map(|(v, w)| {
                let names = ["x", "y", "z"];
                format!("{} = {};", names[v], names[w])
            }),
        ];
        let some = prop::collection::vec(plain, 1..3).prop_map(|all| all.join(" "));
        (some, 0..3usize, 0..3, 0..5).prop_map(|(body, v, k, form)| match form {
            0 | 1 => format!("lock(m); {body} unlock(m);"),
            2 => format!("lock(n); {body} unlock(n);"),
            3 => format!("if ({} == {k}) {{ {body} }}", ["x", "y", "z"][v]),
            _ => body,
        })
    }

    fn threads() -> impl Strategy<Value = Vec<Vec<String>>> {
        prop::collection::vec(prop::collection::vec(statement(), 1..4), 2..4)
    }

    /// Theorem 6.1: in the end the locks are those of all executions.
    #[test]
    fn locksets_are_those_of_all_executions() {
        // Of so many some fifteen need it that steps are divided.
        let missed = Cell::new(0);
        crate::random::runner(2000)
            .run(&threads(), |threads| {
                let p = program(&text(&threads));
                let truth = locksets(&p, false, true);
                prop_assert_eq!(&locksets(&p, true, false), &truth);
                missed.set(missed.get() + usize::from(locksets(&p, false, false) != truth));
                Ok(())
            })
            .unwrap_or_else(|failure| panic!("{failure}"));
        assert!(
            crate::random::enough(missed.get(), 1),
            "dividing steps is of no use"
        );
    }

    /// x == 1 is seen between two steps of the first thread only; then y is used without a lock.
    #[test]
    fn steps_are_divided_where_a_lockset_becomes_empty() {
        let p = program(
            "mutex m; var x: 0..2 = 0; var y: 0..2 = 0;
             thread a { x = 1; x = 2; }
             thread b { if (x == 1) { y = 1; } }
             thread c { lock(m); y = 2; unlock(m); }",
        );
        let named = |name: &str| p.cells.iter().position(|c| c.name == name).expect(name);
        let of = |sets: &Locksets| sets.get(&named("y")).map(BTreeSet::len);
        assert_eq!(of(&locksets(&p, false, false)), Some(1));
        assert_eq!(of(&locksets(&p, true, false)), Some(0));
    }
}
