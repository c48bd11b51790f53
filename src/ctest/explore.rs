//! Depth-first exploration of all executions up to equivalence: source-set dynamic partial order reduction with sleep sets
//! (Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order Reduction", POPL 2014, Algorithm 1).
//!
//! Where this differs: races are looked for when an execution has ended, for its new steps and also for the steps that its
//! threads had announced and could not take; a race whose reversal a sleeping thread could begin is dropped; a step may have several
//! alternatives (who is woken, what is chosen), which are taken one after the other and sleep together.

use super::history::{Clock, History, Look, Step};
use super::process::{Process, Silence};
use super::shared::{self, Access, Kind, Last, Order, SET_WORDS, Sleeper, Threads, dependent};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::time::Duration;

/// What to do, and for how long.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Go on after an error, to find all of them.
    pub keep_going: bool,
    /// Every interleaving: no reduction at all.
    pub exhaustive: bool,
    /// Most preemptions of an execution.
    pub preemptions: Option<u32>,
    /// Most executions.
    pub executions: u64,
    /// Most steps of one execution.
    pub steps: u32,
    /// Most bytes that the program allocates.
    pub memory: u64,
    /// Processor time for which a thread may compute without a step.
    pub patience: Duration,
    /// Whether the program keeps all its state in memory.
    pub reset: bool,
}

/// An error that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What kind of error.
    pub kind: &'static str,
    /// What the program says of it.
    pub message: String,
    /// Whose, if it is one thread's.
    pub thread: Option<u16>,
    /// Where.
    pub pc: u64,
    /// The address that it is about.
    pub addr: u64,
    /// The execution.
    pub steps: Vec<Step>,
    /// Where the threads were at its end.
    pub last: Vec<Last>,
}

/// Two accesses that nothing orders, one of them a plain write.
#[derive(Clone, Debug)]
pub struct DataRace {
    /// Both places, with the threads.
    pub places: [(u16, u64, Kind); 2],
    /// The address.
    pub addr: u64,
    /// An execution that ends with the two.
    pub steps: Vec<Step>,
}

/// What was explored.
#[derive(Debug, Default)]
pub struct Exploration {
    /// Executions that came to an end: all different, up to equivalence.
    pub executions: u64,
    /// Executions that were given up, since all that was left was known.
    pub redundant: u64,
    /// Executions in which an assumption failed.
    pub assumed: u64,
    /// Executions that ended at a limit.
    pub cut: u64,
    /// Alternatives that the bound on preemptions has excluded.
    pub bounded: u64,
    /// Different classes among the executions; counted with `exhaustive` only.
    pub classes: FxHashSet<u64>,
    /// Errors.
    pub errors: Vec<Found>,
    /// Data races, one of each pair of places.
    pub races: Vec<DataRace>,
    /// What has ended the exploration, or an execution, too early.
    pub limits: Vec<String>,
    /// Steps of all executions.
    pub steps: u64,
    /// Steps of the longest.
    pub depth: usize,
    /// Bits of what is only a sample.
    pub sampled: u32,
    /// Whether all was explored.
    pub finished: bool,
    /// The most threads of an execution.
    pub threads: usize,
}

/// What there is to decide at a step.
struct Node {
    sleep: Vec<Rest>,
    backtrack: Threads,
    done: Vec<Rest>,
    /// What the present thread has accessed, with all alternatives up to now.
    tried: Rc<[Access]>,
    preemptions: u32,
}

/// The address at which two steps meet; a step may have several accesses.
fn meeting(a: &Step, b: &Step) -> u64 {
    let pairs = a.accesses.iter().flat_map(|x| b.accesses.iter().map(move |y| (x, y)));
    let memory = |x: &Access| x.key & shared::OBJECT == 0;
    let found = pairs.into_iter().find(|(x, y)| memory(x) && shared::conflict(x, y));
    found.map_or(b.addr, |(x, y)| x.key.max(y.key))
}

