//! What goes wrong in an execution, and what it ends in, in words.

use crate::base::results::{Failure, Outcome, Overlap, Step, TraceStep, Value, Violation};
use std::fmt;

/// What is wrong in a deadlock.
pub(super) const DEADLOCK: &str = "no step is enabled";

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Untold => Ok(()),
            Self::Violation(violation) => violation.fmt(f),
            Self::Discipline => f.write_str("the synchronisation discipline is violated"),
            Self::Wrong => f.write_str("a thread has gone wrong"),
            Self::Deadlock(waiting) => {
                let each = waiting.iter().enumerate().map(|(n, w)| {
                    let at = match n {
                        0 => w.at.to_string(),
                        _ => w.at.again(),
                    };
                    format!("{} waits at {}", w.thread, w.spot(&at))
                });
                write!(f, "{DEADLOCK}: {}", each.collect::<Vec<_>>().join(", "))
            }
            Self::Reached(name) => write!(f, "a state that satisfies {name} is reached"),
            Self::Violates(name) => write!(f, "this state violates {name}"),
            Self::Witness => f.write_str("this is s1, the first state of the witness"),
            Self::Lemma => f.write_str("the lemma is false in this state"),
            Self::Program(what) => f.write_str(what),
            Self::NotAtomic => f.write_str("this is never so if the block is atomic"),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failure(thread, failure) => write!(f, "{thread} goes wrong: {failure}"),
            Self::Access {
                thread,
                cell,
                holders,
            } => {
                write!(f, "{thread} accesses {cell} without exclusive access")?;
                match holders.as_slice() {
                    [] => Ok(()),
                    some => write!(f, "; {} has it", some.join(" and ")),
                }
            }
            Self::Overlap(overlap) => overlap.fmt(f),
        }
    }
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = &self.cell;
        let owners = self.owners.join(" and ");
        match self.owners.len() {
            1 => {
                let readers = self.readers.join(" and ");
                write!(
                    f,
                    "{owners} has exclusive access to {cell} while {readers} may read it"
                )
            }
            2 => write!(f, "{owners} both have exclusive access to {cell}"),
            _ => write!(f, "{owners} all have exclusive access to {cell}"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Assertion => "the assertion fails",
            Self::Range => "the value is outside the variable's type",
            Self::Index => "the index is outside the array",
            Self::Division => "division by zero",
            Self::Shift => "the shift is negative or too large",
            Self::NotOwner => "the thread does not hold the lock",
            Self::Held => "the thread holds the read lock already",
            Self::Depth => "the mutex is locked more often than its bound",
            Self::Started => "the thread has been started already",
            Self::Null => "the reference is null",
            Self::Freed => "the object is not allocated",
        })
    }
}

/// `line 7: x[0] = i;`, with the label of its location if it has one.
pub(super) fn said(step: &Step) -> String {
    let mut place = match step.location.starts_with("line ") {
        true => Vec::new(),
        false => vec![step.location.clone()],
    };
    place.retain(|label| !label.is_empty());
    if step.line > 0 {
        place.push(format!("line {}", step.line));
    }
    let place = place.join(", ");
    match (place.is_empty(), step.text.is_empty()) {
        (true, _) => step.text.clone(),
        (false, true) => place,
        (false, false) => format!("{place}: {}", step.text),
    }
}

/// The same of a step that was taken; of a C program also what it does.
pub(super) fn taken(step: &TraceStep) -> String {
    let Some(code) = &step.code else {
        return said(&step.step);
    };
    let Step { line, text, .. } = &step.step;
    let does = match code.does.as_str() {
        "" => String::new(),
        does => format!(" ({does})"),
    };
    format!("{}:{line}: {text}{does}", code.file)
}

/// A value as the user writes it.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Int(i) => i.to_string(),
        Value::Bool(b) => b.to_string(),
        Value::Text(t) => t.clone(),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(written).collect();
            format!("[{}]", items.join(", "))
        }
    }
}
