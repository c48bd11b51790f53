//! Operations on objects, as guards and commands over the objects' state.
//!
//! An operation evaluates the indices of its objects first. Commands evaluate them anew wherever they name a cell, so where an
//! operation writes something that occurs in an index, it becomes a distinction of cases over the index's values.

use super::actions::Action;
use super::cfg::{Graph, NodeId};
use super::codes;
use super::expressions::{balanced, fold, not};
use super::objects::Sync;
use super::places::{Denoted, counted};
use super::scope::{Context, Elaborator, Entity, Symbol};
use super::{ArrayId, Command, Expr, Failure, Kind, NO_OWNER, NULL, Target, ThreadId};
use crate::syntax::ast::{self, BinaryOp, ExprKind, Name, Place, Selector, Stmt};
use crate::syntax::diagnostic::Span;

/// An object with its indices.
type Located = (usize, Vec<Expr>);

/// Whether an operation waits for something: these stand first in an `atomic` block.
pub(super) fn operation_blocks(name: &str) -> bool {
    matches!(name, "read_lock" | "write_lock" | "down" | "join")
}

/// Whether an operation is two actions.
pub(super) fn takes_two_steps(name: &str) -> bool {
    matches!(name, "wait" | "await")
}

fn add(e: Expr, n: i64) -> Expr {
    fold(BinaryOp::Add, e, Expr::Const(n))
}

fn is(e: Expr, n: i64) -> Expr {
    fold(BinaryOp::Eq, e, Expr::Const(n))
}

/// A condition that holds, once the expression has been evaluated.
pub(super) fn evaluated(e: Expr, kind: Kind) -> Expr {
    let truth = match kind {
        Kind::Bool => e,
        _ => Expr::Binary(BinaryOp::Eq, Box::new(e), Box::new(Expr::Const(0))),
    };
    Expr::Binary(BinaryOp::Or, Box::new(truth), Box::new(Expr::TRUE))
}

impl Elaborator {
    fn this(&self, cx: &Context) -> Expr {
        Expr::Const(cx.this.map_or(NO_OWNER, |t| t as i64))
    }

    fn state_of(&mut self, array: ArrayId, index: &[Expr], last: Option<&Expr>) -> Expr {
        let index = index.iter().chain(last).cloned().collect();
        self.read(array, index).expr
    }

    fn set(&self, array: ArrayId, index: &[Expr], last: Option<&Expr>, value: Expr) -> Command {
        let index = index.iter().chain(last).cloned().collect();
        Command::Assign(self.write(array, index), value)
    }

    /// `lock(m);`
    pub(super) fn lock(&mut self, g: &mut Graph, place: &Place, cx: &Context) -> Option<Action> {
        let (object, index) = self.mutex(place, cx)?;
        let this = self.this(cx);
        let sync = self.objects[object].sync;
        let owner = sync.owner()?;
        let held = self.state_of(owner, &index, None);
        self.may_fail(g, &[&held]);
        let free = is(held.clone(), NO_OWNER);
        let Sync::Reentrant { depth, bound, .. } = sync else {
            return Some(Action {
                guard: Some(free),
                body: vec![self.set(owner, &index, None, this)],
            });
        };
        g.may_fail = true;
        let mine = fold(BinaryOp::Eq, held, this.clone());
        let body = self.settled(
            g,
            &index,
            object,
            &[owner, depth],
            place.span,
            &|e, index| {
                let deep = e.state_of(depth, index, None);
                let room = fold(BinaryOp::Ne, deep.clone(), Expr::Const(bound));
                vec![
                    Command::Check(room, Failure::Depth),
                    e.set(owner, index, None, this.clone()),
                    e.set(depth, index, None, add(deep, 1)),
                ]
            },
        )?;
        Some(Action {
            guard: Some(fold(BinaryOp::Or, free, mine)),
            body,
        })
    }

