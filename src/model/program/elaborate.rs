//! From the tree of a model file to a [`Program`]: declarations, in the order in which they depend on each other.

use super::cfg::{Graph, NodeId};
use super::claims::Fronts;
use super::codes;
use super::scope::{Context, Elaborator, MAX_SIZE, Symbol};
use super::{ClaimedBlock, Enum, Expr, Kind, Program, Thread, constants};
use crate::base::diagnostic::{Diagnostic, Severity, Span};
use crate::base::nearest;
use crate::model::text::ast::{self, Decl, Model, ThreadDecl};

/// So that a value fits 32 bits.
pub(super) const TYPE_BOUND: i64 = (1 << 31) - 1;

/// Gives a model its meaning. `defines` are the `-D NAME=VALUE` overrides.
///
/// Returns the program and its warnings.
///
/// # Errors
/// All diagnostics, if one of them is an error.
pub fn elaborate(
    model: &Model,
    source: &str,
    defines: &[(String, String)],
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    elaborate_with(model, source, defines, Fronts::Merged)
}

/// The same; `fronts` says which claimed blocks have a location of their own for their first statement.
///
/// # Errors
/// As [`elaborate`].
pub fn elaborate_with(
    model: &Model,
    source: &str,
    defines: &[(String, String)],
    fronts: Fronts,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut e = Elaborator::new(source);
    e.fronts = fronts;
    e.model(model, defines)?;
    Ok((e.program, e.diagnostics))
}

/// Gives each claim whose blocks begin with a loop the program that says where control is inside.
pub fn split_claims(program: &mut Program, model: &Model, defines: &[(String, String)]) {
    for n in 0..program.claims.len() {
        let both = |b: &ClaimedBlock| b.entries.iter().any(|l| b.inside.contains(l));
        if program.claims[n].blocks.iter().any(both) {
            let fronts = Fronts::Separate(Some(n));
            let split = elaborate_with(model, &program.source, defines, fronts);
            program.claims[n].split = split.ok().map(|(split, _)| Box::new(split));
        }
    }
}

impl Elaborator {
    /// All declarations. If a constant is left open, of properties only what they look at is read.
    ///
    /// # Errors
    /// All diagnostics, if one of them is an error.
    pub(super) fn model(
        &mut self,
        model: &Model,
        defines: &[(String, String)],
    ) -> Result<(), Vec<Diagnostic>> {
        self.constants(model, defines);
        self.records(model);
        let families = self.threads(model);
        self.started = vec![None; self.program.threads.len()];
        self.claims(model);
        self.targets(model);
        self.procedures(model);
        self.variables(model);
        self.unused_records();
        let mut graphs = Vec::new();
        for (decl, first, low) in &families {
            for number in *first..self.program.threads.len() {
                if self.program.threads[number].family != decl.name.text {
                    break;
                }
                // That it is too large has been said; the threads that are left would only take memory.
                if self.size > MAX_SIZE {
                    return Err(std::mem::take(&mut self.diagnostics));
                }
                let (graph, entry) = self.thread(decl, number, *low);
                graphs.push((number, decl.span, graph, entry));
            }
        }
        self.uncalled_procedures();
        for (number, span, graph, entry) in graphs {
            if self.size <= MAX_SIZE {
                self.located(number, span, graph, entry);
                let parameters = self.parameters(number);
                constants::propagate(&mut self.program, number, &parameters, self.open.as_deref());
            }
        }
        self.joins();
        self.disciplines();
        match self.open.is_none() {
            true => self.properties(model),
            false => self.looked_at(model),
        }
        match self
            .diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
        {
            true => Err(std::mem::take(&mut self.diagnostics)),
            false => Ok(()),
        }
    }

    fn constants(&mut self, model: &Model, defines: &[(String, String)]) {
        let cx = Context::default();
        let mut used = vec![false; defines.len()];
        for decl in &model.decls {
            match decl {
                Decl::Const { name, value } => {
                    let Some((kind, mut value, mut term)) = self.declared_constant(value, &cx)
                    else {
                        self.declare(name, Symbol::Broken);
                        continue;
                    };
                    for ((n, text), used) in defines.iter().zip(&mut used) {
                        if *n == name.text {
                            *used = true;
                            value = self.defined(name, kind, text).unwrap_or(value);
                            term = None;
                        }
                    }
                    if !self.open_constant(name, value, term) {
                        let constant = (name.text.clone(), kind, value);
                        self.program.constants.push(constant);
                        self.declare(name, Symbol::Value(kind, value));
                    }
                }
                Decl::Enum { name, variants } => {
                    self.some_variant(variants, name.span);
                    let id = self.enumeration(&name.text, variants);
                    self.declare(name, Symbol::Enum(id));
                }
                _ => {}
            }
        }
        for ((name, value), used) in defines.iter().zip(used) {
            if used {
                self.program.overridden.push(format!("{name}={value}"));
            } else {
                self.no_constant(model, name, value);
            }
        }
    }

    /// The type and the value that a declaration gives a constant; and its term, if it is made of the open one.
    fn declared_constant(
        &mut self,
        value: &ast::Expr,
        cx: &Context,
    ) -> Option<(Kind, i64, Option<Expr>)> {
        let known = self.open_term(value, cx);
        if let Some((kind, value, term)) = known {
            return Some((kind, value, Some(term)));
        }
        let constant = self.constant(value, cx);
        if let Some((kind @ Kind::Ref(_), _)) = constant {
            self.mismatch(
                value.span,
                kind,
                "a boolean, an integer or an enum value",
                "write `null` where it is used",
            );
        }
        constant.map(|(kind, value)| (kind, value, None))
    }

