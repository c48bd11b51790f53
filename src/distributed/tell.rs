//! What workers tell each other besides states.

use super::pulse::Lost;
use crate::base::control::Stop;
use crate::base::results::distributed::Trouble;
use crate::engine::compiled::Tally;
use serde::{Deserialize, Serialize};

/// That a process was lost.
pub(super) fn lost((process, how): (usize, Lost)) -> Trouble {
    Trouble::Lost {
        process,
        silent: how == Lost::Silent,
    }
}

/// A state that a question asks for: the nearest, and of those the least.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Candidate {
    pub level: u64,
    pub state: Vec<u64>,
    /// The record's first word.
    pub head: u64,
}

/// What a worker has counted so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Counted {
    pub tally: Tally,
    /// States.
    pub states: u64,
    /// By question.
    pub found: Vec<Option<Candidate>>,
}

impl Counted {
    /// Adds what another counted.
    pub fn add(&mut self, other: &Counted) {
        self.tally.add(&other.tally);
        self.states += other.states;
        self.found
            .resize(self.found.len().max(other.found.len()), None);
        for (mine, theirs) in self.found.iter_mut().zip(&other.found) {
            nearer(mine, theirs.as_ref());
        }
    }
}

/// Keeps the nearer one.
pub(super) fn nearer(mine: &mut Option<Candidate>, theirs: Option<&Candidate>) {
    if let Some(theirs) = theirs
        && mine.as_ref().is_none_or(|m| theirs < m)
    {
        *mine = Some(theirs.clone());
    }
}

/// What a worker tells all others in a round.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Tell {
    /// Why it wants to stop: a limit, by its number.
    pub stop: Option<Stop>,
    /// Or something worse.
    pub trouble: Option<Trouble>,
    /// States of the level that are still to be expanded.
    pub left: u64,
    /// States that are to be expanded in the next level.
    pub queued: u64,
    pub states: u64,
    pub transitions: u64,
    pub operations: u64,
    /// States sent to other workers.
    pub sent: u64,
    /// Bytes in memory and on disk.
    pub bytes: u64,
    pub disk: u64,
    /// The last level that it has synced.
    pub synced: Option<u64>,
    /// At the beginning: a hash of what it explores.
    pub system: String,
    /// At the beginning, for what it goes on from: its manifest, and an epoch's number that it has not seen.
    pub manifest: Option<String>,
    pub unused: usize,
    /// The last level that is intact, if that was looked for: of no files, of none, or one.
    pub intact: Option<Option<u64>>,
    /// A file that is not.
    pub damaged: Option<String>,
    /// At the end: all that it counted.
    pub counted: Option<Counted>,
    /// On the way back: a state, and the first word of its record.
    pub record: Option<(u64, Vec<u64>)>,
}
