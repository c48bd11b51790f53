//! Statements to a control-flow graph: locations, and the edges that leave them.
//!
//! The graph is built backwards, each statement knowing the node that follows it. Nodes without an action of
//! their own (`either`, `while (true)`, labels) forward to others; a location is a set of nodes with actions
//! that control can wait at together. So a choice is no step, and a constant condition leaves nothing behind.

use super::claims::Claimed;
use super::codes;
use super::expressions::Typed;
use super::jumps::Jumps;
use super::operations::takes_two_steps;
use super::scope::{Context, Elaborator};
use super::{Command, Edge, Expr, Kind};
use crate::base::diagnostic::{Diagnostic, Severity, Span};
use crate::model::text::ast::{self, Block, Name, Place, Stmt, StmtKind};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

pub(super) type NodeId = usize;

/// Where a thread waits for its `start`.
pub(super) const START: &str = "start";

/// The node of a thread that has ended.
pub(super) const END: NodeId = 0;

#[derive(Default)]
pub(super) struct ControlNode {
    pub edges: Vec<Edge>,
    pub forward: Vec<NodeId>,
    pub span: Span,
    /// `k=1`: which copy of an unrolled loop this is, or which part of a statement.
    pub copy: String,
    /// Whether it is a part of a statement that another node begins.
    pub is_part: bool,
    /// The transactions that it is inside of (see `claims`).
    pub inside: Vec<usize>,
    /// The transactions that begin with it.
    pub begins: Vec<usize>,
    /// A `goto`: nothing but its forward edge.
    pub jumps: bool,
}

/// A label, and the nodes that it names.
pub(super) struct Label {
    pub name: String,
    pub span: Span,
    pub nodes: Vec<NodeId>,
    /// The procedure whose body it stands in: labels differ within one body.
    body: Option<usize>,
}

#[derive(Default)]
pub(super) struct Graph {
    pub nodes: Vec<ControlNode>,
    pub labels: Vec<Label>,
    /// The procedure whose body is being built, if any.
    pub body: Option<usize>,
    /// The transactions in the order in which they end.
    pub blocks: Vec<Claimed>,
    /// Those around what is being built.
    pub around: Vec<usize>,
    /// The jumps in it.
    pub jumps: Jumps,
    copy: Vec<String>,
    is_part: bool,
    /// Whether some step can go wrong: then the thread needs a location for that.
    pub may_fail: bool,
}

impl Graph {
    pub(super) fn node(&mut self, span: Span) -> NodeId {
        self.nodes.push(ControlNode {
            span,
            copy: self.copy.join(", "),
            is_part: self.is_part,
            inside: self.around.clone(),
            ..ControlNode::default()
        });
        self.nodes.len() - 1
    }

    /// The action that goes on with a statement when a wait is over, told apart by `name`.
    pub(super) fn part(&mut self, name: &str, f: impl FnOnce(&mut Self) -> NodeId) -> NodeId {
        self.is_part = true;
        let built = self.copied(name, f);
        self.is_part = false;
        built
    }

    /// What is built by `f` is one of several copies, told apart by `name`.
    pub(super) fn copied<T>(&mut self, name: &str, f: impl FnOnce(&mut Self) -> T) -> T {
        self.copy.push(name.to_string());
        let built = f(self);
        self.copy.pop();
        built
    }

    /// A node whose action says itself where it goes.
    pub(super) fn branching(&mut self, span: Span, body: Vec<Command>) -> NodeId {
        let node = self.node(span);
        self.nodes[node].edges.push(Edge {
            guard: None,
            body,
            span,
        });
        node
    }

    pub(super) fn action(
        &mut self,
        span: Span,
        guard: Option<Expr>,
        mut body: Vec<Command>,
        next: NodeId,
    ) -> NodeId {
        let node = self.node(span);
        body.push(Command::Goto(next));
        self.nodes[node].edges.push(Edge { guard, body, span });
        node
    }

