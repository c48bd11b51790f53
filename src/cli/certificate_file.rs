//! `--certificate FILE`: what shows that what holds of a model does.

use super::exit::Exit;
use super::output::say;
use coarsen::base::evidence::Bundle;
use coarsen::certificate::write;
use coarsen::results::MissingEvidence;
use std::path::Path;

/// Of a model as it is, what holds has evidence.
pub const NOTHING_HOLDS: &str = "no property is known to hold, and what is refuted has its trace";

/// What there is to be written.
pub struct Evidence<'e> {
    /// The model's name.
    pub model: &'e str,
    /// Everything that was asked, by name.
    pub asked: Vec<&'e str>,
    /// The bundle, if there is one.
    pub bundle: Option<&'e Bundle>,
    /// Why something is missing, if not because it does not hold.
    pub missing: Option<&'e MissingEvidence>,
    /// Why else there is no bundle.
    pub nothing: &'e str,
}

impl Evidence<'_> {
    /// Writes the bundle of a model, if there is one; says what it does not show.
    pub fn write(&self, file: &Path) -> Exit {
        let (model, shown) = (self.model, file.display());
        let Some(bundle) = self.bundle else {
            let nothing = self.nothing.to_string();
            let why = self.missing.map_or(nothing, |m| m.to_string());
            say(&format!(
                "certificate of {model} not written to {shown}: {why}"
            ));
            return Exit::Holds;
        };
        if let Err(error) = std::fs::write(file, write(bundle)) {
            say(&format!(
                "coarsen: can't write the certificate to {shown}: {error}"
            ));
            return Exit::Internal;
        }
        let shows = |name: &&str| bundle.shows(name);
        let open: Vec<&str> = self.asked.iter().copied().filter(|n| !shows(n)).collect();
        let not = match open.as_slice() {
            [] => String::new(),
            some => format!("; it shows nothing of {}", some.join(", ")),
        };
        say(&format!("certificate of {model} written to {shown}{not}"));
        if let Some(why) = self.missing {
            say(&format!("certificate of {model}: {why}"));
        }
        Exit::Holds
    }
}
