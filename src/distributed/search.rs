//! A worker of the search: breadth first, level by level, each level in slices.
//!
//! All workers do the same in step. In a round each expands a slice of its states, sends what they lead to, and takes
//! in what has come, with what the others tell. So all know the same at the end of a round and decide alike, also to
//! stop. That bounds what is under way, which timely does not do by itself.

use super::frontier::{Frontier, Source};
use super::known::{Full, Known, News};
use super::levels::{Kept, PARENT, Writer};
use super::post::{Come, Letter, Post, Sent};
use super::pulse::Pulse;
use super::tell::{Candidate, Counted, Tell, lost, nearer};
use super::{Progress, Storage};
use crate::base::control::{Control, Stop};
use crate::base::results::distributed::Trouble;
use crate::engine::compiled::{
    GOOD, IS_POINT, Machine, OFTEN, QUEUED, Sink, Task, each_once, successors,
};
use crate::engine::diagrams::mix;
use crate::engine::{State, initial_candidates, initially_violated, is_initial};
use std::ops::ControlFlow;
use std::time::Duration;

/// States that a worker expands in a round at most.
const SLICE: u64 = 1 << 14;

/// Words that it sends in a round, about, if memory is not scarce.
const WORDS: usize = 1 << 21;

/// Words of the memory for what was sent lately, likewise.
const RECENT: usize = 1 << 17;

/// The part of its memory that a worker spends on what it sends in a round, in bytes for a byte.
const SENT: usize = 8;

/// How long one waits before looking around.
const PATIENCE: Duration = Duration::from_millis(50);

/// How often one looks again after a process was lost: its last words may be under way.
const LAST: u32 = 10;

/// Why a worker does not go on.
#[derive(Clone, Debug)]
pub(super) enum Ended {
    /// All have agreed to stop.
    Stopped(Stop, Option<Trouble>),
    /// Nobody can be asked any more.
    Alone(Trouble),
}

/// Which worker is responsible for a state. The sets of states use other bits of the hash.
#[inline]
pub(super) fn owner(state: &[u64], workers: usize) -> usize {
    let hash = state.iter().fold(0x9e37, |h, &word| mix(h ^ word));
    (((hash & 0xffff_ffff) * workers as u64) >> 32) as usize
}

/// What was sent lately, so that it is not sent again.
struct Recent {
    words: Vec<u64>,
    wide: usize,
    mask: usize,
}

impl Recent {
    fn new(words: usize, most: usize) -> Self {
        let wide = 1 + words;
        let entries = (most.min(RECENT) / wide).max(2).next_power_of_two() / 2;
        Recent {
            // No record has these flags.
            words: vec![u64::MAX; entries * wide],
            wide,
            mask: entries - 1,
        }
    }

    /// Whether this was sent lately; it is now.
    #[inline]
    fn was_sent(&mut self, state: &[u64], flags: u64) -> bool {
        let hash = state.iter().fold(flags, |h, &word| mix(h ^ word));
        let at = ((hash >> 40) as usize & self.mask) * self.wide;
        let entry = &mut self.words[at..at + self.wide];
        if entry[0] == flags && entry[1..] == *state {
            return true;
        }
        entry[0] = flags;
        entry[1..].copy_from_slice(state);
        false
    }
}

/// What a state leads to goes into boxes, one for each worker.
struct Spread<'s> {
    head: u64,
    boxes: &'s mut [Vec<u64>],
    recent: &'s mut Recent,
    transitions: u64,
    most: (u64, usize),
    dear: u64,
    control: &'s Control,
    pulse: (&'s Pulse, usize),
}

impl Sink for Spread<'_> {
    #[inline]
    fn send(&mut self, after: &[u64], flags: u64) -> ControlFlow<Stop> {
        self.transitions += 1;
        if !self.recent.was_sent(after, flags) {
            let to = &mut self.boxes[owner(after, self.boxes.len())];
            to.push(self.head | flags);
            to.extend_from_slice(after);
        }
        if self.transitions.is_multiple_of(OFTEN) {
            return self.look(1 + after.len());
        }
        ControlFlow::Continue(())
    }
}

