//! `coarsen eval`: one statement between terms, on one model.

use super::args::{EvalArgs, Format};
use super::backend::Backend;
use super::exit::Exit;
use super::model_run::{ModelRun, Worked, Wrong};
use super::output::Output;
use super::supervise::Interrupts;
use coarsen::report::{json, text};
use coarsen::results::{EvalReport, Evidence, SCHEMA_VERSION, Status};

/// How the statement is called in diagnostics.
const STATEMENT: &str = "<statement>";

/// Evaluates the statement of `args`.
pub fn run<B: Backend>(backend: &B, args: &EvalArgs, output: &mut Output) -> Exit {
    let run = ModelRun::read(&args.model, args.format, &args.limits);
    let name = run.name;
    let (backend, asked) = (backend.clone(), args.clone());
    let worked = run.work(
        &Interrupts::install(),
        output,
        move |name, source, control| {
            let (defines, depth) = (&asked.defines.defines, asked.limits.depth);
            let (model, warnings) = backend.load(name, source, defines, depth)?;
            match backend.eval(&model, &asked.statement, control) {
                Ok(report) => Ok((warnings, report)),
                Err(diagnostics) => Err(Wrong::Argument(STATEMENT, asked.statement, diagnostics)),
            }
        },
    );
    match worked {
        Ok((Worked::Done(report), _)) => show(&report, args.format, output),
        Ok((Worked::Abandoned { stop, phase, .. }, _)) => {
            let report = EvalReport {
                schema_version: SCHEMA_VERSION,
                model: name.to_string(),
                statement: args.statement.clone(),
                status: Status::Unknown,
                evidence: Evidence::Stopped(stop, phase),
                instances: "0".to_string(),
                witness: None,
            };
            show(&report, args.format, output)
        }
        Err(exit) => exit,
    }
}

fn show(report: &EvalReport, format: Format, output: &mut Output) -> Exit {
    match format {
        Format::Json => output.line(json::object(report)),
        Format::Text => output.write(&text::render_eval(report)),
    }
    Exit::from(report)
}
