//! The declared and inferred disciplines, and how the guesses were revised.

use super::widest;
use crate::base::results::{Report, Revision};
use crate::report::layout::wrapped;
use crate::report::text::steps::at;
use std::fmt;

/// Variables and revisions shown unasked.
const SHOWN: usize = 12;

/// What the model says protects what, as many as are to be shown.
pub(super) fn declared(f: &mut fmt::Formatter<'_>, report: &Report, most: usize) -> fmt::Result {
    let all = &report.declared;
    if all.is_empty() {
        return Ok(());
    }
    let (shown, more) = all.split_at(all.len().min(most));
    let more = match more.len() {
        0 => String::new(),
        n => format!("; {n} more"),
    };
    let line = format!("protected: {}{more}", shown.join("; "));
    writeln!(f, "{}", wrapped(&line, 4))
}

pub(super) fn write(f: &mut fmt::Formatter<'_>, report: &Report, verbose: bool) -> fmt::Result {
    let all = &report.discipline;
    let most = if verbose { usize::MAX } else { SHOWN };
    if !report.declared.is_empty() {
        writeln!(f)?;
        declared(f, report, most)?;
    }
    if all.is_empty() {
        return Ok(());
    }
    match report.in_full {
        true => writeln!(f, "\ninferred disciplines (of the hypotheses only):")?,
        false => writeln!(f, "\ninferred disciplines:")?,
    }
    let width = widest(all.iter().map(|d| d.variable.as_str()));
    for d in all.iter().take(most) {
        let indent = width + 4;
        let mut name = format!("  {:width$}  ", d.variable);
        if name.chars().count() > indent {
            writeln!(f, "{}", name.trim_end())?;
            name = " ".repeat(indent);
        }
        writeln!(
            f,
            "{}",
            wrapped(&format!("{name}{}", d.discipline), indent).trim_end()
        )?;
    }
    more(f, all.len(), most)?;
    // Where regions give way to other regions, only their locations tell the difference.
    let told = |r: &&Revision| verbose || r.from.brief() != r.to.brief();
    let revisions: Vec<&Revision> = report.revisions.iter().filter(told).take(most).collect();
    if revisions.is_empty() {
        return Ok(());
    }
    writeln!(f, "guesses revised:")?;
    for r in &revisions {
        revision(f, &report.model, r, verbose)?;
    }
    more(f, report.revisions.len(), revisions.len())
}

fn revision(f: &mut fmt::Formatter<'_>, model: &str, r: &Revision, verbose: bool) -> fmt::Result {
    let (from, to) = (&r.from, &r.to);
    match verbose {
        true => {
            writeln!(f, "{}", wrapped(&format!("  {}: {from}", r.variable), 6))?;
            writeln!(f, "{}", wrapped(&format!("      -> {to}"), 9))?;
        }
        false => {
            let line = format!("  {}: {} -> {}", r.variable, from.brief(), to.brief());
            writeln!(f, "{}", wrapped(&line, 6))?;
        }
    }
    let after = match r.steps.len() {
        0 => String::new(),
        n => format!(", in step {n} of an execution"),
    };
    let why = format!("      because {}{after}", r.why);
    writeln!(f, "{}", wrapped(&why, 14))?;
    if verbose {
        for (n, step) in r.steps.iter().enumerate() {
            writeln!(f, "      {:3}  {}", n + 1, at(model, step))?;
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
