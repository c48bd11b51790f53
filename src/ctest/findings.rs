//! What goes wrong in an execution: errors, invariants that were broken, data races; each is told once.

use super::cxx;
use super::explore::{DataRace, ENDLESS, Endless, Found, key};
use super::history::{Look, Step};
use super::names::Names;
use super::shared::{self, Access, Invariant};
use super::worker::Worker;

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
    /// The invariants that did not hold in the present execution, each with the step that broke it.
    fn violated(&mut self) {
        let shared = self.process.shared();
        let known = (shared.invariants as usize).min(shared::MAX_INVARIANTS);
        let violated: Vec<Invariant> = (shared.invariant[..known].iter())
            .filter(|i| i.violated > 0)
            .copied()
            .collect();
        for invariant in violated {
            let steps = (invariant.violated as usize - 1).min(self.history.len());
            let last = steps.checked_sub(1).map(|i| &self.history.steps[i]);
            let error = Found {
                kind: "invariant",
                message: String::from_utf8_lossy(invariant.text()).into_owned(),
                thread: Some(last.map_or(0, |s| s.thread)),
                pc: last.map_or(invariant.function.wrapping_add(1), |s| s.pc),
                addr: invariant.function,
                steps: self.history.steps[..steps].to_vec(),
                last: Vec::new(),
                names: Names::default(),
            };
            self.found(error);
        }
    }

    /// A thread computes without end in the present execution.
    pub(super) fn note_endless(&mut self) {
        let shared = self.process.shared();
        let endless = Endless {
            thread: shared.error_thread as u16,
            // An address like one to which a call returns.
            pc: shared.error_pc.wrapping_add(1),
            after: shared.error_addr,
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
            self.part.out.left_as = Some(Found {
                kind: "left waiting",
                message: String::new(),
                thread: None,
                pc: 0,
                addr: 0,
                steps: self.history.steps.clone(),
                last: last.to_vec(),
                names: Names::default(),
            });
        }
    }

    /// Notes what went wrong in an execution that ended so.
    pub(super) fn note_errors(&mut self, status: u32) {
        if matches!(status, shared::ASLEEP | shared::DIVERGED) {
            return;
        }
        self.violated();
        let code = self.process.shared().error;
        let stuck = matches!(status, shared::DEADLOCK | shared::LIVELOCK);
        if code != shared::NO_ERROR && code != shared::INVARIANT
            || code == shared::NO_ERROR && stuck
        {
            let error = self.error();
            self.found(error);
        }
    }

    pub(super) fn message(&self) -> String {
        let shared = self.process.shared();
        let n = (shared.message_len as usize).min(shared.message.len());
        let message = String::from_utf8_lossy(&shared.message[..n]);
        match message.strip_prefix(shared::UNCAUGHT) {
            Some(name) => format!("{}{}", shared::UNCAUGHT, cxx::type_name(name)),
            None => message.into_owned(),
        }
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
            names: Names::default(),
        }
    }

    fn found(&mut self, mut error: Found) {
        let key = key(&error);
        if !self.known.errors.contains(&key) && self.seen_errors.insert(key) {
            if error.kind != "invariant" {
                error.steps = self.history.steps.clone();
            }
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
                steps.push(step.clone());
                self.part.out.races.push(DataRace {
                    places: [
                        (other.thread, other.pc, other.kind),
                        (step.thread, step.pc, step.kind),
                    ],
                    addr: meeting(other, step),
                    steps,
                    names: Names::default(),
                });
            }
        }
    }
}
