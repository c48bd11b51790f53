//! `init`, properties, lemmas and `expect` lines: expressions over whole states.

use super::codes;
use super::scope::{Context, Elaborator};
use super::{ArrayId, Property};
use crate::model::text::ast::{
    self, Decl, ExpectKind, ExprKind, Model, Name, PropertyKind, Selector,
};

/// Names that every model has as properties.
const BUILT_IN: [&str; 3] = ["discipline", "assertions", "deadlock_free"];

impl Elaborator {
    /// Whether deadlocks are asked for, and what invariants look at, whatever the open constant is.
    pub(super) fn looked_at(&mut self, model: &Model) {
        let mut all = Vec::new();
        for decl in &model.decls {
            match decl {
                Decl::DeadlockFree(span) => self.program.deadlock_free = Some(*span),
                Decl::Property {
                    kind: PropertyKind::Invariant,
                    name,
                    expr,
                } => {
                    let mut names = Vec::new();
                    let seen = mentioned(expr, &mut names).then(|| self.named(&names));
                    all.push((name.text.clone(), seen));
                }
                _ => {}
            }
        }
        if let Some(open) = &mut self.open {
            open.invariants = all;
        }
    }

    /// The variables with these names. What belongs to a record or an object has its name before a dot.
    fn named(&self, names: &[&str]) -> Vec<ArrayId> {
        let is_one = |name: &str| name.split('.').next().is_some_and(|n| names.contains(&n));
        let arrays = self.program.arrays.iter().enumerate();
        let found = arrays.filter(|(_, a)| is_one(&a.name));
        found.map(|(n, _)| n).collect()
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
                    let taken = declared.any(|p| p.name == name.text)
                        || self.program.claims.iter().any(|c| c.name == name.text);
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
        for n in 0..self.program.claims.len() {
            let claim = &self.program.claims[n];
            if BUILT_IN.contains(&claim.name.as_str()) {
                let name = Name {
                    text: claim.name.clone(),
                    span: claim.span,
                };
                self.duplicate(&name);
            }
        }
        for decl in &model.decls {
            let Decl::Expect(expect) = decl else { continue };
            if let ExpectKind::Property { property, .. } = &expect.kind {
                let declared = model.decls.iter().any(|d| match d {
                    Decl::Property { name, kind, .. } => {
                        name.text == property.text && *kind != PropertyKind::Lemma
                    }
                    Decl::DeadlockFree(_) => property.text == "deadlock_free",
                    _ => false,
                });
                let claimed = self.program.claims.iter().any(|c| c.name == property.text);
                let built_in = ["discipline", "assertions"].contains(&property.text.as_str());
                if !declared && !claimed && !built_in {
                    self.error(
                        codes::BAD_EXPECT,
                        property.span,
                        format!("the model has no property `{}`", property.text),
                        "`discipline`, `assertions`, `deadlock_free`, a declared property or a transaction",
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

/// Collects the names of variables in a condition; false if it may look at others, too.
fn mentioned<'a>(e: &'a ast::Expr, names: &mut Vec<&'a str>) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) => true,
        ExprKind::Place(place) => {
            names.push(&place.name.text);
            place.selectors.iter().all(|selector| match selector {
                Selector::Index(e) => mentioned(e, names),
                Selector::Field(_) => false,
            })
        }
        ExprKind::Unary(_, a) => mentioned(a, names),
        ExprKind::Binary(_, a, b) => mentioned(a, names) && mentioned(b, names),
        ExprKind::Cond(a, b, c) => {
            mentioned(a, names) && mentioned(b, names) && mentioned(c, names)
        }
        ExprKind::Quantified { lo, hi, body, .. } => {
            mentioned(lo, names) && mentioned(hi, names) && mentioned(body, names)
        }
        _ => false,
    }
}