impl Spread<'_> {
    /// A state with very many steps: each successor is kept once, and the limits are.
    #[cold]
    fn look(&mut self, wide: usize) -> ControlFlow<Stop> {
        self.pulse.0.on(self.pulse.1);
        if let Err(stop) = self.control.check() {
            return ControlFlow::Break(stop);
        }
        if self.transitions * self.dear > self.most.0 {
            return ControlFlow::Break(Stop::Operations);
        }
        let each = self.boxes.iter_mut().map(|sent| each_once(sent, 0, wide));
        if each.sum::<usize>() > self.most.1 {
            return ControlFlow::Break(Stop::States);
        }
        ControlFlow::Continue(())
    }
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
    boxes: Vec<Vec<u64>>,
    recent: Recent,
    /// Words that it sends in a round, about.
    sendable: usize,
    pub sent: u64,
    pub peak: u64,
    post: Post,
    pub pulse: &'t Pulse,
    pub totals: Totals,
    /// What the others are to be told next.
    pub stop: Option<Stop>,
    pub trouble: Option<Trouble>,
    /// Operations in all that may be done.
    most: u64,
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
                transitions: 0,
                most: (most, task.control.budget().states),
                dear: task.dear(),
                control: task.control,
                pulse: (self.pulse, self.local),
            };
            let outcome = successors(task, &mut self.machine, state, &mut spread);
            let transitions = spread.transitions;
            if let ControlFlow::Break(stop) = outcome {
                return Err(stop.into());
            }
            let tally = &mut self.counted.tally;
            tally.expanded(task, &self.machine, state, transitions);
            self.left = self.left.saturating_sub(1);
            held += transitions as usize * wide;
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
    fn take(&mut self, records: &[u64]) -> Result<(), Full> {
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

    /// Notes why this worker wants to stop. It goes on taking part until all know.
    pub fn fail(&mut self, why: Full) {
        match why {
            Full::Stopped(stop) => {
                self.stop.get_or_insert(stop);
            }
            Full::Disk(error) => {
                let trouble = match self.storage.little(&error) {
                    Some(free) => Trouble::Full {
                        process: self.process,
                        free,
                    },
                    None => Trouble::Disk {
                        process: self.process,
                        why: error.to_string(),
                    },
                };
                self.trouble.get_or_insert(trouble);
            }
        }
    }

    /// A round, after which all go on or all stop.
    ///
    /// # Errors
    /// If anybody wants to stop, or a limit of all is met.
    pub fn round(&mut self, tell: Tell) -> Result<Vec<Tell>, Ended> {
        let tells = self.exchange(tell)?;
        if let Some(trouble) = tells.iter().find_map(|t| t.trouble.clone()) {
            return Err(Ended::Stopped(trouble.stop(), Some(trouble)));
        }
        if let Some(stop) = tells.iter().find_map(|t| t.stop) {
            return Err(Ended::Stopped(stop, None));
        }
        let budget = self.task.control.budget();
        if self.totals.states > budget.states as u64 {
            return Err(Ended::Stopped(Stop::States, None));
        }
        if self.totals.operations > self.most {
            return Err(Ended::Stopped(Stop::Operations, None));
        }
        if self
            .storage
            .disk
            .is_some_and(|most| self.totals.disk > most)
        {
            return Err(Ended::Stopped(Stop::Disk, None));
        }
        Ok(tells)
    }

    /// Sends what is in the boxes and what is to be told, and takes in what has come.
    pub fn exchange(&mut self, tell: Tell) -> Result<Vec<Tell>, Ended> {
        if let Err(stop) = self.task.control.check() {
            self.stop.get_or_insert(stop);
        }
        self.peak = self.peak.max(self.bytes());
        let tell = Tell {
            stop: self.stop,
            trouble: self.trouble.clone(),
            states: self.known.count,
            transitions: self.counted.tally.transitions,
            operations: self.counted.tally.operations,
            sent: self.sent,
            bytes: self.bytes(),
            disk: self.disk(),
            synced: self.writer.as_ref().and_then(|w| w.synced),
            ..tell
        };
        let mut letters = Vec::new();
        let (from, round) = (self.me, self.post.arrives());
        let wide = 1 + self.task.compiled.layout.words;
        for to in (0..self.all).filter(|n| *n != from) {
            let words = std::mem::take(&mut self.boxes[to]);
            self.sent += (words.len() / wide) as u64;
            let states = (!words.is_empty()).then_some(Sent::States(words));
            let told = Sent::Tell(Box::new(tell.clone()));
            letters.extend(states.into_iter().chain([told]).map(|sent| Letter {
                to,
                from,
                round,
                sent,
            }));
        }
        self.post.send(letters);
        let mut own = std::mem::take(&mut self.boxes[from]);
        self.take_if_well(&own);
        own.clear();
        self.boxes[from] = own;
        let mut tells: Vec<Tell> = vec![Tell::default(); self.all];
        tells[from] = tell;
        self.collect(&mut tells)?;
        self.add_up(&tells);
        Ok(tells)
    }

    /// Waits until all letters of the round have come.
    fn collect(&mut self, tells: &mut [Tell]) -> Result<(), Ended> {
        let (mut last, mut closed) = (LAST, 10 * LAST);
        loop {
            match self.post.next(PATIENCE) {
                Come::Letter(letter) => match letter.sent {
                    Sent::States(records) => self.take_if_well(&records),
                    Sent::Tell(tell) => tells[letter.from] = *tell,
                },
                Come::All => return Ok(()),
                Come::Nothing => {
                    let lost = self.pulse.lost().map(lost);
                    last -= u32::from(lost.is_some());
                    if let Some(trouble) = lost.filter(|_| last == 0) {
                        return Err(Ended::Alone(trouble));
                    }
                }
                // Who was lost is known a little later than that one was.
                Come::Closed => {
                    closed -= 1;
                    let own = Trouble::Lost {
                        process: self.process,
                        silent: true,
                    };
                    let lost = self.pulse.lost().map(lost);
                    if let Some(trouble) = lost.or((closed == 0).then_some(own)) {
                        return Err(Ended::Alone(trouble));
                    }
                    std::thread::sleep(PATIENCE);
                }
            }
            self.pulse.on(self.local);
        }
    }

    fn take_if_well(&mut self, records: &[u64]) {
        if self.stop.is_none()
            && self.trouble.is_none()
            && let Err(full) = self.take(records)
        {
            self.fail(full);
        }
    }

    fn add_up(&mut self, tells: &[Tell]) {
        let sum = |of: fn(&Tell) -> u64| tells.iter().map(of).sum();
        self.totals = Totals {
            left: sum(|t| t.left),
            queued: sum(|t| t.queued),
            states: sum(|t| t.states),
            transitions: sum(|t| t.transitions),
            operations: sum(|t| t.operations),
            bytes: sum(|t| t.bytes),
            disk: sum(|t| t.disk),
        };
        if self.me == 0 {
            let (level, totals) = (self.level, &self.totals);
            self.progress.tell(self.task.control, level, totals);
        }
    }

    fn bytes(&self) -> u64 {
        let boxes: usize = self.boxes.iter().map(|b| b.capacity() * 8).sum();
        (self.known.bytes() + boxes) as u64
    }

    /// Bytes on disk.
    pub fn disk(&self) -> u64 {
        self.known.on_disk() + self.writer.as_ref().map_or(0, |w| w.written)
    }
}

