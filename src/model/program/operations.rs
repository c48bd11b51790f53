//! Operations on locks, semaphores and threads, as guards and commands over their state; and what all operations share.

use super::actions::Action;
use super::cfg::Graph;
use super::codes;
use super::expressions::{balanced, fold, not};
use super::objects::Sync;
use super::places::{Denoted, counted};
use super::scope::{Context, Elaborator};
use super::{ArrayId, Command, Expr, Failure, Kind, NO_OWNER, ThreadId};
use crate::model::text::ast::{self, BinaryOp, ExprKind, Name, Place, Selector, Stmt};

/// An object with its indices.
pub(super) type Located = (usize, Vec<Expr>);

/// Whether an operation waits for something: these stand first in an `atomic` block.
pub(super) fn operation_blocks(name: &str) -> bool {
    matches!(name, "read_lock" | "write_lock" | "down" | "join")
}

/// Whether an operation is two actions.
pub(super) fn takes_two_steps(name: &str) -> bool {
    matches!(name, "wait" | "await")
}

pub(super) fn add(e: Expr, n: i64) -> Expr {
    fold(BinaryOp::Add, e, Expr::Const(n))
}

pub(super) fn is(e: Expr, n: i64) -> Expr {
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
    pub(super) fn this(&self, cx: &Context) -> Expr {
        match cx.this {
            Some(t) => self.number_of(t),
            None => Expr::Const(NO_OWNER),
        }
    }

    pub(super) fn state_of(&mut self, array: ArrayId, index: &[Expr], last: Option<&Expr>) -> Expr {
        let index = index.iter().chain(last).cloned().collect();
        self.read(array, index).expr
    }

    pub(super) fn set(
        &self,
        array: ArrayId,
        index: &[Expr],
        last: Option<&Expr>,
        value: Expr,
    ) -> Command {
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
            self.assume_size(&self.thread_count(), argument.span, cx);
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

    /// An object as an argument.
    pub(super) fn argument(
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
}

/// An action without a guard.
pub(super) fn action(body: Vec<Command>) -> Action {
    Action { guard: None, body }
}
