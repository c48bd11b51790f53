//! Models that could not be checked: said on stderr for people, on stdout as the answer for this model.

use super::args::Format;
use super::exit::Exit;
use super::input::{Input, Refused};
use super::output::{Output, say, stderr_colour};
use coarsen::base::diagnostic::Diagnostic;
use coarsen::report::ci::{self, Case};
use coarsen::report::json::{self, Blamed};
use coarsen::report::{diagnostics, text};

/// A model that could not be checked.
pub struct Failure<'a> {
    /// The model's name.
    pub model: &'a str,
    /// Why, in one line.
    pub reason: String,
    /// The text that the diagnostics speak of, and its name.
    pub source: (&'a str, &'a str),
    /// What is wrong with it.
    pub diagnostics: &'a [Diagnostic],
    /// The exit code.
    pub exit: Exit,
}

impl<'a> Failure<'a> {
    /// The text called `source.0` has errors.
    pub fn input(
        model: &'a str,
        source: (&'a str, &'a str),
        diagnostics: &'a [Diagnostic],
    ) -> Self {
        Failure {
            model,
            reason: diagnostics::summary(diagnostics),
            source,
            diagnostics,
            exit: Exit::Input,
        }
    }

    /// No text is to blame.
    pub fn internal(model: &'a str, reason: String) -> Self {
        Failure {
            model,
            reason,
            source: (model, ""),
            diagnostics: &[],
            exit: Exit::Internal,
        }
    }

    /// What is wrong, as answers of a document.
    fn cases(&self) -> Vec<Case> {
        let (_, source) = self.source;
        match self.diagnostics {
            [] => vec![Case::broken(self.model, &self.reason)],
            some => ci::of_diagnostics(self.model, source, some),
        }
    }

    /// Says it in both places.
    pub fn tell(&self, format: Format, output: &mut Output) -> Exit {
        if self.diagnostics.is_empty() {
            say(&format!("coarsen: {}: {}", self.model, self.reason));
        } else {
            tell_diagnostics(self.source, self.diagnostics);
        }
        output.cases(|| self.cases());
        match format {
            Format::Text => output.write(&text::headline(self.model, "error", &self.reason)),
            Format::Json => {
                let (_, source) = self.source;
                let object = json::fault(
                    Blamed::Model(self.model),
                    &self.reason,
                    source,
                    self.diagnostics,
                );
                output.line(object);
            }
        }
        self.exit
    }
}

/// Says why a model can't be read.
pub fn refuse(model: &str, refused: &Refused, format: Format, output: &mut Output) -> Exit {
    match refused {
        Refused::Unreadable(error) => {
            Failure::internal(model, format!("can't read the file: {error}")).tell(format, output)
        }
        Refused::NotAModel(Input { name, source }, diagnostic) => {
            let diagnostics = std::slice::from_ref(diagnostic.as_ref());
            Failure::input(model, (name, source), diagnostics).tell(format, output)
        }
    }
}

/// Renders diagnostics of the text `source.1`, called `source.0`, on stderr.
pub fn tell_diagnostics((name, source): (&str, &str), diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() {
        say(&diagnostics::render(
            name,
            source,
            diagnostics,
            stderr_colour(),
        ));
    }
}
