//! The objects are valid against the schema in `docs/`, which the manual describes field by field.

use super::*;
use crate::base::control::{Hit, Stop};
use crate::base::diagnostic::Span;
use crate::base::results::{
    CompareReport, Ended, ReachReport, Report, SimulateReport, SoFar, Verdict,
};
use crate::report::samples;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../../docs/schema/check.schema.json");
const REACH_SCHEMA: &str = include_str!("../../../docs/schema/reach.schema.json");
const SIMULATE_SCHEMA: &str = include_str!("../../../docs/schema/simulate.schema.json");
const COMPARE_SCHEMA: &str = include_str!("../../../docs/schema/compare.schema.json");
const MANUAL: &str = include_str!("../../../docs/json.md");

fn parsed(schema: &str) -> Value {
    serde_json::from_str(schema).expect("the schema is JSON")
}

fn schema() -> Value {
    parsed(SCHEMA)
}

/// What is wrong with `value`: the part of JSON Schema that the schema uses, and nothing else.
fn violation(root: &Value, schema: &Value, value: &Value) -> Option<String> {
    let fields = schema.as_object().expect("a schema is an object");
    let complaint = |why: &str| Some(format!("{why}: {value} against {schema}"));
    fields.iter().find_map(|(key, rule)| match key.as_str() {
        "$schema" | "$defs" | "title" | "description" | "required" => None,
        "$ref" => {
            // A schema can be used alone.
            let path = rule.as_str().and_then(|r| r.strip_prefix('#'));
            let path = path.unwrap_or_else(|| panic!("{rule} is in another file"));
            let target = root.pointer(path).expect("a definition");
            violation(root, target, value)
        }
        "type" => {
            let names: Vec<&Value> = rule.as_array().map_or(vec![rule], |l| l.iter().collect());
            let fits = names
                .iter()
                .any(|n| has_type(value, n.as_str().unwrap_or("")));
            (!fits).then(|| complaint("type"))?
        }
        "const" => (rule != value).then(|| complaint("const"))?,
        "enum" => {
            let values = rule.as_array().expect("a list");
            (!values.contains(value)).then(|| complaint("enum"))?
        }
        "minimum" => {
            let low = value.as_f64() < rule.as_f64();
            (value.is_number() && low).then(|| complaint("minimum"))?
        }
        "pattern" => {
            assert_eq!(rule, "^[0-9]+$", "unknown pattern");
            // A pattern says nothing about values that are no strings.
            let text = value.as_str().unwrap_or("0");
            let fits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            (!fits).then(|| complaint("pattern"))?
        }
        "items" => {
            let items = value.as_array()?;
            items.iter().find_map(|item| violation(root, rule, item))
        }
        "anyOf" | "oneOf" => {
            let choices = rule.as_array().expect("a list");
            let valid = choices
                .iter()
                .filter(|c| violation(root, c, value).is_none())
                .count();
            let fits = valid == 1 || (valid > 1 && key == "anyOf");
            (!fits).then(|| complaint(key))?
        }
        "properties" => {
            let (rules, object) = (rule.as_object()?, value.as_object()?);
            let wrong = object
                .iter()
                .find_map(|(name, v)| rules.get(name).and_then(|r| violation(root, r, v)));
            let missing = schema["required"].as_array().and_then(|names| {
                names
                    .iter()
                    .find(|n| !object.contains_key(n.as_str().unwrap_or("")))
            });
            wrong.or_else(|| missing.and_then(|name| complaint(&format!("{name} is missing"))))
        }
        "additionalProperties" => {
            assert_eq!(rule, &Value::Bool(false));
            let known = schema["properties"].as_object()?;
            let unknown = value.as_object()?.keys().find(|k| !known.contains_key(*k));
            unknown.and_then(|name| complaint(&format!("{name} is unknown")))
        }
        other => panic!("the validator does not know `{other}`"),
    })
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("unknown type `{other}`"),
    }
}

fn valid(line: serde_json::Result<String>) -> Value {
    valid_by(&schema(), line)
}

fn valid_by(schema: &Value, line: serde_json::Result<String>) -> Value {
    let line = line.expect("written");
    assert!(!line.contains('\n'), "one line: {line}");
    let value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(violation(schema, schema, &value), None);
    value
}

#[test]
fn reports_are_valid() {
    let undecided = Report::undecided("m", "t");
    let reports = [
        samples::holds(),
        samples::refuted(),
        samples::inapplicable(),
        undecided,
    ];
    for report in &reports {
        let object = valid(object(report));
        assert!(object.get("evidence_rejected").is_none());
    }
    let refuted = valid(object(&reports[1]));
    assert_eq!(refuted["states"]["original"], "106");
    assert_eq!(refuted["states"]["visited"], Value::Null);
    assert_eq!(
        refuted["properties"][0]["trace"]["states"][2][0],
        serde_json::json!([1, 0])
    );
}

#[test]
fn evaluations_and_orders_are_valid() {
    let object = valid(object(&samples::eval()));
    assert_eq!(object["witness"]["steps"][0]["line"], 8);
    valid(variable_order("m", &["x".to_string(), "y".to_string()]));
}

