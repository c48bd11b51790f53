//! A worker of the search: breadth first, level by level, each level in slices.
//!
//! All workers do the same in step. In a round each expands a slice of its states, sends what they lead to, and takes
//! in what has come, with what the others tell. So all know the same at the end of a round and decide alike, also to
//! stop. That bounds what is under way, which timely does not do by itself.

use super::frontier::{Frontier, Source};
use super::known::{Full, Known};
use super::levels::{Kept, PARENT, Writer};
use super::post::Post;
use super::pulse::Pulse;
use super::sending::{Recent, Spread, owner};
use super::taking::Taking;
use super::tell::{Counted, Tell};
use super::{Progress, Storage};
use crate::base::control::Stop;
use crate::base::results::distributed::Trouble;
use crate::engine::compiled::{GOOD, IS_POINT, Machine, Taken, Task, successors};
use crate::engine::{State, initial_candidates, initially_violated, is_initial};
use std::ops::ControlFlow;

/// States that a worker expands in a round at most.
const SLICE: u64 = 1 << 14;

/// Words that it sends in a round, about, if memory is not scarce.
const WORDS: usize = 1 << 21;

/// The part of its memory that a worker spends on what it sends in a round, in bytes for a byte.
const SENT: usize = 8;

/// Why a worker does not go on.
#[derive(Clone, Debug)]
pub(super) enum Ended {
    /// All have agreed to stop.
    Stopped(Stop, Option<Trouble>),
    /// Nobody can be asked any more.
    Alone(Trouble),
}

/// What all know after a round.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    pub left: u64,
    pub queued: u64,
    pub states: u64,
    pub transitions: u64,
    pub operations: u64,
    pub bytes: u64,
    pub disk: u64,
}

/// A worker.
pub(super) struct Searcher<'t> {
    pub task: &'t Task<'t>,
    machine: Machine<'t>,
    pub me: usize,
    pub all: usize,
    pub process: usize,
    pub per_process: usize,
    pub storage: &'t Storage,
    pub kept: Kept,
    pub known: Known,
    pub writer: Option<Writer>,
    pub counted: Counted,
    /// The level that is being filled.
    pub level: u64,
    /// States in it that are to be expanded.
    pub queued: u64,
    /// States of the level before it that are not expanded yet.
    pub left: u64,
    pub boxes: Vec<Vec<u64>>,
    recent: Recent,
    /// Words that it sends in a round, about.
    sendable: usize,
    pub sent: u64,
    pub peak: u64,
    pub post: Post,
    pub pulse: &'t Pulse,
    pub totals: Totals,
    /// What the others are to be told next.
    pub stop: Option<Stop>,
    pub trouble: Option<Trouble>,
    /// Operations in all that may be done.
    pub most: u64,
    pub progress: &'t Progress,
    pub local: usize,
    /// A hash of what is explored.
    pub system: &'t str,
}

/// What a worker is given.
pub(super) struct Given<'t> {
    pub task: &'t Task<'t>,
    /// Its number here, of all its, and how many there are.
    pub local: usize,
    pub me: usize,
    pub all: usize,
    pub process: usize,
    pub per_process: usize,
    pub storage: &'t Storage,
    pub fingerprint: String,
    pub system: &'t str,
    pub pulse: &'t Pulse,
    pub most: u64,
    pub progress: &'t Progress,
}

impl<'t> Searcher<'t> {
    /// A worker that knows no state.
    pub fn new(given: Given<'t>, post: Post) -> Self {
        let words = given.task.compiled.layout.words;
        let directory = given.storage.directory.clone();
        let place = directory.join(format!("run-{:05}", given.me));
        let questions = given.task.questions();
        let share = given.storage.share;
        let sendable = share.map_or(WORDS, |bytes| (bytes / 8 / SENT).clamp(1 << 12, WORDS));
        Searcher {
            machine: Machine::new(given.task.compiled),
            kept: Kept {
                directory,
                fingerprint: given.fingerprint,
                words,
            },
            known: Known::new(words, given.task.plain, given.storage.share, place),
            writer: None,
            counted: Counted {
                found: vec![None; questions],
                ..Counted::default()
            },
            level: 0,
            queued: 0,
            left: 0,
            boxes: vec![Vec::new(); given.all],
            recent: Recent::new(words, sendable),
            sendable,
            sent: 0,
            peak: 0,
            post,
            totals: Totals::default(),
            stop: None,
            trouble: None,
            task: given.task,
            local: given.local,
            system: given.system,
            me: given.me,
            all: given.all,
            process: given.process,
            per_process: given.per_process,
            storage: given.storage,
            pulse: given.pulse,
            most: given.most,
            progress: given.progress,
        }
    }

