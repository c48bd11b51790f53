//! `coarsen simulate`: a walk through a model, by hand in a terminal, or as the options say.

mod screen;

use super::args::{Format, SimulateArgs, TraceFormat};
use super::exit::Exit;
use super::model_run::{ModelRun, Worked, Wrong};
use super::output::{Output, say};
use super::supervise::Interrupts;
use super::trace_file;
use coarsen::Session;
use coarsen::base::control::{Control, ParseLimits};
use coarsen::command::simulate::Walk;
use coarsen::report::text::render_simulate;
use coarsen::report::{itf, json};
use coarsen::results::{Ended, SimulateReport};
use std::io::{self, IsTerminal};
use std::path::Path;

/// How a condition is called in diagnostics.
const CONDITION: &str = "<condition>";

/// What the trace of a walk is called in a file.
const WALK: &str = "walk";

/// What becomes of a model.
enum Answer {
    /// It is walked through on the screen.
    ByHand(Box<Session>),
    Walked(Box<SimulateReport>),
    /// The trace can't be followed: why.
    Unfollowed(String),
}

/// Walks through the model of `args`.
pub fn run(args: &SimulateArgs, output: &mut Output) -> Exit {
    let asked = args.steps.is_some() || args.replay.is_some() || args.goal.is_some();
    let has_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    if !asked && !has_terminal {
        say(
            "coarsen: there is no terminal to walk through a model by hand: say what to do with --steps N, --goal EXPR \
             or --replay FILE",
        );
        return Exit::Usage;
    }
    let replayed = match args.replay.as_deref().map(states).transpose() {
        Ok(states) => states,
        Err((why, exit)) => {
            say(&format!("coarsen: {why}"));
            return exit;
        }
    };
    let run = ModelRun {
        quiet: args.quiet,
        ..ModelRun::read(&args.model, args.format, &args.limits)
    };
    let name = run.name;
    let options = args.clone();
    let interrupts = Interrupts::install();
    let worked = run.work(&interrupts, output, move |name, source, control| {
        let limits = ParseLimits {
            depth: options.limits.depth,
        };
        let (session, warnings) = Session::load(name, source, &options.defines.defines, limits)?;
        let answer = match asked {
            true => walked(&session, name, &options, replayed.as_deref(), control)?,
            false => Answer::ByHand(Box::new(session)),
        };
        Ok((warnings, answer))
    });
    match worked {
        Ok((Worked::Done(Answer::Walked(report)), _)) => show(&report, args, output),
        Ok((Worked::Done(Answer::ByHand(session)), _)) => by_hand(&session, args, &interrupts),
        Ok((Worked::Done(Answer::Unfollowed(why)), _)) => {
            say(&format!("coarsen: {name}: {why}"));
            Exit::Input
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

/// The states of a trace in a file.
fn states(file: &Path) -> Result<Vec<serde_json::Value>, (String, Exit)> {
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| (format!("can't read {shown}: {error}"), Exit::Internal))?;
    itf::read(&text).map_err(|why| (format!("{shown}: {why}"), Exit::Input))
}

/// A walk as the options say: along the trace, then to the goal, then at random.
fn walked(
    session: &Session,
    name: &str,
    args: &SimulateArgs,
    replayed: Option<&[serde_json::Value]>,
    control: &Control,
) -> Result<Answer, Wrong> {
    let Some(mut walk) = Walk::new(session.program()) else {
        return Ok(Answer::Unfollowed("it has no initial state".to_string()));
    };
    if let Some(states) = replayed {
        let is = |n: usize, names: &[_], values: &[_]| itf::is_state(&states[n], names, values);
        let followed = walk
            .follow(states.len(), &is, control)
            .map_err(|stop| Wrong::Stopped(format!("the trace was not followed: {stop}")))?;
        if let Err(n) = followed {
            return Ok(Answer::Unfollowed(match n {
                0 => "the trace does not begin in an initial state of this model".to_string(),
                n => format!(
                    "no step leads from state {} of the trace to state {n}",
                    n - 1
                ),
            }));
        }
    }
    let mut ended = None;
    if let Some(text) = &args.goal {
        let goal = session
            .state_expression(text)
            .map_err(|errors| Wrong::Argument(CONDITION, text.clone(), errors))?;
        ended = Some(match walk.towards(&goal, control) {
            Ok(true) => Ended::Goal,
            Ok(false) => Ended::NoGoal,
            Err(stop) => {
                let why = format!("no such state was met before the walk was stopped by {stop}");
                return Err(Wrong::Stopped(why));
            }
        });
    }
    if let (Some(steps), None | Some(Ended::Goal)) = (args.steps, ended) {
        ended = Some(walk.random(steps as usize, args.seed));
    }
    let ended = ended.or(walk.end()).unwrap_or(Ended::Steps);
    let report = SimulateReport::new(name, walk.steps(), ended, walk.trace());
    Ok(Answer::Walked(Box::new(report)))
}

fn show(report: &SimulateReport, args: &SimulateArgs, output: &mut Output) -> Exit {
    match args.format {
        Format::Json => output.line(json::object(report)),
        Format::Text => output.write(&render_simulate(report, args.quiet)),
    }
    let written = match (&args.trace, &report.trace) {
        (Some(file), Some(trace)) => {
            let format = args.trace_format.unwrap_or_else(|| TraceFormat::of(file));
            trace_file::write((file, format), &report.model, WALK, trace)
        }
        (Some(file), None) => {
            let shown = file.display();
            say(&format!(
                "the walk is too long to be told: {shown} was not written"
            ));
            Exit::Internal
        }
        (None, _) => Exit::Holds,
    };
    let exit = match report.ended {
        Ended::NoGoal | Ended::Wrong => Exit::Refuted,
        _ => Exit::Holds,
    };
    exit.and(written)
}

fn by_hand(session: &Session, args: &SimulateArgs, interrupts: &Interrupts) -> Exit {
    match screen::run(session, args, interrupts) {
        Ok(()) => Exit::Holds,
        Err(error) => {
            say(&format!("coarsen: the terminal can't be used: {error}"));
            Exit::Internal
        }
    }
}
