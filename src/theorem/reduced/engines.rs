//! The reduced system explored by the engines of `coarsen reach`, where BDDs would be too large: the same questions,
//! and the same report.

use crate::base::control::{Control, Stop};
use crate::base::results::{Hypothesis, Note, PropertyReason, Report};
use crate::engine::quotients::{DeadLocals, Quotient};
use crate::engine::reach::{Answer, How, Outcome, Question, Reduction, Sort, portfolio};
use crate::engine::{Heuristic, Variable};
use crate::model::program::{Expr, Program, Thread};
use crate::model::text::ast::PropertyKind;
use crate::theorem::check::{Check, Prepared, hit};
use crate::theorem::discharge::syntactic::is_ever_open;
use crate::theorem::executions::trace::{repeat, settles};
use crate::theorem::properties::{Asked, GoalKind};
use crate::theorem::settled::{Known, by_stoller_cohen, nothing_found, traced};
use crate::theorem::wellformed;
use std::time::Instant;

/// Operations of an engine that are tried before BDDs explore: less than a second.
const SOON: u64 = 1 << 21;

/// The n-th order of a program's variables to try, by name.
pub(in crate::theorem) fn order(p: &Program, n: usize) -> Option<(String, Vec<Variable>)> {
    let (heuristic, name, _) = Heuristic::ALL.get(n)?;
    Some((name.to_string(), heuristic.order(p)))
}

/// The cores that may be used.
pub(in crate::theorem) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What the engines find in turn, each in so many operations at most.
pub(in crate::theorem) fn by_engines(
    p: &Program,
    questions: &[Question],
    reduction: Option<&Reduction>,
    most: u64,
    control: &Control,
) -> Outcome {
    let how = How {
        most,
        facts: true,
        cores: cores(),
        keep: false,
    };
    portfolio(p, questions, &|n| order(p, n), reduction, how, control).0
}

impl Asked {
    /// As the engines of `reach` are asked.
    pub(in crate::theorem) fn question(&self, p: &Program) -> Question {
        let (sort, expr) = match self.kind {
            GoalKind::Discipline => (Sort::Violation, Expr::TRUE),
            GoalKind::Assertions => (Sort::Find, p.gone_wrong()),
            GoalKind::DeadlockFree => (Sort::Deadlock, Expr::TRUE),
            GoalKind::User(n) => {
                let property = &p.properties[n];
                let sort = match property.kind {
                    PropertyKind::Reach => Sort::Find,
                    PropertyKind::Invariant | PropertyKind::Lemma => Sort::Invariant,
                };
                (sort, property.expr.clone())
            }
        };
        Question {
            name: self.name.clone(),
            sort,
            expr,
        }
    }
}

impl Prepared {
    /// The reduced system, unless that is the original one.
    fn reduction(&self) -> Option<Reduction> {
        let threads = self.program.threads.iter().zip(&self.visible);
        let some = |(thread, visible): (&Thread, &Vec<bool>)| {
            let mut steps = thread.steps();
            steps.any(|l| !visible[l] && is_ever_open(thread, l))
        };
        let violations = !self.program.protections.is_empty();
        (violations || threads.into_iter().any(some)).then(|| Reduction {
            visible: self.visible.clone(),
            when_blocked: self.when_blocked,
        })
    }

    fn explore(
        &self,
        asked: &[Asked],
        quotients: &[Quotient],
        most: u64,
        control: &Control,
    ) -> Outcome {
        // All engines count what others do behind an error then, as relations do.
        let mut program = self.program.clone();
        program.errors_end = false;
        let of = |a: &Asked| a.question(&program);
        let questions: Vec<Question> = asked.iter().map(of).collect();
        let dead = quotients.contains(&Quotient::DeadLocals).then(|| {
            let asked: Vec<&Expr> = questions.iter().map(|q| &q.expr).collect();
            DeadLocals::new(&program, &asked)
        });
        if let Some(dead) = &dead {
            program = dead.forgetting(&program);
        }
        let reduction = self.reduction();
        let mut outcome = by_engines(&program, &questions, reduction.as_ref(), most, control);
        for (answer, question) in outcome.answers.iter_mut().zip(&questions) {
            if let (Answer::Found(path), Some(dead)) = (answer, &dead) {
                let badly = question.sort == Sort::Violation;
                // One that is none of the original program's is rejected where it is repeated.
                let original = dead.original(&self.program, path, badly);
                *path = original.unwrap_or_else(|| path.clone());
            }
        }
        outcome
    }
}

