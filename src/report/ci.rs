//! Answers in the forms that continuous integration reads: SARIF 2.1.0, JUnit's XML, and GitHub's workflow commands.
//! One document has all models of a run.

use super::layout::printable;
use crate::base::diagnostic::{Diagnostic, Position, Severity, position};
use crate::base::results::proofs::{self, Proof};
use crate::base::results::{
    EveryReport, Expectation, Property, ReachReport, Report, Status, Trace, Verdict,
};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
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
    /// Something speaks against the answer.
    Contradicted,
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
    /// Where, if there is such a place.
    pub place: Option<Position>,
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

impl From<Verdict> for State {
    fn from(verdict: Verdict) -> State {
        match verdict {
            Verdict::Holds => State::Passed,
            Verdict::Refuted | Verdict::HypothesisRefuted => State::Failed,
            Verdict::Unknown => State::Open,
        }
    }
}

/// The answer to one question, which is told at this place if nothing shows it.
fn of_property(file: &str, p: &Property, place: Option<Position>) -> Case {
    Case {
        file: file.to_string(),
        name: p.name.clone(),
        state: match p.contradiction() {
            Some(_) => State::Contradicted,
            None => p.verdict.into(),
        },
        message: p.reason.to_string(),
        place: place.or(end(p.trace.as_ref())),
    }
}

/// What the answer as a whole adds to those that are known.
fn whole(verdict: Verdict, contradicted: bool, known: &[Case]) -> State {
    match contradicted {
        true if known.iter().all(|c| c.state != State::Contradicted) => State::Contradicted,
        _ if known.iter().all(|c| c.state == State::Passed) => verdict.into(),
        _ => State::Passed,
    }
}

/// The answers about a model: its properties, and its verdict where they do not say all.
pub fn of_check(report: &Report) -> Vec<Case> {
    let file = &report.model;
    let mut all: Vec<Case> = report
        .properties
        .iter()
        .map(|p| {
            let claim = report.claims.iter().find(|c| c.name == p.name);
            of_property(
                file,
                p,
                claim.map(|c| Position {
                    line: c.line,
                    column: c.column,
                }),
            )
        })
        .collect();
    let state = whole(report.verdict, report.is_contradicted(), &all);
    if state != State::Passed || all.is_empty() {
        all.push(Case {
            file: file.clone(),
            name: "verdict".to_string(),
            state,
            message: report.reason.to_string(),
            place: None,
        });
    }
    all
}

/// What a model expects, each line as a case.
pub fn of_expected(model: &str, lines: &[Expectation]) -> Vec<Case> {
    let one = |e: &Expectation| Case {
        file: model.to_string(),
        name: e.text.clone(),
        state: match e.met {
            Some(true) => State::Passed,
            Some(false) => State::Failed,
            None => State::Open,
        },
        message: format!("found: {}", e.found),
        place: None,
    };
    lines.iter().map(one).collect()
}

/// The answers of `coarsen reach` on a model.
pub fn of_reach(report: &ReachReport) -> Vec<Case> {
    let file = &report.model;
    let questions = report.questions.iter();
    let mut all: Vec<Case> = questions.map(|p| of_property(file, p, None)).collect();
    let state = whole(report.verdict, report.is_contradicted(), &all);
    let finished = report.states.is_some() || report.executions.is_some();
    all.push(Case {
        file: file.clone(),
        name: "exploration".to_string(),
        state: match state {
            State::Passed if !finished => State::Open,
            state => state,
        },
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
        state: report.verdict.into(),
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
        place: Some(Position {
            line: proof.line,
            column: 1,
        }),
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
            place: Some(position(source, d.span.start)),
        })
        .collect()
}

/// Where an execution ends.
fn end(trace: Option<&Trace>) -> Option<Position> {
    let last = &trace?.steps.last()?.step;
    (last.line > 0).then_some(Position {
        line: last.line,
        column: last.column,
    })
}

/// What a path must not have as a relative reference (RFC 3986, 4.2: a colon would end a scheme).
const OF_A_PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b':')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// SARIF: a result for each answer that is not as one would have it.
pub fn sarif(cases: &[Case]) -> String {
    let results = cases.iter().filter(|c| c.state != State::Passed).map(|c| {
        let file = sarif::ArtifactLocation::builder()
            .uri(utf8_percent_encode(&c.file, OF_A_PATH).to_string())
            .build();
        let physical = sarif::PhysicalLocation::builder().artifact_location(file);
        let physical = match c.place {
            Some(Position { line, column }) => {
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
        .column_kind("unicodeCodePoints")
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
        State::Contradicted => "contradicted",
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
                State::Open | State::Contradicted | State::Broken => Some(NonSuccessKind::Error),
            };
            let status = match kind {
                None => TestCaseStatus::success(),
                Some(kind) => {
                    let mut status = TestCaseStatus::non_success(kind);
                    let at = c.place.map_or(String::new(), |p| {
                        format!(" ({file}:{}:{})", p.line, p.column)
                    });
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
        if let Some(Position { line, column }) = c.place {
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
    use crate::base::results::{Contradiction, PropertyReason};
    use crate::report::samples::holds;

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
            case("bad", State::Failed, Some(Position { line: 7, column: 3 })),
            case("open", State::Open, None),
            case(
                "E0001",
                State::Broken,
                Some(Position { line: 1, column: 1 }),
            ),
        ]
    }

    /// Whatever speaks against an answer is no passed case, and no warning (exit code 12).
    #[test]
    fn what_is_contradicted_is_an_error() {
        let mut report = ReachReport::undecided("m", "e");
        report.verdict = Verdict::Holds;
        report.states = Some("7".to_string());
        assert_eq!(of_reach(&report)[0].state, State::Passed);
        report.recounted = Some(Contradiction::NotRepeated);
        assert_eq!(of_reach(&report)[0].state, State::Contradicted);
        let mut report = holds();
        assert!(of_check(&report).iter().all(|c| c.state == State::Passed));
        let property = &mut report.properties[0];
        property.verdict = Status::Unknown;
        property.reason = PropertyReason::Contradicted(Contradiction::NotRepeated);
        let cases = of_check(&report);
        let said = |c: &&Case| c.state == State::Contradicted;
        assert_eq!(cases.iter().filter(said).count(), 1);
        assert!(github(&cases).starts_with("::error "), "{cases:?}");
    }

    /// A theorem that says nothing leaves the exploration's verdict open, even if all was explored.
    #[test]
    fn an_exploration_that_settles_nothing_does_not_pass() {
        let mut report = ReachReport::undecided("m", "e");
        report.states = Some("7".to_string());
        assert_eq!(of_reach(&report)[0].state, State::Open);
    }

    #[test]
    fn places_are_relative_references() {
        let mut all = cases();
        all[1].file = "<a b>:100%/\u{e9}.cor".to_string();
        assert!(sarif(&all).contains("\"uri\": \"%3Ca%20b%3E%3A100%25/%C3%A9.cor\""));
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
