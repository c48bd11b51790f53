//! A run of one thread of a C program: each line of source text once, with what it finds and changes. A line makes
//! several steps; what no other thread could notice is left out.

use super::trace::{changes, columns_left, flowed, left_out};
use crate::base::results::{Code, TraceStep};
use std::fmt;

/// What is told of a line that does many things, half of it at each end.
const MOST_DEEDS: usize = 12;

/// What a step finds or changes, as far as it concerns others.
fn deeds(step: &TraceStep, code: &Code) -> Vec<String> {
    let mut all = Vec::new();
    if !code.does.is_empty() {
        all.push(code.does.clone());
    }
    let changed: Vec<_> = step.changes.iter().map(super::trace::change).collect();
    all.extend(changes(&changed));
    all
}

/// What a step finds or changes, whether it concerns others or not.
pub(super) fn all_deeds(step: &TraceStep) -> Vec<String> {
    match &step.code {
        Some(code) => deeds(step, code),
        None => {
            let changed: Vec<_> = step.changes.iter().map(super::trace::change).collect();
            changes(&changed)
        }
    }
}

/// A line of source text with its number, and what it does.
struct Line {
    text: String,
    deeds: Vec<String>,
    times: usize,
}

/// The steps of one line in a row.
fn line(steps: &[TraceStep], file: &str) -> Option<Line> {
    let concerns = |s: &&TraceStep| s.code.as_ref().is_some_and(|c| !c.own);
    let mut told: Vec<String> = Vec::new();
    let noticed: Vec<&TraceStep> = steps.iter().filter(concerns).collect();
    for (n, step) in noticed.iter().enumerate() {
        // What is read and then changed is told once.
        let next = noticed.get(n + 1).and_then(|s| s.changes.first());
        let read = |c: &Code| next.is_some_and(|x| c.does == format!("{} is {}", x.name, x.old));
        let code = step.code.as_ref()?;
        if read(code) {
            continue;
        }
        for deed in deeds(step, code) {
            if !told.contains(&deed) {
                told.push(deed);
            }
        }
    }
    if told.len() > MOST_DEEDS {
        let more = told.len() - MOST_DEEDS;
        let half = MOST_DEEDS / 2;
        told.splice(half..half + more, [format!(".. {more} more ..")]);
    }
    let first = noticed.first()?;
    let code = first.code.as_ref()?;
    let number = match code.file == file {
        true => first.step.line.to_string(),
        false => format!("{}:{}", code.file, first.step.line),
    };
    Some(Line {
        text: format!("{number} {}", first.step.text)
            .trim_end()
            .to_string(),
        deeds: told,
        times: 1,
    })
}

/// Writes a run; false if it is none of a C program.
pub(super) fn told(
    f: &mut fmt::Formatter<'_>,
    offset: usize,
    run: &[TraceStep],
) -> Result<bool, fmt::Error> {
    let Some(code) = run.first().and_then(|s| s.code.as_ref()) else {
        return Ok(false);
    };
    let key = |s: &TraceStep| (s.step.line, s.code.as_ref().map(|c| c.file.clone()));
    let groups = run.chunk_by(|a, b| key(a) == key(b));
    let mut lines: Vec<Line> = Vec::new();
    for group in groups {
        let Some(new) = line(group, &code.file) else {
            continue;
        };
        match lines.last_mut() {
            Some(last) if (&last.text, &last.deeds) == (&new.text, &new.deeds) => last.times += 1,
            _ => lines.push(new),
        }
    }
    if lines.is_empty() {
        writeln!(f, "{:offset$}  (nothing that concerns others)", "")?;
    }
    let widest = lines
        .iter()
        .map(|l| l.text.chars().count())
        .max()
        .unwrap_or(0);
    let widest = widest.min(columns_left(offset) / 2);
    let left_out = left_out(lines.len(), false);
    for (n, line) in lines.iter().enumerate() {
        if n == left_out.start && !left_out.is_empty() {
            let n = left_out.len();
            writeln!(
                f,
                "{:offset$}  .. {n} lines (-v, or --trace FILE, has all) ..",
                ""
            )?;
        }
        if left_out.contains(&n) {
            continue;
        }
        let mut deeds = line.deeds.clone();
        if line.times > 1 {
            deeds.push(format!("({} times)", line.times));
        }
        let head = format!("{:offset$}  {:widest$}", "", line.text);
        let whole = format!("{head}  {}", deeds.join(", "));
        if whole.chars().count() <= columns_left(0) {
            writeln!(f, "{}", whole.trim_end())?;
        } else {
            writeln!(f, "{}", head.trim_end())?;
            flowed(f, offset + 6, &deeds, ", ")?;
        }
    }
    Ok(true)
}