    /// The nodes with actions that control waits at when it is at `node`.
    pub(super) fn waiting_at(&self, node: NodeId) -> BTreeSet<NodeId> {
        let (mut seen, mut stack, mut found) = (BTreeSet::new(), vec![node], BTreeSet::new());
        while let Some(n) = stack.pop() {
            if seen.insert(n) {
                if !self.nodes[n].edges.is_empty() {
                    found.insert(n);
                }
                stack.extend(&self.nodes[n].forward);
            }
        }
        found
    }
}

impl Elaborator {
    /// The graph of a thread, and the node that it begins at.
    pub(super) fn thread_graph(&mut self, body: &Block, cx: &mut Context) -> (Graph, NodeId) {
        let mut graph = Graph::default();
        graph.node(Span::new(body.span.end.saturating_sub(1), body.span.end));
        graph.jumps = self.jumps_of(body);
        let entry = self.block(&mut graph, body, END, cx, true);
        self.jump(&mut graph);
        self.shorten_jumps(&mut graph);
        graph.settle_fronts(self.fronts);
        (graph, entry)
    }

    /// The locations of a thread. One that is started waits for that in front of its body.
    pub(super) fn located(&mut self, number: usize, span: Span, mut g: Graph, entry: NodeId) {
        let mut entry = entry;
        if let Some(started) = self.started[number] {
            let flag = Expr::Cell(self.program.arrays[started].first);
            entry = g.action(span, Some(flag), Vec::new(), entry);
            if !g.labels.iter().any(|l| l.name == START) {
                g.labels.push(Label {
                    name: START.to_string(),
                    span,
                    nodes: vec![entry],
                    body: None,
                });
            }
        }
        let mut thread = self.program.threads[number].clone();
        self.locations(number, &g, entry, &mut thread);
        thread.unstarted = self.started[number].map(|_| thread.initial);
        self.program.threads[number] = thread;
    }

    pub(super) fn block(
        &mut self,
        g: &mut Graph,
        block: &Block,
        next: NodeId,
        cx: &mut Context,
        top: bool,
    ) -> NodeId {
        let mut next = next;
        for (i, stmt) in block.stmts.iter().enumerate().rev() {
            if let StmtKind::Local(var) = &stmt.kind {
                if !top {
                    self.error(
                        codes::MISPLACED,
                        var.span,
                        "a thread-local variable can't be declared here",
                        "a statement",
                        "declare it at the top level of the thread's body",
                    );
                }
                self.label(g, stmt, next);
                continue;
            }
            if !self.grow(1, stmt.span) {
                return next;
            }
            let endless = matches!(&stmt.kind, StmtKind::While(c, _)
                if self.quietly(|e| e.condition(c, cx)) == Some(Expr::TRUE));
            let leaves = match &stmt.kind {
                StmtKind::Return(_) => Some(
                    "the `return` before it leaves the procedure; remove what follows, or put a condition before it",
                ),
                StmtKind::Goto(_) => Some(
                    "the `goto` before it goes on elsewhere; remove what follows, or jump to a label before it",
                ),
                _ => endless.then_some(
                    "the loop before it does not end; remove what follows, or give the loop a condition",
                ),
            };
            let rest = &block.stmts[i + 1..];
            let acts = |s: &Stmt| !matches!(s.kind, StmtKind::Empty | StmtKind::Local(_));
            if let (Some(help), Some(after)) = (leaves, rest.iter().position(acts))
                && !g.jumps.enter(&rest[..=after])
            {
                self.report(Diagnostic::warning(
                    codes::UNREACHABLE_CODE,
                    rest[after].span,
                    "this is never reached",
                    "the end of the block",
                    help,
                ));
            }
            let entry = self.statement(g, stmt, next, cx);
            self.label(g, stmt, entry);
            next = entry;
        }
        next
    }

