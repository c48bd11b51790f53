//! What an editor asks about a document.

use super::document::{Document, has_errors};
use super::text::Encoding;
use coarsen::base::control::ParseLimits;
use coarsen::base::diagnostic::{Severity, Span};
use coarsen::model::text::names::{Declared, Kind};
use coarsen::model::text::{format_model, is_name, words};
use coarsen::report::text::{Detail, render};
use coarsen::results::{Claim, MoverStatement, Property, Status};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeLens, Command, CompletionItem,
    CompletionItemKind, DiagnosticSeverity, DocumentSymbol, Hover, HoverContents, MarkupContent,
    MarkupKind, NumberOrString, Position, Range, SymbolKind, TextEdit, Uri, WorkspaceEdit,
};
use serde_json::json;

/// The command that shows a report: its arguments are a title and a text.
pub const SHOW: &str = "coarsen.show";

/// What is wrong with a model, and what a check refuted.
pub fn diagnostics(document: &Document) -> Vec<lsp_types::Diagnostic> {
    let found = document.diagnostics.iter().map(|d| {
        let expected = match d.expected.as_str() {
            "" => String::new(),
            expected => format!("\nexpected: {expected}"),
        };
        lsp_types::Diagnostic {
            range: document.text.range(d.span),
            severity: Some(match d.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
            }),
            code: Some(NumberOrString::String(d.code.to_string())),
            source: Some("coarsen".to_string()),
            message: format!("{}{expected}\nhelp: {}", d.message, d.help),
            ..lsp_types::Diagnostic::default()
        }
    });
    let report = document.facts.iter().map(|facts| &facts.report);
    let refuted = report
        .flat_map(|r| &r.properties)
        .filter(|p| p.verdict == Status::Refuted);
    let refuted = refuted.map(|p| lsp_types::Diagnostic {
        range: document.text.range(place(document, p).unwrap_or_default()),
        severity: Some(DiagnosticSeverity::WARNING),
        source: Some("coarsen check".to_string()),
        message: format!("{}: {}: {}", p.name, p.verdict.id(), p.reason),
        ..lsp_types::Diagnostic::default()
    });
    found.chain(refuted).collect()
}

/// Where a property is declared, if it has a name of the user's.
fn place(document: &Document, property: &Property) -> Option<Span> {
    let named =
        |d: &&Declared| matches!(d.kind, Kind::Property | Kind::Claim) && d.name == property.name;
    document.names.declared.iter().find(named).map(|d| d.span)
}

/// What is known of what stands at a position.
pub fn hover(document: &Document, position: Position) -> Option<Hover> {
    let offset = document.text.offset(position);
    let mut parts = Vec::new();
    let mut span = None;
    if let Some(used) = document.names.at(offset) {
        span = Some(used.span);
        parts.extend(
            used.of
                .iter()
                .map(|d| declared(document, &document.names.declared[*d])),
        );
    }
    if let Some(mover) = mover(document, offset) {
        parts.push(mover);
    }
    (!parts.is_empty()).then(|| Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value: parts.join("\n\n---\n\n"),
        }),
        range: span.map(|span| document.text.range(span)),
    })
}

/// A declaration as it stands in the text, and what a check found out about it.
fn declared(document: &Document, d: &Declared) -> String {
    let source = document.text.source();
    let text = source.get(d.whole.start..d.whole.end).unwrap_or_default();
    let line = document.text.position(d.span.start).line + 1;
    let mut told = format!(
        "```coarsen\n{}\n```\n{}, line {line}",
        shortened(text),
        kind(d.kind)
    );
    let Some(facts) = &document.facts else {
        return told;
    };
    let of = |p: &&Property| p.name == d.name;
    match d.kind {
        Kind::Property | Kind::Claim => {
            for p in facts.report.properties.iter().filter(of) {
                told += &format!("\n\n**{}**: {}", p.verdict.id(), p.reason);
            }
        }
        Kind::Variable => {
            for inferred in &facts.report.discipline {
                let cells = inferred.variable.split(", ");
                if cells.map(root).any(|name| name == d.name) {
                    told += &format!(
                        "\n\n{}: {} (inferred)",
                        inferred.variable, inferred.discipline
                    );
                }
            }
        }
        _ => {}
    }
    told
}

/// The variable of a cell.
fn root(cell: &str) -> &str {
    cell.split(['[', '.']).next().unwrap_or(cell)
}

/// At most so much of a text as fits a hover.
fn shortened(text: &str) -> String {
    const LINES: usize = 8;
    let mut lines: Vec<&str> = text.lines().take(LINES).collect();
    if text.lines().nth(LINES).is_some() {
        lines.push("..");
    }
    lines.join("\n")
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Constant => "constant",
        Kind::Enum => "enum",
        Kind::EnumValue => "value of an enum",
        Kind::Object => "synchronisation object",
        Kind::Variable => "shared variable",
        Kind::Record => "record",
        Kind::Field => "field",
        Kind::Pool => "pool",
        Kind::Procedure => "procedure",
        Kind::Parameter => "parameter",
        Kind::Thread => "thread",
        Kind::Bound => "bound name",
        Kind::Local => "local variable",
        Kind::Label => "label",
        Kind::Claim => "claim",
        Kind::Property => "property",
    }
}

