//! The discipline of a cell that declares none, as data.

use std::fmt;

/// The discipline of one cell that declares none. Cells not listed are unprotected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// One thread only mentions it. This decides nothing but the order of the bits.
    Private {
        /// The cell, by name.
        cell: String,
        /// The thread, by name.
        thread: String,
    },
    /// It has exclusive access predicates, one for each thread in order, in prefix form.
    Protected {
        /// The cell, by name.
        cell: String,
        /// Who has exclusive access.
        exclusive: Vec<String>,
        /// Who may read, where that needs less; empty if nobody may who has no exclusive access.
        reading: Vec<String>,
    },
}

impl fmt::Display for Discipline {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Discipline::Private { cell, thread } => write!(f, "{cell}: used by {thread} only"),
            Discipline::Protected {
                cell,
                exclusive,
                reading,
            } => {
                write!(f, "{cell}: exclusive access, thread by thread: ")?;
                f.write_str(&exclusive.join(" | "))?;
                match reading.is_empty() {
                    true => Ok(()),
                    false => write!(f, "; reading: {}", reading.join(" | ")),
                }
            }
        }
    }
}
