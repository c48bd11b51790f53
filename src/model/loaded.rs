//! A model read: its tree, and the program that it means.

use super::dve;
use super::program::{Expr, Program, elaborate, split_claims};
use super::text::ast::{self, Decl, Name, PropertyKind};
use super::text::{no_condition, parse_condition, parse_model, print_model};
use crate::base::control::ParseLimits;
use crate::base::diagnostic::{Diagnostic, Severity, Span};
use std::time::Instant;

/// A model without errors.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub(crate) name: String,
    pub(crate) tree: ast::Model,
    pub(crate) defines: Vec<(String, String)>,
    pub(crate) limits: ParseLimits,
    pub(crate) program: Program,
    /// Seconds that reading it took.
    pub(crate) front_end: f64,
}

impl Loaded {
    /// What the model's text declares to protect what: `balance[k] by m[k]`.
    pub fn declared(&self) -> Vec<String> {
        let text = |span: Span| {
            let text = self.program.source.get(span.start..span.end);
            let words = text.unwrap_or_default().split_whitespace();
            words.collect::<Vec<_>>().join(" ")
        };
        let told = |owner: &str, var: &ast::VarDecl| match &var.discipline {
            Some(ast::Discipline::Protected { target, span, .. }) => {
                let text = text(*span);
                let rest = text.strip_prefix("protected ").unwrap_or(&text);
                Some(match target {
                    Some(_) => format!("{owner}{rest}"),
                    None => format!("{owner}{} {rest}", var.name.text),
                })
            }
            _ => None,
        };
        let mut all = Vec::new();
        for decl in &self.tree.decls {
            match decl {
                ast::Decl::Var(var) => all.extend(told("", var)),
                ast::Decl::Record(record) => {
                    let owner = format!("{}.", record.name.text);
                    all.extend(record.fields.iter().filter_map(|field| match field {
                        ast::Field::Var(var) => told(&owner, var),
                        ast::Field::Object(_) => None,
                    }));
                }
                _ => {}
            }
        }
        all
    }

    /// Reads a model. `defines` override constants, as `-D NAME=VALUE` does. Also returns warnings.
    ///
    /// # Errors
    /// All diagnostics, if one of them is an error.
    pub fn load(
        name: &str,
        source: &str,
        defines: &[(String, String)],
        limits: ParseLimits,
    ) -> Result<(Loaded, Vec<Diagnostic>), Vec<Diagnostic>> {
        let begun = Instant::now();
        if dve::is_dve(name) {
            return Self::foreign(name, source, defines, limits, begun);
        }
        let (tree, mut diagnostics) = parse_model(source, limits);
        if diagnostics.iter().any(|d| d.severity == Severity::Error) {
            if let Err(more) = elaborate(&tree, source, defines) {
                let unrelated = more
                    .into_iter()
                    .filter(|d| is_unrelated(source, d, &diagnostics));
                diagnostics.extend(unrelated.collect::<Vec<_>>());
            }
            return Err(diagnostics);
        }
        let (mut program, warnings) = elaborate(&tree, source, defines)?;
        split_claims(&mut program, &tree, defines);
        diagnostics.extend(warnings);
        let loaded = Loaded {
            name: name.to_string(),
            tree,
            defines: defines.to_vec(),
            limits,
            program,
            front_end: begun.elapsed().as_secs_f64(),
        };
        Ok((loaded, diagnostics))
    }

    /// Reads a model in DVE. What the elaboration warns of is about our form of it, and is not told.
    fn foreign(
        name: &str,
        source: &str,
        defines: &[(String, String)],
        limits: ParseLimits,
        begun: Instant,
    ) -> Result<(Loaded, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (tree, warnings) = dve::load(source, limits)?;
        let (mut program, _) = elaborate(&tree, source, defines)?;
        program.errors_end = true;
        let loaded = Loaded {
            name: name.to_string(),
            tree,
            defines: defines.to_vec(),
            limits,
            program,
            front_end: begun.elapsed().as_secs_f64(),
        };
        Ok((loaded, warnings))
    }

    /// The model as text of our language.
    pub fn printed(&self) -> String {
        print_model(&self.tree)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Names of all properties: `discipline`, `assertions`, `deadlock_free` if it is asked for, and the declared ones.
    pub fn property_names(&self) -> Vec<String> {
        let built_in = ["discipline", "assertions"].into_iter().map(String::from);
        let deadlock = self
            .program
            .deadlock_free
            .map(|_| "deadlock_free".to_string());
        built_in
            .chain(deadlock)
            .chain(self.program.properties.iter().map(|p| p.name.clone()))
            .chain(self.program.claims.iter().map(|c| c.name.clone()))
            .collect()
    }

    /// A state expression, elaborated as a property of the model would be.
    ///
    /// # Errors
    /// Diagnostics whose spans lie in `text`.
    pub fn state_expression(&self, text: &str) -> Result<Expr, Vec<Diagnostic>> {
        let expr = parse_condition(text, self.limits)?;
        let mut tree = self.tree.clone();
        let name = Name {
            text: "{state expression}".into(),
            span: Span::default(),
        };
        tree.decls.push(Decl::Property {
            kind: PropertyKind::Invariant,
            name,
            expr,
        });
        let (program, _) = elaborate(&tree, &self.program.source, &self.defines)?;
        let expr = program.properties.into_iter().next_back().map(|p| p.expr);
        expr.ok_or_else(|| vec![no_condition(text)])
    }
}

/// Whether an error of names or types is one of its own, and not a consequence of the syntax errors: it does not lie in
/// a statement that could not be read, and misses no name that stands in one.
fn is_unrelated(source: &str, error: &Diagnostic, syntax: &[Diagnostic]) -> bool {
    // What was left out or put in for something unreadable may look like these.
    if error.severity != Severity::Error || ["E0209", "E0210", "E0217"].contains(&error.code) {
        return false;
    }
    let ends = |c: char| matches!(c, ';' | '{' | '}' | '\n');
    let name = source
        .get(error.span.start..error.span.end)
        .unwrap_or_default();
    let misses_a_name = matches!(error.code, "E0201" | "E0212" | "E0214" | "E0216");
    syntax.iter().all(|s| {
        let at = s.span.start.min(source.len());
        let start = source[..at].rfind(ends).map_or(0, |before| before + 1);
        let end = s.span.end.clamp(at, source.len());
        let end = source[end..].find(ends).map_or(source.len(), |n| end + n);
        let apart = error.span.end <= start || error.span.start >= end;
        let mut words = source[start..end].split(|c: char| !c.is_alphanumeric() && c != '_');
        apart && !(misses_a_name && words.any(|word| word == name))
    })
}
