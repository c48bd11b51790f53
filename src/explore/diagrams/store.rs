//! Sets of states as multi-valued decision diagrams: nodes, the table that makes equal sets one node, garbage collection.
//!
//! One level per variable. A node lists the values of its variable for which the set is not empty, each with the set below
//! it; a child lies exactly one level further down. Only the empty set is left out, so no reduction rule hides a variable,
//! and a node of a wide type costs what its present values cost. (Kam et al. 1998; quasi-reduced as in Ciardo, Lüttgen and
//! Siminiceanu 2001, but sparse.)

use super::table::{Table, mix};
use crate::control::{Control, Stop};

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

#[derive(Clone, Copy, Debug, Default)]
struct Header {
    level: u32,
    len: u32,
    first: u32,
}

/// The level of a slot that holds no node.
const FREE: u32 = u32::MAX;

/// Whoever has roots calls what it is given with each of them.
pub type Roots<'r> = &'r mut dyn FnMut(&mut dyn FnMut(Node));

/// All nodes of one engine.
#[derive(Debug)]
pub struct Store {
    headers: Vec<Header>,
    edges: Vec<Edge>,
    table: Table,
    free: Vec<Node>,
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
        let end = Header {
            level: FREE - 1,
            len: 0,
            first: 0,
        };
        Store {
            headers: vec![end, end],
            edges: Vec::new(),
            table: Table::default(),
            free: Vec::new(),
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
    pub fn is_due(&self) -> bool {
        self.due && !self.held
    }

    /// Whether nodes that nobody is known to use are kept all the same, for a while.
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
        self.headers.capacity() * size_of::<Header>()
            + self.edges.capacity() * size_of::<Edge>()
            + self.table.bytes()
            + self.free.capacity() * size_of::<Node>()
    }

    /// The level of a node that is neither end.
    pub fn level(&self, node: Node) -> u32 {
        self.headers[node as usize].level
    }

    /// The values of a node and what lies below them, values ascending.
    pub fn edges(&self, node: Node) -> &[Edge] {
        let h = self.headers[node as usize];
        &self.edges[h.first as usize..h.first as usize + h.len as usize]
    }

    /// How many values a node has.
    pub fn len(&self, node: Node) -> u32 {
        self.headers[node as usize].len
    }

    /// The n-th edge of a node.
    pub fn edge(&self, node: Node, n: u32) -> Edge {
        self.edges[(self.headers[node as usize].first + n) as usize]
    }

    /// What lies below a value; [`EMPTY`] if the value is not there.
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
        if self.live >= control.budget().nodes {
            return Err(Stop::Nodes);
        }
        grow(&mut self.edges, edges.len(), control)?;
        grow(&mut self.headers, 1, control)?;
        let first = u32::try_from(self.edges.len()).map_err(|_| Stop::Nodes)?;
        let header = Header {
            level,
            len: edges.len() as u32,
            first,
        };
        self.edges.extend_from_slice(edges);
        let node = match self.free.pop() {
            Some(node) => {
                self.headers[node as usize] = header;
                node
            }
            None => {
                let node = Node::try_from(self.headers.len()).map_err(|_| Stop::Nodes)?;
                self.headers.push(header);
                node
            }
        };
        self.live += 1;
        self.peak = self.peak.max(self.live);
        self.due |= self.stress || self.live >= self.threshold;
        let (headers, all) = (&self.headers, &self.edges);
        self.table.insert(hash, node, |n| {
            let h = headers[n as usize];
            let edges = &all[h.first as usize..h.first as usize + h.len as usize];
            crate::explore::diagrams::store::hash(h.level, edges)
        });
        Ok(node)
    }

    /// Gives up all nodes that no root reaches. Nodes keep their names; what is told of others afterwards is wrong.
    ///
    /// Returns which nodes are left, for those who remember nodes.
    pub fn collect(&mut self, roots: Roots) -> Marks {
        let mut marks = Marks(vec![0; self.headers.len().div_ceil(64)]);
        marks.set(EMPTY);
        marks.set(DONE);
        let mut stack: Vec<Node> = Vec::new();
        roots(&mut |root| {
            if marks.set(root) {
                stack.push(root);
            }
        });
        while let Some(node) = stack.pop() {
            for edge in self.edges(node) {
                if marks.set(edge.child) {
                    stack.push(edge.child);
                }
            }
        }
        let mut kept: Vec<Node> = Vec::new();
        self.free.clear();
        for node in (DONE + 1)..self.headers.len() as Node {
            if marks.has(node) {
                kept.push(node);
            } else {
                self.headers[node as usize] = Header {
                    level: FREE,
                    ..Header::default()
                };
                self.free.push(node);
            }
        }
        // In the order of their edges, these are moved together without a second copy.
        kept.sort_unstable_by_key(|&n| self.headers[n as usize].first);
        let mut end = 0;
        for &node in &kept {
            let h = &mut self.headers[node as usize];
            let first = h.first as usize;
            self.edges.copy_within(first..first + h.len as usize, end);
            h.first = end as u32;
            end += h.len as usize;
        }
        self.edges.truncate(end);
        self.live = kept.len();
        self.table.clear(kept.len());
        let (headers, all) = (&self.headers, &self.edges);
        let hashed = |n: Node| {
            let h = headers[n as usize];
            hash(
                h.level,
                &all[h.first as usize..h.first as usize + h.len as usize],
            )
        };
        for &node in &kept {
            self.table.insert(hashed(node), node, hashed);
        }
        self.threshold = (2 * self.live).max(SMALL);
        self.due = false;
        marks
    }
}

/// A set of nodes.
pub struct Marks(Vec<u64>);

impl Marks {
    /// Whether a node is in it.
    pub fn has(&self, node: Node) -> bool {
        self.0
            .get(node as usize / 64)
            .is_some_and(|w| w >> (node % 64) & 1 == 1)
    }

    /// Puts a node in; whether it was not there.
    fn set(&mut self, node: Node) -> bool {
        let word = &mut self.0[node as usize / 64];
        let fresh = *word >> (node % 64) & 1 == 0;
        *word |= 1 << (node % 64);
        fresh
    }
}

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
        small if small < 1 << 24 => all.capacity(),
        _ => all.capacity() / 16,
    };
    all.try_reserve_exact(more.max(step).max(64))
        .map_err(|_| Stop::Memory)
}