/// What the statement at an offset is as a mover, and why it is no better one.
fn mover(document: &Document, offset: usize) -> Option<String> {
    let movers = document.facts.as_ref()?.movers.as_ref()?;
    let stmt = document.statement(offset)?;
    let here =
        |s: &&MoverStatement| document.text.reported(s.line, s.column) == Some(stmt.span.start);
    let told = movers.statements.iter().filter(here).map(|s| {
        let mut told = format!(
            "**{}-mover** in {}: {}",
            s.class.id(),
            s.threads.join(", "),
            s.why
        );
        for (side, missed) in [("right", &s.right), ("left", &s.left)] {
            if let Some(missed) = missed {
                told += &format!("\n\nnot {side}: {missed}");
            }
        }
        told
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join("\n\n"))
}

/// Where the names are declared that stand at a position.
pub fn definitions(document: &Document, position: Position) -> Vec<Range> {
    let used = document.names.at(document.text.offset(position));
    let of = used.into_iter().flat_map(|u| &u.of);
    of.map(|d| document.text.range(document.names.declared[*d].span))
        .collect()
}

/// Where the name at a position is used; `declarations` says whether these count.
pub fn references(document: &Document, position: Position, declarations: bool) -> Vec<Range> {
    let Some(used) = document.names.at(document.text.offset(position)) else {
        return Vec::new();
    };
    let is_declaration = |span: Span| document.names.declared.iter().any(|d| d.span == span);
    let all = document.names.together(used).into_iter().map(|u| u.span);
    all.filter(|span| declarations || !is_declaration(*span))
        .map(|span| document.text.range(span))
        .collect()
}

/// The name at a position that can be changed.
pub fn renamed(document: &Document, position: Position) -> Option<Range> {
    let used = document.names.at(document.text.offset(position))?;
    Some(document.text.range(used.span))
}

/// The edits that give what is named at a position another name.
///
/// # Errors
/// Why there are none: the model has errors, the name is none, or the model would not mean the same.
pub fn rename(
    document: &Document,
    position: Position,
    name: &str,
    encoding: Encoding,
) -> Result<Vec<TextEdit>, String> {
    let used = document.names.at(document.text.offset(position));
    let used = used.ok_or("there is no name here that is declared in this file")?;
    if !document.is_correct() {
        return Err("the model has errors: mend them first".to_string());
    }
    if !is_name(name) {
        return Err(format!("`{name}` is no name, or a reserved word"));
    }
    let spans: Vec<Span> = document
        .names
        .together(used)
        .iter()
        .map(|u| u.span)
        .collect();
    let mut source = document.text.source().to_string();
    for span in spans.iter().rev() {
        source.replace_range(span.start..span.end, name);
    }
    let after = document.with(source, encoding);
    // Each use has to mean the declaration that it meant before.
    let meanings =
        |d: &Document| -> Vec<Vec<usize>> { d.names.uses.iter().map(|u| u.of.clone()).collect() };
    if has_errors(&after.diagnostics) || meanings(document) != meanings(&after) {
        return Err(format!(
            "`{name}` means something else somewhere it would be used"
        ));
    }
    let edit = |span: &Span| TextEdit::new(document.text.range(*span), name.to_string());
    Ok(spans.iter().map(edit).collect())
}

/// The outline.
pub fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let inside = |owner: usize| {
        let all = document.names.declared.iter();
        let shown = all.filter(move |d| d.owner == Some(owner) && d.kind != Kind::Bound);
        shown.map(|d| symbol(document, d, None)).collect::<Vec<_>>()
    };
    let all = document.names.declared.iter().enumerate();
    let top = all.filter(|(_, d)| d.owner.is_none() && d.kind != Kind::Bound);
    top.map(|(id, d)| symbol(document, d, Some(inside(id)).filter(|i| !i.is_empty())))
        .collect()
}

#[expect(deprecated, reason = "a field that the protocol still has")]
fn symbol(
    document: &Document,
    d: &Declared,
    children: Option<Vec<DocumentSymbol>>,
) -> DocumentSymbol {
    // The protocol wants what is around the name and all that is inside.
    let inside = children
        .iter()
        .flatten()
        .map(|c| document.text.span(c.range));
    let whole = inside.fold(d.whole, Span::to);
    DocumentSymbol {
        name: d.name.clone(),
        detail: Some(kind(d.kind).to_string()),
        kind: match d.kind {
            Kind::Constant => SymbolKind::CONSTANT,
            Kind::Enum => SymbolKind::ENUM,
            Kind::EnumValue => SymbolKind::ENUM_MEMBER,
            Kind::Object => SymbolKind::OBJECT,
            Kind::Record => SymbolKind::STRUCT,
            Kind::Field => SymbolKind::FIELD,
            Kind::Pool => SymbolKind::ARRAY,
            Kind::Procedure => SymbolKind::FUNCTION,
            Kind::Thread => SymbolKind::CLASS,
            Kind::Label => SymbolKind::KEY,
            Kind::Claim => SymbolKind::EVENT,
            Kind::Property => SymbolKind::BOOLEAN,
            Kind::Variable | Kind::Parameter | Kind::Bound | Kind::Local => SymbolKind::VARIABLE,
        },
        tags: None,
        deprecated: None,
        range: document.text.range(whole),
        selection_range: document.text.range(d.span),
        children,
    }
}

