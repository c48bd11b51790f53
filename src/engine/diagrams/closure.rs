//! Which events a saturation fires, at which level, and which of them need not be fired again.

use super::explain::Log;
use super::relations::{Rel, Relations};
use super::store::Node;
use super::table::Cache;
use rustc_hash::{FxHashMap, FxHashSet};

/// One step of an event at its highest level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub event: u32,
    pub value: u32,
    pub rest: Rel,
}

/// The events of a level, by number.
#[derive(Debug, Default)]
struct Level {
    /// Those that can be fired from one value only, such as the steps from a location.
    by_value: FxHashMap<u32, Vec<u32>>,
    others: Vec<u32>,
}

impl Level {
    /// The events that may be fired from a value, in order.
    fn from(&self, value: u32) -> Vec<u32> {
        let mut all = self.others.clone();
        all.extend(self.by_value.get(&value).into_iter().flatten());
        all.sort_unstable();
        all
    }
}

/// A set of events to close sets under.
#[derive(Debug)]
pub struct Closure {
    /// (level, relation) of the events, sorted; an event's number is its place here.
    events: Vec<(u32, Rel)>,
    levels: FxHashMap<u32, Level>,
    /// Moves by level and value, as ranges of `moves`.
    met: FxHashMap<(u32, u32), (u32, u32)>,
    pub(super) moves: Vec<Move>,
    /// (t, u): u need not be fired again because of t, if it has been fired on everything before.
    skips: FxHashSet<(u32, u32)>,
    pub(super) images: Cache,
    pub(super) saturated: Cache,
    /// What firing has added, of nodes of the set that was closed where that took long.
    pub(super) logs: FxHashMap<Node, Log>,
    facts: bool,
    skipped: u64,
}

/// Entries that are moved to make room, for the effort of handling one.
pub(super) const MOVED: u64 = 8;

/// Entries of each cache at most.
const REMEMBERED: usize = 1 << 23;

impl Closure {
    /// A closure under relations; whether it may use facts is remembered, but they come from elsewhere.
    pub fn new(relations: &Relations, events: impl Iterator<Item = Rel>, facts: bool) -> Self {
        let mut events: Vec<(u32, Rel)> = events.map(|r| (relations.top(r), r)).collect();
        events.sort_unstable();
        events.dedup();
        let mut levels: FxHashMap<u32, Level> = FxHashMap::default();
        for (n, &(level, rel)) in events.iter().enumerate() {
            let level = levels.entry(level).or_default();
            match relations.only(rel) {
                Some(value) => level.by_value.entry(value).or_default().push(n as u32),
                None => level.others.push(n as u32),
            }
        }
        Closure {
            events,
            levels,
            met: FxHashMap::default(),
            moves: Vec::new(),
            skips: FxHashSet::default(),
            images: Cache::at_most(REMEMBERED),
            saturated: Cache::at_most(REMEMBERED),
            logs: FxHashMap::default(),
            facts,
            skipped: 0,
        }
    }

    /// Whether it is a closure under the same relations.
    pub fn is_like(&self, other: &Closure) -> bool {
        self.facts == other.facts && self.events == other.events
    }

    /// The events by highest level.
    pub fn events(&self) -> &[(u32, Rel)] {
        &self.events
    }

    /// From now on `u` is not fired again because of `t` (numbers of events), where it was not due anyway.
    pub fn skip(&mut self, pairs: impl Iterator<Item = (u32, u32)>) {
        self.skips.extend(pairs);
    }

