//! Executions: back through the level files, from a state that was asked for to an initial one.
//!
//! A record names the record that led to it, which stands in the level before. So the way is as long as the level is
//! deep, and no other is shorter. Each step is a round: who has the record tells all.

use super::blocks::Kind;
use super::levels::{Place, Records};
use super::manifest::Manifest;
use super::search::{Ended, Searcher};
use super::tell::{Candidate, Tell};
use std::io;

impl Searcher<'_> {
    /// The states on the way to one that was found, from an initial state on; none if a record is missing.
    ///
    /// # Errors
    /// If nobody can be asked any more.
    pub(super) fn way_to(&mut self, found: &Candidate) -> Result<Option<Vec<Vec<u64>>>, Ended> {
        let mut states = vec![found.state.clone()];
        let (mut head, mut level) = (found.head, found.level);
        while let Some(place) = Place::of(head) {
            let Some(before) = level.checked_sub(1) else {
                return Ok(None);
            };
            level = before;
            let mut tell = Tell::default();
            if place.worker % self.all == self.me {
                // Whoever can't read it says nothing.
                tell.record = self.record(level, place).ok();
            }
            let tells = self.exchange(tell)?;
            let Some((step, state)) = tells.into_iter().find_map(|t| t.record) else {
                return Ok(None);
            };
            states.push(state);
            head = step;
        }
        states.reverse();
        Ok(Some(states))
    }

    /// A record: its first word, and the state.
    fn record(&self, level: u64, place: Place) -> io::Result<(u64, Vec<u64>)> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let manifest = Manifest::read(&self.kept.directory)?.ok_or_else(missing)?;
        let (epoch, end) = manifest
            .ends(u64::MAX)
            .filter(|(e, _)| e.first <= level)
            .last()
            .ok_or_else(missing)?;
        let wide = 1 + self.kept.words;
        let mut blocks = Records::of(&self.kept, (epoch, end), place.worker, level..=level)?;
        let mut number = place.number;
        while let Some(block) = blocks.next()? {
            if block.kind != Kind::Records {
                continue;
            }
            let records = (block.bytes.len() / 8 / wide) as u64;
            if number < records {
                let words: Vec<u64> = block
                    .words()
                    .skip(number as usize * wide)
                    .take(wide)
                    .collect();
                return Ok((words[0], words[1..].to_vec()));
            }
            number -= records;
        }
        Err(missing())
    }
}
