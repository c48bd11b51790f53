//! The states of a level that a worker is to expand, as they stand in level files.

use super::blocks::{Block, Blocks, Kind};
use super::levels::{Place, is_queued};
use std::io;
use std::vec::IntoIter;

/// One worker's records of a level, from its own file or from those that are gone on from.
pub(super) struct Source {
    /// Who wrote them.
    pub worker: usize,
    pub level: u64,
    pub blocks: Blocks,
}

/// States to be expanded, one after the other.
pub(super) struct Frontier {
    sources: IntoIter<Source>,
    now: Option<Source>,
    block: Vec<u64>,
    at: usize,
    /// The next record's number in its level.
    number: u64,
    wide: usize,
}

impl Frontier {
    /// The queued states of these records.
    pub fn new(sources: Vec<Source>, words: usize) -> Self {
        Frontier {
            sources: sources.into_iter(),
            now: None,
            block: Vec::new(),
            at: 0,
            number: 0,
            wide: 1 + words,
        }
    }

    /// The next state, and where it stands.
    ///
    /// # Errors
    /// Of the files.
    pub fn next(&mut self) -> io::Result<Option<(Place, &[u64])>> {
        loop {
            while self.at < self.block.len() {
                let (begin, number) = (self.at, self.number);
                self.at += self.wide;
                self.number += 1;
                if is_queued(self.block[begin]) {
                    let worker = self.now.as_ref().map_or(0, |s| s.worker);
                    let place = Place { worker, number };
                    return Ok(Some((place, &self.block[begin + 1..begin + self.wide])));
                }
            }
            if !self.refill()? {
                return Ok(None);
            }
        }
    }

    /// Reads the next block; whether there is one.
    fn refill(&mut self) -> io::Result<bool> {
        loop {
            let Some(source) = &mut self.now else {
                self.now = self.sources.next();
                self.number = 0;
                if self.now.is_none() {
                    return Ok(false);
                }
                continue;
            };
            match source.blocks.next()? {
                Some(block) if is_of(&block, source.level) => {
                    self.block.clear();
                    self.block.extend(block.words());
                    self.at = 0;
                    return Ok(true);
                }
                Some(block) if block.level < source.level || block.kind == Kind::Header => {}
                _ => self.now = None,
            }
        }
    }
}

fn is_of(block: &Block, level: u64) -> bool {
    block.kind == Kind::Records && block.level == level
}
