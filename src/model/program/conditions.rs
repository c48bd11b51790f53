//! Condition variables and barriers: where threads wait for each other, in locations of their own.

use super::actions::Action;
use super::cfg::{Graph, NodeId};
use super::expressions::{balanced, fold, not};
use super::objects::Sync;
use super::operations::{Located, action, evaluated, is};
use super::scope::{Context, Elaborator};
use super::{ArrayId, Command, Expr, Failure, Kind, NO_OWNER};
use crate::model::text::ast::{self, BinaryOp, Name, Stmt};

impl Elaborator {
    /// `notify(c);` never blocks: the choice is among those that wait.
    pub(super) fn notify(
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
        self.assume_size(&self.thread_count(), argument.span, cx);
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
        let woken = g.part("woken", |g| g.action(stmt.span, Some(guard), again, next));
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
        self.assume_size(&self.thread_count(), b.span, cx);
        for t in 0..self.program.threads.len() {
            let waits = self.state_of(waiting, &index, Some(&Expr::Const(t as i64)));
            terms.push(Expr::Cond(
                Box::new(waits),
                Box::new(Expr::TRUE),
                Box::new(Expr::FALSE),
            ));
        }
        let others = balanced(BinaryOp::Add, terms, Expr::Const(0));
        let released = g.part("released", |g| {
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
}
