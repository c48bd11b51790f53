//! From what an engine found to a report: executions are repeated, then the verdict is settled.

use super::{Run, goal_name};
use crate::base::control::{Hit, Stop};
use crate::base::results::{
    Attempt, Contradiction, Doubt, Note, Outcome as End, Property, PropertyKind, PropertyReason,
    ReachReason, ReachReport, SoFar, Status, Trace, Verdict,
};
use crate::engine::reach::{Answer, Outcome, Path, Question, Sort};
use crate::model::program::Program;
use crate::theorem::{deadlock, of_condition, of_deadlock, repeat, without_phases};
use num_bigint::BigUint;

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
        report.representatives = told(&outcome.representatives);
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
        report.distributed.clone_from(&self.distributed);
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
                report.notes.push(Note::DisciplineAside);
            }
        }
        report.violated = outcome.violated;
        report.transitions = outcome.transitions.map(|n| n.to_string());
        if outcome.violated {
            report.notes.push(Note::Violated);
        }
        if outcome.states == Some(BigUint::ZERO) {
            report.notes.push(Note::Vacuous);
        }
        for (question, answer) in self.questions.iter().zip(&outcome.answers) {
            let property = self.answer(question, answer, &outcome, report);
            report.questions.push(property);
        }
        if let Err(why) = recounted {
            report.reason = ReachReason::Rejected(None, why.clone());
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
        let kind = kind(question.sort);
        let mut property = Property::undecided(&question.name, kind);
        let wanted = question.sort == Sort::Find;
        match answer {
            Answer::Found(path) => match self.repeat(question, path) {
                Some(trace) => {
                    property.verdict = if wanted {
                        Status::Holds
                    } else {
                        Status::Refuted
                    };
                    property.trace_length = Some(path.moves.len().to_string());
                    property.reason = PropertyReason::Found(trace.outcome.clone());
                    if trace.states.is_empty() {
                        report.notes.push(Note::TooLong(question.name.clone()));
                    } else {
                        if !path.shortest {
                            report.notes.push(Note::PerhapsLonger {
                                name: question.name.clone(),
                                exhausted: false,
                            });
                        }
                        property.trace = Some(trace);
                    }
                }
                None => {
                    property.reason = PropertyReason::Contradicted(Contradiction::NotRepeated);
                }
            },
            Answer::Somewhere(stop) => {
                property.reason = PropertyReason::FoundState(*stop);
                if report.limits.hit.is_none() {
                    report.limits.hit = Some(Hit::Search(*stop));
                }
            }
            Answer::Nowhere if outcome.stopped.is_some() => {
                property.reason = PropertyReason::NotFound(Doubt::CutShort);
            }
            Answer::Nowhere => {
                (property.verdict, property.reason) = self.nowhere(question, kind, outcome);
            }
        }
        property
    }

    /// What it means that nothing was found in a complete exploration.
    fn nowhere(
        &self,
        question: &Question,
        kind: PropertyKind,
        outcome: &Outcome,
    ) -> (Status, PropertyReason) {
        let por = self.por.as_ref();
        let technique = por.and_then(|p| p.refused.as_ref().or(p.open.as_ref()));
        let hides = |name: &str| self.hidden.contains(&format!("hides({name})"));
        let dead = question.sort == Sort::Deadlock && hides("deadlock_free");
        let silent = match question.sort {
            Sort::Violation => &self.silence.violations,
            _ if question.expr == self.program.gone_wrong() => &self.silence.wrong,
            _ => &self.silence.states,
        };
        let doubt = if let Some(gap) = self.gap.as_ref().or(silent.as_ref()) {
            Doubt::Gap(gap.clone())
        } else if let Some(why) = technique {
            Doubt::Technique(why.clone())
        } else if outcome.violated {
            Doubt::Violated
        } else if dead || hides(&question.name) || hides(&goal_name(&question.name)) {
            Doubt::Hidden
        } else {
            let status = match kind {
                PropertyKind::Find => Status::Refuted,
                _ => Status::Holds,
            };
            return (status, PropertyReason::Explored(kind));
        };
        (Status::Unknown, PropertyReason::NotFound(doubt))
    }

    /// Repeats an execution with the interpreter.
    fn repeat(&self, question: &Question, path: &Path) -> Option<Trace> {
        let (program, path) = match &self.whole {
            Some((whole, dead)) => (whole, dead.original(whole, path, false)?),
            None => (&self.program, path.clone()),
        };
        let Some((plain, questions, origin)) = &self.plain else {
            return repeat_on(program, question, &path);
        };
        let question = questions.iter().find(|q| q.name == question.name)?;
        let path = without_phases(plain, origin, &path);
        repeat_on(plain, question, &path)
    }
}

