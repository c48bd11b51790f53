//! Level files: the states that a worker met, level by level, each with the step that led to it.
//!
//! They are the frontier, the store of traces, and what a search goes on from after an interruption. A file holds one
//! level, or several where they are small: a level of a few states is not worth waiting for the disk. A file that is
//! complete is synced and then gets its name, so whatever has a name was written to its end; the others end in `.part`.
//! A record is a word for the step (the parent, [`GOOD`], [`IS_POINT`]) and the state.

use super::blocks::{Block, Blocks, Kind, damaged, put};
use super::manifest::Epoch;
use crate::engine::compiled::{GOOD, IS_POINT};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Records are put into blocks of about so many bytes.
const BLOCK: usize = 1 << 17;

/// A file is closed at the end of a level if it has so many bytes.
const CLOSE: usize = 1 << 20;

/// A file is closed at the end of a level after this time.
const OFTEN: Duration = Duration::from_secs(1);

/// Bytes that wait to be written; more than a file needs to be closed.
const BUFFER: usize = 2 << 20;

/// Bits for a record's number in its level, below those for its worker.
const NUMBER: u32 = 46;

/// Parents are below these bits; an initial state has none.
pub(super) const PARENT: u64 = (1 << 62) - 1;

/// The most workers.
pub(super) const WORKERS: usize = (1 << (62 - NUMBER)) - 1;

/// Where a state was written: the worker, and the record's number in the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub worker: usize,
    pub number: u64,
}

impl Place {
    /// As a word.
    pub fn word(self) -> u64 {
        (self.worker as u64) << NUMBER | self.number
    }

    /// From a record's first word; none for an initial state.
    pub fn of(head: u64) -> Option<Self> {
        let parent = head & PARENT;
        (parent != PARENT).then_some(Place {
            worker: (parent >> NUMBER) as usize,
            number: parent & ((1 << NUMBER) - 1),
        })
    }
}

/// Whether a record is of a state that was to be expanded from then on.
pub(super) fn is_queued(head: u64) -> bool {
    head & (GOOD | IS_POINT) == GOOD | IS_POINT
}

/// What all level files of a search share.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub directory: PathBuf,
    /// Of the model and what was asked.
    pub fingerprint: String,
    /// Words of a state.
    pub words: usize,
}

/// A file: its first level, the epoch and the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub epoch: usize,
    pub worker: usize,
    pub first: u64,
}

impl Name {
    pub fn path(self, directory: &Path) -> PathBuf {
        let Name {
            epoch,
            worker,
            first,
        } = self;
        directory.join(format!(
            "level-{first:010}.epoch-{epoch:04}.worker-{worker:05}"
        ))
    }

    fn of(name: &str) -> Option<Self> {
        let mut parts = name.split('.');
        let mut part = |before: &str| parts.next()?.strip_prefix(before)?.parse::<u64>().ok();
        let (first, epoch, worker) = (part("level-")?, part("epoch-")?, part("worker-")?);
        let name = Name {
            epoch: usize::try_from(epoch).ok()?,
            worker: usize::try_from(worker).ok()?,
            first,
        };
        parts.next().is_none().then_some(name)
    }
}

/// The files of a directory, by epoch, worker and level.
///
/// # Errors
/// Of the directory.
pub(super) fn names(directory: &Path) -> io::Result<Vec<Name>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        all.extend(name.to_str().and_then(Name::of));
    }
    all.sort_unstable();
    Ok(all)
}

impl Kept {
    fn header(&self, name: Name) -> Vec<u8> {
        let Name {
            epoch,
            worker,
            first,
        } = name;
        let (print, words) = (&self.fingerprint, self.words);
        format!("coarsen levels 1 {print} {words} {epoch} {worker} {first}").into_bytes()
    }

    /// A file's blocks behind its header.
    ///
    /// # Errors
    /// If it is damaged or another search's, and those of the file.
    pub fn open(&self, name: Name) -> io::Result<Blocks> {
        let mut blocks = Blocks::open(&name.path(&self.directory), 0)?;
        match blocks.next()? {
            Some(Block {
                kind: Kind::Header,
                bytes,
                ..
            }) if bytes == self.header(name) => Ok(blocks),
            _ => Err(damaged()),
        }
    }
}