/// A thread that need not be tried, until somebody does something that depends on its step.
type Rest = (u16, Rc<[Access]>);

fn has(set: &Threads, i: u16) -> bool {
    set[usize::from(i) / 64] >> (i % 64) & 1 == 1
}

fn put(set: &mut Threads, i: u16) {
    set[usize::from(i) / 64] |= 1 << (i % 64);
}

/// The threads of a set.
pub fn members(set: &Threads) -> impl Iterator<Item = u16> + '_ {
    (0..(SET_WORDS * 64) as u16).filter(|&i| has(set, i))
}

/// After so many executions that met a limit the exploration ends: most of them are the same again.
const MOST_CUT: u64 = 100;

/// Told now and then how far the exploration is; says whether to stop.
pub trait Watch {
    /// Called after each execution.
    fn progress(&self, exploration: &Exploration);
    /// Why to stop, if so.
    fn stop(&self) -> Option<String>;
}

/// An exploration under way.
pub struct Explorer<'a> {
    process: &'a mut Process,
    settings: &'a Settings,
    watch: &'a dyn Watch,
    history: History,
    nodes: Vec<Node>,
    seen_races: FxHashMap<[u64; 2], ()>,
    out: Exploration,
    fork: bool,
}

/// Explores a program.
pub fn explore(process: &mut Process, settings: &Settings, watch: &dyn Watch) -> Exploration {
    let mut explorer = Explorer {
        process,
        settings,
        watch,
        history: History::default(),
        nodes: Vec::new(),
        seen_races: FxHashMap::default(),
        out: Exploration::default(),
        fork: !settings.reset,
    };
    explorer.run();
    explorer.out
}

/// Whether an answer can be one at all.
fn sane(shared: &shared::Shared, from: usize) -> bool {
    let within = |first: u32, n: u32| first as usize + n as usize <= shared::MAX_ACCESSES;
    let events = shared.events as usize;
    let threads = shared.threads as usize;
    events <= shared::MAX_STEPS
        && threads <= shared::MAX_THREADS
        && shared.event[from.min(events)..events]
            .iter()
            .all(|e| usize::from(e.thread) < shared::MAX_THREADS && within(e.first, e.accesses))
        && shared.last[..threads]
            .iter()
            .all(|l| within(l.first, l.accesses))
        && shared.accesses as usize <= shared::MAX_ACCESSES
        && shared.access[..shared.accesses as usize]
            .iter()
            .all(|a| a.key.checked_add(a.size.into()).is_some() && a.mode <= shared::MODE_WRITE)
}

