//! An execution that one steps through: the script draws it from the data.

use super::{escaped, page};
use crate::base::results::{Outcome, Trace, Value};
use crate::report::layout::about;
use crate::report::trace::{taken, written};
use serde_json::{Value as Json, json};

/// Draws every execution of a page.
pub(super) const SCRIPT: &str = include_str!("walk.js");

/// A page about one execution, of a property of a model.
pub fn execution(model: &str, property: &str, trace: &Trace) -> String {
    let sections = format!(
        "<p>{}</p>\n{}",
        about(model, || escaped(&format!("{property}: {}", trace.outcome))),
        walk(trace)
    );
    page(&format!("{model}: an execution"), &sections, &[SCRIPT])
}

/// An execution as an element that the script fills.
pub(super) fn walk(trace: &Trace) -> String {
    // Nothing in it may end the element.
    let data = data(trace).to_string().replace('<', "\\u003c");
    format!("<div class=\"walk\"><script type=\"application/json\">{data}</script></div>\n")
}

/// Names, the values they start with, and by step what it sets, by the names' numbers.
fn data(trace: &Trace) -> Json {
    let mut names = Vec::new();
    for (variable, value) in trace.variables.iter().zip(trace.states.iter().flatten()) {
        leaves(&variable.name, value, &mut |name, _| {
            names.push(name.to_string())
        });
    }
    let flat = |state: &[Value]| {
        let mut all = Vec::new();
        for value in state {
            leaves("", value, &mut |_, value| all.push(written(value)));
        }
        all
    };
    let mut before = trace.states.first().map(|s| flat(s)).unwrap_or_default();
    let start = before.clone();
    let steps: Vec<Json> = trace
        .steps
        .iter()
        .zip(trace.states.iter().skip(1))
        .map(|(step, state)| {
            let after = flat(state);
            let changed = (0..after.len()).filter(|&n| before.get(n) != after.get(n));
            let sets: Vec<Json> = changed.map(|n| json!([n, after[n]])).collect();
            before = after;
            let changes = step.changes.iter();
            let changes = changes.map(|c| format!("{}: {} -> {}", c.name, c.old, c.new));
            json!({
                "thread": step.step.thread,
                "line": step.step.line,
                "said": taken(step),
                "changes": changes.collect::<Vec<_>>().join("\n"),
                "violation": step.violation.as_ref().map(ToString::to_string),
                "sets": sets,
            })
        })
        .collect();
    json!({
        "names": names,
        "start": start,
        "steps": steps,
        "outcome": trace.outcome.to_string(),
        "wanted": matches!(trace.outcome, Outcome::Reached(_)),
    })
}

/// The cells of a variable, with their values.
fn leaves(name: &str, value: &Value, tell: &mut dyn FnMut(&str, &Value)) {
    match value {
        Value::List(items) => {
            for (n, item) in items.iter().enumerate() {
                leaves(&format!("{name}[{n}]"), item, tell);
            }
        }
        single => tell(name, single),
    }
}
