//! The states that a worker is responsible for: those it has met, in memory as long as there is room, then on disk.
//!
//! Beyond its share of memory the set is written to a sorted run and emptied. From then on it is not known at once
//! whether a state is new: what comes waits until the end of the level, or until there are many, and is then compared
//! with the runs. What is new is the same in both cases, and in the same level.

use super::runs::{Merged, Run, RunReader, RunWriter};
use crate::base::control::{Control, Stop};
use crate::engine::compiled::{BATCH, POINT, QUEUED, Visited, gained};
use std::io;
use std::path::PathBuf;

/// In a state's flags: it is in a run.
const IN_RUN: u8 = 4;

/// It has been compared with the runs.
const SETTLED: u8 = 8;

/// It was taken in as one that is met for the first time.
const TAKEN: u8 = 16;

/// What it gained is not in a run.
const CHANGED: u8 = 32;

/// Why a set can't take in more.
#[derive(Debug)]
pub(super) enum Full {
    Stopped(Stop),
    Disk(io::Error),
}

impl From<Stop> for Full {
    fn from(stop: Stop) -> Self {
        Full::Stopped(stop)
    }
}

impl From<io::Error> for Full {
    fn from(error: io::Error) -> Self {
        Full::Disk(error)
    }
}

/// A state that is new, or of which something is.
pub(super) struct News<'s> {
    pub head: u64,
    pub state: &'s [u64],
    /// Whether it was not met before.
    pub fresh: bool,
    /// What is new, as flags; of a plain search, none.
    pub gained: u8,
}

/// A set of states.
pub(super) struct Known {
    words: usize,
    /// A search in which every state is expanded: then flags say nothing.
    plain: bool,
    visited: Visited,
    /// By number; left out as long as they would say nothing.
    flags: Vec<u8>,
    /// What waits to be compared with the runs: numbers and heads.
    waiting: Vec<(u32, u64)>,
    runs: Vec<Run>,
    /// Bytes above which the set goes to disk.
    share: Option<usize>,
    /// Where runs are written, and how many were.
    place: PathBuf,
    made: usize,
    /// States met in all.
    pub count: u64,
    /// Room for numbers.
    numbers: Vec<(u32, bool)>,
}

impl Known {
    /// An empty set of states of so many words.
    pub fn new(words: usize, plain: bool, share: Option<usize>, place: PathBuf) -> Self {
        Known {
            words,
            plain,
            visited: Visited::new(words),
            flags: Vec::new(),
            waiting: Vec::new(),
            runs: Vec::new(),
            share,
            place,
            made: 0,
            count: 0,
            numbers: Vec::new(),
        }
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.visited.bytes() + self.flags.capacity() + self.waiting.capacity() * 16
    }

    /// Bytes on disk.
    pub fn on_disk(&self) -> u64 {
        self.runs.iter().map(|r| r.bytes).sum()
    }

    fn has_flags(&self) -> bool {
        !self.plain || !self.runs.is_empty()
    }

    /// Takes in records: a head and a state each. Calls `visit` with what is known to be new.
    ///
    /// # Errors
    /// If there is no room, in memory or on disk, and as [`Control::check`].
    pub fn take(
        &mut self,
        records: &[u64],
        control: &Control,
        visit: &mut dyn FnMut(News) -> io::Result<()>,
    ) -> Result<(), Full> {
        let wide = 1 + self.words;
        let mut numbers = std::mem::take(&mut self.numbers);
        for batch in records.chunks(BATCH * wide) {
            let states = batch.chunks_exact(wide).map(|r| &r[1..]);
            self.visited.insert_all(states, control, &mut numbers)?;
            for (record, &(number, fresh)) in batch.chunks_exact(wide).zip(&numbers) {
                self.one((record[0], &record[1..]), (number, fresh), visit)?;
            }
        }
        self.numbers = numbers;
        Ok(())
    }