    fn label(&mut self, g: &mut Graph, stmt: &Stmt, node: NodeId) {
        for name in &stmt.labels {
            g.jumps.label(&name.text, node);
            let body = g.body;
            let same = |l: &&mut Label| l.name == name.text && l.body == body;
            match g.labels.iter_mut().find(same) {
                // Copies of an unrolled loop or of a procedure share a label: it then names several locations.
                Some(label) if label.span == name.span => label.nodes.push(node),
                // Statements are met backwards; the later of the two is the duplicate.
                Some(label) if label.span.start > name.span.start => {
                    let later = Name {
                        text: name.text.clone(),
                        span: label.span,
                    };
                    self.duplicate(&later);
                }
                Some(_) => self.duplicate(name),
                None => g.labels.push(Label {
                    name: name.text.clone(),
                    span: name.span,
                    nodes: vec![node],
                    body,
                }),
            }
        }
    }

    fn statement(&mut self, g: &mut Graph, stmt: &Stmt, next: NodeId, cx: &mut Context) -> NodeId {
        // They stand before the statement, and a loop comes back to them.
        let calls = self.calls_before(stmt, cx);
        if let (StmtKind::While(c, body), false) = (&stmt.kind, calls.is_empty()) {
            return self.repeated_calling(g, stmt, (c, body, &calls), next, cx);
        }
        let mut entry = self.step(g, stmt, next, cx);
        for call in calls.iter().rev() {
            entry = self.step(g, call, entry, cx);
        }
        entry
    }

    /// A statement behind the calls of its expressions.
    fn step(&mut self, g: &mut Graph, stmt: &Stmt, next: NodeId, cx: &mut Context) -> NodeId {
        if let Some(call) = self.as_call(&stmt.kind) {
            return self.call(g, stmt, call, next, cx);
        }
        match &stmt.kind {
            StmtKind::Return(value) => {
                let entry = self.return_statement(g, stmt, value.as_ref(), cx);
                let behind = cx.returning.as_ref().and_then(|r| r.next);
                entry.or(behind).unwrap_or(next)
            }
            StmtKind::Goto(label) => self.goto(g, label, stmt.span),
            StmtKind::Call(name, arguments) if takes_two_steps(&name.text) => {
                let entry = self.two_steps(g, stmt, (name, arguments), next, cx);
                entry.unwrap_or(next)
            }
            StmtKind::Empty | StmtKind::Local(_) => next,
            StmtKind::If(c, then, otherwise) => {
                let nothing = Block::default();
                let otherwise = otherwise.as_ref().unwrap_or(&nothing);
                self.branches(
                    g,
                    c,
                    (then, otherwise),
                    (head_span(stmt, &then.span), next),
                    cx,
                )
            }
            StmtKind::While(c, body) => self.repeated(g, stmt, (c, body), next, cx),
            StmtKind::For(var, lo, hi, body) => match self.range((lo, hi), stmt.span, cx) {
                Some(range) => self.unrolled(g, stmt, (var, range, body), next, cx),
                None => next,
            },
            StmtKind::Either(branches) => {
                let choice = g.node(stmt.span);
                for branch in branches {
                    let nodes = g.nodes.len();
                    let mut entry = self.block(g, branch, next, cx, false);
                    // Nothing to do in this branch, or nothing before it is left: a step chooses it.
                    if entry < nodes || g.nodes[entry].jumps {
                        entry = g.action(branch.span, None, Vec::new(), entry);
                    }
                    g.nodes[choice].forward.push(entry);
                }
                choice
            }
            StmtKind::Choose(name, lo, hi, such) => {
                let range = (name, lo, hi, such.as_ref());
                self.choice(g, stmt, range, next, cx).unwrap_or(next)
            }
            StmtKind::Transaction(name, body) => self.transaction(g, name, body, next, cx),
            _ => match self.single(g, stmt, cx) {
                Some(action) => g.action(stmt.span, action.guard, action.body, next),
                None => {
                    self.told(stmt.span);
                    next
                }
            },
        }
    }

    /// A statement is left out because something is wrong with it, and that has to be told: if nothing has been, this
    /// is.
    fn told(&mut self, span: Span) {
        let mut all = self.diagnostics.iter();
        if !all.any(|d| d.severity == Severity::Error) {
            self.error(
                codes::BAD_ATOMIC,
                span,
                "this can't be one action",
                "statements of which only the first may block",
                "take it apart, or report it if you see nothing wrong with it",
            );
        }
    }

