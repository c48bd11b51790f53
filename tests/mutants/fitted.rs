//! Sets that fit: X and the sets Y of whatever a bundle says now, computed state by state, so that nothing but the
//! hypotheses, the facts and the claims stands between a forgery and its acceptance.

use super::Dice;
use super::truth::{breaks, rights};
use super::worlds::{Origin, World};

use coarsen::base::evidence::{Bundle, Diagrams, FALSE, Item, Node, Part, Root, TRUE};
use coarsen::model::program::Program;
use std::collections::{BTreeSet, HashSet};
use twin::eval::Rights;
use twin::model::conflict;

use crate::twin;

/// Larger models are left alone.
const MOST: usize = 3_000;

/// A state with the history of violations.
type Marked = (usize, bool);

/// The steps of a world with the history of violations.
struct Marks<'w> {
    world: &'w World,
    program: &'w Program,
    rights: Vec<(usize, Vec<Vec<Rights>>)>,
}

/// Gives each part without phases sets that fit; whether there is one.
pub fn fit(b: &mut Bundle, world: &World, d: &mut Dice) -> bool {
    let Origin::Tool(session, _) = &world.origin else {
        return false;
    };
    let Some(rights) = rights(world, b).filter(|_| world.places.len() <= MOST) else {
        return false;
    };
    let marks = Marks {
        world,
        program: session.program(),
        rights,
    };
    let mut parts = b.parts.iter_mut();
    parts.all(|part| part.transactions.is_some() || marks.fit(part, d).is_some())
}

impl Marks<'_> {
    fn initial(&self) -> Vec<Marked> {
        let violated = |s: usize| self.rights.iter().any(|(_, r)| conflict(&r[s]));
        let all = self.world.initial.iter();
        all.map(|s| (*s, violated(*s))).collect()
    }

    /// The steps of a thread from a state.
    fn steps(&self, (from, q): Marked, thread: usize) -> Vec<Marked> {
        let moves = self.world.moves[from].iter();
        let of_thread = moves.filter(|m| m.thread == thread);
        of_thread
            .map(|m| {
                let mut all = self.rights.iter();
                let violates = all.any(|(cell, r)| breaks(*cell, (&r[from], &r[m.target]), m));
                (m.target, q || violates)
            })
            .collect()
    }

    fn threads(&self) -> std::ops::Range<usize> {
        0..self.world.threads()
    }

    fn reachable(&self) -> HashSet<Marked> {
        let mut open = self.initial();
        let mut met: HashSet<Marked> = open.iter().copied().collect();
        while let Some(s) = open.pop() {
            let next = self.threads().flat_map(|t| self.steps(s, t));
            open.extend(next.filter(|s| met.insert(*s)));
        }
        met
    }

    fn fit(&self, part: &mut Part, d: &mut Dice) -> Option<()> {
        part.diagrams = Diagrams::default();
        let reachable = self.put(part, &self.reachable())?;
        if part.theorem.is_none() {
            part.states = reachable;
            return Some(());
        }
        part.invariant = match d.below(3) {
            0 => None,
            _ => Some(reachable),
        };
        if d.once_in(2) {
            part.derivations = None;
            part.letters.clear();
            part.classes.clear();
        }
        let (x, ys) = self.reduced(part);
        part.states = self.put(part, &x)?;
        let ys: Option<Vec<Root>> = ys.iter().map(|y| self.put(part, y)).collect();
        part.inside = ys?;
        Some(())
    }

    /// X and the sets Y, for the part's visible steps.
    fn reduced(&self, part: &Part) -> (HashSet<Marked>, Vec<HashSet<Marked>>) {
        let visible: BTreeSet<(&str, &str)> = part
            .visible
            .iter()
            .map(|(t, l)| (t.as_str(), l.as_str()))
            .collect();
        let is_visible = |(s, _): Marked, t: usize| {
            let at = self.world.places[s].locations.as_ref().map_or(0, |l| l[t]);
            let thread = &self.program.threads[t];
            visible.contains(&(thread.name.as_str(), thread.locations[at].name.as_str()))
        };
        let mut x: HashSet<Marked> = self.initial().into_iter().collect();
        let mut ys = vec![HashSet::new(); self.world.threads()];
        let mut open: Vec<Marked> = x.iter().copied().collect();
        while let Some(s) = open.pop() {
            for t in self.threads().filter(|t| is_visible(s, *t)) {
                let mut inside = self.steps(s, t);
                while let Some(y) = inside.pop() {
                    if !ys[t].insert(y) {
                        continue;
                    }
                    let next = self.steps(y, t);
                    match is_visible(y, t) || next.is_empty() {
                        true if x.insert(y) => open.push(y),
                        true => {}
                        false => inside.extend(next),
                    }
                }
            }
        }
        (x, ys)
    }

    /// A set as a diagram; `None` if the items are not those of the model.
    fn put(&self, part: &mut Part, set: &HashSet<Marked>) -> Option<Root> {
        let mut rows = Vec::new();
        for marked in set {
            rows.push(self.row(&part.items, *marked)?);
        }
        rows.sort();
        Some(built(&mut part.diagrams, &rows, 0))
    }

    fn row(&self, items: &[Item], (s, q): Marked) -> Option<Vec<bool>> {
        let (place, p) = (&self.world.places[s], self.program);
        let mut row = Vec::new();
        for item in items {
            let (code, values) = match item {
                Item::Violated => (u64::from(q), 2),
                Item::Location(name) => {
                    let t = self.world.thread(name)?;
                    let at = place.locations.as_ref()?[t];
                    (at as u64, p.threads[t].locations.len() as u64)
                }
                Item::Cell(name) => {
                    let cell = self.world.cell(name)?;
                    let ty = p.cells[cell].ty;
                    ((place.cells[cell] - ty.lo) as u64, ty.size())
                }
            };
            let width = 64 - (values - 1).leading_zeros();
            row.extend((0..width).rev().map(|bit| code >> bit & 1 == 1));
        }
        Some(row)
    }
}

/// The diagram of sorted rows that agree on all bits before this one.
fn built(diagrams: &mut Diagrams, rows: &[Vec<bool>], bit: usize) -> Root {
    let Some(first) = rows.first() else {
        return FALSE;
    };
    if bit == first.len() {
        return TRUE;
    }
    let (zeros, ones) = rows.split_at(rows.partition_point(|row| !row[bit]));
    let low = built(diagrams, zeros, bit + 1);
    let high = built(diagrams, ones, bit + 1);
    let bit = bit as u32;
    diagrams.add(Node { bit, low, high }).unwrap_or(FALSE)
}
