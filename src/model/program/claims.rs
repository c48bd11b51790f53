//! Claims: blocks that are said to be transactions, and where control is inside them.
//!
//! Control is inside a block behind its first action, until it leaves the block. Where a loop leads back to the first
//! statement, control is inside there, too, but not when it comes from outside. A program is split for a claim if the
//! beginning of its block has nodes of its own, copies of those that the first statements have. Copies that nothing
//! leads to never become locations. States are counted of the program that is not split.

use super::cfg::{ControlNode, Graph, NodeId};
use super::codes;
use super::scope::{Context, Elaborator, Entity, Symbol};
use super::{CellId, Claim, ClaimedBlock, LocId, ThreadId, gotos};
use crate::model::text::ast::{self, Block, Model, Name, Stmt, StmtKind};
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
            if let StmtKind::Transaction(claimed, _) = &stmt.kind {
                names.push(claimed.name.clone());
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
                split: None,
            });
        }
    }

    /// `transaction NAME { .. }`
    pub(super) fn transaction(
        &mut self,
        g: &mut Graph,
        said: &ast::Claimed,
        body: &Block,
        next: NodeId,
        cx: &mut Context,
    ) -> NodeId {
        let mut claims = self.program.claims.iter();
        let Some(claim) = claims.position(|c| c.name == said.name.text) else {
            return self.block(g, body, next, cx, false);
        };
        let observed = self.named_cells(&said.observed, cx);
        let hidden = self.named_cells(&said.hidden, cx);
        for (known, cells) in [(true, observed), (false, hidden)] {
            let claim = &mut self.program.claims[claim];
            let known = match known {
                true => &mut claim.observed,
                false => &mut claim.hidden,
            };
            known.extend(cells);
            known.sort_unstable();
            known.dedup();
        }
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

    /// The cells of variables.
    fn named_cells(&mut self, names: &[Name], cx: &Context) -> Vec<CellId> {
        let mut cells = Vec::new();
        for name in names {
            let local = cx.locals.get(&name.text).copied();
            let entity = match (local, self.symbol(&name.text)) {
                (Some(entity), _) | (None, Some(Symbol::Entity(entity))) => entity,
                (None, Some(Symbol::Broken)) => continue,
                (None, None) => {
                    self.unknown(name, cx);
                    continue;
                }
                (None, Some(_)) => {
                    self.error(
                        codes::NOT_A_VARIABLE,
                        name.span,
                        format!("`{}` is no variable", name.text),
                        "a variable",
                        "name a shared variable, or one of this thread",
                    );
                    continue;
                }
            };
            self.cells_within(entity, &mut cells);
        }
        cells
    }

    fn cells_within(&self, entity: Entity, cells: &mut Vec<CellId>) {
        match entity {
            Entity::Data(array) => cells.extend(self.program.cells_of(array)),
            Entity::Record(record) => {
                for &field in self.instances[record].fields.values() {
                    self.cells_within(field, cells);
                }
            }
            Entity::Object(object) => {
                for (_, array) in self.objects[object].sync.readable() {
                    cells.extend(self.program.cells_of(array));
                }
            }
            Entity::Broken => {}
        }
    }

    /// What became of the blocks when the nodes of a thread became locations.
    pub(super) fn claimed(
        &mut self,
        thread: ThreadId,
        g: &Graph,
        locations: &[(LocId, &BTreeSet<NodeId>)],
        origins: &[Vec<NodeId>],
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
            let of_block = |n: NodeId| {
                let node = &g.nodes[n];
                node.inside.contains(&number) || node.begins.contains(&number)
            };
            let edges = origins.iter().enumerate().flat_map(|(l, nodes)| {
                let nodes = nodes.iter().enumerate();
                nodes.filter_map(move |(edge, &n)| of_block(n).then_some((l, edge)))
            });
            let edges = edges.collect();
            if !entries.is_empty() {
                claim.blocks.push(ClaimedBlock {
                    thread,
                    entries,
                    inside,
                    edges,
                });
            }
        }
    }
}

/// Which claimed blocks have a location of their own for their first statement, where a loop leads back to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fronts {
    /// None has. States are counted so.
    #[default]
    Merged,
    /// That of one claim, by its place in [`super::Program::claims`], or those of all.
    Separate(Option<usize>),
}

impl Fronts {
    fn separates(self, claim: usize) -> bool {
        match self {
            Fronts::Merged => false,
            Fronts::Separate(only) => only.is_none_or(|only| only == claim),
        }
    }
}

impl Graph {
    /// The nodes that a block begins with: control may be at them without a step.
    fn first_nodes(&self, entry: NodeId) -> Vec<NodeId> {
        self.without_a_step(vec![entry], None)
    }

    /// These nodes, and those that control comes to from there without a step, and not through one that is avoided.
    fn without_a_step(&self, mut found: Vec<NodeId>, avoided: Option<NodeId>) -> Vec<NodeId> {
        let mut known: BTreeSet<NodeId> = found.iter().copied().chain(avoided).collect();
        let mut at = 0;
        while let Some(&node) = found.get(at) {
            at += 1;
            if Some(node) == avoided {
                continue;
            }
            let next = self.nodes[node].forward.iter().copied();
            found.extend(next.filter(|&to| known.insert(to)));
        }
        found
    }

    /// Says which nodes blocks begin with, and gives some blocks copies of these for themselves; inner blocks come
    /// first.
    pub(super) fn settle_fronts(&mut self, fronts: Fronts) {
        for n in 0..self.blocks.len() {
            match fronts.separates(self.blocks[n].claim) {
                true => self.separate_front(n),
                false => self.merge_front(n),
            }
        }
    }

    /// Control is inside at the first nodes if a step leads there, and not to what stands in front of the block.
    fn merge_front(&mut self, n: usize) {
        let mut targets = Vec::new();
        for node in &self.nodes {
            node.edges.iter().for_each(|e| gotos(&e.body, &mut targets));
        }
        let Claimed {
            claim,
            front,
            entry,
        } = self.blocks[n];
        let led_to = self.without_a_step(targets, Some(front));
        let led_to: BTreeSet<NodeId> = led_to.into_iter().collect();
        for first in self.first_nodes(entry) {
            let node = &mut self.nodes[first];
            node.begins.push(claim);
            if !led_to.contains(&first) {
                node.inside.retain(|c| *c != claim);
            }
        }
    }

    /// Gives a block a beginning of its own.
    fn separate_front(&mut self, n: usize) {
        let (claim, front, entry) = {
            let b = &self.blocks[n];
            (b.claim, b.front, b.entry)
        };
        let mut copies: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let found = self.first_nodes(entry);
        for &node in &found {
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
