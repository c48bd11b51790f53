//! A trace as a table: which thread, which line, what changed. A thread is named where its run of steps begins.

use crate::base::results::{Outcome, Trace, TraceStep};
use crate::report::layout::{counted, wrapped};
use crate::report::trace::{said, written};
use std::fmt;

/// Displays a trace, indented under its property.
pub(super) struct Shown<'a>(pub &'a Trace);

/// Columns of a line, and of what a step says in it, where what it changes goes on the same line.
const COLUMNS: usize = 120;
const SAID: usize = 48;

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trace = self.0;
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
            let start = format!("    start: {}", values.join(", "));
            writeln!(f, "{}", wrapped(&start, 11))?;
        }
        let steps = || trace.steps.iter();
        let width = |all: &mut dyn Iterator<Item = usize>| all.max().unwrap_or(0);
        let thread = width(&mut steps().map(|s| s.step.thread.chars().count()));
        let said = width(&mut steps().map(|s| said(&s.step).chars().count())).min(SAID);
        let mut last = "";
        for (number, step) in trace.steps.iter().enumerate() {
            let name = match step.step.thread == last {
                true => "",
                false => step.step.thread.as_str(),
            };
            last = &step.step.thread;
            action(f, (number + 1, name, thread, said), step)?;
        }
        match trace.outcome {
            Outcome::Untold => Ok(()),
            _ => writeln!(f, "    outcome: {}", trace.outcome),
        }
    }
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
    match longer.chars().count() <= COLUMNS {
        true => writeln!(f, "{}", longer.trim_end())?,
        false => {
            writeln!(f, "{}", line.trim_end())?;
            writeln!(f, "          {:thread$}  {changes}", "")?;
        }
    }
    match &step.violation {
        Some(violation) => writeln!(f, "          {:thread$}! {violation}", ""),
        None => Ok(()),
    }
}
