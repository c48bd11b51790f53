//! What became of statements that were to be proved, and of certificates: as data, text and JSON.

use super::json::{Placed, placed};
use super::layout::{counted, printable};
use super::{SCHEMA_VERSION, diagnostics};
use crate::algebra::prove::Status;
use crate::algebra::refute::Model;
use crate::algebra::show;
use crate::algebra::suite::Suite;
use crate::kernel::{Development, Statement};
use crate::syntax::diagnostic::Diagnostic;
use serde::Serialize;
use std::fmt::Write;

/// The answer for one statement.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The statement's name.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The status that the file declares: `proved`, `refuted`, or `open` for anything but proved.
    pub declared: &'static str,
    /// `proved`, `refuted` or `unknown`.
    pub status: &'static str,
    /// Which engine gave the answer; `rejected` if the kernel did not accept a proof.
    pub engine: String,
    /// Seconds.
    pub time: f64,
    /// Why, in lines.
    pub why: Vec<String>,
    /// The level of the axioms that the proof uses; of a statement that is not proved, the level declared, or that of its symbols.
    pub level: &'static str,
    /// Hints without which it is proved as well, with `--ablate`.
    pub unneeded_hints: Vec<String>,
    /// Where it is false, if it is refuted.
    pub model: Option<Counterexample>,
}

/// Relations in which a statement is false; states and processes count from 1.
#[derive(Clone, Debug, Serialize)]
pub struct Counterexample {
    /// How many states.
    pub states: usize,
    /// How many processes; 0 if the statement does not speak of them.
    pub processes: usize,
    /// The value of each atom.
    pub atoms: Vec<Relation>,
    /// The processes that the statement's index variables stand for.
    pub variables: Vec<Assigned>,
    /// Which of the inclusions of the statement fails, from 1; an equation is two.
    pub part: usize,
    /// A pair of states in its left side and not in its right one.
    pub pair: (usize, usize),
    /// Whether all relations on fewer states have been searched, and there is no model.
    pub smallest: bool,
}

/// The value of an atom.
#[derive(Clone, Debug, Serialize)]
pub struct Relation {
    /// Its name, with processes.
    pub name: String,
    /// The pairs of states that it relates; those of a test are on the diagonal.
    pub pairs: Vec<(usize, usize)>,
}

/// The process of an index variable.
#[derive(Clone, Debug, Serialize)]
pub struct Assigned {
    /// The variable.
    pub name: String,
    /// The process.
    pub process: usize,
}

impl Counterexample {
    /// A model in the terms of a development.
    pub fn of(model: &Model, d: &Development) -> Self {
        let up = |(s, t): &(usize, usize)| (s + 1, t + 1);
        let atoms = model.atoms.iter().map(|a| Relation {
            name: a.name(&d.terms),
            pairs: a.pairs.iter().map(up).collect(),
        });
        let variables = model.variables.iter().map(|(v, p)| Assigned {
            name: show::variable(d, *v),
            process: p + 1,
        });
        Counterexample {
            states: model.states,
            processes: model.processes,
            atoms: atoms.collect(),
            variables: variables.collect(),
            part: model.part + 1,
            pair: up(&model.pair),
            smallest: model.smallest,
        }
    }
}

/// A file that could not be read.
#[derive(Debug, Serialize)]
struct Fault<'a> {
    schema_version: u32,
    file: &'a str,
    status: &'static str,
    reason: &'a str,
    diagnostics: Vec<Placed<'a>>,
}

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

/// How many statements came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Proved.
    pub proved: usize,
    /// Refuted.
    pub refuted: usize,
    /// Neither.
    pub unknown: usize,
    /// Those with the status that their file declares.
    pub as_declared: usize,
    /// Declared proved, but refuted.
    pub wrong: usize,
    /// Proofs that the kernel did not accept.
    pub rejected: usize,
}

impl Proof {
    /// Whether the statement has the status that its file declares.
    pub fn is_as_declared(&self) -> bool {
        match self.declared {
            "open" => self.status != "proved",
            declared => declared == self.status,
        }
    }

    /// Whether the kernel did not accept the proof.
    pub fn is_rejected(&self) -> bool {
        self.engine == "rejected"
    }