    /// Explores until nothing is left.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn run(&mut self) -> Result<(), Ended> {
        let mut resumed = self.go_on()?;
        if resumed.is_none() {
            self.initial_states()?;
        }
        loop {
            let frontier = match resumed.take() {
                Some(frontier) => frontier,
                None => match self.end_level()? {
                    Some(frontier) => frontier,
                    None => return Ok(()),
                },
            };
            self.expand(frontier)?;
        }
    }

    /// Takes the initial states into level 0: each worker tests some of the candidates.
    fn initial_states(&mut self) -> Result<(), Ended> {
        let task = self.task;
        let mut state = vec![0; task.compiled.layout.words];
        let mut candidates = initial_candidates(task.program).enumerate();
        let mut more = true;
        while more {
            let mut some = 0;
            while more && some < SLICE {
                let Some((n, candidate)) = candidates.next() else {
                    more = false;
                    break;
                };
                some += 1;
                if n % self.all == self.me {
                    self.initial(&candidate, &mut state);
                }
            }
            self.round(Tell {
                left: u64::from(more),
                ..Tell::default()
            })?;
            // The others have as many.
        }
        Ok(())
    }

    fn initial(&mut self, candidate: &State, state: &mut [u64]) {
        let task = self.task;
        self.counted.tally.operations += 1;
        if !is_initial(task.program, candidate) {
            return;
        }
        task.compiled.layout.pack(candidate, state);
        if let Some(symmetry) = task.symmetry {
            task.compiled.layout.sort(symmetry, state);
        }
        let good = match initially_violated(task.program, candidate) {
            true => 0,
            false => GOOD,
        };
        let to = &mut self.boxes[owner(state, self.all)];
        to.push(PARENT | good | IS_POINT);
        to.extend_from_slice(state);
    }

    /// Expands the states of a level.
    fn expand(&mut self, mut frontier: Frontier) -> Result<(), Ended> {
        let mut more = true;
        loop {
            if more && self.stop.is_none() && self.trouble.is_none() {
                match self.slice(&mut frontier) {
                    Ok(left) => more = left,
                    Err(full) => self.fail(full),
                }
            }
            let left = if more { self.left.max(1) } else { 0 };
            self.round(Tell {
                left,
                ..Tell::default()
            })?;
            if self.totals.left == 0 {
                return Ok(());
            }
        }
    }

    /// Expands some states; whether there may be more.
    fn slice(&mut self, frontier: &mut Frontier) -> Result<bool, Full> {
        let task = self.task;
        let workers = self.all as u64;
        let paid = self.most.saturating_sub(self.totals.operations) / (workers * task.dear());
        let room = task.control.budget().states as u64;
        let room = room.saturating_sub(self.totals.states) / workers;
        let wide = 1 + task.compiled.layout.words;
        let mut held = 0;
        for n in 0..SLICE.min(paid).min(room).max(1) {
            let Some((place, state)) = frontier.next()? else {
                return Ok(false);
            };
            if owner(state, self.all) != self.me {
                // Written by others before an interruption.
                continue;
            }
            task.control.check()?;
            let most = self.most.saturating_sub(self.totals.operations);
            let mut spread = Spread {
                head: place.word(),
                boxes: &mut self.boxes,
                recent: &mut self.recent,
                taken: Taken::default(),
                task,
                most: (most, task.control.budget().states),
                pulse: (self.pulse, self.local),
            };
            let outcome = successors(task, &mut self.machine, state, &mut spread);
            let taken = spread.taken;
            if let ControlFlow::Break(stop) = outcome {
                return Err(stop.into());
            }
            let tally = &mut self.counted.tally;
            tally.expanded(task, &self.machine, state, taken);
            self.left = self.left.saturating_sub(1);
            held += taken.sent as usize * wide;
            if held > self.sendable {
                break;
            }
            if n % 256 == 0 {
                self.pulse.on(self.local);
            }
        }
        Ok(true)
    }

    /// Ends the level that is filled: what is new is known, written and synced. The states to expand next; none if no
    /// worker has any.
    fn end_level(&mut self) -> Result<Option<Frontier>, Ended> {
        let pulse = self.pulse;
        // A worker that could not take in all that came has a part of the level only: that must never be written as the
        // whole, or a search would go on from there without the rest.
        let source = match self.stop.is_none() && self.trouble.is_none() {
            false => None,
            true => {
                let written = pulse.away(|| self.settle().and_then(|()| self.write_level()));
                written.unwrap_or_else(|full| {
                    self.fail(full);
                    None
                })
            }
        };
        let queued = self.queued;
        self.round(Tell {
            queued,
            ..Tell::default()
        })?;
        (self.left, self.queued) = (queued, 0);
        self.level += 1;
        if self.totals.queued == 0 {
            return Ok(None);
        }
        let words = self.task.compiled.layout.words;
        Ok(Some(Frontier::new(source.into_iter().collect(), words)))
    }

    fn write_level(&mut self) -> Result<Option<Source>, Full> {
        let counted = serde_json::to_vec(&self.counted).map_err(std::io::Error::from)?;
        let Some(writer) = &mut self.writer else {
            return Ok(None);
        };
        let blocks = writer.end(&counted)?.blocks()?;
        self.storage.look()?;
        Ok(Some(Source {
            worker: self.me,
            level: self.level,
            blocks,
        }))
    }

    /// The set, and what becomes of its news.
    fn taking(&mut self) -> (&mut Known, Taking<'_>) {
        let taking = Taking {
            task: self.task,
            machine: &self.machine,
            level: self.level,
            counted: &mut self.counted,
            writer: self.writer.as_mut(),
            queued: &mut self.queued,
        };
        (&mut self.known, taking)
    }

    /// Has what waits compared with what is on disk, and makes room if that is needed.
    fn settle(&mut self) -> Result<(), Full> {
        let control = self.task.control;
        let (known, mut taking) = self.taking();
        known.settle(control, &mut |news| taking.take(news))?;
        if self.known.is_full() {
            self.known.spill(control)?;
        }
        self.counted.states = self.known.count;
        Ok(())
    }

    /// Takes in records.
    pub fn take(&mut self, records: &[u64]) -> Result<(), Full> {
        let control = self.task.control;
        let (known, mut taking) = self.taking();
        known.take(records, control, &mut |news| taking.take(news))?;
        self.counted.states = self.known.count;
        if self.known.is_full() {
            let pulse = self.pulse;
            return pulse.away(|| self.settle());
        }
        Ok(())
    }

    pub fn bytes(&self) -> u64 {
        let boxes: usize = self.boxes.iter().map(|b| b.capacity() * 8).sum();
        (self.known.bytes() + boxes) as u64
    }

    /// Bytes on disk.
    pub fn disk(&self) -> u64 {
        self.known.on_disk() + self.writer.as_ref().map_or(0, |w| w.written)
    }
}
