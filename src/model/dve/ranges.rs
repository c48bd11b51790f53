//! Which values variables take: an interval for each, which is inductive.
//!
//! A byte that only ever holds 0 to 3 becomes a variable of the range 0..3. That takes fewer bits in every engine, and
//! changes no step: from all values in the intervals that satisfy its guards, each transition assigns values in the
//! intervals, or values that the declared type refuses as well. Intervals grow round by round, then to the bounds of
//! the type, and shrink again by what is really assigned from them (widening and narrowing: Cousot and Cousot 1977).
//! The elements of an array have one interval together.

use super::expressions::{Scene, World};
use super::system::{ChannelId, Expr, Kind, Place, ProcessId, Sync, Transition, VarId};
use crate::model::dve::text::Binary;

/// Least and greatest value.
type Range = (i64, i64);

/// Rounds before intervals grow to the bounds of their type, and rounds in which they shrink again.
const GROWING: usize = 12;
const SHRINKING: usize = 3;

/// The intervals of all variables of a system; those in `world` are given back as they were.
pub(super) fn ranges(world: &World) -> Vec<Range> {
    let mut known = initial(world);
    for round in 0.. {
        let next = assigned(world, &known);
        if next == known {
            break;
        }
        for (v, (k, n)) in known.iter_mut().zip(next).enumerate() {
            let ty = world.system.vars[v].ty.range();
            let low = if n.0 < k.0 && round >= GROWING {
                ty.0
            } else {
                n.0
            };
            let high = if n.1 > k.1 && round >= GROWING {
                ty.1
            } else {
                n.1
            };
            *k = (low, high);
        }
    }
    for _ in 0..SHRINKING {
        // Both are inductive: all that is assigned from the one lies in the other as well.
        let next = step(world, &known, initial(world));
        for (k, n) in known.iter_mut().zip(next) {
            *k = (k.0.max(n.0), k.1.min(n.1));
        }
    }
    known
}

fn initial(world: &World) -> Vec<Range> {
    let hull = |all: &[i64]| {
        let least = all.iter().copied().min().unwrap_or(0);
        (least, all.iter().copied().max().unwrap_or(0))
    };
    world.system.vars.iter().map(|v| hull(&v.init)).collect()
}

/// These intervals, and all that is assigned from them.
fn assigned(world: &World, known: &[Range]) -> Vec<Range> {
    step(world, known, known.to_vec())
}

fn transitions<'s>(world: &World<'s>) -> impl Iterator<Item = (ProcessId, &'s Transition)> {
    let processes = world.system.processes.iter().enumerate();
    processes.flat_map(|(p, process)| process.transitions.iter().map(move |t| (p, t)))
}

/// What can be received on each channel, value by value: what is sent, and 0 where a buffer is free.
fn received(world: &World, known: &[Range]) -> Vec<Vec<Option<(i128, i128)>>> {
    let channels = &world.system.channels;
    let free = |size: usize| (size > 0).then_some((0, 0));
    let mut all: Vec<Vec<_>> = channels
        .iter()
        .map(|c| vec![free(c.size); c.width])
        .collect();
    for (p, t) in transitions(world) {
        let Some(Sync::Send(c, values)) = &t.sync else {
            continue;
        };
        let mut view = View::new(world, known);
        if !view.suppose(p, t) {
            continue;
        }
        let before = [(p, t.from)];
        for (n, e) in values.iter().enumerate() {
            let mut value = view.value(e, Scene::Step(&before));
            if let Some(types) = &channels[*c].types {
                let (lo, hi) = types[n].range();
                // A cast to the type may wrap.
                if value.0 < lo.into() || value.1 > hi.into() {
                    value = (lo.into(), hi.into());
                }
            }
            let slot = &mut all[*c][n];
            *slot = Some(slot.map_or(value, |s| (s.0.min(value.0), s.1.max(value.1))));
        }
    }
    all
}

