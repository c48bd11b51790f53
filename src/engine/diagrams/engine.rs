//! Operations on sets: one machine with a stack of its own, so that nothing recurses on the depth of a diagram.
//!
//! Each operation is a frame that asks for the result of another operation and goes on when it is there. All nodes in
//! use are in frames, in the caches or among the roots, so rubbish can be collected between any two steps. Saturation
//! follows Ciardo, Marmorstein and Siminiceanu 2003: a node is saturated if no event whose highest level is the node's
//! or lower adds to it; the relational product saturates the nodes it makes.

mod steps;

pub(super) use steps::child_of;

use super::closure::Closure;
use super::explain::Log;
use super::relations::{IDENTITY, Rel, Relations};
use super::store::{DONE, EMPTY, Edge, Node, Store};
use super::strategies::Interrupted;
use super::table::Cache;
use crate::base::control::{Control, Stop};

/// In place of a closure: a plain image.
const PLAIN: u32 = u32::MAX;

/// In place of a closure: a set together with its image.
const MORE: u32 = u32::MAX - 1;

/// In place of a relation: what is being fired on is a node itself, not the image of one.
const NONE: Rel = 0;

/// An operation under way. Frames are small and changed in place; edges that are found wait in [`Engine::out`] from
/// `out` on, events to be fired in [`Engine::dirty`] from `dirty` on: only the topmost frame's parts grow.
#[derive(Clone, Copy, Debug)]
enum Frame {
    Union {
        a: Node,
        b: Node,
        /// The next edges.
        i: u32,
        j: u32,
        out: u32,
    },
    Minus {
        a: Node,
        b: Node,
        i: u32,
        out: u32,
    },
    Image(Image),
    Saturate {
        closure: u32,
        node: Node,
        edge: u32,
        out: u32,
    },
    Fix(Fix),
    Restrict {
        node: Node,
        edge: u32,
        /// Conditions at this level that are left, once the children are done.
        next: u32,
        done: bool,
        out: u32,
    },
}

/// The image of a node under a relation, under way.
#[derive(Clone, Copy, Debug)]
struct Image {
    closure: u32,
    node: Node,
    rel: Rel,
    /// The next edge.
    edge: u32,
    /// The ways left for the present edge.
    way: u32,
    end: u32,
    /// Whether what is waited for is a union.
    joining: bool,
    out: u32,
}

/// The firing of a level's events on a node whose children are saturated, under way.
#[derive(Clone, Copy, Debug)]
struct Fix {
    closure: u32,
    /// What the result is remembered for.
    node: Node,
    rel: Rel,
    /// What is fired, and on which value.
    event: u32,
    from: u32,
    /// Moves of the present event and value that are left.
    next: u32,
    end: u32,
    /// Whether what is waited for is a union.
    joining: bool,
    out: u32,
    dirty: u32,
}

/// An operation that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Union(Node, Node),
    Minus(Node, Node),
    /// For a closure, of a node, under a relation.
    Image(u32, Node, Rel),
    Saturate(u32, Node),
    /// Under the present conditions.
    Restrict(Node),
}

/// The record of the firing under way on a node of the set that is being closed. There is one at most: what firing asks
/// for are images.
#[derive(Debug, Default)]
struct Recorded {
    log: Log,
    /// The set that is fired on, and what that leads to.
    child: Node,
    added: Node,
    /// Operations before it.
    since: u64,
}

/// Firing that takes more operations than this is not run again.
const RECORDED: u64 = 1 << 10;

/// Sets, relations and the operations on them.
#[derive(Debug)]
pub struct Engine<'c> {
    /// The sets.
    pub store: Store,
    /// The relations.
    pub relations: Relations,
    /// Limits and interrupts.
    pub control: &'c Control,
    pub(super) closures: Vec<Closure>,
    roots: Vec<Node>,
    union: Cache,
    minus: Cache,
    image: Cache,
    more: Cache,
    restricted: Cache,
    /// Conditions by level, while [`Engine::restrict`] is at work.
    conditions: Vec<(u32, Rel)>,
    stack: Vec<Frame>,
    /// Edges found by the frames, those of the topmost last.
    out: Vec<Edge>,
    /// (event, value) to be fired by the frames, for each descending.
    dirty: Vec<u64>,
    result: Option<Node>,
    /// What firing on a node of the set that is being closed has added so far, if that is wanted.
    recorded: Option<Recorded>,
    /// What the frames are for, if operations ran out: they go on when it is asked for again.
    suspended: Option<Asked>,
    /// What a limit has interrupted.
    pub(super) work: Option<Interrupted>,
    operations: u64,
    /// What the present operation has cost so far, in edges that were handled.
    effort: u64,
    /// After this many operations the limits are checked again.
    polled: u64,
    /// So many were said to be done.
    told: u64,
    most: u64,
    peak_bytes: usize,
}

