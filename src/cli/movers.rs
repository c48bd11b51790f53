//! `coarsen movers`: what the actions of models are as movers, and their transactions.

use super::args::{DEFAULT_THEOREM, Format, MoversArgs};
use super::exit::Exit;
use super::failure::{Failure, refuse, tell_diagnostics};
use super::input;
use super::output::Output;
use super::progress::Progress;
use super::supervise::{Ended, Interrupts, supervise};
use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::Diagnostic;
use coarsen::report::json;
use coarsen::report::text::render_movers;
use coarsen::results::MoversReport;
use coarsen::{Session, theory};
use std::sync::Arc;

/// What the worker returns.
enum Answer {
    BadModel(Vec<Diagnostic>),
    NoTheorem,
    Found(Vec<Diagnostic>, Box<MoversReport>),
}

/// Finds the movers of the models of `args`.
pub fn run(args: &MoversArgs, output: &mut Output) -> Exit {
    let interrupts = Interrupts::install();
    let mut exit = Exit::Holds;
    for model in &args.models {
        exit = exit.and(one(model, args, &interrupts, output));
        if interrupts.pending() {
            break;
        }
    }
    exit
}

fn one(model: &str, args: &MoversArgs, interrupts: &Interrupts, output: &mut Output) -> Exit {
    let name = input::name(model);
    let source: Arc<str> = match input::read(model) {
        Ok(input) => input.source.into(),
        Err(refused) => return refuse(name, &refused, args.format, output),
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
                        let report = session.movers(&theory, args.theorem.as_deref(), control);
                        Answer::Found(warnings, Box::new(report))
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
        Ended::Done(Answer::Found(warnings, report)) => {
            tell_diagnostics((name, &source), &warnings);
            *report
        }
        Ended::Abandoned(why) => {
            let phase = control.phase();
            let mut report =
                MoversReport::undecided(name, format!("stopped by {why}, in phase `{phase}`"));
            report.stopped = true;
            report
        }
        Ended::Done(Answer::BadModel(diagnostics)) => {
            return Failure::input(name, (name, &source), &diagnostics).tell(args.format, output);
        }
        Ended::Done(Answer::NoTheorem) => {
            return Failure::internal(name, format!("there is no theorem `{DEFAULT_THEOREM}`"))
                .tell(args.format, output);
        }
        Ended::Panicked => return Failure::bug(name).tell(args.format, output),
        Ended::NotStarted(error) => {
            return Failure::internal(name, format!("can't start a thread: {error}"))
                .tell(args.format, output);
        }
    };
    match args.format {
        Format::Json => output.line(json::movers(&report)),
        Format::Text => output.write(&render_movers(&report, args.verbose)),
    }
    match report.stopped {
        true => Exit::Unknown,
        false => Exit::Holds,
    }
}
