//! What goes wrong in an execution: errors, invariants that were broken, data races; each is told once.

use super::cxx::type_name;
use super::history::{Look, Step};
use super::names::{About, Names};
use super::shared::{self, Access, Kind, Last, Mishap};
use super::worker::Worker;

/// What makes two errors the same: the kind, the place and, if it is no thread's, which threads wait where.
pub type ErrorKey = (&'static str, u64, Vec<(Kind, u64)>);

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
    /// How many errors come before it there.
    pub after: u32,
    /// Where the threads were at its end.
    pub last: Vec<Last>,
    /// What it is about, by name, once that has been found out.
    pub names: Names,
}

impl Found {
    /// An error of an execution with these steps.
    pub fn new(mishap: &Mishap, after: usize, steps: &[Step], last: Vec<Last>) -> Found {
        let message = String::from_utf8_lossy(mishap.text());
        let kind = shared::ERRORS.get(mishap.kind as usize).copied();
        Found {
            kind: kind.unwrap_or("crash"),
            message: match message.strip_prefix(shared::UNCAUGHT) {
                Some(name) => format!("{}{}", shared::UNCAUGHT, type_name(name)),
                None => message.into_owned(),
            },
            thread: Some(mishap.thread as u16),
            pc: mishap.pc,
            addr: mishap.addr,
            steps: steps[..steps.len().min(mishap.steps as usize)].to_vec(),
            after: after as u32,
            last,
            names: Names::default(),
        }
    }

    /// An execution in which nobody can go on, or somebody is left waiting.
    pub fn stuck(kind: &'static str, steps: Vec<Step>, last: Vec<Last>) -> Found {
        Found {
            kind,
            message: String::new(),
            thread: None,
            pc: 0,
            addr: 0,
            steps,
            after: 0,
            last,
            names: Names::default(),
        }
    }

    /// What it is about.
    pub fn about(&self) -> About {
        match self.kind {
            "memory leak" | "double free" => About::Block(self.addr),
            _ => About::Piece(self.addr),
        }
    }

    /// What tells it from other errors.
    pub fn key(&self) -> ErrorKey {
        let open = self.last.iter().filter(|l| l.ended == 0);
        let stuck = match self.thread {
            Some(_) if self.kind == "invariant" => vec![(Kind::Nothing, self.addr)],
            Some(_) => Vec::new(),
            None => open.map(|l| (l.kind(), l.pc)).collect(),
        };
        (self.kind, self.pc, stuck)
    }

    /// The threads that have not ended, and where they are.
    pub fn open(&self) -> impl Iterator<Item = (usize, &Last)> {
        let all = self.last.iter().enumerate();
        let waits = |l: &Last| l.ended == 0 && l.begun != 0 && l.kind() != Kind::ProcessExit;
        all.filter(move |(_, l)| waits(l))
    }
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
    /// How many errors come before them there.
    pub after: u32,
    /// What it is about, by name, once that has been found out.
    pub names: Names,
}

/// The limit that such a thread is; a report says more.
pub const ENDLESS: &str = "a thread computes for long without a step that others could see";

/// A thread that computes and does nothing that others could see.
#[derive(Clone, Copy, Debug)]
pub struct Endless {
    /// The thread.
    pub thread: u16,
    /// Where it was found.
    pub pc: u64,
    /// The last place at which it did something that others could see.
    pub after: u64,
}

impl DataRace {
    /// The two places, the lesser one first.
    pub fn key(&self) -> [u64; 2] {
        let mut places = self.places.map(|p| p.1);
        places.sort_unstable();
        places
    }
}

/// The address at which two steps meet; a step may have several accesses.
fn meeting(a: &Step, b: &Step) -> u64 {
    let pairs = a
        .accesses
        .iter()
        .flat_map(|x| b.accesses.iter().map(move |y| (x, y)));
    let memory = |x: &Access| x.key & shared::OBJECT == 0;
    let found = pairs
        .into_iter()
        .find(|(x, y)| memory(x) && shared::conflict(x, y));
    found.map_or(b.addr, |(x, y)| x.key.max(y.key))
}

