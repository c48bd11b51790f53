//! Transitions as branches of our threads: a guard, an atomic effect, and where it leads.
//!
//! The order inside a step is that of DiVinE: values pass first, evaluated in the old state; then the receiver moves
//! and has its effects, then the sender. A process has moved before its effects happen. On a channel with a buffer, the
//! value is put in or taken out before the effects (DiVinE 3).

use super::expressions::{Scene, World, name, value_of, variable};
use super::numbers::{LARGEST, Value};
use super::places::has_partner;
use super::system::{Expr, Kind, Place, ProcessId, StateId, Sync, Transition, VarId};
use crate::base::diagnostic::{Diagnostic, Span};
use crate::model::dve::text::codes::TOO_DEEP;
use crate::model::dve::text::{Binary, Type};
use crate::model::text::ast::{self, Block, Stmt, StmtKind};

/// The steps of one process.
pub(super) struct Steps<'w> {
    pub world: &'w World<'w>,
    pub process: ProcessId,
    pub depth: usize,
    /// Cells that values wait in inside a step.
    pub waiting: Vec<String>,
    pub wrong: Vec<Diagnostic>,
}

/// One way to leave a location.
struct Step {
    guard: Option<Value>,
    body: Vec<Stmt>,
    to: StateId,
    span: Span,
}

/// A value on its way to a variable.
struct Passing {
    var: VarId,
    target: ast::Place,
    index: Option<Value>,
    value: Value,
    /// The variables that the value and the index are computed from.
    reads: Vec<VarId>,
}

