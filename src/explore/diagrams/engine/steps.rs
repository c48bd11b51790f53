//! One step of each operation: a frame goes on until it needs the result of another.

use super::{Engine, Frame, Key, MORE, PLAIN};
use crate::control::Stop;
use crate::explore::diagrams::relations::IDENTITY;
use crate::explore::diagrams::store::{EMPTY, Edge, Node};

impl Engine<'_> {
    fn finish(&mut self, node: Node, out: Vec<Edge>) {
        self.give_back(out);
        self.result = Some(node);
    }

    /// Goes on with a frame: it is done and has left its result, or it is back on the stack below what it asks for.
    pub(super) fn step(&mut self, frame: Frame) -> Result<(), Stop> {
        match frame {
            Frame::Union { .. } => self.step_union(frame),
            Frame::Minus { .. } => self.step_minus(frame),
            Frame::Image { .. } => self.step_image(frame),
            Frame::Saturate { .. } => self.step_saturate(frame),
            Frame::Fix { .. } => self.step_fix(frame),
            Frame::Restrict { .. } => self.step_restrict(frame),
        }
    }

    fn step_union(&mut self, frame: Frame) -> Result<(), Stop> {
        let Frame::Union {
            a,
            b,
            mut i,
            mut j,
            mut value,
            mut out,
        } = frame
        else {
            return Ok(());
        };
        if let Some(child) = self.result.take() {
            out.push(Edge { value, child });
        }
        loop {
            let x = (i < self.store.len(a)).then(|| self.store.edge(a, i));
            let y = (j < self.store.len(b)).then(|| self.store.edge(b, j));
            let child = match (x, y) {
                (None, None) => break,
                (Some(x), Some(y)) if x.value == y.value => {
                    i += 1;
                    j += 1;
                    value = x.value;
                    match self.union_known(x.child, y.child) {
                        Some(known) => known,
                        None => {
                            let next = self.union_frame(x.child, y.child);
                            self.stack.push(Frame::Union {
                                a,
                                b,
                                i,
                                j,
                                value,
                                out,
                            });
                            self.stack.push(next);
                            return Ok(());
                        }
                    }
                }
                (Some(x), y) if y.is_none_or(|y| x.value < y.value) => {
                    i += 1;
                    value = x.value;
                    x.child
                }
                (_, Some(y)) => {
                    j += 1;
                    value = y.value;
                    y.child
                }
                (Some(_), None) => break,
            };
            out.push(Edge { value, child });
        }
        let node = self.store.node(self.store.level(a), &out, self.control)?;
        self.union.put(a, b, node);
        self.finish(node, out);
        Ok(())
    }

    fn step_minus(&mut self, frame: Frame) -> Result<(), Stop> {
        let Frame::Minus {
            a,
            b,
            mut i,
            mut value,
            mut out,
        } = frame
        else {
            return Ok(());
        };
        if let Some(child) = self.result.take()
            && child != EMPTY
        {
            out.push(Edge { value, child });
        }
        while i < self.store.len(a) {
            let x = self.store.edge(a, i);
            i += 1;
            value = x.value;
            let other = self.store.child(b, value);
            let Some(child) = self.minus_known(x.child, other) else {
                let next = self.minus_frame(x.child, other);
                self.stack.push(Frame::Minus {
                    a,
                    b,
                    i,
                    value,
                    out,
                });
                self.stack.push(next);
                return Ok(());
            };
            if child != EMPTY {
                out.push(Edge { value, child });
            }
        }
        let node = self.store.node(self.store.level(a), &out, self.control)?;
        self.minus.put(a, b, node);
        self.finish(node, out);
        Ok(())
    }

    fn step_image(&mut self, frame: Frame) -> Result<(), Stop> {
        let Frame::Image {
            closure,
            node,
            rel,
            mut edge,
            mut child,
            mut way,
            mut end,
            mut present,
            mut value,
            mut kept,
            mut joining,
            mut out,
        } = frame
        else {
            return Ok(());
        };
        let level = self.store.level(node);
        let mut result = self.result.take();
        loop {
            // What was asked for is there: the image of a child, or its union with what was there.
            if let Some(found) = result.take() {
                if joining {
                    set(&mut out, value, found);
                    joining = false;
                } else if let Some(old) = add(&mut out, value, found) {
                    // Where nothing was added yet, the set with its image is what the set was.
                    if old == child && closure == MORE && kept {
                        set(&mut out, value, found);
                        continue;
                    }
                    joining = true;
                    match self.union_known(old, found) {
                        Some(known) => result = Some(known),
                        None => {
                            let next = self.union_frame(old, found);
                            self.stack.push(Frame::Image {
                                closure,
                                node,
                                rel,
                                edge,
                                child,
                                way,
                                end,
                                present,
                                value,
                                kept,
                                joining,
                                out,
                            });
                            self.stack.push(next);
                            return Ok(());
                        }
                    }
                }
                continue;
            }
            let rest = if way < end {
                let w = self.relations.way(way);
                way += 1;
                value = w.value;
                w.rest
            } else if edge < self.store.len(node) {
                let e = self.store.edge(node, edge);
                edge += 1;
                child = e.child;
                present = e.value;
                if self.relations.top(rel) == level {
                    let ways = self.relations.ways(rel, e.value);
                    (way, end) = (ways.start, ways.end);
                    continue;
                }
                value = e.value;
                rel
            } else {
                break;
            };
            kept = value == present;
            let below = match closure {
                MORE if !kept => PLAIN,
                other => other,
            };
            match self.image_known(below, child, rest) {
                Some(known) => result = Some(known),
                None => {
                    let next = self.image_frame(below, child, rest);
                    self.stack.push(Frame::Image {
                        closure,
                        node,
                        rel,
                        edge,
                        child,
                        way,
                        end,
                        present,
                        value,
                        kept,
                        joining,
                        out,
                    });
                    self.stack.push(next);
                    return Ok(());
                }
            }
        }
        if closure >= MORE {
            let found = self.store.node(level, &out, self.control)?;
            match closure {
                MORE => self.more.put(node, rel, found),
                _ => self.image.put(node, rel, found),
            }
            self.finish(found, out);
            return Ok(());
        }
        self.fix(closure, level, Key::Image(node, rel), out)
    }

    fn step_saturate(&mut self, frame: Frame) -> Result<(), Stop> {
        let Frame::Saturate {
            closure,
            node,
            mut edge,
            mut out,
        } = frame
        else {
            return Ok(());
        };
        let mut result = self.result.take();
        loop {
            if let Some(child) = result.take() {
                let value = self.store.edge(node, edge - 1).value;
                out.push(Edge { value, child });
            }
            if edge == self.store.len(node) {
                break;
            }
            let e = self.store.edge(node, edge);
            edge += 1;
            match self.saturated_known(closure, e.child) {
                Some(known) => result = Some(known),
                None => {
                    let next = self.saturate_frame(closure, e.child);
                    self.stack.push(Frame::Saturate {
                        closure,
                        node,
                        edge,
                        out,
                    });
                    self.stack.push(next);
                    return Ok(());
                }
            }
        }
        let level = self.store.level(node);
        self.fix(closure, level, Key::Node(node), out)
    }

    /// Begins to fire the events of a level on a node whose children are saturated.
    fn fix(&mut self, closure: u32, level: u32, key: Key, out: Vec<Edge>) -> Result<(), Stop> {
        let mut dirty = Vec::new();
        if self.closures[closure as usize].has_events(level) {
            for e in &out {
                self.closures[closure as usize].mark(
                    &mut self.relations,
                    level,
                    e.value,
                    None,
                    &mut dirty,
                );
            }
        }
        if dirty.is_empty() {
            return self.fixed(closure, level, key, out);
        }
        self.stack.push(Frame::Fix {
            closure,
            level,
            key,
            out,
            dirty,
            event: u32::MAX,
            from: 0,
            next: 0,
            end: 0,
            value: 0,
            joining: false,
        });
        Ok(())
    }

    fn fixed(&mut self, closure: u32, level: u32, key: Key, out: Vec<Edge>) -> Result<(), Stop> {
        let found = self.store.node(level, &out, self.control)?;
        let known = &mut self.closures[closure as usize];
        match key {
            Key::Image(node, rel) => known.images.put(node, rel, found),
            Key::Node(node) => {
                known.saturated.put(node, 0, found);
                if found != node && found != EMPTY {
                    known.saturated.put(found, 0, found);
                }
            }
        }
        self.finish(found, out);
        Ok(())
    }

    fn step_fix(&mut self, frame: Frame) -> Result<(), Stop> {
        let Frame::Fix {
            closure,
            level,
            key,
            mut out,
            mut dirty,
            mut event,
            mut from,
            mut next,
            mut end,
            mut value,
            mut joining,
        } = frame
        else {
            return Ok(());
        };
        let mut result = self.result.take();
        loop {
            let wanted = if let Some(found) = result.take() {
                if found == EMPTY {
                    continue;
                }
                let old = if joining {
                    joining = false;
                    set(&mut out, value, found)
                } else {
                    match add(&mut out, value, found) {
                        None => EMPTY,
                        Some(old) => match self.union_known(old, found) {
                            Some(known) => set(&mut out, value, known),
                            None => {
                                joining = true;
                                let next_frame = self.union_frame(old, found);
                                self.stack.push(Frame::Fix {
                                    closure,
                                    level,
                                    key,
                                    out,
                                    dirty,
                                    event,
                                    from,
                                    next,
                                    end,
                                    value,
                                    joining,
                                });
                                self.stack.push(next_frame);
                                return Ok(());
                            }
                        },
                    }
                };
                if child_of(&out, value) != old {
                    self.closures[closure as usize].mark(
                        &mut self.relations,
                        level,
                        value,
                        Some(event),
                        &mut dirty,
                    );
                }
                continue;
            } else if next < end {
                let known = &self.closures[closure as usize];
                let m = known.moves[next as usize];
                next += 1;
                if m.event != event || (m.rest == IDENTITY && m.value == from) {
                    continue;
                }
                value = m.value;
                (child_of(&out, from), m.rest)
            } else {
                let known = &mut self.closures[closure as usize];
                let Some((e, v)) = known.pick(&mut dirty, event) else {
                    break;
                };
                (event, from) = (e, v);
                (next, end) = known.moves_from(&mut self.relations, level, v);
                continue;
            };
            match self.image_known(closure, wanted.0, wanted.1) {
                Some(known) => result = Some(known),
                None => {
                    let next_frame = self.image_frame(closure, wanted.0, wanted.1);
                    self.stack.push(Frame::Fix {
                        closure,
                        level,
                        key,
                        out,
                        dirty,
                        event,
                        from,
                        next,
                        end,
                        value,
                        joining,
                    });
                    self.stack.push(next_frame);
                    return Ok(());
                }
            }
        }
        self.fixed(closure, level, key, out)
    }

    fn step_restrict(&mut self, frame: Frame) -> Result<(), Stop> {
        let Frame::Restrict {
            node,
            mut edge,
            mut out,
            mut next,
            mut done,
        } = frame
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
                out.push(Edge { value, child });
            }
            if edge == self.store.len(node) {
                done = true;
                result = Some(self.store.node(level, &out, self.control)?);
                next = self.conditions.partition_point(|&(l, _)| l < level) as u32;
                break;
            }
            let e = self.store.edge(node, edge);
            edge += 1;
            match self.restricted_known(e.child) {
                Some(known) => result = Some(known),
                None => {
                    let buffer = self.buffer();
                    self.stack.push(Frame::Restrict {
                        node,
                        edge,
                        out,
                        next,
                        done,
                    });
                    self.stack.push(Frame::Restrict {
                        node: e.child,
                        edge: 0,
                        out: buffer,
                        next: 0,
                        done: false,
                    });
                    return Ok(());
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
                    let image = self.image_frame(PLAIN, present, rel);
                    self.stack.push(Frame::Restrict {
                        node,
                        edge,
                        out,
                        next,
                        done,
                    });
                    self.stack.push(image);
                    return Ok(());
                }
            };
        }
        self.restricted.put(node, 0, present);
        self.finish(present, out);
        Ok(())
    }
}

/// Adds a set below a value that has none; what is there if it has one.
fn add(out: &mut Vec<Edge>, value: u32, child: Node) -> Option<Node> {
    if child == EMPTY {
        return None;
    }
    match out.binary_search_by_key(&value, |e| e.value) {
        Ok(n) => Some(out[n].child),
        Err(n) => {
            out.insert(n, Edge { value, child });
            None
        }
    }
}

/// Puts a set below a value; what was there.
fn set(out: &mut [Edge], value: u32, child: Node) -> Node {
    match out.binary_search_by_key(&value, |e| e.value) {
        Ok(n) => std::mem::replace(&mut out[n].child, child),
        Err(_) => EMPTY,
    }
}

pub(in crate::explore::diagrams) fn child_of(out: &[Edge], value: u32) -> Node {
    match out.binary_search_by_key(&value, |e| e.value) {
        Ok(n) => out[n].child,
        Err(_) => EMPTY,
    }
}