/// `all`, and all that is assigned from states in these intervals.
fn step(world: &World, known: &[Range], mut all: Vec<Range>) -> Vec<Range> {
    let received = received(world, known);
    for (p, t) in transitions(world) {
        let mut view = View::new(world, known);
        if !view.suppose(p, t) {
            continue;
        }
        match &t.sync {
            Some(Sync::Receive(c, places)) => {
                for (place, value) in places.iter().zip(&received[*c]) {
                    if let Some(value) = value {
                        view.assign(place, *value, &mut all);
                    }
                }
            }
            // The receiver's effects come before ours.
            Some(Sync::Send(c, _)) => view.forget_what_receivers_assign(*c, known),
            None => {}
        }
        let after = [(p, t.to)];
        for (target, e) in &t.effects {
            let scene = Scene::Step(&after);
            // Else the step goes wrong here, and assigns nothing more.
            if !view.evaluated(e, scene) || !view.indexed(target, scene) {
                break;
            }
            let value = view.value(e, scene);
            view.assign(target, value, &mut all);
        }
    }
    world.ranges.replace(known.to_vec());
    all
}

/// What is known within one transition.
struct View<'w, 's> {
    world: &'w World<'s>,
    local: Vec<Range>,
    /// Variables that another process may have written within the step, with anything that it assigns.
    forgotten: Vec<VarId>,
}

impl<'w, 's> View<'w, 's> {
    fn new(world: &'w World<'s>, known: &[Range]) -> Self {
        View {
            world,
            local: known.to_vec(),
            forgotten: Vec::new(),
        }
    }

    /// The interval of an expression.
    fn value(&self, e: &Expr, scene: Scene) -> (i128, i128) {
        let mut local = self.local.clone();
        for &v in &self.forgotten {
            local[v] = self.world.system.vars[v].ty.range();
        }
        self.world.ranges.replace(local);
        let value = self.world.value(e, scene).counted();
        (value.lo, value.hi)
    }

    /// An assignment: values that the type refuses are not written.
    fn assign(&mut self, place: &Place, (lo, hi): (i128, i128), all: &mut [Range]) {
        let ty = self.world.system.vars[place.var].ty.range();
        let (lo, hi) = (lo.max(ty.0.into()), hi.min(ty.1.into()));
        if lo > hi {
            return;
        }
        let written = (lo as i64, hi as i64);
        let joined = |a: Range| (a.0.min(written.0), a.1.max(written.1));
        all[place.var] = joined(all[place.var]);
        self.local[place.var] = match place.index {
            None => {
                self.forgotten.retain(|v| *v != place.var);
                written
            }
            Some(_) => joined(self.local[place.var]),
        };
    }

    /// Of what those assign who may receive from this channel nothing is known any more.
    fn forget_what_receivers_assign(&mut self, channel: ChannelId, known: &[Range]) {
        for (_, other) in transitions(self.world) {
            let Some(Sync::Receive(c, places)) = &other.sync else {
                continue;
            };
            if *c != channel {
                continue;
            }
            let targets = other.effects.iter().map(|(place, _)| place);
            for place in places.iter().chain(targets) {
                self.local[place.var] = known[place.var];
                self.forgotten.push(place.var);
            }
        }
    }

    /// The guards of a transition hold; whether they can. (One that fails leads to an error, and assigns nothing.)
    fn suppose(&mut self, p: ProcessId, t: &Transition) -> bool {
        let before = [(p, t.from)];
        // Twice: what one guard says of a variable may say more of another.
        let mut twice = t.guards.iter().chain(&t.guards);
        twice.all(|guard| self.holds(guard, Scene::Step(&before)))
    }

