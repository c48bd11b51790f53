//! Statements to a control-flow graph: locations, and the edges that leave them.
//!
//! The graph is built backwards, each statement knowing the node that follows it. Nodes without an action of
//! their own (`either`, `while (true)`, labels) forward to others; a location is a set of nodes with actions
//! that control can wait at together. So a choice is no step, and a constant condition leaves nothing behind.

use super::codes;
use super::expressions::{Typed, fold};
use super::scope::{Context, Elaborator};
use super::{Command, Edge, Expr, Failure, LocId, Location, NO_OWNER, Target, Thread, Type, gotos};
use crate::syntax::ast::{BinaryOp, Block, Name, Stmt, StmtKind};
use crate::syntax::diagnostic::{Diagnostic, Severity, Span};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

type NodeId = usize;

/// The node of a thread that has ended.
const END: NodeId = 0;

#[derive(Default)]
struct Node {
    edges: Vec<Edge>,
    forward: Vec<NodeId>,
    span: Span,
    /// `k=1`: which copy of an unrolled loop this is.
    copy: String,
}

#[derive(Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    labels: Vec<(String, Span, Vec<NodeId>)>,
    copy: Vec<String>,
    may_fail: bool,
}

impl Graph {
    fn node(&mut self, span: Span) -> NodeId {
        self.nodes.push(Node {
            span,
            copy: self.copy.join(", "),
            ..Node::default()
        });
        self.nodes.len() - 1
    }

