//! Which names a text declares, and where they are used, for editors.
//!
//! The tree is enough: scopes are followed as the elaboration does, and of types only those that have fields. A use may
//! mean several declarations, such as `self.t` where several threads have a local `t`, so uses have lists. What is not
//! found is left out: the elaboration has told it.

use super::ast::{
    Block, By, Decl, Discipline, ExpectKind, Expr, ExprKind, Field, Initial, Model, Name,
    ObjectDecl, ObjectKind, Place, Selector, Stmt, StmtKind, TypeExpr, VarDecl,
};
use crate::base::diagnostic::Span;
use rustc_hash::FxHashMap;

/// What a name is declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `const`
    Constant,
    /// `enum`
    Enum,
    /// A value of an enum.
    EnumValue,
    /// A synchronisation object.
    Object,
    /// A shared variable.
    Variable,
    /// `record`
    Record,
    /// A field of a record, a variable or an object.
    Field,
    /// `pool`
    Pool,
    /// `proc`
    Procedure,
    /// A parameter of a procedure.
    Parameter,
    /// A thread or a family of them.
    Thread,
    /// A name that stands for numbers: of a family's threads, a loop, a quantifier, an index.
    Bound,
    /// A variable of a thread or procedure.
    Local,
    /// A label of a statement.
    Label,
    /// `transaction`
    Claim,
    /// `invariant`, `lemma` or `reach`
    Property,
}

/// A declaration of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The name.
    pub name: String,
    /// As what.
    pub kind: Kind,
    /// Where the name stands.
    pub span: Span,
    /// The declaration in which it stands.
    pub whole: Span,
    /// The declaration around it: the thread of a label, the record of a field. By its place in [`Names::declared`].
    pub owner: Option<usize>,
}

/// A place where a name stands that is declared elsewhere, or here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Where.
    pub span: Span,
    /// What it may mean, by places in [`Names::declared`].
    pub of: Vec<usize>,
}

/// The names of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// All declarations, in the order of the tree.
    pub declared: Vec<Declared>,
    /// All uses, in the order of the text; declarations are uses of themselves.
    pub uses: Vec<Use>,
}

impl Names {
    /// The names of a tree of the text `source`.
    pub fn of(tree: &Model, source: &str) -> Names {
        let mut walk = Walk::new(source);
        walk.globals(tree);
        tree.decls.iter().for_each(|decl| walk.decl(decl));
        let mut names = walk.names;
        names.uses.sort_by_key(|u| u.span);
        // A tree may hold a part of the text twice.
        names.uses.dedup_by_key(|u| u.span);
        names
    }

    /// The use at a place, or just before it.
    pub fn at(&self, offset: usize) -> Option<&Use> {
        let after = self.uses.partition_point(|u| u.span.start <= offset);
        let found = self.uses.get(after.checked_sub(1)?)?;
        (offset <= found.span.end).then_some(found)
    }

    /// All that has to be renamed together with what this use means: a use that means several declarations joins them.
    pub fn together(&self, with: &Use) -> Vec<&Use> {
        let mut of = with.of.clone();
        loop {
            let met = |u: &&Use| u.of.iter().any(|d| of.contains(d));
            let all: Vec<&Use> = self.uses.iter().filter(met).collect();
            let mut more: Vec<usize> = all.iter().flat_map(|u| u.of.iter().copied()).collect();
            more.sort_unstable();
            more.dedup();
            if more.len() == of.len() {
                return all;
            }
            of = more;
        }
    }
}

/// What is known of the type of a place: enough to find fields.
#[derive(Clone, Debug, Default)]
enum Shape {
    /// A record, or a reference to one.
    Record(String),
    /// The thread declared there: its locals follow.
    Thread(usize),
    #[default]
    Other,
}

/// The names of a thread or procedure, seen from outside.
#[derive(Debug, Default)]
struct Inside {
    locals: FxHashMap<String, Vec<usize>>,
    labels: FxHashMap<String, Vec<usize>>,
}

