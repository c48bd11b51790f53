//! A trace as a table: which thread, which line, what changed. A thread is named where its run of steps begins.

use crate::base::results::{Outcome, Trace, TraceStep};
use crate::report::layout::{columns, counted, wrapped};
use crate::report::trace::{said, written};
use std::fmt;

/// Displays a trace, indented under its property.
pub(super) struct Shown<'a> {
    pub trace: &'a Trace,
    /// Whether all steps of a long one are wanted.
    pub all: bool,
}

/// Of longer traces the middle is left out.
const SHORT: usize = 400;

/// Steps at both ends that are told of those.
const ENDS: usize = 100;

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trace = self.trace;
        let coarse = trace.steps.last().map_or(0, |s| s.coarse);
        write!(f, "    trace: {}", counted(trace.steps.len(), "action"))?;
        // An execution of the original program has no coarse steps.
        match coarse > 0 && coarse < trace.steps.len() {
            true => writeln!(f, " in {}", counted(coarse, "coarse step"))?,
            false => writeln!(f)?,
        }
        if let Some(first) = trace.states.first() {
            let values: Vec<String> = trace
                .variables
                .iter()
                .zip(first)
                .map(|(variable, value)| format!("{} = {}", variable.name, written(value)))
                .collect();
            start(f, &values)?;
        }
        let steps = || trace.steps.iter();
        let width = |all: &mut dyn Iterator<Item = usize>| all.max().unwrap_or(0);
        let thread = width(&mut steps().map(|s| s.step.thread.chars().count()));
        let said =
            width(&mut steps().map(|s| said(&s.step).chars().count())).min(columns() * 2 / 5);
        let mut last = "";
        let steps = trace.steps.len();
        let left_out = match self.all || steps <= SHORT {
            true => 0..0,
            false => ENDS..steps - ENDS,
        };
        for (number, step) in trace.steps.iter().enumerate() {
            if left_out.contains(&number) {
                if number == left_out.start {
                    let n = left_out.len();
                    writeln!(f, "          .. {n} actions (-v, or --trace FILE, has all)")?;
                    last = "";
                }
                continue;
            }
            let name = match step.step.thread == last {
                true => "",
                false => step.step.thread.as_str(),
            };
            last = &step.step.thread;
            action(f, (number + 1, name, thread, said), step)?;
        }
        match trace.outcome {
            Outcome::Untold => Ok(()),
            _ => {
                let line = format!("    outcome: {}", trace.outcome);
                writeln!(f, "{}", wrapped(&line, 13))
            }
        }
    }
}

/// The values that it starts with, in as many columns as there is room for.
fn start(f: &mut fmt::Formatter<'_>, values: &[String]) -> fmt::Result {
    const INDENT: usize = 11;
    let widest = values.iter().map(|v| v.chars().count()).max().unwrap_or(0);
    let room = columns().saturating_sub(INDENT) + 2;
    let across = (room / (widest + 2)).clamp(1, values.len().max(1));
    let down = values.len().div_ceil(across);
    for row in 0..down {
        let begins = if row == 0 { "start:" } else { "" };
        write!(f, "    {begins:7}")?;
        let cells = (0..across).filter_map(|n| values.get(n * down + row));
        let cells: Vec<String> = cells.map(|v| format!("{v:widest$}")).collect();
        writeln!(f, "{}", cells.join("  ").trim_end())?;
    }
    Ok(())
}

fn action(
    f: &mut fmt::Formatter<'_>,
    (number, name, thread, width): (usize, &str, usize, usize),
    step: &TraceStep,
) -> fmt::Result {
    let changes = step
        .changes
        .iter()
        .map(|c| format!("{}: {} -> {}", c.name, c.old, c.new));
    let changes = changes.collect::<Vec<_>>().join(", ");
    let line = format!(
        "    {number:4}. {name:thread$}  {:width$}",
        said(&step.step)
    );
    let longer = format!("{line}  {changes}");
    match longer.chars().count() <= columns() {
        true => writeln!(f, "{}", longer.trim_end())?,
        false => {
            writeln!(f, "{}", line.trim_end())?;
            let changes = format!("          {:thread$}  {changes}", "");
            writeln!(f, "{}", wrapped(&changes, thread + 12))?;
        }
    }
    match &step.violation {
        Some(violation) => {
            let line = format!("          {:thread$}! {violation}", "");
            writeln!(f, "{}", wrapped(&line, thread + 12))
        }
        None => Ok(()),
    }
}
