//! `coarsen eval`: one inclusion or equation on one model.

use super::properties::goals;
use super::visibility::Visibility;
use crate::algebra::{Hypothesis, Statement, Theory};
use crate::base::control::{Control, Stop};
use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::results::{EvalReport, Evidence, SCHEMA_VERSION, Status};
use crate::engine::relations::Encoding;
use crate::model::program::{Expr, Program};
use crate::theorem::discharge::hypotheses::{self, Pairs};
use crate::theorem::inference::Subject;
use crate::theorem::invariants::Ladder;
use crate::theorem::read::{Model, Names, Unreadable};
use crate::theorem::refuted_guesses as inferred;

/// Evaluates a statement, given as text and tree; `states` are its state expressions by their text.
///
/// # Errors
/// If a name in it has no meaning in this model.
pub fn eval(
    name: &str,
    program: &Program,
    theory: &Theory,
    statement: (&str, &Statement),
    states: &[(String, Expr)],
    control: &Control,
) -> Result<EvalReport, Diagnostic> {
    let mut report = EvalReport {
        schema_version: SCHEMA_VERSION,
        model: name.into(),
        statement: statement.0.into(),
        status: Status::Unknown,
        evidence: Evidence::Undecided,
        instances: "0".into(),
        witness: None,
    };
    match run(program, theory, statement.1, states, control) {
        Ok(done) => {
            report.status = done.status;
            report.evidence = done.evidence;
            report.instances = done.instances;
            report.witness = done.witness;
        }
        Err(Unreadable::Stopped(stop)) => {
            report.evidence = Evidence::Limit(stop, Some(control.phase()));
        }
        Err(Unreadable::Meaningless {
            about,
            message,
            expected,
        }) => {
            let part = about.and_then(|about| {
                let at = statement.0.find(&about)?;
                Some(Span::new(at, at + about.len()))
            });
            let span = part.unwrap_or(Span::new(0, statement.0.len()));
            let help = "see `coarsen explain E0402` for the language of terms";
            return Err(Diagnostic::error("E0402", span, message, expected, help));
        }
    }
    Ok(report)
}

fn run(
    program: &Program,
    theory: &Theory,
    statement: &Statement,
    states: &[(String, Expr)],
    control: &Control,
) -> Result<crate::base::results::Hypothesis, Unreadable> {
    let effort = control.budget().effort;
    let inference = inferred::settled(&Subject::new(program), effort, control)?;
    let program = inference.as_ref().map_or(program, |i| i.program());
    control.enter("building relations");
    let mut encoding = Encoding::within(program, effort, control)?;
    let mut visibility = Visibility::by_definition(&mut encoding)?;
    visibility.repair(&encoding, &goals(&encoding, &[])?, false)?;
    let states: Result<Vec<_>, Stop> = states
        .iter()
        .map(|(text, e)| Ok((text.clone(), encoding.predicate(e)?)))
        .collect();
    let model = Model {
        encoding: &encoding,
        visibility: &visibility,
        theory,
        states: states?,
        phased: None,
        names: Names::Threads,
    };
    control.enter("evaluating");
    let hypothesis = Hypothesis {
        id: "eval".into(),
        words: String::new(),
        statement: statement.clone(),
        syntactic: None,
    };
    hypotheses::evaluate(
        &model,
        &hypothesis,
        None,
        &mut Ladder::new(&encoding),
        &mut Pairs::default(),
    )
}