#[derive(Debug)]
struct Walk<'s> {
    source: &'s str,
    names: Names,
    shapes: Vec<Shape>,
    global: FxHashMap<String, usize>,
    /// The fields of records, by their names.
    fields: FxHashMap<String, FxHashMap<String, usize>>,
    /// What a thread or procedure has, by its declaration.
    inside: FxHashMap<usize, Inside>,
    /// Names with one meaning here, the innermost last.
    scope: Vec<(String, usize)>,
    /// The thread or procedure at hand.
    body: Option<usize>,
}

impl<'s> Walk<'s> {
    fn new(source: &'s str) -> Self {
        Walk {
            source,
            names: Names::default(),
            shapes: Vec::new(),
            global: FxHashMap::default(),
            fields: FxHashMap::default(),
            inside: FxHashMap::default(),
            scope: Vec::new(),
            body: None,
        }
    }

    // ---- declarations ----

    fn declare(&mut self, name: &Name, kind: Kind, whole: Span, owner: Option<usize>) -> usize {
        let id = self.names.declared.len();
        self.names.declared.push(Declared {
            name: name.text.clone(),
            kind,
            span: name.span,
            whole: whole.to(name.span),
            owner,
        });
        self.shapes.push(Shape::Other);
        self.using(name.span, vec![id]);
        id
    }

    fn using(&mut self, span: Span, of: Vec<usize>) {
        // What was put in for something unreadable stands nowhere.
        let text = self.source.get(span.start..span.end);
        let name = of.first().map(|d| self.names.declared[*d].name.as_str());
        if name.is_some() && text == name {
            self.names.uses.push(Use { span, of });
        }
    }

    fn declare_global(&mut self, name: &Name, kind: Kind, whole: Span) -> usize {
        let id = self.declare(name, kind, whole, None);
        self.global.entry(name.text.clone()).or_insert(id);
        id
    }

    /// From the word that begins a declaration to the end of its name.
    fn header(&self, name: &Name) -> Span {
        let before = &self.source[..name.span.start.min(self.source.len())];
        let start = before.rfind([';', '{', '}', '\n']).map_or(0, |n| n + 1);
        let blank = before[start..].len() - before[start..].trim_start().len();
        Span::new(start + blank, name.span.end)
    }

    /// All that can be named before it is declared.
    fn globals(&mut self, tree: &Model) {
        for decl in &tree.decls {
            match decl {
                Decl::Const { name, value } => {
                    self.declare_global(name, Kind::Constant, self.header(name).to(value.span));
                }
                Decl::Enum { name, variants } => {
                    self.declare_global(name, Kind::Enum, self.header(name));
                    self.variants(variants);
                }
                Decl::Object(object) => {
                    let name = &object.name;
                    self.declare_global(name, Kind::Object, self.header(name));
                }
                Decl::Var(var) => {
                    let id = self.declare_global(&var.name, Kind::Variable, var.span);
                    self.shapes[id] = shape(&var.ty);
                    self.type_variants(&var.ty);
                }
                Decl::Record(record) => {
                    let name = &record.name;
                    let id = self.declare_global(name, Kind::Record, self.header(name));
                    self.record(id, &record.fields);
                }
                Decl::Pool { name, record, .. } => {
                    let whole = self.header(name).to(record.span);
                    let id = self.declare_global(name, Kind::Pool, whole);
                    self.shapes[id] = Shape::Record(record.text.clone());
                }
                Decl::Proc(procedure) => {
                    let id = self.declare_global(&procedure.name, Kind::Procedure, procedure.span);
                    let mut inside = Inside::default();
                    self.labels(id, &procedure.body, &mut inside);
                    self.inside.insert(id, inside);
                }
                Decl::Thread(thread) => {
                    let id = self.declare_global(&thread.name, Kind::Thread, thread.span);
                    self.shapes[id] = Shape::Thread(id);
                    let mut inside = Inside::default();
                    self.labels(id, &thread.body, &mut inside);
                    self.locals(id, &thread.body, &mut inside);
                    self.inside.insert(id, inside);
                }
                Decl::Property { name, expr, .. } => {
                    // Properties and values have names of their own.
                    self.declare(name, Kind::Property, self.header(name).to(expr.span), None);
                }
                Decl::Init(_) | Decl::DeadlockFree(_) | Decl::Expect(_) => {}
            }
        }
    }

