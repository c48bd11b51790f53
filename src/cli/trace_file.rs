//! `--trace FILE`: the trace of one property, once.

use super::args::TraceFormat;
use super::exit::Exit;
use super::output::say;
use coarsen::report::{itf, json, mermaid, page, text};
use coarsen::results::{Property, Report, Status, Trace};
use std::io;
use std::path::{Path, PathBuf};

/// Where a trace is to be written, and whether it was.
pub enum TraceFile {
    /// No trace is wanted.
    Unwanted,
    /// The first refuted property's, or one of these.
    Wanted {
        /// The file, and its form.
        file: (PathBuf, TraceFormat),
        /// The properties, if some were asked for.
        properties: Vec<String>,
    },
    /// One was found; there is nothing more to do.
    Settled,
}

impl TraceFile {
    /// A trace for `file`, if there is one, of one of the properties asked for, or else of the first
    /// refuted one.
    pub fn new(
        file: Option<PathBuf>,
        format: Option<TraceFormat>,
        properties: Vec<String>,
    ) -> Self {
        match file {
            Some(file) => {
                let format = format.unwrap_or_else(|| TraceFormat::of(&file));
                TraceFile::Wanted {
                    file: (file, format),
                    properties,
                }
            }
            None => TraceFile::Unwanted,
        }
    }

    /// Writes the trace if `report` has it.
    pub fn offer(&mut self, report: &Report) -> Exit {
        let TraceFile::Wanted { file, properties } = self else {
            return Exit::Holds;
        };
        let Some((name, trace)) = chosen(report, properties) else {
            return Exit::Holds;
        };
        let exit = write((&file.0, file.1), &report.model, name, trace);
        *self = TraceFile::Settled;
        exit
    }

    /// Says so if no trace was found.
    pub fn conclude(&self) {
        if let TraceFile::Wanted { file, properties } = self {
            let whose = match properties.as_slice() {
                [] => "no property is refuted by a trace".to_string(),
                names => format!("`{}` has no trace", names.join("`, `")),
            };
            say(&format!("{whose}: {} was not written", file.0.display()));
        }
    }
}

/// Writes a trace in some form and says so.
pub fn write((file, format): (&Path, TraceFormat), model: &str, name: &str, trace: &Trace) -> Exit {
    let shown = file.display();
    match save((file, format), model, name, trace) {
        Ok(()) => {
            say(&format!("trace of `{name}` ({model}) written to {shown}"));
            Exit::Holds
        }
        Err(error) => {
            say(&format!(
                "coarsen: can't write the trace to {shown}: {error}"
            ));
            Exit::Internal
        }
    }
}

/// Writes a trace in some form.
///
/// # Errors
/// What the file system says.
pub fn save(
    (file, format): (&Path, TraceFormat),
    model: &str,
    name: &str,
    trace: &Trace,
) -> io::Result<()> {
    std::fs::write(file, rendered(format, model, name, trace)?)
}

fn rendered(format: TraceFormat, model: &str, name: &str, trace: &Trace) -> io::Result<String> {
    Ok(match format {
        TraceFormat::Text => text::render_trace(model, name, trace),
        TraceFormat::Mermaid => mermaid::render(model, name, trace),
        TraceFormat::Html => page::execution(model, name, trace),
        TraceFormat::Itf => itf::render(model, name, trace),
        TraceFormat::Json => json::object(trace)? + "\n",
    })
}

/// The first property asked for that has one, also a `reach` that holds; otherwise the first that is refuted.
fn chosen<'a>(report: &'a Report, wanted: &[String]) -> Option<(&'a str, &'a Trace)> {
    let fits = |p: &&Property| match wanted {
        [] => p.verdict == Status::Refuted,
        names => names.contains(&p.name),
    };
    report
        .properties
        .iter()
        .filter(fits)
        .find_map(|p| Some((p.name.as_str(), p.trace.as_ref()?)))
}
