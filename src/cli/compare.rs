//! `coarsen compare`: all techniques on models, side by side.

use super::args::{CompareArgs, CompareFormat, Format};
use super::exit::Exit;
use super::model_run::{ModelRun, Worked, default_theorem};
use super::output::{Output, say};
use super::supervise::Interrupts;
use coarsen::Session;
use coarsen::base::control::{Hit, ParseLimits};
use coarsen::report::text::render_compare;
use coarsen::report::{json, page};
use coarsen::results::{CompareReason, CompareReport};

/// Compares the techniques on the models of `args`.
pub fn run(args: &CompareArgs, output: &mut Output) -> Exit {
    let interrupts = Interrupts::install();
    let mut exit = Exit::Holds;
    let mut reports = Vec::new();
    for model in &args.models {
        exit = exit.and(one(model, args, &interrupts, &mut reports, output));
        if interrupts.pending() {
            break;
        }
    }
    if args.format == CompareFormat::Html {
        output.write(&page::compare(&reports));
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
    reports: &mut Vec<CompareReport>,
    output: &mut Output,
) -> Exit {
    let run = ModelRun::read(model, plain(args.format), &args.limits);
    let name = run.name;
    let asked = args.clone();
    let worked = run.work(interrupts, output, move |name, source, control| {
        let depth = asked.limits.depth;
        let limits = ParseLimits { depth };
        let (session, warnings) = Session::load(name, source, &asked.defines.defines, limits)?;
        Ok((warnings, session.compare(&default_theorem()?, control)))
    });
    let (report, source) = match worked {
        Ok((Worked::Done(report), source)) => (report, source),
        Ok((Worked::Abandoned { stop, phase, .. }, source)) => {
            let mut report = CompareReport::undecided(name);
            report.reason = CompareReason::Abandoned(Hit::Abandoned(stop, phase));
            (report, source)
        }
        Err(exit) => return exit,
    };
    let exit = match report.disagrees() {
        true => reproduce(&report, args, &source),
        false => report.verdict.into(),
    };
    match args.format {
        CompareFormat::Json => output.line(json::object(&report)),
        CompareFormat::Text => output.write(&render_compare(&report)),
        CompareFormat::Html => reports.push(report),
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
