//! Whether a program meets a state that it does not meet with some blocks atomic, on decision diagrams.
//!
//! With the blocks atomic, an event of a thread has a further condition: no other thread is inside. Of both sets of
//! reachable states those without a thread inside are compared, with what is not observed put to one value.

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
        let all = self.closed(&fine)?;
        let mut violated = self.model.violated != EMPTY;
        for rel in self.model.relations(true, |_| true) {
            violated |= self.model.engine.image(all, rel)? != EMPTY;
        }
        if violated || wrong(&mut self.model, all)? != BigUint::ZERO {
            return Ok(None);
        }
        let alone = self.alone();
        let rels: Vec<Rel> = alone.iter().map(|(_, rel)| *rel).collect();
        let atomic = self.closed(&rels)?;
        if self.asked.compares {
            let (one, other) = (self.observed(all)?, self.observed(atomic)?);
            if self.model.engine.minus(one, other)? != EMPTY {
                return Ok(None);
            }
        }
        // What is met with the block atomic is met without.
        let (mut entered, mut finished) = self.progress(atomic, &alone)?;
        if !finished {
            let events: Vec<(Event, Rel)> = self.fine().map(|e| (e, e.rel)).collect();
            (entered, finished) = self.progress(all, &events)?;
        }
        Ok(Some(Alike {
            states: self.model.engine.count(all)?,
            entered,
            finished,
            stuck: self.stuck(all)?,
        }))
    }

    fn fine(&self) -> impl Iterator<Item = Event> + '_ {
        self.model.events.iter().filter(|e| !e.violates).copied()
    }

    fn closed(&mut self, rels: &[Rel]) -> Result<Node, Stop> {
        let way = Way {
            strategy: Strategy::Saturation,
            facts: true,
            history: false,
        };
        let set = self.model.engine.close(self.model.initial, rels, way)?.set;
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

    /// The events, each where no other thread is inside.
    fn alone(&mut self) -> Vec<(Event, Rel)> {
        let threads: Vec<ThreadId> = self.asked.blocks.keys().copied().collect();
        let outside: Vec<(ThreadId, Formula)> =
            threads.iter().map(|&t| (t, self.outside(t))).collect();
        let mut all = Vec::new();
        for event in self.fine().collect::<Vec<Event>>() {
            let others = outside.iter().filter(|(t, _)| *t != event.thread);
            let relations = &mut self.model.engine.relations;
            let conditions = relations.conditions(event.rel).iter().copied();
            let conditions: Vec<Formula> = conditions.chain(others.map(|(_, o)| *o)).collect();
            let updates: Vec<(u32, Formula)> = relations.updates(event.rel).collect();
            if let Some(rel) = relations.relation(&conditions, &updates) {
                all.push((event, rel));
            }
        }
        all
    }

    /// The states of a set in which no thread is inside, as they are observed.
    fn observed(&mut self, set: Node) -> Result<Node, Stop> {
        let threads: Vec<ThreadId> = self.asked.blocks.keys().copied().collect();
        let outside: Vec<Formula> = threads.iter().map(|&t| self.outside(t)).collect();
        let mut seen = all_of(&mut self.model.engine, set, &outside)?;
        self.model.engine.keep(seen);
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
    fn progress(&mut self, set: Node, events: &[(Event, Rel)]) -> Result<(bool, bool), Stop> {
        let (mut entered, mut finished) = (false, false);
        for &(event, rel) in events {
            let Some(block) = self.asked.blocks.get(&event.thread) else {
                continue;
            };
            let own = block.edges.contains(&(event.location, event.edge));
            if finished || !own && !block.locations.contains(&event.location) {
                continue;
            }
            let behind = self.model.engine.image(set, rel)?;
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
