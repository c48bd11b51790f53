//! Claims: blocks that are said to be transactions, and where control is inside them.
//!
//! Control is inside a block behind its first action, until it leaves the block. Where a loop leads back to the first
//! statement, control is inside there, too, but not when it comes from outside; so the beginning of a block has nodes
//! of its own, copies of those that the first statements have. Copies that nothing leads to never become locations.

use super::cfg::{ControlNode, Graph, NodeId};
use super::scope::{Context, Elaborator};
use super::{Claim, ClaimedBlock, LocId, ThreadId};
use crate::model::text::ast::{Block, Model, Name, Stmt, StmtKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A block in the graph of a thread.
pub(super) struct Claimed {
    /// The claim, by its place in [`super::Program::claims`].
    claim: usize,
    /// Where control waits before the block.
    front: NodeId,
    /// The node that the block's statements begin at.
    entry: NodeId,
}

impl Elaborator {
    /// The claims of a model, in the order of the text.
    pub(super) fn claims(&mut self, model: &Model) {
        let mut names: Vec<Name> = Vec::new();
        super::procedures::each_statement_of(model, &mut |stmt: &Stmt| {
            if let StmtKind::Transaction(name, _) = &stmt.kind {
                names.push(name.clone());
            }
        });
        for name in names {
            if self.program.claims.iter().any(|c| c.name == name.text) {
                self.duplicate(&name);
                continue;
            }
            self.program.claims.push(Claim {
                name: name.text,
                span: name.span,
                blocks: Vec::new(),
                observed: Vec::new(),
                hidden: Vec::new(),
            });
        }
    }

    /// `transaction NAME { .. }`
    pub(super) fn transaction(
        &mut self,
        g: &mut Graph,
        name: &Name,
        body: &Block,
        next: NodeId,
        cx: &mut Context,
    ) -> NodeId {
        let claim = self.program.claims.iter().position(|c| c.name == name.text);
        let Some(claim) = claim else {
            return self.block(g, body, next, cx, false);
        };
        g.around.push(claim);
        let nodes = g.nodes.len();
        let entry = self.block(g, body, next, cx, false);
        g.around.pop();
        // Without a step, in this thread, it claims nothing.
        if entry < nodes {
            return entry;
        }
        let front = g.node(body.span);
        g.nodes[front].forward.push(entry);
        g.blocks.push(Claimed {
            claim,
            front,
            entry,
        });
        front
    }

    /// What became of the blocks when the nodes of a thread became locations.
    pub(super) fn claimed(
        &mut self,
        thread: ThreadId,
        g: &Graph,
        locations: &[(LocId, &BTreeSet<NodeId>)],
    ) {
        for (number, claim) in self.program.claims.iter_mut().enumerate() {
            let at = |holds: &dyn Fn(&ControlNode) -> bool| -> Vec<LocId> {
                let mut all: Vec<LocId> = locations
                    .iter()
                    .filter(|(_, nodes)| nodes.iter().any(|&n| holds(&g.nodes[n])))
                    .map(|(l, _)| *l)
                    .collect();
                all.sort_unstable();
                all
            };
            let entries = at(&|n| n.begins.contains(&number));
            let inside = at(&|n| n.inside.contains(&number));
            if !entries.is_empty() {
                claim.blocks.push(ClaimedBlock {
                    thread,
                    entries,
                    inside,
                });
            }
        }
    }
}

impl Graph {
    /// Gives each block a beginning of its own; inner blocks come first.
    pub(super) fn separate_fronts(&mut self) {
        for n in 0..self.blocks.len() {
            let (claim, front, entry) = {
                let b = &self.blocks[n];
                (b.claim, b.front, b.entry)
            };
            let mut copies: FxHashMap<NodeId, NodeId> = FxHashMap::default();
            let mut found = vec![entry];
            let mut at = 0;
            while let Some(&node) = found.get(at) {
                at += 1;
                let copy = ControlNode {
                    edges: self.nodes[node].edges.clone(),
                    forward: Vec::new(),
                    span: self.nodes[node].span,
                    copy: self.nodes[node].copy.clone(),
                    is_part: self.nodes[node].is_part,
                    inside: self.nodes[front].inside.clone(),
                    jumps: self.nodes[node].jumps,
                    begins: self.nodes[node]
                        .begins
                        .iter()
                        .copied()
                        .chain([claim])
                        .collect(),
                };
                self.nodes.push(copy);
                copies.insert(node, self.nodes.len() - 1);
                for &to in &self.nodes[node].forward {
                    if !copies.contains_key(&to) && !found[at..].contains(&to) {
                        found.push(to);
                    }
                }
            }
            for node in found {
                let forward = self.nodes[node].forward.iter().map(|n| copies[n]).collect();
                let copy = copies[&node];
                self.nodes[copy].forward = forward;
                for label in &mut self.labels {
                    if label.nodes.contains(&node) {
                        label.nodes.push(copy);
                    }
                }
            }
            self.nodes[front].forward = vec![copies[&entry]];
        }
    }
}
