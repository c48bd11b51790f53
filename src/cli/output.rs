//! Writing to stdout and stderr without ever panicking.
//!
//! A reader that closed its pipe (`coarsen check .. | head -1`) has seen enough: the rest is dropped silently and
//! the exit code stays that of the answer.

use super::args::Form;
use coarsen::report::ci::{self, Case};
use coarsen::report::diagnostics::Colour;
use std::io::{self, IsTerminal, Write};

/// Where results go (stdout), remembering the first failure.
pub struct Output<'w> {
    writer: &'w mut dyn Write,
    failed: Option<io::Error>,
    /// Answers for one document at the end, in this form: then nothing else is written.
    collected: Option<(Form, Vec<Case>)>,
}

impl<'w> Output<'w> {
    /// Writes to `writer`.
    pub fn new(writer: &'w mut dyn Write) -> Self {
        Output {
            writer,
            failed: None,
            collected: None,
        }
    }

    /// Has answers collected, if they are to stand in one document.
    pub fn collect(&mut self, form: Form) {
        if matches!(form, Form::Sarif | Form::Junit | Form::Github) {
            self.collected = Some((form, Vec::new()));
        }
    }

    /// Drops the document: nothing was asked that has answers.
    pub fn discard(&mut self) {
        self.collected = None;
    }

    /// Adds answers to the document, if there is one.
    pub fn cases(&mut self, cases: impl FnOnce() -> Vec<Case>) {
        if let Some((_, all)) = &mut self.collected {
            all.extend(cases());
        }
    }

    /// Writes `text` at once, unless writing failed before.
    pub fn write(&mut self, text: &str) {
        if self.failed.is_none() && self.collected.is_none() {
            let written = self.writer.write_all(text.as_bytes());
            self.failed = written.and_then(|()| self.writer.flush()).err();
        }
    }

    /// Writes `text` and a line break, or remembers why there is no text.
    pub fn line(&mut self, text: serde_json::Result<String>) {
        match text {
            Ok(text) => self.write(&(text + "\n")),
            Err(error) => self.failed = self.failed.take().or(Some(error.into())),
        }
    }

    /// Writes the document, if there is one; the failure to report, if there was one.
    ///
    /// # Errors
    /// The first failure, unless it was a closed pipe.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some((form, cases)) = self.collected.take() {
            self.write(&match form {
                Form::Sarif => ci::sarif(&cases),
                Form::Junit => ci::junit(&cases),
                _ => ci::github(&cases),
            });
        }
        match self.failed {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }
}

/// Writes a message to stderr, with a line break unless it has one. If that fails, the message is lost.
pub fn say(message: &str) {
    let end = if message.ends_with('\n') { "" } else { "\n" };
    let _ = write!(io::stderr().lock(), "{message}{end}");
}

/// How many columns results have: those of the terminal, or as `COLUMNS` says.
pub fn stdout_columns() -> Option<usize> {
    if io::stdout().is_terminal() {
        let (columns, _) = ratatui::crossterm::terminal::size().ok()?;
        return Some(columns.into());
    }
    std::env::var("COLUMNS").ok()?.parse().ok()
}

/// Whether messages on stderr may be coloured.
pub fn stderr_colour() -> Colour {
    colour(&io::stderr())
}

/// Whether results on stdout may be coloured.
pub fn stdout_colour() -> Colour {
    colour(&io::stdout())
}

/// On a terminal, unless `NO_COLOR` is set.
fn colour(stream: &impl IsTerminal) -> Colour {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    match stream.is_terminal() && !unwanted {
        true => Colour::Coloured,
        false => Colour::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails in this way.
    struct Failing(io::ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_no_failure_and_a_full_disk_is() {
        for (kind, fails) in [
            (io::ErrorKind::BrokenPipe, false),
            (io::ErrorKind::StorageFull, true),
        ] {
            let mut writer = Failing(kind);
            let mut output = Output::new(&mut writer);
            output.write("text");
            output.write("more");
            assert_eq!(output.finish().is_err(), fails, "{kind}");
        }
    }
}
