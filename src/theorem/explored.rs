//! A program whose reduced system is explored under a theorem: what answers and evidence are drawn from.

use super::properties::{Goal, GoalKind};
use super::settled::by_stoller_cohen;
use super::visibility::Visibility;
use crate::base::results::{Conclusion, Report, Trace};
use crate::engine::relations::Encoding;
use crate::model::program::{LocId, ThreadId};
use crate::theorem::executions::search::Execution;
use crate::theorem::executions::trace::retell;
use crate::theorem::reduced::coarse::{Explorer, Reduced};
use crate::theorem::reduced::transactions::Phased;

/// A program whose reduced system is explored.
pub(super) struct Explored<'a, 'e, 'p> {
    /// The program, with what was inferred.
    pub plain: &'a Encoding<'p>,
    /// What was explored: the same, or the program with phases.
    pub encoding: &'a Encoding<'p>,
    /// Takes its coarse steps.
    pub explorer: &'a Explorer<'e, 'p>,
    /// Which of its steps are visible.
    pub visibility: &'a Visibility,
    /// The states met.
    pub reduced: &'a Reduced,
    /// What was looked for.
    pub goals: &'a [Goal],
    /// The phases, by a theorem about transactions.
    pub phased: Option<&'a Phased>,
}

/// Whether no visible step leaves a location.
pub(super) fn is_inside(
    e: &Encoding,
    visibility: &Visibility,
    thread: ThreadId,
    location: LocId,
) -> bool {
    let action = e.action_at(thread, location);
    action.is_none_or(|a| !visibility.is_visible(a))
}

impl Explored<'_, '_, '_> {
    /// Whether other threads are never scheduled before a step.
    pub(super) fn is_inside(&self, thread: ThreadId, location: LocId) -> bool {
        if let Some(phased) = self.phased {
            return phased.is_inside(thread, location);
        }
        is_inside(self.plain, self.visibility, thread, location)
    }

    /// An execution repeated on the original program; `None` if that fails.
    pub(super) fn retell(&self, execution: &Execution, goal: &Goal) -> Option<Trace> {
        match self.phased {
            None => retell(self.plain, execution, goal),
            Some(phased) => {
                let execution = phased.without_phases(self.plain, self.encoding, execution)?;
                retell(self.plain, &execution, goal)
            }
        }
    }

    /// Why a goal that was not met holds.
    pub(super) fn because(&self, report: &Report) -> fn(GoalKind) -> Conclusion {
        match self.phased {
            None => by_stoller_cohen(report.invisible.is_empty()),
            Some(phased) => phased.because(),
        }
    }
}
