//! Answers in the forms that continuous integration reads: SARIF 2.1.0, JUnit's XML, and GitHub's workflow commands.
//! One document has all models of a run.

use super::layout::printable;
use crate::base::diagnostic::{Diagnostic, Severity, line_column};
use crate::base::results::proofs::{self, Proof};
use crate::base::results::{
    EveryReport, Expectation, Property, ReachReport, Report, Status, Trace, Verdict,
};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use serde_sarif::sarif;
use std::fmt::Write;

/// What became of one thing that was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// It is not known.
    Open,
    /// It could not be asked.
    Broken,
}

/// One thing that was asked of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The file.
    pub file: String,
    /// What was asked: a property, a statement, or the code of a diagnostic.
    pub name: String,
    /// The answer.
    pub state: State,
    /// Why.
    pub message: String,
    /// Where, from 1: line and column, if there is such a place.
    pub place: Option<(usize, usize)>,
}

impl Case {
    /// A file of which nothing could be asked.
    pub fn broken(file: &str, reason: &str) -> Self {
        Case {
            file: file.to_string(),
            name: "error".to_string(),
            state: State::Broken,
            message: reason.to_string(),
            place: None,
        }
    }
}

impl From<Status> for State {
    fn from(status: Status) -> State {
        match status {
            Status::Holds => State::Passed,
            Status::Refuted => State::Failed,
            Status::Unknown => State::Open,
        }
    }
}

/// The answers about a model: its properties, and its verdict where they do not say all.
pub fn of_check(report: &Report) -> Vec<Case> {
    let case = |name: &str, state, message: String, place| Case {
        file: report.model.clone(),
        name: name.to_string(),
        state,
        message,
        place,
    };
    let mut all: Vec<Case> = report
        .properties
        .iter()
        .map(|p| {
            let claim = report.claims.iter().find(|c| c.name == p.name);
            let place = claim.map(|c| (c.line, c.column)).or(end(p.trace.as_ref()));
            case(&p.name, p.verdict.into(), p.reason.to_string(), place)
        })
        .collect();
    let settled = all.iter().all(|c| c.state == State::Passed);
    let exits = report.verdict.id();
    if settled && exits != "holds" {
        let state = match exits {
            "unknown" => State::Open,
            _ => State::Failed,
        };
        all.push(case("verdict", state, report.reason.to_string(), None));
    }
    all
}

/// What a model expects, each line as a case; its verdict, if it expects nothing.
pub fn of_expected(report: &Report) -> Vec<Case> {
    let one = |e: &Expectation| Case {
        file: report.model.clone(),
        name: e.text.clone(),
        state: match e.met {
            Some(true) => State::Passed,
            Some(false) => State::Failed,
            None => State::Open,
        },
        message: format!("found: {}", e.found),
        place: None,
    };
    match report.expectations.as_slice() {
        [] => of_check(report),
        lines => lines.iter().map(one).collect(),
    }
}

/// The answers of `coarsen reach` on a model.
pub fn of_reach(report: &ReachReport) -> Vec<Case> {
    let one = |p: &Property| Case {
        file: report.model.clone(),
        name: p.name.clone(),
        state: p.verdict.into(),
        message: p.reason.to_string(),
        place: end(p.trace.as_ref()),
    };
    let mut all: Vec<Case> = report.questions.iter().map(one).collect();
    let state = match report.states.is_some() || report.executions.is_some() {
        true => State::Passed,
        false => State::Open,
    };
    all.push(Case {
        file: report.model.clone(),
        name: "exploration".to_string(),
        state,
        message: report.reason.to_string(),
        place: None,
    });
    all
}

/// The answer about every value of a constant.
pub fn of_every(report: &EveryReport) -> Case {
    let obstacle = report.obstacle.as_ref().map(ToString::to_string);
    let message = match (obstacle, &report.from) {
        (Some(why), _) => why,
        (None, Some(from)) => format!("from {from} on"),
        (None, None) => String::new(),
    };
    Case {
        file: report.model.clone(),
        name: format!("every {}", report.constant),
        state: match report.verdict {
            Verdict::Holds => State::Passed,
            _ => State::Open,
        },
        message,
        place: None,
    }
}

/// The answer about a statement of a file: whether it is as the file declares.
pub fn of_proof(proof: &Proof) -> Case {
    let state = match (proof.is_as_declared(), proof.status) {
        (true, _) => State::Passed,
        (false, proofs::Status::Unknown) => State::Open,
        (false, _) => State::Failed,
    };
    Case {
        file: proof.file.clone(),
        name: proof.name.clone(),
        state,
        message: format!(
            "{}, declared {}",
            proof.status.name(),
            proof.declared.name()
        ),
        place: Some((proof.line, 1)),
    }
}

/// What is wrong with a text.
pub fn of_diagnostics(file: &str, source: &str, diagnostics: &[Diagnostic]) -> Vec<Case> {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors
        .map(|d| Case {
            file: file.to_string(),
            name: d.code.to_string(),
            state: State::Broken,
            message: d.message.clone(),
            place: Some(line_column(source, d.span.start)),
        })
        .collect()
}

/// Where an execution ends.
fn end(trace: Option<&Trace>) -> Option<(usize, usize)> {
    let last = &trace?.steps.last()?.step;
    (last.line > 0).then_some((last.line, last.column))
}

