//! The reduced system that a theorem has: its hypotheses are settled first.

use super::{Run, goal_name, tell, which_deadlocks};
use crate::algebra::Theory;
use crate::base::diagnostic::Span;
use crate::base::results::{
    self, Doubt, Note, PropertyReason, ReachReason, ReachReport, Report, Status,
};
use crate::engine::reach::{INSIDE, Question, Reduction, Sort};
use crate::model::program::{Program, Property};
use crate::theorem::inference::Subject;
use crate::theorem::{Candidates, Prepared, gap, prepare, uses};

impl Run<'_> {
    /// The program as a theorem has to keep it.
    fn kept_by(&self, theory: &Theory) -> Program {
        let mut program = self.program.clone();
        if uses(theory).is_some() {
            // Only what the questions mention has to be kept.
            let questions = &self.questions;
            // That a thread goes wrong is what the theorem speaks of.
            let wrong = program.gone_wrong();
            let asked = |p: &Property| {
                let name = |q: &Question| p.name == q.name || p.name == goal_name(&q.name);
                questions.iter().any(name) && p.expr != wrong
            };
            program.properties.retain(asked);
            let deadlock = self.options.deadlock.then(Span::default);
            program.deadlock_free = program.deadlock_free.and(deadlock).or(deadlock);
        }
        program
    }

    /// Settles the hypotheses of the theorem that promises most, of those that may be applied, and finds the reduced
    /// system: the theorem, and whether there is one to explore.
    pub(super) fn reduce(
        &mut self,
        name: &str,
        theory: &Theory,
        report: &mut ReachReport,
    ) -> (Theory, bool) {
        self.control.enter("the theorem's hypotheses");
        let applied = |theory: &Theory| {
            let program = self.kept_by(theory);
            let quotients = &self.options.quotients;
            let (checked, prepared) = prepare(name, &program, theory, quotients, self.control);
            (checked, (program, prepared))
        };
        let others = &self.options.others;
        let best = match others.is_empty() {
            true => None,
            false => Candidates::of(&Subject::new(&self.program), theory, others, self.control)
                .apply(self.control, applied, |checked, (_, prepared)| {
                    prepared.is_some() && gap(checked).is_none()
                }),
        };
        let (theory, checked, (program, prepared)) = best.unwrap_or_else(|| {
            let (checked, done) = applied(theory);
            (theory.clone(), checked, done)
        });
        self.program.clone_from(&program);
        self.asked = Some(program);
        let chosen = checked
            .notes
            .iter()
            .filter(|n| matches!(n, Note::Chosen(..)));
        report.notes.splice(0..0, chosen.cloned());
        let ready = self.system(&theory, checked, prepared, report);
        (theory, ready)
    }

    /// The reduced system that was found, if it can be explored.
    fn system(
        &mut self,
        theory: &Theory,
        checked: Report,
        prepared: Option<Prepared>,
        report: &mut ReachReport,
    ) -> bool {
        self.gap = gap(&checked);
        report.gap.clone_from(&self.gap);
        if let (Some(gap), Some(file)) = (&self.gap, checked.unproved) {
            report.reason = ReachReason::Unproved(file);
            let open = |q: &Question| results::Property {
                reason: PropertyReason::NotFound(Doubt::Gap(gap.clone())),
                ..results::Property::undecided(&q.name, tell::kind(q.sort))
            };
            report.questions = self.questions.iter().map(open).collect();
            return false;
        }
        if checked.silence.evaluated {
            report.notes.push(Note::Evaluated(theory.name.clone()));
        }
        self.silence = checked.silence;
        let hides = |w: &&crate::base::results::Hypothesis| w.status != Status::Holds;
        let open = checked.well_formedness.iter().filter(hides);
        self.hidden = open.map(|w| w.id.clone()).collect();
        let Some(prepared) = prepared else {
            if let Some(hit) = checked.limits.hit {
                report.reason = ReachReason::NotReduced(hit.clone());
                report.limits.hit = Some(hit);
            }
            return false;
        };
        if let Some(gap) = &self.gap {
            report.notes.push(Note::Gap(gap.clone()));
        }
        let inferred = checked.discipline.into_iter();
        report.notes.extend(inferred.map(Note::Inferred));
        self.program = prepared.program;
        if let Some((program, origin)) = prepared.plain {
            let mut questions = self.questions.clone();
            for (question, here) in self.questions.iter_mut().zip(&mut questions) {
                let of = |p: &Program| {
                    let name = |p: &&Property| {
                        p.name == question.name || p.name == goal_name(&question.name)
                    };
                    p.properties.iter().find(name).map(|p| p.expr.clone())
                };
                if here.expr == program.gone_wrong() {
                    question.expr = self.program.gone_wrong();
                    continue;
                }
                let (phased, plain) = (of(&self.program), of(&program));
                if question.sort == Sort::Deadlock {
                    question.expr = which_deadlocks(&self.program);
                    here.expr = which_deadlocks(&program);
                    continue;
                }
                question.expr = phased.unwrap_or_else(|| question.expr.clone());
                here.expr = plain.unwrap_or_else(|| here.expr.clone());
            }
            self.plain = Some((program, questions, origin));
        }
        self.reduction = Some(Reduction {
            visible: prepared.visible,
            when_blocked: prepared.when_blocked,
            inside: INSIDE,
        });
        true
    }
}
