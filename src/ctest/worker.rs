//! Depth-first exploration below some given steps: optimal dynamic partial order reduction with wakeup trees and
//! sleep sets (Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order Reduction", POPL 2014, Algorithm 2),
//! with source sets only (Algorithm 1) where not all is known that it needs (`docs/soundness.md`, "Who is settled").
//!
//! Where this differs: races are looked for also for the steps that threads had announced and could not take; a race
//! whose reversal a sleeping thread could begin is dropped for good, another one is looked at again with each end that
//! the execution has; a step may have several alternatives (who is woken, what is chosen), which are taken one after
//! the other and sleep together; ways that have to be tried at the given steps are reported, not explored; so is the
//! work that is left when the budget is used up (`explore.rs` hands it out again).

use super::explore::{Exploration, FEW, MOST_CUT, Settings};
use super::history::{Clock, History, Late, Step};
use super::hunt::Priorities;
use super::node::{Node, Rest, Reversal, Way, has};
use super::process::{Process, Promise, Silence};
use super::shared::{self, ALL, Access, Kind, Order, Sleeper, disturbs};
use super::stacks::{self, Place};
use rustc_hash::FxHashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

/// What is to be explored: all that follows after some steps.
#[derive(Default)]
pub struct Item {
    /// The steps.
    pub prefix: Vec<Step>,
    /// The decisions at these steps, and the one that `branch` is another way from.
    pub above: Vec<Arc<Node>>,
    /// What of these steps comes late, and need not be settled.
    pub late: Vec<Late>,
    /// The one after them; without it, all is to be explored.
    pub branch: Option<Order>,
    /// What is to be taken behind that one.
    pub then: Vec<Way>,
    /// Who need not be tried instead of it.
    pub rests: Vec<Rest>,
    /// Preemptions before it.
    pub preemptions: u32,
    /// Most executions.
    pub budget: u64,
    /// More of them, if they have no more steps than that.
    pub steps: u64,
}

/// What is known already, and need not be told again.
#[derive(Clone, Default)]
pub struct Known {
    /// The places of data races.
    pub races: FxHashSet<[u64; 2]>,
    /// Errors.
    pub errors: FxHashSet<super::findings::ErrorKey>,
    /// Which thread is which.
    pub names: Vec<[u16; 2]>,
    /// What invariants read.
    pub promises: Vec<Promise>,
    /// Where threads let others look on their stacks.
    pub shown: Vec<Place>,
    /// Whether each execution needs a process.
    pub fork: bool,
}

/// Of longer executions only what is between two steps that race is looked at: all that follows would be looked at
/// again with each end that it has.
pub const MOST_WHOLE: usize = 300;

/// What a step costs where each execution needs a process, compared with others.
const FORK: u64 = 16;

/// What is to be tried at which of the given steps.
pub type Wanted = (usize, Reversal);

/// What came of it.
pub struct Part {
    /// What was found.
    pub out: Exploration,
    /// The step that was `branch`.
    pub branch: Option<Step>,
    /// What is to be tried at the given steps.
    pub wanted: Vec<Wanted>,
    /// What is left: the decisions after `branch`, and the steps that lead from one to the next.
    pub left: (Vec<Node>, Vec<Step>),
    /// Which of these steps, and `branch`, come late, and need not be settled.
    pub late: Vec<Late>,
    /// Which thread is which.
    pub names: Vec<[u16; 2]>,
    /// What invariants read.
    pub promises: Vec<Promise>,
    /// Where threads let others look on their stacks, if that was not known.
    pub shown: Vec<Place>,
    /// Whether that is more than was known: all has to be explored anew.
    pub grown: bool,
    /// Whether each execution needs a process.
    pub fork: bool,
    /// Nothing more can be explored at all.
    pub over: bool,
}

impl Part {
    /// As if nothing had been explored.
    pub fn nothing(of: &Part) -> Part {
        Part {
            out: Exploration::default(),
            branch: None,
            wanted: Vec::new(),
            left: (Vec::new(), Vec::new()),
            late: Vec::new(),
            names: Vec::new(),
            promises: Vec::new(),
            shown: Vec::new(),
            grown: false,
            fork: of.fork,
            over: false,
        }
    }
}