/// What a check answers, at the claims and properties, and of the whole at the beginning. `shows` says whether the
/// editor can show the report.
pub fn lenses(document: &Document, shows: bool) -> Vec<CodeLens> {
    let Some(facts) = &document.facts else {
        return Vec::new();
    };
    let report = &facts.report;
    let lens = |span: Span, title: String| CodeLens {
        range: document.text.range(span),
        command: Some(Command {
            title,
            command: if shows { SHOW } else { "" }.to_string(),
            arguments: shows.then(|| {
                let text = render(report, Detail::Normal);
                vec![json!(report.model), json!(text)]
            }),
        }),
        data: None,
    };
    let whole = format!("coarsen: {}: {}", report.verdict.id(), report.reason);
    let own = report.properties.iter().filter_map(|p| {
        let claim = report.claims.iter().find(|c| c.name == p.name);
        let what = claim.map_or_else(|| p.verdict.id().to_string(), |c| atomic(c, p));
        Some(lens(place(document, p)?, what))
    });
    std::iter::once(lens(Span::default(), whole))
        .chain(own)
        .collect()
}

/// `atomic: holds by lipton`
fn atomic(claim: &Claim, property: &Property) -> String {
    let by = match (claim.verdict, &claim.theorem) {
        (Status::Holds, Some(theorem)) => format!(" by {theorem}"),
        (Status::Holds, None) => String::new(),
        _ => format!(": {}", property.reason),
    };
    format!("atomic: {}{by}", claim.verdict.id())
}

/// What mends what is wrong in a range, where that is known.
pub fn actions(document: &Document, uri: &Uri, range: Range) -> Vec<CodeActionOrCommand> {
    let asked = document.text.span(range);
    let near = |span: Span| span.start <= asked.end && asked.start <= span.end;
    let found = document.diagnostics.iter().filter(|d| near(d.span));
    let fixes = found.filter_map(|d| {
        let fix = d.fix.as_ref()?;
        let edit = TextEdit::new(document.text.range(d.span), fix.text.clone());
        Some(CodeActionOrCommand::CodeAction(CodeAction {
            title: d.help.clone(),
            kind: Some(CodeActionKind::QUICKFIX),
            edit: Some(WorkspaceEdit::new([(uri.clone(), vec![edit])].into())),
            is_preferred: Some(true),
            ..CodeAction::default()
        }))
    });
    fixes.collect()
}

/// The edit that puts the text into the usual layout: none if it has it, or can't be parsed.
pub fn formatted(document: &Document, limits: ParseLimits) -> Vec<TextEdit> {
    let source = document.text.source();
    match format_model(source, limits) {
        Ok(text) if text != source => {
            let all = document.text.range(Span::new(0, source.len()));
            vec![TextEdit::new(all, text)]
        }
        _ => Vec::new(),
    }
}

/// What may be written at a position: behind a dot fields and states of objects, else names and words.
pub fn completions(document: &Document, position: Position) -> Vec<CompletionItem> {
    let before = &document.text.source()[..document.text.offset(position)];
    let before = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let behind_dot = before.ends_with('.') && !before.ends_with("..");
    let fits = |d: &&Declared| (d.kind == Kind::Field) == behind_dot || d.kind == Kind::Local;
    let named = document
        .names
        .declared
        .iter()
        .filter(fits)
        .map(|d| CompletionItem {
            label: d.name.clone(),
            detail: Some(kind(d.kind).to_string()),
            kind: Some(match d.kind {
                Kind::Constant | Kind::EnumValue => CompletionItemKind::CONSTANT,
                Kind::Field => CompletionItemKind::FIELD,
                Kind::Procedure => CompletionItemKind::FUNCTION,
                Kind::Thread => CompletionItemKind::CLASS,
                _ => CompletionItemKind::VARIABLE,
            }),
            ..CompletionItem::default()
        });
    let words = words()
        .into_iter()
        .filter(|_| !behind_dot)
        .map(|word| CompletionItem {
            label: word.to_string(),
            kind: Some(CompletionItemKind::KEYWORD),
            ..CompletionItem::default()
        });
    let mut all: Vec<CompletionItem> = named.chain(words).collect();
    all.sort_by(|a, b| a.label.cmp(&b.label));
    all.dedup_by(|a, b| a.label == b.label);
    all
}
