//! The lemmas: what became of each, and what breaks those that are not inductive.

use super::steps::at;
use super::{row, trace, widest};
use crate::base::results::{Lemma, Status};
use crate::report::layout::counted;
use crate::report::witness::listed;
use std::fmt;

/// Displays the lemmas as a section of a report.
pub(super) struct Shown<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The lemmas.
    pub all: &'a [Lemma],
    /// Whether to show whole traces.
    pub verbose: bool,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.all.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nlemmas:")?;
        let width = widest(self.all.iter().map(|l| l.name.as_str()));
        for lemma in self.all {
            row(
                f,
                &lemma.name,
                width,
                lemma.status.id(),
                &lemma.reason.to_string(),
            )?;
            if lemma.status == Status::Holds && !self.verbose {
                continue;
            }
            if !lemma.state.is_empty() {
                writeln!(f, "      state: {}", listed(&lemma.state, ", "))?;
            }
            if let Some(step) = &lemma.step {
                writeln!(f, "      step: {}", at(self.model, step))?;
            }
            match &lemma.trace {
                Some(shown) if self.verbose => write!(
                    f,
                    "{}",
                    trace::Shown {
                        model: self.model,
                        trace: shown,
                        all: true
                    }
                )?,
                Some(shown) => {
                    let length = counted(shown.steps.len(), "action");
                    writeln!(f, "      reached in {length} (-v shows them)")?;
                }
                None => {}
            }
        }
        Ok(())
    }
}
