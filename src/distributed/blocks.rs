//! Records on disk: blocks, each with a checksum, so that what was damaged is never taken for what was written.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What the file is.
    Header = 1,
    /// Records.
    Records = 2,
    /// The end of a level, and what was counted up to it.
    End = 3,
    /// The end of the file.
    Last = 4,
}

/// A block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub kind: Kind,
    pub level: u64,
    pub bytes: Vec<u8>,
}

/// Bytes before a block's own: kind, level, length, checksum of all else.
const HEAD: usize = 4 + 8 + 4 + 4;

/// No block is longer.
const LONGEST: usize = 1 << 26;

impl Block {
    /// The words of its records.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.bytes
            .chunks_exact(8)
            .map(|c| u64::from_le_bytes(std::array::from_fn(|n| c[n])))
    }
}

fn checksum(kind: u32, level: u64, bytes: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&kind.to_le_bytes());
    sum.update(&level.to_le_bytes());
    sum.update(bytes);
    sum.finalize()
}

/// Appends a block.
pub(super) fn put(into: &mut Vec<u8>, kind: Kind, level: u64, bytes: &[u8]) {
    let number = kind as u32;
    into.extend_from_slice(&number.to_le_bytes());
    into.extend_from_slice(&level.to_le_bytes());
    into.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    into.extend_from_slice(&checksum(number, level, bytes).to_le_bytes());
    into.extend_from_slice(bytes);
}

/// Blocks one after the other.
pub(super) struct Blocks {
    from: Box<dyn Read + Send>,
}

impl Blocks {
    /// Those of a file from a place on.
    ///
    /// # Errors
    /// Of the file.
    pub fn open(path: &Path, begin: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(begin))?;
        Ok(Blocks {
            from: Box::new(BufReader::with_capacity(1 << 17, file)),
        })
    }

    /// Those in memory.
    pub fn of(bytes: Vec<u8>) -> Self {
        Blocks {
            from: Box::new(Cursor::new(bytes)),
        }
    }

    /// The next one, none at the end.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if it is not as it was written or cut off, and those of the file.
    pub fn next(&mut self) -> io::Result<Option<Block>> {
        let mut head = [0; HEAD];
        match self.fill(&mut head)? {
            0 => return Ok(None),
            HEAD => {}
            _ => return Err(damaged()),
        }
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|n| head[at + n]));
        let level = u64::from_le_bytes(std::array::from_fn(|n| head[4 + n]));
        let (number, length, sum) = (word(0), word(12) as usize, word(16));
        let kind = match number {
            1 => Kind::Header,
            2 => Kind::Records,
            3 => Kind::End,
            4 => Kind::Last,
            _ => return Err(damaged()),
        };
        if length > LONGEST {
            return Err(damaged());
        }
        let mut bytes = vec![0; length];
        if self.fill(&mut bytes)? < length || checksum(number, level, &bytes) != sum {
            return Err(damaged());
        }
        Ok(Some(Block { kind, level, bytes }))
    }

    /// Reads as much as there is.
    fn fill(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < into.len() {
            match self.from.read(&mut into[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(filled)
    }
}

/// That something is not as it was written.
pub(super) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is not as it was written")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever byte is changed, and wherever it is cut: no block comes out that was not put in.
    #[test]
    fn damage_is_noticed() {
        let mut all = Vec::new();
        put(&mut all, Kind::Header, 0, b"what it is");
        put(&mut all, Kind::Records, 7, &[1, 2, 3, 4, 5, 6, 7, 8]);
        put(&mut all, Kind::End, 7, b"");
        let read = |bytes: Vec<u8>| {
            let mut blocks = Blocks::of(bytes);
            let mut found = Vec::new();
            while let Ok(Some(block)) = blocks.next() {
                found.push((block.kind, block.level, block.bytes));
            }
            found
        };
        let whole = read(all.clone());
        assert_eq!(whole.len(), 3);
        for at in 0..all.len() {
            let mut flipped = all.clone();
            flipped[at] ^= 0x10;
            for found in [read(flipped), read(all[..at].to_vec())] {
                assert!(found.len() < 3 && whole.starts_with(&found), "byte {at}");
            }
        }
    }
}
