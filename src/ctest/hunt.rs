//! Random schedules with a guarantee, for programs of which not all executions can be seen: probabilistic concurrency
//! testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of
//! Finding Bugs", ASPLOS 2010).
//!
//! Each thread has a random priority, and the one with the highest goes on. At d - 1 random steps, the i-th of which
//! need not come before the next, the priority of who would go on becomes i, which is less than all of these. An error
//! that d orders of pairs of steps are enough for (its depth) is found in an execution of at most n threads and k steps
//! with a probability of at least 1 / (n k^(d-1)).
//!
//! Where this differs: k is the longest execution up to now, as the paper's tool does, too; a thread that waits
//! actively is taken for blocked; alternatives are random as well. Executions are numbered, and each follows from its
//! number, so what is found does not depend on how many processes look, and one can go on where another run has ended.

use super::explore::{Exploration, Settings, Watch};
use super::process::{Process, Promise};
use super::shared::{MAX_CHANGES, Shared};
use super::worker::{Item, Known, Worker};
use rustc_hash::FxHashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunt {
    /// The depth of errors.
    pub depth: u32,
    /// The number of the first execution, from 1.
    pub seed: u64,
}

/// The greatest depth.
pub const MOST_DEPTH: u32 = MAX_CHANGES as u32 + 1;

/// The priorities of one execution.
#[derive(Clone, Copy, Debug)]
pub struct Priorities {
    number: u64,
    depth: u32,
    /// Steps of the longest execution up to now.
    longest: u64,
}

/// A sequence of numbers that looks random (splitmix64, Steele, Lea and Flood 2014).
fn mixed(n: u64) -> u64 {
    let mut z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

impl Priorities {
    /// Asks for the execution.
    pub fn request(&self, shared: &mut Shared) {
        shared.hunt = mixed(self.number).max(1);
        shared.changes = self.depth.saturating_sub(1).min(MAX_CHANGES as u32);
        for (n, change) in shared.change[..shared.changes as usize]
            .iter_mut()
            .enumerate()
        {
            let random = mixed(self.number.wrapping_mul(64).wrapping_add(n as u64));
            *change = (random % self.longest.max(1)) as u32;
        }
    }
}

/// What was found out.
#[derive(Clone, Debug, Default)]
pub struct Hunted {
    /// The number of the first execution that was not made.
    pub next: u64,
    /// Pairs of places whose steps could come in either order, with the orders that were seen (1, 2, or both: 3).
    pub pairs: FxHashMap<[u64; 2], u8>,
}

impl Hunted {
    /// How many of the pairs were seen in both orders.
    pub fn both(&self) -> usize {
        self.pairs.values().filter(|&&orders| orders == 3).count()
    }
}

/// The probability with which an execution finds an error of a depth, as one in how many.
pub fn one_in(threads: usize, steps: usize, depth: u32) -> f64 {
    threads as f64 * (steps as f64).powi(depth.saturating_sub(1) as i32)
}

/// Executions that are made before what they have found is put together. A number of its own, so that the answer does
/// not depend on how many processes there are.
const BATCH: u64 = 64;

/// One execution: what was found, and the pairs.
struct Made {
    number: u64,
    out: Exploration,
    pairs: FxHashMap<[u64; 2], u8>,
    known: Known,
    over: bool,
}

/// Makes random executions until an error is found, or no more are allowed.
pub fn explore(
    process: &mut Process,
    settings: &Settings,
    hunt: Hunt,
    watch: &dyn Watch,
) -> (Exploration, Hunted) {
    let settings = Settings {
        exhaustive: true,
        ..settings.clone()
    };
    let mut known = Known {
        names: process.names(),
        promises: process.promises(),
        fork: !settings.reset,
        ..Known::default()
    };
    let mut out = Exploration::default();
    let mut hunted = Hunted {
        next: hunt.seed,
        ..Hunted::default()
    };
    let mut others: Vec<Process> = Vec::new();
    while others.len() + 1 < settings.cores {
        match process.another() {
            Ok(other) => others.push(other),
            Err(_) => break,
        }
    }
    // The first execution says how long they are.
    let mut size = 1;
    loop {
        let left = settings.executions.saturating_sub(out.made());
        if left == 0 {
            out.limits.push(format!("{} random executions", out.made()));
            break;
        }
        let numbers = hunted.next..hunted.next + left.min(size);
        size = BATCH;
        let longest = out.depth as u64;
        let priorities = |number| Priorities {
            number,
            depth: hunt.depth,
            longest,
        };
        let mut processes: Vec<&mut Process> = others.iter_mut().collect();
        processes.push(process);
        let made = batch(
            &mut processes,
            &settings,
            &known,
            watch,
            numbers,
            &priorities,
        );
        let mut goes_on = true;
        for mut one in made {
            let (mine, theirs) = (&known.names, &one.known.names);
            if !mine.starts_with(theirs) && !theirs.starts_with(mine) {
                // Two executions have named threads differently: the later one is made again.
                one = self::one(
                    process,
                    &settings,
                    &known,
                    &|| false,
                    priorities(one.number),
                );
            }
            goes_on = take(one, &mut out, &mut hunted, &mut known, &settings);
            if !goes_on {
                break;
            }
        }
        if !goes_on {
            break;
        }
        watch.progress(&out);
        if let Some(why) = watch.stop() {
            out.limits.push(why);
            break;
        }
    }
    process.set_names(&known.names);
    (out, hunted)
}

/// Makes the executions with these numbers, on all processes.
fn batch(
    processes: &mut [&mut Process],
    settings: &Settings,
    known: &Known,
    watch: &dyn Watch,
    numbers: std::ops::Range<u64>,
    priorities: &(dyn Fn(u64) -> Priorities + Sync),
) -> Vec<Made> {
    let next = AtomicU64::new(numbers.start);
    let stopped = AtomicBool::new(false);
    let made = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let threads: Vec<_> = processes
            .iter_mut()
            .map(|process| {
                let (next, stopped, made, end) = (&next, &stopped, &made, numbers.end);
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let stop = || stopped.load(Ordering::Relaxed);
                        if number >= end || stop() {
                            return;
                        }
                        let one = one(process, settings, known, &stop, priorities(number));
                        made.lock().unwrap_or_else(|e| e.into_inner()).push(one);
                    }
                })
            })
            .collect();
        while !threads.iter().all(|t| t.is_finished()) {
            std::thread::sleep(std::time::Duration::from_millis(1));
            if watch.stop().is_some() {
                stopped.store(true, Ordering::Relaxed);
            }
        }
    });
    let mut made = made.into_inner().unwrap_or_else(|e| e.into_inner());
    made.sort_by_key(|m| m.number);
    made
}

