//! Whether a program meets a state that it does not meet with some blocks atomic, on decision diagrams.
//!
//! Of the reachable states those without a thread inside are compared, with what is not observed put to one value. With
//! the blocks atomic these are reached by one thread after the other: from a state without a thread inside, any of them
//! runs alone until it is outside again. So sets are closed under the events of one thread, which lie close together.

use super::Settings;
use super::question::{all_of, deadlocks};
use super::symbolic::{Model, wrong};
use crate::base::control::{Control, Stop};
use crate::engine::Variable;
use crate::engine::diagrams::{EMPTY, Event, Formula, NO, Node, Rel, Strategy, Way};
use crate::model::program::{CellId, LocId, Program, ThreadId};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// The blocks of a thread.
#[derive(Clone, Debug, Default)]
pub struct Inside {
    /// Where control is inside.
    pub locations: BTreeSet<LocId>,
    /// The steps of the blocks, by location and number of the edge.
    pub edges: BTreeSet<(LocId, usize)>,
}

/// Blocks that may be atomic, and what is seen of a state in which no thread is inside.
pub struct Atomic<'a> {
    /// By thread.
    pub blocks: BTreeMap<ThreadId, Inside>,
    /// The variables that are not observed where a thread is at a location.
    pub unseen: &'a dyn Fn(ThreadId, LocId) -> Vec<CellId>,
    /// Those that never are.
    pub hidden: &'a [CellId],
    /// Whether the two are compared, and not only explored.
    pub compares: bool,
}

/// What is found where nothing goes wrong.
#[derive(Clone, Debug)]
pub struct Alike {
    /// The reachable states.
    pub states: BigUint,
    /// Whether some thread takes a step of a block.
    pub entered: bool,
    /// Whether some thread leaves one.
    pub finished: bool,
    /// A thread that is inside in a deadlock, and where it is.
    pub stuck: Option<(ThreadId, LocId)>,
}

/// What a program does with and without its blocks atomic; none if something goes wrong, or the two can be told apart.
///
/// # Errors
/// Any [`Stop`]; [`Stop::Operations`] if it takes more than so many.
pub fn atomic(
    program: &Program,
    asked: &Atomic,
    order: Vec<Variable>,
    most: u64,
    control: &Control,
) -> Result<Option<Alike>, Stop> {
    let settings = Settings {
        strategy: Strategy::Saturation,
        order,
        facts: true,
        operations: most,
        reduction: None,
        stress: false,
        keep: false,
    };
    let mut sets = Sets {
        model: Model::new(program, &settings, control)?,
        asked,
    };
    sets.model.engine.allow(most);
    sets.compared()
}

struct Sets<'a, 'p, 'c> {
    model: Model<'p, 'c>,
    asked: &'a Atomic<'a>,
}

