//! Sets of states as decision diagrams, all on one list of nodes without repetition.
//!
//! A node looks at one bit of the state; bits are counted over the items in their order, each item's most significant
//! first. Nodes come after those that they lead to, and bits only grow on the way down, so a set has one form and every
//! walk ends.

use rustc_hash::FxHashMap;

/// A node by its number: 0 and 1 are the constants.
pub type Root = u32;
/// No state.
pub const FALSE: Root = 0;
/// Every state.
pub const TRUE: Root = 1;

/// Where to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The bit that it looks at.
    pub bit: u32,
    /// Where to go if the bit is 0.
    pub low: Root,
    /// Where to go if it is 1.
    pub high: Root,
}

/// The nodes of several sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagrams {
    nodes: Vec<Node>,
    known: FxHashMap<Node, Root>,
}

impl Diagrams {
    /// All nodes; the first has number 2.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node of this number; `None` for the constants.
    pub fn node(&self, root: Root) -> Option<Node> {
        self.nodes.get((root as usize).checked_sub(2)?).copied()
    }

    /// Whether there is such a node, or constant.
    pub fn has(&self, root: Root) -> bool {
        (root as usize) < self.nodes.len() + 2
    }

    /// A node, a known one if there is one like it.
    ///
    /// # Errors
    /// If it leads to no node, or to one that does not look at a later bit.
    pub fn add(&mut self, node: Node) -> Result<Root, &'static str> {
        for child in [node.low, node.high] {
            if !self.has(child) {
                return Err("a node leads to one that does not stand before it");
            }
            if self.node(child).is_some_and(|c| c.bit <= node.bit) {
                return Err("a node leads to one that does not look at a later bit");
            }
        }
        if node.low == node.high {
            return Ok(node.low);
        }
        let next = u32::try_from(self.nodes.len() + 2).map_err(|_| "too many nodes")?;
        let root = *self.known.entry(node).or_insert(next);
        if root == next {
            self.nodes.push(node);
        }
        Ok(root)
    }

    /// The nodes that a set needs, those that others lead to first.
    pub fn below(&self, root: Root) -> Vec<Root> {
        let mut seen = vec![false; self.nodes.len() + 2];
        if let Some(mark) = seen.get_mut(root as usize) {
            *mark = true;
        }
        for at in (2..seen.len()).rev() {
            if let (true, Some(node)) = (seen[at], self.node(at as Root)) {
                seen[node.low as usize] = true;
                seen[node.high as usize] = true;
            }
        }
        (2..seen.len())
            .filter(|&n| seen[n])
            .map(|n| n as Root)
            .collect()
    }
}
