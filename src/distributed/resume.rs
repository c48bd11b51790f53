//! Going on where a search was interrupted, with the same workers or with others.
//!
//! The workers agree on the last level that all have written to its end and that is as it was written. Then each takes
//! in the states that it is responsible for now. What is damaged costs the levels from there on, never a state.

use super::blocks::{Kind, damaged};
use super::frontier::{Frontier, Source};
use super::levels::{Records, Writer, intact, is_queued, names};
use super::manifest::{Epoch, Manifest};
use super::search::{Ended, Searcher};
use super::sending::owner;
use super::tell::{Counted, Tell};
use crate::base::results::distributed::Trouble;
use std::io;

/// From what a search goes on.
struct From {
    manifest: Manifest,
    /// The last level.
    last: u64,
    /// Whether each worker has its own files only.
    same: bool,
}

impl Searcher<'_> {
    /// Prepares the files. If there are levels to go on from: takes their states in, and gives those to expand.
    pub(super) fn go_on(&mut self) -> Result<Option<Frontier>, Ended> {
        let (manifest, unused) = self.agree()?;
        let same = manifest.epochs.iter().all(|e| e.workers == self.all);
        let last = match manifest.epochs.is_empty() {
            true => None,
            false => self.last_intact(&manifest, same)?,
        };
        let from = last.map(|last| From {
            manifest: manifest.clone(),
            last,
            same,
        });
        self.begin(manifest, last, unused)?;
        let Some(from) = from else {
            if self.storage.resume {
                self.progress.again();
            }
            return Ok(None);
        };
        let taken = {
            let pulse = self.pulse;
            pulse.away(|| self.take_in(&from))
        };
        let frontier = match taken {
            Ok(frontier) => Some(frontier),
            Err(full) => {
                self.fail(full);
                None
            }
        };
        (self.left, self.queued) = (self.queued, 0);
        self.level = from.last + 1;
        let states = self.counted.states;
        self.round(Tell {
            left: self.left,
            // Whether all are there again: what was counted, by whoever did.
            queued: states,
            ..Tell::default()
        })?;
        if self.totals.states != self.totals.queued {
            let why = format!(
                "{} states were counted and {} are there",
                self.totals.queued, self.totals.states
            );
            return Err(self.refuse(why));
        }
        self.counted.states = self.known.count;
        self.progress.resumed(from.last);
        Ok(frontier)
    }

    fn refuse(&self, why: String) -> Ended {
        let trouble = Trouble::Files { why };
        Ended::Stopped(trouble.stop(), Some(trouble))
    }

    /// What the manifests of all processes have in common, and a number that no epoch has had.
    fn agree(&mut self) -> Result<(Manifest, usize), Ended> {
        let directory = &self.kept.directory;
        let read = || -> io::Result<(Option<Manifest>, usize)> {
            let used = names(directory)?.iter().map(|n| n.epoch + 1).max();
            let manifest = Manifest::read(directory)?.filter(|_| self.storage.resume);
            let numbers = manifest.iter().flat_map(|m| &m.epochs);
            let unused = numbers.map(|e| e.number + 1).chain(used).max();
            Ok((manifest, unused.unwrap_or(0)))
        };
        let mut tell = Tell {
            system: self.system.to_string(),
            ..Tell::default()
        };
        match read() {
            Ok((Some(manifest), _)) if manifest.system != self.system => {
                let why = "its levels are of another reduced system than is found now".to_string();
                self.trouble = Some(Trouble::Files { why });
            }
            Ok((manifest, unused)) => {
                tell.manifest = manifest.and_then(|m| serde_json::to_string(&m.epochs).ok());
                tell.unused = unused;
            }
            Err(error) => self.fail(error.into()),
        }
        let tells = self.round(tell)?;
        if tells.iter().any(|t| t.system != self.system) {
            return Err(self.refuse("the processes have found different reduced systems".into()));
        }
        let unused = tells.iter().map(|t| t.unused).max().unwrap_or(0);
        let mut all = tells.iter().map(|t| {
            let text = t.manifest.as_deref().unwrap_or("[]");
            serde_json::from_str::<Vec<Epoch>>(text).unwrap_or_default()
        });
        let mut common = all.next().unwrap_or_default();
        for epochs in all {
            let alike = common.iter().zip(&epochs).take_while(|(a, b)| a == b);
            common.truncate(alike.count());
        }
        let storage = self.storage;
        let mut manifest = Manifest::new(&self.kept.fingerprint, self.system, &storage.about);
        manifest.epochs = common;
        Ok((manifest, unused))
    }

    /// The last level up to which all files are there and as they were written.
    fn last_intact(&mut self, manifest: &Manifest, same: bool) -> Result<Option<u64>, Ended> {
        let mut tell = Tell::default();
        let pulse = self.pulse;
        match pulse.away(|| self.own_intact(manifest, same)) {
            Ok((level, file)) => (tell.intact, tell.damaged) = (level, file),
            Err(error) => self.fail(error.into()),
        }
        let tells = self.round(tell)?;
        let damaged = tells.iter().find_map(|t| t.damaged.clone());
        if let Some(file) = damaged {
            self.progress.damaged(file);
        }
        Ok(tells.iter().filter_map(|t| t.intact).min().flatten())
    }

    /// As far as those files go that this worker looks at; none if it has none to look at.
    #[allow(clippy::type_complexity)]
    fn own_intact(
        &self,
        manifest: &Manifest,
        same: bool,
    ) -> io::Result<(Option<Option<u64>>, Option<String>)> {
        let mut least: Option<Option<u64>> = None;
        let mut bad = None;
        for (epoch, end) in manifest.ends(u64::MAX) {
            let own = (0..epoch.workers).filter(|w| w % self.all == self.me);
            for worker in own {
                debug_assert!(!same || worker == self.me);
                let (last, file) = intact(&self.kept, epoch, worker)?;
                // Beyond its end an epoch has nothing to say.
                if last.is_some_and(|l| l >= end) {
                    continue;
                }
                let last = last.or(epoch.first.checked_sub(1));
                least = Some(least.map_or(last, |l| l.min(last)));
                bad = bad.or(file);
            }
        }
        Ok((least, bad.map(|f| f.display().to_string())))
    }

    /// Writes the manifest of what follows: no level is written before all have it.
    fn begin(
        &mut self,
        mut manifest: Manifest,
        last: Option<u64>,
        unused: usize,
    ) -> Result<(), Ended> {
        manifest.go_on(last, self.all, unused);
        if self.local == 0
            && let Err(error) = manifest.write(&self.kept.directory, self.process)
        {
            self.fail(error.into());
        }
        self.round(Tell::default())?;
        let first = last.map_or(0, |l| l + 1);
        self.writer = Some(Writer::new(self.kept.clone(), unused, self.me, first));
        Ok(())
    }

    /// Takes in this worker's states of all levels, and what was counted.
    fn take_in(&mut self, from: &From) -> Result<Frontier, super::known::Full> {
        let mut sources = Vec::new();
        let wide = 1 + self.kept.words;
        let mut records = Vec::new();
        for (epoch, end) in from.manifest.ends(from.last) {
            let workers = (0..epoch.workers).filter(|w| !from.same || *w == self.me);
            for worker in workers {
                let kept = self.kept.clone();
                let mut blocks = Records::of(&kept, (epoch, end), worker, 0..=from.last)?;
                while let Some(block) = blocks.next()? {
                    self.task.control.check()?;
                    let is_last = block.level == from.last;
                    if block.kind == Kind::End {
                        if is_last && worker % self.all == self.me {
                            let counted: Counted =
                                serde_json::from_slice(&block.bytes).map_err(io::Error::from)?;
                            self.counted.add(&counted);
                        }
                        continue;
                    }
                    records.clear();
                    let words: Vec<u64> = block.words().collect();
                    if !words.len().is_multiple_of(wide) {
                        return Err(damaged().into());
                    }
                    for record in words.chunks_exact(wide) {
                        if owner(&record[1..], self.all) == self.me {
                            records.extend_from_slice(record);
                            self.queued += u64::from(is_last && is_queued(record[0]));
                        }
                    }
                    self.known
                        .take(&records, self.task.control, &mut |_| Ok(()))?;
                    if self.known.is_full() {
                        self.known.settle(self.task.control, &mut |_| Ok(()))?;
                        self.known.spill(self.task.control)?;
                    }
                }
                if end == from.last {
                    sources.push(Source {
                        worker,
                        level: from.last,
                        blocks: self.level_of((epoch, end), worker)?,
                    });
                }
            }
        }
        self.known.settle(self.task.control, &mut |_| Ok(()))?;
        Ok(Frontier::new(sources, self.kept.words))
    }

    /// The blocks of the last level of an epoch.
    fn level_of(
        &self,
        (epoch, end): (&Epoch, u64),
        worker: usize,
    ) -> io::Result<super::blocks::Blocks> {
        let files = names(&self.kept.directory)?;
        let file = files
            .into_iter()
            .rfind(|n| n.epoch == epoch.number && n.worker == worker && n.first <= end)
            .ok_or_else(damaged)?;
        self.kept.open(file)
    }
}
