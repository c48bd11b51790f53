//! What the checker of certificates asks about every value: single facts, steps and the discipline, never what was
//! found here.

use super::instance::Instance;
use super::kinds::looks_at_locations;
use super::locks::Above;
use super::oracle::{Oracle, Place, Wrong};
use super::overlaps::kept;
use super::run::{Said, Unsaid};
use super::{Speech, Template};
use crate::base::control::Control;
use crate::kernel::Id;
use crate::model::program::{ArrayId, LocId, Program, ThreadId};
use crate::theorem::invariants::Rung;

/// The case split over generic threads of a model, from some value of the constant on.
pub struct Leaf<'p> {
    oracle: Oracle<'p>,
    instance: &'p Instance,
}

impl<'p> Leaf<'p> {
    /// That of an instance of a model, of which `program` is the program with its disciplines. The model has no errors
    /// at `from`, and there is a kind for each thread of every value that is not below.
    ///
    /// # Errors
    /// What is not for all values, or a limit that was hit.
    pub fn new(
        (model, instance): (&Template, &'p Instance),
        program: &'p Program,
        from: i64,
        control: &'p Control,
    ) -> Result<Self, Unsaid> {
        instance.begins_at(model, from, control)?;
        let oracle = Oracle::new(instance, program, Vec::new(), control)?;
        oracle.from.set(from);
        Ok(Leaf { oracle, instance })
    }

    /// The threads of the instance, those together that have one text for every value.
    pub fn kinds(&self) -> Vec<&[ThreadId]> {
        let all = self.instance.kinds.iter();
        all.map(|k| k.threads.as_slice()).collect()
    }

    /// Whether visible steps are visible for all threads of their kind, all first steps among them.
    ///
    /// # Errors
    /// What stands against it.
    pub fn is_uniform(&self, is_visible: &dyn Fn(ThreadId, LocId) -> bool) -> Said<()> {
        let mut kinds = self.instance.kinds.iter();
        kinds.try_for_each(|kind| kind.uniform(&self.instance.parametric, is_visible))
    }

    /// On which states an inclusion holds of all threads of these kinds, by index variable, that differ.
    ///
    /// # Errors
    /// What stands against it.
    pub fn holds(&self, speech: &Speech, part: (Id, Id), threads: &[(u32, usize)]) -> Said<Rung> {
        let from = self.oracle.from.get();
        self.oracle.included(speech, part, threads, (from, false))
    }

    /// The text, with the constant left open.
    pub fn program(&self) -> &Program {
        &self.instance.parametric.program
    }

    /// The invariants, by name, with the variables that each may look at; none if that is not known.
    pub fn invariants(&self) -> &[(String, Option<Vec<ArrayId>>)] {
        &self.instance.parametric.open.invariants
    }

    /// Whether a step may be exchanged with one of another thread that follows it; false if that can't be said.
    ///
    /// # Errors
    /// A limit that was hit.
    pub fn swaps(&self, first: Place, second: Place) -> Said<bool> {
        match self.oracle.swaps(first, second) {
            Err(Unsaid::Because(_)) => Ok(false),
            answer => answer,
        }
    }

    /// Whether two threads may be where two steps begin.
    ///
    /// # Errors
    /// What can't be said, or a limit that was hit.
    pub fn together(&self, one: Place, other: Place) -> Said<bool> {
        self.oracle.together(one, other)
    }

    /// Whether a step may have to wait.
    ///
    /// # Errors
    /// What can't be said, or a limit that was hit.
    pub fn waits(&self, place: Place) -> Said<bool> {
        self.oracle.waits(place)
    }

    /// Whether a step may go wrong.
    ///
    /// # Errors
    /// What can't be said, or a limit that was hit.
    pub fn goes_wrong(&self, place: Place) -> Said<Wrong> {
        self.oracle.goes_wrong(place)
    }

    /// Whether a thread may own a lock at a place.
    ///
    /// # Errors
    /// A limit that was hit.
    pub fn owns(&self, place: Place) -> Said<bool> {
        self.oracle.owns(place)
    }

    /// Which locks have to be above which, so that a step waits for none but one above all that its thread owns; none
    /// if that can't be said.
    ///
    /// # Errors
    /// A limit that was hit.
    pub fn ascends(&self, place: Place) -> Said<Option<Above>> {
        self.oracle.ascends(place)
    }

    /// Whether a step that goes wrong changes nothing else, and no step looks at where threads are.
    ///
    /// # Errors
    /// What can't be said, or a limit that was hit.
    pub fn fails_unseen(&self, place: Place) -> Said<bool> {
        Ok(!looks_at_locations(self.program()) && self.oracle.fails_alone(place)?)
    }

    /// Whether no step violates the discipline.
    ///
    /// # Errors
    /// What stands against it.
    pub fn keeps_discipline(&self) -> Said<()> {
        match kept(&self.oracle)? {
            Ok(_) => Ok(()),
            Err(why) => Err(Unsaid::Because(why)),
        }
    }
}