/// This many edges of one node count as one operation. So budgets are fair if variables have thousands of values.
const WIDE: u64 = 64;

/// Operations between two looks at the limits.
const POLL: u64 = 1024;

/// Operations that are said to be done at once.
const PORTION: u64 = 1 << 14;

/// What an operation costs, in pairs of BDD nodes, with no more nodes than so many: more, where there are more than the
/// processor has at hand.
const COST: [(usize, u64); 3] = [(1 << 16, 2), (1 << 19, 4), (usize::MAX, 6)];

/// Entries of each cache at most.
const REMEMBERED: usize = 1 << 22;

/// Entries of each cache for a node: more of them are remembered, but further from the processor (measured: 1 is faster
/// than 2 and 4).
const PER_NODE: usize = 1;

impl<'c> Engine<'c> {
    /// An engine without sets.
    pub fn new(relations: Relations, control: &'c Control) -> Self {
        Engine {
            store: Store::new(),
            relations,
            control,
            closures: Vec::new(),
            roots: Vec::new(),
            union: Cache::at_most(REMEMBERED),
            minus: Cache::at_most(REMEMBERED),
            image: Cache::at_most(REMEMBERED),
            more: Cache::at_most(REMEMBERED),
            restricted: Cache::at_most(REMEMBERED),
            conditions: Vec::new(),
            stack: Vec::new(),
            out: Vec::new(),
            dirty: Vec::new(),
            result: None,
            recorded: None,
            suspended: None,
            work: None,
            operations: 0,
            effort: 0,
            polled: POLL,
            told: 0,
            most: u64::MAX,
            peak_bytes: 0,
        }
    }

    /// Steps done so far.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// From now on at most this many further steps.
    pub fn allow(&mut self, operations: u64) {
        self.most = self.operations.saturating_add(operations);
    }