    /// The answer as text; `name` may be padded.
    pub fn render(&self, detail: Detail, width: usize) -> String {
        let expected = self.is_as_declared() && !self.is_rejected();
        if expected && detail == Detail::Quiet && self.unneeded_hints.is_empty() {
            return String::new();
        }
        let reason = match (self.engine.as_str(), self.why.as_slice()) {
            ("", _) => String::new(),
            (engine, [only]) if self.status == "proved" => format!("{engine}: {only}, "),
            (engine, _) => format!("{engine}, "),
        };
        let mark = match self.declared {
            _ if expected => String::new(),
            "open" => "  <- declared open".to_string(),
            declared => format!("  <- declared {declared}"),
        };
        let mut out = format!(
            "{:<8} {:<width$}  ({}{:.3} s){mark}\n",
            self.status,
            printable(&self.name),
            printable(&reason),
            self.time
        );
        let told = self.status == "proved" && self.why.len() == 1;
        if (!expected && !told) || detail == Detail::Verbose {
            for line in &self.why {
                let _ = writeln!(out, "         {}", printable(line));
            }
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

impl From<Status> for &'static str {
    fn from(status: Status) -> Self {
        match status {
            Status::Proved => "proved",
            Status::Refuted => "refuted",
            Status::Unknown => "unknown",
        }
    }
}

impl Tally {
    /// Counts an answer.
    pub fn add(&mut self, proof: &Proof) {
        match proof.status {
            "proved" => self.proved += 1,
            "refuted" => self.refuted += 1,
            _ => self.unknown += 1,
        }
        self.as_declared += usize::from(proof.is_as_declared());
        self.wrong += usize::from(proof.status == "refuted" && proof.declared == "proved");
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

/// The object of a file that could not be read.
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
        reason,
        diagnostics: placed(source, diagnostics),
    })
}

/// `2 errors`
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    diagnostics::summary(diagnostics)
}

/// A smaller term that equals a given one, or the news that none was found.
#[derive(Clone, Debug, Serialize)]
pub struct Simplification {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The term as written.
    pub term: String,
    /// Its symbols; products have none.
    pub symbols: usize,
    /// The smaller term.
    pub result: Option<String>,
    /// Its symbols.
    pub result_symbols: Option<usize>,
    /// Which engine proved that they are equal; empty if there is no smaller term.
    pub engine: String,
    /// The rules that the proof uses; without a smaller term, the limit that was hit.
    pub why: Vec<String>,
    /// Seconds.
    pub time: f64,
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
                self.engine,
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

/// What is to be said of a certificate of the algebra.
#[derive(Clone, Debug, Serialize)]
pub struct Certificate {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The file.
    pub file: String,
    /// `accepted`, `rejected`, or `unknown` if a limit was hit.
    pub status: &'static str,
    /// Where it is wrong and why; empty if it is accepted.
    pub reason: String,
    /// The letters that it speaks of.
    pub letters: Vec<Letter>,
    /// What is assumed throughout.
    pub hypotheses: Vec<Stated>,
    /// What is proved.
    pub theorems: Vec<Stated>,
    /// What it says of the statements asked for.
    pub asked: Vec<Asked>,
}

/// A letter of a certificate.
#[derive(Clone, Debug, Serialize)]
pub struct Letter {
    /// Its name.
    pub name: String,
    /// `action` or `test`.
    pub sort: &'static str,
    /// How many process indices it takes.
    pub arity: usize,
}

/// A statement of a certificate.
#[derive(Clone, Debug, Serialize)]
pub struct Stated {
    /// Its name.
    pub name: String,
    /// What it assumes besides the hypotheses.
    pub premises: Vec<String>,
    /// What it says.
    pub statement: String,
    /// Whether its proof uses a hypothesis.
    pub conditional: bool,
    /// The hypotheses that its proof uses.
    pub rests_on: Vec<String>,
}

/// A statement of a file that is to be proved, and whether a certificate does.
#[derive(Clone, Debug, Serialize)]
pub struct Asked {
    /// Its name.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// `proved`, `differs` or `missing`.
    pub status: &'static str,
    /// In what the theorem of its name differs.
    pub why: String,
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
    /// What is to be said of a text, replayed in so many operations, and of the statements of these files.
    pub fn of(file: &str, text: &str, operations: u64, files: &[Suite]) -> Certificate {
        let mut certificate = Certificate {
            schema_version: SCHEMA_VERSION,
            file: file.to_string(),
            status: "rejected",
            reason: String::new(),
            letters: Vec::new(),
            hypotheses: Vec::new(),
            theorems: Vec::new(),
            asked: Vec::new(),
        };
        // What is printed is no longer than what is read, but for what terms share.
        let mut room = 16 * (text.len() + (1 << 20));
        let told = match crate::kernel::read_within(text, operations) {
            Ok(mut d) => certificate.tell(&mut d, files, &mut room),
            Err(rejected) => {
                certificate.reason = rejected.to_string();
                match rejected.limit {
                    true => Err(()),
                    false => return certificate,
                }
            }
        };
        certificate.status = match told {
            Ok(()) => "accepted",
            Err(()) => "unknown",
        };
        certificate
    }

