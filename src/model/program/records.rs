//! Records, pools and references: an object is a slot, and a field of all objects is one array.
//!
//! `var a[3]: R;` and `pool P[3]: R;` declare one variable per field, with the object's index first: `a[2].x` is the
//! cell `[2]` of `a.x`. So a reference is a number, and `p.x` is a cell of the field's array with `p` as its index.

use super::codes;
use super::objects::BOOL;
use super::order::{order, shortened};
use super::scope::{Context, Elaborator, Entity, Symbol};
use super::variables::Site;
use super::{ArrayId, Class, Pool};
use crate::base::diagnostic::Span;
use crate::model::text::ast::{Decl, Field, Model, Name, RecordDecl, TypeExpr};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Bound on records in records, for the stack.
const NESTED: usize = 64;

/// A variable of a record type, an array of them, or a pool.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// The record.
    pub record: usize,
    /// What its fields are.
    pub fields: FxHashMap<String, Entity>,
    /// All sizes, those of the records around it included.
    pub dims: usize,
    /// Which slots are in use, if it is a pool.
    pub allocated: Option<ArrayId>,
}

/// Something that references may point into.
#[derive(Clone, Debug)]
pub(super) struct RefTarget {
    /// The record.
    pub record: usize,
    /// Its variables; none before they are declared.
    pub instance: Option<usize>,
    /// Whether its slots are allocated and freed.
    pub pool: bool,
}

impl Elaborator {
    /// Names the record types. Their fields get a meaning with each variable.
    pub(super) fn records(&mut self, model: &Model) {
        for decl in &model.decls {
            let Decl::Record(record) = decl else { continue };
            self.declare(&record.name, Symbol::Record(self.records.len()));
            self.records.push(Rc::new(record.clone()));
            let mut names = FxHashSet::default();
            for field in &record.fields {
                let name = field_name(field);
                if self.grow(1, name.span) && !names.insert(name.text.clone()) {
                    self.duplicate(name);
                }
            }
        }
        let parts: Vec<Vec<usize>> = self.records.iter().map(|r| self.parts(r)).collect();
        for cycle in order(&parts).cycles {
            let names: Vec<&str> = cycle
                .iter()
                .chain(cycle.first())
                .map(|&r| self.records[r].name.text.as_str())
                .collect();
            let chain = shortened(&names, " > ");
            let first = self.records[cycle[0]].clone();
            self.error(
                codes::RECURSION,
                first.name.span,
                format!("the record `{}` contains itself: {chain}", first.name.text),
                "fields that are smaller than the record",
                "let the field be a reference: `ref R in P`, where `P` is a pool of these records",
            );
            self.recursive.extend(cycle);
        }
    }

    /// The records that a record has as fields.
    fn parts(&self, record: &RecordDecl) -> Vec<usize> {
        let part = |field: &Field| match field {
            Field::Var(var) => match &var.ty {
                TypeExpr::Named(name) => match self.symbol(&name.text) {
                    Some(Symbol::Record(r)) => Some(r),
                    _ => None,
                },
                _ => None,
            },
            Field::Object(_) => None,
        };
        record.fields.iter().filter_map(part).collect()
    }

    /// Names what references may point into, so that types can mention it before it is declared.
    pub(super) fn targets(&mut self, model: &Model) {
        let cx = Context::default();
        let names = model.decls.iter().filter_map(|decl| match decl {
            Decl::Var(var) => Some(&var.name),
            Decl::Object(object) => Some(&object.name),
            Decl::Pool { name, .. } => Some(name),
            _ => None,
        });
        self.declared_later = names.map(|n| n.text.clone()).collect();
        for decl in &model.decls {
            let (name, size, record, pool) = match decl {
                Decl::Pool { name, size, record } => (name, size, record, true),
                Decl::Var(var) => match (&var.ty, var.dims.as_slice()) {
                    (TypeExpr::Named(record), [size]) => (&var.name, size, record, false),
                    _ => continue,
                },
                _ => continue,
            };
            let record = match (self.symbol(&record.text), pool) {
                (Some(Symbol::Record(r)), _) => r,
                (_, false) | (Some(Symbol::Broken), _) => continue,
                (None, true) if !self.declared_later.contains(&record.text) => {
                    self.unknown(record, &cx);
                    continue;
                }
                (_, true) => {
                    self.error(
                        codes::NOT_A_VARIABLE,
                        record.span,
                        format!("`{}` is not a record", record.text),
                        "a record",
                        "declare it with `record`",
                    );
                    continue;
                }
            };
            let Some(sizes) = self.sizes(std::slice::from_ref(size), &cx) else {
                continue;
            };
            // Counted when its cells are made; a size beyond that is reported there.
            let len = sizes[0].n.min(super::scope::MAX_SIZE + 1);
            if self.target_names.contains_key(&name.text) {
                continue;
            }
            self.target_names
                .insert(name.text.clone(), self.targets.len());
            self.open_slots(self.targets.len(), &sizes[0]);
            self.targets.push(RefTarget {
                record,
                instance: None,
                pool,
            });
            self.program.pools.push(Pool {
                name: name.text.clone(),
                len,
                named: false,
            });
        }
    }

