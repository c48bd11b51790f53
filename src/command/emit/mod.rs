//! The reduced model handed back: the text of a model with the blocks atomic that may be, and with locals put back to
//! their initial values where they die.
//!
//! Blocks are made atomic one after the other, and each is judged in the text with those before it atomic: two claims
//! that hold each for itself need not hold together. What a claim says (docs/language.md) is that all that goes wrong
//! still does, and that all states without a thread inside are still reached; `reach` properties may be about other
//! states, so each text is checked again, and its answers have to be those of the original.
//!
//! A step that takes a lock and uses what that protects does so without it in the beginning. So the variables of a
//! block lose their `protected` words with it, and blocks are made atomic only if the discipline is known to hold.

mod edits;
pub mod promela;
mod put_back;

use crate::algebra::Theory;
use crate::base::control::{Control, ParseLimits, Stop};
use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::evidence::Bundle;
use crate::base::results::{Claim, PropertyKind, PropertyReason, Report, Status};
use crate::command::session::{Session, candidates};
use crate::model::dve;
use crate::model::text::ast::{Block, Decl, Expect, ExpectKind, Model, StmtKind};
use crate::model::text::{format_model, parse_model};
use crate::theorem::{CheckOptions, Reduce};
use edits::{Edits, claims, run_inside};

/// What is to be said of a part of the text.
pub enum Remark<'r> {
    /// A claimed block that was made atomic.
    Claimed(&'r Shown<'r>),
    /// A block that nobody had claimed.
    Found(&'r Shown<'r>),
    /// A claimed block that stays as it is.
    Left(&'r str, &'r Obstacle),
}

/// A block that may be atomic, with what shows it.
pub struct Shown<'r> {
    /// The claim, as it is called in the text that was judged.
    pub claim: &'r Claim,
    /// The answer.
    pub reason: &'r PropertyReason,
    /// Evidence about the text that was judged, if there is some.
    pub bundle: Option<&'r Bundle>,
}

/// Why a block is not made atomic.
pub enum Obstacle {
    /// It is not known that it may be.
    Open(Status, PropertyReason),
    /// A thread can get stuck inside.
    Blocks,
    /// The language can't say it.
    Unsayable(Diagnostic),
    /// The discipline is not known to hold, and could not be asked for any more.
    Discipline,
    /// The answer about this property would be another one.
    Changes(String),
}

/// A model with blocks made atomic.
pub struct Emitted {
    /// Its text.
    pub text: String,
    /// Blocks made atomic.
    pub atomic: usize,
    /// Claimed blocks that stay as they are.
    pub left: usize,
    /// Statements behind which locals are put back.
    pub put_back: usize,
    /// The limit that ended the search for more.
    pub stopped: Option<Stop>,
}

/// What a model is, and how it may be told.
pub struct Asked<'a> {
    /// Its file's name.
    pub name: &'a str,
    /// Its text.
    pub source: &'a str,
    /// Constants that are to have other values.
    pub defines: &'a [(String, String)],
    /// Bounds on its nesting.
    pub limits: ParseLimits,
    /// The theorem that is tried first.
    pub theory: &'a Theory,
}

/// The name of a block that nobody has claimed, while it is judged.
const FOUND: &str = "this_block";

/// Makes blocks atomic, and puts locals back. `words` gives the lines of a comment.
///
/// # Errors
/// The diagnostics of a model with errors.
pub fn emit(
    asked: &Asked,
    control: &Control,
    words: &mut dyn FnMut(&Remark) -> Vec<String>,
) -> Result<Emitted, Vec<Diagnostic>> {
    let (session, _) = Session::load(asked.name, asked.source, asked.defines, asked.limits)?;
    let mut emitter = Emitter {
        asked,
        control,
        words,
        text: match dve::is_dve(asked.name) {
            true => session.printed(),
            false => asked.source.to_string(),
        },
        answers: Vec::new(),
        atomic: 0,
        left: 0,
    };
    emitter.settle_constants();
    emitter.forget_counts();
    let stopped = emitter.blocks().err();
    let put_back = match stopped {
        None => put_back::put_back(&mut emitter),
        Some(_) => 0,
    };
    Ok(Emitted {
        text: format_model(&emitter.text, asked.limits)?,
        atomic: emitter.atomic,
        left: emitter.left,
        put_back,
        stopped,
    })
}

