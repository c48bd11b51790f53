//! From what an exploration of the reduced system found to the properties of the report.

use super::check::{Check, hit};
use super::explored::Explored;
use super::properties::{Asked, GoalKind};
use super::verdict;
use super::wellformed::hides_id;
use crate::base::control::Stop;
use crate::base::results::{Contradiction, Report, Status, Trace};
use crate::engine::{Original, explore as explore_original};
use crate::theorem::evidence::by_movers;
use crate::theorem::executions::search::{SHORTEST_BUDGET, execution};
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
    pub because: fn(GoalKind) -> &'static str,
}

/// Why a goal that was not met holds by Stoller & Cohen's theorem.
pub(super) fn by_stoller_cohen(all_visible: bool) -> fn(GoalKind) -> &'static str {
    match all_visible {
        true => |_| "every step is visible, so the reduced system is the original one",
        false => |kind| match kind {
            GoalKind::Discipline => {
                "no violation in the reduced system, so by (19) none in the original"
            }
            GoalKind::DeadlockFree => {
                "the reduced system has exactly the original's deadlocks (corollary (b)), and has none"
            }
            _ => "the reduced system would show it (corollary (a)), and does not",
        },
    }
}

impl Known {
    /// Says what makes all answers vacuous.
    pub(super) fn note(&self, report: &mut Report) {
        if self.vacuous {
            report.vacuous = true;
            report.notes.insert(
                0,
                "vacuous: no state satisfies the initial values and `init`, so nothing can happen"
                    .into(),
            );
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
        property.contradict(Contradiction::ReducedNotRepeated);
        return;
    };
    property.verdict = if asked.wanted {
        Status::Holds
    } else {
        Status::Refuted
    };
    property.reason = trace.outcome.to_string();
    property.trace_length = Some(steps.to_string());
    if trace.states.is_empty() {
        report.notes.push(format!(
            "the execution for {} was repeated by the interpreter, and is too long to be told",
            asked.name
        ));
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
    let gap = verdict::gap(report);
    let property = &mut report.properties[n];
    (property.verdict, property.reason) = if !known.complete {
        (
            Status::Unknown,
            "undecided: the exploration was cut short before it was met".into(),
        )
    } else if let Some(gap) = gap {
        (
            Status::Unknown,
            format!("nothing found in the reduced system, but that says nothing: {gap}"),
        )
    } else if known.violated {
        (
            Status::Unknown,
            "undecided: the discipline is violated, and the theorem then says nothing about the rest"
                .into(),
        )
    } else if hidden {
        (
            Status::Unknown,
            "undecided: nothing found, but an invisible step could hide it".into(),
        )
    } else if asked.wanted {
        (
            Status::Refuted,
            "no reachable state satisfies it: the reduced system was explored completely".into(),
        )
    } else {
        (Status::Holds, (known.because)(asked.kind).into())
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
        self.judge(report, explored, &asked)?;
        if self.options.certificate {
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
        explored: &Explored,
        asked: &[Asked],
    ) -> Result<(), Stop> {
        self.control.publish(report);
        self.claims(report, explored.plain, &|t, l| explored.is_inside(t, l))?;
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
        for ((goal, met), n) in explored.goals.iter().zip(&reduced.met).zip(0..) {
            self.control.enter(format!("the trace for {}", goal.name));
            if !*met {
                nothing_found(report, n, goal, &known);
                continue;
            }
            report.properties[n].reason =
                "found in the reduced system, but not yet traced and re-executed".into();
            let found = execution(e, explored.explorer, reduced, goal, SHORTEST_BUDGET)?;
            if found.as_ref().is_some_and(|x| !x.shortest) {
                let name = &goal.name;
                report.notes.push(format!(
                    "the trace for {name} is perhaps not a shortest one: the search for that used up its budget"
                ));
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
                report.notes.push(format!(
                    "the cross-check was cut short: more than {limit} states (--limit-states)"
                ));
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
                        let name = &goal.name;
                        report.notes.push(format!(
                            "cross-check: {name} is {} in the original program, state by state",
                            if goal.wanted { "reached" } else { "violated" }
                        ));
                    }
                    continue;
                }
                (Status::Holds, wanted) => wanted,
                (Status::Refuted, wanted) => !wanted,
            };
            if said != met {
                let goal = goal.name.clone();
                property.contradict(Contradiction::CrossCheck { goal, met });
            }
        }
        if !report.is_contradicted() && !found_more {
            report.notes.push(
                "cross-checked: the original program, explored state by state, contradicts no \
                answer"
                    .into(),
            );
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