/// An exploration under way.
pub struct Worker<'a> {
    pub(super) process: &'a mut Process,
    pub(super) settings: &'a Settings,
    pub(super) stop: &'a dyn Fn() -> bool,
    pub(super) known: &'a Known,
    item: &'a Item,
    pub(super) history: History,
    /// With how many steps an execution is left, for filters.
    pub(super) stop_at: Option<u32>,
    /// By which priorities threads go on, where they are random.
    pub(super) hunt: Option<Priorities>,
    nodes: Vec<Node>,
    /// How many steps the present execution was given.
    given: usize,
    /// What is to be taken next.
    tree: Vec<Way>,
    /// The steps that come late, and need not be settled by what has been tried.
    late: Vec<Late>,
    /// The step that belongs to the first node.
    base: usize,
    pub(super) seen_races: FxHashSet<[u64; 2]>,
    pub(super) seen_errors: FxHashSet<super::findings::ErrorKey>,
    wanted: FxHashSet<Wanted>,
    pub(super) part: Part,
}

/// Whether an answer can be one at all.
fn sane(shared: &shared::Shared, from: usize) -> bool {
    let within = |first: u32, n: u32| first as usize + n as usize <= shared::MAX_ACCESSES;
    let events = shared.events as usize;
    let threads = shared.threads as usize;
    events <= shared::MAX_STEPS
        && threads <= shared::MAX_THREADS
        && shared.event[from.min(events)..events].iter().all(|e| {
            usize::from(e.thread) < shared::MAX_THREADS
                && within(e.first, e.accesses)
                && Kind::numbered(e.kind).is_some()
        })
        && shared.last[..threads]
            .iter()
            .all(|l| within(l.first, l.accesses) && Kind::numbered(l.kind).is_some())
        && shared.accesses as usize <= shared::MAX_ACCESSES
        && shared.access[..shared.accesses as usize]
            .iter()
            .all(|a| a.key.checked_add(a.size.into()).is_some() && a.mode <= shared::MODE_ADD_OTHER)
}

/// Explores `item`.
pub fn explore(
    process: &mut Process,
    settings: &Settings,
    item: &Item,
    known: &Known,
    stop: &dyn Fn() -> bool,
) -> Part {
    let mut worker = Worker::new(process, settings, item, known, stop);
    for step in &item.prefix {
        let look = worker
            .history
            .look(step.thread, &step.accesses, step.fences);
        worker.history.push(step.clone(), look);
    }
    worker.run();
    let edges = worker.history.steps.get(worker.base..);
    let edges = edges.unwrap_or(&[]).to_vec();
    worker.part.left = (std::mem::take(&mut worker.nodes), edges);
    let (given, late) = (item.prefix.len(), std::mem::take(&mut worker.late));
    worker.part.late = late.into_iter().filter(|l| l.at >= given).collect();
    worker.done()
}

impl<'a> Worker<'a> {
    /// Before the first execution.
    pub(super) fn new(
        process: &'a mut Process,
        settings: &'a Settings,
        item: &'a Item,
        known: &'a Known,
        stop: &'a dyn Fn() -> bool,
    ) -> Worker<'a> {
        process.set_names(&known.names);
        process.set_promises(&known.promises);
        Worker {
            process,
            settings,
            stop,
            known,
            item,
            history: History::default(),
            stop_at: None,
            hunt: None,
            nodes: Vec::new(),
            given: 0,
            tree: Vec::new(),
            late: item.late.clone(),
            base: item.prefix.len() + usize::from(item.branch.is_some()),
            seen_races: FxHashSet::default(),
            seen_errors: FxHashSet::default(),
            wanted: FxHashSet::default(),
            part: Part {
                out: Exploration::default(),
                branch: None,
                wanted: Vec::new(),
                left: (Vec::new(), Vec::new()),
                late: Vec::new(),
                names: Vec::new(),
                promises: Vec::new(),
                shown: Vec::new(),
                grown: false,
                fork: known.fork,
                over: false,
            },
        }
    }

    /// After the last.
    pub(super) fn done(mut self) -> Part {
        self.part.names = self.process.names();
        self.part.promises = self.process.promises();
        self.part
    }
}

