//! A model in an editor: its text, what is wrong with it, its names, and what a check found out about it.

use super::text::{Encoding, Text};
use coarsen::Session;
use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::{Diagnostic, Severity};
use coarsen::model::dve;
use coarsen::model::text::ast::{Block, Decl, Model, Stmt};
use coarsen::model::text::names::Names;
use coarsen::model::text::parse_model;
use coarsen::results::{MoversReport, Report};

/// What a check of a model found out.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Its answers.
    pub report: Report,
    /// What its statements are as movers, if that is known.
    pub movers: Option<MoversReport>,
}

/// A model in an editor.
pub struct Document {
    pub name: String,
    pub version: i32,
    pub text: Text,
    pub tree: Model,
    pub names: Names,
    pub diagnostics: Vec<Diagnostic>,
    /// Of the text as it is; a change of the text takes them away.
    pub facts: Option<Facts>,
    limits: ParseLimits,
}

impl Document {
    pub fn new(name: String, version: i32, text: Text, limits: ParseLimits) -> Self {
        let mut document = Document {
            name,
            version,
            text,
            tree: Model::default(),
            names: Names::default(),
            diagnostics: Vec::new(),
            facts: None,
            limits,
        };
        document.read();
        document
    }

    /// Reads the text again, after a change.
    pub fn read(&mut self) {
        let source = self.text.source();
        // A model in DVE is checked, but has no names of ours.
        self.tree = match dve::is_dve(&self.name) {
            true => Model::default(),
            false => parse_model(source, self.limits).0,
        };
        self.names = Names::of(&self.tree, source);
        self.diagnostics = findings(&self.name, source, self.limits);
        self.facts = None;
    }

    /// Whether it means something.
    pub fn is_correct(&self) -> bool {
        !has_errors(&self.diagnostics)
    }

    /// A document with another text, to see what that would mean.
    pub fn with(&self, source: String, encoding: Encoding) -> Document {
        let text = Text::new(source, encoding);
        Document::new(self.name.clone(), self.version, text, self.limits)
    }

    /// The innermost statement around an offset.
    pub fn statement(&self, offset: usize) -> Option<&Stmt> {
        let bodies = self.tree.decls.iter().filter_map(|decl| match decl {
            Decl::Thread(thread) => Some(&thread.body),
            Decl::Proc(procedure) => Some(&procedure.body),
            _ => None,
        });
        let mut found = None;
        bodies.for_each(|body| innermost(body, offset, &mut found));
        found
    }
}

fn innermost<'t>(block: &'t Block, offset: usize, found: &mut Option<&'t Stmt>) {
    for stmt in &block.stmts {
        if offset < stmt.span.start || offset >= stmt.span.end {
            continue;
        }
        *found = Some(stmt);
        let blocks = stmt.kind.blocks();
        blocks
            .into_iter()
            .for_each(|block| innermost(block, offset, found));
    }
}

/// All that is wrong with a model.
pub fn findings(name: &str, source: &str, limits: ParseLimits) -> Vec<Diagnostic> {
    match Session::load(name, source, &[], limits) {
        Ok((_, warnings)) => warnings,
        Err(errors) => errors,
    }
}

pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}