    /// How often an event was not fired again.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.images.bytes()
            + self.saturated.bytes()
            + self.moves.capacity() * size_of::<Move>()
            + self.met.capacity() * 17
            + self.events.len() * 16
            + self.skips.capacity() * 9
            + self.logs.values().map(Log::bytes).sum::<usize>()
    }

    /// Whether some event's highest level is this one.
    #[inline]
    pub(super) fn has_events(&self, level: u32) -> bool {
        self.levels.contains_key(&level)
    }

    /// The moves from a value of a level's variable.
    #[inline]
    pub(super) fn moves_from(
        &mut self,
        relations: &mut Relations,
        level: u32,
        value: u32,
    ) -> (u32, u32) {
        if let Some(&known) = self.met.get(&(level, value)) {
            return known;
        }
        let first = self.moves.len() as u32;
        let events = self.levels.get(&level).map(|l| l.from(value));
        for event in events.unwrap_or_default() {
            for w in relations.ways(self.events[event as usize].1, value) {
                let way = relations.way(w);
                self.moves.push(Move {
                    event,
                    value: way.value,
                    rest: way.rest,
                });
            }
        }
        let range = (first, self.moves.len() as u32);
        self.met.insert((level, value), range);
        range
    }

    /// What has to be fired on a new node with sets below these values: added to `dirty`, descending.
    pub(super) fn begin(
        &mut self,
        relations: &mut Relations,
        level: u32,
        values: impl Iterator<Item = u32>,
        dirty: &mut Vec<u64>,
    ) {
        let begin = dirty.len();
        for value in values {
            let (first, end) = self.moves_from(relations, level, value);
            for m in first..end {
                dirty.push(u64::from(self.moves[m as usize].event) << 32 | u64::from(value));
            }
        }
        let added = &mut dirty[begin..];
        added.sort_unstable_by(|a, b| b.cmp(a));
        let mut kept = begin;
        for n in begin..dirty.len() {
            if n == begin || dirty[n] != dirty[kept - 1] {
                dirty[kept] = dirty[n];
                kept += 1;
            }
        }
        dirty.truncate(kept);
    }

    /// What has to be fired after the event `by` has added to the set below a value: added to the entries of `dirty`
    /// from `begin` on, which are descending. Returns how many entries were handled.
    pub(super) fn mark(
        &mut self,
        relations: &mut Relations,
        level: u32,
        value: u32,
        by: u32,
        (dirty, begin): (&mut Vec<u64>, usize),
    ) -> u64 {
        let (first, end) = self.moves_from(relations, level, value);
        let mut handled = u64::from(end - first);
        let mut last = None;
        for m in first..end {
            let event = self.moves[m as usize].event;
            if last == Some(event) {
                continue;
            }
            last = Some(event);
            if by != event && self.skips.contains(&(by, event)) && !is_due(&dirty[begin..], event) {
                self.skipped += 1;
                continue;
            }
            let entry = u64::from(event) << 32 | u64::from(value);
            if let Err(n) = dirty[begin..].binary_search_by(|d| entry.cmp(d)) {
                handled += (dirty.len() - begin - n) as u64 / MOVED;
                dirty.insert(begin + n, entry);
            }
        }
        handled
    }

    /// Takes the next event and value to be fired from `dirty`, from `begin` on: where events are skipped, the present
    /// event first until it has no more.
    #[inline]
    pub(super) fn pick(
        &mut self,
        dirty: &mut Vec<u64>,
        begin: usize,
        present: u32,
    ) -> Option<(u32, u32)> {
        let last = dirty[begin..].len().checked_sub(1)?;
        let mut n = last;
        if !self.skips.is_empty() {
            let below = u64::from(present) << 32;
            let first = dirty[begin..].partition_point(|&d| d >= below);
            if first > 0 && dirty[begin + first - 1] >> 32 == u64::from(present) {
                n = first - 1;
            }
        }
        let entry = dirty.remove(begin + n);
        Some(((entry >> 32) as u32, entry as u32))
    }
}

/// Whether an event is to be fired for some value.
fn is_due(dirty: &[u64], event: u32) -> bool {
    let below = u64::from(event) << 32;
    let n = dirty.partition_point(|&d| d >= below);
    n > 0 && dirty[n - 1] >> 32 == u64::from(event)
}
