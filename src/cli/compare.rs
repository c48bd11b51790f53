//! `coarsen compare`: all techniques on models, side by side.

use super::args::{CompareArgs, CompareFormat, DEFAULT_THEOREM, Format};
use super::exit::Exit;
use super::failure::{Failure, refuse, tell_diagnostics};
use super::input;
use super::output::{Output, say};
use super::progress::Progress;
use super::supervise::{Ended, Interrupts, supervise};
use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::Diagnostic;
use coarsen::report::text::render_compare;
use coarsen::report::{html, json};
use coarsen::results::CompareReport;
use coarsen::{Session, theory};
use std::sync::Arc;

/// What the worker returns.
enum Answer {
    BadModel(Vec<Diagnostic>),
    NoTheorem,
    Compared(Vec<Diagnostic>, Box<CompareReport>),
}

/// Compares the techniques on the models of `args`.
pub fn run(args: &CompareArgs, output: &mut Output) -> Exit {
    let interrupts = Interrupts::install();
    let mut exit = Exit::Holds;
    let mut page = Vec::new();
    for model in &args.models {
        exit = exit.and(one(model, args, &interrupts, &mut page, output));
        if interrupts.pending() {
            break;
        }
    }
    if args.format == CompareFormat::Html {
        output.write(&html::render(&page));
    }
    exit
}

/// How failures are told.
fn plain(format: CompareFormat) -> Format {
    match format {
        CompareFormat::Json => Format::Json,
        CompareFormat::Text | CompareFormat::Html => Format::Text,
    }
}

fn one(
    model: &str,
    args: &CompareArgs,
    interrupts: &Interrupts,
    page: &mut Vec<CompareReport>,
    output: &mut Output,
) -> Exit {
    let format = plain(args.format);
    let name = input::name(model);
    let source: Arc<str> = match input::read(model) {
        Ok(input) => input.source.into(),
        Err(refused) => return refuse(name, &refused, format, output),
    };
    let control = Arc::new(Control::new(args.limits.budget));
    let job = {
        let (args, source, name) = (args.clone(), Arc::clone(&source), name.to_string());
        move |control: &Control| {
            let depth = args.limits.depth;
            control.enter("reading the model");
            let limits = ParseLimits { depth };
            match Session::load(&name, &source, &args.defines.defines, limits) {
                Err(diagnostics) => Answer::BadModel(diagnostics),
                Ok((session, warnings)) => match theory(DEFAULT_THEOREM) {
                    None => Answer::NoTheorem,
                    Some(theory) => {
                        let report = session.compare(&theory, control);
                        Answer::Compared(warnings, Box::new(report))
                    }
                },
            }
        }
    };
    let ended = supervise(
        job,
        &control,
        &args.limits,
        interrupts,
        &mut Progress::on_stderr(),
    );
    let report = match ended {
        Ended::Done(Answer::Compared(warnings, report)) => {
            tell_diagnostics((name, &source), &warnings);
            *report
        }
        Ended::Abandoned(why) => {
            let phase = control.phase();
            CompareReport::undecided(name, format!("stopped by {why}, in phase `{phase}`"))
        }
        Ended::Done(Answer::BadModel(diagnostics)) => {
            return Failure::input(name, (name, &source), &diagnostics).tell(format, output);
        }
        Ended::Done(Answer::NoTheorem) => {
            return Failure::internal(name, format!("there is no theorem `{DEFAULT_THEOREM}`"))
                .tell(format, output);
        }
        Ended::Panicked => return Failure::bug(name).tell(format, output),
        Ended::NotStarted(error) => {
            return Failure::internal(name, format!("can't start a thread: {error}"))
                .tell(format, output);
        }
    };
    let exit = match report.disagree {
        true => reproduce(&report, args, &source),
        false => report.verdict.into(),
    };
    match args.format {
        CompareFormat::Json => output.line(json::compare(&report)),
        CompareFormat::Text => output.write(&render_compare(&report)),
        CompareFormat::Html => page.push(report),
    }
    exit
}

/// Writes the model on which sound techniques disagree, with what they said, so that it can be reported.
fn reproduce(report: &CompareReport, args: &CompareArgs, source: &str) -> Exit {
    const FILE: &str = "coarsen-disagreement.cor";
    let mut text =
        String::from("// Sound techniques of `coarsen compare` disagree on this model.\n");
    for (name, value) in &args.defines.defines {
        text += &format!("// -D {name}={value}\n");
    }
    for line in render_compare(report).lines() {
        text += &format!("// {line}\n");
    }
    text += source;
    match std::fs::write(FILE, text) {
        Ok(()) => say(&format!(
            "sound techniques disagree: a bug in coarsen; the model was written to {FILE}"
        )),
        Err(error) => say(&format!(
            "sound techniques disagree: a bug in coarsen; {FILE} can't be written: {error}"
        )),
    }
    Exit::EvidenceRejected
}
