//! Exploration with the thesis's filters (Florian 2010, chapter 4, algorithm 2), for comparison: an execution grows
//! step by step, and each filter removes some of the steps that could come next.
//!
//! `not-seen-before` (algorithm 3) goes on once from equivalent beginnings of executions, which are kept: for each
//! thread its steps, with what they happen after. `local-cycles` (algorithm 5) ends an execution where a thread has
//! come back to its own state and no other thread could notice. `super-step` (algorithm 6) follows one thread for as
//! long as no other thread is concerned: of the steps of two threads from one *super node*, at most the last ones
//! depend on each other.
//!
//! Where this differs from the source: beginnings are compared in super nodes only, since inside a super step one
//! thread is followed, and the same beginning may be a super node elsewhere. They are compared when they are continued,
//! not when they are found. Threads that wait in a super node count as well: a step that lets them go on depends on
//! what they wait for, so "enables" has to be checked for new threads only. A thread that chooses ends its super step.
//! Each beginning is run anew (the thesis does so when it goes back); a *run* is an execution that is not continued.

use super::explore::{Settings, Watch};
use super::history::Step;
use super::process::Process;
use super::shared::{self, Access, Kind, MODE_READ, Order, dependent};
use super::worker::{Item, Known, Part, Worker};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::rc::Rc;

/// Which filters are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Equivalent beginnings are gone on with once.
    pub not_seen_before: bool,
    /// One thread is followed for as long as no other is concerned.
    pub super_step: bool,
    /// Executions end where a thread has come back to its own state, unnoticed.
    pub local_cycles: bool,
    /// Most steps of an execution.
    pub depth: Option<u32>,
}

/// The beginnings that are kept, in numbers of four bytes, at most.
const MOST: usize = 1 << 27;

/// A thread before its next step.
struct Pending {
    kind: Kind,
    enabled: bool,
    choices: u16,
    /// All that is known of the accesses is that there are these.
    region: bool,
    accesses: Vec<Access>,
    /// A hash of its stack, registers and the like.
    local: u64,
}

/// A super step: what its steps before the last one access, and the last one.
#[derive(Default)]
struct SuperStep {
    inside: Vec<Access>,
    last: Vec<Access>,
    /// The last one is a region; what it accesses is not known until it is taken.
    region: bool,
}

/// The super steps from a super node, by thread.
type SuperNode = Vec<SuperStep>;

struct StackEntry {
    /// What is still to be tried, the last one first.
    open: Vec<Order>,
    /// How many runs went through it.
    runs: u64,
    /// The super node that its super step began in.
    begun: Rc<RefCell<SuperNode>>,
    /// The local state of the thread that led here.
    local: u64,
}

/// An exploration under way.
struct FilteredSearch<'e, 'a> {
    worker: &'e mut Worker<'a>,
    watch: &'e dyn Watch,
    filters: Filters,
    nodes: Vec<StackEntry>,
    seen: FxHashSet<Box<[u32]>>,
    kept: usize,
    /// Runs that end where others have gone on or a cycle was found, and executions that are complete.
    runs: u64,
}

/// Explores with filters.
pub(super) fn explore(
    process: &mut Process,
    settings: &Settings,
    filters: Filters,
    all: &Item,
    known: &Known,
    stop: &dyn Fn() -> bool,
    watch: &dyn Watch,
) -> Part {
    let mut worker = Worker::new(process, settings, all, known, stop);
    let mut search = FilteredSearch {
        worker: &mut worker,
        watch,
        filters,
        nodes: Vec::new(),
        seen: FxHashSet::default(),
        kept: 0,
        runs: 0,
    };
    let finished = search.run();
    let runs = search.runs;
    let part = &mut worker.part;
    part.over = !finished;
    let complete = part.out.executions + part.out.assumed + part.out.cut;
    part.out.redundant = runs.saturating_sub(complete);
    worker.done()
}

impl FilteredSearch<'_, '_> {
    fn run(&mut self) -> bool {
        if !self.visit(None) {
            return false;
        }
        while let Some(top) = self.nodes.last_mut() {
            if (self.worker.stop)() {
                return false;
            }
            if self.runs >= self.worker.settings.executions {
                self.worker.limit(format!("{} runs", self.runs));
                return false;
            }
            if let Some(order) = top.open.pop() {
                if !self.visit(Some(order)) {
                    return false;
                }
                let out = &self.worker.part.out;
                if !self.worker.settings.keep_going && !out.errors.is_empty() {
                    return false;
                }
            } else {
                self.back();
            }
        }
        true
    }

