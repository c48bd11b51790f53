//! `coarsen compare`: all techniques on models, side by side.

use super::args::{CompareArgs, CompareFormat, Format};
use super::exit::Exit;
use super::model_run::{ModelRun, Worked, default_theorem};
use super::output::{Output, say};
use super::supervise::Interrupts;
use coarsen::Session;
use coarsen::base::control::{Hit, ParseLimits};
use coarsen::report::text::{render_compare, render_compare_row};
use coarsen::report::{json, page};
use coarsen::results::{CompareReason, CompareReport, CompareRow};
use std::io::{self, IsTerminal};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

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

/// Rows of a comparison that takes more than a moment, on stderr as soon as they are known.
struct Early {
    begun: Instant,
    /// Those that were known before that.
    waiting: Vec<String>,
}

impl Early {
    /// A moment.
    const PATIENCE: Duration = Duration::from_secs(1);

    fn new() -> Self {
        Early {
            begun: Instant::now(),
            waiting: Vec::new(),
        }
    }

    fn tell(&mut self, model: &str, row: &CompareRow) {
        self.waiting.push(render_compare_row(model, row));
        if self.begun.elapsed() < Self::PATIENCE {
            return;
        }
        for line in self.waiting.drain(..) {
            // A spinner may stand there.
            let begin = match io::stderr().is_terminal() {
                true => "\r\x1b[2K",
                false => "",
            };
            say(&format!("{begin}{line}"));
        }
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
    let rows = Arc::new(Mutex::new(Vec::new()));
    let known = Arc::clone(&rows);
    let mut early = Early::new();
    let worked = run.work(interrupts, output, move |name, source, control| {
        let depth = asked.limits.depth;
        let limits = ParseLimits { depth };
        let (session, warnings) = Session::load(name, source, &asked.defines.defines, limits)?;
        let mut told = |row: &CompareRow| {
            early.tell(name, row);
            if let Ok(mut known) = known.lock() {
                known.push(row.clone());
            }
        };
        let report = session.compare(&default_theorem()?, control, &mut told);
        Ok((warnings, report))
    });
    let (report, source) = match worked {
        Ok((Worked::Done(report), source)) => (report, source),
        Ok((Worked::Abandoned { stop, phase, .. }, source)) => {
            let mut report = CompareReport::undecided(name);
            report.reason = CompareReason::Abandoned(Hit::Abandoned(stop, phase));
            report.rows = rows.lock().map(|r| r.clone()).unwrap_or_default();
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
