//! From what an exploration of the reduced system found to the properties of the report.

use super::check::{Check, hit};
use super::explored::Explored;
use super::properties::{Asked, GoalKind};
use super::verdict;
use super::wellformed::hides_id;
use crate::base::control::Stop;
use crate::base::results::{
    Conclusion, Contradiction, CrossCheck, Doubt, Note, PropertyReason, Report, Status, Trace,
};
use crate::engine::relations::Encoding;
use crate::engine::{Original, explore as explore_original};
use crate::model::program::{LocId, ThreadId};
use crate::theorem::evidence::by_movers;
use crate::theorem::executions::search::{execution, shortest_budget};
use crate::theorem::executions::trace::coarse_length;
use crate::theorem::invariants::Ladder;
use std::time::Instant;

/// What is known when nothing was found.
pub(super) struct Known {
    /// Everything was explored.
    pub complete: bool,
    /// A violation of the discipline was met.
    pub violated: bool,
    /// There is no initial state.
    pub vacuous: bool,
    /// Why a goal that was not met holds.
    pub because: fn(GoalKind) -> Conclusion,
}

/// Why a goal that was not met holds by Stoller & Cohen's theorem.
pub(super) fn by_stoller_cohen(all_visible: bool) -> fn(GoalKind) -> Conclusion {
    match all_visible {
        true => |_| Conclusion::AllVisible,
        false => |kind| match kind {
            GoalKind::Discipline => Conclusion::Discipline,
            GoalKind::DeadlockFree => Conclusion::Deadlocks,
            _ => Conclusion::States,
        },
    }
}

/// The same by a theorem about transactions.
pub(super) fn by_transactions(all_outside: bool) -> fn(GoalKind) -> Conclusion {
    match all_outside {
        true => |_| Conclusion::AllOutside,
        false => |kind| match kind {
            GoalKind::Discipline | GoalKind::Assertions => Conclusion::Threads,
            _ => Conclusion::Observer,
        },
    }
}

impl Known {
    /// Says what makes all answers vacuous.
    pub(super) fn note(&self, report: &mut Report) {
        if self.vacuous {
            report.vacuous = true;
            report.notes.insert(0, Note::Vacuous);
        }
    }
}

/// The n-th property is settled by a trace of so many steps that was re-executed, or by none, if it could not be.
pub(super) fn traced(
    report: &mut Report,
    n: usize,
    asked: &Asked,
    trace: Option<Trace>,
    steps: usize,
) {
    let property = &mut report.properties[n];
    let Some(trace) = trace else {
        property.reason = PropertyReason::Contradicted(Contradiction::ReducedNotRepeated);
        return;
    };
    property.verdict = if asked.wanted {
        Status::Holds
    } else {
        Status::Refuted
    };
    property.reason = PropertyReason::Found(trace.outcome.clone());
    property.trace_length = Some(steps.to_string());
    if trace.states.is_empty() {
        report.notes.push(Note::TooLong(asked.name.clone()));
        return;
    }
    property.coarse_length = Some(coarse_length(&trace).to_string());
    property.trace = Some(trace);
}

/// What it means for the n-th property that nothing was found.
pub(super) fn nothing_found(report: &mut Report, n: usize, asked: &Asked, known: &Known) {
    let hidden = report
        .well_formedness
        .iter()
        .any(|w| w.id == hides_id(asked) && w.status != Status::Holds);
    let silent = match asked.kind {
        GoalKind::Discipline => &report.silence.violations,
        GoalKind::Assertions => &report.silence.wrong,
        GoalKind::DeadlockFree | GoalKind::User(_) => &report.silence.states,
    };
    let gap = verdict::gap(report).or_else(|| silent.clone());
    let unsettled = |doubt| (Status::Unknown, PropertyReason::Unsettled(doubt));
    let property = &mut report.properties[n];
    (property.verdict, property.reason) = if !known.complete {
        unsettled(Doubt::CutShort)
    } else if let Some(gap) = gap {
        unsettled(Doubt::Gap(gap))
    } else if known.violated {
        unsettled(Doubt::Violated)
    } else if hidden {
        unsettled(Doubt::Hidden)
    } else if asked.wanted {
        (Status::Refuted, PropertyReason::NeverReached)
    } else {
        let conclusion = (known.because)(asked.kind);
        (Status::Holds, PropertyReason::Theorem(conclusion))
    };
}

