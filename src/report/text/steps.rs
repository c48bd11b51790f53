//! Steps: one in its place, or all of them.

use crate::base::results::{Report, Step};
use crate::report::layout;
use std::fmt;

/// `worker(0) at B, m.cor:7:9: x[0] = i;`
pub(super) fn at(model: &str, step: &Step) -> String {
    let has_label = !step.location.is_empty() && !step.location.starts_with("line ");
    let mut place = step.thread.clone();
    if has_label && !step.thread.is_empty() {
        place += &format!(" at {}", step.location);
    }
    if step.line > 0 {
        let between = if place.is_empty() { "" } else { ", " };
        place += between;
        place += &layout::place(model, step.line, step.column);
    }
    if place.is_empty() {
        step.text.clone()
    } else if step.text.is_empty() {
        place
    } else {
        format!("{place}: {}", step.text)
    }
}

/// Every step, thread by thread in the order of the program, with the reasons.
pub(super) fn listed(f: &mut fmt::Formatter<'_>, report: &Report) -> fmt::Result {
    let marked = |steps: &'_ [Step], mark| -> Vec<(Step, &str)> {
        steps.iter().map(|s| (s.clone(), mark)).collect()
    };
    let mut all = marked(&report.visible, "visible");
    all.extend(marked(&report.invisible, "invisible"));
    let mut threads: Vec<&str> = Vec::new();
    for (step, _) in &all {
        if !threads.contains(&step.thread.as_str()) {
            threads.push(&step.thread);
        }
    }
    let mut sorted: Vec<&(Step, &str)> = all.iter().collect();
    sorted.sort_by_key(|(s, _)| (threads.iter().position(|t| *t == s.thread), s.line));
    for (step, mark) in sorted {
        writeln!(f, "  {:9}  {}", mark, at(&report.model, step))?;
        for reason in &step.reasons {
            writeln!(f, "             {reason}")?;
        }
    }
    Ok(())
}
