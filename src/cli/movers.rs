//! `coarsen movers`: what the actions of models are as movers, and their transactions.

use super::args::{Format, MoversArgs};
use super::exit::Exit;
use super::input;
use super::model_run::{ModelRun, Worked, default_theorem};
use super::output::{Output, say};
use super::supervise::Interrupts;
use super::theorem::{Chosen, chosen};
use coarsen::Session;
use coarsen::algebra::Theory;
use coarsen::base::control::ParseLimits;
use coarsen::report::json;
use coarsen::report::text::{Detail, render_expected, render_movers};
use coarsen::results::{MoversReason, MoversReport, Status};
use coarsen::theorem::{blocks, has_blocks};

/// Finds the movers of the models of `args`.
pub fn run(args: &MoversArgs, output: &mut Output) -> Exit {
    let args = match input::expanded(&args.models, &["cor", "dve"]) {
        Ok(models) => &args.of(models),
        Err(message) => {
            say(&format!("coarsen: {message}"));
            return Exit::Usage;
        }
    };
    let only = match only(args, output) {
        Ok(only) => only,
        Err(exit) => return exit,
    };
    let interrupts = Interrupts::install();
    let mut exit = Exit::Holds;
    for model in &args.models {
        exit = exit.and(one(model, (args, only.clone()), &interrupts, output));
        if interrupts.pending() {
            break;
        }
    }
    exit
}

/// The one theorem that transactions may be by.
fn only(args: &MoversArgs, output: &mut Output) -> Result<Option<Theory>, Exit> {
    let Some(name) = &args.theorem else {
        return Ok(None);
    };
    let how = (args.limits.depth, args.format);
    match chosen(Some(name), how, output)? {
        Chosen::Theorem(theory) if has_blocks(&theory) => Ok(Some(*theory)),
        _ => {
            say(&format!(
                "coarsen: {name} does not say which blocks are transactions; there are: {}, and files of theorems with \
                 their conclusions",
                blocks().join(", ")
            ));
            Err(Exit::Usage)
        }
    }
}

fn one(
    model: &str,
    (args, only): (&MoversArgs, Option<Theory>),
    interrupts: &Interrupts,
    output: &mut Output,
) -> Exit {
    let run = ModelRun {
        quiet: args.quiet,
        ..ModelRun::read(model, args.format, &args.limits)
    };
    let name = run.name;
    let asked = args.clone();
    let worked = run.work(interrupts, output, move |name, source, control| {
        let depth = asked.limits.depth;
        let limits = ParseLimits { depth };
        let (session, warnings) = Session::load(name, source, &asked.defines.defines, limits)?;
        let theory = default_theorem()?;
        Ok((warnings, session.movers(&theory, only.as_ref(), control)))
    });
    let report = match worked {
        Ok((Worked::Done(report), _)) => report,
        Ok((Worked::Abandoned { stop, phase, .. }, _)) => {
            let mut report = MoversReport::undecided(name);
            report.reason = MoversReason::Stopped(stop, phase);
            report
        }
        Err(exit) => return exit,
    };
    match args.format {
        Format::Json => output.line(json::object(&report)),
        Format::Text if args.expect => {
            if report.is_open() {
                say(render_movers(&report, Detail::Quiet).trim_end());
            }
            output.write(&render_expected(
                &report.model,
                "movers",
                &report.expectations,
            ));
        }
        Format::Text => output.write(&render_movers(&report, args.detail())),
    }
    let answer = match (report.annotated(), report.is_open()) {
        (Status::Refuted, _) => Exit::Refuted,
        (Status::Unknown, _) | (_, true) => Exit::Unknown,
        (Status::Holds, false) => Exit::Holds,
    };
    match args.expect {
        true => answer.expected(&report.expectations),
        false => answer,
    }
}