impl Check<'_> {
    /// Everything that follows from an exploration: the answers, the claims of transactions, and the evidence, whose
    /// invariants are those of the ladder.
    pub(super) fn conclude(
        &mut self,
        report: &mut Report,
        explored: &Explored,
        ladder: &mut Ladder,
    ) -> Result<(), Stop> {
        let clock = Instant::now();
        if let Some(stop) = explored.reduced.stopped {
            hit(report, stop, self.control);
        }
        report.statistics.rounds = Some(explored.reduced.rounds.to_string());
        report.statistics.peak_nodes = Some(explored.encoding.m.peak().to_string());
        self.answers(report, explored)?;
        let asked: Vec<Asked> = explored.goals.iter().map(|g| g.asked.clone()).collect();
        let inside = |t, l| explored.is_inside(t, l);
        self.judge(report, (explored.plain, &inside), &asked)?;
        // Its sets are not those of a reduced system that was evaluated.
        if self.options.certificate && !report.silence.evaluated {
            self.gather(report, explored, ladder)?;
        }
        report.timing.evidence = clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// What does not depend on how the reduced system was explored: claims of transactions, and the comparison with
    /// the original program.
    pub(super) fn judge(
        &self,
        report: &mut Report,
        (plain, is_inside): (&Encoding, &dyn Fn(ThreadId, LocId) -> bool),
        asked: &[Asked],
    ) -> Result<(), Stop> {
        let clock = Instant::now();
        self.control.publish(report);
        self.claims(report, Some((plain, Some(is_inside))))?;
        report.timing.evidence = clock.elapsed().as_secs_f64();
        self.control.publish(report);
        match self.options.cross_check {
            true => self.cross_check(report, asked),
            false => Ok(()),
        }
    }

    /// The parts of the bundle that the theorem shows. There are none for a theorem that keeps nothing but what is
    /// reached with all threads outside transactions.
    fn gather(
        &mut self,
        report: &mut Report,
        explored: &Explored,
        ladder: &mut Ladder,
    ) -> Result<(), Stop> {
        let discharge = &self.done.discharge;
        let Some(phased) = explored.phased else {
            self.parts
                .extend(explored.gather(report, ladder, discharge)?);
            return Ok(());
        };
        if !phased.uses.keeps_inside {
            return Ok(());
        }
        let part = explored.gather(report, ladder, discharge)?;
        if part.is_some() {
            self.parts
                .extend(by_movers(explored.plain, phased, report)?);
        }
        self.parts.extend(part);
        Ok(())
    }

    /// Tells what was found on BDDs.
    fn answers(&self, report: &mut Report, explored: &Explored) -> Result<(), Stop> {
        let (e, reduced) = (explored.encoding, explored.reduced);
        self.control.enter("counting");
        let known = Known {
            complete: reduced.stopped.is_none(),
            violated: reduced.met.first() == Some(&true),
            vacuous: e.initial.is_false(),
            because: explored.because(report),
        };
        if known.complete {
            report.states.reduced = Some(e.count(&reduced.states)?.to_string());
            report.states.visited = Some(e.count(&reduced.visited)?.to_string());
        }
        known.note(report);
        let budget = shortest_budget(e);
        for ((goal, met), n) in explored.goals.iter().zip(&reduced.met).zip(0..) {
            self.control.enter(format!("the trace for {}", goal.name));
            if !*met {
                nothing_found(report, n, goal, &known);
                continue;
            }
            report.properties[n].reason = PropertyReason::FoundReduced(None);
            let found = execution(e, explored.explorer, reduced, goal, budget)?;
            if found.as_ref().is_some_and(|x| !x.shortest) {
                report.notes.push(Note::PerhapsLonger {
                    name: goal.name.clone(),
                    exhausted: true,
                });
            }
            let trace = found.and_then(|x| explored.retell(&x, goal));
            let steps = trace.as_ref().map_or(0, |t| t.steps.len());
            traced(report, n, goal, trace, steps);
        }
        Ok(())
    }

    /// Explores the original program state by state and compares every answer with it.
    pub(super) fn cross_check(&self, report: &mut Report, asked: &[Asked]) -> Result<(), Stop> {
        self.control
            .enter("the original system, state by state (--cross-check)");
        // Without guesses: nothing that was inferred stops this exploration.
        let original = match explore_original(self.program, self.control) {
            Ok(original) => original,
            Err(Stop::States) => {
                let limit = self.control.budget().states;
                let cut = CrossCheck::Cut(limit);
                report.notes.push(Note::CrossCheck(cut));
                return Err(Stop::States);
            }
            Err(stop) => return Err(stop),
        };
        report.states.original = Some(original.states.to_string());
        let mut found_more = false;
        for (goal, property) in asked.iter().zip(&mut report.properties) {
            let met = met_in(&original, goal.kind);
            let said = match (property.verdict, goal.wanted) {
                (Status::Unknown, _) => {
                    if met {
                        found_more = true;
                        let (name, wanted) = (goal.name.clone(), goal.wanted);
                        let met = CrossCheck::Met { name, wanted };
                        report.notes.push(Note::CrossCheck(met));
                    }
                    continue;
                }
                (Status::Holds, wanted) => wanted,
                (Status::Refuted, wanted) => !wanted,
            };
            if said != met {
                let goal = goal.name.clone();
                let why = Contradiction::CrossCheck { goal, met };
                property.reason = PropertyReason::Contradicted(why);
            }
        }
        if !report.is_contradicted() && !found_more {
            report.notes.push(Note::CrossCheck(CrossCheck::Agrees));
        }
        Ok(())
    }
}

fn met_in(original: &Original, kind: GoalKind) -> bool {
    match kind {
        GoalKind::Discipline => original.violated,
        GoalKind::Assertions => original.wrong,
        GoalKind::DeadlockFree => original.deadlock,
        GoalKind::User(n) => original.found[n],
    }
}