    /// What a certificate says; that it is too long is an error.
    fn tell(&mut self, d: &mut Development, files: &[Suite], room: &mut usize) -> Result<(), ()> {
        self.letters = letters(d);
        for (name, statement) in d.hypotheses() {
            let stated = Stated {
                name: name.clone(),
                premises: Vec::new(),
                statement: self.whole(d, statement, room)?,
                conditional: true,
                rests_on: Vec::new(),
            };
            self.hypotheses.push(stated);
        }
        for (n, theorem) in d.theorems().enumerate() {
            let premises = theorem.premises.iter();
            let premises: Result<Vec<String>, ()> =
                premises.map(|p| self.whole(d, p, room)).collect();
            let used = d.rests_on(n).iter();
            let stated = Stated {
                name: theorem.name.clone(),
                premises: premises?,
                statement: self.whole(d, &theorem.statement, room)?,
                conditional: d.is_conditional(n),
                rests_on: used.map(|h| d.hypotheses()[*h].0.clone()).collect(),
            };
            let long: usize = stated.rests_on.iter().map(|n| 24 + n.len()).sum();
            *room = room.checked_sub(long).ok_or(()).inspect_err(|()| {
                self.reason = "too large to be told".into();
            })?;
            self.theorems.push(stated);
        }
        for suite in files {
            match crate::stated::compare(suite, d) {
                Ok(found) => self.asked.extend(found),
                Err(why) => {
                    self.reason = why.into();
                    return Err(());
                }
            }
        }
        Ok(())
    }

    fn whole(&mut self, d: &Development, s: &Statement, room: &mut usize) -> Result<String, ()> {
        show::whole(d, s, room).ok_or(()).inspect_err(|()| {
            self.reason = "its statements are too long to be told".into();
        })
    }

    /// Whether it is accepted and proves all that was asked for.
    pub fn proves_all(&self) -> bool {
        self.status == "accepted" && self.asked.iter().all(|a| a.status == "proved")
    }

    /// The answer as text; quietly only its first line, and what was asked for and is not proved.
    pub fn render(&self, quiet: bool) -> String {
        if self.status != "accepted" {
            return super::text::headline(&self.file, self.status, &self.reason);
        }
        let under = match self.hypotheses.len() {
            0 => "no hypotheses".to_string(),
            1 => "1 hypothesis".to_string(),
            n => format!("{n} hypotheses"),
        };
        let proved = counted(self.theorems.len(), "theorem");
        let reason = format!("{proved}, under {under}");
        let mut out = super::text::headline(&self.file, self.status, &reason);
        if !quiet {
            self.contents(&mut out);
        }
        for a in &self.asked {
            let place = format!("{}, {}:{}", printable(&a.name), printable(&a.file), a.line);
            let _ = match a.status {
                "proved" if quiet => Ok(()),
                "proved" => writeln!(out, "  stated   {place}: proved"),
                "differs" => writeln!(out, "  stated   {place}: differs, {}", a.why),
                _ => writeln!(out, "  stated   {place}: missing"),
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

fn letters(d: &Development) -> Vec<Letter> {
    let all = d.terms.symbols().iter();
    all.map(|s| Letter {
        name: s.name.clone(),
        sort: if s.test { "test" } else { "action" },
        arity: s.arity,
    })
    .collect()
}

/// The object of a statement or certificate.
///
/// # Errors
/// If a number can't be written as JSON.
pub fn json(answer: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(answer)
}
