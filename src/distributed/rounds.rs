//! How workers stay in step: in a round each tells what it has, and takes in what the others have sent and told.

use super::known::Full;
use super::post::{Come, Letter, Sent};
use super::search::{Ended, Searcher, Totals};
use super::tell::{Tell, lost};
use crate::base::control::Stop;
use crate::base::results::distributed::Trouble;
use std::time::Duration;

/// How long one waits before looking around.
const PATIENCE: Duration = Duration::from_millis(50);

/// How often one looks again after a process was lost: its last words may be under way.
const LAST: u32 = 10;

impl Searcher<'_> {
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
}
