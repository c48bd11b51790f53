//! `coarsen compare`, for people: a table.

use super::reach::size;
use super::{headline, verdict_words};
use crate::base::results::{CompareReport, CompareRow};
use crate::report::layout::{about, counted_text, printable_lines, wrapped};
use std::fmt::Write;

/// What marks a row whose verdict can't be relied on.
const UNSOUND: &str = "UNSOUND";

/// The report of `coarsen compare` on one model.
pub fn render_compare(report: &CompareReport) -> String {
    about(&report.model, || table(report))
}

fn table(report: &CompareReport) -> String {
    let first = headline(
        &report.model,
        verdict_words(report.verdict),
        &report.reason.to_string(),
    );
    let head = [
        "technique",
        "engine",
        "states",
        "visited",
        "forced",
        "executions",
        "steps",
        "deadlock",
        "time",
        "memory",
        "verdict",
    ]
    .map(String::from);
    let rows: Vec<[String; 11]> = report.rows.iter().map(cells).collect();
    let mut widths = [0; 11];
    for row in rows.iter().chain([&head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut body = String::from("\n");
    for row in [&head].into_iter().chain(&rows) {
        let mut line = String::new();
        for (n, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            // Writing to a string does not fail.
            let _ = match n {
                0 | 1 | 7 | 10 => write!(line, "  {cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        body += line.trim_end();
        body.push('\n');
    }
    if let Some(recommended) = recommended(report) {
        let _ = writeln!(body, "\nrecommended: {recommended}");
    }
    if !report.notes.is_empty() {
        body += "\nnotes:\n";
        for note in &report.notes {
            let _ = writeln!(body, "{}", wrapped(&format!("  {note}"), 4));
        }
    }
    first + &printable_lines(&body)
}

/// A row of `coarsen compare` on a line of its own.
pub fn render_compare_row(model: &str, row: &CompareRow) -> String {
    let [technique, engine, states, .., time, _, said] = about(model, || cells(row));
    let line = format!("{technique}, {engine}: {said}; states {states}, {time}");
    printable_lines(&line)
}

/// The command to be used for this model, with what it took here.
pub(in crate::report) fn recommended(report: &CompareReport) -> Option<String> {
    let row = report.recommended()?;
    let words = row.command.iter().flatten().chain([&report.model]);
    // No file's name has a null character.
    let command = shlex::try_join(words.map(String::as_str)).ok()?;
    let met = match (&row.visited, &row.executions) {
        (Some(n), _) => format!(", {}", counted_text(n, "state")),
        (None, Some(n)) => format!(", {}", counted_text(n, "execution")),
        (None, None) => String::new(),
    };
    Some(format!(
        "coarsen {command} ({:.3} s{met})",
        row.timing.total
    ))
}

fn cells(row: &CompareRow) -> [String; 11] {
    let known = |n: &Option<String>| n.clone().unwrap_or_else(|| "-".into());
    let mut said = format!("{}: {}", verdict_words(row.verdict), row.reason);
    if !row.sound {
        said = format!("{UNSOUND} {said}");
    }
    [
        row.technique.clone(),
        row.engine.clone(),
        known(&row.states),
        known(&row.visited),
        known(&row.forced),
        known(&row.executions),
        known(&row.transitions),
        deadlock(row).to_string(),
        format!("{:.3} s", row.timing.total),
        row.memory.as_deref().map_or("-".into(), size),
        said,
    ]
}

/// Whether a deadlock was found.
pub(in crate::report) fn deadlock(row: &CompareRow) -> &'static str {
    match row.deadlock {
        Some(true) => "found",
        Some(false) => "none",
        None => "-",
    }
}
