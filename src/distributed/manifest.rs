//! What a directory of level files says of itself: whose they are, and how many workers wrote which levels.

use super::levels::sync_directory;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;

/// Its file.
pub(super) const MANIFEST: &str = "manifest.json";

/// The number of the format.
const FORMAT: u32 = 1;

/// Levels that were written by the same workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Epoch {
    /// No other epoch of the search had this number.
    pub number: usize,
    /// The first level.
    pub first: u64,
    /// How many workers.
    pub workers: usize,
}

/// What a directory says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub format: u32,
    /// Of the tool.
    pub version: String,
    /// Of the model and of what was asked.
    pub fingerprint: String,
    /// Of the program, the reduction and the questions, as they were explored.
    pub system: String,
    /// What was asked, for people.
    pub about: String,
    pub epochs: Vec<Epoch>,
}

impl Manifest {
    /// Of a search that begins.
    pub fn new(fingerprint: &str, system: &str, about: &str) -> Self {
        Manifest {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_string(),
            fingerprint: fingerprint.to_string(),
            system: system.to_string(),
            about: about.to_string(),
            epochs: Vec::new(),
        }
    }

    /// The last level of each epoch, if the whole ends with a level.
    pub fn ends(&self, last: u64) -> impl Iterator<Item = (&Epoch, u64)> {
        let next = self.epochs.iter().skip(1).map(|e| e.first - 1);
        self.epochs.iter().zip(next.chain([last]))
    }

    /// Levels up to `last` stay, and `workers` write those behind them. `unused` is above all numbers so far.
    pub fn go_on(&mut self, last: Option<u64>, workers: usize, unused: usize) {
        let first = last.map_or(0, |l| l + 1);
        self.epochs.retain(|e| e.first < first);
        self.epochs.push(Epoch {
            number: unused,
            first,
            workers,
        });
    }

    /// Reads that of a directory; none if it has none.
    ///
    /// # Errors
    /// If it is not one, and those of the file.
    pub fn read(directory: &Path) -> io::Result<Option<Self>> {
        let text = match fs::read_to_string(directory.join(MANIFEST)) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e),
        };
        let manifest: Manifest = serde_json::from_str(&text)?;
        let ordered = manifest.epochs.windows(2).all(|w| w[0].first < w[1].first);
        let whole = manifest.epochs.first().is_none_or(|e| e.first == 0);
        if manifest.format != FORMAT || !ordered || !whole {
            return Err(super::blocks::damaged());
        }
        Ok(Some(manifest))
    }

    /// Puts it in place of the one there.
    ///
    /// # Errors
    /// Of the file.
    pub fn write(&self, directory: &Path, process: usize) -> io::Result<()> {
        let part = directory.join(format!("{MANIFEST}.{process}.part"));
        fs::write(&part, serde_json::to_string_pretty(self)?)?;
        fs::File::open(&part)?.sync_all()?;
        fs::rename(&part, directory.join(MANIFEST))?;
        sync_directory(directory)
    }
}