    /// `unlock(m);`
    pub(super) fn unlock(&mut self, g: &mut Graph, place: &Place, cx: &Context) -> Option<Action> {
        let (object, index) = self.mutex(place, cx)?;
        let this = self.this(cx);
        let sync = self.objects[object].sync;
        let owner = sync.owner()?;
        g.may_fail = true;
        let held = self.state_of(owner, &index, None);
        let check = Command::Check(fold(BinaryOp::Eq, held, this), Failure::NotOwner);
        let Sync::Reentrant { depth, .. } = sync else {
            let free = self.set(owner, &index, None, Expr::Const(NO_OWNER));
            return Some(action(vec![check, free]));
        };
        let mut body = vec![check];
        body.extend(self.settled(
            g,
            &index,
            object,
            &[owner, depth],
            place.span,
            &|e, index| {
                let deep = e.state_of(depth, index, None);
                let free = e.set(owner, index, None, Expr::Const(NO_OWNER));
                vec![
                    e.set(depth, index, None, add(deep.clone(), -1)),
                    Command::If(is(deep, 0), vec![free], Vec::new()),
                ]
            },
        )?);
        Some(action(body))
    }

    /// A mutex of either kind.
    fn mutex(&mut self, place: &Place, cx: &Context) -> Option<Located> {
        self.object_of(place, cx, "a mutex", "mutex", |s| s.owner().is_some())
    }

    /// An operation that is one action.
    pub(super) fn operation(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        name: &Name,
        arguments: &[ast::Expr],
        cx: &Context,
    ) -> Option<Action> {
        let forms: &[&str] = match name.text.as_str() {
            "wait" => &["c", "m"],
            "notify" | "notifyAll" => &["c"],
            "up" | "down" => &["s"],
            "await" => &["b"],
            "start" | "join" => &["t"],
            "free" => &["p"],
            _ => &["l"],
        };
        if arguments.len() != forms.len() {
            self.error(
                codes::BAD_CALL,
                stmt.span,
                format!(
                    "`{}` has {} here",
                    name.text,
                    counted(arguments.len(), "argument", "arguments")
                ),
                counted(forms.len(), "argument", "arguments"),
                format!("write `{}({});`", name.text, forms.join(", ")),
            );
            return None;
        }
        if takes_two_steps(&name.text) {
            self.error(
                codes::BAD_ATOMIC,
                stmt.span,
                format!("`{}` is two actions, not one", name.text),
                "a statement that is one action",
                "it gives up its turn in between: let it stand alone, outside of `atomic` and `when`",
            );
            return None;
        }
        let first = &arguments[0];
        match name.text.as_str() {
            "start" => self.start(g, first, cx),
            "join" => {
                let thread = self.thread_argument(first, cx)?;
                // The location is not known yet; see `joins`.
                Some(Action {
                    guard: Some(Expr::At(thread, Vec::new())),
                    body: Vec::new(),
                })
            }
            "free" => self.free(g, first, cx),
            "notify" | "notifyAll" => self.notify(g, name, first, cx),
            "up" | "down" => self.count(g, name, first, cx),
            _ => self.rwlock(g, name, first, cx),
        }
    }