impl Sets<'_, '_, '_> {
    fn compared(&mut self) -> Result<Option<Alike>, Stop> {
        let fine = self.model.relations(false, |_| true);
        let all = self.closed(&fine, self.model.initial)?;
        let mut violated = self.model.violated != EMPTY;
        for rel in self.model.relations(true, |_| true) {
            violated |= self.model.engine.image(all, rel)? != EMPTY;
        }
        if violated || wrong(&mut self.model, all)? != BigUint::ZERO {
            return Ok(None);
        }
        if self.asked.compares {
            let Some(atomic) = self.one_after_the_other()? else {
                return Ok(None);
            };
            let (one, other) = (self.observed(all)?, self.observed(atomic)?);
            if self.model.engine.minus(one, other)? != EMPTY {
                return Ok(None);
            }
        }
        let (entered, finished) = self.progress(all)?;
        Ok(Some(Alike {
            states: self.model.engine.count(all)?,
            entered,
            finished,
            stuck: self.stuck(all)?,
        }))
    }

    /// The states without a thread inside that are reached with the blocks atomic; none if a thread begins inside.
    fn one_after_the_other(&mut self) -> Result<Option<Node>, Stop> {
        let mut states = self.outside_only(self.model.initial)?;
        if states != self.model.initial {
            return Ok(None);
        }
        let threads = self.model.space.program.threads.len();
        let events = (0..threads).map(|t| self.model.relations(false, |e| e.thread == t));
        let events: Vec<Vec<Rel>> = events.collect();
        loop {
            let before = states;
            for (t, own) in events.iter().enumerate() {
                let alone = self.closed(own, states)?;
                let outside = self.outside(t);
                let alone = all_of(&mut self.model.engine, alone, &[outside])?;
                states = self.model.engine.union(states, alone)?;
                self.model.engine.keep(states);
            }
            if states == before {
                return Ok(Some(states));
            }
        }
    }

    fn closed(&mut self, rels: &[Rel], from: Node) -> Result<Node, Stop> {
        let way = Way {
            strategy: Strategy::Saturation,
            facts: true,
            history: false,
        };
        let set = self.model.engine.close(from, rels, way)?.set;
        self.model.engine.keep(set);
        Ok(set)
    }

    /// Where a thread is inside.
    fn inside(&mut self, thread: ThreadId) -> Formula {
        let Some(block) = self.asked.blocks.get(&thread) else {
            return NO;
        };
        let places: Vec<LocId> = block.locations.iter().copied().collect();
        let space = &self.model.space;
        let f = &mut self.model.engine.relations.formulas;
        space.at(f, thread, &places, space)
    }

    fn outside(&mut self, thread: ThreadId) -> Formula {
        let inside = self.inside(thread);
        self.model.engine.relations.formulas.not(inside)
    }

    /// The states of a set in which no thread is inside.
    fn outside_only(&mut self, set: Node) -> Result<Node, Stop> {
        let threads: Vec<ThreadId> = self.asked.blocks.keys().copied().collect();
        let outside: Vec<Formula> = threads.iter().map(|&t| self.outside(t)).collect();
        let found = all_of(&mut self.model.engine, set, &outside)?;
        self.model.engine.keep(found);
        Ok(found)
    }

    /// The states of a set in which no thread is inside, as they are observed.
    fn observed(&mut self, set: Node) -> Result<Node, Stop> {
        let mut seen = self.outside_only(set)?;
        for (t, thread) in self.model.space.program.threads.iter().enumerate() {
            let mut places: BTreeMap<Vec<CellId>, Vec<LocId>> = BTreeMap::new();
            for l in 0..thread.locations.len() {
                places.entry((self.asked.unseen)(t, l)).or_default().push(l);
            }
            if places.keys().all(Vec::is_empty) {
                continue;
            }
            let mut all = EMPTY;
            for (cells, locations) in places {
                let space = &self.model.space;
                let f = &mut self.model.engine.relations.formulas;
                let here = space.at(f, t, &locations, space);
                let part = self.forget(seen, &[here], &cells)?;
                all = self.model.engine.union(all, part)?;
                self.model.engine.keep(all);
            }
            seen = all;
        }
        let seen = self.forget(seen, &[], self.asked.hidden)?;
        self.model.engine.keep(seen);
        Ok(seen)
    }

    /// The states of a set that satisfy conditions, these variables put to one value.
    fn forget(&mut self, set: Node, here: &[Formula], cells: &[CellId]) -> Result<Node, Stop> {
        let space = &self.model.space;
        let relations = &mut self.model.engine.relations;
        let least = |c: &CellId| {
            let lo = space.program.cells[*c].ty.lo;
            (space.cells[*c], relations.formulas.constant(lo))
        };
        let updates: Vec<(u32, Formula)> = cells.iter().map(least).collect();
        match relations.relation(here, &updates) {
            Some(rel) => {
                let found = self.model.engine.image(set, rel)?;
                self.model.engine.keep(found);
                Ok(found)
            }
            None => Ok(EMPTY),
        }
    }

    /// Whether a thread takes a step of a block from a state of a set, and whether one leaves a block.
    fn progress(&mut self, set: Node) -> Result<(bool, bool), Stop> {
        let (mut entered, mut finished) = (false, false);
        let fine = self.model.events.iter().filter(|e| !e.violates);
        for event in fine.copied().collect::<Vec<Event>>() {
            let Some(block) = self.asked.blocks.get(&event.thread) else {
                continue;
            };
            let own = block.edges.contains(&(event.location, event.edge));
            if finished || !own && !block.locations.contains(&event.location) {
                continue;
            }
            let behind = self.model.engine.image(set, event.rel)?;
            entered |= own && behind != EMPTY;
            let outside = self.outside(event.thread);
            let left = all_of(&mut self.model.engine, behind, &[outside])?;
            finished |= left != EMPTY;
        }
        Ok((entered || finished, finished))
    }

    /// A thread that is inside in a deadlock among these states.
    fn stuck(&mut self, set: Node) -> Result<Option<(ThreadId, LocId)>, Stop> {
        let dead = deadlocks(&self.model.space, &mut self.model.engine, set)?;
        self.model.engine.keep(dead);
        for (&t, block) in &self.asked.blocks {
            let inside = self.inside(t);
            let stuck = self.model.engine.satisfying(dead, inside)?;
            let state = self.model.engine.pick(stuck);
            let at = state.map(|values| self.model.space.state(&values).location(t));
            if let Some(at) = at.filter(|at| block.locations.contains(at)) {
                return Ok(Some((t, at)));
            }
        }
        Ok(None)
    }
}
