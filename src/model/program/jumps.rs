//! `goto`: where the jumps of a body lead, once all of the body is built.
//!
//! A graph is built backwards, so a `goto` is a node whose one forward edge comes last. What the text alone tells
//! (labels that do not exist, jumps into a `for`, branches that are entered by a jump although their condition is a
//! constant) is read before.

use super::cfg::{Graph, NodeId};
use super::codes;
use super::order::order;
use super::scope::Elaborator;
use crate::base::diagnostic::{Help, Severity, Span};
use crate::base::nearest;
use crate::model::text::ast::{Block, Name, Stmt, StmtKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A label that jumps lead to.
#[derive(Clone, Copy)]
struct Aim {
    /// How many jumps.
    jumps: usize,
    /// How many `for` loops stand around the label.
    depth: usize,
}

/// A copy of a label: its name, and the copy of the innermost `for` around it.
type Copied = (String, usize);

/// The jumps of the body that is being built.
#[derive(Default)]
pub(super) struct Jumps {
    aims: Rc<FxHashMap<String, Aim>>,
    /// Which copies of `for` loops are being built, the outermost first. Their numbers are from 1.
    copies: Vec<usize>,
    made: usize,
    labels: FxHashMap<Copied, NodeId>,
    /// Nodes that jump, and where to.
    open: Vec<(NodeId, Copied)>,
}

impl Jumps {
    /// For a part of the body that disappears.
    pub(super) fn aside(&self) -> Jumps {
        Jumps {
            aims: self.aims.clone(),
            ..Jumps::default()
        }
    }

    /// A copy of a loop's body begins.
    pub(super) fn enter_copy(&mut self) {
        self.made += 1;
        self.copies.push(self.made);
    }

    pub(super) fn leave_copy(&mut self) {
        self.copies.pop();
    }

    /// A label stands at a node.
    pub(super) fn label(&mut self, name: &str, node: NodeId) {
        if self.aims.contains_key(name) {
            let copy = self.copies.last().copied().unwrap_or(0);
            self.labels.insert((name.to_string(), copy), node);
        }
    }

    fn open(&mut self, name: &str, node: NodeId) {
        if let Some(aim) = self.aims.get(name) {
            let around = aim.depth.checked_sub(1);
            let copy = around.and_then(|n| self.copies.get(n)).copied();
            let copied = (name.to_string(), copy.unwrap_or(0));
            self.open.push((node, copied));
        }
    }

    /// Whether a jump from elsewhere leads to a label of these statements.
    pub(super) fn enter<'s>(&self, stmts: impl IntoIterator<Item = &'s Stmt>) -> bool {
        if self.aims.is_empty() {
            return false;
        }
        let mut text = Text::default();
        stmts.into_iter().for_each(|s| text.statement(s));
        let mut inside: FxHashMap<&str, usize> = FxHashMap::default();
        for (name, _) in &text.gotos {
            *inside.entry(&name.text).or_default() += 1;
        }
        text.labels.iter().any(|(name, _)| {
            let own = inside.get(name.text.as_str()).copied().unwrap_or(0);
            self.aims.get(&name.text).is_some_and(|a| a.jumps > own)
        })
    }
}

