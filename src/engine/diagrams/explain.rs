//! An execution to a state of a closed set, from how the set was made.
//!
//! No layers are kept: after saturation, a node's firing is run again (from the caches) with a record, and the state is
//! traced back through it: which event added it at this level, from which state below, and so on down. Where firing
//! took long the record was kept the first time, since the caches forget. After chaining and worklists the sets before
//! each event are there. What comes out is executed again by the interpreter, so nothing rests on it.

use super::engine::{Engine, child_of};
use super::relations::{IDENTITY, Rel};
use super::store::{DONE, EMPTY, Edge, Node};
use super::strategies::Added;
use crate::base::control::Stop;

/// A step: the event, and the values after it of the levels that it mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The event.
    pub rel: Rel,
    /// (level, value after it)
    pub after: Vec<(u32, u32)>,
}

/// An execution: its first state, and its steps.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// Values from the top.
    pub first: Vec<u32>,
    /// In order.
    pub steps: Vec<Taken>,
}

/// One addition to a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub event: u32,
    pub from: u32,
    pub to: u32,
    pub rest: Rel,
    pub child: Node,
    pub added: Node,
}

/// What firing on a node has added, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    /// The node with its children saturated.
    pub start: Vec<Edge>,
    pub entries: Vec<Entry>,
}

impl Log {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.start.capacity() * size_of::<Edge>() + self.entries.capacity() * size_of::<Entry>()
    }

    /// Calls `mark` with all its nodes.
    pub fn nodes(&self, mark: &mut dyn FnMut(Node)) {
        self.start.iter().for_each(|e| mark(e.child));
        self.entries.iter().for_each(|e| {
            mark(e.child);
            mark(e.added);
        });
    }
}

/// Where the values below a node's value came from before its own events were fired.
#[derive(Clone, Copy)]
enum Origin {
    /// A set as it was given.
    Node(Node),
    /// The image of a set.
    Image(Node, Rel),
}

/// A node whose firing is traced back.
struct Undo {
    level: u32,
    origin: Origin,
    start: Vec<Edge>,
    log: Vec<Entry>,
    /// Entries that lie before the present state.
    upto: usize,
}

/// A node that waits until the event it traces is traced through the levels below.
struct Waiting {
    undo: Undo,
    from: u32,
    taken: Taken,
}

