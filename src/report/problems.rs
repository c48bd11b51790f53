//! What became of a problem in TPTP's form: as text and JSON.

use super::layout::printable;
use super::proofs::Detail;
use crate::base::results::problems::{Answer, Stated, Szs};
use crate::base::results::proofs::{Engine, Status};
use std::fmt::Write;

impl Answer {
    /// Whether a kernel did not accept a proof.
    pub fn is_rejected(&self) -> bool {
        self.parts.iter().any(|p| p.engine == Engine::Rejected)
    }

    /// The answer as text: the SZS line, and unless quiet why.
    pub fn render(&self, detail: Detail) -> String {
        let mut out = status_line(self.szs, &self.name);
        if detail == Detail::Quiet {
            return out;
        }
        if !self.reason.is_empty() {
            let _ = writeln!(out, "{}", printable(&self.reason));
        }
        let known = !matches!(self.szs, Szs::GaveUp | Szs::Timeout);
        match &self.declared {
            Some(declared) if known && declared != self.szs.name() => {
                let _ = writeln!(out, "the file says `{}`", printable(declared));
            }
            _ => {}
        }
        if detail == Detail::Verbose && !self.laws.is_empty() {
            let _ = writeln!(out, "among the axioms: {}", self.laws);
        }
        let width = self.parts.iter().map(|p| p.name.chars().count()).max();
        let width = width.unwrap_or(0).min(40);
        for part in &self.parts {
            out += &part.render(detail, width);
        }
        out
    }
}

/// `% SZS status Theorem for KLE001+1`
pub fn status_line(szs: Szs, name: &str) -> String {
    format!("% SZS status {} for {}\n", szs.name(), printable(name))
}

impl Stated {
    fn render(&self, detail: Detail, width: usize) -> String {
        let told = self.status == Status::Proved && self.why.len() == 1;
        let how = match self.why.as_slice() {
            [only] if told => format!("{}: {only}", self.engine.name()),
            _ => self.engine.name().to_string(),
        };
        let mut out = format!(
            "{:<8} {:<width$}  ({}, {:.3} s)\n",
            self.status.name(),
            printable(&self.name),
            printable(&how),
            self.time
        );
        if detail == Detail::Verbose {
            let _ = writeln!(out, "         {}", printable(&self.statement));
        }
        for line in self.why.iter().filter(|_| !told) {
            let _ = writeln!(out, "         {}", printable(line));
        }
        out
    }
}
