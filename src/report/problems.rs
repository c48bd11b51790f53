//! What became of a problem in TPTP's form: as data, text and JSON.

use super::SCHEMA_VERSION;
use super::json::{Placed, placed};
use super::layout::printable;
use super::proofs::Detail;
use crate::syntax::diagnostic::Diagnostic;
use crate::tptp::{Part, Problem, Solution, Szs};
use serde::Serialize;
use std::fmt::Write;

/// The answer for a problem.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The problem's name.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// The status in the SZS ontology.
    pub szs: &'static str,
    /// The status that the comments of the file give it.
    pub declared: Option<String>,
    /// Why nothing is known, if so; else empty.
    pub reason: String,
    /// The laws that are among the axioms, in words.
    pub laws: String,
    /// The statements it was taken apart to.
    pub parts: Vec<Stated>,
    /// Seconds.
    pub time: f64,
}

/// A statement of a problem.
#[derive(Clone, Debug, Serialize)]
pub struct Stated {
    /// Its name.
    pub name: String,
    /// What it says, as in `.thy` files.
    pub statement: String,
    /// `proved`, `refuted` or `unknown`.
    pub status: &'static str,
    /// Which engine gave the answer.
    pub engine: String,
    /// Seconds.
    pub time: f64,
    /// Why, in lines.
    pub why: Vec<String>,
    /// The level of the axioms that the proof uses; of a statement that is not proved, that of its symbols.
    pub level: &'static str,
}

/// A problem that could not be read.
#[derive(Debug, Serialize)]
struct Fault<'a> {
    schema_version: u32,
    file: &'a str,
    status: &'static str,
    szs: &'static str,
    reason: &'a str,
    diagnostics: Vec<Placed<'a>>,
}

impl Answer {
    /// The answer for a problem that was solved in so many seconds.
    pub fn of(problem: &Problem, solution: &Solution, time: f64) -> Answer {
        Answer {
            szs: solution.szs.name(),
            reason: solution.reason.clone(),
            laws: solution.laws.clone(),
            parts: solution.parts.iter().map(Stated::of).collect(),
            time,
            ..Answer::unknown(problem, Szs::GaveUp, String::new())
        }
    }

    /// The answer for a problem of which nothing is known.
    pub fn unknown(problem: &Problem, szs: Szs, reason: String) -> Answer {
        Answer {
            schema_version: SCHEMA_VERSION,
            name: problem.name.clone(),
            file: problem.file.clone(),
            szs: szs.name(),
            declared: problem.declared.clone(),
            reason,
            laws: String::new(),
            parts: Vec::new(),
            time: 0.0,
        }
    }

    /// Whether a kernel did not accept a proof.
    pub fn is_rejected(&self) -> bool {
        self.parts.iter().any(|p| p.engine == "rejected")
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
        let known = !matches!(self.szs, "GaveUp" | "Timeout");
        match &self.declared {
            Some(declared) if known && declared != self.szs => {
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
pub fn status_line(szs: &str, name: &str) -> String {
    format!("% SZS status {szs} for {}\n", printable(name))
}

impl Stated {
    fn of(part: &Part) -> Stated {
        Stated {
            name: part.name.clone(),
            statement: part.text.clone(),
            status: part.status.into(),
            engine: part.engine.clone(),
            time: part.time,
            why: part.why.clone(),
            level: part.level.name(),
        }
    }

    fn render(&self, detail: Detail, width: usize) -> String {
        let told = self.status == "proved" && self.why.len() == 1;
        let how = match self.why.as_slice() {
            [only] if told => format!("{}: {only}", self.engine),
            _ => self.engine.clone(),
        };
        let mut out = format!(
            "{:<8} {:<width$}  ({}, {:.3} s)\n",
            self.status,
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

/// The object of a problem that could not be read.
///
/// # Errors
/// If a number can't be written as JSON.
pub fn fault(
    file: &str,
    reason: &str,
    source: &str,
    diagnostics: &[Diagnostic],
) -> serde_json::Result<String> {
    serde_json::to_string(&Fault {
        schema_version: SCHEMA_VERSION,
        file,
        status: "error",
        szs: Szs::InputError.name(),
        reason,
        diagnostics: placed(source, diagnostics),
    })
}