/// The records of some levels that a worker wrote in an epoch, in order; levels from the epoch's end on are left out.
pub(super) struct Records<'k> {
    kept: &'k Kept,
    files: std::vec::IntoIter<Name>,
    now: Option<Blocks>,
    /// The levels that are wanted, and whether all were read.
    levels: std::ops::RangeInclusive<u64>,
    over: bool,
}

impl<'k> Records<'k> {
    /// Those of a worker.
    ///
    /// # Errors
    /// Of the directory.
    pub fn of(
        kept: &'k Kept,
        (epoch, end): (&Epoch, u64),
        worker: usize,
        levels: std::ops::RangeInclusive<u64>,
    ) -> io::Result<Self> {
        let (first, last) = (*levels.start().max(&epoch.first), *levels.end().min(&end));
        let mut files = names(&kept.directory)?;
        files.retain(|n| n.epoch == epoch.number && n.worker == worker && n.first <= last);
        // Those before the file in which the first level begins.
        let begin = files.iter().rposition(|n| n.first <= first).unwrap_or(0);
        files.drain(..begin);
        if files.is_empty() && first <= last {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("the level files of worker {worker} are not there"),
            ));
        }
        Ok(Records {
            kept,
            files: files.into_iter(),
            now: None,
            levels: first..=last,
            over: false,
        })
    }

    /// The next block of records, or of an end of a level.
    ///
    /// # Errors
    /// As [`Kept::open`].
    pub fn next(&mut self) -> io::Result<Option<Block>> {
        loop {
            let Some(blocks) = &mut self.now else {
                let Some(name) = self.files.next().filter(|_| !self.over) else {
                    return Ok(None);
                };
                self.now = Some(self.kept.open(name)?);
                continue;
            };
            match blocks.next()? {
                Some(block) if block.kind == Kind::Last => self.now = None,
                Some(block) if self.levels.contains(&block.level) => {
                    // What stands behind the last level may be damaged.
                    if block.kind == Kind::End && block.level == *self.levels.end() {
                        (self.over, self.now) = (true, None);
                    }
                    return Ok(Some(block));
                }
                Some(_) => {}
                None => return Err(damaged()),
            }
        }
    }
}

/// The last level up to which a worker's files of an epoch are as they were written, and the file that is not.
///
/// # Errors
/// Of the directory.
pub(super) fn intact(
    kept: &Kept,
    epoch: &Epoch,
    worker: usize,
) -> io::Result<(Option<u64>, Option<PathBuf>)> {
    let mut last = None;
    let mut next = epoch.first;
    let files = names(&kept.directory)?;
    for name in files
        .into_iter()
        .filter(|n| n.epoch == epoch.number && n.worker == worker)
    {
        let path = name.path(&kept.directory);
        if name.first != next {
            // One is missing before it.
            return Ok((last, Some(path)));
        }
        let Ok(mut blocks) = kept.open(name) else {
            return Ok((last, Some(path)));
        };
        loop {
            match blocks.next() {
                Ok(Some(block)) if block.kind == Kind::Last => break,
                Ok(Some(block)) if block.level != next => return Ok((last, Some(path))),
                Ok(Some(block)) if block.kind == Kind::End => {
                    last = Some(next);
                    next += 1;
                }
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => return Ok((last, Some(path))),
            }
        }
    }
    Ok((last, None))
}

/// Writes a worker's level files.
pub(super) struct Writer {
    kept: Kept,
    name: Name,
    /// The level that is being written, and how many records it has.
    pub level: u64,
    pub records: u64,
    /// Records that are in no block yet.
    open: Vec<u8>,
    /// Blocks that are not in the file yet.
    buffer: Vec<u8>,
    file: Option<File>,
    /// Bytes of the file that is being written, in the buffer or not.
    length: usize,
    /// Where the level begins in it.
    begin: usize,
    since: Instant,
    /// Bytes written in all.
    pub written: u64,
    /// The last level that is synced.
    pub synced: Option<u64>,
}

/// Where a level can be read again.
pub(super) enum Written {
    Memory(Vec<u8>),
    File(PathBuf, u64),
}

impl Written {
    /// Its blocks.
    ///
    /// # Errors
    /// Of the file.
    pub fn blocks(self) -> io::Result<Blocks> {
        match self {
            Written::Memory(bytes) => Ok(Blocks::of(bytes)),
            Written::File(path, begin) => Blocks::open(&path, begin),
        }
    }
}