impl Check<'_> {
    /// Explores the reduced system and tells what is found.
    pub(in crate::theorem) fn elsewhere(
        &self,
        report: &mut Report,
        prepared: &Prepared,
        asked: &[Asked],
    ) {
        let outcome = prepared.explore(asked, &self.options.quotients, u64::MAX, self.control);
        report.notes.push(Note::Engine(outcome.engine.to_string()));
        if let Some(stop) = outcome.stopped {
            hit(report, stop, self.control);
        }
        self.tell(report, prepared, asked, &outcome);
        if outcome.stopped.is_none() && !outcome.violated {
            let open = |w: &&mut Hypothesis| w.id == wellformed::WF_INIT_EXCL;
            let overlaps = report.well_formedness.iter_mut().find(open);
            overlaps
                .into_iter()
                .for_each(wellformed::disjoint_as_explored);
        }
    }

    /// What others find soon, if they explore everything, nothing is violated, and nothing that was looked for is met.
    pub(in crate::theorem) fn quick(
        &self,
        report: &mut Report,
        prepared: &Prepared,
        asked: &[Asked],
    ) -> Option<Outcome> {
        let clock = Instant::now();
        self.control.enter("the reduced system");
        let outcome = prepared.explore(asked, &self.options.quotients, SOON, self.control);
        let nowhere = |a: &Answer| matches!(a, Answer::Nowhere);
        let complete = outcome.stopped.is_none() && !outcome.violated;
        report.timing.exploration = clock.elapsed().as_secs_f64();
        (complete && outcome.answers.iter().all(nowhere)).then_some(outcome)
    }

    /// Tells what an exploration found.
    pub(in crate::theorem) fn tell(
        &self,
        report: &mut Report,
        prepared: &Prepared,
        asked: &[Asked],
        outcome: &Outcome,
    ) {
        let told = |n: &num_bigint::BigUint| n.to_string();
        report.states.reduced = outcome.states.as_ref().map(told);
        let visited = outcome.visited.as_ref().or(outcome.states.as_ref());
        report.states.visited = visited.map(told);
        report.statistics.peak_nodes = outcome.peak_nodes.map(|n| n.to_string());
        let known = Known {
            complete: outcome.stopped.is_none(),
            violated: outcome.violated,
            vacuous: outcome.states.as_ref().is_some_and(|n| *n == 0u32.into()),
            because: by_stoller_cohen(prepared.visible.iter().flatten().all(|v| *v)),
        };
        known.note(report);
        for (n, (asked, answer)) in asked.iter().zip(&outcome.answers).enumerate() {
            match answer {
                Answer::Found(path) => {
                    let badly = asked.kind == GoalKind::Discipline;
                    let p = &prepared.program;
                    let rerun = repeat(p, path, Some(&prepared.visible), badly);
                    if !path.shortest {
                        report.notes.push(Note::PerhapsLonger {
                            name: asked.name.clone(),
                            exhausted: false,
                        });
                    }
                    let trace = rerun.and_then(|rerun| settles(p, rerun, asked));
                    traced(report, n, asked, trace, path.moves.len());
                }
                Answer::Somewhere(stop) => self.somewhere(report, n, *stop),
                Answer::Nowhere => nothing_found(report, n, asked, &known),
            }
        }
    }

    fn somewhere(&self, report: &mut Report, n: usize, stop: Stop) {
        report.properties[n].reason = PropertyReason::FoundReduced(Some(stop));
        hit(report, stop, self.control);
    }
}
