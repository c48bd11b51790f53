//! A trace in Apalache's Informal Trace Format, for its viewers and for scripts.
//!
//! The format is JSON: `vars` names the state variables, `states` gives their values. What ITF leaves to the tool
//! goes into the `#meta` of a state: the thread, location and line of the step that led to it.

use crate::base::results::{Trace, TraceStep, TraceVariable, Value};
use serde_json::{Map, Value as Json, json};

/// Where the format is described.
const DESCRIPTION: &str = "https://apalache-mc.org/docs/adr/015adr-trace.html";

/// The largest absolute value that readers which know only floating point numbers read exactly.
const EXACT: u64 = 1 << 53;

/// The trace of `property` on `model`, as an indented ITF document with a line break at its end.
pub fn render(model: &str, property: &str, trace: &Trace) -> String {
    let document = json!({
        "#meta": {
            "format": "ITF",
            "format-description": DESCRIPTION,
            "source": model,
            "description": format!("{property}: {}", trace.outcome),
        },
        "vars": trace.variables.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(),
        "states": states(trace),
    });
    format!("{document:#}\n")
}

/// The states of a document.
///
/// # Errors
/// What it lacks.
pub fn read(text: &str) -> Result<Vec<Json>, String> {
    let document: Json = serde_json::from_str(text).map_err(|e| format!("it is no JSON: {e}"))?;
    match document.get("states").and_then(Json::as_array) {
        Some(states) if !states.is_empty() => Ok(states.clone()),
        _ => Err("it is no trace in ITF: it has no `states`".to_string()),
    }
}

/// Whether a state of a document may be one with these values: those that it gives are the same, and it gives some.
pub fn is_state(state: &Json, variables: &[TraceVariable], values: &[Value]) -> bool {
    let mut given = 0;
    let mut all = variables.iter().zip(values);
    let same = all.all(|(variable, value)| match state.get(&variable.name) {
        None => true,
        Some(found) => {
            given += 1;
            is_value(found, value)
        }
    });
    same && given > 0
}

/// Numbers may be written in two ways.
fn is_value(found: &Json, value: &Value) -> bool {
    match (value, found.get("#bigint").and_then(Json::as_str)) {
        (Value::Int(i), Some(digits)) => digits.parse() == Ok(*i),
        (Value::List(items), None) => found.as_array().is_some_and(|all| {
            let mut pairs = all.iter().zip(items);
            all.len() == items.len() && pairs.all(|(f, v)| is_value(f, v))
        }),
        _ => *found == written(value),
    }
}

fn states(trace: &Trace) -> Vec<Json> {
    let led_by = std::iter::once(None).chain(trace.steps.iter().map(Some));
    trace
        .states
        .iter()
        .zip(led_by)
        .enumerate()
        .map(|(index, (values, step))| {
            let mut state = Map::new();
            state.insert("#meta".to_string(), meta(index, step));
            for (variable, value) in trace.variables.iter().zip(values) {
                state.insert(variable.name.clone(), written(value));
            }
            Json::Object(state)
        })
        .collect()
}

fn meta(index: usize, step: Option<&TraceStep>) -> Json {
    let mut meta = json!({ "index": index });
    if let (Some(fields), Some(taken)) = (meta.as_object_mut(), step) {
        if taken.code.is_none() {
            fields.insert("coarse".to_string(), json!(taken.coarse));
        }
        fields.insert("thread".to_string(), json!(taken.step.thread));
        fields.insert("location".to_string(), json!(taken.step.location));
        fields.insert("line".to_string(), json!(taken.step.line));
        fields.insert("text".to_string(), json!(taken.step.text));
        if let Some(code) = &taken.code {
            fields.insert("file".to_string(), json!(code.file));
            fields.insert("does".to_string(), json!(code.does));
        }
        if let Some(violation) = &taken.violation {
            fields.insert("violation".to_string(), json!(violation));
        }
    }
    meta
}

fn written(value: &Value) -> Json {
    match value {
        Value::Int(i) if i.unsigned_abs() > EXACT => json!({ "#bigint": i.to_string() }),
        Value::Int(i) => json!(i),
        Value::Bool(b) => json!(b),
        Value::Text(text) => json!(text),
        Value::List(items) => Json::Array(items.iter().map(written).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::results::{Change, Failure, Outcome, Step, Violation};

    fn variable(name: &str, dims: &[usize]) -> TraceVariable {
        TraceVariable {
            name: name.to_string(),
            dims: dims.to_vec(),
        }
    }

    #[test]
    fn has_the_shape_of_itf() {
        let at = |label: &str| Value::Text(label.to_string());
        let pair = |a, b| Value::List(vec![Value::Int(a), Value::Int(b)]);
        let trace = Trace {
            variables: vec![
                variable("x", &[2]),
                variable("big", &[]),
                variable("b", &[]),
                variable("worker(0)", &[]),
            ],
            states: vec![
                vec![pair(0, 0), Value::Int(1 << 53), Value::Bool(false), at("A")],
                vec![
                    pair(0, -1),
                    Value::Int(-(1 << 53) - 1),
                    Value::Bool(true),
                    at("B"),
                ],
            ],
            steps: vec![TraceStep {
                code: None,
                coarse: 1,
                step: Step {
                    thread: "worker(0)".to_string(),
                    location: "A".to_string(),
                    line: 7,
                    column: 1,
                    text: "x[1] = -1;".to_string(),
                    reasons: Vec::new(),
                },
                changes: vec![Change {
                    name: "x[1]".to_string(),
                    old: "0".to_string(),
                    new: "-1".to_string(),
                }],
                violation: Some(Violation::Failure(
                    "worker(0)".to_string(),
                    Failure::Division,
                )),
            }],
            skipped: 0,
            outcome: Outcome::Discipline,
            about: Vec::new(),
            execution: Default::default(),
        };
        let text = render("m.cor", "discipline", &trace);
        for (n, state) in super::read(&text).expect("ITF").iter().enumerate() {
            for (k, values) in trace.states.iter().enumerate() {
                assert_eq!(is_state(state, &trace.variables, values), n == k);
            }
        }
        let read: Json = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read["#meta"]["format"], "ITF");
        assert_eq!(read["#meta"]["source"], "m.cor");
        assert_eq!(read["vars"], json!(["x", "big", "b", "worker(0)"]));
        assert_eq!(
            read["states"],
            json!([
                { "#meta": { "index": 0 }, "x": [0, 0], "big": 1i64 << 53, "b": false, "worker(0)": "A" },
                {
                    "#meta": {
                        "index": 1, "coarse": 1, "thread": "worker(0)", "location": "A", "line": 7,
                        "text": "x[1] = -1;", "violation": "worker(0) goes wrong: division by zero",
                    },
                    "x": [0, -1], "big": { "#bigint": "-9007199254740993" }, "b": true, "worker(0)": "B",
                },
            ])
        );
    }
}
