//! Type expressions.

use super::codes;
use super::elaborate::TYPE_BOUND;
use super::expressions::fold;
use super::scope::{Context, Elaborator, Symbol};
use super::{Expr, Kind, NULL, Type};
use crate::model::text::ast::{BinaryOp, Name, TypeExpr};

impl Elaborator {
    /// The type that a type expression names.
    pub(super) fn type_of(&mut self, ty: &TypeExpr, cx: &Context) -> Option<Type> {
        let bounded = |v: i64| (-TYPE_BOUND..=TYPE_BOUND).contains(&v);
        self.open_range(None);
        match ty {
            TypeExpr::Bool(_) => Some(Type {
                kind: Kind::Bool,
                lo: 0,
                hi: 1,
                wraps: false,
            }),
            TypeExpr::Range(lo, hi) => {
                let span = lo.span.to(hi.span);
                let (lo, hi) = (self.term(lo, cx), self.term(hi, cx));
                let ((lo, low), (hi, high)) = (lo?, hi?);
                if low.is_some() || high.is_some() {
                    let given = |value: i64, term: Option<Expr>| term.unwrap_or(Expr::Const(value));
                    self.open_range(Some((given(lo, low), given(hi, high))));
                }
                if lo > hi || !bounded(lo) || !bounded(hi) {
                    self.error(
                        codes::EMPTY_RANGE,
                        span,
                        format!("the range {lo}..{hi} is empty or too large"),
                        "lo..hi with lo <= hi, both within -2147483647..2147483647",
                        "correct the bounds",
                    );
                    return None;
                }
                Some(Type {
                    kind: Kind::Int,
                    lo,
                    hi,
                    wraps: false,
                })
            }
            TypeExpr::Mod(k, span) => {
                let (k, term) = self.term(k, cx)?;
                if let Some(term) = term {
                    let last = fold(BinaryOp::Sub, term, Expr::Const(1));
                    self.open_range(Some((Expr::Const(0), last)));
                }
                if k < 1 || !bounded(k) {
                    self.error(
                        codes::EMPTY_RANGE,
                        *span,
                        format!("`mod {k}` has no values, or too many"),
                        "a modulus of at least 1",
                        "correct the modulus",
                    );
                    return None;
                }
                Some(Type {
                    kind: Kind::Int,
                    lo: 0,
                    hi: k - 1,
                    wraps: true,
                })
            }
            TypeExpr::Named(name) => self.named_type(name, cx),
            TypeExpr::Enum(variants, span) => {
                self.some_variant(variants, *span);
                let names: Vec<String> = variants.iter().map(|v| v.text.clone()).collect();
                // A family elaborates its locals once per thread; the enum in place is one enum all the same.
                let known = self
                    .program
                    .enums
                    .iter()
                    .position(|e| e.name.is_empty() && e.variants == names);
                let id = match (self.in_place.get(span), known) {
                    (Some(&id), _) => id,
                    (None, Some(id)) if cx.this.is_some() => id,
                    _ => self.enumeration("", variants),
                };
                self.in_place.insert(*span, id);
                Some(self.enum_type(id))
            }
            TypeExpr::Ref { record, pool, .. } => {
                let target = self.target_of_type(record, pool, cx)?;
                if let Some(term) = self.slots(target).term {
                    let last = fold(BinaryOp::Sub, term, Expr::Const(1));
                    self.open_range(Some((Expr::Const(NULL), last)));
                }
                Some(Type {
                    kind: Kind::Ref(target),
                    lo: NULL,
                    hi: self.program.pools[target].len as i64 - 1,
                    wraps: false,
                })
            }
        }
    }

    fn named_type(&mut self, name: &Name, cx: &Context) -> Option<Type> {
        match self.symbol(&name.text) {
            Some(Symbol::Enum(id)) => return Some(self.enum_type(id)),
            Some(Symbol::Broken) => {}
            Some(Symbol::Record(_)) => self.error(
                codes::WHOLE_RECORD,
                name.span,
                format!("a value can't be a whole `{}`", name.text),
                "a type of single values",
                "pass its fields, or a reference: `ref R in P`",
            ),
            Some(_) => self.error(
                codes::NOT_A_VARIABLE,
                name.span,
                format!("`{}` is not a type", name.text),
                "`bool`, `lo..hi`, `mod k`, an enum or `ref R in P`",
                "declare it with `enum`",
            ),
            None => self.unknown(name, cx),
        }
        None
    }

    fn enum_type(&self, id: usize) -> Type {
        let hi = self.program.enums[id].variants.len() as i64 - 1;
        Type {
            kind: Kind::Enum(id),
            lo: 0,
            hi: hi.max(0),
            wraps: false,
        }
    }
}
