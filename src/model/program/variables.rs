//! Variables: the cells of every declaration, with their names, classes and initial values.

use super::codes;
use super::expressions::same;
use super::scope::{Context, Elaborator, Entity, Symbol};
use super::{Array, ArrayId, Cell, Class, Expr, Type};
use crate::base::diagnostic::Span;
use crate::model::text::ast::{
    self, Block, Decl, Discipline, Initial, Model, Name, StmtKind, TypeExpr, VarDecl,
};
use std::rc::Rc;

/// The name of a variable in parts, each with the sizes behind it: `a[3]`, `x[2]` for the field `x` of an array `a` of
/// records.
pub(super) type Path = Vec<(String, Vec<Size>)>;

/// The size of an array.
#[derive(Clone, Debug)]
pub(super) struct Size {
    /// Its value.
    pub n: usize,
    /// What it is made of, if that is left open.
    pub term: Option<Expr>,
}

impl Size {
    /// As an expression.
    pub fn to_term(&self) -> Expr {
        let known = || Expr::Const(i64::try_from(self.n).unwrap_or(i64::MAX));
        self.term.clone().unwrap_or_else(known)
    }
}

impl From<usize> for Size {
    fn from(n: usize) -> Self {
        Size { n, term: None }
    }
}

/// A discipline word, and what it is said of.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// The word.
    pub discipline: Rc<Discipline>,
    /// The variable or field whose declaration has it.
    pub name: Name,
    /// How many indices stand before those of that declaration.
    pub outer: usize,
    /// How many sizes that declaration has.
    pub own: usize,
    /// The record whose fields are known by their names.
    pub record: Option<usize>,
}

/// Where a variable is declared.
#[derive(Clone, Debug, Default)]
pub(super) struct Site {
    /// The parts of names before its own.
    pub prefix: Path,
    /// The thread whose local it is.
    pub thread: Option<usize>,
    /// The record that it is a field of.
    pub record: Option<usize>,
    /// The word that holds if it has none of its own.
    pub word: Option<Word>,
    /// How many records are around it.
    pub depth: usize,
}

impl Elaborator {
    /// All shared variables and objects, in the order of the text.
    pub(super) fn variables(&mut self, model: &Model) {
        let cx = Context::default();
        for decl in &model.decls {
            let (name, entity) = match decl {
                Decl::Object(object) => (&object.name, self.object(object, &Path::new())),
                Decl::Var(var) => (&var.name, self.declare_variable(var, &Site::default(), &cx)),
                Decl::Pool { name, .. } => (name, self.pool(name)),
                _ => continue,
            };
            self.declare(name, entity.map_or(Symbol::Broken, Symbol::Entity));
            if let Some(Entity::Record(instance)) = entity
                && let Some(&target) = self.target_names.get(&name.text)
            {
                self.targets[target].instance.get_or_insert(instance);
            }
        }
    }

    /// A variable, or the variables of a record.
    pub(super) fn declare_variable(
        &mut self,
        var: &VarDecl,
        site: &Site,
        cx: &Context,
    ) -> Option<Entity> {
        let word = match &var.discipline {
            None => site.word.clone(),
            Some(discipline) => Some(Word {
                discipline: Rc::new(discipline.clone()),
                name: var.name.clone(),
                outer: site.prefix.iter().map(|(_, d)| d.len()).sum(),
                own: var.dims.len(),
                record: site.record,
            }),
        };
        let mut path = site.prefix.clone();
        if let TypeExpr::Named(name) = &var.ty
            && let Some(Symbol::Record(record)) = self.symbol(&name.text)
        {
            if let Some(Initial::All(ast::Expr { span, .. }) | Initial::Each(_, span)) = &var.init {
                self.error(
                    codes::WHOLE_RECORD,
                    *span,
                    "a record has no initial value as a whole",
                    "`;`",
                    "give the fields their initial values where the record is declared",
                );
            }
            path.push((var.name.text.clone(), self.sizes(&var.dims, cx)?));
            let site = Site {
                prefix: path,
                record: None,
                word,
                ..site.clone()
            };
            return self.instance(record, &site, var.name.span);
        }
        let ty = self.type_of(&var.ty, cx);
        path.push((var.name.text.clone(), self.sizes(&var.dims, cx)?));
        let ty = ty?;
        let class = match (site.thread, word.as_ref().map(|w| &*w.discipline)) {
            (Some(thread), _) => Class::Local(thread),
            (None, Some(Discipline::Protected { .. })) => Class::Protected,
            (None, word) => Class::Unprotected {
                declared: word.is_some(),
            },
        };
        let array = self.new_array(&path, ty, class, var.name.span)?;
        if let (Class::Protected, Some(word)) = (class, word) {
            self.words.push((array, word));
        }
        let len = self.program.arrays[array].len;
        let initial = match &var.init {
            None => None,
            Some(Initial::All(e)) => {
                if let Some((_, _, term)) = self.open_term(e, cx) {
                    self.open_initial(array, Some(term));
                }
                self.initial_value(e, ty, cx).map(|v| vec![v])
            }
            Some(Initial::Each(values, span)) => {
                // In a record, the list is that of each object.
                let own: usize = path
                    .last()
                    .map_or(1, |(_, dims)| dims.iter().map(|d| d.n).product());
                self.open_initial(array, None);
                if values.len() != own {
                    self.error(
                        codes::WRONG_INDEXING,
                        *span,
                        format!("{} initial values for {own} cells", values.len()),
                        format!("{own} values"),
                        "give one per cell, the last index running fastest",
                    );
                    return Some(Entity::Data(array));
                }
                let values: Vec<_> = values
                    .iter()
                    .map(|e| self.initial_value(e, ty, cx))
                    .collect();
                let values = values.into_iter().collect::<Option<Vec<i64>>>();
                values.map(|v| v.into_iter().cycle().take(len).collect())
            }
        };
        self.initial(array, initial);
        Some(Entity::Data(array))
    }

