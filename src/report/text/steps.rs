//! Steps: one in its place, all of them, or a short list by thread.

use crate::base::results::{Report, Step};
use crate::report::layout::counted;
use std::fmt;

/// `worker(0) at B, line 7: x[0] = i;`
pub(super) fn at(step: &Step) -> String {
    let own_line = format!("line {}", step.line);
    let mut place = step.thread.clone();
    if !step.location.is_empty() && step.location != own_line && !step.thread.is_empty() {
        place += &format!(" at {}", step.location);
    }
    if step.line > 0 {
        place += &format!(", {own_line}");
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
        writeln!(f, "  {:9}  {}", mark, at(step))?;
        for reason in &step.reasons {
            writeln!(f, "             {reason}")?;
        }
    }
    Ok(())
}

/// How many threads, and locations of each, a compact list of steps names.
const COMPACT: (usize, usize) = (3, 12);

/// Locations of one name, that of a label or line, are told once: `line 8 (2 steps)`.
fn together(locations: &[&str]) -> Vec<String> {
    let name = |l: &str| {
        let end = [" (", " #"].iter().filter_map(|mark| l.find(mark)).min();
        l[..end.unwrap_or(l.len())].to_string()
    };
    let mut all: Vec<(String, Vec<&str>)> = Vec::new();
    for location in locations {
        let name = name(location);
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, steps)) => steps.push(location),
            None => all.push((name, vec![location])),
        }
    }
    let told = |(name, steps): (String, Vec<&str>)| match steps.as_slice() {
        [one] => one.to_string(),
        many => format!("{name} ({} steps)", many.len()),
    };
    all.into_iter().map(told).collect()
}

/// `14 steps: worker(0) A C D F, worker(1) A C D F, 5 more threads`
pub(super) fn compact(steps: &[Step]) -> String {
    let mut threads: Vec<(&str, Vec<&str>)> = Vec::new();
    for step in steps {
        match threads.last_mut() {
            Some((thread, locations)) if *thread == step.thread => locations.push(&step.location),
            _ => threads.push((&step.thread, vec![&step.location])),
        }
    }
    let (most_threads, most_locations) = COMPACT;
    let mut parts: Vec<String> = threads
        .iter()
        .take(most_threads)
        .map(|(thread, locations)| {
            let locations = together(locations);
            let named = &locations[..locations.len().min(most_locations)];
            let dots = if named.len() < locations.len() {
                ", .."
            } else {
                ""
            };
            format!("{thread} at {}{dots}", named.join(", "))
        })
        .collect();
    if threads.len() > most_threads {
        parts.push(counted(threads.len() - most_threads, "more thread"));
    }
    let total = counted(steps.len(), "step");
    if parts.is_empty() {
        total
    } else {
        format!("{total}: {}", parts.join("; "))
    }
}
