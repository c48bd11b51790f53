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

/// What is wrong with `value`. Nothing is fetched, so a schema can be used alone.
fn violation(schema: &Value, value: &Value) -> Option<String> {
    let validator = jsonschema::validator_for(schema).expect("a schema");
    let found = validator.validate(value).err();
    found.map(|e| format!("{e} at {}", e.instance_path()))
}

/// Words of JSON Schema that our schemas use. Validators pass over others, a mistyped one as well.
const WORDS: [&str; 10] = [
    "$schema",
    "$ref",
    "title",
    "description",
    "required",
    "type",
    "const",
    "enum",
    "minimum",
    "pattern",
];

fn unknown_word(schema: &Value) -> Option<String> {
    let Some(fields) = schema.as_object() else {
        let all = schema.as_array().into_iter().flatten();
        return all.filter(|s| s.is_object()).find_map(unknown_word);
    };
    fields.iter().find_map(|(word, rule)| match word.as_str() {
        "properties" | "$defs" => rule.as_object()?.values().find_map(unknown_word),
        "additionalProperties" => (rule != false).then(|| word.clone()),
        "items" | "anyOf" | "oneOf" => unknown_word(rule),
        word => (!WORDS.contains(&word)).then(|| word.to_string()),
    })
}

#[test]
fn schemas_have_no_unknown_words() {
    let test = include_str!("../../../docs/schema/test.schema.json");
    for text in [SCHEMA, REACH_SCHEMA, SIMULATE_SCHEMA, COMPARE_SCHEMA, test] {
        assert_eq!(unknown_word(&parsed(text)), None);
    }
    let mistyped = parsed(r#"{"properties": {"a": {"anyOf": [{"requried": []}]}}}"#);
    assert_eq!(unknown_word(&mistyped).as_deref(), Some("requried"));
}

fn valid(line: serde_json::Result<String>) -> Value {
    valid_by(&schema(), line)
}

fn valid_by(schema: &Value, line: serde_json::Result<String>) -> Value {
    let line = line.expect("written");
    assert!(!line.contains('\n'), "one line: {line}");
    let value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(violation(schema, &value), None);
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
        assert!(violation(&schema, &object).is_some(), "{field}");
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
        assert!(violation(&schema, &bad).is_some());
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
        assert!(violation(&schema, &object).is_some(), "{field}");
    }
    let mut object = good;
    object.as_object_mut().map(|o| o.remove("limits"));
    assert!(violation(&schema, &object).is_some());
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
