//! From the tree of a model file to a [`Program`]: declarations, in the order in which they depend on each other.

use super::codes;
use super::scope::{Context, Elaborator, Symbol};
use super::{Array, ArrayId, Cell, Class, Enum, Kind, NO_OWNER, Program, Thread, Type};
use crate::syntax::ast::{
    self, Decl, Discipline, Initial, Model, StmtKind, ThreadDecl, TypeExpr, VarDecl,
};
use crate::syntax::diagnostic::{Diagnostic, Severity, Span};
use crate::syntax::nearest;

/// So that a value fits 32 bits.
const TYPE_BOUND: i64 = (1 << 31) - 1;

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
    let mut e = Elaborator::new(source);
    e.constants(model, defines);
    let families = e.threads(model);
    let shared = e.variables(model);
    for (decl, first, low) in &families {
        for number in *first..e.program.threads.len() {
            if e.program.threads[number].family != decl.name.text {
                break;
            }
            e.thread(decl, number, *low);
        }
    }
    e.disciplines(&shared);
    e.properties(model);
    if e.diagnostics.iter().any(|d| d.severity == Severity::Error) {
        Err(e.diagnostics)
    } else {
        Ok((e.program, e.diagnostics))
    }
}

impl Elaborator {
    fn constants(&mut self, model: &Model, defines: &[(String, String)]) {
        let cx = Context::default();
        let mut used = vec![false; defines.len()];
        for decl in &model.decls {
            match decl {
                Decl::Const { name, value } => {
                    let Some((kind, mut value)) = self.constant(value, &cx) else {
                        self.declare(name, Symbol::Broken);
                        continue;
                    };
                    for (i, (_, text)) in defines
                        .iter()
                        .enumerate()
                        .filter(|(_, (n, _))| *n == name.text)
                    {
                        used[i] = true;
                        let parsed = match (kind, text.as_str()) {
                            (Kind::Bool, "true") => Some(1),
                            (Kind::Bool, "false") => Some(0),
                            (Kind::Int | Kind::Owner, text) => text
                                .parse()
                                .ok()
                                .filter(|v: &i64| (-TYPE_BOUND..=TYPE_BOUND).contains(v)),
                            _ => None,
                        };
                        match parsed {
                            Some(v) => value = v,
                            None => self.error(
                                codes::BAD_DEFINE,
                                name.span,
                                format!("-D {}={text} does not fit the constant's type", name.text),
                                if kind == Kind::Bool {
                                    "true or false"
                                } else {
                                    "an integer within -2147483647..2147483647"
                                },
                                "correct the value on the command line",
                            ),
                        }
                    }
                    self.declare(name, Symbol::Value(kind, value));
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
                continue;
            }
            let known: Vec<&str> = model
                .decls
                .iter()
                .filter_map(|d| {
                    if let Decl::Const { name, .. } = d {
                        Some(name.text.as_str())
                    } else {
                        None
                    }
                })
                .collect();
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
    }

    fn enumeration(&mut self, name: &str, variants: &[ast::Name]) -> usize {
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

    fn some_variant(&mut self, variants: &[ast::Name], span: Span) {
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
            let mut members = vec![(decl.name.text.clone(), None)];
            if let Some((_, lo, hi)) = &decl.family {
                let (Some(from), Some(to)) = (self.integer(lo, &cx), self.integer(hi, &cx)) else {
                    continue;
                };
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
                    locations: Vec::new(),
                    initial: 0,
                    end: None,
                    wrong: None,
                    labels: Vec::new(),
                });
            }
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

    fn variables<'m>(&mut self, model: &'m Model) -> Vec<(&'m VarDecl, ArrayId)> {
        let cx = Context::default();
        let mut shared = Vec::new();
        for decl in &model.decls {
            match decl {
                Decl::Mutex { name, dims } => {
                    let ty = Type {
                        kind: Kind::Owner,
                        lo: NO_OWNER,
                        hi: self.program.threads.len() as i64 - 1,
                        wraps: false,
                    };
                    let array = self.array(&name.text, name.span, dims, ty, Class::Owner, &cx);
                    match array {
                        Some(array) => {
                            self.initial(array, Some(vec![NO_OWNER]));
                            self.declare(name, Symbol::Array(array));
                        }
                        None => self.declare(name, Symbol::Broken),
                    }
                }
                Decl::Var(var) => {
                    let class = match var.discipline {
                        Some(Discipline::Protected { .. }) => Class::Protected,
                        Some(Discipline::Unprotected(_)) => Class::Unprotected { declared: true },
                        None => Class::Unprotected { declared: false },
                    };
                    let array = self.variable(var, &var.name.text, class, &cx);
                    match array {
                        Some(array) => {
                            self.declare(&var.name, Symbol::Array(array));
                            shared.push((var, array));
                        }
                        None => self.declare(&var.name, Symbol::Broken),
                    }
                }
                _ => {}
            }
        }
        shared
    }

    fn variable(
        &mut self,
        var: &VarDecl,
        name: &str,
        class: Class,
        cx: &Context,
    ) -> Option<ArrayId> {
        let ty = self.type_of(&var.ty, cx);
        let array = self.array(name, var.name.span, &var.dims, ty?, class, cx)?;
        let len = self.program.arrays[array].len;
        let initial = match &var.init {
            None => None,
            Some(Initial::All(e)) => self.initial_value(e, ty?, cx).map(|v| vec![v]),
            Some(Initial::Each(values, span)) => {
                if values.len() != len {
                    self.error(
                        codes::WRONG_INDEXING,
                        *span,
                        format!("{} initial values for {len} cells", values.len()),
                        format!("{len} values"),
                        "give one per cell, the last index running fastest",
                    );
                    return Some(array);
                }
                let values: Vec<_> = values
                    .iter()
                    .map(|e| self.initial_value(e, ty?, cx))
                    .collect();
                values.into_iter().collect::<Option<Vec<i64>>>()
            }
        };
        self.initial(array, initial);
        Some(array)
    }

    fn initial_value(&mut self, e: &ast::Expr, ty: Type, cx: &Context) -> Option<i64> {
        let (kind, value) = self.constant(e, cx)?;
        let number = |k| matches!(k, Kind::Int | Kind::Owner);
        if kind != ty.kind && !(number(kind) && number(ty.kind)) {
            self.mismatch(
                e.span,
                kind,
                "a value of the variable's type",
                "correct the initial value or the type",
            );
            return None;
        }
        let value = if ty.wraps {
            value.rem_euclid(ty.size() as i64)
        } else {
            value
        };
        if !ty.contains(value) {
            self.error(
                codes::OUT_OF_RANGE,
                e.span,
                format!("the initial value {value} is outside the variable's type"),
                format!("a value in {}..{}", ty.lo, ty.hi),
                "correct the value, or widen the type",
            );
            return None;
        }
        Some(value)
    }

    /// One value for all cells, or one for each.
    fn initial(&mut self, array: ArrayId, values: Option<Vec<i64>>) {
        let a = &self.program.arrays[array];
        let (first, len) = (a.first, a.len);
        for (offset, cell) in self.program.cells[first..first + len]
            .iter_mut()
            .enumerate()
        {
            cell.initial = values
                .as_ref()
                .map(|v| if v.len() == 1 { v[0] } else { v[offset] });
        }
    }

    fn array(
        &mut self,
        name: &str,
        span: Span,
        dims: &[ast::Expr],
        ty: Type,
        class: Class,
        cx: &Context,
    ) -> Option<ArrayId> {
        let mut sizes = Vec::new();
        let mut len = 1usize;
        for dim in dims {
            let size = self.integer(dim, cx)?;
            if size < 1 {
                self.error(
                    codes::EMPTY_RANGE,
                    dim.span,
                    format!("an array of {size} cells"),
                    "at least one cell",
                    "correct the size",
                );
                return None;
            }
            len = len.saturating_mul(usize::try_from(size).unwrap_or(usize::MAX));
            if !self.grow(len, dim.span) {
                return None;
            }
            sizes.push(size as usize);
        }
        let id = self.program.arrays.len();
        let first = self.program.cells.len();
        for offset in 0..len {
            let mut index = String::new();
            let mut rest = offset;
            for &d in sizes.iter().rev() {
                index = format!("[{}]{index}", rest % d);
                rest /= d;
            }
            let owner = if class == Class::Owner { ".owner" } else { "" };
            self.program.cells.push(Cell {
                name: format!("{name}{index}{owner}"),
                array: id,
                ty,
                class,
                initial: None,
            });
        }
        self.program.arrays.push(Array {
            name: name.to_string(),
            dims: sizes,
            first,
            len,
            class,
            span,
        });
        Some(id)
    }

    fn type_of(&mut self, ty: &TypeExpr, cx: &Context) -> Option<Type> {
        let bounded = |v: i64| (-TYPE_BOUND..=TYPE_BOUND).contains(&v);
        match ty {
            TypeExpr::Bool(_) => Some(Type {
                kind: Kind::Bool,
                lo: 0,
                hi: 1,
                wraps: false,
            }),
            TypeExpr::Range(lo, hi) => {
                let span = lo.span.to(hi.span);
                let (lo, hi) = (self.integer(lo, cx), self.integer(hi, cx));
                let (lo, hi) = (lo?, hi?);
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
                let k = self.integer(k, cx)?;
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
            TypeExpr::Named(name) => match self.symbol(&name.text) {
                Some(Symbol::Enum(id)) => Some(self.enum_type(id)),
                Some(Symbol::Broken) => None,
                Some(_) => {
                    self.error(
                        codes::NOT_A_VARIABLE,
                        name.span,
                        format!("`{}` is not a type", name.text),
                        "`bool`, `lo..hi`, `mod k` or an enum",
                        "declare it with `enum`",
                    );
                    None
                }
                None => {
                    self.unknown(name, cx);
                    None
                }
            },
            TypeExpr::Enum(variants, span) => {
                self.some_variant(variants, *span);
                let names: Vec<String> = variants.iter().map(|v| v.text.clone()).collect();
                // A family elaborates its locals once per thread; the enum in place is one enum all the same.
                let known = self
                    .program
                    .enums
                    .iter()
                    .position(|e| e.name.is_empty() && e.variants == names);
                let id = match known {
                    Some(id) if cx.this.is_some() => id,
                    _ => self.enumeration("", variants),
                };
                Some(self.enum_type(id))
            }
        }
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

    /// The locals and the body of one thread.
    fn thread(&mut self, decl: &ThreadDecl, number: usize, low: Option<i64>) {
        let mut thread = self.program.threads[number].clone();
        let mut cx = Context {
            this: Some(number),
            ..Context::default()
        };
        if let (Some((name, _, _)), Some(low)) = (&decl.family, low) {
            cx.bound
                .push((name.text.clone(), thread.index.unwrap_or(low)));
        }
        for stmt in &decl.body.stmts {
            let StmtKind::Local(var) = &stmt.kind else {
                continue;
            };
            if let Some(Discipline::Protected { span, .. } | Discipline::Unprotected(span)) =
                &var.discipline
            {
                self.error(
                    codes::BAD_DISCIPLINE,
                    *span,
                    "a thread-local variable has no discipline",
                    "`;`",
                    "only this thread can use it; remove the word, or declare the variable at the top level",
                );
            }
            if self.symbol(&var.name.text).is_some()
                || cx.locals.contains_key(&var.name.text)
                || cx.bound.iter().any(|(n, _)| *n == var.name.text)
            {
                self.duplicate(&var.name);
                continue;
            }
            let name = format!("{}.{}", thread.name, var.name.text);
            match self.variable(var, &name, Class::Local(number), &cx) {
                Some(array) => {
                    cx.locals.insert(var.name.text.clone(), array);
                }
                None => cx.broken.push(var.name.text.clone()),
            }
        }
        self.thread_graph(&decl.body, &mut cx, &mut thread);
        self.program.threads[number] = thread;
    }
}
