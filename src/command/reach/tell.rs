//! From what an engine found to a report: executions are repeated, then the verdict is settled.

use super::{Run, goal_name};
use crate::base::control::{Hit, Stop};
use crate::base::results::{
    Attempt, Contradiction, Ending, Property, PropertyKind, ReachReport, SoFar, Status, Verdict,
};
use crate::engine::State;
use crate::engine::Variable;
use crate::engine::reach::{Answer, Outcome, Path, Question, Sort};
use crate::model::program::{LocId, Program};
use crate::theorem::{Rerun, deadlock, repeat};
use num_bigint::BigUint;

/// A count, or the words that there is none.
pub(super) fn number(n: Option<&BigUint>) -> String {
    n.map_or("unknown".into(), |n| n.to_string())
}

impl Run<'_> {
    /// Fills the report.
    pub(super) fn tell(&self, outcome: &Outcome, report: &mut ReachReport) {
        let mut outcome = outcome.clone();
        let recounted = self.recount(&mut outcome);
        if self.program.errors_end {
            without_wrong(&mut outcome, report);
        }
        report.engine = outcome.engine.to_string();
        report.order.clone_from(&self.order);
        let told = |n: &Option<BigUint>| n.as_ref().map(|n| n.to_string());
        report.states = told(&outcome.states);
        report.visited = told(&outcome.visited);
        report.deadlocks = told(&outcome.deadlocks);
        report.wrong = told(&outcome.wrong);
        report.wrong_deadlocks = told(&outcome.wrong_deadlocks);
        report.peak_nodes = outcome.peak_nodes.map(|n| n.to_string());
        report.memory = outcome.memory.map(|n| n.to_string());
        report.operations = outcome.operations.map(|n| n.to_string());
        let attempts = self.attempts.iter().map(|(a, operations)| Attempt {
            engine: a.engine.to_string(),
            order: a.order.clone(),
            operations: operations.to_string(),
            finished: a.finished,
        });
        report.attempts = attempts.collect();
        if let Some(stop) = outcome.stopped {
            report.limits.hit = Some(Hit::Phase(stop, self.control.phase()));
            report.limits.so_far = Some(SoFar {
                states: told(&outcome.so_far),
                nodes: report.peak_nodes.clone(),
                operations: report.operations.clone(),
            });
        }
        if let Some(por) = &self.por {
            report.por = self.options.por.as_ref().map(|p| p.name());
            report.executions = por.executions.map(|(all, _)| all.to_string());
            report.redundant = por.executions.map(|(_, more)| more.to_string());
            report.refused.clone_from(&por.refused);
            let aside = self.options.por.as_ref().is_some_and(|p| !p.discipline);
            if aside && self.reduction.is_none() && !self.program.protections.is_empty() {
                report.notes.push(
                    "with --por the discipline is left aside: executions go on behind a violation"
                        .into(),
                );
            }
        }
        report.violated = outcome.violated;
        report.transitions = outcome.transitions.map(|n| n.to_string());
        if outcome.violated {
            report.notes.push(
                "the synchronisation discipline is violated; states behind a violation are not explored (`coarsen \
                 check` shows an execution)".into(),
            );
        }
        if outcome.states == Some(BigUint::ZERO) {
            report.notes.push(
                "vacuous: no state satisfies the initial values and `init`, so nothing can happen"
                    .into(),
            );
        }
        for (question, answer) in self.questions.iter().zip(&outcome.answers) {
            let property = self.answer(question, answer, &outcome, report);
            report.questions.push(property);
        }
        if let Err(why) = recounted {
            let why = Contradiction::Recounted { why };
            report.reason = format!("evidence rejected: {why}");
            report.recounted = Some(why);
            report.verdict = Verdict::Unknown;
            return;
        }
        settle(report, outcome.stopped);
    }

    fn answer(
        &self,
        question: &Question,
        answer: &Answer,
        outcome: &Outcome,
        report: &mut ReachReport,
    ) -> Property {
        let mut property = Property {
            name: question.name.clone(),
            kind: match question.sort {
                Sort::Deadlock => PropertyKind::Deadlock,
                Sort::Find => PropertyKind::Find,
                Sort::Invariant => PropertyKind::Invariant,
                Sort::Violation => PropertyKind::Discipline,
            },
            verdict: Status::Unknown,
            reason: String::new(),
            contradiction: None,
            trace_length: None,
            coarse_length: None,
            trace: None,
        };
        let wanted = question.sort == Sort::Find;
        match answer {
            Answer::Found(path) => match self.repeat(question, path) {
                Some((rerun, ending)) => {
                    property.verdict = if wanted {
                        Status::Holds
                    } else {
                        Status::Refuted
                    };
                    property.trace_length = Some(path.moves.len().to_string());
                    property.reason = ending.to_string();
                    let mut trace = rerun.trace;
                    trace.outcome = ending;
                    if trace.states.is_empty() {
                        report.notes.push(format!(
                            "the execution for {} was repeated by the interpreter, and is too long to be told",
                            question.name
                        ));
                    } else {
                        if !path.shortest {
                            report.notes.push(format!(
                                "the trace for {} is perhaps not a shortest one",
                                question.name
                            ));
                        }
                        property.trace = Some(trace);
                    }
                }
                None => {
                    property.contradict(Contradiction::NotRepeated);
                }
            },
            Answer::Somewhere(stop) => {
                property.reason = format!(
                    "a state is reached, but {stop} was hit in the search for an execution"
                );
                if report.limits.hit.is_none() {
                    report.limits.hit = Some(Hit::Search(*stop));
                }
            }
            Answer::Nowhere if outcome.stopped.is_some() => {
                property.reason = "not met before the exploration was cut short".into();
            }
            Answer::Nowhere => {
                (property.verdict, property.reason) = self.nowhere(question, outcome);
            }
        }
        property
    }

    /// What it means that nothing was found in a complete exploration.
    fn nowhere(&self, question: &Question, outcome: &Outcome) -> (Status, String) {
        let unknown = |why: String| (Status::Unknown, why);
        if let Some(gap) = &self.gap {
            return unknown(format!(
                "nothing found in the reduced system, but that says nothing: {gap}"
            ));
        }
        if let Some(why) = self
            .por
            .as_ref()
            .and_then(|p| p.refused.as_ref().or(p.open.as_ref()))
        {
            return unknown(format!("not found, but {why}"));
        }
        if outcome.violated {
            return unknown(
                "not found, but the discipline is violated, and states behind a violation are not explored".into(),
            );
        }
        let hides = |name: &str| self.hidden.contains(&format!("hides({name})"));
        let dead = question.sort == Sort::Deadlock && hides("deadlock_free");
        if dead || hides(&question.name) || hides(&goal_name(&question.name)) {
            return unknown("not found, but an invisible step could hide it".into());
        }
        let (status, what) = match question.sort {
            Sort::Deadlock => (Status::Holds, "no reachable state is a deadlock"),
            Sort::Find => (Status::Refuted, "no reachable state satisfies it"),
            Sort::Invariant => (Status::Holds, "every reachable state satisfies it"),
            Sort::Violation => (Status::Holds, "no step violates it"),
        };
        (status, what.into())
    }

    /// Repeats an execution with the interpreter; with what it ends in.
    fn repeat(&self, question: &Question, path: &Path) -> Option<(Rerun, Ending)> {
        let Some((plain, questions, origin)) = &self.plain else {
            return repeat_on(&self.program, question, path);
        };
        let question = questions.iter().find(|q| q.name == question.name)?;
        let mut path = path.clone();
        let cells: Vec<i64> = (0..plain.cells.len()).map(|c| path.first.cell(c)).collect();
        let locations: Vec<LocId> = (0..plain.threads.len())
            .map(|t| origin[t][path.first.location(t)])
            .collect();
        path.first = State::new(&cells, &locations);
        for step in &mut path.moves {
            step.location = origin[step.thread][step.location];
            for (variable, value) in &mut step.after {
                if let Variable::Location(t) = variable {
                    *value = origin[*t][*value as usize] as i64;
                }
            }
        }
        repeat_on(plain, question, &path)
    }
}

