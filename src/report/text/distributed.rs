//! How several processes did, for people.

use super::reach::size;
use crate::base::results::distributed::Distributed;
use std::fmt::{self, Write};

/// What became of the processes, and how to go on.
pub(super) fn write(
    f: &mut impl Write,
    together: Option<&Distributed>,
    verbose: bool,
) -> fmt::Result {
    let Some(together) = together else {
        return Ok(());
    };
    writeln!(f, "\nprocesses:")?;
    let Distributed {
        processes,
        workers,
        levels,
        ..
    } = together;
    let each = workers.len() / (*processes).max(1);
    let counted = |n: usize, what: &str| match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    };
    let many = match (processes, each) {
        (p, 0) => format!("{p} processes"),
        (1, n) => format!("1 process, {}", counted(n, "worker")),
        (p, n) => format!("{p} processes with {} each", counted(n, "worker")),
    };
    let several = if *levels == 1 { "" } else { "s" };
    writeln!(f, "  {many}; {levels} level{several} explored")?;
    if let Some(level) = together.resumed {
        writeln!(f, "  went on from level {level}")?;
    }
    if together.again {
        writeln!(
            f,
            "  no level of all workers is there to go on from: all was explored again"
        )?;
    }
    if let Some(file) = &together.damaged {
        writeln!(
            f,
            "  not as it was written, so explored again from there: {file}"
        )?;
    }
    if let Some(trouble) = &together.trouble {
        writeln!(f, "  {trouble}")?;
    }
    if let (Some(directory), Some(level)) = (&together.directory, together.kept) {
        writeln!(
            f,
            "  levels 0 to {level} are kept: go on with --resume {directory}"
        )?;
    }
    if verbose {
        for (n, w) in workers.iter().enumerate() {
            let bytes = |n: u64| size(&n.to_string());
            writeln!(
                f,
                "  worker {n} (process {}): {} states, {} steps, {} sent, {}, {} on disk",
                w.process,
                w.states,
                w.transitions,
                w.sent,
                bytes(w.memory),
                bytes(w.disk),
            )?;
        }
    }
    Ok(())
}