    fn back(&mut self) {
        let Some(node) = self.nodes.pop() else { return };
        // Nothing was gone on with: the run ends here.
        let ends = node.runs == 0;
        if ends {
            self.runs += 1;
            self.watch.progress(&self.worker.part.out);
        }
        if let Some(parent) = self.nodes.last_mut() {
            parent.runs += node.runs + u64::from(ends);
        }
        self.worker
            .history
            .truncate(self.nodes.len().saturating_sub(1));
    }

    /// Takes a step, and finds out what can come next. False if there is nothing more to be had.
    fn visit(&mut self, order: Option<Order>) -> bool {
        let worker = &mut *self.worker;
        let given = worker.history.len();
        let length = given + usize::from(order.is_some());
        worker.stop_at = Some(length as u32);
        let Some(status) = worker.repeat(order) else {
            return false;
        };
        if let Some(step) = worker.event(given).filter(|_| order.is_some()) {
            if step.chose {
                worker.limit("a step with alternatives inside an atomic region".into());
            }
            let look = worker
                .history
                .look(step.thread, &step.accesses, step.fences);
            worker.note_memory(&step, &look);
            worker.history.push(step, look);
            worker.part.out.steps += 1;
        }
        worker.part.out.depth = worker.part.out.depth.max(length);
        worker.note_errors(status);
        worker.note_shown();
        if worker.grown() && (worker.settings.keep_going || worker.part.out.errors.is_empty()) {
            worker.part.grown = true;
            return false;
        }
        let goes_on = status == shared::STEP_LIMIT;
        let pending = self.pending();
        let thread = order.map(|o| usize::from(o.thread));
        let local = thread.and_then(|t| pending.get(t)).map_or(0, |p| p.local);
        let mut node = StackEntry {
            open: Vec::new(),
            runs: 0,
            begun: Rc::default(),
            local,
        };
        let follows = goes_on && thread.is_some_and(|t| self.extends(t, &pending));
        if !follows && self.filters.not_seen_before && !self.is_new() {
            // Another thread goes on from here, as if the step had not been taken.
            self.worker.history.truncate(given);
            return true;
        }
        if !goes_on {
            self.worker.count(status);
            if status == shared::REFUSED {
                return false;
            }
        } else if thread.is_some_and(|t| self.cycle(t, local)) {
            // What comes next comes next without the cycle, too.
        } else if self.filters.depth.is_some_and(|d| length >= d as usize) {
            let depth = length;
            self.worker.part.out.cut += 1;
            self.worker
                .limit(format!("executions of at most {depth} steps (--depth)"));
        } else if length >= self.worker.settings.steps as usize {
            // Most likely it never ends, and so do those that come next.
            self.worker.part.out.cut += 1;
            self.worker.limit(format!(
                "{length} steps in one execution (--depth bounds all)"
            ));
            return false;
        } else if let (true, Some(thread), Some(top)) = (follows, thread, self.nodes.last()) {
            node.begun = Rc::clone(&top.begun);
            if let Some(step) = node.begun.borrow_mut().get_mut(thread) {
                step.inside.append(&mut step.last);
                step.last.clone_from(&pending[thread].accesses);
            }
            node.open.push(Order {
                thread: thread as u16,
                choice: 0,
            });
        } else {
            let mut next: Vec<_> = pending
                .iter()
                .enumerate()
                .filter(|(_, p)| p.enabled)
                .collect();
            // In the thesis, to begin and to end is no step. No thread can tell when it happens, so it comes at once.
            let ends = |p: &Pending| matches!(p.kind, Kind::Start | Kind::Exit);
            if let Some(&first) = next.iter().find(|(_, p)| ends(p)) {
                next = vec![first];
            }
            for (t, p) in next.into_iter().rev() {
                let orders = (0..p.choices).rev().map(|choice| Order {
                    thread: t as u16,
                    choice,
                });
                node.open.extend(orders);
            }
            let steps = pending.into_iter().map(|p| SuperStep {
                inside: Vec::new(),
                last: p.accesses,
                region: p.region,
            });
            node.begun = Rc::new(RefCell::new(steps.collect()));
        }
        self.nodes.push(node);
        true
    }