/// Where an error ends the system, the states behind one are not among those counted. (Deadlocks behind one were not
/// asked for.)
fn without_wrong(outcome: &mut Outcome, report: &mut ReachReport) {
    let Some(wrong) = outcome.wrong.as_ref().filter(|n| **n != BigUint::ZERO) else {
        return;
    };
    outcome.states = outcome.states.take().map(|all| all - wrong);
    report.notes.push(format!(
        "an error ends a system in DVE; {wrong} further states, reached by what other processes do behind one, are not \
         counted"
    ));
}

/// Repeats an execution of a program; with what it ends in.
fn repeat_on(p: &Program, question: &Question, path: &Path) -> Option<(Rerun, Ending)> {
    let rerun = repeat(p, path, None, false)?;
    let last = &rerun.last.state;
    if !question.met(p, last) {
        return None;
    }
    let ending = match question.sort {
        Sort::Deadlock => deadlock(p, last),
        Sort::Find => Ending::Satisfies(question.name.clone()),
        Sort::Invariant | Sort::Violation => Ending::Violates(question.name.clone()),
    };
    Some((rerun, ending))
}

/// The verdict: a question that is refuted, else one that is open or a limit, else all is well.
fn settle(report: &mut ReachReport, stopped: Option<Stop>) {
    let with = |status: Status| report.questions.iter().find(move |q| q.verdict == status);
    let said = |q: &Property| format!("{}: {}", q.name, q.reason);
    (report.verdict, report.reason) = if let Some(rejected) = report.contradicted() {
        let why = said(rejected);
        (Verdict::Unknown, format!("evidence rejected: {why}"))
    } else if let Some(q) = with(Status::Refuted) {
        (Verdict::Refuted, said(q))
    } else if let Some(stop) = stopped {
        (Verdict::Unknown, format!("stopped by {stop}"))
    } else if let Some(why) = &report.refused {
        (Verdict::Unknown, why.clone())
    } else if let Some(q) = with(Status::Unknown) {
        (Verdict::Unknown, said(q))
    } else {
        let states = report.states.as_deref().unwrap_or("?");
        let executions = report.executions.as_deref();
        let system = match &report.theorem {
            None => "reachable",
            Some(_) => "in the reduced system",
        };
        let system = match &report.por {
            None => system.to_string(),
            Some(por) => format!("{system} by {por}"),
        };
        let shown = match states.len() {
            0..=30 => states.to_string(),
            digits => format!("{}.{}e{}", &states[..1], &states[1..4], digits - 1),
        };
        let (shown, what) = match executions {
            None => (shown, "states"),
            Some("1") => ("1".into(), "execution"),
            Some(executions) => (executions.to_string(), "executions"),
        };
        let answers: Vec<String> = report.questions.iter().map(said).collect();
        let mut reason = format!("{shown} {what} {system}");
        for answer in answers {
            reason = format!("{reason}; {answer}");
        }
        (Verdict::Holds, reason)
    };
}