    fn rwlock(
        &mut self,
        g: &mut Graph,
        name: &Name,
        argument: &ast::Expr,
        cx: &Context,
    ) -> Option<Action> {
        let is_lock = |s: Sync| matches!(s, Sync::RwLock { .. });
        let (object, index) =
            self.argument(argument, cx, "a read-write lock", "rwlock", is_lock)?;
        let Sync::RwLock { writer, reading } = self.objects[object].sync else {
            return None;
        };
        let this = self.this(cx);
        let held = self.state_of(writer, &index, None);
        let reads = self.state_of(reading, &index, Some(&this));
        let free = is(held.clone(), NO_OWNER);
        self.may_fail(g, &[&held]);
        if name.text == "write_lock" {
            let mut terms = vec![free];
            for t in 0..self.program.threads.len() {
                let reads = self.state_of(reading, &index, Some(&Expr::Const(t as i64)));
                terms.push(not(reads));
            }
            return Some(Action {
                guard: Some(balanced(BinaryOp::And, terms, Expr::TRUE)),
                body: vec![self.set(writer, &index, None, this)],
            });
        }
        g.may_fail = true;
        let mark = |e: &Self, value: i64| e.set(reading, &index, Some(&this), Expr::Const(value));
        Some(match name.text.as_str() {
            "read_lock" => Action {
                guard: Some(free),
                body: vec![Command::Check(not(reads), Failure::Held), mark(self, 1)],
            },
            "read_unlock" => action(vec![
                Command::Check(reads, Failure::NotOwner),
                mark(self, 0),
            ]),
            _ => action(vec![
                Command::Check(fold(BinaryOp::Eq, held, this.clone()), Failure::NotOwner),
                self.set(writer, &index, None, Expr::Const(NO_OWNER)),
            ]),
        })
    }

    /// `up(s);`, `down(s);`
    fn count(
        &mut self,
        g: &mut Graph,
        name: &Name,
        argument: &ast::Expr,
        cx: &Context,
    ) -> Option<Action> {
        let is_semaphore = |s: Sync| matches!(s, Sync::Semaphore { .. });
        let (object, index) =
            self.argument(argument, cx, "a semaphore", "semaphore", is_semaphore)?;
        let Sync::Semaphore { value } = self.objects[object].sync else {
            return None;
        };
        let count = self.state_of(value, &index, None);
        self.may_fail(g, &[&count]);
        if name.text == "down" {
            let guard = fold(BinaryOp::Gt, count.clone(), Expr::Const(0));
            return Some(Action {
                guard: Some(guard),
                body: vec![self.set(value, &index, None, add(count, -1))],
            });
        }
        g.may_fail = true;
        Some(action(vec![self.set(value, &index, None, add(count, 1))]))
    }

    /// `notify(c);` never blocks: the choice is among those that wait.
    fn notify(
        &mut self,
        g: &mut Graph,
        name: &Name,
        argument: &ast::Expr,
        cx: &Context,
    ) -> Option<Action> {
        let (object, index) = self.condition_variable(argument, cx)?;
        let Sync::Cond { waiting } = self.objects[object].sync else {
            return None;
        };
        let threads = self.program.threads.len();
        let one = self.state_of(waiting, &index, Some(&Expr::Const(0)));
        self.may_fail(g, &[&one]);
        if name.text == "notifyAll" {
            let body =
                self.settled(g, &index, object, &[waiting], argument.span, &|e, index| {
                    e.wake_all(waiting, index)
                })?;
            return Some(action(body));
        }
        if !self.grow(threads.saturating_mul(threads), argument.span) {
            return None;
        }
        let some = self.someone(waiting, &index, 0, threads);
        let wake = self.wake_one(waiting, &index, 0, threads);
        Some(action(vec![Command::If(some, wake, Vec::new())]))
    }

    fn wake_all(&self, waiting: ArrayId, index: &[Expr]) -> Vec<Command> {
        (0..self.program.threads.len())
            .map(|t| {
                let thread = Expr::Const(t as i64);
                self.set(waiting, index, Some(&thread), Expr::FALSE)
            })
            .collect()
    }

    /// Whether one of the threads from `low` to before `high` waits.
    fn someone(&mut self, waiting: ArrayId, index: &[Expr], low: usize, high: usize) -> Expr {
        let terms = (low..high)
            .map(|t| self.state_of(waiting, index, Some(&Expr::Const(t as i64))))
            .collect();
        balanced(BinaryOp::Or, terms, Expr::FALSE)
    }

