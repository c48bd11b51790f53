//! The JSON form: one compact object per model, on one line.
//!
//! `docs/json.md` describes the fields, `docs/schema/` has the schemas. A model that could not be checked gets an
//! object too, with verdict `error`, so that a reader finds one line per model.

use super::diagnostics::in_order;
use super::position::positions;
use crate::base::diagnostic::{Diagnostic, Severity};
use crate::base::results::SCHEMA_VERSION;
use crate::base::results::problems::Szs;
use serde::Serialize;

/// What could not be worked on.
#[derive(Clone, Copy, Debug)]
pub enum Blamed<'a> {
    /// A model.
    Model(&'a str),
    /// A file of statements, or a certificate.
    File(&'a str),
    /// A problem of the TPTP.
    Problem(&'a str),
}

/// Something that could not be worked on.
#[derive(Serialize)]
struct Fault<'a> {
    schema_version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    szs: Option<Szs>,
    reason: &'a str,
    diagnostics: Vec<Placed<'a>>,
}

/// A diagnostic with its place as lines and columns.
#[derive(Debug, Serialize)]
struct Placed<'a> {
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

/// The object of a report or answer.
///
/// # Errors
/// If a number can't be written as JSON.
pub fn object(answer: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(answer)
}

/// The object of something that could not be worked on, with all diagnostics of its `source`.
///
/// # Errors
/// As [`object`].
pub fn fault(
    blamed: Blamed,
    reason: &str,
    source: &str,
    diagnostics: &[Diagnostic],
) -> serde_json::Result<String> {
    let (model, file) = match blamed {
        Blamed::Model(name) => (Some(name), None),
        Blamed::File(name) | Blamed::Problem(name) => (None, Some(name)),
    };
    object(&Fault {
        schema_version: SCHEMA_VERSION,
        model,
        verdict: model.map(|_| "error"),
        file,
        status: file.map(|_| "error"),
        szs: matches!(blamed, Blamed::Problem(_)).then_some(Szs::InputError),
        reason,
        diagnostics: placed(source, diagnostics),
    })
}

/// Diagnostics in the order of their places.
fn placed<'a>(source: &str, diagnostics: &'a [Diagnostic]) -> Vec<Placed<'a>> {
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
/// As [`object`].
pub fn variable_order(model: &str, variable_order: &[String]) -> serde_json::Result<String> {
    object(&Order {
        schema_version: SCHEMA_VERSION,
        model,
        variable_order,
    })
}

#[cfg(test)]
mod tests;
