//! What `coarsen decide` and `coarsen simplify` have in common: questions without a file.

use super::args::{Format, LetterArgs};
use super::exit::Exit;
use super::failure::tell_diagnostics;
use super::limits::Limits;
use super::output::{Output, say};
use super::progress::Progress;
use super::supervise::{Ended, Interrupts, supervise};
use coarsen::algebra::inline::{Question, Wrong};
use coarsen::base::control::{Control, Stop};
use coarsen::base::diagnostic::Diagnostic;
use coarsen::report::json::{self, Blamed};
use coarsen::report::proofs;
use std::sync::Arc;

/// Why a question has no answer.
pub enum Unanswered {
    /// It has errors.
    Wrong(Wrong),
    /// The work was cut short.
    Stopped(Stop),
    /// A bug, or no thread.
    Failed(String),
}

/// Does the work on a question in a worker.
pub fn work<T: Send + 'static>(
    limits: &Limits,
    job: impl FnOnce(&Control) -> Result<T, Wrong> + Send + 'static,
) -> Result<T, Unanswered> {
    let control = Arc::new(Control::default());
    let ended = supervise(
        job,
        &control,
        limits,
        &Interrupts::install(),
        &mut Progress::on_stderr(),
    );
    match ended {
        Ended::Done(done) => done.map_err(Unanswered::Wrong),
        Ended::Abandoned(why) => Err(Unanswered::Stopped(why)),
        Ended::Broken(why) => Err(Unanswered::Failed(why.to_string())),
    }
}

/// The question of arguments.
pub fn question<'a>(text: &'a str, given: &'a [String], letters: &'a LetterArgs) -> Question<'a> {
    Question {
        text,
        given,
        tests: &letters.tests,
        theory: letters.theory.as_deref(),
        level: None,
    }
}

/// Says why there is no answer; the JSON form is a fault. Of `Stopped` the caller has to tell.
pub fn tell(wrong: &Wrong, format: Format, output: &mut Output) -> Exit {
    match wrong {
        Wrong::Flawed(flawed) => {
            let (name, text) = (flawed.file.name.as_str(), flawed.file.text.as_str());
            tell_diagnostics((name, text), &flawed.diagnostics);
            let reason = proofs::summary(&flawed.diagnostics);
            fault(name, &reason, (text, &flawed.diagnostics), format, output);
            Exit::Input
        }
        Wrong::NoLetter(name) => {
            say(&format!(
                "coarsen: no letter that may be a test is called `{name}`"
            ));
            Exit::Usage
        }
    }
}

/// A failure of the tool.
pub fn failed(name: &str, reason: &str, format: Format, output: &mut Output) -> Exit {
    say(&format!("coarsen: {name}: {reason}"));
    fault(name, reason, ("", &[]), format, output);
    Exit::Internal
}

fn fault(
    name: &str,
    reason: &str,
    (text, diagnostics): (&str, &[Diagnostic]),
    format: Format,
    output: &mut Output,
) {
    match format {
        Format::Text => output.write(&coarsen::report::text::headline(name, "error", reason)),
        Format::Json => list(
            json::fault(Blamed::File(name), reason, text, diagnostics),
            output,
        ),
    }
}

/// One object as the list that `coarsen prove` writes.
pub fn list(object: serde_json::Result<String>, output: &mut Output) {
    output.line(object.map(|o| format!("[{o}]")));
}
