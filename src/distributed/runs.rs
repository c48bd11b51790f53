//! Sorted runs on disk: the states that a worker met before there was no room for them in memory.
//!
//! Delayed duplicate detection (Stern and Dill 1998; Korf 2004): new states are compared with the runs many at once, by
//! merging. Rows that are alike are one, with the flags of all.

use super::blocks::{Blocks, Kind, damaged, put};
use std::cmp::Ordering;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Bytes of a block.
const BLOCK: usize = 1 << 16;

/// Sorted rows on disk: words of a state, then a word of flags. It goes with this value.
#[derive(Debug)]
pub(super) struct Run {
    path: PathBuf,
    pub bytes: u64,
    pub rows: u64,
}

impl Drop for Run {
    fn drop(&mut self) {
        // If it can't be removed, it is in the way of nothing.
        let _ = fs::remove_file(&self.path);
    }
}

/// Writes a run.
pub(super) struct RunWriter {
    file: File,
    run: Run,
    open: Vec<u8>,
}

impl RunWriter {
    /// One without rows.
    ///
    /// # Errors
    /// Of the file.
    pub fn new(path: &Path) -> io::Result<Self> {
        Ok(RunWriter {
            file: File::create(path)?,
            run: Run {
                path: path.to_path_buf(),
                bytes: 0,
                rows: 0,
            },
            open: Vec::new(),
        })
    }

    /// Appends a row, which is above the last one.
    ///
    /// # Errors
    /// Of the file.
    pub fn push(&mut self, state: &[u64], flags: u64) -> io::Result<()> {
        for word in state.iter().chain([&flags]) {
            self.open.extend_from_slice(&word.to_le_bytes());
        }
        self.run.rows += 1;
        if self.open.len() >= BLOCK {
            self.seal()?;
        }
        Ok(())
    }

    fn seal(&mut self) -> io::Result<()> {
        let mut block = Vec::with_capacity(self.open.len() + 32);
        put(&mut block, Kind::Records, self.run.rows, &self.open);
        self.file.write_all(&block)?;
        self.run.bytes += block.len() as u64;
        self.open.clear();
        Ok(())
    }

    /// The run, with all its rows.
    ///
    /// # Errors
    /// Of the file.
    pub fn finish(mut self) -> io::Result<Run> {
        if !self.open.is_empty() {
            self.seal()?;
        }
        Ok(self.run)
    }
}

/// Reads a run from its beginning.
pub(super) struct RunReader {
    blocks: Blocks,
    block: Vec<u64>,
    at: usize,
    left: u64,
    wide: usize,
}

impl RunReader {
    /// One of states of so many words.
    ///
    /// # Errors
    /// Of the file.
    pub fn new(run: &Run, words: usize) -> io::Result<Self> {
        Ok(RunReader {
            blocks: Blocks::open(&run.path, 0)?,
            block: Vec::new(),
            at: 0,
            left: run.rows,
            wide: 1 + words,
        })
    }

    /// The flags of a state, if it is there; none of those that were asked for before is greater.
    ///
    /// # Errors
    /// Of the file, or if it is not as it was written.
    pub fn find(&mut self, state: &[u64]) -> io::Result<Option<u64>> {
        let words = self.wide - 1;
        loop {
            let Some(row) = self.row()? else {
                return Ok(None);
            };
            match row[..words].cmp(state) {
                Ordering::Less => self.advance(),
                Ordering::Equal => return Ok(Some(row[words])),
                Ordering::Greater => return Ok(None),
            }
        }
    }

    /// The present row; none at the end.
    fn row(&mut self) -> io::Result<Option<&[u64]>> {
        if self.at == self.block.len() {
            if self.left == 0 {
                return Ok(None);
            }
            let block = self.blocks.next()?.ok_or_else(damaged)?;
            self.block.clear();
            self.block.extend(block.words());
            self.at = 0;
        }
        Ok(Some(&self.block[self.at..self.at + self.wide]))
    }

    fn advance(&mut self) {
        self.at += self.wide;
        self.left -= 1;
    }
}

/// Some runs as one.
pub(super) struct Merged {
    readers: Vec<RunReader>,
    words: usize,
}

impl Merged {
    /// Those runs, of states of so many words.
    ///
    /// # Errors
    /// Of the files.
    pub fn new(runs: &[Run], words: usize) -> io::Result<Self> {
        let readers = runs.iter().map(|r| RunReader::new(r, words));
        Ok(Merged {
            readers: readers.collect::<io::Result<_>>()?,
            words,
        })
    }

    /// The next state and all its flags; none at the end.
    ///
    /// # Errors
    /// Of the files, or if one is not as it was written.
    pub fn next(&mut self, state: &mut Vec<u64>) -> io::Result<Option<u64>> {
        let words = self.words;
        let mut least: Option<usize> = None;
        for n in 0..self.readers.len() {
            let Some(row) = self.readers[n].row()? else {
                continue;
            };
            if least.is_none() || row[..words] < state[..] {
                state.clear();
                state.extend_from_slice(&row[..words]);
                least = Some(n);
            }
        }
        if least.is_none() {
            return Ok(None);
        }
        let mut flags = 0;
        for reader in &mut self.readers {
            let alike = match reader.row()? {
                Some(row) if row[..words] == state[..] => Some(row[words]),
                _ => None,
            };
            if let Some(more) = alike {
                flags |= more;
                reader.advance();
            }
        }
        Ok(Some(flags))
    }
}
