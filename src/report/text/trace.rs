//! A trace as a table with a column for each thread: what it does in a row, and what that changes. A column is as wide
//! as there is room to its right, since one thread takes a step at a time (as in Spin's listings, Holzmann 2003).

use super::code;
use crate::base::results::{Outcome, Trace, TraceStep, Value};
use crate::report::layout::{columns, counted, place, wrapped};
use crate::report::trace::written;
use std::fmt;

/// Displays a trace, indented under its property.
pub(super) struct Shown<'a> {
    pub model: &'a str,
    pub trace: &'a Trace,
    /// Whether each action is wanted with what it changes; else runs of one thread are told as one.
    pub all: bool,
}

/// Of longer runs, and of traces with more runs, the middle is left out.
const SHORT: usize = 40;

/// Actions or runs at both ends that are told of those.
const ENDS: usize = 15;

/// Values that are told of a program's state.
const MOST_VALUES: usize = 40;

/// Columns for the outermost indent, and between columns.
const INDENT: usize = 4;

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trace = self.trace;
        let coarse = trace.steps.last().map_or(0, |s| s.coarse);
        let (noun, all) = (self.noun(), trace.skipped + trace.steps.len());
        write!(f, "    trace: {}", counted(all, noun))?;
        // An execution of the original program has no coarse steps.
        if coarse > 0 && coarse < trace.steps.len() {
            write!(f, " in {}", counted(coarse, "coarse step"))?;
        }
        match trace.skipped {
            0 => writeln!(f)?,
            n => writeln!(
                f,
                "; another thread is there from step {} on (-v has all)",
                n + 1
            )?,
        }
        let (first, last) = (trace.states.first(), trace.states.last());
        if let Some(first) = first {
            table(f, "start:", &self.some(self.values(first, |_, _| Some(""))))?;
        }
        let table_of_runs = Runs::new(self);
        let runs: Vec<&[TraceStep]> = runs(&trace.steps);
        let left_out = left_out(runs.len(), self.all);
        let mut number = trace.skipped + 1;
        for (n, run) in runs.iter().enumerate() {
            if n == left_out.start && !left_out.is_empty() {
                let actions = runs[left_out.clone()]
                    .iter()
                    .map(|r| r.len())
                    .sum::<usize>();
                writeln!(f, "    .. {actions} {noun}s (-v, or --trace FILE, has all)")?;
            }
            if !left_out.contains(&n) {
                table_of_runs.write(f, number, run)?;
            }
            number += run.len();
        }
        if let (Some(first), Some(last)) = (first, last)
            && !trace.steps.is_empty()
        {
            let told = |name: &str, at: usize| match trace.about.iter().any(|a| a == name) {
                true => Some("! "),
                false if first[at] != last[at] => Some(""),
                false => None,
            };
            table(f, "end:", &self.some(self.values(last, told)))?;
        }
        match trace.outcome {
            // What is wrong in a program stands above its execution.
            Outcome::Untold | Outcome::Program(_) => Ok(()),
            _ => {
                let line = format!("    outcome: {}", trace.outcome);
                writeln!(f, "{}", wrapped(&line, 13))
            }
        }
    }
}

impl Shown<'_> {
    /// What a step is called.
    fn noun(&self) -> &'static str {
        match self.trace.outcome {
            Outcome::Program(_) => "step",
            _ => "action",
        }
    }

    /// The first values, where a program has very many; those that the answer is about are always told.
    fn some(&self, mut values: Vec<String>) -> Vec<String> {
        let many = values.len() > MOST_VALUES && !self.all;
        if many && matches!(self.trace.outcome, Outcome::Program(_)) {
            let all = values.len();
            let mut n = 0;
            values.retain(|v| {
                n += 1;
                n <= MOST_VALUES || v.starts_with('!')
            });
            values.push(format!(".. {} more", all - values.len()));
        }
        values
    }

    /// The values of a state that are to be told, each with its name and the mark that it has.
    fn values(
        &self,
        state: &[Value],
        mark: impl Fn(&str, usize) -> Option<&'static str>,
    ) -> Vec<String> {
        let all = self.trace.variables.iter().zip(state).enumerate();
        all.filter_map(|(at, (variable, value))| {
            let mark = mark(&variable.name, at)?;
            Some(format!("{mark}{} = {}", variable.name, written(value)))
        })
        .collect()
    }
}

/// What is left out of so many things.
pub(super) fn left_out(things: usize, all: bool) -> std::ops::Range<usize> {
    match all || things <= SHORT {
        true => 0..0,
        false => ENDS..things - ENDS,
    }
}

/// Columns that are left behind an offset.
pub(super) fn columns_left(offset: usize) -> usize {
    columns().saturating_sub(offset)
}

/// The longest runs of one thread.
fn runs(steps: &[TraceStep]) -> Vec<&[TraceStep]> {
    steps
        .chunk_by(|a, b| a.step.thread == b.step.thread)
        .collect()
}

