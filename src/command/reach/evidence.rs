//! What shows the answers of `coarsen reach`: executions, an invariant of the original program, or the evidence of a
//! check of the reduced system.

use super::{Run, goal_name};
use crate::algebra::Theory;
use crate::base::evidence::{Bundle, Execution};
use crate::base::results::{MissingEvidence, Property, PropertyKind, ReachReport, Status};
use crate::engine::reach::Outcome;
use crate::model::program::{Expr, Program};
use crate::theorem::{CheckOptions, check, empty, invariant};

/// What shows the answers of a reduced system: the theorem, and the program with all questions as properties.
pub(super) struct Applied {
    pub theory: Theory,
    pub program: Program,
}

impl Run<'_> {
    /// Puts the bundle of a report together.
    pub(super) fn certify(
        &self,
        outcome: &Outcome,
        applied: Option<&Applied>,
        report: &mut ReachReport,
    ) {
        self.control.enter("the certificate");
        let (program, _) = self.original();
        let mut bundle = match applied {
            Some(applied) if !can_end(program) => self.reduced(applied, report),
            _ => empty(&report.model, program),
        };
        for x in report.questions.iter().filter_map(|q| self.executed(q)) {
            if bundle.executions.iter().all(|known| known.goal != x.goal) {
                bundle.executions.push(x);
            }
        }
        let mut claims: Vec<String> = report
            .questions
            .iter()
            .filter_map(|q| self.claimed(q))
            .filter(|claim| !bundle.parts.iter().any(|part| part.claims.contains(claim)))
            .collect();
        // What is shown is shown of the original program, so its states would have to be counted.
        let all = applied.is_none() && self.whole.is_none();
        let counted = outcome.states.as_ref().filter(|_| all);
        if let (Some(n), false) = (counted, outcome.violated) {
            claims.push(format!("states {n}"));
            claims.extend((!program.protections.is_empty()).then(|| "discipline".into()));
        }
        if !claims.is_empty() {
            match invariant(program, claims, self.control) {
                Ok(part) => bundle.parts.extend(part),
                Err(stop) => {
                    let open = Vec::new();
                    report.no_bundle = Some(MissingEvidence { open, stop });
                }
            }
        }
        if !bundle.parts.is_empty() || !bundle.executions.is_empty() {
            report.bundle = Some(Box::new(bundle));
        }
    }

    /// The program without phases, and whether there are some.
    fn original(&self) -> (&Program, bool) {
        match &self.plain {
            Some((program, ..)) => (program, true),
            None => (self.whole.as_ref().map_or(&self.program, |w| &w.0), false),
        }
    }

    /// The evidence of a check of everything that is asked.
    fn reduced(&self, applied: &Applied, report: &mut ReachReport) -> Bundle {
        let options = CheckOptions {
            certificate: true,
            ..CheckOptions::default()
        };
        let checked = check(
            &report.model,
            &applied.program,
            &applied.theory,
            &options,
            self.control,
        );
        report.no_bundle = checked.no_bundle;
        let none = || empty(&report.model, self.original().0);
        checked.bundle.map_or_else(none, |bundle| *bundle)
    }

    /// What a question is called in a bundle.
    fn named(&self, question: &Property) -> String {
        match (question.kind, &question.name) {
            (PropertyKind::Deadlock, _) => "deadlock_free".into(),
            (PropertyKind::Find, name) if !self.options.invariants.contains(name) => {
                goal_name(name)
            }
            (_, name) => name.clone(),
        }
    }

    /// What an answer claims of all states.
    fn claimed(&self, question: &Property) -> Option<String> {
        match (question.verdict, question.kind) {
            (Status::Refuted, PropertyKind::Find) => {
                Some(format!("never {}", self.named(question)))
            }
            (Status::Holds, kind) if kind != PropertyKind::Find => Some(self.named(question)),
            _ => None,
        }
    }

    /// The execution to a goal.
    fn executed(&self, question: &Property) -> Option<Execution> {
        let found = question.verdict == Status::Holds && question.kind == PropertyKind::Find;
        let trace = question.trace.as_ref().filter(|_| found)?;
        Some(Execution {
            goal: self.named(question),
            ..trace.execution.clone()
        })
    }
}

/// Whether an error can end the system: then properties mean something else than for a check.
fn can_end(program: &Program) -> bool {
    program.errors_end && !matches!(program.gone_wrong(), Expr::Const(_))
}