    /// The value that the command line gives a constant.
    fn defined(&mut self, name: &ast::Name, kind: Kind, text: &str) -> Option<i64> {
        let parsed = match (kind, text) {
            (Kind::Bool, "true") => Some(1),
            (Kind::Bool, "false") => Some(0),
            (Kind::Int | Kind::Owner, text) => {
                let value = text.parse().ok();
                value.filter(|v: &i64| (-TYPE_BOUND..=TYPE_BOUND).contains(v))
            }
            _ => None,
        };
        if parsed.is_none() {
            self.error(
                codes::BAD_DEFINE,
                name.span,
                format!("-D {}={text} does not fit the constant's type", name.text),
                if kind == Kind::Bool {
                    "true or false"
                } else {
                    "an integer within -2147483647..2147483647"
                },
                "correct the value on the command line",
            );
        }
        parsed
    }

    /// The command line gives a constant a value that the model does not declare.
    fn no_constant(&mut self, model: &Model, name: &str, value: &str) {
        let constants = model.decls.iter().filter_map(|d| match d {
            Decl::Const { name, .. } => Some(name.text.as_str()),
            _ => None,
        });
        let known: Vec<&str> = constants.collect();
        let help = match nearest(name, known.iter().copied()) {
            Some(other) => format!("did you mean `{other}`?"),
            None if known.is_empty() => "the model declares no constant".to_string(),
            None => format!("its constants are {}", known.join(", ")),
        };
        self.error(
            codes::BAD_DEFINE,
            Span::default(),
            format!("-D {name}={value}: the model has no constant `{name}`"),
            "a constant of the model",
            help,
        );
    }

    pub(super) fn enumeration(&mut self, name: &str, variants: &[ast::Name]) -> usize {
        let id = self.program.enums.len();
        let names = variants.iter().map(|v| v.text.clone()).collect();
        self.program.enums.push(Enum {
            name: name.to_string(),
            variants: names,
        });
        for (i, variant) in variants.iter().enumerate() {
            self.declare(variant, Symbol::Value(Kind::Enum(id), i as i64));
        }
        id
    }

    pub(super) fn some_variant(&mut self, variants: &[ast::Name], span: Span) {
        if variants.is_empty() {
            self.error(
                codes::EMPTY_RANGE,
                span,
                "an enum without values",
                "at least one value",
                "name one",
            );
        }
    }

    /// Numbers the threads; their bodies come later, when all variables are known.
    fn threads<'m>(&mut self, model: &'m Model) -> Vec<(&'m ThreadDecl, usize, Option<i64>)> {
        let cx = Context::default();
        let mut families = Vec::new();
        for decl in &model.decls {
            let Decl::Thread(decl) = decl else { continue };
            let first = self.program.threads.len();
            let mut low = None;
            let mut bounds = None;
            let mut members = vec![(decl.name.text.clone(), None)];
            if let Some((_, lo, hi)) = &decl.family {
                let (Some((from, low_term)), Some((to, high_term))) =
                    (self.term(lo, &cx), self.term(hi, &cx))
                else {
                    continue;
                };
                let given = |value: i64, term: Option<Expr>| term.unwrap_or(Expr::Const(value));
                bounds = Some((given(from, low_term), given(to, high_term)));
                if from > to {
                    self.error(
                        codes::EMPTY_RANGE,
                        lo.span.to(hi.span),
                        format!("the family `{}` has no thread", decl.name.text),
                        "lo..hi with lo <= hi",
                        "correct the bounds",
                    );
                }
                if from <= to && !self.grow(to.abs_diff(from) as usize, lo.span.to(hi.span)) {
                    continue;
                }
                low = Some(from);
                members = (from..=to)
                    .map(|i| (format!("{}({i})", decl.name.text), Some(i)))
                    .collect();
            }
            self.declare(
                &decl.name,
                Symbol::Thread {
                    first,
                    count: members.len(),
                    low,
                },
            );
            for (name, index) in members {
                self.program.threads.push(Thread {
                    name,
                    family: decl.name.text.clone(),
                    index,
                    parameter: decl.family.as_ref().map(|(i, ..)| i.text.clone()),
                    locations: Vec::new(),
                    initial: 0,
                    end: None,
                    wrong: None,
                    unstarted: None,
                    labels: Vec::new(),
                });
            }
            self.open_family(&decl.name.text, first, bounds);
            families.push((decl, first, low));
        }
        if families.is_empty() && self.diagnostics.is_empty() {
            self.error(
                codes::NO_THREAD,
                Span::new(self.program.source.len(), self.program.source.len()),
                "the model declares no thread",
                "`thread name { .. }`",
                "add the threads that are to run",
            );
        }
        families
    }

    /// The locals and the body of one thread: its graph, and where it begins.
    fn thread(&mut self, decl: &ThreadDecl, number: usize, low: Option<i64>) -> (Graph, NodeId) {
        let thread = self.program.threads[number].clone();
        let mut cx = Context {
            this: Some(number),
            ..Context::default()
        };
        if let (Some((name, _, _)), Some(low)) = (&decl.family, low) {
            match self.open_index(number, name) {
                Some(index) => drop(cx.locals.insert(name.text.clone(), index)),
                None => {
                    let index = thread.index.unwrap_or(low);
                    cx.bound.push((name.text.clone(), index));
                }
            }
        }
        self.locals(
            &decl.body,
            &vec![(thread.name.clone(), Vec::new())],
            &mut cx,
        );
        self.thread_locals.insert(number, cx.locals.clone());
        self.thread_graph(&decl.body, &mut cx)
    }
}