/// What a question is as a property.
pub(super) fn kind(sort: Sort) -> PropertyKind {
    match sort {
        Sort::Deadlock => PropertyKind::Deadlock,
        Sort::Find => PropertyKind::Find,
        Sort::Invariant => PropertyKind::Invariant,
        Sort::Violation => PropertyKind::Discipline,
    }
}

/// Where an error ends the system, the states behind one are not among those counted. (Deadlocks behind one were not
/// asked for.)
fn without_wrong(outcome: &mut Outcome, report: &mut ReachReport) {
    let Some(wrong) = outcome.wrong.as_ref().filter(|n| **n != BigUint::ZERO) else {
        return;
    };
    outcome.states = outcome.states.take().map(|all| all - wrong);
    report.notes.push(Note::ErrorsEnd(wrong.to_string()));
}

/// Repeats an execution of a program.
fn repeat_on(p: &Program, question: &Question, path: &Path) -> Option<Trace> {
    let rerun = repeat(p, path, &|_| true, false)?;
    let last = &rerun.last.state;
    if !question.met(p, last) {
        return None;
    }
    let mut trace = rerun.trace;
    let name = question.name.clone();
    trace.about = match question.sort {
        Sort::Deadlock => of_deadlock(p, last),
        Sort::Find | Sort::Invariant => of_condition(p, &question.expr),
        Sort::Violation => trace.about,
    };
    trace.outcome = match question.sort {
        Sort::Deadlock => deadlock(p, last),
        Sort::Find => End::Reached(name),
        Sort::Invariant | Sort::Violation => End::Violates(name),
    };
    Some(trace)
}

/// The verdict: a question that is refuted, else one that is open or a limit, else all is well.
fn settle(report: &mut ReachReport, stopped: Option<Stop>) {
    let with = |status: Status| report.questions.iter().find(move |q| q.verdict == status);
    let said = |q: &Property| (q.name.clone(), q.reason.clone());
    let question = |q: &Property| ReachReason::Question(q.name.clone(), q.reason.clone());
    let rejected = report
        .questions
        .iter()
        .find_map(|q| Some((q.name.clone(), q.contradiction()?.clone())));
    (report.verdict, report.reason) = if let Some((name, why)) = rejected {
        (Verdict::Unknown, ReachReason::Rejected(Some(name), why))
    } else if let Some(q) = with(Status::Refuted) {
        (Verdict::Refuted, question(q))
    } else if let Some(stop) = stopped {
        (Verdict::Unknown, ReachReason::Stopped(stop))
    } else if let Some(why) = &report.refused {
        (Verdict::Unknown, ReachReason::Refused(why.clone()))
    } else if let Some(q) = with(Status::Unknown) {
        (Verdict::Unknown, question(q))
    } else {
        let explored = ReachReason::Explored {
            states: report.states.clone(),
            executions: report.executions.clone(),
            reduced: report.theorem.is_some(),
            por: report.por.clone(),
            reductions: report.not_counted(),
            representatives: report.representatives.clone(),
            answers: report.questions.iter().map(said).collect(),
        };
        (Verdict::Holds, explored)
    };
}
