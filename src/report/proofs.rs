//! What became of statements that were to be proved, and of certificates: as text and JSON.

use super::diagnostics;
use super::layout::{counted, printable};
use crate::base::diagnostic::Diagnostic;
use crate::base::results::proofs::{
    Acceptance, Asked, Certificate, Declared, Engine, Letter, Proof, Said, Simplification, Status,
    Tally,
};
use std::fmt::Write;

/// How much to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Only what is not as declared.
    Quiet,
    /// A line for each statement; why, for those that are not as declared.
    Normal,
    /// Why, for all.
    Verbose,
}

impl Proof {
    /// Whether the statement has the status that its file declares.
    pub fn is_as_declared(&self) -> bool {
        match self.declared {
            Declared::Proved => self.status == Status::Proved,
            Declared::Refuted => self.status == Status::Refuted,
            Declared::Open => self.status != Status::Proved,
        }
    }

    /// Whether the kernel did not accept the proof.
    pub fn is_rejected(&self) -> bool {
        self.engine == Engine::Rejected
    }

    /// The answer as text; `name` may be padded.
    pub fn render(&self, detail: Detail, width: usize) -> String {
        let expected = self.is_as_declared() && !self.is_rejected();
        if expected && detail == Detail::Quiet && self.unneeded_hints.is_empty() {
            return String::new();
        }
        let engine = self.engine.name();
        let told = self.status == Status::Proved && self.why.len() == 1;
        let reason = match self.why.as_slice() {
            _ if self.engine == Engine::None => String::new(),
            [only] if told => format!("{engine}: {only}, "),
            _ => format!("{engine}, "),
        };
        let mark = match self.declared {
            _ if expected => String::new(),
            declared => format!("  <- declared {}", declared.name()),
        };
        let mut out = format!(
            "{:<8} {:<width$}  ({}{:.3} s){mark}\n",
            self.status.name(),
            printable(&self.name),
            printable(&reason),
            self.time
        );
        if (!expected && !told) || detail == Detail::Verbose {
            for line in &self.why {
                let _ = writeln!(out, "         {}", printable(line));
            }
        }
        for (n, suggestion) in self.suggestions.iter().flatten().enumerate() {
            let as_what = if suggestion.premise {
                "premise"
            } else {
                "lemma"
            };
            let or = if n == 0 { "it is proved with" } else { "or" };
            let _ = writeln!(
                out,
                "         {or} the {as_what} {}",
                printable(&suggestion.statement)
            );
        }
        if self.suggestions.as_ref().is_some_and(Vec::is_empty) {
            out += "         no small lemma or premise is known with which it is proved\n";
        }
        if !self.unneeded_hints.is_empty() {
            let hints: Vec<String> = self
                .unneeded_hints
                .iter()
                .map(|h| printable(h).to_string())
                .collect();
            let _ = writeln!(out, "         not needed: {}", hints.join(", "));
        }
        out
    }
}

impl Tally {
    /// Counts an answer.
    pub fn add(&mut self, proof: &Proof) {
        match proof.status {
            Status::Proved => self.proved += 1,
            Status::Refuted => self.refuted += 1,
            Status::Unknown => self.unknown += 1,
        }
        self.as_declared += usize::from(proof.is_as_declared());
        let wrong = proof.status == Status::Refuted && proof.declared == Declared::Proved;
        self.wrong += usize::from(wrong);
        self.rejected += usize::from(proof.is_rejected());
    }

    /// All statements.
    pub fn total(&self) -> usize {
        self.proved + self.refuted + self.unknown
    }

    /// The last line.
    pub fn render(&self) -> String {
        let others = match self.total() - self.as_declared {
            0 => String::new(),
            n => format!(", {n} not"),
        };
        format!(
            "{} proved, {} refuted, {} unknown; {} as declared{others}\n",
            self.proved, self.refuted, self.unknown, self.as_declared
        )
    }
}

/// `2 errors`
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    diagnostics::summary(diagnostics)
}