    /// One of these threads, some of which wait, waits no longer.
    fn wake_one(
        &mut self,
        waiting: ArrayId,
        index: &[Expr],
        low: usize,
        high: usize,
    ) -> Vec<Command> {
        if high - low <= 1 {
            let thread = Expr::Const(low as i64);
            return vec![self.set(waiting, index, Some(&thread), Expr::FALSE)];
        }
        let middle = low + (high - low) / 2;
        let first = self.wake_one(waiting, index, low, middle);
        let second = self.wake_one(waiting, index, middle, high);
        let in_first = self.someone(waiting, index, low, middle);
        let in_second = self.someone(waiting, index, middle, high);
        let both = vec![Command::Choose(vec![first.clone(), second.clone()])];
        let first = vec![Command::If(in_second, both, first)];
        vec![Command::If(in_first, first, second)]
    }

    fn start(&mut self, g: &mut Graph, argument: &ast::Expr, cx: &Context) -> Option<Action> {
        let thread = self.thread_argument(argument, cx)?;
        let started = self.started(thread, argument.span)?;
        let flag = self.state_of(started, &[], None);
        g.may_fail = true;
        let set = self.set(started, &[], None, Expr::TRUE);
        Some(action(vec![
            Command::Check(not(flag), Failure::Started),
            set,
        ]))
    }

    /// A thread given by name and constant index.
    fn thread_argument(&mut self, e: &ast::Expr, cx: &Context) -> Option<ThreadId> {
        let bound = |name: &Name| cx.bound.iter().any(|(n, _)| *n == name.text);
        let (name, index): (&Name, Vec<&ast::Expr>) = match &e.kind {
            ExprKind::Call(name, index) => (name, index.iter().collect()),
            ExprKind::Place(place) if !bound(&place.name) => {
                let indices = place.selectors.iter().filter_map(|s| match s {
                    Selector::Index(e) => Some(e),
                    Selector::Field(_) => None,
                });
                (&place.name, indices.collect())
            }
            _ => {
                self.error(
                    codes::NOT_A_VARIABLE,
                    e.span,
                    "this names no thread",
                    "a thread",
                    "write its name, as in `start(a);` or `start(worker(0));`",
                );
                return None;
            }
        };
        self.thread_of(name, &index, e.span, cx)
    }

    fn free(&mut self, g: &mut Graph, argument: &ast::Expr, cx: &Context) -> Option<Action> {
        let value = self.expression(argument, cx)?;
        let allocated = match value.kind {
            Kind::Ref(target) if self.targets.get(target).is_some_and(|t| t.pool) => {
                let record = self.targets[target].instance?;
                self.instances[record].allocated?
            }
            found => {
                self.mismatch(
                    argument.span,
                    found,
                    "a reference into a pool",
                    "only what `new` has allocated can be freed",
                );
                return None;
            }
        };
        g.may_fail = true;
        let slot = Expr::Via(Box::new(value.expr), Some(allocated));
        let free = Command::Assign(Target::Element(allocated, vec![slot]), Expr::FALSE);
        Some(action(vec![free]))
    }

    /// `p = new P;`
    pub(super) fn new_object(
        &mut self,
        g: &mut Graph,
        place: &Place,
        pool: &Name,
        cx: &Context,
    ) -> Option<Action> {
        let target = self.target_of(place, cx);
        let found = self.target(pool, cx)?;
        let (target, array) = target?;
        let allocated = match self.symbol(&pool.text) {
            Some(Symbol::Entity(Entity::Record(r))) => self.instances[r].allocated,
            _ => None,
        };
        let Some(allocated) = allocated else {
            self.error(
                codes::NOT_A_VARIABLE,
                pool.span,
                format!("`{}` is not a pool", pool.text),
                "a pool",
                "the objects of an array are always there: refer to them with `&a[k]`",
            );
            return None;
        };
        let ty = self.program.cells[self.program.arrays[array].first].ty;
        if ty.kind != Kind::Ref(found) {
            self.mismatch(
                place.span,
                ty.kind,
                &format!("a place for a reference into `{}`", pool.text),
                "correct the pool, or the variable's type",
            );
            return None;
        }
        g.may_fail |= matches!(target, Target::Element(..));
        let slots = self.program.pools[found].len;
        let halvings = slots.ilog2() as usize + 1;
        if !self.grow(slots.saturating_mul(halvings), place.span) {
            return None;
        }
        let none = vec![Command::Assign(target.clone(), Expr::Const(NULL))];
        let some = self.some_free(allocated, 0, slots);
        let first = self.first_free(allocated, &target, 0, slots);
        Some(action(vec![Command::If(some, first, none)]))
    }

