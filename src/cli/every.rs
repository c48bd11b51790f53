//! `coarsen check --every N`: each model in turn, for every value of a constant.

use super::args::DEFAULT_THEOREM;
use super::args::{CheckArgs, Format};
use super::certificate_file::Evidence;
use super::exit::Exit;
use super::input;
use super::model_run::{ModelRun, Worked, Wrong};
use super::output::{Output, say};
use super::suggest::hint;
use super::supervise::Interrupts;
use super::theorem::Chosen;
use coarsen::Session;
use coarsen::algebra::Theory;
use coarsen::base::control::{Control, Hit, ParseLimits};
use coarsen::base::diagnostic::Diagnostic;
use coarsen::base::evidence::HYPOTHESES;
use coarsen::report::text::Detail;
use coarsen::report::{ci, json, text};
use coarsen::results::EveryReport;
use coarsen::theorem::uses as transactions_of;

/// Asks about every value of the constant.
pub fn run(args: &CheckArgs, theorem: &Chosen, constant: &str, output: &mut Output) -> Exit {
    let theory = match theorem {
        Chosen::Theorem(theory) if transactions_of(theory).is_none() => theory,
        other => {
            say(&format!(
                "coarsen: --every goes with `{DEFAULT_THEOREM}` and theorems of its form, not with `{}`",
                other.name()
            ));
            return Exit::Usage;
        }
    };
    let interrupts = Interrupts::install();
    let mut exit = Exit::Holds;
    for path in &args.models {
        exit = exit.and(one((args, theory), constant, path, &interrupts, output));
        if interrupts.pending() {
            return exit.and(Exit::Unknown);
        }
    }
    exit
}

fn one(
    (args, theory): (&CheckArgs, &Theory),
    constant: &str,
    path: &str,
    interrupts: &Interrupts,
    output: &mut Output,
) -> Exit {
    let run = ModelRun {
        name: input::name(path),
        input: input::read(path),
        format: args.format(),
        limits: &args.limits,
        quiet: args.detail() == Detail::Quiet,
    };
    let name = run.name;
    let (job, left_open, used) = (args.clone(), constant.to_string(), theory.clone());
    let worked = run.work(interrupts, output, move |name, source, control| {
        answer((&job, &used), &left_open, (name, source), control)
    });
    let report = match worked {
        Ok((Worked::Done(report), _)) => report,
        Ok((Worked::Abandoned { stop, phase, .. }, _)) => {
            let mut report = EveryReport::undecided(name, &theory.name, constant);
            report.limit = Some(Hit::Abandoned(stop, phase));
            report
        }
        Err(exit) => return exit,
    };
    output.cases(|| vec![ci::of_every(&report)]);
    match args.format() {
        Format::Json => output.line(json::object(&report)),
        Format::Text => output.write(&text::render_every(&report, args.detail())),
    }
    let claims = report.claims.iter().map(|c| c.name.as_str());
    let certified = match &args.certificate {
        Some(file) => Evidence {
            model: &report.model,
            asked: [HYPOTHESES, "discipline"]
                .into_iter()
                .chain(claims)
                .collect(),
            bundle: report.bundle.as_deref(),
            missing: None,
            nothing: "not all hypotheses are shown for every value",
        }
        .write(file),
        None => Exit::Holds,
    };
    Exit::from(report.verdict).and(certified)
}

fn answer(
    (args, theory): (&CheckArgs, &Theory),
    constant: &str,
    (name, source): (&str, &str),
    control: &Control,
) -> Result<(Vec<Diagnostic>, EveryReport), Wrong> {
    let limits = ParseLimits {
        depth: args.limits.depth,
    };
    let (model, warnings) = Session::load(name, source, &args.defines.defines, limits)?;
    let known = model.constants();
    if !known.iter().any(|k| k == constant) {
        let there = match known.is_empty() {
            true => "it has none".to_string(),
            false => format!("it has {}", known.join(", ")),
        };
        let hint = hint(constant, known.iter().map(String::as_str));
        return Err(Wrong::Usage(format!(
            "--every {constant}: {name} has no constant `{constant}`{hint}; {there}"
        )));
    }
    Ok((
        warnings,
        model.every(theory, constant, args.certificate.is_some(), control),
    ))
}