    #[inline]
    fn one(
        &mut self,
        (head, state): (u64, &[u64]),
        (number, fresh): (u32, bool),
        visit: &mut dyn FnMut(News) -> io::Result<()>,
    ) -> io::Result<()> {
        if !self.has_flags() {
            if !fresh {
                return Ok(());
            }
            self.count += 1;
            let news = News {
                head,
                state,
                fresh,
                gained: 0,
            };
            return visit(news);
        }
        if fresh {
            self.flags.push(match self.runs.is_empty() {
                true => SETTLED,
                false => 0,
            });
        }
        let known = self.flags[number as usize];
        if known & SETTLED == 0 {
            // Of a plain search one record of a state says all.
            if fresh || !self.plain {
                self.waiting.push((number, head));
            }
            return Ok(());
        }
        self.news((number, head), state, visit)
    }

    /// Tells what a record of a state that was compared with all others adds.
    fn news(
        &mut self,
        (number, head): (u32, u64),
        state: &[u64],
        visit: &mut dyn FnMut(News) -> io::Result<()>,
    ) -> io::Result<()> {
        let flags = &mut self.flags[number as usize];
        let fresh = *flags & (IN_RUN | TAKEN) == 0;
        let gained = match self.plain {
            true => 0,
            false => gained(*flags, head),
        };
        *flags |= gained | TAKEN;
        if gained != 0 {
            *flags |= CHANGED;
        }
        self.count += u64::from(fresh);
        visit(News {
            head,
            state,
            fresh,
            gained,
        })
    }

    /// Whether there is more than its share in memory.
    pub fn is_full(&self) -> bool {
        self.share.is_some_and(|share| self.bytes() > share)
    }

    /// Compares what waits with the runs, and calls `visit` with what is new.
    ///
    /// # Errors
    /// As [`Known::take`].
    pub fn settle(
        &mut self,
        control: &Control,
        visit: &mut dyn FnMut(News) -> io::Result<()>,
    ) -> Result<(), Full> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let open = |&n: &u32| self.flags[n as usize] & SETTLED == 0;
        let mut numbers: Vec<u32> = self.waiting.iter().map(|(n, _)| *n).filter(open).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let sorted = self.sorted(&numbers);
        for run in &self.runs {
            let mut reader = RunReader::new(run, self.words)?;
            for (n, row) in sorted.rows() {
                control.check()?;
                if let Some(known) = reader.find(row)? {
                    self.flags[n as usize] |= IN_RUN | known as u8;
                }
            }
        }
        for &n in &numbers {
            self.flags[n as usize] |= SETTLED;
        }
        drop(sorted);
        let mut state = vec![0; self.words];
        for (number, head) in std::mem::take(&mut self.waiting) {
            self.visited.state(number, &mut state);
            self.news((number, head), &state, visit)?;
        }
        Ok(())
    }

    fn sorted(&self, numbers: &[u32]) -> Sorted {
        let mut words = vec![0; numbers.len() * self.words];
        for (row, &n) in words.chunks_exact_mut(self.words).zip(numbers) {
            self.visited.state(n, row);
        }
        let row = |n: &u32| &words[*n as usize * self.words..(*n as usize + 1) * self.words];
        let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
        order.sort_unstable_by(|a, b| row(a).cmp(row(b)));
        Sorted {
            numbers: numbers.to_vec(),
            order,
            wide: self.words,
            words,
        }
    }

    /// Writes all that is in memory to disk, and empties it. Nothing waits.
    ///
    /// # Errors
    /// As [`Known::take`].
    pub fn spill(&mut self, control: &Control) -> Result<(), Full> {
        let unsaved = |n: &u32| match self.flags.get(*n as usize) {
            Some(flags) => flags & IN_RUN == 0 || flags & CHANGED != 0,
            None => true,
        };
        let numbers: Vec<u32> = (0..self.visited.len() as u32).filter(unsaved).collect();
        // A part at a time: sorting needs room.
        let part = (self.share.unwrap_or(usize::MAX) / 4 / (8 * self.words)).max(1 << 12);
        for some in numbers.chunks(part) {
            control.check()?;
            let sorted = self.sorted(some);
            let mut run = self.run()?;
            for (n, row) in sorted.rows() {
                let flags = self.flags.get(n as usize).copied().unwrap_or(0);
                run.push(row, u64::from(flags & (QUEUED | POINT)))?;
            }
            self.runs.push(run.finish()?);
        }
        self.visited = Visited::new(self.words);
        self.flags = Vec::new();
        self.waiting = Vec::new();
        self.merge(control)
    }

    fn run(&mut self) -> io::Result<RunWriter> {
        self.made += 1;
        RunWriter::new(&self.place.with_extension(format!("{:05}", self.made)))
    }

    /// Makes one run of the last ones, and of those before that are not much longer than these: so there are few, and
    /// each state is merged a few times only.
    fn merge(&mut self, control: &Control) -> Result<(), Full> {
        let mut first = self.runs.len();
        let mut rows = 0;
        while let Some(before) = first
            .checked_sub(1)
            .filter(|n| self.runs[*n].rows <= 2 * rows || rows == 0)
        {
            rows += self.runs[before].rows;
            first = before;
        }
        if self.runs.len() - first < 2 {
            return Ok(());
        }
        let mut merged = Merged::new(&self.runs[first..], self.words)?;
        let mut into = self.run()?;
        let mut state = Vec::with_capacity(self.words);
        while let Some(flags) = merged.next(&mut state)? {
            control.check()?;
            into.push(&state, flags)?;
        }
        let run = into.finish()?;
        self.runs.truncate(first);
        self.runs.push(run);
        Ok(())
    }
}