    fn some_free(&mut self, allocated: ArrayId, low: usize, high: usize) -> Expr {
        let terms = (low..high)
            .map(|k| not(self.state_of(allocated, &[Expr::Const(k as i64)], None)))
            .collect();
        balanced(BinaryOp::Or, terms, Expr::FALSE)
    }

    /// Takes the lowest free slot of these, some of which are free. The place comes first: its index is evaluated before anything is written.
    fn first_free(
        &mut self,
        allocated: ArrayId,
        target: &Target,
        low: usize,
        high: usize,
    ) -> Vec<Command> {
        if high - low <= 1 {
            let slot = Expr::Const(low as i64);
            return vec![
                Command::Assign(target.clone(), slot.clone()),
                self.set(allocated, &[slot], None, Expr::TRUE),
            ];
        }
        let middle = low + (high - low) / 2;
        let in_first = self.some_free(allocated, low, middle);
        let first = self.first_free(allocated, target, low, middle);
        let second = self.first_free(allocated, target, middle, high);
        vec![Command::If(in_first, first, second)]
    }

    /// `wait(c, m);` and `await(b);`: two locations.
    pub(super) fn two_steps(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        (name, arguments): (&Name, &[ast::Expr]),
        next: NodeId,
        cx: &Context,
    ) -> Option<NodeId> {
        match (name.text.as_str(), arguments) {
            ("wait", [c, m]) => self.wait(g, stmt, c, m, next, cx),
            ("await", [b]) => self.await_barrier(g, stmt, b, next, cx),
            // Reports the number of arguments.
            _ => self.operation(g, stmt, name, arguments, cx).map(|_| next),
        }
    }

    fn wait(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        c: &ast::Expr,
        m: &ast::Expr,
        next: NodeId,
        cx: &Context,
    ) -> Option<NodeId> {
        let condition = self.condition_variable(c, cx);
        let mutex = self.argument(m, cx, "a mutex", "mutex", |s| s.owner().is_some());
        let ((condition, at_c), (mutex, at_m)) = (condition?, mutex?);
        let Sync::Cond { waiting } = self.objects[condition].sync else {
            return None;
        };
        let sync = self.objects[mutex].sync;
        let owner = sync.owner()?;
        let depths = match sync {
            Sync::Reentrant { depth, .. } => Some((depth, self.saved(mutex)?)),
            _ => None,
        };
        let this = self.this(cx);
        g.may_fail = true;

        // The first action gives the mutex up.
        let mut writes = vec![owner, waiting];
        writes.extend(depths.iter().flat_map(|&(depth, saved)| [depth, saved]));
        let waits = self.state_of(waiting, &at_c, Some(&this));
        let held = self.state_of(owner, &at_m, None);
        let mut body = Vec::new();
        if matches!(waits, Expr::Element(..)) {
            body.push(Command::Check(
                evaluated(waits.clone(), Kind::Bool),
                Failure::Index,
            ));
        }
        let mine = fold(BinaryOp::Eq, held.clone(), this.clone());
        body.push(Command::Check(mine, Failure::NotOwner));
        let span = stmt.span;
        body.extend(
            self.settled(g, &at_c, condition, &writes, span, &|e, at_c| {
                let release = |e: &mut Self, at_m: &[Expr]| {
                    let mut commands = vec![e.set(owner, at_m, None, Expr::Const(NO_OWNER))];
                    if let Some((depth, saved)) = depths {
                        let deep = e.state_of(depth, at_m, None);
                        commands.push(e.set(saved, at_m, Some(&this), deep));
                        commands.push(e.set(depth, at_m, None, Expr::Const(0)));
                    }
                    commands.push(e.set(waiting, at_c, Some(&this), Expr::TRUE));
                    commands
                };
                let mut inner = Graph::default();
                e.settled(&mut inner, &at_m, mutex, &writes, span, &release)
                    .unwrap_or_default()
            })?,
        );

        // The second one takes it again.
        let guard = fold(BinaryOp::And, not(waits), is(held, NO_OWNER));
        let mut again = Vec::new();
        again.extend(self.settled(g, &at_m, mutex, &writes, span, &|e, at_m| {
            let mut commands = vec![e.set(owner, at_m, None, this.clone())];
            if let Some((depth, saved)) = depths {
                let deep = e.state_of(saved, at_m, Some(&this));
                commands.push(e.set(depth, at_m, None, deep));
                commands.push(e.set(saved, at_m, Some(&this), Expr::Const(0)));
            }
            commands
        })?);
        let woken = g.copied("woken", |g| g.action(stmt.span, Some(guard), again, next));
        Some(g.action(stmt.span, None, body, woken))
    }