impl Writer {
    /// One that begins with a level.
    pub fn new(kept: Kept, epoch: usize, worker: usize, level: u64) -> Self {
        let name = Name {
            epoch,
            worker,
            first: level,
        };
        let mut writer = Writer {
            kept,
            name,
            level,
            records: 0,
            open: Vec::new(),
            buffer: Vec::new(),
            file: None,
            length: 0,
            begin: 0,
            since: Instant::now(),
            written: 0,
            synced: None,
        };
        writer.begin_file();
        writer
    }

    fn begin_file(&mut self) {
        self.name.first = self.level;
        let header = self.kept.header(self.name);
        self.put(Kind::Header, &header);
        self.begin = self.length;
    }

    fn put(&mut self, kind: Kind, bytes: &[u8]) {
        let before = self.buffer.len();
        put(&mut self.buffer, kind, self.level, bytes);
        self.length += self.buffer.len() - before;
    }

    /// Appends a record; its number in the level.
    ///
    /// # Errors
    /// Of the file.
    #[inline]
    pub fn push(&mut self, head: u64, state: &[u64]) -> io::Result<u64> {
        self.open.extend_from_slice(&head.to_le_bytes());
        for word in state {
            self.open.extend_from_slice(&word.to_le_bytes());
        }
        self.records += 1;
        if self.open.len() >= BLOCK {
            self.seal()?;
        }
        Ok(self.records - 1)
    }

    /// Makes a block of the records.
    fn seal(&mut self) -> io::Result<()> {
        if !self.open.is_empty() {
            let open = std::mem::take(&mut self.open);
            self.put(Kind::Records, &open);
            self.open = open;
            self.open.clear();
        }
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }

    fn part(&self) -> PathBuf {
        self.name
            .path(&self.kept.directory)
            .with_extension(format!("worker-{:05}.part", self.name.worker))
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            let mut how = OpenOptions::new();
            how.write(true).create(true).truncate(true);
            self.file = Some(how.open(self.part())?);
        }
        if let Some(file) = &mut self.file {
            file.write_all(&self.buffer)?;
            self.written += self.buffer.len() as u64;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Leaves the level that is being written, and closes the file of those before it.
    ///
    /// # Errors
    /// Of the file.
    pub fn leave(&mut self) -> io::Result<()> {
        let Some(before) = self.level.checked_sub(1).filter(|l| *l >= self.name.first) else {
            return Ok(());
        };
        match &self.file {
            Some(file) => {
                self.buffer.clear();
                file.set_len(self.begin as u64)?;
                self.file = Some(OpenOptions::new().append(true).open(self.part())?);
            }
            None => self.buffer.truncate(self.begin),
        }
        self.level = before;
        self.close()
    }

    /// Ends a level, with what was counted up to it. Afterwards it can be read, and the next one begins.
    ///
    /// # Errors
    /// Of the file.
    pub fn end(&mut self, counted: &[u8]) -> io::Result<Written> {
        self.seal()?;
        self.put(Kind::End, counted);
        let close = self.length >= CLOSE || self.since.elapsed() >= OFTEN;
        let written = match close {
            false => Written::Memory(self.buffer[self.begin..].to_vec()),
            true => Written::File(self.name.path(&self.kept.directory), self.begin as u64),
        };
        if close {
            self.close()?;
        }
        self.level += 1;
        self.records = 0;
        match close {
            true => self.begin_file(),
            false => self.begin = self.length,
        }
        Ok(written)
    }

    /// Syncs the file and gives it its name.
    fn close(&mut self) -> io::Result<()> {
        self.put(Kind::Last, &[]);
        self.flush()?;
        if let Some(file) = self.file.take() {
            file.sync_all()?;
        }
        fs::rename(self.part(), self.name.path(&self.kept.directory))?;
        sync_directory(&self.kept.directory)?;
        self.synced = Some(self.level);
        self.length = 0;
        self.since = Instant::now();
        Ok(())
    }
}

impl Drop for Writer {
    /// What has no name is of no use.
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // If it can't be removed, the next search overwrites it.
            let _ = fs::remove_file(self.part());
        }
    }
}

/// Makes names in a directory last.
///
/// # Errors
/// Of the directory.
pub(super) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
