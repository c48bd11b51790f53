//! Changes of a model's text.

use super::each_block;
use crate::base::diagnostic::Span;
use crate::model::text::ast::{
    Claimed, Decl, Discipline, Expect, ExpectKind, Field, Model, StmtKind, VarDecl,
};
use crate::model::text::names::{Kind, Names};
use std::collections::BTreeSet;

/// Parts of a text with what is to stand there instead; they do not overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct Edits(Vec<(Span, String)>);

impl Edits {
    pub fn replace(&mut self, span: Span, by: impl Into<String>) {
        self.0.push((span, by.into()));
    }

    /// Removes something, with its line if nothing else stands there.
    pub fn remove(&mut self, text: &str, span: Span) {
        let start = text[..span.start].rfind('\n').map_or(0, |n| n + 1);
        let end = text[span.end..]
            .find('\n')
            .map_or(text.len(), |n| span.end + n + 1);
        let alone =
            text[start..span.start].trim().is_empty() && text[span.end..end].trim().is_empty();
        self.replace(if alone { Span::new(start, end) } else { span }, "");
    }

    /// Takes `expect` lines away.
    pub fn forget(&mut self, text: &str, tree: &Model, which: &dyn Fn(&Expect) -> bool) {
        for decl in &tree.decls {
            if let Decl::Expect(expect) = decl
                && which(expect)
            {
                self.remove(text, expect.span);
            }
        }
    }

    /// Something before a part and behind it.
    pub fn around(part: Span, before: &str, behind: &str) -> Self {
        let mut edits = Edits::default();
        edits.replace(Span::new(part.start, part.start), format!("{before} "));
        edits.replace(Span::new(part.end, part.end), format!(" {behind}"));
        edits
    }

    /// Takes the `protected` words of the variables away that a part of the text uses; all of them if it calls
    /// procedures. Blanks take their place, so that what stands before the part stays where it is.
    pub fn unprotect(&mut self, text: &str, tree: &Model, part: Span) {
        let names = Names::of(tree, text);
        let inside = names
            .uses
            .iter()
            .filter(|u| part.start <= u.span.start && u.span.end <= part.end);
        let used: BTreeSet<usize> = inside.flat_map(|u| u.of.iter().copied()).collect();
        let calls = used
            .iter()
            .any(|d| names.declared[*d].kind == Kind::Procedure);
        let mut remove = |var: &VarDecl| {
            let declared = names.declared.iter().position(|d| d.span == var.name.span);
            if let Some(Discipline::Protected { span, .. }) = &var.discipline
                && (calls || declared.is_some_and(|d| used.contains(&d)))
            {
                self.replace(*span, " ".repeat(span.end - span.start));
            }
        };
        for decl in &tree.decls {
            match decl {
                Decl::Var(var) => remove(var),
                Decl::Record(record) => record.fields.iter().for_each(|field| {
                    if let Field::Var(var) = field {
                        remove(var);
                    }
                }),
                _ => {}
            }
        }
    }

    pub fn applied(mut self, text: &str) -> String {
        // What is put at one place stays in its order.
        self.0.sort_by_key(|(span, _)| *span);
        let mut text = text.to_string();
        for (span, by) in self.0.iter().rev() {
            text.replace_range(span.start..span.end, by);
        }
        text
    }
}

/// Lines as comments.
pub(super) fn comment(lines: &[String]) -> String {
    lines.iter().map(|line| format!("// {line}\n")).collect()
}

/// The names of all claims, in the order of the text.
pub(super) fn claims(tree: &Model) -> Vec<String> {
    let mut found = Vec::new();
    each_block(tree, &mut |block, atomic| {
        for stmt in &block.stmts {
            if let StmtKind::Transaction(claimed, _) = &stmt.kind
                && !atomic
            {
                found.push((claimed.name.span, claimed.name.text.clone()));
            }
        }
    });
    found.sort();
    found.into_iter().map(|(_, name)| name).collect()
}

/// The claim of a name: from its first word to its brace, what it says, and the block.
fn claim(tree: &Model, name: &str) -> Option<(Span, Claimed, Span)> {
    let mut found = None;
    each_block(tree, &mut |block, _| {
        for stmt in &block.stmts {
            if let StmtKind::Transaction(claimed, block) = &stmt.kind
                && claimed.name.text == name
            {
                let header = Span::new(stmt.span.start, block.span.start + 1);
                found = Some((header, claimed.clone(), block.span));
            }
        }
    });
    found
}

/// The text with a claimed block atomic, and without what is expected of the claim.
pub(super) fn atomic(text: &str, tree: &Model, name: &str, told: &[String]) -> Option<String> {
    let (header, claimed, block) = claim(tree, name)?;
    let mut edits = Edits::default();
    edits.replace(header, format!("atomic {{\n{}", comment(told)));
    edits.unprotect(text, tree, block);
    edits.forget(text, tree, &|e| match &e.kind {
        ExpectKind::Property { property, .. } => property.text == name,
        _ => false,
    });
    claimed
        .said
        .iter()
        .for_each(|said| edits.replace(*said, ""));
    Some(edits.applied(text))
}

/// The text with a comment in a claimed block.
pub(super) fn noted(text: &str, tree: &Model, name: &str, told: &[String]) -> String {
    let mut edits = Edits::default();
    if let Some((header, ..)) = claim(tree, name) {
        let behind = Span::new(header.end, header.end);
        let told = comment(told);
        let told = match text[header.end..].trim_start_matches(' ').starts_with('\n') {
            true => told.trim_end(),
            false => &told,
        };
        edits.replace(behind, format!("\n{told}"));
    }
    edits.applied(text)
}

/// The statements of a claimed block, from the first to the last.
pub(super) fn statements(tree: &Model, name: &str) -> Option<Span> {
    let mut found = None;
    each_block(tree, &mut |block, _| {
        for stmt in &block.stmts {
            if let StmtKind::Transaction(claimed, inner) = &stmt.kind
                && claimed.name.text == name
                && let (Some(first), Some(last)) = (inner.stmts.first(), inner.stmts.last())
            {
                found = Some(first.span.to(last.span));
            }
        }
    });
    found
}

/// The statements of a run, if they stand one behind the other in one block, and in no atomic one.
pub(super) fn run_inside(tree: &Model, run: Span) -> Option<Vec<Span>> {
    let mut found = None;
    each_block(tree, &mut |block, atomic| {
        let inside = |s: &Span| run.start <= s.start && s.end <= run.end;
        let spans = block.stmts.iter().map(|s| s.span).filter(inside);
        let spans: Vec<Span> = spans.collect();
        let whole = spans.first().is_some_and(|s| s.start == run.start)
            && spans.last().is_some_and(|s| s.end == run.end);
        if whole && !atomic {
            found = Some(spans);
        }
    });
    found
}