/// Values under a word, in as many columns as there is room for.
fn table(f: &mut fmt::Formatter<'_>, word: &str, values: &[String]) -> fmt::Result {
    const INDENT: usize = 11;
    let widest = values.iter().map(|v| v.chars().count()).max().unwrap_or(0);
    let room = columns().saturating_sub(INDENT) + 2;
    let across = (room / (widest + 2)).clamp(1, values.len().max(1));
    let down = values.len().div_ceil(across);
    for row in 0..down {
        let begins = if row == 0 { word } else { "" };
        write!(f, "    {begins:7}")?;
        let cells = (0..across).filter_map(|n| values.get(n * down + row));
        let cells: Vec<String> = cells.map(|v| format!("{v:widest$}")).collect();
        writeln!(f, "{}", cells.join("  ").trim_end())?;
    }
    Ok(())
}

/// How runs are laid out.
struct Runs<'a> {
    shown: &'a Shown<'a>,
    /// The threads, in the order in which they act.
    threads: Vec<&'a str>,
    /// Columns of numbers.
    numbers: usize,
    /// Columns between two threads.
    apart: usize,
    /// Columns of a statement, where what it changes stands beside it.
    statement: usize,
}

impl<'a> Runs<'a> {
    fn new(shown: &'a Shown<'a>) -> Self {
        let steps = &shown.trace.steps;
        let mut threads: Vec<&str> = Vec::new();
        for s in steps {
            if !threads.contains(&s.step.thread.as_str()) {
                threads.push(&s.step.thread);
            }
        }
        let digits = steps.len().to_string().len();
        // A third of the line is for telling threads apart.
        let apart = columns() / 3 / threads.len().saturating_sub(1).max(1);
        let longest = threads.iter().map(|t| t.chars().count()).max();
        let statement = steps.iter().map(|s| said(s).chars().count()).max();
        Runs {
            shown,
            threads,
            numbers: if shown.all {
                digits + 1
            } else {
                2 * digits + 1
            },
            apart: apart.min(longest.unwrap_or(0) + 4).max(1),
            statement: statement.unwrap_or(0).min(columns() * 2 / 5),
        }
    }

    /// Columns before what a thread does.
    fn offset(&self, thread: &str) -> usize {
        let at = self.threads.iter().position(|t| *t == thread);
        // Of very many threads some share a column.
        let right = at.unwrap_or(0) * self.apart % (columns() / 3 + 1);
        INDENT + self.numbers + 2 + right
    }

    /// A run whose first action has this number.
    fn write(&self, f: &mut fmt::Formatter<'_>, number: usize, run: &[TraceStep]) -> fmt::Result {
        let Some(first) = run.first() else {
            return Ok(());
        };
        let offset = self.offset(&first.step.thread);
        let numbers = match (self.shown.all, run.len()) {
            (_, 1) => number.to_string(),
            (true, _) => String::new(),
            (false, n) => format!("{number}-{}", number + n - 1),
        };
        let head = format!("{:INDENT$}{numbers:>1$}", "", self.numbers);
        let name = format!("{head:offset$}{}", first.step.thread);
        let (at, between) = match first.step.line {
            0 => (String::new(), ""),
            line => {
                let file = first.code.as_ref().map_or(self.shown.model, |c| &c.file);
                (place(file, line, first.step.column), ", ")
            }
        };
        let head = format!("{name}{between}{at}");
        let statement = format!("{head}: {}", first.step.text);
        let fits = |line: &str| line.chars().count() <= columns();
        if run.len() == 1 && fits(&statement) && label(first).is_empty() && first.code.is_none() {
            writeln!(f, "{statement}")?;
            return ends(f, offset, run);
        }
        match fits(&head) {
            true => writeln!(f, "{head}")?,
            // The place stands under the name where there is no room beside it.
            false => writeln!(f, "{name},\n{:offset$}{at}", "")?,
        }
        match self.shown.all && run.len() > 1 {
            true => self.each(f, number, offset, run),
            false => told(f, offset, run),
        }
    }

    /// Each action of a run.
    fn each(
        &self,
        f: &mut fmt::Formatter<'_>,
        number: usize,
        offset: usize,
        run: &[TraceStep],
    ) -> fmt::Result {
        for (n, step) in run.iter().enumerate() {
            let changes = code::all_deeds(step);
            let head = format!("{:INDENT$}{:>2$}.", "", number + n, self.numbers - 1);
            let line = format!("{head:offset$}{:1$}", said(step), self.statement);
            let longer = format!("{line}  {}", changes.join(", "));
            match longer.chars().count() <= columns() {
                true => writeln!(f, "{}", longer.trim_end())?,
                false => {
                    writeln!(f, "{}", line.trim_end())?;
                    flowed(f, offset + 2, &changes, ", ")?;
                }
            }
            if let Some(violation) = &step.violation {
                under(f, offset, &format!("! {violation}"))?;
            }
        }
        Ok(())
    }
}