    fn await_barrier(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        b: &ast::Expr,
        next: NodeId,
        cx: &Context,
    ) -> Option<NodeId> {
        let is_barrier = |s: Sync| matches!(s, Sync::Barrier { .. });
        let (object, index) = self.argument(b, cx, "a barrier", "barrier", is_barrier)?;
        let Sync::Barrier { waiting, parties } = self.objects[object].sync else {
            return None;
        };
        let this = self.this(cx);
        let waits = self.state_of(waiting, &index, Some(&this));
        self.may_fail(g, &[&waits]);
        let mut terms = Vec::new();
        for t in 0..self.program.threads.len() {
            let waits = self.state_of(waiting, &index, Some(&Expr::Const(t as i64)));
            terms.push(Expr::Cond(
                Box::new(waits),
                Box::new(Expr::TRUE),
                Box::new(Expr::FALSE),
            ));
        }
        let others = balanced(BinaryOp::Add, terms, Expr::Const(0));
        let released = g.copied("released", |g| {
            g.action(stmt.span, Some(not(waits)), Vec::new(), next)
        });
        let mut all = self.settled(g, &index, object, &[waiting], stmt.span, &|e, index| {
            e.wake_all(waiting, index)
        })?;
        all.push(Command::Goto(next));
        let wait = vec![
            self.set(waiting, &index, Some(&this), Expr::TRUE),
            Command::Goto(released),
        ];
        let complete = is(others, parties - 1);
        Some(g.branching(stmt.span, vec![Command::If(complete, all, wait)]))
    }

    fn condition_variable(&mut self, e: &ast::Expr, cx: &Context) -> Option<Located> {
        let is_cond = |s: Sync| matches!(s, Sync::Cond { .. });
        self.argument(e, cx, "a condition variable", "cond", is_cond)
    }

    /// An object as an argument.
    fn argument(
        &mut self,
        e: &ast::Expr,
        cx: &Context,
        wanted: &str,
        word: &str,
        fits: impl Fn(Sync) -> bool,
    ) -> Option<Located> {
        if let Some(place) = Self::as_place(e) {
            return self.object_of(place, cx, wanted, word, fits);
        }
        let text = self.program.text(e.span);
        self.error(
            codes::NOT_A_VARIABLE,
            e.span,
            format!("`{text}` is not {wanted}"),
            wanted.to_string(),
            match word {
                "barrier" => {
                    "name a `barrier`; to wait for a condition, write `assume(e);`".to_string()
                }
                _ => format!("declare one with `{word}`, and name it here"),
            },
        );
        None
    }

