//! What a search on several processes has to tell besides its answers.

use crate::base::control::Stop;
use serde::{Deserialize, Serialize, Serializer};

/// Why a search can't go on, besides limits that all see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// A process was lost.
    Lost {
        /// Which one.
        process: usize,
        /// Whether it is there, but does not get on.
        silent: bool,
    },
    /// A process can't write or read its files.
    Disk {
        /// Which one.
        process: usize,
        /// What the system says.
        why: String,
    },
    /// The disk of a process is as good as full.
    Full {
        /// Which one.
        process: usize,
        /// Bytes that are free.
        free: u64,
    },
    /// Files are not those of a search that can go on here.
    Files {
        /// What is wrong with them.
        why: String,
    },
}

impl Trouble {
    /// The limit that it amounts to.
    pub fn stop(&self) -> Stop {
        match self {
            Trouble::Lost { .. } => Stop::Peer,
            Trouble::Disk { .. } | Trouble::Full { .. } | Trouble::Files { .. } => Stop::Disk,
        }
    }
}

/// What a worker did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Worker {
    /// Its process.
    pub process: usize,
    /// States that it is responsible for.
    #[serde(serialize_with = "decimal")]
    pub states: u64,
    /// Steps that it took.
    #[serde(serialize_with = "decimal")]
    pub transitions: u64,
    /// States that it sent to others.
    #[serde(serialize_with = "decimal")]
    pub sent: u64,
    /// Bytes that it held at most.
    #[serde(serialize_with = "decimal")]
    pub memory: u64,
    /// Bytes that it has on disk.
    #[serde(serialize_with = "decimal")]
    pub disk: u64,
}

/// A search on several processes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Distributed {
    /// How many processes took part.
    pub processes: usize,
    /// The one that tells this.
    pub process: usize,
    /// By worker.
    pub workers: Vec<Worker>,
    /// Levels that were explored to their end.
    #[serde(serialize_with = "decimal")]
    pub levels: u64,
    /// The last level that it went on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<u64>,
    /// Whether there was no level to go on from, although that was asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// A level file that was not as it was written, so that its levels were explored again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damaged: Option<String>,
    /// Why it did not go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Trouble>,
    /// Where the levels are from which it can go on, if it was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The last level that is in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<u64>,
}

/// Numbers are texts, as in all results: some are beyond what readers of JSON keep exactly.
fn decimal<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}