    /// A pool that [`Self::targets`] has found to be right.
    pub(super) fn pool(&mut self, name: &Name) -> Option<Entity> {
        let target = *self.target_names.get(&name.text)?;
        let (len, record) = (self.slots(target), self.targets[target].record);
        let flags = vec![
            (name.text.clone(), Vec::new()),
            ("allocated".to_string(), vec![len.clone()]),
        ];
        let site = Site {
            prefix: vec![(name.text.clone(), vec![len])],
            ..Site::default()
        };
        let allocated = self.new_array(&flags, BOOL, Class::Sync, name.span)?;
        self.initial(allocated, Some(vec![0]));
        let entity = self.instance(record, &site, name.span)?;
        if let Entity::Record(instance) = entity {
            self.instances[instance].allocated = Some(allocated);
        }
        Some(entity)
    }

    /// The variables of a record at a site, whose prefix names the variable.
    pub(super) fn instance(&mut self, record: usize, site: &Site, span: Span) -> Option<Entity> {
        if self.recursive.contains(&record) {
            return None;
        }
        if site.depth >= NESTED {
            self.error(
                codes::TOO_LARGE,
                span,
                format!("records are nested more than {NESTED} deep"),
                format!("at most {NESTED} records in each other"),
                "put fields into one record, or use references",
            );
            return None;
        }
        let id = self.instances.len();
        self.instances.push(Instance {
            record,
            fields: FxHashMap::default(),
            dims: site.prefix.iter().map(|(_, d)| d.len()).sum(),
            allocated: None,
        });
        let inner = Site {
            record: Some(id),
            depth: site.depth + 1,
            ..site.clone()
        };
        self.used_records.insert(record);
        let cx = Context::default();
        for field in &self.records[record].clone().fields {
            // Counted before a record of records of records is spread out.
            if !self.grow(1, span) {
                return None;
            }
            let name = field_name(field);
            let entity = match field {
                Field::Var(var) => self.declare_variable(var, &inner, &cx),
                Field::Object(object) if site.thread.is_none() => self.object(object, &site.prefix),
                Field::Object(_) => {
                    self.error(
                        codes::MISPLACED,
                        span,
                        format!("this record holds an object for threads to meet at, `{}`", name.text),
                        "a record of variables",
                        "a thread's own variable can't hold one: declare the variable at the top level",
                    );
                    None
                }
            };
            let entity = entity.unwrap_or(Entity::Broken);
            self.instances[id]
                .fields
                .entry(name.text.clone())
                .or_insert(entity);
        }
        Some(Entity::Record(id))
    }

    /// Looks for errors in records that nothing is declared with.
    pub(super) fn unused_records(&mut self) {
        for record in 0..self.records.len() {
            if self.used_records.contains(&record) {
                continue;
            }
            let decl = self.records[record].clone();
            let mark = self.mark();
            let site = Site {
                prefix: vec![(decl.name.text.clone(), Vec::new())],
                ..Site::default()
            };
            self.instance(record, &site, decl.name.span);
            self.restore(&mark);
        }
    }

    /// What a `ref R in P` points into.
    pub(super) fn target_of_type(
        &mut self,
        record: &Name,
        pool: &Name,
        cx: &Context,
    ) -> Option<usize> {
        let wanted = match self.symbol(&record.text) {
            Some(Symbol::Record(r)) => Some(r),
            Some(Symbol::Broken) => None,
            None => {
                self.unknown(record, cx);
                None
            }
            Some(_) => {
                self.error(
                    codes::NOT_A_VARIABLE,
                    record.span,
                    format!("`{}` is not a record", record.text),
                    "a record",
                    "write `ref R in P`: the record, then the pool or array that it points into",
                );
                None
            }
        };
        let target = self.target(pool, cx)?;
        let (wanted, found) = (wanted?, self.targets[target].record);
        if wanted != found {
            self.error(
                codes::TYPE_MISMATCH,
                record.span,
                format!(
                    "`{}` holds records `{}`",
                    pool.text, self.records[found].name.text
                ),
                format!("`{}`", self.records[found].name.text),
                "correct the record, or what the reference points into",
            );
            return None;
        }
        Some(target)
    }

    /// A pool or array of records by its name.
    pub(super) fn target(&mut self, name: &Name, cx: &Context) -> Option<usize> {
        if let Some(&target) = self.target_names.get(&name.text) {
            return Some(target);
        }
        match self.symbol(&name.text) {
            // Pools and variables are declared after the first types are read.
            None if !self.declared_later.contains(&name.text) => self.unknown(name, cx),
            Some(Symbol::Broken) => {}
            _ => self.error(
                codes::NOT_A_VARIABLE,
                name.span,
                format!("references can't point into `{}`", name.text),
                "a pool, or an array of records with one size",
                format!("declare it as `pool {}[4]: R;`", name.text),
            ),
        }
        None
    }
}

fn field_name(field: &Field) -> &Name {
    match field {
        Field::Var(var) => &var.name,
        Field::Object(object) => &object.name,
    }
}