impl Worker<'_> {
    /// A thread computes without end in the present execution.
    pub(super) fn note_endless(&mut self) {
        let shared = self.process.shared();
        let endless = Endless {
            thread: shared.halt.thread as u16,
            // An address like one to which a call returns.
            pc: shared.halt.pc.wrapping_add(1),
            after: shared.halt.addr,
        };
        self.part.out.endless.get_or_insert(endless);
        self.limit(ENDLESS.into());
    }

    /// Notes what the present execution says of blocks that are claimed to be atomic.
    pub(super) fn note_claims(&mut self, status: u32) {
        if matches!(status, shared::ASLEEP | shared::ASSUMED) {
            return;
        }
        let shared = self.process.shared();
        let count = |n: u32, most| (n as usize).min(most);
        let bounds = &shared.bound[..count(shared.bounds, shared::MAX_BOUNDS)];
        let claims = &shared.claim[..count(shared.claims, shared::MAX_CLAIMS)];
        let known = &mut self.part.out.claims;
        known.execution(&self.history, claims, bounds);
    }

    /// Notes that `main` has ended the process while other threads wait.
    pub(super) fn note_left(&mut self, status: u32) {
        let shared = self.process.shared();
        let last = &shared.last[..(shared.threads as usize).min(shared::MAX_THREADS)];
        let waits = |l: &shared::Last| {
            l.ended == 0 && l.begun != 0 && l.kind() != shared::Kind::ProcessExit
        };
        if status != shared::COMPLETE || !last.iter().any(waits) {
            return;
        }
        self.part.out.left += 1;
        if self.part.out.left_as.is_none() {
            let (steps, last) = (self.history.steps.clone(), last.to_vec());
            self.part.out.left_as = Some(Found::stuck("left waiting", steps, last));
        }
    }

    /// Notes what went wrong in an execution that ended so.
    pub(super) fn note_errors(&mut self, status: u32) {
        if matches!(status, shared::ASLEEP | shared::DIVERGED) {
            return;
        }
        let shared = self.process.shared();
        let (mishaps, erred) = (shared.mishaps().to_vec(), shared.erred());
        let last = shared.last[..(shared.threads as usize).min(shared::MAX_THREADS)].to_vec();
        for (after, mishap) in mishaps.iter().enumerate() {
            let error = Found::new(mishap, after, &self.history.steps, last.clone());
            self.found(error);
        }
        let stuck = match status {
            shared::DEADLOCK => "deadlock",
            shared::LIVELOCK => "livelock",
            _ => return,
        };
        if !erred {
            let mut error = Found::stuck(stuck, self.history.steps.clone(), last);
            error.after = mishaps.len() as u32;
            self.found(error);
        }
    }

    fn found(&mut self, error: Found) {
        let key = error.key();
        if !self.known.errors.contains(&key) && self.seen_errors.insert(key) {
            let stuck = matches!(error.kind, "deadlock" | "livelock");
            if stuck && !self.settings.refute_stuck {
                self.part.out.stuck.push(error);
            } else {
                self.part.out.errors.push(error);
            }
        }
    }

    /// Notes what a step has to do with memory: a weak order, and data races.
    pub(super) fn note_memory(&mut self, step: &Step, look: &Look) {
        if step
            .accesses
            .iter()
            .any(|a| a.order != 0 && a.order & shared::SEQUENTIAL == 0)
        {
            self.part.out.weak.insert(step.pc);
        }
        for &i in &look.data_races {
            let other = &self.history.steps[i as usize];
            let mut places = [other.pc, step.pc];
            places.sort_unstable();
            if !self.known.races.contains(&places) && self.seen_races.insert(places) {
                let mut steps = self.history.steps.clone();
                let mishaps = self.process.shared().mishaps();
                let after = mishaps.iter().filter(|m| m.steps as usize <= steps.len());
                let after = after.count() as u32;
                steps.push(step.clone());
                self.part.out.races.push(DataRace {
                    places: [
                        (other.thread, other.pc, other.kind),
                        (step.thread, step.pc, step.kind),
                    ],
                    addr: meeting(other, step),
                    steps,
                    after,
                    names: Names::default(),
                });
            }
        }
    }
}