    fn action(
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
    fn waiting_at(&self, node: NodeId) -> BTreeSet<NodeId> {
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

/// A single action before it has a place in the graph.
struct Action {
    guard: Option<Expr>,
    body: Vec<Command>,
}

impl Elaborator {
    /// Builds the locations of a thread from its body.
    pub(super) fn thread_graph(&mut self, body: &Block, cx: &mut Context, thread: &mut Thread) {
        let mut graph = Graph::default();
        graph.node(Span::new(body.span.end.saturating_sub(1), body.span.end));
        let entry = self.block(&mut graph, body, END, cx, true);
        self.locations(&graph, entry, thread);
    }

    fn block(
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
            let rest = &block.stmts[i + 1..];
            if let (true, Some(after)) = (endless, rest.iter().find(|s| s.kind != StmtKind::Empty))
            {
                self.report(Diagnostic::warning(
                    codes::UNREACHABLE_CODE,
                    after.span,
                    "this is never reached",
                    "the end of the block",
                    "the loop before it does not end; remove what follows, or give the loop a condition",
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
            match g.labels.iter_mut().find(|(n, _, _)| *n == name.text) {
                // Copies of an unrolled loop share a label: it then names several locations.
                Some((_, span, nodes)) if *span == name.span => nodes.push(node),
                // Statements are met backwards; the later of the two is the duplicate.
                Some((_, span, _)) if span.start > name.span.start => {
                    let later = Name {
                        text: name.text.clone(),
                        span: *span,
                    };
                    self.duplicate(&later);
                }
                Some(_) => self.duplicate(name),
                None => g.labels.push((name.text.clone(), name.span, vec![node])),
            }
        }
    }

    fn statement(&mut self, g: &mut Graph, stmt: &Stmt, next: NodeId, cx: &mut Context) -> NodeId {
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Local(_) => next,
            StmtKind::If(c, then, otherwise) => {
                let condition = self.condition(c, cx);
                let nothing = Block::default();
                let otherwise = otherwise.as_ref().unwrap_or(&nothing);
                match condition {
                    Some(Expr::Const(value)) => {
                        let (taken, gone) = if value != 0 {
                            (then, otherwise)
                        } else {
                            (otherwise, then)
                        };
                        self.gone(g, gone, cx);
                        self.block(g, taken, next, cx, false)
                    }
                    None => {
                        self.gone(g, then, cx);
                        self.gone(g, otherwise, cx);
                        next
                    }
                    Some(c) => {
                        let no = self.block(g, otherwise, next, cx, false);
                        let yes = self.block(g, then, next, cx, false);
                        self.may_fail(g, &[&c]);
                        let body = vec![Command::If(
                            c,
                            vec![Command::Goto(yes)],
                            vec![Command::Goto(no)],
                        )];
                        let span = head_span(stmt, &then.span);
                        let node = g.node(span);
                        g.nodes[node].edges.push(Edge {
                            guard: None,
                            body,
                            span,
                        });
                        node
                    }
                }
            }
            StmtKind::While(c, body) => match self.condition(c, cx) {
                Some(Expr::Const(0)) | None => {
                    self.gone(g, body, cx);
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
                    self.may_fail(g, &[&c]);
                    let body = vec![Command::If(
                        c,
                        vec![Command::Goto(entry)],
                        vec![Command::Goto(next)],
                    )];
                    let span = g.nodes[head].span;
                    g.nodes[head].edges.push(Edge {
                        guard: None,
                        body,
                        span,
                    });
                    head
                }
            },
            StmtKind::For(var, lo, hi, body) => {
                let (lo, hi) = (self.integer(lo, cx), self.integer(hi, cx));
                let (Some(lo), Some(hi)) = (lo, hi) else {
                    return next;
                };
                if lo > hi {
                    cx.bound.push((var.text.clone(), lo));
                    self.gone(g, body, cx);
                    cx.bound.pop();
                }
                let mut entry = next;
                for k in (lo..=hi).rev() {
                    if !self.grow(1, stmt.span) {
                        break;
                    }
                    cx.bound.push((var.text.clone(), k));
                    g.copy.push(format!("{}={k}", var.text));
                    entry = self.block(g, body, entry, cx, false);
                    g.copy.pop();
                    cx.bound.pop();
                }
                entry
            }
            StmtKind::Either(branches) => {
                let choice = g.node(stmt.span);
                for branch in branches {
                    let mut entry = self.block(g, branch, next, cx, false);
                    if entry == next {
                        entry = g.action(branch.span, None, Vec::new(), next);
                    }
                    g.nodes[choice].forward.push(entry);
                }
                choice
            }
            _ => match self.single(g, stmt, cx) {
                Some(action) => g.action(stmt.span, action.guard, action.body, next),
                None => next,
            },
        }
    }

    /// A block that disappears: its errors are errors all the same, its warnings are not, and its labels name no location.
    fn gone(&mut self, g: &mut Graph, block: &Block, cx: &mut Context) {
        let mut aside = Graph {
            nodes: vec![Node::default()],
            ..Graph::default()
        };
        let kept = self.diagnostics.len();
        self.block(&mut aside, block, END, cx, false);
        let mut place = 0;
        self.diagnostics.retain(|d| {
            place += 1;
            place <= kept || d.severity == Severity::Error
        });
        for (name, span, _) in aside.labels {
            if !g.labels.iter().any(|(n, _, _)| *n == name) {
                g.labels.push((name, span, Vec::new()));
            }
        }
    }

    /// A statement that is one action.
    fn single(&mut self, g: &mut Graph, stmt: &Stmt, cx: &mut Context) -> Option<Action> {
        match &stmt.kind {
            StmtKind::Skip => Some(Action {
                guard: None,
                body: Vec::new(),
            }),
            StmtKind::Assume(e) => {
                let guard = Some(self.condition(e, cx)?);
                self.may_fail(g, &guard.iter().collect::<Vec<_>>());
                Some(Action {
                    guard,
                    body: Vec::new(),
                })
            }
            StmtKind::When(e, inner) => {
                let outer = self.condition(e, cx);
                if !is_single(&inner.kind) {
                    self.error(
                        codes::BAD_ATOMIC,
                        inner.span,
                        "`when` guards one action",
                        "an assignment, `skip`, `havoc`, `lock`, `unlock`, `assert` or `atomic { .. }`",
                        "wrap it: `when (g) atomic { .. }`",
                    );
                    return None;
                }
                self.no_labels(inner);
                let inner = self.single(g, inner, cx);
                let (outer, inner) = (outer?, inner?);
                self.may_fail(g, &[&outer]);
                let guard = match inner.guard {
                    Some(second) => fold(BinaryOp::And, outer, second),
                    None => outer,
                };
                Some(Action {
                    guard: Some(guard),
                    body: inner.body,
                })
            }
            StmtKind::Lock(m) => {
                let (owner, target) = self.owner(m, cx)?;
                let this = self.this(cx);
                self.may_fail(g, &[&owner]);
                let free = fold(BinaryOp::Eq, owner, Expr::Const(NO_OWNER));
                Some(Action {
                    guard: Some(free),
                    body: vec![Command::Assign(target, this)],
                })
            }
            StmtKind::Unlock(m) => {
                let (owner, target) = self.owner(m, cx)?;
                let mine = fold(BinaryOp::Eq, owner, self.this(cx));
                g.may_fail = true;
                let body = vec![
                    Command::Check(mine, Failure::NotOwner),
                    Command::Assign(target, Expr::Const(NO_OWNER)),
                ];
                Some(Action { guard: None, body })
            }
            StmtKind::Assert(e) => {
                let e = self.condition(e, cx)?;
                g.may_fail |= e != Expr::TRUE;
                Some(Action {
                    guard: None,
                    body: vec![Command::Check(e, Failure::Assertion)],
                })
            }
            StmtKind::Assign(place, value) => {
                let target = self.target(place, cx);
                let value = self.expression(value, cx);
                let ((target, array), value) = (target?, value?);
                let ty = self.program.cells[self.program.arrays[array].first].ty;
                self.assignable(g, &target, ty, &value, stmt)?;
                Some(Action {
                    guard: None,
                    body: vec![Command::Assign(target, value.expr)],
                })
            }
            StmtKind::Havoc(place) => {
                let (target, _) = self.target(place, cx)?;
                g.may_fail |= matches!(target, Target::Element(..));
                Some(Action {
                    guard: None,
                    body: vec![Command::Havoc(target)],
                })
            }
            StmtKind::Atomic(block) => {
                let (first, rest) = match block.stmts.split_first() {
                    Some((first, rest)) if blocks(&first.kind) => (Some(first), rest),
                    _ => (None, block.stmts.as_slice()),
                };
                let leading = match first {
                    Some(first) => {
                        self.no_labels(first);
                        self.single(g, first, cx)
                    }
                    None => Some(Action {
                        guard: None,
                        body: Vec::new(),
                    }),
                };
                let rest = self.sequence(g, rest, cx);
                let (mut leading, rest) = (leading?, rest?);
                leading.body.extend(rest);
                Some(leading)
            }
            _ => None,
        }
    }

    /// The statements of an atomic block after its first.
    fn sequence(
        &mut self,
        g: &mut Graph,
        stmts: &[Stmt],
        cx: &mut Context,
    ) -> Option<Vec<Command>> {
        let mut commands = Vec::new();
        let mut complete = true;
        for stmt in stmts {
            self.no_labels(stmt);
            match self.inner(g, stmt, cx) {
                Some(more) => commands.extend(more),
                None => complete = false,
            }
        }
        complete.then_some(commands)
    }

    fn inner(&mut self, g: &mut Graph, stmt: &Stmt, cx: &mut Context) -> Option<Vec<Command>> {
        if !self.grow(1, stmt.span) {
            return None;
        }
        match &stmt.kind {
            StmtKind::Empty => Some(Vec::new()),
            StmtKind::If(c, then, otherwise) => {
                let condition = self.condition(c, cx);
                let yes = self.sequence(g, &then.stmts, cx);
                let no = match otherwise {
                    Some(block) => self.sequence(g, &block.stmts, cx),
                    None => Some(Vec::new()),
                };
                let (condition, yes, no) = (condition?, yes?, no?);
                Some(match condition {
                    Expr::Const(0) => no,
                    Expr::Const(_) => yes,
                    c => {
                        self.may_fail(g, &[&c]);
                        vec![Command::If(c, yes, no)]
                    }
                })
            }
            StmtKind::For(var, lo, hi, body) => {
                let (lo, hi) = (self.integer(lo, cx), self.integer(hi, cx));
                let mut commands = Vec::new();
                for k in lo?..=hi? {
                    cx.bound.push((var.text.clone(), k));
                    let copy = self.sequence(g, &body.stmts, cx);
                    cx.bound.pop();
                    commands.extend(copy?);
                }
                Some(commands)
            }
            StmtKind::Either(branches) => {
                let branches: Vec<_> = branches
                    .iter()
                    .map(|b| self.sequence(g, &b.stmts, cx))
                    .collect();
                let branches: Option<Vec<_>> = branches.into_iter().collect();
                Some(vec![Command::Choose(branches?)])
            }
            StmtKind::Atomic(block) => self.sequence(g, &block.stmts, cx),
            kind if blocks(kind) => {
                self.error(
                    codes::BAD_ATOMIC,
                    stmt.span,
                    "this could block in the middle of an atomic block",
                    "a statement that can't block; only the first of an atomic block may",
                    "move it to the front, or end the block before it",
                );
                None
            }
            StmtKind::While(..) => {
                self.error(
                    codes::BAD_ATOMIC,
                    stmt.span,
                    "a loop can't stand in an atomic block",
                    "a statement that ends",
                    "use `for` over constants",
                );
                None
            }
            StmtKind::Local(_) => {
                self.error(
                    codes::MISPLACED,
                    stmt.span,
                    "a thread-local variable can't be declared here",
                    "a statement",
                    "declare it at the top level of the thread's body",
                );
                None
            }
            _ => Some(self.single(g, stmt, cx)?.body),
        }
    }

    fn no_labels(&mut self, stmt: &Stmt) {
        if let Some(name) = stmt.labels.first() {
            self.error(
                codes::BAD_ATOMIC,
                name.span,
                "a label can't stand inside one action",
                "a statement",
                "there is no location here; put the label before the whole action",
            );
        }
    }

    fn this(&self, cx: &Context) -> Expr {
        Expr::Const(cx.this.map_or(NO_OWNER, |t| t as i64))
    }

    /// Notes whether an evaluation can fail: then the thread needs a location `wrong`.
    fn may_fail(&mut self, g: &mut Graph, expressions: &[&Expr]) {
        for e in expressions {
            e.walk(&mut |e| match e {
                Expr::Element(..) => g.may_fail = true,
                Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, d) => {
                    g.may_fail |= !matches!(**d, Expr::Const(c) if c != 0);
                }
                _ => {}
            });
        }
    }

    fn assignable(
        &mut self,
        g: &mut Graph,
        target: &Target,
        ty: Type,
        value: &Typed,
        stmt: &Stmt,
    ) -> Option<()> {
        use super::Kind::{Bool, Enum};
        let fits = match (ty.kind, value.kind) {
            (Bool | Enum(_), found) => found == ty.kind,
            (_, Bool | Enum(_)) => false,
            _ => true,
        };
        if !fits {
            let wanted = match ty.kind {
                Bool => "a boolean, the variable's type",
                Enum(_) => "a value of the variable's enum",
                _ => "an integer, the variable's type",
            };
            self.mismatch(
                stmt.span,
                value.kind,
                wanted,
                "correct the right side, or the variable's type",
            );
            return None;
        }
        self.may_fail(g, &[&value.expr]);
        g.may_fail |= matches!(target, Target::Element(..));
        let (lo, hi) = (i128::from(ty.lo), i128::from(ty.hi));
        if !ty.wraps && (value.lo < lo || value.hi > hi) {
            g.may_fail = true;
            if value.hi < lo || value.lo > hi {
                self.report(Diagnostic::warning(
                    codes::ALWAYS_WRONG,
                    stmt.span,
                    "this step always goes wrong",
                    format!("a value in {lo}..{hi}"),
                    "correct the right side, or widen the variable's type",
                ));
            }
        }
        Some(())
    }

    /// Numbers the locations that control can reach from the entry, in the order of the text.
    fn locations(&mut self, g: &Graph, entry: NodeId, thread: &mut Thread) {
        let mut sets: Vec<BTreeSet<NodeId>> = Vec::new();
        let mut known: FxHashMap<BTreeSet<NodeId>, usize> = FxHashMap::default();
        let mut of_node: FxHashMap<NodeId, usize> = FxHashMap::default();
        let mut stack = vec![entry];
        while let Some(node) = stack.pop() {
            if of_node.contains_key(&node) {
                continue;
            }
            let set = g.waiting_at(node);
            let id = *known.entry(set.clone()).or_insert_with(|| {
                sets.push(set.clone());
                sets.len() - 1
            });
            of_node.insert(node, id);
            for edge in set.iter().flat_map(|&n| &g.nodes[n].edges) {
                gotos(&edge.body, &mut stack);
            }
        }
        // Text order, copies of a loop in the order of their creation (built backwards, so descending).
        let place = |set: &BTreeSet<NodeId>| {
            let first = set.iter().map(|&n| g.nodes[n].span.start).min();
            (
                first.is_none(),
                first,
                std::cmp::Reverse(set.iter().next_back().copied()),
            )
        };
        let mut order: Vec<usize> = (0..sets.len()).collect();
        order.sort_by_key(|&s| place(&sets[s]));
        let mut number = vec![0; sets.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(new, &old)| number[old] = new);
        let target = |node: NodeId| number[of_node[&node]];

        let mut labels: Vec<(String, Vec<LocId>)> = Vec::new();
        for (name, _, nodes) in g.labels.iter().rev() {
            let waiting: Vec<BTreeSet<NodeId>> = nodes.iter().map(|&n| g.waiting_at(n)).collect();
            // A location is at a label if it can wait at every action that the label's node offers.
            let mut at: Vec<LocId> = (0..sets.len())
                .filter(|&s| {
                    waiting.iter().any(|w| {
                        if w.is_empty() {
                            sets[s].is_empty()
                        } else {
                            w.is_subset(&sets[s])
                        }
                    })
                })
                .map(|s| number[s])
                .collect();
            at.sort_unstable();
            labels.push((name.clone(), at));
        }
        let mut locations: Vec<Location> = Vec::new();
        for &s in &order {
            let nodes = &sets[s];
            let Some(&first) = nodes.iter().min_by_key(|&&n| g.nodes[n].span.start) else {
                thread.end = Some(locations.len());
                locations.push(Location {
                    name: "end".into(),
                    edges: Vec::new(),
                    span: g.nodes[END].span,
                });
                continue;
            };
            let here = locations.len();
            let label = labels
                .iter()
                .filter(|(_, at)| at.contains(&here))
                .min_by_key(|(_, at)| at.len());
            let mut name = match label {
                Some((label, _)) => label.clone(),
                None => format!("line {}", self.program.line(g.nodes[first].span)),
            };
            if !g.nodes[first].copy.is_empty() {
                name = format!("{name} ({})", g.nodes[first].copy);
            }
            let taken = |n: &str, l: &[Location]| l.iter().any(|l| l.name == n);
            if taken(&name, &locations) {
                let base = name.clone();
                let mut copies = 2;
                while taken(&name, &locations) {
                    name = format!("{base} #{copies}");
                    copies += 1;
                }
            }
            let mut edges: Vec<Edge> = nodes
                .iter()
                .rev()
                .flat_map(|&n| g.nodes[n].edges.iter().cloned())
                .collect();
            for edge in &mut edges {
                retarget(&mut edge.body, &target);
            }
            edges.sort_by_key(|e| e.span.start);
            locations.push(Location {
                name,
                edges,
                span: g.nodes[first].span,
            });
        }
        thread.initial = target(entry);
        thread.labels = labels;
        if g.may_fail {
            thread.wrong = Some(locations.len());
            locations.push(Location {
                name: "wrong".into(),
                edges: Vec::new(),
                span: g.nodes[END].span,
            });
        }
        thread.locations = locations;
    }
}

fn head_span(stmt: &Stmt, body: &Span) -> Span {
    Span::new(stmt.span.start, body.start.max(stmt.span.start))
}

/// Whether a statement is one action (as opposed to control).
fn is_single(kind: &StmtKind) -> bool {
    use StmtKind::*;
    matches!(
        kind,
        Assign(..)
            | Havoc(_)
            | Lock(_)
            | Unlock(_)
            | Skip
            | Assert(_)
            | Assume(_)
            | When(..)
            | Atomic(_)
    )
}

/// Whether a statement can block.
fn blocks(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::When(..) | StmtKind::Assume(_) | StmtKind::Lock(_) => true,
        StmtKind::Atomic(block) => block.stmts.first().is_some_and(|s| blocks(&s.kind)),
        _ => false,
    }
}

fn retarget(commands: &mut [Command], target: &impl Fn(NodeId) -> LocId) {
    for command in commands {
        match command {
            Command::Goto(n) => *n = target(*n),
            Command::If(_, a, b) => {
                retarget(a, target);
                retarget(b, target);
            }
            Command::Choose(branches) => branches.iter_mut().for_each(|b| retarget(b, target)),
            _ => {}
        }
    }
}
