//! Sets of states as multi-valued decision diagrams: nodes, the table that makes equal sets one node, garbage
//! collection.
//!
//! One level per variable. A node lists the values of its variable for which the set is not empty, each with the set
//! below it; a child lies exactly one level further down. Only the empty set is left out, so no reduction rule hides a
//! variable, and a node of a wide type costs what its present values cost. (Kam et al. 1998; quasi-reduced as in
//! Ciardo, Lüttgen and Siminiceanu 2001, but sparse.)

use super::table::{Table, mix};
use crate::base::control::{Control, Stop};

/// A set of valuations of the variables from some level down.
pub type Node = u32;

/// The empty set, at any level.
pub const EMPTY: Node = 0;

/// The set of the empty valuation: what lies below the last level.
pub const DONE: Node = 1;

/// One value and what lies below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The value, counted from the least of the type.
    pub value: u32,
    /// The set below; never [`EMPTY`].
    pub child: Node,
}

/// Whoever has roots calls what it is given with each of them.
pub type Roots<'r> = &'r mut dyn FnMut(&mut dyn FnMut(Node));

/// All nodes of one engine.
#[derive(Debug)]
pub struct Store {
    /// A node is the place of its header here, whose value is its level and whose child the number of its edges; they
    /// follow.
    cells: Vec<Edge>,
    /// Places for new nodes between others, from the last to the first, and what is left of the present one.
    holes: Vec<(u32, u32)>,
    hole: (u32, u32),
    table: Table,
    live: usize,
    peak: usize,
    /// How many nodes there may be before rubbish is looked for.
    threshold: usize,
    stress: bool,
    held: bool,
    due: bool,
}

/// Nodes that are kept without looking for rubbish.
const SMALL: usize = 1 << 16;

impl Default for Store {
    fn default() -> Self {
        Self::new()
    }
}

impl Store {
    /// No nodes but the two sets that lie below everything.
    pub fn new() -> Self {
        let end = Edge {
            value: u32::MAX,
            child: 0,
        };
        Store {
            cells: vec![end, end],
            holes: Vec::new(),
            hole: (0, 0),
            table: Table::default(),
            live: 0,
            peak: 0,
            threshold: SMALL,
            stress: false,
            held: false,
            due: false,
        }
    }

    /// From now on every new node makes garbage collection due: for tests.
    pub fn stress(&mut self) {
        self.stress = true;
    }

