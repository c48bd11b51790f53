//! One step of each operation: the topmost frame goes on until it needs the result of another operation, or is done.

use super::{Engine, Fix, Frame, Image, MORE, NONE, PLAIN, RECORDED};
use crate::base::control::Stop;
use crate::engine::diagrams::closure::MOVED;
use crate::engine::diagrams::explain::Entry;
use crate::engine::diagrams::relations::{IDENTITY, Rel};
use crate::engine::diagrams::store::{EMPTY, Edge, Node};

/// The effort of looking up what a value leads to.
const LOOKED_UP: u64 = 8;

impl Engine<'_> {
    /// Goes on with the topmost frame: it is done and has left its result, or it waits below what it asks for.
    pub(super) fn step(&mut self) -> Result<(), Stop> {
        match self.stack.last() {
            None => Ok(()),
            Some(&Frame::Union { a, b, i, j, out }) => self.step_union((a, b), i, j, out),
            Some(&Frame::Minus { a, b, i, out }) => self.step_minus((a, b), i, out),
            Some(&Frame::Image(at)) => self.step_image(at),
            Some(&Frame::Saturate {
                closure,
                node,
                edge,
                out,
            }) => self.step_saturate(closure, node, edge, out),
            Some(&Frame::Fix(at)) => self.step_fix(at),
            Some(&Frame::Restrict { .. }) => self.step_restrict(),
        }
    }

    /// Leaves the topmost frame as it is now, and does another one first.
    #[inline]
    fn wait(&mut self, now: Frame, next: Frame) -> Result<(), Stop> {
        self.become_frame(now);
        self.stack.push(next);
        Ok(())
    }

    fn become_frame(&mut self, now: Frame) {
        if let Some(top) = self.stack.last_mut() {
            *top = now;
        }
    }

    /// The topmost frame is done.
    #[inline]
    fn finish(&mut self, node: Node, out: u32) -> Result<(), Stop> {
        self.out.truncate(out as usize);
        self.stack.pop();
        self.result = Some(node);
        Ok(())
    }

    /// The node that the topmost frame's edges make.
    fn made(&mut self, level: u32, out: u32) -> Result<Node, Stop> {
        let edges = &self.out[out as usize..];
        self.effort += edges.len() as u64;
        self.store.node(level, edges, self.control)
    }

    fn step_union(
        &mut self,
        (a, b): (Node, Node),
        mut i: u32,
        mut j: u32,
        out: u32,
    ) -> Result<(), Stop> {
        if let Some(child) = self.result.take() {
            let value = self.store.edge(a, i - 1).value;
            self.out.push(Edge { value, child });
        }
        let (ends_a, ends_b) = (self.store.len(a), self.store.len(b));
        while i < ends_a && j < ends_b {
            let (x, y) = (self.store.edge(a, i), self.store.edge(b, j));
            if x.value < y.value {
                i += 1;
                self.out.push(x);
                continue;
            }
            if y.value < x.value {
                j += 1;
                self.out.push(y);
                continue;
            }
            i += 1;
            j += 1;
            let Some(child) = self.union_known(x.child, y.child) else {
                let next = self.union_frame(x.child, y.child);
                return self.wait(Frame::Union { a, b, i, j, out }, next);
            };
            let value = x.value;
            self.out.push(Edge { value, child });
        }
        self.out
            .extend_from_slice(&self.store.edges(a)[i as usize..]);
        self.out
            .extend_from_slice(&self.store.edges(b)[j as usize..]);
        let node = self.made(self.store.level(a), out)?;
        self.union.put(a, b, node);
        self.finish(node, out)
    }

    fn step_minus(&mut self, (a, b): (Node, Node), mut i: u32, out: u32) -> Result<(), Stop> {
        if let Some(child) = self.result.take()
            && child != EMPTY
        {
            let value = self.store.edge(a, i - 1).value;
            self.out.push(Edge { value, child });
        }
        while i < self.store.len(a) {
            let Edge { value, child } = self.store.edge(a, i);
            i += 1;
            let other = self.store.child(b, value);
            let Some(left) = self.minus_known(child, other) else {
                let next = self.minus_frame(child, other);
                return self.wait(Frame::Minus { a, b, i, out }, next);
            };
            if left != EMPTY {
                self.out.push(Edge { value, child: left });
            }
        }
        let node = self.made(self.store.level(a), out)?;
        self.minus.put(a, b, node);
        self.finish(node, out)
    }

    fn step_image(&mut self, mut at: Image) -> Result<(), Stop> {
        let level = self.store.level(at.node);
        let here = self.relations.top(at.rel) == level;
        let mut result = self.result.take();
        loop {
            // The result that this frame waits for is there: the image of a child, or its union with the old set.
            if let Some(found) = result.take() {
                if let Some(old) = self.put_image(&mut at, here, found) {
                    at.joining = true;
                    match self.union_known(old, found) {
                        Some(known) => result = Some(known),
                        None => {
                            let union = self.union_frame(old, found);
                            return self.wait(Frame::Image(at), union);
                        }
                    }
                }
                continue;
            }
            let Some((below, child, rest)) = self.next_image(&mut at, here) else {
                break;
            };
            match self.image_known(below, child, rest) {
                Some(known) => result = Some(known),
                None => {
                    let next = self.image_frame(below, child, rest);
                    return self.wait(Frame::Image(at), next);
                }
            }
        }
        let (key, out) = ((at.node, at.rel), at.out);
        if at.closure < MORE {
            return self.fix(at.closure, key, out);
        }
        let found = self.made(level, out)?;
        match at.closure {
            MORE => self.more.put(at.node, at.rel, found),
            _ => self.image.put(at.node, at.rel, found),
        }
        self.finish(found, out)
    }

    /// Puts the image of a child, or a union with one, where it belongs.
    ///
    /// If something else is there, a union of both is needed first: then that is given back, and nothing is done.
    #[inline]
    fn put_image(&mut self, at: &mut Image, here: bool, found: Node) -> Option<Node> {
        let begin = at.out as usize;
        let present = self.store.edge(at.node, at.edge - 1);
        let value = match here {
            true => self.relations.way(at.way - 1).value,
            false => present.value,
        };
        if at.joining {
            set(&mut self.out[begin..], value, found);
            at.joining = false;
            return None;
        }
        let old = self.add(begin, value, found)?;
        // Where nothing was added yet, the set with its image is what the set was.
        if at.closure == MORE && value == present.value && old == present.child {
            set(&mut self.out[begin..], value, found);
            return None;
        }
        Some(old)
    }

    /// The next image that an image is made of: for which closure, of which child and under what.
    #[inline]
    fn next_image(&mut self, at: &mut Image, here: bool) -> Option<(u32, Node, Rel)> {
        while at.way == at.end {
            if at.edge == self.store.len(at.node) {
                return None;
            }
            let e = self.store.edge(at.node, at.edge);
            at.edge += 1;
            if !here {
                return Some((at.closure, e.child, at.rel));
            }
            self.effort += LOOKED_UP;
            let ways = self.relations.ways(at.rel, e.value);
            (at.way, at.end) = (ways.start, ways.end);
        }
        let way = self.relations.way(at.way);
        at.way += 1;
        let present = self.store.edge(at.node, at.edge - 1);
        let below = match at.closure {
            MORE if way.value != present.value => PLAIN,
            other => other,
        };
        Some((below, present.child, way.rest))
    }

    fn step_saturate(
        &mut self,
        closure: u32,
        node: Node,
        mut edge: u32,
        out: u32,
    ) -> Result<(), Stop> {
        if let Some(child) = self.result.take() {
            let value = self.store.edge(node, edge - 1).value;
            self.out.push(Edge { value, child });
        }
        while edge < self.store.len(node) {
            let e = self.store.edge(node, edge);
            edge += 1;
            let Some(child) = self.saturated_known(closure, e.child) else {
                let now = Frame::Saturate {
                    closure,
                    node,
                    edge,
                    out,
                };
                let next = self.saturate_frame(closure, e.child);
                return self.wait(now, next);
            };
            let value = e.value;
            self.out.push(Edge { value, child });
        }
        self.fix(closure, (node, NONE), out)
    }

    /// Begins to fire the events of a level on a node whose children are saturated.
    fn fix(&mut self, closure: u32, key: (Node, Rel), out: u32) -> Result<(), Stop> {
        let level = self.store.level(key.0);
        let dirty = self.dirty.len();
        let events = &mut self.closures[closure as usize];
        if events.has_events(level) {
            let values = self.out[out as usize..].iter().map(|e| e.value);
            events.begin(&mut self.relations, level, values, &mut self.dirty);
            self.effort += (self.dirty.len() - dirty) as u64;
        }
        if self.dirty.len() == dirty {
            return self.fixed(closure, level, key, out);
        }
        if let (NONE, Some(recorded)) = (key.1, &mut self.recorded) {
            recorded.log.start = self.out[out as usize..].to_vec();
            recorded.log.entries.clear();
            recorded.since = self.operations;
        }
        self.become_frame(Frame::Fix(Fix {
            closure,
            node: key.0,
            rel: key.1,
            event: u32::MAX,
            from: 0,
            next: 0,
            end: 0,
            joining: false,
            out,
            dirty: dirty as u32,
        }));
        Ok(())
    }

    fn fixed(
        &mut self,
        closure: u32,
        level: u32,
        (node, rel): (Node, Rel),
        out: u32,
    ) -> Result<(), Stop> {
        let found = self.made(level, out)?;
        let known = &mut self.closures[closure as usize];
        if rel == NONE {
            known.saturated.put(node, 0, found);
            if found != node && found != EMPTY {
                known.saturated.put(found, 0, found);
            }
        } else {
            known.images.put(node, rel, found);
        }
        self.finish(found, out)
    }

    fn step_fix(&mut self, mut at: Fix) -> Result<(), Stop> {
        let level = self.store.level(at.node);
        let mut result = self.result.take();
        loop {
            if let Some(found) = result.take() {
                if found != EMPTY
                    && let Some(union) = self.gain(&mut at, level, found)
                {
                    return self.wait(Frame::Fix(at), union);
                }
                continue;
            }
            let Some((child, rest)) = self.next_firing(&mut at, level) else {
                break;
            };
            if let (NONE, Some(recorded)) = (at.rel, &mut self.recorded) {
                recorded.child = child;
            }
            match self.image_known(at.closure, child, rest) {
                Some(known) => result = Some(known),
                None => {
                    let image = self.image_frame(at.closure, child, rest);
                    return self.wait(Frame::Fix(at), image);
                }
            }
        }
        if let (NONE, Some(recorded)) = (at.rel, &mut self.recorded)
            && self.operations - recorded.since > RECORDED
        {
            let log = std::mem::take(&mut recorded.log);
            let logs = &mut self.closures[at.closure as usize].logs;
            logs.insert(at.node, log);
        }
        self.fixed(at.closure, level, (at.node, at.rel), at.out)
    }

    /// Adds what firing has led to; if that is new, marks the events to be fired again.
    ///
    /// If a union is needed first, its frame is given back.
    #[inline]
    fn gain(&mut self, at: &mut Fix, level: u32, found: Node) -> Option<Frame> {
        let begin = at.out as usize;
        let made = self.closures[at.closure as usize].moves[at.next as usize - 1];
        let value = made.value;
        let recorded = self.recorded.as_mut().filter(|_| at.rel == NONE);
        if let (Some(recorded), false) = (recorded, at.joining) {
            recorded.added = found;
        }
        let old = if at.joining {
            at.joining = false;
            set(&mut self.out[begin..], value, found)
        } else if let Some(old) = self.add(begin, value, found) {
            let Some(known) = self.union_known(old, found) else {
                at.joining = true;
                return Some(self.union_frame(old, found));
            };
            set(&mut self.out[begin..], value, known)
        } else {
            EMPTY
        };
        if child_of(&self.out[begin..], value) != old {
            let marks = (&mut self.dirty, at.dirty as usize);
            let closure = &mut self.closures[at.closure as usize];
            self.effort += closure.mark(&mut self.relations, level, value, at.event, marks);
            if let (NONE, Some(recorded)) = (at.rel, &mut self.recorded) {
                recorded.log.entries.push(Entry {
                    event: at.event,
                    from: at.from,
                    to: value,
                    rest: made.rest,
                    child: recorded.child,
                    added: recorded.added,
                });
            }
        }
        None
    }

    /// The next image that firing needs: of which child and under what. `None` if no event is to be fired any more.
    #[inline]
    fn next_firing(&mut self, at: &mut Fix, level: u32) -> Option<(Node, Rel)> {
        let closure = &mut self.closures[at.closure as usize];
        loop {
            if at.next == at.end {
                (at.event, at.from) = closure.pick(&mut self.dirty, at.dirty as usize, at.event)?;
                self.effort += LOOKED_UP;
                (at.next, at.end) = closure.moves_from(&mut self.relations, level, at.from);
                continue;
            }
            let m = closure.moves[at.next as usize];
            at.next += 1;
            if m.event == at.event && (m.rest != IDENTITY || m.value != at.from) {
                let child = child_of(&self.out[at.out as usize..], at.from);
                return Some((child, m.rest));
            }
        }
    }

    fn step_restrict(&mut self) -> Result<(), Stop> {
        let Some(&Frame::Restrict {
            node,
            mut edge,
            mut next,
            mut done,
            out,
        }) = self.stack.last()
        else {
            return Ok(());
        };
        let mut result = self.result.take();
        let level = self.store.level(node);
        while !done {
            if let Some(child) = result.take()
                && child != EMPTY
            {
                let value = self.store.edge(node, edge - 1).value;
                self.out.push(Edge { value, child });
            }
            if edge == self.store.len(node) {
                done = true;
                result = Some(self.made(level, out)?);
                next = self.conditions.partition_point(|&(l, _)| l < level) as u32;
                break;
            }
            let e = self.store.edge(node, edge);
            edge += 1;
            match self.restricted_known(e.child) {
                Some(known) => result = Some(known),
                None => {
                    let now = Frame::Restrict {
                        node,
                        edge,
                        next,
                        done,
                        out,
                    };
                    let below = self.restrict_frame(e.child);
                    return self.wait(now, below);
                }
            }
        }
        let mut present = result.unwrap_or(EMPTY);
        while let Some(&(l, rel)) = self.conditions.get(next as usize)
            && l == level
            && present != EMPTY
        {
            next += 1;
            present = match self.image_known(PLAIN, present, rel) {
                Some(known) => known,
                None => {
                    let now = Frame::Restrict {
                        node,
                        edge,
                        next,
                        done,
                        out,
                    };
                    let image = self.image_frame(PLAIN, present, rel);
                    return self.wait(now, image);
                }
            };
        }
        self.restricted.put(node, 0, present);
        self.finish(present, out)
    }

    /// Adds a set below a value, if no edge from `begin` on has this value; else returns the set that is there.
    #[inline]
    fn add(&mut self, begin: usize, value: u32, child: Node) -> Option<Node> {
        if child == EMPTY {
            return None;
        }
        let edge = Edge { value, child };
        match self.out[begin..].last() {
            Some(last) if last.value >= value => {
                match self.out[begin..].binary_search_by_key(&value, |e| e.value) {
                    Ok(n) => Some(self.out[begin + n].child),
                    Err(n) => {
                        self.effort += (self.out.len() - begin - n) as u64 / MOVED;
                        self.out.insert(begin + n, edge);
                        None
                    }
                }
            }
            _ => {
                self.out.push(edge);
                None
            }
        }
    }
}

/// Puts a set below a value; what was there.
#[inline]
fn set(out: &mut [Edge], value: u32, child: Node) -> Node {
    match out.binary_search_by_key(&value, |e| e.value) {
        Ok(n) => std::mem::replace(&mut out[n].child, child),
        Err(_) => EMPTY,
    }
}

#[inline]
pub(in crate::engine::diagrams) fn child_of(out: &[Edge], value: u32) -> Node {
    match out.binary_search_by_key(&value, |e| e.value) {
        Ok(n) => out[n].child,
        Err(_) => EMPTY,
    }
}
