//! The JSON form: one compact object per model, on one line.
//!
//! `docs/json.md` describes the fields, `docs/schema/` has the schemas. A model that could not be checked gets an
//! object too, with verdict `error`, so that a reader finds one line per model.

use super::diagnostics::in_order;
use super::position::positions;
use crate::base::diagnostic::{Diagnostic, Severity};
use crate::base::results::{
    CompareReport, EvalReport, MoversReport, ReachReport, Report, SCHEMA_VERSION,
};
use serde::Serialize;

/// A model that could not be checked.
#[derive(Serialize)]
struct Failure<'a> {
    schema_version: u32,
    model: &'a str,
    verdict: &'static str,
    reason: &'a str,
    diagnostics: Vec<Placed<'a>>,
}

/// A diagnostic with its place as lines and columns.
#[derive(Debug, Serialize)]
pub(super) struct Placed<'a> {
    code: &'a str,
    severity: &'static str,
    message: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    expected: &'a str,
    help: &'a str,
}

/// The variable order of a model.
#[derive(Serialize)]
struct Order<'a> {
    schema_version: u32,
    model: &'a str,
    variable_order: &'a [String],
}

/// The object of a checked model.
///
/// # Errors
/// If a number can't be written as JSON.
pub fn check(report: &Report) -> serde_json::Result<String> {
    serde_json::to_string(report)
}

/// The object of an explored model.
///
/// # Errors
/// As [`check`].
pub fn reach(report: &ReachReport) -> serde_json::Result<String> {
    serde_json::to_string(report)
}

/// The object of a model's movers.
///
/// # Errors
/// As [`check`].
pub fn movers(report: &MoversReport) -> serde_json::Result<String> {
    serde_json::to_string(report)
}

/// The object of a comparison.
///
/// # Errors
/// As [`check`].
pub fn compare(report: &CompareReport) -> serde_json::Result<String> {
    serde_json::to_string(report)
}

/// The object of an evaluated statement.
///
/// # Errors
/// As [`check`].
pub fn eval(report: &EvalReport) -> serde_json::Result<String> {
    serde_json::to_string(report)
}

/// The object of a model that could not be checked, with all diagnostics of its `source`.
///
/// # Errors
/// As [`check`].
pub fn failure(
    model: &str,
    reason: &str,
    source: &str,
    diagnostics: &[Diagnostic],
) -> serde_json::Result<String> {
    serde_json::to_string(&Failure {
        schema_version: SCHEMA_VERSION,
        model,
        verdict: "error",
        reason,
        diagnostics: placed(source, diagnostics),
    })
}

/// Diagnostics in the order of their places.
pub(super) fn placed<'a>(source: &str, diagnostics: &'a [Diagnostic]) -> Vec<Placed<'a>> {
    let sorted = in_order(diagnostics);
    let offsets: Vec<usize> = sorted
        .iter()
        .flat_map(|d| [d.span.start, d.span.end.max(d.span.start)])
        .collect();
    let places = positions(source, &offsets);
    sorted
        .iter()
        .zip(places.chunks_exact(2))
        .map(|(d, place)| Placed {
            code: d.code,
            severity: match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: &d.message,
            line: place[0].line,
            column: place[0].column,
            end_line: place[1].line,
            end_column: place[1].column,
            expected: &d.expected,
            help: &d.help,
        })
        .collect()
}

/// The object of a variable order.
///
/// # Errors
/// As [`check`].
pub fn variable_order(model: &str, variable_order: &[String]) -> serde_json::Result<String> {
    serde_json::to_string(&Order {
        schema_version: SCHEMA_VERSION,
        model,
        variable_order,
    })
}

#[cfg(test)]
mod tests;