    fn variants(&mut self, variants: &[Name]) {
        for variant in variants {
            self.declare_global(variant, Kind::EnumValue, variant.span);
        }
    }

    fn type_variants(&mut self, ty: &TypeExpr) {
        if let TypeExpr::Enum(variants, _) = ty {
            self.variants(variants);
        }
    }

    fn record(&mut self, record: usize, fields: &[Field]) {
        let mut known = FxHashMap::default();
        for field in fields {
            let (name, whole, shape) = match field {
                Field::Var(var) => (&var.name, var.span, shape(&var.ty)),
                Field::Object(object) => (&object.name, self.header(&object.name), Shape::Other),
            };
            let id = self.declare(name, Kind::Field, whole, Some(record));
            self.shapes[id] = shape;
            known.insert(name.text.clone(), id);
            if let Field::Var(var) = field {
                self.type_variants(&var.ty);
            }
        }
        let name = self.names.declared[record].name.clone();
        self.fields.insert(name, known);
    }

    fn labels(&mut self, owner: usize, block: &Block, inside: &mut Inside) {
        for stmt in &block.stmts {
            for label in &stmt.labels {
                let whole = label.span.to(stmt.span);
                let id = self.declare(label, Kind::Label, whole, Some(owner));
                inside
                    .labels
                    .entry(label.text.clone())
                    .or_default()
                    .push(id);
            }
            if let StmtKind::Transaction(claimed, _) = &stmt.kind {
                self.declare(&claimed.name, Kind::Claim, stmt.span, Some(owner));
            }
            for block in stmt.kind.blocks() {
                self.labels(owner, block, inside);
            }
        }
    }

    /// A thread's own variables, wherever they are declared: properties name them.
    fn locals(&mut self, owner: usize, block: &Block, inside: &mut Inside) {
        for stmt in &block.stmts {
            if let StmtKind::Local(var) = &stmt.kind {
                let id = self.local(owner, var);
                inside
                    .locals
                    .entry(var.name.text.clone())
                    .or_default()
                    .push(id);
            }
        }
    }

    fn local(&mut self, owner: usize, var: &VarDecl) -> usize {
        let id = self.declare(&var.name, Kind::Local, var.span, Some(owner));
        self.shapes[id] = shape(&var.ty);
        self.type_variants(&var.ty);
        id
    }

    // ---- scopes ----

    fn meaning(&self, name: &str) -> Option<usize> {
        let inner = self.scope.iter().rev().find(|(n, _)| n == name);
        inner
            .map(|(_, id)| *id)
            .or_else(|| self.global.get(name).copied())
    }

    /// A use of a name where it has one meaning.
    fn name(&mut self, name: &Name) -> Option<usize> {
        let id = self.meaning(&name.text)?;
        self.using(name.span, vec![id]);
        Some(id)
    }

    /// A use of a procedure's name, or a family's; operations have names that variables may have.
    fn called(&mut self, name: &Name) {
        let id = self.global.get(&name.text).copied();
        let callable = |id: &usize| {
            matches!(
                self.names.declared[*id].kind,
                Kind::Procedure | Kind::Thread
            )
        };
        if let Some(id) = id.filter(callable) {
            self.using(name.span, vec![id]);
        }
    }

    /// A use of a name of one of these kinds, whatever scope it is of.
    fn named(&mut self, name: &Name, kinds: &[Kind]) {
        let declared = self.names.declared.iter().enumerate();
        let meant = declared.filter(|(_, d)| d.name == name.text && kinds.contains(&d.kind));
        let of: Vec<usize> = meant.map(|(id, _)| id).collect();
        self.using(name.span, of);
    }

