//! `coarsen convert`: a model of another language as one of ours.

use super::args::{ConvertArgs, Format};
use super::exit::Exit;
use super::input;
use super::model_run::{ModelRun, Worked};
use super::output::{Output, say};
use super::supervise::Interrupts;
use coarsen::Session;
use coarsen::base::control::ParseLimits;
use coarsen::model::dve;

/// Converts the model of `args`.
pub fn run(args: &ConvertArgs, output: &mut Output) -> Exit {
    let name = input::name(&args.model);
    if !dve::is_dve(name) {
        say(&format!(
            "coarsen: {name} is not a model of another language that is known; there is: DVE (`.dve`)"
        ));
        return Exit::Usage;
    }
    let run = ModelRun::read(&args.model, Format::Text, &args.limits);
    let depth = args.limits.depth;
    let worked = run.work(&Interrupts::install(), output, move |file, text, _| {
        let (model, warnings) = Session::load(file, text, &[], ParseLimits { depth })?;
        Ok((warnings, model.printed()))
    });
    match worked {
        Ok((Worked::Done(model), _)) => {
            output.write(&format!("// {name}, by `coarsen convert`\n\n{model}"));
            Exit::Holds
        }
        Ok((Worked::Abandoned { stop, phase, .. }, _)) => {
            say(&format!(
                "coarsen: {name}: stopped by {stop}, in phase `{phase}`"
            ));
            Exit::Unknown
        }
        Err(exit) => exit,
    }
}
