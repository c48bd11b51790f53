//! Inferred disciplines, and what refutes a guess, in words.

use crate::base::results::{Discipline, Locations, Refutation, Region, Writer};
use crate::report::witness::listed;
use std::fmt;

impl fmt::Display for Discipline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unused => f.write_str("no thread mentions it"),
            Self::Private(thread, locks) => {
                write!(f, "used by {thread} only")?;
                match locks.as_slice() {
                    [] => Ok(()),
                    some => write!(f, ", under {}", some.join(" and ")),
                }
            }
            Self::Mutexes(locks) => write!(f, "protected by {}", locks.join(" and ")),
            Self::EveryMutex => f.write_str("protected by every mutex"),
            Self::NoMutex => f.write_str("protected by no mutex"),
            Self::Several(locks) => write!(
                f,
                "protected by {} (reading needs one of them)",
                locks.join(" and ")
            ),
            Self::ReadWrite(lock) => write!(f, "protected by read-write lock {lock}"),
            Self::Initialised { at, .. } => write!(f, "{} at {at}", self.brief()),
            Self::HandedOver {
                lock,
                regions,
                readers,
            } => {
                match lock {
                    Some(lock) => write!(f, "protected by {lock}; without it: ")?,
                    None => f.write_str("handed over: ")?,
                }
                let mut all: Vec<String> = Vec::new();
                all.extend((!regions.is_empty()).then(|| listed(regions, "; ")));
                all.extend(
                    (!readers.is_empty()).then(|| format!("read by {}", listed(readers, "; "))),
                );
                f.write_str(&all.join("; "))
            }
            Self::Published { by, until } => {
                match by {
                    Writer::Thread(thread) => write!(f, "used by {thread}")?,
                    Writer::Lock(lock) => write!(f, "protected by {lock}")?,
                    Writer::Regions(all) => write!(f, "handed over: {}", listed(all, "; "))?,
                }
                write!(f, " until {until}, then read by all")
            }
            Self::Constant => f.write_str("never written"),
            Self::Unprotected => f.write_str("unprotected"),
        }
    }
}

impl Discipline {
    /// The same without places in the program.
    pub(super) fn brief(&self) -> String {
        match self {
            Self::Initialised { lock, thread, .. } => {
                format!("protected by {lock} after {thread} has initialised it")
            }
            Self::Published {
                by: Writer::Regions(_),
                until,
            } => format!("handed over until {until}, then read by all"),
            Self::HandedOver { lock, readers, .. } => {
                let first = lock
                    .as_ref()
                    .map(|lock| format!("protected by {lock}, or "));
                let shared = if readers.is_empty() {
                    ""
                } else {
                    ", shared by readers"
                };
                format!("{}handed over{shared}", first.unwrap_or_default())
            }
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 3;
        match self.threads.len() {
            n if n > SHOWN + 1 => {
                let first = self.threads[..SHOWN].join(", ");
                write!(f, "{first} and {} more", n - SHOWN)?;
            }
            _ => f.write_str(&self.threads.join(", "))?,
        }
        let index = if self.by_index { " (by index)" } else { "" };
        write!(f, " at {}{index}", self.at)
    }
}

/// `A, B` or `lines 3-5, 9`
impl fmt::Display for Locations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Labels(names) => f.write_str(&names.join(", ")),
            Self::Lines { ranges, end } => {
                let range = |(from, to): &(usize, usize)| match from == to {
                    true => from.to_string(),
                    false => format!("{from}-{to}"),
                };
                let mut all: Vec<String> = ranges.iter().map(range).collect();
                all.extend(end.then(|| "its end".to_string()));
                let one = matches!(ranges.as_slice(), [(from, to)] if from == to);
                write!(f, "line{} {}", if one { "" } else { "s" }, all.join(", "))
            }
        }
    }
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlocked {
                thread,
                location,
                missing,
            } => {
                write!(f, "{thread} accesses it at {location} without ")?;
                match missing.len() {
                    0..4 => f.write_str(&missing.join(" and ")),
                    n => write!(f, "{n} others"),
                }
            }
            Self::Access {
                thread,
                location,
                written,
            } => {
                let uses = if *written { "writes" } else { "reads" };
                write!(
                    f,
                    "{thread} {uses} it at {location} without exclusive access"
                )
            }
            Self::Overlap(Some(overlap)) => overlap.fmt(f),
            Self::Overlap(None) => f.write_str("two threads have access at once"),
        }
    }
}