    /// The variables that a body declares at its top level, of the thread that `cx` is about.
    pub(super) fn locals(&mut self, body: &Block, prefix: &Path, cx: &mut Context) {
        let site = Site {
            prefix: prefix.clone(),
            thread: cx.this,
            ..Site::default()
        };
        for stmt in &body.stmts {
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
            let entity = self.declare_variable(var, &site, cx);
            let entity = entity.unwrap_or(Entity::Broken);
            cx.locals.insert(var.name.text.clone(), entity);
        }
    }

    pub(super) fn initial_value(&mut self, e: &ast::Expr, ty: Type, cx: &Context) -> Option<i64> {
        let open = self.open_term(e, cx);
        let (kind, value) = match open {
            Some((kind, value, _)) => (kind, value),
            None => self.constant(e, cx)?,
        };
        if !same(kind, ty.kind) {
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
    pub(super) fn initial(&mut self, array: ArrayId, values: Option<Vec<i64>>) {
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

    /// The values of array sizes.
    pub(super) fn sizes(&mut self, dims: &[ast::Expr], cx: &Context) -> Option<Vec<Size>> {
        let mut sizes = Vec::new();
        for dim in dims {
            let (size, term) = self.term(dim, cx)?;
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
            let n = usize::try_from(size).unwrap_or(usize::MAX);
            sizes.push(Size { n, term });
        }
        Some(sizes)
    }

    /// The cells of a variable. That of a mutex's owner has the mutex's name, its cells have `.owner` behind theirs.
    pub(super) fn new_array(
        &mut self,
        path: &Path,
        ty: Type,
        class: Class,
        span: Span,
    ) -> Option<ArrayId> {
        let sizes: Vec<&Size> = path.iter().flat_map(|(_, d)| d).collect();
        let dims: Vec<usize> = sizes.iter().map(|s| s.n).collect();
        let len = dims.iter().fold(1, |a: usize, &d| a.saturating_mul(d));
        if !self.grow(len, span) {
            return None;
        }
        let id = self.program.arrays.len();
        let first = self.program.cells.len();
        let suffix = if class == Class::Owner { ".owner" } else { "" };
        for offset in 0..len {
            let mut rest = offset;
            let mut parts: Vec<String> = Vec::new();
            for (name, sizes) in path.iter().rev() {
                let mut index = String::new();
                for size in sizes.iter().rev() {
                    index = format!("[{}]{index}", rest % size.n);
                    rest /= size.n;
                }
                parts.push(format!("{name}{index}"));
            }
            parts.reverse();
            self.program.cells.push(Cell {
                name: parts.join(".") + suffix,
                array: id,
                ty,
                class,
                initial: None,
            });
        }
        let name: Vec<&str> = path.iter().map(|(n, _)| n.as_str()).collect();
        self.program.arrays.push(Array {
            name: name.join("."),
            dims,
            first,
            len,
            class,
            span,
        });
        self.open_variable(id, &sizes);
        Some(id)
    }
}