struct Emitter<'a, 'w> {
    asked: &'a Asked<'a>,
    control: &'a Control,
    words: &'w mut dyn FnMut(&Remark) -> Vec<String>,
    /// The text so far.
    text: String,
    /// The original's answers to what is no claim.
    answers: Vec<(String, Status)>,
    atomic: usize,
    left: usize,
}

impl Emitter<'_, '_> {
    fn tree(&self) -> Model {
        parse_model(&self.text, self.asked.limits).0
    }

    fn load(&self, text: &str) -> Result<Session, Vec<Diagnostic>> {
        // A model in DVE has become one of ours.
        let loaded = Session::load("emitted.cor", text, &[], self.asked.limits);
        loaded.map(|(session, _)| session)
    }

    /// The values that the command line gives are written into the text.
    fn settle_constants(&mut self) {
        let mut edits = Edits::default();
        for decl in &self.tree().decls {
            let Decl::Const { name, value } = decl else {
                continue;
            };
            let given = self.asked.defines.iter().rev();
            if let Some((_, given)) = given.clone().find(|(n, _)| *n == name.text) {
                edits.replace(value.span, given.clone());
            }
        }
        self.text = edits.applied(&self.text);
    }

    /// Numbers of states will be others, and are not expected any more.
    fn forget_counts(&mut self) {
        let counts = |e: &Expect| matches!(e.kind, ExpectKind::Count { .. });
        let mut edits = Edits::default();
        edits.forget(&self.text, &self.tree(), &counts);
        self.text = edits.applied(&self.text);
    }

    fn check(&self, session: &Session, only: Option<&str>) -> Result<Report, Stop> {
        let options = CheckOptions {
            properties: only.map(str::to_string).into_iter().collect(),
            certificate: only.is_some(),
            others: candidates().split_off(1),
            reduce: Reduce::Auto,
            ..CheckOptions::default()
        };
        let report = session.check(self.asked.theory, &options, self.control);
        self.control.check()?;
        Ok(report)
    }

    /// The answers to what is no claim.
    fn answers(&self, session: &Session) -> Result<Vec<(String, Status)>, Stop> {
        let report = self.check(session, None)?;
        let properties = report.properties.iter();
        let properties = properties.filter(|p| p.kind != PropertyKind::Transaction);
        Ok(properties.map(|p| (p.name.clone(), p.verdict)).collect())
    }

    fn is_disciplined(&self) -> bool {
        let mut answers = self.answers.iter();
        answers.any(|(name, status)| name == "discipline" && *status == Status::Holds)
    }

    /// Makes atomic what may be: what is claimed first, then what the search for movers proposes.
    fn blocks(&mut self) -> Result<(), Stop> {
        let Ok(session) = self.load(&self.text) else {
            return Ok(());
        };
        self.answers = self.answers(&session)?;
        for name in claims(&self.tree()) {
            self.claimed(&name)?;
        }
        match self.is_disciplined() {
            true => self.proposed(),
            false => Ok(()),
        }
    }

    fn claimed(&mut self, name: &str) -> Result<(), Stop> {
        let Ok(session) = self.load(&self.text) else {
            return Ok(());
        };
        let report = self.check(&session, Some(name))?;
        let (Some(claim), Some(property)) = (
            report.claims.iter().find(|c| c.name == name),
            report.properties.iter().find(|p| p.name == name),
        ) else {
            return Ok(());
        };
        let tree = self.tree();
        let made = edits::atomic(&self.text, &tree, name, &[]);
        let obstacle = match made {
            _ if !self.is_disciplined() => Some(Obstacle::Discipline),
            _ if claim.verdict != Status::Holds => {
                Some(Obstacle::Open(claim.verdict, property.reason.clone()))
            }
            _ if claim.can_block.is_some() => Some(Obstacle::Blocks),
            Some(made) => self.obstacle(&made)?,
            None => return Ok(()),
        };
        match obstacle {
            Some(obstacle) => {
                let told = (self.words)(&Remark::Left(name, &obstacle));
                self.text = edits::noted(&self.text, &tree, name, &told);
                self.left += 1;
                // A part of it may do.
                if let (Obstacle::Unsayable(_), Some(span)) =
                    (obstacle, edits::statements(&self.tree(), name))
                {
                    self.run(span)?;
                }
            }
            None => {
                let shown = Shown {
                    claim,
                    reason: &property.reason,
                    bundle: report.bundle.as_deref(),
                };
                let told = (self.words)(&Remark::Claimed(&shown));
                if let Some(made) = edits::atomic(&self.text, &tree, name, &told) {
                    self.text = made;
                    self.atomic += 1;
                }
            }
        }
        Ok(())
    }