impl Simplification {
    /// The answer as text.
    pub fn render(&self) -> String {
        let term = printable(&self.term);
        let why = self.why.join(", ");
        match (&self.result, self.result_symbols) {
            (Some(result), Some(symbols)) => format!(
                "{term} = {}\n         {symbols} of {}, proved by {}: {}\n",
                printable(result),
                counted(self.symbols, "symbol"),
                self.engine.name(),
                printable(&why)
            ),
            _ if why.is_empty() => format!("{term}\n         nothing smaller was found\n"),
            _ => format!(
                "{term}\n         nothing smaller was found: {}\n",
                printable(&why)
            ),
        }
    }
}

/// Longer texts than this are cut where they are shown, and that is said.
const SHOWN: usize = 4000;

/// A text as it is shown, of a very long one the beginning.
fn shown(text: &str) -> String {
    let text = printable(text);
    match text.char_indices().nth(SHOWN) {
        None => text.to_string(),
        Some((at, _)) => {
            let more = text[at..].chars().count();
            format!("{} .. (cut: {more} more characters)", &text[..at])
        }
    }
}

impl Certificate {
    /// Whether it is accepted and proves all that was asked for.
    pub fn proves_all(&self) -> bool {
        let proves = |a: &Asked| a.status == Said::Proved;
        self.status == Acceptance::Accepted && self.asked.iter().all(proves)
    }

    /// The answer as text; quietly only its first line, and what was asked for and is not proved.
    pub fn render(&self, quiet: bool) -> String {
        if self.status != Acceptance::Accepted {
            return super::text::headline(&self.file, self.status.name(), &self.reason);
        }
        let under = match self.hypotheses.len() {
            0 => "no hypotheses".to_string(),
            1 => "1 hypothesis".to_string(),
            n => format!("{n} hypotheses"),
        };
        let proved = counted(self.theorems.len(), "theorem");
        let reason = format!("{proved}, under {under}");
        let mut out = super::text::headline(&self.file, self.status.name(), &reason);
        if !quiet {
            self.contents(&mut out);
        }
        for a in &self.asked {
            let place = format!("{}, {}:{}", printable(&a.name), printable(&a.file), a.line);
            let _ = match a.status {
                Said::Proved if quiet => Ok(()),
                Said::Proved => writeln!(out, "  stated   {place}: proved"),
                Said::Differs => writeln!(out, "  stated   {place}: differs, {}", a.why),
                Said::Missing => writeln!(out, "  stated   {place}: missing"),
            };
        }
        out
    }

    fn contents(&self, out: &mut String) {
        for sort in ["action", "test"] {
            let all: Vec<String> = self
                .letters
                .iter()
                .filter(|l| l.sort == sort)
                .map(Letter::declared)
                .collect();
            if !all.is_empty() {
                let _ = writeln!(out, "  {sort:<8} {}", shown(&all.join(", ")));
            }
        }
        for h in &self.hypotheses {
            let _ = writeln!(
                out,
                "  assumed  {}: {}",
                shown(&h.name),
                shown(&h.statement)
            );
        }
        for t in &self.theorems {
            let _ = writeln!(
                out,
                "  proved   {}: {}",
                shown(&t.name),
                shown(&t.statement)
            );
            for premise in &t.premises {
                let _ = writeln!(out, "             if {}", shown(premise));
            }
            match t.rests_on.as_slice() {
                [] if self.hypotheses.is_empty() => {}
                [] => out.push_str("             (from no hypothesis)\n"),
                some => {
                    let _ = writeln!(out, "             (from {})", shown(&some.join(", ")));
                }
            }
        }
    }
}

impl Letter {
    /// `u[i, j]`
    fn declared(&self) -> String {
        let indices = ["i", "j", "k", "l", "m"];
        match self.arity {
            0 => self.name.clone(),
            n if n <= indices.len() => format!("{}[{}]", self.name, indices[..n].join(", ")),
            n => format!("{}[{n} indices]", self.name),
        }
    }
}
