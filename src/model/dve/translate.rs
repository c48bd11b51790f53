//! A system as a model: declarations, threads, invariants.

use super::expressions::{Scene, World, name, value_of, variable};
use super::names::Names;
use super::numbers::{Value, literal};
use super::places::places;
use super::ranges::ranges;
use super::steps::{Steps, is_received, stmt, too_large};
use super::system::{Kind, ProcessId, System};
use crate::base::diagnostic::{Diagnostic, Span};
use crate::model::dve::text::{Binary, Type};
use crate::model::text::ast::{
    Block, Decl, Expr, Initial, Model, PropertyKind, StmtKind, ThreadDecl, TypeExpr, VarDecl,
};
use std::cell::RefCell;

/// Translates a system.
///
/// # Errors
/// What becomes too large.
pub(super) fn translate(system: &System, depth: usize) -> Result<Model, Vec<Diagnostic>> {
    let shared = shared(system);
    let places = places(system);
    let names = Names::new(system, &places, &shared);
    let world = World {
        system,
        places,
        names,
        shared,
        ranges: RefCell::new(system.vars.iter().map(|v| v.ty.range()).collect()),
    };
    let found = ranges(&world);
    world.ranges.replace(found);
    let mut wrong = Vec::new();
    let mut model = Model::default();
    for v in (0..system.vars.len()).filter(|&v| world.shared[v]) {
        model.decls.push(Decl::Var(world.declaration(v)));
    }
    for c in 0..system.channels.len() {
        model
            .decls
            .extend(world.buffer(c).into_iter().map(Decl::Var));
    }
    for p in 0..system.processes.len() {
        model.decls.extend(world.place_variable(p).map(Decl::Var));
    }
    for p in 0..system.processes.len() {
        let thread = world.thread(p, depth, &mut wrong);
        model.decls.push(Decl::Thread(thread));
    }
    for p in 0..system.processes.len() {
        world.assertions(p, &mut model, depth, &mut wrong);
    }
    if wrong.is_empty() {
        return Ok(model);
    }
    wrong.dedup();
    Err(wrong)
}

/// Which variables more than one thread uses: global ones, those of a process that others name, and those that a
/// rendezvous touches at the receiver's side.
fn shared(system: &System) -> Vec<bool> {
    let mut shared: Vec<bool> = system.vars.iter().map(|v| v.owner.is_none()).collect();
    for (p, process) in system.processes.iter().enumerate() {
        for t in &process.transitions {
            let received = is_received(system, p, t);
            t.walk(&mut |e| {
                if let Kind::Place(place) = &e.kind {
                    let own = system.vars[place.var].owner == Some(p);
                    shared[place.var] |= received || !own;
                }
            });
        }
    }
    shared
}

/// The type of the numbers from `lo` to `hi`.
fn range((lo, hi): (i64, i64), span: Span) -> TypeExpr {
    TypeExpr::Range(literal(lo, span), literal(hi, span))
}

fn var(name: crate::model::text::ast::Name, ty: TypeExpr, init: Option<Initial>) -> VarDecl {
    let span = name.span;
    VarDecl {
        name,
        dims: Vec::new(),
        ty,
        init,
        discipline: None,
        span,
    }
}

impl World<'_> {
    fn declaration(&self, v: usize) -> VarDecl {
        let var_ = &self.system.vars[v];
        let span = var_.span;
        let init = match var_.init.as_slice() {
            [first, rest @ ..] if rest.iter().all(|x| x == first) => {
                Initial::All(literal(*first, span))
            }
            all => Initial::Each(all.iter().map(|x| literal(*x, span)).collect(), span),
        };
        let size = var_.size.map(|n| literal(n as i64, span));
        VarDecl {
            dims: size.into_iter().collect(),
            ..var(
                name(&self.names.vars[v], span),
                range(self.ranges.borrow()[v], span),
                Some(init),
            )
        }
    }

    /// The variables that hold what is in a channel.
    fn buffer(&self, c: usize) -> Vec<VarDecl> {
        let channel = &self.system.channels[c];
        let Some((length, parts)) = &self.names.channels[c] else {
            return Vec::new();
        };
        let span = channel.span;
        let zero = || Some(Initial::All(literal(0, span)));
        let size = channel.size as i64;
        let mut all = vec![var(name(length, span), range((0, size), span), zero())];
        for (n, part) in parts.iter().enumerate() {
            let ty = channel.types.as_ref().map_or(Type::Int, |types| types[n]);
            all.push(VarDecl {
                dims: vec![literal(size, span)],
                ..var(name(part, span), range(ty.range(), span), zero())
            });
        }
        all
    }

    /// The variable that says where a process is.
    fn place_variable(&self, p: ProcessId) -> Option<VarDecl> {
        let (variable_, values) = self.names.places[p].as_ref()?;
        let process = &self.system.processes[p];
        let span = process.span;
        let first = &values[self.places[p].class[process.initial]];
        let init = Initial::All(value_of(variable(first, None, span)));
        let values = values.iter().map(|v| name(v, span)).collect();
        let ty = TypeExpr::Enum(values, span);
        Some(var(name(variable_, span), ty, Some(init)))
    }

    fn thread(&self, p: ProcessId, depth: usize, wrong: &mut Vec<Diagnostic>) -> ThreadDecl {
        let process = &self.system.processes[p];
        let span = process.span;
        let mut steps = Steps {
            world: self,
            process: p,
            depth,
            waiting: Vec::new(),
            wrong: Vec::new(),
        };
        let mut body = Vec::new();
        for cluster in 0..self.places[p].clusters.len() {
            body.append(&mut steps.cluster(cluster));
        }
        wrong.append(&mut steps.wrong);
        let own = |v: &usize| self.system.vars[*v].owner == Some(p) && !self.shared[*v];
        let mut stmts: Vec<_> = (0..self.system.vars.len())
            .filter(own)
            .map(|v| self.declaration(v))
            .collect();
        for waiting in &steps.waiting {
            let zero = Some(Initial::All(literal(0, span)));
            stmts.push(var(
                name(waiting, span),
                range(Type::Int.range(), span),
                zero,
            ));
        }
        let locals = stmts.into_iter().map(|d| {
            let span = d.span;
            stmt(StmtKind::Local(d), span)
        });
        ThreadDecl {
            name: name(&self.names.threads[p], span),
            family: None,
            body: Block {
                stmts: locals.chain(body).collect(),
                span,
            },
            span,
        }
    }

    /// `assert q: e` is an invariant: where the process is in `q`, `e` holds.
    fn assertions(
        &self,
        p: ProcessId,
        model: &mut Model,
        depth: usize,
        wrong: &mut Vec<Diagnostic>,
    ) {
        let process = &self.system.processes[p];
        for ((state, e), text) in process.asserts.iter().zip(&self.names.asserts[p]) {
            let span = e.span;
            let here = self.at(p, *state, Scene::Property, span);
            let held = self.value(e, Scene::Property);
            let value = Value::binary(Binary::Imply, here, held, span).truth();
            wrong.extend(too_large(&value, depth));
            let expr: Expr = value.expr;
            model.decls.push(Decl::Property {
                kind: PropertyKind::Invariant,
                name: name(text, span),
                expr,
            });
        }
    }
}