    fn bind(&mut self, name: &Name, kind: Kind, whole: Span) {
        let id = self.declare(name, kind, whole, self.body);
        self.scope.push((name.text.clone(), id));
    }

    /// What `walk` sees is forgotten behind it.
    fn scoped(&mut self, walk: impl FnOnce(&mut Self)) {
        let before = self.scope.len();
        walk(self);
        self.scope.truncate(before);
    }

    // ---- uses ----

    fn decl(&mut self, decl: &Decl) {
        match decl {
            Decl::Const { value, .. } => self.expr(value),
            Decl::Enum { .. } | Decl::DeadlockFree(_) => {}
            Decl::Object(object) => self.object(object),
            Decl::Var(var) => self.variable(var),
            Decl::Record(record) => self.scoped(|walk| {
                let known = walk.fields.get(&record.name.text);
                let known = known.into_iter().flatten().map(|(n, id)| (n.clone(), *id));
                let siblings: Vec<_> = known.collect();
                for field in &record.fields {
                    match field {
                        Field::Object(object) => walk.object(object),
                        Field::Var(var) => walk.field(var, &siblings),
                    }
                }
            }),
            Decl::Pool { size, record, .. } => {
                self.expr(size);
                self.name(record);
            }
            Decl::Proc(procedure) => self.scoped(|walk| {
                walk.body = walk.global.get(&procedure.name.text).copied();
                for (name, ty) in &procedure.params {
                    walk.ty(ty);
                    walk.bind(name, Kind::Parameter, name.span.to(type_span(ty)));
                    if let Some((_, id)) = walk.scope.last() {
                        walk.shapes[*id] = shape(ty);
                    }
                }
                procedure.result.iter().for_each(|ty| walk.ty(ty));
                if let Some(owner) = walk.body {
                    for stmt in &procedure.body.stmts {
                        if let StmtKind::Local(var) = &stmt.kind {
                            let id = walk.local(owner, var);
                            walk.scope.push((var.name.text.clone(), id));
                        }
                    }
                }
                walk.block(&procedure.body);
            }),
            Decl::Thread(thread) => self.scoped(|walk| {
                walk.body = walk.global.get(&thread.name.text).copied();
                let inside = walk.body.and_then(|body| walk.inside.get(&body));
                let locals = inside.into_iter().flat_map(|i| &i.locals);
                let locals: Vec<_> = locals.map(|(name, ids)| (name.clone(), ids[0])).collect();
                walk.scope.extend(locals);
                if let Some((name, lo, hi)) = &thread.family {
                    walk.expr(lo);
                    walk.expr(hi);
                    walk.bind(name, Kind::Bound, name.span.to(hi.span));
                }
                walk.block(&thread.body);
            }),
            Decl::Init(e) | Decl::Property { expr: e, .. } => self.state(e),
            Decl::Expect(expect) => {
                if let ExpectKind::Property { property, .. } = &expect.kind {
                    self.named(property, &[Kind::Property, Kind::Claim]);
                }
            }
        }
        self.body = None;
    }

    /// An expression outside of all bodies.
    fn state(&mut self, e: &Expr) {
        self.body = None;
        self.expr(e);
    }

    fn object(&mut self, object: &ObjectDecl) {
        object.dims.iter().for_each(|e| self.expr(e));
        match &object.kind {
            ObjectKind::Reentrant(Some(e)) | ObjectKind::Barrier(e) => self.expr(e),
            ObjectKind::Semaphore { lo, hi, initial } => {
                [lo, hi, initial].into_iter().for_each(|e| self.expr(e));
            }
            _ => {}
        }
    }

    fn variable(&mut self, var: &VarDecl) {
        self.field(var, &[]);
    }