#[test]
fn explorations_are_valid() {
    let schema = parsed(REACH_SCHEMA);
    let mut cut = samples::reach();
    (cut.verdict, cut.states, cut.deadlocks) = (Verdict::Unknown, None, None);
    cut.limits.hit = Some(Hit::Search(Stop::Operations));
    cut.limits.so_far = Some(SoFar {
        states: None,
        nodes: Some("26".to_string()),
        operations: Some("101".to_string()),
    });
    for report in [&cut, &ReachReport::undecided("m", "auto")] {
        let object = valid_by(&schema, object(report));
        assert_eq!(object["states"], Value::Null);
        assert!(object.get("evidence_rejected").is_none());
    }
    let object = valid_by(&schema, object(&samples::reach()));
    assert_eq!(object["states"], "26");
    assert_eq!(object["questions"][0]["kind"], "deadlock");
    valid_by(&schema, variable_order("m", &["x".to_string()]));
    valid_by(&schema, fault(Blamed::Model("m"), "r", "", &[]));
    for (field, bad) in [
        ("verdict", Value::from("hypothesis_refuted")),
        ("states", Value::from(26)),
        ("questions", serde_json::json!([{ "name": "deadlock" }])),
        ("limits", Value::Null),
        ("surprise", Value::from(1)),
    ] {
        let mut object = object.clone();
        object[field] = bad;
        assert!(violation(&schema, &schema, &object).is_some(), "{field}");
    }
}

#[test]
fn walks_are_valid() {
    let schema = parsed(SIMULATE_SCHEMA);
    let trace = samples::refuted().properties[0].trace.clone();
    assert!(trace.is_some());
    for (ended, trace) in [(Ended::Wrong, trace), (Ended::NoGoal, None)] {
        let object = valid_by(&schema, object(&SimulateReport::new("m", 3, ended, trace)));
        assert_eq!(object["steps"], 3);
        let mut bad = object;
        bad["ended"] = Value::from("tired");
        assert!(violation(&schema, &schema, &bad).is_some());
    }
    valid_by(&schema, fault(Blamed::Model("m"), "r", "", &[]));
}

#[test]
fn failures_have_all_diagnostics_in_order_with_lines_and_columns() {
    let at = |start, end| Diagnostic::error("E0102", Span::new(start, end), "m", "e", "h");
    let source = "é x\r\ny\n".repeat(15);
    let mut all: Vec<Diagnostic> = (0..30).rev().map(|i| at(i * 4, i * 4 + 1)).collect();
    all.push(Diagnostic::warning(
        "W0001",
        Span::new(500, 3),
        "late",
        "",
        "",
    ));
    let object = valid(fault(Blamed::Model("m"), "31 problems", &source, &all));
    let placed = object["diagnostics"].as_array().expect("a list");
    assert_eq!(placed.len(), 31);
    assert_eq!(
        (&placed[0]["line"], &placed[0]["column"]),
        (&1.into(), &1.into())
    );
    assert_eq!(
        (&placed[1]["line"], &placed[1]["end_column"]),
        (&1.into(), &5.into())
    );
    assert_eq!(placed[30]["severity"], "warning");
    assert_eq!(placed[30]["line"], 31);
}

#[test]
fn the_validator_finds_faults() {
    let schema = schema();
    let good = valid(object(&samples::holds()));
    for (field, bad) in [
        ("verdict", Value::from("maybe")),
        ("schema_version", Value::from(2)),
        (
            "states",
            serde_json::json!({ "original": 106, "reduced": null, "visited": null }),
        ),
        ("notes", Value::Null),
        ("surprise", Value::from(1)),
    ] {
        let mut object = good.clone();
        object[field] = bad;
        assert!(violation(&schema, &schema, &object).is_some(), "{field}");
    }
    let mut object = good;
    object.as_object_mut().map(|o| o.remove("limits"));
    assert!(violation(&schema, &schema, &object).is_some());
}

#[test]
fn comparisons_are_valid() {
    let schema = parsed(COMPARE_SCHEMA);
    valid_by(&schema, object(&CompareReport::undecided("m")));
    let model = include_str!("../../../models/levin/figure1.cor");
    let (session, _) = crate::Session::load("m", model, &[], Default::default()).expect("a model");
    let theory = crate::theory("stoller-cohen").expect("shipped");
    let report = session.compare(
        &theory,
        &crate::base::control::Control::default(),
        &mut |_| {},
    );
    let object = valid_by(&schema, object(&report));
    assert_eq!(object["verdict"], "refuted");
    assert_eq!(object["rows"][0]["states"], "8");
    valid_by(&schema, fault(Blamed::Model("m"), "r", "", &[]));
}

#[test]
fn the_manual_describes_every_field() {
    let schemas = [schema(), parsed(REACH_SCHEMA), parsed(COMPARE_SCHEMA)];
    let definitions = schemas.iter().filter_map(|s| s["$defs"].as_object());
    for (name, definition) in definitions.flatten() {
        let Some(fields) = definition["properties"].as_object() else {
            continue;
        };
        let title = format!("## {name}\n");
        let section = MANUAL.split_once(&title).map(|(_, rest)| rest);
        let section = section.unwrap_or_else(|| panic!("docs/json.md lacks `{name}`"));
        let section = section.split("\n## ").next().unwrap_or_default();
        for field in fields.keys() {
            assert!(
                section.contains(&format!("| `{field}` |")),
                "docs/json.md: {name}.{field}"
            );
        }
    }
}