    /// An `if`: a step that decides, and nothing where the condition is constant.
    fn branches(
        &mut self,
        g: &mut Graph,
        condition: &ast::Expr,
        (then, otherwise): (&Block, &Block),
        (span, next): (Span, NodeId),
        cx: &mut Context,
    ) -> NodeId {
        if let Some(parts) = self.exchanged(condition, None, cx) {
            let no = self.block(g, otherwise, next, cx, false);
            let yes = self.block(g, then, next, cx, false);
            let node = g.node(span);
            self.decides_exchanging(g, node, &parts, (yes, no), cx);
            return node;
        }
        let condition_span = condition.span;
        let known = self.condition(condition, cx);
        match known.map(|c| self.decided(c, condition_span, cx)) {
            Some(Expr::Const(value)) => {
                let (taken, gone) = if value != 0 {
                    (then, otherwise)
                } else {
                    (otherwise, then)
                };
                self.gone(g, gone, next, cx);
                self.block(g, taken, next, cx, false)
            }
            None => {
                self.gone(g, then, next, cx);
                self.gone(g, otherwise, next, cx);
                next
            }
            Some(c) => {
                let no = self.block(g, otherwise, next, cx, false);
                let yes = self.block(g, then, next, cx, false);
                let node = g.node(span);
                self.decides(g, node, c, (yes, no));
                node
            }
        }
    }

    /// A step from a node that looks whether a condition holds, and goes on accordingly.
    fn decides(&mut self, g: &mut Graph, node: NodeId, c: Expr, (yes, no): (NodeId, NodeId)) {
        self.may_fail(g, &[&c]);
        let body = vec![Command::If(
            c,
            vec![Command::Goto(yes)],
            vec![Command::Goto(no)],
        )];
        let span = g.nodes[node].span;
        g.nodes[node].edges.push(Edge {
            guard: None,
            body,
            span,
        });
    }

    /// A `while`.
    fn repeated(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        (c, body): (&ast::Expr, &Block),
        next: NodeId,
        cx: &mut Context,
    ) -> NodeId {
        if let Some(parts) = self.exchanged(c, None, cx) {
            let head = g.node(head_span(stmt, &body.span));
            let entry = self.block(g, body, head, cx, false);
            self.decides_exchanging(g, head, &parts, (entry, next), cx);
            return head;
        }
        let known = self.condition(c, cx);
        match known.map(|e| self.decided(e, c.span, cx)) {
            Some(Expr::Const(0)) | None => {
                self.gone(g, body, next, cx);
                next
            }
            Some(Expr::Const(_)) => {
                let head = g.node(stmt.span);
                let entry = self.block(g, body, head, cx, false);
                if entry == head {
                    self.error(
                        codes::NO_ACTION,
                        stmt.span,
                        "this loop never performs a step",
                        "a statement in its body",
                        "write `skip;` for a busy wait, or `when (false) skip;` to block for ever",
                    );
                }
                g.nodes[head].forward.push(entry);
                entry
            }
            Some(c) => {
                let head = g.node(head_span(stmt, &body.span));
                let entry = self.block(g, body, head, cx, false);
                self.decides(g, head, c, (entry, next));
                head
            }
        }
    }

    /// A `while` whose condition calls procedures.
    fn repeated_calling(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        (c, body, calls): (&ast::Expr, &Block, &[Stmt]),
        next: NodeId,
        cx: &mut Context,
    ) -> NodeId {
        let head = g.node(head_span(stmt, &body.span));
        let mut first = head;
        for call in calls.iter().rev() {
            first = self.step(g, call, first, cx);
        }
        let entry = self.block(g, body, first, cx, false);
        if let Some(parts) = self.exchanged(c, None, cx) {
            self.decides_exchanging(g, head, &parts, (entry, next), cx);
        }
        first
    }

