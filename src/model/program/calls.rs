//! Calls: the body of a procedure in place of each call, with one copy of its variables per thread.

use super::actions::Action;
use super::cfg::{Graph, NodeId};
use super::codes;
use super::expressions::fits;
use super::operations::evaluated;
use super::places::counted;
use super::scope::{Context, Elaborator, Entity, Symbol};
use super::{ArrayId, CellId, Class, Command, Expr, Failure, Target, ThreadId, Type, gotos};
use crate::base::diagnostic::Span;
use crate::model::text::ast::{self, ExprKind, Name, Place, ProcDecl, Stmt, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A call of a procedure.
#[derive(Clone, Copy)]
pub(super) struct Call<'s> {
    /// The procedure.
    pub procedure: usize,
    /// What is on its left.
    place: Option<&'s Place>,
    pub arguments: &'s [ast::Expr],
}

/// The variables of a procedure in one thread.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// Parameters and locals by name.
    locals: FxHashMap<String, Entity>,
    params: Vec<ArrayId>,
    /// What a call writes: the cells of locals with an initial value.
    initials: Vec<(CellId, i64)>,
    result: Option<Type>,
    /// How many arrays there are once these are made.
    pub arrays: usize,
}

/// Where `return` goes.
#[derive(Clone, Debug)]
pub(super) struct Returning {
    /// The type that the procedure declares.
    result: Option<Type>,
    /// The procedure's name.
    name: String,
    /// What the call assigns to.
    place: Option<(Target, ArrayId)>,
    /// The node behind the call; none in an `atomic` block.
    pub next: Option<NodeId>,
}