/// SARIF: a result for each answer that is not as one would have it.
pub fn sarif(cases: &[Case]) -> String {
    let results = cases.iter().filter(|c| c.state != State::Passed).map(|c| {
        let file = sarif::ArtifactLocation::builder()
            .uri(c.file.clone())
            .build();
        let physical = sarif::PhysicalLocation::builder().artifact_location(file);
        let physical = match c.place {
            Some((line, column)) => {
                let region = sarif::Region::builder()
                    .start_line(line as i64)
                    .start_column(column as i64)
                    .build();
                physical.region(region).build()
            }
            None => physical.build(),
        };
        let location = sarif::Location::builder()
            .physical_location(physical)
            .build();
        let level = match c.state {
            State::Open => sarif::ResultLevel::Warning,
            _ => sarif::ResultLevel::Error,
        };
        let message = format!("{}: {}", c.name, c.message);
        sarif::Result::builder()
            .rule_id(rule(c))
            .level(level)
            .message(sarif::Message::builder().text(message).build())
            .locations(vec![location])
            .build()
    });
    let results: Vec<sarif::Result> = results.collect();
    let driver = sarif::ToolComponent::builder()
        .name("coarsen")
        .version(env!("CARGO_PKG_VERSION"))
        .build();
    let run = sarif::Run::builder()
        .tool(sarif::Tool::builder().driver(driver).build())
        .results(results)
        .build();
    let all = sarif::Sarif::builder()
        .schema(sarif::SCHEMA_URL)
        .version(sarif::Version::V2_1_0.to_string())
        .runs(vec![run])
        .build();
    // What consists of names and numbers only can be written.
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}

/// The kind of a result, for those who group by it.
fn rule(case: &Case) -> &str {
    match case.state {
        State::Broken => &case.name,
        State::Open => "unknown",
        State::Failed | State::Passed => "refuted",
    }
}

/// JUnit: a suite for each file, a case for each answer.
pub fn junit(cases: &[Case]) -> String {
    let mut report = quick_junit::Report::new("coarsen");
    let mut files: Vec<&str> = Vec::new();
    for c in cases {
        if !files.contains(&c.file.as_str()) {
            files.push(&c.file);
        }
    }
    for file in files {
        let mut suite = TestSuite::new(file);
        for c in cases.iter().filter(|c| c.file == file) {
            let kind = match c.state {
                State::Passed => None,
                State::Failed => Some(NonSuccessKind::Failure),
                State::Open | State::Broken => Some(NonSuccessKind::Error),
            };
            let status = match kind {
                None => TestCaseStatus::success(),
                Some(kind) => {
                    let mut status = TestCaseStatus::non_success(kind);
                    let at = c
                        .place
                        .map_or(String::new(), |(l, k)| format!(" ({file}:{l}:{k})"));
                    status.set_message(format!("{}{at}", c.message));
                    status
                }
            };
            let mut case = TestCase::new(c.name.as_str(), status);
            case.set_classname(file);
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    report.to_string().unwrap_or_default()
}

/// GitHub's workflow commands: an annotation for each answer that is not as one would have it.
pub fn github(cases: &[Case]) -> String {
    let mut out = String::new();
    for c in cases.iter().filter(|c| c.state != State::Passed) {
        let kind = match c.state {
            State::Open => "warning",
            _ => "error",
        };
        let mut at = format!("file={}", property(&c.file));
        if let Some((line, column)) = c.place {
            at += &format!(",line={line},col={column}");
        }
        let title = property(&format!("coarsen: {}", c.name));
        // Writing to a string does not fail.
        let _ = writeln!(out, "::{kind} {at},title={title}::{}", data(&c.message));
    }
    out
}

/// The message of a workflow command, on one line.
fn data(text: &str) -> String {
    printable(text).replace('%', "%25")
}

/// A property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases() -> Vec<Case> {
        let case = |name: &str, state, place| Case {
            file: "a,b.cor".to_string(),
            name: name.to_string(),
            state,
            message: "100% <wrong>\n".to_string(),
            place,
        };
        vec![
            case("fine", State::Passed, None),
            case("bad", State::Failed, Some((7, 3))),
            case("open", State::Open, None),
            case("E0001", State::Broken, Some((1, 1))),
        ]
    }

    #[test]
    fn forms_are_read_back() {
        let text = sarif(&cases());
        let read: serde_sarif::sarif::Sarif = serde_json::from_str(&text).expect("SARIF");
        let results = read.runs[0].results.as_ref().expect("results");
        assert_eq!(results.len(), 3);
        let rules: Vec<_> = results
            .iter()
            .filter_map(|r| r.rule_id.as_deref())
            .collect();
        assert_eq!(rules, ["refuted", "unknown", "E0001"]);
        assert!(text.contains("\"startLine\": 7"), "{text}");
        let text = junit(&cases());
        assert!(
            text.contains("tests=\"4\"") && text.contains("failures=\"1\""),
            "{text}"
        );
        assert!(
            text.contains("100% &lt;wrong>") || text.contains("100% &lt;wrong&gt;"),
            "{text}"
        );
        assert_eq!(
            github(&cases()).lines().next(),
            Some(
                "::error file=a%2Cb.cor,line=7,col=3,title=coarsen%3A bad::100%25 <wrong>\u{240a}"
            )
        );
        assert_eq!(github(&cases()).lines().count(), 3);
    }
}
