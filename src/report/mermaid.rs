//! An execution as a sequence diagram in Mermaid's language, for places that draw it: threads are participants, and
//! each step is a message of a thread to itself.

use super::trace::taken;
use crate::base::results::{Outcome, Trace, TraceStep};
use std::fmt::Write;

/// Mermaid draws no more messages than 500 unless told to; of longer executions the middle is left out.
const FIRST: usize = 200;
const LAST: usize = 200;

/// The diagram of `property` on `model`.
pub fn render(model: &str, property: &str, trace: &Trace) -> String {
    let mut threads: Vec<&str> = Vec::new();
    for step in &trace.steps {
        if !threads.contains(&step.step.thread.as_str()) {
            threads.push(&step.step.thread);
        }
    }
    let mut out = String::from("sequenceDiagram\n");
    // Writing to a string does not fail.
    let _ = writeln!(out, "    title {}", text(&format!("{model}: {property}")));
    if threads.is_empty() {
        out += "    participant t0 as start\n";
    }
    for (n, thread) in threads.iter().enumerate() {
        let _ = writeln!(out, "    participant t{n} as {}", text(thread));
    }
    let number = |thread: &str| threads.iter().position(|t| *t == thread).unwrap_or(0);
    let left_out = trace.steps.len().saturating_sub(FIRST + LAST);
    let over = match threads.len() {
        0 | 1 => "t0".to_string(),
        n => format!("t0,t{}", n - 1),
    };
    for (n, step) in trace.steps.iter().enumerate() {
        if left_out > 0 && n == FIRST {
            let _ = writeln!(out, "    Note over {over}: {left_out} steps are left out");
        }
        if n < FIRST || n >= trace.steps.len() - LAST.min(trace.steps.len()) {
            action(&mut out, number(&step.step.thread), step);
        }
    }
    if trace.outcome != Outcome::Untold {
        let outcome = text(&trace.outcome.to_string());
        let _ = writeln!(out, "    Note over {over}: {outcome}");
    }
    out
}

fn action(out: &mut String, thread: usize, step: &TraceStep) {
    let _ = writeln!(out, "    t{thread}->>t{thread}: {}", text(&taken(step)));
    let changes = step.changes.iter();
    let mut notes: Vec<String> = changes
        .map(|c| text(&format!("{}: {} -> {}", c.name, c.old, c.new)))
        .collect();
    notes.extend(step.violation.iter().map(|v| text(&format!("! {v}"))));
    if !notes.is_empty() {
        let _ = writeln!(out, "    Note right of t{thread}: {}", notes.join("<br/>"));
    }
}

/// Text in which nothing is taken for markup: what means something to Mermaid is written by its number.
fn text(plain: &str) -> String {
    let mut all = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            c if c.is_alphanumeric() || " .,()[]=+-*/!:_'".contains(c) => all.push(c),
            c if c.is_control() => all.push(' '),
            c => {
                let _ = write!(all, "#{};", u32::from(c));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::refuted;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(text("x = 1; # a<b>\n%"), "x = 1#59; #35; a#60;b#62; #37;");
    }

    /// Every line is a title, a participant, a message, or a note, and long executions are cut in the middle.
    #[test]
    fn a_diagram_has_a_message_for_each_step() {
        let trace = refuted().properties.into_iter().find_map(|p| p.trace);
        let mut trace = trace.expect("a trace");
        let short = render("m.cor", "p", &trace);
        assert_eq!(short.matches("->>").count(), trace.steps.len());
        let kinds = ["title ", "participant ", "t", "Note "];
        for line in short.lines().skip(1) {
            let line = line.strip_prefix("    ").expect("indented");
            assert!(kinds.iter().any(|k| line.starts_with(k)), "{line}");
            assert!(!line.contains(';') || line.contains('#'), "{line}");
        }
        let step = trace.steps[0].clone();
        trace.steps.resize(1000, step);
        let long = render("m.cor", "p", &trace);
        assert_eq!(long.matches("->>").count(), FIRST + LAST);
        assert!(long.contains("600 steps are left out"));
    }
}