    /// A `choose`: a way for each value, which waits for the condition.
    fn choice(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        (name, lo, hi, such): (&Name, &ast::Expr, &ast::Expr, Option<&ast::Expr>),
        next: NodeId,
        cx: &mut Context,
    ) -> Option<NodeId> {
        let place = Place {
            name: name.clone(),
            selectors: Vec::new(),
            span: name.span,
        };
        let (target, array) = self.target_of(&place, cx)?;
        let ty = self.program.cells[self.program.arrays[array].first].ty;
        let range = self.range((lo, hi), stmt.span, cx)?;
        let choice = g.node(stmt.span);
        for value in range {
            cx.bound.push((name.text.clone(), value));
            let such = such.map(|e| self.condition(e, cx));
            cx.bound.pop();
            let guard = match such {
                None => None,
                Some(e) => Some(e?).filter(|e| *e != Expr::TRUE),
            };
            if guard == Some(Expr::FALSE) {
                continue;
            }
            self.may_fail(g, &guard.iter().collect::<Vec<_>>());
            let value = Typed::constant(Kind::Int, value);
            self.assignable(g, &target, ty, &value, (stmt.span, lo.span.to(hi.span)))?;
            let body = vec![
                Command::Assign(target.clone(), value.expr),
                Command::Goto(next),
            ];
            g.nodes[choice].edges.push(Edge {
                guard,
                body,
                span: stmt.span,
            });
        }
        if g.nodes[choice].edges.is_empty() {
            self.report(Diagnostic::warning(
                codes::NO_CHOICE,
                stmt.span,
                "no value can be chosen, so that the thread waits here for ever",
                "a value that the condition allows",
                "correct the range or the condition",
            ));
            // A step that is never enabled, so that the thread waits.
            return Some(g.action(stmt.span, Some(Expr::FALSE), Vec::new(), next));
        }
        Some(choice)
    }

    /// A `for`: a copy of its body for each value.
    fn unrolled(
        &mut self,
        g: &mut Graph,
        stmt: &Stmt,
        (var, range, body): (&Name, RangeInclusive<i64>, &Block),
        next: NodeId,
        cx: &mut Context,
    ) -> NodeId {
        if range.is_empty() {
            cx.bound.push((var.text.clone(), *range.start()));
            self.gone(g, body, next, cx);
            cx.bound.pop();
        }
        let mut entry = next;
        for k in range.rev() {
            if !self.grow(1, stmt.span) {
                break;
            }
            cx.bound.push((var.text.clone(), k));
            g.copy.push(format!("{}={k}", var.text));
            g.jumps.enter_copy();
            entry = self.block(g, body, entry, cx, false);
            g.jumps.leave_copy();
            g.copy.pop();
            cx.bound.pop();
        }
        entry
    }

    /// A block that disappears, unless a jump enters it: its errors are errors all the same, its warnings are not,
    /// and its labels name no location.
    fn gone(&mut self, g: &mut Graph, block: &Block, next: NodeId, cx: &mut Context) {
        if g.jumps.enter(&block.stmts) {
            self.block(g, block, next, cx, false);
            return;
        }
        let body = g.body;
        let labels = self.aside(|e, aside| {
            aside.body = body;
            aside.jumps = g.jumps.aside();
            e.block(aside, block, END, cx, false);
        });
        for label in labels {
            let known = |l: &Label| l.name == label.name && l.body == label.body;
            if !g.labels.iter().any(known) {
                g.labels.push(Label {
                    nodes: Vec::new(),
                    ..label
                });
            }
        }
    }

    /// Elaborates what leaves nothing behind but its errors; gives the labels that stand there.
    pub(super) fn aside(&mut self, f: impl FnOnce(&mut Self, &mut Graph)) -> Vec<Label> {
        let mut aside = Graph {
            nodes: vec![ControlNode::default()],
            ..Graph::default()
        };
        let (kept, mark) = (self.diagnostics.len(), self.mark());
        self.gone += 1;
        f(self, &mut aside);
        self.gone -= 1;
        self.restore(&mark);
        let mut place = 0;
        self.diagnostics.retain(|d| {
            place += 1;
            place <= kept || d.severity == Severity::Error
        });
        aside.labels
    }
}

fn head_span(stmt: &Stmt, body: &Span) -> Span {
    Span::new(stmt.span.start, body.start.max(stmt.span.start))
}
