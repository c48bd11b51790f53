//! Exclusive access predicates, `init`, properties and `expect` lines: expressions over whole states.

use super::codes;
use super::expressions::fold;
use super::scope::{Context, Elaborator};
use super::{ArrayId, Expr, Property, Protection};
use crate::syntax::ast::{
    self, BinaryOp, Decl, Discipline, ExpectKind, Model, Name, PropertyKind, VarDecl,
};
use crate::syntax::diagnostic::Span;

/// Names that every model has as properties.
const BUILT_IN: [&str; 3] = ["discipline", "assertions", "deadlock_free"];

impl Elaborator {
    /// The exclusive access predicates of all protected cells, in the order of cells.
    pub(super) fn disciplines(&mut self, shared: &[(&VarDecl, ArrayId)]) {
        for (var, array) in shared {
            if let Some(Discipline::Protected { target, by, span }) = &var.discipline {
                self.protection(var, *array, target.as_ref(), by, *span);
            }
        }
        self.program.protections.sort_by_key(|p| p.cell);
    }

    fn protection(
        &mut self,
        var: &VarDecl,
        array: ArrayId,
        target: Option<&(Name, Vec<Name>)>,
        by: &ast::Expr,
        span: Span,
    ) {
        let dims = self.program.arrays[array].dims.clone();
        let binders: &[Name] = target.map_or(&[], |(_, b)| b);
        if let Some((name, binders)) = target {
            let named = name.text == var.name.text;
            if !named || !binders.is_empty() && binders.len() != dims.len() {
                let form: String = ["j", "k", "l"]
                    .iter()
                    .take(dims.len())
                    .map(|b| format!("[{b}]"))
                    .collect();
                self.error(
                    codes::BAD_DISCIPLINE,
                    name.span,
                    if named {
                        format!("`{}` is declared with {} sizes", name.text, dims.len())
                    } else {
                        format!(
                            "this protects `{}`, but declares `{}`",
                            name.text, var.name.text
                        )
                    },
                    format!("`{}{form}`", var.name.text),
                    "repeat the variable's own name with one fresh name per index",
                );
                return;
            }
        }
        let (first, len) = (
            self.program.arrays[array].first,
            self.program.arrays[array].len,
        );
        for offset in 0..len {
            let mut cx = Context {
                allows_at: true,
                ..Context::default()
            };
            let mut rest = offset;
            for (binder, &d) in binders.iter().zip(&dims).rev() {
                cx.bound.push((binder.text.clone(), (rest % d) as i64));
                rest /= d;
            }
            let mut predicates = Vec::new();
            for thread in 0..self.program.threads.len() {
                cx.this = Some(thread);
                if !self.grow(1, span) {
                    return;
                }
                match self.predicate(by, &cx) {
                    Some(e) => predicates.push(e),
                    None => return,
                }
            }
            self.program.protections.push(Protection {
                cell: first + offset,
                predicates,
                readers: None,
                span,
            });
        }
    }

    fn predicate(&mut self, by: &ast::Expr, cx: &Context) -> Option<Expr> {
        if let (true, ast::ExprKind::Place(mutex)) = (self.is_mutex(by), &by.kind) {
            let (owner, _) = self.owner(mutex, cx)?;
            let this = cx.this.map_or(super::NO_OWNER, |t| t as i64);
            return Some(fold(BinaryOp::Eq, owner, Expr::Const(this)));
        }
        self.condition(by, cx)
    }

    /// `init`, invariants, lemmas, reach properties, `deadlock_free` and expectations.
    pub(super) fn properties(&mut self, model: &Model) {
        let cx = Context {
            allows_at: true,
            ..Context::default()
        };
        for decl in &model.decls {
            match decl {
                Decl::Init(e) => {
                    if let Some(e) = self.condition(e, &cx) {
                        self.program.init.push(e);
                    }
                }
                Decl::Property { kind, name, expr } => {
                    let declared = &self.program.properties;
                    let mut declared = declared.iter().chain(&self.program.lemmas);
                    let taken = declared.any(|p| p.name == name.text);
                    if taken || BUILT_IN.contains(&name.text.as_str()) {
                        self.duplicate(name);
                    }
                    if let Some(expr) = self.condition(expr, &cx) {
                        let property = Property {
                            name: name.text.clone(),
                            kind: *kind,
                            expr,
                            span: name.span,
                        };
                        match kind {
                            PropertyKind::Lemma => self.program.lemmas.push(property),
                            _ => self.program.properties.push(property),
                        }
                    }
                }
                Decl::DeadlockFree(span) => self.program.deadlock_free = Some(*span),
                _ => {}
            }
        }
        for decl in &model.decls {
            let Decl::Expect(expect) = decl else { continue };
            if let ExpectKind::Property { property, .. } = &expect.kind {
                let declared = model.decls.iter().any(|d| match d {
                    Decl::Property { name, .. } => name.text == property.text,
                    Decl::DeadlockFree(_) => property.text == "deadlock_free",
                    _ => false,
                });
                if !declared && !["discipline", "assertions"].contains(&property.text.as_str()) {
                    self.error(
                        codes::BAD_EXPECT,
                        property.span,
                        format!("the model has no property `{}`", property.text),
                        "`discipline`, `assertions`, `deadlock_free` or a declared property",
                        "declare the property, or correct its name",
                    );
                }
            }
            let text = self.program.text(expect.span);
            let text = text.trim_end_matches(';').trim_end().to_string();
            self.program.expects.push((expect.kind.clone(), text));
        }
    }
}