/// Labels and jumps of a text.
#[derive(Default)]
struct Text<'s> {
    /// Each with the loops around it.
    labels: Vec<(&'s Name, Around)>,
    gotos: Vec<(&'s Name, Around)>,
    /// The loops around the statement at hand.
    around: Vec<usize>,
    loops: usize,
    /// The loops around each loop's body are the ancestors in this forest.
    outer: Vec<Option<usize>>,
    /// The same for transactions, and the innermost at hand.
    outer_blocks: Vec<Option<usize>>,
    block: Option<usize>,
}

/// The innermost `for` around something, and how many there are.
#[derive(Clone, Copy)]
struct Around {
    innermost: Option<usize>,
    depth: usize,
    /// The innermost transaction.
    block: Option<usize>,
}

impl<'s> Text<'s> {
    fn here(&self) -> Around {
        Around {
            innermost: self.around.last().copied(),
            depth: self.around.len(),
            block: self.block,
        }
    }

    fn block(&mut self, block: &'s Block) {
        block.stmts.iter().for_each(|s| self.statement(s));
    }

    /// The inside of one action is left out: there can't be labels or jumps, and those that are written there are
    /// reported.
    fn statement(&mut self, stmt: &'s Stmt) {
        let here = self.here();
        self.labels.extend(stmt.labels.iter().map(|l| (l, here)));
        match &stmt.kind {
            StmtKind::Goto(label) => self.gotos.push((label, here)),
            StmtKind::If(_, yes, no) => {
                self.block(yes);
                no.iter().for_each(|b| self.block(b));
            }
            StmtKind::While(_, body) => self.block(body),
            StmtKind::For(_, _, _, body) => {
                self.outer.push(here.innermost);
                self.around.push(self.loops);
                self.loops += 1;
                self.block(body);
                self.around.pop();
            }
            StmtKind::Either(branches) => branches.iter().for_each(|b| self.block(b)),
            StmtKind::Transaction(_, body) => {
                self.outer_blocks.push(self.block);
                self.block = Some(self.outer_blocks.len() - 1);
                self.block(body);
                self.block = here.block;
            }
            _ => {}
        }
    }

    /// Whether the innermost transaction around a label is around a jump as well.
    fn is_within(&self, jump: Around, label: Around) -> bool {
        let mut at = jump.block;
        while at != label.block {
            match at {
                Some(block) => at = self.outer_blocks[block],
                None => return false,
            }
        }
        true
    }

    /// Whether all loops around a label are around a jump as well.
    fn is_inside(&self, jump: Around, label: Around) -> bool {
        let mut at = jump.innermost;
        for _ in label.depth..jump.depth {
            at = at.and_then(|l| self.outer[l]);
        }
        jump.depth >= label.depth && at == label.innermost
    }
}

impl Elaborator {
    /// Reads the jumps of a body, and reports those that lead nowhere.
    pub(super) fn jumps_of(&mut self, body: &Block) -> Jumps {
        let mut text = Text::default();
        text.block(body);
        let labels: FxHashMap<&str, Around> = text
            .labels
            .iter()
            .map(|(name, around)| (name.text.as_str(), *around))
            .collect();
        let mut aims: FxHashMap<String, Aim> = FxHashMap::default();
        for (name, jump) in &text.gotos {
            let Some(&label) = labels.get(name.text.as_str()) else {
                self.no_label(name, labels.keys().copied());
                continue;
            };
            if !text.is_inside(*jump, label) {
                self.error(
                    codes::BAD_GOTO,
                    name.span,
                    format!(
                        "`{}` stands in a `for`, which has a copy for each number",
                        name.text
                    ),
                    "a label outside of that loop, or a `goto` in the same copy",
                    "put the label before the `for`, or write the loop with `while` and a variable",
                );
                continue;
            }
            if !text.is_within(*jump, label) {
                self.error(
                    codes::BAD_GOTO,
                    name.span,
                    format!(
                        "`{}` stands inside a transaction, which begins with its first statement",
                        name.text
                    ),
                    "a label outside of that transaction, or a `goto` inside of it",
                    "put the label before the word `transaction`",
                );
                continue;
            }
            let aim = aims.entry(name.text.clone()).or_insert(Aim {
                jumps: 0,
                depth: label.depth,
            });
            aim.jumps += 1;
        }
        Jumps {
            aims: Rc::new(aims),
            ..Jumps::default()
        }
    }

    fn no_label<'l>(&mut self, name: &Name, labels: impl Iterator<Item = &'l str>) {
        let mut labels: Vec<&str> = labels.collect();
        labels.sort_unstable();
        let help = match nearest(&name.text, labels) {
            Some(other) => Help::did_you_mean(other),
            None => format!(
                "write `{}:` before the statement to go on with; `goto` leaves neither a thread nor a procedure",
                name.text
            )
            .into(),
        };
        self.error(
            codes::UNKNOWN_LABEL,
            name.span,
            format!("there is no label `{}` in this body", name.text),
            "a label of the same thread or procedure",
            help,
        );
    }

    /// The node of a `goto`.
    pub(super) fn goto(&mut self, g: &mut Graph, label: &Name, span: Span) -> NodeId {
        let node = g.node(span);
        g.nodes[node].jumps = true;
        g.jumps.open(&label.text, node);
        node
    }

    /// Gives the jumps of a body that is complete their edges.
    pub(super) fn jump(&mut self, g: &mut Graph) {
        for (node, copied) in std::mem::take(&mut g.jumps.open) {
            match g.jumps.labels.get(&copied) {
                Some(&label) => g.nodes[node].forward.push(label),
                // After an error some labels may be missing, else all are there.
                None if self
                    .diagnostics
                    .iter()
                    .any(|d| d.severity == Severity::Error) => {}
                None => {
                    let span = g.nodes[node].span;
                    self.error(
                        codes::BAD_GOTO,
                        span,
                        format!("the code at `{}` has disappeared", copied.0),
                        "a label at code that is there",
                        "move the label out of the statement that it stands in",
                    );
                }
            }
        }
    }

    /// Reports jumps in a circle; the others then lead to where they end at once, however long the chain.
    pub(super) fn shorten_jumps(&mut self, g: &mut Graph) {
        if !g.nodes.iter().any(|n| n.jumps) {
            return;
        }
        let edges: Vec<Vec<NodeId>> = g.nodes.iter().map(|n| n.forward.clone()).collect();
        let found = order(&edges);
        for cycle in found.cycles {
            let jump = cycle.iter().find(|&&n| g.nodes[n].jumps);
            let span = g.nodes[jump.copied().unwrap_or(cycle[0])].span;
            self.error(
                codes::NO_ACTION,
                span,
                "from here control comes back without a step",
                "a statement that is a step on the way",
                "write `skip;` for a busy wait, or `when (false) skip;` to block for ever",
            );
        }
        // Each node stands behind those that it leads to.
        for node in found.order {
            if let [next] = g.nodes[node].forward[..]
                && g.nodes[node].jumps
                && g.nodes[next].jumps
            {
                g.nodes[node].forward = g.nodes[next].forward.clone();
            }
        }
    }
}