    /// What is in the way of a text with one block more atomic.
    fn obstacle(&self, made: &str) -> Result<Option<Obstacle>, Stop> {
        let session = match self.load(made) {
            Ok(session) => session,
            Err(errors) => return Ok(errors.into_iter().next().map(Obstacle::Unsayable)),
        };
        let answers = self.answers(&session)?;
        let mut both = self.answers.iter().zip(&answers);
        let other = both.find(|(before, after)| before != after);
        Ok(other.map(|((name, _), _)| Obstacle::Changes(name.clone())))
    }

    /// Runs of statements that are transactions by the most demanding theorem, or parts of them that the language can
    /// make atomic.
    fn proposed(&mut self) -> Result<(), Stop> {
        let Ok(session) = self.load(&self.text) else {
            return Ok(());
        };
        let found = session.movers(self.asked.theory, None, self.control);
        self.control.check()?;
        let best = found.transactions.last().map(|t| t.theorem.clone());
        let mut spans: Vec<Span> = found
            .transactions
            .iter()
            .filter(|t| Some(&t.theorem) == best.as_ref() && t.actions != "1")
            .map(|t| t.span)
            .collect();
        // From the end of the text to its beginning, so that places stay what they are.
        spans.sort_unstable();
        spans.dedup();
        for span in spans.into_iter().rev() {
            self.run(span)?;
        }
        Ok(())
    }

    /// Makes atomic the longest parts of a run of statements that can be.
    fn run(&mut self, span: Span) -> Result<(), Stop> {
        let tree = self.tree();
        let Some(statements) = run_inside(&tree, span) else {
            return Ok(());
        };
        let mut end = statements.len();
        while end > 1 {
            // The longest part that ends there, of two statements or more.
            let part = |start: &usize| statements[*start].to(statements[end - 1]);
            let starts = (0..end - 1).filter(|s| self.is_sayable(part(s)));
            let Some(start) = starts.min() else {
                end -= 1;
                continue;
            };
            end = match self.judged(part(&start))? {
                true => start,
                false => end - 1,
            };
        }
        Ok(())
    }

    /// The text with a part in an atomic block.
    fn around(&self, part: Span, open: &str) -> String {
        let mut edits = Edits::around(part, open, "}");
        edits.unprotect(&self.text, &self.tree(), part);
        edits.applied(&self.text)
    }

    /// Whether the language can make a part of the text atomic.
    fn is_sayable(&self, part: Span) -> bool {
        self.load(&self.around(part, "atomic {")).is_ok()
    }

    /// Makes a part of the text atomic if it may be.
    fn judged(&mut self, part: Span) -> Result<bool, Stop> {
        let open = format!("transaction {FOUND} {{");
        let claimed = Edits::around(part, &open, "}").applied(&self.text);
        let Ok(session) = self.load(&claimed) else {
            return Ok(false);
        };
        let report = self.check(&session, Some(FOUND))?;
        let (Some(claim), Some(property)) = (
            report.claims.iter().find(|c| c.name == FOUND),
            report.properties.iter().find(|p| p.name == FOUND),
        ) else {
            return Ok(false);
        };
        if claim.verdict != Status::Holds || claim.can_block.is_some() {
            return Ok(false);
        }
        let made = self.around(part, "atomic {");
        if self.obstacle(&made)?.is_some() {
            return Ok(false);
        }
        let shown = Shown {
            claim,
            reason: &property.reason,
            bundle: report.bundle.as_deref(),
        };
        let told = (self.words)(&Remark::Found(&shown));
        let open = format!("atomic {{\n{}", edits::comment(&told));
        self.text = self.around(part, &open);
        self.atomic += 1;
        Ok(true)
    }
}

/// All blocks of a model's threads and procedures, with whether they stand in an atomic one.
fn each_block(tree: &Model, visit: &mut dyn FnMut(&Block, bool)) {
    fn inside(block: &Block, atomic: bool, visit: &mut dyn FnMut(&Block, bool)) {
        visit(block, atomic);
        for stmt in &block.stmts {
            let within = atomic || matches!(stmt.kind, StmtKind::Atomic(_));
            for block in stmt.kind.blocks() {
                inside(block, within, visit);
            }
        }
    }
    for decl in &tree.decls {
        match decl {
            Decl::Thread(thread) => inside(&thread.body, false, visit),
            Decl::Proc(procedure) => inside(&procedure.body, false, visit),
            _ => {}
        }
    }
}