    /// All threads, as they stand at the end of what was run.
    fn pending(&self) -> Vec<Pending> {
        let shared = self.worker.process.shared();
        let threads = (shared.threads as usize).min(shared::MAX_THREADS);
        let at = |(i, last): (usize, &shared::Last)| {
            let from = last.first as usize;
            let accesses = shared.access.get(from..from + last.accesses as usize);
            Pending {
                kind: last.kind(),
                enabled: shared.can[i / 64] >> (i % 64) & 1 == 1,
                choices: last.choices,
                region: last.region != 0,
                accesses: accesses.unwrap_or(&[]).to_vec(),
                local: last.local,
            }
        };
        shared.last[..threads].iter().enumerate().map(at).collect()
    }

    /// Whether the super step of a thread goes on.
    fn extends(&self, thread: usize, pending: &[Pending]) -> bool {
        let (Some(top), Some(next)) = (self.nodes.last(), pending.get(thread)) else {
            return false;
        };
        let alone = |s: &Step| matches!(s.kind, Kind::Create | Kind::Start);
        let alone = self.last().is_some_and(alone);
        if !self.filters.super_step || !next.enabled || next.choices > 1 || alone {
            return false;
        }
        let begun = top.begun.borrow();
        let Some(own) = begun.get(thread) else {
            return false;
        };
        let mut others = begun.iter().enumerate().filter(|(t, _)| *t != thread);
        !own.region
            && !next.region
            && others.all(|(_, other)| {
                let meets = dependent(&own.last, &other.last);
                !other.region && !meets && !dependent(&next.accesses, &other.inside)
            })
    }

    fn last(&self) -> Option<&Step> {
        self.worker.history.steps.last()
    }

    /// Whether the thread of the last step was in its present local state before, has changed nothing since, and no
    /// other step depends on what it did (algorithm 5).
    fn cycle(&self, thread: usize, local: u64) -> bool {
        let steps = &self.worker.history.steps;
        if !self.filters.local_cycles || steps.is_empty() {
            return false;
        }
        let (mut own, mut others): (Vec<Access>, Vec<Access>) = Default::default();
        for at in (1..steps.len()).rev() {
            let step = &steps[at];
            let mine = usize::from(step.thread) == thread;
            let changes = |a: &Access| a.mode != MODE_READ && !shared::own_stack(thread, a.key);
            let conflicts = dependent(&step.accesses, if mine { &others } else { &own });
            if mine && step.accesses.iter().any(changes) || conflicts {
                return false;
            }
            // The node before this step.
            let led = usize::from(steps[at - 1].thread) == thread;
            if led && self.nodes.get(at).is_some_and(|n| n.local == local) {
                return true;
            }
            if mine { &mut own } else { &mut others }.extend_from_slice(&step.accesses);
        }
        false
    }

    /// Whether no equivalent beginning was met.
    fn is_new(&mut self) -> bool {
        let history = &self.worker.history;
        let threads = history.steps.iter().map(|s| s.thread + 1).max();
        let (mut key, mut chosen) = (Vec::new(), Vec::new());
        for thread in 0..threads.unwrap_or(0) {
            let mut before: &[u32] = &[];
            for &i in history.of(thread) {
                // What is known of the thread's last step is left out.
                let clock = history.clock(i as usize);
                let news = clock.iter().enumerate().filter(|&(t, &n)| {
                    t != usize::from(thread) && n > before.get(t).copied().unwrap_or(0)
                });
                let head = key.len();
                let step = &history.steps[i as usize];
                // The last thread to come to a barrier chooses for all.
                let common = step.kind == Kind::Arrive && step.choice > 0;
                if let Some(met) = step.accesses.last().filter(|_| common) {
                    let (low, high) = (met.key as u32, (met.key >> 32) as u32);
                    chosen.push([high, low, step.choice.into()]);
                }
                key.push(if common { 0 } else { step.choice.into() });
                for (t, &n) in news {
                    key.extend([t as u32, n]);
                }
                key[head] |= ((key.len() - head) as u32) << 16;
                before = clock;
            }
            key.push(u32::MAX);
        }
        chosen.sort_unstable();
        key.extend(chosen.into_iter().flatten());
        if self.kept + key.len() > MOST {
            self.worker
                .limit("memory for beginnings of executions".into());
            return true;
        }
        self.kept += key.len();
        self.seen.insert(key.into())
    }
}
