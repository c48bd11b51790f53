//! One model, from its text to an answer: it is read, a worker does the work within the limits, and what goes wrong
//! is told. Commands add what the work is, and how its answer is shown.

use super::args::{DEFAULT_THEOREM, Format};
use super::exit::Exit;
use super::failure::{Failure, refuse, tell_diagnostics};
use super::input::{self, Input, Refused};
use super::limits::Limits;
use super::output::{Output, say};
use super::progress::Progress;
use super::supervise::{Ended, Interrupts, supervise};
use coarsen::algebra::Theory;
use coarsen::base::control::{Control, Stop};
use coarsen::base::diagnostic::Diagnostic;
use coarsen::results::Report;
use coarsen::theory;
use std::sync::Arc;

/// A model that is to be worked on.
pub struct ModelRun<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Its text.
    pub input: Result<Input, Refused>,
    /// How failures are told.
    pub format: Format,
    /// The limits.
    pub limits: &'a Limits,
    /// Whether progress and warnings are left out.
    pub quiet: bool,
}

/// Why a worker has no answer.
pub enum Wrong {
    /// The model has errors.
    Model(Vec<Diagnostic>),
    /// A text on the command line has errors: what it is called, the text, and they.
    Argument(&'static str, String, Vec<Diagnostic>),
    /// The command line asks for something that the model does not have.
    Usage(String),
    /// A limit was hit before there was an answer; a sentence about that.
    Stopped(String),
    /// The library lacks the theorem.
    NoTheorem,
}

impl From<Vec<Diagnostic>> for Wrong {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Wrong::Model(diagnostics)
    }
}

/// How work on a model ended.
pub enum Worked<T> {
    /// With an answer.
    Done(T),
    /// The worker did not stop when asked and is still running.
    Abandoned {
        /// The limit that was hit.
        stop: Stop,
        /// What was being done then.
        phase: String,
        /// What was last known.
        snapshot: Option<Box<Report>>,
    },
}

/// What a worker does with a model's name and text: it gives warnings and an answer.
pub trait Work<T>:
    FnOnce(&str, &str, &Control) -> Result<(Vec<Diagnostic>, T), Wrong> + Send + 'static
{
}

impl<T, F> Work<T> for F where
    F: FnOnce(&str, &str, &Control) -> Result<(Vec<Diagnostic>, T), Wrong> + Send + 'static
{
}

/// The theorem that is used unless another is asked for.
///
/// # Errors
/// If the library lacks it.
pub fn default_theorem() -> Result<Theory, Wrong> {
    theory(DEFAULT_THEOREM).ok_or(Wrong::NoTheorem)
}

impl<'a> ModelRun<'a> {
    /// A model from a file or standard input. It is read at once, so that Ctrl-C, if it is not caught yet, still ends
    /// a run that waits for standard input.
    pub fn read(path: &'a str, format: Format, limits: &'a Limits) -> Self {
        ModelRun {
            name: input::name(path),
            input: input::read(path),
            format,
            limits,
            quiet: false,
        }
    }

    /// Does the work, which gets the model's name and text, and gives warnings and an answer. The answer comes with
    /// the text.
    ///
    /// # Errors
    /// The exit code, if there is no answer; why is told.
    pub fn work<T: Send + 'static>(
        self,
        interrupts: &Interrupts,
        output: &mut Output,
        work: impl FnOnce(&str, &str, &Control) -> Result<(Vec<Diagnostic>, T), Wrong> + Send + 'static,
    ) -> Result<(Worked<T>, Arc<str>), Exit> {
        let (name, format) = (self.name, self.format);
        let source: Arc<str> = match self.input {
            Ok(input) => input.source.into(),
            Err(refused) => return Err(refuse(name, &refused, format, output)),
        };
        let control = Arc::new(Control::new(self.limits.budget));
        let mut progress = match self.quiet {
            true => Progress::Silent,
            false => Progress::on_stderr(),
        };
        let job = {
            let (name, source) = (name.to_string(), Arc::clone(&source));
            move |control: &Control| {
                control.enter("reading the model");
                work(&name, &source, control)
            }
        };
        let wrong = match supervise(job, &control, self.limits, interrupts, &mut progress) {
            Ended::Done(Ok((warnings, answer))) => {
                if !self.quiet {
                    tell_diagnostics((name, &source), &warnings);
                }
                return Ok((Worked::Done(answer), source));
            }
            Ended::Abandoned(stop) => {
                let abandoned = Worked::Abandoned {
                    stop,
                    phase: control.phase(),
                    snapshot: control.snapshot().map(Box::new),
                };
                return Ok((abandoned, source));
            }
            Ended::Broken(why) => {
                return Err(Failure::internal(name, why.to_string()).tell(format, output));
            }
            Ended::Done(Err(wrong)) => wrong,
        };
        Err(match wrong {
            Wrong::Model(diagnostics) => {
                Failure::input(name, (name, &source), &diagnostics).tell(format, output)
            }
            Wrong::Argument(called, text, diagnostics) => {
                Failure::input(name, (called, &text), &diagnostics).tell(format, output)
            }
            Wrong::Usage(message) => {
                say(&format!("coarsen: {message}"));
                Exit::Usage
            }
            Wrong::Stopped(message) => {
                say(&format!("coarsen: {name}: {message}"));
                Exit::Unknown
            }
            Wrong::NoTheorem => {
                let reason = format!("there is no theorem `{DEFAULT_THEOREM}`");
                Failure::internal(name, reason).tell(format, output)
            }
        })
    }
}
