//! Documents held to the schemas of those who read them.

use serde_json::Value;

/// SARIF's schema as OASIS publishes it, taken from the package `serde-sarif`.
const SARIF: &str = include_str!("../published/sarif-2.1.0.json");

/// A document, which is valid by a schema.
pub fn valid_by(schema: &str, text: &str) -> Value {
    let schema = serde_json::from_str(schema).expect("a schema is JSON");
    let value = serde_json::from_str(text).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let faults = validator.iter_errors(&value);
    let faults: Vec<String> = faults
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}\n{text}");
    value
}

/// A document in SARIF.
pub fn sarif(text: &str) -> Value {
    // One bracket too many, in the pattern of languages, is an error by the rules for patterns.
    valid_by(&SARIF.replace("{2}]?$", "{2}$"), text)
}

/// A document in JUnit's XML: its tests, and those among them that failed.
pub fn junit(text: &str) -> (usize, usize) {
    assert!(text.starts_with("<?xml"), "{text}");
    let read = quick_junit::Report::deserialize_from_str(text).expect(text);
    for suite in &read.test_suites {
        assert_eq!(suite.tests, suite.test_cases.len(), "{text}");
    }
    (read.tests, read.failures)
}

#[test]
fn what_is_no_sarif_is_refused() {
    let version = |v: &str| format!(r#"{{"version":"{v}","runs":[]}}"#);
    sarif(&version("2.1.0"));
    let wrong = std::panic::catch_unwind(|| sarif(&version("2.0.0")));
    assert!(wrong.is_err());
}
