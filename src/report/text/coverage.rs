//! What is never executed, and other signs that an answer says less than it seems to.

use crate::base::results::{Coverage, Covered, Property, PropertyKind, Report, Status, Stuck};
use crate::report::layout::{place, wrapped};
use std::fmt;

/// Places named at most, unless all are asked for.
const SHOWN: usize = 4;

/// Writes what is to be said, a line each.
pub(super) fn write(f: &mut fmt::Formatter<'_>, report: &Report, all: bool) -> fmt::Result {
    let Some(c) = &report.coverage else {
        return Ok(());
    };
    let named = |s: &Covered| {
        let at = place(&report.model, s.line, s.column);
        format!("{at} ({})", s.text)
    };
    let unreached = c.unreached().map(named).collect();
    one(f, "never reached", unreached, all)?;
    let waits = c.never_enabled().map(named).collect();
    one(f, "never enabled", waits, all)?;
    // A branch to what is never reached says nothing more.
    let is_told = |to: usize| c.unreached().any(|s| s.line == to);
    let taken = c.never_taken().filter(|(_, to)| !is_told(to.line));
    let taken = taken.map(|(s, to)| match to.line {
        0 => format!("{} to the end", named(s)),
        line => format!("{} to {line}:{}", named(s), to.column),
    });
    one(f, "never taken", taken.collect(), all)?;
    one(f, "premise never true", c.trivial.clone(), all)?;
    // A deadlock is told already.
    let is_told =
        |p: &Property| p.kind == PropertyKind::DeadlockFree && p.verdict == Status::Refuted;
    if !report.properties.iter().any(is_told) {
        one(f, "threads can get stuck", stuck(report, c), all)?;
    }
    match (all, c.complete) {
        (true, true) => writeln!(f, "coverage: all {} states looked at", c.states),
        (true, false) => writeln!(
            f,
            "coverage: {} states looked at, and there are more: nothing is called never",
            c.states
        ),
        _ => Ok(()),
    }
}

fn stuck(report: &Report, c: &Coverage) -> Vec<String> {
    let at = |s: &Stuck| match s.line {
        0 => s.thread.clone(),
        line => format!("{} at {}", s.thread, place(&report.model, line, s.column)),
    };
    c.stuck.iter().map(at).collect()
}

fn one(f: &mut fmt::Formatter<'_>, what: &str, places: Vec<String>, all: bool) -> fmt::Result {
    if places.is_empty() {
        return Ok(());
    }
    let told = |shown: usize| {
        let more = match places.len() - shown {
            0 => String::new(),
            n => format!(", and {n} more"),
        };
        format!("{what}: {}{more}", places[..shown].join(", "))
    };
    // Of several places, those for which there is room beside the first.
    let lines = |shown: usize| wrapped(&told(shown), 4).lines().count();
    let fits = |shown: &usize| lines(*shown) <= lines(1);
    let shown = match all {
        true => places.len(),
        false => (1..=places.len().min(SHOWN)).rev().find(fits).unwrap_or(1),
    };
    writeln!(f, "{}", wrapped(&told(shown), 4))
}