    /// Assumes that an expression is evaluated without failure, and says whether that is possible. Parts that are
    /// evaluated only sometimes are left out.
    fn evaluated(&mut self, e: &Expr, scene: Scene) -> bool {
        match &e.kind {
            Kind::Number(_) | Kind::At(..) => true,
            Kind::Place(place) => self.indexed(place, scene),
            Kind::Unary(_, inner) => self.evaluated(inner, scene),
            Kind::Binary(Binary::And | Binary::Or | Binary::Imply, a, _) => {
                self.evaluated(a, scene)
            }
            Kind::Binary(_, a, b) => self.evaluated(a, scene) && self.evaluated(b, scene),
        }
    }

    /// The index of a place lies in its array, so a variable in it, with a number added or taken away, has bounds.
    fn indexed(&mut self, place: &Place, scene: Scene) -> bool {
        let (Some(index), Some(size)) = (&place.index, self.world.system.vars[place.var].size)
        else {
            return true;
        };
        if !self.evaluated(index, scene) {
            return false;
        }
        self.bounded(index, (0, size as i128 - 1), scene)
    }

    fn holds(&mut self, e: &Expr, scene: Scene) -> bool {
        if !self.evaluated(e, scene) {
            return false;
        }
        let Kind::Binary(op, a, b) = &e.kind else {
            return true;
        };
        if *op == Binary::And {
            return self.holds(a, scene) && self.holds(b, scene);
        }
        let turned = match op {
            Binary::Eq | Binary::Ne => *op,
            Binary::Lt => Binary::Gt,
            Binary::Le => Binary::Ge,
            Binary::Gt => Binary::Lt,
            Binary::Ge => Binary::Le,
            _ => return true,
        };
        self.compared(a, *op, b, scene) && self.compared(b, turned, a, scene)
    }

    /// What a true comparison says of its left side; and whether it can be true.
    fn compared(&mut self, left: &Expr, op: Binary, right: &Expr, scene: Scene) -> bool {
        let (lo, hi) = self.value(right, scene);
        let (low, high) = self.value(left, scene);
        let bounds = match op {
            Binary::Eq => (lo, hi),
            Binary::Lt => (low, hi - 1),
            Binary::Le => (low, hi),
            Binary::Gt => (lo + 1, high),
            Binary::Ge => (lo, high),
            Binary::Ne if lo == hi && low == lo => (low + 1, high),
            Binary::Ne if lo == hi && high == hi => (low, high - 1),
            _ => return true,
        };
        self.bounded(left, bounds, scene)
    }

    /// Assumes that an expression lies between two numbers, narrows its variables, and says whether that is possible.
    fn bounded(&mut self, e: &Expr, (lo, hi): (i128, i128), scene: Scene) -> bool {
        let (low, high) = self.value(e, scene);
        let (lo, hi) = (lo.max(low), hi.min(high));
        if lo > hi {
            return false;
        }
        match &e.kind {
            Kind::Place(place) => {
                let var = &self.world.system.vars[place.var];
                if place.index.is_none() && var.size.is_none() {
                    let (least, most) = self.local[place.var];
                    let found = (lo.max(least.into()), hi.min(most.into()));
                    if found.0 <= found.1 {
                        self.local[place.var] = (found.0 as i64, found.1 as i64);
                    }
                }
                true
            }
            Kind::Binary(op @ (Binary::Add | Binary::Sub), a, b) => {
                let (x, y) = (self.value(a, scene), self.value(b, scene));
                let sum = match op {
                    Binary::Add => (x.0 + y.0, x.1 + y.1),
                    _ => (x.0 - y.1, x.1 - y.0),
                };
                // Where 32 bits may be left, the result says nothing of the parts.
                if sum.0 < i32::MIN.into() || sum.1 > i32::MAX.into() {
                    return true;
                }
                match op {
                    Binary::Add => {
                        self.bounded(a, (lo - y.1, hi - y.0), scene)
                            && self.bounded(b, (lo - x.1, hi - x.0), scene)
                    }
                    _ => {
                        self.bounded(a, (lo + y.0, hi + y.1), scene)
                            && self.bounded(b, (x.0 - hi, x.1 - lo), scene)
                    }
                }
            }
            _ => true,
        }
    }
}