/// Makes one execution.
fn one(
    process: &mut Process,
    settings: &Settings,
    known: &Known,
    stop: &dyn Fn() -> bool,
    priorities: Priorities,
) -> Made {
    let item = Item {
        budget: 1,
        ..Item::default()
    };
    let mut worker = Worker::new(process, settings, &item, known, stop);
    worker.hunt = Some(priorities);
    let mut pairs = FxHashMap::default();
    let status = worker.repeat(None);
    if let Some(status) = status {
        let events = worker.process.shared().events as usize;
        worker.part.out.steps += events as u64;
        worker.part.out.depth = events;
        for step in (0..events)
            .filter_map(|i| worker.event(i))
            .collect::<Vec<_>>()
        {
            let look = worker
                .history
                .look(step.thread, &step.accesses, step.fences);
            worker.note_memory(&step, &look);
            for &i in &look.races {
                let (a, b) = (worker.history.steps[i as usize].pc, step.pc);
                *pairs.entry([a.min(b), a.max(b)]).or_insert(0) |= if a <= b { 1 } else { 2 };
            }
            worker.history.push(step, look);
        }
        worker.note_claims(status);
        worker.count(status);
        worker.note_errors(status);
    }
    let fork = worker.part.fork;
    let part = worker.done();
    let moved = process.moved() && process.restart().is_err();
    Made {
        number: priorities.number,
        out: part.out,
        pairs,
        known: Known {
            names: part.names,
            promises: part.promises,
            fork,
            ..Known::default()
        },
        over: status.is_none() || moved,
    }
}

/// Adds what came of an execution; whether to go on.
fn take(
    one: Made,
    out: &mut Exploration,
    hunted: &mut Hunted,
    known: &mut Known,
    settings: &Settings,
) -> bool {
    let refused = one.out.refused.is_some();
    out.add(one.out, known);
    for (pair, orders) in one.pairs {
        *hunted.pairs.entry(pair).or_insert(0) |= orders;
    }
    hunted.next = one.number + 1;
    if one.known.names.len() > known.names.len() {
        known.names = one.known.names;
    }
    known.fork |= one.known.fork;
    Promise::add(&mut known.promises, &one.known.promises);
    (settings.keep_going || out.errors.is_empty()) && !refused && !one.over
}
