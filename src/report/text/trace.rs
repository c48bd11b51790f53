//! A trace, step by step: which thread, which line, what changed.

use super::steps::at;
use crate::base::results::{Trace, TraceStep, Value};
use crate::report::layout::counted;
use std::fmt;

/// Displays a trace, indented under its property.
pub(super) struct Shown<'a>(pub &'a Trace);

/// The same without coarse steps, which an execution of the original program does not have.
pub(super) struct Fine<'a>(pub &'a Trace);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trace = self.0;
        let coarse = trace.steps.last().map_or(0, |s| s.coarse);
        writeln!(
            f,
            "    trace: {} in {}",
            counted(trace.steps.len(), "action"),
            counted(coarse, "coarse step")
        )?;
        body(f, trace, true)
    }
}

impl fmt::Display for Fine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = counted(self.0.steps.len(), "action");
        writeln!(f, "    trace: {steps}")?;
        body(f, self.0, false)
    }
}

fn body(f: &mut fmt::Formatter<'_>, trace: &Trace, grouped: bool) -> fmt::Result {
    if let Some(first) = trace.states.first() {
        let values: Vec<String> = trace
            .variables
            .iter()
            .zip(first)
            .map(|(variable, value)| format!("{} = {}", variable.name, Written(value)))
            .collect();
        writeln!(f, "    start: {}", values.join(", "))?;
    }
    let mut last = 0;
    for (number, step) in trace.steps.iter().enumerate() {
        if grouped && step.coarse != last {
            last = step.coarse;
            writeln!(f, "    coarse step {last}: {}", step.step.thread)?;
        }
        action(f, number + 1, step)?;
    }
    writeln!(f, "    outcome: {}", trace.outcome)
}

fn action(f: &mut fmt::Formatter<'_>, number: usize, step: &TraceStep) -> fmt::Result {
    writeln!(f, "    {number:4}. {}", at(&step.step))?;
    let changes: Vec<String> = step
        .changes
        .iter()
        .map(|c| format!("{}: {} -> {}", c.name, c.old, c.new))
        .collect();
    if !changes.is_empty() {
        writeln!(f, "            {}", changes.join(", "))?;
    }
    match &step.violation {
        Some(violation) => writeln!(f, "            ! {violation}"),
        None => Ok(()),
    }
}

/// A value as the user writes it.
struct Written<'a>(&'a Value);

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Int(i) => write!(f, "{i}"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Text(t) => write!(f, "{t}"),
            Value::List(items) => {
                write!(f, "[")?;
                for (i, item) in items.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    write!(f, "{comma}{}", Written(item))?;
                }
                write!(f, "]")
            }
        }
    }
}