    /// A declaration of a variable or field; in the discipline of a field its siblings can be named.
    fn field(&mut self, var: &VarDecl, siblings: &[(String, usize)]) {
        var.dims.iter().for_each(|e| self.expr(e));
        self.ty(&var.ty);
        match &var.init {
            None => {}
            Some(Initial::All(e)) => self.expr(e),
            Some(Initial::Each(all, _)) => all.iter().for_each(|e| self.expr(e)),
        }
        let Some(Discipline::Protected {
            target,
            by,
            read,
            init,
            span,
        }) = &var.discipline
        else {
            return;
        };
        self.scoped(|walk| {
            walk.scope.extend(siblings.iter().cloned());
            if let Some((name, indices)) = target {
                let meant = siblings
                    .iter()
                    .find(|(n, _)| *n == name.text)
                    .map(|(_, id)| *id);
                let of = meant.or_else(|| walk.global.get(&name.text).copied());
                walk.using(name.span, of.into_iter().collect());
                for index in indices {
                    walk.bind(index, Kind::Bound, *span);
                }
            }
            match by {
                By::One(e) => walk.expr(e),
                By::All(places, _) => places.iter().for_each(|p| walk.place(p)),
            }
            read.iter().chain(init).for_each(|e| walk.expr(e));
        });
    }

    fn ty(&mut self, ty: &TypeExpr) {
        match ty {
            TypeExpr::Bool(_) | TypeExpr::Enum(..) => {}
            TypeExpr::Range(lo, hi) => {
                self.expr(lo);
                self.expr(hi);
            }
            TypeExpr::Mod(e, _) => self.expr(e),
            TypeExpr::Named(name) => {
                self.global_name(name);
            }
            TypeExpr::Ref { record, pool, .. } => {
                self.global_name(record);
                self.global_name(pool);
            }
        }
    }

    fn global_name(&mut self, name: &Name) {
        let of = self.global.get(&name.text).copied();
        self.using(name.span, of.into_iter().collect());
    }

