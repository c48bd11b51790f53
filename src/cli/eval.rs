//! `coarsen eval`: one statement between terms, on one model.

use super::args::{EvalArgs, Format};
use super::backend::Backend;
use super::exit::Exit;
use super::failure::{Failure, refuse, tell_diagnostics};
use super::input;
use super::output::Output;
use super::progress::Progress;
use super::supervise::{Ended, Interrupts, supervise};
use coarsen::base::control::Control;
use coarsen::base::diagnostic::Diagnostic;
use coarsen::report::{json, text};
use coarsen::results::{EvalReport, SCHEMA_VERSION, Status};
use std::sync::Arc;

/// How the statement is called in diagnostics.
const STATEMENT: &str = "<statement>";

/// What the worker returns.
enum Answer {
    /// The model has errors.
    BadModel(Vec<Diagnostic>),
    /// The statement has errors.
    BadStatement(Vec<Diagnostic>),
    /// The report, and warnings about the model.
    Evaluated(Vec<Diagnostic>, Box<EvalReport>),
}

/// Evaluates the statement of `args`.
pub fn run<B: Backend>(backend: &B, args: &EvalArgs, output: &mut Output) -> Exit {
    let name = input::name(&args.model);
    let source: Arc<str> = match input::read(&args.model) {
        Ok(input) => input.source.into(),
        Err(refused) => return refuse(name, &refused, args.format, output),
    };
    let control = Arc::new(Control::new(args.limits.budget));
    let ended = supervise(
        job(backend, args, Arc::clone(&source)),
        &control,
        &args.limits,
        &Interrupts::install(),
        &mut Progress::on_stderr(),
    );
    match ended {
        Ended::Done(Answer::Evaluated(warnings, report)) => {
            tell_diagnostics((name, &source), &warnings);
            show(&report, args.format, output)
        }
        Ended::Done(Answer::BadModel(diagnostics)) => {
            Failure::input(name, (name, &source), &diagnostics).tell(args.format, output)
        }
        Ended::Done(Answer::BadStatement(diagnostics)) => {
            Failure::input(name, (STATEMENT, &args.statement), &diagnostics)
                .tell(args.format, output)
        }
        Ended::Abandoned(why) => {
            let report = EvalReport {
                schema_version: SCHEMA_VERSION,
                model: name.to_string(),
                statement: args.statement.clone(),
                status: Status::Unknown,
                evidence: coarsen::results::Evidence::Stopped(format!(
                    "{why}, in phase `{}`",
                    control.phase()
                )),
                instances: "0".to_string(),
                witness: None,
            };
            show(&report, args.format, output)
        }
        Ended::Panicked => Failure::bug(name).tell(args.format, output),
        Ended::NotStarted(error) => {
            Failure::internal(name, format!("can't start a thread: {error}"))
                .tell(args.format, output)
        }
    }
}

/// What the worker does.
fn job<B: Backend>(
    backend: &B,
    args: &EvalArgs,
    source: Arc<str>,
) -> impl FnOnce(&Control) -> Answer + Send + 'static + use<B> {
    let (backend, args) = (backend.clone(), args.clone());
    move |control| {
        let name = input::name(&args.model);
        let defines = &args.defines.defines;
        control.enter("reading the model");
        match backend.load(name, &source, defines, args.limits.depth) {
            Err(diagnostics) => Answer::BadModel(diagnostics),
            Ok((model, warnings)) => match backend.eval(&model, &args.statement, control) {
                Err(diagnostics) => Answer::BadStatement(diagnostics),
                Ok(report) => Answer::Evaluated(warnings, Box::new(report)),
            },
        }
    }
}

fn show(report: &EvalReport, format: Format, output: &mut Output) -> Exit {
    match format {
        Format::Json => output.line(json::eval(report)),
        Format::Text => output.write(&text::render_eval(report)),
    }
    Exit::from(report)
}