    /// The object that a place denotes.
    fn object_of(
        &mut self,
        place: &Place,
        cx: &Context,
        wanted: &str,
        word: &str,
        fits: impl Fn(Sync) -> bool,
    ) -> Option<Located> {
        let denoted = self.denote(place, cx)?;
        if let Denoted::Object(object, index) = denoted {
            if fits(self.objects[object].sync) {
                return Some((object, index));
            }
            let found = self.objects[object].sync.words();
            let text = self.program.text(place.span);
            self.error(
                codes::NOT_A_VARIABLE,
                place.span,
                format!("`{text}` is {found}"),
                wanted.to_string(),
                "each kind of object has operations of its own",
            );
            return None;
        }
        self.error(
            codes::NOT_A_VARIABLE,
            place.span,
            format!("`{}` is not {wanted}", place.name.text),
            wanted.to_string(),
            match word {
                "semaphore" => format!("declare it as `semaphore {}: 0..3 = 1;`", place.name.text),
                "barrier" => format!("declare it as `barrier {}: 2;`", place.name.text),
                _ => format!("declare it as `{word} {};`", place.name.text),
            },
        );
        None
    }

    /// Commands about the object at an index. If they write what the index reads, its value is settled before, by cases.
    fn settled(
        &mut self,
        g: &mut Graph,
        index: &[Expr],
        object: usize,
        writes: &[ArrayId],
        span: Span,
        make: &dyn Fn(&mut Self, &[Expr]) -> Vec<Command>,
    ) -> Option<Vec<Command>> {
        let mut read = false;
        for e in index {
            e.walk(&mut |e| {
                read |= match e {
                    Expr::Cell(c) => writes.contains(&self.program.cells[*c].array),
                    Expr::Element(a, _) => writes.contains(a),
                    _ => false,
                };
            });
        }
        if !read {
            return Some(make(self, index));
        }
        let dims: Vec<usize> = self.objects[object]
            .path
            .iter()
            .flat_map(|(_, d)| d.iter().copied())
            .collect();
        let all: usize = dims.iter().product();
        if !self.grow(all.saturating_mul(writes.len()), span) {
            return None;
        }
        g.may_fail = true;
        // Fails where an index does.
        let whole = self.objects[object].sync.readable();
        let own = whole.first().map(|(_, array)| *array)?;
        let missing = self.program.arrays[own].dims.len() - index.len();
        let zeros = std::iter::repeat_n(Expr::Const(0), missing);
        let cell = self.read(own, index.iter().cloned().chain(zeros).collect());
        let mut commands = vec![Command::Check(
            evaluated(cell.expr, cell.kind),
            Failure::Index,
        )];
        commands.extend(self.cases(index, &dims, &mut Vec::new(), make));
        Some(commands)
    }

    fn cases(
        &mut self,
        index: &[Expr],
        dims: &[usize],
        known: &mut Vec<Expr>,
        make: &dyn Fn(&mut Self, &[Expr]) -> Vec<Command>,
    ) -> Vec<Command> {
        match dims.get(known.len()) {
            None => make(self, known),
            Some(&size) => self.case(index, dims, known, (0, size), make),
        }
    }

    fn case(
        &mut self,
        index: &[Expr],
        dims: &[usize],
        known: &mut Vec<Expr>,
        (low, high): (usize, usize),
        make: &dyn Fn(&mut Self, &[Expr]) -> Vec<Command>,
    ) -> Vec<Command> {
        if high - low <= 1 {
            known.push(Expr::Const(low as i64));
            let commands = self.cases(index, dims, known, make);
            known.pop();
            return commands;
        }
        let middle = low + (high - low) / 2;
        let below = fold(
            BinaryOp::Lt,
            index[known.len()].clone(),
            Expr::Const(middle as i64),
        );
        let first = self.case(index, dims, known, (low, middle), make);
        let second = self.case(index, dims, known, (middle, high), make);
        vec![Command::If(below, first, second)]
    }
}

fn action(body: Vec<Command>) -> Action {
    Action { guard: None, body }
}