impl Steps<'_> {
    /// The statements at one location.
    pub fn cluster(&mut self, cluster: usize) -> Vec<Stmt> {
        let (world, p) = (self.world, self.process);
        let (system, places) = (world.system, &world.places[p]);
        let mut steps = Vec::new();
        for t in &system.processes[p].transitions {
            if places.cluster[t.from] != cluster || system.receives(t).is_some() {
                continue;
            }
            let Some(c) = system.sends(t) else {
                steps.extend(self.alone(t));
                continue;
            };
            for (q, other) in system.processes.iter().enumerate() {
                let receiving = |r: &&Transition| q != p && system.receives(r) == Some(c);
                for r in other.transitions.iter().filter(receiving) {
                    steps.extend(self.pair(t, (q, r)));
                }
            }
        }
        let here = places.clusters[cluster][0];
        let span = system.processes[p].states[here].span;
        let label = name(&world.names.labels[p][cluster], span);
        let mut branches: Vec<Block> = steps.into_iter().map(|s| self.branch(s)).collect();
        let mut stmts = match branches.len() {
            0 => {
                let never = Value::known(false, span).expr;
                let skip = Box::new(stmt(StmtKind::Skip, span));
                vec![stmt(StmtKind::When(never, skip), span)]
            }
            1 => branches.remove(0).stmts,
            _ => vec![stmt(StmtKind::Either(branches), span)],
        };
        stmts[0].labels.push(label);
        stmts
    }

    fn branch(&mut self, step: Step) -> Block {
        let (world, span) = (self.world, step.span);
        let mut body = step.body;
        let effect = match body.len() {
            0 => stmt(StmtKind::Skip, span),
            1 => body.remove(0),
            _ => stmt(StmtKind::Atomic(Block { stmts: body, span }), span),
        };
        let action = match step.guard {
            None => effect,
            Some(guard) => {
                let guard = self.checked(guard).expr;
                stmt(StmtKind::When(guard, Box::new(effect)), span)
            }
        };
        let cluster = world.places[self.process].cluster[step.to];
        let label = name(&world.names.labels[self.process][cluster], span);
        Block {
            stmts: vec![action, stmt(StmtKind::Goto(label), span)],
            span,
        }
    }

    /// A transition without a partner.
    fn alone(&mut self, t: &Transition) -> Option<Step> {
        let (world, p, span) = (self.world, self.process, t.span);
        let before = [(p, t.from)];
        let scene = Scene::Step(&before);
        let mut guards = self.positions(&[(p, t.from)], &[], span)?;
        let mut body = Vec::new();
        let after = [(p, t.to)];
        match &t.sync {
            Some(Sync::Send(c, values)) => {
                let (length, size) = self.length(*c, span);
                guards.push(Value::binary(Binary::Lt, length.clone(), size, span));
                let Some((length_name, parts)) = &world.names.channels[*c] else {
                    return None;
                };
                let types = &world.system.channels[*c].types;
                for (n, (part, e)) in parts.iter().zip(values).enumerate() {
                    let value = world.value(e, scene);
                    let value = match types {
                        Some(types) => value.of_type(types[n]),
                        None => value.counted(),
                    };
                    let to = variable(part, Some(length.expr.clone()), span);
                    body.push(self.assign(to, value, span));
                }
                let one = Value::number(1, span);
                let more = Value::binary(Binary::Add, length, one, span);
                body.push(self.assign(variable(length_name, None, span), more, span));
                self.moves(p, t, &mut body);
            }
            Some(Sync::Receive(c, places)) => {
                let (length, _) = self.length(*c, span);
                let none = Value::number(0, span);
                guards.push(Value::binary(Binary::Gt, length.clone(), none, span));
                self.take(*c, places, scene, length, &mut body, span);
                self.moves(p, t, &mut body);
            }
            None => self.moves(p, t, &mut body),
        }
        guards.extend(t.guards.iter().map(|e| world.value(e, scene)));
        self.effects(t, Scene::Step(&after), &mut body);
        let guard = Value::all(guards);
        if guard.as_ref().is_some_and(|g| g.constant() == Some(0)) {
            return None;
        }
        let to = t.to;
        Some(Step {
            guard,
            body,
            to,
            span,
        })
    }

    /// A sending transition with a receiving one of another process.
    fn pair(&mut self, t: &Transition, (q, r): (ProcessId, &Transition)) -> Option<Step> {
        let (world, p, span) = (self.world, self.process, t.span);
        let (Some(Sync::Send(c, values)), Some(Sync::Receive(_, places))) = (&t.sync, &r.sync)
        else {
            return None;
        };
        let before = [(p, t.from), (q, r.from)];
        let scene = Scene::Step(&before);
        let other = world.in_class(q, world.places[q].class[r.from], span);
        let mut guards = self.positions(&before, &[other], span)?;
        guards.extend(self.both(&t.guards, &r.guards, scene));
        let types = &world.system.channels[*c].types;
        let passing = values
            .iter()
            .zip(places)
            .enumerate()
            .map(|(n, (e, place))| {
                let value = world.value(e, scene);
                let value = match types {
                    Some(types) => value.of_type(types[n]),
                    None => value.counted(),
                };
                self.passing(place, value, &[e], scene)
            });
        let passing: Vec<Passing> = passing.collect();
        let mut body = Vec::new();
        self.pass(passing, &mut body, span);
        self.moves(q, r, &mut body);
        self.effects(r, Scene::Step(&[(p, t.from), (q, r.to)]), &mut body);
        self.moves(p, t, &mut body);
        self.effects(t, Scene::Step(&[(p, t.to), (q, r.to)]), &mut body);
        let guard = Value::all(guards);
        if guard.as_ref().is_some_and(|g| g.constant() == Some(0)) {
            return None;
        }
        let to = t.to;
        Some(Step {
            guard,
            body,
            to,
            span,
        })
    }

    // ---- guards ----

    /// Whether the processes of a step are where it begins, and no committed process stands in its way; `None` if that
    /// is never so.
    fn positions(
        &self,
        begin: &[(ProcessId, StateId)],
        others: &[Value],
        span: Span,
    ) -> Option<Vec<Value>> {
        let (world, p) = (self.world, self.process);
        let from = begin[0].1;
        let mut all = Vec::new();
        if world.places[p].shares(from) {
            all.push(world.in_class(p, world.places[p].class[from], span));
        }
        all.extend(others.iter().cloned());
        let committed =
            |&(q, s): &(ProcessId, StateId)| world.system.processes[q].states[s].committed;
        if begin.iter().all(committed) {
            return Some(all);
        }
        if begin.iter().any(committed) {
            return None;
        }
        for q in 0..world.system.processes.len() {
            if !begin.iter().any(|(r, _)| *r == q) {
                all.push(world.not_committed(q, span));
            }
        }
        Some(all)
    }

    /// The guards of sender and receiver. One that fails counts as passed, so it leads to an error only if the other's
    /// is not false.
    fn both(&self, sender: &[Expr], receiver: &[Expr], scene: Scene) -> Vec<Value> {
        let world = self.world;
        let values =
            |all: &[Expr]| -> Vec<Value> { all.iter().map(|e| world.value(e, scene)).collect() };
        let (mine, theirs) = (values(sender), values(receiver));
        let fails = |all: &[Value]| all.iter().any(|v| v.fails);
        match (fails(&mine), fails(&theirs)) {
            (false, _) => mine.into_iter().chain(theirs).collect(),
            (true, false) => theirs.into_iter().chain(mine).collect(),
            (true, true) => {
                let and = |a: Expr, b: &Expr| Expr {
                    span: a.span,
                    kind: Kind::Binary(Binary::And, Box::new(a), Box::new(b.clone())),
                };
                let first = receiver.first().cloned();
                let all = first.map(|e| receiver[1..].iter().fold(e, and));
                let not_false = all.map(|e| {
                    let (defined, value) = (world.defined(&e, scene), world.value(&e, scene));
                    Value::binary(Binary::Imply, defined, value, e.span)
                });
                not_false.into_iter().chain(mine).chain(theirs).collect()
            }
        }
    }

    fn length(&self, channel: usize, span: Span) -> (Value, Value) {
        let c = &self.world.system.channels[channel];
        let size = c.size as i64;
        let name = self.world.names.channels[channel].as_ref();
        let there = value_of(variable(name.map_or("", |n| &n.0), None, span));
        (
            Value::read(there, (0, size), None, false),
            Value::number(size, span),
        )
    }

    // ---- effects ----

    /// The process is in its new state.
    fn moves(&mut self, p: ProcessId, t: &Transition, body: &mut Vec<Stmt>) {
        let places = &self.world.places[p];
        if let Some((var, values)) = &self.world.names.places[p]
            && places.class[t.from] != places.class[t.to]
        {
            let value = value_of(variable(&values[places.class[t.to]], None, t.span));
            let to = variable(var, None, t.span);
            body.push(stmt(StmtKind::Assign(to, value), t.span));
        }
    }

    fn effects(&mut self, t: &Transition, scene: Scene, body: &mut Vec<Stmt>) {
        for (target, e) in &t.effects {
            let (to, index, _) = self.world.place(target, scene);
            if let Some(index) = index {
                self.checked(index);
            }
            let value = self.world.value(e, scene).counted();
            body.push(self.assign(to, value, target.span.to(e.span)));
        }
    }

    fn assign(&mut self, to: ast::Place, value: Value, span: Span) -> Stmt {
        let value = self.checked(value);
        stmt(StmtKind::Assign(to, value.expr), span)
    }

    fn passing(&self, place: &Place, value: Value, from: &[&Expr], scene: Scene) -> Passing {
        let mut reads = Vec::new();
        let index = place.index.as_deref();
        for e in from.iter().copied().chain(index) {
            e.walk(&mut |e| {
                if let Kind::Place(p) = &e.kind {
                    reads.push(p.var);
                }
            });
        }
        let (target, index, _) = self.world.place(place, scene);
        Passing {
            var: place.var,
            target,
            index,
            value,
            reads,
        }
    }

    /// Assigns all at once: one after the other where none changes what a later one reads, else by way of cells that
    /// are 0 between steps.
    fn pass(&mut self, mut all: Vec<Passing>, body: &mut Vec<Stmt>, span: Span) {
        while !all.is_empty() {
            let free = (0..all.len()).find(|&i| {
                let disturbs = |(j, other): (usize, &Passing)| {
                    j != i && other.reads.contains(&all[i].var) || j < i && other.var == all[i].var
                };
                !all.iter().enumerate().any(disturbs)
            });
            let Some(free) = free else { break };
            let one = all.remove(free);
            self.check_index(&one);
            body.push(self.assign(one.target, one.value, span));
        }
        let mut moves = Vec::new();
        let mut used = 0;
        for mut one in all {
            self.check_index(&one);
            let keep = |steps: &mut Self, value: Value, body: &mut Vec<Stmt>, used: &mut usize| {
                let cell = steps.cell(*used);
                *used += 1;
                body.push(steps.assign(variable(&cell, None, span), value, span));
                value_of(variable(&cell, None, span))
            };
            if let Some(index) = one.index.take().filter(|i| i.constant().is_none()) {
                let kept = keep(self, index, body, &mut used);
                one.target.selectors = vec![ast::Selector::Index(kept)];
            }
            let kept = keep(self, one.value, body, &mut used);
            moves.push(stmt(StmtKind::Assign(one.target, kept), span));
        }
        body.append(&mut moves);
        for n in 0..used {
            let cell = variable(&self.cell(n), None, span);
            body.push(self.assign(cell, Value::number(0, span), span));
        }
    }

    fn check_index(&mut self, passing: &Passing) {
        if let Some(index) = &passing.index {
            self.checked(index.clone());
        }
    }

    /// The n-th cell for values that wait.
    fn cell(&mut self, n: usize) -> String {
        while self.waiting.len() <= n {
            let (world, p) = (self.world, self.process);
            let fresh = world.names.local(world.system, p, "passed", &self.waiting);
            self.waiting.push(fresh);
        }
        self.waiting[n].clone()
    }

    /// Takes the first item out of a buffer; the others move up, and what becomes free is 0.
    fn take(
        &mut self,
        channel: usize,
        places: &[Place],
        scene: Scene,
        length: Value,
        body: &mut Vec<Stmt>,
        span: Span,
    ) {
        let world = self.world;
        let Some((length_name, parts)) = &world.names.channels[channel] else {
            return;
        };
        let c = &world.system.channels[channel];
        let range = |n: usize| match &c.types {
            Some(types) => types[n].range(),
            None => Type::Int.range(),
        };
        let slot = |part: &str, n: usize| {
            let index = Value::number(n as i64, span).expr;
            variable(part, Some(index), span)
        };
        let passing = places
            .iter()
            .zip(parts)
            .enumerate()
            .map(|(n, (place, part))| {
                let first = Value::read(value_of(slot(part, 0)), range(n), None, false);
                self.passing(place, first, &[], scene)
            });
        let passing: Vec<Passing> = passing.collect();
        self.pass(passing, body, span);
        for part in parts {
            for n in 1..c.size {
                let next = value_of(slot(part, n));
                body.push(stmt(StmtKind::Assign(slot(part, n - 1), next), span));
            }
            let zero = Value::number(0, span);
            body.push(self.assign(slot(part, c.size - 1), zero, span));
        }
        let one = Value::number(1, span);
        let less = Value::binary(Binary::Sub, length, one, span);
        body.push(self.assign(variable(length_name, None, span), less, span));
    }

    fn checked(&mut self, value: Value) -> Value {
        self.wrong.extend(too_large(&value, self.depth));
        value
    }
}

/// What is said of an expression that has become too large.
pub(super) fn too_large(value: &Value, depth: usize) -> Option<Diagnostic> {
    if value.size <= LARGEST && value.depth + 8 <= depth {
        return None;
    }
    Some(Diagnostic::error(
        TOO_DEEP,
        value.expr.span,
        "this expression becomes too large in our language",
        format!("{LARGEST} operators, nested {depth} levels deep, at most"),
        "compute parts of it in steps of their own",
    ))
}

pub(super) fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt {
        labels: Vec::new(),
        kind,
        span,
    }
}

/// Whether a receiving transition ever has a partner; only then does another process touch what it mentions.
pub(super) fn is_received(world: &super::system::System, p: ProcessId, t: &Transition) -> bool {
    world.receives(t).is_some_and(|c| has_partner(world, p, c))
}