impl Worker<'_> {
    pub(super) fn limit(&mut self, what: String) {
        if !self.part.out.limits.contains(&what) {
            self.part.out.limits.push(what);
        }
    }

    fn run(&mut self) {
        let mut branch = self.item.branch;
        let most = self.settings.executions.max(self.item.budget);
        for n in 0..most {
            // A process for each execution costs more than its steps.
            let cost = if self.part.fork { FORK } else { 1 };
            let out = &self.part.out;
            let more = out.steps * cost < self.item.steps && out.depth <= MOST_WHOLE;
            if n >= self.item.budget && !more {
                return;
            }
            if (self.stop)() || !self.execute(branch) {
                self.part.over = true;
                return;
            }
            let error = !self.part.out.errors.is_empty();
            if self.grown() && (self.settings.keep_going || !error) {
                self.part.grown = true;
                return;
            }
            let crowded = self.part.out.crowded && self.settings.threads > FEW;
            if crowded || error && !self.settings.keep_going || self.part.out.cut >= MOST_CUT {
                return;
            }
            branch = self.back();
            if branch.is_none() {
                return;
            }
        }
    }

    /// Goes back to the last step that has another way left, and says which. The step itself is taken back.
    fn back(&mut self) -> Option<Order> {
        loop {
            let node = self.nodes.last_mut()?;
            let next = node.next(self.settings.preemptions);
            let steps = self.base + self.nodes.len() - 1;
            self.history.truncate(steps);
            self.late.retain(|late| late.at < steps);
            if next.is_some() {
                return next;
            }
            self.part.out.bounded += self.nodes.pop().map_or(0, |node| node.excluded());
        }
    }

    /// Makes one execution: the steps of the history, `branch`, and all that follows. False if nothing is left to
    /// explore.
    fn execute(&mut self, branch: Option<Order>) -> bool {
        let given = self.history.len();
        self.given = given;
        self.tree = match (branch, self.nodes.last()) {
            (Some(branch), Some(node)) => node.then(branch.thread),
            _ => self.item.then.clone(),
        };
        let Some(status) = self.repeat(branch) else {
            return false;
        };
        let events = self.process.shared().events as usize;
        self.part.out.steps += events as u64;
        self.part.out.depth = self.part.out.depth.max(events);
        for i in given..events {
            if let Some(step) = self.event(i) {
                let late = self.append(step);
                self.late.extend(late);
            }
        }
        self.reverse_all(status);
        if status != shared::RUNNING {
            self.pending(status);
        }
        self.note_shown();
        if matches!(status, shared::ASLEEP | shared::ASSUMED) {
            self.part.out.calls.skip(given);
        } else if self.settings.movers {
            let shared = self.process.shared();
            let marks = (shared.marks as usize).min(shared::MAX_MARKS);
            let marks = &shared.mark[..marks];
            self.part.out.calls.execution(&self.history, given, marks);
        }
        self.note_claims(status);
        self.count(status);
        self.note_errors(status);
        status != shared::REFUSED
    }

    /// Counts an execution that ended so.
    pub(super) fn count(&mut self, status: u32) {
        let shared = self.process.shared();
        let (error, spun) = (shared.erred(), shared.spun != 0);
        let message = String::from_utf8_lossy(shared.halt.text()).into_owned();
        let pc = shared.halt.pc;
        match status {
            shared::ASLEEP => self.part.out.redundant += 1,
            shared::ASSUMED if !error => self.part.out.assumed += 1,
            shared::STEP_LIMIT => {
                self.part.out.cut += 1;
                self.limit(format!("{} steps in one execution", self.settings.steps));
            }
            shared::THREAD_LIMIT => {
                // Everything but the creation was explored: nothing of it is cut off.
                self.part.out.executions += 1;
                self.part.out.crowded = true;
            }
            shared::REFUSED => {
                self.part.out.cut += 1;
                self.limit(format!("the program calls {message}"));
                self.part.out.refused = Some((message, pc));
            }
            shared::RUNTIME_LIMIT => {
                self.part.out.cut += 1;
                self.limit(message);
            }
            shared::WATCHDOG => {
                self.part.out.cut += 1;
                self.note_endless();
            }
            _ => {
                self.part.out.executions += 1;
                self.part.out.waited += u64::from(spun);
                self.note_left(status);
                if self.settings.exhaustive {
                    let class = self.class();
                    self.part.out.classes.insert(class);
                }
            }
        }
    }

    /// Repeats the steps of the history and `branch`; says how the execution ended, if it did.
    pub(super) fn repeat(&mut self, branch: Option<Order>) -> Option<u32> {
        let given = self.history.len();
        let prefix = given + usize::from(branch.is_some());
        if !self.request(branch) {
            return None;
        }
        let shared = self.process.shared();
        if !sane(shared, given) {
            // The program can write anywhere, and did so here.
            self.limit("the program has overwritten what the runtime keeps".into());
            return None;
        }
        self.part.out.sampled |= shared.sampled;
        self.part.out.threads = self.part.out.threads.max(shared.threads as usize);
        if self.diverged(prefix) {
            // What a run of this process leaves behind may be the reason: try again with one process for each.
            if !self.part.fork {
                self.part.fork = true;
                self.process.restart().ok()?;
                return self.repeat(branch);
            }
            self.limit("the program does not do the same when it is run again".into());
            return None;
        }
        Some(shared.status)
    }

    /// A step of the present execution.
    pub(super) fn event(&self, i: usize) -> Option<Step> {
        let shared = self.process.shared();
        let event = shared.event[..shared.events as usize].get(i)?;
        let from = event.first as usize;
        let accesses = shared.access.get(from..from + event.accesses as usize);
        Some(Step::new(event, accesses.unwrap_or(&[])))
    }

    /// Notes where threads let others look on their stacks in the present execution, if that was not known.
    pub(super) fn note_shown(&mut self) {
        let shared = self.process.shared();
        let waited = shared.spun != 0;
        let hidden = &shared.hidden_place[..(shared.hidden as usize).min(shared::MAX_HIDDEN)];
        if waited || !hidden.is_empty() {
            let steps = &self.history.steps;
            self.part.shown = stacks::shown(steps, hidden, waited, &self.known.shown);
        }
    }

    /// Whether an invariant has read what was not known to matter, or a thread lets others look on its stack.
    pub(super) fn grown(&self) -> bool {
        let shared = self.process.shared();
        if !self.part.shown.is_empty() {
            return true;
        }
        let cells = self.known.promises.iter().map(|p| p.cells.len());
        (shared.invariants as usize, shared.cells as usize)
            != (self.known.promises.len(), cells.sum())
    }

    /// Writes the request and waits for the answer, once more with a new process if the old one ended.
    fn request(&mut self, branch: Option<Order>) -> bool {
        for attempt in 0..2 {
            self.write_request(branch);
            let patience = self.settings.patience * 4 + Duration::from_secs(5);
            match self.process.answer(patience, self.stop) {
                Ok(()) => return true,
                Err(Silence::Stopped) => return false,
                Err(Silence::Hangs) => {
                    self.limit("the program waits for something outside".into());
                    return false;
                }
                Err(Silence::Gone(error)) => {
                    if attempt == 1 || self.process.restart().is_err() {
                        self.limit(format!("the program's process ended ({error})"));
                        return false;
                    }
                }
            }
        }
        false
    }

    fn write_request(&mut self, branch: Option<Order>) {
        let order = |step: &Step| Order {
            thread: step.thread,
            choice: step.choice,
        };
        let shared = self.process.shared_mut();
        let mut n = 0;
        for step in self.history.steps.iter().map(order).chain(branch) {
            shared.order[n] = step;
            n += 1;
        }
        shared.prefix = n as u32;
        let guide = Way::guide(&self.tree);
        for (order, &thread) in shared.order[n..].iter_mut().zip(&guide) {
            *order = Order { thread, choice: 0 };
        }
        shared.guide = guide.len().min(shared.order.len() - n) as u32;
        shared.max_steps = self.stop_at.unwrap_or(self.settings.steps);
        shared.local_states = self.stop_at.is_some().into();
        shared.mark_calls = self.settings.movers.into();
        shared.tell = 0;
        shared.hunt = 0;
        shared.stop_at = 0;
        self.settings.extras.request(shared);
        if let Some(hunt) = &self.hunt {
            hunt.request(shared);
        }
        shared.loose = 0;
        shared.passes = u32::from(self.settings.keep_going) * u32::MAX;
        shared.patience = self.settings.patience.as_millis() as u32;
        shared.memory = self.settings.memory;
        shared.eager = (!self.settings.exhaustive).into();
        shared.max_threads = self.settings.threads;
        shared.reset = (!self.part.fork).into();
        shared.show = 0;
        shared.sleepers = 0;
        shared.shown = self.known.shown.len().min(shared::MAX_SHOWN) as u32;
        for (place, known) in shared.place.iter_mut().zip(&self.known.shown) {
            *place = [known.0, known.1.into()];
        }
        if self.settings.exhaustive {
            return;
        }
        if let Some(branch) = branch {
            let given = &self.item.rests;
            let rests: Vec<&Rest> = match self.nodes.last() {
                Some(node) => node.rests().collect(),
                None => given.iter().collect(),
            };
            shared.sleep_from = n as u32 - 1;
            let mut first = 0;
            let mut count = 0;
            for rest in rests {
                let accesses = &rest.accesses;
                let room = shared.asleep.len() - first;
                if rest.thread == branch.thread || accesses.len() > room {
                    continue;
                }
                let Some(sleeper) = shared.sleeper.get_mut(count) else {
                    break;
                };
                shared.asleep[first..first + accesses.len()].copy_from_slice(accesses);
                *sleeper = Sleeper {
                    thread: rest.thread,
                    choice: rest.choice,
                    next: rest.next,
                    first: first as u32,
                    accesses: accesses.len() as u32,
                };
                first += accesses.len();
                count += 1;
            }
            shared.sleepers = count as u32;
        }
    }

    /// Whether the program did not repeat the given steps.
    fn diverged(&self, prefix: usize) -> bool {
        let shared = self.process.shared();
        if shared.status == shared::DIVERGED {
            return true;
        }
        let repeated = self.history.steps.iter().zip(&shared.event);
        let same = repeated
            .take((shared.events as usize).min(prefix))
            .all(|(step, event)| {
                (step.thread, step.kind, step.pc, step.addr, step.size)
                    == (event.thread, event.kind(), event.pc, event.addr, event.size)
                    && step.value == event.value
            });
        !same || (shared.events as usize) < prefix
    }

    /// A new step at the end; says which earlier ones it races with.
    fn append(&mut self, mut step: Step) -> Option<Late> {
        let at = self.history.len();
        let own = at.checked_sub(self.base);
        let new = own.filter(|n| *n >= self.nodes.len());
        let mut new = new.map(|_| self.node(&step));
        if let Some(node) = new.as_mut().filter(|_| self.settings.exhaustive) {
            node.sleep.clear();
            node.try_all();
        }
        if !self.settings.exhaustive {
            let of = |rests: &mut dyn Iterator<Item = &Rest>| -> Vec<Access> {
                rests.flat_map(|r| step.forgoes(r)).collect()
            };
            step.forgone = match (&new, own.and_then(|n| self.nodes.get(n))) {
                (Some(node), _) | (_, Some(node)) => of(&mut node.rests()),
                _ if at + 1 == self.base => of(&mut self.item.rests.iter()),
                _ => Vec::new(),
            };
        }
        let mut look = self.history.look(step.thread, &step.accesses, step.fences);
        self.note_memory(&step, &look);
        let races = std::mem::take(&mut look.races);
        let late = (!self.settings.exhaustive && !races.is_empty()).then(|| Late {
            step: Rest::new(&step),
            at,
            before: look.before.clone(),
            races: races.into_iter().map(|i| (i, Vec::new())).collect(),
        });
        if at < self.base {
            self.part.branch = Some(step.clone());
        } else if let Some(node) = new {
            self.nodes.push(node);
        } else if let Some(node) = self.nodes.get_mut(at - self.base) {
            // Another way from a step that is known: what it sleeps on stays.
            node.took(&step);
        }
        self.history.push(step, look);
        late
    }

    /// The decision that is made with a step. As long as that follows what was prescribed, all that was found where
    /// sleepers were tried is among the ways to be taken.
    fn node(&mut self, step: &Step) -> Node {
        let mut ways = std::mem::take(&mut self.tree);
        let possible = ways.iter().all(|way| has(&step.enabled, way.thread));
        let follows = ways.first().is_some_and(|way| way.thread == step.thread);
        if follows {
            self.tree = ways.remove(0).then;
        }
        let follows = follows && possible;
        let Some(before) = self.history.steps.last() else {
            return Node::new(step, ways, Vec::new(), None, 0);
        };
        let parent = self.nodes.last();
        let earlier = self.history.len().checked_sub(2);
        let earlier = earlier.map(|e| self.history.steps[e].thread);
        let preempted = earlier.is_some_and(|e| e != before.thread && has(&before.enabled, e));
        let preemptions = parent.map_or(self.item.preemptions, |p| p.preemptions);
        let rests = parent.map_or_else(|| self.item.rests.clone(), |p| p.resting(true));
        let awake =
            |r: &Rest| r.thread != before.thread && !disturbs(&before.accesses, &r.accesses);
        let sleep = rests.into_iter().filter(awake).map(|r| Rest {
            settled: r.settled && follows,
            ..r
        });
        let preemptions = preemptions + u32::from(preempted);
        let previous = Some(before.thread);
        let mut node = Node::new(step, ways, sleep.collect(), previous, preemptions);
        if !possible {
            // What was prescribed does not happen. It must not be left out in any case.
            node.try_all();
        }
        node
    }

    /// The steps that threads could not take: what they wait for may have been taken from them. Where all is left to
    /// sleepers, what these would do was taken elsewhere, but no other place handles those that wait.
    fn pending(&mut self, status: u32) {
        if self.settings.exhaustive {
            return;
        }
        let shared = self.process.shared();
        let threads = (shared.threads as usize).min(shared::MAX_THREADS);
        let sleeps = |i| status == shared::ASLEEP && has(&shared.can, i as u16);
        let mut waiting = Vec::new();
        for (i, last) in shared.last[..threads].iter().enumerate() {
            if last.ended == 0 && last.accesses > 0 && !sleeps(i) {
                let from = last.first as usize;
                let accesses: Arc<[Access]> =
                    shared.access[from..from + last.accesses as usize].into();
                waiting.push((i as u16, accesses));
            }
        }
        let at = self.history.len();
        for (thread, accesses) in waiting {
            let look = self.history.look(thread, &accesses, 0);
            let step = Rest {
                thread,
                choice: 0,
                next: ALL,
                accesses,
                settled: true,
            };
            let mut late = Late {
                step,
                at,
                before: look.before,
                races: look.races.into_iter().map(|i| (i, Vec::new())).collect(),
            };
            self.reverse(&mut late, false);
        }
    }

    /// Has executions explored in which steps come before those that they race with.
    fn reverse_all(&mut self, status: u32) {
        // Who has not gone on to the end may still do what comes between the reversed step and one that could begin.
        let ended = [shared::COMPLETE, shared::DEADLOCK, shared::LIVELOCK];
        let whole = ended.contains(&status) && self.history.len() <= MOST_WHOLE;
        for mut late in std::mem::take(&mut self.late) {
            self.reverse(&mut late, whole);
            if !late.races.is_empty() {
                self.late.push(late);
            }
        }
    }

    /// Has executions explored in which a step comes before those that it races with; keeps the races for which another
    /// end of the execution may ask for more. `whole` says whether the present one has come to its end.
    fn reverse(&mut self, late: &mut Late, whole: bool) {
        let object = |a: &&Access| a.flags & shared::ORDER == 0;
        // Of one that accesses several things it is not known what it accesses earlier.
        let whole = whole && late.step.accesses.iter().filter(object).count() <= 1;
        let races = std::mem::take(&mut late.races);
        for (i, mut initials) in races {
            let at = i as usize;
            // What lost something to a sleeping step does not have it happen before.
            let whole = whole && self.history.covers(self.history.clock(late.at), at);
            if initials.is_empty() {
                initials = self.history.initials(at, late);
            }
            let given = self.item.above.get(at);
            let node = given.map_or_else(|| &self.nodes[at - self.base], |node| &**node);
            if node.settles(&initials) {
                continue;
            }
            if whole {
                late.races.push((i, initials.clone()));
            }
            let reversal = self.history.reversal(at, late, initials, whole);
            if given.is_none() {
                let new = self.nodes[at - self.base].want(&reversal, true);
                self.part.out.spared += u64::from(!new && late.at >= self.given);
            } else {
                // What is done about it depends on what others have found.
                let wanted = (at, reversal);
                if self.wanted.insert(wanted.clone()) {
                    self.part.wanted.push(wanted);
                }
            }
        }
    }

    /// A number for the class of the present execution: its steps, each with what happens before it.
    fn class(&self) -> u64 {
        (0..self.history.len()).fold(0, |sum: u64, i| {
            let step = &self.history.steps[i];
            let clock: &Clock = self.history.clock(i);
            // Sums of weaker hashes meet where two steps have changed roles.
            let mut hasher = DefaultHasher::new();
            let end = clock.iter().rposition(|&n| n > 0).map_or(0, |n| n + 1);
            // The last thread to come to a barrier chooses for all.
            let common = if step.kind == Kind::Arrive {
                step.choice
            } else {
                0
            };
            let choice = step.choice - common;
            (step.thread, step.kind, choice, &clock[..end]).hash(&mut hasher);
            let mut chosen = DefaultHasher::new();
            if common > 0 {
                (step.addr, common, step.accesses.last().map(|a| a.key)).hash(&mut chosen);
            }
            sum.wrapping_add(hasher.finish())
                .wrapping_add(chosen.finish())
        })
    }
}