impl Engine<'_> {
    /// An execution from a state of `start` to a state of its closure, after saturation.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn explain(
        &mut self,
        closure: u32,
        start: Node,
        target: &[u32],
    ) -> Result<Option<Execution>, Stop> {
        self.store.hold(true);
        let found = self.explained(closure, start, target);
        self.store.hold(false);
        found
    }

    fn explained(
        &mut self,
        closure: u32,
        start: Node,
        target: &[u32],
    ) -> Result<Option<Execution>, Stop> {
        let mut present = target.to_vec();
        let mut steps: Vec<Taken> = Vec::new();
        let mut stack: Vec<Waiting> = Vec::new();
        let mut undo = Some(self.begin_undo(closure, Origin::Node(start))?);
        loop {
            self.control.check()?;
            let Some(mut here) = undo.take() else {
                let Some(waiting) = stack.pop() else { break };
                let mut before = waiting.undo;
                present[before.level as usize] = waiting.from;
                steps.push(waiting.taken);
                before.log.truncate(before.upto);
                undo = Some(before);
                continue;
            };
            let level = here.level as usize;
            let (value, rest) = (present[level], &present[level + 1..]);
            let began = child_of(&here.start, value);
            if self.contains(began, rest) {
                match here.origin {
                    Origin::Node(node) => {
                        let child = self.store.child(node, value);
                        if child != DONE {
                            undo = Some(self.begin_undo(closure, Origin::Node(child))?);
                        }
                    }
                    Origin::Image(node, rel) => {
                        let Some((from, child, rest)) =
                            self.contribution(closure, (node, rel), &present[level..])?
                        else {
                            return Ok(None);
                        };
                        if self.relations.top(rel) == here.level
                            && let Some(waiting) = stack.last_mut()
                        {
                            waiting.taken.after.push((here.level, value));
                        }
                        present[level] = from;
                        if rest != IDENTITY && child != DONE {
                            undo = Some(self.begin_undo(closure, Origin::Image(child, rest))?);
                        }
                    }
                }
                continue;
            }
            let found = here.log[..here.upto]
                .iter()
                .position(|e| e.to == value && self.contains(e.added, rest));
            let Some(n) = found else { return Ok(None) };
            let entry = &here.log[n];
            let (child, rest, from) = (entry.child, entry.rest, entry.from);
            let rel = self.closures[closure as usize].events()[entry.event as usize].1;
            here.upto = n;
            stack.push(Waiting {
                undo: here,
                from,
                taken: Taken {
                    rel,
                    after: vec![(level as u32, value)],
                },
            });
            if rest != IDENTITY && child != DONE {
                undo = Some(self.begin_undo(closure, Origin::Image(child, rest))?);
            }
        }
        steps.reverse();
        Ok(Some(Execution {
            first: present,
            steps,
        }))
    }

    /// Which state of the set before an image is behind this one: the value before, what lies below it, and the rest.
    fn contribution(
        &mut self,
        closure: u32,
        (node, rel): (Node, Rel),
        values: &[u32],
    ) -> Result<Option<(u32, Node, Rel)>, Stop> {
        let level = self.store.level(node);
        for n in 0..self.store.len(node) {
            let e = self.store.edge(node, n);
            if self.relations.top(rel) != level {
                if e.value == values[0] {
                    return Ok(Some((e.value, e.child, rel)));
                }
                continue;
            }
            for w in self.relations.ways(rel, e.value) {
                let way = self.relations.way(w);
                if way.value != values[0] {
                    continue;
                }
                let next = self.saturated_image(closure, e.child, way.rest)?;
                if self.contains(next, &values[1..]) {
                    return Ok(Some((e.value, e.child, way.rest)));
                }
            }
        }
        Ok(None)
    }

    /// Runs the firing at a node again, with a record, unless there is one.
    fn begin_undo(&mut self, closure: u32, origin: Origin) -> Result<Undo, Stop> {
        if let Origin::Node(node) = origin
            && let Some(log) = self.closures[closure as usize].logs.get(&node)
        {
            return Ok(Undo {
                level: self.store.level(node),
                origin,
                start: log.start.clone(),
                upto: log.entries.len(),
                log: log.entries.clone(),
            });
        }
        let mut start: Vec<Edge> = Vec::new();
        let level = match origin {
            Origin::Node(node) => {
                for n in 0..self.store.len(node) {
                    let e = self.store.edge(node, n);
                    let child = self.saturate(e.child, closure)?;
                    start.push(Edge {
                        value: e.value,
                        child,
                    });
                }
                self.store.level(node)
            }
            Origin::Image(node, rel) => {
                let level = self.store.level(node);
                for n in 0..self.store.len(node) {
                    let e = self.store.edge(node, n);
                    if self.relations.top(rel) != level {
                        let next = self.saturated_image(closure, e.child, rel)?;
                        self.join(&mut start, e.value, next)?;
                        continue;
                    }
                    for w in self.relations.ways(rel, e.value) {
                        let way = self.relations.way(w);
                        let next = self.saturated_image(closure, e.child, way.rest)?;
                        self.join(&mut start, way.value, next)?;
                    }
                }
                level
            }
        };
        let mut out = start.clone();
        let mut log = Vec::new();
        let mut dirty = Vec::new();
        if self.closures[closure as usize].has_events(level) {
            let values = out.iter().map(|e| e.value);
            let known = &mut self.closures[closure as usize];
            known.begin(&mut self.relations, level, values, &mut dirty);
        }
        let mut present = u32::MAX;
        while let Some((event, from)) = self.closures[closure as usize].pick(&mut dirty, 0, present)
        {
            present = event;
            let known = &mut self.closures[closure as usize];
            let (first, end) = known.moves_from(&mut self.relations, level, from);
            for m in first..end {
                let m = self.closures[closure as usize].moves[m as usize];
                if m.event != event {
                    continue;
                }
                let child = child_of(&out, from);
                let added = self.saturated_image(closure, child, m.rest)?;
                if self.join(&mut out, m.value, added)? {
                    log.push(Entry {
                        event,
                        from,
                        to: m.value,
                        rest: m.rest,
                        child,
                        added,
                    });
                    let known = &mut self.closures[closure as usize];
                    known.mark(&mut self.relations, level, m.value, event, (&mut dirty, 0));
                }
            }
        }
        let upto = log.len();
        Ok(Undo {
            level,
            origin,
            start,
            log,
            upto,
        })
    }

    /// Adds a set below a value; whether that changed anything.
    fn join(&mut self, out: &mut Vec<Edge>, value: u32, more: Node) -> Result<bool, Stop> {
        if more == EMPTY {
            return Ok(false);
        }
        match out.binary_search_by_key(&value, |e| e.value) {
            Ok(n) => {
                let all = self.union(out[n].child, more)?;
                let changed = all != out[n].child;
                out[n].child = all;
                Ok(changed)
            }
            Err(n) => {
                out.insert(n, Edge { value, child: more });
                Ok(true)
            }
        }
    }

    /// An execution to a state of a set that was made event by event.
    ///
    /// # Errors
    /// Any [`Stop`].
    pub fn traced(&mut self, history: &[Added], target: &[u32]) -> Result<Option<Execution>, Stop> {
        let mut present = target.to_vec();
        let mut steps = Vec::new();
        let mut upto = history.len();
        loop {
            // The sets only grow: the first that has the state was made by the event before it.
            let n = history[..upto].partition_point(|a| !self.contains(a.before, &present));
            let Some(added) = n.checked_sub(1).map(|n| history[n]) else {
                break;
            };
            let Some(before) = self.predecessor(added.before, added.rel, &present)? else {
                return Ok(None);
            };
            let changed = before
                .iter()
                .zip(&present)
                .enumerate()
                .filter(|(_, (b, a))| a != b)
                .map(|(l, (_, a))| (l as u32, *a))
                .collect();
            steps.push(Taken {
                rel: added.rel,
                after: changed,
            });
            present = before;
            upto = n;
        }
        steps.reverse();
        Ok(Some(Execution {
            first: present,
            steps,
        }))
    }

    /// A state of a set from which a relation leads to `target`.
    ///
    /// # Errors
    /// As [`crate::base::control::Control::check`].
    pub fn predecessor(
        &mut self,
        set: Node,
        rel: Rel,
        target: &[u32],
    ) -> Result<Option<Vec<u32>>, Stop> {
        // (node, relation, next edge); the values before are in `before`.
        let mut stack = vec![(set, rel, 0u32)];
        let mut before: Vec<u32> = Vec::new();
        let mut ways = vec![std::ops::Range::<u32>::default()];
        let mut dead: rustc_hash::FxHashSet<(Node, Rel)> = rustc_hash::FxHashSet::default();
        while let Some(&mut (node, rel, ref mut next)) = stack.last_mut() {
            // As many values are chosen as levels lie above.
            let depth = before.len();
            if node == DONE {
                return Ok(Some(before));
            }
            if rel == IDENTITY {
                if self.contains(node, &target[depth..]) {
                    before.extend_from_slice(&target[depth..]);
                    return Ok(Some(before));
                }
            } else {
                let level = self.store.level(node);
                let deeper = if self.relations.top(rel) != level {
                    *next += 1;
                    let child = self.store.child(node, target[depth]);
                    (*next == 1 && child != EMPTY).then_some((target[depth], child, rel))
                } else {
                    self.next_way(node, rel, next, &mut ways[depth], target[depth])
                };
                if let Some((value, child, rest)) = deeper {
                    if !dead.contains(&(child, rest)) {
                        before.push(value);
                        stack.push((child, rest, 0));
                        ways.push(0..0);
                    }
                    continue;
                }
            }
            self.control.check()?;
            dead.insert((node, rel));
            stack.pop();
            ways.pop();
            before.pop();
        }
        Ok(None)
    }

    /// The next value before that leads to `wanted`, with what lies below.
    fn next_way(
        &mut self,
        node: Node,
        rel: Rel,
        next: &mut u32,
        ways: &mut std::ops::Range<u32>,
        wanted: u32,
    ) -> Option<(u32, Node, Rel)> {
        loop {
            for w in ways.by_ref() {
                let way = self.relations.way(w);
                if way.value == wanted {
                    let e = self.store.edge(node, *next - 1);
                    return Some((e.value, e.child, way.rest));
                }
            }
            if *next == self.store.len(node) {
                return None;
            }
            let value = self.store.edge(node, *next).value;
            *next += 1;
            *ways = self.relations.ways(rel, value);
        }
    }
}