impl Elaborator {
    /// The call of a procedure that a statement is, if it is one.
    pub(super) fn as_call<'s>(&self, kind: &'s StmtKind) -> Option<Call<'s>> {
        let (place, name, arguments) = match kind {
            StmtKind::Call(name, arguments) => (None, name, arguments),
            StmtKind::Assign(place, e) => match &e.kind {
                // In parentheses it would be an expression, where no call can stand.
                ExprKind::Call(name, arguments) if e.span.start == name.span.start => {
                    (Some(place), name, arguments)
                }
                _ => return None,
            },
            _ => return None,
        };
        Some(Call {
            procedure: self.procedure(name)?,
            place,
            arguments,
        })
    }

    /// The parameters of a thread's procedures to which no statement assigns: only calls do.
    pub(super) fn parameters(&self, thread: ThreadId) -> FxHashSet<CellId> {
        let frames = (0..self.procs.len()).filter_map(|p| self.frames.get(&(thread, p)));
        let arrays = frames.flat_map(|frame| &frame.params);
        let only_called = arrays.filter(|a| !self.assigned.contains(a));
        only_called.map(|a| self.program.arrays[*a].first).collect()
    }

    /// Parameters, locals and result of a procedure in a thread.
    fn frame(&mut self, thread: ThreadId, procedure: usize) -> Option<Rc<Frame>> {
        if let Some(frame) = self.frames.get(&(thread, procedure)) {
            return Some(frame.clone());
        }
        let decl = self.procs[procedure].decl.clone();
        let arrays = self.program.arrays.len();
        let prefix = vec![
            (self.program.threads[thread].name.clone(), Vec::new()),
            (decl.name.text.clone(), Vec::new()),
        ];
        let mut cx = Context {
            this: Some(thread),
            ..Context::default()
        };
        let mut params = Vec::new();
        for (name, ty) in &decl.params {
            if self.symbol(&name.text).is_some() || cx.locals.contains_key(&name.text) {
                self.duplicate(name);
            }
            let ty = self.type_of(ty, &cx);
            let mut path = prefix.clone();
            path.push((name.text.clone(), Vec::new()));
            let array = match ty {
                Some(ty) => self.new_array(&path, ty, Class::Local(thread), name.span),
                None => None,
            };
            let entity = array.map_or(Entity::Broken, Entity::Data);
            cx.locals.insert(name.text.clone(), entity);
            params.extend(array);
        }
        let result = decl.result.as_ref().map(|ty| self.type_of(ty, &cx));
        self.open_range(None);
        let first = self.program.cells.len();
        self.locals(&decl.body, &prefix, &mut cx);
        self.assume_frame(arrays, decl.name.span, &cx);
        let mut initials = Vec::new();
        for cell in first..self.program.cells.len() {
            initials.extend(self.program.cells[cell].initial.map(|v| (cell, v)));
        }
        for array in arrays..self.program.arrays.len() {
            for cell in self.program.cells_of(array) {
                let cell = &mut self.program.cells[cell];
                cell.initial = cell.initial.or(Some(cell.ty.lo));
            }
        }
        let complete = params.len() == decl.params.len() && result != Some(None);
        let frame = Rc::new(Frame {
            locals: cx.locals,
            params,
            initials,
            result: result.flatten(),
            arrays: self.program.arrays.len(),
        });
        if !complete {
            return None;
        }
        self.frames.insert((thread, procedure), frame.clone());
        Some(frame)
    }

    /// Says that a call has another number of arguments than its procedure has parameters.
    fn miscounted(&mut self, decl: &ProcDecl, found: usize, span: Span) {
        let names: Vec<&str> = decl.params.iter().map(|(n, _)| n.text.as_str()).collect();
        let wanted = decl.params.len();
        self.error(
            codes::BAD_CALL,
            span,
            format!(
                "`{}` has {}, here it has {found}",
                decl.name.text,
                counted(wanted, "parameter", "parameters")
            ),
            counted(wanted, "argument", "arguments"),
            format!("write `{}({});`", decl.name.text, names.join(", ")),
        );
    }

    /// What a call does before the body: the commands of its action (none if it is no step), and the names of the body.
    fn enter(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        call: Call,
        cx: &mut Context,
    ) -> Option<(Vec<Command>, Context)> {
        let decl = self.procs[call.procedure].decl.clone();
        if self.procs[call.procedure].broken {
            return None;
        }
        let (wanted, found) = (decl.params.len(), call.arguments.len());
        if wanted != found {
            self.miscounted(&decl, found, stmt.span);
        }
        if let (Some(place), None) = (call.place, &decl.result) {
            self.error(
                codes::BAD_CALL,
                place.span,
                format!("`{}` returns nothing", decl.name.text),
                "a call on its own",
                format!(
                    "write `{}(..);`, or give the procedure a result type: `proc {}(..): 0..7`",
                    decl.name.text, decl.name.text
                ),
            );
            return None;
        }
        let thread = cx.this?;
        let frame = self.frame(thread, call.procedure);
        let mut commands = Vec::new();
        let mut complete = wanted == found;
        let mut back = Vec::new();
        for (i, argument) in call.arguments.iter().enumerate() {
            let (argument, read) = self.reading_results(argument, cx);
            back.extend(read);
            let value = self.expression(&argument, cx);
            let (Some(value), Some(frame)) = (value, &frame) else {
                complete = false;
                continue;
            };
            let Some(&array) = frame.params.get(i) else {
                continue;
            };
            let cell = self.program.arrays[array].first;
            let (target, ty) = (Target::Cell(cell), self.program.cells[cell].ty);
            let spans = (stmt.span, argument.span);
            match self.assignable(g, &target, ty, &value, spans) {
                Some(()) => commands.push(Command::Assign(target, value.expr)),
                None => complete = false,
            }
        }
        let place = match call.place {
            Some(place) => Some(self.target_of(place, cx)?),
            None => None,
        };
        let frame = frame.filter(|_| complete)?;
        if let (Some((_, array)), Some(result), Some(written)) = (&place, frame.result, call.place)
        {
            let ty = self.program.cells[self.program.arrays[*array].first].ty;
            if !fits(ty.kind, result.kind) {
                self.mismatch(
                    written.span,
                    ty.kind,
                    &format!("a place for what `{}` returns", decl.name.text),
                    "correct the variable's type, or that of the result",
                );
                return None;
            }
        }
        if !self.grow(frame.initials.len(), stmt.span) {
            return None;
        }
        commands.extend(back);
        let initials = frame.initials.iter();
        commands
            .extend(initials.map(|&(cell, v)| Command::Assign(Target::Cell(cell), Expr::Const(v))));
        self.procs[call.procedure].called |= self.gone == 0;
        let inner = Context {
            this: cx.this,
            locals: frame.locals.clone(),
            returning: Some(Returning {
                result: frame.result,
                name: decl.name.text.clone(),
                place,
                next: None,
            }),
            ..Context::default()
        };
        Some((commands, inner))
    }

    /// A call outside of `atomic`: the node that it begins at.
    pub(super) fn call(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        call: Call,
        next: NodeId,
        cx: &mut Context,
    ) -> NodeId {
        let Some((commands, mut inner)) = self.enter(g, stmt, call, cx) else {
            return next;
        };
        if self.alone {
            return g.action(stmt.span, None, commands, next);
        }
        let line = self.program.line(stmt.span);
        let entry = g.copied(&format!("from line {line}"), |g| {
            self.body(g, call.procedure, next, &mut inner)
        });
        match commands.is_empty() {
            true => entry,
            false => g.action(stmt.span, None, commands, entry),
        }
    }

    /// The body of a procedure before a node.
    fn body(
        &mut self,
        g: &mut Graph,
        procedure: usize,
        next: NodeId,
        inner: &mut Context,
    ) -> NodeId {
        let decl = self.procs[procedure].decl.clone();
        if let Some(returning) = &mut inner.returning {
            returning.next = Some(next);
        }
        let end = closing(&decl);
        let bottom = match decl.result {
            Some(_) => g.node(end),
            None => next,
        };
        let outer = g.body.replace(procedure);
        let jumps = self.jumps_of(&decl.body);
        let jumps = std::mem::replace(&mut g.jumps, jumps);
        let entry = self.block(g, &decl.body, bottom, inner, true);
        self.jump(g);
        g.body = outer;
        g.jumps = jumps;
        if bottom != next {
            if g.reaches(entry, bottom, next) {
                self.no_return(&decl, end);
            }
            g.nodes[bottom].forward.push(next);
        }
        entry
    }

    /// The body of a procedure that no thread calls, for its errors.
    pub(super) fn body_alone(&mut self, g: &mut Graph, procedure: usize, cx: &mut Context) {
        let Some(frame) = cx.this.and_then(|t| self.frame(t, procedure)) else {
            return;
        };
        cx.locals = frame.locals.clone();
        cx.returning = Some(Returning {
            result: frame.result,
            name: self.procs[procedure].decl.name.text.clone(),
            place: None,
            next: None,
        });
        self.alone = true;
        self.body(g, procedure, super::cfg::END, cx);
        self.shorten_jumps(g);
        self.alone = false;
    }

    fn no_return(&mut self, decl: &ProcDecl, end: Span) {
        self.error(
            codes::BAD_RETURN,
            end,
            format!("`{}` can end without a result", decl.name.text),
            "`return e;` on every path",
            "put a `return` before this, with the value the caller is to get",
        );
    }

    /// `return e;` outside of `atomic`: the node that it begins at.
    pub(super) fn return_statement(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        value: Option<&ast::Expr>,
        cx: &mut Context,
    ) -> Option<NodeId> {
        let commands = self.return_commands(g, stmt, value, cx)?;
        let next = cx.returning.as_ref()?.next?;
        Some(match commands {
            None => next,
            Some(commands) => g.action(stmt.span, None, commands, next),
        })
    }

    /// What a `return` does; nothing at all if it has no value.
    fn return_commands(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        value: Option<&ast::Expr>,
        cx: &mut Context,
    ) -> Option<Option<Vec<Command>>> {
        let Some(returning) = &cx.returning else {
            self.error(
                codes::BAD_RETURN,
                stmt.span,
                "`return` outside of a procedure",
                "a statement",
                "a thread ends at the end of its body; put the code into a `proc` to leave it early",
            );
            return None;
        };
        let (value, result) = match (value, returning.result) {
            (None, None) => return Some(None),
            (Some(value), Some(result)) => (value, result),
            (value, _) => {
                let (name, has) = (returning.name.clone(), value.is_some());
                self.error(
                    codes::BAD_RETURN,
                    stmt.span,
                    match has {
                        true => format!("`{name}` returns nothing"),
                        false => format!("`{name}` returns a value"),
                    },
                    if has { "`return;`" } else { "`return e;`" },
                    match has {
                        true => format!("give it a result type: `proc {name}(..): 0..7`"),
                        false => "write the value behind `return`".to_string(),
                    },
                );
                return None;
            }
        };
        let place = returning.place.clone();
        let parts = self.exchanged(value, None, cx);
        let read = parts.as_ref().map_or(value, |p| &p.value);
        let typed = self.expression(read, cx)?;
        let effects = parts.iter().flat_map(|p| &p.effects);
        let mut effects = self.sequence(g, &effects.collect::<Vec<_>>(), cx)?;
        effects.extend(parts.iter().flat_map(|p| p.back.clone()));
        if !fits(result.kind, typed.kind) {
            self.mismatch(
                value.span,
                typed.kind,
                "a value of the procedure's result type",
                "correct the value, or the type in the procedure's header",
            );
            return None;
        }
        let mut commands = match place {
            Some((target, array)) => {
                self.is_apart(array, &effects, value.span)?;
                let ty = self.program.cells[self.program.arrays[array].first].ty;
                self.assignable(g, &target, ty, &typed, (stmt.span, value.span))?;
                vec![Command::Assign(target, typed.expr)]
            }
            None => {
                self.may_fail(g, &[&typed.expr]);
                match typed.expr {
                    Expr::Const(_) => Vec::new(),
                    e => vec![Command::Check(evaluated(e, typed.kind), Failure::Assertion)],
                }
            }
        };
        commands.extend(effects);
        Some(Some(commands))
    }

    /// A call inside of one action.
    pub(super) fn call_inside(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        call: Call,
        cx: &mut Context,
    ) -> Option<Action> {
        let (mut commands, mut inner) = self.enter(g, stmt, call, cx)?;
        if self.alone {
            return Some(Action {
                guard: None,
                body: commands,
            });
        }
        let decl = self.procs[call.procedure].decl.clone();
        let mut stmts: Vec<&Stmt> = decl
            .body
            .stmts
            .iter()
            .filter(|s| !matches!(s.kind, StmtKind::Local(_)))
            .collect();
        let last = match stmts.last() {
            Some(last) => match &last.kind {
                StmtKind::Return(value) => Some((*last, value.as_ref())),
                _ => None,
            },
            None => None,
        };
        let line = self.program.line(stmt.span);
        self.inside_one_action.push((decl.name.text.clone(), line));
        if last.is_some() {
            stmts.pop();
        }
        let action = match commands.is_empty() {
            true => self.compound(g, &stmts, &mut inner),
            false => self.sequence(g, &stmts, &mut inner).map(|rest| {
                commands.extend(rest);
                Action {
                    guard: None,
                    body: commands,
                }
            }),
        };
        let returned = match last {
            Some((stmt, value)) => {
                self.no_labels(stmt);
                self.return_commands(g, stmt, value, &mut inner)
            }
            None => Some(None),
        };
        self.inside_one_action.pop();
        let (mut action, returned) = (action?, returned?);
        if last.is_none() && decl.result.is_some() {
            self.no_return(&decl, closing(&decl));
        }
        action.body.extend(returned.unwrap_or_default());
        Some(action)
    }

    /// Whether a call begins with something that blocks.
    pub(super) fn call_blocks(&self, call: Call) -> bool {
        let procedure = &self.procs[call.procedure];
        if procedure.broken || !procedure.decl.params.is_empty() {
            return false;
        }
        for stmt in &procedure.decl.body.stmts {
            match &stmt.kind {
                // A local with an initial value, or of a record type, makes the call a step.
                StmtKind::Local(var) if var.init.is_some() => return false,
                StmtKind::Local(var) => {
                    if let ast::TypeExpr::Named(name) = &var.ty
                        && let Some(Symbol::Record(_)) = self.symbol(&name.text)
                    {
                        return false;
                    }
                }
                _ => {}
            }
        }
        let mut stmts = procedure.decl.body.stmts.iter();
        let first = stmts.find(|s| !matches!(s.kind, StmtKind::Local(_)));
        first.is_some_and(|s| self.blocks(&s.kind))
    }

    /// Whether a name is that of an operation or procedure, which are no values.
    pub(super) fn no_value(&mut self, name: &Name, span: Span) -> bool {
        let operation = crate::model::text::OPERATIONS.contains(&name.text.as_str());
        let known = self.symbol(&name.text);
        match known {
            Some(Symbol::Proc(_)) => self.misplaced_call(name, span),
            None if operation => self.error(
                codes::BAD_CALL,
                span,
                format!("the operation `{}` is called in an expression", name.text),
                "a value",
                format!("write `{}(..);` as a statement of its own", name.text),
            ),
            _ => return false,
        }
        true
    }
}

impl Graph {
    /// Whether control can get from one node to another without passing a third.
    fn reaches(&self, from: NodeId, to: NodeId, without: NodeId) -> bool {
        let (mut seen, mut stack) = (FxHashSet::default(), vec![from]);
        while let Some(node) = stack.pop() {
            if node == to {
                return true;
            }
            if node != without && seen.insert(node) {
                stack.extend(&self.nodes[node].forward);
                for edge in &self.nodes[node].edges {
                    gotos(&edge.body, &mut stack);
                }
            }
        }
        false
    }
}

fn closing(decl: &ProcDecl) -> Span {
    let end = decl.body.span.end;
    Span::new(end.saturating_sub(1), end)
}
