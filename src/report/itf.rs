//! A trace in Apalache's Informal Trace Format, for its viewers and for scripts.
//!
//! The format is JSON: `vars` names the state variables, `states` gives their values. What ITF leaves to the tool
//! goes into the `#meta` of a state: the thread, location and line of the step that led to it.

use crate::base::results::{Trace, TraceStep, Value};
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
        fields.insert("coarse".to_string(), json!(taken.coarse));
        fields.insert("thread".to_string(), json!(taken.step.thread));
        fields.insert("location".to_string(), json!(taken.step.location));
        fields.insert("line".to_string(), json!(taken.step.line));
        fields.insert("text".to_string(), json!(taken.step.text));
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
    use crate::base::results::{Change, Failure, Outcome, Step, TraceVariable, Violation};

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
                coarse: 1,
                step: Step {
                    thread: "worker(0)".to_string(),
                    location: "A".to_string(),
                    line: 7,
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
            outcome: Outcome::Discipline,
            execution: Default::default(),
        };
        let text = render("m.cor", "discipline", &trace);
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
