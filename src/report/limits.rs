//! What is said of limits.

use crate::base::control::{Hit, Stop};
use crate::base::results::distributed::Trouble;
use std::fmt;

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nodes => "the node limit (--limit-nodes)",
            Self::States => "the state limit (--limit-states)",
            Self::Time => "the time limit (--limit-time)",
            Self::Memory => "the memory limit (--limit-memory)",
            Self::Interrupt => "an interrupt",
            Self::Operations => "the limit of operations (--limit-operations)",
            Self::Depth => "the bound on the length of executions (--depth)",
            Self::Effort => "the limit of work on BDDs (--limit-effort)",
            Self::Settled => "an exploration of the program in full",
            Self::Variables => "the BDD package's limit of 65,535 variables",
            Self::Disk => "the disk (--limit-disk)",
            Self::Peer => "the loss of a process",
        })
    }
}

impl fmt::Display for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Phase(stop, phase) => write!(f, "{stop} was hit in phase `{phase}`"),
            Self::Abandoned(stop, phase) => write!(f, "{stop}, in phase `{phase}`"),
            Self::Search(stop) => write!(
                f,
                "a state is reached, but {stop} was hit in the search for an execution"
            ),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost {
                process,
                silent: true,
            } => write!(f, "process {process} was lost: it does not get on any more"),
            Self::Lost {
                process,
                silent: false,
            } => write!(f, "process {process} was lost: its connection is closed"),
            Self::Disk { process, why } => {
                write!(f, "process {process} can't write or read its levels: {why}")
            }
            Self::Full { process, free } => write!(
                f,
                "the disk of process {process} is as good as full: {} MiB are free",
                free >> 20
            ),
            Self::Files { why } => write!(f, "the search can't go on: {why}"),
        }
    }
}