impl Explorer<'_> {
    fn limit(&mut self, what: String) {
        if !self.out.limits.contains(&what) {
            self.out.limits.push(what);
        }
    }

    fn run(&mut self) {
        let mut branch: Option<Order> = None;
        loop {
            if let Some(why) = self.watch.stop() {
                return self.limit(why);
            }
            let made = self.out.executions + self.out.redundant + self.out.assumed + self.out.cut;
            if made >= self.settings.executions {
                return self.limit(format!("{made} executions"));
            }
            if !self.execute(branch) {
                return;
            }
            self.watch.progress(&self.out);
            if !self.settings.keep_going && !self.out.errors.is_empty() {
                return;
            }
            if self.out.cut >= MOST_CUT {
                return self.limit(format!("{MOST_CUT} executions that were cut off"));
            }
            branch = self.back();
            if branch.is_none() {
                self.out.finished = true;
                return;
            }
        }
    }

    /// Goes back to the last step that has another way left, and says which. The step itself is taken back.
    fn back(&mut self) -> Option<Order> {
        loop {
            let at = self.nodes.len().checked_sub(1)?;
            let step = &self.history.steps[at];
            let (thread, choice, choices) = (step.thread, step.choice, step.choices);
            let enabled = step.enabled;
            let previous = at.checked_sub(1).map(|p| self.history.steps[p].thread);
            let node = &mut self.nodes[at];
            if choice + 1 < choices {
                self.history.truncate(at);
                return Some(Order {
                    thread,
                    choice: choice + 1,
                });
            }
            let tried = std::mem::replace(&mut node.tried, Rc::new([]));
            node.done.push((thread, tried));
            let rests = |t: u16| node.done.iter().chain(&node.sleep).any(|r| r.0 == t);
            let candidates: Vec<u16> = members(&node.backtrack).filter(|&t| !rests(t)).collect();
            let before = node.preemptions;
            let fits = |t: &u16| {
                let preempts = previous.is_some_and(|p| p != *t && has(&enabled, p));
                let most = self.settings.preemptions.unwrap_or(u32::MAX);
                before.saturating_add(preempts.into()) <= most
            };
            let next = candidates.iter().copied().find(fits);
            if next.is_none() {
                self.out.bounded += candidates.len() as u64;
            }
            self.history.truncate(at);
            if let Some(thread) = next {
                return Some(Order { thread, choice: 0 });
            }
            self.nodes.pop();
        }
    }

    /// Makes one execution: the steps of the history, `branch`, and what comes of it. False if there is nothing more to be had.
    fn execute(&mut self, branch: Option<Order>) -> bool {
        let given = self.history.len();
        let prefix = given + usize::from(branch.is_some());
        if !self.request(branch) {
            return false;
        }
        let shared = self.process.shared();
        let events = shared.events as usize;
        if !sane(shared, given) {
            // The program can write anywhere, and did so here.
            self.limit("the program has overwritten what the runtime keeps".into());
            return false;
        }
        self.out.sampled |= shared.sampled;
        self.out.threads = self.out.threads.max(shared.threads as usize);
        if self.diverged(prefix) {
            // What a run of this process leaves behind may be the reason: try again with one process for each.
            if !self.fork {
                self.fork = true;
                return self.process.restart().is_ok() && self.execute(branch);
            }
            self.limit("the program does not do the same when it is run again".into());
            return false;
        }
        let status = shared.status;
        self.out.steps += events as u64;
        self.out.depth = self.out.depth.max(events);
        let error = (shared.error != shared::NO_ERROR).then(|| self.error());
        for i in given..events {
            let shared = self.process.shared();
            let event = &shared.event[i];
            let from = event.first as usize;
            let accesses = shared.access.get(from..from + event.accesses as usize);
            let step = Step::new(event, accesses.unwrap_or(&[]));
            self.append(step);
        }
        if status != shared::ASLEEP && status != shared::RUNNING {
            self.pending();
        }
        let message = self.message();
        match status {
            shared::ASLEEP => self.out.redundant += 1,
            shared::ASSUMED if error.is_none() => self.out.assumed += 1,
            shared::STEP_LIMIT => {
                self.out.cut += 1;
                self.limit(format!("{} steps in one execution", self.settings.steps));
            }
            shared::RUNTIME_LIMIT => {
                self.out.cut += 1;
                self.limit(message);
            }
            shared::WATCHDOG => {
                self.out.cut += 1;
                self.limit(
                    "a thread computes for long without a step that others could see".into(),
                );
            }
            _ => {
                self.out.executions += 1;
                if self.settings.exhaustive {
                    let class = self.class();
                    self.out.classes.insert(class);
                }
            }
        }
        if let Some(error) = error {
            self.found(error);
        } else if matches!(status, shared::DEADLOCK | shared::LIVELOCK) {
            let error = self.error();
            self.found(error);
        }
        true
    }

    /// Writes the request and waits for the answer, once more with a new process if the old one ended.
    fn request(&mut self, branch: Option<Order>) -> bool {
        for attempt in 0..2 {
            self.write_request(branch);
            let watch = self.watch;
            let patience = self.settings.patience * 4 + Duration::from_secs(5);
            match self.process.answer(patience, &|| watch.stop().is_some()) {
                Ok(()) => return true,
                Err(Silence::Stopped) => {
                    let why = self.watch.stop().unwrap_or_default();
                    self.limit(why);
                    return false;
                }
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
        shared.max_steps = self.settings.steps;
        shared.loose = 0;
        shared.keep_going = self.settings.keep_going.into();
        shared.patience = self.settings.patience.as_millis() as u32;
        shared.memory = self.settings.memory;
        shared.reset = (!self.fork).into();
        shared.show = 0;
        shared.sleepers = 0;
        if self.settings.exhaustive {
            return;
        }
        if let (Some(branch), Some(node)) = (branch, self.nodes.last()) {
            shared.sleep_from = n as u32 - 1;
            let mut first = 0;
            let mut count = 0;
            for (thread, accesses) in node.sleep.iter().chain(&node.done) {
                let room = shared.asleep.len() - first;
                if *thread == branch.thread || accesses.len() > room {
                    continue;
                }
                shared.asleep[first..first + accesses.len()].copy_from_slice(accesses);
                shared.sleeper[count] = Sleeper {
                    thread: u32::from(*thread),
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
                    == (event.thread, event.kind, event.pc, event.addr, event.size)
            });
        !same || (shared.events as usize) < prefix
    }

    fn message(&self) -> String {
        let shared = self.process.shared();
        let n = (shared.message_len as usize).min(shared.message.len());
        String::from_utf8_lossy(&shared.message[..n]).into_owned()
    }

    /// The error that ended the present execution.
    fn error(&self) -> Found {
        let shared = self.process.shared();
        let code = shared.error as usize;
        let kind = match shared.status {
            _ if code != 0 => shared::ERRORS.get(code).copied().unwrap_or("crash"),
            shared::LIVELOCK => "livelock",
            _ => "deadlock",
        };
        Found {
            kind,
            message: self.message(),
            thread: (code != 0).then_some(shared.error_thread as u16),
            pc: if code != 0 { shared.error_pc } else { 0 },
            addr: if code != 0 { shared.error_addr } else { 0 },
            steps: Vec::new(),
            last: shared.last[..(shared.threads as usize).min(shared::MAX_THREADS)].to_vec(),
        }
    }

    fn found(&mut self, mut error: Found) {
        let stuck = |last: &[Last]| -> Vec<(Kind, u64)> {
            let open = last.iter().filter(|l| l.ended == 0);
            open.map(|l| (l.kind, l.pc)).collect()
        };
        let known = self.out.errors.iter().any(|old| {
            old.kind == error.kind
                && old.pc == error.pc
                && (error.thread.is_some() || stuck(&old.last) == stuck(&error.last))
        });
        if !known {
            error.steps = self.history.steps.clone();
            self.out.errors.push(error);
        }
    }

    /// A new step at the end.
    fn append(&mut self, step: Step) {
        let look = self.history.look(step.thread, &step.accesses);
        self.note_data_races(&step, &look);
        if !self.settings.exhaustive {
            for &i in &look.races {
                self.reverse(i as usize, step.thread, &step.accesses, &look);
            }
        }
        let at = self.history.len();
        if at < self.nodes.len() {
            // Another way from a step that is known: what it sleeps on stays.
            let node = &mut self.nodes[at];
            let mut tried = node.tried.to_vec();
            tried.extend_from_slice(&step.accesses);
            node.tried = tried.into();
        } else {
            let node = self.node(&step);
            self.nodes.push(node);
        }
        self.history.push(step, look);
    }

    fn node(&self, step: &Step) -> Node {
        let mut backtrack = [0; SET_WORDS];
        let mut sleep = Vec::new();
        let mut preemptions = 0;
        if self.settings.exhaustive {
            backtrack = step.enabled;
        } else {
            put(&mut backtrack, step.thread);
        }
        if let (Some(parent), Some(before)) = (self.nodes.last(), self.history.steps.last()) {
            preemptions = parent.preemptions;
            let earlier = self.history.len().checked_sub(2);
            if let Some(earlier) = earlier.map(|e| self.history.steps[e].thread) {
                let preempted = earlier != before.thread && has(&before.enabled, earlier);
                preemptions += u32::from(preempted);
            }
            if !self.settings.exhaustive {
                let rests = parent.sleep.iter().chain(&parent.done);
                sleep.extend(
                    rests
                        .filter(|r| r.0 != before.thread && !dependent(&r.1, &before.accesses))
                        .cloned(),
                );
            }
        }
        Node {
            sleep,
            backtrack,
            done: Vec::new(),
            tried: Rc::clone(&step.accesses),
            preemptions,
        }
    }

    /// The steps that threads could not take: what they wait for may have been taken from them.
    fn pending(&mut self) {
        if self.settings.exhaustive {
            return;
        }
        let shared = self.process.shared();
        let threads = (shared.threads as usize).min(shared::MAX_THREADS);
        let mut waiting = Vec::new();
        for (i, last) in shared.last[..threads].iter().enumerate() {
            if last.ended == 0 && last.accesses > 0 {
                let from = last.first as usize;
                let accesses: Rc<[Access]> =
                    shared.access[from..from + last.accesses as usize].into();
                waiting.push((i as u16, accesses));
            }
        }
        for (thread, accesses) in waiting {
            let look = self.history.look(thread, &accesses);
            for &i in &look.races {
                self.reverse(i as usize, thread, &accesses, &look);
            }
        }
    }

    /// Sees to it that an execution is explored in which a step of `thread` that may come next comes before step `i`.
    fn reverse(&mut self, i: usize, thread: u16, accesses: &[Access], look: &Look) {
        let initials = self.history.initials(i, thread, accesses, look);
        let enabled = self.history.steps[i].enabled;
        let node = &self.nodes[i];
        let mut usable = initials.threads.iter().filter(|&&t| has(&enabled, t));
        let Some(&first) = usable.clone().next() else {
            return;
        };
        if usable.any(|&t| has(&node.backtrack, t)) {
            return;
        }
        // What a sleeping thread could begin as well is explored where it is awake.
        let rests = node.sleep.iter().chain(&node.done);
        let covered = rests.map(|r| r.0).any(|t| initials.threads.contains(&t));
        if !covered {
            put(&mut self.nodes[i].backtrack, first);
        }
    }

    fn note_data_races(&mut self, step: &Step, look: &Look) {
        for &i in &look.data_races {
            let other = &self.history.steps[i as usize];
            let mut places = [other.pc, step.pc];
            places.sort_unstable();
            if self.seen_races.insert(places, ()).is_none() {
                let mut steps = self.history.steps.clone();
                steps.push(step.clone());
                self.out.races.push(DataRace {
                    places: [
                        (other.thread, other.pc, other.kind),
                        (step.thread, step.pc, step.kind),
                    ],
                    addr: meeting(other, step),
                    steps,
                });
            }
        }
    }

    /// A number for the class of the present execution: its steps, each with what happens before it.
    fn class(&self) -> u64 {
        (0..self.history.len()).fold(0, |sum: u64, i| {
            let step = &self.history.steps[i];
            let clock: &Clock = self.history.clock(i);
            let mut hasher = FxHasher::default();
            let end = clock.iter().rposition(|&n| n > 0).map_or(0, |n| n + 1);
            // Whoever comes last to a barrier chooses for all.
            let common = if step.kind == shared::ARRIVE {
                step.choice
            } else {
                0
            };
            let choice = step.choice - common;
            (step.thread, step.kind, choice, &clock[..end]).hash(&mut hasher);
            let mix = |hash: u64| hash.rotate_left(17).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut chosen = FxHasher::default();
            if common > 0 {
                (step.addr, common, step.accesses.last().map(|a| a.key)).hash(&mut chosen);
            }
            sum.wrapping_add(mix(hasher.finish()))
                .wrapping_add(mix(chosen.finish()))
        })
    }
}