/// What becomes of news.
struct Taking<'w> {
    task: &'w Task<'w>,
    machine: &'w Machine<'w>,
    level: u64,
    counted: &'w mut Counted,
    writer: Option<&'w mut Writer>,
    queued: &'w mut u64,
}

impl Taking<'_> {
    #[inline]
    fn take(&mut self, news: News) -> std::io::Result<()> {
        let News {
            head,
            state,
            fresh,
            gained,
        } = news;
        let (task, level) = (self.task, self.level);
        let here = || Candidate {
            level,
            state: state.to_vec(),
            head,
        };
        let Counted { tally, found, .. } = &mut *self.counted;
        if fresh {
            tally.fresh(task, self.machine, state, &mut |question| {
                let nearest = &mut found[question];
                // Made only where it may be nearer: most are not.
                if nearest
                    .as_ref()
                    .is_none_or(|n| (n.level, &n.state[..]) > (level, state))
                {
                    *nearest = Some(here());
                }
            });
        }
        if head & GOOD == 0 && !task.plain {
            tally.violated = true;
            for (question, found) in found.iter_mut().enumerate() {
                if task.asks_for_violations(question)
                    && found.as_ref().is_none_or(|f| f.level >= level)
                {
                    nearer(found, Some(&here()));
                }
            }
        }
        if gained & crate::engine::compiled::POINT != 0 {
            tally.point(task, state);
        }
        let queued = gained & QUEUED != 0 || task.plain && fresh;
        *self.queued += u64::from(queued);
        if (fresh || gained != 0)
            && let Some(writer) = &mut self.writer
        {
            writer.push(head, state)?;
        }
        Ok(())
    }
}