    fn block(&mut self, block: &Block) {
        self.scoped(|walk| block.stmts.iter().for_each(|stmt| walk.stmt(stmt)));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Local(var) => self.variable(var),
            StmtKind::Assign(place, value) => {
                self.place(place);
                self.expr(value);
            }
            StmtKind::Havoc(place) | StmtKind::Lock(place) | StmtKind::Unlock(place) => {
                self.place(place);
            }
            StmtKind::Skip | StmtKind::Empty => {}
            StmtKind::Assert(e) | StmtKind::Assume(e) => self.expr(e),
            StmtKind::When(e, action) => {
                self.expr(e);
                self.stmt(action);
            }
            StmtKind::If(e, ..) | StmtKind::While(e, _) => self.expr(e),
            StmtKind::For(name, lo, hi, body) => {
                self.expr(lo);
                self.expr(hi);
                return self.scoped(|walk| {
                    walk.bind(name, Kind::Bound, name.span.to(hi.span));
                    walk.block(body);
                });
            }
            StmtKind::Either(_) | StmtKind::Atomic(_) => {}
            StmtKind::Choose(name, lo, hi, such) => {
                self.expr(lo);
                self.expr(hi);
                self.name(name);
                such.iter().for_each(|e| self.expr(e));
            }
            StmtKind::Transaction(claimed, _) => {
                for name in claimed.observed.iter().chain(&claimed.hidden) {
                    self.name(name);
                }
            }
            StmtKind::New(place, pool) => {
                self.place(place);
                self.name(pool);
            }
            StmtKind::Call(name, arguments) => {
                self.called(name);
                arguments.iter().for_each(|e| self.expr(e));
            }
            StmtKind::Return(value) => value.iter().for_each(|e| self.expr(e)),
            StmtKind::Goto(label) => self.label(self.body, label),
        }
        stmt.kind
            .blocks()
            .into_iter()
            .for_each(|block| self.block(block));
    }

    /// A label of one body, or of all if that is not known.
    fn label(&mut self, body: Option<usize>, label: &Name) {
        let mut inside: Vec<(&usize, &Inside)> = self.inside.iter().collect();
        inside.sort_unstable_by_key(|(id, _)| **id);
        let of = |own: bool| -> Vec<usize> {
            let bodies = inside
                .iter()
                .filter(|(id, _)| !own || body.is_none_or(|b| b == **id));
            let labels = bodies.filter_map(|(_, i)| i.labels.get(&label.text));
            labels.flatten().copied().collect()
        };
        let own = of(true);
        // A thread is also at the labels of procedures that it calls.
        let of = if own.is_empty() { of(false) } else { own };
        self.using(label.span, of);
    }

    fn place(&mut self, place: &Place) {
        let id = self.name(&place.name);
        let shape = id.map(|id| self.shapes[id].clone()).unwrap_or_default();
        self.selectors(shape, &place.selectors);
    }

    fn selectors(&mut self, mut shape: Shape, selectors: &[Selector]) {
        for selector in selectors {
            match selector {
                Selector::Index(e) => self.expr(e),
                Selector::Field(name) => {
                    let of: Vec<usize> = match &shape {
                        Shape::Record(record) => {
                            let fields = self.fields.get(record);
                            let field = fields.and_then(|f| f.get(&name.text));
                            field.copied().into_iter().collect()
                        }
                        Shape::Thread(id) => self.locals_of(Some(*id), &name.text),
                        Shape::Other => Vec::new(),
                    };
                    shape = of
                        .first()
                        .map(|id| self.shapes[*id].clone())
                        .unwrap_or_default();
                    self.using(name.span, of);
                }
            }
        }
    }

    /// The locals of this name, of one thread, or of all if that is not known.
    fn locals_of(&self, thread: Option<usize>, name: &str) -> Vec<usize> {
        let inside = self.inside.iter();
        let inside = inside.filter(|(id, _)| thread.is_none_or(|t| t == **id));
        let mut of: Vec<usize> = inside
            .filter_map(|(_, i)| i.locals.get(name))
            .flatten()
            .copied()
            .collect();
        of.sort_unstable();
        of
    }

    /// The thread that an expression names, if it names one.
    fn thread(&self, e: &Expr) -> Option<usize> {
        let name = match &e.kind {
            ExprKind::Call(name, _) => name,
            ExprKind::Place(place) if place.selectors.is_empty() => &place.name,
            _ => return None,
        };
        let id = self.meaning(&name.text)?;
        (self.names.declared[id].kind == Kind::Thread).then_some(id)
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::SelfThread
            | ExprKind::NoThread
            | ExprKind::Null => {}
            ExprKind::Place(place) | ExprKind::Reference(place) => self.place(place),
            ExprKind::Call(name, arguments) => {
                self.called(name);
                arguments.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Local(thread, place) => {
                self.expr(thread);
                let of = self.locals_of(self.thread(thread), &place.name.text);
                let shape = of
                    .first()
                    .map(|id| self.shapes[*id].clone())
                    .unwrap_or_default();
                self.using(place.name.span, of);
                self.selectors(shape, &place.selectors);
            }
            ExprKind::At(thread, label) => {
                self.expr(thread);
                self.label(self.thread(thread), label);
            }
            ExprKind::Unary(_, e) => self.expr(e),
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Cond(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Quantified {
                var, lo, hi, body, ..
            } => {
                self.expr(lo);
                self.expr(hi);
                self.scoped(|walk| {
                    walk.bind(var, Kind::Bound, var.span.to(hi.span));
                    walk.expr(body);
                });
            }
        }
    }
}

fn shape(ty: &TypeExpr) -> Shape {
    match ty {
        TypeExpr::Named(name) => Shape::Record(name.text.clone()),
        TypeExpr::Ref { record, .. } => Shape::Record(record.text.clone()),
        _ => Shape::Other,
    }
}

fn type_span(ty: &TypeExpr) -> Span {
    match ty {
        TypeExpr::Bool(span)
        | TypeExpr::Mod(_, span)
        | TypeExpr::Enum(_, span)
        | TypeExpr::Ref { span, .. } => *span,
        TypeExpr::Range(lo, hi) => lo.span.to(hi.span),
        TypeExpr::Named(name) => name.span,
    }
}