/// States in order.
struct Sorted {
    numbers: Vec<u32>,
    order: Vec<u32>,
    wide: usize,
    words: Vec<u64>,
}

impl Sorted {
    /// Their numbers, and they.
    fn rows(&self) -> impl Iterator<Item = (u32, &[u64])> {
        self.order.iter().map(|&n| {
            let n = n as usize;
            (
                self.numbers[n],
                &self.words[n * self.wide..(n + 1) * self.wide],
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::compiled::{GOOD, IS_POINT};
    use proptest::prelude::*;

    /// What a set says of records, by level: in memory, and with so little room that it goes to disk all the time.
    fn told(
        records: &[(u8, u8)],
        plain: bool,
        share: Option<usize>,
        place: &str,
    ) -> Vec<(u64, u64)> {
        let control = Control::default();
        let directory = std::env::temp_dir().join(format!("coarsen-known-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        let mut known = Known::new(2, plain, share, directory.join(place));
        let mut all = Vec::new();
        for (level, some) in records.chunks(7).enumerate() {
            let mut now: Vec<(u64, u64)> = Vec::new();
            let mut visit = |news: News| {
                if news.fresh || news.gained != 0 {
                    let what = u64::from(news.fresh) << 8 | u64::from(news.gained);
                    now.push((news.state[0] | (level as u64) << 32, what));
                }
                Ok(())
            };
            for &(state, how) in some {
                let how = match plain {
                    true => GOOD | IS_POINT,
                    false => [0, GOOD, GOOD | IS_POINT][how as usize % 3],
                };
                let record = [how, u64::from(state % 40), 7];
                known.take(&record, &control, &mut visit).expect("room");
                if known.is_full() {
                    known.settle(&control, &mut visit).expect("room");
                    known.spill(&control).expect("room");
                }
            }
            known.settle(&control, &mut visit).expect("room");
            all.append(&mut now);
        }
        // Flags may come in two records or in one.
        all.sort_unstable();
        let different = all.iter().filter(|(_, what)| what >> 8 == 1).count();
        assert_eq!(known.count, different as u64);
        all
    }

    proptest! {
        #[test]
        fn the_same_on_disk(records in prop::collection::vec((any::<u8>(), any::<u8>()), 1..200), plain: bool) {
            let in_memory = told(&records, plain, None, "memory");
            for share in [0, 1500, 4000] {
                prop_assert_eq!(&told(&records, plain, Some(share), "disk"), &in_memory);
            }
        }
    }
}
