//! Where level files are, and how much of memory and disk they may take.

use super::levels::names;
use super::manifest::{MANIFEST, Manifest};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Room that is left on a disk.
const RESERVE: u64 = 8 << 20;

/// Where level files are, and how much room there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// Their directory.
    pub directory: PathBuf,
    /// Whether to go on from what is there.
    pub resume: bool,
    /// Whether it goes when the search ends.
    pub passing: bool,
    /// Bytes of memory that the states of a worker may take.
    pub share: Option<usize>,
    /// Bytes that all files of all processes may take.
    pub disk: Option<u64>,
    /// What is searched, for people who look into the directory.
    pub about: String,
}

/// That a process has a directory.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code, reason = "it is held, not read")] fs::File);

/// Why a directory is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It has levels already.
    #[error("{0} has levels of another search: go on with --resume, or choose another directory")]
    Taken(String),
    /// It has none.
    #[error("{0} has no levels to go on from")]
    Empty(String),
    /// They are of another model or question.
    #[error(
        "{0} has levels of something else: `{1}`; its model, options and version have to be those of this run"
    )]
    Other(String, String),
    /// Another search is using it.
    #[error("another search is using {0}")]
    Busy(String),
    /// It can't be used.
    #[error("can't use {0}: {1}")]
    Broken(String, String),
}

impl Storage {
    /// Sees whether the directory is fit, and makes it if it is to be a new one.
    ///
    /// # Errors
    /// If it is not.
    pub fn prepare(&self, fingerprint: &str) -> Result<(), Refused> {
        let name = self.directory.display().to_string();
        let broken = |e: io::Error| Refused::Broken(name.clone(), e.to_string());
        if !self.resume {
            fs::create_dir_all(&self.directory).map_err(broken)?;
        }
        let there = Manifest::read(&self.directory).map_err(broken)?;
        match (there, self.resume) {
            (None, false) => Ok(()),
            (None, true) => Err(Refused::Empty(name)),
            // Another process of the same run may have written its own just now.
            (Some(manifest), false) if manifest.fingerprint == fingerprint && self.is_fresh() => {
                Ok(())
            }
            (Some(_), false) => Err(Refused::Taken(name)),
            (Some(manifest), true) if manifest.fingerprint != fingerprint => {
                Err(Refused::Other(name, manifest.about))
            }
            (Some(_), true) => Ok(()),
        }
    }

    /// Has the directory for one process of this search, as long as what is returned is kept.
    ///
    /// # Errors
    /// If another search has it.
    pub fn lock(&self, process: usize) -> Result<Lock, Refused> {
        let path = self.directory.join(format!("process-{process}.lock"));
        let name = self.directory.display().to_string();
        let broken = |e: io::Error| Refused::Broken(name.clone(), e.to_string());
        let file = fs::File::create(&path).map_err(broken)?;
        match fs4::FileExt::try_lock(&file) {
            Ok(()) => Ok(Lock(file)),
            Err(_) => Err(Refused::Busy(name)),
        }
    }

    /// Whether no level has been written.
    fn is_fresh(&self) -> bool {
        names(&self.directory).is_ok_and(|all| all.is_empty())
    }

    /// Removes the files of a search that is over, and the directory if nothing else is in it.
    pub fn remove(&self, processes: usize) {
        // What can't be removed is left; it says what it is.
        if let Ok(all) = names(&self.directory) {
            for name in all {
                let _ = fs::remove_file(name.path(&self.directory));
            }
        }
        let _ = fs::remove_file(self.directory.join(MANIFEST));
        for process in 0..processes {
            let _ = fs::remove_file(self.directory.join(format!("process-{process}.lock")));
        }
        let _ = fs::remove_dir(&self.directory);
    }

    /// Fails if there is little room left on the disk.
    pub(super) fn look(&self) -> io::Result<()> {
        match free(&self.directory) {
            Some(left) if left < RESERVE => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }

    /// What is free, if that is what an error says.
    pub(super) fn little(&self, error: &io::Error) -> Option<u64> {
        let full = matches!(
            error.kind(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
        );
        full.then(|| free(&self.directory).unwrap_or(0))
    }
}

fn free(directory: &Path) -> Option<u64> {
    fs4::available_space(directory).ok()
}
