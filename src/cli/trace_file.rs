//! `--trace FILE`: the trace of one property, once.

use super::exit::Exit;
use super::output::say;
use coarsen::report::itf;
use coarsen::results::{Property, Report, Status, Trace};
use std::path::{Path, PathBuf};

/// Where a trace is to be written, and whether it was.
pub enum TraceFile {
    /// No trace is wanted.
    Unwanted,
    /// The first refuted property's, or this one's.
    Wanted {
        /// The file.
        file: PathBuf,
        /// The property, if one was asked for.
        property: Option<String>,
    },
    /// One was found; there is nothing more to do.
    Settled,
}

impl TraceFile {
    /// A trace for `file`, if there is one, of `property` or else of the first refuted property.
    pub fn new(file: Option<PathBuf>, property: Option<String>) -> Self {
        match file {
            Some(file) => TraceFile::Wanted { file, property },
            None => TraceFile::Unwanted,
        }
    }

    /// Writes the trace if `report` has it.
    pub fn offer(&mut self, report: &Report) -> Exit {
        let TraceFile::Wanted { file, property } = self else {
            return Exit::Holds;
        };
        let Some((name, trace)) = chosen(report, property.as_deref()) else {
            return Exit::Holds;
        };
        let exit = write(file, &report.model, name, trace);
        *self = TraceFile::Settled;
        exit
    }

    /// Says so if no trace was found.
    pub fn conclude(&self) {
        if let TraceFile::Wanted { file, property } = self {
            let whose = match property {
                Some(name) => format!("`{name}` has no trace"),
                None => "no property is refuted by a trace".to_string(),
            };
            say(&format!("{whose}: {} was not written", file.display()));
        }
    }
}

/// Writes a trace as ITF and says so.
pub fn write(file: &Path, model: &str, name: &str, trace: &Trace) -> Exit {
    let shown = file.display();
    match std::fs::write(file, itf::render(model, name, trace)) {
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

/// The property asked for, also a `reach` that holds; otherwise the first that is refuted.
fn chosen<'a>(report: &'a Report, wanted: Option<&str>) -> Option<(&'a str, &'a Trace)> {
    let fits = |p: &&Property| match wanted {
        Some(name) => p.name == name,
        None => p.verdict == Status::Refuted,
    };
    report
        .properties
        .iter()
        .filter(fits)
        .find_map(|p| Some((p.name.as_str(), p.trace.as_ref()?)))
}
