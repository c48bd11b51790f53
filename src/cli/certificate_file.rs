//! `check --certificate FILE`: what shows that the model's properties hold.

use super::exit::Exit;
use super::output::say;
use coarsen::bundle;
use coarsen::report::{Report, Status};
use std::path::Path;

/// Writes the bundle of a model, if there is one; says what it does not show.
pub fn write(file: &Path, report: &Report) -> Exit {
    let open: Vec<&str> = report
        .properties
        .iter()
        .filter(|p| p.verdict != Status::Holds || p.trace.is_some())
        .map(|p| p.name.as_str())
        .collect();
    let (model, shown) = (&report.model, file.display());
    let Some(bundle) = &report.bundle else {
        let nothing = "no property is known to hold, and what is refuted or reached has its trace";
        let why = report.no_bundle.as_deref().unwrap_or(nothing);
        say(&format!(
            "certificate of {model} not written to {shown}: {why}"
        ));
        return Exit::Holds;
    };
    match std::fs::write(file, bundle::write(bundle)) {
        Ok(()) => {
            let not = match open.as_slice() {
                [] => String::new(),
                some => format!("; it shows nothing of {}", some.join(", ")),
            };
            say(&format!("certificate of {model} written to {shown}{not}"));
            Exit::Holds
        }
        Err(error) => {
            say(&format!(
                "coarsen: can't write the certificate to {shown}: {error}"
            ));
            Exit::Internal
        }
    }
}
