//! The inferred disciplines, and how the guesses were revised.

use super::widest;
use crate::report::text::steps::at;
use crate::report::{Report, Revision};
use std::fmt;

/// Variables and revisions shown unasked.
const SHOWN: usize = 12;

pub(super) fn write(f: &mut fmt::Formatter<'_>, report: &Report, verbose: bool) -> fmt::Result {
    let all = &report.discipline;
    if all.is_empty() {
        return Ok(());
    }
    let most = if verbose { usize::MAX } else { SHOWN };
    writeln!(f, "\ninferred disciplines:")?;
    let width = widest(all.iter().map(|d| d.variable.as_str()));
    for d in all.iter().take(most) {
        let line = format!("  {:width$}  {}", d.variable, d.words);
        writeln!(f, "{}", line.trim_end())?;
    }
    more(f, all.len(), most)?;
    if report.revisions.is_empty() {
        return Ok(());
    }
    writeln!(f, "guesses revised:")?;
    for r in report.revisions.iter().take(most) {
        revision(f, r, verbose)?;
    }
    more(f, report.revisions.len(), most)
}

fn revision(f: &mut fmt::Formatter<'_>, r: &Revision, verbose: bool) -> fmt::Result {
    writeln!(f, "  {}: {} -> {}", r.variable, r.from, r.to)?;
    let after = match r.steps.len() {
        0 => String::new(),
        n => format!(", in step {n} of an execution"),
    };
    writeln!(f, "      because {}{after}", r.why)?;
    if verbose {
        for (n, step) in r.steps.iter().enumerate() {
            writeln!(f, "      {:3}  {}", n + 1, at(step))?;
        }
    }
    Ok(())
}

fn more(f: &mut fmt::Formatter<'_>, all: usize, shown: usize) -> fmt::Result {
    match all.checked_sub(shown) {
        None | Some(0) => Ok(()),
        Some(n) => writeln!(f, "  and {n} more (-v shows all)"),
    }
}