    /// The most bytes that sets, relations and caches held at once, as far as was looked.
    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes.max(self.bytes())
    }

    fn bytes(&self) -> usize {
        let caches = [
            &self.union,
            &self.minus,
            &self.image,
            &self.more,
            &self.restricted,
        ];
        self.store.bytes()
            + self.relations.bytes()
            + caches.iter().map(|c| c.bytes()).sum::<usize>()
            + self.closures.iter().map(Closure::bytes).sum::<usize>()
    }

    /// Keeps a set, until [`Engine::release`] gives up as many.
    pub fn keep(&mut self, node: Node) {
        self.roots.push(node);
    }

    /// Gives up all sets kept since there were `mark` of them.
    pub fn release(&mut self, mark: usize) {
        self.roots.truncate(mark);
    }

    /// How many sets are kept.
    pub fn kept(&self) -> usize {
        self.roots.len()
    }

    /// The union of two sets.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn union(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        match self.union_known(a, b) {
            Some(known) => Ok(known),
            None => self.run(Asked::Union(a, b)),
        }
    }

    /// What is in `a` and not in `b`.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn minus(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        match self.minus_known(a, b) {
            Some(known) => Ok(known),
            None => self.run(Asked::Minus(a, b)),
        }
    }

    /// The states that a relation leads to.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn image(&mut self, set: Node, rel: Rel) -> Result<Node, Stop> {
        match self.image_known(PLAIN, set, rel) {
            Some(known) => Ok(known),
            None => self.run(Asked::Image(PLAIN, set, rel)),
        }
    }

    /// A set, and the states that a relation leads to. One operation: above what the relation changes no union is
    /// needed.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn more(&mut self, set: Node, rel: Rel) -> Result<Node, Stop> {
        match self.image_known(MORE, set, rel) {
            Some(known) => Ok(known),
            None => self.run(Asked::Image(MORE, set, rel)),
        }
    }

    /// The states that events of a closure lead to, in any number of steps, none included.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn saturate(&mut self, set: Node, closure: u32) -> Result<Node, Stop> {
        match self.saturated_known(closure, set) {
            Some(known) => Ok(known),
            None => self.run(Asked::Saturate(closure, set)),
        }
    }

    /// The image of a saturated set under a relation, saturated.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub(super) fn saturated_image(
        &mut self,
        closure: u32,
        set: Node,
        rel: Rel,
    ) -> Result<Node, Stop> {
        match self.image_known(closure, set, rel) {
            Some(known) => Ok(known),
            None => self.run(Asked::Image(closure, set, rel)),
        }
    }

    /// The states in which all conditions (relations without new values) hold.
    ///
    /// Conditions are applied where their highest level is, from the bottom up, so many small ones cost no more than
    /// one pass.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn restrict(&mut self, set: Node, conditions: &[Rel]) -> Result<Node, Stop> {
        let relations = &self.relations;
        self.conditions = conditions
            .iter()
            .filter(|&&c| c != IDENTITY)
            .map(|&c| (relations.top(c), c))
            .collect();
        self.conditions.sort_unstable();
        self.conditions.dedup();
        self.restricted.clear();
        match self.restricted_known(set) {
            Some(known) => Ok(known),
            None => self.run(Asked::Restrict(set)),
        }
    }

    #[inline]
    fn union_known(&self, a: Node, b: Node) -> Option<Node> {
        match (a, b) {
            (EMPTY, x) | (x, EMPTY) => Some(x),
            _ if a == b => Some(a),
            _ => self.union.get(a.min(b), a.max(b)),
        }
    }

    #[inline]
    fn union_frame(&self, a: Node, b: Node) -> Frame {
        Frame::Union {
            a: a.min(b),
            b: a.max(b),
            i: 0,
            j: 0,
            out: self.out.len() as u32,
        }
    }

    fn minus_known(&self, a: Node, b: Node) -> Option<Node> {
        match (a, b) {
            (EMPTY, _) => Some(EMPTY),
            (_, EMPTY) => Some(a),
            _ if a == b => Some(EMPTY),
            _ => self.minus.get(a, b),
        }
    }

    fn minus_frame(&self, a: Node, b: Node) -> Frame {
        Frame::Minus {
            a,
            b,
            i: 0,
            out: self.out.len() as u32,
        }
    }

    #[inline]
    fn image_known(&self, closure: u32, node: Node, rel: Rel) -> Option<Node> {
        match (node, rel) {
            (EMPTY, _) => Some(EMPTY),
            (_, IDENTITY) => Some(node),
            _ if closure == PLAIN => self.image.get(node, rel),
            _ if closure == MORE => self.more.get(node, rel),
            _ => self.closures[closure as usize].images.get(node, rel),
        }
    }

    #[inline]
    fn image_frame(&mut self, closure: u32, node: Node, rel: Rel) -> Frame {
        let out = self.out.len() as u32;
        if closure == MORE {
            self.out.extend_from_slice(self.store.edges(node));
        }
        Frame::Image(Image {
            closure,
            node,
            rel,
            edge: 0,
            way: 0,
            end: 0,
            joining: false,
            out,
        })
    }

    #[inline]
    fn saturated_known(&self, closure: u32, node: Node) -> Option<Node> {
        match node {
            EMPTY | DONE => Some(node),
            _ => self.closures[closure as usize].saturated.get(node, 0),
        }
    }

    #[inline]
    fn saturate_frame(&self, closure: u32, node: Node) -> Frame {
        Frame::Saturate {
            closure,
            node,
            edge: 0,
            out: self.out.len() as u32,
        }
    }

    fn restricted_known(&self, node: Node) -> Option<Node> {
        match node {
            EMPTY | DONE => Some(node),
            _ => self.restricted.get(node, 0),
        }
    }

    fn restrict_frame(&self, node: Node) -> Frame {
        Frame::Restrict {
            node,
            edge: 0,
            next: 0,
            done: false,
            out: self.out.len() as u32,
        }
    }

    /// Runs an operation, and all that it asks for, to its result; or goes on with it.
    fn run(&mut self, asked: Asked) -> Result<Node, Stop> {
        if self.suspended != Some(asked) {
            self.drop_frames();
            let frame = match asked {
                Asked::Union(a, b) => self.union_frame(a, b),
                Asked::Minus(a, b) => self.minus_frame(a, b),
                Asked::Image(closure, node, rel) => self.image_frame(closure, node, rel),
                Asked::Saturate(closure, node) => self.saturate_frame(closure, node),
                Asked::Restrict(node) => self.restrict_frame(node),
            };
            self.stack.push(frame);
        }
        self.suspended = None;
        while !self.stack.is_empty() {
            if let Err(stop) = self.turn() {
                // Operations run out between two steps. Other limits may have cut a step short; and what conditions
                // are meant, nobody can tell from a node.
                match (stop, asked) {
                    (_, Asked::Restrict(_)) => self.drop_frames(),
                    (Stop::Operations, _) => self.suspended = Some(asked),
                    _ => self.drop_frames(),
                }
                return Err(stop);
            }
        }
        Ok(self.result.take().unwrap_or(EMPTY))
    }

    /// Whether it is recorded what firing adds to the set that is closed next.
    pub(super) fn record(&mut self, wanted: bool) {
        match wanted {
            true => _ = self.recorded.get_or_insert_default(),
            false => self.recorded = None,
        }
    }

    /// How many nodes have a record of their firing.
    #[cfg(test)]
    pub fn recorded(&self, closure: u32) -> usize {
        self.closures[closure as usize].logs.len()
    }

    /// No operation is under way any more.
    fn drop_frames(&mut self) {
        self.stack.clear();
        self.out.clear();
        self.dirty.clear();
        self.result = None;
        self.suspended = None;
    }

    fn turn(&mut self) -> Result<(), Stop> {
        self.operations += 1 + std::mem::take(&mut self.effort) / WIDE;
        if self.operations > self.most {
            return Err(Stop::Operations);
        }
        if self.operations >= self.polled {
            self.polled = self.operations + POLL;
            if self.operations - self.told >= PORTION {
                self.tell();
            }
            self.control.check()?;
            self.suit();
        }
        if self.store.is_due() {
            self.collect()?;
        }
        self.step()
    }

    /// Says what was done since that was last said.
    fn tell(&mut self) {
        let done = self.operations - self.told;
        self.told = self.operations;
        let cost = COST.iter().find(|(most, _)| self.store.peak() <= *most);
        self.control
            .worked(cost.map_or(done, |(_, cost)| done.saturating_mul(*cost)));
    }

    /// Fits the caches to the nodes that there are.
    fn suit(&mut self) {
        let (entries, left) = (PER_NODE * self.store.live(), self.control.left());
        for cache in [
            &mut self.union,
            &mut self.minus,
            &mut self.image,
            &mut self.more,
            &mut self.restricted,
        ] {
            cache.suit(entries, left);
        }
        for closure in &mut self.closures {
            closure.images.suit(4 * entries, left);
            closure.saturated.suit(entries, left);
        }
    }

    fn collect(&mut self) -> Result<(), Stop> {
        self.peak_bytes = self.peak_bytes.max(self.bytes());
        let (work, roots, result) = (&self.work, &self.roots, self.result);
        let (stack, out) = (&self.stack, &self.out);
        let (recorded, closures) = (&self.recorded, &self.closures);
        let marks = self.store.collect(&mut |mark| {
            if let Some(work) = work {
                // The set that it began with, too: its number must not come to name another.
                mark(work.set);
                mark(work.closed.set);
                work.closed.history.iter().for_each(|a| mark(a.before));
            }
            roots.iter().copied().chain(result).for_each(&mut *mark);
            if let Some(recorded) = recorded {
                mark(recorded.child);
                mark(recorded.added);
                recorded.log.nodes(mark);
            }
            for (node, log) in closures.iter().flat_map(|c| &c.logs) {
                mark(*node);
                log.nodes(mark);
            }
            for frame in stack {
                match *frame {
                    Frame::Union { a, b, .. } | Frame::Minus { a, b, .. } => {
                        mark(a);
                        mark(b);
                    }
                    Frame::Image(Image { node, .. })
                    | Frame::Fix(Fix { node, .. })
                    | Frame::Saturate { node, .. }
                    | Frame::Restrict { node, .. } => mark(node),
                }
            }
            out.iter().for_each(|e| mark(e.child));
        });
        for cache in [&mut self.union, &mut self.minus] {
            cache.retain(&marks, (true, true));
        }
        for cache in [&mut self.image, &mut self.more, &mut self.restricted] {
            cache.retain(&marks, (true, false));
        }
        for closure in &mut self.closures {
            closure.images.retain(&marks, (true, false));
            closure.saturated.retain(&marks, (true, false));
        }
        self.store.after_collection(self.control.budget().nodes)
    }
}
