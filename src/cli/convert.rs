//! `coarsen convert`: a model of another language as one of ours.

use super::args::{ConvertArgs, Format};
use super::exit::Exit;
use super::failure::{Failure, refuse, tell_diagnostics};
use super::input;
use super::output::{Output, say};
use super::progress::Progress;
use super::supervise::{Ended, Interrupts, supervise};
use coarsen::Session;
use coarsen::base::control::Control;
use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::Diagnostic;
use coarsen::model::dve;
use std::sync::Arc;

/// Text and warnings, or errors.
type Answer = Result<(String, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Converts the model of `args`.
pub fn run(args: &ConvertArgs, output: &mut Output) -> Exit {
    let name = input::name(&args.model);
    if !dve::is_dve(name) {
        say(&format!(
            "coarsen: {name} is not a model of another language that is known; there is: DVE (`.dve`)"
        ));
        return Exit::Usage;
    }
    let source: Arc<str> = match input::read(&args.model) {
        Ok(input) => input.source.into(),
        Err(refused) => return refuse(name, &refused, Format::Text, output),
    };
    let limits = &args.limits;
    let control = Arc::new(Control::new(limits.budget));
    let depth = limits.depth;
    let (file, text) = (name.to_string(), Arc::clone(&source));
    let job = move |_: &Control| -> Answer {
        let (model, warnings) = Session::load(&file, &text, &[], ParseLimits { depth })?;
        Ok((model.printed(), warnings))
    };
    let interrupts = Interrupts::install();
    match supervise(job, &control, limits, &interrupts, &mut Progress::Silent) {
        Ended::Done(Ok((model, warnings))) => {
            tell_diagnostics((name, &source), &warnings);
            output.write(&format!("// {name}, by `coarsen convert`\n\n{model}"));
            Exit::Holds
        }
        Ended::Done(Err(diagnostics)) => {
            Failure::input(name, (name, &source), &diagnostics).tell(Format::Text, output)
        }
        Ended::Abandoned(why) => {
            say(&format!("coarsen: {name}: stopped by {why}"));
            Exit::Unknown
        }
        Ended::Panicked => Failure::bug(name).tell(Format::Text, output),
        Ended::NotStarted(error) => {
            Failure::internal(name, format!("can't start a thread: {error}"))
                .tell(Format::Text, output)
        }
    }
}