/// A run as a whole: its statements, what it changes in all, and what goes wrong.
fn told(f: &mut fmt::Formatter<'_>, offset: usize, run: &[TraceStep]) -> fmt::Result {
    if code::told(f, offset, run)? {
        return Ok(());
    }
    // The head of the run tells the place of its first action.
    let mut line = run.first().map_or(0, |s| s.step.line);
    for part in run.split_inclusive(|s| s.violation.is_some()) {
        flowed(f, offset, &statements(part, &mut line), "  ")?;
        ends(f, offset, part)?;
    }
    Ok(())
}

/// What a part of a run changes in all, and what goes wrong at its end.
fn ends(f: &mut fmt::Formatter<'_>, offset: usize, part: &[TraceStep]) -> fmt::Result {
    let mut net: Vec<(&str, &str, &str)> = Vec::new();
    for c in part.iter().flat_map(|s| &s.changes) {
        match net.iter_mut().find(|known| known.0 == c.name) {
            Some(known) => known.2 = &c.new,
            None => net.push(change(c)),
        }
    }
    net.retain(|(_, old, new)| old != new);
    flowed(f, offset + 2, &changes(&net), ", ")?;
    match part.last().and_then(|s| s.violation.as_ref()) {
        Some(violation) => under(f, offset, &format!("! {violation}")),
        None => Ok(()),
    }
}

/// What a thread does in a row, each statement with its place if that is not on the line before it.
fn statements(run: &[TraceStep], line: &mut usize) -> Vec<String> {
    let mut all: Vec<(String, usize)> = Vec::new();
    let same = |a: &TraceStep, b: &TraceStep| a.step == b.step;
    for often in run.chunk_by(same) {
        let s = &often[0].step;
        let statement = match (s.line == *line, label(&often[0])) {
            (true, "") => s.text.clone(),
            (true, label) => format!("{label} {}", s.text),
            (false, _) => said(&often[0]),
        };
        *line = s.line;
        all.push((statement, often.len()));
    }
    let left_out = left_out(all.len(), false);
    let told = |(statement, times): &(String, usize)| match times {
        1 => statement.clone(),
        n => format!("{statement} ({n} times)"),
    };
    let mut parts: Vec<String> = all.iter().map(told).collect();
    if !left_out.is_empty() {
        let more: usize = all[left_out.clone()].iter().map(|(_, n)| n).sum();
        let more = format!(".. {more} actions (-v, or --trace FILE, has all) ..");
        parts.splice(left_out, [more]);
    }
    parts
}

/// A line a little further in than what it is about.
fn under(f: &mut fmt::Formatter<'_>, offset: usize, text: &str) -> fmt::Result {
    let offset = offset + 2;
    writeln!(
        f,
        "{}",
        wrapped(&format!("{:offset$}{text}", ""), offset + 2)
    )
}

/// Parts one behind the other, which are broken only if they are longer than a line.
pub(super) fn flowed(
    f: &mut fmt::Formatter<'_>,
    offset: usize,
    parts: &[String],
    between: &str,
) -> fmt::Result {
    let mut line = String::new();
    let full = |line: &str, part: &str| {
        let widths = [line, between, part].map(|s| s.chars().count());
        offset + widths.iter().sum::<usize>() > columns()
    };
    for (n, part) in parts.iter().enumerate() {
        if !line.is_empty() && full(&line, part) {
            let text = format!("{:offset$}{}", "", line.trim_end());
            writeln!(f, "{}", wrapped(&text, offset + 2))?;
            line.clear();
        }
        line += part;
        if n + 1 < parts.len() {
            line += between;
        }
    }
    match line.is_empty() {
        true => Ok(()),
        false => writeln!(
            f,
            "{}",
            wrapped(&format!("{:offset$}{line}", ""), offset + 2)
        ),
    }
}

pub(super) fn change(c: &crate::base::results::Change) -> (&str, &str, &str) {
    (&c.name, &c.old, &c.new)
}

pub(super) fn changes(all: &[(&str, &str, &str)]) -> Vec<String> {
    let each = all.iter();
    each.map(|(name, old, new)| format!("{name}: {old} -> {new}"))
        .collect()
}

/// The label of a step's location, if it has one.
fn label(step: &TraceStep) -> &str {
    match step.step.location.as_str() {
        line if line.starts_with("line ") => "",
        label => label,
    }
}

/// `7:5 x[0] = i;`: line and column, with the label of its location if it has one.
fn said(step: &TraceStep) -> String {
    let at = match step.step.line {
        0 => String::new(),
        line => format!("{line}:{}", step.step.column),
    };
    let parts = [label(step), at.as_str(), step.step.text.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    parts.join(" ")
}
