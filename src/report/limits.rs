//! What is said of limits.

use crate::base::control::{Hit, Stop};
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