    /// Whether rubbish should be collected at the next place where all roots are known.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.due && !self.held
    }

    /// Whether nodes are kept for a while although no use of them is known.
    pub fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// Nodes that exist now.
    pub fn live(&self) -> usize {
        self.live
    }

    /// The most nodes that existed at once.
    pub fn peak(&self) -> usize {
        self.peak
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Edge>()
            + self.table.bytes()
            + self.holes.capacity() * size_of::<(u32, u32)>()
    }

    /// The level of a node that is neither end.
    #[inline]
    pub fn level(&self, node: Node) -> u32 {
        self.cells[node as usize].value
    }

    /// The values of a node and what lies below them, values ascending.
    #[inline]
    pub fn edges(&self, node: Node) -> &[Edge] {
        let first = node as usize + 1;
        &self.cells[first..first + self.len(node) as usize]
    }

    /// How many values a node has.
    #[inline]
    pub fn len(&self, node: Node) -> u32 {
        self.cells[node as usize].child
    }

    /// The n-th edge of a node.
    #[inline]
    pub fn edge(&self, node: Node, n: u32) -> Edge {
        self.cells[(node + 1 + n) as usize]
    }

    /// What lies below a value; [`EMPTY`] if the value is not there.
    #[inline]
    pub fn child(&self, node: Node, value: u32) -> Node {
        let edges = self.edges(node);
        match edges.binary_search_by_key(&value, |e| e.value) {
            Ok(n) => edges[n].child,
            Err(_) => EMPTY,
        }
    }

    /// The node with these edges (values ascending, no child empty).
    ///
    /// # Errors
    /// [`Stop::Nodes`] or [`Stop::Memory`] if there is no room for it.
    pub fn node(&mut self, level: u32, edges: &[Edge], control: &Control) -> Result<Node, Stop> {
        if edges.is_empty() {
            return Ok(EMPTY);
        }
        let hash = hash(level, edges);
        let found = self
            .table
            .find(hash, |n| self.level(n) == level && self.edges(n) == edges);
        if let Some(node) = found {
            return Ok(node);
        }
        let most = control.budget().nodes;
        if self.live >= most {
            return Err(Stop::Nodes);
        }
        control.room(self.table.needs())?;
        let node = self.room(edges.len() + 1, control)?;
        let at = node as usize;
        self.cells[at] = Edge {
            value: level,
            child: edges.len() as u32,
        };
        self.cells[at + 1..=at + edges.len()].copy_from_slice(edges);
        self.live += 1;
        self.peak = self.peak.max(self.live);
        self.due |= self.stress || self.live >= self.threshold.min(most);
        self.table.insert(hash, node);
        Ok(node)
    }

    /// Cells for a node: in a hole, or at the end.
    fn room(&mut self, cells: usize, control: &Control) -> Result<Node, Stop> {
        loop {
            let (first, end) = self.hole;
            if (end - first) as usize >= cells {
                self.hole.0 += cells as u32;
                return Ok(first);
            }
            match self.holes.pop() {
                Some(hole) => self.hole = hole,
                None => break,
            }
        }
        self.hole = (0, 0);
        grow(&mut self.cells, cells, control)?;
        let node = Node::try_from(self.cells.len()).map_err(|_| Stop::Nodes)?;
        Node::try_from(self.cells.len() + cells).map_err(|_| Stop::Nodes)?;
        let vacant = Edge { value: 0, child: 0 };
        self.cells.resize(self.cells.len() + cells, vacant);
        Ok(node)
    }

    /// Gives up all nodes that no root reaches. The others keep their numbers; a number of one given up means nothing.
    ///
    /// Returns which nodes are left, for those who remember nodes.
    pub fn collect(&mut self, roots: Roots) -> Marks {
        let mut marks = Marks(vec![0; self.cells.len().div_ceil(64)]);
        marks.set(EMPTY);
        marks.set(DONE);
        let mut stack: Vec<Node> = Vec::new();
        roots(&mut |root| {
            if marks.set(root) {
                stack.push(root);
            }
        });
        self.live = 0;
        while let Some(node) = stack.pop() {
            self.live += 1;
            for edge in self.edges(node) {
                if marks.set(edge.child) {
                    stack.push(edge.child);
                }
            }
        }
        self.table.retain(self.live, |n| marks.has(n));
        self.holes.clear();
        self.hole = (0, 0);
        let mut end = DONE + 1;
        for node in marks.all().filter(|&n| n > DONE) {
            // No node has less than a header and an edge.
            if node > end + 1 {
                self.holes.push((end, node));
            }
            end = node + 1 + self.len(node);
        }
        self.holes.reverse();
        self.cells.truncate(end as usize);
        self.threshold = (2 * self.live).max(SMALL);
        self.due = false;
        marks
    }

    /// After a collection: whether the limit is so near that another collection would not pay.
    ///
    /// # Errors
    /// [`Stop::Nodes`] if fewer than a sixteenth of `most` are left.
    pub fn after_collection(&self, most: usize) -> Result<(), Stop> {
        if self.live >= most - most / 16 {
            return Err(Stop::Nodes);
        }
        Ok(())
    }
}

/// A set of nodes.
pub struct Marks(Vec<u64>);

impl Marks {
    /// Whether a node is in it.
    #[inline]
    pub fn has(&self, node: Node) -> bool {
        self.0
            .get(node as usize / 64)
            .is_some_and(|w| w >> (node % 64) & 1 == 1)
    }

    /// All that are in it, ascending.
    fn all(&self) -> impl Iterator<Item = Node> + '_ {
        self.0.iter().enumerate().flat_map(|(n, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(n as Node * 64 + bit)
            })
        })
    }

    /// Puts a node in; whether it was not there.
    #[inline]
    fn set(&mut self, node: Node) -> bool {
        let word = &mut self.0[node as usize / 64];
        let fresh = *word >> (node % 64) & 1 == 0;
        *word |= 1 << (node % 64);
        fresh
    }
}

#[inline]
fn hash(level: u32, edges: &[Edge]) -> u64 {
    let mut h = mix(u64::from(level));
    for e in edges {
        h = mix(h ^ (u64::from(e.value) << 32 | u64::from(e.child)));
    }
    h
}

/// Makes room for `more` elements in steps that leave a memory limit in sight.
///
/// # Errors
/// [`Stop::Memory`] if the system has no more, or as [`Control::check`].
pub fn grow<T>(all: &mut Vec<T>, more: usize, control: &Control) -> Result<(), Stop> {
    if all.capacity() - all.len() >= more {
        return Ok(());
    }
    control.check()?;
    let step = match all.capacity() * size_of::<T>() {
        small if small < 1 << 18 => all.capacity(),
        _ => all.capacity() / 8,
    };
    let more = more.max(step).max(64);
    control.room(more * size_of::<T>())?;
    all.try_reserve_exact(more).map_err(|_| Stop::Memory)
}
